/**
 * What another account can do with everything that is an owner's: read it, change it, delete it, add to
 * it in their name, or ask a function about it. The tables, views, functions, and columns come from the
 * catalog, so new ones are tried without being named here.
 */
import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";
import { beforeAll, describe, expect, it } from "vitest";

import { isNightly } from "../support/nightly";
import { createEverything, type Everything, SECRET, UNCLAIMED_EMAIL } from "./support/everything";
import { as, createUser, startMigratedPostgres } from "./support/real-postgres";
import { lostRows, rowsOfOthers } from "./support/rows-of-others";

const { sql } = await startMigratedPostgres();
const admin = { id: randomUUID() };
/** Owns nothing but the account. */
const other = { id: randomUUID() };
/** Signed up with the address of an unclaimed listing, and has not confirmed it. */
const unconfirmed = { id: randomUUID() };
let everything: Everything;

/** Tables without a row about anyone: they count, or are the directory's own. */
const IMPERSONAL = [
  "categories",
  "private.counters",
  "private.decision_rows",
  "private.position_counts",
  "private.nearby_secret",
  "private.place_view_weeks",
  "private.returned_refunds",
  "private.settings",
  "place_views",
  "place_stats",
  "rate_limits",
  "sponsorship_dates",
  "audit_log",
];
/** Everyone has a row of these. */
const OWN_PROFILE = ["profiles"];
/** What anyone may add to a listing. */
const OPEN_TO_ALL = ["leads", "events", "favorites"];

beforeAll(async () => {
  await createUser(sql, admin.id, "admin@example.test");
  await createUser(sql, other.id, "other@example.test");
  everything = await createEverything(sql, admin);
  await createUser(sql, unconfirmed.id, UNCLAIMED_EMAIL);
  await sql`update auth.users set email_confirmed_at = null where id = ${unconfirmed.id}`;
});

/** Triggers check rights as well; without them, the policies alone have to hold. */
const LAYERS = ["with its triggers", "by its policies alone"] as const;
type Layer = (typeof LAYERS)[number];

const strangers = [
  ["another owner", other],
  // May do less than another owner.
  ...(isNightly ? [["an account whose address is not confirmed", unconfirmed] as const] : []),
] as const;

const relations = (
  await sql`
    select c.oid::regclass::text as name, c.relkind = 'r' as is_table, c.relnamespace = 'public'::regnamespace as exposed
    from pg_class c where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind in ('r', 'v')
    order by 1`
).map((row) => ({
  name: String(row["name"]),
  isTable: Boolean(row["is_table"]),
  exposed: Boolean(row["exposed"]),
}));

const functions = (
  await sql`
    select p.proname as name, p.oid::regprocedure::text as signature,
      coalesce((select array_agg(format_type(t, null) order by n) from unnest(p.proargtypes) with ordinality a (t, n)), '{}') as types
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
    order by 2`
).map((row) => ({
  name: String(row["name"]),
  signature: String(row["signature"]),
  types: row["types"] as string[],
}));

it("every table has a row about the owner here, unless it is about no one", async () => {
  const empty: string[] = [];
  for (const { name, isTable } of relations) {
    if (!isTable || IMPERSONAL.includes(name)) continue;
    const [found] = await sql.unsafe(`select exists (select from ${name}) as any`);
    if (!found!["any"]) empty.push(name);
  }
  expect(empty, "Add a row for these in tests/database/support/everything.ts.").toEqual([]);
});

