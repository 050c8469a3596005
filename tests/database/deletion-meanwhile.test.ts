/** An account is deleted while people work: neither waits for the other in a circle, and no one waits without need. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { countWaiting, doMeanwhile } from "./support/after-waiting";
import { startDirectory } from "./support/directory-at-work";
import { as, createUser, inTransaction } from "./support/real-postgres";

const { sql, admin, second, places } = await startDirectory();

it("admins review, and get emails, while one of them deletes an account", async () => {
  const gone = randomUUID();
  await createUser(sql, gone, "gone@example.test");
  await places(1, "new");
  await as(sql, admin, async (db) => {
    await db`select public.admin_delete_user(${gone})`;
    await as(sql, second, async (others) => {
      await others`set local lock_timeout = '1s'`;
      const [next] = await others`select public.lock_next_listing_for_review(null) as listing`;
      expect(next!["listing"]).not.toBeNull();
    });
    await inTransaction(sql, async (others) => {
      await others`set local lock_timeout = '1s'`;
      await others`select private.enqueue_team_email('refund-failed', 'refund-failed:1', '{}')`;
    });
  });
  const emails = await sql`select recipient from private.email_queue where kind = 'refund-failed'`;
  expect(new Set(emails.map((email) => email["recipient"]))).toEqual(
    new Set([admin.id, second.id]),
  );
});

it("an account is deleted whose owner is about to pay for their listing", async () => {
  const buyer = randomUUID();
  await createUser(sql, buyer, "buyer@example.test");
  const [listing] = await sql`insert into public.places (name, category, status, owner, owner_email)
    values ('Fern', 4, 'published', ${buyer}, 'buyer@example.test') returning id`;
  const [job] = await sql`
    insert into public.jobs (title, category, description, location, company_name, company_bio, owner)
    values ('Baker', 85, 'Bread', '{NM}', 'Fern', 'Bakery', ${buyer}) returning id`;
  const pay = () =>
    sql`select public.open_order(${buyer}, 'upgrade', ${String(listing!["id"])}, 'monthly', 4900)`;
  let paying: Promise<unknown> | undefined;
  const deleted = await doMeanwhile(
    sql,
    (meanwhile) =>
      // Stops the deletion when it has their listing, and not yet their profile.
      inTransaction(sql, async (db) => {
        await db`select from public.jobs where id = ${String(job!["id"])} for update`;
        await meanwhile();
        paying = pay().catch((error: { code: string }) => error.code);
        await expect.poll(() => countWaiting(sql)).toBe(2);
      }),
    () => as(sql, admin, async (db) => db`select public.admin_delete_user(${buyer})`),
  );
  expect(deleted).toBe(1);
  // The listing isn't theirs by then.
  expect(await paying).toMatchObject([{ open_order: { refused: "missing" } }]);
  expect(await sql`select from auth.users where id = ${buyer}`).toHaveLength(0);
});

it("one email is sent about a deletion that is asked for again, in whatever time zone", async () => {
  const user = { id: randomUUID() };
  await createUser(sql, user.id, "zones@example.test");
  for (const zone of ["UTC", "Asia/Tokyo", "America/Denver"])
    await as(sql, user, async (db) => {
      // As the data API does for `Prefer: timezone=Asia/Tokyo`.
      await db`select set_config('timezone', ${zone}, true)`;
      await db`select public.request_my_deletion()`;
    });
  const emails = await sql`select kind from private.email_queue where recipient = ${user.id}`;
  expect(emails).toEqual([{ kind: "account-deletion" }]);
});

it("an account is deleted although someone holds a listing of their own with its address, which no admin has approved", async () => {
  const [gone, other] = [randomUUID(), randomUUID()];
  await createUser(sql, gone, "leaving@example.test");
  await createUser(sql, other, "other@example.test");
  const [theirs] =
    await sql`insert into public.places (name, category, status, owner, owner_email, public_email)
    values ('Fern', 4, 'new', ${other}, 'other@example.test', 'leaving@example.test') returning id`;
  await inTransaction(sql, async (db) => {
    // As a request to the data API does that changes it and is slow: one after the other, for as long as they like.
    await db`update public.places set description = 'Bread' where id = ${String(theirs!["id"])}`;
    await as(sql, admin, async (deletion) => {
      await deletion`set local lock_timeout = '1s'`;
      const [answer] = await deletion`select public.admin_delete_user(${gone}) as existed`;
      expect(answer).toEqual({ existed: true });
    });
  });
  expect(await sql`select from auth.users where id = ${gone}`).toHaveLength(0);
  // Someone who typed it there doesn't learn of the deletion.
  const [kept] =
    await sql`select public_email from public.places where id = ${String(theirs!["id"])}`;
  expect(kept).toEqual({ public_email: "leaving@example.test" });
});
