import { describe, expect, it } from "vitest";

import { signUpForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();

let people = 0;
const newEmail = () => `new-${++people}@example.test`;

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
    await world.anonymous().post("/signup", signUpForm({ email }));
    const { link } = world.mail(email);
    for (let i = 0; i < 3; i++) expect(await world.anonymous().page(link)).toHaveStatus(200);

    expect((await confirm(email)).response).toRedirectTo("/");
    const second = await confirm(email);
    expect(second.response).toRedirectTo("/login");
    expect(await second.person.get("/account")).toAskForSignIn();
  });

  it("records each opt-in as a consent, with the version of its text and its page", async () => {
    const email = newEmail();
    await world.anonymous().post("/signup", signUpForm({ email, opted_in: "on" }));
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
    ["password123", /one of the most used/],
    ["PASSWORD123", /one of the most used/],
    ["a".repeat(73), "Use at most 72 characters for your password."],
    ["🏳️‍🌈".repeat(13), "Use at most 72 characters for your password."],
    ["", "Enter a password."],
  ])("rejects the password %j and never sends it back", async (password, message) => {
    const email = newEmail();
    const response = await world.anonymous().post("/signup", signUpForm({ email, password }));
    expect(response).toBeRefusedWith(message, { field: "password" });
    expect(response.kept["password"]).toBeUndefined();
    expect(response.kept["email"]).toBe(email);
    expect(await profileOf(email)).toBeUndefined();
  });

  it.each([
    "x".repeat(63) + "7",
    "pass phrase with spaces",
    "Пароль не простой",
    "🦄🌈🦄🌈🦄🌈🦄🌈",
    "' or 1=1; -- ",
  ])("accepts the password %j", async (password) => {
    const email = newEmail();
    expect(await world.anonymous().post("/signup", signUpForm({ email, password }))).toRedirectTo(
      "/",
    );
    await confirm(email);
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });

  it.each([
    [{ phone: "12345" }, "phone", /valid in the country/],
    [{ phone: "x".repeat(300) }, "phone", /too long/],
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
    expect(page.chosen("phone_country")).toBe("CA");
  });
});
