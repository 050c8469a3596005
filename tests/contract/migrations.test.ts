/**
 * Migrations are append-only: a database that ran one never runs it again, so a change of the file
 * would reach new databases only. supabase/migrations.sha256 lists those that have landed.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

const supabase = new URL("../../supabase/", import.meta.url);
const files = readdirSync(new URL("migrations/", supabase)).sort();
const landed = readFileSync(new URL("migrations.sha256", supabase), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => /^(?<hash>[0-9a-f]{64}) {2}migrations\/(?<file>\S+)$/.exec(line)?.groups ?? {});

describe("the migrations", () => {
  it("have file names that the Supabase CLI takes, each with a timestamp of its own", () => {
    expect(files.filter((file) => !/^\d{14}_[a-z_]+\.sql$/.test(file))).toEqual([]);
    expect(new Set(files.map((file) => file.slice(0, 14))).size).toBe(files.length);
  });

  it("are unchanged once they have landed", () => {
    const changed = landed.filter(({ hash, file }) => {
      if (!files.includes(file!)) return true;
      const content = readFileSync(new URL(`migrations/${file}`, supabase));
      return createHash("sha256").update(content).digest("hex") !== hash;
    });
    expect(
      changed.map(({ file }) => file),
      "These migrations have landed (supabase/migrations.sha256) and were changed, renamed or removed. " +
        "Restore them, and put the change into a new migration.",
    ).toEqual([]);
  });

  it("are listed as landed, the newest last", () => {
    expect(
      files,
      "The list of landed migrations is not complete. Give a new migration a later timestamp than all " +
        "others, and add it with `npm run migrations:record`.",
    ).toEqual(landed.map(({ file }) => file));
  });
});
