/** The review desk of the directory’s admins. */
import { expect } from "playwright/test";

import { addListings, createAccount, dataApi, demo } from "../e2e/data-api";
import { LEFT_TOO_EARLY, signIn, test } from "./journey";

/** Adds listings of a state that no others are in, so that a filter finds these alone. */
async function addToQueue(names: readonly string[]) {
  const state = `D${process.pid}x${Date.now().toString(36)}`;
  await addListings(await createAccount("Sam Rivera"), names, { state });
  const admin = await dataApi(demo.admin);
  return {
    queue: `/admin/new?state=${state}&sort=name`,
    statuses: async () =>
      (await admin.get(`places?select=status&state=eq.${state}&order=name`)).map(
        ({ status }) => status,
      ),
  };
}

test("an admin approves a listing in its row, and undoes it", async ({ tab }) => {
  const { queue, statuses } = await addToQueue(["Row A", "Row B"]);
  await signIn(tab, demo.admin);
  await tab.open(queue);
  await tab.press("Approve: Row A");
  await tab.sees("“Row A” is approved.");
  expect(await statuses()).toEqual(["published", "new"]);
  await tab.press("Undo");
  await tab.sees("Undone. “Row A” is as it was before.");
  expect(await statuses()).toEqual(["new", "new"]);
});

test("an admin approves several listings at once, and undoes them", async ({ tab }) => {
  const { queue, statuses } = await addToQueue(["Desk A", "Desk B", "Desk C"]);
  await signIn(tab, demo.admin);
  await tab.open(queue);
  await tab.follow("Select all 3");
  await tab.hasChecked("Select Desk C");
  await tab.uncheck("Select Desk C");
  await tab.press("Approve");
  await tab.seesHeading("Approve 2 listings?");
  expect(await statuses()).toEqual(["new", "new", "new"]);
  await tab.press("Approve 2 listings");
  await tab.seesHeading("2 listings approved");
  expect(await statuses()).toEqual(["published", "published", "new"]);
  await tab.press("Undo");
  await tab.seesHeading("2 approvals undone");
  expect(await statuses()).toEqual(["new", "new", "new"]);
});

test("Back shows the rows that were selected, and never others in their place", async ({
  tab,
  way,
}) => {
  test.skip(way === "late", LEFT_TOO_EARLY);
  const { queue } = await addToQueue(["Desk A", "Desk B"]);
  await signIn(tab, demo.admin);
  await tab.open(queue);
  await tab.check("Select Desk B");
  await tab.hasLoaded();
  await tab.open("/admin");
  await tab.hasLoaded();
  await tab.back();
  await tab.hasChecked("Select Desk B");
  await tab.hasChecked("Select Desk A", false);
});
