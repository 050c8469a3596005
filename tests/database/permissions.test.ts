/**
 * Who may do what with which table, through the data API. Each cell is tried with a new row:
 *
 *   yes     it works, on `owner`'s row
 *   none    it works, as if there were no such row
 *   no      it is denied
 *   refused it is denied in words
 *
 * `owner` owns the row, `other` is another owner, `unconfirmed` has an account whose address is not
 * confirmed, `admin` signed in with a second step, `service` is the app's secret key. For an insert, each caller tries a row of their own.
 */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";

import {
  type Answer,
  type Caller,
  completeListing,
  type Row,
  startDatabase,
} from "./support/data-api";

const MATRIX = `
                               anonymous  owner  other  unconfirmed  admin  service
  places               select  no         yes    none   none         yes    yes
  places               insert  no         yes    yes    yes          yes    yes
  places               update  no         yes    none   none         yes    yes
  places               delete  no         no     no     no           no     yes
  places_with_stats    select  no         yes    none   none         yes    no
  managed_places       select  no         none   none   none         none   no
  managed_places       update  no         none   none   none         none   no
  public_places        select  yes        yes    yes    yes          yes    yes
  profiles             select  no         yes    none   none         yes    yes
  profiles             insert  no         no     no     no           no     yes
  profiles             update  no         yes    none   none         yes    yes
  profiles             delete  no         no     no     no           no     yes
  consents             select  no         yes    none   none         none   yes
  consents             insert  no         no     no     no           no     no
  consents             update  no         no     no     no           no     no
  consents             delete  no         no     no     no           no     no
  categories           select  yes        yes    yes    yes          yes    yes
  categories           insert  no         no     no     no           no     yes
  categories           update  no         no     no     no           no     yes
  categories           delete  no         no     no     no           no     yes
  jobs                 select  no         yes    none   none         yes    yes
  jobs                 insert  no         yes    yes    yes          yes    yes
  jobs                 update  no         yes    none   none         yes    yes
  jobs                 delete  no         yes    none   none         yes    yes
  public_jobs          select  yes        yes    yes    yes          yes    yes
  sponsorships         select  no         yes    none   none         yes    yes
  sponsorships         insert  no         yes    yes    yes          yes    yes
  sponsorships         update  no         yes    none   none         yes    yes
  sponsorships         delete  no         yes    none   none         yes    yes
  sponsorship_dates    select  no         none   none   none         yes    yes
  sponsorship_dates    insert  no         no     no     no           yes    no
  sponsorship_dates    update  no         none   none   none         yes    no
  sponsorship_dates    delete  no         no     no     no           no     no
  sponsorship_spots    select  no         yes    none   none         yes    yes
  sponsorship_spots    insert  no         no     no     no           no     no
  sponsorship_spots    update  no         no     no     no           no     no
  sponsorship_spots    delete  no         no     no     no           no     no
  orders               select  no         yes    none   none         yes    yes
  orders               insert  no         no     no     no           no     yes
  orders               update  no         no     no     no           no     yes
  orders               delete  no         no     no     no           no     no
  payments             select  no         yes    none   none         yes    yes
  payments             insert  no         no     no     no           no     no
  payments             update  no         no     no     no           no     no
  payments             delete  no         no     no     no           no     no
  refunds              select  no         no     no     no           no     yes
  refunds              insert  no         no     no     no           no     no
  refunds              update  no         no     no     no           no     no
  refunds              delete  no         no     no     no           no     no
  stripe_events        select  no         no     no     no           no     yes
  stripe_events        insert  no         no     no     no           no     yes
  stripe_events        update  no         no     no     no           no     no
  stripe_events        delete  no         no     no     no           no     no
  subscriptions        select  no         no     no     no           no     yes
  subscriptions        insert  no         no     no     no           no     no
  subscriptions        update  no         no     no     no           no     no
  subscriptions        delete  no         no     no     no           no     no
  leads                select  no         yes    none   none         none   yes
  leads                insert  no         yes    yes    refused      yes    yes
  leads                update  no         yes    none   none         none   yes
  leads                delete  no         no     no     no           no     yes
  feedback             select  no         yes    none   none         yes    yes
  feedback             insert  no         yes    yes    yes          yes    yes
  feedback             update  no         none   none   none         yes    yes
  feedback             delete  no         no     no     no           no     yes
  events               select  no         none   none   none         yes    yes
  events               insert  no         yes    yes    yes          yes    yes
  events               update  no         none   none   none         yes    yes
  events               delete  no         no     no     no           no     yes
  favorites            select  no         yes    none   none         none   yes
  favorites            insert  no         yes    yes    yes          yes    yes
  favorites            update  no         no     no     no           no     yes
  favorites            delete  no         yes    none   none         none   yes
  place_views          select  no         no     no     no           no     yes
  place_views          insert  no         no     no     no           no     yes
  place_views          update  no         no     no     no           no     no
  place_views          delete  no         no     no     no           no     yes
  email_preferences    select  no         yes    none   none         none   no
  email_preferences    insert  no         yes    yes    yes          yes    no
  email_preferences    update  no         yes    none   none         none   no
  email_preferences    delete  no         no     no     no           no     no
  listing_drafts       select  no         yes    none   none         none   no
  listing_drafts       insert  no         yes    yes    yes          yes    no
  listing_drafts       update  no         yes    none   none         none   no
  listing_drafts       delete  no         yes    none   none         none   no
  saved_views          select  no         none   none   none         none   no
  saved_views          insert  no         no     no     no           yes    no
  saved_views          update  no         none   none   none         none   no
  saved_views          delete  no         none   none   none         none   no
  rejected_edits       select  no         yes    none   none         yes    no
  rejected_edits       insert  no         no     no     no           no     no
  rejected_edits       update  no         no     no     no           no     no
  rejected_edits       delete  no         yes    none   none         none   no
  listing_managers     select  no         yes    none   none         yes    no
  listing_managers     insert  no         no     no     no           no     no
  listing_managers     update  no         no     no     no           no     no
  listing_managers     delete  no         no     no     no           no     no
  manager_invitations  select  no         yes    none   none         yes    no
  manager_invitations  insert  no         no     no     no           no     no
  manager_invitations  update  no         no     no     no           no     no
  manager_invitations  delete  no         no     no     no           no     no
  place_stats          select  no         yes    none   none         yes    yes
  place_stats          insert  no         no     no     no           no     no
  place_stats          update  no         no     no     no           no     no
  place_stats          delete  no         no     no     no           no     no
  audit_log            select  no         none   none   none         yes    yes
  audit_log            insert  no         no     no     no           no     no
  audit_log            update  no         no     no     no           no     no
  audit_log            delete  no         no     no     no           no     no
  rate_limits          select  no         no     no     no           no     no
  rate_limits          insert  no         no     no     no           no     no
  rate_limits          update  no         no     no     no           no     no
  rate_limits          delete  no         no     no     no           no     no
  form_stash           select  no         no     no     no           no     yes
  form_stash           insert  no         no     no     no           no     yes
  form_stash           update  no         no     no     no           no     no
  form_stash           delete  no         no     no     no           no     yes
`;

