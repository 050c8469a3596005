-- Listings (places): the table, who may edit a listing besides its owner, unfinished drafts,
-- rejected edits, what the public may see, and the numbers that come from people in the app
-- (favorites, views, people nearby). listing_fields() is the one list of the columns that an owner
-- fills in; what waits for review, what an owner may write, and what the public sees derive from
-- it. guard_place holds every rule about writing a listing. Reviewing is in review and
-- decisions, inviting in managers.

-- ---------------------------------------------------------------- what the tables call

-- The columns that an owner fills in, in the order of the form: the one list from which the database
-- derives what an owner may write, what waits for review, and what the public sees. A column that is
-- not in it is protected and private. A test ties it to LISTING_FIELDS of the app.
create function private.listing_fields() returns table (name text, kind text, public boolean)
language sql immutable set search_path = ''
as $$
  values
    ('name', 'name', true),
    ('category', 'category', true),
    ('online_categories', 'category', true),
    ('licensed_locations', 'category', true),
    ('public_email', 'contact', true),
    ('phone', 'contact', true),
    ('rawaddress', 'address', false),
    ('address', 'address', true),
    ('address_approximate', 'address', true),
    ('city', 'address', true),
    ('state', 'address', true),
    ('country', 'address', true),
    ('postalcode', 'address', true),
    ('lat', 'address', true),
    ('long', 'address', true),
    ('mailingaddress', 'contact', false),
    ('description', 'description', true),
    ('url', 'contact', true),
    ('tiktok', 'contact', true),
    ('instagram', 'contact', true),
    ('xtwitter', 'contact', true),
    ('youtube', 'contact', true),
    ('facebook', 'contact', true),
    ('linkedin', 'contact', true),
    ('online', 'question', true),
    ('physicalLocation', 'question', true),
    ('bipocOwned', 'question', true),
    ('outdoor', 'question', true),
    ('nonprofit', 'question', true),
    ('gender_neutral_bathrooms', 'question', true),
    ('masks_required', 'question', true),
    ('wholesale', 'question', true),
    ('wholesale_buyer', 'question', true),
    ('affiliate', 'question', true),
    ('queer_programming', 'question', true),
    ('mission_statement', 'question', true),
    ('certified_queer', 'consent', true),
    ('third_party_auth', 'consent', false)
$$;

-- The columns of which a change waits for an admin when the listing is public.
create function private.reviewed_columns() returns text[]
language sql immutable set search_path = ''
as $$ select array(select f.name from private.listing_fields() f) $$;

-- All columns that an owner may write.
create function private.owner_columns() returns text[]
language sql immutable set search_path = ''
as $$ select private.reviewed_columns() || array['hidden', 'archive_requested'] $$;

-- What a waiting edit changes, when it changes only one kind of field that reviewers filter by;
-- "other" when it changes several kinds, or any other; null when there is no edit. An index stores
-- the result: a migration that gives a field another kind must rebuild places_edit_kind.
create function private.edit_kind(last_update jsonb) returns text
language sql immutable set search_path = ''
as $$
  select case
    when last_update = '{}' then null
    when count(distinct f.kind) = 1 and min(f.kind) in ('contact', 'address', 'description', 'category')
      then min(f.kind)
    else 'other'
  end
  from jsonb_object_keys(last_update) k left join private.listing_fields() f on f.name = k
$$;

-- What a listing still needs to be approved, as codes; empty when it is complete. An index uses the result: a
-- migration that changes the rule must rebuild places_incomplete. (In plpgsql, because a filter calls it for many
-- rows, and SQL would take three times as long.)
create function private.missing_for_approval(owner_email text, state text) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return array_remove(array[
    case when owner_email is null then 'no_owner_email' end,
    case when coalesce(state, '') = '' then 'no_proper_address' end], null);
end $$;

-- ---------------------------------------------------------------- tables

create table public.places (
  id bigint generated always as identity primary key,
  name text not null check (length(btrim(name)) between 1 and 200),
  category bigint not null references public.categories (id),
  online_categories bigint[] not null default '{}' check (cardinality(online_categories) <= 50),
  licensed_locations text[] not null default '{}' check (cardinality(licensed_locations) <= 400),
  public_email text check (private.is_email(public_email)),
  phone text check (length(phone) <= 40),
  -- The address as it was typed, and as it was found.
  rawaddress text check (length(rawaddress) <= 500),
  address text check (length(address) <= 500),
  address_approximate boolean not null default false,
  city text check (length(city) <= 120),
  state text check (length(state) <= 120),
  country text check (length(country) <= 120),
  postalcode text check (length(postalcode) <= 20),
  lat double precision check (lat between -90 and 90),
  long double precision check (long between -180 and 180),
  mailingaddress text check (length(mailingaddress) <= 500),
  description text check (length(description) <= 5000),
  url text check (private.is_web_link(url)),
  tiktok text check (private.is_handle_or_link(tiktok)),
  instagram text check (private.is_handle_or_link(instagram)),
  xtwitter text check (private.is_handle_or_link(xtwitter)),
  youtube text check (private.is_handle_or_link(youtube)),
  facebook text check (private.is_handle_or_link(facebook)),
  linkedin text check (private.is_web_link(linkedin)),
  online boolean not null default false,
  "physicalLocation" boolean not null default false,
  "bipocOwned" boolean not null default false,
  outdoor boolean not null default false,
  nonprofit boolean not null default false,
  gender_neutral_bathrooms boolean not null default false,
  masks_required boolean not null default false,
  wholesale boolean not null default false,
  wholesale_buyer boolean not null default false,
  affiliate boolean not null default false,
  queer_programming boolean not null default false,
  mission_statement boolean not null default false,
  -- "I certify that this is queer-owned" and "I agree that it is listed publicly".
  certified_queer boolean not null default false,
  third_party_auth boolean not null default false,
  status text not null default 'new'
    check (status in ('new', 'flagged', 'archived', 'pending-update', 'published')),
  -- Switches that the owner sets without a review.
  hidden boolean not null default false,
  archive_requested boolean not null default false,
  owner uuid references public.profiles (id) on delete set null,
  owner_email text check (private.is_email(owner_email)),
  premium boolean not null default false,
  premium_created_at timestamptz,
  stripe_cus_id text,
  stripe_subscription_id text unique,
  subscription_status text check (length(subscription_status) <= 40),
  -- "Featured until": when a canceled subscription ends.
  subscription_ends_at timestamptz,
  proxi_id text check (length(proxi_id) <= 100),
  -- While an edit waits: the approved values of what it changed, by column. Empty otherwise.
  last_update jsonb not null default '{}' check (jsonb_typeof(last_update) = 'object'),
  -- What an admin asked the owner to change, in the admin's words.
  changes_requested text check (length(changes_requested) <= 2000),
  -- The one-submit token of the form: the same form sent twice creates one listing.
  submission_id uuid,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  name_search tsvector,
  -- The name as people search and sort by it.
  name_key text collate "C" not null default '',
  -- When its owner last changed: earlier leads were written to someone else and stay closed. Null for a listing that
  -- never lost an owner.
  leads_from timestamptz,
  -- Since when it has waited for our team, if it was changed while it waited. Otherwise it waits, if it does, since its
  -- last change. The order of the queues.
  waiting_since timestamptz,
  -- Since when its removal has been requested; null also for a request that is older than this column.
  removal_requested_at timestamptz,
  check ((lat is null) = (long is null)),
  unique (owner, submission_id),
  -- Infinity is a date in Postgres, but not on a page.
  constraint place_dates_are_finite check (isfinite(premium_created_at) and isfinite(subscription_ends_at)
    and isfinite(created_at) and isfinite(modified_at) and isfinite(waiting_since) and isfinite(leads_from)
    and isfinite(removal_requested_at))
);
create index places_owner_email on public.places (owner_email);
create index places_category on public.places (category, coalesce(waiting_since, modified_at), id);
create index places_state on public.places (state, coalesce(waiting_since, modified_at), id);
create index places_published_state on public.places (state) where status = 'published';
create index places_status on public.places (status, coalesce(waiting_since, modified_at), id);
create index places_modified on public.places (coalesce(waiting_since, modified_at), id);
create index places_premium on public.places (coalesce(premium_created_at, 'infinity'), id) where premium;
create index places_name_search on public.places using gin (name_search);
create index places_name on public.places (name_key, id);
create index places_edit_kind
  on public.places (private.edit_kind(last_update), coalesce(waiting_since, modified_at), id)
  where status = 'pending-update';
