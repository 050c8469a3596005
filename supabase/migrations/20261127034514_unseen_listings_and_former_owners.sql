-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.admin_order(order_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (select jsonb_build_object('id', o.id, 'kind', o.kind, 'item_name', o.item_name,
      -- The first bill of a plan that has ended, or one that is tried again, may be on its way.
      'status', case when o.status = 'failed' and exists (select from public.subscriptions s
        where s.id = o.stripe_subscription_id and s.awaits_payment) then 'processing' else o.status end,
      'item_dates', o.item_dates, 'plan', o.plan, 'quantity', o.quantity, 'price_cents', o.price_cents,
      'currency', o.currency, 'coupon', o.coupon, 'created_at', o.created_at, 'paid_at', o.paid_at,
      'refund_reason', o.refund_reason, 'owner', o.owner, 'owner_name', f.full_name,
      'subscription', (select jsonb_build_object('status', s.status, 'ends_at', s.ends_at)
        from public.subscriptions s where s.id = o.stripe_subscription_id),
      'payments', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'reason', p.reason, 'cents', p.cents,
          'currency', p.currency, 'tax_cents', p.tax_cents, 'refunded_cents', p.refunded_cents,
          'left_cents', private.refundable_cents(p.id), 'paid_at', p.paid_at, 'dispute', p.dispute,
          'invoice_number', p.invoice_number, 'plan', coalesce(p.plan, o.plan),
          'refunds', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'cents', r.cents, 'status', r.status,
              'reason', r.reason, 'note', r.note, 'attempt', r.attempt, 'at', coalesce(r.made_at, r.created_at),
              'by', (select a.full_name from public.profiles a where a.id = r.requested_by and a.admin))
              order by r.created_at), '[]')
            from public.refunds r where r.payment_id = p.id))
          order by p.paid_at desc), '[]') from public.payments p where p.order_id = o.id))
    from public.orders o left join public.profiles f on f.id = o.owner where o.id = admin_order.order_id);
end $function$;

