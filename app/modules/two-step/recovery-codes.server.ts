import { readCookie, recoveryCodesCookie } from "~/http/cookies.server";

/** New recovery codes, on their way to the page that shows them. */
interface NewRecoveryCodes {
  userId: string;
  codes: string[];
}

/** The Set-Cookie value that takes new recovery codes to the next page, within a minute. */
export function serializeRecoveryCodes(userId: string, codes: string[]): Promise<string> {
  return recoveryCodesCookie().serialize({ userId, codes } satisfies NewRecoveryCodes);
}

/** The new recovery codes of this user, who may have signed in after someone else; null when there are none. */
export async function readRecoveryCodes(
  request: Request,
  userId: string,
): Promise<string[] | null> {
  const value = (await readCookie(recoveryCodesCookie(), request)) as NewRecoveryCodes | null;
  return typeof value === "object" && value?.userId === userId ? value.codes : null;
}
