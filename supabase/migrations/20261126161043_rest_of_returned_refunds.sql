-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.cancel_sponsorship_dates(sponsorship_id bigint, dates date[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  item public.sponsorships;
  bought public.orders;
  paid public.payments;
  wanted date[];
  before integer;
  share bigint;
  remaining bigint;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  if not exists (select from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id()) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  end if;
  perform private.lock_order_item(null, cancel_sponsorship_dates.sponsorship_id, null);
  select * into item from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id();
  select * into bought from public.orders o
    where o.sponsorship_id = item.id and o.owner = private.user_id() and o.paid_at is not null
      and o.refund_reason is null
    order by o.paid_at desc limit 1 for update;
  if item.id is null then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif bought.id is null then
    perform private.refuse('sponsorship_not_paid');
  end if;
  select coalesce(array_agg(distinct s.weekday_date), '{}') into wanted from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (dates);
  if cardinality(wanted) = 0 or cardinality(wanted) < (select count(distinct d) from unnest(dates) d) then
    perform private.refuse('dates_not_booked', 'dates');
  elsif exists (select from unnest(wanted) d
      where d <= private.today()
        or d < (now() at time zone 'UTC' - interval '12 hours')::date + private.cancellation_days(item.id)) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('cancellation_disputed');
  end if;
  select count(*) into before from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null;
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  remaining := private.refundable_cents(paid.id);
  -- Refunded in full, the order would lose its other newsletters, too.
  if cardinality(wanted) < before and share > 0 and share >= remaining then
    perform private.refuse('cancellation_refunded_before', 'dates');
  end if;

  delete from public.sponsorship_spots s where s.sponsorship_id = item.id and s.weekday_date = any (wanted);
  update public.sponsorships s
    set sponsorship_dates = array(select d from unnest(s.sponsorship_dates) d where d <> all (wanted) order by d),
      paid = cardinality(wanted) < before
    where s.id = item.id;
  -- With the last one, all that is left: also what the bank returned of earlier ones, or was canceled as it didn't fit.
  share := case when cardinality(wanted) = before then remaining else least(share, remaining) end;
  if share > 0 then
    perform set_config('app.audit_action', 'cancel-dates', true);
    perform private.add_refund(paid.id, share, 'canceled', null, private.user_id());
    perform set_config('app.audit_action', '', true);
  end if;
  -- With its last date, all that it had bought is revoked.
  update public.orders o set seen = o.seen + 1, revoked_at = case when cardinality(wanted) = before then now() end
    where o.id = bought.id;
  return bought.id;
end $function$;

CREATE OR REPLACE FUNCTION private.record_refunds(payment text, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  fact jsonb;
  known public.refunds;
  after public.refunds;
  paid public.payments;
  asked public.refunds;
  is_new boolean;
  left_cents bigint;
begin
  select * into paid from public.payments p where p.id = payment;
  -- What failed first: what the team has made since stands for it.
  for fact in select one.fact from jsonb_array_elements(facts) one (fact)
    order by one.fact ->> 'status' = 'failed' desc loop
    -- Another attempt has followed.
    continue when exists (select from private.returned_refunds b where b.stripe_id = fact ->> 'id');
    select * into known from public.refunds r where r.stripe_id = fact ->> 'id';
    if known.id is null and fact ->> 'refund' is not null then
      select * into known from public.refunds r where r.id::text = fact ->> 'refund' and r.payment_id = payment;
      -- The answer to an attempt that failed before.
      continue when known.id is not null
        and (known.stripe_id is not null or known.attempt > coalesce((fact ->> 'attempt')::integer, 1));
    end if;
    is_new := known.id is null or (known.stripe_id is null and known.attempt = 1);
    if known.id is null then
      insert into public.refunds (payment_id, stripe_id, cents, status, reason, made_at, failed_at)
      values (payment, fact ->> 'id', (fact ->> 'cents')::bigint, fact ->> 'status', 'elsewhere',
        (fact ->> 'made_at')::timestamptz, case when fact ->> 'status' = 'failed' then now() end)
      returning * into after;
    else
      update public.refunds r set stripe_id = fact ->> 'id', status = fact ->> 'status', modified_at = now(),
          made_at = (fact ->> 'made_at')::timestamptz,
          failed_at = case when fact ->> 'status' = 'failed' then now() else r.failed_at end
        where r.id = known.id and (r.stripe_id, r.status) is distinct from (fact ->> 'id', fact ->> 'status')
          and not (private.was_returned(r) and fact ->> 'status' = 'failed')
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      -- One that was made elsewhere is no news when it is found after the money has arrived, as by the first reconciliation.
      if after.reason <> 'elsewhere' or after.made_at > now() - interval '10 days' then
        perform private.enqueue_email(paid.owner, null, 'payment-returned',
          format('payment-returned:%s:%s', paid.order_id, after.id),
          jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
      end if;
      if is_new and after.reason in ('team', 'elsewhere') then
        update public.refunds r set status = 'canceled', modified_at = now()
          where r.id = (select f.id from public.refunds f
            where f.payment_id = payment and f.status = 'failed' and f.cents = after.cents
              and f.failed_at <= after.created_at
            order by f.failed_at, f.id limit 1);
      end if;
    end if;
  end loop;
  left_cents := paid.cents - coalesce((select sum(o.cents) from public.refunds o
    where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
  -- What failed and doesn't fit anymore is tried again as far as it fits, unless something is left of the order: refunded in
  -- full, it would lose that. (The row keeps what was returned, for the books.)
  with dropped as (
    update public.refunds r set status = 'canceled', modified_at = now()
      where r.payment_id = payment and r.status = 'failed' and r.cents > left_cents returning r.*
  )
  insert into public.refunds (payment_id, cents, status, reason, note, requested_by)
    select d.payment_id, left_cents, 'failed', d.reason, d.note, d.requested_by from dropped d
    where left_cents > 0 and exists (select from public.orders o
      where o.id = paid.order_id and (o.kind = 'upgrade' or o.revoked_at is not null))
    order by d.cents desc, d.id limit 1;
  for asked in select * from public.refunds r
    where r.payment_id = payment and r.status = 'requested' order by r.created_at, r.id loop
    if asked.cents > left_cents and asked.reason = 'canceled' and left_cents > 0 then
      -- The provider takes another amount for another attempt only.
      update public.refunds r set cents = left_cents, attempt = r.attempt + 1, modified_at = now() where r.id = asked.id
        returning * into asked;
    elsif asked.cents > left_cents then
      update public.refunds r set status = 'canceled', modified_at = now() where r.id = asked.id;
      continue;
    end if;
    left_cents := left_cents - asked.cents;
  end loop;
end $function$;

set check_function_bodies = on;
