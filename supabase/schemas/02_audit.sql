-- The audit log: who did what to which row, with the values before and after. Triggers write it in the transaction of
-- the change, one entry per row, including bulk changes. It is append-only, and only admins may read it. Here are the
-- table, the trigger function that every audited table uses, the function that logs an action that changes no table,
-- and the functions behind the admin page and the downloads.

-- ---------------------------------------------------------------- tables

create table public.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- The id alone, without a foreign key: it outlives the account and says nothing about it.
  actor uuid,
  -- anon, authenticated or service_role; "system" for migrations and maintenance.
  actor_role text not null,
  action text not null,
  subject text not null,
  subject_id text not null,
  before jsonb,
  after jsonb
);
create index audit_log_subject on public.audit_log (subject, subject_id, at, id);
create index audit_log_actor on public.audit_log (actor, at, id);
create index audit_log_action on public.audit_log (action, at, id);
create index audit_log_newest on public.audit_log (at, id);

-- The downloads with contact details that were begun within the hour in which they may be read, and of what. The filter
-- is a hash, because its words may be a person's name or address.
create table private.exports (
  entry bigint primary key references public.audit_log (id),
  filter_hash text not null,
  begun_at timestamptz not null default now()
);

-- Whether an entry about a listing moved it into a review queue, or out of one.
create function private.is_queue_move(before jsonb, after jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(before ->> 'status', '') in ('new', 'pending-update', 'flagged')
    or coalesce(after ->> 'status', '') in ('new', 'pending-update', 'flagged')
    or coalesce(before ->> 'archive_requested', '') = 'true' or coalesce(after ->> 'archive_requested', '') = 'true'
$$;
create index audit_log_queue_moves on public.audit_log (at)
  where subject = 'places' and private.is_queue_move(before, after);

-- Whether an entry is about one of the states that functions look up in the log: whether the public has seen a row, and
-- when it was removed, hidden, or to be removed. With their index, they read these entries alone. Someone who saves a
-- long text again and again makes the others of a row hundreds of megabytes, and one call of such a function would hold
-- up everyone's emails, or the review of their listing.
create function private.is_state_change(after jsonb) returns boolean
language sql immutable set search_path = ''
as $$ select after ?| '{status, paid, archive_requested, hidden}'::text[] $$;
create index audit_log_states on public.audit_log (subject, subject_id, at, id) where private.is_state_change(after);

-- ---------------------------------------------------------------- functions

-- The columns of audited tables whose values could identify a person, say where they live, or open what was
-- sent to them. A test asks for a decision about each new column.
create function private.withheld_columns() returns text[]
language sql immutable set search_path = ''
as $$
  select '{owner_email, public_email, email, phone, full_name, mailingaddress, rawaddress, address, postalcode,
    lat, long, note, changes_requested}'::text[]
$$;

-- The texts and links of listings, jobs, and newsletter features. Anything may be typed into them, an email
-- address too: they are recorded once their row has been public, and withheld before. (Not the name of a
-- listing or the title of a job, by which admins recognize what an entry is about.)
create function private.texts_withheld_until_public() returns text[]
language sql immutable set search_path = ''
as $$
  select '{description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, pay_range, ally_safety,
    company_name, company_bio, promo_text, link, location, photo_location}'::text[]
$$;

-- Whether the public has seen a row: it is approved or paid for, or was at some time, which the log itself
-- says. (A refund makes a job unpaid again; a flagged listing may have been approved.)
create function private.has_been_public(subject text, found jsonb) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(found ->> 'status' in ('published', 'pending-update') or found ->> 'paid' = 'true', false)
    or exists (select from public.audit_log a
      where a.subject = has_been_public.subject and a.subject_id = found ->> 'id'
        and private.is_state_change(a.after) and (a.after ->> 'status' = 'published' or a.after ->> 'paid' = 'true'))
$$;

