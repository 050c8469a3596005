/** One field of a posted form. */
export type PostedField = [name: string, value: string];

/** The intent that every action knows: show the page with its form filled in as sent, and do nothing. */
export const REFILL = "refill";
/** Where a form that is to be filled in again carries the intent it was first sent with. */
export const REFILL_INTENT = "refill_intent";
/** Where it carries the id it was kept under. */
export const REFILL_STASH = "refill_stash";

const CARRIED =
  /^(intent|submission_id|version|redirectTo|token|token_hash|type|refill_intent|refill_stash|choose_\w+|\w+_pick)$/;

/** Whether a field holds a password, which is never kept or given back. */
export function isSecretField(name: string): boolean {
  return /password/i.test(name);
}

/** Whether a person typed or chose a field; the others go along with every form unseen. */
export function isUserField([name, value]: PostedField): boolean {
  return value !== "" && !CARRIED.test(name);
}

/** The fields of a form, so that its page fills them in again instead of acting on them. */
export function toRefillFields(fields: readonly PostedField[]): PostedField[] {
  return fields.map(([name, value]) => [name === "intent" ? REFILL_INTENT : name, value]);
}

/** The fields of a form as it was first sent, though it may have been on its way to be filled in again. */
export function toOriginalFields(fields: PostedField[]): PostedField[] {
  if (!fields.some(([name, value]) => name === "intent" && value === REFILL)) return fields;
  return fields.flatMap(([name, value]): PostedField[] => {
    if (name === "intent" || name === REFILL_STASH) return [];
    return [[name === REFILL_INTENT ? "intent" : name, value]];
  });
}

/** What people call the fields of a form, for showing them what they typed where the form itself is not. */
export interface FormLabels {
  labels: Readonly<Record<string, string>>;
  /** The fields that hold a code in place of the words that were chosen. */
  codes: readonly string[];
}

/** A form as it was sent, by its fields that may be kept and given back. */
export interface SubmittedForm {
  action: string;
  fields: PostedField[];
  words: FormLabels;
}

/** As much of a form's words as these fields need. */
export function pickFormLabels(
  fields: readonly PostedField[],
  { labels, codes }: Partial<FormLabels> = {},
): FormLabels {
  const names = new Set(fields.map(([name]) => name));
  return {
    labels: Object.fromEntries(Object.entries(labels ?? {}).filter(([name]) => names.has(name))),
    codes: (codes ?? []).filter((name) => names.has(name)),
  };
}
