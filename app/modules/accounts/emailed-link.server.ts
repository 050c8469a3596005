import { redirect } from "@remix-run/node";
import { z } from "zod";

import { expireCookie, linkCookie, readCookie } from "~/http/cookies.server";
import { readSecretParam } from "~/http/prepare-request.server";
import { enforceRateLimit, getClientNetwork, type RateLimit } from "~/http/rate-limit.server";
import type { RouteContext } from "~/http/route.server";
import type { Session } from "~/http/session.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";

/** More than a token has. A browser drops a cookie that is too long. */
const MAX_TOKEN_LENGTH = 200;

/** What the cookie keeps of a link: each of the pages that links lead to finds only its own. */
interface OpenedLink {
  page: string;
  tokenHash: string;
}

/**
 * The token of the emailed link that this browser opened last; null without one. It moves from the URL into a cookie at
 * once. In the address it would outlast "Leave quickly": the next person would go Back to the page, read the address of
 * the account, and press the button.
 * @param page the path of the page that asks
 * @throws the redirect to the page without the token
 */
export async function readOpenedLink(
  { request, url, setCookie }: Pick<RouteContext<"open">, "request" | "url" | "setCookie">,
  page: string,
): Promise<string | null> {
  const arrived = readSecretParam(request, "token_hash")?.slice(0, MAX_TOKEN_LENGTH);
  if (arrived) {
    setCookie(await linkCookie().serialize({ page, tokenHash: arrived } satisfies OpenedLink));
    url.searchParams.delete("token_hash");
    throw redirect(`${url.pathname}${url.search}`, { status: 303 });
  }
  const opened = (await readCookie(linkCookie(), request)) as Partial<OpenedLink> | null;
  return opened?.page === page && opened.tokenHash ? opened.tokenHash : null;
}

/**
 * The Set-Cookie value that makes this browser forget its opened link: the link was used, or can't
 * be used anymore.
 */
export const forgetLink = (): Promise<string> => expireCookie(linkCookie());

const linkTarget = z
  .object({
    user: z.string(),
    /** To which the link was sent. */
    address: z.string(),
    /** Whether the account's address is confirmed. (Absent from a database of the previous release, as is `taken`.) */
    confirmed: z.boolean().default(true),
    /** Whether the address that the account is to change to has an account of its own by now. */
    taken: z.boolean().default(false),
  })
  .nullable();
type LinkTarget = z.output<typeof linkTarget>;

const findTarget = (tokenHash: string): Promise<LinkTarget> =>
  callFunction(createServiceClient(), "target_of_link", { token_hash: tokenHash }, linkTarget);

/**
 * The account that a link in an email opens, for the page that asks before it does: the address that the
 * link was sent to, and that of the account that is signed in, if it is another one. Null when the link was
 * used or is too old. A link to a new address doesn't say what the account's address is: that mailbox
 * may be a stranger’s.
 * @throws DataError
 */
export async function findLinkAccount(
  tokenHash: string,
  session: Session | null,
): Promise<{ email: string; current: string | null } | null> {
  const target = await findTarget(tokenHash);
  if (target === null) return null;
  const isOther = session !== null && session.user.id !== target.user;
  return { email: target.address, current: isOther ? session.user.email : null };
}

/**
 * What a link leads to, before it is redeemed; null when it can't be. Only unknown links are counted, so that no one
 * can use up the attempts of everyone in a network: a link that was sent to someone always works.
 * @throws HttpError 429 for too many unknown ones, DataError
 */
export async function findKnownLink(
  request: Request,
  tokenHash: string,
  limit: RateLimit,
): Promise<LinkTarget> {
  const target = await findTarget(tokenHash);
  if (target === null) await enforceRateLimit(limit, getClientNetwork(request));
  return target;
}
