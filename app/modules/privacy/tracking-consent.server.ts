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

import { TRACKING_TEXT } from "./tracking-text";

/** Who asks, as far as a choice about tracking can be theirs. */
interface Asker {
  request: Request;
  session: Session | null;
}

/** What a browser keeps of the choice while nobody is signed in; under a "no" it keeps nothing else. */
interface KeptChoice {
  granted: boolean;
  version: string;
  browser?: string;
}

async function keptIn(request: Request): Promise<KeptChoice | null> {
  const kept = await readCookie(trackingCookie(), request);
  return typeof kept === "object" && kept !== null && "version" in kept
    ? (kept as KeptChoice)
    : null;
}

/**
 * The choice as it stands: an account's own when somebody is signed in, else the browser's. Null when it was never made
 * under today's words; a cookie that was tampered with is no choice.
 */
export async function getTrackingConsent({ request, session }: Asker): Promise<boolean | null> {
  if (session)
    return session.user.tracking?.version === TRACKING_TEXT.version
      ? session.user.tracking.granted
      : null;
  const kept = await keptIn(request);
  return kept?.version === TRACKING_TEXT.version ? kept.granted : null;
}

/** Whether to ask: only while there is somebody to tell, and no answer yet. */
export async function shouldAskForConsent(asker: Asker): Promise<boolean> {
  return isTrackingConfigured() && (await getTrackingConsent(asker)) === null;
}

/**
 * Keeps a choice: in the record of an account, and in the browser for when nobody is signed in.
 * @param page where the choice was made
 * @returns the Set-Cookie value
 * @throws DataError
 */
export async function saveTrackingConsent(
  db: Db,
  session: Session | null,
  granted: boolean,
  page: string,
): Promise<string> {
  const { version } = TRACKING_TEXT;
  if (session) unwrap(await db.rpc("choose_tracking", { granted, text_version: version, page }));
  const kept: KeptChoice = granted
    ? { granted, version, browser: randomUUID() }
    : { granted, version };
  return trackingCookie().serialize(kept);
}

const onFailure = (log: Log, name: string) => (reason: string) =>
  log.warn({ event: name, reason }, "a marketing event was not delivered");

/** Tells of an event of whoever asks, when they have agreed. Never throws for the outside. */
export async function trackVisitor(asker: Asker, event: MarketingEvent, log: Log): Promise<void> {
  if (!isTrackingConfigured() || (await getTrackingConsent(asker)) !== true) return;
  const browser = asker.session ? undefined : (await keptIn(asker.request))?.browser;
  const subject: TrackingSubject | null = asker.session
    ? { email: asker.session.user.email }
    : browser
      ? { browser }
      : null;
  if (subject) track(event, subject, onFailure(log, event.name));
}

/**
 * Tells of an event of an account that nobody is signed in to at the moment, such as a payment that was confirmed, when
 * its person has agreed.
 * @throws DataError
 */
export async function trackAccount(userId: string, event: MarketingEvent, log: Log): Promise<void> {
  if (!isTrackingConfigured()) return;
  const service = createServiceClient();
  const [choice] = unwrap(
    await service
      .from("consents")
      .select("granted, text_version")
      .eq("user_id", userId)
      .eq("channel", "tracking")
      .order("id", { ascending: false })
      .limit(1),
  );
  if (!choice?.granted || choice.text_version !== TRACKING_TEXT.version) return;
  const profile = unwrap(await service.from("profiles").select("email").eq("id", userId).single());
  if (profile.email) track(event, { email: profile.email }, onFailure(log, event.name));
}

/** `trackAccount` for an act that neither waits for it nor fails with it. */
export function trackPurchase(userId: string, event: MarketingEvent, log: Log): void {
  trackAccount(userId, event, log).catch((error: unknown) =>
    onFailure(log, event.name)(redactSecrets(String(error))),
  );
}
