-- People. A profile is made with its account in one transaction and goes with it.
create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  full_name text check (length(full_name) between 1 and 200),
  phone text check (length(phone) between 1 and 40),
  -- A copy of the account's address for lists and search. It proves nothing about anybody.
  email text check (length(email) <= 320),
  pronouns text check (length(pronouns) between 1 and 100),
  postalcode text check (length(postalcode) between 1 and 20),
  opted_in boolean not null default false,
  sms_opted_in boolean not null default false,
  business_owner boolean not null default true,
  admin boolean not null default false,
  supporter boolean not null default false,
  favorites_count integer not null default 0 check (favorites_count >= 0),
  stripe_customer_id text unique,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  full_name_search tsvector generated always as (to_tsvector('simple', coalesce(full_name, ''))) stored,
  -- The whole address and its pieces, so that "sam" finds sam.rivera@mail.example.
  email_search tsvector generated always as
    (to_tsvector('simple', coalesce(email, '') || ' ' || translate(coalesce(email, ''), '@.+_-', '     '))) stored
);
create index profiles_newest on public.profiles (created_at desc, id desc);
create index profiles_full_name_search on public.profiles using gin (full_name_search);
create index profiles_email_search on public.profiles using gin (email_search);
create index profiles_admins on public.profiles (id) where admin;

-- Where a person's postal code is, rounded to about a kilometre. Nothing but a count ever leaves.
create table private.user_positions (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  lat double precision not null check (lat between -90 and 90),
  long double precision not null check (long between -180 and 180)
);
alter table private.user_positions enable row level security;
create policy "nobody" on private.user_positions for all to anon, authenticated using (false);

-- How many people there are at each position. Few positions are ever taken, since they are postal
-- codes', so counting a neighborhood looks at hundreds of rows and not at tens of thousands.
create table private.position_counts (
  lat double precision,
  long double precision,
  people bigint not null,
  primary key (lat, long)
);
alter table private.position_counts enable row level security;
create policy "nobody" on private.position_counts for all to anon, authenticated using (false);

create function private.count_positions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into private.position_counts as c (lat, long, people)
    select lat, long, count(*) from new_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people;
  elsif tg_op = 'DELETE' then
    insert into private.position_counts as c (lat, long, people)
    select lat, long, -count(*) from old_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people;
  else
    -- In one order always, so that two people who move past one another do not deadlock.
    insert into private.position_counts as c (lat, long, people)
    select lat, long, sum(people) from (
      select lat, long, 1 as people from new_rows union all select lat, long, -1 from old_rows
    ) moved group by lat, long having sum(people) <> 0 order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people;
  end if;
  return null;
end $$;
create trigger count_insert after insert on private.user_positions referencing new table as new_rows
  for each statement execute function private.count_positions();
create trigger count_update after update on private.user_positions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_positions();
create trigger count_delete after delete on private.user_positions referencing old table as old_rows
  for each statement execute function private.count_positions();

-- Each opt-in and opt-out as it was given. Only ever added to.
create table public.consents (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.profiles (id) on delete cascade,
  channel text not null check (channel in ('email', 'sms')),
  granted boolean not null,
  text_version text not null check (length(text_version) <= 100),
  page text not null check (length(page) <= 500),
  at timestamptz not null default now()
);
create index consents_user on public.consents (user_id, at);

-- Consents go when their account goes; nothing else removes or changes them.
create function private.keep_consents() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (select 1 from public.profiles p where p.id = old.user_id) then
    return old;
  end if;
  raise exception 'The table consents is only ever added to.' using errcode = '42501';
end $$;
create trigger append_only before update or delete on public.consents
  for each row execute function private.keep_consents();
create trigger append_only_truncate before truncate on public.consents
  for each statement execute function private.refuse_change();

