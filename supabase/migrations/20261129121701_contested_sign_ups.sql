-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.update_sign_up(email text, sent jsonb)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with waiting as (
    select u.id from auth.users u where u.email = lower(update_sign_up.email) and not u.is_sso_user
      and u.email_confirmed_at is null
  ), updated as (
    update private.sign_ups s set answers = private.sign_up_answers(sent)
    where s.user_id = (select w.id from waiting w) and s.proof = sent ->> 'sign_up_proof'
      -- (Both as ISO 8601 in UTC. Text, because anyone can send anything to the auth service.)
      and coalesce(s.answers ->> 'sent_at', '') collate "C" < sent ->> 'sent_at'
    returning s.user_id
  ), contested as (
    update private.sign_ups s set proof = null
    where s.user_id = (select w.id from waiting w) and s.proof <> sent ->> 'sign_up_proof'
  ), changed as (
    update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from updated, private.sign_up_profile(sent) f where p.id = updated.user_id
  )
  select exists (select from updated)
$function$;

set check_function_bodies = on;
