-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.open_order(buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean, days integer, checked text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  job constant bigint := case when kind = 'job' then item_id end;
  sponsorship constant bigint := case when kind = 'sponsorship' then item_id end;
  place constant bigint := case when kind = 'upgrade' then item_id end;
  amount integer := 1;
  cents integer := unit_price_cents;
  live_days constant integer := case when kind = 'job' then days end;
  cancel_until constant integer := case when kind = 'sponsorship' then private.cancellation_days(null) end;
  -- The provider accepts no end that is less than 30 minutes away, by its clock and when our request arrives.
  checkout_lasts constant interval := interval '32 minutes';
  already_bought boolean;
  discount text := coupon;
  current public.orders;
  is_same boolean;
  not_held jsonb;
  unknown jsonb;
  name text;
  dates date[];
begin
  if kind = 'job' and days is null then
    perform private.refuse('order_days_missing');
  elsif kind <> 'job' then
    -- One at a time for each buyer, so that dates held at the same moment are all counted, and so are first
    -- months.
    perform 1 from public.profiles p where p.id = buyer for no key update;
  end if;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false), j.title into already_bought, name
      from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer, p.name, s.sponsorship_dates
      into already_bought, amount, cents, name, dates
      from public.sponsorships s join public.places p on p.id = s.place_id where s.id = sponsorship;
  else
    -- The caller has checked whose it is; it may have gone to someone else since.
    select p.premium, p.name into already_bought, name from public.places p where p.id = place and p.owner = buyer;
    if private.first_month_used(buyer, place) then
      discount := null;
    end if;
  end if;
  if already_bought is null then
    return jsonb_build_object('refused', 'missing');
  elsif already_bought then
    return jsonb_build_object('refused', case kind when 'upgrade' then 'featured' else 'paid' end);
  elsif amount = 0 then
    return jsonb_build_object('refused', 'no-dates');
  elsif kind = 'job' and not private.job_names_company(job) then
    return jsonb_build_object('refused', 'company-not-public');
  elsif kind = 'upgrade' and exists (select from public.places p
    where p.id = place and (p.status in ('archived', 'flagged') or p.archive_requested)) then
    return jsonb_build_object('refused', 'archived');
  elsif exists (select from private.account_deletions d where d.user_id = buyer) then
    return jsonb_build_object('refused', 'account-ends');
  end if;

  select * into current from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
      and o.paid_at is null and o.status <> 'canceled'
    for update;
  if current.status = 'processing' then
    return jsonb_build_object('refused', 'processing');
  end if;
  unknown := private.unknown_checkouts(buyer, job, sponsorship, place, checked);
  if unknown is not null then
    return jsonb_build_object('check', unknown);
  end if;
  is_same := (current.owner, current.plan, current.quantity, current.days, current.unit_price_cents,
      current.coupon)
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, discount)
    and coalesce(current.item_dates, dates) is not distinct from dates
    -- Its receipt names the listing that it is for.
    and (sponsorship is null or coalesce(current.item_name, left(name, 300)) is not distinct from left(name, 300));
  if kind = 'sponsorship' and not (is_same and current.stripe_checkout_session_id is not null
    and coalesce(current.expires_at > now(), false)) then
    not_held := private.hold_spots(sponsorship, buyer);
    if not_held is not null then
      return not_held;
    end if;
  end if;
  if current.id is not null and not is_same then
    update public.orders o set status = 'canceled', seen = o.seen + 1 where o.id = current.id;
    current := null;
  end if;

  if current.id is null then
    insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, coupon, expires_at, item_name, item_dates, opened_at,
      cancellation_days)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents, discount,
      now() + checkout_lasts, left(name, 300), dates, now(), cancel_until)
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + checkout_lasts - interval '30 seconds', true) then
    -- The provider takes the same attempt only with the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'coupon', current.coupon,
      'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id, 'own', o.owner = buyer
        and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false))), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
          or (open_order.kind = 'upgrade' and o.kind = 'upgrade' and o.owner = buyer and o.id <> current.id
            and o.coupon = current.coupon))
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $function$;

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
      and other.stripe_checkout_session_id is not null and other.expires_at > now())
    -- Its spots were released with a change of its listing. The next checkout holds them for the other one.
    or exists (select from public.orders o where o.id = order_id
      and cardinality(o.item_dates) > (select count(*) from public.sponsorship_spots s
        where s.sponsorship_id = o.sponsorship_id)) then
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
