-- Money: orders, subscriptions, payments, refunds, and the events of the payment provider. An order exists
-- before its checkout and never changes what it is for or what it costs. What the provider then reports
-- about it is recorded in one transaction with the event that reported it (record_payment). Reporting it
-- again, late, twice or in another order has the same result. Only the service writes here: a price must
-- never come from a form, and "paid" only from a verified event. A refund is requested here first, then made.

-- ---------------------------------------------------------------- tables

create table public.orders (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('job', 'sponsorship', 'upgrade')),
  owner uuid references public.profiles (id) on delete set null,
  job_id bigint references public.jobs (id) on delete set null,
  sponsorship_id bigint references public.sponsorships (id) on delete set null,
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
  -- When the current checkout expires.
  expires_at timestamptz,
  paid_at timestamptz,
  -- Why the payment is to be refunded. It is due until as much was refunded as was paid.
  refund_reason text check (refund_reason in ('paid-twice', 'dates-gone', 'too-late', 'blocked', 'changed',
    'canceled', 'account-ends')),
  -- When what it had bought was revoked: all of it was refunded, or lost in a dispute.
  revoked_at timestamptz,
  -- Incremented with every change. A caller that asked the provider before the last change asks
  -- again, so that an older answer never overwrites a newer one.
  seen bigint not null default 0,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  -- What it was for, as it was called then, for the buyer's books: the title of the job, or the name of the
  -- listing, with the dates of the newsletters.
  item_name text check (length(item_name) <= 300),
  item_dates date[],
  -- When the current checkout was opened; an order has several, one after the other.
  opened_at timestamptz,
  -- Until how many days before a newsletter its buyer can cancel it, as it was when the checkout was opened.
  cancellation_days integer,
  -- Without its job or sponsorship once that is deleted.
  constraint order_names_what_it_is_for check (
    (kind = 'job' or job_id is null)
    and (kind = 'sponsorship' or sponsorship_id is null)
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
  modified_at timestamptz not null default now(),
  -- What it charges next (less discounts that last) and how often; the period that is paid for or due; when the customer
  -- canceled it; and when a payment that failed is tried again.
  plan text check (length(plan) <= 40),
  cents bigint check (cents >= 0),
  months integer check (months between 1 and 36),
  period_from timestamptz,
  period_to timestamptz,
  canceled_at timestamptz,
  next_attempt_at timestamptz,
  -- What the provider owes its customer, as after a change to a cheaper plan: it pays for the next bills of any of
  -- their plans first. The same for all plans of a customer.
  credit_cents bigint not null default 0 check (credit_cents >= 0),
  -- Whether tax is added to what it charges; and whether its last bill is on its way from a bank, which can't be called
  -- back.
  plus_tax boolean not null default false,
  awaits_payment boolean not null default false
);
create index subscriptions_place on public.subscriptions (place_id);
create index subscriptions_order on public.subscriptions (order_id);
create index subscriptions_owner on public.subscriptions (owner);
create index subscriptions_period on public.subscriptions (period_to);

-- Every payment that arrived, one row for each charge at the provider: the first one of an order, and the later
-- ones of a subscription. Written by record_payment alone.
create table public.payments (
  -- The provider's id of the payment; where nothing had to be charged, that of the checkout or the invoice.
  id text primary key check (length(id) between 1 and 255),
  kind text not null check (kind in ('job', 'sponsorship', 'upgrade')),
  reason text not null check (reason in ('purchase', 'renewal', 'plan-change')),
  owner uuid references public.profiles (id) on delete set null,
  -- Null for subscriptions that are older than the orders.
  order_id uuid references public.orders (id),
  subscription_id text references public.subscriptions (id),
  -- In the currency's smallest unit; tax is included in cents.
  cents bigint not null check (cents >= 0),
  tax_cents bigint not null default 0 check (tax_cents between 0 and cents),
  refunded_cents bigint not null default 0 check (refunded_cents between 0 and cents),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  invoice_id text unique check (length(invoice_id) <= 255),
  invoice_number text check (length(invoice_number) <= 100),
  -- The time that a payment of a subscription is for.
  period_from timestamptz,
  period_to timestamptz,
  paid_at timestamptz not null,
  -- The state of the customer's dispute at their bank, if there was one.
  dispute text check (dispute in ('open', 'won', 'lost')),
  disputed_cents bigint not null default 0 check (disputed_cents >= 0),
  disputed_at timestamptz,
  dispute_closed_at timestamptz,
  created_at timestamptz not null default now(),
  -- The plan that it paid for, which may have changed since the order. Null when it was not for a plan, and for
  -- payments from before this was stored.
  plan text check (length(plan) <= 40),
  constraint payment_of_order_or_subscription check (num_nonnulls(order_id, subscription_id) > 0)
);
create index payments_owner on public.payments (owner, paid_at desc, id desc);
create index payments_paid on public.payments (paid_at desc, id desc);
create index payments_order on public.payments (order_id);
create index payments_subscription on public.payments (subscription_id);
create index payments_disputed on public.payments (disputed_at) where disputed_at is not null;

-- Every refund, in full or in part. One of ours is requested here before the provider hears of it, so that it is
-- made once, whatever is lost. One that was made in the provider's own dashboard is recorded.
create table public.refunds (
  id uuid primary key default gen_random_uuid(),
  payment_id text not null references public.payments (id),
  -- The provider's id; null until it is made there.
  stripe_id text unique check (length(stripe_id) <= 255),
  cents bigint not null check (cents > 0),
  status text not null default 'requested'
    check (status in ('requested', 'pending', 'succeeded', 'failed', 'canceled')),
  -- As in orders; or because its buyer canceled, its plan was charged while it was about to end, our team decided so, or
  -- it was made at the provider.
  reason text not null check (reason in ('paid-twice', 'dates-gone', 'too-late', 'blocked', 'changed', 'canceled',
    'account-ends', 'plan-ends', 'team', 'elsewhere')),
  -- What an admin wrote about it, for the team.
  note text check (length(btrim(note)) between 1 and 500),
  requested_by uuid references public.profiles (id) on delete set null,
  -- Incremented when one that failed is tried again; part of the idempotency key.
  attempt integer not null default 1 check (attempt >= 1),
  -- When it was made at the provider, and when it failed there.
  made_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now()
);
create index refunds_payment on public.refunds (payment_id);
create index refunds_made on public.refunds (made_at);
create index refunds_requested_by on public.refunds (requested_by);
create index refunds_open on public.refunds (created_at) where status in ('requested', 'pending', 'failed');

-- Attempts at a refund that the bank returned and that were followed by another one. The books of a month keep both
-- movements, whatever happens to the refund later.
create table private.returned_refunds (
  stripe_id text primary key check (length(stripe_id) <= 255),
  refund_id uuid not null references public.refunds (id),
  made_at timestamptz not null,
  failed_at timestamptz not null
);
create index returned_refunds_refund on private.returned_refunds (refund_id);

-- ---------------------------------------------------------------- functions

create function private.guard_order() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- A job or sponsorship may be deleted: then its order no longer names it.
  if (new.kind, coalesce(new.job_id, old.job_id), coalesce(new.sponsorship_id, old.sponsorship_id), new.place_id,
    new.plan, new.quantity, new.days, new.unit_price_cents, new.currency, new.coupon)
    is distinct from (old.kind, old.job_id, old.sponsorship_id, old.place_id, old.plan, old.quantity,
      old.days, old.unit_price_cents, old.currency, old.coupon) then
    perform private.refuse('order_item_fixed');
  elsif old.paid_at is not null and new.status not in ('paid', 'refunded', 'disputed') then
    perform private.refuse('order_stays_paid');
  elsif (old.job_id is not null and new.job_id is null)
    or (old.sponsorship_id is not null and new.sponsorship_id is null) then
    -- Its job or sponsorship is being deleted. While it can be paid or its money is on its way, that is not
    -- possible. An unpaid order is canceled, and no longer says what it was for.
    if old.status = 'processing' or (old.status = 'open' and old.stripe_checkout_session_id is not null
      and old.expires_at > now()) then
      perform private.refuse('order_still_payable');
    elsif old.paid_at is null then
      new.status := 'canceled';
      new.item_name := null;
      new.item_dates := null;
      new.seen := old.seen + 1;
    end if;
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
  -- Not `for update`: that waits for everyone who refers to the listing. Someone who saved all listings as favorites, with
  -- one slow request after the other, would keep every one of them from being Featured.
  perform 1 from public.places p where p.id = place for no key update;
