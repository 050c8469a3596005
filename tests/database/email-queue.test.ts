/** The email queue: recipients, retries, and what remains of an email. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { startDatabase, type Caller, type Row } from "./support/data-api";

const { sql, person, place, service } = await startDatabase();

const notify = (to: { recipient?: string; place?: number }, key: string, data: Row = {}) =>
  sql("select private.enqueue_email($1, $2, 'test-letter', $3, $4::jsonb)", [
    to.recipient ?? null,
    to.place ?? null,
    key,
    JSON.stringify(data),
  ]);
const take = async (most = 50) =>
  (await service.call("lease_emails", { max_emails: most })).rows as (Row & { id: string })[];
/** Makes all emails of the queue due. */
const later = () =>
  sql("update private.email_queue set next_try_at = now() where next_try_at < 'infinity'");
const startOver = () => sql("delete from private.email_queue");

it("has one email for each key, with the recipient's address at the time of delivery", async () => {
  await startOver();
  const rosa = await person({ data: { full_name: "Rosa" } });
  await notify({ recipient: rosa.id }, "order:1", { total: "$45" });
  await notify({ recipient: rosa.id }, "order:1", { total: "$90" });
  await sql("update auth.users set email = 'Rosa.New@example.test' where id = $1", [rosa.id]);
  expect(await take()).toMatchObject([
    {
      kind: "test-letter",
      data: { total: "$45" },
      attempts: 1,
      email: "rosa.new@example.test",
      full_name: "Rosa",
    },
    // The old address hears of the change.
    { kind: "email-changed", data: { user: rosa.id } },
  ]);
  expect(
    await sql(
      "select count(*)::int as n from private.email_queue where kind = 'test-letter' and email_queue::text ilike '%@%'",
    ),
  ).toEqual([{ n: 0 }]);
});

it("addresses a listing's owner, or its email address without an owner, and never an unconfirmed account", async () => {
  await startOver();
  const owner = await person({ email: "owner@example.test" });
  const unconfirmed = await person({ confirmed: false });
  await notify({ place: await place({ owner: owner.id, owner_email: "else@example.test" }) }, "a");
  await notify({ place: await place({ owner_email: "unclaimed@example.test" }) }, "b");
  await notify(
    { place: await place({ owner: unconfirmed.id, owner_email: "else@example.test" }) },
    "c",
  );
  await notify({ recipient: unconfirmed.id }, "d");
  expect((await take()).map(({ email }) => email).sort()).toEqual([
    "owner@example.test",
    "unclaimed@example.test",
  ]);
  await sql("update auth.users set email_confirmed_at = now() where id = $1", [unconfirmed.id]);
  expect((await take()).map(({ email }) => email)).toEqual([unconfirmed.email, unconfirmed.email]);
});

it("to a listing without an owner follows the choices of the account that can claim it", async () => {
  await startOver();
  const kai = await person({ email: "kai@example.test", data: { full_name: "Kai" } });
  const stranger = await person({ email: "stranger@example.test", confirmed: false });
  await kai.update("profiles", `id=eq.${kai.id}`, { discreet: true });
  await sql("update public.profiles set discreet = true where id = $1", [stranger.id]);
  await kai.insert("email_preferences", { user_id: kai.id, kind: "listing-edited", wanted: false });
  const [theirs, unclaimed] = [
    await place({ owner_email: "kai@example.test" }),
    // Anyone can sign up with anyone's address: what they choose does not count before it is confirmed.
    await place({ owner_email: "stranger@example.test" }),
  ];
  await notify({ place: theirs }, "a");
  await notify({ place: unclaimed }, "b");
  await sql("select private.enqueue_email(null, $1, 'listing-edited', 'c')", [theirs]);
  const found = (await take()).sort((one, other) =>
    String(one.email) < String(other.email) ? -1 : 1,
  );
  expect(found).toMatchObject([
    {
      kind: "test-letter",
      email: "kai@example.test",
      user_id: kai.id,
      full_name: "Kai",
      discreet: true,
    },
    { kind: "test-letter", email: "stranger@example.test", user_id: null, discreet: false },
  ]);
  expect(found).toHaveLength(2);
});

