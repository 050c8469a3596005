/** What the design page shows all of, read from the files that define it. */
import type { IconName } from "~/components/ui/icon-names";
import icons from "~/components/ui/icons.svg?raw";
import theme from "~/styles/theme.css?raw";

const LIGHT = /^:root \{([^}]*)\}/gm;
const DARK = /^@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/gm;

/** The colors that the matching blocks set, by their names. */
function colorsIn(blocks: RegExp): Record<string, string> {
  const found = [...theme.matchAll(blocks)].flatMap(([, block]) => [
    ...block!.matchAll(/(--[a-z-]+): (#[\da-f]+);/g),
  ]);
  return Object.fromEntries(found.map(([, name, value]) => [name!, value!]));
}

const light = colorsIn(LIGHT);

/** Both color schemes with all of their tokens, which follow the reader's system elsewhere. */
export const SCHEMES = [
  { scheme: "light", tokens: light },
  { scheme: "dark", tokens: { ...light, ...colorsIn(DARK) } },
];

export const ICONS = [...icons.matchAll(/<symbol id="([a-z\d-]+)"/g)]
  .map(([, name]) => name as IconName | "mark")
  .filter((name) => name !== "mark");
