import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";

interface ExportConfirmationProps {
  title: string;
  /** What the file will hold, in words. */
  holds: string;
  /** Where the download is, and where the list is. */
  csv: string;
  list: string;
}

/** Asks before contact details leave the dashboard. The download starts from here, so the page stays. */
export function ExportConfirmation({ title, holds, csv, list }: ExportConfirmationProps) {
  return (
    <div className="confirmation">
      <h1>{title}</h1>
      <div className="prose">
        <p>{holds}</p>
        <p>
          People trusted the directory with these. Keep the file where nobody else can open it, use
          it for what they agreed to, and delete it when you are done.
        </p>
        <p>That you downloaded it, and under which filter, is written into the audit log.</p>
      </div>
      <PostForm action={csv} intent="export" reloadDocument>
        <div className="buttons">
          <SubmitButton>Download with contact details</SubmitButton>
          <ButtonLink variant="quiet" href={csv}>
            Download without them
          </ButtonLink>
          <ButtonLink variant="quiet" to={list}>
            Back to the list
          </ButtonLink>
        </div>
      </PostForm>
    </div>
  );
}
