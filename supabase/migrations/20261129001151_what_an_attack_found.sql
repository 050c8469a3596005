-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.accept_invitation(token text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  hash constant text := private.code_hash(token);
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
    state := private.invitation_state(invitation);
  end if;
  if state <> 'open' then
    return jsonb_build_object('state', state);
  end if;
  update public.manager_invitations i set accepted_at = now(), accepted_by = private.user_id()
    where i.id = invitation.id;
  insert into public.listing_managers (place_id, profile_id, invited_by)
    values (listing.id, private.user_id(), invitation.invited_by);
  perform private.log_action('accept-invitation', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation.id, 'manager', private.user_id()));
  -- The owner learns who reads the messages.
  perform private.enqueue_email(listing.owner, null, 'manager-joined', 'manager-joined:' || invitation.id,
    jsonb_build_object('place_id', listing.id, 'name', listing.name, 'invitation', invitation.id));
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_subscription_emails(was public.subscriptions, is_now public.subscriptions, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  was_live constant boolean := coalesce(private.subscription_is_live(was.status), false);
  live constant boolean := private.subscription_is_live(is_now.status);
  mail_place constant bigint := private.plan_mail_place(is_now);
  about constant jsonb := private.plan_facts(is_now);
begin
  if is_now.surplus or private.enqueue_stopped_plan(was, is_now, coalesce((facts ->> 'by_us')::boolean, false)) then
    return;
  end if;
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore, and doesn't go on.)
  if is_now.status in ('past_due', 'paused') and private.plan_leaves_with(is_now) is null
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    if is_now.status = 'past_due' then
      perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
        'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
        about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
    elsif was.status <> 'paused' then
      perform private.enqueue_email(is_now.owner, mail_place, 'plan-paused', format('plan-paused:%s:%s', is_now.id, is_now.seen), about);
    end if;
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due',
        'awaited', not private.is_paid_for(is_now), 'awaits_renewal', is_now.awaits_payment, 'leaves_with', private.plan_leaves_with(is_now)));
  -- (A plan that is paused goes on later, and is charged then.)
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired', 'paused')
    and (was_live or was.status = 'paused' or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false), 'awaits', is_now.awaits_payment));
  end if;
end $function$;

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
  -- Other owners whose listing has published their address learn that it is gone, and not why.
  insert into private.email_queue (place_id, kind, key, data)
  select p.id, 'contact-email-removed', format('contact-email-removed:%s:%s', p.id, p.version),
      jsonb_build_object('place_id', p.id, 'name', p.name)
    from public.places p
    where p.owner <> erase_user.user_id and p.status <> 'new'
      and lower(case when private.is_contact_unapproved(p, erase_user.user_id) then p.last_update ->> 'public_email'
        else p.public_email end) = user_email
  on conflict do nothing;
  -- (With its owner, a listing or a job loses its owner_email, whatever it is: guard_place, guard_job.)
  update public.places p set
      owner = case when p.owner <> erase_user.user_id then p.owner end,
      owner_email = case when p.owner_email is distinct from user_email then p.owner_email end,
      public_email = case when lower(p.public_email) is distinct from user_email
        or private.is_contact_unapproved(p, erase_user.user_id) then p.public_email end,
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
  -- Theirs alone: someone else may have had the address before, and written with it. (Those of their account go with it.)
  delete from public.leads l where lower(l.requester_email) = user_email and l.requester is null;
  delete from private.email_queue q where q.address <> '' and (q.address = user_email
    or q.data ->> 'user' = erase_user.user_id::text);
  -- What admins wrote about refunds of theirs. (The refunds remain: they are in the books.)
  update public.refunds r set note = null from public.payments p
    where p.id = r.payment_id and p.owner = erase_user.user_id and r.note is not null;
  delete from public.manager_invitations i where i.accepted_by = erase_user.user_id;
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

