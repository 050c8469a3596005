-- Money: orders, subscriptions and the events of the payment provider. An order exists before its
-- checkout and never changes what it is for or what it costs. What the provider then reports about
-- it is recorded in one transaction with the event that reported it (record_payment). Reporting it
-- again, late, twice or in another order has the same result. Only the service writes here: a price
-- must never come from a form, and "paid" only from a verified event.

-- ---------------------------------------------------------------- tables

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('job', 'sponsorship', 'upgrade')),
  owner uuid references public.profiles (id) on delete set null,
  job_id bigint references public.jobs (id),
  sponsorship_id bigint references public.sponsorships (id),
  place_id bigint references public.places (id),
  plan text check (length(plan) <= 40),
  quantity integer not null default 1 check (quantity between 1 and 104),
  -- For how many days this order makes its job live.
  days integer check (days between 1 and 3650),
  -- For one unit; in the currency's smallest unit.
  unit_price_cents integer not null check (unit_price_cents between 1 and 100000000),
  price_cents bigint generated always as (unit_price_cents::bigint * quantity) stored,
  currency text not null default 'usd' check (currency ~ '^[a-z]{3}$'),
  status text not null default 'open'
    check (status in ('open', 'processing', 'paid', 'canceled', 'expired', 'failed', 'refunded', 'disputed')),
  -- Incremented for each new checkout of the same order; part of the idempotency key.
  attempt integer not null default 1 check (attempt >= 1),
  amount_paid_cents bigint check (amount_paid_cents >= 0),
  amount_refunded_cents bigint not null default 0 check (amount_refunded_cents >= 0),
  coupon text check (length(coupon) <= 100),
  stripe_customer_id text,
  stripe_checkout_session_id text unique,
  stripe_payment_intent_id text unique,
  stripe_subscription_id text,
  receipt_url text check (private.is_web_link(receipt_url)),
  -- When the current checkout expires.
  expires_at timestamptz,
  paid_at timestamptz,
  -- Why the payment is to be refunded. It is due until as much was refunded as was paid.
  refund_reason text check (refund_reason in ('paid-twice', 'dates-gone', 'changed')),
  -- When what it had bought was revoked: refunded in full, or a dispute was lost.
  revoked_at timestamptz,
  -- Incremented with every change. A caller that asked the provider before the last change asks
  -- again, so that an older answer never overwrites a newer one.
  seen bigint not null default 0,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  constraint order_names_what_it_is_for check (
    (kind = 'job') = (job_id is not null)
    and (kind = 'sponsorship') = (sponsorship_id is not null)
    and (kind = 'upgrade') = (place_id is not null)
    and (kind = 'upgrade') = (plan is not null)),
  constraint job_order_has_days check ((kind = 'job') = (days is not null)),
  constraint paid_order_says_when check (status not in ('paid', 'refunded', 'disputed')
    or paid_at is not null)
);
create index orders_owner on public.orders (owner, created_at desc);
create index orders_job on public.orders (job_id);
create index orders_sponsorship on public.orders (sponsorship_id);
create index orders_place on public.orders (place_id);
create index orders_subscription on public.orders (stripe_subscription_id);
create index orders_status on public.orders (status, created_at);
create unique index orders_payable_job on public.orders (job_id) where paid_at is null
  and status <> 'canceled';
create unique index orders_payable_sponsorship on public.orders (sponsorship_id) where paid_at is null
  and status <> 'canceled';
create unique index orders_payable_place on public.orders (place_id) where paid_at is null
  and status <> 'canceled';

-- One row per event of the payment provider, inserted in the transaction of its effect: the second
-- delivery of an event violates the primary key and does nothing.
create table public.stripe_events (
  id text primary key check (length(id) between 1 and 255),
  type text not null check (length(type) <= 100),
  object_id text check (length(object_id) <= 255),
  created_at timestamptz not null,
  received_at timestamptz not null default now()
);
create index stripe_events_object on public.stripe_events (object_id, created_at);

