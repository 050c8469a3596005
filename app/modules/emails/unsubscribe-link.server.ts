import { createHmac, timingSafeEqual } from "node:crypto";

import { env } from "~/env.server";
import { paths } from "~/http/paths";

import { isOptionalEmail, type OptionalEmailKind } from "./optional-emails";

/** A kind of e-mails to a person, as the link to stop them names it. */
export interface Subscription {
  person: string;
  kind: OptionalEmailKind;
}

const sign = (text: string) =>
  createHmac("sha256", env().sessionSecret).update(`unsubscribe ${text}`).digest("base64url");

/**
 * The address that stops these e-mails by a POST, from a mail program's own button (RFC 8058) or from the page it shows.
 * It holds for as long as the e-mail lies in a mailbox, and can do nothing else.
 */
export function createUnsubscribeLink({ person, kind }: Subscription): string {
  const text = `${person}.${kind}`;
  return `${env().appUrl}${paths.unsubscribe(`${text}.${sign(text)}`)}`;
}

/** What a link stands for; null when we did not make it. */
export function parseUnsubscribeLink(url: URL): Subscription | null {
  const [person, kind, signature, ...more] = (url.searchParams.get("notice") ?? "").split(".");
  if (!person || !kind || !signature || more.length > 0 || !isOptionalEmail(kind)) return null;
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(`${person}.${kind}`))];
  return given.length === right.length && timingSafeEqual(given, right) ? { person, kind } : null;
}
