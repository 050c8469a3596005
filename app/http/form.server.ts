import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { json } from "@remix-run/node";
import type { Submission, SubmissionResult } from "@conform-to/react";
import type { z } from "zod/v4";

/** What a refused form answers with; the page gives it to conform, which puts all back in place. */
export interface Refusal {
  lastResult: SubmissionResult<string[]>;
}

/** Checks a posted form against its schema. Never throws for what people typed. */
export function parseForm<S extends z.ZodType>(form: FormData, schema: S): Submission<z.output<S>, string[]> {
  return parseWithZod(form, { schema });
}

/** One field of a posted form as text; empty when it was not sent. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export interface RefuseOptions {
  /** Messages beside fields; the key "" stands for the whole form. */
  errors?: Record<string, string[]>;
  status?: 400 | 409 | 429 | 503;
  headers?: Record<string, string>;
}

const SECRET_FIELDS = ["password", "confirm_password"];

/**
 * Answers with the form as it was typed and the reasons it was refused. Passwords are never sent back.
 * @param status 400 unless a better one tells what happened
 */
export function refuse(submission: Submission<unknown, string[]>, options: RefuseOptions = {}) {
  const { "": formErrors, ...fieldErrors } = options.errors ?? {};
  const lastResult = submission.reply({ hideFields: SECRET_FIELDS, formErrors, fieldErrors });
  return json<Refusal>({ lastResult }, { status: options.status ?? 400, headers: options.headers });
}

/**
 * The HTML constraints of a schema's fields, as far as they help: which are required. Lengths are left
 * out, because a browser cuts a pasted text off without a word, and the server says what is too long.
 * Groups of boxes lose `required` as well: it would ask for every box.
 */
export function formConstraint(schema: z.ZodType): Record<string, { required?: boolean }> {
  return Object.fromEntries(
    Object.entries(getZodConstraint(schema))
      .filter(([name, { required, multiple }]) => required && !multiple && !name.includes("["))
      .map(([name]) => [name, { required: true }]),
  );
}
