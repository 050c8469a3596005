-- The owner's dashboard: views by week, and one call for a page of somebody's listings.

-- How often a listing was looked at in each week (which begins on Monday, UTC). Kept while views are
-- counted, so that a year of views costs as much to read as a day, and old rows can be thinned out.
create table private.place_view_weeks (
  place_id bigint not null references public.places (id) on delete cascade,
  week date not null check (extract(isodow from week) = 1),
  views bigint not null check (views >= 0),
  primary key (place_id, week)
);
alter table private.place_view_weeks enable row level security;
create policy "nobody" on private.place_view_weeks for all to anon, authenticated using (false);

create function private.week_of(moment timestamptz) returns date
language sql immutable set search_path = ''
as $$ select date_trunc('week', moment at time zone 'UTC')::date $$;

create or replace function private.count_views() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.place_stats as s (place_id, views)
  select place_id, count(*) from new_rows group by place_id order by place_id
  on conflict (place_id) do update set views = s.views + excluded.views;
  insert into private.place_view_weeks as w (place_id, week, views)
  select place_id, private.week_of(hour), count(*) from new_rows group by 1, 2 order by 1, 2
  on conflict (place_id, week) do update set views = w.views + excluded.views;
  return null;
end $$;

insert into private.place_view_weeks (place_id, week, views)
select place_id, private.week_of(hour), count(*) from public.place_views group by 1, 2;

-- The views of the last 12 weeks, the oldest first and the current one last. For the owner of a
-- featured listing, or an admin; null for anybody and anything else.
create function private.weekly_views(place_id bigint) returns integer[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select coalesce(w.views, 0)::integer
    from generate_series(11, 0, -1) ago
    left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
    order by ago desc)
  from public.places p
  where p.id = weekly_views.place_id and ((p.premium and p.owner = auth.uid()) or private.is_admin())
$$;
grant execute on function private.weekly_views(bigint), private.week_of(timestamptz) to authenticated;

create or replace view public.places_with_stats with (security_invoker = on) as
  select p.id, p.name, p.category, p.city, p.state, p.status, p.premium, p.premium as premium2,
    case when p.premium then private.get_user_count_by_distance(p.id) end as user_count_by_distance,
    case when p.premium then coalesce(s.views, 0) end as views,
    case when p.premium then coalesce(s.favorites, 0) end as favoritescount,
    p.proxi_id, p.stripe_cus_id, p.subscription_status, p.owner, p.owner_email,
    p.hidden, p.archive_requested, p.changes_requested, p.last_update, p.version, p.created_at,
    p.modified_at, p.name_search,
    case when p.premium then private.weekly_views(p.id) end as weekly_views
  from public.places p left join public.place_stats s on s.place_id = p.id;

-- Letters as people look for them: "cafe" finds "Café", "sams" does not need the right apostrophe.
create function private.folded(words text) returns text
language sql immutable set search_path = ''
as $$
  select lower(translate(regexp_replace(normalize(words, NFKD), '[\u0300-\u036f]', '', 'g'), '’‘`´', ''''''''''))
$$;
grant execute on function private.folded(text) to authenticated;

-- A page of the caller's dashboard: the listings that are theirs, and those that wait for them to
-- claim (no owner, and their confirmed address as owner_email), by name. Numbers are reckoned for the
-- page's rows alone.
--   search         words that each stand in name, city or state, taken literally; null or blank for all
--   after, before  the id of the listing that the page begins after or ends before; the first page
--                  without either, or when that listing is none of theirs
--   page_rows      1 to 100
-- Gives {all, total, first, week, rows}: how many listings there are, how many the search finds, the
-- place (from 1) of the page's first among these, the Monday of the current week, and the rows.
create function public.my_listings(
  search text default null, after bigint default null, before bigint default null, page_rows integer default 20)
returns jsonb
language sql stable set search_path = ''
as $$
  with mine as (
    select p.id, private.folded(p.name) as key, p.name, p.city, p.state from public.places p
    where p.owner = (select auth.uid())
      or (p.owner is null and p.owner_email = (select private.my_email()))
  ), found as (
    select m.id, row_number() over (order by m.key, m.id) as n from mine m
    where not exists (
      select from regexp_split_to_table(btrim(private.folded(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.folded(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), place as (
    -- Where the listing stands or would stand, whether or not the search finds it.
    select coalesce(
      (select count(*) + 1 from found f join mine m on m.id = f.id
        join mine a on a.id = my_listings.after where (m.key, m.id) <= (a.key, a.id)),
      1) as from_after,
      (select count(*) + 1 - least(greatest(page_rows, 1), 100) from found f join mine m on m.id = f.id
        join mine b on b.id = my_listings.before where (m.key, m.id) < (b.key, b.id)) as to_before
  ), page as (
    select f.id, f.n from found f, place
    where f.n >= greatest(case when before is null then from_after else to_before end, 1)
    order by f.n limit least(greatest(page_rows, 1), 100)
  )
  select jsonb_build_object(
    'all', (select count(*) from mine),
    'total', (select count(*) from found),
    'first', (select min(n) from page),
    'week', private.week_of(now()),
    'rows', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
        'premium', s.premium, 'premium2', s.premium2,
        'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
        'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
        'proxi_id', s.proxi_id, 'subscription_status', s.subscription_status,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update))
      ) order by page.n)
      from page join public.places_with_stats s on s.id = page.id), '[]'))
$$;
grant execute on function public.my_listings(text, bigint, bigint, integer) to authenticated;

-- What follows from an owner's hand on their own listing.
create function private.follow_owner() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if new.owner is distinct from auth.uid() or not private.from_api() then
    return new;
  end if;
  -- A listing without an owner's address cannot be approved. Theirs is known, and confirmed.
  if new.owner_email is null then
    new.owner_email := private.my_email();
  end if;
  -- Hiding, showing, and asking for removal change nothing that a form or a reviewer has read: neither
  -- an open form nor the listing's place in the queue is touched by them.
  if to_jsonb(new) - array['hidden', 'archive_requested', 'version', 'modified_at']
    = to_jsonb(old) - array['hidden', 'archive_requested', 'version', 'modified_at'] then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;
  return new;
end $$;
-- By its name it runs after the guard, which has by then put back whatever an owner may not set.
create trigger guarded_follow_owner before update on public.places
  for each row execute function private.follow_owner();
