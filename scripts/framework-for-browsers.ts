/**
 * Leaves code of the framework out of the browser's files when it can't run there. Rollup and
 * terser remove what nothing can reach, but not what a check at run time guards. Where our
 * configuration has fixed the result of such a check, the result replaces the check here (see
 * decision 43).
 */
import type { Plugin } from "vite";

import remixConfig from "../remix.config.js";

interface Answer {
  /** A file of a package whose version is pinned. */
  file: string;
  /** The check, or the code: this text, everywhere in the file. */
  asks: string | RegExp;
  answer: string;
}

const REMIX = "@remix-run/react/dist/esm";
const ROUTER = "@remix-run/router/dist/router.js";

const ANSWERS: readonly Answer[] = [
  // A name for developer tools is an effect, for which rollup keeps a component that nothing uses.
  { file: `${REMIX}/components.js`, asks: /^\w+\.displayName = .*$/gm, answer: "" },
  // The server alone writes `<Scripts>`.
  { file: `${REMIX}/errorBoundaries.js`, asks: /renderScripts \? .*? : null/g, answer: "null" },
  // Pages are not sent in pieces without single fetch, whose stream has them otherwise.
  {
    file: ROUTER,
    asks: /(function isDeferred(?:Data|Result)\(\w+\) \{)/g,
    answer: "$1 return false;",
  },
  // Single fetch gets all data.
  { file: `${REMIX}/routes.js`, asks: 'typeof singleFetch === "function"', answer: "true" },
  // Every page comes from the server, and with its data.
  { file: `${REMIX}/routes.js`, asks: /!isSpaMode\b/g, answer: "true" },
  { file: `${REMIX}/routes.js`, asks: /\bisSpaMode &&/g, answer: "false &&" },
  { file: `${REMIX}/routes.js`, asks: "if (isSpaMode)", answer: "if (false)" },
  { file: `${REMIX}/browser.js`, asks: "window.__remixContext.isSpaMode", answer: "false" },
  {
    file: `${REMIX}/routes.js`,
    asks: 'route.id === "root" ? RemixRootDefaultHydrateFallback : undefined',
    answer: "undefined",
  },
  // No route has a loader or an action for browsers.
  { file: `${REMIX}/routes.js`, asks: /!routeModule\.client(?:Loader|Action)\b/g, answer: "true" },
  { file: `${REMIX}/routes.js`, asks: /\bmod\.client(?:Loader|Action)\)/g, answer: "false)" },
  { file: `${REMIX}/routes.js`, asks: "routeModule.clientLoader != null &&", answer: "false &&" },
  {
    file: `${REMIX}/single-fetch.js`,
    asks: "manifest.routes[m.route.id].hasClientLoader",
    answer: "false",
  },
  // Only development replaces modules in a page.
  { file: `${REMIX}/routes.js`, asks: "if (needsRevalidation)", answer: "if (false)" },
  { file: `${REMIX}/browser.js`, asks: /router\.createRoutesForHMR = .*$/gm, answer: "" },
  { file: `${REMIX}/single-fetch.js`, asks: "!window.__remixHdrActive", answer: "true" },
  // No route has styles of its own.
  { file: `${REMIX}/routes.js`, asks: /\bprefetchStyleLinks\(.*?\)/g, answer: "undefined" },
  // The manifest has all routes from the start.
  { file: ROUTER, asks: "= init.patchRoutesOnNavigation;", answer: "= undefined;" },
  // What Remix tells its router: that of our options, and of its own.
  {
    file: ROUTER,
    asks: /\bfuture\.v7_(?:fetcherPersist|normalizeFormMethod|partialHydration|prependBasename|relativeSplatPath|skipActionErrorRevalidation)\b/g,
    answer: "true",
  },
  // Messages for the console, which no one reads.
  {
    file: "/react-router/dist/index.js",
    asks: /(function logV6DeprecationWarnings\(.*\) \{)/g,
    answer: "$1 return;",
  },
  { file: ROUTER, asks: "function warning(", answer: "/*#__NO_SIDE_EFFECTS__*/ function warning(" },
  {
    file: `${REMIX}/errorBoundaries.js`,
    asks: /createElement\("script", \{\s+dangerouslySetInnerHTML: \{\s+__html: `\s+console\.log\([^`]+`\s+\}\s+\}\)/g,
    answer: "createElement(React.Fragment)",
  },
];

/** What a route must not export, since the browser's files have no code for it. */
const NOT_EXPORTED =
  /\bexport (?:const|(?:async )?function) (?:client(?:Loader|Action)|HydrateFallback|links)\b/;

/** Where one asks for what the options of Remix (`future`) have decided. */
const OPTION = /\b(?:window\.__remixContext\.)?future\.(v3_\w+)/g;

export function answerForBrowsers(): Plugin {
  const options = new Map<string, boolean>(Object.entries(remixConfig.future ?? {}));
  const asked = new Set<Answer>();
  return {
    name: "answer-for-browsers",
    apply: (_config, { command, isSsrBuild }) => command === "build" && !isSsrBuild,
    transform(code, id) {
      const unsupported = id.includes("/app/") && NOT_EXPORTED.exec(code);
      if (unsupported) this.error(`“${unsupported[0]}” needs code that ANSWERS leaves out.`);
      if (!id.includes("/node_modules/")) return null;
      let answered = code;
      if (id.includes(REMIX))
        answered = answered.replace(OPTION, (expression, name: string) =>
          String(options.get(name) ?? expression),
        );
      for (const one of ANSWERS.filter(({ file }) => id.endsWith(file))) {
        const before = answered;
        answered = answered.replaceAll(one.asks, one.answer);
        if (answered !== before) asked.add(one);
      }
      return answered === code ? null : { code: answered, map: null };
    },
    // An update of the framework has to be looked at.
    buildEnd(error) {
      const missing = ANSWERS.filter((one) => !asked.has(one));
      if (!error && missing.length > 0)
        this.error(
          `Not found: ${missing.map(({ file, asks }) => `${String(asks)} in ${file}`).join("; ")}`,
        );
    },
  };
}
