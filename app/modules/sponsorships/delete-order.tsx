import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

/** Deletes an order that is not paid for. */
export function DeleteOrder() {
  return (
    <PostForm intent="delete">
      <SubmitButton variant="danger">Delete order</SubmitButton>
      <p className="hint">
        You haven’t paid for it, so you won’t be charged. This can’t be undone.
      </p>
    </PostForm>
  );
}
