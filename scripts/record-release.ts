/**
 * `npm run release:record` writes supabase/release.json: what the code of this release needs from
 * the database. Run it when the release runs everywhere. From then on, a test fails when the schema
 * lacks something of that, because instances of this release run beside the next schema for a
 * while. With a folder, it records the release that is checked out there:
 * `npm run release:record -- ../checkout`.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { readMigrations } from "../local/migrations";
import { projectFolder } from "../local/project-folder";

import { readReleaseContract } from "./schema/release-contract";

const folder = process.argv[2] ? resolve(process.argv[2]) : projectFolder;
const migration = (await readMigrations(join(folder, "supabase", "migrations"))).at(-1)!.file;
const contract = readReleaseContract(folder);
await writeFile(
  join(projectFolder, "supabase", "release.json"),
  `${JSON.stringify({ migration, ...contract }, null, 2)}\n`,
);
const { functions, relations } = contract;
console.log(
  `The release of ${migration} calls ${Object.keys(functions).length} functions, and uses ${Object.keys(relations).length} tables and views.`,
);