-- Subscriptions of Featured listings, as the payment provider has them. Written by record_payment
-- alone.
create table public.subscriptions (
  id text primary key check (length(id) between 1 and 255),
  place_id bigint not null references public.places (id),
  -- Null for subscriptions that are older than the orders.
  order_id uuid references public.orders (id),
  -- The person who pays.
  owner uuid references public.profiles (id) on delete set null,
  stripe_customer_id text not null check (length(stripe_customer_id) <= 255),
  status text not null check (length(status) <= 40),
  started_at timestamptz not null,
  -- When it ends; null while it renews.
  ends_at timestamptz,
  -- Paid for a listing that was featured already: it is ended and refunded, and features nothing.
  surplus boolean not null default false,
  seen bigint not null default 0,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now()
);
create index subscriptions_place on public.subscriptions (place_id);
create index subscriptions_order on public.subscriptions (order_id);
create index subscriptions_owner on public.subscriptions (owner);

-- ---------------------------------------------------------------- functions

create function private.guard_order() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if (new.kind, new.job_id, new.sponsorship_id, new.place_id, new.plan, new.quantity, new.days,
    new.unit_price_cents, new.currency, new.coupon)
    is distinct from (old.kind, old.job_id, old.sponsorship_id, old.place_id, old.plan, old.quantity,
      old.days, old.unit_price_cents, old.currency, old.coupon) then
    perform private.refuse('order_item_fixed');
  elsif old.paid_at is not null and new.status not in ('paid', 'refunded', 'disputed') then
    perform private.refuse('order_stays_paid');
  end if;
  new.modified_at := now();
  return new;
end $$;

-- What an order is for is always locked before the order, so that two transactions never wait for
-- each other. For a sponsorship that includes its newsletters, because a payment may free or take
-- their spots.
create function private.lock_order_item(job bigint, sponsorship bigint, place bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform 1 from public.jobs j where j.id = job for update;
  perform 1 from public.sponsorships s where s.id = sponsorship for update;
  if found then
    perform private.lock_newsletters(array(
      select unnest(s.sponsorship_dates) from public.sponsorships s where s.id = sponsorship
      union select p.weekday_date from public.sponsorship_spots p where p.sponsorship_id = sponsorship));
  end if;
  perform 1 from public.places p where p.id = place for update;
end $$;

-- A subscription features its listing in these states, even if something about it needs attention.
create function private.subscription_is_live(status text) returns boolean
language sql immutable set search_path = ''
as $$ select status in ('active', 'trialing', 'past_due') $$;

-- Whether an order's payment is still to be refunded, or the subscription it paid for to be ended.
create function private.refund_due(o public.orders) returns boolean
language sql stable security definer set search_path = ''
as $$
  select o.refund_reason is not null and (o.amount_refunded_cents < coalesce(o.amount_paid_cents, 0)
    or exists (select 1 from public.subscriptions s where s.id = o.stripe_subscription_id
      and s.status not in ('canceled', 'incomplete_expired')))
$$;

-- Opens the order for an item, or finds the one that is open. The caller has checked that the buyer
-- may buy it. The spots of a sponsorship are held from here on, unless its checkout is open already.
--   unit_price_cents  what one costs; a sponsorship's own rate when null
--   renew             whether a job that is already paid for is to be paid for again
--   days              for how many days a job is live; required for a job, ignored for other items
-- Returns {refused} (missing, paid, featured, no-dates, processing, company-not-public when no one would
-- see the job, or as private.hold_spots says), or {order, running}: the order with its attempt and the
-- end of its checkout, and every checkout of the item that may still be open.
create function private.open_order(
  buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean,
  days integer)
returns jsonb
language plpgsql volatile security definer set search_path = '' set lock_timeout = '2s'
as $$
declare
  job constant bigint := case when kind = 'job' then item_id end;
  sponsorship constant bigint := case when kind = 'sponsorship' then item_id end;
  place constant bigint := case when kind = 'upgrade' then item_id end;
  amount integer := 1;
  cents integer := unit_price_cents;
  live_days constant integer := case when kind = 'job' then days end;
  already_bought boolean;
  current public.orders;
  is_same boolean;
  not_held jsonb;
begin
  if kind = 'job' and days is null then
    perform private.refuse('order_days_missing');
  elsif kind = 'sponsorship' then
    -- One at a time for each buyer, so that dates held at the same moment are all counted.
    perform 1 from public.profiles p where p.id = buyer for no key update;
  end if;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false) into already_bought from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer
      into already_bought, amount, cents from public.sponsorships s where s.id = sponsorship;
  else
    select p.premium into already_bought from public.places p where p.id = place;
  end if;
  if already_bought is null then
    return jsonb_build_object('refused', 'missing');
  elsif already_bought then
    return jsonb_build_object('refused', case kind when 'upgrade' then 'featured' else 'paid' end);
  elsif amount = 0 then
    return jsonb_build_object('refused', 'no-dates');
  elsif kind = 'job' and not private.job_names_company(job) then
    return jsonb_build_object('refused', 'company-not-public');
  end if;

  select * into current from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
      and o.paid_at is null and o.status <> 'canceled'
    for update;
  if current.status = 'processing' then
    return jsonb_build_object('refused', 'processing');
  end if;
  is_same := (current.owner, current.plan, current.quantity, current.days, current.unit_price_cents,
      current.coupon)
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, open_order.coupon);
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
      unit_price_cents, coupon, expires_at)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents,
      open_order.coupon,
      now() + interval '30 minutes 45 seconds')
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + interval '30 minutes 45 seconds', seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + interval '30 minutes', true) then
    -- The provider accepts no end that is less than 30 minutes away, and the same attempt only with
    -- the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + interval '30 minutes 45 seconds', seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'coupon', current.coupon, 'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id)), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $$;
