-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop policy "insert for public listings" on public.leads;

drop policy "insert own" on public.favorites;

drop policy "insert for public listings" on public.events;

drop view public.public_jobs;

drop view private.public_jobs;

drop view private.jobs_as_public;

drop view public.places_with_stats;

drop view public.public_places;

drop view private.public_places;

drop index public.places_status;

drop index public.places_state;

drop index public.places_modified;

drop index public.places_incomplete;

drop index public.places_edit_kind;

drop index public.places_changes_requested;

drop index public.places_category;

drop index public.places_archive_requested;

alter table public.places drop constraint place_dates_are_finite;

drop function private.modified_at_before_decision(bigint);

create table private.confirmed_accounts (
  user_id uuid not null,
  confirmed_at timestamp with time zone default now() not null
);

alter table public.places add column waiting_since timestamp with time zone;

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status in ('past_due', 'unpaid'),
        'until', case when private.is_paid_for(s) then private.paid_until(s) end,
        'awaits', s.awaits_payment,
        -- Nothing is to be stopped, and no email says that it is.
        'canceled', s.status in ('active', 'trialing') and s.ends_at <= s.period_to)
      from public.subscriptions s
      where s.place_id = place.id and s.owner = place.owner and not s.surplus
        and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
      order by s.started_at desc, s.id limit 1),
    'jobs', (select count(*) from public.jobs j
      where j.place_id = place.id and j.owner = place.owner and j.paid and j.published and j.filled_at is null
        and j.expiration_date > now()),
    'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
      from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = place.id and s.owner = place.owner and p.held_until is null
        and p.weekday_date > private.today()))
$function$;

CREATE OR REPLACE FUNCTION private.attention(place public.places, managed boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when place.owner is null and not managed then 'to-claim'
    when not managed and private.asks_for_payment(place) then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end;
end $function$;

CREATE OR REPLACE FUNCTION private.begin_sign_up(email text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  select u.* into account from auth.users u
    where u.email = lower(begin_sign_up.email) and not u.is_sso_user;
  if account.id is null then
    return case when private.rate_limit_reached(private.sign_up_bucket(begin_sign_up.email), 5) then 'sent' else 'new' end;
  elsif account.email_confirmed_at is null then
    return case when account.confirmation_sent_at > now() - interval '5 minutes' then 'sent'
      else 'unconfirmed' end;
  end if;
  if not exists (select from private.email_queue q where q.recipient = account.id
      and q.kind = 'account-exists' and q.created_at > now() - interval '6 hours') then
    -- The hour in the key prevents a second one from a sign-up at the same moment.
    perform private.enqueue_email(account.id, null, 'account-exists',
      format('account-exists:%s:%s', account.id, to_char(now() at time zone 'UTC', 'YYYYMMDDHH24')));
  end if;
  return 'confirmed';
end $function$;

CREATE OR REPLACE FUNCTION private.confirm_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sign_up private.sign_ups;
begin
  delete from private.sign_ups s where s.user_id = new.id returning s.* into sign_up;
  if sign_up.recognized or old.confirmation_sent_at is null then
    new.encrypted_password := coalesce(sign_up.password, new.encrypted_password);
    perform private.accept_consents(new.id, sign_up.answers);
  else
    new.encrypted_password := null;
    -- Of sign-ups before consents waited for the confirmation.
    perform set_config('app.consent_page', '/confirm', true);
    update public.profiles set opted_in = false, sms_opted_in = false
      where id = new.id and (opted_in or sms_opted_in);
    perform set_config('app.consent_page', '', true);
  end if;
  perform private.accept_position(new.id, sign_up.answers);
  insert into private.confirmed_accounts (user_id) values (new.id)
    on conflict (user_id) do update set confirmed_at = now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.copy_account_email()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  confirmed constant text := case when new.email_confirmed_at is not null then nullif(lower(new.email), '') end;
begin
  -- First, so that no copy of the old address is made from here on (hold_account_email).
  update public.profiles set email = new.email where id = new.id;
  if old.email <> '' and old.email_confirmed_at is not null then
    delete from auth.sessions s where s.user_id = new.id;
    perform private.log_action('change-email', 'profiles', new.id::text, '{}');
    insert into private.email_queue (address, kind, key, data)
      values (old.email, 'email-changed', 'email-changed:' || gen_random_uuid(), jsonb_build_object('user', new.id));
  end if;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p where p.owner = new.id order by p.id for no key update;
  update public.places p set owner_email = confirmed where p.owner = new.id;
  -- As when a listing goes to someone else (private.move_jobs).
  perform 1 from public.jobs j where j.owner = new.id order by j.id for update;
  update public.jobs j set owner_email = confirmed where j.owner = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.count_new_leads()
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    -- (With "or" in place of the union, all listings may be read in the order of their ids: 0.7 s for 1,000,000.)
    select count(*) from (
      select o.id, o.leads_from from public.places o where o.owner = private.user_id()
      union select m.id, m.leads_from from public.places m where m.id = any ((select private.managed_places())::bigint[])) p
    join public.leads l on l.place_id = p.id
    where l.state = 'new' and l.created_at >= coalesce(p.leads_from, '-infinity'));
end $function$;

CREATE OR REPLACE FUNCTION private.create_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  answers constant jsonb := private.sign_up_answers(sent);
begin
  if private.sign_up_bucket(new.email) is not null then
    perform private.enforce_limit('too_many_sign_ups', private.sign_up_bucket(new.email), 5, 86400);
  end if;
  insert into public.profiles (id, full_name, phone, email, pronouns, postalcode, business_owner)
  select new.id, f.full_name, f.phone, new.email, f.pronouns, f.postalcode,
    coalesce(sent ->> 'business_owner', '') <> 'false'
  from private.sign_up_profile(sent) f;
  if new.email_confirmed_at is not null then
    perform private.accept_consents(new.id, answers), private.accept_position(new.id, answers);
  else
    insert into private.sign_ups (user_id, proof, answers)
    values (new.id, case when length(sent ->> 'sign_up_proof') = 43 then sent ->> 'sign_up_proof' end, answers);
  end if;
  -- t1_strip_metadata removes all of it.
  update auth.users set raw_user_meta_data = sent where id = new.id;
  return new;
end $function$;

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
          ''last_update'', p.last_update, ''changes_requested'', p.changes_requested, ''modified_at'', p.modified_at,
          ''waiting_since'', p.waiting_since)
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
    if act = 'archive' then
      perform private.enqueue_booked_removals(array(select r.place_id from private.decision_rows r
        where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'), due);
    end if;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null), due);
  end if;
  if act = 'reject' then
    insert into public.rejected_edits as k (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'waiting_since',
        'archive_requested']
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

CREATE OR REPLACE FUNCTION private.end_limit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.sessions s set not_after = null where s.user_id = new.id and s.not_after > now();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_limited_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.sessions s using auth.sessions own
    where own.id = new.session_id and own.not_after is null and s.user_id = own.user_id and s.not_after is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  purpose constant text := case enqueue_account_email.kind
    when 'account-confirmation' then 'sign-up'
    when 'account-recovery' then 'recovery'
  end;
  -- Of a change of address: first the email to the new one, then that to the current one.
  changed_by constant text := case when enqueue_account_email.kind = 'email-change-to' then data ->> 'user' end;
