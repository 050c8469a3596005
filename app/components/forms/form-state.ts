/**
 * What a form shows: its values and its errors. Only the server validates (with conform and zod).
 * The browser renders the result, so that it loads no validation library.
 */

export type FieldValue = string | string[];

/** One field of a form, as its control needs it. */
export interface FormField {
  name: string;
  id: string;
  errorId: string;
  descriptionId: string;
  errors: string[] | undefined;
  /** The initial value of the control: as it was submitted, or else as it is saved. */
  value: FieldValue | undefined;
  required: boolean;
  /** Who sees it: the id of the mark that says so, and whether the field shows that mark itself. */
  mark?: { id: string; audience?: "public" | "private" };
}

export interface FormState<Name extends string = string> {
  id: string;
  /** Error messages by field, in the order of the page; "" is the form as a whole. */
  errors: Record<string, string[]>;
  /** Whether its values were submitted, and are not stored anywhere. */
  typed: boolean;
  field: (name: Name) => FormField;
}

/** The result of a submission, as in `FormErrorData`. */
interface FormResult {
  initialValue?: Record<string, unknown> | null;
  error?: Record<string, string[] | null> | null;
  /** Whether the values come from a stored draft. */
  stored?: boolean;
}

interface FormStateOptions {
  /** Unique on the page; the ids of the fields begin with it. */
  id: string;
  /** The result of the last submission, when it had errors. */
  lastResult?: FormResult | null;
  /** The saved values. */
  saved?: Record<string, FieldValue>;
  /** The names of the required fields. */
  required?: readonly string[];
}

/** Whether an unknown value is one of a field: text, or a list of text. */
export const isFieldValue = (value: unknown): value is FieldValue =>
  typeof value === "string" ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

/** The state of a form, from the saved values and the result of the last submission. */
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
    typed: Boolean(lastResult && !lastResult.stored),
    field: (name) => {
      const value = values[name];
      const messages = Object.entries(errors).flatMap(([path, found]) =>
        toFieldName(path) === name ? found : [],
      );
      return {
        name,
        id: `${id}-${name}`,
        errorId: `${id}-${name}-error`,
        descriptionId: `${id}-${name}-description`,
        errors: messages.length > 0 ? messages : undefined,
        value: isFieldValue(value) ? value : undefined,
        required: required.includes(name),
      };
    },
  };
}

/**
 * The field that shows the errors of a path: `tags` for `tags[2]`, `address` for `address.city`.
 */
export function toFieldName(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

/** The value of a single control; the first one when the name was sent more than once. */
export function firstValue(value: FieldValue | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The columns of a row as form values: text, "on" for true, and "" for false. */
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
