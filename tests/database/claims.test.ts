/** A listing without an owner belongs to whoever proves its owner_email: by a confirmed account. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase();

async function unclaimed(owner_email: string, columns = {}) {
  return database.place({ owner: null, owner_email, ...columns });
}

it("is seen, edited and claimed by its confirmed address, in any spelling", async () => {
  const person = await database.person({ email: "Ana@Claims.test" });
  const id = await unclaimed("ana@claims.TEST ");
  expect((await person.select("places", `id=eq.${id}`)).rows).toMatchObject([
    { owner: null, owner_email: "ana@claims.test" },
  ]);
  await person.update("places", `id=eq.${id}`, { name: "Mine" });
  expect(await database.row("places", id)).toMatchObject({
    owner: person.id,
    status: "pending-update",
    last_update: { name: "Café X" },
  });
});

it("is claimed by a save that changes nothing else, and stays live", async () => {
  const person = await database.person({ email: "bo@claims.test" });
  const id = await unclaimed("bo@claims.test");
  await person.update("places", `id=eq.${id}`, { name: "Café X" });
  expect(await database.row("places", id)).toMatchObject({
    owner: person.id,
    status: "published",
    last_update: {},
  });
});

it("stays closed to an account that never confirmed the address", async () => {
  const impostor = await database.person({ email: "victim@claims.test", confirmed: false });
  const id = await unclaimed("victim@claims.test");
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
  expect((await impostor.update("places", `id=eq.${id}`, { name: "Mine" })).rows).toEqual([]);
  expect(await database.row("places", id)).toMatchObject({ owner: null, name: "Café X" });
});

it("stays closed to a profile that merely says the address", async () => {
  const impostor = await database.person();
  const id = await unclaimed("carla@claims.test");
  await impostor.update("profiles", `id=eq.${impostor.id}`, { email: "carla@claims.test" });
  expect(await database.row("profiles", impostor.id)).toMatchObject({ email: impostor.email });
  // Not even when the copy in the profile says so.
  await database.sql("update public.profiles set email = 'carla@claims.test' where id = $1", [
    impostor.id,
  ]);
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
});

it("stays closed to a change of address that is not confirmed yet", async () => {
  const impostor = await database.person();
  await database.sql("update auth.users set email_change = 'dee@claims.test' where id = $1", [
    impostor.id,
  ]);
  const id = await unclaimed("dee@claims.test");
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
});

it("ends once there is an owner, though the address matches", async () => {
  const first = await database.person();
  const second = await database.person({ email: "eve@claims.test" });
  const id = await unclaimed("eve@claims.test", { owner: first.id });
  expect((await second.select("places", `id=eq.${id}`)).rows).toEqual([]);
  expect((await second.update("places", `id=eq.${id}`, { name: "Mine" })).rows).toEqual([]);
});

it("needs an address at all: accounts without one match nothing", async () => {
  const person = await database.person({ email: "" });
  const id = await database.place({ owner: null, owner_email: null });
  expect((await person.select("places", `id=eq.${id}`)).rows).toEqual([]);
});
