import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();

describe("a world", () => {
  it("signs users in with the session of the app", async () => {
    const owner = await world.owner({ fullName: "Zoë O’Hara" });
    const response = await owner.page("/account");
    expect(response).toHaveStatus(200);
    expect(response.value("full_name")).toBe("Zoë O’Hara");
  });

  it("separates users", async () => {
    const [one, other] = [await world.owner(), await world.owner()];
    expect(one.email).not.toBe(other.email);
    expect((await one.page("/account")).value("email")).toBe(one.email);
    expect((await other.page("/account")).value("email")).toBe(other.email);
  });

  it("creates admins", async () => {
    const admin = await world.admin();
    expect(await admin.get("/admin")).toHaveStatus(200);
  });

  it("stores the cookies of a user's browser, and drops removed ones", async () => {
    const owner = await world.owner();
    expect(owner.cookies.get("session")).toBeDefined();
    const tab = owner.otherTab();
    expect(await owner.post("/logout")).toRedirectTo("/login");
    expect(owner.cookies.get("session")).toBeUndefined();
    expect(tab.cookies.get("session")).toBeDefined();
  });

  it("answers documents, data requests and bare loaders", async () => {
    const anonymous = world.anonymous();
    const page = await anonymous.page("/login");
    expect(page.heading).toBe("Sign in to your account");
    expect(page.headers.get("Content-Type")).toContain("text/html");
    expect(await anonymous.get("/login")).toHaveStatus(200);
    expect((await anonymous.dataOf("/login")).headers.get("Content-Type")).toContain(
      "text/x-script",
    );
  });

  it("reports which emails were sent when the expected one was not", async () => {
    const owner = await world.owner();
    expect(world.mail(owner.email).to).toBe(owner.email);
    expect(() => world.mail("nobody@example.test")).toThrow(owner.email);
  });

  it("answers requests to outside services with handlers", async () => {
    outside.use(http.get("https://places.example.test/", () => HttpResponse.json({ found: 1 })));
    expect(await (await fetch("https://places.example.test/")).json()).toEqual({ found: 1 });
  });

  it("inserts rows past the app, with the defaults of the database", async () => {
    const listing = await world.listing({ name: "Café X", status: "new" });
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Café X",
      status: "new",
      version: 1,
    });
  });
});

describe("the matchers", () => {
  it("report what happened instead", async () => {
    const response = await world.anonymous().get("/account");
    expect(response).toAskForSignIn();
    expect(response).not.toRedirectTo("/");
    expect(() => expect(response).toBeForbidden()).toThrow(
      "redirected (302) to /login?redirectTo=%2Faccount",
    );
    expect(() => expect(response).toRedirectTo("/")).toThrow("GET /account");
    const refused = await world.anonymous().post("/recovery", { email: "x" });
    expect(() => expect(refused).toBeRefusedWith("Something else")).toThrow(
      /email: Enter an email address/,
    );
    const dashboard = await (await world.admin()).get("/admin");
    expect(() => expect(dashboard).toTakeAtMostSequentialCalls(1)).toThrow(
      "1. POST /rest/v1/rpc/my_session",
    );
  });
});
