import { z } from "zod";

/** The fields that many forms are made of, as zod takes them. */

const atMost = (max: number) => `Use at most ${max.toLocaleString("en")} characters.`;

/** Text that has to be there. @param missing what is said when it is not */
export const requiredText = (max: number, missing: string) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? missing : "Enter this once.") })
    .trim()
    .min(1, missing)
    .max(max, atMost(max));

/** Text that may be left out; spaces alone are nothing, too. Null when there is none. */
export const optionalText = (max: number) =>
  z
    .string({ error: "Enter this once." })
    .trim()
    .max(max, atMost(max))
    .optional()
    .transform((value) => value || null);

/** A box that may be ticked. */
export const checkbox = z.boolean({ error: "Tick the box or leave it empty." }).default(false);

const isId = (value: number) => Number.isInteger(value) && value >= 1 && value <= 1e9;

/** The number of something chosen from a list. @param missing what is said for none, and for what is no number */
export const selectedId = (missing: string) =>
  z.coerce.number({ error: missing }).refine(isId, missing);

/** The one-submit token of a form that makes something; malformed, it is as if there were none. */
export const submissionToken = z.uuid().optional().catch(undefined);

/** The version that an edit began from; malformed, it is as if there were none. */
export const formVersion = z.coerce.number().int().min(1).max(1e9).optional().catch(undefined);

/** For rules over several fields: they are told together with those of single fields, not only after them. */
export const alwaysCheck = { when: () => true };
