-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.record_checkout_session(order_id uuid, attempt integer, session_id text, customer_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- One at a time for each buyer, so that of two first months only one is offered.
  perform 1 from public.profiles p where p.id = (select o.owner from public.orders o where o.id = order_id)
    for no key update;
  -- A change that is not committed yet is waited for, and a later one finds the checkout.
  perform 1 from public.sponsorships s
    where s.id = (select o.sponsorship_id from public.orders o where o.id = order_id) for update;
  if exists (select from public.orders o join public.sponsorships s on s.id = o.sponsorship_id
    where o.id = order_id
      and (o.item_dates, o.unit_price_cents) <> (s.sponsorship_dates, (s.rate * 100)::integer)) then
    return false;
  end if;
  if exists (select from public.orders o join public.orders other on other.owner = o.owner
      and other.kind = 'upgrade' and other.coupon = o.coupon and other.id <> o.id
    where o.id = order_id and o.kind = 'upgrade' and other.paid_at is null
      and other.stripe_checkout_session_id is not null and other.expires_at > now()) then
    -- The caller closes this checkout. The next one is another attempt, not the same again.
    update public.orders o set attempt = o.attempt + 1, seen = o.seen + 1
      where o.id = order_id and o.attempt = record_checkout_session.attempt and o.paid_at is null;
    return false;
  end if;
  update public.orders o set status = 'open', stripe_checkout_session_id = record_checkout_session.session_id,
      stripe_customer_id = record_checkout_session.customer_id, seen = o.seen + 1
    where o.id = order_id and o.attempt = record_checkout_session.attempt and o.paid_at is null
      and o.status <> 'canceled'
      and coalesce(o.stripe_checkout_session_id = record_checkout_session.session_id, true);
  return found;
end $function$;

set check_function_bodies = on;
