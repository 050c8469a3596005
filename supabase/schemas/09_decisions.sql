-- Decisions on listings, one at a time or by the thousand: selected, previewed, made once, and undone within ten
-- minutes; owners are notified after that. decide_listings and undo_decisions are the only functions that decide;
-- validate_decision says what a decision would do with each listing, for the preview and for the decision itself. The
-- values that a decision changed are stored in decision_rows until the batch expires.

-- ---------------------------------------------------------------- tables

-- Listings as an admin saw them when they were selected. A listing that is added or changed later is
-- not affected. The id comes with the form: the same form sent twice is one batch.
create table private.decision_batches (
  id uuid primary key,
  admin uuid not null references public.profiles (id) on delete cascade,
  -- Null when they were selected one by one.
  filter jsonb,
  -- How many were sent beyond the limit of one batch; whether a filter found more than that limit.
  left_out integer not null default 0,
  more boolean not null default false,
  action text check (action in ('approve', 'request-changes', 'reject', 'flag', 'archive', 'reopen')),
  reason text,
  decided_at timestamptz,
  undone_at timestamptz,
  -- Then it is deleted, with the values of listings that it stores.
  expires_at timestamptz not null default now() + interval '1 hour',
  -- The reports that were resolved with it, when it was decided from them (update_reports), and the version of each that
  -- this made. (Null for a decision from before an update, for ten minutes.)
  reports bigint[],
  report_versions integer[]
);
create index decision_batches_admin on private.decision_batches (admin);
create index decision_batches_expires on private.decision_batches (expires_at);

-- Without a foreign key to the batch: it would be checked for each of a thousand rows that are
-- written together with their batch. The trigger below deletes the rows with it.
create table private.decision_rows (
  batch_id uuid not null,
  -- Negative when what was sent is not the id of a listing; `sent` has the original.
  place_id bigint,
  sent text check (length(sent) <= 40),
  -- The order in which they were selected, and the version that was seen.
  n integer not null,
  version integer,
  outcome text check (outcome in ('done', 'refused', 'stale', 'missing')),
  -- Codes; see private.validate_decision.
  reasons text[],
  warnings text[],
  -- After a decision: the values it changed, as they were; and whether undoing restored them.
  before jsonb,
  undone text check (undone in ('undone', 'unchanged')),
  primary key (batch_id, place_id)
);
-- For finding what is deleted when a listing leaves its owner, or someone is erased.
create index decision_rows_place on private.decision_rows (place_id);

-- ---------------------------------------------------------------- functions

-- For how long a decision can be undone. No one is notified of the decision before that has passed.
create function private.undo_window() returns interval
language sql immutable set search_path = ''
as $$ select interval '10 minutes' $$;

-- When the emails about a decision are due. A minute more than it can be undone, so that an undo that
-- began at the last moment is complete.
create function private.decision_emails_due(decided_at timestamptz) returns timestamptz
language sql immutable set search_path = ''
as $$ select decided_at + private.undo_window() + interval '1 minute' $$;

-- The kind of email that notifies an owner of a decision; null when there is none.
create function private.decision_email(action text) returns text
language sql immutable set search_path = ''
as $$
  select case action when 'approve' then 'listing-approved' when 'request-changes' then 'changes-requested'
    when 'reject' then 'edit-rejected' when 'archive' then 'listing-removed' end
$$;

-- The keys of the emails about what a batch decided, each with the version of the listing that the decision made; also
-- of those to former owners who have booked the listing (enqueue_booked_removals). For
-- these listings, or for all when null, and with this result of undoing the batch (null: not undone).
create function private.decision_email_keys(batch uuid, action text, place_ids bigint[], undone text)
returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- (In plpgsql, because the table of sponsorships comes later.)
  return array(select e.key from private.decision_rows r
    cross join lateral (
      select format('%s:%s:%s', private.decision_email(action), r.place_id, r.version + 1) as key
        where private.decision_email(action) is not null
      union all
      select format('booked-listing-removed:%s:%s:%s', r.place_id, r.version + 1, s.id) from public.sponsorships s
        where action = 'archive' and s.place_id = r.place_id) e
    where r.batch_id = batch and r.outcome = 'done' and (place_ids is null or r.place_id = any (place_ids))
      and r.undone is not distinct from decision_email_keys.undone);
