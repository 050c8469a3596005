-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop policy "insert for public listings" on public.leads;

drop policy "insert own" on public.favorites;

drop policy "insert for public listings" on public.events;

drop view public.public_jobs;

drop view private.public_jobs;

drop view private.jobs_as_public;

drop view private.due_emails;

drop view public.places_with_stats;

drop view public.public_places;

drop view private.public_places;

drop index public.places_archive_requested;

alter table public.places drop constraint place_dates_are_finite;

drop function private.place_in_queue_before_decision(bigint);

alter table public.places add column removal_requested_at timestamp with time zone;

CREATE OR REPLACE FUNCTION private.admin_delete_user(userid uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  existed boolean;
  mailbox text;
  about jsonb;
begin
  -- A caller who waited for another admin may not be an admin any more.
  perform 1 from public.profiles p where p.admin order by p.id for no key update;
  perform private.require_admin();
  if userid = private.user_id() then
    perform private.refuse('own_account');
  end if;
  select lower(u.email), jsonb_build_object('discreet', p.discreet, 'listings', (select count(*) from public.places l
        where l.owner = p.id and l.status <> 'archived'),
      -- Those that people can see.
      'jobs', (select count(*) from public.jobs j where j.owner = p.id and private.is_live_job(j.id)))
      into mailbox, about
    from auth.users u join public.profiles p on p.id = u.id
    where u.id = admin_delete_user.userid and u.email <> '' and u.email_confirmed_at is not null;
  perform set_config('app.audit_action', 'delete-user', true);
  existed := private.erase_user(userid);
  perform set_config('app.audit_action', '', true);
  -- Their address stays until the email is sent (private.time_to_send).
  if existed and mailbox is not null then
    insert into private.email_queue (address, kind, key, data)
      values (mailbox, 'account-deleted', 'account-deleted:' || gen_random_uuid(), about);
  end if;
  return existed;
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
    if sign_up.proof is not null then
      insert into private.sign_ups (user_id, proof, answers)
        select p.id, sign_up.proof, sign_up.answers || jsonb_strip_nulls(jsonb_build_object('full_name', p.full_name,
          'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode))
        from public.profiles p where p.id = new.id;
      update public.profiles set full_name = null, phone = null, pronouns = null, postalcode = null where id = new.id;
      sign_up.answers := '{}';
    end if;
  end if;
  perform private.accept_position(new.id, sign_up.answers);
  insert into private.confirmed_accounts (user_id) values (new.id)
    on conflict (user_id) do update set confirmed_at = now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.count_positions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this_week constant date := private.week_of(now());
begin
  if tg_op = 'INSERT' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, count(*), this_week from new_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
  elsif tg_op = 'DELETE' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, -count(*), this_week from old_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
  else
    -- Always in the same order, so that two people who swap positions do not deadlock.
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, sum(people), this_week from (
      select lat, long, 1 as people from new_rows union all select lat, long, -1 from old_rows
    ) moved group by lat, long having sum(people) <> 0 order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
  end if;
  -- Where no one is, and no one was when the week began, nothing is left: no one limits how often someone moves, and
  -- there are millions of positions.
  if tg_op <> 'INSERT' then
    delete from private.position_counts c where c.people = 0 and c.people_before = 0
      and (c.lat, c.long) in (select lat, long from old_rows);
  end if;
  return null;
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
        || case when p.archive_requested then jsonb_build_object(''archive_requested'', true,
          ''removal_requested_at'', p.removal_requested_at) else ''{}'' end
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
      and not (act = 'approve'
        and private.was_told_it_is_live(p.id, r.before ->> 'status', r.before -> 'last_update'))
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
        'archive_requested', 'removal_requested_at']
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

CREATE OR REPLACE FUNCTION private.delete_unconfirmed_accounts(email text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  deleted integer;
begin
  delete from auth.users u where u.id in (
    select o.id from auth.users o
    where o.email_confirmed_at is null and not o.is_sso_user
      and (delete_unconfirmed_accounts.email is null or o.email = lower(delete_unconfirmed_accounts.email))
      and greatest(o.confirmation_sent_at, o.recovery_sent_at) < now()
        - case when delete_unconfirmed_accounts.email is null then interval '7 days' else interval '1 hour' end
      and o.confirmation_sent_at is not null
      and not exists (select from public.places p where p.owner = o.id)
      and not exists (select from public.jobs j where j.owner = o.id)
    order by o.confirmation_sent_at limit 1000
    -- An account that gets another link at this moment is looked at again, and stays.
    for update of o);
  get diagnostics deleted = row_count;
  if delete_unconfirmed_accounts.email is null then
    delete from private.sign_ups s using auth.users u
      where u.id = s.user_id and u.email_confirmed_at < now() - interval '1 hour';
  end if;
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION private.email_new_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner is distinct from private.user_id() and (tg_op = 'UPDATE' or private.user_id() is not null) then
    perform private.enqueue_email(new.owner, null, 'listing-received', format('listing-received:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', new.name)
        || case when new.hidden then '{"hidden": true}'::jsonb else '{}' end
        || case when tg_op = 'INSERT' then '{"added": true}'::jsonb else jsonb_build_object(
          -- What a former owner has paid for goes on.
          'featured', exists (select from public.subscriptions s where s.place_id = new.id and s.owner <> new.owner
            and private.keeps_featured(s)),
          'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
            from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
            where s.place_id = new.id and s.owner <> new.owner and p.held_until is null
              and p.weekday_date > private.today()),
          -- They go with it (private.move_jobs).
          'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.paid and j.expiration_date > now()
            and (j.owner = old.owner or j.owner is null))) end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_ownership()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  removed integer;
  withdrawn integer;
begin
  delete from public.listing_managers m where m.place_id = new.id;
  get diagnostics removed = row_count;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = new.id and i.accepted_at is null and i.withdrawn_at is null;
  get diagnostics withdrawn = row_count;
  if removed + withdrawn > 0 then
    perform private.log_action('end-managing', 'places', new.id::text,
      jsonb_build_object('managers', removed, 'invitations', withdrawn));
  end if;
  delete from private.email_queue n where n.place_id = new.id and n.sent_at is null
    and (n.kind in ('new-lead', 'listing-approved') or not exists (select from public.profiles p where p.id = old.owner));
  update private.email_queue n set recipient = old.owner, place_id = null
    where n.place_id = new.id and n.sent_at is null;
  update private.decision_rows r set before = null where r.place_id = new.id and r.before is not null;
  -- Also what an admin has typed over it, which has the previous owner's mailing address, and could outlast their account.
  delete from public.listing_drafts d where d.form = '/listings/' || new.id
    and old.owner is not null and d.owner = any (array(select p.id from public.profiles p where p.admin) || old.owner);
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', old.name, 'given', new.owner is not null,
        -- Their edit that waited is dropped (private.part_from_owner), whatever it was to remove.
        'edited', old.status = 'pending-update' and not old.hidden,
        -- What was approved is seen again once the next owner shows it.
        'edited_hidden', old.status = 'pending-update' and old.hidden,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s)
          and (private.is_paid_for(s) or not s.awaits_payment and s.status <> 'past_due')),
        -- Its first payment has failed, and isn't tried again (private.plans_to_stop).
        'unpaid', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and s.status in ('past_due', 'unpaid') and not s.awaits_payment and private.has_left_unpaid(s)),
        -- It is charged again once our team resumes it.
        'paused', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and s.status = 'paused' and not s.surplus),
        -- Its first payment, by bank debit: fulfill_order has it refunded.
        'awaited', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and s.awaits_payment and not private.is_paid_for(s)),
        'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
          from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
          where s.place_id = new.id and s.owner = old.owner and p.held_until is null and p.weekday_date > private.today()),
        -- They go with it (private.move_jobs).
        'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.owner = old.owner and j.paid
          and j.expiration_date > now())));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_featured_ended(sub public.subscriptions)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(p.owner, null, 'featured-ended', format('featured-ended:%s:%s', sub.id, sub.seen),
      jsonb_build_object('place_id', p.id, 'name', p.name))
    from public.places p
    where p.id = sub.place_id and not p.premium and p.status <> 'archived' and p.owner is distinct from sub.owner
      and (sub.owner is not null or sub.order_id is not null)
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_owner_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act <> 'form' or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
      || case k.kind when 'listing-removed'
        then jsonb_strip_nulls(private.about_removal((select p from public.places p where p.id = n.id), o.archive_requested))
        when 'listing-approved'
        then case when n.status = 'pending-update' and n.last_update <> '{}' then '{"waits": true}'::jsonb else '{}' end
        else '{}' end
  from new_rows n join old_rows o on o.id = n.id
  -- (A listing that has left its owner loses the edit that waited, which no one has approved, and what was theirs alone:
  -- private.part_from_owner.)
  cross join lateral (select o.owner is not null and n.owner is distinct from o.owner as has_left) h
  cross join lateral (select o.last_update <> '{}' and h.has_left as edit_left) w
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' and not w.edit_left
        and not private.was_told_it_is_live(n.id, o.status, o.last_update) then 'listing-approved'
      when n.status = 'pending-update' and o.status not in ('published', 'pending-update') then 'listing-approved'
      when n.status = 'archived' and o.status <> 'archived' then 'listing-removed'
      when exists (select from unnest(private.reviewed_columns()) c
        where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c
          and not (w.edit_left and o.last_update ? c)
          and not (h.has_left and c in ('mailingaddress', 'rawaddress') and to_jsonb(n) ->> c is null))
        then 'listing-edited'
    end as kind) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  perform private.enqueue_booked_removals(array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status = 'archived' and o.status <> 'archived'), now());
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_subscription_emails(was public.subscriptions, is_now public.subscriptions, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  was_live constant boolean := coalesce(private.subscription_is_live(was.status), false);
  live constant boolean := private.subscription_is_live(is_now.status);
  mail_place constant bigint := private.plan_mail_place(is_now);
  about constant jsonb := private.plan_facts(is_now);
  has_left constant boolean := private.has_left_unpaid(is_now);
begin
  if is_now.surplus or private.enqueue_stopped_plan(was, is_now, coalesce((facts ->> 'by_us')::boolean, false)) then
    return;
  end if;
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore, and doesn't go on. Nor is the
  -- first payment for a listing that isn't theirs anymore: plans_to_stop.)
  if is_now.status in ('past_due', 'paused') and private.plan_leaves_with(is_now) is null
    and not (is_now.status = 'past_due' and has_left)
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    if is_now.status = 'past_due' then
      perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
        'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
        about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
    elsif was.status <> 'paused' then
      perform private.enqueue_email(is_now.owner, mail_place, 'plan-paused', format('plan-paused:%s:%s', is_now.id, is_now.seen), about);
    end if;
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due',
        'awaited', not private.is_paid_for(is_now), 'awaits_renewal', is_now.awaits_payment, 'leaves_with', private.plan_leaves_with(is_now),
        'left', has_left));
  -- (A plan that is paused goes on later, and is charged then.)
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired', 'paused')
    and (was_live or was.status = 'paused' or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false), 'awaits', is_now.awaits_payment, 'left', has_left,
        'again', private.plan_leaves_with(is_now) is null
          and exists (select from public.places p where p.id = is_now.place_id and p.status not in ('archived', 'flagged'))));
  end if;
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
      and (o.paid_at is not null or o.status = 'processing'
        -- The bill of another plan whose first payment has failed can still be paid.
        or (o.status = 'failed' and o.place_id <> place and exists (select from public.subscriptions s
          where s.id = o.stripe_subscription_id and s.status in ('past_due', 'unpaid'))))
      and (o.owner = buyer or o.place_id = place));
