import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { DataError } from "~/integrations/supabase/data.server";
import { forVisitor } from "~/integrations/supabase/visitor.server";
import {
  currentScope,
  runInScope,
  type RequestScope,
} from "~/integrations/upstream/request-scope.server";

import { getFormToken } from "./csrf.server";
import { renderFailure } from "./failure-document.server";
import { describeFailure } from "./describe-failure.server";
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
import { finishLeaving } from "./leave-quickly.server";
import { log, redactSecrets } from "./log.server";
import { findScope } from "./open-requests.server";
import { paths } from "./paths";
import { getClientNetwork } from "./rate-limit.server";
import type { RouteArgs } from "./route-args.server";
import { toRoutePattern } from "./route-pattern.server";
import { buildFailurePolicy, POLICY_HEADER, setSecurityHeaders } from "./security-headers.server";
import { isUserField, type FormLabels } from "./submitted-form";
import { explainRefusal, type Refusals } from "./refusals.server";

/** A posted form, and the labels of its fields. */
export interface PostedForm {
  form: FormData;
  labels: FormLabels | undefined;
}

interface FailureContext {
  /** The form, once it has been read. */
  posted?: PostedForm | undefined;
  refusals?: Refusals | undefined;
  /** False for a route without a page: Remix renders none for its failures. */
  page?: false | undefined;
}

/** The forms that were posted with requests whose page is still to be loaded. */
const postedForms = new WeakMap<RequestScope, PostedForm>();

/**
 * Remembers the form of an action, for the loaders of the page that shows its result: when one of
 * them fails, the page has the form all the same.
 */
export function rememberPosted(args: RouteArgs, posted: PostedForm): void {
  postedForms.set(findScope(args), posted);
}

/** The form that was posted with the request whose page is being loaded; undefined when there is none. */
export function findPostedForm(): FormData | undefined {
  const scope = currentScope();
  return scope && postedForms.get(scope)?.form;
}

/**
 * Runs a loader or an action in the scope of its request, and finishes its response, including that
 * for a failure: cookies, request id, security headers.
 * @param run gets the list to which Set-Cookie values are added
 * @param getContext what the response for a failure needs, at the time of the failure
 */
export async function respond<R extends Response>(
  args: RouteArgs,
  run: (cookies: string[]) => Promise<R>,
  getContext: () => FailureContext = () => ({}),
): Promise<R> {
  const { request } = args;
  const cookies: string[] = [];
  const scope = findScope(args);
  scope.route = toRoutePattern(request.url, args.params);
  const finish = <T extends Response>(response: T): T => {
    for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
    response.headers.set("X-Request-Id", getRequestId(request));
    setSecurityHeaders(response.headers, response.headers.get(POLICY_HEADER) ?? undefined);
    // Someone else may sign in next: script must not keep the document, which holds the user's pages in its data.
    if (response.headers.get("Location")?.startsWith(paths.login()))
      response.headers.set("X-Remix-Reload-Document", "true");
    return response;
  };
  return runInScope(scope, async () => {
    try {
      await finishLeaving(request, cookies);
      const response = await forVisitor(getClientNetwork(request), () => run(cookies));
      if (response.status >= 500 && !scope.explained) await logHandledFailure(response, scope);
      return finish(response);
    } catch (error) {
      if (error instanceof Response) throw finish(error);
      throw finish(await failureResponse(error, { request, scope }, getContext()));
    }
  });
}

/**
 * Statuses after which the same form may be sent again, so that the error page offers it, with what was typed. (What a
 * form is about may be gone, or someone else's: what was typed is still its sender's.)
 */
const RESENDABLE = new Set([400, 401, 404, 409, 429, 500, 503]);

/** What a failure means for the form that was sent. `typed`: whether its page shows what someone entered in it. */
function describeOutcome(status: number, typed: boolean): string {
  if (status >= 500)
    return `We can’t tell whether your form was saved${typed ? ". What you typed is below, and" : ", but"} you can safely submit it again. It won’t be saved twice.`;
  return typed ? "Nothing was saved. What you typed is below." : "Nothing was saved.";
}

interface FailedRequest {
  request: Request;
  scope: RequestScope;
}

