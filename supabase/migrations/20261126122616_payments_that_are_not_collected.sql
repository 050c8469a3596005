-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.asks_for_payment(place public.places)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select place.subscription_status in ('past_due', 'unpaid') and place.stripe_cus_id is not null
    and place.status <> 'archived' and not place.archive_requested
    and not exists (select from private.account_deletions d
      where d.user_id = place.owner and not private.is_last_admin(d.user_id))
$function$;

CREATE OR REPLACE FUNCTION private.attention(place public.places, managed boolean)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when place.owner is null and not managed then 'to-claim'
    when place.subscription_status in ('past_due', 'unpaid') and not managed and private.asks_for_payment(place)
      then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end
$function$;

CREATE OR REPLACE FUNCTION private.needs_manager_attention(place public.places)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.attention(place, true) is not null $function$;

CREATE OR REPLACE FUNCTION private.needs_owner_attention(place public.places)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.attention(place, false) is not null $function$;

CREATE OR REPLACE FUNCTION public.my_dashboard(search text DEFAULT NULL::text, show text DEFAULT NULL::text, page integer DEFAULT 1, page_rows integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with mine as (
    select p.id, null::uuid as draft, p.name, p.city, p.state, p.modified_at as at,
      private.normalize_for_search(p.name) as key,
      p.premium and (p.owner is not null or p.id = any ((select private.managed_places())::bigint[])) as featured,
      p.status in ('new', 'pending-update', 'flagged') as review,
      p.hidden and p.status <> 'archived' as hidden,
      private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])) as attention
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
    union all
    select null, d.id, d.name, null, null, d.updated_at, private.normalize_for_search(d.name), false, false, false, 'draft'
    from (select l.id, left(btrim(coalesce(l.fields ->> 'name', '')), 200) as name, l.updated_at
      from public.listing_drafts l where l.owner = (select private.user_id()) and l.form is null) d
  ), matching as (
    select m.* from mine m where not exists (
      select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), found as (
    -- Drafts without a name are last.
    select m.id, m.draft, m.name, m.at,
      row_number() over (order by m.featured desc, m.key = '', m.key, m.id, m.draft) as n
    from matching m
    where case show when 'attention' then m.attention is not null when 'featured' then m.featured
      when 'review' then m.review when 'hidden' then m.hidden when 'drafts' then m.draft is not null
      else true end
  ), bounds as (
    select private.page_size(page_rows, 100) as size, (select count(*) from found) as total
  ), shown as (
    select f.* from found f, bounds b
    where f.n > b.size * (least(greatest(coalesce(page, 1), 1), greatest((b.total + b.size - 1) / b.size, 1)) - 1)
    order by f.n limit (select size from bounds)
  )
  select jsonb_build_object(
    'all', (select count(*) from mine),
    'counts', (select jsonb_build_object('all', count(*), 'attention', count(m.attention),
        'featured', count(*) filter (where m.featured), 'review', count(*) filter (where m.review),
        'hidden', count(*) filter (where m.hidden), 'drafts', count(m.draft)) from matching m),
    'total', (select total from bounds),
    'first', (select min(n) from shown),
    'week', private.week_of(now()),
    'tasks', coalesce((
      select jsonb_agg(jsonb_build_object('kind', t.attention, 'id', t.id, 'draft', t.draft, 'name', t.name,
        'at', t.at) order by t.rank, t.key, t.id, t.draft)
      from (select m.*, array_position(array['payment-failed', 'changes-requested', 'no-address', 'no-email',
            'to-claim', 'draft'], m.attention) as rank
        from mine m where m.attention is not null order by rank, m.key, m.id, m.draft limit 5) t),
      '[]'),
    'rows', coalesce((
      select jsonb_agg(case when f.draft is not null
        then jsonb_build_object('draft', f.draft, 'name', f.name, 'updated_at', f.at)
        else jsonb_build_object(
        'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
        'premium', s.premium,
        'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
        'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
        'proxi_id', s.proxi_id,
        -- A payment that isn't collected anymore is nothing to show: its plan is about to end.
        'subscription_status', case when p.stripe_cus_id is null then null
          when s.subscription_status in ('past_due', 'unpaid') and not private.asks_for_payment(p) then 'canceled'
          else s.subscription_status end,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update)),
        -- The last edit. One that was followed by another is kept, but says nothing about that.
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'
            and s.status <> 'pending-update' and s.modified_at <= r.rejected_at),
        'subscription_ends_at', case when p.stripe_cus_id is not null then p.subscription_ends_at end,
        'paid_by_another', p.stripe_cus_id is null and s.subscription_status is not null
      ) end order by f.n)
      from shown f left join public.places_with_stats s on s.id = f.id
      left join public.places p on p.id = f.id),
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with listings as (
    select p.*, private.needs_completion(p::public.places, p.owner = (select private.user_id())) as incomplete,
      p.owner = (select private.user_id()) and p.subscription_status in ('past_due', 'unpaid')
        and private.asks_for_payment(p::public.places) as owes_payment
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), jobs as (
    -- While a payment for it is on its way, there is nothing to do.
    select j.* from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owes_payment
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
      where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.incomplete
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    union all
    select 5, 'unpaid-job', j.id, j.title, j.created_at from jobs j where not j.paid
    union all
    select 6, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
      where l.state = 'new'
    union all
    select 7, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
  ), lines as (
    select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
    from waiting order by rank, at, id
  )
  select jsonb_build_object(
    'supporter', exists (select from public.places p where p.owner = (select private.user_id()) and p.premium
      and p.status <> 'archived'),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$function$;

grant execute on function private.asks_for_payment(public.places) to authenticated;

set check_function_bodies = on;
