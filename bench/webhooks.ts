/**
 * How soon Stripe has its answer when it tells of payments, with the database at rest and with the database busy: eight
 * events at a time, each of another payment. `npm run bench:webhooks`
 *
 * A real Postgres, the stand-in for Stripe on loopback, and the app's own action. Busy means: four sessions that read a
 * hundred thousand listings through and through, and two that write listings all the time. And the one case that could
 * wait for ever: somebody holds the very job that was paid for; then Stripe is told to come again.
 */
import { randomBytes, randomUUID } from "node:crypto";

import connect from "postgres";
import SDK from "stripe";

import { listenOnLoopback } from "../local/listener";
import { holdDeliveries } from "../local/stripe/deliveries";
import { seedStripe } from "../local/stripe/seed";
import { LocalStripe } from "../local/stripe/stripe";
import { startLocalSupabase } from "../local/supabase";
import { startPostgres } from "../tests/support/postgres";

const PAYMENTS = 120;
const AT_A_TIME = 8;
const LISTINGS = 100_000;
const READERS = 4;
const WRITERS = 2;
const BUDGET_MS = 1_000;
const APP_URL = "http://bench.test";

const postgres = await startPostgres();
const url = await postgres.createDatabase({ name: "bench" });
const supabase = await startLocalSupabase({ engine: { kind: "postgres", url }, siteUrl: APP_URL });
const sql = connect(url, { max: READERS + WRITERS + 2, onnotice: () => {} });

const secretKey = `sk_test_${randomBytes(16).toString("hex")}`;
const webhookSecret = `whsec_${randomBytes(16).toString("hex")}`;
const listener = await listenOnLoopback(
  0,
  async (request) => (await stripe.fetch(request)) ?? new Response(null, { status: 404 }),
);
const stripe = new LocalStripe({
  origin: listener.url,
  secretKey,
  appUrl: APP_URL,
  send: async () => ({ status: 200, words: "" }),
});
await seedStripe(stripe, {
  secretKey,
  webhook: { url: `${APP_URL}/webhooks/stripe`, secret: webhookSecret },
});
// What is measured is our answer: nothing is told by itself.
holdDeliveries(stripe.account, true);

Object.assign(process.env, {
  APP_URL,
  SESSION_SECRET: randomBytes(32).toString("hex"),
  SUPABASE_URL: supabase.url,
  SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
  SUPABASE_SECRET_KEY: supabase.secretKey,
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_URL: listener.url,
  LOG_LEVEL: "silent",
});
// The app reads its environment once, so it is loaded only now.
const { openCheckout } = await import("~/modules/billing/checkout.server");
const { createServiceClient } = await import("~/integrations/supabase/clients.server");
const { log } = await import("~/http/log.server");
const { action } = await import("~/routes/webhooks.stripe");

const buyer = { id: randomUUID(), email: "buyer@bench.test", discreet: false };

async function fill() {
  await sql`insert into auth.users (id, email, email_confirmed_at) values (${buyer.id}, ${buyer.email}, now())`;
  await sql`
    insert into public.places (name, category, status, state, description)
    select 'Listing ' || n, 1, 'published', 'NY', repeat('a place for everyone ', 20) from generate_series(1, ${LISTINGS}::int) n`;
  await sql`vacuum analyze`;
}

