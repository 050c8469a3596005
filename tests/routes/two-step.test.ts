/** Two-step sign-in: turning it on, the second step, recovery codes, and what needs a code again. */
import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { ageSession } from "../faults/age-session";
import { createAuthenticator, findRecoveryCodes, turnOnTwoStep } from "../support/authenticator";
import { insertJob } from "../support/buyer";
import { accountForm, listingForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { sessionCookie } = await import("~/http/cookies.server");
const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");

async function withTwoStep() {
  const owner = await world.owner();
  return { owner, app: await turnOnTwoStep(world, owner) };
}

/** Another browser, where the password was entered and the code was not. */
async function halfSignedIn({ email, password }: Member): Promise<Person> {
  const person = world.anonymous();
  await person.post("/login", { email, password });
  return person;
}

async function readTokens(person: Person) {
  return (await sessionCookie().parse(person.cookies.header())) as { a: string; r: string };
}

/** What the data API answers with the access token in someone's cookie. */
async function askDataApi(person: Person, path: string, body?: object) {
  const response = await fetch(`${world.supabase.url}/rest/v1/${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      apikey: world.supabase.publishableKey,
      Authorization: `Bearer ${(await readTokens(person)).a}`,
      "Content-Type": "application/json",
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

const wrongCode = (right: string) => (right === "000000" ? "111111" : "000000");
const factorsOf = ({ id }: Member) =>
  world.sql("select status::text from auth.mfa_factors where user_id = $1", [id]);

describe("turning it on", () => {
  it("of a further app past the dashboard is reported, as is the removal of one, and who didn’t do it reads what they can do", async () => {
    const { owner } = await withTwoStep();
    const report = async (subject: string) => {
      await expect
        .poll(
          async () => {
            await deliverEmailQueue();
            return world.mail(owner.email).subject;
          },
          { timeout: 30_000 },
        )
        .toBe(subject);
      return world.mail(owner.email).text;
    };
    await world.sql(
      "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at) values (gen_random_uuid(), $1, 'totp', 'unverified', now(), now())",
      [owner.id],
    );
    await world.sql("update auth.mfa_factors set status = 'verified' where user_id = $1", [
      owner.id,
    ]);
    // In this order: someone who is still signed in could turn it on again with their app alone.
    expect(await report("Another authenticator app was added")).toMatch(
      /Change your password now.*signs out everyone else.*Then turn two-step sign-in off/s,
    );
    // The user's own app: without its codes, they can't change the password.
    await world.sql(
      "delete from auth.mfa_factors where id = (select id from auth.mfa_factors where user_id = $1 order by created_at limit 1)",
      [owner.id],
    );
    expect(await report("An authenticator app was removed")).toContain(
      "If codes from your app don’t work anymore, sign in with a recovery code, or get in touch with us.",
    );
  });

  it("takes the password, a first code, and shows ten recovery codes once", async () => {
    const owner = await world.owner();
    expect(await owner.page("/account")).toSay("Turn it on");
    const start = { intent: "start" };
    expect(await owner.post("/account/two-step", start)).toBeRefusedWith("Enter your password.", {
      field: "current_password",
    });
    expect(
      await owner.post("/account/two-step", { ...start, current_password: "wrong" }),
    ).toBeRefusedWith(/^That isn’t your password/, { field: "current_password" });
    expect(await factorsOf(owner)).toEqual([]);

    expect(
      await owner.post("/account/two-step", { ...start, current_password: owner.password }),
    ).toRedirectTo("/account/two-step/new");
    const page = await owner.page("/account/two-step/new");
    const secret = /Key: ((?:[A-Z2-7]{4} ?){8})/.exec(page.text)![1]!;
    expect(page.body).toContain('src="/account/two-step/qr.svg"');
    expect(page.body).toMatch(
      /<a href="otpauth:\/\/totp\/[^"]+"[^>]*>Open in my authenticator app</,
    );
    const picture = await owner.get("/account/two-step/qr.svg");
    expect(picture.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
    expect(picture.headers.get("cache-control")).toBe("no-store");
    expect(picture.body).toMatch(/^<svg [^>]+><rect [^>]+><path d="M[\dMhvz -]+"\/><\/svg>$/);

    // No browser sends them to who translates its pages.
    expect(page.body).toMatch(/<code [^>]*translate="no"[^>]*>(?:[A-Z2-7]{4} ?){8}</);

    const app = createAuthenticator(world, secret);
    const code = await app.code();
    const rejected = await owner.submit("/account/two-step/new", { app_code: wrongCode(code) });
    expect(rejected).toHaveStatus(400);
    expect(rejected).toSay("That code isn’t right.");
    expect(rejected).toSay(secret.trim());
    expect(await owner.post("/account/two-step/new", { app_code: "12" })).toBeRefusedWith(
      /6 digits/,
      { field: "app_code" },
    );
    expect(await factorsOf(owner)).toEqual([{ status: "unverified" }]);

    expect(
      await owner.post("/account/two-step/new", {
        app_code: `${code.slice(0, 3)} ${code.slice(3)}`,
      }),
    ).toRedirectTo("/account/two-step/codes");
    expect(await factorsOf(owner)).toEqual([{ status: "verified" }]);
    const shown = await owner.page("/account/two-step/codes");
    const codes = findRecoveryCodes(shown);
    expect(new Set(codes).size).toBe(10);
    expect(shown.body.match(/<code translate="no">/g)).toHaveLength(10);
    expect(await owner.get("/account/two-step/codes")).toRedirectTo("/account/two-step");
    expect(await owner.page("/account/two-step")).toSay("You have 10 recovery codes");

    const stored = JSON.stringify(
      await world.sql("select * from private.recovery_codes where user_id = $1", [owner.id]),
    );
    for (const one of codes) expect(stored).not.toContain(one);
    expect((await world.mailAbout(owner.email, "Two-step sign-in is on")).text).toContain(
      "Wasn’t this you? Please get in touch with us now",
    );
    expect(await owner.page("/account")).toSay("It’s on.");
  });

  it("tells no one who sends the form again to remove the entry of an app that is theirs now", async () => {
    const { owner } = await withTwoStep();
    expect(await owner.post("/account/two-step/new", { app_code: "123456" })).toRedirectTo(
      "/account/two-step",
    );
    const page = await owner.page("/account/two-step");
    expect(page).toSay("Two-step sign-in is on. Keep the entry in your authenticator app.");
    expect(page).not.toSay("remove the entry");
  });

  it("has the entry kept when its button was pressed twice, or the answer was lost: it may be on", async () => {
    const kept = /^We can’t tell whether two-step sign-in is on now, so keep the entry/;
    const begin = async () => {
      const owner = await world.owner();
      await owner.post("/account/two-step", { intent: "start", current_password: owner.password });
      const { text } = await owner.page("/account/two-step/new");
      const app = createAuthenticator(world, /Key: ((?:[A-Z2-7]{4} ?){8})/.exec(text)![1]!);
      return { owner, form: { app_code: await app.code() } };
    };
    const twice = await begin();
    const tabs = [twice.owner, twice.owner.otherTab()];
    const answers = await Promise.all(
      tabs.map((tab) => tab.post("/account/two-step/new", twice.form)),
    );
    expect(answers.find(({ status }) => status !== 303)).toBeRefusedWith(kept, {
      field: "app_code",
    });

    const lost = await begin();
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/factors/:id/verify`, () => HttpResponse.error()),
    );
    expect(await lost.owner.post("/account/two-step/new", lost.form)).toBeRefusedWith(kept, {
      field: "app_code",
      status: 503,
    });
    outside.resetHandlers();
  });

  it("keeps this browser signed in, and signs the others out", async () => {
    const owner = await world.owner();
    const other = await world.signIn(owner);
    await turnOnTwoStep(world, owner);
    expect(await owner.get("/account")).toHaveStatus(200);
    expect(await other.get("/account")).toAskForSignIn();
  });

  it("can be begun again, which replaces what was begun", async () => {
    const owner = await world.owner();
    const start = { intent: "start", current_password: owner.password };
    await owner.post("/account/two-step", start);
    await owner.post("/account/two-step", start);
    expect(await factorsOf(owner)).toHaveLength(1);
  });

  it("says so in a tab whose key was replaced in another one, and shows the key that counts", async () => {
    const owner = await world.owner();
    const start = { intent: "start", current_password: owner.password };
    const readForm = async () => {
      const { body } = await owner.page("/account/two-step/new");
      return { app: /name="app" value="([^"]+)"/.exec(body)![1]! };
    };
    await owner.post("/account/two-step", start);
    const first = await readForm();
    await owner.post("/account/two-step", start);
    const sent = { ...first, app_code: "123456" };
    expect(await owner.post("/account/two-step/new", sent)).toRedirectTo("/account/two-step/new");
    expect(await owner.page("/account/two-step/new")).toSay("replaced the key that was here");
    const latest = { ...(await readForm()), app_code: "123456" };
    expect(await owner.post("/account/two-step/new", latest)).toBeRefusedWith(
      /^That code isn’t right/,
      { field: "app_code" },
    );
  });

  it("leads back when another user signed in, or when it took too long", async () => {
    const owner = await world.owner();
    const start = { intent: "start", current_password: owner.password };
    await owner.post("/account/two-step", start);
    await world.sql("delete from auth.mfa_factors where user_id = $1", [owner.id]);
    expect(await owner.post("/account/two-step/new", { app_code: "123456" })).toRedirectTo(
      "/account/two-step",
    );
    expect(await owner.page("/account/two-step")).toSay("Setup took too long");

    await owner.post("/account/two-step", start);
    const next = await world.owner();
    const [, cookie] = /(?:^|; )(authenticator=[^;]+)/.exec(owner.cookies.header()!)!;
    next.cookies.store(new Headers({ "Set-Cookie": cookie! }));
    expect(await next.get("/account/two-step/new")).toRedirectTo("/account/two-step");
    expect(await next.get("/account/two-step/qr.svg")).toBeNotFound();
  });

  it("names no directory in the authenticator app in discreet mode", async () => {
    const issuerFor = async (owner: Member) => {
      await owner.post("/account/two-step", {
        intent: "start",
        current_password: owner.password,
      });
      const { authenticatorCookie } = await import("~/http/cookies.server");
      const { uri } = (await authenticatorCookie().parse(owner.cookies.header())) as {
        uri: string;
      };
      return new URL(uri).searchParams.get("issuer");
    };
    const { env } = await import("~/env.server");
    expect(await issuerFor(await world.owner())).toBe(env().appName);
    const discreet = await world.owner();
    await discreet.post("/privacy", { intent: "discreet" });
    expect(await issuerFor(discreet)).toBe("Dashboard");
  });
});

