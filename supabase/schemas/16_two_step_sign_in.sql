-- Two-step sign-in: after the password, a code from an authenticator app. The auth service has the
-- factors and checks the codes (auth.mfa_factors); private.user_id() in foundations is what asks for the
-- second step. Here are the recovery codes, turning it off, and the setting that makes it mandatory for
-- admins. A user turns it on at the auth service, and hears of every change.

-- ---------------------------------------------------------------- tables

-- What someone signs in with once when they lost their authenticator app. Stored as hashes; a set is
-- deleted when one of it was used, because that turns two-step sign-in off.
create table private.recovery_codes (
  user_id uuid not null references public.profiles (id) on delete cascade,
  code_hash text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, code_hash)
);

-- ---------------------------------------------------------------- functions

-- Whether a code of the caller's authenticator app was entered in the last ten minutes, according to their token: for
-- changes that ask for the code again.
create function private.has_recent_second_step() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from jsonb_array_elements(case jsonb_typeof(auth.jwt() -> 'amr') when 'array' then auth.jwt() -> 'amr'
      else '[]' end) used
    where used ->> 'method' = 'totp'
      and to_timestamp((used ->> 'timestamp')::bigint) > now() - interval '10 minutes');
end $$;

create function private.require_recent_second_step() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_second_step_done() then
    raise exception 'second_step_required' using errcode = '42501';
  elsif not private.has_recent_second_step() then
    perform private.refuse('second_step_code_needed');
  end if;
end $$;

-- An email and an entry of the audit log for a change of someone's two-step sign-in, so that it can't
-- change without their knowledge. The actor is null when the auth service does not say who it was.
create function private.report_second_step(user_id uuid, change text, actor uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.enqueue_account_news(user_id, 'two-step-changed', jsonb_build_object('change', change));
  insert into public.audit_log (actor, actor_role, action, subject, subject_id)
    values (actor, case when actor is null then 'system' else 'authenticated' end, 'two-step-' || change, 'profiles',
      user_id::text);
end $$;

-- The auth service adds and removes factors, also for callers who are not the dashboard. The first one
-- turns two-step sign-in on, and the last one turns it off, for the reason in app.second_step_change. Others are further
-- apps. Sessions that wait for the second step end with the last one, as in remove_second_step: someone without their
-- phone may have left one on another person's computer, and would be signed in there. Those that passed it are
-- lowered: the auth service does that, too, but not when our team removes the app of a lost phone in SQL, and its session
-- would count as having passed the next app's step. So are those that passed with one of several apps.
create function private.report_factor() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from auth.mfa_factors f where f.user_id = old.user_id and f.status = 'verified' and f.id <> old.id) then
    -- The dashboard adds no second app. Someone with a stolen token may, to come back with it.
    perform private.report_second_step(old.user_id, case tg_op when 'UPDATE' then 'app-added' else 'app-removed' end,
      private.session_user_id());
    if tg_op = 'DELETE' then
      delete from auth.mfa_amr_claims a using auth.sessions s
        where s.id = a.session_id and s.factor_id = old.id and a.authentication_method = 'totp';
      update auth.sessions s set aal = 'aal1', factor_id = null where s.factor_id = old.id;
    end if;
  elsif tg_op = 'UPDATE' then
    perform private.report_second_step(old.user_id, 'on', old.user_id);
  -- (Of several that go in one statement, each is the last one here: the first has done it all.)
  elsif exists (select from auth.users u where u.id = old.user_id)
    and current_setting('app.second_step_ended', true) is distinct from old.user_id::text then
    perform set_config('app.second_step_ended', old.user_id::text, true);
    delete from private.recovery_codes c where c.user_id = old.user_id;
    if coalesce(current_setting('app.second_step_change', true), '') = '' then
      delete from auth.sessions s where s.user_id = old.user_id and s.aal is distinct from 'aal2';
    end if;
    delete from auth.mfa_amr_claims a using auth.sessions s
      where s.id = a.session_id and s.user_id = old.user_id and a.authentication_method = 'totp';
    update auth.sessions s set aal = 'aal1', factor_id = null where s.user_id = old.user_id and s.aal = 'aal2';
    perform private.report_second_step(old.user_id,
      coalesce(nullif(current_setting('app.second_step_change', true), ''), 'off'), private.session_user_id());
  end if;
  return null;
