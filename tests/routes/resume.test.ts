/** A form whose session had ended: it is stashed for its sender and comes back filled in. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { accountForm, listingForm } from "../support/forms";
import { outside } from "../support/outside";
import type { Person } from "../support/person";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { resumeCookie, sessionCookie } = await import("~/http/cookies.server");

const endSessions = (owner: Member) =>
  world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
const readStash = () =>
  world.sql("select id::text, sealed, expires_at from public.form_stash order by expires_at");
const listingsOf = ({ id }: Member) =>
  world.sql("select name from public.places where owner = $1", [id]);

/** A user whose session was ended elsewhere while a form was open. */
async function signedOut(): Promise<Member> {
  const owner = await world.owner();
  await endSessions(owner);
  return owner;
}

/** Sends a form, which must be stashed. @returns the path to open after signing in */
async function send(
  person: Person,
  path: string,
  fields: Record<string, unknown>,
): Promise<string> {
  const response = await person.post(path, fields as Record<string, string>);
  expect(response.status).toBe(303);
  expect(response.location).toMatch(/^\/login\?redirectTo=%2Fresume%3Fform%3D[0-9a-f-]{36}$/);
  return new URL(response.location!, world.appUrl).searchParams.get("redirectTo")!;
}

async function signInHere(person: Person, { email, password }: Member, redirectTo: string) {
  expect(await person.post("/login", { email, password, redirectTo })).toRedirectTo(redirectTo);
}

interface Waiting {
  form: { action: string; fields: [string, string][] };
  intent: string;
}
const waiting = (answer: Answer) => (answer.data as Waiting).form;

/** Submits "Back to the form". */
function pressBack(person: Person, answer: Answer) {
  const { action, fields } = waiting(answer);
  return person.submit(action, [["intent", "refill"], ...fields]);
}

