-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.take_account_email(text) from service_role;

revoke execute on function public.request_refund(uuid,text,bigint,text,text) from authenticated;

revoke execute on function private.take_account_email(text) from service_role;

revoke execute on function private.request_refund(uuid,text,bigint,text,text) from authenticated;

alter table public.orders drop constraint orders_receipt_url_check;

alter table private.email_queue drop constraint email_has_one_recipient;

drop function public.take_account_email(text);

drop function public.request_refund(uuid,text,bigint,text,text);

drop function private.take_account_email(text);

drop function private.request_refund(uuid,text,bigint,text,text);

drop function private.add_refund(text,bigint,text,text,uuid);

-- No page shows it: a receipt is fetched when it is opened.
alter table public.orders drop column receipt_url;

alter table private.email_queue add column address text;

CREATE OR REPLACE FUNCTION private.add_refund(payment text, cents bigint, reason text, note text DEFAULT NULL::text, requested_by uuid DEFAULT NULL::uuid, refund_id uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  left_cents bigint;
  added uuid;
begin
  perform 1 from public.payments p where p.id = payment for update;
  left_cents := private.refundable_cents(payment);
  if coalesce(left_cents, 0) <= 0 then
    return null;
  elsif cents > left_cents then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  insert into public.refunds (id, payment_id, cents, reason, note, requested_by)
    values (coalesce(add_refund.refund_id, gen_random_uuid()), payment, coalesce(add_refund.cents, left_cents),
      add_refund.reason, add_refund.note, add_refund.requested_by)
    returning id into added;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION private.cancel_sponsorship_dates(sponsorship_id bigint, dates date[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  item public.sponsorships;
  bought public.orders;
  paid public.payments;
  wanted date[];
  before integer;
  share bigint;
begin
  perform private.lock_order_item(null, cancel_sponsorship_dates.sponsorship_id, null);
  select * into item from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id();
  select * into bought from public.orders o
    where o.sponsorship_id = item.id and o.owner = private.user_id() and o.paid_at is not null
      and o.refund_reason is null
    order by o.paid_at desc limit 1 for update;
  if item.id is null then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif bought.id is null then
    perform private.refuse('sponsorship_not_paid');
  end if;
  select coalesce(array_agg(distinct s.weekday_date), '{}') into wanted from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (dates);
  if cardinality(wanted) = 0 or cardinality(wanted) < (select count(distinct d) from unnest(dates) d) then
    perform private.refuse('dates_not_booked', 'dates');
  elsif exists (select from unnest(wanted) d where d < private.today() + private.cancellation_days()) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('payment_disputed');
  end if;
  select count(*) into before from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null;

  delete from public.sponsorship_spots s where s.sponsorship_id = item.id and s.weekday_date = any (wanted);
  update public.sponsorships s
    set sponsorship_dates = array(select d from unnest(s.sponsorship_dates) d where d <> all (wanted) order by d),
      paid = cardinality(wanted) < before
    where s.id = item.id;
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  share := least(share, private.refundable_cents(paid.id));
  if share > 0 then
    perform set_config('app.audit_action', 'cancel-dates', true);
    perform private.add_refund(paid.id, share, 'canceled', null, private.user_id());
    perform set_config('app.audit_action', '', true);
  end if;
  -- With its last date, all that it had bought is revoked.
  update public.orders o set seen = o.seen + 1, revoked_at = case when cardinality(wanted) = before then now() end
    where o.id = bought.id;
  return bought.id;
end $function$;

CREATE OR REPLACE FUNCTION private.create_recovery_codes()
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  codes text[];
  had_codes boolean;
begin
  -- One after the other: two requests at once would leave two sets. Rights are asked after the wait.
  perform 1 from public.profiles p where p.id = private.user_id() for no key update;
  perform private.require_recent_second_step();
  delete from private.recovery_codes c where c.user_id = private.user_id();
  had_codes := found;
  select array_agg(regexp_replace(left(hex, 12) || right(hex, 3), '(.....)(.....)', '\1-\2-')) into codes
    from (select replace(gen_random_uuid()::text, '-', '') as hex from generate_series(1, 10)) random;
  insert into private.recovery_codes (user_id, code_hash)
    select private.user_id(), private.recovery_code_hash(code) from unnest(codes) code;
  if had_codes then
    perform private.report_second_step(private.user_id(), 'new-codes', private.user_id());
  end if;
  return codes;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into private.email_queue (address, kind, key, data)
  values (enqueue_account_email.address, enqueue_account_email.kind, enqueue_account_email.key, enqueue_account_email.data)
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, s.place_id, 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      jsonb_build_object('place', s.place_id, 'cents', s.cents, 'months', s.months, 'at', s.period_to,
        'listing', private.plan_listing_name(s.id)))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and s.period_to > now() and s.period_to <= now() + interval '7 days'
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
      about || jsonb_build_object('ends_at', is_now.ends_at));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false)));
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
  -- If two admins delete each other, the second one waits here.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  if private.is_last_admin(user_id) then
    perform private.refuse('last_admin');
  end if;
  select lower(u.email) into user_email from auth.users u where u.id = erase_user.user_id for update;
  if not found then
    return false;
  end if;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email
    order by p.id for no key update;
  -- Edits of theirs that were rejected, and rejected edits that contain their address.
  delete from public.rejected_edits r using public.places p
    where p.id = r.place_id and (p.owner = erase_user.user_id or lower(r.edit ->> 'public_email') = user_email);
  -- (With its owner, a listing or a job loses its owner_email, whatever it is: guard_place, guard_job.)
  update public.places p set
      owner = case when p.owner <> erase_user.user_id then p.owner end,
      owner_email = case when p.owner_email <> user_email then p.owner_email end,
      public_email = case when lower(p.public_email) <> user_email then p.public_email end,
      mailingaddress = case when p.owner <> erase_user.user_id then p.mailingaddress end,
      last_update = case when lower(p.last_update ->> 'public_email') = user_email
          then p.last_update || '{"public_email": null}' else p.last_update end
        - case when p.owner = erase_user.user_id then array['mailingaddress'] else '{}' end
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email;
  update public.jobs j set
      owner = case when j.owner <> erase_user.user_id then j.owner end,
      owner_email = case when j.owner_email <> user_email then j.owner_email end
    where j.owner = erase_user.user_id or j.owner_email = user_email;
  -- What decisions on listings of others would restore. (On their own: end_ownership.)
  update private.decision_rows r set before = r.before
      || case when lower(r.before ->> 'public_email') = user_email then '{"public_email": null}' else '{}'::jsonb end
      || case when lower(r.before #>> '{last_update,public_email}') = user_email
        then jsonb_build_object('last_update', r.before -> 'last_update' || '{"public_email": null}') else '{}' end
    where lower(r.before ->> 'public_email') = user_email
      or lower(r.before #>> '{last_update,public_email}') = user_email;
  delete from public.leads l where lower(l.requester_email) = user_email;
  delete from private.email_queue q where q.address <> '' and (q.address = user_email
    or q.data ->> 'user' = erase_user.user_id::text);
  -- What admins wrote about refunds of theirs. (The refunds remain: they are in the books.)
  update public.refunds r set note = null from public.payments p
    where p.id = r.payment_id and p.owner = erase_user.user_id and r.note is not null;
  delete from public.manager_invitations i where i.email = user_email or i.accepted_by = erase_user.user_id;
  -- Saved views of admins that contain their address.
  delete from public.saved_views v where strpos(lower(v.name || v.filter::text), user_email) > 0;
  delete from auth.users u where u.id = erase_user.user_id;
  -- The auth service's own log of sign-ins, where it is in the database and we may delete from it.
  if has_table_privilege('auth.audit_log_entries', 'delete') then
    delete from auth.audit_log_entries e
      where e.payload ->> 'actor_id' = erase_user.user_id::text
        or lower(e.payload ->> 'actor_username') = user_email;
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.first_month_used(buyer uuid, place bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.orders o
    where o.kind = 'upgrade' and o.coupon is not null and o.refund_reason is null
      and (o.paid_at is not null or o.status = 'processing')
      and (o.owner = buyer or o.place_id = place))
$function$;

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
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
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
    elsif old.owner is not null and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in guard_place.
      new.owner_email := case when api then private.account_email(new.owner) end;
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
    elsif new.expiration_date > coalesce(old.expiration_date, '-infinity') then
      -- An owner who pays for more days is hiring again.
      new.filled_at := null;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns then
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
    return old;
  end if;
  new := private.with_one_line(new, 'link', 'location', 'photo_location');
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
    if by_owner then
      new.owner := old.owner;
    end if;
    if api then
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

CREATE OR REPLACE FUNCTION private.installed_migrations()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if to_regclass('supabase_migrations.schema_migrations') is null then
    return '{}';
  end if;
  return (select coalesce(array_agg(m.version order by m.version), '{}') from supabase_migrations.schema_migrations m);
end $function$;

CREATE OR REPLACE FUNCTION private.keeps_featured(sub public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.subscription_is_live(sub.status)
    and not exists (select from public.orders o where o.id = sub.order_id and o.paid_at is null)
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
    select n.id, f.id as user_id, f.full_name,
      i.id is not null or coalesce(f.discreet, (select a.discreet from public.profiles a
        where n.address is not null and a.id::text = n.data ->> 'user'), false) as discreet,
      coalesce(n.address, i.email, lower(u.email), case when p.owner is null then p.owner_email end) as email
    from private.email_queue n
    left join public.manager_invitations i on i.id = n.invitation_id
      and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
    left join public.places p on p.id = n.place_id
    left join auth.users u on u.id = coalesce(n.recipient, p.owner)
      and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    left join public.profiles f on f.id = u.id
    where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
      and (n.address is not null or i.id is not null or u.id is not null
        or (p.owner is null and p.owner_email is not null))
      and (n.kind <> 'listing-approved' or p.status in ('published', 'pending-update'))
      and private.wants_email(u.id, n.kind)
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data, n.attempts, due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.mark_email_sent(id uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set sent_at = now(), data = '{}', address = case when n.address is not null then '' end
  where n.id = mark_email_sent.id and n.sent_at is null
$function$;

CREATE OR REPLACE FUNCTION private.my_data_parts()
 RETURNS TABLE(key text, relation regclass, condition text, columns text[])
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  values
    ('profile', 'public.profiles'::regclass, 'r.id = $1', '{id, full_name, phone, email, pronouns, postalcode,
      opted_in, sms_opted_in, business_owner, admin, supporter, discreet, favorites_count, stripe_customer_id,
      created_at, modified_at}'::text[]),
    ('position', 'private.user_positions', 'r.user_id = $1', '{lat, long}'),
    ('consents', 'public.consents', 'r.user_id = $1', '{channel, granted, text_version, page, at}'),
    ('listings', 'public.places', 'r.owner = $1', '{id, status, hidden, archive_requested, owner_email, premium,
      premium_created_at, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested,
      version, created_at, modified_at, leads_from}'::text[] || private.reviewed_columns()),
    -- Without an owner, and with the caller's address as owner_email.
    ('listings_to_claim', 'public.places', 'r.owner is null and r.owner_email = $2',
      '{id, name, city, state, status, owner_email, created_at}'),
    ('drafts', 'public.listing_drafts', 'r.owner = $1', '{id, fields, created_at, updated_at}'),
    ('rejected_changes', 'public.rejected_edits',
      'exists (select from public.places p where p.id = r.place_id and p.owner = $1)',
      '{place_id, rejected_at, reason, edit}'),
    ('managing', 'public.listing_managers', 'r.profile_id = $1', '{place_id, since}'),
    ('managers_i_invited', 'public.listing_managers', 'r.invited_by = $1', '{place_id, since}'),
    ('invitations_to_me', 'public.manager_invitations', 'r.email = $2 or r.accepted_by = $1',
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
      item_dates}'),
    ('subscriptions', 'public.subscriptions', 'r.owner = $1', '{id, place_id, order_id, stripe_customer_id, status,
      started_at, ends_at, created_at, modified_at, plan, cents, months, period_from, period_to, canceled_at,
      next_attempt_at}'),
    ('payments', 'public.payments', 'r.owner = $1', '{id, kind, reason, order_id, subscription_id, cents, tax_cents,
      refunded_cents, currency, invoice_id, invoice_number, period_from, period_to, paid_at, dispute, disputed_cents,
      disputed_at, dispute_closed_at}'),
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
    ('account_deletion', 'private.account_deletions', 'r.user_id = $1', '{requested_at, due_at}'),
    -- An admin's work.
    ('searches_i_saved', 'public.saved_views', 'r.owner = $1', '{id, name, filter, created_at}'),
    ('reviews', 'private.review_locks', 'r.admin = $1', '{place_id, since, until}'),
    ('refunds_i_requested', 'public.refunds', 'r.requested_by = $1', '{id, payment_id, cents, note, created_at}'),
    ('decisions', 'private.decision_batches', 'r.admin = $1', '{id, action, reason, decided_at, undone_at}'),
    ('what_i_did', 'public.audit_log', 'r.actor = $1', '{id, at, action, subject, subject_id}'),
    ('changes_of_my_profile', 'public.audit_log', 'r.subject = ''profiles'' and r.subject_id = $1::text',
      '{id, at, action, before, after}')
$function$;

CREATE OR REPLACE FUNCTION private.my_plan(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.owner = private.user_id()
      then jsonb_build_object('mine', true, 'status', s.status, 'live', private.subscription_is_live(s.status),
        'plan', s.plan, 'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
        'next_attempt_at', s.next_attempt_at, 'subscription', s.id,
        'paid', not exists (select from public.orders o where o.id = s.order_id and o.paid_at is null))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and private.subscription_is_live(s.status)
$function$;

CREATE OR REPLACE FUNCTION private.plan_listing_name(subscription text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when p.owner = s.owner then p.name else coalesce(o.item_name, 'a listing') end
    from public.subscriptions s join public.places p on p.id = s.place_id
    left join public.orders o on o.id = s.order_id
    where s.id = subscription
$function$;

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
    'emails_due', (select count(*) from private.email_queue n
      where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'),
    'spots_held', (select count(*) from public.sponsorship_spots s where s.held_until > now()),
    'deletions_due', (select count(*) from private.account_deletions d where d.due_at <= now()),
    'refunds_open', (select count(*) from public.refunds r where r.status in ('requested', 'pending', 'failed'))));
end $function$;

CREATE OR REPLACE FUNCTION private.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb, event jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '700ms'
AS $function$
declare
  session constant jsonb := nullif(facts -> 'session', 'null');
  state constant text := session ->> 'state';
  sub constant jsonb := nullif(facts -> 'subscription', 'null');
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  featured_changed boolean := false;
  payments_changed boolean := false;
  dispute text;
begin
  if order_id is not null then
    select * into was from public.orders o where o.id = order_id;
    perform private.lock_order_item(was.job_id, was.sponsorship_id, was.place_id);
    select * into was from public.orders o where o.id = order_id for update;
    place := was.place_id;
  else
    select coalesce(
        (select s.place_id from public.subscriptions s where s.id = subscription_id),
        (select p.id from public.places p where p.stripe_subscription_id = subscription_id)) into place;
    perform private.lock_order_item(null, null, place);
  end if;
  select * into sub_was from public.subscriptions s
    where s.id = coalesce(sub ->> 'id', subscription_id) for update;
  if coalesce(was.seen, sub_was.seen, 0) <> seen then
    return jsonb_build_object('again', true);
  end if;
  if event is not null then
    insert into public.stripe_events (id, type, object_id, created_at)
    values (event ->> 'id', event ->> 'type', event ->> 'object', to_timestamp((event ->> 'created')::bigint))
    on conflict do nothing;
  end if;

  now_is := was;
  if session is not null and was.stripe_checkout_session_id is distinct from session ->> 'id' then
    if state <> 'paid' then
      -- An earlier checkout that the order no longer uses.
      is_current := false;
    elsif was.paid_at is null then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid', 'paid-twice', now(), session ->> 'id',
        was.item_name, was.item_dates)
      returning * into was;
      now_is := was;
    end if;
  end if;

  if session is not null and is_current then
    now_is.stripe_customer_id := coalesce(session ->> 'customer', now_is.stripe_customer_id);
    now_is.stripe_payment_intent_id := coalesce(session ->> 'payment_intent',
      now_is.stripe_payment_intent_id);
    now_is.stripe_subscription_id := coalesce(sub ->> 'id', now_is.stripe_subscription_id);
    if state <> 'open' then
      now_is.expires_at := null;
    end if;
    if state = 'paid' then
      now_is.amount_paid_cents := (session ->> 'paid_cents')::bigint;
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          -- Other open orders for the same item must not be paid any more.
          update public.orders o set status = 'canceled', seen = o.seen + 1
            where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id
              or o.place_id = was.place_id)
              and o.id <> was.id and o.paid_at is null and o.status <> 'canceled';
          perform private.enqueue_email(was.owner, null, 'order-receipt', 'order-receipt:' || was.id,
            jsonb_build_object(
            'order', was.id, 'kind', was.kind, 'quantity', was.quantity, 'cents', now_is.amount_paid_cents,
            'receipt_url', session ->> 'receipt_url'));
        end if;
      end if;
    elsif was.paid_at is null and was.status <> 'canceled' then
      now_is.status := state;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif state in ('expired', 'failed') and was.status <> state then
        if was.sponsorship_id is not null then
          delete from public.sponsorship_spots s where s.sponsorship_id = was.sponsorship_id
            and s.held_until is not null;
          if was.status = 'processing' then
            -- They were held until now, so holding them again renews that.
            insert into private.newsletter_holds (place_id, weekday_date, held_until)
            select s.place_id, d, now() from public.sponsorships s, unnest(s.sponsorship_dates) d
            where s.id = was.sponsorship_id
            on conflict (place_id, weekday_date) do update set held_until = excluded.held_until;
          end if;
        end if;
        -- A plan that ended unpaid has had its emails.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      now_is.refund_reason is not null, 1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz)
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at)
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
    end if;
  end if;

  if now_is.paid_at is not null or (now_is.id is null and sub is not null) then
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      coalesce(facts -> 'payments', '[]'));
  end if;
  if now_is.paid_at is not null and exists (select from public.payments p where p.order_id = now_is.id) then
    if now_is.refund_reason is not null then
      perform private.add_refund(p.id, null, now_is.refund_reason) from public.payments p
        where p.order_id = now_is.id and p.cents > 0 and p.dispute is distinct from 'open'
          and p.dispute is distinct from 'lost'
          -- One that failed is tried again, and not made a second time.
          and not exists (select from public.refunds r where r.payment_id = p.id and r.status = 'failed');
    end if;
    select coalesce(sum(p.refunded_cents), 0),
        case when bool_or(p.dispute = 'lost') then 'lost' when bool_or(p.dispute = 'open') then 'open' end
      into now_is.amount_refunded_cents, dispute
      from public.payments p where p.order_id = now_is.id and p.reason = 'purchase';
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when dispute is not null then 'disputed'
      else 'paid' end;
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or dispute = 'lost') then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null or payments_changed) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen,
        amount_paid_cents = now_is.amount_paid_cents, amount_refunded_cents = now_is.amount_refunded_cents,
        refund_reason = now_is.refund_reason, revoked_at = now_is.revoked_at,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  elsif now_is.id is null and payments_changed and sub_now.id is null then
    update public.subscriptions s set seen = s.seen + 1 where s.id = subscription_id;
  end if;
  -- Only now, since it depends on whether the order is paid.
  if sub is not null and place is not null then
    featured_changed := private.update_featured(place);
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed or payments_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'refund_failed', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = now_is.id and r.status = 'failed'),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
end $function$;

