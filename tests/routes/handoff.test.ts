/** `?token=`: how the mobile app opens a page of the dashboard for somebody who is signed in there. */
import { describe, expect, it } from "vitest";

import { createWorld, type Member } from "../support/world";

const world = await createWorld();

/** The tokens that the mobile app would hold. */
async function appSession(member: Member): Promise<{ access_token: string; refresh_token: string }> {
  const response = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email: member.email, password: member.password }),
  });
  return (await response.json()) as { access_token: string; refresh_token: string };
}

describe.each(["access_token", "refresh_token"] as const)("a link with the app's %s", (kind) => {
  it("signs in, and leads to the same address without it", async () => {
    const owner = await world.owner();
    const token = (await appSession(owner))[kind];
    const person = world.anonymous();
    const response = await person.get(`/account?from=app&token=${token}`);
    expect(response).toRedirectTo("/account?from=app");
    expect(response.body).not.toContain(token);
    expect((await person.page("/account?from=app")).value("email")).toBe(owner.email);
  });

  it("asks first when somebody else is signed in", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const token = (await appSession(other))[kind];
    expect(await owner.get(`/account?token=${token}`)).toRedirectTo("/switch-account");
    const page = await owner.page("/switch-account");
    expect(page).toSay(other.email);
    expect((await owner.page("/account")).value("email")).toBe(owner.email);

    const stays = owner.otherTab();
    expect(await stays.post("/switch-account", { intent: "stay" })).toRedirectTo("/account");
    expect((await stays.page("/account")).value("email")).toBe(owner.email);

    expect(await owner.post("/switch-account", { intent: "switch" })).toRedirectTo("/account");
    expect((await owner.page("/account")).value("email")).toBe(other.email);
  });

  it("of the same person changes nothing they would notice", async () => {
    const owner = await world.owner();
    const token = (await appSession(owner))[kind];
    expect(await owner.get(`/listings?token=${token}`)).toRedirectTo("/listings");
    expect((await owner.page("/account")).value("email")).toBe(owner.email);
  });
});

describe("a link with a token that is none", () => {
  it.each(["", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4IiwiZXhwIjo5OTk5OTk5OTk5fQ.", "%00", "a".repeat(6_000)])(
    "leads to the sign-in page: %j",
    async (token) => {
      const person = world.anonymous();
      const first = await person.get(`/account?token=${token}`);
      expect(first.status).toBeOneOf([302, 303]);
      expect(first.location).not.toContain("token=");
      expect(await person.get("/account")).toAskForSignIn();
    },
  );

  it("signs nobody out", async () => {
    const owner = await world.owner();
    expect(await owner.get("/account?token=nonsense")).toRedirectTo("/account");
    expect(await owner.get("/account")).toHaveStatus(200);
  });

  it("does not lead to another site", async () => {
    const owner = await world.owner();
    const { refresh_token } = await appSession(owner);
    const response = await world.anonymous().get(`/account?redirectTo=//evil.example&token=${refresh_token}`);
    expect(response.location).toMatch(/^\/account/);
  });

  it("is not asked for by a form", async () => {
    const owner = await world.owner();
    const { refresh_token } = await appSession(owner);
    const person = world.anonymous();
    const response = await person.post(`/account?token=${refresh_token}`, {});
    expect(response.location).toMatch(/^\/login/);
    expect(response.location).not.toContain(refresh_token);
  });
});
