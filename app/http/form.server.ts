import type { Submission } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { json } from "@remix-run/node";
import { z } from "zod";

import { FORM_TOKEN_FIELD } from "./csrf.server";
import { isSecretField, REFILL_INTENT, REFILL_STASH } from "./submitted-form";

/** What a refused form answers with; `formState` puts it back in place. */
export interface FormErrorData {
  lastResult: {
    /** The form as it was typed, without passwords. */
    initialValue: Record<string, unknown>;
    /** Sentences by field, in the order of the page; "" stands for the whole form. */
    error: Record<string, string[]>;
  };
}

/** Checks a posted form against its schema. Never throws for what people typed. */
export function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
): Submission<z.output<S>, string[]> {
  return parseWithZod(form, { schema });
}

/** One field of a posted form as text; empty when it was not sent. */
export function readField(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export interface FormErrorOptions {
  /** Messages beside fields; the key "" stands for the whole form. */
  errors?: Record<string, string[]>;
  status?: 400 | 409 | 429 | 503;
  headers?: Record<string, string>;
}

const SECRET_FIELDS = ["password", "confirm_password"];

/**
 * A form as it was typed, with every reason it is refused for: its schema's and those given. Passwords
 * are never sent back.
 */
export function buildFormResult(
  submission: Submission<unknown, string[]>,
  errors: Record<string, string[]> = {},
): FormErrorData["lastResult"] {
  const { initialValue, error } = submission.reply({ hideFields: SECRET_FIELDS });
  const told = { ...error };
  for (const [name, sentences] of Object.entries(errors))
    told[name] = [...(told[name] ?? []), ...sentences];
  return {
    initialValue: initialValue ?? {},
    error: inPageOrder(told, Object.keys(submission.payload)),
  };
}

/**
 * Answers with the form as it was typed and the reasons it was refused.
 * @param status 400 unless a better one tells what happened
 */
export function formErrorResponse(
  submission: Submission<unknown, string[]>,
  options: FormErrorOptions = {},
) {
  const lastResult = buildFormResult(submission, options.errors);
  return json<FormErrorData>(
    { lastResult },
    { status: options.status ?? 400, headers: options.headers },
  );
}

/** A form that is to be filled in again, as it was typed. */
export function toRefillForm(form: FormData): FormData {
  const fields = new FormData();
  for (const [name, value] of form) {
    if (name === REFILL_INTENT) fields.append("intent", value);
    else if (!["intent", REFILL_STASH, FORM_TOKEN_FIELD].includes(name) && !isSecretField(name))
      fields.append(name, value);
  }
  return fields;
}

/** Answers with the form as it was typed, refused for nothing. */
export function refillResponse(form: FormData) {
  return json<FormErrorData>({ lastResult: buildFormResult(parseForm(form, z.unknown())) });
}

/** A form is sent in the order of its page; what was not sent at all (a box left empty) comes last. */
function inPageOrder(
  errors: Record<string, string[] | null>,
  sent: string[],
): Record<string, string[]> {
  const place = (path: string) => {
    const index = sent.indexOf(path.split(/[.[]/, 1)[0] ?? path);
    return index < 0 ? sent.length : index;
  };
  const told = Object.entries(errors).filter(
    (entry): entry is [string, string[]] => entry[1] !== null,
  );
  return Object.fromEntries(told.sort(([a], [b]) => place(a) - place(b)));
}

/** The names of a schema's fields that may not stay empty, for the `required` of their controls. */
export function getRequiredFields(schema: z.ZodType): string[] {
  return Object.entries(getZodConstraint(schema))
    .filter(([name, { required, multiple }]) => required && !multiple && !name.includes("["))
    .map(([name]) => name);
}
