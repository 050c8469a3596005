/** Sessions while a part of Supabase fails: no one is signed out whose session has not ended. */
import { http, HttpResponse, passthrough } from "msw";
import { describe, expect, it } from "vitest";

import { useLongDeadlines } from "../support/long-deadlines";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

import { ageSession } from "./age-session";
import { breakDown, faults, recover } from "./outage";

const world = await createWorld();
const { sessionCookie } = await import("~/http/cookies.server");
const data = `${world.supabase.url}/rest/v1/*`;
const auth = `${world.supabase.url}/auth/v1/*`;

type CookieValue = { a: string; r: string; e: number };
const readTokens = async (person: { cookies: { header(): string | null } }) =>
  (await sessionCookie().parse(person.cookies.header())) as CookieValue;

describe("tokens that were refreshed just before the database failed", () => {
  it("are stored, since the old ones are used up", async () => {
    const person = await world.owner();
    await ageSession(person, -100);
    const before = await readTokens(person);
    breakDown(data, faults["answers 503"]!);

    expect(await person.get("/listings")).toHaveStatus(503);

    const after = await readTokens(person);
    expect(after.r).not.toBe(before.r);
    recover();
    breakDown(auth, faults["refuses the connection"]!);
    expect(await person.get("/listings")).toHaveStatus(200);
  });

  it("stay valid for a new password when the session began with a recovery link", async () => {
    const owner = await world.owner();
    const person = world.anonymous();
    await person.post("/recovery", { email: owner.email });
    await person.post("/recovery/new", {
      intent: "openLink",
      token_hash: world.mail(owner.email).token,
    });
    const { beginRecovery, serializeSession } = await import("~/http/session.server");
    const { a, r } = await readTokens(person);
    const tokens = { accessToken: a, refreshToken: r, expiresAt: 1 };
    person.cookies.store(
      new Headers({
        "Set-Cookie": await serializeSession(tokens, beginRecovery(tokens)),
      }),
    );
    breakDown(data, faults["answers 503"]!);
    await person.get("/account");
    recover();
    expect(await person.get("/recovery/new")).toHaveStatus(200);
  });
});

describe("twenty simultaneous requests with one expired session", () => {
  it("refresh it once, and all succeed", async () => {
    useLongDeadlines();
    const person = await world.owner();
    await ageSession(person, -100);
    let renewals = 0;
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/token`, () => {
        renewals += 1;
        return passthrough();
      }),
    );
    const tabs = Array.from({ length: 20 }, () => person.otherTab());
    const answers = await Promise.all(tabs.map((tab) => tab.get("/listings")));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(renewals).toBe(1);
  });

  it("are all answered 503 when the refresh fails, and all succeed later", async () => {
    useLongDeadlines();
    const person = await world.owner();
    await ageSession(person, -100);
    breakDown(auth, faults["answers 502"]!);
    const tabs = Array.from({ length: 20 }, () => person.otherTab());
    const failed = await Promise.all(tabs.map((tab) => tab.get("/listings")));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]));
    recover();
    const answers = await Promise.all(tabs.map((tab) => tab.get("/listings")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a link from the app", () => {
  it("does not replace a session that can’t be verified at the moment", async () => {
    const [here, other] = [await world.owner(), await world.owner()];
    const token = (await readTokens(other)).a;
    await ageSession(here, -100);
    const before = here.cookies.get("session");
    breakDown(auth, faults["answers 503"]!);
    expect(await here.get(`/listings?token=${token}`)).toHaveStatus(503);
    expect(await here.get("/listings?token=garbage")).toHaveStatus(503);
    expect(here.cookies.get("session")).toBe(before);
    recover();
    expect((await here.page("/account")).value("email")).toBe(here.email);
  });

  it.each([
    ["answers 503", 503],
    ["answers 429", 429],
  ])(
    "is not reported as invalid when the auth service %s, and can be opened again",
    async (fault, status) => {
      const owner = await world.owner();
      const visitor = world.anonymous();
      const link = `/listings?token=${(await readTokens(owner)).r}`;
      breakDown(auth, faults[fault]!);
      expect(await visitor.get(link)).toHaveStatus(status);
      recover();
      expect(await visitor.get(link)).toRedirectTo("/switch-account");
      await visitor.post("/switch-account", { intent: "switch" });
      expect(await visitor.get("/listings")).toHaveStatus(200);
    },
  );

  it("can be opened again when the database failed just after its token was refreshed", async () => {
    const owner = await world.owner();
    const visitor = world.anonymous();
    const link = `/listings?token=${(await readTokens(owner)).r}`;
    breakDown(data, faults["answers 503"]!);
    expect(await visitor.get(link)).toHaveStatus(503);
    recover();
    expect(await visitor.get(link)).toRedirectTo("/switch-account");
    await visitor.post("/switch-account", { intent: "switch" });
    expect(await visitor.get("/listings")).toHaveStatus(200);
  });

  it("that is invalid does not lose the session that was refreshed in the same request", async () => {
    const here = await world.owner();
    await ageSession(here, 10);
    const before = await readTokens(here);
    const answer = await here.get("/listings?token=garbage");
    expect(answer).toRedirectTo("/listings");
    expect((await readTokens(here)).r).not.toBe(before.r);
  });
});

describe("a session that has ended in the database", () => {
  it("ends here, and its cookie is removed, although its token has not expired", async () => {
    const owner = await world.owner();
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    const answer = await owner.get("/listings");
    expect(answer).toAskForSignIn();
    expect(owner.cookies.get("session")).toBeUndefined();
  });

  it("ends when the password was changed elsewhere", async () => {
    const owner = await world.owner();
    const elsewhere = await world.signIn(owner);
    await elsewhere.post("/recovery", { email: owner.email });
    await elsewhere.post("/recovery/new", {
      intent: "openLink",
      token_hash: world.mail(owner.email).token,
    });
    const password = "another fine one 88";
    expect(
      await elsewhere.post("/recovery/new", {
        intent: "save",
        password,
        confirm_password: password,
      }),
    ).toHaveStatus(303);
    expect(await owner.get("/listings")).toAskForSignIn();
    expect(owner.cookies.get("session")).toBeUndefined();
    expect(await elsewhere.get("/listings")).toHaveStatus(200);
  });

  it("continues by its refresh token when only the project’s signing key changed", async () => {
    const owner = await world.owner();
    const { a } = await readTokens(owner);
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/my_session`, ({ request }) =>
        request.headers.get("Authorization") === `Bearer ${a}`
          ? HttpResponse.json(
              { code: "PGRST301", message: "No suitable key", details: null, hint: null },
              { status: 401 },
            )
          : passthrough(),
      ),
    );
    // The stand-in's tokens contain their second, so that the new one differs.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await owner.get("/listings")).toHaveStatus(200);
    expect((await readTokens(owner)).a).not.toBe(a);
  });
});
