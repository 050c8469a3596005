import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

interface ManageBillingButtonProps {
  listing: { id: number; name: string };
  /** Whether it looks like a link. */
  asLink?: boolean;
}

/** Opens Stripe's page for a listing's bills, cards, and subscription. */
export function ManageBillingButton({
  listing: { id, name },
  asLink = false,
}: ManageBillingButtonProps) {
  return (
    <PostForm action={paths.billing(id)} noValidate={false}>
      <SubmitButton variant={asLink ? "link" : "primary"} about={name}>
        Manage billing
      </SubmitButton>
    </PostForm>
  );
}
