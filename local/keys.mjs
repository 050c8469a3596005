import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/**
 * The secrets of one local installation. Plain JavaScript, since the start script, which runs
 * without a compiler, and the stand-in both read it.
 *
 * @typedef {object} LocalKeys
 * @property {string} jwtSecret signs the access tokens of the local auth service
 * @property {string} publishableKey SUPABASE_PUBLISHABLE_KEY
 * @property {string} secretKey SUPABASE_SECRET_KEY
 * @property {string} sessionSecret SESSION_SECRET of the app
 * @property {string} stripeSecretKey STRIPE_SECRET_KEY, which the stand-in for Stripe alone knows
 * @property {string} stripeWebhookSecret STRIPE_WEBHOOK_SECRET, with which it signs its events
 */

/**
 * Makes a new set of secrets.
 * @returns {LocalKeys}
 */
export function makeKeys() {
  return {
    jwtSecret: randomBytes(32).toString("base64url"),
    publishableKey: apiKey("publishable"),
    secretKey: apiKey("secret"),
    sessionSecret: randomBytes(32).toString("base64url"),
    stripeSecretKey: `sk_test_local_${randomBytes(24).toString("hex")}`,
    stripeWebhookSecret: `whsec_${randomBytes(24).toString("hex")}`,
  };
}

/**
 * Reads the secrets of a folder, and makes them the first time. They are readable by their owner
 * only and stay when the demo data are reset, so a browser's session survives that.
 * @param {string} folder
 * @returns {LocalKeys}
 */
export function readOrMakeKeys(folder) {
  const file = join(folder, "keys.json");
  const known = readKeys(file);
  if (known && isComplete(known)) return known;
  mkdirSync(folder, { recursive: true });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify({ ...makeKeys(), ...known }, null, 2)}\n`, {
    mode: 0o600,
  });
  chmodSync(fresh, 0o600);
  if (known) {
    // From before there were so many of them: those that people's browsers rely on stay.
    renameSync(fresh, file);
    return readOrMakeKeys(folder);
  }
  try {
    // A link fails when the file is there: whoever comes second takes the first one's secrets.
    linkSync(fresh, file);
  } catch (problem) {
    if (problem.code !== "EEXIST") throw problem;
  } finally {
    rmSync(fresh, { force: true });
  }
  const keys = readKeys(file);
  if (!keys) throw new Error(`${file} cannot be read. Delete it, and start again.`);
  return keys;
}

/** @param {Partial<LocalKeys>} keys */
function isComplete(keys) {
  return Object.keys(makeKeys()).every((name) => name in keys);
}

/**
 * @param {string} file
 * @returns {LocalKeys | undefined}
 */
function readKeys(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (problem) {
    if (problem.code === "ENOENT") return undefined;
    throw problem;
  }
  try {
    const keys = JSON.parse(text);
    if (
      typeof keys === "object" &&
      keys &&
      Object.values(keys).every((key) => typeof key === "string" && key.length >= 32)
    ) {
      return keys;
    }
  } catch {
    // Said below, in words that help.
  }
  throw new Error(`${file} is damaged. Delete it, and start again.`);
}

/**
 * An API key in the hosted project's form: its kind, 22 random characters, and a checksum.
 * @param {"publishable" | "secret"} kind
 * @returns {string}
 */
function apiKey(kind) {
  const body = `sb_${kind}_${randomBytes(17).toString("base64url").slice(0, 22)}`;
  const checksum = createHash("sha256").update(body).digest("base64url").slice(0, 8);
  return `${body}_${checksum}`;
}
