-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant text := nullif(current_setting('request.jwt.claims', true), '');
  caller uuid;
begin
  if current_setting('app.live_session', true) = claims then
    return auth.uid();
  end if;
  caller := (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null
      and ((s.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
        or not exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified')));
  if caller is not null and current_setting('transaction_read_only') = 'on' then
    perform set_config('app.live_session', claims, true);
  end if;
  return caller;
end $function$;

set check_function_bodies = on;
