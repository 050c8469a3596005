/** The search for users: what it finds, what it returns, and what it takes literally. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
const admin = await database.person({ admin: true, data: { full_name: "Ada Admin" } });

const person = (full_name: string, email: string) =>
  database.person({ email, data: { full_name, phone: "+1 505-555-0147" } });
const jose = await person("José Núñez-O’Rourke", "jose.nunez+map@mail.example");
const sam = await person("Sam Rivera", "s_rivera@rivera.example");
const other = await person("Sam Okafor", "okafor@mail.example");

const search = async (words: string) =>
  (await admin.call("search_users", { words })).rows.map(({ id }) => id);

it.each([
  ["a name", "Sam Rivera", [sam]],
  ["a name in another order and case", "RIVERA  sam", [sam]],
  ["the beginning of names", "sam riv", [sam]],
  ["a name without its accents", "jose nunez", [jose]],
  ["an accent written in two characters", "Jose\u0301", [jose]],
  ["a straight apostrophe", "o'rourke", [jose]],
  ["a whole address", "jose.nunez+map@mail.example", [jose]],
  ["an address in capitals", "OKAFOR@MAIL.EXAMPLE", [other]],
  ["the beginning of an address", "okafor@ma", [other]],
  ["a piece of an address", "rivera.example", [sam]],
  ["an id", sam.id.toUpperCase(), [sam]],
  ["several users, the newest first", "sam", [other, sam]],
  ["an excluded word", "sam -rivera", [other]],
  ["either word", "rivera or okafor", [other, sam]],
  ["words that are next to each other", '"sam okafor"', [other]],
])("finds %s", async (_, words, people) => {
  expect(await search(words)).toEqual(people.map(({ id }) => id));
});

it("a page that begins at an invalid position is refused, whatever asks for it", async () => {
  for (const position of ["1_2_3", "x"])
    expect(await admin.call("admin_users", { after: position })).toMatchObject({
      status: 400,
      code: "22P02",
      message: "page_unknown",
    });
});

it.each([
  "",
  " ",
  "%",
  "*",
  "_",
  "\\",
  "'",
  '"',
  "')",
  "or(full_name.eq.Sam)",
  "(",
  "&",
  "|",
  "!",
  "<->",
  ":*",
  "sam:*:B",
  "a".repeat(10_000),
  "\u202e",
  "💜",
  "--",
  "; drop table x",
])("takes %j literally, and finds no one", async (words) => {
  const answer = await admin.call("search_users", { words });
  expect(answer).toMatchObject({ status: 200, rows: [] });
});

it("tells people with the same name apart", async () => {
  for (let n = 0; n < 20; n++)
    await database.person({
      email: `s_rivera@rivera.example.r${n}.example`,
      confirmed: false,
      data: { full_name: "Sam Rivera" },
    });
  const find = async (words: string) =>
    (await admin.call("search_users", { words })).rows
      .slice(0, 2)
      .map((row) => [row["email"], row["confirmed"], row["has_address"]]);
  expect(await find("sam rivera")).toEqual([
    ["s•••@r•••.example", true, false],
    ["s•••@r•••.example", false, false],
  ]);
  expect(await find(" S_Rivera@rivera.example ")).toEqual([
    ["s•••@r•••.example", true, true],
    ["s•••@r•••.example", false, false],
  ]);
  await sql("delete from auth.users where email_confirmed_at is null");
});

it("finds no one by an address that they wrote as their name", async () => {
  const posing = await person("okafor@mail.example", "someone@else.example");
  expect(await search("okafor@mail.example")).toEqual([other.id]);
  await sql("delete from auth.users where id = $1", [posing.id]);
});

it("returns masked email addresses", async () => {
  const answer = await admin.call("search_users", { words: "sam rivera" });
  expect(answer.rows).toMatchObject([
    { id: sam.id, full_name: "Sam Rivera", email: "s•••@r•••.example" },
  ]);
  expect(JSON.stringify(answer.value)).not.toMatch(/s_rivera|505-?555-?0147/);
});

it("returns twenty at most", async () => {
  await Promise.all(
    Array.from({ length: 25 }, (_, index) =>
      person(`Crowd ${index}`, `crowd-${index}@mail.example`),
    ),
  );
  for (const page_rows of [1_000_000, 2_147_483_647]) {
    expect((await admin.call("search_users", { words: "crowd", page_rows })).rows).toHaveLength(20);
  }
  expect((await admin.call("search_users", { words: "crowd", page_rows: -1 })).rows).toHaveLength(
    1,
  );
});

it("is for admins only", async () => {
  for (const by of [database.anonymous, sam, database.service]) {
    expect(await by.call("search_users", { words: "sam" })).toMatchObject({ code: "42501" });
  }
});
