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
  due timestamptz;
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
    due := private.decision_emails_due(clock_timestamp());
    insert into private.email_queue (place_id, kind, key, next_try_at, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version), due,
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)
        || case act when 'archive' then private.about_removal(p, r.before ? 'archive_requested') else '{}' end)
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know what they decided about their own listing.
      and (act not in ('approve', 'archive') or p.owner is distinct from (select private.user_id()))
    on conflict do nothing;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null), due);
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

CREATE OR REPLACE FUNCTION private.guard_place()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  changed boolean := true;
  -- Whether only a payment or the address of the owner's account has changed something.
  by_itself boolean := false;
  -- Whether more than the status has changed: what its texts were cleaned for, they still are.
  rewritten boolean := true;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
  -- 1. Columns that the caller may not write.
  if tg_op = 'INSERT' then
    new := private.reset_new_place(new, api, by_owner);
  else
    new := private.restore_protected_columns(old, new, api, by_owner);
    changed := new is distinct from old;
    rest := private.with_payment_columns(new, old);
    rest.owner_email := old.owner_email;
    by_itself := changed and not api and rest is not distinct from old;
    rest := new;
    rest.status := old.status;
    rewritten := rest is distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if rewritten then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.description := private.many_lines(new.description);
    new.changes_requested := private.many_lines(new.changes_requested);
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      -- (What is too long is refused after this; to make it searchable first would take seconds.)
      new.name_key := private.normalize_for_search(left(new.name, 200));
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if api and tg_op = 'INSERT' then
      new := private.without_former_answers(null, new);
    elsif api and new.category <> old.category then
      new := private.without_former_answers(old, new);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories
      or new.licensed_locations <> old.licensed_locations then
      perform private.validate_place_categories(new);
    end if;
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;

  -- 3. Review and version.
  if changed then
    if api and (old.last_update <> '{}' and new.status <> 'published'
      or old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
        and (by_owner or new.status = 'pending-update')) then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      -- Hiding a listing and asking for its removal are never refused. Anything else in the same change counts: to hide
      -- it while the request is withdrawn, and the other way around, would be a way to save without end.
      if to_jsonb(new) - switches <> to_jsonb(old) - switches
        or (old.hidden and not new.hidden) or (old.archive_requested and not new.archive_requested) then
        perform private.limit_changes(old.id);
      end if;
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        -- What was approved may return, also where the form requires more since.
        if old.status <> 'pending-update' or new.status <> 'published' then
          perform private.validate_place_fields(new);
        end if;
        new.changes_requested := null;
      end if;
    end if;
    if new.status = 'published' then
      new.last_update := '{}';
      new.changes_requested := null;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;

  -- 4. Another owner, or none.
  if old.owner is not null and new.owner is distinct from old.owner then
    new := private.part_from_owner(old, new);
  elsif old.owner is null and old.owner_email is not null and new.owner_email is distinct from old.owner_email then
    new := private.without_request(old, new);
  end if;
  -- A request for removal was that of the owner who made it, and is over once it is fulfilled. With no owner, as after
  -- the deletion of their account, it waits for the team.
  if (new.owner is not null and new.owner is distinct from old.owner)
    or (new.status = 'archived' and old.status <> 'archived') then
    new.archive_requested := new.archive_requested and not old.archive_requested;
  end if;
  -- What no one can see doesn't become public after its owner has asked for its removal, unless they show it
  -- themselves. (Of decisions, validate_decision says the same.)
  if api and new.archive_requested and new.status in ('published', 'pending-update')
    and (old.status not in ('published', 'pending-update')
      or (old.hidden and not new.hidden and old.owner is distinct from private.user_id())) then
    perform private.refuse('removal_requested', 'status');
  end if;

  -- 5. Changes that no form or reviewer has read: hiding, showing and asking for removal, payments,
  -- and the address of the owner's account. Neither the version nor the listing's place in the queue changes with them.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        -- (A request for removal that is canceled has been read: an admin would still remove the listing for it.)
        if new.archive_requested or not old.archive_requested then
          new.version := old.version;
        end if;
        new.modified_at := old.modified_at;
      end if;
    end if;
  elsif by_itself then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 6. Undoing a decision puts the listing back where it was in its queue.
  if current_setting('app.undone_batch', true) <> '' then
    new.modified_at := private.modified_at_before_decision(new.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.schedule_emails(keys text[], due timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set next_try_at = due
  where n.key = any (keys) and n.sent_at is null and n.attempts = 0 and n.next_try_at is distinct from due
$function$;

set check_function_bodies = on;
