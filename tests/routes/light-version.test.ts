/** The light version: the same pages without script, for a slow connection or limited data. */
import { describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import type { Person } from "../support/person";
import { createWorld } from "../support/world";

const world = await createWorld();

const SAVE_DATA = { headers: { "Save-Data": "on" } };
const choose = (person: Person, version: string, returnTo = "/") =>
  person.post("/version", { version, return_to: returnTo });
const policyOf = ({ headers }: Answer) => headers.get("Content-Security-Policy")!;

function expectLight(page: Answer) {
  expect(page.body, page.asked).toMatch(/<\/body><\/html>$/);
  // None that runs, is loaded, or is loaded ahead, and none of the data for it.
  expect(page.body, page.asked).not.toMatch(/<script|modulepreload|rel="preload"|\.js"|__remix/);
  expect(page.body, page.asked).not.toMatch(/<noscript/);
  expect(policyOf(page), page.asked).toMatch(/^default-src 'none'; /);
  expect(policyOf(page), page.asked).not.toMatch(/script-src|connect-src|nonce-/);
  expect(page, page.asked).toSay("Full version");
}

function expectFull(page: Answer) {
  expect(page.body, page.asked).toContain('<script nonce="');
  expect(policyOf(page), page.asked).toMatch(/script-src 'self' 'nonce-/);
  expect(page, page.asked).toSay("Light version");
}

describe("someone who chooses the light version", () => {
  it("gets no script on any page, rejected form, or error page, and what protects them all the same", async () => {
    const owner = await world.owner();
    expect(await choose(owner, "light", "/listings?search=a")).toRedirectTo("/listings?search=a");
    for (const path of ["/listings", "/listings/new", "/jobs/new", "/account", "/no-such-page"]) {
      const page = await owner.page(path);
      expectLight(page);
      expect(page.body).toContain('<form method="post" action="/leave"');
      expect(page.headers.get("Cache-Control")).toBe("no-store");
    }
    const rejected = await owner.submit("/jobs/new", { intent: "save" });
    expect(rejected).toSay("There is a problem");
    expectLight(rejected);
  });

  it("reads what script would show otherwise", async () => {
    const owner = await world.owner();
    await choose(owner, "light");
    expect(await owner.page("/listings/new")).toSay("At most 5,000 characters.");
  });

  it("keeps it without an account, after signing out, and after leaving quickly", async () => {
    const visitor = world.anonymous();
    expect(await choose(visitor, "light", "/login")).toRedirectTo("/login");
    const login = await visitor.page("/login");
    expectLight(login);
    expect(login).toSay("You’re using the light version.");

    const owner = await world.owner();
    for (const exit of ["/logout", "/leave"]) {
      await choose(owner, "light");
      await owner.post(exit);
      expectLight(await owner.page("/login"));
    }
  });

  it("can return to the full one", async () => {
    const visitor = world.anonymous();
    await choose(visitor, "light");
    await choose(visitor, "full");
    expectFull(await visitor.page("/login"));
  });
});

describe("a browser that asks to save data", () => {
  it("gets the light version until someone chooses the full one", async () => {
    const visitor = world.anonymous();
    expectFull(await visitor.page("/login"));
    expectLight(await visitor.page("/login", SAVE_DATA));
    expectFull(await visitor.page("/login", { headers: { "Save-Data": "off" } }));
    await choose(visitor, "full");
    expectFull(await visitor.page("/login", SAVE_DATA));
  });

  it("is named in Vary by every page, so that no cache mixes the two", async () => {
    for (const options of [{}, SAVE_DATA])
      expect((await world.anonymous().page("/login", options)).headers.get("Vary")).toContain(
        "Save-Data",
      );
  });
});

describe("the choice", () => {
  it("is a cookie that says nothing about the user, and that no one can forge", async () => {
    const [one, other] = [await world.owner(), world.anonymous()];
    const cookies = [await choose(one, "light"), await choose(other, "light")].map(
      ({ setCookies }) => setCookies.find((line) => line.startsWith("version=")),
    );
    expect(cookies[0]).toBe(cookies[1]);
    expect(cookies[0]).toMatch(/; Max-Age=31536000; Path=\/; .*HttpOnly; SameSite=Lax/);
    const forger = world.anonymous();
    forger.cookies.store(new Headers({ "Set-Cookie": "version=ImxpZ2h0Ig%3D%3D.forged; Path=/" }));
    expectFull(await forger.page("/login"));
  });

  it("is made on our pages only, and leads to no other site", async () => {
    const visitor = world.anonymous();
    const foreign = { origin: "https://evil.example", secFetchSite: "cross-site" };
    expect(
      await visitor.post("/version", { version: "light", return_to: "/login" }, foreign),
    ).toBeForbidden();
    expectFull(await visitor.page("/login"));
    for (const path of ["/version", "/logout"]) {
      const refused = await visitor.post(path, { version: "light" }, foreign);
      expect(refused.heading).toBe("We couldn’t verify that form");
    }
    for (const target of ["https://evil.example/", "//evil.example", "/\\evil.example"])
      expect(await choose(visitor, "full", target)).toRedirectTo("/");
  });

  it("is on every page and in the account, as a form that loads a document", async () => {
    const owner = await world.owner();
    const buttons = async (path: string) =>
      (await owner.page(path)).body.match(/name="version" value="light"/g)?.length;
    expect(await buttons("/listings")).toBe(1);
    expect(await buttons("/no-such-page")).toBe(1);
    expect(await buttons("/account")).toBe(2);
  });
});
