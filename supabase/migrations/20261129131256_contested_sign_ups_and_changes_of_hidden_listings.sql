-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.end_ownership()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  removed integer;
  withdrawn integer;
begin
  delete from public.listing_managers m where m.place_id = new.id;
  get diagnostics removed = row_count;
  update public.manager_invitations i set withdrawn_at = now()
    where i.place_id = new.id and i.accepted_at is null and i.withdrawn_at is null;
  get diagnostics withdrawn = row_count;
  if removed + withdrawn > 0 then
    perform private.log_action('end-managing', 'places', new.id::text,
      jsonb_build_object('managers', removed, 'invitations', withdrawn));
  end if;
  delete from private.email_queue n where n.place_id = new.id and n.sent_at is null
    and (n.kind in ('new-lead', 'listing-approved') or not exists (select from public.profiles p where p.id = old.owner));
  update private.email_queue n set recipient = old.owner, place_id = null
    where n.place_id = new.id and n.sent_at is null;
  update private.decision_rows r set before = null where r.place_id = new.id and r.before is not null;
  delete from public.listing_drafts d where d.owner = old.owner and d.form = '/listings/' || new.id;
  if old.owner is distinct from private.user_id() then
    perform private.enqueue_email(old.owner, null, 'listing-left', format('listing-left:%s:%s', new.id, new.version),
      jsonb_build_object('place_id', new.id, 'name', old.name, 'given', new.owner is not null,
        -- Their edit that waited is dropped (private.part_from_owner), whatever it was to remove.
        'edited', old.status = 'pending-update' and not old.hidden,
        -- What was approved is seen again once the next owner shows it.
        'edited_hidden', old.status = 'pending-update' and old.hidden,
        'plan', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and private.is_charged_again(s)
          and (private.is_paid_for(s) or not s.awaits_payment)),
        -- Its first payment, by bank debit: fulfill_order has it refunded.
        'awaited', exists (select from public.subscriptions s where s.place_id = new.id and s.owner = old.owner
          and private.subscription_is_live(s.status) and s.awaits_payment and not private.is_paid_for(s)),
        'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
          from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
          where s.place_id = new.id and s.owner = old.owner and p.held_until is null and p.weekday_date > private.today()),
        -- They go with it (private.move_jobs).
        'jobs', (select count(*) from public.jobs j where j.place_id = new.id and j.owner = old.owner and j.paid
          and j.expiration_date > now())));
  end if;
  return null;
end $function$;

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
    update private.sign_ups s set proof = null, recognized = false
    where s.user_id = (select w.id from waiting w) and s.proof <> sent ->> 'sign_up_proof'
  ), changed as (
    update public.profiles p set full_name = f.full_name, phone = f.phone, pronouns = f.pronouns, postalcode = f.postalcode
    from updated, private.sign_up_profile(sent) f where p.id = updated.user_id
  )
  select exists (select from updated)
$function$;

set check_function_bodies = on;
