/** What people, admins, the auth service, and our server do. Each operation is tried by someone who may not do it, too. */
import { randomUUID } from "node:crypto";

import type { Random } from "../../support/random";
import { as, asServer, createUser } from "../support/real-postgres";

import type { Scene } from "./scene";

export type Operation = (scene: Scene, random: Random) => Promise<unknown>;
type Table = "jobs" | "sponsorships" | "orders" | "payments" | "refunds";

const dateList = (dates: readonly string[]) => `{${dates.join()}}`;
/** A row, and who owns it; undefined while there is none. */
async function anyRow({ sql }: Scene, { pick }: Random, table: Table) {
  const rows = await sql`select * from ${sql(`public.${table}`)} order by ${sql("created_at")}`;
  return rows.length > 0 ? pick([...rows]) : undefined;
}

/** Mostly the owner of a listing, and otherwise someone else. */
async function actorFor({ sql, people }: Scene, { pick, happens }: Random, listing: number) {
  const [row] = await sql`select owner from public.places where id = ${listing}`;
  return happens(0.8) && row?.["owner"] ? { id: String(row["owner"]) } : pick(people);
}

/** Signs someone up again whose account was deleted. It is another account: no id is given twice. */
async function joinAgain(sql: Scene["sql"], person: Scene["people"][number], deleted: string) {
  const remains = await sql`select from auth.users where id = ${deleted}`;
  // Someone else may have deleted the same account at the same time.
  if (remains.length > 0 || person.id !== deleted) return;
  person.id = randomUUID();
  await createUser(sql, person.id, person.email);
}

const owners: Record<string, Operation> = {
  editListing: ({ sql, people, listings }, { pick }) =>
    as(
      sql,
      pick(people),
      (db) => db`
        update public.places set description = ${pick(["Bread", "Cake", "Tea"])} where id = ${pick(listings)}`,
    ),
  editAsManager: ({ sql, people, listings }, { pick }) =>
    as(
      sql,
      pick(people),
      (db) => db`
        update public.managed_places set description = ${pick(["Soup", "Rice"])} where id = ${pick(listings)}`,
    ),
  async hideOrShow(scene, random) {
    const id = random.pick(scene.listings);
    const [hidden, removed] = [random.happens(0.2), random.happens(0.1)];
    await as(
      scene.sql,
      await actorFor(scene, random, id),
      (db) =>
        db`update public.places set hidden = ${hidden}, archive_requested = ${removed} where id = ${id}`,
    );
  },
  async claim({ sql, people, listings }, { pick, happens }) {
    const [person, id] = [pick(people), pick(listings)];
    if (happens(0.3))
      await sql`update public.places set owner_email = ${person.email} where id = ${id} and owner is null`;
    return as(sql, person, (db) => db`update public.places set phone = '1' where id = ${id}`);
  },
  async invite(scene, random) {
    const [id, token] = [randomUUID(), randomUUID() + randomUUID()];
    const listing = random.pick(scene.listings);
    await as(
      scene.sql,
      await actorFor(scene, random, listing),
      (db) => db`
        select public.invite_manager(${id}, ${listing}, ${random.pick(scene.people).email}, ${token})`,
    );
    scene.invitations.push({ id, token });
  },
  async acceptInvitation({ sql, people, invitations }, { pick }) {
    if (invitations.length === 0) return;
    const { token } = pick(invitations);
    await as(sql, pick(people), (db) => db`select public.accept_invitation(${token})`);
  },
  async withdrawInvitation({ sql, people, invitations }, { pick }) {
    if (invitations.length === 0) return;
    const { id } = pick(invitations);
    await as(sql, pick(people), (db) => db`select public.withdraw_invitation(${id})`);
  },
  removeManager: ({ sql, people, listings }, { pick }) =>
    as(
      sql,
      pick(people),
      (db) => db`select public.remove_manager(${pick(listings)}, ${pick(people).id})`,
    ),
  async addJob(scene, random) {
    const id = random.pick(scene.listings);
    await as(
      scene.sql,
      await actorFor(scene, random, id),
      (db) => db`
        insert into public.jobs (title, category, description, location, place_id)
        values ('Baker', 85, 'Bread', '{Remote}', ${id})`,
    );
  },
  async editJob(scene, random) {
    const job = await anyRow(scene, random, "jobs");
    if (!job) return;
    await as(
      scene.sql,
      random.pick(scene.people),
      (db) => db`update public.jobs set published = not published where id = ${job["id"]}`,
    );
  },
  async addSponsorship(scene, random) {
    const id = random.pick(scene.listings);
    await as(
      scene.sql,
      await actorFor(scene, random, id),
      (db) => db`
        insert into public.sponsorships (place_id, promo_text, sponsorship_dates)
        values (${id}, 'Come in', ${dateList(random.some(scene.newsletters))}::date[])`,
    );
  },
  async editSponsorship(scene, random) {
    const sponsorship = await anyRow(scene, random, "sponsorships");
    if (!sponsorship) return;
    const { id, owner } = sponsorship;
    const dates = dateList(random.some(scene.newsletters));
    await as(scene.sql, { id: owner as string }, (db) =>
      random.pick([
        () =>
          db`update public.sponsorships set sponsorship_dates = ${dates}::date[] where id = ${id}`,
        () =>
          db`update public.sponsorships set place_id = ${random.pick(scene.listings)} where id = ${id}`,
        () => db`select public.release_sponsorship_dates(${id})`,
        () => db`select public.cancel_sponsorship_dates(${id}, ${dates}::date[])`,
        () => db`delete from public.sponsorships where id = ${id}`,
      ])(),
    );
  },
};