describe("a form whose session had ended", () => {
  it("comes back filled in after signing in, and is not saved until it is sent again", async () => {
    const owner = await signedOut();
    const typed = listingForm({
      name: "Zoë’s “Café” </script> 🏳️‍🌈",
      description: "One\nTwo  \u202E three",
      category: "4",
    });
    const target = await send(owner, "/listings/new", typed);
    expect(await owner.page(`/login?redirectTo=${encodeURIComponent(target)}`)).toSay(
      "Sign in within an hour and we’ll bring back what you typed",
    );
    await signInHere(owner, owner, target);

    const page = await owner.page(target);
    expect(page.heading).toBe("What you typed is still here");
    expect(page).toSay(typed["name"]!);
    expect(page.body).toContain('action="/listings/new"');
    expect(page).not.toSay(typed["rawaddress_pick"]!);

    const filled = await pressBack(owner, await owner.get(target));
    expect(filled).toHaveStatus(200);
    expect(filled.title).toMatch(/^Add a listing/);
    expect(filled.value("name")).toBe(typed["name"]);
    expect(filled.chosen("category")).toBe("4");
    expect(filled).toSay("Selected: 1 Castro St, San Francisco, CA 94114, United States");
    expect(filled.body).toContain("One\nTwo  \u202E three</textarea>");
    expect(await listingsOf(owner)).toEqual([]);

    expect(await owner.post("/listings/new", typed)).toRedirectTo("/");
    expect(await listingsOf(owner)).toEqual([{ name: typed["name"] }]);
  });

  it("is shown with the labels of its fields, and without codes", async () => {
    const owner = await signedOut();
    const target = await send(
      owner,
      "/listings/new",
      listingForm({ category: "2", licensed_locations: ["Ohio", "Utah"], choose_name: "mine" }),
    );
    await signInHere(owner, owner, target);
    const page = await owner.page(target);
    for (const words of [
      "Business Name Café X",
      "Category Your selection",
      "Where you’re licensed Ohio, Utah",
      "I agree to have this listing shown publicly in the directory Yes",
    ]) {
      expect(page).toSay(words);
    }
    expect(page.text).not.toMatch(
      /rawaddress|licensed_locations|third party auth|choose|submission/,
    );

    const person = await signedOut();
    const account = await send(
      person,
      "/account",
      accountForm({ full_name: "Zoë", postalcode: "94114" }),
    );
    await signInHere(person, person, account);
    expect(await person.page(account)).toSay("Full name Zoë Email sam@example.test");
    expect(await person.page(account)).toSay("ZIP / postal code 94114");
  });

  it("comes back after a password recovery, too", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm({ name: "Through The Mail" }));
    const login = await owner.page(`/login?redirectTo=${encodeURIComponent(target)}`);
    const recovery = /href="(\/recovery[^"]*)"/.exec(login.body)![1]!.replaceAll("&amp;", "&");
    const form = await owner.page(recovery);
    expect(form.value("redirectTo")).toBe(target);
    await owner.post("/recovery", { email: owner.email, redirectTo: form.value("redirectTo") });
    const { link, token } = world.mail(owner.email);
    expect(link).not.toContain("resume");

    await owner.post("/recovery/new", { intent: "openLink", token_hash: token });
    const password = "a much better one 77";
    expect(
      await owner.post("/recovery/new", { intent: "save", password, confirm_password: password }),
    ).toRedirectTo("/recovery/new?done=yes");
    const done = await owner.page("/recovery/new?done=yes");
    expect(done).toSay("Continue where you left off");
    expect(done.body).toContain(`href="${target}"`);
    expect(await owner.page(target)).toSay("Through The Mail");
  });

  it("is answered with its values and without errors", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/account", accountForm({ full_name: "Zoë", phone: "(415)" }));
    await signInHere(owner, owner, target);
    const { action, fields } = waiting(await owner.get(target));
    const filled = await owner.post(action, [["intent", "refill"], ...fields]);
    expect(filled.data).toEqual({
      lastResult: {
        initialValue: {
          full_name: "Zoë",
          email: "sam@example.test",
          phone_country: "US",
          phone: "(415)",
        },
        error: {},
      },
    });
    expect(await world.row("profiles", owner.id)).toMatchObject({ full_name: owner.fullName });
  });

  it("preserves the version that an edit began with", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner });
    await endSessions(owner);
    const target = await send(owner, `/listings/${id}`, listingForm({ name: "Mine", version: 1 }));
    await world.sql("update public.places set name = 'Theirs' where id = $1", [id]);
    await signInHere(owner, owner, target);
    const filled = await pressBack(owner, await owner.get(target));
    expect(filled.value("name")).toBe("Mine");
    expect(filled.value("version")).toBe("1");
    expect(
      await owner.post(
        `/listings/${id}`,
        listingForm({ name: "Mine", version: filled.value("version")! }),
      ),
    ).toHaveStatus(409);
  });

  it("can be an admin's decision batch", async () => {
    const admin = await world.admin();
    const [chosen, other] = [
      await world.listing({ status: "new", owner_email: "a@example.test" }),
      await world.listing({ status: "new" }),
    ];
    await endSessions(admin);
    const target = await send(admin, "/admin/new", {
      intent: "choose",
      action: "approve",
      listing: `${chosen.id}:1`,
    });
    await signInHere(admin, admin, target);
    const filled = await pressBack(admin, await admin.get(target));
    const boxes = [...filled.body.matchAll(/<input[^>]*name="listing"[^>]*>/g)].map(([box]) => [
      /value="(\d+)/.exec(box)![1],
      box.includes("checked="),
    ]);
    expect(Object.fromEntries(boxes)).toMatchObject({ [chosen.id]: true, [other.id]: false });
    expect(await world.row("places", chosen.id)).toMatchObject({ status: "new" });
  });

  it.each([
    [
      "signing out everywhere",
      async (owner: Member) => {
        await fetch(`${world.supabase.url}/auth/v1/logout?scope=global`, {
          method: "POST",
          headers: {
            apikey: world.supabase.publishableKey,
            Authorization: `Bearer ${((await sessionCookie().parse(owner.cookies.header())) as { a: string }).a}`,
          },
        });
      },
    ],
    [
      "another tab, which then removed the cookie",
      async (owner: Member) => {
        await endSessions(owner);
        expect(await owner.get("/listings")).toHaveStatus(302);
        expect(owner.cookies.get("session")).toBeUndefined();
      },
    ],
  ])("comes back when its session was ended by %s", async (_, end) => {
    const owner = await world.owner();
    await end(owner);
    const target = await send(owner, "/listings/new", listingForm({ name: "Still Here" }));
    await signInHere(owner, owner, target);
    expect(await owner.page(target)).toSay("Still Here");
  });

  it("comes back in its own tab when there are two tabs", async () => {
    const owner = await signedOut();
    const first = await send(owner, "/listings/new", listingForm({ name: "First" }));
    const second = await send(owner, "/account", accountForm({ full_name: "Second" }));
    await signInHere(owner, owner, second);
    expect(waiting(await owner.get(second)).action).toBe("/account");
    await pressBack(owner, await owner.get(second));
    expect(waiting(await owner.get(first)).action).toBe("/listings/new");
    expect(waiting(await owner.get("/resume")).action).toBe("/listings/new");
  });

  it("is stashed as it was first submitted when the session ends again before it is refilled", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm({ name: "Twice" }));
    await signInHere(owner, owner, target);
    const { action, fields } = waiting(await owner.get(target));
    await endSessions(owner);
    const again = await send(owner, action, Object.fromEntries([["intent", "refill"], ...fields]));
    await signInHere(owner, owner, again);
    const filled = await pressBack(owner, await owner.get(again));
    expect(filled.value("name")).toBe("Twice");
  });

  it("redirects a client-side submission to the same page", async () => {
    const owner = await signedOut();
    const response = await owner.submit("/listings/new.data", listingForm());
    expect(response.status).toBe(202);
    expect(response.body).toContain("/login?redirectTo=%2Fresume");
  });

  it("of 512 KB is stashed completely", async () => {
    const owner = await signedOut();
    // Text that compresses badly, of the maximum size.
    const noise = () =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(48 * 1024))).toString("base64url");
    const form = listingForm({ description: "" });
    const room = 512 * 1024 - new URLSearchParams(form).toString().length;
    const description = Array.from({ length: 9 }, noise).join("").slice(0, room);
    expect(description).toHaveLength(room);
    const target = await send(owner, "/listings/new", { ...form, description });
    await signInHere(owner, owner, target);
    const { action, fields } = waiting(await owner.get(target));
    expect(Object.fromEntries(fields)["description"]).toBe(description);
    const filled = await owner.post(action, [["intent", "refill"], ...fields]);
    expect(filled.kept["description"]).toBe(description);
  });
});

