import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** As long as someone may take to come back to a draft, and as Google lets a position be kept. */
const LASTS_MS = 30 * 24 * 60 * 60 * 1000;
/** Raised when the sealed content changes its form: seals made before are then refused, not misread. */
const PURPOSE = "dashboard address seal 1";

let derived: { secret: string; key: Buffer } | undefined;

/** A key of its own: what is signed elsewhere with the same secret can never pass for a seal. */
function keyFrom(secret: string): Buffer {
  if (derived?.secret !== secret) {
    derived = { secret, key: Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, 32)) };
  }
  return derived.key;
}

function signatureOf(content: string, secret: string): string {
  return createHmac("sha256", keyFrom(secret)).update(content).digest("base64url");
}

/**
 * Seals a value so that it can travel through a form and come back unchanged, or not at all. Anyone
 * who has it can read it, so it must contain nothing secret. Lasts 30 days.
 */
export function seal(value: unknown, secret: string): string {
  const content = Buffer.from(JSON.stringify([Date.now() + LASTS_MS, value])).toString("base64url");
  return `${content}.${signatureOf(content, secret)}`;
}

/** What was sealed, or null when the seal is forged, damaged or expired. */
export function unseal(token: string, secret: string): { value: unknown } | null {
  const [content, signature, ...rest] = token.split(".");
  if (!content || !signature || rest.length > 0) return null;
  // Compared as text: base64 has several spellings for the same bytes, and only ours is right.
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(content, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [expires, value] = JSON.parse(Buffer.from(content, "base64url").toString()) as [
    number,
    unknown,
  ];
  return Date.now() < expires ? { value } : null;
}
