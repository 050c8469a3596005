/** What is true whenever no one is acting. Each query lists what contradicts its sentence. */
const LIVE = "paid_at is not null and o.refund_reason is null and o.revoked_at is null";

export const invariants: Record<string, string> = {
  "a newsletter's counts are its spots": `
    select d.weekday_date from public.sponsorship_dates d
    left join public.sponsorship_spots s on s.weekday_date = d.weekday_date
    group by d.weekday_date having d.held_count <> count(s.held_until)
      or d.paid_count <> count(s.sponsorship_id) - count(s.held_until)`,
  "a listing has one spot in a newsletter": `
    select s.place_id, p.weekday_date from public.sponsorship_spots p
    join public.sponsorships s on s.id = p.sponsorship_id
    where p.held_until is null or p.held_until > now() group by 1, 2 having count(*) > 1`,
  "no one holds spots for the listing of someone else": `
    select s.id from public.sponsorship_spots h join public.sponsorships s on s.id = h.sponsorship_id
    join public.places p on p.id = s.place_id where h.held_until > now() and s.owner is distinct from p.owner`,
  "a paid sponsorship's dates are its spots": `
    select s.id from public.sponsorships s where s.paid and s.sponsorship_dates is distinct from array(
      select p.weekday_date from public.sponsorship_spots p where p.sponsorship_id = s.id order by 1)`,
  "an unpaid sponsorship has no sold spot": `
    select s.id from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
    where not s.paid and p.held_until is null and p.weekday_date > current_date`,
  "a sponsorship has no date that was not paid for": `
    select o.id from public.orders o join public.sponsorships s on s.id = o.sponsorship_id
    where s.paid and o.${LIVE} and not s.sponsorship_dates <@ o.item_dates`,
  "what was paid for is marked as paid": `
    select o.id from public.orders o left join public.sponsorships s on s.id = o.sponsorship_id
    left join public.jobs j on j.id = o.job_id where o.${LIVE} and not coalesce(s.paid, j.paid, true)`,
  "what is marked as paid was paid for": `
    select s.id from public.sponsorships s where s.paid
      and not exists (select from public.orders o where o.sponsorship_id = s.id and o.${LIVE})
    union all select j.id from public.jobs j where j.paid
      and not exists (select from public.orders o where o.job_id = j.id and o.${LIVE})`,
  "a sponsorship is paid for once": `
    select o.sponsorship_id from public.orders o where o.sponsorship_id is not null and o.${LIVE}
    group by 1 having count(*) > 1`,
  "no more is refunded than was paid": `
    select p.id from public.payments p where p.cents < (select coalesce(sum(r.cents), 0) from public.refunds r
      where r.payment_id = p.id and r.status in ('requested', 'pending', 'succeeded'))`,
  "a listing is Featured exactly while a plan keeps it so": `
    select p.id from public.places p where p.premium <> exists (select from public.subscriptions s
      where s.place_id = p.id and not s.surplus and private.keeps_featured(s))`,
  "one plan keeps a listing Featured": `
    select place_id from public.subscriptions s where not s.surplus and private.keeps_featured(s)
    group by 1 having count(*) > 1`,
  "a listing has a customer only while its owner pays": `
    select p.id from public.places p where p.stripe_cus_id is not null and not exists (
      select from public.subscriptions s where s.id = p.stripe_subscription_id and s.owner = p.owner)`,
  "someone has one first month": `
    select o.owner from public.orders o where o.owner is not null and o.kind = 'upgrade' and o.coupon is not null
      and o.paid_at is not null and o.refund_reason is null group by 1 having count(*) > 1`,
  "no one is asked to pay for the listing of someone else": `
    select o.id from public.orders o join public.places p on p.id = o.place_id
    where o.paid_at is null and o.status in ('open', 'expired', 'failed') and o.owner is distinct from p.owner`,
  "listings and jobs have the address of their owner's account": `
    select p.id from public.places p join auth.users u on u.id = p.owner where p.owner_email is distinct from u.email
    union all select j.id from public.jobs j join auth.users u on u.id = j.owner
      where j.owner_email is distinct from u.email`,
  "an owner invites managers, and others": `
    select m.place_id from public.listing_managers m join public.places p on p.id = m.place_id
      where p.owner = m.profile_id or m.invited_by is distinct from p.owner
    union all select i.place_id from public.manager_invitations i join public.places p on p.id = i.place_id
      where i.accepted_at is null and i.withdrawn_at is null and i.invited_by is distinct from p.owner`,
  "emails about leads go to those who may read them": `
    select q.id from private.email_queue q join public.leads l on l.id = (q.data ->> 'lead_id')::bigint
    join public.places p on p.id = l.place_id where q.kind = 'new-lead' and q.sent_at is null
      and not private.is_outdated(q.kind, q.data, q.recipient)
      and (p.leads_from > l.created_at or (q.recipient is distinct from p.owner and not exists (
        select from public.listing_managers m where m.place_id = p.id and m.profile_id = q.recipient)))`,
  "approved values are kept exactly while an edit waits": `
    select id from public.places where (status = 'pending-update' and last_update = '{}')
      or (status = 'published' and last_update <> '{}')`,
  "counts are exact": `
    select 'favorites' from public.place_stats s
      where s.favorites <> (select count(*) from public.favorites f where f.place_id = s.place_id)
    union all select 'positions' from private.position_counts c
      where c.people <> (select count(*) from private.user_positions u where (u.lat, u.long) = (c.lat, c.long))
    union all select 'users' where (select count(*) from public.profiles)
      <> (select coalesce(sum(amount), 0) from private.counters where name = 'users:count')
    union all select 'paid jobs' where (select count(*) from public.jobs where paid)
      <> (select coalesce(sum(amount), 0) from private.counters where name = 'jobs:paid')
    union all select 'listings' from (select status, count(*) as rows from public.places group by 1) p
      where p.rows is distinct from (select v.amount from private.counter_values('places:') v where v.name = p.status)`,
  "the team has an admin": "select 1 where not exists (select from public.profiles where admin)",
};
