import { afterAll, expect, it } from "vitest";

import { listingForm } from "./forms";
import { startPostgres } from "./postgres";
import { createWorld } from "./world";

const postgres = await startPostgres();
const world = await createWorld({ engine: { kind: "postgres", url: await postgres.createDatabase() } });
// Registered last, so that it runs first: the world leaves before its database does.
afterAll(async () => {
  await world.supabase.stop();
  await postgres.stop();
});

it("runs on a real Postgres as it runs in memory", async () => {
  const [owner, admin] = [await world.owner(), await world.admin()];
  expect(await owner.post("/listings/new", listingForm({ name: "Café X" }))).toRedirectTo("/");
  expect(await owner.page("/listings")).toSay("Café X");
  expect(await admin.page("/admin/new")).toSay("Café X");
  expect(await owner.get("/admin")).toBeForbidden();
  await world.insert("feedback", { userid: owner.id, feedback: "Lovely" });
});
