-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
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
    if api and old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
      and (by_owner or new.status = 'pending-update') then
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
  -- What no one can see doesn't become public after its owner has asked for its removal. (Of decisions,
  -- validate_decision says the same.)
  if api and new.archive_requested and new.status in ('published', 'pending-update')
    and old.status not in ('published', 'pending-update') then
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

CREATE OR REPLACE FUNCTION private.validate_decision(action text, reason text, wanted bigint[], seen integer[])
 RETURNS TABLE(place_id bigint, outcome text, reasons text[], warnings text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select w.id, j.outcome,
    case j.outcome when 'refused' then r.refusals when 'missing' then array['listing_missing']
      when 'stale' then array[coalesce('already_' || r.already, 'listing_changed')] end,
    case j.outcome when 'done' then nullif(array_remove(array[
      case when action = 'approve' and p.archive_requested then 'removal_requested' end,
      case when action in ('flag', 'archive') and p.premium and p.stripe_subscription_id is not null
        and (action = 'flag' or p.subscription_ends_at is null) then
        case action when 'flag' then 'subscription_continues' else 'subscription_stops' end end,
      case when action in ('flag', 'archive') then private.booked_newsletters(p.id) end,
      case when c.admin is not null then 'under_review:' || coalesce(a.full_name, '') end], null), '{}') end
  from unnest(wanted, seen) w (id, version)
  left join public.places p on p.id = w.id
  left join private.review_locks c on c.place_id = p.id and c.admin <> (select private.user_id()) and c.until > now()
  left join public.profiles a on a.id = c.admin
  cross join lateral (select
    case when (action, p.status) in (('approve', 'published'), ('flag', 'flagged'), ('archive', 'archived'))
      then p.status end as already,
    nullif(array_remove(case action
      -- What was taken off the directory returns by a decision of its own. And what no one can see doesn't become
      -- public after its owner has asked for its removal (as guard_place says of a status that is set by hand).
      when 'approve' then array[case when p.status = 'archived' then 'reopen_first'
          when p.archive_requested and p.status <> 'pending-update' then 'archive_instead' end]
        || private.missing_for_approval(p.owner_email, p.state)
      when 'flag' then array[case when p.status = 'archived' then 'already_removed' end]
      when 'reject' then array[
        case when p.status <> 'pending-update' or p.last_update = '{}' then 'no_edit' end]
      when 'request-changes' then array[case
        when p.status in ('published', 'archived') then 'nothing_under_review:' || p.status
        when p.owner is null and p.owner_email is null then 'no_owner_email'
        when p.changes_requested = validate_decision.reason then 'changes_already_requested' end]
      when 'reopen' then array[
        case when p.status not in ('flagged', 'archived') then 'not_flagged_or_archived' end]
    end, null), '{}') as refusals) r
  cross join lateral (select case
    when p.id is null then 'missing'
    when w.version is distinct from p.version or r.already is not null then 'stale'
    when r.refusals is not null then 'refused'
    else 'done' end as outcome) j
$function$;

set check_function_bodies = on;
