/** The list of all jobs, and what admins do with a job. */
import { describe, expect, it } from "vitest";

import { jobForm, listingForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const [admin, rosa, sam] = [
  await world.admin(),
  await world.owner({ fullName: "Rosa Mendez" }),
  await world.owner({ fullName: "Sam Rivera" }),
];

const days = (n: number) => new Date(Date.now() + n * 24 * 60 * 60 * 1000).toISOString();
const live = { paid: true, published: true, expiration_date: days(20) };

describe("all jobs", () => {
  it("say that there are none, or none that match a filter", async () => {
    const [all, filled] = [
      await admin.page("/admin/jobs"),
      await admin.page("/admin/jobs?state=filled"),
    ];
    expect(all).toSay("No jobs yet");
    expect(all).not.toSay("Show all");
    expect(filled).toSay("No matching jobs");
    expect(filled).toSay("Show all");
  });

  it("are listed with their owners and links to the owners’ profiles", async () => {
    const mine = await world.job({ owner: rosa, title: "Rosa’s job", ...live });
    await world.job({ owner: null, owner_email: "hiring@vets.example", title: "Vet’s job" });
    const page = await admin.page("/admin/jobs");
    for (const text of [
      "Job Title",
      "Status",
      "Expiration Date",
      "Owner",
      "Actions",
      "Rosa’s job",
      "Published",
      "Vet’s job",
      "Pending payment",
    ])
      expect(page).toSay(text);
    expect(page.body).toContain(`href="/admin/users/${rosa.id}"`);
    expect(page).toSay("Rosa Mendez");
    // Lists mask email addresses.
    expect(page).toSay("h•••@v•••.example (No user account)");
    expect(page.body).not.toContain("hiring@vets.example");
    expect(page.body).toContain(`formaction="/jobs/${mine.id}/status"`);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("are filtered by state and by text, and the URL has the filter", async () => {
    await world.job({ owner: rosa, title: "Wandering Übersetzer", ...live, published: false });
    const page = await admin.page("/admin/jobs?state=unpublished&search=ubersetz");
    expect(page).toSay("1 job ");
    expect(page).toSay("Wandering Übersetzer");
    expect(page.value("search")).toBe("ubersetz");
    expect(page.chosen("state")).toBe("unpublished");
    expect(await admin.page("/admin/jobs?state=expired&search=wandering")).toSay(
      "No matching jobs",
    );
    // An unknown state is ignored. Operators are searched for as text.
    expect(await admin.page("/admin/jobs?state=nonsense&search=wandering")).toSay(
      "Wandering Übersetzer",
    );
    for (const search of [
      "%",
      "*",
      '"',
      "wand,er)",
      "or(id.gt.0)",
      "'; drop table jobs",
      "\u0000",
    ]) {
      expect(
        (await admin.page(`/admin/jobs?search=${encodeURIComponent(search)}`)).status,
        search,
      ).toBe(200);
    }
  });

  it("have pages that keep the filter", async () => {
    for (let n = 1; n <= 51; n++)
      await world.job({ owner: sam, title: `Paged ${n}`, created_at: days(-200 + n) });
    const page = await admin.page("/admin/jobs?search=paged");
    expect(page).toSay("51 jobs");
    // A long table scrolls under its header: what is in view isn't all that is on the page.
    expect(page).toSay("50 jobs on this page");
    const next = /href="(\/admin\/jobs\?search=paged&amp;after=\d+)"/
      .exec(page.body)![1]!
      .replace("&amp;", "&");
    const last = await admin.page(next);
    expect(last).toSay("Paged 1");
    expect(last.body).toMatch(/href="\/admin\/jobs\?search=paged&amp;before=\d+"/);
  });

  it("are forbidden for an owner, as a page and as data", async () => {
    expect(await rosa.get("/admin/jobs")).toBeForbidden();
    expect(await rosa.dataOf("/admin/jobs")).toHaveStatus(403);
  });
});

describe("an admin", () => {
  it("edits and unpublishes anyone's job, and returns to the list of all jobs", async () => {
    const { id } = await world.job({ owner: rosa, ...live });
    expect(await admin.post(`/jobs/${id}`, jobForm({ title: "Edited" }))).toRedirectTo(
      "/admin/jobs",
    );
    expect(await admin.post(`/jobs/${id}/status`, { intent: "unpublish" })).toRedirectTo(
      "/admin/jobs",
    );
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Edited",
      owner: rosa.id,
      owner_email: rosa.email,
      published: false,
    });
    expect(
      await world.sql(
        "select count(*)::int as n from public.audit_log where subject = 'jobs' and subject_id = $1 and actor = $2",
        [String(id), admin.id],
      ),
    ).toEqual([{ n: 2 }]);
  });

  it("reads before and after unpublishing a job of someone else that its owner can republish it, and how not", async () => {
    const [{ id }, own] = [
      await world.job({ owner: rosa, ...live }),
      await world.job({ owner: admin, ...live }),
    ];
    expect(await admin.page(`/jobs/${id}/status`)).toSay(
      "If you unpublish it, its owner can republish it.",
    );
    await admin.post(`/jobs/${id}/status`, { intent: "unpublish" });
    expect(await admin.page("/admin/jobs")).toSay(
      "“Baker” is unpublished, but its owner can republish it. To prevent that, edit it and choose “No one” as its owner.",
    );
    expect(await admin.page(`/jobs/${id}/status`)).toSay("Its owner may have unpublished it.");
    expect(await rosa.page(`/jobs/${id}/status`)).not.toSay("Its owner");
    expect(await admin.page(`/jobs/${own.id}/status`)).not.toSay("its owner");

    // Its owner is told, and not of what they or no one took down.
    const told = () =>
      world.sql(
        `select recipient from private.email_queue
          where kind = 'job-unpublished' and data ->> 'job_id' in ('${id}', '${own.id}')`,
      );
    await admin.post(`/jobs/${own.id}/status`, { intent: "unpublish" });
    expect(await told()).toEqual([{ recipient: rosa.id }]);
    await rosa.post(`/jobs/${id}/status`, { intent: "republish" });
    await rosa.post(`/jobs/${id}/status`, { intent: "unpublish" });
    expect(await told()).toEqual([]);

    // Each time.
    await rosa.post(`/jobs/${id}/status`, { intent: "republish" });
    await admin.post(`/jobs/${id}/status`, { intent: "unpublish" });
    expect(await told()).toEqual([{ recipient: rosa.id }]);

    // Marked as filled, it's taken down as well.
    await rosa.post(`/jobs/${id}/status`, { intent: "republish" });
    await admin.post(`/jobs/${id}/status`, { intent: "fill" });
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const { text } = await world.mailAbout(rosa.email, "About your job listing");
    expect(text).toContain(
      "Our team has marked your job listing “Baker” as filled. No one can see it now",
    );
    expect(text).toContain("If you’re still looking for someone, reopen it.");
    await rosa.post(`/jobs/${id}/status`, { intent: "unpublish" });

    // As it says.
    await admin.post(`/jobs/${id}`, jobForm({ owner: "" }));
    expect(await rosa.post(`/jobs/${id}/status`, { intent: "republish" })).toBeNotFound();
    expect(await world.row("jobs", id)).toMatchObject({ published: false, owner: null });
  });

  it("who publishes a job again that its owner took down tells them so, as they count on it that no one sees it", async () => {
    const ada = await world.owner();
    const place = await world.listing({ owner: ada, hidden: true });
    const aboutListing = { place_id: place.id, company_name: null, company_bio: null };
    const [job, filled, unseen, back] = [
      await world.job({ owner: ada, title: "Baker", ...live }),
      await world.job({ owner: ada, title: "Cook", ...live }),
      await world.job({ owner: ada, title: "Waiter", ...aboutListing, ...live }),
      await world.job({ owner: ada, title: "Driver", ...live }),
    ];
    const again = await world.job({ owner: ada, title: "Florist", ...live });
    const set = (by: Member, { id }: { id: number }, intent: string) =>
      by.post(`/jobs/${id}/status`, { intent });
    for (const one of [job, unseen, back]) await set(ada, one, "unpublish");
    await set(ada, filled, "fill");
    await set(admin, job, "republish");
    await set(admin, filled, "reopen");
    await set(admin, unseen, "republish");
    // What they have changed back themselves needs no email.
    await set(admin, back, "republish");
    await set(ada, back, "unpublish");
    // What Ada had put up again herself before an email said that it was down, and has taken down since, does.
    await set(admin, again, "unpublish");
    await set(ada, again, "republish");
    await set(ada, again, "unpublish");
    await set(admin, again, "republish");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const texts = world.supabase.mails.filter(({ to }) => to === ada.email).map(({ text }) => text);
    const about = (title: string) => texts.filter((text) => text.includes(`“${title}”`));
    expect(about("Baker")).toEqual([
      expect.stringContaining(
        "Our team has republished your job listing “Baker”. People can see it now.",
      ),
    ]);
    expect(about("Baker")[0]).toContain("If you don’t want that, unpublish it again");
    expect(about("Cook")).toEqual([
      expect.stringContaining(
        "Our team has reopened your job listing “Cook”. People can see it now.",
      ),
    ]);
    expect(about("Cook")[0]).toContain("If you don’t want that, mark it as filled again");
    expect(about("Waiter")).toEqual([
      expect.stringContaining("Our team has republished your job listing “Waiter”."),
    ]);
    expect(about("Waiter")[0]).not.toContain("People can see it now.");
    expect(about("Driver")).toEqual([]);
    expect(about("Florist")).toEqual([
      expect.stringContaining("Our team has republished your job listing “Florist”."),
    ]);
  });

  it("who changes the words of a job tells its owner, whose words they’re taken for, also before they pay for it", async () => {
    const ada = await world.owner();
    const job = await world.job({ owner: ada, title: "Baker", ...live });
    const unpublished = await world.job({ owner: ada, title: "Cook", ...live, published: false });
    const unpaid = await world.job({ owner: ada, title: "Unpaid" });
    const expired = await world.job({
      owner: ada,
      title: "Expired",
      ...live,
      expiration_date: days(-1),
    });
    const own = await world.job({ owner: admin, title: "Their own", ...live });
    const same = await world.job({ owner: ada, title: "Unchanged", ...live });
    for (const { id } of [job, unpublished, unpaid, expired, own])
      await admin.post(`/jobs/${id}`, jobForm({ title: "New title" }));
    // What its owner changes, and what a form leaves as it is, is no news.
    for (const by of [ada, admin])
      await by.post(`/jobs/${same.id}`, jobForm({ title: "Unchanged" }));
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const changed = world.supabase.mails.filter(
      ({ subject }) => subject === "Your job listing was changed",
    );
    const about = (to: string, title: string) =>
      changed
        .filter((mail) => mail.to === to && mail.text.includes(title))
        .map(({ links }) => links[0]);
    // By the names that they know.
    expect(about(ada.email, "“Baker”")).toEqual([`${world.appUrl}/jobs/${job.id}`]);
    expect(about(ada.email, "“Cook”")).toEqual([`${world.appUrl}/jobs/${unpublished.id}`]);
    // They pay for these from their list, without reading them again.
    for (const [title, { id }] of [
      ["“Unpaid”", unpaid],
      ["“Expired”", expired],
    ] as const)
      expect(about(ada.email, title)).toEqual([`${world.appUrl}/jobs/${id}`]);
    expect(
      changed.filter(({ text }) => text.includes("looks right before you pay for it.")),
    ).toHaveLength(2);
    expect(about(ada.email, "")).toHaveLength(4);
    expect(about(admin.email, "")).toEqual([]);
  });

  it("who pays for someone’s job, which publishes it, tells them so, and not when it only gets more days", async () => {
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    const ada = await world.owner();
    const pay = async (by: Member, { id }: { id: number }, intent: string) => {
      const renewal = (await by.page(`/jobs/${id}/status`)).value("renewal") ?? "";
      const { location } = await by.post(`/jobs/${id}/status`, { intent, renewal });
      await world.stripe.pay(location!);
      await deliverEmailQueue();
    };
    const about = (title: string) =>
      world.supabase.mails
        .filter(({ to, text }) => to === ada.email && text.includes(`“${title}”`))
        .map(({ text }) => text);
    const draft = await world.job({ owner: ada, title: "Draft" });
    const expired = await world.job({
      owner: ada,
      title: "Over",
      ...live,
      expiration_date: days(-1),
    });
    const running = await world.job({ owner: ada, title: "Running", ...live });
    const own = await world.job({ owner: ada, title: "Their own" });
    await pay(admin, draft, "pay");
    await pay(admin, expired, "renew");
    await pay(admin, running, "renew");
    await pay(ada, own, "pay");
    expect(await world.row("jobs", draft.id)).toMatchObject({ published: true });
    for (const title of ["Draft", "Over"])
      expect(about(title)).toEqual([
        expect.stringContaining(
          `Our team has paid for and published your job listing “${title}”. People can see it now.`,
        ),
      ]);
    expect(about("Draft")[0]).toContain("If you don’t want that, unpublish it, and get in touch");
    expect([...about("Running"), ...about("Their own")]).toEqual([]);
  });

  it("takes a job from its owner, who is told so, but not twice when it goes with its listing", async () => {
    const ada = await world.owner();
    const { id } = await world.job({ owner: ada, title: "Night baker", ...live });
    // The team could publish these under the same words.
    const draft = await world.job({ owner: ada, title: "Draft" });
    const over = await world.job({ owner: ada, title: "Over", ...live, expiration_date: days(-1) });
    for (const job of [id, draft.id, over.id])
      await admin.post(`/jobs/${job}`, jobForm({ title: "Renamed", owner: "" }));
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    await settleEmailDelivery();
    const texts = world.supabase.mails.filter(({ to }) => to === ada.email).map(({ text }) => text);
    // By the names that they know.
    for (const title of ["Night baker", "Draft", "Over"])
      expect(texts).toContainEqual(
        expect.stringContaining(
          `Our team has removed your job listing “${title}” from your account`,
        ),
      );

    const place = await world.listing({ owner: ada, mailingaddress: "1 Castro St" });
    await world.job({
      owner: ada,
      place_id: place.id,
      company_name: null,
      company_bio: null,
      ...live,
    });
    const { saved, listing } = (await admin.get(`/listings/${place.id}`)).data as {
      saved: Record<string, string>;
      listing: { version: number };
    };
    await admin.post(`/listings/${place.id}`, {
      ...listingForm(),
      ...saved,
      status: "published",
      status_seen: "published",
      owner: sam.id,
      owner_seen: ada.id,
      version: String(listing.version),
      intent: "save",
    });
    expect(await world.row("places", place.id)).toMatchObject({ owner: sam.id });
    const emails = await world.sql("select kind from private.email_queue where recipient = $1", [
      ada.id,
    ]);
    expect(emails.map(({ kind }) => kind).sort()).toEqual([
      "job-left",
      "job-left",
      "job-left",
      "listing-left",
    ]);
  });

  it("that is taken and then unpublished, as its page advises, isn’t said to be shown still", async () => {
    const [ada, kim] = [await world.owner(), await world.owner()];
    const [shown, unpublished] = [
      await world.job({ owner: ada, ...live }),
      await world.job({ owner: kim, ...live }),
    ];
    for (const { id } of [shown, unpublished])
      await admin.post(`/jobs/${id}`, jobForm({ owner: "" }));
    expect(await admin.page("/admin/jobs")).toSay("To take it down, unpublish it.");
    await admin.post(`/jobs/${unpublished.id}/status`, { intent: "unpublish" });
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const readBy = async ({ email }: Member) =>
      (await world.mailAbout(email, "About your job listing")).text;
    expect(await readBy(ada)).toContain("People can still see it.");
    expect(await readBy(kim)).not.toContain("People can still see it.");
  });

  it("isn’t announced as taken or taken down once its owner has it back, or it was refunded", async () => {
    const ada = await world.owner();
    const [back, refunded] = [
      await world.job({ owner: ada, ...live }),
      await world.job({ owner: ada, ...live }),
    ];
    const due = async () => {
      const emails = await world.sql(
        "select n.kind from private.due_emails d join private.email_queue n using (id) where d.user_id = $1",
        [ada.id],
      );
      return emails.map(({ kind }) => kind).sort();
    };
    await admin.post(`/jobs/${back.id}`, jobForm({ owner: "" }));
    await admin.post(`/jobs/${refunded.id}/status`, { intent: "unpublish" });
    expect(await due()).toEqual(["job-left", "job-unpublished"]);
    await admin.post(`/jobs/${back.id}`, jobForm({ owner: ada.id }));
    await world.sql("update public.jobs set paid = false where id = $1", [refunded.id]);
    expect(await due()).toEqual(["job-received"]);
  });

  it("puts a job in someone’s account, also one that was taken from it and changed meanwhile, and they’re told so", async () => {
    const [ada, kim] = [await world.owner(), await world.owner()];
    const job = await world.job({ owner: ada, title: "Night baker", ...live });
    const own = await world.job({ owner: admin, title: "Given" });
    // Before any email is sent: what is theirs again wasn’t taken, and what its owner changes is no news.
    await admin.post(`/jobs/${job.id}`, jobForm({ title: "Night baker", owner: admin.id }));
    await admin.post(`/jobs/${job.id}`, jobForm({ title: "Bring cash" }));
    await admin.post(`/jobs/${job.id}`, jobForm({ title: "Bring cash", owner: ada.id }));
    await admin.post(`/jobs/${own.id}`, jobForm({ title: "Given", owner: kim.id }));
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const returned = await world.mailAbout(ada.email, "About a job listing");
    expect(returned.text).toContain(
      "Our team has put the job listing “Bring cash” in your account. Please check that it looks right.",
    );
    expect(returned.link).toBe(`/jobs/${job.id}`);
    const { text } = await world.mailAbout(kim.email, "About a job listing");
    expect(text).toContain("“Given” in your account. Please check that it looks right before you");
    expect(world.supabase.mails.filter(({ to }) => to === admin.email)).not.toContainEqual(
      expect.objectContaining({ subject: "About a job listing" }),
    );
  });

  it("publishes a job without an owner under the name of someone’s listing, who is told so, and when it is changed", async () => {
    const ada = await world.owner();
    const place = await world.listing({ owner: ada, name: "Riverbend Bikes" });
    const job = await world.job({
      owner: null,
      title: "Mechanic",
      place_id: place.id,
      company_name: null,
      company_bio: null,
    });
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    const told = async () => {
      await deliverEmailQueue();
      return world.supabase.mails
        .filter(({ to, subject }) => to === ada.email && subject === "About a job listing")
        .map(({ text }) => /“.*(?= It isn’t in your account)/.exec(text)?.[0]);
    };
    expect(await told()).toEqual([]);
    // As a payment of the team does.
    await world.sql(
      "update public.jobs set paid = true, published = true, expiration_date = $2 where id = $1",
      [job.id, live.expiration_date],
    );
    expect(await world.row("public_jobs", job.id)).toMatchObject({
      company_name: "Riverbend Bikes",
    });
    const published = ["“Mechanic” for your listing “Riverbend Bikes”."];
    expect(await told()).toEqual(published);
    const form = { place_id: String(place.id), company_name: "", company_bio: "" };
    await admin.post(`/jobs/${job.id}`, jobForm({ ...form, title: "Bring cash" }));
    const changed = [...published, "“Bring cash” for your listing “Riverbend Bikes”."];
    expect(await told()).toEqual(changed);
    // Not of what no one sees, nor of what was in their account, of which another email says that it isn’t anymore.
    await admin.post(`/jobs/${job.id}/status`, { intent: "unpublish" });
    await admin.post(`/jobs/${job.id}`, jobForm({ ...form, title: "Hidden" }));
    const theirs = await world.job({
      owner: ada,
      place_id: place.id,
      company_name: null,
      company_bio: null,
      ...live,
    });
    await admin.post(`/jobs/${theirs.id}`, jobForm({ ...form, title: "Baker", owner: "" }));
    expect(await told()).toEqual(changed);
    await admin.post(`/jobs/${job.id}/status`, { intent: "republish" });
    expect(await told()).toEqual([...changed, "“Hidden” for your listing “Riverbend Bikes”."]);
  });

  it("selects among the owner's listings, not their own", async () => {
    const { id } = await world.job({ owner: rosa });
    await world.listing({ owner: rosa, name: "Rosa’s Table" });
    await world.listing({ owner: admin, name: "Admin’s Own" });
    const page = await admin.page(`/jobs/${id}`);
    expect(page).toSay("Rosa’s Table");
    expect(page).not.toSay("Admin’s Own");
  });

  it("sees which jobs have the name of someone else’s listing, whose owner gets one email about each", async () => {
    const [ada, kim, manager] = [await world.owner(), await world.owner(), await world.owner()];
    const place = await world.listing({ owner: ada, name: "Riverbend Books" });
    await world.insert("listing_managers", { place_id: place.id, profile_id: manager.id });
    await world.listing({ owner: sam, name: "Riverbend Tea", status: "new" });
    const named = { ...live, company_name: "  riverbend BOOKS " };
    const fake = await world.job({ owner: kim, title: "Fake job", ...named });
    // It looks the same: a joiner within a word, and another kind of space beside a plain one.
    const same = "River\u200Dbend\uFE0F \xA0Books";
    const second = await world.job({
      owner: kim,
      title: "Second fake",
      ...live,
      company_name: same,
    });
    await world.job({ owner: ada, title: "Own job", ...named });
    await world.job({ owner: manager, title: "Manager’s job", ...named });
    await world.job({ owner: kim, title: "Not public", ...live, company_name: "Riverbend Tea" });
    await world.job({ owner: kim, title: "Not paid", company_name: "Riverbend Books" });
    const marked = async () => {
      const { body } = await admin.page("/admin/jobs");
      return (body.match(/<tr>.*?<\/tr>/gs) ?? [])
        .filter((row) => row.includes("Has a listing’s name"))
        .map((row) => /<th[^>]*>(?:<bdi>)?([^<]*)/.exec(row)?.[1]);
    };
    expect((await marked()).sort()).toEqual(["Fake job", "Second fake"]);
    const told = () =>
      world.sql(
        "select d.user_id, n.data ->> 'job_id' as job from private.due_emails d join private.email_queue n using (id) where n.kind = 'job-namesake'",
      );
    const both = [fake.id, second.id].map((id) => ({ user_id: ada.id, job: String(id) }));
    expect(await told()).toEqual(expect.arrayContaining(both));
    await world.sql("delete from public.jobs where id = $1", [second.id]);
    await kim.post(`/jobs/${fake.id}/status`, { intent: "unpublish" });
    expect(await marked()).toEqual([]);
    expect(await told()).toEqual([]);
    // Also when it has the name again more than a week later.
    await world.sql(
      "update private.email_queue set created_at = created_at - interval '8 days' where kind = 'job-namesake'",
    );
    await kim.post(`/jobs/${fake.id}/status`, { intent: "republish" });
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    expect((await world.mailAbout(ada.email, "About a job listing")).text).toContain(
      "Someone else has published a job listing for a company with the name of your listing, “Riverbend Books”.",
    );
    // A job of another company is renamed once people see it.
    const renamed = await world.job({ owner: kim, title: "Renamed", ...live });
    expect(await told()).toEqual([]);
    await kim.post(`/jobs/${renamed.id}`, jobForm({ company_name: "Riverbend Books" }));
    expect(await told()).toHaveLength(1);
    // No one can see it.
    await kim.post(`/jobs/${renamed.id}/status`, { intent: "fill" });
    expect(await told()).toEqual([]);
  });

  it("that has the name of a listing is news to its owner once its author doesn’t own or manage that listing anymore", async () => {
    const [ada, kim, left, removed] = [
      await world.owner(),
      await world.owner(),
      await world.owner(),
      await world.owner(),
    ];
    const place = await world.listing({ owner: ada, name: "Juniper Dance" });
    for (const { id } of [left, removed])
      await world.insert("listing_managers", { place_id: place.id, profile_id: id });
    const named = { ...live, company_name: "Juniper Dance" };
    const byManagers = await Promise.all([
      world.job({ owner: left, title: "By one who leaves", ...named }),
      world.job({ owner: removed, title: "By one who is removed", ...named }),
    ]);
    const byOwner = await world.job({ owner: ada, title: "By the owner", ...named });
    await world.job({ owner: removed, title: "Of another company", ...live });
    const told = async ({ id }: Member) =>
      (
        await world.sql(
          "select n.data ->> 'job_id' as job from private.due_emails d join private.email_queue n using (id) where n.kind = 'job-namesake' and d.user_id = $1",
          [id],
        )
      )
        .map(({ job }) => Number(job))
        .sort((a, b) => a - b);
    expect(await told(ada)).toEqual([]);
    await left.post(`/listings/${place.id}/leave`, { intent: "leave" });
    await ada.post(`/listings/${place.id}/managers`, { intent: "remove", person: removed.id });
    expect(await told(ada)).toEqual(byManagers.map(({ id }) => id).sort((a, b) => a - b));
    // The next owner reads about the job of the former one, which isn't one of the listing's.
    await world.sql("update public.places set owner = $1 where id = $2", [kim.id, place.id]);
    expect(await told(kim)).toEqual([byOwner.id]);
    expect(await told(ada)).toEqual([]);
    // So does one who gets it after the account of a former owner was deleted.
    const orphan = await world.listing({ owner: ada, name: "Larch Dance" });
    const leftBehind = await world.job({ owner: ada, ...live, company_name: "Larch Dance" });
    await world.sql("select private.erase_user($1)", [ada.id]);
    expect(await told(kim)).toEqual([byOwner.id]);
    await world.sql("update public.places set owner = $1 where id = $2", [kim.id, orphan.id]);
    expect(await told(kim)).toEqual([byOwner.id, leftBehind.id]);
  });

  it("that takes the name of a listing again and again, but not while emails are sent, is news to its owner all the same", async () => {
    const [ada, kim] = [await world.owner(), await world.owner()];
    await world.listing({ owner: ada, name: "Alder Cinema" });
    const { id } = await world.job({ owner: kim, ...live });
    const rename = (company_name: string) => kim.post(`/jobs/${id}`, jobForm({ company_name }));
    const told = () =>
      world.sql(
        "select n.id from private.due_emails d join private.email_queue n using (id) where n.kind = 'job-namesake' and d.user_id = $1",
        [ada.id],
      );
    await rename("Alder Cinema");
    await rename("Another company");
    // By mistake, perhaps.
    expect(await told()).toEqual([]);
    await rename("Alder Cinema");
    await rename("Another company");
    expect(await told()).toHaveLength(1);
    await rename("Alder Cinema");
    expect(await told()).toHaveLength(1);
    await world.sql("delete from public.jobs where id = $1", [id]);
    expect(await told()).toEqual([]);
  });

  it("has no part in what a job’s author writes to owners: the email about their listing’s name quotes nothing of the job", async () => {
    const [ada, kim] = [await world.owner(), await world.owner()];
    await world.listing({ owner: ada, name: "Cedar Clinic" });
    await world.job({
      owner: kim,
      ...live,
      title: "Sign in at https://evil.example or we delete your listing",
      company_name: "CEDAR CLINIC",
    });
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const { text, html } = await world.mailAbout(ada.email, "About a job listing");
    for (const body of [text, html]) {
      expect(body).toContain("Cedar Clinic");
      expect(body).not.toMatch(/evil|CEDAR/);
    }
  });

  it("sees the owner of a job; no one else does", async () => {
    const [owned, posted, ownerless] = [
      await world.job({ owner: rosa }),
      await world.job({ owner: null, owner_email: "hiring@vets.example" }),
      await world.job({ owner: null }),
    ];
    const page = await admin.page(`/jobs/${owned.id}`);
    for (const text of ["Admin Only", "Job owner", "Rosa Mendez", "View profile"])
      expect(page).toSay(text);
    // No address is in the page, or in its data: not that of an account, and not the one that a job was posted with.
    for (const answer of [page, await admin.dataOf(`/jobs/${owned.id}`)])
      expect(answer.body).not.toContain(rosa.email);
    expect(await admin.page(`/jobs/${posted.id}`)).toSay("h•••@v•••.example (No user account)");
    for (const path of [`/jobs/${posted.id}`, `/jobs/${posted.id}/preview`])
      expect((await admin.dataOf(path)).body).not.toContain("hiring@vets.example");
    expect(await admin.page(`/jobs/${ownerless.id}`)).toSay("This job has no owner.");
    expect(await admin.page("/jobs/new")).toSay("Admin Only");
    const nameless = await world.admin();
    await nameless.post("/account", { email: nameless.email, full_name: "", phone_country: "US" });
    expect(await nameless.page("/")).toSay("Welcome");
    expect((await nameless.page("/jobs/new")).text).toContain("No name given");
    for (const path of [`/jobs/${owned.id}`, "/jobs/new"])
      expect(await rosa.page(path)).not.toSay("Admin Only");
  });

  it("finds a user, makes them the owner, and removes them, while the form keeps its values", async () => {
    const { id } = await world.job({ owner: rosa });
    const form = jobForm({
      title: "Half typed",
      intent: "findPerson",
      owner: rosa.id,
      owner_search: "sam riv",
    });
    const found = await admin.submit(`/jobs/${id}`, form);
    expect(found).toHaveStatus(200);
    expect(found.value("title")).toBe("Half typed");
    expect(found).toSay("Sam Rivera");
    expect(await world.row("jobs", id)).toMatchObject({ title: "Baker", owner: rosa.id });

    expect(
      await admin.post(`/jobs/${id}`, jobForm({ owner: sam.id, intent: "later" })),
    ).toRedirectTo("/admin/jobs");
    expect(await world.row("jobs", id)).toMatchObject({ owner: sam.id, owner_email: sam.email });
    expect(await admin.post(`/jobs/${id}`, jobForm({ owner: "", intent: "later" }))).toRedirectTo(
      "/admin/jobs",
    );
    expect(await world.row("jobs", id)).toMatchObject({ owner: null, owner_email: null });
    // After another error, the selection is still there.
    const refused = await admin.submit(
      `/jobs/${id}`,
      jobForm({ title: "", owner: sam.id, owner_search: "sam riv" }),
    );
    expect(refused.body).toMatch(
      new RegExp(`checked=""[^>]*value="${sam.id}"|value="${sam.id}"[^>]*checked=""`),
    );
    const nobody = await admin.submit(`/jobs/${id}`, jobForm({ title: "", owner: "" }));
    expect(nobody.body).toMatch(
      /name="owner"[^>]*checked=""[^>]*value=""|checked=""[^>]*name="owner"[^>]*value=""|name="owner" value="" checked=""/,
    );
  });

  it("makes someone the owner whose email address isn’t confirmed, without that address", async () => {
    const { id } = await world.job({ owner: rosa });
    const unconfirmed = await world.owner();
    await world.sql("update auth.users set email_confirmed_at = null where id = $1", [
      unconfirmed.id,
    ]);
    await admin.post(`/jobs/${id}`, jobForm({ owner: unconfirmed.id, intent: "later" }));
    expect(await world.row("jobs", id)).toMatchObject({ owner: unconfirmed.id, owner_email: null });
  });

  it("marks someone who signed up with another person’s name, and the one whose address was typed", async () => {
    const { id } = await world.job({ owner: rosa });
    const email = `sam.look-alike@${sam.email.split("@")[1]}`;
    await world.anonymous().post("/signup", {
      email,
      password: "correct horse 42 staples",
      full_name: "Sam Rivera",
    });
    const find = async (owner_search: string) =>
      (await admin.submit(`/jobs/${id}`, jobForm({ intent: "findPerson", owner_search }))).text;
    expect((await find("sam riv")).match(/Sam Rivera (Not confirmed\. This may be)?/g)).toEqual([
      "Sam Rivera ",
      "Sam Rivera Not confirmed. This may be",
    ]);
    expect(await find(sam.email)).toContain("exact match for your search");
    await world.sql("delete from auth.users where email = $1", [email]);
  });

  it("isn’t misled by what people write about themselves: each found person has or hasn’t the address that was typed", async () => {
    const { id } = await world.job({ owner: null });
    const posing = await world.owner({ fullName: "Sam Rivera" });
    await world.sql(
      "update public.profiles set pronouns = 'exact match for your search', full_name = $2 where id = $1",
      [posing.id, posing.email],
    );
    const find = async (owner_search: string) =>
      (await admin.submit(`/jobs/${id}`, jobForm({ intent: "findPerson", owner_search }))).text;
    // A part of the address: it is not the one that was typed.
    const similar = await find(posing.email.slice(0, -1));
    expect(similar).toContain("This isn’t the email address you searched for.");
    expect(similar).toMatch(/Pronouns: .?exact match for your search/);
    expect(await find(posing.email)).toContain("This is an exact match for your search.");
    const byId = await find(posing.id);
    expect(byId).toContain("Pronouns:");
    expect(byId).not.toMatch(/you searched for|is an exact match/);
  });

  it("keeps the email address of a job without an account", async () => {
    const { id } = await world.job({ owner: null, owner_email: "hiring@vets.example" });
    await admin.post(`/jobs/${id}`, jobForm({ owner: "", intent: "later" }));
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Pastry chef",
      owner_email: "hiring@vets.example",
    });
    const gone = await admin.post(
      `/jobs/${id}`,
      jobForm({ owner: "00000000-0000-4000-8000-000000000000", intent: "later" }),
    );
    expect(gone).toBeRefusedWith(/no longer exists/, { field: "owner" });
  });
});

