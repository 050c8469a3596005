-- Tables as downloads. What holds contact details is downloaded only after an entry in the audit log,
-- which names it; and the deletion of users counts what is paid for, and waits its turn.

-- Begins a download with contact details: writes the entry, and gives its id, which the download needs.
--   what    the table, in the words of the app
--   about   its filter; words that were searched for are withheld, since they may be somebody's
create function private.start_export(what text, about jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  entry bigint;
begin
  perform private.require_admin();
  if what is null or what not in ('users', 'listings') then
    raise exception 'Choose what to download.' using errcode = 'P0001';
  end if;
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), auth.role(), 'export', 'exports', what, jsonb_build_object('contacts', true, 'filter', (
    select coalesce(jsonb_object_agg(key, case when key in ('name', 'email', 'search') then '"[withheld]"' else to_jsonb(left(value, 100)) end), '{}')
    from jsonb_each_text(case when jsonb_typeof(about) = 'object' then about else '{}' end) asked where value <> '')))
  returning id into entry;
  return entry;
end $$;
create function public.start_export(what text, about jsonb default '{}') returns bigint
language sql volatile set search_path = ''
as $$ select private.start_export(what, about) $$;

-- The conditions of a search for users, on profiles as p.
create function private.user_conditions(name text, email text) returns text
language sql stable set search_path = ''
as $$
  -- Words were typed and none of them can be looked for: that finds nobody, not everybody.
  select case when btrim(name) <> '' then
      coalesce(format(' and p.full_name_search @@ %L::tsquery', private.people_query(name)), ' and false') else '' end
    || case when btrim(email) <> '' then
      coalesce(format(' and p.email_search @@ %L::tsquery', private.people_query(email)), ' and false') else '' end
$$;

create or replace function private.admin_users(name text, email text, after text, before text, page_rows integer)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  conditions constant text := private.user_conditions(name, email);
  total bigint;
begin
  perform private.require_admin();
  if conditions = '' then
    select coalesce(sum(v.amount), 0) into total from private.counter_values('users:count') v where v.name = '';
  else
    execute 'select count(*) from public.profiles p where true' || conditions into total;
  end if;
  return jsonb_build_object('total', total) || private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns,
        ''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),
        ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in, ''supporter'', p.supporter,
        ''favorites'', p.favorites_count, ''admin'', p.admin, ''created_at'', p.created_at) as item
      from public.profiles p where true' || conditions,
    '{created_at,id}', '{timestamptz,uuid}', after, before, page_rows);
end $$;

-- The users of a search, for a download: a keyset page without the total, 1,000 at most. Addresses and
-- numbers are masked, unless it names the entry of the caller's own export of the last hour.
create function private.export_users(entry bigint, name text, email text, after text, page_rows integer) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  if entry is not null and not exists (select from public.audit_log a where a.id = entry and a.actor = auth.uid()
    and a.action = 'export' and a.subject_id = 'users' and a.at > now() - interval '1 hour') then
    raise exception 'This download is over. Please begin it again.' using errcode = '42501';
  end if;
  return private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns, '
    || case when entry is null then '''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),'
      else '''email'', p.email, ''phone'', p.phone, ' end
    || '''postalcode'', p.postalcode, ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in,
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', p.favorites_count,
        ''created_at'', p.created_at) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $$;
create function public.export_users(
  entry bigint default null, name text default null, email text default null, after text default null,
  page_rows integer default 1000)
returns jsonb
language sql stable set search_path = ''
as $$ select private.export_users(entry, name, email, after, page_rows) $$;

grant execute on function private.start_export(text, jsonb), public.start_export(text, jsonb),
  private.export_users(bigint, text, text, text, integer), public.export_users(bigint, text, text, text, integer)
  to authenticated;

create or replace function private.deletion_effects(person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object('id', p.id, 'name', p.full_name, 'admin', p.admin, 'self', p.id = auth.uid(),
      'places', (select count(*) from public.places l where l.owner = p.id),
      -- What is paid for: by a subscription of theirs, or by one that stands with their listing alone.
      'subscriptions', (
        select count(*) from (
          select s.id from public.subscriptions s
            where s.owner = p.id and s.status not in ('canceled', 'incomplete_expired')
          union
          select l.stripe_subscription_id from public.places l
            where l.owner = p.id and l.stripe_subscription_id is not null
              and coalesce(l.subscription_status, '') not in ('canceled', 'incomplete_expired')
              and not exists (select from public.subscriptions s where s.id = l.stripe_subscription_id)) paid),
      'jobs', (select count(*) from public.jobs j where j.owner = p.id),
      'sponsorships', (select count(*) from public.sponsorships s where s.owner = p.id),
      'leads', (select count(*) from public.leads l where l.requester = p.id),
      'favorites', p.favorites_count,
      'feedback', (select count(*) from public.feedback f where f.userid = p.id),
      'reports', (select count(*) from public.events e where e.user_id = p.id))
    from public.profiles p where p.id = person);
end $$;

create or replace function private.admin_delete_user(userid uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  known_email text;
begin
  perform private.require_admin();
  -- Two admins who delete one another: the second waits here, and is no admin any more. Since nobody
  -- deletes themselves and whoever asks is an admin, one is always left.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  perform private.require_admin();
  if userid = auth.uid() then
    raise exception 'You cannot delete your own account here.' using errcode = 'P0001';
  end if;
  select lower(u.email) into known_email from auth.users u where u.id = userid for update;
  if not found then
    return false;
  end if;
  -- In the order in which decisions of the review desk wait for listings, so that the two never wait
  -- for one another.
  perform 1 from public.places p
    where p.owner = userid or (p.owner is null and p.owner_email = known_email)
    order by p.id for no key update;
  perform set_config('app.audit_action', 'delete-user', true);
  update public.places p set owner = null,
      owner_email = case when p.owner_email <> known_email then p.owner_email end
    where p.owner = userid or (p.owner is null and p.owner_email = known_email);
  update public.jobs j set owner = null,
      owner_email = case when j.owner_email <> known_email then j.owner_email end
    where j.owner = userid;
  -- Sessions, identities and the profile go with it.
  delete from auth.users u where u.id = userid;
  perform set_config('app.audit_action', '', true);
  return true;
end $$;
