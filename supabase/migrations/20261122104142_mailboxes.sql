-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function private.my_reports() from authenticated;

revoke execute on function private.first_readable_profile() from authenticated;

drop policy "read own, or admin" on public.events;

drop policy "read own, or admin" on public.profiles;

drop policy "update for owned or managed listings" on public.leads;

drop policy "read for owned or managed listings" on public.leads;

drop policy "insert for public listings" on public.leads;

drop policy "insert own" on public.favorites;

drop policy "insert for public listings" on public.events;

drop trigger t3_remove_managers on public.places;

drop trigger t1_guard on public.profiles;

drop view public.public_jobs;

drop view private.public_jobs;

drop view private.jobs_as_public;

drop view public.places_with_stats;

drop view public.public_places;

drop view private.public_places;

drop function private.remove_managers();

drop function private.my_reports();

drop function private.first_readable_profile();

drop function public.redeem_handoff_code(text);

drop function private.redeem_handoff_code(text);

create table private.handed_over_sessions (
  session_id uuid not null,
  issued_by uuid not null
);

create table private.sign_ups (
  user_id uuid not null,
  proof text not null,
  recognized boolean default false not null
);

alter table public.places add column leads_from timestamp with time zone;

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
    jsonb_build_object('place_id', listing.id, 'name', listing.name));
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $function$;

