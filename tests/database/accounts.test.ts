import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
const consentsOf = (id: string) =>
  sql(
    "select channel, granted, text_version, page from public.consents where user_id = $1 order by id",
    [id],
  );

describe("a new account", () => {
  it("has a profile, and is never an admin", async () => {
    const person = await database.person({
      data: {
        full_name: "  Ana Ruiz ",
        phone: "+1 505-555-0100",
        pronouns: "she/her",
        postalcode: "87106",
        admin: true,
        supporter: true,
        stripe_customer_id: "cus_x",
        id: randomUUID(),
      },
    });
    expect(await database.row("profiles", person.id)).toMatchObject({
      full_name: "Ana Ruiz",
      phone: "+1 505-555-0100",
      pronouns: "she/her",
      postalcode: "87106",
      email: person.email,
      business_owner: true,
      admin: false,
      supporter: false,
      stripe_customer_id: null,
      opted_in: false,
      sms_opted_in: false,
    });
  });

  it("records each consent that was given or refused", async () => {
    const data = {
      opted_in: true,
      sms_opted_in: false,
      consent_text_version: "2026-11",
      consent_page: "/signup",
    };
    const person = await database.person({ data });
    expect(await consentsOf(person.id)).toEqual([
      { channel: "email", granted: true, text_version: "2026-11", page: "/signup" },
      { channel: "sms", granted: false, text_version: "2026-11", page: "/signup" },
    ]);
    expect(await database.row("profiles", person.id)).toMatchObject({
      opted_in: true,
      sms_opted_in: false,
    });
  });

  it("records no consent when none was asked for", async () => {
    const person = await database.person({
      data: { full_name: "App User", business_owner: false },
    });
    expect(await consentsOf(person.id)).toEqual([]);
    expect(await database.row("profiles", person.id)).toMatchObject({ business_owner: false });
  });

  it("accepts any metadata", async () => {
    const data = {
      full_name: "x".repeat(5000),
      phone: "",
      opted_in: "maybe",
      postal_lat: "drop",
      postal_long: 500,
      pronouns: null,
    };
    const person = await database.person({ data });
    expect(await database.row("profiles", person.id)).toMatchObject({
      full_name: "x".repeat(200),
      phone: null,
      opted_in: false,
    });
    expect(
      await sql("select * from private.user_positions where user_id = $1", [person.id]),
    ).toEqual([]);
  });

  it("has a position on a grid of a tenth of a degree", async () => {
    const person = await database.person({
      data: { postal_lat: 35.084_386, postal_long: "-106.650421" },
    });
    expect(
      await sql("select lat, long from private.user_positions where user_id = $1", [person.id]),
    ).toEqual([{ lat: 35.1, long: -106.7 }]);
  });
});