describe("an address search while the session has ended", () => {
  it("finds nothing, and does not navigate away from the form", async () => {
    const owner = await signedOut();
    const answer = await owner.post("/addresses", { typed: "1 Castro St" });
    expect(answer).toHaveStatus(401);
    expect(answer.data).toEqual({ candidates: [] });
    const target = await send(owner, "/listings/new", listingForm({ name: "Typed On" }));
    await signInHere(owner, owner, target);
    expect(await owner.page(target)).toSay("Typed On");
  });

  it("finds nothing while Supabase does not answer, either", async () => {
    const owner = await world.owner();
    outside.use(http.all(`${world.supabase.url}/rest/v1/*`, () => HttpResponse.error()));
    expect((await owner.post("/addresses", { typed: "1 Castro St" })).data).toEqual({
      candidates: [],
    });
  });
});

describe("the stash", () => {
  it("contains no password or form token, and no text that the database could read", async () => {
    const owner = await world.owner();
    const csrf = (await owner.page("/account")).value("csrf")!;
    await endSessions(owner);
    const before = (await readStash()).length;
    const target = await send(
      owner,
      "/account",
      accountForm({
        full_name: "Legible Name",
        password: "hunter2hunter2",
        confirm_password: "hunter2hunter2",
        new_Password: "hunter2hunter2",
        csrf,
      }),
    );
    const row = (await readStash()).at(-1)!;
    expect(await readStash()).toHaveLength(before + 1);
    expect(Buffer.from(row["sealed"] as string, "base64").toString("latin1")).not.toMatch(
      /Legible|hunter2/,
    );
    expect(owner.cookies.get("resume")).not.toMatch(/Legible|hunter2/);
    await signInHere(owner, owner, target);
    const page = await owner.page(target);
    expect(page).toSay("Legible Name");
    expect(page.body).not.toMatch(/hunter2|confirm_password|new_Password/);
    expect(waiting(await owner.get(target)).fields.map(([name]) => name)).not.toContain("csrf");
  });

  it("uses a new key for each form", async () => {
    const owner = await signedOut();
    await send(owner, "/account", accountForm());
    await send(owner, "/account", accountForm());
    const [one, two] = (await readStash()).slice(-2);
    expect(one!["sealed"]).not.toBe(two!["sealed"]);
  });

  it("expires within the hour, and later forms delete the expired ones", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/account", accountForm());
    const row = (await readStash()).at(-1)!;
    expect(new Date(row["expires_at"] as string).getTime() - Date.now()).toBeLessThanOrEqual(
      3_600_000,
    );
    await world.sql(
      "update public.form_stash set expires_at = now() - interval '1 second' where id = $1",
      [row["id"]],
    );
    await signInHere(owner, owner, target);
    expect(await owner.get(target)).toRedirectTo("/");
    await send(await signedOut(), "/account", accountForm());
    expect((await readStash()).map(({ id }) => id)).not.toContain(row["id"]);
  });

  it("is deleted once the form is refilled", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm({ name: "Once" }));
    const { id } = (await readStash()).at(-1)!;
    await signInHere(owner, owner, target);
    const page = await owner.get(target);
    expect(waiting(await owner.get(target))).toEqual(waiting(page));
    expect((await pressBack(owner, page)).value("name")).toBe("Once");
    expect((await readStash()).map((row) => row["id"])).not.toContain(id);
    expect(owner.cookies.get("resume")).toBeUndefined();
    expect(await owner.get(target)).toRedirectTo("/");
    // Sent again by reloading the page, with the fields that the browser still has.
    expect((await pressBack(owner, page)).value("name")).toBe("Once");
  });

  it("is deleted at logout", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm());
    const { id } = (await readStash()).at(-1)!;
    await signInHere(owner, owner, target);
    const thief = owner.otherTab();
    expect(await owner.post("/logout")).toRedirectTo("/login");
    expect((await readStash()).map((row) => row["id"])).not.toContain(id);
    expect([owner.cookies.get("resume"), owner.cookies.get("ended")]).toEqual([
      undefined,
      undefined,
    ]);
    await signInHere(thief, owner, target);
    expect(await thief.get(target)).toRedirectTo("/");
  });
});