CREATE OR REPLACE FUNCTION private.account_metadata(stored jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(stored) e
    where e.key in ('sub', 'email', 'email_verified', 'phone_verified')
$function$;

CREATE OR REPLACE FUNCTION private.account_of_link(token_hash text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select u.id from auth.users u where u.confirmation_token = token_hash
    and length(u.confirmation_token) > 6 and u.confirmation_token !~ '^[0-9 ]*$'
  union all
  select u.id from auth.users u where u.recovery_token = token_hash
    and length(u.recovery_token) > 6 and u.recovery_token !~ '^[0-9 ]*$'
  union all
  select u.id from auth.users u where u.email_change_token_new = token_hash
    and length(u.email_change_token_new) > 6 and u.email_change_token_new !~ '^[0-9 ]*$'
  union all
  select u.id from auth.users u where u.email_change_token_current = token_hash
    and length(u.email_change_token_current) > 6 and u.email_change_token_current !~ '^[0-9 ]*$'
  limit 1
$function$;

CREATE OR REPLACE FUNCTION private.address_of_link(token_hash text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select lower(u.email) from auth.users u where u.id = (select private.account_of_link(token_hash))
$function$;

CREATE OR REPLACE FUNCTION private.audit_value(key text, value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case
    when key in ('lat', 'long') and jsonb_typeof(value) = 'number'
      then to_jsonb(round((value #>> '{}')::numeric, 1))
    when key = any (private.withheld_columns()) and value <> 'null'::jsonb then '"[withheld]"'::jsonb
    when key = 'last_update' and jsonb_typeof(value) = 'object' then value - private.withheld_columns()
    else value
  end
$function$;

CREATE OR REPLACE FUNCTION private.check_request()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.from_api() and nullif(current_setting('request.headers', true), '')::json ->> 'prefer'
      ~* '\mcount\s*=\s*"?\s*(planned|estimated)' then
    raise exception 'planned_counts_refused' using errcode = 'P0001',
      detail = 'Row level security does not apply to planned and estimated counts.', hint = 'Use count=exact.';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.confirm_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from private.sign_ups s where s.user_id = new.id and s.recognized) then
    new.encrypted_password := null;
    perform set_config('app.consent_page', '/confirm', true);
    update public.profiles set opted_in = false, sms_opted_in = false
      where id = new.id and (opted_in or sms_opted_in);
    perform set_config('app.consent_page', '', true);
  end if;
  delete from private.sign_ups where user_id = new.id;
  return new;
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
  update public.profiles set email = new.email where id = new.id;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p where p.owner = new.id order by p.id for no key update;
  update public.places p set owner_email = confirmed where p.owner = new.id;
  update public.jobs j set owner_email = confirmed where j.owner = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.create_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  number constant text := '^-?[0-9]{1,3}([.][0-9]{1,15})?$';
begin
  -- One mailbox has many addresses (name+anything@…). The address without a suffix is not counted: it
  -- can have one account, and others must not be able to use up its sign-ups. Visitors are limited by
  -- the auth service.
  if private.mailbox(new.email) <> lower(new.email) then
    perform private.enforce_limit('too_many_sign_ups', 'sign up ' || private.mailbox(new.email), 5, 86400);
  end if;
  perform set_config('app.consent_text', left(coalesce(sent ->> 'consent_text_version', ''), 100), true),
    set_config('app.consent_page', left(coalesce(sent ->> 'consent_page', ''), 500), true);
  insert into public.profiles
    (id, full_name, phone, email, pronouns, postalcode, opted_in, sms_opted_in, business_owner)
  values (
    new.id,
    left(nullif(btrim(sent ->> 'full_name'), ''), 200),
    left(nullif(btrim(sent ->> 'phone'), ''), 40),
    new.email,
    left(nullif(btrim(sent ->> 'pronouns'), ''), 100),
    left(nullif(btrim(sent ->> 'postalcode'), ''), 20),
    coalesce(sent ->> 'opted_in', '') = 'true',
    coalesce(sent ->> 'sms_opted_in', '') = 'true',
    coalesce(sent ->> 'business_owner', '') <> 'false'
  );
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
  if sent ->> 'postal_lat' ~ number and sent ->> 'postal_long' ~ number then
    if abs((sent ->> 'postal_lat')::float8) <= 90 and abs((sent ->> 'postal_long')::float8) <= 180 then
      perform private.store_position(new.id, (sent ->> 'postal_lat')::float8, (sent ->> 'postal_long')::float8);
    end if;
  end if;
  if length(sent ->> 'sign_up_proof') = 43 then
    insert into private.sign_ups (user_id, proof) values (new.id, sent ->> 'sign_up_proof');
  end if;
  -- t1_strip_metadata removes all of it.
  update auth.users set raw_user_meta_data = sent where id = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.end_handed_over_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.sessions s using private.handed_over_sessions h
    where h.issued_by = old.id and s.id = h.session_id
      and (old.aal = 'aal2' or s.aal is distinct from 'aal2');
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
  delete from private.email_queue n where n.place_id = new.id and n.kind = 'new-lead' and n.sent_at is null;
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('name', old.name, 'given', new.owner is not null));
  end if;
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

CREATE OR REPLACE FUNCTION private.export_listings(filter jsonb, after text, page_rows integer, entry bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  size integer := private.page_size(page_rows, 1000);
  sort text := (private.review_filter(filter)).sort;
  ids bigint[] := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
begin
  perform private.require_admin();
  perform private.require_export(entry, 'listings');
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

CREATE OR REPLACE FUNCTION private.export_my_data()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
  my_email constant text := private.my_email();
  part record;
  found_rows jsonb;
  everything jsonb := '{}';
begin
  for part in select * from private.my_data_parts() loop
    execute format('select coalesce(jsonb_agg((select jsonb_object_agg(c, to_jsonb(r) -> c) from unnest(%L::text[]) c)), ''[]'')
      from %s r where %s', part.columns, part.relation, part.condition) into found_rows using me, my_email;
    everything := everything || jsonb_build_object(part.key, found_rows);
  end loop;
  return everything || jsonb_build_object('account', (
    select jsonb_build_object('id', u.id, 'email', u.email, 'email_confirmed_at', u.email_confirmed_at,
      'new_email', nullif(u.email_change, ''), 'created_at', u.created_at, 'last_sign_in_at',
        u.last_sign_in_at,
      'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'refreshed_at',
        s.refreshed_at)), '[]')
        from auth.sessions s where s.user_id = u.id))
    from auth.users u where u.id = me));
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  full_dates integer;
begin
  -- A listing that has gone to someone else is not for the buyer to advertise.
  if bought.kind <> 'job' and exists (select from public.places p
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
    select count(*) filter (where d.outcome <> 'paid') into full_dates
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if full_dates > 0 then
      return 'dates-gone';
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.get_listing_managers(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('name', p.name, 'yours', p.owner is not distinct from private.user_id(),
    'managers', (select coalesce(jsonb_agg(jsonb_build_object('id', m.profile_id, 'name', f.full_name,
      'email', i.email, 'since', m.since)
        order by m.since, m.profile_id), '[]')
      from public.listing_managers m join public.profiles f on f.id = m.profile_id
      left join public.manager_invitations i on i.place_id = m.place_id and i.accepted_by = m.profile_id
      where m.place_id = p.id),
    'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'email', i.email, 'created_at',
      i.created_at,
        'expires_at', i.expires_at, 'late', i.expires_at <= now()) order by i.created_at, i.id), '[]')
      from public.manager_invitations i
      where i.place_id = p.id and i.accepted_at is null and i.withdrawn_at is null))
  from public.places p where p.id = get_listing_managers.place_id
    and (p.owner = private.user_id() or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.guard_feedback_and_reports()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'feedback' then
    new.os := private.one_line(new.os);
  end if;
  if private.from_api() then
    new.created_at := now();
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
  new.version := old.version;
  if new is distinct from old then
    new.version := old.version + 1;
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

CREATE OR REPLACE FUNCTION private.guard_saved_view()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.name := private.one_line(new.name);
  if tg_op = 'UPDATE' then
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  new.owner := coalesce(private.user_id(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if (select count(*) from public.saved_views v where v.owner = new.owner and v.name <> new.name) >= 20 then
    perform private.refuse('too_many_saved_views');
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

CREATE OR REPLACE FUNCTION private.invite_manager(invitation uuid, place_id bigint, email text, token text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  address constant text := lower(btrim(email));
  existing public.manager_invitations;
begin
  if listing.owner is distinct from private.user_id() then
    raise exception 'listing_not_yours' using errcode = '42501';
  elsif private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  elsif address is null or not private.is_email(address) then
    perform private.refuse('invitation_email_invalid', 'email');
  elsif length(coalesce(token, '')) < 32 then
    perform private.refuse('invitation_invalid');
  elsif address = private.my_email() then
    perform private.refuse('invitation_to_self', 'email');
  end if;
  select * into existing from public.manager_invitations i where i.id = invitation;
  if existing.place_id = listing.id and existing.email = address then
    return;
  elsif existing.id is not null then
    perform private.refuse('invitation_already_sent');
  elsif exists (select from public.manager_invitations i
      join public.listing_managers m on m.place_id = i.place_id and m.profile_id = i.accepted_by
      where i.place_id = listing.id and i.email = address) then
    perform private.refuse('already_manager', 'email');
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = listing.id and i.email = address and i.accepted_at is null and i.withdrawn_at is null;
  if (select count(*) from public.listing_managers m where m.place_id = listing.id)
    + (select count(*) from public.manager_invitations i where i.place_id = listing.id
        and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()) >= 10 then
    perform private.refuse('too_many_managers');
  end if;
  -- Neither one person nor many people together can fill a mailbox with invitations.
  perform private.enforce_limit('too_many_invitations', 'invite by ' || private.user_id(), 20, 86400);
  perform private.enforce_limit('too_many_invitations', 'invite to ' || private.mailbox(address), 5, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, private.user_id());
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $function$;

CREATE OR REPLACE FUNCTION private.mailbox(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select regexp_replace(lower(btrim(email)), '[+][^@]*@', '@') $function$;

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
      stripe_customer_id, receipt_url, paid_at, refund_reason, revoked_at, created_at, modified_at}'),
    ('subscriptions', 'public.subscriptions', 'r.owner = $1', '{id, place_id, order_id, stripe_customer_id, status,
      started_at, ends_at, created_at, modified_at}'),
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
    ('decisions', 'private.decision_batches', 'r.admin = $1', '{id, action, reason, decided_at, undone_at}'),
    ('what_i_did', 'public.audit_log', 'r.actor = $1', '{id, at, action, subject, subject_id}'),
    ('changes_of_my_profile', 'public.audit_log', 'r.subject = ''profiles'' and r.subject_id = $1::text',
      '{id, at, action, before, after}')
$function$;

CREATE OR REPLACE FUNCTION private.my_sent_reports()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, place bigint, data jsonb, state text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select e.id, e.created_at, e.place, e.data, e.state
  from private.reporters r join public.events e on e.id = r.event
  where r.user_id = private.user_id() order by e.created_at desc, e.id desc
$function$;

CREATE OR REPLACE FUNCTION private.one_line(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(regexp_replace(value, '[\u202a-\u202e\u2066-\u2069]', '', 'g'),
    '[\u0001-\u001f\u007f-\u009f\u2028\u2029]+', ' ', 'g')
$function$;

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
  place.stripe_cus_id := null;
  -- The wall clock, because this transaction may have waited.
  place.leads_from := clock_timestamp();
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.recognize_sign_up(token_hash text, proof text)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with recognized as (
    update private.sign_ups s set recognized = true
    where s.user_id = (select private.account_of_link(token_hash)) and s.proof = recognize_sign_up.proof
    returning s.user_id)
  select exists (select from recognized)
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
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  featured_changed boolean := false;
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
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid', 'paid-twice', now(), session ->> 'id')
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

  if now_is.paid_at is not null and facts ? 'refunded_cents' then
    now_is.amount_refunded_cents := (facts ->> 'refunded_cents')::bigint;
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when facts ->> 'dispute' in ('open', 'lost') then 'disputed'
      else 'paid' end;
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or facts ->> 'dispute' = 'lost') then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
    end if;
    if now_is.status = 'refunded' then
      perform private.enqueue_email(now_is.owner, null, 'payment-returned', 'payment-returned:' || now_is.id,
        jsonb_build_object('order', now_is.id, 'kind', now_is.kind, 'cents', now_is.amount_refunded_cents,
          'reason', now_is.refund_reason));
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      now_is.refund_reason is not null, 1)
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus)
    returning * into sub_now;
    featured_changed := private.update_featured(place);
    if sub ->> 'status' = 'past_due' and not coalesce(sub_now.surplus, sub_was.surplus, false) then
      perform private.enqueue_email(coalesce(sub_now.owner, sub_was.owner), place, 'payment-failed',
        'payment-failed:' || (sub ->> 'id') || ':' || coalesce(sub ->> 'period', ''),
        jsonb_build_object('kind', 'upgrade', 'place', place));
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null) then
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
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
end $function$;

CREATE OR REPLACE FUNCTION private.redeem_handoff_code(code text)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with used as (
    delete from private.handoff_codes c where c.code_hash = private.code_hash(code)
    returning c.user_id, c.session_id, c.expires_at
  )
  select jsonb_build_object('email', u.email, 'session_id', used.session_id) from used
  join auth.users u on u.id = used.user_id and u.email_confirmed_at is not null
  where used.expires_at > clock_timestamp()
    and exists (select from auth.sessions s where s.id = used.session_id and s.user_id = used.user_id)
$function$;

CREATE OR REPLACE FUNCTION private.release_orders()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  left_by_owner constant bigint[] := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where o.owner is not null and n.owner is distinct from o.owner);
begin
  if left_by_owner = '{}' then
    return null;
  end if;
  perform 1 from public.jobs j where j.place_id = any (left_by_owner) order by j.id for update;
  perform 1 from public.sponsorships s where s.place_id = any (left_by_owner) order by s.id for update;
  perform private.lock_newsletters(array(select p.weekday_date from public.sponsorship_spots p
    join public.sponsorships s on s.id = p.sponsorship_id
    where s.place_id = any (left_by_owner) and p.held_until is not null));
  delete from public.sponsorship_spots p using public.sponsorships s
    where s.id = p.sponsorship_id and s.place_id = any (left_by_owner) and p.held_until is not null;
  delete from private.newsletter_holds h where h.place_id = any (left_by_owner);
  -- A payment that is on its way can't be called back.
  update public.orders o set status = 'canceled', seen = o.seen + 1
    where o.paid_at is null and o.status in ('open', 'expired', 'failed')
      and (o.place_id = any (left_by_owner)
        or o.sponsorship_id in (select s.id from public.sponsorships s where s.place_id = any (left_by_owner))
        or o.job_id in (select j.id from public.jobs j where j.place_id = any (left_by_owner) and j.paid));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_manager(place_id bigint, user_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  -- That of the account, and those it was invited by.
  mailboxes constant text[] := array(
    select private.mailbox(u.email) from auth.users u where u.id = remove_manager.user_id
    union select private.mailbox(i.email) from public.manager_invitations i
      where i.place_id = listing.id and i.accepted_by = remove_manager.user_id);
begin
  delete from public.listing_managers m where m.place_id = listing.id and m.profile_id = remove_manager.user_id;
  if not found then
    return false;
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = listing.id and private.mailbox(i.email) = any (mailboxes)
      and i.accepted_at is null and i.withdrawn_at is null;
  perform private.log_action('remove-manager', 'places', listing.id::text,
    jsonb_build_object('manager', user_id));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_second_step(user_id uuid, change text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.sessions s where s.user_id = remove_second_step.user_id and s.aal is distinct from 'aal2'
    and s.id <> (auth.jwt() ->> 'session_id')::uuid;
  delete from auth.mfa_amr_claims a using auth.sessions s
    where s.id = a.session_id and s.user_id = remove_second_step.user_id and a.authentication_method = 'totp';
  update auth.sessions s set aal = 'aal1', factor_id = null
    where s.user_id = remove_second_step.user_id and s.aal = 'aal2';
  perform set_config('app.second_step_change', change, true);
  delete from auth.mfa_factors f where f.user_id = remove_second_step.user_id;
  perform set_config('app.second_step_change', '', true);
end $function$;

CREATE OR REPLACE FUNCTION private.reset_new_place(place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if by_owner then
    place.owner := private.user_id();
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place.subscription_ends_at := null;
    place.leads_from := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
  end if;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.restore_protected_columns(before public.places, place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  sent jsonb;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving an unclaimed
    -- listing claims it: the policy allowed only its owner, a manager, or the person whose
    -- confirmed address is the owner_email of a listing without an owner. A manager's change does
    -- not change the owner.
    if before.owner <> private.user_id() and place.archive_requested <> before.archive_requested then
      perform private.refuse('removal_by_owner_only');
    end if;
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    place.owner := coalesce(before.owner, private.user_id());
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

CREATE OR REPLACE FUNCTION private.review_listing(id bigint, filter jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sort constant text := (private.review_filter(filter)).sort;
  place_cursor text;
begin
  perform private.require_admin();
  select private.review_cursor(p, sort) into place_cursor from public.places p where p.id = review_listing.id;
  return (
    select (private.review_rows(array[p.id], sort) -> 0)::jsonb || private.review_total(filter)
      || jsonb_build_object(
      'listing', to_jsonb(p) - array['name_search', 'name_key', 'submission_id', 'leads_from'],
      'online_category_names', array(select c.name from public.categories c
        where c.id = any (p.online_categories) order by c.name),
      'owner_profile', (select jsonb_build_object('id', o.id, 'full_name', o.full_name,
        'email', private.masked_email(o.email), 'phone', private.masked_phone(o.phone), 'pronouns',
          o.pronouns) from public.profiles o where o.id = p.owner),
      'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open'),
      'next', (private.review_ids(filter, place_cursor, false, 1))[1],
      'previous', (private.review_ids(filter, place_cursor, true, 1))[1])
    from public.places p where p.id = review_listing.id);
end $function$;

CREATE OR REPLACE FUNCTION private.strip_identity_data()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.identity_data := private.account_metadata(new.identity_data);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.strip_user_metadata()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.raw_user_meta_data := private.account_metadata(new.raw_user_meta_data);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.tie_handed_over_session(session_id uuid, issued_by uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A request that ends the session in the app at this moment waits, and then finds the tie.
  perform 1 from auth.sessions app join auth.sessions own on own.user_id = app.user_id
    where app.id = tie_handed_over_session.issued_by and own.id = tie_handed_over_session.session_id
    for key share of app;
  if not found then
    delete from auth.sessions s where s.id = tie_handed_over_session.session_id;
    return false;
  end if;
  insert into private.handed_over_sessions (session_id, issued_by)
    values (tie_handed_over_session.session_id, tie_handed_over_session.issued_by);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.update_featured(place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.places p set premium = private.subscription_is_live(s.status), premium_created_at = s.started_at,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when private.subscription_is_live(s.status) then s.ends_at end
  from (
    select * from public.subscriptions f
    where f.place_id = place and not f.surplus and f.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(f.status) desc, f.started_at desc, f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (private.subscription_is_live(s.status), s.started_at,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when private.subscription_is_live(s.status) then s.ends_at end);
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.use_recovery_code(code text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.session_user_id();
  my_session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
  bucket constant text := 'recovery-code:' || me;
  wait integer;
begin
  if me is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  wait := private.take_rate_token(bucket, 10, 15 * 60);
  if wait = 0 then
    delete from private.recovery_codes c
      where c.user_id = me and c.code_hash = private.recovery_code_hash(use_recovery_code.code);
    if found then
      -- This one no longer depends on the session in the app that opened it.
      delete from private.handed_over_sessions h where h.session_id = my_session;
      delete from auth.sessions s where s.user_id = me and s.id <> my_session;
      perform private.remove_second_step(me, 'recovery-code');
      perform private.return_rate_token(bucket);
      return '{"used": true, "wait": 0}';
    end if;
  end if;
  return jsonb_build_object('used', false, 'wait', wait);
end $function$;

CREATE OR REPLACE FUNCTION private.validate_job(job public.jobs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from public.categories c where c.id = job.category and c.parent_category = 40) then
    perform private.refuse('job_category_unknown', 'category');
  elsif exists (select from unnest(job.location) place where place is null
    or length(btrim(place)) not between 1 and 100 or place <> private.one_line(place)) then
    perform private.refuse('job_location_unknown', 'location');
  end if;
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
  if exists (select 1 from unnest(place.online_categories) wanted
    left join public.categories c on c.id = wanted and c.parent_category = 12 where c.id is null) then
    perform private.refuse('online_category_unknown', 'online_categories');
  end if;
  if exists (select from unnest(place.licensed_locations) location where location is null
    or length(btrim(location)) not between 1 and 100 or location <> private.one_line(location)) then
    perform private.refuse('licensed_location_unknown', 'licensed_locations');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.with_one_line(source anyelement, VARIADIC columns text[])
 RETURNS anyelement
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select jsonb_populate_record(source, jsonb_object_agg(c, private.one_line(sent ->> c)))
  from to_jsonb(source) sent, unnest(columns) c
$function$;

CREATE OR REPLACE FUNCTION private.withheld_columns()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select '{owner_email, public_email, email, phone, full_name, mailingaddress, rawaddress, address, postalcode,
    lat, long, receipt_url, note}'::text[]
$function$;

CREATE OR REPLACE FUNCTION public.address_of_link(token_hash text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.address_of_link(token_hash) $function$;

CREATE OR REPLACE FUNCTION public.my_sent_reports()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, place bigint, data jsonb, state text)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.my_sent_reports() $function$;

CREATE OR REPLACE FUNCTION public.recognize_sign_up(token_hash text, proof text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.recognize_sign_up(token_hash, proof) $function$;

CREATE OR REPLACE FUNCTION public.redeem_handoff_code(code text)
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.redeem_handoff_code(code) $function$;

CREATE OR REPLACE FUNCTION public.tie_handed_over_session(session_id uuid, issued_by uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.tie_handed_over_session(session_id, issued_by) $function$;

create operator private.>=! (function = int8ge, leftarg = bigint, rightarg = bigint, restrict = eqsel);

alter table private.handed_over_sessions add constraint handed_over_sessions_pkey PRIMARY KEY (session_id);

alter table private.handed_over_sessions add constraint handed_over_sessions_session_id_fkey FOREIGN KEY (session_id) REFERENCES auth.sessions(id) ON DELETE CASCADE;

alter table private.sign_ups add constraint sign_ups_pkey PRIMARY KEY (user_id);

alter table private.sign_ups add constraint sign_ups_proof_check CHECK ((length(proof) = 43));

alter table private.sign_ups add constraint sign_ups_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX handed_over_sessions_issued_by ON private.handed_over_sessions USING btree (issued_by);

create view private.former_leads with (security_barrier=true) as
 SELECT id AS place_id,
    leads_from AS until
   FROM public.places p
  WHERE (leads_from IS NOT NULL);

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
  WHERE ((p.status = 'published'::text) AND (NOT p.hidden))
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
  WHERE ((p.status = 'pending-update'::text) AND (NOT p.hidden));

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

create view public.places_with_stats with (security_invoker=on) as
 SELECT p.id,
    p.name,
    p.category,
    p.city,
    p.state,
    p.status,
    p.premium,
    p.premium AS premium2,
        CASE
            WHEN p.premium THEN private.nearby_users(p.id)
            ELSE NULL::bigint
        END AS user_count_by_distance,
        CASE
            WHEN p.premium THEN COALESCE(s.views, (0)::bigint)
            ELSE NULL::bigint
        END AS views,
        CASE
            WHEN p.premium THEN COALESCE(s.favorites, (0)::bigint)
            ELSE NULL::bigint
        END AS favoritescount,
    p.proxi_id,
    p.stripe_cus_id,
    p.subscription_status,
    p.owner,
    p.owner_email,
    p.hidden,
    p.archive_requested,
    p.changes_requested,
    p.last_update,
    p.version,
    p.created_at,
    p.modified_at,
    p.name_search,
        CASE
            WHEN p.premium THEN private.weekly_views(p.id)
            ELSE NULL::integer[]
        END AS weekly_views
   FROM (( SELECT places.id,
            places.name,
            places.category,
            places.online_categories,
            places.licensed_locations,
            places.public_email,
            places.phone,
            places.rawaddress,
            places.address,
            places.address_approximate,
            places.city,
            places.state,
            places.country,
            places.postalcode,
            places.lat,
            places.long,
            places.mailingaddress,
            places.description,
            places.url,
            places.tiktok,
            places.instagram,
            places.xtwitter,
            places.youtube,
            places.facebook,
            places.linkedin,
            places.online,
            places."physicalLocation",
            places."bipocOwned",
            places.outdoor,
            places.nonprofit,
            places.gender_neutral_bathrooms,
            places.masks_required,
            places.wholesale,
            places.wholesale_buyer,
            places.affiliate,
            places.queer_programming,
            places.mission_statement,
            places.certified_queer,
            places.third_party_auth,
            places.status,
            places.hidden,
            places.archive_requested,
            places.owner,
            places.owner_email,
            places.premium,
            places.premium_created_at,
            places.stripe_cus_id,
            places.stripe_subscription_id,
            places.subscription_status,
            places.subscription_ends_at,
            places.proxi_id,
            places.last_update,
            places.changes_requested,
            places.submission_id,
            places.version,
            places.created_at,
            places.modified_at,
            places.name_search,
            places.name_key,
            places.leads_from
           FROM public.places
        UNION ALL
         SELECT managed_listings.id,
            managed_listings.name,
            managed_listings.category,
            managed_listings.online_categories,
            managed_listings.licensed_locations,
            managed_listings.public_email,
            managed_listings.phone,
            managed_listings.rawaddress,
            managed_listings.address,
            managed_listings.address_approximate,
            managed_listings.city,
            managed_listings.state,
            managed_listings.country,
            managed_listings.postalcode,
            managed_listings.lat,
            managed_listings.long,
            managed_listings.mailingaddress,
            managed_listings.description,
            managed_listings.url,
            managed_listings.tiktok,
            managed_listings.instagram,
            managed_listings.xtwitter,
            managed_listings.youtube,
            managed_listings.facebook,
            managed_listings.linkedin,
            managed_listings.online,
            managed_listings."physicalLocation",
            managed_listings."bipocOwned",
            managed_listings.outdoor,
            managed_listings.nonprofit,
            managed_listings.gender_neutral_bathrooms,
            managed_listings.masks_required,
            managed_listings.wholesale,
            managed_listings.wholesale_buyer,
            managed_listings.affiliate,
            managed_listings.queer_programming,
            managed_listings.mission_statement,
            managed_listings.certified_queer,
            managed_listings.third_party_auth,
            managed_listings.status,
            managed_listings.hidden,
            managed_listings.archive_requested,
            managed_listings.owner,
            managed_listings.owner_email,
            managed_listings.premium,
            managed_listings.premium_created_at,
            managed_listings.stripe_cus_id,
            managed_listings.stripe_subscription_id,
            managed_listings.subscription_status,
            managed_listings.subscription_ends_at,
            managed_listings.proxi_id,
            managed_listings.last_update,
            managed_listings.changes_requested,
            managed_listings.submission_id,
            managed_listings.version,
            managed_listings.created_at,
            managed_listings.modified_at,
            managed_listings.name_search,
            managed_listings.name_key,
            managed_listings.leads_from
           FROM private.managed_listings() managed_listings(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key, leads_from)
          WHERE (NOT ( SELECT private.is_admin() AS is_admin))) p
     LEFT JOIN public.place_stats s ON ((s.place_id = p.id)));

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
          WHERE (l.id = p.id)) listing ON (true));

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

alter table private.handed_over_sessions enable row level security;

alter table private.sign_ups enable row level security;

CREATE TRIGGER t1_strip_metadata BEFORE INSERT OR UPDATE OF identity_data ON auth.identities FOR EACH ROW EXECUTE FUNCTION private.strip_identity_data();

CREATE TRIGGER t1_end_handed_over AFTER DELETE ON auth.sessions FOR EACH ROW EXECUTE FUNCTION private.end_handed_over_sessions();

CREATE TRIGGER t1_confirm_account BEFORE UPDATE OF email_confirmed_at ON auth.users FOR EACH ROW WHEN (((old.email_confirmed_at IS NULL) AND (new.email_confirmed_at IS NOT NULL) AND (old.confirmation_sent_at IS NOT NULL))) EXECUTE FUNCTION private.confirm_account();

CREATE TRIGGER t1_strip_metadata BEFORE UPDATE OF raw_user_meta_data ON auth.users FOR EACH ROW EXECUTE FUNCTION private.strip_user_metadata();

CREATE TRIGGER t3_end_ownership AFTER UPDATE ON public.places FOR EACH ROW WHEN (((old.owner IS NOT NULL) AND (old.owner IS DISTINCT FROM new.owner))) EXECUTE FUNCTION private.end_ownership();

CREATE TRIGGER t8_release_orders AFTER UPDATE ON public.places REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.release_orders();

CREATE TRIGGER t1_guard BEFORE INSERT OR UPDATE ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.guard_profile();

create policy "no access" on private.handed_over_sessions for all to anon, authenticated
  using (false);

create policy "no access" on private.sign_ups for all to anon, authenticated
  using (false);

create policy "expect one row" on public.audit_log as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.consents as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.email_preferences as restrictive for select to authenticated
  using ((user_id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "admins read, or while sending" on public.events for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (user_id = ( SELECT private.user_id() AS user_id))));

create policy "expect one row" on public.events as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "insert for public listings" on public.events for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (event_name = 'report_listing'::text) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = events.place)))));

create policy "expect one row" on public.favorites as restrictive for select to authenticated
  using (((user_id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid) AND (place_id OPERATOR(private.>=!) '-9223372036854775808'::bigint)));

create policy "insert own" on public.favorites for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = favorites.place_id)))));

