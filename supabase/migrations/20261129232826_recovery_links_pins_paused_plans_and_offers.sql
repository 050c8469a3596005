-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function private.take_account_email(text,text) from service_role;

drop function private.take_account_email(text,text);

drop function public.enqueue_account_email(text,text,text,jsonb);

drop function private.enqueue_account_email(text,text,text,jsonb);

CREATE OR REPLACE FUNCTION private.admin_audit(filter jsonb, after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  conditions text := '';
  who constant text := btrim(filter ->> 'who');
  from_time constant timestamptz := nullif(filter ->> 'from', '')::date::timestamp at time zone 'UTC';
  to_time constant timestamptz := (nullif(filter ->> 'to', '')::date + 1)::timestamp at time zone 'UTC';
begin
  perform private.require_admin();
  if who ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    conditions := format(' and a.actor = %L', who::uuid);
  elsif who <> '' then
    conditions := format(' and a.actor = any (%L::uuid[])', array(
      select p.id from public.profiles p, private.search_query(who) query
      where p.full_name_search @@ query or p.email_search @@ query
      order by p.admin desc, p.created_at desc limit 1000));
  end if;
  if filter ->> 'action' <> '' then
    conditions := conditions || format(' and a.action = %L', filter ->> 'action');
  end if;
  if filter ->> 'subject' <> '' then
    conditions := conditions || format(' and a.subject = %L', filter ->> 'subject');
  end if;
  if btrim(filter ->> 'subject_id') <> '' then
    conditions := conditions || format(' and a.subject_id = %L', lower(btrim(filter ->> 'subject_id')));
  end if;
  if from_time is not null then
    conditions := conditions || format(' and a.at >= %L', from_time);
  end if;
  if to_time is not null then
    conditions := conditions || format(' and a.at < %L', to_time);
  end if;
  return jsonb_build_object('actions', private.audit_actions()) || private.keyset_page(
    'select a.at, a.id, jsonb_build_object(''id'', a.id, ''at'', a.at, ''actor'', a.actor, ''actor_role'', a.actor_role,
        ''actor_name'', (select p.full_name from public.profiles p where p.id = a.actor),
        ''known'', exists (select from public.profiles p where p.id = a.actor),
        ''by_admin'', exists (select from public.profiles p where p.id = a.actor and p.admin),
        ''action'', a.action, ''subject'', a.subject, ''subject_id'', a.subject_id,
        ''subject_name'', case a.subject
          when ''places'' then (select p.name from public.places p where p.id = a.subject_id::bigint)
          when ''jobs'' then (select j.title from public.jobs j where j.id = a.subject_id::bigint)
          when ''profiles'' then (select coalesce(p.full_name, '''') from public.profiles p where p.id = a.subject_id::uuid) end,
        ''people'', coalesce((select jsonb_object_agg(p.id, coalesce(p.full_name, '''')) from public.profiles p
          where p.id = any (array(select (v #>> ''{}'')::uuid
            from jsonb_path_query(jsonb_build_array(a.before, a.after), ''$[*].*[*]'') v
            where v #>> ''{}'' ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$''))), ''{}''),
        ''before'', a.before, ''after'', a.after) as item
      from public.audit_log a where true' || conditions,
    '{at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.copy_account_email()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  confirmed constant text := case when new.email_confirmed_at is not null then nullif(lower(new.email), '') end;
begin
  -- First, so that no copy of the old address is made from here on (hold_account_email).
  update public.profiles set email = new.email where id = new.id;
  if old.email <> '' and old.email_confirmed_at is not null then
    delete from auth.sessions s where s.user_id = new.id;
  end if;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p where p.owner = new.id order by p.id for no key update;
  update public.places p set owner_email = confirmed where p.owner = new.id;
  -- As when a listing goes to someone else (private.move_jobs).
  perform 1 from public.jobs j where j.owner = new.id order by j.id for update;
  update public.jobs j set owner_email = confirmed where j.owner = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.edit_changes(place public.places)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select json_agg(json_build_object('column', e.key, 'before', e.value, 'after', current_values.row -> e.key)
    order by array_position(private.reviewed_columns(), e.key))
  from (select to_jsonb(place) as row offset 0) current_values, jsonb_each(
    case when place.last_update ?| array['lat', 'long'] then jsonb_build_object('lat', place.lat, 'long', place.long) else '{}' end
      || place.last_update) e
$function$;

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
  if news = 'job-republished' then
    -- (Waits for a process that begins to send it.)
    delete from private.email_queue n where n.recipient = old.owner and n.kind = 'job-unpublished'
      and n.data ->> 'job_id' = new.id::text and n.sent_at is null and n.attempts = 0;
    if found then
      return null;
    end if;
  end if;
  -- Of someone else: guard_job lets only an admin do that.
  if news is not null and old.owner <> private.user_id() then
    perform private.enqueue_email(old.owner, null, news,
      format('%s:%s:%s', news, new.id, extract(epoch from new.modified_at)),
      jsonb_build_object('job_id', new.id, 'title', case when news = 'job-edited' then old.title else new.title end)
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
        jsonb_build_object('place_id', listing.id, 'name', listing.name, 'fields', to_jsonb(fields)) || news
      from private.email_queue n
      where n.recipient = listing.owner and starts_with(n.key, format('listing-changed:%s:', listing.id));
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
      jsonb_build_object('sponsorship_id', new.id, 'business', coalesce(
        (select private.approved_name(p.id) from public.places p where p.id = new.place_id and p.owner = new.owner),
        -- Of what became of a listing since, its former owner learns nothing.
        (select max(o.item_name) from public.orders o where o.sponsorship_id = new.id and o.paid_at is not null),
        'a listing')));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_email_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.email_change := '';
  new.email_change_token_new := '';
  new.email_change_token_current := '';
  new.email_change_confirm_status := 0;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  purpose constant text := case enqueue_account_email.kind
    when 'account-confirmation' then 'sign-up'
    when 'account-recovery' then 'recovery'
  end;
begin
  if exists (select from private.email_queue n where n.key = enqueue_account_email.key) then
    return true;
  elsif purpose is not null
    and not private.take_account_email(enqueue_account_email.address, purpose, 'the auth service') then
    return false;
  end if;
  delete from private.email_queue n where n.sent_at is null and n.address = enqueue_account_email.address
    and n.kind = enqueue_account_email.kind and n.key <> enqueue_account_email.key
    and n.data ->> 'user' = enqueue_account_email.data ->> 'user';
  insert into private.email_queue (address, kind, key, data)
  values (enqueue_account_email.address, enqueue_account_email.kind, enqueue_account_email.key, enqueue_account_email.data)
  on conflict do nothing;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_expiring_job_emails()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(j.owner, null, 'job-expiring',
    format('job-expiring:%s:%s:%s', j.id,
      to_char(j.expiration_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), j.owner),
    jsonb_build_object('job_id', j.id, 'title', j.title, 'expiration_date', j.expiration_date,
      'shown', private.job_names_company(j.id)))
  from public.jobs j
  where j.paid and j.published and j.filled_at is null and j.owner is not null
    and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing');
end $function$;

CREATE OR REPLACE FUNCTION private.favorites_in_tens(user_id uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select count(*)::integer / 10 * 10 from public.favorites f
  where f.user_id = favorites_in_tens.user_id
    and f.created_at < private.week_of(now())::timestamp at time zone 'UTC'
$function$;

CREATE OR REPLACE FUNCTION private.get_available_sponsorship_dates(weeks integer)
 RETURNS TABLE(weekday_date date, day_of_week text, sponsorship_count integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select d::date, case extract(isodow from d) when 2 then 'Tuesday' else 'Thursday' end,
    (select count(*)::integer from public.sponsorship_spots s
      where s.weekday_date = d::date and (s.held_until is null or s.held_until > now()))
  from generate_series(private.today() + 1, least(private.today() + 7 * greatest(weeks, 1), private.last_offered_day()),
    interval '1 day') d
  where private.is_newsletter_day(d::date)
    and not exists (select 1 from public.sponsorship_dates b where b.weekday_date = d::date and b.blocked)
  order by 1
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
    -- Unpublishing is never refused. To do it again, the job has to be published, which counts.
    if by_owner and not (old.published and not new.published) then
      perform private.limit_account_changes('too_many_job_changes');
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

CREATE OR REPLACE FUNCTION private.last_offered_day()
 RETURNS date
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.today() + 7 * 12 $function$;

CREATE OR REPLACE FUNCTION private.listing_states()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with recursive each_state (state, n) as (
    (select p.state, 1 from public.places p where p.status = 'published' and p.state > '' order by p.state limit 1)
    union all
    select (select p.state from public.places p where p.status = 'published' and p.state > e.state
        order by p.state limit 1), e.n + 1
    from each_state e where e.state is not null and e.n < 500
  )
  select coalesce(jsonb_agg(state order by state) filter (where state is not null), '[]') from each_state
$function$;

CREATE OR REPLACE FUNCTION private.open_order(buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean, days integer, checked text[])
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
  cancel_until constant integer := case when kind = 'sponsorship' then private.cancellation_days(null) end;
  -- The provider accepts no end that is less than 30 minutes away, by its clock and when our request arrives.
  checkout_lasts constant interval := interval '32 minutes';
  already_bought boolean;
  discount text := coupon;
  current public.orders;
  is_same boolean;
  -- When the job that is renewed expires.
  ends timestamptz;
  not_held jsonb;
  unknown jsonb;
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
  -- Its listing before it, as when that goes to someone else (release_orders). A hold refers to both.
  perform 1 from public.places p where p.id = (select s.place_id from public.sponsorships s where s.id = sponsorship)
    for key share;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false), j.title, j.expiration_date into already_bought, name, ends
      from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer, p.name, s.sponsorship_dates
      into already_bought, amount, cents, name, dates
      from public.sponsorships s join public.places p on p.id = s.place_id where s.id = sponsorship;
  else
    -- The caller has checked whose it is; it may have gone to someone else since.
    select p.premium, p.name into already_bought, name from public.places p where p.id = place and p.owner = buyer;
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
  elsif kind = 'upgrade' and exists (select from public.places p
    where p.id = place and (p.status in ('archived', 'flagged') or p.archive_requested)) then
    return jsonb_build_object('refused', 'archived');
  elsif kind = 'upgrade' and exists (select from public.subscriptions s where s.place_id = place and s.status = 'paused') then
    -- It may be paid for, and goes on when our team resumes it: it ends only when its owner asks for that.
    return jsonb_build_object('refused', case when exists (select from public.subscriptions s
      where s.place_id = place and s.status = 'paused' and s.owner = buyer) then 'paused' else 'paused-by-another' end);
  elsif exists (select from private.account_deletions d where d.user_id = buyer) then
    return jsonb_build_object('refused', 'account-ends');
  end if;

  select * into current from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
      and o.paid_at is null and o.status <> 'canceled'
    for update;
  if current.status = 'processing' then
    return jsonb_build_object('refused', 'processing');
  end if;
  unknown := private.unknown_checkouts(buyer, job, sponsorship, place, checked);
  if unknown is not null then
    return jsonb_build_object('check', unknown);
  end if;
  is_same := (current.owner, current.plan, current.quantity, current.days, current.unit_price_cents,
      current.coupon)
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, discount)
    and coalesce(current.item_dates, dates) is not distinct from dates
    -- A renewal publishes a job that had expired when its order was opened (fulfill_order).
    and not coalesce(ends > coalesce(current.opened_at, current.created_at) and ends <= now(), false)
    -- Its receipt names the listing that it is for.
    and (sponsorship is null or coalesce(current.item_name, left(name, 300)) is not distinct from left(name, 300));
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
      unit_price_cents, coupon, expires_at, item_name, item_dates, opened_at,
      cancellation_days)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents, discount,
      now() + checkout_lasts, left(name, 300), dates, now(), cancel_until)
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + checkout_lasts - interval '30 seconds', true) then
    -- The provider takes the same attempt only with the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'coupon', current.coupon,
      'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id, 'own', o.owner = buyer
        and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false))), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
          or (open_order.kind = 'upgrade' and o.kind = 'upgrade' and o.owner = buyer and o.id <> current.id
            and o.coupon = current.coupon))
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $function$;

