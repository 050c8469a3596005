/** What people and machines enter in a listing's form: it is saved as typed or refused at its field. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  BONUS_QUESTIONS,
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
  SOCIAL_NETWORKS,
  type ListingField,
} from "~/modules/listings/fields";
import { toLines, toOneLine } from "~/text/one-line";

import { listingForm, pickedAddress } from "../support/forms";
import { everyThird, timesTried } from "../support/nightly";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const owner = await world.owner();

const LINKS = ["url", "linkedin", ...SOCIAL_NETWORKS] as const;
const BOXES = [
  ...BONUS_QUESTIONS,
  "queer_programming",
  "mission_statement",
  "third_party_auth",
  "certified_queer",
] as const;
const LISTS = ["online_categories", "licensed_locations"] as const;
/** Texts that must have a certain format. */
const STRICT = ["public_email", "phone", ...LINKS] as const;
const maxLengthOf = (name: ListingField): number | undefined =>
  ({ maxLength: undefined, ...LISTING_FIELDS[name] }).maxLength;

/** The form of a therapist, with every field filled in. */
const full = (fields: Record<string, unknown> = {}) =>
  listingForm({
    category: "2",
    licensed_locations: "Ohio",
    public_email: "hello@example.test",
    phone: "(201) 555-0123",
    url: "https://example.test/a?b=c#d",
    linkedin: "https://www.linkedin.com/company/x",
    ...Object.fromEntries(SOCIAL_NETWORKS.map((name) => [name, "@yourname"])),
    ...fields,
  });
const newest = async (person: Member) =>
  (
    await world.sql("select * from public.places where owner = $1 order by id desc limit 1", [
      person.id,
    ])
  )[0];
