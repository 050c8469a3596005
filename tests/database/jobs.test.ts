import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let place = 0;

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
  place = await database.place({ owner: owner.id });
});

const complete = { title: "Baker", category: 85, description: "Bake.", location: ["NM", "AZ"] };
async function job(columns: Row = {}): Promise<number> {
  const row: Row = { ...complete, location: "{NM}", place_id: place, owner: owner.id, ...columns };
  const names = Object.keys(row);
  const [made] = await sql(
    `insert into public.jobs (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")}) returning id`,
    Object.values(row),
  );
  return Number(made?.id);
}
const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();

describe("a new job", () => {
  it("is unpaid, unpublished and the sender's, whatever was sent along", async () => {
    const other = await database.person();
    for (const by of [owner, admin]) {
      await by.insert("jobs", {
        ...complete,
        place_id: by === owner ? place : null,
        company_name: "X",
        company_bio: "Y",
        city: by.email,
        paid: true,
        published: true,
        expiration_date: days(400),
        owner: other.id,
        owner_email: other.email,
        version: 9,
      });
      const [made] = await sql("select * from public.jobs where city = $1", [by.email]);
      expect(made).toMatchObject({ paid: false, published: false, expiration_date: null, version: 1 });
      // An admin may post for somebody else.
      expect(made).toMatchObject(
        by === owner ? { owner: owner.id, owner_email: owner.email } : { owner: other.id },
      );
    }
  });

  const refused: [string, object, string][] = [
    ["a category of listings", { category: 4 }, "P0001"],
    ["category 40 itself", { category: 40 }, "P0001"],
    ["no location", { location: [] }, "23514"],
    ["no title", { title: " " }, "23514"],
    ["no company and no listing", { place_id: null }, "23514"],
    ["a company without a bio", { place_id: null, company_name: "X" }, "23514"],
    ["an ally who does not say how it is safe", { ally_owned: true }, "23514"],
    ["a link that is none", { url: "javascript:alert(1)" }, "23514"],
  ];
  it.each(refused)("is refused with %s", async (_, fields, code) => {
    expect(await owner.insert("jobs", { ...complete, place_id: place, ...fields })).toMatchObject({ code });
  });

  it("is refused for somebody else's listing", async () => {
    const foreign = await database.place();
    expect(await owner.insert("jobs", { ...complete, place_id: foreign })).toMatchObject({
      code: "P0001",
      message: "Please choose one of your own listings.",
    });
  });
});

describe("publishing", () => {
  const publish = (by: Caller, id: number, published = true) =>
    by.update("jobs", `id=eq.${id}`, { published });

  it("needs payment", async () => {
    const id = await job();
    for (const by of [owner, admin]) {
      expect(await publish(by, id)).toMatchObject({
        code: "P0001",
        message: "This job is not paid for yet.",
      });
    }
    expect(await owner.update("jobs", `id=eq.${id}`, { paid: true, published: true })).toMatchObject({
      code: "P0001",
    });
    await expect(sql("update public.jobs set published = true where id = $1", [id])).rejects.toThrow(
      /job_is_paid_before/,
    );
  });

  it("goes off and on until the job expires", async () => {
    const id = await job({ paid: true, published: true, expiration_date: days(1) });
    await publish(owner, id, false);
    expect(await database.row("jobs", id)).toMatchObject({ published: false });
    await publish(owner, id);
    expect(await database.row("jobs", id)).toMatchObject({ published: true, version: 3 });
    const expired = await job({ paid: true, published: false, expiration_date: days(-0.001) });
    expect(await publish(owner, expired)).toMatchObject({
      code: "P0001",
      message: "This job listing has expired.",
    });
  });

  it("never moves the date of expiry, the payment or the owner by hand", async () => {
    const id = await job({ paid: true, published: true, expiration_date: days(1) });
    const before = await database.row("jobs", id);
    await owner.update("jobs", `id=eq.${id}`, {
      expiration_date: days(400),
      paid: false,
      owner: admin.id,
      owner_email: "x@y.z",
    });
    expect(await database.row("jobs", id)).toEqual(before);
  });
});

it("counts jobs by what they are now", async () => {
  await sql("delete from public.jobs");
  await job();
  await job({ paid: true, published: true, expiration_date: days(1) });
  await job({ paid: true, published: false, expiration_date: days(1) });
  await job({ paid: true, published: true, expiration_date: days(-1) });
  await job({ paid: true, published: false, expiration_date: days(-1) });
  expect((await admin.call("get_jobs_counts")).value).toEqual({
    total: 5,
    unpaid: 1,
    published: 1,
    unpublished: 1,
    expired: 2,
  });
});
