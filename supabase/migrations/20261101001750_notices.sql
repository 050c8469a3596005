-- E-mails that the dashboard owes to somebody. One is written in the transaction of its act, so there
-- is none for an act that did not happen, and none is forgotten; it is sent afterwards, and again until
-- it went out (`npm run notices`). No address is kept: it is looked up at the moment of sending.
create table private.notices (
  id uuid primary key default gen_random_uuid(),
  -- Which letter, such as sponsorship-confirmed.
  kind text not null check (kind ~ '^[a-z]+(-[a-z]+)*$'),
  -- To a person, to whoever a listing belongs to, or to the address that was invited. Whoever is erased takes
  -- their notices along.
  recipient uuid references public.profiles (id) on delete cascade,
  place_id bigint references public.places (id) on delete cascade,
  invitation_id uuid references public.manager_invitations (id) on delete cascade,
  -- What the letter is about: ids and plain words, forgotten once it is sent.
  data jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  -- One for each occasion, such as sponsorship-confirmed:7.
  key text not null unique,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  attempts integer not null default 0,
  -- While somebody sends it: when their lease ends. Infinity: it will never be taken.
  next_try_at timestamptz not null default now(),
  constraint notice_has_one_recipient check (num_nonnulls(recipient, place_id, invitation_id) = 1)
);
create index notices_recipient on private.notices (recipient);
create index notices_place on private.notices (place_id);
create index notices_invitation on private.notices (invitation_id);
create index notices_waiting on private.notices (next_try_at) where sent_at is null;
create index notices_age on private.notices (created_at);
alter table private.notices enable row level security;
create policy "nobody" on private.notices for all to anon, authenticated using (false);

-- Writes a notice: for triggers and functions that run with their owner's rights, in the transaction of
-- the act. To a person (recipient), or else to whoever a listing belongs to (place_id), or else to the address
-- of an invitation; to nobody when there is no such person, listing or invitation any more. The same key again is
-- the same notice: nothing happens.
create function private.notify(
  recipient uuid, place_id bigint, kind text, key text, data jsonb default '{}', invitation uuid default null)
returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.notices (recipient, place_id, invitation_id, kind, key, data)
  select p.id, null::bigint, null::uuid, notify.kind, notify.key, notify.data
    from public.profiles p where p.id = notify.recipient
  union all
  select null, l.id, null, notify.kind, notify.key, notify.data
    from public.places l where notify.recipient is null and l.id = notify.place_id
  union all
  select null, null, i.id, notify.kind, notify.key, notify.data
    from public.manager_invitations i
    where notify.recipient is null and notify.place_id is null and i.id = notify.invitation
  on conflict do nothing
$$;

-- Those that are due, at most `most` of them, with the address and name of that moment: the confirmed
-- address of the person, or of the listing's owner; the owner_email of a listing that nobody owns. A
-- notice without any waits for one. Whoever took one has two minutes to send it; then it may be taken again.
-- After a week a notice is of no use to anybody and stays unsent.
create function private.take_notices(most integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text)
language sql volatile security definer set search_path = ''
as $$
  delete from private.notices o where o.id in
    (select old.id from private.notices old where old.created_at < now() - interval '90 days' limit 200
      for update skip locked);
  with due as materialized (
    select n.id, f.full_name, coalesce(lower(u.email), case when p.owner is null then p.owner_email end) as email
    from private.notices n
    left join public.places p on p.id = n.place_id
    left join auth.users u on u.id = coalesce(n.recipient, p.owner)
      and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    left join public.profiles f on f.id = u.id
    where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
      and (u.id is not null or (p.owner is null and p.owner_email is not null))
    order by n.next_try_at limit least(greatest(most, 0), 100)
    for update of n skip locked
  )
  update private.notices n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data, n.attempts, due.email, due.full_name
$$;
create function public.take_notices(most integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text)
language sql volatile set search_path = ''
as $$ select * from private.take_notices(most) $$;

create function private.notice_sent(id uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.notices n set sent_at = now(), data = '{}' where n.id = notice_sent.id and n.sent_at is null
$$;
create function public.notice_sent(id uuid) returns void
language sql volatile set search_path = ''
as $$ select private.notice_sent(id) $$;

-- It did not go out: the next try is in 1, 2, 4 … minutes, at most every 6 hours; or never, when the
-- address was refused for good.
create function private.notice_failed(id uuid, for_good boolean) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.notices n set next_try_at = case when for_good then 'infinity'
    else now() + make_interval(mins => least(power(2, least(n.attempts - 1, 10))::integer, 360)) end
  where n.id = notice_failed.id and n.sent_at is null
$$;
create function public.notice_failed(id uuid, for_good boolean default false) returns void
language sql volatile set search_path = ''
as $$ select private.notice_failed(id, for_good) $$;

grant execute on function private.notify(uuid, bigint, text, text, jsonb, uuid),
  private.take_notices(integer), public.take_notices(integer),
  private.notice_sent(uuid), public.notice_sent(uuid),
  private.notice_failed(uuid, boolean), public.notice_failed(uuid, boolean) to service_role;
