import { json } from "@remix-run/node";

import { readField, parseForm, buildFormResult, type FormErrorData } from "~/http/form.server";
import { DataError } from "~/integrations/supabase/data.server";

import { PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { goneSentences } from "./gone-dates";
import { goneDates, ORDER_TO_CENTS, totalCents, type NewsletterDate } from "./rules";
import {
  sponsorshipSchema,
  wordsSchema,
  type SponsorshipValues,
  type WordsValues,
} from "./schema.server";

/** What the editor gets back when the form was not saved: the form as it was typed, and why. */
export interface EditorAnswer extends FormErrorData {
  /** Somebody saved a newer version. */
  stale: boolean;
}

interface GivenBack {
  errors?: Record<string, string[]>;
  stale?: boolean;
  status?: 200 | 400 | 409 | 503;
}

type Submission = Parameters<typeof buildFormResult>[0];

/** Gives the form back as it was typed, with every reason it was not saved. */
export function giveBack(
  submission: Submission,
  { errors, stale = false, status = 400 }: GivenBack,
) {
  return json<EditorAnswer>({ lastResult: buildFormResult(submission, errors), stale }, { status });
}

/** Shows the form as it was typed, with its preview and total, and judges nothing. For "Preview", and after signing in again. */
export function showTyped(form: FormData) {
  const { payload } = parseForm(form, sponsorshipSchema);
  return json<EditorAnswer>({ lastResult: { initialValue: payload, error: {} }, stale: false });
}

/** Whether the form asks for its preview alone. */
export const asksForPreview = (form: FormData) => readField(form, "intent") === "preview";

/** A form that may be saved, or the answer that gives it back. */
type Judged<Values> =
  { submission: Submission; values: Values } | { refused: ReturnType<typeof giveBack> };

/**
 * Judges the form of an order by every rule at once: its fields, and whether its dates can still be had.
 * The total is reckoned here; one that is sent is not read.
 * @param offered the newsletters as they are for this order
 */
export function judgeSponsorship(
  form: FormData,
  offered: readonly NewsletterDate[],
): Judged<SponsorshipValues> {
  const submission = parseForm(form, sponsorshipSchema);
  if (submission.status !== "success") return { refused: giveBack(submission, {}) };
  const values = submission.value;
  const errors: Record<string, string[]> = {};
  const gone = goneSentences(goneDates(values.sponsorship_dates, offered, new Date()));
  if (gone.length > 0) errors.sponsorship_dates = gone;
  if ((totalCents(values.rate, values.sponsorship_dates.length) ?? 0) > ORDER_TO_CENTS)
    errors.rate = [TOO_MUCH];
  if (Object.keys(errors).length > 0) return { refused: giveBack(submission, { errors }) };
  return { submission, values };
}

const TOO_MUCH =
  "One order can come to less than $1,000,000. Choose fewer dates, or a lower price.";

/** Judges the form of an order that is paid for: its words. */
export function judgeWords(form: FormData): Judged<WordsValues> {
  const submission = parseForm(form, wordsSchema);
  return submission.status === "success"
    ? { submission, values: submission.value }
    : { refused: giveBack(submission, {}) };
}

/** Rules that only the database can judge, by the field they are about. */
const RULES_OF_FIELDS: [sentence: RegExp, field: string][] = [
  [/^Please choose one of your own/, "place_id"],
  [/^Newsletters go out|^Please choose dates/, "sponsorship_dates"],
];

const PAYMENT_STAYS_OPEN =
  "A payment for this order is open, and our payment provider doesn’t answer just now, so it can’t be closed. Your changes aren’t saved yet: please try again in a few minutes.";

/** Gives the form back when the order could not be kept for a reason that people can mend; any other failure is thrown on. */
export function giveBackUnsaved(submission: Submission, error: unknown) {
  if (error instanceof PaymentUnavailable)
    return giveBack(submission, { errors: { "": [PAYMENT_STAYS_OPEN] }, status: 503 });
  const errors = refusal(error);
  if (!errors) throw error;
  return giveBack(submission, { errors });
}

/** Why the database refused an order, by field ("" for the form as a whole); null for any other failure. */
function refusal(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  if (error.code === "23503") return { place_id: ["Choose a business."] };
  if (error.code !== "P0001")
    return { "": ["One of the values can’t be saved as it is. Please check the form."] };
  const field = RULES_OF_FIELDS.find(([sentence]) => sentence.test(error.message))?.[1] ?? "";
  return { [field]: [error.message] };
}
