import type { FieldMetadata } from "@conform-to/react";
import type { FormEvent } from "react";

/**
 * A field of any form. The components only read its name, ids, value and errors, so the type of its value and of the
 * form around it is of no concern to them.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type FormField = FieldMetadata<any, any, string[]>;

/** As much of conform's form as the components need. */
export interface ConformForm {
  id: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  errors: string[] | undefined;
  allErrors: Record<string, string[]>;
}
