-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

create table private.used_recovery_links (
  user_id uuid not null,
  used_at timestamp with time zone default now() not null
);

CREATE OR REPLACE FUNCTION private.continue_session(session_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.sessions s set not_after = null
    where s.id = continue_session.session_id and s.user_id = private.user_id() and s.not_after > now();
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.end_limit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update auth.sessions s set not_after = null where s.user_id = new.id and s.not_after > now();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.has_passed_second_step(session auth.sessions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (session.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
    or not exists (select from auth.mfa_factors f where f.user_id = session.user_id and f.status = 'verified');
end $function$;

CREATE OR REPLACE FUNCTION private.limit_session()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.used_recovery_links l using auth.sessions s
    where s.id = new.session_id and l.user_id = s.user_id and l.used_at > now() - interval '1 minute';
  if found or new.authentication_method <> 'otp' then
    update auth.sessions s set not_after = now() + interval '15 minutes' where s.id = new.session_id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.my_session()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select coalesce((
    select jsonb_build_object(
      'user_id', p.id,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
      'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
      'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
      'business_owner', p.business_owner, 'admin', a.is_admin,
      'admin_needs_second_step', p.admin and not a.is_admin, 'second_step', a.second_step,
      'supporter', p.supporter,
      'pending_email', nullif(u.email_change, ''),
      'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet,
      'deletion', private.requested_deletion(u.id))
    from auth.users u
    join public.profiles p on p.id = u.id
    cross join private.tracking_consent(u.id) t
    cross join (select private.is_admin() as is_admin, private.is_second_step_done() as second_step) a
    where u.id = private.user_id()
  ), (
    select jsonb_build_object('user_id', p.id, 'discreet', p.discreet,
      'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end)
      || case when s.not_after is null or not private.has_passed_second_step(s)
        then jsonb_build_object('second_step_due', true,
          'factors', (select jsonb_agg(f.id order by f.created_at) from auth.mfa_factors f
            where f.user_id = u.id and f.status = 'verified' and f.factor_type = 'totp'))
        -- (With the keys of a session without a limit, for a dashboard of the previous release.)
        else jsonb_build_object('limited', true, 'full_name', p.full_name, 'phone', null, 'pronouns', null,
          'postalcode', null, 'opted_in', false, 'sms_opted_in', false, 'admin', false,
          'admin_needs_second_step', false, 'second_step', false, 'tracking', null, 'tracking_text', null,
          'deletion', null) end
    from auth.users u
    join public.profiles p on p.id = u.id
    join auth.sessions s on s.id = (auth.jwt() ->> 'session_id')::uuid
    where u.id = private.session_user_id()
  ))
$function$;

CREATE OR REPLACE FUNCTION private.remember_recovery_link()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.used_recovery_links (user_id) values (new.id)
    on conflict (user_id) do update set used_at = now();
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.tie_handed_over_session(session_id uuid, issued_by uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A request that ends the session in the app at this moment waits, and then finds the tie.
  perform 1 from auth.sessions app join auth.sessions own on own.user_id = app.user_id
    where app.id = tie_handed_over_session.issued_by and own.id = tie_handed_over_session.session_id
    for key share of app;
  if not found then
    delete from auth.sessions s where s.id = tie_handed_over_session.session_id;
    return false;
  end if;
  insert into private.handed_over_sessions (session_id, issued_by)
    values (tie_handed_over_session.session_id, tie_handed_over_session.issued_by);
  -- It began with a link like one to a new password (limit_session).
  update auth.sessions s set not_after = null where s.id = tie_handed_over_session.session_id;
  -- The auth service counts the link that began the session as an email, and sends no other one for a while.
  update auth.users u set recovery_sent_at = null from auth.sessions s
    where s.id = tie_handed_over_session.session_id and u.id = s.user_id and coalesce(u.recovery_token, '') = '';
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.user_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant text := nullif(current_setting('request.jwt.claims', true), '');
  caller uuid;
begin
  if current_setting('app.live_session', true) = claims then
    return auth.uid();
  end if;
  caller := (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid() and s.not_after is null
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null
      and private.has_passed_second_step(s));
  if caller is not null and current_setting('transaction_read_only') = 'on' then
    perform set_config('app.live_session', claims, true);
  end if;
  return caller;
end $function$;

CREATE OR REPLACE FUNCTION public.continue_session(session_id uuid)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
AS $function$ select private.continue_session(session_id) $function$;

alter table private.used_recovery_links add constraint used_recovery_links_pkey PRIMARY KEY (user_id);

alter table private.used_recovery_links add constraint used_recovery_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

alter table private.used_recovery_links enable row level security;

CREATE OR REPLACE TRIGGER t1_limit AFTER INSERT ON auth.mfa_amr_claims FOR EACH ROW WHEN ((new.authentication_method = ANY (ARRAY['otp'::text, 'recovery'::text, 'magiclink'::text]))) EXECUTE FUNCTION private.limit_session();

CREATE OR REPLACE TRIGGER t2_remember_recovery_link AFTER UPDATE OF recovery_token ON auth.users FOR EACH ROW WHEN ((((old.recovery_token)::text <> ''::text) AND ((COALESCE(new.recovery_token, ''::character varying))::text = ''::text) AND (old.email_confirmed_at IS NOT NULL) AND (NOT ((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text)))) EXECUTE FUNCTION private.remember_recovery_link();

CREATE OR REPLACE TRIGGER t3_end_limit AFTER UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN (((new.encrypted_password)::text IS DISTINCT FROM (old.encrypted_password)::text)) EXECUTE FUNCTION private.end_limit();

create policy "no access" on private.used_recovery_links for all to anon, authenticated
  using (false);

grant execute on function private.continue_session(uuid) to authenticated;

grant execute on function public.continue_session(uuid) to authenticated;

set check_function_bodies = on;
