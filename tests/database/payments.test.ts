/** Who may read payments and refunds, and that together refunds never exceed a payment. */
import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const { person, service, sql, anonymous } = await startDatabase();

const owner = await person();
const stranger = await person();
const admin = await person({ admin: true, secondStep: true });
const [job] = await sql(
  `insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
   values ('Baker', 85, 'Bake.', '{Oregon}', 'X', 'Y', $1) returning id`,
  [owner.id],
);
const [order] = await sql(
  `insert into public.orders (kind, job_id, days, unit_price_cents, owner, status, paid_at)
   values ('job', $1, 45, 500, $2, 'paid', now()) returning id`,
  [job!["id"], owner.id],
);
await sql(
  `insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
   values ('pi_1', 'job', 'purchase', $1, $2, 500, 'usd', now())`,
  [owner.id, order!["id"]],
);
await sql(
  "insert into public.refunds (payment_id, cents, reason, note) values ('pi_1', 100, 'team', 'Our words')",
);
// Someone else's, so that there is more to see than one's own.
await sql(
  `insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
   values ('pi_2', 'job', 'purchase', $1, $2, 500, 'usd', now())`,
  [admin.id, order!["id"]],
);
await sql("insert into public.refunds (payment_id, cents, reason) values ('pi_2', 100, 'team')");

describe("refunds", () => {
  it("are read by who paid, and by admins, without what the team wrote", async () => {
    const read = async (by: typeof owner) =>
      (await by.select("refunds", "select=payment_id,cents,status,reason&order=payment_id")).rows;
    expect(await read(owner)).toEqual([
      { payment_id: "pi_1", cents: 100, status: "requested", reason: "team" },
    ]);
    expect(await read(stranger)).toEqual([]);
    expect(await read(admin)).toHaveLength(2);
    expect((await anonymous.select("refunds", "select=id")).status).toBeGreaterThanOrEqual(400);
    for (const column of ["note", "requested_by", "stripe_id", "attempt"])
      expect((await owner.select("refunds", `select=${column}`)).status).toBe(403);
  });

  it("never exceed a payment together, however many are requested at once", async () => {
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => sql("select private.add_refund('pi_1', 150, 'team')")),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    const [sum] = await sql(
      "select sum(cents)::int as cents from public.refunds where payment_id = 'pi_1'",
    );
    expect(sum).toEqual({ cents: 400 });
  });
});

describe("payments", () => {
  it("are read by who paid, and by admins, and written by no one", async () => {
    const read = async (by: typeof owner) =>
      (await by.select("payments", "select=id&order=id")).rows;
    expect(await read(owner)).toEqual([{ id: "pi_1" }]);
    expect(await read(stranger)).toEqual([]);
    expect(await read(admin)).toHaveLength(2);
    expect((await service.select("payments", "select=id")).rows).toHaveLength(2);
  });
});