CREATE OR REPLACE FUNCTION private.decide_listings(batch uuid, action text, reason text, items jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
declare
  act constant text := action;
  note constant text := case when action = 'request-changes' then btrim(private.many_lines(coalesce(reason, '')),
      e' \t\r\n')
    when action = 'reject' then nullif(btrim(private.many_lines(reason), e' \t\r\n'), '') end;
  email_kind constant text := private.decision_email(act);
  decided private.decision_batches;
  due timestamptz;
  wanted bigint[];
  seen integer[];
  change text := case action
    when 'approve' then 'status = ''published'''
    when 'request-changes' then 'changes_requested = $4'
    when 'flag' then 'status = ''flagged'''
    when 'archive' then 'status = ''archived'', archive_requested = false'
    when 'reopen' then 'status = ''new'''
    when 'reject' then (select format('(%s, status) = (select %s, ''published'' from jsonb_populate_record(p, p.last_update) r)',
      string_agg(quote_ident(k), ', '), string_agg('r.' || quote_ident(k), ', '))
        from unnest(private.reviewed_columns()) k)
  end;
begin
  perform private.require_admin();
  if change is null then
    perform private.refuse('decision_unknown');
  elsif note = '' then
    perform private.refuse('change_request_empty', 'reason');
  elsif length(note) > 2000 then
    perform private.refuse('change_request_too_long', 'reason');
  end if;
  if items is not null then
    perform private.store_decision_batch(batch, items, null);
  end if;
  select * into decided from private.decision_batches b
    where b.id = batch and b.admin = private.user_id() and b.expires_at > now() for update;
  if not found then
    perform private.refuse('batch_expired');
  elsif decided.action is not null and (decided.action, decided.reason) is distinct from (act, note) then
    perform private.refuse('batch_already_decided');
  end if;

  select array_agg(r.place_id), array_agg(r.version) into wanted, seen from (
    select r.place_id, r.version from private.decision_rows r
    where r.batch_id = batch and r.outcome is null and decided.undone_at is null order by r.n limit 1000) r;
  if wanted is null then
    return private.batch_as_json(batch, null, null, 0, 1000);
  end if;
  -- Wait for other writers, always in the same order. The statements below see what they wrote, also
  -- about the caller, who may not be an admin any more.
  perform 1 from public.places p where p.id = any (wanted) order by p.id for no key update;
  perform private.require_admin();

  perform set_config('app.audit_action', act, true);
  execute format('
    with validated as materialized (
      select j.*, case when j.outcome = ''done'' then jsonb_build_object(''status'', p.status,
          ''last_update'', p.last_update, ''changes_requested'', p.changes_requested, ''modified_at'', p.modified_at)
        || case when p.archive_requested then jsonb_build_object(''archive_requested'', true) else ''{}'' end
        || case when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
            from (select to_jsonb(p) as row offset 0) edited, jsonb_object_keys(p.last_update) k)
          else ''{}'' end end as before
      from private.validate_decision($1, $4, $2, $3) j left join public.places p on p.id = j.place_id
    ), changed as (
      update public.places p set %s from validated j where j.place_id = p.id and j.outcome = ''done''
    )
    update private.decision_rows r set outcome = j.outcome, reasons = j.reasons, warnings = j.warnings, before = j.before
    from validated j where r.batch_id = $5 and r.place_id = j.place_id', change)
  using act, wanted, seen, note, batch;
  perform set_config('app.audit_action', '', true);

  if email_kind is not null then
    due := private.decision_emails_due(clock_timestamp());
    insert into private.email_queue (place_id, kind, key, next_try_at, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version), due,
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)
        || case act when 'archive' then private.about_removal(p, r.before ? 'archive_requested') else '{}' end)
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know what they decided about their own listing.
      and (act not in ('approve', 'archive') or p.owner is distinct from (select private.user_id()))
    on conflict do nothing;
    if act = 'archive' then
      perform private.enqueue_booked_removals(array(select r.place_id from private.decision_rows r
        where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'), due);
    end if;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null), due);
  end if;
  if act = 'reject' then
    insert into public.rejected_edits as k (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'archive_requested']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    -- One that its author hasn't used yet stays: the newer values and reason come first.
    on conflict (place_id) do update set rejected_at = excluded.rejected_at, edit = k.edit || excluded.edit,
      reason = nullif(left(concat_ws(e'\n\n', excluded.reason, nullif(k.reason, excluded.reason)), 2000), '');
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.decision_email_keys(batch uuid, action text, place_ids bigint[], undone text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- (In plpgsql, because the table of sponsorships comes later.)
  return array(select e.key from private.decision_rows r
    cross join lateral (
      select format('%s:%s:%s', private.decision_email(action), r.place_id, r.version + 1) as key
        where private.decision_email(action) is not null
      union all
      select format('booked-listing-removed:%s:%s:%s', r.place_id, r.version + 1, s.id) from public.sponsorships s
        where action = 'archive' and s.place_id = r.place_id) e
    where r.batch_id = batch and r.outcome = 'done' and (place_ids is null or r.place_id = any (place_ids))
      and r.undone is not distinct from decision_email_keys.undone);
end $function$;

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
      jsonb_build_object('name', old.name, 'given', new.owner is not null,
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

CREATE OR REPLACE FUNCTION private.enqueue_booked_removals(place_ids bigint[], due timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_expiring_job_emails()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(j.owner, null, 'job-expiring',
    'job-expiring:' || j.id || ':' || to_char(j.expiration_date at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS'),
    jsonb_build_object('job_id', j.id, 'title', j.title, 'expiration_date', j.expiration_date,
      'shown', private.job_names_company(j.id)))
  from public.jobs j
  where j.paid and j.published and j.filled_at is null and j.owner is not null
    and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing');
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_owner_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act <> 'form' or not private.is_admin() then
    return null;
  end if;
  insert into private.email_queue (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version),
    jsonb_build_object('place_id', n.id, 'name', n.name)
      || case k.kind when 'listing-removed'
        then jsonb_strip_nulls(private.about_removal((select p from public.places p where p.id = n.id), o.archive_requested)) else '{}' end
  from new_rows n join old_rows o on o.id = n.id
  -- (A listing that has left its owner loses the edit that waited, which no one has approved.)
  cross join lateral (select o.last_update <> '{}' and o.owner is not null and n.owner is distinct from o.owner
    as edit_left) w
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' and not w.edit_left then 'listing-approved'
      when n.status = 'archived' and o.status <> 'archived' then 'listing-removed'
      when exists (select from unnest(private.reviewed_columns()) c
        where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c
          and not (w.edit_left and o.last_update ? c)) then 'listing-edited'
    end as kind) k
  where k.kind is not null and n.owner is distinct from private.user_id()
  on conflict do nothing;
  perform private.enqueue_booked_removals(array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status = 'archived' and o.status <> 'archived'), now());
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_unseen_features();
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to,
        'credit', s.credit_cents, 'plus_tax', s.plus_tax))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and private.plan_leaves_with(s) is null and s.period_to > now() and s.period_to <= now() + interval '7 days'
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_unseen_features()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, null, 'feature-unseen', format('feature-unseen:%s:%s', s.id, private.week_of(now())),
      jsonb_build_object('sponsorship_id', s.id, 'business', l.name,
        'dates', jsonb_agg(p.weekday_date order by p.weekday_date)))
    from public.sponsorship_spots p
      join public.sponsorships s on s.id = p.sponsorship_id
      join public.places l on l.id = s.place_id and l.owner = s.owner
    where p.held_until is null and p.weekday_date > private.today()
      -- So that a week is left, whenever the last one was sent.
      and p.weekday_date <= private.today() + (select private.cancellation_days(null)) + 14
      and l.status <> 'archived' and l.modified_at < now() - interval '11 minutes'
      and not exists (select from private.public_places v where v.id = l.id)
    group by s.id, l.id
