-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.set_my_position(lat double precision, long double precision)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- The account can be deleted meanwhile.
  perform private.require_rights(private.user_id() is not null);
  if lat is null or long is null then
    delete from private.user_positions where user_id = private.user_id();
  elsif abs(lat) <= 90 and abs(long) <= 180 then
    perform private.store_position(private.user_id(), lat, long);
  else
    perform private.refuse('position_invalid');
  end if;
end $function$;

set check_function_bodies = on;
