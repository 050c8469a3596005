/**
 * What a form shows: its values and what is wrong with them. The server judges a form (conform and zod
 * live there); the browser only draws the answer, so that no validation library travels to it.
 */

export type FieldValue = string | string[];

/** One field of a form, as its control needs it. */
export interface FormField {
  name: string;
  id: string;
  errorId: string;
  descriptionId: string;
  errors: string[] | undefined;
  /** What the control starts with: as it was typed, when the form came back; else as it is saved. */
  value: FieldValue | undefined;
  required: boolean;
}

export interface FormState<Name extends string = string> {
  id: string;
  /** Sentences by field, in the order of the page; "" stands for the form as a whole. */
  errors: Record<string, string[]>;
  field: (name: Name) => FormField;
}

/** A form that was sent back, as conform's `submission.reply()` describes it. */
export interface FormResult {
  initialValue?: Record<string, unknown> | null;
  error?: Record<string, string[] | null> | null;
}

interface FormStateOptions {
  /** Unique on the page; the ids of the fields begin with it. */
  id: string;
  /** The answer to the form that was just sent, when it was sent back. */
  lastResult?: FormResult | null;
  /** The values to start with. */
  saved?: Record<string, FieldValue>;
  /** Names of the fields that may not stay empty. */
  required?: readonly string[];
}

const isValue = (value: unknown): value is FieldValue =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

/** The state of a form, from what is saved and from the answer to its last sending. */
export function createFormState<Name extends string>({
  id,
  lastResult,
  saved = {},
  required = [],
}: FormStateOptions): FormState<Name> {
  const values: Record<string, unknown> = lastResult ? (lastResult.initialValue ?? {}) : saved;
  const errors = Object.fromEntries(
    Object.entries(lastResult?.error ?? {}).filter(
      (entry): entry is [string, string[]] => entry[1] !== null && entry[1].length > 0,
    ),
  );
  return {
    id,
    errors,
    field: (name) => {
      const value = values[name];
      const sentences = Object.entries(errors).flatMap(([path, found]) =>
        toFieldName(path) === name ? found : [],
      );
      return {
        name,
        id: `${id}-${name}`,
        errorId: `${id}-${name}-error`,
        descriptionId: `${id}-${name}-description`,
        errors: sentences.length > 0 ? sentences : undefined,
        value: isValue(value) ? value : undefined,
        required: required.includes(name),
      };
    },
  };
}

/** An error of `tags[2]` or `address.city` is told at the field `tags` or `address`. */
export function toFieldName(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

/** The value of a field of one control; the first, where a name was sent more than once. */
export function firstValue(value: FieldValue | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** What is saved, as a form holds it: text, "on" for a ticked box, and nothing for one that is not. */
export function toFormValues<Name extends string>(
  row: Readonly<Record<Name, unknown>>,
  names: readonly Name[],
): Record<Name, FieldValue> {
  const asTyped = (value: unknown): FieldValue => {
    if (Array.isArray(value)) return value.map(asText);
    return typeof value === "boolean" ? (value ? "on" : "") : asText(value);
  };
  return Object.fromEntries(names.map((name) => [name, asTyped(row[name])])) as Record<
    Name,
    FieldValue
  >;
}
