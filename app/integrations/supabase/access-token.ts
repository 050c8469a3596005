/** The claims of an access token, not verified; null when the text is not an access token. */
export function readTokenClaims(token: string): Record<string, unknown> | null {
  const [, payload, signature, ...more] = token.split(".");
  if (!payload || signature === undefined || more.length > 0) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof claims === "object" && claims !== null
      ? (claims as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The id of the session that an access token belongs to, not verified; null without one. */
export function readSessionId(accessToken: string): string | null {
  const id = readTokenClaims(accessToken)?.["session_id"];
  return typeof id === "string" ? id : null;
}
