-- Filters of the review desk that an admin has given a name, for themselves alone.
create table public.saved_views (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  name text not null check (btrim(name) <> '' and length(name) <= 60),
  -- What review_listings takes: an object of strings.
  filter jsonb not null check (jsonb_typeof(filter) = 'object' and octet_length(filter::text) <= 8192),
  created_at timestamptz not null default now(),
  -- Saved again under its name, it is changed.
  unique (owner, name)
);

create function private.guard_saved_view() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner := coalesce(auth.uid(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two sent at once are both counted.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if (select count(*) from public.saved_views v where v.owner = new.owner and v.name <> new.name) >= 20 then
    raise exception 'You have 20 saved views, which is as many as we keep. Please delete one of them first.' using errcode = 'P0001';
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.saved_views
  for each row execute function private.guard_saved_view();

alter table public.saved_views enable row level security;
create policy "own, while an admin" on public.saved_views for all to authenticated
  using (owner = (select auth.uid()) and (select private.is_admin()))
  with check (owner = (select auth.uid()) and (select private.is_admin()));
grant select, insert, update, delete on public.saved_views to authenticated;
