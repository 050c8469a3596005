/**
 * A statement that waits for someone else's change decides again who may do what: from the row as it is
 * then, and with the rights that the caller has then.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { countWaiting, doMeanwhile } from "./support/after-waiting";
import { startDirectory } from "./support/directory-at-work";
import { as, createUser, inTransaction } from "./support/real-postgres";

const { sql, admin, owner, places } = await startDirectory();
type Sql = typeof sql;

async function someone({ admin: isAdmin = false } = {}) {
  const id = randomUUID();
  const email = `${id}@example.test`;
  await createUser(sql, id, email);
  if (isAdmin) await sql`update public.profiles set admin = true where id = ${id}`;
  return { id, email };
}

async function listing(columns: Record<string, unknown> = {}): Promise<number> {
  const row = {
    name: "Café",
    category: 4,
    status: "published",
    state: "NM",
    description: "Bread",
    rawaddress: "1 Main",
    third_party_auth: true,
    certified_queer: true,
    ...columns,
  };
  const [made] = await sql`insert into public.places ${sql(row)} returning id`;
  return Number(made!["id"]);
}
const manage = (id: number, manager: { id: string }) =>
  sql`insert into public.listing_managers (place_id, profile_id) values (${id}, ${manager.id})`;
const demote = (db: Sql, person: { id: string }) =>
  db`update public.profiles set admin = false where id = ${person.id}`;
async function read(table: string, id: unknown) {
  const [row] = await sql`select * from ${sql(`public.${table}`)} where id = ${id as string}`;
  return row!;
}

/** Does `first` in a transaction, and has a person wait for it with `late`. */
const whileWaiting = (
  first: (db: Sql) => PromiseLike<unknown>,
  person: { id: string },
  late: (db: Sql) => PromiseLike<unknown>,
) =>
  doMeanwhile(
    sql,
    (meanwhile) =>
      inTransaction(sql, async (db) => {
        await first(db);
        await meanwhile();
      }),
    () => as(sql, person, async (db) => late(db)),
  );

it("a manager doesn't become the owner of a listing whose owner is deleted or goes", async () => {
  const leaves = [
    async (db: Sql, gone: { id: string }) => {
      await db`select set_config('request.jwt.claims', ${JSON.stringify({ sub: admin.id, session_id: admin.id })}, true),
        set_config('request.jwt.claim.sub', ${admin.id}, true)`;
      await db`select private.admin_delete_user(${gone.id})`;
    },
    (db: Sql, gone: { id: string }) => db`delete from auth.users where id = ${gone.id}`,
    (db: Sql, gone: { id: string }) =>
      db`update public.places set owner = null where owner = ${gone.id}`,
  ];
  for (const leave of leaves) {
    const [gone, manager] = [await someone(), await someone()];
    const id = await listing({ owner: gone.id, owner_email: gone.email });
    await manage(id, manager);
    const outcome = await whileWaiting(
      (db) => leave(db, gone),
      manager,
      (db) => db`update public.managed_places set public_email = 'm@example.test' where id = ${id}`,
    );
    expect(outcome).toBe("rights_ended");
    expect(await read("places", id)).toMatchObject({
      owner: null,
      owner_email: null,
      public_email: null,
    });
  }
});

it("a manager of a listing without an owner edits it, and doesn't own it", async () => {
  const manager = await someone();
  const id = await listing();
  await manage(id, manager);
  await as(
    sql,
    manager,
    (db) => db`update public.managed_places set hidden = true where id = ${id}`,
  );
  expect(await read("places", id)).toMatchObject({ hidden: true, owner: null, owner_email: null });
});

it("a manager who is removed meanwhile changes nothing", async () => {
  const manager = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  await manage(id, manager);
  const outcome = await whileWaiting(
    async (db) => {
      await db`select 1 from public.places where id = ${id} for update`;
      await db`delete from public.listing_managers where place_id = ${id}`;
    },
    manager,
    (db) => db`update public.managed_places set phone = '1' where id = ${id}`,
  );
  expect(outcome).toBe("rights_ended");
  expect(await read("places", id)).toMatchObject({ phone: null, owner: owner.id });
});

