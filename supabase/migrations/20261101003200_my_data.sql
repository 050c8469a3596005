-- What people may ask of those who hold something on them: to see all of it, and to be forgotten.

-- Every column of our tables that says by its foreign key whose a row is, so that a table which is added
-- later is part of it without being named here.
create function private.columns_naming_people() returns table (relation regclass, col name)
language sql stable set search_path = ''
as $$
  select c.conrelid::regclass, a.attname
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and cardinality(c.conkey) = 1
    and c.confrelid in ('public.profiles'::regclass, 'auth.users'::regclass)
    and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)
$$;

-- Every row that names the caller: by their id, and by their confirmed address; and what they wrote of their
-- listings. By table. Left out is what
-- is a secret and no fact about them, and what the owner of a listing wrote on their message.
create function private.export_my_data() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := auth.uid();
  my_email constant text := private.my_email();
  one record;
  found_rows jsonb;
  everything jsonb := '{}';
begin
  for one in
    select t.relation, string_agg(t.condition, ' or ') as condition from (
      select n.relation, format('r.%I = $1', n.col) as condition from private.columns_naming_people() n
      union all
      select a.attrelid::regclass, format('lower(r.%I) = $2', a.attname)
      from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname like '%email'
        and a.atttypid = 'text'::regtype and not a.attisdropped
      union all
      select 'public.audit_log'::regclass, 'r.actor = $1 or (r.subject = ''profiles'' and r.subject_id = $1::text)'
      union all
      select 'public.rejected_edits'::regclass, 'exists (select from public.places p where p.id = r.place_id and p.owner = $1)'
    ) t group by t.relation order by t.relation::text
  loop
    execute format('select coalesce(jsonb_agg(to_jsonb(r) - array[''code_hash'', ''name_search'', ''full_name_search'', ''email_search'']
      - case when %L = ''public.leads'' then array[''notes'', ''state''] else ''{}'' end), ''[]'') from %s r where %s',
      one.relation::text, one.relation, one.condition) into found_rows using me, my_email;
    everything := everything || jsonb_build_object(regexp_replace(one.relation::text, '^.*\.', ''), found_rows);
  end loop;
  return everything || jsonb_build_object('account', (
    select jsonb_build_object('id', u.id, 'email', u.email, 'email_confirmed_at', u.email_confirmed_at,
      'new_email', nullif(u.email_change, ''), 'created_at', u.created_at, 'last_sign_in_at', u.last_sign_in_at,
      'sign_up_form', u.raw_user_meta_data,
      'sessions', (select coalesce(jsonb_agg(jsonb_build_object('created_at', s.created_at, 'refreshed_at', s.refreshed_at)), '[]')
        from auth.sessions s where s.user_id = u.id))
    from auth.users u where u.id = me));
end $$;
create function public.export_my_data() returns jsonb
language sql stable set search_path = ''
as $$ select private.export_my_data() $$;
grant execute on function private.export_my_data(), public.export_my_data() to authenticated;

-- Who asked to be forgotten, and when it will be done.
create table private.account_deletions (
  user_id uuid primary key references public.profiles (id) on delete cascade,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null default now() + interval '7 days'
);
create index account_deletions_due on private.account_deletions (due_at);
alter table private.account_deletions enable row level security;
create policy "nobody" on private.account_deletions for all to anon, authenticated using (false);

