/** The review of one listing: what an admin sees, decides, and undoes, and the review lock. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ade One" });
const second = await world.admin({ fullName: "Kai Two" });

interface Review {
  listing: {
    id: number;
    version: number;
    cursor: string;
    reviewer: { name: string; mine: boolean } | null;
    next: number | null;
  };
  batch: string;
}

const readRow = async (id: number) => (await world.row("places", id))!;
const loadReview = async (path: string, by = admin) => (await by.get(path)).data as Review;
const listActions = async (id: number) =>
  (
    await world.sql(
      "select action from public.audit_log where subject = 'places' and subject_id = $1 order by id",
      [String(id)],
    )
  ).map(({ action }) => action);

/** The fields that a form of the page sends. */
async function fillForm(path: string, fields: Record<string, string>, by = admin) {
  const { listing, batch } = await loadReview(path, by);
  return { version: String(listing.version), at: listing.cursor, batch, ...fields };
}
const decide = async (path: string, fields: Record<string, string>, by = admin) =>
  by.submit(path, await fillForm(path, fields, by));

/** The hidden fields of the decision form in a page that was returned. */
function readHiddenFields(page: { body: string }) {
  const form = page.body.slice(page.body.indexOf('id="decide"'));
  const read = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)![1]!;
  return { version: read("version"), at: read("at"), batch: read("batch") };
}

let states = 0;
/** Listings in a state of their own, and the URL of each with a filter that finds only these. */
async function createQueue(owner: Member, names: string[], columns: Record<string, unknown> = {}) {
  states += 1;
  const filter = `?state=Q${states}&sort=name`;
  const listings = [];
  for (const name of names)
    listings.push(
      await world.listing({ owner, name, status: "new", state: `Q${states}`, ...columns }),
    );
  return listings.map(({ id }) => ({ id, path: `/admin/listings/${id}${filter}` }));
}

const queuePath = (path: string) => `/admin/listings${path.slice(path.indexOf("?"))}`;

it("an admin who starts to review another version than they have read is told so", async () => {
  const [listing] = await createQueue(await world.owner(), ["Café X"]);
  const { path, id } = listing!;
  const version = async () => String((await readRow(id))["version"]);
  const changed = "This listing has changed since you opened it. This is the new version.";
  const before = await version();
  await admin.submit(path, { intent: "claim", version: before });
  expect(await admin.page(path)).not.toSay(changed);
  await world.sql("update public.places set name = 'Café Y' where id = $1", [id]);
  for (const intent of ["takeOver", "claim"]) {
    await second.submit(path, { intent, version: before });
    expect(await second.page(path), intent).toSay(changed);
    await second.submit(path, { intent, version: await version() });
    expect(await second.page(path), intent).not.toSay(changed);
  }
  const { body } = await admin.page(path);
  expect(body).toMatch(new RegExp(`<button name="version" value="${await version()}"`));
});

it("the forms of a note to its owner are other ones in another account, and of another version", async () => {
  const [listing] = await createQueue(await world.owner(), ["Café X"]);
  // A browser puts back what was typed into a form whose first names are the same.
  const formOf = async (by: Member) => {
    const { body } = await by.page(listing!.path);
    const form = body.slice(body.indexOf('id="request-changes"'));
    return /<input[^>]* name="([^"]*)"/.exec(form)![1]!;
  };
  const first = await formOf(admin);
  expect(first).toMatch(/^t/);
  expect(await formOf(admin)).toBe(first);
  expect(await formOf(second)).not.toBe(first);
  await world.sql("update public.places set name = 'Café Y' where id = $1", [listing!.id]);
  expect(await formOf(admin)).not.toBe(first);
});