const FUNCTIONS = `
                                   anonymous  owner  other  unconfirmed  admin  service
  my_session                       no         yes    yes    yes          yes    no
  save_my_profile                  no         yes    yes    yes          yes    no
  set_consent                      no         yes    yes    yes          yes    no
  set_my_position                  no         yes    yes    yes          yes    no
  review_listings                  no         no     no     no           yes    no
  review_listing                   no         no     no     no           yes    no
  review_dashboard                 no         no     no     no           yes    no
  export_listings                  no         no     no     no           yes    no
  lock_listing_for_review          no         no     no     no           yes    no
  lock_next_listing_for_review     no         no     no     no           yes    no
  release_review_lock              no         no     no     no           yes    no
  create_decision_batch            no         no     no     no           yes    no
  review_batch                     no         no     no     no           yes    no
  decide_listings                  no         no     no     no           yes    no
  undo_decisions                   no         no     no     no           yes    no
  get_places_counts                no         no     no     no           yes    no
  get_user_counts                  no         no     no     no           yes    no
  get_jobs_counts                  no         no     no     no           yes    no
  admin_delete_user                no         no     no     no           yes    no
  search_users                     no         no     no     no           yes    no
  admin_users                      no         no     no     no           yes    no
  admin_user                       no         no     no     no           yes    no
  reveal_contact                   no         no     no     no           yes    no
  deletion_effects                 no         no     no     no           yes    no
  admin_audit                      no         no     no     no           yes    no
  start_export                     no         no     no     no           yes    no
  export_users                     no         no     no     no           yes    no
  admin_feedback                   no         no     no     no           yes    no
  archive_feedback                 no         no     no     no           yes    no
  admin_reports                    no         no     no     no           yes    no
  update_reports                   no         no     no     no           yes    no
  get_user_count_by_distance       no         yes    none   none         yes    no
  record_place_view                no         yes    yes    yes          yes    no
  get_available_sponsorship_dates  no         yes    yes    yes          yes    no
  my_listings                      no         yes    yes    yes          yes    no
  my_dashboard                     no         yes    yes    yes          yes    no
  jobs_page                        no         yes    yes    yes          yes    no
  preview_job                      no         yes    none   none         yes    no
  enqueue_expiring_job_emails      no         no     no     no           no     yes
  get_owner_leads                  no         yes    none   none         none   no
  export_my_data                   no         yes    yes    yes          yes    no
  my_deletion                      no         none   none   none         none   no
  request_my_deletion              no         yes    yes    yes          yes    no
  cancel_account_deletion          no         yes    yes    yes          yes    no
  due_deletions                    no         no     no     no           no     none
  forget_sign_ins                  no         no     no     no           no     yes
  queue_lengths                    no         no     no     no           no     yes
  begin_sign_up                    no         no     no     no           no     yes
  address_of_link                  no         no     no     no           no     none
  target_of_link                   no         no     no     no           no     none
  recognize_sign_up                no         no     no     no           no     yes
  restore_sign_up                  no         no     no     no           no     yes
  update_sign_up                   no         no     no     no           no     yes
  delete_unconfirmed_accounts      no         no     no     no           no     yes
  unsubscribe_from_emails          no         no     no     no           no     yes
  begin_account_deletion           no         no     no     no           no     yes
  erase_due_account                no         no     no     no           no     yes
  my_home                          no         yes    yes    yes          yes    no
  my_counts                        no         yes    yes    yes          yes    no
  my_leads                         no         yes    yes    yes          yes    no
  my_sent_leads                    no         yes    yes    yes          yes    no
  my_sent_reports                  no         yes    yes    yes          yes    no
  invite_manager                   no         yes    no     no           no     no
  withdraw_invitation              no         yes    no     no           yes    no
  get_listing_managers             no         yes    none   none         yes    no
  remove_manager                   no         yes    no     no           yes    no
  invitation_offer                 no         yes    yes    yes          yes    no
  accept_invitation                no         yes    yes    yes          yes    no
  leave_listing                    no         yes    yes    yes          yes    no
  release_sponsorship_dates        no         yes    no     no           no     yes
  set_tracking_consent             no         yes    yes    yes          yes    no
  block_newsletters                no         no     no     no           yes    no
  my_second_step                   no         yes    yes    yes          yes    no
  create_recovery_codes            no         no     no     no           yes    no
  use_recovery_code                no         yes    yes    yes          yes    no
  admin_second_steps               no         no     no     no           yes    no
  require_second_step_of_admins    no         no     no     no           yes    no
  issue_handoff_code               no         yes    yes    yes          yes    no
  redeem_handoff_code              no         no     no     no           no     none
  lift_session_limit               no         no     no     no           no     yes
  tie_handed_over_session          no         no     no     no           no     yes
  open_order                       no         no     no     no           no     yes
  record_checkout_session          no         no     no     no           no     yes
  payment_target                   no         no     no     no           no     yes
  record_payment                   no         no     no     no           no     yes
  preview_payment                  no         no     no     no           no     yes
  take_account_email               no         no     no     no           no     yes
  enqueue_account_email            no         no     no     no           no     yes
  retry_refund                     no         no     no     no           yes    yes
  enqueue_renewal_notices          no         no     no     no           no     yes
  plans_to_cancel                  no         no     no     no           no     none
  plans_to_stop                    no         no     no     no           no     none
  refund_late_renewals             no         no     no     no           no     yes
  my_first_months                  no         yes    yes    yes          yes    no
  my_plan                          no         yes    none   none         none   no
  my_purchases                     no         yes    none   none         none   no
  my_plans_of_others               no         none   none   none         none   no
  admin_ledger                     no         no     no     no           yes    no
  admin_order                      no         no     no     no           yes    no
  request_refund                   no         no     no     no           yes    no
  log_plan_end                     no         no     no     no           yes    no
  cancel_sponsorship_dates         no         yes    no     no           no     no
  cancellation_days                no         yes    yes    yes          yes    no
  set_cancellation_days            no         no     no     no           yes    no
  take_rate_token                  no         no     no     no           no     yes
  rate_limit_reached               no         no     no     no           no     yes
  return_rate_token                no         no     no     no           no     yes
  installed_migrations             no         no     no     no           no     yes
  unprotected_relations            no         no     no     no           no     none
  lease_emails                     no         no     no     no           no     yes
  mark_email_sent                  no         no     no     no           no     yes
  mark_email_failed                no         no     no     no           no     yes
  turn_off_second_step             no         no     no     no           yes    no
`;

