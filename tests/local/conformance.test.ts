/** The suite that `npm run conformance` runs against any Supabase, against the local stand-in. */
import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startLocalSupabase } from "../../local/supabase";
import { readTarget } from "../../scripts/conformance/target";
import { runScript } from "../support/command";
import { isNightly } from "../support/nightly";

type Supabase = Awaited<ReturnType<typeof startLocalSupabase>>;

const KEYS = {
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_0000000000000000000000_00000000",
  SUPABASE_SECRET_KEY: "sb_secret_0000000000000000000000_00000000",
};
const COMPLETE = { SUPABASE_URL: "https://abcdefgh.supabase.co/", ...KEYS };

describe.runIf(isNightly)("against the local stand-in", () => {
  let supabase: Supabase;
  beforeAll(async () => {
    supabase = await startLocalSupabase({
      engine: { kind: "pglite" },
      siteUrl: "http://dashboard.test",
    });
    Object.assign(process.env, {
      APP_URL: "http://dashboard.test",
      SESSION_SECRET: randomBytes(32).toString("base64url"),
      SUPABASE_URL: supabase.url,
      SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
      SUPABASE_SECRET_KEY: supabase.secretKey,
    });
  });
  afterAll(() => supabase.stop());

  const countUsers = async () =>
    (await supabase.sql("select count(*)::int as count from auth.users"))[0]!["count"];

  it("finds the known differences and no others, and leaves no account", async () => {
    const { runSuite } = await import("../../scripts/conformance/run-suite");
    const { KNOWN_DIFFERENCES } = await import("../../scripts/conformance/known-differences");
    const report = await runSuite(readTarget(process.env), {
      passReuseInterval: async () => {
        await supabase.sql(
          "update auth.refresh_tokens set updated_at = updated_at - interval '1 minute'",
        );
      },
    });
    expect(report.differences.filter(({ reason }) => reason === null)).toEqual([]);
    // One that does not occur anymore is no longer true.
    expect(report.differences.map(({ check }) => check).sort()).toEqual(
      KNOWN_DIFFERENCES.flatMap(({ check, local }) => (local ? [check] : [])).sort(),
    );
    expect(report.left).toEqual([]);
    expect(report.checks).toBeGreaterThan(600);
    expect(await countUsers()).toBe(0);
    for (const table of ["places", "jobs", "sponsorships", "listing_drafts", "feedback"])
      expect(await supabase.sql(`select * from public.${table}`), table).toEqual([]);
  });

  it("notices what a Supabase allows that it must not", async () => {
    const { Run } = await import("../../scripts/conformance/run");
    const { relations } = await import("../../scripts/conformance/data");
    await supabase.sql("grant select on public.profiles to anon");
    await supabase.sql("alter table public.categories disable row level security");
    await supabase.sql("grant delete on public.categories to anon");
    const run = new Run(readTarget(process.env));
    await run.play("relations", relations);
    expect(run.results.filter(({ actual, expected }) => actual !== expected)).toMatchObject([
      { check: "relations: deleting from categories, as a visitor", actual: "204" },
      { check: "relations: profiles, as a visitor", expected: "401 42501", actual: "200" },
    ]);
    expect(await run.accounts.removeAll()).toEqual([]);
    expect(await countUsers()).toBe(0);
  });

  it("goes on after a part that breaks off, and removes its accounts as well", async () => {
    const { Run } = await import("../../scripts/conformance/run");
    const run = new Run(readTarget(process.env));
    await run.play("broken", async ({ accounts }) => {
      await accounts.create();
      throw new Error("It broke off.");
    });
    await run.play("next", async (next) => next.equal("one", "1", 1));
    expect(run.results).toEqual([
      { check: "broken: runs to its end", expected: "yes", actual: "It broke off." },
      { check: "next: one", expected: "1", actual: "1" },
    ]);
    expect(await countUsers()).toBe(1);
    expect(await run.accounts.removeAll()).toEqual([]);
    expect(await countUsers()).toBe(0);
  });

  it("ends at once when it is interrupted, and removes its accounts as well", async () => {
    const { runSuite } = await import("../../scripts/conformance/run-suite");
    const reason = new Error("It was interrupted.");
    const report = await runSuite(readTarget(process.env), { signal: AbortSignal.abort(reason) });
    expect(report).toMatchObject({ checks: 0, left: [] });
    const later = new AbortController();
    const running = runSuite(readTarget(process.env), { signal: later.signal });
    await expect.poll(countUsers).toBe(1);
    later.abort(reason);
    expect(await running).toMatchObject({
      differences: [{ check: "sign-up: runs to its end", actual: "It was interrupted." }],
      left: [],
    });
    expect(await countUsers()).toBe(0);
  });

  it("says which account it could not remove", async () => {
    const { Run } = await import("../../scripts/conformance/run");
    const run = new Run(readTarget(process.env));
    const { email } = await run.accounts.create();
    await supabase.sql(
      `create function public.keep() returns trigger language plpgsql as $$
       begin raise exception 'kept'; end $$`,
    );
    await supabase.sql(
      "create trigger keep before delete on auth.users for each row execute function public.keep()",
    );
    expect(await run.accounts.removeAll()).toEqual([
      expect.stringContaining(`The account of ${email} could not be removed`),
    ]);
  });
});

