import { randomUUID } from "node:crypto";

import { readCookie, trackingCookie } from "~/http/cookies.server";
import { redactSecrets, type Log } from "~/http/log.server";
import type { Session } from "~/http/session.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import {
  isTrackingConfigured,
  track,
  type MarketingEvent,
  type TrackingSubject,
} from "~/integrations/tracking/tracking.server";
import { runInBackground } from "~/integrations/upstream/request-scope.server";

import { TRACKING_TEXT } from "./tracking-text";

/** A request and its session, which may have a consent to tracking. */
interface Visitor {
  request: Request;
  session: Session | null;
}

/** The cookie's value. Only a "yes" has an id of the browser. */
interface StoredConsent {
  granted: boolean;
  version: string;
  browser?: string;
}

async function readStoredConsent(request: Request): Promise<StoredConsent | null> {
  const value = await readCookie(trackingCookie(), request);
  return typeof value === "object" && value !== null && "version" in value
    ? (value as StoredConsent)
    : null;
}

/**
 * The answer to the question about tracking: the user's when someone is signed in, or else the
 * browser's. Null when the current text was not answered yet, and for a cookie that was tampered
 * with.
 */
export async function getTrackingConsent({ request, session }: Visitor): Promise<boolean | null> {
  if (session)
    return session.user.tracking?.version === TRACKING_TEXT.version
      ? session.user.tracking.granted
      : null;
  const stored = await readStoredConsent(request);
  return stored?.version === TRACKING_TEXT.version ? stored.granted : null;
}

/** Whether to ask: only when a service is configured and there is no answer yet. */
export async function shouldAskForConsent(visitor: Visitor): Promise<boolean> {
  return isTrackingConfigured() && (await getTrackingConsent(visitor)) === null;
}

/**
 * Stores the answer: as a consent of the user, and in the browser for when no one is signed in. A user's "yes" is only
 * theirs: on a shared computer, the next person is asked again.
 * @param page the page where it was given
 * @returns the Set-Cookie value, if any
 * @throws DataError
 */
export async function saveTrackingConsent(
  db: Db,
  session: Session | null,
  granted: boolean,
  page: string,
): Promise<string | null> {
  const { version } = TRACKING_TEXT;
  if (session) {
    unwrap(await db.rpc("set_tracking_consent", { granted, text_version: version, page }));
    if (granted) return null;
  }
  const stored: StoredConsent = granted
    ? { granted, version, browser: randomUUID() }
    : { granted, version };
  return trackingCookie().serialize(stored);
}

const logFailure = (log: Log, name: string) => (reason: string) =>
  log.warn({ event: name, reason }, "a marketing event was not delivered");

/** Tracks an event of the visitor, with their consent. Never throws when a service fails. */
export async function trackVisitor(
  visitor: Visitor,
  event: MarketingEvent,
  log: Log,
): Promise<void> {
  if (!isTrackingConfigured() || (await getTrackingConsent(visitor)) !== true) return;
  const { request, session } = visitor;
  const browser = session ? undefined : (await readStoredConsent(request))?.browser;
  const subject: TrackingSubject | null = session
    ? { email: session.user.email }
    : browser
      ? { browser }
      : null;
  if (subject) track(event, subject, logFailure(log, event.name));
}

/**
 * Tracks an event of a user who need not be signed in, such as a confirmed payment, with their
 * consent.
 * @throws DataError
 */
export async function trackAccount(userId: string, event: MarketingEvent, log: Log): Promise<void> {
  if (!isTrackingConfigured()) return;
  const service = createServiceClient();
  const [consent] = unwrap(
    await service
      .from("consents")
      .select("granted, text_version")
      .eq("user_id", userId)
      .eq("channel", "tracking")
      .order("id", { ascending: false })
      .limit(1),
  );
  if (!consent?.granted || consent.text_version !== TRACKING_TEXT.version) return;
  const profile = unwrap(await service.from("profiles").select("email").eq("id", userId).single());
  if (profile.email) track(event, { email: profile.email }, logFailure(log, event.name));
}

/**
 * Runs `trackAccount` in the background, for an action that must not wait for it or fail with it.
 */
export function trackPurchase(userId: string, event: MarketingEvent, log: Log): void {
  runInBackground(() => trackAccount(userId, event, log)).catch((error: unknown) =>
    logFailure(log, event.name)(redactSecrets(String(error))),
  );
}
