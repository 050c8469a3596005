/** What people with rights over others are not told: managers, admins, and anyone who counts. */
import { describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";
import { plannedRows } from "./support/planned-rows";

const database = await startDatabase();
const { person, place, sql } = database;

describe("a manager", () => {
  it("reads no address of the owner and nothing of the payments through any table, view, or function", async () => {
    const [owner, manager] = [await person(), await person()];
    const listing = await place({
      owner: owner.id,
      owner_email: "owner-address@example.test",
      premium: true,
      stripe_cus_id: "cus_secret",
      stripe_subscription_id: "sub_secret",
      subscription_status: "status_secret",
    });
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      manager.id,
    ]);
    const seen = async (by: Caller) =>
      JSON.stringify([
        (await by.select("places")).rows,
        (await by.select("places_with_stats")).rows,
        (await by.select("managed_places")).rows,
        (await by.call("my_listings")).value,
        (await by.call("my_dashboard")).value,
        (await by.call("my_home")).value,
      ]);
    const SECRETS = /owner-address|_secret/;
    expect(await seen(owner)).toMatch(SECRETS);
    expect(await seen(manager)).not.toMatch(SECRETS);
    expect((await manager.select("managed_places", "select=id,name")).rows).toEqual([
      { id: listing, name: "Café X" },
    ]);
    expect((await manager.select("places_with_stats", "select=id,views")).rows).toEqual([
      { id: listing, views: 0 },
    ]);
    // Nor by asking whether a guess is right.
    for (const guess of ["stripe_cus_id=eq.cus_secret", "owner_email=like.owner*"]) {
      expect((await owner.select("places_with_stats", guess)).rows).toHaveLength(1);
      expect((await manager.select("places_with_stats", guess)).rows).toEqual([]);
      expect((await manager.select("places", guess)).rows).toEqual([]);
      expect((await manager.select("managed_places", guess)).status).toBe(400);
    }
    // Nor what a change returns.
    expect((await manager.update("places", `id=eq.${listing}`, { phone: "1" })).rows).toEqual([]);
    expect(
      (await manager.update("managed_places", `id=eq.${listing}`, { phone: "1" })).rows,
    ).toHaveLength(1);
    expect(await manager.update("managed_places", `id=eq.${listing}`, { id: 1 })).not.toMatchObject(
      { status: 204 },
    );
    const stranger = await person();
    expect(
      (await stranger.update("managed_places", `id=eq.${listing}`, { phone: "2" })).rows,
    ).toEqual([]);
  });
});

it("the account that a message is from is known to neither owners nor managers, who could tell by it that two names are one person", async () => {
  const [owner, manager, sender] = [await person(), await person(), await person()];
  const listing = await place({ owner: owner.id });
  await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
    listing,
    manager.id,
  ]);
  const message = { place_id: listing, requester: sender.id, requester_name: "Kai", message: "Hi" };
  expect(await sender.insert("leads", { ...message, requester_email: "" })).toMatchObject({
    status: 201,
  });
  for (const reader of [owner, manager]) {
    const leads = (query: string) => reader.select("leads", query);
    expect((await leads("select=requester_name,message")).rows).toEqual([
      { requester_name: "Kai", message: "Hi" },
    ]);
    for (const query of ["select=*", "select=requester", `select=id&requester=eq.${sender.id}`])
      expect(await leads(query), query).toMatchObject({ code: "42501" });
    for (const name of ["my_leads", "get_owner_leads", "my_home", "export_my_data"])
      expect(JSON.stringify((await reader.call(name)).value), name).not.toContain(sender.id);
  }
});

describe("who reported a listing", () => {
  it("is known to that person alone, and not to admins", async () => {
    const [admin, reporter, listing] = [
      await person({ admin: true }),
      await person(),
      await place(),
    ];
    const sent = await reporter.insert("events", {
      event_name: "report_listing",
      place: listing,
      user_id: reporter.id,
      data: { reason: "Closed" },
    });
    expect(sent.status).toBe(201);
    const [event] = (await admin.select("events", `place=eq.${listing}`)).rows;
    expect(event).toMatchObject({ data: { reason: "Closed" }, user_id: null });
    await admin.call("update_reports", { ids: [event!["id"]], to_state: "resolved" });
    expect((await admin.select("events", `user_id=eq.${reporter.id}`)).rows).toEqual([]);
    for (const answer of [
      (await admin.select("events")).rows,
      (await admin.select("audit_log", "subject=eq.events")).rows,
      (await admin.call("admin_reports")).value,
    ])
      expect(JSON.stringify(answer)).not.toContain(reporter.id);
    // How many reports a user made would tell who made the only one.
    expect(
      (await admin.call("deletion_effects", { user_id: reporter.id })).value,
    ).not.toHaveProperty("reports");

    expect((await reporter.call("my_sent_reports")).value).toEqual([
      {
        id: event!["id"],
        created_at: event!["created_at"],
        place: listing,
        data: { reason: "Closed" },
        state: "resolved",
      },
    ]);
    expect((await (await person()).call("my_sent_reports")).value).toEqual([]);
    expect((await (await person()).select("events")).rows).toEqual([]);
    await admin.call("admin_delete_user", { userid: reporter.id });
    expect(await sql("select * from private.reporters")).toEqual([]);
    expect((await admin.select("events", `place=eq.${listing}`)).rows).toHaveLength(1);
  });
});