end $$;

-- A subscription features its listing in these states, even if something about it needs attention.
create function private.subscription_is_live(status text) returns boolean
language sql immutable set search_path = ''
as $$ select status in ('active', 'trialing', 'past_due') $$;

-- What the payer of a listing's plan reads as its name: the approved one while it is theirs (a manager could have us send
-- them any other), and after that the name that it had when they bought the plan. A former owner learns nothing new about
-- the listing.
create function private.plan_listing_name(subscription text) returns text
language sql stable security definer set search_path = ''
as $$
  select case when p.owner = s.owner then private.approved_name(p.id) else coalesce(o.item_name, 'a listing') end
    from public.subscriptions s join public.places p on p.id = s.place_id
    left join public.orders o on o.id = s.order_id
    where s.id = subscription
$$;

-- What an email about a plan says about its listing: its name, its id while it is the payer's own, and whether people
-- can find it (`shown`), which a former owner isn't told. Without an id, the email leads to their purchases.
create function private.plan_facts(s public.subscriptions) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('kind', 'upgrade', 'subscription', s.id, 'listing', private.plan_listing_name(s.id),
      'place', own.id, 'shown', own.id is null or exists (select from private.public_places v where v.id = own.id))
    from (select (select p.id from public.places p
      where p.id = s.place_id and p.owner = coalesce(s.owner, p.owner)) as id) own
$$;

-- Whether something remains to be refunded for an order, or the subscription it paid for to be ended.
create function private.refund_due(o public.orders) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = o.id and r.status = 'requested'
        -- What a bank is deciding about can't be refunded.
        and p.dispute is distinct from 'open' and p.dispute is distinct from 'lost')
    or (o.refund_reason is not null and (
      (o.amount_paid_cents > 0 and not exists (select from public.payments p where p.order_id = o.id))
      or exists (select 1 from public.subscriptions s where s.id = o.stripe_subscription_id
        and s.status not in ('canceled', 'incomplete_expired'))))
$$;

-- How much of a payment has not been refunded, and is not about to be.
create function private.refundable_cents(payment text) returns bigint
language sql stable security definer set search_path = ''
as $$
  select p.cents - coalesce((select sum(r.cents) from public.refunds r
      where r.payment_id = p.id and r.status not in ('failed', 'canceled')), 0)::bigint
    from public.payments p where p.id = payment
$$;

-- Requests a refund: all that is left of a payment, or a part. The provider is asked for it afterwards. It waits
-- for other refunds of the same payment, so that together they never exceed what was paid. Null when nothing
-- is left.
create function private.add_refund(payment text, cents bigint, reason text, note text default null,
  requested_by uuid default null, refund_id uuid default null) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
declare
  left_cents bigint;
  added uuid;
begin
  perform 1 from public.payments p where p.id = payment for update;
  left_cents := private.refundable_cents(payment);
  if coalesce(left_cents, 0) <= 0 then
    return null;
  elsif cents > left_cents then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  insert into public.refunds (id, payment_id, cents, reason, note, requested_by)
    values (coalesce(add_refund.refund_id, gen_random_uuid()), payment, coalesce(add_refund.cents, left_cents),
      add_refund.reason, private.many_lines(add_refund.note), add_refund.requested_by)
    returning id into added;
  return added;
end $$;

-- An admin refunds a payment of an order, in full or in part. The same refund_id again is the same refund: a form
-- that is sent twice refunds once. With another amount, or after that refund failed, it is refused: the team must not
-- read that this amount was refunded. A refund is also refused from a page that did not show another one made since,
-- by another admin or the buyer, which may have returned the same money.
--   left_cents  what was left of the order's payments when the admin decided; null when the caller doesn't say
create function private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text,
  refund_id uuid, left_cents bigint) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;
create function public.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text,
  refund_id uuid default null, left_cents bigint default null) returns uuid
language sql volatile set search_path = ''
as $$ select private.request_refund(order_id, payment_id, cents, currency, note, refund_id, left_cents) $$;

