-- The queue of emails. An email is queued in the transaction of its action, so there is none for an action that did
-- not happen, and none is forgotten. It is sent afterwards, and retried until it was sent (`npm run emails:send`). No
-- address is stored: it is looked up when the email is sent. The exceptions are emails with a link to confirm an
-- account or a new address: the auth service asks for them before its own transaction ends, in which the account is
-- made; and the emails to an account's former address, and about an account that our team has deleted. Here are the
-- queue, which emails users want, and the functions that queue, lease and finish an email.

-- ---------------------------------------------------------------- tables

create table private.email_queue (
  id uuid primary key default gen_random_uuid(),
  -- Which email, such as sponsorship-confirmed.
  kind text not null check (kind ~ '^[a-z]+(-[a-z]+)*$'),
  -- To a user, to the owner of a listing, or to the address that was invited. The emails of a user
  -- who is erased are deleted with them.
  recipient uuid references public.profiles (id) on delete cascade,
  place_id bigint references public.places (id) on delete cascade,
  invitation_id uuid references public.manager_invitations (id) on delete cascade,
  -- What the email is about: ids and text, deleted once it is sent.
  data jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  -- One per occasion, such as sponsorship-confirmed:7.
  key text not null unique,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  attempts integer not null default 0,
  -- While a process sends it: when its lease ends. Infinity: it will never be sent.
  next_try_at timestamptz not null default now(),
  -- The address of an email that the auth service asked for, of a former one, or of an account that is deleted; empty once
  -- the email is sent.
  address text check (length(address) <= 320),
  constraint email_has_one_recipient check (num_nonnulls(recipient, place_id, invitation_id, address) = 1)
);
create index email_queue_recipient on private.email_queue (recipient);
create index email_queue_place on private.email_queue (place_id);
create index email_queue_invitation on private.email_queue (invitation_id);
create index email_queue_waiting on private.email_queue (next_try_at) where sent_at is null;
create index email_queue_age on private.email_queue (created_at);
create index email_queue_address on private.email_queue (created_at) where address <> '';

-- Which emails a user wants. Those of other kinds are always sent.
create table public.email_preferences (
  user_id uuid not null default auth.uid() references public.profiles (id) on delete cascade,
  kind text not null check (kind in
    ('listing-approved', 'changes-requested', 'edit-rejected', 'listing-edited', 'listing-changed',
      'job-expiring', 'payment-failed', 'new-lead')),
  wanted boolean not null,
  primary key (user_id, kind)
);

-- ---------------------------------------------------------------- functions

-- Queues an email: for triggers and functions that run with their owner's rights, in the transaction of the action.
-- It goes to a user (recipient), or else to the owner of a listing (place_id), or else to the address of an
-- invitation. When that user, listing or invitation no longer exists, nothing is queued. The same key again is the
-- same email, and nothing happens.
create function private.enqueue_email(
  recipient uuid, place_id bigint, kind text, key text, data jsonb default '{}', invitation uuid default null)
returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.email_queue (recipient, place_id, invitation_id, kind, key, data)
  select p.id, null::bigint, null::uuid, enqueue_email.kind, enqueue_email.key, enqueue_email.data
    from public.profiles p where p.id = enqueue_email.recipient
  union all
  select null, l.id, null, enqueue_email.kind, enqueue_email.key, enqueue_email.data
    from public.places l where enqueue_email.recipient is null and l.id = enqueue_email.place_id
  union all
  select null, null, i.id, enqueue_email.kind, enqueue_email.key, enqueue_email.data
    from public.manager_invitations i
    where enqueue_email.recipient is null and enqueue_email.place_id is null and i.id = enqueue_email.invitation
  on conflict do nothing
$$;