const visitors: Record<string, Operation> = {
  writeToListing: ({ sql, people, listings }, { pick }) =>
    as(
      sql,
      pick(people),
      (db) => db`
        insert into public.leads (place_id, requester_name, message, requester_email)
        values (${pick(listings)}, 'Noor', 'Hello', 'noor@example.test')`,
    ),
  favor: ({ sql, people, listings }, { pick, happens }) => {
    const person = pick(people);
    return as(sql, person, (db) =>
      happens(0.5)
        ? db`insert into public.favorites (user_id, place_id) values (${person.id}, ${pick(listings)})
            on conflict do nothing`
        : db`delete from public.favorites where user_id = ${person.id}`,
    );
  },
  move: ({ sql, people }, { pick }) =>
    as(sql, pick(people), (db) => db`select public.set_my_position(${pick([0, 1])}, 0)`),
};

const admins: Record<string, Operation> = {
  give: ({ sql, admins: team, people, listings }, { pick }) =>
    as(
      sql,
      pick(team),
      (db) => db`
        update public.places set owner = ${pick([...people, null])?.id ?? null} where id = ${pick(listings)}`,
    ),
  async decide({ sql, admins: team, listings }, { pick, some, happens }) {
    const [admin, batch] = [pick(team), randomUUID()];
    const action = pick(["approve", "approve", "approve", "flag", "archive", "reopen", "reject"]);
    const rows =
      await sql`select id::int, version from public.places where id = any (${some(listings)})`;
    await as(
      sql,
      admin,
      (db) => db`
        select public.decide_listings(${batch}, ${action}, 'Because', ${JSON.stringify(rows)}::text::jsonb)`,
    );
    if (happens(0.5)) await as(sql, admin, (db) => db`select public.undo_decisions(${batch})`);
  },
  review: ({ sql, admins: team }, { pick }) =>
    as(sql, pick(team), (db) => db`select public.lock_next_listing_for_review(null)`),
  async deleteAccount({ sql, admins: team, people }, { pick, happens }) {
    if (happens(0.9)) return;
    const [admin, person] = [pick(team), pick(people)];
    const { id } = person;
    await as(sql, admin, (db) => db`select public.admin_delete_user(${id})`);
    await joinAgain(sql, person, id);
  },
  changeTeam: ({ sql, admins: team }, { pick, happens }) =>
    as(
      sql,
      pick(team),
      (db) => db`update public.profiles set admin = ${happens(0.7)} where id = ${pick(team).id}`,
    ),
  blockNewsletters: ({ sql, admins: team, newsletters }, { pick, some, happens }) =>
    as(
      sql,
      pick(team),
      (db) => db`
        select public.block_newsletters(${dateList(some(newsletters))}::date[], ${happens(0.3)})`,
    ),
  async refund(scene, random) {
    const payment = await anyRow(scene, random, "payments");
    if (!payment) return;
    const { id, order_id, cents } = payment;
    const part = Math.floor(Number(cents) * random.pick([0.3, 0.5, 1]));
    await as(
      scene.sql,
      random.pick(scene.admins),
      (db) => db`select public.request_refund(${order_id}, ${id}, ${part}, 'usd', 'Sorry')`,
    );
  },
  async retryRefund(scene, random) {
    const refund = await anyRow(scene, random, "refunds");
    if (!refund) return;
    await as(
      scene.sql,
      random.pick(scene.admins),
      (db) => db`select public.retry_refund(${refund["id"]}, 4)`,
    );
  },
};

