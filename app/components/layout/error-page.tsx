import { Link } from "react-router-dom";

import { ButtonLink } from "~/components/ui/button";
import { Illustration } from "~/components/ui/illustration";

interface ErrorPageProps {
  title: string;
  message: string;
  /** Lets the team find the failure in the log. */
  requestId?: string | undefined;
  /** The URL of "Try again", which reloads the document. */
  retryHref?: string | undefined;
  /** The URL of "Sign in", which opens a new tab so that this page stays open. */
  signInHref?: string | undefined;
}

/** The content of a page that could not be shown. Render it inside AppFrame or SignedOutFrame. */
export function ErrorPage({ title, message, requestId, retryHref, signInHref }: ErrorPageProps) {
  return (
    <div className="error-page">
      <Illustration name="lost-pin" />
      <h1>{title}</h1>
      <div className="prose">
        <p>{message}</p>
        <p className="buttons">
          {retryHref === undefined ? null : <ButtonLink href={retryHref}>Try again</ButtonLink>}
          {signInHref === undefined ? null : (
            <ButtonLink href={signInHref} target="_blank">
              Sign in (opens a new tab)
            </ButtonLink>
          )}
          <Link to="/">Go to Home</Link>
        </p>
        {requestId === undefined ? null : (
          <p className="hint">
            If you contact us, please include this code:
            <br />
            <code>{requestId}</code>
          </p>
        )}
      </div>
    </div>
  );
}
