-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.open_order(uuid,text,bigint,text,integer,text,boolean,integer) from service_role;

revoke execute on function public.cancellation_days() from authenticated;

revoke execute on function private.open_order(uuid,text,bigint,text,integer,text,boolean,integer) from service_role;

revoke execute on function private.cancellation_days() from authenticated;

drop view private.due_emails;

drop function public.open_order(uuid,text,bigint,text,integer,text,boolean,integer);

drop function public.cancellation_days();

drop function private.open_order(uuid,text,bigint,text,integer,text,boolean,integer);

drop function private.cancellation_days();

alter table public.orders add column opened_at timestamp with time zone;

alter table public.orders add column cancellation_days integer;

alter table public.payments add column plan text;

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status not in ('active', 'trialing'),
        'until', coalesce(s.ends_at, s.period_to))
      from public.subscriptions s
      where s.place_id = place.id and s.owner = place.owner and not s.surplus
        and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
      order by s.started_at desc, s.id limit 1),
    'jobs', (select count(*) from public.jobs j
      where j.place_id = place.id and j.owner = place.owner and j.paid and j.published and j.filled_at is null
        and j.expiration_date > now() and nullif(btrim(j.company_name), '') is null),
    'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
      from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = place.id and s.owner = place.owner and p.held_until is null
        and p.weekday_date > private.today()))
$function$;

