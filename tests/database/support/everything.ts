import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";

import { createUser } from "./real-postgres";

/** Is in every text about the owner that no one else may read. */
export const SECRET = "secret-of-the-owner";

export const OWNER_EMAIL = `${SECRET}@example.test`;

/** The address of a listing that no one has claimed yet. */
export const UNCLAIMED_EMAIL = "shop@example.test";

/** An owner about whom each table has a row, and the ids of these rows. */
export interface Everything {
  owner: { id: string };
  /** Ids by which someone could ask for what is the owner's. */
  numbers: number[];
  uuids: string[];
  texts: string[];
}

/**
 * Creates a row about an owner in every table. What the public may read of it has ordinary text;
 * everything else contains SECRET.
 *
 * @param admin who has reviewed, noted and decided
 * @param owner an account with the address OWNER_EMAIL; left out, a new one
 */
export async function createEverything(
  sql: Sql,
  admin: { id: string },
  owner: { id: string } = { id: randomUUID() },
): Promise<Everything> {
  const email = OWNER_EMAIL;
  await createUser(sql, owner.id, email);
  await sql`update public.profiles set full_name = ${SECRET}, phone = ${`+1 ${SECRET}`}, pronouns = ${SECRET},
    postalcode = '94114', stripe_customer_id = ${`cus_${SECRET}`} where id = ${owner.id}`;

  const [place] = await sql`
    insert into public.places (name, category, description, status, state, city, country, owner, owner_email, premium,
      mailingaddress, lat, long, stripe_cus_id, stripe_subscription_id, subscription_status, changes_requested, last_update)
    values ('Café X', 4, 'A café.', 'pending-update', 'NM', 'Albuquerque', 'US', ${owner.id}, ${email}, true,
      ${SECRET}, 35.08, -106.62, ${`cus_${SECRET}`}, ${`sub_${SECRET}`}, 'active', ${SECRET}, ${sql.json({ name: "Café", mailingaddress: SECRET })})
    returning id::int`;
  const [hidden] = await sql`
    insert into public.places (name, category, description, status, state, owner, owner_email, hidden)
    values (${SECRET}, 4, ${SECRET}, 'new', 'NM', ${owner.id}, ${email}, true) returning id::int`;
  const [unclaimed] = await sql`
    insert into public.places (name, category, description, status, state, owner_email)
    values (${SECRET}, 4, ${SECRET}, 'new', 'NM', ${UNCLAIMED_EMAIL}) returning id::int`;
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner, owner_email)
    values (${SECRET}, 85, ${SECRET}, '{New Mexico}', ${SECRET}, ${SECRET}, ${owner.id}, ${email}) returning id::int`;
  const [sponsorship] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
    values (${place!["id"]}, ${SECRET}, ${owner.id},
      array(select d.weekday_date from private.get_available_sponsorship_dates(1) d limit 1)) returning id::int`;
  await sql`select private.hold_spots(${sponsorship!["id"]}, ${owner.id})`;
  const [order] = await sql`
    insert into public.orders (kind, job_id, days, unit_price_cents, owner, stripe_customer_id)
    values ('job', ${job!["id"]}, 45, 500, ${owner.id}, ${`cus_${SECRET}`}) returning id`;
  await sql`insert into public.subscriptions (id, place_id, owner, stripe_customer_id, status, started_at)
    values (${`sub_${SECRET}`}, ${place!["id"]}, ${owner.id}, ${`cus_${SECRET}`}, 'active', now())`;
  await sql`insert into public.payments (id, kind, reason, owner, order_id, cents, currency, invoice_number, paid_at)
    values (${`pi_${SECRET}`}, 'job', 'purchase', ${owner.id}, ${order!["id"]}, 500, 'usd', ${SECRET}, now())`;
  const [refund] =
    await sql`insert into public.refunds (payment_id, stripe_id, cents, status, reason, note)
    values (${`pi_${SECRET}`}, ${`re_${SECRET}`}, 100, 'succeeded', 'team', ${SECRET}) returning id`;
  await sql`insert into public.stripe_events (id, type, object_id, created_at)
    values (${`evt_${SECRET}`}, 'invoice.paid', ${SECRET}, now())`;

  const [lead] = await sql`
    insert into public.leads (place_id, requester, requester_name, requester_email, message, notes)
    values (${place!["id"]}, ${admin.id}, 'Kai', ${email}, ${SECRET}, ${SECRET}) returning id::int`;
  const [feedback] = await sql`
    insert into public.feedback (userid, feedback, os) values (${owner.id}, ${SECRET}, 'iOS') returning id::int`;
  const [report] = await sql`
    insert into public.events (event_name, place, data, note, user_id)
    values ('report_listing', ${place!["id"]}, ${sql.json({ reason: SECRET })}, ${SECRET}, ${owner.id}) returning id::int`;
  await sql`insert into public.favorites (user_id, place_id) values (${owner.id}, ${place!["id"]})`;
  await sql`insert into public.consents (user_id, channel, granted, text_version, page)
    values (${owner.id}, 'email', true, ${SECRET}, '/signup')`;
  await sql`insert into public.email_preferences (user_id, kind, wanted) values (${owner.id}, 'job-expiring', false)`;

  const [draft, invitation, batch] = [randomUUID(), randomUUID(), randomUUID()];
  await sql`insert into public.listing_drafts (id, owner, fields)
    values (${draft}, ${owner.id}, ${sql.json({ name: SECRET })})`;
  await sql`insert into public.manager_invitations (id, place_id, email, invited_by)
    values (${invitation}, ${place!["id"]}, ${`kai-${email}`}, ${owner.id})`;
  await sql`insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(${SECRET}), ${invitation})`;
  const manager = { id: randomUUID() };
  await createUser(sql, manager.id, `manager-${email}`);
  await sql`update public.profiles set full_name = ${SECRET} where id = ${manager.id}`;
  await sql`insert into public.listing_managers (place_id, profile_id, invited_by)
    values (${place!["id"]}, ${manager.id}, ${owner.id})`;
  await sql`insert into public.rejected_edits (place_id, reason, edit)
    values (${place!["id"]}, ${SECRET}, ${sql.json({ phone: SECRET })})`;
  await sql`insert into public.saved_views (owner, name, filter)
    values (${owner.id}, ${SECRET}, ${sql.json({ search: SECRET })})`;
  await sql`insert into private.decision_batches (id, admin, filter)
    values (${batch}, ${owner.id}, ${sql.json({ search: SECRET })})`;
  await sql`insert into private.exports (entry, filter_hash)
    select max(a.id), private.filter_hash(max(a.id), ${sql.json({ name: SECRET })}) from public.audit_log a`;
  await sql`insert into private.review_locks (place_id, admin, since, until)
    values (${place!["id"]}, ${owner.id}, now(), now() + interval '15 minutes')`;
  await sql`insert into private.email_queue (kind, recipient, key, data)
    values ('listing-approved', ${owner.id}, ${SECRET}, ${sql.json({ name: SECRET })})`;
  await sql`insert into private.account_deletions (user_id) values (${owner.id})`;
  await sql`insert into private.sign_ins_to_forget (user_id, address_hash, next_page, pages_left)
    values (${owner.id}, private.code_hash(${SECRET}), 0, 0)`;
  // One that has expired, as it does in a minute, is swept by the next person who asks for one.
  await sql`insert into private.handoff_codes (code_hash, user_id, session_id, expires_at)
    values (private.code_hash(${SECRET}), ${owner.id}, ${owner.id}, now() + interval '1 day')`;
  await sql`insert into private.sign_ups (user_id, proof) values (${owner.id}, ${SECRET.padEnd(43, "x")})
    on conflict do nothing`;
  await sql`insert into private.confirmed_accounts (user_id) values (${owner.id})`;
  const session = randomUUID();
  await sql`insert into auth.sessions (id, user_id) values (${session}, ${owner.id})`;
  await sql`insert into private.handed_over_sessions (session_id, issued_by) values (${session}, ${owner.id})`;
  await sql`insert into private.recovery_codes (user_id, code_hash)
    values (${owner.id}, private.recovery_code_hash(${SECRET}))`;
  await sql`select private.store_position(${owner.id}, 35.08, -106.62)`;
  await sql`insert into public.form_stash (id, sealed) values (${draft}, ${SECRET})`;

  return {
    owner,
    numbers: [
      ...new Set(
        [place, hidden, unclaimed, job, sponsorship, lead, feedback, report].map((row) =>
          Number(row!["id"]),
        ),
      ),
    ],
    uuids: [
      owner.id,
      manager.id,
      String(order!["id"]),
      String(refund!["id"]),
      draft,
      invitation,
      batch,
    ],
    texts: [SECRET, email],
  };
}