it("loses an email with its user or listing, and queues none without a recipient", async () => {
  await startOver();
  const [gone, admin] = [await person(), await person({ admin: true })];
  const listing = await place();
  await notify({ recipient: gone.id }, "a");
  await notify({ place: listing }, "b");
  await notify({}, "c");
  await notify({ recipient: "00000000-0000-4000-8000-000000000000" }, "d");
  expect((await admin.call("admin_delete_user", { userid: gone.id })).value).toBe(true);
  // (Not those about their own deletion, which is queued for their address.)
  await sql("delete from private.email_queue where kind = 'account-deleted'");
  expect(await sql("select key from private.email_queue")).toEqual([{ key: "b" }]);
  await sql("delete from public.places where id = $1", [listing]);
  expect(await sql("select key from private.email_queue")).toEqual([]);
});

it("reserves an email for five minutes, and deletes its data once it is sent", async () => {
  await startOver();
  await notify({ recipient: (await person()).id }, "a", { reason: "private words" });
  const [notice] = await take();
  expect(await take()).toEqual([]);
  expect(
    await sql(
      "select next_try_at - now() between interval '4 minutes' and interval '5 minutes' as reserved from private.email_queue",
    ),
  ).toEqual([{ reserved: true }]);
  await later();
  expect(await take()).toMatchObject([{ id: notice!.id, attempts: 2 }]);
  await service.call("mark_email_sent", { id: notice!.id });
  await later();
  expect(await take()).toEqual([]);
  expect(await sql("select data, sent_at is not null as sent from private.email_queue")).toEqual([
    { data: {}, sent: true },
  ]);
});

it("waits longer after each failure, up to six hours, and gives up after a week or a permanent failure", async () => {
  await startOver();
  await notify({ recipient: (await person()).id }, "a");
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    const [notice] = await take();
    await service.call("mark_email_failed", { id: notice!.id });
    const [row] = await sql(
      "select round(extract(epoch from next_try_at - now()) / 60)::int as wait from private.email_queue",
    );
    waits.push(Number(row?.wait));
    await later();
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);

  await sql("update private.email_queue set created_at = now() - interval '7 days'");
  expect(await take()).toEqual([]);
  await sql("update private.email_queue set created_at = now()");
  const [notice] = await take();
  await service.call("mark_email_failed", { id: notice!.id, permanent: true });
  expect(await sql("select next_try_at = 'infinity' as never from private.email_queue")).toEqual([
    { never: true },
  ]);
  await sql("update private.email_queue set created_at = now() - interval '91 days'");
  await take();
  expect(await sql("select * from private.email_queue")).toEqual([]);
});

it("with a link that lasts an hour is tried again every few minutes of it, so that it is sent soon after an outage", async () => {
  await startOver();
  await sql(
    "select private.enqueue_account_email('kai@example.test', 'account-recovery', 'r', '{}')",
  );
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const [letter] = await take();
    await service.call("mark_email_failed", { id: letter!.id });
    const [row] = await sql(
      "select round(extract(epoch from next_try_at - now()) / 60)::int as wait from private.email_queue",
    );
    waits.push(Number(row?.wait));
    await later();
  }
  expect(waits).toEqual([1, 2, 4, 5, 5, 5]);
});

it("about an account that the team deleted outlasts an outage, and goes with its address after a week", async () => {
  await startOver();
  const [someone, admin] = [
    await person({ email: "gone@example.test" }),
    await person({ admin: true }),
  ];
  await admin.call("admin_delete_user", { userid: someone.id });
  const waited = (time: string) =>
    sql("update private.email_queue set created_at = now() - $1::interval, next_try_at = now()", [
      time,
    ]);
  await waited("6 days");
  expect(await take()).toMatchObject([{ kind: "account-deleted", email: "gone@example.test" }]);
  await waited("8 days");
  expect(await take()).toEqual([]);
  expect(await sql("select * from private.email_queue where address is not null")).toEqual([]);
});

