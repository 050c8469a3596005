import { readFileSync } from "node:fs";

import { format, resolveConfig } from "prettier";
import { expect, it } from "vitest";

import { openPglite } from "../../local/engine-pglite";
import { projectFolder } from "../../local/project-folder";
import { migratedSnapshot } from "../../local/snapshot";
import { describePermissions, withPermissions } from "../../scripts/schema/permissions";

it("docs/security.md has the permissions that the schema gives", async () => {
  const file = new URL("../../docs/security.md", import.meta.url).pathname;
  const document = readFileSync(file, "utf8");
  const engine = await openPglite({ snapshot: await migratedSnapshot(projectFolder) });
  const wanted = withPermissions(document, await describePermissions(engine));
  await engine.close();
  expect(
    document,
    "docs/security.md is not what supabase/schemas says. Run `npm run security:table`.",
  ).toBe(await format(wanted, { ...(await resolveConfig(file)), parser: "markdown" }));
});
