import { createHmac, timingSafeEqual } from "node:crypto";

import { env } from "~/env.server";
import { paths } from "~/http/paths";

import { isOptionalEmail, type OptionalEmailKind } from "./optional-emails";

/** A kind of email and its recipient. */
interface Subscription {
  userId: string;
  kind: OptionalEmailKind;
}

const sign = (text: string, secret = env().sessionSecret) =>
  createHmac("sha256", secret).update(`unsubscribe ${text}`).digest("base64url");

/**
 * The URL that turns these emails off by a POST, sent by a mail program's own button (RFC 8058) or
 * by the page that the URL shows. It works as long as SESSION_SECRET has the secret that signed it,
 * since emails stay in mailboxes, and can do nothing else.
 */
export function createUnsubscribeLink({ userId, kind }: Subscription): string {
  const text = `${userId}.${kind}`;
  return `${env().appUrl}${paths.unsubscribe(`${text}.${sign(text)}`)}`;
}

/** The subscription of an unsubscribe link; null when its signature is not valid. */
export function parseUnsubscribeLink(url: URL): Subscription | null {
  const [userId, kind, signature, ...more] = (url.searchParams.get("notice") ?? "").split(".");
  if (!userId || !kind || !signature || more.length > 0 || !isOptionalEmail(kind)) return null;
  const actual = Buffer.from(signature);
  const isSigned = env().sessionSecrets.some((secret) => {
    const expected = Buffer.from(sign(`${userId}.${kind}`, secret));
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  });
  return isSigned ? { userId, kind } : null;
}
