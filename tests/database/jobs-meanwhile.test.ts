/** A job is paid for while its listing goes to someone else: it goes with the listing, as one that was paid for before. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { doMeanwhile } from "./support/after-waiting";
import { as, createUser, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const { sql } = await startMigratedPostgres();

it("follows the listing", async () => {
  const [admin, seller, buyer] = [randomUUID(), randomUUID(), randomUUID()];
  for (const [id, name] of [
    [admin, "admin"],
    [seller, "seller"],
    [buyer, "buyer"],
  ] as const)
    await createUser(sql, id, `${name}@example.test`);
  await sql`update public.profiles set admin = true where id = ${admin}`;
  const [listing] = await sql`insert into public.places (name, category, status, owner, owner_email)
    values ('Fern', 4, 'published', ${seller}, 'seller@example.test') returning id`;
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, place_id, owner)
    values ('Baker', 85, 'Bread', '{NM}', ${String(listing!["id"])}, ${seller}) returning id`;

  const given = await doMeanwhile(
    sql,
    (meanwhile) =>
      inTransaction(sql, async (db) => {
        await db`update public.jobs set paid = true, published = true, expiration_date = now() + interval '45 days'
          where id = ${String(job!["id"])}`;
        await meanwhile();
      }),
    () =>
      as(
        sql,
        { id: admin },
        (db) => db`update public.places set owner = ${buyer} where id = ${String(listing!["id"])}`,
      ),
  );
  expect(given).toBe(1);
  const [after] =
    await sql`select owner, owner_email from public.jobs where id = ${String(job!["id"])}`;
  expect(after).toEqual({ owner: buyer, owner_email: "buyer@example.test" });
});
