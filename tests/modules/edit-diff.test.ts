import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";

import { EditDiff } from "~/modules/moderation/review/edit-diff";
import { diffEdit, type DiffPart } from "~/modules/moderation/review/edit-diff.server";

const choices = {
  categories: [
    { id: 1, name: "Café" },
    { id: 2, name: "Therapist" },
  ],
  onlineCategories: [
    { id: 21, name: "Art" },
    { id: 22, name: "Books" },
  ],
};

const diff = (column: string, before: unknown, after: unknown) =>
  diffEdit([{ column, before, after }], choices)[0]!.parts;

/** "[-before-]{+after+}" */
const mark = (parts: readonly DiffPart[]) =>
  parts
    .map(({ kind, text }) =>
      kind === "removed" ? `[-${text}-]` : kind === "added" ? `{+${text}+}` : text,
    )
    .join("");

describe("the difference of two values", () => {
  it("is marked word by word within a text", () => {
    expect(
      mark(
        diff(
          "description",
          "We bake bread for everybody, each day.",
          "We bake cakes for everybody, each day.",
        ),
      ),
    ).toBe("We bake [-bread-]{+cakes+} for everybody, each day.");
  });

  it("joins words that were replaced together into one change", () => {
    expect(
      mark(
        diff(
          "description",
          "Open from nine to five every day of the week.",
          "Open from ten until six every day of the week.",
        ),
      ),
    ).toBe("Open from [-nine to five-]{+ten until six+} every day of the week.");
  });

  it("leaves out unchanged text that is far from any change", () => {
    const story = "A long and lovely story of this place. ".repeat(60);
    const parts = diff(
      "description",
      `${story}We close at five.${story}`,
      `${story}We close at six.${story}`,
    );
    expect(parts.map(({ kind }) => kind)).toEqual([
      "skipped",
      "same",
      "removed",
      "added",
      "same",
      "skipped",
    ]);
    expect(parts.find(({ kind }) => kind === "added")).toEqual({ kind: "added", text: "six" });
    expect(mark(parts).length).toBeLessThan(200);
  });

  it("leaves out whole words", () => {
    const story = "A long and lovely story of this place. ".repeat(60);
    const [, before, , , after] = diff(
      "description",
      `${story}We close at five.${story}`,
      `${story}We close at six.${story}`,
    );
    expect(before!.text).toMatch(/^ (?:long|and|lovely|story|of|this|place\.) /);
    expect(after!.text).toMatch(/ (?:A|long|and|lovely|story|of|this|place\.) $/);
  });

  it("shows a short or rewritten text whole, before and after", () => {
    expect(mark(diff("phone", "+1 505-555-0142", "+1 505-555-0199"))).toBe(
      "[-+1 505-555-0142-]{++1 505-555-0199+}",
    );
    const [was, is] = [
      "A quiet bookshop with a garden behind the house.",
      "We repair bicycles, tandems and old scooters too!",
    ];
    expect(mark(diff("description", was, is))).toBe(`[-${was}-]{+${is}+}`);
  });

  it("has one part when a value was added or removed", () => {
    expect(mark(diff("url", null, "https://x.example"))).toBe("{+https://x.example+}");
    expect(mark(diff("url", "https://x.example", null))).toBe("[-https://x.example-]");
  });

  it("marks words that were added or removed without the space beside them", () => {
    const [short, long] = [
      "We bake bread on Tuesdays.",
      "We bake lovely bread on Tuesdays and Sundays, too.",
    ];
    expect(mark(diff("description", short, long))).toBe(
      "We bake {+lovely+} bread on Tuesdays {+and Sundays, too+}.",
    );
    expect(mark(diff("description", long, short))).toBe(
      "We bake [-lovely-] bread on Tuesdays [-and Sundays, too-].",
    );
  });

  it("names changes of whitespace", () => {
    expect(
      mark(
        diff(
          "description",
          "One line, and one more line. Two.",
          "One line, and one more line.\nTwo.",
        ),
      ),
    ).toBe("One line, and one more line.[-(space)-]{+(line break)+}Two.");
  });

  it("shows names of categories, Yes and No for boxes, and what a list gained and lost", () => {
    expect(mark(diff("category", 1, 2))).toBe("[-Café-]{+Therapist+}");
    expect(mark(diff("outdoor", false, true))).toBe("[-No-]{+Yes+}");
    expect(mark(diff("online_categories", [21], [21, 22]))).toBe("{+Books+}");
    expect(mark(diff("licensed_locations", ["Oregon", "Maine"], ["Maine", "Ontario"]))).toBe(
      "[-Oregon-]{+Ontario+}",
    );
    expect(mark(diff("licensed_locations", ["Oregon", "Maine"], ["Maine", "Oregon"]))).toBe(
      "[-Oregon, Maine-]{+Maine, Oregon+}",
    );
  });

  it("contains both versions of any text, apart from the space beside words that only one has", () => {
    const words = fc.array(
      fc.constantFrom("tea", "for", "two", "<b>", "Café", "🏳️‍🌈", "\u202e", "日本"),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(words, words, (before, after) => {
        const [was, is] = [before.join(" "), after.join(" ")];
        fc.pre(was.length + is.length < 100 && !/^\s*$/.test(was) && !/^\s*$/.test(is));
        const parts = diff("description", was, is);
        const version = (...kinds: string[]) =>
          parts
            .filter(({ kind }) => kinds.includes(kind))
            .map(({ text }) => text.replace("(space)", " "))
            .join("")
            .replace(/ +/g, " ")
            .trim();
        expect(version("same", "removed")).toBe(was);
        expect(version("same", "added")).toBe(is);
      }),
    );
  });

  it("does not compare long texts that have nothing in common word by word", () => {
    const long = (word: string) =>
      Array.from({ length: 20_000 }, (_, n) => `${word}${n}`).join(" ");
    const start = performance.now();
    expect(diff("description", long("a"), long("b"))).toHaveLength(2);
    // A few milliseconds; comparing them to the end takes minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

it("has a text for screen readers beside each change", () => {
  const fields = diffEdit(
    [
      {
        column: "description",
        before: "We bake bread <b> for everybody here.",
        after: "We bake cakes <b> for everybody here.",
      },
    ],
    choices,
  );
  const html = renderToStaticMarkup(createElement(EditDiff, { fields }));
  expect(html).toContain("About/Bio");
  expect(html.replace(/<(?!\/?(del|ins)\b)[^>]+>/g, "")).toContain(
    "<del>[removed: bread] </del><ins>[added: cakes] </ins> &lt;b&gt; for everybody here.",
  );
});
