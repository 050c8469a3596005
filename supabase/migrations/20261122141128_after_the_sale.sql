-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

-- By hand: dates that are none, which the checks below refuse.
update public.sponsorships set sponsorship_dates = array(select d from unnest(sponsorship_dates) d
  where isfinite(d) and d <= '9999-12-31')
  where exists (select from unnest(sponsorship_dates) d where not isfinite(d) or d > '9999-12-31');
delete from public.sponsorship_spots where not isfinite(weekday_date);
delete from private.newsletter_holds where not isfinite(weekday_date);
delete from public.sponsorship_dates where not isfinite(weekday_date);
update public.places set premium_created_at = null where not isfinite(premium_created_at);

set check_function_bodies = off;

drop policy "expect one row" on public.sponsorship_spots;

drop policy "read for featured listings, or admin" on public.place_stats;

drop policy "read own, for own listings, or admin" on public.manager_invitations;

drop policy "update for owned or managed listings" on public.leads;

drop policy "read for owned or managed listings" on public.leads;

drop policy "insert for public listings" on public.leads;

drop policy "insert own" on public.favorites;

drop policy "insert for public listings" on public.events;

drop policy "expect one row" on public.email_preferences;

drop view public.public_jobs;

drop view private.public_jobs;

drop view private.jobs_as_public;

drop view public.managed_places;

drop view private.managed_places;

drop view public.public_places;

drop view private.public_places;

drop view private.former_leads;

alter table public.sponsorships drop constraint sponsorships_promo_text_check;

alter table public.orders drop constraint orders_sponsorship_id_fkey;

alter table public.orders drop constraint orders_refund_reason_check;

alter table public.orders drop constraint orders_job_id_fkey;

alter table public.orders drop constraint order_names_what_it_is_for;

alter table private.settings drop constraint settings_name_check;

drop function public.search_users(text,integer);

drop function private.search_users(text,integer);

create table public.payments (
  id text not null,
  kind text not null,
  reason text not null,
  owner uuid,
  order_id uuid,
  subscription_id text,
  cents bigint not null,
  tax_cents bigint default 0 not null,
  refunded_cents bigint default 0 not null,
  currency text not null,
  invoice_id text,
  invoice_number text,
  period_from timestamp with time zone,
  period_to timestamp with time zone,
  paid_at timestamp with time zone not null,
  dispute text,
  disputed_cents bigint default 0 not null,
  disputed_at timestamp with time zone,
  dispute_closed_at timestamp with time zone,
  created_at timestamp with time zone default now() not null
);

create table public.refunds (
  id uuid default gen_random_uuid() not null,
  payment_id text not null,
  stripe_id text,
  cents bigint not null,
  status text default 'requested'::text not null,
  reason text not null,
  note text,
  requested_by uuid,
  attempt integer default 1 not null,
  made_at timestamp with time zone,
  failed_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  modified_at timestamp with time zone default now() not null
);

alter table private.settings add column days integer;

alter table private.sign_ups alter column proof drop not null;

alter table private.sign_ups add column password text;

alter table private.sign_ups add column answers jsonb default '{}'::jsonb not null;

alter table public.orders add column item_name text;

alter table public.orders add column item_dates date[];

alter table public.subscriptions add column plan text;

alter table public.subscriptions add column cents bigint;

alter table public.subscriptions add column months integer;

alter table public.subscriptions add column period_from timestamp with time zone;

alter table public.subscriptions add column period_to timestamp with time zone;

alter table public.subscriptions add column canceled_at timestamp with time zone;

alter table public.subscriptions add column next_attempt_at timestamp with time zone;

CREATE OR REPLACE FUNCTION private.accept_consents(user_id uuid, answers jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  page constant text := left(coalesce(answers ->> 'consent_page', ''), 500);
  by_email constant boolean := coalesce(answers ->> 'opted_in', '') = 'true';
  by_sms constant boolean := coalesce(answers ->> 'sms_opted_in', '') = 'true';
begin
  if page = '' and not by_email and not by_sms then
    return;
  end if;
  perform set_config('app.consent_text', left(coalesce(answers ->> 'consent_text_version', ''), 100), true),
    set_config('app.consent_page', page, true),
    set_config('app.consent_form', case when page <> '' then 'yes' else '' end, true);
  update public.profiles p set opted_in = by_email, sms_opted_in = by_sms where p.id = accept_consents.user_id;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true),
    set_config('app.consent_form', '', true);
end $function$;

