/** Which emails users get, and how they turn them off. */
import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { accountEmails } = await import("~/modules/accounts/account-emails.server");
const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
const { OPTIONAL_EMAILS } = await import("~/modules/emails/optional-emails");
const { emailTemplates } = await import("~/modules/emails/templates.server");

const kinds = (person: Member) =>
  world.sql(
    "select kind from private.email_queue n left join public.places p on p.id = n.place_id where coalesce(n.recipient, p.owner) = $1 order by kind",
    [person.id],
  );

/** Delivers the email queue and returns the subjects of this user's emails. */
async function mailsTo(person: Member): Promise<string[]> {
  const before = world.supabase.mails.length;
  await deliverEmailQueue();
  return world.supabase.mails
    .slice(before)
    .filter(({ to }) => to === person.email)
    .map(({ subject }) => subject);
}

/** Writes to the data API directly, with a user's own token. */
async function askData(person: Member, method: string, path: string, body: object) {
  const key = world.supabase.publishableKey;
  const signedIn = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: key, "Content-Type": "application/json" },
    body: JSON.stringify({ email: person.email, password: person.password }),
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const answer = await fetch(`${world.supabase.url}/rest/v1/${path}`, {
    method,
    headers: { apikey: key, Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBeLessThan(300);
}

/** Of a job that people can see. */
const live = {
  paid: true,
  published: true,
  expiration_date: new Date(Date.now() + 20 * 86_400_000).toISOString(),
};

const lead = (place: { id: number }) =>
  world.insert("leads", {
    place_id: place.id,
    requester_name: "Kai",
    requester_email: "kai@example.test",
    message: "A private word",
  });

describe("an email", () => {
  it("is valid, whatever character is in a name", async () => {
    const name = "שירה \u202Eלוי";
    const owner = await world.owner({ fullName: "Sam" });
    const place = await world.listing({ owner, name: "מאפייה" });
    // As from before texts were cleaned on save.
    await world.sql(
      "do $$ begin perform set_config('session_replication_role', 'replica', true); " +
        `update public.profiles set full_name = '${name}' where id = '${owner.id}'; ` +
        `update public.places set name = 'מאפיית \u202Eהשכונה' where id = ${place.id}; end $$`,
    );
    await owner.post("/account/notices", { notices: ["new-lead"] });
    await lead(place);
    await mailsTo(owner);
    const { subject, text } = world.mail(owner.email);
    expect(subject).toBe("You have a new message");
    expect(text).toContain("Hello \u2068שירה לוי\u2069,");
    expect(text).toContain("Someone sent a message to “\u2068מאפיית השכונה\u2069”.");
    expect(text).not.toMatch(/[\u202A-\u202E\u200E\u200F]/);
  });
});

describe("the kinds of emails", () => {
  const literals = (sql: unknown) =>
    [...String(sql).matchAll(/'([a-z]+(?:-[a-z]+)*)'::text/g)].map(([, kind]) => kind);

  it("that a user can turn off are those that public.email_preferences accepts", async () => {
    const [check] = await world.sql(
      "select pg_get_constraintdef(oid) as sql from pg_constraint where conname = 'email_preferences_kind_check'",
    );
    expect(literals(check?.["sql"]).sort()).toEqual(Object.keys(OPTIONAL_EMAILS).sort());
  });

  it("each have a template, and are queued by a function of the database", async () => {
    const functions = await world.sql(
      "select prosrc from pg_proc where pronamespace = 'private'::regnamespace",
    );
    const sources = functions.map(({ prosrc }) => String(prosrc)).join("\n");
    const queued = [...sources.matchAll(/enqueue_email\([^']*'([a-z-]+)'/g)].map(
      ([, kind]) => kind!,
    );
    expect(
      queued.filter((kind) => !emailTemplates[kind]),
      "without a template",
    ).toEqual([]);
    const unused = Object.keys(emailTemplates).filter(
      (kind) => !Object.hasOwn(accountEmails, kind) && !sources.includes(`'${kind}'`),
    );
    expect(unused, "templates of emails that nothing queues").toEqual([]);
  });
});

describe("the email preferences", () => {
  it("are all on but the one about messages, and are saved", async () => {
    const owner = await world.owner();
    const page = await owner.page("/account/notices");
    for (const words of Object.values(OPTIONAL_EMAILS)) expect(page).toSay(words);
    const ticked = (body: string) =>
      [...body.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)]
        .filter(([box]) => /\schecked/.test(box))
        .map(([box]) => /value="([^"]*)"/.exec(box)?.[1]);
    expect(ticked(page.body)).toEqual([
      "listing-approved",
      "changes-requested",
      "edit-rejected",
      "listing-edited",
      "listing-changed",
      "job-expiring",
      "payment-failed",
    ]);
    expect(
      await owner.post("/account/notices", {
        notices: ["new-lead", "job-expiring", "order-receipt", "nonsense"],
      }),
    ).toRedirectTo("/account/notices");
    expect(ticked((await owner.page("/account/notices")).body)).toEqual([
      "job-expiring",
      "new-lead",
    ]);
  });

  it("decide what is sent: no email about a message unless it is on, and never the message itself", async () => {
    const owner = await world.owner();
    const cafe = await world.listing({ owner, name: "Café X" });
    await lead(cafe);
    expect(await mailsTo(owner)).toEqual([]);
    await owner.post("/account/notices", { notices: ["new-lead"] });
    await lead(cafe);
    expect(await mailsTo(owner)).toEqual(["You have a new message"]);
    const { text, html } = world.mail(owner.email);
    expect(`${text}${html}`).toContain("Café X");
    expect(`${text}${html}`).not.toMatch(/private word|Kai|kai@/);
  });

  it("change in the boxes that were changed in the form: an email that was stopped since stays stopped", async () => {
    const owner = await world.owner();
    const wanted = () =>
      world
        .sql("select kind from public.email_preferences where user_id = $1 and wanted order by 1", [
          owner.id,
        ])
        .then((rows) => rows.map(({ kind }) => kind));
    await owner.post("/account/notices", { notices: ["new-lead", "listing-approved"] });
    const seen = (await owner.page("/account/notices")).value("seen")!;
    await world.sql("select public.unsubscribe_from_emails($1, 'new-lead')", [owner.id]);

    const notices = ["new-lead", "listing-approved", "job-expiring"];
    await owner.post("/account/notices", { notices, seen });
    expect(await wanted()).toEqual(["job-expiring", "listing-approved"]);
    // Unticked here, and another one was ticked elsewhere.
    await owner.post("/account/notices", { notices: ["new-lead"], seen });
    expect(await wanted()).toEqual(["job-expiring"]);
    const now = (await owner.page("/account/notices")).value("seen")!;
    await owner.post("/account/notices", { notices: [], seen: now });
    expect(await wanted()).toEqual([]);
  });

  it("don’t say that failed payments are only those of Featured listings, because emails about jobs and newsletters stop, too", async () => {
    const owner = await world.owner();
    const fail = (key: string) =>
      world.sql("select private.enqueue_email($1, null, 'payment-failed', $2, $3)", [
        owner.id,
        key,
        { order: "8b0e8f5e-0a4f-4c1c-8f5a-2f3f6d0c9a11", kind: "sponsorship" },
      ]);
    await fail("one");
    expect(await mailsTo(owner)).toEqual(["A payment didn’t go through"]);
    const notices = Object.keys(OPTIONAL_EMAILS).filter((kind) => kind !== "payment-failed");
    await owner.post("/account/notices", { notices });
    await fail("two");
    expect(await mailsTo(owner)).toEqual([]);
    expect(await owner.page("/account/notices")).toSay("One of your payments fails");
  });

  it("cannot be read or changed by another user", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await owner.post("/account/notices", { notices: [] });
    expect((await other.page("/account/notices")).body.match(/\schecked/g)).toHaveLength(7);
    expect(await world.anonymous().page("/account/notices")).toAskForSignIn();
  });
});

describe("an owner gets an email", () => {
  it("when an admin approves or changes their listing, but not about their own changes", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const cafe = await world.listing({ owner, name: "Café X", status: "new" });
    const place = `places?id=eq.${cafe.id}`;
    await askData(admin, "PATCH", place, { status: "published" });
    expect(await kinds(owner)).toEqual([{ kind: "listing-approved" }]);
    await askData(admin, "PATCH", place, { description: "Better words." });
    await askData(owner, "PATCH", place, { description: "Their own words." });
    expect(await kinds(owner)).toEqual([{ kind: "listing-approved" }, { kind: "listing-edited" }]);
    // The news of an approval waits while the listing is not public.
    await askData(admin, "PATCH", place, { status: "flagged" });
    expect(await mailsTo(owner)).toEqual(["Your listing was changed"]);
    await world.sql("update public.places set status = 'published' where id = $1", [cafe.id]);
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
    expect(world.mail(owner.email).text).not.toContain("alone");
  });

  it("when an admin changes their listing as they publish it, or take it down, and not only about that", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const set = (by: Member, { id }: { id: number }, fields: object) =>
      askData(by, "PATCH", `places?id=eq.${id}`, fields);
    const words = { description: "Words of the team." };
    const both = ["Your listing was approved", "Your listing was changed"];
    const fresh = await world.listing({ owner, status: "new" });
    await set(admin, fresh, { status: "published", ...words });
    expect((await mailsTo(owner)).sort()).toEqual(both);

    const waiting = await world.listing({ owner });
    await set(owner, waiting, { description: "Their own words." });
    await set(admin, waiting, { status: "published", ...words });
    expect((await mailsTo(owner)).sort()).toEqual(both);
    // With their own words, there is nothing for them to check.
    await set(owner, waiting, { description: "Their own words." });
    await set(admin, waiting, { status: "published" });
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);

    const removed = await world.listing({ owner });
    await set(admin, removed, { status: "archived", ...words });
    await set(admin, removed, { status: "published" });
    expect((await mailsTo(owner)).sort()).toEqual(both);
  });

  it("when an admin changes their job as they take it down, also if it’s up again before an email is sent", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    for (const [down, up] of [
      [{ published: false }, { published: true }],
      [{ filled_at: new Date().toISOString() }, { filled_at: null }],
    ]) {
      const { id } = await world.job({ owner, ...live });
      await askData(admin, "PATCH", `jobs?id=eq.${id}`, { ...down, description: "Not theirs." });
      await askData(admin, "PATCH", `jobs?id=eq.${id}`, up!);
      expect(await mailsTo(owner)).toEqual(["Your job listing was changed"]);
    }
    const { id } = await world.job({ owner, ...live });
    await askData(admin, "PATCH", `jobs?id=eq.${id}`, { published: false, title: "Cook" });
    expect((await mailsTo(owner)).sort()).toEqual([
      "About your job listing",
      "Your job listing was changed",
    ]);
  });

  it("when an admin deletes a job of theirs, and not when they do", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    for (const [by, columns] of [
      [admin, { paid: false, published: false, expiration_date: null }],
      [admin, { expiration_date: new Date(Date.now() - 86_400_000).toISOString() }],
      [owner, { paid: false, published: false, expiration_date: null }],
    ] as const) {
      const { id } = await world.job({ owner, ...live, ...columns });
      const before = world.supabase.mails.length;
      await askData(by, "DELETE", `jobs?id=eq.${id}`, {});
      expect(await mailsTo(owner)).toEqual(by === admin ? ["About your job listing"] : []);
      if (by === admin)
        expect(world.supabase.mails[before]!.text).toContain(
          "Our team has deleted your job listing “Baker”. It wasn’t paid for, or had expired.",
        );
    }
  });

  it("when an admin adds an order of newsletter features for them, which they could pay for as their own", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const listing = await world.listing({ owner, name: "Café X" });
    const [day] = await listNewsletterDates(world);
    const order = { place_id: listing.id, promo_text: "Not theirs.", sponsorship_dates: [day] };
    await askData(admin, "POST", "sponsorships", { ...order, owner: owner.id });
    expect(await mailsTo(owner)).toEqual(["You have a new newsletter feature"]);
    expect(world.mail(owner.email).text).toContain(
      "Our team has added a newsletter feature for “Café X” to your account. Please check that it looks right before you pay for it.",
    );
    await askData(owner, "POST", "sponsorships", { ...order, owner: owner.id });
    expect(await mailsTo(owner)).toEqual([]);
  });

  it.each(["by hand", "by the review desk"])(
    "when an admin makes their listing public as pending, and not once more when it's approved %s from there",
    async (how) => {
      const [owner, admin] = [await world.owner(), await world.admin()];
      const cafe = await world.listing({ owner, name: "Café X", status: "new" });
      const set = (fields: object) => askData(admin, "PATCH", `places?id=eq.${cafe.id}`, fields);
      const approve = async () => {
        if (how === "by hand") return set({ status: "published" });
        const version = String((await world.row("places", cafe.id))?.["version"]);
        await admin.post(`/admin/listings/${cafe.id}`, { intent: "approve", version });
        await world.sql(
          "update private.email_queue set next_try_at = now() where sent_at is null and place_id = $1",
          [cafe.id],
        );
      };
      await set({ status: "pending-update" });
      expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
      await approve();
      expect(await world.row("places", cafe.id)).toMatchObject({ status: "published" });
      expect(await mailsTo(owner)).toEqual([]);

      // An edit that waits is news when it's approved.
      await askData(owner, "PATCH", `places?id=eq.${cafe.id}`, { description: "Other words." });
      await approve();
      expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);

      // And so is it that a listing which was removed is live again.
      await set({ status: "archived" });
      expect(await mailsTo(owner)).toHaveLength(1);
      await set({ status: "pending-update" });
      expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
      await approve();
      expect(await mailsTo(owner)).toEqual([]);
    },
  );

  it.each(["archived", "flagged"])(
    "when an admin makes their %s listing public as pending, which says that their edit still waits",
    async (status) => {
      const [owner, admin] = [await world.owner(), await world.admin()];
      const cafe = await world.listing({ owner, name: "Café X" });
      const set = (fields: object) => askData(admin, "PATCH", `places?id=eq.${cafe.id}`, fields);
      await askData(owner, "PATCH", `places?id=eq.${cafe.id}`, { description: "Other words." });
      await set({ status });
      await mailsTo(owner);
      await set({ status: "pending-update" });
      expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
      expect(world.mail(owner.email).text).toContain(
        "Your latest changes aren’t public yet. We still have to review them.",
      );
      await set({ status: "published" });
      expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
      expect(world.mail(owner.email).text).not.toContain("aren’t public yet");
    },
  );

  it("about an approval of a listing that was pending all the time, of which they haven't heard", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const status = "pending-update";
    const cafe = await world.listing({ owner, name: "Café X", status });
    await askData(admin, "PATCH", `places?id=eq.${cafe.id}`, { status: "published" });
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
  });

  it("about an approval that says so when someone else may have made the changes", async () => {
    const [owner, admin, manager] = [await world.owner(), await world.admin(), await world.owner()];
    const cafe = await world.listing({ owner, name: "Café X" });
    await world.insert("listing_managers", { place_id: cafe.id, profile_id: manager.id });
    await askData(manager, "PATCH", `managed_places?id=eq.${cafe.id}`, { phone: "208-555-0100" });
    await askData(admin, "PATCH", `places?id=eq.${cafe.id}`, { status: "published" });
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
    expect(world.mail(owner.email).text).toContain(
      "You don’t manage it alone, so some of what we approved may be someone else’s.",
    );
  });

  it("about an approval that says so when someone made the changes who has left since", async () => {
    const [owner, admin, manager] = [await world.owner(), await world.admin(), await world.owner()];
    const cafe = await world.listing({ owner, name: "Café X" });
    const approve = () =>
      askData(admin, "PATCH", `places?id=eq.${cafe.id}`, { status: "published" });
    await world.insert("listing_managers", { place_id: cafe.id, profile_id: manager.id });
    await askData(manager, "PATCH", `managed_places?id=eq.${cafe.id}`, { phone: "208-555-0100" });
    await manager.post(`/listings/${cafe.id}/leave`, { intent: "leave" });
    await approve();
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
    expect(world.mail(owner.email).text).toContain(
      "Someone who can’t edit it anymore made some of the changes that we approved.",
    );

    // Not of the next approval.
    await askData(owner, "PATCH", `places?id=eq.${cafe.id}`, { phone: null });
    await approve();
    expect(await mailsTo(owner)).toEqual(["Your listing was approved"]);
    expect(world.mail(owner.email).text).not.toContain("anymore");
  });
});

