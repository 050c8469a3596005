-- How the mobile app opens a page of the dashboard for somebody who is signed in there: with a code that
-- works once and for a minute, so that what stands in an address is worth nothing afterwards. Kept as a hash.
create table private.handoff_codes (
  code_hash text primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The session in the app that asked. Signing out there ends its codes.
  session_id uuid not null,
  expires_at timestamptz not null default now() + interval '60 seconds'
);
create index handoff_codes_user on private.handoff_codes (user_id);
create index handoff_codes_expires on private.handoff_codes (expires_at);
alter table private.handoff_codes enable row level security;
create policy "nobody" on private.handoff_codes for all to anon, authenticated using (false);

-- How a code that only its holder is to know is kept.
create function private.code_hash(code text) returns text
language sql immutable set search_path = ''
as $$ select encode(sha256(convert_to(code, 'UTF8')), 'hex') $$;

-- A code for the caller, for the app to open a page with (`?token=`). Their codes before it end. It holds
-- 244 random bits.
create function private.issue_handoff_code() returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  code constant text := 'once_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  session constant uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  if not exists (select from auth.sessions s where s.id = session and s.user_id = auth.uid()) then
    raise exception 'Please sign in again.' using errcode = '42501';
  end if;
  delete from private.handoff_codes c where c.user_id = auth.uid() or c.code_hash in
    (select o.code_hash from private.handoff_codes o where o.expires_at < now() limit 200 for update skip locked);
  insert into private.handoff_codes (code_hash, user_id, session_id) values (private.code_hash(code), auth.uid(), session);
  return code;
end $$;
create function public.issue_handoff_code() returns text
language sql volatile set search_path = ''
as $$ select private.issue_handoff_code() $$;
grant execute on function private.issue_handoff_code(), public.issue_handoff_code() to authenticated;

-- Uses a code up, whatever comes of it. Gives the confirmed address of the account it was made for, or null.
create function private.redeem_handoff_code(code text) returns text
language sql volatile security definer set search_path = ''
as $$
  with used as (
    delete from private.handoff_codes c where c.code_hash = private.code_hash(code)
    returning c.user_id, c.session_id, c.expires_at
  )
  select u.email::text from used
  join auth.users u on u.id = used.user_id and u.email_confirmed_at is not null
  where used.expires_at > clock_timestamp()
    and exists (select from auth.sessions s where s.id = used.session_id and s.user_id = used.user_id)
$$;
create function public.redeem_handoff_code(code text) returns text
language sql volatile set search_path = ''
as $$ select private.redeem_handoff_code(code) $$;
grant execute on function private.redeem_handoff_code(text), public.redeem_handoff_code(text) to service_role;
