import { callUpstream } from "~/integrations/upstream/call-upstream.server";

import { nameSupabaseCall } from "./supabase-call-name";

const CALL_DEADLINE_MS = 4_000;

/** The error code of an answer that did not come from Supabase itself. */
export const UNREACHABLE = "unreachable";

function unreachable(kind: string): Response {
  // 400, because the clients of supabase-js wait and retry on network errors and on 500 and above,
  // for up to 30 s, while someone is waiting for the page.
  const body = {
    code: UNREACHABLE,
    error_code: UNREACHABLE,
    message: kind,
    msg: kind,
    details: null,
    hint: null,
  };
  return new Response(JSON.stringify(body), {
    status: 400,
    headers: { "Content-Type": "application/json" },
  });
}

/**
 * Any failure of the auth service, and a gateway's. Those of the database can have a code of their
 * own.
 */
function isOutage({ status, url }: Response): boolean {
  if (url.includes("/auth/v1/")) return status >= 500;
  return [502, 503, 504].includes(status) || status >= 520;
}

/**
 * Whether a body is whole. A body without a length ends in the same way when its connection breaks.
 */
function isJson(body: ArrayBuffer): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether an answer must have a body. The data API leaves it out where none was asked for (HEAD), where
 * there is nothing to return (204), and after a write that asks for no row: an insert answers 201 then, and
 * an upsert 200. So an upsert that must not be lost asks for a row.
 */
function needsBody({ status }: Response, method: string, headers: Headers): boolean {
  if (method === "HEAD" || status < 200 || status > 299) return false;
  const preferred = headers.get("Prefer") ?? "";
  if (preferred.includes("return=representation")) return status !== 204;
  return (status === 200 || status === 206) && !preferred.includes("resolution=");
}

/**
 * `fetch` for all calls of Supabase. It never throws and never hangs: a refused connection, a hang
 * (over 4 s, or longer than the request has time), a cut-off or empty body, a gateway's HTML, and 502
 * to 504 all come back as one answer with the code "unreachable", so that callers know one kind of
 * outage instead of nine.
 */
export const supabaseFetch: typeof fetch = async (input, init = {}) => {
  const url = input instanceof Request ? input.url : String(input);
  const method = init.method ?? (input instanceof Request ? input.method : "GET");
  try {
    return await callUpstream(
      {
        service: url.includes("/auth/v1/") ? "auth" : "database",
        name: nameSupabaseCall(method, url),
        limitMs: CALL_DEADLINE_MS,
        signal: init.signal,
      },
      async (attempt) => {
        const response = await fetch(input, { ...init, signal: attempt.signal, redirect: "error" });
        const body = await response.arrayBuffer();
        attempt.status = response.status;
        if (isOutage(response)) return unreachable(`answered ${response.status}`);
        const problem = describeBodyProblem(response, body, method, new Headers(init.headers));
        if (problem) {
          attempt.status = 0;
          return unreachable(problem);
        }
        const bodyless = response.status === 204 || response.status === 304;
        return new Response(bodyless ? null : body, {
          status: response.status,
          headers: response.headers,
        });
      },
    );
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : "failed");
  }
};

/** Why a body can't be Supabase's; null when it can. */
function describeBodyProblem(
  response: Response,
  body: ArrayBuffer,
  method: string,
  headers: Headers,
): string | null {
  if (body.byteLength === 0)
    return needsBody(response, method, headers) ? "answered with nothing" : null;
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.includes("json")) return `answered ${type || "untyped text"}`;
  return isJson(body) ? null : "answered incomplete JSON";
}