CREATE OR REPLACE FUNCTION private.accept_position(user_id uuid, answers jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  number constant text := '^-?[0-9]{1,3}([.][0-9]{1,15})?$';
begin
  if answers ->> 'postal_lat' ~ number and answers ->> 'postal_long' ~ number then
    if abs((answers ->> 'postal_lat')::float8) <= 90 and abs((answers ->> 'postal_long')::float8) <= 180 then
      perform private.store_position(user_id, (answers ->> 'postal_lat')::float8,
        (answers ->> 'postal_long')::float8);
    end if;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.add_refund(payment text, cents bigint, reason text, note text DEFAULT NULL::text, requested_by uuid DEFAULT NULL::uuid)
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
  insert into public.refunds (payment_id, cents, reason, note, requested_by)
    values (payment, coalesce(add_refund.cents, left_cents), add_refund.reason, add_refund.note, add_refund.requested_by)
    returning id into added;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION private.admin_ledger(since timestamp with time zone, until timestamp with time zone, skip integer, max_rows integer)
 RETURNS TABLE(at timestamp with time zone, type text, cents bigint, currency text, payment_id text, refund_id text, invoice_number text, order_id uuid, kind text, reason text, item_name text, tax_cents bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  perform private.require_admin();
  return query
    select m.at, m.type, m.cents, p.currency, p.id, m.refund_id, p.invoice_number, p.order_id, p.kind, p.reason,
      coalesce(o.item_name, l.name), case when m.type = 'payment' then p.tax_cents else 0 end
    from (
      select y.paid_at as at, 'payment' as type, y.cents, y.id as payment_id, null::text as refund_id
        from public.payments y
        where y.cents > 0 and y.paid_at >= admin_ledger.since and y.paid_at < admin_ledger.until
      union all
      select r.made_at, 'refund', -r.cents, r.payment_id, r.stripe_id from public.refunds r
        where r.status in ('pending', 'succeeded', 'failed') and r.made_at >= admin_ledger.since
          and r.made_at < admin_ledger.until
      union all
      select r.failed_at, 'refund-failed', r.cents, r.payment_id, r.stripe_id from public.refunds r
        where r.status = 'failed' and r.failed_at >= admin_ledger.since and r.failed_at < admin_ledger.until
      union all
      select y.disputed_at, 'dispute', -y.disputed_cents, y.id, null from public.payments y
        where y.disputed_at >= admin_ledger.since and y.disputed_at < admin_ledger.until
      union all
      select y.dispute_closed_at, 'dispute-won', y.disputed_cents, y.id, null from public.payments y
        where y.dispute = 'won' and y.dispute_closed_at >= admin_ledger.since
          and y.dispute_closed_at < admin_ledger.until
    ) m join public.payments p on p.id = m.payment_id
      left join public.orders o on o.id = p.order_id
      left join public.subscriptions s on s.id = p.subscription_id
      left join public.places l on l.id = s.place_id
    order by m.at, m.type, p.id, m.refund_id offset skip limit least(max_rows, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_order(order_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (select jsonb_build_object('id', o.id, 'kind', o.kind, 'status', o.status, 'item_name', o.item_name,
      'item_dates', o.item_dates, 'plan', o.plan, 'quantity', o.quantity, 'price_cents', o.price_cents,
      'currency', o.currency, 'coupon', o.coupon, 'created_at', o.created_at, 'paid_at', o.paid_at,
      'refund_reason', o.refund_reason, 'owner', o.owner, 'owner_name', f.full_name,
      'subscription', (select jsonb_build_object('status', s.status, 'ends_at', s.ends_at)
        from public.subscriptions s where s.id = o.stripe_subscription_id),
      'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'cents', p.cents,
          'currency', p.currency, 'tax_cents', p.tax_cents, 'refunded_cents', p.refunded_cents,
          'left_cents', private.refundable_cents(p.id), 'paid_at', p.paid_at, 'dispute', p.dispute,
          'invoice_number', p.invoice_number,
          'refunds', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'cents', r.cents, 'status', r.status,
              'reason', r.reason, 'note', r.note, 'attempt', r.attempt, 'at', coalesce(r.made_at, r.created_at),
              'by', (select a.full_name from public.profiles a where a.id = r.requested_by and a.admin))
              order by r.created_at), '[]')
            from public.refunds r where r.payment_id = p.id))
          order by p.paid_at desc), '[]') from public.payments p where p.order_id = o.id))
    from public.orders o left join public.profiles f on f.id = o.owner where o.id = admin_order.order_id);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'pronouns', p.pronouns, 'postalcode',
      p.postalcode,
      'email', private.masked_email(p.email), 'phone', private.masked_phone(p.phone),
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in, 'business_owner', p.business_owner,
      'supporter', p.supporter, 'admin', p.admin, 'favorites', p.favorites_count, 'created_at', p.created_at,
      'confirmed', private.is_confirmed(p.id),
      'places_count', (select count(*) from public.places l where l.owner = p.id),
      'places', (select coalesce(jsonb_agg(to_jsonb(l) order by l.name, l.id), '[]') from (
        select l.id, l.name, l.city, l.state, l.status, l.premium, l.proxi_id
        from public.places l where l.owner = p.id order by l.name, l.id limit 200) l),
      'jobs_count', (select count(*) from public.jobs j where j.owner = p.id),
      'jobs', (select coalesce(jsonb_agg(to_jsonb(j) order by j.created_at desc, j.id desc), '[]') from (
        select j.id, j.title, j.published, j.paid, j.expiration_date, j.filled_at, j.created_at,
          private.job_names_company(j.id) as names_company
        from public.jobs j where j.owner = p.id order by j.created_at desc, j.id desc limit 200) j))
    from public.profiles p where p.id = admin_user.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_users(name text, email text, after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  conditions constant text := private.user_conditions(name, email);
  total bigint;
begin
  perform private.require_admin();
  if conditions = '' then
    select coalesce(sum(v.amount), 0) into total from private.counter_values('users:count') v
      where v.name = '';
  else
    execute 'select count(*) from public.profiles p where true' || conditions into total;
  end if;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns,
        ''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),
        ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in, ''supporter'', p.supporter,
        ''favorites'', p.favorites_count, ''admin'', p.admin, ''created_at'', p.created_at,
        ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || conditions,
    '{created_at,id}', '{timestamptz,uuid}', after, before, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.archive_feedback(ids bigint[], archived boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  wanted constant boolean := coalesce(archived, true);
  found_count bigint;
  changed_count bigint;
begin
  perform private.require_admin();
  perform private.validate_selection(ids);
  perform 1 from public.feedback f where f.id = any (ids) order by f.id for update;
  get diagnostics found_count = row_count;
  perform private.require_admin();
  perform set_config('app.audit_action', case when wanted then 'archive' else 'reopen' end, true);
  update public.feedback f set archived = wanted where f.id = any (ids) and f.archived <> wanted;
  get diagnostics changed_count = row_count;
  perform set_config('app.audit_action', '', true);
  return jsonb_build_object('changed', changed_count, 'unchanged', found_count - changed_count,
    'missing', (select count(distinct id) from unnest(ids) id) - found_count);
end $function$;

CREATE OR REPLACE FUNCTION private.begin_sign_up(email text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  select u.* into account from auth.users u
    where u.email = lower(begin_sign_up.email) and not u.is_sso_user;
  if account.id is null then
    return 'new';
  elsif account.email_confirmed_at is null then
    return case when account.confirmation_sent_at > now() - interval '5 minutes' then 'sent'
      else 'unconfirmed' end;
  end if;
  if not exists (select from private.email_queue q where q.recipient = account.id
      and q.kind = 'account-exists' and q.created_at > now() - interval '6 hours') then
    -- The hour in the key prevents a second one from a sign-up at the same moment.
    perform private.enqueue_email(account.id, null, 'account-exists',
      format('account-exists:%s:%s', account.id, to_char(now() at time zone 'UTC', 'YYYYMMDDHH24')));
  end if;
  return 'confirmed';
end $function$;

CREATE OR REPLACE FUNCTION private.block_newsletters(days date[], blocked boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  if exists (select 1 from unnest(days) d where d is null or not private.is_newsletter_day(d)) then
    perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
  elsif cardinality(days) > 200 then
    perform private.refuse('too_many_dates', 'sponsorship_dates');
  end if;
  perform private.lock_newsletters(days);
  -- Who waited may not be an admin any more.
  perform private.require_admin();
  update public.sponsorship_dates d set blocked = block_newsletters.blocked where d.weekday_date = any (days);
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
      and o.refund_reason is null and o.revoked_at is null
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
  update public.orders o set seen = o.seen + 1 where o.id = bought.id;
  return bought.id;
end $function$;

CREATE OR REPLACE FUNCTION private.cancellation_days()
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select coalesce((select s.days from private.settings s where s.name = 'cancellation_days'), 3) $function$;

CREATE OR REPLACE FUNCTION private.check_request()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.from_api() then
    return;
  end if;
  if exists (select from json_each_text(nullif(current_setting('request.headers', true), '')::json) header
      where (lower(btrim(header.key)) = 'prefer' and header.value ~* '\mcount["\s]*=["\s]*(planned|estimated)')
        or (lower(btrim(header.key)) = 'accept' and header.value ~* 'pgrst\s*[.]\s*plan')) then
    raise exception 'planned_counts_refused' using errcode = 'P0001',
      detail = 'Row level security does not apply to plans, and to planned and estimated counts.', hint = 'Use count=exact.';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.confirm_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sign_up private.sign_ups;
begin
  delete from private.sign_ups s where s.user_id = new.id returning s.* into sign_up;
  if sign_up.recognized or old.confirmation_sent_at is null then
    new.encrypted_password := coalesce(sign_up.password, new.encrypted_password);
    perform private.accept_consents(new.id, sign_up.answers);
  else
    new.encrypted_password := null;
    -- Of sign-ups before consents waited for the confirmation.
    perform set_config('app.consent_page', '/confirm', true);
    update public.profiles set opted_in = false, sms_opted_in = false
      where id = new.id and (opted_in or sms_opted_in);
    perform set_config('app.consent_page', '', true);
  end if;
  perform private.accept_position(new.id, sign_up.answers);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.count_characters(content text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select length(regexp_replace(regexp_replace(
    normalize(replace(content, e'\r\n', e'\n'), nfc),
    '[\U0001F1E6-\U0001F1FF]{2}', 'x', 'g'),
    '\u200D[\u2190-\u2BFF\U0001F000-\U0001FAFF]|\u094D\u200D?[\u0915-\u0939\u0958-\u095F]'
    '|[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A'
    '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0900-\u0903\u093A-\u093C'
    '\u093E-\u094F\u0951-\u0957\u0962\u0963\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u1AB0-\u1AFF\u1DC0-\u1DFF'
    '\u200C\u200D\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F\U000E0100-\U000E01EF]',
    '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION private.create_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  answers constant jsonb := (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each_text(sent) e
    where e.value <> '' and length(e.value) <= 500 and e.key in ('opted_in', 'sms_opted_in', 'consent_text_version',
      'consent_page', 'postal_lat', 'postal_long'));
begin
  -- One mailbox has many addresses (name+anything@…). The address without a suffix is not counted: it
  -- can have one account, and others must not be able to use up its sign-ups. Visitors are limited by
  -- the auth service.
  if private.mailbox(new.email) <> lower(new.email) then
    perform private.enforce_limit('too_many_sign_ups', 'sign up ' || private.mailbox(new.email), 5, 86400);
  end if;
  insert into public.profiles (id, full_name, phone, email, pronouns, postalcode, business_owner)
  values (
    new.id,
    left(nullif(btrim(sent ->> 'full_name'), ''), 200),
    left(nullif(btrim(sent ->> 'phone'), ''), 40),
    new.email,
    left(nullif(btrim(sent ->> 'pronouns'), ''), 100),
    left(nullif(btrim(sent ->> 'postalcode'), ''), 20),
    coalesce(sent ->> 'business_owner', '') <> 'false'
  );
  if new.email_confirmed_at is not null then
    perform private.accept_consents(new.id, answers), private.accept_position(new.id, answers);
  else
    insert into private.sign_ups (user_id, proof, answers)
    values (new.id, case when length(sent ->> 'sign_up_proof') = 43 then sent ->> 'sign_up_proof' end, answers);
  end if;
  -- t1_strip_metadata removes all of it.
  update auth.users set raw_user_meta_data = sent where id = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.decide_listings(batch uuid, action text, reason text, items jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  act constant text := action;
  note constant text := case when action = 'request-changes' then btrim(coalesce(reason, ''), e' \t\r\n')
    when action = 'reject' then nullif(btrim(reason, e' \t\r\n'), '') end;
  email_kind constant text := private.decision_email(act);
  decided private.decision_batches;
  wanted bigint[];
  seen integer[];
  change text := case action
    when 'approve' then 'status = ''published'''
    when 'request-changes' then 'changes_requested = $4'
    when 'flag' then 'status = ''flagged'''
    when 'archive' then 'status = ''archived'', archive_requested = false'
    when 'reopen' then 'status = ''new'''
    when 'reject' then (select format('(%s, status) = (select %s, ''published'' from jsonb_populate_record(p, p.last_update) r)',
      string_agg(quote_ident(k), ', '), string_agg('r.' || quote_ident(k), ', '))
        from unnest(private.reviewed_columns()) k)
  end;
begin
  perform private.require_admin();
  if change is null then
    perform private.refuse('decision_unknown');
  elsif note = '' then
    perform private.refuse('change_request_empty', 'reason');
  elsif length(note) > 2000 then
    perform private.refuse('change_request_too_long', 'reason');
  end if;
  if items is not null then
    perform private.store_decision_batch(batch, items, null);
  end if;
  select * into decided from private.decision_batches b
    where b.id = batch and b.admin = private.user_id() and b.expires_at > now() for update;
  if not found then
    perform private.refuse('batch_expired');
  elsif decided.action is not null and (decided.action, decided.reason) is distinct from (act, note) then
    perform private.refuse('batch_already_decided');
  end if;

  select array_agg(r.place_id), array_agg(r.version) into wanted, seen from (
    select r.place_id, r.version from private.decision_rows r
    where r.batch_id = batch and r.outcome is null and decided.undone_at is null order by r.n limit 1000) r;
  if wanted is null then
    return private.batch_as_json(batch, null, null, 0, 1000);
  end if;
  -- Wait for other writers, always in the same order. The statements below see what they wrote, also
  -- about the caller, who may not be an admin any more.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  perform private.require_admin();

  perform set_config('app.audit_action', act, true);
  execute format('
    with validated as materialized (
      select j.*, case when j.outcome = ''done'' then jsonb_build_object(''status'', p.status,
          ''last_update'', p.last_update, ''changes_requested'', p.changes_requested, ''modified_at'', p.modified_at)
        || case when $1 = ''archive'' and p.archive_requested then ''{"archive_requested": true}''
          when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
            from (select to_jsonb(p) as row offset 0) edited, jsonb_object_keys(p.last_update) k)
          else ''{}'' end end as before
      from private.validate_decision($1, $4, $2, $3) j left join public.places p on p.id = j.place_id
    ), changed as (
      update public.places p set %s from validated j where j.place_id = p.id and j.outcome = ''done''
    )
    update private.decision_rows r set outcome = j.outcome, reasons = j.reasons, warnings = j.warnings, before = j.before
    from validated j where r.batch_id = $5 and r.place_id = j.place_id', change)
  using act, wanted, seen, note, batch;
  perform set_config('app.audit_action', '', true);

  if email_kind is not null then
    insert into private.email_queue (place_id, kind, key, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version),
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note))
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know that they approved their own listing.
      and (act <> 'approve' or p.owner is distinct from private.user_id())
    on conflict do nothing;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null),
      private.decision_emails_due(clock_timestamp()));
  end if;
  if act = 'reject' then
    insert into public.rejected_edits (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'archive_requested']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    on conflict (place_id) do update
      set rejected_at = excluded.rejected_at, reason = excluded.reason, edit = excluded.edit;
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE PROCEDURE private.define_managed_places()
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  execute format('create or replace view private.managed_places with (security_barrier = true) as
      select p.id, %s from public.places p
      where p.id = any ((select private.managed_places())::bigint[])
        and p.id operator(private.>=!) ''-9223372036854775808''',
    (select string_agg(format('p.%I', c), ', ') from unnest(private.owner_columns() || array['status', 'owner',
      'premium', 'proxi_id', 'last_update', 'changes_requested', 'version', 'created_at', 'modified_at']) c));
  create or replace view public.managed_places with (security_invoker = on) as
    select * from private.managed_places;
end $procedure$;

CREATE OR REPLACE PROCEDURE private.define_public_places()
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
declare
  -- As they are, and as they were approved.
  stored text;
  approved text;
begin
  select string_agg(format('p.%I', f.name), ', '), string_agg(format('a.%I', f.name), ', ')
    into stored, approved from private.listing_fields() f where f.public;
  execute format('create or replace view private.public_places with (security_barrier = true) as
      select p.id, p.premium, p.proxi_id, %s
      from public.places p where p.status = ''published'' and not p.hidden
        and p.id operator(private.>=!) ''-9223372036854775808''
    union all
      select p.id, p.premium, p.proxi_id, %s
      from public.places p
      cross join lateral jsonb_populate_record(p, p.last_update - array[''id'', ''premium'', ''proxi_id'']) a
      where p.status = ''pending-update'' and not p.hidden
        and p.id operator(private.>=!) ''-9223372036854775808''', stored, approved);
  create or replace view public.public_places with (security_invoker = on) as
    select * from private.public_places;
end $procedure$;

CREATE OR REPLACE FUNCTION private.delete_unconfirmed_accounts(email text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  deleted integer;
begin
  delete from auth.users u where u.id in (
    select o.id from auth.users o
    where o.email_confirmed_at is null and not o.is_sso_user
      and (delete_unconfirmed_accounts.email is null or o.email = lower(delete_unconfirmed_accounts.email))
      and greatest(o.confirmation_sent_at, o.recovery_sent_at) < now()
        - case when delete_unconfirmed_accounts.email is null then interval '7 days' else interval '1 hour' end
      and o.confirmation_sent_at is not null
      and not exists (select from public.places p where p.owner = o.id)
      and not exists (select from public.jobs j where j.owner = o.id)
    order by o.confirmation_sent_at limit 1000);
  get diagnostics deleted = row_count;
  return deleted;
end $function$;

CREATE OR REPLACE FUNCTION private.due_deletions(max_users integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 100 for update skip locked);
  select d.user_id from private.account_deletions d where d.due_at <= now() order by d.due_at
    limit least(greatest(max_users, 0), 100)
$function$;

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
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('name', old.name, 'given', new.owner is not null));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, s.place_id, 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      jsonb_build_object('place', s.place_id, 'cents', s.cents, 'months', s.months, 'at', s.period_to,
        'listing', (select p.name from public.places p where p.id = s.place_id)))
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
    'listing', (select p.name from public.places p where p.id = is_now.place_id));
