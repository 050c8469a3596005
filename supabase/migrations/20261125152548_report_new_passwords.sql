-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.report_new_password()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(new.id, null, 'password-changed', 'password-changed:' || gen_random_uuid());
  return null;
end $function$;

CREATE OR REPLACE TRIGGER t3_report_new_password AFTER UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN (((old.email_confirmed_at IS NOT NULL) AND ((old.encrypted_password)::text <> ''::text) AND ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text))) EXECUTE FUNCTION private.report_new_password();

set check_function_bodies = on;
