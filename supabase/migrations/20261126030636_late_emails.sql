-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
        'ends_at', case when live then is_now.ends_at end));
  end if;
  return true;
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
      and not (s.ends_at is null and private.subscription_is_live(s.status)
        and s.period_to = (data ->> 'at')::timestamptz))
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz)
    when kind = 'manager-joined' then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

set check_function_bodies = on;
