import { describe, expect, it } from "vitest";

import { APP_URL, configure } from "./configure";

configure();
const { toRoutePattern } = await import("~/http/route-pattern.server");
const { appRoutes, matchPath } = await import("../support/app");

const patternOf = (path: string) =>
  toRoutePattern(`${APP_URL}${path}`, matchPath(path.split("?")[0]!).at(-1)?.params ?? {});

describe("the pattern of a route in the log", () => {
  it("is the path of each route of the app, whatever stands for its parameters", () => {
    for (const { path } of appRoutes) {
      const made = path.replace(/:\w+\??/g, "7f3a-Sam").replace("*", "sam@example.org/7");
      expect(patternOf(made), path).toBe(path.replace(/\?/g, ""));
    }
  });

  it.each([
    ["/LISTINGS/12", "/listings/:id"],
    ["/listings/12/", "/listings/:id"],
    ["/listings/12?email=sam@example.org", "/listings/:id"],
    ["/listings/sam%40example.org", "/listings/:id"],
    ["/no/such/sam@example.org", "/*"],
    ["/jane-doe/x%2Fy", "/*"],
    ["/jane/doe/berlin/x%252Fy", "/*"],
    ["/", "/"],
  ])("of %s is %s", (path, pattern) => {
    expect(patternOf(path)).toBe(pattern);
  });

  it("has nothing of a parameter that can’t be found in the address", () => {
    expect(toRoutePattern(`${APP_URL}/listings/jane%252Fdoe`, { id: "jane/doe" })).toBe(
      "/:unknown",
    );
  });

  it("is the same for the page and its data", () => {
    expect(toRoutePattern(`${APP_URL}/listings/12.data`, { id: "12" })).toBe("/listings/:id");
    expect(toRoutePattern(`${APP_URL}/_root.data`, {})).toBe("/");
  });
});
