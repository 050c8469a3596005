/**
 * Whatever owners, managers, and admins do with listings, in any order, also by hand at the data API: the public sees
 * what was approved, and nothing of what its owner hides or wants removed. APPROVED_SEED=7 chooses other steps.
 */
import { randomUUID } from "node:crypto";

import { expect, it } from "vitest";

import { timesTried } from "../support/nightly";
import { createRandom } from "../support/random";

import { as, createUser, startMigratedPostgres } from "./support/real-postgres";

type Columns = Record<string, unknown>;
type Listing = Columns & { status: string; hidden: boolean; last_update: Columns };

const SEED = Number(process.env["APPROVED_SEED"] ?? 3);
const STEPS = timesTried(600, 20_000);
const ACTIONS = ["approve", "approve", "approve", "reject", "reject", "flag", "archive", "reopen"];
const STATUSES = ["new", "flagged", "archived", "pending-update", "published"];

const { sql } = await startMigratedPostgres();
const random = createRandom(SEED);
const { pick, happens } = random;

async function addPerson(name: string) {
  const person = { id: randomUUID(), email: `${name}@example.test` };
  await createUser(sql, person.id, person.email);
  return person;
}
const owners = [await addPerson("ada"), await addPerson("ben")];
const manager = await addPerson("mo");
const admins = [await addPerson("kai"), await addPerson("lou")];
await sql`update public.profiles set admin = true where id = any (${admins.map(({ id }) => id)})`;
const listings = (
  await sql`
    insert into public.places (name, category, status, state, description, rawaddress, third_party_auth,
      certified_queer, owner, owner_email)
    select 'Café', 4, 'published', 'NM', 'Bread', '1 Main', true, true, o.id, o.email
    from unnest(${owners.map(({ id }) => id)}::uuid[], ${owners.map(({ email }) => email)}::text[]) o (id, email)
    returning id::int`
).map(({ id }) => id as number);
const onlineShops = (
  await sql`select id::int from public.categories where parent_category = 12 order by id limit 2`
).map(({ id }) => id as number);
const columns = (
  await sql`select name from private.listing_fields() f where f.public order by name`
).map(({ name }) => name as string);

/** A listing as it is stored, and as anyone sees it. */
async function read(id: number) {
  const [stored] = await sql`select to_jsonb(p) as row from public.places p where p.id = ${id}`;
  const [shown] =
    await sql`select to_jsonb(p) as row from public.public_places p where p.id = ${id}`;
  const row = stored!["row"] as Listing;
  return {
    row,
    shown: shown ? contentOf(shown["row"] as Columns) : null,
    stored: contentOf(row),
    /** What is shown of it unless it is hidden; null while it is off the directory. */
    approved: isApproved(row) ? contentOf({ ...row, ...row.last_update }) : null,
  };
}
const isApproved = ({ status }: Listing) => status === "published" || status === "pending-update";
const contentOf = (row: Columns) => JSON.stringify(columns.map((name) => row[name]));

let texts = 0;
/** What someone enters into some fields, or puts back. */
function edit({ last_update: live }: Listing): Columns {
  const category = pick([2, 4, 12, 14, Number(live["category"] ?? 4)]);
  return {
    ...(happens(0.5) ? { [pick(["name", "description", "phone"])]: `Text ${++texts}` } : {}),
    ...(happens(0.2) ? { online_categories: onlineShops.slice(0, pick([0, 1, 2])) } : {}),
    ...(happens(0.3) ? { category } : {}),
    ...(happens(0.3) ? { licensed_locations: ["NM"] } : {}),
    ...(happens(0.3) ? { queer_programming: true, mission_statement: true } : {}),
    ...(happens(0.2) ? live : {}),
  };
}
const switches = () =>
  pick<Columns>([{ hidden: true }, { hidden: false }, { archive_requested: true }, {}]);
/** What only admins may write. */
const forged = () =>
  pick<Columns>([{}, {}, { status: "published" }, { last_update: {} }, { owner: manager.id }]);