begin
  if exists (select from private.email_queue n where n.key = enqueue_account_email.key) then
    return true;
  elsif purpose is not null
    and not private.take_account_email(enqueue_account_email.address, purpose, 'the auth service') then
    return false;
  elsif changed_by is not null
    and not private.take_email_change(changed_by, enqueue_account_email.address) then
    return false;
  end if;
  delete from private.email_queue n where n.sent_at is null and n.address = enqueue_account_email.address
    and n.kind = enqueue_account_email.kind and n.key <> enqueue_account_email.key
    and n.data ->> 'user' = enqueue_account_email.data ->> 'user';
  insert into private.email_queue (address, kind, key, data)
  values (enqueue_account_email.address, enqueue_account_email.kind, enqueue_account_email.key, enqueue_account_email.data)
  on conflict do nothing;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.first_month_used(buyer uuid, place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from public.orders o
    where o.kind = 'upgrade' and o.coupon is not null and o.refund_reason is null
      and (o.paid_at is not null or o.status = 'processing')
      and (o.owner = buyer or o.place_id = place));
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
  -- Whether more than the status and the owner's switches has changed. If not, its texts are as they were stored, also
  -- under earlier rules: no one's listing stays visible because a text of it wouldn't be accepted anymore.
  rewritten boolean := true;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.online_categories) > 50
    or cardinality(new.licensed_locations) > 400);
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
    rest.hidden := old.hidden;
    rest.archive_requested := old.archive_requested;
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
  -- Of what was taken off the directory, no change is asked for: its owner's pages would say that first.
  if new.status = 'archived' and old.status <> 'archived' then
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
  -- and the address of the owner's account. They count neither as a version nor as a change.
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

  -- 6. Its place in the queue. Undoing a decision puts it back where it was.
  if changed then
    new.waiting_since := private.waiting_since(old, new);
  end if;
  if current_setting('app.undone_batch', true) <> '' then
    select * into new.modified_at, new.waiting_since from private.place_in_queue_before_decision(new.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.has_passed_second_step(session auth.sessions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (session.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
    or not exists (select from auth.mfa_factors f where f.user_id = session.user_id and f.status = 'verified');
end $function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb, recipient uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case
    when kind in ('subscription-canceled', 'plan-stopped') then return exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status));
    when kind = 'sponsorship-confirmed' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates');
    when kind = 'feature-edited' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient and s.paid
        and private.today() < any (s.sponsorship_dates));
    when kind = 'booked-listing-removed' then return not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and d.weekday_date >= private.first_open_day() and data -> 'newsletters' ? d.weekday_date::text);
    when kind = 'feature-unseen' then return not exists (
        select from jsonb_array_elements_text(data -> 'dates' || coalesce(data -> 'late', '[]')) d
        where d::date > private.today())
      or not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null));
    when kind = 'renewal-coming' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz and s.period_to > now()));
    when kind = 'plan-paused' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused');
    when kind = 'payment-failed' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null);
    when kind = 'job-expiring' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz and j.expiration_date > now()
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'));
    when kind = 'job-unpublished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end);
    when kind = 'job-republished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now());
    when kind = 'job-edited' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.expiration_date > now());
    when kind = 'job-namesake' then return not exists (select from public.jobs j
      cross join private.job_namesakes(j.id) n join public.places p on p.id = n.place_id
      where j.id = (data ->> 'job_id')::bigint and private.is_live_job(j.id) and p.id = (data ->> 'place_id')::bigint
        and p.owner = is_outdated.recipient);
    when kind = 'job-left' then return exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient);
    when kind = 'account-deletion' then return not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null);
    when kind = 'account-kept' then return exists (select from private.account_deletions d where d.user_id = is_outdated.recipient);
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then return not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)));
    when kind in ('manager-joined', 'listing-received', 'listing-changed') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'listing-left' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'two-step-changed' then return data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified');
    when kind = 'listing-added' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'));
    when kind in ('listing-hidden', 'listing-shown') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'));
    when kind in ('payment-disputed', 'refund-failed') then return not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin);
    else return false;
  end case;
end $function$;