interface Line {
  subject: string;
  verb: string;
  expected: Record<string, string>;
}

function linesOf(table: string, leading: number): Line[] {
  const [head, ...body] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return body.map((cells) => ({
    subject: cells[0]!,
    verb: leading > 1 ? cells[1]! : "call",
    expected: Object.fromEntries(head!.map((role, index) => [role, cells[leading + index]!])),
  }));
}

const database = await startDatabase();
const { sql } = database;
const callers: Record<string, Caller> = {};
let place = 0;
let sponsorship = 0;
let jobOfOwner = 0;
let orderOfOwner = "";
let paymentOfOwner = "";

/** A sponsorship of the owner's that is paid for, and its date. */
let paid = { sponsorship: 0, date: "" };

async function paySponsorship() {
  const date = tuesday();
  const row = { place_id: place, promo_text: "Paid", owner: owner(), paid: true };
  const id = Number(await insertRow("sponsorships", { ...row, sponsorship_dates: `{${date}}` }));
  await sql("select private.reserve_spots($1, true)", [id]);
  const order = await insertRow("orders", {
    kind: "sponsorship",
    sponsorship_id: id,
    unit_price_cents: 4500,
    owner: owner(),
    status: "paid",
    paid_at: new Date(),
  });
  await newPayment(String(order));
  paid = { sponsorship: id, date };
}

