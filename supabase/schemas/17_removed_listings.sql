-- What happens to the plan of a listing that leaves the directory, or of an account that does. The plan stops, so
-- that no one is charged for a listing that no one can find: at the end of the period that is paid for, or at once
-- while a payment is owed. Jobs and booked newsletters are up to their owner, who reads about them in the email that
-- the listing was removed.

-- ---------------------------------------------------------------- functions

-- What the email that a listing was removed says about what its owner pays for: {owned, requested, plan, jobs,
-- newsletters}. Jobs are those that are live.
create function private.about_removal(place public.places, requested boolean) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status in ('past_due', 'unpaid'),
        'until', case when private.is_paid_for(s) and not private.period_is_returned(s) then private.paid_until(s) end,
        'awaits', s.awaits_payment,
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
$$;

-- Queues an email to each former owner of listings that were removed who has booked them for newsletters to come: the
-- email to the owner is only about what is theirs.
create function private.enqueue_booked_removals(place_ids bigint[], due timestamptz) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.email_queue (recipient, kind, key, next_try_at, data)
  select f.id, 'booked-listing-removed', format('booked-listing-removed:%s:%s:%s', p.id, p.version, s.id), due,
    jsonb_build_object('sponsorship_id', s.id, 'place_id', p.id, 'newsletters', b.dates,
      'listing', (select max(o.item_name) from public.orders o where o.sponsorship_id = s.id and o.paid_at is not null))
  from public.places p
  join public.sponsorships s on s.place_id = p.id and s.owner is distinct from p.owner
  join public.profiles f on f.id = s.owner and f.id is distinct from private.user_id()
  cross join lateral (select jsonb_agg(d.weekday_date order by d.weekday_date) as dates
    from public.sponsorship_spots d
    where d.sponsorship_id = s.id and d.held_until is null and d.weekday_date > private.today()) b
  where p.id = any (place_ids) and p.status = 'archived' and b.dates is not null
  on conflict do nothing
$$;

-- Whether a plan is charged again: for its next period, or for the one that is owed, whatever it is set to end with.
create function private.is_charged_again(s public.subscriptions) returns boolean
language sql immutable set search_path = ''
as $$
  select not s.surplus and (s.status in ('past_due', 'unpaid', 'paused')
    or s.status in ('active', 'trialing') and coalesce(s.ends_at > s.period_to, s.ends_at is null))
$$;

-- Subscriptions that would go on being charged for a listing that was removed, even when a former owner pays; and those
-- whose first payment has failed after their listing had gone to someone else, for which it buys nothing. Only
-- once the removal can't be undone anymore, and not while a large decision, or the undo of one, is being continued.
-- Includes those that are older than the orders, which are stored only with their listing.
create function private.plans_to_stop() returns setof text
language sql stable security definer set search_path = ''
as $$
  with running as (
    select s.id, s.place_id from public.subscriptions s where private.is_charged_again(s)
      -- Or renewed, whose bill may still be a draft: Stripe charges it, whatever ends with it.
      or s.status = 'active' and not s.surplus and s.period_from > now() - private.longest_draft()
    union all
    select p.stripe_subscription_id, p.id from public.places p
      where p.status = 'archived' and (p.subscription_ends_at is null or p.subscription_status in ('past_due', 'unpaid'))
        and p.subscription_status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
        and not exists (select from public.subscriptions s where s.id = p.stripe_subscription_id)
  )
  select r.id from running r join public.places p on p.id = r.place_id
  where p.status = 'archived'
    and not exists (select from private.decision_rows d join private.decision_batches b on b.id = d.batch_id
      where d.place_id = p.id and d.outcome = 'done' and d.undone is null and b.action = 'archive'
        and (private.decision_emails_due(b.decided_at) > clock_timestamp()
          or b.expires_at > now() and (b.undone_at is not null or exists (select from private.decision_rows o
            where o.batch_id = b.id and o.outcome is null))))
  union
  select s.id from public.subscriptions s where s.status in ('past_due', 'unpaid') and private.has_left_unpaid(s)
  order by 1
$$;
create function public.plans_to_stop() returns setof text
language sql stable set search_path = ''
as $$ select * from private.plans_to_stop() $$;

