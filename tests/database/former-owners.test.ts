/**
 * What a listing that leaves its owner does not take along: addresses, messages, payments, and what they may
 * say in its name. The rules are in part_from_owner, restore_protected_columns, guard_job,
 * guard_sponsorship, and release_orders.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql, person, place, service } = database;
const row = (table: string, id: unknown) => database.row(table, id);
let admin: Caller;

beforeAll(async () => {
  admin = await person({ admin: true });
});
beforeEach(() => sql("delete from public.rate_limits"));

const give = (listing: number, to: Caller | null) =>
  admin.update("places", `id=eq.${listing}`, { owner: to?.id ?? null });
/** As the auth service does once both mailboxes have confirmed it. */
const changeAddress = (who: Caller, email: string) =>
  sql("update auth.users set email = $2 where id = $1", [who.id, email]);
/** As someone does in Supabase's own dashboard, without any function of ours. */
const deleteAccount = (who: Caller) => sql("delete from auth.users where id = $1", [who.id]);
const newEmail = () => `${randomUUID()}@example.test`;

async function ownedListing(columns: Row = {}) {
  const owner = await person();
  const listing = await place({ owner: owner.id, owner_email: owner.email, ...columns });
  return { owner, listing };
}
async function insertJob(columns: Row): Promise<number> {
  const job: Row = {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: "{New Mexico}",
    company_name: "Café X",
    company_bio: "Words.",
    ...columns,
  };
  const names = Object.keys(job);
  const [made] = await sql(
    `insert into public.jobs (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")}) returning id`,
    Object.values(job),
  );
  return Number(made!["id"]);
}
const write = async (listing: number, sender?: Caller) =>
  (sender ?? (await person())).insert("leads", {
    place_id: listing,
    requester_name: "Kai",
    message: "I am not out yet",
  });
const emails = (kind: string, about: { recipient?: string; place_id?: number }) =>
  sql(
    "select data from private.email_queue where kind = $1 and (recipient = $2 or place_id = $3)",
    [kind, about.recipient ?? null, about.place_id ?? null],
  );

describe("the address of a listing's or a job's owner", () => {
  it("follows a confirmed change, and makes no open form outdated", async () => {
    const { owner, listing } = await ownedListing();
    const job = await insertJob({ owner: owner.id, owner_email: owner.email });
    const before = await row("places", listing);
    const email = newEmail();
    await changeAddress(owner, email.toUpperCase());
    expect(await row("places", listing)).toEqual({ ...before, owner_email: email });
    expect(await row("jobs", job)).toMatchObject({ owner_email: email, version: 1 });

    // Nothing of anyone else.
    const claimable = await place({ owner: null, owner_email: email });
    await changeAddress(owner, newEmail());
    expect(await row("places", claimable)).toMatchObject({ owner_email: email });
  });

  it("is none while no one has confirmed it", async () => {
    const { owner, listing } = await ownedListing();
    await sql("update auth.users set email_confirmed_at = null, email = $2 where id = $1", [
      owner.id,
      newEmail(),
    ]);
    expect(await row("places", listing)).toMatchObject({ owner_email: null });
  });

  it("that was given up finds nothing, even after the account was erased", async () => {
    const { owner, listing } = await ownedListing();
    await insertJob({ owner: owner.id, owner_email: owner.email });
    await write(listing);
    await changeAddress(owner, newEmail());
    // A listing from before addresses followed their account.
    const older = await place({ owner: owner.id });
    await sql("update public.places set owner_email = $2 where id = $1", [older, owner.email]);
    const olderJob = await insertJob({ owner: owner.id, owner_email: owner.email });
    expect((await admin.call("admin_delete_user", { userid: owner.id })).value).toBe(true);

    for (const id of [listing, older])
      expect(await row("places", id)).toMatchObject({ owner: null, owner_email: null });
    expect(await row("jobs", olderJob)).toMatchObject({ owner: null, owner_email: null });
    const nextHolder = await person({ email: owner.email });
    expect((await nextHolder.select("places")).rows).toEqual([]);
    expect((await nextHolder.call("my_dashboard")).value).toMatchObject({ all: 0 });
    expect((await nextHolder.select("leads", "select=id")).rows).toEqual([]);
  });

  it("goes with an account that is deleted past our functions", async () => {
    const { owner, listing } = await ownedListing({ mailingaddress: "Home of the seller 12" });
    const other = await place({ owner: owner.id, owner_email: "office@example.test" });
    const job = await insertJob({ owner: owner.id, owner_email: owner.email });
    const claimable = await place({ owner: null, owner_email: owner.email });
    await deleteAccount(owner);
    expect(await row("places", listing)).toMatchObject({
      owner: null,
      owner_email: null,
      mailingaddress: null,
    });
    expect(await row("places", other)).toMatchObject({ owner: null, owner_email: null });
    expect(await row("jobs", job)).toMatchObject({ owner: null, owner_email: null });
    // That no one had claimed yet.
    expect(await row("places", claimable)).toMatchObject({ owner_email: owner.email });
  });

  it("becomes the next owner's when an admin gives a listing or a job away, unless the admin says another", async () => {
    const { owner, listing } = await ownedListing();
    const job = await insertJob({ owner: owner.id, owner_email: owner.email });
    const heir = await person();
    await give(listing, heir);
    await admin.update("jobs", `id=eq.${job}`, { owner: heir.id });
    expect(await row("places", listing)).toMatchObject({ owner_email: heir.email });
    expect(await row("jobs", job)).toMatchObject({ owner_email: heir.email });

    await give(listing, null);
    await admin.update("jobs", `id=eq.${job}`, { owner: null });
    expect(await row("places", listing)).toMatchObject({ owner_email: null });
    expect(await row("jobs", job)).toMatchObject({ owner_email: null });

    await give(listing, heir);
    const claim = { owner: null, owner_email: "claim@example.test" };
    await admin.update("places", `id=eq.${listing}`, claim);
    expect(await row("places", listing)).toMatchObject(claim);
    await admin.update("jobs", `id=eq.${job}`, { owner: heir.id });
    await admin.update("jobs", `id=eq.${job}`, claim);
    expect(await row("jobs", job)).toMatchObject(claim);
  });

  it("does not stay when a maintainer changes the owner in the database", async () => {
    const { listing } = await ownedListing();
    const heir = await person();
    await sql("update public.places set owner = $2 where id = $1", [listing, heir.id]);
    expect(await row("places", listing)).toMatchObject({ owner: heir.id, owner_email: null });
  });
});