/** The last newsletter that is offered. */
const lastOffered = async () =>
  String(
    (
      await sql(
        "select max(weekday_date)::text as day from private.get_available_sponsorship_dates(12)",
      )
    )[0]!["day"],
  );

/** A user who is not one of the callers. */
let manager = "";

/** `owner`, with a Featured listing and a sponsorship that holds a spot. */
async function newOwner() {
  callers.owner = await database.person({ data: { consent_page: "/signup", opted_in: true } });
  place = await database.place({ owner: owner(), premium: true });
  sponsorship = Number(
    await insertRow("sponsorships", {
      place_id: place,
      promo_text: "Hello",
      owner: owner(),
      sponsorship_dates: `{${await lastOffered()}}`,
    }),
  );
  await sql("select private.reserve_spots($1, false)", [sponsorship]);
  jobOfOwner = Number(await insertRow("jobs", { ...job, owner: owner() }));
  orderOfOwner = String(await newOrder());
  paymentOfOwner = String(await newPayment(orderOfOwner));
  await insertRow("subscriptions", {
    id: `sub_${next()}`,
    place_id: place,
    owner: owner(),
    stripe_customer_id: "cus_1",
    status: "active",
    started_at: new Date(),
  });
  await paySponsorship();
}

beforeAll(async () => {
  callers.anonymous = database.anonymous;
  await newOwner();
  callers.other = await database.person();
  callers.unconfirmed = await database.person({ confirmed: false });
  callers.admin = await database.person({ admin: true, secondStep: true });
  // The only admin may not delete themselves.
  await database.person({ admin: true });
  callers.service = database.service;
  await database.place({ owner: callers.other.id });
  manager = (await database.person()).id;
});

const owner = () => callers.owner!.id;
async function insertRow(table: string, row: Row, returning = "id"): Promise<unknown> {
  const names = Object.keys(row);
  const [made] = await sql(
    `insert into public.${table} (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")})
     on conflict do nothing returning ${returning} as key`,
    Object.values(row),
  );
  return made?.key;
}
const byId = async (id: unknown) => `id=eq.${String(await id)}`;
let counter = 0;
const next = () => (counter += 1);
/** Tuesdays in the distant future, a new one for each call. */
const tuesday = () =>
  new Date(Date.UTC(2099, 0, 6) + next() * 7 * 86_400_000).toISOString().slice(0, 10);

const job = {
  title: "Baker",
  category: 85,
  description: "Bake.",
  location: ["New Mexico"],
  company_name: "X",
  company_bio: "Y",
};

const newJob = () => insertRow("jobs", { ...job, owner: owner() });
const newOrder = async () =>
  insertRow("orders", {
    kind: "job",
    job_id: await newJob(),
    days: 45,
    unit_price_cents: 500,
    owner: owner(),
  });
const newPayment = async (order?: string) =>
  insertRow("payments", {
    id: `pi_${next()}`,
    kind: "job",
    reason: "purchase",
    owner: owner(),
    order_id: order ?? (await newOrder()),
    cents: 500,
    currency: "usd",
    paid_at: new Date(),
  });

/** For each table: how to create and find a row of `owner`; what each caller inserts; what to change. */
const SUBJECTS: Record<
  string,
  {
    make: () => Promise<string>;
    /** What is read of it, where not every column may be; left out, all of it. */
    read?: string;
    insert?: (by: Caller) => Promise<Row> | Row;
    change?: Row;
  }
