-- Job postings: written by owners, paid for, and live for as many days as their order says. A job is
-- unpaid, then published or unpublished until it expires. Only the service records a payment; the
-- owner publishes, unpublishes, and says that the job is filled. Here are the table and its guard,
-- what the public sees of a job, the pages of jobs for owners and admins, and the email before a job
-- expires.
--
-- A job names a listing only while the listing belongs to the job's owner, so that no one else posts
-- in the name of a business. Paid jobs follow their listing to its next owner. A job of a listing names no
-- other company, so that no one can see it while its listing is hidden. A company's name in the job's own words can be
-- that of someone else's listing, because two businesses may share a name: the listing's owner and the admins are told.

-- ---------------------------------------------------------------- tables

create table public.jobs (
  id bigint generated always as identity primary key,
  title text not null check (length(btrim(title)) between 1 and 200),
  category bigint not null references public.categories (id),
  description text not null check (length(btrim(description)) between 1 and 10000),
  pay_range text check (length(pay_range) <= 200),
  url text check (private.is_web_link(url)),
  location text[] not null check (cardinality(location) between 1 and 100),
  city text check (length(city) <= 200),
  queer_owned boolean not null default false,
  ally_owned boolean not null default false,
  ally_safety text check (length(ally_safety) <= 5000),
  remote boolean not null default false,
  full_time boolean not null default false,
  part_time boolean not null default false,
  contract boolean not null default false,
  place_id bigint references public.places (id),
  company_name text check (length(company_name) <= 200),
  company_bio text check (length(company_bio) <= 5000),
  owner uuid references public.profiles (id) on delete set null,
  owner_email text check (private.is_email(owner_email)),
  published boolean not null default false,
  paid boolean not null default false,
  expiration_date timestamptz,
  filled_at timestamptz,
  submission_id uuid,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  unique (owner, submission_id),
  constraint job_is_paid_before_it_is_published check (paid or not published),
  constraint paid_job_expires check (not paid or expiration_date is not null),
  constraint job_names_its_company check (place_id is not null
    or (coalesce(btrim(company_name), '') <> '' and coalesce(btrim(company_bio), '') <> '')),
  constraint job_dates_are_finite check (isfinite(expiration_date) and isfinite(filled_at) and isfinite(created_at)
    and isfinite(modified_at)),
  constraint ally_says_how_it_is_safe check (not ally_owned or coalesce(btrim(ally_safety), '') <> '')
);
create index jobs_owner on public.jobs (owner, created_at desc, id desc);
create index jobs_newest on public.jobs (created_at desc, id desc);
create index jobs_category on public.jobs (category);
create index jobs_place on public.jobs (place_id);
create index jobs_expiration on public.jobs (expiration_date, published) where paid;
create index jobs_unpaid on public.jobs (created_at desc, id desc) where not paid;
create index jobs_filled on public.jobs (created_at desc, id desc) where filled_at is not null;
create index jobs_search on public.jobs using gin (private.search_vector(title || ' '
  || coalesce(company_name, '')));

-- ---------------------------------------------------------------- functions and views

create function private.validate_job(job public.jobs) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select 1 from public.categories c where c.id = job.category and c.parent_category = 40) then
    perform private.refuse('job_category_unknown', 'category');
  elsif array_ndims(job.location) > 1 or exists (select from unnest(job.location) place where place is null
    or length(btrim(place)) not between 1 and 100 or place <> private.one_line(place)) then
    perform private.refuse('job_location_unknown', 'location');
  end if;
end $$;