describe("canceling newsletters that are paid for", () => {
  /** A sponsorship of the owner's, paid for unless stated, at 45 dollars for each newsletter. */
  async function sponsorship(
    dates: string | string[],
    { paid = true, recorded = true } = {},
  ): Promise<number> {
    const newsletters = [dates].flat();
    const [place] = await sql(
      `insert into public.places (name, category, status, state, owner)
       values ('Café X', 4, 'published', 'NM', $1) returning id`,
      [owner.id],
    );
    const [made] = await sql(
      `insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates, paid)
       values ($1, 'Hello', $2, $3::date[], $4) returning id`,
      [place!["id"], owner.id, `{${newsletters.join(",")}}`, paid],
    );
    const id = Number(made!["id"]);
    if (!paid) return id;
    for (const date of newsletters) {
      await sql(
        `insert into public.sponsorship_dates (weekday_date) values ($1) on conflict do nothing`,
        [date],
      );
      await sql(
        "insert into public.sponsorship_spots (sponsorship_id, weekday_date) values ($1, $2)",
        [id, date],
      );
      await sql(
        "update public.sponsorship_dates set paid_count = paid_count + 1 where weekday_date = $1",
        [date],
      );
    }
    const [bought] = await sql(
      `insert into public.orders (kind, sponsorship_id, quantity, unit_price_cents, owner, status, paid_at)
       values ('sponsorship', $1, $2, 4500, $3, 'paid', now()) returning id`,
      [id, newsletters.length, owner.id],
    );
    if (recorded)
      await sql(
        `insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
         values ('pi_of_' || $1, 'sponsorship', 'purchase', $2, $3, $4, 'usd', now())`,
        [String(id), owner.id, bought!["id"], 4500 * newsletters.length],
      );
    return id;
  }
  /** A Tuesday, some weeks ahead. */
  const tuesdayIn = (weeks: number) => {
    const [tuesday, week] = [Date.UTC(2026, 0, 6), 7 * 86_400_000];
    const past = Math.floor((Date.now() - tuesday) / week);
    return new Date(tuesday + (past + weeks) * week).toISOString().slice(0, 10);
  };
  const FAR = tuesdayIn(20);
  const cancel = (id: number, dates: string[], by = owner) =>
    by.call("cancel_sponsorship_dates", { sponsorship_id: id, dates });

  it("requests the refund and frees the spot, once", async () => {
    const id = await sponsorship(FAR);
    expect((await cancel(id, [FAR])).status).toBe(200);
    expect(await cancel(id, [FAR])).toMatchObject({ message: "dates_not_booked" });
    expect(
      await sql("select cents::int, reason from public.refunds where payment_id = $1", [
        `pi_of_${id}`,
      ]),
    ).toEqual([{ cents: 4500, reason: "canceled" }]);
    expect(
      await sql("select from public.sponsorship_spots where sponsorship_id = $1", [id]),
    ).toEqual([]);
  });

  it("is possible until the last day for it is over everywhere on Earth, at noon UTC", async () => {
    const id = await sponsorship(FAR);
    const setDays = (later: number) =>
      sql(
        `insert into private.settings (name, enabled, days)
           values ('cancellation_days', true, $1::date - (now() at time zone 'UTC' - interval '12 hours')::date + $2)
         on conflict (name) do update set days = excluded.days`,
        [FAR, later],
      );
    await setDays(1);
    expect(await cancel(id, [FAR])).toMatchObject({ message: "cancellation_too_late" });
    await setDays(0);
    // On the day of the newsletter, it has been sent.
    const letItBe = (day: string) =>
      sql(`create or replace function private.today() returns date language sql stable set search_path = ''
        as $$ select ${day} $$`);
    await letItBe(`date '${FAR}'`);
    expect(await cancel(id, [FAR])).toMatchObject({ message: "cancellation_too_late" });
    await letItBe("(now() at time zone 'UTC')::date");
    expect((await cancel(id, [FAR])).status).toBe(200);
    await sql("delete from private.settings where name = 'cancellation_days'");
  });

  it("is refused when it is not paid for, not recorded, not booked, too late, disputed, or not one's own", async () => {
    const [soon] = await sql(
      "select min(d)::date::text as day from generate_series(private.today(), private.today() + 6, interval '1 day') d where private.is_newsletter_day(d::date)",
    );
    const near = String(soon!["day"]);
    await sql(
      "insert into private.settings (name, enabled, days) values ('cancellation_days', true, 30)",
    );
    const refused = async (id: number, dates: string[]) => (await cancel(id, dates)).message;
    expect(await refused(await sponsorship(FAR, { paid: false }), [FAR])).toBe(
      "sponsorship_not_paid",
    );
    expect(await refused(await sponsorship(FAR, { recorded: false }), [FAR])).toBe(
      "payment_not_recorded",
    );
    expect(await refused(await sponsorship(near), [near])).toBe("cancellation_too_late");
    const booked = await sponsorship(tuesdayIn(22));
    expect(await refused(booked, [FAR])).toBe("dates_not_booked");
    expect(await refused(booked, [])).toBe("dates_not_booked");
    await sql("update public.payments set dispute = 'open' where id = $1", [`pi_of_${booked}`]);
    expect(await refused(booked, [tuesdayIn(22)])).toBe("cancellation_disputed");
    expect((await cancel(booked, [tuesdayIn(22)], stranger)).status).toBe(403);
    await sql("delete from private.settings where name = 'cancellation_days'");
  });

  it("never refunds the rest of the payment for some of the newsletters, after the team refunded a part", async () => {
    const NEXT = tuesdayIn(21);
    const id = await sponsorship([FAR, NEXT]);
    await sql("select private.add_refund($1, 4500, 'team')", [`pi_of_${id}`]);
    const refunds = async () =>
      (
        await sql(
          "select cents::int, reason from public.refunds where payment_id = $1 order by created_at",
          [`pi_of_${id}`],
        )
      ).map(({ cents, reason }) => [cents, reason]);

    expect(await cancel(id, [FAR])).toMatchObject({ message: "cancellation_refunded_before" });
    expect(await refunds()).toEqual([[4500, "team"]]);
    expect(
      await sql("select from public.sponsorship_spots where sponsorship_id = $1", [id]),
    ).toHaveLength(2);

    expect((await cancel(id, [FAR, NEXT])).status).toBe(200);
    expect(await refunds()).toEqual([
      [4500, "team"],
      [4500, "canceled"],
    ]);
  });

  it("is for who paid: on the terms of their order, and not for the sponsorship's next owner", async () => {
    const id = await sponsorship(FAR);
    await sql("update public.orders set cancellation_days = 1 where sponsorship_id = $1", [id]);
    const days = async (by: typeof owner) =>
      (await by.call("cancellation_days", { sponsorship_id: id })).value;
    expect(await days(owner)).toBe(1);
    expect(await days(stranger)).toBe(3);

    await sql("update public.sponsorships set owner = $1 where id = $2", [stranger.id, id]);
    expect(await cancel(id, [FAR], stranger)).toMatchObject({ message: "sponsorship_not_paid" });
    expect(await sql("select from public.refunds where payment_id = $1", [`pi_of_${id}`])).toEqual(
      [],
    );
  });
});

