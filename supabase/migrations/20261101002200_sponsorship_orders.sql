-- Whoever takes or frees spots locks their newsletters first, in the order of their dates: so buyers,
-- payments and checkouts that run out wait for one another, and never for each other in a circle.
create function private.lock_newsletters(days date[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.sponsorship_dates (weekday_date) select distinct d from unnest(days) d order by d on conflict do nothing;
  perform 1 from public.sponsorship_dates d where d.weekday_date = any (days) order by d.weekday_date for update;
end $$;

-- What an order is for is locked before the order; of a sponsorship that is its newsletters as well, since
-- what comes of a payment may free or take their spots.
create or replace function private.lock_item(job bigint, sponsorship bigint, place bigint) returns void
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

-- Keeps newsletters free, or offers them again. What is sold or held stays.
create function private.block_newsletters(days date[], blocked boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  if exists (select 1 from unnest(days) d where d is null or not private.is_newsletter_day(d)) then
    raise exception 'Newsletters go out on Tuesdays and Thursdays.' using errcode = 'P0001';
  elsif cardinality(days) > 200 then
    raise exception 'Please choose fewer dates.' using errcode = 'P0001';
  end if;
  perform private.lock_newsletters(days);
  update public.sponsorship_dates d set blocked = block_newsletters.blocked where d.weekday_date = any (days);
end $$;
create function public.block_newsletters(days date[], blocked boolean) returns void
language sql volatile set search_path = ''
as $$ select private.block_newsletters(days, blocked) $$;
grant execute on function private.block_newsletters(date[], boolean), public.block_newsletters(date[], boolean) to authenticated;

-- While a payment is open, the order it was opened for stays: nobody pays an old price for other dates.
-- (Whoever looks for open payments sees all of them, so it is not left to the rights of the person.)
create function private.refuse_change_under_payment() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select 1 from public.orders o where o.sponsorship_id = old.id
    and (o.status = 'processing' or (o.status = 'open' and o.stripe_checkout_session_id is not null and o.expires_at > now()))) then
    raise exception 'A payment for this order is open. Cancel it first, then change dates, price or business.'
      using errcode = 'P0001';
  end if;
  return new;
end $$;
create trigger guard_payment before update on public.sponsorships
  for each row when (private.from_api()
    and (old.rate, old.sponsorship_dates, old.place_id) is distinct from (new.rate, new.sponsorship_dates, new.place_id))
  execute function private.refuse_change_under_payment();

-- It is paid for: its owner is told, once.
create function private.tell_sponsorship_paid() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.notify(new.owner, null, 'sponsorship-confirmed', 'sponsorship-confirmed:' || new.id || ':' || new.version,
    jsonb_build_object('sponsorship_id', new.id, 'dates', to_jsonb(new.sponsorship_dates), 'total', new.order_total::text,
      'business', (select p.name from public.places p where p.id = new.place_id)));
  return null;
end $$;
create trigger tell_paid after update of paid on public.sponsorships
  for each row when (new.paid and not old.paid) execute function private.tell_sponsorship_paid();

-- While the money of an order is on its way, which takes days with some ways to pay, its spots wait for it: a
-- button that was left open neither shortens their hold nor gives them back.
create function private.awaits_money(sponsorship bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Whoever settles a payment has this row, too.
  perform 1 from public.sponsorships s where s.id = sponsorship for update;
  return exists (select 1 from public.orders o where o.sponsorship_id = sponsorship and o.status = 'processing');
end $$;

create or replace function private.hold_sponsorship_dates(sponsorship_id bigint)
returns table (weekday_date date, outcome text)
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant bigint := hold_sponsorship_dates.sponsorship_id;
begin
  perform private.require_sponsorship(wanted);
  if private.awaits_money(wanted) then
    return query select s.weekday_date, 'held' from public.sponsorship_spots s where s.sponsorship_id = wanted order by s.weekday_date;
  else
    return query select * from private.take_spots(wanted, false);
  end if;
end $$;

create or replace function private.release_sponsorship_dates(sponsorship_id bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant bigint := release_sponsorship_dates.sponsorship_id;
begin
  perform private.require_sponsorship(wanted);
  if private.awaits_money(wanted) then
    return;
  end if;
  perform 1 from public.sponsorship_dates d where d.weekday_date in
    (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = wanted)
    order by d.weekday_date for update;
  delete from public.sponsorship_spots s where s.sponsorship_id = wanted and s.held_until is not null;
end $$;
