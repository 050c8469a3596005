/** `?token=`: how the mobile app opens a page of the dashboard for its signed-in user. */
import { describe, expect, it } from "vitest";

import { useLongDeadlines } from "../support/long-deadlines";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

/** The tokens that the mobile app would have. */
async function appSession(
  member: Member,
): Promise<{ access_token: string; refresh_token: string }> {
  const response = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email: member.email, password: member.password }),
  });
  return (await response.json()) as { access_token: string; refresh_token: string };
}

/** A one-time code that the app requested with its own session. */
async function oneTimeCode(member: Member, session?: { access_token: string }): Promise<string> {
  const { access_token: token } = session ?? (await appSession(member));
  const response = await fetch(`${world.supabase.url}/rest/v1/rpc/issue_handoff_code`, {
    method: "POST",
    headers: {
      apikey: world.supabase.publishableKey,
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
    },
    body: "{}",
  });
  return (await response.json()) as string;
}

type Session = Awaited<ReturnType<typeof appSession>>;

/** A call of the auth service, as the app makes it. */
const callAuth = (method: string, path: string, body: object, token?: string) =>
  fetch(`${world.supabase.url}/auth/v1/${path}`, {
    method,
    headers: {
      apikey: world.supabase.publishableKey,
      "Content-Type": "application/json",
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });
const signOut = ({ access_token: token }: Session, scope: string) =>
  callAuth("POST", `logout?scope=${scope}`, {}, token);
const changePassword = ({ access_token: token }: Session) =>
  callAuth("PUT", "user", { password: "new-Harbor-violet-78" }, token);
const refresh = (token: string) =>
  callAuth("POST", "token?grant_type=refresh_token", { refresh_token: token });

const tokenOf = async (kind: "access_token" | "refresh_token" | "one-time code", member: Member) =>
  kind === "one-time code" ? oneTimeCode(member) : (await appSession(member))[kind];

describe.each(["access_token", "refresh_token", "one-time code"] as const)(
  "a link with the app's %s",
  (kind) => {
    it("names the account and asks, then opens the same URL without it", async () => {
      const owner = await world.owner();
      const token = await tokenOf(kind, owner);
      const person = world.anonymous();
      const response = await person.get(`/account?from=app&token=${token}`);
      expect(response).toRedirectTo("/switch-account");
      expect(response.body).not.toContain(token);
      expect(await person.get("/account")).toAskForSignIn();
      const page = await person.page("/switch-account");
      expect(page.heading).toBe("Sign in to this account?");
      expect(page).toSay(owner.email);
      expect(page.body).not.toContain(token);

      const accepts = person.otherTab();
      expect(await accepts.post("/switch-account", { intent: "switch" })).toRedirectTo(
        "/account?from=app",
      );
      expect((await accepts.page("/account?from=app")).value("email")).toBe(owner.email);

      expect(await person.post("/switch-account", { intent: "stay" })).toRedirectTo(
        "/account?from=app",
      );
      expect(await person.get("/account")).toAskForSignIn();
      expect(await person.get("/switch-account")).toRedirectTo("/");
    });

    it("asks again when another site opened a link of its own after the account was named", async () => {
      const [owner, attacker] = [await world.owner(), await world.owner()];
      const person = world.anonymous();
      await person.get(`/account?token=${await tokenOf(kind, owner)}`);
      const page = await person.page("/switch-account");
      const form = { account: page.value("account")!, csrf: page.value("csrf")! };
      await person.get(`/account?token=${await tokenOf(kind, attacker)}`);
      for (const intent of ["switch", "stay"])
        expect(await person.submit("/switch-account", { ...form, intent })).toRedirectTo(
          "/switch-account",
        );
      expect(await person.get("/account")).toAskForSignIn();
      const again = await person.page("/switch-account");
      expect(again).toSay(attacker.email);
      const accepted = { intent: "switch", account: again.value("account")! };
      expect(await person.submit("/switch-account", accepted)).toRedirectTo("/account");
    });

    it("asks also in a browser in which another account’s session ended", async () => {
      const [victim, attacker] = [await world.owner(), await world.owner()];
      await world.sql("delete from auth.sessions where user_id = $1", [victim.id]);
      await victim.get("/account");
      expect(await victim.get(`/account?token=${await tokenOf(kind, attacker)}`)).toRedirectTo(
        "/switch-account",
      );
      expect(await victim.get("/account")).toAskForSignIn();
    });

    it("asks first when another user is signed in", async () => {
      const [owner, other] = [await world.owner(), await world.owner()];
      const token = await tokenOf(kind, other);
      expect(await owner.get(`/account?token=${token}`)).toRedirectTo("/switch-account");
      const page = await owner.page("/switch-account");
      expect(page).toSay(other.email);
      expect((await owner.page("/account")).value("email")).toBe(owner.email);

      const stays = owner.otherTab();
      expect(await stays.post("/switch-account", { intent: "stay" })).toRedirectTo("/account");
      expect((await stays.page("/account")).value("email")).toBe(owner.email);

      await owner.get(`/account?token=${await tokenOf(kind, other)}`);
      expect(await owner.page("/switch-account")).toSay("we’ll sign you out of that account");
      expect(await owner.post("/switch-account", { intent: "switch" })).toRedirectTo("/account");
      expect((await owner.page("/account")).value("email")).toBe(other.email);
      expect(await stays.get("/account")).toAskForSignIn();
    });

    it("asks, and isn’t lost, in a browser that may only choose a new password", async () => {
      const [resident, visitor] = [await world.owner(), await world.owner()];
      const browser = world.anonymous();
      await browser.post("/recovery", { email: resident.email });
      const { token: token_hash } = world.mail(resident.email);
      await browser.post("/recovery/new", { intent: "openLink", token_hash });
      expect(await browser.get("/account")).toRedirectTo("/recovery/new");
      const answer = await browser.get(`/account?token=${await tokenOf(kind, visitor)}`);
      expect(answer).toRedirectTo("/switch-account");
      // Nothing has changed yet.
      expect(await browser.page("/recovery/new")).toSay("Confirm Password");
      const page = await browser.page("/switch-account");
      expect(page).toSay(visitor.email);
      expect(page).not.toSay(resident.email);
      const csrf = page.value("csrf")!;
      expect(await browser.submit("/switch-account", { intent: "switch", csrf })).toRedirectTo(
        "/account",
      );
      expect((await browser.page("/account")).value("email")).toBe(visitor.email);
    });

    it("of the same user changes nothing that they would notice", async () => {
      const owner = await world.owner();
      const token = await tokenOf(kind, owner);
      expect(await owner.get(`/listings?token=${token}`)).toRedirectTo("/listings");
      expect((await owner.page("/account")).value("email")).toBe(owner.email);
    });
  },
);

describe("a link with a token that its page does not use", () => {
  it.each(["/privacy", "/login", "/signup", "/recovery", "/no-such-page"])(
    "opens %s without it, so that it isn't in the browser's history",
    async (path) => {
      const person = world.anonymous();
      const { refresh_token: token } = await appSession(await world.owner());
      expect(await person.page(`${path}?from=app&token=${token}`)).toRedirectTo(`${path}?from=app`);
      expect(await person.get("/account")).toAskForSignIn();
    },
  );

  it("leaves a session alone that lasts longer than the access token of the link", async () => {
    const owner = await world.owner();
    const before = owner.cookies.get("session");
    const { access_token: token } = await appSession(owner);
    expect(await owner.get(`/listings?token=${token}`)).toRedirectTo("/listings");
    expect(owner.cookies.get("session")).toBe(before);
  });
});

describe("a one-time code", () => {
  it("works once", async () => {
    const owner = await world.owner();
    const code = await oneTimeCode(owner);
    expect(await world.anonymous().get(`/account?token=${code}`)).toRedirectTo("/switch-account");
    const second = world.anonymous();
    expect((await second.get(`/account?token=${code}`)).location).toMatch(/^\/account/);
    expect(await second.get("/account")).toAskForSignIn();
  });

  it("keeps no one from a new password: it opens nothing while a link to one waits, and delays none", async () => {
    const owner = await world.owner();
    const open = async () => {
      const person = world.anonymous();
      return (await person.get(`/account?token=${await oneTimeCode(owner)}`)).location;
    };
    expect(await open()).toBe("/switch-account");
    // Sent at once, although the session that was handed over began with a link, too.
    const person = world.anonymous();
    await person.post("/recovery", { email: owner.email });
    const { link } = await world.mailAbout(owner.email, "Choose a new password");
    expect(await open()).toMatch(/^\/account/);
    const token = (await person.page(link)).value("token_hash")!;
    expect(
      await person.post("/recovery/new", { intent: "openLink", token_hash: token }),
    ).toRedirectTo("/recovery/new");
    expect(await open()).toBe("/switch-account");
  });

  it("signs in at once where this account’s session ended within the hour, until they sign out", async () => {
    const owner = await world.owner();
    const browser = owner.otherTab();
    const session = await appSession(owner);
    await world.sql(
      "delete from auth.sessions where user_id = $1 and id <> ($2::jsonb ->> 'session_id')::uuid",
      [owner.id, Buffer.from(session.access_token.split(".")[1]!, "base64url").toString()],
    );
    expect(await browser.get("/listings")).toAskForSignIn();
    expect(
      await browser.otherTab().get(`/account?token=${await oneTimeCode(owner, session)}`),
    ).toRedirectTo("/account");
    // Other tokens may be anyone's, and of any age.
    expect(await browser.otherTab().get(`/account?token=${session.access_token}`)).toRedirectTo(
      "/switch-account",
    );
    await browser.post("/logout");
    expect(await browser.get(`/account?token=${await oneTimeCode(owner, session)}`)).toRedirectTo(
      "/switch-account",
    );
  });

  it("works for one of twenty simultaneous requests", async () => {
    const code = await oneTimeCode(await world.owner());
    useLongDeadlines();
    const people = Array.from({ length: 20 }, () => world.anonymous());
    await Promise.all(people.map((person) => person.get(`/account?token=${code}`)));
    await Promise.all(people.map((person) => person.post("/switch-account", { intent: "switch" })));
    const answers = await Promise.all(people.map((person) => person.get("/account")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("expires after a minute, when another one is requested, and when the user signs out of the app", async () => {
    const owner = await world.owner();
    const expectNoSession = async (code: string) => {
      const person = world.anonymous();
      await person.get(`/account?token=${code}`);
      await person.post("/switch-account", { intent: "switch" });
      expect(await person.get("/account")).toAskForSignIn();
    };
    const late = await oneTimeCode(owner);
    await world.sql(
      "update private.handoff_codes set expires_at = now() - interval '1 millisecond'",
    );
    await expectNoSession(late);

    const replaced = await oneTimeCode(owner);
    await oneTimeCode(owner);
    await expectNoSession(replaced);

    const session = await appSession(owner);
    const code = await oneTimeCode(owner, session);
    await world.sql("delete from auth.sessions where id = ($1::jsonb ->> 'session_id')::uuid", [
      Buffer.from(session.access_token.split(".")[1]!, "base64url").toString(),
    ]);
    await expectNoSession(code);
  });

  it("leaves no session behind when it is declined", async () => {
    const owner = await world.owner();
    const sessions = async () =>
      (await world.sql("select id from auth.sessions where user_id = $1", [owner.id])).length;
    const code = await oneTimeCode(owner);
    const before = await sessions();
    const person = world.anonymous();
    await person.get(`/account?token=${code}`);
    expect(await sessions()).toBe(before + 1);
    await person.post("/switch-account", { intent: "stay" });
    expect(await sessions()).toBe(before);
  });

  it("opens a separate session: signing out of the dashboard does not sign out of the app", async () => {
    const owner = await world.owner();
    const session = await appSession(owner);
    const person = world.anonymous();
    await person.get(`/account?token=${await oneTimeCode(owner, session)}`);
    await person.post("/switch-account", { intent: "switch" });
    expect(await person.get("/account")).toHaveStatus(200);
    await person.post("/logout", {});
    expect(await oneTimeCode(owner, session)).toMatch(/^once_/);
  });

  it.each([
    ["signs out of the app", (session: Session) => signOut(session, "local")],
    ["signs out everywhere", (session: Session) => signOut(session, "global")],
    ["chooses a new password in the app", (session: Session) => changePassword(session)],
  ])("opens a session that ends when the user %s", async (_, end) => {
    const owner = await world.owner();
    const session = await appSession(owner);
    const person = world.anonymous();
    await person.get(`/account?token=${await oneTimeCode(owner, session)}`);
    await person.post("/switch-account", { intent: "switch" });
    expect(await person.get("/account")).toHaveStatus(200);
    const [{ token } = {}] = await world.sql(
      `select token from auth.refresh_tokens t join private.handed_over_sessions h using (session_id)
       join auth.sessions s on s.id = h.session_id where s.user_id = $1`,
      [owner.id],
    );
    expect((await end(session)).status).toBeLessThan(300);
    expect(await person.otherTab().get("/account")).toAskForSignIn();
    expect((await refresh(String(token))).status).toBe(400);
  });

  it("opens no session when the one in the app ends at the same time", async () => {
    const owner = await world.owner();
    const session = await appSession(owner);
    const code = await oneTimeCode(owner, session);
    // Ends it in the same moment in which the new session begins.
    await world.sql(`create function public.end_issuer() returns trigger language plpgsql security definer as $$
      begin
        delete from auth.sessions s where s.user_id = new.user_id and s.id <> new.id;
        return null;
      end $$`);
    await world.sql(
      "create trigger end_issuer after insert on auth.sessions for each row execute function public.end_issuer()",
    );
    const person = world.anonymous();
    await person.get(`/account?token=${code}`);
    await world.sql("drop function public.end_issuer() cascade");
    await person.post("/switch-account", { intent: "switch" });
    expect(await person.get("/account")).toAskForSignIn();
    expect(await world.sql("select from auth.sessions where user_id = $1", [owner.id])).toEqual([]);
  });

  it("is stored as a hash that no one can read", async () => {
    const code = await oneTimeCode(await world.owner());
    const rows = await world.sql("select c::text as row from private.handoff_codes c");
    expect(JSON.stringify(rows)).not.toContain(code);
  });
});

describe("a link with an invalid token", () => {
  it.each([
    "",
    "x",
    `once_${"0".repeat(64)}`,
    "a.b.c",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4IiwiZXhwIjo5OTk5OTk5OTk5fQ.",
    "%00",
    "a".repeat(6_000),
  ])("redirects to the sign-in page: %j", async (token) => {
    const person = world.anonymous();
    const first = await person.get(`/account?token=${token}`);
    expect(first.status).toBeOneOf([302, 303]);
    expect(first.location).not.toContain("token=");
    expect(await person.get("/account")).toAskForSignIn();
  });

  it("does not sign the user out", async () => {
    const owner = await world.owner();
    expect(await owner.get("/account?token=nonsense")).toRedirectTo("/account");
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("does not redirect to another site", async () => {
    const owner = await world.owner();
    const { refresh_token } = await appSession(owner);
    const person = world.anonymous();
    await person.get(`/account?redirectTo=//evil.example&token=${refresh_token}`);
    const response = await person.post("/switch-account", { intent: "switch" });
    expect(response.location).toMatch(/^\/account/);
  });

  it("is ignored when a form is posted to it", async () => {
    const owner = await world.owner();
    const { refresh_token } = await appSession(owner);
    const person = world.anonymous();
    const response = await person.post(`/account?token=${refresh_token}`, {});
    expect(response.location).toMatch(/^\/login/);
    expect(response.location).not.toContain(refresh_token);
  });
});