end $$;

create function private.delete_decision_rows() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.decision_rows r where r.batch_id = old.id;
  return null;
end $$;

-- Stores a selection under its id; does nothing when that batch exists already. items: [{id,
-- version}, …]; or all that a filter finds. 10,000 at most.
create function private.store_decision_batch(batch uuid, items jsonb, filter jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;

-- Stores a selection as a batch of the caller. Returns {batch, selected, left_out, more, expires_at}.
create function private.create_decision_batch(batch uuid, items jsonb, filter jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  perform private.store_decision_batch(batch, items, filter);
  return (
    select jsonb_build_object('batch', b.id, 'left_out', b.left_out, 'more', b.more, 'expires_at', b.expires_at,
      'selected', (select count(*) from private.decision_rows r where r.batch_id = b.id))
    from private.decision_batches b where b.id = batch and b.admin = private.user_id());
end $$;
create function public.create_decision_batch(batch uuid, items jsonb default null,
  filter jsonb default null) returns jsonb
language sql volatile set search_path = ''
as $$ select private.create_decision_batch(batch, items, filter) $$;

-- A warning about a decision when a listing is booked for coming newsletters ("newsletters_booked:3"); null when it
-- isn't. (In plpgsql, because their tables come later.)
create function private.booked_newsletters(place_id bigint) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select 'newsletters_booked:' || count(*) from public.sponsorships s
      join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = booked_newsletters.place_id and p.held_until is null and p.weekday_date > private.today()
      having count(*) > 0);
end $$;

-- A warning about a decision that takes a listing off the directory when paid jobs are shown with it ("jobs_hidden:2");
-- null when none is. (In plpgsql, because their table comes later.)
create function private.hidden_jobs(place_id bigint) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select 'jobs_hidden:' || count(*) from public.jobs j join private.jobs_as_public v on v.id = j.id
      where j.place_id = hidden_jobs.place_id and v.live
      having count(*) > 0);
end $$;

-- A warning about a decision that takes a listing off the directory while the first payment for a plan is on its way,
-- as by bank debit: the listing isn't Featured yet. fulfill_order has it refunded for an archived listing, and for one
-- that is to be removed or has gone to someone else. (In plpgsql, because the table comes later.)
create function private.awaited_plan(place public.places, action text) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select from public.subscriptions s where s.place_id = place.id and not s.surplus
      and private.subscription_is_live(s.status) and s.awaits_payment and not private.is_paid_for(s)
      and (action = 'archive' or s.owner = place.owner and not place.archive_requested)) then
    return null;
  end if;
  return case action when 'archive' then 'first_payment_refunded' else 'first_payment_continues' end;
end $$;

