/**
 * Where `npm start` and the commands run: on a developer's machine, where they install, build, and
 * compile what they need, or in production, where they use what is there and change nothing.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const PROJECT_VARIABLES = ["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"];

/** Reads .env into this process's environment, if there is one. What is set already stays. */
export function loadEnvFile() {
  const file = join(root, ".env");
  if (existsSync(file)) process.loadEnvFile(file);
}

/** Whether the environment names a Supabase project, even if only in part. */
export const namesProject = () => PROJECT_VARIABLES.some((name) => process.env[name]);

/**
 * Whether this is production: NODE_ENV says so, a Supabase project is named, or the packages were
 * installed without those for development (`npm ci --omit=dev`). Call `loadEnvFile` first.
 */
export function isProduction() {
  return process.env.NODE_ENV === "production" || namesProject() || isInstalledWithoutDev();
}

function isInstalledWithoutDev() {
  const packages = join(root, "node_modules");
  // npm writes this file when it has installed everything.
  return existsSync(join(packages, ".package-lock.json")) && !existsSync(join(packages, "tsx"));
}
