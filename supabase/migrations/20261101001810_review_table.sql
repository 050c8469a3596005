-- The table of the review desk: one function for every view, filter, order and page of it. Row level
-- security may not use a text index before it has judged each row, so the search runs in functions that
-- ask first who is asking.

-- ---------------------------------------------------------------- what listings are found and sorted by

-- A name as people look for it: "cafe" finds "Café", and "bar" finds "Café/Bar".
alter table public.places add column name_key text collate "C" not null default '';

create function private.write_name_words() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.name_key := private.folded(new.name);
  new.name_search := to_tsvector('simple', new.name_key
    || case when new.name_key ~ '[@.+_/-]' then ' ' || translate(new.name_key, '@.+_/-', '      ') else '' end);
  return new;
end $$;
-- By its name it runs after the guard.
create trigger guarded_name_words before insert or update of name, name_key, name_search on public.places
  for each row execute function private.write_name_words();

-- Nobody has edited these listings: no version, no audit entry, no place in the queue.
alter table public.places disable trigger user;
alter table public.places enable trigger guarded_name_words;
update public.places set name = name;
alter table public.places enable trigger user;

-- What a waiting edit touches, when that is all it touches; other when it touches several kinds, or
-- anything else, such as the name; null when there is none. An index keeps what it says: whoever changes
-- it makes places_edit_kind anew.
create function private.edit_kind(last_update jsonb) returns text
language sql immutable set search_path = ''
as $$
  select case
    when last_update = '{}' then null
    when last_update - array['public_email', 'phone', 'mailingaddress', 'url', 'tiktok', 'instagram',
      'xtwitter', 'youtube', 'facebook', 'linkedin'] = '{}' then 'contact'
    when last_update - array['rawaddress', 'address', 'address_approximate', 'city', 'state', 'country',
      'postalcode', 'lat', 'long'] = '{}' then 'address'
    when last_update - 'description' = '{}' then 'description'
    when last_update - array['category', 'online_categories', 'licensed_locations'] = '{}' then 'category'
    else 'other'
  end
$$;

-- Whoever writes a listing keeps its index and its words.
grant execute on function private.edit_kind(jsonb), private.folded(text) to authenticated, service_role;

create index places_name on public.places (name_key, id);
drop index public.places_premium;
create index places_premium on public.places (coalesce(premium_created_at, 'infinity'), id) where premium;
create index places_edit_kind on public.places (private.edit_kind(last_update), modified_at, id)
  where status = 'pending-update';
create index places_incomplete on public.places (modified_at, id)
  where owner_email is null or coalesce(state, '') = '';
create index places_archive_requested on public.places (modified_at, id)
  where archive_requested and status <> 'archived';
create index places_changes_requested on public.places (modified_at, id) where changes_requested is not null;

-- Requests for archiving are counted as the rest are.
create or replace function private.get_places_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object('new', 0, 'flagged', 0, 'archived', 0, 'pending-update', 0, 'published', 0,
      'premium', 0, 'archive-requested', 0, 'total', 0)
    || coalesce((select jsonb_object_agg(name, amount) from private.counter_values('places:')), '{}');
end $$;
drop trigger count_insert on public.places;
drop trigger count_update on public.places;
drop trigger count_delete on public.places;
create trigger count_insert after insert on public.places referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
create trigger count_update after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
create trigger count_delete after delete on public.places referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
insert into private.counters (name, amount)
select 'places:archive-requested', count(*) from public.places where archive_requested and status <> 'archived'
having count(*) > 0;

-- ---------------------------------------------------------------- filters

-- What a filter asks for, as a condition on a listing p, and the order. The filter is an object of
-- strings; what is absent, null or blank asks for nothing. A value that is none of those listed below
-- matches no listing, so that a mistake never selects more than was meant.
--   view      all, new, pending, flagged, premium
--   search    words of the name, in the syntax of web searches
--   status, category (id), state; premium, email (has an owner_email): yes, no
--   complete  yes, no: has both owner_email and state, which approving takes
--   age       has waited so many days at least
--   edit      contact, phone, address, description, category, other: all that the waiting edit touches
--   archive   requested
--   asked     yes, no: whether changes were requested of the owner
--   sort      oldest, newest (by the last change), name, featured (by when they became premium)
create function private.review_filter(filter jsonb, out condition text, out sort text)
language plpgsql stable set search_path = ''
as $$
declare
  asked record;
  part text;
  parts text[] := '{}';
