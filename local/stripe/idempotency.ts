import { createHash } from "node:crypto";

import type { Account } from "./account";
import { Refusal } from "./refusal";

/** An answer that is given again to the same request. */
export interface KeptAnswer {
  request: string;
  requestId: string;
  status: number;
  body: string;
  at: number;
}

const KEPT_S = 24 * 3600;
const LONGEST_KEY = 255;

/** What makes two requests the same: the address and everything sent. */
export function fingerprint(method: string, path: string, body: string): string {
  return createHash("sha256").update(`${method} ${path}\n${body}`).digest("hex");
}

/**
 * The answer kept for a key. A key is kept for 24 hours.
 * @throws Refusal when the key stands for another request
 */
export function keptAnswer(account: Account, key: string, request: string): KeptAnswer | undefined {
  if (key.length > LONGEST_KEY) {
    throw new Refusal(`Idempotency keys may only be ${LONGEST_KEY} characters long.`, {
      type: "idempotency_error",
    });
  }
  const kept = account.store.find("answer", key);
  if (!kept || kept.at <= account.now - KEPT_S) return undefined;
  if (kept.request === request) return kept;
  throw new Refusal(
    "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than " +
      `'${key}' if you meant to execute a different request.`,
    { type: "idempotency_error" },
  );
}
