-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.last_removal(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('at', r.at, 'requested', coalesce(r.before ->> 'archive_requested', (
      select a.after ->> 'archive_requested' from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and (a.at, a.id) <= (r.at, r.id)
        and a.after ? 'archive_requested'
      order by a.at desc, a.id desc limit 1), 'false') = 'true')
  from (
    select m.* from (select a.*, lead(a.action) over (order by a.at, a.id) as next_action from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and a.after ? 'status') m
    where m.action <> 'undo' and m.next_action is distinct from 'undo'
      and m.after ->> 'status' in ('archived', 'published', 'pending-update')
    order by m.at desc, m.id desc limit 1
  ) r
  where r.after ->> 'status' = 'archived'
$function$;

set check_function_bodies = on;
