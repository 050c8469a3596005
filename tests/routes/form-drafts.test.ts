/** What was typed into a form and not submitted: stored for its user alone, offered back, and gone once it is sent. */
import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { jobForm, listingForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const OFFER = "You have changes that weren’t submitted";
const draftsOf = ({ id }: Member) =>
  world.sql(
    "select form, expires, fields from public.listing_drafts where owner = $1 order by created_at",
    [id],
  ) as Promise<{ form: string | null; expires: boolean; fields: Record<string, string> }[]>;
const stashed = async () => (await world.sql("select id from public.form_stash")).length;

/** An owner with a listing, and the page of its form. */
async function editing() {
  const owner = await world.owner();
  const listing = await world.listing({ owner, status: "new", name: "Saved Name", phone: null });
  return { owner, id: listing.id, page: `/listings/${listing.id}` };
}

/** When what was typed was saved: a week later, it is deleted. */
const savedAt = ({ id }: Member, time: string) =>
  world.sql(`do $$ begin
    set local session_replication_role = replica;
    update public.listing_drafts set updated_at = '${time}' where owner = '${id}';
  end $$`);

/** What a form sends when nothing was typed. */
const savedIn = async (owner: Member, page: string) =>
  ((await owner.get(page)).data as { saved: Record<string, string> }).saved;

/** The hidden fields by which a form is known. (The button that discards a draft, before it, has the draft's.) */
const idOf = ({ body }: Answer) =>
  Object.fromEntries(
    [...body.matchAll(/name="(submission_id|replaces|tab)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    ),
  );

/** Sends what script sends while someone types. */
const type = (owner: Member, page: string, fields: Record<string, unknown>) =>
  owner.post(`/drafts?form=${page}`, fields as Record<string, string>);

describe("an edit that is typed and not submitted", () => {
  it("is stored, offered in words with its time, and continued or discarded", async () => {
    const { owner, id, page } = await editing();
    expect(await owner.page(page)).not.toSay(OFFER);
    const typed = { name: "Typed Name", phone: "(505) 555", bipoc_owned: "on", version: "1" };
    expect(await type(owner, page, typed)).toHaveStatus(204);

    const offer = await owner.page(page);
    expect(offer).toSay(OFFER);
    expect(offer).toSay("Only you can see them. Until you choose, no new draft is saved.");
    expect(offer.text).toMatch(
      /They were saved on \w+ \d+, \d{4}, \d+:\d\d [AP]M UTC, and we’ll keep them until \w+ \d+\./,
    );
    // In Los Angeles, that was December 1, and a week later it is deleted on December 8, in the afternoon.
    await savedAt(owner, "2026-12-02T01:05:00Z");
    expect(await owner.page(page)).toSay("we’ll keep them until Dec 7.");
    expect(offer.value("name")).toBe("Saved Name");
    // Nothing replaces it until it is continued or discarded.
    expect(offer.body).toContain('data-unsaved="warn"');

    const continued = await owner.page(`${page}?continue`);
    expect(continued).not.toSay(OFFER);
    expect(continued.value("name")).toBe("Typed Name");
    expect(continued.value("phone")).toBe("(505) 555");
    expect(continued.body).toContain(`data-unsaved="/drafts?form=${page}"`);
    expect(await world.row("places", id)).toMatchObject({ name: "Saved Name" });

    expect(await owner.post(page, { intent: "discardDraft" })).toRedirectTo(page);
    expect(await draftsOf(owner)).toEqual([]);
    expect(await owner.page(page)).not.toSay(OFFER);
  });

  it("replaces the earlier one, and emptied fields stay empty", async () => {
    const { owner, page } = await editing();
    await type(owner, page, { name: "First", description: "Typed" });
    await type(owner, page, { name: "Second", description: "" });
    expect(await draftsOf(owner)).toEqual([
      { form: page, expires: true, fields: { name: "Second" } },
    ]);
    expect((await owner.page(`${page}?continue`)).value("description") ?? "").toBe("");
  });

  it("stays when a form is submitted that was shown beside it, or opened before it was saved", async () => {
    const { owner, id, page } = await editing();
    const [before, mine] = [await owner.page(page), await owner.page(page)];
    await owner.post(page, { ...idOf(mine), description: "Long and new.", intent: "draft" });
    const beside = await owner.page(page);
    expect(beside).toSay("we’ll keep them until");

    for (const [version, opened] of [before, beside].entries()) {
      const typed = listingForm({
        ...idOf(opened),
        phone: `+1 505 555 010${version}`,
        version: "1",
      });
      const saved = await owner.post(page, { ...typed, version: String(version + 1) });
      expect(saved.status).toBe(303);
      expect(await draftsOf(owner)).toMatchObject([{ fields: { description: "Long and new." } }]);
    }
    const continued = await owner.page(`${page}?continue`);
    expect(continued.value("submission_id")).toBe(mine.value("submission_id"));
    const last = listingForm({ ...idOf(continued), description: "Long and new.", version: "3" });
    expect((await owner.submit(page, { ...last, name: "" })).value("submission_id")).toBe(
      mine.value("submission_id"),
    );
    expect((await owner.post(page, last)).status).toBe(303);
    expect(await world.row("places", id)).toMatchObject({ description: "Long and new." });
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("is not replaced by a form in another tab, which says so", async () => {
    const { owner, page } = await editing();
    const [one, other] = [await owner.page(page), await owner.page(page)];
    expect(await type(owner, page, { ...idOf(one), name: "One" })).toHaveStatus(204);
    expect(await type(owner, page, { ...idOf(one), name: "One and more" })).toHaveStatus(204);
    const refused = await type(owner, page, { ...idOf(other), name: "Other" });
    expect(refused).toHaveStatus(400);
    expect(refused.body).toMatch(
      /^What you type isn’t saved as a draft, because you already have another draft/,
    );
    const later = await owner.post(page, { ...idOf(other), name: "Other", intent: "draft" });
    expect(later).toHaveStatus(400);
    expect(later.errors[""]).toEqual([expect.stringMatching(/another draft of this form/)]);
    expect(later.kept).toMatchObject({ name: "Other" });
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "One and more" } }]);
  });

  it("is not replaced by its first form once it was continued in another tab, such as on a phone", async () => {
    const { owner, page } = await editing();
    const laptop = idOf(await owner.page(page));
    expect(await type(owner, page, { ...laptop, name: "On a laptop" })).toHaveStatus(204);
    const phone = idOf(await owner.page(`${page}?continue`));
    for (const name of ["On a phone", "On a phone, and more"])
      expect(await type(owner, page, { ...phone, name })).toHaveStatus(204);
    const refused = await type(owner, page, { ...laptop, name: "On a laptop again" });
    expect(refused).toHaveStatus(400);
    expect(refused.body).toMatch(
      /^What you type isn’t saved as a draft, because you already have another draft/,
    );
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "On a phone, and more" } }]);
    const failed = await owner.submit(`${page}?continue`, { ...phone, name: "" });
    expect(idOf(failed)).toMatchObject(phone);
    const again = idOf(await owner.page(`${page}?continue`));
    expect(await type(owner, page, { ...again, name: "On a laptop once more" })).toHaveStatus(204);
    expect(await type(owner, page, { ...phone, name: "Too late" })).toHaveStatus(400);
  });

  it("that was typed back to what is saved makes room for the next one", async () => {
    const { owner, page } = await editing();
    await type(owner, page, { ...idOf(await owner.page(page)), ...(await savedIn(owner, page)) });
    const [one, other] = [await owner.page(page), await owner.page(page)];
    expect(one).not.toSay(OFFER);
    expect(await type(owner, page, { ...idOf(one), name: "One" })).toHaveStatus(204);
    expect(await type(owner, page, { ...idOf(other), name: "Other" })).toHaveStatus(400);
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "One" } }]);
  });

  it("that was typed back to what is saved, and typed into again since, stays", async () => {
    const { owner, page } = await editing();
    const first = idOf(await owner.page(page));
    await type(owner, page, { ...first, ...(await savedIn(owner, page)) });
    const other = idOf(await owner.page(page));
    expect(other["replaces"]).toBeTruthy();
    await type(owner, page, { ...first, name: "Typed since" });
    expect(await type(owner, page, { ...other, name: "Other" })).toHaveStatus(400);
    // As a form of the previous release sent it: the id of the draft.
    const older = { ...other, replaces: first["submission_id"] };
    expect(await type(owner, page, { ...older, name: "Older" })).toHaveStatus(400);
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "Typed since" } }]);
  });

  it("is discarded by the button beside it, and not when it was saved anew since", async () => {
    const { owner, page } = await editing();
    await type(owner, page, { ...idOf(await owner.page(page)), name: "One" });
    const [draft] = await draftsOf(owner);
    const button = { submission_id: randomUUID(), intent: "discardDraft" };
    await owner.post(page, button);
    expect(await draftsOf(owner)).toEqual([draft]);
    const shown = (await owner.page(page)).body;
    const id = String(draft!.fields["submission_id"]);
    expect(shown).toContain(`name="submission_id" value="${id}"`);
    await owner.post(page, { ...button, submission_id: id });
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("is gone once it is submitted, and stays while the form has errors", async () => {
    const { owner, id, page } = await editing();
    const typed = listingForm({ name: "Now Submitted", version: "1" });
    await type(owner, page, typed);
    expect(await owner.post(page, { ...typed, name: "" })).toHaveStatus(400);
    expect(await draftsOf(owner)).toHaveLength(1);
    expect((await owner.post(page, typed)).status).toBe(303);
    expect(await world.row("places", id)).toMatchObject({ name: "Now Submitted" });
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("is not offered when it is what is saved, such as one that arrives after the form", async () => {
    const { owner, page } = await editing();
    const typed = listingForm({ name: "Late", version: "1" });
    await owner.post(page, typed);
    await type(owner, page, typed);
    expect(await owner.page(page)).not.toSay(OFFER);
  });

  it("meets the version conflict when the listing was changed since", async () => {
    const { owner, id, page } = await editing();
    await type(owner, page, listingForm({ name: "Mine", version: "1" }));
    await world.sql("update public.places set name = 'Theirs' where id = $1", [id]);
    const continued = await owner.page(`${page}?continue`);
    expect(continued.value("version")).toBe("1");
    const sent = await owner.post(page, listingForm({ name: "Mine", version: "1" }));
    expect(sent).toHaveStatus(409);
    expect(await draftsOf(owner)).toHaveLength(1);
  });

  it("is saved by a button without script, and the listing is unchanged", async () => {
    const { owner, id, page } = await editing();
    expect(await owner.page(page)).toSay("Finish later");
    const saved = await owner.post(page, { name: "By Hand", version: "1", intent: "draft" });
    expect(saved).toRedirectTo("/listings");
    expect(await owner.page("/listings")).toSay("Draft saved. We’ll keep it for a week.");
    expect((await owner.page(`${page}?continue`)).value("name")).toBe("By Hand");
    expect(await world.row("places", id)).toMatchObject({ name: "Saved Name" });
  });

  it("comes back in the form with the reason when it is too long for a draft", async () => {
    const { owner, page } = await editing();
    const long = { name: "Long", description: "é".repeat(40_000), version: "1" };
    const response = await owner.post(page, { ...long, intent: "draft" });
    expect(response).toHaveStatus(400);
    expect(response.errors[""]).toEqual([expect.stringMatching(/too long to save as a draft/)]);
    expect(response.kept).toMatchObject({ name: "Long" });
    const typed = await type(owner, page, long);
    expect(typed).toHaveStatus(400);
    expect(typed.body).toMatch(/^This is too long to save as a draft/);
  });

  it("belongs to no one else, not even to an admin", async () => {
    const { owner, page } = await editing();
    await type(owner, page, { name: "Private Thoughts", version: "1" });
    const admin = await world.admin();
    expect(await admin.page(page)).not.toSay(OFFER);
    expect((await admin.page(`${page}?continue`)).body).not.toContain("Private Thoughts");
    await admin.post(page, { intent: "discardDraft" });
    expect(await draftsOf(owner)).toHaveLength(1);
  });

  it("says in words how long to wait when it is saved too often, and is stored again after that", async () => {
    const { owner, page } = await editing();
    const { owner: other, page: otherPage } = await editing();
    expect(await type(owner, page, { name: "First" })).toHaveStatus(204);
    await world.sql("update public.rate_limits set hits = 400");
    const refused = await type(owner, page, { name: "Too often" });
    expect(refused).toHaveStatus(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(refused.body).toBe("We couldn’t save a draft. Please wait 15 minutes and try again.");
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "First" } }]);
    expect(await type(other, otherPage, { name: "Theirs" })).toHaveStatus(204);
    await world.sql("update public.rate_limits set resets_at = now()");
    expect(await type(owner, page, { name: "Later" })).toHaveStatus(204);
  });

  it("is not among the drafts of new listings", async () => {
    const { owner, page } = await editing();
    await type(owner, page, { name: "An Edit, Not A Listing", version: "1" });
    expect((await owner.page("/listings")).text).not.toContain("An Edit, Not A Listing");
    expect((await owner.page("/listings/new")).text).not.toContain("An Edit, Not A Listing");
  });
});

