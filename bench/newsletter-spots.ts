/**
 * Whether the ten spots of a newsletter are ever sold to an eleventh buyer, or someone pays for a spot
 * and gets neither it nor their money: 50 buyers, 10 spots, 100 rounds. `npm run bench:spots`, or
 * `npm run bench:spots -- --rounds 3`.
 *
 * It runs the built app (`npm run build`) twice, over one Postgres and one stand-in for Stripe, as
 * behind a load balancer: each request goes to one of the two at random, and each webhook to both. In
 * a round all buyers order the same newsletter at once, over HTTP. Those who get a checkout pay at
 * once, but for some who are so slow that their spots are free again. Then everyone without a spot
 * tries again, while the slow ones pay: those who come too late get a refund.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import connect from "postgres";

import { listenOnLoopback } from "../local/listener";
import { listenForMail } from "../local/smtp";
import { LocalStripe } from "../local/stripe/local-stripe";
import { seedStripe } from "../local/stripe/seed";
import { startLocalSupabase } from "../local/supabase";
import { startPostgres } from "../tests/support/postgres";
import { CookieJar } from "../tests/support/cookie-jar";
import { forgetOrders } from "../tests/support/forget-orders";
import { startBuiltApp, type BuiltApp } from "./built-app";

const BUYERS = 50;
const SPOTS = 10;
/** How many of those who get a checkout are slow, and for how long everyone hesitates. */
const [FEWEST_SLOW, MOST_SLOW] = [2, 7];
const HESITATION_MS = 2_000;
const SETTLED_WITHIN_MS = 60_000;
const APP_URL = "http://localhost";
const PASSWORD = "correct horse 42 staples";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "100" } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a number from 1.");

const postgres = await startPostgres();
const databaseUrl = await postgres.createDatabase({ name: "bench" });
const supabase = await startLocalSupabase({
  engine: { kind: "postgres", url: databaseUrl },
  siteUrl: APP_URL,
});
const mailServer = await listenForMail(0, supabase.mailbox);
const sql = connect(databaseUrl, { max: 4, onnotice: () => {} });

const secretKey = `sk_test_${randomBytes(16).toString("hex")}`;
const webhookSecret = `whsec_${randomBytes(16).toString("hex")}`;
const listener = await listenOnLoopback(
  0,
  async (request) => (await stripe.fetch(request)) ?? new Response(null, { status: 404 }),
);
const stripe: LocalStripe = new LocalStripe({
  origin: listener.url,
  secretKey,
  appUrl: APP_URL,
  ticking: true,
  // Stripe may deliver an event twice: here it always does, to both instances at once.
  async send(_url, body, headers) {
    const request = { method: "POST", path: "/webhooks/stripe", headers, body } as const;
    const answers = await Promise.all(apps.map((app) => app.ask(request)));
    return answers.find(({ status }) => status >= 300) ?? answers[0]!;
  },
});
await seedStripe(stripe, {
  secretKey,
  webhook: { url: `${APP_URL}/webhooks/stripe`, secret: webhookSecret },
});

const env = {
  APP_URL,
  SESSION_SECRET: randomBytes(32).toString("hex"),
  SUPABASE_URL: supabase.url,
  SUPABASE_PUBLISHABLE_KEY: supabase.publishableKey,
  SUPABASE_SECRET_KEY: supabase.secretKey,
  SMTP_URL: mailServer.url,
  MAIL_FROM: "Team <team@bench.test>",
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_URL: listener.url,
  // Each buyer comes from an address of their own, so that no limit ends the run.
  TRUSTED_IP_HEADER: "X-Bench-Address",
  LOG_LEVEL: "error",
};
Object.assign(process.env, env);
// The app's own cookie for a session. The app reads its environment once, so it is imported now.
const { serializeSession } = await import("~/http/session.server");
const apps: BuiltApp[] = await Promise.all([
  startBuiltApp(APP_URL, env),
  startBuiltApp(APP_URL, env),
]);

interface Buyer {
  id: string;
  place: number;
  cookies: CookieJar;
  address: string;
}

