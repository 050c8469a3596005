import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { JOB_FIELD_NAMES, toJobFormValues, type JobField } from "~/modules/jobs/fields";

import { jobForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const NO_PERMISSION = "You do not have permission to edit this listing.";
const days = (n: number) => new Date(Date.now() + n * 24 * 60 * 60 * 1000).toISOString();
const live = { paid: true, published: true, expiration_date: days(20) };

/** Sends forms that are rejected, and so has no jobs. */
const ownerWithoutJobs = await world.owner();

const jobsOf = (person: Member) =>
  world.sql("select * from public.jobs where owner = $1 order by id", [person.id]);

/** A job's form as a browser sends it when nothing was changed. */
async function readForm(person: Member, id: number): Promise<Record<string, string | string[]>> {
  const { saved, job } = (await person.get(`/jobs/${id}`)).data as {
    saved: Record<JobField, string | string[]>;
    job: { version: number };
  };
  const boxes = ["queer_owned", "ally_owned", "remote", "full_time", "part_time", "contract"];
  const sent = JOB_FIELD_NAMES.filter((name) => !(boxes.includes(name) && saved[name] === ""));
  return {
    ...Object.fromEntries(sent.map((name) => [name, saved[name]])),
    version: String(job.version),
    intent: "save",
  };
}

describe("a new job", () => {
  it("belongs to its author, unpaid and unpublished, and is listed when it is to be paid later", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    const form = jobForm({
      intent: "later",
      place_id: String(listing.id),
      company_name: "",
      company_bio: "",
      location: ["Oregon", "Anywhere"],
      city: "Portland",
      pay_range: "$23 an hour",
      url: "https://fern.example/jobs",
      full_time: "on",
      remote: "on",
      queer_owned: "on",
    });
    expect(await owner.post("/jobs/new", form)).toRedirectTo("/jobs");
    expect(await jobsOf(owner)).toMatchObject([
      {
        title: "Pastry chef",
        category: 85,
        location: ["Oregon", "Anywhere"],
        place_id: listing.id,
        company_name: null,
        full_time: true,
        remote: true,
        queer_owned: true,
        contract: false,
        paid: false,
        published: false,
        expiration_date: null,
        owner: owner.id,
        owner_email: owner.email,
      },
    ]);
    const list = await owner.page("/jobs");
    expect(list).toSay("Job saved. It goes live once you pay.");
    for (const text of [
      "Job Title",
      "Status",
      "Expiration Date",
      "Actions",
      "Pastry chef",
      "Pending payment",
      "Pay to activate listing",
    ])
      expect(list).toSay(text);
  });

  it("is saved without a configured Stripe account, and says so", async () => {
    const owner = await world.owner();
    expect(await owner.post("/jobs/new", jobForm())).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("Payments aren’t set up yet");
    expect(await jobsOf(owner)).toMatchObject([{ title: "Pastry chef", paid: false }]);
  });

  it("ignores fields that the form does not have", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await owner.post(
      "/jobs/new",
      jobForm({
        intent: "later",
        paid: "true",
        published: "on",
        expiration_date: days(400),
        owner: other.id,
        owner_email: other.email,
        id: "7",
        version: "9",
        filled_at: days(-1),
        "owner[id]": other.id,
        owner_search: "Sam",
      }),
    );
    expect(await jobsOf(other)).toEqual([]);
    expect(await jobsOf(owner)).toMatchObject([
      {
        paid: false,
        published: false,
        expiration_date: null,
        owner_email: owner.email,
        version: 1,
        filled_at: null,
      },
    ]);
  });

  it("reports all missing fields at once and keeps what was typed", async () => {
    const owner = await world.owner();
    const response = await owner.post("/jobs/new", {
      intent: "save",
      pay_range: "$20",
      ally_owned: "on",
    });
    expect(response).toHaveStatus(400);
    expect(Object.keys(response.errors).sort()).toEqual([
      "ally_safety",
      "category",
      "company_bio",
      "company_name",
      "description",
      "location",
      "title",
    ]);
    expect(response.kept).toMatchObject({ pay_range: "$20", ally_owned: "on" });
    expect(await jobsOf(owner)).toEqual([]);
  });

  it.each([
    [{ title: " " }, "title", "Enter the job title."],
    [{ title: "x".repeat(201) }, "title", "Use at most 200 characters."],
    [{ category: "" }, "category", "Choose a category."],
    [{ category: "1" }, "category", "Please choose a job category from the list."],
    [{ category: "40" }, "category", "Please choose a job category from the list."],
    [{ category: "999999" }, "category", "Please choose a job category from the list."],
    [{ category: "1e400" }, "category", "Choose a category."],
    [{ description: "" }, "description", "Describe the job."],
    [{ location: [] }, "location", "Choose at least one location."],
    [{ location: ["Atlantis"] }, "location[0]", "Choose locations from the list."],
    [{ url: "fern.example" }, "url", "Please be sure to include https:// in your link."],
    [{ url: "javascript:alert(1)" }, "url", "Please be sure to include https:// in your link."],
    [
      { company_name: " " },
      "company_name",
      "Enter the name of the company, or choose a business above.",
    ],
    [{ company_bio: "" }, "company_bio", "Tell people about the company."],
    [
      { place_id: "", company_name: "" },
      "company_name",
      "Enter the name of the company, or choose a business above.",
    ],
    [
      { place_id: "nonsense" },
      "place_id",
      "Choose your business, or “This business is not listed”.",
    ],
    [{ place_id: "-1" }, "place_id", "Choose your business, or “This business is not listed”."],
    [
      { ally_owned: "on" },
      "ally_safety",
      "Describe how your company supports queer and trans people.",
    ],
  ])("is rejected with %o", async (fields, field, message) => {
    expect(await ownerWithoutJobs.post("/jobs/new", jobForm(fields))).toBeRefusedWith(message, {
      field,
    });
    expect(await jobsOf(ownerWithoutJobs)).toEqual([]);
  });

  it("is rejected for someone else's listing and for one that does not exist", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner: other });
    for (const place_id of [String(listing.id), "123456789"]) {
      expect(await owner.post("/jobs/new", jobForm({ place_id }))).toBeRefusedWith(
        "Please choose one of your own listings.",
        { field: "place_id" },
      );
    }
    expect(await jobsOf(owner)).toEqual([]);
  });

  it("of a business that is not listed (0000), or without a selection, has no listing", async () => {
    const owner = await world.owner();
    for (const place_id of ["0000", ""])
      await owner.post("/jobs/new", jobForm({ place_id, intent: "later" }));
    expect(await jobsOf(owner)).toMatchObject([
      { place_id: null, company_name: "Fern & Flour" },
      { place_id: null },
    ]);
  });

  it("stores the safety text of an ally-owned company", async () => {
    const owner = await world.owner();
    await owner.post(
      "/jobs/new",
      jobForm({
        intent: "later",
        ally_owned: "on",
        ally_safety: "Names and pronouns are respected.",
      }),
    );
    expect(await jobsOf(owner)).toMatchObject([
      { ally_owned: true, ally_safety: "Names and pronouns are respected." },
    ]);
  });

  it("is one job when its form is sent twice, simultaneously, or again with a correction", async () => {
    const owner = await world.owner();
    const form = jobForm({ submission_id: randomUUID(), intent: "later" });
    const sent = await Promise.all(
      [owner.otherTab(), owner.otherTab(), owner.otherTab()].map((tab) =>
        tab.post("/jobs/new", form),
      ),
    );
    for (const response of sent) expect(response).toRedirectTo("/jobs");
    expect(
      await owner.post("/jobs/new", { ...form, title: "Pastry chef (corrected)" }),
    ).toRedirectTo("/jobs");
    expect(await jobsOf(owner)).toMatchObject([{ title: "Pastry chef (corrected)" }]);

    // A different job, typed after going back, is also one when it is sent twice.
    for (const tab of [owner.otherTab(), owner.otherTab()])
      await tab.post("/jobs/new", { ...form, title: "Driver", description: "Drive." });
    expect(await jobsOf(owner)).toMatchObject([
      { title: "Pastry chef (corrected)" },
      { title: "Driver" },
    ]);
  });

  it("that was edited since is not overwritten by its first form, which leads to both versions", async () => {
    const owner = await world.owner();
    const form = jobForm({ submission_id: randomUUID(), intent: "later" });
    await owner.post("/jobs/new", form);
    const [made] = await jobsOf(owner);
    const page = `/jobs/${String(made!.id)}`;
    const edit = { ...form, description: "New text.", version: "1" };
    expect((await owner.post(page, edit)).status).toBe(303);

    const typed = { ...form, pay_range: "$20 an hour" };
    const refused = await owner.submit(`/jobs/new?draft=${form.submission_id}`, typed);
    expect(refused).toHaveStatus(409);
    expect(refused).toSay("You’ve already submitted this job, and there’s a newer version");
    expect(refused.value("pay_range")).toBe("$20 an hour");
    expect(await jobsOf(owner)).toMatchObject([
      { version: 2, description: "New text.", pay_range: null },
    ]);
    expect(refused.body).toMatch(
      new RegExp(
        `newer version[^]*<button form="job" formAction="${page}" name="version" value="1"`,
        "i",
      ),
    );
    const both = await owner.submit(page, { ...typed, intent: "", version: "1" });
    expect(both).toHaveStatus(409);
    expect(both).toSay("Differences between the two versions");
    const chosen = {
      ...typed,
      version: both.value("version")!,
      choose_description: "saved",
      choose_pay_range: "mine",
    };
    expect((await owner.post(page, chosen)).status).toBe(303);
    expect(await jobsOf(owner)).toMatchObject([
      { description: "New text.", pay_range: "$20 an hour" },
    ]);
    // What is saved already is no conflict.
    expect((await owner.post("/jobs/new", { ...typed, description: "New text." })).status).toBe(
      303,
    );
  });

  it("offers the owner's listings and the job categories, by name", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await world.listing({ owner, name: "Zebra" });
    await world.listing({ owner, name: "Apple" });
    await world.listing({ owner, name: "Gone", status: "archived" });
    await world.listing({ owner: other, name: "Not Mine" });
    const { listings, categories } = (await owner.get("/jobs/new")).data as Record<
      "listings" | "categories",
      { id: number; name: string }[]
    >;
    expect(listings.map(({ name }) => name)).toEqual(["Apple", "Zebra"]);
    const names = categories.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const rows = await world.sql("select id from public.categories where parent_category = 40");
    expect(categories.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => Number(id)).sort());
  });

  it("that duplicates another has its values and is unpaid", async () => {
    const owner = await world.owner();
    const job = await world.job({
      ...live,
      owner,
      title: "Again & again",
      city: "Bend",
      full_time: true,
    });
    const page = await owner.page(`/jobs/new?like=${job.id}`);
    expect(page.value("title")).toBe("Again & again");
    expect(page.value("city")).toBe("Bend");
    expect(page.value("version")).toBeUndefined();
    const { like } = (await owner.get(`/jobs/new?like=${job.id}`)).data as {
      like: Record<string, string>;
    };
    await owner.post("/jobs/new", {
      ...like,
      submission_id: page.value("submission_id"),
      intent: "later",
    });
    expect(await jobsOf(owner)).toMatchObject([
      { paid: true },
      {
        title: "Again & again",
        full_time: true,
        paid: false,
        published: false,
        expiration_date: null,
      },
    ]);

    const other = await world.owner();
    expect((await other.page(`/jobs/new?like=${job.id}`)).value("title")).not.toBe("Again & again");
  });
});

