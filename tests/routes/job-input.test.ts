/** What people and machines put into the fields of a job's form: kept as typed, or refused beside its field. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { JOB_FIELD_NAMES, JOB_LIMITS, type JobField } from "~/modules/jobs/fields";

import { jobForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();
const owner = await world.owner();

type Text = keyof typeof JOB_LIMITS;
const TEXTS = Object.keys(JOB_LIMITS) as Text[];
const FREE = TEXTS.filter((name) => name !== "url");

/** A form with everything in it, saved for paying later. */
const full = (fields: Record<string, unknown> = {}) =>
  jobForm({
    intent: "later",
    pay_range: "$20",
    url: "https://example.test/a?b=c#d",
    city: "Bend",
    ally_owned: "on",
    ally_safety: "Safe.",
    queer_owned: "on",
    remote: "on",
    full_time: "on",
    part_time: "on",
    contract: "on",
    ...fields,
  });
const newest = async () =>
  (
    await world.sql("select * from public.jobs where owner = $1 order by id desc limit 1", [
      owner.id,
    ])
  )[0]!;
/** The fields that were refused; a list's by its name. */
const refused = (errors: Record<string, string[]>) => [
  ...new Set(Object.keys(errors).map((path) => path.replace(/\[.*/, ""))),
];

it.each([
  ["markup", `<img src=x onerror=alert(1)><b>bold</b>`],
  ["the end of a script", `</script><script>alert(1)</script>`],
  ["line separators", "one\u2028two\u2029three"],
  ["right-to-left marks", "abc\u202Egpj.exe\u202C \u200Fمقهى قوس قزح"],
  ["emoji", "🏳️‍🌈🏳️‍⚧️👩🏽‍❤️‍💋‍👩🏿"],
  ["apostrophes and accents", "O’Hara's Cafe\u0301 “Élan”"],
  ["SQL", `'; drop table jobs; --`],
  ["a script as a link", "javascript:alert(1)"],
])("%s is kept as typed in every text, shown escaped, and is no link", async (_, text) => {
  expect(
    await owner.post("/jobs/new", full(Object.fromEntries(FREE.map((name) => [name, text])))),
  ).toRedirectTo("/jobs");
  const saved = await newest();
  expect(saved).toMatchObject(Object.fromEntries(FREE.map((name) => [name, text])));
  for (const path of [
    "/jobs",
    `/jobs/${String(saved["id"])}`,
    `/jobs/${String(saved["id"])}/status`,
    `/jobs/${String(saved["id"])}/preview`,
  ]) {
    const page = await owner.page(path);
    expect(page).toHaveStatus(200);
    expect(page.body).not.toMatch(/<img src=x|<script>alert|href="(javascript|data):/);
    expect(page.body.match(/<script\b[^>]*>[^<]*[\u2028\u2029]/)).toBeNull();
  }
  expect(await owner.post("/jobs/new", full({ url: text }))).toBeRefusedWith(
    "Please be sure to include https:// in your link.",
    { field: "url" },
  );
});

describe("every field", () => {
  it.each(JOB_FIELD_NAMES.filter((name) => name !== "location"))(
    "%s sent twice is refused there, and with a megabyte in it is too much",
    async (name) => {
      const value = full()[name];
      expect(
        refused((await owner.post("/jobs/new", full({ [name]: [value, value] }))).errors),
      ).toEqual([name]);
      expect(await owner.post("/jobs/new", full({ [name]: "x".repeat(1_000_000) }))).toHaveStatus(
        413,
      );
    },
  );

  it.each([
    "__proto__",
    "a\u0000b",
    "a\uD800b",
    "[object Object]",
    "on",
    "1e400",
    "2".repeat(22),
    "-1",
    "NaN",
  ])("takes or refuses %j, and never fails", async (value) => {
    for (const name of JOB_FIELD_NAMES) {
      const response = await owner.post("/jobs/new", full({ [name]: value }));
      expect(response.status, `${name}: ${response.body.slice(0, 200)}`).toBeOneOf([303, 400]);
      if (response.status === 400) expect(refused(response.errors), name).toEqual([name]);
    }
  });

  it.each(TEXTS)("%s takes as much as it says, and not one character more", async (name) => {
    const filled = (length: number) =>
      name === "url" ? "https://example.test/".padEnd(length, "x") : "é".repeat(length);
    const most = JOB_LIMITS[name];
    expect(await owner.post("/jobs/new", full({ [name]: filled(most) }))).toRedirectTo("/jobs");
    expect((await owner.post("/jobs/new", full({ [name]: filled(most + 1) }))).errors).toEqual({
      [name]: [`Use at most ${most.toLocaleString("en")} characters.`],
    });
    expect((await owner.page("/jobs/new")).text).toContain(
      `At most ${most.toLocaleString("en")} characters.`,
    );
  });

  it("of which there are more locations than are taken, is refused in words", async () => {
    const { locations } = (await owner.get("/jobs/new")).data as {
      locations: { places: string }[];
    };
    const all = locations.flatMap(({ places }) => places.split("|"));
    expect(all.length).toBeGreaterThan(100);
    expect(
      (await owner.post("/jobs/new", full({ location: all.slice(0, 101) }))).errors[
        "location"
      ]?.[0],
    ).toMatch(/at most 100 locations, or “Anywhere”/);
    expect(await owner.post("/jobs/new", full({ location: all.slice(0, 100) }))).toRedirectTo(
      "/jobs",
    );
  });
});

it("gives every text back as it was typed, and saving that again changes nothing", async () => {
  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 60 })
    .filter((typed) => /\S/.test(typed.replaceAll("\u0000", "")));
  // As every browser sends it, and as no text in Postgres can hold NUL.
  const asKept = (typed: string) =>
    typed.replaceAll(/\r\n?/g, "\n").replaceAll("\u0000", "").trim();
  await fc.assert(
    fc.asyncProperty(text, text, async (title, description) => {
      const form = full({
        title: title.replaceAll(/[\r\n]/g, " "),
        description: description.replaceAll(/\r\n?|\n/g, "\r\n"),
      });
      expect(await owner.post("/jobs/new", form)).toRedirectTo("/jobs");
      const saved = await newest();
      expect(saved).toMatchObject({
        title: asKept(form["title"] as string),
        description: asKept(form["description"] as string),
      });
      const { saved: kept } = (await owner.get(`/jobs/${String(saved["id"])}`)).data as {
        saved: Record<JobField, string | string[]>;
      };
      expect(
        await owner.post(`/jobs/${String(saved["id"])}`, {
          ...kept,
          version: "1",
          intent: "later",
        }),
      ).toRedirectTo("/jobs");
      expect(await world.row("jobs", saved["id"])).toEqual(saved);
    }),
    { numRuns: 20 },
  );
});
