-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
        || case when p.archive_requested then jsonb_build_object(''archive_requested'', true) else ''{}'' end
        || case when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
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
          -- What no one can see doesn''t become public after its owner has asked for its removal.
          and not (p.archive_requested and not r.before ? ''archive_requested''
            and p.status not in (''published'', ''pending-update'')
            and r.before ->> ''status'' in (''published'', ''pending-update''))
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

set check_function_bodies = on;