describe.each(strangers)("%s", (_, stranger) => {
  it.each(relations.filter(({ exposed }) => exposed).map(({ name }) => name))(
    "reads nothing of the owner's in %s that is not public",
    async (relation) => {
      const columns = await sql`
        select a.attname as name from pg_attribute a where a.attrelid = ${relation}::regclass and a.attnum > 0
          and not a.attisdropped and has_column_privilege('authenticated', a.attrelid, a.attnum, 'select')`;
      if (columns.length === 0) return;
      const list = columns.map(({ name }) => `"${String(name)}"`).join(", ");
      const rows = await as(sql, stranger, (db) => db.unsafe(`select ${list} from ${relation}`));
      expectNothingOf(JSON.stringify(rows), relation);
    },
  );

  it.each(relations.filter(({ exposed, isTable }) => exposed && isTable).map(({ name }) => name))(
    "changes and deletes nothing of the owner's in %s",
    async (table) => {
      const columns = await sql`
        select a.attname as name, exists (select from private.columns_referencing_users() u
            where u.relation = a.attrelid and u.col = a.attname) as user
        from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0
          and not a.attisdropped and a.attgenerated = '' and a.attidentity <> 'a'
          and has_column_privilege('authenticated', a.attrelid, a.attnum, 'update')`;
      const statements = [
        `delete from ${table}`,
        ...columns.map(({ name }) => `update ${table} set "${String(name)}" = null`),
        // Taking a row over passes a check of the new row.
        ...columns
          .filter(({ user }) => user)
          .map(({ name }) => `update ${table} set "${String(name)}" = '${stranger.id}'`),
      ];
      for (const [statement, layer] of inEachLayer(statements)) {
        const before = await rowsOfOthers(sql, stranger.id);
        // Any other error than a missing permission would come from a row that it reached.
        await attempt(
          stranger,
          async (db) => {
            await useLayer(db, layer);
            await db.unsafe(statement);
            await db`select set_config('role', 'postgres', true)`;
            expect(await lostRows(db, stranger.id, before), `${statement} ${layer}`).toEqual([]);
          },
          OWN_PROFILE.includes(table) ? REFUSALS : /^42501/,
        );
      }
    },
  );

  it.each(relations.filter(({ exposed, isTable }) => exposed && isTable).map(({ name }) => name))(
    "is not given a row of %s by its owner",
    async (table) => {
      const columns = await sql`
        select a.attname as name from pg_attribute a
        join private.columns_referencing_users() u on u.relation = a.attrelid and u.col = a.attname
        where a.attrelid = ${table}::regclass and has_column_privilege('authenticated', a.attrelid, a.attnum, 'update')`;
      for (const [column, layer] of inEachLayer(columns.map(({ name }) => String(name)))) {
        await attempt(everything.owner, async (db) => {
          await useLayer(db, layer);
          // Without a condition, which would ask for the right to read the row afterwards.
          await db.unsafe(`update ${table} set "${column}" = $1`, [stranger.id]);
          await db`select set_config('role', 'postgres', true)`;
          const given = await db.unsafe(`select from ${table} where "${column}" = $1`, [
            stranger.id,
          ]);
          expect(given.length, `${table}.${column} ${layer}`).toBe(
            OWN_PROFILE.includes(table) ? 1 : 0,
          );
        });
      }
    },
  );

  it.each(relations.filter(({ exposed, isTable }) => exposed && isTable).map(({ name }) => name))(
    "adds nothing to %s in the owner's name or for their listing",
    async (table) => {
      const columns = (
        await sql`
          select a.attname as name from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0
            and not a.attisdropped and a.attgenerated = '' and a.attidentity <> 'a'
            and has_column_privilege('authenticated', a.attrelid, a.attnum, 'insert')`
      ).map(({ name }) => String(name));
      if (columns.length === 0) return;
      const rows = await sql.unsafe(`select to_jsonb(r) as row from ${table} r`);
      for (const [{ row }, layer] of inEachLayer(rows)) {
        // A copy of what is there, under an id of its own.
        const copied = Object.keys(row as object).filter(
          (column) => columns.includes(column) && !["id", "submission_id"].includes(column),
        );
        const list = copied.map((column) => `"${column}"`).join(", ");
        await attempt(stranger, async (db) => {
          // Without the original, so that the insert can't fail because its key exists.
          await db`select set_config('role', 'postgres', true)`;
          await db`savepoint original`;
          await db
            .unsafe(`delete from ${table} r where to_jsonb(r) = $1`, [row as never])
            .catch(() => db`rollback to savepoint original`);
          const ids = await idsOf(db, table);
          await db`select set_config('role', 'authenticated', true)`;
          await useLayer(db, layer);
          await db.unsafe(
            `insert into ${table} (${list}) select ${list} from jsonb_populate_record(null::${table}, $1)`,
            [row as never],
          );
          await db`select set_config('role', 'postgres', true)`;
          const added = (await db.unsafe(`select to_jsonb(r) as row from ${table} r`))
            .map((one) => one["row"] as Record<string, unknown>)
            .filter((one) => !ids.includes(JSON.stringify(one)));
          for (const one of added) {
            const users = Object.values(one).filter(
              (value) => value === everything.owner.id || value === admin.id,
            );
            expect(users, `${table} ${layer}: ${JSON.stringify(one)}`).toEqual([]);
            if (!OPEN_TO_ALL.includes(table) && "place_id" in one && one["place_id"] !== null)
              expect(everything.numbers, table).not.toContain(Number(one["place_id"]));
          }
        });
      }
    },
  );

  it.each(functions.map(({ signature }) => signature))(
    "learns and changes nothing of the owner's by %s",
    async (signature) => {
      const called = functions.find((one) => one.signature === signature)!;
      for (const values of argumentsFor(called.types)) {
        const before = await rowsOfOthers(sql, stranger.id);
        const list = values.map((value, at) => `${value}::${called.types[at]!}`).join(", ");
        const call = `public.${called.name}(${list})`;
        await attempt(stranger, async (db) => {
          const rows = await db.unsafe(`select to_jsonb(r) as answer from ${call} r`);
          expectNothingOf(JSON.stringify(rows), call);
          await db`select set_config('role', 'postgres', true)`;
          expect(await lostRows(db, stranger.id, before), call).toEqual([]);
        });
      }
    },
  );
});

