-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

revoke execute on function public.review_listings(jsonb,text,text,integer) from authenticated;

revoke execute on function public.lock_next_listing_for_review(jsonb,text,bigint) from authenticated;

revoke execute on function private.review_listings(jsonb,text,text,integer) from authenticated;

revoke execute on function private.lock_next_listing_for_review(jsonb,text,bigint) from authenticated;

drop function public.review_listings(jsonb,text,text,integer);

drop function public.lock_next_listing_for_review(jsonb,text,bigint);

drop function private.review_listings(jsonb,text,text,integer);

drop function private.lock_next_listing_for_review(jsonb,text,bigint);

CREATE OR REPLACE FUNCTION private.attention(place public.places, managed boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select case
    when place.owner is null and not managed then 'to-claim'
    when place.subscription_status in ('past_due', 'unpaid') and not managed then 'payment-failed'
    when coalesce(place.changes_requested, '') <> '' then 'changes-requested'
    when private.needs_completion(place, not managed) then
      case when coalesce(place.state, '') = '' then 'no-address' else 'no-email' end
  end
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_subscription_emails(was public.subscriptions, is_now public.subscriptions, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  was_live constant boolean := coalesce(private.subscription_is_live(was.status), false);
  live constant boolean := private.subscription_is_live(is_now.status);
  about constant jsonb := jsonb_build_object('kind', 'upgrade', 'place', is_now.place_id,
    'listing', private.plan_listing_name(is_now.id));
begin
  if is_now.surplus then
    return;
  end if;
  if is_now.status = 'past_due' then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'payment-failed',
      'payment-failed:' || is_now.id || ':' || coalesce(facts ->> 'period_from', ''),
      about || jsonb_build_object('next_attempt_at', is_now.next_attempt_at, 'featured', private.keeps_featured(is_now)));
  end if;
  if live and is_now.ends_at is not null and is_now.ends_at is distinct from was.ends_at then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'subscription-canceled',
      format('subscription-canceled:%s:%s', is_now.id, extract(epoch from coalesce(is_now.canceled_at, is_now.ends_at))::bigint),
      about || jsonb_build_object('ends_at', is_now.ends_at, 'unpaid', is_now.status = 'past_due'));
  elsif not live and is_now.status not in ('incomplete', 'incomplete_expired')
    and (was_live or (was.id is null and (facts ->> 'ended_at')::timestamptz > now() - interval '3 days')) then
    perform private.enqueue_email(is_now.owner, is_now.place_id, 'subscription-ended',
      format('subscription-ended:%s:%s', is_now.id, extract(epoch from is_now.period_from)::bigint),
      about || jsonb_build_object('by_customer', coalesce((facts ->> 'by_customer')::boolean, false)));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_next_listing_for_review(filter jsonb, after text, leaving bigint, approvable boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  sort text := (private.review_filter(filter)).sort;
  candidate bigint;
begin
  perform private.require_admin();
  delete from private.review_locks c where c.place_id = leaving and c.admin = private.user_id();
  foreach candidate in array coalesce(private.review_ids(filter, after, false, 50,
    'not exists (select from private.review_locks c where c.place_id = p.id and c.until > now() and c.admin <> (select private.user_id()))'
      || case when approvable and 'no' not in (coalesce(filter ->> 'email', ''), coalesce(filter ->> 'complete', ''))
        then ' and private.missing_for_approval(p.owner_email, p.state) = ''{}''' else '' end),
    '{}')
  loop
    -- Another admin may have been faster.
    if private.lock_for_review(candidate, false) then
      return (select jsonb_build_object('id', p.id, 'cursor', private.review_cursor(p, sort))
        from public.places p where p.id = candidate);
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.my_plans_of_others()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce(jsonb_agg(jsonb_build_object('subscription', s.id, 'customer', s.stripe_customer_id, 'listing', private.plan_listing_name(s.id),
      'cents', s.cents, 'months', s.months, 'period_to', s.period_to, 'ends_at', s.ends_at,
      'status', s.status) order by s.started_at), '[]')
    from public.subscriptions s join public.places p on p.id = s.place_id
    where s.owner = private.user_id() and p.owner is distinct from s.owner
      and private.subscription_is_live(s.status)
$function$;

CREATE OR REPLACE FUNCTION private.needs_manager_attention(place public.places)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select private.attention(place, true) is not null $function$;

CREATE OR REPLACE FUNCTION private.needs_owner_attention(place public.places)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$ select private.attention(place, false) is not null $function$;

CREATE OR REPLACE FUNCTION private.request_refund(order_id uuid, payment_id text, cents bigint, currency text, note text, refund_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paid public.payments;
  asked public.refunds;
  added uuid;
begin
  select * into paid from public.payments p where p.id = request_refund.payment_id for update;
  -- Only now, since a caller who waited may not be an admin any more.
  perform private.require_admin();
  if paid.id is null or paid.order_id is distinct from request_refund.order_id then
    perform private.refuse('refund_other_order');
  end if;
  select * into asked from public.refunds r where r.id = request_refund.refund_id and r.payment_id = paid.id;
  if asked.id is not null then
    if asked.cents <> coalesce(cents, 0) or asked.status in ('failed', 'canceled') then
      perform private.refuse('refund_asked_before');
    end if;
    return asked.id;
  elsif paid.currency <> request_refund.currency then
    perform private.refuse('refund_other_currency');
  elsif paid.dispute in ('open', 'lost') then
    perform private.refuse('payment_disputed');
  elsif coalesce(cents, 0) <= 0 then
    perform private.refuse('refund_amount_missing', 'amount');
  elsif coalesce(length(btrim(note)), 0) not between 1 and 500 then
    perform private.refuse('refund_reason_missing', 'note');
  end if;
  perform set_config('app.audit_action', 'refund', true);
  added := private.add_refund(paid.id, request_refund.cents, 'team', btrim(request_refund.note), private.user_id(),
    request_refund.refund_id);
  perform set_config('app.audit_action', '', true);
  if added is null then
    perform private.refuse('refund_exceeds_payment', 'amount');
  end if;
  update public.orders o set seen = o.seen + 1 where o.id = request_refund.order_id;
  return added;
end $function$;

CREATE OR REPLACE FUNCTION private.review_filter(filter jsonb, OUT condition text, OUT sort text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  item record;
  part text;
  parts text[] := '{}';
begin
  sort := coalesce(nullif(filter ->> 'sort', ''), case filter ->> 'view' when 'premium' then 'featured'
    else 'oldest' end);
  if sort = 'featured' then
    parts := array['p.premium'];
  elsif sort not in ('oldest', 'newest', 'name') then
    parts := array['false'];
  end if;
  if jsonb_typeof(filter) <> 'object' then
    filter := '{"view": "none"}';
  end if;
  for item in select key, value from jsonb_each_text(filter) where value <> '' and key <> 'sort' loop
    part := case item.key
      when 'view' then case item.value
        when 'all' then 'true'
        when 'new' then 'p.status = ''new'''
        when 'pending' then 'p.status = ''pending-update'''
        when 'flagged' then 'p.status = ''flagged'''
        when 'premium' then 'p.premium' end
      when 'search' then format('p.name_search @@ %L::tsquery', private.search_query(item.value))
      when 'status' then case when item.value in ('new', 'flagged', 'archived', 'pending-update',
        'published')
        then format('p.status = %L', item.value) end
      when 'category' then case when item.value ~ '^[0-9]{1,18}$'
        then format('p.category = %s', item.value) end
      when 'state' then format('p.state = %L', item.value)
      when 'premium' then case item.value when 'yes' then 'p.premium' when 'no' then 'not p.premium' end
      when 'email' then case item.value
        when 'yes' then 'p.owner_email is not null' when 'no' then 'p.owner_email is null' end
      when 'complete' then case item.value
        when 'yes' then 'private.missing_for_approval(p.owner_email, p.state) = ''{}'''
        when 'no' then 'private.missing_for_approval(p.owner_email, p.state) <> ''{}''' end
      when 'age' then case when item.value ~ '^[0-9]{1,5}$'
        then format('p.modified_at <= %L', now() - make_interval(days => item.value::integer)) end
      when 'edit' then 'p.status = ''pending-update'' and ' || case
        when item.value in ('contact', 'address', 'description', 'category', 'other')
        then format('private.edit_kind(p.last_update) = %L', item.value)
        when item.value = 'phone'
        then 'private.edit_kind(p.last_update) = ''contact'' and p.last_update - ''phone'' = ''{}'''
        when item.value = 'name' then 'p.last_update ? ''name''' end
      when 'archive' then case item.value when 'requested'
        then 'p.archive_requested and p.status <> ''archived''' end
      when 'asked' then case item.value
        when 'yes' then 'p.changes_requested is not null' when 'no' then 'p.changes_requested is null' end
    end;
    parts := parts || coalesce(part, 'false');
  end loop;
  select coalesce(string_agg(distinct p, ' and '), 'true') into condition from unnest(parts) p
    where p <> 'true';
end $function$;

CREATE OR REPLACE FUNCTION private.review_listings(filter jsonb, after text, before text, page_rows integer, also jsonb)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  size integer := private.page_size(page_rows, 250);
  sort text := (private.review_filter(filter)).sort;
  total jsonb := private.review_total(filter);
  backwards boolean := before is not null;
  ids bigint[];
  more_before boolean;
  more_after boolean;
begin
  perform private.require_admin();
  ids := private.review_ids(filter, coalesce(before, after), backwards, size + 1);
  if ids is null or cardinality(ids) = 0 or (backwards and cardinality(ids) < size) then
    -- No rows remain at the cursor, or less than a page before it.
    ids := private.review_ids(filter, null, false, size + 1);
    backwards := false;
    after := null;
  end if;
  more_before := case when backwards then cardinality(ids) > size else after is not null end;
  more_after := backwards or cardinality(ids) > size;
  ids := ids[1:size];
  if backwards then
    ids := array(select id from unnest(ids) with ordinality w (id, n) order by n desc);
  end if;
  return json_build_object('total', total -> 'total', 'more', total -> 'more',
    'rows', private.review_rows(ids, sort), 'first', not more_before,
    'previous', (select private.review_cursor(p, sort) from public.places p where p.id = ids[1]
      and more_before),
    'next', (select private.review_cursor(p, sort) from public.places p where p.id = ids[cardinality(ids)]
      and more_after),
    'states', private.listing_states(),
    'counts', (select coalesce(json_agg(private.review_total(f.value) order by f.n), '[]')
      from jsonb_array_elements(case jsonb_typeof(also) when 'array' then also else '[]' end)
        with ordinality f (value, n) where f.n <= 20));
end $function$;

CREATE OR REPLACE FUNCTION private.review_rows(ids bigint[], sort text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
        'id', p.id, 'version', p.version, 'name', p.name, 'category', p.category, 'category_name', c.name,
        'city', p.city, 'state', p.state, 'country', p.country, 'status', p.status, 'premium', p.premium,
        'premium_created_at', p.premium_created_at, 'hidden', p.hidden, 'archive_requested',
          p.archive_requested,
        'owner', p.owner, 'owner_name', o.full_name, 'owner_email', private.masked_email(p.owner_email),
          'phone', p.phone,
        'public_email', p.public_email, 'url', p.url, 'created_at', p.created_at, 'modified_at',
          p.modified_at,
        'changes_requested', p.changes_requested, 'kind', private.edit_kind(p.last_update),
        'changes', case when p.last_update = '{}' then '[]' else (
          select json_agg(json_build_object('column', e.key, 'before', e.value, 'after',
            current_values.row -> e.key)
            order by array_position(private.reviewed_columns(), e.key))
          from (select to_jsonb(p) as row offset 0) current_values, jsonb_each(p.last_update) e) end,
        'reviewer', case when r.admin is not null then json_build_object('id', r.admin, 'name', a.full_name,
          'mine', r.admin = private.user_id(), 'since', r.since, 'until', r.until) end,
        'cursor', private.review_cursor(p, sort),
        'open_reports', (select count(*) from public.events e where e.place = p.id and e.state = 'open')
      ) order by w.n), '[]')
    from unnest(ids) with ordinality w (id, n)
    join public.places p on p.id = w.id
    join public.categories c on c.id = p.category
    left join public.profiles o on o.id = p.owner
    left join private.review_locks r on r.place_id = p.id and r.until > now()
    left join public.profiles a on a.id = r.admin);
