-- Newsletter sponsorships. A newsletter is sent each Tuesday and Thursday (UTC) and has a limited number of spots, at
-- most one for each listing. A spot is held for 33 minutes while its order is paid for, then it is paid or free
-- again. A hold begins with a checkout (open_order), never with saving an order, and there is no other way to get
-- one. Every function that takes or frees spots locks the newsletters in the order of their dates, so that buyers,
-- payments and expiring checkouts wait for one another and never deadlock.

-- ---------------------------------------------------------------- what the tables call

-- False for anything that can't be the day of a newsletter, such as infinity, which has no weekday in Postgres.
create function private.is_newsletter_day(day date) returns boolean
language sql immutable set search_path = ''
as $$ select coalesce(day between '2000-01-01' and '9999-12-31' and extract(isodow from day) in (2, 4), false) $$;

-- Newsletters and their days are counted in UTC, everywhere.
create function private.today() returns date
language sql stable set search_path = ''
as $$ select (now() at time zone 'UTC')::date $$;

-- The first day that isn't over everywhere on Earth yet: until noon UTC, yesterday. (getFirstOpenDay in TypeScript)
create function private.first_open_day() returns date
language sql stable set search_path = ''
as $$ select (now() at time zone 'UTC' - interval '12 hours')::date $$;

-- The last day whose newsletter is offered: those of twelve weeks are (WEEKS_AHEAD in TypeScript). The team sees no
-- later ones, and could not block them.
create function private.last_offered_day() returns date
language sql stable set search_path = ''
as $$ select private.today() + 7 * 12 $$;

-- How many sponsors a newsletter has room for.
create function private.spots_per_newsletter() returns integer
language sql immutable set search_path = ''
as $$ select 10 $$;

-- Until how many days before a newsletter its sponsors can cancel it: what the team set, or three. For a paid order
-- of this buyer's, it is what was promised when its checkout was opened, if that is later: the team takes back no
-- right that someone has paid for.
create function private.cancellation_days_of(sponsorship_id bigint, buyer uuid) returns integer
language plpgsql stable security definer set search_path = ''
as $$
begin
  return least(
    coalesce((select s.days from private.settings s where s.name = 'cancellation_days'), 3),
    (select o.cancellation_days from public.orders o
      where o.sponsorship_id = cancellation_days_of.sponsorship_id and o.owner = cancellation_days_of.buyer
        and o.paid_at is not null and o.refund_reason is null
      order by o.paid_at desc limit 1));
end $$;
-- The same for an order of the caller's.
create function private.cancellation_days(sponsorship_id bigint) returns integer
language sql stable security definer set search_path = ''
as $$ select private.cancellation_days_of(sponsorship_id, private.user_id()) $$;
create function public.cancellation_days(sponsorship_id bigint default null) returns integer
language sql stable set search_path = ''
as $$ select private.cancellation_days(sponsorship_id) $$;

-- How many newsletter dates one account may hold at a time, in all its orders: those of four weeks. A
-- buyer who wants more pays for these first.
create function private.max_held_dates() returns integer
language sql immutable set search_path = ''
as $$ select 8 $$;

-- ---------------------------------------------------------------- tables

create table public.sponsorships (
  id bigint generated always as identity primary key,
  place_id bigint not null references public.places (id),
  promo_text text not null check (length(btrim(promo_text)) >= 1 and length(btrim(promo_text)) <= 3000
    and private.count_characters(btrim(promo_text)) <= 300),
  link text check (private.is_web_link(link)),
  location text check (length(location) <= 300),
  photo_location text check (length(photo_location) <= 2000),
  -- Dollars per newsletter, at most two decimals. More are refused, not rounded; so is NaN.
  rate numeric not null default 45 check (rate between 1 and 100000 and rate = round(rate, 2)),
  sponsorship_dates date[] not null default '{}'
    check (cardinality(sponsorship_dates) <= 104 and array_position(sponsorship_dates, null) is null),
  -- Computed here, so that a form cannot send it.
  order_total numeric generated always as (rate * cardinality(sponsorship_dates)) stored,
  owner uuid references public.profiles (id) on delete set null,
  paid boolean not null default false,
  submission_id uuid,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  unique (owner, submission_id),
  constraint sponsorship_dates_are_finite check ('-infinity' <> all (sponsorship_dates)
    and 'infinity' <> all (sponsorship_dates) and isfinite(created_at) and isfinite(modified_at))
);
create index sponsorships_owner on public.sponsorships (owner, created_at desc, id desc);
create index sponsorships_place on public.sponsorships (place_id);
create index sponsorships_newest on public.sponsorships (created_at desc, id desc);