-- An admin is about to end the subscription of an order at the provider: the log says who. The service records what
-- follows from that, without anyone's name. False when the order has no running subscription.
create function private.log_plan_end(order_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  running text;
begin
  perform private.require_admin();
  select o.stripe_subscription_id into running from public.orders o
    left join public.subscriptions s on s.id = o.stripe_subscription_id
    where o.id = log_plan_end.order_id and coalesce(s.status, '') not in ('canceled', 'incomplete_expired');
  if running is null then
    return false;
  end if;
  perform private.log_action('end-plan', 'subscriptions', running, jsonb_build_object('order_id', log_plan_end.order_id));
  return true;
end $$;
create function public.log_plan_end(order_id uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.log_plan_end(order_id) $$;

-- Tries a refund again that failed at the provider: an admin does, in their own name, or the service at night, at
-- most max_attempts times. False when it has not failed, or was tried too often: then someone has to look into it.
create function private.retry_refund(refund_id uuid, max_attempts integer) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
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
  insert into private.returned_refunds (stripe_id, refund_id, made_at, failed_at)
    select failed.stripe_id, failed.id, failed.made_at, failed.failed_at
    where failed.stripe_id is not null and failed.made_at is not null and failed.failed_at is not null;
  perform set_config('app.audit_action', 'retry-refund', true);
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, made_at = null,
      failed_at = null, modified_at = now()
    where r.id = failed.id;
  perform set_config('app.audit_action', '', true);
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $$;
create function public.retry_refund(refund_id uuid, max_attempts integer default 4) returns boolean
language sql volatile set search_path = ''
as $$ select private.retry_refund(refund_id, max_attempts) $$;

-- The caller's payments, newest first, with what they were for. At most 2,000.
create function private.my_purchases()
returns table (id text, order_id uuid, kind text, reason text, item_name text, item_dates date[], plan text,
  place_id bigint, cents bigint, tax_cents bigint, refunded_cents bigint, currency text, invoice_number text,
  period_from timestamptz, period_to timestamptz, paid_at timestamptz, dispute text, refunds jsonb)
language sql stable security definer set search_path = ''
as $$
  select p.id, p.order_id, p.kind, p.reason, coalesce(o.item_name, l.name), o.item_dates,
    coalesce(p.plan, o.plan, s.plan),
    coalesce(o.place_id, s.place_id), p.cents, p.tax_cents, p.refunded_cents, p.currency, p.invoice_number,
    p.period_from, p.period_to, p.paid_at, p.dispute,
    (select coalesce(jsonb_agg(jsonb_build_object('cents', r.cents, 'status', r.status, 'reason', r.reason,
        'at', coalesce(r.made_at, r.created_at)) order by r.created_at), '[]')
      from public.refunds r where r.payment_id = p.id and r.status <> 'canceled')
  from public.payments p
    left join public.orders o on o.id = p.order_id
    left join public.subscriptions s on s.id = p.subscription_id
    left join public.places l on l.id = s.place_id and l.owner = p.owner
  where p.owner = private.user_id()
  order by p.paid_at desc, p.id desc limit 2000
$$;
create function public.my_purchases()
returns table (id text, order_id uuid, kind text, reason text, item_name text, item_dates date[], plan text,
  place_id bigint, cents bigint, tax_cents bigint, refunded_cents bigint, currency text, invoice_number text,
  period_from timestamptz, period_to timestamptz, paid_at timestamptz, dispute text, refunds jsonb)
language sql stable set search_path = ''
as $$ select * from private.my_purchases() $$;

-- Whether the bank returned a refund that is not to be tried again: someone has made it by hand, or nothing is left.
create function private.was_returned(refund public.refunds) returns boolean
language sql immutable set search_path = ''
as $$ select refund.status = 'canceled' and refund.stripe_id is not null and refund.failed_at is not null $$;

-- Every payment, refund, and dispute between two moments, oldest first, as the provider has it: payments, refunds
-- (and those that failed later), and what disputes withdrew and returned. For admins. It names no one.
--   type  payment, refund, refund-failed, dispute, dispute-won
create function private.admin_ledger(since timestamptz, until timestamptz, skip integer, max_rows integer)
returns table (at timestamptz, type text, cents bigint, currency text, payment_id text, refund_id text,
  invoice_number text, order_id uuid, kind text, reason text, item_name text, tax_cents bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  perform private.require_admin();
  return query
    select m.at, m.type, m.cents, p.currency, p.id, m.refund_id, p.invoice_number, p.order_id, p.kind, p.reason,
      coalesce(o.item_name, l.name), case when m.type = 'payment' then p.tax_cents else 0 end
    from (
      select y.paid_at as at, 'payment' as type, y.cents, y.id as payment_id, null::text as refund_id
        from public.payments y
        where y.cents > 0 and y.paid_at >= admin_ledger.since and y.paid_at < admin_ledger.until
      union all
      select r.made_at, 'refund', -r.cents, r.payment_id, r.stripe_id from public.refunds r
        where (r.status in ('pending', 'succeeded', 'failed') or private.was_returned(r))
          and r.made_at >= admin_ledger.since and r.made_at < admin_ledger.until
      union all
      select r.failed_at, 'refund-failed', r.cents, r.payment_id, r.stripe_id from public.refunds r
        where (r.status = 'failed' or private.was_returned(r))
          and r.failed_at >= admin_ledger.since and r.failed_at < admin_ledger.until
      union all
      select b.made_at, 'refund', -r.cents, r.payment_id, b.stripe_id
        from private.returned_refunds b join public.refunds r on r.id = b.refund_id
        where b.made_at >= admin_ledger.since and b.made_at < admin_ledger.until
      union all
      select b.failed_at, 'refund-failed', r.cents, r.payment_id, b.stripe_id
        from private.returned_refunds b join public.refunds r on r.id = b.refund_id
        where b.failed_at >= admin_ledger.since and b.failed_at < admin_ledger.until
      union all
      select y.disputed_at, 'dispute', -y.disputed_cents, y.id, null from public.payments y
        where y.disputed_at >= admin_ledger.since and y.disputed_at < admin_ledger.until
      union all
      select y.dispute_closed_at, 'dispute-won', y.disputed_cents, y.id, null from public.payments y
        where y.dispute = 'won' and y.dispute_closed_at >= admin_ledger.since
          and y.dispute_closed_at < admin_ledger.until
    ) m join public.payments p on p.id = m.payment_id
      left join public.orders o on o.id = p.order_id
      left join public.subscriptions s on s.id = p.subscription_id
      left join public.places l on l.id = s.place_id
    order by m.at, m.type, p.id, m.refund_id offset skip limit least(max_rows, 1000);
end $$;
create function public.admin_ledger(since timestamptz, until timestamptz, skip integer, max_rows integer)
returns table (at timestamptz, type text, cents bigint, currency text, payment_id text, refund_id text,
  invoice_number text, order_id uuid, kind text, reason text, item_name text, tax_cents bigint)
language sql stable set search_path = ''
as $$ select * from private.admin_ledger(since, until, skip, max_rows) $$;

-- An order with its payments and refunds, for admins; null when there is none.
create function private.admin_order(order_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (select jsonb_build_object('id', o.id, 'kind', o.kind, 'item_name', o.item_name,
      -- The first bill of a plan that has ended, or one that is tried again, may be on its way.
      'status', case when o.status = 'failed' and exists (select from public.subscriptions s
        where s.id = o.stripe_subscription_id and s.awaits_payment) then 'processing' else o.status end,
      'item_dates', o.item_dates, 'plan', o.plan, 'quantity', o.quantity, 'price_cents', o.price_cents,
      'currency', o.currency, 'coupon', o.coupon, 'created_at', o.created_at, 'paid_at', o.paid_at,
      'refund_reason', o.refund_reason, 'owner', o.owner, 'owner_name', f.full_name,
      'subscription', (select jsonb_build_object('status', s.status, 'ends_at', s.ends_at, 'credit_cents', s.credit_cents)
        from public.subscriptions s where s.id = o.stripe_subscription_id),
      'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'cents', p.cents,
          'currency', p.currency, 'tax_cents', p.tax_cents, 'refunded_cents', p.refunded_cents,
          'left_cents', private.refundable_cents(p.id), 'paid_at', p.paid_at, 'dispute', p.dispute,
          'invoice_number', p.invoice_number, 'plan', coalesce(p.plan, o.plan),
          'refunds', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'cents', r.cents, 'status', r.status,
              'reason', r.reason, 'note', r.note, 'attempt', r.attempt, 'at', coalesce(r.made_at, r.created_at),
              'by', (select a.full_name from public.profiles a where a.id = r.requested_by and a.admin))
              order by r.created_at), '[]')
            from public.refunds r where r.payment_id = p.id))
          order by p.paid_at desc), '[]') from public.payments p where p.order_id = o.id))
    from public.orders o left join public.profiles f on f.id = o.owner where o.id = admin_order.order_id);
end $$;
create function public.admin_order(order_id uuid) returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_order(order_id) $$;

-- Sends an email to every admin.
create function private.enqueue_team_email(kind text, key text, data jsonb) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enqueue_email(p.id, null, enqueue_team_email.kind, enqueue_team_email.key || ':' || p.id, enqueue_team_email.data)
    from public.profiles p where p.admin
$$;

-- Whether a buyer or a listing had the first month at its lower price. It is granted once for each of them.
create function private.first_month_used(buyer uuid, place bigint) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from public.orders o
    where o.kind = 'upgrade' and o.coupon is not null and o.refund_reason is null
      and (o.paid_at is not null or o.status = 'processing'
        -- The bill of another plan whose first payment has failed can still be paid.
        or (o.status = 'failed' and o.place_id <> place and exists (select from public.subscriptions s
          where s.id = o.stripe_subscription_id and s.status in ('past_due', 'unpaid'))))
      and (o.owner = buyer or o.place_id = place));
end $$;

-- For which of the caller's listings the first month has its lower price.
create function private.my_first_months() returns setof bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query select p.id from public.places p
    where p.owner = private.user_id() and not private.first_month_used(p.owner, p.id);
end $$;
create function public.my_first_months() returns setof bigint
language sql stable set search_path = ''
as $$ select * from private.my_first_months() $$;

-- Whether the caller had the first month at its lower price, also for a listing that has gone to someone else.
create function private.had_first_month() returns boolean
language sql stable security definer set search_path = ''
as $$ select private.first_month_used(private.user_id(), null) $$;

-- The checkouts of an item that are over by our clock, although no event has said how they ended. They are found
-- before another one is opened for the item, so that no one pays twice because an event is late. A plan whose first
-- payment failed can be paid for later. For a sponsorship also those whose lapsed hold would go to it: of a
-- newsletter that is full, or of the same listing. For a plan also those of its buyer's other first months: each has
-- one. Null when there is none besides those that were checked.
create function private.unknown_checkouts(buyer uuid, job bigint, sponsorship bigint, place bigint, checked text[])
returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id, 'own', o.owner = buyer
      and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false)))
    from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
        or (place is not null and o.kind = 'upgrade' and o.coupon is not null and o.owner = buyer and o.status = 'open')
        or o.sponsorship_id = any (array(
          select s.sponsorship_id from public.sponsorships mine
            join public.sponsorship_spots s on s.weekday_date = any (mine.sponsorship_dates)
            join public.sponsorship_dates d on d.weekday_date = s.weekday_date
            join public.sponsorships other on other.id = s.sponsorship_id
          where mine.id = sponsorship and s.held_until <= now()
            and (other.place_id = mine.place_id
              or d.held_count + d.paid_count >= private.spots_per_newsletter()))))
      -- Without a session, the provider has opened none, so no one has paid. (Null differs from all of no values.)
      and o.paid_at is null and o.stripe_checkout_session_id is not null and o.stripe_checkout_session_id <> all (checked)
      and (o.expires_at <= now() or (o.kind = 'upgrade' and o.status = 'failed'))