create function public.open_order(
  buyer uuid, kind text, item_id bigint, plan text default null, unit_price_cents integer default null,
  coupon text default null, renew boolean default false, days integer default null)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.open_order(buyer, kind, item_id, plan, unit_price_cents, coupon, renew,
  days) $$;

-- The checkout of an attempt is open at the provider. False when the order has changed since; then
-- that checkout has to be closed.
create function private.record_checkout_session(order_id uuid, attempt integer, session_id text,
  customer_id text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.orders o set status = 'open', stripe_checkout_session_id = record_checkout_session.session_id,
      stripe_customer_id = record_checkout_session.customer_id, seen = o.seen + 1
    where o.id = order_id and o.attempt = record_checkout_session.attempt and o.paid_at is null
      and o.status <> 'canceled'
      and coalesce(o.stripe_checkout_session_id = record_checkout_session.session_id, true);
  return found;
end $$;
create function public.record_checkout_session(order_id uuid, attempt integer, session_id text,
  customer_id text) returns boolean
language sql volatile set search_path = ''
as $$ select private.record_checkout_session(order_id, attempt, session_id, customer_id) $$;

-- Which order the provider refers to, by any of the ids it sends, and what is stored about it; or
-- which subscription without an order. Null when it is not ours. `done` says whether that event was
-- processed already.
create function private.payment_target(
  event_id text, order_id uuid, session_id text, subscription_id text, payment_intent_id text)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_order public.orders;
  found_subscription public.subscriptions;
  found_place bigint;
begin
  -- The most specific id first: an order that was paid twice has two sessions.
  select * into found_order from public.orders o where o.stripe_checkout_session_id = session_id;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_subscription_id = subscription_id
      order by o.created_at desc limit 1;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_payment_intent_id = payment_intent_id;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.id = order_id;
  end if;
  if found_order.id is null then
    select * into found_subscription from public.subscriptions s where s.id = subscription_id;
    if found_subscription.id is null then
      select p.id into found_place from public.places p where p.stripe_subscription_id = subscription_id;
      if found_place is null then
        return null;
      end if;
    end if;
  end if;
  return jsonb_build_object(
    'done', exists (select 1 from public.stripe_events e where e.id = event_id),
    'order', found_order.id,
    'kind', found_order.kind,
    'status', found_order.status,
    'paid', found_order.paid_at is not null,
    'session', found_order.stripe_checkout_session_id,
    'subscription', coalesce(found_order.stripe_subscription_id, found_subscription.id,
      case when found_order.id is null then subscription_id end),
    'payment_intent', found_order.stripe_payment_intent_id,
    'returning', found_order.refund_reason is not null,
    'refund_due', coalesce(private.refund_due(found_order), false),
    'seen', coalesce(found_order.seen, found_subscription.seen, 0));
end $$;
create function public.payment_target(
  event_id text default null, order_id uuid default null, session_id text default null,
  subscription_id text default null, payment_intent_id text default null)
returns jsonb
language sql stable set search_path = ''
as $$ select private.payment_target(event_id, order_id, session_id, subscription_id, payment_intent_id) $$;

-- Delivers what an order bought. Null when done; otherwise why it is no longer available, and
-- nothing has changed.
create function private.fulfill_order(bought public.orders) returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  full_dates integer;
begin
  -- A listing that has gone to someone else is not for the buyer to advertise.
  if bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and p.owner is distinct from bought.owner) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    update public.jobs j set paid = true, published = true,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      where j.id = bought.job_id;
  elsif bought.kind = 'sponsorship' then
    if exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id and s.paid) then
      return 'paid-twice';
    elsif exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id
      and s.order_total * 100 <> bought.price_cents) then
      return 'changed';
    end if;
    select count(*) filter (where d.outcome <> 'paid') into full_dates
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if full_dates > 0 then
      return 'dates-gone';
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
  end if;
  return null;
