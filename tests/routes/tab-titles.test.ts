import { expect, it } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();
const owner = await world.owner();
const admin = await world.admin();
const { id } = await world.listing({ owner, name: "Café X" });

it("tells tabs of the same kind of page apart by what each is about", async () => {
  const lead = (await world.insert("leads", {
    place_id: id,
    requester_name: "Sam",
    requester_email: "sam@example.test",
    message: "Hello",
  })) as { id: number };
  const titleOf = async (person: typeof owner, path: string) =>
    (await person.page(path)).title?.split(" · ")[0];
  expect(await titleOf(owner, `/listings/${id}/archive`)).toBe("Remove Café X");
  // Not the sender, whose name is nothing for people who look over a shoulder.
  expect(await titleOf(owner, `/leads/${lead.id}`)).toBe("Lead: Café X");
  expect(await titleOf(owner, "/account/purchases")).toBe("Purchases");
  expect(await titleOf(admin, `/admin/listings/${id}`)).toBe("Review: Café X");
  expect(await titleOf(admin, `/admin/listings/${id}/details`)).toBe("Details: Café X");
  expect(await titleOf(admin, "/admin/payments?month=2026-01")).toBe("Payments in January 2026");
});

it("names nothing in the tabs of someone in discreet mode", async () => {
  await owner.post("/privacy", { intent: "discreet" });
  const { title } = await owner.page(`/listings/${id}/archive`);
  expect(title).toContain("Remove a listing");
  expect(title).not.toContain("Café X");
});
