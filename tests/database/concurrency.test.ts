/** What only overlapping sessions can show. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { countWaiting, doMeanwhile } from "./support/after-waiting";
import { startDirectory } from "./support/directory-at-work";
import { as, asServer, createUser, inTransaction } from "./support/real-postgres";

const { sql, owner, admin, places } = await startDirectory();

/** Waits until so many sessions wait for a lock. */
const waiting = (count: number) => expect.poll(() => countWaiting(sql)).toBe(count);

async function expectCountsToBeExact() {
  const counted =
    await sql`select status as name, count(*)::int as amount from public.places group by 1
    union all select 'premium', count(*)::int from public.places where premium
    union all select 'archive-requested', count(*)::int from public.places where archive_requested and status <> 'archived'
    union all select 'total', count(*)::int from public.places order by 1`;
  const kept =
    await sql`select name, amount::int as amount from private.counter_values('places:') where amount <> 0 order by 1`;
  expect([...kept]).toEqual([...counted].filter(({ amount }) => amount !== 0));
}

it("sells ten spots to fifty simultaneous buyers and tells the others that the date is full", async () => {
  const businesses = await places(50, "published");
  const dates =
    await sql`select weekday_date::text as day from public.get_available_sponsorship_dates() limit 3`;
  const [day, next, third] = dates.map((row) => String(row.day));
  const orders = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      // Some want a second and third date as well, in different orders.
      const chosen = n % 3 === 0 ? [next, day] : n % 3 === 1 ? [day] : [third, day, next];
      const [row] =
        await sql`insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
        values (${businesses[n]!}, 'Hello', ${owner.id}, ${`{${chosen.join(",")}}`}::date[]) returning id`;
      return { id: Number(row?.id), dates: chosen.length };
    }),
  );
  const answers = await Promise.all(
    orders.map(({ id }) => sql`select * from private.reserve_spots(${id}, false)`),
  );
  const won = answers.filter((rows) => rows.every((row) => row.outcome === "held"));
  expect(won).toHaveLength(10);
  for (const rows of answers) {
    if (!won.includes(rows)) expect(rows.find((row) => row.outcome === "full")).toBeDefined();
  }
  expect(
    await sql`select held_count, paid_count from public.sponsorship_dates where weekday_date = ${day!}`,
  ).toMatchObject([{ held_count: 10, paid_count: 0 }]);
  const held =
    await sql`select sponsorship_id, count(*)::int as n from public.sponsorship_spots group by 1`;
  for (const { sponsorship_id, n } of held)
    expect(n).toBe(orders.find(({ id }) => id === Number(sponsorship_id))?.dates);

  // All fifty are paid at the same time. Only ten succeed.
  const paid = await Promise.all(
    orders.map(({ id }) => sql`select * from private.pay_sponsorship_dates(${id})`),
  );
  expect(paid.filter((rows) => rows.every((row) => row.outcome === "paid"))).toHaveLength(10);
  expect(
    await sql`select held_count, paid_count from public.sponsorship_dates where weekday_date = ${day!}`,
  ).toMatchObject([{ held_count: 0, paid_count: 10 }]);
  expect(await sql`select count(*)::int as n from public.sponsorships where paid`).toMatchObject([
    { n: 10 },
  ]);
});