-- Queues an email about a change of someone's account that the auth service makes for them as often as they like, while
-- everyone's emails wait for those before them: five an hour of a kind are sent at once, and one at its end, which is
-- about the last of all that came after.
create function private.enqueue_account_news(user_id uuid, kind text, data jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wait constant integer := private.take_rate_token(format('%s emails to %s', kind, user_id), 5, 3600);
begin
  if wait > 0 then
    update private.email_queue n set data = enqueue_account_news.data
      where n.recipient = user_id and n.kind = enqueue_account_news.kind
        and n.sent_at is null and n.attempts = 0 and n.next_try_at > now();
    if found then
      return;
    end if;
  end if;
  insert into private.email_queue (recipient, kind, key, next_try_at, data)
    select p.id, enqueue_account_news.kind, format('%s:%s', enqueue_account_news.kind, gen_random_uuid()),
        now() + make_interval(secs => wait), enqueue_account_news.data
      from public.profiles p where p.id = user_id;
end $$;

-- Queues an email that the auth service asks for: with a link to confirm an account, a new address, or a new
-- password. The account may not exist yet, for any other transaction. The same key again is the same email. One of that
-- kind to the account that was not sent yet is deleted: its link is not valid anymore. False when the address had its
-- emails of this hour (take_account_email): the auth service then undoes what it did, so that the link of the last one
-- stays valid.
create function private.enqueue_account_email(address text, kind text, key text, data jsonb) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  purpose constant text := case enqueue_account_email.kind
    when 'account-confirmation' then 'sign-up'
    when 'account-recovery' then 'recovery'
  end;
  -- Of a change of address: first the email to the new one, then that to the current one.
  changed_by constant text := case when enqueue_account_email.kind = 'email-change-to' then data ->> 'user' end;
begin
  if exists (select from private.email_queue n where n.key = enqueue_account_email.key) then
    return true;
  elsif purpose is not null
    and not private.take_account_email(enqueue_account_email.address, purpose, 'the auth service') then
    return false;
  elsif changed_by is not null
    and not private.take_email_change(changed_by, enqueue_account_email.address) then
    return false;
  end if;
  delete from private.email_queue n where n.sent_at is null and n.address = enqueue_account_email.address
    and n.kind = enqueue_account_email.kind and n.key <> enqueue_account_email.key
    and n.data ->> 'user' = enqueue_account_email.data ->> 'user';
  insert into private.email_queue (address, kind, key, data)
  values (enqueue_account_email.address, enqueue_account_email.kind, enqueue_account_email.key, enqueue_account_email.data)
  on conflict do nothing;
  return true;
end $$;
create function public.enqueue_account_email(address text, kind text, key text, data jsonb) returns boolean
language sql volatile set search_path = ''
as $$ select private.enqueue_account_email(address, kind, key, data) $$;

-- What is known about an address, before an account is created, and after the visitor has had the response:
--   confirmed  there is a confirmed account; its user gets an email that says so, one in six hours
--   sent       there is an unconfirmed account, and its confirmation was sent within the last five minutes: another
--              one would make that link invalid. Or its mailbox has no sign-ups left, and nothing is to be sent: the
--              auth service would answer the refusal of the account as if it had failed (private.create_profile)
--   unconfirmed, new
-- Only for our server: a visitor must never learn it.
create function private.begin_sign_up(email text) returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account auth.users;
begin
  select u.* into account from auth.users u
    where u.email = lower(begin_sign_up.email) and not u.is_sso_user;
  if account.id is null then
    return (select case when private.rate_limit_reached(l.bucket, l.accounts) then 'sent' else 'new' end
      from private.sign_up_limit(begin_sign_up.email) l);
  elsif account.email_confirmed_at is null then
    return case when account.confirmation_sent_at > now() - interval '5 minutes' then 'sent'
      else 'unconfirmed' end;
  end if;
  if not exists (select from private.email_queue q where q.recipient = account.id
      and q.kind = 'account-exists' and q.created_at > now() - interval '6 hours') then
    -- The hour in the key prevents a second one from a sign-up at the same moment.
    perform private.enqueue_email(account.id, null, 'account-exists',
      format('account-exists:%s:%s', account.id, to_char(now() at time zone 'UTC', 'YYYYMMDDHH24')));
  end if;
  return 'confirmed';
end $$;
create function public.begin_sign_up(email text) returns text
language sql volatile set search_path = ''
as $$ select private.begin_sign_up(email) $$;

-- Whether the auth service may send an email to an address that anyone can enter: a confirmation (sign-up), or a
-- link for a new password (recovery). Each one makes the link before it invalid, so that someone who asks all the
-- time would keep a person from joining. At most three an hour go to one address, for each of the two; and at most
-- ten an hour to all addresses of one mailbox with a suffix (name+anything@…), and thirty to those with dots at
-- Gmail. Not counted are those whose emails others must not be able to use up: the mailbox's plain address, and
-- those of confirmed accounts, which no one but the mailbox's user can add. Where no email would go out (the
-- recovery of an unknown address), none is counted. The first sign-up of an address is never refused, since it has
-- no link yet. Asked by our pages, after the visitor has had the response, so that no one learns of it; and, counted
-- for itself, when the auth service asks for the email: anyone can also call that directly.
create function private.take_account_email(email text, purpose text, asked_by text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  address constant text := lower(btrim(email));
  mailbox constant text := private.mailbox(address);
  account constant auth.users := (select u from auth.users u where u.email = address and not u.is_sso_user);
  known constant boolean := account.id is not null;
  few constant boolean := (known or purpose <> 'recovery' or asked_by <> 'our pages')
    and private.take_rate_token(format('account email (%s, %s) to %s', purpose, asked_by, address), 3, 3600) = 0;
begin
  return (few or (purpose = 'sign-up' and not known))
    and (private.is_plain(address) or account.email_confirmed_at is not null
      or case when private.has_suffix(address)
        then private.take_rate_token(format('account emails (%s) to %s', asked_by, mailbox), 10, 3600)
        else private.take_rate_token(format('account emails (%s) to %s with dots', asked_by, mailbox), 30, 3600) end = 0);
end $$;
create function public.take_account_email(email text, purpose text) returns boolean
language sql volatile set search_path = ''
as $$ select private.take_account_email(email, purpose, 'our pages') $$;

-- Whether the auth service may send the emails of a change of address, at most five times an hour for each account: each
-- one makes the links before it invalid, and anyone can ask for them again. To one new address, and to all others of its
-- mailbox, at most twenty times: few accounts can't fill the mailbox, and one can't keep its owner from changing to it.
create function private.take_email_change(account text, email text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  return private.take_rate_token(format('email changes of %s', account), 5, 3600) = 0
    and private.take_rate_token(format('email changes to %s', lower(email)), 20, 3600) = 0
    and (private.is_plain(email)
      or private.take_rate_token(format('email changes to addresses of %s', private.mailbox(email)), 20, 3600) = 0);
end $$;

-- Whether a user wants a kind of email. Without a preference they get every email except the one
-- about each new message.
create function private.wants_email(user_id uuid, kind text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (select c.wanted from public.email_preferences c
      where c.user_id = wants_email.user_id and c.kind = wants_email.kind),
    wants_email.kind <> 'new-lead')
$$;

-- For the unsubscribe link in an email, which identifies its user. Safe to repeat.
create function private.unsubscribe_from_emails(user_id uuid, kind text) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.email_preferences (user_id, kind, wanted)
  select p.id, unsubscribe_from_emails.kind, false from public.profiles p
    where p.id = unsubscribe_from_emails.user_id
  on conflict (user_id, kind) do update set wanted = false
$$;
create function public.unsubscribe_from_emails(user_id uuid, kind text) returns void
language sql volatile set search_path = ''
as $$ select private.unsubscribe_from_emails(user_id, kind) $$;

-- Whether an email to this user that could not be sent at once is no longer true: about a plan that was kept,
-- canceled, or paid for meanwhile, newsletters that were canceled or whose listing is public again, a removal that was
-- undone, an order that was paid, a job that was renewed, is being paid for, was refunded, or is put up or taken down
-- again, a deletion that was canceled or has begun, or was requested again after it was canceled, a job or a listing that
-- is no longer theirs, one that they have claimed, one that is Featured again, or one that is hidden or shown again; a
-- listing that is theirs again; a message that is gone with its sender's account, or that they may not read; or two-step
-- sign-in that is off again. Also an email for the team, to someone who has left it, and one about rights that aren't so
-- anymore. (In plpgsql, because the tables of money are defined later.)
-- (Each kind has a statement of its own: one expression would prepare the queries of all kinds for each email.)
create function private.is_outdated(kind text, data jsonb, recipient uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  case
    when kind in ('subscription-canceled', 'plan-stopped') then return exists (select from public.subscriptions s
      where s.id = is_outdated.data ->> 'subscription' and s.ends_at is null and private.subscription_is_live(s.status));
    when kind = 'sponsorship-confirmed' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.paid
        and to_jsonb(s.sponsorship_dates) = is_outdated.data -> 'dates');
    when kind = 'feature-edited' then return not exists (select from public.sponsorships s
      where s.id = (data ->> 'sponsorship_id')::bigint and s.owner = is_outdated.recipient
        and (data ? 'unpaid' and not s.paid or s.paid and private.today() < any (s.sponsorship_dates)));
    when kind = 'booked-listing-removed' then return not exists (select from public.places p
      join public.sponsorship_spots d on d.sponsorship_id = (data ->> 'sponsorship_id')::bigint and d.held_until is null
      where p.id = (data ->> 'place_id')::bigint and p.status = 'archived' and p.owner is distinct from is_outdated.recipient
        and d.weekday_date >= private.first_open_day() and data -> 'newsletters' ? d.weekday_date::text);
    when kind = 'feature-unseen' then return not exists (
        select from jsonb_array_elements_text(data -> 'dates' || coalesce(data -> 'late', '[]')) d
        where d::date > private.today())
      or not exists (select from public.sponsorships s
        join public.places l on l.id = s.place_id and l.owner = is_outdated.recipient
      where s.id = (data ->> 'sponsorship_id')::bigint and not exists (select from private.public_places v where v.id = l.id)
        and (is_outdated.data -> 'dates' || coalesce(is_outdated.data -> 'late', '[]')) <@ (select jsonb_agg(p.weekday_date) from public.sponsorship_spots p
          where p.sponsorship_id = s.id and p.held_until is null));
    when kind = 'renewal-coming' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and not (s.ends_at is null and private.subscription_is_live(s.status) and private.plan_leaves_with(s) is null
        and s.period_to = (data ->> 'at')::timestamptz and s.period_to > now()));
    when kind = 'plan-paused' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
      and s.status <> 'paused');
    when kind = 'payment-failed' then return exists (select from public.subscriptions s where s.id = is_outdated.data ->> 'subscription'
        and s.status not in ('past_due', 'unpaid'))
      or exists (select from public.orders o where o.id = (data ->> 'order')::uuid and o.paid_at is not null);
    when kind = 'job-expiring' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null
      and j.expiration_date = (data ->> 'expiration_date')::timestamptz and j.expiration_date > now()
      and not exists (select from public.orders o where o.job_id = j.id and o.status = 'processing'));
    when kind = 'job-unpublished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid
        and case when data ? 'filled' then j.filled_at is not null else not j.published end);
    when kind = 'job-republished' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and j.paid and j.published and j.filled_at is null and j.expiration_date > now());
    when kind = 'job-edited' then return not exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient and (data ? 'unpaid' or j.paid and j.expiration_date > now()));
    -- (One that took the name again is news, whatever it is called now.)
    when kind = 'job-namesake' then return not exists (select from public.jobs j
      join public.places p on p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient
      where j.id = (data ->> 'job_id')::bigint and (data ? 'again' or private.is_live_job(j.id)
        and exists (select from private.job_namesakes(j.id) n where n.place_id = p.id)));
    when kind = 'job-payment-returned' then return not exists (select from public.jobs j
      where j.id = (data ->> 'job_id')::bigint and j.owner = is_outdated.recipient and j.paid = (data ? 'ends')
        and j.expiration_date is not distinct from (data ->> 'ends')::timestamptz);
    when kind = 'job-received' then return not exists (select from public.jobs j
      where j.id = (data ->> 'job_id')::bigint and j.owner = is_outdated.recipient);
    when kind = 'listing-job' then return not exists (select from public.jobs j join public.places p on p.id = j.place_id
      where j.id = (data ->> 'job_id')::bigint and j.owner is null and p.owner = is_outdated.recipient
        and p.id = (data ->> 'place_id')::bigint);
    when kind = 'job-left' then return exists (select from public.jobs j where j.id = (data ->> 'job_id')::bigint
      and j.owner = is_outdated.recipient);
    when kind = 'account-deletion' then return not exists (select from private.account_deletions d
      where d.user_id = is_outdated.recipient and d.due_at = (data ->> 'due_at')::timestamptz and d.begun_at is null);
    when kind = 'account-kept' then return exists (select from private.account_deletions d where d.user_id = is_outdated.recipient);
    -- (A message that is sent at the moment when a listing changes hands, or loses a manager, is emailed to who had it.)
    when kind = 'new-lead' then return not exists (select from public.leads l join public.places p on p.id = l.place_id
      where l.id = (data ->> 'lead_id')::bigint and l.created_at >= coalesce(p.leads_from, '-infinity')
        and (is_outdated.recipient is null or exists (select from public.listing_managers m
          where m.place_id = p.id and m.profile_id = is_outdated.recipient)));
    when kind in ('manager-joined', 'listing-received', 'listing-changed') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'listing-left' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient);
    when kind = 'featured-ended' then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and not p.premium);
    when kind = 'two-step-changed' then return data ->> 'change' = 'on' and not exists (select from auth.mfa_factors f
      where f.user_id = is_outdated.recipient and f.status = 'verified');
    when kind = 'listing-added' then return exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and (p.owner is not null or p.status = 'archived'));
    when kind in ('listing-hidden', 'listing-shown') then return not exists (select from public.places p
      where p.id = (data ->> 'place_id')::bigint and p.owner = is_outdated.recipient and p.status <> 'archived'
        and (p.hidden = (is_outdated.kind = 'listing-hidden') or data ? 'again'));
    when kind in ('payment-disputed', 'refund-failed', 'admins-two-step') then return not exists (
      select from public.profiles p where p.id = is_outdated.recipient and p.admin);
    when kind = 'admin-rights-changed' then return exists (select from public.profiles p
      where p.id = is_outdated.recipient
        and p.admin is distinct from case when data ? 'yours' then (data ->> 'given')::boolean else true end);
    else return false;
  end case;
