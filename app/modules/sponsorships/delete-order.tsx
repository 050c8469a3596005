import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

/** Deletes an order that is not paid for, or whose newsletters were all canceled. @param hint what follows from it */
export function DeleteOrder({ hint }: { hint: string }) {
  return (
    <PostForm intent="delete">
      <p className="hint mb-2">{hint}</p>
      <SubmitButton variant="danger">Delete order</SubmitButton>
    </PostForm>
  );
}
