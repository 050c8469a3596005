/**
 * While a release is replaced, instances of the one before run on the new schema. supabase/release.json has what its
 * code asks of the database; `npm run release:record` writes it.
 */
import { afterAll, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { findMissing, readMarks, readRelease, toMark } from "../../scripts/schema/check-release";
import { readReleaseContract } from "../../scripts/schema/release-contract";
import { openSchema } from "../../scripts/schema/two-ways";
import { isNightly } from "../support/nightly";

const release = await readRelease(projectFolder);
const engine = await openSchema("schemas");
afterAll(() => engine.close());

it("the code of the last release runs on this schema, or a migration says that it must be stopped first", async () => {
  const marks = await readMarks(projectFolder, release);
  const missing = (await findMissing(engine, release)).filter((item) => !marks.includes(item));
  expect(
    missing,
    `Keep these for one more release, or add a line for each to the new migration: ${toMark("function my_home")}`,
  ).toEqual([]);
});

it("a function, an argument, a column, or a permission that the last release needs is missed", async () => {
  expect(Object.keys(release.functions).length).toBeGreaterThan(50);
  await engine.script(`
    begin;
    drop function public.my_home();
    alter function public.search_users(text, integer) rename to find_users;
    revoke execute on function public.my_leads(bigint, text, bigint, bigint, integer) from authenticated, public;
    alter table public.saved_views rename filter to query;
    revoke update (notes) on public.leads from authenticated;
    revoke update on public.leads from service_role;
    revoke delete on public.saved_views from authenticated, service_role;
    drop function public.my_second_step();
    create function public.my_second_step(code text) returns text language sql as 'select code';
    grant execute on function public.my_second_step(text) to authenticated;
  `);
  expect(await findMissing(engine, release)).toEqual(
    expect.arrayContaining([
      "function my_home",
      "function my_leads",
      "function search_users",
      "argument my_second_step.code, which is now required",
      "select saved_views.filter",
      "update leads.notes",
      "delete saved_views",
    ]),
  );
  await engine.script("rollback");
});

it.runIf(isNightly)(
  "is read from the sources: the arguments of calls, and the columns that are selected, compared, and written",
  () => {
    const { functions, relations } = readReleaseContract(projectFolder, [
      "app/modules/leads/leads.server.ts",
      "app/modules/sponsorships/sponsorship.server.ts",
    ]);
    expect(functions["my_leads"]).toEqual(["after", "before", "listing", "page_rows", "wanted"]);
    expect(relations["leads"]).toEqual({ select: ["id", "version"], update: ["notes", "state"] });
    expect(relations["sponsorships"]?.select).toEqual(
      expect.arrayContaining(["promo_text", "sponsorship_dates"]),
    );
    // Of an embedded one.
    expect(relations["sponsorship_spots"]?.select).toEqual(
      expect.arrayContaining(["weekday_date", "held_until"]),
    );
  },
);
