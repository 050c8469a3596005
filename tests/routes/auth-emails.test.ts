/** The emails of the auth service, which asks the app to send them by its Send Email Hook. */
import { randomUUID } from "node:crypto";

import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";

import { breakDown, faultNames, faults, recover } from "../faults/outage";
import { signUpForm } from "../support/forms";
import { createWorld, EMAIL_HOOK_SECRET } from "../support/world";

const world = await createWorld({ emailHook: true });
const HOOK = "/webhooks/auth-emails";

const newEmail = () => `hook-${randomUUID()}@example.test`;
const tokenHash = () => randomUUID().replaceAll("-", "").padEnd(56, "0");

/** A request of the auth service's, with a good signature unless stated. */
async function ask(
  content: unknown,
  { secret = EMAIL_HOOK_SECRET, at = new Date(), headers = {} } = {},
) {
  const body = typeof content === "string" ? content : JSON.stringify(content);
  const id = randomUUID();
  return world.anonymous().post(HOOK, undefined, {
    body,
    origin: null,
    secFetchSite: null,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret.replace("v1,", "")).sign(id, at, body),
      ...headers,
    },
  });
}
const asking = (email: string, type = "signup", more = {}) => ({
  user: { id: randomUUID(), email, ...more },
  email_data: { email_action_type: type, token_hash: tokenHash(), token_hash_new: "" },
});
/** Calls the auth service as anyone can, with the publishable key. */
const call = (path: string, body: object, method = "POST", headers: Record<string, string> = {}) =>
  fetch(`${world.supabase.url}/auth/v1/${path}`, {
    method,
    headers: {
      apikey: world.supabase.publishableKey,
      "Content-Type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
/** The link in an email that has a token. */
const linkIn = ({ links }: { links: string[] }) =>
  new URL(links.find((one) => one.includes("token_hash"))!);
const mailsTo = (email: string) => world.supabase.mails.filter(({ to }) => to === email);
const queued = (email: string) =>
  world.sql("select kind, data from private.email_queue where address = $1", [email]);

const countSessions = (userId: string) =>
  world.sql("select count(*)::int as sessions from auth.sessions where user_id = $1", [userId]);

describe("an email of the auth service", () => {
  it("about a sign-up comes from our own mail server, and its link confirms the address", async () => {
    const email = newEmail();
    const visitor = world.anonymous();
    expect(await visitor.post("/signup", signUpForm({ email }))).toRedirectTo("/");
    const mail = await world.mailAbout(email, "Please confirm your email address");
    expect(mail.headers?.["auto-submitted"]).toBe("auto-generated");
    expect(await visitor.page(world.mail(email).link)).toSay("Confirm");
    // Neither the address nor the link is stored any longer.
    await expect
      .poll(() =>
        world.sql(
          "select address, data from private.email_queue where kind = 'account-confirmation' and sent_at is not null",
        ),
      )
      .toContainEqual({ address: "", data: {} });
    expect(JSON.stringify(await world.sql("select * from private.email_queue"))).not.toContain(
      email,
    );
  });

  it("about a new password is discreet for those who asked for that", async () => {
    const [open, discreet] = [await world.owner(), await world.owner()];
    await world.sql("update public.profiles set discreet = true where id = $1", [discreet.id]);
    for (const { email } of [open, discreet]) await world.anonymous().post("/recovery", { email });
    expect((await world.mailAbout(open.email, "Choose a new password")).links[0]).toContain(
      "/recovery/new?token_hash=",
    );
    await world.mailAbout(discreet.email, "A message for you");
  });

  it("about a change of address says why it came, and reveals nothing to those who asked for that", async () => {
    const owner = await world.owner();
    await owner.post("/privacy", { intent: "discreet" });
    const email = newEmail();
    await owner.post("/account", { email, current_password: owner.password });
    for (const address of [owner.email, email]) {
      const { text, html } = await world.mailAbout(address, "A message for you");
      expect(`${text}${html}`).not.toMatch(/Everyone|a listing/);
    }
    const { text } = world.mail(owner.email);
    expect(text).toContain("You’re receiving this because you have an account with this address.");
  });

  it("about a change of address goes to both, and names only the new one", async () => {
    const owner = await world.owner();
    const email = newEmail();
    const form = { email, current_password: owner.password };
    expect(await owner.submit("/account", form)).toRedirectTo("/account");
    const [current, next] = [
      await world.mailAbout(owner.email, "Please confirm your email address change"),
      await world.mailAbout(email, "Please confirm your new email address"),
    ];
    expect(current.text).toContain(email);
    expect(next.text).not.toContain(owner.email);
    for (const mail of [current, next]) {
      const link = linkIn(mail);
      const page = await owner.page(`${link.pathname}${link.search}`);
      expect(page).toHaveStatus(200);
      await owner.submit(`${link.pathname}${link.search}`, {
        intent: "openLink",
        token_hash: link.searchParams.get("token_hash")!,
        type: "email_change",
      });
    }
    expect(await world.sql("select email from auth.users where id = $1", [owner.id])).toEqual([
      { email },
    ]);
    expect(await owner.get("/account")).toHaveStatus(200);
    // Once it is made, the old address hears of it, and no one else.
    const made = await world.mailAbout(owner.email, "Your email address was changed");
    expect(made.text).toContain("Sign in with your new address.");
    expect(`${made.text}${made.html}`).not.toContain(email);
    expect(mailsTo(email).filter(({ subject }) => subject === made.subject)).toEqual([]);
    const log =
      "select actor_role from public.audit_log where action = 'change-email' and subject_id = $1";
    expect(await world.sql(log, [owner.id])).toEqual([{ actor_role: "system" }]);
  });

  it("about a sign-up goes to the address of that sign-up, also while another account is to change to it", async () => {
    const [owner, email] = [await world.owner(), newEmail()];
    await owner.submit("/account", { email, current_password: owner.password });
    await world.mailAbout(email, "Please confirm your new email address");
    await world.mailAbout(owner.email, "Please confirm your email address change");
    const others = mailsTo(owner.email).length;
    await world.anonymous().post("/signup", signUpForm({ email }));
    await expect.poll(() => mailsTo(email).length + mailsTo(owner.email).length).toBe(others + 2);
    expect(mailsTo(email).at(-1)!.subject).toBe("Please confirm your email address");
  });

  it("to a mistyped new address neither names the account to its reader nor signs them in", async () => {
    const owner = await world.owner();
    const email = newEmail();
    await owner.submit("/account", { email, current_password: owner.password });
    const tokenOf = async (address: string, subject: string) => {
      return linkIn(await world.mailAbout(address, subject)).searchParams.get("token_hash")!;
    };
    const current = await tokenOf(owner.email, "Please confirm your email address change");
    const next = await tokenOf(email, "Please confirm your new email address");
    const open = (token_hash: string) => ({ intent: "openLink", token_hash, type: "email_change" });
    const page = (hash: string) => `/confirm?token_hash=${hash}&type=email_change`;
    // The account's own user sees no question about another account.
    for (const hash of [current, next])
      expect(await owner.page(page(hash))).not.toSay("sign you out of that account");
    await owner.submit(page(current), open(current));

    const [stranger, other] = [world.anonymous(), await world.owner()];
    for (const reader of [stranger, other]) {
      const shown = await reader.page(page(next));
      expect(shown).toSay(email);
      expect(shown.body).not.toContain(owner.email);
    }
    const signedIn = await other.page(page(next));
    expect(signedIn).toSay(other.email);
    // They stay in their own account.
    expect(signedIn).not.toSay("sign you out of that account");
    // Its reader may be who the account's user pretends to be: the address is theirs, and the account isn't.
    const asked = await stranger.page(page(next));
    expect(asked).toSay("Continue only if you asked for this change.");
    expect(asked).toSay("they could take over your account, or use your address as theirs");
    expect(asked).not.toSay("Continue only if that address is yours");
    expect(await stranger.submit(page(next), open(next))).toRedirectTo("/login");
    expect(await stranger.get("/account")).toRedirectTo("/login?redirectTo=%2Faccount");
    expect(await stranger.page("/login")).toSay("The email address has been changed.");
    // Those of before end with the old address.
    expect(await countSessions(owner.id)).toEqual([{ sessions: 0 }]);
    expect(await world.sql("select email from auth.users where id = $1", [owner.id])).toEqual([
      { email },
    ]);
  });

  it("about a change of address signs in no browser whose session was ended", async () => {
    const owner = await world.owner();
    const [lost, email] = [await world.signIn(owner), newEmail()];
    await owner.submit("/account", { email, current_password: owner.password });
    const tokens = [
      await world.mailAbout(owner.email, "Please confirm your email address change"),
      await world.mailAbout(email, "Please confirm your new email address"),
    ].map((mail) => linkIn(mail).searchParams);
    const open = (browser: typeof owner, params: URLSearchParams) =>
      browser.otherTab().post("/confirm?type=email_change", {
        intent: "openLink",
        token_hash: params.get("token_hash")!,
        type: "email_change",
      });
    await open(owner, tokens[0]!);
    // Such as by a new password, or by "Leave quickly".
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    await open(lost, tokens[1]!);
    expect(await world.sql("select email from auth.users where id = $1", [owner.id])).toEqual([
      { email },
    ]);
    expect(await lost.get("/account")).toRedirectTo("/login?redirectTo=%2Faccount");
    expect(await countSessions(owner.id)).toEqual([{ sessions: 0 }]);
  });

  it("of before a new password has no link that works after it", async () => {
    const owner = await world.owner();
    const email = newEmail();
    await owner.submit("/account", { email, current_password: owner.password });
    await world.mailAbout(email, "Please confirm your new email address");
    const signedIn = await call("token?grant_type=password", {
      email: owner.email,
      password: owner.password,
    });
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const change = { password: `another ${randomUUID()}` };
    await call("user", change, "PUT", { Authorization: `Bearer ${access_token}` });
    for (const address of [owner.email, email]) {
      const link = linkIn(mailsTo(address).at(-1)!);
      await world.anonymous().post("/confirm?type=email_change", {
        intent: "openLink",
        token_hash: link.searchParams.get("token_hash")!,
        type: "email_change",
      });
    }
    expect(await world.sql("select email from auth.users where id = $1", [owner.id])).toEqual([
      { email: owner.email },
    ]);
    // Nor does it take up the change again, for which anyone can ask.
    const sent = mailsTo(email).length;
    await world.sql(
      "update auth.users set email_change_sent_at = now() - interval '5 minutes' where id = $1",
      [owner.id],
    );
    await call("resend", { type: "email_change", email: owner.email });
    expect(mailsTo(email)).toHaveLength(sent);
    expect(
      await world.sql("select email_change from auth.users where id = $1", [owner.id]),
    ).toEqual([{ email_change: "" }]);
  });

  it("that would sign in anyone who opens it has no link that does", async () => {
    const { email } = await world.owner();
    await call("otp", { email, create_user: false });
    expect((await world.mailAbout(email, "How to sign in")).html).not.toContain("token");
  });
});

it("a sign-in link that someone else requested leaves a link to a new password as it is", async () => {
  const owner = await world.owner();
  await world.anonymous().submit("/recovery", { email: owner.email });
  const mail = await world.mailAbout(owner.email, "Choose a new password");
  // The pause of the auth service between two emails is over.
  await world.sql(
    "update auth.users set recovery_sent_at = now() - interval '5 minutes' where id = $1",
    [owner.id],
  );
  await call("otp", { email: owner.email });
  await world.mailAbout(owner.email, "How to sign in");
  const link = linkIn(mail);
  expect(await world.anonymous().page(`${link.pathname}${link.search}`)).toSay(
    "The link in the email works once.",
  );
});

describe("someone who calls the auth service directly, again and again,", () => {
  /** As if the last email had been sent five minutes ago: the auth service's own pause is over. */
  const pass = (email: string) =>
    world.sql(
      `update auth.users set recovery_sent_at = recovery_sent_at - interval '5 minutes',
         confirmation_sent_at = confirmation_sent_at - interval '5 minutes' where email = $1`,
      [email],
    );
  const newest = (email: string) => {
    const link = linkIn(mailsTo(email).at(-1)!);
    return `${link.pathname}${link.search}`;
  };
  const answers = async (path: string, body: { email: string; type?: string }) => {
    const statuses: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      const sent = mailsTo(body.email).length;
      const { status } = await call(path, body);
      statuses.push(status);
      if (status === 200) await expect.poll(() => mailsTo(body.email).length).toBe(sent + 1);
      await pass(body.email);
    }
    return statuses;
  };

  it("replaces a link to a new password three times an hour", async () => {
    const { email } = await world.owner();
    expect(await answers("recover", { email })).toEqual([200, 200, 200, 429, 429]);
    // Our page says what it always says, and the newest link stays valid.
    const sent = mailsTo(email).length;
    expect(await world.anonymous().submit("/recovery", { email })).toHaveStatus(200);
    expect(mailsTo(email)).toHaveLength(sent);
    expect(await world.anonymous().page(newest(email))).toSay("The link in the email works once.");
  });

  it("replaces the link that confirms a sign-up three times an hour", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email }));
    await world.mailAbout(email, "Please confirm your email address");
    await pass(email);
    expect(await answers("resend", { type: "signup", email })).toEqual([200, 200, 429, 429, 429]);
    await world.anonymous().post("/signup", signUpForm({ email }));
    expect(await world.anonymous().page(newest(email))).toSay(email);
    expect(mailsTo(email)).toHaveLength(3);
  });

  it("replaces the links of a change of address five times an hour", async () => {
    const [owner, other, email] = [await world.owner(), await world.owner(), newEmail()];
    const change = ({ password }: typeof owner) => ({ email, current_password: password });
    expect(await owner.submit("/account", change(owner))).toRedirectTo("/account");
    await world.mailAbout(owner.email, "Please confirm your email address change");
    const statuses: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      await world.sql(
        "update auth.users set email_change_sent_at = now() - interval '5 minutes' where email = $1",
        [owner.email],
      );
      const { status } = await call("resend", { type: "email_change", email: owner.email });
      statuses.push(status);
      // The owner's mailbox also has the email of their sign-up.
      const sent = Math.min(times + 2, 5);
      await expect.poll(() => mailsTo(email).length).toBe(sent);
      await expect.poll(() => mailsTo(owner.email).length).toBe(sent + 1);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    for (const address of [email, owner.email])
      expect(await owner.page(newest(address))).toHaveStatus(200);
    // One account doesn't keep another from changing to the address.
    await other.submit("/account", change(other));
    await expect.poll(() => mailsTo(email).length).toBe(6);
  });

  it("doesn’t fill a mailbox by addresses with suffixes", async () => {
    const name = randomUUID();
    const refused: unknown[] = [];
    for (let n = 0; n < 12; n += 1) {
      const { body } = await ask(asking(`${name}+${n}@example.test`));
      refused.push((JSON.parse(body) as { error?: { http_code: number } }).error?.http_code);
    }
    expect(refused).toEqual([...Array<undefined>(10).fill(undefined), 429, 429]);
  });
});