describe("a listing under review", () => {
  it("shows all of its values, what its edit changed, and its audit log", async () => {
    const owner = await world.owner({ fullName: "Zoë Quinn", phone: "+1 505 555 0142" });
    const listing = await world.listing({
      owner,
      name: "Café X",
      description: "We bake bread for everybody, each day.",
      outdoor: true,
      state: null,
    });
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({
        description: "We bake cakes for everybody, each day.",
        url: "https://x.example",
      }),
    );
    await world.sql(
      "update public.places set archive_requested = true, state = null where id = $1",
      [listing.id],
    );
    const page = await admin.page(`/admin/listings/${listing.id}`);
    expect(page.heading).toBe("Café X");
    expect(page.body).toMatch(/<del>.*bread.*<\/del><ins>.*cakes.*<\/ins>/);
    for (const words of [
      "Pending update",
      "This listing does not have a proper address.",
      "The owner has asked us to remove it.",
      "Zoë Quinn",
      "Website",
      "Approve and next",
      "Audit log",
      "Changed by User: Zoë Quinn",
    ]) {
      expect(page).toSay(words);
    }
    // The owner's own email address and phone number are masked, in the page and in its data.
    for (const secret of [owner.email, "555 0142", "5550142"])
      expect(page.body).not.toContain(secret);
  });

  it("says that a postal code goes away with a new address, as its row does", async () => {
    const { id } = await world.listing({
      owner: await world.owner(),
      status: "pending-update",
      rawaddress: "9 Elm St, Nampa, ID",
      postalcode: null,
      last_update: JSON.stringify({ rawaddress: "8 Oak St, Boise, ID", postalcode: "83702" }),
    });
    const row = await admin.page("/admin/pending");
    expect(row).toSay("ZIP / postal code was 83702, now → empty");
    const page = await admin.page(`/admin/listings/${id}`);
    expect(page).toSay("ZIP / postal code [removed: 83702] → empty");
  });

  it("offers the decisions that would change it", async () => {
    const owner = await world.owner();
    const offered = async (status: string) => {
      const { body } = await admin.page(
        `/admin/listings/${(await world.listing({ owner, status })).id}`,
      );
      return ["approve", "request-changes", "reject", "flag", "archive", "reopen"].filter(
        (intent) => body.includes(`value="${intent}"`),
      );
    };
    expect(await offered("new")).toEqual(["approve", "request-changes", "flag", "archive"]);
    expect(await offered("published")).toEqual(["flag", "archive"]);
    expect(await offered("flagged")).toEqual(["approve", "request-changes", "archive", "reopen"]);
    expect(await offered("archived")).toEqual(["reopen"]);
  });

  it("is not found when it does not exist", async () => {
    for (const id of ["987654", "0", "x", "-1", "1".repeat(30)]) {
      expect(await admin.get(`/admin/listings/${id}`)).toBeNotFound();
      expect(
        await admin.post(`/admin/listings/${id}`, { intent: "approve", version: "1" }),
      ).toBeNotFound();
    }
  });
});