describe("a job whose listing people can’t see", () => {
  it("says on each page of its owner that no one sees it, and why", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Quiet Café" });
    const { id } = await world.job({
      owner,
      ...live,
      place_id: listing.id,
      company_name: null,
      company_bio: null,
    });
    for (const path of ["/jobs", `/jobs/${id}`, `/jobs/${id}/status`, `/jobs/${id}/preview`])
      expect((await owner.page(path)).text).not.toMatch(/Not shown|isn’t public/);
    expect(await owner.page(`/jobs/${id}/preview`)).toSay("Quiet Café");

    await owner.post(`/listings/${listing.id}/visibility`, { intent: "hide" });
    const list = await owner.page("/jobs");
    expect(list).toSay("Not shown Its listing isn’t public, or has another owner.");
    expect(list).not.toSay("Published");
    for (const path of [`/jobs/${id}`, `/jobs/${id}/status`, `/jobs/${id}/preview`]) {
      const page = await owner.page(path);
      expect(page).toSay(
        "Its listing isn’t public, or belongs to someone else now, so we can’t show the job under its name.",
      );
      expect(page).toTakeAtMostSequentialCalls(2);
    }
    expect((await owner.page(`/jobs/${id}/preview`)).text).not.toContain("Quiet Café");
    expect((await owner.page(`/jobs/${id}/status`)).text).not.toContain("This job is live");
  });

  it("doesn’t go on under a name that it had before the listing was chosen", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Rosa’s Bakery" });
    const { id } = await world.job({ owner, ...live });
    const form = await readForm(owner, id);
    expect(form).toMatchObject({ place_id: "0000", company_name: "X", company_bio: "Y" });
    // The form doesn’t show these fields anymore, and sends them.
    expect(await owner.post(`/jobs/${id}`, { ...form, place_id: String(listing.id) })).toRedirectTo(
      "/jobs",
    );
    expect(await jobsOf(owner)).toMatchObject([{ company_name: null, company_bio: null }]);
    // Sent again after its answer was lost, it is no conflict.
    expect(await owner.post(`/jobs/${id}`, { ...form, place_id: String(listing.id) })).toRedirectTo(
      "/jobs",
    );
    const shown = () =>
      world.sql("select company_name from public.public_jobs where id = $1", [id]);
    expect(await shown()).toEqual([{ company_name: "Rosa’s Bakery" }]);

    expect(await owner.page(`/listings/${listing.id}/archive`)).toSay(
      "If you hide or remove this listing, 1 paid job for it won’t be shown",
    );
    await owner.post(`/listings/${listing.id}/visibility`, { intent: "hide" });
    expect(await shown()).toEqual([]);
    expect(await owner.page(`/listings/${listing.id}/visibility`)).toSay(
      "1 paid job for this listing isn’t shown right now",
    );
  });

  it("asks a previous owner of the listing who is hiring", async () => {
    const [owner, heir] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner, name: "Sold Café" });
    const { id } = await world.job({
      owner,
      place_id: listing.id,
      company_name: null,
      company_bio: null,
    });
    const paid = await world.job({ owner, ...live, place_id: listing.id, title: "Sold with it" });
    const form = await readForm(owner, id);
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, heir.id]);
    expect(await owner.post(`/jobs/${id}`, { ...form, title: "Newer" })).toBeRefusedWith(
      "Please choose one of your own listings.",
      { field: "place_id" },
    );
    const options = await owner.page(`/jobs/${id}/status`);
    expect(options).toSay("or belongs to someone else now, so we can’t show the job");
    expect(options).toSay("It can be paid for after that.");
    const list = await owner.page("/jobs");
    for (const page of [options, list])
      for (const words of ["It goes live once you pay.", "Pay to activate listing", "instead of"])
        expect(page).not.toSay(words);
    expect(list).toSay("Its listing isn’t public, or has another owner. Starts when you pay");
    expect(list).not.toSay("Sold with it");
    expect(await heir.page("/jobs")).toSay("Sold with it");
    expect(await heir.page(`/jobs/${paid.id}`)).toHaveStatus(200);
    expect(await owner.page(`/jobs/${paid.id}`)).toHaveStatus(404);
  });
});

