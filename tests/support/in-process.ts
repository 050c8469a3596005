/**
 * Calls of the stand-ins that run in this process, without a network in between: the sockets of some hundred
 * thousand calls were a good part of the route tests' time. The stand-ins listen as well: for browsers, for
 * proxies that break a connection, and for what a test answers by itself.
 */
import { AsyncResource } from "node:async_hooks";

import { HttpHandler, matchRequestUrl } from "msw";

import { outside } from "./outside";
import { processWide } from "./process-wide";

type Answer = (request: Request) => Promise<Response>;

const answers = processWide("in-process", () => new Map<string, Answer>());

/** Answers calls of this origin in this process. @returns ends it */
export function answerInProcess(origin: string, answer: Answer): () => void {
  // A stand-in knows nothing of the request of the app that a call is made for.
  answers.set(origin, AsyncResource.bind(answer));
  return () => void answers.delete(origin);
}

/**
 * Has `fetch` find the stand-ins of this process, from now on. What a test answers by itself comes first: MSW, which
 * reads and copies each call, gets those that a handler may mean, and passes on to the stand-ins what none answers.
 *
 * @param watch has MSW watch `fetch`, and returns what ends that
 * @returns ends it
 */
export function connectInProcess(watch: () => () => void): () => void {
  const network = globalThis.fetch;
  const direct: typeof fetch = async (input, init) => {
    const url = urlOf(input);
    const answer = answers.get(new URL(url).origin);
    if (!answer) return network(input, init);
    const sent = new Request(input, init);
    // The caller's own: the signal of a request follows it only while that request is in memory.
    const signal = init?.signal ?? sent.signal;
    const request = await toReceived(sent);
    signal.throwIfAborted();
    const response = await untilAborted(signal, answer(request));
    // A server adds it.
    if (!response.headers.has("Date")) response.headers.set("Date", new Date().toUTCString());
    const location = response.headers.get("Location");
    if (location !== null && request.redirect === "error") throw new TypeError("fetch failed");
    if (location !== null && request.redirect === "follow") return fetch(new URL(location, url));
    return Object.defineProperty(response, "url", { value: url });
  };
  globalThis.fetch = direct;
  const unwatch = watch();
  const watched = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = new URL(urlOf(input));
    const skips = answers.has(url.origin) && !mayBeAnsweredByTest(url, methodOf(input, init));
    return (skips ? direct : watched)(input, init);
  };
  return () => {
    globalThis.fetch = watched;
    unwatch();
    globalThis.fetch = network;
  };
}

/** By its property: the server of the stand-ins replaces `Request`, and MSW may pass on one of before. */
const urlOf = (input: Parameters<typeof fetch>[0]) =>
  typeof input === "object" && "url" in input ? input.url : String(input);

const methodOf = (input: Parameters<typeof fetch>[0], init: RequestInit | undefined) =>
  (
    init?.method ?? (typeof input === "object" && "method" in input ? input.method : "GET")
  ).toUpperCase();

/** Whether a handler of the test that runs may mean this call: those of its path and method, and those of neither. */
function mayBeAnsweredByTest(url: URL, method: string): boolean {
  return outside.listHandlers().some((handler) => {
    if (!(handler instanceof HttpHandler)) return true;
    const { path, method: answered } = handler.info;
    if (typeof answered === "string" && answered.toUpperCase() !== method) return false;
    // MSW has conditions of its own, too: a function that it gives the whole request.
    return typeof path === "function" || matchRequestUrl(url, path).matches;
  });
}

/**
 * A request as a server has it, with the headers that `fetch` adds (Fetch standard, section 5.6). Its headers are
 * written out: MSW makes copies of a Headers object from what that was created with, and so without later ones.
 */
async function toReceived(sent: Request): Promise<Request> {
  const { url, method, signal, redirect } = sent;
  const headers = { accept: "*/*", "user-agent": "node", ...Object.fromEntries(sent.headers) };
  const body = sent.body === null ? null : await sent.arrayBuffer();
  return new Request(url, { method, headers, body, signal, redirect });
}

/** What `fetch` does when its signal aborts while it waits. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort!: () => void;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
