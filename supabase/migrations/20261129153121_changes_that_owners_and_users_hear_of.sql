-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.approved_name(place_id bigint)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select coalesce(p.last_update ->> 'name', p.name) from public.places p where p.id = approved_name.place_id $function$;

CREATE OR REPLACE FUNCTION private.cancel_account_deletion()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  request constant text := private.user_id() || ':' || (select extract(epoch from d.requested_at)
    from private.account_deletions d where d.user_id = private.user_id());
begin
  delete from private.account_deletions d where d.user_id = private.user_id() and d.begun_at is null;
  if found then
    if not exists (select from private.email_queue e where e.key = 'account-deletion:' || request and e.sent_at is null) then
      perform private.enqueue_email(private.user_id(), null, 'account-kept', 'account-kept:' || request, '{}');
    end if;
  elsif exists (select from private.account_deletions d where d.user_id = private.user_id()) then
    perform private.refuse('deletion_begun');
  end if;
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
      jsonb_build_object('sponsorship_id', new.id, 'business', private.approved_name(new.place_id)));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_visibility()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  news text := case when new.hidden then 'listing-hidden' else 'listing-shown' end;
  due timestamptz := now() + case when new.hidden then interval '5 minutes' else interval '0' end;
  again boolean;
begin
  delete from private.email_queue n where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
    and n.data ->> 'place_id' = new.id::text and n.sent_at is null and n.attempts = 0 and not n.data ? 'again';
  again := found and (select count(*) from public.audit_log a
      where a.subject = 'places' and a.subject_id = new.id::text and a.at > now() - interval '1 hour'
        and a.actor is distinct from new.owner and a.before ? 'hidden'
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
          where a.subject = 'places' and a.subject_id = new.id::text and a.after ? 'hidden'
          order by a.at desc, a.id desc limit 1);
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    values (new.owner, news, format('%s:%s:%s', news, new.id, extract(epoch from clock_timestamp())), due,
      jsonb_build_object('place_id', new.id, 'name', new.name,
        'approved', new.status in ('published', 'pending-update'),
        'team', new.id <> all (private.managed_places())) || case when again then '{"again": true}'::jsonb else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_withdrawn_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  withdrawn constant boolean := new.status = 'published';
  taken text[];
  by_others bigint;
begin
  if new.owner = private.user_id() or new.id <> all (private.managed_places()) then
    return null;
  end if;
  select array_agg(k order by k) into taken
    from unnest(private.reviewed_columns()) k, (select to_jsonb(old) as was, to_jsonb(new) as sent offset 0) r
    where (old.status <> 'pending-update' or old.last_update ? k) and r.sent -> k is distinct from r.was -> k;
  -- Others have entered any of it since the edit began: perhaps what the manager had changed before.
  select max(a.id) into by_others from public.audit_log a
    where a.subject = 'places' and a.subject_id = new.id::text and a.actor is distinct from private.user_id()
      and a.after ?| taken and (old.status <> 'pending-update' or a.id >= coalesce((select max(b.id) from public.audit_log b
        where b.subject = 'places' and b.subject_id = new.id::text and b.before ->> 'status' = 'published'
          and b.after ->> 'status' = 'pending-update'), 0));
  if by_others is not null then
    perform private.enqueue_email(new.owner, null, 'edit-withdrawn', case when withdrawn
        then format('edit-withdrawn:%s:%s', new.id, new.version)
        else format('edit-withdrawn:%s:%s:%s', new.id, by_others, array_to_string(taken, ',')) end,
      jsonb_build_object('place_id', new.id, 'name', new.name)
        || case when withdrawn then '{}' else '{"part": true}'::jsonb end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_sponsorship_email()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(new.owner, null, 'sponsorship-confirmed', 'sponsorship-confirmed:' || new.id || ':'
    || new.version,
    jsonb_build_object('sponsorship_id', new.id, 'dates', to_jsonb(new.sponsorship_dates), 'total',
      new.order_total::text,
      'business', private.approved_name(new.place_id)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_unseen_features()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, private.week_of(now())),
      jsonb_build_object('sponsorship_id', s.id, 'business', private.approved_name(l.id),
        'dates', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where not c.late), '[]'),
        'late', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where c.late), '[]')))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      cross join lateral (select p.weekday_date < (now() at time zone 'UTC' - interval '12 hours')::date
        + private.cancellation_days_of(s.id, s.owner) as late) c
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      -- So that a week is left, whenever the last one was sent.
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 14
      and l.status <> 'archived' and l.modified_at < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
    group by s.id, l.id