CREATE OR REPLACE FUNCTION private.lift_session_limit(session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.sessions s set not_after = null
    where s.id = lift_session_limit.session_id and s.not_after > now();
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_session()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.confirmed_accounts c using auth.sessions s
    where s.id = new.session_id and c.user_id = s.user_id and c.confirmed_at > now() - interval '5 minutes';
  if not found then
    update auth.sessions s set not_after = now() + interval '15 minutes' where s.id = new.session_id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.managed_listings()
 RETURNS SETOF public.places
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select m.* from public.places p
    cross join lateral jsonb_populate_record(p, '{"owner_email": null, "stripe_cus_id": null,
      "stripe_subscription_id": null, "subscription_status": null, "subscription_ends_at": null}') m
    where p.id = any ((select private.managed_places())::bigint[])
      and p.owner is distinct from (select private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.managed_places()
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select coalesce(array_agg(m.place_id), '{}') from public.listing_managers m
    where m.profile_id = private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.my_data_parts()
 RETURNS TABLE(key text, relation regclass, condition text, columns text[])
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  values
    ('profile', 'public.profiles'::regclass, 'r.id = $1', '{id, full_name, phone, email, pronouns, postalcode,
      opted_in, sms_opted_in, business_owner, admin, supporter, discreet, stripe_customer_id,
      created_at, modified_at}'::text[]),
    ('position', 'private.user_positions', 'r.user_id = $1', '{lat, long}'),
    ('consents', 'public.consents', 'r.user_id = $1', '{channel, granted, text_version, page, at}'),
    ('listings', 'public.places', 'r.owner = $1', '{id, status, hidden, archive_requested, owner_email, premium,
      premium_created_at, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested,
      version, created_at, modified_at, waiting_since, leads_from}'::text[] || private.reviewed_columns()),
    -- Without an owner, and with the caller's address as owner_email.
    ('listings_to_claim', 'public.places', 'r.owner is null and r.owner_email = $2',
      '{id, name, city, state, status, owner_email, created_at}'),
    ('drafts', 'public.listing_drafts', 'r.owner = $1', '{id, fields, created_at, updated_at, form, expires}'),
    ('rejected_changes', 'public.rejected_edits',
      'exists (select from public.places p where p.id = r.place_id and p.owner = $1)',
      '{place_id, rejected_at, reason, edit}'),
    ('managing', 'public.listing_managers', 'r.profile_id = $1', '{place_id, since}'),
    ('managers_i_invited', 'public.listing_managers', 'r.invited_by = $1', '{place_id, since}'),
    -- An accepted invitation belongs to the person who accepted it, no matter who has the address now.
    ('invitations_to_me', 'public.manager_invitations', 'r.accepted_by = $1 or (r.email = $2 and r.accepted_by is null)',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('invitations_i_sent', 'public.manager_invitations', 'r.invited_by = $1',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('jobs', 'public.jobs', 'r.owner = $1', '{id, title, category, description, pay_range, url, location, city,
      queer_owned, ally_owned, ally_safety, remote, full_time, part_time, contract, place_id, company_name,
      company_bio, owner_email, published, paid, expiration_date, filled_at, version, created_at, modified_at}'),
    ('jobs_with_my_address', 'public.jobs', 'r.owner is null and r.owner_email = $2',
      '{id, title, owner_email, created_at}'),
    ('newsletter_features', 'public.sponsorships', 'r.owner = $1', '{id, place_id, promo_text, link, location,
      photo_location, rate, sponsorship_dates, order_total, paid, version, created_at, modified_at}'),
    ('orders', 'public.orders', 'r.owner = $1', '{id, kind, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, price_cents, currency, status, amount_paid_cents, amount_refunded_cents, coupon,
      stripe_customer_id, paid_at, refund_reason, revoked_at, created_at, modified_at, item_name,
      item_dates, opened_at, cancellation_days}'),
    ('subscriptions', 'public.subscriptions', 'r.owner = $1', '{id, place_id, order_id, stripe_customer_id, status,
      started_at, ends_at, created_at, modified_at, plan, cents, months, period_from, period_to, canceled_at,
      next_attempt_at, credit_cents, plus_tax, awaits_payment}'),
    ('payments', 'public.payments', 'r.owner = $1', '{id, kind, reason, order_id, subscription_id, cents, tax_cents,
      refunded_cents, currency, invoice_id, invoice_number, period_from, period_to, paid_at, dispute, disputed_cents,
      disputed_at, dispute_closed_at, plan}'),
    ('refunds', 'public.refunds',
      'exists (select from public.payments p where p.id = r.payment_id and p.owner = $1)',
      '{id, payment_id, cents, status, reason, created_at}'),
    ('favorites', 'public.favorites', 'r.user_id = $1', '{place_id, created_at}'),
    ('messages_i_sent', 'public.leads', 'r.requester = $1',
      '{id, place_id, requester_name, requester_email, message, created_at}'),
    ('reports', 'public.events',
      'r.user_id = $1 or exists (select from private.reporters w where w.event = r.id and w.user_id = $1)',
      '{id, event_name, place, data, state, created_at}'),
    ('feedback', 'public.feedback', 'r.userid = $1', '{id, feedback, os, archived, created_at}'),
    ('email_choices', 'public.email_preferences', 'r.user_id = $1', '{kind, wanted}'),
    ('emails', 'private.email_queue', 'r.recipient = $1', '{kind, data, created_at, sent_at}'),
    ('account_deletion', 'private.account_deletions', 'r.user_id = $1', '{requested_at, due_at, begun_at}'),
    -- An admin's work.
    ('searches_i_saved', 'public.saved_views', 'r.owner = $1', '{id, name, filter, created_at}'),
    ('reviews', 'private.review_locks', 'r.admin = $1', '{place_id, since, until}'),
    ('refunds_i_requested', 'public.refunds', 'r.requested_by = $1', '{id, payment_id, cents, note, created_at}'),
    ('decisions', 'private.decision_batches', 'r.admin = $1', '{id, action, reason, decided_at, undone_at}'),
    ('what_i_did', 'public.audit_log', 'r.actor = $1', '{id, at, action, subject, subject_id}'),
    ('changes_of_my_profile', 'public.audit_log', 'r.subject = ''profiles'' and r.subject_id = $1::text',
      '{id, at, action, before, after}')
$function$;

CREATE OR REPLACE FUNCTION private.my_email()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select lower(u.email) from auth.users u
    where u.id = private.user_id() and u.email_confirmed_at is not null and u.email <> '');
end $function$;

CREATE OR REPLACE FUNCTION private.my_first_months()
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query select p.id from public.places p
    where p.owner = private.user_id() and not private.first_month_used(p.owner, p.id);
end $function$;

CREATE OR REPLACE FUNCTION private.my_plan(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.owner = private.user_id()
      then jsonb_build_object('mine', true, 'status', s.status, 'live', private.subscription_is_live(s.status),
        'plan', s.plan, 'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
        'paid_until', private.paid_until(s), 'next_attempt_at', s.next_attempt_at, 'subscription', s.id, 'credit_cents', s.credit_cents,
        'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment,
        'paid', private.is_paid_for(s), 'leaves_with', private.plan_leaves_with(s))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.keeps_featured(s) desc, private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'paid_until', private.paid_until(s),
      'credit_cents', s.credit_cents, 'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment, 'status', s.status, 'removed', p.status = 'archived',
      'paid', private.is_paid_for(s),
      'leaves_with', private.plan_leaves_with(s)) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and (private.subscription_is_live(s.status) or s.status = 'paused')
$function$;

CREATE OR REPLACE FUNCTION private.my_session()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_build_object(
      'user_id', p.id,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
      'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
      'business_owner', p.business_owner, 'admin', a.is_admin,
      'admin_needs_second_step', p.admin and not a.is_admin, 'second_step', a.second_step,
      'supporter', p.supporter,
      'pending_email', nullif(u.email_change, ''),
      'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet,
      'deletion', private.requested_deletion(u.id))
    from auth.users u
    join public.profiles p on p.id = u.id
    cross join private.tracking_consent(u.id) t
    cross join (select private.is_admin() as is_admin, private.is_second_step_done() as second_step) a
    where u.id = private.user_id()
  ), (
    select jsonb_build_object('user_id', p.id, 'discreet', p.discreet,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end)
      || case when s.not_after is null or not private.has_passed_second_step(s)
        then jsonb_build_object('second_step_due', true,
          'factors', (select jsonb_agg(f.id order by f.created_at) from auth.mfa_factors f
            where f.user_id = u.id and f.status = 'verified' and f.factor_type = 'totp'))
        -- (With the keys of a session without a limit, for a dashboard of the previous release.)
        else jsonb_build_object('limited', true, 'full_name', p.full_name, 'phone', null, 'pronouns', null,
          'postalcode', null, 'opted_in', false, 'sms_opted_in', false, 'admin', false,
          'admin_needs_second_step', false, 'second_step', false, 'tracking', null, 'tracking_text', null,
          'deletion', null) end
    from auth.users u
    join public.profiles p on p.id = u.id
    join auth.sessions s on s.id = (auth.jwt() ->> 'session_id')::uuid
    where u.id = private.session_user_id()
  ));
end $function$;

CREATE OR REPLACE FUNCTION private.needs_completion(place public.places, by_owner boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return place.status in ('new', 'pending-update', 'flagged')
    and case when by_owner then private.missing_for_approval(place.owner_email, place.state) <> '{}'
      else 'no_proper_address' = any (private.missing_for_approval(place.owner_email, place.state)) end;
end $function$;

CREATE OR REPLACE FUNCTION private.paid_until(s public.subscriptions)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.status in ('active', 'trialing') and (s.awaits_payment
      or coalesce(s.period_from <= now() - private.longest_draft(), true)
      or coalesce((select p.period_to from public.payments p where p.subscription_id = s.id
        order by p.period_from desc nulls last, p.paid_at desc limit 1) > s.period_from, true))
    then least(s.ends_at, s.period_to) end
$function$;

CREATE OR REPLACE FUNCTION private.place_in_queue_before_decision(place_id bigint, OUT modified_at timestamp with time zone, OUT waiting_since timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select (r.before ->> 'modified_at')::timestamptz, (r.before ->> 'waiting_since')::timestamptz
  from private.decision_rows r
  where r.batch_id = current_setting('app.undone_batch')::uuid
    and r.place_id = place_in_queue_before_decision.place_id
$function$;

CREATE OR REPLACE FUNCTION private.refuse_while_limited()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from auth.sessions s
    where s.user_id = (to_jsonb(new) ->> tg_argv[0])::uuid and s.not_after is not null) then
    raise exception 'session_limited' using errcode = '42501';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.reset_new_place(place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if by_owner then
    place.owner := private.user_id();
    perform private.hold_account_email(place.owner);
    -- (A change of the address ends the session.)
    perform private.require_rights(place.owner = private.user_id());
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place := private.with_subscription_columns(place, null);
    place.leads_from := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
    place.waiting_since := null;
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
  claims boolean;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving a listing without an
    -- owner claims it for the person whose confirmed address is its owner_email. No one else's change makes
    -- them its owner: a manager's doesn't, also when the owner leaves while it waits.
    if before.owner is null then
      perform private.hold_account_email(private.user_id());
    end if;
    claims := before.owner is null and before.owner_email = private.my_email();
    perform private.require_rights(before.owner = private.user_id() or claims
      or before.id = any (private.managed_places()));
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    if claims then
      place.owner := private.user_id();
    end if;
  elsif (api or before.owner is not null) and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one; or the account of its owner is deleted,
    -- by whatever means. Its address changes with it, because the next holder of the previous owner's
    -- mailbox could claim it otherwise.
    if api then
      perform private.hold_account_email(place.owner);
    end if;
    place.owner_email := case when api then private.account_email(place.owner) end;
  end if;
  -- No manager asks for a removal in an owner's name, or takes back what the owner has asked for; nor does an admin, except
  -- by a decision on it.
  if api and before.owner <> private.user_id() and place.archive_requested <> before.archive_requested
    and coalesce(current_setting('app.audit_action', true), '') not in ('archive', 'undo') then
    perform private.refuse('removal_by_owner_only');
  end if;
  if api then
    place := private.with_subscription_columns(place, before);
    place.leads_from := before.leads_from;
    place.created_at := before.created_at;
    place.submission_id := before.submission_id;
    place.last_update := before.last_update;
    place.version := before.version;
    place.modified_at := before.modified_at;
    place.waiting_since := before.waiting_since;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.review_cursor(place public.places, sort text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select place.id || '~' || case sort
    when 'name' then place.name_key
    when 'featured' then coalesce((extract(epoch from place.premium_created_at) * 1000000)::bigint::text,
      'none')
    else (extract(epoch from coalesce(place.waiting_since, place.modified_at)) * 1000000)::bigint::text end
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
      (select jsonb_build_object('id', p.id, 'name', p.name, 'since', coalesce(p.waiting_since, p.modified_at))
        from public.places p where p.id = oldest)));
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
        'id', p.id, 'name', p.name, 'status', p.status, 'since', p.since) order by p.since, p.id), '[]')
      from (select p.id, p.name, p.status, coalesce(p.waiting_since, p.modified_at) as since
        from unnest(private.review_ids('{"view": "new"}', null, false, 5)
          || private.review_ids('{"view": "pending"}', null, false, 5)) w (id)
        join public.places p on p.id = w.id order by since, p.id limit 5) p));
