-- New listings that somebody has begun and means to finish later: the form as it was typed, judged by
-- nobody. The id is the form's one-submit token, so the draft goes when its listing comes.
create table public.listing_drafts (
  id uuid primary key,
  owner uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  -- Field names and what was typed: text, or lists of text.
  fields jsonb not null check (jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index listing_drafts_owner on public.listing_drafts (owner, updated_at desc, id);

create function private.guard_listing_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if octet_length(new.fields::text) > 65536 then
    raise exception 'This is too long to be kept as a draft. Please shorten the longest text.' using errcode = 'P0001';
  end if;
  new.updated_at := now();
  if tg_op = 'UPDATE' then
    new.id := old.id;
    new.owner := old.owner;
    new.created_at := old.created_at;
    return new;
  end if;
  -- Nobody but the team itself, at the database, may write for another.
  new.owner := coalesce(auth.uid(), new.owner);
  new.created_at := now();
  -- One at a time for each person, so that two sent at once are both counted. Saving a draft again
  -- comes through here as well (an upsert tries to insert first) and adds none.
  perform 1 from public.profiles p where p.id = new.owner for no key update;
  if exists (select from public.places p where p.owner = new.owner and p.submission_id = new.id) then
    raise exception 'This listing has been submitted already. You will find it among your listings.' using errcode = 'P0001';
  elsif (select count(*) from public.listing_drafts d where d.owner = new.owner and d.id <> new.id) >= 20 then
    raise exception 'You have 20 unfinished listings, which is as many as we keep. Please finish or discard one of them first.'
      using errcode = 'P0001';
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.listing_drafts
  for each row execute function private.guard_listing_draft();

-- The listing has come, in the same transaction or not at all.
create function private.drop_listing_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.listing_drafts d where d.id = new.submission_id and d.owner = new.owner;
  return null;
end $$;
create trigger drop_draft after insert on public.places
  for each row when (new.submission_id is not null) execute function private.drop_listing_draft();

alter table public.listing_drafts enable row level security;
-- Nobody but their owner reads unfinished words: no admin, and no service either.
create policy "own" on public.listing_drafts for all to authenticated
  using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
grant select, insert, update, delete on public.listing_drafts to authenticated;
