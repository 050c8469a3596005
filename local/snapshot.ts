import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openPglite, type PgliteEngine } from "./engine-pglite";
import { foundationSql } from "./foundation";
import { makeKeys } from "./keys.mjs";
import { Mailbox } from "./mailbox";
import { readMigrations } from "./migrations";
import { projectFolder } from "./project-folder";
import { provision, type SchemaSource } from "./provision";
import { makeStandIn } from "./stand-in";
import { readSupabaseConfig } from "./supabase-config";

/** Increase it when the way in which a snapshot is made changes. */
const FORMAT = 3;

/**
 * A migrated database without data, as an archive. Made once (about 4 s) and kept in `.cache/` for
 * as long as neither a migration nor the engine changes; read from there (some 20 ms) otherwise.
 * Safe to call from several processes at once.
 */
export async function migratedSnapshot(project: string): Promise<Blob> {
  const folder = join(project, ".cache");
  const name = `database-${await fingerprint(project)}.tar`;
  return keptArchive(folder, name, () => makeSnapshot(project));
}

async function makeSnapshot(project: string): Promise<Blob> {
  const engine = await makeDatabase(project);
  try {
    await engine.script("vacuum analyze");
    await engine.script("checkpoint");
    return await engine.dump();
  } finally {
    await engine.close();
  }
}

/**
 * A new database in memory, with the schema of a project and without data.
 *
 * @param source where the schema comes from; `provision` has the default
 */
export async function makeDatabase(project: string, source?: SchemaSource): Promise<PgliteEngine> {
  const engine = await openPglite({ snapshot: await emptyDatabase() });
  try {
    const standIn = makeStandIn(engine, {
      config: await readSupabaseConfig(project),
      keys: makeKeys(),
      mailbox: new Mailbox(),
      siteUrl: "http://localhost",
    });
    await provision(engine, standIn, project, source);
    return engine;
  } catch (problem) {
    await engine.close();
    throw problem;
  }
}

/**
 * A database with nothing in it, as an archive. Making one (`initdb`) takes most of the time of a snapshot, and all
 * projects begin with the same: it is kept in `.cache/` of this repository for as long as the engine stays.
 */
async function emptyDatabase(): Promise<Blob> {
  const hash = createHash("sha256").update(`${FORMAT}\n${await engineVersions()}`);
  const name = `empty-${hash.digest("hex").slice(0, 16)}.tar`;
  return keptArchive(join(projectFolder, ".cache"), name, async () => {
    const engine = await openPglite({});
    try {
      // From these, others are made, which nothing here does. They would be two thirds of the files of each archive.
      for (const template of ["template0", "template1"]) {
        await engine.script(`alter database ${template} is_template false`);
        await engine.script(`drop database ${template}`);
      }
      await engine.script("checkpoint");
      return await engine.dump();
    } finally {
      await engine.close();
    }
  });
}

/** An archive that is kept in a folder under a name that says what it is made from; made if it is not there. */
async function keptArchive(folder: string, name: string, make: () => Promise<Blob>): Promise<Blob> {
  const file = join(folder, name);
  const kept = await readFile(file).catch(() => undefined);
  if (kept) return new Blob([new Uint8Array(kept)]);

  const archive = await make();
  await mkdir(folder, { recursive: true });
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, Buffer.from(await archive.arrayBuffer()));
  await rename(fresh, file);
  await removeOlder(folder, name);
  return archive;
}

/** What a migrated database depends on, as a short name: engine, foundation and every migration. */
export async function fingerprint(project: string): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${FORMAT}\n${foundationSql}\n${await engineVersions()}`);
  for (const folder of ["schemas", "migrations"]) {
    for (const { file, sql } of await readMigrations(join(project, "supabase", folder)))
      hash.update(`${folder}/${file}\n${sql}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

async function engineVersions(): Promise<string> {
  const versions = ["@supabase/lite", "@electric-sql/pglite"].map(async (engine) => {
    const file = join(projectFolder, "node_modules", engine, "package.json");
    const { version } = JSON.parse(await readFile(file, "utf8")) as { version: string };
    return `${engine} ${version}\n`;
  });
  return (await Promise.all(versions)).join("");
}

const KEPT_ARCHIVES = 3;

/** Each change of a migration leaves an archive behind; the newest few are enough. */
async function removeOlder(folder: string, current: string): Promise<void> {
  const kind = current.split("-")[0]!;
  const archives = (await readdir(folder)).filter(
    (name) => name.startsWith(`${kind}-`) && name.endsWith(".tar"),
  );
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
