import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openPglite } from "./engine-pglite";
import { foundationSql } from "./foundation";
import { makeKeys } from "./keys.mjs";
import { Mailbox } from "./mailbox";
import { readMigrations } from "./migrations";
import { projectFolder } from "./project-folder";
import { provision, type SchemaSource } from "./provision";
import { makeStandIn } from "./stand-in";
import { readSupabaseConfig } from "./supabase-config";

/** Raise it when the way a snapshot is made changes. */
const FORMAT = 2;

/**
 * A migrated database without data, as an archive. Made once (about 4 s) and kept in `.cache/` for
 * as long as neither a migration nor the engine changes; read from there (some 20 ms) otherwise.
 * Safe to call from several processes at once.
 */
export async function migratedSnapshot(project: string): Promise<Blob> {
  const folder = join(project, ".cache");
  const name = `database-${await fingerprint(project)}.tar`;
  const file = join(folder, name);
  const kept = await readFile(file).catch(() => undefined);
  if (kept) return new Blob([new Uint8Array(kept)]);

  const snapshot = await makeSnapshot(project);
  await mkdir(folder, { recursive: true });
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, Buffer.from(await snapshot.arrayBuffer()));
  await rename(fresh, file);
  await removeOlder(folder, name);
  return snapshot;
}

/**
 * A new database with the schema of a project and without data, as an archive.
 *
 * @param source where the schema comes from; `provision` has the default
 */
export async function makeSnapshot(project: string, source?: SchemaSource): Promise<Blob> {
  const engine = await openPglite({});
  try {
    const standIn = makeStandIn(engine, {
      config: await readSupabaseConfig(project),
      keys: makeKeys(),
      mailbox: new Mailbox(),
      siteUrl: "http://localhost",
    });
    await provision(engine, standIn, project, source);
    await engine.script("vacuum analyze");
    await engine.script("checkpoint");
    return await engine.dump();
  } finally {
    await engine.close();
  }
}

/** What a migrated database depends on, as a short name: engine, foundation and every migration. */
export async function fingerprint(project: string): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${FORMAT}\n${foundationSql}\n`);
  for (const engine of ["@supabase/lite", "@electric-sql/pglite"]) {
    const text = await readFile(
      join(projectFolder, "node_modules", engine, "package.json"),
      "utf8",
    );
    hash.update(`${engine} ${(JSON.parse(text) as { version: string }).version}\n`);
  }
  for (const folder of ["schemas", "migrations"]) {
    for (const { file, sql } of await readMigrations(join(project, "supabase", folder)))
      hash.update(`${folder}/${file}\n${sql}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

const KEPT_ARCHIVES = 3;

/** Each change of a migration leaves an archive behind; the newest few are enough. */
async function removeOlder(folder: string, current: string): Promise<void> {
  const archives = (await readdir(folder)).filter((name) => /^database-.*\.tar$/.test(name));
  const aged = await Promise.all(
    archives
      .filter((name) => name !== current)
      .map(async (name) => ({
        name,
        at: await stat(join(folder, name)).then(
          (found) => found.mtimeMs,
          () => 0,
        ),
      })),
  );
  aged.sort((one, other) => other.at - one.at);
  for (const { name } of aged.slice(KEPT_ARCHIVES - 1))
    await rm(join(folder, name), { force: true });
}
