-- Who did what to which row, before and after. Written by triggers in the transaction of the act,
-- one entry a row, bulk included. Only ever added to, and read by admins alone.
create table public.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Opaque on purpose, with no foreign key: it outlives the account and says nothing about it.
  actor uuid,
  -- anon, authenticated or service_role; "system" for migrations and maintenance.
  actor_role text not null,
  action text not null,
  subject text not null,
  subject_id text not null,
  before jsonb,
  after jsonb
);
create index audit_log_subject on public.audit_log (subject, subject_id, id);
create index audit_log_actor on public.audit_log (actor, id);
create index audit_log_action on public.audit_log (action, id);
create index audit_log_at on public.audit_log (at);

create function private.refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise exception 'The table % is only ever added to.', tg_table_name using errcode = '42501';
end $$;

create trigger append_only before update or delete on public.audit_log
  for each row execute function private.refuse_change();
create trigger append_only_truncate before truncate on public.audit_log
  for each statement execute function private.refuse_change();

-- What people could be found by is withheld, since an entry can never be erased: the entry says
-- that it changed, not from what to what.
create function private.audit_value(key text, value jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case
    when key in ('owner_email', 'public_email', 'phone', 'mailingaddress', 'email', 'full_name')
      and value <> 'null'::jsonb then '"[withheld]"'::jsonb
    when key = 'last_update' and jsonb_typeof(value) = 'object'
      then value - array['public_email', 'phone', 'mailingaddress']
    else value
  end
$$;

-- Statement trigger with transition tables old_rows and new_rows. Its argument, when given, is the
-- list of columns worth an entry; otherwise all but the bookkeeping ones. The rows become JSON once
-- (materialized), not once a column; compiling the statement would take longer than it runs (jit).
create function private.write_audit() returns trigger
language plpgsql security definer set search_path = '' set jit = off
as $$
declare
  only_keys text[] := nullif(coalesce(tg_argv[0], ''), '')::text[];
  skip_keys constant text[] := array['version', 'modified_at', 'created_at', 'name_search',
    'full_name_search', 'email_search', 'favorites_count'];
  -- A function that carries a decision names it (app.audit_action), otherwise the verb does.
  named text := coalesce(nullif(current_setting('app.audit_action', true), ''), lower(tg_op));
  asker uuid := auth.uid();
  asker_role text := coalesce(nullif(auth.role(), ''), 'system');
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select asker, asker_role, named, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key)) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) as after
      from jsonb_each(n.j) k
      where k.value is distinct from o.j -> k.key and k.key <> all (skip_keys)
        and (only_keys is null or k.key = any (only_keys))
    ) changed
    where changed.after is not null
    order by n.id;
  elsif tg_op = 'INSERT' then
    with n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
    select asker, asker_role, named, tg_table_name, n.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select asker, asker_role, named, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $$;

alter table public.audit_log enable row level security;
create policy "admins read" on public.audit_log for select to authenticated
  using ((select private.is_admin()));
grant select on public.audit_log to authenticated, service_role;