it("the owner of a hidden listing reads that it stays hidden, when it is approved and when an edit is not", async () => {
  const [owner, admin] = [await world.owner(), await world.admin()];
  const cafe = await world.listing({ owner, name: "Café X", status: "new", hidden: true });
  await askData(admin, "PATCH", `places?id=eq.${cafe.id}`, { status: "published" });
  await world.sql(
    "select private.enqueue_email(null, $1, 'edit-rejected', 'edit-rejected:hidden', $2::jsonb)",
    [cafe.id, JSON.stringify({ place_id: cafe.id, name: "Café X" })],
  );
  expect((await mailsTo(owner)).sort()).toEqual([
    "About your recent changes",
    "Your listing was approved",
  ]);
  const approved = await world.mailAbout(owner.email, "Your listing was approved");
  expect(approved.text).toContain("is approved. It stays hidden until you show it.");
  const rejected = await world.mailAbout(owner.email, "About your recent changes");
  expect(rejected.text).toContain("stays hidden until you show it.");
  expect(`${approved.text}${rejected.text}`).not.toMatch(/\blive\b/);

  await askData(owner, "PATCH", `places?id=eq.${cafe.id}`, { hidden: false });
  await world.sql(
    "select private.enqueue_email(null, $1, 'edit-rejected', 'edit-rejected:shown', $2::jsonb)",
    [cafe.id, JSON.stringify({ place_id: cafe.id, name: "Café X" })],
  );
  expect(await mailsTo(owner)).toEqual(["About your recent changes"]);
  expect(world.mail(owner.email).text).toContain("The previously approved version is still live.");
});

