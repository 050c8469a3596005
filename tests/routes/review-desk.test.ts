import { describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin();

const NO_EMAIL = "This listing does not have an owner_email.";
const NO_ADDRESS = "This listing does not have a proper address.";

const statusOf = async (id: number) => (await world.row("places", id))!["status"];
const chosen = (...listings: { id: number; version?: unknown }[]) => ({
  intent: "approve",
  listing: listings.map(({ id, version }) => `${id}:${Number(version ?? 1)}`),
});

describe("approving", () => {
  it("publishes a new listing", async () => {
    const listing = await world.listing({ owner: await world.owner(), status: "new", name: "Café X" });
    const page = await admin.submit("/admin/new", chosen(listing));
    expect(page).toHaveStatus(200);
    expect(page).toSay("Approved: 1");
    expect(await statusOf(listing.id)).toBe("published");
    expect(await world.row("public_places", listing.id)).toMatchObject({ name: "Café X" });
  });

  it("publishes a pending update, as its admin saw it", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Old Name" });
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "New Name" }));
    const queue = await admin.page("/admin/pending");
    expect(queue).toSay("New Name");
    expect(queue).toSay("Old Name");
    expect(await admin.post("/admin/pending", chosen({ id: listing.id, version: 2 }))).toHaveStatus(200);
    expect(await world.row("public_places", listing.id)).toMatchObject({ name: "New Name" });
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published", last_update: {} });
  });

  it("publishes nothing that its admin has not seen", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, status: "new" });
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "Changed Meanwhile" }));
    const response = await admin.submit("/admin/new", chosen(listing));
    expect(response).toHaveStatus(409);
    expect(response).toSay("has changed since you opened it");
    expect(await statusOf(listing.id)).toBe("new");
  });

  it("says of each listing why it was not approved, and approves the others", async () => {
    const owner = await world.owner();
    const good = await world.listing({ owner, status: "new", name: "Good One" });
    const noEmail = await world.listing({ owner: null, owner_email: null, status: "new", name: "No Email" });
    const noState = await world.listing({ owner, state: null, status: "new", name: "No State" });
    const neither = await world.listing({ owner: null, owner_email: null, state: "", status: "new", name: "Neither" });

    const page = await admin.submit("/admin/new", chosen(good, noEmail, noState, neither, { id: 99_999 }));
    expect(page).toHaveStatus(200);
    expect(page).toSay("Approved: 1");
    expect(page).toSay("Not approved: 4");
    expect(page).toSay(`No Email: ${NO_EMAIL}`);
    expect(page).toSay(`No State: ${NO_ADDRESS}`);
    expect(page).toSay(`Neither: ${NO_EMAIL} ${NO_ADDRESS}`);
    expect(await statusOf(good.id)).toBe("published");
    for (const listing of [noEmail, noState, neither]) expect(await statusOf(listing.id)).toBe("new");
  });

  it("is one call to the database for 250 listings", async () => {
    const owner = await world.owner();
    const rows = await world.sql(
      `insert into public.places (name, category, description, rawaddress, city, state, status, owner, owner_email)
       select 'Bulk ' || i, 1, 'x', 'x', 'Oakland', 'CA', 'new', $1, $2 from generate_series(1, 250) i returning id, version`,
      [owner.id, owner.email],
    );
    const response = await admin.post("/admin/new", chosen(...(rows as { id: number; version: number }[])));
    expect(response).toHaveStatus(200);
    expect(response.calls.filter(({ name }) => name.includes("decide_listings"))).toHaveLength(1);
    expect(response).toTakeAtMostSequentialCalls(2);
    const [left] = await world.sql("select count(*)::int as n from public.places where name like 'Bulk %' and status <> 'published'");
    expect(left).toEqual({ n: 0 });
  });

  it("leaves a record of who did it", async () => {
    const listing = await world.listing({ owner: await world.owner(), status: "new" });
    await admin.post("/admin/new", chosen(listing));
    const [entry] = await world.sql(
      "select * from public.audit_log where subject_id = $1 and subject = 'places' order by id desc limit 1",
      [String(listing.id)],
    );
    expect(entry).toMatchObject({ actor: admin.id, action: "approve" });
  });

  it("done twice is done once", async () => {
    const listing = await world.listing({ owner: await world.owner(), status: "new" });
    await admin.post("/admin/new", chosen(listing));
    const again = await admin.submit("/admin/new", chosen(listing));
    expect(again).toHaveStatus(409);
    expect(again).toSay("already published");
  });

  it.each([
    ["nothing", []],
    ["no number", ["abc"]],
    ["a negative number", ["-1:1"]],
    ["a number too large", ["1180591620717411303424:1"]],
    ["SQL", ["1:1); drop table places; --"]],
    ["a thousand and more", Array.from({ length: 1_200 }, (_, i) => `${i + 100_000}:1`)],
  ])("of %s approves nothing, and is no failure of ours", async (_, listing) => {
    const response = await admin.submit("/admin/new", { intent: "approve", listing });
    expect(response).toHaveStatus(400);
    expect(response.text).not.toMatch(/on our side|undefined/);
  });

  it.each([undefined, "", "reject", "__proto__", "constructor", "toString"])("does not know the intent %j", async (intent) => {
    const listing = await world.listing({ owner: await world.owner(), status: "new" });
    expect(await admin.post("/admin/new", { ...chosen(listing), intent })).toHaveStatus(400);
    expect(await statusOf(listing.id)).toBe("new");
  });

  it("is an admin's alone", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, status: "new" });
    expect(await owner.post("/admin/new", chosen(listing))).toBeForbidden();
    expect(await world.anonymous().post("/admin/new", chosen(listing))).toAskForSignIn();
    expect(await statusOf(listing.id)).toBe("new");
  });
});

describe("the desk", () => {
  it("counts what there is, exactly", async () => {
    const counted = await world.sql("select status, count(*)::int as n from public.places group by status");
    const page = await admin.page("/admin");
    const published = counted.find(({ status }) => status === "published")!;
    expect(page).toSay(`Published ${Number(published["n"]).toLocaleString("en")}`);
  });

  it.each(["/admin", "/admin/new", "/admin/pending"])("%s takes at most two calls in a row", async (path) => {
    expect(await admin.page(path)).toTakeAtMostSequentialCalls(2);
  });

  it("has nothing of it in an owner's navigation", async () => {
    const owner = await world.owner();
    expect((await owner.page("/listings")).body).not.toContain("/admin");
    expect((await admin.page("/listings")).body).toContain('href="/admin"');
  });
});