describe("messages", () => {
  it("to one owner stay closed to the next one, to their managers, and to an admin who takes the listing", async () => {
    const { owner, listing } = await ownedListing();
    await write(listing);
    expect((await owner.call("get_owner_leads")).rows).toHaveLength(1);
    const [{ id: lead }] = (await sql("select id from public.leads where place_id = $1", [
      listing,
    ])) as [Row];
    for (const next of [admin, await person()]) {
      await give(listing, next);
      await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
        listing,
        (await person()).id,
      ]);
      const manager = await person();
      await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
        listing,
        manager.id,
      ]);
      for (const reader of [next, manager]) {
        expect((await reader.select("leads", "select=id")).rows).toEqual([]);
        expect((await reader.call("get_owner_leads")).rows).toEqual([]);
        expect((await reader.call("my_leads")).value).toMatchObject({ total: 0, listings: [] });
        expect(JSON.stringify((await reader.call("my_home")).value)).not.toContain("new-leads");
        expect((await reader.call("my_counts")).value).toMatchObject({ leads: 0 });
        expect(JSON.stringify((await reader.call("export_my_data")).value)).not.toContain(
          "I am not out yet",
        );
        expect(
          (await reader.update("leads", `id=eq.${lead as number}`, { state: "spam" })).rows,
        ).toEqual([]);
      }
    }
    expect(await row("leads", lead)).toMatchObject({ state: "new" });
  });

  it("to a listing that the next owner had all along stay theirs", async () => {
    const { listing } = await ownedListing();
    const next = await ownedListing();
    await write(listing);
    await write(next.listing);
    await give(listing, next.owner);
    const about = `place_id=eq.${next.listing}`;
    expect((await next.owner.select("leads", `select=id&${about}`)).rows).toHaveLength(1);
    expect((await next.owner.update("leads", about, { state: "spam" })).rows).toHaveLength(1);
    // A change of all that one may change names no column, so that the right to read has no say in it.
    const ofAll = await next.owner.update("leads", "", { state: "replied" });
    expect(ofAll.code).toBeUndefined();
    expect(ofAll.rows).toHaveLength(1);
  });

  it("that come later are read by the owner and the managers at that time", async () => {
    const { owner, listing } = await ownedListing();
    const [heir, manager] = [await person(), await person()];
    await write(listing);
    await give(listing, heir);
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      manager.id,
    ]);
    await write(listing);
    for (const reader of [heir, manager]) {
      expect((await reader.call("my_leads")).value).toMatchObject({
        total: 1,
        listings: [{ id: listing, leads: 1, new: 1 }],
      });
      expect(
        (await reader.update("leads", `place_id=eq.${listing}`, { notes: "Read" })).rows,
      ).toHaveLength(1);
    }
    expect((await owner.call("get_owner_leads")).rows).toEqual([]);
  });

  it("stay closed when the listing has no owner in between", async () => {
    for (const leave of [
      (listing: number) => give(listing, null),
      async (_: number, owner: Caller) => admin.call("admin_delete_user", { userid: owner.id }),
      async (_: number, owner: Caller) => deleteAccount(owner),
    ]) {
      const { owner, listing } = await ownedListing();
      await write(listing);
      await leave(listing, owner);
      const claimant = await person();
      await sql("update public.places set owner_email = $2 where id = $1", [
        listing,
        claimant.email,
      ]);
      await claimant.update("places", `id=eq.${listing}`, { hidden: false });
      expect(await row("places", listing)).toMatchObject({ owner: claimant.id });
      expect((await claimant.call("get_owner_leads")).rows).toEqual([]);
    }
  });

  it("to a listing that never had an owner are read by the first one", async () => {
    const claimant = await person();
    const listing = await place({ owner: null, owner_email: claimant.email });
    await write(listing);
    await claimant.update("places", `id=eq.${listing}`, { hidden: false });
    expect((await claimant.call("get_owner_leads")).rows).toHaveLength(1);
    // An edit changes nothing about that, and can't.
    for (const by of [claimant, admin])
      await by.update("places", `id=eq.${listing}`, {
        name: `By ${by.id}`,
        leads_from: "2100-01-01T00:00:00Z",
      });
    expect((await claimant.call("get_owner_leads")).rows).toHaveLength(1);
    await claimant.insert("places", {
      name: "Mine",
      category: 4,
      description: "Words.",
      rawaddress: "1 Main St",
      third_party_auth: true,
      certified_queer: true,
      leads_from: "2100-01-01T00:00:00Z",
    });
    expect(
      await sql("select leads_from from public.places where name = 'Mine' and owner = $1", [
        claimant.id,
      ]),
    ).toEqual([{ leads_from: null }]);
  });

  it("are not announced to the next owner in an email that waited", async () => {
    const { owner, listing } = await ownedListing();
    await owner.insert("email_preferences", { user_id: owner.id, kind: "new-lead", wanted: true });
    await write(listing);
    expect(await emails("new-lead", { place_id: listing })).toHaveLength(1);
    await give(listing, await person());
    expect(await emails("new-lead", { place_id: listing })).toEqual([]);
  });
});

