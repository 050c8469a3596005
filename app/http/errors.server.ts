import { describeSlowService } from "./slow-service.server";
import type { SubmittedForm } from "./submitted-form";

/** A failure with an HTTP status. Its title and message are shown to the user. */
export class HttpError extends Error {
  override name = "HttpError";
  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** What an error page shows. `requestId` lets the team find the failure in the log. */
export interface ErrorPageData {
  title: string;
  message: string;
  requestId: string;
  /** The form that could not be handled, so that the user can send it again. */
  submittedForm: SubmittedForm | null;
  /** The URL of the sign-in page, for someone who is signed out. */
  signInHref?: string | undefined;
  /** The token for sending it again: Remix does not load the root, which has it otherwise. */
  csrf: string;
}

/** 404: there is no such page or row. */
export function notFound(message = "It may have moved, or the link may be incomplete."): HttpError {
  return new HttpError(404, "Page not found", message);
}

/**
 * 401: a form needs a session, and could not be stashed until its sender has signed in.
 * @param hasCookies false when the browser has none of our cookies anymore
 */
export function signInRequired(hasCookies = true): HttpError {
  const next = "Sign in from another tab, then come back here and submit again.";
  return new HttpError(
    401,
    "You’re signed out",
    hasCookies
      ? next
      : `This browser’s cookies are gone, so we can’t tell who sent this form. ${next}`,
  );
}

/**
 * 403: a form was opened before someone signed out or left quickly in this browser, and no one has
 * signed in since. What was typed is not shown: the browser may be another person's now.
 */
export function formExpired(): HttpError {
  return new HttpError(
    403,
    "This form has expired",
    "Nothing was saved. Please open the page again and fill in the form there.",
  );
}

/** 403: the user is signed in, but may not see or do this. */
export function forbidden(
  message = "Signed in with the wrong account? Sign out and use another one.",
): HttpError {
  return new HttpError(403, "You don’t have access to this page", message);
}

/** 503: a service that we depend on does not answer, or not in the time that a request or a call has. */
export function unavailable(): HttpError {
  const slow = describeSlowService();
  return new HttpError(
    503,
    slow ? "This is taking too long" : "Something isn’t responding right now",
    slow
      ? `${slow}, so we stopped waiting. Please try again in a minute.`
      : "The problem is on our side. Please try again in a minute.",
    { "Retry-After": "30" },
  );
}

/** 429: too many attempts. @param seconds until the next attempt is accepted */
export function tooManyRequests(seconds: number): HttpError {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes <= 1 ? "a minute" : `${minutes} minutes`;
  return new HttpError(429, "Too many attempts", `Please wait ${wait} and try again.`, {
    "Retry-After": String(seconds),
  });
}

/** Whether an error is a 429, for callers with a message of their own. */
export const isTooManyRequests = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status === 429;
