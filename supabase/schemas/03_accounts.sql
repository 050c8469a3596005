-- Users: profiles, consents, and roughly where someone lives. A profile is created with its
-- account in one transaction and is deleted with it. Here are the sign-up, what users may change
-- about themselves, the session that every page asks for, the record of consents, the count of
-- people nearby, and the users as admins see them. Data export and deletion are in privacy.

-- ---------------------------------------------------------------- tables

create table public.profiles (
  id uuid primary key references auth.users (id) on delete cascade,
  full_name text check (length(full_name) between 1 and 200),
  phone text check (length(phone) between 1 and 40),
  -- A copy of the account's address, for lists and search. It does not identify anyone.
  email text check (length(email) <= 320),
  pronouns text check (length(pronouns) between 1 and 100),
  postalcode text check (length(postalcode) between 1 and 20),
  opted_in boolean not null default false,
  sms_opted_in boolean not null default false,
  business_owner boolean not null default true,
  admin boolean not null default false,
  supporter boolean not null default false,
  -- Whether they want page titles and emails that reveal nothing to others who see them.
  discreet boolean not null default false,
  stripe_customer_id text unique,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  full_name_search tsvector generated always as (private.search_vector(full_name)) stored,
  email_search tsvector generated always as (private.search_vector(email)) stored,
  constraint profile_dates_are_finite check (isfinite(created_at) and isfinite(modified_at))
);
create index profiles_newest on public.profiles (created_at desc, id desc);
create index profiles_full_name_search on public.profiles using gin (full_name_search);
create index profiles_email_search on public.profiles using gin (email_search);
create index profiles_admins on public.profiles (id) where admin;

-- What a sign-up left for its confirmation: a proof that the browser that filled in the form can show again, the hash
-- of the password, and the parts of the form that count only once its sender has shown that the address is theirs
-- (the consents, and where the postal code is). Anyone can sign up with anyone's address; see
-- private.confirm_account. The row is deleted when the address is confirmed. Where the browser wasn't recognized, it
-- stays, with the whole form, for someone who chooses the same password within an hour (private.restore_sign_up);
-- otherwise it is deleted once a day.
create table private.sign_ups (
  user_id uuid primary key references auth.users (id) on delete cascade,
  -- Null for a sign-up that did not come from the dashboard.
  proof text check (length(proof) = 43),
  recognized boolean not null default false,
  password text,
  answers jsonb not null default '{}'
);

-- Accounts whose address was confirmed a moment ago, until the session begins that the same link brings
-- (limit_session).
create table private.confirmed_accounts (
  user_id uuid primary key references auth.users (id) on delete cascade,
  confirmed_at timestamptz not null default now()
);

-- Where a person's postal code is, on a grid of a tenth of a degree (about seven miles). Only counts of
-- these rows are ever shown, and none of them exactly (private.nearby_users).
create table private.user_positions (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  lat double precision not null check (lat between -90 and 90),
  long double precision not null check (long between -180 and 180)
);

-- How many people there are at each position. There are few distinct positions, since they come
-- from postal codes, so counting a neighborhood reads hundreds of rows and not tens of thousands.
create table private.position_counts (
  lat double precision,
  long double precision,
  people bigint not null,
  -- The Monday of the week of the last change, and how many there were before the four weeks that it was in
  -- (private.counted_since).
  week date not null default '2000-01-03',
  people_before bigint not null default 0,
  primary key (lat, long)
);

-- The key of what is taken off the counts of people nearby. It never leaves the database. One row,
-- made at random with the first position.
create table private.nearby_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
);

-- Each opt-in and opt-out, as it was given. Append-only. The channel "tracking" is whether a person
-- allows the directory to report their activity to its advertising and email services; without an
-- answer it is no.
create table public.consents (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.profiles (id) on delete cascade,
  channel text not null check (channel in ('email', 'sms', 'tracking')),
  granted boolean not null,
  text_version text not null check (length(text_version) <= 100),
  page text not null check (length(page) <= 500),
  at timestamptz not null default now()
);
create index consents_channel on public.consents (user_id, channel, id desc);

-- ---------------------------------------------------------------- functions

-- The confirmed address of an account, for what admins do on someone's behalf. Null for every other
-- caller.
create function private.account_email(user_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select lower(u.email) from auth.users u
  where u.id = account_email.user_id and u.email_confirmed_at is not null and u.email <> '' and private.is_admin()
$$;

-- Keeps the address of an account as it is until the transaction ends, for a listing or a job that gets a copy of it.
-- This waits for a change that has begun, so read the address afterwards. A change that begins later waits, and finds
-- the copy (copy_account_email). Only for the caller's own account, or for an admin.
create function private.hold_account_email(user_id uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform 1 from public.profiles p where p.id = hold_account_email.user_id
    and (p.id = private.user_id() or private.is_admin()) for share;
end $$;

-- The latest consent to tracking, or refusal of it, with the version of the text it was given under;
-- all null when there is none.
create function private.tracking_consent(user_id uuid) returns public.consents
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select c from public.consents c where c.user_id = tracking_consent.user_id and c.channel = 'tracking'
      order by c.id desc limit 1);
end $$;

-- The deletion of an account that its user has requested: {due_at, begun, only_admin}, whether it has begun, and whether
-- it waits because they are the only admin. Null when they haven't. (In plpgsql, because its table is defined later.)
create function private.requested_deletion(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('due_at', d.due_at, 'begun', d.begun_at is not null,
      'only_admin', private.is_last_admin(d.user_id))
    from private.account_deletions d where d.user_id = requested_deletion.user_id);
end $$;

-- Who is asking, as every page needs it. Null when the session has ended (signed out, password
-- changed elsewhere, account deleted or banned), even if its token has not expired yet. Before the
-- second step of signing in it says only what that step needs, with second_step_due and the factors
-- whose code is accepted. In a limited session it says only what choosing a password needs, with limited.
-- `admin` is whether they have an admin's rights now; an admin who has to turn two-step sign-in on first has
-- admin_needs_second_step.
create function private.my_session() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_build_object(
      'user_id', p.id,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
      'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
      'business_owner', p.business_owner, 'admin', a.is_admin,
      'admin_needs_second_step', p.admin and not a.is_admin, 'second_step', a.second_step,
      'supporter', p.supporter,
      'pending_email', nullif(u.email_change, ''),
      'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet,
      'deletion', private.requested_deletion(u.id))
    from auth.users u
    join public.profiles p on p.id = u.id
    cross join private.tracking_consent(u.id) t
    cross join (select private.is_admin() as is_admin, private.is_second_step_done() as second_step) a
    where u.id = private.user_id()
  ), (
    select jsonb_build_object('user_id', p.id, 'discreet', p.discreet,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end)
      || case when s.not_after is null or not private.has_passed_second_step(s)
        then jsonb_build_object('second_step_due', true,
          'factors', (select jsonb_agg(f.id order by f.created_at) from auth.mfa_factors f
            where f.user_id = u.id and f.status = 'verified' and f.factor_type = 'totp'))
        -- (With the keys of a session without a limit, for a dashboard of the previous release.)
        else jsonb_build_object('limited', true, 'full_name', null, 'phone', null, 'pronouns', null,
          'postalcode', null, 'opted_in', false, 'sms_opted_in', false, 'admin', false,
          'admin_needs_second_step', false, 'second_step', false, 'tracking', null, 'tracking_text', null,
          'deletion', null) end
    from auth.users u
    join public.profiles p on p.id = u.id
    join auth.sessions s on s.id = (auth.jwt() ->> 'session_id')::uuid
    where u.id = private.session_user_id()
  ));
