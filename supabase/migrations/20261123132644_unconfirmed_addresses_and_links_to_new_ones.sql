-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

alter table public.profiles drop constraint profiles_favorites_count_check;

drop function private.account_metadata(jsonb);

-- Admins read favorites_in_tens() instead. The code of the release before this one reads the number from functions alone.
alter table public.profiles drop column favorites_count;

CREATE OR REPLACE FUNCTION private.address_of_link(token_hash text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select private.target_of_link(token_hash) ->> 'address' $function$;

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
      'supporter', p.supporter, 'admin', p.admin, 'favorites', private.favorites_in_tens(p.id), 'created_at', p.created_at,
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
        ''favorites'', private.favorites_in_tens(p.id), ''admin'', p.admin, ''created_at'', p.created_at,
        ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || conditions,
    '{created_at,id}', '{timestamptz,uuid}', after, before, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.count_favorites()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.place_stats as s (place_id, favorites)
    select place_id, count(*) from new_rows group by place_id order by place_id
    on conflict (place_id) do update set favorites = s.favorites + excluded.favorites;
  else
    update public.place_stats s set favorites = s.favorites - g.removed
    from (select place_id, count(*) as removed from old_rows group by place_id) g where s.place_id = g.place_id;
  end if;
  return null;
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
      'sponsorships', (select count(*) from public.sponsorships s where s.owner = p.id),
      'leads', (select count(*) from public.leads l where l.requester = p.id),
      'favorites', private.favorites_in_tens(p.id),
      'feedback', (select count(*) from public.feedback f where f.userid = p.id))
    from public.profiles p where p.id = deletion_effects.user_id);
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
  -- An address that no one has confirmed is not theirs: without it, nothing is deleted by address.
  select case when u.email_confirmed_at is not null then lower(u.email) end into user_email
    from auth.users u where u.id = erase_user.user_id for update;
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
      owner_email = case when p.owner_email is distinct from user_email then p.owner_email end,
      public_email = case when lower(p.public_email) is distinct from user_email then p.public_email end,
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
  delete from public.leads l where lower(l.requester_email) = user_email;
  delete from private.email_queue q where q.address <> '' and (q.address = user_email
    or q.data ->> 'user' = erase_user.user_id::text);
  -- What admins wrote about refunds of theirs. (The refunds remain: they are in the books.)
  update public.refunds r set note = null from public.payments p
    where p.id = r.payment_id and p.owner = erase_user.user_id and r.note is not null;
  delete from public.manager_invitations i where i.email = user_email or i.accepted_by = erase_user.user_id;
  -- Edits that others have not submitted and that contain their address.
  delete from public.listing_drafts d where d.form is not null and private.has_address(d.fields, user_email);
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
  perform private.require_export(entry, 'listings');
  ids := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
  return jsonb_build_object(
    'rows', (select coalesce(jsonb_agg(to_jsonb(p) - array['name_search', 'name_key', 'submission_id',
      'last_update', 'leads_from']
          || jsonb_build_object('category_name', c.name, 'owner_name', o.full_name)
          || case when entry is null then jsonb_build_object('mailingaddress', null, 'owner_email',
            private.masked_email(p.owner_email))
            else '{}' end order by w.n), '[]')
      from unnest(ids[1:size]) with ordinality w (id, n)
      join public.places p on p.id = w.id
      join public.categories c on c.id = p.category
      left join public.profiles o on o.id = p.owner),
    'next', (select private.review_cursor(p, sort) from public.places p
      where p.id = ids[size] and cardinality(ids) > size));
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
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', private.favorites_in_tens(p.id),
        ''created_at'', p.created_at, ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.favorites_in_tens(user_id uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select count(*)::integer / 10 * 10 from public.favorites f where f.user_id = favorites_in_tens.user_id $function$;

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

CREATE OR REPLACE FUNCTION private.has_address(value jsonb, address text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select exists (select from jsonb_path_query(value, 'lax $.**') found
    where jsonb_typeof(found) = 'string' and lower(found #>> '{}') ~ ('(?<![[:alnum:]._%+-])'
      || regexp_replace(address, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_-]|\.[[:alnum:]])'))
$function$;

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
      version, created_at, modified_at, leads_from}'::text[] || private.reviewed_columns()),
    -- Without an owner, and with the caller's address as owner_email.
    ('listings_to_claim', 'public.places', 'r.owner is null and r.owner_email = $2',
      '{id, name, city, state, status, owner_email, created_at}'),
    ('drafts', 'public.listing_drafts', 'r.owner = $1', '{id, fields, created_at, updated_at, form, expires}'),
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

CREATE OR REPLACE FUNCTION private.review_listings(filter jsonb, after text, before text, page_rows integer, also jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  size integer := private.page_size(page_rows, 250);
  sort text := (private.review_filter(filter)).sort;
  total jsonb;
  backwards boolean := before is not null;
  ids bigint[];
  more_before boolean;
  more_after boolean;
begin
  perform private.require_admin();
  total := private.review_total(filter);
  ids := private.review_ids(filter, coalesce(before, after), backwards, size + 1);
  if ids is null or cardinality(ids) = 0 or (backwards and cardinality(ids) < size) then
    -- No rows remain at the cursor, or less than a page before it.
    ids := private.review_ids(filter, null, false, size + 1);
    backwards := false;
    after := null;
  end if;
  more_before := case when backwards then cardinality(ids) > size else after is not null end;
  more_after := backwards or cardinality(ids) > size;
  ids := ids[1:size];
  if backwards then
    ids := array(select id from unnest(ids) with ordinality w (id, n) order by n desc);
  end if;
  return json_build_object('total', total -> 'total', 'more', total -> 'more',
    'rows', private.review_rows(ids, sort), 'first', not more_before,
    'previous', (select private.review_cursor(p, sort) from public.places p where p.id = ids[1]
      and more_before),
    'next', (select private.review_cursor(p, sort) from public.places p where p.id = ids[cardinality(ids)]
      and more_after),
    'states', private.listing_states(),
    'counts', (select coalesce(json_agg(private.review_total(f.value) order by f.n), '[]')
      from jsonb_array_elements(case jsonb_typeof(also) when 'array' then also else '[]' end)
        with ordinality f (value, n) where f.n <= 20));
end $function$;

CREATE OR REPLACE FUNCTION private.strip_identity_data()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.identity_data := (
    select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(new.identity_data) e
    where e.key in ('sub', 'email', 'email_verified', 'phone_verified'));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.strip_user_metadata()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.raw_user_meta_data := (
    select coalesce(jsonb_object_agg(own.key, own.value), '{}')
    from jsonb_each(jsonb_build_object('sub', new.id, 'email', new.email,
      'email_verified', new.email_confirmed_at is not null, 'phone_verified', false)) own
    where new.raw_user_meta_data ? own.key);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.target_of_link(token_hash text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('user', u.id, 'address', lower(case when u.email_change_token_new = token_hash
    then u.email_change else u.email end))
  from auth.users u where u.id = (select private.account_of_link(token_hash))
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
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key)) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) as after
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
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select acting_user, acting_role, action_name, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value)) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.target_of_link(token_hash text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.target_of_link(token_hash) $function$;

grant execute on function private.target_of_link(text) to service_role;

grant execute on function public.target_of_link(text) to service_role;

-- What users sent before strip_user_metadata() looked at values.
update auth.users u set raw_user_meta_data = u.raw_user_meta_data
where u.raw_user_meta_data - 'sub' - 'email' - 'email_verified' - 'phone_verified' <> '{}'
  or u.raw_user_meta_data ->> 'sub' <> u.id::text or lower(u.raw_user_meta_data ->> 'email') <> lower(u.email)
  or jsonb_typeof(u.raw_user_meta_data -> 'email_verified') <> 'boolean'
  or jsonb_typeof(u.raw_user_meta_data -> 'phone_verified') <> 'boolean';

set check_function_bodies = on;
