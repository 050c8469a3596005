-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.refund_late_renewals(subscription text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  late text[];
begin
  select array_agg(p.id) into late
    from (select f.id, private.plan_leaves_since(f) as since from public.subscriptions f
        where f.id = refund_late_renewals.subscription) s
      join public.payments p on p.subscription_id = s.id
    where p.reason = 'renewal' and p.cents > 0 and p.order_id is not null and p.paid_at > s.since
      and p.period_from > s.since - private.longest_draft() and p.dispute is distinct from 'open'
      and p.dispute is distinct from 'lost'
      -- Of a plan that went on for months after that, as the only admin's or that of someone else, what is used up stays.
      and p.period_to > now();
  perform private.add_refund(payment, null, 'plan-ends') from unnest(late) payment
    -- One that failed is tried again, and not made a second time.
    where not exists (select from public.refunds r where r.payment_id = payment and r.status = 'failed');
  return late is not null;
end $function$;

set check_function_bodies = on;
