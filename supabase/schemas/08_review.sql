-- The review desk: which admin reviews which listing now, the table of listings with its filters, orders and pages,
-- one listing with everything that an admin needs to decide, saved views, and the download. Row level security may
-- not use a text index before it has checked each row, so the search runs in functions that first check who is
-- asking. Deciding on listings is in decisions.

-- ---------------------------------------------------------------- tables

-- Review locks: who reviews which listing now, so that two admins do not do the same work. A lock
-- informs the other admins and prevents nothing. What keeps a decision from overwriting another is
-- the listing's version.
create table private.review_locks (
  place_id bigint primary key references public.places (id) on delete cascade,
  admin uuid not null references public.profiles (id) on delete cascade,
  since timestamptz not null,
  until timestamptz not null
);
create index review_locks_admin on private.review_locks (admin);

-- Filters of the review desk that an admin has named, for themselves alone.
create table public.saved_views (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  name text not null check (btrim(name) <> '' and length(name) <= 60),
  -- The filter of review_listings: an object of strings.
  filter jsonb not null check (jsonb_typeof(filter) = 'object' and octet_length(filter::text) <= 8192),
  created_at timestamptz not null default now(),
  -- Saving again under the same name changes it.
  unique (owner, name),
  constraint view_date_is_finite check (isfinite(created_at))
);

-- ---------------------------------------------------------------- functions

-- Locks a listing for the caller's review for 15 minutes, or for 15 more. False when another admin holds the lock and
-- take-over isn't requested, or when there is no such listing. It uses the wall clock, because a transaction that had
-- to wait began earlier than the lock it waited for.
create function private.lock_for_review(place_id bigint, take_over boolean) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_rights(me is not null);
  insert into private.review_locks as c (place_id, admin, since, until)
  select p.id, me, clock_timestamp(), clock_timestamp() + interval '15 minutes'
  from public.places p where p.id = lock_for_review.place_id
  on conflict on constraint review_locks_pkey do update set admin = excluded.admin, until = excluded.until,
    since = case when c.admin = excluded.admin and c.until > excluded.since then c.since
      else excluded.since end
  where c.admin = excluded.admin or c.until <= excluded.since or take_over is true;
  return found;
end $$;

-- Who reviews a listing now: {id, name, mine, since, until}; null when no one does.
create function private.current_reviewer(place_id bigint) returns jsonb
language sql volatile security definer set search_path = ''
as $$
  select jsonb_build_object('id', c.admin, 'name', a.full_name, 'mine', c.admin = private.user_id(),
    'since', c.since, 'until', c.until)
  from private.review_locks c join public.profiles a on a.id = c.admin
  where c.place_id = current_reviewer.place_id and c.until > clock_timestamp()
$$;

