import { bypass, http, HttpResponse, passthrough } from "msw";
import { describe, expect, it } from "vitest";

import { signUpForm } from "../support/forms";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const { settleBackgroundWork } = await import("~/http/background.server");

let people = 0;
const newEmail = () => `new-${++people}@example.test`;

/** Calls the auth service as anyone can. */
const askAuth = (path: string, body: object) =>
  fetch(`${world.supabase.url}/auth/v1/${path}`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

async function profileOf(email: string) {
  return (await world.sql("select * from public.profiles where email = $1", [email]))[0];
}

/** Submits the page of the link in the newest email. */
async function confirm(email: string, person = world.anonymous()) {
  const { link } = world.mail(email);
  const page = await person.page(link);
  const response = await person.post(link, {
    intent: "openLink",
    token_hash: page.value("token_hash"),
    type: page.value("type"),
  });
  return { person, response };
}

describe("sign-up", () => {
  it("creates the account and its profile, and opens no session before the address is confirmed", async () => {
    const email = newEmail();
    const person = world.anonymous();
    const response = await person.post("/signup", signUpForm({ email, phone: "(415) 555-2671" }));

    expect(response).toRedirectTo("/");
    expect(await profileOf(email)).toMatchObject({
      full_name: "Sam Rivera",
      phone: "+14155552671",
      postalcode: "94114",
      pronouns: "they/them",
      opted_in: false,
      sms_opted_in: false,
      business_owner: true,
      admin: false,
    });
    expect(await person.get("/account")).toAskForSignIn();

    const confirmed = await confirm(email, person);
    expect(confirmed.response).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("redeems the link only by the button, so that a mail scanner that opens it does no harm", async () => {
    const email = newEmail();
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email }));
    const { link, token } = world.mail(email);
    for (let i = 0; i < 3; i++) expect(await world.anonymous().page(link)).toHaveStatus(200);

    expect((await confirm(email, person)).response).toRedirectTo("/");
    const other = world.anonymous();
    expect(await other.get(link)).toRedirectTo("/login");
    expect(
      await other.post("/confirm", { intent: "openLink", token_hash: token, type: "email" }),
    ).toRedirectTo("/login");
    expect(await other.get("/account")).toAskForSignIn();
  });

  it("is signed in when the button was pressed twice, and the second session began after the confirmation", async () => {
    const email = newEmail();
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email }));
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/verify`, async ({ request }) => {
        const { url, method, headers } = bypass(request);
        const answer = await fetch(url, { method, headers, body: await request.text() });
        await world.sql("update auth.sessions set not_after = now() + interval '15 minutes'");
        return answer;
      }),
    );
    expect((await confirm(email, person)).response).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("records each opt-in as a consent, with the version of its text and its page, once the address is confirmed", async () => {
    const email = newEmail();
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email, opted_in: "on" }));
    expect(await profileOf(email)).toMatchObject({ opted_in: false, sms_opted_in: false });
    await confirm(email, person);
    const profile = await profileOf(email);
    expect(profile).toMatchObject({ opted_in: true, sms_opted_in: false });
    const consents = await world.sql(
      "select * from public.consents where user_id = $1 order by channel",
      [profile!["id"]],
    );
    expect(consents).toMatchObject([
      { channel: "email", granted: true, page: "/signup" },
      { channel: "sms", granted: false, page: "/signup" },
    ]);
    expect(consents[0]!["text_version"]).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("loses nothing when the auth service fails after the response", async () => {
    const email = newEmail();
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/signup`, () => HttpResponse.error(), { once: true }),
    );
    const form = signUpForm({ email, pronouns: "fae/faer" });
    expect(await world.anonymous().post("/signup", form)).toRedirectTo("/");
    expect(await profileOf(email)).toBeUndefined();
    await expect
      .poll(() => profileOf(email))
      .toMatchObject({
        full_name: "Sam Rivera",
        pronouns: "fae/faer",
      });
    await expect.poll(() => world.supabase.mails.filter(({ to }) => to === email)).toHaveLength(1);
  });

  it("handles a form once that is sent three times", async () => {
    const email = newEmail();
    const person = world.anonymous();
    const form = signUpForm({ email });
    await Promise.all([person.post("/signup", form), person.post("/signup", form)]);
    expect(await person.post("/signup", form)).toRedirectTo("/");
    expect(world.supabase.mails.filter(({ to }) => to === email)).toHaveLength(1);
    expect((await confirm(email, person)).response).toRedirectTo("/");
  });

  describe("that is sent again before the address is confirmed", () => {
    const ticked = { opted_in: "on", sms_opted_in: "on", phone: "(415) 555-2671" };
    const corrected = { full_name: "Sam Rivera-Diaz", pronouns: "", postalcode: "" };

    /** Signs up, and again after so much time. Returns what counts once the link has been opened. */
    async function signUpTwice(first: object, second: object, minutes: number) {
      const email = newEmail();
      const person = world.anonymous();
      await person.post("/signup", signUpForm({ email, ...first }));
      await world.sql(
        "update auth.users set confirmation_sent_at = now() - make_interval(mins => $2) where email = $1",
        [email, minutes],
      );
      expect(await person.post("/signup", signUpForm({ email, ...second }))).toRedirectTo("/");
      expect((await confirm(email, person)).response).toRedirectTo("/");
      const profile = (await profileOf(email))!;
      const consents = await world.sql(
        "select channel, granted from public.consents where user_id = $1 order by channel",
        [profile["id"]],
      );
      const [position] = await world.sql(
        "select count(*)::int as n from private.user_positions where user_id = $1",
        [profile["id"]],
      );
      return { profile, consents, positions: position!["n"] };
    }

    it.each([
      ["at once", 0],
      ["once its link has expired", 120],
    ])("counts as it was sent last, %s", async (_when, minutes) => {
      const { profile, consents, positions } = await signUpTwice(ticked, corrected, minutes);
      expect(profile).toMatchObject({
        full_name: "Sam Rivera-Diaz",
        phone: null,
        pronouns: null,
        postalcode: null,
        opted_in: false,
        sms_opted_in: false,
      });
      expect(consents).toEqual([
        { channel: "email", granted: false },
        { channel: "sms", granted: false },
      ]);
      expect(positions).toBe(0);
    });

    it("gives what only the last form gave", async () => {
      const { profile, consents, positions } = await signUpTwice(corrected, ticked, 0);
      expect(profile).toMatchObject({
        full_name: "Sam Rivera",
        phone: "+14155552671",
        postalcode: "94114",
        opted_in: true,
        sms_opted_in: true,
      });
      expect(consents).toEqual([
        { channel: "email", granted: true },
        { channel: "sms", granted: true },
      ]);
      expect(positions).toBe(1);
    });

    it("counts as it was sent last, also when the auth service didn't answer the form before it", async () => {
      const email = newEmail();
      const person = world.anonymous();
      outside.use(
        http.post(`${world.supabase.url}/auth/v1/signup`, () => HttpResponse.error(), {
          once: true,
        }),
      );
      let updates = 0;
      outside.use(
        http.post(`${world.supabase.url}/rest/v1/rpc/update_sign_up`, () => {
          updates += 1;
          return passthrough();
        }),
      );
      await person.post("/signup", signUpForm({ email, ...ticked }));
      await person.post("/signup", signUpForm({ email, ...corrected }));
      expect(await profileOf(email)).toMatchObject({ full_name: "Sam Rivera-Diaz" });
      // The first one is tried again after the second one was done.
      await expect.poll(() => updates).toBe(2);
      await settleBackgroundWork();
      await confirm(email, person);
      expect(await profileOf(email)).toMatchObject({
        full_name: "Sam Rivera-Diaz",
        phone: null,
        opted_in: false,
      });
    });

    it("leaves nothing of a sign-up with another password: one of the two is someone else's", async () => {
      const email = newEmail();
      const person = world.anonymous();
      await person.post("/signup", signUpForm({ email, ...ticked }));
      await world
        .anonymous()
        .post("/signup", signUpForm({ email, ...corrected, password: "the password of mallory" }));
      expect((await confirm(email, person)).response).toRedirectTo("/recovery/new");
      expect(await profileOf(email)).toMatchObject({
        full_name: null,
        phone: null,
        opted_in: false,
        sms_opted_in: false,
      });
    });

    it("changes nothing once the address is confirmed", async () => {
      const email = newEmail();
      const person = world.anonymous();
      await person.post("/signup", signUpForm({ email, ...ticked }));
      await confirm(email, person);
      await world.anonymous().post("/signup", signUpForm({ email, ...corrected }));
      expect(await profileOf(email)).toMatchObject({ full_name: "Sam Rivera", opted_in: true });
    });
  });

  it("answers the same for a known address as for a new one, and changes nothing", async () => {
    const owner = await world.owner({ fullName: "The Owner" });
    const fresh = await world.anonymous().post("/signup", signUpForm({ email: newEmail() }));
    const known = await world
      .anonymous()
      .post("/signup", signUpForm({ email: owner.email, full_name: "Somebody Else" }));

    expect(known.status).toBe(fresh.status);
    expect(known.location).toBe(fresh.location);
    expect(known.body).toBe(fresh.body);
    expect(await profileOf(owner.email)).toMatchObject({ full_name: "The Owner" });
    expect(
      await world.anonymous().post("/login", { email: owner.email, password: owner.password }),
    ).toRedirectTo("/");
  });

  it("makes no one an admin or a supporter, even if the form has such fields", async () => {
    const email = newEmail();
    await world.anonymous().post(
      "/signup",
      signUpForm({
        email,
        admin: "true",
        supporter: "true",
        business_owner: "false",
        role: "service_role",
        id: "1",
      }),
    );
    expect(await profileOf(email)).toMatchObject({
      admin: false,
      supporter: false,
      business_owner: true,
    });
  });

  it.each([
    ["seven b", "Use at least 8 characters for your password."],
    ["password123", /too common/],
    ["PASSWORD123", /too common/],
    ["a".repeat(73), "Use at most 72 characters for your password."],
    ["🏳️‍🌈".repeat(13), "Use at most 72 characters for your password."],
    ["", "Enter a password."],
    ["        ", /A password made of spaces/],
    ["aaaaaaaa", /repeats one character/],
    ["abcdefgh1234", /made of sequences/],
    ["Sam Rivera", /made from your email address or name/],
  ])("rejects the password %j and never sends it back", async (password, message) => {
    const email = newEmail();
    const response = await world.anonymous().post("/signup", signUpForm({ email, password }));
    expect(response).toBeRefusedWith(message, { field: "password" });
    expect(response.kept["password"]).toBeUndefined();
    expect(response.kept["email"]).toBe(email);
    expect(await profileOf(email)).toBeUndefined();
  });

  it.each([
    ["a password", { password: "ab".repeat(50_000) }],
    ["a name", { full_name: "a\u0315\u0316".repeat(50_000) }],
    [
      "two hundred lists in lists",
      Object.fromEntries(
        Array.from({ length: 200 }, (_, i) => [`a${i}${"[999]".repeat(18)}`, "1"]),
      ),
    ],
  ])("answers at once to %s that is far too long", async (_, fields) => {
    const email = newEmail();
    const answer = await world.anonymous().post("/signup", signUpForm({ email, ...fields }));
    // The lists are ignored.
    expect(answer.status).toBeOneOf([413, 302]);
  });

  it("counts each attempt, also one that breaks the rules, before it checks them", async () => {
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ password: "" }));
    await world.sql("update public.rate_limits set hits = 60");
    const answer = await person.submit("/signup", signUpForm({ password: "", full_name: "Kai" }));
    expect(answer).toHaveStatus(429);
    expect(answer.value("full_name")).toBe("Kai");
    await world.sql("delete from public.rate_limits");
  });

  it("rejects the email address and its first part as a password", async () => {
    for (const password of ["rainbow.river@example.test", "Rainbow.River", "rainbowriver77"]) {
      const form = signUpForm({ email: "rainbow.river@example.test", password });
      expect(await world.anonymous().post("/signup", form)).toBeRefusedWith(
        /made from your email address or name/,
        { field: "password" },
      );
    }
  });

  it.each([
    "x".repeat(63) + "7",
    "pass phrase with spaces",
    "Пароль не простой",
    "🦄🌈🦄🌈🦄🌈🦄🌈",
    "' or 1=1; -- ",
  ])("accepts the password %j", async (password) => {
    const email = newEmail();
    const person = world.anonymous();
    expect(await person.post("/signup", signUpForm({ email, password }))).toRedirectTo("/");
    await confirm(email, person);
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it.each([
    [{ phone: "12345" }, "phone", /valid phone number for the country/],
    [{ phone: "x".repeat(300) }, "phone", /too long/],
    [{ phone: "(415) 555-2671", phone_country: "" }, "phone_country", "Choose country"],
    [{ sms_opted_in: "on" }, "phone", /text messages should go to/],
    [{ full_name: " " }, "full_name", "Enter your full name."],
    [{ full_name: "x".repeat(121) }, "full_name", "Use at most 120 characters."],
    [{ email: "sam@" }, "email", /name@example\.com/],
    [{ postalcode: "1".repeat(21) }, "postalcode", "Use at most 20 characters."],
  ])("rejects %o", async (fields, field, message) => {
    expect(
      await world.anonymous().post("/signup", signUpForm({ email: newEmail(), ...fields })),
    ).toBeRefusedWith(message, { field });
  });

  it("doesn’t call a phone number valid while its country is missing", async () => {
    const fields = signUpForm({ email: newEmail(), full_name: " ", phone: "(415) 555-2671" });
    const person = world.anonymous();
    expect(await person.submit("/signup", fields)).toSay("This phone number is valid.");
    const page = await person.submit("/signup", { ...fields, phone_country: "" });
    expect(page).toSay("Choose country");
    expect(page).not.toSay("This phone number is valid.");
  });

  it.each([
    ["GB", "020 7946 0018", "+442079460018"],
    ["DE", "030 901820", "+4930901820"],
    ["US", "+44 20 7946 0018", "+442079460018"],
  ])("accepts a phone number in the format of %s: %s", async (phone_country, phone, stored) => {
    const email = newEmail();
    expect(
      await world.anonymous().post("/signup", signUpForm({ email, phone_country, phone })),
    ).toRedirectTo("/");
    expect(await profileOf(email)).toMatchObject({ phone: stored });
  });

  it("preselects the country of the browser's language", async () => {
    const page = await world
      .anonymous()
      .page("/signup", { headers: { "Accept-Language": "fr-CA,fr;q=0.9" } });
    expect(page.value("phone_country")).toBe("Canada (+1)");
  });
});

