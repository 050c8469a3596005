import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { REQUEST_ID_HEADER } from "./inner-headers.server";

/** As many bytes as may wait for a slow reader before more are made for them. */
const MOST_WAITING = 256 * 1_024;
const LOOK_AGAIN_MS = 25;

const open = new Map<string, ServerResponse>();

/** Remembers where the answer to a request goes, until it is sent or its reader is gone. */
export function trackResponse(requestId: string, response: ServerResponse): void {
  open.set(requestId, response);
  response.once("close", () => open.delete(requestId));
}

/**
 * Waits while more of an answer lies ready than its reader takes. The server writes a body as fast as it
 * gives, whoever reads: so a long one asks here before it goes on, or all of it would pile up in memory.
 */
export async function waitUntilDrained(request: Request): Promise<void> {
  const response = open.get(request.headers.get(REQUEST_ID_HEADER) ?? "");
  while (response && !response.destroyed && response.writableLength > MOST_WAITING)
    await wait(LOOK_AGAIN_MS);
}
