-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop policy "update own, or admin" on public.sponsorships;

drop policy "read own, or admin" on public.sponsorships;

drop policy "insert own, or admin" on public.sponsorships;

drop policy "read own, or admin" on public.sponsorship_spots;

drop policy "own, admins only" on public.saved_views;

drop policy "update own, or admin" on public.profiles;

drop policy "read own, or admin" on public.profiles;

drop policy "update own, managed, claimable, or admin" on public.places;

drop policy "read own, managed, claimable, or admin" on public.places;

drop policy "insert own, or admin" on public.places;

drop policy "read own, or admin" on public.orders;

drop policy "read own, for own listings, or admin" on public.manager_invitations;

drop policy "read own, for own listings, or admin" on public.listing_managers;

drop policy own on public.listing_drafts;

drop policy "update for owned or managed listings" on public.leads;

drop policy "read for owned or managed listings" on public.leads;

drop policy "insert for public listings" on public.leads;

drop policy "update own, or admin" on public.jobs;

drop policy "read own, or admin" on public.jobs;

drop policy "insert own, or admin" on public.jobs;

drop policy "read own, or admin" on public.feedback;

drop policy "insert own" on public.feedback;

drop policy "read own" on public.favorites;

drop policy "insert own" on public.favorites;

drop policy "delete own" on public.favorites;

drop policy "read own, or admin" on public.events;

drop policy "insert for public listings" on public.events;

drop policy "update own" on public.email_preferences;

drop policy "read own" on public.email_preferences;

drop policy "insert own" on public.email_preferences;

drop policy "read own" on public.consents;

CREATE OR REPLACE FUNCTION private.accept_invitation(token text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  hash constant text := private.code_hash(token);
  listing public.places;
  invitation public.manager_invitations;
  state text;
begin
  select p.* into listing from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id join public.places p on p.id = i.place_id
    where t.token_hash = hash for no key update of p;
  select i.* into invitation from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id
    where t.token_hash = hash for update of i;
  state := private.invitation_state(invitation);
  if state <> 'open' then
    return jsonb_build_object('state', state);
  end if;
  update public.manager_invitations i set accepted_at = now(), accepted_by = private.user_id()
    where i.id = invitation.id;
  insert into public.listing_managers (place_id, profile_id, invited_by)
    values (listing.id, private.user_id(), invitation.invited_by);
  perform private.log_action('accept-invitation', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation.id, 'manager', private.user_id()));
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_delete_user(userid uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  existed boolean;
begin
  -- A caller who waited for another admin may not be an admin any more.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  perform private.require_admin();
  if userid = private.user_id() then
    perform private.refuse('own_account');
  end if;
  perform set_config('app.audit_action', 'delete-user', true);
  existed := private.erase_user(userid);
  perform set_config('app.audit_action', '', true);
  return existed;
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
    from private.decision_batches b where b.id = batch_as_json.batch and b.admin = private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.cancel_account_deletion()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$ delete from private.account_deletions d where d.user_id = private.user_id() $function$;

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
    from private.decision_batches b where b.id = batch and b.admin = private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.current_reviewer(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('id', c.admin, 'name', a.full_name, 'mine', c.admin = private.user_id(),
    'since', c.since, 'until', c.until)
  from private.review_locks c join public.profiles a on a.id = c.admin
  where c.place_id = current_reviewer.place_id and c.until > clock_timestamp()
$function$;

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
  note constant text := case when action = 'request-changes' then btrim(coalesce(reason, ''), e' \t\r\n')
    when action = 'reject' then nullif(btrim(reason, e' \t\r\n'), '') end;
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
  -- Wait for other writers, always in the same order. The statements below see what they wrote.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;

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

  if act in ('request-changes', 'reject') then
    perform private.enqueue_email(null, p.id, queued.kind, format('%s:%s:%s', queued.kind, p.id, p.version),
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)))
    from private.decision_rows r join public.places p on p.id = r.place_id
    cross join (select case act when 'reject' then 'edit-rejected' else 'changes-requested' end as kind) queued
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done';
  end if;
  if act = 'reject' then
    insert into public.rejected_edits (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'archive_requested']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    on conflict (place_id) do update
      set rejected_at = excluded.rejected_at, reason = excluded.reason, edit = excluded.edit;
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.deletion_effects(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'admin', p.admin, 'self', p.id = private.user_id(),
      'places', (select count(*) from public.places l where l.owner = p.id),
      -- Live subscriptions: their own, and those that only their listing refers to.
      'subscriptions', (
        select count(*) from (
          select s.id from public.subscriptions s
            where s.owner = p.id and s.status not in ('canceled', 'incomplete_expired')
          union
          select l.stripe_subscription_id from public.places l
            where l.owner = p.id and l.stripe_subscription_id is not null
              and coalesce(l.subscription_status, '') not in ('canceled', 'incomplete_expired')
              and not exists (select from public.subscriptions s
                where s.id = l.stripe_subscription_id)) paid),
      'jobs', (select count(*) from public.jobs j where j.owner = p.id),
      'sponsorships', (select count(*) from public.sponsorships s where s.owner = p.id),
      'leads', (select count(*) from public.leads l where l.requester = p.id),
      'favorites', p.favorites_count,
      'feedback', (select count(*) from public.feedback f where f.userid = p.id),
      'reports', (select count(*) from public.events e where e.user_id = p.id))
    from public.profiles p where p.id = deletion_effects.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_owner_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act not in ('form', 'approve') or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
  from new_rows n join old_rows o on o.id = n.id
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' then 'listing-approved'
      when act = 'form' and exists (select from unnest(private.reviewed_columns()) c
        where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c) then 'listing-edited'
    end as kind) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.export_my_data()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
  my_email constant text := private.my_email();
  one record;
  found_rows jsonb;
  everything jsonb := '{}';