describe("an address that someone else signed up with", () => {
  const theirs = { full_name: "Mallory", password: "the password of mallory", opted_in: "on" };
  const ago = (email: string) =>
    world.sql(
      "update auth.users set confirmation_sent_at = now() - interval '5 minutes' where email = $1",
      [email],
    );

  it.each(["before", "after"])(
    "gives them nothing when they did so %s the owner of the mailbox",
    async (order) => {
      const email = newEmail();
      const mallory = world.anonymous();
      const victim = world.anonymous();
      const hers = signUpForm({ email });
      const both = [
        () => mallory.post("/signup", signUpForm({ email, ...theirs })),
        () => victim.post("/signup", hers),
      ];
      if (order === "after") both.reverse();
      for (const signUp of both) {
        await signUp();
        await ago(email);
      }

      const { response } = await confirm(email, victim);
      expect(response).toRedirectTo("/recovery/new");
      expect((await victim.page("/recovery/new")).text).toContain("Choose your password");
      expect(await profileOf(email)).toMatchObject({ opted_in: false });
      const form = { intent: "save", password: hers.password, confirm_password: hers.password };
      expect(await victim.post("/recovery/new", form)).toRedirectTo("/account");
      const account = await victim.page("/account");
      expect(account).toSay("We didn’t keep the details from the sign-up form");
      expect(account.body).not.toContain("Mallory");
      const signIn = (password: string) => world.anonymous().post("/login", { email, password });
      expect(await signIn(theirs.password)).toHaveStatus(400);
      expect(await signIn(String(hers.password))).toRedirectTo("/");
    },
  );

  it("gives them nothing when the owner of the mailbox, who signed up elsewhere, opens the link in their browser", async () => {
    const email = newEmail();
    const shared = world.anonymous();
    await shared.post("/signup", signUpForm({ email, ...theirs }));
    await ago(email);
    await world.anonymous().post("/signup", signUpForm({ email }));
    expect((await confirm(email, shared)).response).toRedirectTo("/recovery/new");
    const signIn = { email, password: theirs.password };
    expect(await world.anonymous().post("/login", signIn)).toHaveStatus(400);
  });

  it("says nothing of what was entered there, which is its sender's: they may have mistyped their own", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email, ...theirs }));
    const victim = world.anonymous();
    await victim.post("/recovery", { email });
    await world.mailAbout(email, "Choose a new password");
    expect((await confirm(email, victim)).response).toRedirectTo("/recovery/new");
    expect(await victim.page("/recovery/new")).toSay("Choose your password");
    const password = "a much better one 77";
    expect(
      await victim.post("/recovery/new", { intent: "save", password, confirm_password: password }),
    ).toRedirectTo("/account");
    expect(await victim.page("/account")).toSay("We didn’t keep the details from the sign-up form");
    expect(await profileOf(email)).toMatchObject({ full_name: null, opted_in: false });
  });

  it("is opened only for a new password by who had filled in its form, once its owner has confirmed it", async () => {
    const email = newEmail();
    const ex = world.anonymous();
    await ex.post("/signup", signUpForm({ email, ...theirs }));
    await confirm(email);
    await ex.post("/recovery", { email });
    const { token } = await world.mailAbout(email, "Choose a new password");
    const press = { intent: "openLink", token_hash: token, type: "email" };
    expect(await ex.post("/confirm", press)).toRedirectTo("/recovery/new");
    expect(await ex.get("/account")).toRedirectTo("/recovery/new");
  });

  it("gives the form back to someone who opens the link elsewhere, and chooses the password that was in it", async () => {
    const [email, password] = [newEmail(), "correct horse 42 staples"];
    await world.anonymous().post("/signup", signUpForm({ email, password, opted_in: "on" }));
    const phone = world.anonymous();
    expect((await confirm(email, phone)).response).toRedirectTo("/recovery/new");
    expect(await phone.page("/recovery/new")).toSay(
      "If it’s the one from the sign-up form, we keep what you entered there.",
    );
    expect(await profileOf(email)).toMatchObject({ full_name: null, opted_in: false });
    const form = { intent: "save", password, confirm_password: password };
    expect(await phone.post("/recovery/new", form)).toRedirectTo("/account");
    expect(await phone.page("/account")).toSay("please check your details");
    expect(await profileOf(email)).toMatchObject({ full_name: "Sam Rivera", opted_in: true });
  });

  it("gives the form to no one who tries several passwords, with a page that they keep for it", async () => {
    const [email, password] = [newEmail(), "correct horse 42 staples"];
    await world.anonymous().post("/signup", signUpForm({ email, password }));
    const stranger = world.anonymous();
    await confirm(email, stranger);
    await stranger.page("/recovery/new");
    const again = stranger.otherTab();
    const choose = (by: typeof stranger, guess: string) =>
      by.post("/recovery/new", { intent: "save", password: guess, confirm_password: guess });
    expect(await choose(stranger, "correct horse 41 staples")).toRedirectTo("/account");
    await choose(again, password);
    expect(await profileOf(email)).toMatchObject({ full_name: null });
  });

  it("keeps the consents of someone who signed up in this browser and lost the first link", async () => {
    const email = newEmail();
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email, opted_in: "on" }));
    await person.post("/recovery", { email });
    await world.mailAbout(email, "Choose a new password");
    await confirm(email, person);
    const password = "a much better one 77";
    expect(
      await person.post("/recovery/new", { intent: "save", password, confirm_password: password }),
    ).toRedirectTo("/recovery/new?done=yes");
    expect(await profileOf(email)).toMatchObject({ opted_in: true });
  });

  it("has no password until its owner chooses one", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email, ...theirs }));
    await confirm(email);
    const signIn = { email, password: theirs.password };
    expect(await world.anonymous().post("/login", signIn)).toHaveStatus(400);
  });

  it("knows the browser of a sign-up by a cookie that no other address or password leads to", async () => {
    const [email, other] = [newEmail(), newEmail()];
    const person = world.anonymous();
    await world.anonymous().post("/signup", signUpForm({ email, ...theirs }));
    await person.post("/signup", signUpForm({ email: other, password: theirs.password }));
    expect((await confirm(email, person)).response).toRedirectTo("/recovery/new");
  });

  it("can’t be found by comparing the cookies of sign-ups: the same one is never sent twice", async () => {
    const form = signUpForm({ email: newEmail() });
    const cookies = [];
    for (let i = 0; i < 2; i++) {
      const person = world.anonymous();
      await person.post("/signup", form);
      cookies.push(person.cookies.get("sign-up"));
    }
    expect(cookies[0]).toBeDefined();
    expect(cookies[0]).not.toBe(cookies[1]);
  });

  it("leaves no cookie after confirming, signing out, or leaving", async () => {
    const signUp = async () => {
      const email = newEmail();
      const person = world.anonymous();
      await person.post("/signup", signUpForm({ email }));
      expect(person.cookies.get("sign-up")).toBeDefined();
      return { email, person };
    };
    const { email, person } = await signUp();
    await confirm(email, person);
    expect(person.cookies.get("sign-up")).toBeUndefined();
    for (const path of ["/leave", "/logout"]) {
      const { person: other } = await signUp();
      await other.post(path);
      expect(other.cookies.get("sign-up"), path).toBeUndefined();
    }
  });

  it("says nothing about the first sign-up to someone who signs up again", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email, pronouns: "they/them" }));
    await ago(email);
    const response = await askAuth("signup", { email, password: "some other password" });
    const answer = await response.text();
    expect(response.status, answer).toBe(200);
    expect(answer).not.toMatch(/Sam Rivera|they\/them|94114|postal/);
  });
});

