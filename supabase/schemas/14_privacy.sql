-- What people may ask of those who store data about them (to see all of it, and to be erased), and
-- what is stored only briefly: the export of one's own data, the deletion of an account after seven
-- days or by an admin, forms saved while someone signs in again, and the one-time codes with which
-- the mobile app opens the dashboard. The record of consents is in accounts.

-- ---------------------------------------------------------------- tables

-- Who asked for their account to be deleted, and when it will be done: once the seventh day after this one is over
-- everywhere on Earth, which is at noon UTC of the next day. People are told of the seventh day.
create table private.account_deletions (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null
    default ((date_trunc('day', now() at time zone 'UTC') + interval '8 days 12 hours') at time zone 'UTC'),
  -- From then on their plans end at Stripe, so that the request can't be taken back anymore.
  begun_at timestamptz
);
create index account_deletions_due on private.account_deletions (due_at);

-- Forms during which a session ended, stored for an hour so that they can be restored after signing
-- in. The key that encrypts a row is only in that person's browser, so no one can read a row from
-- here.
create table public.form_stash (
  id uuid primary key,
  -- Room for the largest form that is accepted (512 KB), encrypted and in base64.
  sealed text not null check (length(sealed) between 1 and 700 * 1024),
  expires_at timestamptz not null default now() + interval '1 hour'
);
create index form_stash_expires on public.form_stash (expires_at);

-- How the mobile app opens a page of the dashboard for someone who is signed in there: with a code
-- that works once and for a minute, so that the address in the browser is of no use afterwards.
-- Stored as a hash.
create table private.handoff_codes (
  code_hash text primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The session in the app that asked. Signing out there invalidates its codes.
  session_id uuid not null,
  expires_at timestamptz not null default now() + interval '60 seconds'
);
create index handoff_codes_user on private.handoff_codes (user_id);
create index handoff_codes_expires on private.handoff_codes (expires_at);

-- Sessions of the dashboard that began with such a code, and the session in the app that asked for it: they
-- end with it, so that a stolen access token of the app does not become a session that lasts longer.
create table private.handed_over_sessions (
  session_id uuid primary key references auth.sessions (id) on delete cascade,
  issued_by uuid not null
);
create index handed_over_sessions_issued_by on private.handed_over_sessions (issued_by);

-- The erased accounts whose sign-ins are still in the auth service's own log, which may be too long to be searched while
-- an account is erased: what of it is still to be searched, and from which of its pages on (private.forget_sign_ins).
create table private.sign_ins_to_forget (
  user_id uuid primary key,
  -- Of the address, which isn't kept.
  address_hash text,
  next_page bigint not null,
  pages_left bigint not null
);

-- ---------------------------------------------------------------- functions

-- Every column of our tables that references a user by a foreign key, so that a table which is
-- added later is included without being named here.
create function private.columns_referencing_users() returns table (relation regclass, col name)
language sql stable set search_path = ''
as $$
  select c.conrelid::regclass, a.attname
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and cardinality(c.conkey) = 1
    and c.confrelid in ('public.profiles'::regclass, 'auth.users'::regclass)
    and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
$$;

-- What the export of one's own data consists of: one row for each part. A row of a table belongs to the
-- caller by their id ($1), or by the confirmed address of their account ($2) where that is what the row
-- is about; never by an address that someone typed. Only the listed columns are exported. A test fails
-- when a table refers to users and has no part here, or when a part does not decide on a column.
--   key        as it is called in the download
--   condition  on a row r
create function private.my_data_parts()
returns table (key text, relation regclass, condition text, columns text[])
language sql stable set search_path = ''
as $$
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
$$;

-- All data about the caller, by part.
create function private.export_my_data() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
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
end $$;
create function public.export_my_data() returns jsonb
language sql stable set search_path = ''
as $$ select private.export_my_data() $$;

