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
      "You’ve reached the hourly limit for messages. Please wait 42 minutes and try again.",
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

it("accounts are twenty a day for the dots in one address at Gmail, which don't use up those with a suffix", async () => {
  const spellings = Array.from({ length: 21 }, (_, n) =>
    [..."rosamaria"].map((letter, at) => letter + (((n + 1) >> at) & 1 ? "." : "")).join(""),
  );
  for (const [n, name] of spellings.slice(0, 20).entries())
    await person({ email: `${name}@${n % 2 ? "gmail" : "googlemail"}.com` });
  await expect(person({ email: `${spellings[20]}@gmail.com` })).rejects.toThrow(
    /too_many_sign_ups/,
  );
  for (const tag of ["a", "b", "c", "d", "e"])
    await person({ email: `rosa.maria+${tag}@gmail.com` });
  await expect(person({ email: "rosamaria+f@gmail.com" })).rejects.toThrow(/too_many_sign_ups/);
  // Others can't use up the sign-up of the plain address.
  await person({ email: "rosamaria@gmail.com" });
  // Elsewhere, a dot makes another mailbox.
  await person({ email: "rosa.maria@example.test" });
});

it("accounts are as many for the spellings of one address at Proton, which ignores more than dots", async () => {
  const domains = ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"];
  const separators = ["", ".", "-", "_"];
  const spellings = separators.flatMap((first) =>
    separators.flatMap((second) => domains.map((domain) => `li${first}nh${second}ua@${domain}`)),
  );
  for (const email of spellings.slice(4, 24)) await person({ email });
  await expect(person({ email: spellings[24]! })).rejects.toThrow(/too_many_sign_ups/);
  // Others can't use up the sign-up of the plain address, with any of the domains.
  for (const domain of domains) await person({ email: `linhua@${domain}` });
});

it("emails to the plain address of a mailbox can't be used up by its other spellings, at any of its domains", async () => {
  const ask = async (email: string) =>
    (await sql("select public.take_account_email($1, 'sign-up') as may", [email]))[0]!["may"];
  const change = async (n: number, email: string) =>
    (await sql("select private.take_email_change($1, $2) as may", [`user ${n}`, email]))[0]!["may"];
  const spellings = Array.from({ length: 31 }, (_, n) =>
    [..."xiomara"].map((letter, at) => letter + (((n + 1) >> at) & 1 ? "-" : "")).join(""),
  );
  for (const [n, name] of spellings.slice(0, 30).entries()) {
    expect(await ask(`${name}@proton.me`)).toBe(true);
    expect(await change(n, `${name}@proton.me`)).toBe(n < 20);
  }
  expect(await ask(`${spellings[30]}@proton.me`)).toBe(false);
  for (const domain of ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"]) {
    expect(await ask(`xiomara@${domain}`)).toBe(true);
    expect(await change(40, `xiomara@${domain}`)).toBe(true);
  }
});

