-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.deletion_effects(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'admin', p.admin, 'self', p.id = private.user_id(),
      'places', (select count(*) from public.places l where l.owner = p.id),
      -- Live subscriptions: their own, and those that only their listing refers to.
      'subscriptions', (
        select count(*) from (
          select s.id from public.subscriptions s
            where s.owner = p.id and s.status not in ('canceled', 'incomplete_expired')
          union
          select l.stripe_subscription_id from public.places l
            where l.owner = p.id and l.stripe_subscription_id is not null
              and coalesce(l.subscription_status, '') not in ('canceled', 'incomplete_expired')
              and not exists (select from public.subscriptions s
                where s.id = l.stripe_subscription_id)) paid),
      'jobs', (select count(*) from public.jobs j where j.owner = p.id),
      -- Those of which a newsletter is still to come.
      'sponsorships', (select count(distinct d.sponsorship_id) from public.sponsorships s
        join public.sponsorship_spots d on d.sponsorship_id = s.id
        where s.owner = p.id and d.held_until is null and d.weekday_date > private.today()),
      'leads', (select count(*) from public.leads l where l.requester = p.id),
      'favorites', private.favorites_in_tens(p.id),
      'feedback', (select count(*) from public.feedback f where f.userid = p.id))
    from public.profiles p where p.id = deletion_effects.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.email_unpublished_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Of someone else: guard_job lets only an admin do that.
  if new.owner <> private.user_id() then
    perform private.enqueue_email(new.owner, null, 'job-unpublished', format('job-unpublished:%s:%s', new.id, new.version),
      jsonb_build_object('job_id', new.id, 'title', new.title));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcomes text[];
  -- Whether a job goes public with it: with its first payment, and when it had expired before it was paid for again.
  begins constant boolean := (select not j.paid or j.expiration_date <= coalesce(bought.opened_at, bought.created_at)
    from public.jobs j where j.id = bought.job_id);
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  elsif exists (select from private.account_deletions d where d.user_id = bought.owner) then
    -- It would end with their account. (open_order refuses it; this one was open already.)
    return 'account-ends';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or p.status = 'archived'
        -- open_order sells no plan for a listing that is to be removed.
        or bought.kind = 'upgrade' and p.archive_requested)) then
    return 'changed';
  -- Our team has taken a job from its owner, who must not publish it. (Of a job of no one, the team itself can pay.)
  elsif bought.kind = 'job' and begins and exists (select from public.jobs j join public.profiles p on p.id = bought.owner
    where j.id = bought.job_id and j.owner is null and not p.admin) then
    return 'changed';
  -- As open_order refuses it: no one would see the job. (More days of one that was live are added to it.)
  elsif bought.kind = 'job' and begins and not private.job_names_company(bought.job_id) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    -- More days of a job that was live leave it as its owner has it: unpublished or filled, also while the payment was on
    -- its way.
    update public.jobs j set paid = true, published = j.published or begins,
        filled_at = case when not begins then j.filled_at end,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      where j.id = bought.job_id;
  elsif bought.kind = 'sponsorship' then
    if exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id and s.paid) then
      return 'paid-twice';
    elsif exists (select 1 from public.sponsorships s where s.id = bought.sponsorship_id
      and s.order_total * 100 <> bought.price_cents) then
      return 'changed';
    end if;
    select array_agg(d.outcome) filter (where d.outcome <> 'paid') into outcomes
      from private.pay_sponsorship_dates(bought.sponsorship_id) d;
    if outcomes is not null then
      return case when 'past' = any (outcomes) then 'too-late' when 'blocked' = any (outcomes) then 'blocked'
        else 'dates-gone' end;
    end if;
  elsif exists (select 1 from public.subscriptions s where s.place_id = bought.place_id and not s.surplus
    and s.id is distinct from bought.stripe_subscription_id and private.subscription_is_live(s.status)) then
    return 'paid-twice';
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