$$;

-- Opens the order for an item, or finds the one that is open. The caller has checked that the buyer
-- may buy it. The spots of a sponsorship are held from here on, unless its checkout is open already. The first
-- month at a lower price is granted once, whatever the caller asks for.
--   coupon            the discount on the first bill
--   unit_price_cents  what one costs; a sponsorship's own rate when null
--   renew             whether a job that is already paid for is to be paid for again
--   days              for how many days a job is live; required for a job, ignored for other items
--   checked           the checkouts that the caller has just asked the provider about; null when it never does
-- Returns {refused} (missing, paid, featured, no-dates, processing, company-not-public when no one would
-- see the job, archived when no one would see the listing, account-ends when the buyer asked for the deletion of
-- their account, with which all of it would end, or as private.hold_spots says), {check}: the checkouts
-- that may have been paid although no event has said so yet (private.unknown_checkouts), and nothing is opened
-- before the provider was asked about them; or {order, running}: the order with its attempt and the end of its
-- checkout, and every other checkout that may still be open: of the item, or for another first month of the buyer.
-- `own` says whether the buyer may have paid for the same item in it.
create function private.open_order(
  buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean,
  days integer, checked text[])
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
  cancel_until constant integer := case when kind = 'sponsorship' then private.cancellation_days(null) end;
  -- The provider accepts no end that is less than 30 minutes away, by its clock and when our request arrives.
  checkout_lasts constant interval := interval '32 minutes';
  already_bought boolean;
  discount text := coupon;
  current public.orders;
  is_same boolean;
  -- When the job that is renewed expires.
  ends timestamptz;
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
  -- Its listing before it, as when that goes to someone else (release_orders). A hold refers to both.
  perform 1 from public.places p where p.id = (select s.place_id from public.sponsorships s where s.id = sponsorship)
    for key share;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false), j.title, j.expiration_date into already_bought, name, ends
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
  elsif kind = 'upgrade' and exists (select from public.subscriptions s where s.place_id = place and s.status = 'paused') then
    -- It may be paid for, and goes on when our team resumes it: it ends only when its owner asks for that.
    return jsonb_build_object('refused', case when exists (select from public.subscriptions s
      where s.place_id = place and s.status = 'paused' and s.owner = buyer) then 'paused' else 'paused-by-another' end);
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
    -- A renewal publishes a job that had expired when its order was opened (fulfill_order).
    and not coalesce(ends > coalesce(current.opened_at, current.created_at) and ends <= now(), false)
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
end $$;
create function public.open_order(
  buyer uuid, kind text, item_id bigint, plan text default null, unit_price_cents integer default null,
  coupon text default null, renew boolean default false, days integer default null, checked text[] default null)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.open_order(buyer, kind, item_id, plan, unit_price_cents, coupon, renew,
  days, checked) $$;

-- The checkout of an attempt is open at the provider. False when the order has changed since, or the dates, the rate, or
-- the listing of its sponsorship, which can change until this is recorded. Then that checkout has to be closed.
create function private.record_checkout_session(order_id uuid, attempt integer, session_id text,
  customer_id text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
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
        where s.sponsorship_id = o.sponsorship_id and s.weekday_date = any (o.item_dates))) then
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
end $$;
create function public.record_checkout_session(order_id uuid, attempt integer, session_id text,
  customer_id text) returns boolean
language sql volatile set search_path = ''
as $$ select private.record_checkout_session(order_id, attempt, session_id, customer_id) $$;

-- Which order the provider refers to, by any of the ids it sends, and what is stored about it; or
-- which subscription without an order. Null when it is not ours. `done` says whether that event was
-- processed already; of `payments`, those with `read` have to be read again.
create function private.payment_target(
  event_id text, order_id uuid, session_id text, subscription_id text, payment_intent_id text)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_order public.orders;
  found_subscription public.subscriptions;
  found_payment public.payments;
  found_place bigint;
begin
  select * into found_payment from public.payments p where p.id = payment_intent_id;
  -- The most specific id first: an order that was paid twice has two sessions.
  select * into found_order from public.orders o where o.stripe_checkout_session_id = session_id;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_subscription_id = subscription_id
      order by o.created_at desc limit 1;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_payment_intent_id = payment_intent_id
      or o.id = found_payment.order_id;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.id = order_id;
  end if;
  if found_order.id is null then
    select * into found_subscription from public.subscriptions s
      where s.id = coalesce(subscription_id, found_payment.subscription_id);
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
    'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'invoice', p.invoice_id,
        'read', coalesce(p.id = payment_intent_id, false) or exists (select from public.refunds r
          where r.payment_id = p.id and r.status in ('requested', 'pending', 'failed')))), '[]')
      from public.payments p
      where p.order_id = found_order.id or p.subscription_id = coalesce(found_order.stripe_subscription_id,
        found_subscription.id)),
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
  outcomes text[];
  -- Whether a job goes public with it: with its first payment, and when it had expired before it was paid for again.
  begins constant boolean := (select not j.paid or j.expiration_date <= coalesce(bought.opened_at, bought.created_at)
    from public.jobs j where j.id = bought.job_id);
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  elsif exists (select from private.account_deletions d where d.user_id = bought.owner) then
    -- It would end with their account. (open_order refuses it; this one was open already.)
    return 'account-ends';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or p.status = 'archived'
        -- open_order sells no plan for a listing that is to be removed.
        or bought.kind = 'upgrade' and p.archive_requested)) then
    return 'changed';
  -- A job that was taken from its owner, or has gone to someone else, also with its listing: its buyer doesn't publish it
  -- for them, or pay for their days. (The team itself can pay for any job.)
  elsif bought.kind = 'job' and exists (select from public.jobs j join public.profiles p on p.id = bought.owner
    where j.id = bought.job_id and not p.admin and j.owner is distinct from bought.owner) then
    return 'changed';
  -- As open_order refuses it: no one would see the job. (More days of one that was live are added to it.)
  elsif bought.kind = 'job' and begins and not private.job_names_company(bought.job_id) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    -- More days of a job that was live leave it as its owner has it: unpublished or filled, also while the payment was on
    -- its way.
    update public.jobs j set paid = true, published = j.published or begins,
        filled_at = case when not begins then j.filled_at end,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      where j.id = bought.job_id;
    -- An admin has paid for someone's job, which may be a draft: its owner counts on it that no one sees it until they pay.
    perform private.enqueue_email(j.owner, null, 'job-republished', 'job-paid:' || bought.id,
        jsonb_build_object('job_id', j.id, 'title', j.title, 'paid', true))
      from public.jobs j where j.id = bought.job_id and begins and j.owner <> bought.owner;
  elsif bought.kind = 'sponsorship' then
    if exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id and s.paid) then
      return 'paid-twice';
    elsif exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id
      and s.order_total * 100 <> bought.price_cents) then
      return 'changed';
    end if;
    select array_agg(d.outcome) filter (where d.outcome <> 'paid') into outcomes
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if outcomes is not null then
      return case when 'past' = any (outcomes) then 'too-late' when 'blocked' = any (outcomes) then 'blocked'
        else 'dates-gone' end;
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
  end if;
  return null;
end $$;

-- Revokes what an order bought, because the money was returned. A listing follows its subscription
-- instead. A job may have gone with its listing since: then its owner gets an email, besides the one to the buyer.
create function private.revoke_order(bought public.orders) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  paid_again boolean;
  later_days integer;
  had_until timestamptz;
  job public.jobs;