const services: Record<string, Operation> = {
  async changeAddress({ sql, people }, { pick }) {
    const { id, email } = pick(people);
    await sql`update auth.users set email = ${pick(["", "new-"]) + email} where id = ${id}`;
  },
  async eraseDueAccount({ sql, people }, { pick, happens }) {
    if (happens(0.9)) return;
    const person = pick(people);
    const { id } = person;
    await sql`insert into private.account_deletions (user_id, due_at) values (${id}, now()) on conflict do nothing`;
    await asServer(sql, (db) => db`select public.erase_due_account(${id})`);
    await joinAgain(sql, person, id);
  },
  async openCheckout(scene, random) {
    const { sql, stripe, listings } = scene;
    const kind = random.pick(["job", "sponsorship", "upgrade"]);
    const [listing] =
      await sql`select id, owner from public.places where id = ${random.pick(listings)}`;
    const item =
      kind === "upgrade"
        ? listing!
        : await anyRow(scene, random, kind === "job" ? "jobs" : "sponsorships");
    if (!item?.["owner"]) return;
    const isPlan = kind === "upgrade";
    const cents = isPlan ? 4900 : kind === "job" ? 5000 : null;
    // The app has asked Stripe about each checkout that it knows of.
    const [opened] = await asServer(
      sql,
      (db) => db`
        select public.open_order(${item["owner"]}, ${kind}, ${item["id"]}, ${isPlan ? "monthly" : null}, ${cents},
          ${isPlan ? "FIRST" : null}, true, 30,
          array(select stripe_checkout_session_id from public.orders where stripe_checkout_session_id is not null))
          -> 'order' as order`,
    );
    const order = opened!["order"] as {
      id: string;
      attempt: number;
      unit_price_cents: number;
      quantity: number;
    } | null;
    if (!order) return;
    const id = stripe.nextId("cs");
    const [recorded] = await asServer(
      sql,
      (db) => db`
        select public.record_checkout_session(${order.id}, ${order.attempt}, ${id}, 'cus_1') as done`,
    );
    const price = order.unit_price_cents * order.quantity;
    if (recorded!["done"]) stripe.openCheckout(id, order.id, price, isPlan);
  },
  async letCheckoutExpire(scene, random) {
    const order = await anyRow(scene, random, "orders");
    if (!order) return;
    await scene.sql`
      update public.orders set expires_at = now() - interval '1 minute' where id = ${order["id"]} and paid_at is null`;
  },
  async letHoldsExpire({ sql }) {
    await sql`update public.sponsorship_spots set held_until = now() - interval '1 minute' where held_until is not null`;
    await sql`delete from private.newsletter_holds`;
  },
};

const atStripe: Record<string, Operation> = {
  async payOrNot({ stripe }, random) {
    const checkout = random.pick([...stripe.checkouts.values()]);
    if (!checkout) return;
    if (checkout.state === "open")
      checkout.state = random.pick(["paid", "paid", "expired", "processing"]);
    else if (checkout.state === "processing") checkout.state = random.pick(["paid", "failed"]);
    if (checkout.isPlan && ["paid", "processing"].includes(checkout.state))
      checkout.subscription ??= "active";
    await stripe.record(checkout, random);
  },
  async changePlan({ stripe }, random) {
    const checkout = random.pick(
      [...stripe.checkouts.values()].filter(({ subscription }) => subscription !== null),
    );
    if (!checkout || checkout.subscription === "canceled") return;
    checkout.subscription = random.pick(["active", "past_due", "unpaid", "canceled"]);
    await stripe.record(checkout, random);
  },
  async dispute({ stripe }, random) {
    const checkout = random.pick([...stripe.checkouts.values()]);
    if (checkout?.state !== "paid" || random.happens(0.5)) return;
    if (checkout.dispute === null) checkout.dispute = "open";
    else if (checkout.dispute === "open") checkout.dispute = random.pick(["won", "lost"]);
    await stripe.record(checkout, random);
  },
  async makeRequestedRefunds({ sql, stripe }, random) {
    const requested = await sql`
      select r.id, r.attempt, r.cents, r.payment_id from public.refunds r
      join public.payments p on p.id = r.payment_id
      where r.status = 'requested' and (p.dispute is null or p.dispute = 'won') limit 3`;
    for (const { id, attempt, cents, payment_id } of requested) {
      const checkout = stripe.checkouts.get(String(payment_id).replace("pi_", ""));
      const key = `${String(id)}-${String(attempt)}`;
      if (!checkout) continue;
      // Stripe makes the same attempt once.
      if (!stripe.refunds.has(key) && Number(cents) <= stripe.refundable(checkout))
        stripe.refunds.set(key, {
          id: stripe.nextId("re"),
          checkout,
          cents: Number(cents),
          status: random.pick(["succeeded", "pending"]),
          ours: { refund: String(id), attempt: String(attempt) },
        });
      await stripe.record(checkout, random);
    }
  },
  async refundElsewhere({ stripe }, random) {
    const checkout = random.pick([...stripe.checkouts.values()]);
    if (checkout?.state !== "paid" || random.happens(0.7)) return;
    const left = stripe.refundable(checkout);
    if (left <= 0) return;
    const id = stripe.nextId("re");
    const cents = Math.max(1, Math.floor(left * random.pick([0.3, 1])));
    stripe.refunds.set(id, { id, checkout, cents, status: "succeeded", ours: null });
    await stripe.record(checkout, random);
  },
  async settleRefund({ stripe }, random) {
    const refund = random.pick([...stripe.refunds.values()]);
    if (!refund || refund.status === "failed") return;
    refund.status = random.pick(["succeeded", "succeeded", "failed"]);
    await stripe.record(refund.checkout, random);
  },
};

export const operations: Record<string, Operation> = {
  ...owners,
  ...visitors,
  ...admins,
  ...services,
  ...atStripe,
};

/** What is chosen from: buying, which takes several steps, more often than the rest. */
export const choices: string[] = [
  ...Object.keys(operations),
  ...["addJob", "addSponsorship", "openCheckout", "payOrNot"].flatMap((name) => [name, name, name]),
];