describe("the price of a job", () => {
  it("is shown with the regular price and the number of days until it is paid", async () => {
    const owner = await world.owner();
    const unpaid = await world.job({ owner });
    const text = "A job costs $5 instead of $49 and is live for 45 days.";
    for (const path of ["/jobs/new", `/jobs/${unpaid.id}`, `/jobs/${unpaid.id}/status`]) {
      const page = await owner.page(path);
      expect(page).toSay(text);
      expect(page.body).toContain("<s>$49</s>");
    }
    const paid = await world.job({ owner, ...live });
    expect(await owner.page(`/jobs/${paid.id}`)).not.toSay("$49");
    expect(await owner.page(`/jobs/${paid.id}/status`)).toSay("Costs $5 and adds 45 days");
  });

  it("is hidden from the one configured account", async () => {
    const owner = await world.owner();
    const { env } = await import("~/env.server");
    env().jobPriceHiddenUser = owner.id;
    try {
      const jobs = [await world.job({ owner }), await world.job({ owner, ...live })];
      for (const path of [
        "/jobs/new",
        ...jobs.flatMap(({ id }) => [`/jobs/${id}`, `/jobs/${id}/status`]),
      ]) {
        expect((await owner.page(path)).text, path).not.toMatch(/\$5|\$49/);
      }
    } finally {
      env().jobPriceHiddenUser = null;
    }
  });
});

