-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop policy "read own, for own listings, or admin" on public.manager_invitations;

CREATE OR REPLACE FUNCTION private.accept_invitation(token text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.asks_for_payment(place public.places)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select place.subscription_status = 'past_due' and private.owes_payment(place) $function$;

CREATE OR REPLACE FUNCTION private.check_listing_owner(place_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from public.places p where p.id = place_id
    and (p.owner = private.user_id() or private.is_admin())) then
    raise exception 'listing_not_yours' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.clean_up_manager()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.manager_invitations i where i.place_id = old.place_id and i.accepted_by = old.profile_id;
  delete from public.listing_drafts d where d.id in (select o.id from public.listing_drafts o
    where o.owner = old.profile_id and o.form = '/listings/' || old.place_id for update skip locked);
  delete from private.email_queue n where n.recipient = old.profile_id and n.sent_at is null
    and n.kind = 'new-lead' and n.data ->> 'place_id' = old.place_id::text;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_favorites()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    -- Everyone who saves or views one of them, or whose account is deleted, waits for this.
    perform private.refuse_oversized(private.user_id() is not null and (select count(*) from new_rows) > 100);
    insert into public.place_stats as s (place_id, favorites)
    select place_id, count(*) from new_rows group by place_id order by place_id
    on conflict (place_id) do update set favorites = s.favorites + excluded.favorites;
  else
    -- In the order in which the others have them, so that no two wait for each other.
    perform 1 from public.place_stats s where s.place_id in (select place_id from old_rows) order by s.place_id
      for no key update;
    update public.place_stats s set favorites = s.favorites - g.removed
    from (select place_id, count(*) as removed from old_rows group by place_id) g where s.place_id = g.place_id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_positions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this_week constant date := private.week_of(now());
  since constant date := private.counted_since();
begin
  if tg_op = 'INSERT' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, count(*), this_week from new_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  elsif tg_op = 'DELETE' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, -count(*), this_week from old_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  else
    -- Always in the same order, so that two people who swap positions do not deadlock.
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, sum(people), this_week from (
      select lat, long, 1 as people from new_rows union all select lat, long, -1 from old_rows
    ) moved group by lat, long having sum(people) <> 0 order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week >= since then c.people_before else c.people end;
  end if;
  -- Where no one is, and no one was when the four weeks began, nothing is left: no one limits how often someone moves, and
  -- there are millions of positions.
  if tg_op <> 'INSERT' then
    delete from private.position_counts c where c.people = 0 and c.people_before = 0
      and (c.lat, c.long) in (select lat, long from old_rows);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_users_within(lat double precision, long double precision, miles double precision)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r constant double precision := 3958.7613;
  high constant double precision := degrees(miles / r) + 1e-9;
  wide double precision := 180;
  since constant date := private.counted_since();
  total bigint;
begin
  if lat is null or long is null then
    return null;
  end if;
  -- A tenth of a millimeter: the squares of smaller differences underflow.
  lat := round(lat::numeric, 9);
  long := round(long::numeric, 9);
  if abs(lat) + high < 90 then
    wide := degrees(asin(sin(radians(high)) / cos(radians(lat)))) + 1e-9;
  end if;
  select coalesce(sum(n), 0)::bigint into total from (
    select sum(hit.people) as n
    from (values (long - wide, long + wide), (long - wide + 360, long + wide + 360),
                 (long - wide - 360, long + wide - 360)) box (west, east)
    cross join lateral (
      select case when u.week >= since then u.people_before else u.people end as people
      from private.position_counts u
      where u.lat between count_users_within.lat - high and count_users_within.lat + high
        and u.long between greatest(box.west, -180) and least(box.east, 180)
        and 2 * r * asin(least(1, sqrt(
              sin(radians(u.lat - count_users_within.lat) / 2) ^ 2
              + cos(radians(count_users_within.lat)) * cos(radians(u.lat))
                * sin(radians(u.long - count_users_within.long) / 2) ^ 2))) <= miles
    ) hit
    where box.west <= 180 and box.east >= -180
  ) counted;
  return total;
end $function$;

CREATE OR REPLACE FUNCTION private.counted_since()
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  today constant date := (now() at time zone 'UTC')::date;
begin
  return today - (today - date '2024-01-01') % 28;
end $function$;

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
      'feedback', (select count(*) from public.feedback f where f.userid = p.id),
      -- Whether they get an email (admin_delete_user).
      'mailed', private.account_email(p.id) is not null)
    from public.profiles p where p.id = deletion_effects.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.due_deletions(max_users integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 100 for update skip locked);
  delete from public.listing_drafts l where l.id in
    (select o.id from public.listing_drafts o where o.expires and o.updated_at < now() - interval '7 days'
      limit 1000 for update skip locked);
  select private.delete_counted_views(10000);
  select private.enqueue_email(d.user_id, null, 'account-deletion',
      'account-deletion-reminder:' || d.user_id || ':' || d.requested_at,
      jsonb_build_object('due_at', d.due_at, 'reminder', true, 'waiting', private.count_waiting_edits(d.user_id) > 0))
    from private.account_deletions d
    where d.due_at > now() and d.due_at <= now() + interval '60 hours' and not private.is_last_admin(d.user_id);
  -- Those that were tried before come last, in any order: a hundred that fail each time would keep all others waiting.
  select d.user_id from private.account_deletions d where d.due_at <= now()
    order by d.begun_at is not null, case when d.begun_at is null then d.due_at end, random()
    limit least(greatest(max_users, 0), 100)
$function$;

CREATE OR REPLACE FUNCTION private.email_edit_by_manager()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  fields text[];
begin
  -- (First, for a statement that changes many listings.)
  if not private.manages_for_owner(new.id, new.owner) then
    return null;
  end if;
  fields := array(
    select distinct case when f.kind = 'address' then 'rawaddress' when f.kind in ('question', 'consent') then 'answers'
      else f.name end
    from private.listing_fields() f, (select to_jsonb(old) as was, to_jsonb(new) as sent offset 0) r
    where r.sent -> f.name is distinct from r.was -> f.name order by 1);
  if fields <> '{}' then
    -- (Under the name that was approved, or without one, the name before this change.)
    perform private.email_managers_change(old, fields,
      case when old.status = 'pending-update' and new.status = 'published' then '{"withdrawn": true}'::jsonb else '{}' end);
  end if;
  return null;
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
    end;
  unpaid constant boolean := not (old.paid and old.expiration_date > now());
  -- Of someone else: guard_job lets only an admin do that.
  by_team constant boolean := coalesce(old.owner <> private.user_id(), false);
