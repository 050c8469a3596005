import type { SubmittedForm } from "./submitted-form";

/** A failure with an HTTP status, told in words for the person who meets it. */
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

/** What an error page gets to show. `requestId` lets the team find the failure in the log. */
export interface ErrorPageData {
  title: string;
  message: string;
  requestId: string;
  /** What the person typed into a form that could not be handled, for sending it again. */
  resend: SubmittedForm | null;
}

/** 404: there is no such page or thing. */
export function notFound(
  message = "The page you asked for isn’t here. It may have moved, or the link may be incomplete.",
): HttpError {
  return new HttpError(404, "We can’t find that", message);
}

/** 401: a form came from somebody who is not signed in, and could not be kept for after. */
export function signInRequired(): HttpError {
  return new HttpError(
    401,
    "You’re signed out",
    "Please sign in in another tab. Then come back to this one and send your form again.",
  );
}

/** 403: signed in, but this is not theirs to see or do. */
export function forbidden(message = "Your account doesn’t have access to this page."): HttpError {
  return new HttpError(403, "That’s not open to you", message);
}

/** 503: the outside does not answer. */
export function unavailable(
  message = "Part of our system isn’t answering just now. Please try again in a minute.",
): HttpError {
  return new HttpError(503, "We can’t reach our records right now", message, {
    "Retry-After": "30",
  });
}

/** 429: asked too often. @param seconds until the next try is taken */
export function tooManyRequests(seconds: number): HttpError {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes <= 1 ? "a minute" : `${minutes} minutes`;
  return new HttpError(429, "Too many tries", `Please wait ${wait} and try again.`, {
    "Retry-After": String(seconds),
  });
}