end $$;
create function public.my_session() returns jsonb
language sql stable set search_path = ''
as $$ select private.my_session() $$;

-- Which columns users may change in their own profile. All others silently remain as they were.
create function private.guard_profile() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse_oversized(pg_column_size(new) > 1000000);
  new := private.with_one_line(new, 'full_name', 'phone', 'pronouns', 'postalcode');
  -- (What is too long is refused after this; to make it searchable first would take seconds.)
  new.full_name := nullif(left(btrim(new.full_name), 201), '');
  new.phone := nullif(btrim(new.phone), '');
  new.pronouns := nullif(btrim(new.pronouns), '');
  new.postalcode := nullif(btrim(new.postalcode), '');
  if private.from_api() then
    perform private.require_rights(old.id = private.user_id() or private.is_admin());
    new.id := old.id;
    new.email := old.email;
    new.created_at := old.created_at;
    new.stripe_customer_id := old.stripe_customer_id;
    if not private.is_admin() then
      new.admin := old.admin;
      new.supporter := old.supporter;
      new.business_owner := old.business_owner;
    end if;
    if old.admin and not new.admin then
      -- One at a time: of two admins who step down at once, the second one stays.
      perform pg_advisory_xact_lock(hashtext('private.is_last_admin'));
      if private.is_last_admin(old.id) then
        perform private.refuse('only_admin');
      end if;
    end if;
    -- Only the person themselves can consent, say who they are, and choose discretion. An admin's change of these would
    -- be in no log.
    if old.id is distinct from private.user_id() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
      new.full_name := old.full_name;
      new.phone := old.phone;
      new.pronouns := old.pronouns;
      new.postalcode := old.postalcode;
      new.discreet := old.discreet;
    end if;
  end if;
  new.modified_at := now();
  return new;
end $$;

-- An email to every admin, and to whom it is about, when admin rights are given or taken by a request to the data API.
-- Someone who is in an admin's session for a moment could make an account of their own an admin, and stay; or take the
-- rights of all others, who couldn't read the log anymore. (What a maintainer does in SQL, they know.) One email for
-- each statement, however many accounts it changes.
create function private.report_admin_rights() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed uuid[];
  given boolean;
  occasion constant uuid := gen_random_uuid();
begin
  select array_agg(n.id order by n.id), bool_or(n.admin) into changed, given
    from new_rows n join old_rows o on o.id = n.id where n.admin is distinct from o.admin;
  if changed is not null and private.user_id() is not null then
    perform private.enqueue_email(p.id, null, 'admin-rights-changed',
        format('admin-rights-changed:%s:%s', occasion, p.id), jsonb_build_object('given', given, 'accounts', cardinality(changed))
          || case when p.id = any (changed) then '{"yours": true}' else jsonb_build_object('account', changed[1]) end)
      from public.profiles p where p.admin or p.id = any (changed);
  end if;
  return null;
end $$;

-- The grid of positions: of users before they are stored, and of listings before people near them are
-- counted. So only finitely many circles can be asked about.
create function private.round_degrees(degrees double precision) returns double precision
language sql immutable set search_path = ''
as $$ select round(degrees::numeric, 1)::double precision $$;

create function private.store_position(user_id uuid, lat double precision, long double precision) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.user_positions as at (user_id, lat, long)
  values (store_position.user_id, private.round_degrees(store_position.lat),
    private.round_degrees(store_position.long))
  on conflict (user_id) do update set lat = excluded.lat, long = excluded.long
$$;

-- Writes the consents of a sign-up form, for an account whose address is confirmed.
create function private.accept_consents(user_id uuid, answers jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant text := left(coalesce(answers ->> 'consent_page', ''), 500);
  by_email constant boolean := coalesce(answers ->> 'opted_in', '') = 'true';
  by_sms constant boolean := coalesce(answers ->> 'sms_opted_in', '') = 'true';
begin
  if page = '' and not by_email and not by_sms then
    return;
  end if;
  perform set_config('app.consent_text', left(coalesce(answers ->> 'consent_text_version', ''), 100), true),
    set_config('app.consent_page', page, true),
    set_config('app.consent_form', case when page <> '' then 'yes' else '' end, true);
  update public.profiles p set opted_in = by_email, sms_opted_in = by_sms where p.id = accept_consents.user_id;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true),
    set_config('app.consent_form', '', true);
end $$;