create policy "expect one row" on public.feedback as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.jobs as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.leads as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

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

create policy "expect one row" on public.listing_drafts as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "expect one row" on public.listing_managers as restrictive for select to authenticated
  using (((place_id OPERATOR(private.>=!) '-9223372036854775808'::bigint) AND (profile_id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid)));

create policy "expect one row" on public.manager_invitations as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "expect one row" on public.orders as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "expect one row" on public.place_stats as restrictive for select to authenticated
  using ((place_id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.places as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.profiles as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '00000000-0000-0000-0000-000000000000'::uuid));

create policy "read own, or admin" on public.profiles for select to authenticated
  using (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "expect one row" on public.rejected_edits as restrictive for select to authenticated
  using ((place_id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.saved_views as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.sponsorship_spots as restrictive for select to authenticated
  using ((sponsorship_id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

create policy "expect one row" on public.sponsorships as restrictive for select to authenticated
  using ((id OPERATOR(private.>=!) '-9223372036854775808'::bigint));

grant execute on function private.address_of_link(text) to service_role;

grant execute on function private.check_request() to anon;

grant execute on function private.check_request() to authenticated;

grant execute on function private.check_request() to service_role;

grant execute on function private.my_sent_reports() to authenticated;

grant execute on function private.one_line(text) to anon;

grant execute on function private.one_line(text) to authenticated;

grant execute on function private.one_line(text) to service_role;

grant execute on function private.part_from_owner(public.places,public.places) to authenticated;

grant execute on function private.part_from_owner(public.places,public.places) to service_role;

grant execute on function private.recognize_sign_up(text,text) to service_role;

grant execute on function private.tie_handed_over_session(uuid,uuid) to service_role;

grant execute on function private.with_one_line(anyelement,text[]) to anon;

grant execute on function private.with_one_line(anyelement,text[]) to authenticated;

grant execute on function private.with_one_line(anyelement,text[]) to service_role;

grant execute on function public.address_of_link(text) to service_role;

grant execute on function public.my_sent_reports() to authenticated;

grant execute on function public.recognize_sign_up(text,text) to service_role;

grant execute on function public.tie_handed_over_session(uuid,uuid) to service_role;

grant select on table private.former_leads to authenticated;

alter role authenticator set pgrst.db_pre_request = 'private.check_request';

grant execute on function private.redeem_handoff_code(text) to service_role;

grant execute on function public.redeem_handoff_code(text) to service_role;

grant select on table private.public_jobs to anon;

grant select on table private.public_jobs to authenticated;

grant select on table private.public_jobs to service_role;

grant select on table private.public_places to anon;

grant select on table private.public_places to authenticated;

grant select on table private.public_places to service_role;

grant select on table public.places_with_stats to authenticated;

grant select on table public.public_jobs to anon;

grant select on table public.public_jobs to authenticated;

grant select on table public.public_jobs to service_role;

grant select on table public.public_places to anon;

grant select on table public.public_places to authenticated;

grant select on table public.public_places to service_role;

notify pgrst, 'reload config';

set check_function_bodies = on;

-- The data that there is. The guards would count these as edits (version, modified_at), so they are off.
alter table public.places disable trigger t1_guard;
alter table public.jobs disable trigger t1_guard;

-- The owner's address is that of their account.
update public.places p set owner_email = lower(u.email) from auth.users u
  where u.id = p.owner and u.email_confirmed_at is not null and u.email <> ''
    and p.owner_email is distinct from lower(u.email);
update public.jobs j set owner_email = lower(u.email) from auth.users u
  where u.id = j.owner and u.email_confirmed_at is not null and u.email <> ''
    and j.owner_email is distinct from lower(u.email);

-- Listings and jobs that lost their owner and kept an address, unless one was entered then or since.
update public.places p set owner_email = null
  where p.owner is null and p.owner_email is not null and exists (
    select from public.audit_log a where a.subject = 'places' and a.subject_id = p.id::text
      and a.before ->> 'owner' is not null and a.after ? 'owner' and a.after ->> 'owner' is null
      and not exists (select from public.audit_log l where l.subject = 'places' and l.subject_id = p.id::text
        and l.id >= a.id and l.after ->> 'owner_email' is not null));
update public.jobs j set owner_email = null
  where j.owner is null and j.owner_email is not null and exists (
    select from public.audit_log a where a.subject = 'jobs' and a.subject_id = j.id::text
      and a.before ->> 'owner' is not null and a.after ? 'owner' and a.after ->> 'owner' is null
      and not exists (select from public.audit_log l where l.subject = 'jobs' and l.subject_id = j.id::text
        and l.id >= a.id and l.after ->> 'owner_email' is not null));

-- Listings that have left an owner before: their mailing address goes unless another was entered since, and
-- their customer. (leads_from stays null: whoever owns them now may have read those messages.)
with moved as (
  select a.subject_id::bigint as place_id, max(a.id) as entry from public.audit_log a
  where a.subject = 'places' and a.before ->> 'owner' is not null and a.after ? 'owner' group by 1
)
update public.places p set
    mailingaddress = case when exists (select from public.audit_log l where l.subject = 'places'
      and l.subject_id = p.id::text and l.id >= m.entry and l.after ? 'mailingaddress') then p.mailingaddress end,
    stripe_cus_id = case when exists (select from public.profiles f
      where f.id = p.owner and f.stripe_customer_id = p.stripe_cus_id) then p.stripe_cus_id end
  from moved m where m.place_id = p.id;

-- A subscription of before the orders whose first event came after the listing had another owner.
update public.subscriptions s set owner = null
  where s.order_id is null and exists (select from public.audit_log a where a.subject = 'places'
    and a.subject_id = s.place_id::text and a.before ->> 'owner' is not null and a.after ? 'owner'
    and a.at between s.started_at and s.created_at);

-- Open invitations that the owner did not send.
update public.manager_invitations i set withdrawn_at = now() from public.places p
  where p.id = i.place_id and i.accepted_at is null and i.withdrawn_at is null
    and i.invited_by is distinct from p.owner;

alter table public.places enable trigger t1_guard;
alter table public.jobs enable trigger t1_guard;

-- Names of one line. (The guards are on: a listing's search follows its name.)
update public.places set name = private.one_line(name) where name <> private.one_line(name);
update public.jobs set title = private.one_line(title) where title <> private.one_line(title);
update public.jobs set company_name = private.one_line(company_name) where company_name <> private.one_line(company_name);
update public.profiles set full_name = private.one_line(full_name) where full_name <> private.one_line(full_name);
update public.leads set requester_name = private.one_line(requester_name) where requester_name <> private.one_line(requester_name);

-- What the audit log no longer keeps.
alter table public.audit_log disable trigger t1_append_only;
update public.audit_log a set
  before = (select jsonb_object_agg(key, private.audit_value(key, value)) from jsonb_each(a.before)),
  after = (select jsonb_object_agg(key, private.audit_value(key, value)) from jsonb_each(a.after))
where a.before ?| private.withheld_columns() or a.after ?| private.withheld_columns()
  or a.before ? 'last_update' or a.after ? 'last_update';
alter table public.audit_log enable trigger t1_append_only;

-- Nor does the auth service: triggers remove it.
update auth.users u set raw_user_meta_data = u.raw_user_meta_data
  where u.raw_user_meta_data <> private.account_metadata(u.raw_user_meta_data);
update auth.identities i set identity_data = i.identity_data
  where i.identity_data <> private.account_metadata(i.identity_data);