end $function$;

CREATE OR REPLACE FUNCTION private.get_listing_managers(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('name', p.name, 'yours', p.owner is not distinct from private.user_id(),
    'managers', (select coalesce(jsonb_agg(jsonb_build_object('id', m.profile_id, 'name', f.full_name,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'since', m.since)
        order by m.since, m.profile_id), '[]')
      from public.listing_managers m join public.profiles f on f.id = m.profile_id
      -- Of several that they accepted, the one by which they came: the others were only used up.
      left join lateral (select i.email from public.manager_invitations i
        where i.place_id = m.place_id and i.accepted_by = m.profile_id order by i.accepted_at, i.id limit 1) i on true
      where m.place_id = p.id),
    'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'created_at', i.created_at,
        'expires_at', i.expires_at, 'late', i.expires_at <= now()) order by i.created_at, i.id), '[]')
      from public.manager_invitations i
      where i.place_id = p.id and i.accepted_at is null and i.withdrawn_at is null))
  from public.places p where p.id = get_listing_managers.place_id
    and (p.owner = private.user_id() or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.goes_on_paying(listing_id bigint, payer uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from public.subscriptions s where s.place_id = listing_id and s.owner = payer
    and private.subscription_is_live(s.status) and private.plan_goes_on(s));
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

  -- 6. Its place in the queues. Undoing a decision puts it back where it was.
  if changed then
    new.removal_requested_at := case when new.archive_requested then case when old.archive_requested
      then coalesce(old.removal_requested_at, old.waiting_since, old.modified_at) else now() end end;
    new.waiting_since := private.waiting_since(old, new);
  end if;
  if current_setting('app.undone_batch', true) <> '' then
    select q.modified_at, q.waiting_since,
        case when new.archive_requested and not old.archive_requested
          then coalesce(q.removal_requested_at, q.waiting_since, q.modified_at) else new.removal_requested_at end
      into new.modified_at, new.waiting_since, new.removal_requested_at
      from private.place_in_queue_before_decision(new.id) q;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.had_first_month()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select private.first_month_used(private.user_id(), null) $function$;

CREATE OR REPLACE FUNCTION private.has_left_unpaid(s public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select s.owner is not null and not s.surplus and not private.is_paid_for(s)
    and exists (select from public.places p where p.id = s.place_id and p.owner is distinct from s.owner)
$function$;

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
    when kind = 'job-payment-returned' then return not exists (select from public.jobs j
      where j.id = (data ->> 'job_id')::bigint and j.owner = is_outdated.recipient and j.paid = (data ? 'ends')
        and j.expiration_date is not distinct from (data ->> 'ends')::timestamptz);
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
    when kind = 'featured-ended' then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and not p.premium);
    when kind = 'two-step-changed' then return data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified');
    when kind = 'listing-added' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'));
    when kind in ('listing-hidden', 'listing-shown') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'));
    when kind in ('payment-disputed', 'refund-failed') then return not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin);
    when kind = 'admin-rights-changed' then return exists (select from public.profiles p
      where p.id = is_outdated.recipient
        and p.admin is distinct from case when data ? 'yours' then (data ->> 'given')::boolean else true end);
    else return false;
  end case;
