/**
 * A session can end between two statements of one function: someone signs out, or a new password ends the others. What
 * was begun is then refused as it is to anyone who isn't signed in, and never as a failure of ours.
 */
import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";

import { createEverything, SECRET } from "./support/everything";
import { as, createUser, startMigratedPostgres } from "./support/real-postgres";

const { sql } = await startMigratedPostgres();
const admin = { id: randomUUID() };
const guest = { id: randomUUID() };
let owner: { id: string };
let place: number;

beforeAll(async () => {
  await createUser(sql, admin.id, "admin@example.test");
  await sql`update public.profiles set admin = true where id = ${admin.id}`;
  ({ owner } = await createEverything(sql, admin));
  await createUser(sql, guest.id, `kai-${SECRET}@example.test`);
  await sql`update public.manager_invitations set email = (select email from auth.users where id = ${guest.id})`;
  const [row] = await sql`select id::int from public.places where name = 'Café X'`;
  place = row!["id"] as number;
  await sql`insert into auth.mfa_factors (id, user_id, factor_type, status, friendly_name, created_at, updated_at)
    values (gen_random_uuid(), ${owner.id}, 'totp', 'verified', 'phone', now(), now())`;
  await sql`update auth.sessions set aal = 'aal2' where user_id = ${owner.id}`;
  // In place of a session that ends: it knows the caller for so many questions of a transaction.
  await sql.unsafe(`
    create or replace function private.user_id() returns uuid
    language plpgsql stable security definer set search_path = '' as $$
    declare
      left_to_ask constant integer := current_setting('app.left_to_ask', true)::integer;
    begin
      if left_to_ask > 0 then
        perform set_config('app.left_to_ask', (left_to_ask - 1)::text, true);
        return auth.uid();
      end if;
      return null;
    end $$`);
});

type Work = (db: typeof sql) => Promise<unknown>;

/** How a call ends when the session does after so many questions who the caller is; and whether it asked for more. */
async function callAfter(questions: number, person: { id: string }, work: Work) {
  let asked = true;
  let code = "done";
  class Undo extends Error {}
  await as(sql, person, async (db) => {
    await db`select set_config('app.left_to_ask', ${String(questions)}, true)`;
    await work(db).catch((error: { code: string; message: string }) => {
      code = `${error.code} ${error.message}`;
      throw new Undo();
    });
    const [row] = await db`select current_setting('app.left_to_ask') as left_to_ask`;
    asked = row!["left_to_ask"] === "0";
    throw new Undo();
  }).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
  return { asked, code };
}

it.each<[string, () => { id: string }, Work]>([
  ["accepts an invitation", () => guest, (db) => db`select public.accept_invitation(${SECRET})`],
  [
    "invites a manager",
    () => owner,
    (db) =>
      db`select public.invite_manager(gen_random_uuid(), ${place}, 'someone@example.test', ${"x".repeat(40)})`,
  ],
  [
    "answers about tracking",
    () => guest,
    (db) => db`select public.set_tracking_consent(true, '1', '/privacy')`,
  ],
  ["sets a position", () => guest, (db) => db`select public.set_my_position(45.5, -122.6)`],
  ["asks for the deletion", () => guest, (db) => db`select public.request_my_deletion()`],
  ["keeps the account", () => owner, (db) => db`select public.cancel_account_deletion()`],
  ["gets a code", () => guest, (db) => db`select public.issue_handoff_code()`],
  [
    "counts the people nearby",
    () => owner,
    (db) => db`select public.get_user_count_by_distance(${place})`,
  ],
  [
    "adds a listing",
    () => guest,
    (db) =>
      db`insert into public.places (name, category, description, rawaddress, third_party_auth, certified_queer)
         values ('Café Y', 4, 'A café.', '1 Main St', true, true)`,
  ],
  [
    "hides a listing",
    () => owner,
    (db) => db`update public.places set hidden = true where id = ${place}`,
  ],
  [
    "writes to a listing",
    () => guest,
    (db) =>
      db`insert into public.leads (place_id, requester_name, message) values (${place}, 'Kai', 'Hello')`,
  ],
  [
    "reports a listing",
    () => guest,
    (db) =>
      db`insert into public.events (event_name, place, user_id) values ('report_listing', ${place}, ${guest.id})`,
  ],
  [
    "writes to the team",
    () => guest,
    (db) => db`insert into public.feedback (userid, feedback) values (${guest.id}, 'Hello')`,
  ],
  [
    "saves a draft",
    () => guest,
    (db) => db`insert into public.listing_drafts (fields) values ('{"name": "Café"}')`,
  ],
  [
    "opens a review",
    () => admin,
    (db) => db`select public.lock_listing_for_review(${place}, true)`,
  ],
  [
    "saves a view",
    () => admin,
    (db) => db`insert into public.saved_views (name, filter) values ('New', '{}')`,
  ],
  [
    "decides",
    () => admin,
    (db) =>
      db`select public.decide_listings(gen_random_uuid(), 'flag', null, ${sql.json([{ id: place, version: 1 }])})`,
  ],
])("someone who %s while their session ends isn’t signed in", async (_, person, work) => {
  for (let questions = 0; questions < 100; questions++) {
    const { asked, code } = await callAfter(questions, person(), work);
    expect([questions, code]).toEqual([
      questions,
      expect.stringMatching(/^done$|^42501 |^P0001 |^PGRST /) as string,
    ]);
    if (!asked) {
      expect(code).toBe("done");
      return;
    }
  }
  throw new Error("It never ended.");
});