it("holds eight dates for one account and one spot for one listing, however many orders are sent at once", async () => {
  const days = (
    await sql`select weekday_date::text as day from public.get_available_sponsorship_dates() offset 4 limit 20`
  ).map((row) => String(row.day));
  const buyer = { id: randomUUID() };
  await createUser(sql, buyer.id, "buyer@example.test");
  const businesses = await sql`
    insert into public.places (name, category, status, owner)
    select 'Shop ' || n, 4, 'published', ${buyer.id}::uuid from generate_series(1, 20) n returning id`;
  const openOrders = async (placeOf: (n: number) => unknown, dayOf: (n: number) => string) => {
    const orders = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const [row] =
          await sql`insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
          values (${Number(placeOf(n))}, 'Hello', ${buyer.id}, ${`{${dayOf(n)}}`}::date[]) returning id`;
        return Number(row!.id);
      }),
    );
    const opened = await Promise.all(
      orders.map(
        (id) =>
          sql`select public.open_order(${buyer.id}, 'sponsorship', ${id}) ->> 'refused' as refused`,
      ),
    );
    return opened.map(([row]) => row!.refused as string | null);
  };
  const forOneListing = await openOrders(
    () => businesses[0]!.id,
    () => days[0]!,
  );
  expect(forOneListing.filter((refused) => refused === null)).toHaveLength(1);
  expect(new Set(forOneListing)).toEqual(new Set([null, "dates"]));
  const forMany = await openOrders(
    (n) => businesses[n]!.id,
    (n) => days[n % 4]!,
  );
  expect(forMany.filter((refused) => refused === null)).toHaveLength(7);
  expect(
    await sql`select count(*)::int as held from public.sponsorship_spots s
      join public.sponsorships o on o.id = s.sponsorship_id where o.owner = ${buyer.id}`,
  ).toMatchObject([{ held: 8 }]);
});

it("keeps counts exact while forty sessions write, without one waiting for another", async () => {
  const ids = await places(120, "new");
  const statuses = ["new", "flagged", "archived", "published"];
  await Promise.all(
    Array.from({ length: 40 }, async (_, session) => {
      for (let n = 0; n < 12; n += 1) {
        const id = ids[(session * 7 + n * 11) % ids.length]!;
        const status = statuses[(session + n) % statuses.length]!;
        await sql`update public.places set status = ${status}, premium = ${(session + n) % 3 === 0}, archive_requested = ${(session + n) % 5 === 0} where id = ${id}`;
        if (n % 4 === 0) await places(1, status);
        if (n % 6 === 0)
          await sql`delete from public.places where id = (select max(id) from public.places where owner = ${owner.id} and id <> all (${ids}))`;
      }
    }),
  );
  await expectCountsToBeExact();
  // One writer's open transaction does not block another writer's count.
  await inTransaction(sql, async (slow) => {
    await slow`update public.places set status = 'archived' where id = ${ids[0]!}`;
    await sql`update public.places set status = 'archived' where id = ${ids[1]!}`;
  });
  await expectCountsToBeExact();
  // Folding keeps the table short.
  const [row] = await sql`select count(*)::int as n from private.counters`;
  expect(row?.n).toBeLessThan(600);
});

it("folds counts without losing any and without waiting for another fold", async () => {
  await sql`insert into private.counters (name, amount) values ('test:less', -2), ('test:none', 5), ('test:none', -5), ('test:more', 3)`;
  await inTransaction(sql, async (slow) => {
    await slow`select private.merge_counters()`;
    await inTransaction(sql, async (quick) => {
      await quick`set local lock_timeout = '1s'`;
      await quick`select private.merge_counters()`;
    });
    // Before the commit, others still see the former rows.
    expect(await sql`select 1 from private.counters where name = 'test:none'`).toHaveLength(2);
  });
  expect([
    ...(await sql`select name, amount::int as amount from private.counters where name like 'test:%' order by name`),
  ]).toEqual([
    { name: "test:less", amount: -2 },
    { name: "test:more", amount: 3 },
  ]);
  await expectCountsToBeExact();
});

it("adds one listing for a form that is sent twenty times simultaneously", async () => {
  const token = randomUUID();
  const sends = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      as(
        sql,
        owner,
        (
          db,
        ) => db`insert into public.places (name, category, description, rawaddress, third_party_auth, certified_queer, submission_id)
        values ('Twice', 4, 'x', 'x', true, true, ${token})`,
      ),
    ),
  );
  expect(sends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(
    await sql`select count(*)::int as n from public.places where submission_id = ${token}`,
  ).toMatchObject([{ n: 1 }]);
});