it("about a changed address outlasts an outage, and goes to the former address alone", async () => {
  await startOver();
  const someone = await person({ email: "before@example.test" });
  await sql("update auth.users set email = 'after@example.test' where id = $1", [someone.id]);
  await sql(
    "select private.enqueue_account_email('lou@example.test', 'account-recovery', 'r', '{}')",
  );
  const waited = (time: string) =>
    sql("update private.email_queue set created_at = now() - $1::interval, next_try_at = now()", [
      time,
    ]);
  await waited("61 minutes");
  const taken = await take();
  expect(taken).toMatchObject([{ kind: "email-changed", email: "before@example.test" }]);
  for (let attempt = 1; attempt <= 8; attempt += 1)
    await service.call("mark_email_failed", { id: taken[0]!.id });
  await waited("6 days");
  expect(await take()).toHaveLength(1);
  // Then the address is deleted, too.
  await waited("8 days");
  expect(await take()).toEqual([]);
  expect(await sql("select * from private.email_queue where address is not null")).toEqual([]);
});

it("with a link replaces the one that it made invalid and that was not sent yet, of the same account alone", async () => {
  await startOver();
  const ask = (kind: string, key: string, user: string, address = "kai@example.test") =>
    sql("select private.enqueue_account_email($1, $2, $3, $4::jsonb)", [
      address,
      kind,
      key,
      JSON.stringify({ user, token_hash: key }),
    ]);
  await ask("account-recovery", "first", "kai");
  await ask("account-recovery", "second", "kai");
  // Asked for again by the auth service, which got no answer.
  await ask("account-recovery", "second", "kai");
  await ask("email-change-to", "third", "kai");
  await ask("email-change-to", "fourth", "someone else");
  await ask("account-recovery", "fifth", "mo", "mo@example.test");
  const tokens = (await take()).map(({ data }) => (data as Row)["token_hash"]);
  expect(tokens.sort()).toEqual(["fifth", "fourth", "second", "third"]);
});

it("is not sent once it says what is not so anymore", async () => {
  const [owner, next, admin] = [await person(), await person(), await person({ admin: true })];
  const listing = await place({ owner: owner.id, owner_email: owner.email, status: "new" });
  const queue = (kind: string, recipient: string | null, data: Row, where: number | null = null) =>
    sql("select private.enqueue_email($1, $2, $3, $4, $5::jsonb)", [
      recipient,
      where,
      kind,
      `${kind}:once`,
      JSON.stringify(data),
    ]);
  const isSent = async (change: () => Promise<unknown>) => {
    const kinds = async () => {
      await later();
      return (await take()).map(({ kind }) => kind);
    };
    const before = await kinds();
    await change();
    return [before, await kinds()];
  };
  const ask = (words: string | null) =>
    sql("update public.places set changes_requested = $2 where id = $1", [listing, words]);

  await startOver();
  await ask("Say more.");
  await queue("changes-requested", null, { place_id: listing, reason: "Say more." }, listing);
  const request = ["changes-requested"];
  expect(await isSent(() => ask("Add a photo."))).toEqual([request, []]);
  expect(await isSent(() => ask("Say more."))).toEqual([[], request]);
  expect(await isSent(() => ask(null))).toEqual([request, []]);

  await startOver();
  await owner.call("request_my_deletion");
  // It may have arrived by then.
  expect(await isSent(() => owner.call("cancel_account_deletion"))).toEqual([
    ["account-deletion"],
    ["account-kept"],
  ]);
  await startOver();
  await owner.call("request_my_deletion");
  await owner.call("cancel_account_deletion");
  expect(await take()).toEqual([]);
  await startOver();
  await queue("account-kept", owner.id, {});
  expect(await isSent(() => owner.call("request_my_deletion"))).toEqual([
    ["account-kept"],
    ["account-deletion"],
  ]);

  await startOver();
  await queue("manager-joined", owner.id, { place_id: listing, name: "Café X" });
  await queue("payment-disputed", admin.id, { order: null, kind: "job", cents: 500 });
  await queue("refund-failed", admin.id, { order: null, kind: "job", cents: 500 });
  const [before, after] = await isSent(async () => {
    await sql("update public.profiles set admin = false where id = $1", [admin.id]);
    await sql("update public.places set owner = $2 where id = $1", [listing, next.id]);
  });
  expect(before!.sort()).toEqual(["manager-joined", "payment-disputed", "refund-failed"]);
  expect(after!.sort()).toEqual(["listing-left", "listing-received"]);
});

