-- Forms under which a session ended, kept for an hour so that they come back after signing in. The key
-- that a row is sealed with is in its person's browser alone: nobody can read a row from here.
create table public.form_stash (
  id uuid primary key,
  -- Room for the largest form that is taken (512 KB), sealed and in base64.
  sealed text not null check (length(sealed) between 1 and 700 * 1024),
  expires_at timestamptz not null default now() + interval '1 hour'
);
create index form_stash_expires on public.form_stash (expires_at);
alter table public.form_stash enable row level security;
create policy "nobody" on public.form_stash for all to anon, authenticated using (false);
grant select, delete, insert (id, sealed) on public.form_stash to service_role;

-- Each new row sweeps out old ones, more than come in.
create function private.sweep_form_stash() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.form_stash s where s.id in
    (select o.id from public.form_stash o where o.expires_at < now() limit 200 for update skip locked);
  return null;
end $$;
create trigger sweep before insert on public.form_stash
  for each statement execute function private.sweep_form_stash();