it("an email about a rejected edit says that it is kept, as long as it is", async () => {
  const owner = await world.owner();
  const { id } = await world.listing({ owner, name: "Café X" });
  const kept = "We’ll keep your changes with the listing for 30 days.";
  const enqueue = (key: string) =>
    world.sql(
      "select private.enqueue_email(null, $1, 'edit-rejected', 'edit-rejected:' || $2, $3::jsonb)",
      [id, key, JSON.stringify({ place_id: id, name: "Café X" })],
    );
  await world.insert("rejected_edits", { place_id: id, edit: JSON.stringify({ name: "After" }) });
  await enqueue("kept");
  expect(await mailsTo(owner)).toHaveLength(1);
  expect(world.mail(owner.email).text).toContain(kept);
  // After a month it is deleted.
  await world.sql(
    "update public.rejected_edits set rejected_at = now() - interval '31 days' where place_id = $1",
    [id],
  );
  await mailsTo(owner);
  expect(await world.sql("select 1 from public.rejected_edits where place_id = $1", [id])).toEqual(
    [],
  );
  await enqueue("gone");
  expect(await mailsTo(owner)).toHaveLength(1);
  expect(world.mail(owner.email).text).not.toContain("keep your changes");
});

it("the former owner of a hidden listing reads that their change is dropped: people see what it was to remove once it is shown", async () => {
  const [owner, heir, admin] = [await world.owner(), await world.owner(), await world.admin()];
  const { id } = await world.listing({
    owner,
    phone: null,
    hidden: true,
    status: "pending-update",
    last_update: JSON.stringify({ phone: "+1 505-555-0178" }),
  });
  await askData(admin, "PATCH", `places?id=eq.${id}`, { owner: heir.id });
  expect(await mailsTo(owner)).toEqual(["A change to your account"]);
  const { text } = world.mail(owner.email);
  expect(text).toContain("We’ve dropped the change that was waiting");
  expect(text).toContain("if it’s shown again, people see what was approved before");
  expect(text).not.toContain("stays public");
  await askData(heir, "PATCH", `places?id=eq.${id}`, { hidden: false });
  const [shown] = await world.sql("select phone from private.public_places where id = $1", [id]);
  expect(shown).toEqual({ phone: "+1 505-555-0178" });
});