describe("an edit", () => {
  it("of a paid job returns to the list and keeps its expiration date", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, ...live });
    const before = await world.row("jobs", id);
    const form = await readForm(owner, id);
    expect(
      await owner.post(`/jobs/${id}`, {
        ...form,
        title: "Baker, nights",
        paid: "",
        published: "",
        expiration_date: "",
      }),
    ).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Baker, nights",
      version: 2,
      paid: true,
      published: true,
      expiration_date: before!["expiration_date"],
    });
  });

  it("without changes changes nothing", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    const { id } = await world.job({
      owner,
      ...live,
      place_id: listing.id,
      ally_owned: true,
      ally_safety: "Safe.",
      location: ["Oregon", "Quebec"],
    });
    const before = await world.row("jobs", id);
    expect(await owner.post(`/jobs/${id}`, await readForm(owner, id))).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toEqual(before);
  });

  it("keeps a saved location that is not in the list, but accepts no new one", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, location: ["OR", "Oregon"] });
    expect((await owner.page(`/jobs/${id}`)).body).toMatch(/checked=""[^>]*value="OR"/);
    const form = await readForm(owner, id);
    expect(await owner.post(`/jobs/${id}`, { ...form, intent: "later" })).toRedirectTo("/jobs");
    expect(
      await owner.post(`/jobs/${id}`, { ...form, location: ["WA"], intent: "later" }),
    ).toBeRefusedWith("Choose locations from the list.");
  });

  it("over a newer version is rejected, shows both, and lets the owner select field by field", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, ...live, title: "First", city: "Bend" });
    const mine = await readForm(owner, id);
    await owner.post(`/jobs/${id}`, { ...mine, title: "Theirs", city: "Salem" });

    const late = await owner.submit(`/jobs/${id}`, { ...mine, title: "Mine", city: "Eugene" });
    expect(late).toHaveStatus(409);
    for (const text of [
      "Theirs",
      "Mine",
      "Salem",
      "Eugene",
      "Differences between the two versions",
    ])
      expect(late).toSay(text);
    expect(late.value("title")).toBe("Mine");
    expect(await world.row("jobs", id)).toMatchObject({ title: "Theirs", version: 2 });

    const chosen = {
      ...mine,
      title: "Mine",
      city: "Eugene",
      version: late.value("version")!,
      choose_title: "saved",
      choose_city: "mine",
    };
    expect(await owner.post(`/jobs/${id}`, chosen)).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Theirs",
      city: "Eugene",
      version: 3,
    });
  });

  it("does not conflict with publishing or payment", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner });
    const form = await readForm(owner, id);
    await world.sql(
      "update public.jobs set paid = true, published = true, expiration_date = $2 where id = $1",
      [id, days(45)],
    );
    await owner.post(`/jobs/${id}/status`, { intent: "unpublish" });
    expect(await owner.post(`/jobs/${id}`, { ...form, title: "Changed" })).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Changed",
      paid: true,
      published: false,
    });
  });
});