it("enforces a rate limit across simultaneous requests", async () => {
  const waits = await Promise.all(
    Array.from(
      { length: 50 },
      () => sql`select public.take_rate_token('login 198.51.100.7', 10, 60) as wait`,
    ),
  );
  const numbers = waits.map(([row]) => Number(row?.wait));
  expect(numbers.filter((wait) => wait === 0)).toHaveLength(10);
  for (const wait of numbers.filter((one) => one !== 0)) {
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  }
  expect(
    await sql`select bucket from public.rate_limits where bucket like '%198.51%'`,
  ).toHaveLength(0);
  await sql`update public.rate_limits set resets_at = now()`;
  expect(
    await sql`select public.take_rate_token('login 198.51.100.7', 10, 60) as wait`,
  ).toMatchObject([{ wait: 0 }]);
});

it("lets only one of two admins delete the other, with or without a third admin", async () => {
  const remove = (by: { id: string }, whom: { id: string }) =>
    as(sql, by, (db) => db`select public.admin_delete_user(${whom.id})`);
  const [one, two] = [{ id: randomUUID() }, { id: randomUUID() }];
  for (const left of [3, 2]) {
    for (const { id } of [one, two]) await createUser(sql, id, null);
    await sql`update public.profiles set admin = id in (${one.id}, ${two.id}) or (id = ${admin.id} and ${left === 3})`;
    const results = await Promise.allSettled([remove(one, two), remove(two, one)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await sql`select count(*)::int as n from public.profiles where admin`).toMatchObject([
      { n: left - 1 },
    ]);
  }
});

it("gives each queued email to one of eight senders", async () => {
  await sql`delete from private.email_queue`;
  for (let n = 0; n < 40; n += 1)
    await sql`select private.enqueue_email(${owner.id}, null, 'test-letter', ${`test:${n}`})`;
  const batches = await Promise.all(
    Array.from({ length: 8 }, () => sql`select id from public.lease_emails(7)`),
  );
  const taken = batches.flatMap((rows) => rows.map((row) => String(row.id)));
  expect(new Set(taken).size).toBe(taken.length);
  const rest = await sql`select id from public.lease_emails(100)`;
  expect(taken.length + rest.length).toBe(40);
});

it("saves twenty of thirty simultaneous drafts and rejects the others", async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 30 }, () =>
      as(
        sql,
        owner,
        (db) => db`insert into public.listing_drafts (id, fields) values (${randomUUID()}, '{}')`,
      ),
    ),
  );
  const refused = answers.filter((answer) => answer.status === "rejected");
  expect(refused).toHaveLength(10);
  for (const { reason } of refused) expect(String(reason)).toContain("too_many_drafts");
  expect(
    await sql`select count(*)::int as n from public.listing_drafts where owner = ${owner.id}`,
  ).toMatchObject([{ n: 20 }]);
});

it("keeps an unconfirmed account that asks for another link while old ones are deleted", async () => {
  const id = randomUUID();
  await sql`insert into auth.users (id, email, confirmation_sent_at)
    values (${id}, 'late@example.test', now() - interval '8 days')`;
  await doMeanwhile(
    sql,
    (meanwhile) =>
      inTransaction(sql, async (db) => {
        await db`update auth.users set confirmation_sent_at = now() where id = ${id}`;
        await meanwhile();
      }),
    () => asServer(sql, async (db) => db`select public.delete_unconfirmed_accounts(null)`),
  );
  expect(await sql`select from auth.users where id = ${id}`).toHaveLength(1);
});

