import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { appRoutes, loadRoute } from "../support/app";
import { accountForm, listingForm } from "../support/forms";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { serializeSession } = await import("~/http/session.server");
const { getAccess } = await import("~/http/route.server");

const modules = await Promise.all(
  appRoutes.map(async ({ id, path }) => ({ path, module: await loadRoute(id) })),
);
// What takes signed messages takes them from anywhere, and nothing else: tests/contract/routes.test.ts shows that.
const pathsWithForm = modules
  .filter(({ module }) => module.action && getAccess(module.action) !== "signed")
  .map(({ path }) => path);
const pathsWithLoader = modules.filter(({ module }) => module.loader).map(({ path }) => path);

/** The tokens in a person's cookie. The cookie is signed JSON; the app alone can make one. */
async function tokensOf(person: Person) {
  const { sessionCookie } = await import("~/http/cookies.server");
  return (await sessionCookie().parse(person.cookies.header())) as {
    a: string;
    r: string;
    e: number;
  };
}

/** A browser that holds these tokens, in a cookie that the app has signed. */
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

/** Signed out cleanly: sent to sign in, the cookie taken away, and the open pages still work. */
async function expectSignedOut(person: Person) {
  const response = await person.get("/account");
  expect(response).toAskForSignIn();
  expect(await person.page("/login")).toHaveStatus(200);
  expect(await person.page("/listings")).toHaveStatus(302);
}

