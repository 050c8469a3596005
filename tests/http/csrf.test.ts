import { describe, expect, it } from "vitest";

import { APP_URL, configure } from "./configure";

configure();
const { hasValidFormToken, isFormOfAnother, getFormToken, detectFormSender } =
  await import("~/http/csrf.server");
const { serializeSession } = await import("~/http/session.server");

const requestWith = (headers: Record<string, string>) =>
  new Request(`${APP_URL}/listings/new`, { headers });
const formWith = (csrf: string) => {
  const form = new FormData();
  form.set("csrf", csrf);
  return form;
};

describe("detectFormSender recognizes", () => {
  it.each<[string, Record<string, string>, ReturnType<typeof detectFormSender>]>([
    [
      "a current browser on our page",
      { "Sec-Fetch-Site": "same-origin", Origin: APP_URL },
      "our page",
    ],
    [
      "a browser that uses another name for our host",
      { "Sec-Fetch-Site": "same-origin", Origin: "http://127.0.0.1:3000" },
      "our page",
    ],
    [
      "another site",
      { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
      "another site",
    ],
    [
      "another site that claims our origin",
      { "Sec-Fetch-Site": "cross-site", Origin: APP_URL },
      "another site",
    ],
    [
      "another host of our domain",
      { "Sec-Fetch-Site": "same-site", Origin: "https://blog.dashboard.test" },
      "another site",
    ],
    [
      "a frame without an origin",
      { "Sec-Fetch-Site": "same-origin", Origin: "null" },
      "another site",
    ],
    ["a frame without an origin, in an older browser", { Origin: "null" }, "another site"],
    ["an older browser on our page", { Origin: APP_URL }, "our page"],
    ["an older browser elsewhere", { Origin: "https://evil.example" }, "another site"],
    ["our name over plain http", { Origin: "http://dashboard.test" }, "another site"],
    ["another port of ours", { Origin: "https://dashboard.test:8443" }, "another site"],
    [
      "a name that begins like ours",
      { Origin: "https://dashboard.test.evil.example" },
      "another site",
    ],
    [
      "another origin with our referer",
      { Origin: "https://evil.example", Referer: `${APP_URL}/` },
      "another site",
    ],
    [
      "another origin in the header that prepare-request sets",
      { "x-dashboard-origin": "https://evil.example" },
      "another site",
    ],
    [
      "a navigation from the address bar with another origin",
      { "Sec-Fetch-Site": "none", Origin: "https://evil.example" },
      "another site",
    ],
    ["lynx on our page", { Referer: `${APP_URL}/listings/new?x=1` }, "our page"],
    ["lynx elsewhere", { Referer: `https://evil.example/${APP_URL}` }, "another site"],
    ["a referer that is not a URL", { Referer: "dashboard.test" }, "another site"],
    [
      "our name as a user name in another site's URL",
      { Referer: "https://dashboard.test@evil.example/" },
      "another site",
    ],
    ["w3m, which sends none of these headers", {}, "unknown"],
  ])("%s", (_, headers, sender) => {
    expect(detectFormSender(requestWith(headers))).toBe(sender);
  });
});

describe("a form token", () => {
  const browser = async () => {
    const { token, setCookie } = await getFormToken(requestWith({}));
    return { token, cookie: setCookie!.split(";")[0]! };
  };

  it("is the same for one browser as long as it has its cookie", async () => {
    const { token, cookie } = await browser();
    expect(await getFormToken(requestWith({ Cookie: cookie }))).toEqual({ token, setCookie: null });
    expect(await hasValidFormToken(requestWith({ Cookie: cookie }), formWith(token))).toBe(true);
  });

  it("is rejected in another browser, without its cookie, or when it was changed", async () => {
    const [mine, other] = [await browser(), await browser()];
    expect(mine.token).not.toBe(other.token);
    expect(
      await hasValidFormToken(requestWith({ Cookie: other.cookie }), formWith(mine.token)),
    ).toBe(false);
    expect(await hasValidFormToken(requestWith({}), formWith(mine.token))).toBe(false);
    expect(
      await hasValidFormToken(
        requestWith({ Cookie: "__Host-form=ImZvcmdlZCI%3D.x" }),
        formWith(mine.token),
      ),
    ).toBe(false);
    for (const forged of ["", mine.token.slice(1), `~${mine.token.slice(1)}`, "é".repeat(43)]) {
      expect(await hasValidFormToken(requestWith({ Cookie: mine.cookie }), formWith(forged))).toBe(
        false,
      );
    }
    expect(await hasValidFormToken(requestWith({ Cookie: mine.cookie }), new FormData())).toBe(
      false,
    );
  });

  describe("of an account", () => {
    /** The cookie of a session of this account, and that of its browser. */
    const cookiesOf = async (account: string, session: string, browserCookie?: string) => {
      const claims = Buffer.from(JSON.stringify({ sub: account, session })).toString("base64url");
      const tokens = { accessToken: `e30.${claims}.x`, refreshToken: "", expiresAt: 1 };
      return [(await serializeSession(tokens)).split(";")[0]!, browserCookie]
        .filter(Boolean)
        .join("; ");
    };
    const tokenWith = async (cookies: string, posted?: FormData) =>
      (await getFormToken(requestWith({ Cookie: cookies }), posted)).token;

    it("is that of its account in each of its sessions and browsers, and of no other", async () => {
      const [here, there] = [await browser(), await browser()];
      const token = await tokenWith(await cookiesOf("anna", "1", here.cookie));
      const elsewhere = requestWith({ Cookie: await cookiesOf("anna", "2", there.cookie) });
      expect(token).not.toBe(await tokenWith(elsewhere.headers.get("Cookie")!));
      expect(await isFormOfAnother(elsewhere, formWith(token), "anna")).toBe(false);
      expect(await hasValidFormToken(elsewhere, formWith(token))).toBe(false);

      const switched = requestWith({ Cookie: await cookiesOf("ben", "3", here.cookie) });
      expect(await isFormOfAnother(switched, formWith(token), "ben")).toBe(true);
      for (const text of [token.slice(0, 30), "x", "é".repeat(43)])
        expect(await isFormOfAnother(switched, formWith(text), "ben")).toBe(true);
    });

    it("is not needed, and may be that of the same browser before anyone signed in", async () => {
      const [here, there] = [await browser(), await browser()];
      const request = requestWith({ Cookie: await cookiesOf("anna", "1", here.cookie) });
      expect(await isFormOfAnother(request, formWith(here.token), "anna")).toBe(false);
      expect(await isFormOfAnother(request, formWith(there.token), "anna")).toBe(true);
      expect(await isFormOfAnother(request, new FormData(), "anna")).toBe(false);
      expect(await isFormOfAnother(request, formWith(""), "anna")).toBe(false);
    });

    it("stays the token of a form that is offered again, and is as long as every other token", async () => {
      const [here, there] = [await browser(), await browser()];
      const sent = formWith(await tokenWith(await cookiesOf("anna", "1", here.cookie)));
      const again = formWith(await tokenWith(there.cookie, sent));
      const request = requestWith({ Cookie: await cookiesOf("ben", "2", there.cookie) });
      expect(await isFormOfAnother(request, again, "anna")).toBe(false);
      expect(await isFormOfAnother(request, again, "ben")).toBe(true);
      expect(await hasValidFormToken(request, again)).toBe(true);
      for (const token of [here.token, sent.get("csrf"), again.get("csrf")])
        expect(token).toHaveLength(43);
    });
  });
});