end $$;

-- The emails that are due and can be sent, with the current address and name: the confirmed address of the user, or
-- of the listing's owner; the owner_email of a listing that has no owner; or the address of an invitation while it is
-- open. An email without an address waits for one. The news that a listing was approved or removed, or that its
-- version was kept, waits while that is not true. Emails that their user does not want, and those that are outdated or
-- replaced by a later one, are left out. After a week an email is of no use and remains unsent.
--   user_id   also of the account that can claim a listing without an owner, whose choices count before it does; null
--             for an address without an account
--   discreet  whether the user asked for discretion; an invitation is always discreet, because no one knows
--             whose address it is
--   hidden    whether the listing that it goes to is hidden from the directory
--   former    whether it is about a listing that is not its recipient's anymore (end_ownership)
--   kept      whether it is about a rejected edit that is still kept with the listing
create view private.due_emails as
  select n.id, f.id as user_id, f.full_name,
    i.id is not null or coalesce(f.discreet, (select a.discreet from public.profiles a
      where n.address is not null and a.id::text = n.data ->> 'user'), (n.data ->> 'discreet')::boolean, false) as discreet,
    coalesce(n.address, i.email, lower(u.email), case when p.owner is null then p.owner_email end) as email,
    coalesce(p.hidden, false) as hidden,
    n.recipient is not null and n.kind in ('changes-requested', 'edit-rejected', 'decision-undone', 'listing-edited',
        'contact-email-removed')
      and not exists (select from public.places l
        where l.id = (n.data ->> 'place_id')::bigint and l.owner = n.recipient) as former,
    n.kind = 'edit-rejected' and exists (select from public.rejected_edits r where r.place_id = n.place_id) as kept
  from private.email_queue n
  left join public.manager_invitations i on i.id = n.invitation_id
    and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()
  -- Also of a decision of which its recipient was told when they had lost the listing, which is theirs again.
  left join public.places p on p.id = coalesce(n.place_id, case when n.recipient is not null
      and n.kind in ('changes-requested', 'edit-rejected') then (n.data ->> 'place_id')::bigint end)
    and (n.place_id is not null or p.owner = n.recipient)
  left join auth.users u on u.id = coalesce(n.recipient, p.owner, (select c.id from auth.users c
      where p.owner is null and c.email = p.owner_email and not c.is_sso_user and c.email_confirmed_at is not null))
    and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
  left join public.profiles f on f.id = u.id
  where n.sent_at is null and n.next_try_at <= now() and n.created_at > now() - interval '7 days'
    and (n.address is not null or i.id is not null or u.id is not null
      or (p.owner is null and p.owner_email is not null))
    and (n.kind <> 'listing-approved' or p.status in ('published', 'pending-update'))
    and (n.kind <> 'listing-removed' or p.status = 'archived')
    -- It says that the approved version is still live. (Without a listing it goes to a former owner.)
    and (n.kind <> 'edit-rejected' or p.id is null or p.status in ('published', 'pending-update'))
    -- Not a request that the owner has answered since, or that the team has replaced. (One that a manager has answered,
    -- they read: private.keep_unread_request.)
    and (n.kind <> 'changes-requested' or p.id is null
      or (p.changes_requested = n.data ->> 'reason' and p.status <> 'archived')
      or (p.changes_requested is null and n.data ? 'answered' and p.status in ('new', 'flagged', 'pending-update')))
    -- What was decided the other way meanwhile and then once more: the last one counts, which may still be undone. And
    -- an edit that was rejected may have been approved since.
    and not (n.kind in ('listing-approved', 'listing-removed', 'changes-requested', 'edit-rejected')
      and exists (select from private.email_queue l where l.place_id = n.place_id and l.created_at > n.created_at
        and l.kind = case n.kind when 'edit-rejected' then 'listing-approved' else n.kind end)
      and not (n.kind = 'edit-rejected' and exists (select from public.rejected_edits r where r.place_id = n.place_id)))
    and not private.is_outdated(n.kind, n.data, n.recipient)
    and private.wants_email(u.id, n.kind);

