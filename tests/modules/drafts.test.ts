import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { createUserClient } = await import("~/integrations/supabase/clients.server");
const { discardDraft, draftOf, draftsOf, saveDraft } =
  await import("~/modules/listings/drafts.server");

/** The data client of a person, as a page of theirs has it. */
async function dbOf({ email, password }: Member) {
  const answer = await fetch(`${world.supabase.url}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: world.supabase.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return createUserClient(((await answer.json()) as { access_token: string }).access_token);
}

const owner = await world.owner();
const [db, otherDb] = [await dbOf(owner), await dbOf(await world.owner())];

it("comes back as it was typed, without tokens and what was left empty", async () => {
  const id = randomUUID();
  const typed = {
    name: 'Café "X" 🏳️‍🌈 </script>',
    licensed_locations: ["Ohio", "Utah"],
    description: "Two\nlines",
  };
  await saveDraft(db, id, {
    ...typed,
    csrf: "secret",
    intent: "later",
    submission_id: id,
    version: "3",
    url: "",
    none: undefined,
    deep: { a: 1 },
  });
  expect(await draftOf(db, id)).toEqual({
    id,
    fields: typed,
    updatedAt: expect.any(String) as string,
  });

  await saveDraft(db, id, { name: "Café Y" });
  expect((await draftOf(db, id))?.fields).toEqual({ name: "Café Y" });
});

it("is listed, the last touched first, with the name typed so far", async () => {
  await world.sql("delete from public.listing_drafts");
  const [first, second] = [randomUUID(), randomUUID()];
  await saveDraft(db, first, { name: "First" });
  await saveDraft(db, second, { description: "No name yet" });
  await saveDraft(db, first, { name: "First" });
  expect((await draftsOf(db)).map(({ id, name }) => ({ id, name }))).toEqual([
    { id: first, name: "First" },
    { id: second, name: "" },
  ]);
});

it("is nobody else's to read, save over or discard", async () => {
  const id = randomUUID();
  await saveDraft(db, id, { name: "Mine" });
  expect(await draftOf(otherDb, id)).toBeNull();
  await expect(saveDraft(otherDb, id, { name: "Theirs" })).rejects.toMatchObject({
    failure: "denied",
  });
  await discardDraft(otherDb, id);
  expect((await draftOf(db, id))?.fields).toEqual({ name: "Mine" });
});

it("is gone once it is discarded, and discarding it again is nothing", async () => {
  const id = randomUUID();
  await saveDraft(db, id, { name: "Gone soon" });
  await discardDraft(db, id);
  await discardDraft(db, id);
  expect(await draftOf(db, id)).toBeNull();
});

it.each(["", "1", "x".repeat(36), null, undefined, "00000000-0000-0000-0000-000000000000,id.gt.0"])(
  "has no id %s",
  async (id) => {
    expect(await draftOf(db, id)).toBeNull();
  },
);

it("says in words what cannot be kept", async () => {
  await expect(
    saveDraft(db, randomUUID(), { description: "x".repeat(70_000) }),
  ).rejects.toMatchObject({
    failure: "refused",
    message: "This is too long to be kept as a draft. Please shorten the longest text.",
  });
});
