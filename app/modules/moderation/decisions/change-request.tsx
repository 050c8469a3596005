import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { TextArea } from "~/components/forms/text-area";

/** What owners are asked to change most often. Owners read these sentences as they are. */
export const CHANGE_REASONS = [
  "Please enter your full address, with street, city and state.",
  "Please tell people more about your business: what you offer and who it’s for.",
  "Please check your website address: it doesn’t open.",
  "Please choose the category that best fits your business.",
  "Please tell us how your business is queer-owned or serves queer and trans people.",
  "Please describe only this business, without promoting others.",
] as const;

/** The option for a reason in the admin's own words. */
const OTHER_REASON = "other";

/** The maximum number of characters of a reason for a decision. The database has the same limit. */
export const MAX_REASON_LENGTH = 2_000;

/** The reason of a change request: selected from the list, written, or both. */
export function ChangeRequestFields({ form }: { form: FormState<"reason" | "reason_text"> }) {
  return (
    <>
      <SelectField
        field={form.field("reason")}
        label="Reason"
        placeholder="Choose a reason"
        options={[
          ...CHANGE_REASONS.map((reason) => ({ value: reason, label: reason })),
          { value: OTHER_REASON, label: "Another reason" },
        ]}
      />
      <TextArea
        field={form.field("reason_text")}
        label="In your own words"
        hint="The owner sees this on the listing and in an email."
        rows={3}
        limit={MAX_REASON_LENGTH}
      />
    </>
  );
}
