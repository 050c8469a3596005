-- What waits for somebody's own hand, for the top of their home page: one line a kind of thing, with how many
-- there are and the one to begin with. Gives {supporter, needs: [{kind, count, id, name, at}]}: whether one of
-- their listings is Featured, and the lines, the most pressing first.
--   payment-failed, changes-requested, incomplete, to-claim   listings, but for payments also those they manage
--   unpaid-job, job-expiring (within five days)               jobs; `at` is when
--   new-leads                                                 messages; name is the listing's
create function public.my_home() returns jsonb
language sql stable set search_path = ''
as $$
  with listings as (
    select p.* from public.places p
    where p.owner = (select auth.uid())
      or p.id = any ((select private.managed_places())::bigint[])
      or (p.owner is null and p.owner_email = (select private.my_email()))
  ), jobs as (
    select j.* from public.jobs j where j.owner = (select auth.uid()) and j.filled_at is null
  ), waiting (rank, kind, id, name, at) as (
    select 1, 'payment-failed', l.id, l.name, l.modified_at from listings l
      where l.owner = (select auth.uid()) and l.subscription_status in ('past_due', 'unpaid')
    union all
    select 2, 'changes-requested', l.id, l.name, l.modified_at from listings l where coalesce(l.changes_requested, '') <> ''
    union all
    select 3, 'incomplete', l.id, l.name, l.modified_at from listings l
      where l.owner is not null and l.status in ('new', 'pending-update', 'flagged')
        and (coalesce(l.state, '') = '' or (l.owner_email is null and l.owner = (select auth.uid())))
    union all
    select 4, 'job-expiring', j.id, j.title, j.expiration_date from jobs j
      where j.published and j.expiration_date > now() and j.expiration_date <= now() + interval '5 days'
    union all
    select 5, 'unpaid-job', j.id, j.title, j.created_at from jobs j where not j.paid
    union all
    select 6, 'new-leads', l.id, l.place_name, l.created_at from public.get_owner_leads() l where l.state = 'new'
    union all
    select 7, 'to-claim', l.id, l.name, l.created_at from listings l where l.owner is null
  ), lines as (
    select distinct on (rank) rank, kind, count(*) over (partition by rank) as count, id, name, at
    from waiting order by rank, at, id
  )
  select jsonb_build_object(
    'supporter', exists (select from public.places p where p.owner = (select auth.uid()) and p.premium),
    'needs', coalesce((select jsonb_agg(to_jsonb(l) - 'rank' order by l.rank) from lines l), '[]'))
$$;
grant execute on function public.my_home() to authenticated;
