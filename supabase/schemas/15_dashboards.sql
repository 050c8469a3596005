-- The pages that read across nouns: the owner's table of listings and what needs their attention,
-- the top of their home page, and the admin's dashboard; and the lengths of all queues, for those who run
-- the server. Each is one function, one call per page.
-- private.attention and my_home both say when a listing needs attention, and my_home and my_counts when a job does:
-- change them together.

-- ---------------------------------------------------------------- functions

-- Whether a listing under review can't be approved as it is, and the caller can complete it: only its owner can give
-- it an owner_email.
create function private.needs_completion(place public.places, by_owner boolean) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return place.status in ('new', 'pending-update', 'flagged')
    and case when by_owner then private.missing_for_approval(place.owner_email, place.state) <> '{}'
      else 'no_proper_address' = any (private.missing_for_approval(place.owner_email, place.state)) end;
end $$;

-- Whether a plan whose payment failed stays with its listing's owner. Only its payer has a payment to make: when a
-- former owner goes on paying for a plan, the listing has no customer. A plan that ends with its listing, or with the
-- account, isn't collected anymore (private.plan_leaves_with).
create function private.owes_payment(place public.places) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Asked of each listing on a page: few come to the query.
  if place.subscription_status in ('past_due', 'unpaid') and place.stripe_cus_id is not null
    and place.status <> 'archived' and not place.archive_requested then
    return not exists (select from private.account_deletions d
      where d.user_id = place.owner and not private.is_last_admin(d.user_id));
  end if;
  return false;
end $$;

-- Whether the owner of a listing is asked for a payment that failed. Once no retry has worked, the plan is "unpaid": it
-- has stopped, and there is nothing to pay anymore.
create function private.asks_for_payment(place public.places) returns boolean
language sql stable set search_path = ''
as $$ select place.subscription_status = 'past_due' and private.owes_payment(place) $$;

-- What a listing needs from its owner, or from a manager, who is not responsible for payments and
-- ownership: the most urgent of payment-failed, changes-requested, no-address, no-email (without these two
-- it cannot be approved), and to-claim. Null when it needs nothing, or only waits for the team.
create function private.attention(place public.places, managed boolean) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return case
    when place.owner is null and not managed then 'to-claim'
    when not managed and private.asks_for_payment(place) then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end;
end $$;

-- Whether a listing needs its owner's attention.
create function private.needs_owner_attention(place public.places) returns boolean
language sql stable set search_path = ''
as $$ select private.attention(place, false) is not null $$;

-- The same for a manager.
create function private.needs_manager_attention(place public.places) returns boolean
language sql stable set search_path = ''
as $$ select private.attention(place, true) is not null $$;

-- The dashboard of the release that came before my_dashboard. Nothing calls it once no instance of that release runs:
-- it can be dropped then, with needs_owner_attention and needs_manager_attention.
--
-- A page of the caller's listings: those that they own, those that they manage for someone else, and
-- those that they can claim (no owner, and their confirmed address as owner_email), by name. Numbers are
-- computed only for the rows of the page.
--   search         words that must each occur in name, city or state, taken literally; null or blank
--                  for all
--   after, before  the id of the listing that the page begins after or ends before; the first page
--                  without either, or when that listing is not the caller's
--   page_rows      1 to 100
--   needing        only those that need the caller's attention
-- Returns {all, needing, total, first, week, rows}: how many listings there are, how many of them
-- need the caller's attention, how many of the selected ones the search finds, the position (from
-- 1) of the page's first row among these, the Monday of the current week, and the rows.
create function public.my_listings(
  search text default null, after bigint default null, before bigint default null,
    page_rows integer default 20,
  needing boolean default false)
