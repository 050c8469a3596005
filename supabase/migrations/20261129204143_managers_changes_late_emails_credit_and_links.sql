-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop trigger t5_email_withdrawn_edit on public.places;

drop view private.due_emails;

alter table public.email_preferences drop constraint email_preferences_kind_check;

drop function private.email_withdrawn_edit();

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status in ('past_due', 'unpaid'),
        -- (One that is paused ends at once, and owes nothing.)
        'until', case when s.status <> 'paused' and private.is_paid_for(s) then least(s.ends_at, s.period_to) end,
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

CREATE OR REPLACE FUNCTION private.admin_order(order_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (select jsonb_build_object('id', o.id, 'kind', o.kind, 'item_name', o.item_name,
      -- The first bill of a plan that has ended, or one that is tried again, may be on its way.
      'status', case when o.status = 'failed' and exists (select from public.subscriptions s
        where s.id = o.stripe_subscription_id and s.awaits_payment) then 'processing' else o.status end,
      'item_dates', o.item_dates, 'plan', o.plan, 'quantity', o.quantity, 'price_cents', o.price_cents,
      'currency', o.currency, 'coupon', o.coupon, 'created_at', o.created_at, 'paid_at', o.paid_at,
      'refund_reason', o.refund_reason, 'owner', o.owner, 'owner_name', f.full_name,
      'subscription', (select jsonb_build_object('status', s.status, 'ends_at', s.ends_at, 'credit_cents', s.credit_cents)
        from public.subscriptions s where s.id = o.stripe_subscription_id),
      'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'cents', p.cents,
          'currency', p.currency, 'tax_cents', p.tax_cents, 'refunded_cents', p.refunded_cents,
          'left_cents', private.refundable_cents(p.id), 'paid_at', p.paid_at, 'dispute', p.dispute,
          'invoice_number', p.invoice_number, 'plan', coalesce(p.plan, o.plan),
          'refunds', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'cents', r.cents, 'status', r.status,
              'reason', r.reason, 'note', r.note, 'attempt', r.attempt, 'at', coalesce(r.made_at, r.created_at),
              'by', (select a.full_name from public.profiles a where a.id = r.requested_by and a.admin))
              order by r.created_at), '[]')
            from public.refunds r where r.payment_id = p.id))
          order by p.paid_at desc), '[]') from public.payments p where p.order_id = o.id))
    from public.orders o left join public.profiles f on f.id = o.owner where o.id = admin_order.order_id);
end $function$;

CREATE OR REPLACE FUNCTION private.cancel_account_deletion()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  request constant text := private.user_id() || ':' || (select extract(epoch from d.requested_at)
    from private.account_deletions d where d.user_id = private.user_id());