describe("a stashed form", () => {
  it("is hidden from another user of the same browser, and still available to its sender", async () => {
    const [owner, other] = [await signedOut(), await world.owner()];
    const target = await send(owner, "/listings/new", listingForm({ name: "Not For You" }));
    const sameBrowser = owner.otherTab();
    await signInHere(sameBrowser, other, target);
    for (const path of [target, "/resume"]) {
      const answer = await sameBrowser.get(path);
      expect(answer).toRedirectTo("/");
      expect(answer.body).not.toContain("Not For You");
    }
    expect(await sameBrowser.page("/listings")).not.toSay("Not For You");
    await signInHere(owner, owner, target);
    expect(await owner.page(target)).toSay("Not For You");
  });

  it("cannot be opened from another browser by its URL, even by its sender", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm());
    expect(await (await world.signIn(owner)).get(target)).toRedirectTo("/");
    expect(await world.anonymous().get(target)).toAskForSignIn();
  });

  it("cannot be opened with a cookie that was changed or made up", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm({ name: "Closed" }));
    await signInHere(owner, owner, target);
    const id = target.split("=")[1]!;
    const honest = owner.cookies.get("resume")!;
    const wrongKey = await resumeCookie().serialize([
      { id, key: Buffer.alloc(32, 7).toString("base64url") },
    ]);
    const shortKey = await resumeCookie().serialize([{ id, key: "AAAA" }]);
    const valueOf = (line: string) => /=([^;]*)/.exec(line)![1]!;
    const values = [
      honest.slice(0, 10) + (honest[10] === "A" ? "B" : "A") + honest.slice(11),
      "x",
      valueOf(wrongKey),
      valueOf(shortKey),
    ];
    for (const shape of ["", {}, [null], [{ id }], [{ id: "1 or 1=1", key: "x" }], "text"])
      values.push(valueOf(await resumeCookie().serialize(shape)));
    for (const value of values) {
      owner.cookies.set("resume", value);
      expect(await owner.get(target), value).toRedirectTo("/");
      expect(await owner.get("/resume"), value).toRedirectTo("/");
    }
    owner.cookies.set("resume", honest);
    expect(await owner.get(target)).toHaveStatus(200);
  });

  it("cannot be opened when its text was replaced by another row's", async () => {
    const owner = await signedOut();
    const first = await send(owner, "/listings/new", listingForm());
    const second = await send(owner, "/listings/new", listingForm());
    const [one, two] = [first.split("=")[1], second.split("=")[1]];
    await world.sql(
      "update public.form_stash set sealed = (select sealed from public.form_stash where id = $2) where id = $1",
      [one, two],
    );
    await signInHere(owner, owner, first);
    expect(await owner.get(first)).toRedirectTo("/");
    expect(await owner.get(second)).toHaveStatus(200);
  });

  it("cannot be deleted by its id alone", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/listings/new", listingForm());
    const id = target.split("=")[1]!;
    const other = await world.owner();
    await other.post("/account", { intent: "refill", refill_stash: id, full_name: "X" });
    expect((await readStash()).map((row) => row["id"])).toContain(id);
  });

  it.each(["", "x", "'", "%00", "5b0b5b0b-0000-4000-8000-000000000000", "__proto__"])(
    "is not found at /resume?form=%s",
    async (form) => {
      const owner = await world.owner();
      expect(await owner.get(`/resume?form=${form}`)).toRedirectTo("/");
    },
  );
});

