type KeyKind = "publishable" | "secret";

const ROLES: Readonly<Record<string, KeyKind>> = { anon: "publishable", service_role: "secret" };

/**
 * What a key of a Supabase project is for: by its prefix, or by the role in an older key, which is a
 * JWT. Null when it is neither. The signature is not checked; the project does that.
 */
function detectKeyKind(key: string): KeyKind | null {
  if (/^sb_publishable_[\w-]/.test(key)) return "publishable";
  if (/^sb_secret_[\w-]/.test(key)) return "secret";
  const [, payload, signature, ...more] = key.split(".");
  if (!payload || !signature || more.length > 0) return null;
  try {
    const { role } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { role?: unknown };
    return typeof role === "string" && Object.hasOwn(ROLES, role) ? ROLES[role]! : null;
  } catch {
    return null;
  }
}

/** Whether the auth service takes a visitor's address from calls with this secret key: not the older ones. */
export const forwardsVisitors = (secretKey: string) => secretKey.startsWith("sb_secret_");

/** The two keys of a project, by the variable that holds each. */
const KEYS = {
  SUPABASE_PUBLISHABLE_KEY: { kind: "publishable", prefix: "sb_publishable_", role: "anon" },
  SUPABASE_SECRET_KEY: { kind: "secret", prefix: "sb_secret_", role: "service_role" },
} as const;

/**
 * What is wrong with a key, without the key; null when it is of the right kind. With the secret key
 * in both variables anyone would be an admin; with the publishable key in both, no limit would work.
 */
export function describeKeyProblem(name: keyof typeof KEYS, key: string): string | null {
  const { kind, prefix, role } = KEYS[name];
  const actual = detectKeyKind(key);
  if (actual === kind) return null;
  return actual === null
    ? `${name} is not a key of a Supabase project: it begins with ${prefix}, or is a JWT with the role ${role}`
    : `${name} holds a ${actual} key, and needs the ${kind} one: it begins with ${prefix}, or is a JWT with the role ${role}`;
}