-- Of the newsletters that an email about a removal names, those that its recipient has still booked: they may have
-- canceled some while it waited until the decision couldn't be undone. (In plpgsql, because their tables come later.)
create function private.still_booked(data jsonb, buyer uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select coalesce(jsonb_agg(d.weekday_date order by d.weekday_date), '[]')
    from public.sponsorships s join public.sponsorship_spots d on d.sponsorship_id = s.id
    where s.place_id = (data ->> 'place_id')::bigint and s.owner = buyer and d.held_until is null
      and (data ->> 'sponsorship_id' is null or s.id = (data ->> 'sponsorship_id')::bigint)
      and data -> 'newsletters' ? d.weekday_date::text);
end $$;

-- Whether someone's own plan for a listing is charged again. (In plpgsql, because plans come later.)
create function private.goes_on_paying(listing_id bigint, payer uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from public.subscriptions s where s.place_id = listing_id and s.owner = payer
    and private.subscription_is_live(s.status) and private.plan_goes_on(s));
end $$;

-- Whether people can see a job now. (In plpgsql, because jobs come later.)
create function private.is_live_job(job_id bigint) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from private.public_jobs v where v.id = job_id);
end $$;

-- Whether someone who is neither its owner nor an admin has changed a listing between its last approval and this one. An
-- approval of which its owner hasn't read counts as a part of this one: its email is left out for the later one. (With
-- offset, what an entry says is read last: each email waits for this, and the owner can make their entries long.)
create function private.was_changed_by_others(listing_id bigint, approved_at timestamptz) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from (select a.after from public.audit_log a join public.places p on p.id = listing_id and p.owner <> a.actor
      where a.subject = 'places' and a.subject_id = listing_id::text and a.at < approved_at
        and not exists (select from public.profiles f where f.id = a.actor and f.admin)
        and a.id > coalesce((select b.id from public.audit_log b where b.subject = 'places'
          and b.subject_id = listing_id::text and private.is_state_change(b.after)
          and b.after ->> 'status' = 'published' and b.at < coalesce((
            select min(n.created_at) from private.email_queue n
            where n.place_id = listing_id and n.kind = 'listing-approved' and n.sent_at is null
              and n.created_at > coalesce((select max(s.created_at) from private.email_queue s
                where s.place_id = listing_id and s.kind = 'listing-approved' and s.sent_at is not null), '-infinity')),
            approved_at)
          order by b.at desc, b.id desc limit 1), 0)
      offset 0) others
    where others.after ?| private.reviewed_columns())