begin
  if is_now.surplus then
    return;
  end if;
  if is_now.status = 'past_due' then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at));
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

CREATE OR REPLACE FUNCTION private.enqueue_team_email(kind text, key text, data jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(p.id, null, enqueue_team_email.kind, enqueue_team_email.key || ':' || p.id, enqueue_team_email.data)
    from public.profiles p where p.admin
$function$;

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

CREATE OR REPLACE FUNCTION private.export_users(entry bigint, name text, email text, after text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  perform private.require_export(entry, 'users');
  return private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns, '
    || case when entry is null then '''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),'
      else '''email'', p.email, ''phone'', p.phone, ' end
    || '''postalcode'', p.postalcode, ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in,
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', p.favorites_count,
        ''created_at'', p.created_at, ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.first_month_used(buyer uuid, place bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.orders o
    where o.kind = 'upgrade' and o.coupon is not null and o.paid_at is not null and o.refund_reason is null
      and (o.owner = buyer or o.place_id = place))
$function$;

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
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null then
    -- Its buyer has deleted it.
    return 'canceled';
  -- A listing that has gone to someone else is not for the buyer to advertise.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and p.owner is distinct from bought.owner) then
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

CREATE OR REPLACE FUNCTION private.guard_feedback_and_reports()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'feedback' then
    new.os := private.one_line(new.os);
  end if;
  if private.from_api() and tg_op = 'INSERT' then
    new.created_at := now();
  elsif private.from_api() then
    perform private.require_rights(private.is_admin());
  end if;
  return new;
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
begin
  if tg_op = 'UPDATE' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
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

CREATE OR REPLACE FUNCTION private.guard_lead()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    new.requester_name := private.one_line(new.requester_name);
    if private.from_api() then
      new.created_at := now();
      -- The sender is the account, and its address is confirmed: no one can write as someone else. What
      -- a form sent as the address does not matter. (A session that has ended is refused by the policy.)
      if private.user_id() is not null then
        new.requester_email := private.my_email();
        if new.requester_email is null then
          perform private.refuse('lead_email_unconfirmed');
        end if;
      end if;
    end if;
    return new;
  end if;
  if private.from_api() then
    perform private.require_rights((new.place_id = any (private.managed_places())
        or exists (select from public.places p where p.id = new.place_id and p.owner = private.user_id()))
      and not exists (select from private.former_leads f
        where f.place_id = new.place_id and new.created_at < f.until));
  end if;
  new.version := old.version;
  if new is distinct from old then
    new.version := old.version + 1;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_newsletter()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_rights(not private.from_api() or private.is_admin());
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- A job or sponsorship may be deleted: then its order no longer names it.
  if (new.kind, coalesce(new.job_id, old.job_id), coalesce(new.sponsorship_id, old.sponsorship_id), new.place_id,
    new.plan, new.quantity, new.days, new.unit_price_cents, new.currency, new.coupon)
    is distinct from (old.kind, old.job_id, old.sponsorship_id, old.place_id, old.plan, old.quantity,
      old.days, old.unit_price_cents, old.currency, old.coupon) then
    perform private.refuse('order_item_fixed');
  elsif old.paid_at is not null and new.status not in ('paid', 'refunded', 'disputed') then
    perform private.refuse('order_stays_paid');
  elsif (old.job_id is not null and new.job_id is null)
    or (old.sponsorship_id is not null and new.sponsorship_id is null) then
    -- Its job or sponsorship is being deleted. While it can be paid or its money is on its way, that is not
    -- possible. An unpaid order is canceled, and no longer says what it was for.
    if old.status = 'processing' or (old.status = 'open' and old.stripe_checkout_session_id is not null
      and old.expires_at > now()) then
      perform private.refuse('order_still_payable');
    elsif old.paid_at is null then
      new.status := 'canceled';
      new.item_name := null;
      new.item_dates := null;
      new.seen := old.seen + 1;
    end if;
  end if;
  new.modified_at := now();
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
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      new.name_key := private.normalize_for_search(new.name);
      new.name_search := private.name_search_vector(new.name_key);
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
    if api and old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
      and (by_owner or new.status = 'pending-update') then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        perform private.validate_place_fields(new);
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

  -- 5. Changes that no form or reviewer has read: hiding, showing and asking for removal, payments,
  -- and the address of the owner's account. Neither the version nor the listing's place in the queue changes with them.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        new.version := old.version;
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

CREATE OR REPLACE FUNCTION private.guard_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new := private.with_one_line(new, 'full_name', 'phone', 'pronouns', 'postalcode');
  new.full_name := nullif(btrim(new.full_name), '');
  new.phone := nullif(btrim(new.phone), '');
  new.pronouns := nullif(btrim(new.pronouns), '');
  new.postalcode := nullif(btrim(new.postalcode), '');
  if private.from_api() then
    perform private.require_rights(old.id = private.user_id() or private.is_admin());
    new.id := old.id;
    new.email := old.email;
    new.created_at := old.created_at;
    new.favorites_count := old.favorites_count;
    new.stripe_customer_id := old.stripe_customer_id;
    if not private.is_admin() then
      new.admin := old.admin;
      new.supporter := old.supporter;
      new.business_owner := old.business_owner;
    end if;
    if old.admin and not new.admin then
      -- One at a time: of two admins who step down at once, the second one stays.
      perform pg_advisory_xact_lock(hashtext('private.is_last_admin'));
      if private.is_last_admin(old.id) then
        perform private.refuse('only_admin');
      end if;
    end if;
    -- Only the person themselves can consent.
    if old.id is distinct from private.user_id() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
    end if;
  end if;
  new.modified_at := now();
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
  if tg_op = 'UPDATE' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
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

CREATE OR REPLACE FUNCTION private.hold_password()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.sign_ups as s (user_id, password) values (new.id, new.encrypted_password)
    on conflict (user_id) do update set password = excluded.password;
  new.encrypted_password := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.hold_spots(sponsorship bigint, buyer uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pause constant interval := interval '1 day';
  hold constant interval := interval '33 minutes';
  item public.sponsorships;
  held_elsewhere integer;
  refused jsonb;
begin
  select * into item from public.sponsorships s where s.id = sponsorship;
  if item.owner is distinct from buyer then
    return jsonb_build_object('refused', 'missing');
  elsif not exists (select 1 from public.places p where p.id = item.place_id and p.owner = buyer) then
    return jsonb_build_object('refused', 'listing-not-yours');
  elsif not exists (select 1 from private.public_places p where p.id = item.place_id) then
    return jsonb_build_object('refused', 'listing-not-public');
  end if;

  select count(*) into held_elsewhere
    from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
    where o.owner = buyer and o.id <> item.id and s.held_until > now();
  if held_elsewhere + cardinality(item.sponsorship_dates) > private.max_held_dates() then
    return jsonb_build_object('refused', 'too-many-held', 'held', held_elsewhere,
      'most', private.max_held_dates());
  end if;

  select jsonb_build_object('refused', 'held-twice', 'dates', jsonb_agg(h.weekday_date order by h.weekday_date),
      'until', max(h.held_until) + pause) into refused
    from private.newsletter_holds h
    where h.place_id = item.place_id and h.weekday_date = any (item.sponsorship_dates) and h.renewed
      and h.held_until <= now() and h.held_until > now() - pause
    having count(*) > 0;
  if refused is not null then
    return refused;
  end if;

  select jsonb_build_object('refused', 'dates', 'dates',
      jsonb_agg(jsonb_build_object('date', r.weekday_date, 'outcome', r.outcome) order by r.weekday_date)) into refused
    from private.reserve_spots(sponsorship, false) r
    having bool_or(r.outcome <> 'held');
  if refused is not null then
    return refused;
  end if;

  delete from private.newsletter_holds h where h.weekday_date = any (item.sponsorship_dates)
    and h.held_until <= now() - pause;
  insert into private.newsletter_holds as h (place_id, weekday_date, held_until)
  select item.place_id, d, now() + hold from unnest(item.sponsorship_dates) d
  -- A buyer who went back and pays again soon continues the same hold. Later, it is renewed, once.
  on conflict (place_id, weekday_date) do update set held_until = excluded.held_until, renewed = true
    where not h.renewed and h.held_until <= now() + hold / 2;
  update public.sponsorship_spots s set held_until = h.held_until
    from private.newsletter_holds h
    where s.sponsorship_id = sponsorship and s.held_until is not null
      and h.place_id = item.place_id and h.weekday_date = s.weekday_date;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.is_confirmed(user_id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from auth.users u where u.id = is_confirmed.user_id and u.email_confirmed_at is not null)
$function$;

CREATE OR REPLACE FUNCTION private.is_newsletter_day(day date)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select coalesce(day between '2000-01-01' and '9999-12-31' and extract(isodow from day) in (2, 4), false) $function$;

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
      stripe_customer_id, receipt_url, paid_at, refund_reason, revoked_at, created_at, modified_at, item_name,
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

CREATE OR REPLACE FUNCTION private.my_first_months()
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select p.id from public.places p
    where p.owner = private.user_id() and not private.first_month_used(private.user_id(), p.id)
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
        'next_attempt_at', s.next_attempt_at, 'subscription', s.id)
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.my_purchases()
 RETURNS TABLE(id text, order_id uuid, kind text, reason text, item_name text, item_dates date[], plan text, place_id bigint, cents bigint, tax_cents bigint, refunded_cents bigint, currency text, invoice_number text, period_from timestamp with time zone, period_to timestamp with time zone, paid_at timestamp with time zone, dispute text, refunds jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select p.id, p.order_id, p.kind, p.reason, coalesce(o.item_name, l.name), o.item_dates, coalesce(o.plan, s.plan),
    coalesce(o.place_id, s.place_id), p.cents, p.tax_cents, p.refunded_cents, p.currency, p.invoice_number,
    p.period_from, p.period_to, p.paid_at, p.dispute,
    (select coalesce(jsonb_agg(jsonb_build_object('cents', r.cents, 'status', r.status, 'reason', r.reason,
        'at', coalesce(r.made_at, r.created_at)) order by r.created_at), '[]')
      from public.refunds r where r.payment_id = p.id and r.status <> 'canceled')
  from public.payments p
    left join public.orders o on o.id = p.order_id
    left join public.subscriptions s on s.id = p.subscription_id
    left join public.places l on l.id = s.place_id and l.owner = p.owner
  where p.owner = private.user_id()
  order by p.paid_at desc, p.id desc limit 2000
$function$;

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

CREATE OR REPLACE FUNCTION private.part_from_owner(before public.places, place public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Unless an admin has just entered another one.
  if place.mailingaddress is not distinct from before.mailingaddress then
    place.mailingaddress := null;
  end if;
  place.last_update := place.last_update - 'mailingaddress';
  -- Where the public sees roughly where a listing is, the address as it was typed may be a home.
  if before.address_approximate or (before.last_update ->> 'address_approximate')::boolean then
    if place.rawaddress is not distinct from before.rawaddress and place.rawaddress is distinct from place.address then
      place.rawaddress := null;
    end if;
    place.last_update := place.last_update - 'rawaddress';
  end if;
  place.stripe_cus_id := null;
  place := private.without_request(before, place);
  -- The wall clock, because this transaction may have waited.
  place.leads_from := clock_timestamp();
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.payment_target(event_id text, order_id uuid, session_id text, subscription_id text, payment_intent_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  found_order public.orders;
  found_subscription public.subscriptions;
  found_payment public.payments;
  found_place bigint;
begin
  select * into found_payment from public.payments p where p.id = payment_intent_id;
  -- The most specific id first: an order that was paid twice has two sessions.
  select * into found_order from public.orders o where o.stripe_checkout_session_id = session_id;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_subscription_id = subscription_id
      order by o.created_at desc limit 1;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.stripe_payment_intent_id = payment_intent_id
      or o.id = found_payment.order_id;
  end if;
  if found_order.id is null then
    select * into found_order from public.orders o where o.id = order_id;
  end if;
  if found_order.id is null then
    select * into found_subscription from public.subscriptions s
      where s.id = coalesce(subscription_id, found_payment.subscription_id);
    if found_subscription.id is null then
      select p.id into found_place from public.places p where p.stripe_subscription_id = subscription_id;
      if found_place is null then
        return null;
      end if;
    end if;
  end if;
  return jsonb_build_object(
    'done', exists (select 1 from public.stripe_events e where e.id = event_id),
    'order', found_order.id,
    'kind', found_order.kind,
    'status', found_order.status,
    'paid', found_order.paid_at is not null,
    'session', found_order.stripe_checkout_session_id,
    'subscription', coalesce(found_order.stripe_subscription_id, found_subscription.id,
      case when found_order.id is null then subscription_id end),
    'payment_intent', found_order.stripe_payment_intent_id,
    'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'invoice', p.invoice_id,
        'read', coalesce(p.id = payment_intent_id, false) or exists (select from public.refunds r
          where r.payment_id = p.id and r.status in ('requested', 'pending', 'failed')))), '[]')
      from public.payments p
      where p.order_id = found_order.id or p.subscription_id = coalesce(found_order.stripe_subscription_id,
        found_subscription.id)),
    'refund_due', coalesce(private.refund_due(found_order), false),
    'seen', coalesce(found_order.seen, found_subscription.seen, 0));
end $function$;

CREATE OR REPLACE FUNCTION private.record_checkout_session(order_id uuid, attempt integer, session_id text, customer_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- One at a time for each buyer, so that of two first months only one is offered.
  perform 1 from public.profiles p where p.id = (select o.owner from public.orders o where o.id = order_id)
    for no key update;
  if exists (select from public.orders o join public.orders other on other.owner = o.owner
      and other.kind = 'upgrade' and other.coupon = o.coupon and other.id <> o.id
    where o.id = order_id and o.kind = 'upgrade' and other.paid_at is null
      and other.stripe_checkout_session_id is not null and other.expires_at > now()) then
    -- The caller closes this checkout. The next one is another attempt, not the same again.
    update public.orders o set attempt = o.attempt + 1, seen = o.seen + 1
      where o.id = order_id and o.attempt = record_checkout_session.attempt and o.paid_at is null;
    return false;
  end if;
  update public.orders o set status = 'open', stripe_checkout_session_id = record_checkout_session.session_id,
      stripe_customer_id = record_checkout_session.customer_id, seen = o.seen + 1
    where o.id = order_id and o.attempt = record_checkout_session.attempt and o.paid_at is null
      and o.status <> 'canceled'
      and coalesce(o.stripe_checkout_session_id = record_checkout_session.session_id, true);
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.record_consents()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  consent_text text := coalesce(nullif(current_setting('app.consent_text', true), ''), 'unknown');
  page text := nullif(current_setting('app.consent_page', true), '');
  on_form boolean := coalesce(current_setting('app.consent_form', true), '') = 'yes';
  was_email boolean := false;
  was_sms boolean := false;
begin
  if tg_op = 'UPDATE' then
    was_email := old.opted_in;
    was_sms := old.sms_opted_in;
  end if;
  if on_form or new.opted_in <> was_email then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'email', new.opted_in, consent_text, coalesce(page, 'unknown'));
  end if;
  if on_form or new.sms_opted_in <> was_sms then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'sms', new.sms_opted_in, consent_text, coalesce(page, 'unknown'));
  end if;
  return null;
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
    now_is.receipt_url := coalesce(session ->> 'receipt_url', now_is.receipt_url);
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
            'receipt_url', now_is.receipt_url));
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
        if state = 'failed' then
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
    featured_changed := private.update_featured(place);
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
          receipt_url = now_is.receipt_url,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  elsif now_is.id is null and payments_changed and sub_now.id is null then
    update public.subscriptions s set seen = s.seen + 1 where s.id = subscription_id;
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
        'to', after.period_to, 'listing', (select l.name from public.subscriptions s
          join public.places l on l.id = s.place_id where s.id = of_subscription));
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
      insert into public.refunds (payment_id, stripe_id, cents, status, reason, made_at)
      values (payment, fact ->> 'id', (fact ->> 'cents')::bigint, fact ->> 'status', 'elsewhere',
        (fact ->> 'made_at')::timestamptz)
      returning * into after;
    else
      update public.refunds r set stripe_id = fact ->> 'id', status = fact ->> 'status', modified_at = now(),
          made_at = (fact ->> 'made_at')::timestamptz,
          failed_at = case when fact ->> 'status' = 'failed' then coalesce(r.failed_at, now()) else r.failed_at end
        where r.id = known.id and (r.stripe_id, r.status) is distinct from (fact ->> 'id', fact ->> 'status')
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      update public.refunds r set failed_at = coalesce(r.failed_at, now()) where r.id = after.id;
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      perform private.enqueue_email(paid.owner, null, 'payment-returned',
        format('payment-returned:%s:%s', paid.order_id, after.id),
        jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
    end if;
  end loop;
  update public.refunds r set status = 'canceled', modified_at = now()
    where r.payment_id = payment and r.status = 'requested'
      and r.cents > paid.cents - coalesce((select sum(o.cents) from public.refunds o
        where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
end $function$;

CREATE OR REPLACE FUNCTION private.refund_due(o public.orders)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = o.id and r.status = 'requested'
        -- What a bank is deciding about can't be refunded.
        and p.dispute is distinct from 'open' and p.dispute is distinct from 'lost')
    or (o.refund_reason is not null and (
      (o.amount_paid_cents > 0 and not exists (select from public.payments p where p.order_id = o.id))
      or exists (select 1 from public.subscriptions s where s.id = o.stripe_subscription_id
        and s.status not in ('canceled', 'incomplete_expired'))))
$function$;

CREATE OR REPLACE FUNCTION private.refundable_cents(payment text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select p.cents - coalesce((select sum(r.cents) from public.refunds r
      where r.payment_id = p.id and r.status not in ('failed', 'canceled')), 0)::bigint
    from public.payments p where p.id = payment
$function$;

CREATE OR REPLACE FUNCTION private.release_sponsorship_dates(sponsorship_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
#variable_conflict use_column
declare
  wanted constant bigint := release_sponsorship_dates.sponsorship_id;
  -- Locks the order, so that its owner stays the same.
  waits constant boolean := private.awaits_payment(wanted);
begin
  perform private.require_sponsorship_owner(wanted);
  if waits then
    return;
  end if;
  perform 1 from public.sponsorship_dates d where d.weekday_date in
    (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = wanted)
    order by d.weekday_date for update;
  delete from public.sponsorship_spots s where s.sponsorship_id = wanted and s.held_until is not null;
end $function$;

CREATE OR REPLACE FUNCTION private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text)
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
  added := private.add_refund(paid.id, request_refund.cents, 'team', btrim(request_refund.note), private.user_id());
  perform set_config('app.audit_action', '', true);
  if added is null then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  update public.orders o set seen = o.seen + 1 where o.id = request_refund.order_id;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION private.require_rights(granted boolean)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if granted is not true then
    raise exception 'rights_ended' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.reserve_spots(sponsorship bigint, permanent boolean)
 RETURNS TABLE(weekday_date date, outcome text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
#variable_conflict use_column
declare
  order_row public.sponsorships;
  dates date[];
  held_before date[];
  outcomes jsonb;
begin
  select * into order_row from public.sponsorships s where s.id = sponsorship for update;
  dates := order_row.sponsorship_dates;
  perform private.lock_newsletters(array(select unnest(dates)
    union select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = sponsorship));
  -- Expired holds on these dates are free, and so are this order's own, which are taken again.
  with freed as (
    delete from public.sponsorship_spots s
      where s.held_until is not null
        and ((s.weekday_date = any (dates) and s.held_until <= now()) or s.sponsorship_id = sponsorship)
    returning s.sponsorship_id, s.weekday_date, s.held_until
  )
  select coalesce(array_agg(f.weekday_date), '{}') into held_before from freed f
    where f.sponsorship_id = sponsorship and f.held_until > now();

  select coalesce(jsonb_object_agg(day, private.spot_outcome(order_row, day, permanent, held_before)), '{}')
    into outcomes from unnest(dates) day;
  if not exists (select 1 from jsonb_each_text(outcomes) o where o.value <> 'held') then
    with taken as (
      insert into public.sponsorship_spots (sponsorship_id, weekday_date, held_until)
      select sponsorship, d, case when not permanent then now() + interval '33 minutes' end
      from unnest(dates) d
      on conflict do nothing
      returning sponsorship_spots.weekday_date
    )
    update public.sponsorship_dates d set
      held_count = d.held_count + (not permanent)::integer,
      paid_count = d.paid_count + permanent::integer
    from taken t where d.weekday_date = t.weekday_date
      and d.held_count + d.paid_count < private.spots_per_newsletter();
  end if;
  return query select o.key::date, o.value from jsonb_each_text(outcomes) o order by o.key::date;
end $function$;

CREATE OR REPLACE FUNCTION private.restore_protected_columns(before public.places, place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  sent jsonb;
  claims boolean;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving a listing without an
    -- owner claims it for the person whose confirmed address is its owner_email. No one else's change makes
    -- them its owner: a manager's doesn't, also when the owner leaves while it waits.
    claims := before.owner is null and before.owner_email = private.my_email();
    perform private.require_rights(before.owner = private.user_id() or claims
      or before.id = any (private.managed_places()));
    if before.owner <> private.user_id() and place.archive_requested <> before.archive_requested then
      perform private.refuse('removal_by_owner_only');
    end if;
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    if claims then
      place.owner := private.user_id();
    end if;
  elsif (api or before.owner is not null) and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one; or the account of its owner is deleted,
    -- by whatever means. Its address changes with it, because the next holder of the previous owner's
    -- mailbox could claim it otherwise.
    place.owner_email := case when api then private.account_email(place.owner) end;
  end if;
  if api then
    place.subscription_ends_at := before.subscription_ends_at;
    place.leads_from := before.leads_from;
    place.created_at := before.created_at;
    place.submission_id := before.submission_id;
    place.last_update := before.last_update;
    place.version := before.version;
    place.modified_at := before.modified_at;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
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
    and r.attempt < max_attempts for update;
  if failed.id is null then
    return false;
  end if;
  perform 1 from public.payments p where p.id = failed.payment_id for update;
  if private.refundable_cents(failed.payment_id) < failed.cents then
    return false;
  end if;
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, modified_at = now()
    where r.id = failed.id;
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $function$;

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
    where p.full_name_search @@ query or p.email_search @@ query or p.id = searched_id
    order by found.has_address desc, found.confirmed desc, p.created_at desc, p.id desc
    limit private.page_size(page_rows, 20);
end $function$;

CREATE OR REPLACE FUNCTION private.set_cancellation_days(days integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  if coalesce(days, -1) not between 1 and 60 then
    perform private.refuse('cancellation_days_range', 'days');
  end if;
  insert into private.settings as s (name, enabled, days) values ('cancellation_days', true, set_cancellation_days.days)
    on conflict (name) do update set days = excluded.days, changed_at = now()
      where s.days is distinct from excluded.days;
  if found then
    perform private.log_action('set-cancellation-days', 'settings', 'cancellation_days',
      jsonb_build_object('days', days));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.spot_outcome(item public.sponsorships, day date, permanent boolean, held_before date[])
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case
      when exists (select 1 from public.sponsorship_spots s
        where s.sponsorship_id = item.id and s.weekday_date = day) then 'held'
      when d.blocked then 'blocked'
      when d.weekday_date <= private.today() then 'past'
      when not (permanent and day = any (held_before)) and exists (
        select 1 from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
        where s.weekday_date = day and o.place_id = item.place_id) then 'duplicate'
      when d.held_count + d.paid_count >= private.spots_per_newsletter() then 'full'
      else 'held'
    end
  from public.sponsorship_dates d where d.weekday_date = day
$function$;

CREATE OR REPLACE FUNCTION private.take_account_email(email text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
begin
  return private.take_rate_token('account email to ' || address, 3, 3600) = 0
    and (mailbox = address or private.take_rate_token('account emails to ' || mailbox, 10, 3600) = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.undo_decisions(batch uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  decided private.decision_batches;
  wanted bigint[];
begin
  perform private.require_admin();
  select * into decided from private.decision_batches b where b.id = batch
    and b.admin = private.user_id() for update;
  if not found then
    perform private.refuse('batch_expired');
  end if;
  select array_agg(r.place_id) into wanted from (
    select r.place_id from private.decision_rows r
    where r.batch_id = batch and r.outcome = 'done' and r.undone is null
    order by r.n limit 1000) r;
  if decided.undone_at is null then
    if wanted is null then
      perform private.refuse('nothing_to_undo');
    elsif decided.decided_at < now() - private.undo_window() then
      perform private.refuse('undo_expired');
    end if;
    update private.decision_batches b set undone_at = now() where b.id = batch;
  end if;
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  perform private.require_admin();

  perform set_config('app.audit_action', 'undo', true), set_config('app.undone_batch', batch::text, true);
  execute (
    select format('
      with validated as materialized (
        select r.place_id, r.before, p.id is not null as same
        from private.decision_rows r left join public.places p on p.id = r.place_id and p.version = r.version + 1
        where r.batch_id = $1 and r.place_id = any ($2)
      ), restored as (
        update public.places p set (%s) = (select %s from jsonb_populate_record(p, j.before) r)
        from validated j where j.place_id = p.id and j.same
      )
      update private.decision_rows r set undone = case when j.same then ''undone'' else ''unchanged'' end
      from validated j where r.batch_id = $1 and r.place_id = j.place_id',
      string_agg(quote_ident(k), ', '), string_agg('r.' || quote_ident(k), ', '))
    from unnest(private.reviewed_columns() || array['status', 'last_update', 'changes_requested',
      'archive_requested']) k)
  using batch, wanted;
  perform set_config('app.audit_action', '', true), set_config('app.undone_batch', '', true);
  perform private.withdraw_decision_emails(decided, wanted);
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.update_reports(ids bigint[], to_state text, note text, flag boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  changed_count bigint;
  items jsonb;
  flagged jsonb := '[]';
begin
  perform private.require_admin();
  perform private.validate_selection(ids);
  if to_state is null or to_state not in ('open', 'resolved', 'dismissed') then
    perform private.refuse('report_decision_unknown');
  elsif length(note_text) > 2000 then
    perform private.refuse('report_note_too_long', 'note');
  end if;
  perform 1 from public.events e where e.id = any (ids) order by e.id for update;
  get diagnostics found_count = row_count;
  -- Who waited may not be an admin any more.
  perform private.require_admin();
  perform set_config('app.audit_action', case to_state when 'resolved' then 'resolve' when 'dismissed'
    then 'dismiss' else 'reopen' end, true);
  update public.events e set state = to_state, note = coalesce(note_text, e.note)
    where e.id = any (ids)
      and (e.state <> to_state or (note_text is not null and note_text is distinct from e.note));
  get diagnostics changed_count = row_count;
  perform set_config('app.audit_action', '', true);

  if flag then
    select jsonb_agg(distinct jsonb_build_object('id', p.id, 'version', p.version)) into items
      from public.events e join public.places p on p.id = e.place where e.id = any (ids);
    if items is not null then
      select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'name', 'outcome', r -> 'outcome',
        'reasons', r -> 'reasons')), '[]')
        into flagged from json_array_elements(private.decide_listings(gen_random_uuid(), 'flag', null,
          items) -> 'rows') r;
    end if;
  end if;
  return jsonb_build_object('changed', changed_count, 'unchanged', found_count - changed_count,
    'missing', (select count(distinct id) from unnest(ids) id) - found_count, 'flagged', flagged);
end $function$;

CREATE OR REPLACE FUNCTION private.withheld_columns()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select '{owner_email, public_email, email, phone, full_name, mailingaddress, rawaddress, address, postalcode,
    lat, long, receipt_url, note, changes_requested}'::text[]
$function$;

CREATE OR REPLACE FUNCTION private.without_request(before public.places, place public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if place.changes_requested is not distinct from before.changes_requested then
    place.changes_requested := null;
  end if;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION public.admin_ledger(since timestamp with time zone, until timestamp with time zone, skip integer, max_rows integer)
 RETURNS TABLE(at timestamp with time zone, type text, cents bigint, currency text, payment_id text, refund_id text, invoice_number text, order_id uuid, kind text, reason text, item_name text, tax_cents bigint)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.admin_ledger(since, until, skip, max_rows) $function$;

CREATE OR REPLACE FUNCTION public.admin_order(order_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.admin_order(order_id) $function$;

CREATE OR REPLACE FUNCTION public.cancel_sponsorship_dates(sponsorship_id bigint, dates date[])
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.cancel_sponsorship_dates(sponsorship_id, dates) $function$;

CREATE OR REPLACE FUNCTION public.cancellation_days()
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.cancellation_days() $function$;

CREATE OR REPLACE FUNCTION public.delete_unconfirmed_accounts(email text DEFAULT NULL::text)
 RETURNS integer
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.delete_unconfirmed_accounts(email) $function$;

CREATE OR REPLACE FUNCTION public.due_deletions(max_users integer DEFAULT 100)
 RETURNS SETOF uuid
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.due_deletions(max_users) $function$;

CREATE OR REPLACE FUNCTION public.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.enqueue_renewal_notices() $function$;

CREATE OR REPLACE FUNCTION public.my_first_months()
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.my_first_months() $function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with listings as (
    select p.*, private.needs_completion(p::public.places, p.owner = (select private.user_id())) as incomplete
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), jobs as (
    -- While a payment for it is on its way, there is nothing to do.
    select j.* from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owner = (select private.user_id()) and l.subscription_status in ('past_due', 'unpaid')
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
      where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.incomplete
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    union all
    select 5, 'unpaid-job', j.id, j.title, j.created_at from jobs j where not j.paid
    union all
    select 6, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
      where l.state = 'new'
    union all
    select 7, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
  ), lines as (
    select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
    from waiting order by rank, at, id
  )
  select jsonb_build_object(
    'supporter', exists (select from public.places p where p.owner = (select private.user_id()) and p.premium),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.my_plan(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.my_plan(place_id) $function$;

CREATE OR REPLACE FUNCTION public.my_purchases()
 RETURNS TABLE(id text, order_id uuid, kind text, reason text, item_name text, item_dates date[], plan text, place_id bigint, cents bigint, tax_cents bigint, refunded_cents bigint, currency text, invoice_number text, period_from timestamp with time zone, period_to timestamp with time zone, paid_at timestamp with time zone, dispute text, refunds jsonb)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.my_purchases() $function$;

CREATE OR REPLACE FUNCTION public.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text)
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.request_refund(order_id, payment_id, cents, currency, note) $function$;

CREATE OR REPLACE FUNCTION public.retry_refund(refund_id uuid, max_attempts integer DEFAULT 4)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.retry_refund(refund_id, max_attempts) $function$;

CREATE OR REPLACE FUNCTION public.search_users(words text, page_rows integer DEFAULT 10)
 RETURNS TABLE(id uuid, full_name text, email text, pronouns text, created_at timestamp with time zone, confirmed boolean, has_address boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.search_users(words, page_rows) $function$;

CREATE OR REPLACE FUNCTION public.set_cancellation_days(days integer)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.set_cancellation_days(days) $function$;

CREATE OR REPLACE FUNCTION public.take_account_email(email text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.take_account_email(email) $function$;

create operator private.>=! (function = date_ge, leftarg = date, rightarg = date, restrict = eqsel);

create operator private.>=! (function = text_ge, leftarg = text, rightarg = text, restrict = eqsel);

alter table private.settings add constraint settings_days_check CHECK (((days >= 0) AND (days <= 3650)));

alter table private.settings add constraint settings_name_check CHECK ((name = ANY (ARRAY['admins_need_second_step'::text, 'cancellation_days'::text])));

alter table public.jobs add constraint job_dates_are_finite CHECK ((isfinite(expiration_date) AND isfinite(filled_at) AND isfinite(created_at) AND isfinite(modified_at)));

alter table public.listing_drafts add constraint draft_dates_are_finite CHECK ((isfinite(created_at) AND isfinite(updated_at)));

alter table public.orders add constraint order_names_what_it_is_for CHECK ((((kind = 'job'::text) OR (job_id IS NULL)) AND ((kind = 'sponsorship'::text) OR (sponsorship_id IS NULL)) AND ((kind = 'upgrade'::text) = (place_id IS NOT NULL)) AND ((kind = 'upgrade'::text) = (plan IS NOT NULL))));

alter table public.orders add constraint orders_item_name_check CHECK ((length(item_name) <= 300));

alter table public.orders add constraint orders_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE SET NULL;

alter table public.orders add constraint orders_refund_reason_check CHECK ((refund_reason = ANY (ARRAY['paid-twice'::text, 'dates-gone'::text, 'too-late'::text, 'blocked'::text, 'changed'::text, 'canceled'::text])));

alter table public.orders add constraint orders_sponsorship_id_fkey FOREIGN KEY (sponsorship_id) REFERENCES public.sponsorships(id) ON DELETE SET NULL;

alter table public.payments add constraint payment_of_order_or_subscription CHECK ((num_nonnulls(order_id, subscription_id) > 0));

alter table public.payments add constraint payments_cents_check CHECK ((cents >= 0));

alter table public.payments add constraint payments_check CHECK (((tax_cents >= 0) AND (tax_cents <= cents)));

alter table public.payments add constraint payments_check1 CHECK (((refunded_cents >= 0) AND (refunded_cents <= cents)));

alter table public.payments add constraint payments_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text));

alter table public.payments add constraint payments_dispute_check CHECK ((dispute = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])));

alter table public.payments add constraint payments_disputed_cents_check CHECK ((disputed_cents >= 0));

alter table public.payments add constraint payments_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255)));

alter table public.payments add constraint payments_invoice_id_check CHECK ((length(invoice_id) <= 255));

alter table public.payments add constraint payments_invoice_id_key UNIQUE (invoice_id);

alter table public.payments add constraint payments_invoice_number_check CHECK ((length(invoice_number) <= 100));

alter table public.payments add constraint payments_kind_check CHECK ((kind = ANY (ARRAY['job'::text, 'sponsorship'::text, 'upgrade'::text])));

alter table public.payments add constraint payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id);

alter table public.payments add constraint payments_owner_fkey FOREIGN KEY (owner) REFERENCES public.profiles(id) ON DELETE SET NULL;

alter table public.payments add constraint payments_pkey PRIMARY KEY (id);

alter table public.payments add constraint payments_reason_check CHECK ((reason = ANY (ARRAY['purchase'::text, 'renewal'::text, 'plan-change'::text])));

alter table public.payments add constraint payments_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id);

alter table public.places add constraint place_dates_are_finite CHECK ((isfinite(premium_created_at) AND isfinite(subscription_ends_at) AND isfinite(created_at) AND isfinite(modified_at) AND isfinite(leads_from)));

alter table public.profiles add constraint profile_dates_are_finite CHECK ((isfinite(created_at) AND isfinite(modified_at)));

alter table public.refunds add constraint refunds_attempt_check CHECK ((attempt >= 1));

alter table public.refunds add constraint refunds_cents_check CHECK ((cents > 0));

alter table public.refunds add constraint refunds_note_check CHECK (((length(btrim(note)) >= 1) AND (length(btrim(note)) <= 500)));

alter table public.refunds add constraint refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);

alter table public.refunds add constraint refunds_pkey PRIMARY KEY (id);

alter table public.refunds add constraint refunds_reason_check CHECK ((reason = ANY (ARRAY['paid-twice'::text, 'dates-gone'::text, 'too-late'::text, 'blocked'::text, 'changed'::text, 'canceled'::text, 'team'::text, 'elsewhere'::text])));

alter table public.refunds add constraint refunds_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES public.profiles(id) ON DELETE SET NULL;

alter table public.refunds add constraint refunds_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])));

alter table public.refunds add constraint refunds_stripe_id_check CHECK ((length(stripe_id) <= 255));

alter table public.refunds add constraint refunds_stripe_id_key UNIQUE (stripe_id);

alter table public.saved_views add constraint view_date_is_finite CHECK (isfinite(created_at));

alter table public.sponsorship_dates add constraint newsletter_date_is_finite CHECK (isfinite(weekday_date));

alter table public.sponsorships add constraint sponsorship_dates_are_finite CHECK ((('-infinity'::date <> ALL (sponsorship_dates)) AND ('infinity'::date <> ALL (sponsorship_dates)) AND isfinite(created_at) AND isfinite(modified_at)));

alter table public.sponsorships add constraint sponsorships_promo_text_check CHECK (((length(btrim(promo_text)) >= 1) AND (length(btrim(promo_text)) <= 3000) AND (private.count_characters(btrim(promo_text)) <= 300)));

alter table public.subscriptions add constraint subscriptions_cents_check CHECK ((cents >= 0));

alter table public.subscriptions add constraint subscriptions_months_check CHECK (((months >= 1) AND (months <= 36)));

alter table public.subscriptions add constraint subscriptions_plan_check CHECK ((length(plan) <= 40));

CREATE INDEX decision_rows_place ON private.decision_rows USING btree (place_id);

CREATE INDEX payments_disputed ON public.payments USING btree (disputed_at) WHERE (disputed_at IS NOT NULL);

CREATE INDEX payments_order ON public.payments USING btree (order_id);

CREATE INDEX payments_owner ON public.payments USING btree (owner, paid_at DESC, id DESC);

CREATE INDEX payments_paid ON public.payments USING btree (paid_at DESC, id DESC);

CREATE INDEX payments_subscription ON public.payments USING btree (subscription_id);

CREATE INDEX refunds_made ON public.refunds USING btree (made_at);

CREATE INDEX refunds_open ON public.refunds USING btree (created_at) WHERE (status = ANY (ARRAY['requested'::text, 'pending'::text, 'failed'::text]));

CREATE INDEX refunds_payment ON public.refunds USING btree (payment_id);

CREATE INDEX refunds_requested_by ON public.refunds USING btree (requested_by);

CREATE INDEX subscriptions_period ON public.subscriptions USING btree (period_to);

create view private.former_leads with (security_barrier=true) as
 SELECT id AS place_id,
    leads_from AS until
   FROM public.places p
  WHERE ((leads_from IS NOT NULL) AND (id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create view private.public_places with (security_barrier=true) as
 SELECT p.id,
    p.premium,
    p.proxi_id,
    p.name,
    p.category,
    p.online_categories,
    p.licensed_locations,
    p.public_email,
    p.phone,
    p.address,
    p.address_approximate,
    p.city,
    p.state,
    p.country,
    p.postalcode,
    p.lat,
    p.long,
    p.description,
    p.url,
    p.tiktok,
    p.instagram,
    p.xtwitter,
    p.youtube,
    p.facebook,
    p.linkedin,
    p.online,
    p."physicalLocation",
    p."bipocOwned",
    p.outdoor,
    p.nonprofit,
    p.gender_neutral_bathrooms,
    p.masks_required,
    p.wholesale,
    p.wholesale_buyer,
    p.affiliate,
    p.queer_programming,
    p.mission_statement,
    p.certified_queer
   FROM public.places p
  WHERE ((p.status = 'published'::text) AND (NOT p.hidden) AND (p.id OPERATOR(private.>=!) '-9223372036854775808'::bigint))
UNION ALL
 SELECT p.id,
    p.premium,
    p.proxi_id,
    a.name,
    a.category,
    a.online_categories,
    a.licensed_locations,
    a.public_email,
    a.phone,
    a.address,
    a.address_approximate,
    a.city,
    a.state,
    a.country,
    a.postalcode,
    a.lat,
    a.long,
    a.description,
    a.url,
    a.tiktok,
    a.instagram,
    a.xtwitter,
    a.youtube,
    a.facebook,
    a.linkedin,
    a.online,
    a."physicalLocation",
    a."bipocOwned",
    a.outdoor,
    a.nonprofit,
    a.gender_neutral_bathrooms,
    a.masks_required,
    a.wholesale,
    a.wholesale_buyer,
    a.affiliate,
    a.queer_programming,
    a.mission_statement,
    a.certified_queer
   FROM (public.places p
     CROSS JOIN LATERAL jsonb_populate_record(p.*, (p.last_update - ARRAY['id'::text, 'premium'::text, 'proxi_id'::text])) a(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from))
  WHERE ((p.status = 'pending-update'::text) AND (NOT p.hidden) AND (p.id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create view public.public_places with (security_invoker=on) as
 SELECT id,
    premium,
    proxi_id,
    name,
    category,
    online_categories,
    licensed_locations,
    public_email,
    phone,
    address,
    address_approximate,
    city,
    state,
    country,
    postalcode,
    lat,
    long,
    description,
    url,
    tiktok,
    instagram,
    xtwitter,
    youtube,
    facebook,
    linkedin,
    online,
    "physicalLocation",
    "bipocOwned",
    outdoor,
    nonprofit,
    gender_neutral_bathrooms,
    masks_required,
    wholesale,
    wholesale_buyer,
    affiliate,
    queer_programming,
    mission_statement,
    certified_queer
   FROM private.public_places;

create view private.managed_places with (security_barrier=true) as
 SELECT id,
    name,
    category,
    online_categories,
    licensed_locations,
    public_email,
    phone,
    rawaddress,
    address,
    address_approximate,
    city,
    state,
    country,
    postalcode,
    lat,
    long,
    mailingaddress,
    description,
    url,
    tiktok,
    instagram,
    xtwitter,
    youtube,
    facebook,
    linkedin,
    online,
    "physicalLocation",
    "bipocOwned",
    outdoor,
    nonprofit,
    gender_neutral_bathrooms,
    masks_required,
    wholesale,
    wholesale_buyer,
    affiliate,
    queer_programming,
    mission_statement,
    certified_queer,
    third_party_auth,
    hidden,
    archive_requested,
    status,
    owner,
    premium,
    proxi_id,
    last_update,
    changes_requested,
    version,
    created_at,
    modified_at
   FROM public.places p
  WHERE ((id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) AND (id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create view public.managed_places with (security_invoker=on) as
 SELECT id,
    name,
    category,
    online_categories,
    licensed_locations,
    public_email,
    phone,
    rawaddress,
    address,
    address_approximate,
    city,
    state,
    country,
    postalcode,
    lat,
    long,
    mailingaddress,
    description,
    url,
    tiktok,
    instagram,
    xtwitter,
    youtube,
    facebook,
    linkedin,
    online,
    "physicalLocation",
    "bipocOwned",
    outdoor,
    nonprofit,
    gender_neutral_bathrooms,
    masks_required,
    wholesale,
    wholesale_buyer,
    affiliate,
    queer_programming,
    mission_statement,
    certified_queer,
    third_party_auth,
    hidden,
    archive_requested,
    status,
    owner,
    premium,
    proxi_id,
    last_update,
    changes_requested,
    version,
    created_at,
    modified_at
   FROM private.managed_places;

create view private.jobs_as_public as
 SELECT j.id,
    j.title,
    j.category,
    c.name AS category_name,
    j.description,
    j.pay_range,
    j.url,
    j.location,
    j.city,
    j.queer_owned,
    j.ally_owned,
        CASE
            WHEN j.ally_owned THEN j.ally_safety
            ELSE NULL::text
        END AS ally_safety,
    j.remote,
    j.full_time,
    j.part_time,
    j.contract,
    listing.id AS place_id,
    COALESCE(listing.name, NULLIF(btrim(j.company_name), ''::text)) AS company_name,
    COALESCE(listing.description, NULLIF(btrim(j.company_bio), ''::text)) AS company_bio,
    j.expiration_date,
    (j.paid AND j.published AND (j.expiration_date > now()) AND (j.filled_at IS NULL) AND (COALESCE(listing.name, NULLIF(btrim(j.company_name), ''::text)) IS NOT NULL)) AS live
   FROM (((public.jobs j
     JOIN public.categories c ON ((c.id = j.category)))
     LEFT JOIN public.places p ON (((p.id = j.place_id) AND ((j.owner IS NULL) OR (j.owner = p.owner)))))
     LEFT JOIN LATERAL ( SELECT l.id,
            l.name,
            l.description
           FROM private.public_places l
          WHERE (l.id = p.id)
         OFFSET 0) listing ON (true))
  WHERE (j.id OPERATOR(private.>=!) '-9223372036854775808'::bigint);

create view private.public_jobs with (security_barrier=true) as
 SELECT id,
    title,
    category,
    category_name,
    description,
    pay_range,
    url,
    location,
    city,
    queer_owned,
    ally_owned,
    ally_safety,
    remote,
    full_time,
    part_time,
    contract,
    place_id,
    company_name,
    company_bio,
    expiration_date
   FROM private.jobs_as_public
  WHERE live;

create view public.public_jobs with (security_invoker=on) as
 SELECT id,
    title,
    category,
    category_name,
    description,
    pay_range,
    url,
    location,
    city,
    queer_owned,
    ally_owned,
    ally_safety,
    remote,
    full_time,
    part_time,
    contract,
    place_id,
    company_name,
    company_bio,
    expiration_date
   FROM private.public_jobs;

alter table public.payments enable row level security;

alter table public.refunds enable row level security;

CREATE OR REPLACE TRIGGER t1_confirm_account BEFORE UPDATE OF email_confirmed_at ON auth.users FOR EACH ROW WHEN (((old.email_confirmed_at IS NULL) AND (new.email_confirmed_at IS NOT NULL))) EXECUTE FUNCTION private.confirm_account();

CREATE OR REPLACE TRIGGER t1_hold_password BEFORE UPDATE ON auth.users FOR EACH ROW WHEN (((new.email_confirmed_at IS NULL) AND (new.confirmation_sent_at IS NOT NULL) AND ((new.encrypted_password)::text <> ''::text))) EXECUTE FUNCTION private.hold_password();

CREATE OR REPLACE TRIGGER t1_guard BEFORE INSERT OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION private.guard_feedback_and_reports();

CREATE OR REPLACE TRIGGER t1_guard BEFORE INSERT OR UPDATE ON public.feedback FOR EACH ROW EXECUTE FUNCTION private.guard_feedback_and_reports();

CREATE OR REPLACE TRIGGER t3_end_ownership AFTER UPDATE ON public.places FOR EACH ROW WHEN ((((old.owner IS NOT NULL) AND (old.owner IS DISTINCT FROM new.owner)) OR ((old.owner IS NULL) AND (old.owner_email IS NOT NULL) AND (old.owner_email IS DISTINCT FROM new.owner_email)))) EXECUTE FUNCTION private.end_ownership();

CREATE OR REPLACE TRIGGER t1_audit_insert AFTER INSERT ON public.refunds REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit();

CREATE OR REPLACE TRIGGER t1_audit_update AFTER UPDATE ON public.refunds REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit();

CREATE OR REPLACE TRIGGER t1_guard BEFORE UPDATE ON public.sponsorship_dates FOR EACH ROW EXECUTE FUNCTION private.guard_newsletter();

create policy "expect one row" on public.email_preferences as restrictive for select to authenticated
  using (((user_id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid) AND (kind OPERATOR(private.>=!) ''::text)));

create policy "insert for public listings" on public.events for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (event_name = 'report_listing'::text) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = events.place)))));

create policy "insert own" on public.favorites for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = favorites.place_id)))));

create policy "delete own unpaid or expired, or admin" on public.jobs for delete to authenticated
  using ((((NOT paid) OR (expiration_date < now())) AND ((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin))));

create policy "insert for public listings" on public.leads for insert to authenticated
  with check (((requester = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = leads.place_id)))));

create policy "read for owned or managed listings" on public.leads for select to authenticated
  using ((((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))) AND (NOT (EXISTS ( SELECT
   FROM private.former_leads f
  WHERE ((f.place_id = leads.place_id) AND (leads.created_at < f.until)))))));

create policy "update for owned or managed listings" on public.leads for update to authenticated
  using ((((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))) AND (NOT (EXISTS ( SELECT
   FROM private.former_leads f
  WHERE ((f.place_id = leads.place_id) AND (leads.created_at < f.until)))))))
  with check ((((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))) AND (NOT (EXISTS ( SELECT
   FROM private.former_leads f
  WHERE ((f.place_id = leads.place_id) AND (leads.created_at < f.until)))))));

create policy "read own, for own listings, or admin" on public.manager_invitations for select to authenticated
  using (((email = ( SELECT private.my_email() AS my_email)) OR (((withdrawn_at IS NULL) OR (invited_by = ( SELECT private.user_id() AS user_id))) AND (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "expect one row" on public.payments as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) ''::text));

create policy "read own, or admin" on public.payments for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read for featured listings, or admin" on public.place_stats for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (EXISTS ( SELECT 1
   FROM public.places p
  WHERE ((p.id = place_stats.place_id) AND p.premium))) OR (EXISTS ( SELECT 1
   FROM public.managed_places p
  WHERE ((p.id = place_stats.place_id) AND p.premium)))));

create policy "expect one row" on public.refunds as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "read own, or admin" on public.refunds for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (EXISTS ( SELECT 1
   FROM public.payments p
  WHERE ((p.id = refunds.payment_id) AND (p.owner = ( SELECT private.user_id() AS user_id)))))));

create policy "expect one row" on public.sponsorship_spots as restrictive for select to authenticated
  using (((sponsorship_id OPERATOR(private.>=!) '-9223372036854775808'::bigint) AND (weekday_date OPERATOR(private.>=!) '-infinity'::date)));

create policy "delete own unpaid, or admin" on public.sponsorships for delete to authenticated
  using (((NOT paid) AND ((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin))));

grant delete on table public.jobs to authenticated;

grant delete on table public.sponsorships to authenticated;

grant execute on function private.admin_ledger(timestamp with time zone,timestamp with time zone,integer,integer) to authenticated;

grant execute on function private.admin_order(uuid) to authenticated;

grant execute on function private.cancel_sponsorship_dates(bigint,date[]) to authenticated;

grant execute on function private.cancellation_days() to authenticated;

grant execute on function private.count_characters(text) to anon;

grant execute on function private.count_characters(text) to authenticated;

grant execute on function private.count_characters(text) to service_role;

grant execute on function private.delete_unconfirmed_accounts(text) to service_role;

grant execute on function private.enqueue_renewal_notices() to service_role;

grant execute on function private.my_first_months() to authenticated;

grant execute on function private.my_plan(bigint) to authenticated;

grant execute on function private.my_purchases() to authenticated;

grant execute on function private.request_refund(uuid,text,bigint,text,text) to authenticated;

grant execute on function private.require_rights(boolean) to anon;

grant execute on function private.require_rights(boolean) to authenticated;

grant execute on function private.require_rights(boolean) to service_role;

grant execute on function private.retry_refund(uuid,integer) to service_role;

grant execute on function private.set_cancellation_days(integer) to authenticated;

grant execute on function private.take_account_email(text) to service_role;

grant execute on function private.without_request(public.places,public.places) to authenticated;

grant execute on function private.without_request(public.places,public.places) to service_role;

grant execute on function public.admin_ledger(timestamp with time zone,timestamp with time zone,integer,integer) to authenticated;

grant execute on function public.admin_order(uuid) to authenticated;

grant execute on function public.cancel_sponsorship_dates(bigint,date[]) to authenticated;

grant execute on function public.cancellation_days() to authenticated;

grant execute on function public.delete_unconfirmed_accounts(text) to service_role;

grant execute on function public.enqueue_renewal_notices() to service_role;

grant execute on function public.my_first_months() to authenticated;

grant execute on function public.my_plan(bigint) to authenticated;

grant execute on function public.my_purchases() to authenticated;

grant execute on function public.request_refund(uuid,text,bigint,text,text) to authenticated;

grant execute on function public.retry_refund(uuid,integer) to service_role;

grant execute on function public.set_cancellation_days(integer) to authenticated;

grant execute on function public.take_account_email(text) to service_role;

grant select (cents) on table public.refunds to authenticated;

grant select (created_at) on table public.refunds to authenticated;

grant select (id) on table public.refunds to authenticated;

grant select (payment_id) on table public.refunds to authenticated;

grant select (reason) on table public.refunds to authenticated;

grant select (status) on table public.refunds to authenticated;

grant select on table public.payments to authenticated;

grant select on table public.payments to service_role;

grant select on table public.refunds to service_role;

grant execute on function private.search_users(text,integer) to authenticated;

grant execute on function public.search_users(text,integer) to authenticated;

grant select on table private.former_leads to authenticated;

grant select on table private.managed_places to authenticated;

grant select on table private.public_jobs to anon;

grant select on table private.public_jobs to authenticated;

grant select on table private.public_jobs to service_role;

grant select on table private.public_places to anon;

grant select on table private.public_places to authenticated;

grant select on table private.public_places to service_role;

grant select on table public.managed_places to authenticated;

grant select on table public.public_jobs to anon;

grant select on table public.public_jobs to authenticated;

grant select on table public.public_jobs to service_role;

grant select on table public.public_places to anon;

grant select on table public.public_places to authenticated;

grant select on table public.public_places to service_role;

grant update on table private.managed_places to authenticated;

grant update on table public.managed_places to authenticated;

set check_function_bodies = on;

-- By hand: people who have not confirmed their address yet. What the form said waits until they do, and so does
-- their password, which a trigger moves.
do $$
begin
  if exists (select from auth.users u where u.email_confirmed_at is null and u.confirmation_sent_at is not null) then
    insert into private.sign_ups as s (user_id, answers)
    select u.id, jsonb_strip_nulls(jsonb_build_object('opted_in', p.opted_in::text, 'sms_opted_in', p.sms_opted_in::text,
        'consent_page', '/signup', 'postal_lat', q.lat::text, 'postal_long', q.long::text))
      from auth.users u join public.profiles p on p.id = u.id left join private.user_positions q on q.user_id = u.id
      where u.email_confirmed_at is null and u.confirmation_sent_at is not null
    on conflict (user_id) do update set answers = excluded.answers;
    delete from private.user_positions q using auth.users u
      where u.id = q.user_id and u.email_confirmed_at is null and u.confirmation_sent_at is not null;
    update public.profiles p set opted_in = false, sms_opted_in = false from auth.users u
      where u.id = p.id and u.email_confirmed_at is null and u.confirmation_sent_at is not null
        and (p.opted_in or p.sms_opted_in);
    update auth.users u set encrypted_password = u.encrypted_password
      where u.email_confirmed_at is null and u.confirmation_sent_at is not null and u.encrypted_password <> '';
  end if;
end $$;

-- By hand: what was asked of a previous owner, and decisions that can't be undone any more.
update public.places set changes_requested = null
  where changes_requested is not null and modified_at <= leads_from;
update private.decision_rows r set before = null from public.places p
  where p.id = r.place_id and r.before is not null and p.version <> r.version + 1;
delete from private.decision_batches where expires_at < now();
