-- Money. An order exists before its checkout and says what was asked, at which price. Only the
-- service writes here: a price must never come from a form, and "paid" only from a verified event.
create table public.orders (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('job', 'sponsorship', 'upgrade')),
  owner uuid references public.profiles (id) on delete set null,
  job_id bigint references public.jobs (id),
  sponsorship_id bigint references public.sponsorships (id),
  place_id bigint references public.places (id),
  plan text check (length(plan) <= 40),
  quantity integer not null default 1 check (quantity between 1 and 104),
  -- For one; in the currency's smallest unit.
  unit_price_cents integer not null check (unit_price_cents between 1 and 100000000),
  price_cents bigint generated always as (unit_price_cents::bigint * quantity) stored,
  currency text not null default 'usd' check (currency ~ '^[a-z]{3}$'),
  status text not null default 'open'
    check (status in ('open', 'processing', 'paid', 'canceled', 'expired', 'failed', 'refunded', 'disputed')),
  -- Raised for each new checkout of the same order; part of the idempotency key.
  attempt integer not null default 1 check (attempt >= 1),
  amount_paid_cents bigint check (amount_paid_cents >= 0),
  amount_refunded_cents bigint not null default 0 check (amount_refunded_cents >= 0),
  coupon text check (length(coupon) <= 100),
  stripe_customer_id text,
  stripe_checkout_session_id text unique,
  stripe_payment_intent_id text unique,
  stripe_subscription_id text,
  receipt_url text check (private.is_web_link(receipt_url)),
  -- When the running checkout ends by itself.
  expires_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  constraint order_names_what_it_is_for check (
    (kind = 'job') = (job_id is not null)
    and (kind = 'sponsorship') = (sponsorship_id is not null)
    and (kind = 'upgrade') = (place_id is not null)
    and (kind = 'upgrade') = (plan is not null)),
  constraint paid_order_says_when check (status not in ('paid', 'refunded', 'disputed') or paid_at is not null)
);
create index orders_owner on public.orders (owner, created_at desc);
create index orders_job on public.orders (job_id);
create index orders_sponsorship on public.orders (sponsorship_id);
create index orders_place on public.orders (place_id);
create index orders_subscription on public.orders (stripe_subscription_id);
create index orders_status on public.orders (status, created_at);

create function private.guard_order() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if (new.kind, new.job_id, new.sponsorship_id, new.place_id) is distinct from
     (old.kind, old.job_id, old.sponsorship_id, old.place_id) then
    raise exception 'An order stays for what it was made for.' using errcode = 'P0001';
  elsif old.paid_at is not null
    and (new.unit_price_cents, new.quantity, new.currency, new.plan)
      is distinct from (old.unit_price_cents, old.quantity, old.currency, old.plan) then
    raise exception 'A paid order keeps its price.' using errcode = 'P0001';
  elsif old.paid_at is not null and new.status not in ('paid', 'refunded', 'disputed') then
    raise exception 'A paid order cannot become unpaid.' using errcode = 'P0001';
  end if;
  new.modified_at := now();
  return new;
end $$;
create trigger guard before update on public.orders
  for each row execute function private.guard_order();
create trigger audit_insert after insert on public.orders referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_update after update on public.orders
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_delete after delete on public.orders referencing old table as old_rows
  for each statement execute function private.write_audit();

-- One row for each event of the payment provider, inserted in the transaction of its effect: the
-- second delivery of an event meets the primary key and does nothing.
create table public.stripe_events (
  id text primary key check (length(id) between 1 and 255),
  type text not null check (length(type) <= 100),
  object_id text check (length(object_id) <= 255),
  created_at timestamptz not null,
  received_at timestamptz not null default now()
);
create index stripe_events_object on public.stripe_events (object_id, created_at);

alter table public.orders enable row level security;
create policy "own or admin" on public.orders for select to authenticated
  using (owner = (select auth.uid()) or (select private.is_admin()));
grant select on public.orders to authenticated;
grant select, insert, update on public.orders to service_role;

alter table public.stripe_events enable row level security;
create policy "nobody" on public.stripe_events for all to anon, authenticated using (false);
grant select, insert on public.stripe_events to service_role;
