/** Every code that the SQL raises has a sentence in the table of one module, and no table has others. */
import { expect, it } from "vitest";

import { explainDecisionCode } from "~/modules/moderation/decisions/outcome-texts";

import { FUNCTIONS } from "../../scripts/conformance/functions";
import { LIMITED, NOT_PROVOKED, REFUSED } from "../../scripts/conformance/refusals";

const migrations = Object.values(
  import.meta.glob<string>("../../supabase/schemas/*.sql", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
).join("\n");
const tables = import.meta.glob<Record<string, Record<string, string>>>(
  "../../app/modules/*/refusals.ts",
  { eager: true },
);

const raised = [
  ...migrations.matchAll(
    /private\.(?:refuse|enforce_limit|limit_new_rows|limit_account_changes)\('(\w+)'/g,
  ),
  // Too long for one line.
  ...migrations.matchAll(/private\.enforce_limit\(\s+'(\w+)'/g),
].map(([, code]) => code!);
const explained = Object.values(tables).flatMap((module) =>
  Object.values(module).flatMap((table) => Object.keys(table)),
);

it("explains each code that is raised, in one place", () => {
  expect(raised.length).toBeGreaterThan(50);
  expect(explained.toSorted()).toEqual([...new Set(raised)].toSorted());
});

it("provokes each code on any Supabase, or says what that needs", () => {
  const called = Object.values(FUNCTIONS).flatMap(({ users = "", server = "" }) => [users, server]);
  const provoked = new Set([
    ...[...REFUSED, ...LIMITED].map(([, code]) => code),
    ...called.flatMap((answer) => / P0001 (\w+)$/.exec(answer)?.[1] ?? []),
  ]);
  expect([...provoked, ...Object.keys(NOT_PROVOKED)].toSorted()).toEqual(explained.toSorted());
  expect(provoked.size).toBeGreaterThan(20);
});

it("raises codes, and no sentences", () => {
  const messages = [...migrations.matchAll(/raise exception '([^']*)'/g)].map(([, text]) => text!);
  expect(messages.filter((text) => !/^[a-z_]+$/.test(text))).toEqual([]);
});

it("explains each outcome of a decision", () => {
  const [, body = ""] = /function private\.validate_decision\(.*?\$\$(.*?)\$\$/s.exec(migrations)!;
  const codes = [...body.matchAll(/(?:then|array\[|\|\|) ?'([a-z_]+)(:?)'/g)]
    .map(([, code]) => code!)
    .filter((code) => !["missing", "stale", "refused", "done"].includes(code));
  const warnings = ["booked_newsletters", "hidden_jobs", "awaited_plan"].flatMap((name) => {
    const [, text = ""] = new RegExp(`function private\\.${name}\\(.*?\\$\\$(.*?)\\$\\$`, "s").exec(
      migrations,
    )!;
    return [...text.matchAll(/'([a-z]+_[a-z_]+):?'/g)].map(([, code]) => code!);
  });
  expect(codes.length).toBeGreaterThan(8);
  expect(warnings.length).toBeGreaterThan(3);
  const unknown = explainDecisionCode("of_a_newer_database");
  for (const code of [
    ...codes,
    ...warnings,
    "already_published",
    "already_flagged",
    "already_archived",
  ]) {
    if (code === "already_") continue;
    expect(explainDecisionCode(`${code}:Kai`)).toMatch(/^[A-Z].*\.$/);
    expect(explainDecisionCode(code), code).not.toBe(unknown);
  }
});