returns jsonb
language sql stable set search_path = ''
as $$
  with mine as (
    select p.id, private.normalize_for_search(p.name) as key, p.name, p.city, p.state,
      case when p.id = any ((select private.managed_places())::bigint[]) then private.needs_manager_attention(p::public.places)
        else private.needs_owner_attention(p::public.places) end as needs
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), found as (
    select m.id, row_number() over (order by m.key, m.id) as n from mine m
    where (m.needs or needing is not true) and not exists (
      select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), place as (
    -- The position that the listing has or would have, whether or not it is among those found.
    select coalesce(
      (select count(*) + 1 from found f join mine m on m.id = f.id
        join mine a on a.id = my_listings.after where (m.key, m.id) <= (a.key, a.id)),
      1) as from_after,
      (select count(*) + 1 - private.page_size(page_rows, 100) from found f join mine m on m.id = f.id
        join mine b on b.id = my_listings.before where (m.key, m.id) < (b.key, b.id)) as to_before
  ), page as (
    select f.id, f.n from found f, place
    where f.n >= greatest(case when before is null then from_after else to_before end, 1)
    order by f.n limit private.page_size(page_rows, 100)
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
      from page join public.places_with_stats s on s.id = page.id
      left join public.places p on p.id = page.id),
        '[]'))
$$;

-- A page of the caller's dashboard: the listings that they own, those that they manage for someone else,
-- those that they can claim (no owner, and their confirmed address as owner_email), and their drafts of new ones.
-- Featured ones are first, then all others by name. Numbers are computed only for the rows of the page.
--   search     words that must each occur in name, city or state, taken literally; null or blank for all
--   show       one of the counts below: only those; null, or anything else, for all
--   page       from 1; the last page when there are fewer
--   page_rows  1 to 100
-- Returns {all, counts, total, first, week, first_month, tasks, rows}: how many there are; how many of those that the
-- search finds there are in all, and of each kind (attention, featured, review, hidden, drafts); how
-- many of these are of the kind shown; the position (from 1) of the page's first row among them; the
-- Monday of the current week; whether the first month of Featured costs less for any of their listings; the five that
-- need the caller's attention most, whatever is searched for; and the rows, where a draft has only its id, its name, and when it was saved.
-- No argument is a reason for another plan, so the first one is kept. Compiling it would take longer than running it
-- (jit), here and in my_home and my_counts.
create function public.my_dashboard(
  search text default null, show text default null, page integer default 1,
  page_rows integer default 20)
returns jsonb
language plpgsql stable set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return (
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
      'first_month', exists (select from private.my_first_months()),
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
            when s.subscription_status in ('past_due', 'unpaid') and not private.owes_payment(p) then 'canceled'
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
          -- (The statuses are those of private.subscription_is_live.)
          'paid_by_another', p.stripe_cus_id is null
            and coalesce(s.subscription_status in ('active', 'trialing', 'past_due'), false)
        ) end order by f.n)
        from shown f left join public.places_with_stats s on s.id = f.id
        left join public.places p on p.id = f.id),
          '[]')));
end $$;