-- What a decision does with each listing, given the version that was seen: done | refused (with the
-- reasons) | stale (changed since, or already decided) | missing; and warnings about one that is
-- done nevertheless. Reasons and warnings are codes, a few with a value ("under_review:Kai"), which
-- app/modules/moderation turns into sentences. Used by the preview and by the decision itself.
create function private.validate_decision(action text, reason text, wanted bigint[], seen integer[])
returns table (place_id bigint, outcome text, reasons text[], warnings text[])
language sql stable security definer set search_path = ''
as $$
  select w.id, j.outcome,
    case j.outcome when 'refused' then r.refusals when 'missing' then array['listing_missing']
      when 'stale' then array[coalesce('already_' || r.already, 'listing_changed')] end,
    case j.outcome when 'done' then nullif(array_remove(array[
      case when action = 'approve' and p.archive_requested then 'removal_requested' end,
      case when action in ('flag', 'archive') and p.premium and p.stripe_subscription_id is not null
        and (action = 'flag' or p.subscription_ends_at is null) then
        case action when 'flag' then 'subscription_continues' else 'subscription_stops' end end,
      case when action in ('flag', 'archive') then private.awaited_plan(p, action) end,
      case when action in ('flag', 'archive') then private.booked_newsletters(p.id) end,
      case when action in ('flag', 'archive') then private.hidden_jobs(p.id) end,
      case when c.admin is not null then 'under_review:' || coalesce(a.full_name, '') end], null), '{}') end
  from unnest(wanted, seen) w (id, version)
  left join public.places p on p.id = w.id
  left join private.review_locks c on c.place_id = p.id and c.admin <> (select private.user_id()) and c.until > now()
  left join public.profiles a on a.id = c.admin
  cross join lateral (select
    case when (action, p.status) in (('approve', 'published'), ('flag', 'flagged'), ('archive', 'archived'))
      then p.status end as already,
    nullif(array_remove(case action
      -- What was taken off the directory returns by a decision of its own. And what no one can see doesn't become
      -- public after its owner has asked for its removal (as guard_place says of a status that is set by hand).
      when 'approve' then array[case when p.status = 'archived' then 'reopen_first'
          when p.archive_requested and p.status <> 'pending-update' then 'archive_instead' end]
        || private.missing_for_approval(p.owner_email, p.state)
      when 'flag' then array[case when p.status = 'archived' then 'already_removed' end]
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
$$;

-- A batch in its current state: the outcome of listings that were decided on, and for the others what `action` would
-- do. In the order of the selection, except that those that are not done come first.
create function private.batch_as_json(batch uuid, action text, reason text, skip integer,
  page_rows integer) returns json
language plpgsql stable security definer set search_path = '' set jit = off
as $$
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
end $$;

-- A batch of the caller: what `action` would do, how far a decision has come, or its outcome. Null
-- when there is none, or it has expired.
create function private.review_batch(batch uuid, action text, reason text, skip integer,
  page_rows integer) returns json
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select private.batch_as_json(b.id, coalesce(b.action, review_batch.action),
      coalesce(b.reason, btrim(review_batch.reason, e' \t\r\n')), skip, page_rows)
    from private.decision_batches b where b.id = batch and b.admin = private.user_id() and b.expires_at > now());
end $$;
create function public.review_batch(
  batch uuid, action text default null, reason text default null, skip integer default 0,
    page_rows integer default 250)
returns json
language sql stable set search_path = ''
as $$ select private.review_batch(batch, action, reason, skip, page_rows) $$;

-- Sets when emails that wait are due.
create function private.schedule_emails(keys text[], due timestamptz) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.email_queue n set next_try_at = due
  where n.key = any (keys) and n.sent_at is null and n.attempts = 0 and n.next_try_at is distinct from due
$$;

-- The emails about decisions that were just undone are not sent. Owners who may have got one get another email that
-- it does not apply anymore. Emails about decisions that could not be undone are due as before, and those about
-- decisions that the next steps undo wait for that.
create function private.withdraw_decision_emails(decided private.decision_batches, wanted bigint[])
returns void
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;

-- Decides on the next 1,000 of a batch: all of them in one transaction, and each once, however
-- often it is sent. With items, they are selected first. Returns the batch in its new state; `left`
-- says how many are not decided yet.
--   approve          publishes the current values; an archived listing is reopened first, and one that is to be
--                    removed isn't published
--   request-changes  asks the owner for changes; the status stays
--   reject           restores and publishes the approved values; the owner gets an email, with
--                    the reason if one is given
--   flag, archive    sets that status; archiving fulfills an owner's request for it. An archived listing
--                    isn't flagged: no one sees it anymore
--   reopen           a flagged or archived listing becomes new again
create function private.decide_listings(batch uuid, action text, reason text, items jsonb) returns json
language plpgsql volatile security definer set search_path = '' set jit = off
as $$
#variable_conflict use_column
declare
  act constant text := action;
  note constant text := case when action = 'request-changes' then btrim(private.many_lines(coalesce(reason, '')),
      e' \t\r\n')
    when action = 'reject' then nullif(btrim(private.many_lines(reason), e' \t\r\n'), '') end;
  email_kind constant text := private.decision_email(act);
  decided private.decision_batches;
  due timestamptz;
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
          ''last_update'', p.last_update, ''changes_requested'', p.changes_requested, ''modified_at'', p.modified_at,
          ''waiting_since'', p.waiting_since)
        || case when p.archive_requested then jsonb_build_object(''archive_requested'', true,
          ''removal_requested_at'', p.removal_requested_at) else ''{}'' end
        || case when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
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
    due := private.decision_emails_due(clock_timestamp());
    insert into private.email_queue (place_id, kind, key, next_try_at, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version), due,
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)
        || case act when 'archive' then private.about_removal(p, r.before ? 'archive_requested') else '{}' end)
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know what they decided about their own listing.
      and (act not in ('approve', 'archive') or p.owner is distinct from (select private.user_id()))
      and not (act = 'approve'
        and private.was_told_it_is_live(p.id, r.before ->> 'status', r.before -> 'last_update'))
    on conflict do nothing;
    if act = 'archive' then
      perform private.enqueue_booked_removals(array(select r.place_id from private.decision_rows r
        where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'), due);
    end if;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null), due);
  end if;
  if act = 'reject' then
    insert into public.rejected_edits as k (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'waiting_since',
        'archive_requested', 'removal_requested_at']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    -- One that its author hasn't used yet stays: the newer values and reason come first.
    on conflict (place_id) do update set rejected_at = excluded.rejected_at, edit = k.edit || excluded.edit,
      reason = nullif(left(concat_ws(e'\n\n', excluded.reason, nullif(k.reason, excluded.reason)), 2000), '');
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $$;
create function public.decide_listings(batch uuid, action text, reason text default null,
  items jsonb default null)