-- Withholds these values, because an entry can never be erased. The entry says that a value changed, not
-- from what to what. A position is rounded to about seven miles, so that a listing that moves around the
-- map to find people is still noticed.
create function private.audit_value(key text, value jsonb, is_public boolean) returns jsonb
language sql immutable set search_path = ''
as $$
  select case
    when key in ('lat', 'long') and jsonb_typeof(value) = 'number'
      then to_jsonb(round((value #>> '{}')::numeric, 1))
    when (key = any (private.withheld_columns()) or not is_public) and value <> 'null'::jsonb then '"[withheld]"'::jsonb
    when key = 'last_update' and jsonb_typeof(value) = 'object' then value - private.withheld_columns()
    else value
  end
$$;

-- Statement trigger with transition tables old_rows and new_rows. Its argument, when given, is the
-- list of columns that deserve an entry; otherwise all columns except the bookkeeping ones. The
-- rows are converted to JSON once (materialized), not once per column. Compiling the statement
-- would take longer than running it (jit).
create function private.write_audit() returns trigger
language plpgsql security definer set search_path = '' set jit = off
as $$
declare
  only_keys text[] := nullif(coalesce(tg_argv[0], ''), '')::text[];
  skip_keys constant text[] := array['version', 'modified_at', 'waiting_since', 'removal_requested_at', 'created_at',
    'name_search', 'full_name_search', 'email_search'];
  -- A function that makes a decision names it in app.audit_action; otherwise it is the statement.
  action_name text := coalesce(nullif(current_setting('app.audit_action', true), ''), lower(tg_op));
  acting_user uuid := auth.uid();
  acting_role text := coalesce(nullif(auth.role(), ''), 'system');
  -- Only for these columns is it asked whether a row has been public, which may take a look-up.
  texts constant text[] := case when tg_table_name in ('places', 'jobs', 'sponsorships')
    then private.texts_withheld_until_public() else '{}' end;
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    -- What a former owner wrote and no one approved goes with them, and not into the log once more.
    cross join lateral (select case when tg_table_name = 'places' and o.j ->> 'owner' is not null
      and n.j ->> 'owner' is distinct from o.j ->> 'owner' then o.j -> 'last_update' else '{}' end as edit) gone
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key,
          not gone.edit ? k.key and (k.key <> all (texts) or private.has_been_public(tg_table_name, o.j)))) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) as after
      from jsonb_each(n.j) k
      where k.value is distinct from o.j -> k.key and k.key <> all (skip_keys)
        and (only_keys is null or k.key = any (only_keys))
    ) changed
    where changed.after is not null
    order by n.id;
  elsif tg_op = 'INSERT' then
    with n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select acting_user, acting_role, action_name, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, o.j))) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $$;

-- Logs what an admin did that changes no table: what they viewed or downloaded.
create function private.log_action(action text, subject text, subject_id text, about jsonb) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), coalesce(nullif(auth.role(), ''), 'system'), action, subject, subject_id, about)
$$;

-- Every action in the log, found with one index lookup each.
create function private.audit_actions() returns jsonb
language sql stable security definer set search_path = ''
as $$
  with recursive found as (
    select min(a.action) as action from public.audit_log a
    union all
    select (select min(a.action) from public.audit_log a where a.action > f.action) from found f
      where f.action is not null
  )
  select coalesce(jsonb_agg(action order by action) filter (where action is not null), '[]') from found
$$;

-- Entries, newest first. The filter is an object of strings; an absent or blank value filters
-- nothing.
--   who               words of a name or an email address, or an id (also of a deleted account)
--   action, subject   as they are in the log
--   subject_id        exact
--   from, to          days in UTC, both included Returns a keyset page, and all actions that occur in the log. Rows
-- have ids of accounts. "people" has the names of those that exist, so that a deleted account is named nowhere.
create function private.admin_audit(filter jsonb, after text, before text, page_rows integer)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  conditions text := '';
  who constant text := btrim(filter ->> 'who');
  from_time constant timestamptz := nullif(filter ->> 'from', '')::date::timestamp at time zone 'UTC';
  to_time constant timestamptz := (nullif(filter ->> 'to', '')::date + 1)::timestamp at time zone 'UTC';
