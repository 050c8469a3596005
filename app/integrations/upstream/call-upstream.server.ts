import { currentScope, type RequestScope, type Service } from "./request-scope.server";

interface UpstreamCall {
  service: Service;
  /** Names the call in the log, without ids or values: `stripe checkout.sessions.create`. */
  name: string;
  /** How long it may take, when the request has more time than that. */
  limitMs: number;
  /** Ends the call as well. */
  signal?: AbortSignal | null | undefined;
}

/** What a call is made with, and what it reports. */
interface Attempt {
  /** Ends the call when its time is over. */
  readonly signal: AbortSignal;
  /** The status of the answer; 0 while there is none. */
  status: number;
}

/** A call that has ended. */
interface EndedCall {
  service: Service;
  status: number;
  ms: number;
}

/** No time was left to make the call, or to wait for its answer. */
export class OutOfTime extends Error {
  override name = "OutOfTime";
}

type Listener = (call: EndedCall) => void;
const listeners = new Set<Listener>();

/** Calls the listener after every call of an outside service. */
export function onUpstreamCall(listener: Listener): void {
  listeners.add(listener);
}

const running = new Set<AbortController>();
let endsAt = Infinity;

/** When the process ends: calls for requests that are open, or still arrive, end in this time. */
export function endCallsWithin(ms: number): void {
  endsAt = performance.now() + ms;
  setTimeout(() => {
    for (const controller of running) controller.abort(new OutOfTime("the process ends"));
  }, ms).unref();
}

/**
 * Makes a call to an outside service, in the time that is left for its request. All such calls are
 * made here, so that the log, the metrics, and the pages know what a request waited for.
 * @param ask makes the call, and sets `status` when the answer arrives
 * @throws OutOfTime when the request has no time left; what `ask` throws
 */
export async function callUpstream<T>(
  { service, name, limitMs, signal }: UpstreamCall,
  ask: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const scope = currentScope();
  const started = performance.now();
  const timeLeft = getTimeLeft(scope, started);
  if (timeLeft <= 0) {
    markExpired(scope, { name, status: 0, ms: 0 });
    throw new OutOfTime(`no time is left for ${name}`);
  }
  const controller = new AbortController();
  if (timeLeft < Infinity) running.add(controller);
  const timeout = AbortSignal.timeout(Math.ceil(Math.min(limitMs, timeLeft)));
  const attempt: Attempt = {
    signal: AbortSignal.any([controller.signal, timeout, ...(signal ? [signal] : [])]),
    status: 0,
  };
  let succeeded = false;
  try {
    const result = await ask(attempt);
    succeeded = true;
    return result;
  } catch (error) {
    if (attempt.signal.aborted) attempt.status = 0;
    throw error;
  } finally {
    running.delete(controller);
    const ms = performance.now() - started;
    const ended = { service, name, status: attempt.status, ms };
    if (scope) addToScope(scope, ended);
    // Not when the caller itself has ended it.
    const outOfTime = !succeeded && (timeout.aborted || controller.signal.aborted);
    if (outOfTime && timeLeft <= limitMs) markExpired(scope, ended);
    else if (outOfTime && scope) scope.hung = service;
    for (const listener of listeners) listener(ended);
  }
}

function getTimeLeft(scope: RequestScope | undefined, now: number): number {
  if (!scope || scope.deadline === Infinity) return Infinity;
  return Math.min(scope.deadline, endsAt) - now;
}

interface NamedCall extends EndedCall {
  name: string;
}

function markExpired(scope: RequestScope | undefined, call: Omit<NamedCall, "service">): void {
  if (!scope) return;
  scope.expired = true;
  // A timer may fire some milliseconds early. The time counts as over all the same, so no further
  // call is made.
  scope.deadline = Math.min(scope.deadline, performance.now());
  scope.failedCall = { name: call.name, status: call.status, ms: Math.round(call.ms) };
}

/** How bad a status is: no answer is the worst. */
const badness = (status: number) => (status === 0 ? Infinity : status);

function addToScope(scope: RequestScope, { service, name, status, ms }: NamedCall): void {
  const sum = scope.calls.get(name) ?? { name, count: 0, status, ms: 0 };
  sum.count += 1;
  sum.ms += ms;
  if (badness(status) > badness(sum.status)) sum.status = status;
  scope.calls.set(name, sum);
  scope.waitedMs.set(service, (scope.waitedMs.get(service) ?? 0) + ms);
  if (status !== 0 && status < 400) return;
  scope.failedCall = { name, status, ms: Math.round(ms) };
  // A refusal doesn't say that a service is out of order.
  if (status === 0 || status >= 500) scope.hung = null;
}
