import { useState } from "react";

import { firstValue, type FieldValue, type FormField } from "~/components/forms/form-state";

/** The saved values of a form's fields, and with them `seen`, which says what they were when the page was rendered. */
export const withSeenValues = <Saved extends Readonly<Record<string, FieldValue>>>(
  saved: Saved,
) => ({ ...saved, seen: JSON.stringify(saved) });

/**
 * Sends along what the fields of the form were when it was rendered, so that the action can tell which of them were
 * changed in it (updateUntouched). It stays so while the form stays: newer values would not be those of its controls.
 */
export function SeenValues({ field }: { field: FormField }) {
  const [seen] = useState(firstValue(field.value));
  return seen === undefined ? null : <input type="hidden" name={field.name} value={seen} />;
}