-- The record is written wherever the choice is made: at sign-up, by set_consent, or by a change of
-- the profile itself. The words and the page come from app.consent_text and app.consent_page.
create function private.record_consents() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  words text := coalesce(nullif(current_setting('app.consent_text', true), ''), 'unknown');
  page text := nullif(current_setting('app.consent_page', true), '');
  asked boolean := tg_op = 'INSERT' and page is not null;
  was_email boolean := false;
  was_sms boolean := false;
begin
  if tg_op = 'UPDATE' then
    was_email := old.opted_in;
    was_sms := old.sms_opted_in;
  end if;
  if asked or new.opted_in <> was_email then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'email', new.opted_in, words, coalesce(page, 'unknown'));
  end if;
  if asked or new.sms_opted_in <> was_sms then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'sms', new.sms_opted_in, words, coalesce(page, 'unknown'));
  end if;
  return null;
end $$;
create trigger record_consents after insert or update of opted_in, sms_opted_in on public.profiles
  for each row execute function private.record_consents();

-- What a person may change of their own profile; all else is kept as it was, without a word.
create function private.guard_profile() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.full_name := nullif(btrim(new.full_name), '');
  new.phone := nullif(btrim(new.phone), '');
  new.pronouns := nullif(btrim(new.pronouns), '');
  new.postalcode := nullif(btrim(new.postalcode), '');
  if private.from_api() then
    new.id := old.id;
    new.email := old.email;
    new.created_at := old.created_at;
    new.favorites_count := old.favorites_count;
    new.stripe_customer_id := old.stripe_customer_id;
    if not private.is_admin() then
      new.admin := old.admin;
      new.supporter := old.supporter;
      new.business_owner := old.business_owner;
    end if;
    -- Consent is a person's own to give.
    if old.id is distinct from auth.uid() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
    end if;
  end if;
  new.modified_at := now();
  return new;
end $$;
create trigger guard before update on public.profiles
  for each row execute function private.guard_profile();

-- A position belongs to the postal code it was made from.
create function private.forget_position() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.user_positions where user_id = new.id;
  return null;
end $$;
create trigger forget_position after update of postalcode on public.profiles
  for each row when (old.postalcode is distinct from new.postalcode)
  execute function private.forget_position();

create trigger audit_update after update on public.profiles
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{admin,supporter,business_owner}');
create trigger audit_delete after delete on public.profiles
  referencing old table as old_rows
  for each statement execute function private.write_audit('{admin,supporter,business_owner}');

create trigger count_insert after insert on public.profiles referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');
create trigger count_update after update on public.profiles
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');
create trigger count_delete after delete on public.profiles referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');

create function private.coarse(degrees double precision) returns double precision
language sql immutable set search_path = ''
as $$ select round(degrees::numeric, 2)::double precision $$;

create function private.place_user(person uuid, lat double precision, long double precision) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.user_positions as at (user_id, lat, long)
  values (person, private.coarse(place_user.lat), private.coarse(place_user.long))
  on conflict (user_id) do update set lat = excluded.lat, long = excluded.long
$$;

-- A new account: the profile, its consents and its position, from what the sign-up form sent along
-- (full_name, phone, pronouns, postalcode, opted_in, sms_opted_in, consent_text_version,
-- consent_page, postal_lat, postal_long; business_owner "false" for a user of the app). What a form
-- sends can never make an admin.
create function private.create_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  number constant text := '^-?[0-9]{1,3}([.][0-9]{1,15})?$';
begin
  perform set_config('app.consent_text', left(coalesce(sent ->> 'consent_text_version', ''), 100), true),
    set_config('app.consent_page', left(coalesce(sent ->> 'consent_page', ''), 500), true);
  insert into public.profiles
    (id, full_name, phone, email, pronouns, postalcode, opted_in, sms_opted_in, business_owner)
  values (
    new.id,
    left(nullif(btrim(sent ->> 'full_name'), ''), 200),
    left(nullif(btrim(sent ->> 'phone'), ''), 40),
    new.email,
    left(nullif(btrim(sent ->> 'pronouns'), ''), 100),
    left(nullif(btrim(sent ->> 'postalcode'), ''), 20),
    coalesce(sent ->> 'opted_in', '') = 'true',
    coalesce(sent ->> 'sms_opted_in', '') = 'true',
    coalesce(sent ->> 'business_owner', '') <> 'false'
  );
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
  if sent ->> 'postal_lat' ~ number and sent ->> 'postal_long' ~ number then
    if abs((sent ->> 'postal_lat')::float8) <= 90 and abs((sent ->> 'postal_long')::float8) <= 180 then
      perform private.place_user(new.id, (sent ->> 'postal_lat')::float8, (sent ->> 'postal_long')::float8);
    end if;
  end if;
  return new;
