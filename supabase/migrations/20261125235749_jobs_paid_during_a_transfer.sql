-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.move_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A payment that is being recorded is awaited: its job is one that was paid for.
  perform 1 from public.jobs j where j.place_id = new.id order by j.id for update;
  update public.jobs j set owner = new.owner, submission_id = null,
      owner_email = (select lower(u.email) from auth.users u
        where u.id = new.owner and u.email_confirmed_at is not null)
    where j.place_id = new.id and j.paid
      and (j.owner = old.owner or (j.owner is null and new.owner is not null));
  return null;
end $function$;

set check_function_bodies = on;
