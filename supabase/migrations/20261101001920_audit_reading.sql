-- Reading the audit log: by who did it, what was done, what it was done to, and when.

-- Ordered by when it was, under each thing it is looked up by.
drop index public.audit_log_subject, public.audit_log_actor, public.audit_log_action, public.audit_log_at;
create index audit_log_subject on public.audit_log (subject, subject_id, at, id);
create index audit_log_actor on public.audit_log (actor, at, id);
create index audit_log_action on public.audit_log (action, at, id);
create index audit_log_newest on public.audit_log (at, id);

-- Entries, the newest first. The filter is an object of strings; what is absent or blank filters nothing.
--   who               words of a name or an e-mail address, or an id (also of an account that is gone)
--   action, subject   as they stand in the log
--   subject_id        exactly
--   from, to          days in UTC, both included
-- Gives a keyset page, and all the actions there are.
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
      select p.id from public.profiles p, private.people_query(who) query
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
        ''action'', a.action, ''subject'', a.subject, ''subject_id'', a.subject_id,
        ''subject_name'', case a.subject
          when ''places'' then (select p.name from public.places p where p.id = a.subject_id::bigint)
          when ''jobs'' then (select j.title from public.jobs j where j.id = a.subject_id::bigint)
          when ''profiles'' then (select coalesce(p.full_name, '''') from public.profiles p where p.id = a.subject_id::uuid) end,
        ''before'', a.before, ''after'', a.after) as item
      from public.audit_log a where true' || conditions,
    '{at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $$;

-- Every action in the log, by one look into the index each.
create function private.audit_actions() returns jsonb
language sql stable security definer set search_path = ''
as $$
  with recursive found as (
    select min(a.action) as action from public.audit_log a
    union all
    select (select min(a.action) from public.audit_log a where a.action > f.action) from found f where f.action is not null
  )
  select coalesce(jsonb_agg(action order by action) filter (where action is not null), '[]') from found
$$;

create function public.admin_audit(
  filter jsonb default '{}', after text default null, before text default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_audit(filter, after, before, page_rows) $$;
grant execute on function private.admin_audit(jsonb, text, text, integer),
  public.admin_audit(jsonb, text, text, integer) to authenticated;
