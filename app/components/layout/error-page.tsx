import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

import { ButtonLink } from "~/components/ui/button";
import { Illustration } from "~/components/ui/illustration";

interface ErrorPageProps {
  /** The HTTP status of the answer. */
  status: number;
  /** Replaces the default title of the status. */
  title?: string;
  message?: ReactNode;
  /** Lets the team find the failure in the log. */
  requestId?: string;
  /** The URL of "Try again", which reloads the document. */
  retryHref?: string;
  /** The URL of "Sign in", which opens a new tab so that this page stays open. */
  signInHref?: string;
  /** The URL of "Back to the start"; null leaves the link out. */
  homeHref?: string | null;
}

const TEXTS: Record<number, { title: string; message: string }> = {
  400: {
    title: "We could not read that",
    message:
      "Part of what was sent was missing or not in a form we understand. Please go back and try again.",
  },
  401: {
    title: "You are signed out",
    message: "Please sign in, then come back and try again.",
  },
  403: {
    title: "This page is not open to you",
    message:
      "You are not allowed to see or do this with the account you are signed in with. If that surprises you, please get in touch.",
  },
  404: {
    title: "We could not find that page",
    message: "It may have moved, or the address may have a small mistake in it.",
  },
  405: {
    title: "That does not work here",
    message:
      "This address cannot be used that way. Please go back and start again from the page itself.",
  },
  409: {
    title: "Somebody was here before you",
    message:
      "This was changed by somebody else while you had it open, so we did not save over their version. Please look at it again.",
  },
  413: {
    title: "That was too much at once",
    message:
      "What was sent is larger than we can take. Nothing was saved. Please go back and shorten it.",
  },
  429: {
    title: "Please wait a little",
    message:
      "This was tried many times in a short while. Nothing is wrong with your account; try again in a few minutes.",
  },
  500: {
    title: "Something went wrong on our side",
    message:
      "It is not your fault. If you were saving something, please check whether it was saved before you send it again.",
  },
  503: {
    title: "We cannot reach our records just now",
    message:
      "This is usually over within a minute, and you are still signed in. Please try again shortly.",
  },
};

const OTHER_CLIENT_ERROR = {
  title: "That did not work",
  message: "Please go back and try again.",
};

/** The content of a page that could not be shown. Render it inside AppFrame or SignedOutFrame. */
export function ErrorPage({
  status,
  title,
  message,
  requestId,
  retryHref,
  signInHref,
  homeHref = "/",
}: ErrorPageProps) {
  const known =
    TEXTS[status] ?? (status >= 500 ? TEXTS[500] : OTHER_CLIENT_ERROR) ?? OTHER_CLIENT_ERROR;

  return (
    <div className="error-page">
      <Illustration name="lost-pin" />
      <h1>{title ?? known.title}</h1>
      <div className="prose">
        <p>{message ?? known.message}</p>
        {retryHref === undefined && signInHref === undefined && homeHref === null ? null : (
          <p className="buttons">
            {retryHref === undefined ? null : <ButtonLink href={retryHref}>Try again</ButtonLink>}
            {signInHref === undefined ? null : (
              <ButtonLink href={signInHref} target="_blank">
                Sign in (opens a new tab)
              </ButtonLink>
            )}
            {homeHref === null ? null : (
              <Link to={homeHref} discover="none">
                Back to the start
              </Link>
            )}
          </p>
        )}
        {requestId === undefined ? null : (
          <p className="hint">
            If you write to us about this, please mention <code>{requestId}</code>.
          </p>
        )}
      </div>
    </div>
  );
}