describe("approve and next", () => {
  it("publishes the listing and opens the next with a review lock; at the end, the queue", async () => {
    const owner = await world.owner();
    const [first, next] = await createQueue(owner, ["A", "B"]);
    expect((await loadReview(first!.path)).listing.next).toBe(next!.id);
    expect(await decide(first!.path, { intent: "approve" })).toRedirectTo(next!.path);
    expect(await readRow(first!.id)).toMatchObject({ status: "published" });
    expect((await loadReview(next!.path)).listing.reviewer).toMatchObject({ mine: true });
    const page = await admin.page(next!.path);
    expect(page).toSay("Approved: “A”.");
    expect(await decide(next!.path, { intent: "approve" })).toRedirectTo(queuePath(next!.path));
    expect(await listActions(first!.id)).toEqual(["insert", "approve"]);
  });

  it("approves once, however often the form is sent", async () => {
    const [first, next] = await createQueue(await world.owner(), ["A", "B"]);
    const form = await fillForm(first!.path, { intent: "approve" });
    for (let time = 0; time < 2; time += 1)
      expect(await admin.post(first!.path, form)).toRedirectTo(next!.path);
    expect(await readRow(first!.id)).toMatchObject({ status: "published", version: 2 });
  });

  it("skips a listing that another admin is reviewing", async () => {
    const [first, taken, free] = await createQueue(await world.owner(), ["A", "B", "C"]);
    await second.post(taken!.path, { intent: "claim" });
    expect(await decide(first!.path, { intent: "approve" })).toRedirectTo(free!.path);
  });

  it("skips listings that can't be approved yet, unless the queue is about them", async () => {
    const [first, noEmail, last] = await createQueue(await world.owner(), ["A", "B", "C"]);
    await world.sql("update public.places set owner = null, owner_email = null where id = $1", [
      noEmail!.id,
    ]);
    expect(await decide(first!.path, { intent: "skip" })).toRedirectTo(last!.path);
    const about = (id: number) => `/admin/listings/${id}?view=new&complete=no&sort=name`;
    expect(await decide(about(first!.id), { intent: "skip" })).toRedirectTo(about(noEmail!.id));
  });

  it("says why a listing can't be approved, and offers the other decisions", async () => {
    const { id } = await world.listing({
      owner: null,
      owner_email: null,
      status: "new",
      state: "",
    });
    const path = `/admin/listings/${id}`;
    const page = await decide(path, { intent: "approve" });
    expect(page).toHaveStatus(400);
    expect(page).toSay(
      "This listing does not have an owner_email. This listing does not have a proper address.",
    );
    expect(await readRow(id)).toMatchObject({ status: "new" });
    // The returned page can send another decision.
    expect(await admin.post(path, { intent: "flag", ...readHiddenFields(page) })).toHaveStatus(303);
    expect(await readRow(id)).toMatchObject({ status: "flagged" });
  });

  it("rejects a version that has changed since, and shows the newer one", async () => {
    const owner = await world.owner();
    const [{ id, path }] = (await createQueue(owner, ["Seen"])) as [{ id: number; path: string }];
    const form = await fillForm(path, { intent: "approve" });
    await owner.post(`/listings/${id}`, listingForm({ name: "Newer" }));
    const page = await admin.submit(path, form);
    expect(page).toHaveStatus(409);
    expect(page).toSay("This listing has changed since you opened it.");
    expect(page.heading).toBe("Newer");
    expect(page.title).toMatch(/^Error: /);
    expect(await readRow(id)).toMatchObject({ status: "new" });
    expect(await admin.post(path, { ...form, ...readHiddenFields(page) })).toHaveStatus(303);
    expect(await readRow(id)).toMatchObject({ status: "published", name: "Newer" });
  });

  it("says what another admin has decided meanwhile", async () => {
    const [{ id, path }] = (await createQueue(await world.owner(), ["A"])) as [
      { id: number; path: string },
    ];
    const form = await fillForm(path, { intent: "approve" });
    await decide(path, { intent: "approve" }, second);
    const page = await admin.submit(path, form);
    expect(page).toHaveStatus(409);
    expect(page).toSay("This listing is already published.");
    expect(await listActions(id)).toEqual(["insert", "approve"]);
  });
});