it("someone whose address changes meanwhile doesn't claim what has the old one", async () => {
  const person = await someone();
  const id = await listing({ owner_email: person.email });
  const outcome = await whileWaiting(
    async (db) => {
      await db`select 1 from public.places where id = ${id} for update`;
      await db`update auth.users set email = ${`new-${person.email}`} where id = ${person.id}`;
    },
    person,
    (db) => db`update public.places set phone = '1' where id = ${id}`,
  );
  expect(outcome).toBe("rights_ended");
  expect(await read("places", id)).toMatchObject({ phone: null, owner: null });
});

it("an owner whose sessions end meanwhile changes nothing", async () => {
  const person = await someone();
  const id = await listing({ owner: person.id, owner_email: person.email });
  const outcome = await whileWaiting(
    async (db) => {
      await db`select 1 from public.places where id = ${id} for update`;
      await db`delete from auth.sessions where user_id = ${person.id}`;
    },
    person,
    (db) => db`update public.places set phone = '1' where id = ${id}`,
  );
  expect(outcome).toBe("rights_ended");
  expect(await read("places", id)).toMatchObject({ phone: null, owner: person.id });
});

it("an admin who is demoted meanwhile owns and changes nothing of anyone", async () => {
  const other = await someone();
  const [ownerless, owned] = [
    await listing(),
    await listing({ owner: other.id, owner_email: other.email }),
  ];
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
    values ('Baker', 85, 'Bread', '{NM}', 'Fern', 'Bakery', ${other.id}) returning id`;
  const [order] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
    values (${owned}, 'Come in', ${other.id}, '{2099-01-06}') returning id`;
  const [lead] = await sql`
    insert into public.leads (place_id, requester_name, requester_email, message)
    values (${owned}, 'Kai', 'kai@example.test', 'Hello') returning id`;
  const [report] = await sql`
    insert into public.events (event_name, place) values ('report_listing', ${owned}) returning id`;
  const [feedback] =
    await sql`insert into public.feedback (feedback) values ('Lovely') returning id`;
  await sql`insert into public.sponsorship_dates (weekday_date) values ('2099-01-08')`;
  const [paid] = await sql`
    insert into public.orders (kind, days, unit_price_cents) values ('job', 45, 500) returning id`;
  await sql`insert into public.payments (id, kind, reason, order_id, cents, currency, paid_at)
    values ('pi_late', 'job', 'purchase', ${paid!["id"]}, 500, 'usd', now())`;
  const [refund] = await sql`
    insert into public.refunds (payment_id, cents, status, reason)
    values ('pi_late', 500, 'failed', 'team') returning id`;
  const late: [
    table: string,
    id: unknown,
    key: string,
    statement: (db: Sql) => PromiseLike<unknown>,
  ][] = [
    [
      "places",
      ownerless,
      "id",
      (db) => db`update public.places set phone = '1' where id = ${ownerless}`,
    ],
    ["places", owned, "id", (db) => db`update public.places set phone = '1' where id = ${owned}`],
    [
      "jobs",
      job!["id"],
      "id",
      (db) => db`update public.jobs set title = 'Lies' where id = ${job!["id"]}`,
    ],
    [
      "sponsorships",
      order!["id"],
      "id",
      (db) => db`update public.sponsorships set promo_text = 'Lies' where id = ${order!["id"]}`,
    ],
    [
      "profiles",
      other.id,
      "id",
      (db) => db`update public.profiles set full_name = 'Lies' where id = ${other.id}`,
    ],
    [
      "events",
      report!["id"],
      "id",
      (db) => db`update public.events set note = 'Lies' where id = ${report!["id"]}`,
    ],
    ["refunds", refund!["id"], "id", (db) => db`select public.retry_refund(${refund!["id"]}, 20)`],
    [
      "payments",
      "pi_late",
      "id",
      (db) =>
        db`select public.request_refund(${paid!["id"]}, 'pi_late', 1, 'usd', 'Lies', ${randomUUID()})`,
    ],
    [
      "feedback",
      feedback!["id"],
      "id",
      (db) => db`update public.feedback set archived = true where id = ${feedback!["id"]}`,
    ],
    [
      "sponsorship_dates",
      "2099-01-08",
      "weekday_date",
      (db) =>
        db`update public.sponsorship_dates set blocked = true where weekday_date = '2099-01-08'`,
    ],
    [
      "events",
      report!["id"],
      "id",
      (db) => db`select public.update_reports(${[report!["id"]]}::bigint[], 'resolved', 'Lies')`,
    ],
    [
      "feedback",
      feedback!["id"],
      "id",
      (db) => db`select public.archive_feedback(${[feedback!["id"]]}::bigint[], true)`,
    ],
    [
      "sponsorship_dates",
      "2099-01-08",
      "weekday_date",
      (db) => db`select public.block_newsletters('{2099-01-08}', true)`,
    ],
    [
      "places",
      owned,
      "id",
      (db) =>
        db`select public.decide_listings(${randomUUID()}, 'archive', null, ${sql.json([{ id: owned, version: 1 }])})`,
    ],
  ];
  for (const [table, id, key, statement] of late) {
    const demoted = await someone({ admin: true });
    const name = sql(`public.${table}`);
    const where = sql`where ${sql(key)} = ${id as string}`;
    const [before] = await sql`select * from ${name} ${where}`;
    const outcome = await whileWaiting(
      async (db) => {
        await db`select 1 from ${name} ${where} for update`;
        await demote(db, demoted);
      },
      demoted,
      statement,
    );
    expect(["rights_ended", "admins_only"], `${table} ${statement.toString()}`).toContain(outcome);
    expect((await sql`select * from ${name} ${where}`)[0]).toEqual(before);
  }
  expect(await read("leads", lead!["id"])).toMatchObject({ notes: null });
});

