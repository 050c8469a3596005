import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { ConsentQuestion } from "./tracking-text";

interface TrackingConsentFormProps {
  /** Loader data, so that pages that do not ask don't include the text. */
  text: ConsentQuestion;
  /** The page to return to. */
  returnTo: string;
  /** The current answer, when there is one. */
  granted?: boolean | null;
  /** On a page that is only about this. */
  ownPage?: boolean;
}

/** Asks for consent to tracking. Yes and no look the same. */
export function TrackingConsentForm({
  text,
  returnTo,
  granted = null,
  ownPage = false,
}: TrackingConsentFormProps) {
  return (
    <section
      className={ownPage ? "prose" : "prose tracking-choice"}
      aria-labelledby="tracking-question"
    >
      <h2 id="tracking-question">{text.question}</h2>
      <p>{text.explanation}</p>
      {granted === null ? null : (
        <p>
          {granted
            ? "You said yes. You can change this any time."
            : "You said no, so we don’t share anything."}
        </p>
      )}
      <PostForm action={paths.trackingConsent()} className="buttons mt-4">
        <input type="hidden" name="return_to" value={returnTo} />
        <SubmitButton variant="quiet" name="tracking" value="no">
          No thanks
        </SubmitButton>
        <SubmitButton variant="quiet" name="tracking" value="yes">
          Yes, that’s OK
        </SubmitButton>
      </PostForm>
    </section>
  );
}
