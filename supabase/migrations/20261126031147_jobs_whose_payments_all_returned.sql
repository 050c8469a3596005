-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.revoke_order(bought public.orders)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid_again boolean;
  later_days integer;
begin
  if bought.kind = 'job' then
    -- The days of later orders come after its own: at most what is left before them has not been used.
    select coalesce(bool_or(true), false),
        coalesce(sum(o.days) filter (where (o.paid_at, o.id) > (bought.paid_at, bought.id)), 0)
      into paid_again, later_days
      from public.orders o where o.job_id = bought.job_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null;
    -- Only its unused days are removed, never what other orders have paid for. A job without other days is unpaid
    -- again. (One that is older than the orders may have days of before.)
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.ends end
      from (
        select o.id, o.ends, paid_again or o.ends > now() as live
        from (
          select r.id, r.expiration_date - least(make_interval(days => bought.days), greatest(interval '0',
            r.expiration_date - make_interval(days => later_days) - now())) as ends
          from public.jobs r where r.id = bought.job_id
        ) o
      ) rest
      where j.id = rest.id and j.paid;
  elsif bought.kind = 'sponsorship' and not exists (select from public.orders o
      where o.sponsorship_id = bought.sponsorship_id and o.id <> bought.id
        and o.paid_at is not null and o.revoked_at is null and o.refund_reason is null) then
    -- Newsletters that were sent keep their sponsor. Spots in future ones are free again. (Those of another order,
    -- which paid for new dates after these were canceled, are not its to revoke.)
    perform 1 from public.sponsorship_dates d where d.weekday_date in
      (select s.weekday_date from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id)
      order by d.weekday_date for update;
    delete from public.sponsorship_spots s where s.sponsorship_id = bought.sponsorship_id
      and s.weekday_date > private.today();
    update public.sponsorships s set paid = false where s.id = bought.sponsorship_id and s.paid;
  end if;
end $function$;

set check_function_bodies = on;