describe("someone else's job", () => {
  it("gets the same response as one that does not exist", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { id } = await world.job({ owner: other, title: "Not Yours", ...live });
    const withoutIds = (text: string) =>
      text
        .replace(/[0-9a-f-]{36}/g, "")
        .replaceAll(String(id), "")
        .replaceAll("123456789", "");
    for (const page of ["", "/status", "/preview"]) {
      const [theirs, missing] = [
        await owner.page(`/jobs/${id}${page}`),
        await owner.page(`/jobs/123456789${page}`),
      ];
      expect(theirs).toBeNotFound();
      expect(theirs).toSay(NO_PERMISSION);
      expect(theirs.body).not.toContain("Not Yours");
      expect(withoutIds(theirs.text)).toBe(withoutIds(missing.text));
    }
    for (const form of [jobForm(), {}]) {
      expect(await owner.submit(`/jobs/${id}`, form)).toSay(NO_PERMISSION);
      expect(await owner.submit("/jobs/123456789", form)).toSay(NO_PERMISSION);
    }
    for (const intent of ["pay", "renew", "unpublish", "republish", "fill", "reopen"]) {
      expect(await owner.post(`/jobs/${id}/status`, { intent })).toBeNotFound();
    }
    expect(await world.row("jobs", id)).toMatchObject({
      title: "Not Yours",
      version: 1,
      owner: other.id,
      published: true,
      filled_at: null,
    });
  });

  it.each([
    "abc",
    "-1",
    "0",
    "1e3",
    "1.5",
    "%00",
    "1180591620717411303424",
    "9007199254740993",
    "null",
  ])("gets that response for the id %s", async (id) => {
    for (const page of ["", "/status", "/preview"])
      expect(await ownerWithoutJobs.get(`/jobs/${id}${page}`)).toBeNotFound();
    expect(await ownerWithoutJobs.post(`/jobs/${id}`, jobForm())).toBeNotFound();
    expect(
      await ownerWithoutJobs.post(`/jobs/${id}/status`, { intent: "unpublish" }),
    ).toBeNotFound();
  });
});