describe("a form of a browser that was never signed in", () => {
  const count = async () => (await readStash()).length;

  it.each<[string, (person: Person) => void]>([
    ["no cookie", () => undefined],
    [
      "a made-up session",
      (person) => person.cookies.set("session", "eyJhIjoiYS5iLmMiLCJyIjoieCIsImUiOjF9.forged"),
    ],
    [
      "a made-up cookie of an ended session",
      (person) =>
        person.cookies.set("ended", "IjViMGI1YjBiLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMCI.forged"),
    ],
  ])("is not stashed: %s", async (_, arrange) => {
    const before = await count();
    const person = world.anonymous();
    arrange(person);
    expect(await person.post("/listings/new", listingForm())).toHaveStatus(401);
    expect(await count()).toBe(before);
  });

  it.each([
    ["a browser", {}],
    ["w3m, which doesn’t say where a form comes from", { origin: null, secFetchSite: null }],
  ])(
    "is shown when all cookies of %s are gone, and can be sent after signing in",
    async (_, how) => {
      const owner = await world.owner();
      const person = world.anonymous();
      const typed = listingForm({ name: "Without Any Cookie" });
      const answer = await person.submit("/listings/new", typed, how);
      expect(answer).toHaveStatus(401);
      expect(answer).toSay("This browser’s cookies are gone, so we can’t tell who sent this form.");
      expect(answer).toSay("Nothing was saved. What you typed is below.");
      expect(answer.value("name")).toBe("Without Any Cookie");

      const csrf = answer.value("csrf")!;
      await person.post("/login", { email: owner.email, password: owner.password });
      const sent = await person.submit("/listings/new", { ...typed, csrf }, how);
      expect(sent).toRedirectTo("/");
      expect(await listingsOf(owner)).toEqual([{ name: "Without Any Cookie" }]);
    },
  );

  it("is not taken from another site, also without any cookie", async () => {
    const forged = { origin: "https://evil.example", secFetchSite: "cross-site" };
    const answer = await world.anonymous().submit("/listings/new", listingForm(), forged);
    expect(answer).toBeForbidden();
    expect(answer.text).not.toContain("Café X");
  });

  it("is shown on the error page when it came from one of our pages, to be sent after signing in", async () => {
    const owner = await world.owner();
    const person = owner.otherTab();
    await person.page("/listings/new");
    await person.post("/logout");
    await person.page("/login");
    const before = await count();
    const answer = await person.submit("/listings/new", listingForm({ name: "Kept In The Page" }));
    expect(answer).toHaveStatus(401);
    expect(answer).toSay("Nothing was saved. What you typed is below.");
    expect(answer.value("name")).toBe("Kept In The Page");
    expect(answer.body).toMatch(
      /<a [^>]*href="\/login"[^>]*target="_blank"|<a [^>]*target="_blank"[^>]*href="\/login"/,
    );
    expect(await count()).toBe(before);
  });

  it("without typed values redirects to the sign-in page, which says that it did nothing, and back to its page", async () => {
    const admin = await world.admin();
    await endSessions(admin);
    expect(await admin.post("/admin/new", { intent: "choose" })).toAskForSignIn();
    // What a hidden field says was typed by no one.
    const hidden = { intent: "discard", at: "2026-11-26T12:00:00Z", replaces: randomUUID() };
    const pressed = await admin.post("/listings/1/withdraw", hidden);
    expect(pressed).toAskForSignIn();
    expect(await admin.page(pressed.location!)).toSay(
      "You were signed out, so nothing has been changed. Sign in, and then choose it again.",
    );
  });
});

