import { FormSection } from "~/components/forms/form-section";
import type { FormField } from "~/components/forms/form-state";
import { UserPicker, type UserSummary } from "~/modules/accounts/user-picker";

/** Whose a job is, as an admin is told. */
export interface JobOwner {
  /** The account; null when there is none. */
  person: { id: string; name: string | null } | null;
  /** The address that the job was posted with. */
  email: string | null;
  /** A new job is its author's, until it is saved. */
  mayChange: boolean;
}

interface JobOwnerSectionProps {
  owner: JobOwner;
  field: FormField;
  search: FormField;
  /** Who was found for the search that was just sent. */
  found: UserSummary[] | undefined;
}

function ownerInWords({ person, email, mayChange }: JobOwner): string | null {
  if (person === null)
    return email === null ? "This job has no owner." : `Job owner: ${email} (No user account)`;
  return mayChange
    ? null
    : `Job owner: ${person.name ?? "No name given"}. Once the job is saved, you can give it to somebody else.`;
}

/** The part of a job's form that admins alone see: whose it is, to be given to somebody else or to nobody. */
export function JobOwnerSection({ owner, field, search, found }: JobOwnerSectionProps) {
  const words = ownerInWords(owner);
  return (
    <FormSection title="Admin Only">
      {words === null ? null : <p>{words}</p>}
      {owner.mayChange ? (
        <UserPicker
          // An empty choice is one too: it means nobody.
          field={{ ...field, value: field.value ?? "" }}
          search={search}
          legend="Job owner"
          findIntent="findPerson"
          current={owner.person && { ...owner.person, email: null }}
          found={found}
        />
      ) : null}
    </FormSection>
  );
}