it("a former owner gets an email when their listing goes to someone else, and one when to no one", async () => {
  const [owner, heir, admin] = [await world.owner(), await world.owner(), await world.admin()];
  const place = await world.listing({
    owner,
    name: "Café Sold",
    phone: null,
    status: "pending-update",
    last_update: JSON.stringify({ phone: "+1 505-555-0177" }),
  });
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: heir.id });
  expect(await mailsTo(owner)).toEqual(["A change to your account"]);
  expect(world.mail(owner.email).text).toContain("“Café Sold” now belongs to another account");
  expect(world.mail(owner.email).text).toContain("We’ve dropped the change that was waiting");
  expect(await world.row("places", place.id)).toMatchObject({ phone: "+1 505-555-0177" });
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: null });
  expect(await mailsTo(heir)).toEqual(["A change to your account"]);
  expect(world.mail(heir.email).text).toContain("It has no owner now.");
  expect(world.mail(heir.email).text).not.toContain("dropped");
});

it("an owner gets an email when their listing loses its contact email with someone’s account, and doesn’t read whose it was", async () => {
  const [owner, leaving, admin] = [await world.owner(), await world.owner(), await world.admin()];
  const place = await world.listing({ owner, name: "Café X", public_email: leaving.email });
  await world.listing({ owner: leaving, public_email: leaving.email });
  // Anyone can type an address. Who does hears nothing of its account while it isn't approved.
  const curious = await world.owner();
  await world.listing({ owner: curious, status: "new", public_email: leaving.email });
  await world.listing({
    owner: curious,
    status: "pending-update",
    public_email: leaving.email,
    last_update: JSON.stringify({ public_email: null }),
  });
  await askData(admin, "POST", "rpc/admin_delete_user", { userid: leaving.id });
  expect(await world.row("places", place.id)).toMatchObject({ public_email: null });
  expect(await mailsTo(owner)).toEqual(["Please check your listing"]);
  const told = world.supabase.mails.filter(
    ({ subject }) => subject === "Please check your listing",
  );
  expect(told.map(({ to }) => to)).toEqual([owner.email]);
  const mail = world.mail(owner.email);
  expect(mail.text).toContain("We’ve removed the contact email of “Café X”.");
  expect(mail.text).not.toContain(leaving.email);
  expect(mail.text).not.toContain("deleted");
  expect(mail.links).toContain(`${world.appUrl}/listings/${place.id}`);
});

