import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { ConsentQuestion } from "./tracking-text";

interface TrackingConsentFormProps {
  /** From the server, so that pages that do not ask do not carry them. */
  words: ConsentQuestion;
  /** The page to come back to. */
  returnTo: string;
  /** The choice as it stands, where it was made. */
  chosen?: boolean | null;
}

/** Yes and no, of the same weight, to the question of being tracked. */
export function TrackingConsentForm({ words, returnTo, chosen = null }: TrackingConsentFormProps) {
  return (
    <section className="tracking-choice" aria-labelledby="tracking-question">
      <h2 id="tracking-question">{words.question}</h2>
      <p>{words.explanation}</p>
      {chosen === null ? null : (
        <p>
          {chosen
            ? "You said yes. You can take it back here at any time."
            : "You said no: nobody is told anything."}
        </p>
      )}
      <PostForm action={paths.trackingConsent()} className="buttons">
        <input type="hidden" name="return_to" value={returnTo} />
        <SubmitButton variant="quiet" name="tracking" value="no">
          No, don’t
        </SubmitButton>
        <SubmitButton variant="quiet" name="tracking" value="yes">
          Yes, you may
        </SubmitButton>
      </PostForm>
    </section>
  );
}
