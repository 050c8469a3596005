import { randomUUID } from "node:crypto";

import type { Run } from "./run";

const LISTING = {
  name: "Conformance",
  category: 1,
  description: "A check.",
  rawaddress: "1 Main Street",
  address: "1 Main Street",
  third_party_auth: true,
  certified_queer: true,
};
const JOB = {
  title: "Conformance",
  category: 85,
  description: "A check.",
  location: ["Oregon"],
  company_name: "Conformance",
  company_bio: "A check.",
};
const SPONSORSHIP = { promo_text: "A check." };
const NOT_MINE = -1;

type Row = Record<string, unknown>;
/** Many rows in one request are one statement: when the last one is too many, none is stored. */
const rows = (count: number, row: () => Row): Row[] => Array.from({ length: count }, row);

/** What is sent to a table or a function, and the code with which our SQL refuses it. */
export const REFUSED: readonly (readonly [path: string, code: string, body: Row | Row[]])[] = [
  ["places", "description_missing", { ...LISTING, description: " " }],
  ["places", "address_missing", { ...LISTING, rawaddress: "", address: "" }],
  ["places", "listing_consent_missing", { ...LISTING, third_party_auth: false }],
  ["places", "certification_missing", { ...LISTING, certified_queer: false }],
  ["places", "licensed_locations_missing", { ...LISTING, category: 2 }],
  ["places", "community_group_not_serving", { ...LISTING, category: 14 }],
  ["places", "category_unknown", { ...LISTING, category: 40 }],
  // (Of another category, these answers are left out.)
  ["places", "online_category_unknown", { ...LISTING, category: 12, online_categories: [1] }],
  ["places", "licensed_location_unknown", { ...LISTING, category: 2, licensed_locations: [""] }],
  ["jobs", "job_category_unknown", { ...JOB, category: 1 }],
  ["jobs", "job_location_unknown", { ...JOB, location: [""] }],
  ["jobs", "job_place_not_yours", { ...JOB, place_id: NOT_MINE }],
  ["sponsorships", "sponsorship_place_not_yours", { ...SPONSORSHIP, place_id: NOT_MINE }],
  ["listing_drafts", "draft_too_long", { fields: { description: "x".repeat(65_536) } }],
  ["listing_drafts", "too_many_drafts", rows(21, () => ({ id: randomUUID(), fields: {} }))],
  ["rpc/set_my_position", "position_invalid", { lat: 91, long: 0 }],
  [
    "rpc/set_tracking_consent",
    "tracking_answer_missing",
    { granted: null, text_version: "none", page: "/conformance" },
  ],
];

/** The same for refusals because of a limit, which have a status of their own. */
export const LIMITED: readonly (readonly [path: string, code: string, body: Row[]])[] = [
  ["places", "too_many_new_listings", rows(101, () => LISTING)],
  ["jobs", "too_many_new_jobs", rows(101, () => JOB)],
  ["feedback", "too_much_feedback", rows(11, () => ({ feedback: "A check." }))],
];

const ADMIN = "an admin";
const ADMIN_AND_PAYMENT = "an admin, and a payment";
const OWN_LISTING = "a listing of one's own, which would wait in the admins' queue";
const PUBLIC_LISTING = "a published listing, whose owner or admins would get it";
const OWN_JOB = "a job of one's own, which admins would see";
const PAID_ORDER = "an order that was paid for";

/**
 * What it takes to provoke the other codes of our SQL, which no suite may do in a project that
 * others use. The database tests provoke them.
 */