-- What needs the caller's attention, for the top of their home page: one line per kind, with how
-- many there are and the first of them. Returns {supporter, first_month, needs: [{kind, count, id, name,
-- at, unpayable}]}: whether one of their listings is Featured, whether the first month of one costs less for them, and
-- the lines, most urgent first.
--   payment-failed, changes-requested, incomplete, to-claim   listings, including those they manage,
--                                                             except for payments
--   unpaid-job, job-expiring (within five days)               jobs; `at` is when. Of unpaid ones two lines: also those
--                                                             that can't be paid for (open_order), since their listing
--                                                             isn't public or isn't the caller's; `unpayable` says so
--   new-leads                                                 messages; name is the listing's
create function public.my_home() returns jsonb
language plpgsql stable set search_path = '' set jit = off
as $$
begin
  return (
    with me as materialized (
      select private.user_id() as id
    ), listings as (
      select p.*, private.needs_completion(p::public.places, p.owner = (select id from me)) as incomplete,
        p.owner = (select id from me) and private.asks_for_payment(p::public.places) as owes_payment
      from (
        select * from public.places o where o.owner = (select id from me)
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p
    ), jobs as (
      -- While a payment for it is on its way, there is nothing to do.
      select j.* from public.jobs j where j.owner = (select id from me) and j.filled_at is null
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
          -- As open_order refuses it: no one would see it.
          and exists (select from public.public_jobs v where v.id = j.id)
      union all
      select case when public.preview_job(j.id) ->> 'company_name' is null then 6 else 5 end, 'unpaid-job', j.id,
        j.title, j.created_at from jobs j where not j.paid
      union all
      select 7, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
        where l.state = 'new'
      union all
      select 8, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
    ), lines as (
      select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
      from waiting order by rank, at, id
    )
    select jsonb_build_object(
      'supporter', exists (select from listings l where l.owner = (select id from me) and l.premium and l.status <> 'archived'),
      -- It is granted once (first_month_used). Someone without a listing of their own has it for their first one, unless
      -- they had it for one that has gone to someone else.
      'first_month', exists (select from private.my_first_months())
        or not exists (select from listings l where l.owner = (select id from me))
          and not private.had_first_month(),
      'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' || jsonb_build_object('unpayable', l.rank = 6)
        order by l.rank) from lines l), '[]')));
end $$;

-- The counts of admins: how many items wait in each queue, and how many listings, jobs, and users there are.
create function private.admin_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  places jsonb := private.get_places_counts();
begin
  return jsonb_build_object(
    'new', places -> 'new', 'pending', places -> 'pending-update', 'flagged', places -> 'flagged',
    'reports', (select count(*) from public.events e where e.state = 'open'),
    'feedback', (select count(*) from public.feedback f where not f.archived),
    'all_listings', places -> 'total', 'premium', places -> 'premium',
    'all_jobs', private.get_jobs_counts() -> 'total', 'users', private.get_user_counts() -> 'count');
end $$;

-- How many new messages the caller can read. With its owner's rights, because the policy of leads takes 0.3 s for
-- 2,000 of them, and every page asks; who may read them is the same, and only their number is returned.
create function private.count_new_leads() returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    -- (With "or" in place of the union, all listings may be read in the order of their ids: 0.7 s for 1,000,000.)
    select count(*) from (
      select o.id, o.leads_from from public.places o where o.owner = private.user_id()
      union select m.id, m.leads_from from public.places m where m.id = any ((select private.managed_places())::bigint[])) p
    join public.leads l on l.place_id = p.id
    where l.state = 'new' and l.created_at >= coalesce(p.leads_from, '-infinity'));
end $$;