> = {
  places: {
    make: () => byId(database.place({ owner: owner() })),
    insert: () => completeListing,
    change: { phone: "+1 505-555-0100" },
  },
  places_with_stats: { make: async () => `id=eq.${place}&views=not.is.null` },
  // A manager's is in managers.test.ts.
  managed_places: { make: async () => `id=eq.${place}`, change: { phone: "+1 505-555-0100" } },
  public_places: { make: async () => `id=eq.${place}` },
  profiles: {
    make: async () => `id=eq.${owner()}`,
    insert: async () => {
      const { id } = await database.person();
      await sql("delete from public.profiles where id = $1", [id]);
      return { id };
    },
    change: { full_name: "Somebody Else" },
  },
  consents: {
    make: async () => `user_id=eq.${owner()}&channel=eq.email`,
    insert: (by) => ({
      user_id: by.id || owner(),
      channel: "sms",
      granted: true,
      text_version: "1",
      page: "/",
    }),
    change: { granted: false },
  },
  categories: {
    make: () => byId(insertRow("categories", { name: "Tests" })),
    insert: () => ({ name: "More tests" }),
    change: { name: "Renamed" },
  },
  jobs: {
    make: () => byId(insertRow("jobs", { ...job, owner: owner() })),
    insert: () => job,
    change: { city: "Santa Fe" },
  },
  public_jobs: {
    make: () =>
      byId(
        insertRow("jobs", {
          ...job,
          owner: owner(),
          paid: true,
          published: true,
          expiration_date: new Date(Date.now() + 86_400_000),
        }),
      ),
  },
  sponsorships: {
    make: () =>
      byId(insertRow("sponsorships", { place_id: place, promo_text: "Hello", owner: owner() })),
    insert: async (by) => ({
      place_id: await database.place({ owner: by.id || null }),
      promo_text: "Hello",
    }),
    change: { promo_text: "Goodbye" },
  },
  sponsorship_dates: {
    make: async () =>
      `weekday_date=eq.${String(await insertRow("sponsorship_dates", { weekday_date: tuesday() }, "weekday_date::text"))}`,
    insert: () => ({ weekday_date: tuesday(), blocked: true }),
    change: { blocked: true },
  },
  sponsorship_spots: {
    make: async () => `sponsorship_id=eq.${sponsorship}`,
    insert: () => ({ sponsorship_id: sponsorship, weekday_date: "2099-01-06" }),
    change: { held_until: null },
  },
  orders: {
    make: () => byId(newOrder()),
    insert: async (by) => ({
      kind: "job",
      job_id: await newJob(),
      days: 45,
      unit_price_cents: 1,
      owner: by.id || owner(),
    }),
    change: { status: "canceled" },
  },
  payments: {
    make: async () => `id=eq.${String(await newPayment())}`,
    insert: async () => ({
      id: `pi_${next()}`,
      kind: "job",
      reason: "purchase",
      order_id: await newOrder(),
      cents: 500,
      currency: "usd",
      paid_at: new Date(),
    }),
    change: { dispute: "won" },
  },
  refunds: {
    make: async () =>
      byId(
        insertRow("refunds", { payment_id: await newPayment(), cents: 100, reason: "elsewhere" }),
      ),
    insert: async () => ({ payment_id: await newPayment(), cents: 100, reason: "team" }),
    change: { status: "canceled" },
  },
  stripe_events: {
    make: async () =>
      `id=eq.${String(await insertRow("stripe_events", { id: `evt_${next()}`, type: "invoice.paid", created_at: new Date() }))}`,
    insert: () => ({ id: `evt_${next()}`, type: "invoice.paid", created_at: new Date() }),
    change: { type: "invoice.voided" },
  },
  subscriptions: {
    make: async () =>
      `id=eq.${String(
        await insertRow("subscriptions", {
          id: `sub_${next()}`,
          place_id: place,
          stripe_customer_id: "cus_1",
          status: "active",
          started_at: new Date(),
        }),
      )}`,
    insert: () => ({
      id: `sub_${next()}`,
      place_id: place,
      stripe_customer_id: "cus_1",
      status: "active",
      started_at: new Date(),
    }),
    change: { status: "canceled" },
  },
  leads: {
    make: () =>
      byId(
        insertRow("leads", {
          place_id: place,
          requester_name: "Kai",
          requester_email: "kai@example.test",
          message: "Hello",
        }),
      ),
    read: "select=id,requester_name,requester_email,message,state,notes",
    insert: () => ({
      place_id: place,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Hello",
    }),
    change: { state: "replied" },
  },
  feedback: {
    make: () => byId(insertRow("feedback", { feedback: "Lovely", userid: owner() })),
    insert: () => ({ feedback: "Lovely", os: "iOS 4" }),
    change: { archived: true },
  },
  events: {
    make: () =>
      byId(insertRow("events", { event_name: "report_listing", place, user_id: owner() })),
    insert: () => ({ event_name: "report_listing", place, data: { reason: "Closed", info: "" } }),
    change: { state: "dismissed" },
  },
  favorites: {
    make: async () => {
      await insertRow("favorites", { user_id: owner(), place_id: place }, "place_id");
      return `user_id=eq.${owner()}&place_id=eq.${place}`;
    },
    insert: async (by) => ({ user_id: by.id || owner(), place_id: await database.place() }),
    change: { created_at: new Date() },
  },
  place_views: {
    make: async () => {
      await insertRow(
        "place_views",
        { place_id: place, hour: "2026-01-01T10:00:00Z", visitor: "0".repeat(64) },
        "place_id",
      );
      return `place_id=eq.${place}`;
    },
    insert: () => ({
      place_id: place,
      hour: "2026-01-01T10:00:00Z",
      visitor: String(next()).padStart(64, "0"),
    }),
    change: { visitor: "1".repeat(64) },
  },
  rejected_edits: {
    make: async () => {
      await insertRow("rejected_edits", { place_id: place, edit: "{}" }, "place_id");
      return `place_id=eq.${place}`;
    },
    insert: () => ({ place_id: place, edit: {} }),
    change: { reason: "Because." },
  },
  email_preferences: {
    make: async () => {
      await sql("delete from public.email_preferences");
      await insertRow(
        "email_preferences",
        { user_id: owner(), kind: "new-lead", wanted: true },
        "user_id",
      );
      return "kind=eq.new-lead";
    },
    insert: (by) => ({ user_id: by.id || owner(), kind: "job-expiring", wanted: false }),
    change: { wanted: false },
  },
  saved_views: {
    make: async () => {
      await sql("delete from public.saved_views");
      return byId(insertRow("saved_views", { owner: owner(), name: "Mine", filter: "{}" }));
    },
    insert: (by) => ({ owner: by.id || owner(), name: "Another", filter: { view: "new" } }),
    change: { name: "Renamed" },
  },
  listing_drafts: {
    make: async () => {
      await sql("delete from public.listing_drafts");
      return byId(insertRow("listing_drafts", { id: randomUUID(), owner: owner(), fields: "{}" }));
    },
    insert: (by) => ({ id: randomUUID(), owner: by.id || owner(), fields: { name: "Café" } }),
    change: { fields: {} },
  },
  listing_managers: {
    make: async () => {
      await insertRow("listing_managers", { place_id: place, profile_id: manager }, "place_id");
      return `place_id=eq.${place}`;
    },
    insert: (by) => ({ place_id: place, profile_id: by.id || owner() }),
    change: { since: new Date() },
  },
  manager_invitations: {
    make: () =>
      byId(
        insertRow("manager_invitations", {
          id: randomUUID(),
          place_id: place,
          email: "guest@example.test",
        }),
      ),
    insert: () => ({ id: randomUUID(), place_id: place, email: "guest@example.test" }),
    change: { expires_at: new Date() },
  },
  place_stats: {
    make: async () => {
      await insertRow("place_stats", { place_id: place }, "place_id");
      return `place_id=eq.${place}`;
    },
    insert: () => ({ place_id: place }),
    change: { views: 1_000_000 },
  },
  audit_log: {
    make: async () => `subject=eq.places&subject_id=eq.${place}&limit=1`,
    insert: () => ({
      actor_role: "authenticated",
      action: "approve",
      subject: "places",
      subject_id: "1",
    }),
    change: { action: "nothing" },
  },
  rate_limits: {
    make: async () => {
      await sql("insert into public.rate_limits values ('tests', 1, now()) on conflict do nothing");
      return "hits=eq.1";
    },
    insert: () => ({ bucket: "more tests", hits: 0, resets_at: new Date() }),
    change: { hits: 0 },
  },
  form_stash: {
    make: () => byId(insertRow("form_stash", { id: randomUUID(), sealed: "x" })),
    insert: () => ({ id: randomUUID(), sealed: "x" }),
    change: { sealed: "y" },
  },
};

