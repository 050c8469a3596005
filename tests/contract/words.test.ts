/**
 * The words that people read: no string literal or JSX text of the app or its commands has one of those that our voice
 * does without. Comments and names are not checked. A phrase that the specification fixes goes into
 * EXACT_PHRASES.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What to avoid, and what to write instead. */
const AVOIDED: readonly [pattern: RegExp, instead: string][] = [
  [/\be-mail/i, "email"],
  [/\b(some|any|every|no)body\b/i, "someone, anyone, everyone, no one, people, or a customer"],
  [/\bwho(m|so)?ever\b/i, "the person who, or anyone who"],
  [/\bmend(s|ed|ing)?\b/i, "fix, edit, or update"],
  [/\blook(s|ed|ing)? (at|over)\b/i, "review, check, or view"],
  [/\bpress(es|ed|ing)?\b/i, "select"],
  [/\btold\b/i, "let know, notify, or share with"],
  [/\bstands\b/i, "show, appear, or a plain is"],
  [/\btaken over\b/i, "approve"],
];

/** Phrases that may be said as they are. */
const EXACT_PHRASES: readonly string[] = [];

const files = ["app", "scripts"].flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith("database.types.ts"))
    .map((file) => `${folder}/${file}`),
);

/** The texts of a file, each with its line: string literals, the parts of templates, and JSX text. */
function readTexts(file: string, source: string): { line: number; text: string }[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const texts: { line: number; text: string }[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node)) {
      const { line } = parsed.getLineAndCharacterOfPosition(node.getEnd());
      texts.push({ line: line + 1, text: node.text.replace(/\s+/g, " ") });
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return texts;
}

/** "app/x.ts:3: “Nobody sees it” → …" for each text that has a word to avoid. */
function findAvoided(file: string, source: string): string[] {
  return readTexts(file, source).flatMap(({ line, text }) => {
    const own = EXACT_PHRASES.reduce((rest, phrase) => rest.replaceAll(phrase, ""), text);
    return AVOIDED.filter(([pattern]) => pattern.test(own)).map(
      ([, instead]) => `${file}:${line}: “${text.trim()}” → ${instead}`,
    );
  });
}

it("texts that people read avoid the words that our voice does without", () => {
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) => findAvoided(file, readFileSync(`${root}/${file}`, "utf8")));
  expect(found).toEqual([]);
});

it("a word to avoid is found in literals, templates, attributes, and elements, and nowhere else", () => {
  const source = `
    import { nobody } from "./whoever";
    // Nobody reads this.
    const mend = "Mend the payment";
    const text = \`\${mend} was told\`;
    export const Page = () => <p title="Press here">An e-mail for somebody {mend}</p>;`;
  expect(findAvoided("page.tsx", source).map((found) => found.split(" → ")[0])).toEqual([
    "page.tsx:4: “Mend the payment”",
    "page.tsx:5: “was told”",
    "page.tsx:6: “Press here”",
    "page.tsx:6: “An e-mail for somebody”",
    "page.tsx:6: “An e-mail for somebody”",
  ]);
});
