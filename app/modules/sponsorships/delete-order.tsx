import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

import { getSponsorshipState } from "./rules";
import type { Sponsorship } from "./sponsorship.server";

/** Deletes an order that is not paid for, or whose newsletters were all canceled. */
export function DeleteOrder({ order }: { order: Sponsorship }) {
  return (
    <PostForm intent="delete">
      <p className="hint mb-2">
        {getSponsorshipState(order) === "canceled"
          ? "Deleting this order can’t be undone. It doesn’t change your refund."
          : "If you delete this order, you won’t be charged for it. You can’t undo this."}
      </p>
      <SubmitButton variant="danger">Delete order</SubmitButton>
    </PostForm>
  );
}
