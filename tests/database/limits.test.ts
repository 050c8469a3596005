/** How much one account may write, and how much about one listing is accepted; straight at the data API. */
import { beforeEach, describe, expect, it } from "vitest";

import { LEAD_REFUSALS } from "~/modules/leads/refusals";
import { explainRefusal } from "~/http/refusals.server";
import { DataError } from "~/integrations/supabase/data.server";

import {
  type Answer,
  type Caller,
  completeListing,
  type Row,
  startDatabase,
} from "./support/data-api";

const database = await startDatabase();
const { sql, person, place } = database;

beforeEach(() => sql("delete from public.rate_limits"));

const ask = (by: Caller, place_id: number, row: Row = {}) =>
  by.insert("leads", {
    place_id,
    requester_name: "Kai",
    requester_email: by.email,
    message: "Hello",
    ...row,
  });
const report = (by: Caller, about: number) =>
  by.insert("events", { event_name: "report_listing", place: about, data: { reason: "Closed" } });

/** A refusal says why, for how long, in words, as a header, and as a number. */
function expectLimit(answer: Answer, code: string, atMost: number) {
  expect(answer).toMatchObject({ status: 429, code: "P0001", message: code });
  const seconds = Number(answer.details);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(atMost);
  expect(answer.retryAfter).toBe(answer.details);
  expect(answer.hint).toMatch(/^Try again in (a minute|\d+ (minutes|hours))\.$/);
}