describe("the auth service", () => {
  it("says neither that an address is not confirmed, nor when it is", async () => {
    const email = newEmail();
    const password = "the password of mallory";
    const ask = async (address: string) => {
      const answer = await askAuth("token?grant_type=password", { email: address, password });
      return [answer.status, await answer.text()];
    };
    await askAuth("signup", { email, password });
    const waiting = await ask(email);
    expect(waiting).toEqual(await ask((await world.owner()).email));
    await confirm(email);
    expect(await ask(email)).toEqual(waiting);
  });

  it("keeps nothing of the sign-up form, so that no token contains it", async () => {
    const email = newEmail();
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email, phone: "(415) 555-2671" }));
    await confirm(email, person);
    const [user] = await world.sql(
      "select id, raw_user_meta_data as data from auth.users where email = $1",
      [email],
    );
    expect(Object.keys(user!["data"] as object).sort()).toEqual([
      "email",
      "email_verified",
      "phone_verified",
      "sub",
    ]);
    const [identity] = await world.sql(
      `update auth.identities set identity_data = identity_data || '{"full_name": "Sam Rivera"}'
        where user_id = $1 returning identity_data as data`,
      [user!["id"]],
    );
    expect(identity!["data"]).not.toHaveProperty("full_name");

    const signedIn = await askAuth("token?grant_type=password", {
      email,
      password: signUpForm()["password"],
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const claims = Buffer.from(token.split(".")[1]!, "base64url").toString();
    expect(claims).toContain("user_metadata");
    expect(claims).not.toMatch(/Sam Rivera|4155552671|94114|postal/);
  });
});