describe("an admin who edits a job of someone else", () => {
  const { stripe } = world;
  const sessionAt = (checkout: string) =>
    stripe.session(new URL(checkout).pathname.split("/").at(-1)!);
  /** The checkout that its owner has opened for a job. */
  async function openCheckout(owner: Member, { id }: { id: number }, intent = "pay") {
    const { location } = await owner.submit(`/jobs/${id}/status`, { intent });
    expect(location).toContain(stripe.url);
    return location!;
  }

  it("comes back to the list, and reads that its owner still has to pay", async () => {
    const { id } = await world.job({ owner: rosa });
    const page = await admin.page(`/jobs/${id}`);
    expect(page).toSay("Save Updates");
    expect(page).not.toSay("Save and pay");
    expect(await admin.page(`/jobs/${id}/status`)).not.toSay("once you pay");
    for (const intent of ["save", "later"]) {
      const title = `Corrected, ${intent}`;
      expect(await admin.post(`/jobs/${id}`, jobForm({ title, intent }))).toRedirectTo(
        "/admin/jobs",
      );
      expect(await admin.page("/admin/jobs")).toSay(
        "Job saved. It goes live once its owner pays for it.",
      );
    }
    expect(await world.row("jobs", id)).toMatchObject({ title: "Corrected, later" });
    expect(await world.sql("select from public.orders where job_id = $1", [id])).toEqual([]);
    // What they give away isn't theirs to pay for, either.
    const own = await world.job({ owner: admin });
    expect(await admin.page(`/jobs/${own.id}`)).toSay("Save and pay");
    await admin.post(`/jobs/${own.id}`, jobForm({ owner: sam.id, intent: "save" }));
    expect(await admin.page("/admin/jobs")).toSay("once its owner pays for it.");
    await admin.post(`/jobs/${own.id}`, jobForm({ owner: "", intent: "save" }));
    expect(await admin.page("/admin/jobs")).toSay(
      "Job saved. It isn’t paid for, and has no owner who could pay.",
    );
    // And what they take is: they haven't read the price.
    expect(
      await admin.post(`/jobs/${own.id}`, jobForm({ owner: admin.id, intent: "save" })),
    ).toRedirectTo("/admin/jobs");
    expect(await admin.page("/admin/jobs")).toSay("Job saved. It goes live once you pay.");
  });

  it("closes the checkout of its owner with the job that they take away, and not with another correction", async () => {
    for (const next of ["", sam.id]) {
      const [unpaid, renewed] = [
        await world.job({ owner: rosa }),
        await world.job({ owner: rosa, ...live }),
      ];
      const checkouts = [
        await openCheckout(rosa, unpaid),
        await openCheckout(rosa, renewed, "renew"),
      ];
      for (const { id } of [unpaid, renewed])
        await admin.post(`/jobs/${id}`, jobForm({ title: "Corrected" }));
      for (const checkout of checkouts) expect(sessionAt(checkout).status).toBe("open");
      for (const { id } of [unpaid, renewed])
        await admin.post(`/jobs/${id}`, jobForm({ owner: next }));
      for (const checkout of checkouts) expect(sessionAt(checkout).status).toBe("expired");
    }
  });

  it("reads that a payment of the former owner’s is refunded", async () => {
    const { id } = await world.job({ owner: rosa });
    await stripe.pay(await stripe.acceptDebits(await openCheckout(rosa, { id })), {
      card: "debit",
    });
    const page = () => admin.page(`/jobs/${id}/status`);
    expect(await page()).toSay("A payment is on its way. The job goes live as soon as it arrives.");
    await admin.post(`/jobs/${id}`, jobForm({ owner: sam.id }));
    expect(await page()).not.toSay("goes live");
    expect(await page()).toSay(
      "No one can see this job. A payment from someone who doesn’t own the job is on its way. We’ll refund that payment when it arrives, unless an admin made it.",
    );
    await stripe.advanceClock(73 * 3_600_000);
    expect(await world.row("jobs", id)).toMatchObject({ paid: false });
    expect(await world.sql("select status from public.orders where job_id = $1", [id])).toEqual([
      { status: "refunded" },
    ]);
  });

  it("reads that a job stays live without an owner, and how to take it down; its former owner is told so, too", async () => {
    const place = await world.listing({ owner: rosa, name: "Rosa’s Table" });
    const { id } = await world.job({
      owner: rosa,
      place_id: place.id,
      company_name: null,
      company_bio: null,
      ...live,
    });
    const form = (columns: Record<string, string>) =>
      jobForm({ place_id: String(place.id), company_name: "", company_bio: "", ...columns });
    const isLive = async () =>
      (await world.sql("select from public.public_jobs where id = $1", [id])).length === 1;
    const removals = () =>
      world.supabase.mails.filter(
        ({ to, text }) => to === rosa.email && text.includes("has removed your job listing"),
      );
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    // Those of the tests before.
    await settleEmailDelivery();
    await deliverEmailQueue();
    const before = removals().length;
    expect(await admin.page(`/jobs/${id}/status`)).toSay(
      "Without an owner, it would stay live until you unpublish it.",
    );
    await admin.post(`/jobs/${id}`, form({ owner: "" }));
    expect(await isLive()).toBe(true);
    expect(await admin.page("/admin/jobs")).toSay(
      "Job saved. It has no owner, and stays live under the name “Rosa’s Table”. To take it down, unpublish it.",
    );
    expect(await admin.page(`/jobs/${id}/status`)).toSay("It has no owner.");
    await deliverEmailQueue();
    expect((await world.mailAbout(rosa.email, "About your job listing")).text).toContain(
      "People can still see it. If you want us to take it down, please get in touch.",
    );

    // Taken down before, nothing says that people see it.
    await admin.post(`/jobs/${id}`, form({ owner: rosa.id }));
    await admin.post(`/jobs/${id}/status`, { intent: "unpublish" });
    await admin.post(`/jobs/${id}`, form({ owner: "" }));
    expect(await isLive()).toBe(false);
    const list = await admin.page("/admin/jobs");
    expect(list).toSay("Job saved.");
    expect(list).not.toSay("stays live");
    await deliverEmailQueue();
    // (Other emails say that it was hers again, and unpublished.)
    await expect.poll(() => removals().length).toBe(before + 2);
    expect(removals().at(-1)!.text).not.toContain("still see it");
  });
});

it("an owner can neither search for users nor change the owner with a job's form", async () => {
  const { id } = await world.job({ owner: rosa });
  const answer = await rosa.post(
    `/jobs/${id}`,
    jobForm({ intent: "findPerson", owner_search: "sam" }),
  );
  expect(answer.data).toMatchObject({ found: null });
  expect(
    await rosa.post(
      `/jobs/${id}`,
      jobForm({ intent: "later", owner: sam.id, owner_email: sam.email }),
    ),
  ).toRedirectTo("/jobs");
  expect(await world.row("jobs", id)).toMatchObject({ owner: rosa.id, owner_email: rosa.email });
});
