import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

import remixConfig from "./remix.config.js";
import { answerForBrowsers } from "./scripts/framework-for-browsers";
import { listMigrations } from "./scripts/list-migrations.mjs";
import { listPartFiles, readManifest } from "./scripts/part-files";

/** Parts that only a few pages use; the other pages must not load them. */
const RARELY_USED =
  /\/components\/(forms\/(edited-version|filter-form|unsaved|version-conflict|packed-checkboxes|phone-field|searchable-checkboxes|toggle-link)\b|ui\/(long-text|date-text|row-checkbox)\b|layout\/(as-document|confirmation-page|wait-for-connection)\b)|\/http\/(pagination|version-conflict)\b/;

/** Those that the forms of jobs and of newsletter sponsorships have in common. */
const SMALL_IN_EDITORS =
  /\/(http\/version-conflict|forms\/(version-conflict-part|compare-versions)|text\/(values|web-link)|billing\/payment-terms)\b/;

/**
 * Besides the small file of each page there are two shared ones: the libraries, and our own code
 * that most pages use. A dozen small files would compress worse, and take longer on a slow
 * connection.
 */
function chunkOf(id: string): string | undefined {
  if (id.includes("/node_modules/")) return "framework";
  if (id === PRELOAD_HELPER) return "parts";
  // Always used together.
  if (/\/modules\/listings\/visibility-(rules|section)\b/.test(id)) return "visibility";
  // Small, and used together where a page would otherwise load more than 14 files.
  if (SMALL_IN_EDITORS.test(id)) return "in-editors";
  if (/\/modules\/jobs\/(job-price|rules|fields)\b/.test(id)) return "job-rules";
  if (/\/(forms\/searchable-checkboxes|accounts\/user-picker)\b/.test(id)) return "pickers";
  if (/\/(drafts\/draft-links|listings\/listing-parent)\b/.test(id)) return "links";
  if (/\/moderation\/(decisions\/)?rules\b/.test(id)) return "decision-rules";
  if (/\/audit\/audit-(changes|trail)\b/.test(id)) return "audit-trail";
  // What else needs them needs none of the above.
  // (What keeps words on one line may otherwise go into the file of the jobs' rules, for the pages about payments, too.)
  if (/\/modules\/billing\/prices\b|\/text\/keep-together\b/.test(id)) return "prices";
  // Mostly used together.
  if (/\/modules\/billing\/(pitch|testimonials)\b/.test(id)) return "pitch";
  if (/\/text\/dates|\/ui\/date-text\b/.test(id)) return "dates";
  if (/\/moderation\/(decisions\/fix-link|queue\/row-changes)\b/.test(id)) return "rows";
  // Too small for files of their own.
  if (
    /\/text\/(counts|locale)\b|\/drafts\/offered-draft\b|\/billing\/manage-billing-button\b/.test(
      id,
    )
  )
    return "parts";
  // On every page, if it asks.
  if (/\/privacy\/tracking-consent-form\b/.test(id)) return "parts";
  return /\/app\/(components|http)\//.test(id) && !RARELY_USED.test(id) ? "parts" : undefined;
}

const PRELOAD_HELPER = "\0vite/preload-helper.js";

/**
 * Vite preloads the styles and scripts that a lazy part needs. Ours need none but those that the page has
 * already, and the code for it would cost each page with a lazy part 700 bytes.
 */
function importWithoutPreload(): Plugin {
  return {
    name: "import-without-preload",
    enforce: "pre",
    apply: (_config, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    config: () => ({ build: { modulePreload: { resolveDependencies: () => [] } } }),
    load: (id) => (id === PRELOAD_HELPER ? "export const __vitePreload = (load) => load();" : null),
  };
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [answerForBrowsers(), importWithoutPreload(), tailwindcss(), remix(remixConfig)],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  // In development, packages are prepared at once: those found later would be loaded beside others, with a second React.
  optimizeDeps: { entries: ["app/entry.client.tsx", "app/root.tsx", "app/routes/**/*.tsx"] },
  define: isSsrBuild
    ? {
        // /readyz compares them with the database's.
        BUILT_MIGRATIONS: JSON.stringify(listMigrations()),
        BUILT_PART_FILES: JSON.stringify(listPartFiles(readManifest("build"))),
      }
    : // React would offer itself to the developer tools of the browser.
      { __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined" },
  build: {
    target: "es2022",
    cssMinify: true,
    assetsInlineLimit: 0,
    // Terser's output is smaller than that of Vite's own minifier, and people on phones wait for
    // every kilobyte. The server's code stays readable for its stack traces.
    minify: isSsrBuild ? false : "terser",
    terserOptions: {
      ecma: 2020,
      module: true,
      compress: { passes: 6, pure_getters: true, inline: 1, keep_fargs: false },
    },
    rollupOptions: isSsrBuild
      ? // One file, so that a server goes on when a newer build replaces its files.
        { output: { inlineDynamicImports: true } }
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
