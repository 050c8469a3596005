-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop function private.audit_value(text,jsonb);

CREATE OR REPLACE FUNCTION private.audit_value(key text, value jsonb, is_public boolean)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case
    when key in ('lat', 'long') and jsonb_typeof(value) = 'number'
      then to_jsonb(round((value #>> '{}')::numeric, 1))
    when (key = any (private.withheld_columns()) or not is_public) and value <> 'null'::jsonb then '"[withheld]"'::jsonb
    when key = 'last_update' and jsonb_typeof(value) = 'object' then value - private.withheld_columns()
    else value
  end
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_expiring_job_emails()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(j.owner, null, 'job-expiring',
    'job-expiring:' || j.id || ':' || to_char(j.expiration_date at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS'),
    jsonb_build_object('job_id', j.id, 'title', j.title, 'expiration_date', j.expiration_date,
      'shown', private.job_names_company(j.id)))
  from public.jobs j
  where j.paid and j.published and j.filled_at is null and j.owner is not null
    and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
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
  about constant jsonb := jsonb_build_object('kind', 'upgrade', 'place', is_now.place_id,
    'listing', private.plan_listing_name(is_now.id));
begin
  if is_now.surplus then
    return;
  end if;
  if is_now.status = 'past_due' then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due'));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false)));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcomes text[];
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or bought.kind = 'upgrade' and p.status = 'archived')) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    update public.jobs j set paid = true, published = true,
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

CREATE OR REPLACE FUNCTION private.has_been_public(subject text, found jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(found ->> 'status' in ('published', 'pending-update') or found ->> 'paid' = 'true', false)
    or exists (select from public.audit_log a
      where a.subject = has_been_public.subject and a.subject_id = found ->> 'id'
        and (a.after ->> 'status' = 'published' or a.after ->> 'paid' = 'true'))
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
  with due as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now()
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, case when due.hidden then n.data || '{"hidden": true}' else n.data end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.log_blocked_newsletter()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.log_action(case when new.blocked then 'block' else 'unblock' end, 'sponsorship_dates',
    new.weekday_date::text, jsonb_build_object('blocked', new.blocked));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.log_plan_end(order_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  running text;
begin
  perform private.require_admin();
  select o.stripe_subscription_id into running from public.orders o
    left join public.subscriptions s on s.id = o.stripe_subscription_id
    where o.id = log_plan_end.order_id and coalesce(s.status, '') not in ('canceled', 'incomplete_expired');
  if running is null then
    return false;
  end if;
  perform private.log_action('end-plan', 'subscriptions', running, jsonb_build_object('order_id', log_plan_end.order_id));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.open_order(buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean, days integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  job constant bigint := case when kind = 'job' then item_id end;
  sponsorship constant bigint := case when kind = 'sponsorship' then item_id end;
  place constant bigint := case when kind = 'upgrade' then item_id end;
  amount integer := 1;
  cents integer := unit_price_cents;
  live_days constant integer := case when kind = 'job' then days end;
  -- The provider accepts no end that is less than 30 minutes away, by its clock and when our request arrives.
  checkout_lasts constant interval := interval '32 minutes';
  already_bought boolean;
  discount text := coupon;
  current public.orders;
  is_same boolean;
  not_held jsonb;
  name text;
  dates date[];
begin
  if kind = 'job' and days is null then
    perform private.refuse('order_days_missing');
  elsif kind <> 'job' then
    -- One at a time for each buyer, so that dates held at the same moment are all counted, and so are first
    -- months.
    perform 1 from public.profiles p where p.id = buyer for no key update;
  end if;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false), j.title into already_bought, name
      from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer, p.name, s.sponsorship_dates
      into already_bought, amount, cents, name, dates
      from public.sponsorships s join public.places p on p.id = s.place_id where s.id = sponsorship;
  else
    select p.premium, p.name into already_bought, name from public.places p where p.id = place;
    if private.first_month_used(buyer, place) then
      discount := null;
    end if;
  end if;
  if already_bought is null then
    return jsonb_build_object('refused', 'missing');
  elsif already_bought then
    return jsonb_build_object('refused', case kind when 'upgrade' then 'featured' else 'paid' end);
  elsif amount = 0 then
    return jsonb_build_object('refused', 'no-dates');
  elsif kind = 'job' and not private.job_names_company(job) then
    return jsonb_build_object('refused', 'company-not-public');
  elsif kind = 'upgrade' and exists (select from public.places p where p.id = place and p.status = 'archived') then
    return jsonb_build_object('refused', 'archived');
  end if;

  select * into current from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
      and o.paid_at is null and o.status <> 'canceled'
    for update;
  if current.status = 'processing' then
    return jsonb_build_object('refused', 'processing');
  end if;
  is_same := (current.owner, current.plan, current.quantity, current.days, current.unit_price_cents,
      current.coupon)
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, discount)
    and coalesce(current.item_dates, dates) is not distinct from dates;
  if kind = 'sponsorship' and not (is_same and current.stripe_checkout_session_id is not null
    and coalesce(current.expires_at > now(), false)) then
    not_held := private.hold_spots(sponsorship, buyer);
    if not_held is not null then
      return not_held;
    end if;
  end if;
  if current.id is not null and not is_same then
    update public.orders o set status = 'canceled', seen = o.seen + 1 where o.id = current.id;
    current := null;
  end if;

  if current.id is null then
    insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, coupon, expires_at, item_name, item_dates)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents, discount,
      now() + checkout_lasts, left(name, 300), dates)
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + checkout_lasts, seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + checkout_lasts - interval '30 seconds', true) then
    -- The provider takes the same attempt only with the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + checkout_lasts, seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'coupon', current.coupon,
      'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id)), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
          or (open_order.kind = 'upgrade' and o.kind = 'upgrade' and o.owner = buyer and o.id <> current.id
            and o.coupon = current.coupon))
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $function$;