-- One row per newsletter that someone asked for. One buyer too many violates the check, whatever else goes wrong.
-- Counts are changed only by the functions below, with the row locked.
create table public.sponsorship_dates (
  weekday_date date primary key check (private.is_newsletter_day(weekday_date)),
  held_count integer not null default 0 check (held_count >= 0),
  paid_count integer not null default 0 check (paid_count >= 0),
  -- An admin offers no spots in this newsletter.
  blocked boolean not null default false,
  constraint newsletter_date_is_finite check (isfinite(weekday_date)),
  constraint enough_spots check (held_count + paid_count <= private.spots_per_newsletter())
);

-- A spot: held for 33 minutes (the shortest checkout takes 30), then paid, or free again.
create table public.sponsorship_spots (
  sponsorship_id bigint not null references public.sponsorships (id) on delete cascade,
  weekday_date date not null references public.sponsorship_dates (weekday_date),
  -- Null once paid.
  held_until timestamptz,
  primary key (sponsorship_id, weekday_date)
);
create index sponsorship_spots_date on public.sponsorship_spots (weekday_date, held_until);

-- Which newsletters were held for a listing lately, in whatever order: a hold can be renewed once, and
-- another one begins a day after it ended at the earliest. Releasing the spots does not change it;
-- paying for them deletes it.
create table private.newsletter_holds (
  place_id bigint not null references public.places (id) on delete cascade,
  weekday_date date not null references public.sponsorship_dates (weekday_date) on delete cascade,
  held_until timestamptz not null,
  renewed boolean not null default false,
  primary key (place_id, weekday_date)
);
create index newsletter_holds_date on private.newsletter_holds (weekday_date);

-- ---------------------------------------------------------------- functions

-- While a payment is open, the order it was opened for stays the same, so that no one pays an old
-- price for other dates. Security definer, because it must see the orders of every buyer.
create function private.validate_no_open_payment(sponsorship bigint) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (select 1 from public.orders o where o.sponsorship_id = sponsorship
    and (o.status = 'processing' or (o.status = 'open' and o.stripe_checkout_session_id is not null
      and o.expires_at > now()))) then
    perform private.refuse('payment_open');
  end if;
end $$;

