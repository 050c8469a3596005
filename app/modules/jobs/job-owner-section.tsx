import { FormSection } from "~/components/forms/form-section";
import type { FormField } from "~/components/forms/form-state";
import { UserPicker, type UserSummary } from "~/modules/accounts/user-picker";
import { isolate } from "~/text/isolate";

/** The owner of a job, for admins. */
export interface JobOwner {
  /** The account; null when there is none. */
  person: { id: string; name: string | null } | null;
  /** The masked email address that a job without an account was posted with. */
  email: string | null;
  /** False for a new job, which belongs to its author until it is saved. */
  mayChange: boolean;
}

interface JobOwnerSectionProps {
  owner: JobOwner;
  field: FormField;
  search: FormField;
  /** The result of the search that was just sent. */
  found: UserSummary[] | undefined;
}

function describeOwner({ person, email, mayChange }: JobOwner): string | null {
  if (person === null)
    return email === null
      ? "This job has no owner."
      : `Job owner: ${isolate(email)} (No user account)`;
  return mayChange
    ? null
    : `Job owner: ${isolate(person.name ?? "No name given")}. Once the job is saved, you can change its owner.`;
}

/** The admins' part of a job's form: gives the job to another owner, or to none. */
export function JobOwnerSection({ owner, field, search, found }: JobOwnerSectionProps) {
  const description = describeOwner(owner);
  return (
    <FormSection title="Admin Only">
      {description === null ? null : <p>{description}</p>}
      {owner.mayChange ? (
        <UserPicker
          // An empty value is valid: it means no owner.
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
