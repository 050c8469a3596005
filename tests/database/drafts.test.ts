import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";

import { type Caller, completeListing, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let other: Caller;

beforeEach(async () => {
  owner = await database.person();
  other = await database.person();
});

const save = (by: Caller, id: string, fields: object = { name: "Café X" }) =>
  by.insert("listing_drafts", { id, fields });
const readDrafts = (by: Caller) =>
  sql("select id, fields from public.listing_drafts where owner = $1", [by.id]);

describe("a draft", () => {
  it("belongs to the user who saves it, whatever else was sent", async () => {
    const id = randomUUID();
    await owner.insert("listing_drafts", {
      id,
      fields: {},
      owner: other.id,
      created_at: "2001-01-01",
      updated_at: "2001-01-01",
    });
    expect(await readDrafts(other)).toEqual([]);
    const [made] = await sql(
      "select owner, created_at > now() - interval '1 minute' as fresh, updated_at >= created_at as touched from public.listing_drafts where id = $1",
      [id],
    );
    expect(made).toEqual({ owner: owner.id, fresh: true, touched: true });
  });

  it("can't change its owner or its id", async () => {
    const id = randomUUID();
    await save(owner, id);
    await owner.update("listing_drafts", `id=eq.${id}`, {
      owner: other.id,
      id: randomUUID(),
      fields: { name: "Mine" },
    });
    expect(await readDrafts(owner)).toEqual([{ id, fields: { name: "Mine" } }]);
  });

  it("holds 64 KB and refuses more with a sentence", async () => {
    const filled = (bytes: number) => ({ text: "x".repeat(bytes - '{"text": ""}'.length) });
    expect(await save(owner, randomUUID(), filled(65_536))).toMatchObject({ status: 201 });
    const refused = await save(owner, randomUUID(), filled(65_537));
    expect(refused).toMatchObject({
      code: "P0001",
      message: "draft_too_long",
    });
    // The limit counts bytes, not characters.
    expect(await save(owner, randomUUID(), { text: "é".repeat(40_000) })).toMatchObject({
      code: "P0001",
    });
  });

  it.each([
    ["a list", []],
    ["text", "x"],
    ["a number", 1],
    ["nothing", null],
  ])("is refused if its fields are %s", async (_name, fields) => {
    const answer = await owner.insert("listing_drafts", { id: randomUUID(), fields });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await readDrafts(owner)).toEqual([]);
  });

  it("is refused as the 21st, while the other twenty can still be saved", async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    for (const id of ids) expect(await save(owner, id)).toMatchObject({ status: 201 });
    expect(await save(owner, randomUUID())).toMatchObject({
      code: "P0001",
      message: "too_many_drafts",
    });
    await owner.update("listing_drafts", `id=eq.${ids[0]}`, { fields: { name: "Changed" } });
    expect(await readDrafts(owner)).toContainEqual({ id: ids[0], fields: { name: "Changed" } });
    await owner.remove("listing_drafts", `id=eq.${ids[1]}`);
    expect(await save(owner, randomUUID())).toMatchObject({ status: 201 });
    expect(await save(other, randomUUID())).toMatchObject({ status: 201 });
  });

  it("is deleted with its account", async () => {
    await save(owner, randomUUID());
    await sql("delete from auth.users where id = $1", [owner.id]);
    expect(await readDrafts(owner)).toEqual([]);
  });
});

describe("the listing of a draft", () => {
  it("deletes its draft and no other", async () => {
    const [id, kept] = [randomUUID(), randomUUID()];
    await save(owner, id);
    await save(owner, kept);
    expect(await owner.insert("places", { ...completeListing, submission_id: id })).toMatchObject({
      status: 201,
    });
    expect(await readDrafts(owner)).toMatchObject([{ id: kept }]);
  });

  it("leaves its draft alone if it is refused", async () => {
    const id = randomUUID();
    await save(owner, id);
    expect(
      await owner.insert("places", { ...completeListing, description: "", submission_id: id }),
    ).toMatchObject({ code: "P0001" });
    expect(await readDrafts(owner)).toMatchObject([{ id }]);
  });

  it("leaves the draft of another user alone", async () => {
    const id = randomUUID();
    await save(owner, id);
    await other.insert("places", { ...completeListing, submission_id: id });
    expect(await readDrafts(owner)).toMatchObject([{ id }]);
  });

  it("can't be saved as a draft again after it was submitted", async () => {
    const id = randomUUID();
    await owner.insert("places", { ...completeListing, submission_id: id });
    expect(await save(owner, id)).toMatchObject({
      code: "P0001",
      message: "draft_already_submitted",
    });
    expect(await readDrafts(owner)).toEqual([]);
  });
});
