-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.about_removal(place public.places, requested boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('owned', place.owner is not null, 'requested', requested,
    'plan', (select jsonb_build_object('owed', s.status not in ('active', 'trialing'),
        'until', least(s.ends_at, s.period_to))
      from public.subscriptions s
      where s.place_id = place.id and s.owner = place.owner and not s.surplus
        and s.status in ('active', 'trialing', 'past_due', 'unpaid', 'paused')
      order by s.started_at desc, s.id limit 1),
    'jobs', (select count(*) from public.jobs j
      where j.place_id = place.id and j.owner = place.owner and j.paid and j.published and j.filled_at is null
        and j.expiration_date > now()),
    'newsletters', (select coalesce(jsonb_agg(p.weekday_date order by p.weekday_date), '[]')
      from public.sponsorships s join public.sponsorship_spots p on p.sponsorship_id = s.id
      where s.place_id = place.id and s.owner = place.owner and p.held_until is null
        and p.weekday_date > private.today()))
$function$;

CREATE OR REPLACE FUNCTION private.guard_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api boolean := private.from_api();
  by_owner boolean := api and not private.is_admin();
  -- Columns that change when a job is paid for, published or filled, or with the address of its owner's
  -- account. None of them is in its form.
  state_columns constant text[] := array['paid', 'published', 'expiration_date', 'filled_at', 'version',
    'modified_at', 'owner_email'];
begin
  if tg_op <> 'INSERT' and api then
    perform private.require_rights(old.owner = private.user_id() or private.is_admin());
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  new := private.with_one_line(new, 'title', 'pay_range', 'url', 'city', 'company_name');
  new := private.with_many_lines(new, 'description', 'company_bio', 'ally_safety');
  -- Its listing says who is hiring. Other words would go on saying it after the listing was hidden.
  if new.place_id is not null then
    new.company_name := null;
    new.company_bio := null;
  end if;
  -- As exact as the clock of the pages, so that both say "expired" at the same moment.
  new.expiration_date := date_trunc('milliseconds', new.expiration_date);
  if tg_op = 'INSERT' then
    if by_owner then
      new.owner := private.user_id();
      perform private.hold_account_email(new.owner);
      new.owner_email := private.my_email();
    end if;
    if api then
      -- Only the payment provider reports a payment; not even an admin's form can.
      new.paid := false;
      new.published := false;
      new.expiration_date := null;
      new.filled_at := null;
      new.version := 1;
      new.created_at := now();
      new.modified_at := now();
    end if;
  else
    if by_owner then
      new.owner := old.owner;
      new.owner_email := old.owner_email;
    elsif old.owner is not null and new.owner is distinct from old.owner
      and new.owner_email is not distinct from old.owner_email then
      -- As in restore_protected_columns.
      if api then
        perform private.hold_account_email(new.owner);
      end if;
      new.owner_email := case when api then private.account_email(new.owner) end;
    end if;
    if old.owner is not null and new.owner is null and exists (select from public.places p
      where p.id = new.place_id and p.owner is not null and p.owner <> old.owner) then
      -- Without an owner it would be published in the name of its listing, which belongs to someone else.
      new.published := false;
    end if;
    if api then
      new.paid := old.paid;
      new.expiration_date := old.expiration_date;
      new.submission_id := old.submission_id;
      new.version := old.version;
      new.created_at := old.created_at;
      new.modified_at := old.modified_at;
      if new.filled_at is not null and old.filled_at is not null then
        new.filled_at := old.filled_at;
      elsif new.filled_at is not null then
        new.filled_at := now();
      end if;
      if new.published <> old.published or new.filled_at is distinct from old.filled_at then
        if not new.paid then
          perform private.refuse('job_unpaid');
        elsif new.expiration_date <= now() then
          perform private.refuse('job_expired');
        elsif old.filled_at is null and new.filled_at is not null and not new.published then
          perform private.refuse('job_not_published');
        end if;
      end if;
    end if;
    if new is not distinct from old then
      return new;
    end if;
    -- Unpublishing is never refused. To do it again, the job has to be published, which counts.
    if by_owner and not (old.published and not new.published) then
      perform private.limit_account_changes('too_many_job_changes');
    end if;
    new.modified_at := now();
    -- An open form does not contain these columns, so changing them does not make it outdated.
    if to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns then
      new.version := old.version + 1;
    end if;
  end if;
  new.owner_email := nullif(lower(btrim(new.owner_email)), '');
  -- Also when the listing has gone to someone else since. What remains possible is to unpublish the job.
  if by_owner and new.place_id is not null
    and (tg_op = 'INSERT' or to_jsonb(new) - state_columns <> to_jsonb(old) - state_columns)
    and not exists (select 1 from public.places p where p.id = new.place_id and p.owner = private.user_id()) then
    perform private.refuse('job_place_not_yours', 'place_id');
  end if;
  if tg_op = 'INSERT' or new.category <> old.category or new.location <> old.location then
    perform private.validate_job(new);
  end if;
  return new;
end $function$;

set check_function_bodies = on;

-- Jobs that have both a listing and another company, which no job has anymore. What the public sees stays, unless the
-- listing was hidden or removed: then its jobs are, too. A listing that was never approved, or that belongs to someone
-- else, was not shown: the job keeps the company that it names.
update public.jobs j set place_id = null
  where j.place_id is not null and btrim(j.company_name) <> '' and btrim(j.company_bio) <> ''
    and not exists (select from public.places p where p.id = j.place_id and (j.owner is null or p.owner = j.owner)
      and (p.hidden or p.archive_requested or p.status = 'archived'
        or p.id in (select l.id from private.public_places l)));
update public.jobs set company_name = null, company_bio = null
  where place_id is not null and (company_name is not null or company_bio is not null);
