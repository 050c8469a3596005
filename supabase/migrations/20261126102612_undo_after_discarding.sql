-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
          -- An edit that its author has discarded since doesn''t wait again.
          and ($3 <> ''reject'' or exists (select from public.rejected_edits k where k.place_id = p.id))
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
  using batch, wanted, decided.action;
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
