import { z } from "zod";

import { countCharacters } from "~/text/count-characters";
import { formatNumber } from "~/text/counts";
import { toLines, toOneLine } from "~/text/one-line";

/** Zod schemas for fields that many forms have. */

const tooLong = (max: number) => `Use at most ${formatNumber(max)} characters.`;

const requiredString = (missing: string) =>
  z.string({ error: (issue) => (issue.input === undefined ? missing : "Enter this once.") });
const optionalString = () => z.string({ error: "Enter this once." });

/** Required text of any number of lines, trimmed. @param missing the error when it is empty */
export const requiredText = (max: number, missing: string) =>
  requiredString(missing).overwrite(toLines).trim().min(1, missing).max(max, tooLong(max));

/**
 * Required text of any number of lines, trimmed, with a limit of characters as people count them:
 * an emoji is one. The number of Unicode codes is limited, too.
 * @param missing the error when it is empty
 */
export const requiredProse = (max: number, missing: string) =>
  requiredString(missing)
    .overwrite(toLines)
    .trim()
    .min(1, missing)
    .refine(
      (text) => [...text].length <= max * CODES_PER_CHARACTER && countCharacters(text) <= max,
      tooLong(max),
    );

/** The longest emoji in use has ten Unicode codes: two people with skin tones who kiss. */
const CODES_PER_CHARACTER = 10;

/** Required text of one line, trimmed. @param missing the error when it is empty */
export const requiredLine = (max: number, missing: string) =>
  requiredString(missing).overwrite(toOneLine).trim().min(1, missing).max(max, tooLong(max));

/** Optional text of any number of lines, trimmed. Null when it is empty. */
export const optionalText = (max: number) =>
  optionalString()
    .overwrite(toLines)
    .trim()
    .max(max, tooLong(max))
    .optional()
    .transform((value) => value || null);

/** Optional text of one line, trimmed. Null when it is empty. */
export const optionalLine = (max: number) =>
  optionalString()
    .overwrite(toOneLine)
    .trim()
    .max(max, tooLong(max))
    .optional()
    .transform((value) => value || null);

/** A single checkbox. */
export const checkbox = z.boolean({ error: "Check the box or leave it unchecked." }).default(false);

const isId = (value: number) => Number.isInteger(value) && value >= 1 && value <= 1e9;

/** The id of a row selected from a list. @param missing the error when it is empty or malformed */
export const selectedId = (missing: string) =>
  z.coerce.number({ error: missing }).refine(isId, missing);

/** The token that keeps a form from creating a row twice. A malformed one is ignored. */
export const submissionToken = z.uuid().optional().catch(undefined);

/** The version of the row that the form was filled with. A malformed one is ignored. */
export const formVersion = z.coerce.number().int().min(1).max(1e9).optional().catch(undefined);

/**
 * For rules about several fields, which zod checks even when the rules of single fields have
 * failed.
 */
export const alwaysCheck = { when: () => true };
