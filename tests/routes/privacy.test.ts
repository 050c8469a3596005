/** Which data the product has about users, who sees it, and how users download or delete it. */
import { describe, expect, it } from "vitest";

import { DAY_MS } from "~/text/dates";

import { turnOnTwoStep } from "../support/authenticator";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { HELD_DATA, formatAudience } = await import("~/modules/privacy/held-data");
const { deliverEmailQueue, settleEmailDelivery } =
  await import("~/modules/emails/deliver-queue.server");
const { eraseDueAccounts } = await import("~/modules/privacy/erase-due-accounts.server");

const EMAIL = "robin.findme@example.test";
const NAME = "Robin Findme-Quillfeather";

/** Creates all the data that a user can have. */
async function fullLife(email = EMAIL, fullName = NAME) {
  const person = await world.owner({
    email,
    fullName,
    phone: "+14155550123",
    pronouns: "ze/zir",
    postalCode: "94114",
    optedIn: true,
  });
  const other = await world.owner();
  const mine = await world.listing({
    owner: person,
    name: "Left Behind",
    public_email: email,
    mailingaddress: `${fullName}, Home`,
    status: "pending-update",
    last_update: JSON.stringify({ public_email: email, mailingaddress: `${fullName}, Old Home` }),
  });
  const others = await world.listing({ owner: other });
  await world.insert("rejected_edits", {
    place_id: mine.id,
    edit: JSON.stringify({
      public_email: email,
      mailingaddress: `${fullName}, Home`,
      description: `About ${fullName}`,
    }),
  });
  await world.listing({ owner: null, owner_email: email, name: "To Claim" });
  const [category] = await world.sql(
    "select id from public.categories where parent_category = 40 limit 1",
  );
  const job = await world.insert("jobs", {
    title: "Baker",
    category: category!["id"],
    description: "Early",
    location: "{California}",
    company_name: "X",
    company_bio: "Y",
    owner: person.id,
    owner_email: email,
  });
  const sponsorship = await world.insert("sponsorships", {
    place_id: mine.id,
    promo_text: "Come in",
    owner: person.id,
  });
  await world.insert("orders", {
    kind: "job",
    job_id: job["id"],
    owner: person.id,
    days: 45,
    unit_price_cents: 500,
  });
  await world.insert("leads", {
    place_id: others.id,
    requester: person.id,
    requester_name: fullName,
    requester_email: email,
    message: "Hello?",
    notes: "A private thought",
  });
  const received = await world.insert("leads", {
    place_id: mine.id,
    requester: other.id,
    requester_name: "Kai",
    requester_email: "kai@example.test",
    message: "To Robin's place",
  });
  const manager = await world.owner();
  for (const place of [mine, others])
    await world.insert("listing_managers", {
      place_id: place.id,
      profile_id: manager.id,
      invited_by: place === mine ? person.id : other.id,
    });
  await world.insert("listing_managers", {
    place_id: others.id,
    profile_id: person.id,
    invited_by: other.id,
  });
  const invited = { id: crypto.randomUUID(), place_id: others.id, email, invited_by: other.id };
  await world.insert("manager_invitations", {
    ...invited,
    accepted_at: new Date().toISOString(),
    accepted_by: person.id,
  });
  await world.insert("manager_invitations", {
    ...invited,
    id: crypto.randomUUID(),
    place_id: (await world.listing({ owner: other })).id,
  });
  await world.insert("manager_invitations", {
    ...invited,
    id: crypto.randomUUID(),
    place_id: mine.id,
    email: "guest@example.test",
    invited_by: person.id,
  });
  await world.insert("saved_views", {
    owner: other.id,
    name: "To write to",
    filter: JSON.stringify({ view: "all", search: email.toUpperCase() }),
  });
  await world.insert("favorites", { user_id: person.id, place_id: others.id });
  await world.insert("feedback", { userid: person.id, feedback: "Lovely" });
  const report = await world.insert("events", {
    event_name: "report_listing",
    place: others.id,
    user_id: person.id,
    data: JSON.stringify({ reason: "Closed" }),
  });
  await world.insert("listing_drafts", {
    id: crypto.randomUUID(),
    owner: person.id,
    fields: JSON.stringify({ name: "Half a café" }),
  });
  await world.sql(
    "select private.enqueue_email($1::uuid, null, 'job-expiring', 'life:' || $1::text, '{}')",
    [person.id],
  );
  await person.post("/account", {
    full_name: fullName,
    email,
    phone: "",
    phone_country: "US",
    postalcode: "94110",
    pronouns: "ze/zir",
  });
  await person.post("/account/notices", { notices: ["job-expiring"] });
  await person.post(`/listings/${mine.id}/visibility`, { intent: "archive" });
  return { person, other, manager, mine, others, job, sponsorship, received, report };
}

