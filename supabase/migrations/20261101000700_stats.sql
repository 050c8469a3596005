-- How people in the app meet a listing: favorites, views, and how many live nearby.
create table public.favorites (
  user_id uuid not null references public.profiles (id) on delete cascade,
  place_id bigint not null references public.places (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, place_id)
);
create index favorites_place on public.favorites (place_id, created_at);

-- One row a visitor, listing and hour. The visitor is a hash that differs for each listing and
-- hour, so the rows of one person cannot be strung together into where they have been looking.
create table public.place_views (
  place_id bigint not null references public.places (id) on delete cascade,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  visitor text not null check (length(visitor) = 64),
  primary key (place_id, hour, visitor)
);

create table public.place_stats (
  place_id bigint primary key references public.places (id) on delete cascade,
  views bigint not null default 0 check (views >= 0),
  favorites bigint not null default 0 check (favorites >= 0)
);

create function private.count_views() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.place_stats as s (place_id, views)
  select place_id, count(*) from new_rows group by place_id order by place_id
  on conflict (place_id) do update set views = s.views + excluded.views;
  return null;
end $$;
-- Views are only ever added: the total stays when old rows are thinned out.
create trigger count_insert after insert on public.place_views referencing new table as new_rows
  for each statement execute function private.count_views();

create function private.count_favorites() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.place_stats as s (place_id, favorites)
    select place_id, count(*) from new_rows group by place_id order by place_id
    on conflict (place_id) do update set favorites = s.favorites + excluded.favorites;
    update public.profiles p set favorites_count = p.favorites_count + n.added
    from (select user_id, count(*) as added from new_rows group by user_id) n where p.id = n.user_id;
  else
    update public.place_stats s set favorites = s.favorites - g.gone
    from (select place_id, count(*) as gone from old_rows group by place_id) g where s.place_id = g.place_id;
    update public.profiles p set favorites_count = p.favorites_count - g.gone
    from (select user_id, count(*) as gone from old_rows group by user_id) g where p.id = g.user_id;
  end if;
  return null;
end $$;
create trigger count_insert after insert on public.favorites referencing new table as new_rows
  for each statement execute function private.count_favorites();
create trigger count_delete after delete on public.favorites referencing old table as old_rows
  for each statement execute function private.count_favorites();

alter table public.favorites enable row level security;
create policy "own" on public.favorites for select to authenticated using (user_id = (select auth.uid()));
create policy "add own" on public.favorites for insert to authenticated
  with check (user_id = (select auth.uid())
    and exists (select 1 from public.public_places p where p.id = place_id));
create policy "remove own" on public.favorites for delete to authenticated using (user_id = (select auth.uid()));
grant select, delete on public.favorites to authenticated;
grant insert (user_id, place_id) on public.favorites to authenticated;
grant select, insert, update, delete on public.favorites to service_role;

-- Who looked at what is nobody's business: only the service reads the rows, to sum them up.
alter table public.place_views enable row level security;
create policy "nobody" on public.place_views for all to anon, authenticated using (false);
grant select, insert, delete on public.place_views to service_role;

-- Statistics are part of the Featured tier, so the database gives them for nothing else.
alter table public.place_stats enable row level security;
create policy "of a featured listing of mine, or admin" on public.place_stats for select to authenticated
  using ((select private.is_admin())
    or exists (select 1 from public.places p where p.id = place_id and p.premium));
grant select on public.place_stats to authenticated, service_role;

-- One view by the caller: one an hour, never of their own listing, only of what is public.
create function private.record_place_view(place_id bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    encode(sha256(convert_to(concat_ws(' ', auth.uid(), p.id, extract(epoch from date_trunc('hour', now(), 'UTC'))), 'UTF8')), 'hex')
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from auth.uid() and auth.uid() is not null
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$$;
create function public.record_place_view(place_id bigint) returns void
language sql volatile set search_path = ''
as $$ select private.record_place_view(place_id) $$;
grant execute on function private.record_place_view(bigint), public.record_place_view(bigint) to authenticated;

-- Exactly how many people live within so many miles of a point (great circle, mean earth radius of
-- 3958.7613 miles). The box is a superset of the circle that a b-tree can walk; near a pole it is
-- the whole cap, and where it crosses the 180th meridian it is two boxes.
create function private.count_users_within(lat double precision, long double precision, miles double precision)
returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  r constant double precision := 3958.7613;
  high constant double precision := degrees(miles / r) + 1e-9;
  wide double precision := 180;
  total bigint;
begin
  if lat is null or long is null then
    return null;
  end if;
  -- A tenth of a millimetre: squares of anything finer underflow.
  lat := round(lat::numeric, 9);
  long := round(long::numeric, 9);
  if abs(lat) + high < 90 then
    wide := degrees(asin(sin(radians(high)) / cos(radians(lat)))) + 1e-9;
  end if;
  select coalesce(sum(n), 0)::bigint into total from (
    select sum(hit.people) as n
    from (values (long - wide, long + wide), (long - wide + 360, long + wide + 360),
                 (long - wide - 360, long + wide - 360)) box (west, east)
    cross join lateral (
      select u.people from private.position_counts u
      where u.lat between count_users_within.lat - high and count_users_within.lat + high
        and u.long between greatest(box.west, -180) and least(box.east, 180)
        and 2 * r * asin(least(1, sqrt(
              sin(radians(u.lat - count_users_within.lat) / 2) ^ 2
              + cos(radians(count_users_within.lat)) * cos(radians(u.lat))
                * sin(radians(u.long - count_users_within.long) / 2) ^ 2))) <= miles
    ) hit
    where box.west <= 180 and box.east >= -180
  ) counted;
  return total;
end $$;

-- For the owner of a featured listing, or an admin; null for anybody and anything else.
create function private.get_user_count_by_distance(place_id bigint) returns bigint
language sql stable security definer set search_path = ''
as $$
  select private.count_users_within(p.lat, p.long, 50) from public.places p
  where p.id = place_id and ((p.premium and p.owner = auth.uid()) or private.is_admin())
$$;
create function public.get_user_count_by_distance(place_id bigint) returns bigint
language sql stable set search_path = ''
as $$ select private.get_user_count_by_distance(place_id) $$;
grant execute on function private.get_user_count_by_distance(bigint),
  public.get_user_count_by_distance(bigint) to authenticated;

-- The dashboard's list in one call. Numbers are null unless the listing is featured and the
-- reader's own, or the reader is an admin.
create view public.places_with_stats with (security_invoker = on) as
  select p.id, p.name, p.category, p.city, p.state, p.status, p.premium, p.premium as premium2,
    case when p.premium then private.get_user_count_by_distance(p.id) end as user_count_by_distance,
    case when p.premium then coalesce(s.views, 0) end as views,
    case when p.premium then coalesce(s.favorites, 0) end as favoritescount,
    p.proxi_id, p.stripe_cus_id, p.subscription_status, p.owner, p.owner_email,
    p.hidden, p.archive_requested, p.changes_requested, p.last_update, p.version, p.created_at,
    p.modified_at, p.name_search
  from public.places p left join public.place_stats s on s.place_id = p.id;
grant select on public.places_with_stats to authenticated;
