/** What those who run the server are told of the queues: counts, and nothing of anyone. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const { sql, person, place, service } = await startDatabase();

const lengths = async () =>
  (await service.call("queue_lengths")).value as {
    migration: string | null;
    queues: Record<string, number>;
  };

it("counts what is due, and not what waits for its time", async () => {
  await sql("delete from private.email_queue");
  const before = (await lengths()).queues;
  expect(before).toEqual({
    emails_due: 0,
    emails_failing: 0,
    spots_held: expect.any(Number) as number,
    deletions_due: 0,
    refunds_open: 0,
  });
  const sam = await person({ data: { full_name: "Sam Rivera" } });
  const kim = await person({ data: { full_name: "Kim Park" } });
  await sql("delete from private.email_queue");
  for (const [key, wait] of [
    ["one", "0"],
    ["two", "0"],
    ["later", "1 hour"],
  ])
    await sql(
      `insert into private.email_queue (recipient, kind, key, next_try_at)
       values ($1, 'test-letter', $2, now() + $3::interval)`,
      [sam.id, key, wait],
    );
  await sql(
    `insert into private.account_deletions (user_id, due_at)
     values ($1, now() - interval '1 minute'), ($2, now() + interval '1 day')`,
    [sam.id, kim.id],
  );
  const listing = await place({ owner: sam.id, owner_email: sam.email });
  const [order] = await sql(
    "insert into public.sponsorships (owner, place_id, promo_text) values ($1, $2, 'Fresh bread.') returning id",
    [sam.id, listing],
  );
  const [date] = await sql(
    `insert into public.sponsorship_dates (weekday_date)
     select d::date from generate_series(current_date + 1, current_date + 7, interval '1 day') d
       where private.is_newsletter_day(d::date) limit 1
     on conflict (weekday_date) do update set held_count = sponsorship_dates.held_count
     returning weekday_date::text as day`,
  );
  await sql(
    "insert into public.sponsorship_spots (sponsorship_id, weekday_date, held_until) values ($1, $2, now() + interval '9 minutes')",
    [order!["id"], date!["day"]],
  );
  await sql(
    `insert into public.subscriptions (id, place_id, stripe_customer_id, status, started_at)
     values ('sub_queue', $1, 'cus_queue', 'canceled', now())`,
    [listing],
  );
  await sql(
    `insert into public.payments (id, kind, reason, subscription_id, cents, currency, paid_at)
     values ('pi_queue', 'upgrade', 'renewal', 'sub_queue', 500, 'usd', now())`,
  );
  for (const status of ["requested", "pending", "failed", "succeeded", "canceled"])
    await sql(
      `insert into public.refunds (payment_id, cents, reason, status) values ('pi_queue', 1, 'team', $1)`,
      [status],
    );

  const { queues } = await lengths();
  expect(queues).toEqual({
    emails_due: 2,
    emails_failing: 0,
    spots_held: before["spots_held"]! + 1,
    deletions_due: 1,
    refunds_open: 3,
  });
});

it("counts emails that have been tried in vain for a while, also until their next try", async () => {
  await sql("delete from private.email_queue");
  const ana = await person();
  await sql("delete from private.email_queue");
  const queue = (key: string, attempts: number, nextTry: string) =>
    sql(
      `insert into private.email_queue (recipient, kind, key, attempts, next_try_at)
       values ($1, 'test-letter', $2, $3, $4)`,
      [ana.id, key, attempts, nextTry],
    );
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  await queue("fails", 5, inMinutes(16));
  await queue("fails for long", 12, inMinutes(360));
  await queue("failed twice", 2, inMinutes(2));
  await queue("waits until it can't be undone", 0, inMinutes(11));
  await queue("isn't sent anymore, as it is outdated", 9, inMinutes(-90));
  await queue("refused for good", 6, "infinity");
  await queue("sent", 6, inMinutes(2));
  await sql("update private.email_queue set sent_at = now() where key = 'sent'");

  expect((await lengths()).queues["emails_failing"]).toBe(2);
});

it("counts no email that is not sent: unwanted, without an address, or about a listing that is not public", async () => {
  await sql("delete from private.email_queue");
  const [ana, unconfirmed] = [await person(), await person({ confirmed: false })];
  const waiting = await place({ owner: ana.id, status: "new" });
  const withdrawn = await place({ owner: null, owner_email: null });
  await sql(
    "insert into public.email_preferences (user_id, kind, wanted) values ($1, 'payment-failed', false)",
    [ana.id],
  );
  await sql("delete from private.email_queue");
  for (const [to, recipient, kind] of [
    ["recipient", ana.id, "payment-failed"],
    ["recipient", ana.id, "new-lead"],
    ["recipient", unconfirmed.id, "test-letter"],
    ["place_id", waiting, "listing-approved"],
    ["place_id", withdrawn, "test-letter"],
  ] as const)
    await sql(`insert into private.email_queue (${to}, kind, key) values ($1, $2, $3)`, [
      recipient,
      kind,
      `${kind} to ${recipient}`,
    ]);
  expect((await lengths()).queues["emails_due"]).toBe(0);
  expect((await service.call("lease_emails", { max_emails: 100 })).rows).toEqual([]);

  await sql("update public.email_preferences set wanted = true where user_id = $1", [ana.id]);
  await sql("update public.places set status = 'published' where id = $1", [waiting]);
  const due = (await lengths()).queues["emails_due"];
  expect(due).toBe(2);
  expect((await service.call("lease_emails", { max_emails: 100 })).rows).toHaveLength(2);
  expect((await lengths()).queues["emails_due"]).toBe(0);
});

it("names the newest migration, where migrations are recorded", async () => {
  const [{ recorded } = {}] = await sql(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as recorded",
  );
  if (!recorded) {
    expect((await lengths()).migration).toBeNull();
    await sql("create schema if not exists supabase_migrations");
    await sql("create table supabase_migrations.schema_migrations (version text primary key)");
  }
  await sql(
    "insert into supabase_migrations.schema_migrations (version) values ('99990101000000')",
  );
  expect((await lengths()).migration).toBe("99990101000000");
});
