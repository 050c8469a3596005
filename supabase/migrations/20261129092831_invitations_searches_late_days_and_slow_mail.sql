-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.deletion_effects(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'admin', p.admin, 'self', p.id = private.user_id(),
      'places', (select count(*) from public.places l where l.owner = p.id),
      -- Those of them that no one can find: archived, flagged, hidden, or not approved yet.
      'unseen_places', (select count(*) from public.places l where l.owner = p.id
        and not exists (select from private.public_places v where v.id = l.id)),
      -- Those that are hidden with the account.
      'edited_places', private.count_waiting_edits(p.id),
      -- Live subscriptions: their own, and those that only their listing refers to.
      'subscriptions', (
        select count(*) from (
          select s.id from public.subscriptions s
            where s.owner = p.id and s.status not in ('canceled', 'incomplete_expired')
          union
          select l.stripe_subscription_id from public.places l
            where l.owner = p.id and l.stripe_subscription_id is not null
              and coalesce(l.subscription_status, '') not in ('canceled', 'incomplete_expired')
              and not exists (select from public.subscriptions s
                where s.id = l.stripe_subscription_id)) paid),
      'jobs', (select count(*) from public.jobs j where j.owner = p.id),
      -- Those of which a newsletter is still to come.
      'sponsorships', (select count(distinct d.sponsorship_id) from public.sponsorships s
        join public.sponsorship_spots d on d.sponsorship_id = s.id
        where s.owner = p.id and d.held_until is null and d.weekday_date > private.today()),
      'favorites', private.favorites_in_tens(p.id),
      'feedback', (select count(*) from public.feedback f where f.userid = p.id))
    from public.profiles p where p.id = deletion_effects.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcomes text[];
  -- Whether a job goes public with it: with its first payment, and when it had expired before it was paid for again.
  begins constant boolean := (select not j.paid or j.expiration_date <= coalesce(bought.opened_at, bought.created_at)
    from public.jobs j where j.id = bought.job_id);
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  elsif exists (select from private.account_deletions d where d.user_id = bought.owner) then
    -- It would end with their account. (open_order refuses it; this one was open already.)
    return 'account-ends';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or p.status = 'archived'
        -- open_order sells no plan for a listing that is to be removed.
        or bought.kind = 'upgrade' and p.archive_requested)) then
    return 'changed';
  -- A job that was taken from its owner, or has gone to someone else, also with its listing: its buyer doesn't publish it
  -- for them, or pay for their days. (The team itself can pay for any job.)
  elsif bought.kind = 'job' and exists (select from public.jobs j join public.profiles p on p.id = bought.owner
    where j.id = bought.job_id and not p.admin and j.owner is distinct from bought.owner) then
    return 'changed';
  -- As open_order refuses it: no one would see the job. (More days of one that was live are added to it.)
  elsif bought.kind = 'job' and begins and not private.job_names_company(bought.job_id) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    -- More days of a job that was live leave it as its owner has it: unpublished or filled, also while the payment was on
    -- its way.
    update public.jobs j set paid = true, published = j.published or begins,
        filled_at = case when not begins then j.filled_at end,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      where j.id = bought.job_id;
  elsif bought.kind = 'sponsorship' then
    if exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id and s.paid) then
      return 'paid-twice';
    elsif exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id
      and s.order_total * 100 <> bought.price_cents) then
      return 'changed';
    end if;
    select array_agg(d.outcome) filter (where d.outcome <> 'paid') into outcomes
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if outcomes is not null then
      return case when 'past' = any (outcomes) then 'too-late' when 'blocked' = any (outcomes) then 'blocked'
        else 'dates-gone' end;
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.invitation_offer(token text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.is_contact_unapproved(place public.places, user_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(place.owner <> user_id, false) and (place.status = 'new'
    or coalesce(place.last_update ? 'public_email', false)
    or place.status in ('flagged', 'archived') and exists (select from public.audit_log a
      where a.subject = 'places' and a.subject_id = place.id::text and a.after ? 'public_email'
        and a.id > coalesce((select max(b.id) from public.audit_log b
          where b.subject = 'places' and b.subject_id = place.id::text
            and b.before ->> 'status' in ('published', 'pending-update')), 0)))
$function$;

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
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '5 minutes'
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

CREATE OR REPLACE FUNCTION private.search_users(words text, page_rows integer)
 RETURNS TABLE(id uuid, full_name text, email text, pronouns text, created_at timestamp with time zone, confirmed boolean, has_address boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
#variable_conflict use_column
declare
  query tsquery := private.search_query(words);
  searched_id uuid := case when words ~* '^\s*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$'
    then btrim(words)::uuid end;
begin
  perform private.require_admin();
  return query
    select p.id, p.full_name, private.masked_email(p.email), p.pronouns, p.created_at, found.confirmed,
      found.has_address
    from public.profiles p
    left join auth.users u on u.id = p.id
    cross join lateral (select u.email_confirmed_at is not null as confirmed,
      coalesce(lower(p.email) = lower(btrim(words)), false) as has_address) found
    where p.full_name_search @@ query and position('@' in words) = 0 or p.email_search @@ query or p.id = searched_id
    order by found.has_address desc, found.confirmed desc, p.created_at desc, p.id desc
    limit private.page_size(page_rows, 20);
end $function$;

set check_function_bodies = on;
