import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { accountForm, signUpForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Member } from "../support/world";
import { createWorld } from "../support/world";

const world = await createWorld();

const profileOf = async (person: Member) => (await world.row("profiles", person.id))!;
const formOf = (person: Member, fields: Record<string, unknown> = {}) =>
  accountForm({
    email: person.email,
    full_name: person.fullName,
    // Asked for when the email address changes.
    current_password: person.password,
    ...fields,
  });

describe("personal information", () => {
  it("shows the saved values, and saves what was typed", async () => {
    const owner = await world.owner({ fullName: "Zoë O’Hara" });
    const response = await owner.post(
      "/account",
      formOf(owner, {
        full_name: "Zoë Ødegård",
        pronouns: "ze/zir",
        postalcode: "M4Y 1A1",
        phone: "(415) 555-2671",
      }),
    );

    expect(response).toRedirectTo("/account");
    expect(await profileOf(owner)).toMatchObject({
      full_name: "Zoë Ødegård",
      pronouns: "ze/zir",
      postalcode: "M4Y 1A1",
      phone: "+14155552671",
    });
    const page = await owner.page("/account");
    expect(page).toSay("Profile updated!");
    expect(page.value("full_name")).toBe("Zoë Ødegård");
    expect(page.value("phone")).toBe("(415) 555-2671");
    expect(page.value("phone_country")).toBe("United States (+1)");
    expect(await owner.page("/account")).not.toSay("Profile updated!");
  });

  it("can be cleared", async () => {
    const owner = await world.owner({
      phone: "+14155552671",
      pronouns: "she/her",
      postalCode: "94114",
    });
    await owner.post("/account", formOf(owner));
    expect(await profileOf(owner)).toMatchObject({ phone: null, pronouns: null, postalcode: null });
  });

  it("can only be changed by its user, and only in the fields of the form", async () => {
    const [owner, other] = [await world.owner(), await world.owner({ fullName: "Untouched" })];
    await owner.post(
      "/account",
      formOf(owner, {
        id: other.id,
        user_id: other.id,
        admin: "true",
        supporter: "true",
        business_owner: "false",
        created_at: "2001-01-01",
        stripe_customer_id: "cus_x",
      }),
    );
    expect(await profileOf(owner)).toMatchObject({
      id: owner.id,
      admin: false,
      supporter: false,
      business_owner: true,
      stripe_customer_id: null,
    });
    expect(await profileOf(other)).toMatchObject({ full_name: "Untouched" });
    expect(await owner.get("/admin")).toBeForbidden();
  });

  it("shows errors beside the submitted values", async () => {
    const owner = await world.owner();
    const typed = formOf(owner, {
      email: "nonsense",
      phone: "12",
      pronouns: "they/them",
      opted_in: "on",
    });
    const response = await owner.post("/account", typed);
    expect(response).toBeRefusedWith(/name@example\.com/, { field: "email" });
    expect(response).toBeRefusedWith(/valid phone number for the country/, { field: "phone" });
    expect(response.kept).toMatchObject({
      email: "nonsense",
      phone: "12",
      pronouns: "they/them",
      opted_in: "on",
    });

    const page = await owner.submit("/account", typed);
    expect(page.title).toMatch(/^Error: /);
    expect(page).toSay("There is a problem");
    expect(page.value("email")).toBe("nonsense");
    expect(page.value("phone")).toBe("12");
  });
});

describe("an opt-in", () => {
  it("is recorded as a consent when it changes, and only then", async () => {
    const owner = await world.owner();
    const consents = () =>
      world.sql(
        "select channel, granted, page from public.consents where user_id = $1 order by id",
        [owner.id],
      );
    const before = (await consents()).length;

    await owner.post("/account", formOf(owner, { opted_in: "on" }));
    await owner.post("/account", formOf(owner, { opted_in: "on", pronouns: "they/them" }));
    await owner.post("/account", formOf(owner));

    expect((await consents()).slice(before)).toEqual([
      { channel: "email", granted: true, page: "/account" },
      { channel: "email", granted: false, page: "/account" },
    ]);
    expect(await profileOf(owner)).toMatchObject({ opted_in: false, sms_opted_in: false });
  });
});

