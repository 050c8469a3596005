/**
 * `npm run migrations:new -- <name>` writes the migration that brings a database from what the
 * migrations say to what supabase/schemas says. Edit the noun's file in supabase/schemas first.
 * Read what was written: lines that begin with `-- BY HAND:` are for you to write. Then run
 * `npm run migrations:record`. A test compares the two ways to the schema. Lines that begin with
 * `-- STOP THE OLD CODE FIRST:` name what the previous release can't do without
 * (supabase/release.json).
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readMigrations } from "../local/migrations";
import { projectFolder } from "../local/project-folder";

import { readRelease, findMissing, readMarks, toMark } from "./schema/check-release";
import { compareCatalogs } from "./schema/catalog";
import { draftMigration } from "./schema/draft-migration";
import { catalogOf, openSchema } from "./schema/two-ways";

const name = process.argv[2] ?? "";
if (!/^[a-z][a-z_]*$/.test(name)) {
  console.error("Name the migration in lower case: npm run migrations:new -- second_factors");
  process.exit(1);
}

const target = await catalogOf("schemas");
const differences = compareCatalogs(await catalogOf("migrations"), target);
if (differences.length === 0) {
  console.log("The migrations lead to what supabase/schemas says. There is nothing to write.");
} else {
  const folder = join(projectFolder, "supabase", "migrations");
  const newest = (await readMigrations(folder)).at(-1)?.version ?? "0";
  const now = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  // The order of migrations is that of their numbers, and two of one day follow each other.
  const version = now > newest ? now : String(BigInt(newest) + 1n);
  const file = `${version}_${name}.sql`;
  const draft = draftMigration(differences, target);
  const release = await readRelease(projectFolder);
  const known = await readMarks(projectFolder, release);
  const engine = await openSchema("schemas");
  const marks = (await findMissing(engine, release))
    .filter((item) => !known.includes(item))
    .map(toMark);
  await engine.close();
  await writeFile(
    join(folder, file),
    `-- Written by \`npm run migrations:new\`. What these objects are for is in supabase/schemas.\n\n${[...marks, draft].join("\n")}\n`,
  );
  console.log(`Wrote supabase/migrations/${file} (${differences.length} differences)`);
  const byHand = draft.split("\n").filter((one) => one.startsWith("-- BY HAND:"));
  for (const line of [...marks, ...byHand]) console.log(line);
}