end $$;

-- A code as it is hashed: however it was typed, without its hyphens and spaces.
create function private.recovery_code_hash(code text) returns text
language sql immutable set search_path = ''
as $$ select private.code_hash('recovery ' || regexp_replace(lower(code), '[^0-9a-f]', '', 'g')) $$;

-- Ten new recovery codes of 60 random bits, in place of the caller's earlier ones. They are returned
-- this once.
create function private.create_recovery_codes() returns text[]
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
  codes text[];
  had_codes boolean;
begin
  -- One after the other: two requests at once would leave two sets. Rights are asked after the wait.
  perform 1 from public.profiles p where p.id = me for no key update;
  perform private.require_recent_second_step();
  -- Each new set sends an email, and adds an entry to the audit log.
  perform private.enforce_limit('too_many_recovery_codes', 'recovery codes of ' || me, 10, 3600);
  delete from private.recovery_codes c where c.user_id = me;
  had_codes := found;
  select array_agg(regexp_replace(left(hex, 12) || right(hex, 3), '(.....)(.....)', '\1-\2-')) into codes
    from (select replace(gen_random_uuid()::text, '-', '') as hex from generate_series(1, 10)) random;
  insert into private.recovery_codes (user_id, code_hash)
    select me, private.recovery_code_hash(code) from unnest(codes) code;
  if had_codes then
    perform private.report_second_step(me, 'new-codes', me);
  end if;
  return codes;
end $$;
create function public.create_recovery_codes() returns text[]
language sql volatile set search_path = ''
as $$ select private.create_recovery_codes() $$;

-- Removes everything about a user's second step. Their sessions that have passed it continue as those of
-- the password (report_factor). Those that wait for it end: the person who
-- began them may know the password and nothing else, and would have full rights now.
create function private.remove_second_step(user_id uuid, change text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from auth.sessions s where s.user_id = remove_second_step.user_id and s.aal is distinct from 'aal2'
    and s.id <> (auth.jwt() ->> 'session_id')::uuid;
  perform set_config('app.second_step_change', change, true);
  delete from auth.mfa_factors f where f.user_id = remove_second_step.user_id;
  perform set_config('app.second_step_change', '', true);
end $$;

-- Turns the caller's two-step sign-in off.
create function private.turn_off_second_step() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_recent_second_step();
  perform private.remove_second_step(me, 'off');
end $$;
create function public.turn_off_second_step() returns void
language sql volatile set search_path = ''
as $$ select private.turn_off_second_step() $$;

-- Signs in with a recovery code in place of the authenticator app. The auth service raises a session
-- for a code of the app only, so a recovery code turns two-step sign-in off: the session is then
-- complete with the password. All other sessions of the user end, so that one code opens one browser, and
-- a lost phone is signed out. Returns whether the code was right, and otherwise the seconds to wait
-- after too many wrong ones. (It raises nothing for a wrong code, which would undo the count.)
create function private.use_recovery_code(code text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := private.session_user_id();
  my_session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
  -- For each session: someone who knows the password and no code must not use up the tries of the person who has one.
  -- Against guessing, the codes are long enough.
  bucket constant text := 'recovery-code:' || my_session;
  wait integer;
begin
  if me is null then
    raise exception 'session_required' using errcode = '42501';
  end if;
  wait := private.take_rate_token(bucket, 10, 15 * 60);
  if wait = 0 then
    delete from private.recovery_codes c
      where c.user_id = me and c.code_hash = private.recovery_code_hash(use_recovery_code.code);
    if found then
      -- This one no longer depends on the session in the app that opened it.
      delete from private.handed_over_sessions h where h.session_id = my_session;
      delete from auth.sessions s where s.user_id = me and s.id <> my_session;
      perform private.remove_second_step(me, 'recovery-code');
      perform private.return_rate_token(bucket);
      return '{"used": true, "wait": 0}';
    end if;
  end if;
  return jsonb_build_object('used', false, 'wait', wait);
end $$;
create function public.use_recovery_code(code text) returns jsonb
language sql volatile set search_path = ''
as $$ select private.use_recovery_code(code) $$;

-- The caller's two-step sign-in: since when it is on (null when it is off), the factors whose code is
-- accepted, and how many recovery codes are left.
create function private.my_second_step() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('since', min(f.created_at),
    'factors', coalesce(jsonb_agg(f.id order by f.created_at) filter (where f.factor_type = 'totp'), '[]'),
    'codes_left', (select count(*) from private.recovery_codes c where c.user_id = private.user_id()))
  from auth.mfa_factors f where f.user_id = private.user_id() and f.status = 'verified'
$$;
create function public.my_second_step() returns jsonb
language sql stable set search_path = ''
as $$ select private.my_second_step() $$;

-- For admins: whether two-step sign-in is mandatory for them, and who of them has it.
create function private.admin_second_steps() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'mandatory', exists (select from private.settings s where s.name = 'admins_need_second_step' and s.enabled),
    'admins', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.full_name, 'on',
        exists (select from auth.mfa_factors f where f.user_id = p.id and f.status = 'verified'))
        order by p.full_name, p.id), '[]')
      from public.profiles p where p.admin));