describe("a former owner", () => {
  it("gets an email when the listing goes to someone else, or to no one", async () => {
    const { owner, listing } = await ownedListing();
    const heir = await person();
    // Of its jobs, what is paid for goes with it.
    const paid = { paid: true, expiration_date: "2099-01-01" };
    await insertJob({ owner: owner.id, place_id: listing, ...paid });
    await insertJob({ owner: owner.id, place_id: listing, ...paid, expiration_date: "2020-01-01" });
    await insertJob({ owner: owner.id, place_id: listing });
    await give(listing, heir);
    expect(await emails("listing-left", { recipient: owner.id })).toEqual([
      {
        data: {
          place_id: listing,
          name: "Café X",
          given: true,
          edited: false,
          edited_hidden: false,
          plan: false,
          paused: false,
          newsletters: [],
          awaited: false,
          unpaid: false,
          jobs: 1,
        },
      },
    ]);
    await give(listing, null);
    expect(await emails("listing-left", { recipient: heir.id })).toEqual([
      {
        data: {
          place_id: listing,
          name: "Café X",
          given: false,
          edited: false,
          edited_hidden: false,
          plan: false,
          paused: false,
          newsletters: [],
          awaited: false,
          unpaid: false,
          jobs: 1,
        },
      },
    ]);
    // Who gives away their own knows it.
    const own = await place({ owner: admin.id });
    await give(own, heir);
    expect(await emails("listing-left", { recipient: admin.id })).toEqual([]);
    expect(await row("places", own)).toMatchObject({ owner: heir.id });
  });

  it("posts no job in the listing's name, not by deleting their account, either", async () => {
    const { owner, listing } = await ownedListing();
    const job = await insertJob({ owner: owner.id, place_id: listing });
    await give(listing, await person());
    // Its checkout was open.
    await sql(
      "update public.jobs set paid = true, published = true, expiration_date = now() + interval '9 days' where id = $1",
      [job],
    );
    const shown = async () => (await database.anonymous.select("public_jobs", `id=eq.${job}`)).rows;
    expect(await shown()).toEqual([]);
    await deleteAccount(owner);
    expect(await shown()).toEqual([]);
  });

  it("leaves no mailing address behind, not in an edit that waits for review, either", async () => {
    const { owner, listing } = await ownedListing({ mailingaddress: "Home of the seller 12" });
    await owner.update("places", `id=eq.${listing}`, {
      name: "Café Y",
      mailingaddress: "Second home of the seller",
    });
    expect(await row("places", listing)).toMatchObject({
      status: "pending-update",
      last_update: { name: "Café X", mailingaddress: "Home of the seller 12" },
    });
    const heir = await person();
    await give(listing, heir);
    expect(await row("places", listing)).toMatchObject({
      status: "published",
      mailingaddress: null,
      last_update: {},
    });
    expect(JSON.stringify((await heir.select("places")).rows)).not.toMatch(/seller/);
    // What was public before stays so, as its author is told.
    expect(await emails("listing-left", { recipient: owner.id })).toMatchObject([
      { data: { edited: true } },
    ]);

    // What an admin enters with the new owner is theirs.
    const next = await person();
    await admin.update("places", `id=eq.${listing}`, {
      owner: next.id,
      mailingaddress: "1 New St",
    });
    expect(await row("places", listing)).toMatchObject({ mailingaddress: "1 New St" });
  });

  it("sends its next owner no email that our team changed it, when only what was the owner’s alone was removed", async () => {
    const { listing } = await ownedListing({
      mailingaddress: "Home of the seller 12",
      address: "Bend, OR",
      rawaddress: "Home of the seller 12, Bend, OR",
      address_approximate: true,
    });
    await give(listing, await person());
    expect(await row("places", listing)).toMatchObject({ mailingaddress: null, rawaddress: null });
    expect(await emails("listing-edited", { place_id: listing })).toEqual([]);

    await admin.update("places", `id=eq.${listing}`, {
      owner: (await person()).id,
      description: "New words.",
    });
    expect(await emails("listing-edited", { place_id: listing })).toHaveLength(1);
  });
});

