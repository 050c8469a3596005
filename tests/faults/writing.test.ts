/** Forms beyond the simplest ones while Supabase fails: what was typed stays, and nothing is done twice. */
import { randomUUID } from "node:crypto";

import { bypass, http } from "msw";
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { accountForm, listingForm, signUpForm } from "../support/forms";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

import { ageSession } from "./aged-session";
import { breakDown, faultNames, faults, recover } from "./outage";

const world = await createWorld();
const data = `${world.supabase.url}/rest/v1`;
const auth = `${world.supabase.url}/auth/v1`;

const owner = await world.owner();
const UNKNOWN = /can’t tell whether your form was saved.*sending it again is safe/;

interface Failure {
  message: string;
  resend: { action: string; fields: [string, string][] };
}
const given = (answer: Answer) => answer.data as Failure;

describe.each(faultNames)("when the database %s under a form", (name) => {
  it("all of an account comes back, the outcome is called unknown, and sending it again saves it", async () => {
    const form = accountForm({
      email: owner.email,
      full_name: `Zoë </script> ${name}`,
      pronouns: "they/them",
      phone: "(415) 555-2671",
    });
    breakDown(`${data}/rpc/save_my_profile`, faults[name]!);
    const answer = await owner.post("/account", form);
    expect(answer).toHaveStatus(503);
    expect(given(answer).message).toMatch(UNKNOWN);
    expect(Object.fromEntries(given(answer).resend.fields)).toEqual(form);
    expect(answer.setCookies).toEqual([]);

    recover();
    expect(await owner.post(given(answer).resend.action, given(answer).resend.fields)).toRedirectTo(
      "/account",
    );
    expect((await owner.page("/account")).value("full_name")).toBe(form["full_name"]);
  });
});

describe.each(faultNames)("when the database %s under a new listing", (name) => {
  const form = listingForm({
    name: `Kept Through It: ${name}`,
    description: "one\ntwo </script> 🏳️‍🌈",
    submission_id: randomUUID(),
  });
  const saved = () => world.sql("select name from public.places where name = $1", [form["name"]]);

  it("the page gives all of it back, and it is saved once however often it is sent again", async () => {
    breakDown(`${data}/places*`, faults[name]!, ({ method }) => method === "POST");
    const page = await owner.submit("/listings/new", form);
    expect(page).toHaveStatus(503);
    expect(page.text).toMatch(UNKNOWN);
    for (const [field, typed] of Object.entries(form)) expect(page.value(field), field).toBe(typed);
    expect(await saved()).toEqual([]);

    recover();
    for (let i = 0; i < 2; i++) expect(await owner.post("/listings/new", form)).toRedirectTo("/");
    expect(await saved()).toHaveLength(1);
  });

  it("the page leads back to the form, filled, also when the way there fails once", async () => {
    breakDown(`${data}/places*`, faults[name]!, ({ method }) => method === "POST");
    const failed = await owner.submit("/listings/new", form);
    expect(failed).toSay("Back to the form");
    const { action, fields } = given(await owner.post("/listings/new", form)).resend;
    const back: [string, string][] = [["intent", "refill"], ...fields];

    breakDown(`${data}/*`, faults[name]!);
    const again = given(await owner.post(action, back)).resend;
    expect(again.fields).toEqual(fields);
    recover();
    const filled = await owner.submit(again.action, back);
    expect(filled).toHaveStatus(200);
    expect(filled.title).toMatch(/^Add a listing/);
    expect(filled.value("name")).toBe(form["name"]);
    expect(filled).toSay("Chosen: 1 Castro St");
  });

  it("whose answer alone is lost, sending it again makes no second one", async () => {
    const other = { ...form, name: `Unheard: ${name}`, submission_id: randomUUID() };
    outside.use(
      http.post(
        `${data}/places`,
        async (info) => {
          await saveAnyway(info.request);
          return faults[name]!(info);
        },
        { once: true },
      ),
    );
    expect(await owner.post("/listings/new", other)).toHaveStatus(503);
    expect(await owner.post("/listings/new", other)).toRedirectTo("/");
    expect(
      await world.sql("select name from public.places where name = $1", [other.name]),
    ).toHaveLength(1);
  });

  /** Lets a request reach the database although its answer will not be the database's. */
  async function saveAnyway(request: Request) {
    const { url, method, headers } = bypass(request);
    expect((await fetch(url, { method, headers, body: await request.clone().text() })).status).toBe(
      201,
    );
  }
});