begin
  perform private.require_admin();
  if who ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    conditions := format(' and a.actor = %L', who::uuid);
  elsif who <> '' then
    conditions := format(' and a.actor = any (%L::uuid[])', array(
      select p.id from public.profiles p, private.search_query(who) query
      where p.full_name_search @@ query or p.email_search @@ query
      order by p.admin desc, p.created_at desc limit 1000));
  end if;
  if filter ->> 'action' <> '' then
    conditions := conditions || format(' and a.action = %L', filter ->> 'action');
  end if;
  if filter ->> 'subject' <> '' then
    conditions := conditions || format(' and a.subject = %L', filter ->> 'subject');
  end if;
  if btrim(filter ->> 'subject_id') <> '' then
    conditions := conditions || format(' and a.subject_id = %L', lower(btrim(filter ->> 'subject_id')));
  end if;
  if from_time is not null then
    conditions := conditions || format(' and a.at >= %L', from_time);
  end if;
  if to_time is not null then
    conditions := conditions || format(' and a.at < %L', to_time);
  end if;
  return jsonb_build_object('actions', private.audit_actions()) || private.keyset_page(
    'select a.at, a.id, jsonb_build_object(''id'', a.id, ''at'', a.at, ''actor'', a.actor, ''actor_role'', a.actor_role,
        ''actor_name'', (select p.full_name from public.profiles p where p.id = a.actor),
        ''known'', exists (select from public.profiles p where p.id = a.actor),
        ''by_admin'', exists (select from public.profiles p where p.id = a.actor and p.admin),
        ''action'', a.action, ''subject'', a.subject, ''subject_id'', a.subject_id,
        ''subject_name'', case a.subject
          when ''places'' then (select p.name from public.places p where p.id = a.subject_id::bigint)
          when ''jobs'' then (select j.title from public.jobs j where j.id = a.subject_id::bigint)
          when ''profiles'' then (select coalesce(p.full_name, '''') from public.profiles p where p.id = a.subject_id::uuid) end,
        ''people'', coalesce((select jsonb_object_agg(p.id, coalesce(p.full_name, '''')) from public.profiles p
          where p.id = any (array(select (v #>> ''{}'')::uuid
            from jsonb_path_query(jsonb_build_array(a.before, a.after), ''$[*].*[*]'') v
            where v #>> ''{}'' ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$''))), ''{}''),
        ''before'', a.before, ''after'', a.after) as item
      from public.audit_log a where true' || conditions,
    '{at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $$;
create function public.admin_audit(
  filter jsonb default '{}', after text default null, before text default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_audit(filter, after, before, page_rows) $$;

-- What a filter says, as a hash that differs for each entry of the audit log. An empty value is none.
create function private.filter_hash(entry bigint, filter jsonb) returns text
language sql immutable set search_path = ''
as $$
  select private.code_hash(entry || ' ' || coalesce(jsonb_object_agg(key, value), '{}'))
    from jsonb_each_text(case when jsonb_typeof(filter) = 'object' then filter else '{}' end) where value <> ''
$$;

-- Begins a download with contact details: writes the audit entry and returns its id, which the
-- download requires.
--   what    the table, as the app calls it
--   about   its filter; search words are withheld, because they may be a person's name or address. The log, from which
--           nothing is removed, takes no more names than any filter has, and no longer ones
create function private.start_export(what text, about jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  entry bigint;
begin
  perform private.require_admin();
  if what is null or what not in ('users', 'listings')
    or jsonb_typeof(about) = 'object' and (select count(*) > 20 or max(length(key)) > 30 from jsonb_object_keys(about) key)
  then
    perform private.refuse('export_unknown');
  end if;
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), auth.role(), 'export', 'exports', what, jsonb_build_object('contacts', true, 'filter', (
    select coalesce(jsonb_object_agg(key, case when key in ('name', 'email', 'search') then '"[withheld]"'
      else to_jsonb(left(value, 100)) end), '{}')
    from jsonb_each_text(case when jsonb_typeof(about) = 'object' then about else '{}' end) used
      where value <> '')))
  returning id into entry;
  delete from private.exports e where e.begun_at < now() - interval '1 hour';
  insert into private.exports (entry, filter_hash) values (entry, private.filter_hash(entry, about));
  return entry;
end $$;
create function public.start_export(what text, about jsonb default '{}') returns bigint
language sql volatile set search_path = ''
as $$ select private.start_export(what, about) $$;

-- Refuses a download that asks for contact details, unless `entry` is the audit entry of an export
-- of that table and filter which the caller began in the last hour. Without an entry (null) contact details are
-- masked, and nothing is refused.
create function private.require_export(entry bigint, what text, filter jsonb) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if entry is not null and not exists (select from private.exports e
    join public.audit_log a on a.id = e.entry
    where e.entry = require_export.entry and a.actor = private.user_id() and a.subject_id = what
      and e.filter_hash = private.filter_hash(e.entry, require_export.filter)
      and e.begun_at > now() - interval '1 hour') then
    raise exception 'export_ended' using errcode = '42501';
  end if;
end $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_append_only before update or delete on public.audit_log
  for each row execute function private.prevent_change();
create trigger t1_append_only_truncate before truncate on public.audit_log
  for each statement execute function private.prevent_change();

-- ---------------------------------------------------------------- policies

alter table public.audit_log enable row level security;
create policy "expect one row" on public.audit_log as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "admins read" on public.audit_log for select to authenticated
  using ((select private.is_admin()));

alter table private.exports enable row level security;
create policy "no access" on private.exports for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select on public.audit_log to authenticated, service_role;

grant execute on function
  private.admin_audit(jsonb, text, text, integer),
  public.admin_audit(jsonb, text, text, integer),
  private.start_export(text, jsonb),
  public.start_export(text, jsonb)
  to authenticated;
