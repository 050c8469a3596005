-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.admin_reports(state text, after text, before text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  filter constant text := case when state <> '' then format(' and e.state = %L', state) else '' end;
  total bigint;
begin
  perform private.require_admin();
  execute 'select count(*) from public.events e where e.event_name = ''report_listing''' || filter into total;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select e.created_at, e.id, jsonb_build_object(''id'', e.id, ''place'', e.place, ''place_name'', p.name,
        ''place_status'', p.status, ''place_hidden'', p.hidden, ''reason'', e.data ->> ''reason'', ''info'', e.data ->> ''info'',
        ''state'', e.state, ''note'', e.note, ''created_at'', e.created_at) as item
      from public.events e join public.places p on p.id = e.place where e.event_name = ''report_listing''' || filter,
    '{created_at,id}', '{timestamptz,bigint}', after, before, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.admin_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'pronouns', p.pronouns, 'postalcode',
      p.postalcode,
      'email', private.masked_email(p.email), 'phone', private.masked_phone(p.phone),
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in, 'business_owner', p.business_owner,
      'supporter', p.supporter, 'admin', p.admin, 'favorites', private.favorites_in_tens(p.id), 'created_at', p.created_at,
      'confirmed', private.is_confirmed(p.id),
      'places_count', (select count(*) from public.places l where l.owner = p.id),
      'places', (select coalesce(jsonb_agg(to_jsonb(l) order by l.name, l.id), '[]') from (
        select l.id, l.name, l.city, l.state, l.status, l.premium, l.hidden, l.proxi_id
        from public.places l where l.owner = p.id order by l.name, l.id limit 200) l),
      'jobs_count', (select count(*) from public.jobs j where j.owner = p.id),
      'jobs', (select coalesce(jsonb_agg(to_jsonb(j) order by j.created_at desc, j.id desc), '[]') from (
        select j.id, j.title, j.published, j.paid, j.expiration_date, j.filled_at, j.created_at,
          private.job_names_company(j.id) as names_company
        from public.jobs j where j.owner = p.id order by j.created_at desc, j.id desc limit 200) j))
    from public.profiles p where p.id = admin_user.user_id);
end $function$;

CREATE OR REPLACE FUNCTION private.asks_for_payment(place public.places)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Asked of each listing on a page: few come to the query.
  if place.subscription_status in ('past_due', 'unpaid') and place.stripe_cus_id is not null
    and place.status <> 'archived' and not place.archive_requested then
    return not exists (select from private.account_deletions d
      where d.user_id = place.owner and not private.is_last_admin(d.user_id));
  end if;
  return false;
end $function$;

CREATE OR REPLACE FUNCTION private.attention(place public.places, managed boolean)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select case
    when place.owner is null and not managed then 'to-claim'
    when not managed and private.asks_for_payment(place) then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end
$function$;

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
  -- No one waits for a stranger, who is refused before anything is locked.
  if not exists (select from public.sponsorships s
    where s.id = cancel_sponsorship_dates.sponsorship_id and s.owner = private.user_id()) then
    raise exception 'sponsorship_not_yours' using errcode = '42501';
  end if;
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
  elsif exists (select from unnest(wanted) d
      where d <= private.today()
        or d < (now() at time zone 'UTC' - interval '12 hours')::date + private.cancellation_days(item.id)) then
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
  -- With the last one, all that is left: also what the bank returned of earlier ones, or was canceled as it didn't fit.
  share := case when cardinality(wanted) = before then remaining else least(share, remaining) end;
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
          and private.subscription_is_live(s.status) and private.is_charged_again(s))));
  end if;
  return null;
end $function$;

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
      jsonb_build_object('subscription', is_now.id, 'listing', private.plan_listing_name(is_now.id),
        'ends_at', case when live then is_now.ends_at end,
        -- It ended for that, and not for a bill that is owed (private.refund_late_renewals).
        'refunded', exists (select from public.payments p join public.refunds r on r.payment_id = p.id
          where p.subscription_id = is_now.id and r.reason = 'plan-ends'),
        'awaits_renewal', is_now.awaits_payment, 'awaited', live and not private.is_paid_for(is_now)));
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
  -- (What ends as its payer has asked for, or with its listing, isn't collected anymore.)
  if is_now.status = 'past_due' and private.plan_leaves_with(is_now) is null
    and not exists (select from public.places p where p.id = is_now.place_id and p.status = 'archived') then
    perform private.enqueue_email(is_now.owner, mail_place, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due',
        'awaited', not private.is_paid_for(is_now), 'awaits_renewal', is_now.awaits_payment, 'leaves_with', private.plan_leaves_with(is_now)));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, mail_place, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false),
        'by_us', coalesce((facts ->> 'by_us')::boolean, false), 'awaits', is_now.awaits_payment));
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
  -- Whether more than the status has changed. If not, its texts are as they were stored.
  rewritten boolean := true;
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
    rest := new;
    rest.status := old.status;
    rewritten := rest is distinct from old;
  end if;

  -- 2. Values in their stored form, and what is derived from them.
  if rewritten then
    new := private.with_one_line(new, 'name', 'public_email', 'phone', 'rawaddress', 'address', 'city', 'state',
      'country', 'postalcode', 'mailingaddress', 'url', 'tiktok', 'instagram', 'xtwitter', 'youtube', 'facebook',
      'linkedin');
    new.description := private.many_lines(new.description);
    new.changes_requested := private.many_lines(new.changes_requested);
    new.name := btrim(new.name);
    new.owner_email := nullif(lower(btrim(new.owner_email)), '');
    if tg_op = 'INSERT' or new.name <> old.name then
      -- (What is too long is refused after this; to make it searchable first would take seconds.)
      new.name_key := private.normalize_for_search(left(new.name, 200));
      new.name_search := private.name_search_vector(new.name_key);
    end if;
    if api and tg_op = 'INSERT' then
      new := private.without_former_answers(null, new);
    elsif api and new.category <> old.category then
      new := private.without_former_answers(old, new);
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
    if api and (old.last_update <> '{}' and new.status <> 'published'
      or old.status in ('published', 'pending-update') and new.status in ('published', 'pending-update')
        and (by_owner or new.status = 'pending-update')) then
      new := private.record_pending_edit(old, new, by_owner);
    end if;
    if by_owner then
      -- Hiding a listing and asking for its removal are never refused. Anything else in the same change counts: to hide
      -- it while the request is withdrawn, and the other way around, would be a way to save without end.
      if to_jsonb(new) - switches <> to_jsonb(old) - switches
        or (old.hidden and not new.hidden) or (old.archive_requested and not new.archive_requested) then
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
  -- A request for removal was that of the owner who made it, and is over once it is fulfilled. With no owner, as after
  -- the deletion of their account, it waits for the team.
  if (new.owner is not null and new.owner is distinct from old.owner)
    or (new.status = 'archived' and old.status <> 'archived') then
    new.archive_requested := new.archive_requested and not old.archive_requested;
  end if;
  -- What no one can see doesn't become public after its owner has asked for its removal, unless they show it
  -- themselves. (Of decisions, validate_decision says the same.)
  if api and new.archive_requested and new.status in ('published', 'pending-update')
    and (old.status not in ('published', 'pending-update')
      or (old.hidden and not new.hidden and old.owner is distinct from private.user_id())) then
    perform private.refuse('removal_requested', 'status');
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
        -- (A request for removal that is canceled has been read: an admin would still remove the listing for it.)
        if new.archive_requested or not old.archive_requested then
          new.version := old.version;
        end if;
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

CREATE OR REPLACE FUNCTION private.is_paid_for(sub public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select not exists (select from public.orders o where o.id = sub.order_id
      and (o.paid_at is null or o.stripe_subscription_id <> sub.id))
    or exists (select from public.payments p where p.subscription_id = sub.id and p.cents > p.refunded_cents)
$function$;

CREATE OR REPLACE FUNCTION private.keeps_featured(sub public.subscriptions)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ select not sub.surplus and private.subscription_is_live(sub.status) and private.is_paid_for(sub) $function$;

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
  purchases constant jsonb := jsonb_path_query_array(coalesce(facts -> 'payments', '[]'), '$[*] ? (@.reason == "purchase")');
  -- A bank debit arrives for a plan that has ended meanwhile: nothing was ever Featured for it.
  late constant boolean := exists (select from jsonb_array_elements(purchases) paid
    where (paid ->> 'arrived_at')::timestamptz > (sub ->> 'ended_at')::timestamptz);
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
    elsif was.paid_at is null and not late then
      now_is.stripe_checkout_session_id := session ->> 'id';
    elsif exists (select 1 from public.orders o where o.stripe_checkout_session_id = session ->> 'id') then
      return jsonb_build_object('again', true);
    else
      -- Paid a second time, or late, when it may be on its way again: a new order, to be refunded.
      insert into public.orders (kind, owner, job_id, sponsorship_id, place_id, plan, quantity, days,
        unit_price_cents, currency, coupon, status, refund_reason, paid_at, stripe_checkout_session_id,
        item_name, item_dates, opened_at, cancellation_days)
      values (was.kind, was.owner, was.job_id, was.sponsorship_id, was.place_id, was.plan, was.quantity,
        was.days, was.unit_price_cents, was.currency, was.coupon, 'paid',
        case when was.paid_at is null then 'changed' else 'paid-twice' end, now(), session ->> 'id',
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
      -- What was charged: the amount of the session is that of before the customer's credit.
      now_is.amount_paid_cents := coalesce(was.amount_paid_cents,
        (select sum((paid ->> 'cents')::bigint) from jsonb_array_elements(purchases) paid),
        (session ->> 'paid_cents')::bigint);
      if was.paid_at is null then
        now_is.paid_at := now();
        now_is.status := 'paid';
        now_is.refund_reason := case
          when (session ->> 'subtotal_cents')::bigint <> was.price_cents
            or session ->> 'currency' <> was.currency then 'changed'
          when late and was.owner is not null then 'changed'
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
      -- No one is asked to pay for a listing that has gone to someone else while the payment was on its way.
      now_is.status := case when state in ('expired', 'failed') and exists (select from public.places p
        where p.id = was.place_id and p.owner is distinct from was.owner) then 'canceled' else state end;
      if state = 'processing' and was.sponsorship_id is not null then
        -- Some payments take days: the dates stay held until then.
        update public.sponsorship_spots s set held_until = now() + interval '10 days'
          where s.sponsorship_id = was.sponsorship_id and s.held_until is not null
            and was.status <> 'processing';
      elsif now_is.status in ('expired', 'failed') and was.status <> state then
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
        -- A plan that is unpaid has emails of its own.
        if state = 'failed' and coalesce(sub ->> 'status', '') not in ('past_due', 'canceled', 'unpaid') then
          perform private.enqueue_email(was.owner, null, 'payment-failed', 'payment-failed:' || was.id || ':'
            || was.attempt,
            jsonb_build_object('order', was.id, 'kind', was.kind));
        end if;
      end if;
    end if;
  end if;

  if sub is not null and place is not null then
    insert into public.subscriptions as s (id, place_id, order_id, owner, stripe_customer_id, status,
      started_at, ends_at, surplus, seen, plan, cents, months, period_from, period_to, canceled_at, next_attempt_at,
      credit_cents, plus_tax, awaits_payment)
    values (sub ->> 'id', place, now_is.id,
      -- One that is older than the orders is its listing's owner's, while they have its customer.
      coalesce(now_is.owner, (select p.owner from public.places p
        where p.id = place and p.stripe_cus_id = sub ->> 'customer')),
      sub ->> 'customer', sub ->> 'status', (sub ->> 'started_at')::timestamptz,
        (sub ->> 'ends_at')::timestamptz,
      -- What is refunded may be for another one, which was begun after its first payment had failed.
      now_is.refund_reason is not null and now_is.stripe_subscription_id is not distinct from sub ->> 'id',
      1, sub ->> 'plan', (sub ->> 'cents')::bigint, (sub ->> 'months')::integer,
      (sub ->> 'period_from')::timestamptz, (sub ->> 'period_to')::timestamptz,
      (sub ->> 'canceled_at')::timestamptz, (sub ->> 'next_attempt_at')::timestamptz,
      coalesce((sub ->> 'credit_cents')::bigint, 0), coalesce((sub ->> 'plus_tax')::boolean, false),
      coalesce((sub ->> 'awaits_payment')::boolean, false))
    on conflict (id) do update set
      order_id = coalesce(excluded.order_id, s.order_id), stripe_customer_id = excluded.stripe_customer_id,
        status = excluded.status,
      started_at = excluded.started_at, ends_at = excluded.ends_at, surplus = s.surplus or excluded.surplus,
      plan = excluded.plan, cents = excluded.cents, months = excluded.months, period_from = excluded.period_from,
      period_to = excluded.period_to, canceled_at = excluded.canceled_at,
      next_attempt_at = excluded.next_attempt_at,
      credit_cents = coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents),
      plus_tax = coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
      awaits_payment = coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment),
      seen = s.seen + 1, modified_at = now()
      where (s.stripe_customer_id, s.status, s.started_at, s.ends_at, s.surplus, s.plan, s.cents, s.months,
          s.period_from, s.period_to, s.canceled_at, s.next_attempt_at, s.credit_cents, s.plus_tax,
          s.awaits_payment)
        is distinct from (excluded.stripe_customer_id, excluded.status, excluded.started_at,
          excluded.ends_at, s.surplus or excluded.surplus, excluded.plan, excluded.cents, excluded.months,
          excluded.period_from, excluded.period_to, excluded.canceled_at, excluded.next_attempt_at,
          coalesce((sub ->> 'credit_cents')::bigint, s.credit_cents), coalesce((sub ->> 'plus_tax')::boolean, s.plus_tax),
          coalesce((sub ->> 'awaits_payment')::boolean, s.awaits_payment))
    returning * into sub_now;
    if sub_now.id is not null then
      perform private.enqueue_subscription_emails(sub_was, sub_now, sub);
      update public.subscriptions s set credit_cents = sub_now.credit_cents, seen = s.seen + 1, modified_at = now()
        where s.stripe_customer_id = sub_now.stripe_customer_id and s.credit_cents <> sub_now.credit_cents;
    end if;
  end if;

  -- While the first payment is on its way, and when it has failed, a change of plan may be paid for.
  if now_is.paid_at is not null or (sub is not null and (now_is.id is null
    or exists (select from jsonb_array_elements(facts -> 'payments') paid where paid ->> 'reason' <> 'purchase'))) then
    payments_changed := private.record_payments(now_is, coalesce(sub ->> 'id', subscription_id),
      (sub ->> 'ended_at')::timestamptz, coalesce(facts -> 'payments', '[]'));
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
      about := jsonb_build_object('payment', after.id, 'cents', after.cents, 'from', after.period_from,
        'to', after.period_to, 'listing', private.plan_listing_name(of_subscription),
        'credit', coalesce((select s.credit_cents from public.subscriptions s where s.id = of_subscription), 0),
        -- A bank debit can arrive after that.
        'ended', exists (select from public.subscriptions s
          where s.id = of_subscription and s.status in ('canceled', 'incomplete_expired')));
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
          jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
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

CREATE OR REPLACE FUNCTION private.schedule_emails(keys text[], due timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.email_queue n set next_try_at = due
  where n.key = any (keys) and n.sent_at is null and n.attempts = 0 and n.next_try_at is distinct from due
$function$;

CREATE OR REPLACE FUNCTION private.update_featured(place bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.places p set premium = s.featured, premium_created_at = s.started_at,
      stripe_cus_id = case when s.owner = p.owner then s.stripe_customer_id end, stripe_subscription_id = s.id, subscription_status = s.status,
      subscription_ends_at = case when s.live then s.ends_at end
  from (
    select f.*, private.keeps_featured(f) as featured, private.subscription_is_live(f.status) as live
    from public.subscriptions f
    where f.place_id = place and f.status not in ('incomplete', 'incomplete_expired')
      and (not f.surplus or f.id = (select l.stripe_subscription_id from public.places l where l.id = place))
    order by private.keeps_featured(f) desc, f.surplus, private.subscription_is_live(f.status) desc, f.started_at desc,
      f.id limit 1
  ) s
  where p.id = place
    and (p.premium, p.premium_created_at, p.stripe_cus_id, p.stripe_subscription_id, p.subscription_status,
      p.subscription_ends_at)
      is distinct from (s.featured, s.started_at,
        case when s.owner = p.owner then s.stripe_customer_id end, s.id, s.status,
        case when s.live then s.ends_at end);
  return found;
end $function$;

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
