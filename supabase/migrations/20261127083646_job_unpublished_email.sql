-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.email_unpublished_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.owner <> private.user_id() and private.is_admin() then
    perform private.enqueue_email(new.owner, null, 'job-unpublished', format('job-unpublished:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', new.title));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb, recipient uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when kind in ('subscription-canceled', 'plan-stopped') then exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status))
    when kind = 'sponsorship-confirmed' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates')
    when kind = 'booked-listing-removed' then not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and data -> 'newsletters' ? d.weekday_date::text)
    when kind = 'feature-unseen' then not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and is_outdated.data -> 'dates' <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null))
    when kind = 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz))
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'))
    when kind = 'job-unpublished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and not j.published)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'manager-joined' then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE TRIGGER t4_email_unpublished AFTER UPDATE ON public.jobs FOR EACH ROW WHEN ((old.published AND (NOT new.published) AND new.paid AND (new.owner = old.owner) AND (new.expiration_date > now()))) EXECUTE FUNCTION private.email_unpublished_job();

set check_function_bodies = on;
