/**
 * The backup and the restore of docs/operations.md, rehearsed with the demo data: the statements are read from
 * that document. It needs pg_dump and psql, which come with the Postgres 15 of a machine.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import connect from "postgres";
import { afterAll, expect, it } from "vitest";

import { startLocalSupabase } from "../../local/supabase";
import { isNightly } from "../support/nightly";
import { installedPostgres15, startPostgres } from "../support/postgres";

import { as, createUser, startMigratedPostgres } from "./support/real-postgres";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const document = readFileSync(join(root, "docs/operations.md"), "utf8");
/** The commands of the section, one for each, without their line breaks. */
const [dump, restore] = [/^pg_dump [^`]*?"\$DATABASE_URL"$/m, /^psql [^`]*?--file=data\.sql$/m].map(
  (shape) => shape.exec(document)?.[0].replaceAll("\\\n", ""),
);

it("has the commands for a backup and a restore", () => {
  expect(dump).toContain("--data-only");
  expect(restore).toContain("--single-transaction");
});

it("says what people did since the backup to be safe, and how it is done again", async () => {
  const section = /## Backup and restore\n[^]*?\n## /.exec(document)![0];
  const [inNewProject, inDatabaseBefore] = [...section.matchAll(/```sql\n([^]*?)```/g)].map(
    ([, statements]) => statements!,
  );
  const { sql } = await startMigratedPostgres();
  const [admin, owner, leaver] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [admin, owner, leaver]) await createUser(sql, id, `${id}@example.test`);
  await sql`update public.profiles set admin = true where id = ${admin}`;
  const [listing] = await sql`
    insert into public.places (name, category, status, state, owner, owner_email)
    values ('Café', 4, 'published', 'NM', ${owner}, ${`${owner}@example.test`}) returning id`;
  const [backup] = await sql`select clock_timestamp()::text as at`;

  await as(
    sql,
    { id: owner },
    (db) => db`update public.places set hidden = true where id = ${listing!["id"]}`,
  );
  await as(sql, { id: owner }, (db) => db`select public.set_consent('email', true, '1', '/')`);
  await as(sql, { id: owner }, (db) => db`select public.set_consent('email', false, '1', '/')`);
  await as(sql, { id: admin }, (db) => db`select public.admin_delete_user(${leaver})`);
  await as(
    sql,
    { id: owner },
    (db) => db`insert into public.email_preferences (kind, wanted) values ('new-lead', false)`,
  );
  await as(sql, { id: owner }, (db) => db`select public.request_my_deletion()`);
  await sql`
    update private.email_queue set sent_at = now() where kind = 'account-deletion' and recipient = ${owner}`;
  const moved = { id: owner, email: `moved-${owner}@example.test` };
  await as(
    sql,
    { id: owner },
    (db) => db`update public.profiles set discreet = true where id = ${owner}`,
  );
  await sql`update auth.users set email = ${moved.email} where id = ${owner}`;
  const answers = await sql.unsafe(
    inDatabaseBefore!.replace(/'\d{4}-[^']*'/g, `'${backup!["at"]}'`),
  );
  const [deleted, log, withdrawn, leaving, changed, unwanted, emails] =
    answers as unknown as Record<string, unknown>[][];
  expect([...deleted!]).toEqual([{ subject_id: leaver }]);
  expect(log).toContainEqual(
    expect.objectContaining({
      subject: "places",
      subject_id: String(listing!["id"]),
      after: { hidden: true },
    }),
  );
  expect(withdrawn).toMatchObject([{ user_id: owner, channel: "email" }]);
  expect([...leaving!]).toMatchObject([{ user_id: owner, begun_at: null }]);
  expect(changed).toContainEqual({ ...moved, discreet: true });
  expect([...emails!]).toEqual([
    ...(await sql`select id from private.email_queue where sent_at is not null`),
  ]);
  expect(emails).toHaveLength(1);
  expect([...unwanted!]).toEqual([{ user_id: owner, kind: "new-lead", wanted: false }]);

  // As after a restore.
  await createUser(sql, leaver, `${leaver}@example.test`);
  const erase = /`(select private\.erase_user[^`]*)`/.exec(section)![1]!;
  await sql.unsafe(erase.replace("<subject_id>", leaver));
  await sql`update auth.users set email = ${`${owner}@example.test`} where id = ${owner}`;
  const move = /`(update auth\.users[^`]*)`/.exec(section)![1]!;
  await sql.unsafe(move.replace("<email>", moved.email).replace("<id>", owner));
  expect([...(await sql`select owner_email from public.places`)]).toEqual([
    { owner_email: moved.email },
  ]);
  await sql.unsafe(inNewProject!);
  expect([...(await sql`select id from auth.users where id = ${leaver}`)]).toEqual([]);
  expect([...(await sql`select id from auth.sessions`)]).toEqual([]);
});

const binaries = installedPostgres15();
const folder = await mkdtemp(join(tmpdir(), "backup-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

it.runIf(binaries && isNightly)(
  "brings every row back, sends no email, and writes nothing into the audit log",
  async () => {
    const postgres = await startPostgres({ version: 15, inMemory: true });
    afterAll(() => postgres.stop());
    const [from, to] = [await postgres.createDatabase(), await postgres.createDatabase()];
    for (const [url, seed] of [
      [from, "demo"],
      [to, "none"],
    ] as const) {
      const supabase = await startLocalSupabase({
        engine: { kind: "postgres", url },
        siteUrl: "http://dashboard.test",
        seed,
      });
      await supabase.stop();
    }
    const shell = (command: string, url: string) =>
      run("sh", ["-c", command], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${join(binaries!, "bin")}:${process.env["PATH"]}`,
          DATABASE_URL: url,
          NEW_DATABASE_URL: url,
        },
      });
    await shell(dump!, from);
    await symlink(join(root, "docs"), join(folder, "docs"));
    await shell(restore!, to);
    // Never over people's data.
    await expect(shell(restore!, to)).rejects.toThrow("This project has users.");

    const contents = async (url: string) => {
      const sql = connect(url, { max: 1, onnotice: () => {} });
      const tables = await sql<{ name: string }[]>`
        select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname in ('public', 'private', 'auth') order by 1`;
      const counts: Record<string, string> = {};
      for (const { name } of tables) {
        const [row] = await sql.unsafe<{ hash: string }[]>(
          `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as hash from ${name} t`,
        );
        counts[name] = row!.hash;
      }
      await sql.end();
      return counts;
    };
    const restored = await contents(to);
    expect(restored).toEqual(await contents(from));
    expect(Object.keys(restored)).toEqual(
      expect.arrayContaining(["public.places", "private.decision_rows", "auth.users"]),
    );

    // It works: someone signs in, and what they write gets a new number.
    const supabase = await startLocalSupabase({
      engine: { kind: "postgres", url: to },
      siteUrl: "http://dashboard.test",
    });
    const answer = await fetch(`${supabase.url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: supabase.publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify({ email: "owner@demo.test", password: "rainbow-demo-1" }),
    });
    expect(answer.status).toBe(200);
    const [place] = await supabase.sql(
      "insert into public.places (name, category, state) values ('After the restore', 4, 'NM') returning id > (select max(id) - 1 from public.places) as new",
    );
    expect(place).toEqual({ new: true });
    await supabase.stop();
  },
);
