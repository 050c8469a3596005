-- Ground rules of this schema.
--
-- * `public` is what the data API shows. Tables there have row level security, and every grant is
--   written beside the table it opens.
-- * `private` is never exposed by the API. It holds the security definer functions (each checks for
--   itself who is asking), the trigger functions, and the tables that nobody may read.
-- * A function in `public` that needs more rights than its caller is a thin security invoker
--   wrapper of one in `private`, so no privileged function is reachable by its own name.
-- * Every function has an empty search_path and names its objects in full.
--
-- The roles anon, authenticated and service_role and the schema auth belong to the platform.

create schema if not exists private;
revoke all on schema private from public;
-- Policies, guards and wrappers call functions in here as the caller; the tables stay closed.
grant usage on schema private to anon, authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

-- A hosted project grants everything on a new object to the API roles. Here all start closed.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke execute on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

-- True when a statement comes straight from a visitor through the data API. Definer functions,
-- the service key and migrations run as other roles: the guards leave them alone.
create function private.from_api() returns boolean
language sql stable set search_path = ''
as $$ select current_user in ('anon', 'authenticated') $$;

-- The only address a person may be known by: of the account itself, and confirmed.
-- Never profiles.email, which is a copy, and never an address that nobody has confirmed.
create function private.my_email() returns text
language sql stable security definer set search_path = ''
as $$
  select lower(u.email) from auth.users u
  where u.id = auth.uid() and u.email_confirmed_at is not null and u.email <> ''
$$;

-- Admins are marked in profiles, where no one can mark themselves (plpgsql: that table comes later).
create function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((select p.admin from public.profiles p where p.id = auth.uid()), false);
end $$;

create function private.require_admin() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise exception 'Only admins may do this.' using errcode = '42501';
  end if;
end $$;

-- Links are only ever http or https: anything else could run script where it is shown.
create function private.is_web_link(link text) returns boolean
language sql immutable set search_path = ''
as $$ select link ~* '^https?://[^[:space:]<>"\\/?#@]+([/?#][^[:space:]<>"\\]*)?$' and length(link) <= 2000 $$;

-- A social handle ("@name", "name") or a web link, but no other scheme.
create function private.is_handle_or_link(value text) returns boolean
language sql immutable set search_path = ''
as $$ select length(value) <= 300 and (value !~ '[:<>"\\]' or private.is_web_link(value)) $$;

create function private.is_email(value text) returns boolean
language sql immutable set search_path = ''
as $$ select length(value) <= 320 and value ~ '^[^[:space:]@<>"]+@[^[:space:]@<>"]+$' $$;

grant execute on function private.from_api(), private.my_email(), private.is_admin(),
  private.require_admin(), private.is_web_link(text), private.is_handle_or_link(text),
  private.is_email(text) to anon, authenticated, service_role;
