/** "Leave quickly": one response ends the session in this browser and opens a harmless page. */
import { createHmac } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it, vi } from "vitest";

import { accountForm, signUpForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { log } = await import("~/http/log.server");

const WEATHER = "https://www.weather.gov/";
const auth = `${world.supabase.url}/auth/v1/*`;

const hasSession = async ({ id }: Member) =>
  (await world.sql("select id from auth.sessions where user_id = $1", [id])).length > 0;

/** What a browser must have lost after leaving. */
function expectNothingLeft(person: Person) {
  for (const name of ["session", "flash", "ended", "resume", "return"])
    expect(person.cookies.get(name), name).toBeUndefined();
}

it("ends the session and leads away in one response, and then in the auth service", async () => {
  const owner = await world.owner();
  const stolen = owner.otherTab();
  const answer = await owner.submit("/leave");
  expect(answer).toHaveStatus(303);
  expect(answer.headers.get("Location")).toBe(WEATHER);
  expectNothingLeft(owner);
  await expect.poll(() => hasSession(owner)).toBe(false);
  expect(await stolen.get("/listings")).toAskForSignIn();
});

it("ends the session, too, when the page was open for longer than an access token is valid", async () => {
  const owner = await world.owner();
  const { sessionCookie } = await import("~/http/cookies.server");
  const { serializeSession } = await import("~/http/session.server");
  const { a, r } = (await sessionCookie().parse(owner.cookies.header())) as Record<string, string>;
  const [head, payload] = a!.split(".");
  const claims = JSON.parse(Buffer.from(payload!, "base64url").toString()) as object;
  const expired = `${head}.${Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString("base64url")}`;
  const signature = createHmac("sha256", world.supabase.jwtSecret).update(expired).digest();
  const tokens = {
    accessToken: `${expired}.${signature.toString("base64url")}`,
    refreshToken: r!,
    expiresAt: 1,
  };
  owner.cookies.store(new Headers({ "Set-Cookie": await serializeSession(tokens) }));

  expect(await owner.submit("/leave")).toHaveStatus(303);
  await expect.poll(() => hasSession(owner)).toBe(false);
});

it("leaves a neutral sign-in page behind, which is asked for again by Back", async () => {
  const owner = await world.owner();
  const before = await owner.page("/listings");
  expect(before.headers.get("Cache-Control")).toBe("no-store");
  await owner.submit("/leave");
  const back = await owner.page("/listings");
  expect(back).toRedirectTo("/login?redirectTo=%2Flistings");
  const login = await owner.page(back.location!);
  expect(login.title).toBe("Sign in · Dashboard");
  expect(login.text).not.toContain(owner.fullName);
});

it("leaves the next person no message about a form that was still on its way in another tab", async () => {
  const [owner, next] = [await world.owner(), await world.owner()];
  const { id } = await world.listing({ owner: owner.id, name: "Queer Books", status: "published" });
  const tab = owner.otherTab();
  const late = (await tab.submit(`/listings/${id}/visibility`, { intent: "hide" })).headers;
  expect(await tab.page("/jobs")).toSay("Queer Books");

  await owner.submit("/leave");
  for (const person of [owner, next]) {
    person.cookies.store(late);
    expect(await person.page(person === next ? "/listings" : "/login")).not.toSay("Queer Books");
    expect(person.cookies.get("flash")).toBeUndefined();
  }
});

it("also closes the page of an emailed link, whose button would give the account to the next person", async () => {
  const person = world.anonymous();
  const known = await world.owner();
  await person.post("/recovery", { email: known.email });
  const unconfirmed = "unconfirmed@example.test";
  await person.post("/signup", signUpForm({ email: unconfirmed }));
  for (const email of [known.email, unconfirmed]) {
    // In another browser than the one that asked for it.
    const reader = world.anonymous();
    const open = await reader.page(world.mail(email).link);
    expect(open).toSay(email);
    await reader.submit("/leave");
    const back = await reader.page(open.asked.replace("GET ", ""));
    expect(back.location, email).toMatch(/^\/login/);
    expect(back.body).not.toContain(email);
  }
});

// The connection had dropped, or a proxy answered while the app restarted. Script has noted it (tests/e2e/quick-exit.spec.ts).
describe("leaving quickly that got no answer", () => {
  const noteOf = (person: Person) =>
    person.cookies.store(new Headers({ "Set-Cookie": "left=1; Path=/" }));

  it("is finished by the next request of the browser, which shows no page of its user", async () => {
    const owner = await world.owner();
    noteOf(owner);
    const back = await owner.page("/listings");
    expect(back).toRedirectTo("/listings");
    expectNothingLeft(owner);
    expect(owner.cookies.get("left")).toBeUndefined();
    await expect.poll(() => hasSession(owner)).toBe(false);
    expect(await owner.page("/listings")).toAskForSignIn();
  });

  it("saves no form that was open in another tab, and shows it to no one", async () => {
    const owner = await world.owner();
    const csrf = (await owner.page("/account")).value("csrf")!;
    const typed = accountForm({ full_name: "Typed in a tab", email: owner.email, csrf });
    noteOf(owner);
    expect(await owner.submit("/account", typed)).toRedirectTo("/login");
    const again = await owner.submit("/account", typed);
    expect(again).toBeForbidden();
    expect(again.body).not.toContain("Typed in a tab");
    const saved = await world.sql("select full_name from profiles where id = $1", [owner.id]);
    expect(saved).toEqual([{ full_name: owner.fullName }]);
  });

  it("also closes the page of an emailed link", async () => {
    const person = world.anonymous();
    const known = await world.owner();
    await person.post("/recovery", { email: known.email });
    const reader = world.anonymous();
    const open = await reader.page(world.mail(known.email).link);
    noteOf(reader);
    const back = await reader.page(open.asked.replace("GET ", ""));
    expect(back).toHaveStatus(303);
    expect(back.body).not.toContain(known.email);
    expect((await reader.page(back.location!)).location).toMatch(/^\/login/);
  });

  it("is no more than a note where no one is signed in, and signs no one out later", async () => {
    const owner = await world.owner();
    await owner.submit("/leave");
    noteOf(owner);
    const csrf = (await owner.page("/login")).value("csrf")!;
    expect(owner.cookies.get("left")).toBeUndefined();
    const { email, password } = owner;
    await owner.submit("/login", { email, password, csrf });
    expect(await owner.page("/listings")).toHaveStatus(200);
  });

  it("is taken back by an answer", async () => {
    const owner = await world.owner();
    noteOf(owner);
    const answer = await owner.submit("/leave");
    expect(answer.headers.get("Location")).toBe(WEATHER);
    expect(owner.cookies.get("left")).toBeUndefined();
    await expect.poll(() => hasSession(owner)).toBe(false);
  });
});

it("may lead where the policy for forms allows it, also when that site adds or drops its www", async () => {
  const policy = (await world.anonymous().page("/login")).headers.get("Content-Security-Policy");
  const targets = /form-action ([^;]*)/.exec(policy!)![1]!.split(" ");
  expect(targets).toEqual([
    "'self'",
    "https://www.weather.gov",
    "https://weather.gov",
    "https://*.weather.gov",
  ]);
});

// Without script, or before it has arrived, the browser remembers the form that a page with errors answered.
describe("a form that Back and reload send again after leaving quickly", () => {
  const TYPED = "Typed before leaving";

  it("is not shown", async () => {
    const owner = await world.owner();
    const typed = { full_name: TYPED, csrf: (await owner.page("/account")).value("csrf")! };
    await owner.submit("/leave");
    const again = await owner.submit("/account", typed);
    expect(again).toBeForbidden();
    expect(again.heading).toBe("This form has expired");
    expect(again.body).not.toContain(TYPED);
    // Nor once the sign-in page has been opened, which has a form of its own.
    await owner.page("/login");
    expect((await owner.submit("/account", typed)).body).not.toContain(TYPED);
    expect(await owner.post("/drafts", typed)).toBeForbidden();
  });

  it("neither signs in nor shows who signed up", async () => {
    const owner = await world.owner();
    const person = world.anonymous();
    const csrf = (await person.page("/login")).value("csrf")!;
    const { email, password } = owner;
    await person.post("/login", { email, password, csrf });
    await person.submit("/leave");
    expect(await person.submit("/login", { email, password, csrf })).toBeForbidden();
    expect(await person.get("/account")).toAskForSignIn();
    const signUp = await person.submit("/signup", { email, full_name: TYPED, csrf });
    expect(signUp).toBeForbidden();
    expect(signUp.body).not.toContain(TYPED);
  });

  it("is accepted when its account signs in again, as is each form that is opened after leaving", async () => {
    const owner = await world.owner();
    const typed = accountForm({
      full_name: TYPED,
      email: owner.email,
      csrf: (await owner.page("/account")).value("csrf")!,
    });
    await owner.submit("/leave");
    const csrf = (await owner.page("/login")).value("csrf")!;
    const { email, password } = owner;
    expect(await owner.submit("/login", { email, password, csrf })).toRedirectTo("/");
    expect(await owner.submit("/account", typed)).toRedirectTo("/account");
    expect(await world.row("profiles", owner.id)).toMatchObject({ full_name: TYPED });
  });
});

describe("works", () => {
  it("without a form token, a body, or an origin, as from a page that was open for days", async () => {
    const owner = await world.owner();
    const answer = await owner.post("/leave", undefined, { origin: null, secFetchSite: null });
    expect(answer.headers.get("Location")).toBe(WEATHER);
    expectNothingLeft(owner);
  });

  it("when APP_URL is not the address that the browser uses", async () => {
    const owner = await world.owner();
    const answer = await owner.post("/leave", {}, { origin: "https://alias.test" });
    expect(answer.headers.get("Location")).toBe(WEATHER);
    expectNothingLeft(owner);
  });

  it("for someone who is signed out", async () => {
    expect((await world.anonymous().submit("/leave")).headers.get("Location")).toBe(WEATHER);
  });

  it("with a damaged cookie", async () => {
    const person = world.anonymous();
    person.cookies.set("session", "garbage");
    expect((await person.submit("/leave")).headers.get("Location")).toBe(WEATHER);
    expectNothingLeft(person);
  });

  it("at once in an outage, and the session ends when it is over", async () => {
    const owner = await world.owner();
    const warned = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    outside.use(http.all(`${world.supabase.url}/*`, () => HttpResponse.error()));
    const answer = await owner.submit("/leave");
    expect(answer.headers.get("Location")).toBe(WEATHER);
    expectNothingLeft(owner);
    expect(await hasSession(owner)).toBe(true);
    outside.resetHandlers();
    await expect.poll(() => hasSession(owner)).toBe(false);
    expect(warned).toHaveBeenCalled();
  });

  it("without waiting for an auth service that hangs", async () => {
    const owner = await world.owner();
    let finish = () => {};
    const hanging = new Promise<void>((resolve) => (finish = resolve));
    outside.use(
      http.all(auth, async () => {
        await hanging;
        return HttpResponse.error();
      }),
    );
    // It would not come back before the auth service does.
    expect((await owner.submit("/leave")).headers.get("Location")).toBe(WEATHER);
    finish();
    outside.resetHandlers();
    await expect.poll(() => hasSession(owner)).toBe(false);
  });
});

it("is not done for another site", async () => {
  const owner = await world.owner();
  const forged = { origin: "https://evil.example", secFetchSite: "cross-site" };
  const answer = await owner.submit("/leave", {}, forged);
  expect(answer).toBeForbidden();
  expect(owner.cookies.get("session")).toBeDefined();
  expect(await owner.get("/listings")).toHaveStatus(200);
});

it("is not done by opening its address", async () => {
  const owner = await world.owner();
  expect(await owner.get("/leave")).toRedirectTo("/");
  expect(await owner.get("/listings")).toHaveStatus(200);
});

it("signing out ends the session after an outage, too", async () => {
  const owner = await world.owner();
  outside.use(http.all(`${world.supabase.url}/*`, () => HttpResponse.error()));
  expect(await owner.post("/logout")).toRedirectTo("/login");
  expect(owner.cookies.get("session")).toBeUndefined();
  outside.resetHandlers();
  await expect.poll(() => hasSession(owner)).toBe(false);
});
