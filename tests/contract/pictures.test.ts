import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { appRoutes } from "../support/app";

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

/** The pages that only an email, a form, or an account in a state of its own leads to. Journeys check them. */
const WITHOUT_PICTURE = [
  "/account/purchases/:plan/end",
  "/account/two-step/codes",
  "/account/two-step/new",
  "/admin/decisions/:batch",
  "/admin/payments/:order/end",
  "/confirm",
  "/listings/:id/leave",
  "/listings/:id/managers/:manager",
  "/listings/drafts/:draft/discard",
  "/login/code",
  "/recovery/new",
  "/resume",
  "/switch-account",
  "/unsubscribe",
];

/** Those with an id that is another one each time: a link leads to them. */
const FOLLOWED = ["/admin/payments/:order", "/leads/:id"];

it("takes a picture of every page that has an address", () => {
  const pages = appRoutes.filter(({ file }) => read(`app/${file}`).includes("export default"));
  expect(pages.length).toBeGreaterThan(50);
  const pictured = [...read("tests/visual/pages.spec.ts").matchAll(/path: "([^"?]+)/g)].map(
    ([, path]) => path!,
  );
  const missing = pages
    .map(({ path }) => path)
    .filter((path) => path !== "/design" && !path.includes("*"))
    .filter((path) => {
      const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`);
      return !pictured.some((one) => pattern.test(one));
    });
  expect(missing.sort()).toEqual([...WITHOUT_PICTURE, ...FOLLOWED].sort());
});
