import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createEngine, ENGINES, makeProject, SITE, startServices, type Services } from "./project";

const aboutTheOtherAddress: unknown = expect.stringContaining("other");
const anyText: unknown = expect.any(String);

describe.each(ENGINES)("auth service over %s", (name) => {
  const project = makeProject();
  let services: Services;
  let stopEngine: () => Promise<void>;

  beforeAll(async () => {
    const { engine, stop } = await createEngine(name);
    stopEngine = stop;
    services = await startServices({ project: project.folder, engine });
  });
  afterAll(async () => {
    await services.stop();
    await stopEngine();
    project.remove();
  });

  it("answers the sign-up of a known address like that of an unknown one", async () => {
    await services.member("known@example.test");
    const before = services.mails.length;
    const unknown = await services.signUp("unknown@example.test");
    const known = await services.signUp("Known@example.test", "another password");
    expect(known.status).toBe(unknown.status);
    expect(Object.keys(known.body).sort()).toEqual(Object.keys(unknown.body).sort());
    // The hosted service tells them apart by these, and so does the stand-in.
    expect(known.body).toMatchObject({ role: "", identities: [] });
    expect(known.body.id).not.toBe(unknown.body.id);
    // Only the unknown address gets an email, and the password of the known account is unchanged.
    expect(services.mails.slice(before).map((mail) => mail.to)).toEqual(["unknown@example.test"]);
    expect(await services.signIn("known@example.test")).toMatchObject({ status: 200 });
  });

  it("follows a link that no one has to where it asks, if that is the site, and else to the site", async () => {
    const follow = async (token: string, redirect_to: string) => {
      const query = new URLSearchParams({ token, type: "signup", redirect_to });
      const path = `${services.url}/auth/v1/verify?${query}`;
      const response = await fetch(path, { redirect: "manual" });
      return [response.status, response.headers.get("Location")?.replace(/#.*/, "")];
    };
    const site = new URL(SITE).href;
    expect(await follow("none", `${site}confirm`)).toEqual([303, `${site}confirm`]);
    expect(await follow("none", "https://elsewhere.example/")).toEqual([303, site]);
    await services.signUp("linked@example.test");
    const token = services.lastToken("linked@example.test");
    expect(await follow(token, site)).toEqual([404, undefined]);
  });

  it("sends the confirmation again when an unconfirmed address signs up again", async () => {
    await services.signUp("twice@example.test");
    const first = services.lastToken("twice@example.test");
    expect(await services.signUp("twice@example.test")).toMatchObject({
      status: 429,
      body: { error_code: "over_email_send_rate_limit" },
    });
    await services.backdateEmails();
    expect(await services.signUp("twice@example.test")).toMatchObject({ status: 200 });
    const second = services.lastToken("twice@example.test");
    expect(second).not.toBe(first);
    expect(
      await services.post("/auth/v1/verify", { type: "signup", token_hash: first }),
    ).toMatchObject({ status: 403, body: { error_code: "otp_expired" } });
    expect(
      await services.post("/auth/v1/verify", { type: "email", token_hash: second }),
    ).toMatchObject({ status: 200, body: { user: { email: "twice@example.test" } } });
  });

  it("creates no sign-in link without the secret key", async () => {
    await services.member("link@example.test");
    const link = { type: "magiclink", email: "link@example.test" };
    expect(await services.post("/auth/v1/admin/generate_link", link)).toMatchObject({
      status: 401,
    });
  });

  it("refuses a sign-in before the address is confirmed, and says so only with the right password", async () => {
    await services.signUp("early@example.test");
    expect(await services.signIn("early@example.test")).toMatchObject({
      status: 400,
      body: { error_code: "email_not_confirmed" },
    });
    const wrong = await services.signIn("early@example.test", "wrong password");
    expect(wrong).toMatchObject({ status: 400, body: { error_code: "invalid_credentials" } });
    expect(wrong).toEqual(await services.signIn("no-one@example.test", "wrong password"));
  });

  it("resends an email, and keeps the interval between two emails of a kind", async () => {
    await services.signUp("resend@example.test");
    const resend = () =>
      services.post("/auth/v1/resend", { type: "signup", email: "resend@example.test" });
    expect(await resend()).toMatchObject({ status: 429 });
    await services.backdateEmails();
    const before = services.mails.length;
    expect(await resend()).toEqual({ status: 200, body: {} });
    expect(services.mails.slice(before)).toMatchObject([
      { to: "resend@example.test", subject: "About confirmation" },
    ]);
    expect(
      await services.post("/auth/v1/resend", { type: "signup", email: "no-one@example.test" }),
    ).toEqual({ status: 200, body: {} });
  });

  it("sends a recovery link that works once, and no second one within the interval", async () => {
    await services.member("recover@example.test");
    const recover = () => services.post("/auth/v1/recover", { email: "recover@example.test" });
    expect(await recover()).toEqual({ status: 200, body: {} });
    expect(await recover()).toMatchObject({ status: 429 });
    const token = services.lastToken("recover@example.test");
    expect(
      await services.post("/auth/v1/verify", { type: "recovery", token_hash: token }),
    ).toMatchObject({ status: 200, body: { access_token: anyText } });
    expect(
      await services.post("/auth/v1/verify", { type: "recovery", token_hash: token }),
    ).toMatchObject({ status: 403 });
  });

  it("accepts a used refresh token within the reuse interval, and not after it", async () => {
    const { refresh_token: first } = await services.member("tabs@example.test");
    const tabs = await Promise.all(Array.from({ length: 20 }, () => services.refresh(first)));
    expect(tabs.map((tab) => tab.status)).toEqual(Array.from({ length: 20 }, () => 200));
    const { body: second } = await services.refresh(tabs[0]!.body.refresh_token);
    const { body: third } = await services.refresh(second.refresh_token);
    // A slow tab, two generations behind.
    const late = await services.refresh(first);
    expect(late).toMatchObject({ status: 200, body: { refresh_token: third.refresh_token } });

    await services.sql(
      "update auth.refresh_tokens set updated_at = updated_at - interval '1 minute'",
    );
    expect(await services.refresh(first)).toMatchObject({
      status: 400,
      body: { error_code: "refresh_token_already_used" },
    });
    // The token may have been stolen, so the whole session ends.
    expect(await services.refresh(third.refresh_token)).toMatchObject({ status: 400 });
  });

  it("ends the other sessions when the password changes", async () => {
    const here = await services.member("password@example.test");
    const { body: there } = await services.signIn("password@example.test");
    expect(
      await services.call("PUT", "/auth/v1/user", {
        body: { password: "a new password" },
        token: here.access_token,
      }),
    ).toMatchObject({ status: 200 });
    expect(await services.get("/auth/v1/user", { token: here.access_token })).toMatchObject({
      status: 200,
    });
    expect(await services.get("/auth/v1/user", { token: there.access_token })).toMatchObject({
      status: 403,
      body: { error_code: "session_not_found" },
    });
    expect(await services.refresh(there.refresh_token)).toMatchObject({ status: 400 });
  });

  it.each([
    ["?scope=local", 403, 200],
    ["?scope=others", 200, 403],
    ["?scope=global", 403, 403],
    ["", 403, 403],
  ])("signs out with %s", async (query, own, other) => {
    const email = `out${query.replace(/\W/g, "-")}@example.test`;
    const here = await services.member(email);
    const { body: there } = await services.signIn(email);
    expect(
      await services.post(`/auth/v1/logout${query}`, {}, { token: here.access_token }),
    ).toMatchObject({ status: 204 });
    const status = async (token: string) => (await services.get("/auth/v1/user", { token })).status;
    expect([await status(here.access_token), await status(there.access_token)]).toEqual([
      own,
      other,
    ]);
  });

  it("changes an address when both addresses have confirmed, in either order", async () => {
    for (const [turn, order] of [
      ["one", ["old", "new"]],
      ["two", ["new", "old"]],
    ] as const) {
      const addresses = { old: `old-${turn}@example.test`, new: `new-${turn}@example.test` };
      const { access_token: token } = await services.member(addresses.old);
      expect(
        await services.call("PUT", "/auth/v1/user", { body: { email: addresses.new }, token }),
      ).toMatchObject({ status: 200, body: { email: addresses.old, new_email: addresses.new } });

      const confirm = (address: string) =>
        services.post("/auth/v1/verify", {
          type: "email_change",
          token_hash: services.lastToken(address),
        });
      const first = await confirm(addresses[order[0]]);
      expect(first).toMatchObject({ status: 200, body: { msg: aboutTheOtherAddress } });
      expect(await confirm(addresses[order[0]])).toMatchObject({ status: 403 });
      expect((await services.get("/auth/v1/user", { token })).body.email).toBe(addresses.old);
      expect(await confirm(addresses[order[1]])).toMatchObject({
        status: 200,
        body: { user: { email: addresses.new } },
      });
      expect(await services.signIn(addresses.old)).toMatchObject({ status: 400 });
      expect(await services.signIn(addresses.new)).toMatchObject({ status: 200 });
    }
  });

  it("restarts a change of address when another address is requested", async () => {
    const { access_token: token } = await services.member("again@example.test");
    const change = (email: string) =>
      services.call("PUT", "/auth/v1/user", { body: { email }, token });
    await change("first@example.test");
    await services.post("/auth/v1/verify", {
      type: "email_change",
      token_hash: services.lastToken("again@example.test"),
    });
    expect(await change("second@example.test")).toMatchObject({ status: 429 });
    await services.backdateEmails();
    await change("second@example.test");
    expect(
      await services.post("/auth/v1/verify", {
        type: "email_change",
        token_hash: services.lastToken("first@example.test"),
      }),
    ).toMatchObject({ status: 403 });
    expect(
      await services.post("/auth/v1/verify", {
        type: "email_change",
        token_hash: services.lastToken("second@example.test"),
      }),
    ).toMatchObject({ body: { msg: anyText } });
    expect((await services.get("/auth/v1/user", { token })).body.email).toBe("again@example.test");
  });

  it("answers like the hosted service when a trigger refuses the account", async () => {
    await services.sql(
      `create function public.no_such_accounts() returns trigger language plpgsql as $$
       begin
         if new.email like 'refused%' then raise exception 'no'; end if;
         return new;
       end $$`,
    );
    await services.sql(
      `create trigger refuse before insert on auth.users
         for each row execute function public.no_such_accounts()`,
    );
    expect(await services.signUp("refused@example.test")).toMatchObject({
      status: 500,
      body: { error_code: "unexpected_failure" },
    });
    expect(await services.sql("select from auth.users where email like 'refused%'")).toEqual([]);
  });
});
