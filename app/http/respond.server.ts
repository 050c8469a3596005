import { json, redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from "@remix-run/node";

import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { DataError } from "~/integrations/supabase/data.server";
import { forVisitor } from "~/integrations/supabase/visitor.server";

import {
  forbidden,
  HttpError,
  notFound,
  tooManyRequests,
  unavailable,
  type ErrorPageData,
} from "./errors.server";
import { toSubmittedForm } from "./form.server";
import { getRequestId } from "./internal-headers.server";
import { log, redactSecrets } from "./log.server";
import { paths } from "./paths";
import { getClientNetwork } from "./rate-limit.server";
import { setSecurityHeaders } from "./security-headers.server";
import type { FormLabels } from "./submitted-form";
import { explainRefusal, type Refusals } from "./refusals.server";

export type RouteArgs = LoaderFunctionArgs | ActionFunctionArgs;

/** A posted form, and the labels of its fields. */
export interface PostedForm {
  form: FormData;
  labels: FormLabels | undefined;
}

interface FailureContext {
  /** The form, once it has been read. */
  posted?: PostedForm | undefined;
  refusals?: Refusals | undefined;
}

/**
 * Runs a loader or an action and finishes its response, also the one for a failure: cookies,
 * request id, security headers, and a line in the log.
 * @param run gets the list to which Set-Cookie values are added
 * @param getContext what the response for a failure needs, at the time of the failure
 */
export async function respond<R extends Response>(
  { request }: RouteArgs,
  run: (cookies: string[]) => Promise<R>,
  getContext: () => FailureContext = () => ({}),
): Promise<R> {
  const cookies: string[] = [];
  const started = performance.now();
  const finish = <T extends Response>(response: T): T => {
    for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
    response.headers.set("X-Request-Id", getRequestId(request));
    setSecurityHeaders(response.headers);
    const line = {
      requestId: getRequestId(request),
      method: request.method,
      path: new URL(request.url).pathname,
      status: response.status,
      ms: Math.round(performance.now() - started),
    };
    if (request.method === "GET") log().debug(line, "loader");
    else log().info(line, "action");
    return response;
  };
  try {
    return finish(await forVisitor(getClientNetwork(request), () => run(cookies)));
  } catch (error) {
    if (error instanceof Response) throw finish(error);
    throw finish(failureResponse(error, request, getContext()));
  }
}

/** Statuses after which the same form may be sent again, so that the error page offers it. */
const RESENDABLE = new Set([400, 401, 409, 429, 500, 503]);
const OUTCOME_UNKNOWN =
  "We can’t tell whether your form was saved. What you typed is kept below, and sending it again is safe: it will not be done twice.";
const NOT_SAVED = "Nothing was saved. What you typed is kept below.";

/** The response for a failure. An unexpected one is logged, and shown without details. */
function failureResponse(
  error: unknown,
  request: Request,
  { posted, refusals }: FailureContext,
): Response {
  const url = new URL(request.url);
  const failure = toHttpError(error, refusals);
  if (failure === "signed-out") return redirect(paths.login(`${url.pathname}${url.search}`));

  if (failure.status >= 500) logFailure(error, request, failure.status);
  const resendable = posted && RESENDABLE.has(failure.status);
  const data: ErrorPageData = {
    title: failure.title,
    message: resendable
      ? `${failure.message} ${failure.status >= 500 ? OUTCOME_UNKNOWN : NOT_SAVED}`
      : failure.message,
    requestId: getRequestId(request),
    submittedForm: resendable ? toSubmittedForm(request, posted.form, posted.labels) : null,
  };
  return json(data, { status: failure.status, headers: failure.headers });
}

function logFailure(error: unknown, request: Request, status: number): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof DataError || error instanceof AuthServiceError;
  const detail = {
    requestId: getRequestId(request),
    path: new URL(request.url).pathname,
    kind: cause.name,
    code: known ? error.code : undefined,
    reason: redactSecrets(cause.message),
  };
  if (status === 503) log().warn(detail, "outside service unavailable");
  else log().error({ ...detail, stack: redactSecrets(cause.stack ?? "") }, "unexpected failure");
}

function toHttpError(error: unknown, refusals: Refusals | undefined): HttpError | "signed-out" {
  if (error instanceof HttpError) return error;
  if (error instanceof AuthServiceError && error.failure === "unavailable") return unavailable();
  if (error instanceof AuthServiceError && error.failure === "limited")
    return tooManyRequests(error.retryAfter);
  if (error instanceof DataError) {
    if (error.failure === "signed-out") return "signed-out";
    if (error.failure === "unavailable") return unavailable();
    if (error.failure === "denied")
      return forbidden("Your account isn’t allowed to do that. Nothing was changed.");
    if (error.failure === "missing") return notFound();
    if (error.failure === "conflict") {
      return new HttpError(
        409,
        "Somebody was faster",
        "This changed while you had it open. Please go back, reload the page and look again.",
      );
    }
    if (error.waitSeconds !== null)
      return new HttpError(429, "Too many tries", explainRefusal(error, refusals), {
        "Retry-After": String(error.waitSeconds),
      });
    if (error.failure === "refused")
      return new HttpError(400, "That can’t be saved", explainRefusal(error, refusals));
  }
  return new HttpError(
    500,
    "Something went wrong on our side",
    "We’ve made a note of it. Please try again; if it happens again, tell us the number below.",
  );
}
