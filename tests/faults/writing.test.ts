/** Forms while Supabase fails: the submitted values stay, and nothing is done twice. */
import { randomUUID } from "node:crypto";

import { bypass, http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { accountForm, listingForm, signUpForm } from "../support/forms";
import { turnOnTwoStep } from "../support/authenticator";
import { everyThird } from "../support/nightly";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

import { ageSession } from "./age-session";
import { breakDown, faultNames, faults, recover } from "./outage";

const world = await createWorld();
const data = `${world.supabase.url}/rest/v1`;
const auth = `${world.supabase.url}/auth/v1`;

const owner = await world.owner();
const UNKNOWN = /can’t tell whether your form was saved.*you can safely submit it again/;

interface Failure {
  message: string;
  submittedForm: { action: string; fields: [string, string][] };
}
const given = (answer: Answer) => answer.data as Failure;

describe.each(everyThird(faultNames, 1))(
  "when the database %s while an account is saved",
  (name) => {
    it("the account form comes back with all values, says that the outcome is unknown, and is saved when sent again", async () => {
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
      expect(Object.fromEntries(given(answer).submittedForm.fields)).toEqual(form);
      // Only the token with which the form on this page can be sent.
      expect(answer.setCookies.filter((cookie) => !cookie.startsWith("form="))).toEqual([]);

      recover();
      expect(
        await owner.post(given(answer).submittedForm.action, given(answer).submittedForm.fields),
      ).toRedirectTo("/account");
      expect((await owner.page("/account")).value("full_name")).toBe(form["full_name"]);
    });
  },
);

describe.each(everyThird(faultNames, 2))(
  "when the database %s while a listing is submitted",
  (name) => {
    const form = listingForm({
      name: `Kept Through It: ${name}`,
      description: "one\ntwo </script> 🏳️‍🌈",
      submission_id: randomUUID(),
    });
    const saved = () => world.sql("select name from public.places where name = $1", [form["name"]]);

    it("the page shows all its values, and it is saved once even if it is sent several times", async () => {
      breakDown(`${data}/places*`, faults[name]!, ({ method }) => method === "POST");
      const page = await owner.submit("/listings/new", form);
      expect(page).toHaveStatus(503);
      expect(page.text).toMatch(UNKNOWN);
      for (const [field, typed] of Object.entries(form))
        expect(page.value(field), field).toBe(typed);
      expect(await saved()).toEqual([]);

      recover();
      for (let i = 0; i < 2; i++) expect(await owner.post("/listings/new", form)).toRedirectTo("/");
      expect(await saved()).toHaveLength(1);
    });

    it("the error page leads back to the filled-in form, also when that fails once", async () => {
      breakDown(`${data}/places*`, faults[name]!, ({ method }) => method === "POST");
      const failed = await owner.submit("/listings/new", form);
      expect(failed).toSay("Back to the form");
      const { action, fields } = given(await owner.post("/listings/new", form)).submittedForm;
      const back: [string, string][] = [["intent", "refill"], ...fields];

      breakDown(`${data}/*`, faults[name]!);
      const again = given(await owner.post(action, back)).submittedForm;
      expect(again.fields).toEqual(fields);
      recover();
      const filled = await owner.submit(again.action, back);
      expect(filled).toHaveStatus(200);
      expect(filled.title).toMatch(/^Add a listing/);
      expect(filled.value("name")).toBe(form["name"]);
      expect(filled).toSay("Selected: 1 Castro St");
    });

    it("is not saved twice when only the response was lost and it is sent again", async () => {
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

    /** Lets a request reach the database but replaces the response. */
    async function saveAnyway(request: Request) {
      const { url, method, headers } = bypass(request);
      expect(
        (await fetch(url, { method, headers, body: await request.clone().text() })).status,
      ).toBe(201);
    }
  },
);

it("a listing is saved in spite of a deadlock, of which its owner notices nothing", async () => {
  const form = listingForm({ name: "Saved The Second Time", submission_id: randomUUID() });
  const deadlock = { code: "40P01", message: "deadlock detected", details: null, hint: null };
  outside.use(
    http.post(`${data}/places`, () => HttpResponse.json(deadlock, { status: 500 }), { once: true }),
  );
  expect(await owner.post("/listings/new", form)).toRedirectTo("/");
  expect(
    await world.sql("select name from public.places where name = $1", [form["name"]]),
  ).toHaveLength(1);
});

describe.each(everyThird(faultNames, 1))("when the auth service %s", (name) => {
  it.each(["/login", "/signup", "/recovery"])(
    "%s shows the submitted values without passwords",
    async (path) => {
      breakDown(`${auth}/*`, faults[name]!);
      const form = signUpForm({ email: "sam@example.test" });
      const answer = await world.anonymous().post(path, form);
      expect(answer.status).toBeOneOf([429, 503]);
      expect(answer.kept).toMatchObject({ email: form["email"], full_name: form["full_name"] });
      expect(answer.body).not.toContain(form["password"]);
    },
  );

  it("signing out still signs this browser out", async () => {
    const person = await world.signIn(owner);
    breakDown(`${auth}/*`, faults[name]!);
    expect(await person.post("/logout")).toRedirectTo("/login");
    expect(person.cookies.get("session")).toBeUndefined();
  });

  it("a link in an email is not used up, and works later", async () => {
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
    const { action, fields } = given(answer).submittedForm;
    expect(await person.post(action, fields)).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("a recovery link is not used up, and works later", async () => {
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
    const { action, fields } = given(answer).submittedForm;
    expect(await person.post(action, fields)).toRedirectTo("/recovery/new");
  });

  it("the second step of signing in can be tried again", async () => {
    const member = await world.owner();
    const app = await turnOnTwoStep(world, member);
    const person = world.anonymous();
    await person.post("/login", { email: member.email, password: member.password });
    breakDown(`${auth}/factors/*`, faults[name]!);
    const enter = async () => ({ intent: "verify", app_code: await app.code() });
    const page = await person.submit("/login/code", await enter());
    expect(page.status).toBeOneOf([429, 503]);
    expect(page.heading).toBe("Two-step sign-in");
    expect(page).toSay("There is a problem");

    recover();
    expect(await person.post("/login/code", await enter())).toRedirectTo("/");
    expect(await person.get("/account")).toHaveStatus(200);
  });

  it("a change of the email address reports what was saved and what was not, with all values", async () => {
    const person = await world.owner();
    const form = accountForm({
      email: `new-${faultNames.indexOf(name)}@example.test`,
      full_name: `Zoë ${name}`,
      current_password: person.password,
    });
    breakDown(`${auth}/user`, faults[name]!);
    const page = await person.submit("/account", form);
    expect(page.status).toBeOneOf([429, 503]);
    expect(page).toSay("Everything else is saved");
    expect(page).toSay(
      page.status === 429
        ? "your email address hasn’t changed"
        : "we can’t tell whether your email change has started",
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

describe("a form whose session expires while it can't be refreshed", () => {
  it("comes back with all values, and is saved once with the same session", async () => {
    const person = await world.signIn(owner);
    const { hidden } = (await person.get("/listings/new")).data as {
      hidden: { submission_id: string };
    };
    const form = listingForm({ name: "Typed For An Hour", ...hidden });
    await ageSession(person, -100);
    breakDown(`${auth}/*`, faults["answers 502"]!);
    const answer = await person.post("/listings/new", form);
    expect(answer).toHaveStatus(503);
    expect(Object.fromEntries(given(answer).submittedForm.fields)).toEqual(form);

    recover();
    for (let i = 0; i < 2; i++)
      expect(await person.post("/listings/new", given(answer).submittedForm.fields)).toRedirectTo(
        "/",
      );
    expect(
      await world.sql("select name from public.places where name = $1", [form["name"]]),
    ).toHaveLength(1);
  });
});

describe("a new password", () => {
  it("is never sent back, whatever fails", async () => {
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

describe("when attempts cannot be counted", () => {
  it("users can still sign in", async () => {
    breakDown(`${data}/rpc/take_rate_token`, faults["answers 503"]!);
    const { email, password } = owner;
    expect(await world.anonymous().post("/login", { email, password })).toRedirectTo("/");
  });
});

it("a form on an error page can be sent again by a browser that sends no origin", async () => {
  const quiet = { origin: null, secFetchSite: null };
  const opened = await owner.page("/account", quiet);
  const seen = opened.value("seen")!;
  const form = accountForm({ email: owner.email, full_name: "Zoë again", seen });
  breakDown(`${data}/rpc/save_my_profile`, faults["answers 503"]!);
  const failed = await owner.submit("/account", { ...form, csrf: opened.value("csrf") }, quiet);
  expect(failed).toHaveStatus(503);
  expect(failed).toSay("Submit again");
  // It is sent along, and nothing that was typed.
  expect(failed.value("seen")).toBe(seen);
  expect(failed.text).not.toContain("opted_in");
  recover();
  const again = { ...form, csrf: failed.value("csrf") };
  expect(await owner.submit("/account", again, quiet)).toRedirectTo("/account");
});

it("a form comes back with all that was typed when the page that shows its errors can’t be loaded", async () => {
  const form = listingForm({ name: "", description: "Bread, and elsewhere." });
  // Everything that the form's page reads, after its values were found wrong.
  breakDown(`${data}/categories*`, faults["answers 503"]!);
  const page = await owner.submit("/listings/new", form);
  expect(page).toHaveStatus(400);
  expect(page).toSay("What you typed");
  expect(page.body).toContain("Bread, and elsewhere.");
  recover();
});
