import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";

interface ExportConfirmationProps {
  title: string;
  /** A sentence that says what the file contains. */
  contents: string;
  /** The URLs of the download and of the list. */
  csv: string;
  list: string;
}

/**
 * Asks before contact details are exported. The browser stays on this page while it downloads the
 * file.
 */
export function ExportConfirmation({ title, contents, csv, list }: ExportConfirmationProps) {
  return (
    <div className="confirmation">
      <h1>{title}</h1>
      <div className="prose">
        <p>{contents}</p>
        <p>
          People trusted us with this information. Keep the file private, use it only for what they
          agreed to, and delete it when you’re done.
        </p>
        <p>Your download and its filter are recorded in the audit log.</p>
      </div>
      <PostForm action={csv} intent="export" reloadDocument>
        <div className="buttons">
          <SubmitButton>Download with contact details</SubmitButton>
          <ButtonLink variant="quiet" href={csv}>
            Download without contact details
          </ButtonLink>
          <ButtonLink variant="quiet" to={list}>
            Back to the list
          </ButtonLink>
        </div>
      </PostForm>
    </div>
  );
}
