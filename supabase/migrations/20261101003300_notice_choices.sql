-- Which e-mails somebody wants. What is about their money, their account, or asked for by themselves is always sent.
create table public.notice_choices (
  user_id uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  kind text not null check (kind in
    ('listing-approved', 'changes-requested', 'edit-rejected', 'listing-edited', 'job-expiring', 'payment-failed', 'new-lead')),
  wanted boolean not null,
  primary key (user_id, kind)
);
alter table public.notice_choices enable row level security;
create policy "own" on public.notice_choices for select to authenticated using (user_id = (select auth.uid()));
create policy "choose own" on public.notice_choices for insert to authenticated with check (user_id = (select auth.uid()));
create policy "change own" on public.notice_choices for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant select, insert, update on public.notice_choices to authenticated;

-- Without a word from them people get all but a notice of each message.
create function private.wants_notice(person uuid, kind text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (select c.wanted from public.notice_choices c where c.user_id = person and c.kind = wants_notice.kind),
    wants_notice.kind <> 'new-lead')
$$;

-- For the link in an e-mail, which stands for its person. Safe to repeat.
create function private.stop_notices(person uuid, kind text) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.notice_choices (user_id, kind, wanted)
  select p.id, stop_notices.kind, false from public.profiles p where p.id = person
  on conflict (user_id, kind) do update set wanted = false
$$;
create function public.stop_notices(person uuid, kind text) returns void
language sql volatile set search_path = ''
as $$ select private.stop_notices(person, kind) $$;
grant execute on function private.stop_notices(uuid, text), public.stop_notices(uuid, text) to service_role;

-- As before, and without what its person does not want; with who they are, and whether they asked for discretion.
-- An invitation goes to its address while it is open. Whose address that is nobody has asked, so it is always discreet
-- and names nobody. Invitations that nobody answered are forgotten a month after they ran out.
drop function public.take_notices(integer);
drop function private.take_notices(integer);
create function private.take_notices(most integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text, person uuid, discreet boolean)
language sql volatile security definer set search_path = ''
as $$
  delete from private.notices o where o.id in
    (select old.id from private.notices old where old.created_at < now() - interval '90 days' limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  with due as materialized (
    select n.id, f.id as person, f.full_name, i.id is not null or coalesce(f.discreet, false) as discreet,
      coalesce(i.email, lower(u.email), case when p.owner is null then p.owner_email end) as email
    from private.notices n
    left join public.manager_invitations i on i.id = n.invitation_id
      and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
    left join public.places p on p.id = n.place_id
    left join auth.users u on u.id = coalesce(n.recipient, p.owner)
      and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    left join public.profiles f on f.id = u.id
    where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
      and (i.id is not null or u.id is not null or (p.owner is null and p.owner_email is not null))
      and private.wants_notice(u.id, n.kind)
    order by n.next_try_at limit least(greatest(most, 0), 100)
    for update of n skip locked
  )
  update private.notices n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data, n.attempts, due.email, due.full_name, due.person, due.discreet
$$;
create function public.take_notices(most integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text, person uuid, discreet boolean)
language sql volatile set search_path = ''
as $$ select * from private.take_notices(most) $$;
grant execute on function private.take_notices(integer), public.take_notices(integer) to service_role;

-- An owner hears that their listing was approved, and that an admin changed it by hand. What an admin decided besides
-- is told by the decision itself; that something was undone, by nothing but the listing as it then stands.
create function private.notice_owners() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  act constant text := coalesce(nullif(current_setting('app.audit_action', true), ''), 'form');
begin
  if act not in ('form', 'approve') or not private.is_admin() then
    return null;
  end if;
  insert into private.notices (place_id, kind, key, data)
  select n.id, k.kind, format('%s:%s:%s', k.kind, n.id, n.version), jsonb_build_object('place_id', n.id, 'name', n.name)
  from new_rows n join old_rows o on o.id = n.id
  cross join lateral (select case
      when n.status = 'published' and o.status <> 'published' then 'listing-approved'
      when act = 'form' and exists (select from unnest(private.reviewed_columns()) c
        where to_jsonb(n) -> c is distinct from to_jsonb(o) -> c) then 'listing-edited'
    end as kind) k
  where k.kind is not null and n.owner is distinct from auth.uid()
  on conflict do nothing;
  return null;
end $$;
create trigger notice_owners after update on public.places
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.notice_owners();

create function private.notice_new_lead() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.notify(null, p.id, 'new-lead', 'new-lead:' || new.id, jsonb_build_object('lead_id', new.id, 'name', p.name))
    from public.places p where p.id = new.place_id and private.wants_notice(p.owner, 'new-lead');
  perform private.notify(m.profile_id, null, 'new-lead', format('new-lead:%s:%s', new.id, m.profile_id),
      jsonb_build_object('lead_id', new.id, 'name', p.name, 'place_id', p.id))
    from public.listing_managers m join public.places p on p.id = m.place_id
    where m.place_id = new.place_id and private.wants_notice(m.profile_id, 'new-lead');
  return null;
end $$;
create trigger notice_owner after insert on public.leads
  for each row execute function private.notice_new_lead();
