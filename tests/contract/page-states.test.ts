import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../e2e", import.meta.url));
const journeys = readdirSync(folder)
  .filter((file) => file.endsWith(".spec.ts"))
  .map((file) => readFileSync(`${folder}/${file}`, "utf8"));

it("checks each page state for accessibility once", () => {
  const states = journeys.flatMap((source) => [
    ...[...source.matchAll(/checkPage(?:WithoutScript)?\(\s*\w+,\s*"([^"]+)"/g)].map(
      ([, state]) => state,
    ),
    // The lists of paths and states that a loop opens.
    ...[...source.matchAll(/^ {4}\["\/[^"]*", "([^"]+)"\],$/gm)].map(([, state]) => state),
  ]);
  expect(states.length).toBeGreaterThan(60);
  expect(states.filter((state, index) => states.indexOf(state) !== index)).toEqual([]);
});
