import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { projectFolder } from "../../local/project-folder";
import { startLocalSupabase, type LocalSupabaseOptions } from "../../local/supabase";
import { startPostgres, type Postgres } from "../support/postgres";

export const SITE = "http://dashboard.test";

/** A schema for these tests: a table with owners, one that only the service reads, and checks. */
const MIGRATION = `
create table public.notes (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid(),
  body text not null check (length(body) <= 20),
  price numeric(10, 2) not null default 4.50,
  created_at timestamptz not null default now()
);
alter table public.notes enable row level security;
create policy "own notes" on public.notes for select to authenticated
  using (owner = (select auth.uid()));
create policy "write own notes" on public.notes for insert to authenticated
  with check (owner = (select auth.uid()));
revoke all on public.notes from anon;

create table public.board (id int primary key, word text not null);
alter table public.board enable row level security;
create policy "service only" on public.board for select to anon, authenticated
  using (false);
insert into public.board select n, 'word ' || n from generate_series(1, 5) n;

create function public.refuse(message text) returns void language plpgsql as $$
begin
  raise exception '%', message using errcode = 'P0001', detail = 'a detail', hint = 'a hint';
end $$;

create function public.is_read_only() returns text language sql volatile as $$
  select current_setting('transaction_read_only')
$$;
create function public.says_it_reads() returns text language sql stable as $$
  select public.is_read_only()
$$;
create function public.my_email() returns text language sql stable as $$ select auth.email() $$;
create function public.for_service() returns text language sql as $$ select 'yes' $$;
revoke execute on function public.for_service() from public, anon, authenticated;
`;

const CONFIG = (changes: string) => `
project_id = "test"
[auth]
minimum_password_length = 8
[auth.email]
enable_confirmations = true
double_confirm_changes = true
max_frequency = "1m"
${changes}
${["confirmation", "recovery", "email_change"]
  .map(
    (kind) => `[auth.email.template.${kind}]
subject = "About ${kind}"
content_path = "./supabase/templates/${kind}.html"
`,
  )
  .join("")}`;

export interface Project {
  folder: string;
  /** The path of a data folder that does not exist yet. */
  dataDir: string;
  addMigration(file: string, sql: string): void;
  renameMigration(file: string, newName: string): void;
  removeMigration(file: string): void;
  remove(): void;
}

/**
 * Creates a folder with a small `supabase/` of its own, so that no test depends on the real one.
 */
export function makeProject(options: { seed?: string; config?: string } = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), "local-supabase-"));
  // All tests and runs share the archive of the migrated database.
  const cache = join(projectFolder, ".cache", "local-tests");
  mkdirSync(cache, { recursive: true });
  symlinkSync(cache, join(folder, ".cache"));
  const supabase = join(folder, "supabase");
  mkdirSync(join(supabase, "migrations"), { recursive: true });
  mkdirSync(join(supabase, "templates"));
  const addMigration = (file: string, sql: string) =>
    writeFileSync(join(supabase, "migrations", file), sql);
  addMigration("20260101000000_start.sql", MIGRATION);
  if (options.seed) writeFileSync(join(supabase, "seed.sql"), options.seed);
  writeFileSync(join(supabase, "config.toml"), CONFIG(options.config ?? ""));
  for (const kind of ["confirmation", "recovery", "email_change"]) {
    writeFileSync(
      join(supabase, "templates", `${kind}.html`),
      `<h1>Hello</h1><p>Please <a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&amp;type=${kind}">continue</a>.</p>`,
    );
  }
  return {
    folder,
    dataDir: join(folder, "data"),
    addMigration,
    renameMigration: (file, newName) =>
      renameSync(join(supabase, "migrations", file), join(supabase, "migrations", newName)),
    removeMigration: (file) => rmSync(join(supabase, "migrations", file)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The parts of a response body that these tests read: of a session, an account, or rows. */
export interface ResponseBody {
  access_token: string;
  refresh_token: string;
  user: { id: string; email: string };
  id: string;
  email: string;
  length: number;
}

interface Answer {
  status: number;
  body: ResponseBody;
}

/** Starts a stand-in for Supabase on a project, with functions to call it as a client does. */
export async function startServices(options: Partial<LocalSupabaseOptions> & { project: string }) {
  const supabase = await startLocalSupabase({
    engine: { kind: "pglite" },
    siteUrl: SITE,
    ...options,
  });

  async function call(
    method: string,
    path: string,
    { body, token, key }: { body?: unknown; token?: string; key?: string } = {},
  ): Promise<Answer> {
    const response = await fetch(supabase.url + path, {
      method,
      headers: {
        apikey: key ?? supabase.publishableKey,
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : undefined) as ResponseBody };
  }

  const get = (path: string, with_: { token?: string; key?: string } = {}) =>
    call("GET", path, with_);
  const post = (path: string, body: unknown, with_: { token?: string; key?: string } = {}) =>
    call("POST", path, { body, ...with_ });
  const signUp = (email: string, password = "correct horse") =>
    post("/auth/v1/signup", { email, password, data: { full_name: "Some One" } });
  const signIn = (email: string, password = "correct horse") =>
    post("/auth/v1/token?grant_type=password", { email, password });
  const refresh = (token: string) =>
    post("/auth/v1/token?grant_type=refresh_token", { refresh_token: token });

  /** The token in the last email to an address. */
  function lastToken(to: string): string {
    const mail = supabase.mails.filter((one) => one.to === to).at(-1);
    const token = mail && new URL(mail.links[0] ?? "").searchParams.get("token_hash");
    if (!token) throw new Error(`No email with a link was sent to ${to}.`);
    return token;
  }

  /** Signs up, and confirms the address. Returns the session. */
  async function member(email: string) {
    await signUp(email);
    const { body } = await post("/auth/v1/verify", {
      type: "signup",
      token_hash: lastToken(email),
    });
    return body;
  }

  /** Backdates all emails, so that the next one of each kind may be sent. */
  const backdateEmails = () =>
    supabase.sql(
      `update auth.users set
         confirmation_sent_at = confirmation_sent_at - interval '2 minutes',
         recovery_sent_at = recovery_sent_at - interval '2 minutes',
         email_change_sent_at = email_change_sent_at - interval '2 minutes'`,
    );

  return {
    ...supabase,
    call,
    get,
    post,
    signUp,
    signIn,
    refresh,
    lastToken,
    member,
    backdateEmails,
  };
}

export type Services = Awaited<ReturnType<typeof startServices>>;

/** The databases on which the tests run. */
export const ENGINES = ["PGlite", "Postgres"] as const;

/** Creates a database of this kind. */
export async function createEngine(
  name: (typeof ENGINES)[number],
): Promise<{ engine: LocalSupabaseOptions["engine"]; stop: () => Promise<void> }> {
  if (name === "PGlite") return { engine: { kind: "pglite" }, stop: async () => undefined };
  const postgres: Postgres = await startPostgres({ inMemory: true });
  return {
    engine: { kind: "postgres", url: await postgres.createDatabase() },
    stop: () => postgres.stop(),
  };
}