describe("the report", () => {
  it("has a table of the unknown differences, and the reasons of the known ones", async () => {
    const { writeReport } = await import("../../scripts/conformance/report");
    const known = { check: "a: b", expected: "1", actual: "2", reason: "It is so." };
    const unknown = { check: "c: d", expected: "200", actual: "500 XX000", reason: null };
    const { text, isWell } = writeReport({ checks: 9, differences: [known, unknown], left: [] });
    expect(isWell).toBe(false);
    expect(text).toMatch(/c: d +200 +500 XX000/);
    expect(text).toContain("It is so.");
    expect(text).toContain("9 checks: 7 as expected, 1 known differences, 1 unknown.");
    expect(writeReport({ checks: 9, differences: [known], left: [] }).isWell).toBe(true);
    expect(writeReport({ checks: 9, differences: [], left: ["An account is left."] })).toEqual({
      text: "An account is left.\n9 checks: 9 as expected, 0 known differences, 0 unknown.",
      isWell: false,
    });
  });
});

describe("what to run against", () => {
  it("is read from the environment", () => {
    expect(readTarget(COMPLETE)).toEqual({
      url: "https://abcdefgh.supabase.co",
      publishableKey: KEYS.SUPABASE_PUBLISHABLE_KEY,
      secretKey: KEYS.SUPABASE_SECRET_KEY,
      emailDomain: "conformance.example",
    });
    expect(
      readTarget({ ...COMPLETE, CONFORMANCE_EMAIL_DOMAIN: "directory.test" }).emailDomain,
    ).toBe("directory.test");
  });

  it.each([
    ["SUPABASE_URL", ""],
    ["SUPABASE_PUBLISHABLE_KEY", ""],
    ["SUPABASE_SECRET_KEY", " "],
    ["SUPABASE_URL", "abcdefgh"],
    ["SUPABASE_URL", "https://abcdefgh.supabase.co/rest/v1"],
    ["SUPABASE_PUBLISHABLE_KEY", KEYS.SUPABASE_SECRET_KEY],
    ["SUPABASE_SECRET_KEY", KEYS.SUPABASE_PUBLISHABLE_KEY],
    ["CONFORMANCE_EMAIL_DOMAIN", "you@example.org"],
  ])("is refused with a sentence about %s: “%s”", (name, value) => {
    expect(() => readTarget({ ...COMPLETE, [name]: value })).toThrow(name);
    expect(() => readTarget({ ...COMPLETE, [name]: value })).toThrow(/\.$/);
  });

  it("is asked for by the command, which ends with 1", async () => {
    const { said, code } = await runScript("conformance", [], KEYS);
    expect(code).toBe(1);
    expect(said).toMatch(/^SUPABASE_URL: not set\. .*\.\n$/);
  });
});