describe("a profile", () => {
  it("has nothing in a field that was left blank", async () => {
    const person = await database.person();
    const fields = ["full_name", "phone", "pronouns", "postalcode"];
    await person.update(
      "profiles",
      `id=eq.${person.id}`,
      Object.fromEntries(fields.map((field) => [field, " \t "])),
    );
    expect(await database.row("profiles", person.id)).toMatchObject(
      Object.fromEntries(fields.map((field) => [field, null])),
    );
  });

  it("can be changed by its user, only in the columns they may write", async () => {
    const person = await database.person({ email: "me@accounts.test" });
    const answer = await person.update("profiles", `id=eq.${person.id}`, {
      full_name: " New Name ",
      phone: "",
      pronouns: "they/them",
      postalcode: "97214",
      admin: true,
      supporter: true,
      business_owner: false,
      email: "x@y.z",
      stripe_customer_id: "cus_x",
      created_at: "2000-01-01",
      id: randomUUID(),
    });
    expect(answer.status).toBe(204);
    const profile = await database.row("profiles", person.id);
    expect(profile).toMatchObject({
      full_name: "New Name",
      phone: null,
      pronouns: "they/them",
      postalcode: "97214",
      admin: false,
      supporter: false,
      business_owner: true,
      email: "me@accounts.test",
      stripe_customer_id: null,
    });
    expect(new Date(String(profile.created_at)).getFullYear()).toBeGreaterThan(2020);
  });

  it("becomes an admin's only by an admin, and the audit log says by whom", async () => {
    const admin = await database.person({ admin: true });
    const person = await database.person();
    await admin.update("profiles", `id=eq.${person.id}`, { admin: true, opted_in: true });
    // An admin can't give a consent for a user.
    expect(await database.row("profiles", person.id)).toMatchObject({
      admin: true,
      opted_in: false,
    });
    expect(
      await sql("select actor, before, after from public.audit_log where subject_id = $1", [
        person.id,
      ]),
    ).toEqual([{ actor: admin.id, before: { admin: false }, after: { admin: true } }]);
  });

  it("whose admin rights are given or taken by a request is emailed to all admins, and to its user", async () => {
    const [ada, ben] = [
      await database.person({ admin: true }),
      await database.person({ admin: true }),
    ];
    const [one, two] = [await database.person(), await database.person()];
    const letters = async () => {
      const found = await sql(
        `delete from private.email_queue q using public.profiles p
         where q.kind = 'admin-rights-changed' and p.id = q.recipient and p.id = any ($1)
         returning p.id, q.data - 'account' as data`,
        [[ada.id, ben.id, one.id, two.id]],
      );
      return Object.fromEntries(found.map(({ id, data }) => [id, data]));
    };
    await ada.update("profiles", `id=in.(${one.id},${two.id})`, { admin: true });
    const [theirs, own] = [
      { given: true, accounts: 2 },
      { given: true, accounts: 2, yours: true },
    ];
    expect(await letters()).toEqual({
      [ada.id]: theirs,
      [ben.id]: theirs,
      [one.id]: own,
      [two.id]: own,
    });
    await ada.update("profiles", `id=eq.${one.id}`, { admin: true, supporter: true });
    await two.update("profiles", `id=eq.${two.id}`, { full_name: "Two" });
    // What a maintainer does in SQL, they know.
    await sql("update public.profiles set admin = false where id = $1", [two.id]);
    expect(await letters()).toEqual({});
    await one.update("profiles", `id=in.(${ada.id},${ben.id})`, { admin: false });
    expect(await letters()).toEqual({
      [ada.id]: { given: false, accounts: 2, yours: true },
      [ben.id]: { given: false, accounts: 2, yours: true },
      [one.id]: { given: false, accounts: 2 },
    });
  });

  it("of an admin is saved alone, although they may change others'", async () => {
    const [admin, other] = [await database.person({ admin: true }), await database.person()];
    const before = await database.row("profiles", other.id);
    const shown = { text_version: "1", page: "/account" };
    await admin.call("save_my_profile", {
      ...shown,
      opted_in: true,
      sms_opted_in: true,
      full_name: "Ada",
    });
    for (const channel of ["email", "sms"])
      await admin.call("set_consent", { ...shown, channel, granted: false });
    expect(await database.row("profiles", admin.id)).toMatchObject({ full_name: "Ada" });
    expect(await database.row("profiles", other.id)).toEqual(before);
  });

  it("says who its user is, and whether they are discreet, in their own words only: not in an admin's, which no log would have", async () => {
    const admin = await database.person({ admin: true });
    const person = await database.person({
      data: { full_name: "Kai", phone: "+15055550147", postalcode: "87106" },
    });
    await person.update("profiles", `id=eq.${person.id}`, {
      pronouns: "they/them",
      discreet: true,
    });
    const theirs = {
      full_name: "Kai",
      phone: "+15055550147",
      pronouns: "they/them",
      postalcode: "87106",
      discreet: true,
    };
    const others = {
      full_name: "Someone Else",
      phone: "+15055550199",
      pronouns: "it/its",
      postalcode: "97214",
      discreet: false,
    };
    await admin.update("profiles", `id=eq.${person.id}`, { ...others, supporter: true });
    expect(await database.row("profiles", person.id)).toMatchObject({ ...theirs, supporter: true });
    // In their own profile an admin is a user as any other.
    await admin.update("profiles", `id=eq.${admin.id}`, others);
    expect(await database.row("profiles", admin.id)).toMatchObject(others);
  });

  it("follows the account's email address, and loses the position of an old postal code", async () => {
    const person = await database.person({
      data: { postalcode: "87106", postal_lat: 35.08, postal_long: -106.62 },
    });
    await person.update("profiles", `id=eq.${person.id}`, { postalcode: "87106" });
    expect(
      await sql("select 1 from private.user_positions where user_id = $1", [person.id]),
    ).toHaveLength(1);
    await person.update("profiles", `id=eq.${person.id}`, { postalcode: "97214" });
    expect(
      await sql("select 1 from private.user_positions where user_id = $1", [person.id]),
    ).toHaveLength(0);
    await person.call("set_my_position", { lat: 45.512, long: -122.658 });
    expect(
      await sql("select lat, long from private.user_positions where user_id = $1", [person.id]),
    ).toEqual([{ lat: 45.5, long: -122.7 }]);
    expect(await person.call("set_my_position", { lat: 91, long: 0 })).toMatchObject({
      code: "P0001",
    });
    await person.call("set_my_position", { lat: null, long: null });
    expect(
      await sql("select 1 from private.user_positions where user_id = $1", [person.id]),
    ).toHaveLength(0);
    await sql("update auth.users set email = 'new@accounts.test' where id = $1", [person.id]);
    expect(await database.row("profiles", person.id)).toMatchObject({ email: "new@accounts.test" });
    // All sessions end, as after a new password: one of them may be the reason for the new address.
    expect(await sql("select from auth.sessions where user_id = $1", [person.id])).toEqual([]);
  });

  it("ends a link to a new password that waits in the mailbox of the address before", async () => {
    const person = await database.person();
    const tokenAfter = async (change: string) => {
      const [row] = await sql(
        `update auth.users set ${change} where id = $1 returning recovery_token`,
        [person.id],
      );
      return row!["recovery_token"];
    };
    await tokenAfter("recovery_token = 'hash-in-the-old-mailbox'");
    expect(await tokenAfter("email = email")).toBe("hash-in-the-old-mailbox");
    expect(await tokenAfter("email = 'moved@accounts.test'")).toBe("");
  });

  it("is found by words of its name and parts of its address", async () => {
    const admin = await database.person({ admin: true });
    const person = await database.person({
      email: "sam.rivera@mail.example",
      data: { full_name: "Samira Rivera-Ōta" },
    });
    for (const filter of [
      "full_name_search=wfts(simple).rivera",
      "full_name_search=wfts(simple).ōta",
      "email_search=wfts(simple).rivera",
      "email_search=wfts(simple).sam.rivera@mail.example",
    ]) {
      expect([filter, (await admin.select("profiles", filter)).rows.map(({ id }) => id)]).toEqual([
        filter,
        [person.id],
      ]);
    }
  });
});

describe("a consent", () => {
  it("is recorded once for each change", async () => {
    const person = await database.person();
    const words = { text_version: "2026-11", page: "/account" };
    await person.call("set_consent", { channel: "email", granted: true, ...words });
    await person.call("set_consent", { channel: "email", granted: true, ...words });
    await person.call("set_consent", { channel: "sms", granted: true, ...words });
    await person.call("set_consent", { channel: "email", granted: false, ...words });
    expect(
      (await consentsOf(person.id)).map(({ channel, granted, page }) => [channel, granted, page]),
    ).toEqual([
      ["email", true, "/account"],
      ["sms", true, "/account"],
      ["email", false, "/account"],
    ]);
    expect(await database.row("profiles", person.id)).toMatchObject({
      opted_in: false,
      sms_opted_in: true,
    });
    expect(
      await person.call("set_consent", { channel: "post", granted: true, ...words }),
    ).toMatchObject({
      code: "P0001",
    });
  });

  it("is recorded when the profile is changed without the app", async () => {
    const person = await database.person();
    await person.update("profiles", `id=eq.${person.id}`, { sms_opted_in: true });
    expect(await consentsOf(person.id)).toEqual([
      { channel: "sms", granted: true, text_version: "unknown", page: "unknown" },
    ]);
  });

  it("cannot be changed, and is deleted with its account", async () => {
    const person = await database.person({ data: { consent_page: "/signup" } });
    await expect(
      sql("update public.consents set granted = true where user_id = $1", [person.id]),
    ).rejects.toThrow(/append_only/);
    await expect(
      sql("delete from public.consents where user_id = $1", [person.id]),
    ).rejects.toThrow(/append_only/);
    await expect(sql("truncate public.consents")).rejects.toThrow(/append_only/);
    await sql("delete from auth.users where id = $1", [person.id]);
    expect(await consentsOf(person.id)).toEqual([]);
  });
});