CREATE OR REPLACE FUNCTION private.is_contact_unapproved(place public.places, user_id uuid)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select coalesce(place.owner <> user_id, false) and (place.status = 'new' or coalesce(place.last_update ? 'public_email', false))
$function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb, recipient uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when kind in ('subscription-canceled', 'plan-stopped') then exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status))
    when kind = 'sponsorship-confirmed' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates')
    when kind = 'feature-edited' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient and s.paid
        and private.today() < any (s.sponsorship_dates))
    when kind = 'booked-listing-removed' then not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and data -> 'newsletters' ? d.weekday_date::text)
    when kind = 'feature-unseen' then not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null))
    when kind = 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz))
    when kind = 'plan-paused' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused')
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'))
    when kind = 'job-unpublished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end)
    when kind = 'job-republished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now())
    when kind = 'job-edited' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.expiration_date > now())
    when kind = 'job-left' then exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'new-lead' then not exists (select from public.leads l where l.id = (data ->> 'lead_id')::bigint)
    when kind in ('manager-joined', 'listing-received', 'edit-withdrawn') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'listing-left' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'two-step-changed' then data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified')
    when kind = 'listing-added' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'))
    when kind in ('listing-hidden', 'listing-shown') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and p.hidden = (is_outdated.kind = 'listing-hidden'))
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - interval '1 hour') limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  delete from public.rejected_edits o where o.place_id in
    (select old.place_id from public.rejected_edits old where old.rejected_at < now() - interval '30 days'
      limit 200 for update skip locked);
  with due as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now()
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data || case when due.hidden then '{"hidden": true}'::jsonb else '{}' end
    || case when due.former then '{"former": true}'::jsonb else '{}' end
    || case when due.kept then '{"kept": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-removed', 'booked-listing-removed') and n.data ? 'newsletters'
      then jsonb_build_object('newsletters', private.still_booked(n.data, due.user_id)) else '{}' end
    || case when n.kind = 'job-expiring'
      then jsonb_build_object('shown', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind in ('job-left', 'job-republished')
      then jsonb_build_object('live', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind = 'listing-left' and n.data ? 'place_id' then jsonb_build_object('given', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.owner is not null)) else '{}' end
    || case when n.kind = 'listing-received' and n.data ? 'hidden' then jsonb_build_object('hidden', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.hidden)) else '{}' end
    || case when n.kind in ('listing-hidden', 'listing-shown') then jsonb_build_object('approved', exists (
      select from public.places p where p.id = (n.data ->> 'place_id')::bigint
        and p.status in ('published', 'pending-update'))) else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.target_of_link(token_hash text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('user', u.id, 'address', lower(case when u.email_change_token_new = token_hash
      then u.email_change else u.email end),
    'confirmed', u.email_confirmed_at is not null,
    'taken', exists (select from auth.users t where t.email = lower(u.email_change) and not t.is_sso_user))
  from auth.users u where u.id = (select private.account_of_link(token_hash))
$function$;

CREATE OR REPLACE FUNCTION private.unknown_checkouts(buyer uuid, job bigint, sponsorship bigint, place bigint, checked text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id, 'own', o.owner = buyer
      and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false)))
    from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
        or o.sponsorship_id = any (array(
          select s.sponsorship_id from public.sponsorships mine
            join public.sponsorship_spots s on s.weekday_date = any (mine.sponsorship_dates)
            join public.sponsorship_dates d on d.weekday_date = s.weekday_date
            join public.sponsorships other on other.id = s.sponsorship_id
          where mine.id = sponsorship and s.held_until <= now()
            and (other.place_id = mine.place_id
              or d.held_count + d.paid_count >= private.spots_per_newsletter()))))
      -- Without a session, the provider has opened none, so no one has paid. (Null differs from all of no values.)
      and o.paid_at is null and o.stripe_checkout_session_id is not null and o.stripe_checkout_session_id <> all (checked)
      and (o.expires_at <= now() or (o.kind = 'upgrade' and o.status = 'failed'))
$function$;

set check_function_bodies = on;
