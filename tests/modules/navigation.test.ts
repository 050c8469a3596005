import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { findCurrentLink, NAVIGATION, getNavigation } from "~/components/layout/navigation";

import { appRoutes } from "../support/app";

const here = (pathname: string, admin = true) =>
  findCurrentLink(getNavigation({ admin }), pathname)?.label;

describe("the side column", () => {
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
    ["/listingsx", undefined],
    ["/", "Home"],
    ["/recovery/new", undefined],
  ])("marks one line at %s: %s", (pathname, label) => {
    expect(here(pathname)).toBe(label);
  });

  it("shows the admins’ lines to admins alone", () => {
    const links = (admin: boolean) =>
      getNavigation({ admin }).flatMap((group) => group.links.map(({ to }) => to));
    expect(links(false).filter((to) => to.startsWith("/admin"))).toEqual([]);
    expect(links(true)).toEqual(NAVIGATION.flatMap((group) => group.links.map(({ to }) => to)));
    expect(here("/admin/new", false)).toBeUndefined();
  });

  it("has the admins’ tables in their order", () => {
    const admins = NAVIGATION.find(({ adminOnly }) => adminOnly)!.links.map(({ label }) => label);
    expect(admins.slice(0, 11)).toEqual([
      ...[
        "Admin Dashboard",
        "Database",
        "All Listings",
        "All Jobs",
        "New",
        "Pending Updates",
        "Premium",
        "Flagged",
      ],
      ...["Users", "App Feedback", "User Reports"],
    ]);
  });

  it("leads to nothing that does not exist", () => {
    const paths = new Set(appRoutes.map(({ path }) => path));
    for (const { to } of NAVIGATION.flatMap((group) => group.links)) expect(paths).toContain(to);
  });
});

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the drawings", () => {
  it("that have a canvas are drawn on it, and those that are drawn have one", () => {
    const known = [
      ...read("app/components/ui/illustration.tsx").matchAll(/^ {2}"?([a-z-]+)"?: "([\d ]+)"/gm),
    ].map((match) => match.slice(1, 3));
    const drawn = [
      ...read("public/illustrations.svg").matchAll(/<symbol id="([^"]+)" viewBox="([^"]+)"/g),
    ].map((match) => match.slice(1, 3));
    expect(known.length).toBeGreaterThan(4);
    expect(known.sort()).toEqual(drawn.sort());
  });
});

describe("the icons", () => {
  const named = [
    ...read("app/components/ui/icon-names.ts").matchAll(/^ {2}\| "([a-z0-9-]+)"/gm),
  ].map((match) => match[1]!);
  const drawn = [...read("public/icons.svg").matchAll(/<symbol[^>]*\bid="([^"]+)"/g)].map(
    (match) => match[1]!,
  );

  it("that have a name are drawn, and those that are drawn have a name", () => {
    expect(named.length).toBeGreaterThan(20);
    // Besides the icons, the sprite holds the product's own mark.
    expect([...drawn].sort()).toEqual([...named, "mark"].sort());
  });
});
