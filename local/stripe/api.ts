import { parse } from "qs";

import { type Account, API_VERSION } from "./account";
import { charges } from "./charges";
import { checkoutSessions } from "./checkout-sessions";
import { coupons } from "./coupons";
import { customers } from "./customers";
import { disputes } from "./disputes";
import type { Endpoint } from "./endpoint";
import { events } from "./events";
import { expanded } from "./expansion";
import { fingerprint, keptAnswer } from "./idempotency";
import { newId } from "./ids";
import { invoices } from "./invoices";
import type { Raw } from "./parameters";
import { paymentIntents } from "./payment-intents";
import { paymentMethods } from "./payment-methods";
import { portalConfigurations } from "./portal-configurations";
import { portalSessions } from "./portal-sessions";
import { prices } from "./prices";
import { products } from "./products";
import { promotionCodes } from "./promotion-codes";
import { Refusal } from "./refusal";
import { refunds } from "./refunds";
import { subscriptions } from "./subscriptions";
import { webhookEndpoints } from "./webhook-endpoints";

const ENDPOINTS: Endpoint[] = [
  ...charges,
  ...checkoutSessions,
  ...coupons,
  ...customers,
  ...disputes,
  ...events,
  ...invoices,
  ...paymentIntents,
  ...paymentMethods,
  ...portalConfigurations,
  ...portalSessions,
  ...prices,
  ...products,
  ...promotionCodes,
  ...refunds,
  ...subscriptions,
  ...webhookEndpoints,
];

const MOST_PARAMETERS = 1000;

/** A request to the API as it came, its body read. */
export interface ApiRequest {
  method: string;
  /** Path and query. */
  url: URL;
  headers: Headers;
  body: string;
}

/** Answers a request to `/v1/…` as Stripe does. */
export function answerApi(account: Account, secretKey: string, request: ApiRequest): Response {
  const requestId = newId("req", 14);
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "request-id": requestId,
    "stripe-version": API_VERSION,
    "cache-control": "no-cache, no-store",
    ...(key === null ? {} : { "idempotency-key": key, "original-request": requestId }),
  };
  const reply = (status: number, body: string, more: Record<string, string> = {}): Response =>
    new Response(body, { status, headers: { ...headers, ...more } });
  try {
    proveKey(request.headers, secretKey);
    proveVersion(request.headers);
    const fingerprinted = fingerprint(request.method, request.url.pathname, request.body);
    const kept = key === null ? undefined : keptAnswer(account, key, fingerprinted);
    if (kept)
      return reply(kept.status, kept.body, {
        "idempotent-replayed": "true",
        "original-request": kept.requestId,
      });

    const body = account.answer({ id: requestId, idempotency_key: key }, () => {
      const answer = JSON.stringify(run(account, request), null, 2);
      // What was refused has changed nothing, so it may be tried again with the same key.
      if (key !== null) {
        account.store.put("answer", key, {
          request: fingerprinted,
          requestId,
          status: 200,
          body: answer,
          at: account.now,
        });
      }
      return answer;
    });
    return reply(200, body);
  } catch (problem) {
    if (problem instanceof Refusal)
      return reply(problem.status, JSON.stringify(problem.body, null, 2));
    throw problem;
  }
}

function run(account: Account, { method, url, body }: ApiRequest): object {
  const path = url.pathname;
  const found = ENDPOINTS.find((one) => one.method === method && one.path.test(path));
  if (!found) {
    throw new Refusal(
      `Unrecognized request URL (${method}: ${path}). If Stripe knows it, the local stand-in for Stripe does not.`,
      { status: 404 },
    );
  }
  const parameters = read(method === "GET" ? url.search.slice(1) : body);
  const { expand, ...others } = parameters;
  const id = found.path.exec(path)?.groups?.["id"];
  const answer = found.run(account, id === undefined ? "" : decodeURIComponent(id), others);
  return expand === undefined ? answer : expanded(account, answer, pathsIn(expand));
}

function read(form: string): { [name: string]: Raw } {
  return parse(form, {
    depth: 8,
    arrayLimit: 100,
    parameterLimit: MOST_PARAMETERS,
    plainObjects: true,
  }) as { [name: string]: Raw };
}

function pathsIn(expand: Raw): string[] {
  const paths = Array.isArray(expand)
    ? expand
    : typeof expand === "object"
      ? Object.values(expand)
      : [];
  if (paths.length === 0 || !paths.every((path) => typeof path === "string")) {
    throw new Refusal("Invalid array", { param: "expand" });
  }
  return paths;
}

function proveKey(headers: Headers, secretKey: string): void {
  const [scheme = "", sent = ""] = (headers.get("authorization") ?? "").split(/\s+/, 2);
  const given =
    scheme.toLowerCase() === "basic"
      ? Buffer.from(sent, "base64").toString().replace(/:.*$/, "")
      : sent;
  if (given === "") {
    throw new Refusal(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. " +
        "'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details.",
      { status: 401 },
    );
  }
  if (given !== secretKey) {
    throw new Refusal(
      `Invalid API Key provided: ${given.slice(0, 8)}${"*".repeat(12)}${given.slice(-4)}`,
      { status: 401 },
    );
  }
}

function proveVersion(headers: Headers): void {
  const version = headers.get("stripe-version");
  if (version !== null && version !== API_VERSION) {
    throw new Refusal(
      `Invalid Stripe API version: ${version}. The local stand-in for Stripe speaks ${API_VERSION}.`,
    );
  }
}
