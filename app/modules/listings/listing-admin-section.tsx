import { FormSection } from "~/components/forms/form-section";
import {
  firstValue,
  type FieldValue,
  type FormField,
  type FormState,
} from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { UserPicker, type UserSummary } from "~/modules/accounts/user-picker";

import { STATUS_CHOICES } from "./rules";

/** What an admin decides about a listing, as it is saved. */
export interface ListingAdmin {
  status: string;
  owner: { id: string; name: string | null } | null;
  /** Whether it names an address by which it can be claimed. */
  hasOwnerEmail: boolean;
}

interface ListingAdminSectionProps {
  admin: ListingAdmin;
  form: FormState<"status" | "owner" | "owner_search">;
  /** The form as it was typed, when it came back. */
  typed: Readonly<Record<string, unknown>> | undefined;
  /** Who was found for the search that was just sent. */
  found: UserSummary[] | undefined;
}

/**
 * The part of a listing's form that admins alone see. The form says what was saved when it was drawn, so that only what
 * the admin changes is changed.
 */
export function ListingAdminSection({ admin, form, typed, found }: ListingAdminSectionProps) {
  const seen = { status: admin.status, owner: admin.owner?.id ?? "" };
  const field = (name: "status" | "owner"): FormField => {
    const value = firstValue((typed?.[name] ?? "") as FieldValue) ?? "";
    const changed =
      typed !== undefined &&
      value !== (firstValue((typed[`${name}_seen`] ?? "") as FieldValue) ?? "");
    return { ...form.field(name), value: changed ? value : seen[name] };
  };
  const nobodys = admin.hasOwnerEmail
    ? "Nobody owns this listing. It names an e-mail address: whoever has that can claim it."
    : "Nobody owns this listing, and it names no e-mail address: it can’t be approved or claimed.";
  return (
    <FormSection id="admin" title="Admin Only">
      <input type="hidden" name="status_seen" value={seen.status} />
      <input type="hidden" name="owner_seen" value={seen.owner} />
      <SelectField
        // Drawn anew for what somebody else has decided meanwhile.
        key={seen.status}
        field={field("status")}
        label="Status"
        hint="Published shows the listing as this form says, at once."
        options={STATUS_CHOICES}
      />
      {admin.owner === null ? <p>{nobodys}</p> : null}
      <UserPicker
        key={seen.owner}
        field={field("owner")}
        search={form.field("owner_search")}
        legend="Business Owner"
        hint="Whoever is chosen can edit it from then on, and its owner e-mail is that of their account."
        findIntent="findPerson"
        current={admin.owner && { ...admin.owner, email: null }}
        found={found}
      />
    </FormSection>
  );
}
