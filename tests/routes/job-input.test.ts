/** Unusual values in the fields of a job's form: saved as typed, or rejected beside the field. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { JOB_FIELD_NAMES, JOB_LIMITS, type JobField } from "~/modules/jobs/fields";
import { toLines, toOneLine } from "~/text/one-line";

import { jobForm } from "../support/forms";
import { everyThird, timesTried } from "../support/nightly";
import { createWorld } from "../support/world";

const world = await createWorld();
const owner = await world.owner();

type Text = keyof typeof JOB_LIMITS;
const TEXTS = Object.keys(JOB_LIMITS) as Text[];
const FREE = TEXTS.filter((name) => name !== "url");
const SEVERAL_LINES = ["description", "company_bio", "ally_safety"];

/** A complete form, to be paid later. */
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
/** The names of the rejected fields. */
const rejectedFields = (errors: Record<string, string[]>) => [
  ...new Set(Object.keys(errors).map((path) => path.replace(/\[.*/, ""))),
];

it.each([
  ["markup", `<img src=x onerror=alert(1)><b>bold</b>`],
  ["a closing script tag", `</script><script>alert(1)</script>`],
  ["line separators", "one\u2028two\u2029three"],
  ["right-to-left marks", "abc\u202Egpj.exe\u202C \u200Fمقهى قوس قزح"],
  ["emoji", "🏳️‍🌈🏳️‍⚧️👩🏽‍❤️‍💋‍👩🏿"],
  ["apostrophes and accents", "O’Hara's Cafe\u0301 “Élan”"],
  ["SQL", `'; drop table jobs; --`],
  ["a script as a link", "javascript:alert(1)"],
])(
  "saves %s as typed in every text, or as one line, shows it escaped, and rejects it as a link",
  async (_, text) => {
    expect(
      await owner.post("/jobs/new", full(Object.fromEntries(FREE.map((name) => [name, text])))),
    ).toRedirectTo("/jobs");
    const saved = await newest();
    expect(saved).toMatchObject(
      Object.fromEntries(
        FREE.map((name) => [name, SEVERAL_LINES.includes(name) ? toLines(text) : toOneLine(text)]),
      ),
    );
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
  },
);

it("lists the errors in the order of the form, also those of boxes that were not ticked", async () => {
  const { errors } = await owner.post(
    "/jobs/new",
    full({ title: "", location: [], place_id: "0000", company_name: "", company_bio: "" }),
  );
  expect(Object.keys(errors)).toEqual(["title", "location", "company_name", "company_bio"]);
});

describe("every field", () => {
  it.each(everyThird(JOB_FIELD_NAMES, 0).filter((name) => name !== "location"))(
    "rejects %s when it is sent twice, and with a megabyte of text",
    async (name) => {
      const value = full()[name];
      expect(
        rejectedFields((await owner.post("/jobs/new", full({ [name]: [value, value] }))).errors),
      ).toEqual([name]);
      expect(await owner.post("/jobs/new", full({ [name]: "x".repeat(1_000_000) }))).toHaveStatus(
        413,
      );
    },
  );

  const odd = [
    "__proto__",
    "a\u0000b",
    "a\uD800b",
    "[object Object]",
    "on",
    "1e400",
    "2".repeat(22),
    "-1",
    "NaN",
  ];
  it.each(everyThird(odd, 1))("accepts or rejects %j and never fails", async (value) => {
    for (const name of JOB_FIELD_NAMES) {
      const response = await owner.post("/jobs/new", full({ [name]: value }));
      expect(response.status, `${name}: ${response.body.slice(0, 200)}`).toBeOneOf([303, 400]);
      if (response.status === 400) expect(rejectedFields(response.errors), name).toEqual([name]);
    }
  });

  it.each(everyThird(TEXTS, 2))(
    "%s accepts its maximum length and not one character more",
    async (name) => {
      const filled = (length: number) =>
        name === "url" ? "https://example.test/".padEnd(length, "x") : "é".repeat(length);
      const max = JOB_LIMITS[name];
      expect(await owner.post("/jobs/new", full({ [name]: filled(max) }))).toRedirectTo("/jobs");
      expect((await owner.post("/jobs/new", full({ [name]: filled(max + 1) }))).errors).toEqual({
        [name]: [`Use at most ${max.toLocaleString("en-US")} characters.`],
      });
      // What is typed into a line has room enough; without script, only several lines have their limit beside them.
      if (!SEVERAL_LINES.includes(name)) return;
      expect((await owner.page("/jobs/new")).text).toContain(
        `At most ${max.toLocaleString("en-US")} characters.`,
      );
    },
  );

  it("rejects more locations than the maximum", async () => {
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

it("shows every text as it was typed, and saving it again changes nothing", async () => {
  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 60 })
    .filter((typed) => /\S/.test(toLines(typed)));
  // Browsers normalize line breaks, and Postgres stores no NUL.
  const asStored = (typed: string) =>
    typed.replaceAll(/\r\n?/g, "\n").replaceAll("\u0000", "").trim();
  await fc.assert(
    fc.asyncProperty(text, text, async (title, description) => {
      // At night there are more than one account can add in a day.
      await world.sql("delete from public.rate_limits");
      const form = full({
        title: title.replaceAll(/[\r\n]/g, " "),
        description: description.replaceAll(/\r\n?|\n/g, "\r\n"),
      });
      expect(await owner.post("/jobs/new", form)).toRedirectTo("/jobs");
      const saved = await newest();
      expect(saved).toMatchObject({
        title: toOneLine(asStored(form["title"] as string)).trim(),
        description: toLines(asStored(form["description"] as string)).trim(),
      });
      const { saved: values } = (await owner.get(`/jobs/${String(saved["id"])}`)).data as {
        saved: Record<JobField, string | string[]>;
      };
      expect(
        await owner.post(`/jobs/${String(saved["id"])}`, {
          ...values,
          version: "1",
          intent: "later",
        }),
      ).toRedirectTo("/jobs");
      expect(await world.row("jobs", saved["id"])).toEqual(saved);
    }),
    { numRuns: timesTried(8, 50) },
  );
});
