-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
        ''place_status'', p.status, ''place_hidden'', p.hidden, ''reason'', e.data ->> ''reason'', ''info'', e.data ->> ''info'',
        ''state'', e.state, ''note'', e.note, ''created_at'', e.created_at) as item
      from public.events e join public.places p on p.id = e.place where e.event_name = ''report_listing''' || filter,
    '{created_at,id}', '{timestamptz,bigint}', after, before, page_rows);
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
      'supporter', p.supporter, 'admin', p.admin, 'favorites', private.favorites_in_tens(p.id), 'created_at', p.created_at,
      'confirmed', private.is_confirmed(p.id),
      'places_count', (select count(*) from public.places l where l.owner = p.id),
      'places', (select coalesce(jsonb_agg(to_jsonb(l) order by l.name, l.id), '[]') from (
        select l.id, l.name, l.city, l.state, l.status, l.premium, l.hidden, l.proxi_id
        from public.places l where l.owner = p.id order by l.name, l.id limit 200) l),
      'jobs_count', (select count(*) from public.jobs j where j.owner = p.id),
      'jobs', (select coalesce(jsonb_agg(to_jsonb(j) order by j.created_at desc, j.id desc), '[]') from (
        select j.id, j.title, j.published, j.paid, j.expiration_date, j.filled_at, j.created_at,
          private.job_names_company(j.id) as names_company
        from public.jobs j where j.owner = p.id order by j.created_at desc, j.id desc limit 200) j))
    from public.profiles p where p.id = admin_user.user_id);
end $function$;

set check_function_bodies = on;
