-- Who reviews which listing at this moment, so that two admins do not do the same work. A claim tells
-- the others and binds nobody: what keeps a decision from overwriting another is the listing's version.
create table private.review_claims (
  place_id bigint primary key references public.places (id) on delete cascade,
  admin uuid not null references public.profiles (id) on delete cascade,
  since timestamptz not null,
  until timestamptz not null
);
create index review_claims_admin on private.review_claims (admin);
alter table private.review_claims enable row level security;
create policy "nobody" on private.review_claims for all to anon, authenticated using (false);

-- Makes a listing the caller's to review for 15 minutes, or for 15 minutes more. False when another has
-- claimed it and it is not to be taken over, or when there is no such listing. By the wall clock, for a
-- transaction that had to wait began earlier than the claim it waited for.
create function private.claim(place_id bigint, take_over boolean) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into private.review_claims as c (place_id, admin, since, until)
  select p.id, auth.uid(), clock_timestamp(), clock_timestamp() + interval '15 minutes'
  from public.places p where p.id = claim.place_id
  on conflict on constraint review_claims_pkey do update set admin = excluded.admin, until = excluded.until,
    since = case when c.admin = excluded.admin and c.until > excluded.since then c.since else excluded.since end
  where c.admin = excluded.admin or c.until <= excluded.since or take_over is true;
  return found;
end $$;

-- Who reviews a listing now: {id, name, mine, since, until}; null when nobody does.
create function private.reviewer_of(place_id bigint) returns jsonb
language sql volatile security definer set search_path = ''
as $$
  select jsonb_build_object('id', c.admin, 'name', a.full_name, 'mine', c.admin = auth.uid(),
    'since', c.since, 'until', c.until)
  from private.review_claims c join public.profiles a on a.id = c.admin
  where c.place_id = reviewer_of.place_id and c.until > clock_timestamp()
$$;

-- Opens a listing for the caller's review. Gives {claimed, reviewer}; null when there is no such
-- listing. What another reviews is taken over only when that is asked for.
create function private.claim_listing(id bigint, take_over boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed boolean;
begin
  perform private.require_admin();
  claimed := private.claim(id, take_over);
  if not exists (select from public.places p where p.id = claim_listing.id) then
    return null;
  end if;
  return jsonb_build_object('claimed', claimed, 'reviewer', private.reviewer_of(id));
end $$;
create function public.claim_listing(id bigint, take_over boolean default false) returns jsonb
language sql volatile set search_path = ''
as $$ select private.claim_listing(id, take_over) $$;

-- Ends the caller's claim; true when there was one.
create function private.release_listing(id bigint) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  delete from private.review_claims c where c.place_id = release_listing.id and c.admin = auth.uid();
  return found;
end $$;
create function public.release_listing(id bigint) returns boolean
language sql volatile set search_path = ''
as $$ select private.release_listing(id) $$;

grant execute on function private.claim_listing(bigint, boolean), public.claim_listing(bigint, boolean),
  private.release_listing(bigint), public.release_listing(bigint) to authenticated;