describe("my_session", () => {
  it("returns the caller's profile", async () => {
    const person = await database.person({
      email: "Who@Accounts.test",
      data: { full_name: "Who" },
    });
    await sql("update auth.users set email_change = 'next@accounts.test' where id = $1", [
      person.id,
    ]);
    expect((await person.call("my_session")).value).toEqual({
      user_id: person.id,
      email: "who@accounts.test",
      full_name: "Who",
      phone: null,
      pronouns: null,
      postalcode: null,
      opted_in: false,
      sms_opted_in: false,
      business_owner: true,
      admin: false,
      admin_needs_second_step: false,
      second_step: false,
      supporter: false,
      pending_email: "next@accounts.test",
      tracking: null,
      tracking_text: null,
      discreet: false,
      deletion: null,
    });
  });

  it("does not return an unconfirmed address", async () => {
    const person = await database.person({ confirmed: false });
    expect((await person.call("my_session")).value).toMatchObject({
      user_id: person.id,
      email: null,
    });
  });

  it("returns null once this session has ended, although the user has others", async () => {
    const person = await database.person();
    await sql("insert into auth.sessions (id, user_id) values ($1, $2)", [randomUUID(), person.id]);
    expect((await person.call("my_session")).value).not.toBeNull();
    await sql("delete from auth.sessions where id = $1", [person.claims.session_id]);
    expect((await person.call("my_session")).value).toBeNull();
  });

  it.each([
    ["signed out", "delete from auth.sessions where user_id = $1"],
    [
      "expired",
      "update auth.sessions set not_after = now() - interval '1 second' where user_id = $1",
    ],
    ["banned", "update auth.users set banned_until = now() + interval '1 day' where id = $1"],
    ["deleted", "delete from auth.users where id = $1"],
  ])(
    "returns null for a user who is %s, although the token has not expired",
    async (_, statement) => {
      const person = await database.person();
      expect((await person.call("my_session")).value).not.toBeNull();
      await sql(statement, [person.id]);
      expect((await person.call("my_session")).value).toBeNull();
    },
  );
});

