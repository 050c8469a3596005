-- Policies and functions ask for the session of a token, and for the second step of signing in; counts
-- of nearby users that reveal no one; limits and confirmed senders for what people send; holds only
-- with a checkout; jobs with approved text; emails once a decision is final; clearer names.
--
-- Written by `npm run migrations:new`, with the changes of rows by hand. What these objects are for is
-- in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.hold_sponsorship_dates(bigint) from service_role;

revoke execute on function public.hold_sponsorship_dates(bigint) from authenticated;

revoke execute on function private.hold_sponsorship_dates(bigint) from service_role;

revoke execute on function private.hold_sponsorship_dates(bigint) from authenticated;

drop policy "update own, managed, claimable, or admin" on public.places;

drop policy "read own, managed, claimable, or admin" on public.places;

drop policy "update own, or admin" on public.sponsorships;

drop policy "read own, or admin" on public.sponsorships;

drop policy "insert own, or admin" on public.sponsorships;

drop policy "read own, or admin" on public.sponsorship_spots;

drop policy "own, admins only" on public.saved_views;

drop policy "read for readable listings" on public.rejected_edits;

drop policy "update own, or admin" on public.profiles;

drop policy "read own, or admin" on public.profiles;

drop policy "insert own, or admin" on public.places;

drop policy "read for featured listings, or admin" on public.place_stats;

drop policy "read own, or admin" on public.orders;

drop policy "read own, for own listings, or admin" on public.manager_invitations;

drop policy "read own, for own listings, or admin" on public.listing_managers;

drop policy own on public.listing_drafts;

drop policy "update for owned or managed listings" on public.leads;

drop policy "read for owned or managed listings" on public.leads;

drop policy "insert for public listings" on public.leads;

drop policy "update own, or admin" on public.jobs;

drop policy "read own, or admin" on public.jobs;

drop policy "insert own, or admin" on public.jobs;

drop policy "read own, or admin" on public.feedback;

drop policy "insert own" on public.feedback;

drop policy "read own" on public.favorites;

drop policy "insert own" on public.favorites;

drop policy "delete own" on public.favorites;

drop policy "read own, or admin" on public.events;

drop policy "insert for public listings" on public.events;

drop policy "update own" on public.email_preferences;

drop policy "read own" on public.email_preferences;

drop policy "insert own" on public.email_preferences;

drop policy "read own" on public.consents;

drop trigger t3_audit_update on public.sponsorships;

drop trigger t3_audit_insert on public.sponsorships;

drop trigger t3_audit_delete on public.sponsorships;

drop trigger t2_enqueue_emails on public.leads;

drop trigger t2_audit_update on public.feedback;

drop trigger t2_audit_update on public.events;

drop view public.places_with_stats;

alter table private.decision_rows drop constraint decision_rows_undone_check;

drop function public.hold_sponsorship_dates(bigint);

drop function private.hold_sponsorship_dates(bigint);

drop function public.lease_emails(integer);

drop function private.lease_emails(integer);

create table private.nearby_secret (
  only_row boolean default true not null,
  secret bytea default sha256(convert_to(((gen_random_uuid())::text || (gen_random_uuid())::text), 'UTF8'::name)) not null
);

create table private.newsletter_holds (
  place_id bigint not null,
  weekday_date date not null,
  held_until timestamp with time zone not null,
  renewed boolean default false not null
);

create table private.recovery_codes (
  user_id uuid not null,
  code_hash text not null,
  created_at timestamp with time zone default now() not null
);

create table private.reporters (
  event bigint not null,
  user_id uuid not null
);

create table private.settings (
  name text not null,
  enabled boolean not null,
  changed_at timestamp with time zone default now() not null
);

alter table private.position_counts add column week date default '2000-01-03'::date not null;

alter table private.position_counts add column people_before bigint default 0 not null;

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
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_delete_user(userid uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  existed boolean;
begin
  -- A caller who waited for another admin may not be an admin any more.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  perform private.require_admin();
  if userid = private.user_id() then
    perform private.refuse('own_account');
  end if;
  perform set_config('app.audit_action', 'delete-user', true);
  existed := private.erase_user(userid);
  perform set_config('app.audit_action', '', true);
  return existed;
end $function$;

CREATE OR REPLACE FUNCTION private.admin_second_steps()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'mandatory', exists (select from private.settings s where s.name = 'admins_need_second_step' and s.enabled),
    'admins', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.full_name, 'on',
        exists (select from auth.mfa_factors f where f.user_id = p.id and f.status = 'verified'))
        order by p.full_name, p.id), '[]')
      from public.profiles p where p.admin));
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

