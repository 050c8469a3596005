-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.plans_to_cancel()
 RETURNS TABLE(id text, renewed boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select s.id, not d.due from public.subscriptions s cross join lateral (
      select private.is_charged_again(s)
        and (s.status not in ('active', 'trialing') or s.period_to < now() + interval '2 days') as due) d
    where (d.due or s.status = 'active' and not s.surplus and s.period_from > now() - interval '74 hours')
      and private.plan_leaves_with(s) is not null
    order by s.id
$function$;

CREATE OR REPLACE FUNCTION private.plans_to_stop()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with running as (
    select s.id, s.place_id from public.subscriptions s where private.is_charged_again(s)
      -- Or renewed, whose bill may still be a draft: Stripe charges it an hour later, whatever ends with it; and up to three
      -- days later while an endpoint of the account doesn't take `invoice.created`, or where its settings say so.
      or s.status = 'active' and not s.surplus and s.period_from > now() - interval '74 hours'
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
  order by r.id
$function$;

set check_function_bodies = on;