begin
  sort := coalesce(nullif(filter ->> 'sort', ''), case filter ->> 'view' when 'premium' then 'featured' else 'oldest' end);
  if sort = 'featured' then
    parts := array['p.premium'];
  elsif sort not in ('oldest', 'newest', 'name') then
    parts := array['false'];
  end if;
  if jsonb_typeof(filter) <> 'object' then
    filter := '{"view": "none"}';
  end if;
  for asked in select key, value from jsonb_each_text(filter) where value <> '' and key <> 'sort' loop
    part := case asked.key
      when 'view' then case asked.value
        when 'all' then 'true'
        when 'new' then 'p.status = ''new'''
        when 'pending' then 'p.status = ''pending-update'''
        when 'flagged' then 'p.status = ''flagged'''
        when 'premium' then 'p.premium' end
      when 'search' then format('p.name_search @@ %L::tsquery',
        -- Folding may lengthen a word beyond what a query can hold.
        websearch_to_tsquery('simple', left(private.folded(left(asked.value, 200)), 500)))
      when 'status' then case when asked.value in ('new', 'flagged', 'archived', 'pending-update', 'published')
        then format('p.status = %L', asked.value) end
      when 'category' then case when asked.value ~ '^[0-9]{1,18}$' then format('p.category = %s', asked.value) end
      when 'state' then format('p.state = %L', asked.value)
      when 'premium' then case asked.value when 'yes' then 'p.premium' when 'no' then 'not p.premium' end
      when 'email' then case asked.value
        when 'yes' then 'p.owner_email is not null' when 'no' then 'p.owner_email is null' end
      when 'complete' then case asked.value
        when 'yes' then 'not (p.owner_email is null or coalesce(p.state, '''') = '''')'
        when 'no' then '(p.owner_email is null or coalesce(p.state, '''') = '''')' end
      when 'age' then case when asked.value ~ '^[0-9]{1,5}$'
        then format('p.modified_at <= %L', now() - make_interval(days => asked.value::integer)) end
      when 'edit' then 'p.status = ''pending-update'' and ' || case
        when asked.value in ('contact', 'address', 'description', 'category', 'other')
        then format('private.edit_kind(p.last_update) = %L', asked.value)
        when asked.value = 'phone'
        then 'private.edit_kind(p.last_update) = ''contact'' and p.last_update - ''phone'' = ''{}''' end
      when 'archive' then case asked.value when 'requested' then 'p.archive_requested and p.status <> ''archived''' end
      when 'asked' then case asked.value
        when 'yes' then 'p.changes_requested is not null' when 'no' then 'p.changes_requested is null' end
    end;
    parts := parts || coalesce(part, 'false');
  end loop;
  select coalesce(string_agg(distinct p, ' and '), 'true') into condition from unnest(parts) p where p <> 'true';
end $$;

-- A place in an order, to begin a page at: the listing's id and what it is sorted by.
create function private.review_cursor(place public.places, sort text) returns text
language sql stable set search_path = ''
as $$
  select place.id || '~' || case sort
    when 'name' then place.name_key
    when 'featured' then coalesce((extract(epoch from place.premium_created_at) * 1000000)::bigint::text, 'none')
    else (extract(epoch from place.modified_at) * 1000000)::bigint::text end
$$;

