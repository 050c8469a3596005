import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { TextArea } from "~/components/forms/text-area";

import { CHANGE_REASONS, CHANGE_REQUEST_LIMIT } from "./change-reasons";

/** What an owner is asked to change: chosen from a list, written, or both. */
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
        limit={CHANGE_REQUEST_LIMIT}
      />
    </>
  );
}