end $function$;

CREATE OR REPLACE FUNCTION private.is_plain(email text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select split_part(lower(btrim(email)), '@', 1) = split_part(private.mailbox(email), '@', 1) $function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - private.time_to_send(old.kind)) limit 200
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
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '5 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data || case when due.hidden then '{"hidden": true}'::jsonb else '{}' end
    || case when due.former then '{"former": true}'::jsonb else '{}' end
    || case when due.kept then '{"kept": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-removed', 'booked-listing-removed') and n.data ? 'newsletters'
      then jsonb_build_object('newsletters', private.still_booked(n.data, due.user_id)) else '{}' end
    || case when n.kind = 'job-expiring'
      then jsonb_build_object('shown', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind in ('job-left', 'job-republished')
      then jsonb_build_object('live', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind = 'listing-left' and n.data ? 'place_id' then jsonb_build_object('given', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.owner is not null)) else '{}' end
    || case when n.kind = 'listing-received' and n.data ? 'hidden' then jsonb_build_object('hidden', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.hidden)) else '{}' end
    || case when n.kind = 'listing-approved' and exists (
        select from public.listing_managers m where m.place_id = n.place_id)
      then '{"managed": true}'::jsonb
      when n.kind = 'listing-approved' and private.was_changed_by_others(n.place_id, n.created_at)
      then '{"left": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-hidden', 'listing-shown') then jsonb_build_object('approved', exists (
      select from public.places p where p.id = (n.data ->> 'place_id')::bigint
        and p.status in ('published', 'pending-update'))) else '{}' end
    || case when n.kind = 'listing-hidden' and private.goes_on_paying((n.data ->> 'place_id')::bigint, due.user_id)
      then '{"plan": true}'::jsonb else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.mailbox(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when a.address ~ '@(gmail|googlemail)[.]com$'
    then replace(split_part(a.address, '@', 1), '.', '') || '@gmail.com'
    when a.address ~ '@(proton[.]me|protonmail[.](com|ch)|pm[.]me)$'
    then translate(split_part(a.address, '@', 1), '.-_', '') || '@proton.me' else a.address end
  from regexp_replace(lower(btrim(email)), '[+][^@]*@', '@') a(address)
$function$;

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
      version, created_at, modified_at, waiting_since, removal_requested_at, leads_from}'::text[] || private.reviewed_columns()),
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
        else jsonb_build_object('limited', true, 'full_name', null, 'phone', null, 'pronouns', null,
          'postalcode', null, 'opted_in', false, 'sms_opted_in', false, 'admin', false,
          'admin_needs_second_step', false, 'second_step', false, 'tracking', null, 'tracking_text', null,
          'deletion', null) end
    from auth.users u
    join public.profiles p on p.id = u.id
    join auth.sessions s on s.id = (auth.jwt() ->> 'session_id')::uuid
    where u.id = private.session_user_id()
  ));
end $function$;

CREATE OR REPLACE FUNCTION private.place_in_queue_before_decision(place_id bigint, OUT modified_at timestamp with time zone, OUT waiting_since timestamp with time zone, OUT removal_requested_at timestamp with time zone)
 RETURNS record
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select (r.before ->> 'modified_at')::timestamptz, (r.before ->> 'waiting_since')::timestamptz,
    (r.before ->> 'removal_requested_at')::timestamptz
  from private.decision_rows r
  where r.batch_id = current_setting('app.undone_batch')::uuid
    and r.place_id = place_in_queue_before_decision.place_id
$function$;

CREATE OR REPLACE FUNCTION private.plans_to_stop()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with running as (
    select s.id, s.place_id from public.subscriptions s where private.is_charged_again(s)
      -- Or renewed, whose bill may still be a draft: Stripe charges it, whatever ends with it.
      or s.status = 'active' and not s.surplus and s.period_from > now() - private.longest_draft()
    union all
    select p.stripe_subscription_id, p.id from public.places p
      where p.status = 'archived' and (p.subscription_ends_at is null or p.subscription_status in ('past_due', 'unpaid'))
        and p.subscription_status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
        and not exists (select from public.subscriptions s where s.id = p.stripe_subscription_id)
  )
  select r.id from running r join public.places p on p.id = r.place_id
  where p.status = 'archived'
    and not exists (select from private.decision_rows d join private.decision_batches b on b.id = d.batch_id
      where d.place_id = p.id and d.outcome = 'done' and d.undone is null and b.action = 'archive'
        and (private.decision_emails_due(b.decided_at) > clock_timestamp()
          or b.expires_at > now() and (b.undone_at is not null or exists (select from private.decision_rows o
            where o.batch_id = b.id and o.outcome is null))))
  union
  select s.id from public.subscriptions s where s.status in ('past_due', 'unpaid') and private.has_left_unpaid(s)
  order by 1
$function$;

CREATE OR REPLACE FUNCTION private.recognize_sign_up(token_hash text, proof text)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with recognized as (
    update private.sign_ups s set recognized = true
    where s.user_id = (select private.account_of_link(token_hash)) and s.proof = recognize_sign_up.proof
      and exists (select from auth.users u where u.id = s.user_id and u.email_confirmed_at is null)
    returning s.user_id)
  select exists (select from recognized)
$function$;

