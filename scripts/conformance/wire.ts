import { setTimeout as sleep } from "node:timers/promises";

import type { Target } from "./target";

/** A response, as far as the checks compare it. */
export interface Answer {
  status: number;
  /** The code of the error; empty for none. What our own SQL raises has its reason with it. */
  code: string;
  body: Record<string, unknown>;
}

interface Call {
  /** The access token of a user, or the secret key for what only the server may do. */
  token?: string;
  body?: unknown;
  /** A body that is sent as it is. */
  raw?: string;
}

const DEADLINE_MS = 30_000;
/** The auth service limits each address; its limits refill within this time. */
const PATIENCE_S = 120;
const PAUSE_S = 5;

/** Plain HTTP to a Supabase, for the contracts of the wire. */
export class Wire {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Calls the auth service, and waits while it limits this machine. */
  async auth(method: string, path: string, call: Call = {}): Promise<Answer> {
    return patiently(
      () => this.once(method, `/auth/v1/${path}`, call),
      ({ code }) => code === "over_request_rate_limit",
    );
  }

  /** Calls the auth service with the secret key. */
  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    const token = this.#target.secretKey;
    return this.auth(method, `admin/${path}`, { token, ...(body === undefined ? {} : { body }) });
  }

  /** Calls the data API. */
  data(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.once(method, `/rest/v1/${path}`, call);
  }

  /** Sends one request. */
  async once(method: string, path: string, { token, body, raw }: Call = {}): Promise<Answer> {
    const { url, publishableKey, secretKey } = this.#target;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(url + path, {
      method,
      headers: {
        apikey: token === secretKey ? secretKey : publishableKey,
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(content === undefined ? {} : { "Content-Type": "application/json" }),
      },
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(content === undefined ? {} : { body: content }),
    });
    const parsed = parse(await response.text());
    return { status: response.status, code: response.ok ? "" : codeOf(parsed), body: parsed };
  }
}

/** Repeats work while the service limits this machine, for a few minutes at most. */
export async function patiently<Result>(
  work: () => Promise<Result>,
  isLimited: (result: Result) => boolean,
): Promise<Result> {
  for (let waited = 0; ; waited += PAUSE_S) {
    const result = await work();
    if (!isLimited(result) || waited >= PATIENCE_S) return result;
    await sleep(PAUSE_S * 1000);
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : { body };
  } catch {
    return {};
  }
}

function codeOf({ error_code: authCode, code, message }: Record<string, unknown>): string {
  if (typeof authCode === "string") return authCode;
  if (typeof code !== "string") return "";
  // What our own SQL raises is a reason, and what Postgres says is a sentence.
  const isReason = typeof message === "string" && /^[a-z_]+$/.test(message);
  return isReason ? `${code} ${message}` : code;
}

/** An answer as a check compares it, such as `403 otp_expired`. */
export const outcomeOf = ({ status, code }: Answer): string => `${status} ${code}`.trim();
