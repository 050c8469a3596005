/**
 * How long Stripe waits for the answer to a webhook, with the database idle and with the database
 * busy: eight events at a time, each of another payment. `npm run bench:webhooks`
 *
 * It uses a real Postgres, the stand-in for Stripe on loopback, and the app's own action. "Busy"
 * means four sessions that read a hundred thousand listings again and again, and two that write
 * listings all the time. One more case could wait forever: another session has locked the job that
 * was paid for. Then the answer makes Stripe retry.
 */
import { randomBytes, randomUUID } from "node:crypto";

import connect from "postgres";
import SDK from "stripe";

import { listenOnLoopback } from "../local/listener";
import { LocalStripe } from "../local/stripe/local-stripe";
import { seedStripe } from "../local/stripe/seed";
import { pauseWebhooks } from "../local/stripe/webhook-deliveries";
import { startLocalSupabase } from "../local/supabase";
import { startPostgres } from "../tests/support/postgres";

const PAYMENTS = 120;
const CONCURRENT = 8;
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
  send: async () => ({ status: 200, body: "" }),
});
await seedStripe(stripe, {
  secretKey,
  webhook: { url: `${APP_URL}/webhooks/stripe`, secret: webhookSecret },
});
// The benchmark delivers the events itself, to measure the answers.
pauseWebhooks(stripe.account);

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
// The app reads its environment once, so it is imported after that is set.
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

/** Creates a job and pays for it. Returns the event of that, which is not delivered yet. */
async function createPaidJob(): Promise<{ job: number; body: string }> {
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

interface Answer {
  status: number;
  /** Milliseconds. */
  took: number;
}

/** Delivers an event to the app. */
async function deliver(body: string): Promise<Answer> {
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

async function deliverAll(bodies: string[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = [...bodies];
  const worker = async () => {
    for (let body = left.pop(); body !== undefined; body = left.pop())
      answers.push(await deliver(body));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return answers;
}

/** Loads the database. Returns a function that stops the load. */
function startLoad(): () => Promise<void> {
  let running = true;
  const reader = async () => {
    while (running)
      await sql`select md5(string_agg(description || id, '' order by id desc)) from public.places where id % 7 = ${Math.floor(Math.random() * 7)}`;
  };
  const writer = async () => {
    while (running)
      await sql`update public.places set description = description || '.' where id in (select (random() * ${LISTINGS})::int from generate_series(1, 200))`.catch(
        () => undefined,
      );
  };
  const all = Promise.all([
    ...Array.from({ length: READERS }, reader),
    ...Array.from({ length: WRITERS }, writer),
  ]);
  return async () => {
    running = false;
    await all;
  };
}

let passed = true;
function report(what: string, answers: Answer[], expected: number) {
  const took = answers.map((one) => one.took).sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))]!;
  const ms = (value: number) => `${value.toFixed(0)} ms`.padStart(10);
  console.log(`${what.padEnd(34)}${ms(at(0.5))}${ms(at(0.95))}${ms(at(1))}${ms(BUDGET_MS)}`);
  if (at(0.95) > BUDGET_MS) fail(`${what}: ${at(0.95).toFixed(0)} ms, ${BUDGET_MS} ms at most`);
  const others = answers.filter(({ status }) => status !== expected).map(({ status }) => status);
  if (others.length > 0) fail(`${what}: answered ${others.join()}, not ${expected}`);
}
const fail = (message: string) => {
  passed = false;
  console.error(`✘ ${message}`);
};

try {
  await fill();
  console.log(
    `${PAYMENTS} payments, ${CONCURRENT} events at a time, ${LISTINGS.toLocaleString("en")} listings\n`,
  );
  console.log(
    `${"".padEnd(34)}${"half".padStart(10)}${"95 %".padStart(10)}${"all".padStart(10)}${"budget".padStart(10)}`,
  );
  const all = [];
  for (let made = 0; made < 2 * PAYMENTS; made += 1) all.push(await createPaidJob());
  const lockedJob = await createPaidJob();

  report("database idle", await deliverAll(all.slice(0, PAYMENTS).map(({ body }) => body)), 204);
  const stopLoad = startLoad();
  report("database busy", await deliverAll(all.slice(PAYMENTS).map(({ body }) => body)), 204);
  await stopLoad();
  const [done] = await sql`select count(*)::int as jobs from public.jobs where paid and published`;
  if (done!["jobs"] !== all.length) fail(`${String(done!["jobs"])} of ${all.length} jobs are live`);

  const holder = await sql.reserve();
  await holder`begin`;
  await holder`select from public.jobs where id = ${lockedJob.job} for update`;
  report("job locked by another session", [await deliver(lockedJob.body)], 503);
  await holder`rollback`;
  holder.release();
  report("delivered again afterwards", [await deliver(lockedJob.body)], 204);
} finally {
  await sql.end({ timeout: 1 });
  await stripe.stop();
  await listener.close();
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = passed ? 0 : 1;
