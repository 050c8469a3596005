-- The owner's page of leads.

-- Two people, or two tabs, may sort the same lead and write notes on it: nobody's newer words are written over unseen.
alter table public.leads add column version integer not null default 1;

create function private.raise_lead_version() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.version := old.version;
  if new is distinct from old then
    new.version := old.version + 1;
  end if;
  return new;
end $$;
create trigger version before update on public.leads
  for each row execute function private.raise_lead_version();

-- What an owner makes of a lead (its state, their notes) is theirs. Whoever sent it reads what they wrote, and nothing
-- else, by a function of its own: row level security decides on rows, and the row holds both.
drop policy "of listings I own or manage, or sent by me" on public.leads;
create policy "read of listings I own or manage" on public.leads for select to authenticated
  using (place_id = any ((select private.managed_places())::bigint[])
    or place_id in (select p.id from public.places p where p.owner = (select auth.uid())));

create function private.my_sent_leads()
returns table (id bigint, created_at timestamptz, place_id bigint, requester_name text, requester_email text, message text)
language sql stable security definer set search_path = ''
as $$
  select l.id, l.created_at, l.place_id, l.requester_name, l.requester_email, l.message
  from public.leads l where l.requester = auth.uid() order by l.created_at desc, l.id desc
$$;
create function public.my_sent_leads()
returns table (id bigint, created_at timestamptz, place_id bigint, requester_name text, requester_email text, message text)
language sql stable set search_path = ''
as $$ select * from private.my_sent_leads() $$;
grant execute on function private.my_sent_leads(), public.my_sent_leads() to authenticated;

-- The leads of the listings that the caller owns or manages, newest first.
drop function public.get_owner_leads();
create function public.get_owner_leads()
returns table (id bigint, created_at timestamptz, requester_name text, requester_email text,
  message text, place_id bigint, place_name text, state text, notes text, version integer)
language sql stable set search_path = ''
as $$
  select l.id, l.created_at, l.requester_name, l.requester_email, l.message, p.id, p.name, l.state, l.notes, l.version
  from public.leads l join public.places p on p.id = l.place_id
  where p.owner = (select auth.uid()) or p.id = any ((select private.managed_places())::bigint[])
  order by l.created_at desc, l.id desc
$$;

-- A page of the caller's leads, over get_owner_leads(), which says who may read which.
--   listing, wanted   the leads of one listing, or in one state; null for all
--   after, before     the id of the lead that the page begins after or ends before; the first page
--                     without either, or when that lead is none of the caller's
--   page_rows         1 to 250
-- Gives {total, first, rows, listings}: how many leads of that kind there are, the place (from 1) of the
-- page's first among them, the rows, and each listing that has leads, with how many, and how many new ones.
create function public.my_leads(
  listing bigint default null, wanted text default null, after bigint default null, before bigint default null,
  page_rows integer default 50)
returns jsonb
language sql stable set search_path = ''
as $$
  with mine as materialized (
    select l.id, l.created_at, l.place_id, l.place_name, l.state from public.get_owner_leads() l
  ), found as (
    select m.id, m.created_at, row_number() over (order by m.created_at desc, m.id desc) as n from mine m
    where (my_leads.listing is null or m.place_id = my_leads.listing)
      and (my_leads.wanted is null or m.state = my_leads.wanted)
  ), place as (
    -- Where the lead stands or would stand, whether or not it is of the kind that is asked for.
    select coalesce(
      (select count(*) + 1 from found f join mine a on a.id = my_leads.after
        where (f.created_at, f.id) >= (a.created_at, a.id)), 1) as from_after,
      (select count(*) + 1 - least(greatest(page_rows, 1), 250) from found f
        join mine b on b.id = my_leads.before where (f.created_at, f.id) > (b.created_at, b.id)) as to_before
  ), page as (
    select f.id, f.n from found f, place
    where f.n >= greatest(case when my_leads.before is null then from_after
      when to_before is null then 1 else to_before end, 1)
    order by f.n limit least(greatest(page_rows, 1), 250)
  )
  select jsonb_build_object(
    'total', (select count(*) from found),
    'first', (select min(n) from page),
    'rows', coalesce((
      select jsonb_agg(to_jsonb(l) order by page.n)
      from page join public.get_owner_leads() l on l.id = page.id), '[]'),
    'listings', coalesce((
      select jsonb_agg(jsonb_build_object('id', g.place_id, 'name', g.place_name, 'leads', g.leads, 'new', g.unread)
        order by private.folded(g.place_name), g.place_id)
      from (select place_id, place_name, count(*) as leads, count(*) filter (where state = 'new') as unread
        from mine group by place_id, place_name) g), '[]'))
$$;
grant execute on function public.get_owner_leads(), public.my_leads(bigint, text, bigint, bigint, integer) to authenticated;
