-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.erase_user(user_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  user_email text;
begin
  -- If two admins delete each other, the second one waits here. (What refers to an admin, as a review lock or an
  -- email does, doesn't wait for this.)
  perform 1 from public.profiles p where p.admin order by p.id for no key update;
  if private.is_last_admin(user_id) then
    perform private.refuse('last_admin');
  end if;
  -- An address that no one has confirmed is not theirs: without it, nothing is deleted by address.
  select case when u.email_confirmed_at is not null then lower(u.email) end into user_email
    from auth.users u where u.id = erase_user.user_id for update;
  if not found then
    return false;
  end if;
  -- Before their listings, as when they pay for one or their address changes, so that these never deadlock.
  perform 1 from public.profiles p where p.id = erase_user.user_id for no key update;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email
    order by p.id for no key update;
  -- Edits of theirs that were rejected, and their address in those of others.
  update public.rejected_edits r set edit = r.edit - 'public_email' where lower(r.edit ->> 'public_email') = user_email;
  delete from public.rejected_edits r using public.places p
    where p.id = r.place_id and (p.owner = erase_user.user_id or r.edit = '{}');
  -- (With its owner, a listing or a job loses its owner_email, whatever it is: guard_place, guard_job.)
  update public.places p set
      owner = case when p.owner <> erase_user.user_id then p.owner end,
      owner_email = case when p.owner_email is distinct from user_email then p.owner_email end,
      public_email = case when lower(p.public_email) is distinct from user_email then p.public_email end,
      mailingaddress = case when p.owner <> erase_user.user_id then p.mailingaddress end,
      last_update = case when lower(p.last_update ->> 'public_email') = user_email
          then p.last_update || '{"public_email": null}' else p.last_update end
        - case when p.owner = erase_user.user_id then array['mailingaddress'] else '{}' end
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email;
  update public.jobs j set
      owner = case when j.owner <> erase_user.user_id then j.owner end,
      owner_email = case when j.owner_email is distinct from user_email then j.owner_email end
    where j.owner = erase_user.user_id or j.owner_email = user_email;
  -- What decisions on listings of others would restore. (On their own: end_ownership.)
  update private.decision_rows r set before = r.before
      || case when lower(r.before ->> 'public_email') = user_email then '{"public_email": null}' else '{}'::jsonb end
      || case when lower(r.before #>> '{last_update,public_email}') = user_email
        then jsonb_build_object('last_update', r.before -> 'last_update' || '{"public_email": null}') else '{}' end
    where lower(r.before ->> 'public_email') = user_email
      or lower(r.before #>> '{last_update,public_email}') = user_email;
  -- Theirs alone, as are the invitations below: someone else may have had the address before, and written with it. (Those
  -- of their account go with it.)
  delete from public.leads l where lower(l.requester_email) = user_email and l.requester is null;
  delete from private.email_queue q where q.address <> '' and (q.address = user_email
    or q.data ->> 'user' = erase_user.user_id::text);
  -- What admins wrote about refunds of theirs. (The refunds remain: they are in the books.)
  update public.refunds r set note = null from public.payments p
    where p.id = r.payment_id and p.owner = erase_user.user_id and r.note is not null;
  delete from public.manager_invitations i
    where (i.email = user_email and i.accepted_by is null) or i.accepted_by = erase_user.user_id;
  -- Edits that others have not submitted and that contain their address.
  delete from public.listing_drafts d where d.form is not null and private.has_address(d.fields, user_email);
  -- Saved views of admins that contain their address.
  delete from public.saved_views v where private.has_address(jsonb_build_array(v.name, v.filter), user_email);
  delete from auth.users u where u.id = erase_user.user_id;
  -- The auth service's own log of sign-ins, where it is in the database and we may delete from it.
  if has_table_privilege('auth.audit_log_entries', 'delete') then
    delete from auth.audit_log_entries e
      where e.payload ->> 'actor_id' = erase_user.user_id::text
        or lower(e.payload ->> 'actor_username') = user_email;
  end if;
  return true;
end $function$;

set check_function_bodies = on;
