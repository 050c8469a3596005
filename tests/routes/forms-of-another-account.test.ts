/** A form that was left open in one account's tab, and is sent while another account is used in the same browser. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { accountForm, jobForm, listingForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const TYPED = "Typed by the first user";
const TITLE = "This form was opened in another account";
const QUIET = { origin: null, secFetchSite: null };

const draftsOf = ({ id }: Member) =>
  world.sql("select fields from public.listing_drafts where owner = $1", [id]);
const listingsOf = ({ id }: Member) =>
  world.sql("select name from public.places where owner = $1", [id]);
const jobsOf = ({ id }: Member) =>
  world.sql("select title from public.jobs where owner = $1", [id]);
const consentsOf = ({ id }: Member) =>
  world.sql("select granted from public.consents where user_id = $1 and channel = 'tracking'", [
    id,
  ]);
const stashed = async () => (await world.sql("select id from public.form_stash")).length;

/** The form token of a page that is open in someone's browser. */
const openForm = async (person: Person, path = "/listings/new") =>
  (await person.page(path)).value("csrf")!;

async function signIn(browser: Person, { email, password }: Member) {
  await browser.page("/login");
  expect(await browser.post("/login", { email, password })).toRedirectTo("/");
}

type Exit = "/logout" | "/leave" | "another account over it";

/** Signs a browser in to another account, after this way out of the one before. */
async function change(browser: Person, exit: Exit, next: Member) {
  if (exit === "another account over it") {
    browser.cookies.set("session", next.cookies.get("session")!);
  } else {
    await browser.post(exit);
    await signIn(browser, next);
  }
}

const EXITS: Exit[] = ["/logout", "/leave", "another account over it"];

/** A browser with a form of the first user open in a tab, in which the second one has signed in since. */
async function leaveOpen(exit: Exit = "/logout", path?: string) {
  const [first, second] = [await world.owner(), await world.owner()];
  const csrf = await openForm(first, path);
  await change(first, exit, second);
  return { browser: first as Person, first, second, csrf };
}

function expectRefused(answer: Answer) {
  expect(answer).toBeForbidden();
  expect(answer.body).toContain(TITLE);
  expect(answer.body).not.toContain(TYPED);
}