describe("a cookie that is not ours", () => {
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
  ])("is nobody: %j", async (value) => {
    const person = world.anonymous();
    person.cookies.set("session", encodeURIComponent(value));
    await expectSignedOut(person);
  });

  it("is nobody when it was changed by one character", async () => {
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

describe("a token that is not the database's", () => {
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
      "signed by somebody else",
      (owner: Member) => tokenFor(payloadFor(owner), "another secret of thirty-two letters"),
    ],
    ["unsigned", (owner: Member) => tokenFor(payloadFor(owner), null)],
    ["of no session", (owner: Member) => tokenFor(payloadFor(owner), world.supabase.jwtSecret)],
    [
      "of a session that never was",
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
      "of nobody we know",
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
  ])("is nobody: %s", async (_, make) => {
    const owner = await world.owner();
    await expectSignedOut(
      await withTokens({ accessToken: make(owner), refreshToken: "", expiresAt: inAnHour() }),
    );
  });

  it("is the secret key itself: nobody", async () => {
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
  it("after signing out leads to /login", async () => {
    const owner = await world.owner();
    const stolen = owner.otherTab();
    await owner.post("/logout");
    await expectSignedOut(stolen);
  });

  it("after signing out leaves the person's other browsers signed in", async () => {
    const owner = await world.owner();
    const elsewhere = await world.signIn(owner);
    await owner.post("/logout");
    expect(await elsewhere.get("/account")).toHaveStatus(200);
  });

  it("after the account was deleted leads to /login", async () => {
    const owner = await world.owner();
    await world.sql("delete from auth.users where id = $1", [owner.id]);
    await expectSignedOut(owner);
  });

  it("of an admin who is none any more opens no admin page", async () => {
    const admin = await world.admin();
    expect(await admin.get("/admin")).toHaveStatus(200);
    await world.sql("update public.profiles set admin = false where id = $1", [admin.id]);
    expect(await admin.get("/admin")).toBeForbidden();
  });
});

describe("a session that is about to end", () => {
  /** The owner's own tokens, said to end in so many seconds. */
  async function ending(owner: Member, seconds: number) {
    const { a, r } = await tokensOf(owner);
    return withTokens({
      accessToken: a,
      refreshToken: r,
      expiresAt: Math.floor(Date.now() / 1000) + seconds,
    });
  }

  it.each([60, 0, -100])("is renewed without anybody noticing (%i s left)", async (seconds) => {
    const person = await ending(await world.owner(), seconds);
    const before = (await tokensOf(person)).r;
    const response = await person.get("/account");
    expect(response).toHaveStatus(200);
    expect(response.setCookies.some((line) => line.startsWith("session="))).toBe(true);
    expect((await tokensOf(person)).r).not.toBe(before);
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("is left alone while there is time", async () => {
    const owner = await world.owner();
    expect((await owner.get("/account")).setCookies).toEqual([]);
  });

  it("is renewed once for twenty tabs at the same moment, and nobody is signed out", async () => {
    const person = await ending(await world.owner(), 10);
    const tabs = Array.from({ length: 20 }, () => person.otherTab());
    const responses = await Promise.all(tabs.map((tab) => tab.get("/account")));
    for (const response of responses) expect(response).toHaveStatus(200);
    const renewals = responses
      .flatMap(({ calls }) => calls)
      .filter(({ name }) => name === "POST /auth/v1/token");
    expect(renewals).toHaveLength(1);
    for (const tab of tabs) expect(await tab.get("/account")).toHaveStatus(200);
  });

  it("is over when its refresh token is used up", async () => {
    const owner = await world.owner();
    await expectSignedOut(
      await withTokens({ accessToken: "x.y.z", refreshToken: "used-or-invented", expiresAt: 1 }),
    );
    expect(await owner.get("/account")).toHaveStatus(200);
  });
});

describe("a form from elsewhere", () => {
  const foreign: [string, Parameters<Person["post"]>[2]][] = [
    ["another origin", { origin: "https://evil.example", secFetchSite: "cross-site" }],
    [
      "another origin, from a browser that does not say more",
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
      "a page that only the Referer tells",
      { origin: null, secFetchSite: null, headers: { Referer: "https://evil.example/x" } },
    ],
    ["nowhere, without the form's token", { origin: null, secFetchSite: null }],
    [
      "a proxy that claims to be us",
      {
        origin: "https://evil.example",
        secFetchSite: null,
        headers: { "X-Forwarded-Host": "evil.example", Host: "evil.example" },
      },
    ],
    [
      "somebody who guessed our own header",
      {
        origin: "https://evil.example",
        secFetchSite: null,
        headers: { "X-Dashboard-Origin": "http://dashboard.test" },
      },
    ],
  ];

  it.each(foreign)("is refused and writes nothing: %s", async (_, options) => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", listingForm(), options);
    expect(response).toBeForbidden();
    expect(await world.sql("select id from public.places where owner = $1", [owner.id])).toEqual(
      [],
    );
  });

  it.each(pathsWithForm)("is refused by %s, as a document and as data", async (path) => {
    const admin = await world.admin();
    const listing = await world.listing({ owner: admin });
    const target = path.replace(":id", String(listing.id));
    const options = { origin: "https://evil.example", secFetchSite: "cross-site" };
    expect(await admin.post(target, { intent: "approve" }, options)).toBeForbidden();
    expect(await admin.submit(target, { intent: "approve" }, options)).toBeForbidden();
    expect(await admin.submit(`${target}.data`, { intent: "approve" }, options)).not.toHaveStatus(
      200,
    );
  });

  it.each([
    "text/plain",
    "application/json",
    "",
    "text/plain; x=application/x-www-form-urlencoded",
  ])("is refused in the guise of %j", async (type) => {
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

describe("a form of our own", () => {
  it("is taken from a text browser, which tells no origin but sends the form's token", async () => {
    const { email, password } = await world.owner();
    const person = world.anonymous();
    const page = await person.page("/login", { secFetchSite: null });
    const quiet = { origin: null, secFetchSite: null };
    expect(
      await person.post("/login", { email, password, csrf: page.value("csrf") }, quiet),
    ).toRedirectTo("/");
  });

  it("is taken from a browser that tells the Referer alone", async () => {
    const { email, password } = await world.owner();
    const options = {
      origin: null,
      secFetchSite: null,
      headers: { Referer: `${world.appUrl}/login` },
    };
    expect(await world.anonymous().post("/login", { email, password }, options)).toRedirectTo("/");
  });

  it("is not taken with another person's token", async () => {
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
  it("never writes, whatever its query says", async () => {
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
    for (const path of pathsWithLoader) {
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

describe("a form under which the session has ended", () => {
  it("asks to sign in, and says where from", async () => {
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
