/** Pages while a part of Supabase fails: the frame and the session stay, and the page says why. */
import { randomUUID } from "node:crypto";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { Answer } from "../support/answer";
import { everyThird } from "../support/nightly";
import { measureWaiting } from "../support/waiting-time";
import { createWorld } from "../support/world";

import { ageSession } from "./age-session";
import { breakDown, faultNames, faults, hangs, recover } from "./outage";

const world = await createWorld();
const data = `${world.supabase.url}/rest/v1/*`;
const auth = `${world.supabase.url}/auth/v1/*`;

const owner = await world.owner();
const listing = await world.listing({ owner });
const admin = await world.admin();

function expectExplained(page: Answer, path: string) {
  expect(page).toHaveStatus(503);
  expect(page.heading).toBe("Something isn’t responding right now");
  expect(Number(page.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(page.body).toContain(`href="${path}"`);
  expect(page.body).toContain('href="/account"');
  expect(page.body).not.toMatch(/db-7\.internal|127\.0\.0\.1|sb_secret|Invalid API key/);
  expect(page.setCookies.filter((line) => line.startsWith("session="))).toEqual([]);
}

describe.each(everyThird(faultNames, 1))("when the database %s for a page’s rows", (name) => {
  it("a page says so in its frame, and never shows an empty list", async () => {
    for (const rows of ["places*", "rpc/my_dashboard", "rpc/review_listings", "rpc/review_batch"])
      breakDown(`${world.supabase.url}/rest/v1/${rows}`, faults[name]!);
    expectExplained(await owner.page("/listings"), "/listings");
    expectExplained(await owner.page(`/listings/${listing.id}`), `/listings/${listing.id}`);
    expectExplained(await admin.page("/admin/new"), "/admin/new");
    const choice = `/admin/decisions/${randomUUID()}`;
    expectExplained(await admin.page(choice), choice);
  });
});

describe.each(everyThird(faultNames, 2))("when the database %s", (name) => {
  it("a page has its frame, the session stays, and the page works again afterward", async () => {
    breakDown(data, faults[name]!);
    expectExplained(await owner.page("/listings"), "/listings");
    expect(await admin.get("/admin")).toHaveStatus(503);
    expect(await world.anonymous().get("/readyz")).toHaveStatus(503);
    expect(await world.anonymous().get("/healthz")).toHaveStatus(200);
    recover();
    expect(await owner.get("/listings")).toHaveStatus(200);
    expect(await world.anonymous().get("/readyz")).toHaveStatus(200);
  });
});

describe.each(everyThird(faultNames, 0))("when the auth service %s", (name) => {
  it("pages work with a session, also when it is about to expire", async () => {
    const person = await world.signIn(owner);
    breakDown(auth, faults[name]!);
    expect(await person.get("/listings")).toHaveStatus(200);
    await ageSession(person, 30);
    expect(await person.get("/listings")).toHaveStatus(200);
  });

  it("an expired session stays in its cookie until it can be refreshed", async () => {
    const person = await world.signIn(owner);
    await ageSession(person, -100);
    breakDown(auth, faults[name]!);
    const before = person.cookies.get("session");
    expectExplained(await person.page("/listings"), "/listings");
    expect(person.cookies.get("session")).toBe(before);
    recover();
    expect(await person.get("/listings")).toHaveStatus(200);
  });
});

describe("when the database is gone", () => {
  it("the sign-in page still works", async () => {
    breakDown(data, faults["refuses the connection"]!);
    const visitor = world.anonymous();
    expect(await visitor.page("/login")).toHaveStatus(200);
    expect(await visitor.page("/signup")).toHaveStatus(200);
    expect(await visitor.get("/listings")).toAskForSignIn();
  });
});

describe("when our key is wrong", () => {
  it("pages answer 503 and no one is signed out", async () => {
    const [valid, ended] = [await world.signIn(owner), await world.signIn(owner)];
    await ageSession(ended, -100);
    breakDown(data, faults["does not take our key"]!);
    breakDown(auth, faults["does not take our key"]!);
    for (const person of [valid, ended])
      expectExplained(await person.page("/listings"), "/listings");
    recover();
    for (const person of [valid, ended]) expect(await person.get("/listings")).toHaveStatus(200);
  });
});

describe("when one service hangs", () => {
  it("a page names it after the time of a call, long before that of the request", async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms / 10));
    onTestFinished(() => spy.mockRestore());
    const expired = await world.signIn(owner);
    await ageSession(expired, -100);
    for (const [address, person, words] of [
      [`${world.supabase.url}/rest/v1/rpc/my_dashboard`, owner, "Our database is slow right now"],
      [auth, expired, "Our sign-in service is slow right now"],
    ] as const) {
      breakDown(address, hangs);
      const page = await person.page("/");
      expect(page).toHaveStatus(503);
      expect(page.heading).toBe("This is taking too long");
      expect(page).toSay(`${words}, so we stopped waiting.`);
      recover();
    }
  });
});

describe("when everything hangs", () => {
  it("each page and each form is answered within ten seconds", async () => {
    const expiring = await world.signIn(owner);
    await ageSession(expiring, 30);
    breakDown(data, hangs);
    breakDown(auth, hangs);
    const { result: answers, waitedMs } = await measureWaiting(() =>
      Promise.all([
        owner.page("/listings"),
        expiring.page(`/listings/${listing.id}`),
        world.anonymous().get("/readyz"),
        world.anonymous().post("/login", { email: owner.email, password: owner.password }),
        owner.post("/account", { full_name: "Zoë", email: owner.email }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect(waitedMs).toBeLessThan(10_000);
  });
});