function told(answer: Answer): string {
  if (answer.code === "42501") return "no";
  if (answer.message === "lead_email_unconfirmed") return "refused";
  if (answer.status >= 400) return `${answer.status} ${answer.code}: ${answer.message}`;
  return answer.rows.length > 0 || answer.status === 201 ? "yes" : "none";
}

describe("tables", () => {
  it.each(linesOf(MATRIX, 2))("$verb on $subject", async ({ subject, verb, expected }) => {
    const { make, read = "select=*", insert, change } = SUBJECTS[subject]!;
    const found: Record<string, string> = {};
    for (const role of Object.keys(expected)) {
      const by = callers[role]!;
      const filter = await make();
      const answer =
        verb === "select"
          ? await by.select(subject, `${read}&${filter}`)
          : verb === "insert"
            ? await by.insert(subject, await insert!(by))
            : verb === "update"
              ? await by.update(subject, filter, change!)
              : await by.remove(subject, filter);
      found[role] = told(answer);
      if (subject === "profiles" && verb === "delete" && found[role] === "yes") await newOwner();
    }
    expect(found).toEqual(expected);
  });

  it("cover every table and view of the schema", async () => {
    const relations = await sql(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')",
    );
    const named = new Set(linesOf(MATRIX, 2).map(({ subject }) => subject));
    expect([...named].sort()).toEqual(relations.map(({ relname }) => relname).sort());
  });
});