create index places_incomplete on public.places (coalesce(waiting_since, modified_at), id)
  where private.missing_for_approval(owner_email, state) <> '{}';
-- A form adds one listing: its owner's, or, from an admin, one without an owner.
create unique index places_submission_without_owner on public.places (submission_id) where owner is null;
create index places_archive_requested
  on public.places (coalesce(removal_requested_at, waiting_since, modified_at), id)
  where archive_requested and status <> 'archived';
create index places_changes_requested on public.places (coalesce(waiting_since, modified_at), id)
  where changes_requested is not null;

-- People who help an owner: they edit a listing and read the messages sent to it. They cannot
-- transfer it, remove it from the directory, or buy anything for it.
create table public.listing_managers (
  place_id bigint not null references public.places (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  since timestamptz not null default now(),
  -- The owner, or an admin.
  invited_by uuid references public.profiles (id) on delete set null,
  primary key (place_id, profile_id)
);
create index listing_managers_profile on public.listing_managers (profile_id, place_id);
create index listing_managers_invited_by on public.listing_managers (invited_by);

-- Forms that someone has begun and wants to finish later, as they were typed, not validated. Most are
-- new listings: their id is the form's one-submit token, so the draft is deleted when its listing is
-- submitted. The others are forms of what exists, or is new elsewhere: they name the page of their form,
-- of which each person has one draft. The page of a new job has the id of its form.
create table public.listing_drafts (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  -- Field names and what was typed into them: text, or lists of text.
  fields jsonb not null check (jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The page of the form; null for a new listing.
  form text check (form ~ '^/(listings/[1-9][0-9]{0,15}|jobs/([1-9][0-9]{0,15}|new(\?draft=[0-9a-f-]{36})?))$'),
  -- Saved while someone typed, without being asked to: deleted a week after it changed last.
  expires boolean not null default false,
  constraint draft_dates_are_finite check (isfinite(created_at) and isfinite(updated_at)),
  constraint one_draft_of_a_form unique (owner, form)
);
create index listing_drafts_owner on public.listing_drafts (owner, updated_at desc, id);

-- An edit that was rejected, as its author wrote it. It is removed from the listing, but the owner
-- is informed and the text is not lost. Kept for 30 days (lease_emails), unless its author discards it, its values
-- were entered again, or the listing leaves its owner. Another edit that is rejected in that time joins it.
create table public.rejected_edits (
  place_id bigint primary key references public.places (id) on delete cascade,
  rejected_at timestamptz not null default now(),
  -- In the admin's words; null when no reason was given.
  reason text check (length(reason) <= 2000),
  edit jsonb not null check (jsonb_typeof(edit) = 'object')
);

create table public.favorites (
  user_id uuid not null references public.profiles (id) on delete cascade,
  place_id bigint not null references public.places (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, place_id)
);
create index favorites_place on public.favorites (place_id, created_at);

-- One row per visitor, listing and hour, so that a view is counted once in it; deleted after that. The visitor is a
-- hash that differs for each listing and hour, so the rows of one person cannot be combined into a history of what
-- they looked at. But someone with a copy of the database can compute the hash of each account, so rows that are no
-- longer needed must be deleted.
create table public.place_views (
  place_id bigint not null references public.places (id) on delete cascade,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  visitor text not null check (length(visitor) = 64),
  primary key (place_id, hour, visitor)
);
create index place_views_hour on public.place_views (hour);

-- How often a listing was viewed in each week (which begins on Monday, UTC). Maintained while views
-- are counted, so that a year of views costs as much to read as a day, and old rows can be removed.
create table private.place_view_weeks (
  place_id bigint not null references public.places (id) on delete cascade,
  week date not null check (extract(isodow from week) = 1),
  views bigint not null check (views >= 0),
  primary key (place_id, week)
);

create table public.place_stats (
  place_id bigint primary key references public.places (id) on delete cascade,
  views bigint not null default 0 check (views >= 0),
  favorites bigint not null default 0 check (favorites >= 0)
);

-- ---------------------------------------------------------------- functions and views

-- Until when the leads of a listing were to previous owners. With its owner's rights, because a manager
-- does not read places; it says nothing else about them.
create view private.former_leads with (security_barrier = true) as
  select p.id as place_id, p.leads_from as until from public.places p
    where p.leads_from is not null and p.id operator(private.>=!) '-9223372036854775808';

-- The listings that the caller manages for someone else.
create function private.managed_places() returns bigint[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select coalesce(array_agg(m.place_id), '{}') from public.listing_managers m
    where m.profile_id = private.user_id());
end $$;

-- What the form rejects, rejected here too when an owner writes without the form.
create function private.validate_place_fields(place public.places) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(btrim(place.description), '') = '' then
    perform private.refuse('description_missing', 'description');
  elsif coalesce(btrim(place.rawaddress), btrim(place.address), '') = '' then
    perform private.refuse('address_missing', 'rawaddress');
  elsif not place.third_party_auth then
    perform private.refuse('listing_consent_missing', 'third_party_auth');
  elsif not place.certified_queer then
    perform private.refuse('certification_missing', 'certified_queer');
  elsif place.category = 2 and cardinality(place.licensed_locations) = 0 then
    perform private.refuse('licensed_locations_missing', 'licensed_locations');
  elsif place.category = 14 and not (place.queer_programming and place.mission_statement) then
    perform private.refuse('community_group_not_serving');
  end if;
end $$;

-- The values that are chosen from a list.
create function private.validate_place_categories(place public.places) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A category of listings has no parent and is not 40, the parent of job categories.
  if not exists (select 1 from public.categories c
    where c.id = place.category and c.parent_category is null and c.id <> 40) then
    perform private.refuse('category_unknown', 'category');
  end if;
  -- (A list of lists is none: pages show nothing of what is in it.)
  if array_ndims(place.online_categories) > 1
    or exists (select 1 from unnest(place.online_categories) wanted
    left join public.categories c on c.id = wanted and c.parent_category = 12 where c.id is null) then
    perform private.refuse('online_category_unknown', 'online_categories');
  end if;
  -- (All that the form offers have 3,000 characters together. Ten times that in each of a day's new listings would keep
  -- our team from downloading them.)
  if array_ndims(place.licensed_locations) > 1 or length(array_to_string(place.licensed_locations, '')) > 10000
    or exists (select from unnest(place.licensed_locations) location where location is null
    or length(btrim(location)) not between 1 and 100 or location <> private.one_line(location)) then
    perform private.refuse('licensed_location_unknown', 'licensed_locations');
  end if;
end $$;

-- A listing without the answers to the questions of another category, for a change of its category that doesn't set
-- them itself: no form would show these answers anymore, but the public would see them. When it returns to the
-- category that was approved, it has the answers that were approved.
--   before  the listing until now; null for a new one
create function private.without_former_answers(before public.places, place public.places) returns public.places
language plpgsql immutable set search_path = ''
as $$
declare
  is_new constant boolean := before.id is null;
  sent constant jsonb := to_jsonb(place);
  was constant jsonb := to_jsonb(before);
begin
  if (before.last_update ->> 'category')::bigint = place.category then
    return jsonb_populate_record(place, (select coalesce(jsonb_object_agg(e.key, e.value), '{}')
      from jsonb_each(before.last_update) e where sent -> e.key is not distinct from was -> e.key and e.key = any
        ('{online_categories, licensed_locations, queer_programming, mission_statement}')));
  end if;
  if place.category <> 12 and (is_new or place.online_categories = before.online_categories) then
    place.online_categories := '{}';
  end if;
  if place.category <> 2 and (is_new or place.licensed_locations = before.licensed_locations) then
    place.licensed_locations := '{}';
  end if;
  if place.category <> 14 and (is_new or place.queer_programming = before.queer_programming) then
    place.queer_programming := false;
  end if;
  if place.category <> 14 and (is_new or place.mission_statement = before.mission_statement) then
    place.mission_statement := false;
  end if;
  return place;
end $$;

-- The words under which a listing is found, from its normalized name: "bar" finds "Café/Bar".
create function private.name_search_vector(name_key text) returns tsvector
language sql immutable set search_path = ''
as $$
  select to_tsvector('simple', name_key
    || case when name_key ~ '[@.+_/-]' then ' ' || translate(name_key, '@.+_/-', '      ') else '' end)
$$;

-- A listing with those columns of another that have the payment provider's ids of its plan and its payer, and the
-- state of the plan. Only the provider's answers change these. Someone who could enter another plan or customer could
-- cancel that plan, or open that customer's cards and bills, from the billing page of a listing of their own.
create function private.with_subscription_columns(place public.places, source public.places)
returns public.places
language plpgsql immutable set search_path = ''
as $$
begin
  place.stripe_cus_id := source.stripe_cus_id;
  place.stripe_subscription_id := source.stripe_subscription_id;
  place.subscription_status := source.subscription_status;
  place.subscription_ends_at := source.subscription_ends_at;
  return place;
end $$;

-- A listing with the payment columns of another: those that a payment changes, and that through the API only an admin
-- can change, for what was agreed upon outside the dashboard.
create function private.with_payment_columns(place public.places, source public.places)
returns public.places
language plpgsql immutable set search_path = ''
as $$
begin
  place.premium := source.premium;
  place.premium_created_at := source.premium_created_at;
  return private.with_subscription_columns(place, source);
end $$;

-- Step 1 of guard_place, for a new listing: resets the columns that its author may not write.
create function private.reset_new_place(place public.places, api boolean, by_owner boolean)
returns public.places
language plpgsql set search_path = ''
as $$
begin
  if by_owner then
    place.owner := private.user_id();
    perform private.hold_account_email(place.owner);
    -- (A change of the address ends the session.)
    perform private.require_rights(place.owner = private.user_id());
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place := private.with_subscription_columns(place, null);
    place.leads_from := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
    place.waiting_since := null;
    place.removal_requested_at := null;
  end if;
  return place;
end $$;

-- Step 1 of guard_place, for a change: restores every column that the caller may not write.
create function private.restore_protected_columns(
  before public.places, place public.places, api boolean, by_owner boolean)
returns public.places
language plpgsql set search_path = ''
as $$
declare
  sent jsonb;
  claims boolean;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving a listing without an
    -- owner claims it for the person whose confirmed address is its owner_email. No one else's change makes
    -- them its owner: a manager's doesn't, also when the owner leaves while it waits.
    if before.owner is null then
      perform private.hold_account_email(private.user_id());
    end if;
    claims := before.owner is null and before.owner_email = private.my_email();
    perform private.require_rights(before.owner = private.user_id() or claims
      or before.id = any (private.managed_places()));
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    if claims then
      place.owner := private.user_id();
    end if;
  elsif (api or before.owner is not null) and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one; or the account of its owner is deleted,
    -- by whatever means. Its address changes with it, because the next holder of the previous owner's
    -- mailbox could claim it otherwise.
    if api then
      perform private.hold_account_email(place.owner);
    end if;
    place.owner_email := case when api then private.account_email(place.owner) end;
  end if;
  -- No manager asks for a removal in an owner's name, or takes back what the owner has asked for; nor does an admin, except
  -- by a decision on it.
  if api and before.owner <> private.user_id() and place.archive_requested <> before.archive_requested
    and coalesce(current_setting('app.audit_action', true), '') not in ('archive', 'undo') then
    perform private.refuse('removal_by_owner_only');
  end if;
  if api then
    place := private.with_subscription_columns(place, before);
    place.leads_from := before.leads_from;
    place.created_at := before.created_at;
    place.submission_id := before.submission_id;
    place.last_update := before.last_update;
    place.version := before.version;
    place.modified_at := before.modified_at;
    place.waiting_since := before.waiting_since;
    place.removal_requested_at := before.removal_requested_at;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
end $$;

-- Step 3 of guard_place, for a change of a public listing: stores the approved values of the reviewed columns that
-- differ from them now, and has an owner's edit wait for review. It also does so while a listing is off the
-- directory, if an edit was waiting when it was taken off: its review shows what is stored, and the public sees that
-- again once an admin sets the status back.
create function private.record_pending_edit(before public.places, place public.places, by_owner boolean)
returns public.places
language plpgsql set search_path = ''
as $$
declare
  sent constant jsonb := to_jsonb(place);
  approved constant jsonb := to_jsonb(before) || before.last_update;
begin
  select coalesce(jsonb_object_agg(k, approved -> k), '{}') into place.last_update
    from unnest(private.reviewed_columns()) k where sent -> k is distinct from approved -> k;
  if not by_owner or before.status not in ('published', 'pending-update') then
    return place;
  elsif place.last_update <> '{}' then
    place.status := 'pending-update';
  elsif before.last_update <> '{}' then
    -- The owner reverted every waiting edit by hand, so the listing is what was approved.
    place.status := 'published';
  end if;
  return place;
end $$;

-- What the team asked someone to change was written to that person, so it is removed when the listing becomes someone
-- else's, unless an admin writes something new at the same time.
create function private.without_request(before public.places, place public.places) returns public.places
language plpgsql immutable set search_path = ''
as $$
begin
  if place.changes_requested is not distinct from before.changes_requested then
    place.changes_requested := null;
  end if;
  return place;
end $$;

-- A listing without the edit that waits: the approved values, except what an admin enters in the same change,
-- which replaces them as it would have without the edit. It is public then, if it was.
create function private.without_edit(before public.places, place public.places) returns public.places
language plpgsql set search_path = ''
as $$
declare
  sent constant jsonb := to_jsonb(place);
  was constant jsonb := to_jsonb(before);
  -- (As the deletion of an account leaves them.)
  approved constant jsonb := before.last_update || place.last_update;
begin
  if before.last_update = '{}' then
    return place;
  end if;
  place := jsonb_populate_record(place, (select jsonb_object_agg(e.key, approved -> e.key)
    from jsonb_each(before.last_update) e
    where not private.from_api() or sent -> e.key is not distinct from was -> e.key));
  select coalesce(jsonb_object_agg(e.key, e.value), '{}') into place.last_update
    from jsonb_each(place.last_update) e, (select to_jsonb(place) as restored offset 0) r
    where e.value is distinct from r.restored -> e.key;
  return place;
end $$;

-- Step 4 of guard_place, when a listing leaves its owner, whether or not it gets another one: what belonged only to
-- the owner does not go with it. What they wrote but no one has approved is neither shown to the next owner nor
-- published. Messages to them stay closed to the next owner. Their subscription continues to feature the listing, and
-- only they can open its customer at the payment provider.
create function private.part_from_owner(before public.places, place public.places) returns public.places
language plpgsql set search_path = ''
as $$
declare
  -- Where the public sees roughly where a listing is, the address as it was typed may be a home.
  approximate constant boolean := before.address_approximate
    or coalesce((before.last_update ->> 'address_approximate')::boolean, false);
begin
  -- What was theirs alone doesn't return with the approved version, either.
  before.last_update := before.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place.last_update := place.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place := private.without_edit(before, place);
  -- With an account that is deleted, no one is left who could ask again for what their edit was to remove, such as a
  -- telephone number or a former name. So it isn't public until our team has given the listing to someone. The same of
  -- an edit that was rejected and is still kept: they may not even have read that it was.
  if place.owner is null and not private.from_api() then
    place.hidden := place.hidden or before.last_update <> '{}'
      or exists (select from public.rejected_edits r where r.place_id = place.id);
  end if;
  -- Unless an admin has just entered another one.
  if place.mailingaddress is not distinct from before.mailingaddress then
    place.mailingaddress := null;
  end if;
  if approximate and place.rawaddress is not distinct from before.rawaddress
    and place.rawaddress is distinct from place.address then
    place.rawaddress := null;
  end if;
  if place.status = 'pending-update' and place.last_update = '{}' then
    place.status := 'published';
  end if;
  place.stripe_cus_id := null;
  -- It names a form of theirs, and another one may have the same.
  place.submission_id := null;
  place := private.without_request(before, place);
  -- The wall clock, because this transaction may have waited.
  place.leads_from := clock_timestamp();
  return place;
end $$;

-- The new waiting_since of a listing: who saves it again and again doesn't keep it at the end of its queue. A wait ends
-- with a decision, with the withdrawal of an edit, and when our team asks for changes; what its owner answers is a new
-- one. A request for removal has a wait of its own, whatever happens to an edit; it is that of a listing where nothing
-- else waits.
create function private.waiting_since(before public.places, place public.places) returns timestamptz
language sql stable set search_path = ''
as $$
  select case
    when place.status = 'published' then place.removal_requested_at
    when place.status = before.status and place.status in ('new', 'pending-update', 'flagged')
        and place.changes_requested is not distinct from before.changes_requested
      -- (What is no change, such as hiding it, begins nothing that needs to be remembered.)
      then case when place.modified_at = before.modified_at then before.waiting_since
        else coalesce(before.waiting_since, before.modified_at) end
  end
$$;

-- Refuses the 61st change of a listing by its owner within an hour, or by its managers, who would otherwise keep the owner
-- from changing it. Decisions are made on a version: someone who saved every second would keep their listing from being
-- flagged. And it counts as a change by its account.
create function private.limit_changes(place_id bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enforce_limit('too_many_changes',
      case when place_id = any (private.managed_places()) then 'change by managers of listing ' else 'change of listing ' end
        || place_id, 60, 3600),
    private.limit_account_changes('too_many_changes')
$$;

-- The guard of listings: what an owner, a manager or an admin may write, and what follows from it.
create function private.guard_place() returns trigger
language plpgsql set search_path = ''
as $$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  changed boolean := true;
  -- Whether only a payment or the address of the owner's account has changed something.
  by_itself boolean := false;
  -- Whether more than the status and the owner's switches has changed. If not, its texts are as they were stored, also
  -- under earlier rules: no one's listing stays visible because a text of it wouldn't be accepted anymore.
  rewritten boolean := true;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.online_categories) > 50
    or cardinality(new.licensed_locations) > 400);
  -- 1. Columns that the caller may not write.
  if tg_op = 'INSERT' then
    new := private.reset_new_place(new, api, by_owner);
  else
    new := private.restore_protected_columns(old, new, api, by_owner);
    changed := new is distinct from old;
    rest := private.with_payment_columns(new, old);
    rest.owner_email := old.owner_email;
    by_itself := changed and not api and rest is not distinct from old;
    rest := new;
    rest.status := old.status;
    rest.hidden := old.hidden;
    rest.archive_requested := old.archive_requested;
    rewritten := rest is distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if rewritten then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.description := private.many_lines(new.description);
    new.changes_requested := private.many_lines(new.changes_requested);
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      -- (What is too long is refused after this; to make it searchable first would take seconds.)
      new.name_key := private.normalize_for_search(left(new.name, 200));
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if api and tg_op = 'INSERT' then
      new := private.without_former_answers(null, new);
    elsif api and new.category <> old.category then
      new := private.without_former_answers(old, new);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories
      or new.licensed_locations <> old.licensed_locations then
      perform private.validate_place_categories(new);
    end if;
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;

  -- 3. Review and version.
  if changed then
    if api and (old.last_update <> '{}' and new.status <> 'published'
      or old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
        and (by_owner or new.status = 'pending-update')) then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      -- Hiding a listing and asking for its removal are never refused. Anything else in the same change counts: to hide
      -- it while the request is withdrawn, and the other way around, would be a way to save without end.
      if to_jsonb(new) - switches <> to_jsonb(old) - switches
        or (old.hidden and not new.hidden) or (old.archive_requested and not new.archive_requested) then
        perform private.limit_changes(old.id);
        perform private.limit_large_change('too_many_changes', pg_column_size(new));
      end if;
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        -- What was approved may return, also where the form requires more since.
        if old.status <> 'pending-update' or new.status <> 'published' then
          perform private.validate_place_fields(new);
        end if;
        new.changes_requested := null;
      end if;
    end if;
    if new.status = 'published' then
      new.last_update := '{}';
      new.changes_requested := null;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;

  -- 4. Another owner, or none.
  if old.owner is not null and new.owner is distinct from old.owner then
    new := private.part_from_owner(old, new);
  elsif old.owner is null and old.owner_email is not null and new.owner_email is distinct from old.owner_email then
    new := private.without_request(old, new);
  end if;
  -- Of what was taken off the directory, no change is asked for: its owner's pages would say that first.
  if new.status = 'archived' and old.status <> 'archived' then
    new := private.without_request(old, new);
  end if;
  -- A request for removal was that of the owner who made it, and is over once it is fulfilled. With no owner, as after
  -- the deletion of their account, it waits for the team.
  if (new.owner is not null and new.owner is distinct from old.owner)
    or (new.status = 'archived' and old.status <> 'archived') then
    new.archive_requested := new.archive_requested and not old.archive_requested;
  end if;
  -- What no one can see doesn't become public after its owner has asked for its removal, unless they show it
  -- themselves. (Of decisions, validate_decision says the same.)
  if api and new.archive_requested and new.status in ('published', 'pending-update')
    and (old.status not in ('published', 'pending-update')
      or (old.hidden and not new.hidden and old.owner is distinct from private.user_id())) then
    perform private.refuse('removal_requested', 'status');
  end if;

  -- 5. Changes that no form or reviewer has read: hiding, showing and asking for removal, payments,
  -- and the address of the owner's account. They count neither as a version nor as a change.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        -- (A request for removal that is canceled has been read: an admin would still remove the listing for it.)
        if new.archive_requested or not old.archive_requested then
          new.version := old.version;
        end if;
        new.modified_at := old.modified_at;
      end if;
    end if;
  elsif by_itself then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 6. Its place in the queues. Undoing a decision puts it back where it was.
  if changed then
    new.removal_requested_at := case when new.archive_requested then case when old.archive_requested
      then coalesce(old.removal_requested_at, old.waiting_since, old.modified_at) else now() end end;
    new.waiting_since := private.waiting_since(old, new);
  end if;
  if current_setting('app.undone_batch', true) <> '' then
    select q.modified_at, q.waiting_since,
        case when new.archive_requested and not old.archive_requested
          then coalesce(q.removal_requested_at, q.waiting_since, q.modified_at) else new.removal_requested_at end
      into new.modified_at, new.waiting_since, new.removal_requested_at
      from private.place_in_queue_before_decision(new.id) q;
  end if;
  return new;
end $$;

-- Defines what anyone may see: the last approved values of the public fields, whatever waits for
-- review. (`npm run migrations:new` writes the views out.) private.public_places runs with its owner's
-- rights, because its readers may not read places. It is in a schema that the API does not
-- expose, names the public columns one by one, and is a security barrier, so that no filter is
-- evaluated on a row that it excludes. No policy applies in it, so it says itself that the planner expects
-- one row (private.>=!), as do the other views that run with their owner's rights.
create procedure private.define_public_places()
language plpgsql set search_path = ''
as $$
declare
  -- As they are, and as they were approved.
  stored text;
  approved text;
begin
  select string_agg(format('p.%I', f.name), ', '), string_agg(format('a.%I', f.name), ', ')
    into stored, approved from private.listing_fields() f where f.public;
  execute format('create or replace view private.public_places with (security_barrier = true) as
      select p.id, p.premium, p.proxi_id, %s
      from public.places p where p.status = ''published'' and not p.hidden
        and p.id operator(private.>=!) ''-9223372036854775808''
    union all
      select p.id, p.premium, p.proxi_id, %s
      from public.places p
      cross join lateral jsonb_populate_record(p, p.last_update - array[''id'', ''premium'', ''proxi_id'']) a
      where p.status = ''pending-update'' and not p.hidden
        and p.id operator(private.>=!) ''-9223372036854775808''', stored, approved);
  create or replace view public.public_places with (security_invoker = on) as
    select * from private.public_places;
end $$;
call private.define_public_places();

-- The listings that the caller manages for someone else, without what is between their owners and us:
-- the owner's address, and how a listing is paid for.
create function private.managed_listings() returns setof public.places
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.* from public.places p
    cross join lateral jsonb_populate_record(p, '{"owner_email": null, "stripe_cus_id": null,
      "stripe_subscription_id": null, "subscription_status": null, "subscription_ends_at": null}') m
    where p.id = any ((select private.managed_places())::bigint[])
      and p.owner is distinct from (select private.user_id());
end $$;

-- Defines managed_places, by which a manager reads and changes a listing: row level security can't hide
-- columns. A change of the view is one of the table, so that the guard and the log see it, and the row
-- stays the owner's.
create procedure private.define_managed_places()
language plpgsql set search_path = ''
as $$
begin
  execute format('create or replace view private.managed_places with (security_barrier = true) as
      select p.id, %s from public.places p
      where p.id = any ((select private.managed_places())::bigint[])
        and p.id operator(private.>=!) ''-9223372036854775808''',
    (select string_agg(format('p.%I', c), ', ') from unnest(private.owner_columns() || array['status', 'owner',
      'premium', 'proxi_id', 'last_update', 'changes_requested', 'version', 'created_at', 'modified_at']) c));
  create or replace view public.managed_places with (security_invoker = on) as
    select * from private.managed_places;
end $$;
call private.define_managed_places();

-- The listing was submitted, so its draft is deleted in the same transaction.
create function private.delete_listing_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.listing_drafts d where d.id = new.submission_id and d.owner = new.owner;
  return null;
end $$;

-- Managers are invited by one owner. When a listing goes to another owner, or to no one, the previous owner's
-- managers are removed and their open invitations withdrawn. Unsent emails about messages to the previous owner are
-- deleted, and the previous owner gets an email that the listing is not theirs anymore. Other unsent emails were
-- written to them and go to no one else: they go to their account, or nowhere when that is deleted. The values that
-- decisions stored can't be restored anymore, and are deleted. The same holds when a listing without an owner is
-- offered to another address.
create function private.end_ownership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  removed integer;
  withdrawn integer;
begin
  delete from public.listing_managers m where m.place_id = new.id;
  get diagnostics removed = row_count;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = new.id and i.accepted_at is null and i.withdrawn_at is null;
  get diagnostics withdrawn = row_count;
  if removed + withdrawn > 0 then
    perform private.log_action('end-managing', 'places', new.id::text,
      jsonb_build_object('managers', removed, 'invitations', withdrawn));
  end if;
  delete from private.email_queue n where n.place_id = new.id and n.sent_at is null
    and (n.kind in ('new-lead', 'listing-approved') or not exists (select from public.profiles p where p.id = old.owner));
  update private.email_queue n set recipient = old.owner, place_id = null
    where n.place_id = new.id and n.sent_at is null;
  update private.decision_rows r set before = null where r.place_id = new.id and r.before is not null;
  -- Also what an admin has typed over it, which has the previous owner's mailing address, and could outlast their account.
  delete from public.listing_drafts d where d.form = '/listings/' || new.id
    and old.owner is not null and d.owner = any (array(select p.id from public.profiles p where p.admin) || old.owner);
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', old.name, 'given', new.owner is not null,
        -- Their edit that waited is dropped (private.part_from_owner), whatever it was to remove.
        'edited', old.status = 'pending-update' and not old.hidden,
        -- What was approved is seen again once the next owner shows it.
        'edited_hidden', old.status = 'pending-update' and old.hidden,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s)
          and (private.is_paid_for(s) or not s.awaits_payment and s.status <> 'past_due')),
        -- Its first payment has failed, and isn't tried again (private.plans_to_stop).
        'unpaid', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and s.status in ('past_due', 'unpaid') and not s.awaits_payment and private.has_left_unpaid(s)),
        -- It is charged again once our team resumes it.
        'paused', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and s.status = 'paused' and not s.surplus),
        -- Its first payment, by bank debit: fulfill_order has it refunded.
        'awaited', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and s.awaits_payment and not private.is_paid_for(s)),
        'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
          from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
          where s.place_id = new.id and s.owner = old.owner and p.held_until is null and p.weekday_date > private.today()),
        -- They go with it (private.move_jobs).
        'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.owner = old.owner and j.paid
          and j.expiration_date > now())));
  end if;
  return null;