CREATE OR REPLACE FUNCTION private.preview_job(job_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select to_jsonb(v) || jsonb_build_object('owner_email',
    case when j.owner is null and private.is_admin() then private.masked_email(j.owner_email) end)
  from public.jobs j join private.jobs_as_public v on v.id = j.id
  where j.id = job_id and (j.owner = private.user_id() or private.is_admin())
$function$;

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
  purchases constant jsonb := jsonb_path_query_array(coalesce(facts -> 'payments', '[]'), '$[*] ? (@.reason == "purchase")');
  -- Nothing was ever Featured for it.
  late constant boolean := exists (select from jsonb_array_elements(purchases) paid
    where private.arrived_late(paid, (sub ->> 'ended_at')::timestamptz));
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  featured_changed boolean := false;
  payments_changed boolean := false;
  dispute text;
  lost_cents bigint;
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
    elsif was.paid_at is null and not late then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time, or late, when it may be on its way again: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates, opened_at, cancellation_days)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid',
        case when was.paid_at is null then 'changed' else 'paid-twice' end, now(), session ->> 'id',
        was.item_name, was.item_dates, was.opened_at, was.cancellation_days)
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
      -- What was charged: the amount of the session is that of before the customer's credit.
      now_is.amount_paid_cents := coalesce(was.amount_paid_cents,
        (select sum((paid ->> 'cents')::bigint) from jsonb_array_elements(purchases) paid),
        (session ->> 'paid_cents')::bigint);
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          when late and was.owner is not null then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          if was.sponsorship_id is not null then
            -- Its buyer may have changed it since, at the same price: what was booked is what they have bought.
            select s.sponsorship_dates, left(p.name, 300) into now_is.item_dates, now_is.item_name
              from public.sponsorships s join public.places p on p.id = s.place_id where s.id = was.sponsorship_id;
          end if;
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
      -- No one is asked to pay for a listing that has gone to someone else while the payment was on its way.
      now_is.status := case when state in ('expired', 'failed') and exists (select from public.places p
        where p.id = was.place_id and p.owner is distinct from was.owner) then 'canceled' else state end;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif now_is.status in ('expired', 'failed') and was.status <> state then
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
        -- A plan that is unpaid has emails of its own.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('past_due', 'canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at,
      credit_cents, plus_tax, awaits_payment)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      -- What is refunded may be for another one, which was begun after its first payment had failed.
      now_is.refund_reason is not null and now_is.stripe_subscription_id is not distinct from sub ->> 'id',
      1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz,
      coalesce((sub ->> 'credit_cents')::bigint, 0), coalesce((sub ->> 'plus_tax')::boolean, false),
      coalesce((sub ->> 'awaits_payment')::boolean, false))
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      credit_cents = coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents),
      plus_tax = coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
      awaits_payment = coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment),
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at, s.credit_cents, s.plus_tax,
          s.awaits_payment)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at,
          coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents), coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
          coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment))
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
      update public.subscriptions s set credit_cents = sub_now.credit_cents, seen = s.seen + 1, modified_at = now()
        where s.stripe_customer_id = sub_now.stripe_customer_id and s.credit_cents <> sub_now.credit_cents;
    end if;
  end if;

  -- While the first payment is on its way, and when it has failed, a change of plan may be paid for.
  if now_is.paid_at is not null or (sub is not null and (now_is.id is null
    or exists (select from jsonb_array_elements(facts -> 'payments') paid where paid ->> 'reason' <> 'purchase'))) then
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      (sub ->> 'ended_at')::timestamptz, coalesce(facts -> 'payments', '[]'));
  end if;
  if now_is.paid_at is not null and exists (select from public.payments p where p.order_id = now_is.id) then
    if now_is.refund_reason is not null then
      perform private.add_refund(p.id, null, now_is.refund_reason) from public.payments p
        where p.order_id = now_is.id and p.cents > 0 and p.dispute is distinct from 'open'
          and p.dispute is distinct from 'lost'
          -- One that failed is tried again, and not made a second time.
          and not exists (select from public.refunds r where r.payment_id = p.id and r.status = 'failed');
    end if;
    select coalesce(sum(p.refunded_cents), 0), coalesce(sum(p.disputed_cents) filter (where p.dispute = 'lost'), 0),
        case when bool_or(p.dispute = 'lost') then 'lost' when bool_or(p.dispute = 'open') then 'open' end
      into now_is.amount_refunded_cents, lost_cents, dispute
      from public.payments p where p.order_id = now_is.id and p.reason = 'purchase';
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when dispute is not null then 'disputed'
      else 'paid' end;
    -- What was lost in part is still paid for in part, as after a refund in part.
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or (dispute = 'lost'
        and now_is.amount_refunded_cents + lost_cents >= now_is.amount_paid_cents)) then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null or payments_changed) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen, item_dates = now_is.item_dates, item_name = now_is.item_name,
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
    if tg_op = 'DELETE' then
      delete from auth.mfa_amr_claims a using auth.sessions s
        where s.id = a.session_id and s.factor_id = old.id and a.authentication_method = 'totp';
      update auth.sessions s set aal = 'aal1', factor_id = null where s.factor_id = old.id;
    end if;
  elsif tg_op = 'UPDATE' then
    perform private.report_second_step(old.user_id, 'on', old.user_id);
  -- (Of several that go in one statement, each is the last one here: the first has done it all.)
  elsif exists (select from auth.users u where u.id = old.user_id)
    and current_setting('app.second_step_ended', true) is distinct from old.user_id::text then
    perform set_config('app.second_step_ended', old.user_id::text, true);
    delete from private.recovery_codes c where c.user_id = old.user_id;
    if coalesce(current_setting('app.second_step_change', true), '') = '' then
      delete from auth.sessions s where s.user_id = old.user_id and s.aal is distinct from 'aal2';
    end if;
    delete from auth.mfa_amr_claims a using auth.sessions s
      where s.id = a.session_id and s.user_id = old.user_id and a.authentication_method = 'totp';
    update auth.sessions s set aal = 'aal1', factor_id = null where s.user_id = old.user_id and s.aal = 'aal2';
    perform private.report_second_step(old.user_id,
      coalesce(nullif(current_setting('app.second_step_change', true), ''), 'off'), private.session_user_id());
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.reset_new_place(place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if by_owner then
    place.owner := private.user_id();
    perform private.hold_account_email(place.owner);
    -- (A change of the address ends the session.)
    perform private.require_rights(place.owner = private.user_id());
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place := private.with_subscription_columns(place, null);
    place.leads_from := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
  end if;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.spot_outcome(item public.sponsorships, day date, permanent boolean, held_before date[])
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case
      when exists (select 1 from public.sponsorship_spots s
        where s.sponsorship_id = item.id and s.weekday_date = day)
        -- What was sent is not for sale again, also after it was refunded.
        and (permanent or day > private.today()) then 'held'
      when d.blocked or (not permanent and day > private.last_offered_day()) then 'blocked'
      when d.weekday_date <= private.today() then 'past'
      when not (permanent and day = any (held_before)) and exists (
        select 1 from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
        where s.weekday_date = day and o.place_id = item.place_id) then 'duplicate'
      when d.held_count + d.paid_count >= private.spots_per_newsletter() then 'full'
      else 'held'
    end
  from public.sponsorship_dates d where d.weekday_date = day
$function$;

CREATE OR REPLACE FUNCTION private.start_export(what text, about jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  entry bigint;
begin
  perform private.require_admin();
  if what is null or what not in ('users', 'listings')
    or jsonb_typeof(about) = 'object' and (select count(*) > 20 or max(length(key)) > 30 from jsonb_object_keys(about) key)
  then
    perform private.refuse('export_unknown');
  end if;
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), auth.role(), 'export', 'exports', what, jsonb_build_object('contacts', true, 'filter', (
    select coalesce(jsonb_object_agg(key, case when key in ('name', 'email', 'search') then '"[withheld]"'
      else to_jsonb(left(value, 100)) end), '{}')
    from jsonb_each_text(case when jsonb_typeof(about) = 'object' then about else '{}' end) used
      where value <> '')))
  returning id into entry;
  delete from private.exports e where e.begun_at < now() - interval '1 hour';
  insert into private.exports (entry, filter_hash) values (entry, private.filter_hash(entry, about));
  return entry;