begin
  if by_team and new.owner = old.owner and new.version <> old.version then
    perform private.enqueue_email(old.owner, null, 'job-edited', format('job-edited:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', old.title)
        || case when unpaid then '{"unpaid": true}'::jsonb else '{}' end);
  end if;
  if unpaid and news is distinct from 'job-left' then
    return null;
  elsif news = 'job-republished' then
    -- (Waits for a process that begins to send it.)
    delete from private.email_queue n where n.recipient = old.owner and n.kind = 'job-unpublished'
      and n.data ->> 'job_id' = new.id::text and n.sent_at is null and n.attempts = 0;
    if found then
      return null;
    end if;
  end if;
  if news is not null and by_team then
    perform private.enqueue_email(old.owner, null, news,
      format('%s:%s:%s', news, new.id, extract(epoch from new.modified_at)),
      -- By the name that they know.
      jsonb_build_object('job_id', new.id, 'title', old.title)
        || case when news = 'job-unpublished' and new.published then '{"filled": true}'::jsonb
          when news = 'job-republished' and old.published then '{"reopened": true}' else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_managers_change(listing public.places, fields text[], news jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- (What was tried may be on its way. Whatever comes after that is another email. So it is when the earlier one will
  -- soon be too old to be sent, such as one that the owner had turned off: see due_emails.)
  update private.email_queue n set data = n.data || news || jsonb_build_object('fields',
      (select coalesce(jsonb_agg(distinct f), '[]')
        from unnest(fields || array(select jsonb_array_elements_text(n.data -> 'fields'))) f))
    where n.recipient = listing.owner and n.kind = 'listing-changed' and n.data ->> 'place_id' = listing.id::text
      and n.sent_at is null and n.attempts = 0 and n.created_at > now() - interval '6 days';
  if not found then
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select listing.owner, 'listing-changed',
        format('listing-changed:%s:%s', listing.id, extract(epoch from clock_timestamp())),
        greatest(now() + interval '10 minutes', max(coalesce(n.sent_at, n.created_at)) + interval '1 hour'),
        -- (private.approved_name, before this change.)
        jsonb_build_object('place_id', listing.id, 'name', coalesce(listing.last_update ->> 'name', listing.name),
          'fields', to_jsonb(fields)) || news
      from private.email_queue n
      where n.recipient = listing.owner and starts_with(n.key, format('listing-changed:%s:', listing.id));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.email_namesakes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.tell_namesakes(new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_namesakes_of_former()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  author constant uuid := (to_jsonb(old) ->> tg_argv[0])::uuid;
begin
  perform private.tell_namesakes(j.id) from public.jobs j
    where (j.owner = author or (author is null and j.owner is null)) and j.published and j.place_id is null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_new_job_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner <> private.user_id() then
    perform private.enqueue_email(new.owner, null, 'job-received', format('job-received:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', new.title)
        || case when new.paid and new.expiration_date > now() then '{}' else '{"unpaid": true}'::jsonb end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_owner_of_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if old.owner <> private.user_id() then
    perform private.enqueue_email(old.owner, null, 'job-left', format('job-left:%s:deleted', old.id),
      jsonb_build_object('job_id', old.id, 'title', old.title, 'deleted', true));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_owner_of_named_listing()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(p.owner, null, 'listing-job', format('listing-job:%s:%s:%s:%s', new.id, p.owner,
        new.version, extract(epoch from new.expiration_date)),
      jsonb_build_object('job_id', new.id, 'place_id', p.id, 'title', new.title,
        'listing', private.approved_name(p.id)))
    from public.places p
    where p.id = new.place_id and p.owner is distinct from private.user_id() and p.owner is distinct from old.owner
      and new.paid and new.published and new.filled_at is null and new.expiration_date > now()
      and (new.version <> old.version
        or not (old.paid and old.published and old.filled_at is null and old.expiration_date > now()));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.email_sponsor()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner <> private.user_id()
    and (tg_op = 'INSERT' or not old.paid or private.today() < any (new.sponsorship_dates)) then
    perform private.enqueue_email(new.owner, null, 'feature-edited', format('feature-edited:%s:%s', new.id, new.version),
      case when old.paid then '{}' else '{"unpaid": true}'::jsonb end
      || case when tg_op = 'INSERT' then '{"added": true}' else '{}'::jsonb end
      || jsonb_build_object('sponsorship_id', new.id, 'business', coalesce(
        (select private.approved_name(p.id) from public.places p where p.id = new.place_id and p.owner = new.owner),
        -- Of what became of a listing since, its former owner learns nothing.
        (select max(o.item_name) from public.orders o where o.sponsorship_id = new.id and o.paid_at is not null),
        'a listing')));
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
        and private.is_state_change(a.after) and a.actor is distinct from new.owner and a.before ? 'hidden'
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
          where a.subject = 'places' and a.subject_id = new.id::text and private.is_state_change(a.after)
            and a.after ? 'hidden'
          order by a.at desc, a.id desc limit 1);
    insert into private.email_queue (recipient, kind, key, next_try_at, data)
    values (new.owner, news, format('%s:%s:%s', news, new.id, extract(epoch from clock_timestamp())), due,
      jsonb_build_object('place_id', new.id, 'name', private.approved_name(new.id),
        'approved', new.status in ('published', 'pending-update'),
        'team', new.id <> all (private.managed_places())) || case when again then '{"again": true}'::jsonb else '{}' end);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_account_news(user_id uuid, kind text, data jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  wait constant integer := private.take_rate_token(format('%s emails to %s', kind, user_id), 5, 3600);
begin
  if wait > 0 then
    update private.email_queue n set data = enqueue_account_news.data
      where n.recipient = user_id and n.kind = enqueue_account_news.kind
        and n.sent_at is null and n.attempts = 0 and n.next_try_at > now();
    if found then
      return;
    end if;
  end if;
  insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select p.id, enqueue_account_news.kind, format('%s:%s', enqueue_account_news.kind, gen_random_uuid()),
        now() + make_interval(secs => wait), enqueue_account_news.data
      from public.profiles p where p.id = user_id;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_featured_ended(sub public.subscriptions)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(p.owner, null, 'featured-ended', format('featured-ended:%s:%s', sub.id, sub.seen),
      jsonb_build_object('place_id', p.id, 'name', private.approved_name(p.id)))
    from public.places p
    where p.id = sub.place_id and not p.premium and p.status <> 'archived' and p.owner is distinct from sub.owner
      and (sub.owner is not null or sub.order_id is not null)
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_lead_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  known_as constant text := private.approved_name(new.place_id);
begin
  perform private.enqueue_email(null, p.id, 'new-lead', 'new-lead:' || new.id,
    jsonb_build_object('lead_id', new.id, 'name', known_as))
    from public.places p where p.id = new.place_id and private.wants_email(p.owner, 'new-lead');
  perform private.enqueue_email(m.profile_id, null, 'new-lead', format('new-lead:%s:%s', new.id, m.profile_id),
      jsonb_build_object('lead_id', new.id, 'name', known_as, 'place_id', p.id))
    from public.listing_managers m join public.places p on p.id = m.place_id
    where m.place_id = new.place_id and private.wants_email(m.profile_id, 'new-lead');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_owner_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act <> 'form' or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
      || case k.kind when 'listing-removed'
        then jsonb_strip_nulls(private.about_removal((select p from public.places p where p.id = n.id), o.archive_requested))
        when 'listing-approved'
        then case when n.status = 'pending-update' and n.last_update <> '{}' then '{"waits": true}'::jsonb else '{}' end
        else '{}' end
  from new_rows n join old_rows o on o.id = n.id
  -- (A listing that has left its owner loses the edit that waited, which no one has approved, and what was theirs alone:
  -- private.part_from_owner.)
  cross join lateral (select o.owner is not null and n.owner is distinct from o.owner as has_left) h
  cross join lateral (select o.last_update <> '{}' and h.has_left as edit_left) w
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' and not w.edit_left
        and not private.was_told_it_is_live(n.id, o.status, o.last_update) then 'listing-approved'
      when n.status = 'pending-update' and o.status not in ('published', 'pending-update') then 'listing-approved'
      when n.status = 'archived' and o.status <> 'archived' then 'listing-removed'
    end as kind
    union all
    -- Also with one of these: what our team entered as they published it is read as its owner's words.
    select 'listing-edited' where exists (select from unnest(private.reviewed_columns()) c
      where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c
        and not (w.edit_left and o.last_update ? c)
        and not (h.has_left and c in ('mailingaddress', 'rawaddress') and to_jsonb(n) ->> c is null))) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  perform private.enqueue_booked_removals(array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status = 'archived' and o.status <> 'archived'), now());
  return null;
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
  -- In the same order as the decisions of the review desk, so that they never deadlock. (Not those that keep the address,
  -- below: anyone can enter it in a listing of their own, and hold that one with slow changes for as long as they like.)
  perform 1 from public.places p
    where p.owner = erase_user.user_id or p.owner_email = user_email
      or (lower(p.public_email) = user_email and not private.is_contact_unapproved(p, erase_user.user_id))
      or lower(p.last_update ->> 'public_email') = user_email
    order by p.id for no key update;
  -- Other owners whose listing has published their address learn that it is gone, and not why.
  insert into private.email_queue (place_id, kind, key, data)
  select p.id, 'contact-email-removed', format('contact-email-removed:%s:%s', p.id, p.version),
      jsonb_build_object('place_id', p.id, 'name', private.approved_name(p.id))
    from public.places p
    where p.owner <> erase_user.user_id and p.status <> 'new'
      -- (First, because the rest looks up what the log says of a listing.)
      and user_email in (lower(p.public_email), lower(p.last_update ->> 'public_email'))
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
    -- (Those that keep the address aren't written. Someone could enter it in a thousand listings, each of which takes
    -- milliseconds, so that the account could never be deleted.)
    where p.owner = erase_user.user_id or p.owner_email = user_email
      or (lower(p.public_email) = user_email and not private.is_contact_unapproved(p, erase_user.user_id))
      or lower(p.last_update ->> 'public_email') = user_email;
  perform 1 from public.jobs j where j.owner = erase_user.user_id or j.owner_email = user_email order by j.id for update;
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
  -- The auth service's own log of sign-ins, where it is in the database and we may delete from it. A long one is searched
  -- afterward: people wait for the rows above.
  if has_table_privilege('auth.audit_log_entries', 'delete') then
    insert into private.sign_ins_to_forget (user_id, address_hash, next_page, pages_left)
      select erase_user.user_id, private.code_hash(user_email),
        coalesce((select min(f.next_page) from private.sign_ins_to_forget f), 0), private.sign_in_log_pages() + 200
      on conflict do nothing;
    if private.sign_in_log_pages() < 1000 then
      perform private.forget_sign_ins();
    end if;
  end if;
  return true;
end $function$;

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
  select least(size, 1 + count(*) filter (where s.bytes <= private.page_bytes())) into size from (
    select sum(coalesce(octet_length(p.description), 0) + octet_length(array_to_string(p.licensed_locations, '')))
      over (order by w.n) as bytes
    from unnest(ids[1:size]) with ordinality w (id, n) join public.places p on p.id = w.id) s;
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
    -- An admin has paid for someone's job, which may be a draft: its owner counts on it that no one sees it until they pay.
    perform private.enqueue_email(j.owner, null, 'job-republished', 'job-paid:' || bought.id,
        jsonb_build_object('job_id', j.id, 'title', j.title, 'paid', true))
      from public.jobs j where j.id = bought.job_id and begins and j.owner <> bought.owner;
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

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled, or with the address of its owner's
  -- account. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at', 'owner_email'];
  -- Whether more than these columns has changed.
  rewritten boolean;
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  perform private.refuse_oversized(pg_column_size(new) > 1000000 or cardinality(new.location) > 100);
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  new := private.with_many_lines(new, 'description', 'company_bio', 'ally_safety');
  -- Its listing says who is hiring. Other words would go on saying it after the listing was hidden.
  if new.place_id is not null then
    new.company_name := null;
    new.company_bio := null;
  end if;
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      perform private.hold_account_email(new.owner);
      -- (A change of the address ends the session.)
      perform private.require_rights(new.owner = private.user_id());
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    elsif (api or old.owner is not null) and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in restore_protected_columns.
      if api then
        perform private.hold_account_email(new.owner);
      end if;
      new.owner_email := case when api then private.account_email(new.owner) end;
    end if;
    if old.owner is not null and new.owner is null and exists (select from public.places p
      where p.id = new.place_id and p.owner is not null and p.owner <> old.owner) then
      -- Without an owner it would be published in the name of its listing, which belongs to someone else.
      new.published := false;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    rewritten := to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns;
    -- Unpublishing is never refused. To do it again, the job has to be published, which counts. (Another text in the same
    -- change counts, too: no one has to rewrite a job to unpublish it, and both in turns would save the longest texts.)
    if by_owner and (rewritten or not (old.published and not new.published)) then
      perform private.limit_account_changes('too_many_job_changes');
    end if;
    if by_owner and rewritten then
      perform private.limit_large_change('too_many_job_changes', pg_column_size(new));
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if rewritten then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  -- Also when the listing has gone to someone else since. What remains possible is to unpublish the job.
  if by_owner and new.place_id is not null
    and (tg_op = 'INSERT' or to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
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
        perform private.limit_large_change('too_many_changes', pg_column_size(new));
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
  -- and the address of the owner's account. They count neither as a version nor as a change.
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

  -- 6. Its place in the queues. Undoing a decision puts it back where it was.
  if changed then
    new.removal_requested_at := case when new.archive_requested then case when old.archive_requested
      then coalesce(old.removal_requested_at, old.waiting_since, old.modified_at) else now() end end;
    new.waiting_since := private.waiting_since(old, new);
  end if;
  if current_setting('app.undone_batch', true) <> '' then
    select q.modified_at, q.waiting_since,
        case when new.archive_requested and not old.archive_requested
          then coalesce(q.removal_requested_at, q.waiting_since, q.modified_at) else new.removal_requested_at end
      into new.modified_at, new.waiting_since, new.removal_requested_at
      from private.place_in_queue_before_decision(new.id) q;
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
      if (old.paid and private.today() >= all (new.sponsorship_dates))
        -- (Also when it was refunded. Other dates can be paid for then, with the same words.)
        or ((new.promo_text, new.link, new.location, new.photo_location, new.place_id)
            is distinct from (old.promo_text, old.link, old.location, old.photo_location, old.place_id)
          and (select max(s.weekday_date) from public.sponsorship_spots s
            where s.sponsorship_id = old.id and s.held_until is null) <= private.today()) then
        perform private.refuse('sponsorship_was_sent');
      end if;
      perform private.limit_account_changes('too_many_order_changes');
      perform private.limit_large_change('too_many_order_changes', pg_column_size(new));
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

CREATE OR REPLACE FUNCTION private.has_been_public(subject text, found jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(found ->> 'status' in ('published', 'pending-update') or found ->> 'paid' = 'true', false)
    or exists (select from public.audit_log a
      where a.subject = has_been_public.subject and a.subject_id = found ->> 'id'
        and private.is_state_change(a.after) and (a.after ->> 'status' = 'published' or a.after ->> 'paid' = 'true'))
$function$;

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
          where b.subject = 'places' and b.subject_id = place.id::text and private.is_state_change(b.after)
            and b.before ->> 'status' in ('published', 'pending-update')), 0)))