CREATE OR REPLACE FUNCTION private.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb, event jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '700ms'
AS $function$
declare
  session constant jsonb := nullif(facts -> 'session', 'null');
  state constant text := session ->> 'state';
  sub constant jsonb := nullif(facts -> 'subscription', 'null');
  purchases constant jsonb := jsonb_path_query_array(coalesce(facts -> 'payments', '[]'), '$[*] ? (@.reason == "purchase")');
  -- Nothing was ever Featured for it.
  late constant boolean := exists (select from jsonb_array_elements(purchases) paid
    where private.arrived_late(paid, (sub ->> 'ended_at')::timestamptz));
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  was_featured boolean;
  featured_changed boolean := false;
  payments_changed boolean := false;
  dispute text;
  lost_cents bigint;
  not_lost text[] := '{}';
begin
  if order_id is not null then
    select * into was from public.orders o where o.id = order_id;
    perform private.lock_order_item(was.job_id, was.sponsorship_id, was.place_id);
    select * into was from public.orders o where o.id = order_id for update;
    place := was.place_id;
  else
    select coalesce(
        (select s.place_id from public.subscriptions s where s.id = subscription_id),
        (select p.id from public.places p where p.stripe_subscription_id = subscription_id)) into place;
    perform private.lock_order_item(null, null, place);
  end if;
  select * into sub_was from public.subscriptions s
    where s.id = coalesce(sub ->> 'id', subscription_id) for update;
  if coalesce(was.seen, sub_was.seen, 0) <> seen then
    return jsonb_build_object('again', true);
  end if;
  if event is not null then
    insert into public.stripe_events (id, type, object_id, created_at)
    values (event ->> 'id', event ->> 'type', event ->> 'object', to_timestamp((event ->> 'created')::bigint))
    on conflict do nothing;
  end if;

  now_is := was;
  if session is not null and was.stripe_checkout_session_id is distinct from session ->> 'id' then
    if state <> 'paid' then
      -- An earlier checkout that the order no longer uses.
      is_current := false;
    elsif was.paid_at is null and not late then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time, or late, when it may be on its way again: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates, opened_at, cancellation_days)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid',
        case when was.paid_at is null then 'changed' else 'paid-twice' end, now(), session ->> 'id',
        was.item_name, was.item_dates, was.opened_at, was.cancellation_days)
      returning * into was;
      now_is := was;
    end if;
  end if;

  if session is not null and is_current then
    now_is.stripe_customer_id := coalesce(session ->> 'customer', now_is.stripe_customer_id);
    now_is.stripe_payment_intent_id := coalesce(session ->> 'payment_intent',
      now_is.stripe_payment_intent_id);
    now_is.stripe_subscription_id := coalesce(sub ->> 'id', now_is.stripe_subscription_id);
    if state <> 'open' then
      now_is.expires_at := null;
    end if;
    if state = 'paid' then
      -- What was charged: the amount of the session is that of before the customer's credit.
      now_is.amount_paid_cents := coalesce(was.amount_paid_cents,
        (select sum((paid ->> 'cents')::bigint) from jsonb_array_elements(purchases) paid),
        (session ->> 'paid_cents')::bigint);
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          when late and was.owner is not null then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          if was.sponsorship_id is not null then
            -- Its buyer may have changed it since, at the same price: what was booked is what they have bought.
            select s.sponsorship_dates, left(p.name, 300) into now_is.item_dates, now_is.item_name
              from public.sponsorships s join public.places p on p.id = s.place_id where s.id = was.sponsorship_id;
          end if;
          -- Other open orders for the same item must not be paid any more.
          update public.orders o set status = 'canceled', seen = o.seen + 1
            where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id
              or o.place_id = was.place_id)
              and o.id <> was.id and o.paid_at is null and o.status <> 'canceled';
          perform private.enqueue_email(was.owner, null, 'order-receipt', 'order-receipt:' || was.id,
            jsonb_build_object(
            'order', was.id, 'kind', was.kind, 'quantity', was.quantity, 'cents', now_is.amount_paid_cents,
            'receipt_url', session ->> 'receipt_url'));
        else
          -- (What was charged has a refund with an email of its own.)
          perform private.enqueue_email(was.owner, null, 'payment-returned', format('payment-returned:%s:credit', was.id),
              jsonb_build_object('kind', was.kind, 'cents', used.cents, 'reason', now_is.refund_reason, 'credit', true))
            from (select sum((paid ->> 'credit_cents')::bigint) as cents from jsonb_array_elements(purchases) paid) used
            where used.cents > 0;
        end if;
      end if;
    elsif was.paid_at is null and was.status <> 'canceled' then
      -- No one is asked to pay for a listing that has gone to someone else while the payment was on its way.
      now_is.status := case when state in ('expired', 'failed') and exists (select from public.places p
        where p.id = was.place_id and p.owner is distinct from was.owner) then 'canceled' else state end;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif now_is.status in ('expired', 'failed') and was.status <> state then
        if was.sponsorship_id is not null then
          delete from public.sponsorship_spots s where s.sponsorship_id = was.sponsorship_id
            and s.held_until is not null;
          if was.status = 'processing' then
            -- They were held until now, so holding them again renews that.
            insert into private.newsletter_holds (place_id, weekday_date, held_until)
            select s.place_id, d, now() from public.sponsorships s, unnest(s.sponsorship_dates) d
            where s.id = was.sponsorship_id
            on conflict (place_id, weekday_date) do update set held_until = excluded.held_until;
          end if;
        end if;
        -- A plan that is unpaid has emails of its own.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('past_due', 'canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at,
      credit_cents, plus_tax, awaits_payment)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      -- What is refunded may be for another one, which was begun after its first payment had failed.
      now_is.refund_reason is not null and now_is.stripe_subscription_id is not distinct from sub ->> 'id',
      1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz,
      coalesce((sub ->> 'credit_cents')::bigint, 0), coalesce((sub ->> 'plus_tax')::boolean, false),
      coalesce((sub ->> 'awaits_payment')::boolean, false))
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      credit_cents = coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents),
      plus_tax = coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
      awaits_payment = coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment),
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at, s.credit_cents, s.plus_tax,
          s.awaits_payment)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at,
          coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents), coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
          coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment))
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
      update public.subscriptions s set credit_cents = sub_now.credit_cents, seen = s.seen + 1, modified_at = now()
        where s.stripe_customer_id = sub_now.stripe_customer_id and s.credit_cents <> sub_now.credit_cents;
    end if;
  end if;

  -- While the first payment is on its way, and when it has failed, a change of plan may be paid for.
  if now_is.paid_at is not null or (sub is not null and (now_is.id is null
    or exists (select from jsonb_array_elements(facts -> 'payments') paid where paid ->> 'reason' <> 'purchase'))) then
    not_lost := array(select p.id from public.payments p
      where p.id in (select paid ->> 'id' from jsonb_array_elements(facts -> 'payments') paid)
        and p.dispute is distinct from 'lost');
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      (sub ->> 'ended_at')::timestamptz, coalesce(facts -> 'payments', '[]'));
  end if;
  if now_is.paid_at is not null and exists (select from public.payments p where p.order_id = now_is.id) then
    if now_is.refund_reason is not null then
      perform private.add_refund(p.id, null, now_is.refund_reason) from public.payments p
        where p.order_id = now_is.id and p.cents > 0 and p.dispute is distinct from 'open'
          and p.dispute is distinct from 'lost'
          -- One that failed is tried again, and not made a second time.
          and not exists (select from public.refunds r where r.payment_id = p.id and r.status = 'failed');
    end if;
    select coalesce(sum(p.refunded_cents), 0), coalesce(sum(p.disputed_cents) filter (where p.dispute = 'lost'), 0),
        case when bool_or(p.dispute = 'lost') then 'lost' when bool_or(p.dispute = 'open') then 'open' end
      into now_is.amount_refunded_cents, lost_cents, dispute
      from public.payments p where p.order_id = now_is.id and p.reason = 'purchase';
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when dispute is not null then 'disputed'
      else 'paid' end;
    -- What was lost in part is still paid for in part, as after a refund in part.
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or (dispute = 'lost'
        and now_is.amount_refunded_cents + lost_cents >= now_is.amount_paid_cents)) then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
      -- (A refund has an email of its own.)
      if now_is.status <> 'refunded' and now_is.owner is not null then
        perform private.enqueue_email(now_is.owner, null, 'payment-returned',
          format('payment-returned:%s:dispute', now_is.id),
          jsonb_build_object('kind', now_is.kind, 'cents', lost_cents, 'paid', now_is.amount_paid_cents,
            'reason', 'dispute', 'full', true,
            'continues', exists (select from public.subscriptions s
              where s.order_id = now_is.id and private.plan_goes_on(s))));
      end if;
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null or payments_changed) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen, item_dates = now_is.item_dates, item_name = now_is.item_name,
        amount_paid_cents = now_is.amount_paid_cents, amount_refunded_cents = now_is.amount_refunded_cents,
        refund_reason = now_is.refund_reason, revoked_at = now_is.revoked_at,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  elsif now_is.id is null and payments_changed and sub_now.id is null then
    update public.subscriptions s set seen = s.seen + 1 where s.id = subscription_id;
  end if;
  -- Only now, since it depends on whether the order is paid.
  if sub is not null and place is not null then
    select p.premium into was_featured from public.places p where p.id = place;
    featured_changed := private.update_featured(place);
    if was_featured and featured_changed then
      perform private.enqueue_featured_ended(s) from public.subscriptions s where s.id = sub ->> 'id';
    end if;
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed or payments_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'refund_failed', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = now_is.id and r.status = 'failed'),
    'lost', (select coalesce(jsonb_agg(jsonb_build_object('invoice', p.invoice_id, 'cents', p.disputed_cents,
        'period_to', p.period_to)), '[]')
      from public.payments p where p.id = any (not_lost) and p.dispute = 'lost' and p.invoice_id is not null),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
