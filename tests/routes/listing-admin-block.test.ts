/** The part of a listing's form that only admins see: its status and its owner. */
import { describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ade One" });

const readRow = async (id: number) => (await world.row("places", id))!;

interface Editor {
  saved: Record<string, string | string[]>;
  listing: { version: number };
  admin: { status: string; owner: { id: string } | null } | null;
}

/** The form as a browser sends it when nothing was changed. */
async function fillForm(id: number, by = admin) {
  const { saved, listing, admin: block } = (await by.get(`/listings/${id}`)).data as Editor;
  const seen = block
    ? {
        status: block.status,
        status_seen: block.status,
        owner: block.owner?.id ?? "",
        owner_seen: block.owner?.id ?? "",
      }
    : {};
  return {
    ...listingForm(),
    ...saved,
    ...seen,
    version: String(listing.version),
    intent: "save",
  } as Record<string, string>;
}
const save = async (id: number, fields: Record<string, string> = {}, by = admin) =>
  by.post(`/listings/${id}`, { ...(await fillForm(id, by)), ...fields });

/** A listing whose required fields are all filled in. */
async function completeListing(owner: Member, columns: Record<string, unknown> = {}) {
  return world.listing({ owner, mailingaddress: "1 Castro St", ...columns });
}

describe("an admin", () => {
  it("sees the status, the owner with a link to their profile, and the audit log", async () => {
    const owner = await world.owner({ fullName: "Zoë Quinn" });
    const { id } = await completeListing(owner);
    const page = await admin.page(`/listings/${id}`);
    for (const words of [
      "Admin Only",
      "Status",
      "Business Owner",
      "Zoë Quinn",
      "View profile",
      "Audit log",
    ])
      expect(page).toSay(words);
    expect(page.chosen("status")).toBe("published");
    expect(page.body).toContain(`/admin/users/${owner.id}`);
    for (const words of ["Admin Only", "Audit log"])
      expect(await owner.page(`/listings/${id}`)).not.toSay(words);
  });

  it("reads which status would make live a listing that no one can see", async () => {
    const owner = await world.owner();
    const words = "So does “Pending update”, unless an edit is waiting.";
    for (const status of ["new", "flagged", "archived"])
      expect(await admin.page(`/listings/${(await completeListing(owner, { status })).id}`)).toSay(
        words,
      );
    const live = await completeListing(owner);
    expect(await admin.page(`/listings/${live.id}`)).not.toSay(words);
  });

  it("reads what happens to the plan of a Featured listing that is archived, flagged, or given away by hand", async () => {
    const owner = await world.owner();
    const words =
      "If you archive the listing here, its plan stops within minutes, and you can’t undo that.";
    const featured = await completeListing(owner, { premium: true });
    expect(await admin.page(`/listings/${featured.id}`)).toSay(words);
    expect(await owner.page(`/listings/${featured.id}`)).not.toSay(words);
    expect(await admin.page(`/listings/${(await completeListing(owner)).id}`)).not.toSay(words);
  });

  it("reads the same of a listing of their own, whose changes are live without a review", async () => {
    const own = await completeListing(admin);
    expect(await admin.page(`/listings/${own.id}`)).not.toSay("Our team reviews");
    await save(own.id, { name: "Live at Once" });
    expect(await readRow(own.id)).toMatchObject({ name: "Live at Once", status: "published" });
    const featured = await completeListing(admin, { premium: true });
    expect(await admin.page(`/listings/${featured.id}`)).toSay("its plan stops within minutes");
  });

  it.each(["new", "flagged", "archived", "pending-update", "published"])(
    "sets the status to %s",
    async (status) => {
      const { id } = await completeListing(await world.owner(), {
        status: status === "new" ? "archived" : "new",
      });
      expect(await save(id, { status })).toRedirectTo("/");
      expect(await readRow(id)).toMatchObject({ status });
    },
  );

  it("reads what happened to a listing that is set to pending: live without an edit, waiting with one", async () => {
    const waits = "Saved. Its changes are still waiting for review.";
    const owner = await world.owner();
    const { id } = await completeListing(owner, { status: "new" });
    await save(id, { status: "pending-update" });
    expect(await admin.page("/")).not.toSay(waits);
    const edited = await completeListing(owner);
    await world.sql(
      `update public.places set status = 'flagged', last_update = '{"name": "Before"}' where id = $1`,
      [edited.id],
    );
    await save(edited.id, { status: "pending-update" });
    expect(await admin.page("/")).toSay(waits);
  });

  it("publishes no listing that its owner has asked to remove", async () => {
    const { id } = await completeListing(await world.owner(), {
      status: "new",
      archive_requested: true,
    });
    expect(await save(id, { status: "published" })).toBeRefusedWith(
      "The owner has asked us to remove this listing. Set it to “Archived” instead.",
      { field: "status" },
    );
    expect(await readRow(id)).toMatchObject({ status: "new", version: 1 });
    expect(await save(id, { status: "archived" })).toRedirectTo("/");
  });

  it("saves fields without touching status or owner", async () => {
    const owner = await world.owner();
    const { id } = await completeListing(owner);
    expect(await save(id, { name: "Mended" })).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({
      name: "Mended",
      status: "published",
      owner: owner.id,
      owner_email: owner.email,
    });
    // A form without this part does not change them either.
    const {
      status: _,
      status_seen: __,
      owner: ___,
      owner_seen: ____,
      ...plain
    } = await fillForm(id);
    expect(await admin.post(`/listings/${id}`, { ...plain, name: "Mended again" })).toRedirectTo(
      "/",
    );
    expect(await readRow(id)).toMatchObject({
      name: "Mended again",
      status: "published",
      owner: owner.id,
    });
  });

  it("finds a user by name without losing what is typed, and makes them the owner", async () => {
    const [owner, other] = [
      await world.owner(),
      await world.owner({ fullName: "Robin Sparrowhawk" }),
    ];
    const { id } = await completeListing(owner);
    const looked = await admin.submit(`/listings/${id}`, {
      ...(await fillForm(id)),
      name: "Half typed",
      owner_search: "sparrowhawk",
      intent: "findPerson",
    });
    expect(looked).toHaveStatus(200);
    expect(looked).toSay("Robin Sparrowhawk");
    expect(looked.value("name")).toBe("Half typed");
    expect(looked.body).not.toContain(other.email);
    expect(await readRow(id)).toMatchObject({ owner: owner.id });

    expect(await save(id, { owner: other.id })).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({
      owner: other.id,
      owner_email: other.email,
      status: "published",
    });
    expect(await other.get(`/listings/${id}`)).toHaveStatus(200);
    expect(await owner.get(`/listings/${id}`)).toBeNotFound();
  });

  it("reads that an edit which waits is dropped when its listing gets another owner, and what is live then", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const warning = "Changes that are waiting for review are dropped when the owner changes.";
    const handOver = async (fields: Record<string, string>, columns = {}) => {
      const { id } = await completeListing(owner, { phone: "+1 503 555 0142", ...columns });
      expect(await admin.page(`/listings/${id}`)).not.toSay(warning);
      await save(id, { phone: "" }, owner);
      expect(await admin.page(`/listings/${id}`)).toSay(warning);
      await save(id, fields);
      expect(await readRow(id)).toMatchObject({ phone: "+1 503 555 0142", last_update: {} });
      return admin.page("/");
    };
    const dropped =
      "Saved. The changes that were waiting for review are dropped, because the listing’s owner has changed.";
    const live = `${dropped} The last approved version is live, with what you changed.`;
    const ways: Record<string, string>[] = [
      { owner: other.id },
      { owner: "" },
      { owner: other.id, status: "published" },
    ];
    for (const fields of ways) {
      const page = await handOver(fields);
      expect(page).toSay(live);
      expect(page).not.toSay("This version is live");
    }
    expect(await handOver({ owner: other.id }, { hidden: true })).toSay(
      `${dropped} The listing is still hidden.`,
    );
    expect(await handOver({ owner: other.id, status: "archived" })).toSay(
      `${dropped} The listing is off the directory.`,
    );
  });

  it("removes the owner, who can't claim the listing again", async () => {
    const owner = await world.owner();
    const { id } = await completeListing(owner);
    expect(await save(id, { owner: "" })).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({ owner: null, owner_email: null });
    expect(await owner.get(`/listings/${id}`)).toBeNotFound();
    expect(await admin.page(`/listings/${id}`)).toSay("This listing has no owner");
  });

  it("gets the form back when the selected user was deleted", async () => {
    const owner = await world.owner();
    const { id } = await completeListing(owner);
    const page = await admin.submit(`/listings/${id}`, {
      ...(await fillForm(id)),
      owner: "5eed0000-0000-4000-9000-00000000dead",
      name: "Half typed",
    });
    expect(page).toHaveStatus(400);
    expect(page).toSay("That account no longer exists. Choose someone else.");
    expect(page.value("name")).toBe("Half typed");
    expect(await readRow(id)).toMatchObject({ owner: owner.id, version: 1 });
  });

  it("does not undo a decision that was made meanwhile", async () => {
    const owner = await world.owner();
    const { id } = await completeListing(owner, { status: "new" });
    const early = await fillForm(id);
    await save(id, { status: "published" });
    const late = await admin.submit(`/listings/${id}`, { ...early, name: "Late" });
    expect(late).toHaveStatus(409);
    expect(late.chosen("status")).toBe("published");
    const resent = {
      ...early,
      name: "Late",
      version: late.value("version")!,
      status: "published",
      status_seen: late.value("status_seen")!,
      owner_seen: late.value("owner_seen")!,
    };
    expect(await admin.post(`/listings/${id}`, resent)).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({ name: "Late", status: "published", owner: owner.id });
  });

  it("asks which status to keep when another admin has changed it, too", async () => {
    const owner = await world.owner();
    const { id } = await completeListing(owner, { status: "new" });
    const early = await fillForm(id);
    await save(id, { status: "archived" });
    const mine = { ...early, status: "published" };
    const late = await admin.submit(`/listings/${id}`, mine);
    expect(late).toHaveStatus(409);
    expect(late.text).toMatch(/Differences between the two versions .*Status Archived Published/);
    const keep = {
      ...mine,
      version: late.value("version")!,
      status_seen: late.value("status_seen")!,
      owner_seen: late.value("owner_seen")!,
      choose_status: "saved",
    };
    expect(await admin.post(`/listings/${id}`, keep)).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({ status: "archived" });
  });
});

