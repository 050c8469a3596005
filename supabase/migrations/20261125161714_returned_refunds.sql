-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

create table private.returned_refunds (
  stripe_id text not null,
  refund_id uuid not null,
  made_at timestamp with time zone not null,
  failed_at timestamp with time zone not null
);

CREATE OR REPLACE FUNCTION private.admin_ledger(since timestamp with time zone, until timestamp with time zone, skip integer, max_rows integer)
 RETURNS TABLE(at timestamp with time zone, type text, cents bigint, currency text, payment_id text, refund_id text, invoice_number text, order_id uuid, kind text, reason text, item_name text, tax_cents bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  perform private.require_admin();
  return query
    select m.at, m.type, m.cents, p.currency, p.id, m.refund_id, p.invoice_number, p.order_id, p.kind, p.reason,
      coalesce(o.item_name, l.name), case when m.type = 'payment' then p.tax_cents else 0 end
    from (
      select y.paid_at as at, 'payment' as type, y.cents, y.id as payment_id, null::text as refund_id
        from public.payments y
        where y.cents > 0 and y.paid_at >= admin_ledger.since and y.paid_at < admin_ledger.until
      union all
      select r.made_at, 'refund', -r.cents, r.payment_id, r.stripe_id from public.refunds r
        where (r.status in ('pending', 'succeeded', 'failed') or private.was_returned(r))
          and r.made_at >= admin_ledger.since and r.made_at < admin_ledger.until
      union all
      select r.failed_at, 'refund-failed', r.cents, r.payment_id, r.stripe_id from public.refunds r
        where (r.status = 'failed' or private.was_returned(r))
          and r.failed_at >= admin_ledger.since and r.failed_at < admin_ledger.until
      union all
      select b.made_at, 'refund', -r.cents, r.payment_id, b.stripe_id
        from private.returned_refunds b join public.refunds r on r.id = b.refund_id
        where b.made_at >= admin_ledger.since and b.made_at < admin_ledger.until
      union all
      select b.failed_at, 'refund-failed', r.cents, r.payment_id, b.stripe_id
        from private.returned_refunds b join public.refunds r on r.id = b.refund_id
        where b.failed_at >= admin_ledger.since and b.failed_at < admin_ledger.until
      union all
      select y.disputed_at, 'dispute', -y.disputed_cents, y.id, null from public.payments y
        where y.disputed_at >= admin_ledger.since and y.disputed_at < admin_ledger.until
      union all
      select y.dispute_closed_at, 'dispute-won', y.disputed_cents, y.id, null from public.payments y
        where y.dispute = 'won' and y.dispute_closed_at >= admin_ledger.since
          and y.dispute_closed_at < admin_ledger.until
    ) m join public.payments p on p.id = m.payment_id
      left join public.orders o on o.id = p.order_id
      left join public.subscriptions s on s.id = p.subscription_id
      left join public.places l on l.id = s.place_id
    order by m.at, m.type, p.id, m.refund_id offset skip limit least(max_rows, 1000);
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
  is_new boolean;
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
      perform private.enqueue_email(paid.owner, null, 'payment-returned',
        format('payment-returned:%s:%s', paid.order_id, after.id),
        jsonb_build_object('kind', paid.kind, 'cents', after.cents, 'paid', paid.cents, 'reason', after.reason));
      if is_new and after.reason in ('team', 'elsewhere') then
        update public.refunds r set status = 'canceled', modified_at = now()
          where r.id = (select f.id from public.refunds f
            where f.payment_id = payment and f.status = 'failed' and f.cents = after.cents
              and f.failed_at <= after.created_at
            order by f.failed_at, f.id limit 1);
      end if;
    end if;
  end loop;
  update public.refunds r set status = 'canceled', modified_at = now()
    where r.payment_id = payment and r.status in ('requested', 'failed')
      and r.cents > paid.cents - coalesce((select sum(o.cents) from public.refunds o
        where o.payment_id = payment and o.status in ('pending', 'succeeded')), 0);
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
  -- As in request_refund: before anything is locked, and then the order first.
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  select r.* into failed from public.refunds r where r.id = refund_id;
  perform 1 from public.orders o
    where o.id = (select p.order_id from public.payments p where p.id = failed.payment_id) for update;
  perform 1 from public.payments p where p.id = failed.payment_id for update;
  select r.* into failed from public.refunds r where r.id = refund_id and r.status = 'failed'
    and r.attempt < case when auth.role() = 'service_role' then max_attempts else 20 end for update;
  if auth.role() is distinct from 'service_role' then
    perform private.require_admin();
  end if;
  if failed.id is null then
    return false;
  end if;
  if private.refundable_cents(failed.payment_id) < failed.cents then
    return false;
  end if;
  insert into private.returned_refunds (stripe_id, refund_id, made_at, failed_at)
    select failed.stripe_id, failed.id, failed.made_at, failed.failed_at
    where failed.stripe_id is not null and failed.made_at is not null and failed.failed_at is not null;
  perform set_config('app.audit_action', 'retry-refund', true);
  update public.refunds r set status = 'requested', attempt = r.attempt + 1, stripe_id = null, made_at = null,
      failed_at = null, modified_at = now()
    where r.id = failed.id;
  perform set_config('app.audit_action', '', true);
  update public.orders o set seen = o.seen + 1 from public.payments p
    where p.id = failed.payment_id and o.id = p.order_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.was_returned(refund public.refunds)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select refund.status = 'canceled' and refund.stripe_id is not null and refund.failed_at is not null $function$;

alter table private.returned_refunds add constraint returned_refunds_pkey PRIMARY KEY (stripe_id);

alter table private.returned_refunds add constraint returned_refunds_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES public.refunds(id);

alter table private.returned_refunds add constraint returned_refunds_stripe_id_check CHECK ((length(stripe_id) <= 255));

CREATE INDEX returned_refunds_refund ON private.returned_refunds USING btree (refund_id);

alter table private.returned_refunds enable row level security;

create policy "no access" on private.returned_refunds for all to anon, authenticated
  using (false);

set check_function_bodies = on;