create function private.is_last_admin(user_id uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce((select p.admin from public.profiles p where p.id = is_last_admin.user_id), false)
    and not exists (select from public.profiles p where p.admin and p.id <> is_last_admin.user_id)
$$;

-- How many listings of a user the public sees as they were before an edit that waits for review, or was rejected and is
-- still kept. When their account is deleted, the edit is dropped and the listing hidden (private.part_from_owner).
create function private.count_waiting_edits(user_id uuid) returns bigint
language sql stable security definer set search_path = ''
as $$
  select count(*) from public.places p
    where p.owner = count_waiting_edits.user_id and p.status in ('published', 'pending-update') and not p.hidden
      and (p.last_update - 'mailingaddress' <> '{}'
        or exists (select from public.rejected_edits r where r.place_id = p.id))
$$;

-- Requests the deletion of the caller's account after seven days; a second request doesn't change the date. They get
-- an email, so that no account is deleted without its owner knowing.
create function private.request_my_deletion() returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;
create function public.request_my_deletion() returns timestamptz
language sql volatile set search_path = ''
as $$ select private.request_my_deletion() $$;

-- Withdraws the request to delete the caller's account, unless the deletion has begun. Safe to repeat. A user
-- who was told that the account will be deleted gets an email that it won't: someone else may have kept it, in a browser
-- that they left.
create function private.cancel_account_deletion() returns void
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;
create function public.cancel_account_deletion() returns void
language sql volatile set search_path = ''
as $$ select private.cancel_account_deletion() $$;

-- For the code of the previous release: when the caller's account will be deleted; null when they did not ask for it.
-- (private.my_session says more of it.)
create function private.my_deletion() returns timestamptz
language sql stable security definer set search_path = ''
as $$ select d.due_at from private.account_deletions d where d.user_id = private.user_id() $$;
create function public.my_deletion() returns timestamptz
language sql stable set search_path = ''
as $$ select private.my_deletion() $$;

-- Whether a value contains an email address as a whole, not as a part of another address. The value's text is
-- searched, because people choose how deeply a value is nested: one with thousands of brackets would make every deletion
-- fail. (In the text of JSON, a line break is an n after a backslash, which is not part of the address that follows.)
create function private.has_address(value jsonb, address text) returns boolean
language sql immutable set search_path = ''
as $$
  select position(address in content) > 0 and content ~ ('(?<![[:alnum:]._%+-])'
    || regexp_replace(address, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_-]|\.[[:alnum:]])')
  from (select lower(regexp_replace(value::text, '\\(u[0-9a-f]{4}|.)', ' ', 'g')) as content offset 0) found
$$;

-- Whether the contact email of a listing is what someone other than the user typed, and no admin has approved. (An edit
-- of a listing that is off the directory doesn't wait, so only the log says that its contact was entered since.)
create function private.is_contact_unapproved(place public.places, user_id uuid) returns boolean
language sql stable set search_path = ''
as $$
  select coalesce(place.owner <> user_id, false) and (place.status = 'new'
    or coalesce(place.last_update ? 'public_email', false)
    or place.status in ('flagged', 'archived') and exists (select from public.audit_log a
      where a.subject = 'places' and a.subject_id = place.id::text and a.after ? 'public_email'
        and a.id > coalesce((select max(b.id) from public.audit_log b
          where b.subject = 'places' and b.subject_id = place.id::text and private.is_state_change(b.after)
            and b.before ->> 'status' in ('published', 'pending-update')), 0)))
$$;

-- How many pages the auth service's own log of sign-ins has.
create function private.sign_in_log_pages() returns bigint
language sql stable set search_path = ''
as $$ select pg_relation_size('auth.audit_log_entries') / current_setting('block_size')::bigint $$;

-- Deletes the sign-ins of erased accounts from the auth service's own log, for about a second. That log has no index for
-- them, and with a million entries a search takes as long as a statement may. True when something is left for the next
-- call.
create function private.forget_sign_ins() returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  step constant bigint := 200;
  until constant timestamptz := clock_timestamp() + interval '1 second';
  page bigint;
begin
  -- Another call is at it.
  if not pg_try_advisory_xact_lock('private.sign_ins_to_forget'::regclass::oid::bigint) then
    return false;
  end if;
  loop
    select f.next_page into page from private.sign_ins_to_forget f order by f.next_page limit 1;
    exit when page is null or clock_timestamp() > until;
    delete from auth.audit_log_entries e
      where e.ctid >= format('(%s,0)', page)::tid and e.ctid < format('(%s,0)', page + step)::tid
        and exists (select from private.sign_ins_to_forget f where f.next_page = page
          and (e.payload ->> 'actor_id' = f.user_id::text
            or private.code_hash(lower(e.payload ->> 'actor_username')) = f.address_hash));
    -- After its last page comes the first one.
    update private.sign_ins_to_forget f set pages_left = f.pages_left - step,
        next_page = case when page + step < private.sign_in_log_pages() then page + step else 0 end
      where f.next_page = page;
    delete from private.sign_ins_to_forget f where f.pages_left <= 0;
  end loop;
  return page is not null;
end $$;
create function public.forget_sign_ins() returns boolean
language sql volatile set search_path = ''
as $$ select private.forget_sign_ins() $$;

-- Erases a user: their sessions end, their profile and everything that belongs to it is deleted,
-- and their address and mailing addresses are removed from what remains. Their listings and jobs
-- remain without an owner. False when there is no such user.
-- What others typed and no admin approved keeps the address: contacts and edits that wait for review or were rejected,
-- contacts entered while a listing is off the directory, drafts, and invitations. Anyone can type an address there, and
-- look again. If it were gone, they would learn that it had an account, and when that ended.
create function private.erase_user(user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;

-- Accounts whose seven days are over. As this is called each day, it also queues an email to those whose last day to
-- change their mind is tomorrow or today. And it deletes what decisions stored for their undo, after a day; drafts
-- that were saved while someone typed, after a week; and what is left of views that were counted.
create function private.due_deletions(max_users integer) returns setof uuid
language sql volatile security definer set search_path = ''
as $$
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
$$;
create function public.due_deletions(max_users integer default 100) returns setof uuid
language sql volatile set search_path = ''
as $$ select private.due_deletions(max_users) $$;

-- Records that the deletion of an account begins, before its plans end at Stripe. From now on, its owner can't keep
-- the account. False when it is not due, or the request was withdrawn. Safe to repeat.
create function private.begin_account_deletion(user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update private.account_deletions d set begun_at = coalesce(d.begun_at, now())
    where d.user_id = begin_account_deletion.user_id and d.due_at <= now();
  return found;
end $$;
create function public.begin_account_deletion(user_id uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.begin_account_deletion(user_id) $$;

-- Deletes an account whose owner requested it, once it is due; false when it is not due, or the
-- request was withdrawn.
create function private.erase_due_account(user_id uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  existed boolean;
begin
  perform 1 from private.account_deletions d
    where d.user_id = erase_due_account.user_id and d.due_at <= now() for update;
  if not found then
    return false;
  end if;
  perform set_config('app.audit_action', 'delete-own-account', true);
  existed := private.erase_user(user_id);
  perform set_config('app.audit_action', '', true);
  return existed;
end $$;
create function public.erase_due_account(user_id uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.erase_due_account(user_id) $$;

-- What deleting a user removes, and what it leaves; null when there is no such user. (`favorites` is for the code of
-- the previous release.)
create function private.deletion_effects(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
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
end $$;
create function public.deletion_effects(user_id uuid) returns jsonb
language sql stable set search_path = ''
as $$ select private.deletion_effects(user_id) $$;

-- Deletes an account on behalf of an admin, permanently. Its user, who has not asked for it, gets an email, and so no
-- account is deleted without its owner knowing. True when there was one, false when it was deleted already.
create function private.admin_delete_user(userid uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  existed boolean;
  mailbox text;
  about jsonb;
begin
  -- A caller who waited for another admin may not be an admin any more.
  perform 1 from public.profiles p where p.admin order by p.id for no key update;
  perform private.require_admin();
  if userid = private.user_id() then
    perform private.refuse('own_account');
  end if;
  select lower(u.email), jsonb_build_object('discreet', p.discreet, 'listings', (select count(*) from public.places l
        where l.owner = p.id and l.status <> 'archived'),
      -- Those that people can see.
      'jobs', (select count(*) from public.jobs j where j.owner = p.id and private.is_live_job(j.id)))
      into mailbox, about
    from auth.users u join public.profiles p on p.id = u.id
    where u.id = admin_delete_user.userid and u.email <> '' and u.email_confirmed_at is not null;
  perform set_config('app.audit_action', 'delete-user', true);
  existed := private.erase_user(userid);
  perform set_config('app.audit_action', '', true);
  -- Their address stays until the email is sent (private.time_to_send).
  if existed and mailbox is not null then
    insert into private.email_queue (address, kind, key, data)
      values (mailbox, 'account-deleted', 'account-deleted:' || gen_random_uuid(), about);
  end if;
  return existed;
end $$;
create function public.admin_delete_user(userid uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.admin_delete_user(userid) $$;

-- Each new row deletes expired ones, faster than new ones arrive.
create function private.delete_expired_forms() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.form_stash s where s.id in
    (select o.id from public.form_stash o where o.expires_at < now() limit 200 for update skip locked);
  return null;
end $$;

-- A code for the caller, with which the app opens a page (`?token=`). It invalidates their earlier
-- codes. It has 244 random bits.
create function private.issue_handoff_code() returns text
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;
create function public.issue_handoff_code() returns text
language sql volatile set search_path = ''
as $$ select private.issue_handoff_code() $$;

-- Uses a code, whatever the result. Returns the confirmed address of the account that it was issued for,
-- and the session that asked for it ({email, session_id}), or null. Also null while a link to a new password is open: the
-- new session would begin with a link of the auth service, of which an account has one at a time, so someone who
-- holds a session could make each link to a new password invalid.
create function private.redeem_handoff_code(code text) returns jsonb
language sql volatile security definer set search_path = ''
as $$
  with used as (
    delete from private.handoff_codes c where c.code_hash = private.code_hash(code)
    returning c.user_id, c.session_id, c.expires_at
  )
  select jsonb_build_object('email', u.email, 'session_id', used.session_id) from used
  join auth.users u on u.id = used.user_id and u.email_confirmed_at is not null
  where used.expires_at > clock_timestamp()
    and (coalesce(u.recovery_token, '') = '' or coalesce(u.recovery_sent_at, '-infinity') < now() - interval '1 hour')
    and exists (select from auth.sessions s where s.id = used.session_id and s.user_id = used.user_id)
$$;
create function public.redeem_handoff_code(code text) returns jsonb
language sql volatile set search_path = ''
as $$ select private.redeem_handoff_code(code) $$;

-- Ties the session that began with a code to the one that asked for it. False when that one has ended
-- meanwhile; the new one is then ended, too.
create function private.tie_handed_over_session(session_id uuid, issued_by uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
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
  -- It began with a link like one to a new password (limit_session).
  update auth.sessions s set not_after = null where s.id = tie_handed_over_session.session_id;
  -- The auth service counts the link that began the session as an email, and sends no other one for a while.
  update auth.users u set recovery_sent_at = null from auth.sessions s
    where s.id = tie_handed_over_session.session_id and u.id = s.user_id and coalesce(u.recovery_token, '') = '';
  return true;
end $$;
create function public.tie_handed_over_session(session_id uuid, issued_by uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.tie_handed_over_session(session_id, issued_by) $$;

-- However a session ends, those that it handed over end as well, with their refresh tokens. There is one exception:
-- when one of them passes the second step, the auth service ends all sessions without it, and the one that passed it
-- stays.
create function private.end_handed_over_sessions() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.sessions s using private.handed_over_sessions h
    where h.issued_by = old.id and s.id = h.session_id
      and (old.aal = 'aal2' or s.aal is distinct from 'aal2');
  return null;
end $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_delete_expired before insert on public.form_stash
  for each statement execute function private.delete_expired_forms();

create trigger t1_end_handed_over after delete on auth.sessions
  for each row execute function private.end_handed_over_sessions();

-- ---------------------------------------------------------------- policies

alter table private.account_deletions enable row level security;
create policy "no access" on private.account_deletions for all to anon, authenticated using (false);

alter table private.sign_ins_to_forget enable row level security;
create policy "no access" on private.sign_ins_to_forget for all to anon, authenticated using (false);

alter table public.form_stash enable row level security;
create policy "no access" on public.form_stash for all to anon, authenticated using (false);

alter table private.handoff_codes enable row level security;
create policy "no access" on private.handoff_codes for all to anon, authenticated using (false);

alter table private.handed_over_sessions enable row level security;
create policy "no access" on private.handed_over_sessions for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant select, delete, insert (id, sealed) on public.form_stash to service_role;

grant execute on function
  private.is_last_admin(uuid),
  private.export_my_data(),
  public.export_my_data(),
  private.request_my_deletion(),
  public.request_my_deletion(),
  private.cancel_account_deletion(),
  public.cancel_account_deletion(),
  private.my_deletion(),
  public.my_deletion(),
  private.deletion_effects(uuid),
  public.deletion_effects(uuid),
  private.admin_delete_user(uuid),
  public.admin_delete_user(uuid),
  private.issue_handoff_code(),
  public.issue_handoff_code()
  to authenticated;

grant execute on function
  private.due_deletions(integer),
  public.due_deletions(integer),
  private.forget_sign_ins(),
  public.forget_sign_ins(),
  private.begin_account_deletion(uuid),
  public.begin_account_deletion(uuid),
  private.erase_due_account(uuid),
  public.erase_due_account(uuid),
  private.redeem_handoff_code(text),
  public.redeem_handoff_code(text),
  private.tie_handed_over_session(uuid, uuid),
  public.tie_handed_over_session(uuid, uuid)
  to service_role;