-- Writes where the postal code of a sign-up form is, for an account whose address is confirmed.
create function private.accept_position(user_id uuid, answers jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  number constant text := '^-?[0-9]{1,3}([.][0-9]{1,15})?$';
begin
  if answers ->> 'postal_lat' ~ number and answers ->> 'postal_long' ~ number then
    if abs((answers ->> 'postal_lat')::float8) <= 90 and abs((answers ->> 'postal_long')::float8) <= 180 then
      perform private.store_position(user_id, (answers ->> 'postal_lat')::float8,
        (answers ->> 'postal_long')::float8);
    end if;
  end if;
end $$;

-- The parts of a sign-up form that count only once its sender has shown that the address is theirs; and when the form
-- was sent.
create function private.sign_up_answers(sent jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each_text(sent) e
    where e.value <> '' and length(e.value) <= 500 and e.key in ('opted_in', 'sms_opted_in', 'consent_text_version',
      'consent_page', 'postal_lat', 'postal_long', 'sent_at')
$$;

-- The parts of a sign-up form that go into the profile at once.
create function private.sign_up_profile(sent jsonb, out full_name text, out phone text, out pronouns text,
  out postalcode text)
language sql immutable set search_path = ''
as $$
  select left(nullif(btrim(sent ->> 'full_name'), ''), 200), left(nullif(btrim(sent ->> 'phone'), ''), 40),
    left(nullif(btrim(sent ->> 'pronouns'), ''), 100), left(nullif(btrim(sent ->> 'postalcode'), ''), 20)
$$;

-- By what the new accounts of a mailbox are counted, and how many it can have in a day. One mailbox has many addresses
-- (private.mailbox). The bucket is null for its plain one, which isn't counted: it can have one account, at each domain of
-- its provider, and others must not be able to use up its sign-ups. Those with dots are counted apart, and may be more:
-- many people write their address with one. Visitors are limited by the auth service.
create function private.sign_up_limit(email text, out bucket text, out accounts integer)
language sql immutable set search_path = ''
as $$
  select case when not private.is_plain(email) then
      case when private.has_suffix(email) then 'sign up ' else 'sign up with dots ' end || private.mailbox(email) end,
    case when private.has_suffix(email) then 5 else 20 end
$$;

-- A new account: the profile, from what the sign-up form sent along (full_name, phone, pronouns, postalcode,
-- opted_in, sms_opted_in, consent_text_version, consent_page, postal_lat, postal_long, sign_up_proof, sent_at;
-- business_owner "false" for a user of the app). The consents and the position wait for the confirmation of
-- the address: until then anyone may have filled in the form.
-- Nothing that a form sends can create an admin. Nothing of it stays with the auth service, which puts
-- it into every access token and answers it to anyone who signs up with the same address.
create function private.create_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  answers constant jsonb := private.sign_up_answers(sent);
begin
  perform private.enforce_limit('too_many_sign_ups', l.bucket, l.accounts, 86400)
    from private.sign_up_limit(new.email) l where l.bucket is not null;
  insert into public.profiles (id, full_name, phone, email, pronouns, postalcode, business_owner)
  select new.id, f.full_name, f.phone, new.email, f.pronouns, f.postalcode,
    coalesce(sent ->> 'business_owner', '') <> 'false'
  from private.sign_up_profile(sent) f;
  if new.email_confirmed_at is not null then
    perform private.accept_consents(new.id, answers), private.accept_position(new.id, answers);
  else
    insert into private.sign_ups (user_id, proof, answers)
    values (new.id, case when length(sent ->> 'sign_up_proof') = 43 then sent ->> 'sign_up_proof' end, answers);
  end if;
  -- t1_strip_metadata removes all of it.
  update auth.users set raw_user_meta_data = sent where id = new.id;
  return new;
end $$;

-- The part of a user's metadata that the auth service needs itself. Users can send any metadata, and it is in their
-- access tokens. So only these keys remain, with the account's own values. (The auth service leaves a former address
-- there when the account gets another one.)
create function private.strip_user_metadata() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.raw_user_meta_data := (
    select coalesce(jsonb_object_agg(own.key, own.value), '{}')
    from jsonb_each(jsonb_build_object('sub', new.id, 'email', new.email,
      'email_verified', new.email_confirmed_at is not null, 'phone_verified', false)) own
    where new.raw_user_meta_data ? own.key);
  return new;
end $$;
-- Only the auth service writes this: for an account with a password, from its columns.
create function private.strip_identity_data() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.identity_data := (
    select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(new.identity_data) e
    where e.key in ('sub', 'email', 'email_verified', 'phone_verified'));
  return new;
end $$;
-- A session's IP address says where someone is. The auth service enters it with each session, and again each hour,
-- but uses neither it nor the browser for any decision.
create function private.strip_session() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.ip := null;
  new.user_agent := null;
  return new;
end $$;

-- The account that a link of the auth service belongs to, whose one-time hash this is; null without one, and once
-- the link is older than the hour for which it works. The auth service keeps the hash until another one replaces it:
-- without the hour, an email in a mailbox that someone gave up long ago would go on saying what their address is now.
-- (The other conditions on the columns are those of their indexes, here and in a hosted project.)
create function private.account_of_link(token_hash text) returns uuid
language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users u where u.confirmation_token = token_hash
    and length(u.confirmation_token) > 6 and u.confirmation_token !~ '^[0-9 ]*$'
    and u.confirmation_sent_at > now() - interval '1 hour'
  union all
  select u.id from auth.users u where u.recovery_token = token_hash
    and length(u.recovery_token) > 6 and u.recovery_token !~ '^[0-9 ]*$'
    and u.recovery_sent_at > now() - interval '1 hour'
  union all
  select u.id from auth.users u where u.email_change_token_new = token_hash
    and length(u.email_change_token_new) > 6 and u.email_change_token_new !~ '^[0-9 ]*$'
    and u.email_change_sent_at > now() - interval '1 hour'
  union all
  select u.id from auth.users u where u.email_change_token_current = token_hash
    and length(u.email_change_token_current) > 6 and u.email_change_token_current !~ '^[0-9 ]*$'
    and u.email_change_sent_at > now() - interval '1 hour'
  limit 1
$$;

-- Only for our server: {user, address, confirmed, taken} of such a link, for the page that asks before it redeems the
-- link. The address is the one that the link was sent to, so that the reader of a new mailbox does not learn the
-- account's address; whether the account's address is confirmed; and whether the one that it is to change to has an
-- account by now.
create function private.target_of_link(token_hash text) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('user', u.id, 'address', lower(case when u.email_change_token_new = token_hash
      then u.email_change else u.email end),
    'confirmed', u.email_confirmed_at is not null,
    'taken', exists (select from auth.users t where t.email = lower(u.email_change) and not t.is_sso_user))
  from auth.users u where u.id = (select private.account_of_link(token_hash))
$$;
create function public.target_of_link(token_hash text) returns jsonb
language sql stable set search_path = ''
as $$ select private.target_of_link(token_hash) $$;

-- The address alone, for the code of the previous release.
create function private.address_of_link(token_hash text) returns text
language sql stable security definer set search_path = ''
as $$ select private.target_of_link(token_hash) ->> 'address' $$;
create function public.address_of_link(token_hash text) returns text
language sql stable set search_path = ''
as $$ select private.address_of_link(token_hash) $$;

-- Only for our server, before it redeems the link that confirms an address: whether the browser that
-- opens it is the one whose sign-up created the account. Then the account keeps its password. Once the address is
-- confirmed, no browser is recognized by a form that is kept (private.restore_sign_up): a link to a new password would
-- open the account without one.
create function private.recognize_sign_up(token_hash text, proof text) returns boolean
language sql volatile security definer set search_path = ''
as $$
  with recognized as (
    update private.sign_ups s set recognized = true
    where s.user_id = (select private.account_of_link(token_hash)) and s.proof = recognize_sign_up.proof
      and exists (select from auth.users u where u.id = s.user_id and u.email_confirmed_at is null)
    returning s.user_id)
  select exists (select from recognized)
$$;
create function public.recognize_sign_up(token_hash text, proof text) returns boolean
language sql volatile set search_path = ''
as $$ select private.recognize_sign_up(token_hash, proof) $$;

-- Only for our server: the form of an account that waits for its confirmation is sent again. The auth service leaves
-- the account as it is, since anyone can sign up with anyone's address. But the same proof means the same password,
-- so it is the same person, and the form that they sent last counts (also when an earlier one is handled after it).
-- Another password is someone else's. Which of the two owns the mailbox is unknown, so from then on no browser is
-- recognized, also not a shared one that keeps the cookie of either: the owner of the mailbox chooses a password. And
-- neither form says who they are.
-- Returns whether anything was updated.
create function private.update_sign_up(email text, sent jsonb) returns boolean
language sql volatile security definer set search_path = ''
as $$
  with waiting as (
    select u.id from auth.users u where u.email = lower(update_sign_up.email) and not u.is_sso_user
      and u.email_confirmed_at is null
  ), updated as (
    update private.sign_ups s set answers = private.sign_up_answers(sent)
    where s.user_id = (select w.id from waiting w) and s.proof = sent ->> 'sign_up_proof'
      -- (Both as ISO 8601 in UTC. Text, because anyone can send anything to the auth service.)
      and coalesce(s.answers ->> 'sent_at', '') collate "C" < sent ->> 'sent_at'
    returning s.user_id
  ), contested as (
    update private.sign_ups s set proof = null, recognized = false, answers = '{}'
    where s.user_id = (select w.id from waiting w) and s.proof is distinct from sent ->> 'sign_up_proof'
      and length(sent ->> 'sign_up_proof') = 43
    returning s.user_id
  ), changed as (
    update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from (select u.user_id, sent as form from updated u union all select c.user_id, '{}' from contested c) k,
      private.sign_up_profile(k.form) f where p.id = k.user_id
  )
  select exists (select from updated)
$$;
create function public.update_sign_up(email text, sent jsonb) returns boolean
language sql volatile set search_path = ''
as $$ select private.update_sign_up(email, sent) $$;

-- While a confirmation is awaited, the account has no password. Otherwise, someone who signed up with another
-- person's address, and so knows the password, would learn from the auth service that the address is not confirmed
-- yet. That reveals that the person had no account, and later when they confirm one.
create function private.hold_password() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.sign_ups as s (user_id, password) values (new.id, new.encrypted_password)
    on conflict (user_id) do update set password = excluded.password;
  new.encrypted_password := null;
  return new;
end $$;

-- An address is confirmed by a link that was sent to it. The person who opens it owns the mailbox, and need not
-- be the one who signed up: that password and those consents count only when the browser is the same one.
-- Otherwise the account has no password until its owner chooses one. Nor does it keep what the form of the dashboard
-- said about its sender, who may have mistyped their address: a stranger would read their name, their number, and where
-- they live. The same password, chosen again, brings it back (private.restore_sign_up). (What the mobile app sends along
-- stays: it can't be recognized. Without an email, an administrator of the project created the account.)
create function private.confirm_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  sign_up private.sign_ups;
begin
  delete from private.sign_ups s where s.user_id = new.id returning s.* into sign_up;
  if sign_up.recognized or old.confirmation_sent_at is null then
    new.encrypted_password := coalesce(sign_up.password, new.encrypted_password);
    perform private.accept_consents(new.id, sign_up.answers);
  else
    new.encrypted_password := null;
    -- Of sign-ups before consents waited for the confirmation.
    perform set_config('app.consent_page', '/confirm', true);
    update public.profiles set opted_in = false, sms_opted_in = false
      where id = new.id and (opted_in or sms_opted_in);
    perform set_config('app.consent_page', '', true);
    if sign_up.proof is not null then
      insert into private.sign_ups (user_id, proof, answers)
        select p.id, sign_up.proof, sign_up.answers || jsonb_strip_nulls(jsonb_build_object('full_name', p.full_name,
          'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode))
        from public.profiles p where p.id = new.id;
      update public.profiles set full_name = null, phone = null, pronouns = null, postalcode = null where id = new.id;
      sign_up.answers := '{}';
    end if;
  end if;
  perform private.accept_position(new.id, sign_up.answers);
  insert into private.confirmed_accounts (user_id) values (new.id)
    on conflict (user_id) do update set confirmed_at = now();
  return new;
end $$;

-- Only for our server, after someone has chosen the first password of an account whose browser was not recognized: with
-- the same proof, it is the password of the form, and so its sender. Then the form counts, as far as its user has entered
-- nothing else meanwhile. It is asked once: a stranger whose mailbox it is could guess one password after another, and
-- what was right would tell them who its sender is. Returns whether the form counts.
create function private.restore_sign_up(user_id uuid, proof text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  form jsonb;
  is_theirs boolean;
begin
  delete from private.sign_ups s using auth.users u
    where s.user_id = restore_sign_up.user_id and u.id = s.user_id and u.email_confirmed_at is not null
    returning s.answers, s.proof = restore_sign_up.proof and u.email_confirmed_at > now() - interval '1 hour'
    into form, is_theirs;
  if is_theirs is not true then
    return false;
  end if;
  update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from private.sign_up_profile(form) f
    where p.id = restore_sign_up.user_id and coalesce(p.full_name, p.phone, p.pronouns, p.postalcode) is null;
  -- (A consent is to messages to the number in the same form.)
  if found then
    perform private.accept_position(restore_sign_up.user_id, form);
    if not exists (select from public.consents c where c.user_id = restore_sign_up.user_id and c.channel <> 'tracking') then
      perform private.accept_consents(restore_sign_up.user_id, form);
    end if;
  end if;
  return true;
end $$;
create function public.restore_sign_up(user_id uuid, proof text) returns boolean
language sql volatile set search_path = ''
as $$ select private.restore_sign_up(user_id, proof) $$;

-- An email about a new password, so that it can't be replaced without its user's knowledge: on the dashboard, by a
-- caller of the auth service, or by an administrator of the project. The first password of an account replaces
-- none: it is reported only if it comes long after the account. (An auth service that encrypts its hashes writes them
-- anew once its key changes, at a sign-in.)
create function private.report_new_password() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enqueue_account_news(new.id, 'password-changed');
  return null;
end $$;

-- Deletes accounts whose address was not confirmed. Without an argument, those of a week ago, and forms of sign-ups
-- that their accounts had no use for within an hour; with an address, the account with that address, once its link is
-- too old to be opened, so that the address can be used. Returns how many accounts. Only for our server. (No one has
-- ever been signed in to them. The auth service's links are valid for an hour.)
create function private.delete_unconfirmed_accounts(email text) returns integer
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  deleted integer;
begin
  delete from auth.users u where u.id in (
    select o.id from auth.users o
    where o.email_confirmed_at is null and not o.is_sso_user
      and (delete_unconfirmed_accounts.email is null or o.email = lower(delete_unconfirmed_accounts.email))
      and greatest(o.confirmation_sent_at, o.recovery_sent_at) < now()
        - case when delete_unconfirmed_accounts.email is null then interval '7 days' else interval '1 hour' end
      and o.confirmation_sent_at is not null
      and not exists (select from public.places p where p.owner = o.id)
      and not exists (select from public.jobs j where j.owner = o.id)
    order by o.confirmation_sent_at limit 1000
    -- An account that gets another link at this moment is looked at again, and stays.
    for update of o);
  get diagnostics deleted = row_count;
  if delete_unconfirmed_accounts.email is null then
    delete from private.sign_ups s using auth.users u
      where u.id = s.user_id and u.email_confirmed_at < now() - interval '1 hour';
  end if;
  return deleted;
end $$;
create function public.delete_unconfirmed_accounts(email text default null) returns integer
language sql volatile set search_path = ''
as $$ select private.delete_unconfirmed_accounts(email) $$;

-- Whether the person has shown that their account's address is theirs.
create function private.is_confirmed(user_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from auth.users u where u.id = is_confirmed.user_id and u.email_confirmed_at is not null)
$$;

-- The address of an account changes. A link to a new password that is still in the old mailbox belongs to the person
-- who reads that mailbox, and must no longer work for the account. Nor must a session that began with such a link, or
-- with a password that they know (copy_account_email).
create function private.end_links() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.recovery_token := '';
  return new;
end $$;

-- A session begins with a link. It is limited, unless the link confirmed a new account: private.user_id() doesn't know
-- it, and it ends after 15 minutes, for the auth service as well. Otherwise someone who reads a mailbox for a moment
-- would stay in the account for as long as they like, and its user would not hear of it. Of two calls with one link at
-- once, the auth service answers both. It calls a session of any link 'otp' if it begins it in the transaction that uses
-- the link, and otherwise (PKCE) by the kind of link.
create function private.limit_session() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.confirmed_accounts c using auth.sessions s
    where s.id = new.session_id and c.user_id = s.user_id and c.confirmed_at > now() - interval '5 minutes';
  if not found then
    update auth.sessions s set not_after = now() + interval '15 minutes' where s.id = new.session_id;
  end if;
  return null;
end $$;

-- Someone signs in with the password, or enters a code of the authenticator app: they need no link. The limited
-- sessions of the account end, which may be an intruder's, and would refuse what follows (refuse_while_limited).
create function private.end_limited_sessions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.sessions s using auth.sessions own
    where own.id = new.session_id and own.not_after is null and s.user_id = own.user_id and s.not_after is not null;
  return null;
end $$;

-- A change of address, or an authenticator app, that begins while the account has a limited session, which may ask for
-- it: the auth service lets every session do that, for as long as its token is valid. The first would give the account
-- to another mailbox, and the second would lock its user out. The trigger's argument is the column with the user's id.
create function private.refuse_while_limited() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from auth.sessions s
    where s.user_id = (to_jsonb(new) ->> tg_argv[0])::uuid and s.not_after is not null) then
    raise exception 'session_limited' using errcode = '42501';
  end if;
  return new;
end $$;

-- The account gets a new password, of which an email reports, so the session that chose it is limited no more. The auth
-- service ends all others. The statement with which it sets a chosen password names the time of the last link as well;
-- that with which it only encrypts the same one anew, as someone signs in, names nothing else, and lifts no limit.
create function private.end_limit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update auth.sessions s set not_after = null where s.user_id = new.id and s.not_after > now();
  return null;
end $$;

-- Lifts the limit of a session that began with a link in the browser of someone who was signed in to the account, or
-- has just signed up: it gives them nothing that they don't have. Only for our server. Returns whether there is such a
-- session.
create function private.lift_session_limit(session_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update auth.sessions s set not_after = null
    where s.id = lift_session_limit.session_id and s.not_after > now();
  return found;
end $$;
create function public.lift_session_limit(session_id uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.lift_session_limit(session_id) $$;

-- The account gets a new password. A change of its address that has begun ends: a person whose account someone else has
-- been in may not know of it. The auth service ends its links, and would send new ones to anyone who asks for them.
create function private.end_email_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.email_change := '';
  new.email_change_token_new := '';
  new.email_change_token_current := '';
  new.email_change_confirm_status := 0;
  return new;
end $$;

-- The address of an account has changed, which both mailboxes confirmed. The copies change with it: the next holder
-- of the old mailbox must not find a listing or a job by its address. All sessions end, as after a new password; the
-- browser that confirmed the change gets a new one from the auth service, after this. An email to the old address and
-- the audit log report it, so that it can't change without its user's knowledge.
create function private.copy_account_email() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  confirmed constant text := case when new.email_confirmed_at is not null then nullif(lower(new.email), '') end;
begin
  -- First, so that no copy of the old address is made from here on (hold_account_email).
  update public.profiles set email = new.email where id = new.id;
  if old.email <> '' and old.email_confirmed_at is not null then
    delete from auth.sessions s where s.user_id = new.id;
    perform private.log_action('change-email', 'profiles', new.id::text, '{}');
    insert into private.email_queue (address, kind, key, data)
      values (old.email, 'email-changed', 'email-changed:' || gen_random_uuid(), jsonb_build_object('user', new.id));
  end if;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p where p.owner = new.id order by p.id for no key update;
  update public.places p set owner_email = confirmed where p.owner = new.id;
  -- As when a listing goes to someone else (private.move_jobs).
  perform 1 from public.jobs j where j.owner = new.id order by j.id for update;
  update public.jobs j set owner_email = confirmed where j.owner = new.id;
  return new;
end $$;

-- Consents are deleted with their account. Nothing else removes or changes them.
create function private.prevent_consent_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (select 1 from public.profiles p where p.id = old.user_id) then
    return old;
  end if;
  raise exception 'append_only' using errcode = '42501', table = 'consents';
end $$;

-- Refuses the 21st choice of an account in a day, since nothing removes one. Withdrawing a consent is never refused:
-- to do it again, it has to be given, which counts.
create function private.limit_consents(user_id uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- (A sign-up is no choice of an account yet.)
  if user_id = private.user_id() then
    perform private.enforce_limit('too_many_consents', 'consent by ' || user_id, 20, 86400);
  end if;
end $$;

-- The record is written wherever the choice takes effect: at the confirmation of a sign-up, by set_consent, or by a
-- change of the profile itself. The version of the text and the page come from app.consent_text and app.consent_page;
-- with app.consent_form both answers are recorded, also a no.
create function private.record_consents() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  consent_text text := coalesce(nullif(current_setting('app.consent_text', true), ''), 'unknown');
  page text := nullif(current_setting('app.consent_page', true), '');
  on_form boolean := coalesce(current_setting('app.consent_form', true), '') = 'yes';
  was_email boolean := false;
  was_sms boolean := false;
begin
  if tg_op = 'UPDATE' then
    was_email := old.opted_in;
    was_sms := old.sms_opted_in;
  end if;
  if on_form or new.opted_in <> was_email then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'email', new.opted_in, consent_text, coalesce(page, 'unknown'));
    if new.opted_in then
      perform private.limit_consents(new.id);
    end if;
  end if;
  if on_form or new.sms_opted_in <> was_sms then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'sms', new.sms_opted_in, consent_text, coalesce(page, 'unknown'));
    if new.sms_opted_in then
      perform private.limit_consents(new.id);
    end if;
  end if;
  return null;
end $$;

-- The one way in which the app changes an opt-in: the profile and the record of consent together.
-- channel is email or sms; text_version and page say which text was shown and where.
create function public.set_consent(channel text, granted boolean, text_version text, page text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  if channel is null or channel not in ('email', 'sms') or granted is null then
    perform private.refuse('consent_answer_invalid');
  end if;
  perform set_config('app.consent_text', left(coalesce(text_version, ''), 100), true),
    set_config('app.consent_page', left(coalesce(page, ''), 500), true);
  if channel = 'email' then
    update public.profiles set opted_in = granted where id = private.user_id() and opted_in <> granted;
  else
    update public.profiles set sms_opted_in = granted where id = private.user_id() and sms_opted_in <> granted;
  end if;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
end $$;

-- The one way to give or withdraw consent to tracking. Each change is a row of the record.
create function private.set_tracking_consent(granted boolean, text_version text, page text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
  before constant public.consents := private.tracking_consent(me);
begin
  if granted is null or me is null then
    perform private.refuse('tracking_answer_missing');
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (me, 'tracking', granted, text_version, page);
    if granted or before.granted is distinct from true then
      perform private.limit_consents(me);
    end if;
  end if;
end $$;
create function public.set_tracking_consent(granted boolean, text_version text, page text) returns void
language sql volatile set search_path = ''
as $$ select private.set_tracking_consent(granted, text_version, page) $$;

-- The centroid of the caller's postal code, rounded before it is stored. Null removes it. It can be
-- written and never read.
create function private.set_my_position(lat double precision, long double precision) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
begin
  -- The account can be deleted meanwhile.
  perform private.require_rights(me is not null);
  if lat is null or long is null then
    delete from private.user_positions where user_id = me;
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.store_position(me, lat, long);
  else
    perform private.refuse('position_invalid');
  end if;
end $$;
create function public.set_my_position(lat double precision, long double precision) returns void
language sql volatile set search_path = ''
as $$ select private.set_my_position(lat, long) $$;

-- Saves Personal Information as a whole or not at all: the profile, roughly where its postal code
-- is, and the record of consents, in one transaction.
--   text_version, page  which text asked for the opt-ins, and where
--   lat, long           the center of the postal code; null when its location is not known
create function public.save_my_profile(
  opted_in boolean, sms_opted_in boolean, text_version text, page text,
  full_name text default null, phone text default null, pronouns text default null,
    postalcode text default null,
  lat double precision default null, long double precision default null)
returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update public.profiles p
  set full_name = save_my_profile.full_name, phone = save_my_profile.phone,
    pronouns = save_my_profile.pronouns, postalcode = save_my_profile.postalcode
  where p.id = private.user_id();
  -- A change of the postal code has deleted the old position. A postal code whose location is not
  -- known has none.
  if lat is not null and long is not null then
    perform public.set_my_position(lat, long);
  end if;
  perform public.set_consent('email', opted_in, text_version, page);
  perform public.set_consent('sms', sms_opted_in, text_version, page);
end $$;

create function private.delete_position() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.user_positions where user_id = new.id;
  return null;
end $$;

-- The Monday on which the present four weeks began (UTC). What changes in them is counted from the next four on, and the
-- counts are obscured anew in each (private.obscured_count). (In plpgsql, which keeps its plan.)
create function private.counted_since() returns date
language plpgsql stable set search_path = ''
as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
begin
  return today - (today - date '2024-01-01') % 28;
end $$;

-- So a count doesn't reveal when someone came or moved, and someone who moves an account of their own around learns
-- nothing until then.
create function private.count_positions() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  this_week constant date := private.week_of(now());
  since constant date := private.counted_since();
begin
  if tg_op = 'INSERT' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, count(*), this_week from new_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  elsif tg_op = 'DELETE' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, -count(*), this_week from old_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  else
    -- Always in the same order, so that two people who swap positions do not deadlock.
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, sum(people), this_week from (
      select lat, long, 1 as people from new_rows union all select lat, long, -1 from old_rows
    ) moved group by lat, long having sum(people) <> 0 order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  end if;
  -- Where no one is, and no one was when the four weeks began, nothing is left: no one limits how often someone moves, and
  -- there are millions of positions.
  if tg_op <> 'INSERT' then
    delete from private.position_counts c where c.people = 0 and c.people_before = 0
      and (c.lat, c.long) in (select lat, long from old_rows);
  end if;
  return null;
end $$;

create function private.create_nearby_secret() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.nearby_secret default values on conflict do nothing;
  return null;
end $$;

-- Exactly how many people lived within a number of miles of a point when the four weeks began (great circle,
-- mean earth radius of 3958.7613 miles). No one ever sees this number. The box is a superset of the circle that a b-tree can scan. Near a pole it
-- is the whole cap, and where it crosses the 180th meridian it is two boxes.
create function private.count_users_within(lat double precision, long double precision,
  miles double precision)
returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  r constant double precision := 3958.7613;
  high constant double precision := degrees(miles / r) + 1e-9;
  wide double precision := 180;
  since constant date := private.counted_since();
  total bigint;
begin
  if lat is null or long is null then
    return null;
  end if;
  -- A tenth of a millimeter: the squares of smaller differences underflow.
  lat := round(lat::numeric, 9);
  long := round(long::numeric, 9);
  if abs(lat) + high < 90 then
    wide := degrees(asin(sin(radians(high)) / cos(radians(lat)))) + 1e-9;
  end if;
  select coalesce(sum(n), 0)::bigint into total from (
    select sum(hit.people) as n
    from (values (long - wide, long + wide), (long - wide + 360, long + wide + 360),
                 (long - wide - 360, long + wide - 360)) box (west, east)
    cross join lateral (
      select case when u.week >= since then u.people_before else u.people end as people
      from private.position_counts u
      where u.lat between count_users_within.lat - high and count_users_within.lat + high
        and u.long between greatest(box.west, -180) and least(box.east, 180)
        and 2 * r * asin(least(1, sqrt(
              sin(radians(u.lat - count_users_within.lat) / 2) ^ 2
              + cos(radians(count_users_within.lat)) * cos(radians(u.lat))
                * sin(radians(u.long - count_users_within.long) / 2) ^ 2))) <= miles
    ) hit
    where box.west <= 180 and box.east >= -180
  ) counted;
  return total;
end $$;

-- A count of people in a circle, as it may be shown: minus a number from 0 to 29 that is derived from the circle and
-- a secret, and another from 0 to 9 that also depends on the present four weeks, rounded down to a multiple of ten; 0
-- when that is fewer than 50. So it is never more than there are, the same question has the same answer for four weeks,
-- and the counts of two circles differ by far more than a person for reasons that no one can work out. Without the second
-- number, someone could find out by accounts of their own how many more people it takes until a count rises by ten, lift
-- it to one fewer, and see in each of a few circles whether the next person has come into it.
-- Null without a secret. (In plpgsql, which keeps its plan, as are the two below: a page has twenty counts.)
create function private.obscured_count(exact bigint, circle text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  secret constant bytea := (select s.secret from private.nearby_secret s);
  lasting constant bytea := sha256(secret || convert_to(circle, 'UTF8'));
  passing constant bytea := sha256(secret || convert_to(circle || ' since ' || private.counted_since(), 'UTF8'));
  shown constant bigint := (exact - (get_byte(lasting, 0) * 256 + get_byte(lasting, 1)) % 30
    - (get_byte(passing, 0) * 256 + get_byte(passing, 1)) % 10) / 10 * 10;
begin
  return case when shown < 50 then 0 else shown end;
end $$;

-- How many people live within 50 miles of a point, as it may be shown: 0 means fewer than 50. The circle
-- is about the nearest point of the grid. Null without a point.
create function private.people_nearby(lat double precision, long double precision) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  y constant double precision := private.round_degrees(lat);
  -- Both names of the 180th meridian.
  x constant double precision := case when abs(long) > 179.95 then 180 else private.round_degrees(long) end;
begin
  return case when y is not null and x is not null then
    coalesce(private.obscured_count(private.count_users_within(y, x, 50), y || ' ' || x), 0) end;
end $$;

-- Counts for the admin dashboard. Each equals the number of rows behind its link.
create function private.get_user_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object('count', 0, 'business_owners', 0, 'app_users', 0)
    || coalesce((select jsonb_object_agg(name, amount) from private.counter_values('users:')), '{}');
end $$;
create function public.get_user_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_user_counts() $$;

-- For admins: users found by name, by email address or by their id, 20 at most: the one with exactly this address
-- first, then those who are confirmed, the newest first. Row level security may not use a text index before it has
-- checked each row, so the search runs in a function that first checks who is asking. Anyone can sign up with
-- anyone's name, so `confirmed` says whether the address is theirs, and `has_address` whether it is exactly the one
-- that was typed. However many look-alikes there are, they can't hide the person. An address is not looked for in names:
-- anyone can write someone else's address as their name.
create function private.search_users(words text, page_rows integer)
returns table (id uuid, full_name text, email text, pronouns text, created_at timestamptz, confirmed boolean,
  has_address boolean)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  query tsquery := private.search_query(words);
  searched_id uuid := case when words ~* '^\s*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$'
    then btrim(words)::uuid end;
begin
  perform private.require_admin();
  return query
    select p.id, p.full_name, private.masked_email(p.email), p.pronouns, p.created_at, found.confirmed,
      found.has_address
    from public.profiles p
    left join auth.users u on u.id = p.id
    cross join lateral (select u.email_confirmed_at is not null as confirmed,
      coalesce(lower(p.email) = lower(btrim(words)), false) as has_address) found
    where p.full_name_search @@ query and position('@' in words) = 0 or p.email_search @@ query or p.id = searched_id
    order by found.has_address desc, found.confirmed desc, p.created_at desc, p.id desc
    limit private.page_size(page_rows, 20);
end $$;
create function public.search_users(words text, page_rows integer default 10)
returns table (id uuid, full_name text, email text, pronouns text, created_at timestamptz, confirmed boolean,
  has_address boolean)
language sql stable set search_path = ''
as $$ select * from private.search_users(words, page_rows) $$;

-- The conditions of a search for users, on profiles as p.
create function private.user_conditions(name text, email text) returns text
language sql stable set search_path = ''
as $$
  -- When none of the words that were typed can be searched for, no one is found, not everyone.
  select case when btrim(name) <> '' then
      coalesce(format(' and p.full_name_search @@ %L::tsquery', private.search_query(name)), ' and false')
        else '' end
    || case when btrim(email) <> '' then
      coalesce(format(' and p.email_search @@ %L::tsquery', private.search_query(email)), ' and false')
        else '' end
$$;

-- The users found by words of their name and of their email address, or all users: newest first,
-- with addresses and numbers masked. Returns a keyset page with the exact total.
create function private.admin_users(name text, email text, after text, before text, page_rows integer)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  conditions constant text := private.user_conditions(name, email);
  total bigint;
begin
  perform private.require_admin();
  if conditions = '' then
    select coalesce(sum(v.amount), 0) into total from private.counter_values('users:count') v
      where v.name = '';
  else
    execute 'select count(*) from public.profiles p where true' || conditions into total;
  end if;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns,
        ''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),
        ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in, ''supporter'', p.supporter,
        ''favorites'', private.favorites_in_tens(p.id), ''admin'', p.admin, ''created_at'', p.created_at,
        ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || conditions,
    '{created_at,id}', '{timestamptz,uuid}', after, before, page_rows);
end $$;
create function public.admin_users(
  name text default null, email text default null, after text default null, before text default null,
  page_rows integer default 100)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_users(name, email, after, before, page_rows) $$;

-- The users of a search, for a download: a keyset page without the total, 1,000 at most. Addresses
-- and numbers are masked, and there are no postal codes, unless `entry` is the audit entry of an export that
-- the caller began in the last hour.
create function private.export_users(entry bigint, name text, email text, after text,
  page_rows integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  perform private.require_export(entry, 'users', jsonb_build_object('name', name, 'email', email));
  return private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns, '
    || case when entry is null then '''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),'
      else '''email'', p.email, ''phone'', p.phone, ''postalcode'', p.postalcode, ' end
    || '''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in,
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', private.favorites_in_tens(p.id),
        ''created_at'', p.created_at, ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $$;
create function public.export_users(
  entry bigint default null, name text default null, email text default null, after text default null,
  page_rows integer default 1000)
returns jsonb
language sql stable set search_path = ''
as $$ select private.export_users(entry, name, email, after, page_rows) $$;

-- One user as their page shows them, with their listings and jobs (200 of each at most, and how
-- many there are). Null when there is no such user.
create function private.admin_user(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'pronouns', p.pronouns, 'postalcode',
      p.postalcode,
      'email', private.masked_email(p.email), 'phone', private.masked_phone(p.phone),
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in, 'business_owner', p.business_owner,
      'supporter', p.supporter, 'admin', p.admin, 'favorites', private.favorites_in_tens(p.id), 'created_at', p.created_at,
      'confirmed', private.is_confirmed(p.id),
      'places_count', (select count(*) from public.places l where l.owner = p.id),
      'places', (select coalesce(jsonb_agg(to_jsonb(l) order by l.name, l.id), '[]') from (
        select l.id, l.name, l.city, l.state, l.status, l.premium, l.hidden, l.proxi_id
        from public.places l where l.owner = p.id order by l.name, l.id limit 200) l),
      'jobs_count', (select count(*) from public.jobs j where j.owner = p.id),
      'jobs', (select coalesce(jsonb_agg(to_jsonb(j) order by j.created_at desc, j.id desc), '[]') from (
        select j.id, j.title, j.published, j.paid, j.expiration_date, j.filled_at, j.created_at,
          private.job_names_company(j.id) as names_company
        from public.jobs j where j.owner = p.id order by j.created_at desc, j.id desc limit 200) j))
    from public.profiles p where p.id = admin_user.user_id);
end $$;
create function public.admin_user(user_id uuid) returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_user(user_id) $$;

-- The email address and the phone number of a user, for an admin who asked to see them. This is
-- logged in the same transaction. Null when there is no such user.
create function private.reveal_contact(user_id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contact jsonb;
begin
  perform private.require_admin();
  select jsonb_build_object('id', p.id, 'email', p.email, 'phone', p.phone) into contact
    from public.profiles p where p.id = reveal_contact.user_id;
  if found then
    perform private.log_action('reveal-contact', 'profiles', user_id::text, '{"shown": ["email", "phone"]}');
  end if;
  return contact;
end $$;
create function public.reveal_contact(user_id uuid) returns jsonb
language sql volatile set search_path = ''
as $$ select private.reveal_contact(user_id) $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_strip_metadata before update of raw_user_meta_data, email on auth.users
  for each row execute function private.strip_user_metadata();
create trigger t1_confirm_account before update of email_confirmed_at on auth.users
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null)
  execute function private.confirm_account();
create trigger t1_hold_password before update on auth.users
  for each row when (new.email_confirmed_at is null and new.confirmation_sent_at is not null
    and new.encrypted_password <> '')
  execute function private.hold_password();
create trigger t1_create_profile after insert on auth.users
  for each row execute function private.create_profile();
create trigger t1_end_links before update of email on auth.users
  for each row when (old.email is distinct from new.email)
  execute function private.end_links();
create trigger t1_end_email_change before update of encrypted_password on auth.users
  for each row when (old.encrypted_password <> '' and new.encrypted_password is distinct from old.encrypted_password
    and new.email_change is not distinct from old.email_change)
  execute function private.end_email_change();
create trigger t2_copy_account_email after update of email on auth.users
  for each row when (old.email is distinct from new.email)
  execute function private.copy_account_email();
create trigger t3_report_new_password after update of encrypted_password on auth.users
  for each row when ((old.encrypted_password <> '' or old.email_confirmed_at < now() - interval '1 hour')
    and old.email_confirmed_at is not null and new.encrypted_password is distinct from old.encrypted_password)
  execute function private.report_new_password();
create trigger t1_strip_metadata before insert or update of identity_data on auth.identities
  for each row execute function private.strip_identity_data();
create trigger t3_end_limit after update of recovery_sent_at on auth.users
  for each row when (new.encrypted_password <> '' and new.encrypted_password is distinct from old.encrypted_password)
  execute function private.end_limit();
create trigger t1_refuse_while_limited before update of email_change on auth.users
  for each row when (new.email_change <> '' and new.email_change is distinct from old.email_change)
  execute function private.refuse_while_limited('id');
create trigger t1_refuse_while_limited before insert on auth.mfa_factors
  for each row execute function private.refuse_while_limited('user_id');
create trigger t1_end_limited after insert or update on auth.mfa_amr_claims
  for each row when (new.authentication_method in ('password', 'totp'))
  execute function private.end_limited_sessions();
create trigger t1_limit after insert on auth.mfa_amr_claims
  for each row when (new.authentication_method in ('otp', 'recovery', 'magiclink', 'email_change', 'email/signup'))
  execute function private.limit_session();
create trigger t1_strip before insert or update on auth.sessions
  for each row execute function private.strip_session();

create trigger t1_guard before insert or update on public.profiles
  for each row execute function private.guard_profile();
-- A position belongs to the postal code that it was found for.
create trigger t2_delete_position after update of postalcode on public.profiles
  for each row when (old.postalcode is distinct from new.postalcode)
  execute function private.delete_position();
create trigger t3_record_consents after insert or update of opted_in, sms_opted_in on public.profiles
  for each row execute function private.record_consents();
create trigger t4_audit_update after update on public.profiles
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{admin,supporter,business_owner}');
create trigger t4_audit_delete after delete on public.profiles
  referencing old table as old_rows
  for each statement execute function private.write_audit('{admin,supporter,business_owner}');
create trigger t4_report_rights after update on public.profiles
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.report_admin_rights();
create trigger t5_count_insert after insert on public.profiles referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');
create trigger t5_count_update after update on public.profiles
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');
create trigger t5_count_delete after delete on public.profiles referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''users:count'', case when business_owner then ''users:business_owners'' else ''users:app_users'' end]');

create trigger t1_count_insert after insert on private.user_positions referencing new table as new_rows
  for each statement execute function private.count_positions();
create trigger t1_count_update after update on private.user_positions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_positions();
create trigger t1_count_delete after delete on private.user_positions referencing old table as old_rows
  for each statement execute function private.count_positions();

create trigger t1_create_secret after insert on private.position_counts
  for each statement execute function private.create_nearby_secret();

create trigger t1_append_only before update or delete on public.consents
  for each row execute function private.prevent_consent_change();
create trigger t1_append_only_truncate before truncate on public.consents
  for each statement execute function private.prevent_change();

-- ---------------------------------------------------------------- policies

alter table public.profiles enable row level security;
create policy "expect one row" on public.profiles as restrictive for select to authenticated
  using (id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "read own, or admin" on public.profiles for select to authenticated
  using (id = (select private.user_id()) or (select private.is_admin()));
create policy "update own, or admin" on public.profiles for update to authenticated
  using (id = (select private.user_id()) or (select private.is_admin()))
  with check (id = (select private.user_id()) or (select private.is_admin()));

alter table private.sign_ups enable row level security;
create policy "no access" on private.sign_ups for all to anon, authenticated using (false);

alter table private.confirmed_accounts enable row level security;
create policy "no access" on private.confirmed_accounts for all to anon, authenticated using (false);

alter table private.user_positions enable row level security;
create policy "no access" on private.user_positions for all to anon, authenticated using (false);

alter table private.position_counts enable row level security;
create policy "no access" on private.position_counts for all to anon, authenticated using (false);

alter table private.nearby_secret enable row level security;
create policy "no access" on private.nearby_secret for all to anon, authenticated using (false);

alter table public.consents enable row level security;
create policy "expect one row" on public.consents as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "read own" on public.consents for select to authenticated using (user_id = (select private.user_id()));

-- ---------------------------------------------------------------- grants

grant select, update on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
grant select on public.consents to authenticated, service_role;

grant execute on function
  private.account_email(uuid),
  private.hold_account_email(uuid),
  private.my_session(),
  public.my_session(),
  public.set_consent(text, boolean, text, text),
  private.set_tracking_consent(boolean, text, text),
  public.set_tracking_consent(boolean, text, text),
  private.set_my_position(double precision, double precision),
  public.set_my_position(double precision, double precision),
  public.save_my_profile(boolean, boolean, text, text, text, text, text, text, double precision,
    double precision),
  private.get_user_counts(),
  public.get_user_counts(),
  private.search_users(text, integer),
  public.search_users(text, integer),
  private.admin_users(text, text, text, text, integer),
  public.admin_users(text, text, text, text, integer),
  private.export_users(bigint, text, text, text, integer),
  public.export_users(bigint, text, text, text, integer),
  private.admin_user(uuid),
  public.admin_user(uuid),
  private.reveal_contact(uuid),
  public.reveal_contact(uuid)
  to authenticated;
grant execute on function
  private.target_of_link(text),
  public.target_of_link(text),
  private.address_of_link(text),
  public.address_of_link(text),
  private.recognize_sign_up(text, text),
  public.recognize_sign_up(text, text),
  private.restore_sign_up(uuid, text),
  public.restore_sign_up(uuid, text),
  private.update_sign_up(text, jsonb),
  public.update_sign_up(text, jsonb),
  private.delete_unconfirmed_accounts(text),
  public.delete_unconfirmed_accounts(text),
  private.lift_session_limit(uuid),
  public.lift_session_limit(uuid)
  to service_role;
