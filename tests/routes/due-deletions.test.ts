/** Accounts whose deletion is due: each on its own, and never that of the only admin. */
import { bypass, http, HttpResponse } from "msw";
import { beforeEach, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { jobForm, sponsorshipForm } from "../support/forms";
import { outside } from "../support/outside";
import { listNewsletterDates } from "../support/newsletter-dates";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { buyPlan, choosePlan } = buyingIn(world);
const { eraseDueAccounts } = await import("~/modules/privacy/erase-due-accounts.server");

beforeEach(() => world.sql("update public.profiles set admin = false where admin"));

const exists = async ({ id }: Member) =>
  (await world.sql("select from public.profiles where id = $1", [id])).length === 1;

/** Requests the deletion of these accounts, and makes them due in this order. */
async function makeDue(...people: Member[]) {
  for (const person of people)
    expect(
      await person.post("/privacy/delete", { intent: "delete", current_password: person.password }),
    ).toRedirectTo("/privacy");
  for (const [order, { id }] of people.entries())
    await world.sql(
      "update private.account_deletions set due_at = now() - interval '1 hour' + $2 * interval '1 minute' where user_id = $1",
      [id, order],
    );
}

/** Someone signed up a while ago with this address, and never confirmed it. */
async function signedUpLongAgo() {
  const person = await world.owner();
  await world.sql(
    "update auth.users set email_confirmed_at = null, confirmation_sent_at = now() - interval '8 days', recovery_sent_at = null where id = $1",
    [person.id],
  );
  return person;
}

it("the account of the only admin stays with what it pays for, and everyone after it is erased", async () => {
  const [first, last] = [await world.admin(), await world.admin()];
  const [someone, unconfirmed] = [await world.owner(), await signedUpLongAgo()];
  const subscription = await buyPlan(last, await world.listing({ owner: last }));
  const { customer } = stripe.subscription(subscription);
  await makeDue(first, last, someone);

  expect(await eraseDueAccounts()).toEqual({ erased: 2, waiting: 1, unconfirmed: 1 });
  expect(await Promise.all([first, last, someone, unconfirmed].map(exists))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(stripe.subscription(subscription)).toMatchObject({ status: "active" });
  expect(await stripe.sdk.customers.retrieve(customer as string)).not.toHaveProperty("deleted");

  const page = await last.page("/privacy");
  expect(page).toSay("Your account can’t be deleted yet");
  expect(page).toSay("you’re the only admin. Make someone else an admin first.");
  expect(page).toTakeAtMostSequentialCalls(2);
  expect(await eraseDueAccounts()).toEqual({ erased: 0, waiting: 1, unconfirmed: 0 });

  await world.admin();
  expect(await last.page("/privacy")).toSay("Your account will be deleted after");
  expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 0, unconfirmed: 0 });
  expect(await exists(last)).toBe(false);
  expect(stripe.subscription(subscription)).toMatchObject({ status: "canceled" });
});

it("a renewal that was charged after the deletion was asked for is refunded, though no one had stopped the plan", async () => {
  const owner = await world.owner();
  const plan = await buyPlan(owner, await world.listing({ owner }));
  await makeDue(owner);
  await world.sql(
    "update private.account_deletions set requested_at = now() - interval '8 days' where user_id = $1",
    [owner.id],
  );
  await stripe.renew(plan);
  expect(await eraseDueAccounts()).toMatchObject({ erased: 1, waiting: 0 });
  expect(
    await world.sql(
      "select cents::int, refunded_cents::int from public.payments where subscription_id = $1 order by cents",
      [plan],
    ),
  ).toEqual([
    { cents: 2900, refunded_cents: 0 },
    { cents: 4900, refunded_cents: 4900 },
  ]);
  expect(stripe.subscription(plan)).toMatchObject({ status: "canceled" });
});

it("a deletion that has begun waits for another admin, and says so to the user who has become the only one", async () => {
  const [last, other] = [await world.admin(), await world.admin()];
  await buyPlan(last, await world.listing({ owner: last }), "twelve_months");
  await makeDue(last);
  outside.use(
    http.delete(`${stripe.url}/v1/customers/:id`, () =>
      HttpResponse.json({ error: { type: "api_error", message: "down" } }, { status: 500 }),
    ),
  );
  expect(await eraseDueAccounts()).toMatchObject({ erased: 0, waiting: 1 });
  outside.resetHandlers();
  await world.sql("update public.profiles set admin = false where id = $1", [other.id]);
  expect(await eraseDueAccounts()).toMatchObject({ erased: 0, waiting: 1 });
  for (const path of ["/", "/account", "/privacy"]) {
    const page = await last.page(path);
    expect(page).toSay("Your account can’t be deleted yet");
    expect(page).toSay(
      "we’ve begun, so you can’t keep it anymore. But you’re the only admin. Make someone else an admin first.",
    );
    expect(page).not.toSay("Keep my account");
  }

  await world.sql("update public.profiles set admin = true where id = $1", [other.id]);
  expect(await last.page("/")).toSay("We’re deleting your account");
  expect(await eraseDueAccounts()).toMatchObject({ erased: 1, waiting: 0 });
  expect(await exists(last)).toBe(false);
});

