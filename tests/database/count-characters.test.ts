/** The database and the form count the characters of a promo text alike, as the person who reads it does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { countCharacters } from "~/text/count-characters";

import { startDatabase } from "./support/data-api";

const { sql, person, place } = await startDatabase();
const owner = await person();
const listing = await place({ owner: owner.id });

const countInSql = async (texts: readonly string[]) =>
  (
    await sql(
      "select private.count_characters(t.content) as count from unnest($1::text[]) with ordinality t(content, n) order by t.n",
      [texts],
    )
  ).map(({ count }) => Number(count));

/** One character for its reader, however many codes. */
const SINGLE = {
  letter: "x",
  emoji: "🌈",
  heart: "❤️",
  keycap: "1️⃣",
  family: "👨‍👩‍👧‍👦",
  "rainbow flag": "🏳️‍🌈",
  "trans flag": "🏳️‍⚧️",
  "flag of a country": "🇺🇸",
  "flag of a part of one": "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "skin tone": "👋🏽",
  "two people who kiss, with skin tones": "👨🏽‍❤️‍💋‍👨🏽",
  "person with a profession": "🧑🏿‍🚀",
  "composed accent": "é",
  "combining accent": "e\u0301",
  "several combining accents": "o\u0302\u0323\u0301",
  "letter that no accent is composed with": "x\u0302",
  "Korean syllable": "한",
  "Korean syllable in parts": "한".normalize("NFD"),
  "Hebrew letter with points": "שָׁ",
  "Arabic letter with a vowel": "بَّ",
  "Hindi syllable": "स्ते",
  "Thai letter with a mark": "ก็",
  "line break of a browser": "\r\n",
  "line break": "\n",
};
const singles = Object.entries(SINGLE);

describe("both count as one", () => {
  it.each(singles)("%s", async (_name, character) => {
    const texts = [1, 3, 300].map((times) => `${character}.`.repeat(times));
    const counts = [2, 6, 600];
    expect(texts.map(countCharacters)).toEqual(counts);
    expect(await countInSql(texts)).toEqual(counts);
  });

  it("and each of any mixture of them", async () => {
    const mixture = fc
      .array(fc.constantFrom(...Object.values(SINGLE)), { maxLength: 40 })
      .map((parts) => parts.join("."));
    const texts = fc.sample(mixture, { numRuns: 300, seed: 12 });
    expect(await countInSql(texts)).toEqual(texts.map(countCharacters));
  });
});

it("the database never counts more, so that it takes what the form takes", async () => {
  const pieces = Object.values(SINGLE).flatMap((character) => [...character]);
  const scrambled = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => parts.join(""));
  const texts = fc.sample(scrambled, { numRuns: 500, seed: 12 });
  for (const [index, count] of (await countInSql(texts)).entries())
    expect(count, JSON.stringify(texts[index])).toBeLessThanOrEqual(countCharacters(texts[index]!));
});

describe("a promo text", () => {
  const add = (promo_text: string) =>
    owner.insert("sponsorships", { place_id: listing, promo_text });

  it.each(singles.filter(([, character]) => character.trim() !== ""))(
    "may have 300 of them, and not 301: %s",
    async (_name, character) => {
      expect(await add(character.repeat(300))).toMatchObject({ status: 201 });
      expect(await add(`${character.repeat(300)}x`)).toMatchObject({ code: "23514" });
    },
  );

  it("can't hide more in a single character", async () => {
    expect(await add(`e${"\u0301".repeat(3_000)}`)).toMatchObject({ code: "23514" });
  });
});
