import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const { createUserClient } = await import("~/integrations/supabase/clients.server");
const { discardDraft, getDraft, saveDraft } = await import("~/modules/listings/drafts.server");

/** The data client of a user, as their pages have it. */
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

it("restores a draft as typed, without tokens and empty fields", async () => {
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
  expect(await getDraft(db, id)).toEqual({
    id,
    fields: typed,
    updatedAt: expect.any(String) as string,
  });

  await saveDraft(db, id, { name: "Café Y" });
  expect((await getDraft(db, id))?.fields).toEqual({ name: "Café Y" });
});

it("keeps other users from reading, replacing, or discarding a draft", async () => {
  const id = randomUUID();
  await saveDraft(db, id, { name: "Mine" });
  expect(await getDraft(otherDb, id)).toBeNull();
  await expect(saveDraft(otherDb, id, { name: "Theirs" })).rejects.toMatchObject({
    failure: "denied",
  });
  await discardDraft(otherDb, id);
  expect((await getDraft(db, id))?.fields).toEqual({ name: "Mine" });
});

it("saves what is typed at the address of someone else's form, where Back leads on a shared computer, as a draft of its own", async () => {
  const [id, tab] = [randomUUID(), randomUUID()];
  await saveDraft(db, id, { name: "Mine" });
  // While they type, and when they choose "Finish later".
  await saveDraft(otherDb, id, { name: "The" }, { expires: true, tab });
  await saveDraft(otherDb, id, { name: "Theirs" }, { tab });
  const { data } = await otherDb.from("listing_drafts").select("fields, expires");
  expect(data).toEqual([{ fields: { name: "Theirs", tab }, expires: false }]);
  expect((await getDraft(db, id))?.fields).toEqual({ name: "Mine" });
});

it("discards a draft, and ignores a second discard", async () => {
  const id = randomUUID();
  await saveDraft(db, id, { name: "Gone soon" });
  await discardDraft(db, id);
  await discardDraft(db, id);
  expect(await getDraft(db, id)).toBeNull();
});

it.each(["", "1", "x".repeat(36), null, undefined, "00000000-0000-0000-0000-000000000000,id.gt.0"])(
  "finds no draft with the id %s",
  async (id) => {
    expect(await getDraft(db, id)).toBeNull();
  },
);

it("refuses a draft that is too long, with a code", async () => {
  await expect(
    saveDraft(db, randomUUID(), { description: "x".repeat(70_000) }),
  ).rejects.toMatchObject({
    failure: "refused",
    reason: "draft_too_long",
  });
});
