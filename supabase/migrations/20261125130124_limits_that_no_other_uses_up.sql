-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

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
  -- Neither one person nor many people together can fill a mailbox with invitations. What everyone together may send is
  -- three times what one account may: otherwise one could keep a person from being invited, or learn that others did.
  perform private.enforce_limit('too_many_invitations', 'invite by ' || private.user_id(), 20, 86400);
  perform private.enforce_limit('too_many_invitations',
    format('invite by %s to %s', private.user_id(), private.mailbox(address)), 5, 86400);
  perform private.enforce_limit('too_many_invitations', 'invite to ' || private.mailbox(address), 15, 86400);
  insert into public.manager_invitations (id, place_id, email, invited_by)
    values (invitation, listing.id, address, private.user_id());
  insert into private.invitation_tokens (token_hash, invitation_id)
    values (private.code_hash(token), invitation);
  perform private.enqueue_email(null, null, 'manager-invitation', 'manager-invitation:' || invitation,
    jsonb_build_object('invitation_id', invitation), invitation);
  perform private.log_action('invite-manager', 'places', listing.id::text,
    jsonb_build_object('invitation', invitation));
end $function$;

CREATE OR REPLACE FUNCTION private.use_recovery_code(code text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  me constant uuid := private.session_user_id();
  my_session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
  -- For each session: someone who knows the password and no code must not use up the tries of the person who has one.
  -- Against guessing, the codes are long enough.
  bucket constant text := 'recovery-code:' || my_session;
  wait integer;
begin
  if me is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  wait := private.take_rate_token(bucket, 10, 15 * 60);
  if wait = 0 then
    delete from private.recovery_codes c
      where c.user_id = me and c.code_hash = private.recovery_code_hash(use_recovery_code.code);
    if found then
      -- This one no longer depends on the session in the app that opened it.
      delete from private.handed_over_sessions h where h.session_id = my_session;
      delete from auth.sessions s where s.user_id = me and s.id <> my_session;
      perform private.remove_second_step(me, 'recovery-code');
      perform private.return_rate_token(bucket);
      return '{"used": true, "wait": 0}';
    end if;
  end if;
  return jsonb_build_object('used', false, 'wait', wait);
end $function$;

set check_function_bodies = on;
