-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.part_from_owner(before public.places, place public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  -- Where the public sees roughly where a listing is, the address as it was typed may be a home.
  approximate constant boolean := before.address_approximate
    or coalesce((before.last_update ->> 'address_approximate')::boolean, false);
begin
  -- What was theirs alone doesn't return with the approved version, either.
  before.last_update := before.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place.last_update := place.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place := private.without_edit(before, place);
  -- Unless an admin has just entered another one.
  if place.mailingaddress is not distinct from before.mailingaddress then
    place.mailingaddress := null;
  end if;
  if approximate and place.rawaddress is not distinct from before.rawaddress
    and place.rawaddress is distinct from place.address then
    place.rawaddress := null;
  end if;
  if place.status = 'pending-update' and place.last_update = '{}' then
    place.status := 'published';
  end if;
  place.stripe_cus_id := null;
  -- It names a form of theirs, and another one may have the same.
  place.submission_id := null;
  place := private.without_request(before, place);
  -- The wall clock, because this transaction may have waited.
  place.leads_from := clock_timestamp();
  return place;
end $function$;

-- Of a form that was sent twice at once, as an admin's could be, the first listing keeps its token.
update public.places p set submission_id = null
  where p.owner is null and exists (select from public.places f
    where f.owner is null and f.submission_id = p.submission_id and f.id < p.id);

CREATE UNIQUE INDEX places_submission_without_owner ON public.places USING btree (submission_id) WHERE (owner IS NULL);

set check_function_bodies = on;