/** Fails when an answer has something that only the owner, their managers, and admins may know. */
function expectNothingOf(answer: string, what: string): void {
  const found = [SECRET, ...everything.uuids].filter((known) => answer.includes(known));
  expect(found, `${what} gave ${answer.slice(0, 2000)}`).toEqual([]);
}

const inEachLayer = <One>(all: Iterable<One>): [One, Layer][] =>
  [...all].flatMap((one) => LAYERS.map((layer): [One, Layer] => [one, layer]));

/** From here on in the transaction, statements of signed-in users run with the triggers or without. */
async function useLayer(db: Sql, layer: Layer): Promise<void> {
  if (layer === "with its triggers") return;
  await db`select set_config('role', 'postgres', true)`;
  await db`select set_config('session_replication_role', 'replica', true), set_config('role', 'authenticated', true)`;
}

/** What Postgres and our functions refuse with. */
const REFUSALS = /^(42501|P0001|PGRST|PT\d{3}|22|23)/;

/** Does something as someone, and takes it back. Being refused is fine. */
async function attempt(
  person: { id: string },
  work: (statements: Sql) => Promise<void>,
  refusals = REFUSALS,
): Promise<void> {
  const undo = new Error("undo");
  try {
    await as(sql, person, async (db) => {
      await work(db);
      throw undo;
    });
  } catch (error) {
    if (error === undo) return;
    const { code } = error as { code?: string };
    if (typeof code !== "string" || !refusals.test(code)) throw error;
  }
}

/** For each kind of argument, everything of the owner's that it could be; the others stay ordinary. */
function argumentsFor(types: string[]): string[][] {
  const guesses = types.map((type): string[] => {
    if (type === "bigint") return everything.numbers.map(String);
    if (type === "bigint[]") return [`'{${everything.numbers.join(",")}}'`];
    if (type === "uuid") return everything.uuids.map((id) => `'${id}'`);
    if (type === "text") return ["null", ...everything.texts.map((text) => `'${text}'`)];
    if (type === "boolean") return ["true", "false"];
    if (type === "integer") return ["10"];
    if (type === "jsonb")
      return [
        "'{}'",
        `'[${everything.numbers.map((id) => `{"id": ${id}, "version": 1}`).join(",")}]'`,
      ];
    if (type === "date[]") return ["'{2099-01-06}'"];
    if (type === "timestamp with time zone") return ["'2026-01-01Z'"];
    if (type === "double precision") return ["35.0"];
    throw new Error(`Say in other-accounts.test.ts what to try for an argument of type ${type}.`);
  });
  if (types.length === 0) return [[]];
  const first = guesses.map(([value]) => value!);
  return guesses.flatMap((values, at) =>
    values.map((value) => first.map((usual, position) => (position === at ? value : usual))),
  );
}

async function idsOf(db: Sql, table: string): Promise<string[]> {
  const rows = await db.unsafe(`select to_jsonb(r) as row from ${table} r`);
  return rows.map(({ row }) => JSON.stringify(row));
}