describe("addresses that lead to one mailbox", () => {
  it("can’t use up the sign-ups of the address itself", async () => {
    const name = `mailbox-${++people}`;
    const signUp = async (email: string) =>
      (await askAuth("signup", { email, password: "some other password" })).status;
    for (let n = 0; n < 5; n++) expect(await signUp(`${name}+${n}@example.test`)).toBe(200);
    expect(await signUp(`${name}+5@example.test`)).toBe(500);
    expect(await signUp(`${name}@example.test`)).toBe(200);
  });

  it("aren’t sent to the auth service once its sign-ups are used up: it would answer as if it had failed", async () => {
    const name = `mailbox-${++people}`;
    const sent: string[] = [];
    outside.use(
      http.post(`${world.supabase.url}/auth/v1/signup`, async ({ request }) => {
        sent.push(((await request.clone().json()) as { email: string }).email);
        return passthrough();
      }),
    );
    const emails = [..."abcdef"].map((tag) => `${name}+${tag}@example.test`);
    for (const email of [...emails, `${name}@example.test`])
      expect(await world.anonymous().post("/signup", signUpForm({ email }))).toRedirectTo("/");
    expect(sent).toEqual([...emails.slice(0, 5), `${name}@example.test`]);
    expect(await profileOf(emails[5]!)).toBeUndefined();
  });
});