-- The listings that a filter finds, in its order, `most` at most: all, or those after a cursor, or
-- (backwards) those before it, the nearest first. Null when the cursor is none. `condition` may say more.
create function private.review_ids(filter jsonb, cursor text, backwards boolean, most integer, condition text default 'true')
returns bigint[]
language plpgsql stable security definer set search_path = '' set jit = off
as $$
declare
  asked record := private.review_filter(filter);
  key text := case asked.sort when 'name' then 'p.name_key'
    when 'featured' then 'coalesce(p.premium_created_at, ''infinity'')' else 'p.modified_at' end;
  down boolean := (asked.sort = 'newest') <> coalesce(backwards, false);
  at text[] := regexp_match(cursor, '^([0-9]{1,18})~(.*)$');
  from_here text := '';
  ids bigint[];
begin
  if cursor is not null then
    if at is null or (asked.sort <> 'name' and at[2] !~ '^([0-9]{1,17}|none)$') then
      return null;
    end if;
    from_here := format('and (%s, p.id) %s (%s, %s)', key, case when down then '<' else '>' end,
      case when asked.sort = 'name' then quote_literal(at[2])
        else quote_literal(case at[2] when 'none' then 'infinity'
          else 'epoch'::timestamptz + at[2]::bigint * interval '1 microsecond' end) || '::timestamptz' end,
      at[1]);
  end if;
  execute format(
    'select array(select p.id from public.places p where %1$s and %2$s %3$s order by %4$s %5$s, p.id %5$s limit %6$s)',
    asked.condition, review_ids.condition, from_here, key, case when down then 'desc' else 'asc' end, most)
  into ids;
  return ids;
end $$;

-- ---------------------------------------------------------------- rows and pages

-- What the table shows of listings, in the order of their ids in the list. As text (json): nobody but
-- the reader takes it apart, and jsonb would cost three times as much. Owners' own addresses and numbers
-- are masked, as they are in every list.
create function private.review_rows(ids bigint[], sort text) returns json
language plpgsql stable security definer set search_path = '' set jit = off
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'name', p.name, 'category', p.category, 'category_name', c.name,
        'city', p.city, 'state', p.state, 'country', p.country, 'status', p.status, 'premium', p.premium,
        'premium_created_at', p.premium_created_at, 'hidden', p.hidden, 'archive_requested', p.archive_requested,
        'owner', p.owner, 'owner_name', o.full_name, 'owner_email', private.masked_email(p.owner_email), 'phone', p.phone,
        'public_email', p.public_email, 'url', p.url, 'created_at', p.created_at, 'modified_at', p.modified_at,
        'changes_requested', p.changes_requested, 'kind', private.edit_kind(p.last_update),
        'changes', case when p.last_update = '{}' then '[]' else (
          select json_agg(json_build_object('column', e.key, 'before', e.value, 'after', now_is.row -> e.key)
            order by array_position(private.reviewed_columns(), e.key))
          from (select to_jsonb(p) as row offset 0) now_is, jsonb_each(p.last_update) e) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = auth.uid(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort)
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_claims r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $$;

-- How many a filter finds: {total, more}. Exact whatever the number when it asks for one thing that is
-- kept counted; otherwise counted up to 1,000, and `more` says whether there are more.
create function private.review_total(filter jsonb) returns jsonb
language plpgsql stable security definer set search_path = '' set jit = off
as $$
declare
  most constant integer := 1000;
  condition text := (private.review_filter(filter)).condition;
  counted text := case condition
    when 'true' then 'total'
    when 'p.premium' then 'premium'
    when 'p.archive_requested and p.status <> ''archived''' then 'archive-requested'
    else substring(condition from '^p\.status = ''([a-z-]+)''$') end;
  total bigint;
begin
  if counted is not null then
    select coalesce(sum(amount), 0) into total from private.counter_values('places:') where name = counted;
    return jsonb_build_object('total', total, 'more', false);
  end if;
  execute format('select count(*) from (select from public.places p where %s limit %s) found', condition, most + 1)
  into total;
  return jsonb_build_object('total', least(total, most), 'more', total > most);
end $$;