it("sells newsletters while an order frees them that held them once, to be deleted", async () => {
  const days = (
    await sql`select weekday_date::text as day from public.get_available_sponsorship_dates() offset 8 limit 2`
  ).map((row) => String(row["day"]));
  const addOrder = async (name: string) => {
    const buyer = { id: randomUUID() };
    await createUser(sql, buyer.id, `${name}@example.test`);
    const [place] = await sql`
      insert into public.places (name, category, status, owner) values (${name}, 4, 'published', ${buyer.id})
      returning id`;
    const [order] = await sql`
      insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
      values (${place!["id"]}, 'Hello', ${buyer.id}, ${`{${days.join()}}`}::date[]) returning id`;
    return { buyer, id: Number(order!["id"]) };
  };
  const [left, bought] = [await addOrder("left"), await addOrder("bought")];
  await sql`select private.hold_spots(${left.id}, ${left.buyer.id})`;
  await sql`update public.sponsorship_spots set held_until = now() - interval '1 minute'
    where sponsorship_id = ${left.id}`;
  await doMeanwhile(
    sql,
    (meanwhile) =>
      inTransaction(sql, async (db) => {
        await db`select private.lock_newsletters(${`{${days.join()}}`}::date[])`;
        await meanwhile();
        expect(await db`select outcome from private.reserve_spots(${bought.id}, false)`).toEqual(
          days.map(() => ({ outcome: "held" })),
        );
      }),
    () =>
      as(sql, left.buyer, (db) =>
        db`select public.release_sponsorship_dates(${left.id})`.execute(),
      ),
  );
  await as(sql, left.buyer, (db) => db`delete from public.sponsorships where id = ${left.id}`);
  expect(await sql`select from public.sponsorships where id = ${left.id}`).toHaveLength(0);
  expect(
    await sql`select held_count from public.sponsorship_dates where weekday_date = any (${`{${days.join()}}`}::date[])`,
  ).toEqual(days.map(() => ({ held_count: 1 })));
});

it("emails no one about a message to a listing that they stop managing while it is sent", async () => {
  const [manager, sender] = [{ id: randomUUID() }, { id: randomUUID() }];
  await createUser(sql, manager.id, "manager@example.test");
  await createUser(sql, sender.id, "sender@example.test");
  const [id] = await places(1, "published");
  await sql`insert into public.listing_managers (place_id, profile_id) values (${id!}, ${manager.id})`;
  await sql`insert into public.email_preferences (user_id, kind, wanted) values (${manager.id}, 'new-lead', true)`;
  await as(sql, sender, async (db) => {
    await db`insert into public.leads (place_id, requester, requester_name, requester_email, message)
      values (${id!}, ${sender.id}, 'Kai', 'kai@example.test', 'Hello')`;
    await as(sql, owner, (own) =>
      own`select public.remove_manager(${id!}, ${manager.id})`.execute(),
    );
  });
  const leased = await asServer(sql, (db) =>
    db`select user_id from public.lease_emails(100)`.execute(),
  );
  expect(leased.map((row) => row["user_id"] as string)).not.toContain(manager.id);
});

it("changes an address, or deletes an account, while a listing that it has posted jobs for goes to someone else", async () => {
  const leave = [
    (id: string) => sql`update auth.users set email = ${`new-${id}@example.test`} where id = ${id}`,
    (id: string) => sql`select private.erase_user(${id})`,
  ];
  for (const go of leave) {
    const [author, next] = [{ id: randomUUID() }, { id: randomUUID() }];
    for (const { id } of [author, next]) await createUser(sql, id, `${id}@example.test`);
    const [place] = await places(1, "published");
    const addJob = async () => {
      const [job] = await sql`
        insert into public.jobs (title, category, description, location, place_id, owner)
        values ('Baker', 85, 'Bread', '{NM}', ${place!}, ${author.id}) returning id`;
      return Number(job!["id"]);
    };
    const [first] = [await addJob(), await addJob()];
    // Its row is stored after that of the second one now.
    await sql`update public.jobs set title = 'Cook' where id = ${first}`;
    let both: Promise<unknown[]> | undefined;
    await inTransaction(sql, async (db) => {
      await db`select 1 from public.jobs where id = ${first} for update`;
      const given = sql`update public.places set owner = ${next.id} where id = ${place!}`.execute();
      await waiting(1);
      both = Promise.all([given, go(author.id).execute()]);
      both.catch(() => undefined);
      await waiting(2);
    });
    await both;
  }
});