CREATE OR REPLACE FUNCTION private.batch_as_json(batch uuid, action text, reason text, skip integer, page_rows integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
begin
  return (
    with rows as materialized (
      select r.n, r.place_id, r.sent, r.version, r.outcome is not null as decided,
        coalesce(r.undone, r.outcome, j.outcome) as outcome,
        case when r.undone = 'unchanged' then array['changed_since_decision']
          else coalesce(r.reasons, j.reasons) end as reasons,
        coalesce(r.warnings, j.warnings) as warnings
      from private.decision_rows r
      left join (
        select j.* from (select array_agg(o.place_id) as wanted, array_agg(o.version) as seen
          from private.decision_rows o where o.batch_id = batch_as_json.batch and o.outcome is null) waiting
        cross join lateral private.validate_decision(batch_as_json.action, batch_as_json.reason,
          waiting.wanted, waiting.seen) j
        where batch_as_json.action is not null
      ) j on j.place_id = r.place_id
      where r.batch_id = batch_as_json.batch
    ), page as (
      select * from rows order by outcome is not distinct from 'done'
        or outcome is not distinct from 'undone', n
      limit private.page_size(page_rows, 1000) offset greatest(coalesce(skip, 0), 0)
    )
    select json_build_object(
      'batch', b.id, 'action', b.action, 'reason', b.reason, 'filter', b.filter, 'left_out', b.left_out,
        'more', b.more,
      'decided_at', b.decided_at, 'undone_at', b.undone_at, 'expires_at', b.expires_at,
      'undo_until', case when b.undone_at is null and b.decided_at > now() - private.undo_window()
        and exists (select from rows where decided and outcome = 'done')
          then b.decided_at + private.undo_window() end,
      'selected', (select count(*) from rows),
      'left', (select count(*) from rows where not decided),
      'left_to_undo', case when b.undone_at is null then 0
        else (select count(*) from rows where decided and outcome = 'done') end,
      'counts', '{"done": 0, "refused": 0, "stale": 0, "missing": 0, "undone": 0, "unchanged": 0}' || coalesce(
        (select jsonb_object_agg(outcome, amount)
          from (select outcome, count(*) as amount from rows where outcome is not null group by outcome) o),
            '{}'),
      'reasons', (select coalesce(jsonb_agg(jsonb_build_object('outcome', outcome, 'reasons', reasons,
        'count', amount)
          order by amount desc, reasons), '[]')
        from (select outcome, reasons, count(*) as amount from rows
          where reasons is not null group by outcome, reasons) o),
      'warnings', (select coalesce(jsonb_agg(jsonb_build_object('warnings', warnings, 'count', amount)
          order by amount desc, warnings), '[]')
        from (select warnings, count(*) as amount from rows where warnings is not null group by warnings) o),
      'rows', (select coalesce(json_agg(json_build_object(
          'id', case when page.place_id >= 0 then page.place_id end, 'sent', page.sent, 'version',
            page.version,
          'name', p.name, 'city', p.city, 'state', p.state, 'status', p.status, 'outcome', page.outcome,
          'reasons', page.reasons, 'warnings', page.warnings, 'decided', page.decided)
          order by page.outcome is not distinct from 'done' or page.outcome is not distinct from 'undone',
            page.n), '[]')
        from page left join public.places p on p.id = page.place_id))
    from private.decision_batches b where b.id = batch_as_json.batch and b.admin = private.user_id());
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
    return case when account.confirmation_sent_at > now() - interval '1 minute' then 'sent'
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

CREATE OR REPLACE FUNCTION private.cancel_account_deletion()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$ delete from private.account_deletions d where d.user_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.count_positions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  this_week constant date := private.week_of(now());
begin
  if tg_op = 'INSERT' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, count(*), this_week from new_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
  elsif tg_op = 'DELETE' then
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, -count(*), this_week from old_rows group by lat, long order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
  else
    -- Always in the same order, so that two people who swap positions do not deadlock.
    insert into private.position_counts as c (lat, long, people, week)
    select lat, long, sum(people), this_week from (
      select lat, long, 1 as people from new_rows union all select lat, long, -1 from old_rows
    ) moved group by lat, long having sum(people) <> 0 order by lat, long
    on conflict (lat, long) do update set people = c.people + excluded.people, week = excluded.week,
      people_before = case when c.week = excluded.week then c.people_before else c.people end;
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
  this_week constant date := private.week_of(now());
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
      select case when u.week = this_week then u.people_before else u.people end as people
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

CREATE OR REPLACE FUNCTION private.create_decision_batch(batch uuid, items jsonb, filter jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  perform private.store_decision_batch(batch, items, filter);
  return (
    select jsonb_build_object('batch', b.id, 'left_out', b.left_out, 'more', b.more, 'expires_at', b.expires_at,
      'selected', (select count(*) from private.decision_rows r where r.batch_id = b.id))
    from private.decision_batches b where b.id = batch and b.admin = private.user_id());
end $function$;

CREATE OR REPLACE FUNCTION private.create_nearby_secret()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.nearby_secret default values on conflict do nothing;
  return null;
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
  -- One mailbox has many addresses (name+anything@…). Visitors are limited by the auth service.
  if new.email <> '' then
    perform private.enforce_limit('too_many_sign_ups',
      'sign up ' || regexp_replace(lower(new.email), '[+][^@]*@', '@'), 5, 86400);
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
  return new;
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
  perform private.require_recent_second_step();
  -- One after the other: two requests at once would leave two sets.
  perform 1 from public.profiles p where p.id = private.user_id() for no key update;
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

CREATE OR REPLACE FUNCTION private.current_reviewer(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('id', c.admin, 'name', a.full_name, 'mine', c.admin = private.user_id(),
    'since', c.since, 'until', c.until)
  from private.review_locks c join public.profiles a on a.id = c.admin
  where c.place_id = current_reviewer.place_id and c.until > clock_timestamp()
$function$;

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
  -- Wait for other writers, always in the same order. The statements below see what they wrote.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;

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

CREATE OR REPLACE FUNCTION private.decision_email(action text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case action when 'approve' then 'listing-approved' when 'request-changes' then 'changes-requested'
    when 'reject' then 'edit-rejected' end
$function$;

CREATE OR REPLACE FUNCTION private.decision_email_keys(batch uuid, action text, place_ids bigint[], undone text)
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select array(select format('%s:%s:%s', e.kind, r.place_id, r.version + 1)
    from private.decision_rows r cross join (select private.decision_email(action) as kind) e
    where r.batch_id = batch and r.outcome = 'done' and e.kind is not null
      and (place_ids is null or r.place_id = any (place_ids))
      and r.undone is not distinct from decision_email_keys.undone)
$function$;

CREATE OR REPLACE FUNCTION private.decision_emails_due(decided_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select decided_at + private.undo_window() + interval '1 minute' $function$;

CREATE OR REPLACE PROCEDURE private.define_managed_places()
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  execute format('create or replace view private.managed_places with (security_barrier = true) as
      select p.id, %s from public.places p
      where p.id = any ((select private.managed_places())::bigint[])',
    (select string_agg(format('p.%I', c), ', ') from unnest(private.owner_columns() || array['status', 'owner',
      'premium', 'proxi_id', 'last_update', 'changes_requested', 'version', 'created_at', 'modified_at']) c));
  create or replace view public.managed_places with (security_invoker = on) as
    select * from private.managed_places;
end $procedure$;

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
      'favorites', p.favorites_count,
      'feedback', (select count(*) from public.feedback f where f.userid = p.id))
    from public.profiles p where p.id = deletion_effects.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.enforce_limit(code text, bucket text, max_hits integer, window_seconds integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  wait constant integer := private.take_rate_token(bucket, max_hits, window_seconds);
begin
  if wait > 0 then
    raise exception using errcode = 'PGRST',
      message = json_build_object('code', 'P0001', 'message', code, 'details', wait::text,
        'hint', format('Try again in %s.', private.wait_in_words(wait)))::text,
      detail = json_build_object('status', 429, 'headers', json_build_object('Retry-After', wait::text))::text;
  end if;
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
  from new_rows n join old_rows o on o.id = n.id
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' then 'listing-approved'
      when exists (select from unnest(private.reviewed_columns()) c
        where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c) then 'listing-edited'
    end as kind) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  return null;
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
      'sign_up_form', u.raw_user_meta_data,
      'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'refreshed_at',
        s.refreshed_at)), '[]')
        from auth.sessions s where s.user_id = u.id))
    from auth.users u where u.id = me));
end $function$;

CREATE OR REPLACE FUNCTION private.first_readable_profile()
 RETURNS uuid
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select '00000000-0000-0000-0000-000000000000'::uuid where private.is_admin() $function$;

