import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { TextArea } from "~/components/forms/text-area";

/** What owners are asked to change most often. An owner reads the sentence as it is here. */
export const CHANGE_REASONS = [
  "Please give the full address, with street, city and state.",
  "Please tell people more about your business: what you offer, and for whom.",
  "Please check the website: it does not open.",
  "Please choose the category that fits your business best.",
  "Please tell us how your business is queer-owned or serves queer and trans people.",
  "Please write only about this business, and leave out what is advertising for others.",
] as const;

/** The maximum number of characters of a reason for a decision. The database has the same limit. */
export const MAX_REASON_LENGTH = 2_000;

/** The reason of a change request: selected from the list, written, or both. */
export function ChangeRequestFields({ form }: { form: FormState<"reason" | "reason_text"> }) {
  return (
    <>
      <SelectField
        field={form.field("reason")}
        label="Reason"
        placeholder="None of these"
        options={CHANGE_REASONS.map((reason) => ({ value: reason, label: reason }))}
      />
      <TextArea
        field={form.field("reason_text")}
        label="In your words"
        hint="Its owner reads this on the listing, and in an e-mail."
        optional
        rows={3}
        limit={MAX_REASON_LENGTH}
      />
    </>
  );
}