-- The counts beside the links of every page. How much needs the caller's attention: listings and drafts, as
-- my_dashboard counts them, and messages and jobs, as my_home does; for an admin also what private.admin_counts
-- returns. Each is found by an index, or kept as a counter.
create function public.my_counts() returns jsonb
language plpgsql stable set search_path = '' set jit = off
as $$
begin
  return jsonb_build_object(
    'listings', (
      select count(private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])))
      from (
        select * from public.places o where o.owner = (select private.user_id())
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p)
      + (select count(*) from public.listing_drafts d where d.owner = (select private.user_id()) and d.form is null),
    'leads', private.count_new_leads(),
    'jobs', (
      select count(*) from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
        and (not j.paid or (j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
          and exists (select from public.public_jobs v where v.id = j.id)))
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')))
    || case when (select private.is_admin()) then private.admin_counts() else '{}' end;
end $$;

-- How many items came into each queue, and how many left it, in each of the last four weeks: of seven days,
-- the last of which ends now. Returns {queue: {came: [4 numbers], left: [4 numbers]}}, oldest first. What its
-- owner withdrew left its queue, too. A decision that was undone counts as none.
create function private.queue_weeks() returns jsonb
language sql stable security definer set search_path = ''
as $$
  with moves (queue, at, came, weight) as (
    -- Undoing takes back what the decision counted, minutes before.
    select m.queue, a.at, m.came <> (a.action = 'undo'), case when a.action = 'undo' then -1 else 1 end
    from public.audit_log a cross join lateral (
      select a.after ->> 'status', true where a.after ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select a.before ->> 'status', false where a.before ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select 'archive-requested', coalesce(a.after ->> 'archive_requested', '') = 'true'
        where 'true' in (a.after ->> 'archive_requested', a.before ->> 'archive_requested')) m (queue, came)
    where a.at > now() - interval '28 days' and a.subject = 'places' and private.is_queue_move(a.before, a.after)
    union all
    select 'feedback', f.created_at, true, 1 from public.feedback f where f.created_at > now() - interval '28 days'
    union all
    select 'reports', e.created_at, true, 1 from public.events e
      where e.event_name = 'report_listing' and e.created_at > now() - interval '28 days'
    union all
    select case a.subject when 'events' then 'reports' else a.subject end, a.at, false, 1
      from public.audit_log a
      where a.at > now() - interval '28 days'
        and (a.action, a.subject) in (('archive', 'feedback'), ('resolve', 'events'), ('dismiss', 'events'))
  ), weeks as (
    select m.queue, m.came, least(3, floor(extract(epoch from now() - m.at) / 604800))::integer as ago,
      greatest(sum(m.weight), 0) as count
    from moves m group by 1, 2, 3
  )
  select jsonb_object_agg(q.queue, jsonb_build_object(
    'came', array(select coalesce((select w.count from weeks w where w.queue = q.queue and w.came and w.ago = n), 0)
      from generate_series(3, 0, -1) n),
    'left', array(select coalesce((select w.count from weeks w where w.queue = q.queue and not w.came
        and w.ago = n), 0) from generate_series(3, 0, -1) n)))
  from unnest(array['new', 'pending-update', 'flagged', 'archive-requested', 'feedback', 'reports']) q (queue)
$$;

-- The admins who decided about most listings in the last four weeks, six at most: [{id, name, count}].
create function private.recent_deciders() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', d.actor, 'name', p.full_name, 'count', d.count)
    order by d.count desc, d.actor), '[]')
  from (select a.actor, count(*) from public.audit_log a
    where a.action in ('approve', 'request-changes', 'flag', 'archive', 'reject', 'reopen') and a.subject = 'places'
      and a.at > now() - interval '28 days' and a.actor is not null
    group by 1 order by 2 desc, 1 limit 6) d
  left join public.profiles p on p.id = d.actor
$$;

-- The admin dashboard in one call: how much there is of everything; how many items wait in each queue, since
-- when, and how many came and left in the last four weeks; who decided how much; the next four newsletters;
-- what fails (plans whose payment failed, refunds, and emails that were tried three times); and the five
-- listings that have waited longest.
create function private.review_dashboard() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  places jsonb := private.get_places_counts();
  queue record;
  queues jsonb := '{}';
  oldest bigint;
