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

CREATE OR REPLACE FUNCTION private.count_on_visibility()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner = private.user_id() then
    update private.email_queue n set data = n.data || '{"counted_on": true}'
      where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
        and n.data ->> 'place_id' = new.id::text and n.sent_at is null and not n.data ? 'again';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_namesakes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- One that was never sent, because the job didn't keep the name, doesn't count: after a week it never will be.
  delete from private.email_queue n where n.kind = 'job-namesake' and starts_with(n.key, format('job-namesake:%s:', new.id))
    and n.sent_at is null and n.attempts = 0;
  perform private.enqueue_email(p.owner, null, 'job-namesake', format('job-namesake:%s:%s', new.id, p.id),
      jsonb_build_object('job_id', new.id, 'place_id', p.id, 'listing', found.name))
    from (select n.place_id, n.name from private.job_namesakes(new.id) n order by n.place_id limit 10) found
    join public.places p on p.id = found.place_id and p.owner is not null
    where private.is_live_job(new.id);
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
  -- (What its owner has counted on since isn't undone, but changed: private.count_on_visibility.)
  delete from private.email_queue n where n.recipient = new.owner and n.kind in ('listing-hidden', 'listing-shown')
    and n.data ->> 'place_id' = new.id::text and n.sent_at is null and n.attempts = 0 and n.data ? 'counted_on';
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
  occasion text := format('edit-withdrawn:%s:%s', new.id, new.version);
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
  if not withdrawn then
    occasion := format('edit-withdrawn:%s:%s:%s', new.id, by_others, array_to_string(taken, ','));
  end if;
  if by_others is not null and not exists (select from private.email_queue n
      where n.recipient = new.owner and starts_with(n.key, occasion || ':') and n.sent_at is null) then
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select new.owner, 'edit-withdrawn', format('%s:%s', occasion, new.version),
        greatest(now(), max(n.sent_at) + interval '1 hour'), jsonb_build_object('place_id', new.id, 'name', new.name)
          || case when withdrawn then '{}' else '{"part": true}'::jsonb end
      from private.email_queue n where n.recipient = new.owner and starts_with(n.key, occasion || ':');
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

CREATE OR REPLACE FUNCTION private.guard_sponsorship()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    -- Also when it was refunded: what a newsletter said stays on record.
    if by_owner and exists (select 1 from public.sponsorship_spots s where s.sponsorship_id = old.id
      and s.held_until is null and s.weekday_date <= private.today()) then
      perform private.refuse('sponsorship_was_sent');
    end if;
    -- Its newsletters would have to be locked here, while the caller's filter, which can be slow, goes on with other
    -- rows: no one else could book, pay for, or cancel a spot in them. release_sponsorship_dates frees the spots before.
    if by_owner and exists (select from public.sponsorship_spots s where s.sponsorship_id = old.id) then
      perform private.refuse('order_holds_spots');
    elsif api then
      perform private.lock_newsletters_of_deleted(old.id);
    end if;
    return old;
  end if;
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.sponsorship_dates) > 104);
  new := private.with_one_line(new, 'link', 'location', 'photo_location');
  new.promo_text := private.many_lines(new.promo_text);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
    end if;
    if api then
      new.paid := false;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if api then
      -- It stays its buyer's until their account is deleted, also for an admin.
      if new.owner is not null or exists (select from public.profiles p where p.id = old.owner) then
        new.owner := old.owner;
      end if;
      new.paid := old.paid;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if old.paid and (new.rate, new.sponsorship_dates, new.place_id)
        is distinct from (old.rate, old.sponsorship_dates, old.place_id) then
        perform private.refuse('sponsorship_paid');
      end if;
    end if;
    -- It is generated after this trigger. Equal here, so that an unchanged row is recognized.
    new.order_total := old.order_total;
    if new is not distinct from old then
      return new;
    end if;
    if by_owner then
      -- What a newsletter has said stays on record.
      if old.paid and private.today() >= all (new.sponsorship_dates) then
        perform private.refuse('sponsorship_was_sent');
      end if;
      perform private.limit_account_changes('too_many_order_changes');
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  if by_owner and (tg_op = 'INSERT' or new.place_id <> old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('sponsorship_place_not_yours', 'place_id');
  elsif by_owner and old.paid and new.place_id <> all (private.managed_places())
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    -- What a newsletter says about a business is not for someone to change who has left it.
    perform private.refuse('sponsored_listing_left');
  end if;
  if tg_op = 'INSERT' or new.sponsorship_dates <> old.sponsorship_dates then
    select coalesce(array_agg(distinct d order by d), '{}') into new.sponsorship_dates
      from unnest(new.sponsorship_dates) d;
    if exists (select 1 from unnest(new.sponsorship_dates) d where not private.is_newsletter_day(d)) then
      perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
    elsif api and exists (select 1 from unnest(new.sponsorship_dates) d where d <= private.today()
      and (tg_op = 'INSERT' or d <> all (old.sponsorship_dates))) then
      perform private.refuse('newsletter_date_past', 'sponsorship_dates');
    end if;
  end if;
  if tg_op = 'UPDATE' and api
    and (old.rate, old.sponsorship_dates, old.place_id)
      is distinct from (new.rate, new.sponsorship_dates, new.place_id) then
    perform private.validate_no_open_payment(old.id);
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
    when kind = 'plan-paused' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused')
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz and j.expiration_date > now()
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
      then '{"managed": true}'::jsonb
      when n.kind = 'listing-approved' and private.was_changed_by_others(n.place_id, n.created_at)
      then '{"left": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-hidden', 'listing-shown') then jsonb_build_object('approved', exists (
      select from public.places p where p.id = (n.data ->> 'place_id')::bigint
        and p.status in ('published', 'pending-update'))) else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.limit_changes(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enforce_limit('too_many_changes',
      case when place_id = any (private.managed_places()) then 'change by managers of listing ' else 'change of listing ' end
        || place_id, 60, 3600),
    private.limit_account_changes('too_many_changes')
$function$;

CREATE OR REPLACE FUNCTION private.lock_newsletters_of_deleted(sponsorship bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_newsletters(array(
    select s.weekday_date from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
    where o.id = sponsorship and private.is_admin()));
end $function$;

CREATE OR REPLACE FUNCTION private.many_lines(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select private.visible(regexp_replace(private.require_cleanable(value),
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]', '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION private.one_line(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select private.visible(regexp_replace(private.require_cleanable(value),
    '[\u0001-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
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
    '[\u00ad\u034f\u115f\u1160\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]',
    '', 'g'), '(^|\s)[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+', '\1', 'g')
$function$;

CREATE OR REPLACE FUNCTION private.was_changed_by_others(listing_id bigint, approved_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (
    select from public.audit_log a join public.places p on p.id = listing_id and p.owner <> a.actor
    where a.subject = 'places' and a.subject_id = listing_id::text and a.at < approved_at
      and a.after ?| private.reviewed_columns()
      and not exists (select from public.profiles f where f.id = a.actor and f.admin)
      and a.id > coalesce((select max(b.id) from public.audit_log b where b.subject = 'places'
        and b.subject_id = listing_id::text and b.at < approved_at and b.after ->> 'status' = 'published'), 0))
$function$;

CREATE OR REPLACE TRIGGER t5_count_on_visibility AFTER UPDATE ON public.places FOR EACH ROW WHEN ((NOT (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION private.count_on_visibility();

CREATE OR REPLACE TRIGGER t5_email_withdrawn_edit AFTER UPDATE ON public.places FOR EACH ROW WHEN (((((old.status = 'pending-update'::text) AND (new.status = ANY (ARRAY['pending-update'::text, 'published'::text]))) OR ((old.status = ANY (ARRAY['new'::text, 'flagged'::text])) AND (new.status = old.status))) AND (new.version <> old.version) AND (new.owner IS NOT NULL))) EXECUTE FUNCTION private.email_withdrawn_edit();

set check_function_bodies = on;