describe("a job that is typed and not submitted", () => {
  it("is offered, continued, and gone once it is sent: an edit", async () => {
    const owner = await world.owner();
    const id = 1_000 + Math.floor(Math.random() * 1e6);
    await world.sql(
      `insert into public.jobs (id, title, category, description, location, company_name, company_bio, owner)
      overriding system value values ($1, 'Baker', 85, 'Bake.', '{Oregon}', 'X', 'Y', $2)`,
      [id, owner.id],
    );
    const page = `/jobs/${id}`;
    const opened = await owner.page(page);
    expect(opened).not.toSay(OFFER);
    const typed = jobForm({ ...idOf(opened), title: "Typed Title", version: "1", intent: "" });
    expect(await type(owner, page, typed)).toHaveStatus(204);
    expect(await owner.page(page)).toSay(OFFER);
    expect((await owner.page(`${page}?continue`)).value("title")).toBe("Typed Title");
    expect((await owner.post(page, { ...typed, intent: "later" })).status).toBe(303);
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("is stored under the id of its form, offered by name, and gone once it is sent: a new one", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    const typed = jobForm({ title: "Typed Title", submission_id: id, intent: "" });
    expect(await type(owner, "/jobs/new", typed)).toHaveStatus(204);
    const fresh = await owner.page("/jobs/new");
    expect(fresh).toSay("You have a job that wasn’t submitted Only you can see it.");
    expect(fresh).toSay("“Typed Title” was saved on");
    expect(fresh.body).toContain(`href="/jobs/new?draft=${id}"`);
    expect(fresh.value("title") ?? "").toBe("");
    expect(fresh.body).toContain('data-unsaved="/drafts?form=/jobs/new"');

    const own = await owner.page(`/jobs/new?draft=${id}`);
    expect(own).not.toSay("wasn’t submitted");
    expect(own.value("title")).toBe("Typed Title");
    expect((await owner.post("/jobs/new", { ...typed, intent: "later" })).status).toBe(303);
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("stays when another job is submitted, and both of two tabs stay until each is submitted or discarded", async () => {
    const owner = await world.owner();
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
    const form = (title: string, submission_id: string, intent: string) =>
      jobForm({ title, description: `${title}.`, submission_id, intent });
    const titles = async () => (await draftsOf(owner)).map(({ fields }) => fields["title"]);
    await owner.post("/jobs/new", form("Baker", a, "draft"));
    await owner.post("/jobs/new", form("Driver", b, "draft"));
    expect(await titles()).toEqual(["Baker", "Driver"]);
    const fresh = await owner.page("/jobs/new");
    expect(fresh).toSay("You have 2 jobs that weren’t submitted");
    for (const title of ["Baker", "Driver"])
      expect(fresh.text).toMatch(new RegExp(`“${title}” was saved on .* we’ll keep it until`));

    await owner.post("/jobs/new", form("Cook", c, "later"));
    expect(await titles()).toEqual(["Baker", "Driver"]);
    await owner.post("/jobs/new", form("Driver", b, "later"));
    expect(await titles()).toEqual(["Baker"]);
    expect(
      await owner.post("/jobs/new", { submission_id: a, intent: "discardDraft" }),
    ).toRedirectTo("/jobs/new");
    expect(await titles()).toEqual([]);
  });

  it("stays when the previous release has kept it, until it is submitted", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    const typed = jobForm({ title: "Kept Before", submission_id: id });
    await world.sql(
      "insert into public.listing_drafts (owner, form, fields) values ($1, '/jobs/new', $2)",
      [owner.id, JSON.stringify(typed)],
    );
    expect(await owner.page("/jobs/new")).toSay("“Kept Before” was saved on");
    expect((await owner.page(`/jobs/new?draft=${id}`)).value("title")).toBe("Kept Before");
    await type(owner, "/jobs/new", { ...typed, title: "Typed On" });
    expect(await draftsOf(owner)).toMatchObject([{ fields: { title: "Typed On" } }]);
    expect((await owner.post("/jobs/new", { ...typed, intent: "later" })).status).toBe(303);
    expect(await draftsOf(owner)).toEqual([]);
  });

  it("is not stored again after it was submitted, unless the form was opened again since", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    const typed = jobForm({ submission_id: id, intent: "later" });
    expect((await owner.page(`/jobs/new?draft=${id}`)).value("corrects")).toBeUndefined();
    await owner.post("/jobs/new", typed);
    // It was on its way when the form was sent.
    expect(await type(owner, "/jobs/new", { ...typed, title: "Half" })).toHaveStatus(400);
    expect(await draftsOf(owner)).toEqual([]);
    expect(await owner.page("/jobs/new")).not.toSay("wasn’t submitted");

    const corrects = (await owner.page(`/jobs/new?draft=${id}`)).value("corrects")!;
    const more = { ...typed, title: "Corrected", corrects };
    expect(await type(owner, "/jobs/new", more)).toHaveStatus(204);
    expect(await owner.page("/jobs/new")).toSay("“Corrected” was saved on");
    expect((await owner.post("/jobs/new", more)).status).toBe(303);
    expect(await draftsOf(owner)).toEqual([]);
    expect(await world.sql("select title from public.jobs where owner = $1", [owner.id])).toEqual([
      { title: "Corrected" },
    ]);
  });

  it("is found in its address in capitals, too, and stored under the same id", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    const opened = await owner.page(`/jobs/new?draft=${id.toUpperCase()}`);
    expect(opened.value("submission_id")).toBe(id);
    for (const submission_id of [id.toUpperCase(), id]) {
      const typed = { submission_id, title: `Typed ${submission_id}` };
      expect(await type(owner, "/jobs/new", typed)).toHaveStatus(204);
      expect(await draftsOf(owner)).toMatchObject([
        { form: `/jobs/new?draft=${id}`, fields: { ...typed, submission_id: id } },
      ]);
    }
    const own = await owner.page(`/jobs/new?draft=${id.toUpperCase()}`);
    expect(own).not.toSay("wasn’t submitted");
    expect(own.value("title")).toBe(`Typed ${id}`);
  });

  it("of a form that led to a newer version of its job is gone once it is sent there", async () => {
    const owner = await world.owner();
    const form = jobForm({ submission_id: randomUUID(), intent: "later" });
    await owner.post("/jobs/new", form);
    await world.sql("update public.jobs set description = 'Newer.' where owner = $1", [owner.id]);
    const [job] = await world.sql("select id from public.jobs where owner = $1", [owner.id]);
    const page = `/jobs/${String(job!.id)}`;
    const typed = { ...form, city: "Bend", corrects: "yes" };
    await type(owner, "/jobs/new", typed);
    expect(await owner.post("/jobs/new", typed)).toHaveStatus(409);
    const both = await owner.submit(page, { ...typed, version: "1" });
    expect(both.value("submission_id")).toBe(form.submission_id);
    expect(await draftsOf(owner)).toHaveLength(1);
    await type(owner, page, { ...typed, version: both.value("version")! });
    expect(await draftsOf(owner)).toHaveLength(2);
    expect((await owner.post(page, { ...typed, version: both.value("version")! })).status).toBe(
      303,
    );
    expect(await draftsOf(owner)).toEqual([]);
  });
});