CREATE OR REPLACE FUNCTION private.record_refunds(payment text, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  fact jsonb;
  known public.refunds;
  after public.refunds;
  paid public.payments;
  asked public.refunds;
  is_new boolean;
  left_cents bigint;
begin
  select * into paid from public.payments p where p.id = payment;
  -- What failed first: what the team has made since stands for it.
  for fact in select one.fact from jsonb_array_elements(facts) one (fact)
    order by one.fact ->> 'status' = 'failed' desc loop
    -- Another attempt has followed.
    continue when exists (select from private.returned_refunds b where b.stripe_id = fact ->> 'id');
    select * into known from public.refunds r where r.stripe_id = fact ->> 'id';
    if known.id is null and fact ->> 'refund' is not null then
      select * into known from public.refunds r where r.id::text = fact ->> 'refund' and r.payment_id = payment;
      -- The answer to an attempt that failed before.
      continue when known.id is not null
        and (known.stripe_id is not null or known.attempt > coalesce((fact ->> 'attempt')::integer, 1));
    end if;
    is_new := known.id is null or (known.stripe_id is null and known.attempt = 1);
    if known.id is null then
      insert into public.refunds (payment_id, stripe_id, cents, status, reason, made_at, failed_at)
      values (payment, fact ->> 'id', (fact ->> 'cents')::bigint, fact ->> 'status', 'elsewhere',
        (fact ->> 'made_at')::timestamptz, case when fact ->> 'status' = 'failed' then now() end)
      returning * into after;
    else
      update public.refunds r set stripe_id = fact ->> 'id', status = fact ->> 'status', modified_at = now(),
          made_at = (fact ->> 'made_at')::timestamptz,
          failed_at = case when fact ->> 'status' = 'failed' then now() else r.failed_at end
        where r.id = known.id and (r.stripe_id, r.status) is distinct from (fact ->> 'id', fact ->> 'status')
          and not (private.was_returned(r) and fact ->> 'status' = 'failed')
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      -- One that was made elsewhere is no news when it is found after the money has arrived, as by the first reconciliation.
      if after.reason <> 'elsewhere' or after.made_at > now() - interval '10 days' then
        perform private.enqueue_email(paid.owner, null, 'payment-returned',
          format('payment-returned:%s:%s', paid.order_id, after.id),
          jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason,
            -- With the last cent, the order loses what it bought (revoke_order); but a plan goes on.
            'full', after.reason in ('team', 'elsewhere') and paid.cents <= (select sum(r.cents) from public.refunds r
              where r.payment_id = payment and r.status in ('pending', 'succeeded')),
            'continues', exists (select from public.subscriptions s join public.places l on l.id = s.place_id
              where s.id = paid.subscription_id and private.is_charged_again(s) and private.plan_leaves_with(s) is null
                and l.status <> 'archived')));
      end if;
      if is_new and after.reason in ('team', 'elsewhere') then
        update public.refunds r set status = 'canceled', modified_at = now()
          where r.id = (select f.id from public.refunds f
            where f.payment_id = payment and f.status = 'failed' and f.cents = after.cents
              and f.failed_at <= after.created_at
            order by f.failed_at, f.id limit 1);
      end if;
    end if;
  end loop;
  left_cents := paid.cents - coalesce((select sum(o.cents) from public.refunds o
    where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
  -- What failed and doesn't fit anymore is tried again as far as it fits, unless something is left of the order: refunded in
  -- full, it would lose that. (The row keeps what was returned, for the books.)
  with dropped as (
    update public.refunds r set status = 'canceled', modified_at = now()
      where r.payment_id = payment and r.status = 'failed' and r.cents > left_cents returning r.*
  )
  insert into public.refunds (payment_id, cents, status, reason, note, requested_by)
    select d.payment_id, left_cents, 'failed', d.reason, d.note, d.requested_by from dropped d
    where left_cents > 0 and exists (select from public.orders o
      where o.id = paid.order_id and (o.kind = 'upgrade' or o.revoked_at is not null))
    order by d.cents desc, d.id limit 1;
  for asked in select * from public.refunds r
    where r.payment_id = payment and r.status = 'requested' order by r.created_at, r.id loop
    if asked.cents > left_cents and asked.reason = 'canceled' and left_cents > 0 then
      -- The provider takes another amount for another attempt only.
      update public.refunds r set cents = left_cents, attempt = r.attempt + 1, modified_at = now() where r.id = asked.id
        returning * into asked;
    elsif asked.cents > left_cents then
      update public.refunds r set status = 'canceled', modified_at = now() where r.id = asked.id;
      continue;
    end if;
    left_cents := left_cents - asked.cents;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.request_my_deletion()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due timestamptz;
  asked timestamptz;
begin
  if private.is_last_admin(private.user_id()) then
    perform private.refuse('only_admin');
  end if;
  insert into private.account_deletions (user_id) values (private.user_id()) on conflict do nothing;
  if found then
    -- Each new request sends an email.
    perform private.enforce_limit('too_many_deletion_requests', 'deletion request by ' || private.user_id(), 5, 86400);
  end if;
  select d.due_at, d.requested_at into due, asked from private.account_deletions d where d.user_id = private.user_id();
  -- The date alone is the same for another request of the same day. (As a number, since a caller chooses the time zone
  -- in which a time is written, and each would be another email.)
  perform private.enqueue_email(private.user_id(), null, 'account-deletion', 'account-deletion:' || private.user_id() || ':'
    || extract(epoch from asked),
    jsonb_build_object('due_at', due));
  return due;
end $function$;

CREATE OR REPLACE FUNCTION private.update_reports(ids bigint[], to_state text, note text, flag boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  note_text constant text := nullif(btrim(note, e' \t\r\n'), '');
  found_count bigint;
  changed_ids bigint[];
  items jsonb;
  flagged jsonb := '[]';
begin
  perform private.require_admin();
  perform private.validate_selection(ids);
  if to_state is null or to_state not in ('open', 'resolved', 'dismissed') then
    perform private.refuse('report_decision_unknown');
  elsif length(note_text) > 2000 then
    perform private.refuse('report_note_too_long', 'note');
  end if;
  perform 1 from public.events e where e.id = any (ids) order by e.id for update;
  get diagnostics found_count = row_count;
  -- Who waited may not be an admin any more.
  perform private.require_admin();
  perform set_config('app.audit_action', case to_state when 'resolved' then 'resolve' when 'dismissed'
    then 'dismiss' else 'reopen' end, true);
  with changed as (
    update public.events e set state = to_state, note = coalesce(note_text, e.note)
      where e.id = any (ids) and (e.state = 'open') <> (to_state = 'open')
      returning e.id
  )
  select coalesce(array_agg(c.id), '{}') into changed_ids from changed c;
  perform set_config('app.audit_action', '', true);

  if flag then
    select jsonb_agg(distinct jsonb_build_object('id', p.id, 'version', p.version)) into items
      from public.events e join public.places p on p.id = e.place where e.id = any (changed_ids);
    if items is not null then
      select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'name', 'outcome', r -> 'outcome',
        'reasons', r -> 'reasons', 'warnings', r -> 'warnings')), '[]')
        into flagged from json_array_elements(private.decide_listings(gen_random_uuid(), 'flag', null,
          items) -> 'rows') r;
    end if;
  end if;
  return jsonb_build_object('changed', cardinality(changed_ids), 'unchanged', found_count - cardinality(changed_ids),
    'missing', (select count(distinct id) from unnest(ids) id) - found_count, 'flagged', flagged);
end $function$;

CREATE OR REPLACE TRIGGER t2_email_unpublished AFTER UPDATE ON public.jobs FOR EACH ROW WHEN ((old.published AND (NOT new.published) AND new.paid AND (new.owner = old.owner) AND (new.expiration_date > now()))) EXECUTE FUNCTION private.email_unpublished_job();

set check_function_bodies = on;