CREATE OR REPLACE FUNCTION private.record_payments(of_order public.orders, of_subscription text, facts jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  payer constant uuid := coalesce(of_order.owner,
    (select s.owner from public.subscriptions s where s.id = of_subscription));
  known_subscription constant text := (select s.id from public.subscriptions s where s.id = of_subscription);
  fact jsonb;
  before public.payments;
  after public.payments;
  about jsonb;
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
    select * into before from public.payments p where p.id = fact ->> 'id' for update;
    insert into public.payments as p (id, kind, reason, owner, order_id, subscription_id, cents, tax_cents, currency,
      invoice_id, invoice_number, period_from, period_to, paid_at)
    values (fact ->> 'id', coalesce(of_order.kind, 'upgrade'), fact ->> 'reason', payer, of_order.id,
      known_subscription, (fact ->> 'cents')::bigint, coalesce((fact ->> 'tax_cents')::bigint, 0), fact ->> 'currency',
      fact ->> 'invoice', fact ->> 'number', (fact ->> 'period_from')::timestamptz,
      (fact ->> 'period_to')::timestamptz, (fact ->> 'paid_at')::timestamptz)
    on conflict (id) do nothing;
    if jsonb_typeof(fact -> 'refunds') = 'array' then
      perform private.record_refunds(fact ->> 'id', fact -> 'refunds');
    end if;
    update public.payments p set
        refunded_cents = least(p.cents, coalesce((select sum(r.cents) from public.refunds r
          where r.payment_id = p.id and r.status in ('pending', 'succeeded')), 0)),
        dispute = fact -> 'dispute' ->> 'state',
        disputed_cents = coalesce((fact -> 'dispute' ->> 'cents')::bigint, 0),
        disputed_at = (fact -> 'dispute' ->> 'opened_at')::timestamptz,
        -- The provider does not say when it was closed.
        dispute_closed_at = case when fact -> 'dispute' ->> 'state' in ('won', 'lost')
          then coalesce(p.dispute_closed_at, now()) end
      where p.id = fact ->> 'id' returning * into after;
    any_changed := any_changed or after is distinct from before;
    if before.id is null and after.reason <> 'purchase' and after.paid_at > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from,
        'to', after.period_to, 'listing', private.plan_listing_name(of_subscription));
      if after.reason = 'renewal' then
        perform private.enqueue_email(payer, null, 'subscription-renewed', 'subscription-renewed:' || after.id, about);
      else
        perform private.enqueue_email(payer, null, 'plan-changed', 'plan-changed:' || after.id, about);
      end if;
    end if;
    if after.dispute = 'open' and before.dispute is distinct from 'open' then
      perform private.enqueue_team_email('payment-disputed', 'payment-disputed:' || after.id,
        jsonb_build_object('order', after.order_id, 'kind', after.kind, 'cents', after.disputed_cents));
    end if;
  end loop;
  return any_changed;