create function private.is_last_admin(person uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce((select p.admin from public.profiles p where p.id = person), false)
    and not exists (select from public.profiles p where p.admin and p.id <> person)
$$;

-- Asks for the caller's account to be deleted in seven days; asked again, the day stays. They are written to,
-- so that nobody's account is deleted behind their back.
create function private.request_my_deletion() returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
declare
  due timestamptz;
begin
  if private.is_last_admin(auth.uid()) then
    raise exception 'You are the only admin. Make somebody else an admin first.' using errcode = 'P0001';
  end if;
  insert into private.account_deletions (user_id) values (auth.uid()) on conflict do nothing;
  select d.due_at into due from private.account_deletions d where d.user_id = auth.uid();
  perform private.notify(auth.uid(), null, 'account-deletion', 'account-deletion:' || auth.uid() || ':' || due,
    jsonb_build_object('due_at', due));
  return due;
end $$;
create function public.request_my_deletion() returns timestamptz
language sql volatile set search_path = ''
as $$ select private.request_my_deletion() $$;

create function private.keep_my_account() returns void
language sql volatile security definer set search_path = ''
as $$ delete from private.account_deletions d where d.user_id = auth.uid() $$;
create function public.keep_my_account() returns void
language sql volatile set search_path = ''
as $$ select private.keep_my_account() $$;

create function private.my_deletion() returns timestamptz
language sql stable security definer set search_path = ''
as $$ select d.due_at from private.account_deletions d where d.user_id = auth.uid() $$;
create function public.my_deletion() returns timestamptz
language sql stable set search_path = ''
as $$ select private.my_deletion() $$;
grant execute on function private.request_my_deletion(), public.request_my_deletion(),
  private.keep_my_account(), public.keep_my_account(), private.my_deletion(), public.my_deletion() to authenticated;

-- Forgets a person: their sessions end, their profile and all that hangs on it goes, and so do their address
-- and their letters in what stays. Their listings and jobs stay without an owner. False when nobody was there.
create function private.erase_user(person uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  known_email text;
begin
  -- Of two admins who delete one another the second waits here.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  if private.is_last_admin(person) then
    raise exception 'The last admin cannot be deleted.' using errcode = 'P0001';
  end if;
  select lower(u.email) into known_email from auth.users u where u.id = person for update;
  if not found then
    return false;
  end if;
  -- In the order in which decisions of the review desk wait for listings, so that the two never wait for one another.
  perform 1 from public.places p
    where p.owner = person or p.owner_email = known_email or lower(p.public_email) = known_email
      or lower(p.last_update ->> 'public_email') = known_email
    order by p.id for no key update;
  -- What they wrote and was rejected, with whatever address stood in it.
  delete from public.rejected_edits r using public.places p
    where p.id = r.place_id and (p.owner = person or lower(r.edit ->> 'public_email') = known_email);
  update public.places p set
      owner = case when p.owner <> person then p.owner end,
      owner_email = case when p.owner_email <> known_email then p.owner_email end,
      public_email = case when lower(p.public_email) <> known_email then p.public_email end,
      mailingaddress = case when p.owner <> person then p.mailingaddress end,
      last_update = case when lower(p.last_update ->> 'public_email') = known_email
          then p.last_update || '{"public_email": null}' else p.last_update end
        - case when p.owner = person then array['mailingaddress'] else '{}' end
    where p.owner = person or p.owner_email = known_email or lower(p.public_email) = known_email
      or lower(p.last_update ->> 'public_email') = known_email;
  update public.jobs j set
      owner = case when j.owner <> person then j.owner end,
      owner_email = case when j.owner_email <> known_email then j.owner_email end
    where j.owner = person or j.owner_email = known_email;
  delete from public.leads l where lower(l.requester_email) = known_email;
  delete from public.manager_invitations i where i.email = known_email or i.accepted_by = person;
  -- What an admin looked for, and kept.
  delete from public.saved_views v where strpos(lower(v.name || v.filter::text), known_email) > 0;
  delete from auth.users u where u.id = person;
  -- The auth service's own log of sign-ins names them as well, where it is kept in the database and ours to clear.
  if has_table_privilege('auth.audit_log_entries', 'delete') then
    delete from auth.audit_log_entries e
      where e.payload ->> 'actor_id' = person::text or lower(e.payload ->> 'actor_username') = known_email;
  end if;
  return true;
end $$;

create or replace function private.admin_delete_user(userid uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  there_was boolean;
begin
  -- Whoever waited for another admin may be none any more.
  perform 1 from public.profiles p where p.admin order by p.id for update;
  perform private.require_admin();
  if userid = auth.uid() then
    raise exception 'You cannot delete your own account here.' using errcode = 'P0001';
  end if;
  perform set_config('app.audit_action', 'delete-user', true);
  there_was := private.erase_user(userid);
  perform set_config('app.audit_action', '', true);
  return there_was;
end $$;

-- Whose seven days are over.
create function private.due_deletions(most integer) returns setof uuid
language sql stable security definer set search_path = ''
as $$
  select d.user_id from private.account_deletions d where d.due_at <= now() order by d.due_at limit least(greatest(most, 0), 100)
$$;
create function public.due_deletions(most integer default 100) returns setof uuid
language sql stable set search_path = ''
as $$ select private.due_deletions(most) $$;

-- Deletes an account whose person asked for it, once its time has come; false when they changed their mind.
create function private.erase_due_account(person uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  there_was boolean;
begin
  perform 1 from private.account_deletions d where d.user_id = person and d.due_at <= now() for update;
  if not found then
    return false;
  end if;
  perform set_config('app.audit_action', 'delete-own-account', true);
  there_was := private.erase_user(person);
  perform set_config('app.audit_action', '', true);
  return there_was;
end $$;
create function public.erase_due_account(person uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.erase_due_account(person) $$;
grant execute on function private.due_deletions(integer), public.due_deletions(integer),
  private.erase_due_account(uuid), public.erase_due_account(uuid) to service_role;