it("an admin’s refund names the payment of the order, its currency, an amount, and a reason", async () => {
  const ask = async (fields: Record<string, unknown>) =>
    (
      await admin.call("request_refund", {
        order_id: order!["id"],
        payment_id: "pi_2",
        cents: 1,
        currency: "usd",
        note: "Asked",
        ...fields,
      })
    ).message;
  expect(await ask({ payment_id: "pi_none" })).toBe("refund_other_order");
  expect(await ask({ currency: "eur" })).toBe("refund_other_currency");
  expect(await ask({ cents: 0 })).toBe("refund_amount_missing");
  expect(await ask({ cents: -1 })).toBe("refund_amount_missing");
  expect(await ask({ note: " " })).toBe("refund_reason_missing");
  expect(await ask({ cents: 401 })).toBe("refund_exceeds_payment");
  const [left] = await sql(
    "select sum(private.refundable_cents(id))::int as cents from public.payments where order_id = $1",
    [order!["id"]],
  );
  expect(await ask({ left_cents: Number(left!["cents"]) + 1 })).toBe("refund_changed");
  const form = { cents: 400, refund_id: randomUUID(), left_cents: left!["cents"] };
  expect(await ask(form)).toBeUndefined();
  // The same form sent twice is one refund.
  expect(await ask(form)).toBeUndefined();
  expect(await ask({ ...form, cents: 1 })).toBe("refund_asked_before");
  expect(await ask({ cents: 1 })).toBe("refund_exceeds_payment");
  await sql("update public.payments set dispute = 'lost' where id = 'pi_2'");
  expect(await ask({})).toBe("payment_disputed");
});

it.each([0, 61, null])("the deadline for canceling newsletters can't be %s days", async (days) => {
  expect(await admin.call("set_cancellation_days", { days })).toMatchObject({
    status: 400,
    message: "cancellation_days_range",
    details: "days",
  });
  expect((await admin.call("cancellation_days")).value).toBe(3);
});

