import { createHash } from "node:crypto";

import { parse } from "qs";

import { type Account, API_VERSION } from "./account";
import { ApiError } from "./api-error";
import { chargeEndpoints } from "./charges";
import { checkoutSessionEndpoints } from "./checkout-sessions";
import { couponEndpoints } from "./coupons";
import { customerEndpoints } from "./customers";
import { disputeEndpoints } from "./disputes";
import type { Endpoint } from "./endpoint";
import { eventEndpoints } from "./events";
import { expand } from "./expansion";
import { newId } from "./ids";
import { invoiceEndpoints } from "./invoice-list";
import type { Raw } from "./parameters";
import { paymentIntentEndpoints } from "./payment-intent-requests";
import { paymentMethodEndpoints } from "./payment-method-requests";
import { portalEndpoints } from "./portal";
import { portalSessionEndpoints } from "./portal-sessions";
import { productAndPriceEndpoints } from "./products-and-prices";
import type { IdempotentResponse } from "./records";
import { refundEndpoints } from "./refunds";
import { subscriptionEndpoints } from "./subscription-requests";
import { taxSettingsEndpoints } from "./tax-settings";
import { webhookEndpointEndpoints } from "./webhook-endpoints";

/** Every operation that the stand-in knows. */
export const ENDPOINTS: Endpoint[] = [
  ...chargeEndpoints,
  ...checkoutSessionEndpoints,
  ...couponEndpoints,
  ...customerEndpoints,
  ...disputeEndpoints,
  ...eventEndpoints,
  ...invoiceEndpoints,
  ...paymentIntentEndpoints,
  ...paymentMethodEndpoints,
  ...portalEndpoints,
  ...portalSessionEndpoints,
  ...productAndPriceEndpoints,
  ...refundEndpoints,
  ...subscriptionEndpoints,
  ...taxSettingsEndpoints,
  ...webhookEndpointEndpoints,
];

const MAX_PARAMETERS = 1000;
const MAX_KEY_LENGTH = 255;
const KEY_LIFETIME_S = 24 * 3600;

interface ApiRequest {
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
    checkKey(request.headers, secretKey);
    checkVersion(request.headers);
    const hash = hashOf(request);
    const earlier = key === null ? undefined : earlierResponse(account, key, hash);
    if (earlier) {
      return reply(earlier.status ?? 200, earlier.body, {
        "idempotent-replayed": "true",
        "original-request": earlier.requestId,
      });
    }
    const answer = runOnce(account, prepare(account, request), { id: requestId, key, hash });
    return reply(answer.status, answer.body);
  } catch (problem) {
    // What was refused before it ran is not stored: its key can be used again.
    if (problem instanceof ApiError)
      return reply(problem.status, JSON.stringify(problem.body, null, 2));
    throw problem;
  }
}

interface Answer {
  status: number;
  body: string;
}

function toAnswer(result: object): Answer {
  return result instanceof ApiError
    ? { status: result.status, body: JSON.stringify(result.body, null, 2) }
    : { status: 200, body: JSON.stringify(result, null, 2) };
}

/**
 * Runs a request, and stores its answer with its key. A request that throws has changed nothing,
 * but, as at Stripe, its answer is stored all the same: a repetition gets it again.
 */
function runOnce(
  account: Account,
  work: () => object,
  { id, key, hash }: { id: string; key: string | null; hash: string },
): Answer {
  const store = (result: object): Answer => {
    const answer = toAnswer(result);
    if (key !== null) {
      account.store.put("idempotent_response", key, {
        request: hash,
        requestId: id,
        ...answer,
        createdAt: account.now,
      });
    }
    return answer;
  };
  try {
    return account.runRequest({ id, idempotency_key: key }, () => store(work()));
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem;
    return account.store.transaction(() => store(problem));
  }
}

/** Finds the operation of a request and parses its parameters. */
function prepare(account: Account, { method, url, body }: ApiRequest): () => object {
  const path = url.pathname;
  const found = ENDPOINTS.find((one) => one.method === method && one.path.test(path));
  if (!found) {
    throw new ApiError(
      `Unrecognized request URL (${method}: ${path}). If Stripe knows it, the local stand-in for Stripe does not.`,
      { status: 404 },
    );
  }
  const { expand: paths, ...parameters } = parseForm(
    method === "POST" ? body : url.search.slice(1),
  );
  const id = found.path.exec(path)?.groups?.["id"];
  const work = found.prepare(account, id === undefined ? "" : decodeURIComponent(id), parameters);
  if (paths === undefined) return work;
  const wanted = parsePaths(paths);
  return () => {
    const answer = work();
    return answer instanceof ApiError ? answer : expand(account, answer, wanted);
  };
}

function parseForm(form: string): { [name: string]: Raw } {
  return parse(form, {
    depth: 8,
    arrayLimit: 100,
    parameterLimit: MAX_PARAMETERS,
    plainObjects: true,
  }) as { [name: string]: Raw };
}

function parsePaths(paths: Raw): string[] {
  if (Array.isArray(paths) && paths.every((path) => typeof path === "string")) return paths;
  throw new ApiError("Invalid array", { param: "expand" });
}

function checkKey(headers: Headers, secretKey: string): void {
  const key = /^Bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (key === undefined) {
    throw new ApiError(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. " +
        "'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details.",
      { status: 401 },
    );
  }
  if (key !== secretKey) {
    throw new ApiError(
      `Invalid API Key provided: ${key.slice(0, 8)}${"*".repeat(12)}${key.slice(-4)}`,
      { status: 401 },
    );
  }
}

function checkVersion(headers: Headers): void {
  const version = headers.get("stripe-version");
  if (version !== null && version !== API_VERSION) {
    throw new ApiError(
      `Invalid Stripe API version: ${version}. The local stand-in for Stripe speaks ${API_VERSION}.`,
    );
  }
}

/** Two requests are the same when their method, path and body are. */
function hashOf({ method, url, body }: ApiRequest): string {
  return createHash("sha256").update(`${method} ${url.pathname}\n${body}`).digest("hex");
}

/**
 * The first response to a request with this idempotency key; undefined when the key is new, or older
 * than a day.
 * @throws ApiError when the key was used for another request
 */
function earlierResponse(
  account: Account,
  key: string,
  request: string,
): IdempotentResponse | undefined {
  const type = "idempotency_error";
  if (key.length > MAX_KEY_LENGTH)
    throw new ApiError(`Idempotency keys may only be ${MAX_KEY_LENGTH} characters long.`, { type });
  const earlier = account.store.find("idempotent_response", key);
  if (!earlier || earlier.createdAt <= account.now - KEY_LIFETIME_S) return undefined;
  if (earlier.request === request) return earlier;
  throw new ApiError(
    "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than " +
      `'${key}' if you meant to execute a different request.`,
    { type },
  );
}
