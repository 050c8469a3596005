import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

import { REQUEST_ID_HEADER } from "./internal-headers.server";

/** How many unsent bytes a response may have before more are produced for it. */
const MAX_BUFFERED_BYTES = 256 * 1_024;
const POLL_MS = 25;

const openResponses = new Map<string, ServerResponse>();

/** Remembers the response to a request, until it is sent or its connection is closed. */
export function trackResponse(requestId: string, response: ServerResponse): void {
  openResponses.set(requestId, response);
  response.once("close", () => openResponses.delete(requestId));
}

/**
 * Waits while the client is slower than the response. Remix writes a streamed body as fast as it is
 * produced. So a long one waits here before it continues; otherwise all of it would be in memory.
 */
export async function waitUntilDrained(request: Request): Promise<void> {
  const response = openResponses.get(request.headers.get(REQUEST_ID_HEADER) ?? "");
  while (response && !response.destroyed && response.writableLength > MAX_BUFFERED_BYTES)
    await wait(POLL_MS);
}

/** Waits until the response to a request is sent, or its connection is closed. */
export async function whenSent(request: Request): Promise<void> {
  const response = openResponses.get(request.headers.get(REQUEST_ID_HEADER) ?? "");
  if (response) await new Promise<void>((resolve) => void response.once("close", resolve));
  await nextTurn();
}