$function$;

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
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    when kind = 'manager-joined' then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'credit_cents', s.credit_cents, 'plus_tax', s.plus_tax, 'awaits_payment', s.awaits_payment, 'status', s.status, 'removed', p.status = 'archived',
      'paid', private.is_paid_for(s),
      'leaves_with', private.plan_leaves_with(s)) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and private.subscription_is_live(s.status)
$function$;

CREATE OR REPLACE FUNCTION private.plan_facts(s public.subscriptions)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('kind', 'upgrade', 'subscription', s.id, 'listing', private.plan_listing_name(s.id),
      'place', own.id, 'shown', own.id is null or exists (select from private.public_places v where v.id = own.id))
    from (select (select p.id from public.places p
      where p.id = s.place_id and p.owner = coalesce(s.owner, p.owner)) as id) own
$function$;

CREATE OR REPLACE FUNCTION private.record_payments(of_order public.orders, of_subscription text, ended_at timestamp with time zone, facts jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  payer constant uuid := coalesce(of_order.owner,
    (select s.owner from public.subscriptions s where s.id = of_subscription));
  known_subscription constant text := (select s.id from public.subscriptions s where s.id = of_subscription);
  fact jsonb;
  before public.payments;
  after public.payments;
  about jsonb;
  -- A bank debit is charged days before it arrives.
  arrived timestamptz;
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
    arrived := coalesce(fact ->> 'arrived_at', fact ->> 'paid_at');
    select * into before from public.payments p where p.id = fact ->> 'id' for update;
    insert into public.payments as p (id, kind, reason, owner, order_id, subscription_id, cents, tax_cents, currency,
      invoice_id, invoice_number, period_from, period_to, paid_at, plan)
    values (fact ->> 'id', coalesce(of_order.kind, 'upgrade'), fact ->> 'reason', payer, of_order.id,
      known_subscription, (fact ->> 'cents')::bigint, coalesce((fact ->> 'tax_cents')::bigint, 0), fact ->> 'currency',
      fact ->> 'invoice', fact ->> 'number', (fact ->> 'period_from')::timestamptz,
      (fact ->> 'period_to')::timestamptz, (fact ->> 'paid_at')::timestamptz, fact ->> 'plan')
    on conflict (id) do nothing;
    if jsonb_typeof(fact -> 'refunds') = 'array' then
      perform private.record_refunds(fact ->> 'id', fact -> 'refunds');
    end if;
    update public.payments p set plan = coalesce(p.plan, fact ->> 'plan'),
        refunded_cents = least(p.cents, coalesce((select sum(r.cents) from public.refunds r
          where r.payment_id = p.id and r.status in ('pending', 'succeeded')), 0)),
        dispute = fact -> 'dispute' ->> 'state',
        disputed_cents = coalesce((fact -> 'dispute' ->> 'cents')::bigint, 0),
        disputed_at = (fact -> 'dispute' ->> 'opened_at')::timestamptz,
        -- The provider does not say when it was closed.
        dispute_closed_at = case when fact -> 'dispute' ->> 'state' in ('won', 'lost')
          then coalesce(p.dispute_closed_at, now()) end
      where p.id = fact ->> 'id' returning * into after;
    any_changed := any_changed or after is distinct from before;
    -- A bank debit arrives for a plan that has ended: no one has anything of it. (What was paid before the end is recorded
    -- late, too, as by the first reconciliation.)
    if before.id is null and of_order.id is not null and after.cents > 0 and arrived > ended_at then
      perform private.add_refund(after.id, null, case when payer is null then 'canceled' else 'changed' end);
    elsif before.id is null and after.reason <> 'purchase' and arrived > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from, 'to', after.period_to)
        || coalesce((select private.plan_facts(s) || jsonb_build_object('credit', s.credit_cents,
            -- A bank debit can arrive after that.
            'ended', s.status in ('canceled', 'incomplete_expired'))
          from public.subscriptions s where s.id = of_subscription), '{}');
      if after.reason = 'renewal' then
        perform private.enqueue_email(payer, null, 'subscription-renewed', 'subscription-renewed:' || after.id, about);
      else
        perform private.enqueue_email(payer, null, 'plan-changed', 'plan-changed:' || after.id, about);
      end if;
    end if;
    if after.dispute = 'open' and before.dispute is distinct from 'open' then
      perform private.enqueue_team_email('payment-disputed', 'payment-disputed:' || after.id,
        jsonb_build_object('order', after.order_id, 'kind', after.kind, 'cents', after.disputed_cents));
    end if;
  end loop;
  return any_changed;