describe("functions", () => {
  beforeAll(async () => {
    await newOwner();
    await insertRow("leads", {
      place_id: place,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Hello",
    });
    for (const by of [callers.owner!, callers.other!, callers.unconfirmed!, callers.admin!]) {
      await insertRow("leads", {
        place_id: place,
        requester: by.id,
        requester_name: "Kai",
        requester_email: "kai@example.test",
        message: "Hello",
      });
    }
    await insertRow("manager_invitations", {
      id: invitation,
      place_id: place,
      email: "guest@example.test",
    });
  });

  const batch = randomUUID();
  const invitation = randomUUID();
  const ARGUMENTS: Record<string, () => Row> = {
    save_my_profile: () => ({
      opted_in: false,
      sms_opted_in: false,
      text_version: "1",
      page: "/account",
      full_name: "Sam",
    }),
    set_consent: () => ({ channel: "email", granted: true, text_version: "1", page: "/account" }),
    set_my_position: () => ({ lat: 35.1, long: -106.6 }),
    review_listing: () => ({ id: place }),
    lock_listing_for_review: () => ({ id: place }),
    release_review_lock: () => ({ id: place }),
    create_decision_batch: () => ({ batch, items: [{ id: place, version: 1 }] }),
    review_batch: () => ({ batch }),
    decide_listings: () => ({ batch, action: "flag", items: [{ id: place, version: 1 }] }),
    undo_decisions: () => ({ batch }),
    admin_delete_user: () => ({ userid: randomUUID() }),
    search_users: () => ({ words: "person" }),
    admin_user: () => ({ user_id: owner() }),
    reveal_contact: () => ({ user_id: owner() }),
    start_export: () => ({ what: "users" }),
    archive_feedback: () => ({ ids: [1], archived: true }),
    update_reports: () => ({ ids: [1], to_state: "resolved" }),
    deletion_effects: () => ({ user_id: owner() }),
    get_user_count_by_distance: () => ({ place_id: place }),
    record_place_view: () => ({ place_id: place }),
    release_sponsorship_dates: () => ({ sponsorship_id: sponsorship }),
    block_newsletters: () => ({ days: ["2031-01-07"], blocked: true }),
    preview_job: () => ({ job_id: jobOfOwner }),
    begin_sign_up: () => ({ email: "someone@example.test" }),
    take_account_email: () => ({ email: "someone@example.test", purpose: "sign-up" }),
    enqueue_account_email: () => ({
      address: "someone@example.test",
      kind: "sign-in-help",
      key: `sign-in-help:${next()}`,
      data: {},
    }),
    address_of_link: () => ({ token_hash: "unknown-hash" }),
    target_of_link: () => ({ token_hash: "unknown-hash" }),
    delete_unconfirmed_accounts: () => ({ email: "someone@example.test" }),
    update_sign_up: () => ({ email: "someone@example.test", sent: {} }),
    recognize_sign_up: () => ({ token_hash: "unknown-hash", proof: "x".repeat(43) }),
    restore_sign_up: () => ({ user_id: randomUUID(), proof: "x".repeat(43) }),
    rate_limit_reached: () => ({ bucket: "tests", max_hits: 10 }),
    return_rate_token: () => ({ bucket: "tests" }),
    lease_emails: () => ({ max_emails: 0 }),
    invite_manager: () => ({
      invitation: randomUUID(),
      place_id: place,
      email: "guest@example.test",
      token: randomUUID() + randomUUID(),
    }),
    withdraw_invitation: () => ({ invitation }),
    get_listing_managers: () => ({ place_id: place }),
    remove_manager: () => ({ place_id: place, user_id: randomUUID() }),
    invitation_offer: () => ({ token: "none" }),
    accept_invitation: () => ({ token: "none" }),
    leave_listing: () => ({ place_id: place }),
    mark_email_sent: () => ({ id: randomUUID() }),
    mark_email_failed: () => ({ id: randomUUID() }),
    set_tracking_consent: () => ({ granted: true, text_version: "t", page: "/" }),
    unsubscribe_from_emails: () => ({ user_id: owner(), kind: "new-lead" }),
    begin_account_deletion: () => ({ user_id: randomUUID() }),
    erase_due_account: () => ({ user_id: randomUUID() }),
    redeem_handoff_code: () => ({ code: "once_none" }),
    lift_session_limit: () => ({ session_id: randomUUID() }),
    tie_handed_over_session: () => ({ session_id: randomUUID(), issued_by: randomUUID() }),
    use_recovery_code: () => ({ code: "none" }),
    require_second_step_of_admins: () => ({ mandatory: false }),
    open_order: () => ({
      buyer: owner(),
      kind: "job",
      item_id: jobOfOwner,
      unit_price_cents: 500,
      days: 45,
    }),
    record_checkout_session: () => ({
      order_id: randomUUID(),
      attempt: 1,
      session_id: "cs_1",
      customer_id: "cus_1",
    }),
    payment_target: () => ({ subscription_id: "sub_none" }),
    retry_refund: () => ({ refund_id: randomUUID() }),
    refund_late_renewals: () => ({ subscription: "none" }),
    my_plan: () => ({ place_id: place }),
    admin_ledger: () => ({ since: "2026-01-01Z", until: "2100-01-01Z", skip: 0, max_rows: 10 }),
    admin_order: () => ({ order_id: orderOfOwner }),
    log_plan_end: () => ({ order_id: orderOfOwner }),
    request_refund: () => ({
      order_id: orderOfOwner,
      payment_id: paymentOfOwner,
      cents: 1,
      currency: "usd",
      note: "x",
    }),
    cancel_sponsorship_dates: () => ({ sponsorship_id: paid.sponsorship, dates: [paid.date] }),
    set_cancellation_days: () => ({ days: 3 }),
    record_payment: () => ({ order_id: randomUUID(), subscription_id: null, seen: 0, facts: {} }),
    preview_payment: () => ({
      order_id: randomUUID(),
      subscription_id: null,
      seen: 0,
      facts: {},
    }),
    take_rate_token: () => ({ bucket: "tests", max_hits: 10, window_seconds: 60 }),
  };
  const SILENT = new Set([
    "enqueue_account_email",
    "enqueue_renewal_notices",
    "set_cancellation_days",
    "admin_ledger",
    "payment_target",
    "invite_manager",
    "enqueue_expiring_job_emails",
    "return_rate_token",
    "lease_emails",
    "mark_email_sent",
    "mark_email_failed",
    "save_my_profile",
    "set_consent",
    "set_tracking_consent",
    "block_newsletters",
    "cancel_account_deletion",
    "unsubscribe_from_emails",
    "set_my_position",
    "record_place_view",
    "release_sponsorship_dates",
    "admin_delete_user",
    "require_second_step_of_admins",
    "turn_off_second_step",
    "my_sent_reports",
  ]);

  it.each(linesOf(FUNCTIONS, 1))("$subject", async ({ subject, expected }) => {
    const found: Record<string, string> = {};
    for (const role of Object.keys(expected)) {
      const answer = await callers[role]!.call(subject, ARGUMENTS[subject]?.());
      const empty =
        answer.value === null || (Array.isArray(answer.value) && answer.value.length === 0);
      found[role] =
        answer.status >= 400 ? told(answer) : empty && !SILENT.has(subject) ? "none" : "yes";
    }
    expect(found).toEqual(expected);
  });

  it("cover every function of the schema", async () => {
    const functions = await sql(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace",
    );
    const named = linesOf(FUNCTIONS, 1).map(({ subject }) => subject);
    expect(named.sort()).toEqual(functions.map(({ proname }) => proname).sort());
  });

  it("cannot reach the private schema", async () => {
    for (const by of Object.values(callers)) {
      expect((await by.call("reserve_spots", { sponsorship, permanent: true })).status).toBe(404);
      expect((await by.select("user_positions")).status).toBe(404);
      expect((await by.select("counters")).status).toBe(404);
      expect((await by.select("recovery_codes")).status).toBe(404);
      expect((await by.select("settings")).status).toBe(404);
    }
  });
});