describe("admin_delete_user", () => {
  it("takes no message of someone who had the address before, and no invitation", async () => {
    const admin = await database.person({ admin: true });
    const owner = await database.person();
    const [before, email] = [await database.person(), "hello@had-before.test"];
    const place = await database.place({ owner: owner.id });
    await sql(
      `insert into public.leads (place_id, requester, requester_name, requester_email, message)
       values ($1, $2, 'Kai', $3, 'Hello'), ($1, null, 'Old', $3, 'Hello')`,
      [place, before.id, email],
    );
    await sql(
      `insert into public.manager_invitations (id, place_id, email, accepted_at, accepted_by)
       values (gen_random_uuid(), $1, $2, now(), $3), (gen_random_uuid(), $1, $2, null, null)`,
      [place, email, before.id],
    );
    const next = await database.person({ email });
    expect((await admin.call("admin_delete_user", { userid: next.id })).value).toBe(true);
    // A message that belongs to no other account goes with the address.
    expect(
      await sql("select requester_name from public.leads where requester_email = $1", [email]),
    ).toEqual([{ requester_name: "Kai" }]);
    expect(
      await sql(
        "select accepted_by from public.manager_invitations where email = $1 order by accepted_by",
        [email],
      ),
    ).toEqual([{ accepted_by: before.id }, { accepted_by: null }]);
  });

  it("takes nothing from others by an address that no one has confirmed", async () => {
    const admin = await database.person({ admin: true });
    const email = "hello@of-others.test";
    const other = await database.person();
    const listed = await database.place({ owner: other.id, public_email: email });
    const unclaimed = await database.place({ owner: null, owner_email: email });
    await sql(
      "insert into public.manager_invitations (id, place_id, email) values (gen_random_uuid(), $1, $2)",
      [listed, email],
    );
    await sql(
      "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', $2, 'Hello')",
      [listed, email],
    );
    await sql(
      "insert into public.listing_drafts (id, owner, form, fields) values (gen_random_uuid(), $1, '/listings/1', $2)",
      [other.id, { public_email: email }],
    );
    const state = () =>
      sql(
        `select (select jsonb_agg(p order by p.id) from public.places p where p.id = any ($1)) as places,
           (select count(*) from public.manager_invitations i where i.email = $2) as invitations,
           (select count(*) from public.leads l where l.requester_email = $2) as leads,
           (select count(*) from public.listing_drafts d where d.owner = $3) as drafts`,
        [`{${listed},${unclaimed}}`, email, other.id],
      );
    const before = await state();

    const stranger = await database.person({ email, confirmed: false });
    const owned = await database.place({ owner: stranger.id, public_email: "shop@of-others.test" });
    expect((await admin.call("admin_delete_user", { userid: stranger.id })).value).toBe(true);
    expect(await state()).toEqual(before);
    expect(await database.row("places", owned)).toMatchObject({
      owner: null,
      public_email: "shop@of-others.test",
    });
    expect(await sql("select from auth.users where id = $1", [stranger.id])).toEqual([]);
  });

  it("deletes the account and everything that names it, and leaves its listings and jobs without an owner", async () => {
    const admin = await database.person({ admin: true });
    const person = await database.person({
      email: "gone@accounts.test",
      data: { consent_page: "/signup", postal_lat: 1, postal_long: 1 },
    });
    const id = await database.place({ owner: person.id, owner_email: "gone@accounts.test" });
    const shared = await database.place({ owner: person.id, owner_email: "office@accounts.test" });
    const waiting = await database.place({ owner: null, owner_email: "gone@accounts.test" });
    await sql("insert into public.favorites (user_id, place_id) values ($1, $2)", [
      person.id,
      shared,
    ]);
    await sql("insert into public.feedback (userid, feedback) values ($1, 'Thanks')", [person.id]);
    await sql(
      `insert into public.jobs (title, category, description, location, place_id, owner, owner_email)
       values ('Baker', 85, 'Bake.', '{NM}', $1, $2, 'gone@accounts.test')`,
      [id, person.id],
    );

    expect((await admin.call("admin_delete_user", { userid: person.id })).value).toBe(true);
    expect((await admin.call("admin_delete_user", { userid: person.id })).value).toBe(false);

    expect(await database.row("places", id)).toMatchObject({
      owner: null,
      owner_email: null,
      status: "published",
    });
    // An address that the account may have had before.
    expect(await database.row("places", shared)).toMatchObject({ owner: null, owner_email: null });
    expect(await database.row("places", waiting)).toMatchObject({ owner_email: null });
    expect(
      await sql("select owner, owner_email from public.jobs where place_id = $1", [id]),
    ).toEqual([{ owner: null, owner_email: null }]);
    for (const table of [
      "auth.users where id",
      "auth.sessions where user_id",
      "public.profiles where id",
      "public.consents where user_id",
      "public.favorites where user_id",
      "private.user_positions where user_id",
    ]) {
      expect([table, await sql(`select 1 from ${table} = $1`, [person.id])]).toEqual([table, []]);
    }
    expect((await person.call("my_session")).value).toBeNull();
    const [entry] = await sql(
      "select * from public.audit_log where subject = 'profiles' and subject_id = $1",
      [person.id],
    );
    expect(entry).toMatchObject({ action: "delete-user", actor: admin.id });
    // No table contains the address anymore.
    const tables = await sql(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    for (const { relname } of tables) {
      expect([
        relname,
        await sql(
          `select 1 from public.${String(relname)} t where t::text ilike '%gone@accounts.test%'`,
        ),
      ]).toEqual([relname, []]);
    }
  });

  it("tells no one who had typed its address that there was an account: only what was approved loses it", async () => {
    const admin = await database.person({ admin: true });
    const [ex, person] = [await database.person(), await database.person()];
    const email = person.email.toUpperCase();
    const own = { owner: ex.id, owner_email: ex.email, address: "1 Main St" };
    const added = await database.place({ ...own, status: "new", public_email: email });
    const changed = await database.place({ ...own, public_email: "a@shop.test" });
    await ex.update("places", `id=eq.${changed}`, { public_email: email });
    const rejected = await database.place({ ...own, public_email: "b@shop.test" });
    await ex.update("places", `id=eq.${rejected}`, { public_email: email });
    const { version } = await database.row("places", rejected);
    await admin.call("decide_listings", {
      batch: randomUUID(),
      action: "reject",
      items: [{ id: rejected, version }],
    });
    const offDirectory: number[] = [];
    for (const status of ["flagged", "archived"]) {
      const id = await database.place({ ...own, public_email: "d@shop.test" });
      await sql("update public.places set status = $2 where id = $1", [id, status]);
      await ex.update("places", `id=eq.${id}`, { public_email: email });
      offDirectory.push(id);
    }
    const neverApproved = await database.place({ ...own, status: "new", public_email: email });
    await sql("update public.places set status = 'flagged' where id = $1", [neverApproved]);
    offDirectory.push(neverApproved);
    await ex.insert("listing_drafts", {
      id: randomUUID(),
      form: "/listings/8",
      fields: { public_email: email },
    });
    await sql(
      "insert into public.manager_invitations (id, place_id, email) values (gen_random_uuid(), $1, $2)",
      [changed, person.email],
    );
    const approved = await database.place({ ...own, public_email: email });
    const approvedBefore = await database.place({ ...own, public_email: email });
    await ex.update("places", `id=eq.${approvedBefore}`, { public_email: "c@shop.test" });
    const flagged = await database.place({ ...own, public_email: email });
    await sql("update public.places set status = 'flagged' where id = $1", [flagged]);
    const asExSeesIt = async () =>
      await Promise.all([
        sql("select * from public.places where id = any ($1) order by id", [
          [added, changed, rejected, ...offDirectory],
        ]),
        sql("select * from public.rejected_edits where place_id = $1", [rejected]),
        sql("select * from public.listing_drafts where owner = $1", [ex.id]),
        sql("select * from public.manager_invitations where place_id = $1", [changed]),
      ]);
    const before = await asExSeesIt();
    expect(before.map((rows) => rows.length)).toEqual([6, 1, 1, 1]);

    expect((await admin.call("admin_delete_user", { userid: person.id })).value).toBe(true);
    expect(await asExSeesIt()).toEqual(before);
    expect(await database.row("places", approved)).toMatchObject({ public_email: null });
    expect(await database.row("places", approvedBefore)).toMatchObject({
      public_email: "c@shop.test",
      last_update: { public_email: null },
    });
    const emails = await sql(
      "select place_id from private.email_queue where kind = 'contact-email-removed' order by place_id",
    );
    expect(await database.row("places", flagged)).toMatchObject({ public_email: null });
    expect(emails.map(({ place_id }) => place_id)).toEqual([approved, approvedBefore, flagged]);
  });

  it("writes no listing of others that keeps the address: someone who knows it can add any number of them", async () => {
    const admin = await database.person({ admin: true });
    const [ex, person] = [await database.person(), await database.person()];
    const added = await database.place({
      owner: ex.id,
      status: "new",
      public_email: person.email,
    });
    const changed = await database.place({ owner: ex.id, public_email: "a@shop.test" });
    await ex.update("places", `id=eq.${changed}`, { public_email: person.email });
    const approved = await database.place({ owner: ex.id, public_email: person.email });
    const written = () =>
      sql("select id, xmin::text from public.places where id = any ($1) order by id", [
        [added, changed],
      ]);
    const before = await written();
    expect((await admin.call("admin_delete_user", { userid: person.id })).value).toBe(true);
    expect(await written()).toEqual(before);
    expect(await database.row("places", approved)).toMatchObject({ public_email: null });
  });

  it("removes the saved views of admins that name its address as a whole, whatever else is in them", async () => {
    const admin = await database.person({ admin: true });
    const email = `m@${randomUUID()}.co`;
    const person = await database.person({ email });
    const saved = async (texts: readonly string[]) => {
      for (const [at, text] of texts.entries())
        await sql(
          `insert into public.saved_views (owner, name, filter)
           values ($1, $2, jsonb_build_object('search', $3::text, 'x', $4::text::jsonb))`,
          [
            admin.id,
            `${text.slice(0, 50)} ${at}`,
            text,
            `${"[".repeat(3_000)}${"]".repeat(3_000)}`,
          ],
        );
    };
    const others = [
      `${email}m`,
      `tea${email}`,
      `x.${email}`,
      `${email}.uk`,
      `${email}-shop.test`,
      email.replace(".co", "-co"),
    ];
    await saved(others);
    await saved([email, email.toUpperCase(), `to:${email}.`, `<${email}>`, `C:\\new\n${email}`]);
    expect((await admin.call("admin_delete_user", { userid: person.id })).value).toBe(true);
    const left = await sql(
      "select filter ->> 'search' as text from public.saved_views where owner = $1",
      [admin.id],
    );
    expect(left.map(({ text }) => text).sort()).toEqual([...others].sort());
  });

  it("rejects one's own account", async () => {
    const admin = await database.person({ admin: true });
    await database.person({ admin: true });
    expect(await admin.call("admin_delete_user", { userid: admin.id })).toMatchObject({
      code: "P0001",
      message: "own_account",
    });
    expect((await admin.call("my_session")).value).not.toBeNull();
  });

  it("rejects owners", async () => {
    const owner = await database.person();
    const other = await database.person();
    expect(await owner.call("admin_delete_user", { userid: other.id })).toMatchObject({
      status: 403,
      code: "42501",
    });
    expect(await database.row("profiles", other.id)).toBeDefined();
  });
});

it("only a user can request the deletion of their account, and the only admin can't", async () => {
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => database.person()));
  await first!.call("request_my_deletion");
  await sql("update public.profiles set admin = false where admin");
  await sql(
    "update private.account_deletions set due_at = '2026-01-01T00:00:00Z' where user_id = $1",
    [first!.id],
  );
  const due = (await second!.call("request_my_deletion")).value;
  expect(Date.parse(String(due))).toBeGreaterThan(Date.now());
  expect((await second!.call("my_deletion")).value).toBe(due);
  expect((await third!.call("my_deletion")).value).toBeNull();

  const admin = await database.person({ admin: true });
  expect(await admin.call("request_my_deletion")).toMatchObject({ message: "only_admin" });
  await database.person({ admin: true });
  expect((await admin.call("request_my_deletion")).status).toBe(200);
});

