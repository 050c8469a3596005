-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
  delete from public.listing_drafts d where d.owner = old.owner and d.form = '/listings/' || new.id;
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('name', old.name, 'given', new.owner is not null,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s))));
  end if;
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
        'awaits_renewal', is_now.awaits_payment, 'awaited', live and not private.is_paid_for(is_now)));
  end if;
  return true;
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
begin
  if is_now.surplus or private.enqueue_stopped_plan(was, is_now, coalesce((facts ->> 'by_us')::boolean, false)) then
    return;
  end if;
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore.)
  if is_now.status = 'past_due' and private.plan_leaves_with(is_now) is null
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due',
        'awaited', not private.is_paid_for(is_now), 'awaits_renewal', is_now.awaits_payment, 'leaves_with', private.plan_leaves_with(is_now)));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false), 'awaits', is_now.awaits_payment));
  end if;
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
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from,
        'to', after.period_to, 'listing', private.plan_listing_name(of_subscription),
        'credit', coalesce((select s.credit_cents from public.subscriptions s where s.id = of_subscription), 0),
        -- A bank debit can arrive after that.
        'ended', exists (select from public.subscriptions s
          where s.id = of_subscription and s.status in ('canceled', 'incomplete_expired')));
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
