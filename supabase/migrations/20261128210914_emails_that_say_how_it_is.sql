-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop view private.due_emails;

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
  select p.* into listing from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id join public.places p on p.id = i.place_id
    where t.token_hash = hash for no key update of p;
  select i.* into invitation from private.invitation_tokens t
    join public.manager_invitations i on i.id = t.invitation_id
    where t.token_hash = hash for update of i;
  state := private.invitation_state(invitation);
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

CREATE OR REPLACE FUNCTION private.email_job_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  news constant text := case when new.owner is distinct from old.owner then 'job-left'
    when old.published and (not new.published or old.filled_at is null and new.filled_at is not null) then 'job-unpublished'
    when new.published and new.filled_at is null and (not old.published or old.filled_at is not null) then 'job-republished'
    when new.version <> old.version then 'job-edited' end;
begin
  -- Of someone else: guard_job lets only an admin do that.
  if news is not null and old.owner <> private.user_id() and (news <> 'job-republished' or not exists (select from private.email_queue n
      where n.recipient = old.owner and n.kind = 'job-unpublished' and n.data ->> 'job_id' = new.id::text
        and n.sent_at is null and n.attempts = 0)) then
    perform private.enqueue_email(old.owner, null, news,
      format('%s:%s:%s', news, new.id, extract(epoch from new.modified_at)),
      jsonb_build_object('job_id', new.id, 'title', case when news = 'job-edited' then old.title else new.title end)
        || case when news = 'job-unpublished' and new.published then '{"filled": true}'::jsonb
          when news = 'job-republished' and old.published then '{"reopened": true}' else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_sponsor()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner <> private.user_id() and private.today() < any (new.sponsorship_dates) then
    perform private.enqueue_email(new.owner, null, 'feature-edited', format('feature-edited:%s:%s', new.id, new.version),
      jsonb_build_object('sponsorship_id', new.id, 'business', (select p.name from public.places p where p.id = new.place_id)));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_ownership()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  delete from public.listing_drafts d where d.owner = old.owner and d.form = '/listings/' || new.id;
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', old.name, 'given', new.owner is not null,
        -- Their edit that waited is dropped (private.part_from_owner), whatever it was to remove.
        'edited', old.status = 'pending-update' and not old.hidden,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s)
          and (private.is_paid_for(s) or not s.awaits_payment)),
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
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue n where n.sent_at is null and n.address = enqueue_account_email.address
    and n.kind = enqueue_account_email.kind and n.key <> enqueue_account_email.key
    and n.data ->> 'user' = enqueue_account_email.data ->> 'user';
  insert into private.email_queue (address, kind, key, data)
  values (enqueue_account_email.address, enqueue_account_email.kind, enqueue_account_email.key, enqueue_account_email.data)
  on conflict do nothing
$function$;

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
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore.)
  if is_now.status = 'past_due' and private.plan_leaves_with(is_now) is null
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
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

CREATE OR REPLACE FUNCTION private.guard_place()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  changed boolean := true;
  -- Whether only a payment or the address of the owner's account has changed something.
  by_itself boolean := false;
  -- Whether more than the status has changed. If not, its texts are as they were stored.
  rewritten boolean := true;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
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
  -- and the address of the owner's account. Neither the version nor the listing's place in the queue changes with them.
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

  -- 6. Undoing a decision puts the listing back where it was in its queue.
  if current_setting('app.undone_batch', true) <> '' then
    new.modified_at := private.modified_at_before_decision(new.id);
  end if;
  return new;
end $function$;

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

CREATE OR REPLACE FUNCTION private.mark_email_failed(id uuid, permanent boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set next_try_at = case when permanent then 'infinity'
    else now() + make_interval(mins => least(power(2, least(n.attempts - 1, 10))::integer,
      case when n.address is null then 360 else 5 end)) end
  where n.id = mark_email_failed.id and n.sent_at is null
$function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'credit_cents', s.credit_cents, 'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment, 'status', s.status, 'removed', p.status = 'archived',
      'paid', private.is_paid_for(s),
      'leaves_with', private.plan_leaves_with(s)) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and (private.subscription_is_live(s.status) or s.status = 'paused')
$function$;

create view private.due_emails as
 SELECT n.id,
    f.id AS user_id,
    f.full_name,
    ((i.id IS NOT NULL) OR COALESCE(f.discreet, ( SELECT a.discreet
           FROM public.profiles a
          WHERE ((n.address IS NOT NULL) AND ((a.id)::text = (n.data ->> 'user'::text)))), false)) AS discreet,
    COALESCE(n.address, i.email, lower((u.email)::text),
        CASE
            WHEN (p.owner IS NULL) THEN p.owner_email
            ELSE NULL::text
        END) AS email,
    COALESCE(p.hidden, false) AS hidden,
    ((n.recipient IS NOT NULL) AND (n.kind = ANY (ARRAY['changes-requested'::text, 'edit-rejected'::text, 'decision-undone'::text, 'listing-edited'::text, 'contact-email-removed'::text])) AND (NOT (EXISTS ( SELECT
           FROM public.places l
          WHERE ((l.id = ((n.data ->> 'place_id'::text))::bigint) AND (l.owner = n.recipient)))))) AS former,
    ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id)))) AS kept
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON (((p.id = COALESCE(n.place_id,
        CASE
            WHEN ((n.recipient IS NOT NULL) AND (n.kind = ANY (ARRAY['changes-requested'::text, 'edit-rejected'::text]))) THEN ((n.data ->> 'place_id'::text))::bigint
            ELSE NULL::bigint
        END)) AND ((n.place_id IS NOT NULL) OR (p.owner = n.recipient)))))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner, ( SELECT c.id
           FROM auth.users c
          WHERE ((p.owner IS NULL) AND ((c.email)::text = p.owner_email) AND (NOT c.is_sso_user) AND (c.email_confirmed_at IS NOT NULL))))) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'listing-removed'::text) OR (p.status = 'archived'::text)) AND ((n.kind <> 'edit-rejected'::text) OR (p.id IS NULL) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'changes-requested'::text) OR (p.id IS NULL) OR ((p.changes_requested = (n.data ->> 'reason'::text)) AND (p.status <> 'archived'::text))) AND (NOT ((n.kind = ANY (ARRAY['listing-approved'::text, 'listing-removed'::text, 'changes-requested'::text, 'edit-rejected'::text])) AND (EXISTS ( SELECT
           FROM private.email_queue l
          WHERE ((l.place_id = n.place_id) AND (l.created_at > n.created_at) AND (l.kind =
                CASE n.kind
                    WHEN 'edit-rejected'::text THEN 'listing-approved'::text
                    ELSE n.kind
                END)))) AND (NOT ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id))))))) AND (NOT private.is_outdated(n.kind, n.data, n.recipient)) AND private.wants_email(u.id, n.kind));

CREATE OR REPLACE TRIGGER t2_email_owner AFTER UPDATE ON public.jobs FOR EACH ROW WHEN ((private.from_api() AND old.paid AND (old.expiration_date > now()) AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION private.email_job_owner();

CREATE OR REPLACE TRIGGER t2_email_sponsor AFTER UPDATE ON public.sponsorships FOR EACH ROW WHEN ((private.from_api() AND old.paid AND (new.version <> old.version))) EXECUTE FUNCTION private.email_sponsor();

set check_function_bodies = on;

-- By hand: what was asked of listings that have left the directory since.
update public.places set changes_requested = null where status = 'archived' and changes_requested is not null;
