/**
 * docs/design.md against the style sheets: its tokens with their values, its classes, and the contrast it promises. And
 * the page `/design`, which shows every part.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { flatRoutes } from "@remix-run/dev/dist/config/flat-routes.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { NOT_LISTED } from "~/modules/jobs/rules";

const folder = fileURLToPath(new URL("../../app/styles", import.meta.url));
const sheets = readdirSync(folder)
  .filter((name) => name.endsWith(".css"))
  .map((name) => readFileSync(`${folder}/${name}`, "utf8"));
const css = sheets.join("\n");
const document = readFileSync(new URL("../../docs/design.md", import.meta.url), "utf8");

/** The tokens of a scheme: the custom properties of the root, which every part can use. */
function readTokens(scheme: "light" | "dark"): Map<string, string> {
  const blocks =
    scheme === "light"
      ? css.matchAll(/^:root \{([^}]*)\}/gm)
      : css.matchAll(/^@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/gm);
  const tokens = [...blocks].flatMap(([, block]) => [
    ...block!.matchAll(/(--[a-z-]+): ?([^;]+);/g),
  ]);
  return new Map(tokens.map(([, name, value]) => [name!, value!.replaceAll(/\s+/g, " ").trim()]));
}

const light = readTokens("light");
const dark = new Map([...light, ...readTokens("dark")]);

it("names each token of the styles, and no other", () => {
  const named = new Set([...document.matchAll(/`(--[a-z-]+)`/g)].map(([, name]) => name));
  expect(light.size).toBeGreaterThan(25);
  expect([...named].sort()).toEqual([...light.keys()].sort());
});

it("has the values of the colors in both schemes", () => {
  const rows = [
    ...document.matchAll(/^\| `(--[a-z-]+)`\s*\| (#[\da-f]+)\s*\| (#[\da-f]+)\s*\|/gm),
  ].map((row) => row.slice(1));
  const colors = [...light].filter(([, value]) => value.startsWith("#")).map(([name]) => name);
  expect(rows.map(([name]) => name).sort()).toEqual(colors.sort());
  for (const [name, inLight, inDark] of rows)
    expect([inLight, inDark], name).toEqual([light.get(name!), dark.get(name!)]);
});

it("names only classes that the styles have", () => {
  const named = [...document.matchAll(/`\.([a-z-]+)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !new RegExp(`\\.${name}(?![\\w-])`).test(css))).toEqual([]);
});

it("hides what a job's form asks about a business that isn't listed, except for the value that says so", () => {
  const listed = /\[name="place_id"\] :checked([^)]*\)+) \.if-unlisted/.exec(css)?.[1];
  expect(listed).toContain(`[value="${NOT_LISTED}"]`);
});

/** The relative luminance of a color (WCAG 2). */
function luminance(color: string): number {
  const long = color.length === 4 ? color.replaceAll(/[\da-f]/g, "$&$&") : color;
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(long.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const TEXT_ON: [background: string, texts: string[]][] = [
  ["--paper", ["--ink", "--soft", "--plum", "--wrong"]],
  ["--surface", ["--ink", "--soft", "--plum", "--wrong"]],
  ["--plum", ["--on-plum"]],
  ["--wrong", ["--on-plum"]],
  ["--plum-wash", ["--ink", "--soft", "--plum"]],
  ["--published-wash", ["--ink", "--soft", "--plum", "--published"]],
  ["--waiting-wash", ["--ink", "--soft", "--plum", "--waiting"]],
  ["--featured-wash", ["--ink", "--soft", "--plum", "--featured"]],
  ["--wrong-wash", ["--ink", "--soft", "--plum", "--wrong"]],
  ["--night", ["--on-night", "--soft-on-night", "--gold"]],
];

it.each([
  ["light", light],
  ["dark", dark],
])("has a contrast of 7 for text, and of 3 for controls, in %s colors", (_, tokens) => {
  const contrast = (one: string, other: string) => {
    const [low, high] = [one, other]
      .map((name) => luminance(tokens.get(name)!) + 0.05)
      .sort((a, b) => a - b) as [number, number];
    return high / low;
  };
  const low = TEXT_ON.flatMap(([background, texts]) =>
    texts.filter((text) => contrast(text, background) < 7).map((text) => [text, background]),
  );
  expect(low).toEqual([]);
  for (const background of ["--paper", "--surface"])
    expect(contrast("--control", background), background).toBeGreaterThan(3);
});

describe("the design page", () => {
  const app = fileURLToPath(new URL("../../app", import.meta.url));
  /** Parts of other parts, and those that show nothing of their own, or one button. */
  const WITHIN_OTHERS = [
    "forms/character-count",
    "forms/choice-group",
    "forms/compare-versions",
    "forms/field-frame",
    "forms/resend-form",
    "forms/save-on-enter",
    "forms/seen-values",
    "forms/until-hydrated",
  ];

  it("shows every part", () => {
    const sources = readdirSync(`${app}/routes/design`)
      .map((name) => readFileSync(`${app}/routes/design/${name}`, "utf8"))
      .join("\n");
    const parts = ["forms", "ui"].flatMap((folder) =>
      readdirSync(`${app}/components/${folder}`)
        .filter((name) => name.endsWith(".tsx"))
        .map((name) => `${folder}/${name.replace(".tsx", "")}`),
    );
    const missing = parts.filter((part) => !sources.includes(`"~/components/${part}"`));
    expect(missing.sort()).toEqual(WITHIN_OTHERS);
  });

  it("is a route in development only", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const routesIn = async (environment: string) => {
      vi.resetModules();
      vi.stubEnv("NODE_ENV", environment);
      const { default: config } = await import("../../remix.config.js");
      return Object.values(flatRoutes(app, config.ignoredRouteFiles)).map(({ path }) => path);
    };
    expect(await routesIn("development")).toContain("design");
    for (const environment of ["production", "test"]) {
      const routes = await routesIn(environment);
      expect(routes).toContain("healthz");
      expect(routes).not.toContain("design");
    }
  });
});