describe("the second step", () => {
  it("comes after the password, and keeps where one wanted to go", async () => {
    const { owner, app } = await withTwoStep();
    const person = world.anonymous();
    const { email, password } = owner;
    expect(
      await person.post("/login", { email, password, redirectTo: "/listings?needs=you" }),
    ).toRedirectTo("/login/code?redirectTo=%2Flistings%3Fneeds%3Dyou");

    for (const path of ["/", "/account", "/listings", "/account/two-step", "/privacy/my-data.json"])
      expect(await person.get(path)).toRedirectTo(
        `/login/code?redirectTo=${encodeURIComponent(path)}`,
      );
    expect(await person.get("/login?redirectTo=/jobs")).toRedirectTo(
      "/login/code?redirectTo=%2Fjobs",
    );
    const page = await person.page("/login/code?redirectTo=/listings");
    expect(page.heading).toBe("Two-step sign-in");
    expect(page).not.toSay(owner.fullName);
    expect(page).not.toSay("Logout");

    const code = await app.code();
    const rejected = await person.submit("/login/code", {
      intent: "verify",
      app_code: wrongCode(code),
      redirectTo: "/listings",
    });
    expect(rejected).toHaveStatus(400);
    expect(rejected).toSay("That code isn’t right.");
    expect(await person.get("/account")).toRedirectTo("/login/code?redirectTo=%2Faccount");

    expect(
      await person.post("/login/code", {
        intent: "verify",
        app_code: code,
        redirectTo: "/listings",
      }),
    ).toRedirectTo("/listings");
    expect((await person.page("/account")).value("email")).toBe(email);
  });

  it("refuses a code that was used, also in another browser and at the same moment", async () => {
    const { owner, app } = await withTwoStep();
    const thief = await halfSignedIn(owner);
    const form = { intent: "verify", app_code: app.last() };
    expect(await thief.post("/login/code", form)).toBeRefusedWith(/already used/, {
      field: "app_code",
    });

    const [one, two] = [await halfSignedIn(owner), await halfSignedIn(owner)];
    const fresh = { intent: "verify", app_code: await app.code() };
    const answers = await Promise.all([one, two].map((tab) => tab.post("/login/code", fresh)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  it("accepts a code again that was never sent, because the service did not answer before", async () => {
    const { owner, app } = await withTwoStep();
    const person = await halfSignedIn(owner);
    const form = { intent: "verify", app_code: await app.code() };
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/factors/:id/challenge`, () => HttpResponse.error()),
    );
    // As often as a code may be wrong, too.
    for (let turn = 0; turn < 10; turn += 1)
      expect(await person.post("/login/code", form)).toHaveStatus(503);
    outside.resetHandlers();
    expect(await person.post("/login/code", form)).toHaveStatus(303);
  });

  it("accepts a code that was mistyped before it became right", async () => {
    const { owner, app } = await withTwoStep();
    const code = await app.code();
    const person = await halfSignedIn(owner);
    const wrong = { intent: "verify", app_code: wrongCode(code) };
    for (let turn = 0; turn < 2; turn += 1)
      expect(await person.post("/login/code", wrong)).toBeRefusedWith(/isn’t right/);
  });

  it("ends after too many wrong codes, with the time to wait", async () => {
    const { owner, app } = await withTwoStep();
    const person = await halfSignedIn(owner);
    const wrong = wrongCode(await app.code());
    for (let turn = 0; turn < 10; turn += 1)
      await person.post("/login/code", { intent: "verify", app_code: wrong });
    const limited = await person.post("/login/code", { intent: "verify", app_code: app.last() });
    expect(limited).toBeRefusedWith(/Please wait 15 minutes/, { status: 429, field: "app_code" });
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("has nothing to read or write in the data API", async () => {
    const { owner } = await withTwoStep();
    await world.listing({ owner, status: "new", name: "Behind The Second Step" });
    const person = await halfSignedIn(owner);
    for (const table of ["profiles", "places", "consents", "places_with_stats"])
      expect(await askDataApi(person, table)).toEqual({ status: 200, body: [] });
    expect((await askDataApi(owner, "places?select=name")).body).toEqual([
      { name: "Behind The Second Step" },
    ]);
    expect(await askDataApi(person, "rpc/issue_handoff_code", {})).toMatchObject({ status: 403 });
    expect(await askDataApi(person, "rpc/create_recovery_codes", {})).toMatchObject({
      status: 403,
    });
    expect(await askDataApi(person, "rpc/turn_off_second_step", {})).toMatchObject({ status: 403 });
    const { body } = await askDataApi(person, "rpc/my_session", {});
    expect(Object.keys(body as object).sort()).toEqual([
      "discreet",
      "email",
      "factors",
      "second_step_due",
      "user_id",
    ]);
  });

  it("stays done when the tokens are refreshed", async () => {
    const { owner } = await withTwoStep();
    const before = await readTokens(owner);
    await ageSession(owner, 0);
    expect((await owner.page("/account")).value("email")).toBe(owner.email);
    expect((await readTokens(owner)).r).not.toBe(before.r);
    await ageSession(owner, 0);
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("can be left by signing out", async () => {
    const { owner } = await withTwoStep();
    const person = await halfSignedIn(owner);
    const { a: token } = await readTokens(person);
    expect(await person.post("/logout")).toRedirectTo("/login");
    expect(await person.get("/login")).toHaveStatus(200);
    const session = await fetch(`${world.supabase.url}/auth/v1/user`, {
      headers: { apikey: world.supabase.publishableKey, Authorization: `Bearer ${token}` },
    });
    expect(session.status).toBe(403);
  });

  it("brings a form back that was sent without it", async () => {
    const { owner, app } = await withTwoStep();
    const person = await halfSignedIn(owner);
    const sent = await person.post(
      "/account",
      accountForm({ email: owner.email, pronouns: "ze/zir" }),
    );
    expect(sent.location).toMatch(/^\/login\/code\?redirectTo=%2Fresume%3Fform%3D/);
    const to = new URL(sent.location!, world.appUrl).searchParams.get("redirectTo")!;
    expect(
      await person.post("/login/code", {
        intent: "verify",
        app_code: await app.code(),
        redirectTo: to,
      }),
    ).toRedirectTo(to);
    expect(await person.page(to)).toSay("ze/zir");
  });

  it("comes after a link of the mobile app, too", async () => {
    const { owner, app } = await withTwoStep();
    const { body: code } = await askDataApi(owner, "rpc/issue_handoff_code", {});
    const person = world.anonymous();
    expect(await person.get(`/listings?token=${code as string}`)).toRedirectTo("/switch-account");
    expect(await person.page("/switch-account")).toSay(owner.email);
    expect(await person.post("/switch-account", { intent: "switch" })).toRedirectTo("/listings");
    expect(await person.get("/listings")).toRedirectTo("/login/code?redirectTo=%2Flistings");

    // Where the same user is signed in already, the link changes nothing.
    const { body: second } = await askDataApi(owner, "rpc/issue_handoff_code", {});
    expect(await owner.get(`/listings?token=${second as string}`)).toRedirectTo("/listings");
    expect(await owner.get("/listings")).toHaveStatus(200);

    // A token that has passed it needs no other code.
    const { a: token } = await readTokens(owner);
    const tablet = world.anonymous();
    await tablet.get(`/listings?token=${token}`);
    await tablet.post("/switch-account", { intent: "switch" });
    expect(await tablet.get("/listings")).toHaveStatus(200);
    expect(app.recoveryCodes).toHaveLength(10);
  });

  it("comes before a new password", async () => {
    const { owner, app } = await withTwoStep();
    const person = world.anonymous();
    await person.post("/recovery", { email: owner.email });
    const { link } = await world.mailAbout(owner.email, "Choose a new password");
    const token = (await person.page(link)).value("token_hash");
    expect(
      await person.post("/recovery/new", { intent: "openLink", token_hash: token }),
    ).toRedirectTo("/recovery/new");
    const passwords = {
      intent: "save",
      password: "a much better one 77",
      confirm_password: "a much better one 77",
    };
    expect((await person.post("/recovery/new", passwords)).location).toMatch(/^\/login\?/);
    expect(await person.get("/recovery/new")).toRedirectTo("/login?redirectTo=%2Frecovery%2Fnew");
    expect(await person.get("/login?redirectTo=/recovery/new")).toRedirectTo(
      "/login/code?redirectTo=%2Frecovery%2Fnew",
    );
    expect(
      await person.post("/login/code", {
        intent: "verify",
        app_code: await app.code(),
        redirectTo: "/recovery/new",
      }),
    ).toRedirectTo("/recovery/new");
    expect(await person.get("/account"), "without a new password").toRedirectTo("/recovery/new");
    expect(await person.post("/recovery/new", passwords)).toRedirectTo("/recovery/new?done=yes");
    expect(await person.get("/account")).toHaveStatus(200);
  });
});

describe("a recovery code", () => {
  it("signs in once, and turns two-step sign-in off", async () => {
    const { owner, app } = await withTwoStep();
    const [first, second] = app.recoveryCodes;
    const person = await halfSignedIn(owner);
    const rejected = await person.submit("/login/code", {
      intent: "recover",
      recovery_code: "00000-00000-00000",
    });
    expect(rejected).toHaveStatus(400);
    expect(rejected).toSay("That isn’t one of your recovery codes");
    expect(rejected.body).toContain("<details open");

    expect(
      await person.post("/login/code", {
        intent: "recover",
        recovery_code: ` ${first!.toUpperCase().replaceAll("-", " ")} `,
        redirectTo: "/listings",
      }),
    ).toRedirectTo("/listings");
    expect(await person.page("/listings")).toSay("Your recovery code turned off two-step sign-in");
    // Sent again, after its answer was lost, it says that, too.
    const again = { intent: "recover", recovery_code: first!, redirectTo: "/listings" };
    expect(await person.post("/login/code", again)).toRedirectTo("/listings");
    expect(await person.page("/listings")).toSay("You’re signed in, and two-step sign-in is off.");
    expect(await factorsOf(owner)).toEqual([]);
    await world.mailAbout(owner.email, "A recovery code was used");

    // Neither it nor the others work for the next authenticator app.
    const later = await world.signIn(owner);
    await turnOnTwoStep(world, later);
    for (const code of [first!, second!])
      expect(
        await (
          await halfSignedIn(owner)
        ).post("/login/code", { intent: "recover", recovery_code: code }),
      ).toBeRefusedWith(/isn’t one of your recovery codes/, { field: "recovery_code" });
  });

  it("says that two-step sign-in is off when its button was pressed twice, also in the second answer", async () => {
    const { owner, app } = await withTwoStep();
    const person = await halfSignedIn(owner);
    const form = {
      intent: "recover",
      recovery_code: app.recoveryCodes[0]!,
      redirectTo: "/listings",
    };
    const tabs = [person, person.otherTab()];
    const answers = await Promise.all(tabs.map((tab) => tab.post("/login/code", form)));
    for (const answer of answers) expect(answer).toRedirectTo("/listings");
    for (const tab of tabs)
      expect((await tab.page("/listings")).text).toMatch(
        /turned off two-step sign-in|two-step sign-in is off/,
      );
  });

  it("of another user is wrong", async () => {
    const [{ owner }, { app: other }] = [await withTwoStep(), await withTwoStep()];
    const person = await halfSignedIn(owner);
    expect(
      await person.post("/login/code", {
        intent: "recover",
        recovery_code: other.recoveryCodes[0]!,
      }),
    ).toBeRefusedWith(/isn’t one of your recovery codes/);
  });

  it("can be tried ten times, also at the data API", async () => {
    const { owner, app } = await withTwoStep();
    const person = await halfSignedIn(owner);
    for (let turn = 0; turn < 10; turn += 1)
      expect(await askDataApi(person, "rpc/use_recovery_code", { code: "wrong" })).toEqual({
        status: 200,
        body: { used: false, wait: 0 },
      });
    expect(
      await person.post("/login/code", {
        intent: "recover",
        recovery_code: app.recoveryCodes[0]!,
      }),
    ).toBeRefusedWith(/Please wait 15 minutes/, { status: 429, field: "recovery_code" });
  });

  it("is replaced by a new set, which takes a code of the app", async () => {
    const { owner, app } = await withTwoStep();
    expect(await owner.post("/account/two-step", { intent: "codes" })).toBeRefusedWith(
      /Enter the code/,
      { field: "app_code" },
    );
    const created = await owner.post("/account/two-step", {
      intent: "codes",
      app_code: await app.code(),
    });
    expect(created).toRedirectTo("/account/two-step/codes");
    // Someone else who signs in to the same browser meanwhile doesn't see them.
    const next = await world.owner();
    const cookie = created.headers.getSetCookie().find((one) => one.includes("recovery-codes"))!;
    next.cookies.store(new Headers({ "set-cookie": cookie }));
    expect(await next.get("/account/two-step/codes")).toRedirectTo("/account/two-step");
    const fresh = findRecoveryCodes(await owner.page("/account/two-step/codes"));
    expect(fresh).toHaveLength(10);
    const person = await halfSignedIn(owner);
    const recover = (code: string) =>
      person.post("/login/code", { intent: "recover", recovery_code: code });
    expect(await recover(app.recoveryCodes[0]!)).toBeRefusedWith(/isn’t one of your/);
    expect(await recover(fresh[0]!)).toRedirectTo("/");
  });

  it("can't be created with a token whose code is ten minutes old", async () => {
    const { owner } = await withTwoStep();
    await world.sql(
      "update auth.mfa_amr_claims set updated_at = updated_at - interval '11 minutes'",
    );
    await ageSession(owner, 0);
    await owner.get("/account");
    expect(await askDataApi(owner, "rpc/create_recovery_codes", {})).toMatchObject({
      status: 400,
      body: { message: "second_step_code_needed" },
    });
  });
});

describe("asking again", () => {
  it("a new email address takes the password, and nothing is saved without", async () => {
    const owner = await world.owner();
    const form = accountForm({
      email: `moved-${owner.email}`,
      full_name: "New Name",
    });
    expect(await owner.page("/account")).not.toSay("Your password");
    const asked = await owner.submit("/account", form);
    expect(asked).toHaveStatus(400);
    expect(asked).toSay("Your password");
    expect(asked).toSay("Enter your password.");
    expect(await owner.post("/account", { ...form, current_password: "wrong" })).toBeRefusedWith(
      /^That isn’t your password/,
      { field: "current_password" },
    );
    expect((await world.row("profiles", owner.id))!["full_name"]).toBe(owner.fullName);
    expect(
      await owner.post("/account", { ...form, current_password: owner.password }),
    ).toRedirectTo("/account");
    expect(await owner.page("/account")).toSay("To change your email address, open the links");
    // The check itself left no session behind.
    const [count] = await world.sql(
      "select count(*)::int as n from auth.sessions where user_id = $1",
      [owner.id],
    );
    expect(count!["n"]).toBe(1);
  });

  it("counts no password that the service didn’t answer to", async () => {
    const owner = await world.owner();
    const form = { intent: "start", current_password: owner.password };
    outside.use(http.post(`${world.supabase.url}/auth/v1/token`, () => HttpResponse.error()));
    for (let turn = 0; turn < 10; turn += 1)
      expect(await owner.post("/account/two-step", form)).toHaveStatus(503);
    outside.resetHandlers();
    expect(await owner.post("/account/two-step", form)).toRedirectTo("/account/two-step/new");
  });

  it("limits how often a password can be tried", async () => {
    const owner = await world.owner();
    const form = accountForm({ email: `moved-${owner.email}`, current_password: "wrong" });
    for (let turn = 0; turn < 10; turn += 1) await owner.post("/account", form);
    expect(
      await owner.post("/account", { ...form, current_password: owner.password }),
    ).toBeRefusedWith(/Please wait/, { status: 429, field: "current_password" });
  });

  it("with two-step sign-in on, the code is asked for and not the password", async () => {
    const { owner, app } = await withTwoStep();
    const form = accountForm({
      email: `moved-${owner.email}`,
      current_password: owner.password,
    });
    expect(await owner.post("/account", form)).toBeRefusedWith(/Enter the code/, {
      field: "app_code",
    });
    const asked = await owner.submit("/account", {
      ...form,
      app_code: wrongCode(await app.code()),
    });
    expect(asked).toSay("Code from your authenticator app");
    expect(asked).not.toSay("Your password");
    expect(asked.value("app_code") ?? "").toBe("");
    expect(await owner.post("/account", { ...form, app_code: app.last() })).toRedirectTo(
      "/account",
    );
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("turning it off takes the code", async () => {
    const { owner, app } = await withTwoStep();
    const off = { intent: "turnOff" };
    expect(await owner.post("/account/two-step", off)).toBeRefusedWith(/Enter the code/);
    expect(await owner.post("/account/two-step", { ...off, app_code: app.last() })).toBeRefusedWith(
      /already used/,
    );
    expect(await factorsOf(owner)).toHaveLength(1);
    expect(
      await owner.post("/account/two-step", { ...off, app_code: await app.code() }),
    ).toRedirectTo("/account/two-step");
    expect(await owner.page("/account/two-step")).toSay("Two-step sign-in is off.");
    expect(await factorsOf(owner)).toEqual([]);
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
    await world.mailAbout(email, "Two-step sign-in is off");
    expect(
      await world.sql("select from private.recovery_codes where user_id = $1", [owner.id]),
    ).toEqual([]);
  });
});

describe("a button that asks for a code, pressed twice, so that the browser shows the second answer,", () => {
  it.each([
    [
      "new recovery codes",
      "/account/two-step",
      { intent: "codes" },
      /your earlier recovery codes may no longer work/,
    ],
    [
      "turning it off",
      "/account/two-step",
      { intent: "turnOff" },
      /two-step sign-in may be off now/,
    ],
    [
      "deleting the account",
      "/privacy/delete",
      { intent: "delete" },
      /we may be deleting your account already/,
    ],
  ])("says what may be so already: %s", async (_, path, form, said) => {
    const { owner, app } = await withTwoStep();
    const twice = { ...form, app_code: await app.code() };
    const answers = await Promise.all(
      [owner, owner.otherTab()].map((tab) => tab.post(path, twice)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect(answers.find(({ status }) => status === 400)).toBeRefusedWith(said, {
      field: "app_code",
    });
  });
});

describe("for admins", () => {
  it("a session without the second step has no admin page and no admin's row", async () => {
    const admin = await world.admin();
    const owner = await world.owner();
    await world.listing({ owner, status: "new", name: "For Admins Only" });
    expect((await askDataApi(admin, "places?select=name")).body).toContainEqual({
      name: "For Admins Only",
    });

    const app = await turnOnTwoStep(world, admin);
    const half = await halfSignedIn(admin);
    expect(await half.get("/admin")).toRedirectTo("/login/code?redirectTo=%2Fadmin");
    expect((await askDataApi(half, "places?select=name")).body).toEqual([]);
    expect((await askDataApi(half, "profiles?select=id")).body).toEqual([]);
    expect(await askDataApi(half, "rpc/review_dashboard", {})).toMatchObject({ status: 403 });

    const code = { intent: "verify", app_code: await app.code(), redirectTo: "/admin" };
    expect(await half.post("/login/code", code)).toRedirectTo("/admin");
    expect(await half.get("/admin")).toHaveStatus(200);
    expect((await askDataApi(half, "places?select=name")).body).toContainEqual({
      name: "For Admins Only",
    });
  });

  it("can be made mandatory only by an admin who has it on, and then every admin needs it", async () => {
    const [admin, other, owner] = [await world.admin(), await world.admin(), await world.owner()];
    expect(await admin.page("/admin/two-step")).toSay("turn it on for your own account first");
    await admin.post("/admin/two-step", { intent: "require" });
    expect(await admin.page("/admin/two-step")).toSay("Turn on two-step sign-in for your own");
    expect(await other.get("/admin")).toHaveStatus(200);
    expect(
      await askDataApi(owner, "rpc/require_second_step_of_admins", { mandatory: true }),
    ).toMatchObject({ status: 403 });

    await turnOnTwoStep(world, admin);
    expect(await admin.post("/admin/two-step", { intent: "require" })).toRedirectTo(
      "/admin/two-step",
    );
    expect(await admin.page("/admin/two-step")).toSay("Every admin needs two-step sign-in.");
    expect(await admin.page("/admin/audit")).toSay("Two-step sign-in for admins changed");
    const news = await world.mailAbout(other.email, "Two-step sign-in for admins");
    expect(news.text).toContain("Two-step sign-in is now mandatory for all admins.");
    expect(news.link).toBe("/admin/two-step");

    try {
      expect(await other.get("/admin/users")).toRedirectTo(
        "/account/two-step?redirectTo=%2Fadmin%2Fusers",
      );
      expect((await askDataApi(other, "places?select=name")).body).toEqual([]);
      expect(await askDataApi(other, "rpc/review_dashboard", {})).toMatchObject({ status: 403 });
      expect(
        await askDataApi(other, "rpc/require_second_step_of_admins", { mandatory: false }),
      ).toMatchObject({ status: 403 });
      expect(await other.get("/account")).toHaveStatus(200);
      expect(await owner.get("/admin")).toBeForbidden();

      // The way there ends at the page that they wanted to open.
      const page = await other.page("/account/two-step?redirectTo=/admin/users");
      expect(page).toSay("Admins need two-step sign-in");
      expect(page.value("redirectTo")).toBe("/admin/users");
      await turnOnTwoStep(world, other);
      expect(await other.get("/admin/users")).toHaveStatus(200);
    } finally {
      await admin.post("/admin/two-step", { intent: "allow" });
    }
    expect(await world.sql("select enabled from private.settings")).toEqual([{ enabled: false }]);
    await deliverEmailQueue();
    // (Others say that theirs is on, and that it was mandatory.)
    const texts = () =>
      world.supabase.mails.filter(({ to }) => to === other.email).map(({ text }) => text);
    await expect
      .poll(texts)
      .toContainEqual(
        expect.stringMatching(
          /is now optional for all admins\..*someone else may be in an admin’s account/s,
        ),
      );
  });

  it("an admin who is editing what is someone else’s when it becomes mandatory is led to turn it on, and keeps what they typed", async () => {
    const [admin, editor, owner] = [await world.admin(), await world.admin(), await world.owner()];
    const { id } = await world.listing({ owner });
    const page = `/listings/${id}?back=%2Fadmin%2Fpending`;
    expect(await editor.get(page)).toHaveStatus(200);
    await turnOnTwoStep(world, admin);
    await admin.post("/admin/two-step", { intent: "require" });
    try {
      const form = listingForm({ name: "Typed by the team", version: "1", intent: "save" });
      const { location } = await editor.post(page, form);
      expect(location).toMatch(/^\/account\/two-step\?redirectTo=%2Fresume%3Fform%3D/);
      expect(await editor.get(page)).toRedirectTo(
        `/account/two-step?redirectTo=${encodeURIComponent(page)}`,
      );
      const job = await insertJob(world, owner);
      expect(await editor.post(`/jobs/${job}/status`, { intent: "delete" })).toRedirectTo(
        `/account/two-step?redirectTo=%2Fjobs%2F${job}%2Fstatus`,
      );
      // Their own pages are there as before, and for someone else it isn't there.
      const own = await world.listing({ owner: editor });
      expect(await editor.get(`/listings/${own.id}`)).toHaveStatus(200);
      expect(await (await world.owner()).get(page)).toBeNotFound();

      await turnOnTwoStep(world, editor);
      const stashed = await editor.page(
        new URL(location!, world.appUrl).searchParams.get("redirectTo")!,
      );
      expect(stashed.value("name")).toBe("Typed by the team");
      expect(await world.row("places", id)).toMatchObject({ version: 1 });
    } finally {
      await world.sql("update private.settings set enabled = false");
    }
  });

  it("a recovery code leaves an admin without rights until they turn it on again", async () => {
    const admin = await world.admin();
    const app = await turnOnTwoStep(world, admin);
    await admin.post("/admin/two-step", { intent: "require" });
    try {
      const person = await halfSignedIn(admin);
      await person.post("/login/code", {
        intent: "recover",
        recovery_code: app.recoveryCodes[3]!,
        redirectTo: "/admin",
      });
      expect(await person.get("/admin")).toRedirectTo("/account/two-step?redirectTo=%2Fadmin");
      expect((await askDataApi(person, "places?select=name")).body).toEqual([]);
      // The session that had passed the second step, such as that of a lost phone, has ended.
      expect(await admin.get("/admin")).toAskForSignIn();
    } finally {
      await world.sql("update private.settings set enabled = false");
    }
  });
});
