/** The parts of pages whose code is loaded for them alone. */
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { listPartFiles } from "../../scripts/part-files";

const app = fileURLToPath(new URL("../../app", import.meta.url));
const parts = readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) => [
    ...readFileSync(join(app, file), "utf8").matchAll(
      /lazyPart\(\s*"([^"]+)",\s*\(\) => import\("([^"]+)"\)/g,
    ),
  ])
  .map(([, name = "", module = ""]) => ({ name, module }));

describe("a part", () => {
  it.each(parts)("$name has the name of its file, by which its page asks for it", (part) => {
    expect(basename(part.module)).toBe(part.name);
  });

  it("is found wherever there is one", () => {
    expect(parts.length).toBeGreaterThan(7);
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
  });
});

it("a page requests a part’s file and all that it imports, but not what every page has", () => {
  const files = listPartFiles({
    "app/entry.client.tsx": { file: "assets/entry.js", imports: ["_parts.js"] },
    "_parts.js": { file: "assets/parts.js" },
    "_dates.js": { file: "assets/dates.js", imports: ["_parts.js"] },
    "app/routes/listings.new.tsx": { file: "assets/new.js", imports: ["_parts.js"] },
    "app/modules/drafts/listing-offer.tsx": {
      file: "assets/offer.js",
      isDynamicEntry: true,
      imports: ["_parts.js", "_dates.js"],
    },
  });
  expect(files).toEqual({ "listing-offer": ["assets/offer.js", "assets/dates.js"] });
});
