import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { isolate } from "~/text/isolate";

import { REFUNDED_ON_ARRIVAL } from "./rules";

/**
 * Asks the payer of a plan that isn't paid up whether to end it at once, which no one can undo.
 * @param billingPage where the answer goes, and the way back
 * @param subscription which of the plans on that page, if it has several
 * @param canBuyAgain whether they can choose a new plan: the listing is still theirs, and can be upgraded
 */
export function EndPlanQuestion({
  listing,
  plan,
  billingPage,
  subscription,
  canBuyAgain = false,
}: {
  listing: string;
  plan: { status: string; awaits_payment: boolean };
  billingPage: string;
  subscription?: string;
  canBuyAgain?: boolean;
}) {
  return (
    <ConfirmationPage
      title={`End the plan for “${isolate(listing)}” now?`}
      action={billingPage}
      intent="end-plan"
      hidden={subscription === undefined ? {} : { subscription }}
      confirmLabel="End plan now"
      tone="danger"
      cancelHref={billingPage}
      cancelLabel="Go back"
    >
      <p>
        {plan.status === "paused"
          ? "The plan is paused, so it ends right away, and you won’t be charged again."
          : `${plan.status === "past_due" ? "Its last payment didn’t go through, so the plan ends right away. The listing won’t be Featured, and we’ll stop trying to collect that payment." : "Its current period isn’t paid for, so the plan ends right away. The listing won’t be Featured anymore, and we won’t charge you for that period."}${plan.awaits_payment ? ` ${REFUNDED_ON_ARRIVAL}` : ""}`}
      </p>
      <p>You can’t undo this.{canBuyAgain ? " You can choose a new plan any time." : ""}</p>
    </ConfirmationPage>
  );
}
