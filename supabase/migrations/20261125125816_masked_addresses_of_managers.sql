-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.get_listing_managers(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('name', p.name, 'yours', p.owner is not distinct from private.user_id(),
    'managers', (select coalesce(jsonb_agg(jsonb_build_object('id', m.profile_id, 'name', f.full_name,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'since', m.since)
        order by m.since, m.profile_id), '[]')
      from public.listing_managers m join public.profiles f on f.id = m.profile_id
      left join public.manager_invitations i on i.place_id = m.place_id and i.accepted_by = m.profile_id
      where m.place_id = p.id),
    'invitations', (select coalesce(jsonb_agg(jsonb_build_object('id', i.id,
      'email', case when p.owner = private.user_id() then i.email else private.masked_email(i.email) end,
      'created_at', i.created_at,
        'expires_at', i.expires_at, 'late', i.expires_at <= now()) order by i.created_at, i.id), '[]')
      from public.manager_invitations i
      where i.place_id = p.id and i.accepted_at is null and i.withdrawn_at is null))
  from public.places p where p.id = get_listing_managers.place_id
    and (p.owner = private.user_id() or private.is_admin())
$function$;

set check_function_bodies = on;
