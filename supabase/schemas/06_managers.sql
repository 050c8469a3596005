-- How someone comes to manage a listing for its owner, and how that ends: invitations to an
-- address, accepting, removing and leaving. Each of these writes an entry to the audit log, under
-- the listing, without any address in it. Listings are always locked before invitations. Who
-- manages what is in listings (listing_managers), because every rule about reading and writing a
-- listing needs it.

-- ---------------------------------------------------------------- tables

-- Invitations to an address, whether or not it has an account. No one learns which.
create table public.manager_invitations (
  -- The one-submit token of the form: the same form sent twice creates one invitation.
  id uuid primary key,
  place_id bigint not null references public.places (id) on delete cascade,
  email text not null check (private.is_email(email) and email = lower(email)),
  invited_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references public.profiles (id) on delete cascade,
  -- By hand, because a newer one replaced it, or because the listing has another owner now.
  withdrawn_at timestamptz,
  check (accepted_by is null or accepted_at is not null)
);
create index manager_invitations_place on public.manager_invitations (place_id);
create index manager_invitations_email on public.manager_invitations (email);
create index manager_invitations_invited_by on public.manager_invitations (invited_by);
create index manager_invitations_accepted_by on public.manager_invitations (accepted_by);
create index manager_invitations_expires on public.manager_invitations (expires_at);

-- What the link in the email carries, as a hash. In a table of its own, so that no right to read an
-- invitation includes it.
create table private.invitation_tokens (
  token_hash text primary key,
  invitation_id uuid not null unique references public.manager_invitations (id) on delete cascade
);

-- ---------------------------------------------------------------- functions

-- A listing whose managers the caller may change: their own, or any listing for an admin.
-- Locked until the transaction ends.
create function private.require_listing_owner(place_id bigint) returns public.places
language plpgsql volatile security definer set search_path = ''
as $$
declare
  listing public.places;
begin
  -- Only who has the right makes others wait for it. The caller may lose it while they wait themselves.
  select * into listing from public.places p where p.id = place_id
    and (p.owner = private.user_id() or private.is_admin()) for no key update;
  if listing.id is null or not (coalesce(listing.owner = private.user_id(), false) or private.is_admin()) then
    raise exception 'listing_not_yours' using errcode = '42501';
  end if;
  return listing;
end $$;