returns json
language sql volatile set search_path = ''
as $$ select private.decide_listings(batch, action, reason, items) $$;

-- When a listing was last changed, since when it waited, and since when its removal was requested, before the decision
-- that is being undone (app.undone_batch), so that guard_place can put it back where it was in its queues.
create function private.place_in_queue_before_decision(place_id bigint, out modified_at timestamptz,
  out waiting_since timestamptz, out removal_requested_at timestamptz)
language sql stable security definer set search_path = ''
as $$
  select (r.before ->> 'modified_at')::timestamptz, (r.before ->> 'waiting_since')::timestamptz,
    (r.before ->> 'removal_requested_at')::timestamptz
  from private.decision_rows r
  where r.batch_id = current_setting('app.undone_batch')::uuid
    and r.place_id = place_in_queue_before_decision.place_id
$$;

-- Undoes what the caller decided in the last ten minutes, the next 1,000 of a batch, each once. A
-- listing that has changed since stays as it is, and so does one whose stored values were deleted (end_ownership), one
-- whose rejected edit was discarded, and one that isn't public anymore and whose owner has asked for its removal since.
-- Reports that were resolved with it are open again, except those about such a listing, and those that anyone has dealt
-- with since.
-- Returns the batch in its new state.
create function private.undo_decisions(batch uuid) returns json
language plpgsql volatile security definer set search_path = '' set jit = off
as $$
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
end $$;
create function public.undo_decisions(batch uuid) returns json
language sql volatile set search_path = ''
as $$ select private.undo_decisions(batch) $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_drop_rows after delete on private.decision_batches
  for each row execute function private.delete_decision_rows();

-- ---------------------------------------------------------------- policies

alter table private.decision_batches enable row level security;
create policy "no access" on private.decision_batches for all to anon, authenticated using (false);

alter table private.decision_rows enable row level security;
create policy "no access" on private.decision_rows for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant execute on function
  private.create_decision_batch(uuid, jsonb, jsonb),
  public.create_decision_batch(uuid, jsonb, jsonb),
  private.review_batch(uuid, text, text, integer, integer),
  public.review_batch(uuid, text, text, integer, integer),
  private.decide_listings(uuid, text, text, jsonb),
  public.decide_listings(uuid, text, text, jsonb),
  private.undo_decisions(uuid),
  public.undo_decisions(uuid)
  to authenticated;
