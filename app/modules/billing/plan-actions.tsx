import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

import { ManageBillingButton } from "./manage-billing-button";

/** What an owner can do about a plan that is running, and what follows from it. */
export function PlanActions({
  listing,
  isCanceled,
  isUnpaid,
  isDue,
  fixed,
}: {
  listing: { id: number; name: string };
  isCanceled: boolean;
  /** Whether its last payment did not go through. If so, canceling ends the plan at once. */
  isUnpaid: boolean;
  /** Whether it has just renewed, and its new period isn’t charged yet. Canceling ends it at once then, too. */
  isDue: boolean;
  /** Why it can't be changed for now; null when it can. */
  fixed: string | null;
}) {
  const updateCard = (
    <PostForm intent="update-card">
      <SubmitButton variant={isUnpaid ? "primary" : "quiet"}>Update card</SubmitButton>
    </PostForm>
  );
  return (
    <section className="fields measure screen-only" aria-labelledby="change">
      <h2 id="change">Change or cancel</h2>
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
        {isUnpaid
          ? " If you cancel, the plan ends right away, and we stop trying to collect its last payment."
          : isDue
            ? " If you cancel before the new period is charged, the plan ends right away."
            : isCanceled
              ? null
              : " If you cancel, your listing stays Featured until the end of the period you’ve paid for, which isn’t refunded."}
      </p>
    </section>
  );
}
