-- Feedback and reports as admins see them, and what they do with them: many at a time, once each.

-- Feedback that waits, or that is done with: the newest first. Gives a keyset page with the total.
create function private.admin_feedback(archived boolean, after text, before text, page_rows integer) returns jsonb
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
  archived boolean default false, after text default null, before text default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_feedback(archived, after, before, page_rows) $$;

create function private.refuse_too_many(ids bigint[]) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if coalesce(cardinality(ids), 0) = 0 then
    raise exception 'Choose what you mean first.' using errcode = 'P0001';
  elsif cardinality(ids) > 1000 then
    raise exception 'Choose 1,000 at most at a time.' using errcode = 'P0001';
  end if;
end $$;

-- Puts feedback away, or back. Gives how many were changed, how many were that already, and how many
-- do not exist; done twice it is done once.
create function private.archive_feedback(ids bigint[], archived boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted constant boolean := coalesce(archived, true);
  known bigint;
  changed bigint;
begin
  perform private.require_admin();
  perform private.refuse_too_many(ids);
  perform 1 from public.feedback f where f.id = any (ids) order by f.id for update;
  get diagnostics known = row_count;
  perform set_config('app.audit_action', case when wanted then 'archive' else 'reopen' end, true);
  update public.feedback f set archived = wanted where f.id = any (ids) and f.archived <> wanted;
  get diagnostics changed = row_count;
  perform set_config('app.audit_action', '', true);
  return jsonb_build_object('changed', changed, 'unchanged', known - changed,
    'missing', (select count(distinct id) from unnest(ids) id) - known);
end $$;
create function public.archive_feedback(ids bigint[], archived boolean) returns jsonb
language sql volatile set search_path = ''
as $$ select private.archive_feedback(ids, archived) $$;

-- Reports of listings in one state, or in any: the newest first. Who reported is not told.
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
        ''place_status'', p.status, ''reason'', e.data ->> ''reason'', ''info'', e.data ->> ''info'',
        ''state'', e.state, ''note'', e.note, ''created_at'', e.created_at) as item
      from public.events e join public.places p on p.id = e.place where e.event_name = ''report_listing''' || filter,
    '{created_at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $$;
create function public.admin_reports(
  state text default null, after text default null, before text default null, page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_reports(state, after, before, page_rows) $$;

-- Settles reports, or opens them again. A note that is not blank is kept with each, for admins alone.
--   to_state   resolved | dismissed | open
--   flag       the reported listings are flagged as well, as a decision of the review desk
-- Gives how many were changed, were that already, and do not exist; and {name, outcome, reason} of each
-- listing that was to be flagged. All in one transaction.
create function private.settle_reports(ids bigint[], to_state text, note text, flag boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  words constant text := nullif(btrim(note, e' \t\r\n'), '');
  known bigint;
  changed bigint;
  items jsonb;
  flagged jsonb := '[]';
begin
  perform private.require_admin();
  perform private.refuse_too_many(ids);
  if to_state is null or to_state not in ('open', 'resolved', 'dismissed') then
    raise exception 'Choose what to do with these reports.' using errcode = 'P0001';
  elsif length(words) > 2000 then
    raise exception 'Please keep the note under 2,000 characters.' using errcode = 'P0001';
  end if;
  perform 1 from public.events e where e.id = any (ids) order by e.id for update;
  get diagnostics known = row_count;
  perform set_config('app.audit_action', case to_state when 'resolved' then 'resolve' when 'dismissed' then 'dismiss' else 'reopen' end, true);
  update public.events e set state = to_state, note = coalesce(words, e.note)
    where e.id = any (ids) and (e.state <> to_state or (words is not null and words is distinct from e.note));
  get diagnostics changed = row_count;
  perform set_config('app.audit_action', '', true);

  if flag then
    select jsonb_agg(distinct jsonb_build_object('id', p.id, 'version', p.version)) into items
      from public.events e join public.places p on p.id = e.place where e.id = any (ids);
    if items is not null then
      select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'name', 'outcome', r -> 'outcome', 'reason', r -> 'reason')), '[]')
        into flagged from json_array_elements(private.decide_listings(gen_random_uuid(), 'flag', null, items) -> 'rows') r;
    end if;
  end if;
  return jsonb_build_object('changed', changed, 'unchanged', known - changed,
    'missing', (select count(distinct id) from unnest(ids) id) - known, 'flagged', flagged);
end $$;
create function public.settle_reports(ids bigint[], to_state text, note text default null, flag boolean default false)
returns jsonb
language sql volatile set search_path = ''
as $$ select private.settle_reports(ids, to_state, note, flag) $$;

grant execute on function
  private.admin_feedback(boolean, text, text, integer), public.admin_feedback(boolean, text, text, integer),
  private.archive_feedback(bigint[], boolean), public.archive_feedback(bigint[], boolean),
  private.admin_reports(text, text, text, integer), public.admin_reports(text, text, text, integer),
  private.settle_reports(bigint[], text, text, boolean), public.settle_reports(bigint[], text, text, boolean) to authenticated;