CREATE OR REPLACE FUNCTION private.admin_order(order_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (select jsonb_build_object('id', o.id, 'kind', o.kind, 'status', o.status, 'item_name', o.item_name,
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

CREATE OR REPLACE FUNCTION private.attention(place public.places, managed boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case
    when place.owner is null and not managed then 'to-claim'
    -- Only who pays has a payment to make: a plan that a former owner goes on paying for has no customer here.
    when place.subscription_status in ('past_due', 'unpaid') and place.stripe_cus_id is not null and not managed
      then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end
$function$;

CREATE OR REPLACE FUNCTION private.booked_newsletters(place_id bigint)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select 'newsletters_booked:' || count(*) from public.sponsorships s
      join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = booked_newsletters.place_id and p.held_until is null and p.weekday_date > private.today()
      having count(*) > 0);
end $function$;

CREATE OR REPLACE FUNCTION private.cancel_sponsorship_dates(sponsorship_id bigint, dates date[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  item public.sponsorships;
  bought public.orders;
  paid public.payments;
  wanted date[];
  before integer;
  share bigint;
  remaining bigint;
begin
  perform private.lock_order_item(null, cancel_sponsorship_dates.sponsorship_id, null);
  select * into item from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id();
  select * into bought from public.orders o
    where o.sponsorship_id = item.id and o.owner = private.user_id() and o.paid_at is not null
      and o.refund_reason is null
    order by o.paid_at desc limit 1 for update;
  if item.id is null then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  elsif bought.id is null then
    perform private.refuse('sponsorship_not_paid');
  end if;
  select coalesce(array_agg(distinct s.weekday_date), '{}') into wanted from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null and s.weekday_date = any (dates);
  if cardinality(wanted) = 0 or cardinality(wanted) < (select count(distinct d) from unnest(dates) d) then
    perform private.refuse('dates_not_booked', 'dates');
  elsif exists (select from unnest(wanted) d where d < private.today() + private.cancellation_days(item.id)) then
    perform private.refuse('cancellation_too_late', 'dates');
  end if;
  select p.* into paid from public.payments p where p.order_id = bought.id and p.reason = 'purchase' limit 1;
  if paid.id is null then
    perform private.refuse('payment_not_recorded');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('cancellation_disputed');
  end if;
  select count(*) into before from public.sponsorship_spots s
    where s.sponsorship_id = item.id and s.held_until is null;
  -- Counted from the first date on, so that parts of a cent never add up to more than was paid.
  share := paid.cents * (bought.quantity - before + cardinality(wanted)) / bought.quantity
    - paid.cents * (bought.quantity - before) / bought.quantity;
  remaining := private.refundable_cents(paid.id);
  -- Refunded in full, the order would lose its other newsletters, too.
  if cardinality(wanted) < before and share > 0 and share >= remaining then
    perform private.refuse('cancellation_refunded_before', 'dates');
  end if;

  delete from public.sponsorship_spots s where s.sponsorship_id = item.id and s.weekday_date = any (wanted);
  update public.sponsorships s
    set sponsorship_dates = array(select d from unnest(s.sponsorship_dates) d where d <> all (wanted) order by d),
      paid = cardinality(wanted) < before
    where s.id = item.id;
  share := least(share, remaining);
  if share > 0 then
    perform set_config('app.audit_action', 'cancel-dates', true);
    perform private.add_refund(paid.id, share, 'canceled', null, private.user_id());
    perform set_config('app.audit_action', '', true);
  end if;
  -- With its last date, all that it had bought is revoked.
  update public.orders o set seen = o.seen + 1, revoked_at = case when cardinality(wanted) = before then now() end
    where o.id = bought.id;
  return bought.id;
end $function$;

CREATE OR REPLACE FUNCTION private.cancellation_days(sponsorship_id bigint)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least(
    coalesce((select s.days from private.settings s where s.name = 'cancellation_days'), 3),
    (select o.cancellation_days from public.orders o
      where o.sponsorship_id = cancellation_days.sponsorship_id and o.owner = private.user_id()
        and o.paid_at is not null and o.refund_reason is null
      order by o.paid_at desc limit 1));
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
        || case when $1 = ''archive'' and p.archive_requested then ''{"archive_requested": true}''
          when $1 = ''reject'' then (select jsonb_object_agg(k, edited.row -> k)
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
    insert into private.email_queue (place_id, kind, key, data)
    select p.id, email_kind, format('%s:%s:%s', email_kind, p.id, p.version),
      jsonb_strip_nulls(jsonb_build_object('place_id', p.id, 'name', p.name, 'reason', note)
        || case act when 'archive' then private.about_removal(p, r.before ? 'archive_requested') else '{}' end)
    from private.decision_rows r join public.places p on p.id = r.place_id
    where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
      -- Admins know what they decided about their own listing.
      and (act not in ('approve', 'archive') or p.owner is distinct from private.user_id())
    on conflict do nothing;
    -- A batch that is decided in steps is undone as a whole, so its last step counts for all.
    perform private.schedule_emails(private.decision_email_keys(batch, act, null, null),
      private.decision_emails_due(clock_timestamp()));
  end if;
  if act = 'reject' then
    insert into public.rejected_edits (place_id, reason, edit)
    select r.place_id, note,
      r.before - array['status', 'last_update', 'changes_requested', 'modified_at', 'archive_requested']
    from private.decision_rows r where r.batch_id = batch and r.place_id = any (wanted) and r.outcome = 'done'
    on conflict (place_id) do update
      set rejected_at = excluded.rejected_at, reason = excluded.reason, edit = excluded.edit;
  end if;
  delete from private.review_locks c where c.place_id = any (wanted);
  update private.decision_batches b set action = act, reason = note,
    decided_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day' where b.id = batch;
  return private.batch_as_json(batch, null, null, 0, 1000);
end $function$;

CREATE OR REPLACE FUNCTION private.decision_email(action text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case action when 'approve' then 'listing-approved' when 'request-changes' then 'changes-requested'
    when 'reject' then 'edit-rejected' when 'archive' then 'listing-removed' end
$function$;

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
          and private.subscription_is_live(s.status))));
  end if;
  return null;
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
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_renewal_notices()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.enqueue_email(s.owner, private.plan_mail_place(s), 'renewal-coming',
      format('renewal-coming:%s:%s', s.id, extract(epoch from s.period_to)::bigint),
      private.plan_facts(s) || jsonb_build_object('cents', s.cents, 'months', s.months, 'at', s.period_to))
    from public.subscriptions s
    where s.status in ('active', 'trialing') and not s.surplus and s.ends_at is null and s.months >= 6
      and s.period_to > now() and s.period_to <= now() + interval '7 days'
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_stopped_plan(was public.subscriptions, is_now public.subscriptions, by_us boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
      jsonb_build_object('listing', private.plan_listing_name(is_now.id),
        'ends_at', case when live then is_now.ends_at end));
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_subscription_emails(was public.subscriptions, is_now public.subscriptions, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  was_live constant boolean := coalesce(private.subscription_is_live(was.status), false);
  live constant boolean := private.subscription_is_live(is_now.status);
  mail_place constant bigint := private.plan_mail_place(is_now);
  about constant jsonb := private.plan_facts(is_now);
begin
  if is_now.surplus or private.enqueue_stopped_plan(was, is_now, coalesce((facts ->> 'by_us')::boolean, false)) then
    return;
  end if;
  if is_now.status = 'past_due' then
    perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due'));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false)));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.fulfill_order(bought public.orders)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outcomes text[];
begin
  if bought.kind = 'job' and bought.job_id is null
    or bought.kind = 'sponsorship' and bought.sponsorship_id is null
    or bought.owner is null then
    -- Its buyer has deleted it, or their account: nothing of theirs is published then, or charged again.
    return 'canceled';
  -- A listing that has gone to someone else is not for the buyer to advertise, and no one would see an archived one.
  elsif bought.kind <> 'job' and exists (select from public.places p
    where p.id = coalesce(bought.place_id,
        (select s.place_id from public.sponsorships s where s.id = bought.sponsorship_id))
      and (p.owner is distinct from bought.owner or p.status = 'archived')) then
    return 'changed';
  end if;
  if bought.kind = 'job' then
    -- A later order exists only because this one was abandoned for it.
    if exists (select 1 from public.orders o where o.job_id = bought.job_id
      and o.created_at > bought.created_at and o.paid_at is not null) then
      return 'paid-twice';
    end if;
    -- It goes public with its first payment, and when it had expired before it was paid for again. More days of a job
    -- that was live leave it as its owner has it: unpublished or filled, also while the payment was on its way.
    update public.jobs j set paid = true, published = j.published or f.begins,
        filled_at = case when not f.begins then j.filled_at end,
        expiration_date = greatest(now(), coalesce(j.expiration_date, now()))
          + make_interval(days => bought.days)
      from (select o.id, not o.paid or o.expiration_date <= coalesce(bought.opened_at, bought.created_at) as begins
        from public.jobs o where o.id = bought.job_id) f
      where j.id = f.id;
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

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled, or with the address of its owner's
  -- account. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at', 'owner_email'];
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  new := private.with_many_lines(new, 'description', 'company_bio', 'ally_safety');
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    elsif old.owner is not null and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in guard_place.
      new.owner_email := case when api then private.account_email(new.owner) end;
    end if;
    if old.owner is not null and new.owner is null and exists (select from public.places p
      where p.id = new.place_id and p.owner is not null and p.owner <> old.owner) then
      -- Without an owner it would be published in the name of its listing, which belongs to someone else.
      if coalesce(btrim(new.company_name), '') <> '' and coalesce(btrim(new.company_bio), '') <> '' then
        new.place_id := null;
      else
        new.published := false;
      end if;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  -- Also when the listing has gone to someone else since. What remains possible is to unpublish the job.
  if by_owner and new.place_id is not null
    and (tg_op = 'INSERT' or to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_place()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  changed boolean := true;
  -- Whether only a payment or the address of the owner's account has changed something.
  by_itself boolean := false;
  rest public.places;
  sent jsonb;
  before jsonb;
  switches constant text[] := array['hidden', 'archive_requested', 'version', 'modified_at'];
begin
  -- 1. Columns that the caller may not write.
  if tg_op = 'INSERT' then
    new := private.reset_new_place(new, api, by_owner);
  else
    new := private.restore_protected_columns(old, new, api, by_owner);
    changed := new is distinct from old;
    rest := private.with_payment_columns(new, old);
    rest.owner_email := old.owner_email;
    by_itself := changed and not api and rest is not distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if changed then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.description := private.many_lines(new.description);
    new.changes_requested := private.many_lines(new.changes_requested);
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      new.name_key := private.normalize_for_search(new.name);
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if tg_op = 'INSERT' or new.category <> old.category or new.online_categories <> old.online_categories
      or new.licensed_locations <> old.licensed_locations then
      perform private.validate_place_categories(new);
    end if;
  end if;
  if tg_op = 'INSERT' then
    return new;
  end if;

  -- 3. Review and version.
  if changed then
    if api and old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
      and (by_owner or new.status = 'pending-update') then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      -- Hiding a listing and asking for its removal are never refused.
      if (old.hidden or not new.hidden) and (old.archive_requested or not new.archive_requested) then
        perform private.limit_changes(old.id);
      end if;
      sent := to_jsonb(new);
      before := to_jsonb(old);
      if exists (select 1 from unnest(private.reviewed_columns()) k
        where sent -> k is distinct from before -> k) then
        -- What was approved may return, also where the form requires more since.
        if old.status <> 'pending-update' or new.status <> 'published' then
          perform private.validate_place_fields(new);
        end if;
        new.changes_requested := null;
      end if;
    end if;
    if new.status = 'published' then
      new.last_update := '{}';
      new.changes_requested := null;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;

  -- 4. Another owner, or none.
  if old.owner is not null and new.owner is distinct from old.owner then
    new := private.part_from_owner(old, new);
  elsif old.owner is null and old.owner_email is not null and new.owner_email is distinct from old.owner_email then
    new := private.without_request(old, new);
  end if;

  -- 5. Changes that no form or reviewer has read: hiding, showing and asking for removal, payments,
  -- and the address of the owner's account. Neither the version nor the listing's place in the queue changes with them.
  if api then
    if new.owner is not distinct from private.user_id() or new.id = any (private.managed_places()) then
      -- A listing without an owner_email cannot be approved. The owner's is known, and confirmed.
      if new.owner_email is null and new.owner = private.user_id() then
        new.owner_email := private.my_email();
      end if;
      if to_jsonb(new) - switches = to_jsonb(old) - switches then
        new.version := old.version;
        new.modified_at := old.modified_at;
      end if;
    end if;
  elsif by_itself then
    new.version := old.version;
    new.modified_at := old.modified_at;
  end if;

  -- 6. Undoing a decision puts the listing back where it was in its queue.
  if current_setting('app.undone_batch', true) <> '' then
    new.modified_at := private.modified_at_before_decision(new.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_sponsorship()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    -- Also when it was refunded: what a newsletter said stays on record.
    if by_owner and exists (select 1 from public.sponsorship_spots s where s.sponsorship_id = old.id
      and s.held_until is null and s.weekday_date <= private.today()) then
      perform private.refuse('sponsorship_was_sent');
    end if;
    return old;
  end if;
  new := private.with_one_line(new, 'link', 'location', 'photo_location');
  new.promo_text := private.many_lines(new.promo_text);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
    end if;
    if api then
      new.paid := false;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
    end if;
    if api then
      new.paid := old.paid;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if old.paid and (new.rate, new.sponsorship_dates, new.place_id)
        is distinct from (old.rate, old.sponsorship_dates, old.place_id) then
        perform private.refuse('sponsorship_paid');
      end if;
    end if;
    -- It is generated after this trigger. Equal here, so that an unchanged row is recognized.
    new.order_total := old.order_total;
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  if by_owner and (tg_op = 'INSERT' or new.place_id <> old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('sponsorship_place_not_yours', 'place_id');
  elsif by_owner and old.paid and new.place_id <> all (private.managed_places())
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    -- What a newsletter says about a business is not for someone to change who has left it.
    perform private.refuse('sponsored_listing_left');
  end if;
  if tg_op = 'INSERT' or new.sponsorship_dates <> old.sponsorship_dates then
    select coalesce(array_agg(distinct d order by d), '{}') into new.sponsorship_dates
      from unnest(new.sponsorship_dates) d;
    if exists (select 1 from unnest(new.sponsorship_dates) d where not private.is_newsletter_day(d)) then
      perform private.refuse('not_a_newsletter_day', 'sponsorship_dates');
    elsif api and exists (select 1 from unnest(new.sponsorship_dates) d where d <= private.today()
      and (tg_op = 'INSERT' or d <> all (old.sponsorship_dates))) then
      perform private.refuse('newsletter_date_past', 'sponsorship_dates');
    end if;
  end if;
  if tg_op = 'UPDATE' and api
    and (old.rate, old.sponsorship_dates, old.place_id)
      is distinct from (new.rate, new.sponsorship_dates, new.place_id) then
    perform private.validate_no_open_payment(old.id);
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.has_address(value jsonb, address text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select position(address in content) > 0 and content ~ ('(?<![[:alnum:]._%+-])'
    || regexp_replace(address, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_-]|\.[[:alnum:]])')
  from (select lower(regexp_replace(value::text, '\\(u[0-9a-f]{4}|.)', ' ', 'g')) as content offset 0) found
$function$;

CREATE OR REPLACE FUNCTION private.is_outdated(kind text, data jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case kind
    when 'subscription-canceled' then exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status))
    when 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status)
        and s.period_to = (data ->> 'at')::timestamptz))
    when 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.last_removal(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('at', r.at, 'requested', coalesce(r.before ->> 'archive_requested', (
      select a.after ->> 'archive_requested' from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and (a.at, a.id) <= (r.at, r.id)
        and a.after ? 'archive_requested'
      order by a.at desc, a.id desc limit 1), 'false') = 'true')
  from (
    select m.* from (select a.*, lead(a.action) over (order by a.at, a.id) as next_action from public.audit_log a
      where a.subject = 'places' and a.subject_id = place_id::text and a.after ? 'status') m
    where m.action <> 'undo' and m.next_action is distinct from 'undo'
      and m.after ->> 'status' in ('archived', 'published')
    order by m.at desc, m.id desc limit 1
  ) r
  where r.after ->> 'status' = 'archived'
$function$;

CREATE OR REPLACE FUNCTION private.leave_listing(place_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only who manages a listing makes others wait for it.
  perform 1 from public.places p where p.id = leave_listing.place_id and exists (
      select from public.listing_managers m where m.place_id = p.id and m.profile_id = private.user_id())
    for no key update;
  delete from public.listing_managers m where m.place_id = leave_listing.place_id
    and m.profile_id = private.user_id();
  if not found then
    return false;
  end if;
  perform private.log_action('leave-listing', 'places', leave_listing.place_id::text,
    jsonb_build_object('manager', private.user_id()));
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_changes(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$ select private.enforce_limit('too_many_changes', 'change of listing ' || place_id, 60, 3600) $function$;

CREATE OR REPLACE FUNCTION private.my_data_parts()
 RETURNS TABLE(key text, relation regclass, condition text, columns text[])
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  values
    ('profile', 'public.profiles'::regclass, 'r.id = $1', '{id, full_name, phone, email, pronouns, postalcode,
      opted_in, sms_opted_in, business_owner, admin, supporter, discreet, stripe_customer_id,
      created_at, modified_at}'::text[]),
    ('position', 'private.user_positions', 'r.user_id = $1', '{lat, long}'),
    ('consents', 'public.consents', 'r.user_id = $1', '{channel, granted, text_version, page, at}'),
    ('listings', 'public.places', 'r.owner = $1', '{id, status, hidden, archive_requested, owner_email, premium,
      premium_created_at, subscription_status, subscription_ends_at, proxi_id, last_update, changes_requested,
      version, created_at, modified_at, leads_from}'::text[] || private.reviewed_columns()),
    -- Without an owner, and with the caller's address as owner_email.
    ('listings_to_claim', 'public.places', 'r.owner is null and r.owner_email = $2',
      '{id, name, city, state, status, owner_email, created_at}'),
    ('drafts', 'public.listing_drafts', 'r.owner = $1', '{id, fields, created_at, updated_at, form, expires}'),
    ('rejected_changes', 'public.rejected_edits',
      'exists (select from public.places p where p.id = r.place_id and p.owner = $1)',
      '{place_id, rejected_at, reason, edit}'),
    ('managing', 'public.listing_managers', 'r.profile_id = $1', '{place_id, since}'),
    ('managers_i_invited', 'public.listing_managers', 'r.invited_by = $1', '{place_id, since}'),
    ('invitations_to_me', 'public.manager_invitations', 'r.email = $2 or r.accepted_by = $1',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('invitations_i_sent', 'public.manager_invitations', 'r.invited_by = $1',
      '{id, place_id, email, created_at, expires_at, accepted_at, withdrawn_at}'),
    ('jobs', 'public.jobs', 'r.owner = $1', '{id, title, category, description, pay_range, url, location, city,
      queer_owned, ally_owned, ally_safety, remote, full_time, part_time, contract, place_id, company_name,
      company_bio, owner_email, published, paid, expiration_date, filled_at, version, created_at, modified_at}'),
    ('jobs_with_my_address', 'public.jobs', 'r.owner is null and r.owner_email = $2',
      '{id, title, owner_email, created_at}'),
    ('newsletter_features', 'public.sponsorships', 'r.owner = $1', '{id, place_id, promo_text, link, location,
      photo_location, rate, sponsorship_dates, order_total, paid, version, created_at, modified_at}'),
    ('orders', 'public.orders', 'r.owner = $1', '{id, kind, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, price_cents, currency, status, amount_paid_cents, amount_refunded_cents, coupon,
      stripe_customer_id, paid_at, refund_reason, revoked_at, created_at, modified_at, item_name,
      item_dates, opened_at, cancellation_days}'),
    ('subscriptions', 'public.subscriptions', 'r.owner = $1', '{id, place_id, order_id, stripe_customer_id, status,
      started_at, ends_at, created_at, modified_at, plan, cents, months, period_from, period_to, canceled_at,
      next_attempt_at}'),
    ('payments', 'public.payments', 'r.owner = $1', '{id, kind, reason, order_id, subscription_id, cents, tax_cents,
      refunded_cents, currency, invoice_id, invoice_number, period_from, period_to, paid_at, dispute, disputed_cents,
      disputed_at, dispute_closed_at, plan}'),
    ('refunds', 'public.refunds',
      'exists (select from public.payments p where p.id = r.payment_id and p.owner = $1)',
      '{id, payment_id, cents, status, reason, created_at}'),
    ('favorites', 'public.favorites', 'r.user_id = $1', '{place_id, created_at}'),
    ('messages_i_sent', 'public.leads', 'r.requester = $1',
      '{id, place_id, requester_name, requester_email, message, created_at}'),
    ('reports', 'public.events',
      'r.user_id = $1 or exists (select from private.reporters w where w.event = r.id and w.user_id = $1)',
      '{id, event_name, place, data, state, created_at}'),
    ('feedback', 'public.feedback', 'r.userid = $1', '{id, feedback, os, archived, created_at}'),
    ('email_choices', 'public.email_preferences', 'r.user_id = $1', '{kind, wanted}'),
    ('emails', 'private.email_queue', 'r.recipient = $1', '{kind, data, created_at, sent_at}'),
    ('account_deletion', 'private.account_deletions', 'r.user_id = $1', '{requested_at, due_at}'),
    -- An admin's work.
    ('searches_i_saved', 'public.saved_views', 'r.owner = $1', '{id, name, filter, created_at}'),
    ('reviews', 'private.review_locks', 'r.admin = $1', '{place_id, since, until}'),
    ('refunds_i_requested', 'public.refunds', 'r.requested_by = $1', '{id, payment_id, cents, note, created_at}'),
    ('decisions', 'private.decision_batches', 'r.admin = $1', '{id, action, reason, decided_at, undone_at}'),
    ('what_i_did', 'public.audit_log', 'r.actor = $1', '{id, at, action, subject, subject_id}'),
    ('changes_of_my_profile', 'public.audit_log', 'r.subject = ''profiles'' and r.subject_id = $1::text',
      '{id, at, action, before, after}')
$function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'status', s.status, 'removed', p.status = 'archived') order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and private.subscription_is_live(s.status)
$function$;

CREATE OR REPLACE FUNCTION private.my_purchases()
 RETURNS TABLE(id text, order_id uuid, kind text, reason text, item_name text, item_dates date[], plan text, place_id bigint, cents bigint, tax_cents bigint, refunded_cents bigint, currency text, invoice_number text, period_from timestamp with time zone, period_to timestamp with time zone, paid_at timestamp with time zone, dispute text, refunds jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select p.id, p.order_id, p.kind, p.reason, coalesce(o.item_name, l.name), o.item_dates,
    coalesce(p.plan, o.plan, s.plan),
    coalesce(o.place_id, s.place_id), p.cents, p.tax_cents, p.refunded_cents, p.currency, p.invoice_number,
    p.period_from, p.period_to, p.paid_at, p.dispute,
    (select coalesce(jsonb_agg(jsonb_build_object('cents', r.cents, 'status', r.status, 'reason', r.reason,
        'at', coalesce(r.made_at, r.created_at)) order by r.created_at), '[]')
      from public.refunds r where r.payment_id = p.id and r.status <> 'canceled')
  from public.payments p
    left join public.orders o on o.id = p.order_id
    left join public.subscriptions s on s.id = p.subscription_id
    left join public.places l on l.id = s.place_id and l.owner = p.owner
  where p.owner = private.user_id()
  order by p.paid_at desc, p.id desc limit 2000
$function$;

CREATE OR REPLACE FUNCTION private.open_order(buyer uuid, kind text, item_id bigint, plan text, unit_price_cents integer, coupon text, renew boolean, days integer, checked text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '2s'
AS $function$
declare
  job constant bigint := case when kind = 'job' then item_id end;
  sponsorship constant bigint := case when kind = 'sponsorship' then item_id end;
  place constant bigint := case when kind = 'upgrade' then item_id end;
  amount integer := 1;
  cents integer := unit_price_cents;
  live_days constant integer := case when kind = 'job' then days end;
  cancel_until constant integer := case when kind = 'sponsorship' then private.cancellation_days(null) end;
  -- The provider accepts no end that is less than 30 minutes away, by its clock and when our request arrives.
  checkout_lasts constant interval := interval '32 minutes';
  already_bought boolean;
  discount text := coupon;
  current public.orders;
  is_same boolean;
  not_held jsonb;
  unknown jsonb;
  name text;
  dates date[];
begin
  if kind = 'job' and days is null then
    perform private.refuse('order_days_missing');
  elsif kind <> 'job' then
    -- One at a time for each buyer, so that dates held at the same moment are all counted, and so are first
    -- months.
    perform 1 from public.profiles p where p.id = buyer for no key update;
  end if;
  perform private.lock_order_item(job, sponsorship, place);
  if kind = 'job' then
    select j.paid and not coalesce(renew, false), j.title into already_bought, name
      from public.jobs j where j.id = job;
  elsif kind = 'sponsorship' then
    select s.paid, cardinality(s.sponsorship_dates), (s.rate * 100)::integer, p.name, s.sponsorship_dates
      into already_bought, amount, cents, name, dates
      from public.sponsorships s join public.places p on p.id = s.place_id where s.id = sponsorship;
  else
    select p.premium, p.name into already_bought, name from public.places p where p.id = place;
    if private.first_month_used(buyer, place) then
      discount := null;
    end if;
  end if;
  if already_bought is null then
    return jsonb_build_object('refused', 'missing');
  elsif already_bought then
    return jsonb_build_object('refused', case kind when 'upgrade' then 'featured' else 'paid' end);
  elsif amount = 0 then
    return jsonb_build_object('refused', 'no-dates');
  elsif kind = 'job' and not private.job_names_company(job) then
    return jsonb_build_object('refused', 'company-not-public');
  elsif kind = 'upgrade' and exists (select from public.places p
    where p.id = place and (p.status in ('archived', 'flagged') or p.archive_requested)) then
    return jsonb_build_object('refused', 'archived');
  end if;

  select * into current from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place)
      and o.paid_at is null and o.status <> 'canceled'
    for update;
  if current.status = 'processing' then
    return jsonb_build_object('refused', 'processing');
  end if;
  unknown := private.unknown_checkouts(buyer, job, sponsorship, place, checked);
  if unknown is not null then
    return jsonb_build_object('check', unknown);
  end if;
  is_same := (current.owner, current.plan, current.quantity, current.days, current.unit_price_cents,
      current.coupon)
    is not distinct from (buyer, open_order.plan, amount, live_days, cents, discount)
    and coalesce(current.item_dates, dates) is not distinct from dates;
  if kind = 'sponsorship' and not (is_same and current.stripe_checkout_session_id is not null
    and coalesce(current.expires_at > now(), false)) then
    not_held := private.hold_spots(sponsorship, buyer);
    if not_held is not null then
      return not_held;
    end if;
  end if;
  if current.id is not null and not is_same then
    update public.orders o set status = 'canceled', seen = o.seen + 1 where o.id = current.id;
    current := null;
  end if;

  if current.id is null then
    insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
      unit_price_cents, coupon, expires_at, item_name, item_dates, opened_at,
      cancellation_days)
    values (open_order.kind, buyer, job, sponsorship, place, open_order.plan, amount, live_days, cents, discount,
      now() + checkout_lasts, left(name, 300), dates, now(), cancel_until)
    returning * into current;
  elsif current.stripe_checkout_session_id is not null and coalesce(current.expires_at <= now(), true) then
    -- Its checkout has expired.
    update public.orders o set status = 'open', attempt = o.attempt + 1, stripe_checkout_session_id = null,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  elsif current.stripe_checkout_session_id is null
    and coalesce(current.expires_at < now() + checkout_lasts - interval '30 seconds', true) then
    -- The provider takes the same attempt only with the same end.
    update public.orders o set status = 'open', attempt = o.attempt + (o.expires_at is not null)::integer,
        expires_at = now() + checkout_lasts, opened_at = now(), cancellation_days = cancel_until,
        seen = o.seen + 1
      where o.id = current.id returning * into current;
  end if;

  return jsonb_build_object(
    'order', jsonb_build_object('id', current.id, 'attempt', current.attempt, 'unit_price_cents',
      current.unit_price_cents,
      'quantity', current.quantity, 'coupon', current.coupon,
      'expires_at', extract(epoch from current.expires_at)::bigint),
    'running', (select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session',
      o.stripe_checkout_session_id, 'own', o.owner = buyer
        and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false))), '[]')
      from public.orders o
      where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
          or (open_order.kind = 'upgrade' and o.kind = 'upgrade' and o.owner = buyer and o.id <> current.id
            and o.coupon = current.coupon))
        and o.paid_at is null and o.stripe_checkout_session_id is not null and o.expires_at > now()));
end $function$;

CREATE OR REPLACE FUNCTION private.part_from_owner(before public.places, place public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  -- Where the public sees roughly where a listing is, the address as it was typed may be a home.
  approximate constant boolean := before.address_approximate
    or coalesce((before.last_update ->> 'address_approximate')::boolean, false);
begin
  -- What was theirs alone doesn't return with the approved version, either.
  before.last_update := before.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place.last_update := place.last_update - 'mailingaddress' - case when approximate then 'rawaddress' else '' end;
  place := private.without_edit(before, place);
  -- Unless an admin has just entered another one.
  if place.mailingaddress is not distinct from before.mailingaddress then
    place.mailingaddress := null;
  end if;
  if approximate and place.rawaddress is not distinct from before.rawaddress
    and place.rawaddress is distinct from place.address then
    place.rawaddress := null;
  end if;
  if place.status = 'pending-update' and place.last_update = '{}' then
    place.status := 'published';
  end if;
  place.stripe_cus_id := null;
  place := private.without_request(before, place);
  -- The wall clock, because this transaction may have waited.
  place.leads_from := clock_timestamp();
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.plan_facts(s public.subscriptions)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('kind', 'upgrade', 'subscription', s.id, 'listing', private.plan_listing_name(s.id),
    'place', (select p.id from public.places p where p.id = s.place_id and p.owner = coalesce(s.owner, p.owner)))
$function$;

CREATE OR REPLACE FUNCTION private.plan_mail_place(sub public.subscriptions)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select p.id from public.places p
    where p.id = sub.place_id and sub.order_id is null and p.stripe_cus_id = sub.stripe_customer_id
$function$;

CREATE OR REPLACE FUNCTION private.plans_to_stop()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with running as (
    select s.id, s.place_id from public.subscriptions s
      where s.ends_at is null and not s.surplus and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
    union all
    select p.stripe_subscription_id, p.id from public.places p
      where p.status = 'archived' and p.subscription_ends_at is null
        and p.subscription_status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
        and not exists (select from public.subscriptions s where s.id = p.stripe_subscription_id)
  )
  select r.id from running r join public.places p on p.id = r.place_id
  where p.status = 'archived'
    and not exists (select from private.decision_rows d join private.decision_batches b on b.id = d.batch_id
      where d.place_id = p.id and d.outcome = 'done' and d.undone is null and b.action = 'archive'
        and private.decision_emails_due(b.decided_at) > clock_timestamp())
  order by r.id
$function$;

CREATE OR REPLACE FUNCTION private.record_payment(order_id uuid, subscription_id text, seen bigint, facts jsonb, event jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '700ms'
AS $function$
declare
  session constant jsonb := nullif(facts -> 'session', 'null');
  state constant text := session ->> 'state';
  sub constant jsonb := nullif(facts -> 'subscription', 'null');
  was public.orders;
  now_is public.orders;
  sub_was public.subscriptions;
  sub_now public.subscriptions;
  place bigint;
  is_current boolean := true;
  featured_changed boolean := false;
  payments_changed boolean := false;
  dispute text;
  lost_cents bigint;
begin
  if order_id is not null then
    select * into was from public.orders o where o.id = order_id;
    perform private.lock_order_item(was.job_id, was.sponsorship_id, was.place_id);
    select * into was from public.orders o where o.id = order_id for update;
    place := was.place_id;
  else
    select coalesce(
        (select s.place_id from public.subscriptions s where s.id = subscription_id),
        (select p.id from public.places p where p.stripe_subscription_id = subscription_id)) into place;
    perform private.lock_order_item(null, null, place);
  end if;
  select * into sub_was from public.subscriptions s
    where s.id = coalesce(sub ->> 'id', subscription_id) for update;
  if coalesce(was.seen, sub_was.seen, 0) <> seen then
    return jsonb_build_object('again', true);
  end if;
  if event is not null then
    insert into public.stripe_events (id, type, object_id, created_at)
    values (event ->> 'id', event ->> 'type', event ->> 'object', to_timestamp((event ->> 'created')::bigint))
    on conflict do nothing;
  end if;

  now_is := was;
  if session is not null and was.stripe_checkout_session_id is distinct from session ->> 'id' then
    if state <> 'paid' then
      -- An earlier checkout that the order no longer uses.
      is_current := false;
    elsif was.paid_at is null then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates, opened_at, cancellation_days)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid', 'paid-twice', now(), session ->> 'id',
        was.item_name, was.item_dates, was.opened_at, was.cancellation_days)
      returning * into was;
      now_is := was;
    end if;
  end if;

  if session is not null and is_current then
    now_is.stripe_customer_id := coalesce(session ->> 'customer', now_is.stripe_customer_id);
    now_is.stripe_payment_intent_id := coalesce(session ->> 'payment_intent',
      now_is.stripe_payment_intent_id);
    now_is.stripe_subscription_id := coalesce(sub ->> 'id', now_is.stripe_subscription_id);
    if state <> 'open' then
      now_is.expires_at := null;
    end if;
    if state = 'paid' then
      now_is.amount_paid_cents := (session ->> 'paid_cents')::bigint;
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          else private.fulfill_order(now_is) end;
        if now_is.refund_reason is null then
          -- Other open orders for the same item must not be paid any more.
          update public.orders o set status = 'canceled', seen = o.seen + 1
            where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id
              or o.place_id = was.place_id)
              and o.id <> was.id and o.paid_at is null and o.status <> 'canceled';
          perform private.enqueue_email(was.owner, null, 'order-receipt', 'order-receipt:' || was.id,
            jsonb_build_object(
            'order', was.id, 'kind', was.kind, 'quantity', was.quantity, 'cents', now_is.amount_paid_cents,
            'receipt_url', session ->> 'receipt_url'));
        end if;
      end if;
    elsif was.paid_at is null and was.status <> 'canceled' then
      now_is.status := state;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif state in ('expired', 'failed') and was.status <> state then
        if was.sponsorship_id is not null then
          delete from public.sponsorship_spots s where s.sponsorship_id = was.sponsorship_id
            and s.held_until is not null;
          if was.status = 'processing' then
            -- They were held until now, so holding them again renews that.
            insert into private.newsletter_holds (place_id, weekday_date, held_until)
            select s.place_id, d, now() from public.sponsorships s, unnest(s.sponsorship_dates) d
            where s.id = was.sponsorship_id
            on conflict (place_id, weekday_date) do update set held_until = excluded.held_until;
          end if;
        end if;
        -- A plan that ended unpaid has had its emails.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      now_is.refund_reason is not null, 1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz)
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at)
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
    end if;
  end if;

  if now_is.paid_at is not null or (now_is.id is null and sub is not null) then
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      coalesce(facts -> 'payments', '[]'));
  end if;
  if now_is.paid_at is not null and exists (select from public.payments p where p.order_id = now_is.id) then
    if now_is.refund_reason is not null then
      perform private.add_refund(p.id, null, now_is.refund_reason) from public.payments p
        where p.order_id = now_is.id and p.cents > 0 and p.dispute is distinct from 'open'
          and p.dispute is distinct from 'lost'
          -- One that failed is tried again, and not made a second time.
          and not exists (select from public.refunds r where r.payment_id = p.id and r.status = 'failed');
    end if;
    select coalesce(sum(p.refunded_cents), 0), coalesce(sum(p.disputed_cents) filter (where p.dispute = 'lost'), 0),
        case when bool_or(p.dispute = 'lost') then 'lost' when bool_or(p.dispute = 'open') then 'open' end
      into now_is.amount_refunded_cents, lost_cents, dispute
      from public.payments p where p.order_id = now_is.id and p.reason = 'purchase';
    now_is.status := case
      when now_is.amount_paid_cents > 0 and now_is.amount_refunded_cents >= now_is.amount_paid_cents
        then 'refunded'
      when dispute is not null then 'disputed'
      else 'paid' end;
    -- What was lost in part is still paid for in part, as after a refund in part.
    if now_is.refund_reason is null and now_is.revoked_at is null
      and (now_is.status = 'refunded' or (dispute = 'lost'
        and now_is.amount_refunded_cents + lost_cents >= now_is.amount_paid_cents)) then
      now_is.revoked_at := now();
      perform private.revoke_order(now_is);
    end if;
  end if;

  if now_is.id is not null and (now_is is distinct from was or sub_now.id is not null or payments_changed) then
    now_is.seen := was.seen + 1;
    update public.orders o set status = now_is.status, paid_at = now_is.paid_at,
      expires_at = now_is.expires_at, seen = now_is.seen,
        amount_paid_cents = now_is.amount_paid_cents, amount_refunded_cents = now_is.amount_refunded_cents,
        refund_reason = now_is.refund_reason, revoked_at = now_is.revoked_at,
        stripe_checkout_session_id = now_is.stripe_checkout_session_id,
          stripe_customer_id = now_is.stripe_customer_id,
        stripe_payment_intent_id = now_is.stripe_payment_intent_id,
          stripe_subscription_id = now_is.stripe_subscription_id
      where o.id = now_is.id;
  elsif now_is.id is null and payments_changed and sub_now.id is null then
    update public.subscriptions s set seen = s.seen + 1 where s.id = subscription_id;
  end if;
  -- Only now, since it depends on whether the order is paid.
  if sub is not null and place is not null then
    featured_changed := private.update_featured(place);
  end if;

  return jsonb_build_object(
    'order', now_is.id,
    'status', coalesce(now_is.status, sub ->> 'status'),
    'was', coalesce(was.status, sub_was.status),
    'subscription', sub ->> 'status',
    'changed', now_is is distinct from was or sub_now.id is not null or featured_changed or payments_changed,
    'bought', case when was.paid_at is null and now_is.paid_at is not null and now_is.refund_reason is null
      then
      jsonb_build_object('owner', now_is.owner, 'cents', now_is.amount_paid_cents, 'currency',
        now_is.currency) end,
    'refund_due', coalesce(private.refund_due(now_is), false),
    'refund_failed', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
      where p.order_id = now_is.id and r.status = 'failed'),
    'close', case when now_is.paid_at is null then '[]' else (
      select coalesce(jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id)),
        '[]') from public.orders o
      where (o.job_id = was.job_id or o.sponsorship_id = was.sponsorship_id or o.place_id = was.place_id)
        and o.id <> now_is.id and o.paid_at is null
        and o.status = 'canceled' and o.stripe_checkout_session_id is not null and o.expires_at > now()) end);