/** The response for a failure. An unexpected one is logged, and shown without details. */
async function failureResponse(
  error: unknown,
  { request, scope }: FailedRequest,
  { posted = postedForms.get(scope), refusals, page }: FailureContext,
): Promise<Response> {
  const url = new URL(request.url);
  const failure = toHttpError(error, refusals);
  if (failure === "signed-out") return redirect(paths.login(`${url.pathname}${url.search}`));

  const resendable = page !== false && posted && RESENDABLE.has(failure.status);
  const submittedForm = resendable ? toSubmittedForm(request, posted.form, posted.labels) : null;
  // Someone who is signed out signs in first: that is the main button of the page.
  const signInHref = failure.status === 401 ? paths.login() : undefined;
  if (submittedForm && signInHref) submittedForm.variant = "quiet";
  const message = submittedForm
    ? `${failure.message} ${describeOutcome(failure.status, submittedForm.fields.some(isUserField))}`
    : failure.message;
  // A limit of the auth service can be the project's own, which someone has to raise.
  if (failure.status >= 500 || error instanceof AuthServiceError)
    logFailure(error, scope, { status: failure.status, message });
  const csrf = resendable ? await getFormToken(request, posted.form) : null;
  const data: ErrorPageData = {
    title: failure.title,
    message,
    requestId: getRequestId(request),
    submittedForm,
    signInHref,
    csrf: csrf?.token ?? "",
  };
  const headers = csrf?.setCookie
    ? { ...failure.headers, "Set-Cookie": csrf.setCookie }
    : failure.headers;
  const init = { status: failure.status, headers };
  const html =
    page === false && acceptsDocument(request) ? renderAlone(request, data, init.status) : null;
  return html === null ? json(data, init) : documentResponse(html, init);
}

/** Whether a response is shown to a person as it is, and not read by script or as an image. */
const acceptsDocument = ({ headers }: Request) => headers.get("Accept")?.includes("text/html");

/** The HTML of a failure at an address without a page. */
function renderAlone(
  { method, url }: Request,
  { title, message, requestId }: ErrorPageData,
  status: number,
): string | null {
  const { pathname, search } = new URL(url);
  const retryHref = status === 503 && method === "GET" ? `${pathname}${search}` : undefined;
  return renderFailure({ title, message, requestId, retryHref });
}

function documentResponse(
  html: string,
  init: { status: number; headers: Record<string, string> },
): Response {
  const headers = {
    ...init.headers,
    "Content-Type": "text/html; charset=utf-8",
    [POLICY_HEADER]: buildFailurePolicy(),
  };
  return new Response(html, { ...init, headers });
}

/** Logs why a request failed: the call that failed, and what the user read. */
function logFailure(
  error: unknown,
  { id, route, failedCall }: RequestScope,
  { status, message }: { status: number; message: string },
): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  const detail = {
    requestId: id,
    route,
    status,
    call: failedCall,
    shown: redactSecrets(message),
    kind: cause.name,
    ...describeFailure(error),
  };
  if (status === 503) log().warn(detail, "outside service unavailable");
  else if (status < 500) log().warn(detail, "the auth service refused a request");
  else log().error({ ...detail, stack: redactSecrets(cause.stack ?? "") }, "unexpected failure");
}

/** What a response of a route says in words: the errors of its form, or why its action is not possible. */
const spokenResponse = z.object({
  lastResult: z.object({ error: z.record(z.string(), z.array(z.string()).nullable()) }).optional(),
  blocked: z.string().optional(),
});

/** Logs a failure that a route has handled itself, such as by showing its form again. */
async function logHandledFailure(
  response: Response,
  { id, route, failedCall }: RequestScope,
): Promise<void> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const { lastResult, blocked } = spokenResponse.safeParse(body).data ?? {};
  const shown = [...Object.values(lastResult?.error ?? {}).flat(), blocked].filter(Boolean);
  // Without words, no one has read anything, and the caller logs what it needs.
  if (shown.length === 0) return;
  log().warn(
    {
      requestId: id,
      route,
      status: response.status,
      call: failedCall,
      shown: redactSecrets(shown.join(" ")),
    },
    response.status === 503 ? "outside service unavailable" : "answered with an error",
  );
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
      return forbidden("Your account doesn’t have permission to do that. Nothing was changed.");
    if (error.failure === "missing") return notFound();
    if (error.failure === "conflict") {
      return new HttpError(
        409,
        "This page has changed",
        "Someone changed this while you had it open. Please go back, reload the page and try again.",
      );
    }
    if (error.waitSeconds !== null)
      return new HttpError(429, "Too many attempts", explainRefusal(error, refusals), {
        "Retry-After": String(error.waitSeconds),
      });
    if (error.failure === "refused")
      return new HttpError(400, "We couldn’t save that", explainRefusal(error, refusals));
  }
  return new HttpError(
    500,
    "Something went wrong on our side",
    "We’ve made a note of it. Please try again. If it keeps happening, let us know.",
  );
}