-- Subscriptions to cancel because their payer has asked for what ends them, and would be charged before that happens:
-- two days before their next charge, so that a payer who changes their mind before then finds the plan as it was.
-- What is owed is not collected anymore. Includes those that were just renewed and whose bill may still be a draft
-- (`renewed`): they are canceled only while it is one.
create function private.plans_to_cancel() returns table (id text, renewed boolean)
language sql stable security definer set search_path = ''
as $$
  select s.id, not d.due from public.subscriptions s cross join lateral (
      select private.is_charged_again(s)
        and (s.status not in ('active', 'trialing') or s.period_to < now() + interval '2 days') as due) d
    where (d.due or s.status = 'active' and not s.surplus and s.period_from > now() - private.longest_draft())
      and private.plan_leaves_with(s) is not null
    order by s.id
$$;
create function public.plans_to_cancel() returns table (id text, renewed boolean)
language sql stable set search_path = ''
as $$ select * from private.plans_to_cancel() $$;

-- When a plan's payer asked for what ends it, or when its listing was removed, if no one had asked. Null when neither
-- happened.
create function private.plan_leaves_since(s public.subscriptions) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
declare
  requested timestamptz;
  removed public.audit_log;
begin
  if private.plan_leaves_with(s) = 'account' then
    return (select d.requested_at from private.account_deletions d where d.user_id = s.owner);
  end if;
  select max(a.at) into requested from public.audit_log a
    where a.subject = 'places' and a.subject_id = s.place_id::text and private.is_state_change(a.after)
      and a.after @> '{"archive_requested": true}';
  if private.plan_leaves_with(s) = 'listing' then
    return requested;
  end if;
  select a.* into removed from public.places p
      join public.audit_log a on a.subject = 'places' and a.subject_id = p.id::text and private.is_state_change(a.after)
        and a.after @> '{"status": "archived"}'
    where p.id = s.place_id and p.status = 'archived' order by a.at desc, a.id desc limit 1;
  return case when removed.before @> '{"archive_requested": true}' then requested else removed.at end;
end $$;

-- Requests the refund of a renewal that was charged, from an older draft, after what ends the plan was asked for or
-- decided: for a while, a removal can be undone, and no plan is stopped. For the service, right before it stops a
-- plan of plans_to_stop or plans_to_cancel. True when there is such a renewal: then the plan ends now. (For a
-- subscription that is older than the orders, the team makes the refund.)
create function private.refund_late_renewals(subscription text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  late text[];
begin
  select array_agg(p.id) into late
    from (select f.id, private.plan_leaves_since(f) as since from public.subscriptions f
        where f.id = refund_late_renewals.subscription) s
      join public.payments p on p.subscription_id = s.id
    where p.reason = 'renewal' and p.cents > 0 and p.order_id is not null and p.paid_at > s.since
      and p.period_from > s.since - private.longest_draft() and p.dispute is distinct from 'open'
      and p.dispute is distinct from 'lost'
      -- Of a plan that went on for months after that, as the only admin's or that of someone else, what is used up stays.
      and p.period_to > now();
  perform private.add_refund(payment, null, 'plan-ends') from unnest(late) payment
    -- One that failed is tried again, and not made a second time.
    where not exists (select from public.refunds r where r.payment_id = payment and r.status = 'failed');
  return late is not null;
end $$;
create function public.refund_late_renewals(subscription text) returns boolean
language sql volatile set search_path = ''
as $$ select private.refund_late_renewals(subscription) $$;

-- When we stop the plan of a listing that was removed, its payer gets one email: that the plan will end, or has
-- ended. They get another one when the listing came back with its plan and is removed again. True when this is such a
-- change; then no other email about it is true.
create function private.enqueue_stopped_plan(was public.subscriptions, is_now public.subscriptions, by_us boolean)
returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  live constant boolean := private.subscription_is_live(is_now.status);
begin
  if not by_us or (live and is_now.ends_at is null)
    or not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    return false;
  end if;
  if not live or is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, null, 'plan-stopped',
      format('plan-stopped:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      jsonb_build_object('subscription', is_now.id, 'listing', private.plan_listing_name(is_now.id),
        'ends_at', case when live then is_now.ends_at end,
        -- It ended for that, and not for a bill that is owed (private.refund_late_renewals).
        'refunded', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
          where p.subscription_id = is_now.id and r.reason = 'plan-ends'),
        'awaits_renewal', is_now.awaits_payment, 'awaited', live and not private.is_paid_for(is_now),
        'paused', coalesce(was.status = 'paused', false)));
  end if;
  return true;
end $$;

-- ---------------------------------------------------------------- grants

grant execute on function
  private.plans_to_stop(),
  public.plans_to_stop(),
  private.plans_to_cancel(),
  public.plans_to_cancel(),
  private.refund_late_renewals(text),
  public.refund_late_renewals(text)
  to service_role;