end $function$;

CREATE OR REPLACE FUNCTION private.search_query(input text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select nullif(case
    when text ~ '"|(^|\s)-\S|\sor\s' then websearch_to_tsquery('simple', text)
    else (select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''
        || case when length(lexeme) > 1 then ':*' else '' end, ' & ')::tsquery
      from unnest(to_tsvector('simple', translate(text, '@.+_-', '     '))))
  end, ''::tsquery)
  -- Normalizing can make a word longer than a query allows.
  from left(private.normalize_for_search(left(input, 200)), 500) as text
$function$;

CREATE OR REPLACE FUNCTION private.take_account_email(email text, purpose text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
  known constant boolean := exists (select from auth.users u where u.email = address and not u.is_sso_user);
  few constant boolean := (known or purpose <> 'recovery')
    and private.take_rate_token(format('account email (%s) to %s', purpose, address), 3, 3600) = 0;
begin
  return (few or (purpose = 'sign-up' and not known))
    and (mailbox = address or private.take_rate_token('account emails to ' || mailbox, 10, 3600) = 0);
end $function$;

CREATE OR REPLACE FUNCTION public.lock_next_listing_for_review(filter jsonb DEFAULT '{}'::jsonb, after text DEFAULT NULL::text, leaving bigint DEFAULT NULL::bigint, approvable boolean DEFAULT false)
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.lock_next_listing_for_review(filter, after, leaving, approvable) $function$;

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
      from public.listing_drafts l where l.owner = (select private.user_id())) d
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
        'proxi_id', s.proxi_id, 'subscription_status', s.subscription_status,
        'owner', s.owner, 'owner_email', s.owner_email,
        'hidden', s.hidden, 'archive_requested', s.archive_requested,
        'changes_requested', s.changes_requested,
        'changed', array(select jsonb_object_keys(s.last_update)),
        'rejected', (select jsonb_build_object('reason', r.reason) from public.rejected_edits r
          where r.place_id = s.id and r.rejected_at > now() - interval '30 days'),
        'subscription_ends_at', p.subscription_ends_at
      ) end order by f.n)
      from shown f left join public.places_with_stats s on s.id = f.id
      left join public.places p on p.id = f.id),
        '[]'))
$function$;

CREATE OR REPLACE FUNCTION public.review_listings(filter jsonb DEFAULT '{}'::jsonb, after text DEFAULT NULL::text, before text DEFAULT NULL::text, page_rows integer DEFAULT 250, also jsonb DEFAULT '[]'::jsonb)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.review_listings(filter, after, before, page_rows, also) $function$;

grant execute on function private.attention(public.places,boolean) to authenticated;

grant execute on function private.lock_next_listing_for_review(jsonb,text,bigint,boolean) to authenticated;

grant execute on function private.review_listings(jsonb,text,text,integer,jsonb) to authenticated;

grant execute on function public.lock_next_listing_for_review(jsonb,text,bigint,boolean) to authenticated;

grant execute on function public.my_dashboard(text,text,integer,integer) to authenticated;

grant execute on function public.review_listings(jsonb,text,text,integer,jsonb) to authenticated;

set check_function_bodies = on;