describe("a listing’s next owner", () => {
  it("has its paid jobs, and its former owner the ones that were never paid for", async () => {
    const [former, next] = [await world.owner(), await world.owner()];
    const { id: place_id } = await world.listing({ owner: former });
    const of = { owner: former, place_id, company_name: null, company_bio: null };
    const shown = await world.job({ ...of, title: "Night baker", ...live });
    await world.job({ ...of, title: "Cook of last year", ...live, expiration_date: days(-1) });
    const idea = await world.job({ ...of, title: "An idea" });
    await world.job({ owner: former, title: "Elsewhere", ...live });
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, place_id]);

    const theirs = await next.page("/jobs");
    expect(theirs).toSay("2 jobs");
    expect(theirs.text).toMatch(
      /Cook of last year Listing expired .* Renew listing .*Night baker Published .* Unpublish listing/,
    );
    expect(theirs).not.toSay("An idea");
    const left = await former.page("/jobs");
    expect(left).toSay("2 jobs");
    expect(left.text).toMatch(/Elsewhere Published .* An idea Pending payment/);
    expect(left).not.toSay("Night baker");
    expect(left).not.toSay("Cook of last year");

    // What each of them has is what they can change.
    for (const page of ["", "/status", "/preview"]) {
      expect(await next.page(`/jobs/${shown.id}${page}`)).toHaveStatus(200);
      expect(await former.page(`/jobs/${shown.id}${page}`)).toBeNotFound();
      expect(await next.page(`/jobs/${idea.id}${page}`)).toBeNotFound();
    }
    const unpublish = (by: Member) => by.post(`/jobs/${shown.id}/status`, { intent: "unpublish" });
    expect(await unpublish(former)).toBeNotFound();
    expect((await unpublish(next)).status).toBe(303);
    expect(await world.row("jobs", shown.id)).toMatchObject({ published: false });
  });
});

