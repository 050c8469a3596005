import { expect, it } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();

it.each([
  ["(415) 555-2671", "United States (+1)", true],
  ["020 7946 0018", "united kingdom", true],
  ["+44 20 7946 0018", "", true],
  ["(415) 555-2671", "United Kingdom (+44)", false],
  ["(415) 555-2671", "", false],
  ["12", "US", false],
  ["", "US", false],
])("says whether a phone number is valid: %s in %s", async (phone, phone_country, valid) => {
  for (const person of [world.anonymous(), await world.owner()]) {
    const answer = await person.post("/phone-check", { phone, phone_country });
    expect(answer).toHaveStatus(200);
    expect(answer.data).toEqual({ valid });
  }
});

it("has nothing to say to another site's form, and an end", async () => {
  const number = { phone: "(415) 555-2671", phone_country: "US" };
  const foreign = await world
    .anonymous()
    .post("/phone-check", number, { origin: "https://evil.example", secFetchSite: "cross-site" });
  expect(foreign).toHaveStatus(403);
  const person = world.anonymous();
  expect(await person.post("/phone-check", number)).toHaveStatus(200);
  await world.sql("update public.rate_limits set hits = 299");
  expect(await person.post("/phone-check", number)).toHaveStatus(200);
  const last = await person.post("/phone-check", number);
  expect(last).toHaveStatus(429);
  expect(last.data).toEqual({ valid: false });
});
