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
        description="You can change it, hide it, and answer those who write to it. Taking it out of the directory, giving it away and paying for it are its owner’s to do."
      >
        <div className="buttons">
          <ButtonLink
            variant="quiet"
            to={paths.leaveListing(id)}
            aria-label={`Stop managing it: ${name}`}
          >
            Stop managing it
          </ButtonLink>
        </div>
      </FormSection>
    );
  }
  return (
    <FormSection
      title="People who manage this listing"
      description="Somebody you trust can keep it up to date with you, and answer those who write to it."
    >
      <div className="buttons">
        <ButtonLink
          variant="quiet"
          to={paths.listingManagers(id)}
          aria-label={`See or invite people: ${name}`}
        >
          See or invite people
        </ButtonLink>
      </div>
    </FormSection>
  );
}
