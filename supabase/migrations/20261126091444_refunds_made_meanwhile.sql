-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.request_refund(uuid,text,bigint,text,text,uuid) from authenticated;

revoke execute on function private.request_refund(uuid,text,bigint,text,text,uuid) from authenticated;

drop function public.request_refund(uuid,text,bigint,text,text,uuid);

drop function private.request_refund(uuid,text,bigint,text,text,uuid);

CREATE OR REPLACE FUNCTION private.plans_to_stop()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with running as (
    select s.id, s.place_id from public.subscriptions s where private.is_charged_again(s)
      -- Or just renewed, whose bill may still be a draft: Stripe charges it an hour later, whatever ends with it.
      or s.status = 'active' and not s.surplus and s.period_from > now() - interval '2 hours'
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

CREATE OR REPLACE FUNCTION private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid, left_cents bigint)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid public.payments;
  asked public.refunds;
  added uuid;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  perform private.require_admin();
  -- The order first, as whoever records its payment or cancels its dates: in another order each would wait for the other.
  perform 1 from public.orders o where o.id = request_refund.order_id for update;
  select * into paid from public.payments p where p.id = request_refund.payment_id for update;
  -- Again, since a caller who waited may not be an admin any more.
  perform private.require_admin();
  if paid.id is null or paid.order_id is distinct from request_refund.order_id then
    perform private.refuse('refund_other_order');
  end if;
  select * into asked from public.refunds r where r.id = request_refund.refund_id and r.payment_id = paid.id;
  if asked.id is not null then
    if asked.cents <> coalesce(cents, 0) or asked.status in ('failed', 'canceled') then
      perform private.refuse('refund_asked_before');
    end if;
    return asked.id;
  elsif left_cents <> (select sum(private.refundable_cents(p.id)) from public.payments p
    where p.order_id = request_refund.order_id) then
    perform private.refuse('refund_changed');
  elsif paid.currency <> request_refund.currency then
    perform private.refuse('refund_other_currency');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('payment_disputed');
  elsif coalesce(cents, 0) <= 0 then
    perform private.refuse('refund_amount_missing', 'amount');
  elsif coalesce(length(btrim(note)), 0) not between 1 and 500 then
    perform private.refuse('refund_reason_missing', 'note');
  end if;
  perform set_config('app.audit_action', 'refund', true);
  added := private.add_refund(paid.id, request_refund.cents, 'team', btrim(request_refund.note), private.user_id(),
    request_refund.refund_id);
  perform set_config('app.audit_action', '', true);
  if added is null then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  update public.orders o set seen = o.seen + 1 where o.id = request_refund.order_id;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION public.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid DEFAULT NULL::uuid, left_cents bigint DEFAULT NULL::bigint)
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.request_refund(order_id, payment_id, cents, currency, note, refund_id, left_cents) $function$;

grant execute on function private.request_refund(uuid,text,bigint,text,text,uuid,bigint) to authenticated;

grant execute on function public.request_refund(uuid,text,bigint,text,text,uuid,bigint) to authenticated;

set check_function_bodies = on;