end $$;
create function public.admin_second_steps() returns jsonb
language sql stable set search_path = ''
as $$ select private.admin_second_steps() $$;

-- Makes two-step sign-in mandatory for every admin, or optional again. Only an admin who has it on may
-- do that, so that there is always one whom the setting does not lock out.
create function private.require_second_step_of_admins(mandatory boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.require_admin();
  if not private.is_second_step_done() then
    perform private.refuse('own_second_step_first');
  end if;
  insert into private.settings as s (name, enabled)
    values ('admins_need_second_step', require_second_step_of_admins.mandatory)
    on conflict (name) do update set enabled = excluded.enabled, changed_at = now()
      where s.enabled <> excluded.enabled;
  if found then
    perform private.log_action('require-two-step', 'settings', 'admins_need_second_step',
      jsonb_build_object('mandatory', mandatory));
    -- Someone in an admin's session who makes it optional could then do with a password what needs a code now.
    perform private.enqueue_email(p.id, null, 'admins-two-step', format('admins-two-step:%s:%s', now(), p.id),
      jsonb_build_object('mandatory', mandatory)) from public.profiles p where p.admin;
  end if;
end $$;
create function public.require_second_step_of_admins(mandatory boolean) returns void
language sql volatile set search_path = ''
as $$ select private.require_second_step_of_admins(mandatory) $$;

-- ---------------------------------------------------------------- triggers

create trigger t1_report_on after update of status on auth.mfa_factors
  for each row when (old.status <> 'verified' and new.status = 'verified') execute function private.report_factor();
create trigger t1_report_off after delete on auth.mfa_factors
  for each row when (old.status = 'verified') execute function private.report_factor();

-- ---------------------------------------------------------------- policies

alter table private.recovery_codes enable row level security;
create policy "no access" on private.recovery_codes for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant execute on function
  private.create_recovery_codes(),
  public.create_recovery_codes(),
  private.turn_off_second_step(),
  public.turn_off_second_step(),
  private.use_recovery_code(text),
  public.use_recovery_code(text),
  private.my_second_step(),
  public.my_second_step(),
  private.admin_second_steps(),
  public.admin_second_steps(),
  private.require_second_step_of_admins(boolean),
  public.require_second_step_of_admins(boolean)
  to authenticated;
