import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";

import { VISIBILITY_LABELS, visibilityChoices, type Visibility } from "./visibility-rules";

interface VisibilitySectionProps {
  listing: Visibility & { id: number; name: string };
  /** For its owner, by somebody else. */
  managed?: boolean;
}

/**
 * The switches of a listing: hide it, show it again; and for its owner, ask for its removal. Nothing when there is nothing to
 * choose. A form of its own: it must not stand inside another.
 */
export function VisibilitySection({ listing, managed = false }: VisibilitySectionProps) {
  const { id, name } = listing;
  const choices = visibilityChoices(listing, managed);
  if (choices.length === 0) return null;
  return (
    <PostForm action={paths.listingVisibility(id)} className="buttons">
      {choices.map((intent) =>
        intent === "archive" ? (
          <ButtonLink
            key={intent}
            variant="quiet"
            to={paths.archiveListing(id)}
            aria-label={`${VISIBILITY_LABELS[intent]}: ${name}`}
          >
            {VISIBILITY_LABELS[intent]}
          </ButtonLink>
        ) : (
          <SubmitButton key={intent} variant="quiet" name="intent" value={intent} about={name}>
            {VISIBILITY_LABELS[intent]}
          </SubmitButton>
        ),
      )}
    </PostForm>
  );
}