it("an account that can’t be erased keeps no other one waiting, and is erased once it can be", async () => {
  const [stuck, next, unconfirmed] = [
    await world.owner(),
    await world.owner(),
    await signedUpLongAgo(),
  ];
  await makeDue(stuck, next);
  await world.sql(
    `create function private.keep_one() returns trigger language plpgsql as $$ begin raise exception 'a fault of ours'; end $$`,
  );
  await world.sql(
    `create trigger keep_one before delete on public.profiles for each row when (old.id = '${stuck.id}') execute function private.keep_one()`,
  );

  expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 1, unconfirmed: 1 });
  expect(await Promise.all([stuck, next, unconfirmed].map(exists))).toEqual([true, false, false]);

  await world.sql("drop trigger keep_one on public.profiles");
  await world.sql("drop function private.keep_one()");
  expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 0, unconfirmed: 0 });
  expect(await exists(stuck)).toBe(false);
});

it("accounts that could not be erased come after the others, however many there are, and each is tried again", async () => {
  const [stuck, alsoStuck, next] = [await world.owner(), await world.owner(), await world.owner()];
  await makeDue(stuck, alsoStuck, next);
  await world.sql(
    "update private.account_deletions set begun_at = now() where user_id = any ($1)",
    [[stuck.id, alsoStuck.id]],
  );
  const due = async () => (await world.sql("select public.due_deletions(1) as id"))[0]!["id"];
  expect(await due()).toBe(next.id);
  expect(await eraseDueAccounts()).toMatchObject({ erased: 3, waiting: 0 });

  const left = [await world.owner(), await world.owner()];
  await makeDue(...left);
  await world.sql("update private.account_deletions set begun_at = now()");
  const tried = new Set<unknown>();
  await expect.poll(async () => tried.add(await due()).size).toBe(2);
  await eraseDueAccounts();
});

it("someone who decides to stay while others are erased keeps their account and what they pay for", async () => {
  const [first, undecided] = [await world.owner(), await world.owner()];
  const subscription = await buyPlan(undecided, await world.listing({ owner: undecided }));
  await makeDue(first, undecided);
  await world.sql(
    `create function private.stay() returns trigger language plpgsql security definer as $$ begin
       delete from private.account_deletions where user_id = '${undecided.id}'; return old; end $$`,
  );
  await world.sql(
    `create trigger stay before delete on public.profiles for each row when (old.id = '${first.id}') execute function private.stay()`,
  );

  expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 0, unconfirmed: 0 });
  expect(await Promise.all([first, undecided].map(exists))).toEqual([false, true]);
  expect(stripe.subscription(subscription)).toMatchObject({ status: "active" });

  await world.sql("drop trigger stay on public.profiles");
  await world.sql("drop function private.stay()");
});

it("a deletion that has begun can’t be canceled halfway, when the plan has already ended, and is tried again", async () => {
  const owner = await world.owner();
  const plan = await buyPlan(owner, await world.listing({ owner }), "twelve_months");
  await makeDue(owner);
  expect(await owner.page("/")).toSay("Keep my account");
  outside.use(
    http.delete(`${stripe.url}/v1/customers/:id`, () =>
      HttpResponse.json({ error: { type: "api_error", message: "down" } }, { status: 500 }),
    ),
  );
  expect(await eraseDueAccounts()).toMatchObject({ erased: 0, waiting: 1 });
  expect(stripe.subscription(plan)).toMatchObject({ status: "canceled" });

  expect(await owner.post("/privacy", { intent: "keep" })).toRedirectTo("/privacy");
  expect(await owner.page("/privacy")).toSay("so you can’t keep it anymore");
  for (const path of ["/", "/account", "/privacy"]) {
    const page = await owner.page(path);
    expect(page, path).toSay("We’re deleting your account");
    expect(page, path).not.toSay("Keep my account");
  }

  outside.resetHandlers();
  expect(await eraseDueAccounts()).toMatchObject({ erased: 1, waiting: 0 });
  expect(await exists(owner)).toBe(false);
});

it("an account is erased although Stripe doesn’t know its customer, as after a move to another Stripe account", async () => {
  const owner = await world.owner();
  await world.sql("update public.profiles set stripe_customer_id = 'cus_of_before' where id = $1", [
    owner.id,
  ]);
  await makeDue(owner);
  expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 0, unconfirmed: 0 });
  expect(await exists(owner)).toBe(false);
});