describe("the page of a link in an email", () => {
  it("names the account, and the one that is signed in", async () => {
    const owner = await world.owner();
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email }));
    const page = await owner.page(world.mail(email).link);
    expect(page.text).toContain(`This link is for ${email}, but`);
    expect(page.text).toContain(`but you’re signed in as ${owner.email}`);
  });
});

describe("a link that was used on another device, where its answer was lost", () => {
  it("leads to a new password, since the account has none: one more email, and no other sign-up", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email }));
    const { token } = world.mail(email);
    const phone = world.anonymous();
    const press = { intent: "openLink", token_hash: token, type: "email" };
    await phone.otherTab().post("/confirm", press);
    const { location } = await phone.post("/confirm", press);
    expect(await phone.page(location!)).toSay(
      "If you can’t sign in, select “Forgot your password?” to get a new link.",
    );
    await phone.post("/recovery", { email });
    const again = { intent: "openLink", token_hash: world.mail(email).token };
    expect(await phone.post("/recovery/new", again)).toRedirectTo("/recovery/new");
  });
});

describe("a link that ends the session of another account, as its page says", () => {
  const open = {
    "/confirm": async () => {
      const email = newEmail();
      await world.anonymous().post("/signup", signUpForm({ email }));
      return email;
    },
    "/recovery/new": async () => {
      const { email } = await world.owner();
      await world.anonymous().post("/recovery", { email });
      return email;
    },
  };

  it.each(Object.entries(open))("%s", async (path, makeLink) => {
    const owner = await world.owner();
    const copy = owner.otherTab();
    const { link, token } = world.mail(await makeLink());
    expect((await owner.page(link)).text).toContain("we’ll sign you out of that account");
    await owner.post(path, { intent: "openLink", token_hash: token, type: "email" });
    expect(await copy.get("/account")).toAskForSignIn();
  });

  it("and not when it is a link of the same account", async () => {
    const owner = await world.owner();
    const copy = owner.otherTab();
    await owner.post("/recovery", { email: owner.email });
    const { token } = world.mail(owner.email);
    await owner.post("/recovery/new", { intent: "openLink", token_hash: token });
    expect(await copy.get("/account")).toHaveStatus(200);
  });
});

