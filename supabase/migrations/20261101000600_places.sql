-- Listings, their review, and what the public may see of them.
create table public.places (
  id bigint generated always as identity primary key,
  name text not null check (length(btrim(name)) between 1 and 200),
  category bigint not null references public.categories (id),
  online_categories bigint[] not null default '{}' check (cardinality(online_categories) <= 50),
  licensed_locations text[] not null default '{}' check (cardinality(licensed_locations) <= 400),
  public_email text check (private.is_email(public_email)),
  phone text check (length(phone) <= 40),
  -- What was typed, and what it was found to be.
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
  -- The owner's own switches: neither needs a review.
  hidden boolean not null default false,
  archive_requested boolean not null default false,
  owner uuid references public.profiles (id) on delete set null,
  owner_email text check (private.is_email(owner_email)),
  premium boolean not null default false,
  premium_created_at timestamptz,
  stripe_cus_id text,
  stripe_subscription_id text unique,
  subscription_status text check (length(subscription_status) <= 40),
  proxi_id text check (length(proxi_id) <= 100),
  -- While an edit waits: the approved values of what it changed, by column. Empty otherwise.
  last_update jsonb not null default '{}' check (jsonb_typeof(last_update) = 'object'),
  -- What an admin asked the owner to mend, in the admin's words.
  changes_requested text check (length(changes_requested) <= 2000),
  -- The one-submit token of the form: the same form sent twice makes one listing.
  submission_id uuid,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  name_search tsvector,
  check ((lat is null) = (long is null)),
  unique (owner, submission_id)
);
create index places_owner_email on public.places (owner_email);
create index places_category on public.places (category, modified_at, id);
create index places_state on public.places (state, modified_at, id);
create index places_status on public.places (status, modified_at, id);
create index places_modified on public.places (modified_at, id);
create index places_premium on public.places (premium_created_at, id) where premium;
create index places_name_search on public.places using gin (name_search);

-- The columns a change of which waits for an admin when the listing is public.
create function private.reviewed_columns() returns text[]
language sql immutable set search_path = ''
as $$
  select array['name', 'category', 'online_categories', 'licensed_locations', 'public_email', 'phone',
    'rawaddress', 'address', 'address_approximate', 'city', 'state', 'country', 'postalcode', 'lat',
    'long', 'mailingaddress', 'description', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube',
    'facebook', 'linkedin', 'online', 'physicalLocation', 'bipocOwned', 'outdoor', 'nonprofit',
    'gender_neutral_bathrooms', 'masks_required', 'wholesale', 'wholesale_buyer', 'affiliate',
    'queer_programming', 'mission_statement', 'certified_queer', 'third_party_auth']
$$;
-- All that an owner may write. Everything else is kept from an owner's hand, so a column that is
-- added later is guarded until it is named here.
create function private.owner_columns() returns text[]
language sql immutable set search_path = ''
as $$
  select private.reviewed_columns() || array['hidden', 'archive_requested']
$$;

-- What the form refuses, refused here too when an owner writes past the form.
create function private.refuse_incomplete_place(place public.places) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(btrim(place.description), '') = '' then
    raise exception 'Please tell people about your business.' using errcode = 'P0001';
  elsif coalesce(btrim(place.rawaddress), btrim(place.address), '') = '' then
    raise exception 'Please give an address.' using errcode = 'P0001';
  elsif not place.third_party_auth then
    raise exception 'Please agree that the listing is shown publicly.' using errcode = 'P0001';
  elsif not place.certified_queer then
    raise exception 'Please certify that the business or organization is queer-owned.' using errcode = 'P0001';
  elsif place.category = 2 and cardinality(place.licensed_locations) = 0 then
    raise exception 'Please say where you are licensed.' using errcode = 'P0001';
  elsif place.category = 14 and not (place.queer_programming and place.mission_statement) then
    raise exception 'At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!'
      using errcode = 'P0001';
  end if;
end $$;

create function private.refuse_wrong_categories(place public.places) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A category of listings stands at the top and is not 40, the parent of job categories.
  if not exists (select 1 from public.categories c
    where c.id = place.category and c.parent_category is null and c.id <> 40) then
    raise exception 'Please choose a category from the list.' using errcode = 'P0001';
  end if;
  if exists (select 1 from unnest(place.online_categories) chosen
    left join public.categories c on c.id = chosen and c.parent_category = 12 where c.id is null) then
    raise exception 'Please choose online shopping categories from the list.' using errcode = 'P0001';
  end if;
