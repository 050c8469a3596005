/** For how many days an order makes its job live: the caller of open_order says it, the order stores it. */
import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql, service } = database;
let owner: Caller;
let place = 0;
let sessions = 0;

beforeAll(async () => {
  owner = await database.person();
  place = await database.place({ owner: owner.id });
});

async function createJob(): Promise<number> {
  const [job] = await sql(
    `insert into public.jobs (title, category, description, location, place_id, owner)
     values ('Baker', 85, 'Bake.', '{New Mexico}', $1, $2) returning id`,
    [place, owner.id],
  );
  return Number(job?.id);
}

interface OpenOrder {
  order: { id: string; attempt: number };
}
const openOrder = (job: number, days: number | null, more: Row = {}) =>
  service.call("open_order", {
    buyer: owner.id,
    kind: "job",
    item_id: job,
    unit_price_cents: 500,
    days,
    ...more,
  });

/** Opens an order for a job and records that it was paid; returns its id. */
async function pay(job: number, days: number): Promise<string> {
  const { order } = (await openOrder(job, days, { renew: true })).value as OpenOrder;
  sessions += 1;
  const session = `cs_${sessions}`;
  await service.call("record_checkout_session", {
    order_id: order.id,
    attempt: order.attempt,
    session_id: session,
    customer_id: "cus_1",
  });
  await record(order.id, {
    payments: [paymentOf(`pi_${sessions}`)],
    session: {
      id: session,
      state: "paid",
      subtotal_cents: 500,
      paid_cents: 500,
      currency: "usd",
      payment_intent: `pi_${sessions}`,
    },
  });
  return order.id;
}

const paymentOf = (id: string, refunds: Row[] = []) => ({
  id,
  reason: "purchase",
  cents: 500,
  currency: "usd",
  paid_at: new Date().toISOString(),
  refunds,
});

/** As if the team had refunded an order in full at Stripe. */
async function refund(order: string) {
  const [row] = await sql(
    "select stripe_payment_intent_id as id from public.orders where id = $1",
    [order],
  );
  const id = String(row!.id);
  const made_at = new Date().toISOString();
  await record(order, {
    payments: [paymentOf(id, [{ id: `re_${id}`, cents: 500, status: "succeeded", made_at }])],
  });
}

async function record(order: string, facts: Row) {
  const { seen } = (await service.call("payment_target", { order_id: order })).value as Row;
  const { value } = await service.call("record_payment", {
    order_id: order,
    subscription_id: null,
    seen,
    facts,
  });
  return value as Row;
}

/** How many days a job is live still; null when it is not paid for. */
async function daysLeft(job: number): Promise<number | null> {
  const [row] = await sql(
    `select paid, extract(epoch from expiration_date - now()) / 86400 as days
     from public.jobs where id = $1`,
    [job],
  );
  return row?.paid ? Number(row.days) : null;
}