describe("undo", () => {
  it("undoes the decision from the next page", async () => {
    const [first, next] = await createQueue(await world.owner(), ["A", "B"]);
    await decide(first!.path, { intent: "archive" });
    const page = await admin.page(next!.path);
    expect(page).toSay("Archived: “A”.");
    const [, batch] = /name="batch" value="([^"]+)"/.exec(
      page.body.slice(page.body.indexOf('class="flash"')),
    )!;
    expect(page.body).toContain(`action="${first!.path.replaceAll("&", "&amp;")}"`);
    expect(await admin.post(first!.path, { intent: "undo", batch: batch! })).toRedirectTo(
      first!.path,
    );
    expect(await readRow(first!.id)).toMatchObject({ status: "new" });
    expect(await admin.page(first!.path)).toSay("Undone. “A” is as it was before.");
  });

  it("of one decision keeps its email from being sent", async () => {
    const owner = await world.owner();
    const [first, second] = await createQueue(owner, ["Undone Café", "Approved Café"]);
    const form = await fillForm(first!.path, { intent: "approve" });
    await admin.post(first!.path, form);
    await decide(second!.path, { intent: "approve" });
    await admin.post(first!.path, { intent: "undo", batch: form.batch });
    await world.passUndoWindow();
    expect((await world.mailAbout(owner.email, "Your listing was approved")).text).toContain(
      "Approved Café",
    );
    expect(
      world.supabase.mails.filter(({ text }) => text.includes("“Undone Café” was approved")),
    ).toEqual([]);
  });

  it("is said of the form that was undone, when it is sent again", async () => {
    const [{ id, path }] = (await createQueue(await world.owner(), ["A"])) as [
      { id: number; path: string },
    ];
    const form = await fillForm(path, { intent: "approve" });
    await admin.post(path, form);
    await admin.post(path, { intent: "undo", batch: form.batch });
    const page = await admin.submit(path, form);
    expect(page).toHaveStatus(409);
    expect(page).toSay("You’ve undone this decision since.");
    expect(await readRow(id)).toMatchObject({ status: "new" });
  });

  it("leaves a listing that has changed since, and says so", async () => {
    const owner = await world.owner();
    const [{ id, path }] = (await createQueue(owner, ["A"])) as [{ id: number; path: string }];
    const form = await fillForm(path, { intent: "approve" });
    await admin.post(path, form);
    await owner.post(`/listings/${id}`, listingForm({ name: "Newer" }));
    await admin.post(path, { intent: "undo", batch: form.batch });
    expect(await admin.page(path)).toSay(
      "This listing has changed since, so it was left unchanged.",
    );
    for (const batch of ["", "x", randomUUID()]) {
      expect(await admin.post(path, { intent: "undo", batch })).toRedirectTo(path);
    }
    expect(await readRow(id)).toMatchObject({ status: "pending-update", name: "Newer" });
  });
});

describe("skip", () => {
  it("leaves the listing as it is, and opens the next with a review lock", async () => {
    const [first, next] = await createQueue(await world.owner(), ["A", "B"]);
    await admin.post(first!.path, { intent: "claim" });
    expect(await decide(first!.path, { intent: "skip" })).toRedirectTo(next!.path);
    expect(await readRow(first!.id)).toMatchObject({ status: "new", version: 1 });
    expect((await loadReview(first!.path)).listing.reviewer).toBeNull();
    expect((await loadReview(next!.path)).listing.reviewer).toMatchObject({ mine: true });
    expect(await decide(next!.path, { intent: "skip" })).toRedirectTo(queuePath(next!.path));
    expect(await admin.post(first!.path, { intent: "skip", at: "nonsense" })).toRedirectTo(
      queuePath(first!.path),
    );
  });
});

describe("requesting changes", () => {
  const REASON = "Please enter your full address, with street, city and state.";

  it("informs the owner on the listing and by email, and opens the next listing", async () => {
    const owner = await world.owner();
    const [first, next] = await createQueue(owner, ["Asked Café", "B"]);
    expect(
      await decide(first!.path, {
        intent: "request-changes",
        reason: REASON,
        reason_text: "Is it Main St?",
      }),
    ).toRedirectTo(next!.path);
    expect(await readRow(first!.id)).toMatchObject({
      status: "new",
      changes_requested: `${REASON}\n\nIs it Main St?`,
    });
    await world.passUndoWindow();
    const mail = await world.mailAbout(owner.email, "A quick change is needed");
    for (const words of [
      "Asked Café",
      REASON,
      "Is it Main St?",
      `${world.appUrl}/listings/${first!.id}`,
    ]) {
      expect(mail.text).toContain(words);
    }
    expect(await owner.page("/listings")).toSay(REASON);
    expect(await owner.page(`/listings/${first!.id}`)).toSay("Is it Main St?");
    expect(await admin.page(first!.path)).toSay("Changes requested");
  });

  it("needs a reason, and keeps what was typed", async () => {
    const [{ id, path }] = (await createQueue(await world.owner(), ["A"])) as [
      { id: number; path: string },
    ];
    const page = await decide(path, { intent: "request-changes", reason: "", reason_text: " " });
    expect(page).toHaveStatus(400);
    expect(page).toSay("Choose a reason or say what needs to change.");
    const long = await decide(path, {
      intent: "request-changes",
      reason: REASON,
      reason_text: "x".repeat(1_990),
    });
    expect(long).toHaveStatus(400);
    expect(long.body).toContain(`>${"x".repeat(1_990)}</textarea>`);
    expect(long.chosen("reason")).toBe(REASON);
    expect(await readRow(id)).toMatchObject({ changes_requested: null, version: 1 });
  });
});

