import { describe, expect, it } from "vitest";

import { turnOnTwoStep } from "../support/authenticator";
import type { Person } from "../support/person";
import { createWorld } from "../support/world";

const world = await createWorld();

const { sessionCookie } = await import("~/http/cookies.server");
const { readStoredTokens } = await import("~/http/session.server");
const { refreshTokens } = await import("~/integrations/supabase/auth.server");
const { createUserClient } = await import("~/integrations/supabase/clients.server");

const NEW_PASSWORD = "a much better one 77";

/** Submits the page of the newest recovery link, in this user's browser. */
async function openLink(person: Person, email: string) {
  const { link } = await world.mailAbout(email, "Choose a new password");
  const page = await person.page(link);
  return pressButton(person, page.value("token_hash"));
}

/** Presses the button of that page. That a link was used, the next page says, unless it has the form. */
async function pressButton(person: Person, token_hash = "") {
  const answer = await person.post("/recovery/new", { intent: "openLink", token_hash });
  return answer.location === "/recovery/new?used=yes" ? person.get(answer.location) : answer;
}

async function askedForLink(fullName?: string) {
  const owner = await world.owner(fullName === undefined ? {} : { fullName });
  const person = world.anonymous();
  await person.post("/recovery", { email: owner.email });
  return { owner, person };
}

/** Changes what the session cookie says of the recovery, as only the server can. */
async function changeCookie(person: Person, change: (value: Record<string, unknown>) => object) {
  const value = (await sessionCookie().parse(person.cookies.header())) as Record<string, unknown>;
  const changed = await sessionCookie().serialize(change(value));
  person.cookies.store(new Headers({ "Set-Cookie": changed }));
}
async function readTokens(person: Person) {
  const request = new Request("http://dashboard.test/", {
    headers: { Cookie: person.cookies.header() ?? "" },
  });
  return (await readStoredTokens(request))!;
}
const choose = (person: Person) =>
  person.post("/recovery/new", {
    intent: "save",
    password: NEW_PASSWORD,
    confirm_password: NEW_PASSWORD,
  });

