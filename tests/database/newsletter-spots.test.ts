/**
 * Ten spots and fifty buyers at once, in a hundred schedules that nobody would think of: buyers who hold,
 * pay, give up, let their hold run out, choose other dates in between, and try again. On real Postgres,
 * with fifty connections: whatever happens, ten are sold, and nobody sees a deadlock.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { as, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const { sql } = await startMigratedPostgres();
const SCHEDULES = 100;
const BUYERS = 50;
const SPOTS = 10;

/** Numbers that look random and are the same each time, so that a schedule that fails can be run again (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const owner = { id: randomUUID() };
await sql`insert into auth.users (id, email) values (${owner.id}, 'buyer@example.test')`;
const [place] =
  await sql`insert into public.places (name, category, status) values ('Café X', 4, 'published') returning id`;
await sql`insert into public.sponsorships (place_id, promo_text, owner)
  select ${place!.id}, 'Hello', ${owner.id} from generate_series(1, ${BUYERS})`;
const orders = (await sql`select id from public.sponsorships order by id`).map((row) =>
  Number(row.id),
);

/** Four newsletters of a year of their own for each schedule; everybody wants the first. */
function newslettersOf(schedule: number): string[] {
  const first = new Date(Date.UTC(2100 + schedule, 0, 1));
  const tuesday = first.getTime() + ((9 - first.getUTCDay()) % 7) * 86_400_000;
  return [0, 2, 7, 9].map((days) =>
    new Date(tuesday + days * 86_400_000).toISOString().slice(0, 10),
  );
}

async function run(schedule: number) {
  const random = randomFrom(schedule);
  const [wanted, ...others] = newslettersOf(schedule) as [string, ...string[]];
  /** Some of the others, in whatever order they were ticked. */
  const some = () => [wanted, ...others.filter(() => random() < 0.4)].sort(() => random() - 0.5);
  const choose = (id: number) =>
    sql`update public.sponsorships set sponsorship_dates = ${`{${some().join()}}`}::date[] where id = ${id}`;
  const taken = async (id: number, forGood: boolean) =>
    (await sql`select outcome from private.reserve_spots(${id}, ${forGood})`).every(
      ({ outcome }) => outcome === "held",
    );

  /** As when the payment provider says that a checkout ran out, which is when its holds do. */
  const giveUp = (id: number) =>
    inTransaction(sql, async (db) => {
      await db`select private.lock_order_item(null, ${id}, null)`;
      await db`delete from public.sponsorship_spots where sponsorship_id = ${id} and held_until is not null`;
    });

  await sql`update public.sponsorships set paid = false, sponsorship_dates = ${`{${wanted}}`}::date[]`;
  const paid = new Set<number>();

  async function buy(id: number) {
    if (random() < 0.3) await choose(id);
    if (!(await taken(id, false))) {
      // Told which are gone, they exchange them.
      await choose(id);
      return;
    }
    const mood = random();
    if (mood < 0.1)
      await as(sql, owner, (db) => db`select public.release_sponsorship_dates(${id})`);
    else if (mood < 0.2) await giveUp(id);
    else if (mood < 0.35)
      await sql`update public.sponsorship_spots set held_until = now() where sponsorship_id = ${id} and held_until is not null`;
    // Paying late, too: after a hold that ran out, others may have been faster.
    if (mood > 0.2 && (await taken(id, true))) paid.add(id);
  }

  for (let round = 0; round < 20 && paid.size < SPOTS; round += 1) {
    await Promise.all(orders.filter((id) => !paid.has(id)).map(buy));
  }
  // Whoever still wants one takes what is left, alone on the newsletter that everybody wants.
  await sql`delete from public.sponsorship_spots where held_until is not null`;
  for (const id of orders) {
    if (paid.size >= SPOTS) break;
    if (paid.has(id)) continue;
    await sql`update public.sponsorships set sponsorship_dates = ${`{${wanted}}`}::date[] where id = ${id}`;
    if (await taken(id, true)) paid.add(id);
  }
  return { wanted, others, paid };
}

it(`sells exactly ten of ten spots to ${BUYERS} buyers, in each of ${SCHEDULES} schedules`, async () => {
  for (let schedule = 0; schedule < SCHEDULES; schedule += 1) {
    const { wanted, others, paid } = await run(schedule);
    expect(paid.size, `schedule ${schedule}`).toBe(SPOTS);
    const counts = await sql`select weekday_date::text as day, held_count, paid_count,
        (select count(*)::int from public.sponsorship_spots s where s.weekday_date = d.weekday_date and s.held_until is null) as sold
      from public.sponsorship_dates d where weekday_date = any (${[wanted, ...others]}::date[])`;
    for (const { day, held_count, paid_count, sold } of counts) {
      expect({ day, held_count, paid_count }, `schedule ${schedule}`).toEqual({
        day,
        held_count: 0,
        paid_count: sold,
      });
      expect(sold).toBeLessThanOrEqual(SPOTS);
      if (day === wanted) expect(sold, `schedule ${schedule}`).toBe(SPOTS);
    }
    await sql`delete from public.sponsorship_spots`;
  }
});
