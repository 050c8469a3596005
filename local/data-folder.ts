import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The database's own folder inside a data folder. */
export function databaseOf(folder: string): string {
  return join(folder, "database");
}

/** Where a data folder keeps the emails that were sent. */
export function mailsOf(folder: string): string {
  return join(folder, "mails.jsonl");
}

/** True once the first start of a data folder has been completed. */
export function isReady(folder: string): boolean {
  return existsSync(join(databaseOf(folder), "PG_VERSION"));
}

/**
 * Makes a data folder in a temporary one beside it and renames that at the end: a database that was
 * killed while it was being made never opens again, so a half-made one must not get the name. What
 * earlier attempts left is removed. Call it under the folder's lock.
 */
export async function makeFolder(
  folder: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(folder);
  const prefix = `${basename(folder)}.starting-`;
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
  if (existsSync(folder)) {
    const content = await readdir(folder);
    if (content.length > 0) {
      throw new Error(
        `${folder} exists but doesn't contain a database. Move it away, and start again.`,
      );
    }
    await rm(folder, { recursive: true });
  }
  const temporary = join(parent, `${prefix}${process.pid}`);
  await mkdir(temporary, { mode: 0o700 });
  await fill(temporary);
  await rename(temporary, folder);
}

/**
 * Renames a data folder, so that a new one can take its place, and returns where it is now: beside
 * the old path, with the time in its name. Nothing in it changes. Call it under the folder's lock,
 * with its database closed.
 */
export async function moveAside(folder: string): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  let target = `${folder}.before-${time}`;
  for (let n = 2; existsSync(target); n++) target = `${folder}.before-${time}-${n}`;
  await rename(folder, target);
  return target;
}
