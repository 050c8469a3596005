-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.create_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sent jsonb := coalesce(new.raw_user_meta_data, '{}');
  answers constant jsonb := private.sign_up_answers(sent);
begin
  -- One mailbox has many addresses (name+anything@…). The address without a suffix is not counted: it
  -- can have one account, and others must not be able to use up its sign-ups. Visitors are limited by
  -- the auth service.
  if private.mailbox(new.email) <> lower(new.email) then
    perform private.enforce_limit('too_many_sign_ups', 'sign up ' || private.mailbox(new.email), 5, 86400);
  end if;
  insert into public.profiles (id, full_name, phone, email, pronouns, postalcode, business_owner)
  select new.id, f.full_name, f.phone, new.email, f.pronouns, f.postalcode,
    coalesce(sent ->> 'business_owner', '') <> 'false'
  from private.sign_up_profile(sent) f;
  if new.email_confirmed_at is not null then
    perform private.accept_consents(new.id, answers), private.accept_position(new.id, answers);
  else
    insert into private.sign_ups (user_id, proof, answers)
    values (new.id, case when length(sent ->> 'sign_up_proof') = 43 then sent ->> 'sign_up_proof' end, answers);
  end if;
  -- t1_strip_metadata removes all of it.
  update auth.users set raw_user_meta_data = sent where id = new.id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.sign_up_answers(sent jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each_text(sent) e
    where e.value <> '' and length(e.value) <= 500 and e.key in ('opted_in', 'sms_opted_in', 'consent_text_version',
      'consent_page', 'postal_lat', 'postal_long', 'sent_at')
$function$;

CREATE OR REPLACE FUNCTION private.sign_up_profile(sent jsonb, OUT full_name text, OUT phone text, OUT pronouns text, OUT postalcode text)
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select left(nullif(btrim(sent ->> 'full_name'), ''), 200), left(nullif(btrim(sent ->> 'phone'), ''), 40),
    left(nullif(btrim(sent ->> 'pronouns'), ''), 100), left(nullif(btrim(sent ->> 'postalcode'), ''), 20)
$function$;

CREATE OR REPLACE FUNCTION private.update_sign_up(email text, sent jsonb)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with updated as (
    update private.sign_ups s set answers = private.sign_up_answers(sent)
    where s.user_id = (select u.id from auth.users u where u.email = lower(update_sign_up.email) and not u.is_sso_user
        and u.email_confirmed_at is null)
      and s.proof = sent ->> 'sign_up_proof'
      -- (Both as ISO 8601 in UTC. Text, because anyone can send anything to the auth service.)
      and coalesce(s.answers ->> 'sent_at', '') collate "C" < sent ->> 'sent_at'
    returning s.user_id
  ), changed as (
    update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from updated, private.sign_up_profile(sent) f where p.id = updated.user_id
  )
  select exists (select from updated)
$function$;

CREATE OR REPLACE FUNCTION public.update_sign_up(email text, sent jsonb)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.update_sign_up(email, sent) $function$;

grant execute on function private.update_sign_up(text,jsonb) to service_role;

grant execute on function public.update_sign_up(text,jsonb) to service_role;

set check_function_bodies = on;