describe.each(EXITS)("a form of the user before, after %s,", (exit) => {
  it("is not stored as a draft", async () => {
    const { browser, first, second, csrf } = await leaveOpen(exit);
    for (const query of ["", "?form=/jobs/new"]) {
      const typed = { name: TYPED, title: TYPED, submission_id: randomUUID(), csrf };
      const answer = await browser.post(`/drafts${query}`, typed);
      expectRefused(answer);
      // A sentence that the form shows.
      expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
      expect(answer.body).toMatch(/^This form .* in another tab\.$/);
    }
    expect(await draftsOf(second)).toEqual([]);
    expect(await draftsOf(first)).toEqual([]);
  });

  it("is not saved, also by a browser without script", async () => {
    const { browser, first, second, csrf } = await leaveOpen(exit);
    const typed = listingForm({ name: TYPED, submission_id: randomUUID(), csrf });
    expectRefused(await browser.post("/listings/new", typed));
    const page = await browser.submit("/listings/new", typed);
    expectRefused(page);
    expect(page.heading).toBe(TITLE);
    expect(page).toSay("so nothing was saved. Please open the page again");
    expect([await listingsOf(first), await listingsOf(second)]).toEqual([[], []]);

    const place_id = String((await world.listing({ owner: second })).id);
    const job = jobForm({ title: TYPED, intent: "later", place_id, csrf });
    expectRefused(await browser.post("/jobs/new", job));
    expect(await jobsOf(second)).toEqual([]);

    // What the second user opens is theirs.
    const own = { ...job, title: "Mine", csrf: await openForm(browser, "/jobs/new") };
    expect((await browser.post("/jobs/new", own)).status).toBe(303);
    expect(await jobsOf(second)).toEqual([{ title: "Mine" }]);
  });

  it("is refused to script with a document, as its page has the name of the first user", async () => {
    const { browser, second, csrf } = await leaveOpen(exit);
    const typed = listingForm({ name: TYPED, submission_id: randomUUID(), csrf });
    const answer = await browser.post("/listings/new", typed, {
      headers: { "sec-fetch-dest": "empty" },
    });
    expect(answer).toRedirectTo("/");
    expect(answer.headers.get("X-Remix-Reload-Document")).toBe("true");
    const page = await browser.page("/");
    expect(page).toSay(`${TITLE}. This browser has been used with a different account since`);
    expect(page.body).not.toContain(TYPED);
    expect(await listingsOf(second)).toEqual([]);
  });

  it("is refused by a page also at an address that has none of its own", async () => {
    const { browser, csrf } = await leaveOpen(exit);
    const choice = { version: "light", return_to: "/", csrf };
    const answer = await browser.post("/version", choice);
    expectRefused(answer);
    expect(answer.heading).toBe(TITLE);
  });

  it("changes nothing of the second user", async () => {
    const { browser, second, csrf } = await leaveOpen(exit, "/account");
    const listing = await world.listing({ owner: second, status: "new", name: "As It Is" });
    const edit = listingForm({ name: TYPED, version: "1", csrf });
    expectRefused(await browser.post(`/listings/${listing.id}`, edit));
    expectRefused(await browser.post("/account", accountForm({ full_name: TYPED, csrf })));
    const consent = { tracking: "yes", return_to: "/privacy", csrf };
    expectRefused(await browser.post("/privacy/tracking", consent));
    expect(await world.row("places", listing.id)).toMatchObject({ name: "As It Is" });
    expect(await world.row("profiles", second.id)).toMatchObject({ full_name: second.fullName });
    expect(await consentsOf(second)).toEqual([]);
  });

  it("is not shown filled in", async () => {
    const { browser, csrf } = await leaveOpen(exit);
    const typed = listingForm({ name: TYPED, intent: "refill", csrf });
    expectRefused(await browser.submit("/listings/new", typed));
  });
});