/** A job that was paid for at Stripe, of which nothing was told yet; gives the event, as it comes over the wire. */
async function paid(): Promise<{ job: number; body: string }> {
  const [row] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner, owner_email)
    values ('Baker', 85, 'Bake.', '{Oregon}', 'X', 'Y', ${buyer.id}, ${buyer.email}) returning id`;
  const job = Number(row!["id"]);
  const checkout = await openCheckout(
    { db: createServiceClient(), buyer, log: log() },
    { kind: "job", jobId: job },
  );
  const { pathname } = new URL(checkout.url);
  await stripe.fetch(
    new Request(`${listener.url}${pathname}/pay`, {
      method: "POST",
      body: new URLSearchParams({ card: "ok" }),
    }),
  );
  const id = pathname.split("/").at(-1);
  const event = stripe.account.store
    .all("event")
    .find(
      (one) =>
        one.type === "checkout.session.completed" && (one.data.object as { id: string }).id === id,
    );
  return { job, body: JSON.stringify(event) };
}

/** Tells of it; gives the status of our answer, and how long that took. */
async function tell(body: string): Promise<{ status: number; took: number }> {
  const headers = {
    "Stripe-Signature": SDK.webhooks.generateTestHeaderString({
      payload: body,
      secret: webhookSecret,
    }),
  };
  const started = performance.now();
  const response = await action({
    request: new Request(`${APP_URL}/webhooks/stripe`, { method: "POST", body, headers }),
    params: {},
    context: {},
  }).catch((thrown: unknown) => thrown as Response);
  return { status: response.status, took: performance.now() - started };
}

async function tellAll(bodies: string[]) {
  const answers: { status: number; took: number }[] = [];
  const left = [...bodies];
  const worker = async () => {
    for (let body = left.pop(); body !== undefined; body = left.pop())
      answers.push(await tell(body));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return answers;
}

/** Keeps the database busy until it is told to stop. */
function makeBusy(): () => Promise<void> {
  let going = true;
  const reader = async () => {
    while (going)
      await sql`select md5(string_agg(description || id, '' order by id desc)) from public.places where id % 7 = ${Math.floor(Math.random() * 7)}`;
  };
  const writer = async () => {
    while (going)
      await sql`update public.places set description = description || '.' where id in (select (random() * ${LISTINGS})::int from generate_series(1, 200))`.catch(
        () => undefined,
      );
  };
  const all = Promise.all([
    ...Array.from({ length: READERS }, reader),
    ...Array.from({ length: WRITERS }, writer),
  ]);
  return async () => {
    going = false;
    await all;
  };
}

let fine = true;
function report(what: string, answers: { status: number; took: number }[], wanted: number) {
  const took = answers.map((one) => one.took).sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))]!;
  const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(10);
  console.log(`${what.padEnd(34)}${ms(at(0.5))}${ms(at(0.95))}${ms(at(1))}${ms(BUDGET_MS)}`);
  if (at(0.95) > BUDGET_MS) complain(`${what}: ${at(0.95).toFixed(0)} ms, ${BUDGET_MS} ms at most`);
  const others = answers.filter(({ status }) => status !== wanted).map(({ status }) => status);
  if (others.length > 0) complain(`${what}: answered ${others.join()}, not ${wanted}`);
}
const complain = (fault: string) => {
  fine = false;
  console.error(`✘ ${fault}`);
};

try {
  await fill();
  console.log(
    `${PAYMENTS} payments, told ${AT_A_TIME} at a time, ${LISTINGS.toLocaleString("en")} listings\n`,
  );
  console.log(
    `${"".padEnd(34)}${"half in".padStart(10)}${"95 % in".padStart(10)}${"all in".padStart(10)}${"budget".padStart(10)}`,
  );
  const all = [];
  for (let made = 0; made < 2 * PAYMENTS; made += 1) all.push(await paid());
  const held = await paid();

  report(
    "the database at rest",
    await tellAll(all.slice(0, PAYMENTS).map(({ body }) => body)),
    204,
  );
  const rest = makeBusy();
  report("the database busy", await tellAll(all.slice(PAYMENTS).map(({ body }) => body)), 204);
  await rest();
  const [done] = await sql`select count(*)::int as jobs from public.jobs where paid and published`;
  if (done!["jobs"] !== all.length)
    complain(`${String(done!["jobs"])} of ${all.length} jobs are live`);

  const holder = await sql.reserve();
  await holder`begin`;
  await holder`select from public.jobs where id = ${held.job} for update`;
  report("the job itself held by somebody", [await tell(held.body)], 503);
  await holder`rollback`;
  holder.release();
  report("and told again", [await tell(held.body)], 204);
} finally {
  await sql.end({ timeout: 1 });
  await stripe.stop();
  await listener.close();
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = fine ? 0 : 1;
