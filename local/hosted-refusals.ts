import { authError } from "./auth-error";

type Fields = Record<string, unknown>;

const MAX_BODY_BYTES = 1 << 20;
/** The longest password that bcrypt tells apart, in bytes. */
export const LONGEST_PASSWORD = 72;

/** A request to the auth service, before anyone is asked who sends it. */
interface Arriving {
  method: string;
  url: URL;
  fields: Fields;
  /** The bytes of its body. */
  size: number;
}

/**
 * What the hosted auth service (GoTrue) refuses everyone, because of its settings in
 * `supabase/config.toml` or the size of the request, and the stand-in doesn't refuse, or refuses in
 * other words: phones, other providers, wallets, single sign-on, passkeys. Undefined for anything
 * else.
 */
export function refuseAlways({ method, url, fields, size }: Arriving): Response | undefined {
  if (size > MAX_BODY_BYTES)
    return authError(413, "request_entity_too_large", "Request body too large (max 1048576 bytes)");
  const path = url.pathname.replace(/^\/auth\/v1\//, "");
  if (/^passkeys(\/|$)/.test(path))
    return authError(404, "passkey_disabled", "Passkeys are disabled");
  if (/^sso(\/|$)/.test(path))
    return authError(404, "saml_provider_disabled", "SAML 2.0 is disabled");
  if (method !== "POST") return undefined;
  const withPhone = text(fields.phone) !== "" && text(fields.email) === "";
  if (path === "signup" && withPhone)
    return authError(400, "phone_provider_disabled", "Phone signups are disabled");
  if (path === "otp" && withPhone)
    return authError(400, "phone_provider_disabled", "Unsupported phone provider");
  return path === "token" ? refuseGrant(url, fields, withPhone) : undefined;
}

function refuseGrant(url: URL, fields: Fields, withPhone: boolean): Response | undefined {
  const grant = url.searchParams.get("grant_type");
  if (grant === "password" && withPhone)
    return authError(422, "phone_provider_disabled", "Phone logins are disabled");
  if (grant === "web3")
    return authError(422, "web3_provider_disabled", "Web3 provider is disabled");
  if (grant !== "id_token" || text(fields.id_token) === "") return undefined;
  return authError(400, "provider_disabled", `Provider "${text(fields.provider)}" is not enabled`);
}

/** What the hosted service refuses a user who changes something about themselves. */
export function refuseUserChange(fields: Fields): Response | undefined {
  if (Buffer.byteLength(text(fields.password)) > LONGEST_PASSWORD)
    return authError(400, "validation_failed", "Password cannot be longer than 72 characters");
  if (text(fields.phone) !== "")
    return authError(400, "validation_failed", "Invalid phone number format (E.164 required)");
  return undefined;
}

/** What the hosted service says about accounts at other services, after it knows who asks. */
export const refuseLinking = (): Response =>
  authError(404, "manual_linking_disabled", "Manual linking is disabled");

const text = (value: unknown): string => (typeof value === "string" ? value : "");
