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

it("a form that was kept for an hour is deleted with the next one that is kept", async () => {
  await sql(
    "insert into public.form_stash (id, sealed, expires_at) values (gen_random_uuid(), 'x', now() - interval '1 second')",
  );
  const id = randomUUID();
  expect((await database.service.insert("form_stash", { id, sealed: "y" })).status).toBe(201);
  expect(await sql("select id from public.form_stash")).toEqual([{ id }]);
});

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

describe("a draft of a form that is not a new listing's", () => {
  const type = (by: Caller, form: string, fields: object = { name: "Typed" }) =>
    by.insert("listing_drafts", { form, fields });
  const formsOf = async (by: Caller) =>
    (await sql("select form from public.listing_drafts where owner = $1", [by.id])).map(
      ({ form }) => form,
    );

  it("is one for each form and user, which expires whatever was sent", async () => {
    await owner.insert("listing_drafts", { form: "/listings/7", fields: {}, expires: false });
    expect(await type(owner, "/listings/7")).toMatchObject({ code: "23505" });
    expect(await type(other, "/listings/7")).toMatchObject({ status: 201 });
    const [made] = await sql(
      "select form, expires, updated_at from public.listing_drafts where owner = $1",
      [owner.id],
    );
    expect(made).toMatchObject({ form: "/listings/7", expires: true });
    await owner.update("listing_drafts", "form=eq./listings/7", {
      form: "/jobs/new",
      expires: false,
    });
    const [changed] = await sql(
      "select form, expires from public.listing_drafts where owner = $1",
      [owner.id],
    );
    expect(changed).toEqual({ form: "/listings/7", expires: true });
  });

  it("is one for each new job, by the id of its form", async () => {
    const [one, other] = [`/jobs/new?draft=${randomUUID()}`, `/jobs/new?draft=${randomUUID()}`];
    for (const form of [one, other]) expect(await type(owner, form)).toMatchObject({ status: 201 });
    expect(await type(owner, one)).toMatchObject({ code: "23505" });
    expect((await formsOf(owner)).sort()).toEqual([one, other].sort());
  });

  it.each([
    "",
    "/jobs/new?draft=1",
    "/jobs/new?like=1",
    "/account",
    "/listings/0",
    "/listings/1\n",
    "listings/1",
    "/jobs/1/status",
    "/admin",
  ])("is refused for the page %j", async (form) => {
    expect((await type(owner, form)).status).toBeGreaterThanOrEqual(400);
    expect(await formsOf(owner)).toEqual([]);
  });

  it("is read, changed, and deleted by its user alone, and not by an admin", async () => {
    await type(owner, "/jobs/new");
    const admin = await database.person({ admin: true, secondStep: true });
    for (const by of [other, admin]) {
      expect((await by.select("listing_drafts", "form=eq./jobs/new")).rows).toEqual([]);
      await by.update("listing_drafts", "form=eq./jobs/new", { fields: { name: "Theirs" } });
      await by.remove("listing_drafts", "form=eq./jobs/new");
    }
    expect(await readDrafts(owner)).toMatchObject([{ fields: { name: "Typed" } }]);
  });

  it("counts among the twenty", async () => {
    for (let id = 1; id <= 20; id++) await type(owner, `/listings/${id}`);
    expect(await type(owner, "/listings/21")).toMatchObject({ message: "too_many_drafts" });
    expect(await save(owner, randomUUID())).toMatchObject({ message: "too_many_drafts" });
  });

  it("is gone when its user stops managing or owning the listing", async () => {
    const place = await database.place({ owner: owner.id });
    const page = `/listings/${place}`;
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      place,
      other.id,
    ]);
    await type(other, page);
    await type(other, "/listings/1");
    await type(owner, page);
    await sql("delete from public.listing_managers where place_id = $1", [place]);
    expect(await formsOf(other)).toEqual(["/listings/1"]);
    expect(await formsOf(owner)).toEqual([page]);
    await sql("update public.places set owner = $2 where id = $1", [place, other.id]);
    expect(await formsOf(owner)).toEqual([]);
  });
});

describe("a draft that was saved while someone typed", () => {
  const expiring = (by: Caller, id: string) =>
    by.insert("listing_drafts", { id, fields: {}, expires: true });
  async function age(id: string, interval: string) {
    await sql("alter table public.listing_drafts disable trigger t1_guard");
    await sql("update public.listing_drafts set updated_at = now() - $2::interval where id = $1", [
      id,
      interval,
    ]);
    await sql("alter table public.listing_drafts enable trigger t1_guard");
  }

  it("is deleted a week after it changed last, and the others are not", async () => {
    const [old, recent, wanted] = [randomUUID(), randomUUID(), randomUUID()];
    await expiring(owner, old);
    await expiring(owner, recent);
    await save(owner, wanted);
    await age(old, "169 hours");
    await age(recent, "167 hours");
    await age(wanted, "1 year");
    await database.service.call("due_deletions");
    expect((await readDrafts(owner)).map(({ id }) => id).sort()).toEqual([recent, wanted].sort());
  });

  it("stays for good once its user asks to save it, also while they go on typing", async () => {
    const id = randomUUID();
    await expiring(owner, id);
    await owner.update("listing_drafts", `id=eq.${id}`, { expires: false });
    await owner.update("listing_drafts", `id=eq.${id}`, { expires: true, fields: { name: "On" } });
    expect(
      await sql("select expires, fields from public.listing_drafts where id = $1", [id]),
    ).toEqual([{ expires: false, fields: { name: "On" } }]);
  });
});