create function private.guard_sponsorship() returns trigger
language plpgsql set search_path = ''
as $$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    -- Also when it was refunded: what a newsletter said stays on record.
    if by_owner and exists (select 1 from public.sponsorship_spots s where s.sponsorship_id = old.id
      and s.held_until is null and s.weekday_date <= private.today()) then
      perform private.refuse('sponsorship_was_sent');
    end if;
    -- Its newsletters would have to be locked here, while the caller's filter, which can be slow, goes on with other
    -- rows: no one else could book, pay for, or cancel a spot in them. release_sponsorship_dates frees the spots before.
    if by_owner and exists (select from public.sponsorship_spots s where s.sponsorship_id = old.id) then
      perform private.refuse('order_holds_spots');
    elsif api then
      perform private.lock_newsletters_of_deleted(old.id);
    end if;
    return old;
  end if;
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.sponsorship_dates) > 104);
  new := private.with_one_line(new, 'link', 'location', 'photo_location');
  new.promo_text := private.many_lines(new.promo_text);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
    end if;
    if api then
      new.paid := false;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if api then
      -- It stays its buyer's until their account is deleted, also for an admin.
      if new.owner is not null or exists (select from public.profiles p where p.id = old.owner) then
        new.owner := old.owner;
      end if;
      new.paid := old.paid;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if old.paid and (new.rate, new.sponsorship_dates, new.place_id)
        is distinct from (old.rate, old.sponsorship_dates, old.place_id) then
        perform private.refuse('sponsorship_paid');
      end if;
    end if;
    -- It is generated after this trigger. Equal here, so that an unchanged row is recognized.
    new.order_total := old.order_total;
    if new is not distinct from old then
      return new;
    end if;
    if by_owner then
      -- What a newsletter has said stays on record.
      if (old.paid and private.today() >= all (new.sponsorship_dates))
        -- (Also when it was refunded. Other dates can be paid for then, with the same words.)
        or ((new.promo_text, new.link, new.location, new.photo_location, new.place_id)
            is distinct from (old.promo_text, old.link, old.location, old.photo_location, old.place_id)
          and (select max(s.weekday_date) from public.sponsorship_spots s
            where s.sponsorship_id = old.id and s.held_until is null) <= private.today()) then
        perform private.refuse('sponsorship_was_sent');
      end if;
      perform private.limit_account_changes('too_many_order_changes');
      perform private.limit_large_change('too_many_order_changes', pg_column_size(new));
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  if by_owner and (tg_op = 'INSERT' or new.place_id <> old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('sponsorship_place_not_yours', 'place_id');
  elsif by_owner and old.paid and new.place_id <> all (private.managed_places())
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    -- What a newsletter says about a business is not for someone to change who has left it.
    perform private.refuse('sponsored_listing_left');
  end if;
  if tg_op = 'INSERT' or new.sponsorship_dates <> old.sponsorship_dates then
    select coalesce(array_agg(distinct d order by d), '{}') into new.sponsorship_dates
      from unnest(new.sponsorship_dates) d;
    if exists (select 1 from unnest(new.sponsorship_dates) d where not private.is_newsletter_day(d)) then
      perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
    elsif api and exists (select 1 from unnest(new.sponsorship_dates) d where d <= private.today()
      and (tg_op = 'INSERT' or d <> all (old.sponsorship_dates))) then
      perform private.refuse('newsletter_date_past', 'sponsorship_dates');
    end if;
  end if;
  if tg_op = 'UPDATE' and api
    and (old.rate, old.sponsorship_dates, old.place_id)
      is distinct from (new.rate, new.sponsorship_dates, new.place_id) then
    perform private.validate_no_open_payment(old.id);
  end if;
  return new;
end $$;

create function private.guard_newsletter() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.require_rights(not private.from_api() or private.is_admin());
  return new;
end $$;

-- An admin closed a newsletter to sponsors, or opened it again. (The counts, which change with each sale, are
-- not logged.)
create function private.log_blocked_newsletter() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.log_action(case when new.blocked then 'block' else 'unblock' end, 'sponsorship_dates',
    new.weekday_date::text, jsonb_build_object('blocked', new.blocked));
  return null;
end $$;

-- The sponsorship is paid for: its owner gets one email.
create function private.enqueue_sponsorship_email() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enqueue_email(new.owner, null, 'sponsorship-confirmed', 'sponsorship-confirmed:' || new.id || ':'
    || new.version,
    jsonb_build_object('sponsorship_id', new.id, 'dates', to_jsonb(new.sponsorship_dates), 'total',
      new.order_total::text,
      'business', private.approved_name(new.place_id)));
  return null;
end $$;

-- Emails the buyer of newsletters that are still to come, or of an order that isn't paid for, when an admin changes what
-- they will say, or adds an order for someone: it is read as the buyer's words.
create function private.email_sponsor() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.owner <> private.user_id()
    and (tg_op = 'INSERT' or not old.paid or private.today() < any (new.sponsorship_dates)) then
    perform private.enqueue_email(new.owner, null, 'feature-edited', format('feature-edited:%s:%s', new.id, new.version),
      case when old.paid then '{}' else '{"unpaid": true}'::jsonb end
      || case when tg_op = 'INSERT' then '{"added": true}' else '{}'::jsonb end
      || jsonb_build_object('sponsorship_id', new.id, 'business', coalesce(
        (select private.approved_name(p.id) from public.places p where p.id = new.place_id and p.owner = new.owner),
        -- Of what became of a listing since, its former owner learns nothing.
        (select max(o.item_name) from public.orders o where o.sponsorship_id = new.id and o.paid_at is not null),
        'a listing')));
  end if;
  return null;
end $$;

-- The counts of a newsletter follow its spots, however they are deleted.
create function private.free_spots() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.sponsorship_dates d
    set held_count = d.held_count - g.held, paid_count = d.paid_count - g.paid
    from (select weekday_date, count(held_until)::integer as held,
            (count(*) - count(held_until))::integer as paid
          from old_rows group by weekday_date) g
    where d.weekday_date = g.weekday_date;
  return null;
end $$;

-- Locks newsletters in the order of their dates.
create function private.lock_newsletters(days date[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.sponsorship_dates (weekday_date) select distinct d from unnest(days) d order by d
    on conflict do nothing;
  perform 1 from public.sponsorship_dates d where d.weekday_date = any (days)
    order by d.weekday_date for update;
end $$;

-- The same for those of an order that an admin is about to delete, which frees its spots, also those whose hold has ended.
-- Buyers lock newsletters before they touch such spots.
create function private.lock_newsletters_of_deleted(sponsorship bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.lock_newsletters(array(
    select s.weekday_date from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
    where o.id = sponsorship and private.is_admin()));
end $$;

-- Why an order can't have a spot in a newsletter, or "held" when it has one or can have it:
--   blocked, past   not offered (yet, or anymore), also to money that comes too late
--   full            there is no room
--   duplicate       its listing has a spot already, in another order
-- The newsletter is locked by the caller. held_before has the dates that the order itself held until
-- now: what it held is not taken from it when it is paid for.
create function private.spot_outcome(item public.sponsorships, day date, permanent boolean,
  held_before date[])
returns text
language sql stable security definer set search_path = ''
as $$
  select case
      when exists (select 1 from public.sponsorship_spots s
        where s.sponsorship_id = item.id and s.weekday_date = day)
        -- What was sent is not for sale again, also after it was refunded.
        and (permanent or day > private.today()) then 'held'
      when d.blocked or (not permanent and day > private.last_offered_day()) then 'blocked'
      when d.weekday_date <= private.today() then 'past'
      when not (permanent and day = any (held_before)) and exists (
        select 1 from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
        where s.weekday_date = day and o.place_id = item.place_id) then 'duplicate'
      when d.held_count + d.paid_count >= private.spots_per_newsletter() then 'full'
      else 'held'
    end
  from public.sponsorship_dates d where d.weekday_date = day
$$;

-- Takes the spots of a sponsorship, or none of them. The result names each date with its
-- private.spot_outcome; either all dates are held or none. They are held for 33 minutes from now.
-- When permanent, the spots become paid, and a paid spot is never given up. Whether the buyer may
-- hold them is for private.hold_spots to decide.
create function private.reserve_spots(sponsorship bigint, permanent boolean)
returns table (weekday_date date, outcome text)
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  order_row public.sponsorships;
  dates date[];
  held_before date[];
  outcomes jsonb;
begin
  select * into order_row from public.sponsorships s where s.id = sponsorship for update;
  dates := order_row.sponsorship_dates;
  perform private.lock_newsletters(array(select unnest(dates)
    union select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = sponsorship));
  -- Expired holds on these dates are free, and so are this order's own, which are taken again.
  with freed as (
    delete from public.sponsorship_spots s
      where s.held_until is not null
        and ((s.weekday_date = any (dates) and s.held_until <= now()) or s.sponsorship_id = sponsorship)
    returning s.sponsorship_id, s.weekday_date, s.held_until
  )
  select coalesce(array_agg(f.weekday_date), '{}') into held_before from freed f
    where f.sponsorship_id = sponsorship and f.held_until > now();

  select coalesce(jsonb_object_agg(day, private.spot_outcome(order_row, day, permanent, held_before)), '{}')
    into outcomes from unnest(dates) day;
  if not exists (select 1 from jsonb_each_text(outcomes) o where o.value <> 'held') then
    with taken as (
      insert into public.sponsorship_spots (sponsorship_id, weekday_date, held_until)
      select sponsorship, d, case when not permanent then now() + interval '33 minutes' end
      from unnest(dates) d
      on conflict do nothing
      returning sponsorship_spots.weekday_date
    )
    update public.sponsorship_dates d set
      held_count = d.held_count + (not permanent)::integer,
      paid_count = d.paid_count + permanent::integer
    from taken t where d.weekday_date = t.weekday_date
      and d.held_count + d.paid_count < private.spots_per_newsletter();
  end if;
  return query select o.key::date, o.value from jsonb_each_text(outcomes) o order by o.key::date;
end $$;

-- Holds the spots of an order for the checkout that begins in this transaction. The caller has locked
-- the buyer's profile, the order and its newsletters, in this order. Returns null when all dates are
-- held; otherwise nothing is held, and {refused} says why:
--   missing                   it is not the buyer's order
--   listing-not-yours         the listing belongs to someone else by now
--   listing-not-public        only a listing that people can see is in a newsletter
--   too-many-held {held, most}  how many dates the buyer's other orders hold, and how many are allowed
--   held-twice {dates, until}   these were held and renewed without a payment; when they can be held again
--   dates {dates: [{date, outcome}]}   what private.spot_outcome says of each date
create function private.hold_spots(sponsorship bigint, buyer uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  pause constant interval := interval '1 day';
  hold constant interval := interval '33 minutes';
  item public.sponsorships;
  held_elsewhere integer;
  refused jsonb;
begin
  select * into item from public.sponsorships s where s.id = sponsorship;
  if item.owner is distinct from buyer then
    return jsonb_build_object('refused', 'missing');
  elsif not exists (select 1 from public.places p where p.id = item.place_id and p.owner = buyer) then
    return jsonb_build_object('refused', 'listing-not-yours');
  elsif not exists (select 1 from private.public_places p where p.id = item.place_id) then
    return jsonb_build_object('refused', 'listing-not-public');
  end if;

  select count(*) into held_elsewhere
    from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
    where o.owner = buyer and o.id <> item.id and s.held_until > now();
  if held_elsewhere + cardinality(item.sponsorship_dates) > private.max_held_dates() then
    return jsonb_build_object('refused', 'too-many-held', 'held', held_elsewhere,
      'most', private.max_held_dates());
  end if;

  select jsonb_build_object('refused', 'held-twice', 'dates', jsonb_agg(h.weekday_date order by h.weekday_date),
      'until', max(h.held_until) + pause) into refused
    from private.newsletter_holds h
    where h.place_id = item.place_id and h.weekday_date = any (item.sponsorship_dates) and h.renewed
      and h.held_until <= now() and h.held_until > now() - pause
    having count(*) > 0;
  if refused is not null then
    return refused;
  end if;

  select jsonb_build_object('refused', 'dates', 'dates',
      jsonb_agg(jsonb_build_object('date', r.weekday_date, 'outcome', r.outcome) order by r.weekday_date)) into refused
    from private.reserve_spots(sponsorship, false) r
    having bool_or(r.outcome <> 'held');
  if refused is not null then
    return refused;
  end if;

  delete from private.newsletter_holds h where h.weekday_date = any (item.sponsorship_dates)
    and h.held_until <= now() - pause;
  insert into private.newsletter_holds as h (place_id, weekday_date, held_until)
  select item.place_id, d, now() + hold from unnest(item.sponsorship_dates) d
  -- A buyer who went back and pays again soon continues the same hold. Later, it is renewed, once.
  on conflict (place_id, weekday_date) do update set held_until = excluded.held_until, renewed = true
    where not h.renewed and h.held_until <= now() + hold / 2;
  update public.sponsorship_spots s set held_until = h.held_until
    from private.newsletter_holds h
    where s.sponsorship_id = sponsorship and s.held_until is not null
      and h.place_id = item.place_id and h.weekday_date = s.weekday_date;
  return null;
end $$;

-- Not for admins: no log would say who took a buyer's spots away while they paid.
create function private.require_sponsorship_owner(sponsorship bigint) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select 1 from public.sponsorships s where s.id = sponsorship
    and (s.owner = private.user_id() or auth.role() = 'service_role')) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  end if;
end $$;

-- While the money of an order is on its way, which takes days with some payment methods, its spots
-- wait for it: a form that was left open neither shortens their hold nor releases them.
create function private.awaits_payment(sponsorship bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- record_payment locks this row, too.
  perform 1 from public.sponsorships s where s.id = sponsorship for update;
  return exists (select 1 from public.orders o where o.sponsorship_id = sponsorship
    and o.status = 'processing');
end $$;

-- The checkout was canceled or expired: the held spots are free again. Paid spots stay.
create function private.release_sponsorship_dates(sponsorship_id bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant bigint := release_sponsorship_dates.sponsorship_id;
  waits boolean;
begin
  -- No one waits for a stranger, who is refused before anything is locked.
  perform private.require_sponsorship_owner(wanted);
  -- Locks the order, so that its owner stays the same.
  waits := private.awaits_payment(wanted);
  perform private.require_sponsorship_owner(wanted);
  if waits then
    return;
  end if;
  perform 1 from public.sponsorship_dates d where d.weekday_date in
    (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = wanted)
    order by d.weekday_date for update;
  delete from public.sponsorship_spots s where s.sponsorship_id = wanted and s.held_until is not null;
end $$;
create function public.release_sponsorship_dates(sponsorship_id bigint) returns void
language sql volatile set search_path = ''
as $$ select private.release_sponsorship_dates(sponsorship_id) $$;

-- The payment provider says it is paid: the spots become permanent, and the sponsorship is marked
-- as paid. "full" for a date whose hold expired before the payment came and which has sold out
-- since ("duplicate" when another order has taken the spot of its listing), "past" for one whose day has
-- come, "blocked" for one that the team blocked meanwhile; then nothing changes, and the payment is to be
-- refunded. Safe to repeat.
create function private.pay_sponsorship_dates(sponsorship_id bigint)
returns table (weekday_date date, outcome text)
language plpgsql volatile security definer set search_path = ''
as $$
declare
  result record;
  full_dates integer := 0;
begin
  for result in select * from private.reserve_spots(pay_sponsorship_dates.sponsorship_id, true) loop
    full_dates := full_dates + (result.outcome <> 'held')::integer;
    weekday_date := result.weekday_date;
    outcome := case result.outcome when 'held' then 'paid' else result.outcome end;
    return next;
  end loop;
  if full_dates = 0 then
    update public.sponsorships s set paid = true where s.id = pay_sponsorship_dates.sponsorship_id
      and not s.paid;
    delete from private.newsletter_holds h using public.sponsorships s
      where s.id = pay_sponsorship_dates.sponsorship_id and h.place_id = s.place_id
        and h.weekday_date = any (s.sponsorship_dates);
  end if;
end $$;

-- An order whose dates or listing change no longer holds anything, because its spots were held for the order as it
-- was. Its next checkout holds the new dates.
create function private.release_changed_order() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.lock_newsletters(array(
    select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = new.id));
  delete from public.sponsorship_spots s where s.sponsorship_id = new.id and s.held_until is not null;
  return null;
end $$;

-- The newsletters of the coming weeks, whether bookable or full: spots taken are those paid and
-- those held right now. Blocked newsletters are left out.
create function private.get_available_sponsorship_dates(weeks integer)
returns table (weekday_date date, day_of_week text, sponsorship_count integer)
language sql stable security definer set search_path = ''
as $$
  select d::date, case extract(isodow from d) when 2 then 'Tuesday' else 'Thursday' end,
    (select count(*)::integer from public.sponsorship_spots s
      where s.weekday_date = d::date and (s.held_until is null or s.held_until > now()))
  from generate_series(private.today() + 1, least(private.today() + 7 * greatest(weeks, 1), private.last_offered_day()),
    interval '1 day') d
  where private.is_newsletter_day(d::date)
    and not exists (select 1 from public.sponsorship_dates b where b.weekday_date = d::date and b.blocked)
  order by 1
$$;
create function public.get_available_sponsorship_dates(weeks integer default 12)
returns table (weekday_date date, day_of_week text, sponsorship_count integer)
language sql stable set search_path = ''
as $$ select * from private.get_available_sponsorship_dates(weeks) $$;

-- Emails the owner of a listing that no one can find about the newsletters that it is booked for, while there is time to
-- cancel them, and apart from these about those for which it is too `late` (as cancel_sponsorship_dates has it): the
-- team leaves it out, and no other email says that a listing was flagged. Once a week for each order, and
-- not before a decision can't be undone anymore. (The email about a removal names its newsletters; a former owner learns
-- nothing of a listing.)
create function private.enqueue_unseen_features() returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, private.week_of(now())),
      jsonb_build_object('sponsorship_id', s.id, 'business', private.approved_name(l.id),
        'days', private.cancellation_days_of(s.id, s.owner),
        'dates', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where not c.late), '[]'),
        'late', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where c.late), '[]')))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      cross join lateral (select p.weekday_date < private.first_open_day()
        + private.cancellation_days_of(s.id, s.owner) as late) c
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      -- So that a week is left, whenever the last one was sent.
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 14
      -- (Saving a listing that waits to be seen doesn't put it off.)
      and l.status <> 'archived'
      and coalesce(case when not l.hidden then l.waiting_since end, l.modified_at) < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
      -- (Also not around the midnight between two weeks.)
      and not exists (select from private.email_queue q where q.recipient = s.owner
        and starts_with(q.key, format('feature-unseen:%s:', s.id)) and q.created_at > now() - interval '5 days')
    group by s.id, l.id
$$;

-- An admin sets until how many days before a newsletter its sponsors can cancel it.
create function private.set_cancellation_days(days integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  if coalesce(days, -1) not between 1 and 60 then
    perform private.refuse('cancellation_days_range', 'days');
  end if;
  insert into private.settings as s (name, enabled, days) values ('cancellation_days', true, set_cancellation_days.days)
    on conflict (name) do update set days = excluded.days, changed_at = now()
      where s.days is distinct from excluded.days;
  if found then
    perform private.log_action('set-cancellation-days', 'settings', 'cancellation_days',
      jsonb_build_object('days', days));
  end if;
end $$;
create function public.set_cancellation_days(days integer) returns void
language sql volatile set search_path = ''
as $$ select private.set_cancellation_days(days) $$;

-- Blocks newsletters for sponsors, or offers them again. Spots that are sold or held stay.
create function private.block_newsletters(days date[], blocked boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  if exists (select 1 from unnest(days) d where d is null or not private.is_newsletter_day(d)) then
    perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
  elsif cardinality(days) > 200 then
    perform private.refuse('too_many_dates', 'sponsorship_dates');
  end if;
  perform private.lock_newsletters(days);
  -- Who waited may not be an admin any more.
  perform private.require_admin();
  update public.sponsorship_dates d set blocked = block_newsletters.blocked where d.weekday_date = any (days);
end $$;
create function public.block_newsletters(days date[], blocked boolean) returns void
language sql volatile set search_path = ''
as $$ select private.block_newsletters(days, blocked) $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_guard before insert or update or delete on public.sponsorships
  for each row execute function private.guard_sponsorship();
create trigger t2_enqueue_email after update of paid on public.sponsorships
  for each row when (new.paid and not old.paid) execute function private.enqueue_sponsorship_email();
create trigger t2_email_sponsor after update on public.sponsorships
  for each row when (private.from_api() and new.version <> old.version) execute function private.email_sponsor();
create trigger t2_email_sponsor_of_new after insert on public.sponsorships
  for each row when (private.from_api()) execute function private.email_sponsor();
create trigger t3_release_spots after update on public.sponsorships
  for each row when (not old.paid and not new.paid
    and (new.sponsorship_dates, new.place_id) is distinct from (old.sponsorship_dates, old.place_id))
  execute function private.release_changed_order();
create trigger t4_audit_insert after insert on public.sponsorships referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t4_audit_update after update on public.sponsorships
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger t4_audit_delete after delete on public.sponsorships referencing old table as old_rows
  for each statement execute function private.write_audit();
create trigger t5_limit after insert on public.sponsorships referencing new table as new_rows
  for each statement execute function private.limit_new_rows('too_many_new_sponsorships', 'sponsorship');

create trigger t1_guard before update on public.sponsorship_dates
  for each row execute function private.guard_newsletter();
create trigger t2_log_blocked_insert after insert on public.sponsorship_dates
  for each row when (new.blocked) execute function private.log_blocked_newsletter();
create trigger t2_log_blocked_update after update of blocked on public.sponsorship_dates
  for each row when (new.blocked <> old.blocked) execute function private.log_blocked_newsletter();

create trigger t1_free_spots after delete on public.sponsorship_spots referencing old table as old_rows
  for each statement execute function private.free_spots();

-- ---------------------------------------------------------------- policies

alter table public.sponsorships enable row level security;
create policy "expect one row" on public.sponsorships as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "read own, or admin" on public.sponsorships for select to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()));
create policy "insert own, or admin" on public.sponsorships for insert to authenticated
  with check (owner = (select private.user_id()) or (select private.is_admin()));
create policy "update own, or admin" on public.sponsorships for update to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()))
  with check (owner = (select private.user_id()) or (select private.is_admin()));

