-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid)
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

CREATE OR REPLACE FUNCTION private.retry_refund(refund_id uuid, max_attempts integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  failed public.refunds;
begin
  -- As in request_refund: before anything is locked, and then the order first.
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  select r.* into failed from public.refunds r where r.id = refund_id;
  perform 1 from public.orders o
    where o.id = (select p.order_id from public.payments p where p.id = failed.payment_id) for update;
  perform 1 from public.payments p where p.id = failed.payment_id for update;
  select r.* into failed from public.refunds r where r.id = refund_id and r.status = 'failed'
    and r.attempt < case when auth.role() = 'service_role' then max_attempts else 20 end for update;
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  if failed.id is null then
    return false;
  end if;
  if private.refundable_cents(failed.payment_id) < failed.cents then
    return false;
  end if;
  perform set_config('app.audit_action', 'retry-refund', true);
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, modified_at = now()
    where r.id = failed.id;
  perform set_config('app.audit_action', '', true);
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $function$;

set check_function_bodies = on;
