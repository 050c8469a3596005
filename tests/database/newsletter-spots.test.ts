/**
 * Ten spots and fifty buyers at the same time, in many random schedules: buyers hold, pay, give up,
 * let their hold expire, select other dates in between, and try again. On real Postgres, with fifty
 * connections. Ten spots are always sold, and there is no deadlock.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { timesTried } from "../support/nightly";
import { createRandom } from "../support/random";
import { as, createUser, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const { sql } = await startMigratedPostgres();
const SCHEDULES = timesTried(10, 100);
const BUYERS = 50;
const SPOTS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

const owner = { id: randomUUID() };
await createUser(sql, owner.id, "buyer@example.test");
await sql`with businesses as (
    insert into public.places (name, category, status)
    select 'Café ' || n, 4, 'published' from generate_series(1, ${BUYERS}) n returning id)
  insert into public.sponsorships (place_id, promo_text, owner) select id, 'Hello', ${owner.id} from businesses`;
const orders = (await sql`select id from public.sponsorships order by id`).map((row) =>
  Number(row.id),
);

/** Four newsletters for each schedule, in a year of its own. Every buyer wants the first. */
function listNewsletters(schedule: number): string[] {
  const first = new Date(Date.UTC(2100 + schedule, 0, 1));
  const tuesday = first.getTime() + ((9 - first.getUTCDay()) % 7) * DAY_MS;
  return [0, 2, 7, 9].map((days) => new Date(tuesday + days * DAY_MS).toISOString().slice(0, 10));
}

async function run(schedule: number) {
  const random = createRandom(schedule).number;
  const [wanted, ...others] = listNewsletters(schedule) as [string, ...string[]];
  /** The wanted newsletter and some others, in a random order. */
  const selectSome = () =>
    [wanted, ...others.filter(() => random() < 0.4)].sort(() => random() - 0.5);
  const choose = (id: number) =>
    sql`update public.sponsorships set sponsorship_dates = ${`{${selectSome().join()}}`}::date[] where id = ${id}`;
  const takeSpots = async (id: number, forGood: boolean) =>
    (await sql`select outcome from private.reserve_spots(${id}, ${forGood})`).every(
      ({ outcome }) => outcome === "held",
    );

  /** As when Stripe reports that a checkout expired, which releases its spots. */
  const giveUp = (id: number) =>
    inTransaction(sql, async (db) => {
      await db`select private.lock_order_item(null, ${id}, null)`;
      await db`delete from public.sponsorship_spots where sponsorship_id = ${id} and held_until is not null`;
    });

  await sql`update public.sponsorships set paid = false, sponsorship_dates = ${`{${wanted}}`}::date[]`;
  const paid = new Set<number>();

  async function buy(id: number) {
    if (random() < 0.3) await choose(id);
    if (!(await takeSpots(id, false))) {
      // The buyer learns which dates are full and selects others.
      await choose(id);
      return;
    }
    const mood = random();
    if (mood < 0.1)
      await as(sql, owner, (db) => db`select public.release_sponsorship_dates(${id})`);
    else if (mood < 0.2) await giveUp(id);
    else if (mood < 0.35)
      await sql`update public.sponsorship_spots set held_until = now() where sponsorship_id = ${id} and held_until is not null`;
    // Some pay late: after their hold ended, others may have been faster.
    if (mood > 0.2 && (await takeSpots(id, true))) paid.add(id);
  }

  for (let round = 0; round < 20 && paid.size < SPOTS; round += 1) {
    await Promise.all(orders.filter((id) => !paid.has(id)).map(buy));
  }
  // The remaining spots of the wanted newsletter go to the remaining buyers, one after another.
  await sql`delete from public.sponsorship_spots where held_until is not null`;
  for (const id of orders) {
    if (paid.size >= SPOTS) break;
    if (paid.has(id)) continue;
    await sql`update public.sponsorships set sponsorship_dates = ${`{${wanted}}`}::date[] where id = ${id}`;
    if (await takeSpots(id, true)) paid.add(id);
  }
  return { wanted, others, paid };
}

it(`sells exactly ten spots to ${BUYERS} buyers in each of ${SCHEDULES} schedules`, async () => {
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