CREATE OR REPLACE FUNCTION private.get_listing_managers(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('name', p.name,
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

CREATE OR REPLACE FUNCTION private.get_user_count_by_distance(place_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.user_id() is null then
    return null;
  end if;
  perform private.enforce_limit('too_many_counts', 'count users by ' || private.user_id(), 60, 3600);
  return private.nearby_users(place_id);
end $function$;

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at'];
begin
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

CREATE OR REPLACE FUNCTION private.guard_listing_draft()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if octet_length(new.fields::text) > 65536 then
    perform private.refuse('draft_too_long');
  end if;
  new.updated_at := now();
  if tg_op = 'UPDATE' then
    new.id := old.id;
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  -- Only a maintainer, directly in the database, may write for someone else.
  new.owner := coalesce(private.user_id(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted. Saving a
  -- draft again runs this code as well (an upsert tries to insert first), and adds none.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if exists (select from public.places p where p.owner = new.owner and p.submission_id = new.id) then
    perform private.refuse('draft_already_submitted');
  elsif (select count(*) from public.listing_drafts d where d.owner = new.owner and d.id <> new.id) >= 20 then
    perform private.refuse('too_many_drafts');
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
  by_payment boolean := false;
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
    by_payment := changed and not api and new.status = old.status
      and private.with_payment_columns(new, old) is not distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      new.name_key := private.normalize_for_search(new.name);
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories then
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

  -- 4. Changes that no form or reviewer has read: hiding, showing and asking for removal, and
  -- payments. Neither the version nor the listing's place in the queue changes with them.
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
  elsif by_payment then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 5. Undoing a decision puts the listing back where it was in its queue.
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

CREATE OR REPLACE FUNCTION private.has_recent_second_step()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(case jsonb_typeof(auth.jwt() -> 'amr') when 'array' then auth.jwt() -> 'amr'
      else '[]' end) used
    where used ->> 'method' = 'totp'
      and to_timestamp((used ->> 'timestamp')::bigint) > now() - interval '10 minutes');
end $function$;

CREATE OR REPLACE FUNCTION private.hold_spots(sponsorship bigint, buyer uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pause constant interval := interval '1 day';
  hold constant interval := interval '31 minutes';
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

CREATE OR REPLACE FUNCTION private.invitation_state(i public.manager_invitations)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case
    when i.id is null then 'unknown'
    -- Nothing more is revealed about someone else's invitation.
    when private.my_email() is distinct from i.email then 'not-yours'
    when exists (select from public.places p where p.id = i.place_id and p.owner = private.user_id()) then 'own'
    when exists (select from public.listing_managers m where m.place_id = i.place_id
      and m.profile_id = private.user_id()) then 'managing'
    when i.accepted_at is not null then 'used'
    when i.withdrawn_at is not null then 'withdrawn'
    when i.expires_at <= now() then 'late'
    else 'open'
  end
$function$;

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
  if private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  elsif listing.owner is null then
    perform private.refuse('listing_without_owner');
  elsif address is null or not private.is_email(address) then
    perform private.refuse('invitation_email_invalid', 'email');
  elsif length(coalesce(token, '')) < 32 then
    perform private.refuse('invitation_invalid');
  elsif address = private.my_email() then
    perform private.refuse('invitation_to_self', 'email');
  elsif address = (select lower(u.email) from auth.users u where u.id = listing.owner) then
    perform private.refuse('invitation_to_owner', 'email');
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
  perform private.enforce_limit('too_many_invitations', 'invite to ' || address, 5, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, private.user_id());
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $function$;

CREATE OR REPLACE FUNCTION private.is_admin()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select p.admin and (not exists (select from private.settings s where s.name = 'admins_need_second_step' and s.enabled)
      or private.is_second_step_done())
    from public.profiles p where p.id = private.user_id()), false);
end $function$;

CREATE OR REPLACE FUNCTION private.is_second_step_done()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from auth.mfa_factors f where f.user_id = private.user_id() and f.status = 'verified');
end $function$;

CREATE OR REPLACE FUNCTION private.issue_handoff_code()
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  code constant text := 'once_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  if private.user_id() is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  delete from private.handoff_codes c where c.user_id = private.user_id() or c.code_hash in
    (select o.code_hash from private.handoff_codes o where o.expires_at < now()
      limit 200 for update skip locked);
  insert into private.handoff_codes (code_hash, user_id, session_id)
    values (private.code_hash(code), private.user_id(), session);
  return code;
end $function$;

CREATE OR REPLACE FUNCTION private.job_names_company(job_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select v.company_name is not null from private.jobs_as_public v where v.id = job_names_company.job_id $function$;

CREATE OR REPLACE FUNCTION private.jobs_page(all_owners boolean, search text, state text, after bigint, before bigint, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  search_text text := nullif(btrim(left(coalesce(search, ''), 200)), '');
  size integer := private.page_size(page_rows, 1000);
  mine text := case when all_owners then 'true' else 'j.owner = $1' end;
  -- Searched first, in a query of its own: scanning all jobs for the newest match would compute the
  -- search text of each.
  found_first text := case when search_text is null then ''
    else 'with found as materialized (select f.id from public.jobs f
    where private.search_vector(f.title || '' '' || coalesce(f.company_name, '''')) @@ private.search_query($2)) ' end;
  wanted text := mine
    || case when search_text is null then '' else ' and j.id in (select found.id from found)' end
    || case state
      when 'pending-payment' then ' and not j.paid'
      when 'published' then ' and j.paid and j.published and j.expiration_date > now()'
      when 'unpublished' then ' and j.paid and not j.published and j.expiration_date > now()'
      when 'expired' then ' and j.paid and j.expiration_date <= now()'
      when 'filled' then ' and j.filled_at is not null'
      else case when state is null then '' else ' and false' end end;
  cursor_at timestamptz;
  cursor_id bigint;
  backwards boolean := false;
  found jsonb;
  total bigint;
begin
  if all_owners then
    perform private.require_admin();
  end if;
  execute 'select j.created_at, j.id from public.jobs j where j.id = $2 and ' || mine
    into cursor_at, cursor_id using private.user_id(), coalesce(after, before);
  backwards := after is null and cursor_id is not null;

  -- One row more than the page shows whether there is another page.
  execute found_first || 'select coalesce(jsonb_agg(to_jsonb(page) order by created_at desc, id desc), ''[]'') from (
      select j.id, j.title, j.paid, j.published, j.expiration_date, j.filled_at, j.created_at,
        private.job_names_company(j.id) as names_company'
    || case when all_owners then ', j.owner, o.full_name as owner_name, private.masked_email(j.owner_email) as owner_email' else '' end
    || ' from public.jobs j'
    || case when all_owners then ' left join public.profiles o on o.id = j.owner' else '' end
    || ' where ' || wanted
    || case when cursor_id is null then ''
      when backwards then ' and (j.created_at, j.id) > ($3, $4)'
      else ' and (j.created_at, j.id) < ($3, $4)' end
    || case when backwards then ' order by j.created_at, j.id'
      else ' order by j.created_at desc, j.id desc' end
    || ' limit $5) page'
    into found using private.user_id(), search_text, cursor_at, cursor_id, size + 1;

  if all_owners and search_text is null and state is distinct from 'filled' then
    total := coalesce((private.get_jobs_counts() ->> case state when 'pending-payment' then 'unpaid'
      else coalesce(state, 'total') end)::bigint, 0);
  else
    execute found_first || 'select count(*) from public.jobs j where '
      || wanted into total using private.user_id(), search_text;
  end if;

  return (
    with page as (
      select row, place from jsonb_array_elements(found) with ordinality one (row, place)
      where jsonb_array_length(found) <= size or case when backwards then place > 1 else place <= size end
    )
    select jsonb_build_object(
      'total', total,
      'previous', case when cursor_id is not null and (not backwards or jsonb_array_length(found) > size)
        then (select row -> 'id' from page order by place limit 1) end,
      'next', case when backwards or jsonb_array_length(found) > size
        then (select row -> 'id' from page order by place desc limit 1) end,
      'rows', coalesce((select jsonb_agg(row order by place) from page), '[]')));
end $function$;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days' limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  with due as materialized (
    select n.id, f.id as user_id, f.full_name, i.id is not null or coalesce(f.discreet, false) as discreet,
      coalesce(i.email, lower(u.email), case when p.owner is null then p.owner_email end) as email
    from private.email_queue n
    left join public.manager_invitations i on i.id = n.invitation_id
      and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
    left join public.places p on p.id = n.place_id
    left join auth.users u on u.id = coalesce(n.recipient, p.owner)
      and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    left join public.profiles f on f.id = u.id
    where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
      and (i.id is not null or u.id is not null or (p.owner is null and p.owner_email is not null))
      and (n.kind <> 'listing-approved' or p.status in ('published', 'pending-update'))
      and private.wants_email(u.id, n.kind)
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data, n.attempts, due.email, due.full_name, due.user_id, due.discreet
$function$;

CREATE OR REPLACE FUNCTION private.leave_listing(place_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.places p where p.id = leave_listing.place_id for no key update;
  delete from public.listing_managers m where m.place_id = leave_listing.place_id
    and m.profile_id = private.user_id();
  if not found then
    return false;
  end if;
  perform private.log_action('leave-listing', 'places', leave_listing.place_id::text,
    jsonb_build_object('manager', private.user_id()));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_feedback()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_much_feedback', 'feedback by ' || private.user_id(), 10, 3600);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_lead()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_many_leads', 'lead by ' || private.user_id(), 10, 3600);
    perform private.enforce_limit('too_many_leads_to_listing',
      format('lead by %s to %s', private.user_id(), new.place_id), 3, 86400);
    perform private.enforce_limit('listing_gets_too_many_leads', 'lead to ' || new.place_id, 50, 3600);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_report()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_many_reports', 'report by ' || private.user_id(), 10, 3600);
    perform private.enforce_limit('too_many_reports_of_listing',
      format('report by %s of %s', private.user_id(), new.place), 3, 86400);
    perform private.enforce_limit('listing_gets_too_many_reports', 'report of ' || new.place, 50, 3600);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_for_review(place_id bigint, take_over boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.review_locks as c (place_id, admin, since, until)
  select p.id, private.user_id(), clock_timestamp(), clock_timestamp() + interval '15 minutes'
  from public.places p where p.id = lock_for_review.place_id
  on conflict on constraint review_locks_pkey do update set admin = excluded.admin, until = excluded.until,
    since = case when c.admin = excluded.admin and c.until > excluded.since then c.since
      else excluded.since end
  where c.admin = excluded.admin or c.until <= excluded.since or take_over is true;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_next_listing_for_review(filter jsonb, after text, leaving bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sort text := (private.review_filter(filter)).sort;
  candidate bigint;
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = leaving and c.admin = private.user_id();
  foreach candidate in array coalesce(private.review_ids(filter, after, false, 50,
    'not exists (select from private.review_locks c where c.place_id = p.id and c.until > now() and c.admin <> (select private.user_id()))'),
    '{}')
  loop
    -- Another admin may have been faster.
    if private.lock_for_review(candidate, false) then
      return (select jsonb_build_object('id', p.id, 'cursor', private.review_cursor(p, sort))
        from public.places p where p.id = candidate);
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.managed_listings()
 RETURNS SETOF public.places
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select m.* from public.places p
  cross join lateral jsonb_populate_record(p, '{"owner_email": null, "stripe_cus_id": null,
    "stripe_subscription_id": null, "subscription_status": null, "subscription_ends_at": null}') m
  where p.id = any ((select private.managed_places())::bigint[])
    and p.owner is distinct from (select private.user_id())
$function$;

CREATE OR REPLACE FUNCTION private.managed_places()
 RETURNS bigint[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select coalesce(array_agg(m.place_id), '{}') from public.listing_managers m
  where m.profile_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.max_held_dates()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select 8 $function$;

CREATE OR REPLACE FUNCTION private.move_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.jobs j set owner = new.owner, submission_id = null,
      owner_email = (select lower(u.email) from auth.users u
        where u.id = new.owner and u.email_confirmed_at is not null)
    where j.place_id = new.id and j.paid
      and (j.owner = old.owner or (j.owner is null and new.owner is not null));
  return null;
end $function$;

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
      version, created_at, modified_at}'::text[] || private.reviewed_columns()),
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

CREATE OR REPLACE FUNCTION private.my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select d.due_at from private.account_deletions d where d.user_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.my_email()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select lower(u.email) from auth.users u
  where u.id = private.user_id() and u.email_confirmed_at is not null and u.email <> ''
$function$;

CREATE OR REPLACE FUNCTION private.my_reports()
 RETURNS bigint[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select coalesce(array_agg(r.event), '{}') from private.reporters r where r.user_id = private.user_id() $function$;

CREATE OR REPLACE FUNCTION private.my_second_step()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('since', min(f.created_at),
    'factors', coalesce(jsonb_agg(f.id order by f.created_at) filter (where f.factor_type = 'totp'), '[]'),
    'codes_left', (select count(*) from private.recovery_codes c where c.user_id = private.user_id()))
  from auth.mfa_factors f where f.user_id = private.user_id() and f.status = 'verified'
$function$;

CREATE OR REPLACE FUNCTION private.my_sent_leads()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, place_id bigint, requester_name text, requester_email text, message text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select l.id, l.created_at, l.place_id, l.requester_name, l.requester_email, l.message
  from public.leads l where l.requester = private.user_id() order by l.created_at desc, l.id desc
$function$;

CREATE OR REPLACE FUNCTION private.my_session()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce((
    select jsonb_build_object(
      'user_id', p.id,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
      'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
      'business_owner', p.business_owner, 'admin', a.is_admin,
      'admin_needs_second_step', p.admin and not a.is_admin, 'second_step', a.second_step,
      'supporter', p.supporter,
      'pending_email', nullif(u.email_change, ''),
      'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet)
    from auth.users u
    join public.profiles p on p.id = u.id
    cross join private.tracking_consent(u.id) t
    cross join (select private.is_admin() as is_admin, private.is_second_step_done() as second_step) a
    where u.id = private.user_id()
  ), (
    select jsonb_build_object('second_step_due', true, 'user_id', p.id, 'discreet', p.discreet,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
      'factors', (select jsonb_agg(f.id order by f.created_at) from auth.mfa_factors f
        where f.user_id = u.id and f.status = 'verified' and f.factor_type = 'totp'))
    from auth.users u
    join public.profiles p on p.id = u.id
    where u.id = private.session_user_id()
  ))
$function$;

CREATE OR REPLACE FUNCTION private.nearby_users(place_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select private.people_nearby(
      -- While an edit waits, the approved values of what it changes.
      case when p.last_update ? 'lat' then (p.last_update ->> 'lat')::double precision else p.lat end,
      case when p.last_update ? 'long' then (p.last_update ->> 'long')::double precision else p.long end)
    from public.places p
    where p.id = place_id and p.status in ('published', 'pending-update')
      and ((p.premium and (p.owner = private.user_id() or p.id = any (private.managed_places())))
        or private.is_admin()));
end $function$;

CREATE OR REPLACE FUNCTION private.obscured_count(exact bigint, circle text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  hash constant bytea := (select sha256(s.secret || convert_to(circle, 'UTF8')) from private.nearby_secret s);
  shown constant bigint := (exact - (get_byte(hash, 0) * 256 + get_byte(hash, 1)) % 30) / 10 * 10;
begin
  return case when shown < 50 then 0 else shown end;
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
  already_bought boolean;
  current public.orders;
  is_same boolean;
  not_held jsonb;
begin
  if kind = 'job' and days is null then
    perform private.refuse('order_days_missing');
  elsif kind = 'sponsorship' then
    -- One at a time for each buyer, so that dates held at the same moment are all counted.
    perform 1 from public.profiles p where p.id = buyer for no key update;
  end if;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false) into already_bought from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer
      into already_bought, amount, cents from public.sponsorships s where s.id = sponsorship;
  else
    select p.premium into already_bought from public.places p where p.id = place;
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
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, open_order.coupon);
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
      unit_price_cents, coupon, expires_at)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents,
      open_order.coupon,
      now() + interval '30 minutes 45 seconds')
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + interval '30 minutes 45 seconds', seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + interval '30 minutes', true) then
    -- The provider accepts no end that is less than 30 minutes away, and the same attempt only with
    -- the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + interval '30 minutes 45 seconds', seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id)), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $function$;

CREATE OR REPLACE FUNCTION private.pay_sponsorship_dates(sponsorship_id bigint)
 RETURNS TABLE(weekday_date date, outcome text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  result record;
  full_dates integer := 0;
begin
  for result in select * from private.reserve_spots(pay_sponsorship_dates.sponsorship_id, true) loop
    full_dates := full_dates + (result.outcome <> 'held')::integer;
    weekday_date := result.weekday_date;
    outcome := case result.outcome when 'held' then 'paid' else result.outcome end;
    return next;
  end loop;
  if full_dates = 0 then
    update public.sponsorships s set paid = true where s.id = pay_sponsorship_dates.sponsorship_id
      and not s.paid;
    delete from private.newsletter_holds h using public.sponsorships s
      where s.id = pay_sponsorship_dates.sponsorship_id and h.place_id = s.place_id
        and h.weekday_date = any (s.sponsorship_dates);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.people_nearby(lat double precision, long double precision)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  y constant double precision := private.round_degrees(lat);
  -- Both names of the 180th meridian.
  x constant double precision := case when abs(long) > 179.95 then 180 else private.round_degrees(long) end;
begin
  return case when y is not null and x is not null then
    coalesce(private.obscured_count(private.count_users_within(y, x, 50), y || ' ' || x), 0) end;
end $function$;

CREATE OR REPLACE FUNCTION private.preview_job(job_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select to_jsonb(v) from public.jobs j join private.jobs_as_public v on v.id = j.id
  where j.id = job_id and (j.owner = private.user_id() or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit_reached(bucket text, max_hits integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.rate_limits r
    where r.bucket = private.code_hash(rate_limit_reached.bucket) and r.hits >= max_hits
      and r.resets_at > clock_timestamp())
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
      coalesce(now_is.owner, (select p.owner from public.places p where p.id = place)),
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

CREATE OR REPLACE FUNCTION private.record_place_view(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    private.code_hash(concat_ws(' ', private.user_id(), p.id,
      extract(epoch from date_trunc('hour', now(), 'UTC'))))
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from private.user_id() and private.user_id() is not null
    and p.id <> all (private.managed_places())
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION private.record_reporter()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.reporters (event, user_id) values (new.id, new.user_id);
  update public.events e set user_id = null where e.id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.recovery_code_hash(code text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select private.code_hash('recovery ' || regexp_replace(lower(code), '[^0-9a-f]', '', 'g')) $function$;

CREATE OR REPLACE FUNCTION private.release_changed_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_newsletters(array(
    select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = new.id));
  delete from public.sponsorship_spots s where s.sponsorship_id = new.id and s.held_until is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.release_review_lock(id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = release_review_lock.id and c.admin = private.user_id();
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_second_step(user_id uuid, change text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.mfa_amr_claims a using auth.sessions s
    where s.id = a.session_id and s.user_id = remove_second_step.user_id and a.authentication_method = 'totp';
  update auth.sessions s set aal = 'aal1', factor_id = null
    where s.user_id = remove_second_step.user_id and s.aal = 'aal2';
  perform set_config('app.second_step_change', change, true);
  delete from auth.mfa_factors f where f.user_id = remove_second_step.user_id;
  perform set_config('app.second_step_change', '', true);
end $function$;

CREATE OR REPLACE FUNCTION private.report_factor()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from auth.mfa_factors f where f.user_id = old.user_id and f.status = 'verified' and f.id <> old.id) then
    return null;
  elsif tg_op = 'UPDATE' then
    perform private.report_second_step(old.user_id, 'on', old.user_id);
  elsif exists (select from auth.users u where u.id = old.user_id) then
    delete from private.recovery_codes c where c.user_id = old.user_id;
    perform private.report_second_step(old.user_id,
      coalesce(nullif(current_setting('app.second_step_change', true), ''), 'off'), private.session_user_id());
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.report_second_step(user_id uuid, change text, actor uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(user_id, null, 'two-step-changed', 'two-step-changed:' || gen_random_uuid(),
    jsonb_build_object('change', change));
  insert into public.audit_log (actor, actor_role, action, subject, subject_id)
    values (actor, case when actor is null then 'system' else 'authenticated' end, 'two-step-' || change, 'profiles',
      user_id::text);
end $function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due timestamptz;
begin
  if private.is_last_admin(private.user_id()) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (private.user_id()) on conflict do nothing;
  select d.due_at into due from private.account_deletions d where d.user_id = private.user_id();
  perform private.enqueue_email(private.user_id(), null, 'account-deletion', 'account-deletion:' || private.user_id() || ':'
    || due,
    jsonb_build_object('due_at', due));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION private.require_export(entry bigint, what text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if entry is not null and not exists (select from public.audit_log a where a.id = entry
    and a.actor = private.user_id() and a.action = 'export' and a.subject_id = what
    and a.at > now() - interval '1 hour') then
    raise exception 'export_ended' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_listing_owner(place_id bigint)
 RETURNS public.places
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing public.places;
begin
  select * into listing from public.places p where p.id = place_id for no key update;
  if listing.id is null or not (coalesce(listing.owner = private.user_id(), false) or private.is_admin()) then
    raise exception 'listing_not_yours' using errcode = '42501';
  end if;
  return listing;
end $function$;

CREATE OR REPLACE FUNCTION private.require_recent_second_step()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.is_second_step_done() then
    raise exception 'second_step_required' using errcode = '42501';
  elsif not private.has_recent_second_step() then
    perform private.refuse('second_step_code_needed');
  end if;
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
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_sponsorship_owner(sponsorship bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from public.sponsorships s where s.id = sponsorship
    and (s.owner = private.user_id() or private.is_admin() or auth.role() = 'service_role')) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
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
      select sponsorship, d, case when not permanent then now() + interval '31 minutes' end
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
  elsif api and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one. Its address changes with it,
    -- because the previous owner could claim it back otherwise.
    place.owner_email := private.account_email(place.owner);
  end if;
  if api then
    place.subscription_ends_at := before.subscription_ends_at;
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

CREATE OR REPLACE FUNCTION private.review_batch(batch uuid, action text, reason text, skip integer, page_rows integer)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select private.batch_as_json(b.id, coalesce(b.action, review_batch.action),
      coalesce(b.reason, btrim(review_batch.reason, e' \t\r\n')), skip, page_rows)
    from private.decision_batches b where b.id = batch and b.admin = private.user_id() and b.expires_at > now());
end $function$;

CREATE OR REPLACE FUNCTION private.review_rows(ids bigint[], sort text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'name', p.name, 'category', p.category, 'category_name', c.name,
        'city', p.city, 'state', p.state, 'country', p.country, 'status', p.status, 'premium', p.premium,
        'premium_created_at', p.premium_created_at, 'hidden', p.hidden, 'archive_requested',
          p.archive_requested,
        'owner', p.owner, 'owner_name', o.full_name, 'owner_email', private.masked_email(p.owner_email),
          'phone', p.phone,
        'public_email', p.public_email, 'url', p.url, 'created_at', p.created_at, 'modified_at',
          p.modified_at,
        'changes_requested', p.changes_requested, 'kind', private.edit_kind(p.last_update),
        'changes', case when p.last_update = '{}' then '[]' else (
          select json_agg(json_build_object('column', e.key, 'before', e.value, 'after',
            current_values.row -> e.key)
            order by array_position(private.reviewed_columns(), e.key))
          from (select to_jsonb(p) as row offset 0) current_values, jsonb_each(p.last_update) e) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = private.user_id(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort)
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_locks r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $function$;

CREATE OR REPLACE FUNCTION private.round_degrees(degrees double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select round(degrees::numeric, 1)::double precision $function$;

CREATE OR REPLACE FUNCTION private.schedule_emails(keys text[], due timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set next_try_at = due
  where n.key = any (keys) and n.sent_at is null and n.attempts = 0
$function$;

CREATE OR REPLACE FUNCTION private.session_user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null);
end $function$;

CREATE OR REPLACE FUNCTION private.set_my_position(lat double precision, long double precision)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if lat is null or long is null then
    delete from private.user_positions where user_id = private.user_id();
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.store_position(private.user_id(), lat, long);
  else
    perform private.refuse('position_invalid');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.set_tracking_consent(granted boolean, text_version text, page text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before constant public.consents := private.tracking_consent(private.user_id());
begin
  if granted is null or private.user_id() is null then
    perform private.refuse('tracking_answer_missing');
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (private.user_id(), 'tracking', granted, text_version, page);
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
      when d.blocked and not permanent then 'blocked'
      when d.weekday_date <= private.today() and not permanent then 'past'
      when not (permanent and day = any (held_before)) and exists (
        select 1 from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
        where s.weekday_date = day and o.place_id = item.place_id) then 'duplicate'
      when d.held_count + d.paid_count >= private.spots_per_newsletter() then 'full'
      else 'held'
    end
  from public.sponsorship_dates d where d.weekday_date = day
$function$;

CREATE OR REPLACE FUNCTION private.store_decision_batch(batch uuid, items jsonb, filter jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_listings constant integer := 10000;
  found_ids bigint[];
  stored integer;
  distinct_items integer;
begin
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 3 for update skip locked);
  insert into private.decision_batches (id, admin, filter) values (batch, private.user_id(), store_decision_batch.filter)
    on conflict (id) do nothing;
  if not found then
    return;
  end if;
  if jsonb_typeof(items) = 'array' then
    -- The first item of each listing.
    with sent as (
      select position, item,
        case when item ->> 'id' ~ '^[0-9]{1,18}$' then (item ->> 'id')::bigint end as id,
        case when item ->> 'version' ~ '^[0-9]{1,9}$' then (item ->> 'version')::integer end as version
      from jsonb_array_elements(items) with ordinality as list (item, position)
    ), firsts as (
      select distinct on (coalesce(id, -position)) coalesce(id, -position) as place_id, id, version, item,
        position
      from sent order by coalesce(id, -position), position
    ), inserted as (
      insert into private.decision_rows (batch_id, place_id, sent, n, version)
      select batch, place_id, case when id is null then left(coalesce(item ->> 'id', item::text), 40) end,
        position, version
      from firsts order by position limit max_listings
      returning 1
    )
    select (select count(*) from inserted), (select count(*) from firsts) into stored, distinct_items;
    update private.decision_batches b set left_out = distinct_items - stored where b.id = batch
      and distinct_items > stored;
  elsif jsonb_typeof(filter) = 'object' then
    found_ids := private.review_ids(filter, null, false, max_listings + 1);
    insert into private.decision_rows (batch_id, place_id, n, version)
    select batch, p.id, w.n, p.version
    from unnest(found_ids[1:max_listings]) with ordinality w (id, n) join public.places p on p.id = w.id;
    get diagnostics stored = row_count;
    update private.decision_batches b set more = true where b.id = batch and cardinality(found_ids) > max_listings;
  end if;
  if coalesce(stored, 0) = 0 then
    perform private.refuse('no_listings_selected');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.turn_off_second_step()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_recent_second_step();
  perform private.remove_second_step(private.user_id(), 'off');
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

CREATE OR REPLACE FUNCTION private.undo_window()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select interval '10 minutes' $function$;

CREATE OR REPLACE FUNCTION private.use_recovery_code(code text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.session_user_id();
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
      perform private.remove_second_step(me, 'recovery-code');
      perform private.return_rate_token(bucket);
      return '{"used": true, "wait": 0}';
    end if;
  end if;
  return jsonb_build_object('used', false, 'wait', wait);
end $function$;

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null
      and ((s.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
        or not exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified')));
end $function$;

CREATE OR REPLACE FUNCTION private.validate_decision(action text, reason text, wanted bigint[], seen integer[])
 RETURNS TABLE(place_id bigint, outcome text, reasons text[], warnings text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select w.id, j.outcome,
    case j.outcome when 'refused' then r.refusals when 'missing' then array['listing_missing']
      when 'stale' then array[coalesce('already_' || r.already, 'listing_changed')] end,
    case j.outcome when 'done' then nullif(array_remove(array[
      case when action = 'approve' and p.archive_requested then 'removal_requested' end,
      case when action in ('flag', 'archive') and p.premium and p.stripe_subscription_id is not null
        then 'subscription_continues' end,
      case when c.admin is not null then 'under_review:' || coalesce(a.full_name, '') end], null), '{}') end
  from unnest(wanted, seen) w (id, version)
  left join public.places p on p.id = w.id
  left join private.review_locks c on c.place_id = p.id and c.admin <> (select private.user_id()) and c.until > now()
  left join public.profiles a on a.id = c.admin
  cross join lateral (select
    case when (action, p.status) in (('approve', 'published'), ('flag', 'flagged'), ('archive', 'archived'))
      then p.status end as already,
    nullif(array_remove(case action
      when 'approve' then private.missing_for_approval(p.owner_email, p.state)
      when 'reject' then array[
        case when p.status <> 'pending-update' or p.last_update = '{}' then 'no_edit' end]
      when 'request-changes' then array[case
        when p.status in ('published', 'archived') then 'nothing_under_review:' || p.status
        when p.owner is null and p.owner_email is null then 'no_owner_email'
        when p.changes_requested = validate_decision.reason then 'changes_already_requested' end]
      when 'reopen' then array[
        case when p.status not in ('flagged', 'archived') then 'not_flagged_or_archived' end]
    end, null), '{}') as refusals) r
  cross join lateral (select case
    when p.id is null then 'missing'
    when w.version is distinct from p.version or r.already is not null then 'stale'
    when r.refusals is not null then 'refused'
    else 'done' end as outcome) j
$function$;

CREATE OR REPLACE FUNCTION private.wait_in_words(seconds integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when minutes <= 1 then 'a minute' when minutes < 90 then minutes || ' minutes'
    when minutes < 36 * 60 then ceil(minutes / 60.0) || ' hours' else ceil(minutes / 1440.0) || ' days' end
  from (select ceil(seconds / 60.0)::integer as minutes) m
$function$;

CREATE OR REPLACE FUNCTION private.weekly_views(place_id bigint)
 RETURNS integer[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select array(
    select coalesce(w.views, 0)::integer
    from generate_series(11, 0, -1) ago
    left join private.place_view_weeks w on w.place_id = p.id and w.week = private.week_of(now()) - 7 * ago
    order by ago desc)
  from public.places p
  where p.id = weekly_views.place_id and ((p.premium and (p.owner = private.user_id()
    or p.id = any (private.managed_places()))) or private.is_admin())
$function$;

CREATE OR REPLACE FUNCTION private.withdraw_decision_emails(decided private.decision_batches, wanted bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  withdrawn constant text[] := private.decision_email_keys(decided.id, decided.action, wanted, 'undone');
begin
  insert into private.email_queue (place_id, kind, key, data)
  select p.id, 'decision-undone', format('decision-undone:%s:%s', decided.id, p.id),
    jsonb_build_object('place_id', p.id, 'name', p.name, 'decision', decided.action)
  from private.email_queue n join public.places p on p.id = n.place_id
  where n.key = any (withdrawn) and (n.sent_at is not null or n.attempts > 0)
  on conflict do nothing;
  delete from private.email_queue n where n.key = any (withdrawn) and n.sent_at is null;
  perform private.schedule_emails(
    private.decision_email_keys(decided.id, decided.action, wanted, 'unchanged'),
    private.decision_emails_due(decided.decided_at));
  -- An undo that is never continued leaves the rest decided: their owners learn of it a day later.
  perform private.schedule_emails(
    private.decision_email_keys(decided.id, decided.action, null, null), decided.expires_at);
end $function$;

CREATE OR REPLACE FUNCTION public.admin_second_steps()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.admin_second_steps() $function$;

CREATE OR REPLACE FUNCTION public.begin_sign_up(email text)
 RETURNS text
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.begin_sign_up(email) $function$;

CREATE OR REPLACE FUNCTION public.create_recovery_codes()
 RETURNS text[]
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.create_recovery_codes() $function$;

CREATE OR REPLACE FUNCTION public.get_owner_leads()
 RETURNS TABLE(id bigint, created_at timestamp with time zone, requester_name text, requester_email text, message text, place_id bigint, place_name text, state text, notes text, version integer)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes,
    l.version
  from public.leads l
  join (select o.id, o.name from public.places o where o.owner = (select private.user_id())
    union all select m.id, m.name from private.managed_listings() m) p on p.id = l.place_id
  order by l.created_at desc, l.id desc
$function$;

CREATE OR REPLACE FUNCTION public.get_user_count_by_distance(place_id bigint)
 RETURNS bigint
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.get_user_count_by_distance(place_id) $function$;

CREATE OR REPLACE FUNCTION public.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select * from private.lease_emails(max_emails) $function$;

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
    select j.* from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
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

CREATE OR REPLACE FUNCTION public.my_listings(search text DEFAULT NULL::text, after bigint DEFAULT NULL::bigint, before bigint DEFAULT NULL::bigint, page_rows integer DEFAULT 20, needing boolean DEFAULT false)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with mine as (
    select p.id, private.normalize_for_search(p.name) as key, p.name, p.city, p.state,
      case when p.id = any ((select private.managed_places())::bigint[]) then private.needs_manager_attention(p::public.places)
        else private.needs_owner_attention(p::public.places) end as needs
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), found as (
    select m.id, row_number() over (order by m.key, m.id) as n from mine m
    where (m.needs or needing is not true) and not exists (
      select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), place as (
    -- The position that the listing has or would have, whether or not it is among those found.
    select coalesce(
      (select count(*) + 1 from found f join mine m on m.id = f.id
        join mine a on a.id = my_listings.after where (m.key, m.id) <= (a.key, a.id)),
      1) as from_after,
      (select count(*) + 1 - private.page_size(page_rows, 100) from found f join mine m on m.id = f.id
        join mine b on b.id = my_listings.before where (m.key, m.id) < (b.key, b.id)) as to_before
  ), page as (
    select f.id, f.n from found f, place
    where f.n >= greatest(case when before is null then from_after else to_before end, 1)
    order by f.n limit private.page_size(page_rows, 100)
  )
  select jsonb_build_object(
    'all', (select count(*) from mine),
    'needing', (select count(*) from mine where needs),
    'total', (select count(*) from found),
    'first', (select min(n) from page),
    'week', private.week_of(now()),
    'rows', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
        'premium', s.premium, 'premium2', s.premium2,
        'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
        'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
        'proxi_id', s.proxi_id, 'subscription_status', s.subscription_status,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update)),
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'),
        'subscription_ends_at', p.subscription_ends_at
      ) order by page.n)
      from page join public.places_with_stats s on s.id = page.id
      left join public.places p on p.id = page.id),
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.my_second_step()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.my_second_step() $function$;

CREATE OR REPLACE FUNCTION public.rate_limit_reached(bucket text, max_hits integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.rate_limit_reached(bucket, max_hits) $function$;

CREATE OR REPLACE FUNCTION public.require_second_step_of_admins(mandatory boolean)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.require_second_step_of_admins(mandatory) $function$;

CREATE OR REPLACE FUNCTION public.save_my_profile(opted_in boolean, sms_opted_in boolean, text_version text, page text, full_name text DEFAULT NULL::text, phone text DEFAULT NULL::text, pronouns text DEFAULT NULL::text, postalcode text DEFAULT NULL::text, lat double precision DEFAULT NULL::double precision, long double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.profiles p
  set full_name = save_my_profile.full_name, phone = save_my_profile.phone,
    pronouns = save_my_profile.pronouns, postalcode = save_my_profile.postalcode
  where p.id = private.user_id();
  -- A change of the postal code has deleted the old position. A postal code whose location is not
  -- known has none.
  if lat is not null and long is not null then
    perform public.set_my_position(lat, long);
  end if;
  perform public.set_consent('email', opted_in, text_version, page);
  perform public.set_consent('sms', sms_opted_in, text_version, page);
end $function$;

CREATE OR REPLACE FUNCTION public.set_consent(channel text, granted boolean, text_version text, page text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if channel is null or channel not in ('email', 'sms') or granted is null then
    perform private.refuse('consent_answer_invalid');
  end if;
  perform set_config('app.consent_text', left(coalesce(text_version, ''), 100), true),
    set_config('app.consent_page', left(coalesce(page, ''), 500), true);
  if channel = 'email' then
    update public.profiles set opted_in = granted where id = private.user_id() and opted_in <> granted;
  else
    update public.profiles set sms_opted_in = granted where id = private.user_id() and sms_opted_in <> granted;
  end if;
  perform set_config('app.consent_text', '', true), set_config('app.consent_page', '', true);
end $function$;

CREATE OR REPLACE FUNCTION public.turn_off_second_step()
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.turn_off_second_step() $function$;

CREATE OR REPLACE FUNCTION public.use_recovery_code(code text)
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.use_recovery_code(code) $function$;

create operator private.>=! (function = uuid_ge, leftarg = uuid, rightarg = uuid, restrict = eqsel);

update private.decision_rows set undone = 'unchanged' where undone = 'kept';

alter table private.decision_rows add constraint decision_rows_undone_check CHECK ((undone = ANY (ARRAY['undone'::text, 'unchanged'::text])));

alter table private.nearby_secret add constraint nearby_secret_only_row_check CHECK (only_row);

alter table private.nearby_secret add constraint nearby_secret_pkey PRIMARY KEY (only_row);

alter table private.newsletter_holds add constraint newsletter_holds_pkey PRIMARY KEY (place_id, weekday_date);

alter table private.newsletter_holds add constraint newsletter_holds_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(id) ON DELETE CASCADE;

alter table private.newsletter_holds add constraint newsletter_holds_weekday_date_fkey FOREIGN KEY (weekday_date) REFERENCES public.sponsorship_dates(weekday_date) ON DELETE CASCADE;

alter table private.recovery_codes add constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash);

alter table private.recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

alter table private.reporters add constraint reporters_event_fkey FOREIGN KEY (event) REFERENCES public.events(id) ON DELETE CASCADE;

alter table private.reporters add constraint reporters_pkey PRIMARY KEY (event);

alter table private.reporters add constraint reporters_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.profiles(id) ON DELETE CASCADE;

alter table private.settings add constraint settings_name_check CHECK ((name = 'admins_need_second_step'::text));

alter table private.settings add constraint settings_pkey PRIMARY KEY (name);

CREATE INDEX newsletter_holds_date ON private.newsletter_holds USING btree (weekday_date);

CREATE INDEX reporters_user ON private.reporters USING btree (user_id);

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
  WHERE (id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[]));

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
            places.name_key
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
            managed_listings.name_key
           FROM private.managed_listings() managed_listings(id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress, address, address_approximate, city, state, country, postalcode, lat, long, mailingaddress, description, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, certified_queer, third_party_auth, status, hidden, archive_requested, owner, owner_email, premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested, submission_id, version, created_at, modified_at, name_search, name_key)
          WHERE (NOT ( SELECT private.is_admin() AS is_admin))) p
     LEFT JOIN public.place_stats s ON ((s.place_id = p.id)));

create or replace view private.jobs_as_public as
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

alter table private.nearby_secret enable row level security;

alter table private.newsletter_holds enable row level security;

alter table private.recovery_codes enable row level security;

alter table private.reporters enable row level security;

alter table private.settings enable row level security;

CREATE TRIGGER t1_report_off AFTER DELETE ON auth.mfa_factors FOR EACH ROW WHEN ((old.status = 'verified'::auth.factor_status)) EXECUTE FUNCTION private.report_factor();

CREATE TRIGGER t1_report_on AFTER UPDATE OF status ON auth.mfa_factors FOR EACH ROW WHEN (((old.status <> 'verified'::auth.factor_status) AND (new.status = 'verified'::auth.factor_status))) EXECUTE FUNCTION private.report_factor();

CREATE TRIGGER t1_create_secret AFTER INSERT ON private.position_counts FOR EACH STATEMENT EXECUTE FUNCTION private.create_nearby_secret();

CREATE TRIGGER t2_limit AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION private.limit_report();

CREATE TRIGGER t3_record_reporter AFTER INSERT ON public.events FOR EACH ROW WHEN ((new.user_id IS NOT NULL)) EXECUTE FUNCTION private.record_reporter();

CREATE TRIGGER t4_audit_update AFTER UPDATE ON public.events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit('{state,note}');

CREATE TRIGGER t2_limit AFTER INSERT ON public.feedback FOR EACH ROW EXECUTE FUNCTION private.limit_feedback();

CREATE TRIGGER t3_audit_update AFTER UPDATE ON public.feedback REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit('{archived}');

CREATE TRIGGER t2_limit AFTER INSERT ON public.leads FOR EACH ROW EXECUTE FUNCTION private.limit_lead();

CREATE TRIGGER t3_enqueue_emails AFTER INSERT ON public.leads FOR EACH ROW EXECUTE FUNCTION private.enqueue_lead_emails();

CREATE TRIGGER t5_move_jobs AFTER UPDATE ON public.places FOR EACH ROW WHEN ((new.owner IS DISTINCT FROM old.owner)) EXECUTE FUNCTION private.move_jobs();

CREATE TRIGGER t3_release_spots AFTER UPDATE ON public.sponsorships FOR EACH ROW WHEN (((NOT old.paid) AND (NOT new.paid) AND ((new.sponsorship_dates IS DISTINCT FROM old.sponsorship_dates) OR (new.place_id IS DISTINCT FROM old.place_id)))) EXECUTE FUNCTION private.release_changed_order();

CREATE TRIGGER t4_audit_delete AFTER DELETE ON public.sponsorships REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit();

CREATE TRIGGER t4_audit_insert AFTER INSERT ON public.sponsorships REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit();

CREATE TRIGGER t4_audit_update AFTER UPDATE ON public.sponsorships REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION private.write_audit();

create policy "no access" on private.nearby_secret for all to anon, authenticated
  using (false);

create policy "no access" on private.newsletter_holds for all to anon, authenticated
  using (false);

create policy "no access" on private.recovery_codes for all to anon, authenticated
  using (false);

create policy "no access" on private.reporters for all to anon, authenticated
  using (false);

create policy "no access" on private.settings for all to anon, authenticated
  using (false);

create policy "read own" on public.consents for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.email_preferences for insert to authenticated
  with check ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "read own" on public.email_preferences for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "update own" on public.email_preferences for update to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)))
  with check ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert for public listings" on public.events for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (event_name = 'report_listing'::text) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = events.place)))));

create policy "read own, or admin" on public.events for select to authenticated
  using (((id = ANY (( SELECT private.my_reports() AS my_reports)::bigint[])) OR ( SELECT private.is_admin() AS is_admin) OR (user_id = ( SELECT private.user_id() AS user_id))));

create policy "delete own" on public.favorites for delete to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.favorites for insert to authenticated
  with check (((user_id = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = favorites.place_id)))));

create policy "read own" on public.favorites for select to authenticated
  using ((user_id = ( SELECT private.user_id() AS user_id)));

create policy "insert own" on public.feedback for insert to authenticated
  with check ((userid = ( SELECT private.user_id() AS user_id)));

create policy "read own, or admin" on public.feedback for select to authenticated
  using (((userid = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "insert own, or admin" on public.jobs for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.jobs for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, or admin" on public.jobs for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "insert for public listings" on public.leads for insert to authenticated
  with check (((requester = ( SELECT private.user_id() AS user_id)) AND (EXISTS ( SELECT 1
   FROM public.public_places p
  WHERE (p.id = leads.place_id)))));

create policy "read for owned or managed listings" on public.leads for select to authenticated
  using (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))));

create policy "update for owned or managed listings" on public.leads for update to authenticated
  using (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))))
  with check (((place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[])) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id))))));

create policy own on public.listing_drafts for all to authenticated
  using ((owner = ( SELECT private.user_id() AS user_id)))
  with check ((owner = ( SELECT private.user_id() AS user_id)));

create policy "read own, for own listings, or admin" on public.listing_managers for select to authenticated
  using (((profile_id = ( SELECT private.user_id() AS user_id)) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id)))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, for own listings, or admin" on public.manager_invitations for select to authenticated
  using (((email = ( SELECT private.my_email() AS my_email)) OR (place_id IN ( SELECT p.id
   FROM public.places p
  WHERE (p.owner = ( SELECT private.user_id() AS user_id)))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.orders for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read for featured listings, or admin" on public.place_stats for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (EXISTS ( SELECT 1
   FROM public.places p
  WHERE ((p.id = place_stats.place_id) AND p.premium))) OR (EXISTS ( SELECT 1
   FROM public.managed_places p
  WHERE ((p.id = place_stats.place_id) AND p.premium)))));

create policy "insert own, or admin" on public.places for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, claimable, or admin" on public.places for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ((owner IS NULL) AND (owner_email = ( SELECT private.my_email() AS my_email))) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, claimable, or admin" on public.places for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ((owner IS NULL) AND (owner_email = ( SELECT private.my_email() AS my_email))) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.profiles for select to authenticated
  using (((id = ( SELECT private.user_id() AS user_id)) OR (id OPERATOR(private.>=!) ( SELECT private.first_readable_profile() AS first_readable_profile))));

create policy "update own, or admin" on public.profiles for update to authenticated
  using (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((id = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read for readable listings" on public.rejected_edits for select to authenticated
  using (((EXISTS ( SELECT
   FROM public.places p
  WHERE (p.id = rejected_edits.place_id))) OR (place_id = ANY (( SELECT private.managed_places() AS managed_places)::bigint[]))));

create policy "own, admins only" on public.saved_views for all to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) AND ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) AND ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.sponsorship_spots for select to authenticated
  using ((( SELECT private.is_admin() AS is_admin) OR (EXISTS ( SELECT 1
   FROM public.sponsorships s
  WHERE ((s.id = sponsorship_spots.sponsorship_id) AND (s.owner = ( SELECT private.user_id() AS user_id)))))));

create policy "insert own, or admin" on public.sponsorships for insert to authenticated
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "read own, or admin" on public.sponsorships for select to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

create policy "update own, or admin" on public.sponsorships for update to authenticated
  using (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)))
  with check (((owner = ( SELECT private.user_id() AS user_id)) OR ( SELECT private.is_admin() AS is_admin)));

grant execute on function private.admin_second_steps() to authenticated;

grant execute on function private.begin_sign_up(text) to service_role;

grant execute on function private.create_recovery_codes() to authenticated;

grant execute on function private.first_readable_profile() to authenticated;

grant execute on function private.is_last_admin(uuid) to authenticated;

grant execute on function private.is_second_step_done() to anon;

grant execute on function private.is_second_step_done() to authenticated;

grant execute on function private.is_second_step_done() to service_role;

grant execute on function private.managed_listings() to authenticated;

grant execute on function private.my_reports() to authenticated;

grant execute on function private.my_second_step() to authenticated;

grant execute on function private.nearby_users(bigint) to authenticated;

grant execute on function private.rate_limit_reached(text,integer) to service_role;

grant execute on function private.require_second_step_of_admins(boolean) to authenticated;

grant execute on function private.session_user_id() to anon;

grant execute on function private.session_user_id() to authenticated;

grant execute on function private.session_user_id() to service_role;

grant execute on function private.turn_off_second_step() to authenticated;

grant execute on function private.use_recovery_code(text) to authenticated;

grant execute on function private.user_id() to anon;

grant execute on function private.user_id() to authenticated;

grant execute on function private.user_id() to service_role;

grant execute on function public.admin_second_steps() to authenticated;

grant execute on function public.begin_sign_up(text) to service_role;

grant execute on function public.create_recovery_codes() to authenticated;

grant execute on function public.my_second_step() to authenticated;

grant execute on function public.rate_limit_reached(text,integer) to service_role;

grant execute on function public.require_second_step_of_admins(boolean) to authenticated;

grant execute on function public.turn_off_second_step() to authenticated;

grant execute on function public.use_recovery_code(text) to authenticated;

grant select on table private.managed_places to authenticated;

grant select on table public.managed_places to authenticated;

grant update on table private.managed_places to authenticated;

grant update on table public.managed_places to authenticated;

grant execute on function private.lease_emails(integer) to service_role;

grant execute on function public.lease_emails(integer) to service_role;

grant select on table public.places_with_stats to authenticated;

set check_function_bodies = on;

-- Positions that are stored become as coarse as new ones, and count at once.
do $$ begin
  -- An update of no rows would create the secret of a directory without users, too.
  if exists (select from private.user_positions) then
    update private.user_positions set lat = private.round_degrees(lat), long = private.round_degrees(long);
  end if;
end $$;

delete from private.position_counts where people = 0;

update private.position_counts set week = '2000-01-03', people_before = 0;

-- Who reported a listing is kept apart from the report.
insert into private.reporters (event, user_id)
select id, user_id from public.events where user_id is not null;

update public.events set user_id = null where user_id is not null;

-- Paid jobs follow their listing: those of former owners go to the current one.
update public.jobs j set owner = p.owner from public.places p
where p.id = j.place_id and j.paid and p.owner is not null and j.owner is distinct from p.owner;
