import { http, HttpResponse, passthrough } from "msw";
import { describe, expect, it } from "vitest";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const { env } = await import("~/env.server");
/** Its settings, which a test may change. */
const environment: object = env();

const WRONG =
  "That email address and password don’t match, or the address isn’t confirmed yet. If you’ve just signed up, open the link in our email first. If you can’t find it, select “Forgot your password?” to get a new link.";

describe("sign-in", () => {
  it("opens the dashboard and never sends the password back", async () => {
    const { email, password } = await world.owner();
    const person = world.anonymous();

    const response = await person.post("/login", { email, password });

    expect(response).toRedirectTo("/");
    expect(response.body).not.toContain(password);
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("counts no attempt that the service didn’t answer to, since its page asks to try again", async () => {
    const { email, password } = await world.owner();
    const person = world.anonymous();
    outside.use(http.post(`${world.supabase.url}/auth/v1/token`, () => HttpResponse.error()));
    for (let turn = 0; turn < 10; turn += 1)
      expect(await person.post("/login", { email, password })).toHaveStatus(503);
    outside.resetHandlers();
    expect(await person.post("/login", { email, password })).toRedirectTo("/");
  });

  it("ignores the case of the address and spaces around it", async () => {
    const { email, password } = await world.owner();
    expect(
      await world.anonymous().post("/login", { email: ` ${email.toUpperCase()} `, password }),
    ).toRedirectTo("/");
  });

  it("stores the session in a cookie that scripts can't read", async () => {
    const { email, password } = await world.owner();
    const response = await world.anonymous().post("/login", { email, password });
    const cookie = response.setCookies.find((line) => line.startsWith("session="));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Path=\//);
  });

  it("answers a wrong password and an unknown address with the same text", async () => {
    const { email } = await world.owner();
    const wrong = await world.anonymous().post("/login", { email, password: "not my password" });
    const unknown = await world
      .anonymous()
      .post("/login", { email: "nobody@example.test", password: "not my password" });

    expect(wrong).toBeRefusedWith(WRONG);
    expect(unknown).toBeRefusedWith(WRONG);
    expect(wrong.errors).toEqual(unknown.errors);
    expect(wrong.kept).toEqual({ email });
  });

  it.each([
    [{ email: "", password: "" }, "email", "Enter your email address."],
    [{ email: "", password: "" }, "password", "Enter your password."],
    [{ email: "sam", password: "x" }, "email", "Enter an email address like name@example.com."],
    [
      { email: `${"a".repeat(250)}@example.test`, password: "x" },
      "email",
      "That email address is too long.",
    ],
  ])("says what is missing: %o", async (fields, field, message) => {
    expect(await world.anonymous().post("/login", fields)).toBeRefusedWith(message, { field });
  });

  describe("with the password of a sign-up by someone else", () => {
    const signUp = { password: "the password of mallory", full_name: "Mallory" };
    const ask = async (email: string) => {
      const started = performance.now();
      const { status, errors } = await world
        .anonymous()
        .post("/login", { email, password: signUp.password });
      // Each waits for the same time, so that none is answered sooner than another.
      expect(performance.now() - started).toBeGreaterThan(590);
      return { status, errors };
    };

    it("says neither whether the address had an account, nor when its owner confirms one", async () => {
      const answers = [];
      const owner = await world.owner();
      for (const email of ["not-yet@example.test", owner.email]) {
        await world.anonymous().post("/signup", { ...signUp, email });
        answers.push(await ask(email));
      }
      const { token } = world.mail("not-yet@example.test");
      await world
        .anonymous()
        .post("/confirm", { intent: "openLink", token_hash: token, type: "email" });
      answers.push(await ask("not-yet@example.test"));

      expect(answers[0]).toEqual({ status: 400, errors: { "": [WRONG] } });
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    });
  });

  it("points someone whose confirmation did not arrive to a link that does the same", async () => {
    const person = world.anonymous();
    const email = "no-confirmation@example.test";
    await person.post("/signup", {
      email,
      password: "correct horse 42 staples",
      full_name: "New",
    });
    await person.post("/recovery", { email });
    const { link, token } = world.mail(email);
    expect(link).toMatch(/^\/recovery\/new/);
    expect(
      await person.post("/recovery/new", { intent: "openLink", token_hash: token }),
    ).toRedirectTo("/recovery/new");
    const password = "a much better one 77";
    await person.post("/recovery/new", { intent: "save", password, confirm_password: password });
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it("redirects a user who is already signed in", async () => {
    const owner = await world.owner();
    expect(await owner.get("/login")).toRedirectTo("/");
    expect(await owner.get("/login?redirectTo=/account")).toRedirectTo("/account");
  });

  it("says so to someone who enters another account in a tab from before another user signed in", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { email, password } = other;
    expect(await owner.post("/login", { email, password })).toRedirectTo("/");
    expect(await owner.page("/")).toSay("You’re signed in to a different account than the one");
    const own = { email: ` ${owner.email.toUpperCase()}`, password: "whatever it is" };
    expect(await owner.post("/login", own)).toRedirectTo("/");
    expect(await owner.page("/")).not.toSay("different account");
    expect(await owner.post("/signup", { email, password, full_name: "Kai" })).toRedirectTo("/");
    expect(await owner.page("/")).toSay("so no account was created");
  });
});

describe("the page after sign-in", () => {
  it.each(["/", "/listings/new", "/account?tab=a+b&x=%2F"])("is %s", async (redirectTo) => {
    const { email, password } = await world.owner();
    expect(await world.anonymous().post("/login", { email, password, redirectTo })).toRedirectTo(
      redirectTo,
    );
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "https://evil.example/",
    "%2f%2fevil.example",
    "/%2f/evil.example/..//evil.example".replace("/%2f", "/"),
    "javascript:alert(1)",
    "data:text/html,x",
    "/\t/evil.example",
    "\\\\evil.example",
    " //evil.example",
    "",
  ])("is never on another site: %j", async (redirectTo) => {
    const owner = await world.owner();
    const person = world.anonymous();
    const posted = await person.post("/login", {
      email: owner.email,
      password: owner.password,
      redirectTo,
    });
    const opened = await owner.get(`/login?redirectTo=${encodeURIComponent(redirectTo)}`);
    for (const response of [posted, opened]) {
      expect(response.status).toBeOneOf([302, 303]);
      const target = new URL(response.location!, world.appUrl);
      expect(target.origin).toBe(world.appUrl);
      expect(response.location).not.toMatch(/evil|javascript:|data:/);
    }
  });

  it("is the page that needed the session, with its query", async () => {
    const { email, password } = await world.owner();
    const person = world.anonymous();
    const asked = await person.get("/listings/new?from=mail&x=%2F");
    expect(asked).toAskForSignIn();
    const login = await person.page(asked.location!);
    const redirectTo = login.value("redirectTo");
    expect(await person.post("/login", { email, password, redirectTo })).toRedirectTo(
      "/listings/new?from=mail&x=%2F",
    );
  });
});

describe("too many wrong passwords", () => {
  it("are limited, and the owner can still sign in from another network", async () => {
    const { email, password } = await world.owner();
    const attacker = world.anonymous();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) {
      const response = await attacker.post("/login", { email, password: `guess ${i}` });
      statuses.push(response.status);
      if (response.status === 429) {
        expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
        break;
      }
    }
    expect(statuses.at(-1)).toBe(429);
    expect(await attacker.post("/login", { email, password })).toHaveStatus(429);
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it("count for everyone only while they are tried: one person who goes on slows no one else down", async () => {
    await world.sql("delete from public.rate_limits");
    const attacker = world.anonymous();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++)
      statuses.push(
        (await attacker.post("/login", { email: "one@example.test", password: "guess" })).status,
      );
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    const hits = await world.sql(
      "select hits from public.rate_limits where hits > 1 order by hits",
    );
    // The network's, everyone's, and the account's.
    expect(hits).toEqual([{ hits: 10 }, { hits: 10 }, { hits: 14 }]);
    await world.sql("delete from public.rate_limits");
  });

  it("are what is limited, not successful sign-ins", async () => {
    const owner = await world.owner();
    const browser = world.anonymous();
    for (let i = 0; i < 12; i++) {
      expect(
        await browser.otherTab().post("/login", { email: owner.email, password: owner.password }),
      ).toRedirectTo("/");
    }
  });

  describe("of many people in one network", () => {
    // All requests come from one peer, as behind a proxy that the configuration does not know.
    const network = world.anonymous();
    const everyone = () => network.otherTab();
    const guess = (email: string) => everyone().post("/login", { email, password: "guess" });

    it("never reject the right password, and leave fewer attempts, each slower", async () => {
      const owner = await world.owner();
      await guess("victim@example.test");
      // As after 62 people: no one else has used this network.
      await world.sql("update public.rate_limits set hits = 62 where hits < 62");

      const started = performance.now();
      expect(
        await everyone().post("/login", { email: owner.email, password: owner.password }),
      ).toRedirectTo("/");
      expect(performance.now() - started).toBeGreaterThan(1_900);

      const target = await world.owner();
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await guess(target.email)).status);
      expect(statuses).toEqual([400, 400, 400, 429]);
      // Nor does it cost anyone elsewhere.
      const { email, password } = target;
      expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
    });
  });

  it("are slowed down everywhere when they come from everywhere", async () => {
    await world.anonymous().post("/login", { email: "first@example.test", password: "guess" });
    // As after a thousand: only this count has no network in its key.
    await world.sql("update public.rate_limits set hits = 1000 where hits < 1000");
    const { email, password } = await world.owner();
    const started = performance.now();
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
    expect(performance.now() - started).toBeGreaterThan(1_900);
    await world.sql("delete from public.rate_limits");
  });
});

describe("the auth service", () => {
  it("sends no link that signs in anyone who opens it, although anyone may ask for one", async () => {
    const { email } = await world.owner();
    const response = await fetch(`${world.supabase.url}/auth/v1/otp`, {
      method: "POST",
      headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify({ email, create_user: false }),
    });
    expect(response.status).toBe(200);
    const mail = world.mail(email);
    expect(mail.subject).toBe("How to sign in");
    expect(mail.links).toEqual([`${world.appUrl}/login`]);
    expect(mail.text).not.toMatch(/\d{6}/);
  });

  const sentTo = async (path: string, secretKey: string) => {
    const { SUPABASE_SECRET_KEY: own } = process.env;
    const sent: { visitor: string | null; key: string | null }[] = [];
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/${path}`, ({ request: { headers } }) => {
        sent.push({ visitor: headers.get("Sb-Forwarded-For"), key: headers.get("apikey") });
        return passthrough();
      }),
    );
    const person = world.anonymous();
    const { email, password } = await world.owner();
    Object.assign(environment, { supabaseSecretKey: secretKey });
    await person.post("/login", { email, password });
    Object.assign(environment, { supabaseSecretKey: own });
    return { sent, person };
  };

  it("learns which visitor signs in, so that its limits count each visitor separately", async () => {
    const { sent, person } = await sentTo("token", world.supabase.secretKey);
    expect(sent).toEqual([{ visitor: person.address, key: world.supabase.secretKey }]);
  });

  it("isn't given the visitor's address with an older secret key, with which it accepts none", async () => {
    const role = Buffer.from('{"role":"service_role"}').toString("base64url");
    const { sent } = await sentTo("token", `e30.${role}.signature`);
    expect(sent).toEqual([{ visitor: null, key: world.supabase.publishableKey }]);
  });
});