end $$;

-- Someone who gets a listing, from our team, gets an email that it is theirs now. A claimant knows it. (What is imported
-- without the API tells no one.)
create function private.email_new_owner() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.owner is distinct from private.user_id() and (tg_op = 'UPDATE' or private.user_id() is not null) then
    perform private.enqueue_email(new.owner, null, 'listing-received', format('listing-received:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', new.name)
        || case when new.hidden then '{"hidden": true}'::jsonb else '{}' end
        || case when tg_op = 'INSERT' then '{"added": true}'::jsonb else jsonb_build_object(
          -- What a former owner has paid for goes on.
          'featured', exists (select from public.subscriptions s where s.place_id = new.id and s.owner <> new.owner
            and private.keeps_featured(s)),
          'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
            from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
            where s.place_id = new.id and s.owner <> new.owner and p.held_until is null
              and p.weekday_date > private.today()),
          -- They go with it (private.move_jobs).
          'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.paid and j.expiration_date > now()
            and (j.owner = old.owner or j.owner is null))) end);
  end if;
  return null;
end $$;

-- When an admin enters whose listing one without an owner is, that address gets an email: its account can claim it.
create function private.email_claimable_listing() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.is_admin() and new.owner_email is distinct from private.my_email() then
    perform private.enqueue_email(null, new.id, 'listing-added', format('listing-added:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', new.name));
  end if;
  return null;
