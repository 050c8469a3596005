-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.is_queue_move(before jsonb, after jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select coalesce(before ->> 'status', '') in ('new', 'pending-update', 'flagged')
    or coalesce(after ->> 'status', '') in ('new', 'pending-update', 'flagged')
    or coalesce(before ->> 'archive_requested', '') = 'true' or coalesce(after ->> 'archive_requested', '') = 'true'
$function$;

CREATE OR REPLACE FUNCTION private.queue_weeks()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with moves (queue, at, came) as (
    select m.queue, a.at, m.came
    from public.audit_log a cross join lateral (
      select a.after ->> 'status', true where a.after ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select a.before ->> 'status', false where a.before ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select 'archive-requested', coalesce(a.after ->> 'archive_requested', '') = 'true'
        where 'true' in (a.after ->> 'archive_requested', a.before ->> 'archive_requested')) m (queue, came)
    where a.at > now() - interval '28 days' and a.subject = 'places' and private.is_queue_move(a.before, a.after)
    union all
    select 'feedback', f.created_at, true from public.feedback f where f.created_at > now() - interval '28 days'
    union all
    select 'reports', e.created_at, true from public.events e
      where e.event_name = 'report_listing' and e.created_at > now() - interval '28 days'
    union all
    select case a.subject when 'events' then 'reports' else a.subject end, a.at, false from public.audit_log a
      where a.at > now() - interval '28 days'
        and (a.action, a.subject) in (('archive', 'feedback'), ('resolve', 'events'), ('dismiss', 'events'))
  ), weeks as (
    select m.queue, m.came, least(3, floor(extract(epoch from now() - m.at) / 604800))::integer as ago, count(*)
    from moves m group by 1, 2, 3
  )
  select jsonb_object_agg(q.queue, jsonb_build_object(
    'came', array(select coalesce((select w.count from weeks w where w.queue = q.queue and w.came and w.ago = n), 0)
      from generate_series(3, 0, -1) n),
    'left', array(select coalesce((select w.count from weeks w where w.queue = q.queue and not w.came
        and w.ago = n), 0) from generate_series(3, 0, -1) n)))
  from unnest(array['new', 'pending-update', 'flagged', 'archive-requested', 'feedback', 'reports']) q (queue)
$function$;

CREATE OR REPLACE FUNCTION private.recent_deciders()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('id', d.actor, 'name', p.full_name, 'count', d.count)
    order by d.count desc, d.actor), '[]')
  from (select a.actor, count(*) from public.audit_log a
    where a.action in ('approve', 'request-changes', 'flag', 'archive', 'reject', 'reopen') and a.subject = 'places'
      and a.at > now() - interval '28 days' and a.actor is not null
    group by 1 order by 2 desc, 1 limit 6) d
  left join public.profiles p on p.id = d.actor
$function$;

CREATE OR REPLACE FUNCTION private.review_dashboard()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  places jsonb := private.get_places_counts();
  queue record;
  queues jsonb := '{}';
  oldest bigint;
begin
  for queue in select * from (values ('new', '{"view": "new"}'::jsonb),
    ('pending-update', '{"view": "pending"}'),
    ('flagged', '{"view": "flagged"}'), ('archive-requested', '{"archive": "requested"}')) q (name, filter)
  loop
    oldest := (private.review_ids(queue.filter, null, false, 1))[1];
    queues := queues || jsonb_build_object(queue.name,
      jsonb_build_object('count', places -> queue.name, 'oldest',
      (select jsonb_build_object('id', p.id, 'name', p.name, 'since', p.modified_at) from public.places p
        where p.id = oldest)));
  end loop;
  return jsonb_build_object(
    'places', places, 'users', private.get_user_counts(), 'jobs', private.get_jobs_counts(), 'queues', queues,
    'feedback', (select jsonb_build_object('count', count(*), 'oldest', min(f.created_at)) from public.feedback f
      where not f.archived),
    'reports', (select jsonb_build_object('count', count(*), 'oldest', min(e.created_at)) from public.events e
      where e.state = 'open'),
    'weeks', private.queue_weeks(), 'deciders', private.recent_deciders(),
    'newsletters', jsonb_build_object('spots', private.spots_per_newsletter(), 'next', (
      select coalesce(jsonb_agg(jsonb_build_object('date', d.weekday_date, 'taken', d.sponsorship_count)
        order by d.weekday_date), '[]')
      from (select * from private.get_available_sponsorship_dates(4) order by weekday_date limit 4) d)),
    'failing', jsonb_build_object(
      'plans', (select count(*) from public.subscriptions s where s.status in ('past_due', 'unpaid') and not s.surplus),
      'refunds', (select count(*) from public.refunds r where r.status = 'failed'),
      'emails', (select count(*) from private.email_queue n where n.sent_at is null and n.attempts >= 3
        and n.created_at > now() - interval '7 days')),
    'no_email', private.review_total('{"view": "pending", "email": "no"}'),
    'longest', (select coalesce(jsonb_agg(jsonb_build_object(
        'id', p.id, 'name', p.name, 'status', p.status, 'since', p.modified_at) order by p.modified_at,
          p.id), '[]')
      from (select p.* from unnest(private.review_ids('{"view": "new"}', null, false, 5)
          || private.review_ids('{"view": "pending"}', null, false, 5)) w (id)
        join public.places p on p.id = w.id order by p.modified_at, p.id limit 5) p));
end $function$;

CREATE INDEX audit_log_queue_moves ON public.audit_log USING btree (at) WHERE ((subject = 'places'::text) AND private.is_queue_move(before, after));

set check_function_bodies = on;
