-- Users as admins see them: a list a page at a time, one person with what is theirs, and their address
-- and number on request, which leaves an entry in the audit log.

-- A page of a query that is ordered by its keys, the newest first, found by the row it begins after or
-- ends before: as quick at any depth, and no row twice when others come or go.
--   source         a query that gives the keys and, as "item", what is shown of each
--   keys, types    by what it is ordered, all descending, the last one unique; and their types
--   after, before  a place in that order, as given with a page before; the first page without either
-- Gives {rows, before, after}: the rows, and where the pages beside this one are (null: there is none).
-- It runs what it is given, so nobody may call it but the functions here.
create function private.keyset_page(
  source text, keys text[], types text[], after text, before text, page_rows integer)
returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  most constant integer := least(greatest(page_rows, 1), 1000);
  backwards constant boolean := after is null and before is not null;
  place constant text[] := string_to_array(coalesce(after, before), '_');
  bound text;
  cursors text;
  rows_found jsonb[];
  places text[];
  more boolean;
begin
  if cardinality(place) <> cardinality(keys) then
    raise exception 'This is no place in the list.' using errcode = '22P02';
  end if;
  select string_agg(format('%L::%s', value, type), ', ') into bound from unnest(place, types) as p (value, type);
  select string_agg(format('to_jsonb(%I) #>> ''{}''', key), ', ') into cursors from unnest(keys) key;
  execute format('select array_agg(item), array_agg(place) from (
      select s.item, concat_ws(''_'', %s) as place from (%s) s %s order by %s limit %s) page',
    cursors, source,
    case when place is not null then format('where (%s) %s (%s)', array_to_string(keys, ', '),
      case when backwards then '>' else '<' end, bound) end,
    (select string_agg(key || case when backwards then ' asc' else ' desc' end, ', ') from unnest(keys) key),
    most + 1)
  into rows_found, places;

  more := coalesce(cardinality(rows_found), 0) > most;
  if backwards and not more then
    -- Whoever goes back to the beginning gets the whole first page.
    return private.keyset_page(source, keys, types, null, null, most);
  end if;
  rows_found := rows_found[1:most];
  places := places[1:most];
  if backwards then
    select array_agg(r order by n desc), array_agg(p order by n desc) into rows_found, places
      from unnest(rows_found, places) with ordinality as u (r, p, n);
  end if;
  return jsonb_build_object(
    'rows', coalesce(to_jsonb(rows_found), '[]'),
    'before', case when place is not null then places[1] end,
    'after', case when more or backwards then places[cardinality(places)] end);
end $$;

-- The users found by words of their name and of their e-mail address, or all of them: the newest first,
-- addresses and numbers masked. Gives a keyset page with the exact total.
create function private.admin_users(name text, email text, after text, before text, page_rows integer)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  filter text := '';
  total bigint;
begin
  perform private.require_admin();
  -- Words were typed and none of them can be looked for: that finds nobody, not everybody.
  if btrim(name) <> '' then
    filter := coalesce(format(' and p.full_name_search @@ %L::tsquery', private.people_query(name)), ' and false');
  end if;
  if btrim(email) <> '' then
    filter := filter || coalesce(format(' and p.email_search @@ %L::tsquery', private.people_query(email)), ' and false');
  end if;
  if filter = '' then
    select coalesce(sum(amount), 0) into total from private.counter_values('users:count') v where v.name = '';
  else
    execute 'select count(*) from public.profiles p where true' || filter into total;
  end if;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns,
        ''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),
        ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in, ''supporter'', p.supporter,
        ''favorites'', p.favorites_count, ''admin'', p.admin, ''created_at'', p.created_at) as item
      from public.profiles p where true' || filter,
    '{created_at,id}', '{timestamptz,uuid}', after, before, page_rows);
end $$;
create function public.admin_users(
  name text default null, email text default null, after text default null, before text default null,
  page_rows integer default 100)
returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_users(name, email, after, before, page_rows) $$;

-- One person as their page shows them, with their listings and jobs (200 of each at most, and how many
-- there are); null when there is no such person.
create function private.admin_user(person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
      'email', private.masked_email(p.email), 'phone', private.masked_phone(p.phone),
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in, 'business_owner', p.business_owner,
      'supporter', p.supporter, 'admin', p.admin, 'favorites', p.favorites_count, 'created_at', p.created_at,
      'places_count', (select count(*) from public.places l where l.owner = p.id),
      'places', (select coalesce(jsonb_agg(to_jsonb(l) order by l.name, l.id), '[]') from (
        select l.id, l.name, l.city, l.state, l.status, l.premium, l.proxi_id
        from public.places l where l.owner = p.id order by l.name, l.id limit 200) l),
      'jobs_count', (select count(*) from public.jobs j where j.owner = p.id),
      'jobs', (select coalesce(jsonb_agg(to_jsonb(j) order by j.created_at desc, j.id desc), '[]') from (
        select j.id, j.title, j.published, j.paid, j.expiration_date, j.filled_at, j.created_at
        from public.jobs j where j.owner = p.id order by j.created_at desc, j.id desc limit 200) j))
    from public.profiles p where p.id = person);
end $$;
create function public.admin_user(person uuid) returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_user(person) $$;

-- An entry in the audit log for what an admin did and no table shows: what they looked at or took away.
create function private.log_act(action text, subject text, subject_id text, about jsonb) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), coalesce(nullif(auth.role(), ''), 'system'), action, subject, subject_id, about)
$$;

-- The e-mail address and the telephone number of a person, for an admin who asked to see them. That
-- they did is logged with it, whatever comes after; null when there is no such person.
create function private.reveal_contact(person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contact jsonb;
begin
  perform private.require_admin();
  select jsonb_build_object('id', p.id, 'email', p.email, 'phone', p.phone) into contact
    from public.profiles p where p.id = person;
  if found then
    perform private.log_act('reveal-contact', 'profiles', person::text, '{"shown": ["email", "phone"]}');
  end if;
  return contact;
end $$;
create function public.reveal_contact(person uuid) returns jsonb
language sql volatile set search_path = ''
as $$ select private.reveal_contact(person) $$;

-- What deleting somebody for good takes along, and what it leaves; null when there is no such person.
create function private.deletion_effects(person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'admin', p.admin, 'self', p.id = auth.uid(),
      'places', (select count(*) from public.places l where l.owner = p.id),
      'subscriptions', (select count(*) from public.places l where l.owner = p.id and l.premium
        and l.stripe_subscription_id is not null),
      'jobs', (select count(*) from public.jobs j where j.owner = p.id),
      'sponsorships', (select count(*) from public.sponsorships s where s.owner = p.id),
      'leads', (select count(*) from public.leads l where l.requester = p.id),
      'favorites', p.favorites_count,
      'feedback', (select count(*) from public.feedback f where f.userid = p.id),
      'reports', (select count(*) from public.events e where e.user_id = p.id))
    from public.profiles p where p.id = person);
end $$;
create function public.deletion_effects(person uuid) returns jsonb
language sql stable set search_path = ''
as $$ select private.deletion_effects(person) $$;

grant execute on function
  private.admin_users(text, text, text, text, integer), public.admin_users(text, text, text, text, integer),
  private.admin_user(uuid), public.admin_user(uuid),
  private.reveal_contact(uuid), public.reveal_contact(uuid),
  private.deletion_effects(uuid), public.deletion_effects(uuid) to authenticated;