describe("an edit that no one has approved leaves with its author", () => {
  const WORDS = "I am Alex and live upstairs. Ring me at home.";
  const edit = {
    name: "Café Y",
    description: WORDS,
    public_email: "alex.smith@example.test",
    phone: "+14155550199",
  };
  type Leave = (listing: number, owner: Caller) => Promise<unknown>;
  const erase: Leave = (_, owner) => admin.call("admin_delete_user", { userid: owner.id });
  const ways: [how: string, after: "stays" | "is hidden", leave: Leave][] = [
    ["an admin gives the listing to someone else", "stays", async (id) => give(id, await person())],
    ["an admin takes the listing away", "stays", (id) => give(id, null)],
    ["its account is erased", "is hidden", erase],
    ["its account is deleted past our functions", "is hidden", (_, owner) => deleteAccount(owner)],
  ];
  const onThePublicMap = async (listing: number) =>
    (await sql("select * from public.public_places where id = $1", [listing]))[0];

  it.each(ways)("when %s: what is public %s, and nothing waits", async (_, after, leave) => {
    const { owner, listing } = await ownedListing({
      phone: "+14155550100",
      mailingaddress: "Home of Alex 12",
    });
    await owner.update("places", `id=eq.${listing}`, {
      ...edit,
      mailingaddress: "Second Home of Alex",
    });
    expect(await row("places", listing)).toMatchObject({ ...edit, status: "pending-update" });
    const shown = await onThePublicMap(listing);
    expect(shown).toMatchObject({ name: "Café X", phone: "+14155550100" });
    const [{ newest }] = (await sql("select max(id) as newest from public.audit_log")) as [Row];

    await leave(listing, owner);
    expect(await row("places", listing)).toMatchObject({
      status: "published",
      name: "Café X",
      phone: "+14155550100",
      last_update: {},
    });
    expect(JSON.stringify(await row("places", listing))).not.toMatch(/Alex|alex\.smith|Home of/);
    expect(await onThePublicMap(listing)).toEqual(after === "stays" ? shown : undefined);
    expect(await row("places", listing)).toMatchObject({ hidden: after === "is hidden" });
    const logged = await sql(
      "select * from public.audit_log where id > $1 and subject = 'places'",
      [newest],
    );
    expect(logged).toHaveLength(1);
    expect(logged[0]!["before"]).toMatchObject({ description: "[withheld]", name: "[withheld]" });
    expect(JSON.stringify(logged)).not.toMatch(/Alex|Café Y/);
    // No one approved or edited it for the next owner.
    expect(await emails("listing-approved", { place_id: listing })).toEqual([]);
    expect(await emails("listing-edited", { place_id: listing })).toEqual([]);
  });

  it("also of a listing that was flagged meanwhile, which stays flagged", async () => {
    const { owner, listing } = await ownedListing();
    await owner.update("places", `id=eq.${listing}`, edit);
    await admin.update("places", `id=eq.${listing}`, { status: "flagged" });
    await give(listing, await person());
    expect(await row("places", listing)).toMatchObject({
      status: "flagged",
      name: "Café X",
      last_update: {},
    });
  });

  it("also when the public has read the address of a deleted account, which goes, too", async () => {
    const { owner, listing } = await ownedListing();
    await sql("update public.places set public_email = $2 where id = $1", [listing, owner.email]);
    await owner.update("places", `id=eq.${listing}`, edit);
    await admin.call("admin_delete_user", { userid: owner.id });
    expect(await row("places", listing)).toMatchObject({ status: "published", public_email: null });

    // An edit to the account's own address is gone, and the approved address is not.
    const other = await ownedListing({ public_email: "hello@cafe.example" });
    await other.owner.update("places", `id=eq.${other.listing}`, {
      public_email: other.owner.email,
    });
    await admin.call("admin_delete_user", { userid: other.owner.id });
    expect(await row("places", other.listing)).toMatchObject({
      status: "published",
      public_email: "hello@cafe.example",
    });
  });

  it("and what an admin enters in its place stays", async () => {
    const { owner, listing } = await ownedListing();
    await owner.update("places", `id=eq.${listing}`, edit);
    const heir = await person();
    await admin.update("places", `id=eq.${listing}`, { owner: heir.id, phone: "+14155550111" });
    expect(await row("places", listing)).toMatchObject({
      name: "Café X",
      phone: "+14155550111",
      status: "pending-update",
      last_update: { phone: null },
    });
    expect(await onThePublicMap(listing)).toMatchObject({ name: "Café X", phone: null });

    // Published by the admin's form at the same time: only what the admin wrote.
    const again = await ownedListing();
    await again.owner.update("places", `id=eq.${again.listing}`, edit);
    await admin.update("places", `id=eq.${again.listing}`, {
      owner: heir.id,
      phone: "+14155550111",
      status: "published",
    });
    expect(await onThePublicMap(again.listing)).toMatchObject({
      name: "Café X",
      phone: "+14155550111",
    });
  });

  it("but a listing that was never approved has no other text, and waits as it was sent in", async () => {
    const { owner, listing } = await ownedListing({ status: "new", description: WORDS });
    await admin.call("admin_delete_user", { userid: owner.id });
    expect(await row("places", listing)).toMatchObject({ status: "new", description: WORDS });
    // No one but the team reads it, and no one can approve it, until the team enters an owner.
    expect((await (await person()).select("places")).rows).toEqual([]);
    const approved = await admin.call("decide_listings", {
      batch: randomUUID(),
      action: "approve",
      items: [{ id: listing, version: (await row("places", listing))["version"] }],
    });
    expect(approved.value).toMatchObject({ counts: { done: 0, refused: 1 } });
  });
});