end $function$;

CREATE OR REPLACE FUNCTION private.review_filter(filter jsonb, OUT condition text, OUT sort text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  item record;
  part text;
  parts text[] := '{}';
begin
  sort := coalesce(nullif(filter ->> 'sort', ''), case filter ->> 'view' when 'premium' then 'featured'
    else 'oldest' end);
  if sort = 'featured' then
    parts := array['p.premium'];
  elsif sort not in ('oldest', 'newest', 'name') then
    parts := array['false'];
  end if;
  if jsonb_typeof(filter) <> 'object' then
    filter := '{"view": "none"}';
  end if;
  for item in select key, value from jsonb_each_text(filter) where value <> '' and key <> 'sort' loop
    part := case item.key
      when 'view' then case item.value
        when 'all' then 'true'
        when 'new' then 'p.status = ''new'''
        when 'pending' then 'p.status = ''pending-update'''
        when 'flagged' then 'p.status = ''flagged'''
        when 'premium' then 'p.premium' end
      when 'search' then format('p.name_search @@ %L::tsquery', private.search_query(item.value))
      when 'status' then case when item.value in ('new', 'flagged', 'archived', 'pending-update',
        'published')
        then format('p.status = %L', item.value) end
      when 'category' then case when item.value ~ '^[0-9]{1,18}$'
        then format('p.category = %s', item.value) end
      when 'state' then format('p.state = %L', item.value)
      when 'premium' then case item.value when 'yes' then 'p.premium' when 'no' then 'not p.premium' end
      when 'email' then case item.value
        when 'yes' then 'p.owner_email is not null' when 'no' then 'p.owner_email is null' end
      when 'complete' then case item.value
        when 'yes' then 'private.missing_for_approval(p.owner_email, p.state) = ''{}'''
        when 'no' then 'private.missing_for_approval(p.owner_email, p.state) <> ''{}''' end
      when 'age' then case when item.value ~ '^[0-9]{1,5}$'
        then format('coalesce(p.waiting_since, p.modified_at) <= %L', now() - make_interval(days => item.value::integer)) end
      when 'edit' then 'p.status = ''pending-update'' and ' || case
        when item.value in ('contact', 'address', 'description', 'category', 'other')
        then format('private.edit_kind(p.last_update) = %L', item.value)
        when item.value = 'phone'
        then 'private.edit_kind(p.last_update) = ''contact'' and p.last_update - ''phone'' = ''{}'''
        when item.value = 'name' then 'p.last_update ? ''name''' end
      when 'archive' then case item.value when 'requested'
        then 'p.archive_requested and p.status <> ''archived''' end
      when 'asked' then case item.value
        when 'yes' then 'p.changes_requested is not null' when 'no' then 'p.changes_requested is null' end
    end;
    parts := parts || coalesce(part, 'false');
  end loop;
  select coalesce(string_agg(distinct p, ' and '), 'true') into condition from unnest(parts) p
    where p <> 'true';
end $function$;

CREATE OR REPLACE FUNCTION private.review_ids(filter jsonb, cursor text, backwards boolean, max_rows integer, condition text DEFAULT 'true'::text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  parsed record := private.review_filter(filter);
  key text := case parsed.sort when 'name' then 'p.name_key'
    when 'featured' then 'coalesce(p.premium_created_at, ''infinity'')' else 'coalesce(p.waiting_since, p.modified_at)' end;
  down boolean := (parsed.sort = 'newest') <> coalesce(backwards, false);
  at text[] := regexp_match(cursor, '^([0-9]{1,18})~(.*)$');
  from_here text := '';
  ids bigint[];
begin
  if cursor is not null then
    if at is null or (parsed.sort <> 'name' and at[2] !~ '^([0-9]{1,17}|none)$') then
      return null;
    end if;
    from_here := format('and (%s, p.id) %s (%s, %s)', key, case when down then '<' else '>' end,
      case when parsed.sort = 'name' then quote_literal(at[2])
        else quote_literal(case at[2] when 'none' then 'infinity'
          else 'epoch'::timestamptz + at[2]::bigint * interval '1 microsecond' end) || '::timestamptz' end,
      at[1]);
  end if;
  execute format(
    'select array(select p.id from public.places p where %1$s and %2$s %3$s order by %4$s %5$s, p.id %5$s limit %6$s)',
    parsed.condition, review_ids.condition, from_here, key, case when down then 'desc' else 'asc' end, max_rows)
  into ids;
  return ids;
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
          p.modified_at, 'waiting_since', p.waiting_since,
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

CREATE OR REPLACE FUNCTION private.sign_up_bucket(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select case when private.mailbox(email) <> lower(email) then 'sign up ' || private.mailbox(email) end $function$;

CREATE OR REPLACE FUNCTION private.take_email_change(account text, email text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.take_rate_token(format('email changes of %s', account), 5, 3600) = 0
    and private.take_rate_token(format('email changes to %s', lower(email)), 20, 3600) = 0;
end $function$;

CREATE OR REPLACE FUNCTION private.tie_handed_over_session(session_id uuid, issued_by uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A request that ends the session in the app at this moment waits, and then finds the tie.
  perform 1 from auth.sessions app join auth.sessions own on own.user_id = app.user_id
    where app.id = tie_handed_over_session.issued_by and own.id = tie_handed_over_session.session_id
    for key share of app;
  if not found then
    delete from auth.sessions s where s.id = tie_handed_over_session.session_id;
    return false;
  end if;
  insert into private.handed_over_sessions (session_id, issued_by)
    values (tie_handed_over_session.session_id, tie_handed_over_session.issued_by);
  -- It began with a link like one to a new password (limit_session).
  update auth.sessions s set not_after = null where s.id = tie_handed_over_session.session_id;
  -- The auth service counts the link that began the session as an email, and sends no other one for a while.
  update auth.users u set recovery_sent_at = null from auth.sessions s
    where s.id = tie_handed_over_session.session_id and u.id = s.user_id and coalesce(u.recovery_token, '') = '';
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.tracking_consent(user_id uuid)
 RETURNS public.consents
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select c from public.consents c where c.user_id = tracking_consent.user_id and c.channel = 'tracking'
      order by c.id desc limit 1);
end $function$;

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant text := nullif(current_setting('request.jwt.claims', true), '');
  caller uuid;
begin
  if current_setting('app.live_session', true) = claims then
    return auth.uid();
  end if;
  caller := (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid() and s.not_after is null
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null
      and private.has_passed_second_step(s));
  if caller is not null and current_setting('transaction_read_only') = 'on' then
    perform set_config('app.live_session', claims, true);
  end if;
  return caller;
end $function$;

CREATE OR REPLACE FUNCTION private.waiting_since(before public.places, place public.places)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when place.status = 'archived' or before.status = 'archived' then null
    when place.archive_requested and not before.archive_requested and before.status = 'published' then now()
    when place.archive_requested and before.archive_requested
      or place.status = before.status and place.status in ('new', 'pending-update', 'flagged')
        and place.changes_requested is not distinct from before.changes_requested
      -- (What is no change, such as hiding it, begins nothing that needs to be remembered.)
      then case when place.modified_at = before.modified_at then before.waiting_since
        else coalesce(before.waiting_since, before.modified_at) end
  end
$function$;

CREATE OR REPLACE FUNCTION private.weekly_views(place_id bigint)
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select array(
      select coalesce(w.views, 0)::integer
      from generate_series(11, 0, -1) ago
      left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
      order by ago desc)
    from public.places p
    where p.id = weekly_views.place_id and ((p.premium and (p.owner = private.user_id()
      or p.id = any (private.managed_places()))) or private.is_admin()));
end $function$;

CREATE OR REPLACE FUNCTION private.write_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  only_keys text[] := nullif(coalesce(tg_argv[0], ''), '')::text[];
  skip_keys constant text[] := array['version', 'modified_at', 'waiting_since', 'created_at', 'name_search',
    'full_name_search', 'email_search'];
  -- A function that makes a decision names it in app.audit_action; otherwise it is the statement.
  action_name text := coalesce(nullif(current_setting('app.audit_action', true), ''), lower(tg_op));
  acting_user uuid := auth.uid();
  acting_role text := coalesce(nullif(auth.role(), ''), 'system');
  -- Only for these columns is it asked whether a row has been public, which may take a look-up.
  texts constant text[] := case when tg_table_name in ('places', 'jobs', 'sponsorships')
    then private.texts_withheld_until_public() else '{}' end;
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    -- What a former owner wrote and no one approved goes with them, and not into the log once more.
    cross join lateral (select case when tg_table_name = 'places' and o.j ->> 'owner' is not null
      and n.j ->> 'owner' is distinct from o.j ->> 'owner' then o.j -> 'last_update' else '{}' end as edit) gone
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key,
          not gone.edit ? k.key and (k.key <> all (texts) or private.has_been_public(tg_table_name, o.j)))) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) as after
      from jsonb_each(n.j) k
      where k.value is distinct from o.j -> k.key and k.key <> all (skip_keys)
        and (only_keys is null or k.key = any (only_keys))
    ) changed
    where changed.after is not null
    order by n.id;
  elsif tg_op = 'INSERT' then
    with n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select acting_user, acting_role, action_name, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, o.j))) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.get_owner_leads()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, requester_name text, requester_email text, message text, place_id bigint, place_name text, state text, notes text, version integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
    select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes,
      l.version
    from public.leads l
    join (select o.id, o.name from public.places o where o.owner = (select private.user_id())
      union all select m.id, m.name from private.managed_listings() m) p on p.id = l.place_id
    order by l.created_at desc, l.id desc;
