/** The demo data: it loads, has what the README promises, and names no real person. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase({ seed: "demo" });
const { sql } = database;

async function signIn(email: string): Promise<string> {
  const { url, publishableKey } = database.supabase;
  const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "rainbow-demo-1" }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { user: { id: string } }).user.id;
}

it("has an admin and three owners, with thirty listings, one, and none", async () => {
  for (const [email, listings] of [
    ["owner@demo.test", 30],
    ["rosa@demo.test", 1],
    ["newcomer@demo.test", 0],
  ] as const) {
    const id = await signIn(email);
    expect([
      email,
      await sql("select count(*)::int as n from public.places where owner = $1", [id]),
    ]).toEqual([email, [{ n: listings }]]);
  }
  expect(await database.row("profiles", await signIn("admin@demo.test"))).toMatchObject({
    admin: true,
  });
});

it("has every status", async () => {
  const [row] = await sql(`select
    (select count(*) from public.places)::int as places,
    (select count(distinct status) from public.places)::int as statuses,
    (select count(distinct category) from public.places)::int as categories,
    (select count(distinct city) from public.places)::int as cities,
    (select count(*) from public.places where owner_email is null)::int as "without email",
    (select count(*) from public.places where state is null)::int as "without state",
    (select count(*) from public.places where owner is null and owner_email = 'owner@demo.test')::int as "to claim",
    (select count(*) from public.places where premium)::int as featured,
    (select count(*) from public.places where status = 'pending-update' and last_update <> '{}')::int as waiting,
    (select count(*) from public.places where hidden)::int as hidden,
    (select count(*) from public.places where archive_requested)::int as "to be removed",
    (select count(*) from public.places where subscription_status = 'past_due')::int as "failed payments",
    (select count(*) from public.listing_drafts)::int as drafts,
    (select count(distinct (paid, published, expiration_date < now())) from public.jobs)::int as "job states",
    (select count(*) from public.sponsorships where not paid)::int as "unpaid sponsorships",
    (select count(*) from public.sponsorship_dates where paid_count = 10)::int as "full newsletters",
    (select count(*) from public.leads)::int as leads, (select count(*) from public.events where state = 'open')::int as reports,
    (select count(*) from public.feedback where archived)::int as archived, (select count(*) from public.feedback where not archived)::int as open,
    (select count(distinct channel || granted) from public.consents)::int as "kinds of consent",
    (select count(*) from private.user_positions)::int as positions,
    (select count(distinct date_trunc('week', hour)) from public.place_views)::int as "weeks of views"`);
  for (const [what, amount] of Object.entries(row!))
    expect([what, Number(amount) > 0]).toEqual([what, true]);
  expect(row).toMatchObject({ statuses: 5, "job states": 5, "kinds of consent": 4 });
  expect(row?.places).toBeGreaterThanOrEqual(80);
  expect(row?.["weeks of views"]).toBeGreaterThanOrEqual(12);
});

it("has exact counters, and dates relative to today", async () => {
  expect(
    await sql(
      "select amount::int as n from private.counter_values('places:') where name = 'total'",
    ),
  ).toEqual(await sql("select count(*)::int as n from public.places"));
  expect(
    await sql("select 1 from public.places where modified_at > now() or created_at > modified_at"),
  ).toEqual([]);
  expect(
    await sql(
      "select 1 from public.places where status = 'new' and modified_at < now() - interval '30 days'",
    ),
  ).toEqual([]);
  expect(
    await sql("select 1 from public.jobs where paid and published and expiration_date > now()"),
  ).not.toEqual([]);
});

it("has no real email address, domain, or phone number", async () => {
  const text = await readFile(new URL("../../supabase/seed.sql", import.meta.url), "utf8");
  for (const [, domain] of text.matchAll(/(?:@|https?:\/\/)([\w-]+(?:\.[\w-]+)*\.[a-z]{2,})/g)) {
    expect(domain).toMatch(/\.(test|example)$/);
  }
  const numbers = await sql(
    "select phone from public.profiles where phone is not null union select phone from public.places where phone is not null",
  );
  for (const { phone } of numbers) expect(phone).toMatch(/^\+1 \d{3}-555-01\d\d$/);
});

it("does not load into a database with accounts", async () => {
  const text = await readFile(new URL("../../supabase/seed.sql", import.meta.url), "utf8");
  const guard = text.slice(text.indexOf("do $$"), text.indexOf("end $$;") + 7);
  await expect(sql(guard)).rejects.toThrow(/Demo data belongs in an empty one/);
});
