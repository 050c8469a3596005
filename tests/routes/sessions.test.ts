import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { appRoutes, loadRoute } from "../support/app";
import { accountForm, listingForm } from "../support/forms";
import { useLongDeadlines } from "../support/long-deadlines";
import type { Person } from "../support/person";
import { everyThird } from "../support/nightly";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { serializeSession } = await import("~/http/session.server");
const { getAccess } = await import("~/http/route.server");

const modules = await Promise.all(
  appRoutes.map(async ({ id, path }) => ({ path, module: await loadRoute(id) })),
);
// Routes for signed messages accept them from anywhere; tests/contract/routes.test.ts tests those.
const pathsWithForm = modules
  .filter(({ module }) => module.action && getAccess(module.action) !== "signed")
  .map(({ path }) => path);
const pathsWithLoader = modules.filter(({ module }) => module.loader).map(({ path }) => path);

/** The tokens in a user's cookie. The cookie is signed JSON, which only the app can create. */
async function tokensOf(person: Person) {
  const { sessionCookie } = await import("~/http/cookies.server");
  return (await sessionCookie().parse(person.cookies.header())) as {
    a: string;
    r: string;
    e: number;
  };
}

/** A browser with these tokens in a cookie that the app has signed. */
async function withTokens(tokens: {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}) {
  const person = world.anonymous();
  person.cookies.store(new Headers({ "Set-Cookie": await serializeSession(tokens) }));
  return person;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function tokenFor(payload: object, secret: string | null, algorithm = "HS256") {
  const head = `${base64({ alg: secret === null ? "none" : algorithm, typ: "JWT" })}.${base64(payload)}`;
  const signature =
    secret === null ? "" : createHmac("sha256", secret).update(head).digest("base64url");
  return `${head}.${signature}`;
}

/** Expects a redirect to the sign-in page, no session cookie, and working open pages. */
async function expectSignedOut(person: Person) {
  const response = await person.get("/account");
  expect(response).toAskForSignIn();
  expect(await person.page("/login")).toHaveStatus(200);
  expect(await person.page("/listings")).toHaveStatus(302);
}

describe("a forged session cookie", () => {
  it.each([
    "",
    "x",
    "session",
    "bnVsbA==",
    "eyJhIjoxfQ==.forged",
    "%",
    "ÿ".repeat(10),
    "a".repeat(9_000),
    "{}",
    "null.sig",
  ])("is rejected: %j", async (value) => {
    const person = world.anonymous();
    person.cookies.set("session", encodeURIComponent(value));
    await expectSignedOut(person);
  });

  it("is rejected when one character of ours was changed", async () => {
    const owner = await world.owner();
    const value = owner.cookies.get("session")!;
    const at = Math.floor(value.length / 2);
    owner.cookies.set(
      "session",
      value.slice(0, at) + (value[at] === "A" ? "B" : "A") + value.slice(at + 1),
    );
    await expectSignedOut(owner);
  });
});

describe("a token that Supabase did not issue", () => {
  const payloadFor = (owner: Member, more: object = {}) => ({
    sub: owner.id,
    aud: "authenticated",
    role: "authenticated",
    email: owner.email,
    exp: inAnHour(),
    ...more,
  });

  it.each([
    [
      "signed with another key",
      (owner: Member) => tokenFor(payloadFor(owner), "another secret of thirty-two letters"),
    ],
    ["unsigned", (owner: Member) => tokenFor(payloadFor(owner), null)],
    ["without a session", (owner: Member) => tokenFor(payloadFor(owner), world.supabase.jwtSecret)],
    [
      "of a session that never existed",
      (owner: Member) =>
        tokenFor(
          payloadFor(owner, { session_id: "5b0b5b0b-0000-4000-8000-000000000000" }),
          world.supabase.jwtSecret,
        ),
    ],
    [
      "expired",
      (owner: Member) => tokenFor(payloadFor(owner, { exp: 1 }), world.supabase.jwtSecret),
    ],
    [
      "for the service role",
      (owner: Member) =>
        tokenFor(
          payloadFor(owner, { role: "service_role" }),
          "another secret of thirty-two letters",
        ),
    ],
    [
      "of an unknown user",
      () =>
        tokenFor(
          {
            sub: "5b0b5b0b-0000-4000-8000-000000000000",
            role: "authenticated",
            aud: "authenticated",
            exp: inAnHour(),
          },
          world.supabase.jwtSecret,
        ),
    ],
    [
      "cut off",
      (owner: Member) => tokenFor(payloadFor(owner), world.supabase.jwtSecret).slice(0, -10),
    ],
    ["no token", () => "nonsense"],
  ])("is rejected: %s", async (_, make) => {
    const owner = await world.owner();
    await expectSignedOut(
      await withTokens({ accessToken: make(owner), refreshToken: "", expiresAt: inAnHour() }),
    );
  });

  it("is rejected when it is the secret key itself", async () => {
    await expectSignedOut(
      await withTokens({
        accessToken: world.supabase.secretKey,
        refreshToken: "",
        expiresAt: inAnHour(),
      }),
    );
  });
});

describe("an old cookie", () => {
  it("redirects to /login after signing out", async () => {
    const owner = await world.owner();
    const stolen = owner.otherTab();
    await owner.post("/logout");
    await expectSignedOut(stolen);
  });

  it("is the only one that signing out ends: the user's other browsers stay signed in", async () => {
    const owner = await world.owner();
    const elsewhere = await world.signIn(owner);
    await owner.post("/logout");
    expect(await elsewhere.get("/account")).toHaveStatus(200);
  });

  it("redirects to /login after the account was deleted", async () => {
    const owner = await world.owner();
    await world.sql("delete from auth.users where id = $1", [owner.id]);
    await expectSignedOut(owner);
  });

  it("of a former admin opens no admin page", async () => {
    const admin = await world.admin();
    expect(await admin.get("/admin")).toHaveStatus(200);
    await world.sql("update public.profiles set admin = false where id = $1", [admin.id]);
    expect(await admin.get("/admin")).toBeForbidden();
  });
});

describe("a session that is about to expire", () => {
  /** The owner's tokens, with another time of expiry in the cookie. */
  async function ending(owner: Member, seconds: number) {
    const { a, r } = await tokensOf(owner);
    return withTokens({
      accessToken: a,
      refreshToken: r,
      expiresAt: Math.floor(Date.now() / 1000) + seconds,
    });
  }

  it.each([60, 0, -100])("is refreshed in the background (%i s left)", async (seconds) => {
    const person = await ending(await world.owner(), seconds);
    const before = (await tokensOf(person)).r;
    const response = await person.get("/account");
    expect(response).toHaveStatus(200);
    expect(response.setCookies.some((line) => line.startsWith("session="))).toBe(true);
    expect((await tokensOf(person)).r).not.toBe(before);
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("is not refreshed while there is time", async () => {
    const owner = await world.owner();
    expect((await owner.get("/account")).setCookies).toEqual([]);
  });

  it("is refreshed once for twenty simultaneous tabs, which all stay signed in", async () => {
    const person = await ending(await world.owner(), 10);
    useLongDeadlines();
    const tabs = Array.from({ length: 20 }, () => person.otherTab());
    const responses = await Promise.all(tabs.map((tab) => tab.get("/account")));
    for (const response of responses) expect(response).toHaveStatus(200);
    const renewals = responses
      .flatMap(({ calls }) => calls)
      .filter(({ name }) => name === "POST /auth/v1/token");
    expect(renewals).toHaveLength(1);
    for (const tab of tabs) expect(await tab.get("/account")).toHaveStatus(200);
  });

  it("has ended when its refresh token is used up", async () => {
    const owner = await world.owner();
    await expectSignedOut(
      await withTokens({ accessToken: "x.y.z", refreshToken: "used-or-invented", expiresAt: 1 }),
    );
    expect(await owner.get("/account")).toHaveStatus(200);
  });
});

describe("a form of another site", () => {
  const foreign: [string, Parameters<Person["post"]>[2]][] = [
    ["another origin", { origin: "https://evil.example", secFetchSite: "cross-site" }],
    [
      "another origin, from a browser without Sec-Fetch-Site",
      { origin: "https://evil.example", secFetchSite: null },
    ],
    ["no origin at all (null)", { origin: "null", secFetchSite: null }],
    ["a sandboxed frame of our own", { origin: "null", secFetchSite: "same-origin" }],
    [
      "a sibling of our domain",
      { origin: "http://evil.dashboard.test", secFetchSite: "same-site" },
    ],
    ["our name with another port", { origin: "http://dashboard.test:8080", secFetchSite: null }],
    ["our name as a prefix", { origin: "http://dashboard.test.evil.example", secFetchSite: null }],
    ["https and not http", { origin: "https://dashboard.test", secFetchSite: null }],
    [
      "a page known only by the Referer",
      { origin: null, secFetchSite: null, headers: { Referer: "https://evil.example/x" } },
    ],
    ["no known page, without the form token", { origin: null, secFetchSite: null }],
    [
      "a proxy that claims to be us",
      {
        origin: "https://evil.example",
        secFetchSite: null,
        headers: { "X-Forwarded-Host": "evil.example", Host: "evil.example" },
      },
    ],
    [
      "a client that sends our internal header",
      {
        origin: "https://evil.example",
        secFetchSite: null,
        headers: { "X-Dashboard-Origin": "http://dashboard.test" },
      },
    ],
  ];

  it.each(foreign)("is rejected and writes nothing: %s", async (_, options) => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", listingForm(), options);
    expect(response).toBeForbidden();
    expect(await world.sql("select id from public.places where owner = $1", [owner.id])).toEqual(
      [],
    );
  });

  it.each(everyThird(pathsWithForm, 1))(
    "is rejected by %s, as a document request and as a data request",
    async (path) => {
      const admin = await world.admin();
      const listing = await world.listing({ owner: admin });
      const target = path.replace(":id", String(listing.id));
      const options = { origin: "https://evil.example", secFetchSite: "cross-site" };
      expect(await admin.post(target, { intent: "approve" }, options)).toBeForbidden();
      expect(await admin.submit(target, { intent: "approve" }, options)).toBeForbidden();
      expect(await admin.submit(`${target}.data`, { intent: "approve" }, options)).not.toHaveStatus(
        200,
      );
    },
  );

  it.each([
    "text/plain",
    "application/json",
    "",
    "text/plain; x=application/x-www-form-urlencoded",
  ])("is rejected with the content type %j", async (type) => {
    const owner = await world.owner();
    const response = await owner.post("/account", undefined, {
      origin: null,
      secFetchSite: "cross-site",
      body: new URLSearchParams(accountForm({ full_name: "Owned" })).toString(),
      headers: { "Content-Type": type },
    });
    expect([403, 415]).toContain(response.status);
    expect(await world.row("profiles", owner.id)).toMatchObject({ full_name: owner.fullName });
  });
});

describe("a form of our site", () => {
  it("is accepted from a text browser, which sends no origin but the form token", async () => {
    const { email, password } = await world.owner();
    const person = world.anonymous();
    const page = await person.page("/login", { secFetchSite: null });
    const quiet = { origin: null, secFetchSite: null };
    expect(
      await person.post("/login", { email, password, csrf: page.value("csrf") }, quiet),
    ).toRedirectTo("/");
  });

  it("is accepted from a browser that only sends the Referer", async () => {
    const { email, password } = await world.owner();
    const options = {
      origin: null,
      secFetchSite: null,
      headers: { Referer: `${world.appUrl}/login` },
    };
    expect(await world.anonymous().post("/login", { email, password }, options)).toRedirectTo("/");
  });

  it("is rejected with another user's form token", async () => {
    const [owner, attacker] = [await world.owner(), world.anonymous()];
    const token = (await attacker.page("/login")).value("csrf");
    const response = await owner.post("/listings/new", listingForm({ csrf: token }), {
      origin: null,
      secFetchSite: null,
    });
    expect(response).toBeForbidden();
  });
});

describe("opening a page", () => {
  it("never writes, with any query", async () => {
    const admin = await world.admin();
    const listing = await world.listing({ owner: admin, status: "new" });
    const before = await world.sql(
      "select (select count(*) from public.audit_log) as audit, (select max(modified_at) from public.places) as places",
    );
    const query = new URLSearchParams({
      intent: "approve",
      listing: `${listing.id}:1`,
      _method: "POST",
      _action: "approve",
      status: "published",
      admin: "true",
      ...listingForm(),
    });
    for (const path of everyThird(pathsWithLoader, 0)) {
      expect(
        (await admin.page(`${path.replace(":id", String(listing.id))}?${query}`)).status,
      ).toBeLessThan(500);
    }
    expect(
      await world.sql(
        "select (select count(*) from public.audit_log) as audit, (select max(modified_at) from public.places) as places",
      ),
    ).toEqual(before);
    expect(await world.row("places", listing.id)).toMatchObject({ status: "new", version: 1 });
    expect(await admin.get("/account")).toHaveStatus(200);
  });

  it.each(["PUT", "DELETE", "PATCH"])("by %s does nothing", async (method) => {
    const owner = await world.owner();
    const response = await owner.post("/account", accountForm({ full_name: "Owned" }), { method });
    expect(response).toHaveStatus(405);
    expect(await world.row("profiles", owner.id)).toMatchObject({ full_name: owner.fullName });
  });
});

describe("a form whose session has ended", () => {
  it("redirects to the sign-in page with the form's URL", async () => {
    const owner = await world.owner();
    const stale = owner.otherTab();
    await owner.post("/logout");
    const response = await stale.post("/listings/new", listingForm());
    expect(response.status).toBeOneOf([302, 303, 401]);
    expect(response.location ?? "/login").toMatch(/^\/login/);
    expect(await world.sql("select id from public.places where owner = $1", [owner.id])).toEqual(
      [],
    );
  });
});