end $$;

-- Revokes what an order bought, because the money was returned. A listing follows its subscription
-- instead.
create function private.revoke_order(bought public.orders) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  paid_again boolean;
begin
  if bought.kind = 'job' then
    paid_again := exists (select 1 from public.orders o where o.job_id = bought.job_id and o.id <> bought.id
      and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null);
    -- Its days are removed. A job without other days is unpaid again.
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.ends_at end
      from (
        select o.id, o.expiration_date - make_interval(days => bought.days) as ends_at,
          paid_again or o.expiration_date - make_interval(days => bought.days) > bought.paid_at as live
        from public.jobs o where o.id = bought.job_id
      ) rest
      where j.id = rest.id and j.paid;
  elsif bought.kind = 'sponsorship' then
    -- Newsletters that were sent keep their sponsor. Spots in future ones are free again.
    perform 1 from public.sponsorship_dates d where d.weekday_date in
      (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id)
      order by d.weekday_date for update;
    delete from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id
      and s.weekday_date > private.today();
    update public.sponsorships s set paid = false where s.id = bought.sponsorship_id and s.paid;
  end if;
end $$;

-- A listing is featured while one of its subscriptions is live. A subscription that was never live
-- is ignored. The customer is stored only while it is the owner who pays: after a change of the owner, the
-- subscription of the previous one continues, and its customer is not the next one's. True when the
-- listing had to be corrected.
create function private.update_featured(place bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.places p set premium = private.subscription_is_live(s.status), premium_created_at = s.started_at,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when private.subscription_is_live(s.status) then s.ends_at end
  from (
    select * from public.subscriptions f
    where f.place_id = place and not f.surplus and f.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(f.status) desc, f.started_at desc, f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (private.subscription_is_live(s.status), s.started_at,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when private.subscription_is_live(s.status) then s.ends_at end);
  return found;
end $$;

-- When listings get another owner, or none: what the previous one held or had begun to pay for them is
-- released. Newsletter spots that are held are free again, and unpaid orders are canceled: of the listing, of
-- its sponsorships, and for more days of jobs that have gone with it. Should one be paid anyway,
-- fulfill_order has it refunded, or adds the days to the job. All listings of a statement at once, and
-- locked as lock_order_item does.
create function private.release_orders() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  left_by_owner constant bigint[] := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where o.owner is not null and n.owner is distinct from o.owner);
begin
  if left_by_owner = '{}' then
    return null;
  end if;
  perform 1 from public.jobs j where j.place_id = any (left_by_owner) order by j.id for update;
  perform 1 from public.sponsorships s where s.place_id = any (left_by_owner) order by s.id for update;
  perform private.lock_newsletters(array(select p.weekday_date from public.sponsorship_spots p
    join public.sponsorships s on s.id = p.sponsorship_id
    where s.place_id = any (left_by_owner) and p.held_until is not null));
  delete from public.sponsorship_spots p using public.sponsorships s
    where s.id = p.sponsorship_id and s.place_id = any (left_by_owner) and p.held_until is not null;
  delete from private.newsletter_holds h where h.place_id = any (left_by_owner);
  -- A payment that is on its way can't be called back.
  update public.orders o set status = 'canceled', seen = o.seen + 1
    where o.paid_at is null and o.status in ('open', 'expired', 'failed')
      and (o.place_id = any (left_by_owner)
        or o.sponsorship_id in (select s.id from public.sponsorships s where s.place_id = any (left_by_owner))
        or o.job_id in (select j.id from public.jobs j where j.place_id = any (left_by_owner) and j.paid));
  return null;
end $$;

-- Records what the payment provider says about an order (or about a subscription without one), with
-- everything that follows from it, in one transaction with the event that reported it.
--   seen   as payment_target returned it, before the provider was asked
--   facts  session: {id, state, subtotal_cents, paid_cents, currency, payment_intent, customer,
--            receipt_url}, where state is open, processing, paid, failed or expired
--          subscription: {id, status, customer, started_at, ends_at, period}
--          refunded_cents, dispute (open, won or lost)
--          A fact that is absent changes nothing.
--   event  {id, type, object, created}, or null
-- Returns {again: true} when something changed since `seen`; then the provider has to be asked
-- again. Otherwise {order, was, status, subscription, changed, bought, refund_due, close}: bought
-- (owner, cents, currency) only for the call that made it paid; close lists checkouts of the same
-- item that may still be open.
create function private.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb,
  event jsonb)