it("a new owner gets an email when the team gives them a listing, and none when they claim it themselves", async () => {
  const [owner, heir, admin] = [await world.owner(), await world.owner(), await world.admin()];
  const place = await world.listing({ owner, name: "Café Sold" });
  await world.insert("jobs", {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: "{NM}",
    place_id: place.id,
    owner: owner.id,
    paid: true,
    expiration_date: "2099-01-01",
  });
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: heir.id });
  expect(await mailsTo(heir)).toEqual(["You have a new listing"]);
  const mail = world.mail(heir.email);
  expect(mail.text).toContain("Our team has given you “Café Sold”");
  expect(mail.text).toContain("1 paid job came with it.");
  for (const text of ["Featured", "newsletter"]) expect(mail.text).not.toContain(text);
  expect(mail.links).toContain(`${world.appUrl}/listings/${place.id}`);

  expect(mail.text).not.toContain("hidden");
  const unseen = await world.listing({ owner: null, hidden: true });
  await askData(admin, "PATCH", `places?id=eq.${unseen.id}`, { owner: heir.id });
  expect(await mailsTo(heir)).toEqual(["You have a new listing"]);
  expect(world.mail(heir.email).text).toContain(
    "It’s hidden, so no one can see it until you show it.",
  );

  // One that has gone to someone else before it was sent says nothing.
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: owner.id });
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: admin.id });
  expect(await mailsTo(owner)).toEqual(["A change to your account"]);
  expect(await mailsTo(admin)).toEqual([]);

  const claimed = await world.listing({ owner: null, owner_email: heir.email });
  await askData(heir, "PATCH", `places?id=eq.${claimed.id}`, { description: "Ours." });
  expect(await world.row("places", claimed.id)).toMatchObject({ owner: heir.id });
  expect(await mailsTo(heir)).toEqual([]);
});

it("someone for whom the team adds a listing gets an email, with how to make it theirs if it isn’t yet", async () => {
  const [heir, other, admin] = [await world.owner(), await world.owner(), await world.admin()];
  // As in the form: the admin’s new listing has no owner. Then they enter the address of one.
  const form = listingForm({ name: "Café Added", submission_id: randomUUID() });
  await admin.post("/listings/new", { ...form, intent: "save" });
  const [place] = (await world.sql("select id from public.places where name = 'Café Added'")) as {
    id: number;
  }[];
  const enter = async (columns: Record<string, string>) => {
    const { saved, listing } = (await admin.get(`/listings/${place!.id}`)).data as {
      saved: Record<string, string>;
      listing: { version: number };
    };
    await admin.post(`/listings/${place!.id}`, {
      ...listingForm(),
      ...saved,
      status: "new",
      status_seen: "new",
      owner: "",
      owner_seen: "",
      version: String(listing.version),
      intent: "save",
      ...columns,
    });
    expect(await world.row("places", place!.id)).toMatchObject(columns);
  };
  expect(await mailsTo(heir)).toEqual([]);
  await enter({ owner_email: heir.email });
  expect(await mailsTo(heir)).toEqual(["You have a new listing"]);
  const mail = world.mail(heir.email);
  expect(mail.text).toContain("Our team has added “Café Added” for you.");
  expect(mail.text).toContain("sign in or sign up with this email address");
  expect(mail.links).toContain(`${world.appUrl}/listings/${place!.id}`);
  await enter({ description: "Other words." });
  expect(await mailsTo(heir)).toEqual(["Your listing was changed"]);

  // One that they have claimed before it was sent says nothing, nor does one that goes to another address.
  const next = await world.listing({ owner: null, owner_email: null, status: "new" });
  await askData(admin, "PATCH", `places?id=eq.${next.id}`, { owner_email: heir.email });
  await askData(admin, "PATCH", `places?id=eq.${next.id}`, { owner_email: other.email });
  await askData(other, "PATCH", `places?id=eq.${next.id}`, { hidden: true });
  expect(await world.row("places", next.id)).toMatchObject({ owner: other.id });
  expect(await mailsTo(heir)).toEqual([]);
  expect(await mailsTo(other)).toEqual([]);

  // With an account from the beginning, as other tools add it.
  const columns = { name: "Café Given", category: 1, owner: heir.id, owner_email: heir.email };
  await askData(admin, "POST", "places", columns);
  await askData(admin, "POST", "places", { ...columns, owner: admin.id });
  expect(await mailsTo(heir)).toEqual(["You have a new listing"]);
  expect(world.mail(heir.email).text).toContain(
    "Our team has added “Café Given” for you, so it’s among your listings now.",
  );
  await askData(admin, "POST", "places", { ...columns, hidden: true });
  expect(await mailsTo(heir)).toEqual(["You have a new listing"]);
  expect(world.mail(heir.email).text).toContain("It’s hidden, so no one can see it");
  expect(await mailsTo(admin)).toEqual([]);
});

it("an invitation is sent whatever id its sender gives it at the data API", async () => {
  const owner = await world.owner();
  const place = await world.listing({ owner });
  const invitation = "00000000-0000-0000-0000-000000000002";
  const email = "invited-by-id@private.example";
  const token = "t".repeat(32);
  await askData(owner, "POST", "rpc/invite_manager", {
    invitation,
    place_id: place.id,
    email,
    token,
  });
  const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
  await deliverEmailQueue();
  expect(world.mail(email).subject).toBe("A message for you");
});