describe("a plan", () => {
  it("shows its price to the account that pays, and to the listing's next owner only that there is a plan", async () => {
    const [place] = await sql(
      `insert into public.places (name, category, status, state, owner)
       values ('Café Y', 4, 'published', 'NM', $1) returning id::int`,
      [owner.id],
    );
    const id = place!["id"];
    await sql(
      `insert into public.subscriptions (id, place_id, owner, stripe_customer_id, status, started_at, plan, cents, months)
       values ('sub_plan', $1, $2, 'cus_1', 'active', now(), 'monthly_bipoc', 2900, 1)`,
      [id, owner.id],
    );
    const planFor = async (by: typeof owner) => (await by.call("my_plan", { place_id: id })).value;
    expect(await planFor(owner)).toMatchObject({ mine: true, cents: 2900, plan: "monthly_bipoc" });
    expect(await planFor(stranger)).toBeNull();
    await sql("update public.places set owner = $1 where id = $2", [stranger.id, id]);
    expect(await planFor(stranger)).toEqual({ mine: false, status: "active", live: true });
    expect(await planFor(owner)).toBeNull();
  });

  it("that is paid for keeps its listing Featured, also beside a newer one whose money is on its way", async () => {
    const [place] = await sql(
      `insert into public.places (name, category, status, state, owner)
       values ('Café W', 4, 'published', 'NM', $1) returning id::int`,
      [owner.id],
    );
    const id = place!["id"];
    const [awaited] = await sql(
      `insert into public.orders (kind, place_id, plan, unit_price_cents, owner, status)
       values ('upgrade', $1, 'monthly', 4900, $2, 'processing') returning id`,
      [id, owner.id],
    );
    await sql(
      `insert into public.subscriptions (id, place_id, order_id, owner, stripe_customer_id, status, started_at)
       values ('sub_paid', $1, null, $2, 'cus_1', 'active', now() - interval '1 day'),
         ('sub_awaited', $1, $3, $2, 'cus_1', 'active', now())`,
      [id, owner.id, awaited!["id"]],
    );
    await sql("select private.update_featured($1)", [id]);
    expect((await sql("select premium from public.places where id = $1", [id]))[0]).toEqual({
      premium: true,
    });
    expect((await owner.call("my_plan", { place_id: id })).value).toMatchObject({
      subscription: "sub_paid",
    });
  });

  it("has no first month at the lower price before another one's checkout is known to be unpaid", async () => {
    const buyer = await person();
    const open = async (checked: string[] = []) => {
      const [place] = await sql(
        "insert into public.places (name, category, status, state, owner) values ('Y', 4, 'published', 'NM', $1) returning id::int",
        [buyer.id],
      );
      const { value } = await service.call("open_order", {
        buyer: buyer.id,
        kind: "upgrade",
        item_id: place!["id"],
        plan: "monthly",
        unit_price_cents: 4900,
        coupon: "FIRST",
        checked,
      });
      return value as { order?: { id: string; coupon: string }; check?: object[] };
    };
    const { order: first } = await open();
    await sql(
      "update public.orders set stripe_checkout_session_id = 'cs_over', expires_at = now() where id = $1",
      [first!.id],
    );
    expect(await open()).toEqual({ check: [{ order: first!.id, session: "cs_over", own: false }] });
    expect(await open(["cs_over"])).toMatchObject({ order: { coupon: "FIRST" } });
  });

  it("has its first month at the lower price for one's own listings alone", async () => {
    const [mine] = await sql(
      "insert into public.places (name, category, status, state, owner) values ('Z', 4, 'published', 'NM', $1) returning id::int",
      [stranger.id],
    );
    const { value } = await stranger.call("my_first_months");
    expect(value).toContain(mine!["id"]);
    const others = await sql("select id::int from public.places where owner is distinct from $1", [
      stranger.id,
    ]);
    for (const { id } of others) expect(value).not.toContain(id);
  });
});

it("what an admin wrote about a refund is deleted with the buyer, and the refund stays in the books", async () => {
  const buyer = await person();
  const [bought] = await sql(
    `insert into public.orders (kind, job_id, days, unit_price_cents, owner, status, paid_at)
     values ('job', $1, 45, 500, $2, 'paid', now()) returning id`,
    [job!["id"], buyer.id],
  );
  await sql(
    `insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
     values ('pi_erased', 'job', 'purchase', $1, $2, 500, 'usd', now())`,
    [buyer.id, bought!["id"]],
  );
  await sql(
    `insert into public.refunds (payment_id, cents, status, reason, note)
     values ('pi_erased', 100, 'succeeded', 'team', 'Vera told us about her move.')`,
  );
  await sql("select private.erase_user($1)", [buyer.id]);
  expect(
    await sql("select cents::int, note from public.refunds where payment_id = 'pi_erased'"),
  ).toEqual([{ cents: 100, note: null }]);
});
