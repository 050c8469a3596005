/** Who manages a listing for its owner: how they come to it, what they may do, and how it ends; straight at the data API. */
import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { MAX_MANAGERS } from "~/modules/managers/rules";

import { type Caller, type Row, startDatabase } from "./support/data-api";
import { as, createUser, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const database = await startDatabase();
const { sql, person, place, service, anonymous } = database;
const row = (table: string, id: unknown) => database.row(table, id);

const newToken = () => randomBytes(32).toString("base64url");

/** Invites an address; gives the token of its link. */
async function invite(by: Caller, placeId: number, email: string) {
  const [token, invitation] = [newToken(), randomUUID()];
  const answer = await by.call("invite_manager", { invitation, place_id: placeId, email, token });
  return { token, invitation, answer };
}

/** An owner, their listing, and someone who manages it. */
async function managedListing(columns: Row = {}) {
  const [owner, manager] = [await person(), await person({ data: { full_name: "Mo Manager" } })];
  const listing = await place({ owner: owner.id, owner_email: owner.email, ...columns });
  const { token, invitation } = await invite(owner, listing, manager.email);
  expect((await manager.call("accept_invitation", { token })).value).toEqual({
    state: "accepted",
    name: "Café X",
  });
  return { owner, manager, listing, token, invitation };
}

const stateFor = async (who: Caller, token: string) =>
  ((await who.call("invitation_offer", { token })).value as Row)["state"];
const actions = async (listing: number) =>
  (
    await sql(
      "select action from public.audit_log where subject = 'places' and subject_id = $1 and action not in ('insert', 'update') order by id",
      [String(listing)],
    )
  ).map(({ action }) => action);

describe("an invitation", () => {
  it.each([
    "anna@example.test.",
    "1,anna@example.test",
    "anna(1)@example.test",
    "anna@example.test,x",
    "team:anna@example.test;",
    "anna\u200B@example.test",
    "anna@localhost",
  ])(
    "goes to no other way of writing a mailbox, which would be counted by itself: %j",
    async (email) => {
      const owner = await person();
      const listing = await place({ owner: owner.id });
      expect((await invite(owner, listing, email)).answer).toMatchObject({
        status: 400,
        message: "invitation_email_invalid",
        details: "email",
      });
    },
  );

  it("is sent by the owner, and by no one else: not by an admin, who could read the messages", async () => {
    const [owner, other, admin] = [await person(), await person(), await person({ admin: true })];
    const listing = await place({ owner: owner.id });
    expect((await invite(owner, listing, "a@example.test")).answer.status).toBe(204);
    for (const nobody of [admin, other, anonymous, service])
      expect((await invite(nobody, listing, "c@example.test")).answer.code).toBe("42501");
    expect((await invite(other, 999_999, "c@example.test")).answer).toMatchObject(
      (await invite(other, listing, "c@example.test")).answer,
    );
    const unconfirmed = await person({ confirmed: false });
    const theirs = await place({ owner: unconfirmed.id });
    expect((await invite(unconfirmed, theirs, "c@example.test")).answer.message).toBe(
      "account_email_unconfirmed",
    );
  });

  it("is withdrawn by the owner or an admin, who see it: the address of a manager only the owner who invited them", async () => {
    const admin = await person({ admin: true });
    const { owner, manager, listing } = await managedListing();
    for (const [by, yours, email, invited] of [
      [owner, true, manager.email, "a@example.test"],
      [admin, false, expect.stringContaining("•••@"), "a•••@e•••.test"],
    ] as const) {
      const { invitation } = await invite(owner, listing, "a@example.test");
      expect((await by.call("get_listing_managers", { place_id: listing })).value).toMatchObject({
        yours,
        managers: [{ id: manager.id, email }],
        invitations: [{ id: invitation, email: invited }],
      });
      expect((await by.call("withdraw_invitation", { invitation })).value).toBe(true);
    }
  });

  it("for a listing that no one owns is sent by no one", async () => {
    const admin = await person({ admin: true });
    expect((await invite(admin, await place({ owner: null }), "a@example.test")).answer.code).toBe(
      "42501",
    );
  });

  it("is not sent by a manager", async () => {
    const { manager, listing } = await managedListing();
    expect((await invite(manager, listing, "friend@example.test")).answer.code).toBe("42501");
  });

  it("never tells whether an address has an account", async () => {
    const [owner, known, unconfirmed] = [
      await person(),
      await person(),
      await person({ confirmed: false }),
    ];
    const listing = await place({ owner: owner.id });
    const answers = await Promise.all(
      ["nobody-knows@example.test", known.email, unconfirmed.email].map(async (email) => {
        const { answer } = await invite(owner, listing, email);
        return [answer.status, answer.value];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const seen = (await owner.call("get_listing_managers", { place_id: listing })).value as {
      invitations: Row[];
    };
    expect(seen.invitations.map((one) => Object.keys(one).sort().join())).toEqual(
      Array(3).fill("created_at,email,expires_at,id,late"),
    );
  });

  it("is kept without its token", async () => {
    const owner = await person();
    const { token } = await invite(owner, await place({ owner: owner.id }), "a@example.test");
    for (const table of [
      "public.manager_invitations",
      "private.invitation_tokens",
      "private.email_queue",
      "public.audit_log",
    ]) {
      expect(
        await sql(`select count(*)::int as n from ${table} t where t::text like '%' || $1 || '%'`, [
          token,
        ]),
      ).toEqual([{ n: 0 }]);
    }
  });

  it("is for the confirmed account of its address alone", async () => {
    const [owner, else_, unconfirmed] = [
      await person(),
      await person(),
      await person({ email: "late-comer@example.test", confirmed: false }),
    ];
    const listing = await place({ owner: owner.id });
    const { token } = await invite(owner, listing, "Late-Comer@example.test ");
    for (const wrong of [else_, unconfirmed]) {
      expect((await wrong.call("invitation_offer", { token })).value).toEqual({
        state: "not-yours",
      });
      expect((await wrong.call("accept_invitation", { token })).value).toEqual({
        state: "not-yours",
      });
    }
    expect((await anonymous.call("invitation_offer", { token })).code).toBe("42501");
    await sql("update auth.users set email_confirmed_at = now() where id = $1", [unconfirmed.id]);
    expect((await unconfirmed.call("invitation_offer", { token })).value).toMatchObject({
      state: "open",
      name: "Café X",
    });
    expect((await unconfirmed.call("accept_invitation", { token })).value).toMatchObject({
      state: "accepted",
    });
  });

  it("that was accepted is read by its manager and the owner, and not by the next holder of the address", async () => {
    const { owner, manager, invitation } = await managedListing();
    const read = async (who: Caller) => ({
      rows: (await who.select("manager_invitations", `id=eq.${invitation}`)).rows.length,
      exported: ((await who.call("export_my_data")).value as { invitations_to_me: Row[] })
        .invitations_to_me.length,
    });
    expect(await read(manager)).toEqual({ rows: 1, exported: 1 });
    const { email } = manager;
    await sql("update auth.users set email = 'moved-on@example.test' where id = $1", [manager.id]);
    const next = await person({ email });
    expect(await read(next)).toEqual({ rows: 0, exported: 0 });
    expect((await owner.select("manager_invitations", `id=eq.${invitation}`)).rows).toHaveLength(1);
    // Theirs, once they have signed in again: the change has ended their session.
    await sql(
      "insert into auth.sessions (id, user_id, aal, created_at, updated_at) values ($1, $2, 'aal1', now(), now())",
      [manager.claims["session_id"], manager.id],
    );
    expect((await read(manager)).exported).toBe(1);
  });

  it("that was withdrawn, as when it was sent again, isn't read by the next holder of the address, either", async () => {
    const { owner, manager, listing } = await managedListing();
    await owner.call("remove_manager", { place_id: listing, user_id: manager.id });
    // The second one replaces the first.
    await invite(owner, listing, manager.email);
    const { token } = await invite(owner, listing, manager.email);
    const read = async (who: Caller) => ({
      rows: (await who.select("manager_invitations")).rows.length,
      exported: ((await who.call("export_my_data")).value as { invitations_to_me: Row[] })
        .invitations_to_me.length,
    });
    expect(await read(manager)).toEqual({ rows: 1, exported: 1 });
    expect((await manager.call("accept_invitation", { token })).value).toMatchObject({
      state: "accepted",
    });
    const { email } = manager;
    await sql("update auth.users set email = 'gone@example.test' where id = $1", [manager.id]);
    expect(await read(await person({ email }))).toEqual({ rows: 0, exported: 0 });
  });

  it("that someone accepts who manages already doesn't let them back in after they were removed", async () => {
    const { owner, manager, listing } = await managedListing();
    const other = "between@example.test";
    const { token } = await invite(owner, listing, other);
    const move = async (email: string) => {
      await sql("update auth.users set email = $2 where id = $1", [manager.id, email]);
      await sql(
        `insert into auth.sessions (id, user_id, aal, created_at, updated_at) values ($1, $2, 'aal1', now(), now())`,
        [manager.claims["session_id"], manager.id],
      );
    };
    await move(other);
    expect((await manager.call("accept_invitation", { token })).value).toEqual({
      state: "managing",
    });
    // The owner's page has them once, by the address that was invited first.
    expect((await owner.call("get_listing_managers", { place_id: listing })).value).toMatchObject({
      managers: [{ id: manager.id, email: manager.email }],
      invitations: [],
    });
    await move("last@example.test");
    await owner.call("remove_manager", { place_id: listing, user_id: manager.id });
    await move(other);
    expect((await manager.call("accept_invitation", { token })).value).toEqual({
      state: "unknown",
    });
    expect((await manager.select("managed_places", `id=eq.${listing}`)).rows).toEqual([]);
  });

  it("works once, in time, and while it is not taken back", async () => {
    const { owner, manager, listing, token } = await managedListing();
    expect((await manager.call("accept_invitation", { token })).value).toEqual({
      state: "managing",
    });

    const guest = await person();
    const first = await invite(owner, listing, guest.email);
    const second = await invite(owner, listing, guest.email);
    expect(await stateFor(guest, first.token)).toBe("withdrawn");
    await sql("update public.manager_invitations set expires_at = now() where id = $1", [
      second.invitation,
    ]);
    expect(await stateFor(guest, second.token)).toBe("late");
    const third = await invite(owner, listing, guest.email);
    expect((await owner.call("withdraw_invitation", { invitation: third.invitation })).value).toBe(
      true,
    );
    expect((await owner.call("withdraw_invitation", { invitation: third.invitation })).value).toBe(
      false,
    );
    for (const { token: dead } of [first, second, third])
      expect((await guest.call("accept_invitation", { token: dead })).value).not.toMatchObject({
        state: "accepted",
      });
    expect(await stateFor(guest, newToken())).toBe("unknown");
    expect(
      await sql("select * from public.listing_managers where profile_id = $1", [guest.id]),
    ).toEqual([]);
  });

  it("sent twice by one form is one", async () => {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    const form = {
      invitation: randomUUID(),
      place_id: listing,
      email: "twice@example.test",
      token: newToken(),
    };
    for (let time = 0; time < 2; time += 1)
      expect((await owner.call("invite_manager", form)).status).toBe(204);
    expect(
      await sql("select count(*)::int as n from public.manager_invitations where place_id = $1", [
        listing,
      ]),
    ).toEqual([{ n: 1 }]);
    expect(
      await sql("select count(*)::int as n from private.email_queue where invitation_id = $1", [
        form.invitation,
      ]),
    ).toEqual([{ n: 1 }]);
    expect(await actions(listing)).toEqual(["invite-manager"]);
  });

  it("is refused beyond ten people, twenty a day, and five to one address, and to oneself", async () => {
    const owner = await person();
    const [full, empty] = [await place({ owner: owner.id }), await place({ owner: owner.id })];
    for (let n = 0; n < MAX_MANAGERS; n += 1)
      expect((await invite(owner, full, `guest-${n}@example.test`)).answer.status).toBe(204);
    expect((await invite(owner, full, "eleventh@example.test")).answer.message).toBe(
      "too_many_managers",
    );
    expect((await invite(owner, empty, owner.email)).answer.message).toBe("invitation_to_self");
    for (let n = 0; n < 5; n += 1)
      expect((await invite(owner, empty, "again@example.test")).answer.status).toBe(204);
    expect((await invite(owner, empty, "again@example.test")).answer.message).toBe(
      "too_many_invitations",
    );
    for (let n = 0; n < 5; n += 1)
      expect((await invite(owner, empty, `more-${n}@example.test`)).answer.status).toBe(204);
    expect((await invite(owner, empty, "too-many@example.test")).answer.message).toBe(
      "too_many_invitations",
    );
  });

  it("is refused for someone who manages the listing, under the id of another one, and without a long token", async () => {
    const { owner, manager, listing, invitation } = await managedListing();
    const token = newToken();
    const send = async (fields: Row) =>
      (
        await owner.call("invite_manager", {
          invitation: randomUUID(),
          place_id: listing,
          email: "someone-else@example.test",
          token,
          ...fields,
        })
      ).message;
    expect(await send({ email: manager.email })).toBe("already_manager");
    expect(await send({ invitation })).toBe("invitation_already_sent");
    expect(await send({ token: token.slice(0, 31) })).toBe("invitation_invalid");
    expect(await send({})).toBeUndefined();
  });

  it("is kept from no one by another account, which doesn't learn of other invitations either", async () => {
    const invitee = "wanted@example.test";
    const flood = async () => {
      const owner = await person();
      const listing = await place({ owner: owner.id });
      const answers = [];
      for (let n = 0; n < 6; n += 1) answers.push((await invite(owner, listing, invitee)).answer);
      return answers.map(({ status, message }) => message ?? status);
    };
    const six = [204, 204, 204, 204, 204, "too_many_invitations"];
    expect(await flood()).toEqual(six);
    // As if no one had invited that person yet.
    expect(await flood()).toEqual(six);
    expect(await flood()).toEqual(six);
    // Everyone together can't fill a mailbox.
    expect(new Set(await flood())).toEqual(new Set(["too_many_invitations"]));
  });

  it("counts all addresses of a mailbox as one", async () => {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    for (const email of ["flood", "Flood+1", "flood+2", "FLOOD+a+b", "flood"])
      expect((await invite(owner, listing, `${email}@example.test`)).answer.status).toBe(204);
    expect((await invite(owner, listing, "flood+6@example.test")).answer.message).toBe(
      "too_many_invitations",
    );
    expect((await invite(owner, listing, "flood@elsewhere.test")).answer.status).toBe(204);
  });

  it("is written to its address while it is open, discreetly, and names no one", async () => {
    await sql("delete from private.email_queue");
    const owner = await person({ data: { full_name: "Olive Owner" } });
    const listing = await place({ owner: owner.id });
    const kept = await invite(owner, listing, "kept@example.test");
    const dropped = await invite(owner, listing, "dropped@example.test");
    await owner.call("withdraw_invitation", { invitation: dropped.invitation });
    const taken = (await service.call("lease_emails", { max_emails: 10 })).rows;
    expect(taken).toMatchObject([
      {
        kind: "manager-invitation",
        email: "kept@example.test",
        full_name: null,
        user_id: null,
        discreet: true,
        data: { invitation_id: kept.invitation },
      },
    ]);
    expect(JSON.stringify(taken)).not.toMatch(/Olive|Café/);
  });
});

describe("a manager", () => {
  it("is announced to the owner by email, once, when they join", async () => {
    const { owner, manager, listing, token, invitation } = await managedListing();
    await manager.call("accept_invitation", { token });
    const emails = await sql(
      "select recipient, data from private.email_queue where kind = 'manager-joined' and data ->> 'place_id' = $1",
      [String(listing)],
    );
    expect(emails).toEqual([
      { recipient: owner.id, data: { place_id: listing, name: "Café X", invitation } },
    ]);
  });

  it("edits the listing as its owner would, and it stays its owner's", async () => {
    const { owner, manager, listing } = await managedListing();
    expect(
      (
        await manager.update("managed_places", `id=eq.${listing}`, {
          name: "Café Y",
          status: "published",
          premium: true,
          owner: manager.id,
        })
      ).rows,
    ).toHaveLength(1);
    expect(await row("places", listing)).toMatchObject({
      name: "Café Y",
      status: "pending-update",
      premium: false,
      owner: owner.id,
      owner_email: owner.email,
      last_update: { name: "Café X" },
      version: 2,
    });
    expect(
      (await manager.update("managed_places", `id=eq.${listing}`, { description: "" })).message,
    ).toBe("description_missing");
    expect(
      await sql(
        "select actor from public.audit_log where subject = 'places' and subject_id = $1 and action = 'update'",
        [String(listing)],
      ),
    ).toEqual([{ actor: manager.id }]);
    // The email that an admin edited the listing is about admins.
    const edited = () =>
      sql("select from private.email_queue where kind = 'listing-edited' and place_id = $1", [
        listing,
      ]);
    expect(await edited()).toEqual([]);
    const admin = await person({ admin: true });
    await admin.update("places", `id=eq.${listing}`, { name: "Café Z" });
    expect(await edited()).toHaveLength(1);
  });

  it("changes something, and its owner hears of it again after they had turned that email off for a while", async () => {
    const { owner, manager, listing } = await managedListing();
    const wants = (wanted: boolean) =>
      sql(
        `insert into public.email_preferences values ($1, 'listing-changed', $2)
         on conflict (user_id, kind) do update set wanted = excluded.wanted`,
        [owner.id, wanted],
      );
    await wants(false);
    await manager.update("managed_places", `id=eq.${listing}`, { phone: "208-555-0101" });
    await sql(
      "update private.email_queue set created_at = created_at - interval '8 days' where recipient = $1",
      [owner.id],
    );
    await wants(true);
    for (const phone of ["208-555-0102", "208-555-0103"])
      await manager.update("managed_places", `id=eq.${listing}`, { phone });
    await sql("update private.email_queue set next_try_at = now() where recipient = $1", [
      owner.id,
    ]);
    expect(
      await sql(
        "select n.kind from private.due_emails d join private.email_queue n using (id) where d.user_id = $1",
        [owner.id],
      ),
    ).toEqual([{ kind: "listing-changed" }]);
  });

  it("changes something that has an owner, who gets an email of what it was: one for what changes before it is sent, and one an hour", async () => {
    const { owner, manager, listing } = await managedListing();
    const as = (by: typeof owner, values: Record<string, unknown>) =>
      by.update(by === owner ? "places" : "managed_places", `id=eq.${listing}`, values);
    const emails = () =>
      sql(
        `select sent_at is not null as sent, next_try_at < now() + interval '11 minutes' as soon,
           data - 'place_id' - 'name' as data
         from private.email_queue where recipient = $1 and kind = 'listing-changed' order by created_at`,
        [owner.id],
      );
    const { name, phone } = await row("places", listing);

    // An owner’s own changes are no news; a manager’s are, whoever entered it first.
    await as(owner, { name: "Café Y", phone: "208-555-0100" });
    expect(await emails()).toEqual([]);
    await as(manager, { name });
    await as(manager, { name: "Café Z" });
    expect(await emails()).toEqual([{ sent: false, soon: true, data: { fields: ["name"] } }]);
    await as(manager, { rawaddress: "12 Elm St, Boise", city: "Boise", outdoor: true });
    expect(await emails()).toMatchObject([{ data: { fields: ["answers", "name", "rawaddress"] } }]);
    // Under the name that was approved, which isn’t a manager’s to change.
    expect(
      await sql(
        "select data ->> 'name' as name from private.email_queue where recipient = $1 and kind = 'listing-changed'",
        [owner.id],
      ),
    ).toEqual([{ name: "Café X" }]);

    // Someone takes back all that waits, also what they had put back for its owner to find.
    const { last_update: approved } = await row("places", listing);
    await sql("update private.email_queue set sent_at = now(), data = '{}' where recipient = $1", [
      owner.id,
    ]);
    await as(manager, approved as Record<string, unknown>);
    expect(await row("places", listing)).toMatchObject({ status: "published", name, phone });
    expect((await emails()).slice(1)).toMatchObject([
      { sent: false, soon: false, data: { withdrawn: true } },
    ]);
    await as(manager, { name: "Café X" });
    expect((await emails()).slice(1)).toMatchObject([{ data: { withdrawn: true } }]);

    // What was tried may be on its way.
    await sql("update private.email_queue set attempts = 1 where recipient = $1", [owner.id]);
    await as(manager, { phone: "208-555-0199" });
    expect((await emails()).slice(2)).toEqual([
      { sent: false, soon: false, data: { fields: ["phone"] } },
    ]);
  });

  it("is said to have made some of what was approved when they have left, also in the one email about two approvals", async () => {
    const admin = await person({ admin: true });
    const { owner, manager, listing } = await managedListing();
    const approve = async () => {
      const { version } = await row("places", listing);
      const items = [{ id: listing, version }];
      await admin.call("decide_listings", { batch: randomUUID(), action: "approve", items });
    };
    const edit = async (description: string) => {
      await owner.update("places", `id=eq.${listing}`, { description });
      await approve();
    };
    const sent = async () => {
      await sql("update private.email_queue set next_try_at = now() where sent_at is null");
      const leased = (await service.call("lease_emails", { max_emails: 100 })).rows.filter(
        ({ kind }) => kind === "listing-approved",
      );
      for (const { id } of leased) await service.call("mark_email_sent", { id });
      return leased.map(({ data }) => (data as Row)["left"]);
    };
    await sql("delete from private.email_queue");
    await manager.update("managed_places", `id=eq.${listing}`, { phone: "208-555-0100" });
    await approve();
    await manager.call("leave_listing", { place_id: listing });
    await edit("Ours.");
    expect(await sent()).toEqual([true]);
    await edit("Ours again.");
    expect(await sent()).toEqual([undefined]);
  });

  it("edits it before its owner has read what the team asks for, who reads it nevertheless", async () => {
    const admin = await person({ admin: true });
    const { owner, manager, listing } = await managedListing({ status: "new" });
    const requested = async () => {
      const { version } = await row("places", listing);
      await sql("delete from private.email_queue");
      await admin.call("decide_listings", {
        batch: randomUUID(),
        action: "request-changes",
        reason: "Is this your home?",
        items: [{ id: listing, version }],
      });
    };
    const sent = async () => {
      await sql("update private.email_queue set next_try_at = now() where sent_at is null");
      return (await service.call("lease_emails", { max_emails: 100 })).rows
        .filter(({ kind }) => kind === "changes-requested")
        .map(({ data }) => (data as Row)["answered"]);
    };
    await requested();
    await manager.update("managed_places", `id=eq.${listing}`, { outdoor: true });
    expect(await row("places", listing)).toMatchObject({ changes_requested: null });
    expect(await sent()).toEqual([true]);

    // An owner who answers has read it. Once it is approved, nothing is asked for.
    await requested();
    await owner.update("places", `id=eq.${listing}`, { outdoor: false });
    expect(await sent()).toEqual([]);
    await requested();
    await manager.update("managed_places", `id=eq.${listing}`, { outdoor: true });
    await sql("update public.places set status = 'published' where id = $1", [listing]);
    expect(await sent()).toEqual([]);
  });

  it.each(["new", "flagged", "pending-update"])(
    "changes what is %s, or discards what our team has rejected: the owner hears of it",
    async (status) => {
      const admin = await person({ admin: true });
      const { owner, manager, listing } = await managedListing();
      const emails = () =>
        sql(
          `delete from private.email_queue where recipient = $1 and kind = 'listing-changed'
           returning data - 'place_id' - 'name' as data`,
          [owner.id],
        );
      if (status === "pending-update")
        await owner.update("places", `id=eq.${listing}`, { name: "Café Y" });
      await sql(
        "update public.places set status = $2, changes_requested = 'Hours?' where id = $1",
        [listing, status],
      );
      await manager.update("managed_places", `id=eq.${listing}`, { description: "9 to 5" });
      expect(await emails()).toEqual([{ data: { fields: ["description"] } }]);
      // What an admin decides is no change by a manager, not even if they manage it.
      await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
        listing,
        admin.id,
      ]);
      const decide = async (action: string) =>
        admin.call("decide_listings", {
          batch: randomUUID(),
          action,
          items: [{ id: listing, version: (await row("places", listing))["version"] }],
        });
      await decide("approve");
      expect(await row("places", listing)).toMatchObject({ status: "published" });
      expect(await emails()).toEqual([]);
      await owner.update("places", `id=eq.${listing}`, { outdoor: true });
      await decide("reject");
      await admin.update("places", `id=eq.${listing}`, { wholesale: true });
      expect(await emails()).toEqual([]);

      const edit = { description: "Our new story", phone: "208-555-0100" };
      for (const by of ["manager", "owner"] as const) {
        await owner.update("places", `id=eq.${listing}`, edit);
        await decide("reject");
        await emails();
        await (by === "owner" ? owner : manager).remove("rejected_edits", `place_id=eq.${listing}`);
        expect(await emails()).toEqual(
          by === "owner" ? [] : [{ data: { fields: [], discarded: true } }],
        );
      }
      // Entered again, it isn’t discarded.
      await owner.update("places", `id=eq.${listing}`, edit);
      await decide("reject");
      await emails();
      await manager.update("managed_places", `id=eq.${listing}`, edit);
      expect(await emails()).toEqual([{ data: { fields: ["description", "phone"] } }]);
      expect(await sql("select from public.rejected_edits where place_id = $1", [listing])).toEqual(
        [],
      );
    },
  );

  it("hides and shows it without touching an open form, and cannot ask for its removal, nor delete it", async () => {
    const { manager, listing } = await managedListing();
    await manager.update("managed_places", `id=eq.${listing}`, { hidden: true });
    expect(await row("places", listing)).toMatchObject({ hidden: true, version: 1 });
    expect(
      (await manager.update("managed_places", `id=eq.${listing}`, { archive_requested: true }))
        .message,
    ).toBe("removal_by_owner_only");
    expect((await manager.remove("managed_places", `id=eq.${listing}`)).code).toBe("42501");
    expect(await row("places", listing)).toMatchObject({ archive_requested: false });
  });

  it("can’t have the owner emailed under a name that no one has approved, which may say anything", async () => {
    const { owner, manager, listing } = await managedListing();
    await owner.insert("email_preferences", { user_id: owner.id, kind: "new-lead", wanted: true });
    const name = "Locked. Sign in at evil.example";
    await manager.update("managed_places", `id=eq.${listing}`, { name });
    await manager.update("managed_places", `id=eq.${listing}`, { hidden: true });
    await sql(
      "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', 'kai@example.test', 'Hello')",
      [listing],
    );
    await sql(
      `insert into public.subscriptions (id, place_id, owner, stripe_customer_id, status, started_at, months, cents, period_to)
       values ('sub_named', $1, $2, 'cus_named', 'active', now(), 12, 34000, now() + interval '3 days')`,
      [listing, owner.id],
    );
    await database.service.call("enqueue_renewal_notices");
    await sql("update private.email_queue set next_try_at = now() where sent_at is null");
    const { rows } = await database.service.call("lease_emails", { max_emails: 100 });
    const emails = rows.filter(({ email }) => email === owner.email);
    expect(emails.map(({ kind }) => kind).sort()).toEqual(
      expect.arrayContaining(["listing-changed", "listing-hidden", "new-lead", "renewal-coming"]),
    );
    expect(JSON.stringify(emails)).not.toContain("evil.example");
  });

  it("can’t have them emailed under such a name later either: by another change, a second manager, or someone else who leaves", async () => {
    const leaver = await person();
    const { owner, manager, listing } = await managedListing({ public_email: leaver.email });
    const second = await person();
    const { token } = await invite(owner, listing, second.email);
    await manager.update("managed_places", `id=eq.${listing}`, {
      name: "Locked. Sign in at evil.example",
    });
    // The email about that is sent.
    await sql("update private.email_queue set sent_at = now(), data = '{}' where recipient = $1", [
      owner.id,
    ]);
    await manager.update("managed_places", `id=eq.${listing}`, { description: "Else" });
    await second.call("accept_invitation", { token });
    await sql(
      `insert into public.subscriptions (id, place_id, owner, stripe_customer_id, status, started_at, months, cents)
       values ('sub_of_other', $1, $2, 'cus_of_other', 'canceled', now(), 12, 34000)`,
      [listing, manager.id],
    );
    await sql(
      "select private.enqueue_featured_ended(s) from public.subscriptions s where s.id = 'sub_of_other'",
    );
    await sql("select private.erase_user($1)", [leaver.id]);
    await sql("update private.email_queue set next_try_at = now() where sent_at is null");
    const { rows } = await database.service.call("lease_emails", { max_emails: 100 });
    const emails = rows.filter(({ email }) => email === owner.email);
    expect(emails.map(({ kind }) => kind).sort()).toEqual(
      expect.arrayContaining([
        "contact-email-removed",
        "featured-ended",
        "listing-changed",
        "manager-joined",
      ]),
    );
    expect(JSON.stringify(emails)).not.toContain("evil.example");
  });

  it("reads and sorts its leads, and no others'", async () => {
    const { manager, listing } = await managedListing();
    const elsewhere = await place({ owner: (await person()).id });
    const lead = async (place_id: number) =>
      Number(
        (
          await sql(
            "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', 'kai@example.test', 'Hello') returning id",
            [place_id],
          )
        )[0]!["id"],
      );
    const [mine, other] = [await lead(listing), await lead(elsewhere)];
    expect((await manager.select("leads", "select=id")).rows).toEqual([{ id: mine }]);
    expect((await manager.call("my_leads")).value).toMatchObject({
      total: 1,
      listings: [{ id: listing }],
    });
    await manager.update("leads", `id=in.(${mine},${other})`, {
      state: "replied",
      notes: "Called",
    });
    expect([(await row("leads", mine))["state"], (await row("leads", other))["state"]]).toEqual([
      "replied",
      "new",
    ]);
    // By its version, two who sort the same message at once notice each other. What changes nothing, changes none.
    const { version } = await row("leads", mine);
    const write = (notes: string) => manager.update("leads", `id=eq.${mine}`, { notes });
    await write("Called");
    expect(await row("leads", mine)).toMatchObject({ version });
    await write("Called again");
    expect(await row("leads", mine)).toMatchObject({ version: Number(version) + 1 });
  });

  it("sees it and its numbers among their listings", async () => {
    const { owner, manager, listing } = await managedListing({
      premium: true,
      changes_requested: "A better picture",
    });
    expect((await manager.call("my_dashboard")).value).toMatchObject({
      all: 1,
      counts: { attention: 1 },
      rows: [{ id: listing, owner: owner.id, views: 0, user_count_by_distance: 0 }],
    });
    expect((await manager.call("my_home")).value).toMatchObject({
      supporter: false,
      needs: [{ kind: "changes-requested", id: listing }],
    });
    await manager.call("record_place_view", { place_id: listing });
    expect(await sql("select * from public.place_views where place_id = $1", [listing])).toEqual(
      [],
    );
  });

  it("isn’t asked for what only its owner can add", async () => {
    // A manager doesn't see its owner's address, which approving requires.
    const { owner, manager, listing } = await managedListing({ status: "new", state: "NM" });
    expect((await manager.call("my_home")).value).toMatchObject({ needs: [] });
    await sql("update public.places set state = null where id = $1", [listing]);
    for (const by of [owner, manager])
      expect((await by.call("my_home")).value).toMatchObject({
        needs: [{ kind: "incomplete", id: listing }],
      });
  });

  it("buys nothing for it: no job, no sponsorship, and what is owed for it is not theirs to pay", async () => {
    const { manager, listing } = await managedListing({
      subscription_status: "past_due",
      stripe_cus_id: "cus_1",
      premium: true,
    });
    const job = {
      title: "Baker",
      category: 85,
      description: "Bake.",
      location: ["New Mexico"],
      place_id: listing,
    };
    expect((await manager.insert("jobs", job)).message).toBe("job_place_not_yours");
    expect(
      (await manager.insert("sponsorships", { place_id: listing, promo_text: "Hello" })).message,
    ).toBe("sponsorship_place_not_yours");
    expect(
      (await manager.call("open_order", { buyer: manager.id, kind: "upgrade", item_id: listing }))
        .code,
    ).toBe("42501");
    expect((await manager.call("my_home")).value).toMatchObject({ needs: [] });
    expect((await manager.call("my_dashboard")).value).toMatchObject({
      counts: { attention: 0 },
      tasks: [],
    });
  });

  it("is no one for other listings, and for everyone else", async () => {
    const { owner, manager, listing } = await managedListing();
    const another = await place({ owner: owner.id });
    expect((await manager.select("managed_places", `id=eq.${another}`)).rows).toEqual([]);
    expect(
      (await manager.update("managed_places", `id=eq.${another}`, { hidden: true })).rows,
    ).toEqual([]);
    expect((await manager.call("get_listing_managers", { place_id: listing })).value).toBeNull();
    expect(
      (await manager.call("remove_manager", { place_id: listing, user_id: manager.id })).code,
    ).toBe("42501");
    const stranger = await person();
    expect((await stranger.select("listing_managers")).rows).toEqual([]);
    expect((await stranger.select("manager_invitations")).rows).toEqual([]);
    expect((await anonymous.select("listing_managers")).code).toBe("42501");
    expect(
      JSON.stringify((await anonymous.select("public_places", `id=eq.${listing}`)).rows),
    ).not.toContain(manager.id);
  });

  it("hears of new messages when they chose to, until they are gone", async () => {
    const { owner, manager, listing } = await managedListing();
    const lead = () =>
      sql(
        "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', 'kai@example.test', 'Hello')",
        [listing],
      );
    const owed = () =>
      sql("select recipient from private.email_queue where kind = 'new-lead' and recipient = $1", [
        manager.id,
      ]);
    await lead();
    expect(await owed()).toEqual([]);
    await manager.insert("email_preferences", {
      user_id: manager.id,
      kind: "new-lead",
      wanted: true,
    });
    await lead();
    expect(await owed()).toHaveLength(1);
    await owner.call("remove_manager", { place_id: listing, user_id: manager.id });
    expect(await owed()).toEqual([]);
  });
});

describe("it ends", () => {
  const nothingLeft = async (manager: Caller, listing: number) => {
    expect((await manager.select("managed_places", `id=eq.${listing}`)).rows).toEqual([]);
    expect((await manager.call("my_leads")).value).toMatchObject({ total: 0 });
    expect(
      await sql("select * from public.manager_invitations where accepted_by = $1", [manager.id]),
    ).toEqual([]);
  };

  it("when the owner or an admin removes them, once", async () => {
    const { owner, manager, listing } = await managedListing();
    expect(
      (await (await person()).call("remove_manager", { place_id: listing, user_id: manager.id }))
        .code,
    ).toBe("42501");
    expect(
      (await owner.call("remove_manager", { place_id: listing, user_id: manager.id })).value,
    ).toBe(true);
    expect(
      (await owner.call("remove_manager", { place_id: listing, user_id: manager.id })).value,
    ).toBe(false);
    await nothingLeft(manager, listing);
    expect(await actions(listing)).toEqual([
      "invite-manager",
      "accept-invitation",
      "remove-manager",
    ]);
  });

  it("for good: their other open invitations to the listing are withdrawn, and no one else's", async () => {
    const { owner, manager, listing } = await managedListing();
    const [name, domain] = manager.email.split("@") as [string, string];
    const moved = `moved-${name}@example.test`;
    const elsewhere = await place({ owner: owner.id });
    const theirs = [
      await invite(owner, listing, `${name}+two@${domain}`),
      await invite(owner, listing, moved.replace("@", "+two@")),
    ];
    const others = [
      await invite(owner, listing, "someone-else@example.test"),
      await invite(owner, elsewhere, moved.replace("@", "+two@")),
    ];
    // Since they were invited, their account has another address.
    await sql("update auth.users set email = $2 where id = $1", [manager.id, moved]);
    await owner.call("remove_manager", { place_id: listing, user_id: manager.id });
    const withdrawn = async ({ invitation }: { invitation: string }) =>
      (await row("manager_invitations", invitation))["withdrawn_at"] !== null;
    expect(await Promise.all(theirs.map(withdrawn))).toEqual([true, true]);
    expect(await Promise.all(others.map(withdrawn))).toEqual([false, false]);
  });

  it("when they leave", async () => {
    const { manager, listing } = await managedListing();
    expect((await manager.call("leave_listing", { place_id: listing })).value).toBe(true);
    expect((await manager.call("leave_listing", { place_id: listing })).value).toBe(false);
    await nothingLeft(manager, listing);
  });

  it("when the listing gets another owner, who didn't choose them to read along", async () => {
    const { owner, manager, listing } = await managedListing();
    const guest = await person();
    const { token } = await invite(owner, listing, guest.email);
    const [admin, heir] = [await person({ admin: true }), await person()];
    await admin.update("places", `id=eq.${listing}`, { owner: heir.id });
    await nothingLeft(manager, listing);
    expect((await guest.call("accept_invitation", { token })).value).toEqual({
      state: "withdrawn",
    });
    expect(await actions(listing)).toContain("end-managing");
    expect((await heir.call("get_listing_managers", { place_id: listing })).value).toMatchObject({
      managers: [],
      invitations: [],
    });
  });

  it("when the owner's account is erased; and a manager's account takes its traces along", async () => {
    const first = await managedListing();
    const second = await managedListing();
    const admin = await person({ admin: true });
    await admin.call("admin_delete_user", { userid: first.owner.id });
    await nothingLeft(first.manager, first.listing);

    await admin.call("admin_delete_user", { userid: second.manager.id });
    expect(
      await sql("select * from public.listing_managers where place_id = $1", [second.listing]),
    ).toEqual([]);
    expect(
      await sql("select * from public.manager_invitations where email = $1", [
        second.manager.email,
      ]),
    ).toEqual([]);
  });

  it("forgets invitations that no one answered a month after they ran out, and no others", async () => {
    const { owner, listing, invitation } = await managedListing();
    const old = await invite(owner, listing, "silent@example.test");
    const open = await invite(owner, listing, "waiting@example.test");
    await sql(
      "update public.manager_invitations set expires_at = now() - interval '31 days' where id in ($1, $2)",
      [old.invitation, invitation],
    );
    await service.call("lease_emails", { max_emails: 0 });
    const left = await sql("select id from public.manager_invitations where place_id = $1", [
      listing,
    ]);
    expect(left.map(({ id }) => id).sort()).toEqual([invitation, open.invitation].sort());
  });
});

describe("at once, on a real Postgres", async () => {
  const { sql: real } = await startMigratedPostgres();
  const someone = async () => {
    const id = randomUUID();
    await createUser(real, id, `${id}@example.test`);
    return { id, email: `${id}@example.test` };
  };
  const listingOf = async ({ id }: { id: string }) =>
    Number(
      (
        await real`insert into public.places (name, category, status, state, owner) values ('Café X', 4, 'published', 'NM', ${id}) returning id`
      )[0]!["id"],
    );
  const inviting = (owner: { id: string }, listing: number, email: string, token = newToken()) =>
    as(
      real,
      owner,
      (db) => db`select public.invite_manager(${randomUUID()}, ${listing}, ${email}, ${token})`,
    );

  it("an invitation accepted twenty times is accepted once", async () => {
    const [owner, guest, token] = [await someone(), await someone(), newToken()];
    const listing = await listingOf(owner);
    await inviting(owner, listing, guest.email, token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        as(real, guest, (db) => db`select public.accept_invitation(${token}) ->> 'state' as state`),
      ),
    );
    expect(answers.map(([answer]) => answer!["state"]).sort()).toEqual([
      "accepted",
      ...Array<string>(19).fill("managing"),
    ]);
    expect(
      await real`select count(*)::int as n from public.audit_log where action = 'accept-invitation' and subject_id = ${String(listing)}`,
    ).toMatchObject([{ n: 1 }]);
  });

  it("is accepted or withdrawn, never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [owner, guest, token] = [await someone(), await someone(), newToken()];
      const listing = await listingOf(owner);
      await inviting(owner, listing, guest.email, token);
      const [{ id }] =
        (await real`select id from public.manager_invitations where place_id = ${listing}`) as unknown as [
          { id: string },
        ];
      const [[accepted], [withdrawn]] = await Promise.all([
        as(real, guest, (db) => db`select public.accept_invitation(${token}) ->> 'state' as state`),
        as(real, owner, (db) => db`select public.withdraw_invitation(${id}) as done`),
      ]);
      expect(accepted!["state"] === "accepted").toBe(withdrawn!["done"] === false);
    }
  });

  it("thirty invitations are ten", async () => {
    const owner = await someone();
    const listing = await listingOf(owner);
    const sent = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => inviting(owner, listing, `guest-${n}@example.test`)),
    );
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(
      await real`select count(*)::int as n from public.manager_invitations where place_id = ${listing}`,
    ).toMatchObject([{ n: 10 }]);
  });

  it("erasing someone locks listings in the same order as decisions on them, so that neither waits for the other forever", async () => {
    const [owner, admin] = [await someone(), await someone()];
    await real`update public.profiles set admin = true where id = ${admin.id}`;
    const [first, last] = [await listingOf(owner), await listingOf(owner)];
    // Written anew, the first stands behind the last.
    await real`update public.places set name = 'Café Y' where id = ${first}`;
    let erased: Promise<unknown> = Promise.resolve();
    await inTransaction(real, async (decision) => {
      await decision`select from public.places where id = ${first} for update`;
      erased = as(real, admin, (db) => db`select public.admin_delete_user(${owner.id})`);
      const waiting = () =>
        real`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%admin_delete_user%'`;
      await expect.poll(async () => (await waiting()).length).toBe(1);
      await decision`select from public.places where id = ${last} for update`;
    });
    await erased;
    expect(
      await real`select count(*)::int as n from public.places where owner = ${owner.id}`,
    ).toMatchObject([{ n: 0 }]);
  });
});
