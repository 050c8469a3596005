-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.create_recovery_codes()
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  codes text[];
  had_codes boolean;
begin
  -- One after the other: two requests at once would leave two sets. Rights are asked after the wait.
  perform 1 from public.profiles p where p.id = private.user_id() for no key update;
  perform private.require_recent_second_step();
  delete from private.recovery_codes c where c.user_id = private.user_id();
  had_codes := found;
  select array_agg(regexp_replace(left(hex, 12) || right(hex, 3), '(.....)(.....)', '\1-\2-')) into codes
    from (select replace(gen_random_uuid()::text, '-', '') as hex from generate_series(1, 10)) random;
  insert into private.recovery_codes (user_id, code_hash)
    select private.user_id(), private.recovery_code_hash(code) from unnest(codes) code;
  if had_codes then
    perform private.report_second_step(private.user_id(), 'new-codes', private.user_id());
  end if;
  return codes;
end $function$;

CREATE OR REPLACE FUNCTION private.my_plan(place_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select case when s.owner = private.user_id()
      then jsonb_build_object('mine', true, 'status', s.status, 'live', private.subscription_is_live(s.status),
        'plan', s.plan, 'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
        'next_attempt_at', s.next_attempt_at, 'subscription', s.id,
        'payment_pending', exists (select from public.orders o
          where o.place_id = p.id and o.stripe_subscription_id = s.id and o.status = 'processing'))
      else jsonb_build_object('mine', false, 'status', s.status, 'live', private.subscription_is_live(s.status)) end
    from public.places p join public.subscriptions s on s.place_id = p.id
    where p.id = my_plan.place_id and p.owner = private.user_id() and not s.surplus
      and s.status not in ('incomplete', 'incomplete_expired')
    order by private.subscription_is_live(s.status) desc, s.started_at desc, s.id limit 1
$function$;

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
begin
  select * into paid from public.payments p where p.id = payment;
  for fact in select * from jsonb_array_elements(facts) loop
    select * into known from public.refunds r where r.stripe_id = fact ->> 'id';
    if known.id is null and fact ->> 'refund' is not null then
      select * into known from public.refunds r where r.id::text = fact ->> 'refund' and r.payment_id = payment;
      -- The answer to an attempt that failed before.
      continue when known.id is not null
        and (known.stripe_id is not null or known.attempt > coalesce((fact ->> 'attempt')::integer, 1));
    end if;
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
        returning * into after;
      continue when after.id is null;
    end if;
    if after.status = 'failed' then
      perform private.enqueue_team_email('refund-failed', format('refund-failed:%s:%s', after.id, after.attempt),
        jsonb_build_object('order', paid.order_id, 'kind', paid.kind, 'cents', after.cents));
    elsif after.status in ('pending', 'succeeded') then
      perform private.enqueue_email(paid.owner, null, 'payment-returned',
        format('payment-returned:%s:%s', paid.order_id, after.id),
        jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
    end if;
  end loop;
  update public.refunds r set status = 'canceled', modified_at = now()
    where r.payment_id = payment and r.status = 'requested'
      and r.cents > paid.cents - coalesce((select sum(o.cents) from public.refunds o
        where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
end $function$;

set check_function_bodies = on;