describe("a form of the user before", () => {
  it("is not saved when it is sent in parts, as script sends a draft", async () => {
    const { browser, second, csrf } = await leaveOpen();
    const body = new FormData();
    const typed = listingForm({ name: TYPED, submission_id: randomUUID(), csrf });
    for (const [name, value] of Object.entries(typed)) body.append(name, value);
    for (const path of ["/drafts", "/listings/new"]) {
      const encoded = new Response(body);
      const headers = { "Content-Type": encoded.headers.get("Content-Type")! };
      const options = { body: await encoded.text(), headers };
      expectRefused(await browser.post(path, undefined, options));
    }
    expect([await draftsOf(second), await listingsOf(second)]).toEqual([[], []]);
  });

  it("is not stashed for the second one when their session has ended, and not shown", async () => {
    const { browser, second, csrf } = await leaveOpen();
    const before = await stashed();
    await world.sql("delete from auth.sessions where user_id = $1", [second.id]);
    const typed = listingForm({ name: TYPED, csrf });
    expectRefused(await browser.submit("/listings/new", typed));
    // Also when another tab has found that the session has ended.
    await browser.page("/listings");
    expect(browser.cookies.get("session")).toBeUndefined();
    expectRefused(await browser.submit("/listings/new", typed));
    expect(await stashed()).toBe(before);
  });

  it("is not shown once they have signed out, and comes back when they sign in again", async () => {
    const [first, second] = [await world.owner(), await world.owner()];
    const typed = listingForm({ name: TYPED, csrf: await openForm(first) });
    await first.post("/logout");
    const again = await first.post("/listings/new", typed);
    expect(again.location).toMatch(/^\/login\?redirectTo=%2Fresume/);
    const resume = new URL(again.location!, "http://x").searchParams.get("redirectTo")!;
    expect((await first.page(again.location!)).body).not.toContain(TYPED);

    await signIn(first, second);
    expect((await first.page(resume)).body).not.toContain(TYPED);
    expectRefused(await first.submit("/listings/new", typed));
    expect(await listingsOf(second)).toEqual([]);
  });

  it("is stashed for them alone when they sent it after signing out", async () => {
    const [first, second] = [await world.owner(), await world.owner()];
    const typed = listingForm({ name: TYPED, csrf: await openForm(first) });
    await first.post("/logout");
    const { location } = await first.post("/listings/new", typed);
    const resume = new URL(location!, "http://x").searchParams.get("redirectTo")!;
    await signIn(first, first);
    const resumed = await first.page(resume);
    expect(resumed).toSay(TYPED);
    // The same cookies with the session of someone else.
    first.cookies.set("session", second.cookies.get("session")!);
    expect(await first.get(resume)).toRedirectTo("/");
  });

  it("is not shown after signing out, also when it can’t be stashed", async () => {
    const owner = await world.owner();
    const typed = listingForm({ name: TYPED, csrf: await openForm(owner) });
    await owner.post("/logout");
    const expectExpired = async () => {
      const answer = await owner.submit("/listings/new", typed);
      expect(answer).toBeForbidden();
      expect(answer.heading).toBe("This form has expired");
      expect(answer.body).not.toContain(TYPED);
    };
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/form_stash`, () =>
        HttpResponse.json({}, { status: 503 }),
      ),
    );
    await expectExpired();
    outside.resetHandlers();
    for (let sent = 0; sent < 20; sent++) await owner.post("/listings/new", typed);
    await expectExpired();
  });

  it("is stashed ten times an hour for one network, whatever account its token names", async () => {
    const owner = await world.owner();
    const csrf = await openForm(owner);
    await owner.post("/logout");
    const before = await stashed();
    // Nothing in the browser says whose it was: the second half of a token may be anything.
    const send = (n: number) =>
      owner.post(
        "/listings/new",
        listingForm({ name: TYPED, csrf: `${csrf.slice(0, 22)}${String(n).padStart(21, "x")}` }),
      );
    for (let n = 0; n < 10; n++) expect((await send(n)).location).toMatch(/^\/login/);
    expect(await send(10)).toBeForbidden();
    expect(await stashed()).toBe(before + 10);
  });

  it("is recognized in Back, which restores text by the names of the first fields", async () => {
    const { browser, first, second } = await leaveOpen("another account over it");
    const nameOf = async (person: Person) =>
      /name="(t[\w-]{8})[\w-]*"/.exec((await person.page("/listings/new")).body)![1];
    const names = [await nameOf(browser)];
    await change(browser, "another account over it", await world.owner());
    names.push(await nameOf(browser));
    await change(browser, "another account over it", second);
    names.push(await nameOf(browser));
    expect(names[1]).not.toBe(names[0]);
    expect(names[2]).toBe(names[0]);
    await change(browser, "/logout", first);
    expect(names).not.toContain(await nameOf(browser));
  });

  it("still leaves quickly, and still signs out", async () => {
    for (const path of ["/leave", "/logout"]) {
      const { browser, csrf } = await leaveOpen();
      expect((await browser.post(path, { csrf })).status).toBeLessThan(400);
      expect(await browser.get("/account")).toAskForSignIn();
    }
  });

  it("can’t be stored under the id of its draft without a token, either", async () => {
    const [first, second] = [await world.owner(), await world.owner()];
    const typed = { name: TYPED, submission_id: randomUUID() };
    expect(await first.post("/drafts", typed)).toHaveStatus(204);
    expectRefused(await second.post("/drafts", typed));
    expect(await draftsOf(first)).toEqual([{ fields: { name: TYPED } }]);
  });
});

describe("a form of the same user", () => {
  it.each(["/logout", "/leave"] as const)(
    "is saved after they used %s and signed in again",
    async (exit) => {
      const owner = await world.owner();
      const csrf = await openForm(owner);
      await change(owner, exit, owner);
      expect(await openForm(owner)).not.toBe(csrf);
      const typed = listingForm({ name: TYPED, submission_id: randomUUID(), csrf });
      expect(await owner.post("/drafts", typed)).toHaveStatus(204);
      expect(await draftsOf(owner)).toMatchObject([{ fields: { name: TYPED } }]);
      expect(await owner.submit("/listings/new", typed)).toRedirectTo("/");
      expect(await listingsOf(owner)).toEqual([{ name: TYPED }]);
    },
  );

  it("is saved after someone else was signed in meanwhile", async () => {
    const { browser, first, csrf } = await leaveOpen();
    await change(browser, "/logout", first);
    expect(await browser.post("/listings/new", listingForm({ name: TYPED, csrf }))).toRedirectTo(
      "/",
    );
    expect(await listingsOf(first)).toEqual([{ name: TYPED }]);
  });

  it("is saved in another tab and another browser of theirs", async () => {
    const owner = await world.owner();
    const elsewhere = await world.signIn(owner);
    const csrf = await openForm(owner);
    expect(await elsewhere.post("/listings/new", listingForm({ csrf }))).toRedirectTo("/");
  });

  it("is stashed when the session has ended, and comes back filled in", async () => {
    const owner = await world.owner();
    const typed = listingForm({ name: TYPED, csrf: await openForm(owner) });
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    const answer = await owner.post("/listings/new", typed);
    expect(answer.location).toMatch(/^\/login\?redirectTo=%2Fresume/);
    await signIn(owner, owner);
    const resumed = await owner.page("/resume");
    expect(resumed).toSay(TYPED);
    const refill = { ...typed, intent: "refill", csrf: resumed.value("csrf")! };
    expect((await owner.submit("/listings/new", refill)).value("name")).toBe(TYPED);
  });

  it("is refused from a browser that sends no origin, when their browser has signed out since", async () => {
    const owner = await world.owner();
    const csrf = await openForm(owner);
    const typed = listingForm({ name: TYPED, csrf });
    await change(owner, "/logout", owner);
    expect(await owner.submit("/listings/new", typed, QUIET)).toBeForbidden();
    const fresh = { ...typed, csrf: await openForm(owner) };
    expect(await owner.submit("/listings/new", fresh, QUIET)).toRedirectTo("/");
  });
});

describe("a form that was opened before anyone signed in", () => {
  it("works in a second tab of the sign-in page, until someone signs out", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const person = world.anonymous();
    const form = ({ email, password }: Member, csrf: string) => ({ email, password, csrf });
    const csrf = await openForm(person, "/login");
    expect(await person.post("/login", form(owner, csrf))).toRedirectTo("/");
    expect(await person.post("/login", form(owner, csrf))).toRedirectTo("/");
    await person.post("/logout");
    const again = await person.submit("/login", form(owner, csrf));
    expect(again).toBeForbidden();
    expect(again).toSay("Please open the page again and fill in the form there.");
    expect(again.body).not.toContain(owner.email);
    expect(await person.get("/account")).toAskForSignIn();

    const fresh = await openForm(person, "/login");
    expect(await person.post("/login", form(other, fresh))).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("answers for the user who signed in since, and for no one after them", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const person = world.anonymous();
    const consent = { tracking: "no", return_to: "/login", csrf: await openForm(person, "/login") };
    await signIn(person, owner);
    expect(await person.post("/privacy/tracking", consent)).toRedirectTo("/login");
    expect(await consentsOf(owner)).toHaveLength(1);
    await change(person, "/logout", other);
    expectRefused(await person.post("/privacy/tracking", consent));
    expect(await consentsOf(other)).toEqual([]);
  });
});