end $function$;

CREATE OR REPLACE FUNCTION private.record_payments(of_order public.orders, of_subscription text, facts jsonb)
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
  any_changed boolean := false;
begin
  for fact in select * from jsonb_array_elements(facts) loop
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
    if before.id is null and after.reason <> 'purchase' and after.paid_at > now() - interval '3 days' then
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from,
        'to', after.period_to, 'listing', private.plan_listing_name(of_subscription));
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

CREATE OR REPLACE FUNCTION private.release_orders()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  left_by_owner constant bigint[] := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where o.owner is not null and n.owner is distinct from o.owner);
begin
  perform private.update_featured(n.id) from new_rows n join old_rows o on o.id = n.id
    where n.owner is distinct from o.owner and n.owner is not null;
  if left_by_owner = '{}' then
    return null;
  end if;
  perform 1 from public.jobs j where j.place_id = any (left_by_owner) order by j.id for update;
  perform 1 from public.sponsorships s where s.place_id = any (left_by_owner) order by s.id for update;
  perform private.lock_newsletters(array(select p.weekday_date from public.sponsorship_spots p
    join public.sponsorships s on s.id = p.sponsorship_id
    where s.place_id = any (left_by_owner) and p.held_until is not null));
  delete from public.sponsorship_spots p using public.sponsorships s
    where s.id = p.sponsorship_id and s.place_id = any (left_by_owner) and p.held_until is not null;
  delete from private.newsletter_holds h where h.place_id = any (left_by_owner);
  -- A payment that is on its way can't be called back.
  update public.orders o set status = 'canceled', seen = o.seen + 1
    where o.paid_at is null and o.status in ('open', 'expired', 'failed')
      and (o.place_id = any (left_by_owner)
        or o.sponsorship_id in (select s.id from public.sponsorships s where s.place_id = any (left_by_owner))
        or o.job_id in (select j.id from public.jobs j where j.place_id = any (left_by_owner) and j.paid));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.retry_refund(refund_id uuid, max_attempts integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  failed public.refunds;
begin
  select r.* into failed from public.refunds r where r.id = refund_id and r.status = 'failed'
    and r.attempt < case when auth.role() = 'service_role' then max_attempts else 20 end for update;
  perform 1 from public.payments p where p.id = failed.payment_id for update;
  -- Only now, since a caller who waited may not be an admin any more.
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  if failed.id is null then
    return false;
  end if;
  if private.refundable_cents(failed.payment_id) < failed.cents then
    return false;
  end if;
  perform set_config('app.audit_action', 'retry-refund', true);
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, modified_at = now()
    where r.id = failed.id;
  perform set_config('app.audit_action', '', true);
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.review_listing(id bigint, filter jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sort constant text := (private.review_filter(filter)).sort;
  place_cursor text;
begin
  perform private.require_admin();
  select private.review_cursor(p, sort) into place_cursor from public.places p where p.id = review_listing.id;
  return (
    select (private.review_rows(array[p.id], sort) -> 0)::jsonb || private.review_total(filter)
      || jsonb_build_object(
      'listing', to_jsonb(p) - array['name_search', 'name_key', 'submission_id', 'leads_from'],
      'online_category_names', array(select c.name from public.categories c
        where c.id = any (p.online_categories) order by c.name),
      'owner_profile', (select jsonb_build_object('id', o.id, 'full_name', o.full_name,
        'email', private.masked_email(o.email), 'phone', private.masked_phone(o.phone), 'pronouns',
          o.pronouns) from public.profiles o where o.id = p.owner),
      'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open'),
      'removal', private.last_removal(p.id),
      'next', (private.review_ids(filter, place_cursor, false, 1))[1],
      'previous', (private.review_ids(filter, place_cursor, true, 1))[1])
    from public.places p where p.id = review_listing.id);
end $function$;

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
    -- again. (One that is older than the orders has days of before.)
    update public.jobs j set paid = rest.live, published = j.published and rest.live,
        expiration_date = case when rest.live then rest.expiration_date - least(make_interval(days => bought.days),
          greatest(interval '0', rest.own_end - now())) end
      from (
        select o.id, o.expiration_date, o.expiration_date - make_interval(days => later_days) as own_end,
          paid_again or o.expiration_date - make_interval(days => bought.days) > bought.paid_at as live
        from public.jobs o where o.id = bought.job_id
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

CREATE OR REPLACE FUNCTION private.spot_outcome(item public.sponsorships, day date, permanent boolean, held_before date[])
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case
      when exists (select 1 from public.sponsorship_spots s
        where s.sponsorship_id = item.id and s.weekday_date = day)
        -- What was sent is not for sale again, also after it was refunded.
        and (permanent or day > private.today()) then 'held'
      when d.blocked then 'blocked'
      when d.weekday_date <= private.today() then 'past'
      when not (permanent and day = any (held_before)) and exists (
        select 1 from public.sponsorship_spots s join public.sponsorships o on o.id = s.sponsorship_id
        where s.weekday_date = day and o.place_id = item.place_id) then 'duplicate'
      when d.held_count + d.paid_count >= private.spots_per_newsletter() then 'full'
      else 'held'
    end
  from public.sponsorship_dates d where d.weekday_date = day
$function$;

CREATE OR REPLACE FUNCTION private.unknown_checkouts(buyer uuid, job bigint, sponsorship bigint, place bigint, checked text[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_agg(jsonb_build_object('order', o.id, 'session', o.stripe_checkout_session_id, 'own', o.owner = buyer
      and coalesce(o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place, false)))
    from public.orders o
    where (o.job_id = job or o.sponsorship_id = sponsorship or o.place_id = place
        or o.sponsorship_id = any (array(
          select s.sponsorship_id from public.sponsorships mine
            join public.sponsorship_spots s on s.weekday_date = any (mine.sponsorship_dates)
            join public.sponsorship_dates d on d.weekday_date = s.weekday_date
            join public.sponsorships other on other.id = s.sponsorship_id
          where mine.id = sponsorship and s.held_until <= now()
            and (other.place_id = mine.place_id
              or d.held_count + d.paid_count >= private.spots_per_newsletter()))))
      and o.paid_at is null and o.stripe_checkout_session_id <> all (checked)
      and (o.expires_at <= now() or (o.kind = 'upgrade' and o.status = 'failed'))
$function$;

CREATE OR REPLACE FUNCTION private.validate_decision(action text, reason text, wanted bigint[], seen integer[])
 RETURNS TABLE(place_id bigint, outcome text, reasons text[], warnings text[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select w.id, j.outcome,
    case j.outcome when 'refused' then r.refusals when 'missing' then array['listing_missing']
      when 'stale' then array[coalesce('already_' || r.already, 'listing_changed')] end,
    case j.outcome when 'done' then nullif(array_remove(array[
      case when action = 'approve' and p.archive_requested then 'removal_requested' end,
      case when action in ('flag', 'archive') and p.premium and p.stripe_subscription_id is not null
        and (action = 'flag' or p.subscription_ends_at is null) then
        case action when 'flag' then 'subscription_continues' else 'subscription_stops' end end,
      case when action in ('flag', 'archive') then private.booked_newsletters(p.id) end,
      case when c.admin is not null then 'under_review:' || coalesce(a.full_name, '') end], null), '{}') end
  from unnest(wanted, seen) w (id, version)
  left join public.places p on p.id = w.id
  left join private.review_locks c on c.place_id = p.id and c.admin <> (select private.user_id()) and c.until > now()
  left join public.profiles a on a.id = c.admin
  cross join lateral (select
    case when (action, p.status) in (('approve', 'published'), ('flag', 'flagged'), ('archive', 'archived'))
      then p.status end as already,
    nullif(array_remove(case action
      -- What was taken off the directory returns by a decision of its own.
      when 'approve' then array[case when p.status = 'archived' then 'reopen_first' end]
        || private.missing_for_approval(p.owner_email, p.state)
      when 'flag' then array[case when p.status = 'archived' then 'already_removed' end]
      when 'reject' then array[
        case when p.status <> 'pending-update' or p.last_update = '{}' then 'no_edit' end]
      when 'request-changes' then array[case
        when p.status in ('published', 'archived') then 'nothing_under_review:' || p.status
        when p.owner is null and p.owner_email is null then 'no_owner_email'
        when p.changes_requested = validate_decision.reason then 'changes_already_requested' end]
      when 'reopen' then array[
        case when p.status not in ('flagged', 'archived') then 'not_flagged_or_archived' end]
    end, null), '{}') as refusals) r
  cross join lateral (select case
    when p.id is null then 'missing'
    when w.version is distinct from p.version or r.already is not null then 'stale'
    when r.refusals is not null then 'refused'
    else 'done' end as outcome) j
$function$;

CREATE OR REPLACE FUNCTION private.validate_job(job public.jobs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select 1 from public.categories c where c.id = job.category and c.parent_category = 40) then
    perform private.refuse('job_category_unknown', 'category');
  elsif array_ndims(job.location) > 1 or exists (select from unnest(job.location) place where place is null
    or length(btrim(place)) not between 1 and 100 or place <> private.one_line(place)) then
    perform private.refuse('job_location_unknown', 'location');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.validate_place_categories(place public.places)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A category of listings has no parent and is not 40, the parent of job categories.
  if not exists (select 1 from public.categories c
    where c.id = place.category and c.parent_category is null and c.id <> 40) then
    perform private.refuse('category_unknown', 'category');
  end if;
  -- (A list of lists is none: pages show nothing of what is in it.)
  if array_ndims(place.online_categories) > 1
    or exists (select 1 from unnest(place.online_categories) wanted
    left join public.categories c on c.id = wanted and c.parent_category = 12 where c.id is null) then
    perform private.refuse('online_category_unknown', 'online_categories');
  end if;
  if array_ndims(place.licensed_locations) > 1
    or exists (select from unnest(place.licensed_locations) location where location is null
    or length(btrim(location)) not between 1 and 100 or location <> private.one_line(location)) then
    perform private.refuse('licensed_location_unknown', 'licensed_locations');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.without_edit(before public.places, place public.places)
 RETURNS public.places
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  sent constant jsonb := to_jsonb(place);
  was constant jsonb := to_jsonb(before);
  -- (As the deletion of an account leaves them.)
  approved constant jsonb := before.last_update || place.last_update;
begin
  if before.last_update = '{}' then
    return place;
  end if;
  place := jsonb_populate_record(place, (select jsonb_object_agg(e.key, approved -> e.key)
    from jsonb_each(before.last_update) e
    where not private.from_api() or sent -> e.key is not distinct from was -> e.key));
  select coalesce(jsonb_object_agg(e.key, e.value), '{}') into place.last_update
    from jsonb_each(place.last_update) e, (select to_jsonb(place) as restored offset 0) r
    where e.value is distinct from r.restored -> e.key;
  return place;
end $function$;

CREATE OR REPLACE FUNCTION private.write_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  only_keys text[] := nullif(coalesce(tg_argv[0], ''), '')::text[];
  skip_keys constant text[] := array['version', 'modified_at', 'created_at', 'name_search',
    'full_name_search', 'email_search'];
  -- A function that makes a decision names it in app.audit_action; otherwise it is the statement.
  action_name text := coalesce(nullif(current_setting('app.audit_action', true), ''), lower(tg_op));
  acting_user uuid := auth.uid();
  acting_role text := coalesce(nullif(auth.role(), ''), 'system');
  -- Only for these columns is it asked whether a row has been public, which may take a look-up.
  texts constant text[] := case when tg_table_name in ('places', 'jobs', 'sponsorships')
    then private.texts_withheld_until_public() else '{}' end;
begin
  if tg_op = 'UPDATE' then
    with o as materialized (select id, to_jsonb(r) as j from old_rows r),
      n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id', changed.before, changed.after
    from n join o on o.id = n.id
    -- What a former owner wrote and no one approved goes with them, and not into the log once more.
    cross join lateral (select case when tg_table_name = 'places' and o.j ->> 'owner' is not null
      and n.j ->> 'owner' is distinct from o.j ->> 'owner' then o.j -> 'last_update' else '{}' end as edit) gone
    cross join lateral (
      select jsonb_object_agg(k.key, private.audit_value(k.key, o.j -> k.key,
          not gone.edit ? k.key and (k.key <> all (texts) or private.has_been_public(tg_table_name, o.j)))) as before,
        jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) as after
      from jsonb_each(n.j) k
      where k.value is distinct from o.j -> k.key and k.key <> all (skip_keys)
        and (only_keys is null or k.key = any (only_keys))
    ) changed
    where changed.after is not null
    order by n.id;
  elsif tg_op = 'INSERT' then
    with n as materialized (select id, to_jsonb(r) as j from new_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
    select acting_user, acting_role, action_name, tg_table_name, n.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, n.j))) from jsonb_each(n.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from n order by n.id;
  else
    with o as materialized (select id, to_jsonb(r) as j from old_rows r)
    insert into public.audit_log (actor, actor_role, action, subject, subject_id, before)
    select acting_user, acting_role, action_name, tg_table_name, o.j ->> 'id',
      (select jsonb_object_agg(k.key, private.audit_value(k.key, k.value,
          k.key <> all (texts) or private.has_been_public(tg_table_name, o.j))) from jsonb_each(o.j) k
        where k.value <> 'null'::jsonb and k.key <> all (skip_keys)
          and (only_keys is null or k.key = any (only_keys)))
    from o order by o.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.cancellation_days(sponsorship_id bigint DEFAULT NULL::bigint)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.cancellation_days(sponsorship_id) $function$;

CREATE OR REPLACE FUNCTION public.my_dashboard(search text DEFAULT NULL::text, show text DEFAULT NULL::text, page integer DEFAULT 1, page_rows integer DEFAULT 20)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with mine as (
    select p.id, null::uuid as draft, p.name, p.city, p.state, p.modified_at as at,
      private.normalize_for_search(p.name) as key,
      p.premium and (p.owner is not null or p.id = any ((select private.managed_places())::bigint[])) as featured,
      p.status in ('new', 'pending-update', 'flagged') as review,
      p.hidden and p.status <> 'archived' as hidden,
      private.attention(p::public.places, p.id = any ((select private.managed_places())::bigint[])) as attention
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
    union all
    select null, d.id, d.name, null, null, d.updated_at, private.normalize_for_search(d.name), false, false, false, 'draft'
    from (select l.id, left(btrim(coalesce(l.fields ->> 'name', '')), 200) as name, l.updated_at
      from public.listing_drafts l where l.owner = (select private.user_id()) and l.form is null) d
  ), matching as (
    select m.* from mine m where not exists (
      select from regexp_split_to_table(btrim(private.normalize_for_search(left(coalesce(search, ''), 200))), '\s+') word
      where position(word in private.normalize_for_search(concat_ws(' ', m.name, m.city, m.state))) = 0)
  ), found as (
    -- Drafts without a name are last.
    select m.id, m.draft, m.name, m.at,
      row_number() over (order by m.featured desc, m.key = '', m.key, m.id, m.draft) as n
    from matching m
    where case show when 'attention' then m.attention is not null when 'featured' then m.featured
      when 'review' then m.review when 'hidden' then m.hidden when 'drafts' then m.draft is not null
      else true end
  ), bounds as (
    select private.page_size(page_rows, 100) as size, (select count(*) from found) as total
  ), shown as (
    select f.* from found f, bounds b
    where f.n > b.size * (least(greatest(coalesce(page, 1), 1), greatest((b.total + b.size - 1) / b.size, 1)) - 1)
    order by f.n limit (select size from bounds)
  )
  select jsonb_build_object(
    'all', (select count(*) from mine),
    'counts', (select jsonb_build_object('all', count(*), 'attention', count(m.attention),
        'featured', count(*) filter (where m.featured), 'review', count(*) filter (where m.review),
        'hidden', count(*) filter (where m.hidden), 'drafts', count(m.draft)) from matching m),
    'total', (select total from bounds),
    'first', (select min(n) from shown),
    'week', private.week_of(now()),
    'tasks', coalesce((
      select jsonb_agg(jsonb_build_object('kind', t.attention, 'id', t.id, 'draft', t.draft, 'name', t.name,
        'at', t.at) order by t.rank, t.key, t.id, t.draft)
      from (select m.*, array_position(array['payment-failed', 'changes-requested', 'no-address', 'no-email',
            'to-claim', 'draft'], m.attention) as rank
        from mine m where m.attention is not null order by rank, m.key, m.id, m.draft limit 5) t),
      '[]'),
    'rows', coalesce((
      select jsonb_agg(case when f.draft is not null
        then jsonb_build_object('draft', f.draft, 'name', f.name, 'updated_at', f.at)
        else jsonb_build_object(
        'id', s.id, 'name', s.name, 'city', s.city, 'state', s.state, 'status', s.status,
        'premium', s.premium,
        'user_count_by_distance', s.user_count_by_distance, 'views', s.views,
        'favoritescount', s.favoritescount, 'weekly_views', s.weekly_views,
        'proxi_id', s.proxi_id,
        'subscription_status', case when p.stripe_cus_id is not null then s.subscription_status end,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update)),
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'),
        'subscription_ends_at', case when p.stripe_cus_id is not null then p.subscription_ends_at end,
        'paid_by_another', p.stripe_cus_id is null and s.subscription_status is not null
      ) end order by f.n)
      from shown f left join public.places_with_stats s on s.id = f.id
      left join public.places p on p.id = f.id),
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.my_home()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with listings as (
    select p.*, private.needs_completion(p::public.places, p.owner = (select private.user_id())) as incomplete
    from (
      select * from public.places o where o.owner = (select private.user_id())
        or (o.owner is null and o.owner_email = (select private.my_email()))
      union all select * from private.managed_listings()) p
  ), jobs as (
    -- While a payment for it is on its way, there is nothing to do.
    select j.* from public.jobs j where j.owner = (select private.user_id()) and j.filled_at is null
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing')
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owner = (select private.user_id()) and l.subscription_status in ('past_due', 'unpaid')
        and l.stripe_cus_id is not null
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l
      where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.incomplete
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
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
    'supporter', exists (select from public.places p where p.owner = (select private.user_id()) and p.premium
      and p.status <> 'archived'),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.open_order(buyer uuid, kind text, item_id bigint, plan text DEFAULT NULL::text, unit_price_cents integer DEFAULT NULL::integer, coupon text DEFAULT NULL::text, renew boolean DEFAULT false, days integer DEFAULT NULL::integer, checked text[] DEFAULT NULL::text[])
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.open_order(buyer, kind, item_id, plan, unit_price_cents, coupon, renew,
  days, checked) $function$;

CREATE OR REPLACE FUNCTION public.plans_to_stop()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select * from private.plans_to_stop() $function$;

alter table public.payments add constraint payments_plan_check CHECK ((length(plan) <= 40));

create view private.due_emails as
 SELECT n.id,
    f.id AS user_id,
    f.full_name,
    ((i.id IS NOT NULL) OR COALESCE(f.discreet, ( SELECT a.discreet
           FROM public.profiles a
          WHERE ((n.address IS NOT NULL) AND ((a.id)::text = (n.data ->> 'user'::text)))), false)) AS discreet,
    COALESCE(n.address, i.email, lower((u.email)::text),
        CASE
            WHEN (p.owner IS NULL) THEN p.owner_email
            ELSE NULL::text
        END) AS email,
    COALESCE(p.hidden, false) AS hidden
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON ((p.id = n.place_id)))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner)) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'listing-removed'::text) OR (p.status = 'archived'::text)) AND (NOT private.is_outdated(n.kind, n.data)) AND private.wants_email(u.id, n.kind));

grant execute on function private.cancellation_days(bigint) to authenticated;

grant execute on function private.limit_changes(bigint) to authenticated;

grant execute on function private.limit_changes(bigint) to service_role;

grant execute on function private.open_order(uuid,text,bigint,text,integer,text,boolean,integer,text[]) to service_role;

grant execute on function private.plans_to_stop() to service_role;

grant execute on function private.without_edit(public.places,public.places) to authenticated;

grant execute on function private.without_edit(public.places,public.places) to service_role;

grant execute on function public.cancellation_days(bigint) to authenticated;

grant execute on function public.open_order(uuid,text,bigint,text,integer,text,boolean,integer,text[]) to service_role;

grant execute on function public.plans_to_stop() to service_role;

set check_function_bodies = on;
