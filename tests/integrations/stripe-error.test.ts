import Stripe from "stripe";
import { describe, expect, it } from "vitest";

import { nullIfMissing, classifyStripeError } from "~/integrations/stripe/stripe-error.server";

const { errors } = Stripe;
const raw = (type: string, fields: object = {}) => ({ type, message: "No.", ...fields }) as never;

describe("an error of a call to Stripe", () => {
  it.each([
    ["card", new errors.StripeCardError(raw("card_error", { code: "card_declined" })), "refused"],
    [
      "invalid request",
      new errors.StripeInvalidRequestError(raw("invalid_request_error")),
      "refused",
    ],
    [
      "missing object",
      new errors.StripeInvalidRequestError(
        raw("invalid_request_error", { code: "resource_missing" }),
      ),
      "missing",
    ],
    ["API", new errors.StripeAPIError(raw("api_error")), "unavailable"],
    [
      "authentication",
      new errors.StripeAuthenticationError(raw("invalid_request_error")),
      "misconfigured",
    ],
    ["rate limit", new errors.StripeRateLimitError(raw("invalid_request_error")), "unavailable"],
    ["idempotency", new errors.StripeIdempotencyError(raw("idempotency_error")), "refused"],
    [
      "the same request running",
      new errors.StripeIdempotencyError(
        raw("idempotency_error", { code: "idempotency_key_in_use" }),
      ),
      "unavailable",
    ],
    ["connection", new errors.StripeConnectionError(raw("api_error")), "unavailable"],
    ["permission", new errors.StripePermissionError(raw("invalid_request_error")), "misconfigured"],
    ["unknown", new errors.StripeError(raw("something_new")), "unavailable"],
  ])("of the kind “%s” is classified as %s", (_kind, error, kind) => {
    expect(classifyStripeError(error)).toBe(kind);
  });

  it("of our own is not classified", () => {
    for (const error of [
      new TypeError("x"),
      new Error("StripeError"),
      "api_error",
      null,
      undefined,
    ])
      expect(classifyStripeError(error)).toBeNull();
  });

  it("becomes null when the object is missing; any other error is thrown", async () => {
    await expect(
      nullIfMissing(
        Promise.reject(
          new errors.StripeInvalidRequestError(
            raw("invalid_request_error", { code: "resource_missing" }),
          ),
        ),
      ),
    ).resolves.toBeNull();
    await expect(
      nullIfMissing(Promise.reject(new errors.StripeAPIError(raw("api_error")))),
    ).rejects.toThrow();
    await expect(nullIfMissing(Promise.resolve(7))).resolves.toBe(7);
  });
});
