interface ApiErrorDetails {
  type?: "card_error" | "invalid_request_error" | "idempotency_error";
  status?: number;
  code?: string;
  decline_code?: string;
  param?: string;
  payment_intent?: object;
}

/** A request that Stripe answers with an error body. What the request had written is undone. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly body: { error: Record<string, unknown> };

  constructor(
    message: string,
    { type = "invalid_request_error", status = 400, ...details }: ApiErrorDetails = {},
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

/** The object does not exist: status 404 when the URL names it, 400 when a parameter does. */
export function resourceMissing(what: string, id: string, param?: string): ApiError {
  return new ApiError(`No such ${what}: '${id}'`, {
    code: "resource_missing",
    param: param ?? "id",
    status: param === undefined ? 404 : 400,
  });
}

export function parameterMissing(param: string): ApiError {
  return new ApiError(`Missing required param: ${param}.`, { code: "parameter_missing", param });
}

/** A parameter that Stripe does not know, or that the stand-in does not support. */
export function unknownParameters(params: string[]): ApiError {
  const noun = params.length === 1 ? "parameter" : "parameters";
  return new ApiError(
    `Received unknown ${noun}: ${params.join(", ")}. The local stand-in for Stripe takes only what the dashboard sends.`,
    { code: "parameter_unknown", param: params[0]! },
  );
}

export function mutuallyExclusive(...params: string[]): ApiError {
  return new ApiError(`You may only specify one of these parameters: ${params.join(", ")}.`, {
    param: params[0]!,
  });
}
