-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.require_sponsorship_owner(sponsorship bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from public.sponsorships s where s.id = sponsorship
    and (s.owner = private.user_id() or auth.role() = 'service_role')) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  end if;
end $function$;

set check_function_bodies = on;