$function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb, recipient uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  case
    when kind in ('subscription-canceled', 'plan-stopped') then return exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status));
    when kind = 'sponsorship-confirmed' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates');
    when kind = 'feature-edited' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient
        and (data ? 'unpaid' and not s.paid or s.paid and private.today() < any (s.sponsorship_dates)));
    when kind = 'booked-listing-removed' then return not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and d.weekday_date >= private.first_open_day() and data -> 'newsletters' ? d.weekday_date::text);
    when kind = 'feature-unseen' then return not exists (
        select from jsonb_array_elements_text(data -> 'dates' || coalesce(data -> 'late', '[]')) d
        where d::date > private.today())
      or not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null));
    when kind = 'renewal-coming' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz and s.period_to > now()));
    when kind = 'plan-paused' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused');
    when kind = 'payment-failed' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null);
    when kind = 'job-expiring' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz and j.expiration_date > now()
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'));
    when kind = 'job-unpublished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end);
    when kind = 'job-republished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now());
    when kind = 'job-edited' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and (data ? 'unpaid' or j.paid and j.expiration_date > now()));
    -- (One that took the name again is news, whatever it is called now.)
    when kind = 'job-namesake' then return not exists (select from public.jobs j
      join public.places p on p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient
      where j.id = (data ->> 'job_id')::bigint and (data ? 'again' or private.is_live_job(j.id)
        and exists (select from private.job_namesakes(j.id) n where n.place_id = p.id)));
    when kind = 'job-payment-returned' then return not exists (select from public.jobs j
      where j.id = (data ->> 'job_id')::bigint and j.owner = is_outdated.recipient and j.paid = (data ? 'ends')
        and j.expiration_date is not distinct from (data ->> 'ends')::timestamptz);
    when kind = 'job-received' then return not exists (select from public.jobs j
      where j.id = (data ->> 'job_id')::bigint and j.owner = is_outdated.recipient);
    when kind = 'listing-job' then return not exists (select from public.jobs j join public.places p on p.id = j.place_id
      where j.id = (data ->> 'job_id')::bigint and j.owner is null and p.owner = is_outdated.recipient
        and p.id = (data ->> 'place_id')::bigint);
    when kind = 'job-left' then return exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient);
    when kind = 'account-deletion' then return not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null);
    when kind = 'account-kept' then return exists (select from private.account_deletions d where d.user_id = is_outdated.recipient);
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then return not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)));
    when kind in ('manager-joined', 'listing-received', 'listing-changed') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'listing-left' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'featured-ended' then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and not p.premium);
    when kind = 'two-step-changed' then return data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified');
    when kind = 'listing-added' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'));
    when kind in ('listing-hidden', 'listing-shown') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'));
    when kind in ('payment-disputed', 'refund-failed', 'admins-two-step') then return not exists (
      select from public.profiles p where p.id = is_outdated.recipient and p.admin);
    when kind = 'admin-rights-changed' then return exists (select from public.profiles p
      where p.id = is_outdated.recipient
        and p.admin is distinct from case when data ? 'yours' then (data ->> 'given')::boolean else true end);
    else return false;
  end case;
