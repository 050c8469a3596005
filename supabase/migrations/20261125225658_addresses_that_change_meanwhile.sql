-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.copy_account_email()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  confirmed constant text := case when new.email_confirmed_at is not null then nullif(lower(new.email), '') end;
begin
  -- First, so that no copy of the old address is made from here on (hold_account_email).
  update public.profiles set email = new.email where id = new.id;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p where p.owner = new.id order by p.id for no key update;
  update public.places p set owner_email = confirmed where p.owner = new.id;
  update public.jobs j set owner_email = confirmed where j.owner = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled, or with the address of its owner's
  -- account. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at', 'owner_email'];
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  new := private.with_many_lines(new, 'description', 'company_bio', 'ally_safety');
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      perform private.hold_account_email(new.owner);
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    elsif old.owner is not null and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in restore_protected_columns.
      if api then
        perform private.hold_account_email(new.owner);
      end if;
      new.owner_email := case when api then private.account_email(new.owner) end;
    end if;
    if old.owner is not null and new.owner is null and exists (select from public.places p
      where p.id = new.place_id and p.owner is not null and p.owner <> old.owner) then
      -- Without an owner it would be published in the name of its listing, which belongs to someone else.
      if coalesce(btrim(new.company_name), '') <> '' and coalesce(btrim(new.company_bio), '') <> '' then
        new.place_id := null;
      else
        new.published := false;
      end if;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    -- Unpublishing is never refused. To do it again, the job has to be published, which counts.
    if by_owner and not (old.published and not new.published) then
      perform private.limit_account_changes('too_many_job_changes');
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  -- Also when the listing has gone to someone else since. What remains possible is to unpublish the job.
  if by_owner and new.place_id is not null
    and (tg_op = 'INSERT' or to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.hold_account_email(user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform 1 from public.profiles p where p.id = hold_account_email.user_id
    and (p.id = private.user_id() or private.is_admin()) for share;
end $function$;

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
    place.subscription_ends_at := null;
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
    place.subscription_ends_at := before.subscription_ends_at;
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

grant execute on function private.hold_account_email(uuid) to authenticated;

set check_function_bodies = on;