begin
  for queue in select * from (values ('new', '{"view": "new"}'::jsonb),
    ('pending-update', '{"view": "pending"}'),
    ('flagged', '{"view": "flagged"}'), ('archive-requested', '{"archive": "requested"}')) q (name, filter)
  loop
    oldest := (private.review_ids(queue.filter, null, false, 1))[1];
    queues := queues || jsonb_build_object(queue.name,
      jsonb_build_object('count', places -> queue.name, 'oldest',
      (select jsonb_build_object('id', p.id, 'name', p.name, 'since', coalesce(
          private.review_wait(p, (private.review_filter(queue.filter)).sort), p.modified_at))
        from public.places p where p.id = oldest)));
  end loop;
  return jsonb_build_object(
    'places', places, 'users', private.get_user_counts(), 'jobs', private.get_jobs_counts(), 'queues', queues,
    'feedback', (select jsonb_build_object('count', count(*), 'oldest', min(f.created_at)) from public.feedback f
      where not f.archived),
    'reports', (select jsonb_build_object('count', count(*), 'oldest', min(e.created_at)) from public.events e
      where e.state = 'open'),
    'weeks', private.queue_weeks(), 'deciders', private.recent_deciders(),
    'newsletters', jsonb_build_object('spots', private.spots_per_newsletter(), 'next', (
      select coalesce(jsonb_agg(jsonb_build_object('date', d.weekday_date, 'taken', d.sponsorship_count)
        order by d.weekday_date), '[]')
      from (select * from private.get_available_sponsorship_dates(4) order by weekday_date limit 4) d)),
    'failing', jsonb_build_object(
      'plans', (select count(*) from public.subscriptions s where s.status in ('past_due', 'unpaid') and not s.surplus),
      'refunds', (select count(*) from public.refunds r where r.status = 'failed'),
      'emails', (select count(*) from private.email_queue n where n.sent_at is null and n.attempts >= 3
        and n.created_at > now() - interval '7 days')),
    'no_email', private.review_total('{"view": "pending", "email": "no"}'),
    'longest', (select coalesce(jsonb_agg(jsonb_build_object(
        'id', p.id, 'name', p.name, 'status', p.status, 'since', p.since) order by p.since, p.id), '[]')
      from (select p.id, p.name, p.status, coalesce(p.waiting_since, p.modified_at) as since
        from unnest(private.review_ids('{"view": "new"}', null, false, 5)
          || private.review_ids('{"view": "pending"}', null, false, 5)) w (id)
        join public.places p on p.id = w.id order by since, p.id limit 5) p));
end $$;
create function public.review_dashboard() returns jsonb
language sql stable set search_path = ''
as $$ select private.review_dashboard() $$;

-- How many items wait in each queue, and the newest migration of this database, for the metrics: emails that are due,
-- newsletter spots held while their buyers pay, accounts to be deleted, and refunds that are not done. Only counts:
-- the people who watch the server learn nothing about anyone.
create function private.queue_lengths() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  migration text;
begin
  -- The CLI's own table, which a database that was made without it lacks.
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(version) from supabase_migrations.schema_migrations' into migration;
  end if;
  return jsonb_build_object('migration', migration, 'queues', jsonb_build_object(
    'emails_due', (select count(*) from private.due_emails),
    -- Five tries take 15 minutes. (One that isn't sent anymore, as it is outdated, isn't tried again either.)
    'emails_failing', (select count(*) from private.email_queue n where n.sent_at is null and n.attempts >= 5
      and n.next_try_at > now() - interval '1 hour' and n.next_try_at < 'infinity'
      and n.created_at > now() - interval '7 days'),
    'spots_held', (select count(*) from public.sponsorship_spots s where s.held_until > now()),
    'deletions_due', (select count(*) from private.account_deletions d where d.due_at <= now()),
    'refunds_open', (select count(*) from public.refunds r where r.status in ('requested', 'pending', 'failed'))));
end $$;
create function public.queue_lengths() returns jsonb
language sql stable set search_path = ''
as $$ select private.queue_lengths() $$;

-- ---------------------------------------------------------------- grants

grant execute on function
  private.needs_completion(places, boolean),
  private.owes_payment(places),
  private.asks_for_payment(places),
  private.attention(places, boolean),
  private.needs_owner_attention(places),
  private.needs_manager_attention(places),
  public.my_listings(text, bigint, bigint, integer, boolean),
  public.my_dashboard(text, text, integer, integer),
  public.my_home(),
  private.admin_counts(),
  private.count_new_leads(),
  public.my_counts(),
  private.review_dashboard(),
  public.review_dashboard()
  to authenticated;

grant execute on function
  private.queue_lengths(),
  public.queue_lengths()
  to service_role;