begin
  if bought.kind = 'job' then
    select j.expiration_date into had_until from public.jobs j where j.id = bought.job_id and j.paid;
    -- The days of later orders come after its own: at most what is left before them has not been used.
    select coalesce(bool_or(true), false),
        coalesce(sum(o.days) filter (where (o.paid_at, o.id) > (bought.paid_at, bought.id)), 0)
      into paid_again, later_days
      from public.orders o where o.job_id = bought.job_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null;
    -- Only its unused days are removed, never what other orders have paid for. A job without other days is unpaid
    -- again. (One that is older than the orders may have days of before.)
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.ends end
      from (
        select o.id, o.ends, paid_again or o.ends > now() as live
        from (
          select r.id, r.expiration_date - least(make_interval(days => bought.days), greatest(interval '0',
            r.expiration_date - make_interval(days => later_days) - now())) as ends
          from public.jobs r where r.id = bought.job_id
        ) o
      ) rest
      where j.id = rest.id and j.paid
      returning j.* into job;
    -- (A job that had expired, or whose days of this payment were used up, has lost nothing.)
    if had_until > now() and job.expiration_date is distinct from had_until
      and job.owner is not null and job.owner is distinct from bought.owner then
      perform private.enqueue_email(job.owner, null, 'job-payment-returned', 'job-payment-returned:' || bought.id,
        jsonb_strip_nulls(jsonb_build_object('job_id', job.id, 'title', job.title, 'ends', job.expiration_date)));
    end if;
  elsif bought.kind = 'sponsorship' and not exists (select from public.orders o
      where o.sponsorship_id = bought.sponsorship_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null) then
    -- Newsletters that were sent keep their sponsor. Spots in future ones are free again. (Those of another order,
    -- which paid for new dates after these were canceled, are not its to revoke.)
    perform 1 from public.sponsorship_dates d where d.weekday_date in
      (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id)
      order by d.weekday_date for update;
    delete from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id
      and s.weekday_date > private.today();
    update public.sponsorships s set paid = false where s.id = bought.sponsorship_id and s.paid;
  end if;
end $$;

-- Whether something was paid for a subscription: its first payment has arrived, which takes days with a bank debit
-- and may fail, or the payment for a change of plan meanwhile. What another subscription of the same order has paid,
-- one that began after this one's payment had failed, doesn't count for this one. A subscription that is older than
-- the orders counts as paid for.
create function private.is_paid_for(sub public.subscriptions) returns boolean
language sql stable security definer set search_path = ''
as $$
  select not exists (select from public.orders o where o.id = sub.order_id
      and (o.paid_at is null or o.stripe_subscription_id <> sub.id))
    or exists (select from public.payments p where p.subscription_id = sub.id and p.cents > p.refunded_cents)
$$;

-- How long after the start of a period its bill may still be a draft: Stripe charges it an hour later; up to three days later
-- while an endpoint of the account doesn't take `invoice.created`, or where its settings say so.
create function private.longest_draft() returns interval
language sql immutable set search_path = ''
as $$ select interval '74 hours' $$;

