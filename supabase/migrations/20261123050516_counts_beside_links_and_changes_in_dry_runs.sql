-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.admin_counts()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  places jsonb := private.get_places_counts();
begin
  return jsonb_build_object(
    'new', places -> 'new', 'pending', places -> 'pending-update', 'flagged', places -> 'flagged',
    'reports', (select count(*) from public.events e where e.state = 'open'),
    'feedback', (select count(*) from public.feedback f where not f.archived),
    'all_listings', places -> 'total', 'premium', places -> 'premium',
    'all_jobs', private.get_jobs_counts() -> 'total', 'users', private.get_user_counts() -> 'count');
end $function$;

CREATE OR REPLACE FUNCTION private.batch_as_json(batch uuid, action text, reason text, skip integer, page_rows integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  return (
    with rows as materialized (
      select r.n, r.place_id, r.sent, r.version, r.outcome is not null as decided,
        coalesce(r.undone, r.outcome, j.outcome) as outcome,
        case when r.undone = 'unchanged' then array['changed_since_decision']
          else coalesce(r.reasons, j.reasons) end as reasons,
        coalesce(r.warnings, j.warnings) as warnings
      from private.decision_rows r
      left join (
        select j.* from (select array_agg(o.place_id) as wanted, array_agg(o.version) as seen
          from private.decision_rows o where o.batch_id = batch_as_json.batch and o.outcome is null) waiting
        cross join lateral private.validate_decision(batch_as_json.action, batch_as_json.reason,
          waiting.wanted, waiting.seen) j
        where batch_as_json.action is not null
      ) j on j.place_id = r.place_id
      where r.batch_id = batch_as_json.batch
    ), page as (
      select * from rows order by outcome is not distinct from 'done'
        or outcome is not distinct from 'undone', n
      limit private.page_size(page_rows, 1000) offset greatest(coalesce(skip, 0), 0)
    )
    select json_build_object(
      'batch', b.id, 'action', b.action, 'reason', b.reason, 'filter', b.filter, 'left_out', b.left_out,
        'more', b.more,
      'decided_at', b.decided_at, 'undone_at', b.undone_at, 'expires_at', b.expires_at,
      'undo_until', case when b.undone_at is null and b.decided_at > now() - private.undo_window()
        and exists (select from rows where decided and outcome = 'done')
          then b.decided_at + private.undo_window() end,
      'selected', (select count(*) from rows),
      'left', (select count(*) from rows where not decided),
      'left_to_undo', case when b.undone_at is null then 0
        else (select count(*) from rows where decided and outcome = 'done') end,
      'counts', '{"done": 0, "refused": 0, "stale": 0, "missing": 0, "undone": 0, "unchanged": 0}' || coalesce(
        (select jsonb_object_agg(outcome, amount)
          from (select outcome, count(*) as amount from rows where outcome is not null group by outcome) o),
            '{}'),
      'reasons', (select coalesce(jsonb_agg(jsonb_build_object('outcome', outcome, 'reasons', reasons,
        'count', amount)
          order by amount desc, reasons), '[]')
        from (select outcome, reasons, count(*) as amount from rows
          where reasons is not null group by outcome, reasons) o),
      'warnings', (select coalesce(jsonb_agg(jsonb_build_object('warnings', warnings, 'count', amount)
          order by amount desc, warnings), '[]')
        from (select warnings, count(*) as amount from rows where warnings is not null group by warnings) o),
      'rows', (select coalesce(json_agg(json_build_object(
          'id', case when page.place_id >= 0 then page.place_id end, 'sent', page.sent, 'version',
            page.version,
          'name', p.name, 'city', p.city, 'state', p.state, 'status', p.status, 'outcome', page.outcome,
          'reasons', page.reasons, 'warnings', page.warnings, 'decided', page.decided,
          'changes', case when page.outcome = 'done' and not page.decided and p.last_update <> '{}'
            then private.edit_changes(p) end)
          order by page.outcome is not distinct from 'done' or page.outcome is not distinct from 'undone',
            page.n), '[]')
        from page left join public.places p on p.id = page.place_id))
    from private.decision_batches b where b.id = batch_as_json.batch and b.admin = private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.count_new_leads()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select count(*) from public.places p join public.leads l on l.place_id = p.id
  where (p.owner = (select private.user_id()) or p.id = any ((select private.managed_places())::bigint[]))
    and l.state = 'new' and l.created_at >= coalesce(p.leads_from, '-infinity')
$function$;

CREATE OR REPLACE FUNCTION private.edit_changes(place public.places)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select json_agg(json_build_object('column', e.key, 'before', e.value, 'after', current_values.row -> e.key)
    order by array_position(private.reviewed_columns(), e.key))
  from (select to_jsonb(place) as row offset 0) current_values, jsonb_each(place.last_update) e
$function$;

CREATE OR REPLACE FUNCTION private.review_rows(ids bigint[], sort text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'name', p.name, 'category', p.category, 'category_name', c.name,
        'city', p.city, 'state', p.state, 'country', p.country, 'status', p.status, 'premium', p.premium,
        'premium_created_at', p.premium_created_at, 'hidden', p.hidden, 'archive_requested',
          p.archive_requested,
        'owner', p.owner, 'owner_name', o.full_name, 'owner_email', private.masked_email(p.owner_email),
          'phone', p.phone,
        'public_email', p.public_email, 'url', p.url, 'created_at', p.created_at, 'modified_at',
          p.modified_at,
        'changes_requested', p.changes_requested, 'kind', private.edit_kind(p.last_update),
        'changes', case when p.last_update = '{}' then '[]' else private.edit_changes(p) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = private.user_id(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort),
        'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open')
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_locks r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $function$;

CREATE OR REPLACE FUNCTION public.my_counts()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'listings', (
      select count(private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])))
      from (
        select * from public.places o where o.owner = (select private.user_id())
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p)
      + (select count(*) from public.listing_drafts d where d.owner = (select private.user_id()) and d.form is null),
    'leads', private.count_new_leads(),
    'jobs', (
      select count(*) from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
        and (not j.paid or (j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'))
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')))
    || case when (select private.is_admin()) then private.admin_counts() else '{}' end
$function$;

grant execute on function private.admin_counts() to authenticated;

grant execute on function private.count_new_leads() to authenticated;

grant execute on function public.my_counts() to authenticated;

set check_function_bodies = on;
