/**
 * Migrations are append-only: a database that ran one never runs it again, so a change of the file
 * would reach new databases only. supabase/migrations.sha256 lists those that have landed.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { projectFolder } from "../../local/project-folder";
import { makeDatabase } from "../../local/snapshot";
import { compareCatalogs, readCatalog, readCatalogIn } from "../../scripts/schema/catalog";
import { draftMigration } from "../../scripts/schema/draft-migration";
import { catalogOf, openSchema } from "../../scripts/schema/two-ways";

const defined = await openSchema("schemas");
afterAll(() => defined.close());
const original = await readCatalog(defined);
const supabase = new URL("../../supabase/", import.meta.url);
const files = readdirSync(new URL("migrations/", supabase)).sort();
const landed = readFileSync(new URL("migrations.sha256", supabase), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => /^(?<hash>[0-9a-f]{64}) {2}migrations\/(?<file>\S+)$/.exec(line)?.groups ?? {});

/** A new table with its rules; a new column that a replaced function reads; a function that returns more;
 * a weaker policy, a lost grant, a changed view, and settings of the API; and objects that are gone. */
const CHANGES = `
  create table public.pets (
    id bigint generated always as identity primary key,
    owner uuid not null references public.profiles (id) on delete cascade,
    name text not null default 'Rex' check (name <> ''),
    shout text generated always as (upper(name)) stored
  );
  create index pets_owner on public.pets (owner);
  create function private.guard_pet() returns trigger language plpgsql set search_path = ''
    as $$ begin return new; end $$;
  create trigger t1_guard before insert on public.pets for each row execute function private.guard_pet();
  alter table public.pets enable row level security;
  create policy "read own" on public.pets for select to authenticated using (owner = (select auth.uid()));
  grant select, insert (owner, name) on public.pets to authenticated;

  alter table public.feedback add column mood text default 'calm';
  create or replace function private.my_deletion() returns timestamptz language sql stable set search_path = ''
    as $$ select max(now()) from public.feedback f where f.mood = 'calm' $$;

  drop function public.get_jobs_counts();
  create function public.get_jobs_counts() returns text language sql stable set search_path = '' as $$ select 'x' $$;
  grant execute on function public.get_jobs_counts() to authenticated;

  drop policy "read own" on public.email_preferences;
  create policy "read own" on public.email_preferences for select to authenticated using (true);
  revoke insert on public.email_preferences from authenticated;
  drop view public.public_jobs;
  create view public.public_jobs with (security_invoker = off) as select 1 as one;

  alter role authenticator set pgrst.db_pre_request = 'private.other';
  alter role anon set statement_timeout = '3s';

  drop policy "read own" on public.consents;
  drop function public.my_home();`;

describe("the migrations", () => {
  it("have file names that the Supabase CLI takes, each with a timestamp of its own", () => {
    expect(files.filter((file) => !/^\d{14}_[a-z_]+\.sql$/.test(file))).toEqual([]);
    expect(new Set(files.map((file) => file.slice(0, 14))).size).toBe(files.length);
  });

  it("are unchanged once they have landed", () => {
    const changed = landed.filter(({ hash, file }) => {
      if (!files.includes(file!)) return true;
      const content = readFileSync(new URL(`migrations/${file}`, supabase));
      return createHash("sha256").update(content).digest("hex") !== hash;
    });
    expect(
      changed.map(({ file }) => file),
      "These migrations have landed (supabase/migrations.sha256) and were changed, renamed or removed. " +
        "Restore them, and put the change into a new migration.",
    ).toEqual([]);
  });

  it("are listed as landed, the newest last", () => {
    expect(
      files,
      "The list of landed migrations is not complete. Give a new migration a later timestamp than all " +
        "others, and add it with `npm run migrations:record`.",
    ).toEqual(landed.map(({ file }) => file));
  });
});

it("lead to the schema that supabase/schemas defines", async () => {
  const differences = compareCatalogs(await catalogOf("migrations"), original);
  expect(
    differences.map(({ kind, name }) => `${kind} ${name}`),
    "supabase/schemas and the migrations differ in these. Write a migration with " +
      "`npm run migrations:new -- <name>`.",
  ).toEqual([]);
});

describe("a drafted migration", () => {
  it("brings an existing database to the same schema", async () => {
    const target = await catalogAfter(CHANGES);
    const draft = draftMigration(compareCatalogs(original, target), target);

    expect(draft).not.toContain("BY HAND");
    expect(compareCatalogs(await catalogAfter(draft), target)).toEqual([]);
  });

  it("adds a field of listings, with the views and policies that build on the changed views", async () => {
    const project = mkdtempSync(join(tmpdir(), "new-field-"));
    cpSync(join(projectFolder, "supabase"), join(project, "supabase"), { recursive: true });
    const file = join(project, "supabase/schemas/05_listings.sql");
    const sql = readFileSync(file, "utf8")
      .replace("('online', 'question', true)", "('parking', 'question', true), $&")
      .replace("  check ((lat is null)", "  parking text,\n$&");
    writeFileSync(file, sql);
    const target = await catalogOfProject(project);
    rmSync(project, { recursive: true });
    const draft = draftMigration(compareCatalogs(original, target), target);

    expect(draft).toContain("add column parking text");
    expect(draft).not.toContain("BY HAND");
    expect(compareCatalogs(await catalogAfter(draft), target)).toEqual([]);
  });

  it("leaves to a person what could lose data", async () => {
    const target = await catalogAfter(
      "alter table public.profiles drop column pronouns; alter table public.jobs alter column title drop not null;",
    );
    const draft = draftMigration(compareCatalogs(original, target), target);

    expect(draft).toContain("-- BY HAND: drop column public.profiles.pronouns");
    expect(draft).toContain("-- BY HAND: column public.jobs.title");
    expect(draft).not.toMatch(/^alter table \S+ (drop|alter) column/im);
  });
});

/** What the database would be after a change, which is rolled back: opening another one takes far longer. */
async function catalogAfter(change: string) {
  try {
    await defined.script(`begin; ${change}`);
    return await readCatalogIn(defined);
  } finally {
    await defined.script("rollback");
  }
}

async function catalogOfProject(project: string) {
  const engine = await makeDatabase(project, "schemas");
  try {
    return await readCatalog(engine);
  } finally {
    await engine.close();
  }
}