-- Until when a plan is paid for, and goes on when it is stopped. Null when it ends at once, and while no one knows:
-- its period has just begun, and no payment for it is recorded, so its bill may still be a draft, which isn't
-- charged for a plan that is stopped; or its period is over, and Stripe has not reported yet what followed. (A bank
-- debit that is on its way can't be called back, and a plan that was never charged here is older than the orders.)
-- Only the newest period counts: what was paid for a year may have become the credit of a plan that is billed each
-- month since.
create function private.paid_until(s public.subscriptions) returns timestamptz
language sql stable security definer set search_path = ''
as $$
  select case when s.status in ('active', 'trialing') and least(s.ends_at, s.period_to) > now() and (s.awaits_payment
      or coalesce(s.period_from <= now() - private.longest_draft(), true)
      or coalesce((select p.period_to from public.payments p where p.subscription_id = s.id
        order by p.period_from desc nulls last, p.paid_at desc limit 1) > s.period_from, true))
    then least(s.ends_at, s.period_to) end
$$;

-- Whether what was paid for a plan's present period was refunded in full, or returned by a bank after a dispute: its
-- payer isn't told that it isn't refunded.
create function private.period_is_returned(s public.subscriptions) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce((select p.cents > 0 and (p.refunded_cents >= p.cents or p.dispute is not distinct from 'lost')
    from public.payments p where p.subscription_id = s.id
    order by p.period_from desc nulls last, p.paid_at desc limit 1), false)
$$;

-- Whether a subscription keeps its listing Featured: while it is live, and once it is paid for and not to be refunded.
create function private.keeps_featured(sub public.subscriptions) returns boolean
language sql stable security definer set search_path = ''
as $$ select not sub.surplus and private.subscription_is_live(sub.status) and private.is_paid_for(sub) $$;

-- A listing is featured while one of its subscriptions keeps it so. A subscription that was never live is ignored, and so
-- is a surplus one, unless the listing names it: it was not surplus when it featured the listing. The customer is stored
-- only while it is the owner who pays: after a change of the owner, the subscription of the previous one continues, and
-- its customer is not the next one's. What an admin has featured by hand since its subscription ended, or was paused, stays
-- so: a subscription that was not live has nothing to take away. True when the listing had to be corrected.
create function private.update_featured(place bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.places p set premium = s.featured or s.by_hand,
      premium_created_at = case when s.by_hand and not s.featured then p.premium_created_at else s.started_at end,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when s.live then s.ends_at end
  from (
    select f.*, private.keeps_featured(f) as featured, private.subscription_is_live(f.status) as live,
      coalesce(l.premium and not private.subscription_is_live(l.subscription_status), false) as by_hand
    from public.subscriptions f join public.places l on l.id = f.place_id
    where f.place_id = place and f.status not in ('incomplete', 'incomplete_expired')
      and (not f.surplus or f.id = l.stripe_subscription_id)
    order by private.keeps_featured(f) desc, f.surplus, private.subscription_is_live(f.status) desc, f.started_at desc,
      f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (s.featured or s.by_hand,
        case when s.by_hand and not s.featured then p.premium_created_at else s.started_at end,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when s.live then s.ends_at end);
  return found;
end $$;

-- A buyer cancels newsletters that they paid for, until the deadline that the team set, or had set when they paid: a day
-- that is over everywhere on Earth at noon UTC of the next one.
-- The spots are free at once, and their share of what was paid is refunded: what remains paid is the share of the
-- dates that remain. Of an order without dates left the rest is refunded, and it is unpaid again. Returns the order.
create function private.cancel_sponsorship_dates(sponsorship_id bigint, dates date[]) returns uuid
language plpgsql volatile security definer set search_path = '' set lock_timeout = '2s'
as $$
declare
  item public.sponsorships;
  bought public.orders;
  paid public.payments;
  wanted date[];
  before integer;
  -- How many of those to come stay booked.
  kept integer;
  share bigint;
  remaining bigint;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  if not exists (select from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id()) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif cardinality(dates) > 104 then
    perform private.refuse('dates_not_booked', 'dates');
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
        or d < private.first_open_day() + private.cancellation_days(item.id)) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('cancellation_disputed');
  end if;
  -- (Newsletters that went out for an earlier order, which was refunded, are none of this one.)
  select count(*), count(*) filter (where s.weekday_date > private.today() and s.weekday_date <> all (wanted)) into before, kept
    from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (item.sponsorship_dates);
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  remaining := private.refundable_cents(paid.id);
  -- Refunded in full, the order would lose its other newsletters, too. (Those that were sent, it can't lose.)
  if kept > 0 and share > 0 and share >= remaining then
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
end $$;
create function public.cancel_sponsorship_dates(sponsorship_id bigint, dates date[]) returns uuid
language sql volatile set search_path = ''
as $$ select private.cancel_sponsorship_dates(sponsorship_id, dates) $$;

-- What ends a plan at its payer's request: 'account', the deletion of their account, or 'listing', the removal of
-- their listing. Null when they have asked for neither. (See 17_removed_listings.sql.)
create function private.plan_leaves_with(s public.subscriptions) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- That of the only admin waits until there is another.
  if exists (select from private.account_deletions d where d.user_id = s.owner and not private.is_last_admin(d.user_id)) then
    return 'account';
  elsif exists (select from public.places p where p.id = s.place_id and p.owner = s.owner and p.archive_requested
    and p.status <> 'archived') then
    return 'listing';
  end if;
  return null;
end $$;

-- Whether a plan is charged again: its listing wasn't removed, and its payer hasn't asked for what ends it. (In plpgsql,
-- because is_charged_again comes later.)
create function private.plan_goes_on(s public.subscriptions) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return private.is_charged_again(s) and private.plan_leaves_with(s) is null
    and exists (select from public.places p where p.id = s.place_id and p.status <> 'archived');
end $$;

-- Whether anything is still charged to the customer of a plan, for this one or another, so that their credit is used.
create function private.uses_credit(s public.subscriptions) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.subscriptions o
    where o.stripe_customer_id = s.stripe_customer_id and o.status <> 'unpaid' and private.plan_goes_on(o))
$$;

-- The plan of one of the caller's listings: its latest subscription, as private.update_featured chooses it, also
-- after it has ended. What it costs is only for the account that pays. Null when there was none.
create function private.my_plan(place_id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select case when s.owner = private.user_id()
      then jsonb_build_object('mine', true, 'status', s.status, 'live', private.subscription_is_live(s.status),
        'plan', s.plan, 'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
        'paid_until', private.paid_until(s), 'next_attempt_at', s.next_attempt_at, 'subscription', s.id, 'credit_cents', s.credit_cents,
        'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment,
        'paid', private.is_paid_for(s), 'leaves_with', private.plan_leaves_with(s),
        'returned', private.period_is_returned(s), 'credit_used', private.uses_credit(s))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.keeps_featured(s) desc, private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$$;
create function public.my_plan(place_id bigint) returns jsonb
language sql stable set search_path = ''
as $$ select private.my_plan(place_id) $$;

-- The running plans that the caller pays for listings that are not theirs anymore, to cancel them; and whether the
-- listing was removed from the directory, so that the plan can't go on.
create function private.my_plans_of_others() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'paid_until', private.paid_until(s),
      'credit_cents', s.credit_cents, 'credit_used', private.uses_credit(s),
      'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment, 'status', s.status, 'removed', p.status = 'archived',
      'paid', private.is_paid_for(s),
      'leaves_with', private.plan_leaves_with(s)) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and (private.subscription_is_live(s.status) or s.status = 'paused')
$$;
create function public.my_plans_of_others() returns jsonb
language sql stable set search_path = ''
as $$ select private.my_plans_of_others() $$;

-- When listings get another owner, or none: what the previous one held or had begun to pay for them is released.
-- Newsletter spots that are held are free again, and unpaid orders are canceled: of the listing, of its sponsorships,
-- and for more days of jobs that have gone with it. If one is paid anyway, fulfill_order has it refunded, or adds the
-- days to the job. It handles all listings of a statement at once, and locks them as lock_order_item does. A new
-- owner who pays for the listing's plan, such as one who gets the listing back, can manage the plan again, because
-- the listing gets their customer back.
create function private.release_orders() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  left_by_owner constant bigint[] := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where o.owner is not null and n.owner is distinct from o.owner);
begin
  perform private.update_featured(n.id) from new_rows n join old_rows o on o.id = n.id
    where n.owner is distinct from o.owner and n.owner is not null;
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

-- When the money of a payment arrived, of the facts as record_payments has them. A bank debit is charged days before.
create function private.arrived_at(fact jsonb) returns timestamptz
language sql stable set search_path = ''
as $$ select coalesce(fact ->> 'arrived_at', fact ->> 'paid_at')::timestamptz $$;

-- Whether it arrived for a plan that had ended, as a bank debit can: no one has anything of it, so it is refunded.
create function private.arrived_late(fact jsonb, ended_at timestamptz) returns boolean
language sql stable set search_path = ''
as $$ select coalesce((fact ->> 'cents')::bigint > 0 and private.arrived_at(fact) > ended_at, false) $$;

-- Writes payments of an order, or of a subscription without one, with their refunds and disputes. The first one
-- of an order has its receipt; a later one of a subscription gets an email of its own, unless it is old news.
--   facts  [{id, invoice, number, reason, plan, cents, tax_cents, credit_cents (what credit has paid besides; absent for
--            none), currency, paid_at, arrived_at, period_from, period_to,
--            dispute: {state, cents, opened_at, closed_at} or null,
--            refunds: [{id, cents, status, made_at, refund, attempt}] or null}]
--          refund and attempt name a row of public.refunds; refunds are absent when they were not read
--   ended_at when the subscription ended, if it has
-- True when something changed.
create function private.record_payments(
  of_order public.orders, of_subscription text, ended_at timestamptz, facts jsonb) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  payer constant uuid := coalesce(of_order.owner,
    (select s.owner from public.subscriptions s where s.id = of_subscription));
  known_subscription constant text := (select s.id from public.subscriptions s where s.id = of_subscription);
  fact jsonb;
  before public.payments;
  after public.payments;
  about jsonb;
  arrived timestamptz;
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
    arrived := private.arrived_at(fact);
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
    -- (What was paid before the end is recorded late, too, as by the first reconciliation.)
    if before.id is null and of_order.id is not null and private.arrived_late(fact, ended_at) then
      perform private.add_refund(after.id, null, case when payer is null then 'canceled' else 'changed' end);
    elsif before.id is null and after.reason <> 'purchase' and arrived > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from, 'to', after.period_to)
        || coalesce((select private.plan_facts(s) || jsonb_build_object('credit', s.credit_cents,
            -- A bank debit can arrive after that.
            'ended', s.status in ('canceled', 'incomplete_expired'),
            -- As with a discount for all of it.
            'free', coalesce(s.cents = 0, false))
          from public.subscriptions s where s.id = of_subscription), '{}');
      if after.reason = 'renewal' then
        perform private.enqueue_email(payer, null, 'subscription-renewed', 'subscription-renewed:' || after.id, about);
      else
        perform private.enqueue_email(payer, null, 'plan-changed', 'plan-changed:' || after.id, about);
      end if;
    end if;
    -- A returned bank debit is lost at once, without a dispute that could be answered. (Not when a first reconciliation
    -- records old ones.)
    if (after.dispute = 'open' and before.dispute is distinct from 'open')
      or (after.dispute = 'lost' and before.dispute is null and after.disputed_at > now() - interval '30 days') then
      perform private.enqueue_team_email('payment-disputed', 'payment-disputed:' || after.id,
        jsonb_build_object('order', after.order_id, 'kind', after.kind, 'cents', after.disputed_cents,
          'lost', after.dispute = 'lost', 'continues', exists (select from public.subscriptions s
            where s.id = after.subscription_id and private.plan_goes_on(s))));
    end if;
  end loop;
  return any_changed;
end $$;

-- Writes the refunds of a payment as the provider has them. Its buyer gets one email for each; the team, when one
-- fails. A requested refund that does not fit anymore, because the payment was refunded elsewhere, is canceled. For
-- newsletters that a buyer has canceled, they get back as much as is left. A refund that failed is canceled, too,
-- when the team makes one of the same amount: otherwise it would be made twice.
create function private.record_refunds(payment text, facts jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
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
          jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason,
            -- With the last cent, the order loses what it bought (revoke_order); but a plan goes on.
            'full', after.reason in ('team', 'elsewhere') and paid.cents <= (select sum(r.cents) from public.refunds r
              where r.payment_id = payment and r.status in ('pending', 'succeeded')),
            'continues', exists (select from public.subscriptions s
              where s.id = paid.subscription_id and private.plan_goes_on(s))));
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
end $$;

-- The listing whose owner pays for a subscription that knows no payer: one that is older than the orders, while the
-- listing has its customer. Null otherwise, because emails to an account that was deleted go to no one else.
create function private.plan_mail_place(sub public.subscriptions) returns bigint
language sql stable security definer set search_path = ''
as $$
  select p.id from public.places p
    where p.id = sub.place_id and sub.order_id is null and p.stripe_cus_id = sub.stripe_customer_id
