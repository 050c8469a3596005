import { z } from "zod";

import { callUpstream, OutOfTime } from "~/integrations/upstream/call-upstream.server";

import { nameSupabaseCall } from "./supabase-call-name";

const CALL_DEADLINE_MS = 4_000;

/** The error code of an answer that did not come from Supabase itself. */
const UNREACHABLE = "unreachable";

/** What a service answered while it was out of order. */
interface Outage {
  /** The code it gave, for the log; "unreachable" when it gave none. */
  code: string;
  /** The status of its answer; 0 when there was none. */
  status: number;
}

/** What is behind the error code of a failed call; null when the service was not out of order. */
export function readOutage(errorCode: string): Outage | null {
  const [name, status, code] = errorCode.split(" ");
  return name === UNREACHABLE ? { code: code || UNREACHABLE, status: Number(status ?? 0) } : null;
}

function unreachable(kind: string, { code, status }: Outage = { code: "", status: 0 }): Response {
  // supabase-js passes nothing else on that could hold the status and the code.
  const errorCode = status === 0 ? UNREACHABLE : `${UNREACHABLE} ${status} ${code}`;
  // 400, because the clients of supabase-js wait and retry on network errors and on 500 and above,
  // for up to 30 s, while someone is waiting for the page.
  const body = {
    code: errorCode,
    error_code: errorCode,
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

const MAX_REASON_LENGTH = 300;
/** Only the shape of a code: anything may answer in place of the service. */
const codeOf = z.string().regex(/^\w{1,64}$/);
/** An error of Supabase's. Older answers of the auth service have the status as `code`. */
const errorBody = z.object({
  error_code: codeOf.optional().catch(undefined),
  code: codeOf.optional().catch(undefined),
  msg: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** The answer for an outage, with what the service said about it. */
function describeOutage({ status }: Response, body: ArrayBuffer): Response {
  const { error_code, code, msg, message } = errorBody.safeParse(parseJson(body)).data ?? {};
  const said = (msg ?? message ?? "").slice(0, MAX_REASON_LENGTH);
  return unreachable(`answered ${status}${said && `: ${said}`}`, {
    code: error_code ?? code ?? "",
    status,
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
 * The JSON of a body; undefined when it is incomplete. A body without a length ends in the same way
 * when its connection breaks.
 */
function parseJson(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
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
 * to 504 all come back as one answer, whose code `readOutage` knows, so that callers know one kind of
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
        const ask = async () => {
          const answer = await fetch(input, { ...init, signal: attempt.signal, redirect: "error" });
          return { response: answer, body: await answer.arrayBuffer() };
        };
        let { response, body } = await ask();
        if (wasDeadlocked(response, body)) ({ response, body } = await ask());
        attempt.status = response.status;
        if (isOutage(response)) return describeOutage(response, body);
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
    return unreachable(describeNoAnswer(error));
  }
};

/**
 * Whether Postgres ended a call because of a deadlock with another one. The other call goes on, so
 * this one succeeds when it is made again. That is safe only for this failure: the data API makes
 * each call in one transaction, and Postgres has said that it was rolled back as a whole.
 */
function wasDeadlocked({ ok, url }: Response, body: ArrayBuffer): boolean {
  if (ok || !url.includes("/rest/v1/")) return false;
  return errorBody.safeParse(parseJson(body)).data?.code === "40P01";
}

/** Why there was no answer, for the log. */
function describeNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error instanceof OutOfTime) return error.message;
  if (error.name === "TimeoutError") return "no answer in time";
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `no connection (${code})` : `no answer (${error.name})`;
}

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
  return parseJson(body) === undefined ? "answered incomplete JSON" : null;
}
