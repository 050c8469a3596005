-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to,
        'credit', s.credit_cents, 'plus_tax', s.plus_tax,
        'shown', not exists (select from public.places p where p.id = s.place_id and p.owner = s.owner
          and not exists (select from private.public_places v where v.id = p.id))))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and private.plan_leaves_with(s) is null and s.period_to > now() and s.period_to <= now() + interval '7 days'
$function$;

set check_function_bodies = on;