const open = async (buyer: Caller, kind: string, item_id: number, more: Row = {}) =>
  (await service.call("open_order", { buyer: buyer.id, kind, item_id, ...more })).value as {
    refused?: string;
    order: { id: string };
  };

describe("a newsletter feature", () => {
  async function sponsorship(
    { owner, listing }: { owner: Caller; listing: number },
    days: string[],
  ) {
    const [made] = await sql(
      "insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates) values ($1, 'Come in', $2, $3) returning id",
      [listing, owner.id, `{${days.join(",")}}`],
    );
    return Number(made!["id"]);
  }
  const nextDates = async () =>
    (
      await sql(
        "select weekday_date::text as day from private.get_available_sponsorship_dates(12) order by 1 desc limit 2",
      )
    ).map(({ day }) => String(day));

  it("that is paid is changed by its buyer only while they own or manage the listing, and by the team", async () => {
    const { owner, listing } = await ownedListing();
    const id = await sponsorship({ owner, listing }, await nextDates());
    await sql("select private.pay_sponsorship_dates($1)", [id]);
    const change = (by: Caller, promo_text: string) =>
      by.update("sponsorships", `id=eq.${id}`, { promo_text, link: "https://example.test/" });
    expect((await change(owner, "Welcome")).rows).toHaveLength(1);

    await give(listing, await person());
    for (const columns of [
      { promo_text: "Lies" },
      { link: "https://evil.example/" },
      { photo_location: "https://evil.example/p.jpg" },
    ])
      expect(await owner.update("sponsorships", `id=eq.${id}`, columns)).toMatchObject({
        message: "sponsored_listing_left",
      });
    expect(await row("sponsorships", id)).toMatchObject({ promo_text: "Welcome", paid: true });

    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      owner.id,
    ]);
    expect((await change(owner, "Still here")).rows).toHaveLength(1);
    await sql("delete from public.listing_managers where place_id = $1", [listing]);
    expect((await change(admin, "Corrected")).rows).toHaveLength(1);
  });

  it("that the team edits is named to its buyer as they knew it, whatever the next owner calls the listing", async () => {
    const { owner, listing } = await ownedListing({ name: "Café X" });
    const id = await sponsorship({ owner, listing }, await nextDates());
    await sql("select private.pay_sponsorship_dates($1)", [id]);
    await admin.update("sponsorships", `id=eq.${id}`, { promo_text: "Corrected" });
    const heir = await person();
    await give(listing, heir);
    await admin.update("places", `id=eq.${listing}`, { status: "flagged" });
    await heir.update("places", `id=eq.${listing}`, { name: "A name of their own" });
    await admin.update("sponsorships", `id=eq.${id}`, { promo_text: "Corrected again" });
    expect(
      (await emails("feature-edited", { recipient: owner.id })).map(
        ({ data }) => (data as Row)["business"],
      ),
    ).toEqual(["Café X", "a listing"]);
  });

  it("of a listing that the team removes in its form is its buyer's to hear of, and no one else's", async () => {
    const { owner, listing } = await ownedListing();
    const days = await nextDates();
    const id = await sponsorship({ owner, listing }, days);
    await sql("select private.pay_sponsorship_dates($1)", [id]);
    const heir = await person();
    await give(listing, heir);
    const removed = async (recipient: Caller) =>
      (await emails("booked-listing-removed", { recipient: recipient.id })).map(({ data }) => data);
    await admin.update("places", `id=eq.${listing}`, { status: "archived" });
    expect(await removed(owner)).toMatchObject([
      { sponsorship_id: id, newsletters: [...days].sort() },
    ]);
    expect(await removed(heir)).toEqual([]);
    const due = () =>
      sql(
        "select from private.due_emails d join private.email_queue n using (id) where n.kind = 'booked-listing-removed' and n.recipient = $1",
        [owner.id],
      );
    expect(await due()).toHaveLength(1);
    // Not while it is back, nor once nothing of it is booked anymore.
    await sql("update public.places set status = 'published' where id = $1", [listing]);
    expect(await due()).toEqual([]);
    await sql("update public.places set status = 'archived' where id = $1", [listing]);
    await sql("delete from public.sponsorship_spots where sponsorship_id = $1", [id]);
    expect(await due()).toEqual([]);
  });

  it("that is not paid can still be given another listing", async () => {
    const { owner, listing } = await ownedListing();
    const id = await sponsorship({ owner, listing }, await nextDates());
    await give(listing, await person());
    const another = await place({ owner: owner.id });
    expect(
      (await owner.update("sponsorships", `id=eq.${id}`, { place_id: another })).rows,
    ).toHaveLength(1);
  });

  it("that is being paid for is released, with its spots; and refunded when it is paid anyway", async () => {
    const { owner, listing } = await ownedListing();
    const days = await nextDates();
    const id = await sponsorship({ owner, listing }, days);
    const { order } = await open(owner, "sponsorship", id);
    const counts = () =>
      sql(
        "select sum(held_count)::int as held, sum(paid_count)::int as paid from public.sponsorship_dates where weekday_date = any ($1::date[])",
        [`{${days.join(",")}}`],
      );
    const [held] = await counts();
    const heir = await person();
    await give(listing, heir);
    expect((await counts())[0]).toEqual({ ...held, held: Number(held!["held"]) - days.length });
    expect(await row("orders", order.id)).toMatchObject({ status: "canceled", seen: 1 });
    expect((await open(owner, "sponsorship", id)).refused).toBe("listing-not-yours");
    // The next owner may hold the same dates at once.
    const theirs = await sponsorship({ owner: heir, listing }, days);
    expect((await open(heir, "sponsorship", theirs)).refused).toBeUndefined();

    const facts = {
      session: {
        id: `cs_${randomBytes(8).toString("hex")}`,
        state: "paid",
        subtotal_cents: 9000,
        paid_cents: 9000,
        currency: "usd",
      },
    };
    expect(
      (
        await service.call("record_payment", {
          order_id: order.id,
          subscription_id: null,
          seen: 1,
          facts,
        })
      ).value,
    ).toMatchObject({ refund_due: true });
    expect(await row("orders", order.id)).toMatchObject({ refund_reason: "changed" });
    expect(await row("sponsorships", id)).toMatchObject({ paid: false });
  });

  it("whose money is on its way gives up its spots, and its order waits for the money", async () => {
    const { owner, listing } = await ownedListing();
    const id = await sponsorship({ owner, listing }, await nextDates());
    const { order } = await open(owner, "sponsorship", id);
    await sql("update public.orders set status = 'processing' where id = $1", [order.id]);
    await give(listing, await person());
    expect(await row("orders", order.id)).toMatchObject({ status: "processing" });
    expect(
      await sql("select * from public.sponsorship_spots where sponsorship_id = $1", [id]),
    ).toEqual([]);
  });
});

