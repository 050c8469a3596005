/** Where people live roughly, for counting a listing's nearby users: it follows their postal code. */
import { expect, it } from "vitest";

import { accountForm, signUpForm } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const positionOf = async (id: unknown) =>
  (await world.sql("select lat, long from private.user_positions where user_id = $1", [id]))[0];
const save = (person: Member, postalcode: string) =>
  person.post(
    "/account",
    accountForm({ email: person.email, full_name: person.fullName, postalcode }),
  );

it("is known from the confirmation of the address on", async () => {
  const email = "portland@example.test";
  const visitor = world.anonymous();
  await visitor.post("/signup", signUpForm({ email, postalcode: "97214" }));
  const [made] = await world.sql(
    "select id from public.profiles where email = 'portland@example.test'",
  );
  expect(await positionOf(made?.id)).toBeUndefined();
  await world.mailAbout(email, "");
  const { token } = world.mail(email);
  await visitor.post("/confirm", { intent: "openLink", type: "email", token_hash: token });
  expect(await positionOf(made?.id)).toEqual({ lat: 45.5, long: -122.6 });
});

it.each([
  ["", "no postal code"],
  ["00000", "a code of nowhere"],
  ["SW1A 1AA", "a code of a country that is not known"],
])("is unknown for %j, %s", async (postalcode) => {
  const email = `nowhere-${postalcode.replace(/\W/g, "")}@example.test`;
  await world.anonymous().post("/signup", signUpForm({ email, postalcode }));
  const [made] = await world.sql("select id from public.profiles where email = lower($1)", [email]);
  expect(made?.id).toBeDefined();
  expect(await positionOf(made?.id)).toBeUndefined();
});

it("follows the postal code of a saved account, and is forgotten with it", async () => {
  const person = await world.owner();
  expect(await positionOf(person.id)).toBeUndefined();
  await save(person, "M5V 2T6");
  expect(await positionOf(person.id)).toMatchObject({
    lat: expect.closeTo(43.6, 0) as number,
    long: expect.closeTo(-79.4, 0) as number,
  });
  await save(person, "97214-1234");
  expect(await positionOf(person.id)).toMatchObject({ lat: 45.5 });
  await save(person, "SW1A 1AA");
  expect(await positionOf(person.id)).toBeUndefined();
  await save(person, "97214");
  await save(person, "");
  expect(await positionOf(person.id)).toBeUndefined();
});

it("counts in what the owner of a Featured listing nearby sees, from the next four weeks on", async () => {
  const [owner, person] = [await world.owner(), await world.owner()];
  const listing = await world.listing({ owner, premium: true, lat: 45.52, long: -122.68 });
  const counted = async () =>
    Number((await world.sql("select private.count_users_within(45.52, -122.68, 50) as n"))[0]?.n);
  const before = await counted();
  await save(person, "97214");
  expect(await counted()).toBe(before);
  await world.sql("update private.position_counts set week = week - 28");
  const after = await counted();
  expect(after).toBeGreaterThan(before);
  expect(await owner.page("/listings")).toSay("< 50");
  expect(listing.id).toBeGreaterThan(0);
  // Fewer than 50 are not shown by the database either.
  expect(await world.sql("select private.people_nearby(45.52, -122.68)::int as shown")).toEqual([
    { shown: 0 },
  ]);
});