-- Opens a listing for the caller's review. Returns {locked, reviewer}; null when there is no such
-- listing. A lock that another admin holds is taken over only when that is requested.
create function private.lock_listing_for_review(id bigint, take_over boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked boolean;
begin
  perform private.require_admin();
  locked := private.lock_for_review(id, take_over);
  if not exists (select from public.places p where p.id = lock_listing_for_review.id) then
    return null;
  end if;
  return jsonb_build_object('locked', locked, 'reviewer', private.current_reviewer(id));
end $$;
create function public.lock_listing_for_review(id bigint, take_over boolean default false) returns jsonb
language sql volatile set search_path = ''
as $$ select private.lock_listing_for_review(id, take_over) $$;

-- Releases the caller's review lock; true when there was one.
create function private.release_review_lock(id bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = release_review_lock.id and c.admin = private.user_id();
  return found;
end $$;
create function public.release_review_lock(id bigint) returns boolean
language sql volatile set search_path = ''
as $$ select private.release_review_lock(id) $$;

-- What a filter selects, as a condition on a listing p, and the order. The filter is an object of
-- strings; an absent, null or blank value selects everything. A value that is not listed below
-- matches no listing, so that a mistake never selects more than was intended.
--   view      all, new, pending, flagged, premium
--   search    words of the name, by how they begin; see private.search_query
--   status, category (id), state; premium, email (has an owner_email): yes, no
--   complete  yes, no: has both owner_email and state, which approving requires
--   age       has waited at least this many days
--   edit      contact, phone, address, description, category, other: all that the edit changes;
--             name: it changes the name, whatever else it changes
--   archive   requested
--   asked     yes, no: whether changes were requested from the owner
--   sort      oldest, newest (by the beginning of the wait, or else by the last change), name, featured (by when they
--             became premium)
-- Of requested removals, the wait is that of the request, and the order is oldest-request, newest-request or
-- name-request.
create function private.review_filter(filter jsonb, out condition text, out sort text)
language plpgsql stable set search_path = ''
as $$
declare
  item record;
  part text;
  parts text[] := '{}';
  requests constant boolean := coalesce(filter ->> 'archive', '') = 'requested';
begin
  sort := coalesce(nullif(filter ->> 'sort', ''), case filter ->> 'view' when 'premium' then 'featured'
    else 'oldest' end);
  if sort = 'featured' then
    parts := array['p.premium'];
  elsif sort not in ('oldest', 'newest', 'name') then
    parts := array['false'];
  elsif requests then
    sort := sort || '-request';
  end if;
  if jsonb_typeof(filter) <> 'object' then
    filter := '{"view": "none"}';
  end if;
  for item in select key, value from jsonb_each_text(filter) where value <> '' and key <> 'sort' loop
    part := case item.key
      when 'view' then case item.value
        when 'all' then 'true'
        when 'new' then 'p.status = ''new'''
        when 'pending' then 'p.status = ''pending-update'''
        when 'flagged' then 'p.status = ''flagged'''
        when 'premium' then 'p.premium' end
      when 'search' then format('p.name_search @@ %L::tsquery', private.search_query(item.value))
      when 'status' then case when item.value in ('new', 'flagged', 'archived', 'pending-update',
        'published')
        then format('p.status = %L', item.value) end
      when 'category' then case when item.value ~ '^[0-9]{1,18}$'
        then format('p.category = %s', item.value) end
      when 'state' then format('p.state = %L', item.value)
      when 'premium' then case item.value when 'yes' then 'p.premium' when 'no' then 'not p.premium' end
      when 'email' then case item.value
        when 'yes' then 'p.owner_email is not null' when 'no' then 'p.owner_email is null' end
      when 'complete' then case item.value
        when 'yes' then 'private.missing_for_approval(p.owner_email, p.state) = ''{}'''
        when 'no' then 'private.missing_for_approval(p.owner_email, p.state) <> ''{}''' end
      when 'age' then case when item.value ~ '^[0-9]{1,5}$'
        then format('%s <= %L', private.review_key(case when requests then 'oldest-request' else 'oldest' end),
          now() - make_interval(days => item.value::integer)) end
      when 'edit' then 'p.status = ''pending-update'' and ' || case
        when item.value in ('contact', 'address', 'description', 'category', 'other')
        then format('private.edit_kind(p.last_update) = %L', item.value)
        when item.value = 'phone'
        then 'private.edit_kind(p.last_update) = ''contact'' and p.last_update - ''phone'' = ''{}'''
        when item.value = 'name' then 'p.last_update ? ''name''' end
      when 'archive' then case item.value when 'requested'
        then 'p.archive_requested and p.status <> ''archived''' end
      when 'asked' then case item.value
        when 'yes' then 'p.changes_requested is not null' when 'no' then 'p.changes_requested is null' end
    end;
    parts := parts || coalesce(part, 'false');
  end loop;
  select coalesce(string_agg(distinct p, ' and '), 'true') into condition from unnest(parts) p
    where p <> 'true';
end $$;

-- What an order sorts by, of a listing p.
create function private.review_key(sort text) returns text
language sql immutable set search_path = ''
as $$
  select case when sort like 'name%' then 'p.name_key'
    when sort = 'featured' then 'coalesce(p.premium_created_at, ''infinity'')'
    when sort like '%-request' then 'coalesce(p.removal_requested_at, p.waiting_since, p.modified_at)'
    else 'coalesce(p.waiting_since, p.modified_at)' end
$$;

-- Since when a listing waits, as an order counts it, if it was changed while it waited.
create function private.review_wait(place public.places, sort text) returns timestamptz
language sql stable set search_path = ''
as $$
  select coalesce(case when sort like '%-request' then place.removal_requested_at end, place.waiting_since)
$$;

-- A position in an order, at which a page can begin: the listing's id and what it is sorted by.
create function private.review_cursor(place public.places, sort text) returns text
language sql stable set search_path = ''
as $$
  select place.id || '~' || case
    -- (In an address, some characters take twelve.)
    when sort like 'name%' then left(place.name_key, 200)
    when sort = 'featured' then coalesce((extract(epoch from place.premium_created_at) * 1000000)::bigint::text,
      'none')
    else (extract(epoch from coalesce(private.review_wait(place, sort), place.modified_at)) * 1000000)::bigint::text end
$$;

-- The listings that a filter finds, in its order, `max_rows` at most: all of them, or those after a
-- cursor, or (backwards) those before it, nearest first. Null when the cursor is invalid.
-- `condition` may narrow it further.
create function private.review_ids(filter jsonb, cursor text, backwards boolean, max_rows integer,
  condition text default 'true')
returns bigint[]
language plpgsql stable security definer set search_path = '' set jit = off
as $$
declare
  parsed record := private.review_filter(filter);
  key text := private.review_key(parsed.sort);
  down boolean := (parsed.sort like 'newest%') <> coalesce(backwards, false);
  by_name boolean := parsed.sort like 'name%';
  at text[] := regexp_match(cursor, '^([0-9]{1,18})~(.*)$');
  from_here text := '';
  ids bigint[];
begin
  if cursor is not null then
    if at is null or (not by_name and at[2] !~ '^([0-9]{1,17}|none)$') then
      return null;
    end if;
    if by_name and length(at[2]) >= 200 then
      -- Of a longer name it has the beginning.
      at[2] := coalesce((select p.name_key from public.places p
        where p.id = at[1]::bigint and starts_with(p.name_key, at[2])), at[2]);
    end if;
    from_here := format('and (%s, p.id) %s (%s, %s)', key, case when down then '<' else '>' end,
      case when by_name then quote_literal(at[2])
        else quote_literal(case at[2] when 'none' then 'infinity'
          else 'epoch'::timestamptz + at[2]::bigint * interval '1 microsecond' end) || '::timestamptz' end,
      at[1]);
  end if;
  execute format(
    'select array(select p.id from public.places p where %1$s and %2$s %3$s order by %4$s %5$s, p.id %5$s limit %6$s)',
    parsed.condition, review_ids.condition, from_here, key, case when down then 'desc' else 'asc' end, max_rows)
  into ids;
  return ids;
end $$;

-- What an edit that waits for review changed: [{column, before, after}], the most important first. A position has both
-- of its coordinates, also when only one has changed.
create function private.edit_changes(place public.places) returns json
language sql stable set search_path = ''
as $$
  select json_agg(json_build_object('column', e.key, 'before', e.value, 'after', current_values.row -> e.key)
    order by array_position(private.reviewed_columns(), e.key))
  from (select to_jsonb(place) as row offset 0) current_values, jsonb_each(
    case when place.last_update ?| array['lat', 'long'] then jsonb_build_object('lat', place.lat, 'long', place.long) else '{}' end
      || place.last_update) e
$$;

-- What the table shows of listings, in the order of the list of ids. As text (json): only the
-- reader parses it, and jsonb would cost three times as much. The owners' own addresses and numbers
-- are masked, as in every list.
create function private.review_rows(ids bigint[], sort text) returns json
language plpgsql stable security definer set search_path = '' set jit = off
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'name', p.name, 'category', p.category, 'category_name', c.name,
        'city', p.city, 'state', p.state, 'country', p.country, 'status', p.status, 'premium', p.premium,
        'premium_created_at', p.premium_created_at, 'hidden', p.hidden, 'archive_requested',
          p.archive_requested,
        'owner', p.owner, 'owner_name', o.full_name, 'owner_email', private.masked_email(p.owner_email),
          'phone', p.phone,
        'public_email', p.public_email, 'url', p.url, 'created_at', p.created_at, 'modified_at',
          p.modified_at, 'waiting_since', private.review_wait(p, sort),
        'changes_requested', p.changes_requested, 'kind', private.edit_kind(p.last_update),
        'changes', case when p.last_update = '{}' then '[]' else private.edit_changes(p) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = private.user_id(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort),
        'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open')
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_locks r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $$;

-- How many listings a filter finds: {total, more}. Always exact when it selects by one value that
-- has a counter. Otherwise counted up to 1,000, and `more` says whether there are more.
create function private.review_total(filter jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' set jit = off
as $$
declare
  max_counted constant integer := 1000;
  condition text := (private.review_filter(filter)).condition;
  counter text := case condition
    when 'true' then 'total'
    when 'p.premium' then 'premium'
    when 'p.archive_requested and p.status <> ''archived''' then 'archive-requested'
    else substring(condition from '^p\.status = ''([a-z-]+)''$') end;
  total bigint;
begin
  if counter is not null then
    select coalesce(sum(amount), 0) into total from private.counter_values('places:') where name = counter;
    return jsonb_build_object('total', total, 'more', false);
  end if;
  execute format('select count(*) from (select from public.places p where %s limit %s) found', condition,
    max_counted + 1)
  into total;
  return jsonb_build_object('total', least(total, max_counted), 'more', total > max_counted);
end $$;

-- Every state that occurs in published listings, 500 at most, found without reading the listings. (Not in others: anyone
-- could add listings of many made-up states, and push the real ones out.)
create function private.listing_states() returns jsonb
language sql stable security definer set search_path = ''
as $$
  with recursive each_state (state, n) as (
    (select p.state, 1 from public.places p where p.status = 'published' and p.state > '' order by p.state limit 1)
    union all
    select (select p.state from public.places p where p.status = 'published' and p.state > e.state
        order by p.state limit 1), e.n + 1
    from each_state e where e.state is not null and e.n < 500
  )
  select coalesce(jsonb_agg(state order by state) filter (where state is not null), '[]') from each_state
$$;

-- A page of the table: `page_rows` (1 to 250) listings that the filter finds, after a cursor or
-- before one. It is the first page without a cursor, with an invalid one, and when no rows remain
-- at the cursor.
-- Returns {total, more, rows, next, previous, first, states, counts}; next and previous are cursors,
-- or null. `counts` has the total of each of the filters in `also`, 20 at most, in their order.
create function private.review_listings(filter jsonb, after text, before text, page_rows integer,
  also jsonb) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := private.page_size(page_rows, 250);
  sort text := (private.review_filter(filter)).sort;
  total jsonb;
  backwards boolean := before is not null;
  ids bigint[];
  more_before boolean;
  more_after boolean;
begin
  perform private.require_admin();
  total := private.review_total(filter);
  ids := private.review_ids(filter, coalesce(before, after), backwards, size + 1);
  if ids is null or cardinality(ids) = 0 or (backwards and cardinality(ids) < size) then
    -- No rows remain at the cursor, or less than a page before it.
    ids := private.review_ids(filter, null, false, size + 1);
    backwards := false;
    after := null;
  end if;
  more_before := case when backwards then cardinality(ids) > size else after is not null end;
  more_after := backwards or cardinality(ids) > size;
  ids := ids[1:size];
  if backwards then
    ids := array(select id from unnest(ids) with ordinality w (id, n) order by n desc);
  end if;
  return json_build_object('total', total -> 'total', 'more', total -> 'more',
    'rows', private.review_rows(ids, sort), 'first', not more_before,
    'previous', (select private.review_cursor(p, sort) from public.places p where p.id = ids[1]
      and more_before),
    'next', (select private.review_cursor(p, sort) from public.places p where p.id = ids[cardinality(ids)]
      and more_after),
    'states', private.listing_states(),
    'counts', (select coalesce(json_agg(private.review_total(f.value) order by f.n), '[]')
      from jsonb_array_elements(case jsonb_typeof(also) when 'array' then also else '[]' end)
        with ordinality f (value, n) where f.n <= 20));
end $$;
create function public.review_listings(
  filter jsonb default '{}', after text default null, before text default null, page_rows integer default 250,
    also jsonb default '[]')
returns json
language sql stable set search_path = ''
as $$ select private.review_listings(filter, after, before, page_rows, also) $$;

-- When a listing was last taken off the directory, and whether its owner had asked for that: {at, requested}. It
-- comes from the log, which nothing deletes, whatever has happened to the listing since. Null when it never was taken
-- off, when that was undone, and once the listing is public again.
create function private.last_removal(place_id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('at', r.at, 'requested', coalesce(r.before ->> 'archive_requested', (
      select a.after ->> 'archive_requested' from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and (a.at, a.id) <= (r.at, r.id)
        and private.is_state_change(a.after) and a.after ? 'archive_requested'
      order by a.at desc, a.id desc limit 1), 'false') = 'true')
  from (
    select m.* from public.audit_log m
    where m.subject = 'places' and m.subject_id = place_id::text and private.is_state_change(m.after)
      and m.action <> 'undo' and m.after ->> 'status' in ('archived', 'published', 'pending-update')
      and (select n.action from public.audit_log n
        where n.subject = 'places' and n.subject_id = place_id::text and (n.at, n.id) > (m.at, m.id)
          and private.is_state_change(n.after) and n.after ? 'status'
        order by n.at, n.id limit 1) is distinct from 'undo'
    order by m.at desc, m.id desc limit 1
  ) r
  where r.after ->> 'status' = 'archived'
$$;

-- One listing with everything that an admin needs to decide; null when there is none. In the order of a filter: its
-- cursor, the listings next to it (whether or not the filter still finds it), and how many are found.
create function private.review_listing(id bigint, filter jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  sort constant text := (private.review_filter(filter)).sort;
  place_cursor text;
begin
  perform private.require_admin();
  select private.review_cursor(p, sort) into place_cursor from public.places p where p.id = review_listing.id;
  return (
    select (private.review_rows(array[p.id], sort) -> 0)::jsonb || private.review_total(filter)
      || jsonb_build_object(
      'listing', to_jsonb(p) - array['name_search', 'name_key', 'submission_id', 'leads_from'],
      'online_category_names', array(select c.name from public.categories c
        where c.id = any (p.online_categories) order by c.name),
      'owner_profile', (select jsonb_build_object('id', o.id, 'full_name', o.full_name,
        'email', private.masked_email(o.email), 'phone', private.masked_phone(o.phone), 'pronouns',
          o.pronouns) from public.profiles o where o.id = p.owner),
      'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open'),
      'removal', private.last_removal(p.id),
      'next', (private.review_ids(filter, place_cursor, false, 1))[1],
      'previous', (private.review_ids(filter, place_cursor, true, 1))[1])
    from public.places p where p.id = review_listing.id);
end $$;
create function public.review_listing(id bigint, filter jsonb default '{}') returns jsonb
language sql stable set search_path = ''
as $$ select private.review_listing(id, filter) $$;

-- The first listing after a cursor that no other admin reviews, locked for the caller from now on:
-- {id, cursor}, or null at the end. `leaving` is the listing that the caller has finished. With
-- `approvable`, listings that lack what approving requires are skipped, unless the filter asks for
-- them.
create function private.lock_next_listing_for_review(filter jsonb, after text, leaving bigint,
  approvable boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sort text := (private.review_filter(filter)).sort;
  candidate bigint;
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = leaving and c.admin = private.user_id();
  foreach candidate in array coalesce(private.review_ids(filter, after, false, 50,
    'not exists (select from private.review_locks c where c.place_id = p.id and c.until > now() and c.admin <> (select private.user_id()))'
      || case when approvable and 'no' not in (coalesce(filter ->> 'email', ''), coalesce(filter ->> 'complete', ''))
        then ' and private.missing_for_approval(p.owner_email, p.state) = ''{}''' else '' end),
    '{}')
  loop
    -- Another admin may have been faster.
    if private.lock_for_review(candidate, false) then
      return (select jsonb_build_object('id', p.id, 'cursor', private.review_cursor(p, sort))
        from public.places p where p.id = candidate);
    end if;
  end loop;
  return null;
end $$;
create function public.lock_next_listing_for_review(filter jsonb default '{}', after text default null,
  leaving bigint default null, approvable boolean default false)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.lock_next_listing_for_review(filter, after, leaving, approvable) $$;

-- All listings that a filter finds, in its order, `page_rows` (1 to 1000) at a time, or fewer with long texts
-- (private.page_bytes): {rows, next}.
-- Owners' email addresses are masked, and what may be their home omitted (mailing addresses, and addresses as they were
-- typed where the public sees only roughly where a listing is), unless `entry` is the audit entry of an export that the
-- caller began in the last hour.
create function private.export_listings(filter jsonb, after text, page_rows integer,
  entry bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := private.page_size(page_rows, 1000);
  sort text := (private.review_filter(filter)).sort;
  ids bigint[];
begin
  perform private.require_admin();
  perform private.require_export(entry, 'listings', filter);
  ids := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
  select least(size, 1 + count(*) filter (where s.bytes <= private.page_bytes())) into size from (
    select sum(coalesce(octet_length(p.description), 0) + octet_length(array_to_string(p.licensed_locations, '')))
      over (order by w.n) as bytes
    from unnest(ids[1:size]) with ordinality w (id, n) join public.places p on p.id = w.id) s;
  return jsonb_build_object(
    'rows', (select coalesce(jsonb_agg(to_jsonb(p) - array['name_search', 'name_key', 'submission_id',
      'last_update', 'leads_from']
          || jsonb_build_object('category_name', c.name, 'owner_name', o.full_name)
          || case when entry is null then jsonb_build_object('mailingaddress', null, 'owner_email',
            private.masked_email(p.owner_email)) || case when p.address_approximate
              or (p.last_update -> 'address_approximate')::boolean then '{"rawaddress": null}'::jsonb else '{}' end
            else '{}' end order by w.n), '[]')
      from unnest(ids[1:size]) with ordinality w (id, n)
      join public.places p on p.id = w.id
      join public.categories c on c.id = p.category
      left join public.profiles o on o.id = p.owner),
    'next', (select private.review_cursor(p, sort) from public.places p
      where p.id = ids[size] and cardinality(ids) > size));
end $$;
create function public.export_listings(
  filter jsonb default '{}', after text default null, page_rows integer default 1000,
    entry bigint default null)
returns jsonb
language sql stable set search_path = ''
as $$ select private.export_listings(filter, after, page_rows, entry) $$;

create function private.guard_saved_view() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.name := private.one_line(new.name);
  if tg_op = 'UPDATE' then
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner := private.author(new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if (select count(*) from public.saved_views v where v.owner = new.owner and v.name <> new.name) >= 20 then
    perform private.refuse('too_many_saved_views');
  end if;
  return new;
end $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_guard before insert or update on public.saved_views
  for each row execute function private.guard_saved_view();

-- ---------------------------------------------------------------- policies

alter table private.review_locks enable row level security;
create policy "no access" on private.review_locks for all to anon, authenticated using (false);

alter table public.saved_views enable row level security;
create policy "expect one row" on public.saved_views as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "own, admins only" on public.saved_views for all to authenticated
  using (owner = (select private.user_id()) and (select private.is_admin()))
  with check (owner = (select private.user_id()) and (select private.is_admin()));

-- ---------------------------------------------------------------- grants

grant select, insert, update, delete on public.saved_views to authenticated;

grant execute on function
  private.lock_listing_for_review(bigint, boolean),
  public.lock_listing_for_review(bigint, boolean),
  private.release_review_lock(bigint),
  public.release_review_lock(bigint),
  private.review_listings(jsonb, text, text, integer, jsonb),
  public.review_listings(jsonb, text, text, integer, jsonb),
  private.review_listing(bigint, jsonb),
  public.review_listing(bigint, jsonb),
  private.lock_next_listing_for_review(jsonb, text, bigint, boolean),
  public.lock_next_listing_for_review(jsonb, text, bigint, boolean),
  private.export_listings(jsonb, text, integer, bigint),
  public.export_listings(jsonb, text, integer, bigint)
  to authenticated;
