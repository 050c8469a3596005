import { createServiceClient } from "./clients.server";

/**
 * What must run beside the app, through `npm run work` or a scheduler, and what isn't done without
 * it.
 */
export const SCHEDULED = {
  "emails:send": "Owners aren’t reminded, and emails that failed aren’t sent again",
  "erase-due": "Accounts aren’t deleted when they’re due",
  "billing:reconcile": "Payments that no webhook reported stay unknown",
} as const;
type ScheduledName = keyof typeof SCHEDULED;

/** What an installation needs. The local start needs nothing: its data are a demo. */
export function listScheduled({
  localMailboxUrl,
  stripe,
}: {
  localMailboxUrl: string | null;
  stripe: object | null;
}): ScheduledName[] {
  if (localMailboxUrl !== null) return [];
  return ["emails:send", "erase-due", ...(stripe ? ["billing:reconcile" as const] : [])];
}

/** Longer than a day, so that a daily run is never missed. */
const PERIOD_S = 2 * 24 * 60 * 60;

/** The counts of the rate limits that hold this period's runs, and those of the one before. */
function listBuckets(name: ScheduledName): string[] {
  const period = Math.floor(Date.now() / 1_000 / PERIOD_S);
  return [period, period - 1].map((one) => `ran:${name}:${one}`);
}

/**
 * Records that something scheduled has run. Without the database nothing is recorded, and it is
 * tried again tomorrow.
 */
export async function recordRun(name: ScheduledName): Promise<void> {
  const [bucket = ""] = listBuckets(name);
  await createServiceClient().rpc("take_rate_token", {
    bucket,
    max_hits: 1,
    window_seconds: 2 * PERIOD_S,
  });
}

/** Whether a bucket of the rate limits has a hit; null when the database doesn't say. */
type HasHit = (bucket: string) => PromiseLike<boolean | null>;

const askDatabase: HasHit = async (bucket) =>
  (await createServiceClient().rpc("rate_limit_reached", { bucket, max_hits: 1 })).data;

/** Those of these that have not run for two days. */
export async function findMissedRuns(
  names: readonly ScheduledName[],
  hasHit: HasHit = askDatabase,
): Promise<ScheduledName[]> {
  const isMissed = await Promise.all(
    names.map(async (name) => {
      const hits = await Promise.all(listBuckets(name).map(hasHit));
      return hits.every((hit) => hit === false);
    }),
  );
  return names.filter((_, index) => isMissed[index]);
}

/** Says that something scheduled has not run, and what follows from that. */
export const describeMissedRun = (name: ScheduledName): string =>
  `Nothing has run ${name} for two days. ${SCHEDULED[name]}. Start the worker (npm run work), or schedule it.`;
