/** What visitors and users are granted is exactly what docs/security.md tells everyone. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { format, resolveConfig } from "prettier";
import { expect, it } from "vitest";

import { describePermissions, withPermissions } from "../../scripts/schema/permissions";

import { startMigratedPostgres } from "./support/real-postgres";

const { sql } = await startMigratedPostgres();

it("docs/security.md has the permissions that the schema gives", async () => {
  const file = fileURLToPath(new URL("../../docs/security.md", import.meta.url));
  const document = readFileSync(file, "utf8");
  const permissions = await describePermissions((query, params = []) =>
    sql.unsafe(query, [...params] as never[]),
  );
  expect(
    document,
    "docs/security.md is not what supabase/schemas says. Run `npm run security:table`.",
  ).toBe(
    await format(withPermissions(document, permissions), {
      ...(await resolveConfig(file)),
      parser: "markdown",
    }),
  );
});
