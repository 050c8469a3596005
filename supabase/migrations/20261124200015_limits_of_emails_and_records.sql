-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.create_recovery_codes()
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  codes text[];
  had_codes boolean;
begin
  -- One after the other: two requests at once would leave two sets. Rights are asked after the wait.
  perform 1 from public.profiles p where p.id = private.user_id() for no key update;
  perform private.require_recent_second_step();
  -- Each new set sends an email, and adds an entry to the audit log.
  perform private.enforce_limit('too_many_recovery_codes', 'recovery codes of ' || private.user_id(), 10, 3600);
  delete from private.recovery_codes c where c.user_id = private.user_id();
  had_codes := found;
  select array_agg(regexp_replace(left(hex, 12) || right(hex, 3), '(.....)(.....)', '\1-\2-')) into codes
    from (select replace(gen_random_uuid()::text, '-', '') as hex from generate_series(1, 10)) random;
  insert into private.recovery_codes (user_id, code_hash)
    select private.user_id(), private.recovery_code_hash(code) from unnest(codes) code;
  if had_codes then
    perform private.report_second_step(private.user_id(), 'new-codes', private.user_id());
  end if;
  return codes;
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
      -- As in guard_place.
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

CREATE OR REPLACE FUNCTION private.guard_place()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  changed boolean := true;
  -- Whether only a payment or the address of the owner's account has changed something.
  by_itself boolean := false;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
  -- 1. Columns that the caller may not write.
  if tg_op = 'INSERT' then
    new := private.reset_new_place(new, api, by_owner);
  else
    new := private.restore_protected_columns(old, new, api, by_owner);
    changed := new is distinct from old;
    rest := private.with_payment_columns(new, old);
    rest.owner_email := old.owner_email;
    by_itself := changed and not api and rest is not distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.description := private.many_lines(new.description);
    new.changes_requested := private.many_lines(new.changes_requested);
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      -- (What is too long is refused after this; to make it searchable first would take seconds.)
      new.name_key := private.normalize_for_search(left(new.name, 200));
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories
      or new.licensed_locations <> old.licensed_locations then
      perform private.validate_place_categories(new);
    end if;
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;

  -- 3. Review and version.
  if changed then
    if api and old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
      and (by_owner or new.status = 'pending-update') then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      -- Hiding a listing and asking for its removal are never refused. Anything else in the same change counts: to hide
      -- it while the request is withdrawn, and the other way around, would be a way to save without end.
      if to_jsonb(new) - switches <> to_jsonb(old) - switches
        or (old.hidden and not new.hidden) or (old.archive_requested and not new.archive_requested) then
        perform private.limit_changes(old.id);
      end if;
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        -- What was approved may return, also where the form requires more since.
        if old.status <> 'pending-update' or new.status <> 'published' then
          perform private.validate_place_fields(new);
        end if;
        new.changes_requested := null;
      end if;
    end if;
    if new.status = 'published' then
      new.last_update := '{}';
      new.changes_requested := null;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;

  -- 4. Another owner, or none.
  if old.owner is not null and new.owner is distinct from old.owner then
    new := private.part_from_owner(old, new);
  elsif old.owner is null and old.owner_email is not null and new.owner_email is distinct from old.owner_email then
    new := private.without_request(old, new);
  end if;

  -- 5. Changes that no form or reviewer has read: hiding, showing and asking for removal, payments,
  -- and the address of the owner's account. Neither the version nor the listing's place in the queue changes with them.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        new.version := old.version;
        new.modified_at := old.modified_at;
      end if;
    end if;
  elsif by_itself then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 6. Undoing a decision puts the listing back where it was in its queue.
  if current_setting('app.undone_batch', true) <> '' then
    new.modified_at := private.modified_at_before_decision(new.id);
  end if;
  return new;
