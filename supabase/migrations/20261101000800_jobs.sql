-- Job postings: written by owners, paid for, live for 45 days.
create table public.jobs (
  id bigint generated always as identity primary key,
  title text not null check (length(btrim(title)) between 1 and 200),
  category bigint not null references public.categories (id),
  description text not null check (length(btrim(description)) between 1 and 10000),
  pay_range text check (length(pay_range) <= 200),
  url text check (private.is_web_link(url)),
  location text[] not null check (cardinality(location) between 1 and 100),
  city text check (length(city) <= 200),
  queer_owned boolean not null default false,
  ally_owned boolean not null default false,
  ally_safety text check (length(ally_safety) <= 5000),
  remote boolean not null default false,
  full_time boolean not null default false,
  part_time boolean not null default false,
  contract boolean not null default false,
  place_id bigint references public.places (id),
  company_name text check (length(company_name) <= 200),
  company_bio text check (length(company_bio) <= 5000),
  owner uuid references public.profiles (id) on delete set null,
  owner_email text check (private.is_email(owner_email)),
  published boolean not null default false,
  paid boolean not null default false,
  expiration_date timestamptz,
  filled_at timestamptz,
  submission_id uuid,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  modified_at timestamptz not null default now(),
  unique (owner, submission_id),
  constraint job_is_paid_before_it_is_published check (paid or not published),
  constraint paid_job_expires check (not paid or expiration_date is not null),
  constraint job_names_its_company check (place_id is not null
    or (coalesce(btrim(company_name), '') <> '' and coalesce(btrim(company_bio), '') <> '')),
  constraint ally_says_how_it_is_safe check (not ally_owned or coalesce(btrim(ally_safety), '') <> '')
);
create index jobs_owner on public.jobs (owner, created_at desc, id desc);
create index jobs_newest on public.jobs (created_at desc, id desc);
create index jobs_category on public.jobs (category);
create index jobs_place on public.jobs (place_id);
create index jobs_expiration on public.jobs (expiration_date, published) where paid;

create function private.refuse_wrong_job(job public.jobs) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not exists (select 1 from public.categories c where c.id = job.category and c.parent_category = 40) then
    raise exception 'Please choose a job category from the list.' using errcode = 'P0001';
  end if;
end $$;
grant execute on function private.refuse_wrong_job(public.jobs) to authenticated, service_role;

create function private.guard_job() returns trigger
language plpgsql set search_path = ''
as $$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
begin
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := auth.uid();
      new.owner_email := private.my_email();
      new.filled_at := null;
    end if;
    if api then
      -- Payment is told by the payment provider alone, not even by an admin's form.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.published and not old.published then
        if not new.paid then
          raise exception 'This job is not paid for yet.' using errcode = 'P0001';
        elsif new.expiration_date <= now() then
          raise exception 'This job listing has expired.' using errcode = 'P0001';
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version + 1;
    new.modified_at := now();
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  if by_owner and new.place_id is not null and (tg_op = 'INSERT' or new.place_id is distinct from old.place_id)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = auth.uid()) then
    raise exception 'Please choose one of your own listings.' using errcode = 'P0001';
  end if;
  if tg_op = 'INSERT' or new.category <> old.category then
    perform private.refuse_wrong_job(new);
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.jobs
  for each row execute function private.guard_job();

create trigger audit_insert after insert on public.jobs referencing new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_update after update on public.jobs
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.write_audit();
create trigger audit_delete after delete on public.jobs referencing old table as old_rows
  for each statement execute function private.write_audit();

create trigger count_insert after insert on public.jobs referencing new table as new_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');
create trigger count_update after update on public.jobs
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');
create trigger count_delete after delete on public.jobs referencing old table as old_rows
  for each statement execute function private.count_rows(
    'array[''jobs:total'', case when paid then ''jobs:paid'' else ''jobs:unpaid'' end]');

alter table public.jobs enable row level security;
create policy "own or admin" on public.jobs for select to authenticated
  using (owner = (select auth.uid()) or (select private.is_admin()));
create policy "add own, or admin" on public.jobs for insert to authenticated
  with check (owner = (select auth.uid()) or (select private.is_admin()));
create policy "change own, or admin" on public.jobs for update to authenticated
  using (owner = (select auth.uid()) or (select private.is_admin()))
  with check (owner = (select auth.uid()) or (select private.is_admin()));
grant select, insert, update on public.jobs to authenticated;
grant select, insert, update, delete on public.jobs to service_role;
