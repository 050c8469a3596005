-- What people tell us: feedback on the app, reports of listings, and leads for owners.
create table public.feedback (
  id bigint generated always as identity primary key,
  userid uuid default auth.uid() references public.profiles (id) on delete set null,
  feedback text not null check (length(btrim(feedback)) between 1 and 10000),
  -- Shown as App Version.
  os text check (length(os) <= 200),
  archived boolean not null default false,
  created_at timestamptz not null default now()
);
create index feedback_user on public.feedback (userid);
create index feedback_newest on public.feedback (archived, created_at desc, id desc);

create table public.events (
  id bigint generated always as identity primary key,
  event_name text not null check (event_name in ('report_listing')),
  place bigint not null references public.places (id) on delete cascade,
  data jsonb not null default '{}' check (jsonb_typeof(data) = 'object' and length(data::text) <= 10000),
  state text not null default 'open' check (state in ('open', 'resolved', 'dismissed')),
  note text check (length(note) <= 2000),
  user_id uuid default auth.uid() references public.profiles (id) on delete set null,
  created_at timestamptz not null default now()
);
create index events_newest on public.events (event_name, created_at desc, id desc);
create index events_state on public.events (state, created_at desc, id desc);
create index events_place on public.events (place);
create index events_user on public.events (user_id);

create table public.leads (
  id bigint generated always as identity primary key,
  place_id bigint not null references public.places (id) on delete cascade,
  -- Who asked, when signed in: their leads go with their account.
  requester uuid default auth.uid() references public.profiles (id) on delete cascade,
  requester_name text not null check (length(btrim(requester_name)) between 1 and 200),
  requester_email text not null check (private.is_email(requester_email)),
  message text not null check (length(btrim(message)) between 1 and 10000),
  state text not null default 'new' check (state in ('new', 'replied', 'spam')),
  -- The owner's own.
  notes text check (length(notes) <= 5000),
  created_at timestamptz not null default now()
);
create index leads_place on public.leads (place_id, created_at desc, id desc);
create index leads_requester on public.leads (requester);

create function private.guard_voice() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if private.from_api() then
    new.created_at := now();
  end if;
  return new;
end $$;
create trigger guard before insert on public.feedback for each row execute function private.guard_voice();
create trigger guard before insert on public.events for each row execute function private.guard_voice();
create trigger guard before insert on public.leads for each row execute function private.guard_voice();

create trigger audit_update after update on public.feedback
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{archived}');
create trigger audit_update after update on public.events
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{state,note}');

-- Column grants are safe here: nothing in these tables is ever upserted.
alter table public.feedback enable row level security;
create policy "own or admin" on public.feedback for select to authenticated
  using (userid = (select auth.uid()) or (select private.is_admin()));
create policy "add own" on public.feedback for insert to authenticated
  with check (userid = (select auth.uid()));
create policy "admins archive" on public.feedback for update to authenticated
  using ((select private.is_admin())) with check ((select private.is_admin()));
grant select, insert (userid, feedback, os), update (archived) on public.feedback to authenticated;
grant select, insert, update, delete on public.feedback to service_role;

alter table public.events enable row level security;
create policy "own or admin" on public.events for select to authenticated
  using (user_id = (select auth.uid()) or (select private.is_admin()));
create policy "report what is public" on public.events for insert to authenticated
  with check (user_id = (select auth.uid()) and event_name = 'report_listing'
    and exists (select 1 from public.public_places p where p.id = place));
create policy "admins decide" on public.events for update to authenticated
  using ((select private.is_admin())) with check ((select private.is_admin()));
grant select, insert (event_name, place, data, user_id), update (state, note) on public.events to authenticated;
grant select, insert, update, delete on public.events to service_role;

-- Between the person who asks and the owner of the listing. Not even admins read along.
alter table public.leads enable row level security;
create policy "of my listings, or sent by me" on public.leads for select to authenticated
  using (requester = (select auth.uid())
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid())));
create policy "ask what is public" on public.leads for insert to authenticated
  with check (requester = (select auth.uid())
    and exists (select 1 from public.public_places p where p.id = place_id));
create policy "of my listings" on public.leads for update to authenticated
  using (place_id in (select p.id from public.places p where p.owner = (select auth.uid())))
  with check (place_id in (select p.id from public.places p where p.owner = (select auth.uid())));
grant select, insert (place_id, requester, requester_name, requester_email, message), update (state, notes)
  on public.leads to authenticated;
grant select, insert, update, delete on public.leads to service_role;

-- The leads of the caller's own listings, newest first.
create function public.get_owner_leads()
returns table (id bigint, created_at timestamptz, requester_name text, requester_email text,
  message text, place_id bigint, place_name text, state text, notes text)
language sql stable set search_path = ''
as $$
  select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes
  from public.leads l join public.places p on p.id = l.place_id
  where p.owner = (select auth.uid())
  order by l.created_at desc, l.id desc
$$;
grant execute on function public.get_owner_leads() to authenticated;