describe("a new listing that is typed and not submitted", () => {
  it("is stored under the id of its form, for a week, and offered by name", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    expect(await owner.page("/listings/new")).not.toSay("wasn’t submitted");
    const sent = await owner.post("/drafts", { name: "Half Typed", submission_id: id });
    expect(sent).toHaveStatus(204);
    expect(await draftsOf(owner)).toEqual([
      { form: null, expires: true, fields: { name: "Half Typed" } },
    ]);
    const fresh = await owner.page("/listings/new");
    expect(fresh).toSay("You have a listing that wasn’t submitted Only you can see it.");
    expect(fresh).toSay("“Half Typed” was saved on");
    expect(fresh.body).toContain(`href="/listings/new?draft=${id}"`);
    expect(fresh.value("name") ?? "").toBe("");

    const own = await owner.page(`/listings/new?draft=${id}`);
    expect(own).not.toSay("wasn’t submitted");
    expect(own.value("name")).toBe("Half Typed");
  });

  it("stays for good once its user has asked to save it", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    const fields = { name: "Wanted", submission_id: id };
    await owner.post("/drafts", fields);
    await owner.post("/listings/new", { ...fields, intent: "draft" });
    expect(await draftsOf(owner)).toMatchObject([{ expires: false }]);
    await owner.post("/drafts", { ...fields, name: "Typed on" });
    expect(await draftsOf(owner)).toMatchObject([{ expires: false, fields: { name: "Typed on" } }]);
  });

  it("is not stored again after it was submitted", async () => {
    const owner = await world.owner();
    const fields = listingForm({ submission_id: randomUUID() });
    await owner.post("/listings/new", fields);
    expect(await owner.post("/drafts", fields)).toHaveStatus(400);
    expect(await draftsOf(owner)).toEqual([]);
  });
});

