/** What the documents say is there: each path that they name, and each file that they link to. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const documents = [
  "README.md",
  ...["docs", "docs/decisions"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];
const read = (document: string) => readFileSync(join(root, document), "utf8");

/** The reader of docs/testing.md creates it. */
const TO_BE_CREATED = ["tests/stripe-stand-in/recordings", "tests/routes/my-first.test.ts"];

/** The paths in a text, without those that have a placeholder, such as `app/routes/<path>.tsx`. */
function findPaths(text: string): string[] {
  const paths = text.match(
    /(?<![\w./:@~-])(?:app|bench|docs|local|public|scripts|supabase|tests)\/[\w.$*<>[\]/-]*/g,
  );
  return (paths ?? [])
    .map((path) => path.replace(/[.\]]+$/, ""))
    .filter((path) => !/[<>]/.test(path));
}

/** Whether a path exists; a `*` in it stands for any characters of one name. */
function exists(path: string): boolean {
  let found = [root];
  for (const part of path.split("/").filter(Boolean)) {
    const name = new RegExp(`^${part.replace(/[.$[\]]/g, "\\$&").replaceAll("*", ".*")}$`);
    found = found
      .filter((folder) => statSync(folder).isDirectory())
      .flatMap((folder) => readdirSync(folder).map((entry) => ({ folder, entry })))
      .filter(({ entry }) => name.test(entry))
      .map(({ folder, entry }) => join(folder, entry));
  }
  return found.length > 0;
}

describe.each(documents)("%s", (document) => {
  it("names only paths that exist", () => {
    const missing = findPaths(read(document)).filter(
      (path) => !TO_BE_CREATED.includes(path) && !exists(path),
    );
    expect(missing).toEqual([]);
  });

  it("links only to files that exist", () => {
    const links = [...read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)];
    const missing = links
      .map(([, target]) => join(root, dirname(document), target!))
      .filter((target) => !existsSync(target));
    expect(missing).toEqual([]);
  });

  it("has no row of a table with more cells than its header, because those are not shown", () => {
    let cells = 0;
    const long = read(document)
      .split("\n")
      .filter((line) => {
        const count = line.startsWith("|")
          ? [...line.replace(/`[^`]*`/g, "").matchAll(/(?<!\\)\|/g)].length
          : 0;
        cells = count === 0 || cells === 0 ? count : cells;
        return count > cells;
      });
    expect(long).toEqual([]);
  });
});

it("a path that does not exist is noticed", () => {
  const paths = findPaths("In `app/http/none.ts`, tests/routes/no-*.test.ts, and docs/testing.md.");
  expect(paths).toEqual(["app/http/none.ts", "tests/routes/no-*.test.ts", "docs/testing.md"]);
  expect(paths.filter(exists)).toEqual(["docs/testing.md"]);
});

describe.each(["docs/operations.md", "docs/payments.md"])("%s", (document) => {
  it("quotes only messages that the code writes to the log", () => {
    const code = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => read(`app/${file}`))
      .join();
    // As in jq ('select(.msg == "not ready")'), or as words between backticks: `not ready`.
    const quoted = [
      ...read(document).matchAll(/\.msg == "([^"]+)"|`((?!npm |supabase )[a-z]+(?: [a-z]+)+)`/g),
    ].map(([, selected, words]) => selected ?? words!);
    expect(quoted.length).toBeGreaterThan(0);
    expect(quoted.filter((message) => !code.includes(`"${message}"`))).toEqual([]);
  });
});

describe("the requirements in docs/security.md", () => {
  // | 1.2.3 | level | what it asks | what shows it, or why not |
  const rows = [
    ...read("docs/security.md").matchAll(
      /^\| (\d+)\.(\d+)\.(\d+)(?:–[\d.]+)? \| [^|]+ \| [^|]+ \| (.*) \|$/gm,
    ),
  ].map(([, chapter, section, number, shown]) => ({
    order: Number(chapter) * 10_000 + Number(section) * 100 + Number(number),
    name: `${chapter}.${section}.${number}`,
    shown: shown!,
  }));

  it("come once each, in order, from every chapter", () => {
    const orders = rows.map(({ order }) => order);
    expect(orders).toEqual([...new Set(orders)].sort((a, b) => a - b));
    expect(new Set(rows.map(({ order }) => Math.floor(order / 10_000))).size).toBe(17);
  });

  it("each name what shows them, or say why they are not met or tested", () => {
    const unexplained = rows.filter(
      ({ shown }) => findPaths(shown).length === 0 && !/^\*\*.+\*\* ./.test(shown),
    );
    expect(unexplained.map(({ name }) => name)).toEqual([]);
  });
});

it.each(documents)("%s has no marks of an unresolved merge", (document) => {
  expect(read(document)).not.toMatch(/^(<{7}|>{7}|={7}$|(> ){7})/m);
});