it("opens a checkout for newsletters, or refuses it, while the listing goes to someone else", async () => {
  const [buyer, next] = [{ id: randomUUID() }, { id: randomUUID() }];
  for (const { id } of [buyer, next]) await createUser(sql, id, `${id}@example.test`);
  const [day] =
    await sql`select weekday_date::text as day from public.get_available_sponsorship_dates() offset 11 limit 1`;
  const [place] = await sql`
    insert into public.places (name, category, status, owner) values ('Shop', 4, 'published', ${buyer.id}) returning id`;
  const [order] = await sql`
    insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates)
    values (${place!["id"]}, 'Hello', ${buyer.id}, ${`{${String(day!["day"])}}`}::date[]) returning id`;
  let both: Promise<unknown[]> | undefined;
  await inTransaction(sql, async (db) => {
    await db`select 1 from public.sponsorships where id = ${order!["id"]} for update`;
    const opened = asServer(
      sql,
      async (server) =>
        server`select public.open_order(${buyer.id}, 'sponsorship', ${order!["id"]}) -> 'order' as opened`,
    );
    await waiting(1);
    const given = sql`update public.places set owner = ${next.id} where id = ${place!["id"]}`;
    both = Promise.all([opened, given.execute()]);
    both.catch(() => undefined);
    await waiting(2);
  });
  await both;
  expect(
    await sql`select held_count from public.sponsorship_dates where weekday_date = ${String(day!["day"])}`,
  ).toEqual([{ held_count: 0 }]);
});

/** Undoes something whose email another process has begun to send: its lease is stored by then, or not yet. */
async function undoWhileSending(when: "before" | "meanwhile", undo: () => Promise<unknown>) {
  let undone: Promise<unknown> | undefined;
  await asServer(sql, async (server) => {
    await server`select id from public.lease_emails(100)`;
    if (when === "before") return;
    undone = undo();
    await Promise.race([undone, waiting(1)]);
  });
  await (undone ?? undo());
}

it.each(["before", "meanwhile"] as const)(
  "tells people that their account is kept when the email about its deletion is on its way (leased %s)",
  async (when) => {
    const person = { id: randomUUID() };
    await createUser(sql, person.id, `${person.id}@example.test`);
    await as(sql, person, (db) => db`select public.request_my_deletion()`);
    await undoWhileSending(when, () =>
      as(sql, person, (db) => db`select public.cancel_account_deletion()`),
    );
    const emails =
      await sql`select kind, attempts from private.email_queue where recipient = ${person.id} order by kind`;
    expect([...emails]).toEqual([
      { kind: "account-deletion", attempts: 1 },
      { kind: "account-kept", attempts: 0 },
    ]);
  },
);

it.each(["before", "meanwhile"] as const)(
  "tells people that their job is back when the email that it was taken down is on its way (leased %s)",
  async (when) => {
    const [person, team] = [{ id: randomUUID() }, { id: randomUUID() }];
    for (const { id } of [person, team]) await createUser(sql, id, `${id}@example.test`);
    await sql`update public.profiles set admin = true where id = ${team.id}`;
    const [job] = await sql`
      insert into public.jobs (title, category, description, location, company_name, company_bio, owner, paid,
        published, expiration_date)
      values ('Baker', 85, 'Bread', '{NM}', 'Fern', 'Bakery', ${person.id}, true, true, now() + interval '20 days')
      returning id`;
    const publish = (published: boolean) =>
      as(
        sql,
        team,
        (db) => db`update public.jobs set published = ${published} where id = ${job!["id"]}`,
      );
    await publish(false);
    await undoWhileSending(when, () => publish(true));
    const emails =
      await sql`select kind, attempts from private.email_queue where recipient = ${person.id} order by kind`;
    expect([...emails]).toEqual([
      { kind: "job-republished", attempts: 0 },
      { kind: "job-unpublished", attempts: 1 },
    ]);
  },
);
