import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

/** Deletes an order that is not paid for. */
export function DeleteOrder() {
  return (
    <PostForm intent="delete">
      <SubmitButton variant="danger">Delete this order</SubmitButton>
      <p className="hint">It isn’t paid for, so nothing is charged. This can’t be undone.</p>
    </PostForm>
  );
}