describe("a form that was opened before a change elsewhere", () => {
  /** As a browser sends it, with the country that the page has filled in. */
  const sentBy = (owner: Member, fields: Record<string, unknown> = {}) =>
    formOf(owner, { phone_country: "United States (+1)", ...fields });
  const PHONE = "(415) 555-2671";
  const BOTH = { opted_in: "on", sms_opted_in: "on" };

  /** Someone with everything filled in and both consents given, and their form of My Account as it is open now. */
  async function open() {
    const owner = await world.owner({ phone: "+14155552671", postalCode: "94114" });
    const saved = await owner.page("/account");
    const first = sentBy(owner, { phone: PHONE, postalcode: "94114", ...BOTH });
    await owner.post("/account", { ...first, seen: saved.value("seen")! });
    const page = await owner.page("/account");
    expect(page.body.match(/type="checkbox"[^>]*checked/g)).toHaveLength(2);
    const recorded = async () =>
      world.sql(
        "select channel, granted from public.consents where user_id = $1 order by id offset $2",
        [owner.id, await before],
      );
    const before = world
      .sql("select count(*)::int as n from public.consents where user_id = $1", [owner.id])
      .then(([row]) => row!["n"]);
    await before;
    const form: Record<string, string> = { ...first, seen: page.value("seen")! };
    return { owner, form, recorded };
  }
  /** In another tab, all of it is taken back. */
  const takeBack = async (owner: Member) =>
    owner.post(
      "/account",
      sentBy(owner, { full_name: "", seen: (await owner.page("/account")).value("seen")! }),
    );
  const WITHDRAWN = [
    { channel: "email", granted: false },
    { channel: "sms", granted: false },
  ];
  const NOTHING = { phone: null, postalcode: null, full_name: null, opted_in: false };

  it("gives no consent again that was withdrawn since, and brings back nothing that was removed", async () => {
    const { owner, form, recorded } = await open();
    await takeBack(owner);
    expect(await recorded()).toEqual(WITHDRAWN);

    const answer = await owner.post("/account", { ...form, pronouns: "they/them" });
    expect(answer).toRedirectTo("/account");
    expect(await profileOf(owner)).toMatchObject({ ...NOTHING, pronouns: "they/them" });
    expect(await recorded()).toEqual(WITHDRAWN);
  });

  it("neither does one that was rejected first, however often, and whenever they were withdrawn", async () => {
    const { owner, form, recorded } = await open();
    const tooLong = { pronouns: "x".repeat(61) };
    /** Sends again what the rejected form shows. */
    const sendAgain = (shown: Record<string, unknown>, fields: Record<string, unknown> = {}) =>
      owner.post("/account", {
        ...(shown as Record<string, string>),
        pronouns: "they/them",
        ...fields,
      });

    const early = await owner.post("/account", { ...form, ...tooLong });
    expect(early).toBeRefusedWith(/at most/, { field: "pronouns" });
    await takeBack(owner);
    const late = await sendAgain(early.kept, tooLong);
    expect(late).toBeRefusedWith(/at most/, { field: "pronouns" });
    expect(late.kept["opted_in"]).toBeUndefined();
    const page = await owner.submit("/account", { ...form, ...tooLong });
    expect(page.body).not.toMatch(/type="checkbox"[^>]*checked/);

    for (const { kept } of [early, late]) {
      expect(await sendAgain(kept)).toRedirectTo("/account");
      expect(await profileOf(owner)).toMatchObject({ ...NOTHING, pronouns: "they/them" });
      expect(await recorded()).toEqual(WITHDRAWN);
    }
  });

  it("withdraws no consent that was given since", async () => {
    const owner = await world.owner();
    const seen = (await owner.page("/account")).value("seen")!;
    await owner.post("/account", sentBy(owner, { phone: PHONE, ...BOTH, seen }));
    await owner.post("/account", sentBy(owner, { pronouns: "they/them", seen }));
    expect(await profileOf(owner)).toMatchObject({
      opted_in: true,
      sms_opted_in: true,
      phone: "+14155552671",
      pronouns: "they/them",
    });
  });

  it("saves what was changed in it: a box, and a number with the country beside it", async () => {
    const { owner, form } = await open();
    await takeBack(owner);
    const { opted_in: _, ...unticked } = form;
    await owner.post("/account", { ...unticked, phone: "(415) 555-2672" });
    expect(await profileOf(owner)).toMatchObject({
      phone: "+14155552672",
      opted_in: false,
      // Ticked as before, and withdrawn since.
      sms_opted_in: false,
    });
    const seen = (await owner.page("/account")).value("seen")!;
    await owner.post("/account", sentBy(owner, { ...BOTH, phone: "(415) 555-2672", seen }));
    expect(await profileOf(owner)).toMatchObject({ opted_in: true, sms_opted_in: true });
  });

  it("asks for the number again where texts are wanted, and it was removed since", async () => {
    const owner = await world.owner({ phone: "+14155552671" });
    const seen = (await owner.page("/account")).value("seen")!;
    await takeBack(owner);
    const answer = await owner.post(
      "/account",
      sentBy(owner, { phone: PHONE, sms_opted_in: "on", seen }),
    );
    expect(answer).toBeRefusedWith(/number that text messages should go to/, { field: "phone" });
    expect(await profileOf(owner)).toMatchObject({ phone: null, sms_opted_in: false });
  });

  it("gives no withdrawn consent again when its new email address was refused after the rest was saved", async () => {
    const { owner, recorded } = await open();
    await takeBack(owner);
    outside.use(
      http.put(`${world.supabase.url}/auth/v1/user`, () =>
        HttpResponse.json(
          { code: 400, error_code: "email_address_invalid", msg: "x" },
          { status: 400 },
        ),
      ),
    );
    const seen = (await owner.page("/account")).value("seen")!;
    const given = sentBy(owner, { email: "sam@example.invalid", opted_in: "on", seen });
    const refused = await owner.post("/account", given);
    expect(refused).toBeRefusedWith(/^Everything else is saved/, { field: "email" });
    await takeBack(owner);
    const corrected = { ...(refused.kept as Record<string, string>), email: owner.email };
    expect(await owner.post("/account", corrected)).toRedirectTo("/account");
    expect((await recorded()).slice(2)).toEqual([
      { channel: "email", granted: true },
      { channel: "email", granted: false },
    ]);
  });

  it("doesn’t ask to go back to an email address that was replaced since", async () => {
    const { owner, form } = await open();
    const email = `replaced-${owner.email}`;
    await world.sql("update auth.users set email = $1 where id = $2", [email, owner.id]);
    const { current_password: _, ...sent } = form;
    // The change ended the session, and its user has signed in again.
    const again = world.anonymous();
    await again.post("/login", { email, password: owner.password });
    const answer = await again.post("/account", { ...sent, pronouns: "they/them" });
    expect(answer).toRedirectTo("/account");
    expect((await again.page("/account")).value("email")).toBe(email);
  });

  it("is taken as it is when it was opened before forms said what they showed, or says it wrongly", async () => {
    const owner = await world.owner({ phone: "+14155552671" });
    for (const seen of [undefined, "", "{", "[1]", '{"phone":1}', "null"]) {
      const fields = sentBy(owner, { phone: PHONE, opted_in: "on" });
      await owner.post("/account", seen === undefined ? fields : { ...fields, seen });
      expect(await profileOf(owner)).toMatchObject({ phone: "+14155552671", opted_in: true });
      await owner.post("/account", sentBy(owner));
      expect(await profileOf(owner)).toMatchObject({ phone: null, opted_in: false });
    }
  });
});