$$;

-- How long an email that has its address may be sent, before it is deleted with it: as long as its link lasts. Those to a
-- former address, and about an account that is deleted, have no link, and may be sent as long as any other.
create function private.time_to_send(kind text) returns interval
language sql immutable set search_path = ''
as $$ select case when kind in ('email-changed', 'account-deleted') then interval '7 days' else interval '1 hour' end $$;

-- Leases the emails that are due (private.due_emails), at most `max_emails` of them. The data of an email to a listing
-- says whether the listing is hidden now, whether the recipient is its former owner, and whether the rejected edit that
-- it is about is still kept; one about a removal names the newsletters that are still booked; one about a job that ends
-- soon says whether people can see it now, as does one about a job that our team has taken down or put up again, since
-- the team may take it down right after; one to a former owner says whether the listing has another owner now, and one
-- to a new owner whether it is still hidden; one about a listing that was hidden or shown, whether it is approved now,
-- and one about a hidden one, whether its owner's plan for it goes on; one about an approval, whether someone else
-- manages the listing, or did and made some of the changes; and one about someone who manages a listing, whether they
-- have stopped. A caller has five minutes to send what it leased; then another may lease it. One that the auth service
-- asked for is deleted after an hour, with its link (private.time_to_send). Also deletes emails older than 90 days,
-- invitations that expired a month ago without an answer, and rejected edits of a month ago.
create function private.lease_emails(max_emails integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid,
  discreet boolean)
