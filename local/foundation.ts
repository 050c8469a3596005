import type { Statements } from "./engine";

/**
 * What a hosted Supabase project has before the first migration, as far as our migrations rely on
 * it: the three request roles, the role of the data API with its settings, schema `extensions` on
 * the search path, and the default privileges that give every new table and function of schema
 * `public` to all three request roles.
 *
 * Those default privileges matter most. Because of them, a migration has to revoke access to what
 * it does not want to expose, and one that forgets to must expose just as much here as it would
 * there.
 */
const BEFORE_AUTH = `
do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'nologin noinherit')
    ) as roles (name, attributes)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      begin
        execute format('create role %I %s', wanted.name, wanted.attributes);
      exception when duplicate_object or unique_violation then
        -- Roles belong to the whole server: another database of it was being prepared meanwhile.
        null;
      end;
    end if;
  end loop;
end
$$;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;
create extension if not exists pgcrypto with schema extensions;

grant usage on schema public to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on functions to anon, authenticated, service_role;
`;

/**
 * After the stand-in made its own schema `auth`: policies call `auth.uid()`, so the roles need to
 * reach it (not its tables), and `auth.email()` reads the claim the stand-in leaves unset.
 */
const AFTER_AUTH = `
grant usage on schema auth to anon, authenticated, service_role;

create or replace function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

-- What a hosted project has for a second factor, and the stand-in does not (local/hosted-factors.ts).
do $$ begin
  create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
exception when duplicate_object then null; end $$;
do $$ begin
  create type auth.factor_status as enum ('unverified', 'verified');
exception when duplicate_object then null; end $$;
create table if not exists auth.mfa_factors (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text,
  phone text,
  last_challenged_at timestamptz unique
);
create unique index if not exists mfa_factors_user_friendly_name_unique
  on auth.mfa_factors (friendly_name, user_id) where trim(friendly_name) <> '';
create index if not exists mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create table if not exists auth.mfa_challenges (
  id uuid primary key,
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  created_at timestamptz not null,
  verified_at timestamptz,
  ip_address inet not null
);
create index if not exists mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);
create table if not exists auth.mfa_amr_claims (
  id uuid primary key,
  session_id uuid not null references auth.sessions (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authentication_method text not null,
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);
`;

const SEARCH_PATH = `
do $$
begin
  execute format(
    'alter database %I set search_path to "$user", public, extensions', current_database()
  );
end
$$;
set search_path to "$user", public, extensions;
`;

/** Sets up what `auth` builds on. Safe to run again. */
export async function prepareRoles(statements: Statements): Promise<void> {
  await statements.script(BEFORE_AUTH + SEARCH_PATH);
}

/** Opens `auth` to policies. Run it once the stand-in has made that schema. Safe to run again. */
export async function openAuthSchema(statements: Statements): Promise<void> {
  await statements.script(AFTER_AUTH);
}

/** The SQL of this foundation, for keys of caches that depend on it. */
export const foundationSql = BEFORE_AUTH + SEARCH_PATH + AFTER_AUTH;
