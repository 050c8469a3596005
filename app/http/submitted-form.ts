/** One field of a posted form. */
export type PostedField = [name: string, value: string];

/** The intent that every action knows: it only shows the page, with the form's fields filled in. */
export const REFILL = "refill";
/** The field of a refilled form with the intent that it was first submitted with. */
export const REFILL_INTENT = "refill_intent";
/** The field of a refilled form with its id in the form stash. */
export const REFILL_STASH = "refill_stash";

const HIDDEN_FIELDS =
  /^(intent|submission_id|version|redirectTo|token|token_hash|type|refill_intent|refill_stash|replaces|tab|corrects|at|batch|choose_\w+|\w+_pick|seen|\w+_seen)$/;

/** Whether a field holds a password or a code for signing in, which is never stored or sent back. */
export function isSecretField(name: string): boolean {
  return /password|^(app|recovery)_code$/i.test(name);
}

/**
 * Whether the user typed or selected a field's value. The other fields are hidden in every form.
 */
export function isUserField([name, value]: PostedField): boolean {
  return value !== "" && !HIDDEN_FIELDS.test(name);
}

/** The fields of a form, with which its page refills the form instead of handling it. */
export function toRefillFields(fields: readonly PostedField[]): PostedField[] {
  return fields.map(([name, value]) => [name === "intent" ? REFILL_INTENT : name, value]);
}

/** The fields of a form as it was first submitted, also when it was on its way to be refilled. */
export function toOriginalFields(fields: PostedField[]): PostedField[] {
  if (!fields.some(([name, value]) => name === "intent" && value === REFILL)) return fields;
  return fields.flatMap(([name, value]): PostedField[] => {
    if (name === "intent" || name === REFILL_STASH) return [];
    return [[name === REFILL_INTENT ? "intent" : name, value]];
  });
}

/** The labels of a form's fields, for showing submitted values on a page without the form. */
export interface FormLabels {
  byField: Readonly<Record<string, string>>;
  /** The fields whose value is a code and not the label of the selected option. */
  codes: readonly string[];
}

/** A form as it was submitted: those of its fields that may be stored and sent back. */
export interface SubmittedForm {
  action: string;
  fields: PostedField[];
  labels: FormLabels;
  /** Of the button that sends it again, where something else comes first. */
  variant?: "quiet";
}

/** The labels of these fields only. */
export function pickFormLabels(
  fields: readonly PostedField[],
  { byField = {}, codes = [] }: Partial<FormLabels> = {},
): FormLabels {
  const names = new Set(fields.map(([name]) => name));
  return {
    byField: Object.fromEntries(Object.entries(byField).filter(([name]) => names.has(name))),
    codes: codes.filter((name) => names.has(name)),
  };
}