describe("an owner", () => {
  const adminFields = (other: Member) => ({
    status: "published",
    status_seen: "new",
    owner: other.id,
    owner_seen: "",
    premium: "on",
  });

  it("can't change the status or the owner by the form", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { id } = await completeListing(owner, { status: "new" });
    expect(await save(id, { ...adminFields(other), name: "Mine" }, owner)).toRedirectTo("/");
    expect(await readRow(id)).toMatchObject({
      name: "Mine",
      status: "new",
      owner: owner.id,
      owner_email: owner.email,
      premium: false,
    });
    const looked = await owner.submit(`/listings/${id}`, {
      ...(await fillForm(id, owner)),
      owner_search: other.fullName,
      intent: "findPerson",
    });
    expect(looked.body).not.toContain(other.id);
  });

  it("can't change them by the data API", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { id } = await completeListing(owner, { status: "new" });
    const { url, publishableKey: apikey } = world.supabase;
    const headers = { apikey, "Content-Type": "application/json" };
    const signedIn = await fetch(`${url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email: owner.email, password: owner.password }),
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    for (const change of [
      { status: "published" },
      { owner: other.id },
      { owner: null },
      { owner_email: other.email },
    ]) {
      await fetch(`${url}/rest/v1/places?id=eq.${id}`, {
        method: "PATCH",
        headers: { ...headers, Authorization: `Bearer ${token}` },
        body: JSON.stringify(change),
      });
    }
    expect(await readRow(id)).toMatchObject({
      status: "new",
      owner: owner.id,
      owner_email: owner.email,
    });
  });
});
