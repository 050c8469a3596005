import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { toUrlQuery, type DashboardQuery } from "./dashboard-query";
import { getVisibilityIntents, VISIBILITY_LABELS, type Visibility } from "./visibility-rules";

interface VisibilitySectionProps {
  listing: Visibility & { id: number; name: string };
  /** The user manages it for its owner. */
  managed?: boolean;
  /**
   * The dashboard's query, where the buttons are among links on the dashboard: the response leads
   * back to the same view.
   */
  from?: DashboardQuery;
  /** As buttons, on a page that is only about this. */
  asButtons?: boolean;
}

/**
 * The buttons that change a listing's visibility. Nothing if there is nothing to change. It is a
 * form, so it can't be inside of another form.
 */
export function VisibilitySection({
  listing,
  managed = false,
  from,
  asButtons = from === undefined,
}: VisibilitySectionProps) {
  const { id, name } = listing;
  const intents = getVisibilityIntents(listing, managed);
  if (intents.length === 0) return null;
  const query = from && toUrlQuery(from);
  const actions = intents.map((intent) =>
    intent !== "archive" ? (
      <SubmitButton
        key={intent}
        variant={asButtons ? "quiet" : "link"}
        name="intent"
        value={intent}
        about={name}
      >
        {VISIBILITY_LABELS[intent]}
      </SubmitButton>
    ) : !asButtons ? (
      <TextLink key={intent} to={paths.archiveListing(id, query)} about={name}>
        {VISIBILITY_LABELS[intent]}
      </TextLink>
    ) : (
      <ButtonLink
        key={intent}
        variant="quiet"
        to={paths.archiveListing(id, query)}
        aria-label={`${VISIBILITY_LABELS[intent]}: ${name}`}
      >
        {VISIBILITY_LABELS[intent]}
      </ButtonLink>
    ),
  );
  return (
    <PostForm action={paths.listingVisibility(id, query)} className="buttons" noValidate={false}>
      {actions}
    </PostForm>
  );
}