end $function$;

CREATE OR REPLACE FUNCTION public.lift_session_limit(session_id uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.lift_session_limit(session_id) $function$;

CREATE OR REPLACE FUNCTION public.my_counts()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return jsonb_build_object(
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
        and (not j.paid or (j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
          and exists (select from public.public_jobs v where v.id = j.id)))
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')))
    || case when (select private.is_admin()) then private.admin_counts() else '{}' end;
end $function$;

CREATE OR REPLACE FUNCTION public.my_dashboard(search text DEFAULT NULL::text, show text DEFAULT NULL::text, page integer DEFAULT 1, page_rows integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
begin
  return (
    with mine as (
      select p.id, null::uuid as draft, p.name, p.city, p.state, p.modified_at as at,
        private.normalize_for_search(p.name) as key,
        p.premium and (p.owner is not null or p.id = any ((select private.managed_places())::bigint[])) as featured,
        p.status in ('new', 'pending-update', 'flagged') as review,
        p.hidden and p.status <> 'archived' as hidden,
        private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])) as attention
      from (
        select * from public.places o where o.owner = (select private.user_id())
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p
      union all
      select null, d.id, d.name, null, null, d.updated_at, private.normalize_for_search(d.name), false, false, false, 'draft'
      from (select l.id, left(btrim(coalesce(l.fields ->> 'name', '')), 200) as name, l.updated_at
        from public.listing_drafts l where l.owner = (select private.user_id()) and l.form is null) d
    ), matching as (
      select m.* from mine m where not exists (
        select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
        where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
    ), found as (
      -- Drafts without a name are last.
      select m.id, m.draft, m.name, m.at,
        row_number() over (order by m.featured desc, m.key = '', m.key, m.id, m.draft) as n
      from matching m
      where case show when 'attention' then m.attention is not null when 'featured' then m.featured
        when 'review' then m.review when 'hidden' then m.hidden when 'drafts' then m.draft is not null
        else true end
    ), bounds as (
      select private.page_size(page_rows, 100) as size, (select count(*) from found) as total
    ), shown as (
      select f.* from found f, bounds b
      where f.n > b.size * (least(greatest(coalesce(page, 1), 1), greatest((b.total + b.size - 1) / b.size, 1)) - 1)
      order by f.n limit (select size from bounds)
    )
    select jsonb_build_object(
      'all', (select count(*) from mine),
      'counts', (select jsonb_build_object('all', count(*), 'attention', count(m.attention),
          'featured', count(*) filter (where m.featured), 'review', count(*) filter (where m.review),
          'hidden', count(*) filter (where m.hidden), 'drafts', count(m.draft)) from matching m),
      'total', (select total from bounds),
      'first', (select min(n) from shown),
      'week', private.week_of(now()),
      'first_month', exists (select from private.my_first_months()),
      'tasks', coalesce((
        select jsonb_agg(jsonb_build_object('kind', t.attention, 'id', t.id, 'draft', t.draft, 'name', t.name,
          'at', t.at) order by t.rank, t.key, t.id, t.draft)
        from (select m.*, array_position(array['payment-failed', 'changes-requested', 'no-address', 'no-email',
              'to-claim', 'draft'], m.attention) as rank
          from mine m where m.attention is not null order by rank, m.key, m.id, m.draft limit 5) t),
        '[]'),
      'rows', coalesce((
        select jsonb_agg(case when f.draft is not null
          then jsonb_build_object('draft', f.draft, 'name', f.name, 'updated_at', f.at)
          else jsonb_build_object(
          'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
          'premium', s.premium,
          'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
          'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
          'proxi_id', s.proxi_id,
          -- A payment that isn't collected anymore is nothing to show: its plan is about to end.
          'subscription_status', case when p.stripe_cus_id is null then null
            when s.subscription_status in ('past_due', 'unpaid') and not private.asks_for_payment(p) then 'canceled'
            else s.subscription_status end,
          'owner', s.owner, 'owner_email', s.owner_email,
          'hidden', s.hidden, 'archive_requested', s.archive_requested,
          'changes_requested', s.changes_requested,
          'changed', array(select jsonb_object_keys(s.last_update)),
          -- The last edit. One that was followed by another is kept, but says nothing about that.
          'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
            where r.place_id = s.id and r.rejected_at > now() - interval '30 days'
              and s.status <> 'pending-update' and s.modified_at <= r.rejected_at),
          'subscription_ends_at', case when p.stripe_cus_id is not null then p.subscription_ends_at end,
          -- (The statuses are those of private.subscription_is_live.)
          'paid_by_another', p.stripe_cus_id is null
            and coalesce(s.subscription_status in ('active', 'trialing', 'past_due'), false)
        ) end order by f.n)
        from shown f left join public.places_with_stats s on s.id = f.id
        left join public.places p on p.id = f.id),
          '[]')));
end $function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with me as materialized (
      select private.user_id() as id
    ), listings as (
      select p.*, private.needs_completion(p::public.places, p.owner = (select id from me)) as incomplete,
        p.owner = (select id from me) and private.asks_for_payment(p::public.places) as owes_payment
      from (
        select * from public.places o where o.owner = (select id from me)
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p
    ), jobs as (
      -- While a payment for it is on its way, there is nothing to do.
      select j.* from public.jobs j where j.owner = (select id from me) and j.filled_at is null
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
    ), waiting (rank, kind, id, name, at) as (
      select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
        where l.owes_payment
      union all
      select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
        where coalesce(l.changes_requested, '') <> ''
      union all
      select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
        where l.owner is not null and l.incomplete
      union all
      select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
        where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
          -- As open_order refuses it: no one would see it.
          and exists (select from public.public_jobs v where v.id = j.id)
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
      'supporter', exists (select from listings l where l.owner = (select id from me) and l.premium and l.status <> 'archived'),
      'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]')));