describe("storing while someone types", () => {
  it("has a limit of twenty drafts, which can all be saved again", async () => {
    const owner = await world.owner();
    for (let id = 1; id <= 20; id++)
      expect(await type(owner, `/listings/${id}`, { name: "One of twenty" })).toHaveStatus(204);
    const refused = await type(owner, "/listings/21", { name: "Too many" });
    expect(refused).toHaveStatus(400);
    expect(refused.body).toMatch(/^You have 20 drafts, which is the limit/);
    expect(await type(owner, "/listings/20", { name: "Again" })).toHaveStatus(204);
    expect(await draftsOf(owner)).toHaveLength(20);
  });

  it("stashes nothing when the session has ended", async () => {
    const { owner, page } = await editing();
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    const before = await stashed();
    const answer = await type(owner, page, { name: "Late", version: "1" });
    expect(answer.location).toMatch(/^\/login/);
    expect(await stashed()).toBe(before);
    expect(await draftsOf(owner)).toEqual([]);
  });

  it.each(["/account", "/listings/0", "/listings/1/../2", "//evil.example", "/jobs/new?x=1", ""])(
    "takes no form of another page: %s",
    async (page) => {
      const owner = await world.owner();
      const answer = await owner.post(`/drafts?form=${encodeURIComponent(page)}`, { name: "X" });
      expect(answer).toHaveStatus(400);
      expect(await draftsOf(owner)).toEqual([]);
    },
  );
});