it("does not say that a version is live, or what to change, of a listing that was taken off the directory since", async () => {
  await startOver();
  const owner = await person();
  const listing = await place({ owner: owner.id, owner_email: owner.email });
  const emails = { "edit-rejected": {}, "changes-requested": { reason: "Shorter, please." } };
  for (const [kind, data] of Object.entries(emails))
    await sql("select private.enqueue_email(null, $1, $2, $2, $3::jsonb)", [
      listing,
      kind,
      JSON.stringify(data),
    ]);
  const kinds = async (status: string) => {
    await sql("update public.places set status = $2, changes_requested = $3 where id = $1", [
      listing,
      status,
      "Shorter, please.",
    ]);
    await later();
    return (await take()).map(({ kind }) => kind).sort();
  };
  expect(await kinds("archived")).toEqual([]);
  // What is flagged may still be asked for.
  expect(await kinds("flagged")).toEqual(["changes-requested"]);
  expect(await kinds("pending-update")).toEqual(["changes-requested", "edit-rejected"]);
});

it("says of what changed while it waited how it is by then, and of a listing that came back nothing that isn't so", async () => {
  const [owner, next, admin] = [await person(), await person(), await person({ admin: true })];
  const listing = await place({ owner: owner.id, owner_email: owner.email });
  const change = (columns: Row) => admin.update("places", `id=eq.${listing}`, columns);
  /** The emails that are sent now that the mail server is back: their kinds, and what each says. */
  const sent = async () => {
    await later();
    return (await take()).map(({ kind, user_id, data }) => [kind, user_id, data as Row] as const);
  };
  const kindsTo = async (to: { id: string }) =>
    (await sent()).filter(([, user]) => user === to.id).map(([kind]) => kind);

  // Taken from its owner, and returned.
  await startOver();
  for (const kind of ["edit-rejected", "changes-requested"])
    await sql("select private.enqueue_email(null, $1, $2, $2, $3::jsonb)", [
      listing,
      kind,
      JSON.stringify({ place_id: listing, name: "Café X", reason: "Shorter." }),
    ]);
  for (const columns of [{ owner: next.id }, { owner: owner.id }, { status: "flagged" }])
    await change(columns);
  expect(await kindsTo(owner)).toEqual(["listing-received"]);
  // The edit wasn't approved, and the approved version is live again.
  await change({ status: "published" });
  expect(await kindsTo(owner)).toEqual(expect.arrayContaining(["edit-rejected"]));

  // Taken from its owner, who reads whether someone else has it by now.
  await startOver();
  await change({ owner: null });
  const left = async () => (await sent()).find(([kind]) => kind === "listing-left")?.[2];
  expect(await left()).toMatchObject({ given: false });
  await sql("update private.email_queue set attempts = 0");
  await change({ owner: next.id });
  expect(await left()).toMatchObject({ given: true });

  // Given to someone hidden, and shown by them before they read of it.
  await startOver();
  await change({ hidden: true, owner: owner.id });
  const received = async () => (await sent()).find(([kind]) => kind === "listing-received")?.[2];
  expect(await received()).toMatchObject({ hidden: true });
  await owner.update("places", `id=eq.${listing}`, { hidden: false });
  expect(await received()).toMatchObject({ hidden: false });

  // Hidden by the team before it was approved, and approved meanwhile.
  await startOver();
  await sql("update public.places set status = 'new' where id = $1", [listing]);
  await change({ hidden: true });
  await sql("update public.places set status = 'published' where id = $1", [listing]);
  expect((await sent()).find(([kind]) => kind === "listing-hidden")?.[2]).toMatchObject({
    approved: true,
  });
});

