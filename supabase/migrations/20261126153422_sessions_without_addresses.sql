-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.strip_session()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.ip := null;
  new.user_agent := null;
  return new;
end $function$;

CREATE OR REPLACE TRIGGER t1_strip BEFORE INSERT OR UPDATE ON auth.sessions FOR EACH ROW EXECUTE FUNCTION private.strip_session();

set check_function_bodies = on;

-- Those of sessions until now.
update auth.sessions set ip = null, user_agent = null where ip is not null or user_agent is not null;
