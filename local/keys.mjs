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
 * The secrets of a local installation. This is plain JavaScript because the start script, which
 * runs without a compiler, uses it too.
 *
 * @typedef {object} LocalKeys
 * @property {string} jwtSecret signs the access tokens of the local auth service
 * @property {string} publishableKey SUPABASE_PUBLISHABLE_KEY
 * @property {string} secretKey SUPABASE_SECRET_KEY
 * @property {string} sessionSecret SESSION_SECRET of the app
 * @property {string} stripeSecretKey STRIPE_SECRET_KEY, which only the stand-in for Stripe accepts
 * @property {string} stripeWebhookSecret STRIPE_WEBHOOK_SECRET, with which the stand-in signs its
 * events
 * @property {string} emailHookSecret SEND_EMAIL_HOOK_SECRET, with which the stand-in for Supabase asks for emails
 */

/**
 * Creates a new set of secrets.
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
    emailHookSecret: `v1,whsec_${randomBytes(32).toString("base64")}`,
  };
}

/**
 * Reads the secrets of a folder, and creates them the first time. Only their owner can read them.
 * They stay when the demo data is reset, so the sessions of browsers survive that.
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
    // A file of an older version: its secrets stay, since sessions depend on them.
    renameSync(fresh, file);
    return readOrMakeKeys(folder);
  }
  try {
    // A link fails when the file exists: the second of two processes uses the secrets of the first.
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
    // Reported below.
  }
  throw new Error(`${file} is damaged. Delete it, and start again.`);
}

/**
 * An API key in the form of a hosted project: its kind, 22 random characters, and a checksum.
 * @param {"publishable" | "secret"} kind
 * @returns {string}
 */
function apiKey(kind) {
  const body = `sb_${kind}_${randomBytes(17).toString("base64url").slice(0, 22)}`;
  const checksum = createHash("sha256").update(body).digest("base64url").slice(0, 8);
  return `${body}_${checksum}`;
}