returns jsonb
language plpgsql volatile security definer set search_path = '' set lock_timeout = '700ms'
as $$
declare
  session constant jsonb := nullif(facts -> 'session', 'null');
  state constant text := session ->> 'state';
  sub constant jsonb := nullif(facts -> 'subscription', 'null');
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  featured_changed boolean := false;
begin
  if order_id is not null then
    select * into was from public.orders o where o.id = order_id;
    perform private.lock_order_item(was.job_id, was.sponsorship_id, was.place_id);
    select * into was from public.orders o where o.id = order_id for update;
    place := was.place_id;
  else
    select coalesce(
        (select s.place_id from public.subscriptions s where s.id = subscription_id),
        (select p.id from public.places p where p.stripe_subscription_id = subscription_id)) into place;
    perform private.lock_order_item(null, null, place);
  end if;
  select * into sub_was from public.subscriptions s
    where s.id = coalesce(sub ->> 'id', subscription_id) for update;
  if coalesce(was.seen, sub_was.seen, 0) <> seen then
    return jsonb_build_object('again', true);
  end if;
  if event is not null then
    insert into public.stripe_events (id, type, object_id, created_at)
    values (event ->> 'id', event ->> 'type', event ->> 'object', to_timestamp((event ->> 'created')::bigint))
    on conflict do nothing;
  end if;

  now_is := was;
  if session is not null and was.stripe_checkout_session_id is distinct from session ->> 'id' then
    if state <> 'paid' then
      -- An earlier checkout that the order no longer uses.
      is_current := false;
    elsif was.paid_at is null then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid', 'paid-twice', now(), session ->> 'id')
      returning * into was;
      now_is := was;
    end if;
  end if;

  if session is not null and is_current then
    now_is.stripe_customer_id := coalesce(session ->> 'customer', now_is.stripe_customer_id);
    now_is.stripe_payment_intent_id := coalesce(session ->> 'payment_intent',
      now_is.stripe_payment_intent_id);
    now_is.stripe_subscription_id := coalesce(sub ->> 'id', now_is.stripe_subscription_id);
    now_is.receipt_url := coalesce(session ->> 'receipt_url', now_is.receipt_url);
    if state <> 'open' then
      now_is.expires_at := null;
    end if;
    if state = 'paid' then
      now_is.amount_paid_cents := (session ->> 'paid_cents')::bigint;
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          -- Other open orders for the same item must not be paid any more.
          update public.orders o set status = 'canceled', seen = o.seen + 1
            where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id
              or o.place_id = was.place_id)
              and o.id <> was.id and o.paid_at is null and o.status <> 'canceled';
          perform private.enqueue_email(was.owner, null, 'order-receipt', 'order-receipt:' || was.id,
            jsonb_build_object(
            'order', was.id, 'kind', was.kind, 'quantity', was.quantity, 'cents', now_is.amount_paid_cents,
            'receipt_url', now_is.receipt_url));
        end if;
      end if;
    elsif was.paid_at is null and was.status <> 'canceled' then
      now_is.status := state;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif state in ('expired', 'failed') and was.status <> state then
        if was.sponsorship_id is not null then
          delete from public.sponsorship_spots s where s.sponsorship_id = was.sponsorship_id
            and s.held_until is not null;
          if was.status = 'processing' then
            -- They were held until now, so holding them again renews that.
            insert into private.newsletter_holds (place_id, weekday_date, held_until)
            select s.place_id, d, now() from public.sponsorships s, unnest(s.sponsorship_dates) d
            where s.id = was.sponsorship_id
            on conflict (place_id, weekday_date) do update set held_until = excluded.held_until;
          end if;
        end if;
        if state = 'failed' then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if now_is.paid_at is not null and facts ? 'refunded_cents' then
    now_is.amount_refunded_cents := (facts ->> 'refunded_cents')::bigint;
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when facts ->> 'dispute' in ('open', 'lost') then 'disputed'
      else 'paid' end;
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or facts ->> 'dispute' = 'lost') then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
    end if;
    if now_is.status = 'refunded' then
      perform private.enqueue_email(now_is.owner, null, 'payment-returned', 'payment-returned:' || now_is.id,
        jsonb_build_object('order', now_is.id, 'kind', now_is.kind, 'cents', now_is.amount_refunded_cents,
          'reason', now_is.refund_reason));
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      now_is.refund_reason is not null, 1)
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus)
    returning * into sub_now;
    featured_changed := private.update_featured(place);
    if sub ->> 'status' = 'past_due' and not coalesce(sub_now.surplus, sub_was.surplus, false) then
      perform private.enqueue_email(coalesce(sub_now.owner, sub_was.owner), place, 'payment-failed',
        'payment-failed:' || (sub ->> 'id') || ':' || coalesce(sub ->> 'period', ''),
        jsonb_build_object('kind', 'upgrade', 'place', place));
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen,
        amount_paid_cents = now_is.amount_paid_cents, amount_refunded_cents = now_is.amount_refunded_cents,
        refund_reason = now_is.refund_reason, revoked_at = now_is.revoked_at,
          receipt_url = now_is.receipt_url,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
