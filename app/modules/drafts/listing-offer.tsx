import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { paths } from "~/http/paths";
import { getDraftName } from "~/modules/listings/dashboard-rules";

interface ListingOfferProps {
  id: string;
  name: string;
  savedAt: string;
}

/** Offers the newest draft of a new listing to someone who is about to begin another one. */
export default function ListingOffer({ id, name, savedAt }: ListingOfferProps) {
  const title = getDraftName({ name });
  return (
    <Callout tone="waiting" title="You have a listing that wasn’t submitted">
      <p>
        “<bdi>{title}</bdi>” is from <TimestampText at={savedAt} />. Only you can see it. To start
        another listing, use the form below.
      </p>
      <div className="buttons mt-4">
        <ButtonLink variant="quiet" href={paths.newListing(id)}>
          Continue with it
        </ButtonLink>
        <ButtonLink variant="quiet" href={paths.discardDraft(id)}>
          Discard it
        </ButtonLink>
      </div>
    </Callout>
  );
}
