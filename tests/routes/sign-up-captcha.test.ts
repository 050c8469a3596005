/** The captcha of the sign-up form, in a project that has one. */
import { http, HttpResponse, passthrough } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import { signUpForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Person } from "../support/person";
import { createWorld } from "../support/world";

const world = await createWorld({
  env: { CAPTCHA_PROVIDER: "turnstile", CAPTCHA_SITE_KEY: "0x4AAAAAAA_site" },
});
const { captchaCookie } = await import("~/http/cookies.server");
const auth = `${world.supabase.url}/auth/v1`;
const HOST = "https://challenges.cloudflare.com";
const SOLVED = { "cf-turnstile-response": "solved" };

/** The calls of the auth service that had to solve a captcha, and with what. */
let solved: string[] = [];

/** Behaves as the hosted service does with a captcha: calls with the secret key need none. */
function protectProject() {
  const guard = async ({ request }: { request: Request }) => {
    if (request.headers.get("authorization") === `Bearer ${world.supabase.secretKey}`)
      return passthrough();
    const body = (await request.clone().json()) as {
      gotrue_meta_security?: { captcha_token?: string };
    };
    const token = body.gotrue_meta_security?.captcha_token;
    solved.push(token ?? "nothing");
    if (token === "solved") return passthrough();
    const message = "captcha protection: request disallowed";
    return HttpResponse.json(
      { code: 400, error_code: "captcha_failed", msg: message },
      { status: 400 },
    );
  };
  for (const path of ["signup", "recover", "token", "resend"])
    outside.use(http.post(`${auth}/${path}`, guard));
}

let people = 0;
const newEmail = () => `captcha-${++people}@example.test`;
const hasAccount = async (email: string) =>
  (await world.sql("select id from public.profiles where email = $1", [email])).length > 0;
const policyOf = ({ headers }: { headers: Headers }) => headers.get("Content-Security-Policy")!;

/** Signs up as a new visitor. */
async function signUp(fields: object = {}, person: Person = world.anonymous()) {
  const email = newEmail();
  const answer = await person.post("/signup", signUpForm({ email, ...fields }));
  return { email, answer };
}

/** So many sign-ups that the next one is unusual. */
async function makeVolumeUnusual() {
  for (let count = 0; count < 30; count += 1)
    await world.anonymous().post("/signup", signUpForm({ email: "known@example.test" }));
}

/** Backdates when this browser was asked for a captcha. */
async function waitInBrowser(person: Person, seconds: number) {
  const { id, since } = (await captchaCookie().parse(person.cookies.header())) as {
    id: string;
    since: number;
  };
  const changed = await captchaCookie().serialize({ id, since: since - seconds * 1000 });
  person.cookies.store(new Headers({ "Set-Cookie": changed }));
}

beforeEach(async () => {
  solved = [];
  protectProject();
  await world.sql("delete from public.rate_limits");
});

describe("with usual volume", () => {
  it("no page has a captcha, and signing up, signing in, and recovery need none", async () => {
    const page = await world.anonymous().page("/signup");
    expect(page.body).not.toContain("turnstile");
    expect(policyOf(page)).not.toContain(HOST);

    const { email, answer } = await signUp();
    expect(answer).toRedirectTo("/");
    expect(await hasAccount(email)).toBe(true);
    const visitor = world.anonymous();
    expect(await visitor.post("/recovery", { email })).toHaveStatus(200);
    expect(await visitor.post("/login", { email, password: "wrong, but asked" })).toHaveStatus(400);
    expect(solved).toEqual([]);
  });
});

describe("with unusual volume", () => {
  beforeEach(makeVolumeUnusual);

  it("the form has a captcha, and only its page may load one", async () => {
    const person = world.anonymous();
    const page = await person.page("/signup");
    expect(page.body).toContain('<div class="cf-turnstile" data-sitekey="0x4AAAAAAA_site">');
    expect(page.body).toContain(`<script src="${HOST}/turnstile/v0/api.js" async defer>`);
    for (const source of ["script-src", "frame-src", "connect-src"])
      expect(policyOf(page)).toMatch(new RegExp(`${source}[^;]* ${HOST}|${source} ${HOST}`));
    for (const path of ["/login", "/recovery"])
      expect(policyOf(await person.page(path))).not.toContain(HOST);
  });

  it("the light version has none, and says how long to wait", async () => {
    const person = world.anonymous();
    const page = await person.page("/signup", { headers: { "Save-Data": "on" } });
    expect(page.body).not.toContain("turnstile");
    expect(page.body).not.toMatch(/<script|<noscript/);
    expect(policyOf(page)).not.toMatch(/script-src|challenges/);
    expect(page).toSay("In the light version, wait two minutes after opening this page");
    await waitInBrowser(person, 130);
    const { email, answer } = await signUp({}, person);
    expect(answer).toRedirectTo("/");
    expect(await hasAccount(email)).toBe(true);
  });

  it("a link from another page loads it as a document, whose policy allows the captcha", async () => {
    const data = await world.anonymous().get("/signup", { headers: { "Sec-Fetch-Dest": "empty" } });
    expect(data).toRedirectTo("/signup");
    expect(data.headers.get("X-Remix-Reload-Document")).toBe("true");
  });

  it("a solved captcha creates the account, after the auth service has checked it", async () => {
    const { email, answer } = await signUp(SOLVED);
    expect(answer).toRedirectTo("/");
    expect(solved).toEqual(["solved"]);
    expect(await hasAccount(email)).toBe(true);
  });

  it("a failed one is reported in the response, and nothing else is asked", async () => {
    const { email, answer } = await signUp({ "cf-turnstile-response": "forged" });
    expect(answer).toBeRefusedWith(/Please try the check again/);
    expect(answer.kept["email"]).toBe(email);
    expect(await hasAccount(email)).toBe(false);
  });

  it("without one the page says what to do, with and without script", async () => {
    const page = await world.anonymous().submit("/signup", signUpForm({ email: newEmail() }));
    expect(page).toHaveStatus(400);
    expect(page).toSay("Please complete the check below. Can’t see one? Wait 2 minutes");
    expect(page.body).toContain("cf-turnstile");
    expect(policyOf(page)).toContain(HOST);
    expect(page.body).toContain("Without JavaScript, wait two minutes after");
  });

  it("people without script wait two minutes, once for each account", async () => {
    const person = world.anonymous();
    await person.page("/signup");
    await waitInBrowser(person, 90);
    expect((await signUp({}, person)).answer).toBeRefusedWith(/Wait a minute and submit/);
    await waitInBrowser(person, 31);
    const copy = person.otherTab();
    const { email, answer } = await signUp({}, person);
    expect(answer).toRedirectTo("/");
    expect(await hasAccount(email)).toBe(true);

    expect((await signUp({}, person)).answer).toBeRefusedWith(/Wait 2 minutes/);
    expect((await signUp({}, copy)).answer).toHaveStatus(429);
  });

  it("a program that waits in many browsers gets through three times an hour", async () => {
    const outcomes: number[] = [];
    const start = world.anonymous();
    for (let count = 0; count < 5; count += 1) {
      const browser = start.otherTab();
      await browser.page("/signup");
      await waitInBrowser(browser, 121);
      outcomes.push((await signUp({}, browser)).answer.status);
    }
    expect(outcomes).toEqual(
      [302, 302, 302, 429, 429].map((status) => (status === 302 ? 303 : status)),
    );
  });
});