describe("rejecting an edit", () => {
  it("isn’t said of the edit that follows it, while that waits or once it is approved", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, name: "Corrected" });
    const [form, path] = [`/listings/${id}`, `/admin/listings/${id}?view=pending`];
    const [NEWEST, EARLIER] = ["Your changes weren’t approved", "Earlier changes weren’t approved"];
    const described = (description: string) => listingForm({ name: "Corrected", description });
    await owner.post(form, described("Call 505 555 0199. A long text."));
    await decide(path, { intent: "reject", reject_reason: "Please leave out the number." });
    for (const page of ["/listings", form]) expect(await owner.page(page)).toSay(NEWEST);
    await owner.post(`${form}/visibility`, { intent: "hide" });
    expect(await owner.page(form)).toSay(NEWEST);

    await owner.post(form, described("A long text."));
    for (const intent of ["", "approve"]) {
      if (intent) await decide(path, { intent });
      expect(await owner.page("/listings")).not.toSay("Please leave out the number.");
      const editor = await owner.page(form);
      expect(editor).not.toSay(NEWEST);
      for (const words of [EARLIER, "Please leave out the number.", "Call 505 555 0199."])
        expect(editor).toSay(words);
    }
  });

  it("doesn’t say that the approved version is live once the listing is flagged or removed", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, name: "Live once" });
    const [form, path] = [`/listings/${id}`, `/admin/listings/${id}?view=pending`];
    await owner.post(form, listingForm({ name: "Live once", description: "Other words." }));
    await decide(path, { intent: "reject" });
    expect(await owner.page(form)).toSay("The last approved version is still live.");
    for (const intent of ["flag", "archive"]) {
      await decide(path, { intent });
      const page = await owner.page(form);
      expect(page, intent).toSay("Other words.");
      expect(page, intent).not.toSay("still live");
    }
  });

  it("restores the approved values, and sends the owner the reason and what they wrote", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Before", phone: null });
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: "After", phone: "+1 505 555 0199" }),
    );
    const path = `/admin/listings/${listing.id}?view=pending`;
    expect(
      await decide(path, { intent: "reject", reject_reason: "No one answers there." }),
    ).toHaveStatus(303);
    expect(await readRow(listing.id)).toMatchObject({
      status: "published",
      name: "Before",
      phone: null,
      last_update: {},
    });
    expect(await world.row("public_places", listing.id)).toMatchObject({ name: "Before" });

    await world.passUndoWindow();
    const mail = await world.mailAbout(owner.email, "About your recent changes");
    for (const words of [
      "Before",
      "No one answers there.",
      `${world.appUrl}/listings/${listing.id}`,
    ])
      expect(mail.text).toContain(words);
    expect(await owner.page("/listings")).toSay("No one answers there.");
    const editor = await owner.page(`/listings/${listing.id}`);
    for (const words of ["Your changes weren’t approved", "After", "+1 505 555 0199"])
      expect(editor).toSay(words);
    expect(editor.value("name")).toBe("Before");
    // It is shown beside the next edit, also in the same fields, until it is entered again.
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "After all" }));
    const both = await owner.page(`/listings/${listing.id}`);
    for (const words of ["Earlier changes weren’t approved", "+1 505 555 0199", "After all"])
      expect(both).toSay(words);
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: "After all", phone: "+1 505 555 0142" }),
    );
    expect(await owner.page(`/listings/${listing.id}`)).toSay("+1 505 555 0199");
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: "After", phone: "+1 505 555 0199" }),
    );
    expect(await owner.page(`/listings/${listing.id}`)).not.toSay("changes weren’t approved");
  });

  it("is discarded by its author, as it was shown to them", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner, name: "Before" });
    const reject = async (fields: Record<string, string>) => {
      await owner.post(`/listings/${listing.id}`, listingForm({ name: "Before", ...fields }));
      await decide(`/admin/listings/${listing.id}?view=pending`, { intent: "reject" });
    };
    await reject({ url: "https://x.example" });
    const page = `/listings/${listing.id}`;
    const shown = await owner.page(page);
    expect(shown).toSay("Discard these changes");
    expect(await admin.page(page)).not.toSay("Discard these changes");
    const discard = { intent: "discard", at: shown.value("at")! };
    for (const by of [other, admin])
      expect(await by.post(`${page}/withdraw`, discard)).toBeNotFound();

    await reject({ phone: "+1 505 555 0199" });
    expect(await owner.post(`${page}/withdraw`, discard)).toRedirectTo(page);
    const again = await owner.page(page);
    expect(again).toSay("More changes weren’t approved in the meantime.");
    for (const words of ["https://x.example", "+1 505 555 0199"]) expect(again).toSay(words);
    await owner.post(`${page}/withdraw`, { intent: "discard", at: again.value("at")! });
    const gone = await owner.page(page);
    expect(gone).toSay("The changes are discarded.");
    expect(gone).not.toSay("Your changes weren’t approved");
    expect(await owner.post(`${page}/withdraw`, discard)).toRedirectTo(page);
  });

  it("needs no reason, but an edit that waits for review", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Before" });
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "After" }));
    const path = `/admin/listings/${listing.id}`;
    const form = await fillForm(path, { intent: "reject", reject_reason: " " });
    expect(await admin.post(path, form)).toHaveStatus(303);
    const again = await decide(path, { intent: "reject" });
    expect(again).toHaveStatus(400);
    expect(again).toSay("This listing has no edit to reject.");
  });
});

