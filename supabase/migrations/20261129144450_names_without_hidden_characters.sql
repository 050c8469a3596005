-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.job_namesakes(job_id bigint)
 RETURNS TABLE(place_id bigint, name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with company as (
    select j.owner, regexp_replace(private.normalize_for_search(btrim(j.company_name)), '\s+', ' ', 'g') as name
    from public.jobs j where j.id = job_namesakes.job_id and j.place_id is null
  ), found as materialized (
    select p.id, p.name_key, p.owner is not distinct from j.owner or exists (select from public.listing_managers m
        where m.place_id = p.id and m.profile_id = j.owner) as own
    from company j
    join public.places p on p.name_key in (j.name, regexp_replace(j.name,
      '[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]', '', 'g'))
  ), shown as materialized (
    -- (With offset, this looks each listing up. Joined, all of them would be read for each job.)
    select f.id, listing.name, f.own from found f
    cross join lateral (select v.name from private.public_places v where v.id = f.id offset 0) listing
    where private.normalize_for_search(listing.name) = f.name_key
  )
  select s.id, s.name from shown s where not exists (select from shown o where o.own)
$function$;

CREATE OR REPLACE FUNCTION private.one_line(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(private.visible(value), '[\u0001-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')
$function$;

CREATE OR REPLACE FUNCTION private.visible(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(regexp_replace(private.require_cleanable(value),
    '[\u00ad\u034f\u115f\u1160\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]',
    '', 'g'), '(^|\s)[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+', '\1', 'g')
$function$;

set check_function_bodies = on;