begin
  delete from private.account_deletions d where d.user_id = private.user_id() and d.begun_at is null;
  if found then
    -- What a process has begun to send may arrive, even if it isn't marked as sent. The lock keeps others from beginning.
    perform 1 from private.email_queue e
      where e.key = 'account-deletion:' || request and e.sent_at is null and e.attempts = 0 for update;
    if not found then
      perform private.enqueue_email(private.user_id(), null, 'account-kept', 'account-kept:' || request, '{}');
    end if;
  elsif exists (select from private.account_deletions d where d.user_id = private.user_id()) then
    perform private.refuse('deletion_begun');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.cancel_sponsorship_dates(sponsorship_id bigint, dates date[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  item public.sponsorships;
  bought public.orders;
  paid public.payments;
  wanted date[];
  before integer;
  -- How many of those to come stay booked.
  kept integer;
  share bigint;
  remaining bigint;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  if not exists (select from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id()) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif cardinality(dates) > 104 then
    perform private.refuse('dates_not_booked', 'dates');
  end if;
  perform private.lock_order_item(null, cancel_sponsorship_dates.sponsorship_id, null);
  select * into item from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id();
  select * into bought from public.orders o
    where o.sponsorship_id = item.id and o.owner = private.user_id() and o.paid_at is not null
      and o.refund_reason is null
    order by o.paid_at desc limit 1 for update;
  if item.id is null then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif bought.id is null then
    perform private.refuse('sponsorship_not_paid');
  end if;
  select coalesce(array_agg(distinct s.weekday_date), '{}') into wanted from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (dates);
  if cardinality(wanted) = 0 or cardinality(wanted) < (select count(distinct d) from unnest(dates) d) then
    perform private.refuse('dates_not_booked', 'dates');
  elsif exists (select from unnest(wanted) d
      where d <= private.today()
        or d < private.first_open_day() + private.cancellation_days(item.id)) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('cancellation_disputed');
  end if;
  -- (Newsletters that went out for an earlier order, which was refunded, are none of this one.)
  select count(*), count(*) filter (where s.weekday_date > private.today() and s.weekday_date <> all (wanted)) into before, kept
    from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (item.sponsorship_dates);
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  remaining := private.refundable_cents(paid.id);
  -- Refunded in full, the order would lose its other newsletters, too. (Those that were sent, it can't lose.)
  if kept > 0 and share > 0 and share >= remaining then
    perform private.refuse('cancellation_refunded_before', 'dates');
  end if;

  delete from public.sponsorship_spots s where s.sponsorship_id = item.id and s.weekday_date = any (wanted);
  update public.sponsorships s
    set sponsorship_dates = array(select d from unnest(s.sponsorship_dates) d where d <> all (wanted) order by d),
      paid = cardinality(wanted) < before
    where s.id = item.id;
  -- With the last one, all that is left: also what the bank returned of earlier ones, or was canceled as it didn't fit.
  share := case when cardinality(wanted) = before then remaining else least(share, remaining) end;
  if share > 0 then
    perform set_config('app.audit_action', 'cancel-dates', true);
    perform private.add_refund(paid.id, share, 'canceled', null, private.user_id());
    perform set_config('app.audit_action', '', true);
  end if;
  -- With its last date, all that it had bought is revoked.
  update public.orders o set seen = o.seen + 1, revoked_at = case when cardinality(wanted) = before then now() end
    where o.id = bought.id;
  return bought.id;
end $function$;

CREATE OR REPLACE FUNCTION private.email_discarded_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.email_managers_change(p, '{}', '{"discarded": true}')
    from public.places p where p.id = old.place_id and private.manages_for_owner(p.id, p.owner);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_edit_by_manager()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  fields text[];
begin
  -- (First, for a statement that changes many listings.)
  if not private.manages_for_owner(new.id, new.owner) then
    return null;
  end if;
  fields := array(
    select distinct case when f.kind = 'address' then 'rawaddress' when f.kind in ('question', 'consent') then 'answers'
      else f.name end
    from private.listing_fields() f, (select to_jsonb(old) as was, to_jsonb(new) as sent offset 0) r
    where r.sent -> f.name is distinct from r.was -> f.name order by 1);
  if fields <> '{}' then
    -- (Under the name that its owner knows.)
    perform private.email_managers_change(old, fields,
      case when old.status = 'pending-update' and new.status = 'published' then '{"withdrawn": true}'::jsonb else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_job_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  news constant text := case when new.owner is distinct from old.owner then 'job-left'
    when old.published and (not new.published or old.filled_at is null and new.filled_at is not null) then 'job-unpublished'
    when new.published and new.filled_at is null and (not old.published or old.filled_at is not null) then 'job-republished'
    when new.version <> old.version then 'job-edited' end;
begin
  if news = 'job-republished' then
    -- Locked, so that no process begins to send it meanwhile.
    perform 1 from private.email_queue n where n.recipient = old.owner and n.kind = 'job-unpublished'
      and n.data ->> 'job_id' = new.id::text and n.sent_at is null and n.attempts = 0 for update;
    if found then
      return null;
    end if;
  end if;
  -- Of someone else: guard_job lets only an admin do that.
  if news is not null and old.owner <> private.user_id() then
    perform private.enqueue_email(old.owner, null, news,
      format('%s:%s:%s', news, new.id, extract(epoch from new.modified_at)),
      jsonb_build_object('job_id', new.id, 'title', case when news = 'job-edited' then old.title else new.title end)
        || case when news = 'job-unpublished' and new.published then '{"filled": true}'::jsonb
          when news = 'job-republished' and old.published then '{"reopened": true}' else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_managers_change(listing public.places, fields text[], news jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- (What was tried may be on its way. Whatever comes after that is another email.)
  update private.email_queue n set data = n.data || news || jsonb_build_object('fields',
      (select coalesce(jsonb_agg(distinct f), '[]')
        from unnest(fields || array(select jsonb_array_elements_text(n.data -> 'fields'))) f))
    where n.recipient = listing.owner and n.kind = 'listing-changed' and n.data ->> 'place_id' = listing.id::text
      and n.sent_at is null and n.attempts = 0;
  if not found then
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select listing.owner, 'listing-changed',
        format('listing-changed:%s:%s', listing.id, extract(epoch from clock_timestamp())),
        greatest(now() + interval '10 minutes', max(coalesce(n.sent_at, n.created_at)) + interval '1 hour'),
        jsonb_build_object('place_id', listing.id, 'name', listing.name, 'fields', to_jsonb(fields)) || news
      from private.email_queue n
      where n.recipient = listing.owner and starts_with(n.key, format('listing-changed:%s:', listing.id));
  end if;
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
  if act <> 'form' or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
      || case k.kind when 'listing-removed'
        then jsonb_strip_nulls(private.about_removal((select p from public.places p where p.id = n.id), o.archive_requested)) else '{}' end
  from new_rows n join old_rows o on o.id = n.id
  -- (A listing that has left its owner loses the edit that waited, which no one has approved, and what was theirs alone:
  -- private.part_from_owner.)
  cross join lateral (select o.owner is not null and n.owner is distinct from o.owner as has_left) h
  cross join lateral (select o.last_update <> '{}' and h.has_left as edit_left) w
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' and not w.edit_left then 'listing-approved'
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

CREATE OR REPLACE FUNCTION private.enqueue_stopped_plan(was public.subscriptions, is_now public.subscriptions, by_us boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  live constant boolean := private.subscription_is_live(is_now.status);
begin
  if not by_us or (live and is_now.ends_at is null)
    or not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    return false;
  end if;
  if not live or is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, null, 'plan-stopped',
      format('plan-stopped:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      jsonb_build_object('subscription', is_now.id, 'listing', private.plan_listing_name(is_now.id),
        'ends_at', case when live then is_now.ends_at end,
        -- It ended for that, and not for a bill that is owed (private.refund_late_renewals).
        'refunded', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
          where p.subscription_id = is_now.id and r.reason = 'plan-ends'),
        'awaits_renewal', is_now.awaits_payment, 'awaited', live and not private.is_paid_for(is_now),
        'paused', coalesce(was.status = 'paused', false)));
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_unseen_features()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, private.week_of(now())),
      jsonb_build_object('sponsorship_id', s.id, 'business', private.approved_name(l.id),
        'days', private.cancellation_days_of(s.id, s.owner),
        'dates', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where not c.late), '[]'),
        'late', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where c.late), '[]')))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      cross join lateral (select p.weekday_date < private.first_open_day()
        + private.cancellation_days_of(s.id, s.owner) as late) c
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      -- So that a week is left, whenever the last one was sent.
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 14
      and l.status <> 'archived' and l.modified_at < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
      -- (Also not around the midnight between two weeks.)
      and not exists (select from private.email_queue q where q.recipient = s.owner
        and starts_with(q.key, format('feature-unseen:%s:', s.id)) and q.created_at > now() - interval '5 days')
    group by s.id, l.id