describe("a request for an email", () => {
  it("sends it once, however often it comes", async () => {
    const email = newEmail();
    const request = asking(email);
    const queueLength = async () =>
      (await world.sql("select from private.email_queue where kind = 'account-confirmation'"))
        .length;
    const before = await queueLength();
    for (let times = 0; times < 3; times += 1) {
      const answer = await ask(request);
      expect(answer).toHaveStatus(200);
      expect(answer.body).toBe("{}");
    }
    expect(await queueLength()).toBe(before + 1);
    await world.mailAbout(email, "Please confirm");
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("for a link that we don’t send is answered with one email in several hours, however often it comes", async () => {
    const email = newEmail();
    for (let times = 0; times < 3; times += 1) {
      const answer = await ask(asking(email, "magiclink"));
      expect(answer).toHaveStatus(200);
      // The auth service undoes what it did: an earlier link to a new password still works.
      expect(JSON.parse(answer.body)).toMatchObject({ error: { http_code: 422 } });
    }
    await world.mailAbout(email, "How to sign in");
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("is refused without a fresh signature of the shared secret", async () => {
    const email = newEmail();
    const other = `v1,whsec_${Buffer.from("x".repeat(32)).toString("base64")}`;
    const old = new Date(Date.now() - 6 * 60_000);
    for (const options of [
      { secret: other },
      { at: old },
      { headers: { "webhook-signature": "" } },
      { headers: { "webhook-id": "another" } },
    ])
      expect(await ask(asking(email), options)).toHaveStatus(400);
    expect(await queued(email)).toEqual([]);
    expect(mailsTo(email)).toEqual([]);
  });

  it("that can’t be read, or is of a kind that we don’t send, sends nothing", async () => {
    const email = newEmail();
    for (const odd of [
      "{}",
      "null",
      { user: { id: "1", email }, email_data: {} },
      asking(email, "constructor"),
      asking(email, "email_change"),
    ])
      expect(await ask(odd)).toHaveStatus(400);
    expect(mailsTo(email)).toEqual([]);
  });

  it("with a code, which any user can ask for, is refused, and is no error of ours", async () => {
    const email = newEmail();
    const { body } = await ask(asking(email, "reauthentication"));
    expect(JSON.parse(body)).toMatchObject({ error: { http_code: 422 } });
    expect(await queued(email)).toEqual([]);
  });

  it.each(["password_changed_notification", "mfa_factor_enrolled_notification"])(
    "is not sent for %s, whose change does not fail for that",
    async (type) => {
      const email = newEmail();
      expect(await ask(asking(email, type))).toHaveStatus(200);
      expect(await queued(email)).toEqual([]);
    },
  );

  it("with an invitation is refused in words that Supabase shows to the person who invites", async () => {
    const email = newEmail();
    const answer = await ask(asking(email, "invite"));
    expect(answer).toHaveStatus(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: {
        http_code: 422,
        message: expect.stringMatching(/sign up at http.*\/signup$/) as string,
      },
    });
    expect(await queued(email)).toEqual([]);
  });

  it("is to be repeated while the database does not answer", async () => {
    for (const fault of faultNames) {
      breakDown(`${world.supabase.url}/rest/v1/*`, faults[fault]!);
      const answer = await ask(asking(newEmail())).finally(recover);
      expect(answer, fault).toHaveStatus(503);
      // Without it, the auth service does not ask again.
      expect(answer.headers.get("Retry-After"), fault).not.toBeNull();
    }
  });

  it("that can’t be met within an hour is deleted with its link, and with the account", async () => {
    const [late, erased] = [newEmail(), await world.owner()];
    for (const [address, user] of [
      [late, randomUUID()],
      [erased.email, erased.id],
    ])
      await world.sql(
        `insert into private.email_queue (address, kind, key, data, next_try_at)
         values ($1, 'account-recovery', $1, jsonb_build_object('user', $2::text, 'token_hash', 'x'), 'infinity')`,
        [address, user],
      );
    await world.sql("select private.erase_user($1)", [erased.id]);
    expect(await queued(erased.email)).toEqual([]);
    await world.sql(
      "update private.email_queue set created_at = now() - interval '61 minutes' where address = $1",
      [late],
    );
    await world.sql("select * from private.lease_emails(0)");
    expect(await queued(late)).toEqual([]);
  });
});
