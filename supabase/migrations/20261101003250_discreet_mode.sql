-- Somebody whose screen or mailbox others see can ask for names that tell nothing.
alter table public.profiles add column discreet boolean not null default false;

-- With everything else that a page needs to know of who is asking; their choice about tracking, too.
create or replace function private.my_session() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'user_id', p.id,
    'email', case when u.email_confirmed_at is not null then nullif(lower(u.email), '') end,
    'full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns, 'postalcode', p.postalcode,
    'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
    'business_owner', p.business_owner, 'admin', p.admin, 'supporter', p.supporter,
    'pending_email', nullif(u.email_change, ''),
    'tracking', t.granted, 'tracking_text', t.text_version, 'discreet', p.discreet)
  from auth.users u
  join public.profiles p on p.id = u.id
  join auth.sessions s on s.user_id = u.id
  cross join private.tracking_choice(u.id) t
  where u.id = auth.uid()
    and s.id::text = auth.jwt() ->> 'session_id'
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until < now())
    and u.deleted_at is null
$$;