CREATE OR REPLACE FUNCTION private.queue_lengths()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  migration text;
begin
  -- The CLI's own table, which a database that was made without it lacks.
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(version) from supabase_migrations.schema_migrations' into migration;
  end if;
  return jsonb_build_object('migration', migration, 'queues', jsonb_build_object(
    'emails_due', (select count(*) from private.due_emails),
    'spots_held', (select count(*) from public.sponsorship_spots s where s.held_until > now()),
    'deletions_due', (select count(*) from private.account_deletions d where d.due_at <= now()),
    'refunds_open', (select count(*) from public.refunds r where r.status in ('requested', 'pending', 'failed'))));
end $function$;

CREATE OR REPLACE FUNCTION private.retry_refund(refund_id uuid, max_attempts integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  failed public.refunds;
begin
  select r.* into failed from public.refunds r where r.id = refund_id and r.status = 'failed'
    and r.attempt < least(max_attempts, 20) for update;
  perform 1 from public.payments p where p.id = failed.payment_id for update;
  -- Only now, since a caller who waited may not be an admin any more.
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  if failed.id is null then
    return false;
  end if;
  if private.refundable_cents(failed.payment_id) < failed.cents then
    return false;
  end if;
  perform set_config('app.audit_action', 'retry-refund', true);
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, modified_at = now()
    where r.id = failed.id;
  perform set_config('app.audit_action', '', true);
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.texts_withheld_until_public()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select '{description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, pay_range, ally_safety,
    company_name, company_bio, promo_text, link, location, photo_location}'::text[]
$function$;

CREATE OR REPLACE FUNCTION private.write_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  only_keys text[] := nullif(coalesce(tg_argv[0], ''), '')::text[];
  skip_keys constant text[] := array['version', 'modified_at', 'created_at', 'name_search',
    'full_name_search', 'email_search'];
  -- A function that makes a decision names it in app.audit_action; otherwise it is the statement.
  action_name text := coalesce(nullif(current_setting('app.audit_action', true), ''), lower(tg_op));
  acting_user uuid := auth.uid();
  acting_role text := coalesce(nullif(auth.role(), ''), 'system');
  -- Only for these columns is it asked whether a row has been public, which may take a look-up.
  texts constant text[] := case when tg_table_name in ('places', 'jobs', 'sponsorships')
    then private.texts_withheld_until_public() else '{}' end;
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key,
          k.key <> all (texts) or private.has_been_public(tg_table_name, o.j))) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) as after
      from jsonb_each(n.j) k
      where k.value is distinct from o.j -> k.key and k.key <> all (skip_keys)
        and (only_keys is null or k.key = any (only_keys))
    ) changed
    where changed.after is not null
    order by n.id;
  elsif tg_op = 'INSERT' then
    with n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select acting_user, acting_role, action_name, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, o.j))) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.log_plan_end(order_id uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.log_plan_end(order_id) $function$;

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
    COALESCE(p.hidden, false) AS hidden
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON ((p.id = n.place_id)))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner)) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND private.wants_email(u.id, n.kind));

CREATE OR REPLACE TRIGGER t2_log_blocked_insert AFTER INSERT ON public.sponsorship_dates FOR EACH ROW WHEN (new.blocked) EXECUTE FUNCTION private.log_blocked_newsletter();

CREATE OR REPLACE TRIGGER t2_log_blocked_update AFTER UPDATE OF blocked ON public.sponsorship_dates FOR EACH ROW WHEN ((new.blocked <> old.blocked)) EXECUTE FUNCTION private.log_blocked_newsletter();

grant execute on function private.log_plan_end(uuid) to authenticated;

grant execute on function private.retry_refund(uuid,integer) to authenticated;

grant execute on function public.log_plan_end(uuid) to authenticated;

grant execute on function public.retry_refund(uuid,integer) to authenticated;

set check_function_bodies = on;