begin
  for one in
    select t.relation, string_agg(t.condition, ' or ') as condition from (
      select n.relation, format('r.%I = $1', n.col) as condition from private.columns_referencing_users() n
      union all
      select a.attrelid::regclass, format('lower(r.%I) = $2', a.attname)
      from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname like '%email'
        and a.atttypid = 'text'::regtype and not a.attisdropped
      union all
      select 'public.audit_log'::regclass,
        'r.actor = $1 or (r.subject = ''profiles'' and r.subject_id = $1::text)'
      union all
      select 'public.rejected_edits'::regclass,
        'exists (select from public.places p where p.id = r.place_id and p.owner = $1)'
    ) t group by t.relation order by t.relation::text
  loop
    execute format('select coalesce(jsonb_agg(to_jsonb(r) - array[''code_hash'', ''name_search'', ''full_name_search'', ''email_search'']
      - case when %L = ''public.leads'' then array[''notes'', ''state''] else ''{}'' end), ''[]'') from %s r where %s',
      one.relation::text, one.relation, one.condition) into found_rows using me, my_email;
    everything := everything || jsonb_build_object(regexp_replace(one.relation::text, '^.*\.', ''),
      found_rows);
  end loop;
  return everything || jsonb_build_object('account', (
    select jsonb_build_object('id', u.id, 'email', u.email, 'email_confirmed_at', u.email_confirmed_at,
      'new_email', nullif(u.email_change, ''), 'created_at', u.created_at, 'last_sign_in_at',
        u.last_sign_in_at,
      'sign_up_form', u.raw_user_meta_data,
      'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'refreshed_at',
        s.refreshed_at)), '[]')
        from auth.sessions s where s.user_id = u.id))
    from auth.users u where u.id = me));
end $function$;