export const NOT_PROVOKED: Readonly<Record<string, string>> = {
  // Accounts
  account_email_unconfirmed: "a session of an account without a confirmed address",
  lead_email_unconfirmed: "a session of an account without a confirmed address",
  too_many_sign_ups: "six sign-ups, of which the auth service passes on no code",
  too_many_consents: "twenty entries in the record of consents, which nothing removes",
  deletion_begun: "a request to delete the account that is a week old",
  too_many_deletion_requests: "six requests, each of which sends an email",
  only_admin: ADMIN,
  last_admin: ADMIN,
  own_account: ADMIN,
  own_second_step_first: ADMIN,
  second_step_code_needed: "a session whose last code is older than ten minutes",
  too_many_recovery_codes: "eleven sets of recovery codes, each of which sends an email",
  // Listings
  removal_by_owner_only: "a listing of someone else, which one manages",
  removal_requested: "an admin, and a listing whose owner has asked for its removal",
  too_many_changes: OWN_LISTING,
  draft_already_submitted: OWN_LISTING,
  too_many_counts: "61 calls",
  invitation_email_invalid: OWN_LISTING,
  invitation_invalid: OWN_LISTING,
  invitation_to_self: OWN_LISTING,
  invitation_already_sent: OWN_LISTING,
  already_manager: OWN_LISTING,
  too_many_managers: OWN_LISTING,
  too_many_invitations: OWN_LISTING,
  // Messages, reports
  too_many_leads: PUBLIC_LISTING,
  too_many_leads_to_listing: PUBLIC_LISTING,
  listing_gets_too_many_leads: PUBLIC_LISTING,
  too_many_reports: PUBLIC_LISTING,
  too_many_reports_of_listing: PUBLIC_LISTING,
  listing_gets_too_many_reports: PUBLIC_LISTING,
  // What only admins do
  export_unknown: ADMIN,
  too_many_saved_views: ADMIN,
  no_listings_selected: ADMIN,
  decision_unknown: ADMIN,
  change_request_empty: ADMIN,
  change_request_too_long: ADMIN,
  batch_expired: ADMIN,
  batch_already_decided: ADMIN,
  nothing_to_undo: ADMIN,
  undo_expired: ADMIN,
  nothing_selected: ADMIN,
  too_many_selected: ADMIN,
  report_decision_unknown: ADMIN,
  report_note_too_long: ADMIN,
  cancellation_days_range: ADMIN,
  too_many_dates: ADMIN,
  refund_other_order: ADMIN_AND_PAYMENT,
  refund_asked_before: ADMIN_AND_PAYMENT,
  refund_changed: ADMIN_AND_PAYMENT,
  refund_other_currency: ADMIN_AND_PAYMENT,
  refund_amount_missing: ADMIN_AND_PAYMENT,
  refund_reason_missing: ADMIN_AND_PAYMENT,
  refund_exceeds_payment: ADMIN_AND_PAYMENT,
  payment_disputed: ADMIN_AND_PAYMENT,
  // Jobs, sponsorships, payments
  job_unpaid: OWN_JOB,
  job_expired: OWN_JOB,
  job_not_published: OWN_JOB,
  too_many_job_changes: OWN_JOB,
  not_a_newsletter_day: OWN_LISTING,
  newsletter_date_past: OWN_LISTING,
  too_many_new_sponsorships: OWN_LISTING,
  too_many_order_changes: OWN_LISTING,
  sponsorship_not_paid: OWN_LISTING,
  payment_open: "an order that is being paid for",
  order_still_payable: "an order that is being paid for",
  order_item_fixed: "an order, and a maintainer of the database",
  order_stays_paid: "an order that was paid for, and a maintainer of the database",
  sponsorship_paid: PAID_ORDER,
  sponsorship_was_sent: PAID_ORDER,
  order_holds_spots: "an order of one’s own whose checkout has begun",
  sponsored_listing_left: PAID_ORDER,
  dates_not_booked: PAID_ORDER,
  cancellation_too_late: PAID_ORDER,
  payment_not_recorded: PAID_ORDER,
  cancellation_disputed: PAID_ORDER,
  cancellation_refunded_before: PAID_ORDER,
};

/**
 * The codes with which our SQL refuses what a user without any data can send: the app has a sentence for each, and finds it
 * by the code that the data API passes on. Nothing is stored.
 */
export async function refusals(run: Run): Promise<void> {
  const { tokens } = await run.accounts.create();
  const expectRefusal = (path: string, code: string, status: number, body: Row | Row[]) =>
    run.answer(
      `${path} with ${code}`,
      `${status} P0001 ${code}`,
      run.wire.data("POST", path, { body, token: tokens.accessToken }),
    );
  for (const [path, code, body] of REFUSED) await expectRefusal(path, code, 400, body);
  for (const [path, code, body] of LIMITED) await expectRefusal(path, code, 429, body);
}