end $function$;

CREATE OR REPLACE FUNCTION private.take_account_email(email text, purpose text, asked_by text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
  account constant auth.users := (select u from auth.users u where u.email = address and not u.is_sso_user);
  known constant boolean := account.id is not null;
  few constant boolean := (known or purpose <> 'recovery' or asked_by <> 'our pages')
    and private.take_rate_token(format('account email (%s, %s) to %s', purpose, asked_by, address), 3, 3600) = 0;
begin
  return (few or (purpose = 'sign-up' and not known))
    and (mailbox = address or account.email_confirmed_at is not null
      or private.take_rate_token(format('account emails (%s) to %s', asked_by, mailbox), 10, 3600) = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.update_featured(place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.places p set premium = s.featured or s.by_hand,
      premium_created_at = case when s.by_hand and not s.featured then p.premium_created_at else s.started_at end,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when s.live then s.ends_at end
  from (
    select f.*, private.keeps_featured(f) as featured, private.subscription_is_live(f.status) as live,
      coalesce(l.premium and not private.subscription_is_live(l.subscription_status), false) as by_hand
    from public.subscriptions f join public.places l on l.id = f.place_id
    where f.place_id = place and f.status not in ('incomplete', 'incomplete_expired')
      and (not f.surplus or f.id = l.stripe_subscription_id)
    order by private.keeps_featured(f) desc, f.surplus, private.subscription_is_live(f.status) desc, f.started_at desc,
      f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (s.featured or s.by_hand,
        case when s.by_hand and not s.featured then p.premium_created_at else s.started_at end,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when s.live then s.ends_at end);
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.visible(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(regexp_replace(private.require_cleanable(value),
    '[\u00ad\u034f\u115f\u1160\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U00013441\U00013442\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]',
    '', 'g'), '(^|\s)[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+', '\1', 'g')
$function$;

CREATE OR REPLACE FUNCTION public.enqueue_account_email(address text, kind text, key text, data jsonb)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.enqueue_account_email(address, kind, key, data) $function$;

CREATE OR REPLACE FUNCTION public.my_dashboard(search text DEFAULT NULL::text, show text DEFAULT NULL::text, page integer DEFAULT 1, page_rows integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
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
          when s.subscription_status in ('past_due', 'unpaid') and not private.asks_for_payment(p) then 'canceled'
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
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.take_account_email(email text, purpose text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.take_account_email(email, purpose, 'our pages') $function$;

CREATE INDEX places_published_state ON public.places USING btree (state) WHERE (status = 'published'::text);

CREATE OR REPLACE TRIGGER t1_end_email_change BEFORE UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN ((((old.encrypted_password)::text <> ''::text) AND ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text) AND (NOT ((new.email_change)::text IS DISTINCT FROM (old.email_change)::text)))) EXECUTE FUNCTION private.end_email_change();

grant execute on function private.take_account_email(text,text,text) to service_role;

grant execute on function private.enqueue_account_email(text,text,text,jsonb) to service_role;

grant execute on function public.enqueue_account_email(text,text,text,jsonb) to service_role;

set check_function_bodies = on;

-- The key of an email that a job ends soon names its owner now. Without this, those that were sent would be sent again.
update private.email_queue n set key = n.key || ':' || n.recipient
  where n.kind = 'job-expiring' and n.recipient is not null and not n.key like '%:' || n.recipient;