describe("the id of a form for something new", () => {
  it.each(["/listings/new", "/jobs/new?like=1"])(
    "is in its address, so that Back finds the same one: %s",
    async (path) => {
      const owner = await world.owner();
      const opened = await owner.dataOf(path);
      expect(opened.status).toBe(202);
      const id = randomUUID();
      const address = `${path}${path.includes("?") ? "&" : "?"}draft=${id}`;
      for (const page of [await owner.page(address), await owner.page(address)])
        expect(page.value("submission_id")).toBe(id);
    },
  );

  it("stays the same when the form comes back with errors, also without it in the address", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    for (const path of ["/listings/new", `/listings/new?draft=${randomUUID()}`]) {
      const page = await owner.submit(path, { name: "Incomplete", submission_id: id });
      expect(page).toHaveStatus(400);
      expect(page.value("name")).toBe("Incomplete");
      expect(page.value("submission_id")).toBe(id);
    }
  });

  it("makes a draft that is saved again after Back the same draft", async () => {
    const owner = await world.owner();
    const first = await owner.page("/listings/new");
    const id = first.value("submission_id")!;
    const save = (name: string) =>
      owner.post("/listings/new", { name, submission_id: id, intent: "draft" });
    await save("Once");
    const again = await owner.page(`/listings/new?draft=${id}`);
    expect(again.value("submission_id")).toBe(id);
    await save("Twice");
    expect(await draftsOf(owner)).toMatchObject([{ fields: { name: "Twice" } }]);
  });
});

