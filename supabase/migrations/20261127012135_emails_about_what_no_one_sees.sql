-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_unseen_features();
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to,
        'credit', s.credit_cents, 'plus_tax', s.plus_tax))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and private.plan_leaves_with(s) is null and s.period_to > now() and s.period_to <= now() + interval '7 days'
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_unseen_features()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, p.weekday_date),
      jsonb_build_object('sponsorship_id', s.id, 'date', p.weekday_date, 'business', l.name))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 4
      and l.status <> 'archived' and l.modified_at < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
$function$;

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
    when kind = 'feature-unseen' then not exists (select from public.sponsorship_spots p
        join public.sponsorships s on s.id = p.sponsorship_id
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and p.weekday_date = (data ->> 'date')::date
        and not exists (select from private.public_places v where v.id = l.id))
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

CREATE OR REPLACE FUNCTION private.plan_facts(s public.subscriptions)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('kind', 'upgrade', 'subscription', s.id, 'listing', private.plan_listing_name(s.id),
      'place', own.id, 'shown', own.id is null or exists (select from private.public_places v where v.id = own.id))
    from (select 1) one
    left join public.places own on own.id = s.place_id and own.owner = coalesce(s.owner, own.owner)
$function$;

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
  -- A bank debit is charged days before it arrives.
  arrived timestamptz;
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
    arrived := coalesce(fact ->> 'arrived_at', fact ->> 'paid_at');
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
    -- A bank debit arrives for a plan that has ended: no one has anything of it. (What was paid before the end is recorded
    -- late, too, as by the first reconciliation.)
    if before.id is null and of_order.id is not null and after.cents > 0 and arrived > ended_at then
      perform private.add_refund(after.id, null, case when payer is null then 'canceled' else 'changed' end);
    elsif before.id is null and after.reason <> 'purchase' and arrived > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from, 'to', after.period_to)
        || coalesce((select private.plan_facts(s) || jsonb_build_object('credit', s.credit_cents,
            -- A bank debit can arrive after that.
            'ended', s.status in ('canceled', 'incomplete_expired'))
          from public.subscriptions s where s.id = of_subscription), '{}');
      if after.reason = 'renewal' then
        perform private.enqueue_email(payer, null, 'subscription-renewed', 'subscription-renewed:' || after.id, about);
      else
        perform private.enqueue_email(payer, null, 'plan-changed', 'plan-changed:' || after.id, about);
      end if;
    end if;
    if after.dispute = 'open' and before.dispute is distinct from 'open' then
      perform private.enqueue_team_email('payment-disputed', 'payment-disputed:' || after.id,
        jsonb_build_object('order', after.order_id, 'kind', after.kind, 'cents', after.disputed_cents));
    end if;
  end loop;
  return any_changed;
end $function$;

set check_function_bodies = on;
