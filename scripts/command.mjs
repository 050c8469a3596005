// Runs a command of package.json: `node scripts/command.mjs erase-due` runs scripts/erase-due.ts. On a
// developer's machine tsx compiles it; in production it is in build/commands already.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { NOT_BUILT, warnIfOutdated } from "./build-state.mjs";
import "./leave-with-npm.mjs";
import { isProduction, loadEnvFile } from "./production.mjs";

const [name = ""] = process.argv.splice(2, 1);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
loadEnvFile();

if (isProduction()) {
  const compiled = join("build", "commands", `${name}.js`);
  if (!existsSync(compiled)) {
    console.error(NOT_BUILT);
    process.exit(1);
  }
  warnIfOutdated();
  await import(pathToFileURL(compiled).href);
} else {
  const { register } = await import("tsx/esm/api");
  register();
  await import(pathToFileURL(join("scripts", `${name}.ts`)).href);
}
