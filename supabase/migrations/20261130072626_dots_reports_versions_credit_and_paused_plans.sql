-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.update_reports(bigint[],text,text,boolean) from authenticated;

revoke execute on function private.update_reports(bigint[],text,text,boolean) from authenticated;

drop function public.update_reports(bigint[],text,text,boolean);

drop function private.update_reports(bigint[],text,text,boolean);

drop function private.sign_up_bucket(text);

alter table private.decision_batches add column report_versions integer[];

alter table public.events add column version integer default 1 not null;

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status in ('past_due', 'unpaid'),
        'until', case when private.is_paid_for(s) and not private.period_is_returned(s) then private.paid_until(s) end,
        'awaits', s.awaits_payment,
        -- Nothing is to be stopped, and no email says that it is.
        'canceled', s.status in ('active', 'trialing') and s.ends_at <= s.period_to)
      from public.subscriptions s
      where s.place_id = place.id and s.owner = place.owner and not s.surplus
        and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
      order by s.started_at desc, s.id limit 1),
    'jobs', (select count(*) from public.jobs j
      where j.place_id = place.id and j.owner = place.owner and j.paid and j.published and j.filled_at is null
        and j.expiration_date > now()),
    'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
      from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = place.id and s.owner = place.owner and p.held_until is null
        and p.weekday_date > private.today()))
