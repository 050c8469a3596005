-- A job that ends soon is told to its owner, while there is time to renew it. Called by `npm run notices`;
-- the key names the job and the end it has, so that calling it again adds nothing, and a renewed job is
-- told of again when its new end comes near.
create function private.notify_expiring_jobs() returns void
language sql volatile security definer set search_path = ''
as $$
  select private.notify(j.owner, null, 'job-expiring',
    'job-expiring:' || j.id || ':' || to_char(j.expiration_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'),
    jsonb_build_object('job_id', j.id, 'title', j.title, 'expiration_date', j.expiration_date))
  from public.jobs j
  where j.paid and j.published and j.filled_at is null and j.owner is not null
    and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
$$;
create function public.notify_expiring_jobs() returns void
language sql volatile set search_path = ''
as $$ select private.notify_expiring_jobs() $$;
grant execute on function private.notify_expiring_jobs(), public.notify_expiring_jobs() to service_role;