it("changes of address are twenty an hour for all addresses of one mailbox, besides the plain one", async () => {
  const change = async (n: number, email: string) =>
    (await sql("select private.take_email_change($1, $2) as may", [`account ${n}`, email]))[0]![
      "may"
    ];
  for (let n = 0; n < 20; n += 1) expect(await change(n, `kim+${n}@example.test`)).toBe(true);
  expect(await change(21, "kim+21@example.test")).toBe(false);
  expect(await change(22, "kim@example.test")).toBe(true);
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

  it("by its managers are counted apart: they don’t keep its owner from taking an address back", async () => {
    const [owner, manager] = [await person(), await person()];
    const listing = await place({ owner: owner.id });
    await database.sql(
      "insert into public.listing_managers (place_id, profile_id) values ($1, $2)",
      [listing, manager.id],
    );
    const change = (by: Caller, table: string, row: Row) =>
      by.update(table, `id=eq.${listing}`, row);
    for (let n = 0; n < 60; n += 1)
      expect((await change(manager, "managed_places", { description: `No. ${n}` })).status).toBe(
        204,
      );
    expectLimit(
      await change(manager, "managed_places", { description: "No. 60" }),
      "too_many_changes",
      3_600,
    );
    expect((await change(owner, "places", { phone: null, description: "Mine" })).status).toBe(204);
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

describe("changes by an account", () => {
  const job = { title: "Baker", category: 85, description: "Bake.", location: ["Arizona"] };

  /** Someone with a listing, a job that is live, an unpaid one, and an order, who has made this many changes. */
  async function ownerWithChanges(made: number) {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    const add = async (table: string, row: Row) => {
      await owner.insert(table, { ...row, place_id: listing });
      const [{ id } = {}] = await sql(`select max(id)::int as id from public.${table}`);
      return id as number;
    };
    const [live, unpaid] = [await add("jobs", job), await add("jobs", job)];
    await sql(
      "update public.jobs set paid = true, published = true, expiration_date = now() + interval '9 days' where id = $1",
      [live],
    );
    const order = await add("sponsorships", { promo_text: "Come in" });
    await useUp(`changes by ${owner.id}`, 300, made);
    return { owner, listing, live, unpaid, order };
  }

  it("are three hundred an hour, since the log keeps each: of listings, jobs, and orders together", async () => {
    const { owner, listing, live, unpaid, order } = await ownerWithChanges(299);
    const change = (table: string, id: number, row: Row) => owner.update(table, `id=eq.${id}`, row);
    expect((await change("jobs", unpaid, { title: "Cook" })).status).toBe(204);
    expectLimit(await change("jobs", unpaid, { title: "Chef" }), "too_many_job_changes", 3_600);
    expectLimit(await change("sponsorships", order, { rate: 46 }), "too_many_order_changes", 3_600);
    expectLimit(await change("places", listing, { name: "Bar" }), "too_many_changes", 3_600);
    // What changes nothing is no change. What is public can be taken down at any time.
    expect((await change("jobs", unpaid, { title: "Cook" })).status).toBe(204);
    expect((await change("sponsorships", order, { promo_text: "Come in" })).status).toBe(204);
    expect((await change("places", listing, { hidden: true })).status).toBe(204);
    expect((await change("jobs", live, { published: false })).status).toBe(204);
    expectLimit(await change("jobs", live, { published: true }), "too_many_job_changes", 3_600);
    const admin = await person({ admin: true });
    await useUp(`changes by ${admin.id}`, 300, 300);
    expect((await admin.update("jobs", `id=eq.${live}`, { published: true })).status).toBe(204);
    expect((await admin.update("sponsorships", `id=eq.${order}`, { rate: 46 })).status).toBe(204);
  });

  it("are counted for each row of a request", async () => {
    const { owner } = await ownerWithChanges(299);
    const both = await owner.update("jobs", `owner=eq.${owner.id}`, { title: "Cook" });
    expectLimit(both, "too_many_job_changes", 3_600);
    expect((await owner.select("jobs", "title=eq.Cook")).rows).toEqual([]);
  });
});

it("an admin decides on a thousand reports at once, in one of three ways, with a note of 2,000 characters", async () => {
  const admin = await person({ admin: true });
  const decide = async (args: Row) =>
    (await admin.call("update_reports", { ids: [1], to_state: "resolved", ...args })).message;
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1_000_000);
  expect(await decide({ ids: [] })).toBe("nothing_selected");
  expect(await decide({ ids: ids(1001) })).toBe("too_many_selected");
  expect(await decide({ to_state: "lost" })).toBe("report_decision_unknown");
  expect(await decide({ note: "x".repeat(2001) })).toBe("report_note_too_long");
  expect(await decide({ ids: ids(1000), note: "x".repeat(2000) })).toBeUndefined();
});

it("an admin names twenty views, and can still change each of them", async () => {
  const admin = await person({ admin: true });
  const save = (name: string) => admin.insert("saved_views", { name, filter: {} });
  for (let n = 0; n < 20; n += 1) expect((await save(`View ${n}`)).status).toBe(201);
  expect(await save("One more")).toMatchObject({ message: "too_many_saved_views" });
  const change = { filter: { view: "new" } };
  expect((await admin.update("saved_views", "name=eq.View 3", change)).status).toBe(204);
});

describe("what sends an email to its own account", () => {
  const emails = (to: Caller) =>
    sql("select kind from private.email_queue where recipient = $1", [to.id]);

  it("is five requests a day to delete it", async () => {
    const owner = await person();
    for (let n = 0; n < 5; n += 1) {
      if (n > 0) expect((await owner.call("cancel_account_deletion")).status).toBe(204);
      expect((await owner.call("request_my_deletion")).status).toBe(200);
      // Asked again, it is the same request.
      expect((await owner.call("request_my_deletion")).status).toBe(200);
    }
    await owner.call("cancel_account_deletion");
    expectLimit(await owner.call("request_my_deletion"), "too_many_deletion_requests", 86_400);
    expect((await owner.call("my_deletion")).value).toBeNull();
    expect(await emails(owner)).toHaveLength(5);
  });

  it("is ten new sets of recovery codes an hour, and the last ones remain", async () => {
    const owner = await person({ secondStep: true });
    await useUp(`recovery codes of ${owner.id}`, 10, 9);
    expect((await owner.call("create_recovery_codes")).status).toBe(200);
    const codes = () =>
      sql("select code_hash from private.recovery_codes where user_id = $1 order by 1", [owner.id]);
    const last = await codes();
    expectLimit(await owner.call("create_recovery_codes"), "too_many_recovery_codes", 3_600);
    expect(await codes()).toEqual(last);
    expect(await emails(owner)).toEqual([]);
  });
});

describe("consents", () => {
  const tracking = (by: Caller, granted: boolean, text_version = "1") =>
    by.call("set_tracking_consent", { granted, text_version, page: "/privacy" });

  it("are twenty a day, since nothing removes them; withdrawing one is never refused", async () => {
    const owner = await person();
    await useUp(`consent by ${owner.id}`, 20, 17);
    const opt = (row: Row) => owner.update("profiles", `id=eq.${owner.id}`, row);
    expect((await opt({ opted_in: true })).status).toBe(204);
    expect((await opt({ sms_opted_in: true })).status).toBe(204);
    expect((await tracking(owner, true)).status).toBe(204);
    expectLimit(await tracking(owner, true, "2"), "too_many_consents", 86_400);
    expect((await tracking(owner, false)).status).toBe(204);
    expectLimit(await tracking(owner, false, "2"), "too_many_consents", 86_400);
    for (const column of ["opted_in", "sms_opted_in"]) {
      expect((await opt({ [column]: false })).status).toBe(204);
      expectLimit(await opt({ [column]: true }), "too_many_consents", 86_400);
    }
    expect((await owner.select("consents")).rows).toHaveLength(6);
  });

  it("to tracking are a yes or a no", async () => {
    const owner = await person();
    const answer = { granted: null, text_version: "1", page: "/privacy" };
    expect(await owner.call("set_tracking_consent", answer)).toMatchObject({
      message: "tracking_answer_missing",
    });
    expect((await owner.select("consents")).rows).toEqual([]);
  });

  it("count only when their user gives or refuses them", async () => {
    const owner = await person();
    for (let n = 0; n < 42; n += 1)
      await sql("update public.profiles set opted_in = not opted_in where id = $1", [owner.id]);
    expect((await tracking(owner, true)).status).toBe(204);
  });
});

/** Takes some of what a limit allows. */
const useUp = (bucket: string, most: number, taken: number) =>
  sql("select private.enforce_limit('x', $1, $2, 3600) from generate_series(1, $3::int)", [
    bucket,
    most,
    taken,
  ]);