it("an owner gets an email when a manager shows the listing that was hidden, and reads before that managers can", async () => {
  const [owner, manager] = [await world.owner(), await world.owner()];
  const place = await world.listing({ owner, name: "Café Quiet", hidden: true });
  const fresh = await world.listing({ owner, name: "Café New", hidden: true, status: "new" });
  for (const { id } of [place, fresh])
    await world.insert("listing_managers", {
      place_id: id,
      profile_id: manager.id,
      invited_by: owner.id,
    });
  expect(await owner.page(`/listings/${place.id}/managers`)).toSay(
    "Managers can edit, hide or show the listing and reply to its messages. They see its mailing address, too.",
  );
  const set = (by: Member, id: number, intent: string) =>
    by.post(`/listings/${id}/visibility`, { intent });

  await set(manager, place.id, "show");
  expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
  const mail = world.mail(owner.email);
  expect(mail.text).toContain(
    "“Café Quiet” was hidden. Someone who manages it with you has shown it again, so everyone who visits the directory can see it.",
  );
  expect(mail.links).toContain(`${world.appUrl}/listings/${place.id}/visibility`);
  await set(manager, fresh.id, "show");
  expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
  expect(world.mail(owner.email).text).toContain("so it won’t stay hidden once it’s approved.");

  // Nor can an admin's own request to the data API do it without a word.
  const [admin, shown] = [await world.admin(), await world.listing({ owner, hidden: true })];
  await askData(admin, "PATCH", `places?id=eq.${shown.id}`, { hidden: false });
  expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
  expect(world.mail(owner.email).text).toContain(
    "Someone on our team has shown it again, so everyone who visits the directory can see it.",
  );

  // Not of what they do themselves, nor once it is hidden again.
  await set(owner, place.id, "hide");
  await set(owner, place.id, "show");
  await set(manager, place.id, "hide");
  expect(await mailsTo(owner)).toEqual([]);
  const other = await world.listing({ owner, hidden: true });
  await world.insert("listing_managers", { place_id: other.id, profile_id: manager.id });
  await set(manager, other.id, "show");
  await set(owner, other.id, "hide");
  expect(await mailsTo(owner)).toEqual([]);
});

it("an admin’s own request that changes no word of a paid job, and not whether it is seen, sends no email", async () => {
  const [owner, admin] = [await world.owner(), await world.admin()];
  const job = await world.insert("jobs", {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: ["Oregon"],
    company_name: "X",
    company_bio: "Y",
    owner: owner.id,
    owner_email: owner.email,
    paid: true,
    expiration_date: new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString(),
    filled_at: new Date().toISOString(),
  });
  await askData(admin, "PATCH", `jobs?id=eq.${job.id}`, { filled_at: null });
  expect(await world.row("jobs", job.id)).toMatchObject({ filled_at: null });
  expect(await mailsTo(owner)).toEqual([]);
});

it("the buyer of a newsletter that is still to come, or isn’t paid for, gets an email when an admin’s own request changes its words", async () => {
  const [buyer, admin] = [await world.owner(), await world.admin()];
  const place = await world.listing({ owner: buyer, name: "Café X" });
  const [next] = await listNewsletterDates(world);
  const order = (columns: Record<string, unknown>) =>
    world.insert("sponsorships", {
      place_id: place.id,
      promo_text: "Buns!",
      owner: buyer.id,
      paid: true,
      sponsorship_dates: `{${next}}`,
      ...columns,
    });
  const booked = await order({});
  const unpaid = await order({ paid: false, sponsorship_dates: "{}" });
  const sent = await order({ sponsorship_dates: "{2026-01-06}" });
  await askData(admin, "PATCH", `sponsorships?id=eq.${unpaid.id}`, { promo_text: "Not theirs" });
  expect(await mailsTo(buyer)).toEqual(["Your newsletter feature was changed"]);
  expect(world.mail(buyer.email).text).toContain(
    "Our team made a change to your newsletter feature for “Café X”. Please check that it looks right before you pay for it.",
  );
  expect(world.mail(buyer.email).links).toContain(`${world.appUrl}/sponsor/${unpaid.id}`);
  for (const { id } of [booked, sent])
    await askData(admin, "PATCH", `sponsorships?id=eq.${id}`, { promo_text: "Not theirs" });
  expect(await mailsTo(buyer)).toEqual(["Your newsletter feature was changed"]);
  const mail = world.mail(buyer.email);
  expect(mail.text).toContain(
    "Our team made a change to your newsletter feature for “Café X”. Please check that it looks right.",
  );
  expect(mail.links).toContain(`${world.appUrl}/sponsor/${booked.id}`);

  await askData(buyer, "PATCH", `sponsorships?id=eq.${booked.id}`, { promo_text: "My own words" });
  await askData(admin, "PATCH", `sponsorships?id=eq.${booked.id}`, { promo_text: "My own words" });
  expect(await mailsTo(buyer)).toEqual([]);
});