language sql volatile security definer set search_path = ''
as $$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - private.time_to_send(old.kind)) limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  delete from public.rejected_edits o where o.place_id in
    (select old.place_id from public.rejected_edits old where old.rejected_at < now() - interval '30 days'
      limit 200 for update skip locked);
  -- Those that have their address come first, most of which have a link that lasts an hour: no one keeps everyone from
  -- joining, or from choosing a new password, by what else they can have sent.
  with addressed as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now() and n.address <> ''
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  ), others as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    where n.sent_at is null and n.next_try_at <= now() and n.address is null
    order by n.next_try_at limit least(greatest(max_emails, 0), 100) - (select count(*) from addressed)
    for update of n skip locked
  ), due as (
    select * from addressed union all select * from others
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '5 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data || case when due.hidden then '{"hidden": true}'::jsonb else '{}' end
    || case when due.former then '{"former": true}'::jsonb else '{}' end
    || case when due.kept then '{"kept": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-removed', 'booked-listing-removed') and n.data ? 'newsletters'
      then jsonb_build_object('newsletters', private.still_booked(n.data, due.user_id)) else '{}' end
    || case when n.kind = 'job-expiring'
      then jsonb_build_object('shown', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind in ('job-left', 'job-republished')
      then jsonb_build_object('live', private.is_live_job((n.data ->> 'job_id')::bigint)) else '{}' end
    || case when n.kind = 'listing-left' and n.data ? 'place_id' then jsonb_build_object('given', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.owner is not null)) else '{}' end
    || case when n.kind = 'listing-received' and n.data ? 'hidden' then jsonb_build_object('hidden', exists (select from public.places p
      where p.id = (n.data ->> 'place_id')::bigint and p.hidden)) else '{}' end
    || case when n.kind = 'listing-approved' and exists (
        select from public.listing_managers m where m.place_id = n.place_id)
      then '{"managed": true}'::jsonb
      when n.kind = 'listing-approved' and private.was_changed_by_others(n.place_id, n.created_at)
      then '{"left": true}'::jsonb else '{}' end
    || case when n.kind in ('listing-hidden', 'listing-shown') then jsonb_build_object('approved', exists (
      select from public.places p where p.id = (n.data ->> 'place_id')::bigint
        and p.status in ('published', 'pending-update'))) else '{}' end
    || case when n.kind = 'listing-hidden' and private.goes_on_paying((n.data ->> 'place_id')::bigint, due.user_id)
      then '{"plan": true}'::jsonb else '{}' end
    || case when n.kind = 'manager-joined' and n.data ? 'invitation' and not exists (
        select from public.manager_invitations i where i.id = (n.data ->> 'invitation')::uuid)
      then '{"left": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$$;
