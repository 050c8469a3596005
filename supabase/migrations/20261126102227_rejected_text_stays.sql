-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.delete_rejected_edit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from public.rejected_edits r where r.place_id = new.id
    and ((old.owner is not null and new.owner is distinct from old.owner)
      or not exists (
        select from jsonb_each(r.edit) e join private.listing_fields() f on f.name = e.key
        where e.value is distinct from to_jsonb(new) -> e.key and e.value is distinct from new.last_update -> e.key
          -- The rest of an address follows from what was typed.
          and not (f.kind = 'address' and e.key <> 'rawaddress' and r.edit ? 'rawaddress')));
  return null;
end $function$;

set check_function_bodies = on;