/** The names of the fields that were refused. */
const refused = (errors: Record<string, string[]>) =>
  [...new Set(Object.keys(errors).map((path) => path.replace(/\[.*/, "")))].sort();

const hostile: [string, string][] = [
  ["markup", `<img src=x onerror=alert(1)><b>bold</b>`],
  ["the end of a script", `</script><script>alert(1)</script>`],
  ["line separators", "one\u2028two\u2029three"],
  ["right-to-left marks", "abc\u202Egpj.exe\u202C \u200Fمقهى قوس قزح"],
  ["emoji", "🏳️‍🌈🏳️‍⚧️👩🏽‍❤️‍💋‍👩🏿"],
  ["apostrophes and accents", "O’Hara's Cafe\u0301 “Élan”"],
  ["a script as a link", "javascript:alert(1)"],
  ["data as a link", "data:text/html,<script>alert(1)</script>"],
  ["a link with backslashes", "https:\\\\evil.test"],
  ["a link with a user in it", "https://example.test@evil.test/"],
  ["a link of another kind", "ftp://evil.test/x"],
  ["SQL", `'; drop table places; --`],
];

it("accepts a form with every field filled in", async () => {
  expect(await owner.post("/listings/new", full())).toRedirectTo("/");
  expect(await newest(owner)).toMatchObject({
    phone: "(201) 555-0123",
    tiktok: "https://www.tiktok.com/@yourname",
    licensed_locations: ["Ohio"],
  });
});

describe.each(hostile)("%s", (_, text) => {
  const line = toOneLine(text);

  it("is saved as typed in free text, or as one line, and refused in fields with a format", async () => {
    const texts = {
      name: text,
      description: text,
      ...pickedAddress("rawaddress", { formatted: text }),
      ...pickedAddress("mailingaddress", { formatted: text }),
    };
    expect(await owner.post("/listings/new", listingForm(texts))).toRedirectTo("/");
    expect(await newest(owner)).toMatchObject({
      name: line,
      description: toLines(text),
      rawaddress: line,
      address: line,
      mailingaddress: line,
    });

    const everywhere = full({
      ...texts,
      ...Object.fromEntries([...STRICT, ...LISTS].map((name) => [name, text])),
    });
    const response = await owner.post("/listings/new", everywhere);
    expect(response).toHaveStatus(400);
    expect(refused(response.errors)).toEqual([...STRICT, ...LISTS].sort());
    expect(response.kept).toMatchObject(Object.fromEntries(STRICT.map((name) => [name, text])));

    const page = await owner.submit("/listings/new", everywhere);
    for (const name of [...STRICT, "name", "rawaddress", "mailingaddress"])
      expect(page.value(name), name).toBe(text);
    expect(page.body).not.toMatch(/<img src=x|<script>alert|href="(javascript|data):/);
  });
});

describe("every field", () => {
  it.each(everyThird(LISTING_FIELD_NAMES, 0))("%s refuses a megabyte", async (name) => {
    expect(await owner.post("/listings/new", full({ [name]: "x".repeat(1_000_000) }))).toHaveStatus(
      413,
    );
  });

  it.each([
    ...BOXES,
    ...STRICT,
    "name",
    "category",
    "description",
    "rawaddress",
    "mailingaddress",
  ] as const)("%s is refused if it is sent twice", async (name) => {
    const form = full();
    const value = form[name] ?? "on";
    const response = await owner.post("/listings/new", { ...form, [name]: [value, value] });
    expect(refused(response.errors)).toEqual([name]);
  });

  const odd = ["__proto__", "a\u0000b", "a\uD800b", "[object Object]", "on", "1e400"];
  it.each(everyThird(odd, 0))("accepts or refuses %j, and never fails", async (value) => {
    for (const name of LISTING_FIELD_NAMES) {
      const response = await owner.post(
        "/listings/new",
        full({ [name]: value, ...(name.endsWith("address") ? { [`${name}_pick`]: value } : {}) }),
      );
      expect(response.status, `${name}: ${response.body.slice(0, 200)}`).toBeOneOf([303, 400]);
      if (response.status === 400) expect(refused(response.errors), name).toEqual([name]);
    }
  });

  it.each(
    LISTING_FIELD_NAMES.flatMap((name) => {
      const max = maxLengthOf(name);
      return max === undefined ? [] : [{ name, max }];
    }),
  )("$name accepts $max characters and not one more", async ({ name, max }) => {
    const filled = (length: number) => {
      if (name === "public_email")
        return `${"x".repeat(60)}@${"y.".repeat(130)}test`.slice(-length);
      if (name === "phone")
        return (
          "5"
            .repeat(14)
            .padEnd(length, " ")
            .slice(0, length - 1) + ")"
        );
      return (LINKS as readonly string[]).includes(name)
        ? "https://example.test/".padEnd(length, "x")
        : "x".repeat(length);
    };
    const fields = (length: number) =>
      name.endsWith("address")
        ? pickedAddress(name as "rawaddress", { formatted: filled(length) })
        : { [name]: filled(length) };
    if (name !== "public_email")
      expect(await owner.post("/listings/new", full(fields(max)))).toRedirectTo("/");
    const response = await owner.post("/listings/new", full(fields(max + 1)));
    expect(response.errors[name]?.[0]).toBe(
      `Use at most ${max.toLocaleString("en-US")} characters.`,
    );
  });
});

it("saves every text as typed, and saving it again changes nothing", async () => {
  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 60 })
    .filter((typed) => /\S/.test(toLines(typed)));
  // Browsers send CRLF, and no text in Postgres can hold NUL.
  const asSaved = (typed: string) =>
    typed.replaceAll(/\r\n?/g, "\n").replaceAll("\u0000", "").trim();
  await fc.assert(
    fc.asyncProperty(text, text, async (name, description) => {
      // At night there are more than one account can add in a day.
      await world.sql("delete from public.rate_limits");
      const form = full({
        name: name.replaceAll(/[\r\n]/g, " "),
        description: description.replaceAll(/\r\n?|\n/g, "\r\n"),
      });
      expect(await owner.post("/listings/new", form)).toRedirectTo("/");
      const saved = (await newest(owner))!;
      expect(saved).toMatchObject({
        name: toOneLine(asSaved(form["name"]!)).trim(),
        description: toLines(asSaved(form["description"]!)).trim(),
      });
      const [{ version }] = (await world.sql(
        "update public.places set status = 'published' where id = $1 returning version",
        [saved["id"]],
      )) as [{ version: number }];
      const again = {
        ...form,
        name: String(saved["name"]),
        description: String(saved["description"]),
        rawaddress_pick: "",
        mailingaddress_pick: "",
        version: String(version),
      };
      expect(await owner.post(`/listings/${String(saved["id"])}`, again)).toRedirectTo("/");
      expect(await world.row("places", saved["id"])).toMatchObject({
        status: "published",
        last_update: {},
        version,
      });
    }),
    { numRuns: timesTried(8, 50) },
  );
});