end $$;
create function public.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb,
  event jsonb default null)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.record_payment(order_id, subscription_id, seen, facts, event) $$;

-- What record_payment would return. Nothing is changed.
create function private.preview_payment(order_id uuid, subscription_id text, seen bigint,
  facts jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  result jsonb;
begin
  result := private.record_payment(order_id, subscription_id, seen, facts, null);
  raise exception using errcode = 'DRY00';
exception when sqlstate 'DRY00' then
  return result;
end $$;
create function public.preview_payment(order_id uuid, subscription_id text, seen bigint,
  facts jsonb) returns jsonb
language sql volatile set search_path = ''
as $$ select private.preview_payment(order_id, subscription_id, seen, facts) $$;

-- ---------------------------------------------------------------- triggers

create trigger t8_release_orders after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.release_orders();

create trigger t1_guard before update on public.orders
  for each row execute function private.guard_order();
create trigger t2_audit_insert after insert on public.orders referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t2_audit_update after update on public.orders
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger t2_audit_delete after delete on public.orders referencing old table as old_rows
  for each statement execute function private.write_audit();

create trigger t1_audit_insert after insert on public.subscriptions referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t1_audit_update after update on public.subscriptions
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{status,ends_at,surplus,owner,place_id}');

-- ---------------------------------------------------------------- policies

alter table public.orders enable row level security;
create policy "expect one row" on public.orders as restrictive for select to authenticated
  using (id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "read own, or admin" on public.orders for select to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()));

alter table public.stripe_events enable row level security;
create policy "no access" on public.stripe_events for all to anon, authenticated using (false);

alter table public.subscriptions enable row level security;
create policy "no access" on public.subscriptions for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select on public.orders to authenticated;
grant select, insert, update on public.orders to service_role;
grant select, insert on public.stripe_events to service_role;
grant select on public.subscriptions to service_role;

grant execute on function
  private.open_order(uuid, text, bigint, text, integer, text, boolean, integer),
  public.open_order(uuid, text, bigint, text, integer, text, boolean, integer),
  private.record_checkout_session(uuid, integer, text, text),
  public.record_checkout_session(uuid, integer, text, text),
  private.payment_target(text, uuid, text, text, text),
  public.payment_target(text, uuid, text, text, text),
  private.record_payment(uuid, text, bigint, jsonb, jsonb),
  public.record_payment(uuid, text, bigint, jsonb, jsonb),
  private.preview_payment(uuid, text, bigint, jsonb),
  public.preview_payment(uuid, text, bigint, jsonb)
  to service_role;
