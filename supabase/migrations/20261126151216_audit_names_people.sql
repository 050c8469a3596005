-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.admin_audit(filter jsonb, after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

set check_function_bodies = on;
