import { readFileSync } from "node:fs";

import { matchRoutes } from "@remix-run/router";
import { describe, expect, it } from "vitest";

import { findCurrentLink, NAVIGATION, getNavigation } from "~/components/layout/navigation";
import { paths } from "~/http/paths";

import { appRoutes } from "../support/app";

function here(url: string, admin = true) {
  const { pathname, search } = new URL(url, "http://dashboard.test");
  return findCurrentLink(getNavigation({ admin }), { pathname, search })?.label;
}

describe("the navigation", () => {
  it.each([
    ["/listings", "Business Listings"],
    ["/listings/new", "Business Listings"],
    ["/listings/12", "Business Listings"],
    ["/jobs/12/status", "Job Listings"],
    ["/sponsor/new", "Newsletter Features"],
    ["/account", "My Account"],
    ["/admin", "Admin Dashboard"],
    ["/admin/jobs", "All Jobs"],
    ["/admin/new", "New"],
    ["/admin/pending", "Pending Updates"],
    ["/admin/listings/12/details", "All Listings"],
    ["/admin/listings/12?view=pending", "Pending Updates"],
    ["/admin/listings/12?view=nothing", "All Listings"],
    ["/admin/decisions/1?action=approve&view=new", "New"],
    ["/admin/decisions/1?action=flag", "All Listings"],
    ["/admin/jobs?view=pending", "All Jobs"],
    ["/listingsx", undefined],
    ["/", "Home"],
    ["/recovery/new", undefined],
  ])("marks one link as current at %s: %s", (pathname, label) => {
    expect(here(pathname)).toBe(label);
  });

  it("shows the admin links only to admins", () => {
    const links = (admin: boolean) =>
      getNavigation({ admin }).flatMap((group) => group.links.map(({ to }) => to));
    expect(links(false).filter((to) => to.startsWith("/admin"))).toEqual([]);
    expect(links(true)).toEqual(NAVIGATION.flatMap((group) => group.links.map(({ to }) => to)));
    expect(here("/admin/new", false)).toBeUndefined();
  });

  it("groups the admin pages", () => {
    const admins = NAVIGATION.filter(({ adminOnly }) => adminOnly);
    expect(admins.map(({ label, links }) => [label, links.map((link) => link.label)])).toEqual([
      [null, ["Admin Dashboard"]],
      ["Queues", ["New", "Pending Updates", "Flagged", "User Reports", "App Feedback"]],
      ["Directory", ["All Listings", "Premium", "All Jobs", "Users", "Database"]],
      ["Newsletter and records", ["Newsletter Dates", "Payments", "Audit Log", "Two-Step Sign-In"]],
    ]);
  });

  it("has a route for every link", () => {
    const paths = new Set(appRoutes.map(({ path }) => path));
    for (const { to } of NAVIGATION.flatMap((group) => group.links)) expect(paths).toContain(to);
  });
});

describe("a path", () => {
  // Without the route that answers 404 to every other URL.
  const routes = appRoutes.filter(({ path }) => !path.includes("*")).map(({ path }) => ({ path }));
  const urls = Object.entries(paths).map(([name, path]) => [
    name,
    (path as (id: string) => string)("1"),
  ]);

  it.each(urls)("has a route: %s, %s", (_, url) => {
    expect(matchRoutes(routes, url)).not.toBeNull();
  });
});

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the illustrations", () => {
  it("are in the sprite with the same view box, and none is left out", () => {
    const inCode = [
      ...read("app/components/ui/illustration.tsx").matchAll(/^ {2}"?([a-z-]+)"?: "([\d ]+)"/gm),
    ].map((match) => match.slice(1, 3));
    const inSprite = [
      ...read("app/components/ui/illustrations.svg").matchAll(
        /<symbol id="([^"]+)" viewBox="([^"]+)"/g,
      ),
    ].map((match) => match.slice(1, 3));
    expect(inCode.length).toBeGreaterThan(4);
    expect(inCode.sort()).toEqual(inSprite.sort());
  });
});

describe("the icons", () => {
  const named = [
    ...read("app/components/ui/icon-names.ts").matchAll(/^ {2}\| "([a-z0-9-]+)"/gm),
  ].map((match) => match[1]!);
  const inSprite = [
    ...read("app/components/ui/icons.svg").matchAll(/<symbol[^>]*\bid="([^"]+)"/g),
  ].map((match) => match[1]!);

  it("are in the sprite, and none is left out", () => {
    expect(named.length).toBeGreaterThan(20);
    // The sprite also has the product's logo.
    expect([...inSprite].sort()).toEqual([...named, "mark"].sort());
  });
});