CREATE OR REPLACE FUNCTION private.get_listing_managers(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('name', p.name,
    'managers', (select coalesce(jsonb_agg(jsonb_build_object('id', m.profile_id, 'name', f.full_name,
      'email', i.email, 'since', m.since)
        order by m.since, m.profile_id), '[]')
      from public.listing_managers m join public.profiles f on f.id = m.profile_id
      left join public.manager_invitations i on i.place_id = m.place_id and i.accepted_by = m.profile_id
      where m.place_id = p.id),
    'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'email', i.email, 'created_at',
      i.created_at,
        'expires_at', i.expires_at, 'late', i.expires_at <= now()) order by i.created_at, i.id), '[]')
      from public.manager_invitations i
      where i.place_id = p.id and i.accepted_at is null and i.withdrawn_at is null))
  from public.places p where p.id = get_listing_managers.place_id
    and (p.owner = private.user_id() or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.get_user_count_by_distance(place_id bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.count_users_within(p.lat, p.long, 50) from public.places p
  where p.id = place_id and ((p.premium and (p.owner = private.user_id() or p.id = any (private.managed_places())))
    or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at'];
begin
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    elsif new.expiration_date > coalesce(old.expiration_date, '-infinity') then
      -- An owner who pays for more days is hiring again.
      new.filled_at := null;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  if by_owner and new.place_id is not null and (tg_op = 'INSERT' or new.place_id
    is distinct from old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_listing_draft()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if octet_length(new.fields::text) > 65536 then
    perform private.refuse('draft_too_long');
  end if;
  new.updated_at := now();
  if tg_op = 'UPDATE' then
    new.id := old.id;
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  -- Only a maintainer, directly in the database, may write for someone else.
  new.owner := coalesce(private.user_id(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted. Saving a
  -- draft again runs this code as well (an upsert tries to insert first), and adds none.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if exists (select from public.places p where p.owner = new.owner and p.submission_id = new.id) then
    perform private.refuse('draft_already_submitted');
  elsif (select count(*) from public.listing_drafts d where d.owner = new.owner and d.id <> new.id) >= 20 then
    perform private.refuse('too_many_drafts');
  end if;
  return new;
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
  by_payment boolean := false;
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
    by_payment := changed and not api and new.status = old.status
      and private.with_payment_columns(new, old) is not distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      new.name_key := private.normalize_for_search(new.name);
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories then
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
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        perform private.validate_place_fields(new);
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

  -- 4. Changes that no form or reviewer has read: hiding, showing and asking for removal, and
  -- payments. Neither the version nor the listing's place in the queue changes with them.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        new.version := old.version;
        new.modified_at := old.modified_at;
      end if;
    end if;
  elsif by_payment then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 5. Undoing a decision puts the listing back where it was in its queue.
  if current_setting('app.undone_batch', true) <> '' then
    new.modified_at := private.modified_at_before_decision(new.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.full_name := nullif(btrim(new.full_name), '');
  new.phone := nullif(btrim(new.phone), '');
  new.pronouns := nullif(btrim(new.pronouns), '');
  new.postalcode := nullif(btrim(new.postalcode), '');
  if private.from_api() then
    new.id := old.id;
    new.email := old.email;
    new.created_at := old.created_at;
    new.favorites_count := old.favorites_count;
    new.stripe_customer_id := old.stripe_customer_id;
    if not private.is_admin() then
      new.admin := old.admin;
      new.supporter := old.supporter;
      new.business_owner := old.business_owner;
    end if;
    -- Only the person themselves can consent.
    if old.id is distinct from private.user_id() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
    end if;
  end if;
  new.modified_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_saved_view()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' then
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner := coalesce(private.user_id(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if (select count(*) from public.saved_views v where v.owner = new.owner and v.name <> new.name) >= 20 then
    perform private.refuse('too_many_saved_views');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_sponsorship()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
    end if;
    if api then
      new.paid := false;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
    end if;
    if api then
      new.paid := old.paid;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if old.paid and (new.rate, new.sponsorship_dates, new.place_id)
        is distinct from (old.rate, old.sponsorship_dates, old.place_id) then
        perform private.refuse('sponsorship_paid');
      end if;
    end if;
    -- It is generated after this trigger. Equal here, so that an unchanged row is recognized.
    new.order_total := old.order_total;
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  if by_owner and (tg_op = 'INSERT' or new.place_id <> old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('sponsorship_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.sponsorship_dates <> old.sponsorship_dates then
    select coalesce(array_agg(distinct d order by d), '{}') into new.sponsorship_dates
      from unnest(new.sponsorship_dates) d;
    if exists (select 1 from unnest(new.sponsorship_dates) d where not private.is_newsletter_day(d)) then
      perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
    elsif api and exists (select 1 from unnest(new.sponsorship_dates) d where d <= private.today()
      and (tg_op = 'INSERT' or d <> all (old.sponsorship_dates))) then
      perform private.refuse('newsletter_date_past', 'sponsorship_dates');
    end if;
  end if;
  if tg_op = 'UPDATE' and api
    and (old.rate, old.sponsorship_dates, old.place_id)
      is distinct from (new.rate, new.sponsorship_dates, new.place_id) then
    perform private.validate_no_open_payment(old.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.invitation_state(i public.manager_invitations)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case
    when i.id is null then 'unknown'
    -- Nothing more is revealed about someone else's invitation.
    when private.my_email() is distinct from i.email then 'not-yours'
    when exists (select from public.places p where p.id = i.place_id and p.owner = private.user_id()) then 'own'
    when exists (select from public.listing_managers m where m.place_id = i.place_id
      and m.profile_id = private.user_id()) then 'managing'
    when i.accepted_at is not null then 'used'
    when i.withdrawn_at is not null then 'withdrawn'
    when i.expires_at <= now() then 'late'
    else 'open'
  end
$function$;

CREATE OR REPLACE FUNCTION private.invite_manager(invitation uuid, place_id bigint, email text, token text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  address constant text := lower(btrim(email));
  existing public.manager_invitations;
begin
  if private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  elsif listing.owner is null then
    perform private.refuse('listing_without_owner');
  elsif address is null or not private.is_email(address) then
    perform private.refuse('invitation_email_invalid', 'email');
  elsif length(coalesce(token, '')) < 32 then
    perform private.refuse('invitation_invalid');
  elsif address = private.my_email() then
    perform private.refuse('invitation_to_self', 'email');
  elsif address = (select lower(u.email) from auth.users u where u.id = listing.owner) then
    perform private.refuse('invitation_to_owner', 'email');
  end if;
  select * into existing from public.manager_invitations i where i.id = invitation;
  if existing.place_id = listing.id and existing.email = address then
    return;
  elsif existing.id is not null then
    perform private.refuse('invitation_already_sent');
  elsif exists (select from public.manager_invitations i
      join public.listing_managers m on m.place_id = i.place_id and m.profile_id = i.accepted_by
      where i.place_id = listing.id and i.email = address) then
    perform private.refuse('already_manager', 'email');
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = listing.id and i.email = address and i.accepted_at is null and i.withdrawn_at is null;
  if (select count(*) from public.listing_managers m where m.place_id = listing.id)
    + (select count(*) from public.manager_invitations i where i.place_id = listing.id
        and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()) >= 10 then
    perform private.refuse('too_many_managers');
  end if;
  -- Neither one person nor many people together can fill a mailbox with invitations.
  if private.take_rate_token('invite by ' || private.user_id(), 20, 86400) > 0
    or private.take_rate_token('invite to ' || address, 5, 86400) > 0 then
    perform private.refuse('too_many_invitations');
  end if;
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, private.user_id());
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $function$;

CREATE OR REPLACE FUNCTION private.is_admin()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce((select p.admin from public.profiles p where p.id = private.user_id()), false);
end $function$;

CREATE OR REPLACE FUNCTION private.issue_handoff_code()
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  code constant text := 'once_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  if private.user_id() is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  delete from private.handoff_codes c where c.user_id = private.user_id() or c.code_hash in
    (select o.code_hash from private.handoff_codes o where o.expires_at < now()
      limit 200 for update skip locked);
  insert into private.handoff_codes (code_hash, user_id, session_id)
    values (private.code_hash(code), private.user_id(), session);
  return code;
end $function$;

CREATE OR REPLACE FUNCTION private.jobs_page(all_owners boolean, search text, state text, after bigint, before bigint, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  search_text text := nullif(btrim(left(coalesce(search, ''), 200)), '');
  size integer := private.page_size(page_rows, 1000);
  mine text := case when all_owners then 'true' else 'j.owner = $1' end;
  -- Searched first, in a query of its own: scanning all jobs for the newest match would compute the
  -- search text of each.
  found_first text := case when search_text is null then ''
    else 'with found as materialized (select f.id from public.jobs f
    where private.search_vector(f.title || '' '' || coalesce(f.company_name, '''')) @@ private.search_query($2)) ' end;
  wanted text := mine
    || case when search_text is null then '' else ' and j.id in (select found.id from found)' end
    || case state
      when 'pending-payment' then ' and not j.paid'
      when 'published' then ' and j.paid and j.published and j.expiration_date > now()'
      when 'unpublished' then ' and j.paid and not j.published and j.expiration_date > now()'
      when 'expired' then ' and j.paid and j.expiration_date <= now()'
      when 'filled' then ' and j.filled_at is not null'
      else case when state is null then '' else ' and false' end end;
  cursor_at timestamptz;
  cursor_id bigint;
  backwards boolean := false;
  found jsonb;
  total bigint;
begin
  if all_owners then
    perform private.require_admin();
  end if;
  execute 'select j.created_at, j.id from public.jobs j where j.id = $2 and ' || mine
    into cursor_at, cursor_id using private.user_id(), coalesce(after, before);
  backwards := after is null and cursor_id is not null;

  -- One row more than the page shows whether there is another page.
  execute found_first || 'select coalesce(jsonb_agg(to_jsonb(page) order by created_at desc, id desc), ''[]'') from (
      select j.id, j.title, j.paid, j.published, j.expiration_date, j.filled_at, j.created_at'
    || case when all_owners then ', j.owner, o.full_name as owner_name, private.masked_email(j.owner_email) as owner_email' else '' end
    || ' from public.jobs j'
    || case when all_owners then ' left join public.profiles o on o.id = j.owner' else '' end
    || ' where ' || wanted
    || case when cursor_id is null then ''
      when backwards then ' and (j.created_at, j.id) > ($3, $4)'
      else ' and (j.created_at, j.id) < ($3, $4)' end
    || case when backwards then ' order by j.created_at, j.id'
      else ' order by j.created_at desc, j.id desc' end
    || ' limit $5) page'
    into found using private.user_id(), search_text, cursor_at, cursor_id, size + 1;

  if all_owners and search_text is null and state is distinct from 'filled' then
    total := coalesce((private.get_jobs_counts() ->> case state when 'pending-payment' then 'unpaid'
      else coalesce(state, 'total') end)::bigint, 0);
  else
    execute found_first || 'select count(*) from public.jobs j where '
      || wanted into total using private.user_id(), search_text;
  end if;

  return (
    with page as (
      select row, place from jsonb_array_elements(found) with ordinality one (row, place)
      where jsonb_array_length(found) <= size or case when backwards then place > 1 else place <= size end
    )
    select jsonb_build_object(
      'total', total,
      'previous', case when cursor_id is not null and (not backwards or jsonb_array_length(found) > size)
        then (select row -> 'id' from page order by place limit 1) end,
      'next', case when backwards or jsonb_array_length(found) > size
        then (select row -> 'id' from page order by place desc limit 1) end,
      'rows', coalesce((select jsonb_agg(row order by place) from page), '[]')));
end $function$;

CREATE OR REPLACE FUNCTION private.leave_listing(place_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.places p where p.id = leave_listing.place_id for no key update;
  delete from public.listing_managers m where m.place_id = leave_listing.place_id
    and m.profile_id = private.user_id();
  if not found then
    return false;
  end if;
  perform private.log_action('leave-listing', 'places', leave_listing.place_id::text,
    jsonb_build_object('manager', private.user_id()));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_for_review(place_id bigint, take_over boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.review_locks as c (place_id, admin, since, until)
  select p.id, private.user_id(), clock_timestamp(), clock_timestamp() + interval '15 minutes'
  from public.places p where p.id = lock_for_review.place_id
  on conflict on constraint review_locks_pkey do update set admin = excluded.admin, until = excluded.until,
    since = case when c.admin = excluded.admin and c.until > excluded.since then c.since
      else excluded.since end
  where c.admin = excluded.admin or c.until <= excluded.since or take_over is true;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_next_listing_for_review(filter jsonb, after text, leaving bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sort text := (private.review_filter(filter)).sort;
  candidate bigint;
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = leaving and c.admin = private.user_id();
  foreach candidate in array coalesce(private.review_ids(filter, after, false, 50,
    'not exists (select from private.review_locks c where c.place_id = p.id and c.until > now() and c.admin <> (select private.user_id()))'),
    '{}')
  loop
    -- Another admin may have been faster.
    if private.lock_for_review(candidate, false) then
      return (select jsonb_build_object('id', p.id, 'cursor', private.review_cursor(p, sort))
        from public.places p where p.id = candidate);
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.managed_places()
 RETURNS bigint[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select coalesce(array_agg(m.place_id), '{}') from public.listing_managers m
  where m.profile_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select d.due_at from private.account_deletions d where d.user_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.my_email()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select lower(u.email) from auth.users u
  where u.id = private.user_id() and u.email_confirmed_at is not null and u.email <> ''
$function$;

CREATE OR REPLACE FUNCTION private.my_sent_leads()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, place_id bigint, requester_name text, requester_email text, message text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select l.id, l.created_at, l.place_id, l.requester_name, l.requester_email, l.message
  from public.leads l where l.requester = private.user_id() order by l.created_at desc, l.id desc
$function$;

CREATE OR REPLACE FUNCTION private.my_session()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'user_id', p.id,
    'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
    'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
    'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
    'business_owner', p.business_owner, 'admin', p.admin, 'supporter', p.supporter,
    'pending_email', nullif(u.email_change, ''),
    'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet)
  from auth.users u
  join public.profiles p on p.id = u.id
  cross join private.tracking_consent(u.id) t
  where u.id = private.user_id()
$function$;

CREATE OR REPLACE FUNCTION private.preview_job(job_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select to_jsonb(v) from public.jobs j join private.jobs_as_public v on v.id = j.id
  where j.id = job_id and (j.owner = private.user_id() or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.record_place_view(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    private.code_hash(concat_ws(' ', private.user_id(), p.id,
      extract(epoch from date_trunc('hour', now(), 'UTC'))))
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from private.user_id() and private.user_id() is not null
    and p.id <> all (private.managed_places())
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION private.release_review_lock(id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = release_review_lock.id and c.admin = private.user_id();
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due timestamptz;
begin
  if private.is_last_admin(private.user_id()) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (private.user_id()) on conflict do nothing;
  select d.due_at into due from private.account_deletions d where d.user_id = private.user_id();
  perform private.enqueue_email(private.user_id(), null, 'account-deletion', 'account-deletion:' || private.user_id() || ':'
    || due,
    jsonb_build_object('due_at', due));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION private.require_export(entry bigint, what text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if entry is not null and not exists (select from public.audit_log a where a.id = entry
    and a.actor = private.user_id() and a.action = 'export' and a.subject_id = what
    and a.at > now() - interval '1 hour') then
    raise exception 'export_ended' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_listing_owner(place_id bigint)
 RETURNS public.places
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing public.places;
begin
  select * into listing from public.places p where p.id = place_id for no key update;
  if listing.id is null or not (coalesce(listing.owner = private.user_id(), false) or private.is_admin()) then
    raise exception 'listing_not_yours' using errcode = '42501';
  end if;
  return listing;
end $function$;

CREATE OR REPLACE FUNCTION private.require_sponsorship_owner(sponsorship bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from public.sponsorships s where s.id = sponsorship
    and (s.owner = private.user_id() or private.is_admin() or auth.role() = 'service_role')) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.reset_new_place(place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if by_owner then
    place.owner := private.user_id();
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place.subscription_ends_at := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
  end if;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.restore_protected_columns(before public.places, place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  sent jsonb;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving an unclaimed
    -- listing claims it: the policy allowed only its owner, a manager, or the person whose
    -- confirmed address is the owner_email of a listing without an owner. A manager's change does
    -- not change the owner.
    if before.owner <> private.user_id() and place.archive_requested <> before.archive_requested then
      perform private.refuse('removal_by_owner_only');
    end if;
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    place.owner := coalesce(before.owner, private.user_id());
  elsif api and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one. Its address changes with it,
    -- because the previous owner could claim it back otherwise.
    place.owner_email := private.account_email(place.owner);
  end if;
  if api then
    place.subscription_ends_at := before.subscription_ends_at;
    place.created_at := before.created_at;
    place.submission_id := before.submission_id;
    place.last_update := before.last_update;
    place.version := before.version;
    place.modified_at := before.modified_at;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.review_batch(batch uuid, action text, reason text, skip integer, page_rows integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select private.batch_as_json(b.id, coalesce(b.action, review_batch.action),
      coalesce(b.reason, btrim(review_batch.reason, e' \t\r\n')), skip, page_rows)
    from private.decision_batches b where b.id = batch and b.admin = private.user_id() and b.expires_at > now());
end $function$;

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
        'changes', case when p.last_update = '{}' then '[]' else (
          select json_agg(json_build_object('column', e.key, 'before', e.value, 'after',
            current_values.row -> e.key)
            order by array_position(private.reviewed_columns(), e.key))
          from (select to_jsonb(p) as row offset 0) current_values, jsonb_each(p.last_update) e) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = private.user_id(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort)
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_locks r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $function$;

CREATE OR REPLACE FUNCTION private.set_my_position(lat double precision, long double precision)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if lat is null or long is null then
    delete from private.user_positions where user_id = private.user_id();
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.store_position(private.user_id(), lat, long);
  else
    perform private.refuse('position_invalid');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.set_tracking_consent(granted boolean, text_version text, page text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before constant public.consents := private.tracking_consent(private.user_id());
begin
  if granted is null or private.user_id() is null then
    perform private.refuse('tracking_answer_missing');
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (private.user_id(), 'tracking', granted, text_version, page);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.store_decision_batch(batch uuid, items jsonb, filter jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_listings constant integer := 10000;
  found_ids bigint[];
  stored integer;
  distinct_items integer;
begin
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 3 for update skip locked);
  insert into private.decision_batches (id, admin, filter) values (batch, private.user_id(), store_decision_batch.filter)
    on conflict (id) do nothing;
  if not found then
    return;
  end if;
  if jsonb_typeof(items) = 'array' then
    -- The first item of each listing.
    with sent as (
      select position, item,
        case when item ->> 'id' ~ '^[0-9]{1,18}$' then (item ->> 'id')::bigint end as id,
        case when item ->> 'version' ~ '^[0-9]{1,9}$' then (item ->> 'version')::integer end as version
      from jsonb_array_elements(items) with ordinality as list (item, position)
    ), firsts as (
      select distinct on (coalesce(id, -position)) coalesce(id, -position) as place_id, id, version, item,
        position
      from sent order by coalesce(id, -position), position
    ), inserted as (
      insert into private.decision_rows (batch_id, place_id, sent, n, version)
      select batch, place_id, case when id is null then left(coalesce(item ->> 'id', item::text), 40) end,
        position, version
      from firsts order by position limit max_listings
      returning 1
    )
    select (select count(*) from inserted), (select count(*) from firsts) into stored, distinct_items;
    update private.decision_batches b set left_out = distinct_items - stored where b.id = batch
      and distinct_items > stored;
  elsif jsonb_typeof(filter) = 'object' then
    found_ids := private.review_ids(filter, null, false, max_listings + 1);
    insert into private.decision_rows (batch_id, place_id, n, version)
    select batch, p.id, w.n, p.version
    from unnest(found_ids[1:max_listings]) with ordinality w (id, n) join public.places p on p.id = w.id;
    get diagnostics stored = row_count;
    update private.decision_batches b set more = true where b.id = batch and cardinality(found_ids) > max_listings;
  end if;
  if coalesce(stored, 0) = 0 then
    perform private.refuse('no_listings_selected');
  end if;
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

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null);
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
        then 'subscription_continues' end,
      case when c.admin is not null then 'under_review:' || coalesce(a.full_name, '') end], null), '{}') end
  from unnest(wanted, seen) w (id, version)
  left join public.places p on p.id = w.id
  left join private.review_locks c on c.place_id = p.id and c.admin <> (select private.user_id()) and c.until > now()
  left join public.profiles a on a.id = c.admin
  cross join lateral (select
    case when (action, p.status) in (('approve', 'published'), ('flag', 'flagged'), ('archive', 'archived'))
      then p.status end as already,
    nullif(array_remove(case action
      when 'approve' then private.missing_for_approval(p.owner_email, p.state)
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

CREATE OR REPLACE FUNCTION private.weekly_views(place_id bigint)
 RETURNS integer[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select array(
    select coalesce(w.views, 0)::integer
    from generate_series(11, 0, -1) ago
    left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
    order by ago desc)
  from public.places p
  where p.id = weekly_views.place_id and ((p.premium and (p.owner = private.user_id()
    or p.id = any (private.managed_places()))) or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION public.get_owner_leads()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, requester_name text, requester_email text, message text, place_id bigint, place_name text, state text, notes text, version integer)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes,
    l.version
  from public.leads l join public.places p on p.id = l.place_id
  where p.owner = (select private.user_id()) or p.id = any ((select private.managed_places())::bigint[])
  order by l.created_at desc, l.id desc
$function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with listings as (
    select p.*, private.needs_completion(p, p.owner = (select private.user_id())) as incomplete
    from public.places p
    where p.owner = (select private.user_id())
      or p.id = any ((select private.managed_places())::bigint[])
      or (p.owner is null and p.owner_email = (select private.my_email()))
  ), jobs as (
    select j.* from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owner = (select private.user_id()) and l.subscription_status in ('past_due', 'unpaid')
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
      where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.incomplete
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    union all
    select 5, 'unpaid-job', j.id, j.title, j.created_at from jobs j where not j.paid
    union all
    select 6, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
      where l.state = 'new'
    union all
    select 7, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
  ), lines as (
    select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
    from waiting order by rank, at, id
  )
  select jsonb_build_object(
    'supporter', exists (select from public.places p where p.owner = (select private.user_id()) and p.premium),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.my_listings(search text DEFAULT NULL::text, after bigint DEFAULT NULL::bigint, before bigint DEFAULT NULL::bigint, page_rows integer DEFAULT 20, needing boolean DEFAULT false)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with mine as (
    select p.id, private.normalize_for_search(p.name) as key, p.name, p.city, p.state,
      case when p.id = any ((select private.managed_places())::bigint[]) then private.needs_manager_attention(p)
        else private.needs_owner_attention(p) end as needs
    from public.places p
    where p.owner = (select private.user_id())
      or p.id = any ((select private.managed_places())::bigint[])
      or (p.owner is null and p.owner_email = (select private.my_email()))
  ), found as (
    select m.id, row_number() over (order by m.key, m.id) as n from mine m
    where (m.needs or needing is not true) and not exists (
      select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), place as (
    -- The position that the listing has or would have, whether or not it is among those found.
    select coalesce(
      (select count(*) + 1 from found f join mine m on m.id = f.id
        join mine a on a.id = my_listings.after where (m.key, m.id) <= (a.key, a.id)),
      1) as from_after,
      (select count(*) + 1 - private.page_size(page_rows, 100) from found f join mine m on m.id = f.id
        join mine b on b.id = my_listings.before where (m.key, m.id) < (b.key, b.id)) as to_before
  ), page as (
    select f.id, f.n from found f, place
    where f.n >= greatest(case when before is null then from_after else to_before end, 1)
    order by f.n limit private.page_size(page_rows, 100)
  )
  select jsonb_build_object(
    'all', (select count(*) from mine),
    'needing', (select count(*) from mine where needs),
    'total', (select count(*) from found),
    'first', (select min(n) from page),
    'week', private.week_of(now()),
    'rows', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
        'premium', s.premium, 'premium2', s.premium2,
        'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
        'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
        'proxi_id', s.proxi_id, 'subscription_status', s.subscription_status,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update)),
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'),
        'subscription_ends_at', p.subscription_ends_at
      ) order by page.n)
      from page join public.places_with_stats s on s.id = page.id join public.places p on p.id = page.id),
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.save_my_profile(opted_in boolean, sms_opted_in boolean, text_version text, page text, full_name text DEFAULT NULL::text, phone text DEFAULT NULL::text, pronouns text DEFAULT NULL::text, postalcode text DEFAULT NULL::text, lat double precision DEFAULT NULL::double precision, long double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.profiles p
  set full_name = save_my_profile.full_name, phone = save_my_profile.phone,
    pronouns = save_my_profile.pronouns, postalcode = save_my_profile.postalcode
  where p.id = private.user_id();
  -- A change of the postal code has deleted the old position. A postal code whose location is not
  -- known has none.
  if lat is not null and long is not null then
    perform public.set_my_position(lat, long);
  end if;
  perform public.set_consent('email', opted_in, text_version, page);
  perform public.set_consent('sms', sms_opted_in, text_version, page);
end $function$;

CREATE OR REPLACE FUNCTION public.set_consent(channel text, granted boolean, text_version text, page text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if channel is null or channel not in ('email', 'sms') or granted is null then
    perform private.refuse('consent_answer_invalid');
  end if;
  perform set_config('app.consent_text', left(coalesce(text_version, ''), 100), true),
    set_config('app.consent_page', left(coalesce(page, ''), 500), true);
  if channel = 'email' then
    update public.profiles set opted_in = granted where id = private.user_id() and opted_in <> granted;
  else
    update public.profiles set sms_opted_in = granted where id = private.user_id() and sms_opted_in <> granted;
  end if;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
end $function$;

create policy "read own" on public.consents for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.email_preferences for insert to authenticated
  with check ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "read own" on public.email_preferences for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "update own" on public.email_preferences for update to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)))
  with check ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert for public listings" on public.events for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (event_name = 'report_listing'::text) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = events.place)))));

create policy "read own, or admin" on public.events for select to authenticated
  using (((user_id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "delete own" on public.favorites for delete to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.favorites for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = favorites.place_id)))));

create policy "read own" on public.favorites for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.feedback for insert to authenticated
  with check ((userid = ( SELECT private.user_id() AS user_id)));

create policy "read own, or admin" on public.feedback for select to authenticated
  using (((userid = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "insert own, or admin" on public.jobs for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.jobs for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, or admin" on public.jobs for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "insert for public listings" on public.leads for insert to authenticated
  with check (((requester = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = leads.place_id)))));

create policy "read for owned or managed listings" on public.leads for select to authenticated
  using (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))));

create policy "update for owned or managed listings" on public.leads for update to authenticated
  using (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))))
  with check (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))));

create policy own on public.listing_drafts for all to authenticated
  using ((owner = ( SELECT private.user_id() AS user_id)))
  with check ((owner = ( SELECT private.user_id() AS user_id)));

create policy "read own, for own listings, or admin" on public.listing_managers for select to authenticated
  using (((profile_id = ( SELECT private.user_id() AS user_id)) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id)))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, for own listings, or admin" on public.manager_invitations for select to authenticated
  using (((email = ( SELECT private.my_email() AS my_email)) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id)))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.orders for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "insert own, or admin" on public.places for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, managed, claimable, or admin" on public.places for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR (id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR ((owner IS NULL) AND (owner_email = ( SELECT private.my_email() AS my_email))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, managed, claimable, or admin" on public.places for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR (id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR ((owner IS NULL) AND (owner_email = ( SELECT private.my_email() AS my_email))) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR (id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.profiles for select to authenticated
  using (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, or admin" on public.profiles for update to authenticated
  using (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "own, admins only" on public.saved_views for all to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) AND ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) AND ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.sponsorship_spots for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (EXISTS ( SELECT 1
   FROM public.sponsorships s
  WHERE ((s.id = sponsorship_spots.sponsorship_id) AND (s.owner = ( SELECT private.user_id() AS user_id)))))));

create policy "insert own, or admin" on public.sponsorships for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.sponsorships for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, or admin" on public.sponsorships for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

grant execute on function private.user_id() to anon;

grant execute on function private.user_id() to authenticated;

grant execute on function private.user_id() to service_role;

set check_function_bodies = on;
