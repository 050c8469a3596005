/**
 * Where `npm start` and the commands run: on a developer's machine, where they install, build, and
 * compile what they need, or in production, where they use what is there and change nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));

const PROJECT_VARIABLES = ["SUPABASE_URL", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"];

/**
 * Reads a file of variables, if there is one, and ends the process with a sentence when it may not be read.
 * @param {string} file
 */
export function readEnvFile(file) {
  if (!existsSync(file)) return;
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    console.error(
      `The settings in ${file} can't be read by this user. Let the user who runs this read the file.`,
    );
    process.exit(1);
  }
  // Some editors begin a file with a byte order mark, which would be a part of the first name.
  const variables = parseEnv(text.replace(/^\uFEFF/, ""));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

/** Reads .env into this process's environment, if there is one. What is set already stays. */
export function loadEnvFile() {
  readEnvFile(join(root, ".env"));
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

/**
 * The settings in the environment that are meant for a site that others use, where the local start,
 * whose admin has a known password, must not answer.
 * @returns a sentence that names it, and what is missing; null when there is nothing of the kind
 */
export function describeHalfSetUp() {
  const { APP_URL, STRIPE_SECRET_KEY = "", SMTP_URL, SEND_EMAIL_HOOK_SECRET } = process.env;
  const found = [
    APP_URL && !isNearby(APP_URL) && `APP_URL is ${APP_URL}`,
    STRIPE_SECRET_KEY.includes("_live_") && "STRIPE_SECRET_KEY is a live key",
    SMTP_URL && "SMTP_URL is set",
    SEND_EMAIL_HOOK_SECRET && "SEND_EMAIL_HOOK_SECRET is set",
  ].filter(Boolean);
  if (found.length === 0) return null;
  const missing = ["SESSION_SECRET", ...PROJECT_VARIABLES].filter((name) => !process.env[name]);
  return [
    `${found.join(", and ")}, but no Supabase project is named. For a dashboard that others use, these are missing:`,
    ...missing.map((name) => `  - ${name}`),
    "To try the dashboard on this machine, leave them all unset. Each name is explained in .env.example.",
  ].join("\n");
}

/**
 * Whether an address leads to this machine or its network, where the local start may be tried.
 * @param {string} url
 */
function isNearby(url) {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname;
  if (isIPv4(host)) return /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe80:)/.test(host);
  return !host.includes(".") || /\.(?:local|localhost|test)$/.test(host);
}
