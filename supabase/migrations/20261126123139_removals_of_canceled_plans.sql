-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status not in ('active', 'trialing'),
        'until', case when private.is_paid_for(s) then least(s.ends_at, s.period_to) end, 'awaits', s.awaits_payment,
        -- Nothing is to be stopped, and no email says that it is.
        'canceled', s.status in ('active', 'trialing') and s.ends_at <= s.period_to)
      from public.subscriptions s
      where s.place_id = place.id and s.owner = place.owner and not s.surplus
        and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
      order by s.started_at desc, s.id limit 1),
    'jobs', (select count(*) from public.jobs j
      where j.place_id = place.id and j.owner = place.owner and j.paid and j.published and j.filled_at is null
        and j.expiration_date > now()),
    'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
      from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = place.id and s.owner = place.owner and p.held_until is null
        and p.weekday_date > private.today()))
$function$;

set check_function_bodies = on;
