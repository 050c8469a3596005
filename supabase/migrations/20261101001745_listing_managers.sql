-- People who help an owner: they edit a listing and read what is written to it. They can't give it away, take it out
-- of the directory, or buy anything for it. Everything here that asks "may they?" asks these tables.

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

-- To an address, whether or not it has an account: nobody is told which.
create table public.manager_invitations (
  -- The form's one-submit token: sent twice, it is one invitation.
  id uuid primary key,
  place_id bigint not null references public.places (id) on delete cascade,
  email text not null check (private.is_email(email) and email = lower(email)),
  invited_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references public.profiles (id) on delete cascade,
  -- By hand, in favour of a newer one, or because the listing has another owner now.
  withdrawn_at timestamptz,
  check (accepted_by is null or accepted_at is not null)
);
create index manager_invitations_place on public.manager_invitations (place_id);
create index manager_invitations_email on public.manager_invitations (email);
create index manager_invitations_invited_by on public.manager_invitations (invited_by);
create index manager_invitations_accepted_by on public.manager_invitations (accepted_by);
create index manager_invitations_expires on public.manager_invitations (expires_at);

-- What the link in the e-mail carries, hashed: apart, so that no right to read an invitation reaches it.
create table private.invitation_tokens (
  token_hash text primary key,
  invitation_id uuid not null unique references public.manager_invitations (id) on delete cascade
);
alter table private.invitation_tokens enable row level security;
create policy "nobody" on private.invitation_tokens for all to anon, authenticated using (false);

-- The listings that the caller manages for somebody else.
create function private.managed_places() returns bigint[]
language sql stable security definer set search_path = ''
as $$ select coalesce(array_agg(m.place_id), '{}') from public.listing_managers m where m.profile_id = auth.uid() $$;
grant execute on function private.managed_places() to authenticated, service_role;

-- Both are written by functions alone.
alter table public.listing_managers enable row level security;
create policy "mine, of my listings, or admin" on public.listing_managers for select to authenticated
  using (profile_id = (select auth.uid())
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid()))
    or (select private.is_admin()));
grant select on public.listing_managers to authenticated;

alter table public.manager_invitations enable row level security;
create policy "to me, for my listings, or admin" on public.manager_invitations for select to authenticated
  using (email = (select private.my_email())
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid()))
    or (select private.is_admin()));
grant select on public.manager_invitations to authenticated;

-- What a manager may read and write, besides what the guard of listings (below) keeps from them.
alter policy "own, mine to claim, or admin" on public.places rename to "own, managed, mine to claim, or admin";
alter policy "own, managed, mine to claim, or admin" on public.places
  using (owner = (select auth.uid())
    or id = any ((select private.managed_places())::bigint[])
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()));
alter policy "change own, claim, or admin" on public.places rename to "change own, managed, claim, or admin";
alter policy "change own, managed, claim, or admin" on public.places
  using (owner = (select auth.uid())
    or id = any ((select private.managed_places())::bigint[])
    or (owner is null and owner_email = (select private.my_email()))
    or (select private.is_admin()))
  with check (owner = (select auth.uid())
    or id = any ((select private.managed_places())::bigint[])
    or (select private.is_admin()));

alter policy "of my listings, or sent by me" on public.leads rename to "of listings I own or manage, or sent by me";
alter policy "of listings I own or manage, or sent by me" on public.leads
  using (requester = (select auth.uid())
    or place_id = any ((select private.managed_places())::bigint[])
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid())));
alter policy "of my listings" on public.leads rename to "of listings I own or manage";
alter policy "of listings I own or manage" on public.leads
  using (place_id = any ((select private.managed_places())::bigint[])
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid())))
  with check (place_id = any ((select private.managed_places())::bigint[])
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid())));

-- The confirmed address of somebody's account, for what admins do in their name; null for everybody else.
create function private.account_email(person uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select lower(u.email) from auth.users u
  where u.id = person and u.email_confirmed_at is not null and u.email <> '' and private.is_admin()
$$;
grant execute on function private.account_email(uuid) to authenticated;

create or replace function private.guard_place() returns trigger
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
      -- claims it: the policy let through only its owner, whoever manages it for them, or the
      -- confirmed owner_email of one without an owner. What is managed stays its owner's.
      if old.owner <> auth.uid() and new.archive_requested <> old.archive_requested then
        raise exception 'Only its owner can ask for a listing to be removed.' using errcode = 'P0001';
      end if;
      sent := to_jsonb(new);
      new := jsonb_populate_record(old,
        (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
      new.owner := coalesce(old.owner, auth.uid());
    end if;
    if api and not by_owner and new.owner is distinct from old.owner and new.owner_email is not distinct from old.owner_email then
      -- An admin gives the listing to somebody else, or to nobody: the address it names goes along, or whoever had it
      -- could claim it back.
      new.owner_email := private.account_email(new.owner);
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

-- What follows from the hand of a listing's owner, or of whoever manages it for them.
create or replace function private.follow_owner() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not private.from_api()
    or (new.owner is distinct from auth.uid() and new.id <> all (private.managed_places())) then
    return new;
  end if;
  -- A listing without an owner's address cannot be approved. Theirs is known, and confirmed.
  if new.owner_email is null and new.owner = auth.uid() then
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

-- The views of the last 12 weeks, the oldest first and the current one last. For the owner of a
-- featured listing, who manages it, or an admin; null for anybody and anything else.
create or replace function private.weekly_views(place_id bigint) returns integer[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select coalesce(w.views, 0)::integer
    from generate_series(11, 0, -1) ago
    left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
    order by ago desc)
  from public.places p
  where p.id = weekly_views.place_id and ((p.premium and (p.owner = auth.uid() or p.id = any (private.managed_places()))) or private.is_admin())
$$;

-- For the owner of a featured listing, who manages it, or an admin; null for anybody and anything else.
create or replace function private.get_user_count_by_distance(place_id bigint) returns bigint
language sql stable security definer set search_path = ''
as $$
  select private.count_users_within(p.lat, p.long, 50) from public.places p
  where p.id = place_id and ((p.premium and (p.owner = auth.uid() or p.id = any (private.managed_places()))) or private.is_admin())
$$;

-- One view by the caller: one an hour, never of a listing that they look after, only of what is public.
create or replace function private.record_place_view(place_id bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    encode(sha256(convert_to(concat_ws(' ', auth.uid(), p.id, extract(epoch from date_trunc('hour', now(), 'UTC'))), 'UTF8')), 'hex')
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from auth.uid() and auth.uid() is not null
    and p.id <> all (private.managed_places())
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$$;
