import type { Database } from "~/integrations/supabase/database.types";

import type { Account } from "./accounts";

type Functions = Database["public"]["Functions"];

/** A function is for users or for the server; the other is refused, and so are visitors. */
interface Contract<Args> {
  /** Arguments about no one's data, or about those of the calling account. */
  args: Args | ((account: Account) => Args);
  /** What it answers to a user who owns nothing and is no admin. */
  users?: string;
  /** What it answers to the server; NOT_CALLED where that would change other people's data, or send an email. */
  server?: string;
}

export const NOT_CALLED = "not called";
const NO_ID = "00000000-0000-4000-8000-000000000000";

/**
 * What every function of the data API answers. In this order, so that what an account requests is
 * withdrawn again.
 */
export const FUNCTIONS: { [Name in keyof Functions]: Contract<Functions[Name]["Args"]> } = {
  accept_invitation: { args: { token: "none" }, users: "200" },
  address_of_link: { args: { token_hash: "none" }, server: "200" },
  target_of_link: { args: { token_hash: "none" }, server: "200" },
  admin_audit: { args: {}, users: "403 42501 admins_only" },
  admin_delete_user: { args: { userid: NO_ID }, users: "403 42501 admins_only" },
  admin_feedback: { args: {}, users: "403 42501 admins_only" },
  admin_ledger: {
    args: { since: "2026-01-01", until: "2026-01-02", skip: 0, max_rows: 1 },
    users: "403 42501 admins_only",
  },
  admin_order: { args: { order_id: NO_ID }, users: "403 42501 admins_only" },
  admin_reports: { args: {}, users: "403 42501 admins_only" },
  admin_second_steps: { args: {}, users: "403 42501 admins_only" },
  admin_user: { args: { user_id: NO_ID }, users: "403 42501 admins_only" },
  admin_users: { args: {}, users: "403 42501 admins_only" },
  archive_feedback: { args: { ids: [], archived: true }, users: "403 42501 admins_only" },
  begin_account_deletion: { args: { user_id: NO_ID }, server: "200" },
  begin_sign_up: { args: ({ email }) => ({ email }), server: "200" },
  block_newsletters: { args: { days: [], blocked: true }, users: "403 42501 admins_only" },
  cancel_sponsorship_dates: {
    args: { sponsorship_id: -1, dates: [] },
    users: "403 42501 sponsorship_not_yours",
  },
  cancellation_days: { args: {}, users: "200" },
  create_decision_batch: { args: { batch: NO_ID, items: [] }, users: "403 42501 admins_only" },
  create_recovery_codes: { args: {}, users: "403 42501 second_step_required" },
  decide_listings: {
    args: { batch: NO_ID, action: "approve", items: [] },
    users: "403 42501 admins_only",
  },
  delete_unconfirmed_accounts: { args: ({ email }) => ({ email }), server: "200" },
  deletion_effects: { args: ({ id }) => ({ user_id: id }), users: "403 42501 admins_only" },
  due_deletions: { args: { max_users: 0 }, server: NOT_CALLED },
  enqueue_account_email: {
    args: { address: "none@conformance.example", kind: "none", key: "none", data: {} },
    server: NOT_CALLED,
  },
  enqueue_expiring_job_emails: { args: {}, server: NOT_CALLED },
  enqueue_renewal_notices: { args: {}, server: NOT_CALLED },
  plans_to_stop: { args: {}, server: "200" },
  plans_to_cancel: { args: {}, server: "200" },
  refund_late_renewals: { args: { subscription: "none" }, server: "200" },
  erase_due_account: { args: { user_id: NO_ID }, server: "200" },
  export_listings: { args: {}, users: "403 42501 admins_only" },
  export_my_data: { args: {}, users: "200" },
  export_users: { args: {}, users: "403 42501 admins_only" },
  forget_sign_ins: { args: {}, server: NOT_CALLED },
  get_available_sponsorship_dates: { args: {}, users: "200" },
  get_jobs_counts: { args: {}, users: "403 42501 admins_only" },
  get_listing_managers: { args: { place_id: -1 }, users: "200" },
  get_owner_leads: { args: {}, users: "200" },
  get_places_counts: { args: {}, users: "403 42501 admins_only" },
  get_user_count_by_distance: { args: { place_id: -1 }, users: "200" },
  get_user_counts: { args: {}, users: "403 42501 admins_only" },
  installed_migrations: { args: {}, server: "200" },
  invitation_offer: { args: { token: "none" }, users: "200" },
  invite_manager: {
    args: { invitation: NO_ID, place_id: -1, email: "none@conformance.example", token: "none" },
    users: "403 42501 listing_not_yours",
  },
  issue_handoff_code: { args: {}, users: "200" },
  jobs_page: { args: {}, users: "200" },
  lease_emails: { args: { max_emails: 0 }, server: NOT_CALLED },
  leave_listing: { args: { place_id: -1 }, users: "200" },
  lift_session_limit: { args: { session_id: NO_ID }, server: "200" },
  lock_listing_for_review: { args: { id: -1 }, users: "403 42501 admins_only" },
  lock_next_listing_for_review: { args: {}, users: "403 42501 admins_only" },
  log_plan_end: { args: { order_id: NO_ID }, users: "403 42501 admins_only" },
  mark_email_failed: { args: { id: NO_ID }, server: "204" },
  mark_email_sent: { args: { id: NO_ID }, server: "204" },
  my_counts: { args: {}, users: "200" },
  my_deletion: { args: {}, users: "200" },
  my_first_months: { args: {}, users: "200" },
  my_dashboard: { args: {}, users: "200" },
  my_home: { args: {}, users: "200" },
  my_leads: { args: {}, users: "200" },
  my_listings: { args: {}, users: "200" },
  my_plan: { args: { place_id: -1 }, users: "200" },
  my_plans_of_others: { args: {}, users: "200" },
  my_purchases: { args: {}, users: "200" },
  my_second_step: { args: {}, users: "200" },
  my_sent_leads: { args: {}, users: "200" },
  my_sent_reports: { args: {}, users: "200" },
  my_session: { args: {}, users: "200" },
  open_order: {
    args: { buyer: NO_ID, kind: "job", item_id: -1 },
    server: "400 P0001 order_days_missing",
  },
  payment_target: { args: { order_id: NO_ID }, server: "200" },
  preview_job: { args: { job_id: -1 }, users: "200" },
  preview_payment: {
    args: { order_id: NO_ID, subscription_id: "none", seen: 0, facts: {} },
    server: "200",
  },
  queue_lengths: { args: {}, server: "200" },
  rate_limit_reached: {
    args: ({ id }) => ({ bucket: `conformance ${id}`, max_hits: 1 }),
    server: "200",
  },
  recognize_sign_up: { args: { token_hash: "none", proof: "none" }, server: "200" },
  restore_sign_up: { args: { user_id: NO_ID, proof: "none" }, server: "200" },
  record_checkout_session: {
    args: { order_id: NO_ID, attempt: 1, session_id: "none", customer_id: "none" },
    server: "200",
  },
  record_payment: {
    args: { order_id: NO_ID, subscription_id: "none", seen: 0, facts: {} },
    server: "200",
  },
  record_place_view: { args: { place_id: -1 }, users: "204" },
  redeem_handoff_code: { args: { code: "none" }, server: "200" },
  release_review_lock: { args: { id: -1 }, users: "403 42501 admins_only" },
  release_sponsorship_dates: {
    args: { sponsorship_id: -1 },
    users: "403 42501 sponsorship_not_yours",
    server: "403 42501 sponsorship_not_yours",
  },
  remove_manager: { args: { place_id: -1, user_id: NO_ID }, users: "403 42501 listing_not_yours" },
  request_refund: {
    args: { order_id: NO_ID, payment_id: "none", cents: 1, currency: "usd", note: "none" },
    users: "403 42501 admins_only",
  },
  require_second_step_of_admins: { args: { mandatory: false }, users: "403 42501 admins_only" },
  retry_refund: { args: { refund_id: NO_ID }, users: "403 42501 admins_only", server: "200" },
  return_rate_token: { args: ({ id }) => ({ bucket: `conformance ${id}` }), server: "204" },
  reveal_contact: { args: { user_id: NO_ID }, users: "403 42501 admins_only" },
  review_batch: { args: { batch: NO_ID }, users: "403 42501 admins_only" },
  review_dashboard: { args: {}, users: "403 42501 admins_only" },
  review_listing: { args: { id: -1 }, users: "403 42501 admins_only" },
  review_listings: { args: {}, users: "403 42501 admins_only" },
  save_my_profile: {
    args: {
      opted_in: false,
      sms_opted_in: false,
      text_version: "none",
      page: "/conformance",
      full_name: "Conformance Check",
    },
    users: "204",
  },
  search_users: { args: { words: "conformance" }, users: "403 42501 admins_only" },
  set_cancellation_days: { args: { days: 30 }, users: "403 42501 admins_only" },
  set_consent: {
    args: { channel: "none", granted: false, text_version: "none", page: "/conformance" },
    users: "400 P0001 consent_answer_invalid",
  },
  set_my_position: { args: { lat: 0, long: 0 }, users: "204" },
  set_tracking_consent: {
    args: { granted: false, text_version: "none", page: "/conformance" },
    users: "204",
  },
  start_export: { args: { what: "none" }, users: "403 42501 admins_only" },
  take_account_email: { args: ({ email }) => ({ email, purpose: "recovery" }), server: "200" },
  take_rate_token: {
    args: ({ id }) => ({ bucket: `conformance ${id}`, max_hits: 1, window_seconds: 1 }),
    server: "200",
  },
  tie_handed_over_session: { args: { session_id: NO_ID, issued_by: NO_ID }, server: "200" },
  turn_off_second_step: { args: {}, users: "403 42501 second_step_required" },
  undo_decisions: { args: { batch: NO_ID }, users: "403 42501 admins_only" },
  unprotected_relations: { args: {}, server: "200" },
  unsubscribe_from_emails: { args: { user_id: NO_ID, kind: "new-lead" }, server: "204" },
  update_sign_up: { args: { email: "none", sent: {} }, server: "200" },
  update_reports: { args: { ids: [], to_state: "none" }, users: "403 42501 admins_only" },
  use_recovery_code: { args: { code: "none" }, users: "200" },
  withdraw_invitation: { args: { invitation: NO_ID }, users: "403 42501 listing_not_yours" },
  request_my_deletion: { args: {}, users: "200" },
  cancel_account_deletion: { args: {}, users: "204" },
};
