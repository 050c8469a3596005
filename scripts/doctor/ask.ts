/** No request takes longer than this, so that all checks end in time. */
export const ASK_TIMEOUT_MS = 5_000;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
  /** How far the other machine's clock is ahead of ours, in milliseconds; null when it did not say. */
  clockAheadMs: number | null;
}

/** There was no answer. The message ends a sentence that begins with who was asked. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "has no address: its name is not in DNS",
  EAI_AGAIN: "has no address: DNS does not answer",
  ECONNREFUSED: "refuses the connection",
  ECONNRESET: "closes the connection",
  EHOSTUNREACH: "can’t be reached from here",
  ENETUNREACH: "can’t be reached from here",
  UND_ERR_CONNECT_TIMEOUT: "does not answer",
  CERT_HAS_EXPIRED: "has a TLS certificate that has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a TLS certificate that isn’t trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "has a TLS certificate that isn’t trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has an incomplete chain of TLS certificates",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a TLS certificate for another name",
};

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "does not answer";
  if (error.name === "TimeoutError")
    return `does not answer within ${ASK_TIMEOUT_MS / 1000} seconds`;
  const { code } = (error.cause ?? error) as { code?: string };
  return (code && REASONS[code]) ?? `does not answer${code ? ` (${code})` : ""}`;
}

/**
 * Sends one request. Redirects are answers here and are not followed.
 * @throws NoAnswer
 */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const began = Date.now();
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    // The header was written between the request and the answer, and has no fractions of a second.
    const halfway = (began + Date.now()) / 2;
    if (response.status === 0) throw new TypeError("no answer");
    const text = await response.text();
    const date = Date.parse(response.headers.get("Date") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: parse(text),
      clockAheadMs: Number.isNaN(date) ? null : date + 500 - halfway,
    };
  } catch (error) {
    throw new NoAnswer(describeFailure(error), { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