describe("flag, archive and reopen", () => {
  it.each([
    ["flag", "new", "flagged"],
    ["archive", "published", "archived"],
    ["reopen", "archived", "new"],
  ])("%s changes %s to %s, with one audit entry", async (intent, before, after) => {
    const { id } = await world.listing({ owner: await world.owner(), status: before });
    expect(await decide(`/admin/listings/${id}`, { intent })).toHaveStatus(303);
    expect(await readRow(id)).toMatchObject({ status: after });
    expect(await listActions(id)).toEqual(["insert", intent]);
  });
});

describe("a listing that was removed", () => {
  const REMOVED = "Removed from the directory on";
  const ASKED = ", as its owner had asked";

  it("is published again only after it was reopened, and its page says who wanted it removed", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, name: "Café Gone" });
    const path = `/admin/listings/${id}`;
    await owner.post(`/listings/${id}/visibility`, { intent: "archive" });
    expect(await admin.page(path)).not.toSay(REMOVED);
    await decide(path, { intent: "archive" });
    const removed = await admin.page(path);
    expect(removed.text).toMatch(
      new RegExp(
        `${REMOVED} [A-Z][a-z]{2} \\d+, \\d{4}${ASKED} To put the listing back in the directory, reopen it first`,
      ),
    );
    expect(removed.body).not.toMatch(/value="(approve|flag)"/);
    expect((await admin.page(`${path}/details`)).body).not.toContain('value="approve"');
    for (const [intent, words] of [
      ["approve", "This listing was removed from the directory. Reopen it first."],
      ["flag", "This listing was already removed from the directory."],
    ] as const) {
      const refused = await decide(path, { intent });
      expect(refused).toHaveStatus(400);
      expect(refused).toSay(words);
    }
    expect(await readRow(id)).toMatchObject({ status: "archived" });

    // Whatever becomes of it, until someone approves it, knowing that.
    for (const intent of ["reopen", "flag"]) {
      await decide(path, { intent });
      expect(await admin.page(path)).toSay(ASKED);
      expect(await admin.page(path)).toSay("Approving the listing puts it back in the directory.");
      expect(await admin.page(`${path}/details`)).toSay(ASKED);
    }
    await decide(path, { intent: "approve" });
    expect(await readRow(id)).toMatchObject({ status: "published" });
    expect(await admin.page(path)).not.toSay(REMOVED);
  });

  it("doesn't say so once it is public again, by whatever status", async () => {
    for (const status of ["published", "pending-update"]) {
      const [{ id, path }] = (await createQueue(await world.owner(), ["A"])) as [
        { id: number; path: string },
      ];
      await decide(path, { intent: "archive" });
      expect(await admin.page(path)).toSay(REMOVED);
      await world.sql("update public.places set status = $2 where id = $1", [id, status]);
      expect(await admin.page(path)).not.toSay(REMOVED);
    }
  });

  it("says so even when its owner hadn't asked for it, but not when the removal was undone", async () => {
    const { id } = await world.listing({ owner: await world.owner() });
    const path = `/admin/listings/${id}`;
    const form = await fillForm(path, { intent: "archive" });
    await admin.submit(path, form);
    expect(await admin.page(path)).toSay(REMOVED);
    expect(await admin.page(path)).not.toSay(ASKED);
    await admin.submit(path, { intent: "undo", batch: form.batch });
    expect(await readRow(id)).toMatchObject({ status: "published" });
    expect(await admin.page(path)).not.toSay(REMOVED);
  });
});