it("an account is erased without waiting for a search of the auth service’s own log, which is too slow once that is long, and then leaves nothing there", async () => {
  const [owner, other] = [await world.owner(), await world.owner()];
  const log = (entry: object, times: number) =>
    world.sql(
      `insert into auth.audit_log_entries (id, payload) select gen_random_uuid(), $1::json from generate_series(1, ${times})`,
      [JSON.stringify(entry)],
    );
  const readLog = () =>
    world.sql(
      "select distinct payload ->> 'actor_id' as id, payload ->> 'actor_username' as address from auth.audit_log_entries order by 1",
    );
  await world.sql("delete from auth.audit_log_entries");
  const long = { actor_id: other.id, actor_username: other.email, about: "x".repeat(1500) };
  await log({ actor_id: owner.id, actor_username: "an address of before" }, 1);
  await log(long, 8_000);
  await log({ actor_id: null, actor_username: owner.email.toUpperCase() }, 1);

  await world.sql("select private.erase_user($1)", [owner.id]);
  expect(await readLog()).toHaveLength(3);
  const [left] = await world.sql("select * from private.sign_ins_to_forget");
  expect(JSON.stringify(left)).not.toContain(owner.email);

  expect(await eraseDueAccounts()).toEqual({ erased: 0, waiting: 0, unconfirmed: 0 });
  expect(await readLog()).toEqual([{ id: other.id, address: other.email }]);
  expect(await world.sql("select from private.sign_ins_to_forget")).toEqual([]);

  // A short one is searched at once.
  await world.sql("truncate auth.audit_log_entries");
  await log({ actor_id: other.id, actor_username: other.email }, 3);
  await world.sql("select private.erase_user($1)", [other.id]);
  expect(await readLog()).toEqual([]);
});

it("an account leaves no customer at Stripe, also when Stripe made one and its answer was lost", async () => {
  const owner = await world.owner();
  const listing = await world.listing({ owner });
  outside.use(
    http.post(`${stripe.url}/v1/customers`, async ({ request }) => {
      const { url, method, headers } = bypass(request);
      await fetch(url, { method, headers, body: await request.text() });
      return HttpResponse.error();
    }),
  );
  const answer = await owner.submit("/upgrade", {
    intent: "upgrade",
    place: listing.id,
    plan: "monthly",
  });
  expect(answer).toHaveStatus(503);
  outside.resetHandlers();
  const [customer] = (await stripe.sdk.customers.list({ email: owner.email })).data;
  expect(customer).toMatchObject({ metadata: { user: owner.id } });

  await makeDue(owner);
  expect(await eraseDueAccounts()).toMatchObject({ erased: 1, waiting: 0 });
  expect(await stripe.sdk.customers.retrieve(customer!.id)).toMatchObject({ deleted: true });
});

const REFUSAL =
  "You’ve asked us to delete your account, so you can’t buy anything right now. Changed your mind? Open My Account and choose “Keep my account” first.";

it("someone whose account is about to be deleted buys nothing that would end with it, which pages say before they choose, unless they keep it", async () => {
  const owner = await world.owner();
  const listing = await world.listing({ owner, name: "Café X" });
  const [day] = await listNewsletterDates(world);
  expect(
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password }),
  ).toRedirectTo("/privacy");
  const buying = [
    ["/upgrade", { intent: "upgrade", place: listing.id, plan: "twelve_months" }],
    ["/jobs/new", jobForm()],
    ["/sponsor/new", sponsorshipForm(listing, { sponsorship_dates: [day] })],
  ] as const;
  for (const path of ["/upgrade", "/jobs", "/jobs/new?draft=", "/sponsor", "/sponsor/new?draft="]) {
    const here = path.endsWith("=") ? `${path}${crypto.randomUUID()}` : path;
    expect(await owner.page(here), path).toSay(REFUSAL);
  }
  for (const [path, fields] of buying) {
    const answer = await owner.submit(path, fields);
    const page = answer.location === null ? answer : await owner.page(answer.location);
    expect(page, path).toSay(REFUSAL);
  }
  // What was saved by that isn't paid for.
  const [order] = await world.sql("select id::int from public.sponsorships where owner = $1", [
    owner.id,
  ]);
  const [job] = await world.sql("select id::int from public.jobs where owner = $1", [owner.id]);
  for (const path of [`/sponsor/${order!.id}`, `/jobs/${job!.id}`, `/jobs/${job!.id}/status`])
    expect(await owner.page(path), path).toSay(REFUSAL);
  expect(await owner.post("/privacy", { intent: "keep" })).toRedirectTo("/privacy");
  expect(await owner.page("/upgrade")).not.toSay(REFUSAL);
  await choosePlan(owner, listing);
});