end $$;
grant execute on function private.owner_columns(), private.reviewed_columns(),
  private.refuse_incomplete_place(public.places), private.refuse_wrong_categories(public.places)
  to authenticated, service_role;

create function private.guard_place() returns trigger
language plpgsql set search_path = ''
as $$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  sent jsonb;
  before jsonb;
  approved jsonb;
begin
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := auth.uid();
      new.owner_email := private.my_email();
      new.status := 'new';
      new.premium := false;
      new.premium_created_at := null;
      new.stripe_cus_id := null;
      new.stripe_subscription_id := null;
      new.subscription_status := null;
      new.proxi_id := null;
      new.changes_requested := null;
      perform private.refuse_incomplete_place(new);
    end if;
    if api then
      new.last_update := '{}';
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      -- Keep the row as it was but for the columns an owner fills in. Saving an unclaimed listing
      -- claims it: the policy let through only its owner, or the confirmed owner_email of none.
      sent := to_jsonb(new);
      new := jsonb_populate_record(old,
        (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
      new.owner := auth.uid();
    end if;
    if api then
      new.created_at := old.created_at;
      new.submission_id := old.submission_id;
      new.last_update := old.last_update;
      new.version := old.version;
      new.modified_at := old.modified_at;
    end if;
    new.name_search := old.name_search;
    new.owner_email := lower(btrim(new.owner_email));
    if new is not distinct from old then
      return new;
    end if;
  end if;

  new.name := btrim(new.name);
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  if tg_op = 'INSERT' or new.name <> old.name then
    new.name_search := to_tsvector('simple', new.name);
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories then
    perform private.refuse_wrong_categories(new);
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;

  if api and old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
    and (by_owner or new.status = 'pending-update') then
    -- The approved values of whatever differs from them now.
    sent := to_jsonb(new);
    approved := to_jsonb(old) || old.last_update;
    select coalesce(jsonb_object_agg(k, approved -> k), '{}') into new.last_update
      from unnest(private.reviewed_columns()) k where sent -> k is distinct from approved -> k;
    if by_owner and new.last_update <> '{}' then
      new.status := 'pending-update';
    elsif by_owner and old.last_update <> '{}' then
      -- Every waiting edit was taken back by hand: what stands there is what was approved.
      new.status := 'published';
    end if;
  end if;
  if by_owner then
    sent := to_jsonb(new);
    before := to_jsonb(old);
    if exists (select 1 from unnest(private.reviewed_columns()) k
      where sent -> k is distinct from before -> k) then
      perform private.refuse_incomplete_place(new);
      new.changes_requested := null;
    end if;
  end if;
  if new.status = 'published' then
    new.last_update := '{}';
    new.changes_requested := null;
  end if;
  new.version := old.version + 1;
  new.modified_at := now();
  return new;
end $$;
create trigger guard before insert or update on public.places
  for each row execute function private.guard_place();

create trigger audit_insert after insert on public.places referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_update after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_delete after delete on public.places referencing old table as old_rows
  for each statement execute function private.write_audit();

create trigger count_insert after insert on public.places referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end]');
create trigger count_update after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end]');
create trigger count_delete after delete on public.places referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''places:total'', ''places:'' || status, case when premium then ''places:premium'' end]');

alter table public.places enable row level security;
create policy "own, mine to claim, or admin" on public.places for select to authenticated
  using (owner = (select auth.uid())
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()));
create policy "add own, or admin" on public.places for insert to authenticated
  with check (owner = (select auth.uid()) or (select private.is_admin()));
create policy "change own, claim, or admin" on public.places for update to authenticated
  using (owner = (select auth.uid())
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()))
  with check (owner = (select auth.uid()) or (select private.is_admin()));
grant select, insert, update on public.places to authenticated;
grant select, insert, update, delete on public.places to service_role;