describe("a form that cannot be stashed", () => {
  it("is shown on the error page when the database does not answer, and is stashed when sent again", async () => {
    const owner = await signedOut();
    const typed = listingForm({ name: "Outage" });
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/form_stash`, () =>
        HttpResponse.json({}, { status: 503 }),
      ),
    );
    const answer = await owner.post("/listings/new", typed);
    expect(answer).toHaveStatus(503);
    const { submittedForm } = answer.data as {
      submittedForm: { action: string; fields: [string, string][] };
    };
    expect(Object.fromEntries(submittedForm.fields)).toEqual(typed);
    outside.resetHandlers();
    const target = await send(
      owner,
      submittedForm.action,
      Object.fromEntries(submittedForm.fields),
    );
    await signInHere(owner, owner, target);
    expect(await owner.page(target)).toSay("Outage");
  });

  it("is shown on the error page when its sender has stashed too many", async () => {
    const owner = await signedOut();
    for (let i = 0; i < 20; i++) await send(owner, "/account", accountForm());
    const answer = await owner.post("/account", accountForm({ full_name: "One Too Many" }));
    expect(answer).toHaveStatus(401);
    expect(answer.body).toContain("One Too Many");
    expect(owner.cookies.get("resume")!.length).toBeLessThan(2_000);
  });

  it("stays stashed when the database does not answer after signing in", async () => {
    const owner = await signedOut();
    const target = await send(owner, "/account", accountForm());
    await signInHere(owner, owner, target);
    outside.use(
      http.get(`${world.supabase.url}/rest/v1/form_stash`, () =>
        HttpResponse.json({}, { status: 503 }),
      ),
    );
    expect(await owner.get(target)).toHaveStatus(503);
    outside.resetHandlers();
    expect(await owner.get(target)).toHaveStatus(200);
  });
});

describe("the intent `refill`", () => {
  it("needs the page's access and a form of ours", async () => {
    const owner = await world.owner();
    expect(await owner.post("/admin/new", { intent: "refill", listing: "1:1" })).toBeForbidden();
    expect(
      await owner.post(
        "/account",
        { intent: "refill" },
        { origin: "https://evil.example", secFetchSite: "cross-site" },
      ),
    ).toBeForbidden();
  });

  it("writes nothing", async () => {
    const admin = await world.admin();
    const listing = await world.listing({ status: "new", owner: admin });
    const attempts: [string, Record<string, string>][] = [
      ["/admin/new", { listing: `${listing.id}:1`, refill_intent: "choose", action: "approve" }],
      [`/listings/${listing.id}`, listingForm({ version: "1", name: "Changed" })],
      ["/account", accountForm({ full_name: "Changed" })],
    ];
    for (const [path, fields] of attempts)
      expect(await admin.post(path, { ...fields, intent: "refill" })).toHaveStatus(200);
    expect(await world.row("places", listing.id)).toMatchObject({
      status: "new",
      name: listing.name,
      version: 1,
    });
    expect(await world.row("profiles", admin.id)).toMatchObject({ full_name: admin.fullName });
  });
});
