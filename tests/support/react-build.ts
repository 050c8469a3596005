/**
 * Loads React's production build, which renders a page in less than half the time, where TEST_REACT names it
 * (vitest.config.ts). Its development build, with the warnings that fail a test (setup.ts), renders the pages of the
 * other tests in each run, and all at night.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

if (process.env["TEST_REACT"] === "production") {
  const environment = process.env["NODE_ENV"];
  // React's packages choose a build when they are loaded first, by this variable alone.
  process.env["NODE_ENV"] = "production";
  for (const name of ["react", "react/jsx-runtime", "react-dom", "react-dom/server"]) require(name);
  process.env["NODE_ENV"] = environment;
}
