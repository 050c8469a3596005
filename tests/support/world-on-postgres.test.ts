import { afterAll, expect, it } from "vitest";

import { listingForm } from "./forms";
import { startPostgres } from "./postgres";
import { createWorld } from "./world";

const postgres = await startPostgres();
const world = await createWorld({
  engine: { kind: "postgres", url: await postgres.createDatabase() },
});
// Registered last, so that it runs first: the world ends before its database.
afterAll(async () => {
  await world.supabase.stop();
  await postgres.stop();
});

it("runs on a real Postgres as in memory", async () => {
  const [owner, admin] = [await world.owner(), await world.admin()];
  expect(await owner.post("/listings/new", listingForm({ name: "Café X" }))).toRedirectTo("/");
  expect(await owner.page("/listings")).toSay("Café X");
  expect(await admin.page("/admin/new")).toSay("Café X");
  expect(await owner.get("/admin")).toBeForbidden();
  await world.insert("feedback", { userid: owner.id, feedback: "Lovely" });
  const [{ id }] = (await world.sql("select id from public.places where name = 'Café X'")) as [
    { id: number },
  ];
  const { location } = await admin.post(`/admin/listings/${id}/details`, {
    intent: "approve",
    version: "1",
  });
  expect((await admin.page(location!)).heading).toBe("Approved 1");
  await owner.post("/listings/new", {
    name: "Half a",
    submission_id: "0b0e9d0c-4c1f-4d43-9a39-5a1f2ab7a0c1",
    intent: "draft",
  });
  expect(
    (await owner.page("/listings/new?draft=0b0e9d0c-4c1f-4d43-9a39-5a1f2ab7a0c1")).value("name"),
  ).toBe("Half a");
});
