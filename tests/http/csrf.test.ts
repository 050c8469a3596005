import { describe, expect, it } from "vitest";

import { APP_URL, configure } from "./configured";

configure();
const { hasValidFormToken, getFormToken, detectFormSender } = await import("~/http/csrf.server");

const asked = (headers: Record<string, string>) =>
  new Request(`${APP_URL}/listings/new`, { headers });
const formOf = (csrf: string) => {
  const form = new FormData();
  form.set("csrf", csrf);
  return form;
};

describe("a form comes from", () => {
  it.each<[string, Record<string, string>, ReturnType<typeof detectFormSender>]>([
    [
      "a browser of today on our page",
      { "Sec-Fetch-Site": "same-origin", Origin: APP_URL },
      "our page",
    ],
    [
      "a browser that names us differently",
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
      "a sister host",
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
      "an origin that the referer contradicts",
      { Origin: "https://evil.example", Referer: `${APP_URL}/` },
      "another site",
    ],
    [
      "a foreign origin that a server of ours has moved aside",
      { "x-dashboard-origin": "https://evil.example" },
      "another site",
    ],
    [
      "something typed into the address bar",
      { "Sec-Fetch-Site": "none", Origin: "https://evil.example" },
      "another site",
    ],
    ["lynx on our page", { Referer: `${APP_URL}/listings/new?x=1` }, "our page"],
    ["lynx elsewhere", { Referer: `https://evil.example/${APP_URL}` }, "another site"],
    ["a referer that is none", { Referer: "dashboard.test" }, "another site"],
    [
      "our name as the user name of a URL",
      { Referer: "https://dashboard.test@evil.example/" },
      "another site",
    ],
    ["w3m, which sends none of these headers", {}, "unknown"],
  ])("%s", (_, headers, sender) => {
    expect(detectFormSender(asked(headers))).toBe(sender);
  });
});

describe("the token in a form", () => {
  const browser = async () => {
    const { token, setCookie } = await getFormToken(asked({}));
    return { token, cookie: setCookie!.split(";")[0]! };
  };

  it("is bound to one browser, and stays the same there", async () => {
    const { token, cookie } = await browser();
    expect(await getFormToken(asked({ Cookie: cookie }))).toEqual({ token, setCookie: null });
    expect(await hasValidFormToken(asked({ Cookie: cookie }), formOf(token))).toBe(true);
  });

  it("is rejected in another browser, without its cookie, or when changed", async () => {
    const [mine, other] = [await browser(), await browser()];
    expect(mine.token).not.toBe(other.token);
    expect(await hasValidFormToken(asked({ Cookie: other.cookie }), formOf(mine.token))).toBe(
      false,
    );
    expect(await hasValidFormToken(asked({}), formOf(mine.token))).toBe(false);
    expect(
      await hasValidFormToken(
        asked({ Cookie: "__Host-form=ImZvcmdlZCI%3D.x" }),
        formOf(mine.token),
      ),
    ).toBe(false);
    for (const forged of ["", mine.token.slice(1), `${mine.token.slice(0, -1)}~`, "é".repeat(43)]) {
      expect(await hasValidFormToken(asked({ Cookie: mine.cookie }), formOf(forged))).toBe(false);
    }
    expect(await hasValidFormToken(asked({ Cookie: mine.cookie }), new FormData())).toBe(false);
  });
});
