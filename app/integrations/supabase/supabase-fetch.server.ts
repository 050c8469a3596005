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
 * `fetch` for all calls of Supabase. It never throws and never hangs: a refused connection, a hang
 * (over 4 s), a cut-off body, a gateway's HTML, and 502 to 504 all come back as one answer with the
 * code "unreachable", so that callers know one kind of outage instead of eight.
 */
export const supabaseFetch: typeof fetch = async (input, init) => {
  const deadline = AbortSignal.timeout(CALL_DEADLINE_MS);
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
  try {
    const response = await fetch(input, { ...init, signal, redirect: "error" });
    const body = await response.arrayBuffer();
    if (isOutage(response)) return unreachable(`answered ${response.status}`);
    const type = response.headers.get("Content-Type") ?? "";
    if (body.byteLength > 0 && !type.includes("json"))
      return unreachable(`answered ${type || "untyped text"}`);
    if (body.byteLength > 0 && !isJson(body)) return unreachable("answered incomplete JSON");
    const bodyless = response.status === 204 || response.status === 304;
    return new Response(bodyless ? null : body, {
      status: response.status,
      headers: response.headers,
    });
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : "failed");
  }
};