$function$;

CREATE OR REPLACE FUNCTION private.export_listings(filter jsonb, after text, page_rows integer, entry bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  size integer := private.page_size(page_rows, 1000);
  sort text := (private.review_filter(filter)).sort;
  ids bigint[];
begin
  perform private.require_admin();
  perform private.require_export(entry, 'listings', filter);
  ids := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
  return jsonb_build_object(
    'rows', (select coalesce(jsonb_agg(to_jsonb(p) - array['name_search', 'name_key', 'submission_id',
      'last_update', 'leads_from']
          || jsonb_build_object('category_name', c.name, 'owner_name', o.full_name)
          || case when entry is null then jsonb_build_object('mailingaddress', null, 'owner_email',
            private.masked_email(p.owner_email)) || case when p.address_approximate
              or (p.last_update -> 'address_approximate')::boolean then '{"rawaddress": null}'::jsonb else '{}' end
            else '{}' end order by w.n), '[]')
      from unnest(ids[1:size]) with ordinality w (id, n)
      join public.places p on p.id = w.id
      join public.categories c on c.id = p.category
      left join public.profiles o on o.id = p.owner),
    'next', (select private.review_cursor(p, sort) from public.places p
      where p.id = ids[size] and cardinality(ids) > size));
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
    when kind = 'job-namesake' then not exists (select from public.jobs j
      cross join private.job_namesakes(j.id) n join public.places p on p.id = n.place_id
      where j.id = (data ->> 'job_id')::bigint and private.is_live_job(j.id) and p.id = (data ->> 'place_id')::bigint
        and p.owner = is_outdated.recipient)
    when kind = 'job-left' then exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'account-kept' then exists (select from private.account_deletions d where d.user_id = is_outdated.recipient)
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)))
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
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'))
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.job_namesakes(job_id bigint)
 RETURNS TABLE(place_id bigint, name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    || case when n.kind = 'listing-approved' and exists (
        select from public.listing_managers m where m.place_id = n.place_id)
      then '{"managed": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-hidden', 'listing-shown') then jsonb_build_object('approved', exists (
      select from public.places p where p.id = (n.data ->> 'place_id')::bigint
        and p.status in ('published', 'pending-update'))) else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.one_line(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(private.visible(value), '[\u0001-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')
$function$;

CREATE OR REPLACE FUNCTION private.report_factor()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from auth.mfa_factors f where f.user_id = old.user_id and f.status = 'verified' and f.id <> old.id) then
    -- The dashboard adds no second app. Someone with a stolen token may, to come back with it.
    perform private.report_second_step(old.user_id, case tg_op when 'UPDATE' then 'app-added' else 'app-removed' end,
      private.session_user_id());
  elsif tg_op = 'UPDATE' then
    perform private.report_second_step(old.user_id, 'on', old.user_id);
  elsif exists (select from auth.users u where u.id = old.user_id) then
    delete from private.recovery_codes c where c.user_id = old.user_id;
    if coalesce(current_setting('app.second_step_change', true), '') = '' then
      delete from auth.sessions s where s.user_id = old.user_id and s.aal is distinct from 'aal2';
    end if;
    perform private.report_second_step(old.user_id,
      coalesce(nullif(current_setting('app.second_step_change', true), ''), 'off'), private.session_user_id());
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.visible(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(regexp_replace(private.require_cleanable(value),
    '[\u00ad\u034f\u115f\u1160\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]',
    '', 'g'), '(^|\s)[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+', '\1', 'g')
$function$;

CREATE OR REPLACE TRIGGER t5_email_withdrawn_edit AFTER UPDATE ON public.places FOR EACH ROW WHEN (((((old.status = 'pending-update'::text) AND (new.status = ANY (ARRAY['pending-update'::text, 'published'::text]))) OR ((old.status = ANY (ARRAY['new'::text, 'flagged'::text])) AND (new.status = old.status))) AND (new.version <> old.version) AND (new.owner IS NOT NULL))) EXECUTE FUNCTION private.email_withdrawn_edit();

set check_function_bodies = on;