end $function$;

CREATE OR REPLACE FUNCTION public.my_leads(listing bigint DEFAULT NULL::bigint, wanted text DEFAULT NULL::text, after bigint DEFAULT NULL::bigint, before bigint DEFAULT NULL::bigint, page_rows integer DEFAULT 50)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  return (
    with mine as materialized (
      select l.id, l.created_at, l.place_id, l.place_name, l.state from public.get_owner_leads() l
    ), found as (
      select m.id, m.created_at, row_number() over (order by m.created_at desc, m.id desc) as n from mine m
      where (my_leads.listing is null or m.place_id = my_leads.listing)
        and (my_leads.wanted is null or m.state = my_leads.wanted)
    ), place as (
      -- The position that the lead has or would have, whether or not it is among those selected.
      select coalesce(
        (select count(*) + 1 from found f join mine a on a.id = my_leads.after
          where (f.created_at, f.id) >= (a.created_at, a.id)), 1) as from_after,
        (select count(*) + 1 - private.page_size(page_rows, 250) from found f
          join mine b on b.id = my_leads.before where (f.created_at, f.id) > (b.created_at, b.id)) as to_before
    ), page as (
      select f.id, f.n from found f, place
      where f.n >= greatest(case when my_leads.before is null then from_after
        when to_before is null then 1 else to_before end, 1)
      order by f.n limit private.page_size(page_rows, 250)
    )
    select jsonb_build_object(
      'total', (select count(*) from found),
      'first', (select min(n) from page),
      'rows', coalesce((
        select jsonb_agg(to_jsonb(l) order by page.n)
        from page join public.get_owner_leads() l on l.id = page.id), '[]'),
      'listings', coalesce((
        select jsonb_agg(jsonb_build_object('id', g.place_id, 'name', g.place_name, 'leads', g.leads, 'new',
          g.unread)
          order by private.normalize_for_search(g.place_name), g.place_id)
        from (select place_id, place_name, count(*) as leads, count(*) filter (where state = 'new') as unread
          from mine group by place_id, place_name) g), '[]')));
end $function$;

alter table private.confirmed_accounts add constraint confirmed_accounts_pkey PRIMARY KEY (user_id);

alter table private.confirmed_accounts add constraint confirmed_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

