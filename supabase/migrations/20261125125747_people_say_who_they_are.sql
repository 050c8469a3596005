-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.guard_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new := private.with_one_line(new, 'full_name', 'phone', 'pronouns', 'postalcode');
  -- (What is too long is refused after this; to make it searchable first would take seconds.)
  new.full_name := nullif(left(btrim(new.full_name), 201), '');
  new.phone := nullif(btrim(new.phone), '');
  new.pronouns := nullif(btrim(new.pronouns), '');
  new.postalcode := nullif(btrim(new.postalcode), '');
  if private.from_api() then
    perform private.require_rights(old.id = private.user_id() or private.is_admin());
    new.id := old.id;
    new.email := old.email;
    new.created_at := old.created_at;
    new.stripe_customer_id := old.stripe_customer_id;
    if not private.is_admin() then
      new.admin := old.admin;
      new.supporter := old.supporter;
      new.business_owner := old.business_owner;
    end if;
    if old.admin and not new.admin then
      -- One at a time: of two admins who step down at once, the second one stays.
      perform pg_advisory_xact_lock(hashtext('private.is_last_admin'));
      if private.is_last_admin(old.id) then
        perform private.refuse('only_admin');
      end if;
    end if;
    -- Only the person themselves can consent, say who they are, and choose discretion. An admin's change of these would
    -- be in no log.
    if old.id is distinct from private.user_id() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
      new.full_name := old.full_name;
      new.phone := old.phone;
      new.pronouns := old.pronouns;
      new.postalcode := old.postalcode;
      new.discreet := old.discreet;
    end if;
  end if;
  new.modified_at := now();
  return new;
end $function$;

set check_function_bodies = on;
