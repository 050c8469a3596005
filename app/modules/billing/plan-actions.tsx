import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

import { ManageBillingButton } from "./manage-billing-button";

/** What an owner can do about a plan that is running, and what follows from it. */
export function PlanActions({
  listing,
  isCanceled,
  isUnpaid,
  fixed,
  canceling,
}: {
  listing: { id: number; name: string };
  isCanceled: boolean;
  /** Whether its last payment did not go through. */
  isUnpaid: boolean;
  /** Why it can't be changed for now; null when it can. */
  fixed: string | null;
  /** What follows if they cancel it now; null for one that they have canceled. */
  canceling: string | null;
}) {
  const updateCard = (
    <PostForm intent="update-card">
      <SubmitButton variant={isUnpaid ? "primary" : "quiet"}>Update card</SubmitButton>
    </PostForm>
  );
  return (
    <section className="fields measure screen-only" aria-labelledby="change">
      <h2 id="change">Manage this plan</h2>
      <div className="buttons">
        {/* What has to be done first. */}
        {isUnpaid ? updateCard : null}
        {isCanceled ? (
          <PostForm intent="keep-plan">
            <SubmitButton variant={isUnpaid ? "quiet" : "primary"}>Keep plan</SubmitButton>
          </PostForm>
        ) : fixed === null ? (
          <PostForm intent="change-plan">
            <SubmitButton variant={isUnpaid ? "quiet" : "primary"}>Change plan</SubmitButton>
          </PostForm>
        ) : null}
        {isUnpaid ? null : updateCard}
        {isCanceled && !isUnpaid ? null : (
          <PostForm intent="cancel-plan">
            <SubmitButton variant="quiet">Cancel plan</SubmitButton>
          </PostForm>
        )}
        <ManageBillingButton listing={listing} asLink />
      </div>
      <p className="hint">
        {isCanceled || fixed ? "You’ll update your card" : "You’ll change your plan or card"}{" "}
        securely with Stripe, where this plan is called “Featured listing&nbsp;{listing.id}”.
        {isCanceled
          ? null
          : ` ${fixed ?? "A new plan starts right away, and we’ll credit what’s left of the old one."}`}
        {canceling === null ? null : ` ${canceling}`}
      </p>
    </section>
  );
}