end $function$;

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
    -- Only the person themselves can consent.
    if old.id is distinct from private.user_id() then
      new.opted_in := old.opted_in;
      new.sms_opted_in := old.sms_opted_in;
    end if;
  end if;
  new.modified_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_sponsorship()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    -- Also when it was refunded: what a newsletter said stays on record.
    if by_owner and exists (select 1 from public.sponsorship_spots s where s.sponsorship_id = old.id
      and s.held_until is null and s.weekday_date <= private.today()) then
      perform private.refuse('sponsorship_was_sent');
    end if;
    return old;
  end if;
  new := private.with_one_line(new, 'link', 'location', 'photo_location');
  new.promo_text := private.many_lines(new.promo_text);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
    end if;
    if api then
      new.paid := false;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
    end if;
    if api then
      new.paid := old.paid;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if old.paid and (new.rate, new.sponsorship_dates, new.place_id)
        is distinct from (old.rate, old.sponsorship_dates, old.place_id) then
        perform private.refuse('sponsorship_paid');
      end if;
    end if;
    -- It is generated after this trigger. Equal here, so that an unchanged row is recognized.
    new.order_total := old.order_total;
    if new is not distinct from old then
      return new;
    end if;
    if by_owner then
      perform private.limit_account_changes('too_many_order_changes');
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  if by_owner and (tg_op = 'INSERT' or new.place_id <> old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('sponsorship_place_not_yours', 'place_id');
  elsif by_owner and old.paid and new.place_id <> all (private.managed_places())
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    -- What a newsletter says about a business is not for someone to change who has left it.
    perform private.refuse('sponsored_listing_left');
  end if;
  if tg_op = 'INSERT' or new.sponsorship_dates <> old.sponsorship_dates then
    select coalesce(array_agg(distinct d order by d), '{}') into new.sponsorship_dates
      from unnest(new.sponsorship_dates) d;
    if exists (select 1 from unnest(new.sponsorship_dates) d where not private.is_newsletter_day(d)) then
      perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
    elsif api and exists (select 1 from unnest(new.sponsorship_dates) d where d <= private.today()
      and (tg_op = 'INSERT' or d <> all (old.sponsorship_dates))) then
      perform private.refuse('newsletter_date_past', 'sponsorship_dates');
    end if;
  end if;
  if tg_op = 'UPDATE' and api
    and (old.rate, old.sponsorship_dates, old.place_id)
      is distinct from (new.rate, new.sponsorship_dates, new.place_id) then
    perform private.validate_no_open_payment(old.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.invite_manager(invitation uuid, place_id bigint, email text, token text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  listing constant public.places := private.require_listing_owner(place_id);
  address constant text := lower(btrim(email));
  existing public.manager_invitations;
begin
  if listing.owner is distinct from private.user_id() then
    raise exception 'listing_not_yours' using errcode = '42501';
  elsif private.my_email() is null then
    perform private.refuse('account_email_unconfirmed');
  -- As the form has it: with another way to write an address, one mailbox would be counted as several.
  elsif address is null or not private.is_email(address)
    or address !~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9-]+([.][a-z0-9-]+)+$' then
    perform private.refuse('invitation_email_invalid', 'email');
  elsif length(coalesce(token, '')) < 32 then
    perform private.refuse('invitation_invalid');
  elsif address = private.my_email() then
    perform private.refuse('invitation_to_self', 'email');
  end if;
  select * into existing from public.manager_invitations i where i.id = invitation;
  if existing.place_id = listing.id and existing.email = address then
    return;
  elsif existing.id is not null then
    perform private.refuse('invitation_already_sent');
  elsif exists (select from public.manager_invitations i
      join public.listing_managers m on m.place_id = i.place_id and m.profile_id = i.accepted_by
      where i.place_id = listing.id and i.email = address) then
    perform private.refuse('already_manager', 'email');
  end if;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = listing.id and i.email = address and i.accepted_at is null and i.withdrawn_at is null;
  if (select count(*) from public.listing_managers m where m.place_id = listing.id)
    + (select count(*) from public.manager_invitations i where i.place_id = listing.id
        and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()) >= 10 then
    perform private.refuse('too_many_managers');
  end if;
  -- Neither one person nor many people together can fill a mailbox with invitations.
  perform private.enforce_limit('too_many_invitations', 'invite by ' || private.user_id(), 20, 86400);
  perform private.enforce_limit('too_many_invitations', 'invite to ' || private.mailbox(address), 5, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, private.user_id());
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $function$;

CREATE OR REPLACE FUNCTION private.limit_account_changes(code text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enforce_limit(code, 'changes by ' || private.user_id(), 300, 3600)
  where private.user_id() is not null
$function$;

CREATE OR REPLACE FUNCTION private.limit_changes(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enforce_limit('too_many_changes', 'change of listing ' || place_id, 60, 3600),
    private.limit_account_changes('too_many_changes')
$function$;

CREATE OR REPLACE FUNCTION private.limit_consents(user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- (A sign-up is no choice of an account yet.)
  if user_id = private.user_id() then
    perform private.enforce_limit('too_many_consents', 'consent by ' || user_id, 20, 86400);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.record_consents()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  consent_text text := coalesce(nullif(current_setting('app.consent_text', true), ''), 'unknown');
  page text := nullif(current_setting('app.consent_page', true), '');
  on_form boolean := coalesce(current_setting('app.consent_form', true), '') = 'yes';
  was_email boolean := false;
  was_sms boolean := false;
begin
  if tg_op = 'UPDATE' then
    was_email := old.opted_in;
    was_sms := old.sms_opted_in;
  end if;
  if on_form or new.opted_in <> was_email then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'email', new.opted_in, consent_text, coalesce(page, 'unknown'));
    if new.opted_in then
      perform private.limit_consents(new.id);
    end if;
  end if;
  if on_form or new.sms_opted_in <> was_sms then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (new.id, 'sms', new.sms_opted_in, consent_text, coalesce(page, 'unknown'));
    if new.sms_opted_in then
      perform private.limit_consents(new.id);
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due timestamptz;
begin
  if private.is_last_admin(private.user_id()) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (private.user_id()) on conflict do nothing;
  if found then
    -- Each new request sends an email.
    perform private.enforce_limit('too_many_deletion_requests', 'deletion request by ' || private.user_id(), 5, 86400);
  end if;
  select d.due_at into due from private.account_deletions d where d.user_id = private.user_id();
  perform private.enqueue_email(private.user_id(), null, 'account-deletion', 'account-deletion:' || private.user_id() || ':'
    || due,
    jsonb_build_object('due_at', due));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION private.set_tracking_consent(granted boolean, text_version text, page text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  before constant public.consents := private.tracking_consent(private.user_id());
begin
  if granted is null or private.user_id() is null then
    perform private.refuse('tracking_answer_missing');
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (private.user_id(), 'tracking', granted, text_version, page);
    if granted or before.granted is distinct from true then
      perform private.limit_consents(private.user_id());
    end if;
  end if;
end $function$;

grant execute on function private.limit_account_changes(text) to authenticated;

set check_function_bodies = on;