-- The same right, without the listing or its lock.
create function private.check_listing_owner(place_id bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if not exists (select from public.places p where p.id = place_id
    and (p.owner = private.user_id() or private.is_admin())) then
    raise exception 'listing_not_yours' using errcode = '42501';
  end if;
end $$;

-- Invites an address to manage a listing and queues the email. Only its owner may: a manager reads the
-- messages to the owner, which not even admins read. Inviting an address again replaces an
-- invitation that is still open. An error says why it is refused; it never depends on whether the
-- address has an account.
--   invitation   a new id that the caller chooses; the same id again is the same invitation
--   token        what the link in the email carries, stored as a hash
create function private.invite_manager(invitation uuid, place_id bigint, email text, token text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  me constant uuid := private.user_id();
  address constant text := lower(btrim(email));
  existing public.manager_invitations;
begin
  if listing.owner is distinct from me then
    raise exception 'listing_not_yours' using errcode = '42501';
  elsif private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  -- As the form has it: with another way to write an address, one mailbox would be counted as several.
  elsif address is null or not private.is_email(address)
    or address !~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9-]+([.][a-z0-9-]+)+$' then
    perform private.refuse('invitation_email_invalid', 'email');
  elsif length(coalesce(token, '')) < 32 then
    perform private.refuse('invitation_invalid');
  elsif address = private.my_email() then
    perform private.refuse('invitation_to_self', 'email');
  end if;
  select * into existing from public.manager_invitations i where i.id = invitation;
  if existing.place_id = listing.id and existing.email = address then
    return;
  elsif existing.id is not null then
    perform private.refuse('invitation_already_sent');
  elsif exists (select from public.manager_invitations i
      join public.listing_managers m on m.place_id = i.place_id and m.profile_id = i.accepted_by
      where i.place_id = listing.id and i.email = address) then
    perform private.refuse('already_manager', 'email');
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = listing.id and i.email = address and i.accepted_at is null and i.withdrawn_at is null;
  if (select count(*) from public.listing_managers m where m.place_id = listing.id)
    + (select count(*) from public.manager_invitations i where i.place_id = listing.id
        and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()) >= 10 then
    perform private.refuse('too_many_managers');
  end if;
  -- Neither one person nor many people together can fill a mailbox with invitations. What everyone together may send is
  -- three times what one account may: otherwise one could keep a person from being invited, or learn that others did.
  perform private.enforce_limit('too_many_invitations', 'invite by ' || me, 20, 86400);
  perform private.enforce_limit('too_many_invitations',
    format('invite by %s to %s', me, private.mailbox(address)), 5, 86400);
  perform private.enforce_limit('too_many_invitations', 'invite to ' || private.mailbox(address), 15, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, me);
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $$;
create function public.invite_manager(invitation uuid, place_id bigint, email text, token text) returns void
language sql volatile set search_path = ''
as $$ select private.invite_manager(invitation, place_id, email, token) $$;

-- Withdraws an open invitation; false when there is no open invitation with that id.
create function private.withdraw_invitation(invitation uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  listing_id constant bigint := (select i.place_id from public.manager_invitations i where i.id = invitation);
begin
  perform private.require_listing_owner(listing_id);
  update public.manager_invitations i set withdrawn_at = now()
    where i.id = invitation and i.accepted_at is null and i.withdrawn_at is null;
  if not found then
    return false;
  end if;
  perform private.log_action('withdraw-invitation', 'places', listing_id::text,
    jsonb_build_object('invitation', invitation));
  return true;
end $$;
create function public.withdraw_invitation(invitation uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.withdraw_invitation(invitation) $$;

-- What an invitation is to the caller: open, or why they cannot accept it.
create function private.invitation_state(i public.manager_invitations) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when i.id is null then 'unknown'
    -- Nothing more is revealed about someone else's invitation.
    when private.my_email() is distinct from i.email then 'not-yours'
    when exists (select from public.places p where p.id = i.place_id and p.owner = private.user_id()) then 'own'
    when exists (select from public.listing_managers m where m.place_id = i.place_id
      and m.profile_id = private.user_id()) then 'managing'
    when i.accepted_at is not null then 'used'
    when i.withdrawn_at is not null then 'withdrawn'
    when i.expires_at <= now() then 'late'
    else 'open'
  end
$$;

-- What the link of an invitation offers the caller: {state}, and for an open one {name, until, unseen} as
-- well: whether the public can't find the listing under this name, so that anyone may have given it the name of someone
-- else's.
create function private.invitation_offer(token text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.manager_invitations;
  state text;
begin
  select i.* into invitation from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id
    where t.token_hash = private.code_hash(token);
  state := private.invitation_state(invitation);
  return jsonb_build_object('state', state) || case when state = 'open' then jsonb_build_object(
    'name', (select p.name from public.places p where p.id = invitation.place_id), 'until',
      invitation.expires_at, 'unseen', not exists (select from public.places p
        join private.public_places v on v.id = p.id and v.name = p.name where p.id = invitation.place_id)) else '{}' end;
end $$;
create function public.invitation_offer(token text) returns jsonb
language sql stable set search_path = ''
as $$ select private.invitation_offer(token) $$;

-- Uses an invitation: the caller manages its listing from now on. Returns {state: "accepted", name}, or the state
-- that prevents it; someone who manages it already uses it up. If it is called twice at once, one call succeeds.
create function private.accept_invitation(token text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  hash constant text := private.code_hash(token);
  me uuid;
  listing public.places;
  invitation public.manager_invitations;
  state text;
begin
  select i.* into invitation from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id where t.token_hash = hash;
  state := private.invitation_state(invitation);
  if state = 'open' then
    -- Only who can accept it makes others wait. It may be withdrawn, or used, while they wait themselves.
    select p.* into listing from public.places p where p.id = invitation.place_id for no key update;
    select i.* into invitation from public.manager_invitations i where i.id = invitation.id for update;
    me := private.user_id();
    perform private.require_rights(me is not null);
    state := private.invitation_state(invitation);
  end if;
  if state = 'managing' then
    -- It is used up, or it could let them back in after they were removed: private.remove_manager knows a mailbox of
    -- theirs by the invitations that they accepted.
    me := private.user_id();
    perform private.require_rights(me is not null);
    update public.manager_invitations i set accepted_at = now(), accepted_by = me
      where i.id = invitation.id and i.accepted_at is null and i.withdrawn_at is null;
  end if;
  if state <> 'open' then
    return jsonb_build_object('state', state);
  end if;
  update public.manager_invitations i set accepted_at = now(), accepted_by = me where i.id = invitation.id;
  insert into public.listing_managers (place_id, profile_id, invited_by)
    values (listing.id, me, invitation.invited_by);
  perform private.log_action('accept-invitation', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation.id, 'manager', me));
  -- The owner learns who reads the messages.
  perform private.enqueue_email(listing.owner, null, 'manager-joined', 'manager-joined:' || invitation.id,
    jsonb_build_object('place_id', listing.id, 'name', private.approved_name(listing.id), 'invitation', invitation.id));
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $$;
create function public.accept_invitation(token text) returns jsonb
language sql volatile set search_path = ''
as $$ select private.accept_invitation(token) $$;

-- Removes a manager from a listing, and withdraws open invitations to any mailbox of theirs, so that
-- none lets them back in; false when they do not manage it. It doesn't wait for the listing, which they may hold with one
-- slow change after the other.
create function private.remove_manager(place_id bigint, user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- That of the account, and those it was invited by.
  mailboxes constant text[] := array(
    select private.mailbox(u.email) from auth.users u where u.id = remove_manager.user_id
    union select private.mailbox(i.email) from public.manager_invitations i
      where i.place_id = remove_manager.place_id and i.accepted_by = remove_manager.user_id);
  is_removed boolean;
begin
  perform private.check_listing_owner(place_id);
  delete from public.listing_managers m where m.place_id = remove_manager.place_id
    and m.profile_id = remove_manager.user_id;
  is_removed := found;
  -- Another removal may have been waited for, and the listing may have another owner since.
  perform private.check_listing_owner(place_id);
  if not is_removed then
    return false;
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = remove_manager.place_id and private.mailbox(i.email) = any (mailboxes)
      and i.accepted_at is null and i.withdrawn_at is null;
  perform private.log_action('remove-manager', 'places', remove_manager.place_id::text,
    jsonb_build_object('manager', user_id));
  return true;
end $$;
create function public.remove_manager(place_id bigint, user_id uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.remove_manager(place_id, user_id) $$;

-- The caller stops managing a listing; false when they did not manage it.
create function private.leave_listing(place_id bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Only who manages a listing makes others wait for it.
  perform 1 from public.places p where p.id = leave_listing.place_id and exists (
      select from public.listing_managers m where m.place_id = p.id and m.profile_id = private.user_id())
    for no key update;
  delete from public.listing_managers m where m.place_id = leave_listing.place_id
    and m.profile_id = private.user_id();
  if not found then
    return false;
  end if;
  perform private.log_action('leave-listing', 'places', leave_listing.place_id::text,
    jsonb_build_object('manager', private.user_id()));
  return true;
end $$;
create function public.leave_listing(place_id bigint) returns boolean
language sql volatile set search_path = ''
as $$ select private.leave_listing(place_id) $$;

-- Who manages a listing and who is invited to: {name, yours, managers: [{id, name, email, since}],
-- invitations: [{id, email, created_at, expires_at, late}]}, newest last. The addresses are those
-- that were invited, and masked for an admin. For its owner (yours) or an admin; null for anyone else.
create function private.get_listing_managers(place_id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('name', p.name, 'yours', p.owner is not distinct from private.user_id(),
    'managers', (select coalesce(jsonb_agg(jsonb_build_object('id', m.profile_id, 'name', f.full_name,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'since', m.since)
        order by m.since, m.profile_id), '[]')
      from public.listing_managers m join public.profiles f on f.id = m.profile_id
      -- Of several that they accepted, the one by which they came: the others were only used up.
      left join lateral (select i.email from public.manager_invitations i
        where i.place_id = m.place_id and i.accepted_by = m.profile_id order by i.accepted_at, i.id limit 1) i on true
      where m.place_id = p.id),
    'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'created_at', i.created_at,
        'expires_at', i.expires_at, 'late', i.expires_at <= now()) order by i.created_at, i.id), '[]')
      from public.manager_invitations i
      where i.place_id = p.id and i.accepted_at is null and i.withdrawn_at is null))
  from public.places p where p.id = get_listing_managers.place_id
    and (p.owner = private.user_id() or private.is_admin())
$$;
create function public.get_listing_managers(place_id bigint) returns jsonb
language sql stable set search_path = ''
as $$ select private.get_listing_managers(place_id) $$;

-- ---------------------------------------------------------------- policies

-- Written by functions alone.
alter table public.manager_invitations enable row level security;
create policy "expect one row" on public.manager_invitations as restrictive for select to authenticated
  using (id operator(private.>=!) '00000000-0000-0000-0000-000000000000');
create policy "read own, for own listings, or admin" on public.manager_invitations for select to authenticated
  -- By address only while it can be accepted. The next holder of that mailbox must not read what its former one manages:
  -- one that was withdrawn may have been replaced by another, which was accepted.
  using ((email = (select private.my_email()) and coalesce(accepted_by = (select private.user_id()), withdrawn_at is null))
    -- Not the people whom a previous owner invited: those invitations are withdrawn.
    or ((withdrawn_at is null or invited_by = (select private.user_id()))
      and place_id in (select p.id from public.places p where p.owner = (select private.user_id())))
    or (select private.is_admin()));

alter table private.invitation_tokens enable row level security;
create policy "no access" on private.invitation_tokens for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select on public.manager_invitations to authenticated;

grant execute on function
  private.invite_manager(uuid, bigint, text, text),
  public.invite_manager(uuid, bigint, text, text),
  private.withdraw_invitation(uuid),
  public.withdraw_invitation(uuid),
  private.invitation_offer(text),
  public.invitation_offer(text),
  private.accept_invitation(text),
  public.accept_invitation(text),
  private.remove_manager(bigint, uuid),
  public.remove_manager(bigint, uuid),
  private.leave_listing(bigint),
  public.leave_listing(bigint),
  private.get_listing_managers(bigint),
  public.get_listing_managers(bigint)
  to authenticated;
