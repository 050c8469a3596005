import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { Illustration } from "~/components/ui/illustration";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { isolate } from "~/text/isolate";

import { CheckoutReturnCallout } from "./checkout-return";
import type { CheckoutReturn } from "./checkout-return.server";

/** While the payment of an upgrade is on its way: there is nothing to choose or to pay again. */
export function UpgradeConfirming({ returned }: { returned: CheckoutReturn }) {
  return (
    <div className="congratulations">
      <Illustration name="featured-pin" />
      <h1>Almost there</h1>
      <CheckoutReturnCallout returned={returned} />
      <ButtonLink variant="quiet" to={paths.listings()}>
        See your listings
      </ButtonLink>
    </div>
  );
}

interface UpgradeCongratulationsProps {
  listing: string | null;
  /** Whether no one can find the listing now. */
  isUnseen: boolean;
  receiptUrl: string | null;
  /** Whether there are more listings to upgrade. */
  more: boolean;
}

/** After an upgrade was paid for. */
export function UpgradeCongratulations({
  listing,
  isUnseen,
  receiptUrl,
  more,
}: UpgradeCongratulationsProps) {
  return (
    <div className="congratulations">
      <Illustration name="featured-pin" />
      <p className="kicker">
        <Icon name="star" /> Founding Supporter
      </p>
      <h1>Congratulations, you’re a Founding Supporter!</h1>
      <p>
        {listing ? `“${isolate(listing)}”` : "Your listing"} is now Featured
        {isUnseen ? ", and people will see that once they can find it" : null}. Thank you for
        keeping this map going for everyone who needs it.
      </p>
      <div className="buttons">
        <ButtonLink to={paths.listings()}>See your listings</ButtonLink>
        {more ? (
          <ButtonLink variant="quiet" to={paths.upgrade()}>
            Upgrade another listing
          </ButtonLink>
        ) : null}
        {receiptUrl ? <TextLink href={receiptUrl}>Receipt</TextLink> : null}
      </div>
    </div>
  );
}