it("an admin who is demoted meanwhile undoes nothing", async () => {
  const demoted = await someone({ admin: true });
  const [id] = await places(1, "new");
  const batch = randomUUID();
  await as(
    sql,
    demoted,
    (db) =>
      db`select public.decide_listings(${batch}, 'flag', null, ${sql.json([{ id: id!, version: 1 }])})`,
  );
  const outcome = await whileWaiting(
    async (db) => {
      await db`select 1 from public.places where id = ${id!} for update`;
      await demote(db, demoted);
    },
    demoted,
    (db) => db`select public.undo_decisions(${batch})`,
  );
  expect(outcome).toBe("admins_only");
  expect(await read("places", id)).toMatchObject({ status: "flagged" });
});

it("an admin who is demoted meanwhile blocks no newsletter", async () => {
  const demoted = await someone({ admin: true });
  const [next] = await sql`
    select weekday_date::text as day from public.get_available_sponsorship_dates() limit 1`;
  const day = String(next!["day"]);
  const outcome = await whileWaiting(
    async (db) => {
      await db`select private.lock_newsletters(array[${day}]::date[])`;
      await demote(db, demoted);
    },
    demoted,
    (db) => db`select public.block_newsletters(array[${day}]::date[], true)`,
  );
  expect(outcome).toBe("admins_only");
  const blocked = await sql`select from public.sponsorship_dates where blocked`;
  expect(blocked).toHaveLength(0);
});

it("a former owner and a former manager can write no notes on messages, and read none of them", async () => {
  const [former, manager, next] = [await someone(), await someone(), await someone()];
  for (const person of [former, manager]) {
    const id = await listing({ owner: former.id, owner_email: former.email });
    await manage(id, manager);
    const [lead] = await sql`
      insert into public.leads (place_id, requester_name, requester_email, message)
      values (${id}, 'Kai', 'kai@example.test', 'Hello') returning id`;
    const outcome = await whileWaiting(
      async (db) => {
        await db`select 1 from public.leads where id = ${lead!["id"]} for update`;
        await db`update public.places set owner = ${next.id} where id = ${id}`;
      },
      person,
      (db) => db`update public.leads set notes = 'Lies' where id = ${lead!["id"]} returning id`,
    );
    expect(outcome).toBe("rights_ended");
    expect(await read("leads", lead!["id"])).toMatchObject({ notes: null });
  }
});

it("nor does a manager who is removed meanwhile", async () => {
  const manager = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  await manage(id, manager);
  const [lead] = await sql`
    insert into public.leads (place_id, requester_name, requester_email, message)
    values (${id}, 'Kai', 'kai@example.test', 'Hello') returning id`;
  const outcome = await whileWaiting(
    async (db) => {
      await db`select 1 from public.leads where id = ${lead!["id"]} for update`;
      await db`delete from public.listing_managers where place_id = ${id}`;
    },
    manager,
    (db) => db`update public.leads set notes = 'Lies' where id = ${lead!["id"]}`,
  );
  expect(outcome).toBe("rights_ended");
  expect(await read("leads", lead!["id"])).toMatchObject({ notes: null });
});