describe.each([
  { of: "listing", path: "/listings/new", at: "/drafts", field: "name" },
  { of: "job", path: "/jobs/new", at: "/drafts?form=/jobs/new", field: "title" },
])("a new $of that is typed and not submitted", ({ path, at, field }) => {
  it("is not replaced by its first form once it was continued in another tab, which says so", async () => {
    const owner = await world.owner();
    const url = `${path}?draft=${randomUUID()}`;
    const store = (fields: Record<string, string | undefined>) => owner.post(at, fields);
    const laptop = idOf(await owner.page(url));
    for (const typed of ["On a laptop", "On a laptop, and more"])
      expect(await store({ ...laptop, [field]: typed })).toHaveStatus(204);
    const phone = idOf(await owner.page(url));
    for (const typed of ["On a phone", "On a phone, and more"])
      expect(await store({ ...phone, [field]: typed })).toHaveStatus(204);

    const refused = await store({ ...laptop, [field]: "On a laptop again" });
    expect(refused).toHaveStatus(400);
    expect(refused.body).toMatch(
      /^What you type isn’t saved as a draft, because you already have another draft/,
    );
    const late = { ...laptop, [field]: "On a laptop again", intent: "draft" };
    const later = await owner.post(url, late as Record<string, string>);
    expect(later).toHaveStatus(400);
    expect(later.errors[""]).toEqual([expect.stringMatching(/another draft of this form/)]);
    expect(later.kept).toMatchObject({ [field]: "On a laptop again" });
    expect(await draftsOf(owner)).toMatchObject([{ fields: { [field]: "On a phone, and more" } }]);
    const done = { ...phone, [field]: "Done on the phone", intent: "draft" };
    expect((await owner.post(url, done as Record<string, string>)).status).toBe(303);
    expect(await draftsOf(owner)).toMatchObject([{ fields: { [field]: "Done on the phone" } }]);
  });
});
