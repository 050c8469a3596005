const CALL_DEADLINE_MS = 4_000;

/** The code our fetch gives to an answer that did not come from Supabase itself. */
export const UNREACHABLE = "unreachable";

function unreachable(kind: string): Response {
  // 500, because both the data and the auth client of supabase-js wait and retry for up to 30 s on
  // network errors and on 502 to 504, while a person is waiting for the page.
  const body = {
    code: UNREACHABLE,
    error_code: UNREACHABLE,
    message: kind,
    msg: kind,
    details: null,
    hint: null,
  };
  return new Response(JSON.stringify(body), {
    status: 500,
    headers: { "Content-Type": "application/json" },
  });
}

/** A connection that closes early ends a body without a length like a whole one: only its text tells. */
function isJson(body: ArrayBuffer): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}

/**
 * `fetch` for everything asked of Supabase: it never throws and never hangs. A refused connection, a
 * hang (over 4 s), a cut-off body, a gateway's HTML and 502 to 504 all come back as one answer with
 * the code "unreachable", so that callers know one kind of outage instead of eight.
 */
export const supabaseFetch: typeof fetch = async (input, init) => {
  const deadline = AbortSignal.timeout(CALL_DEADLINE_MS);
  const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
  try {
    const response = await fetch(input, { ...init, signal });
    const body = await response.arrayBuffer();
    if ([502, 503, 504].includes(response.status) || response.status >= 520)
      return unreachable(`answered ${response.status}`);
    const type = response.headers.get("Content-Type") ?? "";
    if (body.byteLength > 0 && !type.includes("json"))
      return unreachable(`answered ${type || "untyped text"}`);
    if (body.byteLength > 0 && !isJson(body)) return unreachable("answered half a sentence");
    const bodyless = response.status === 204 || response.status === 304;
    return new Response(bodyless ? null : body, {
      status: response.status,
      headers: response.headers,
    });
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : "failed");
  }
};
