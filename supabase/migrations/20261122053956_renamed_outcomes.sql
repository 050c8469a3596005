-- The outcome of an undo that leaves a changed listing alone, and two values, have clearer names.
-- Written by `npm run migrations:new`; what these objects are for is in supabase/schemas.

set check_function_bodies = off;

alter table private.decision_rows drop constraint decision_rows_undone_check;

drop function public.lease_emails(integer);

drop function private.lease_emails(integer);

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
      'undo_until', case when b.undone_at is null and b.decided_at > now() - interval '10 minutes'
        and exists (select from rows where decided and outcome = 'done')
          then b.decided_at + interval '10 minutes' end,
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
          'reasons', page.reasons, 'warnings', page.warnings, 'decided', page.decided)
          order by page.outcome is not distinct from 'done' or page.outcome is not distinct from 'undone',
            page.n), '[]')
        from page left join public.places p on p.id = page.place_id))
    from private.decision_batches b where b.id = batch_as_json.batch and b.admin = auth.uid());
end $function$;

CREATE OR REPLACE FUNCTION private.create_decision_batch(batch uuid, items jsonb, filter jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  perform private.store_decision_batch(batch, items, filter);
  return (
    select jsonb_build_object('batch', b.id, 'left_out', b.left_out, 'more', b.more, 'expires_at', b.expires_at,
      'selected', (select count(*) from private.decision_rows r where r.batch_id = b.id))
    from private.decision_batches b where b.id = batch and b.admin = auth.uid());
end $function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days' limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  with due as materialized (
    select n.id, f.id as user_id, f.full_name, i.id is not null or coalesce(f.discreet, false) as discreet,
      coalesce(i.email, lower(u.email), case when p.owner is null then p.owner_email end) as email
    from private.email_queue n
    left join public.manager_invitations i on i.id = n.invitation_id
      and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
    left join public.places p on p.id = n.place_id
    left join auth.users u on u.id = coalesce(n.recipient, p.owner)
      and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    left join public.profiles f on f.id = u.id
    where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
      and (i.id is not null or u.id is not null or (p.owner is null and p.owner_email is not null))
      and private.wants_email(u.id, n.kind)
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data, n.attempts, due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.undo_decisions(batch uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  decided private.decision_batches;
  wanted bigint[];
begin
  perform private.require_admin();
  select * into decided from private.decision_batches b where b.id = batch
    and b.admin = auth.uid() for update;
  if not found then
    perform private.refuse('batch_expired');
  end if;
  select array_agg(r.place_id) into wanted from (
    select r.place_id from private.decision_rows r
    where r.batch_id = batch and r.outcome = 'done' and r.undone is null
    order by r.n limit 1000) r;
  if decided.undone_at is null then
    if wanted is null then
      perform private.refuse('nothing_to_undo');
    elsif decided.decided_at < now() - interval '10 minutes' then
      perform private.refuse('undo_expired');
    end if;
    update private.decision_batches b set undone_at = now() where b.id = batch;
  end if;
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;

  -- An email that was not sent yet is not sent any more.
  if decided.action in ('request-changes', 'reject') then
    delete from private.email_queue n using private.decision_rows r
    where r.batch_id = batch and r.place_id = any (wanted) and n.sent_at is null
      and n.key = format('%s:%s:%s', case decided.action when 'reject' then 'edit-rejected'
        else 'changes-requested' end,
        r.place_id, r.version + 1);
  end if;
  perform set_config('app.audit_action', 'undo', true), set_config('app.undone_batch', batch::text, true);
  execute (
    select format('
      with validated as materialized (
        select r.place_id, r.before, p.id is not null as same
        from private.decision_rows r left join public.places p on p.id = r.place_id and p.version = r.version + 1
        where r.batch_id = $1 and r.place_id = any ($2)
      ), restored as (
        update public.places p set (%s) = (select %s from jsonb_populate_record(p, j.before) r)
        from validated j where j.place_id = p.id and j.same
      )
      update private.decision_rows r set undone = case when j.same then ''undone'' else ''unchanged'' end
      from validated j where r.batch_id = $1 and r.place_id = j.place_id',
      string_agg(quote_ident(k), ', '), string_agg('r.' || quote_ident(k), ', '))
    from unnest(private.reviewed_columns() || array['status', 'last_update', 'changes_requested',
      'archive_requested']) k)
  using batch, wanted;
  perform set_config('app.audit_action', '', true), set_config('app.undone_batch', '', true);
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION public.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select * from private.lease_emails(max_emails) $function$;

update private.decision_rows set undone = 'unchanged' where undone = 'kept';

alter table private.decision_rows add constraint decision_rows_undone_check CHECK ((undone = ANY (ARRAY['undone'::text, 'unchanged'::text])));

grant execute on function private.lease_emails(integer) to service_role;

grant execute on function public.lease_emails(integer) to service_role;

set check_function_bodies = on;
