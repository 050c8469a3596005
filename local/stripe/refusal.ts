import type { Stripe } from "stripe";

type ErrorType = "invalid_request_error" | "card_error" | "idempotency_error" | "api_error";

interface RefusalDetails {
  type?: ErrorType;
  status?: number;
  code?: string;
  param?: string;
  decline_code?: string;
  payment_intent?: Stripe.PaymentIntent;
}

/** A request that Stripe answers with an error body. What the request had begun is undone. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: number;
  readonly body: { error: Record<string, unknown> };

  constructor(
    message: string,
    { type = "invalid_request_error", status = 400, ...details }: RefusalDetails = {},
  ) {
    super(message);
    this.status = status;
    const { code } = details;
    const doc = code
      ? { doc_url: `https://docs.stripe.com/error-codes/${code.replaceAll("_", "-")}` }
      : {};
    this.body = { error: { type, message, ...details, ...doc } };
  }
}

/** What is not there: 404 when the address names it, 400 when a parameter does. */
export function noSuch(what: string, id: string, param?: string): Refusal {
  return new Refusal(`No such ${what}: '${id}'`, {
    code: "resource_missing",
    param: param ?? "id",
    status: param === undefined ? 404 : 400,
  });
}

export function missing(param: string): Refusal {
  return new Refusal(`Missing required param: ${param}.`, { code: "parameter_missing", param });
}

export function unknownParameters(params: string[]): Refusal {
  const words = params.length === 1 ? "parameter" : "parameters";
  return new Refusal(`Received unknown ${words}: ${params.join(", ")}`, {
    code: "parameter_unknown",
    param: params[0]!,
  });
}

export function onlyOneOf(...params: string[]): Refusal {
  return new Refusal(`You may only specify one of these parameters: ${params.join(", ")}.`, {
    param: params[0]!,
  });
}

/** What Stripe can do and this stand-in cannot, said so that nobody takes it for Stripe's own answer. */
export function beyondStandIn(what: string, param?: string): Refusal {
  return new Refusal(`The local stand-in for Stripe does not do ${what}. Stripe itself may.`, {
    code: "beyond_stand_in",
    ...(param === undefined ? {} : { param }),
  });
}
