-- Counts of the admin dashboard. Each equals the number of rows behind its link.
create function private.get_user_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object('count', 0, 'business_owners', 0, 'app_users', 0)
    || coalesce((select jsonb_object_agg(name, amount) from private.counter_values('users:')), '{}');
end $$;
create function public.get_user_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_user_counts() $$;

create function private.get_places_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object('new', 0, 'flagged', 0, 'archived', 0, 'pending-update', 0, 'published', 0,
      'premium', 0, 'total', 0)
    || coalesce((select jsonb_object_agg(name, amount) from private.counter_values('places:')), '{}');
end $$;
create function public.get_places_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_places_counts() $$;

-- unpaid + published + unpublished + expired = total. What is live is counted now, since time
-- passes without telling any trigger; those are few (45 days' worth) and indexed.
create function private.get_jobs_counts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  kept jsonb;
  shown bigint;
  unshown bigint;
begin
  perform private.require_admin();
  select jsonb_build_object('total', 0, 'paid', 0, 'unpaid', 0)
    || coalesce(jsonb_object_agg(name, amount), '{}') into kept from private.counter_values('jobs:');
  select count(*) filter (where j.published), count(*) filter (where not j.published) into shown, unshown
    from public.jobs j where j.paid and j.expiration_date > now();
  return jsonb_build_object('total', kept -> 'total', 'unpaid', kept -> 'unpaid', 'published', shown,
    'unpublished', unshown, 'expired', (kept ->> 'paid')::bigint - shown - unshown);
end $$;
create function public.get_jobs_counts() returns jsonb
language sql stable set search_path = ''
as $$ select private.get_jobs_counts() $$;

grant execute on function private.get_user_counts(), public.get_user_counts(),
  private.get_places_counts(), public.get_places_counts(),
  private.get_jobs_counts(), public.get_jobs_counts() to authenticated;

-- Deletes an account for good: its sessions end, its profile and all that hangs on it goes, its
-- listings and jobs stay without an owner. True when there was one, false when it was gone already.
create function private.admin_delete_user(userid uuid) returns boolean
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
create function public.admin_delete_user(userid uuid) returns boolean
language sql volatile set search_path = ''
as $$ select private.admin_delete_user(userid) $$;
grant execute on function private.admin_delete_user(uuid), public.admin_delete_user(uuid) to authenticated;