alter table public.places add constraint place_dates_are_finite CHECK ((isfinite(premium_created_at) AND isfinite(subscription_ends_at) AND isfinite(created_at) AND isfinite(modified_at) AND isfinite(waiting_since) AND isfinite(leads_from)));

CREATE INDEX places_archive_requested ON public.places USING btree (COALESCE(waiting_since, modified_at), id) WHERE (archive_requested AND (status <> 'archived'::text));

CREATE INDEX places_category ON public.places USING btree (category, COALESCE(waiting_since, modified_at), id);

CREATE INDEX places_changes_requested ON public.places USING btree (COALESCE(waiting_since, modified_at), id) WHERE (changes_requested IS NOT NULL);

CREATE INDEX places_edit_kind ON public.places USING btree (private.edit_kind(last_update), COALESCE(waiting_since, modified_at), id) WHERE (status = 'pending-update'::text);

CREATE INDEX places_incomplete ON public.places USING btree (COALESCE(waiting_since, modified_at), id) WHERE (private.missing_for_approval(owner_email, state) <> '{}'::text[]);

CREATE INDEX places_modified ON public.places USING btree (COALESCE(waiting_since, modified_at), id);

CREATE INDEX places_state ON public.places USING btree (state, COALESCE(waiting_since, modified_at), id);

CREATE INDEX places_status ON public.places USING btree (status, COALESCE(waiting_since, modified_at), id);

create view private.public_places with (security_barrier=true) as
 SELECT p.id,
    p.premium,
    p.proxi_id,
    p.name,
    p.category,
    p.online_categories,
    p.licensed_locations,
    p.public_email,
    p.phone,
    p.address,
    p.address_approximate,
    p.city,
    p.state,
    p.country,
    p.postalcode,
    p.lat,
    p.long,
    p.description,
    p.url,
    p.tiktok,
    p.instagram,
    p.xtwitter,
    p.youtube,
    p.facebook,
    p.linkedin,
    p.online,
    p."physicalLocation",
    p."bipocOwned",
    p.outdoor,
    p.nonprofit,
    p.gender_neutral_bathrooms,
    p.masks_required,
    p.wholesale,
    p.wholesale_buyer,
    p.affiliate,
    p.queer_programming,
    p.mission_statement,
    p.certified_queer
   FROM public.places p
  WHERE ((p.status = 'published'::text) AND (NOT p.hidden) AND (p.id OPERATOR(private.>=!) '-9223372036854775808'::bigint))