end $function$;

CREATE OR REPLACE FUNCTION private.is_state_change(after jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select after ?| '{status, paid, archive_requested, hidden}'::text[] $function$;

CREATE OR REPLACE FUNCTION private.keyset_page(source text, keys text[], types text[], after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  max_rows constant integer := private.page_size(page_rows, 1000);
  max_bytes constant integer := private.page_bytes();
  backwards constant boolean := after is null and before is not null;
  cursor_values constant text[] := string_to_array(coalesce(after, before), '_');
  bound text;
  cursor_of_row text;
  one record;
  rows_found jsonb[] := '{}';
  cursors text[] := '{}';
  bytes bigint := 0;
  more boolean := false;
begin
  if cardinality(cursor_values) <> cardinality(keys) then
    raise exception 'page_unknown' using errcode = '22P02';
  end if;
  select string_agg(format('%L::%s', value, type), ', ') into bound
    from unnest(cursor_values, types) as p (value, type);
  select string_agg(format('to_jsonb(%I) #>> ''{}''', key), ', ') into cursor_of_row from unnest(keys) key;
  for one in execute format(
    'select s.item, concat_ws(''_'', %s) as cursor from (%s) s %s order by %s limit %s',
    cursor_of_row, source,
    case when cursor_values is not null then format('where (%s) %s (%s)', array_to_string(keys, ', '),
      case when backwards then '>' else '<' end, bound) end,
    (select string_agg(key || case when backwards then ' asc' else ' desc' end, ', ') from unnest(keys) key),
    max_rows + 1)
  loop
    more := cardinality(rows_found) = max_rows or bytes > max_bytes;
    exit when more;
    rows_found := array_append(rows_found, one.item);
    cursors := array_append(cursors, one.cursor);
    bytes := bytes + octet_length(one.item::text);
  end loop;

  if backwards and not more and bytes <= max_bytes then
    -- Fewer rows than a page come before this one: return the whole first page. (From the other end, long rows may fill it
    -- before it reaches this one.)
    return private.keyset_page(source, keys, types, null, null, max_rows);
  end if;
  if backwards then
    select coalesce(array_agg(r order by n desc), '{}'), coalesce(array_agg(p order by n desc), '{}')
      into rows_found, cursors
      from unnest(rows_found, cursors) with ordinality as u (r, p, n);
  end if;
  return jsonb_build_object(
    'rows', to_jsonb(rows_found),
    'before', case when cursor_values is not null and (more or not backwards) then cursors[1] end,
    'after', case when more or backwards then cursors[cardinality(cursors)] end);
end $function$;

CREATE OR REPLACE FUNCTION private.last_removal(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('at', r.at, 'requested', coalesce(r.before ->> 'archive_requested', (
      select a.after ->> 'archive_requested' from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and (a.at, a.id) <= (r.at, r.id)
        and private.is_state_change(a.after) and a.after ? 'archive_requested'
      order by a.at desc, a.id desc limit 1), 'false') = 'true')
  from (
    select m.* from public.audit_log m
    where m.subject = 'places' and m.subject_id = place_id::text and private.is_state_change(m.after)
      and m.action <> 'undo' and m.after ->> 'status' in ('archived', 'published', 'pending-update')
      and (select n.action from public.audit_log n
        where n.subject = 'places' and n.subject_id = place_id::text and (n.at, n.id) > (m.at, m.id)
          and private.is_state_change(n.after) and n.after ? 'status'
        order by n.at, n.id limit 1) is distinct from 'undo'
    order by m.at desc, m.id desc limit 1
  ) r
  where r.after ->> 'status' = 'archived'
$function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - private.time_to_send(old.kind)) limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  delete from public.rejected_edits o where o.place_id in
    (select old.place_id from public.rejected_edits old where old.rejected_at < now() - interval '30 days'
      limit 200 for update skip locked);
  -- Those that have their address come first, most of which have a link that lasts an hour: no one keeps everyone from
  -- joining, or from choosing a new password, by what else they can have sent.
  with addressed as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now() and n.address <> ''
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  ), others as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    where n.sent_at is null and n.next_try_at <= now() and n.address is null
    order by n.next_try_at limit least(greatest(max_emails, 0), 100) - (select count(*) from addressed)
    for update of n skip locked
  ), due as (
    select * from addressed union all select * from others
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
    || case when n.kind = 'listing-hidden' and private.goes_on_paying((n.data ->> 'place_id')::bigint, due.user_id)
      then '{"plan": true}'::jsonb else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.limit_large_change(code text, bytes integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enforce_limit(code, 'large changes by ' || private.user_id(), 30, 3600)
  where private.user_id() is not null and bytes > 20000
$function$;

CREATE OR REPLACE FUNCTION private.lock_order_item(job bigint, sponsorship bigint, place bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.jobs j where j.id = job for update;
  perform 1 from public.sponsorships s where s.id = sponsorship for update;
  if found then
    perform private.lock_newsletters(array(
      select unnest(s.sponsorship_dates) from public.sponsorships s where s.id = sponsorship
      union select p.weekday_date from public.sponsorship_spots p where p.sponsorship_id = sponsorship));
  end if;
  -- Not `for update`: that waits for everyone who refers to the listing. Someone who saved all listings as favorites, with
  -- one slow request after the other, would keep every one of them from being Featured.
  perform 1 from public.places p where p.id = place for no key update;
end $function$;

CREATE OR REPLACE FUNCTION private.my_data_parts()
 RETURNS TABLE(key text, relation regclass, condition text, columns text[])
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  values
    ('profile', 'public.profiles'::regclass, 'r.id = $1', '{id, full_name, phone, email, pronouns, postalcode,
      opted_in, sms_opted_in, business_owner, admin, supporter, discreet, stripe_customer_id,
      created_at, modified_at}'::text[]),
    ('position', 'private.user_positions', 'r.user_id = $1', '{lat, long}'),
    ('consents', 'public.consents', 'r.user_id = $1', '{channel, granted, text_version, page, at}'),
    ('listings', 'public.places', 'r.owner = $1', '{id, status, hidden, archive_requested, owner_email, premium,
      premium_created_at, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested,
      version, created_at, modified_at, waiting_since, removal_requested_at, leads_from}'::text[] || private.reviewed_columns()),
    -- Without an owner, and with the caller's address as owner_email.
    ('listings_to_claim', 'public.places', 'r.owner is null and r.owner_email = $2',
      '{id, name, city, state, status, owner_email, created_at}'),
    ('drafts', 'public.listing_drafts', 'r.owner = $1', '{id, fields, created_at, updated_at, form, expires}'),
    ('rejected_changes', 'public.rejected_edits',
      'exists (select from public.places p where p.id = r.place_id and p.owner = $1)',
      '{place_id, rejected_at, reason, edit}'),
    ('managing', 'public.listing_managers', 'r.profile_id = $1', '{place_id, since}'),
    ('managers_i_invited', 'public.listing_managers', 'r.invited_by = $1', '{place_id, since}'),
    -- An accepted invitation belongs to the person who accepted it, no matter who has the address now, and so may one
    -- that was withdrawn, as when it was sent again.
    ('invitations_to_me', 'public.manager_invitations',
      'r.accepted_by = $1 or (r.email = $2 and r.accepted_by is null and r.withdrawn_at is null)',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('invitations_i_sent', 'public.manager_invitations', 'r.invited_by = $1',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('jobs', 'public.jobs', 'r.owner = $1', '{id, title, category, description, pay_range, url, location, city,
      queer_owned, ally_owned, ally_safety, remote, full_time, part_time, contract, place_id, company_name,
      company_bio, owner_email, published, paid, expiration_date, filled_at, version, created_at, modified_at}'),
    ('jobs_with_my_address', 'public.jobs', 'r.owner is null and r.owner_email = $2',
      '{id, title, owner_email, created_at}'),
    ('newsletter_features', 'public.sponsorships', 'r.owner = $1', '{id, place_id, promo_text, link, location,
      photo_location, rate, sponsorship_dates, order_total, paid, version, created_at, modified_at}'),
    ('orders', 'public.orders', 'r.owner = $1', '{id, kind, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, price_cents, currency, status, amount_paid_cents, amount_refunded_cents, coupon,
      stripe_customer_id, paid_at, refund_reason, revoked_at, created_at, modified_at, item_name,
      item_dates, opened_at, cancellation_days}'),
    ('subscriptions', 'public.subscriptions', 'r.owner = $1', '{id, place_id, order_id, stripe_customer_id, status,
      started_at, ends_at, created_at, modified_at, plan, cents, months, period_from, period_to, canceled_at,
      next_attempt_at, credit_cents, plus_tax, awaits_payment}'),
    ('payments', 'public.payments', 'r.owner = $1', '{id, kind, reason, order_id, subscription_id, cents, tax_cents,
      refunded_cents, currency, invoice_id, invoice_number, period_from, period_to, paid_at, dispute, disputed_cents,
      disputed_at, dispute_closed_at, plan}'),
    ('refunds', 'public.refunds',
      'exists (select from public.payments p where p.id = r.payment_id and p.owner = $1)',
      '{id, payment_id, cents, status, reason, created_at}'),
    ('favorites', 'public.favorites', 'r.user_id = $1', '{place_id, created_at}'),
    ('messages_i_sent', 'public.leads', 'r.requester = $1',
      '{id, place_id, requester_name, requester_email, message, created_at}'),
    ('reports', 'public.events',
      'r.user_id = $1 or exists (select from private.reporters w where w.event = r.id and w.user_id = $1)',
      '{id, event_name, place, data, state, created_at}'),
    ('feedback', 'public.feedback', 'r.userid = $1', '{id, feedback, os, archived, created_at}'),
    ('email_choices', 'public.email_preferences', 'r.user_id = $1', '{kind, wanted}'),
    ('emails', 'private.email_queue', 'r.recipient = $1', '{kind, data, created_at, sent_at}'),
    ('account_deletion', 'private.account_deletions', 'r.user_id = $1', '{requested_at, due_at, begun_at}'),
    -- An admin's work.
    ('searches_i_saved', 'public.saved_views', 'r.owner = $1', '{id, name, filter, created_at}'),
    ('reviews', 'private.review_locks', 'r.admin = $1', '{place_id, since, until}'),
    ('refunds_i_requested', 'public.refunds', 'r.requested_by = $1', '{id, payment_id, cents, note, created_at}'),
    ('decisions', 'private.decision_batches', 'r.admin = $1', '{id, action, reason, decided_at, undone_at}'),
    ('what_i_did', 'public.audit_log', 'r.actor = $1', '{id, at, action, subject, subject_id}'),
    ('changes_of_my_profile', 'public.audit_log', 'r.subject = ''profiles'' and r.subject_id = $1::text',
      '{id, at, action, before, after}')
$function$;

CREATE OR REPLACE FUNCTION private.obscured_count(exact bigint, circle text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  secret constant bytea := (select s.secret from private.nearby_secret s);
  lasting constant bytea := sha256(secret || convert_to(circle, 'UTF8'));
  passing constant bytea := sha256(secret || convert_to(circle || ' since ' || private.counted_since(), 'UTF8'));
  shown constant bigint := (exact - (get_byte(lasting, 0) * 256 + get_byte(lasting, 1)) % 30
    - (get_byte(passing, 0) * 256 + get_byte(passing, 1)) % 10) / 10 * 10;
begin
  return case when shown < 50 then 0 else shown end;
end $function$;

CREATE OR REPLACE FUNCTION private.owes_payment(place public.places)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Asked of each listing on a page: few come to the query.
  if place.subscription_status in ('past_due', 'unpaid') and place.stripe_cus_id is not null
    and place.status <> 'archived' and not place.archive_requested then
    return not exists (select from private.account_deletions d
      where d.user_id = place.owner and not private.is_last_admin(d.user_id));
  end if;
  return false;
end $function$;

CREATE OR REPLACE FUNCTION private.page_bytes()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select 4000000 $function$;

CREATE OR REPLACE FUNCTION private.plan_leaves_since(s public.subscriptions)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  requested timestamptz;
  removed public.audit_log;
begin
  if private.plan_leaves_with(s) = 'account' then
    return (select d.requested_at from private.account_deletions d where d.user_id = s.owner);
  end if;
  select max(a.at) into requested from public.audit_log a
    where a.subject = 'places' and a.subject_id = s.place_id::text and private.is_state_change(a.after)
      and a.after @> '{"archive_requested": true}';
  if private.plan_leaves_with(s) = 'listing' then
    return requested;
  end if;
  select a.* into removed from public.places p
      join public.audit_log a on a.subject = 'places' and a.subject_id = p.id::text and private.is_state_change(a.after)
        and a.after @> '{"status": "archived"}'
    where p.id = s.place_id and p.status = 'archived' order by a.at desc, a.id desc limit 1;
  return case when removed.before @> '{"archive_requested": true}' then requested else removed.at end;
end $function$;

CREATE OR REPLACE FUNCTION private.plan_listing_name(subscription text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when p.owner = s.owner then private.approved_name(p.id) else coalesce(o.item_name, 'a listing') end
    from public.subscriptions s join public.places p on p.id = s.place_id
    left join public.orders o on o.id = s.order_id
    where s.id = subscription
$function$;

CREATE OR REPLACE FUNCTION private.queue_weeks()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with moves (queue, at, came, weight) as (
    -- Undoing takes back what the decision counted, minutes before.
    select m.queue, a.at, m.came <> (a.action = 'undo'), case when a.action = 'undo' then -1 else 1 end
    from public.audit_log a cross join lateral (
      select a.after ->> 'status', true where a.after ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select a.before ->> 'status', false where a.before ->> 'status' in ('new', 'pending-update', 'flagged')
      union all
      select 'archive-requested', coalesce(a.after ->> 'archive_requested', '') = 'true'
        where 'true' in (a.after ->> 'archive_requested', a.before ->> 'archive_requested')) m (queue, came)
    where a.at > now() - interval '28 days' and a.subject = 'places' and private.is_queue_move(a.before, a.after)
    union all
    select 'feedback', f.created_at, true, 1 from public.feedback f where f.created_at > now() - interval '28 days'
    union all
    select 'reports', e.created_at, true, 1 from public.events e
      where e.event_name = 'report_listing' and e.created_at > now() - interval '28 days'
    union all
    select case a.subject when 'events' then 'reports' else a.subject end, a.at, false, 1
      from public.audit_log a
      where a.at > now() - interval '28 days'
        and (a.action, a.subject) in (('archive', 'feedback'), ('resolve', 'events'), ('dismiss', 'events'))
  ), weeks as (
    select m.queue, m.came, least(3, floor(extract(epoch from now() - m.at) / 604800))::integer as ago,
      greatest(sum(m.weight), 0) as count
    from moves m group by 1, 2, 3
  )
  select jsonb_object_agg(q.queue, jsonb_build_object(
    'came', array(select coalesce((select w.count from weeks w where w.queue = q.queue and w.came and w.ago = n), 0)
      from generate_series(3, 0, -1) n),
    'left', array(select coalesce((select w.count from weeks w where w.queue = q.queue and not w.came
        and w.ago = n), 0) from generate_series(3, 0, -1) n)))
  from unnest(array['new', 'pending-update', 'flagged', 'archive-requested', 'feedback', 'reports']) q (queue)
$function$;

CREATE OR REPLACE FUNCTION private.remove_manager(place_id bigint, user_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.report_new_password()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_account_news(new.id, 'password-changed');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.report_second_step(user_id uuid, change text, actor uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_account_news(user_id, 'two-step-changed', jsonb_build_object('change', change));
  insert into public.audit_log (actor, actor_role, action, subject, subject_id)
    values (actor, case when actor is null then 'system' else 'authenticated' end, 'two-step-' || change, 'profiles',
      user_id::text);
end $function$;

CREATE OR REPLACE FUNCTION private.require_second_step_of_admins(mandatory boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  if not private.is_second_step_done() then
    perform private.refuse('own_second_step_first');
  end if;
  insert into private.settings as s (name, enabled)
    values ('admins_need_second_step', require_second_step_of_admins.mandatory)
    on conflict (name) do update set enabled = excluded.enabled, changed_at = now()
      where s.enabled <> excluded.enabled;
  if found then
    perform private.log_action('require-two-step', 'settings', 'admins_need_second_step',
      jsonb_build_object('mandatory', mandatory));
    -- Someone in an admin's session who makes it optional could then do with a password what needs a code now.
    perform private.enqueue_email(p.id, null, 'admins-two-step', format('admins-two-step:%s:%s', now(), p.id),
      jsonb_build_object('mandatory', mandatory)) from public.profiles p where p.admin;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.review_cursor(place public.places, sort text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select place.id || '~' || case
    -- (In an address, some characters take twelve.)
    when sort like 'name%' then left(place.name_key, 200)
    when sort = 'featured' then coalesce((extract(epoch from place.premium_created_at) * 1000000)::bigint::text,
      'none')
    else (extract(epoch from coalesce(private.review_wait(place, sort), place.modified_at)) * 1000000)::bigint::text end
$function$;

CREATE OR REPLACE FUNCTION private.review_ids(filter jsonb, cursor text, backwards boolean, max_rows integer, condition text DEFAULT 'true'::text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  parsed record := private.review_filter(filter);
  key text := private.review_key(parsed.sort);
  down boolean := (parsed.sort like 'newest%') <> coalesce(backwards, false);
  by_name boolean := parsed.sort like 'name%';
  at text[] := regexp_match(cursor, '^([0-9]{1,18})~(.*)$');
  from_here text := '';
  ids bigint[];
begin
  if cursor is not null then
    if at is null or (not by_name and at[2] !~ '^([0-9]{1,17}|none)$') then
      return null;
    end if;
    if by_name and length(at[2]) >= 200 then
      -- Of a longer name it has the beginning.
      at[2] := coalesce((select p.name_key from public.places p
        where p.id = at[1]::bigint and starts_with(p.name_key, at[2])), at[2]);
    end if;
    from_here := format('and (%s, p.id) %s (%s, %s)', key, case when down then '<' else '>' end,
      case when by_name then quote_literal(at[2])
        else quote_literal(case at[2] when 'none' then 'infinity'
          else 'epoch'::timestamptz + at[2]::bigint * interval '1 microsecond' end) || '::timestamptz' end,
      at[1]);
  end if;
  execute format(
    'select array(select p.id from public.places p where %1$s and %2$s %3$s order by %4$s %5$s, p.id %5$s limit %6$s)',
    parsed.condition, review_ids.condition, from_here, key, case when down then 'desc' else 'asc' end, max_rows)
  into ids;
  return ids;
end $function$;

CREATE OR REPLACE FUNCTION private.tell_namesakes(job_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing record;
begin
  for listing in
    select p.id, p.owner, found.name, format('job-namesake:%s:%s:%s', job_id, p.id, p.owner) as key
      from (select n.place_id, n.name from private.job_namesakes(tell_namesakes.job_id) n
        order by n.place_id limit 10) found
      join public.places p on p.id = found.place_id and p.owner is not null
      where private.is_live_job(tell_namesakes.job_id)
  loop
    -- (After a week, it would never be sent.)
    update private.email_queue n set data = n.data || '{"again": true}', created_at = now()
      where n.key = listing.key and n.sent_at is null and n.attempts = 0;
    if not found then
      perform private.enqueue_email(listing.owner, null, 'job-namesake', listing.key,
        jsonb_build_object('job_id', job_id, 'place_id', listing.id, 'listing', listing.name));
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.validate_place_categories(place public.places)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A category of listings has no parent and is not 40, the parent of job categories.
  if not exists (select 1 from public.categories c
    where c.id = place.category and c.parent_category is null and c.id <> 40) then
    perform private.refuse('category_unknown', 'category');
  end if;
  -- (A list of lists is none: pages show nothing of what is in it.)
  if array_ndims(place.online_categories) > 1
    or exists (select 1 from unnest(place.online_categories) wanted
    left join public.categories c on c.id = wanted and c.parent_category = 12 where c.id is null) then
    perform private.refuse('online_category_unknown', 'online_categories');
  end if;
  -- (All that the form offers have 3,000 characters together. Ten times that in each of a day's new listings would keep
  -- our team from downloading them.)
  if array_ndims(place.licensed_locations) > 1 or length(array_to_string(place.licensed_locations, '')) > 10000
    or exists (select from unnest(place.licensed_locations) location where location is null
    or length(btrim(location)) not between 1 and 100 or location <> private.one_line(location)) then
    perform private.refuse('licensed_location_unknown', 'licensed_locations');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.was_changed_by_others(listing_id bigint, approved_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (
    select from (select a.after from public.audit_log a join public.places p on p.id = listing_id and p.owner <> a.actor
      where a.subject = 'places' and a.subject_id = listing_id::text and a.at < approved_at
        and not exists (select from public.profiles f where f.id = a.actor and f.admin)
        and a.id > coalesce((select b.id from public.audit_log b where b.subject = 'places'
          and b.subject_id = listing_id::text and private.is_state_change(b.after)
          and b.after ->> 'status' = 'published' and b.at < coalesce((
            select min(n.created_at) from private.email_queue n
            where n.place_id = listing_id and n.kind = 'listing-approved' and n.sent_at is null
              and n.created_at > coalesce((select max(s.created_at) from private.email_queue s
                where s.place_id = listing_id and s.kind = 'listing-approved' and s.sent_at is not null), '-infinity')),
            approved_at)
          order by b.at desc, b.id desc limit 1), 0)
      offset 0) others
    where others.after ?| private.reviewed_columns())
$function$;

CREATE OR REPLACE FUNCTION public.my_dashboard(search text DEFAULT NULL::text, show text DEFAULT NULL::text, page integer DEFAULT 1, page_rows integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
begin
  return (
    with mine as (
      select p.id, null::uuid as draft, p.name, p.city, p.state, p.modified_at as at,
        private.normalize_for_search(p.name) as key,
        p.premium and (p.owner is not null or p.id = any ((select private.managed_places())::bigint[])) as featured,
        p.status in ('new', 'pending-update', 'flagged') as review,
        p.hidden and p.status <> 'archived' as hidden,
        private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])) as attention
      from (
        select * from public.places o where o.owner = (select private.user_id())
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p
      union all
      select null, d.id, d.name, null, null, d.updated_at, private.normalize_for_search(d.name), false, false, false, 'draft'
      from (select l.id, left(btrim(coalesce(l.fields ->> 'name', '')), 200) as name, l.updated_at
        from public.listing_drafts l where l.owner = (select private.user_id()) and l.form is null) d
    ), matching as (
      select m.* from mine m where not exists (
        select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
        where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
    ), found as (
      -- Drafts without a name are last.
      select m.id, m.draft, m.name, m.at,
        row_number() over (order by m.featured desc, m.key = '', m.key, m.id, m.draft) as n
      from matching m
      where case show when 'attention' then m.attention is not null when 'featured' then m.featured
        when 'review' then m.review when 'hidden' then m.hidden when 'drafts' then m.draft is not null
        else true end
    ), bounds as (
      select private.page_size(page_rows, 100) as size, (select count(*) from found) as total
    ), shown as (
      select f.* from found f, bounds b
      where f.n > b.size * (least(greatest(coalesce(page, 1), 1), greatest((b.total + b.size - 1) / b.size, 1)) - 1)
      order by f.n limit (select size from bounds)
    )
    select jsonb_build_object(
      'all', (select count(*) from mine),
      'counts', (select jsonb_build_object('all', count(*), 'attention', count(m.attention),
          'featured', count(*) filter (where m.featured), 'review', count(*) filter (where m.review),
          'hidden', count(*) filter (where m.hidden), 'drafts', count(m.draft)) from matching m),
      'total', (select total from bounds),
      'first', (select min(n) from shown),
      'week', private.week_of(now()),
      'first_month', exists (select from private.my_first_months()),
      'tasks', coalesce((
        select jsonb_agg(jsonb_build_object('kind', t.attention, 'id', t.id, 'draft', t.draft, 'name', t.name,
          'at', t.at) order by t.rank, t.key, t.id, t.draft)
        from (select m.*, array_position(array['payment-failed', 'changes-requested', 'no-address', 'no-email',
              'to-claim', 'draft'], m.attention) as rank
          from mine m where m.attention is not null order by rank, m.key, m.id, m.draft limit 5) t),
        '[]'),
      'rows', coalesce((
        select jsonb_agg(case when f.draft is not null
          then jsonb_build_object('draft', f.draft, 'name', f.name, 'updated_at', f.at)
          else jsonb_build_object(
          'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
          'premium', s.premium,
          'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
          'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
          'proxi_id', s.proxi_id,
          -- A payment that isn't collected anymore is nothing to show: its plan is about to end.
          'subscription_status', case when p.stripe_cus_id is null then null
            when s.subscription_status in ('past_due', 'unpaid') and not private.owes_payment(p) then 'canceled'
            else s.subscription_status end,
          'owner', s.owner, 'owner_email', s.owner_email,
          'hidden', s.hidden, 'archive_requested', s.archive_requested,
          'changes_requested', s.changes_requested,
          'changed', array(select jsonb_object_keys(s.last_update)),
          -- The last edit. One that was followed by another is kept, but says nothing about that.
          'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
            where r.place_id = s.id and r.rejected_at > now() - interval '30 days'
              and s.status <> 'pending-update' and s.modified_at <= r.rejected_at),
          'subscription_ends_at', case when p.stripe_cus_id is not null then p.subscription_ends_at end,
          -- (The statuses are those of private.subscription_is_live.)
          'paid_by_another', p.stripe_cus_id is null
            and coalesce(s.subscription_status in ('active', 'trialing', 'past_due'), false)
        ) end order by f.n)
        from shown f left join public.places_with_stats s on s.id = f.id
        left join public.places p on p.id = f.id),
          '[]')));
end $function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with me as materialized (
      select private.user_id() as id
    ), listings as (
      select p.*, private.needs_completion(p::public.places, p.owner = (select id from me)) as incomplete,
        p.owner = (select id from me) and private.asks_for_payment(p::public.places) as owes_payment
      from (
        select * from public.places o where o.owner = (select id from me)
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p
    ), jobs as (
      -- While a payment for it is on its way, there is nothing to do.
      select j.* from public.jobs j where j.owner = (select id from me) and j.filled_at is null
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
    ), waiting (rank, kind, id, name, at) as (
      select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
        where l.owes_payment
      union all
      select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
        where coalesce(l.changes_requested, '') <> ''
      union all
      select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
        where l.owner is not null and l.incomplete
      union all
      select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
        where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
          -- As open_order refuses it: no one would see it.
          and exists (select from public.public_jobs v where v.id = j.id)
      union all
      select case when public.preview_job(j.id) ->> 'company_name' is null then 6 else 5 end, 'unpaid-job', j.id,
        j.title, j.created_at from jobs j where not j.paid
      union all
      select 7, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
        where l.state = 'new'
      union all
      select 8, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
    ), lines as (
      select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
      from waiting order by rank, at, id
    )
    select jsonb_build_object(
      'supporter', exists (select from listings l where l.owner = (select id from me) and l.premium and l.status <> 'archived'),
      -- It is granted once (first_month_used). Someone without a listing of their own has it for their first one, unless
      -- they had it for one that has gone to someone else.
      'first_month', exists (select from private.my_first_months())
        or not exists (select from listings l where l.owner = (select id from me))
          and not private.had_first_month(),
      'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' || jsonb_build_object('unpayable', l.rank = 6)
        order by l.rank) from lines l), '[]')));
end $function$;

CREATE INDEX audit_log_states ON public.audit_log USING btree (subject, subject_id, at, id) WHERE private.is_state_change(after);

CREATE OR REPLACE TRIGGER t2_email_new_owner AFTER UPDATE ON public.jobs FOR EACH ROW WHEN ((private.from_api() AND (new.owner IS DISTINCT FROM old.owner))) EXECUTE FUNCTION private.email_new_job_owner();

CREATE OR REPLACE TRIGGER t2_email_owner AFTER UPDATE ON public.jobs FOR EACH ROW WHEN ((private.from_api() AND (new.* IS DISTINCT FROM old.*))) EXECUTE FUNCTION private.email_job_owner();

CREATE OR REPLACE TRIGGER t2_email_owner_of_deleted AFTER DELETE ON public.jobs FOR EACH ROW WHEN (private.from_api()) EXECUTE FUNCTION private.email_owner_of_deleted();

CREATE OR REPLACE TRIGGER t2_email_owner_of_named_listing AFTER UPDATE ON public.jobs FOR EACH ROW WHEN (((new.owner IS NULL) AND (new.place_id IS NOT NULL))) EXECUTE FUNCTION private.email_owner_of_named_listing();

CREATE OR REPLACE TRIGGER t2_email_owner_of_new AFTER INSERT ON public.jobs FOR EACH ROW WHEN (private.from_api()) EXECUTE FUNCTION private.email_new_job_owner();

CREATE OR REPLACE TRIGGER t2_namesakes_of_former_manager AFTER DELETE ON public.listing_managers FOR EACH ROW EXECUTE FUNCTION private.email_namesakes_of_former('profile_id');

CREATE OR REPLACE TRIGGER t5_namesakes_of_former_owner AFTER UPDATE ON public.places FOR EACH ROW WHEN (((new.owner IS NOT NULL) AND (new.owner IS DISTINCT FROM old.owner))) EXECUTE FUNCTION private.email_namesakes_of_former('owner');

CREATE OR REPLACE TRIGGER t2_email_sponsor AFTER UPDATE ON public.sponsorships FOR EACH ROW WHEN ((private.from_api() AND (new.version <> old.version))) EXECUTE FUNCTION private.email_sponsor();

CREATE OR REPLACE TRIGGER t2_email_sponsor_of_new AFTER INSERT ON public.sponsorships FOR EACH ROW WHEN (private.from_api()) EXECUTE FUNCTION private.email_sponsor();

create policy "read own, for own listings, or admin" on public.manager_invitations for select to authenticated
  using ((((email = ( SELECT private.my_email() AS my_email)) AND COALESCE((accepted_by = ( SELECT private.user_id() AS user_id)), (withdrawn_at IS NULL))) OR (((withdrawn_at IS NULL) OR (invited_by = ( SELECT private.user_id() AS user_id))) AND (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))) OR ( SELECT private.is_admin() AS is_admin)));

grant execute on function private.limit_large_change(text,integer) to authenticated;

grant execute on function private.owes_payment(public.places) to authenticated;

grant execute on function private.page_bytes() to authenticated;

set check_function_bodies = on;
