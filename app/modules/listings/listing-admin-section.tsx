import { FormSection } from "~/components/forms/form-section";
import {
  firstValue,
  type FieldValue,
  type FormField,
  type FormState,
} from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { TextField } from "~/components/forms/text-field";
import { UserPicker, type UserSummary } from "~/modules/accounts/user-picker";

import { LISTING_FIELDS } from "./fields";
import { STATUS_OPTIONS } from "./rules";

const MAX_EMAIL_LENGTH = LISTING_FIELDS.public_email.maxLength;

const FEATURED_HINT =
  " If you archive the listing here, its plan stops within minutes, and you can’t undo that. If you flag it or change its owner, the person who pays for the plan is still charged.";

const DROPS_EDIT = " Changes that are waiting for review are dropped when the owner changes.";

/** The saved status and owner of a listing. */
export interface ListingAdmin {
  status: string;
  owner: { id: string; name: string | null } | null;
  /** Whether it has an email address whose owner can claim it. */
  hasOwnerEmail: boolean;
  /** A change by hand then means something for its plan. */
  featured: boolean;
  /** Whether an edit waits that is dropped with its owner. */
  dropsEdit: boolean;
}

interface ListingAdminSectionProps {
  admin: ListingAdmin;
  form: FormState<"status" | "owner" | "owner_search" | "owner_email">;
  /** The form as it was typed, if it came back with errors. */
  typed: Readonly<Record<string, unknown>> | undefined;
  /** The people found for the last search. */
  found: UserSummary[] | undefined;
}

/**
 * The part of a listing's form that only admins see. Hidden fields say what was saved when the form
 * was rendered, so that the action can tell what the admin changed.
 */
export default function ListingAdminSection({
  admin,
  form,
  typed,
  found,
}: ListingAdminSectionProps) {
  const saved = { status: admin.status, owner: admin.owner?.id ?? "" };
  const field = (name: "status" | "owner"): FormField => {
    const value = firstValue((typed?.[name] ?? "") as FieldValue) ?? "";
    const changed =
      typed !== undefined &&
      value !== (firstValue((typed[`${name}_seen`] ?? "") as FieldValue) ?? "");
    return { ...form.field(name), value: changed ? value : saved[name] };
  };
  const noOwner = admin.hasOwnerEmail
    ? "This listing has no owner. The person with its owner email address can claim it."
    : "This listing has no owner and no owner email address, so it can’t be approved or claimed.";
  return (
    <FormSection id="admin" title="Admin Only">
      <input type="hidden" name="status_seen" value={saved.status} />
      <input type="hidden" name="owner_seen" value={saved.owner} />
      <SelectField
        // Rendered again from scratch if another admin changed it in the meantime.
        key={saved.status}
        field={field("status")}
        label="Status"
        hint={`“Published” makes this version live immediately.${
          ["published", "pending-update"].includes(saved.status)
            ? ""
            : " So does “Pending update”, unless an edit is waiting."
        }${admin.featured ? FEATURED_HINT : ""}`}
        options={STATUS_OPTIONS}
      />
      {admin.owner === null ? <p>{noOwner}</p> : null}
      {admin.hasOwnerEmail ? null : (
        <TextField
          field={form.field("owner_email")}
          label="Owner email"
          hint="The owner’s email address. The person with this address can claim the listing."
          type="email"
          optional
          limit={MAX_EMAIL_LENGTH}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <UserPicker
        key={saved.owner}
        field={field("owner")}
        search={form.field("owner_search")}
        legend="Business Owner"
        hint={`This person will be able to edit the listing, and the owner email changes to their account’s email.${admin.dropsEdit ? DROPS_EDIT : ""}`}
        findIntent="findPerson"
        current={admin.owner && { ...admin.owner, email: null }}
        found={found}
      />
    </FormSection>
  );
}
