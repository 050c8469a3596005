/**
 * `npm run migrations:record` adds new migrations to supabase/migrations.sha256, the list of those
 * that have landed. A landed migration never changes again: databases that ran it would not get the
 * change. `sha256sum --check migrations.sha256` in supabase/ verifies the list, too.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { readMigrations } from "../local/migrations";
import { projectFolder } from "../local/project-folder";

const LIST = join(projectFolder, "supabase", "migrations.sha256");

const migrations = await readMigrations(join(projectFolder, "supabase", "migrations"));
const lines = migrations.map(({ file, sql }) => {
  const hash = createHash("sha256").update(sql).digest("hex");
  return `${hash}  migrations/${file}`;
});

const landed = (await readFile(LIST, "utf8").catch(() => "")).split("\n").filter(Boolean);
const added = lines.slice(landed.length);
if (landed.some((line, at) => line !== lines[at])) {
  console.error(
    "A migration that has landed was changed, renamed or removed, or a new one is older than the last " +
      "that landed. Restore it, and put the change into a new migration with a later timestamp.",
  );
  process.exit(1);
}
await writeFile(LIST, `${lines.join("\n")}\n`);
console.log(`Added ${added.length} of ${lines.length} migrations.`);
