import { authenticatorCookie, readCookie } from "~/http/cookies.server";
import type { NewFactor } from "~/integrations/supabase/factors.server";

/** The authenticator app that a user is adding. */
interface NewAuthenticator extends NewFactor {
  userId: string;
}

/** The Set-Cookie value that stores it until its first code, ten minutes at most. */
export function serializeNewAuthenticator(authenticator: NewAuthenticator): Promise<string> {
  return authenticatorCookie().serialize(authenticator);
}

/** The authenticator app that this user is adding in this browser; null when there is none. */
export async function readNewAuthenticator(
  request: Request,
  userId: string,
): Promise<NewAuthenticator | null> {
  const value = (await readCookie(authenticatorCookie(), request)) as NewAuthenticator | null;
  return typeof value === "object" && value?.userId === userId ? value : null;
}

/** A secret in groups of four, for typing. */
export const groupSecret = (secret: string): string => secret.replace(/.{4}(?=.)/g, "$& ");
