/** The counts beside the links of every page, at the data API: each person's own, and no more. */
import { beforeAll, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let manager: Caller;
let other: Caller;
let admin: Caller;

const count = async (caller: Caller) => (await caller.call("my_counts")).value;

beforeAll(async () => {
  [owner, manager, other] = [
    await database.person(),
    await database.person(),
    await database.person(),
  ];
  admin = await database.person({ admin: true });
  const asked = await database.place({ owner: owner.id, changes_requested: "Please." });
  // Only its owner can pay.
  const unpaid = await database.place({
    owner: owner.id,
    subscription_status: "past_due",
    stripe_cus_id: "cus_1",
  });
  await database.place({ owner: null, owner_email: owner.email });
  for (const place of [asked, unpaid])
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      place,
      manager.id,
    ]);
  await sql("insert into public.listing_drafts (owner, fields) values ($1, '{}')", [owner.id]);
  await sql(
    `insert into public.jobs (title, category, description, location, company_name, company_bio, owner, owner_email)
     values ('Baker', 85, 'Bread.', '{New Mexico}', 'Bakery', 'Bread', $1, $2)`,
    [owner.id, owner.email],
  );
  await sql(
    "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', 'kai@example.test', 'Hi')",
    [asked],
  );
});

it("are an owner's, a manager's, and no one else's", async () => {
  expect(await count(owner)).toEqual({ listings: 4, leads: 1, jobs: 1 });
  expect(await count(manager)).toEqual({ listings: 1, leads: 1, jobs: 0 });
  expect(await count(other)).toEqual({ listings: 0, leads: 0, jobs: 0 });
});

it("are an admin's own, with how much waits and how much there is, which admins may read anyway", async () => {
  expect(await count(admin)).toMatchObject({
    listings: 0,
    leads: 0,
    jobs: 0,
    all_listings: 3,
    all_jobs: 1,
    users: 4,
  });
});