describe("what only admins write", () => {
  const NOTE = "a note of the team";

  /** The columns that only admins may change, and no one sets when a row is added. */
  const columns = async () =>
    (
      await sql(`
        select c.relname as "table", a.attname as column from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
          and a.atttypid in ('text'::regtype, 'jsonb'::regtype)
          and has_column_privilege('authenticated', c.oid, a.attnum, 'update')
          and not has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
          and not exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd in ('w', '*')
            and pg_get_expr(p.polqual, p.polrelid) not like '%private.is_admin() AS is_admin)')
        order by 1, 2`)
    ).map(({ table, column }) => `${String(table)}.${String(column)}`);

  it("is read by admins alone, also by the person whom it is about", async () => {
    expect(await columns()).toEqual(["events.note", "events.state"]);
    const [admin, reporter, listing] = [
      await person({ admin: true }),
      await person(),
      await place(),
    ];
    const report = { event_name: "report_listing", place: listing, user_id: reporter.id, data: {} };
    await reporter.insert("events", report);
    const [event] = await sql("select id::int from public.events where place = $1", [listing]);
    const noted = await admin.call("update_reports", {
      ids: [event!["id"]],
      to_state: "resolved",
      note: NOTE,
    });
    expect(noted.value).toMatchObject({ changed: 1 });
    expect(JSON.stringify((await admin.select("events", `place=eq.${listing}`)).rows)).toContain(
      NOTE,
    );

    const readable = await sql(`
      select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'v') and has_table_privilege('authenticated', c.oid, 'select')`);
    for (const { name } of readable)
      expect(
        JSON.stringify((await reporter.select(String(name))).rows),
        String(name),
      ).not.toContain(NOTE);
    for (const name of ["my_sent_reports", "export_my_data", "my_home"])
      expect(JSON.stringify((await reporter.call(name)).value), name).not.toContain(NOTE);
    // Nor by a filter, or in what a change returns.
    expect((await reporter.select("events", "note=like.a*")).rows).toEqual([]);
    expect(
      (await reporter.update("events", `id=eq.${Number(event!["id"])}`, { state: "open" })).rows,
    ).toEqual([]);
  });

  it("does not keep a report from being returned to the app that sends it", async () => {
    const [reporter, listing] = [await person(), await place()];
    const response = await fetch(`${database.supabase.url}/rest/v1/events`, {
      method: "POST",
      headers: {
        apikey: database.supabase.publishableKey,
        Authorization: `Bearer ${reporter.token}`,
        "Content-Type": "application/json",
        Prefer: "return=representation",
      },
      body: JSON.stringify({ event_name: "report_listing", place: listing, user_id: reporter.id }),
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject([{ place: listing, state: "open", note: null }]);
  });
});

describe("the last admin", () => {
  const stepDown = (admin: Caller, whom = admin) =>
    admin.update("profiles", `id=eq.${whom.id}`, { admin: false });

  it("stays an admin, also when two step down at once", async () => {
    await sql("update public.profiles set admin = false where admin");
    const first = await person({ admin: true });
    expect(await stepDown(first)).toMatchObject({ code: "P0001", message: "only_admin" });
    const second = await person({ admin: true });
    expect((await stepDown(first, second)).status).toBe(204);
    await first.update("profiles", `id=eq.${second.id}`, { admin: true });
    const answers = await Promise.all([stepDown(first), stepDown(second)]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await sql("select count(*)::int as n from public.profiles where admin")).toEqual([
      { n: 1 },
    ]);
  });
});

describe("what the planner expects", () => {
  it("tells no one how many accounts there are, or have a postal code", async () => {
    // At once: an account each would take minutes.
    await sql("alter table auth.users disable trigger t1_create_profile");
    await sql("insert into auth.users (id) select gen_random_uuid() from generate_series(1, 3000)");
    await sql("alter table auth.users enable trigger t1_create_profile");
    await sql(
      "insert into public.profiles (id, postalcode) select id, '59301' from auth.users on conflict do nothing",
    );
    await sql("analyze public.profiles");
    const [anyone, admin] = [await person(), await person({ admin: true })];
    // The data API refuses planned counts, but passes only the last of several Prefer headers on.
    for (const filter of ["", "where postalcode = '59301'", "where business_owner"])
      expect(
        (await plannedRows(sql, [`public.profiles ${filter}`]))[0],
        filter,
      ).toBeLessThanOrEqual(3);
    // An admin still reads them all.
    expect((await admin.select("profiles", "select=id&limit=1")).total).toBeGreaterThan(3000);
    expect((await anyone.select("profiles", "select=id")).rows).toEqual([{ id: anyone.id }]);
  });
});