describe("the review lock", () => {
  it("is shown to other admins for 15 minutes, and can be taken over and released", async () => {
    const { id } = await world.listing({ owner: await world.owner(), status: "new" });
    const path = `/admin/listings/${id}?view=new`;
    expect(await admin.page(path)).toSay("No one is reviewing this listing.");
    // Opening the page does not take the lock.
    expect((await loadReview(path, second)).listing.reviewer).toBeNull();
    expect(await admin.post(path, { intent: "claim" })).toRedirectTo(path);
    expect(await admin.page(path)).toSay("You’re reviewing this listing");
    expect(await second.page(path)).toSay("Ade One is reviewing this listing");

    await second.post(path, { intent: "claim" });
    expect((await loadReview(path)).listing.reviewer).toMatchObject({ mine: true });
    await second.post(path, { intent: "takeOver" });
    expect(await admin.page(path)).toSay("Kai Two is reviewing this listing");

    await world.sql(
      "update private.review_locks set until = now() - interval '1 second' where place_id = $1",
      [id],
    );
    expect(await admin.page(path)).toSay("No one is reviewing this listing.");
    await second.post(path, { intent: "claim" });
    await second.post(path, { intent: "release" });
    expect((await loadReview(path)).listing.reviewer).toBeNull();
  });
});

it("is for admins only", async () => {
  const owner = await world.owner();
  const listing = await world.listing({ owner, status: "new", name: "Only For Admins" });
  const path = `/admin/listings/${listing.id}`;
  expect(await owner.get(path)).toBeForbidden();
  expect((await owner.dataOf(path)).body).not.toContain("Only For Admins");
  for (const intent of [
    "approve",
    "request-changes",
    "reject",
    "flag",
    "archive",
    "reopen",
    "skip",
    "undo",
    "claim",
    "takeOver",
    "release",
  ]) {
    expect(
      await owner.post(path, { intent, version: "1", batch: randomUUID(), reason_text: "x" }),
    ).toBeForbidden();
  }
  expect(await readRow(listing.id)).toMatchObject({
    status: "new",
    version: 1,
    changes_requested: null,
  });
  expect(
    await world.sql("select 1 from private.review_locks where place_id = $1", [listing.id]),
  ).toEqual([]);
});