/** Writes columns as the data API does. */
const patch = (who: { id: string }, relation: string, id: number, sent: Columns) =>
  as(sql, who, async (db) => {
    const names = Object.keys(sent).map((name) => `"${name}"`);
    if (names.length === 0) return;
    await db.unsafe(
      `update public.${relation} p set (${names.join()}) = row(${names.map((name) => `r.${name}`).join()})
       from jsonb_populate_record(null::public.places, $1::text::jsonb) r where p.id = $2`,
      [JSON.stringify(sent), id],
    );
  });

/** Mostly the owner of a listing, and otherwise someone else. */
const ownerOf = ({ owner }: Listing) =>
  (happens(0.8) ? owners.find(({ id }) => id === owner) : undefined) ?? pick(owners);

const decided: { batch: string; admin: { id: string }; listing: number; action: string }[] = [];

/** Each is tried with any listing, by someone who may do it and someone who may not. */
const steps: Record<string, (id: number, row: Listing) => Promise<unknown>> = {
  "owner edits": (id, row) =>
    patch(ownerOf(row), "places", id, { ...edit(row), ...switches(), ...forged() }),
  "owner hides or shows": (id, row) => patch(ownerOf(row), "places", id, switches()),
  "manager edits": (id, row) =>
    patch(manager, "managed_places", id, { ...edit(row), ...switches(), ...forged() }),
  "owner puts all back": (id, row) =>
    happens(0.5) ? patch(ownerOf(row), "places", id, row.last_update) : Promise.resolve(),
  "account is deleted": async () => {
    if (happens(0.8)) return;
    const { id, email } = pick(owners);
    await as(sql, pick(admins), (db) => db`select public.admin_delete_user(${id})`);
    await createUser(sql, id, email);
  },
  "admin edits": (id, row) => patch(pick(admins), "places", id, edit(row)),
  "admin sets a status": (id, row) =>
    patch(pick(admins), "places", id, {
      ...(happens(0.3) ? edit(row) : {}),
      status: pick(STATUSES),
    }),
  "admin gives": async (id) => {
    if (happens(0.3)) await patch(pick(admins), "places", id, { owner: pick(owners).id });
  },
  "admin decides": async (id, row) => {
    const [batch, admin, action] = [randomUUID(), pick(admins), pick(ACTIONS)];
    const items = JSON.stringify([{ id, version: row["version"] }]);
    await as(
      sql,
      admin,
      (db) =>
        db`select public.decide_listings(${batch}, ${action}, 'Because', ${items}::text::jsonb)`,
    );
    decided.push({ batch, admin, listing: id, action });
  },
  "admin undoes": async (id) => {
    const last = decided.filter(({ listing }) => listing === id).at(-1);
    if (last) await as(sql, last.admin, (db) => db`select public.undo_decisions(${last.batch})`);
  },
};
const REFUSED = new Set(["P0001", "42501", "23514"]);

it("the public sees what was approved, whatever everyone does", async () => {
  const last = new Map<number, string>();
  const ever = new Set<string>();
  for (const id of listings) {
    last.set(id, (await read(id)).approved!);
    ever.add(last.get(id)!);
  }
  for (let n = 0; n < STEPS; n += 1) {
    if (n % 20 === 0) {
      await sql`delete from public.rate_limits`;
      await sql`
        insert into public.listing_managers (place_id, profile_id, invited_by)
        select p.id, ${manager.id}, p.owner from public.places p where p.owner is not null on conflict do nothing`;
    }
    const [id, name] = [pick(listings), pick(Object.keys(steps))];
    const before = await read(id);
    await steps[name]!(id, before.row).catch((error: Error & { code?: string }) => {
      if (!REFUSED.has(error.code ?? "")) throw error;
    });
    const after = await read(id);
    const what = `APPROVED_SEED=${SEED}, step ${n}: ${name}`;

    expect(after.shown, what).toBe(after.row.hidden ? null : after.approved);
    if (after.approved === null) continue;
    const byAdmin = name.startsWith("admin");
    if (!byAdmin) expect([what, after.approved]).toEqual([what, before.approved]);
    if (name === "admin gives") expect([what, after.approved]).toEqual([what, before.approved]);
    if (after.approved !== last.get(id) && !ever.has(after.approved))
      expect([what, after.approved]).toEqual([what, after.stored]);
    if (before.approved === null && name !== "admin undoes")
      expect([what, after.row["archive_requested"]]).toEqual([what, false]);
    last.set(id, after.approved);
    ever.add(after.approved);
  }
});