describe("an order for a listing that someone else gets", () => {
  const PLAN = { plan: "monthly", unit_price_cents: 4900 };

  it("for its plan is not opened by someone who has just lost the listing", async () => {
    const { owner, listing } = await ownedListing();
    await give(listing, await person());
    expect((await open(owner, "upgrade", listing, PLAN)).refused).toBe("missing");
    expect(await sql("select from public.orders where place_id = $1", [listing])).toEqual([]);
  });

  it("for its plan whose money does not arrive is canceled, and they aren’t asked to pay again", async () => {
    const { owner, listing } = await ownedListing();
    const { order } = await open(owner, "upgrade", listing, PLAN);
    const session = `cs_${randomBytes(8).toString("hex")}`;
    await service.call("record_checkout_session", {
      order_id: order.id,
      attempt: 1,
      session_id: session,
      customer_id: "cus_1",
    });
    const record = async (state: string) =>
      service.call("record_payment", {
        order_id: order.id,
        subscription_id: null,
        seen: (await row("orders", order.id))["seen"],
        facts: { session: { id: session, state, subtotal_cents: 4900, currency: "usd" } },
      });
    await record("processing");
    await give(listing, await person());
    await record("failed");
    expect(await row("orders", order.id)).toMatchObject({ status: "canceled" });
    expect(
      await sql(
        "select from private.email_queue where recipient = $1 and kind = 'payment-failed'",
        [owner.id],
      ),
    ).toEqual([]);
  });

  it("is canceled with those for its paid jobs, and no others", async () => {
    const { owner, listing } = await ownedListing();
    const live = { paid: true, published: true, expiration_date: "2100-01-01T00:00:00Z" };
    const [moved, draft] = [
      await insertJob({ owner: owner.id, place_id: listing, ...live }),
      await insertJob({ owner: owner.id, place_id: listing }),
    ];
    const elsewhere = await place({ owner: owner.id });
    const job = { unit_price_cents: 9900, days: 45, renew: true };
    const canceled = [
      await open(owner, "upgrade", listing, PLAN),
      await open(owner, "job", moved, job),
    ];
    const kept = [
      await open(owner, "upgrade", elsewhere, PLAN),
      await open(owner, "job", draft, job),
    ];
    const statuses = async (orders: { order: { id: string } }[]) =>
      Promise.all(orders.map(async ({ order }) => (await row("orders", order.id))["status"]));
    // Nothing happens while the owner stays.
    await owner.update("places", `id=eq.${listing}`, { name: "Café Y" });
    expect(await statuses(canceled)).toEqual(["open", "open"]);
    await give(listing, await person());
    expect(await statuses(canceled)).toEqual(["canceled", "canceled"]);
    expect(await statuses(kept)).toEqual(["open", "open"]);
  });
});

