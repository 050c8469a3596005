import { expect, it } from "vitest";

import { createWorld } from "./world";

const started = performance.now();
const world = await createWorld();
console.log("world", performance.now() - started);

it("x", async () => {
  let t = performance.now();
  const owner = await world.owner({ fullName: "Zoë" });
  console.log("owner", performance.now() - t);
  t = performance.now();
  const a = await owner.page("/login");
  console.log(performance.now() - t, a.status, a.location, a.text, a.title, a.rounds);
  const place = await world.listing({ owner });
  console.log(place);
  const admin = await world.admin();
  expect(admin.id).toBeTruthy();
});
