import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { JOB_FIELD_NAMES, toJobFormValues, type JobField } from "~/modules/jobs/fields";

import { jobForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const NO_PERMISSION = "You do not have permission to edit this listing.";
const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
const live = { paid: true, published: true, expiration_date: days(20) };

/** For what is refused, and leaves them without a job. */
const nobodysEmployer = await world.owner();

const jobsOf = (person: Member) =>
  world.sql("select * from public.jobs where owner = $1 order by id", [person.id]);

/** A job as it is in the database, by the columns of the table. */
async function aJob(fields: Record<string, unknown> = {}) {
  const { owner, ...columns } = fields as { owner?: Member };
  const made = await world.insert("jobs", {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: ["Oregon"],
    company_name: "X",
    company_bio: "Y",
    owner: owner?.id,
    owner_email: owner?.email,
    ...columns,
  });
  return made as { id: number; title: string };
}

/** A job's form as a browser sends it when nothing was touched. */
async function untouched(person: Member, id: number): Promise<Record<string, string | string[]>> {
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
  it("is its author's, unpaid and unpublished, and stays in the list when it is paid for later", async () => {
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
    expect(list).toSay("The job is saved. It goes live once it is paid for.");
    for (const words of [
      "Job Title",
      "Status",
      "Expiration Date",
      "Actions",
      "Pastry chef",
      "Pending payment",
      "Pay to activate listing",
    ])
      expect(list).toSay(words);
  });

  it("is saved where no payments are set up, too, which it says", async () => {
    const owner = await world.owner();
    expect(await owner.post("/jobs/new", jobForm())).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("Payments aren’t set up here yet");
    expect(await jobsOf(owner)).toMatchObject([{ title: "Pastry chef", paid: false }]);
  });

  it("takes nothing from the form but what the form has", async () => {
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

  it("says everything that is missing, at once, and keeps what was typed", async () => {
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
      "Tell people how the company is safe for queer and trans people.",
    ],
  ])("is refused with %o", async (fields, field, message) => {
    expect(await nobodysEmployer.post("/jobs/new", jobForm(fields))).toBeRefusedWith(message, {
      field,
    });
    expect(await jobsOf(nobodysEmployer)).toEqual([]);
  });

  it("is refused for somebody else's listing, and for none that exists", async () => {
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

  it("of a business that is not listed (0000), or of none chosen, has no listing", async () => {
    const owner = await world.owner();
    for (const place_id of ["0000", ""])
      await owner.post("/jobs/new", jobForm({ place_id, intent: "later" }));
    expect(await jobsOf(owner)).toMatchObject([
      { place_id: null, company_name: "Fern & Flour" },
      { place_id: null },
    ]);
  });

  it("keeps what is said of an ally, and asks for it only then", async () => {
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

  it("is one job when the form is sent twice, at once, or again with a mended word", async () => {
    const owner = await world.owner();
    const form = jobForm({ submission_id: randomUUID(), intent: "later" });
    const sent = await Promise.all(
      [owner.otherTab(), owner.otherTab(), owner.otherTab()].map((tab) =>
        tab.post("/jobs/new", form),
      ),
    );
    for (const response of sent) expect(response).toRedirectTo("/jobs");
    expect(await owner.post("/jobs/new", { ...form, title: "Pastry chef (mended)" })).toRedirectTo(
      "/jobs",
    );
    expect(await jobsOf(owner)).toMatchObject([{ title: "Pastry chef (mended)" }]);

    // Another job altogether, typed after going back.
    await owner.post("/jobs/new", { ...form, title: "Driver", description: "Drive." });
    expect(await jobsOf(owner)).toMatchObject([
      { title: "Pastry chef (mended)" },
      { title: "Driver" },
    ]);
  });

  it("offers the person's own listings and the job categories, by name", async () => {
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

  it("is like another one when it is a duplicate, and unpaid", async () => {
    const owner = await world.owner();
    const job = await aJob({
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

describe("the price of a job", () => {
  it("is shown beside what it would be, and for how many days, until it is paid for", async () => {
    const owner = await world.owner();
    const unpaid = await aJob({ owner });
    const words = "A job costs $5 instead of $49 and is live for 45 days.";
    for (const path of ["/jobs/new", `/jobs/${unpaid.id}`, `/jobs/${unpaid.id}/status`]) {
      const page = await owner.page(path);
      expect(page).toSay(words);
      expect(page.body).toContain("<s>$49</s>");
    }
    const paid = await aJob({ owner, ...live });
    expect(await owner.page(`/jobs/${paid.id}`)).not.toSay("$49");
    expect(await owner.page(`/jobs/${paid.id}/status`)).toSay("Costs $5 and adds 45 days");
  });

  it("is hidden from the one account that is not to see it", async () => {
    const owner = await world.owner();
    const { env } = await import("~/env.server");
    env().jobPriceHiddenUser = owner.id;
    try {
      const jobs = [await aJob({ owner }), await aJob({ owner, ...live })];
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
  it("of a paid job goes back to the list, and leaves its days as they are", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, ...live });
    const before = await world.row("jobs", id);
    const form = await untouched(owner, id);
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

  it("that changes nothing changes nothing", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    const { id } = await aJob({
      owner,
      ...live,
      place_id: listing.id,
      ally_owned: true,
      ally_safety: "Safe.",
      location: ["Oregon", "Quebec"],
    });
    const before = await world.row("jobs", id);
    expect(await owner.post(`/jobs/${id}`, await untouched(owner, id))).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toEqual(before);
  });

  it("keeps a location that the list does not know, as long as it is left there", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, location: ["OR", "Oregon"] });
    expect((await owner.page(`/jobs/${id}`)).body).toMatch(/checked=""[^>]*value="OR"/);
    const form = await untouched(owner, id);
    expect(await owner.post(`/jobs/${id}`, { ...form, intent: "later" })).toRedirectTo("/jobs");
    expect(
      await owner.post(`/jobs/${id}`, { ...form, location: ["WA"], intent: "later" }),
    ).toBeRefusedWith("Choose locations from the list.");
  });

  it("over a newer version is stopped, shows both, and lets one choose field by field", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, ...live, title: "First", city: "Bend" });
    const mine = await untouched(owner, id);
    await owner.post(`/jobs/${id}`, { ...mine, title: "Theirs", city: "Salem" });

    const late = await owner.submit(`/jobs/${id}`, { ...mine, title: "Mine", city: "Eugene" });
    expect(late).toHaveStatus(409);
    for (const words of ["Theirs", "Mine", "Salem", "Eugene", "Where the two versions differ"])
      expect(late).toSay(words);
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

  it("is not overtaken by publishing, nor by payment", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner });
    const form = await untouched(owner, id);
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

describe("somebody else's job", () => {
  it("is answered like one that does not exist", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { id } = await aJob({ owner: other, title: "Not Yours", ...live });
    const withoutIds = (text: string) =>
      text
        .replace(/[0-9a-f-]{36}/g, "")
        .replaceAll(String(id), "")
        .replaceAll("123456789", "");
    for (const page of ["", "/status", "/preview"]) {
      const [theirs, nobodys] = [
        await owner.page(`/jobs/${id}${page}`),
        await owner.page(`/jobs/123456789${page}`),
      ];
      expect(theirs).toBeNotFound();
      expect(theirs).toSay(NO_PERMISSION);
      expect(theirs.body).not.toContain("Not Yours");
      expect(withoutIds(theirs.text)).toBe(withoutIds(nobodys.text));
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
  ])("id %s is no job", async (id) => {
    for (const page of ["", "/status", "/preview"])
      expect(await nobodysEmployer.get(`/jobs/${id}${page}`)).toBeNotFound();
    expect(await nobodysEmployer.post(`/jobs/${id}`, jobForm())).toBeNotFound();
    expect(
      await nobodysEmployer.post(`/jobs/${id}/status`, { intent: "unpublish" }),
    ).toBeNotFound();
  });
});

describe("what its owner does with a job", () => {
  const change = (by: Member, id: number, intent: string) =>
    by.post(`/jobs/${id}/status`, { intent });

  it("is shown by state, each with the button for the next step", async () => {
    const owner = await world.owner();
    await aJob({ owner, title: "A" });
    await aJob({ owner, title: "B", ...live });
    await aJob({ owner, title: "C", ...live, published: false });
    await aJob({ owner, title: "D", ...live, expiration_date: days(-0.001) });
    const page = await owner.page("/jobs");
    for (const words of ["Pending payment", "Published", "Unpublished", "Listing expired"])
      expect(page).toSay(words);
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

  it("unpublishes it, and republishes it, as often as they like while it has days left", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, ...live });
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

  it("does not republish an unpaid job, nor one that has expired", async () => {
    const owner = await world.owner();
    const unpaid = await aJob({ owner });
    const expired = await aJob({ owner, paid: true, expiration_date: days(-0.001) });
    for (const [job, reason] of [
      [unpaid, "This job is not paid for yet."],
      [expired, "This job listing has expired."],
    ] as const) {
      const page = await owner.submit(`/jobs/${job.id}/status`, { intent: "republish" });
      expect(page).toHaveStatus(409);
      expect(page).toSay(reason);
      expect(await world.row("jobs", job.id)).toMatchObject({ published: false });
    }
  });

  it("marks it as filled, and takes that back", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, ...live });
    expect(await change(owner, id, "fill")).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("Filled");
    expect(await owner.page(`/jobs/${id}/preview`)).toSay("Nobody sees this job now.");
    expect(await change(owner, id, "reopen")).toRedirectTo("/jobs");
    expect(await world.row("jobs", id)).toMatchObject({ filled_at: null });
    expect(await owner.page(`/jobs/${id}/preview`)).toSay(
      "This is what people see of your job now.",
    );
    await change(owner, id, "unpublish");
    expect(await change(owner, id, "fill")).toHaveStatus(409);
  });

  it("is nothing that the page does not know", async () => {
    const owner = await world.owner();
    const { id } = await aJob({ owner, ...live });
    for (const intent of ["delete", "", "__proto__"])
      expect(await change(owner, id, intent)).toHaveStatus(400);
  });

  it("looks at it as the public would", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X", description: "Coffee for all." });
    const { id } = await aJob({
      owner,
      ...live,
      place_id: listing.id,
      pay_range: "$20",
      city: "Bend",
      full_time: true,
      ally_safety: "Not an ally, so not said.",
    });
    const page = await owner.page(`/jobs/${id}/preview`);
    for (const words of [
      "Baker",
      "Café X",
      "Coffee for all.",
      "$20",
      "Bend",
      "Oregon",
      "Full time",
      "Food and Hospitality",
    ])
      expect(page).toSay(words);
    expect(page).not.toSay("Not an ally");
    expect(page).not.toSay(owner.email);
  });

  it("begins with an empty list that says what to do", async () => {
    const owner = await world.owner();
    const page = await owner.page("/jobs");
    expect(page).toSay("No jobs yet");
    expect(page).toSay("Add New Job");
    expect(page.body).not.toContain("<table");
  });

  it("goes on over pages, in two calls each", async () => {
    const owner = await world.owner();
    for (let n = 1; n <= 52; n++)
      await aJob({ owner, title: `Job ${n}`, created_at: days(-100 + n) });
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

  it("names each button by its job, also where two have the same title", async () => {
    const owner = await world.owner();
    const [one, other] = [await aJob({ owner }), await aJob({ owner })];
    const { body } = await owner.page("/jobs");
    for (const { id } of [one, other]) expect(body).toContain(`aria-label="Edit: Baker (${id})"`);
  });
});

it("the form holds every field of a job as it is saved", () => {
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