it("what is for admins is refused before anything else is said", async () => {
  const person = await someone();
  const calls: ((db: Sql) => PromiseLike<unknown>)[] = [
    (db) => db`select public.decide_listings(${randomUUID()}, 'nonsense')`,
    (db) => db`select public.undo_decisions(${randomUUID()})`,
    (db) => db`select public.update_reports('{}', 'nonsense')`,
    (db) => db`select public.archive_feedback('{}', true)`,
    (db) => db`select public.block_newsletters('{2099-01-05}', true)`,
    (db) => db`select public.retry_refund(${randomUUID()}, 20)`,
    (db) => db`select public.log_plan_end(${randomUUID()})`,
  ];
  for (const call of calls)
    await expect(as(sql, person, async (db) => call(db))).rejects.toThrow("admins_only");
});

it("an admin who is demoted meanwhile deletes no job and no order for newsletters", async () => {
  const owns = await someone();
  const place = await listing({ owner: owns.id, owner_email: owns.email });
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
    values ('Baker', 85, 'Bake.', '{New Mexico}', 'Café', 'Words.', ${owns.id}) returning id`;
  const [sponsorship] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner) values (${place}, 'Hello', ${owns.id}) returning id`;
  for (const [table, id] of [
    ["jobs", job!["id"]],
    ["sponsorships", sponsorship!["id"]],
  ] as const) {
    const late = await someone({ admin: true });
    const outcome = await whileWaiting(
      async (db) => {
        await db`select 1 from ${sql(`public.${table}`)} where id = ${id as number} for update`;
        await demote(db, late);
      },
      late,
      (db) => db`delete from ${sql(`public.${table}`)} where id = ${id as number}`,
    );
    expect(outcome).toBe("rights_ended");
    expect(await read(table, id)).toBeDefined();
  }
});

it("a buyer who cancels dates and an admin who refunds their order wait for each other, and both are done", async () => {
  const buyer = await someone();
  const place = await listing({ owner: buyer.id, owner_email: buyer.email });
  const refunds: ((
    db: Sql,
    about: { order: string; payment: string; failed: string },
  ) => PromiseLike<unknown>)[] = [
    (db, { order, payment }) =>
      db`select public.request_refund(${order}, ${payment}, 1000, 'usd', 'Sorry', ${randomUUID()})`,
    (db, { failed }) => db`select public.retry_refund(${failed})`,
  ];
  for (const [index, refund] of refunds.entries()) {
    const days = [`2099-02-${index ? 10 : "03"}`, `2099-02-${index ? 12 : "05"}`];
    const [item] = await sql`
      insert into public.sponsorships (place_id, promo_text, owner, paid, sponsorship_dates)
      values (${place}, 'Come in', ${buyer.id}, true, ${days}::date[]) returning id`;
    const sponsorship = item!["id"] as number;
    await sql`insert into public.sponsorship_dates (weekday_date, paid_count)
      select d, 1 from unnest(${days}::date[]) d`;
    await sql`insert into public.sponsorship_spots (sponsorship_id, weekday_date)
      select ${sponsorship}, d from unnest(${days}::date[]) d`;
    const payment = `pi_${sponsorship}`;
    const [made] = await sql`
      insert into public.orders (kind, owner, sponsorship_id, quantity, unit_price_cents, status, paid_at,
        amount_paid_cents)
      values ('sponsorship', ${buyer.id}, ${sponsorship}, 2, 4500, 'paid', now(), 9000) returning id`;
    const order = made!["id"] as string;
    await sql`insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
      values (${payment}, 'sponsorship', 'purchase', ${buyer.id}, ${order}, 9000, 'usd', now())`;
    const [failed] = await sql`
      insert into public.refunds (payment_id, cents, reason, status) values (${payment}, 1000, 'team', 'failed')
      returning id`;
    const about = { order, payment, failed: failed!["id"] as string };
    const waiting = (count: number) => expect.poll(() => countWaiting(sql)).toBe(count);

    let both: Promise<unknown[]> | undefined;
    await inTransaction(sql, async (db) => {
      await db`select 1 from public.payments where id = ${payment} for update`;
      const refunded = as(sql, admin, async (statements) => refund(statements, about));
      await waiting(1);
      const canceled = as(
        sql,
        buyer,
        async (statements) =>
          statements`select public.cancel_sponsorship_dates(${sponsorship}, ${days.slice(1)}::date[])`,
      );
      both = Promise.all([refunded, canceled]);
      both.catch(() => undefined);
      await waiting(2);
    });
    await both;
    expect(
      await sql`select status, cents from public.refunds
        where payment_id = ${payment} and status <> 'failed' order by cents`,
    ).toMatchObject([
      { status: "requested", cents: "1000" },
      { status: "requested", cents: "4500" },
    ]);
  }
});