-- Every state that listings name, 500 at most, found without reading the listings.
create function private.states_of_listings() returns jsonb
language sql stable security definer set search_path = ''
as $$
  with recursive each_state (state, n) as (
    (select p.state, 1 from public.places p where p.state > '' order by p.state limit 1)
    union all
    select (select p.state from public.places p where p.state > e.state order by p.state limit 1), e.n + 1
    from each_state e where e.state is not null and e.n < 500
  )
  select coalesce(jsonb_agg(state order by state) filter (where state is not null), '[]') from each_state
$$;

-- A page of the table: `page_rows` (1 to 250) listings that the filter finds, after a cursor or before
-- one; the first page without either, with one that is none, and when nothing is left there.
-- Gives {total, more, rows, next, previous, first, states}; next and previous are cursors, or null.
create function private.review_listings(filter jsonb, after text, before text, page_rows integer) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := least(greatest(coalesce(page_rows, 250), 1), 250);
  sort text := (private.review_filter(filter)).sort;
  total jsonb := private.review_total(filter);
  backwards boolean := before is not null;
  ids bigint[];
  more_before boolean;
  more_after boolean;
begin
  perform private.require_admin();
  ids := private.review_ids(filter, coalesce(before, after), backwards, size + 1);
  if ids is null or cardinality(ids) = 0 or (backwards and cardinality(ids) < size) then
    -- Nothing stands there any more, or less than a page before what it should end at.
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
    'previous', (select private.review_cursor(p, sort) from public.places p where p.id = ids[1] and more_before),
    'next', (select private.review_cursor(p, sort) from public.places p where p.id = ids[cardinality(ids)] and more_after),
    'states', private.states_of_listings());
end $$;
create function public.review_listings(
  filter jsonb default '{}', after text default null, before text default null, page_rows integer default 250)
returns json
language sql stable set search_path = ''
as $$ select private.review_listings(filter, after, before, page_rows) $$;

-- One listing with all that an admin decides by; null when there is none. In the order of a filter: its cursor, the
-- listings beside it (whether or not it is still among those found itself), and how many are found.
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
    select (private.review_rows(array[p.id], sort) -> 0)::jsonb || private.review_total(filter) || jsonb_build_object(
      'listing', to_jsonb(p) - array['name_search', 'name_key', 'submission_id'],
      'online_category_names', array(select c.name from public.categories c
        where c.id = any (p.online_categories) order by c.name),
      'owner_profile', (select jsonb_build_object('id', o.id, 'full_name', o.full_name,
        'email', private.masked_email(o.email), 'phone', private.masked_phone(o.phone), 'pronouns', o.pronouns) from public.profiles o where o.id = p.owner),
      'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open'),
      'next', (private.review_ids(filter, place_cursor, false, 1))[1],
      'previous', (private.review_ids(filter, place_cursor, true, 1))[1])
    from public.places p where p.id = review_listing.id);
end $$;
create function public.review_listing(id bigint, filter jsonb default '{}') returns jsonb
language sql stable set search_path = ''
as $$ select private.review_listing(id, filter) $$;