it("says nothing of what a manager hid and showed again, unless its owner had hidden it, too", async () => {
  const [owner, manager] = [await person(), await person()];
  const emails = async (...hiders: Caller[]) => {
    const listing = await place({ owner: owner.id });
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      manager.id,
    ]);
    await startOver();
    const set = async (by: Caller, hidden: boolean) => {
      const table = by === manager ? "managed_places" : "places";
      expect((await by.update(table, `id=eq.${listing}`, { hidden })).total).toBe(1);
    };
    for (const by of hiders) await set(by, true);
    await set(manager, false);
    return (await sql("select kind from private.email_queue")).map(({ kind }) => kind);
  };
  expect(await emails(manager)).toEqual([]);
  expect(await emails(manager, manager)).toEqual([]);
  expect(await emails(manager, owner)).toEqual(["listing-shown"]);
});

it("doesn't say that someone manages a listing who has stopped, nor that two-step sign-in is on once it is off", async () => {
  const [owner, manager] = [await person({ secondStep: true }), await person()];
  const listing = await place({ owner: owner.id, owner_email: owner.email });
  const [token, invitation] = ["t".repeat(43), "11111111-1111-4111-8111-111111111111"];
  await owner.call("invite_manager", {
    invitation,
    place_id: listing,
    email: manager.email,
    token,
  });
  await startOver();
  await manager.call("accept_invitation", { token });
  const sent = async () => {
    await later();
    return (await take()).map(({ kind, data }) => [kind, data as Row]);
  };
  const joined = { place_id: listing, name: "Café X", invitation };
  expect(await sent()).toEqual([["manager-joined", joined]]);
  await manager.call("leave_listing", { place_id: listing });
  expect(await sent()).toEqual([["manager-joined", { ...joined, left: true }]]);

  await startOver();
  await sql("select private.report_second_step($1, 'on', $1)", [owner.id]);
  expect(await sent()).toEqual([["two-step-changed", { change: "on" }]]);
  await sql("delete from auth.mfa_factors where user_id = $1", [owner.id]);
  expect(await sent()).toEqual([["two-step-changed", { change: "off" }]]);
});

it("doesn't say of admin rights what isn't so anymore, nor anything of others' to someone who has lost theirs", async () => {
  await startOver();
  const [ada, ben] = [await person({ admin: true }), await person({ admin: true })];
  const [one, two] = [await person(), await person()];
  const give = (to: Caller, admin: boolean) => ada.update("profiles", `id=eq.${to.id}`, { admin });
  await give(one, true);
  await give(two, true);
  await give(two, false);
  await sql("update public.profiles set admin = false where id = any ($1)", [[ben.id]]);
  const about = (await take()).map(({ email, data }) => [email, (data as Row)["given"]]);
  const of = (someone: Caller) =>
    about.filter(([email]) => email === someone.email).map(([, given]) => given);
  expect(of(ada)).toEqual([true, true, false]);
  expect(of(ben)).toEqual([]);
  // What was told of others': that the second one got them, and lost them again.
  expect(of(one)).toEqual([true, true, false]);
  expect(of(two)).toEqual([false]);
});

it("sends no news of a message that is gone with its sender's account", async () => {
  await startOver();
  const [owner, sender, admin] = [await person(), await person(), await person({ admin: true })];
  await owner.insert("email_preferences", { user_id: owner.id, kind: "new-lead", wanted: true });
  const place_id = await place({ owner: owner.id });
  const write = (by: Caller) =>
    by.insert("leads", { place_id, requester_name: "Kai", message: "Hello" });
  await write(sender);
  await admin.call("admin_delete_user", { userid: sender.id });
  expect(await take()).toMatchObject([{ kind: "account-deleted", email: sender.email }]);
  await write(await person());
  expect(await take()).toMatchObject([{ kind: "new-lead", email: owner.email }]);
});

it("has links that last an hour sent before all other emails, however many wait", async () => {
  await startOver();
  const rosa = await person({ email: "many@example.test" });
  for (let n = 0; n < 5; n += 1) await notify({ recipient: rosa.id }, `many:${n}`);
  await sql("update private.email_queue set next_try_at = now() - interval '50 minutes'");
  await sql("select private.enqueue_account_email($1, 'account-recovery', 'link', $2::jsonb)", [
    "someone@example.test",
    JSON.stringify({ user: randomUUID(), token_hash: "link" }),
  ]);
  expect((await take(2)).map(({ kind }) => kind).sort()).toEqual([
    "account-recovery",
    "test-letter",
  ]);
  expect(await take(10)).toHaveLength(4);
});
