-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.update_reports(ids bigint[], to_state text, note text, flag boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  changed_ids bigint[];
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
  with changed as (
    update public.events e set state = to_state, note = coalesce(note_text, e.note)
      where e.id = any (ids) and (e.state = 'open') <> (to_state = 'open')
      returning e.id
  )
  select coalesce(array_agg(c.id), '{}') into changed_ids from changed c;
  perform set_config('app.audit_action', '', true);

  if flag then
    select jsonb_agg(distinct jsonb_build_object('id', p.id, 'version', p.version)) into items
      from public.events e join public.places p on p.id = e.place where e.id = any (changed_ids);
    if items is not null then
      select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'name', 'outcome', r -> 'outcome',
        'reasons', r -> 'reasons')), '[]')
        into flagged from json_array_elements(private.decide_listings(gen_random_uuid(), 'flag', null,
          items) -> 'rows') r;
    end if;
  end if;
  return jsonb_build_object('changed', cardinality(changed_ids), 'unchanged', found_count - cardinality(changed_ids),
    'missing', (select count(distinct id) from unnest(ids) id) - found_count, 'flagged', flagged);
end $function$;

set check_function_bodies = on;