it("a deletion can be canceled until it begins, but not after that; another user's deletion gets in no one's way", async () => {
  const [leaving, other, staying] = await Promise.all([1, 2, 3].map(() => database.person()));
  const begin = (id: string) =>
    database.service.call("begin_account_deletion", { user_id: id }).then(({ value }) => value);
  await leaving!.call("request_my_deletion");
  await other!.call("request_my_deletion");
  expect(await begin(leaving!.id)).toBe(false);
  await sql("update private.account_deletions set due_at = now() where user_id = $1", [
    leaving!.id,
  ]);
  expect(await begin(leaving!.id)).toBe(true);
  expect(await leaving!.call("cancel_account_deletion")).toMatchObject({
    message: "deletion_begun",
  });
  expect((await staying!.call("cancel_account_deletion")).status).toBe(204);
  expect((await other!.call("cancel_account_deletion")).status).toBe(204);
  expect(
    await sql("select user_id from private.account_deletions where user_id = any ($1)", [
      [leaving!.id, other!.id],
    ]),
  ).toEqual([{ user_id: leaving!.id }]);
});

it("an account that became the last admin's is not deleted, although it is due, until there is another", async () => {
  const last = await database.person({ admin: true });
  const id = last.id;
  const before = await sql(
    "update public.profiles set admin = false where admin and id <> $1 returning id",
    [id],
  );
  await sql(
    `insert into private.account_deletions (user_id, due_at) values ($1, now() - interval '1 day')`,
    [id],
  );
  const erase = () => database.service.call("erase_due_account", { user_id: id });

  expect(await erase()).toMatchObject({ message: "last_admin" });
  expect(await database.row("profiles", id)).toMatchObject({ admin: true });

  await sql("update public.profiles set admin = true where id = any ($1)", [
    before.map((row) => row["id"]),
  ]);
  await database.person({ admin: true });
  expect((await erase()).value).toBe(true);
});

