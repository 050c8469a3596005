/** Two admins and an owner who change the same listings at the same time, in real sessions. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { doMeanwhile } from "./support/after-waiting";
import { startDirectory } from "./support/directory-at-work";
import { as, createUser, inTransaction } from "./support/real-postgres";

const { sql, owner, admin, second, places } = await startDirectory();

interface Batch {
  rows: { id: number; outcome: string }[];
  counts: Record<string, number>;
}
type Item = { id: number; version: number };

async function decide(
  by: { id: string },
  action: string,
  items: Item[],
  batch: string = randomUUID(),
): Promise<Batch> {
  const [row] = await as(
    sql,
    by,
    (db) =>
      db`select public.decide_listings(${batch}, ${action}, 'Fix it.', ${sql.json(items as never)}) as value`,
  );
  return row?.value as Batch;
}
const undo = async (by: { id: string }, batch: string) =>
  (await as(sql, by, (db) => db`select public.undo_decisions(${batch}) as value`))[0]
    ?.value as Batch;
const findOutcome = ({ rows }: Batch, id: number) => rows.find((row) => row.id === id)?.outcome;
const countEntries = async (action: string, ids: number[]) =>
  (
    await sql`select count(*)::int as n from public.audit_log where action = ${action} and subject_id = any (${ids.map(String)})`
  )[0]?.n as number;

it("lets one of two admins approve a listing; for the other it is stale", async () => {
  const ids = await places(60, "new");
  const items = ids.map((id) => ({ id, version: 1 }));
  const answers = await Promise.all([
    decide(admin, "approve", items),
    decide(second, "approve", [...items].reverse()),
  ]);
  for (const id of ids)
    expect(answers.map((answer) => findOutcome(answer, id)).sort()).toEqual(["done", "stale"]);
  expect(await countEntries("approve", ids)).toBe(60);
});

it("never deadlocks when admins decide on the same listings in any order, or undo", async () => {
  const ids = await places(80, "new");
  const actions = ["approve", "flag", "archive", "reopen", "request-changes"];
  const shuffle = (start: number) =>
    ids.map((_, n) => ids[(start * 13 + n * 7) % ids.length]!).slice(0, 60);
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, async (_, session) => {
      const by = session % 2 ? admin : second;
      const seen = await sql`select id::int, version from public.places where id = any (${ids})`;
      const versions = new Map(seen.map(({ id, version }) => [id as number, version as number]));
      const batch = randomUUID();
      const items = shuffle(session).map((id) => ({ id, version: versions.get(id)! }));
      const { counts } = await decide(by, actions[session % actions.length]!, items, batch);
      expect(counts.done! + counts.refused! + counts.stale!).toBe(60);
      if (counts.done && session % 3 === 0) await undo(by, batch);
      return counts.done!;
    }),
  );
  const done = outcomes.reduce((sum, count) => sum + count, 0);
  const [row] =
    await sql`select sum(version - 1)::int as changes, count(*)::int as n from public.places where id = any (${ids})`;
  const entryCounts = await Promise.all(
    [...actions, "undo"].map((action) => countEntries(action, ids)),
  );
  // Each change of a listing is one decision or one undo, and has one entry.
  expect(entryCounts.reduce((sum, count) => sum + count, 0)).toBe(row?.changes);
  expect(row?.changes).toBeGreaterThanOrEqual(done);
});

it("never publishes what the admin has not seen when the owner saves at the same time", async () => {
  for (let round = 0; round < 10; round += 1) {
    const [id] = await places(1, "new");
    const save = as(
      sql,
      owner,
      (db) =>
        db`update public.places set name = 'Unseen', description = 'x', rawaddress = 'x', third_party_auth = true, certified_queer = true where id = ${id!}`,
    );
    const [, answer, other] = await Promise.all([
      save,
      decide(admin, "approve", [{ id: id!, version: 1 }]),
      decide(second, "approve", [{ id: id!, version: 1 }]),
    ]);
    const [row] =
      await sql`select status, name, last_update ->> 'name' as approved from public.places where id = ${id!}`;
    // When the approval is first, the edit waits. When the save is first, both approvals are stale.
    if ([answer, other].some((one) => findOutcome(one, id!) === "done"))
      expect(row).toMatchObject({
        status: "pending-update",
        approved: expect.stringContaining("Café") as string,
      });
    else expect(row).toMatchObject({ status: "new", name: "Unseen" });
  }
});

it("does not undo what the owner saves at the same time", async () => {
  for (let round = 0; round < 10; round += 1) {
    const [id] = await places(1, "new");
    const batch = randomUUID();
    await decide(admin, "approve", [{ id: id!, version: 1 }], batch);
    const [, undone] = await Promise.all([
      as(
        sql,
        owner,
        (db) =>
          db`update public.places set description = 'Newer', rawaddress = 'x', third_party_auth = true, certified_queer = true where id = ${id!}`,
      ),
      undo(admin, batch),
    ]);
    const [row] = await sql`select status, description from public.places where id = ${id!}`;
    const status = findOutcome(undone, id!) === "undone" ? "new" : "pending-update";
    expect(row).toMatchObject({ status, description: "Newer" });
  }
});

it("doesn't return an edit to the queue whose author discards it while its rejection is undone", async () => {
  const [id] = await places(1, "published");
  await as(
    sql,
    owner,
    (db) =>
      db`update public.places set description = 'Newer', rawaddress = 'x', third_party_auth = true, certified_queer = true where id = ${id!}`,
  );
  const batch = randomUUID();
  await decide(admin, "reject", [{ id: id!, version: 2 }], batch);
  await doMeanwhile(
    sql,
    (meanwhile) =>
      as(sql, owner, async (db) => {
        await db`delete from public.rejected_edits where place_id = ${id!}`;
        await meanwhile();
      }),
    () => undo(admin, batch),
  );
  expect(await sql`select status, last_update from public.places where id = ${id!}`).toEqual([
    { status: "published", last_update: {} },
  ]);
});

it("decides once when a form is sent ten times at once, and returns the same result each time", async () => {
  const ids = await places(5, "new");
  const batch = randomUUID();
  const items = ids.map((id) => ({ id, version: 1 }));
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => decide(admin, "request-changes", items, batch)),
  );
  for (const answer of answers) expect(answer.counts).toMatchObject({ done: 5, stale: 0 });
  expect(await countEntries("request-changes", ids)).toBe(5);
  expect(await sql`select 1 from private.email_queue where place_id = any (${ids})`).toHaveLength(
    5,
  );
  const undone = await Promise.all(Array.from({ length: 5 }, () => undo(admin, batch)));
  for (const answer of undone) expect(answer.counts).toMatchObject({ undone: 5, unchanged: 0 });
  expect(await countEntries("undo", ids)).toBe(5);
});

it("locks a different listing for each admin who opens the next at the same time", async () => {
  await sql`update public.places set status = 'archived' where status = 'new'`;
  const ids = await places(12, "new");
  const admins = Array.from({ length: 10 }, () => ({ id: randomUUID() }));
  for (const { id } of admins) {
    await createUser(sql, id, `${id}@example.test`);
    await sql`update public.profiles set admin = true where id = ${id}`;
  }
  const lockedIds = await Promise.all(
    admins.map(async (by) => {
      const [row] = await as(
        sql,
        by,
        (db) => db`select public.lock_next_listing_for_review('{"view": "new"}') -> 'id' as id`,
      );
      return Number(row?.id);
    }),
  );
  expect(new Set(lockedIds).size).toBe(10);
  for (const id of lockedIds) expect(ids).toContain(id);
});

it("does not wait for users who add favorites or report", async () => {
  const [id] = await places(1, "new");
  await inTransaction(sql, async (slow) => {
    await slow`insert into public.favorites (user_id, place_id) values (${owner.id}, ${id!})`;
    const [row] = await as(sql, admin, async (db) => {
      await db`set local lock_timeout = '2s'`;
      return db`select public.decide_listings(gen_random_uuid(), 'approve', null, ${sql.json([{ id: id!, version: 1 }])}) -> 'counts' ->> 'done' as done`;
    });
    expect(row).toEqual({ done: "1" });
  });
});