it("a stranger who leaves a listing that they don't manage keeps no one waiting", async () => {
  const stranger = await someone();
  const id = await listing();
  await manage(id, await someone());
  await as(sql, stranger, async (db) => {
    expect((await db`select public.leave_listing(${id}) as left`)[0]).toEqual({ left: false });
    await sql`select 1 from public.places where id = ${id} for update nowait`;
  });
});

it("nor by a stranger who asks for something about a listing or an order that isn't theirs", async () => {
  const stranger = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  const [order] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
    values (${id}, 'Come in', ${owner.id}, '{2099-01-06}') returning id`;
  const sponsorship = order!["id"] as number;
  const invitation = randomUUID();
  await sql`insert into public.manager_invitations (id, place_id, email, invited_by)
    values (${invitation}, ${id}, 'anna@example.test', ${owner.id})`;
  const [paid] = await sql`
    insert into public.orders (kind, days, unit_price_cents) values ('job', 45, 500) returning id`;
  await sql`insert into public.payments (id, kind, reason, order_id, cents, currency, paid_at)
    values ('pi_locked', 'job', 'purchase', ${paid!["id"]}, 500, 'usd', now())`;
  const [refund] = await sql`
    insert into public.refunds (payment_id, cents, status, reason)
    values ('pi_locked', 500, 'failed', 'team') returning id`;
  const asks: ((db: Sql) => PromiseLike<unknown>)[] = [
    (db) =>
      db`select public.invite_manager(${randomUUID()}, ${id}, 'b@example.test', ${"t".repeat(43)})`,
    (db) => db`select public.withdraw_invitation(${invitation})`,
    (db) => db`select public.remove_manager(${id}, ${owner.id})`,
    (db) => db`select public.release_sponsorship_dates(${sponsorship})`,
    (db) => db`select public.cancel_sponsorship_dates(${sponsorship}, '{2099-01-06}')`,
    (db) =>
      db`select public.request_refund(${paid!["id"]}, 'pi_locked', 1, 'usd', 'Mine', ${randomUUID()})`,
    (db) => db`select public.retry_refund(${refund!["id"]}, 20)`,
  ];
  // Anyone who would wait for the owner is someone whom the owner waits for.
  await inTransaction(sql, async (db) => {
    await db`select 1 from public.places where id = ${id} for update`;
    await db`select 1 from public.sponsorships where id = ${sponsorship} for update`;
    await db`select 1 from public.orders where id = ${paid!["id"]} for update`;
    for (const ask of asks)
      await expect(
        as(sql, stranger, async (statements) => {
          await statements`set local lock_timeout = '2s'`;
          await ask(statements);
        }),
      ).rejects.toThrow(/^((listing|sponsorship)_not_yours|admins_only)$/);
  });
});

it("nor does one who saves a listing keep its owner from paying for it, or a payment from being recorded", async () => {
  const stranger = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  await as(sql, stranger, async (db) => {
    // Someone who saves all listings with one request holds each of them until it ends.
    await db`insert into public.favorites (user_id, place_id) values (${stranger.id}, ${id})`;
    await inTransaction(sql, async (others) => {
      await others`set local statement_timeout = '2s'`;
      const [opened] = await others`
        select public.open_order(${owner.id}, 'upgrade', ${id}, 'monthly', 4900) -> 'order' ->> 'id' as id`;
      const recorded =
        await others`select public.record_payment(${opened!["id"] as string}, null, 0, '{}', null)`;
      expect(recorded).toHaveLength(1);
    });
  });
});

it("accounts that are deleted wait for their common favorites in one order, and never for each other", async () => {
  const fan = await someone();
  const ids = await places(300, "published");
  await sql`insert into public.favorites (user_id, place_id)
    select ${fan.id}::uuid, id from unnest(${ids}::bigint[]) id`;
  // Where the table has them, the first one comes last.
  await sql`update public.place_stats set views = 1 where place_id = ${ids[0]!}`;
  let deleted: Promise<unknown> | undefined;
  await inTransaction(sql, async (db) => {
    await db`select from public.place_stats where place_id = ${ids[0]!} for update`;
    deleted = sql`delete from auth.users where id = ${fan.id}`.execute();
    await expect.poll(() => countWaiting(sql)).toBe(1);
    // Someone else who has the first one may wait for any of the others.
    expect(
      await sql`select from public.place_stats where place_id = any (${ids}) for update skip locked`,
    ).toHaveLength(ids.length - 1);
  });
  await deleted;
});

it("nor by someone with the link of an invitation that they can't accept", async () => {
  const [manager, invited] = [await someone(), await someone()];
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  const token = (of: { id: string }) => `${of.id}-the-link-of-an-invitation`;
  for (const person of [manager, invited])
    await as(sql, owner, (db) =>
      db`select public.invite_manager(${person.id}, ${id}, ${person.email}, ${token(person)})`.execute(),
    );
  await as(sql, manager, (db) => db`select public.accept_invitation(${token(manager)})`.execute());
  await as(sql, owner, (db) => db`select public.withdraw_invitation(${invited.id})`.execute());
  for (const [person, link, state] of [
    [manager, manager, "managing"],
    [invited, invited, "withdrawn"],
    [await someone(), invited, "not-yours"],
  ] as const)
    await as(sql, person, async (db) => {
      const [answer] = await db`select public.accept_invitation(${token(link)}) as answer`;
      expect(answer!["answer"]).toEqual({ state });
      await sql`select 1 from public.places where id = ${id} for update nowait`;
      await sql`select 1 from public.manager_invitations where id = ${link.id} for update nowait`;
    });
});

it("nor by a request that is far too long, which is refused before anyone has waited for it", async () => {
  const person = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  await manage(id, person);
  const own = await listing({ owner: person.id, owner_email: person.email });
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
    values ('Baker', 85, 'Bread', '{NM}', 'Fern', 'Bakery', ${person.id}) returning id`;
  const [order] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner) values (${own}, 'Come in', ${person.id}) returning id`;
  const [lead] = await sql`
    insert into public.leads (place_id, requester_name, requester_email, message)
    values (${id}, 'Kai', 'kai@example.test', 'Hello') returning id`;
  const many = (item: string) => Array.from({ length: 60_000 }, () => item);
  // An invisible letter where a word begins, which is removed.
  const text = " \u200D".repeat(2_000_000);
  const requests: [table: string, id: unknown, columns: Record<string, unknown>][] = [
    ["managed_places", id, { licensed_locations: many("NM") }],
    ["managed_places", id, { online_categories: many("50") }],
    ["managed_places", id, { description: text }],
    ["managed_places", id, { phone: text }],
    ["profiles", person.id, { full_name: text }],
    ["jobs", job!["id"], { location: many("NM") }],
    ["jobs", job!["id"], { description: text }],
    ["sponsorships", order!["id"], { sponsorship_dates: many("2099-01-06") }],
    ["sponsorships", order!["id"], { promo_text: text }],
    ["leads", lead!["id"], { notes: text }],
  ];
  for (const [table, row, columns] of requests) {
    const refused = as(sql, person, async (db) => {
      await db`set local statement_timeout = '2s'`;
      return db`update ${sql(`public.${table}`)} set ${sql(columns)} where id = ${row as string}`;
    });
    await expect(refused, `${table} ${Object.keys(columns).join()}`).rejects.toMatchObject({
      code: "23514",
      message: "far_too_long",
    });
  }
});

it.each([
  ["the listing", "update public.managed_places set description = 'Cake'"],
  ["their draft of an edit", "update public.listing_drafts set fields = '{}'"],
])("an owner removes a manager who holds %s with a slow change", async (_, slowly) => {
  const manager = await someone();
  const id = await listing({ owner: owner.id, owner_email: "owner@example.test" });
  await manage(id, manager);
  await as(
    sql,
    manager,
    (db) => db`insert into public.listing_drafts (id, form, fields)
      values (${randomUUID()}, ${`/listings/${id}`}, '{"description": "Cake"}')`,
  );
  await as(sql, manager, async (db) => {
    await db.unsafe(slowly);
    await as(sql, owner, async (removal) => {
      await removal`set local lock_timeout = '1s'`;
      const [answer] = await removal`select public.remove_manager(${id}, ${manager.id}) as removed`;
      expect(answer).toEqual({ removed: true });
    });
  });
  expect(await sql`select from public.listing_managers where place_id = ${id}`).toHaveLength(0);
});
