/** Claiming a listing that has no owner, with a confirmed account for its owner_email. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase();

async function unclaimed(owner_email: string, columns = {}) {
  return database.place({ owner: null, owner_email, ...columns });
}

it("lets the confirmed account of its address read, edit, and claim it, in any letter case", async () => {
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

it("is claimed by a save that changes nothing, and stays live", async () => {
  const person = await database.person({ email: "bo@claims.test" });
  const id = await unclaimed("bo@claims.test");
  await person.update("places", `id=eq.${id}`, { name: "Café X" });
  expect(await database.row("places", id)).toMatchObject({
    owner: person.id,
    status: "published",
    last_update: {},
  });
});

it("is hidden from an account that never confirmed the address", async () => {
  const impostor = await database.person({ email: "victim@claims.test", confirmed: false });
  const id = await unclaimed("victim@claims.test");
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
  expect((await impostor.update("places", `id=eq.${id}`, { name: "Mine" })).rows).toEqual([]);
  expect(await database.row("places", id)).toMatchObject({ owner: null, name: "Café X" });
});

it("is hidden from an account whose profile merely has the address", async () => {
  const impostor = await database.person();
  const id = await unclaimed("carla@claims.test");
  await impostor.update("profiles", `id=eq.${impostor.id}`, { email: "carla@claims.test" });
  expect(await database.row("profiles", impostor.id)).toMatchObject({ email: impostor.email });
  // The profile is a copy: even a changed copy does not count.
  await database.sql("update public.profiles set email = 'carla@claims.test' where id = $1", [
    impostor.id,
  ]);
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
});

it("is hidden from an account whose change to that address is not confirmed yet", async () => {
  const impostor = await database.person();
  await database.sql("update auth.users set email_change = 'dee@claims.test' where id = $1", [
    impostor.id,
  ]);
  const id = await unclaimed("dee@claims.test");
  expect((await impostor.select("places", `id=eq.${id}`)).rows).toEqual([]);
});

it("can't be claimed once it has an owner, though the address matches", async () => {
  const first = await database.person();
  const second = await database.person({ email: "eve@claims.test" });
  const id = await unclaimed("eve@claims.test", { owner: first.id });
  expect((await second.select("places", `id=eq.${id}`)).rows).toEqual([]);
  expect((await second.update("places", `id=eq.${id}`, { name: "Mine" })).rows).toEqual([]);
  // Nor by a change of all that they may change, which asks for no right to read.
  expect(await second.update("places", "", { name: "Mine" })).toMatchObject({
    status: 204,
    rows: [],
  });
});

it("does not match an account without an address to a listing without one", async () => {
  const person = await database.person({ email: "" });
  const id = await database.place({ owner: null, owner_email: null });
  expect((await person.select("places", `id=eq.${id}`)).rows).toEqual([]);
});