end $function$;

CREATE OR REPLACE FUNCTION private.record_payments(of_order public.orders, of_subscription text, ended_at timestamp with time zone, facts jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  payer constant uuid := coalesce(of_order.owner,
    (select s.owner from public.subscriptions s where s.id = of_subscription));
  known_subscription constant text := (select s.id from public.subscriptions s where s.id = of_subscription);
  fact jsonb;
  before public.payments;
  after public.payments;
  about jsonb;
  arrived timestamptz;
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
    arrived := private.arrived_at(fact);
    select * into before from public.payments p where p.id = fact ->> 'id' for update;
    insert into public.payments as p (id, kind, reason, owner, order_id, subscription_id, cents, tax_cents, currency,
      invoice_id, invoice_number, period_from, period_to, paid_at, plan)
    values (fact ->> 'id', coalesce(of_order.kind, 'upgrade'), fact ->> 'reason', payer, of_order.id,
      known_subscription, (fact ->> 'cents')::bigint, coalesce((fact ->> 'tax_cents')::bigint, 0), fact ->> 'currency',
      fact ->> 'invoice', fact ->> 'number', (fact ->> 'period_from')::timestamptz,
      (fact ->> 'period_to')::timestamptz, (fact ->> 'paid_at')::timestamptz, fact ->> 'plan')
    on conflict (id) do nothing;
    if jsonb_typeof(fact -> 'refunds') = 'array' then
      perform private.record_refunds(fact ->> 'id', fact -> 'refunds');
    end if;
    update public.payments p set plan = coalesce(p.plan, fact ->> 'plan'),
        refunded_cents = least(p.cents, coalesce((select sum(r.cents) from public.refunds r
          where r.payment_id = p.id and r.status in ('pending', 'succeeded')), 0)),
        dispute = fact -> 'dispute' ->> 'state',
        disputed_cents = coalesce((fact -> 'dispute' ->> 'cents')::bigint, 0),
        disputed_at = (fact -> 'dispute' ->> 'opened_at')::timestamptz,
        -- The provider does not say when it was closed.
        dispute_closed_at = case when fact -> 'dispute' ->> 'state' in ('won', 'lost')
          then coalesce(p.dispute_closed_at, now()) end
      where p.id = fact ->> 'id' returning * into after;
    any_changed := any_changed or after is distinct from before;
    -- (What was paid before the end is recorded late, too, as by the first reconciliation.)
    if before.id is null and of_order.id is not null and private.arrived_late(fact, ended_at) then
      perform private.add_refund(after.id, null, case when payer is null then 'canceled' else 'changed' end);
    elsif before.id is null and after.reason <> 'purchase' and arrived > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from, 'to', after.period_to)
        || coalesce((select private.plan_facts(s) || jsonb_build_object('credit', s.credit_cents,
            -- A bank debit can arrive after that.
            'ended', s.status in ('canceled', 'incomplete_expired'),
            -- As with a discount for all of it.
            'free', coalesce(s.cents = 0, false))
          from public.subscriptions s where s.id = of_subscription), '{}');
      if after.reason = 'renewal' then
        perform private.enqueue_email(payer, null, 'subscription-renewed', 'subscription-renewed:' || after.id, about);
      else
        perform private.enqueue_email(payer, null, 'plan-changed', 'plan-changed:' || after.id, about);
      end if;
    end if;
    -- A returned bank debit is lost at once, without a dispute that could be answered. (Not when a first reconciliation
    -- records old ones.)
    if (after.dispute = 'open' and before.dispute is distinct from 'open')
      or (after.dispute = 'lost' and before.dispute is null and after.disputed_at > now() - interval '30 days') then
      perform private.enqueue_team_email('payment-disputed', 'payment-disputed:' || after.id,
        jsonb_build_object('order', after.order_id, 'kind', after.kind, 'cents', after.disputed_cents,
          'lost', after.dispute = 'lost', 'continues', exists (select from public.subscriptions s
            where s.id = after.subscription_id and private.plan_goes_on(s))));
    end if;
  end loop;
  return any_changed;