async function askAuth(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${supabase.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { apikey: supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`The auth service refused ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Someone with an account, signed in, and with a published listing. */
async function createBuyer(number: number): Promise<Buyer> {
  const email = `buyer-${number}@bench.test`;
  await askAuth("signup", {
    email,
    password: PASSWORD,
    data: {
      full_name: `Buyer ${number}`,
      consent_text_version: "bench",
      consent_page: "/signup",
      sign_up_proof: "x".repeat(43),
    },
  });
  const link = supabase.mails.findLast(({ to }) => to === email)!.links[0]!;
  const query = new URL(link).searchParams;
  const token = query.get("token_hash") ?? query.get("token")!;
  await sql`select private.recognize_sign_up(${token}, repeat('x', 43))`;
  const session = await askAuth("verify", { type: "email", token_hash: token });
  const { id } = session["user"] as { id: string };
  const cookies = new CookieJar();
  const cookie = await serializeSession({
    accessToken: session["access_token"] as string,
    refreshToken: session["refresh_token"] as string,
    expiresAt: Math.floor(Date.now() / 1000) + (session["expires_in"] as number),
  });
  cookies.store(new Headers({ "Set-Cookie": cookie }));
  const [place] = await sql`
    insert into public.places (name, category, status, state, description, owner, owner_email)
    values (${`Listing ${number}`}, 1, 'published', 'NY', 'A place for everyone.', ${id}, ${email})
    returning id`;
  return { id, place: Number(place!["id"]), cookies, address: `10.0.0.${number}` };
}

/** Sends a form to one of the two instances. Returns the checkout that it leads to, if any. */
async function submit(
  buyer: Buyer,
  path: string,
  fields: Record<string, string>,
): Promise<string | null> {
  const app = apps[Math.floor(Math.random() * apps.length)]!;
  const { status, location, cookies, body } = await app.ask({
    method: "POST",
    path,
    headers: {
      cookie: buyer.cookies.header()!,
      origin: APP_URL,
      "content-type": "application/x-www-form-urlencoded",
      "x-bench-address": buyer.address,
    },
    body: new URLSearchParams(fields).toString(),
  });
  buyer.cookies.store(
    new Headers(cookies.map((cookie): [string, string] => ["Set-Cookie", cookie])),
  );
  if (status >= 500) throw new Error(`${path} answered ${status}: ${body.slice(0, 300)}`);
  return location?.startsWith(`${listener.url}/`) ? location : null;
}

const order = (buyer: Buyer, day: string): Promise<string | null> =>
  submit(buyer, "/sponsor/new", {
    intent: "save",
    place_id: String(buyer.place),
    promo_text: "Cardamom buns before sunrise.",
    location: "Portland, OR",
    rate: "45",
    sponsorship_dates: day,
  });

async function orderAgain(buyer: Buyer): Promise<string | null> {
  const [row] = await sql`select id from public.sponsorships where owner = ${buyer.id}`;
  return row ? submit(buyer, "/sponsor", { intent: "pay", sponsorship: String(row["id"]) }) : null;
}

/** Pays on the hosted page, as a browser does. */
async function pay(checkout: string): Promise<void> {
  await fetch(`${checkout}/pay`, {
    method: "POST",
    body: new URLSearchParams({ card: "ok" }),
    redirect: "manual",
  });
}

/** Lets the spots of a buyer become free, as they do when the time to pay has passed. */
async function letHoldEnd(buyer: Buyer): Promise<void> {
  await sql`
    update public.sponsorship_spots set held_until = now() - interval '1 second'
    where held_until is not null
      and sponsorship_id in (select id from public.sponsorships where owner = ${buyer.id})`;
}

interface Outcome {
  charged: number;
  refunded: number;
  rejected: number;
  sold: number;
  wrong: string[];
}

/** Who was charged, at Stripe, and who has a spot, in the database. */
async function readOutcome(buyers: Buyer[], chargesBefore: Set<string>): Promise<Outcome> {
  const owners = await sql`
    select s.owner, o.stripe_payment_intent_id as payment, exists (
      select from public.sponsorship_spots t where t.sponsorship_id = s.id and t.held_until is null) as has_spot
    from public.sponsorships s left join public.orders o on o.sponsorship_id = s.id`;
  const [counts] = await sql`
    select coalesce(sum(paid_count), 0)::int as sold,
      (select count(*)::int from public.sponsorship_spots where held_until is null) as spots
    from public.sponsorship_dates`;
  const charges = stripe.account.store
    .all("charge")
    .filter((charge) => charge.paid && !chargesBefore.has(charge.id));
  const outcome: Outcome = {
    charged: charges.length,
    refunded: charges.filter(({ refunded }) => refunded).length,
    rejected: 0,
    sold: Number(counts!["sold"]),
    wrong: [],
  };
  const sold = Math.max(outcome.sold, Number(counts!["spots"]));
  if (sold > SPOTS) outcome.wrong.push(`${sold} of ${SPOTS} spots were sold`);
  for (const { id } of buyers) {
    const own = owners.filter(({ owner }) => owner === id);
    const hasSpot = own.some((row) => row["has_spot"] === true);
    const customer = stripe.account.store
      .all("customer")
      .find((one) => !one.deleted && one.metadata["user"] === id)?.id;
    const paid = charges.filter((charge) => charge.customer === customer);
    const kept = paid.filter((charge) => charge.amount_refunded < charge.amount);
    if (paid.length === 0) outcome.rejected += 1;
    if (hasSpot && kept.length === 0)
      outcome.wrong.push(`${id} has a spot that they did not pay for`);
    if (!hasSpot && kept.length > 0)
      outcome.wrong.push(`${id} was charged, and has neither the spot nor a refund`);
    if (kept.length > 1) outcome.wrong.push(`${id} was charged ${kept.length} times`);
  }
  return outcome;
}

/** Waits until nothing is wrong anymore, since refunds are made after the webhooks are answered. */
async function settledOutcome(buyers: Buyer[], chargesBefore: Set<string>): Promise<Outcome> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    await stripe.deliverWebhooks();
    const outcome = await readOutcome(buyers, chargesBefore);
    if (outcome.wrong.length === 0 || outcome.sold > SPOTS || Date.now() > deadline) return outcome;
    await sleep(100);
  }
}

const hesitate = (): Promise<void> => sleep(Math.random() * HESITATION_MS);

async function playRound(buyers: Buyer[], day: string): Promise<Outcome> {
  await forgetOrders({ sql: async (query) => [...(await sql.unsafe(query))] });
  await sql`delete from public.sponsorships`;
  await sql`delete from public.sponsorship_dates`;
  const before = new Set(stripe.account.store.all("charge").map(({ id }) => id));

  const first = await Promise.all(
    buyers.map(async (buyer) => ({ buyer, checkout: await order(buyer, day) })),
  );
  const holders = first.filter(({ checkout }) => checkout !== null);
  const slowOnes = FEWEST_SLOW + Math.floor(Math.random() * (MOST_SLOW - FEWEST_SLOW + 1));
  const slow = holders.slice(0, slowOnes);
  await Promise.all(holders.slice(slowOnes).map(({ checkout }) => pay(checkout!)));

  await Promise.all(slow.map(({ buyer }) => letHoldEnd(buyer)));
  const waiting = first.filter(({ checkout }) => checkout === null);
  await Promise.all([
    ...slow.map(({ checkout }) => hesitate().then(() => pay(checkout!))),
    ...waiting.map(async ({ buyer }) => {
      await hesitate();
      const checkout = await orderAgain(buyer);
      if (checkout) await pay(checkout);
    }),
  ]);
  return settledOutcome(buyers, before);
}

let passed = true;
try {
  const buyers: Buyer[] = [];
  for (let number = 1; number <= BUYERS; number += 1) buyers.push(await createBuyer(number));
  const [row] = await sql`
    select max(weekday_date)::text as day from public.get_available_sponsorship_dates(12)`;
  const day = row!["day"] as string;

  console.log(`${BUYERS} buyers for ${SPOTS} spots, two instances, ${rounds} rounds\n`);
  console.log(
    `${"round".padEnd(8)}${["sold", "charged", "refunded", "rejected", "seconds"].map((name) => name.padStart(10)).join("")}`,
  );
  const all = { sold: 0, charged: 0, refunded: 0, rejected: 0 };
  const started = performance.now();
  const line = (name: string, { sold, charged, refunded, rejected }: typeof all, from: number) =>
    console.log(
      `${name.padEnd(8)}${[sold, charged, refunded, rejected, ((performance.now() - from) / 1000).toFixed(1)].map((value) => String(value).padStart(10)).join("")}`,
    );
  for (let round = 1; round <= rounds; round += 1) {
    const from = performance.now();
    const outcome = await playRound(buyers, day);
    for (const name of ["sold", "charged", "refunded", "rejected"] as const)
      all[name] += outcome[name];
    line(String(round), outcome, from);
    for (const problem of outcome.wrong) {
      passed = false;
      console.error(`✘ round ${round}: ${problem}`);
    }
  }
  line("all", all, started);
} finally {
  for (const app of apps) app.stop();
  await sql.end({ timeout: 1 });
  await stripe.stop();
  await listener.close();
  await mailServer.close();
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = passed ? 0 : 1;
