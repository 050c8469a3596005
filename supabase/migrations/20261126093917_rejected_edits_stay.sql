-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop view private.due_emails;

CREATE OR REPLACE FUNCTION private.decide_listings(batch uuid, action text, reason text, items jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  act constant text := action;
  note constant text := case when action = 'request-changes' then btrim(private.many_lines(coalesce(reason, '')),
      e' \t\r\n')
    when action = 'reject' then nullif(btrim(private.many_lines(reason), e' \t\r\n'), '') end;
  email_kind constant text := private.decision_email(act);
  decided private.decision_batches;
  wanted bigint[];
  seen integer[];
  change text := case action
    when 'approve' then 'status = ''published'''
    when 'request-changes' then 'changes_requested = $4'
    when 'flag' then 'status = ''flagged'''
    when 'archive' then 'status = ''archived'', archive_requested = false'
    when 'reopen' then 'status = ''new'''
    when 'reject' then (select format('(%s, status) = (select %s, ''published'' from jsonb_populate_record(p, p.last_update) r)',
      string_agg(quote_ident(k), ', '), string_agg('r.' || quote_ident(k), ', '))
        from unnest(private.reviewed_columns()) k)
  end;
begin
  perform private.require_admin();
  if change is null then
    perform private.refuse('decision_unknown');
  elsif note = '' then
    perform private.refuse('change_request_empty', 'reason');
  elsif length(note) > 2000 then
    perform private.refuse('change_request_too_long', 'reason');
  end if;
  if items is not null then
    perform private.store_decision_batch(batch, items, null);
  end if;
  select * into decided from private.decision_batches b
    where b.id = batch and b.admin = private.user_id() and b.expires_at > now() for update;
  if not found then
    perform private.refuse('batch_expired');
  elsif decided.action is not null and (decided.action, decided.reason) is distinct from (act, note) then
    perform private.refuse('batch_already_decided');
  end if;

  select array_agg(r.place_id), array_agg(r.version) into wanted, seen from (
    select r.place_id, r.version from private.decision_rows r
    where r.batch_id = batch and r.outcome is null and decided.undone_at is null order by r.n limit 1000) r;
  if wanted is null then
    return private.batch_as_json(batch, null, null, 0, 1000);
  end if;
  -- Wait for other writers, always in the same order. The statements below see what they wrote, also
  -- about the caller, who may not be an admin any more.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  perform private.require_admin();

  perform set_config('app.audit_action', act, true);
  execute format('
    with validated as materialized (
      select j.*, case when j.outcome = ''done'' then jsonb_build_object(''status'', p.status,
          ''last_update'', p.last_update, ''changes_requested'', p.changes_requested, ''modified_at'', p.modified_at)
        || case when $1 = ''archive'' and p.archive_requested then ''{"archive_requested": true}''
          when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
            from (select to_jsonb(p) as row offset 0) edited, jsonb_object_keys(p.last_update) k)
          else ''{}'' end end as before
      from private.validate_decision($1, $4, $2, $3) j left join public.places p on p.id = j.place_id
    ), changed as (
      update public.places p set %s from validated j where j.place_id = p.id and j.outcome = ''done''
    )
    update private.decision_rows r set outcome = j.outcome, reasons = j.reasons, warnings = j.warnings, before = j.before
    from validated j where r.batch_id = $5 and r.place_id = j.place_id', change)
  using act, wanted, seen, note, batch;
  perform set_config('app.audit_action', '', true);

  if email_kind is not null then
    insert into private.email_queue (place_id, kind, key, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version),
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)
        || case act when 'archive' then private.about_removal(p, r.before ? 'archive_requested') else '{}' end)
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know what they decided about their own listing.
      and (act not in ('approve', 'archive') or p.owner is distinct from private.user_id())
    on conflict do nothing;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null),
      private.decision_emails_due(clock_timestamp()));
  end if;
  if act = 'reject' then
    insert into public.rejected_edits as k (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'archive_requested']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    -- One that its author hasn't used yet stays: the newer values and reason come first.
    on conflict (place_id) do update set rejected_at = excluded.rejected_at, edit = k.edit || excluded.edit,
      reason = nullif(left(concat_ws(e'\n\n', excluded.reason, nullif(k.reason, excluded.reason)), 2000), '');
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.delete_rejected_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.rejected_edits r where r.place_id = new.id
    and ((old.owner is not null and new.owner is distinct from old.owner)
      or not exists (
        select from jsonb_each(r.edit) e join private.listing_fields() f on f.name = e.key
        where not new.last_update ? e.key and to_jsonb(new) -> e.key is distinct from e.value
          -- The rest of an address follows from what was typed.
          and not (f.kind = 'address' and new.last_update ? 'rawaddress')));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - interval '1 hour') limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  delete from public.rejected_edits o where o.place_id in
    (select old.place_id from public.rejected_edits old where old.rejected_at < now() - interval '30 days'
      limit 200 for update skip locked);
  with due as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now()
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data || case when due.hidden then '{"hidden": true}' else '{}' end::jsonb
      || case when due.kept then '{"kept": true}' else '{}' end::jsonb, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
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
    and b.admin = private.user_id() for update;
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
    elsif decided.decided_at < now() - private.undo_window() then
      perform private.refuse('undo_expired');
    end if;
    update private.decision_batches b set undone_at = now() where b.id = batch;
  end if;
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  perform private.require_admin();

  perform set_config('app.audit_action', 'undo', true), set_config('app.undone_batch', batch::text, true);
  execute (
    select format('
      with validated as materialized (
        select r.place_id, r.before, p.id is not null as same
        from private.decision_rows r left join public.places p on p.id = r.place_id and p.version = r.version + 1
          and r.before is not null
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
  if decided.action = 'reject' then
    -- What waits again isn't rejected. (An earlier rejected edit that this one had joined is left.)
    update public.rejected_edits k set edit = k.edit - array(select jsonb_object_keys(p.last_update)),
      reason = case when k.reason = decided.reason then null
        when starts_with(k.reason, decided.reason || e'\n\n') then substr(k.reason, length(decided.reason) + 3)
        else k.reason end
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.undone = 'undone' and k.place_id = p.id;
    delete from public.rejected_edits k where k.place_id = any (wanted) and k.edit = '{}';
  end if;
  perform private.withdraw_decision_emails(decided, wanted);
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

create view private.due_emails as
 SELECT n.id,
    f.id AS user_id,
    f.full_name,
    ((i.id IS NOT NULL) OR COALESCE(f.discreet, ( SELECT a.discreet
           FROM public.profiles a
          WHERE ((n.address IS NOT NULL) AND ((a.id)::text = (n.data ->> 'user'::text)))), false)) AS discreet,
    COALESCE(n.address, i.email, lower((u.email)::text),
        CASE
            WHEN (p.owner IS NULL) THEN p.owner_email
            ELSE NULL::text
        END) AS email,
    COALESCE(p.hidden, false) AS hidden,
    ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id)))) AS kept
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON ((p.id = n.place_id)))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner, ( SELECT c.id
           FROM auth.users c
          WHERE ((p.owner IS NULL) AND ((c.email)::text = p.owner_email) AND (NOT c.is_sso_user) AND (c.email_confirmed_at IS NOT NULL))))) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'listing-removed'::text) OR (p.status = 'archived'::text)) AND ((n.kind <> 'edit-rejected'::text) OR (p.id IS NULL) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'changes-requested'::text) OR (p.id IS NULL) OR ((p.changes_requested = (n.data ->> 'reason'::text)) AND (p.status <> 'archived'::text))) AND (NOT private.is_outdated(n.kind, n.data, n.recipient)) AND private.wants_email(u.id, n.kind));

CREATE OR REPLACE TRIGGER t4_delete_rejected_edit AFTER UPDATE ON public.places FOR EACH ROW WHEN (((new.version <> old.version) OR ((old.owner IS NOT NULL) AND (new.owner IS DISTINCT FROM old.owner)))) EXECUTE FUNCTION private.delete_rejected_edit();

create policy "delete for own or managed listings" on public.rejected_edits for delete to authenticated
  using (((EXISTS ( SELECT
   FROM public.places p
  WHERE ((p.id = rejected_edits.place_id) AND (p.owner = ( SELECT private.user_id() AS user_id))))) OR (place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[]))));

grant delete on table public.rejected_edits to authenticated;

set check_function_bodies = on;