describe("messages to listings", () => {
  it("come from the confirmed address of the account, whatever was sent", async () => {
    const [owner, sender] = [await person(), await person()];
    const listing = await place({ owner: owner.id });
    expect((await ask(sender, listing, { requester_email: "victim@example.test" })).status).toBe(
      201,
    );
    expect((await owner.call("get_owner_leads")).rows).toMatchObject([
      { requester_email: sender.email },
    ]);
    const other = await person();
    expect(await ask(sender, listing, { requester: other.id })).toMatchObject({ code: "42501" });
    const unconfirmed = await person({ confirmed: false });
    expect(await ask(unconfirmed, listing)).toMatchObject({
      status: 400,
      message: "lead_email_unconfirmed",
    });
    expect((await owner.call("get_owner_leads")).rows).toHaveLength(1);
  });

  it("are three a day to one listing", async () => {
    const [sender, listing, another] = [await person(), await place(), await place()];
    for (let n = 0; n < 3; n += 1) expect((await ask(sender, listing)).status).toBe(201);
    expectLimit(await ask(sender, listing), "too_many_leads_to_listing", 86_400);
    expect((await ask(sender, another)).status).toBe(201);
    expect((await ask(await person(), listing)).status).toBe(201);
  });

  it("are ten an hour to all, also when they are sent at once", async () => {
    const sender = await person();
    const listings = await Promise.all(Array.from({ length: 12 }, () => place()));
    const answers = await Promise.all(listings.map((listing) => ask(sender, listing)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expectLimit(refused, "too_many_leads", 3600);
    const many = [1, 2, 3, 4].map(() => ({
      place_id: listings[0],
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Hello",
    }));
    const bulk = await person();
    expectLimit(await bulk.insert("leads", many), "too_many_leads_to_listing", 86_400);
    expect(await sql("select 1 from public.leads where requester = $1", [bulk.id])).toEqual([]);
    // Trying on does not make the wait longer, and an hour later it goes on.
    await sql("update public.rate_limits set resets_at = now() - interval '1 second'");
    expect((await ask(sender, listings[0]!)).status).toBe(201);
  });

  it("are fifty an hour to one listing, from all accounts together", async () => {
    const listing = await place();
    const senders = await Promise.all(Array.from({ length: 51 }, () => person()));
    const answers: Answer[] = [];
    for (const sender of senders) answers.push(await ask(sender, listing));
    expect(answers.slice(0, 50).every(({ status }) => status === 201)).toBe(true);
    expectLimit(answers[50]!, "listing_gets_too_many_leads", 3600);
  });

  it("are explained in words with the time to wait, on a page", () => {
    const error = new DataError("refused", "too_many_leads", "P0001", "2520");
    expect(explainRefusal(error, LEAD_REFUSALS)).toBe(
      "You’ve reached the hourly limit for messages. Please try again later. Please wait 42 minutes and try again.",
    );
  });
});

describe("reports", () => {
  it("are three a day about one listing, and ten an hour about all", async () => {
    const sender = await person();
    const listings = await Promise.all(Array.from({ length: 9 }, () => place()));
    for (let n = 0; n < 3; n += 1) expect((await report(sender, listings[0]!)).status).toBe(201);
    expectLimit(await report(sender, listings[0]!), "too_many_reports_of_listing", 86_400);
    for (const listing of listings.slice(1, 8))
      expect((await report(sender, listing)).status).toBe(201);
    expectLimit(await report(sender, listings[8]!), "too_many_reports", 3600);
  });

  it("are fifty an hour about one listing, from all accounts together", async () => {
    const listing = await place();
    await sql(
      "insert into public.rate_limits values (private.code_hash($1), 50, now() + interval '1 hour')",
      [`report of ${listing}`],
    );
    expectLimit(await report(await person(), listing), "listing_gets_too_many_reports", 3600);
  });
});

it("feedback is ten an hour", async () => {
  const sender = await person();
  const send = () => sender.insert("feedback", { feedback: "Lovely", os: "iOS 4" });
  for (let n = 0; n < 10; n += 1) expect((await send()).status).toBe(201);
  expectLimit(await send(), "too_much_feedback", 3600);
});

it("accounts are five a day for one mailbox, however its address is written", async () => {
  for (const tag of ["+a", "+b", "+c", "+d"]) await person({ email: `many${tag}@example.test` });
  await person({ email: "Many+E@example.test" });
  await expect(person({ email: "many+f@example.test" })).rejects.toThrow(/too_many_sign_ups/);
  // Others can't use up the sign-ups of the address itself.
  await person({ email: "many@example.test" });
  await person({ email: "one+a@example.test" });
});

it("invitations say when the next one can be sent", async () => {
  const owner = await person();
  const listing = await place({ owner: owner.id });
  const invite = () =>
    owner.call("invite_manager", {
      invitation: crypto.randomUUID(),
      place_id: listing,
      email: "again@example.test",
      token: crypto.randomUUID() + crypto.randomUUID(),
    });
  for (let n = 0; n < 5; n += 1) expect((await invite()).status).toBe(204);
  expectLimit(await invite(), "too_many_invitations", 86_400);
});

describe("changes of a listing", () => {
  it("are sixty an hour, so that a decision finds the version it was made on, and never keep it public", async () => {
    const [owner, admin] = [await person(), await person({ admin: true })];
    const [listing, another] = [await place({ owner: owner.id }), await place({ owner: owner.id })];
    const change = (by: Caller, id: number, row: Row) => by.update("places", `id=eq.${id}`, row);
    for (let n = 0; n < 60; n += 1)
      expect((await change(owner, listing, { description: `No. ${n}` })).status).toBe(204);
    expectLimit(await change(owner, listing, { description: "No. 60" }), "too_many_changes", 3_600);
    // What changes nothing is no change, and another listing and an admin have limits of their own.
    expect((await change(owner, listing, { description: "No. 59" })).status).toBe(204);
    expect((await change(owner, another, { description: "No. 0" })).status).toBe(204);
    expect((await change(admin, listing, { description: "By an admin" })).status).toBe(204);
    expect((await change(owner, listing, { hidden: true })).status).toBe(204);
    expectLimit(await change(owner, listing, { hidden: false }), "too_many_changes", 3_600);
    expect((await change(owner, listing, { archive_requested: true })).status).toBe(204);
  });

  it("are counted when they also hide the listing or ask for its removal", async () => {
    const [owner, listing] = await ownedAtTheLimit();
    const change = (row: Row) => owner.update("places", `id=eq.${listing}`, row);
    for (const row of [
      { hidden: true, description: "Hidden" },
      { archive_requested: true, description: "To be removed" },
    ])
      expectLimit(await change(row), "too_many_changes", 3_600);
    expect((await change({ hidden: true })).status).toBe(204);
    // Each of the two switches on while the other goes off.
    const other = { hidden: false, archive_requested: true };
    expectLimit(await change(other), "too_many_changes", 3_600);
    expectLimit(await change({ ...other, description: "Both" }), "too_many_changes", 3_600);
  });

  async function ownedAtTheLimit(): Promise<[Caller, number]> {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    await sql("select private.limit_changes($1) from generate_series(1, 60)", [listing]);
    return [owner, listing];
  }
});

describe("what an account adds", () => {
  it.each([
    ["places", "too_many_new_listings", completeListing],
    [
      "jobs",
      "too_many_new_jobs",
      { title: "Baker", category: 85, description: "Bake.", location: ["Arizona"] },
    ],
    ["sponsorships", "too_many_new_sponsorships", { promo_text: "Come in" }],
  ])("is a hundred %s a day, in one request or many", async (table, code, row) => {
    const [owner, admin] = [await person(), await person({ admin: true })];
    const listing = await place({ owner: owner.id });
    const one: Row = table === "places" ? row : { ...row, place_id: listing };
    const rows = Array.from({ length: 101 }, () => one);
    expectLimit(await owner.insert(table, rows), code, 86_400);
    expect((await owner.insert(table, rows.slice(1))).status).toBe(201);
    expectLimit(await owner.insert(table, one), code, 86_400);
    expect((await admin.insert(table, { ...one, owner: admin.id })).status).toBe(201);
  });
});
