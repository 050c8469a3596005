/**
 * The forms of the job pages while an external service fails: they are saved; or not saved, with every value kept; or
 * that is unknown, and sending them again is safe.
 */
import { randomUUID } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import { jobForm } from "../support/forms";
import { everyThird } from "../support/nightly";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

import { ageSession } from "./age-session";
import { expectFormPreserved, loseNextResponse, type Post } from "./submitted-form";
import { breakDown, faultNames, faults, hangs, recover } from "./outage";

const world = await createWorld({ stripe: true });
const data = `${world.supabase.url}/rest/v1/*`;
const rows = [`${world.supabase.url}/rest/v1/jobs*`];
const auth = `${world.supabase.url}/auth/v1/*`;
const payments = `${world.stripe.url}/v1/*`;

const admin = await world.admin();
let owner: Member;
let jobs: Record<"unpaid" | "published" | "unpublished" | "filled", number>;

const complete = {
  title: "Baker",
  category: 85,
  description: "Bake.",
  location: ["Oregon"],
  company_name: "X",
  company_bio: "Y",
};
const live = {
  paid: true,
  published: true,
  expiration_date: new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString(),
};

beforeEach(async () => {
  owner = await world.owner();
  const make = async (columns: object) =>
    Number(
      (
        await world.insert("jobs", {
          ...complete,
          owner: owner.id,
          owner_email: owner.email,
          ...columns,
        })
      )["id"],
    );
  jobs = {
    unpaid: await make({}),
    published: await make(live),
    unpublished: await make({ ...live, published: false }),
    filled: await make({ ...live, filled_at: new Date().toISOString() }),
  };
});

/** What these forms can change of the owner's jobs. */
const readState = () =>
  world.sql(
    "select id, title, owner, paid, published, filled_at is not null as filled, version from public.jobs where owner = $1 or id = any ($2) order by id",
    [owner.id, `{${Object.values(jobs).join()}}`],
  );

interface JobPost extends Post {
  by?: "admin";
}
const change = (job: keyof typeof jobs, intent: string): JobPost => ({
  path: () => `/jobs/${jobs[job]}/status`,
  fields: { intent },
});
const typed = {
  title: "Saved </script> 🏳️‍🌈",
  description: "one\ntwo",
  location: ["Oregon", "Quebec"],
};
const submission = randomUUID();

const posts: Record<string, JobPost> = {
  "a new job": {
    path: () => "/jobs/new",
    fields: jobForm({ ...typed, submission_id: submission, intent: "later" }),
  },
  "an edit": { path: () => `/jobs/${jobs.published}`, fields: jobForm({ ...typed, version: "1" }) },
  "searching for its owner": {
    by: "admin",
    path: () => `/jobs/${jobs.published}`,
    fields: jobForm({ ...typed, owner_search: "sam", intent: "findPerson" }),
  },
  unpublishing: change("published", "unpublish"),
  republishing: change("unpublished", "republish"),
  "marking as filled": change("published", "fill"),
  reopening: change("filled", "reopen"),
};
const toPayment: Record<string, JobPost> = {
  "a new job and its payment": {
    path: () => "/jobs/new",
    fields: jobForm({ ...typed, submission_id: submission }),
  },
  paying: change("unpaid", "pay"),
  renewing: change("published", "renew"),
};
const all = { ...posts, ...toPayment };
const writes = Object.keys(posts).filter((name) => !name.startsWith("searching"));
const send = ({ path, fields, by }: JobPost) =>
  (by === "admin" ? admin : owner).post(path(), fields);