create function private.guard_job() returns trigger
language plpgsql set search_path = ''
as $$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled, or with the address of its owner's
  -- account. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at', 'owner_email'];
  -- Whether more than these columns has changed.
  rewritten boolean;
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.location) > 100);
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  new := private.with_many_lines(new, 'description', 'company_bio', 'ally_safety');
  -- Its listing says who is hiring. Other words would go on saying it after the listing was hidden.
  if new.place_id is not null then
    new.company_name := null;
    new.company_bio := null;
  end if;
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      perform private.hold_account_email(new.owner);
      -- (A change of the address ends the session.)
      perform private.require_rights(new.owner = private.user_id());
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    elsif (api or old.owner is not null) and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in restore_protected_columns.
      if api then
        perform private.hold_account_email(new.owner);
      end if;
      new.owner_email := case when api then private.account_email(new.owner) end;
    end if;
    if old.owner is not null and new.owner is null and exists (select from public.places p
      where p.id = new.place_id and p.owner is not null and p.owner <> old.owner) then
      -- Without an owner it would be published in the name of its listing, which belongs to someone else.
      new.published := false;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    rewritten := to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns;
    -- Unpublishing is never refused. To do it again, the job has to be published, which counts. (Another text in the same
    -- change counts, too: no one has to rewrite a job to unpublish it, and both in turns would save the longest texts.)
    if by_owner and (rewritten or not (old.published and not new.published)) then
      perform private.limit_account_changes('too_many_job_changes');
    end if;
    if by_owner and rewritten then
      perform private.limit_large_change('too_many_job_changes', pg_column_size(new));
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if rewritten then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  -- Also when the listing has gone to someone else since. What remains possible is to unpublish the job.
  if by_owner and new.place_id is not null
    and (tg_op = 'INSERT' or to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
end $$;

-- How a job looks to the public, whether or not it is live. Its company is the listing it refers to,
-- with the listing's public values, while the public may see the listing and it belongs to the job's
-- owner; otherwise what the form says about the company. A job with neither has no company_name and is
-- not live. Nothing about its owner is included.
create view private.jobs_as_public as
  select j.id, j.title, j.category, c.name as category_name, j.description, j.pay_range, j.url, j.location,
    j.city,
    j.queer_owned, j.ally_owned, case when j.ally_owned then j.ally_safety end as ally_safety,
    j.remote, j.full_time, j.part_time, j.contract,
    listing.id as place_id,
    coalesce(listing.name, nullif(btrim(j.company_name), '')) as company_name,
    coalesce(listing.description, nullif(btrim(j.company_bio), '')) as company_bio,
    j.expiration_date, j.paid and j.published and j.expiration_date > now() and j.filled_at is null
      and coalesce(listing.name, nullif(btrim(j.company_name), '')) is not null as live
  from public.jobs j
  join public.categories c on c.id = j.category
  -- No one but admins edits a job without an owner.
  left join public.places p on p.id = j.place_id and (j.owner is null or j.owner = p.owner)
  -- (With offset, this looks each listing up. Joined, all of them would be read for each job.)
  left join lateral (select l.id, l.name, l.description from private.public_places l
    where l.id = p.id offset 0) listing on true
  where j.id operator(private.>=!) '-9223372036854775808';

-- Whether the public can see which company a job is for. While it can't, the job is not shown.
create function private.job_names_company(job_id bigint) returns boolean
language sql stable security definer set search_path = ''
as $$ select v.company_name is not null from private.jobs_as_public v where v.id = job_names_company.job_id $$;

-- The public listings of others whose name a job has as its company's, in its own words (private.normalize_for_search),
-- with their names. None where a public listing of that name is of the job's owner, or managed by them. Joiners and
-- variation selectors within a word can't be seen, so that the words are also compared without them.
create function private.job_namesakes(job_id bigint) returns table (place_id bigint, name text)
language sql stable security definer set search_path = ''
as $$
  with company as (
    select j.owner, regexp_replace(private.normalize_for_search(btrim(j.company_name)), '\s+', ' ', 'g') as name
    from public.jobs j where j.id = job_namesakes.job_id and j.place_id is null
  ), found as materialized (
    select p.id, p.name_key, p.owner is not distinct from j.owner or exists (select from public.listing_managers m
        where m.place_id = p.id and m.profile_id = j.owner) as own
    from company j
    join public.places p on p.name_key in (j.name, regexp_replace(j.name,
      '[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]', '', 'g'))
  ), shown as materialized (
    -- (With offset, this looks each listing up. Joined, all of them would be read for each job.)
    select f.id, listing.name, f.own from found f
    cross join lateral (select v.name from private.public_places v where v.id = f.id offset 0) listing
    where private.normalize_for_search(listing.name) = f.name_key
  )
  select s.id, s.name from shown s where not exists (select from shown o where o.own)
$$;

-- Emails the owners of those listings once people can see the job, each once for each job and listing. (Ten at most: a
-- name that more have is no one's.) The email has nothing that the job's author wrote. Someone who pays for one job could
-- otherwise rename it again and again, and send their own words to owners of their choice, as an email of ours. What was
-- renamed before its email was sent needs none; but someone who takes the name again may do so all day, and rename the
-- job each time before emails are sent, so its owner reads of it.
create function private.tell_namesakes(job_id bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  listing record;
begin
  for listing in
    select p.id, p.owner, found.name, format('job-namesake:%s:%s:%s', job_id, p.id, p.owner) as key
      from (select n.place_id, n.name from private.job_namesakes(tell_namesakes.job_id) n
        order by n.place_id limit 10) found
      join public.places p on p.id = found.place_id and p.owner is not null
      where private.is_live_job(tell_namesakes.job_id)
  loop
    -- (After a week, it would never be sent.)
    update private.email_queue n set data = n.data || '{"again": true}', created_at = now()
      where n.key = listing.key and n.sent_at is null and n.attempts = 0;
    if not found then
      perform private.enqueue_email(listing.owner, null, 'job-namesake', listing.key,
        jsonb_build_object('job_id', job_id, 'place_id', listing.id, 'listing', listing.name));
    end if;
  end loop;
end $$;

create function private.email_namesakes() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.tell_namesakes(new.id);
  return null;
end $$;

-- Someone stops managing a listing, or it gets another owner: what they published under its name in their own words was
-- theirs to publish until then, and stays with them. (Without an owner, it is that of an account that was deleted.) The
-- trigger's argument is the column with their id.
create function private.email_namesakes_of_former() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  author constant uuid := (to_jsonb(old) ->> tg_argv[0])::uuid;
begin
  perform private.tell_namesakes(j.id) from public.jobs j
    where (j.owner = author or (author is null and j.owner is null)) and j.published and j.place_id is null;
  return null;
end $$;

-- When a listing gets another owner, its paid jobs follow it: they offer work in its name, so the new owner decides
-- about them, and the previous one does not. Jobs that were never paid for stay with their author, whose drafts they
-- are, and don't name the listing anymore.
create function private.move_jobs() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- A payment that is being recorded is awaited: its job is one that was paid for.
  perform 1 from public.jobs j where j.place_id = new.id order by j.id for update;
  update public.jobs j set owner = new.owner, submission_id = null,
      owner_email = (select lower(u.email) from auth.users u
        where u.id = new.owner and u.email_confirmed_at is not null)
    where j.place_id = new.id and j.paid
      and (j.owner = old.owner or (j.owner is null and new.owner is not null));
  return null;
end $$;

-- What anyone may see of jobs: those that are live now. Not the unpaid, unpublished, expired or
-- filled ones.
create view private.public_jobs with (security_barrier = true) as
  select id, title, category, category_name, description, pay_range, url, location, city, queer_owned,
    ally_owned,
    ally_safety, remote, full_time, part_time, contract, place_id, company_name, company_bio, expiration_date
  from private.jobs_as_public where live;
create view public.public_jobs with (security_invoker = on) as select * from private.public_jobs;

-- A job as the public would see it, for its owner or an admin; null for anyone else, and when there
-- is none.
create function private.preview_job(job_id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select to_jsonb(v) || jsonb_build_object('owner_email',
    case when j.owner is null and private.is_admin() then private.masked_email(j.owner_email) end)
  from public.jobs j join private.jobs_as_public v on v.id = j.id
  where j.id = job_id and (j.owner = private.user_id() or private.is_admin())
$$;
create function public.preview_job(job_id bigint) returns jsonb
language sql stable set search_path = ''
as $$ select private.preview_job(job_id) $$;

-- A page of jobs, newest first: the caller's own, or for admins those of all owners.
--   search         words of title and company, as in every search box; null or blank for all
--   state          pending-payment, published, unpublished, expired or filled; null for all; any
--                  other value for none
--   after, before  the id of the job that the page begins after or ends before; the first page
--                  without either, or when there is no such job
--   page_rows      1 to 1000
-- Returns {total, previous, next, rows}: how many jobs of this kind there are, and the ids to
-- continue with (null when there are no more). names_company is private.job_names_company. Only admins get the owner's
-- name and masked address, and whether the job has the name of someone else's listing (private.job_namesakes).
-- Security definer, because the search index could not be used under row level security; it checks
-- for itself who is asking.
create function private.jobs_page(all_owners boolean, search text, state text, after bigint, before bigint,
  page_rows integer)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  search_text text := nullif(btrim(left(coalesce(search, ''), 200)), '');
  size integer := private.page_size(page_rows, 1000);
  mine text := case when all_owners then 'true' else 'j.owner = $1' end;
  -- Searched first, in a query of its own: scanning all jobs for the newest match would compute the
  -- search text of each.
  found_first text := case when search_text is null then ''
    else 'with found as materialized (select f.id from public.jobs f
    where private.search_vector(f.title || '' '' || coalesce(f.company_name, '''')) @@ private.search_query($2)) ' end;
  wanted text := mine
    || case when search_text is null then '' else ' and j.id in (select found.id from found)' end
    || case state
      when 'pending-payment' then ' and not j.paid'
      when 'published' then ' and j.paid and j.published and j.expiration_date > now()'
      when 'unpublished' then ' and j.paid and not j.published and j.expiration_date > now()'
      when 'expired' then ' and j.paid and j.expiration_date <= now()'
      when 'filled' then ' and j.filled_at is not null'
      else case when state is null then '' else ' and false' end end;
  cursor_at timestamptz;
  cursor_id bigint;
  backwards boolean := false;
  found jsonb;
  total bigint;
begin
  if all_owners then
    perform private.require_admin();
  end if;
  execute 'select j.created_at, j.id from public.jobs j where j.id = $2 and ' || mine
    into cursor_at, cursor_id using private.user_id(), coalesce(after, before);
  backwards := after is null and cursor_id is not null;

  -- One row more than the page shows whether there is another page.
  execute found_first || 'select coalesce(jsonb_agg(to_jsonb(page) order by created_at desc, id desc), ''[]'') from (
      select j.id, j.title, j.paid, j.published, j.expiration_date, j.filled_at, j.created_at,
        private.job_names_company(j.id) as names_company'
    || case when all_owners then ', j.owner, o.full_name as owner_name, private.masked_email(j.owner_email) as owner_email,
        exists (select from private.job_namesakes(j.id)) as has_namesake' else '' end
    || ' from public.jobs j'
    || case when all_owners then ' left join public.profiles o on o.id = j.owner' else '' end
    || ' where ' || wanted
    || case when cursor_id is null then ''
      when backwards then ' and (j.created_at, j.id) > ($3, $4)'
      else ' and (j.created_at, j.id) < ($3, $4)' end
    || case when backwards then ' order by j.created_at, j.id'
      else ' order by j.created_at desc, j.id desc' end
    || ' limit $5) page'
    into found using private.user_id(), search_text, cursor_at, cursor_id, size + 1;

  if all_owners and search_text is null and state is distinct from 'filled' then
    total := coalesce((private.get_jobs_counts() ->> case state when 'pending-payment' then 'unpaid'
      else coalesce(state, 'total') end)::bigint, 0);
  else
    execute found_first || 'select count(*) from public.jobs j where '
      || wanted into total using private.user_id(), search_text;
  end if;

  return (
    with page as (
      select row, place from jsonb_array_elements(found) with ordinality one (row, place)
      where jsonb_array_length(found) <= size or case when backwards then place > 1 else place <= size end
    )
    select jsonb_build_object(
      'total', total,
      'previous', case when cursor_id is not null and (not backwards or jsonb_array_length(found) > size)
        then (select row -> 'id' from page order by place limit 1) end,
      'next', case when backwards or jsonb_array_length(found) > size
        then (select row -> 'id' from page order by place desc limit 1) end,
      'rows', coalesce((select jsonb_agg(row order by place) from page), '[]')));
end $$;
create function public.jobs_page(
  all_owners boolean default false, search text default null, state text default null,
  after bigint default null, before bigint default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.jobs_page(all_owners, search, state, after, before, page_rows) $$;

-- Counts for the admin dashboard: unpaid + published + unpublished + expired = total. Live jobs are
-- counted on each call, because no trigger runs when time passes; there are few, and they are
-- indexed.
create function private.get_jobs_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  counts jsonb;
  published_count bigint;
  unpublished_count bigint;
begin
  perform private.require_admin();
  select jsonb_build_object('total', 0, 'paid', 0, 'unpaid', 0)
    || coalesce(jsonb_object_agg(name, amount), '{}') into counts from private.counter_values('jobs:');
  select count(*) filter (where j.published), count(*) filter (where not j.published)
    into published_count, unpublished_count
    from public.jobs j where j.paid and j.expiration_date > now();
  return jsonb_build_object('total', counts -> 'total', 'unpaid', counts -> 'unpaid',
    'published', published_count, 'unpublished', unpublished_count,
    'expired', (counts ->> 'paid')::bigint - published_count - unpublished_count);
end $$;
create function public.get_jobs_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_jobs_counts() $$;

-- Emails the owner of a job that expires soon, while there is time to renew it. Called by `npm run
-- notices`. The key contains the job, its end, and its owner, so that calling it again queues nothing, a renewed job is
-- announced again when its new end is near, and one that has gone with its listing to the next owner, too. While a
-- payment for more days is on its way, there is nothing to do. (In plpgsql, because orders are defined later.)
create function private.enqueue_expiring_job_emails() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.enqueue_email(j.owner, null, 'job-expiring',
    format('job-expiring:%s:%s:%s', j.id,
      to_char(j.expiration_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), j.owner),
    jsonb_build_object('job_id', j.id, 'title', j.title, 'expiration_date', j.expiration_date,
      'shown', private.job_names_company(j.id)))
  from public.jobs j
  where j.paid and j.published and j.filled_at is null and j.owner is not null
    and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing');
end $$;
create function public.enqueue_expiring_job_emails() returns void
language sql volatile set search_path = ''
as $$ select private.enqueue_expiring_job_emails() $$;

-- Emails the owner of a job that an admin takes down (also as filled) or puts up again while it is paid for: its days keep
-- counting down, and someone who took it down counts on it that no one sees it. What an admin puts up again before the
-- email that it was taken down is sent needs none. That email is deleted then, also when the owner puts it up again: left
-- in the queue, it would stand for a later one. A job that an admin changes, as they take it down or by itself, has an
-- email of its own, because it is read as its owner's words. So has one that isn't paid for, or not anymore: it will be
-- read as their words once they pay, and they pay for it without reading it again. One that an admin takes from its owner
-- is no longer in their list, and may be published without them once the admin pays for it.
create function private.email_job_owner() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  news constant text := case when new.owner is distinct from old.owner then 'job-left'
    when old.published and (not new.published or old.filled_at is null and new.filled_at is not null) then 'job-unpublished'
    when new.published and new.filled_at is null and (not old.published or old.filled_at is not null) then 'job-republished'
    end;
  unpaid constant boolean := not (old.paid and old.expiration_date > now());
  -- Of someone else: guard_job lets only an admin do that.
  by_team constant boolean := coalesce(old.owner <> private.user_id(), false);
begin
  if by_team and new.owner = old.owner and new.version <> old.version then
    perform private.enqueue_email(old.owner, null, 'job-edited', format('job-edited:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', old.title)
        || case when unpaid then '{"unpaid": true}'::jsonb else '{}' end);
  end if;
  if unpaid and news is distinct from 'job-left' then
    return null;
  elsif news = 'job-republished' then
    -- (Waits for a process that begins to send it.)
    delete from private.email_queue n where n.recipient = old.owner and n.kind = 'job-unpublished'
      and n.data ->> 'job_id' = new.id::text and n.sent_at is null and n.attempts = 0;
    if found then
      return null;
    end if;
  end if;
  if news is not null and by_team then
    perform private.enqueue_email(old.owner, null, news,
      format('%s:%s:%s', news, new.id, extract(epoch from new.modified_at)),
      -- By the name that they know.
      jsonb_build_object('job_id', new.id, 'title', old.title)
        || case when news = 'job-unpublished' and new.published then '{"filled": true}'::jsonb
          when news = 'job-republished' and old.published then '{"reopened": true}' else '{}' end);
  end if;
  return null;
end $$;

-- Emails the owner of a job that an admin deletes: it was not paid for, or has expired, and what they wrote is gone.
create function private.email_owner_of_deleted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.owner <> private.user_id() then
    perform private.enqueue_email(old.owner, null, 'job-left', format('job-left:%s:deleted', old.id),
      jsonb_build_object('job_id', old.id, 'title', old.title, 'deleted', true));
  end if;
  return null;
end $$;

-- Someone whose words a job is taken for reads that our team has put it there, whatever they had read of it before.
-- No other email is about an admin who adds a job for someone, or who takes theirs, changes it, and gives it back.
create function private.email_new_job_owner() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.owner <> private.user_id() then
    perform private.enqueue_email(new.owner, null, 'job-received', format('job-received:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', new.title)
        || case when new.paid and new.expiration_date > now() then '{}' else '{"unpaid": true}'::jsonb end);
  end if;
  return null;
end $$;

-- A job without an owner is shown under the name of its listing, in whose owner's list of jobs it isn't. They get an
-- email once people can see it, and when it has changed since. (Not when it was taken from them: email_job_owner.)
create function private.email_owner_of_named_listing() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.enqueue_email(p.owner, null, 'listing-job', format('listing-job:%s:%s:%s:%s', new.id, p.owner,
        new.version, extract(epoch from new.expiration_date)),
      jsonb_build_object('job_id', new.id, 'place_id', p.id, 'title', new.title,
        'listing', private.approved_name(p.id)))
    from public.places p
    where p.id = new.place_id and p.owner is distinct from private.user_id() and p.owner is distinct from old.owner
      and new.paid and new.published and new.filled_at is null and new.expiration_date > now()
      and (new.version <> old.version
        or not (old.paid and old.published and old.filled_at is null and old.expiration_date > now()));
  return null;
end $$;

-- ---------------------------------------------------------------- triggers

create trigger t5_move_jobs after update on public.places
  for each row when (new.owner is distinct from old.owner) execute function private.move_jobs();

create trigger t5_namesakes_of_former_owner after update on public.places
  for each row when (new.owner is not null and new.owner is distinct from old.owner)
  execute function private.email_namesakes_of_former('owner');
create trigger t2_namesakes_of_former_manager after delete on public.listing_managers
  for each row execute function private.email_namesakes_of_former('profile_id');

create trigger t1_guard before insert or update or delete on public.jobs
  for each row execute function private.guard_job();
-- (Not when it goes with its listing, about which its owner gets an email, or with a refund.)
create trigger t2_email_owner after update on public.jobs
  for each row when (private.from_api() and new is distinct from old)
  execute function private.email_job_owner();
create trigger t2_email_owner_of_deleted after delete on public.jobs
  for each row when (private.from_api()) execute function private.email_owner_of_deleted();
create trigger t2_email_new_owner after update on public.jobs
  for each row when (private.from_api() and new.owner is distinct from old.owner)
  execute function private.email_new_job_owner();
create trigger t2_email_owner_of_new after insert on public.jobs
  for each row when (private.from_api()) execute function private.email_new_job_owner();
create trigger t2_email_owner_of_named_listing after update on public.jobs
  for each row when (new.owner is null and new.place_id is not null)
  execute function private.email_owner_of_named_listing();
create trigger t2_email_namesakes after insert or update of company_name, place_id, owner, paid, published,
    expiration_date, filled_at on public.jobs
  for each row when (new.published and new.place_id is null) execute function private.email_namesakes();
create trigger t2_audit_insert after insert on public.jobs referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t2_audit_update after update on public.jobs
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger t2_audit_delete after delete on public.jobs referencing old table as old_rows
  for each statement execute function private.write_audit();
create trigger t3_count_insert after insert on public.jobs referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');
create trigger t3_count_update after update on public.jobs
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');
create trigger t3_count_delete after delete on public.jobs referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');
create trigger t4_limit after insert on public.jobs referencing new table as new_rows
  for each statement execute function private.limit_new_rows('too_many_new_jobs', 'job');

-- ---------------------------------------------------------------- policies

alter table public.jobs enable row level security;
create policy "expect one row" on public.jobs as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "read own, or admin" on public.jobs for select to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()));
create policy "insert own, or admin" on public.jobs for insert to authenticated
  with check (owner = (select private.user_id()) or (select private.is_admin()));
create policy "update own, or admin" on public.jobs for update to authenticated
  using (owner = (select private.user_id()) or (select private.is_admin()))
  with check (owner = (select private.user_id()) or (select private.is_admin()));
create policy "delete own unpaid or expired, or admin" on public.jobs for delete to authenticated
  using ((not paid or expiration_date < now())
    and (owner = (select private.user_id()) or (select private.is_admin())));

-- ---------------------------------------------------------------- grants

grant select, insert, update, delete on public.jobs to authenticated;
grant select, insert, update, delete on public.jobs to service_role;
grant select on private.public_jobs, public.public_jobs to anon, authenticated, service_role;

grant execute on function
  private.preview_job(bigint),
  public.preview_job(bigint),
  private.jobs_page(boolean, text, text, bigint, bigint, integer),
  public.jobs_page(boolean, text, text, bigint, bigint, integer),
  private.get_jobs_counts(),
  public.get_jobs_counts()
  to authenticated;

grant execute on function
  private.validate_job(jobs)
  to authenticated, service_role;

grant execute on function
  private.enqueue_expiring_job_emails(),
  public.enqueue_expiring_job_emails()
  to service_role;
