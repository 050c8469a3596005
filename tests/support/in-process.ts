/**
 * Calls of the stand-ins that run in this process, without a network in between: the sockets of some hundred
 * thousand calls were a good part of the route tests' time. The stand-ins listen as well: for browsers, for
 * proxies that break a connection, and for what a test answers by itself.
 */
import { AsyncResource } from "node:async_hooks";

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

/** Has `fetch` find the stand-ins of this process, from now on. @returns ends it */
export function connectInProcess(): () => void {
  const network = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const answer = answers.get(new URL(url).origin);
    // A test that answers requests by itself may mean these.
    if (!answer || outside.listHandlers().length > 0) return network(input, init);
    const request = await toReceived(new Request(input, init));
    request.signal.throwIfAborted();
    const response = await untilAborted(request.signal, answer(request));
    const location = response.headers.get("Location");
    if (location !== null && request.redirect === "error") throw new TypeError("fetch failed");
    if (location !== null && request.redirect === "follow") return fetch(new URL(location, url));
    return Object.defineProperty(response, "url", { value: url });
  };
  return () => void (globalThis.fetch = network);
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