describe.each(faultNames)("when the auth service %s under a form", (name) => {
  it.each(["/login", "/signup", "/recovery"])(
    "of %s, what was typed stays, but no password",
    async (path) => {
      breakDown(`${auth}/*`, faults[name]!);
      const form = signUpForm({ email: "sam@example.test" });
      const answer = await world.anonymous().post(path, form);
      // That mails go out too often is said of known addresses alone, so nobody is told.
      const secret = path === "/recovery" && name === "answers 429";
      expect(answer.status).toBeOneOf(secret ? [200] : [429, 503]);
      if (!secret)
        expect(answer.kept).toMatchObject({ email: form["email"], full_name: form["full_name"] });
      expect(answer.body).not.toContain(form["password"]);
    },
  );

  it("of signing out, this browser is signed out all the same", async () => {
    const person = await world.signIn(owner);
    breakDown(`${auth}/*`, faults[name]!);
    expect(await person.post("/logout")).toRedirectTo("/login");
    expect(person.cookies.get("session")).toBeUndefined();
  });

  it("a link from a mail is not used up, and the same button works after", async () => {
    const email = `link-${faultNames.indexOf(name)}@example.test`;
    const person = world.anonymous();
    await person.post("/signup", signUpForm({ email }));
    breakDown(`${auth}/verify`, faults[name]!);
    const answer = await person.post("/confirm", {
      intent: "openLink",
      type: "email",
      token_hash: world.mail(email).token,
    });
    expect(answer.status).toBeOneOf([429, 503]);

    recover();
    const { action, fields } = given(answer).resend;
    expect(await person.post(action, fields)).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("a link for a new password is not used up either", async () => {
    const member = await world.owner();
    const person = world.anonymous();
    await person.post("/recovery", { email: member.email });
    breakDown(`${auth}/verify`, faults[name]!);
    const answer = await person.post("/recovery/new", {
      intent: "openLink",
      token_hash: world.mail(member.email).token,
    });
    expect(answer.status).toBeOneOf([429, 503]);

    recover();
    const { action, fields } = given(answer).resend;
    expect(await person.post(action, fields)).toRedirectTo("/recovery/new");
  });

  it("a change of e-mail address is refused in words that say what is saved and what is not, with everything typed", async () => {
    const person = await world.owner();
    const form = accountForm({
      email: `new-${faultNames.indexOf(name)}@example.test`,
      full_name: `Zoë ${name}`,
    });
    breakDown(`${auth}/user`, faults[name]!);
    const page = await person.submit("/account", form);
    expect(page.status).toBeOneOf([429, 503]);
    expect(page).toSay("Everything else is saved");
    expect(page).toSay(
      page.status === 429
        ? "still the old one"
        : "we can’t tell whether your new e-mail address was asked for",
    );
    expect(page.value("email")).toBe(form["email"]);
    expect(await world.row("profiles", person.id)).toMatchObject({
      full_name: form["full_name"],
      email: person.email,
    });

    recover();
    expect(await person.post("/account", form)).toRedirectTo("/account");
    expect(world.mail(form["email"]!).link).toContain("/confirm");
  });
});

describe("a form under which the session runs out while nobody can renew it", () => {
  it("comes back whole, and is saved once under the same session", async () => {
    const person = await world.signIn(owner);
    const { submissionId } = (await person.get("/listings/new")).data as { submissionId: string };
    const form = listingForm({ name: "Typed For An Hour", submission_id: submissionId });
    await ageSession(person, -100);
    breakDown(`${auth}/*`, faults["answers 502"]!);
    const answer = await person.post("/listings/new", form);
    expect(answer).toHaveStatus(503);
    expect(Object.fromEntries(given(answer).resend.fields)).toEqual(form);

    recover();
    for (let i = 0; i < 2; i++)
      expect(await person.post("/listings/new", given(answer).resend.fields)).toRedirectTo("/");
    expect(
      await world.sql("select name from public.places where name = $1", [form["name"]]),
    ).toHaveLength(1);
  });
});

describe("a new password", () => {
  it("is never sent back, whatever failed under it", async () => {
    const person = world.anonymous();
    const member = await world.owner();
    await person.post("/recovery", { email: member.email });
    await person.post("/recovery/new", {
      intent: "openLink",
      token_hash: world.mail(member.email).token,
    });
    const password = "a fine new one 77";
    const attempts: [string, string][] = [
      [`${auth}/*`, "answers 502"],
      [`${data}/*`, "answers 502"],
      [`${auth}/*`, "answers 429"],
    ];
    for (const [address, fault] of attempts) {
      breakDown(address, faults[fault]!);
      const answer = await person.post("/recovery/new", {
        intent: "save",
        password,
        confirm_password: password,
      });
      expect(answer.body).not.toContain(password);
      expect(answer.status, fault).toBeOneOf([429, 503]);
      recover();
    }
    expect(
      await person.post("/recovery/new", { intent: "save", password, confirm_password: password }),
    ).toRedirectTo("/recovery/new?done=yes");
  });
});

describe("when tries cannot be counted", () => {
  it("people still sign in", async () => {
    breakDown(`${data}/rpc/take_rate_token`, faults["answers 503"]!);
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });
});