end $$;
create trigger create_profile after insert on auth.users
  for each row execute function private.create_profile();

create function private.follow_email() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.profiles set email = new.email where id = new.id;
  return new;
end $$;
create trigger follow_email after update of email on auth.users
  for each row when (old.email is distinct from new.email)
  execute function private.follow_email();

alter table public.profiles enable row level security;
create policy "own or admin" on public.profiles for select to authenticated
  using (id = (select auth.uid()) or (select private.is_admin()));
create policy "own or admin change" on public.profiles for update to authenticated
  using (id = (select auth.uid()) or (select private.is_admin()))
  with check (id = (select auth.uid()) or (select private.is_admin()));
grant select, update on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;

alter table public.consents enable row level security;
create policy "own" on public.consents for select to authenticated using (user_id = (select auth.uid()));
grant select on public.consents to authenticated, service_role;

-- Who is asking, as every page needs it; null when the session was ended (signed out, password
-- changed elsewhere, account deleted or banned), though its token has not run out yet.
create function private.my_session() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'user_id', p.id,
    'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
    'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
    'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
    'business_owner', p.business_owner, 'admin', p.admin, 'supporter', p.supporter,
    'pending_email', nullif(u.email_change, ''))
  from auth.users u
  join public.profiles p on p.id = u.id
  join auth.sessions s on s.user_id = u.id
  where u.id = auth.uid()
    and s.id::text = auth.jwt() ->> 'session_id'
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until < now())
    and u.deleted_at is null
$$;
create function public.my_session() returns jsonb
language sql stable set search_path = ''
as $$ select private.my_session() $$;
grant execute on function private.my_session(), public.my_session() to authenticated;

-- The one way the app changes an opt-in: the profile and the record of consent together.
-- channel is email or sms; text_version and page say which words stood where.
create function public.set_consent(channel text, granted boolean, text_version text, page text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  if channel is null or channel not in ('email', 'sms') or granted is null then
    raise exception 'Choose e-mail or SMS, and yes or no.' using errcode = 'P0001';
  end if;
  perform set_config('app.consent_text', left(coalesce(text_version, ''), 100), true),
    set_config('app.consent_page', left(coalesce(page, ''), 500), true);
  if channel = 'email' then
    update public.profiles set opted_in = granted where id = auth.uid() and opted_in <> granted;
  else
    update public.profiles set sms_opted_in = granted where id = auth.uid() and sms_opted_in <> granted;
  end if;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
end $$;
grant execute on function public.set_consent(text, boolean, text, text) to authenticated;

-- The centroid of the caller's postal code, rounded before it is kept. Null forgets it.
-- It can be written and never read.
create function private.set_my_position(lat double precision, long double precision) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if lat is null or long is null then
    delete from private.user_positions where user_id = auth.uid();
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.place_user(auth.uid(), lat, long);
  else
    raise exception 'This position is not on the earth.' using errcode = 'P0001';
  end if;
end $$;
create function public.set_my_position(lat double precision, long double precision) returns void
language sql volatile set search_path = ''
as $$ select private.set_my_position(lat, long) $$;
grant execute on function private.set_my_position(double precision, double precision),
  public.set_my_position(double precision, double precision) to authenticated;