describe("an owner whose listing has a manager", () => {
  async function cafeWithManager(columns: Record<string, unknown> = {}) {
    const [owner, manager] = [await world.owner(), await world.owner()];
    const { id } = await world.listing({ owner, name: "Café X", ...columns });
    await world.insert("listing_managers", { place_id: id, profile_id: manager.id });
    const set = (by: Member, intent: "hide" | "show") =>
      by.post(`/listings/${id}/visibility`, { intent });
    return { owner, manager, id, set };
  }
  /** As if this time had passed since everything in the queue. */
  const pass = (time: string) =>
    world.sql(
      "update private.email_queue set next_try_at = next_try_at - $1::interval, sent_at = sent_at - $1::interval, created_at = created_at - $1::interval",
      [time],
    );

  it("gets an email when the manager has hidden it, a few minutes later", async () => {
    const { owner, manager, id, set } = await cafeWithManager();
    await set(manager, "hide");
    expect(await mailsTo(owner)).toEqual([]);
    await pass("5 minutes");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    const mail = world.mail(owner.email);
    expect(mail.text).toContain(
      "Someone who manages “Café X” with you has hidden it, so no one sees it in the directory.",
    );
    expect(mail.links).toContain(`${world.appUrl}/listings/${id}/visibility`);

    // And that it is back, since they were told that it is hidden.
    await set(manager, "show");
    await pass("1 hour");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain("has shown it again");
  });

  it("reads of a listing that isn’t approved that it stays hidden", async () => {
    const { owner, manager, set } = await cafeWithManager({ status: "new" });
    await set(manager, "hide");
    await pass("5 minutes");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain(
      "has hidden it, so it stays hidden once it’s approved.",
    );
  });

  it("gets none about what was undone at once, or what they do themselves", async () => {
    for (const first of ["hide", "show"] as const) {
      const { owner, manager, set } = await cafeWithManager({ hidden: first === "show" });
      await set(manager, first);
      await set(manager, first === "hide" ? "show" : "hide");
      await pass("1 hour");
      expect(await mailsTo(owner)).toEqual([]);
      await set(owner, "hide");
      await set(owner, "show");
      await pass("1 hour");
      expect(await mailsTo(owner)).toEqual([]);
    }
  });

  it.each([
    [
      "show",
      "hide",
      "“Café X” was hidden. Someone who manages it with you has shown it and hidden it again",
    ],
    ["hide", "show", "Someone who manages “Café X” with you has hidden it and shown it again"],
  ] as const)(
    "gets one an hour when the manager goes on to %s it, each time for less than until the next email",
    async (change, back, text) => {
      const { owner, manager, set } = await cafeWithManager({ hidden: change === "show" });
      const goOn = async () => {
        for (let n = 0; n < 3; n++) {
          await set(manager, change);
          await set(manager, back);
        }
      };
      await goOn();
      expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
      expect(world.mail(owner.email).text).toContain(
        `${text}, more than once. Please check whether it’s hidden now.`,
      );
      await goOn();
      expect(await mailsTo(owner)).toEqual([]);
      await pass("1 hour");
      expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    },
  );

  it("gets one when they hid what the manager had just hidden, and the manager showed it again", async () => {
    const { owner, manager, id, set } = await cafeWithManager();
    await set(manager, "hide");
    // From a page that was opened before.
    await set(owner, "hide");
    await set(manager, "show");
    expect(await world.row("places", id)).toMatchObject({ hidden: false });
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain(
      "“Café X” was hidden. Someone who manages it with you has shown it again",
    );
  });

  it("gets one when they hid it themselves in between, and the manager showed it again", async () => {
    const { owner, manager, set } = await cafeWithManager();
    await set(manager, "hide");
    await set(owner, "show");
    await set(owner, "hide");
    await set(manager, "show");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain("has shown it again");

    // Again within the hour: they count on it that no one sees it.
    await set(owner, "hide");
    await set(manager, "show");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain("has shown it again");
  });

  it("gets one an hour of each kind while the manager goes on hiding and showing it", async () => {
    const { owner, manager, set } = await cafeWithManager({ hidden: true });
    await set(manager, "show");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    await set(manager, "hide");
    await pass("5 minutes");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    await set(manager, "show");
    expect(await mailsTo(owner)).toEqual([]);
    await pass("1 hour");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain("has shown it again");
  });

  it("gets one email about what the manager changes, withdraws, and discards, which names the fields, and can be turned off", async () => {
    const { owner, manager, id } = await cafeWithManager({ phone: "+1 505-555-0177" });
    const change = (by: Member, values: object) =>
      askData(by, "PATCH", `${by === owner ? "places" : "managed_places"}?id=eq.${id}`, values);
    const version = async () => (await world.row("places", id))!["version"];

    // Its owner wants a number gone: our team says no, and what was kept of it disappears.
    await change(owner, { phone: null });
    await world.insert("rejected_edits", { place_id: id, edit: { phone: null } });
    await askData(manager, "DELETE", `rejected_edits?place_id=eq.${id}`, {});
    await manager.post(`/listings/${id}/withdraw`, {
      intent: "withdraw",
      version: String(await version()),
    });
    expect(await world.row("places", id)).toMatchObject({ status: "published" });
    await change(manager, { url: "https://cafe.example", name: "Café W", queer_programming: true });
    expect(await mailsTo(owner)).toEqual([]);
    await pass("10 minutes");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    const mail = world.mail(owner.email);
    expect(mail.text).toContain(
      "Someone who manages “Café X” with you has changed it: Business Name, Phone, Website, and answers to questions.",
    );
    expect(mail.text).toContain(
      "Changes that were waiting for our review were withdrawn. The version that was approved before stays.",
    );
    expect(mail.text).toContain(
      "Changes that we weren’t able to approve were discarded, too. We had kept them with the listing.",
    );
    expect(mail.text).not.toMatch(/queer|505-555/);
    expect(mail.links).toContain(`${world.appUrl}/listings/${id}`);

    // What the manager does next is in another email, after an hour; what was their own edit, too.
    await change(manager, { rawaddress: "12 Elm St, Boise" });
    await pass("10 minutes");
    expect(await mailsTo(owner)).toEqual([]);
    await pass("50 minutes");
    expect(await mailsTo(owner)).toEqual(["A change to your listing"]);
    expect(world.mail(owner.email).text).toContain("has changed it: Address.");

    await owner.post("/account/notices", { notices: ["listing-approved"] });
    await change(manager, { url: null });
    await pass("2 hours");
    expect(await mailsTo(owner)).toEqual([]);
  });

  it("gets none about their own changes, nor once the listing is someone else’s", async () => {
    const { owner, manager, id } = await cafeWithManager();
    const heir = await world.owner();
    await askData(owner, "PATCH", `places?id=eq.${id}`, { description: "New words." });
    await pass("2 hours");
    expect(await mailsTo(owner)).toEqual([]);
    await askData(manager, "PATCH", `managed_places?id=eq.${id}`, { description: "Others." });
    await world.sql("update public.places set owner = $2 where id = $1", [id, heir.id]);
    await pass("2 hours");
    expect(await mailsTo(owner)).not.toContain("A change to your listing");
    expect(await mailsTo(heir)).not.toContain("A change to your listing");
  });

  it("reads what our team asks for, also when the manager has edited the listing by then", async () => {
    const { owner, manager, id } = await cafeWithManager({
      status: "new",
      changes_requested: "Say more.",
    });
    await world.sql("select private.enqueue_email(null, $1, 'changes-requested', $2, $3)", [
      id,
      `changes-requested:${id}`,
      JSON.stringify({ place_id: id, name: "Café X", reason: "Say more." }),
    ]);
    await askData(manager, "PATCH", `managed_places?id=eq.${id}`, { description: "More." });
    expect(await mailsTo(owner)).toEqual(["A quick change is needed"]);
    expect(world.mail(owner.email).text).toMatch(
      /Say more\.\s+Someone who manages the listing with you has edited it since\./,
    );
  });
});