describe("an account that is confirmed by a link", () => {
  const PROOF = "p".repeat(43);
  let links = 0;

  /** An account that someone signed up for, and its link. */
  async function signUp(data: object = {}) {
    const [id, link] = [randomUUID(), `emailed-link-${++links}`];
    await sql(
      `insert into auth.users (id, email, encrypted_password, confirmation_token, confirmation_sent_at, raw_user_meta_data)
       values ($1, $2, 'a hash', $3, now(), $4)`,
      [
        id,
        `${link}@example.test`,
        link,
        { full_name: "Ana", opted_in: true, sms_opted_in: true, sign_up_proof: PROOF, ...data },
      ],
    );
    return { id, link };
  }
  async function confirm(id: string) {
    await sql(
      "update auth.users set email_confirmed_at = now(), confirmation_token = '' where id = $1",
      [id],
    );
    const [account] = await sql(
      `select u.encrypted_password as password, p.opted_in, p.sms_opted_in, p.full_name,
         exists (select from private.sign_ups s where s.user_id = u.id) as proof
       from auth.users u join public.profiles p on p.id = u.id where u.id = $1`,
      [id],
    );
    return account;
  }
  const recognize = async (link: string, proof: string) =>
    (await sql("select private.recognize_sign_up($1, $2) as known", [link, proof]))[0]!["known"];

  it("keeps its password and consents where the browser is the one that signed up", async () => {
    const { id, link } = await signUp();
    expect(await recognize(link, PROOF)).toBe(true);
    expect(await confirm(id)).toEqual({
      password: "a hash",
      opted_in: true,
      sms_opted_in: true,
      full_name: "Ana",
      proof: false,
    });
  });

  it("counts as its sender sent it last, and as no one else did", async () => {
    const first = { sent_at: "2026-11-26T10:00:00.000Z", consent_page: "/signup" };
    const { id, link } = await signUp({ ...first, phone: "+14155552671" });
    const update = async (sent: object) =>
      (
        await sql("select private.update_sign_up($1, $2) as done", [
          `${link}@example.test`,
          { full_name: "Zoe", opted_in: false, sms_opted_in: true, ...first, ...sent },
        ])
      )[0]!["done"];
    const later = { sent_at: "2026-11-26T10:05:00.000Z", sign_up_proof: PROOF };
    expect(await update({ sent_at: later.sent_at })).toBe(false);
    expect(await update({ sign_up_proof: PROOF })).toBe(false);
    expect(await update({ ...later, sent_at: null })).toBe(false);
    expect(await update({ ...later, sent_at: "2026-11-26T09:59:59.999Z" })).toBe(false);
    expect(await update(later)).toBe(true);
    expect(await sql("select full_name, phone from public.profiles where id = $1", [id])).toEqual([
      { full_name: "Zoe", phone: null },
    ]);
    await recognize(link, PROOF);
    expect(await confirm(id)).toMatchObject({
      full_name: "Zoe",
      opted_in: false,
      sms_opted_in: true,
    });
    expect(await update({ ...later, full_name: "Late", sent_at: "2027-01-01" })).toBe(false);
    expect(await sql("select full_name from public.profiles where id = $1", [id])).toEqual([
      { full_name: "Zoe" },
    ]);
  });

  it("loses them also there, once someone has sent the form with another password", async () => {
    const { id, link } = await signUp();
    // Also where its own browser was recognized, and the link then wasn't redeemed.
    expect(await recognize(link, PROOF)).toBe(true);
    const [answer] = await sql("select private.update_sign_up($1, $2) as done", [
      `${link}@example.test`,
      { full_name: "Zoe", sent_at: "2026-11-26T10:05:00.000Z", sign_up_proof: "q".repeat(43) },
    ]);
    expect(answer!["done"]).toBe(false);
    expect(await recognize(link, PROOF)).toBe(false);
    expect(await recognize(link, "q".repeat(43))).toBe(false);
    expect(await confirm(id)).toMatchObject({ password: null, opted_in: false, full_name: null });
  });

  it("loses them anywhere else, with what it says about its sender, who may have mistyped the address", async () => {
    const { id, link } = await signUp({
      phone: "+14155552671",
      pronouns: "she/her",
      postalcode: "97214",
      postal_lat: "45.5",
      postal_long: "-122.6",
    });
    const other = await signUp({ sign_up_proof: "q".repeat(43) });
    expect(await recognize(link, "q".repeat(43))).toBe(false);
    expect(await recognize("unknown", PROOF)).toBe(false);
    expect(await recognize(other.link, PROOF)).toBe(false);
    expect(await confirm(id)).toEqual({
      password: null,
      opted_in: false,
      sms_opted_in: false,
      full_name: null,
      proof: true,
    });
    expect(await consentsOf(id)).toEqual([]);
    expect(
      await sql("select phone, pronouns, postalcode from public.profiles where id = $1", [id]),
    ).toEqual([{ phone: null, pronouns: null, postalcode: null }]);
    expect(await sql("select * from private.user_positions where user_id = $1", [id])).toEqual([]);
  });

  describe("elsewhere, and whose first password is then chosen", () => {
    const form = { phone: "+14155552671", pronouns: "she/her", postalcode: "97214" };
    const restore = async (id: string, proof: string) =>
      (await sql("select private.restore_sign_up($1, $2) as done", [id, proof]))[0]!["done"];
    const profileOf = async (id: string) =>
      (
        await sql(
          "select full_name, phone, pronouns, postalcode, opted_in from public.profiles where id = $1",
          [id],
        )
      )[0];
    const nothing = { full_name: null, phone: null, pronouns: null, postalcode: null };

    it("has the form back if it is the password of the form: once, within the hour, and no one else's", async () => {
      const [{ id }, late, never] = [await signUp(form), await signUp(form), await signUp(form)];
      expect(await restore(id, PROOF)).toBe(false);
      await confirm(id);
      expect(await profileOf(id)).toEqual({ ...nothing, opted_in: false });
      expect(await restore(id, PROOF)).toBe(true);
      expect(await profileOf(id)).toEqual({ full_name: "Ana", ...form, opted_in: true });
      expect(await consentsOf(id)).not.toEqual([]);
      await sql("update public.profiles set full_name = null where id = $1", [id]);
      expect(await restore(id, PROOF)).toBe(false);

      await confirm(late.id);
      await confirm(never.id);
      await sql(
        "update auth.users set email_confirmed_at = now() - interval '61 minutes' where id = any ($1)",
        [[late.id, never.id]],
      );
      expect(await restore(late.id, PROOF)).toBe(false);
      await sql("select private.delete_unconfirmed_accounts(null)");
      expect(
        await sql("select from private.sign_ups where user_id = any ($1)", [[late.id, never.id]]),
      ).toEqual([]);
    });

    it("loses the form at the first other password, so that no one guesses it", async () => {
      const { id } = await signUp(form);
      await confirm(id);
      expect(await restore(id, "q".repeat(43))).toBe(false);
      expect(await restore(id, PROOF)).toBe(false);
      expect(await profileOf(id)).toEqual({ ...nothing, opted_in: false });
      expect(await sql("select from private.sign_ups where user_id = $1", [id])).toEqual([]);
    });

    it("keeps what its user has entered and chosen meanwhile", async () => {
      const { id } = await signUp(form);
      await confirm(id);
      await sql("update public.profiles set full_name = 'Zoe' where id = $1", [id]);
      await sql(
        `insert into public.consents (user_id, channel, granted, text_version, page)
         values ($1, 'email', false, 'test', '/account')`,
        [id],
      );
      expect(await restore(id, PROOF)).toBe(true);
      expect(await profileOf(id)).toEqual({ ...nothing, full_name: "Zoe", opted_in: false });
    });

    it("has no consents of the form either once its user has entered other details: they were for the number in it", async () => {
      const { id } = await signUp(form);
      await confirm(id);
      await sql("update public.profiles set phone = '+14155550199' where id = $1", [id]);
      expect(await restore(id, PROOF)).toBe(true);
      expect(await consentsOf(id)).toEqual([]);
      expect(await profileOf(id)).toEqual({ ...nothing, phone: "+14155550199", opted_in: false });
    });
  });

  it("loses a password and withdraws consents that were stored before they waited for this", async () => {
    const { id } = await signUp();
    await sql("update public.profiles set opted_in = true, sms_opted_in = true where id = $1", [
      id,
    ]);
    await sql(`do $$ begin
      set local session_replication_role = replica;
      update auth.users set encrypted_password = 'an older hash' where id = '${id}';
    end $$`);
    expect(await confirm(id)).toMatchObject({
      password: null,
      opted_in: false,
      sms_opted_in: false,
    });
    const records = (await consentsOf(id)).filter(({ granted }) => granted === false);
    expect(records.map(({ channel, page }) => [channel, page])).toEqual([
      ["email", "/confirm"],
      ["sms", "/confirm"],
    ]);
  });

  it("has no consents and no position before, and both answers of the form after it", async () => {
    const { id, link } = await signUp({
      sms_opted_in: false,
      consent_text_version: "2026-11",
      consent_page: "/signup",
      postal_lat: 35.08,
      postal_long: -106.65,
    });
    const positions = () => sql("select lat from private.user_positions where user_id = $1", [id]);
    expect(await database.row("profiles", id)).toMatchObject({
      opted_in: false,
      sms_opted_in: false,
    });
    expect(await consentsOf(id)).toEqual([]);
    expect(await positions()).toEqual([]);
    await recognize(link, PROOF);
    expect(await confirm(id)).toMatchObject({ opted_in: true, sms_opted_in: false });
    expect(await consentsOf(id)).toEqual([
      { channel: "email", granted: true, text_version: "2026-11", page: "/signup" },
      { channel: "sms", granted: false, text_version: "2026-11", page: "/signup" },
    ]);
    expect(await positions()).toEqual([{ lat: 35.1 }]);
  });

  it("has no password until then, so that no answer of the auth service depends on it", async () => {
    const { id } = await signUp();
    const password = async () =>
      (await sql("select encrypted_password as password from auth.users where id = $1", [id]))[0];
    expect(await password()).toEqual({ password: null });
    // Whenever the confirmation is sent again, or an administrator sets one.
    await sql("update auth.users set encrypted_password = 'another hash' where id = $1", [id]);
    expect(await password()).toEqual({ password: null });
  });

  it("sends an email about each password that replaces another one, by whatever way", async () => {
    const { id, link } = await signUp();
    const change = (hash: string | null) =>
      sql("update auth.users set encrypted_password = $2, updated_at = now() where id = $1", [
        id,
        hash,
      ]);
    const emails = async () =>
      (await sql("select kind from private.email_queue where recipient = $1", [id])).map(
        (email) => email["kind"],
      );
    await change("of someone who has not confirmed the address");
    await recognize(link, PROOF);
    await confirm(id);
    expect(await emails()).toEqual([]);

    await change("a new hash");
    await change("a new hash");
    expect(await emails()).toEqual(["password-changed"]);
    await change("yet another hash");
    expect(await emails()).toEqual(["password-changed", "password-changed"]);
  });

  it("reports five new passwords an hour at once, and all others by one email at its end", async () => {
    const { id, link } = await signUp();
    await recognize(link, PROOF);
    await confirm(id);
    const change = async (times: number) => {
      for (let n = 0; n < times; n += 1)
        await sql("update auth.users set encrypted_password = $2 where id = $1", [
          id,
          randomUUID(),
        ]);
    };
    const emails = async () =>
      (
        await sql(
          `select ceil(extract(epoch from next_try_at - now()) / 60)::int as wait from private.email_queue
             where recipient = $1 and kind = 'password-changed' and sent_at is null order by next_try_at`,
          [id],
        )
      ).map(({ wait }) => wait);
    await change(5);
    expect(await emails()).toEqual([0, 0, 0, 0, 0]);
    await change(30);
    expect(await emails()).toEqual([0, 0, 0, 0, 0, 60]);

    // One that is on its way may have been read before the next password was set.
    await sql(
      "update private.email_queue set attempts = 1, next_try_at = now() where recipient = $1",
      [id],
    );
    await change(2);
    expect((await emails()).filter((wait) => wait !== 0)).toEqual([60]);
  });

  it("ends a change of address that has begun when it gets another password", async () => {
    const { id } = await signUp({ email: "begun@example.test" });
    await confirm(id);
    await sql("update auth.users set encrypted_password = 'a hash' where id = $1", [id]);
    await sql(
      `update auth.users set email_change = 'new@example.test', email_change_token_new = 'to new',
         email_change_token_current = 'to current', email_change_confirm_status = 1 where id = $1`,
      [id],
    );
    const change = async () =>
      (
        await sql(
          `select email_change as address, email_change_token_new as to_new,
             email_change_token_current as to_current, email_change_confirm_status as confirmed
             from auth.users where id = $1`,
          [id],
        )
      )[0];
    await sql("update auth.users set encrypted_password = 'a hash' where id = $1", [id]);
    expect(await change()).toMatchObject({ address: "new@example.test", confirmed: 1 });
    await sql("update auth.users set encrypted_password = 'another hash' where id = $1", [id]);
    expect(await change()).toEqual({ address: "", to_new: "", to_current: "", confirmed: 0 });
  });

  it("sends no email about the first password of an account that was confirmed without one, unless it comes late", async () => {
    const emailsAfter = async (minutes: number) => {
      const { id } = await signUp();
      expect(await confirm(id)).toMatchObject({ password: null });
      await sql(
        "update auth.users set email_confirmed_at = now() - make_interval(mins => $2) where id = $1",
        [id, minutes],
      );
      await sql("update auth.users set encrypted_password = 'the first one' where id = $1", [id]);
      return sql("select kind from private.email_queue where recipient = $1", [id]);
    };
    expect(await emailsAfter(59)).toEqual([]);
    expect(await emailsAfter(61)).toEqual([{ kind: "password-changed" }]);
  });

  it("keeps the password of an account that an administrator created", async () => {
    const id = randomUUID();
    await sql(
      "insert into auth.users (id, email, encrypted_password) values ($1, 'made@example.test', 'a hash')",
      [id],
    );
    expect(await confirm(id)).toMatchObject({ password: "a hash" });
  });

  it("is deleted a week after it was not confirmed, or sooner for someone who needs the address", async () => {
    const [fresh, stale, old, confirmed, owning] = [
      await signUp(),
      await signUp(),
      await signUp(),
      await signUp(),
      await signUp(),
    ];
    const age = ({ id }: { id: string }, time: string) =>
      sql("update auth.users set confirmation_sent_at = now() - $2::interval where id = $1", [
        id,
        time,
      ]);
    await age(stale, "61 minutes");
    for (const one of [old, confirmed, owning]) await age(one, "8 days");
    await confirm(confirmed.id);
    await database.place({ owner: owning.id });
    const drop = async (email: string | null) =>
      (await sql("select private.delete_unconfirmed_accounts($1) as n", [email]))[0]!["n"];
    const exists = async ({ id }: { id: string }) =>
      (await sql("select id from auth.users where id = $1", [id])).length === 1;

    for (const { link } of [fresh, confirmed, owning])
      expect(await drop(`${link}@example.test`)).toBe(0);
    expect(await drop(`${stale.link}@Example.test`)).toBe(1);
    expect(await drop(null)).toBe(1);
    const left = await Promise.all([fresh, stale, old, confirmed, owning].map(exists));
    expect(left).toEqual([true, false, false, true, true]);
    expect(await sql("select id from public.profiles where id = $1", [old.id])).toEqual([]);
  });

  it("is named by its link, until that is used or an hour old", async () => {
    const { id, link } = await signUp();
    const target = async (hash: string) => {
      const [found] = await sql(
        "select private.target_of_link($1) as target, private.address_of_link($1) as address",
        [hash],
      );
      expect(found!["address"]).toBe((found!["target"] as Row | null)?.["address"] ?? null);
      return found!["target"];
    };
    const address = `${link}@example.test`;
    expect(await target(link)).toEqual({ user: id, address, confirmed: false, taken: false });
    const age = (minutes: number) =>
      sql(
        "update auth.users set confirmation_sent_at = now() - make_interval(mins => $2) where id = $1",
        [id, minutes],
      );
    await age(61);
    expect(await target(link)).toBe(null);
    await age(59);
    expect(await target(link)).toMatchObject({ user: id, address });
    await confirm(id);
    expect(await target(link)).toBe(null);
    // A link to a new address doesn't name the account's, and the other way around.
    await sql(
      `update auth.users set email_change = 'New@example.test', email_change_token_new = 'hash-to-new-mailbox',
         email_change_token_current = 'hash-to-old-mailbox', email_change_sent_at = now() where id = $1`,
      [id],
    );
    const change = { user: id, confirmed: true, taken: false };
    const toNew = { ...change, address: "new@example.test" };
    expect(await target("hash-to-new-mailbox")).toEqual(toNew);
    expect(await target("hash-to-old-mailbox")).toEqual({ ...change, address });
    const other = await database.person({ email: "new@example.test" });
    expect(await target("hash-to-new-mailbox")).toEqual({ ...toNew, taken: true });
    await sql("delete from auth.users where id = $1", [other.id]);
    await sql(
      `update auth.users set email_change_sent_at = now() - interval '61 minutes', recovery_token = 'hash-to-password',
         recovery_sent_at = now() - interval '59 minutes' where id = $1`,
      [id],
    );
    for (const late of ["hash-to-new-mailbox", "hash-to-old-mailbox"])
      expect(await target(late)).toBe(null);
    expect(await target("hash-to-password")).toMatchObject({ user: id, address });
    await sql(
      "update auth.users set recovery_sent_at = now() - interval '61 minutes' where id = $1",
      [id],
    );
    expect(await target("hash-to-password")).toBe(null);
  });

  it("leaves nothing of the form with the auth service", async () => {
    const { id, link } = await signUp({ email: "link@example.test", phone: "+1 505-555-0100" });
    const metadata = async () =>
      (await sql("select raw_user_meta_data as data from auth.users where id = $1", [id]))[0]![
        "data"
      ];
    expect(await metadata()).toEqual({ email: `${link}@example.test` });
    await sql("update auth.users set raw_user_meta_data = $2 where id = $1", [
      id,
      { sub: id, full_name: "Ana" },
    ]);
    expect(await metadata()).toEqual({ sub: id });
    // Users may send any metadata, and it is in their access tokens.
    await sql("update auth.users set raw_user_meta_data = $2 where id = $1", [
      id,
      {
        sub: randomUUID(),
        email: "someone@else.test",
        email_verified: { long: "x".repeat(4000) },
        phone_verified: true,
        admin: true,
      },
    ]);
    expect(await metadata()).toEqual({
      sub: id,
      email: `${link}@example.test`,
      email_verified: false,
      phone_verified: false,
    });
    await confirm(id);
    await sql("update auth.users set raw_user_meta_data = raw_user_meta_data || $2 where id = $1", [
      id,
      { email_verified: false },
    ]);
    expect(await metadata()).toMatchObject({ email_verified: true });
    await sql("update auth.users set email = 'new@example.test' where id = $1", [id]);
    expect(await metadata()).toMatchObject({ email: "new@example.test" });
    await sql(
      `insert into auth.identities (id, provider_id, user_id, provider, identity_data)
       values (gen_random_uuid(), $1::text, $1::uuid, 'email', $2)`,
      [id, { sub: id, full_name: "Ana" }],
    );
    const [identity] = await sql(
      "select identity_data as data from auth.identities where user_id = $1",
      [id],
    );
    expect(identity!["data"]).toEqual({ sub: id });
  });

  it("doesn't say where its user is, nor with which browser, also when a session goes on", async () => {
    const { id } = await signUp();
    const seen = () => sql("select ip, user_agent from auth.sessions where user_id = $1", [id]);

    await sql(
      `insert into auth.sessions (id, user_id, ip, user_agent)
       values (gen_random_uuid(), $1, '203.0.113.7', 'Firefox')`,
      [id],
    );
    expect(await seen()).toEqual([{ ip: null, user_agent: null }]);
    await sql(
      `update auth.sessions set refreshed_at = now(), ip = '203.0.113.8', user_agent = 'Firefox'
       where user_id = $1`,
      [id],
    );
    expect(await seen()).toEqual([{ ip: null, user_agent: null }]);
  });
});

