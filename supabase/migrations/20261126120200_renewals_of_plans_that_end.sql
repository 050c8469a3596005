-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

alter table public.refunds drop constraint refunds_reason_check;

CREATE OR REPLACE FUNCTION private.plan_leaves_since(s public.subscriptions)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  requested timestamptz;
  removed public.audit_log;
begin
  if private.plan_leaves_with(s) = 'account' then
    return (select d.requested_at from private.account_deletions d where d.user_id = s.owner);
  end if;
  select max(a.at) into requested from public.audit_log a
    where a.subject = 'places' and a.subject_id = s.place_id::text and a.after @> '{"archive_requested": true}';
  if private.plan_leaves_with(s) = 'listing' then
    return requested;
  end if;
  select a.* into removed from public.places p
      join public.audit_log a on a.subject = 'places' and a.subject_id = p.id::text and a.after @> '{"status": "archived"}'
    where p.id = s.place_id and p.status = 'archived' order by a.at desc, a.id desc limit 1;
  return case when removed.before @> '{"archive_requested": true}' then requested else removed.at end;
end $function$;

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
      and p.period_from > s.since - interval '2 hours' and p.dispute is distinct from 'open'
      and p.dispute is distinct from 'lost';
  perform private.add_refund(payment, null, 'plan-ends') from unnest(late) payment
    -- One that failed is tried again, and not made a second time.
    where not exists (select from public.refunds r where r.payment_id = payment and r.status = 'failed');
  return late is not null;
end $function$;

CREATE OR REPLACE FUNCTION public.refund_late_renewals(subscription text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.refund_late_renewals(subscription) $function$;

alter table public.refunds add constraint refunds_reason_check CHECK ((reason = ANY (ARRAY['paid-twice'::text, 'dates-gone'::text, 'too-late'::text, 'blocked'::text, 'changed'::text, 'canceled'::text, 'account-ends'::text, 'plan-ends'::text, 'team'::text, 'elsewhere'::text])));

grant execute on function private.refund_late_renewals(text) to service_role;

grant execute on function public.refund_late_renewals(text) to service_role;

set check_function_bodies = on;
