/**
 * The address of an account on its listings and jobs, when it changes in the same moment as their owner. The copy is
 * never left with the old address: the next holder of that mailbox must not be known by it.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { doMeanwhile } from "./support/after-waiting";
import { startDirectory } from "./support/directory-at-work";
import { as, createUser, inTransaction } from "./support/real-postgres";

const { sql, admin, owner, places } = await startDirectory();
type Sql = typeof sql;

async function someone() {
  const id = randomUUID();
  const email = `${id}@example.test`;
  await createUser(sql, id, email);
  return { id, email, next: `new-${email}` };
}
type Person = Awaited<ReturnType<typeof someone>>;

/** As the auth service does, once both mailboxes have confirmed it. */
const changeAddress = (db: Sql, { id, next }: Person) =>
  db`update auth.users set email = ${next} where id = ${id}`;

async function addJob(columns: Record<string, unknown>): Promise<number> {
  const job = {
    title: "Baker",
    category: 85,
    description: "Bread",
    location: "{NM}",
    company_name: "Fern",
    company_bio: "Bakery",
    ...columns,
  };
  const [added] = await sql`insert into public.jobs ${sql(job)} returning id`;
  return Number(added!["id"]);
}

/** What gives someone a listing or a job, and where its copy of their address is then. */
interface Gain {
  by: "the person" | "an admin";
  prepare: (person: Person) => Promise<number>;
  gain: (db: Sql, person: Person, id: number) => PromiseLike<unknown>;
  table: "places" | "jobs";
}
const ofTheOwner = async () => (await places(1, "published"))[0]!;
const nothing = () => Promise.resolve(0);

const gains: Record<string, Gain> = {
  "a listing that an admin gives them": {
    by: "an admin",
    prepare: ofTheOwner,
    gain: (db, { id }, place) => db`update public.places set owner = ${id} where id = ${place}`,
    table: "places",
  },
  "a paid job of such a listing": {
    by: "an admin",
    prepare: async () =>
      addJob({
        place_id: await ofTheOwner(),
        owner: owner.id,
        owner_email: "owner@example.test",
        paid: true,
        expiration_date: "2100-01-01",
      }),
    gain: (db, { id }, job) =>
      db`update public.places set owner = ${id} where id = (select place_id from public.jobs where id = ${job})`,
    table: "jobs",
  },
  "a job that an admin gives them": {
    by: "an admin",
    prepare: () => addJob({ owner: owner.id, owner_email: "owner@example.test" }),
    gain: (db, { id }, job) => db`update public.jobs set owner = ${id} where id = ${job}`,
    table: "jobs",
  },
  "a listing that they add": {
    by: "the person",
    prepare: nothing,
    gain: (db) => db`
      insert into public.places (name, category, description, rawaddress, third_party_auth, certified_queer)
      values ('Café', 4, 'Bread', '1 Main', true, true)`,
    table: "places",
  },
  "a job that they add": {
    by: "the person",
    prepare: nothing,
    gain: (db) => db`
      insert into public.jobs (title, category, description, location, company_name, company_bio)
      values ('Baker', 85, 'Bread', '{NM}', 'Fern', 'Bakery')`,
    table: "jobs",
  },
};

const actor = ({ by }: Gain, person: Person) => (by === "an admin" ? admin : person);
const addressesOf = async (table: string, { id }: Person) =>
  (await sql`select owner_email from ${sql(`public.${table}`)} where owner = ${id}`).map(
    (row) => row["owner_email"] as string,
  );

it.each(Object.keys(gains))(
  "%s has the address that they are changing to, or isn’t theirs",
  async (name) => {
    const what = gains[name]!;
    const person = await someone();
    const id = await what.prepare(person);
    const outcome = await doMeanwhile(
      sql,
      (meanwhile) =>
        inTransaction(sql, async (db) => {
          await changeAddress(db, person);
          await meanwhile();
        }),
      () => as(sql, actor(what, person), async (db) => what.gain(db, person, id)),
    );
    if (what.by === "the person") {
      // The change has ended their session.
      expect(outcome).toBe("rights_ended");
      expect(await addressesOf(what.table, person)).toEqual([]);
      return;
    }
    expect(outcome).toBe(1);
    expect(await addressesOf(what.table, person)).toEqual([person.next]);
  },
);

it.each(Object.keys(gains))("%s has the address that they change to meanwhile", async (name) => {
  const what = gains[name]!;
  const person = await someone();
  const id = await what.prepare(person);
  const outcome = await doMeanwhile(
    sql,
    (meanwhile) =>
      as(sql, actor(what, person), async (db) => {
        await what.gain(db, person, id);
        await meanwhile();
      }),
    () => inTransaction(sql, async (db) => changeAddress(db, person)),
  );
  expect(outcome).toBe(1);
  expect(await addressesOf(what.table, person)).toEqual([person.next]);
});

async function listingToClaim({ email }: Person): Promise<number> {
  const [listing] = await sql`
    insert into public.places (name, category, status, state, description, rawaddress, third_party_auth, certified_queer, owner_email)
    values ('Café', 4, 'published', 'NM', 'Bread', '1 Main', true, true, ${email}) returning id`;
  return Number(listing!["id"]);
}
const claim = (db: Sql, id: number) => db`update public.places set phone = '1' where id = ${id}`;

it("no one claims a listing by the address that they are giving up", async () => {
  const person = await someone();
  const id = await listingToClaim(person);
  const outcome = await doMeanwhile(
    sql,
    (meanwhile) =>
      inTransaction(sql, async (db) => {
        await changeAddress(db, person);
        await meanwhile();
      }),
    () => as(sql, person, async (db) => claim(db, id)),
  );
  expect(outcome).toBe("rights_ended");
  expect(await addressesOf("places", person)).toEqual([]);
});

it("a claimed listing has the address that its new owner changes to meanwhile", async () => {
  const person = await someone();
  const id = await listingToClaim(person);
  const outcome = await doMeanwhile(
    sql,
    (meanwhile) =>
      as(sql, person, async (db) => {
        await claim(db, id);
        await meanwhile();
      }),
    () => inTransaction(sql, async (db) => changeAddress(db, person)),
  );
  expect(outcome).toBe(1);
  expect(await addressesOf("places", person)).toEqual([person.next]);
});

it("no one holds the address of someone else", async () => {
  const [person, other] = [await someone(), await someone()];
  await as(sql, person, async (db) => {
    for (const { id } of [person, other]) await db`select private.hold_account_email(${id})`;
    const change = (id: string) =>
      sql`select from public.profiles where id = ${id} for no key update nowait`;
    await expect(change(person.id)).rejects.toThrow("could not obtain lock");
    expect(await change(other.id)).toHaveLength(1);
  });
});