create function public.lease_emails(max_emails integer)
returns table (id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid,
  discreet boolean)
language sql volatile set search_path = ''
as $$ select * from private.lease_emails(max_emails) $$;

-- The email was sent. Its content is deleted, and so is an address that it had.
create function private.mark_email_sent(id uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.email_queue n set sent_at = now(), data = '{}', address = case when n.address is not null then '' end
  where n.id = mark_email_sent.id and n.sent_at is null
$$;
create function public.mark_email_sent(id uuid) returns void
language sql volatile set search_path = ''
as $$ select private.mark_email_sent(id) $$;

-- The email was not sent: the next attempt is in 1, 2, 4 … minutes, at most every 6 hours, or every 5 minutes when it
-- has a link that lasts an hour; or never, when the address was rejected for good (permanent).
create function private.mark_email_failed(id uuid, permanent boolean) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.email_queue n set next_try_at = case when permanent then 'infinity'
    else now() + make_interval(mins => least(power(2, least(n.attempts - 1, 10))::integer,
      case when n.address is null or private.time_to_send(n.kind) > interval '1 hour' then 360 else 5 end)) end
  where n.id = mark_email_failed.id and n.sent_at is null
$$;
create function public.mark_email_failed(id uuid, permanent boolean default false) returns void
language sql volatile set search_path = ''
as $$ select private.mark_email_failed(id, permanent) $$;

-- ---------------------------------------------------------------- policies

alter table private.email_queue enable row level security;
create policy "no access" on private.email_queue for all to anon, authenticated using (false);

alter table public.email_preferences enable row level security;
create policy "expect one row" on public.email_preferences as restrictive for select to authenticated
  using (user_id operator(private.>=!) '00000000-0000-0000-0000-000000000000' and kind operator(private.>=!) '');
create policy "read own" on public.email_preferences for select to authenticated
  using (user_id = (select private.user_id()));
create policy "insert own" on public.email_preferences for insert to authenticated
  with check (user_id = (select private.user_id()));
create policy "update own" on public.email_preferences for update to authenticated
  using (user_id = (select private.user_id())) with check (user_id = (select private.user_id()));

-- ---------------------------------------------------------------- grants

grant select, insert, update on public.email_preferences to authenticated;

grant execute on function
  private.enqueue_email(uuid, bigint, text, text, jsonb, uuid),
  private.enqueue_account_email(text, text, text, jsonb),
  public.enqueue_account_email(text, text, text, jsonb),
  private.begin_sign_up(text),
  public.begin_sign_up(text),
  private.take_account_email(text, text, text),
  public.take_account_email(text, text),
  private.unsubscribe_from_emails(uuid, text),
  public.unsubscribe_from_emails(uuid, text),
  private.lease_emails(integer),
  public.lease_emails(integer),
  private.mark_email_sent(uuid),
  public.mark_email_sent(uuid),
  private.mark_email_failed(uuid, boolean),
  public.mark_email_failed(uuid, boolean)
  to service_role;