$$;

-- Whether a plan's first payment has not arrived, and its listing has gone to someone else: what it pays is refunded
-- (fulfill_order), and the plan ends.
create function private.has_left_unpaid(s public.subscriptions) returns boolean
language sql stable security definer set search_path = ''
as $$
  select s.owner is not null and not s.surplus and not private.is_paid_for(s)
    and exists (select from public.places p where p.id = s.place_id and p.owner is distinct from s.owner)
$$;

-- Queues the emails to the payer of a subscription when it changes: each once, and only if it is still true.
create function private.enqueue_subscription_emails(was public.subscriptions, is_now public.subscriptions,
  facts jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  was_live constant boolean := coalesce(private.subscription_is_live(was.status), false);
  live constant boolean := private.subscription_is_live(is_now.status);
  mail_place constant bigint := private.plan_mail_place(is_now);
  about constant jsonb := private.plan_facts(is_now);
  has_left constant boolean := private.has_left_unpaid(is_now);
begin
  if is_now.surplus or private.enqueue_stopped_plan(was, is_now, coalesce((facts ->> 'by_us')::boolean, false)) then
    return;
  end if;
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore, and doesn't go on. Nor is the
  -- first payment for a listing that isn't theirs anymore: plans_to_stop.)
  if is_now.status in ('past_due', 'paused') and private.plan_leaves_with(is_now) is null
    and not (is_now.status = 'past_due' and has_left)
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    if is_now.status = 'past_due' then
      perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
        'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
        about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
    elsif was.status <> 'paused' then
      perform private.enqueue_email(is_now.owner, mail_place, 'plan-paused', format('plan-paused:%s:%s', is_now.id, is_now.seen), about);
    end if;
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due',
        'awaited', not private.is_paid_for(is_now), 'awaits_renewal', is_now.awaits_payment, 'leaves_with', private.plan_leaves_with(is_now),
        'left', has_left));
  -- (A plan that is paused goes on later, and is charged then.)
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired', 'paused')
    and (was_live or was.status = 'paused' or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false), 'awaits', is_now.awaits_payment, 'left', has_left,
        'again', private.plan_leaves_with(is_now) is null
          and exists (select from public.places p where p.id = is_now.place_id and p.status not in ('archived', 'flagged'))));
  end if;
end $$;

-- Queues the email to the owner of a listing that someone else's plan kept Featured until now, such as a former owner's:
-- the emails about that plan go to its payer. (Of a plan that is older than the orders, and whose payer isn't known, the
-- listing's owner is that payer.)
create function private.enqueue_featured_ended(sub public.subscriptions) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enqueue_email(p.owner, null, 'featured-ended', format('featured-ended:%s:%s', sub.id, sub.seen),
      jsonb_build_object('place_id', p.id, 'name', private.approved_name(p.id)))
    from public.places p
    where p.id = sub.place_id and not p.premium and p.status <> 'archived' and p.owner is distinct from sub.owner
      and (sub.owner is not null or sub.order_id is not null)
$$;

-- Notifies the payers of longer plans seven days before the next period is charged, and those who have paid for a
-- newsletter that their listing is left out of.
create function private.enqueue_renewal_notices() returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enqueue_unseen_features();
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to,
        'credit', s.credit_cents, 'plus_tax', s.plus_tax))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and private.plan_leaves_with(s) is null and s.period_to > now() and s.period_to <= now() + interval '7 days'
$$;
create function public.enqueue_renewal_notices() returns void
language sql volatile set search_path = ''
as $$ select private.enqueue_renewal_notices() $$;

-- Records what the payment provider says about an order (or about a subscription without one), with
-- everything that follows from it, in one transaction with the event that reported it.
--   seen   as payment_target returned it, before the provider was asked
--   facts  session: {id, state, subtotal_cents, paid_cents, currency, payment_intent, customer,
--            receipt_url}, where state is open, processing, paid, failed or expired
--          subscription: {id, status, customer, started_at, ends_at, canceled_at, ended_at, by_customer, by_us,
--            plan, cents, months, period_from, period_to, next_attempt_at, credit_cents, plus_tax,
--            awaits_payment}
--          payments: those that were read, as private.record_payments takes them
--          A fact that is absent changes nothing.
--   event  {id, type, object, created}, or null
-- Returns {again: true} when something changed since `seen`; then the provider has to be asked
-- again. Otherwise {order, was, status, subscription, changed, bought, refund_due, close, lost}: bought
-- (owner, cents, currency) only for the call that made it paid; close lists checkouts of the same
-- item that may still be open; lost (invoice, cents, period_to), payments for bills whose dispute this call found lost.
create function private.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb,
  event jsonb)
