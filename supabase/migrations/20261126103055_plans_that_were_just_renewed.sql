-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop function public.plans_to_cancel();

drop function private.plans_to_cancel();

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status not in ('active', 'trialing'),
        'until', case when private.is_paid_for(s) then least(s.ends_at, s.period_to) end, 'awaits', s.awaits_payment)
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
  share bigint;
  remaining bigint;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  if not exists (select from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id()) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
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
        or d < (now() at time zone 'UTC' - interval '12 hours')::date + private.cancellation_days(item.id)) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('cancellation_disputed');
  end if;
  select count(*) into before from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null;
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  remaining := private.refundable_cents(paid.id);
  -- Refunded in full, the order would lose its other newsletters, too.
  if cardinality(wanted) < before and share > 0 and share >= remaining then
    perform private.refuse('cancellation_refunded_before', 'dates');
  end if;

  delete from public.sponsorship_spots s where s.sponsorship_id = item.id and s.weekday_date = any (wanted);
  update public.sponsorships s
    set sponsorship_dates = array(select d from unnest(s.sponsorship_dates) d where d <> all (wanted) order by d),
      paid = cardinality(wanted) < before
    where s.id = item.id;
  share := least(share, remaining);
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

CREATE OR REPLACE FUNCTION private.due_deletions(max_users integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 100 for update skip locked);
  delete from public.listing_drafts l where l.id in
    (select o.id from public.listing_drafts o where o.expires and o.updated_at < now() - interval '7 days'
      limit 1000 for update skip locked);
  select private.delete_counted_views(10000);
  select private.enqueue_email(d.user_id, null, 'account-deletion',
      'account-deletion-reminder:' || d.user_id || ':' || d.requested_at,
      jsonb_build_object('due_at', d.due_at, 'reminder', true))
    from private.account_deletions d
    where d.due_at > now() and d.due_at <= now() + interval '60 hours' and not private.is_last_admin(d.user_id);
  select d.user_id from private.account_deletions d where d.due_at <= now() order by d.due_at
    limit least(greatest(max_users, 0), 100)
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to,
        'credit', s.credit_cents, 'plus_tax', s.plus_tax))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and private.plan_leaves_with(s) is null and s.period_to > now() and s.period_to <= now() + interval '7 days'
$function$;

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
        'ends_at', case when live then is_now.ends_at end, 'awaits_renewal', live and is_now.awaits_payment, 'awaited', live and not private.is_paid_for(is_now)));
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcomes text[];
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  elsif exists (select from private.account_deletions d where d.user_id = bought.owner) then
    -- It would end with their account. (open_order refuses it; this one was open already.)
    return 'account-ends';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or p.status = 'archived'
        -- open_order sells no plan for a listing that is to be removed.
        or bought.kind = 'upgrade' and p.archive_requested)) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    -- It goes public with its first payment, and when it had expired before it was paid for again. More days of a job
    -- that was live leave it as its owner has it: unpublished or filled, also while the payment was on its way.
    update public.jobs j set paid = true, published = j.published or f.begins,
        filled_at = case when not f.begins then j.filled_at end,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      from (select o.id, not o.paid or o.expiration_date <= coalesce(bought.opened_at, bought.created_at) as begins
        from public.jobs o where o.id = bought.job_id) f
      where j.id = f.id;
  elsif bought.kind = 'sponsorship' then
    if exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id and s.paid) then
      return 'paid-twice';
    elsif exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id
      and s.order_total * 100 <> bought.price_cents) then
      return 'changed';
    end if;
    select array_agg(d.outcome) filter (where d.outcome <> 'paid') into outcomes
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if outcomes is not null then
      return case when 'past' = any (outcomes) then 'too-late' when 'blocked' = any (outcomes) then 'blocked'
        else 'dates-gone' end;
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
  end if;
  return null;
end $function$;

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
    when kind = 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz))
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'manager-joined' then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.plan_leaves_with(s public.subscriptions)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- That of the only admin waits until there is another.
  if exists (select from private.account_deletions d where d.user_id = s.owner and not private.is_last_admin(d.user_id)) then
    return 'account';
  elsif exists (select from public.places p where p.id = s.place_id and p.owner = s.owner and p.archive_requested
    and p.status <> 'archived') then
    return 'listing';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.plans_to_cancel()
 RETURNS TABLE(id text, renewed boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select s.id, not d.due from public.subscriptions s cross join lateral (
      select private.is_charged_again(s)
        and (s.status not in ('active', 'trialing') or s.period_to < now() + interval '2 days') as due) d
    where (d.due or s.status = 'active' and not s.surplus and s.period_from > now() - interval '2 hours')
      and private.plan_leaves_with(s) is not null
    order by s.id
$function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due timestamptz;
  asked timestamptz;
begin
  if private.is_last_admin(private.user_id()) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (private.user_id()) on conflict do nothing;
  if found then
    -- Each new request sends an email.
    perform private.enforce_limit('too_many_deletion_requests', 'deletion request by ' || private.user_id(), 5, 86400);
  end if;
  select d.due_at, d.requested_at into due, asked from private.account_deletions d where d.user_id = private.user_id();
  -- The date alone is the same for another request of the same day.
  perform private.enqueue_email(private.user_id(), null, 'account-deletion', 'account-deletion:' || private.user_id() || ':'
    || asked,
    jsonb_build_object('due_at', due));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION public.plans_to_cancel()
 RETURNS TABLE(id text, renewed boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.plans_to_cancel() $function$;

grant execute on function private.plans_to_cancel() to service_role;

grant execute on function public.plans_to_cancel() to service_role;

set check_function_bodies = on;
