import { AsyncLocalStorage } from "node:async_hooks";

/** An outside service, as logs, metrics, and pages tell them apart. */
export type Service = "database" | "auth" | "stripe" | "google" | "mail" | "tracking";

/** All calls of one name in one request. */
export interface CallSum {
  /** Such as `supabase rpc my_dashboard`. */
  name: string;
  count: number;
  /** The worst status of them; 0 when there was no answer. */
  status: number;
  ms: number;
}

export type UserKind = "anonymous" | "owner" | "admin" | "unknown";

/** What belongs to one request, from its arrival to its response. */
export interface RequestScope {
  readonly id: string;
  /** The pattern of its route, such as `/listings/:id`; null until a route has handled it. */
  route: string | null;
  user: UserKind;
  /** The id of the user whom a route let in that not everyone may use; null otherwise. */
  account: string | null;
  /** When its time is over, on the clock of `performance.now()`. */
  deadline: number;
  /** Whether a call failed because the time of the request was over. */
  expired: boolean;
  /** The service that took all of a call's own time, unless another call has failed since. */
  hung: Service | null;
  readonly calls: Map<string, CallSum>;
  /** How long it waited for each service in all. */
  readonly waitedMs: Map<Service, number>;
  /** The last call that failed. */
  failedCall: Pick<CallSum, "name" | "status" | "ms"> | null;
  /** Whether the log has a line that says why it failed. */
  explained: boolean;
}

/**
 * How long one request may take in all. Tests shorten it, or make it longer on a slow machine; nothing
 * else changes it.
 */
export const requestLimit = { ms: 10_000 };
/** The part of that time in which outside services may be called. The rest is for rendering. */
const SHARE_FOR_CALLS = 0.95;
/** The part for an action. The rest is for the page that shows its result. */
const SHARE_FOR_ACTION = 0.75;

const scopes = new AsyncLocalStorage<RequestScope>();

/** Begins a request: its time runs from now on. */
export function createScope(id: string): RequestScope {
  return {
    id,
    route: null,
    user: "anonymous",
    account: null,
    deadline: performance.now() + requestLimit.ms * SHARE_FOR_CALLS,
    expired: false,
    hung: null,
    calls: new Map(),
    waitedMs: new Map(),
    failedCall: null,
    explained: false,
  };
}

/** Runs a part of a request. Every outside call in it gets the time that remains. */
export const runInScope = <T>(scope: RequestScope, work: () => T): T => scopes.run(scope, work);

/** The request that the current work is for; undefined outside of requests. */
export const currentScope = (): RequestScope | undefined => scopes.getStore();

/**
 * Runs work that no response waits for. Its calls have their own limits and no share in the time of the
 * request, and are not listed in the request's line in the log. Its lines still have the request's id.
 */
export function runInBackground<T>(work: () => T): T {
  const { id = "" } = scopes.getStore() ?? {};
  return scopes.run({ ...createScope(id), deadline: Infinity }, work);
}

/**
 * Runs an action, once its form has arrived. The time of the request starts over then, since a slow
 * connection is not its fault. The page that shows the outcome gets what is left.
 */
export async function runAction<T>(action: () => Promise<T>): Promise<T> {
  const scope = scopes.getStore();
  if (!scope) return action();
  const started = performance.now();
  scope.deadline = started + requestLimit.ms * SHARE_FOR_ACTION;
  try {
    return await action();
  } finally {
    scope.deadline = started + requestLimit.ms * SHARE_FOR_CALLS;
  }
}

/**
 * Takes the limit from the rest of a request; each call keeps its own. For messages of machines, whose
 * senders wait longer than people do and send them again, and for downloads that have begun.
 */
export function liftDeadline(): void {
  const scope = scopes.getStore();
  if (scope) scope.deadline = Infinity;
}

/**
 * The service that was too slow: the one that a request waited for the longest, once its time is over; before, one
 * that took all of a call's own time. Null when none was.
 */
export function findSlowestService(): Service | null {
  const scope = scopes.getStore();
  if (!scope?.expired) return scope?.hung ?? null;
  const waits = [...scope.waitedMs].sort(([, one], [, other]) => other - one);
  return waits[0]?.[0] ?? null;
}
