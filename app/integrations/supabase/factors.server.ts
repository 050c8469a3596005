import { createClientFor, requireTokens, throwIfFailed, type Tokens } from "./auth.server";

/** An authenticator app that is being added: it counts once a code of it was verified. */
export interface NewFactor {
  id: string;
  /** The secret in base32, for typing. */
  secret: string;
  /** The secret as an otpauth:// address: for a QR code, and for a link on the phone that has the app. */
  uri: string;
}

/**
 * Begins to add an authenticator app. One that was begun earlier and never verified is replaced.
 * @param issuer what the authenticator app calls the account
 * @throws AuthServiceError
 */
export async function enrollFactor(tokens: Tokens, issuer: string): Promise<NewFactor> {
  const { mfa } = createClientFor(tokens);
  const listed = await mfa.listFactors();
  throwIfFailed(listed.error);
  for (const { id, status } of listed.data?.all ?? []) {
    if (status === "verified") continue;
    throwIfFailed((await mfa.unenroll({ factorId: id })).error);
  }
  const { data, error } = await mfa.enroll({
    factorType: "totp",
    friendlyName: "Authenticator app",
    issuer,
  });
  throwIfFailed(error);
  const { secret = "", uri = "" } = data?.totp ?? {};
  return { id: data?.id ?? "", secret, uri };
}

/**
 * Begins a second step with an authenticator app. No code is used yet.
 * @returns the id of the challenge
 * @throws AuthServiceError `no-factor` when there is no such app (anymore)
 */
export async function challengeFactor(tokens: Tokens, factorId: string): Promise<string> {
  const { data, error } = await createClientFor(tokens).mfa.challenge({ factorId });
  throwIfFailed(error);
  return data?.id ?? "";
}

/**
 * Verifies a code of an authenticator app. The session has passed the second step then, and gets new
 * tokens; the user's sessions that haven't passed it end. The first code of a new app adds it.
 * @throws AuthServiceError `wrong-code`, or `no-factor` when there is no such app (anymore)
 */
export async function verifyFactor(
  tokens: Tokens,
  factorId: string,
  challengeId: string,
  code: string,
): Promise<Tokens> {
  const client = createClientFor(tokens);
  const { error } = await client.mfa.verify({ factorId, challengeId, code });
  throwIfFailed(error);
  const { data } = await client.getSession();
  return requireTokens(data.session);
}