describe("a profile of which the database rejects a part", () => {
  it("is not saved at all", async () => {
    const owner = await world.owner();
    const before = await profileOf(owner);
    // A table's own constraint rejects it: here, that of the consents.
    await world.sql(
      "alter table public.consents add constraint test_refusal check (text_version = 'test') not valid",
    );
    try {
      const response = await owner.post(
        "/account",
        formOf(owner, { full_name: "Half Saved", pronouns: "ze/zir", opted_in: "on" }),
      );
      expect(response.status).toBeGreaterThanOrEqual(400);
    } finally {
      await world.sql("alter table public.consents drop constraint test_refusal");
    }
    expect(await profileOf(owner)).toEqual(before);
  });
});

describe("a new email address", () => {
  async function pressLink(person: Member, address: string) {
    const { link } = world.mail(address);
    const page = await person.page(link);
    return person.post(link, {
      intent: "openLink",
      token_hash: page.value("token_hash"),
      type: page.value("type"),
    });
  }

  it("takes effect once the links sent to the old and the new one were opened", async () => {
    const owner = await world.owner();
    const old = owner.email;
    const wanted = `moved-${old}`;

    expect(await owner.post("/account", formOf(owner, { email: wanted }))).toRedirectTo("/account");
    expect(await profileOf(owner)).toMatchObject({ email: old });
    expect((await owner.page("/account")).value("email")).toBe(old);

    await pressLink(owner, old);
    expect(await profileOf(owner)).toMatchObject({ email: old });
    await pressLink(owner, wanted);

    expect(await profileOf(owner)).toMatchObject({ email: wanted });
    expect(
      await world.anonymous().post("/login", { email: wanted, password: owner.password }),
    ).toRedirectTo("/");
    expect(
      await world.anonymous().post("/login", { email: old, password: owner.password }),
    ).toHaveStatus(400);
  });

  it("ends a link to a new password that is still in the former mailbox, and that link no longer names the new address", async () => {
    const owner = await world.owner();
    const old = owner.email;
    const wanted = `a-new-life-${old}`;
    const reader = world.anonymous();
    await reader.post("/recovery", { email: old });
    const { link, token } = await world.mailAbout(old, "Choose a new password");
    expect(await reader.page(link)).toSay(`This link is for ${old}`);

    await owner.post("/account", formOf(owner, { email: wanted }));
    for (const address of [old, wanted]) await pressLink(owner, address);
    expect(await profileOf(owner)).toMatchObject({ email: wanted });

    const page = await reader.get(link);
    expect(page).toRedirectTo("/recovery");
    expect(page.body).not.toContain(wanted);
    const opened = { intent: "openLink", token_hash: token };
    expect(await reader.post("/recovery/new", opened)).toRedirectTo("/recovery/new?used=yes");
    expect(await reader.get("/recovery/new?used=yes")).toRedirectTo("/recovery");
    expect(await reader.get("/account")).toAskForSignIn();
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("has links that tell no one to sign up again once they were used: that would be a second account, with nothing in it", async () => {
    const owner = await world.owner();
    const [old, wanted] = [owner.email, `second-${owner.email}`];
    await owner.post("/account", formOf(owner, { email: wanted }));
    const phone = world.anonymous();
    for (const address of [wanted, old]) {
      const { link, token } = world.mail(address);
      const press = { intent: "openLink", token_hash: token, type: "email_change" };
      await phone.post(link, press);
      for (const again of [() => phone.get(link), () => phone.post(link, press)]) {
        const page = await phone.page((await again()).location!);
        expect(page).toSay("That link has expired or was already used.");
        expect(page).toSay("open that link, too");
        expect(page).not.toSay("sign up again");
      }
    }
    expect(await profileOf(owner)).toMatchObject({ email: wanted });
  });

  it("that someone signed up with before both links were opened is refused, and its page says why", async () => {
    const owner = await world.owner();
    const [old, wanted] = [owner.email, `taken-${owner.email}`];
    await owner.post("/account", formOf(owner, { email: wanted }));
    const links = [world.mail(old), world.mail(wanted)];
    await world.owner({ email: wanted });
    for (const { link, token } of links)
      expect(
        await owner.post(link, { intent: "openLink", token_hash: token, type: "email_change" }),
      ).toRedirectTo("/account");
    expect(await owner.page("/account")).toSay(
      "We haven’t changed the email address, because someone has signed up with the new one.",
    );
    expect(await profileOf(owner)).toMatchObject({ email: old });
  });

  it("can be one that someone else signed up with, once their link is too old", async () => {
    const owner = await world.owner();
    const email = "squatted@example.test";
    await world.anonymous().post("/signup", signUpForm({ email }));
    const { token } = world.mail(email);
    await owner.post("/account", formOf(owner, { email }));
    expect(world.mail(email).token).toBe(token);
    await world.sql(
      "update auth.users set confirmation_sent_at = now() - interval '2 hours' where email = $1",
      [email],
    );
    await owner.post("/account", formOf(owner, { email }));
    await pressLink(owner, owner.email);
    await pressLink(owner, email);
    expect(await profileOf(owner)).toMatchObject({ email });
  });

  it("that can't get emails is reported, and everything else is saved", async () => {
    const owner = await world.owner();
    outside.use(
      http.put(`${world.supabase.url}/auth/v1/user`, () =>
        HttpResponse.json(
          { code: 400, error_code: "email_address_invalid", msg: "x" },
          { status: 400 },
        ),
      ),
    );
    const response = await owner.post(
      "/account",
      formOf(owner, { email: "sam@example.invalid", pronouns: "ze/zir" }),
    );
    expect(response).toBeRefusedWith(
      /^Everything else is saved, but we can’t send email to the new address/,
      { field: "email" },
    );
    expect(response.kept).toMatchObject({ email: "sam@example.invalid", pronouns: "ze/zir" });
    expect(await profileOf(owner)).toMatchObject({ pronouns: "ze/zir", email: owner.email });
  });

  it("does not claim a listing before it is confirmed", async () => {
    const [owner, thief] = [await world.owner(), await world.owner()];
    const listing = await world.listing({
      owner: null,
      owner_email: "cafe@example.test",
      name: "Unclaimed Café",
    });
    await thief.post("/account", formOf(thief, { email: "cafe@example.test" }));

    for (const person of [owner, thief]) {
      expect(await person.page("/listings")).not.toSay("Unclaimed Café");
      expect(await person.get(`/listings/${listing.id}`)).toBeNotFound();
    }
  });

  it("does not reveal who has an account", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const taken = await owner.post("/account", formOf(owner, { email: other.email }));
    const free = await owner.post("/account", formOf(owner, { email: "free@example.test" }));
    expect(taken.status).toBe(free.status);
    expect(taken.location).toBe(free.location);
    expect(taken.errors).toEqual(free.errors);
    expect(await profileOf(other)).toMatchObject({ email: other.email });
  });
});

it("makes at most two calls one after the other", async () => {
  const owner = await world.owner();
  expect(await owner.page("/account")).toTakeAtMostSequentialCalls(2);
});