UNION ALL
 SELECT p.id,
    p.premium,
    p.proxi_id,
    a.name,
    a.category,
    a.online_categories,
    a.licensed_locations,
    a.public_email,
    a.phone,
    a.address,
    a.address_approximate,
    a.city,
    a.state,
    a.country,
    a.postalcode,
    a.lat,
    a.long,
    a.description,
    a.url,
    a.tiktok,
    a.instagram,
    a.xtwitter,
    a.youtube,
    a.facebook,
    a.linkedin,
    a.online,
    a."physicalLocation",
    a."bipocOwned",
    a.outdoor,
    a.nonprofit,
    a.gender_neutral_bathrooms,
    a.masks_required,
    a.wholesale,
    a.wholesale_buyer,
    a.affiliate,
    a.queer_programming,
    a.mission_statement,
    a.certified_queer
   FROM (public.places p
     CROSS JOIN LATERAL jsonb_populate_record(p.*, (p.last_update - ARRAY['id'::text, 'premium'::text, 'proxi_id'::text])) a(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from, waiting_since))
  WHERE ((p.status = 'pending-update'::text) AND (NOT p.hidden) AND (p.id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create view public.public_places with (security_invoker=on) as
 SELECT id,
    premium,
    proxi_id,
    name,
    category,
    online_categories,
    licensed_locations,
    public_email,
    phone,
    address,
    address_approximate,
    city,
    state,
    country,
    postalcode,
    lat,
    long,
    description,
    url,
    tiktok,
    instagram,
    xtwitter,
    youtube,
    facebook,
    linkedin,
    online,
    "physicalLocation",
    "bipocOwned",
    outdoor,
    nonprofit,
    gender_neutral_bathrooms,
    masks_required,
    wholesale,
    wholesale_buyer,
    affiliate,
    queer_programming,
    mission_statement,
    certified_queer
   FROM private.public_places;

create view public.places_with_stats with (security_invoker=on) as
 SELECT p.id,
    p.name,
    p.category,
    p.city,
    p.state,
    p.status,
    p.premium,
    p.premium AS premium2,
        CASE
            WHEN p.premium THEN private.nearby_users(p.id)
            ELSE NULL::bigint
        END AS user_count_by_distance,
        CASE
            WHEN p.premium THEN COALESCE(s.views, (0)::bigint)
            ELSE NULL::bigint
        END AS views,
        CASE
            WHEN p.premium THEN COALESCE(s.favorites, (0)::bigint)
            ELSE NULL::bigint
        END AS favoritescount,
    p.proxi_id,
    p.stripe_cus_id,
    p.subscription_status,
    p.owner,
    p.owner_email,
    p.hidden,
    p.archive_requested,
    p.changes_requested,
    p.last_update,
    p.version,
    p.created_at,
    p.modified_at,
    p.name_search,
        CASE
            WHEN p.premium THEN private.weekly_views(p.id)
            ELSE NULL::integer[]
        END AS weekly_views
   FROM (( SELECT places.id,
            places.name,
            places.category,
            places.online_categories,
            places.licensed_locations,
            places.public_email,
            places.phone,
            places.rawaddress,
            places.address,
            places.address_approximate,
            places.city,
            places.state,
            places.country,
            places.postalcode,
            places.lat,
            places.long,
            places.mailingaddress,
            places.description,
            places.url,
            places.tiktok,
            places.instagram,
            places.xtwitter,
            places.youtube,
            places.facebook,
            places.linkedin,
            places.online,
            places."physicalLocation",
            places."bipocOwned",
            places.outdoor,
            places.nonprofit,
            places.gender_neutral_bathrooms,
            places.masks_required,
            places.wholesale,
            places.wholesale_buyer,
            places.affiliate,
            places.queer_programming,
            places.mission_statement,
            places.certified_queer,
            places.third_party_auth,
            places.status,
            places.hidden,
            places.archive_requested,
            places.owner,
            places.owner_email,
            places.premium,
            places.premium_created_at,
            places.stripe_cus_id,
            places.stripe_subscription_id,
            places.subscription_status,
            places.subscription_ends_at,
            places.proxi_id,
            places.last_update,
            places.changes_requested,
            places.submission_id,
            places.version,
            places.created_at,
            places.modified_at,
            places.name_search,
            places.name_key,
            places.leads_from,
            places.waiting_since
           FROM public.places
        UNION ALL
         SELECT managed_listings.id,
            managed_listings.name,
            managed_listings.category,
            managed_listings.online_categories,
            managed_listings.licensed_locations,
            managed_listings.public_email,
            managed_listings.phone,
            managed_listings.rawaddress,
            managed_listings.address,
            managed_listings.address_approximate,
            managed_listings.city,
            managed_listings.state,
            managed_listings.country,
            managed_listings.postalcode,
            managed_listings.lat,
            managed_listings.long,
            managed_listings.mailingaddress,
            managed_listings.description,
            managed_listings.url,
            managed_listings.tiktok,
            managed_listings.instagram,
            managed_listings.xtwitter,
            managed_listings.youtube,
            managed_listings.facebook,
            managed_listings.linkedin,
            managed_listings.online,
            managed_listings."physicalLocation",
            managed_listings."bipocOwned",
            managed_listings.outdoor,
            managed_listings.nonprofit,
            managed_listings.gender_neutral_bathrooms,
            managed_listings.masks_required,
            managed_listings.wholesale,
            managed_listings.wholesale_buyer,
            managed_listings.affiliate,
            managed_listings.queer_programming,
            managed_listings.mission_statement,
            managed_listings.certified_queer,
            managed_listings.third_party_auth,
            managed_listings.status,
            managed_listings.hidden,
            managed_listings.archive_requested,
            managed_listings.owner,
            managed_listings.owner_email,
            managed_listings.premium,
            managed_listings.premium_created_at,
            managed_listings.stripe_cus_id,
            managed_listings.stripe_subscription_id,
            managed_listings.subscription_status,
            managed_listings.subscription_ends_at,
            managed_listings.proxi_id,
            managed_listings.last_update,
            managed_listings.changes_requested,
            managed_listings.submission_id,
            managed_listings.version,
            managed_listings.created_at,
            managed_listings.modified_at,
            managed_listings.name_search,
            managed_listings.name_key,
            managed_listings.leads_from,
            managed_listings.waiting_since
           FROM private.managed_listings() managed_listings(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from, waiting_since)
          WHERE (NOT ( SELECT private.is_admin() AS is_admin))) p
     LEFT JOIN public.place_stats s ON ((s.place_id = p.id)));

create view private.jobs_as_public as
 SELECT j.id,
    j.title,
    j.category,
    c.name AS category_name,
    j.description,
    j.pay_range,
    j.url,
    j.location,
    j.city,
    j.queer_owned,
    j.ally_owned,
        CASE
            WHEN j.ally_owned THEN j.ally_safety
            ELSE NULL::text
        END AS ally_safety,
    j.remote,
    j.full_time,
    j.part_time,
    j.contract,
    listing.id AS place_id,
    COALESCE(listing.name, NULLIF(btrim(j.company_name), ''::text)) AS company_name,
    COALESCE(listing.description, NULLIF(btrim(j.company_bio), ''::text)) AS company_bio,
    j.expiration_date,
    (j.paid AND j.published AND (j.expiration_date > now()) AND (j.filled_at IS NULL) AND (COALESCE(listing.name, NULLIF(btrim(j.company_name), ''::text)) IS NOT NULL)) AS live
   FROM (((public.jobs j
     JOIN public.categories c ON ((c.id = j.category)))
     LEFT JOIN public.places p ON (((p.id = j.place_id) AND ((j.owner IS NULL) OR (j.owner = p.owner)))))
     LEFT JOIN LATERAL ( SELECT l.id,
            l.name,
            l.description
           FROM private.public_places l
          WHERE (l.id = p.id)
         OFFSET 0) listing ON (true))
  WHERE (j.id OPERATOR(private.>=!) '-9223372036854775808'::bigint);

create view private.public_jobs with (security_barrier=true) as
 SELECT id,
    title,
    category,
    category_name,
    description,
    pay_range,
    url,
    location,
    city,
    queer_owned,
    ally_owned,
    ally_safety,
    remote,
    full_time,
    part_time,
    contract,
    place_id,
    company_name,
    company_bio,
    expiration_date
   FROM private.jobs_as_public
  WHERE live;

create view public.public_jobs with (security_invoker=on) as
 SELECT id,
    title,
    category,
    category_name,
    description,
    pay_range,
    url,
    location,
    city,
    queer_owned,
    ally_owned,
    ally_safety,
    remote,
    full_time,
    part_time,
    contract,
    place_id,
    company_name,
    company_bio,
    expiration_date
   FROM private.public_jobs;

alter table private.confirmed_accounts enable row level security;

CREATE OR REPLACE TRIGGER t1_end_limited AFTER INSERT OR UPDATE ON auth.mfa_amr_claims FOR EACH ROW WHEN ((new.authentication_method = ANY (ARRAY['password'::text, 'totp'::text]))) EXECUTE FUNCTION private.end_limited_sessions();

CREATE OR REPLACE TRIGGER t1_limit AFTER INSERT ON auth.mfa_amr_claims FOR EACH ROW WHEN ((new.authentication_method = ANY (ARRAY['otp'::text, 'recovery'::text, 'magiclink'::text, 'email_change'::text, 'email/signup'::text]))) EXECUTE FUNCTION private.limit_session();

CREATE OR REPLACE TRIGGER t1_refuse_while_limited BEFORE INSERT ON auth.mfa_factors FOR EACH ROW EXECUTE FUNCTION private.refuse_while_limited('user_id');

CREATE OR REPLACE TRIGGER t1_refuse_while_limited BEFORE UPDATE OF email_change ON auth.users FOR EACH ROW WHEN ((((new.email_change)::text <> ''::text) AND ((new.email_change)::text IS DISTINCT FROM (old.email_change)::text))) EXECUTE FUNCTION private.refuse_while_limited('id');

CREATE OR REPLACE TRIGGER t3_end_limit AFTER UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN ((((new.encrypted_password)::text <> ''::text) AND ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text))) EXECUTE FUNCTION private.end_limit();

CREATE OR REPLACE TRIGGER t3_report_new_password AFTER UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN (((((old.encrypted_password)::text <> ''::text) OR (old.email_confirmed_at < (now() - '01:00:00'::interval))) AND (old.email_confirmed_at IS NOT NULL) AND ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text))) EXECUTE FUNCTION private.report_new_password();

create policy "no access" on private.confirmed_accounts for all to anon, authenticated
  using (false);

create policy "insert for public listings" on public.events for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (event_name = 'report_listing'::text) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = events.place)))));

create policy "insert own" on public.favorites for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = favorites.place_id)))));

create policy "insert for public listings" on public.leads for insert to authenticated
  with check (((requester = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = leads.place_id)))));

grant execute on function private.lift_session_limit(uuid) to service_role;

grant execute on function private.waiting_since(public.places,public.places) to authenticated;

grant execute on function private.waiting_since(public.places,public.places) to service_role;

grant execute on function public.lift_session_limit(uuid) to service_role;

grant select on table private.public_jobs to anon;

grant select on table private.public_jobs to authenticated;

grant select on table private.public_jobs to service_role;

grant select on table private.public_places to anon;

grant select on table private.public_places to authenticated;

grant select on table private.public_places to service_role;

grant select on table public.places_with_stats to authenticated;

grant select on table public.public_jobs to anon;

grant select on table public.public_jobs to authenticated;

grant select on table public.public_jobs to service_role;

grant select on table public.public_places to anon;

grant select on table public.public_places to authenticated;

grant select on table public.public_places to service_role;

set check_function_bodies = on;
