/** The admin's dashboard at the data API: what came into each queue and left it, who decided, and what fails. */
import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let other: Caller;

interface Weeks {
  came: number[];
  left: number[];
}
interface Dashboard {
  weeks: Record<string, Weeks>;
  deciders: { id: string; name: string; count: number }[];
  failing: Record<string, number>;
  newsletters: { spots: number; next: { date: string; taken: number }[] };
  reports: { count: number; oldest: string | null };
}

const read = async () => (await admin.call("review_dashboard")).value as Dashboard;

beforeAll(async () => {
  owner = await database.person({ data: { full_name: "Sam Rivera" } });
  admin = await database.person({ admin: true, data: { full_name: "Ade One" } });
  other = await database.person({ admin: true, data: { full_name: "Bo Two" } });
});

const addListing = () =>
  database.place({ owner: owner.id, owner_email: owner.email, status: "new", state: "CA" });

describe("the queues of the last four weeks", () => {
  const [NOTHING, ONCE] = [
    [0, 0, 0, 0],
    [0, 0, 0, 1],
  ];

  it("count a listing where it comes in, and where a decision or its owner takes it out", async () => {
    const place = await addListing();
    expect((await read()).weeks).toMatchObject({
      new: { came: ONCE, left: NOTHING },
      flagged: { came: NOTHING, left: NOTHING },
      "archive-requested": { came: NOTHING, left: NOTHING },
    });
    const decide = (by: Caller, action: string, version: number) =>
      by.call("decide_listings", { batch: randomUUID(), action, items: [{ id: place, version }] });
    await decide(admin, "flag", 1);
    await decide(other, "approve", 2);
    for (const asked of [true, false])
      await sql("update public.places set archive_requested = $2 where id = $1", [place, asked]);
    expect((await read()).weeks).toMatchObject({
      new: { came: ONCE, left: ONCE },
      flagged: { came: ONCE, left: ONCE },
      "pending-update": { came: NOTHING, left: NOTHING },
      "archive-requested": { came: ONCE, left: ONCE },
    });
    expect((await read()).deciders).toEqual(
      [
        { id: admin.id, name: "Ade One", count: 1 },
        { id: other.id, name: "Bo Two", count: 1 },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  it("are weeks of seven days, the last of which ends now", async () => {
    const before = (await read()).weeks["pending-update"]!;
    for (const [ago, times] of [
      ["6 days 23 hours", 1],
      ["7 days 1 hour", 2],
      ["20 days 23 hours", 3],
      ["27 days 23 hours", 4],
      ["28 days 1 hour", 5],
    ] as const)
      for (let n = 0; n < times; n += 1)
        await sql(
          `insert into public.audit_log (at, actor_role, action, subject, subject_id, before, after)
          values (now() - $1::interval, 'system', 'form', 'places', '1',
            '{"status": "published"}', '{"status": "pending-update"}')`,
          [ago],
        );
    const { came, left } = (await read()).weeks["pending-update"]!;
    expect(came.map((count, n) => count - before.came[n]!)).toEqual([4, 3, 2, 1]);
    expect(left).toEqual(before.left);
  });

  it("count feedback and reports", async () => {
    const place = await addListing();
    await sql(
      "insert into public.feedback (feedback, created_at) values ('Old', now() - interval '8 days'), ('New', now())",
    );
    const [report] = await sql(
      `insert into public.events (event_name, place, data)
      values ('report_listing', $1, '{"reason": "closed"}') returning id`,
      [place],
    );
    expect(await read()).toMatchObject({
      weeks: { feedback: { came: [0, 0, 1, 1] }, reports: { came: ONCE, left: NOTHING } },
      reports: { count: 1 },
    });
    await admin.call("update_reports", { ids: [report!["id"]], to_state: "dismissed" });
    await admin.call("archive_feedback", { ids: [1], archived: true });
    expect(await read()).toMatchObject({
      weeks: { feedback: { left: ONCE }, reports: { left: ONCE } },
      reports: { count: 0, oldest: null },
    });
  });
});

it("counts what fails", async () => {
  const place = await addListing();
  expect((await read()).failing).toEqual({ plans: 0, refunds: 0, emails: 0 });
  await sql(
    `insert into public.subscriptions (id, place_id, owner, stripe_customer_id, status, started_at)
    values ('sub_1', $1, $2, 'cus_1', 'past_due', now()), ('sub_2', $1, $2, 'cus_1', 'active', now())`,
    [place, owner.id],
  );
  await sql(
    `insert into private.email_queue (kind, recipient, key, attempts, next_try_at)
    values ('a', $1, 'test:1', 3, now()), ('a', $1, 'test:2', 2, now()), ('a', $1, 'test:3', 1, 'infinity')`,
    [owner.id],
  );
  expect((await read()).failing).toEqual({ plans: 1, refunds: 0, emails: 1 });
});

it("names the next newsletters with the spots that are taken", async () => {
  const { spots, next } = (await read()).newsletters;
  expect(spots).toBe(10);
  expect(next).toHaveLength(4);
  for (const { date, taken } of next) {
    expect([2, 4]).toContain(new Date(date).getUTCDay());
    expect(taken).toBe(0);
  }
});

it("is for admins", async () => {
  expect(await owner.call("review_dashboard")).toMatchObject({ code: "42501" });
});
