import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

import remixConfig from "./remix.config.js";

/** Parts that a few pages have: whoever opens any other is not to wait for them. */
const SELDOM =
  /\/components\/(forms\/(filter-form|version-conflict|packed-checkboxes|phone-field|searchable-checkboxes|toggle-link)\b|ui\/(long-text|date-text|row-checkbox)\b|layout\/confirmation-page\b)|\/http\/(pagination|version-conflict)\b/;

/**
 * Two shared files besides the small one of each page: what changes with a library, and what changes
 * with us and most pages have. A dozen tiny files would compress worse and cost a slow line more.
 */
function chunkOf(id: string): string | undefined {
  if (id.includes("/node_modules/")) return "framework";
  // Always together.
  if (/\/components\/ui\/date-text\b|\/text\/dates\b/.test(id)) return "dates";
  if (/\/modules\/listings\/visibility-(rules|section)\b/.test(id)) return "visibility";
  return /\/app\/(components|http)\//.test(id) && !SELDOM.test(id) ? "parts" : undefined;
}

/**
 * Remix asks for its options (`future`) while it runs. Ours are settled in remix.config.js: said so while the browser's
 * files are built, the ways that they rule out are left away (2 KB of what every page loads).
 */
function settledOptions(): Plugin {
  const options = new Map<string, boolean>(Object.entries(remixConfig.future ?? {}));
  return {
    name: "settled-remix-options",
    apply: (_config, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    transform(code, id) {
      if (!id.includes("/@remix-run/react/dist/esm/")) return null;
      const settled = code.replace(
        /\b(?:window\.__remixContext\.)?future\.(v3_\w+)/g,
        (asked, name: string) => String(options.get(name) ?? asked),
      );
      return { code: settled, map: null };
    },
  };
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [settledOptions(), tailwindcss(), remix(remixConfig)],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  build: {
    target: "es2022",
    cssMinify: true,
    assetsInlineLimit: 0,
    // Smaller than Vite's own minifier: every kilobyte here is waited for on somebody's phone. The
    // server's code stays readable, for its stack traces.
    minify: isSsrBuild ? false : "terser",
    terserOptions: { ecma: 2020, module: true, compress: { passes: 3, pure_getters: true } },
    rollupOptions: isSsrBuild
      ? {}
      : {
          output: {
            manualChunks: chunkOf,
            // Every page loads a manifest with these names: long file names must not cost bytes.
            entryFileNames: "assets/[hash].js",
            chunkFileNames: "assets/[hash].js",
          },
        },
  },
}));
