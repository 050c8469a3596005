-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.reset_new_place(place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if by_owner then
    place.owner := private.user_id();
    perform private.hold_account_email(place.owner);
    place.owner_email := private.my_email();
    place.status := 'new';
    place := private.with_payment_columns(place, null);
    place.premium := false;
    place.proxi_id := null;
    place.changes_requested := null;
    perform private.validate_place_fields(place);
  end if;
  if api then
    place := private.with_subscription_columns(place, null);
    place.leads_from := null;
    place.last_update := '{}';
    place.version := 1;
    place.created_at := now();
    place.modified_at := now();
  end if;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.restore_protected_columns(before public.places, place public.places, api boolean, by_owner boolean)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  sent jsonb;
  claims boolean;
begin
  if by_owner then
    -- Keep the row as it was except for the columns that an owner fills in. Saving a listing without an
    -- owner claims it for the person whose confirmed address is its owner_email. No one else's change makes
    -- them its owner: a manager's doesn't, also when the owner leaves while it waits.
    if before.owner is null then
      perform private.hold_account_email(private.user_id());
    end if;
    claims := before.owner is null and before.owner_email = private.my_email();
    perform private.require_rights(before.owner = private.user_id() or claims
      or before.id = any (private.managed_places()));
    if before.owner <> private.user_id() and place.archive_requested <> before.archive_requested then
      perform private.refuse('removal_by_owner_only');
    end if;
    sent := to_jsonb(place);
    place := jsonb_populate_record(before,
      (select jsonb_object_agg(k, sent -> k) from unnest(private.owner_columns()) k));
    if claims then
      place.owner := private.user_id();
    end if;
  elsif (api or before.owner is not null) and place.owner is distinct from before.owner
    and place.owner_email is not distinct from before.owner_email then
    -- An admin gives the listing to another person, or to no one; or the account of its owner is deleted,
    -- by whatever means. Its address changes with it, because the next holder of the previous owner's
    -- mailbox could claim it otherwise.
    if api then
      perform private.hold_account_email(place.owner);
    end if;
    place.owner_email := case when api then private.account_email(place.owner) end;
  end if;
  if api then
    place := private.with_subscription_columns(place, before);
    place.leads_from := before.leads_from;
    place.created_at := before.created_at;
    place.submission_id := before.submission_id;
    place.last_update := before.last_update;
    place.version := before.version;
    place.modified_at := before.modified_at;
  end if;
  place.name_key := before.name_key;
  place.name_search := before.name_search;
  place.owner_email := lower(btrim(place.owner_email));
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.with_payment_columns(place public.places, source public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  place.premium := source.premium;
  place.premium_created_at := source.premium_created_at;
  return private.with_subscription_columns(place, source);
end $function$;

CREATE OR REPLACE FUNCTION private.with_subscription_columns(place public.places, source public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  place.stripe_cus_id := source.stripe_cus_id;
  place.stripe_subscription_id := source.stripe_subscription_id;
  place.subscription_status := source.subscription_status;
  place.subscription_ends_at := source.subscription_ends_at;
  return place;
end $function$;

grant execute on function private.with_subscription_columns(public.places,public.places) to authenticated;

grant execute on function private.with_subscription_columns(public.places,public.places) to service_role;

set check_function_bodies = on;