end $function$;

CREATE OR REPLACE FUNCTION private.record_refunds(payment text, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  fact jsonb;
  known public.refunds;
  after public.refunds;
  paid public.payments;
begin
  select * into paid from public.payments p where p.id = payment;
  for fact in select * from jsonb_array_elements(facts) loop
    select * into known from public.refunds r where r.stripe_id = fact ->> 'id';
    if known.id is null and fact ->> 'refund' is not null then
      select * into known from public.refunds r where r.id::text = fact ->> 'refund' and r.payment_id = payment;
      -- The answer to an attempt that failed before.
      continue when known.id is not null
        and (known.stripe_id is not null or known.attempt > coalesce((fact ->> 'attempt')::integer, 1));
    end if;
    if known.id is null then
      insert into public.refunds (payment_id, stripe_id, cents, status, reason, made_at, failed_at)
      values (payment, fact ->> 'id', (fact ->> 'cents')::bigint, fact ->> 'status', 'elsewhere',
        (fact ->> 'made_at')::timestamptz, case when fact ->> 'status' = 'failed' then now() end)
      returning * into after;
    else
      update public.refunds r set stripe_id = fact ->> 'id', status = fact ->> 'status', modified_at = now(),
          made_at = (fact ->> 'made_at')::timestamptz,
          failed_at = case when fact ->> 'status' = 'failed' then now() else r.failed_at end
        where r.id = known.id and (r.stripe_id, r.status) is distinct from (fact ->> 'id', fact ->> 'status')
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      perform private.enqueue_email(paid.owner, null, 'payment-returned',
        format('payment-returned:%s:%s', paid.order_id, after.id),
        jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
    end if;
  end loop;
  update public.refunds r set status = 'canceled', modified_at = now()
    where r.payment_id = payment and r.status in ('requested', 'failed')
      and r.cents > paid.cents - coalesce((select sum(o.cents) from public.refunds o
        where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
end $function$;

CREATE OR REPLACE FUNCTION private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid public.payments;
  added uuid;
begin
  select * into paid from public.payments p where p.id = request_refund.payment_id for update;
  -- Only now, since a caller who waited may not be an admin any more.
  perform private.require_admin();
  if paid.id is null or paid.order_id is distinct from request_refund.order_id then
    perform private.refuse('refund_other_order');
  elsif exists (select from public.refunds r where r.id = request_refund.refund_id and r.payment_id = paid.id) then
    return request_refund.refund_id;
  elsif paid.currency <> request_refund.currency then
    perform private.refuse('refund_other_currency');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('payment_disputed');
  elsif coalesce(cents, 0) <= 0 then
    perform private.refuse('refund_amount_missing', 'amount');
  elsif coalesce(length(btrim(note)), 0) not between 1 and 500 then
    perform private.refuse('refund_reason_missing', 'note');
  end if;
  perform set_config('app.audit_action', 'refund', true);
  added := private.add_refund(paid.id, request_refund.cents, 'team', btrim(request_refund.note), private.user_id(),
    request_refund.refund_id);
  perform set_config('app.audit_action', '', true);
  if added is null then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  update public.orders o set seen = o.seen + 1 where o.id = request_refund.order_id;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION private.revoke_order(bought public.orders)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid_again boolean;
begin
  if bought.kind = 'job' then
    paid_again := exists (select 1 from public.orders o where o.job_id = bought.job_id and o.id <> bought.id
      and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null);
    -- Its days are removed. A job without other days is unpaid again.
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.ends_at end
      from (
        select o.id, o.expiration_date - make_interval(days => bought.days) as ends_at,
          paid_again or o.expiration_date - make_interval(days => bought.days) > bought.paid_at as live
        from public.jobs o where o.id = bought.job_id
      ) rest
      where j.id = rest.id and j.paid;
  elsif bought.kind = 'sponsorship' and not exists (select from public.orders o
      where o.sponsorship_id = bought.sponsorship_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null) then
    -- Newsletters that were sent keep their sponsor. Spots in future ones are free again. (Those of another order,
    -- which paid for new dates after these were canceled, are not its to revoke.)
    perform 1 from public.sponsorship_dates d where d.weekday_date in
      (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id)
      order by d.weekday_date for update;
    delete from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id
      and s.weekday_date > private.today();
    update public.sponsorships s set paid = false where s.id = bought.sponsorship_id and s.paid;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.take_account_email(email text, purpose text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
  known constant boolean := exists (select from auth.users u where u.email = address and not u.is_sso_user);
  few constant boolean := (known or purpose <> 'recovery')
    and private.take_rate_token('account email to ' || address, 3, 3600) = 0;
begin
  return (few or (purpose = 'sign-up' and not known))
    and (mailbox = address or private.take_rate_token('account emails to ' || mailbox, 10, 3600) = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.update_featured(place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.places p set premium = s.featured, premium_created_at = s.started_at,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when s.live then s.ends_at end
  from (
    select f.*, private.keeps_featured(f) as featured, private.subscription_is_live(f.status) as live
    from public.subscriptions f
    where f.place_id = place and not f.surplus and f.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(f.status) desc, f.started_at desc, f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (s.featured, s.started_at,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when s.live then s.ends_at end);
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.withheld_columns()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select '{owner_email, public_email, email, phone, full_name, mailingaddress, rawaddress, address, postalcode,
    lat, long, note, changes_requested}'::text[]
$function$;

CREATE OR REPLACE FUNCTION public.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.enqueue_account_email(address, kind, key, data) $function$;

CREATE OR REPLACE FUNCTION public.installed_migrations()
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.installed_migrations() $function$;

CREATE OR REPLACE FUNCTION public.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.my_plans_of_others() $function$;

CREATE OR REPLACE FUNCTION public.queue_lengths()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.queue_lengths() $function$;

CREATE OR REPLACE FUNCTION public.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.request_refund(order_id, payment_id, cents, currency, note, refund_id) $function$;

CREATE OR REPLACE FUNCTION public.take_account_email(email text, purpose text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.take_account_email(email, purpose) $function$;

CREATE OR REPLACE FUNCTION public.unprotected_relations()
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select coalesce(array_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname), '{}')
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relrowsecurity)
    or (n.nspname = 'public' and c.relkind in ('m', 'f'))
    or (n.nspname = 'public' and c.relkind = 'v' and not coalesce(
      (select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o
       where o.option_name = 'security_invoker'), false))
$function$;

alter table private.email_queue add constraint email_has_one_recipient CHECK ((num_nonnulls(recipient, place_id, invitation_id, address) = 1));

alter table private.email_queue add constraint email_queue_address_check CHECK ((length(address) <= 320));

CREATE INDEX email_queue_address ON private.email_queue USING btree (created_at) WHERE (address <> ''::text);

CREATE OR REPLACE TRIGGER t1_guard BEFORE INSERT OR DELETE OR UPDATE ON public.jobs FOR EACH ROW EXECUTE FUNCTION private.guard_job();

CREATE OR REPLACE TRIGGER t1_guard BEFORE INSERT OR DELETE OR UPDATE ON public.sponsorships FOR EACH ROW EXECUTE FUNCTION private.guard_sponsorship();

grant execute on function private.enqueue_account_email(text,text,text,jsonb) to service_role;

grant execute on function private.installed_migrations() to service_role;

grant execute on function private.my_plans_of_others() to authenticated;

grant execute on function private.queue_lengths() to service_role;

grant execute on function private.request_refund(uuid,text,bigint,text,text,uuid) to authenticated;

grant execute on function private.take_account_email(text,text) to service_role;

grant execute on function public.enqueue_account_email(text,text,text,jsonb) to service_role;

grant execute on function public.installed_migrations() to service_role;

grant execute on function public.my_plans_of_others() to authenticated;

grant execute on function public.queue_lengths() to service_role;

grant execute on function public.request_refund(uuid,text,bigint,text,text,uuid) to authenticated;

grant execute on function public.take_account_email(text,text) to service_role;

grant execute on function public.unprotected_relations() to service_role;

set check_function_bodies = on;
