-- All of the dashboard in one call: which listings wait for somebody's hand, whom they belong to, and when a
-- cancelled subscription ends.
drop function public.my_listings(text, bigint, bigint, integer);

-- A page of the caller's dashboard: the listings that are theirs, those that they manage for somebody
-- else, and those that wait for them to claim (no owner, and their confirmed address as owner_email), by
-- name. Numbers are reckoned for the page's rows alone.
--   search         words that each stand in name, city or state, taken literally; null or blank for all
--   after, before  the id of the listing that the page begins after or ends before; the first page
--                  without either, or when that listing is none of theirs
--   page_rows      1 to 100
--   needing        those alone that wait for the caller's hand
-- Gives {all, needing, total, first, week, rows}: how many listings there are, how many of them wait for
-- the caller, how many of those asked for the search finds, the place (from 1) of the page's first among
-- these, the Monday of the current week, and the rows.
create function public.my_listings(
  search text default null, after bigint default null, before bigint default null, page_rows integer default 20,
  needing boolean default false)
returns jsonb
language sql stable set search_path = ''
as $$
  with mine as (
    select p.id, private.folded(p.name) as key, p.name, p.city, p.state,
      case when p.id = any ((select private.managed_places())::bigint[]) then private.needs_manager(p) else private.needs_owner(p) end as needs
    from public.places p
    where p.owner = (select auth.uid())
      or p.id = any ((select private.managed_places())::bigint[])
      or (p.owner is null and p.owner_email = (select private.my_email()))
  ), found as (
    select m.id, row_number() over (order by m.key, m.id) as n from mine m
    where (m.needs or needing is not true) and not exists (
      select from regexp_split_to_table(btrim(private.folded(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.folded(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), place as (
    -- Where the listing stands or would stand, whether or not it is among those found.
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
    'needing', (select count(*) from mine where needs),
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
        'changed', array(select jsonb_object_keys(s.last_update)),
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'),
        'subscription_ends_at', p.subscription_ends_at
      ) order by page.n)
      from page join public.places_with_stats s on s.id = page.id join public.places p on p.id = page.id), '[]'))
$$;
grant execute on function public.my_listings(text, bigint, bigint, integer, boolean) to authenticated;
