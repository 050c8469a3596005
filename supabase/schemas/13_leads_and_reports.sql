-- What people write: leads (messages to the owner of a listing), reports of listings (events),
-- and feedback on the app. Leads are between the person who asks and the owner and managers of the
-- listing; not even admins read them. Reports and feedback are for admins, who process many at a
-- time.

-- ---------------------------------------------------------------- tables

create table public.leads (
  id bigint generated always as identity primary key,
  place_id bigint not null references public.places (id) on delete cascade,
  -- The person who asked: their leads are deleted with their account.
  requester uuid default auth.uid() references public.profiles (id) on delete cascade,
  requester_name text not null check (length(btrim(requester_name)) between 1 and 200),
  requester_email text not null check (private.is_email(requester_email)),
  message text not null check (length(btrim(message)) between 1 and 10000),
  state text not null default 'new' check (state in ('new', 'replied', 'spam')),
  -- The owner's own notes.
  notes text check (length(notes) <= 5000),
  version integer not null default 1,
  created_at timestamptz not null default now()
);
create index leads_place on public.leads (place_id, created_at desc, id desc);
create index leads_requester on public.leads (requester);

create table public.events (
  id bigint generated always as identity primary key,
  event_name text not null check (event_name in ('report_listing')),
  place bigint not null references public.places (id) on delete cascade,
  data jsonb not null default '{}' check (jsonb_typeof(data) = 'object' and length(data::text) <= 10000),
  state text not null default 'open' check (state in ('open', 'resolved', 'dismissed')),
  note text check (length(note) <= 2000),
  user_id uuid default auth.uid() references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  version integer not null default 1
);
create index events_newest on public.events (event_name, created_at desc, id desc);
create index events_state on public.events (state, created_at desc, id desc);
create index events_place on public.events (place);
create index events_user on public.events (user_id);

