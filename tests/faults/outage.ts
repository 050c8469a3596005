/** The ways in which another service can fail, to simulate with a world's Supabase. */
import { delay, http, HttpResponse, passthrough, type HttpResponseResolver } from "msw";

import { outside } from "../support/outside";

const html = (status: number) =>
  new HttpResponse("<html><title>gateway db-7.internal</title></html>", {
    status,
    headers: { "Content-Type": "text/html" },
  });

function cutOff() {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('[{"id":1,"name":"Ca'));
      controller.error(new Error("socket hang up"));
    },
  });
  return new HttpResponse(body, { headers: { "Content-Type": "application/json" } });
}

/** Failures that are noticed at once. A hang is separate, since it takes the whole deadline. */
export const faults: Record<string, HttpResponseResolver> = {
  "refuses the connection": () => HttpResponse.error(),
  "answers 502": () => html(502),
  "answers 503": () =>
    HttpResponse.json({ message: "upstream db-7.internal unavailable" }, { status: 503 }),
  "is cut off in the middle": cutOff,
  "sends incomplete JSON": () =>
    new HttpResponse('[{"id":1,"na', { headers: { "Content-Type": "application/json" } }),
  "answers HTML": () => html(200),
  "answers with nothing": () => new HttpResponse(null, { status: 200 }),
  "answers 429": () => HttpResponse.json({ message: "slow down" }, { status: 429 }),
  "does not take our key": () =>
    HttpResponse.json({ message: "Invalid API key", hint: "sb_secret_x" }, { status: 401 }),
};
export const faultNames = Object.keys(faults);

export const hangs: HttpResponseResolver = async () => {
  await delay("infinite");
};

/**
 * Makes requests to these URLs fail, until the end of the test.
 * @param only lets other requests through
 */
export function breakDown(
  address: string,
  fault: HttpResponseResolver,
  only: (request: Request) => boolean = () => true,
) {
  outside.use(http.all(address, (info) => (only(info.request) ? fault(info) : passthrough())));
}

/** Ends the failure. */
export function recover() {
  outside.resetHandlers();
}