describe.each(everyThird(faultNames, 2))("when a service %s", (fault) => {
  it("no form of a job is lost or saved in part", async () => {
    const before = await readState();
    const expired = await world.signIn(owner);
    await ageSession(expired, -100);
    for (const [name, post] of Object.entries(all)) {
      for (const [broken, called] of [
        [[data], "the database down"],
        [rows, "its rows out of reach"],
      ] as const) {
        for (const address of broken) breakDown(address, faults[fault]!);
        expectFormPreserved(await send(post), post, `${name}, ${called}`);
        recover();
      }
      if (post.by) continue;
      breakDown(auth, faults[fault]!);
      expectFormPreserved(
        await expired.post(post.path(), post.fields),
        post,
        `${name}, with an expired session that can’t be renewed`,
      );
      recover();
    }
    expect(await readState()).toEqual(before);
  });

  it("a payment says so, keeps the job, and can be made later", async () => {
    breakDown(payments, faults[fault]!);
    for (const intent of ["pay", "renew"] as const) {
      const page = await owner.submit(
        `/jobs/${intent === "pay" ? jobs.unpaid : jobs.published}/status`,
        { intent },
      );
      expect(page).toHaveStatus(503);
      expect(page.text).toMatch(/You weren’t charged/);
      expect(page.body).not.toMatch(/sk_test|127\.0\.0\.1/);
    }
    expect(await owner.post("/jobs/new", jobForm({ title: `Saved: ${fault}` }))).toRedirectTo(
      "/jobs",
    );
    expect(await owner.page("/jobs")).toSay(`Saved: ${fault}`);
    recover();
    const response = await owner.post(`/jobs/${jobs.unpaid}/status`, { intent: "pay" });
    await world.stripe.pay(response.location!);
    expect(await world.row("jobs", jobs.unpaid)).toMatchObject({ paid: true, published: true });
  });
});

describe("a form of a job", () => {
  it.each(writes)(
    "whose response was lost can be sent again and has its effect once: %s",
    async (name) => {
      const post = posts[name]!;
      if (post.fields["submission_id"])
        await world.sql("update public.jobs set submission_id = null where submission_id = $1", [
          submission,
        ]);
      const reached = loseNextResponse(rows);
      expectFormPreserved(await send(post), post, name);
      expect(reached()).toBe(1);
      recover();
      const done = await readState();
      for (let i = 0; i < 2; i++) {
        const again = await send(post);
        expect(again.status, JSON.stringify(again.errors)).toBe(303);
      }
      expect(await readState()).toEqual(done);
    },
  );

  it("gets a response with all its values when the database hangs", async () => {
    const before = await readState();
    for (const address of rows) breakDown(address, hangs);
    const { result: answers, waitedMs } = await measureWaiting(() =>
      Promise.all(Object.values(all).map(send)),
    );
    expect(waitedMs).toBeLessThan(10_000);
    Object.entries(all).forEach(([name, post], index) =>
      expectFormPreserved(answers[index]!, post, name),
    );
    expect(await readState()).toEqual(before);
  });

  it("sent after the session ended is stored and comes back with every value", async () => {
    const person = await world.signIn(owner);
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    const path = `/jobs/${jobs.published}`;
    const response = await person.post(
      path,
      jobForm({ ...typed, ally_owned: "on", ally_safety: "Safe.", version: "1" }),
    );
    expect(response.location).toMatch(/^\/login\?redirectTo=%2Fresume/);
    const resume = new URL(response.location!, world.appUrl).searchParams.get("redirectTo")!;
    await person.post("/login", {
      email: owner.email,
      password: owner.password,
      redirectTo: resume,
    });
    const offered = (await person.get(resume)).data as {
      form: { action: string; fields: [string, string][]; labels: { byField: object } };
    };
    const { action, fields } = offered.form;
    expect(offered.form.labels.byField).toMatchObject({
      title: "Job Title",
      ally_safety: "How does your company support queer and trans people?",
    });
    const sent = fields.filter(([name]) => name !== "intent");
    const back = await person.submit(action, [
      ...sent,
      ["intent", "refill"],
      ["refill_intent", "save"],
    ]);
    expect(back).toHaveStatus(200);
    expect(back.value("title")).toBe(typed.title);
    for (const place of typed.location)
      expect(back.body).toMatch(new RegExp(`checked=""[^>]*value="${place}"`));
    expect(back).toSay("Safe.");
    expect(await world.row("jobs", jobs.published)).toMatchObject({ title: "Baker" });
  });
});

it.each(everyThird(faultNames, 1))(
  "the pages of jobs show the error in their layout when the database %s",
  async (fault) => {
    for (const address of [
      ...rows,
      `${world.supabase.url}/rest/v1/rpc/jobs_page`,
      `${world.supabase.url}/rest/v1/rpc/preview_job`,
    ])
      breakDown(address, faults[fault]!);
    for (const path of [
      "/jobs",
      `/jobs/${jobs.unpaid}`,
      `/jobs/${jobs.unpaid}/status`,
      `/jobs/${jobs.unpaid}/preview`,
    ]) {
      const page = await owner.page(path);
      expect(page, path).toHaveStatus(503);
      expect(page.body).toContain(`href="${path}"`);
      expect(page.heading).toBe("Something isn’t responding right now");
    }
    expect(await admin.page("/admin/jobs")).toHaveStatus(503);
  },
);