-- Who reported: no one but that person learns it, and no admin either. The column user_id of events is
-- how it is sent, and is emptied at once.
create table private.reporters (
  event bigint primary key references public.events (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade
);
create index reporters_user on private.reporters (user_id);

create table public.feedback (
  id bigint generated always as identity primary key,
  userid uuid default auth.uid() references public.profiles (id) on delete set null,
  feedback text not null check (length(btrim(feedback)) between 1 and 10000),
  -- Shown as App Version.
  os text check (length(os) <= 200),
  archived boolean not null default false,
  created_at timestamptz not null default now()
);
create index feedback_user on public.feedback (userid);
create index feedback_newest on public.feedback (archived, created_at desc, id desc);

-- ---------------------------------------------------------------- functions

-- The guard of leads. Two people, or two tabs, may sort the same lead and write notes on it: the
-- version keeps newer text from being overwritten unseen.
create function private.guard_lead() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.requester_name := private.one_line(new.requester_name);
    new.message := private.many_lines(new.message);
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
    new.notes := private.many_lines(new.notes);
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
end $$;

-- How much one account may write, to everyone and about one listing, and how much about one listing is
-- accepted from all accounts together, so that no one can fill a mailbox or a queue.
create function private.limit_lead() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_many_leads', 'lead by ' || private.user_id(), 10, 3600);
    perform private.enforce_limit('too_many_leads_to_listing',
      format('lead by %s to %s', private.user_id(), new.place_id), 3, 86400);
    perform private.enforce_limit('listing_gets_too_many_leads', 'lead to ' || new.place_id, 50, 3600);
  end if;
  return null;
end $$;

create function private.limit_report() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_many_reports', 'report by ' || private.user_id(), 10, 3600);
    perform private.enforce_limit('too_many_reports_of_listing',
      format('report by %s of %s', private.user_id(), new.place), 3, 86400);
    perform private.enforce_limit('listing_gets_too_many_reports', 'report of ' || new.place, 50, 3600);
  end if;
  return null;
end $$;

create function private.limit_feedback() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.user_id() is not null then
    perform private.enforce_limit('too_much_feedback', 'feedback by ' || private.user_id(), 10, 3600);
  end if;
  return null;
end $$;

create function private.record_reporter() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.reporters (event, user_id) values (new.id, new.user_id);
  update public.events e set user_id = null where e.id = new.id;
  return null;
end $$;

-- Someone who reported a listing reads what they wrote and what happened to the report, but not the team's note. They
-- read it through a function, as the sender of a lead does.
create function private.my_sent_reports()
returns table (id bigint, created_at timestamptz, place bigint, data jsonb, state text)
language sql stable security definer set search_path = ''
as $$
  select e.id, e.created_at, e.place, e.data, e.state
  from private.reporters r join public.events e on e.id = r.event
  where r.user_id = private.user_id() order by e.created_at desc, e.id desc
$$;
create function public.my_sent_reports()
returns table (id bigint, created_at timestamptz, place bigint, data jsonb, state text)
language sql stable set search_path = ''
as $$ select * from private.my_sent_reports() $$;

-- Emails the owner and the managers of the listing, those who want it, under the name to which the message was sent: a
-- manager could write anything into another one, and have us send it to its owner.
create function private.enqueue_lead_emails() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  known_as constant text := private.approved_name(new.place_id);
begin
  perform private.enqueue_email(null, p.id, 'new-lead', 'new-lead:' || new.id,
    jsonb_build_object('lead_id', new.id, 'name', known_as))
    from public.places p where p.id = new.place_id and private.wants_email(p.owner, 'new-lead');
  perform private.enqueue_email(m.profile_id, null, 'new-lead', format('new-lead:%s:%s', new.id, m.profile_id),
      jsonb_build_object('lead_id', new.id, 'name', known_as, 'place_id', p.id))
    from public.listing_managers m join public.places p on p.id = m.place_id
    where m.place_id = new.place_id and private.wants_email(m.profile_id, 'new-lead');
  return null;
end $$;

-- The leads of the listings that the caller owns or manages, newest first. The policy leaves out those
-- that were written to a previous owner.
create function public.get_owner_leads()
returns table (id bigint, created_at timestamptz, requester_name text, requester_email text,
  message text, place_id bigint, place_name text, state text, notes text, version integer)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes,
      l.version
    from public.leads l
    join (select o.id, o.name from public.places o where o.owner = (select private.user_id())
      union all select m.id, m.name from private.managed_listings() m) p on p.id = l.place_id
    order by l.created_at desc, l.id desc;
end $$;

-- A page of the caller's leads, over get_owner_leads(), which defines who may read which.
--   listing, wanted   the leads of one listing, or in one state; null for all
--   after, before     the id of the lead that the page begins after or ends before; the first page
--                     without either, or when that lead is not among the caller's
--   page_rows         1 to 250
-- Returns {total, first, rows, listings}: how many leads of that kind there are, the position (from
-- 1) of the page's first row among them, the rows, and each listing that has leads, with how many,
-- and how many new ones.
create function public.my_leads(
  listing bigint default null, wanted text default null, after bigint default null,
    before bigint default null,
  page_rows integer default 50)
returns jsonb
language plpgsql stable set search_path = '' set jit = off
as $$
#variable_conflict use_column
begin
  return (
    with mine as materialized (
      select l.id, l.created_at, l.place_id, l.place_name, l.state from public.get_owner_leads() l
    ), found as (
      select m.id, m.created_at, row_number() over (order by m.created_at desc, m.id desc) as n from mine m
      where (my_leads.listing is null or m.place_id = my_leads.listing)
        and (my_leads.wanted is null or m.state = my_leads.wanted)
    ), place as (
      -- The position that the lead has or would have, whether or not it is among those selected.
      select coalesce(
        (select count(*) + 1 from found f join mine a on a.id = my_leads.after
          where (f.created_at, f.id) >= (a.created_at, a.id)), 1) as from_after,
        (select count(*) + 1 - private.page_size(page_rows, 250) from found f
          join mine b on b.id = my_leads.before where (f.created_at, f.id) > (b.created_at, b.id)) as to_before
    ), page as (
      select f.id, f.n from found f, place
      where f.n >= greatest(case when my_leads.before is null then from_after
        when to_before is null then 1 else to_before end, 1)
      order by f.n limit private.page_size(page_rows, 250)
    )
    select jsonb_build_object(
      'total', (select count(*) from found),
      'first', (select min(n) from page),
      'rows', coalesce((
        select jsonb_agg(to_jsonb(l) order by page.n)
        from page join public.get_owner_leads() l on l.id = page.id), '[]'),
      'listings', coalesce((
        select jsonb_agg(jsonb_build_object('id', g.place_id, 'name', g.place_name, 'leads', g.leads, 'new',
          g.unread)
          order by private.normalize_for_search(g.place_name), g.place_id)
        from (select place_id, place_name, count(*) as leads, count(*) filter (where state = 'new') as unread
          from mine group by place_id, place_name) g), '[]')));
end $$;

-- What an owner adds to a lead (its state, their notes) is theirs. The sender reads what they
-- wrote, and nothing else, by a function of its own, because row level security decides on rows and
-- the row contains both.
create function private.my_sent_leads()
returns table (id bigint, created_at timestamptz, place_id bigint, requester_name text,
  requester_email text, message text)
language sql stable security definer set search_path = ''
as $$
  select l.id, l.created_at, l.place_id, l.requester_name, l.requester_email, l.message
  from public.leads l where l.requester = private.user_id() order by l.created_at desc, l.id desc
$$;
create function public.my_sent_leads()
returns table (id bigint, created_at timestamptz, place_id bigint, requester_name text,
  requester_email text, message text)
language sql stable set search_path = ''
as $$ select * from private.my_sent_leads() $$;

create function private.guard_feedback_and_reports() returns trigger
language plpgsql set search_path = ''
as $$
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
end $$;

create function private.validate_selection(ids bigint[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(cardinality(ids), 0) = 0 then
    perform private.refuse('nothing_selected');
  elsif cardinality(ids) > 1000 then
    perform private.refuse('too_many_selected');
  end if;
end $$;

-- Reports of listings in one state, or in any, newest first. Who reported is not included.
create function private.admin_reports(state text, after text, before text, page_rows integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
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
end $$;
create function public.admin_reports(
  state text default null, after text default null, before text default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_reports(state, after, before, page_rows) $$;

-- Closes reports that are open, or opens closed ones again. A note that is not blank is stored with each, for admins
-- alone. One that another admin has closed meanwhile stays as they left it.
--   to_state   resolved | dismissed | open
--   flag       the listings of the reports that are closed now are flagged as well, as a decision of the review desk
--   listings   [{id, version}, …]: these listings as the caller saw them. One that has changed since isn't flagged, and
--              the reports about it stay open. Null from an app that doesn't say what was seen: the versions of now.
-- Returns how many were changed, how many were closed (or open) already, how many were left because of their listing,
-- and how many do not exist; {name, outcome, reasons, warnings} of each listing that was to be flagged; and the batch
-- of that decision, by which it can be undone, or null. All in one transaction. A form that flags and is sent again, such
-- as by a second press, gets its first answer while that can be undone: the undo is only in the last answer.
create function private.update_reports(ids bigint[], to_state text, note text, flag boolean, listings jsonb)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  due_ids bigint[];
  changed_ids bigint[] := '{}';
  changed_versions integer[] := '{}';
  items jsonb;
  decision jsonb := '[]';
  decided uuid;
  earlier private.decision_batches;
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
    -- The caller's own decision on these reports. No one has dealt with them since, this note is in them, and those that
    -- it left open are about listings that are sent as they were then.
    select b.* into earlier from private.decision_batches b
      where to_state = 'resolved' and b.admin = private.user_id() and b.action = 'flag' and b.undone_at is null
        and b.decided_at > now() - private.undo_window() and b.reports <> '{}' and b.reports <@ ids
        and not exists (select from unnest(b.reports, b.report_versions) r (id, version)
          left join public.events e on e.id = r.id
          where e.version is distinct from r.version
            or e.note is distinct from coalesce(private.many_lines(note_text), e.note))
        and not exists (select from jsonb_array_elements(items) i (item)
          where not exists (select from private.decision_rows d where d.batch_id = b.id and d.outcome = 'stale'
            and d.place_id::text = i.item ->> 'id' and d.version::text is not distinct from i.item ->> 'version'))
      order by b.decided_at desc limit 1;
    if earlier.id is not null then
      decided := earlier.id;
      decision := (private.batch_as_json(decided, null, null, 0, 1000) -> 'rows')::jsonb;
    elsif items is not null then
      decided := gen_random_uuid();
      decision := (private.decide_listings(decided, 'flag', null, items) -> 'rows')::jsonb;
    end if;
  end if;

  if earlier.id is not null then
    changed_ids := earlier.reports;
    due_ids := due_ids || changed_ids;
  else
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
  end if;
  return jsonb_build_object('changed', cardinality(changed_ids), 'unchanged', found_count - cardinality(due_ids),
    'left', cardinality(due_ids) - cardinality(changed_ids),
    'missing', (select count(distinct id) from unnest(ids) id) - found_count,
    'flagged', (select coalesce(jsonb_agg(jsonb_build_object('name', d.item -> 'name', 'outcome', d.item -> 'outcome',
        'reasons', d.item -> 'reasons', 'warnings', d.item -> 'warnings')), '[]')
      from jsonb_array_elements(decision) d (item)),
    'batch', decided);
end $$;
create function public.update_reports(ids bigint[], to_state text, note text default null,
  flag boolean default false, listings jsonb default null)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.update_reports(ids, to_state, note, flag, listings) $$;

-- Feedback that is open, or that is archived, newest first. Returns a keyset page with the total.
create function private.admin_feedback(archived boolean, after text, before text,
  page_rows integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  wanted constant boolean := coalesce(archived, false);
begin
  perform private.require_admin();
  return jsonb_build_object('total', (select count(*) from public.feedback f where f.archived = wanted))
    || private.keyset_page(format(
      'select f.created_at, f.id, jsonb_build_object(''id'', f.id, ''user'', f.userid,
          ''user_name'', (select coalesce(p.full_name, '''') from public.profiles p where p.id = f.userid),
          ''feedback'', f.feedback, ''os'', f.os, ''archived'', f.archived, ''created_at'', f.created_at) as item
        from public.feedback f where f.archived = %L', wanted),
      '{created_at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $$;
create function public.admin_feedback(
  archived boolean default false, after text default null, before text default null,
    page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_feedback(archived, after, before, page_rows) $$;

-- Archives feedback, or reopens it. Returns how many were changed, how many already had that state,
-- and how many do not exist. Safe to repeat.
create function private.archive_feedback(ids bigint[], archived boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
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
end $$;
create function public.archive_feedback(ids bigint[], archived boolean) returns jsonb
language sql volatile set search_path = ''
as $$ select private.archive_feedback(ids, archived) $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_guard before insert or update on public.leads
  for each row execute function private.guard_lead();
create trigger t2_limit after insert on public.leads
  for each row execute function private.limit_lead();
create trigger t3_enqueue_emails after insert on public.leads
  for each row execute function private.enqueue_lead_emails();

create trigger t1_guard before insert or update on public.events
  for each row execute function private.guard_feedback_and_reports();
create trigger t2_limit after insert on public.events
  for each row execute function private.limit_report();
create trigger t3_record_reporter after insert on public.events
  for each row when (new.user_id is not null) execute function private.record_reporter();
create trigger t4_audit_update after update on public.events
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{state,note}');

create trigger t1_guard before insert or update on public.feedback
  for each row execute function private.guard_feedback_and_reports();
create trigger t2_limit after insert on public.feedback
  for each row execute function private.limit_feedback();
create trigger t3_audit_update after update on public.feedback
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit('{archived}');

-- ---------------------------------------------------------------- policies

-- Between the person who asks and the owner and managers that the listing had then. Not even admins read
-- them. The sender reads theirs by my_sent_leads.
alter table public.leads enable row level security;
create policy "expect one row" on public.leads as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "read for owned or managed listings" on public.leads for select to authenticated
  using ((place_id = any ((select private.managed_places())::bigint[])
      or place_id in (select p.id from public.places p where p.owner = (select private.user_id())))
    and not exists (select from private.former_leads f
      where f.place_id = leads.place_id and leads.created_at < f.until));
create policy "insert for public listings" on public.leads for insert to authenticated
  with check (requester = (select private.user_id())
    and exists (select 1 from public.public_places p where p.id = place_id));
create policy "update for owned or managed listings" on public.leads for update to authenticated
  using ((place_id = any ((select private.managed_places())::bigint[])
      or place_id in (select p.id from public.places p where p.owner = (select private.user_id())))
    and not exists (select from private.former_leads f
      where f.place_id = leads.place_id and leads.created_at < f.until))
  with check ((place_id = any ((select private.managed_places())::bigint[])
      or place_id in (select p.id from public.places p where p.owner = (select private.user_id())))
    and not exists (select from private.former_leads f
      where f.place_id = leads.place_id and leads.created_at < f.until));

alter table public.events enable row level security;
create policy "expect one row" on public.events as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
-- Its sender reads it by my_sent_reports, and here only while it is being sent (return=representation):
-- before it has a note.
create policy "admins read, or while sending" on public.events for select to authenticated
  using ((select private.is_admin()) or user_id = (select private.user_id()));
create policy "insert for public listings" on public.events for insert to authenticated
  with check (user_id = (select private.user_id()) and event_name = 'report_listing'
    and exists (select 1 from public.public_places p where p.id = place));
create policy "admins update" on public.events for update to authenticated
  using ((select private.is_admin())) with check ((select private.is_admin()));

alter table private.reporters enable row level security;
create policy "no access" on private.reporters for all to anon, authenticated using (false);

alter table public.feedback enable row level security;
create policy "expect one row" on public.feedback as restrictive for select to authenticated
  using (id operator(private.>=!) '-9223372036854775808');
create policy "read own, or admin" on public.feedback for select to authenticated
  using (userid = (select private.user_id()) or (select private.is_admin()));
create policy "insert own" on public.feedback for insert to authenticated
  with check (userid = (select private.user_id()));
create policy "admins update" on public.feedback for update to authenticated
  using ((select private.is_admin())) with check ((select private.is_admin()));

-- ---------------------------------------------------------------- grants

-- Column grants are safe here: nothing in these three tables is ever upserted. People who get a message can't read
-- which account it is from, because that would let them recognize someone under another name and address.
grant select (id, place_id, requester_name, requester_email, message, state, notes, version, created_at),
  insert (place_id, requester, requester_name, requester_email, message), update (state, notes)
  on public.leads to authenticated;
grant select, insert, update, delete on public.leads to service_role;
grant select, insert (event_name, place, data, user_id),
  update (state, note) on public.events to authenticated;
grant select, insert, update, delete on public.events to service_role;
grant select, insert (userid, feedback, os), update (archived) on public.feedback to authenticated;
grant select, insert, update, delete on public.feedback to service_role;

grant execute on function
  private.my_sent_reports(),
  public.my_sent_reports(),
  public.get_owner_leads(),
  public.my_leads(bigint, text, bigint, bigint, integer),
  private.my_sent_leads(),
  public.my_sent_leads(),
  private.admin_reports(text, text, text, integer),
  public.admin_reports(text, text, text, integer),
  private.update_reports(bigint[], text, text, boolean, jsonb),
  public.update_reports(bigint[], text, text, boolean, jsonb),
  private.admin_feedback(boolean, text, text, integer),
  public.admin_feedback(boolean, text, text, integer),
  private.archive_feedback(bigint[], boolean),
  public.archive_feedback(bigint[], boolean)
  to authenticated;