it("a former owner is asked for nothing: an email that was waiting says that the listing isn’t theirs", async () => {
  const [owner, heir, admin] = [await world.owner(), await world.owner(), await world.admin()];
  const place = await world.listing({ owner, name: "Café Sold" });
  const about = { place_id: place.id, name: "Café Sold" };
  const waiting: Record<string, object> = {
    "changes-requested": { ...about, reason: "Please add your hours." },
    "edit-rejected": { ...about, reason: "Please leave out the prices." },
    "decision-undone": { ...about, decision: "approve" },
    "listing-edited": about,
    "contact-email-removed": about,
  };
  const queue = async () => {
    await world.sql("delete from private.email_queue");
    for (const [kind, data] of Object.entries(waiting))
      await world.sql("select private.enqueue_email(null, $1, $2, $2 || gen_random_uuid(), $3)", [
        place.id,
        kind,
        JSON.stringify(data),
      ]);
  };
  const textsTo = async (person: Member) => {
    const before = world.supabase.mails.length;
    await deliverEmailQueue();
    return world.supabase.mails
      .slice(before)
      .filter(({ to, subject }) => to === person.email && subject !== "A change to your account")
      .map(({ text }) => text);
  };
  await queue();
  await askData(admin, "PATCH", `places?id=eq.${place.id}`, { owner: heir.id });
  const texts = await textsTo(owner);
  expect(texts).toHaveLength(5);
  for (const text of texts) {
    expect(text).toMatch(/no longer among/);
    expect(text).not.toMatch(
      /listings\/\d|please update|Please check|still live|are saved|review it/,
    );
  }
  expect(texts.join()).toContain("Please add your hours.");

  await queue();
  await world.sql("update private.email_queue set recipient = $1, place_id = null", [heir.id]);
  for (const text of await textsTo(heir)) expect(text).toContain(`/listings/${place.id}`);
});

describe("the unsubscribe link", () => {
  async function mailWithLink() {
    const owner = await world.owner();
    await owner.post("/account/notices", { notices: ["new-lead", "job-expiring"] });
    await lead(await world.listing({ owner }));
    await deliverEmailQueue();
    const mail = world.mail(owner.email);
    const link = /^<(.*)>$/.exec(mail.headers!["list-unsubscribe"]!)![1]!;
    return { owner, mail, path: link.slice(world.appUrl.length) };
  }
  const choices = (owner: Member) =>
    world.sql(
      "select kind from public.email_preferences where user_id = $1 and wanted order by kind",
      [owner.id],
    );

  it("is in the email's headers, in the format of mail programs, and in its text", async () => {
    const { mail, path } = await mailWithLink();
    expect(mail.headers!["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(mail.text).toContain(path);
  });

  it("changes nothing when it is opened", async () => {
    const { owner, path } = await mailWithLink();
    for (let time = 0; time < 3; time += 1)
      expect(await world.anonymous().page(path)).toSay("You get a new message.");
    expect(await choices(owner)).toEqual([{ kind: "job-expiring" }, { kind: "new-lead" }]);
  });

  it("turns off only its kind of email by one POST of a mail program, without a session, origin, or token", async () => {
    const { owner, path } = await mailWithLink();
    const send = () =>
      world.anonymous().post(path, undefined, {
        body: "List-Unsubscribe=One-Click",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        origin: null,
        secFetchSite: null,
      });
    expect(await send()).toHaveStatus(204);
    expect(await send()).toHaveStatus(204);
    expect(await choices(owner)).toEqual([{ kind: "job-expiring" }]);
  });

  it("turns them off by the button on its page, too, and confirms it", async () => {
    const { owner, path } = await mailWithLink();
    const visitor = world.anonymous();
    expect(await visitor.page(path)).toSay("Stop getting an email when this happens?");
    const { location } = await visitor.post(path, {});
    const page = await visitor.page(location!);
    expect(page).toSay("Done! You won’t get these emails anymore.");
    expect(page).not.toSay("Stop getting an email when this happens?");
    expect(await choices(owner)).toEqual([{ kind: "job-expiring" }]);
  });

  it("that was made up or altered turns nothing off", async () => {
    const { owner, path } = await mailWithLink();
    const other = await world.owner();
    for (const forged of [
      path.replace("new-lead", "job-expiring"),
      path.replace(owner.id, other.id),
      `${path}x`,
      `${path}.more`,
      path.slice(0, -3),
      "/unsubscribe",
      "/unsubscribe?notice=a.b.c",
    ]) {
      expect((await world.anonymous().post(forged, {})).status).toBe(400);
      expect(await world.anonymous().page(forged)).toBeNotFound();
    }
    expect(await choices(owner)).toEqual([{ kind: "job-expiring" }, { kind: "new-lead" }]);
  });
});

it("reveals nothing in discreet mode: not in the subject, the sender, or the footer", async () => {
  const owner = await world.owner();
  await owner.post("/account/notices", { notices: ["new-lead"] });
  await owner.post("/privacy", { intent: "discreet" });
  await lead(await world.listing({ owner }));
  expect(await mailsTo(owner)).toEqual(["A message for you"]);
  expect(world.mail(owner.email).text).not.toContain("Everyone’s Map");
});

it("reveals nothing in discreet mode either where a listing has no owner, and the user's address", async () => {
  const user = await world.owner();
  await user.post("/privacy", { intent: "discreet" });
  const { id } = await world.listing({ owner: null, owner_email: user.email, status: "published" });
  const changed = { description: "Changed by the team" };
  await askData(await world.admin(), "PATCH", `places?id=eq.${id}`, changed);
  expect(await mailsTo(user)).toEqual(["A message for you"]);
  expect(world.mail(user.email).text).not.toContain("Everyone’s Map");
});
