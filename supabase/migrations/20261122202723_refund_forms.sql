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
  select * into paid from public.payments p where p.id = request_refund.payment_id for update;
  -- Only now, since a caller who waited may not be an admin any more.
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

set check_function_bodies = on;
