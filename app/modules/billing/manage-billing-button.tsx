import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

interface ManageBillingButtonProps {
  listing: { id: number; name: string };
  /** Looks like a link among links. */
  asLink?: boolean;
}

/** Leads to the payment provider's page of a listing's bills, cards and subscription, in the same window. */
export function ManageBillingButton({
  listing: { id, name },
  asLink = false,
}: ManageBillingButtonProps) {
  return (
    <PostForm action={paths.billing(id)}>
      <SubmitButton variant={asLink ? "link" : "primary"} about={name}>
        Manage billing
      </SubmitButton>
    </PostForm>
  );
}
