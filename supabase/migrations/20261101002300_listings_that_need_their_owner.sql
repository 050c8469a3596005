-- An owner of hundreds of listings sees at once which of them need something, on whichever page they stand.

-- Whether a listing waits for its owner's hand: it is theirs to claim, its payment failed, changes were
-- requested, or it can't be approved as it is. What only waits for the team needs nothing of the owner.
create function private.needs_owner(place public.places) returns boolean
language sql immutable set search_path = ''
as $$
  select place.owner is null
    or coalesce(place.subscription_status in ('past_due', 'unpaid'), false)
    or coalesce(place.changes_requested, '') <> ''
    or (place.status in ('new', 'pending-update', 'flagged') and (coalesce(place.state, '') = '' or place.owner_email is null))
$$;

-- The same for whoever manages it: what is paid for it, and whose it is, is not theirs to mend.
create function private.needs_manager(place public.places) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(place.changes_requested, '') <> ''
    or (place.status in ('new', 'pending-update', 'flagged') and coalesce(place.state, '') = '')
$$;
grant execute on function private.needs_owner(public.places), private.needs_manager(public.places) to authenticated;