describe("what features a listing", () => {
  const subscription = (id: string, customer: string) => ({
    subscription: {
      id,
      status: "active",
      customer,
      started_at: "2026-01-01T00:00:00Z",
      ends_at: null,
      period: "1",
    },
  });
  const report = (id: string, customer: string, seen: number) =>
    service.call("record_payment", {
      order_id: null,
      subscription_id: id,
      seen,
      facts: subscription(id, customer),
    });

  it("goes on, and its customer is not the next owner's, whatever the payment provider reports", async () => {
    for (const reported of [true, false]) {
      // A subscription that is older than the orders.
      const [id, customer] = [`sub_${randomUUID()}`, `cus_${randomUUID()}`];
      const { owner, listing } = await ownedListing({
        premium: true,
        premium_created_at: "2026-01-01T00:00:00Z",
        stripe_cus_id: customer,
        stripe_subscription_id: id,
        subscription_status: "active",
      });
      if (reported) {
        await report(id, customer, 0);
        expect(await row("subscriptions", id)).toMatchObject({ owner: owner.id });
        expect(await row("places", listing)).toMatchObject({ stripe_cus_id: customer });
      }
      await give(listing, await person());
      const featured = {
        premium: true,
        stripe_cus_id: null,
        stripe_subscription_id: id,
        subscription_status: "active",
      };
      expect(await row("places", listing)).toMatchObject(featured);
      await report(id, customer, reported ? 1 : 0);
      expect(await row("places", listing)).toMatchObject(featured);
      expect(await row("subscriptions", id)).toMatchObject({ owner: reported ? owner.id : null });
    }
  });

  it("is the next owner's own once they pay themselves", async () => {
    const [id, customer] = [`sub_${randomUUID()}`, `cus_${randomUUID()}`];
    const { listing } = await ownedListing({
      stripe_cus_id: "cus_old",
      stripe_subscription_id: `sub_${randomUUID()}`,
      subscription_status: "canceled",
    });
    const heir = await person();
    await give(listing, heir);
    const opened = (
      await service.call("open_order", {
        buyer: heir.id,
        kind: "upgrade",
        item_id: listing,
        plan: "monthly",
        unit_price_cents: 4900,
      })
    ).value as { order: { id: string } };
    await service.call("record_payment", {
      order_id: opened.order.id,
      subscription_id: null,
      seen: 0,
      facts: {
        session: {
          id: `cs_${randomUUID()}`,
          state: "paid",
          subtotal_cents: 4900,
          paid_cents: 4900,
          currency: "usd",
          customer,
        },
        ...subscription(id, customer),
      },
    });
    expect(await row("places", listing)).toMatchObject({
      premium: true,
      stripe_cus_id: customer,
      stripe_subscription_id: id,
    });
  });

  it("is not bought by someone who does not own it anymore: that is refunded", async () => {
    const { owner, listing } = await ownedListing();
    const opened = (
      await service.call("open_order", {
        buyer: owner.id,
        kind: "upgrade",
        item_id: listing,
        plan: "monthly",
        unit_price_cents: 4900,
      })
    ).value as { order: { id: string } };
    await give(listing, await person());
    const id = `sub_${randomUUID()}`;
    const recorded = await service.call("record_payment", {
      order_id: opened.order.id,
      subscription_id: null,
      seen: 1,
      facts: {
        session: {
          id: `cs_${randomUUID()}`,
          state: "paid",
          subtotal_cents: 4900,
          paid_cents: 4900,
          currency: "usd",
          customer: "cus_late",
        },
        ...subscription(id, "cus_late"),
      },
    });
    expect(recorded.value).toMatchObject({ refund_due: true });
    expect(await row("places", listing)).toMatchObject({ premium: false, stripe_cus_id: null });
  });
});