describe("an owner", () => {
  const change = (by: Member, id: number, intent: string) =>
    by.post(`/jobs/${id}/status`, { intent });

  it("sees the state of each job with a button for the next step", async () => {
    const owner = await world.owner();
    await world.job({ owner, title: "A" });
    await world.job({ owner, title: "B", ...live });
    await world.job({ owner, title: "C", ...live, published: false });
    await world.job({ owner, title: "D", ...live, expiration_date: days(-0.001) });
    const page = await owner.page("/jobs");
    for (const text of ["Pending payment", "Published", "Unpublished", "Listing expired"])
      expect(page).toSay(text);
    for (const name of [
      "Pay to activate listing: A",
      "Unpublish listing: B",
      "Republish listing: C",
      "Renew listing: D",
      "Edit: A",
      "More: A",
    ]) {
      expect(page.body).toContain(`aria-label="${name}"`);
    }
  });

  it("reads that there’s nothing to delete when the button is pressed twice, or the job is someone else’s", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { id } = await world.job({ owner, title: "Baker" });
    const removed = (by: Member) => by.submit(`/jobs/${id}/status`, { intent: "delete" });
    const GONE = "We couldn’t find that job among yours, so there’s nothing to delete.";
    expect(await removed(other)).toRedirectTo("/jobs");
    expect(await other.page("/jobs")).toSay(GONE);
    expect(await world.row("jobs", id)).toMatchObject({ title: "Baker" });
    expect(await removed(owner)).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("“Baker” has been deleted.");
    expect(await removed(owner)).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay(GONE);
  });

  it("unpublishes and republishes a job while it has days left", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, ...live });
    for (const [intent, published] of [
      ["unpublish", false],
      ["unpublish", false],
      ["republish", true],
      ["republish", true],
    ] as const) {
      expect(await change(owner, id, intent)).toRedirectTo("/jobs");
      expect(await world.row("jobs", id)).toMatchObject({ published });
    }
    expect(await owner.page("/jobs")).toSay("is published again");
  });

  it("is not said to be back when no one sees it", async () => {
    const owner = await world.owner();
    const place = await world.listing({ owner, hidden: true });
    const hiring = { place_id: place.id, company_name: null, company_bio: null };
    const { id } = await world.job({ owner, ...live, ...hiring });
    const answer = async (intent: string) => {
      await change(owner, id, intent);
      return owner.page("/jobs");
    };
    expect(await answer("republish")).toSay(
      "is published again. No one can see this job right now.",
    );
    await world.sql("update public.places set hidden = false where id = $1", [place.id]);
    await answer("fill");
    await answer("unpublish");
    expect(await answer("republish")).toSay("is published again. This job is filled, so no one");
    expect((await answer("reopen")).text).toMatch(/is open again\. (?!No one|This job)/);
  });

  it("can’t republish an unpaid or expired job", async () => {
    const owner = await world.owner();
    const unpaid = await world.job({ owner });
    const expired = await world.job({ owner, paid: true, expiration_date: days(-0.001) });
    for (const [job, reason] of [
      [unpaid, "This job isn’t paid for."],
      [expired, "This job listing has expired."],
    ] as const) {
      const page = await owner.submit(`/jobs/${job.id}/status`, { intent: "republish" });
      expect(page).toHaveStatus(409);
      expect(page).toSay(reason);
      expect(await world.row("jobs", job.id)).toMatchObject({ published: false });
    }
  });

  it("marks a job as filled and reopens it", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, ...live });
    expect(await change(owner, id, "fill")).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("Filled");
    expect(await owner.page(`/jobs/${id}/preview`)).toSay("No one can see this job right now.");
    expect(await change(owner, id, "reopen")).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toMatchObject({ filled_at: null });
    expect(await owner.page(`/jobs/${id}/preview`)).toSay(
      "Your job is live. This is what people see.",
    );
    await change(owner, id, "unpublish");
    expect(await change(owner, id, "fill")).toHaveStatus(409);
  });

  it("can’t do anything else", async () => {
    const owner = await world.owner();
    const { id } = await world.job({ owner, ...live });
    for (const intent of ["remove", "", "__proto__"])
      expect(await change(owner, id, intent)).toHaveStatus(400);
  });

  it("previews a job as the public sees it", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X", description: "Coffee for all." });
    const { id } = await world.job({
      owner,
      ...live,
      place_id: listing.id,
      pay_range: "$20",
      city: "Bend",
      full_time: true,
      ally_safety: "Not an ally, so not said.",
    });
    const page = await owner.page(`/jobs/${id}/preview`);
    for (const text of [
      "Baker",
      "Café X",
      "Coffee for all.",
      "$20",
      "Bend",
      "Oregon",
      "Full time",
      "Food and Hospitality",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("Not an ally");
    expect(page).not.toSay(owner.email);
  });

  it("starts with an empty list that says what to do", async () => {
    const owner = await world.owner();
    const page = await owner.page("/jobs");
    expect(page).toSay("Your job will be in the app, where people look");
    expect(page).toSay("Add New Job");
    expect(page.body).not.toContain("<table");
  });

  it("pages through jobs, with two sequential calls for each page", async () => {
    const owner = await world.owner();
    for (let n = 1; n <= 52; n++)
      await world.job({ owner, title: `Job ${n}`, created_at: days(-100 + n) });
    const first = await owner.page("/jobs");
    expect(first).toSay("52 jobs");
    expect(first).toSay("Job 52");
    const next = /href="(\/jobs\?after=\d+)"/.exec(first.body)![1]!;
    const second = await owner.page(next);
    expect(second).toSay("Job 1");
    expect(second).not.toSay("Job 30");
    expect(/href="\/jobs\?before=\d+"/.test(second.body)).toBe(true);
    for (const page of [first, second]) expect(page).toTakeAtMostSequentialCalls(2);
    const [one] = await jobsOf(owner);
    for (const path of [
      "/jobs/new",
      `/jobs/${String(one!["id"])}`,
      `/jobs/${String(one!["id"])}/status`,
      `/jobs/${String(one!["id"])}/preview`,
    ]) {
      expect(await owner.page(path)).toTakeAtMostSequentialCalls(2);
    }
  });

  it("finds each button named after its job, also for two jobs with the same title", async () => {
    const owner = await world.owner();
    const [one, other] = [await world.job({ owner }), await world.job({ owner })];
    const { body } = await owner.page("/jobs");
    for (const { id } of [one, other]) expect(body).toContain(`aria-label="Edit: Baker (${id})"`);
  });
});

it("the form has the saved value of every field", () => {
  const row = Object.fromEntries(JOB_FIELD_NAMES.map((name) => [name, null])) as Record<
    JobField,
    unknown
  >;
  expect(
    toJobFormValues({ ...row, place_id: null, category: 85, remote: true, location: ["Oregon"] }),
  ).toMatchObject({
    place_id: "0000",
    category: "85",
    remote: "on",
    contract: "",
    location: ["Oregon"],
  });
});
