import type { CSSProperties, ReactNode } from "react";

import type { IconName } from "~/components/ui/icon-names";
import { createFormState, type FieldValue, type FormField } from "~/components/forms/form-state";

/** What each part of the page gets. */
export interface PartProps {
  scheme: string;
  tokens: Record<string, string>;
  icons: readonly IconName[];
}

export const LONG_NAME =
  "The Very Long Named Cooperative Bakery, Bookshop, and Community Garden of Saint-Rémy-de-Provence (formerly Café X)";
/** In another script, from right to left. */
export const OTHER_SCRIPT = "مقهى قوس قزح";
export const LONG_TEXT =
  "A place for everyone, run with care by the people who started it in a garage. ".repeat(6);

const GRID: CSSProperties = {
  display: "grid",
  gap: "1.5rem",
  gridTemplateColumns: "repeat(auto-fill, minmax(min(18rem, 100%), 1fr))",
};
const ROW: CSSProperties = {
  display: "flex",
  flexWrap: "wrap",
  gap: "0.75rem",
  alignItems: "center",
};

/** Samples side by side where there is room. */
export const Grid = ({ children }: { children: ReactNode }) => <div style={GRID}>{children}</div>;

/** Small samples in one line, under their name. */
export const Row = ({ of, children }: { of: string; children: ReactNode }) => (
  <div>
    <p className="hint">{of}</p>
    <div style={ROW}>{children}</div>
  </div>
);

/** A field in one state. */
export function sampleField(
  scheme: string,
  name: string,
  {
    value,
    error,
    required = true,
  }: { value?: FieldValue; error?: string; required?: boolean } = {},
): FormField {
  const form = createFormState<string>({
    id: scheme,
    required: required ? [name] : [],
    ...(error === undefined
      ? { saved: value === undefined ? {} : { [name]: value } }
      : { lastResult: { initialValue: { [name]: value }, error: { [name]: [error] } } }),
  });
  return form.field(name);
}