-- What anybody may see: the last approved values, whatever waits for review. The projection itself
-- runs with its owner's rights, for its readers may not read places; it stands in a schema that the
-- API does not show, names the public columns one by one, and is a barrier, so that no filter is
-- evaluated on a row it leaves out.
create view private.public_places with (security_barrier = true) as
  select p.id, p.name, p.category, p.online_categories, p.licensed_locations, p.public_email, p.phone,
    p.address, p.address_approximate, p.city, p.state, p.country, p.postalcode, p.lat, p.long,
    p.description, p.url, p.tiktok, p.instagram, p.xtwitter, p.youtube, p.facebook, p.linkedin,
    p.online, p."physicalLocation", p."bipocOwned", p.outdoor, p.nonprofit,
    p.gender_neutral_bathrooms, p.masks_required, p.wholesale, p.wholesale_buyer, p.affiliate,
    p.queer_programming, p.mission_statement, p.certified_queer, p.premium, p.proxi_id
  from public.places p where p.status = 'published' and not p.hidden
  union all
  select p.id, a.name, a.category, a.online_categories, a.licensed_locations, a.public_email, a.phone,
    a.address, a.address_approximate, a.city, a.state, a.country, a.postalcode, a.lat, a.long,
    a.description, a.url, a.tiktok, a.instagram, a.xtwitter, a.youtube, a.facebook, a.linkedin,
    a.online, a."physicalLocation", a."bipocOwned", a.outdoor, a.nonprofit,
    a.gender_neutral_bathrooms, a.masks_required, a.wholesale, a.wholesale_buyer, a.affiliate,
    a.queer_programming, a.mission_statement, a.certified_queer, p.premium, p.proxi_id
  from public.places p
  cross join lateral jsonb_populate_record(p, p.last_update - array['id', 'premium', 'proxi_id']) a
  where p.status = 'pending-update' and not p.hidden;
create view public.public_places with (security_invoker = on) as select * from private.public_places;
grant select on private.public_places, public.public_places to anon, authenticated, service_role;

-- Approves what can be approved and says of each why not. items: [{"id": 1, "version": 3}, ...] as
-- the admin saw them, 1,000 at most; all in one transaction.
-- outcome: approved | refused (reason in words) | stale (changed since it was seen) | missing.
create function private.approve_listings(items jsonb)
returns table (id bigint, name text, outcome text, reason text)
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted bigint[];
  seen integer[];
begin
  perform private.require_admin();
  if jsonb_typeof(items) is distinct from 'array' then
    raise exception 'Choose the listings to approve.' using errcode = 'P0001';
  elsif jsonb_array_length(items) > 1000 then
    raise exception 'Approve 1,000 listings at most at a time.' using errcode = 'P0001';
  end if;
  -- The first of each id; what is no id at all names no listing and is left out.
  select array_agg(i.id), array_agg(i.version) into wanted, seen from (
    select distinct on ((item ->> 'id')::bigint) (item ->> 'id')::bigint as id,
      case when item ->> 'version' ~ '^[0-9]{1,9}$' then (item ->> 'version')::integer end as version
    from jsonb_array_elements(items) with ordinality as sent (item, position)
    where jsonb_typeof(item) = 'object' and item ->> 'id' ~ '^[0-9]{1,18}$'
    order by (item ->> 'id')::bigint, position
  ) i;
  -- Wait for whoever is writing, always in the same order; what follows sees what they wrote.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for update;

  perform set_config('app.audit_action', 'approve', true);
  return query
    with judged as (
      select w.id, p.name, case
          when p.id is null then 'missing'
          when w.version is distinct from p.version or p.status = 'published' then 'stale'
          when p.owner_email is null or coalesce(p.state, '') = '' then 'refused'
          else 'approved'
        end as outcome,
        p.status, p.owner_email, p.state
      from unnest(wanted, seen) w (id, version) left join public.places p on p.id = w.id
    ), done as (
      update public.places p set status = 'published'
      from judged j where j.id = p.id and j.outcome = 'approved'
      returning p.id
    )
    select j.id, j.name, j.outcome, case j.outcome
        when 'missing' then 'This listing does not exist.'
        when 'stale' then case j.status
          when 'published' then 'This listing is already published.'
          else 'This listing has changed since you opened it.' end
        when 'refused' then concat_ws(' ',
          case when j.owner_email is null then 'This listing does not have an owner_email.' end,
          case when coalesce(j.state, '') = '' then 'This listing does not have a proper address.' end)
      end
    from judged j left join done d on d.id = j.id;
  perform set_config('app.audit_action', '', true);
end $$;
create function public.approve_listings(items jsonb)
returns table (id bigint, name text, outcome text, reason text)
language sql volatile set search_path = ''
as $$ select * from private.approve_listings(items) $$;
grant execute on function private.approve_listings(jsonb), public.approve_listings(jsonb) to authenticated;