describe("what a former owner kept to themselves", () => {
  it("whom they invited isn't shown to the next owner", async () => {
    const { owner, listing } = await ownedListing();
    const invite = (by: Caller, email: string) =>
      by.call("invite_manager", {
        invitation: randomUUID(),
        place_id: listing,
        email,
        token: randomBytes(24).toString("hex"),
      });
    await invite(owner, "friend@example.test");
    const heir = await person();
    await give(listing, heir);
    await invite(heir, "colleague@example.test");
    expect(
      (await heir.select("manager_invitations", "select=email")).rows.map(({ email }) => email),
    ).toEqual(["colleague@example.test"]);
    expect((await owner.select("manager_invitations", "select=email")).rows).toEqual([]);
    // Withdrawn by themselves, they still read it.
    await sql("update public.manager_invitations set withdrawn_at = now() where place_id = $1", [
      listing,
    ]);
    expect((await heir.select("manager_invitations", "select=email")).rows).toHaveLength(1);
  });

  it("isn't left in what an admin has typed over their listing", async () => {
    const reviewer = await person({ admin: true });
    const readDrafts = async () => (await reviewer.select("listing_drafts", "select=form")).rows;
    const write = (form: string) =>
      reviewer.insert("listing_drafts", { form, fields: { mailingaddress: "77 My Home Street" } });
    for (const leave of [
      async (listing: number) => give(listing, await person()),
      async (_: number, owner: Caller) => {
        await reviewer.call("admin_delete_user", { userid: owner.id });
      },
    ]) {
      const { owner, listing } = await ownedListing();
      const other = await ownedListing();
      const forms = [`/listings/${listing}`, `/listings/${other.listing}`];
      for (const form of forms) expect((await write(form)).status).toBe(201);
      await leave(listing, owner);
      expect(await readDrafts()).toEqual([{ form: forms[1] }]);
      await reviewer.remove("listing_drafts", `form=eq.${forms[1]}`);
    }
  });

  it("an address that the public doesn't see leaves with them, and one that it sees stays", async () => {
    const home = { rawaddress: "77 My Home Street, Apt 4, Albany", address: "Albany, NY" };
    for (const [columns, expected] of [
      [{ ...home, address_approximate: true }, null],
      [{ ...home, address_approximate: false }, home.rawaddress],
      [{ ...home, rawaddress: home.address, address_approximate: true }, home.address],
    ] as const) {
      const { listing } = await ownedListing(columns);
      const heir = await person();
      await give(listing, heir);
      expect(await row("places", listing)).toMatchObject({
        rawaddress: expected,
        address: home.address,
      });
      // The next owner's own stays with them.
      await heir.update("places", `id=eq.${listing}`, { rawaddress: "1 Main" });
      expect(await row("places", listing)).toMatchObject({ rawaddress: "1 Main" });
    }
  });

  it("nor is it in a waiting edit, whether the address was private in the edit or in the listing", async () => {
    for (const [before, edit] of [
      [true, false],
      [false, true],
    ]) {
      const { owner, listing } = await ownedListing({
        rawaddress: "77 My Home Street",
        address: "Albany, NY",
        address_approximate: before,
      });
      await owner.update("places", `id=eq.${listing}`, {
        rawaddress: "78 My Home Street",
        address_approximate: edit,
      });
      const heir = await person();
      await give(listing, heir);
      expect(JSON.stringify(await row("places", listing))).not.toContain("My Home Street");
    }
  });
});

describe("a request for removal", () => {
  const ask = (owner: Caller, listing: number) =>
    owner.update("places", `id=eq.${listing}`, { archive_requested: true });
  const isRequested = async (listing: number) =>
    (await row("places", listing))["archive_requested"];

  it("was the previous owner's: the next one has not asked for anything", async () => {
    const { owner, listing } = await ownedListing();
    await ask(owner, listing);
    const next = await person();
    await give(listing, next);
    expect(await isRequested(listing)).toBe(false);
    await ask(next, listing);
    expect(await isRequested(listing)).toBe(true);
  });

  it("outlasts the account of its owner, until someone else has the listing", async () => {
    const { owner, listing } = await ownedListing();
    await ask(owner, listing);
    await deleteAccount(owner);
    expect(await isRequested(listing)).toBe(true);
    await give(listing, await person());
    expect(await isRequested(listing)).toBe(false);
  });

  it("is not that of a person who claims the listing", async () => {
    const claimant = await person();
    const listing = await place({
      owner: null,
      owner_email: claimant.email,
      archive_requested: true,
    });
    await claimant.update("places", `id=eq.${listing}`, { description: "Mine now." });
    expect(await row("places", listing)).toMatchObject({
      owner: claimant.id,
      archive_requested: false,
    });
  });

  it("is over once the listing is removed, by whatever form, and does not return with it", async () => {
    const { owner, listing } = await ownedListing();
    await ask(owner, listing);
    await admin.update("places", `id=eq.${listing}`, { status: "archived" });
    expect(await isRequested(listing)).toBe(false);
    await admin.update("places", `id=eq.${listing}`, { status: "published" });
    expect(await isRequested(listing)).toBe(false);
  });
});