describe("an order for a job", () => {
  it("makes the job live for its days, adds those of a renewal, and removes its own when it is refunded", async () => {
    const job = await createJob();
    await pay(job, 10);
    expect(await daysLeft(job)).toBeCloseTo(10, 2);
    const renewal = await pay(job, 3);
    expect(await daysLeft(job)).toBeCloseTo(13, 2);
    await refund(renewal);
    expect(await daysLeft(job)).toBeCloseTo(10, 2);
  });

  /** Lets days go by for a job and its orders. */
  async function wait(job: number, days: number) {
    await sql(
      "update public.jobs set expiration_date = expiration_date - make_interval(days => $2) where id = $1",
      [job, days],
    );
    await sql(
      `update public.orders set paid_at = paid_at - make_interval(days => $2),
         created_at = created_at - make_interval(days => $2) where job_id = $1`,
      [job, days],
    );
  }

  it("that is refunded after its days leaves those that were paid for since", async () => {
    const job = await createJob();
    const first = await pay(job, 45);
    await wait(job, 60);
    await pay(job, 45);
    await refund(first);
    expect(await daysLeft(job)).toBeCloseTo(45, 2);
    expect(await database.row("jobs", job)).toMatchObject({ paid: true, published: true });
  });

  it("that is refunded while its days run loses only those that are left of them", async () => {
    const job = await createJob();
    const first = await pay(job, 10);
    await wait(job, 4);
    await pay(job, 3);
    await wait(job, 2);
    expect(await daysLeft(job)).toBeCloseTo(7, 2);
    await refund(first);
    expect(await daysLeft(job)).toBeCloseTo(3, 2);
  });

  it("that is refunded ends the job at once when the days before it were used", async () => {
    const job = await createJob();
    await pay(job, 10);
    await wait(job, 12);
    const second = await pay(job, 10);
    await wait(job, 3);
    await refund(second);
    expect(await daysLeft(job)).toBeCloseTo(0, 2);
  });

  it("loses its days in a dispute only when the lost and refunded amounts cover what was paid", async () => {
    const job = await createJob();
    const order = await pay(job, 10);
    const [{ id }] = (await sql("select id from public.payments where order_id = $1", [order])) as [
      { id: string },
    ];
    const at = new Date().toISOString();
    const lose = (cents: number, refunded = 0) =>
      record(order, {
        payments: [
          {
            ...paymentOf(
              id,
              refunded
                ? [{ id: `re_${id}`, cents: refunded, status: "succeeded", made_at: at }]
                : [],
            ),
            dispute: { state: "lost", cents, opened_at: at },
          },
        ],
      });
    await lose(100);
    expect(await daysLeft(job)).toBeCloseTo(10, 2);
    expect(
      await sql("select status, revoked_at from public.orders where id = $1", [order]),
    ).toEqual([{ status: "disputed", revoked_at: null }]);
    await lose(100, 400);
    expect(await daysLeft(job)).toBeNull();
  });

  it("leaves the job unpaid when its only days are refunded", async () => {
    const job = await createJob();
    await refund(await pay(job, 10));
    expect(await database.row("jobs", job)).toMatchObject({
      paid: false,
      published: false,
      expiration_date: null,
    });
  });

  it("is refused without a number of days", async () => {
    expect(await openOrder(await createJob(), null)).toMatchObject({
      code: "P0001",
      message: "order_days_missing",
    });
  });

  it("keeps its days: another number of days is another order", async () => {
    const job = await createJob();
    const first = (await openOrder(job, 10)).value as OpenOrder;
    await expect(
      sql("update public.orders set days = 20 where id = $1", [first.order.id]),
    ).rejects.toThrow(/order_item_fixed/);
    expect(((await openOrder(job, 10)).value as OpenOrder).order.id).toBe(first.order.id);
    const second = (await openOrder(job, 20)).value as OpenOrder;
    const orders = await sql(
      "select id, days, status from public.orders where job_id = $1 order by created_at",
      [job],
    );
    expect(orders).toEqual([
      { id: first.order.id, days: 10, status: "canceled" },
      { id: second.order.id, days: 20, status: "open" },
    ]);
  });
});

describe("the order of a job that is deleted", () => {
  const remove = (job: number) => sql("delete from public.jobs where id = $1", [job]);

  it("keeps it while a checkout is open, or money is on its way", async () => {
    for (const change of [
      "stripe_checkout_session_id = 'cs_open', expires_at = now() + interval '1 hour'",
      "status = 'processing'",
    ]) {
      const job = await createJob();
      const { order } = (await openOrder(job, 30)).value as OpenOrder;
      await sql(`update public.orders set ${change} where id = $1`, [order.id]);
      await expect(remove(job)).rejects.toThrow(/order_still_payable/);
    }
  });

  it("is canceled, and says no more what it was for", async () => {
    const job = await createJob();
    const { order } = (await openOrder(job, 30)).value as OpenOrder;
    const before = await database.row("orders", order.id);
    expect(before).toMatchObject({ status: "open", item_name: "Baker" });
    await remove(job);
    const after = await database.row("orders", order.id);
    expect(after).toMatchObject({
      status: "canceled",
      item_name: null,
      seen: Number(before["seen"]) + 1,
    });
    expect(Date.parse(String(after["modified_at"]))).toBeGreaterThan(
      Date.parse(String(before["modified_at"])),
    );
  });

  it("stays paid once it is, whatever is written", async () => {
    const order = await pay(await createJob(), 30);
    for (const status of ["open", "expired", "canceled"])
      await expect(
        sql("update public.orders set status = $2 where id = $1", [order, status]),
      ).rejects.toThrow(/order_stays_paid/);
  });
});

it("stores days only for jobs", async () => {
  await service.call("open_order", {
    buyer: owner.id,
    kind: "upgrade",
    item_id: place,
    plan: "monthly",
    unit_price_cents: 3600,
    days: 45,
  });
  expect(await sql("select days from public.orders where place_id = $1", [place])).toEqual([
    { days: null },
  ]);
});