$function$;

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
    jsonb_build_object('place_id', listing.id, 'name', listing.name, 'invitation', invitation.id));
  return jsonb_build_object('state', 'accepted', 'name', listing.name);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_reports(state text, after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  filter constant text := case when state <> '' then format(' and e.state = %L', state) else '' end;
  total bigint;
begin
  perform private.require_admin();
  execute 'select count(*) from public.events e where e.event_name = ''report_listing''' || filter into total;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select e.created_at, e.id, jsonb_build_object(''id'', e.id, ''place'', e.place, ''place_name'', p.name,
        ''place_status'', p.status, ''place_hidden'', p.hidden, ''place_version'', p.version,
        ''reason'', e.data ->> ''reason'', ''info'', e.data ->> ''info'',
        ''state'', e.state, ''note'', e.note, ''created_at'', e.created_at) as item
      from public.events e join public.places p on p.id = e.place where e.event_name = ''report_listing''' || filter,
    '{created_at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.author(sent uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_rights(me is not null or coalesce(auth.role(), '') not in ('anon', 'authenticated'));
  return coalesce(me, sent);
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
      -- Of the reports that were resolved with it: how many an undo has left as they are.
      'reports_left', case when b.undone_at is not null then (select count(*) from public.events e
        where e.id = any (b.reports) and e.state <> 'open') end,
      'reports', cardinality(b.reports),
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
          'reasons', page.reasons, 'warnings', page.warnings, 'decided', page.decided,
          'changes', case when page.outcome = 'done' and not page.decided and p.last_update <> '{}'
            then private.edit_changes(p) end)
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
    return (select case when private.rate_limit_reached(l.bucket, l.accounts) then 'sent' else 'new' end
      from private.sign_up_limit(begin_sign_up.email) l);
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

CREATE OR REPLACE FUNCTION private.cancel_account_deletion()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
  request constant text := me || ':' || (select extract(epoch from d.requested_at)
    from private.account_deletions d where d.user_id = me);
begin
  delete from private.account_deletions d where d.user_id = me and d.begun_at is null;
  if found then
    -- What a process has begun to send may arrive, even if it isn't marked as sent. The lock keeps others from beginning.
    perform 1 from private.email_queue e
      where e.key = 'account-deletion:' || request and e.sent_at is null and e.attempts = 0 for update;
    if not found then
      perform private.enqueue_email(me, null, 'account-kept', 'account-kept:' || request, '{}');
    end if;
  elsif exists (select from private.account_deletions d where d.user_id = me) then
    perform private.refuse('deletion_begun');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.create_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  answers constant jsonb := private.sign_up_answers(sent);
begin
  perform private.enforce_limit('too_many_sign_ups', l.bucket, l.accounts, 86400)
    from private.sign_up_limit(new.email) l where l.bucket is not null;
  insert into public.profiles (id, full_name, phone, email, pronouns, postalcode, business_owner)
  select new.id, f.full_name, f.phone, new.email, f.pronouns, f.postalcode,
    coalesce(sent ->> 'business_owner', '') <> 'false'
  from private.sign_up_profile(sent) f;
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

CREATE OR REPLACE FUNCTION private.create_recovery_codes()
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
  codes text[];
  had_codes boolean;
begin
  -- One after the other: two requests at once would leave two sets. Rights are asked after the wait.
  perform 1 from public.profiles p where p.id = me for no key update;
  perform private.require_recent_second_step();
  -- Each new set sends an email, and adds an entry to the audit log.
  perform private.enforce_limit('too_many_recovery_codes', 'recovery codes of ' || me, 10, 3600);
  delete from private.recovery_codes c where c.user_id = me;
  had_codes := found;
  select array_agg(regexp_replace(left(hex, 12) || right(hex, 3), '(.....)(.....)', '\1-\2-')) into codes
    from (select replace(gen_random_uuid()::text, '-', '') as hex from generate_series(1, 10)) random;
  insert into private.recovery_codes (user_id, code_hash)
    select me, private.recovery_code_hash(code) from unnest(codes) code;
  if had_codes then
    perform private.report_second_step(me, 'new-codes', me);
  end if;
  return codes;
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
  delete from private.email_queue n where n.place_id = new.id and n.sent_at is null
    and (n.kind in ('new-lead', 'listing-approved') or not exists (select from public.profiles p where p.id = old.owner));
  update private.email_queue n set recipient = old.owner, place_id = null
    where n.place_id = new.id and n.sent_at is null;
  update private.decision_rows r set before = null where r.place_id = new.id and r.before is not null;
  delete from public.listing_drafts d where d.owner = old.owner and d.form = '/listings/' || new.id;
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', old.name, 'given', new.owner is not null,
        -- Their edit that waited is dropped (private.part_from_owner), whatever it was to remove.
        'edited', old.status = 'pending-update' and not old.hidden,
        -- What was approved is seen again once the next owner shows it.
        'edited_hidden', old.status = 'pending-update' and old.hidden,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s)
          and (private.is_paid_for(s) or not s.awaits_payment)),
        -- It is charged again once our team resumes it.
        'paused', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and s.status = 'paused' and not s.surplus),
        -- Its first payment, by bank debit: fulfill_order has it refunded.
        'awaited', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and s.awaits_payment and not private.is_paid_for(s)),
        'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
          from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
          where s.place_id = new.id and s.owner = old.owner and p.held_until is null and p.weekday_date > private.today()),
        -- They go with it (private.move_jobs).
        'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.owner = old.owner and j.paid
          and j.expiration_date > now())));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enforce_limit(code text, bucket text, max_hits integer, window_seconds integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  wait integer;
begin
  perform private.require_rights(bucket is not null);
  wait := private.take_rate_token(bucket, max_hits, window_seconds);
  if wait > 0 then
    raise exception using errcode = 'PGRST',
      message = json_build_object('code', 'P0001', 'message', code, 'details', wait::text,
        'hint', format('Try again in %s.', private.wait_in_words(wait)))::text,
      detail = json_build_object('status', 429, 'headers', json_build_object('Retry-After', wait::text))::text;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_unseen_features()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, private.week_of(now())),
      jsonb_build_object('sponsorship_id', s.id, 'business', private.approved_name(l.id),
        'days', private.cancellation_days_of(s.id, s.owner),
        'dates', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where not c.late), '[]'),
        'late', coalesce(jsonb_agg(p.weekday_date order by p.weekday_date) filter (where c.late), '[]')))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      cross join lateral (select p.weekday_date < private.first_open_day()
        + private.cancellation_days_of(s.id, s.owner) as late) c
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      -- So that a week is left, whenever the last one was sent.
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 14
      -- (Saving a listing that waits to be seen doesn't put it off.)
      and l.status <> 'archived'
      and coalesce(case when not l.hidden then l.waiting_since end, l.modified_at) < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
      -- (Also not around the midnight between two weeks.)
      and not exists (select from private.email_queue q where q.recipient = s.owner
        and starts_with(q.key, format('feature-unseen:%s:', s.id)) and q.created_at > now() - interval '5 days')
    group by s.id, l.id
$function$;

CREATE OR REPLACE FUNCTION private.get_user_count_by_distance(place_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
begin
  if me is null then
    return null;
  end if;
  perform private.enforce_limit('too_many_counts', 'count users by ' || me, 60, 3600);
  return private.nearby_users(place_id);
end $function$;

CREATE OR REPLACE FUNCTION private.guard_feedback_and_reports()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'feedback' then
    new.os := private.one_line(new.os);
    new.feedback := private.many_lines(new.feedback);
  else
    new.note := private.many_lines(new.note);
    -- A report's words are in here. (As JSON, a control character is written with letters: as "\u0007".)
    new.data := private.visible(new.data::text)::jsonb;
    if jsonb_typeof(new.data) = 'object' then
      new.data := (select coalesce(jsonb_object_agg(e.key, case when jsonb_typeof(e.value) = 'string'
          then to_jsonb(private.many_lines(e.value #>> '{}')) else e.value end), '{}') from jsonb_each(new.data) e);
    end if;
    -- By which an undo finds out whether anyone has dealt with the report since (undo_decisions).
    if tg_op = 'UPDATE' then
      new.version := old.version + ((new.state, new.note) is distinct from (old.state, old.note))::integer;
    end if;
  end if;
  if private.from_api() and tg_op = 'INSERT' then
    new.created_at := now();
  elsif private.from_api() then
    perform private.require_rights(private.is_admin());
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
    new.form := old.form;
    -- What someone asked to save stays, also while they go on typing.
    new.expires := old.expires and (new.expires or new.form is not null);
    return new;
  end if;
  new.expires := new.expires or new.form is not null;
  new.owner := private.author(new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted. Saving a
  -- draft again runs this code as well (an upsert tries to insert first), and adds none.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if exists (select from public.places p where p.owner = new.owner and p.submission_id = new.id) then
    perform private.refuse('draft_already_submitted');
  elsif (select count(*) from public.listing_drafts d where d.owner = new.owner
      and d.id <> new.id and (d.form = new.form) is not true) >= 20 then
    perform private.refuse('too_many_drafts');
  end if;
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
  new.owner := private.author(new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two that are sent at once are both counted.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if (select count(*) from public.saved_views v where v.owner = new.owner and v.name <> new.name) >= 20 then
    perform private.refuse('too_many_saved_views');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.has_suffix(email text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select email ~ '[+][^@]*@' $function$;

CREATE OR REPLACE FUNCTION private.invite_manager(invitation uuid, place_id bigint, email text, token text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  me constant uuid := private.user_id();
  address constant text := lower(btrim(email));
  existing public.manager_invitations;
begin
  if listing.owner is distinct from me then
    raise exception 'listing_not_yours' using errcode = '42501';
  elsif private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  -- As the form has it: with another way to write an address, one mailbox would be counted as several.
  elsif address is null or not private.is_email(address)
    or address !~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9-]+([.][a-z0-9-]+)+$' then
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
  -- Neither one person nor many people together can fill a mailbox with invitations. What everyone together may send is
  -- three times what one account may: otherwise one could keep a person from being invited, or learn that others did.
  perform private.enforce_limit('too_many_invitations', 'invite by ' || me, 20, 86400);
  perform private.enforce_limit('too_many_invitations',
    format('invite by %s to %s', me, private.mailbox(address)), 5, 86400);
  perform private.enforce_limit('too_many_invitations', 'invite to ' || private.mailbox(address), 15, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, me);
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
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
  me constant uuid := private.user_id();
begin
  if me is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  delete from private.handoff_codes c where c.user_id = me or c.code_hash in
    (select o.code_hash from private.handoff_codes o where o.expires_at < now()
      limit 200 for update skip locked);
  insert into private.handoff_codes (code_hash, user_id, session_id)
    values (private.code_hash(code), me, session);
  return code;
end $function$;

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

CREATE OR REPLACE FUNCTION private.lock_for_review(place_id bigint, take_over boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_rights(me is not null);
  insert into private.review_locks as c (place_id, admin, since, until)
  select p.id, me, clock_timestamp(), clock_timestamp() + interval '15 minutes'
  from public.places p where p.id = lock_for_review.place_id
  on conflict on constraint review_locks_pkey do update set admin = excluded.admin, until = excluded.until,
    since = case when c.admin = excluded.admin and c.until > excluded.since then c.since
      else excluded.since end
  where c.admin = excluded.admin or c.until <= excluded.since or take_over is true;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.mailbox(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when a.address ~ '@(gmail|googlemail)[.]com$'
    then replace(split_part(a.address, '@', 1), '.', '') || '@gmail.com' else a.address end
  from regexp_replace(lower(btrim(email)), '[+][^@]*@', '@') a(address)
$function$;

CREATE OR REPLACE FUNCTION private.mark_email_failed(id uuid, permanent boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set next_try_at = case when permanent then 'infinity'
    else now() + make_interval(mins => least(power(2, least(n.attempts - 1, 10))::integer,
      case when n.address is null or private.time_to_send(n.kind) > interval '1 hour' then 360 else 5 end)) end
  where n.id = mark_email_failed.id and n.sent_at is null
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
        'paid_until', private.paid_until(s), 'next_attempt_at', s.next_attempt_at, 'subscription', s.id, 'credit_cents', s.credit_cents,
        'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment,
        'paid', private.is_paid_for(s), 'leaves_with', private.plan_leaves_with(s),
        'returned', private.period_is_returned(s), 'credit_used', private.uses_credit(s))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.keeps_featured(s) desc, private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'paid_until', private.paid_until(s),
      'credit_cents', s.credit_cents, 'credit_used', private.uses_credit(s),
      'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment, 'status', s.status, 'removed', p.status = 'archived',
      'paid', private.is_paid_for(s),
      'leaves_with', private.plan_leaves_with(s)) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and (private.subscription_is_live(s.status) or s.status = 'paused')
$function$;

CREATE OR REPLACE FUNCTION private.paid_until(s public.subscriptions)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.status in ('active', 'trialing') and least(s.ends_at, s.period_to) > now() and (s.awaits_payment
      or coalesce(s.period_from <= now() - private.longest_draft(), true)
      or coalesce((select p.period_to from public.payments p where p.subscription_id = s.id
        order by p.period_from desc nulls last, p.paid_at desc limit 1) > s.period_from, true))
    then least(s.ends_at, s.period_to) end
$function$;

CREATE OR REPLACE FUNCTION private.period_is_returned(s public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce((select p.cents > 0 and (p.refunded_cents >= p.cents or p.dispute is not distinct from 'lost')
    from public.payments p where p.subscription_id = s.id
    order by p.period_from desc nulls last, p.paid_at desc limit 1), false)
$function$;

CREATE OR REPLACE FUNCTION private.plan_goes_on(s public.subscriptions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.is_charged_again(s) and private.plan_leaves_with(s) is null
    and exists (select from public.places p where p.id = s.place_id and p.status <> 'archived');
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
  not_lost text[] := '{}';
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
    not_lost := array(select p.id from public.payments p
      where p.id in (select paid ->> 'id' from jsonb_array_elements(facts -> 'payments') paid)
        and p.dispute is distinct from 'lost');
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
      -- (A refund has an email of its own.)
      if now_is.status <> 'refunded' and now_is.owner is not null then
        perform private.enqueue_email(now_is.owner, null, 'payment-returned',
          format('payment-returned:%s:dispute', now_is.id),
          jsonb_build_object('kind', now_is.kind, 'cents', lost_cents, 'paid', now_is.amount_paid_cents,
            'reason', 'dispute', 'full', true,
            'continues', exists (select from public.subscriptions s
              where s.order_id = now_is.id and private.plan_goes_on(s))));
      end if;
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
    'lost', (select coalesce(jsonb_agg(jsonb_build_object('invoice', p.invoice_id, 'cents', p.disputed_cents,
        'period_to', p.period_to)), '[]')
      from public.payments p where p.id = any (not_lost) and p.dispute = 'lost' and p.invoice_id is not null),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
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
  asked public.refunds;
  is_new boolean;
  left_cents bigint;
begin
  select * into paid from public.payments p where p.id = payment;
  -- What failed first: what the team has made since stands for it.
  for fact in select one.fact from jsonb_array_elements(facts) one (fact)
    order by one.fact ->> 'status' = 'failed' desc loop
    -- Another attempt has followed.
    continue when exists (select from private.returned_refunds b where b.stripe_id = fact ->> 'id');
    select * into known from public.refunds r where r.stripe_id = fact ->> 'id';
    if known.id is null and fact ->> 'refund' is not null then
      select * into known from public.refunds r where r.id::text = fact ->> 'refund' and r.payment_id = payment;
      -- The answer to an attempt that failed before.
      continue when known.id is not null
        and (known.stripe_id is not null or known.attempt > coalesce((fact ->> 'attempt')::integer, 1));
    end if;
    is_new := known.id is null or (known.stripe_id is null and known.attempt = 1);
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
          and not (private.was_returned(r) and fact ->> 'status' = 'failed')
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      -- One that was made elsewhere is no news when it is found after the money has arrived, as by the first reconciliation.
      if after.reason <> 'elsewhere' or after.made_at > now() - interval '10 days' then
        perform private.enqueue_email(paid.owner, null, 'payment-returned',
          format('payment-returned:%s:%s', paid.order_id, after.id),
          jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason,
            -- With the last cent, the order loses what it bought (revoke_order); but a plan goes on.
            'full', after.reason in ('team', 'elsewhere') and paid.cents <= (select sum(r.cents) from public.refunds r
              where r.payment_id = payment and r.status in ('pending', 'succeeded')),
            'continues', exists (select from public.subscriptions s
              where s.id = paid.subscription_id and private.plan_goes_on(s))));
      end if;
      if is_new and after.reason in ('team', 'elsewhere') then
        update public.refunds r set status = 'canceled', modified_at = now()
          where r.id = (select f.id from public.refunds f
            where f.payment_id = payment and f.status = 'failed' and f.cents = after.cents
              and f.failed_at <= after.created_at
            order by f.failed_at, f.id limit 1);
      end if;
    end if;
  end loop;
  left_cents := paid.cents - coalesce((select sum(o.cents) from public.refunds o
    where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
  -- What failed and doesn't fit anymore is tried again as far as it fits, unless something is left of the order: refunded in
  -- full, it would lose that. (The row keeps what was returned, for the books.)
  with dropped as (
    update public.refunds r set status = 'canceled', modified_at = now()
      where r.payment_id = payment and r.status = 'failed' and r.cents > left_cents returning r.*
  )
  insert into public.refunds (payment_id, cents, status, reason, note, requested_by)
    select d.payment_id, left_cents, 'failed', d.reason, d.note, d.requested_by from dropped d
    where left_cents > 0 and exists (select from public.orders o
      where o.id = paid.order_id and (o.kind = 'upgrade' or o.revoked_at is not null))
    order by d.cents desc, d.id limit 1;
  for asked in select * from public.refunds r
    where r.payment_id = payment and r.status = 'requested' order by r.created_at, r.id loop
    if asked.cents > left_cents and asked.reason = 'canceled' and left_cents > 0 then
      -- The provider takes another amount for another attempt only.
      update public.refunds r set cents = left_cents, attempt = r.attempt + 1, modified_at = now() where r.id = asked.id
        returning * into asked;
    elsif asked.cents > left_cents then
      update public.refunds r set status = 'canceled', modified_at = now() where r.id = asked.id;
      continue;
    end if;
    left_cents := left_cents - asked.cents;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
  due timestamptz;
  asked timestamptz;
begin
  perform private.require_rights(me is not null);
  if private.is_last_admin(me) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (me) on conflict do nothing;
  if found then
    -- Each new request sends an email.
    perform private.enforce_limit('too_many_deletion_requests', 'deletion request by ' || me, 5, 86400);
  end if;
  select d.due_at, d.requested_at into due, asked from private.account_deletions d where d.user_id = me;
  -- The date alone is the same for another request of the same day. (As a number, since a caller chooses the time zone
  -- in which a time is written, and each would be another email.)
  perform private.enqueue_email(me, null, 'account-deletion', 'account-deletion:' || me || ':' || extract(epoch from asked),
    jsonb_build_object('due_at', due, 'waiting', private.count_waiting_edits(me) > 0));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION private.set_my_position(lat double precision, long double precision)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
begin
  -- The account can be deleted meanwhile.
  perform private.require_rights(me is not null);
  if lat is null or long is null then
    delete from private.user_positions where user_id = me;
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.store_position(me, lat, long);
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
  me constant uuid := private.user_id();
  before constant public.consents := private.tracking_consent(me);
begin
  if granted is null or me is null then
    perform private.refuse('tracking_answer_missing');
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (me, 'tracking', granted, text_version, page);
    if granted or before.granted is distinct from true then
      perform private.limit_consents(me);
    end if;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.sign_up_limit(email text, OUT bucket text, OUT accounts integer)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when private.mailbox(email) <> lower(email) then
      case when private.has_suffix(email) then 'sign up ' else 'sign up with dots ' end || private.mailbox(email) end,
    case when private.has_suffix(email) then 5 else 20 end
$function$;

CREATE OR REPLACE FUNCTION private.store_decision_batch(batch uuid, items jsonb, filter jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_listings constant integer := 10000;
  me constant uuid := private.user_id();
  found_ids bigint[];
  stored integer;
  distinct_items integer;
begin
  perform private.require_rights(me is not null);
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 3 for update skip locked);
  insert into private.decision_batches (id, admin, filter) values (batch, me, store_decision_batch.filter)
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
      or case when private.has_suffix(address)
        then private.take_rate_token(format('account emails (%s) to %s', asked_by, mailbox), 10, 3600)
        else private.take_rate_token(format('account emails (%s) to %s with dots', asked_by, mailbox), 30, 3600) end = 0);
end $function$;

CREATE OR REPLACE FUNCTION private.time_to_send(kind text)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select case when kind = 'email-changed' then interval '7 days' else interval '1 hour' end $function$;

CREATE OR REPLACE FUNCTION private.turn_off_second_step()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_recent_second_step();
  perform private.remove_second_step(me, 'off');
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
  -- Before their listings, as in update_reports, so that these never deadlock.
  perform 1 from public.events e where e.id = any (decided.reports) order by e.id for update;
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  -- One that its author discards at this moment is gone, or is kept until this is done.
  perform 1 from public.rejected_edits k where k.place_id = any (wanted) order by k.place_id for update;
  perform private.require_admin();

  perform set_config('app.audit_action', 'undo', true), set_config('app.undone_batch', batch::text, true);
  execute (
    select format('
      with validated as materialized (
        select r.place_id, r.before, p.id is not null as same
        from private.decision_rows r left join public.places p on p.id = r.place_id and p.version = r.version + 1
          and r.before is not null
          -- An edit that its author has discarded since doesn''t wait again.
          and ($3 <> ''reject'' or exists (select from public.rejected_edits k where k.place_id = p.id))
          -- What no one can see doesn''t become public after its owner has asked for its removal.
          and not (p.archive_requested and not r.before ? ''archive_requested''
            and p.status not in (''published'', ''pending-update'')
            and r.before ->> ''status'' in (''published'', ''pending-update''))
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
  using batch, wanted, decided.action;
  -- Once: sent again, such as after Back, it opens none that were resolved since.
  update public.events e set state = 'open' where e.id = any (decided.reports) and e.state = 'resolved'
    and decided.undone_at is null
    and (decided.report_versions is null
      or e.version = decided.report_versions[array_position(decided.reports, e.id)])
    and not exists (select from private.decision_rows r
      where r.batch_id = batch and r.place_id = e.place and r.undone = 'unchanged');
  perform set_config('app.audit_action', '', true), set_config('app.undone_batch', '', true);
  if decided.action = 'reject' then
    -- What waits again isn't rejected. (An earlier rejected edit that this one had joined is left.)
    update public.rejected_edits k set edit = k.edit - array(select jsonb_object_keys(p.last_update)),
      reason = case when k.reason = decided.reason then null
        when starts_with(k.reason, decided.reason || e'\n\n') then substr(k.reason, length(decided.reason) + 3)
        else k.reason end
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.undone = 'undone' and k.place_id = p.id;
    delete from public.rejected_edits k where k.place_id = any (wanted) and k.edit = '{}';
  end if;
  perform private.withdraw_decision_emails(decided, wanted);
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.update_reports(ids bigint[], to_state text, note text, flag boolean, listings jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  due_ids bigint[];
  changed_ids bigint[] := '{}';
  changed_versions integer[] := '{}';
  items jsonb;
  decision jsonb := '[]';
  decided uuid;
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
  due_ids := array(select e.id from public.events e where e.id = any (ids) and (e.state = 'open') <> (to_state = 'open'));

  if flag then
    with seen as (
      select distinct on (item ->> 'id') item ->> 'id' as id, item ->> 'version' as version
      from jsonb_array_elements(case when jsonb_typeof(listings) = 'array' then listings else '[]' end) item
    )
    select jsonb_agg(distinct jsonb_build_object('id', p.id,
        'version', case when listings is null then p.version::text else s.version end)) into items
      from public.events e join public.places p on p.id = e.place left join seen s on s.id = p.id::text
      where e.id = any (due_ids);
    if items is not null then
      decided := gen_random_uuid();
      decision := (private.decide_listings(decided, 'flag', null, items) -> 'rows')::jsonb;
    end if;
  end if;

  perform set_config('app.audit_action', case to_state when 'resolved' then 'resolve' when 'dismissed'
    then 'dismiss' else 'reopen' end, true);
  with changed as (
    update public.events e set state = to_state, note = coalesce(note_text, e.note)
      where e.id = any (due_ids) and not exists (select from jsonb_array_elements(decision) d (item)
        where d.item ->> 'id' = e.place::text and d.item -> 'reasons' ? 'listing_changed')
      returning e.id, e.version
  )
  select coalesce(array_agg(c.id), '{}'), coalesce(array_agg(c.version), '{}') into changed_ids, changed_versions
    from changed c;
  perform set_config('app.audit_action', '', true);
  -- The note is about the report, and stays with one that is left open, too.
  update public.events e set note = note_text
    where e.id = any (due_ids) and e.id <> all (changed_ids) and note_text is not null;
  update private.decision_batches b set reports = changed_ids, report_versions = changed_versions where b.id = decided;
  return jsonb_build_object('changed', cardinality(changed_ids), 'unchanged', found_count - cardinality(due_ids),
    'left', cardinality(due_ids) - cardinality(changed_ids),
    'missing', (select count(distinct id) from unnest(ids) id) - found_count,
    'flagged', (select coalesce(jsonb_agg(jsonb_build_object('name', d.item -> 'name', 'outcome', d.item -> 'outcome',
        'reasons', d.item -> 'reasons', 'warnings', d.item -> 'warnings')), '[]')
      from jsonb_array_elements(decision) d (item)),
    'batch', decided);
end $function$;

CREATE OR REPLACE FUNCTION private.uses_credit(s public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select exists (select from public.subscriptions o
    where o.stripe_customer_id = s.stripe_customer_id and o.status <> 'unpaid' and private.plan_goes_on(o))
$function$;

CREATE OR REPLACE FUNCTION public.update_reports(ids bigint[], to_state text, note text DEFAULT NULL::text, flag boolean DEFAULT false, listings jsonb DEFAULT NULL::jsonb)
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.update_reports(ids, to_state, note, flag, listings) $function$;

CREATE OR REPLACE TRIGGER t3_end_limit AFTER UPDATE OF recovery_sent_at ON auth.users FOR EACH ROW WHEN ((((new.encrypted_password)::text <> ''::text) AND ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text))) EXECUTE FUNCTION private.end_limit();

grant execute on function private.update_reports(bigint[],text,text,boolean,jsonb) to authenticated;

grant execute on function public.update_reports(bigint[],text,text,boolean,jsonb) to authenticated;

set check_function_bodies = on;
