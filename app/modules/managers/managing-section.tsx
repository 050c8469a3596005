import { FormSection } from "~/components/forms/form-section";
import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";

interface ManagingSectionProps {
  listing: { id: number; name: string };
  /** The user manages it for its owner. */
  managed: boolean;
}

/** Below a listing's form: its owner gets a link to its managers, and a manager a link to leave. */
export function ManagingSection({ listing: { id, name }, managed }: ManagingSectionProps) {
  if (managed) {
    return (
      <FormSection
        title="You manage this listing for its owner"
        description="You can edit, hide or show it and reply to its messages. Only its owner can remove it, transfer it or buy anything for it."
      >
        <div className="buttons">
          <ButtonLink
            variant="quiet"
            to={paths.leaveListing(id)}
            aria-label={`Stop managing: ${name}`}
          >
            Stop managing
          </ButtonLink>
        </div>
      </FormSection>
    );
  }
  return (
    <FormSection
      title="Managers"
      description="Invite someone you trust to keep this listing up to date and reply to its messages."
    >
      <div className="buttons">
        <ButtonLink
          variant="quiet"
          to={paths.listingManagers(id)}
          aria-label={`See managers: ${name}`}
        >
          See managers
        </ButtonLink>
      </div>
    </FormSection>
  );
}