describe("the page of a link to a new password", () => {
  it("names the account, and is gone once the link was used", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await world.anonymous().post("/recovery", { email: owner.email });
    const { link, token } = world.mail(owner.email);
    const page = await other.page(link);
    expect(page.text).toContain(`This link is for ${owner.email}, but`);
    expect(page.text).toContain(`but you’re signed in as ${other.email}`);
    expect((await owner.page(link)).text).not.toContain("you’re signed in as");
    await owner.post("/recovery/new", { intent: "openLink", token_hash: token });
    expect(await other.get(link)).toRedirectTo("/recovery");
  });
});

describe("a sign-up with the address of an account", () => {
  const mailsTo = (address: string) => world.supabase.mails.filter(({ to }) => to === address);
  const signUpAs = (email: string) =>
    world.anonymous().submit("/signup", signUpForm({ email, full_name: "Someone Else" }));

  it("sends an email that says so, with a way to a new password, at most one in six hours", async () => {
    const owner = await world.owner();
    await signUpAs(owner.email);
    const mail = await world.mailAbout(owner.email, "About your sign-up");
    expect(mail.text).toContain("You already have an account with this email address");
    expect(mail.links).toContain(`${world.appUrl}/recovery`);
    expect(mail.text).not.toContain("Someone Else");

    await signUpAs(owner.email);
    await signUpAs(owner.email.toUpperCase());
    const queued = () =>
      world.sql("select id from private.email_queue where recipient = $1", [owner.id]);
    expect(await queued()).toHaveLength(1);
    await world.sql(
      "update private.email_queue set created_at = created_at - interval '7 hours', key = key || '-earlier' where recipient = $1",
      [owner.id],
    );
    await signUpAs(owner.email);
    expect(await queued()).toHaveLength(2);
  });

  it("sends the confirmation again when the address was never confirmed", async () => {
    const email = newEmail();
    await signUpAs(email);
    const first = world.mail(email).token;
    await world.sql(
      "update auth.users set confirmation_sent_at = now() - interval '5 minutes' where email = $1",
      [email],
    );
    const person = world.anonymous();
    // With the same password, in another browser.
    await person.submit("/signup", signUpForm({ email }));
    expect(mailsTo(email)).toHaveLength(2);
    expect(world.mail(email).token).not.toBe(first);
    expect((await confirm(email, person)).response).toRedirectTo("/");
  });

  it("shows the same page in both cases as for a new address", async () => {
    const unconfirmed = newEmail();
    await signUpAs(unconfirmed);
    const addresses = [newEmail(), (await world.owner()).email, unconfirmed];
    const pages = [];
    for (const email of addresses) {
      const person = world.anonymous();
      const response = await person.post("/signup", signUpForm({ email }));
      expect(response).toRedirectTo("/");
      await person.get("/");
      pages.push((await person.page("/login")).text);
    }
    expect(pages[0]).toContain("Check your email and open the link we’ve sent you.");
    expect(new Set(pages).size).toBe(1);
  });
});

describe("the response to someone who signs up or asks for a new password", () => {
  const routes = { "/signup": signUpForm, "/recovery": (fields: object) => ({ ...fields }) };

  it.each(Object.keys(routes) as (keyof typeof routes)[])(
    "%s is sent before any call that depends on the address",
    async (path) => {
      const owner = await world.owner();
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const held: string[] = [];
      for (const call of ["auth/v1/signup", "auth/v1/recover", "rest/v1/rpc/begin_sign_up"])
        outside.use(
          http.post(`${world.supabase.url}/${call}`, async () => {
            held.push(call);
            await released;
            return passthrough();
          }),
        );

      const answers = [];
      for (const email of [owner.email, newEmail()]) {
        const answer = await world
          .anonymous()
          .post(path, routes[path]({ email }), { leaveWork: true });
        answers.push({
          status: answer.status,
          location: answer.location,
          body: answer.body,
          calls: answer.calls.map(({ name }) => name),
        });
      }
      // Both have their responses, and no call has been answered.
      await expect.poll(() => held).toHaveLength(2);
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]!.calls).toEqual([
        "POST /rest/v1/rpc/take_rate_token",
        "GET /auth/v1/health",
      ]);
      release();
      await settleBackgroundWork();
    },
  );
});