-- All that a filter finds, in its order, `page_rows` (1 to 1000) at a time: {rows, next}. Owners' addresses are
-- masked and their mailing addresses left out, unless it names the entry of the caller's own export of the last hour.
create function private.export_listings(filter jsonb, after text, page_rows integer, entry bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := least(greatest(coalesce(page_rows, 1000), 1), 1000);
  sort text := (private.review_filter(filter)).sort;
  ids bigint[] := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
begin
  perform private.require_admin();
  if entry is not null and not exists (select from public.audit_log a where a.id = entry and a.actor = auth.uid()
    and a.action = 'export' and a.subject_id = 'listings' and a.at > now() - interval '1 hour') then
    raise exception 'This download is over. Please begin it again.' using errcode = '42501';
  end if;
  return jsonb_build_object(
    'rows', (select coalesce(jsonb_agg(to_jsonb(p) - array['name_search', 'name_key', 'submission_id', 'last_update']
          || jsonb_build_object('category_name', c.name, 'owner_name', o.full_name)
          || case when entry is null then jsonb_build_object('mailingaddress', null, 'owner_email', private.masked_email(p.owner_email))
            else '{}' end order by w.n), '[]')
      from unnest(ids[1:size]) with ordinality w (id, n)
      join public.places p on p.id = w.id
      join public.categories c on c.id = p.category
      left join public.profiles o on o.id = p.owner),
    'next', (select private.review_cursor(p, sort) from public.places p
      where p.id = ids[size] and cardinality(ids) > size));
end $$;
create function public.export_listings(
  filter jsonb default '{}', after text default null, page_rows integer default 1000, entry bigint default null)
returns jsonb
language sql stable set search_path = ''
as $$ select private.export_listings(filter, after, page_rows, entry) $$;

-- The first listing after a cursor that nobody else reviews, from now on the caller's to review:
-- {id, cursor}, or null at the end. `leaving` is the one that the caller is done with.
create function private.claim_next_listing(filter jsonb, after text, leaving bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sort text := (private.review_filter(filter)).sort;
  candidate bigint;
begin
  perform private.require_admin();
  delete from private.review_claims c where c.place_id = leaving and c.admin = auth.uid();
  foreach candidate in array coalesce(private.review_ids(filter, after, false, 50,
    'not exists (select from private.review_claims c where c.place_id = p.id and c.until > now() and c.admin <> auth.uid())'),
    '{}')
  loop
    -- Another may have been quicker.
    if private.claim(candidate, false) then
      return (select jsonb_build_object('id', p.id, 'cursor', private.review_cursor(p, sort))
        from public.places p where p.id = candidate);
    end if;
  end loop;
  return null;
end $$;
create function public.claim_next_listing(filter jsonb default '{}', after text default null, leaving bigint default null)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.claim_next_listing(filter, after, leaving) $$;

-- The admin dashboard in one call: how much there is of everything, how much waits in each queue and
-- since when, and the five listings that have waited longest.
create function private.review_dashboard() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  places jsonb := private.get_places_counts();
  queue record;
  queues jsonb := '{}';
  oldest bigint;
begin
  for queue in select * from (values ('new', '{"view": "new"}'::jsonb), ('pending-update', '{"view": "pending"}'),
    ('flagged', '{"view": "flagged"}'), ('archive-requested', '{"archive": "requested"}')) q (name, filter)
  loop
    oldest := (private.review_ids(queue.filter, null, false, 1))[1];
    queues := queues || jsonb_build_object(queue.name, jsonb_build_object('count', places -> queue.name, 'oldest',
      (select jsonb_build_object('id', p.id, 'name', p.name, 'since', p.modified_at) from public.places p where p.id = oldest)));
  end loop;
  return jsonb_build_object(
    'places', places, 'users', private.get_user_counts(), 'jobs', private.get_jobs_counts(), 'queues', queues,
    'feedback', jsonb_build_object('oldest', (select f.created_at from public.feedback f
      where not f.archived order by f.created_at, f.id limit 1)),
    'reports', jsonb_build_object('oldest', (select e.created_at from public.events e
      where e.state = 'open' order by e.created_at, e.id limit 1)),
    'longest', (select coalesce(jsonb_agg(jsonb_build_object(
        'id', p.id, 'name', p.name, 'status', p.status, 'since', p.modified_at) order by p.modified_at, p.id), '[]')
      from (select p.* from unnest(private.review_ids('{"view": "new"}', null, false, 5)
          || private.review_ids('{"view": "pending"}', null, false, 5)) w (id)
        join public.places p on p.id = w.id order by p.modified_at, p.id limit 5) p));
end $$;
create function public.review_dashboard() returns jsonb
language sql stable set search_path = ''
as $$ select private.review_dashboard() $$;

grant execute on function private.review_listings(jsonb, text, text, integer), public.review_listings(jsonb, text, text, integer),
  private.review_listing(bigint, jsonb), public.review_listing(bigint, jsonb),
  private.export_listings(jsonb, text, integer, bigint), public.export_listings(jsonb, text, integer, bigint),
  private.claim_next_listing(jsonb, text, bigint), public.claim_next_listing(jsonb, text, bigint),
  private.review_dashboard(), public.review_dashboard() to authenticated;