$function$;

CREATE OR REPLACE FUNCTION private.first_open_day()
 RETURNS date
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select (now() at time zone 'UTC' - interval '12 hours')::date $function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb, recipient uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when kind in ('subscription-canceled', 'plan-stopped') then exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status))
    when kind = 'sponsorship-confirmed' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates')
    when kind = 'feature-edited' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient and s.paid
        and private.today() < any (s.sponsorship_dates))
    when kind = 'booked-listing-removed' then not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and d.weekday_date >= private.first_open_day() and data -> 'newsletters' ? d.weekday_date::text)
    when kind = 'feature-unseen' then not exists (
        select from jsonb_array_elements_text(data -> 'dates' || coalesce(data -> 'late', '[]')) d
        where d::date > private.today())
      or not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null))
    when kind = 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz and s.period_to > now()))
    when kind = 'plan-paused' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused')
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz and j.expiration_date > now()
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'))
    when kind = 'job-unpublished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end)
    when kind = 'job-republished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now())
    when kind = 'job-edited' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.expiration_date > now())
    when kind = 'job-namesake' then not exists (select from public.jobs j
      cross join private.job_namesakes(j.id) n join public.places p on p.id = n.place_id
      where j.id = (data ->> 'job_id')::bigint and private.is_live_job(j.id) and p.id = (data ->> 'place_id')::bigint
        and p.owner = is_outdated.recipient)
    when kind = 'job-left' then exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'account-kept' then exists (select from private.account_deletions d where d.user_id = is_outdated.recipient)
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)))
    when kind in ('manager-joined', 'listing-received', 'listing-changed') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'listing-left' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'two-step-changed' then data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified')
    when kind = 'listing-added' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'))
    when kind in ('listing-hidden', 'listing-shown') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'))
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.keep_unread_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.manages_for_owner(new.id, new.owner) then
    update private.email_queue n set data = n.data || '{"answered": true}'
      where n.place_id = new.id and n.kind = 'changes-requested' and n.sent_at is null
        and n.data ->> 'reason' = old.changes_requested;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.manages_for_owner(listing_id bigint, listing_owner uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select listing_owner <> private.user_id() and listing_id = any (private.managed_places()) and not private.is_admin()
$function$;

CREATE OR REPLACE FUNCTION private.redeem_handoff_code(code text)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with used as (
    delete from private.handoff_codes c where c.code_hash = private.code_hash(code)
    returning c.user_id, c.session_id, c.expires_at
  )
  select jsonb_build_object('email', u.email, 'session_id', used.session_id) from used
  join auth.users u on u.id = used.user_id and u.email_confirmed_at is not null
  where used.expires_at > clock_timestamp()
    and (coalesce(u.recovery_token, '') = '' or coalesce(u.recovery_sent_at, '-infinity') < now() - interval '1 hour')
    and exists (select from auth.sessions s where s.id = used.session_id and s.user_id = used.user_id)
$function$;

CREATE OR REPLACE FUNCTION private.remove_second_step(user_id uuid, change text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.sessions s where s.user_id = remove_second_step.user_id and s.aal is distinct from 'aal2'
    and s.id <> (auth.jwt() ->> 'session_id')::uuid;
  perform set_config('app.second_step_change', change, true);
  delete from auth.mfa_factors f where f.user_id = remove_second_step.user_id;
  perform set_config('app.second_step_change', '', true);
end $function$;

CREATE OR REPLACE FUNCTION private.report_factor()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from auth.mfa_factors f where f.user_id = old.user_id and f.status = 'verified' and f.id <> old.id) then
    -- The dashboard adds no second app. Someone with a stolen token may, to come back with it.
    perform private.report_second_step(old.user_id, case tg_op when 'UPDATE' then 'app-added' else 'app-removed' end,
      private.session_user_id());
  elsif tg_op = 'UPDATE' then
    perform private.report_second_step(old.user_id, 'on', old.user_id);
  elsif exists (select from auth.users u where u.id = old.user_id) then
    delete from private.recovery_codes c where c.user_id = old.user_id;
    if coalesce(current_setting('app.second_step_change', true), '') = '' then
      delete from auth.sessions s where s.user_id = old.user_id and s.aal is distinct from 'aal2';
    end if;
    delete from auth.mfa_amr_claims a using auth.sessions s
      where s.id = a.session_id and s.user_id = old.user_id and a.authentication_method = 'totp';
    update auth.sessions s set aal = 'aal1', factor_id = null where s.user_id = old.user_id and s.aal = 'aal2';
    perform private.report_second_step(old.user_id,
      coalesce(nullif(current_setting('app.second_step_change', true), ''), 'off'), private.session_user_id());
  end if;
  return null;
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
  -- The auth service counts the link that began the session as an email, and sends no other one for a while.
  update auth.users u set recovery_sent_at = null from auth.sessions s
    where s.id = tie_handed_over_session.session_id and u.id = s.user_id and coalesce(u.recovery_token, '') = '';
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.was_changed_by_others(listing_id bigint, approved_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (
    select from public.audit_log a join public.places p on p.id = listing_id and p.owner <> a.actor
    where a.subject = 'places' and a.subject_id = listing_id::text and a.at < approved_at
      and a.after ?| private.reviewed_columns()
      and not exists (select from public.profiles f where f.id = a.actor and f.admin)
      and a.id > coalesce((select max(b.id) from public.audit_log b where b.subject = 'places'
        and b.subject_id = listing_id::text and b.after ->> 'status' = 'published' and b.at < coalesce((
          select min(n.created_at) from private.email_queue n
          where n.place_id = listing_id and n.kind = 'listing-approved' and n.sent_at is null
            and n.created_at > coalesce((select max(s.created_at) from private.email_queue s
              where s.place_id = listing_id and s.kind = 'listing-approved' and s.sent_at is not null), '-infinity')),
          approved_at)), 0))
$function$;

alter table public.email_preferences add constraint email_preferences_kind_check CHECK ((kind = ANY (ARRAY['listing-approved'::text, 'changes-requested'::text, 'edit-rejected'::text, 'listing-edited'::text, 'listing-changed'::text, 'job-expiring'::text, 'payment-failed'::text, 'new-lead'::text])));

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

CREATE OR REPLACE TRIGGER t5_email_edit_by_manager AFTER UPDATE ON public.places FOR EACH ROW WHEN (((new.version <> old.version) AND (new.owner IS NOT NULL) AND (new.owner = old.owner))) EXECUTE FUNCTION private.email_edit_by_manager();

CREATE OR REPLACE TRIGGER t5_keep_unread_request AFTER UPDATE ON public.places FOR EACH ROW WHEN (((old.changes_requested IS NOT NULL) AND (new.changes_requested IS NULL) AND private.from_api() AND (new.owner IS NOT NULL) AND (new.owner = old.owner))) EXECUTE FUNCTION private.keep_unread_request();

CREATE OR REPLACE TRIGGER t1_email_discarded AFTER DELETE ON public.rejected_edits FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION private.email_discarded_edit();

set check_function_bodies = on;

-- What was queued under the rules before: no template knows that kind anymore.
update private.email_queue
  set kind = 'listing-changed', data = data - 'part' || case when data ? 'part' then '{"fields": []}'::jsonb
    else '{"fields": [], "withdrawn": true}' end
  where kind = 'edit-withdrawn' and sent_at is null;
