import { SubmitButton } from "~/components/forms/submit-button";
import { FIRST_VERSION } from "~/http/version-conflict";

interface CompareVersionsProps {
  /** The page of what the form made before; undefined while there is no newer version of it. */
  page: string | null | undefined;
  /** The id of the form. */
  form: string;
}

/**
 * Sends a form for something new, which made it before, to the page of what it made. There it is an edit of the
 * version that it made, and so a conflict with the newer one: the page shows both, with what was typed.
 */
export function CompareVersions({ page, form }: CompareVersionsProps) {
  return page ? (
    <p>
      <SubmitButton form={form} formAction={page} name="version" value={String(FIRST_VERSION)}>
        Compare the two versions
      </SubmitButton>
    </p>
  ) : null;
}