describe("the privacy page", () => {
  it("is open to everyone, lists each kind of data with who sees it and why, and asks visitors to sign in for more", async () => {
    const page = await world.anonymous().page("/privacy");
    expect(page).toHaveStatus(200);
    for (const { what, why, audience } of HELD_DATA) {
      expect(page).toSay(what);
      expect(page).toSay(`${formatAudience(audience)} ${why}`);
    }
    expect(page).not.toSay("What you type into an address field");
    expect(page).toSay("It says when someone signed in, with their email address and IP address.");
    expect(page).toSay("Sign in to see your consent history");
    expect(page.body).not.toContain("my-data.json");
  });

  it("says what stays in the log of an account that was deleted: names and titles, but no texts that were never public", async () => {
    const owner = await world.owner();
    const listing = await world.listing({
      owner,
      status: "new",
      name: "Petra Findme Counseling",
      description: "Never public",
    });
    await world.sql("select private.erase_user($1)", [owner.id]);
    const log = JSON.stringify(
      await world.sql(
        "select before, after from public.audit_log where subject = 'places' and subject_id = $1",
        [String(listing.id)],
      ),
    );
    expect(log).toContain("Petra Findme Counseling");
    expect(log).not.toContain("Never public");
    expect(await world.anonymous().page("/privacy")).toSay(
      "The names of listings, the titles of jobs, and text submitted for a public listing or a paid job stay in the log.",
    );
  });

  it("shows users only their own consents", async () => {
    const owner = await world.owner({ optedIn: true });
    const page = await owner.page("/privacy");
    expect(page).toSay("News by email Yes test /signup");
    expect(page).toSay("Text messages No test /signup");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("says what the database permits, entry by entry, and leaves no table out", async () => {
    const life = await fullLife("held@example.test", "Held Person");
    const admin = await world.admin();
    /** For each entry of the page, where its rows can be read, and the condition for the user's rows. */
    const rows: Record<string, [table: string, filter: string][]> = {
      profile: [["profiles", `id=eq.${life.person.id}`]],
      position: [["user_positions", "select=*"]],
      recovery: [["recovery_codes", "select=*"]],
      consents: [
        ["consents", `user_id=eq.${life.person.id}`],
        ["profiles", `id=eq.${life.person.id}&select=opted_in,sms_opted_in`],
      ],
      published: [["public_places", `id=eq.${life.mine.id}`]],
      listings: [["places", `id=eq.${life.mine.id}`]],
      managed: [["managed_places", `id=eq.${life.mine.id}`]],
      drafts: [["listing_drafts", `owner=eq.${life.person.id}`]],
      jobs: [["jobs", `owner=eq.${life.person.id}`]],
      sponsorships: [["sponsorships", `owner=eq.${life.person.id}`]],
      orders: [
        ["orders", `owner=eq.${life.person.id}`],
        ["payments", `owner=eq.${life.person.id}`],
      ],
      favorites: [["favorites", `user_id=eq.${life.person.id}`]],
      leads: [["leads", `requester_email=eq.${life.person.email}&select=id`]],
      managing: [["listing_managers", `profile_id=eq.${life.person.id}`]],
      invitations: [["manager_invitations", `email=eq.${life.person.email}`]],
      feedback: [["feedback", `userid=eq.${life.person.id}`]],
      reports: [
        ["events", `id=eq.${String(life.report["id"])}`],
        ["rpc/my_sent_reports", `id=eq.${String(life.report["id"])}`],
      ],
      views: [["place_views", "select=*"]],
      choices: [["email_preferences", `user_id=eq.${life.person.id}`]],
      letters: [["email_queue", "select=*"]],
    };
    expect(Object.keys(rows).sort()).toEqual(HELD_DATA.map(({ id }) => id).sort());

    const stranger = await world.owner();
    const readers = {
      you: await tokenOf(life.person),
      team: await tokenOf(admin),
      owner: await tokenOf(life.other),
      manager: await tokenOf(life.manager),
      stranger: await tokenOf(stranger),
      anonymous: null,
    };
    for (const { id, audience } of HELD_DATA) {
      const found: Record<string, boolean> = {};
      for (const [who, token] of Object.entries(readers)) {
        const seen = rows[id]!.map(([table, filter]) => sees(token, table, filter));
        found[who] = (await Promise.all(seen)).includes(true);
      }
      const isPublic = audience.includes("public");
      expect(found, id).toEqual({
        you: isPublic || audience.includes("you"),
        team: isPublic || audience.includes("team"),
        owner: isPublic || audience.includes("owner"),
        manager: isPublic || audience.includes("manager"),
        stranger: isPublic,
        anonymous: isPublic,
      });
    }

    // Tables that name users and have no entry: the team's work, short-lived rows, and what orders are about.
    const spokenOf = Object.values(rows)
      .flat()
      .map(([table]) => table);
    const named = await world.sql(
      "select distinct relation::text as relation from private.columns_referencing_users()",
    );
    expect(
      named
        .map(({ relation }) => String(relation).replace(/^.*\./, ""))
        .filter((table) => !spokenOf.includes(table))
        .sort(),
    ).toEqual([
      "account_deletions",
      "confirmed_accounts",
      "decision_batches",
      "handoff_codes",
      "refunds",
      "reporters",
      "review_locks",
      "saved_views",
      "sign_ups",
      "subscriptions",
    ]);
  });
});

async function tokenOf(member: Member): Promise<string> {
  const response = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email: member.email, password: member.password }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function sees(token: string | null, table: string, filter: string): Promise<boolean> {
  const key = world.supabase.publishableKey;
  const response = await fetch(`${world.supabase.url}/rest/v1/${table}?${filter}`, {
    headers: { apikey: key, Authorization: `Bearer ${token ?? key}` },
  });
  const answer: unknown = await response.json();
  return response.ok && Array.isArray(answer) && answer.length > 0;
}

describe("the download of all data", () => {
  it("contains all that is the user's, by parts, and no one else's", async () => {
    const { person, received } = await fullLife("export@example.test", "Export Person");
    const file = await person.get("/privacy/my-data.json");
    expect(file.headers.get("Content-Disposition")).toBe('attachment; filename="my-data.json"');
    const data = JSON.parse(file.body) as Record<string, Record<string, unknown>[]>;

    const names = (part: string) => data[part]!.map(({ name }) => name);
    expect(names("listings")).toEqual(["Left Behind"]);
    expect(names("listings_to_claim")).toEqual(["To Claim"]);
    for (const part of [
      "profile",
      "position",
      "consents",
      "drafts",
      "managing",
      "managers_i_invited",
      "invitations_to_me",
      "invitations_i_sent",
      "jobs",
      "newsletter_features",
      "orders",
      "favorites",
      "messages_i_sent",
      "reports",
      "feedback",
      "email_choices",
      "emails",
      "what_i_did",
    ])
      expect(data[part]!.length, part).toBeGreaterThan(0);
    expect(data["rejected_changes"]).toMatchObject([
      { edit: { public_email: "export@example.test" } },
    ]);
    expect(data["account"]).toMatchObject({
      email: "export@example.test",
    });
    expect(file.body).not.toContain("A private thought");
    expect(data["messages_i_sent"]!.map(({ id }) => id)).not.toContain(received["id"]);
    expect(file.body).not.toMatch(/password|kai@example\.test|recovery_token/);
  });

  it("needs a session", async () => {
    expect(await world.anonymous().get("/privacy/my-data.json")).toAskForSignIn();
  });
});

describe("the deletion of one's own account", () => {
  const makeDue = (person: Member) =>
    world.sql("update private.account_deletions set due_at = now() where user_id = $1", [
      person.id,
    ]);

  it("needs a confirmation, explains what will happen, sends an email, and waits seven days", async () => {
    const owner = await world.owner();
    const page = await owner.page("/privacy/delete");
    expect(page).toSay("Do you want to delete your account?");
    expect(page).toSay("You have seven days to change your mind.");
    expect(page).toSay(
      "Everything else that people can see stays as it is: phone numbers, addresses, other email addresses, and what you wrote in their names, descriptions and links.",
    );
    expect(page).toSay(
      "Your feedback, reports and booked newsletter features stay as you wrote them",
    );
    expect(
      await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password }),
    ).toRedirectTo("/privacy");
    expect(await owner.page("/privacy")).toSay("Your account will be deleted after");
    // Its form would promise seven days and an email again.
    expect(await owner.get("/privacy/delete")).toRedirectTo("/privacy");
    const { text } = await world.mailAbout(owner.email, "Your account will be deleted");
    expect(text).toContain(
      "Changed your mind? Open My Account by the end of that day and choose “Keep my account”.",
    );
    expect(text).toContain("Didn’t ask for this?");
    expect(text).toMatch(/\/account$/m);
    expect(await eraseDueAccounts()).toEqual({ erased: 0, waiting: 0, unconfirmed: 0 });
    expect(await owner.page("/listings")).toHaveStatus(200);
  });

  it("can be canceled until it is done", async () => {
    const owner = await world.owner();
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    await makeDue(owner);
    expect(await owner.post("/privacy", { intent: "keep" })).toRedirectTo("/privacy");
    expect(await eraseDueAccounts()).toEqual({ erased: 0, waiting: 0, unconfirmed: 0 });
    expect(await owner.page("/privacy")).not.toSay("will be deleted after");
  });

  it("that was canceled is reported to its user, who may have left the browser in which someone keeps the account", async () => {
    const owner = await world.owner();
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    await world.mailAbout(owner.email, "Your account will be deleted");
    await owner.post("/privacy", { intent: "keep" });
    const { text } = await world.mailAbout(owner.email, "Your account won’t be deleted");
    expect(text).toContain("Wasn’t this you? Change your password right away.");
    // Once for each request.
    await owner.post("/privacy", { intent: "keep" });
    expect(
      await world.sql(
        "select kind from private.email_queue where recipient = $1 and kind = 'account-kept'",
        [owner.id],
      ),
    ).toHaveLength(1);
  });

  it("asks for the password, and changes nothing without it", async () => {
    const owner = await world.owner();
    expect(await owner.page("/privacy/delete")).toSay("Choose a new one with a link we’ll email");
    for (const wrong of [{}, { current_password: "wrong" }]) {
      const answer = await owner.post("/privacy/delete", { intent: "delete", ...wrong });
      expect(answer).toBeRefusedWith(/password/, { field: "current_password" });
    }
    expect(await owner.page("/privacy")).not.toSay("will be deleted");
  });

  it("asks for a code of the authenticator app when two-step sign-in is on", async () => {
    const owner = await world.owner();
    const app = await turnOnTwoStep(world, owner);
    const remove = { intent: "delete", current_password: owner.password };
    expect(await owner.post("/privacy/delete", remove)).toBeRefusedWith(/code/, {
      field: "app_code",
    });
    expect(
      await owner.post("/privacy/delete", { intent: "delete", app_code: await app.code() }),
    ).toRedirectTo("/privacy");
    expect(await owner.page("/privacy")).toSay("Your account will be deleted after");
  });

  it("is announced where its user starts, and can be canceled there", async () => {
    const owner = await world.owner();
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    await owner.page("/privacy");
    for (const path of ["/", "/account"]) {
      const page = await owner.page(path);
      expect(page, path).toSay("Your account will be deleted after");
      expect(page, path).toSay("Keep my account");
      expect(page.body, path).toMatch(/<form[^>]* action="\/privacy"/);
      expect(page, path).not.toSay("You’re all caught up");
    }
    expect(await owner.post("/privacy", { intent: "keep" })).toRedirectTo("/privacy");
    await owner.page("/privacy");
    for (const path of ["/", "/account"])
      expect(await owner.page(path), path).not.toSay("will be deleted");
  });

  it("doesn’t begin before the day that the page and the email name is over everywhere on Earth", async () => {
    const owner = await world.owner();
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    const after = /will be deleted after (\w+ \d+, \d{4})/;
    const [, day] = after.exec((await owner.page("/privacy")).text)!;
    expect((await world.mailAbout(owner.email, "Your account will be deleted")).text).toContain(
      `we’ll delete your account after ${day}.`,
    );
    const [row] = await world.sql(
      "select due_at from private.account_deletions where user_id = $1",
      [owner.id],
    );
    const due = new Date(row!["due_at"] as string).getTime();
    const overInTheLastZone = Date.parse(`${day} 00:00 UTC`) + (24 + 12) * 3_600_000;
    expect(due).toBeGreaterThanOrEqual(overInTheLastZone);
    expect(due - Date.now()).toBeGreaterThan(7 * DAY_MS);
    expect(due - Date.now()).toBeLessThan(8.5 * DAY_MS + 1);
  });

  it("has one reminder by email, a day before its last day, unless it was canceled", async () => {
    const [leaving, staying] = [await world.owner(), await world.owner()];
    for (const person of [leaving, staying]) {
      await person.post("/privacy/delete", {
        intent: "delete",
        current_password: person.password,
      });
      await eraseDueAccounts();
      await world.sql(
        "update private.account_deletions set due_at = now() + interval '59 hours' where user_id = $1",
        [person.id],
      );
    }
    // What the requests began to send in the background would otherwise send the reminder before it is canceled.
    await settleEmailDelivery();
    await eraseDueAccounts();
    await eraseDueAccounts();
    await staying.post("/privacy", { intent: "keep" });
    await deliverEmailQueue();
    const mail = await world.mailAbout(leaving.email, "Your account will be deleted soon");
    expect(mail.text).toContain(
      "This is a reminder: as you asked, we’ll delete your account after",
    );
    // An email arrives a moment before it is marked as sent.
    await expect
      .poll(() =>
        world.sql(
          "select recipient from private.email_queue where key like 'account-deletion-reminder:%' and sent_at is not null",
        ),
      )
      .toEqual([{ recipient: leaving.id }]);
  });

  it("says that a listing whose change we haven’t approved by then is hidden, as it is: the change may be to remove a telephone number", async () => {
    const [waiting, hidden] = [await world.owner(), await world.owner()];
    const unchanged = await world.listing({ owner: waiting });
    const edit = {
      description: "Nothing about me.",
      status: "pending-update",
      last_update: JSON.stringify({ description: "Ring Robin, third floor." }),
    };
    const seen = await world.listing({ owner: waiting, ...edit });
    const unseen = await world.listing({ owner: hidden, hidden: true, ...edit });
    expect(await waiting.page("/privacy/delete")).toSay(
      "A change that we haven’t approved by then is dropped, and its listing is hidden.",
    );
    const warning =
      "If we haven’t approved it by then, we’ll drop the change and hide the listing.";
    for (const person of [waiting, hidden]) {
      await person.post("/privacy/delete", { intent: "delete", current_password: person.password });
      await world.sql(
        "update private.account_deletions set due_at = now() + interval '59 hours' where user_id = $1",
        [person.id],
      );
    }
    await eraseDueAccounts();
    await deliverEmailQueue();
    for (const [person, isWarned] of [
      [waiting, true],
      [hidden, false],
    ] as const)
      for (const subject of ["Your account will be deleted", "Your account will be deleted soon"]) {
        const { text } = await world.mailAbout(person.email, subject);
        expect(text.includes(warning), subject).toBe(isWarned);
      }
    for (const person of [waiting, hidden]) await makeDue(person);
    await eraseDueAccounts();
    expect(
      await world.sql("select id from public.public_places where id = any ($1)", [
        [seen.id, unseen.id, unchanged.id],
      ]),
    ).toEqual([{ id: unchanged.id }]);
    expect(
      await world.sql(
        "select owner, status, hidden, description from public.places where id = $1",
        [seen.id],
      ),
    ).toEqual([
      { owner: null, status: "published", hidden: true, description: "Ring Robin, third floor." },
    ]);
  });

  it("hides a listing whose change we rejected, too: its author may not even have read that", async () => {
    const [leaving, admin] = [await world.owner(), await world.admin()];
    const phone = "+1 503 555 0123";
    const rejected = await world.listing({ owner: leaving, phone });
    const discarded = await world.listing({ owner: leaving, phone });
    await world.insert("rejected_edits", {
      place_id: rejected.id,
      edit: JSON.stringify({ phone: null }),
    });
    expect(await admin.page(`/admin/users/${leaving.id}/delete`)).toSay(
      "1 listing with a change that hasn’t been approved is hidden, without the change and without an owner.",
    );
    await leaving.post("/privacy/delete", { intent: "delete", current_password: leaving.password });
    await deliverEmailQueue();
    const { text } = await world.mailAbout(leaving.email, "Your account will be deleted");
    expect(text).toContain(
      "If we haven’t approved it by then, we’ll drop the change and hide the listing. The listing’s jobs won’t be shown, and our newsletter will leave the listing out.",
    );
    await makeDue(leaving);
    await eraseDueAccounts();
    expect(
      await world.sql("select id, phone from public.public_places where id = any ($1)", [
        [rejected.id, discarded.id],
      ]),
    ).toEqual([{ id: discarded.id, phone }]);
    expect(
      await world.sql("select place_id from public.rejected_edits where place_id = $1", [
        rejected.id,
      ]),
    ).toEqual([]);
  });

  it("leaves public what its page says stays: the phone number, the address, and a contact email that isn’t the account’s", async () => {
    const owner = await world.owner();
    const contact = {
      phone: "+1 503 555 0171",
      address: "418 SE Ankeny St, Portland, OR 97214",
      public_email: "studio@ankeny.example",
    };
    const listing = await world.listing({ owner, ...contact });
    expect(await owner.page("/privacy/delete")).toSay(
      "phone numbers, addresses, other email addresses",
    );
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    await makeDue(owner);
    await eraseDueAccounts();
    expect(
      await world.sql(
        "select phone, address, public_email from public.public_places where id = $1",
        [listing.id],
      ),
    ).toEqual([contact]);
  });

  it("stays on the same day when it is requested twice", async () => {
    const owner = await world.owner();
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    await world.sql(
      "update private.account_deletions set due_at = '2100-01-05T12:00:00Z' where user_id = $1",
      [owner.id],
    );
    await owner.post("/privacy/delete", { intent: "delete", current_password: owner.password });
    expect(await owner.page("/privacy")).toSay("Your account will be deleted after Jan 4, 2100");
  });

  it("is not possible for the only admin", async () => {
    await world.sql("update public.profiles set admin = false where admin");
    const admin = await world.admin();
    await admin.post("/privacy/delete", { intent: "delete", current_password: admin.password });
    expect(await admin.page("/privacy")).toSay(
      "You’re the only admin. Make someone else an admin first.",
    );
  });

  it("leaves nothing that identifies the user in any table, except the opaque number in the audit log and the address in someone else's invitation", async () => {
    const { person, mine } = await fullLife();
    await person.post("/privacy/delete", { intent: "delete", current_password: person.password });
    await makeDue(person);
    expect(await eraseDueAccounts()).toEqual({ erased: 1, waiting: 0, unconfirmed: 0 });
    expect(await eraseDueAccounts()).toEqual({ erased: 0, waiting: 0, unconfirmed: 0 });
    expect(await person.get("/listings")).toAskForSignIn();
    expect(await world.row("places", mine.id)).toMatchObject({
      owner: null,
      owner_email: null,
      mailingaddress: null,
      name: "Left Behind",
    });

    const tables = await world.sql(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'private', 'auth')`,
    );
    const traces: string[] = [];
    for (const { name } of tables as { name: string }[]) {
      for (const trace of [EMAIL, NAME, person.id]) {
        const [{ rows }] = (await world.sql(
          `select count(*)::int as rows from ${name} t where t::text ilike '%' || $1 || '%'`,
          [trace],
        )) as [{ rows: number }];
        if (rows > 0) traces.push(`${name}: ${trace === person.id ? "id" : trace}`);
      }
    }
    // Who invited an address must not learn from its invitation that it had an account.
    expect(traces.sort()).toEqual(["public.audit_log: id", `public.manager_invitations: ${EMAIL}`]);
  });
});