returns jsonb
language plpgsql volatile security definer set search_path = '' set lock_timeout = '700ms'
as $$
declare
  session constant jsonb := nullif(facts -> 'session', 'null');
  state constant text := session ->> 'state';
  sub constant jsonb := nullif(facts -> 'subscription', 'null');
  purchases constant jsonb := jsonb_path_query_array(coalesce(facts -> 'payments', '[]'), '$[*] ? (@.reason == "purchase")');
  -- Nothing was ever Featured for it.
  late constant boolean := exists (select from jsonb_array_elements(purchases) paid
    where private.arrived_late(paid, (sub ->> 'ended_at')::timestamptz));
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  was_featured boolean;
  featured_changed boolean := false;
  payments_changed boolean := false;
  dispute text;
  lost_cents bigint;
  not_lost text[] := '{}';
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
    elsif was.paid_at is null and not late then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time, or late, when it may be on its way again: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates, opened_at, cancellation_days)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid',
        case when was.paid_at is null then 'changed' else 'paid-twice' end, now(), session ->> 'id',
        was.item_name, was.item_dates, was.opened_at, was.cancellation_days)
      returning * into was;
      now_is := was;
    end if;
  end if;

  if session is not null and is_current then
    now_is.stripe_customer_id := coalesce(session ->> 'customer', now_is.stripe_customer_id);
    now_is.stripe_payment_intent_id := coalesce(session ->> 'payment_intent',
      now_is.stripe_payment_intent_id);
    now_is.stripe_subscription_id := coalesce(sub ->> 'id', now_is.stripe_subscription_id);
    if state <> 'open' then
      now_is.expires_at := null;
    end if;
    if state = 'paid' then
      -- What was charged: the amount of the session is that of before the customer's credit.
      now_is.amount_paid_cents := coalesce(was.amount_paid_cents,
        (select sum((paid ->> 'cents')::bigint) from jsonb_array_elements(purchases) paid),
        (session ->> 'paid_cents')::bigint);
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          when late and was.owner is not null then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          if was.sponsorship_id is not null then
            -- Its buyer may have changed it since, at the same price: what was booked is what they have bought.
            select s.sponsorship_dates, left(p.name, 300) into now_is.item_dates, now_is.item_name
              from public.sponsorships s join public.places p on p.id = s.place_id where s.id = was.sponsorship_id;
          end if;
          -- Other open orders for the same item must not be paid any more.
          update public.orders o set status = 'canceled', seen = o.seen + 1
            where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id
              or o.place_id = was.place_id)
              and o.id <> was.id and o.paid_at is null and o.status <> 'canceled';
          perform private.enqueue_email(was.owner, null, 'order-receipt', 'order-receipt:' || was.id,
            jsonb_build_object(
            'order', was.id, 'kind', was.kind, 'quantity', was.quantity, 'cents', now_is.amount_paid_cents,
            'receipt_url', session ->> 'receipt_url'));
        else
          -- (What was charged has a refund with an email of its own.)
          perform private.enqueue_email(was.owner, null, 'payment-returned', format('payment-returned:%s:credit', was.id),
              jsonb_build_object('kind', was.kind, 'cents', used.cents, 'reason', now_is.refund_reason, 'credit', true))
            from (select sum((paid ->> 'credit_cents')::bigint) as cents from jsonb_array_elements(purchases) paid) used
            where used.cents > 0;
        end if;
      end if;
    elsif was.paid_at is null and was.status <> 'canceled' then
      -- No one is asked to pay for a listing that has gone to someone else while the payment was on its way.
      now_is.status := case when state in ('expired', 'failed') and exists (select from public.places p
        where p.id = was.place_id and p.owner is distinct from was.owner) then 'canceled' else state end;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif now_is.status in ('expired', 'failed') and was.status <> state then
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
        -- A plan that is unpaid has emails of its own.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('past_due', 'canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at,
      credit_cents, plus_tax, awaits_payment)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      -- What is refunded may be for another one, which was begun after its first payment had failed.
      now_is.refund_reason is not null and now_is.stripe_subscription_id is not distinct from sub ->> 'id',
      1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz,
      coalesce((sub ->> 'credit_cents')::bigint, 0), coalesce((sub ->> 'plus_tax')::boolean, false),
      coalesce((sub ->> 'awaits_payment')::boolean, false))
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      credit_cents = coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents),
      plus_tax = coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
      awaits_payment = coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment),
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at, s.credit_cents, s.plus_tax,
          s.awaits_payment)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at,
          coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents), coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
          coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment))
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
      update public.subscriptions s set credit_cents = sub_now.credit_cents, seen = s.seen + 1, modified_at = now()
        where s.stripe_customer_id = sub_now.stripe_customer_id and s.credit_cents <> sub_now.credit_cents;
    end if;
  end if;

  -- While the first payment is on its way, and when it has failed, a change of plan may be paid for.
  if now_is.paid_at is not null or (sub is not null and (now_is.id is null
    or exists (select from jsonb_array_elements(facts -> 'payments') paid where paid ->> 'reason' <> 'purchase'))) then
    not_lost := array(select p.id from public.payments p
      where p.id in (select paid ->> 'id' from jsonb_array_elements(facts -> 'payments') paid)
        and p.dispute is distinct from 'lost');
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      (sub ->> 'ended_at')::timestamptz, coalesce(facts -> 'payments', '[]'));
  end if;
  if now_is.paid_at is not null and exists (select from public.payments p where p.order_id = now_is.id) then
    if now_is.refund_reason is not null then
      perform private.add_refund(p.id, null, now_is.refund_reason) from public.payments p
        where p.order_id = now_is.id and p.cents > 0 and p.dispute is distinct from 'open'
          and p.dispute is distinct from 'lost'
          -- One that failed is tried again, and not made a second time.
          and not exists (select from public.refunds r where r.payment_id = p.id and r.status = 'failed');
    end if;
    select coalesce(sum(p.refunded_cents), 0), coalesce(sum(p.disputed_cents) filter (where p.dispute = 'lost'), 0),
        case when bool_or(p.dispute = 'lost') then 'lost' when bool_or(p.dispute = 'open') then 'open' end
      into now_is.amount_refunded_cents, lost_cents, dispute
      from public.payments p where p.order_id = now_is.id and p.reason = 'purchase';
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when dispute is not null then 'disputed'
      else 'paid' end;
    -- What was lost in part is still paid for in part, as after a refund in part.
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or (dispute = 'lost'
        and now_is.amount_refunded_cents + lost_cents >= now_is.amount_paid_cents)) then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
      -- (A refund has an email of its own.)
      if now_is.status <> 'refunded' and now_is.owner is not null then
        perform private.enqueue_email(now_is.owner, null, 'payment-returned',
          format('payment-returned:%s:dispute', now_is.id),
          jsonb_build_object('kind', now_is.kind, 'cents', lost_cents, 'paid', now_is.amount_paid_cents,
            'reason', 'dispute', 'full', true,
            'continues', exists (select from public.subscriptions s
              where s.order_id = now_is.id and private.plan_goes_on(s))));
      end if;
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null or payments_changed) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen, item_dates = now_is.item_dates, item_name = now_is.item_name,
        amount_paid_cents = now_is.amount_paid_cents, amount_refunded_cents = now_is.amount_refunded_cents,
        refund_reason = now_is.refund_reason, revoked_at = now_is.revoked_at,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  elsif now_is.id is null and payments_changed and sub_now.id is null then
    update public.subscriptions s set seen = s.seen + 1 where s.id = subscription_id;
  end if;
  -- Only now, since it depends on whether the order is paid.
  if sub is not null and place is not null then
    select p.premium into was_featured from public.places p where p.id = place;
    featured_changed := private.update_featured(place);
    if was_featured and featured_changed then
      perform private.enqueue_featured_ended(s) from public.subscriptions s where s.id = sub ->> 'id';
    end if;
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed or payments_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'refund_failed', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = now_is.id and r.status = 'failed'),
    'lost', (select coalesce(jsonb_agg(jsonb_build_object('invoice', p.invoice_id, 'cents', p.disputed_cents,
        'period_to', p.period_to)), '[]')
      from public.payments p where p.id = any (not_lost) and p.dispute = 'lost' and p.invoice_id is not null),
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

create trigger t1_audit_insert after insert on public.refunds referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t1_audit_update after update on public.refunds
  referencing old table as old_rows new table as new_rows
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

alter table public.payments enable row level security;
create policy "expect one row" on public.payments as restrictive for select to authenticated
  using (id operator(private.>=!) '');
create policy "read own, or admin" on public.payments for select to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()));

alter table public.refunds enable row level security;
create policy "expect one row" on public.refunds as restrictive for select to authenticated
  using (id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "read own, or admin" on public.refunds for select to authenticated
  using ((select private.is_admin()) or exists (select 1 from public.payments p where p.id = payment_id
    and p.owner = (select private.user_id())));

alter table private.returned_refunds enable row level security;
create policy "no access" on private.returned_refunds for all to anon, authenticated using (false);

alter table public.stripe_events enable row level security;
create policy "no access" on public.stripe_events for all to anon, authenticated using (false);

alter table public.subscriptions enable row level security;
create policy "no access" on public.subscriptions for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select on public.orders to authenticated;
grant select, insert, update on public.orders to service_role;
grant select, insert on public.stripe_events to service_role;
grant select on public.subscriptions to service_role;
grant select on public.payments to authenticated, service_role;
-- Not what an admin wrote about it, nor who requested it.
grant select (id, payment_id, cents, status, reason, created_at) on public.refunds to authenticated;
grant select on public.refunds to service_role;

grant execute on function
  private.my_first_months(),
  private.had_first_month(),
  public.my_first_months(),
  private.my_plan(bigint),
  public.my_plan(bigint),
  private.my_plans_of_others(),
  public.my_plans_of_others(),
  private.my_purchases(),
  public.my_purchases(),
  private.admin_ledger(timestamptz, timestamptz, integer, integer),
  public.admin_ledger(timestamptz, timestamptz, integer, integer),
  private.admin_order(uuid),
  public.admin_order(uuid),
  private.request_refund(uuid, text, bigint, text, text, uuid, bigint),
  public.request_refund(uuid, text, bigint, text, text, uuid, bigint),
  private.cancel_sponsorship_dates(bigint, date[]),
  public.cancel_sponsorship_dates(bigint, date[]),
  private.log_plan_end(uuid),
  public.log_plan_end(uuid)
  to authenticated;

grant execute on function
  private.open_order(uuid, text, bigint, text, integer, text, boolean, integer, text[]),
  public.open_order(uuid, text, bigint, text, integer, text, boolean, integer, text[]),
  private.record_checkout_session(uuid, integer, text, text),
  public.record_checkout_session(uuid, integer, text, text),
  private.payment_target(text, uuid, text, text, text),
  public.payment_target(text, uuid, text, text, text),
  private.record_payment(uuid, text, bigint, jsonb, jsonb),
  public.record_payment(uuid, text, bigint, jsonb, jsonb),
  private.preview_payment(uuid, text, bigint, jsonb),
  public.preview_payment(uuid, text, bigint, jsonb),
  private.enqueue_renewal_notices(),
  public.enqueue_renewal_notices()
  to service_role;

grant execute on function
  private.retry_refund(uuid, integer),
  public.retry_refund(uuid, integer)
  to authenticated, service_role;
