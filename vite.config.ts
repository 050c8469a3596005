import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import remixConfig from "./remix.config.js";

/** Parts that a few pages have: whoever opens any other is not to wait for them. */
const SELDOM =
  /\/components\/(illustrations\/(?!lost-pin)|forms\/(filter-form|newer-version|packed-boxes|phone-field|searchable-boxes|toggle-link)\b|ui\/(long-text|moment|row-checkbox)\b|layout\/confirmation-page\b)|\/http\/(keyset|row-id|version-choice)\b/;

/**
 * Two shared files besides the small one of each page: what changes with a library, and what changes
 * with us and most pages have. A dozen tiny files would compress worse and cost a slow line more.
 */
function chunkOf(id: string): string | undefined {
  if (id.includes("/node_modules/")) return "framework";
  return /\/app\/(components|http)\//.test(id) && !SELDOM.test(id) ? "parts" : undefined;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixConfig)],
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
      : { output: { manualChunks: chunkOf } },
  },
}));
