-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

create table private.sign_ins_to_forget (
  user_id uuid not null,
  address_hash text,
  next_page bigint not null,
  pages_left bigint not null
);

CREATE OR REPLACE FUNCTION private.email_namesakes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue_email(p.owner, null, 'job-namesake', format('job-namesake:%s:%s', new.id, p.id),
      jsonb_build_object('job_id', new.id, 'place_id', p.id, 'listing', found.name))
    from (select n.place_id, n.name from private.job_namesakes(new.id) n order by n.place_id limit 10) found
    join public.places p on p.id = found.place_id and p.owner is not null
    where private.is_live_job(new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_user(user_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  user_email text;
begin
  -- If two admins delete each other, the second one waits here. (What refers to an admin, as a review lock or an
  -- email does, doesn't wait for this.)
  perform 1 from public.profiles p where p.admin order by p.id for no key update;
  if private.is_last_admin(user_id) then
    perform private.refuse('last_admin');
  end if;
  -- An address that no one has confirmed is not theirs: without it, nothing is deleted by address.
  select case when u.email_confirmed_at is not null then lower(u.email) end into user_email
    from auth.users u where u.id = erase_user.user_id for update;
  if not found then
    return false;
  end if;
  -- Before their listings, as when they pay for one or their address changes, so that these never deadlock.
  perform 1 from public.profiles p where p.id = erase_user.user_id for no key update;
  -- In the same order as the decisions of the review desk, so that they never deadlock.
  perform 1 from public.places p
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email
    order by p.id for no key update;
  -- Other owners whose listing has published their address learn that it is gone, and not why.
  insert into private.email_queue (place_id, kind, key, data)
  select p.id, 'contact-email-removed', format('contact-email-removed:%s:%s', p.id, p.version),
      jsonb_build_object('place_id', p.id, 'name', p.name)
    from public.places p
    where p.owner <> erase_user.user_id and p.status <> 'new'
      and lower(case when private.is_contact_unapproved(p, erase_user.user_id) then p.last_update ->> 'public_email'
        else p.public_email end) = user_email
  on conflict do nothing;
  -- (With its owner, a listing or a job loses its owner_email, whatever it is: guard_place, guard_job.)
  update public.places p set
      owner = case when p.owner <> erase_user.user_id then p.owner end,
      owner_email = case when p.owner_email is distinct from user_email then p.owner_email end,
      public_email = case when lower(p.public_email) is distinct from user_email
        or private.is_contact_unapproved(p, erase_user.user_id) then p.public_email end,
      mailingaddress = case when p.owner <> erase_user.user_id then p.mailingaddress end,
      last_update = case when lower(p.last_update ->> 'public_email') = user_email
          then p.last_update || '{"public_email": null}' else p.last_update end
        - case when p.owner = erase_user.user_id then array['mailingaddress'] else '{}' end
    where p.owner = erase_user.user_id or p.owner_email = user_email or lower(p.public_email) = user_email
      or lower(p.last_update ->> 'public_email') = user_email;
  perform 1 from public.jobs j where j.owner = erase_user.user_id or j.owner_email = user_email order by j.id for update;
  update public.jobs j set
      owner = case when j.owner <> erase_user.user_id then j.owner end,
      owner_email = case when j.owner_email is distinct from user_email then j.owner_email end
    where j.owner = erase_user.user_id or j.owner_email = user_email;
  -- What decisions on listings of others would restore. (On their own: end_ownership.)
  update private.decision_rows r set before = r.before
      || case when lower(r.before ->> 'public_email') = user_email then '{"public_email": null}' else '{}'::jsonb end
      || case when lower(r.before #>> '{last_update,public_email}') = user_email
        then jsonb_build_object('last_update', r.before -> 'last_update' || '{"public_email": null}') else '{}' end
    where lower(r.before ->> 'public_email') = user_email
      or lower(r.before #>> '{last_update,public_email}') = user_email;
  -- Theirs alone: someone else may have had the address before, and written with it. (Those of their account go with it.)
  delete from public.leads l where lower(l.requester_email) = user_email and l.requester is null;
  delete from private.email_queue q where q.address <> '' and (q.address = user_email
    or q.data ->> 'user' = erase_user.user_id::text);
  -- What admins wrote about refunds of theirs. (The refunds remain: they are in the books.)
  update public.refunds r set note = null from public.payments p
    where p.id = r.payment_id and p.owner = erase_user.user_id and r.note is not null;
  delete from public.manager_invitations i where i.accepted_by = erase_user.user_id;
  -- Saved views of admins that contain their address.
  delete from public.saved_views v where private.has_address(jsonb_build_array(v.name, v.filter), user_email);
  delete from auth.users u where u.id = erase_user.user_id;
  -- The auth service's own log of sign-ins, where it is in the database and we may delete from it. A long one is searched
  -- afterward: people wait for the rows above.
  if has_table_privilege('auth.audit_log_entries', 'delete') then
    insert into private.sign_ins_to_forget (user_id, address_hash, next_page, pages_left)
      select erase_user.user_id, private.code_hash(user_email),
        coalesce((select min(f.next_page) from private.sign_ins_to_forget f), 0), private.sign_in_log_pages() + 200
      on conflict do nothing;
    if private.sign_in_log_pages() < 1000 then
      perform private.forget_sign_ins();
    end if;
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.export_users(entry bigint, name text, email text, after text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  perform private.require_export(entry, 'users', jsonb_build_object('name', name, 'email', email));
  return private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns, '
    || case when entry is null then '''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),'
      else '''email'', p.email, ''phone'', p.phone, ''postalcode'', p.postalcode, ' end
    || '''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in,
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', private.favorites_in_tens(p.id),
        ''created_at'', p.created_at, ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.forget_sign_ins()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  step constant bigint := 200;
  until constant timestamptz := clock_timestamp() + interval '1 second';
  page bigint;
begin
  -- Another call is at it.
  if not pg_try_advisory_xact_lock('private.sign_ins_to_forget'::regclass::oid::bigint) then
    return false;
  end if;
  loop
    select f.next_page into page from private.sign_ins_to_forget f order by f.next_page limit 1;
    exit when page is null or clock_timestamp() > until;
    delete from auth.audit_log_entries e
      where e.ctid >= format('(%s,0)', page)::tid and e.ctid < format('(%s,0)', page + step)::tid
        and exists (select from private.sign_ins_to_forget f where f.next_page = page
          and (e.payload ->> 'actor_id' = f.user_id::text
            or private.code_hash(lower(e.payload ->> 'actor_username')) = f.address_hash));
    -- After its last page comes the first one.
    update private.sign_ins_to_forget f set pages_left = f.pages_left - step,
        next_page = case when page + step < private.sign_in_log_pages() then page + step else 0 end
      where f.next_page = page;
    delete from private.sign_ins_to_forget f where f.pages_left <= 0;
  end loop;
  return page is not null;
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
    when kind = 'feature-edited' then not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient and s.paid
        and private.today() < any (s.sponsorship_dates))
    when kind = 'booked-listing-removed' then not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and data -> 'newsletters' ? d.weekday_date::text)
    when kind = 'feature-unseen' then not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null))
    when kind = 'renewal-coming' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz))
    when kind = 'plan-paused' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused')
    when kind = 'payment-failed' then exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null)
    when kind = 'job-expiring' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'))
    when kind = 'job-unpublished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end)
    when kind = 'job-republished' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now())
    when kind = 'job-edited' then not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.expiration_date > now())
    when kind = 'job-namesake' then not exists (select from public.jobs j
      cross join private.job_namesakes(j.id) n join public.places p on p.id = n.place_id
      where j.id = (data ->> 'job_id')::bigint and private.is_live_job(j.id) and p.id = (data ->> 'place_id')::bigint
        and p.owner = is_outdated.recipient)
    when kind = 'job-left' then exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient)
    when kind = 'account-deletion' then not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null)
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)))
    when kind in ('manager-joined', 'listing-received', 'edit-withdrawn') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'listing-left' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient)
    when kind = 'two-step-changed' then data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified')
    when kind = 'listing-added' then exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'))
    when kind in ('listing-hidden', 'listing-shown') then not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and p.hidden = (is_outdated.kind = 'listing-hidden'))
    when kind in ('payment-disputed', 'refund-failed') then not exists (select from public.profiles p
      where p.id = is_outdated.recipient and p.admin)
    else false end;
end $function$;

CREATE OR REPLACE FUNCTION private.job_namesakes(job_id bigint)
 RETURNS TABLE(place_id bigint, name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with found as materialized (
    select p.id, p.name_key, p.owner is not distinct from j.owner or exists (select from public.listing_managers m
        where m.place_id = p.id and m.profile_id = j.owner) as own
    from public.jobs j
    join public.places p
      on p.name_key = private.normalize_for_search(regexp_replace(btrim(j.company_name), '\s+', ' ', 'g'))
    where j.id = job_namesakes.job_id and j.place_id is null
  ), shown as materialized (
    -- (With offset, this looks each listing up. Joined, all of them would be read for each job.)
    select f.id, listing.name, f.own from found f
    cross join lateral (select v.name from private.public_places v where v.id = f.id offset 0) listing
    where private.normalize_for_search(listing.name) = f.name_key
  )
  select s.id, s.name from shown s where not exists (select from shown o where o.own)
$function$;

CREATE OR REPLACE FUNCTION private.jobs_page(all_owners boolean, search text, state text, after bigint, before bigint, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  search_text text := nullif(btrim(left(coalesce(search, ''), 200)), '');
  size integer := private.page_size(page_rows, 1000);
  mine text := case when all_owners then 'true' else 'j.owner = $1' end;
  -- Searched first, in a query of its own: scanning all jobs for the newest match would compute the
  -- search text of each.
  found_first text := case when search_text is null then ''
    else 'with found as materialized (select f.id from public.jobs f
    where private.search_vector(f.title || '' '' || coalesce(f.company_name, '''')) @@ private.search_query($2)) ' end;
  wanted text := mine
    || case when search_text is null then '' else ' and j.id in (select found.id from found)' end
    || case state
      when 'pending-payment' then ' and not j.paid'
      when 'published' then ' and j.paid and j.published and j.expiration_date > now()'
      when 'unpublished' then ' and j.paid and not j.published and j.expiration_date > now()'
      when 'expired' then ' and j.paid and j.expiration_date <= now()'
      when 'filled' then ' and j.filled_at is not null'
      else case when state is null then '' else ' and false' end end;
  cursor_at timestamptz;
  cursor_id bigint;
  backwards boolean := false;
  found jsonb;
  total bigint;
begin
  if all_owners then
    perform private.require_admin();
  end if;
  execute 'select j.created_at, j.id from public.jobs j where j.id = $2 and ' || mine
    into cursor_at, cursor_id using private.user_id(), coalesce(after, before);
  backwards := after is null and cursor_id is not null;

  -- One row more than the page shows whether there is another page.
  execute found_first || 'select coalesce(jsonb_agg(to_jsonb(page) order by created_at desc, id desc), ''[]'') from (
      select j.id, j.title, j.paid, j.published, j.expiration_date, j.filled_at, j.created_at,
        private.job_names_company(j.id) as names_company'
    || case when all_owners then ', j.owner, o.full_name as owner_name, private.masked_email(j.owner_email) as owner_email,
        exists (select from private.job_namesakes(j.id)) as has_namesake' else '' end
    || ' from public.jobs j'
    || case when all_owners then ' left join public.profiles o on o.id = j.owner' else '' end
    || ' where ' || wanted
    || case when cursor_id is null then ''
      when backwards then ' and (j.created_at, j.id) > ($3, $4)'
      else ' and (j.created_at, j.id) < ($3, $4)' end
    || case when backwards then ' order by j.created_at, j.id'
      else ' order by j.created_at desc, j.id desc' end
    || ' limit $5) page'
    into found using private.user_id(), search_text, cursor_at, cursor_id, size + 1;

  if all_owners and search_text is null and state is distinct from 'filled' then
    total := coalesce((private.get_jobs_counts() ->> case state when 'pending-payment' then 'unpaid'
      else coalesce(state, 'total') end)::bigint, 0);
  else
    execute found_first || 'select count(*) from public.jobs j where '
      || wanted into total using private.user_id(), search_text;
  end if;

  return (
    with page as (
      select row, place from jsonb_array_elements(found) with ordinality one (row, place)
      where jsonb_array_length(found) <= size or case when backwards then place > 1 else place <= size end
    )
    select jsonb_build_object(
      'total', total,
      'previous', case when cursor_id is not null and (not backwards or jsonb_array_length(found) > size)
        then (select row -> 'id' from page order by place limit 1) end,
      'next', case when backwards or jsonb_array_length(found) > size
        then (select row -> 'id' from page order by place desc limit 1) end,
      'rows', coalesce((select jsonb_agg(row order by place) from page), '[]')));
end $function$;

CREATE OR REPLACE FUNCTION private.sign_in_log_pages()
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select pg_relation_size('auth.audit_log_entries') / current_setting('block_size')::bigint $function$;

CREATE OR REPLACE FUNCTION public.forget_sign_ins()
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.forget_sign_ins() $function$;

alter table private.sign_ins_to_forget add constraint sign_ins_to_forget_pkey PRIMARY KEY (user_id);

alter table private.sign_ins_to_forget enable row level security;

CREATE OR REPLACE TRIGGER t2_email_namesakes AFTER INSERT OR UPDATE OF company_name, place_id, owner, paid, published, expiration_date, filled_at ON public.jobs FOR EACH ROW WHEN ((new.published AND (new.place_id IS NULL))) EXECUTE FUNCTION private.email_namesakes();

create policy "no access" on private.sign_ins_to_forget for all to anon, authenticated
  using (false);

grant execute on function private.forget_sign_ins() to service_role;

grant execute on function public.forget_sign_ins() to service_role;

set check_function_bodies = on;