describe("recovery", () => {
  it("doesn't say the name of its user to someone who reads only the mailbox, not even in the page's data", async () => {
    const { owner, person } = await askedForLink("Robin Wrenfield");
    expect(await openLink(person, owner.email)).toRedirectTo("/recovery/new");
    expect((await person.page("/recovery/new")).body).not.toContain("Wrenfield");
    expect((await person.get("/recovery/new.data")).body).not.toContain("Wrenfield");
    expect(await choose(person)).toRedirectTo("/recovery/new?done=yes");
    expect((await person.page("/account")).body).toContain("Wrenfield");
  });

  it("doesn't say whether a guessed name is its user's, until a password would be changed by it", async () => {
    const { owner, person } = await askedForLink("Wilhelmina Okonkwo");
    await openLink(person, owner.email);
    const send = (password: string, confirm_password: string) =>
      person.post("/recovery/new", { intent: "save", password, confirm_password });
    const guess = await send("wilhelmina1", "another one 123");
    expect(guess.body).toContain("The passwords do not match.");
    expect(guess.body).not.toContain("made from your email address or name");
    expect((await send("wilhelmina1", "wilhelmina1")).body).toContain(
      "made from your email address or name",
    );
  });

  it("replaces the password by a link in an email, and ends all other sessions", async () => {
    const { owner, person } = await askedForLink();

    expect(await openLink(person, owner.email)).toRedirectTo("/recovery/new");
    // The address of the answer, which someone else may have sent.
    expect(await person.page("/recovery/new?done=yes")).not.toSay("has been updated");
    const saved = await person.post("/recovery/new", {
      intent: "save",
      password: NEW_PASSWORD,
      confirm_password: NEW_PASSWORD,
    });
    expect(saved).toRedirectTo("/recovery/new?done=yes");
    expect(await person.page("/recovery/new?done=yes")).toSay("Your password has been updated!");
    expect(await person.get("/account")).toHaveStatus(200);

    expect(await owner.get("/account")).toAskForSignIn();
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toHaveStatus(400);
    expect(await world.anonymous().post("/login", { email, password: NEW_PASSWORD })).toRedirectTo(
      "/",
    );
  });

  it("is followed by an email that says so, with a way back in for someone who did not ask", async () => {
    const { owner, person } = await askedForLink();
    await openLink(person, owner.email);
    await choose(person);

    const mail = await world.mailAbout(owner.email, "Your password was changed");
    expect(mail.text).toContain("Your account has a new password");
    expect(mail.links).toContain(`${world.appUrl}/recovery`);
  });

  it("answers the same for a known and an unknown address", async () => {
    const owner = await world.owner();
    const known = await world.anonymous().submit("/recovery", { email: owner.email });
    const unknown = await world.anonymous().submit("/recovery", { email: "nobody@example.test" });
    const words =
      "If your email matches an account, you will receive an email with instructions on resetting your password.";
    expect(known).toSay(words);
    expect(unknown).toSay(words);
    expect(unknown.text).toBe(known.text);
    expect(() => world.mail("nobody@example.test")).toThrow("No email was sent");
  });

  it("works once, also when a mail scanner opens its link first", async () => {
    const { owner, person } = await askedForLink();
    const { link } = await world.mailAbout(owner.email, "Choose a new password");
    for (let i = 0; i < 3; i++) expect(await world.anonymous().page(link)).toHaveStatus(200);

    expect(await openLink(person, owner.email)).toRedirectTo("/recovery/new");

    const thief = world.anonymous();
    expect(await openLink(thief, owner.email)).toRedirectTo("/recovery");
    expect(await thief.get("/account")).toAskForSignIn();
    expect(await person.get("/recovery/new")).toHaveStatus(200);
  });

  it("keeps its link out of the address of the page, and so out of the browser's history", async () => {
    const { owner, person } = await askedForLink();
    const { link, token } = await world.mailAbout(owner.email, "Choose a new password");
    const page = await person.page(link);
    expect(page.asked).not.toContain(token);
    expect(page).toSay(owner.email);
    // Loading the page again shows the same, until the link was used.
    expect(await person.page("/recovery/new")).toSay(owner.email);
    await person.post("/recovery/new", { intent: "openLink", token_hash: token });
    expect(await person.page("/recovery/new")).toSay("Confirm Password");
    // Another page has no use for it.
    expect(await person.get("/confirm")).toRedirectTo("/login");
  });

  it("shows the form when its button was pressed twice: the second answer came last", async () => {
    for (const secondStep of [false, true]) {
      const owner = await world.owner();
      if (secondStep) await turnOnTwoStep(world, owner);
      const person = world.anonymous();
      await person.post("/recovery", { email: owner.email });
      const { link, token } = await world.mailAbout(owner.email, "Choose a new password");
      await person.page(link);
      const early = person.otherTab();
      await person.post("/recovery/new", { intent: "openLink", token_hash: token });
      const late = await early.post("/recovery/new", { intent: "openLink", token_hash: token });
      if (secondStep)
        expect(await person.get(late.location!)).toRedirectTo(
          "/login?redirectTo=%2Frecovery%2Fnew",
        );
      else expect(await person.page(late.location!)).toSay("Confirm Password");
    }
  });

  it.each(["", "0", "nonsense", "a".repeat(5_000), "pkce_abc", "'; drop table users"])(
    "rejects the token %j",
    async (token_hash) => {
      const person = world.anonymous();
      expect(await pressButton(person, token_hash)).toRedirectTo("/recovery");
      expect(await person.get("/account")).toAskForSignIn();
    },
  );

  it("says the same way that its link, or one to confirm an address, can't be used", async () => {
    const form = { intent: "openLink", token_hash: "used" };
    for (const [path, answer] of [
      ["/recovery/new", (person: Person) => pressButton(person, "used")],
      ["/confirm", (person: Person) => person.post("/confirm", form)],
    ] as const) {
      const person = world.anonymous();
      const page = await person.page((await answer(person)).location!);
      expect(page, path).toSay("That link has expired or was already used.");
      expect(page.body, path).toContain('class="notice notice-info"');
    }
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "%2f%2fevil.example",
    "javascript:alert(1)",
    "/",
  ])("leads to the home page instead of %s", async (redirectTo) => {
    const owner = await world.owner();
    const person = world.anonymous();
    expect(
      (await person.page(`/recovery?redirectTo=${encodeURIComponent(redirectTo)}`)).value(
        "redirectTo",
      ),
    ).toBe("/");
    await person.post("/recovery", { email: owner.email, redirectTo });
    await openLink(person, owner.email);
    await person.post("/recovery/new", {
      intent: "save",
      password: NEW_PASSWORD,
      confirm_password: NEW_PASSWORD,
    });
    const done = await person.page("/recovery/new?done=yes");
    expect(done).toSay("Go to your dashboard");
    expect(done.body).not.toContain("evil");
  });

  it("remembers the requested page in the same browser only, also when the link was already used", async () => {
    const owner = await world.owner();
    const person = world.anonymous();
    await person.post("/recovery", { email: owner.email, redirectTo: "/listings/new?draft=1" });
    await openLink(world.anonymous(), owner.email);
    expect(await openLink(person, owner.email)).toRedirectTo(
      "/recovery?redirectTo=%2Flistings%2Fnew%3Fdraft%3D1",
    );
    expect(await openLink(world.anonymous(), owner.email)).toRedirectTo("/recovery");
    await person.post("/logout");
    expect(await openLink(person, owner.email)).toRedirectTo("/recovery");
  });

  it("allows a new password for fifteen minutes", async () => {
    const { owner, person } = await askedForLink();
    await openLink(person, owner.email);
    const age = (minutes: number) =>
      changeCookie(person, ({ recovery, ...value }) => {
        const begun = recovery as { since: number };
        return { ...value, recovery: { ...begun, since: begun.since - minutes * 60 } };
      });
    await age(14);
    expect(await person.get("/recovery/new")).toHaveStatus(200);
    await age(2);
    const late = person.otherTab();
    expect(await choose(late)).toRedirectTo("/recovery");
    expect(await person.get("/recovery/new")).toRedirectTo("/recovery");
    expect(await person.page("/recovery")).toSay("you have 15 minutes after you open it");
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it("allows it also when the link was opened at an instance whose clock is a little ahead", async () => {
    const { owner, person } = await askedForLink();
    await openLink(person, owner.email);
    await changeCookie(person, ({ recovery, ...value }) => {
      const { session, since } = recovery as { session: string; since: number };
      return { ...value, recovery: { session, since: since + 30 } };
    });

    expect(await person.get("/recovery/new")).toHaveStatus(200);
    expect(await choose(person)).toRedirectTo("/recovery/new?done=yes");
  });

  it("allows it in the session of the link alone, and not by a cookie of an earlier version", async () => {
    const { owner, person } = await askedForLink();
    await openLink(person, owner.email);
    const { recovery } = (await sessionCookie().parse(person.cookies.header())) as {
      recovery: object;
    };
    const other = await world.signIn(owner);
    await changeCookie(other, (value) => ({ ...value, recovery: true }));
    expect(await other.get("/recovery/new")).toRedirectTo("/recovery");
    for (const kept of [true, recovery]) {
      await changeCookie(other, (value) => ({ ...value, recovery: kept }));
      expect(await choose(other)).toRedirectTo("/recovery");
    }
  });

  it("opens nothing but the page for a new password, so that no one who reads a mailbox stays in the account unseen", async () => {
    const { owner, person } = await askedForLink();
    const listing = await world.listing({ owner, name: "Café Olive" });
    await openLink(person, owner.email);
    for (const path of [
      "/",
      "/account",
      "/listings",
      "/privacy/my-data.json",
      "/recovery/new?_data=root",
    ])
      expect(await person.get(path), path).not.toHaveStatus(path.includes("_data") ? 500 : 200);
    expect(await person.get("/account")).toRedirectTo("/recovery/new");
    // On pages that are open to anyone, they are a stranger.
    expect(await person.page("/upgrade")).not.toSay("Café Olive");
    expect(await person.page("/login")).toSay("Sign in");
    const form = { intent: "save", version: "1", name: "Café Thief" };
    expect((await person.post(`/listings/${listing.id}`, form)).location).toContain("/login");
    expect(await world.row("places", listing.id)).toMatchObject({ name: "Café Olive" });
    // Nor do its tokens open anything, for someone who reads them out of the cookie.
    const tokens = await readTokens(person);
    const { data } = await createUserClient(tokens.accessToken).from("places").select("id");
    expect(data).not.toContainEqual({ id: listing.id });
    const { accessToken } = await refreshTokens(tokens.refreshToken);
    expect((await createUserClient(accessToken).from("profiles").select()).data).toEqual([]);
    // Once the time to choose one is over, the session is, too.
    const ending =
      "update auth.sessions set not_after = now() where user_id = $1 and not_after > now()";
    await world.sql(ending, [owner.id]);
    await expect(refreshTokens((await readTokens(person)).refreshToken)).rejects.toMatchObject({
      failure: "refused",
    });
    expect(await person.otherTab().get("/recovery/new")).toRedirectTo("/recovery");
    expect(await person.get("/account")).toRedirectTo("/login?redirectTo=%2Faccount");
    // Its user goes on as before.
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("opens nothing else, either, when another link is opened in the same browser", async () => {
    const { owner, person } = await askedForLink();
    await openLink(person, owner.email);
    await world.sql(
      "update auth.users set recovery_sent_at = now() - interval '5 minutes' where id = $1",
      [owner.id],
    );
    const first = world.mail(owner.email).link;
    await person.post("/recovery", { email: owner.email });
    await expect.poll(() => world.mail(owner.email).link).not.toBe(first);
    expect(await openLink(person, owner.email)).toRedirectTo("/recovery/new");
    expect(await person.get("/account")).toRedirectTo("/recovery/new");
  });

  it("leaves someone signed in who opens the link in their own browser, and keeps their password", async () => {
    const owner = await world.owner();
    await world.anonymous().post("/recovery", { email: owner.email });
    await openLink(owner, owner.email);
    expect(await owner.get("/account")).toHaveStatus(200);
    expect(await choose(owner)).toRedirectTo("/recovery/new?done=yes");
  });

  it("needs a session that began with a recovery link", async () => {
    const owner = await world.owner();
    expect(await owner.get("/recovery/new")).toRedirectTo("/recovery");
    const response = await owner.post("/recovery/new", {
      intent: "save",
      password: NEW_PASSWORD,
      confirm_password: NEW_PASSWORD,
    });
    expect(response).toRedirectTo("/recovery");
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it.each([
    [
      { password: NEW_PASSWORD, confirm_password: "another one 77" },
      "confirm_password",
      "The passwords do not match.",
    ],
    [{ password: "seven b", confirm_password: "seven b" }, "password", /at least 8/],
    [{ password: "qwertyuiop", confirm_password: "qwertyuiop" }, "password", /too common/],
    [{ password: " ".repeat(9), confirm_password: " ".repeat(9) }, "password", /of spaces/],
    [{ password: "aaaaaaaa", confirm_password: "aaaaaaaa" }, "password", /repeats one/],
    [{ password: "abcd9876", confirm_password: "abcd9876" }, "password", /sequences/],
    [
      { password: "Robin Wrenfield", confirm_password: "Robin Wrenfield" },
      "password",
      /made from your email address or name/,
    ],
    [
      { password: NEW_PASSWORD, confirm_password: "" },
      "confirm_password",
      "Enter the new password again.",
    ],
  ])("rejects the new password and never sends it back: %o", async (fields, field, message) => {
    const { owner, person } = await askedForLink("Robin Wrenfield");
    await openLink(person, owner.email);
    const response = await person.post("/recovery/new", { intent: "save", ...fields });
    expect(response).toBeRefusedWith(message, { field });
    expect(JSON.stringify(response.data)).not.toContain(fields.password);
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it("rejects an invalid address", async () => {
    expect(await world.anonymous().post("/recovery", { email: "sam" })).toBeRefusedWith(
      /name@example\.com/,
      { field: "email" },
    );
  });
});
