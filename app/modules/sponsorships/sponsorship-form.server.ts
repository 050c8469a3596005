import { json } from "@remix-run/node";

import { buildFormResult, parseForm, readField, type FormErrorData } from "~/http/form.server";
import { DataError } from "~/integrations/supabase/data.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";
import { toFormErrors } from "~/http/refusals.server";

import {
  computeTotalCents,
  findUnavailableDates,
  MAX_ORDER_CENTS,
  MAX_PROMO_CHARACTERS,
  type NewsletterDate,
} from "./rules";
import {
  featureSchema,
  sponsorshipSchema,
  type FeatureValues,
  type SponsorshipValues,
} from "./schema.server";
import { explainUnavailableDates } from "./unavailable-dates";
import { SPONSORSHIP_REFUSALS } from "./refusals";

/** What the editor gets when the form was not saved: the form as it was typed, and the errors. */
export interface SponsorshipFormData extends FormErrorData {
  /** Whether someone else saved a newer version. */
  stale: boolean;
  /** The page of the order that this form made before, when there is a newer version of it. */
  editPage?: string;
}

interface ErrorOptions {
  /** Sentences by field; "" is the form as a whole. */
  errors?: Record<string, string[]>;
  stale?: boolean;
  editPage?: string;
  status?: 200 | 400 | 409 | 503;
}

type Submission = Parameters<typeof buildFormResult>[0];

/** Returns the form with its values and every error. */
export function sponsorshipErrorResponse(
  submission: Submission,
  { errors, stale = false, status = 400, ...newer }: ErrorOptions = {},
) {
  return json<SponsorshipFormData>(
    { lastResult: buildFormResult(submission, errors), stale, ...newer },
    { status },
  );
}

/** Returns the form as it was typed, without validation: for "Preview", and after signing in again. */
export function refillSponsorship(form: FormData) {
  const { payload } = parseForm(form, sponsorshipSchema);
  return json<SponsorshipFormData>({
    lastResult: { initialValue: payload, error: {} },
    stale: false,
  });
}

/** Whether the form only asks for its preview. */
export const isPreviewRequest = (form: FormData) => readField(form, "intent") === "preview";

/** A valid form, or the response with its errors. */
type Validation<Values> =
  | { submission: Submission; values: Values }
  | { errorResponse: ReturnType<typeof sponsorshipErrorResponse> };

const TOO_MUCH =
  "An order’s total must be less than $1,000,000. Choose fewer dates or a lower price.";

/**
 * Validates the form of an order: its fields, and whether its dates are still available. The total is
 * computed here; one in the form is ignored.
 * @param offered the newsletters, as they are available to this order
 */
export function validateSponsorship(
  form: FormData,
  offered: readonly NewsletterDate[],
): Validation<SponsorshipValues> {
  const submission = parseForm(form, sponsorshipSchema);
  if (submission.status !== "success")
    return { errorResponse: sponsorshipErrorResponse(submission) };
  const { value } = submission;
  const errors: Record<string, string[]> = {};
  const unavailable = findUnavailableDates(value.sponsorship_dates, offered, new Date());
  if (unavailable.length > 0) errors.sponsorship_dates = explainUnavailableDates(unavailable);
  const totalCents = computeTotalCents(value.rate, value.sponsorship_dates.length) ?? 0;
  if (totalCents > MAX_ORDER_CENTS) errors.rate = [TOO_MUCH];
  if (Object.keys(errors).length > 0)
    return { errorResponse: sponsorshipErrorResponse(submission, { errors }) };
  return { submission, values: value };
}

/** Validates the form of a paid order: its feature. */
export function validateFeature(form: FormData): Validation<FeatureValues> {
  const submission = parseForm(form, featureSchema);
  return submission.status === "success"
    ? { submission, values: submission.value }
    : { errorResponse: sponsorshipErrorResponse(submission) };
}

const PAYMENT_STAYS_OPEN =
  "A payment for this order is still open, and we can’t reach our payment provider to close it. Your changes aren’t saved yet. Please try again in a few minutes.";

/**
 * Returns the form with the reason why the order could not be saved, if its owner can do something
 * about it. @throws any other error
 */
export function saveErrorResponse(submission: Submission, error: unknown) {
  if (error instanceof PaymentUnavailable)
    return sponsorshipErrorResponse(submission, {
      errors: { "": [PAYMENT_STAYS_OPEN] },
      status: 503,
    });
  // It was paid for, or its payment is on its way, so it can't be changed.
  if (error instanceof PaymentRefused)
    return sponsorshipErrorResponse(submission, { errors: { "": [error.message] }, status: 409 });
  const errors = getSponsorshipErrors(error);
  if (!errors) throw error;
  return sponsorshipErrorResponse(submission, { errors });
}

/** The form errors for an order that the database refused; null for any other failure. */
function getSponsorshipErrors(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  if (error.code === "23503") return { place_id: ["Choose a business."] };
  // In some scripts the database counts more characters than the form.
  if (error.constraint === "sponsorships_promo_text_check")
    return { promo_text: [`Use at most ${MAX_PROMO_CHARACTERS} characters.`] };
  return toFormErrors(error, SPONSORSHIP_REFUSALS);
}
