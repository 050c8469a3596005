import { randomUUID } from "node:crypto";

/** Headers that prepare-request.server.ts sets on every request, replacing what the client sent. */
export const ORIGIN_HEADER = "x-dashboard-origin";
export const PEER_HEADER = "x-dashboard-peer";
export const REQUEST_ID_HEADER = "x-request-id";
/** Set by the loader of a page that shows a captcha, for the page's Content-Security-Policy. */
export const CAPTCHA_HEADER = "x-dashboard-captcha";

const generatedIds = new WeakMap<Request, string>();

/** The id of a request, by which its lines in the log are found. */
export function getRequestId(request: Request): string {
  const known = request.headers.get(REQUEST_ID_HEADER) ?? generatedIds.get(request);
  if (known) return known;
  const id = randomUUID();
  generatedIds.set(request, id);
  return id;
}