end $function$;

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant text := nullif(current_setting('request.jwt.claims', true), '');
  caller uuid;
begin
  if current_setting('app.live_session', true) = claims then
    return auth.uid();
  end if;
  caller := (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null
      and ((s.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
        or not exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified')));
  if caller is not null and current_setting('transaction_read_only') = 'on' then
    perform set_config('app.live_session', claims, true);
  end if;
  return caller;
end $function$;

CREATE OR REPLACE FUNCTION public.my_counts()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'listings', (
      select count(private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])))
      from (
        select * from public.places o where o.owner = (select private.user_id())
          or (o.owner is null and o.owner_email = (select private.my_email()))
        union all select * from private.managed_listings()) p)
      + (select count(*) from public.listing_drafts d where d.owner = (select private.user_id()) and d.form is null),
    'leads', private.count_new_leads(),
    'jobs', (
      select count(*) from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
        and (not j.paid or (j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
          and exists (select from public.public_jobs v where v.id = j.id)))
        and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')))
    || case when (select private.is_admin()) then private.admin_counts() else '{}' end
$function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with me as materialized (
    select private.user_id() as id
  ), listings as (
    select p.*, private.needs_completion(p::public.places, p.owner = (select id from me)) as incomplete,
      p.owner = (select id from me) and private.asks_for_payment(p::public.places) as owes_payment
    from (
      select * from public.places o where o.owner = (select id from me)
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), jobs as (
    -- While a payment for it is on its way, there is nothing to do.
    select j.* from public.jobs j where j.owner = (select id from me) and j.filled_at is null
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owes_payment
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
      where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.incomplete
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
        -- As open_order refuses it: no one would see it.
        and exists (select from public.public_jobs v where v.id = j.id)
    union all
    select 5, 'unpaid-job', j.id, j.title, j.created_at from jobs j where not j.paid
    union all
    select 6, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l
      where l.state = 'new'
    union all
    select 7, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
  ), lines as (
    select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
    from waiting order by rank, at, id
  )
  select jsonb_build_object(
    'supporter', exists (select from listings l where l.owner = (select id from me) and l.premium and l.status <> 'archived'),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$function$;

set check_function_bodies = on;