end $function$;

CREATE OR REPLACE FUNCTION private.report_admin_rights()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  changed uuid[];
  given boolean;
  occasion constant uuid := gen_random_uuid();
begin
  select array_agg(n.id order by n.id), bool_or(n.admin) into changed, given
    from new_rows n join old_rows o on o.id = n.id where n.admin is distinct from o.admin;
  if changed is not null and private.user_id() is not null then
    perform private.enqueue_email(p.id, null, 'admin-rights-changed',
        format('admin-rights-changed:%s:%s', occasion, p.id), jsonb_build_object('given', given, 'accounts', cardinality(changed))
          || case when p.id = any (changed) then '{"yours": true}' else jsonb_build_object('account', changed[1]) end)
      from public.profiles p where p.admin or p.id = any (changed);
  end if;
  return null;
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
    place.removal_requested_at := null;
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
    place.removal_requested_at := before.removal_requested_at;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.restore_sign_up(user_id uuid, proof text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  form jsonb;
  is_theirs boolean;
begin
  delete from private.sign_ups s using auth.users u
    where s.user_id = restore_sign_up.user_id and u.id = s.user_id and u.email_confirmed_at is not null
    returning s.answers, s.proof = restore_sign_up.proof and u.email_confirmed_at > now() - interval '1 hour'
    into form, is_theirs;
  if is_theirs is not true then
    return false;
  end if;
  update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from private.sign_up_profile(form) f
    where p.id = restore_sign_up.user_id and coalesce(p.full_name, p.phone, p.pronouns, p.postalcode) is null;
  -- (A consent is to messages to the number in the same form.)
  if found then
    perform private.accept_position(restore_sign_up.user_id, form);
    if not exists (select from public.consents c where c.user_id = restore_sign_up.user_id and c.channel <> 'tracking') then
      perform private.accept_consents(restore_sign_up.user_id, form);
    end if;
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.review_cursor(place public.places, sort text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select place.id || '~' || case
    when sort like 'name%' then place.name_key
    when sort = 'featured' then coalesce((extract(epoch from place.premium_created_at) * 1000000)::bigint::text,
      'none')
    else (extract(epoch from coalesce(private.review_wait(place, sort), place.modified_at)) * 1000000)::bigint::text end
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
      (select jsonb_build_object('id', p.id, 'name', p.name, 'since', coalesce(
          private.review_wait(p, (private.review_filter(queue.filter)).sort), p.modified_at))
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
  requests constant boolean := coalesce(filter ->> 'archive', '') = 'requested';
begin
  sort := coalesce(nullif(filter ->> 'sort', ''), case filter ->> 'view' when 'premium' then 'featured'
    else 'oldest' end);
  if sort = 'featured' then
    parts := array['p.premium'];
  elsif sort not in ('oldest', 'newest', 'name') then
    parts := array['false'];
  elsif requests then
    sort := sort || '-request';
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
        then format('%s <= %L', private.review_key(case when requests then 'oldest-request' else 'oldest' end),
          now() - make_interval(days => item.value::integer)) end
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
  key text := private.review_key(parsed.sort);
  down boolean := (parsed.sort like 'newest%') <> coalesce(backwards, false);
  by_name boolean := parsed.sort like 'name%';
  at text[] := regexp_match(cursor, '^([0-9]{1,18})~(.*)$');
  from_here text := '';
  ids bigint[];
begin
  if cursor is not null then
    if at is null or (not by_name and at[2] !~ '^([0-9]{1,17}|none)$') then
      return null;
    end if;
    from_here := format('and (%s, p.id) %s (%s, %s)', key, case when down then '<' else '>' end,
      case when by_name then quote_literal(at[2])
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

CREATE OR REPLACE FUNCTION private.review_key(sort text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when sort like 'name%' then 'p.name_key'
    when sort = 'featured' then 'coalesce(p.premium_created_at, ''infinity'')'
    when sort like '%-request' then 'coalesce(p.removal_requested_at, p.waiting_since, p.modified_at)'
    else 'coalesce(p.waiting_since, p.modified_at)' end
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
          p.modified_at, 'waiting_since', private.review_wait(p, sort),
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

CREATE OR REPLACE FUNCTION private.review_wait(place public.places, sort text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(case when sort like '%-request' then place.removal_requested_at end, place.waiting_since)
$function$;

CREATE OR REPLACE FUNCTION private.revoke_order(bought public.orders)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid_again boolean;
  later_days integer;
  had_until timestamptz;
  job public.jobs;
begin
  if bought.kind = 'job' then
    select j.expiration_date into had_until from public.jobs j where j.id = bought.job_id and j.paid;
    -- The days of later orders come after its own: at most what is left before them has not been used.
    select coalesce(bool_or(true), false),
        coalesce(sum(o.days) filter (where (o.paid_at, o.id) > (bought.paid_at, bought.id)), 0)
      into paid_again, later_days
      from public.orders o where o.job_id = bought.job_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null;
    -- Only its unused days are removed, never what other orders have paid for. A job without other days is unpaid
    -- again. (One that is older than the orders may have days of before.)
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.ends end
      from (
        select o.id, o.ends, paid_again or o.ends > now() as live
        from (
          select r.id, r.expiration_date - least(make_interval(days => bought.days), greatest(interval '0',
            r.expiration_date - make_interval(days => later_days) - now())) as ends
          from public.jobs r where r.id = bought.job_id
        ) o
      ) rest
      where j.id = rest.id and j.paid
      returning j.* into job;
    -- (A job that had expired, or whose days of this payment were used up, has lost nothing.)
    if had_until > now() and job.expiration_date is distinct from had_until
      and job.owner is not null and job.owner is distinct from bought.owner then
      perform private.enqueue_email(job.owner, null, 'job-payment-returned', 'job-payment-returned:' || bought.id,
        jsonb_strip_nulls(jsonb_build_object('job_id', job.id, 'title', job.title, 'ends', job.expiration_date)));
    end if;
  elsif bought.kind = 'sponsorship' and not exists (select from public.orders o
      where o.sponsorship_id = bought.sponsorship_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null) then
    -- Newsletters that were sent keep their sponsor. Spots in future ones are free again. (Those of another order,
    -- which paid for new dates after these were canceled, are not its to revoke.)
    perform 1 from public.sponsorship_dates d where d.weekday_date in
      (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id)
      order by d.weekday_date for update;
    delete from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id
      and s.weekday_date > private.today();
    update public.sponsorships s set paid = false where s.id = bought.sponsorship_id and s.paid;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.sign_up_limit(email text, OUT bucket text, OUT accounts integer)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when not private.is_plain(email) then
      case when private.has_suffix(email) then 'sign up ' else 'sign up with dots ' end || private.mailbox(email) end,
    case when private.has_suffix(email) then 5 else 20 end
$function$;

CREATE OR REPLACE FUNCTION private.take_account_email(email text, purpose text, asked_by text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
  account constant auth.users := (select u from auth.users u where u.email = address and not u.is_sso_user);
  known constant boolean := account.id is not null;
  few constant boolean := (known or purpose <> 'recovery' or asked_by <> 'our pages')
    and private.take_rate_token(format('account email (%s, %s) to %s', purpose, asked_by, address), 3, 3600) = 0;
begin
  return (few or (purpose = 'sign-up' and not known))
    and (private.is_plain(address) or account.email_confirmed_at is not null
      or case when private.has_suffix(address)
        then private.take_rate_token(format('account emails (%s) to %s', asked_by, mailbox), 10, 3600)
        else private.take_rate_token(format('account emails (%s) to %s with dots', asked_by, mailbox), 30, 3600) end = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.take_email_change(account text, email text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.take_rate_token(format('email changes of %s', account), 5, 3600) = 0
    and private.take_rate_token(format('email changes to %s', lower(email)), 20, 3600) = 0
    and (private.is_plain(email)
      or private.take_rate_token(format('email changes to addresses of %s', private.mailbox(email)), 20, 3600) = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.time_to_send(kind text)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select case when kind in ('email-changed', 'account-deleted') then interval '7 days' else interval '1 hour' end $function$;

CREATE OR REPLACE FUNCTION private.update_reports(ids bigint[], to_state text, note text, flag boolean, listings jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  due_ids bigint[];
  changed_ids bigint[] := '{}';
  changed_versions integer[] := '{}';
  items jsonb;
  decision jsonb := '[]';
  decided uuid;
  earlier private.decision_batches;
begin
  perform private.require_admin();
  perform private.validate_selection(ids);
  if to_state is null or to_state not in ('open', 'resolved', 'dismissed') then
    perform private.refuse('report_decision_unknown');
  elsif length(note_text) > 2000 then
    perform private.refuse('report_note_too_long', 'note');
  end if;
  perform 1 from public.events e where e.id = any (ids) order by e.id for update;
  get diagnostics found_count = row_count;
  -- Who waited may not be an admin any more.
  perform private.require_admin();
  due_ids := array(select e.id from public.events e where e.id = any (ids) and (e.state = 'open') <> (to_state = 'open'));

  if flag then
    with seen as (
      select distinct on (item ->> 'id') item ->> 'id' as id, item ->> 'version' as version
      from jsonb_array_elements(case when jsonb_typeof(listings) = 'array' then listings else '[]' end) item
    )
    select jsonb_agg(distinct jsonb_build_object('id', p.id,
        'version', case when listings is null then p.version::text else s.version end)) into items
      from public.events e join public.places p on p.id = e.place left join seen s on s.id = p.id::text
      where e.id = any (due_ids);
    -- The caller's own decision on these reports. No one has dealt with them since, this note is in them, and those that
    -- it left open are about listings that are sent as they were then.
    select b.* into earlier from private.decision_batches b
      where to_state = 'resolved' and b.admin = private.user_id() and b.action = 'flag' and b.undone_at is null
        and b.decided_at > now() - private.undo_window() and b.reports <> '{}' and b.reports <@ ids
        and not exists (select from unnest(b.reports, b.report_versions) r (id, version)
          left join public.events e on e.id = r.id
          where e.version is distinct from r.version
            or e.note is distinct from coalesce(private.many_lines(note_text), e.note))
        and not exists (select from jsonb_array_elements(items) i (item)
          where not exists (select from private.decision_rows d where d.batch_id = b.id and d.outcome = 'stale'
            and d.place_id::text = i.item ->> 'id' and d.version::text is not distinct from i.item ->> 'version'))
      order by b.decided_at desc limit 1;
    if earlier.id is not null then
      decided := earlier.id;
      decision := (private.batch_as_json(decided, null, null, 0, 1000) -> 'rows')::jsonb;
    elsif items is not null then
      decided := gen_random_uuid();
      decision := (private.decide_listings(decided, 'flag', null, items) -> 'rows')::jsonb;
    end if;
  end if;

  if earlier.id is not null then
    changed_ids := earlier.reports;
    due_ids := due_ids || changed_ids;
  else
    perform set_config('app.audit_action', case to_state when 'resolved' then 'resolve' when 'dismissed'
      then 'dismiss' else 'reopen' end, true);
    with changed as (
      update public.events e set state = to_state, note = coalesce(note_text, e.note)
        where e.id = any (due_ids) and not exists (select from jsonb_array_elements(decision) d (item)
          where d.item ->> 'id' = e.place::text and d.item -> 'reasons' ? 'listing_changed')
        returning e.id, e.version
    )
    select coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.version), '{}') into changed_ids, changed_versions
      from changed c;
    perform set_config('app.audit_action', '', true);
    -- The note is about the report, and stays with one that is left open, too.
    update public.events e set note = note_text
      where e.id = any (due_ids) and e.id <> all (changed_ids) and note_text is not null;
    update private.decision_batches b set reports = changed_ids, report_versions = changed_versions where b.id = decided;
  end if;
  return jsonb_build_object('changed', cardinality(changed_ids), 'unchanged', found_count - cardinality(due_ids),
    'left', cardinality(due_ids) - cardinality(changed_ids),
    'missing', (select count(distinct id) from unnest(ids) id) - found_count,
    'flagged', (select coalesce(jsonb_agg(jsonb_build_object('name', d.item -> 'name', 'outcome', d.item -> 'outcome',
        'reasons', d.item -> 'reasons', 'warnings', d.item -> 'warnings')), '[]')
      from jsonb_array_elements(decision) d (item)),
    'batch', decided);
end $function$;

CREATE OR REPLACE FUNCTION private.update_sign_up(email text, sent jsonb)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with waiting as (
    select u.id from auth.users u where u.email = lower(update_sign_up.email) and not u.is_sso_user
      and u.email_confirmed_at is null
  ), updated as (
    update private.sign_ups s set answers = private.sign_up_answers(sent)
    where s.user_id = (select w.id from waiting w) and s.proof = sent ->> 'sign_up_proof'
      -- (Both as ISO 8601 in UTC. Text, because anyone can send anything to the auth service.)
      and coalesce(s.answers ->> 'sent_at', '') collate "C" < sent ->> 'sent_at'
    returning s.user_id
  ), contested as (
    update private.sign_ups s set proof = null, recognized = false, answers = '{}'
    where s.user_id = (select w.id from waiting w) and s.proof is distinct from sent ->> 'sign_up_proof'
      and length(sent ->> 'sign_up_proof') = 43
    returning s.user_id
  ), changed as (
    update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from (select u.user_id, sent as form from updated u union all select c.user_id, '{}' from contested c) k,
      private.sign_up_profile(k.form) f where p.id = k.user_id
  )
  select exists (select from updated)
$function$;

CREATE OR REPLACE FUNCTION private.waiting_since(before public.places, place public.places)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when place.status = 'published' then place.removal_requested_at
    when place.status = before.status and place.status in ('new', 'pending-update', 'flagged')
        and place.changes_requested is not distinct from before.changes_requested
      -- (What is no change, such as hiding it, begins nothing that needs to be remembered.)
      then case when place.modified_at = before.modified_at then before.waiting_since
        else coalesce(before.waiting_since, before.modified_at) end
  end
$function$;

CREATE OR REPLACE FUNCTION private.was_told_it_is_live(listing_id bigint, status text, edit jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return was_told_it_is_live.status = 'pending-update' and edit = '{}' and exists (select from (
    select n.kind from private.email_queue n
    where n.place_id = listing_id and n.kind in ('listing-approved', 'listing-removed')
    order by n.created_at desc, n.kind limit 1) last where last.kind = 'listing-approved');
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
  skip_keys constant text[] := array['version', 'modified_at', 'waiting_since', 'removal_requested_at', 'created_at',
    'name_search', 'full_name_search', 'email_search'];
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
      -- It is granted once (first_month_used). Someone without a listing of their own has it for their first one, unless
      -- they had it for one that has gone to someone else.
      'first_month', exists (select from private.my_first_months())
        or not exists (select from listings l where l.owner = (select id from me))
          and not private.had_first_month(),
      'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]')));
end $function$;

CREATE OR REPLACE FUNCTION public.restore_sign_up(user_id uuid, proof text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.restore_sign_up(user_id, proof) $function$;

alter table public.places add constraint place_dates_are_finite CHECK ((isfinite(premium_created_at) AND isfinite(subscription_ends_at) AND isfinite(created_at) AND isfinite(modified_at) AND isfinite(waiting_since) AND isfinite(leads_from) AND isfinite(removal_requested_at)));

CREATE INDEX places_archive_requested ON public.places USING btree (COALESCE(removal_requested_at, waiting_since, modified_at), id) WHERE (archive_requested AND (status <> 'archived'::text));

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
     CROSS JOIN LATERAL jsonb_populate_record(p.*, (p.last_update - ARRAY['id'::text, 'premium'::text, 'proxi_id'::text])) a(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from, waiting_since, removal_requested_at))
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
            places.waiting_since,
            places.removal_requested_at
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
            managed_listings.waiting_since,
            managed_listings.removal_requested_at
           FROM private.managed_listings() managed_listings(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from, waiting_since, removal_requested_at)
          WHERE (NOT ( SELECT private.is_admin() AS is_admin))) p
     LEFT JOIN public.place_stats s ON ((s.place_id = p.id)));

create view private.due_emails as
 SELECT n.id,
    f.id AS user_id,
    f.full_name,
    ((i.id IS NOT NULL) OR COALESCE(f.discreet, ( SELECT a.discreet
           FROM public.profiles a
          WHERE ((n.address IS NOT NULL) AND ((a.id)::text = (n.data ->> 'user'::text)))), ((n.data ->> 'discreet'::text))::boolean, false)) AS discreet,
    COALESCE(n.address, i.email, lower((u.email)::text),
        CASE
            WHEN (p.owner IS NULL) THEN p.owner_email
            ELSE NULL::text
        END) AS email,
    COALESCE(p.hidden, false) AS hidden,
    ((n.recipient IS NOT NULL) AND (n.kind = ANY (ARRAY['changes-requested'::text, 'edit-rejected'::text, 'decision-undone'::text, 'listing-edited'::text, 'contact-email-removed'::text])) AND (NOT (EXISTS ( SELECT
           FROM public.places l
          WHERE ((l.id = ((n.data ->> 'place_id'::text))::bigint) AND (l.owner = n.recipient)))))) AS former,
    ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id)))) AS kept
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON (((p.id = COALESCE(n.place_id,
        CASE
            WHEN ((n.recipient IS NOT NULL) AND (n.kind = ANY (ARRAY['changes-requested'::text, 'edit-rejected'::text]))) THEN ((n.data ->> 'place_id'::text))::bigint
            ELSE NULL::bigint
        END)) AND ((n.place_id IS NOT NULL) OR (p.owner = n.recipient)))))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner, ( SELECT c.id
           FROM auth.users c
          WHERE ((p.owner IS NULL) AND ((c.email)::text = p.owner_email) AND (NOT c.is_sso_user) AND (c.email_confirmed_at IS NOT NULL))))) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'listing-removed'::text) OR (p.status = 'archived'::text)) AND ((n.kind <> 'edit-rejected'::text) OR (p.id IS NULL) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'changes-requested'::text) OR (p.id IS NULL) OR ((p.changes_requested = (n.data ->> 'reason'::text)) AND (p.status <> 'archived'::text)) OR ((p.changes_requested IS NULL) AND (n.data ? 'answered'::text) AND (p.status = ANY (ARRAY['new'::text, 'flagged'::text, 'pending-update'::text])))) AND (NOT ((n.kind = ANY (ARRAY['listing-approved'::text, 'listing-removed'::text, 'changes-requested'::text, 'edit-rejected'::text])) AND (EXISTS ( SELECT
           FROM private.email_queue l
          WHERE ((l.place_id = n.place_id) AND (l.created_at > n.created_at) AND (l.kind =
                CASE n.kind
                    WHEN 'edit-rejected'::text THEN 'listing-approved'::text
                    ELSE n.kind
                END)))) AND (NOT ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id))))))) AND (NOT private.is_outdated(n.kind, n.data, n.recipient)) AND private.wants_email(u.id, n.kind));

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

CREATE OR REPLACE TRIGGER t4_report_rights AFTER UPDATE ON public.profiles REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.report_admin_rights();

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

grant execute on function private.had_first_month() to authenticated;

grant execute on function private.restore_sign_up(uuid,text) to service_role;

grant execute on function public.restore_sign_up(uuid,text) to service_role;

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
