-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.my_plan(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.owner = private.user_id()
      then jsonb_build_object('mine', true, 'status', s.status, 'live', private.subscription_is_live(s.status),
        'plan', s.plan, 'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
        'next_attempt_at', s.next_attempt_at, 'subscription', s.id,
        'paid', private.is_paid_for(s))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.keeps_featured(s) desc, private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.update_featured(place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.places p set premium = s.featured, premium_created_at = s.started_at,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when s.live then s.ends_at end
  from (
    select f.*, private.keeps_featured(f) as featured, private.subscription_is_live(f.status) as live
    from public.subscriptions f
    where f.place_id = place and not f.surplus and f.status not in ('incomplete', 'incomplete_expired')
    order by private.keeps_featured(f) desc, private.subscription_is_live(f.status) desc, f.started_at desc, f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (s.featured, s.started_at,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when s.live then s.ends_at end);
  return found;
end $function$;

set check_function_bodies = on;
