-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.visible(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select regexp_replace(regexp_replace(value,
    '[\u00ad\u115f\u1160\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]',
    '', 'g'), '(^|\s)[\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f]+', '\1', 'g')
$function$;

CREATE OR REPLACE FUNCTION private.with_many_lines(source anyelement, VARIADIC columns text[])
 RETURNS anyelement
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when private.many_lines(entire) is not distinct from entire then source
    else (select jsonb_populate_record(source, jsonb_object_agg(c, private.many_lines(sent ->> c))) from unnest(columns) c)
    end
  from to_jsonb(source) sent,
    lateral (select string_agg(sent ->> c, ' ') as entire from unnest(columns) c) joined
$function$;

CREATE OR REPLACE FUNCTION private.with_one_line(source anyelement, VARIADIC columns text[])
 RETURNS anyelement
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case when private.one_line(entire) is not distinct from entire then source
    else (select jsonb_populate_record(source, jsonb_object_agg(c, private.one_line(sent ->> c))) from unnest(columns) c)
    end
  from to_jsonb(source) sent,
    lateral (select string_agg(sent ->> c, ' ') as entire from unnest(columns) c) joined
$function$;

set check_function_bodies = on;