create policy "delete own unpaid, or admin" on public.sponsorships for delete to authenticated
  using (not paid and (owner = (select private.user_id()) or (select private.is_admin())));

-- Only the functions change the counts. Admins may add a newsletter and block or unblock it.
alter table public.sponsorship_dates enable row level security;
create policy "admins read" on public.sponsorship_dates for select to authenticated
  using ((select private.is_admin()));
create policy "admins insert" on public.sponsorship_dates for insert to authenticated
  with check ((select private.is_admin()));
create policy "admins update" on public.sponsorship_dates for update to authenticated
  using ((select private.is_admin())) with check ((select private.is_admin()));

alter table public.sponsorship_spots enable row level security;
create policy "expect one row" on public.sponsorship_spots as restrictive for select to authenticated
  using (sponsorship_id operator(private.>=!) '-9223372036854775808' and weekday_date operator(private.>=!) '-infinity');
create policy "read own, or admin" on public.sponsorship_spots for select to authenticated
  using ((select private.is_admin())
    or exists (select 1 from public.sponsorships s where s.id = sponsorship_id
      and s.owner = (select private.user_id())));

alter table private.newsletter_holds enable row level security;
create policy "no access" on private.newsletter_holds for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select, insert, update, delete on public.sponsorships to authenticated;
grant select, insert, update, delete on public.sponsorships to service_role;
grant select on public.sponsorship_dates to authenticated, service_role;
grant insert (weekday_date, blocked), update (blocked) on public.sponsorship_dates to authenticated;
grant select on public.sponsorship_spots to authenticated, service_role;

grant execute on function
  private.lock_newsletters_of_deleted(bigint),
  private.validate_no_open_payment(bigint),
  private.get_available_sponsorship_dates(integer),
  public.get_available_sponsorship_dates(integer),
  private.cancellation_days(bigint),
  public.cancellation_days(bigint),
  private.set_cancellation_days(integer),
  public.set_cancellation_days(integer),
  private.block_newsletters(date[], boolean),
  public.block_newsletters(date[], boolean)
  to authenticated;

grant execute on function
  private.is_newsletter_day(date),
  private.spots_per_newsletter(),
  private.today(),
  private.release_sponsorship_dates(bigint),
  public.release_sponsorship_dates(bigint)
  to authenticated, service_role;