end $$;

-- An owner may count on it that no one sees their listing, or that everyone does. When a manager shows or hides it, or an
-- admin with a request of their own, its owner gets an email: of what is hidden, five minutes later, and of each of the
-- two at most one an hour, because someone may go on hiding and showing it; unless the owner has changed it back
-- themselves, and so counts on it. Whatever changes it again before then withdraws the email, and what was undone needs
-- none; but someone who does the same again within the hour may do so all day, so their owner reads of it.
create function private.email_visibility() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  news text := case when new.hidden then 'listing-hidden' else 'listing-shown' end;
  due timestamptz := now() + case when new.hidden then interval '5 minutes' else interval '0' end;
  again boolean;
begin
  -- (What its owner has counted on since isn't undone, but changed: private.count_on_visibility.)
  delete from private.email_queue n where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
    and n.data ->> 'place_id' = new.id::text and n.sent_at is null and n.attempts = 0 and n.data ? 'counted_on';
  delete from private.email_queue n where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
    and n.data ->> 'place_id' = new.id::text and n.sent_at is null and n.attempts = 0 and not n.data ? 'again';
  again := found and (select count(*) from public.audit_log a
      where a.subject = 'places' and a.subject_id = new.id::text and a.at > now() - interval '1 hour'
        and private.is_state_change(a.after) and a.actor is distinct from new.owner and a.before ? 'hidden'
        and a.after @> jsonb_build_object('hidden', not new.hidden)) > 1
    and not exists (select from private.email_queue n where n.recipient = new.owner and n.sent_at is null
      and n.data @> jsonb_build_object('place_id', new.id, 'again', true));
  if again then
    news := case when new.hidden then 'listing-shown' else 'listing-hidden' end;
    due := now();
  end if;
  if (again or not found) and new.owner <> private.user_id() then
    select greatest(due, max(n.sent_at) + interval '1 hour') into due from private.email_queue n
      where n.recipient = new.owner and n.key like format('%s:%s:%%', news, new.id)
        -- Who changed it before. (This change isn't in the log yet.)
        and new.owner is distinct from (select a.actor from public.audit_log a
          where a.subject = 'places' and a.subject_id = new.id::text and private.is_state_change(a.after)
            and a.after ? 'hidden'
          order by a.at desc, a.id desc limit 1);
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    values (new.owner, news, format('%s:%s:%s', news, new.id, extract(epoch from clock_timestamp())), due,
      jsonb_build_object('place_id', new.id, 'name', private.approved_name(new.id),
        'approved', new.status in ('published', 'pending-update'),
        'team', new.id <> all (private.managed_places())) || case when again then '{"again": true}'::jsonb else '{}' end);
  end if;
  return null;
end $$;

-- What newsletters and emails call a listing: while another name waits for review, the approved one.
create function private.approved_name(place_id bigint) returns text
language sql stable security definer set search_path = ''
as $$ select coalesce(p.last_update ->> 'name', p.name) from public.places p where p.id = approved_name.place_id $$;

-- An owner who hides or shows what is so already, as a manager has just done, counts on it from then on.
create function private.count_on_visibility() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.owner = private.user_id() then
    update private.email_queue n set data = n.data || '{"counted_on": true}'
      where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
        and n.data ->> 'place_id' = new.id::text and n.sent_at is null and not n.data ? 'again';
  end if;
  return null;
end $$;

-- An owner gets an email about what someone else who manages their listing changes: it may undo what they asked for
-- themselves, such as the removal of their telephone number. The email goes out ten minutes after the first change. What
-- follows is in the next one, an hour later at the earliest.
--   fields  the columns; rawaddress for all of an address, and answers for all questions, some of which say in the
--           mailbox of someone in discreet mode what the directory is
--   news    what else came of it
create function private.email_managers_change(listing public.places, fields text[], news jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- (What was tried may be on its way. Whatever comes after that is another email. So it is when the earlier one will
  -- soon be too old to be sent, such as one that the owner had turned off: see due_emails.)
  update private.email_queue n set data = n.data || news || jsonb_build_object('fields',
      (select coalesce(jsonb_agg(distinct f), '[]')
        from unnest(fields || array(select jsonb_array_elements_text(n.data -> 'fields'))) f))
    where n.recipient = listing.owner and n.kind = 'listing-changed' and n.data ->> 'place_id' = listing.id::text
      and n.sent_at is null and n.attempts = 0 and n.created_at > now() - interval '6 days';
  if not found then
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select listing.owner, 'listing-changed',
        format('listing-changed:%s:%s', listing.id, extract(epoch from clock_timestamp())),
        greatest(now() + interval '10 minutes', max(coalesce(n.sent_at, n.created_at)) + interval '1 hour'),
        -- (private.approved_name, before this change.)
        jsonb_build_object('place_id', listing.id, 'name', coalesce(listing.last_update ->> 'name', listing.name),
          'fields', to_jsonb(fields)) || news
      from private.email_queue n
      where n.recipient = listing.owner and starts_with(n.key, format('listing-changed:%s:', listing.id));
  end if;
end $$;

-- Whether the caller manages a listing that is someone else's. What an admin does to it has emails of its own.
create function private.manages_for_owner(listing_id bigint, listing_owner uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select listing_owner <> private.user_id() and listing_id = any (private.managed_places()) and not private.is_admin()
$$;

create function private.email_edit_by_manager() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  fields text[];
begin
  -- (First, for a statement that changes many listings.)
  if not private.manages_for_owner(new.id, new.owner) then
    return null;
  end if;
  fields := array(
    select distinct case when f.kind = 'address' then 'rawaddress' when f.kind in ('question', 'consent') then 'answers'
      else f.name end
    from private.listing_fields() f, (select to_jsonb(old) as was, to_jsonb(new) as sent offset 0) r
    where r.sent -> f.name is distinct from r.was -> f.name order by 1);
  if fields <> '{}' then
    -- (Under the name that was approved, or without one, the name before this change.)
    perform private.email_managers_change(old, fields,
      case when old.status = 'pending-update' and new.status = 'published' then '{"withdrawn": true}'::jsonb else '{}' end);
  end if;
  return null;
end $$;

create function private.email_discarded_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.email_managers_change(p, '{}', '{"discarded": true}')
    from public.places p where p.id = old.place_id and private.manages_for_owner(p.id, p.owner);
  return null;
end $$;

-- A rejected edit is deleted when the listing leaves its owner, and when each of its values is in the waiting edit or
-- in the listing. Until then it stays: someone who corrects a word of the live text may not have read the long text
-- that was meant to replace it.
create function private.delete_rejected_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.rejected_edits r where r.place_id = new.id
    and ((old.owner is not null and new.owner is distinct from old.owner)
      or not exists (
        select from jsonb_each(r.edit) e join private.listing_fields() f on f.name = e.key
        where e.value is distinct from to_jsonb(new) -> e.key and e.value is distinct from new.last_update -> e.key
          -- The rest of an address follows from what was typed.
          and not (f.kind = 'address' and e.key <> 'rawaddress' and r.edit ? 'rawaddress')));
  return null;
end $$;

-- When a manager edits a listing of which the team has asked for a change, before its owner has read the request: they
-- read it nevertheless, and that someone has edited it since (private.due_emails).
create function private.keep_unread_request() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.manages_for_owner(new.id, new.owner) then
    update private.email_queue n set data = n.data || '{"answered": true}'
      where n.place_id = new.id and n.kind = 'changes-requested' and n.sent_at is null
        and n.data ->> 'reason' = old.changes_requested;
  end if;
  return null;
end $$;

-- Whether the owner of a listing has been told that it's live, so that its approval is no news: our team had set it to
-- pending, where it's public, and no edit of it waits. Not when the last they heard is that it was removed. (In plpgsql,
-- because the table of emails comes later.)
create function private.was_told_it_is_live(listing_id bigint, status text, edit jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return was_told_it_is_live.status = 'pending-update' and edit = '{}' and exists (select from (
    select n.kind from private.email_queue n
    where n.place_id = listing_id and n.kind in ('listing-approved', 'listing-removed')
    order by n.created_at desc, n.kind limit 1) last where last.kind = 'listing-approved');
end $$;

-- An owner gets an email when an admin has published, removed, or changed their listing by hand. The decisions of
-- the review desk send their own emails, once they can't be undone anymore. A listing that becomes pending is public as
-- it was approved before, and its edit waits.
create function private.enqueue_owner_emails() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act <> 'form' or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
      || case k.kind when 'listing-removed'
        then jsonb_strip_nulls(private.about_removal((select p from public.places p where p.id = n.id), o.archive_requested))
        when 'listing-approved'
        then case when n.status = 'pending-update' and n.last_update <> '{}' then '{"waits": true}'::jsonb else '{}' end
        else '{}' end
  from new_rows n join old_rows o on o.id = n.id
  -- (A listing that has left its owner loses the edit that waited, which no one has approved, and what was theirs alone:
  -- private.part_from_owner.)
  cross join lateral (select o.owner is not null and n.owner is distinct from o.owner as has_left) h
  cross join lateral (select o.last_update <> '{}' and h.has_left as edit_left) w
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' and not w.edit_left
        and not private.was_told_it_is_live(n.id, o.status, o.last_update) then 'listing-approved'
      when n.status = 'pending-update' and o.status not in ('published', 'pending-update') then 'listing-approved'
      when n.status = 'archived' and o.status <> 'archived' then 'listing-removed'
    end as kind
    union all
    -- Also with one of these: what our team entered as they published it is read as its owner's words.
    select 'listing-edited' where exists (select from unnest(private.reviewed_columns()) c
      where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c
        and not (w.edit_left and o.last_update ? c)
        and not (h.has_left and c in ('mailingaddress', 'rawaddress') and to_jsonb(n) ->> c is null))) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  perform private.enqueue_booked_removals(array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status = 'archived' and o.status <> 'archived'), now());
  return null;
end $$;

-- When someone stops managing a listing, the address they were invited by is deleted, and so are the
-- edit that they have not submitted, and unsent emails about messages to that listing. (Not an edit that they are saving:
-- they may hold it with one slow request after the other, and can't submit it anymore.)
create function private.clean_up_manager() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.manager_invitations i where i.place_id = old.place_id and i.accepted_by = old.profile_id;
  delete from public.listing_drafts d where d.id in (select o.id from public.listing_drafts o
    where o.owner = old.profile_id and o.form = '/listings/' || old.place_id for update skip locked);
  delete from private.email_queue n where n.recipient = old.profile_id and n.sent_at is null
    and n.kind = 'new-lead' and n.data ->> 'place_id' = old.place_id::text;
  return null;
end $$;

create function private.guard_listing_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if octet_length(new.fields::text) > 65536 then
    perform private.refuse('draft_too_long');
  end if;
  new.updated_at := now();
  if tg_op = 'UPDATE' then
    new.id := old.id;
    new.owner := old.owner;
    new.created_at := old.created_at;
    new.form := old.form;
    -- What someone asked to save stays, also while they go on typing.
    new.expires := old.expires and (new.expires or new.form is not null);
    return new;
  end if;
  new.expires := new.expires or new.form is not null;
  new.owner := private.author(new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted. Saving a
  -- draft again runs this code as well (an upsert tries to insert first), and adds none.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if exists (select from public.places p where p.owner = new.owner and p.submission_id = new.id) then
    perform private.refuse('draft_already_submitted');
  elsif (select count(*) from public.listing_drafts d where d.owner = new.owner
      and d.id <> new.id and (d.form = new.form) is not true) >= 20 then
    perform private.refuse('too_many_drafts');
  end if;
  return new;
end $$;

create function private.count_views() returns trigger
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

create function private.count_favorites() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    -- Everyone who saves or views one of them, or whose account is deleted, waits for this.
    perform private.refuse_oversized(private.user_id() is not null and (select count(*) from new_rows) > 100);
    insert into public.place_stats as s (place_id, favorites)
    select place_id, count(*) from new_rows group by place_id order by place_id
    on conflict (place_id) do update set favorites = s.favorites + excluded.favorites;
  else
    -- In the order in which the others have them, so that no two wait for each other.
    perform 1 from public.place_stats s where s.place_id in (select place_id from old_rows) order by s.place_id
      for no key update;
    update public.place_stats s set favorites = s.favorites - g.removed
    from (select place_id, count(*) as removed from old_rows group by place_id) g where s.place_id = g.place_id;
  end if;
  return null;
end $$;

-- How many favorites a user has from before this week (UTC), rounded down to tens, which is as much as admins may know:
-- a number that grew at once would reveal who added a listing's newest favorite.
create function private.favorites_in_tens(user_id uuid) returns integer
language sql stable security definer set search_path = ''
as $$
  select count(*)::integer / 10 * 10 from public.favorites f
  where f.user_id = favorites_in_tens.user_id
    and f.created_at < private.week_of(now())::timestamp at time zone 'UTC'
$$;

-- Deletes rows of views whose hour is over, at most so many. The numbers stay.
create function private.delete_counted_views(max_rows integer) returns void
language sql volatile security definer set search_path = ''
as $$
  delete from public.place_views v where (v.place_id, v.hour, v.visitor) in
    (select o.place_id, o.hour, o.visitor from public.place_views o where o.hour < date_trunc('hour', now(), 'UTC')
      order by o.hour limit max_rows for update skip locked)
$$;

-- Records a view by the caller: one per hour, only of a public listing, and never of one that they own or manage.
-- Each call deletes some old rows, faster than new ones arrive.
create function private.record_place_view(place_id bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.delete_counted_views(20);
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    private.code_hash(concat_ws(' ', private.user_id(), p.id,
      extract(epoch from date_trunc('hour', now(), 'UTC'))))
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from private.user_id() and private.user_id() is not null
    and p.id <> all (private.managed_places())
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$$;
create function public.record_place_view(place_id bigint) returns void
language sql volatile set search_path = ''
as $$ select private.record_place_view(place_id) $$;

-- The views of the last 12 weeks, oldest first and the current week last. For the owner of a
-- featured listing, its managers, and admins; null for anyone else.
create function private.weekly_views(place_id bigint) returns integer[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select array(
      select coalesce(w.views, 0)::integer
      from generate_series(11, 0, -1) ago
      left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
      order by ago desc)
    from public.places p
    where p.id = weekly_views.place_id and ((p.premium and (p.owner = private.user_id()
      or p.id = any (private.managed_places()))) or private.is_admin()));
end $$;

-- About how many people live within 50 miles of a published listing (also a hidden one), where it was last approved to
-- be: a multiple of ten; 0 means fewer than 50. For the owner of a featured listing, its managers, and admins;
-- null for anyone else, and while no position is approved.
create function private.nearby_users(place_id bigint) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select private.people_nearby(
      -- While an edit waits, the approved values of what it changes.
      case when p.last_update ? 'lat' then (p.last_update ->> 'lat')::double precision else p.lat end,
      case when p.last_update ? 'long' then (p.last_update ->> 'long')::double precision else p.long end)
    from public.places p
    where p.id = place_id and p.status in ('published', 'pending-update')
      and ((p.premium and (p.owner = private.user_id() or p.id = any (private.managed_places())))
        or private.is_admin()));
end $$;

-- The same for one listing, at most 60 times an hour.
create function private.get_user_count_by_distance(place_id bigint) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
begin
  if me is null then
    return null;
  end if;
  perform private.enforce_limit('too_many_counts', 'count users by ' || me, 60, 3600);
  return private.nearby_users(place_id);
end $$;
create function public.get_user_count_by_distance(place_id bigint) returns bigint
language sql volatile set search_path = ''
as $$ select private.get_user_count_by_distance(place_id) $$;

-- The dashboard's list in one query. Numbers are null unless the listing is featured and the reader
-- owns or manages it, or the reader is an admin.
create view public.places_with_stats with (security_invoker = on) as
  select p.id, p.name, p.category, p.city, p.state, p.status, p.premium, p.premium as premium2,
    case when p.premium then private.nearby_users(p.id) end as user_count_by_distance,
    case when p.premium then coalesce(s.views, 0) end as views,
    case when p.premium then coalesce(s.favorites, 0) end as favoritescount,
    p.proxi_id, p.stripe_cus_id, p.subscription_status, p.owner, p.owner_email,
    p.hidden, p.archive_requested, p.changes_requested, p.last_update, p.version, p.created_at,
    p.modified_at, p.name_search,
    case when p.premium then private.weekly_views(p.id) end as weekly_views
  from (select * from public.places
    -- An admin has read them already.
    union all select * from private.managed_listings() where not (select private.is_admin())) p
  left join public.place_stats s on s.place_id = p.id;

-- Counts for the admin dashboard. Each equals the number of rows behind its link.
create function private.get_places_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object('new', 0, 'flagged', 0, 'archived', 0, 'pending-update', 0, 'published', 0,
      'premium', 0, 'archive-requested', 0, 'total', 0)
    || coalesce((select jsonb_object_agg(name, amount) from private.counter_values('places:')), '{}');
end $$;
create function public.get_places_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_places_counts() $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_guard before insert or update on public.places
  for each row execute function private.guard_place();
create trigger t2_delete_draft after insert on public.places
  for each row when (new.submission_id is not null) execute function private.delete_listing_draft();
create trigger t3_end_ownership after update on public.places
  for each row when ((old.owner is not null and old.owner is distinct from new.owner)
    or (old.owner is null and old.owner_email is not null and old.owner_email is distinct from new.owner_email))
    execute function private.end_ownership();
create trigger t4_delete_rejected_edit after update on public.places
  for each row when (new.version <> old.version or (old.owner is not null and new.owner is distinct from old.owner))
  execute function private.delete_rejected_edit();
create trigger t5_email_new_owner after update on public.places
  for each row when (new.owner is not null and new.owner is distinct from old.owner)
  execute function private.email_new_owner();
create trigger t5_email_first_owner after insert on public.places
  for each row when (new.owner is not null) execute function private.email_new_owner();
create trigger t5_email_first_claimable after insert on public.places
  for each row when (new.owner is null and new.owner_email is not null)
  execute function private.email_claimable_listing();
create trigger t5_email_claimable after update on public.places
  for each row when (new.owner is null and new.owner_email is not null
    and new.owner_email is distinct from old.owner_email)
  execute function private.email_claimable_listing();
create trigger t5_email_visibility after update on public.places
  for each row when (old.hidden <> new.hidden and new.owner is not null and new.status <> 'archived')
  execute function private.email_visibility();
create trigger t5_count_on_visibility after update on public.places
  for each row when (new is not distinct from old) execute function private.count_on_visibility();
create trigger t5_email_edit_by_manager after update on public.places
  for each row when (new.version <> old.version and new.owner is not null and new.owner = old.owner)
  execute function private.email_edit_by_manager();
create trigger t5_keep_unread_request after update on public.places
  for each row when (old.changes_requested is not null and new.changes_requested is null and private.from_api()
    and new.owner is not null and new.owner = old.owner)
  execute function private.keep_unread_request();
create trigger t5_audit_insert after insert on public.places referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger t5_audit_update after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger t5_audit_delete after delete on public.places referencing old table as old_rows
  for each statement execute function private.write_audit();
create trigger t6_count_insert after insert on public.places referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
create trigger t6_count_update after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
create trigger t6_count_delete after delete on public.places referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end,
      case when archive_requested and status <> ''archived'' then ''places:archive-requested'' end]');
create trigger t7_enqueue_emails after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.enqueue_owner_emails();
create trigger t8_limit after insert on public.places referencing new table as new_rows
  for each statement execute function private.limit_new_rows('too_many_new_listings', 'listing');

-- (Not when it goes because of something else: with its listing, or because all of it was entered again.)
create trigger t1_email_discarded after delete on public.rejected_edits
  for each row when (pg_trigger_depth() = 0) execute function private.email_discarded_edit();

create trigger t1_clean_up after delete on public.listing_managers
  for each row execute function private.clean_up_manager();

create trigger t1_guard before insert or update on public.listing_drafts
  for each row execute function private.guard_listing_draft();

create trigger t1_count_insert after insert on public.favorites referencing new table as new_rows
  for each statement execute function private.count_favorites();
create trigger t1_count_delete after delete on public.favorites referencing old table as old_rows
  for each statement execute function private.count_favorites();

-- Views are only ever added: the total remains when old rows are removed.
create trigger t1_count_insert after insert on public.place_views referencing new table as new_rows
  for each statement execute function private.count_views();

-- ---------------------------------------------------------------- policies

alter table public.places enable row level security;
create policy "expect one row" on public.places as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
-- Managers read and change it by managed_places.
create policy "read own, claimable, or admin" on public.places for select to authenticated
  using (owner = (select private.user_id())
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()));
create policy "insert own, or admin" on public.places for insert to authenticated
  with check (owner = (select private.user_id()) or (select private.is_admin()));
create policy "update own, claimable, or admin" on public.places for update to authenticated
  using (owner = (select private.user_id())
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()))
  with check (owner = (select private.user_id()) or (select private.is_admin()));

-- Written by functions alone.
alter table public.listing_managers enable row level security;
create policy "expect one row" on public.listing_managers as restrictive for select to authenticated
  using (place_id operator(private.>=!) '-9223372036854775808' and profile_id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "read own, for own listings, or admin" on public.listing_managers for select to authenticated
  using (profile_id = (select private.user_id())
    or place_id in (select p.id from public.places p where p.owner = (select private.user_id()))
    or (select private.is_admin()));

-- Only its owner reads an unfinished listing: no admin, and no service either.
alter table public.listing_drafts enable row level security;
create policy "expect one row" on public.listing_drafts as restrictive for select to authenticated
  using (id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "own" on public.listing_drafts for all to authenticated
  using (owner = (select private.user_id())) with check (owner = (select private.user_id()));

alter table public.rejected_edits enable row level security;
create policy "expect one row" on public.rejected_edits as restrictive for select to authenticated
  using (place_id operator(private.>=!) '-9223372036854775808');
create policy "read for readable listings" on public.rejected_edits for select to authenticated
  using (exists (select from public.places p where p.id = place_id)
    or place_id = any ((select private.managed_places())::bigint[]));
create policy "delete for own or managed listings" on public.rejected_edits for delete to authenticated
  using (exists (select from public.places p where p.id = place_id and p.owner = (select private.user_id()))
    or place_id = any ((select private.managed_places())::bigint[]));

alter table public.favorites enable row level security;
create policy "expect one row" on public.favorites as restrictive for select to authenticated
  using (user_id operator(private.>=!) '00000000-0000-0000-0000-000000000000' and place_id operator(private.>=!) '-9223372036854775808');
create policy "read own" on public.favorites for select to authenticated using (user_id = (select private.user_id()));
create policy "insert own" on public.favorites for insert to authenticated
  with check (user_id = (select private.user_id())
    and exists (select 1 from public.public_places p where p.id = place_id));
create policy "delete own" on public.favorites for delete to authenticated using (user_id = (select private.user_id()));

-- Who looked at what is private: only the service reads the rows, to sum them up.
alter table public.place_views enable row level security;
create policy "no access" on public.place_views for all to anon, authenticated using (false);

alter table private.place_view_weeks enable row level security;
create policy "no access" on private.place_view_weeks for all to anon, authenticated using (false);

-- Statistics are part of the Featured tier, so the database returns them for no other listing.
alter table public.place_stats enable row level security;
create policy "expect one row" on public.place_stats as restrictive for select to authenticated
  using (place_id operator(private.>=!) '-9223372036854775808');
create policy "read for featured listings, or admin" on public.place_stats for select to authenticated
  using ((select private.is_admin())
    or exists (select 1 from public.places p where p.id = place_id and p.premium)
    or exists (select 1 from public.managed_places p where p.id = place_id and p.premium));

-- ---------------------------------------------------------------- grants

grant select, insert, update on public.places to authenticated;
grant select, insert, update, delete on public.places to service_role;
grant select on public.listing_managers to authenticated;
grant select, insert, update, delete on public.listing_drafts to authenticated;
grant select, delete on public.rejected_edits to authenticated;
grant select, delete on public.favorites to authenticated;
grant insert (user_id, place_id) on public.favorites to authenticated;
grant select, insert, update, delete on public.favorites to service_role;
grant select, insert, delete on public.place_views to service_role;
grant select on public.place_stats to authenticated, service_role;
grant select on private.public_places, public.public_places to anon, authenticated, service_role;
grant select on public.places_with_stats to authenticated;
grant select on private.former_leads to authenticated;
grant select, update on private.managed_places, public.managed_places to authenticated;

grant execute on function
  private.record_place_view(bigint),
  public.record_place_view(bigint),
  private.weekly_views(bigint),
  private.managed_listings(),
  private.nearby_users(bigint),
  private.get_user_count_by_distance(bigint),
  public.get_user_count_by_distance(bigint),
  private.get_places_counts(),
  public.get_places_counts()
  to authenticated;

grant execute on function
  private.listing_fields(),
  private.edit_kind(jsonb),
  private.missing_for_approval(text, text),
  private.managed_places(),
  private.reviewed_columns(),
  private.owner_columns(),
  private.validate_place_fields(places),
  private.validate_place_categories(places),
  private.without_former_answers(places, places),
  private.limit_changes(bigint),
  private.name_search_vector(text),
  private.reset_new_place(public.places, boolean, boolean),
  private.with_payment_columns(public.places, public.places),
  private.with_subscription_columns(public.places, public.places),
  private.restore_protected_columns(public.places, public.places, boolean, boolean),
  private.record_pending_edit(public.places, public.places, boolean),
  private.without_edit(public.places, public.places),
  private.part_from_owner(public.places, public.places),
  private.waiting_since(public.places, public.places),
  private.without_request(public.places, public.places)
  to authenticated, service_role;
