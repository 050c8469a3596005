/** `npm run security:table` writes the table of permissions in docs/security.md from the schema. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { format, resolveConfig } from "prettier";

import { openPglite } from "../local/engine-pglite";
import { projectFolder } from "../local/project-folder";
import { migratedSnapshot } from "../local/snapshot";

import { describePermissions, withPermissions } from "./schema/permissions";

const file = join(projectFolder, "docs", "security.md");
const engine = await openPglite({ snapshot: await migratedSnapshot(projectFolder) });
const wanted = withPermissions(
  await readFile(file, "utf8"),
  await describePermissions((query, params) => engine.query(query, params)),
);
await engine.close();
await writeFile(file, await format(wanted, { ...(await resolveConfig(file)), parser: "markdown" }));
