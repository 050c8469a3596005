import { FormSection } from "~/components/forms/form-section";
import { ManagingSection } from "~/modules/managers/managing-section";

import type { OwnRole } from "./rules";
import { getVisibilityIntents, type Visibility } from "./visibility-rules";
import { VisibilitySection } from "./visibility-section";

interface ListingOptionsProps {
  listing: Visibility & { id: number; name: string };
  role: OwnRole | "admin";
}

/** Below the form of a listing: who sees it, and who manages it. */
export default function ListingOptions({ listing, role }: ListingOptionsProps) {
  const managed = role === "manager";
  return (
    <>
      {(role === "owner" || managed) && getVisibilityIntents(listing, managed).length > 0 ? (
        <FormSection title="Who sees this listing">
          <VisibilitySection listing={listing} managed={managed} />
        </FormSection>
      ) : null}
      <ManagingSection listing={listing} managed={managed} />
    </>
  );
}