it("the address of an account is for admins, also inside the database", async () => {
  const [admin, user, other] = [
    await database.person({ admin: true }),
    await database.person(),
    await database.person(),
  ];
  await sql(
    `create function public.address_for(claims text, user_id uuid) returns text language plpgsql as $$
     begin
       perform set_config('request.jwt.claims', claims, true),
         set_config('request.jwt.claim.sub', claims::json ->> 'sub', true);
       return private.account_email(user_id);
     end $$`,
  );
  const askAs = async (claims: object) =>
    (
      await sql("select public.address_for($1, $2) as email", [JSON.stringify(claims), other.id])
    )[0]!["email"];
  expect(await askAs(admin.claims)).toBe(other.email);
  expect(await askAs(user.claims)).toBe(null);
});

describe("the auth service's own log of sign-ins", () => {
  const log = (entry: object, times = 1) =>
    sql(
      `insert into auth.audit_log_entries (id, payload) select gen_random_uuid(), $1::json from generate_series(1, ${times})`,
      [JSON.stringify(entry)],
    );
  const of = ({ id, email }: { id: string; email: string }) =>
    log({ actor_id: id, actor_username: email.toUpperCase() });
  const erase = ({ id }: { id: string }) => sql("select private.erase_user($1)", [id]);
  const readLog = async () =>
    (
      await sql(
        "select distinct payload ->> 'actor_username' as address from auth.audit_log_entries order by 1",
      )
    ).map(({ address }) => address);

  it("has no sign-in of an erased account, by its number or its confirmed address", async () => {
    await sql("truncate auth.audit_log_entries");
    const [erased, other, unconfirmed] = [
      await database.person(),
      await database.person(),
      await database.person(),
    ];
    await sql("update auth.users set email_confirmed_at = null where id = $1", [unconfirmed.id]);
    for (const person of [erased, other]) await of(person);
    await log({ actor_id: erased.id, actor_username: "an address of before" });
    await log({ actor_id: null, actor_username: erased.email });
    await log({ actor_id: null, actor_username: unconfirmed.email });
    await erase(erased);
    await erase(unconfirmed);
    expect(await readLog()).toEqual([other.email.toUpperCase(), unconfirmed.email].sort());
    expect(await sql("select from private.sign_ins_to_forget")).toEqual([]);
  });

  it("is searched afterward when it is long, and once for all who were erased before the search ends", async () => {
    await sql("truncate auth.audit_log_entries");
    const [first, second] = [await database.person(), await database.person()];
    await of(second);
    await log({ actor_id: null, actor_username: "someone else", about: "x".repeat(1500) }, 8_000);
    await of(first);
    await erase(first);
    expect(await readLog()).toContain(first.email.toUpperCase());
    // The search has come to its middle.
    await sql(
      "update private.sign_ins_to_forget set next_page = 600, pages_left = pages_left - 600",
    );
    await erase(second);
    expect(JSON.stringify(await sql("select * from private.sign_ins_to_forget"))).not.toMatch("@");
    const search = "select public.forget_sign_ins() as more";
    for (let [call] = await sql(search); call!.more; [call] = await sql(search));
    expect(await readLog()).toEqual(["someone else"]);
    expect(await sql("select from private.sign_ins_to_forget")).toEqual([]);
    expect(await sql("select from auth.audit_log_entries")).toHaveLength(8_000);
  });
});
