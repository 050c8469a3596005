// `npm run build`: builds the dashboard (build/client, build/server), and compiles the commands that
// production runs (build/commands), where there is no compiler.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { listCommands, recordBuild } from "./build-state.mjs";
import { compressFiles } from "./compress-files.mjs";
import { listMigrations } from "./list-migrations.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
process.env.NODE_ENV = "production";
process.env.DO_NOT_TRACK = "1";

if (!existsSync(join("node_modules", "vite"))) {
  console.error(
    "The packages that build the dashboard aren't installed. Run `npm ci --include=dev`, and try again.",
  );
  process.exit(1);
}
const ASSETS = join("build", "client", "assets");
await recordBuild(async () => {
  buildApp();
  shortenRouteList();
  compressFiles(ASSETS);
  await compileCommands();
});

function buildApp() {
  const remix = join("node_modules", "@remix-run", "dev", "dist", "cli.js");
  const { status } = spawnSync(process.execPath, [remix, "vite:build"], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Every page loads the list of all routes. What a route doesn't have is left out: the browser only checks what it has.
 * So is what only `<Scripts>` reads: it runs on the server, which has a list of its own.
 */
function shortenRouteList() {
  const [name = ""] = readdirSync(ASSETS).filter((one) => one.startsWith("manifest-"));
  const list = join(ASSETS, name);
  writeFileSync(
    list,
    readFileSync(list, "utf8").replaceAll(
      /"has[A-Z]\w+":false,|,"imports":\[[^\]]*\],"css":\[\]/g,
      "",
    ),
  );
}

async function compileCommands() {
  const { build } = await import("vite");
  await build({
    configFile: false,
    logLevel: "warn",
    resolve: { alias: { "~": join(root, "app") } },
    // The doctor compares them with the database's.
    define: { BUILT_MIGRATIONS: JSON.stringify(listMigrations()) },
    build: {
      ssr: true,
      target: "node20",
      outDir: join("build", "commands"),
      minify: false,
      copyPublicDir: false,
      rollupOptions: {
        input: Object.fromEntries(
          listCommands().map((name) => [name, join("scripts", `${name}.ts`)]),
        ),
        output: { chunkFileNames: "shared/[name]-[hash].js" },
      },
    },
  });
}
