-- What every other file builds on: schemas and default privileges, who is asking, checks of values,
-- text as people search for it, exact counters, pages of long lists, and rate limits.
--
-- How this schema is written:
--
-- * One file per noun. Each object is defined once, in its noun's file. Every file has one order:
--   tables with their indexes, functions and views, triggers, policies, grants. The few functions
--   that a table's own definition calls come before the tables.
-- * `public` is what the data API exposes. Its tables have row level security, and functions and
--   tables start without any privilege: every grant is at the end of the file it belongs to.
-- * `private` is never exposed by the API. It holds the security definer functions (each checks for
--   itself who is asking), the trigger functions, and the tables that no one may read directly.
-- * A function in `public` that needs more rights than its caller is a thin security invoker
--   wrapper of one in `private`, so no privileged function can be called by its own name.
-- * Every function has an empty search_path and names its objects in full.
-- * What pages ask for most, and what that calls, is written in plpgsql, also where it is a single query: a function
--   in SQL is planned anew at each call (for my_counts 10 ms of 12), one in plpgsql once for each connection.
-- * All triggers of a table are in the table's file. They are named t1_…, t2_… in the order in
--   which they run: before the row is written, after each row, after the statement. A table has at
--   most one trigger that changes or refuses rows, its guard.
--
-- The roles anon, authenticated and service_role and the schema auth belong to the platform.

create schema if not exists private;
revoke all on schema private from public;
-- Policies, guards and wrappers call functions in here as the caller. The tables stay closed.
grant usage on schema private to anon, authenticated, service_role;
grant usage on schema public to anon, authenticated, service_role;

-- A hosted project grants everything on a new object to the API roles. Here all start closed.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke execute on functions from anon, authenticated, service_role;
alter default privileges revoke execute on functions from public;

-- ---------------------------------------------------------------- tables

-- Counts that stay exact and cost the same at a million rows. Each statement adds its differences
-- as new rows, so writers never wait for one another and cannot deadlock. A reader sums the rows.
-- Every 256th row merges all rows that are committed, and that no other transaction is merging,
-- into one row per name.
create table private.counters (
  id bigint generated always as identity primary key,
  name text not null,
  amount bigint not null
);

-- How often something was tried, shared by all instances of the app. A bucket is stored as a hash,
-- because its name may contain an IP address or an email address.
create table public.rate_limits (
  bucket text primary key,
  hits integer not null,
  resets_at timestamptz not null
);
create index rate_limits_resets on public.rate_limits (resets_at);

-- What admins decide for the whole directory. A setting without a row is off.
create table private.settings (
  name text primary key check (name in ('admins_need_second_step', 'cancellation_days')),
  enabled boolean not null,
  changed_at timestamptz not null default now(),
  days integer check (days between 0 and 3650)
);

-- ---------------------------------------------------------------- functions

-- True when a statement comes directly from a visitor through the data API. Security definer
-- functions, the service key and migrations run as other roles, and the guards do not restrict
-- them.
create function private.from_api() returns boolean
language sql stable set search_path = ''
as $$ select current_user in ('anon', 'authenticated') $$;

-- Whether the caller's session, which this is, has passed the second step of signing in, or its user has none. The
-- token must say so as well.
create function private.has_passed_second_step(session auth.sessions) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return (session.aal = 'aal2' and auth.jwt() ->> 'aal' = 'aal2')
    or not exists (select from auth.mfa_factors f where f.user_id = session.user_id and f.status = 'verified');
end $$;

-- Who is asking: the user of the access token, while the session that it belongs to exists. Signing out, a new
-- password, and the deletion of the account end a session at once, although its token stays valid for up to an hour.
-- Someone who turned two-step sign-in on (a verified factor) counts as no one until the session has passed the second
-- step (aal2), so that a password alone can read and change nothing. Both the session and the token must say so: a
-- token from before the second step has no rights. Nor has a limited session, which began with an emailed link and
-- ends soon unless a new password is chosen in it: of all sessions, only those have an end (limit_session in accounts).
-- Every policy and function calls this, and never auth.uid(); a policy calls it as (select private.user_id()), once
-- for a statement. Null for a visitor, the service key, an ended session, or a banned user. (In plpgsql, which keeps
-- its plan.)
-- The statements of a page ask this some sixty times. In a transaction that only reads, the first answer holds
-- until its end: it waits for no one. One that writes asks anew each time, because it may have
-- waited, and the session ended meanwhile.
create function private.user_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
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
end $$;

-- The same user, also before the second step and in a limited session. Only for that step, and for choosing a password:
-- whatever relies on this is open to someone who knows only the password, or has seen only the mailbox.
create function private.session_user_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select s.user_id from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now()) and u.deleted_at is null);
end $$;

-- Whether the caller signed in with a second step, and still has two-step sign-in on.
create function private.is_second_step_done() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from auth.mfa_factors f where f.user_id = private.user_id() and f.status = 'verified');
end $$;

-- The caller's own address, and only if it is confirmed. This is the only address that identifies a
-- user: never profiles.email, which is a copy, and never an address that no one has confirmed.
create function private.my_email() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select lower(u.email) from auth.users u
    where u.id = private.user_id() and u.email_confirmed_at is not null and u.email <> '');
end $$;

-- Admins are marked in profiles, where no one can mark themselves. While two-step sign-in is mandatory
-- for admins, only those who have passed it have their rights. (In plpgsql, because that table is created
-- later.)
create function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select p.admin and (not exists (select from private.settings s where s.name = 'admins_need_second_step' and s.enabled)
      or private.is_second_step_done())
    from public.profiles p where p.id = private.user_id()), false);
end $$;

-- Refuses what the caller asked for, by a code that the app turns into a sentence. Every code is in
-- the table of its module (app/modules/*/refusals.ts); a test ties the two. The field is the column,
-- and so the control of the form, that the refusal is about.
create function private.refuse(code text, field text default null) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if field is null then
    raise exception using errcode = 'P0001', message = code, constraint = code;
  end if;
  -- The data API passes on the message and the detail.
  raise exception using errcode = 'P0001', message = code, constraint = code, detail = field, column = field;
end $$;

-- How long someone has to wait, rounded up: "42 minutes".
create function private.wait_in_words(seconds integer) returns text
language sql immutable set search_path = ''
as $$
  select case when minutes <= 1 then 'a minute' when minutes < 90 then minutes || ' minutes'
    when minutes < 36 * 60 then ceil(minutes / 60.0) || ' hours' else ceil(minutes / 1440.0) || ' days' end
  from (select ceil(seconds / 60.0)::integer as minutes) m
$$;

-- How long the rows of a page may be in all: with longer ones, it has fewer. Otherwise someone who saves long texts all
-- day would make a page, or a step of a download, more than can be read in time.
create function private.page_bytes() returns integer
language sql immutable set search_path = ''
as $$ select 4000000 $$;

-- Takes one of max_hits in a window, as take_rate_token does, and refuses when none is left: with the code, the
-- seconds to wait as the detail, and a hint in words. (An error with the SQLSTATE PGRST tells the data API its status
-- and headers: 429 and Retry-After.) The refused statement is rolled back, and with it its own hit, so that trying
-- again does not make the wait longer. The bucket of a caller whose session has ended meanwhile is null.
create function private.enforce_limit(code text, bucket text, max_hits integer, window_seconds integer)
returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wait integer;
begin
  perform private.require_rights(bucket is not null);
  wait := private.take_rate_token(bucket, max_hits, window_seconds);
  if wait > 0 then
    raise exception using errcode = 'PGRST',
      message = json_build_object('code', 'P0001', 'message', code, 'details', wait::text,
        'hint', format('Try again in %s.', private.wait_in_words(wait)))::text,
      detail = json_build_object('status', 429, 'headers', json_build_object('Retry-After', wait::text))::text;
  end if;
end $$;

-- For triggers after an insert: refuses more than a hundred new rows of a table a day from one account, so that no one
-- can fill the review queue or the team's tables. The trigger names the code of the refusal and what is counted.
create function private.limit_new_rows() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.user_id() is not null and not private.is_admin() then
    perform private.enforce_limit(tg_argv[0], 'new ' || tg_argv[1] || ' by ' || private.user_id(), 100, 86400)
      from new_rows;
  end if;
  return null;
end $$;

-- Refuses more than 300 changes an hour from one account, of all its listings, jobs, and orders together: each adds an
-- entry to the audit log, which nothing removes. The guard of a table names the code of the refusal.
create function private.limit_account_changes(code text) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enforce_limit(code, 'changes by ' || private.user_id(), 300, 3600)
  where private.user_id() is not null
$$;

-- Refuses the 31st change of an hour from one account by which more than 20 KB may be written to the audit log: an entry
-- has the texts before and after, and 300 of the longest would be 70 MB, of which no one can remove anything.
create function private.limit_large_change(code text, bytes integer) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.enforce_limit(code, 'large changes by ' || private.user_id(), 30, 3600)
  where private.user_id() is not null and bytes > 20000
$$;

create function private.require_admin() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise exception 'admins_only' using errcode = '42501';
  end if;
end $$;

-- For guards: refuses a change of a row by someone who may not make it anymore. A policy is checked when a statement
-- begins. The statement may then wait for someone else's change, which can end the right that the policy relied on. A
-- guard runs after that, so it checks again, for the row as it is now.
create function private.require_rights(granted boolean) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if granted is not true then
    raise exception 'rights_ended' using errcode = '42501';
  end if;
end $$;

-- For guards of rows that have an author: who that is, whatever was sent. Only a maintainer, directly in the database, or
-- our server writes for someone else. A caller without rights is refused before anything is looked at: the policy would
-- refuse them as well, but only after the guard, whose refusals would tell them about someone else.
create function private.author(sent uuid) returns uuid
language plpgsql stable set search_path = ''
as $$
declare
  me constant uuid := private.user_id();
begin
  perform private.require_rights(me is not null or coalesce(auth.role(), '') not in ('anon', 'authenticated'));
  return coalesce(me, sent);
end $$;

-- How many characters a text has for the person who reads it, as countCharacters in TypeScript counts
-- them: a flag is a pair of letters; accents, vowel signs, skin tones, and what a joiner or a virama adds
-- belong to the character before; a line break is one. In scripts that are not listed here, marks count.
create function private.count_characters(content text) returns integer
language sql immutable set search_path = ''
as $$
  select length(regexp_replace(regexp_replace(
    normalize(replace(content, e'\r\n', e'\n'), nfc),
    '[\U0001F1E6-\U0001F1FF]{2}', 'x', 'g'),
    '\u200D[\u2190-\u2BFF\U0001F000-\U0001FAFF]|\u094D\u200D?[\u0915-\u0939\u0958-\u095F]'
    '|[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A'
    '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0900-\u0903\u093A-\u093C'
    '\u093E-\u094F\u0951-\u0957\u0962\u0963\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u1AB0-\u1AFF\u1DC0-\u1DFF'
    '\u200C\u200D\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F\U000E0100-\U000E01EF]',
    '', 'g'))
$$;

-- Links are only ever http or https. Any other scheme could run a script where the link is shown.
create function private.is_web_link(link text) returns boolean
language sql immutable set search_path = ''
as $$ select link ~* '^https?://[^[:space:]<>"\\/?#@]+([/?#][^[:space:]<>"\\]*)?$'
  and length(link) <= 2000 $$;

-- A social handle ("@name", "name") or a web link, but no other scheme.
create function private.is_handle_or_link(value text) returns boolean
language sql immutable set search_path = ''
as $$ select length(value) <= 300 and (value !~ '[:<>"\\]' or private.is_web_link(value)) $$;

create function private.is_email(value text) returns boolean
language sql immutable set search_path = ''
as $$ select length(value) <= 320 and value ~ '^[^[:space:]@<>"]+@[^[:space:]@<>"]+$' $$;

-- The mailbox of an address. One mailbox has many addresses: name+anything@…; at Gmail, which has two domains, the name
-- with dots anywhere; and at Proton, which has four, with dots, hyphens, and underscores.
create function private.mailbox(email text) returns text
language sql immutable set search_path = ''
as $$
  select case when a.address ~ '@(gmail|googlemail)[.]com$'
    then replace(split_part(a.address, '@', 1), '.', '') || '@gmail.com'
    when a.address ~ '@(proton[.]me|protonmail[.](com|ch)|pm[.]me)$'
    then translate(split_part(a.address, '@', 1), '.-_', '') || '@proton.me' else a.address end
  from regexp_replace(lower(btrim(email)), '[+][^@]*@', '@') a(address)
$$;
-- Whether an address has a suffix (name+anything@…).
create function private.has_suffix(email text) returns boolean
language sql immutable set search_path = ''
as $$ select email ~ '[+][^@]*@' $$;
-- Whether an address is the plain one of its mailbox: without a suffix, and without what the mailbox ignores. That is so
-- at each of its provider's domains, since most people at Proton write theirs with another one than @proton.me.
create function private.is_plain(email text) returns boolean
language sql immutable set search_path = ''
as $$ select split_part(lower(btrim(email)), '@', 1) = split_part(private.mailbox(email), '@', 1) $$;

-- For guards, before they look at what was sent: refuses what is far longer than its table accepts. A guard runs while
-- everyone else waits for the row, and to clean some megabytes of text, or a list of a hundred thousand, takes longer
-- than any of them can wait. Someone could keep a listing from being hidden, or a manager from being removed, so. (The
-- code is that of the constraints, which refuse what is a little too long.)
create function private.refuse_oversized(is_oversized boolean) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if is_oversized then
    raise exception 'far_too_long' using errcode = '23514';
  end if;
end $$;

-- A text as it is, unless it is far longer than any column accepts.
create function private.require_cleanable(value text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  perform private.refuse_oversized(length(value) > 50000);
  return value;
end $$;

-- Text without invisible characters. Those that mark, embed, override, or isolate a direction of writing make a name
-- look like another one, or move what follows it: pages isolate every name, so Arabic and Hebrew need none of them.
-- Blank letters (the Hangul fillers, empty Braille, a note without a head, blank hieroglyphs) make a name that looks
-- empty. Joiners, variation selectors, and tags stay after a letter or an emoji, as Persian words and flags need them;
-- where a word begins they join nothing. (removeInvisible in TypeScript)
create function private.visible(value text) returns text
language sql immutable set search_path = ''
as $$
  select regexp_replace(regexp_replace(private.require_cleanable(value),
    '[\u00ad\u034f\u115f\u1160\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U00013441\U00013442\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]',
    '', 'g'), '(^|\s)[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+', '\1', 'g')
$$;

-- Text of one line, such as a name. A line break or another control character becomes a space: it would
-- begin a line of its own in an email, a calendar, or a download. So do other spaces, of which a name may not consist.
-- (First, because a joiner may follow them. What is stored is cleaned with each change of its row: if that changed it
-- again, or left nothing of a name, no one could hide the listing.)
create function private.one_line(value text) returns text
language sql immutable set search_path = ''
as $$
  select private.visible(regexp_replace(private.require_cleanable(value),
    '[\u0001-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

-- Text of any number of lines, such as a message: without control characters.
create function private.many_lines(value text) returns text
language sql immutable set search_path = ''
as $$
  select private.visible(regexp_replace(private.require_cleanable(value),
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]', '', 'g'))
$$;

-- A row in which these columns are text of one line: for the guards of tables. Most text already is, so all of it is
-- checked at once. Without that, an approval of 250 listings took twice as long.
create function private.with_one_line(source anyelement, variadic columns text[]) returns anyelement
language sql immutable set search_path = ''
as $$
  select case when private.one_line(entire) is not distinct from entire then source
    else (select jsonb_populate_record(source, jsonb_object_agg(c, private.one_line(sent ->> c))) from unnest(columns) c)
    end
  from to_jsonb(source) sent,
    lateral (select string_agg(sent ->> c, ' ') as entire from unnest(columns) c) joined
$$;

-- The same for text of any number of lines.
create function private.with_many_lines(source anyelement, variadic columns text[]) returns anyelement
language sql immutable set search_path = ''
as $$
  select case when private.many_lines(entire) is not distinct from entire then source
    else (select jsonb_populate_record(source, jsonb_object_agg(c, private.many_lines(sent ->> c))) from unnest(columns) c)
    end
  from to_jsonb(source) sent,
    lateral (select string_agg(sent ->> c, ' ') as entire from unnest(columns) c) joined
$$;

-- The hash under which a text is stored that only its holder may know, such as a secret code.
create function private.code_hash(code text) returns text
language sql immutable set search_path = ''
as $$ select encode(sha256(convert_to(code, 'UTF8')), 'hex') $$;

-- The Monday of the week (in UTC) that a moment falls in.
create function private.week_of(moment timestamptz) returns date
language sql immutable set search_path = ''
as $$ select date_trunc('week', moment at time zone 'UTC')::date $$;

-- Enough of an address or a phone number to tell two people apart, and too little to reach either:
-- s•••@m•••.example, ••• 01.
create function private.masked_email(email text) returns text
language sql immutable set search_path = ''
as $$ select regexp_replace(email, '^(.)[^@]*@(.)[^@]*?([.][^.@]+)?$', '\1•••@\2•••\3') $$;

create function private.masked_phone(phone text) returns text
language sql immutable set search_path = ''
as $$ select '••• ' || right(regexp_replace(phone, '[^0-9]', '', 'g'), 2) $$;

-- Text as people search for it: "cafe" finds "Café", and "sams" does not need the right apostrophe.
create function private.normalize_for_search(input text) returns text
language sql immutable set search_path = ''
as $$
  select lower(translate(regexp_replace(normalize(input, NFKD), '[\u0300-\u036f]', '', 'g'), '’‘`´',
    ''''''''''))
$$;

-- A text as it is, without its accents, and in pieces: "jose" and "josé" find "José", "o'rourke"
-- finds "O’Rourke", "sam" finds sam.rivera@mail.example.
create function private.search_vector(input text) returns tsvector
language sql immutable set search_path = ''
as $$
  select to_tsvector('simple', concat_ws(' ', input, text, translate(text, '@.+_-', '     ')))
  from private.normalize_for_search(coalesce(input, '')) as text
$$;

-- What was typed into a search box, as a query. Plain words must all be found, by how they begin.
-- With quotes, a minus sign or an "or" it is a web search. Everything else is treated as text:
-- nothing in it can be an operator, and nothing fails. Null when there is nothing to look for.
create function private.search_query(input text) returns tsquery
language sql immutable set search_path = ''
as $$
  select nullif(case
    when text ~ '"|(^|\s)-\S|\sor\s' then websearch_to_tsquery('simple', text)
    else (select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''
        || case when length(lexeme) > 1 then ':*' else '' end, ' & ')::tsquery
      from unnest(to_tsvector('simple', translate(text, '@.+_-', '     '))))
  end, ''::tsquery)
  -- Normalizing can make a word longer than a query allows.
  from left(private.normalize_for_search(left(input, 200)), 500) as text
$$;

-- For tables that are append-only.
create function private.prevent_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise exception 'append_only' using errcode = '42501', table = tg_table_name;
end $$;

create function private.merge_counters() returns void
language sql volatile security definer set search_path = ''
as $$
  with merged as (
    delete from private.counters where id in (
      select c.id from private.counters c order by c.id limit 5000 for update skip locked
    ) returning name, amount
  )
  insert into private.counters (name, amount)
  select name, sum(amount) from merged group by name having sum(amount) <> 0
$$;

create function private.counter_values(prefix text) returns table (name text, amount bigint)
language sql stable security definer set search_path = ''
as $$
  select substr(c.name, length(prefix) + 1), sum(c.amount)::bigint
  from private.counters c where starts_with(c.name, prefix) group by 1
$$;

-- Statement trigger with transition tables old_rows and new_rows. Its argument is an SQL expression
-- over a row that gives the names (text[]) under which the row is counted.
create function private.count_rows() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  added text := format('select unnest(%s) as name, 1 as amount from new_rows', tg_argv[0]);
  removed text := format('select unnest(%s) as name, -1 as amount from old_rows', tg_argv[0]);
  merge_now boolean;
begin
  execute 'with added as (insert into private.counters (name, amount)'
    || ' select name, sum(amount) from ('
    || case tg_op when 'INSERT' then added when 'DELETE' then removed else added || ' union all '
      || removed end
    || ') d where name is not null group by name having sum(amount) <> 0 returning id)'
    || ' select bool_or(id % 256 = 0) from added'
  into merge_now;
  if merge_now then
    perform private.merge_counters();
  end if;
  return null;
end $$;

-- A page of a query that is ordered by its keys, newest first, found by the row that it begins
-- after or ends before. It is equally fast at any depth, and no row appears twice when others are
-- added or removed.
--   source         a query that returns the keys and, as "item", what is shown of each row
--   keys, types    what it is ordered by, all descending, the last one unique; and their types
--   after, before  a position in that order, as returned with a page; the first page without either
-- Returns {rows, before, after}: the rows, and the positions of the pages next to this one (null
-- when there is none). It runs the query that it is given, so only the functions here may call it.
create function private.keyset_page(
  source text, keys text[], types text[], after text, before text, page_rows integer)
returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  max_rows constant integer := private.page_size(page_rows, 1000);
  max_bytes constant integer := private.page_bytes();
  backwards constant boolean := after is null and before is not null;
  cursor_values constant text[] := string_to_array(coalesce(after, before), '_');
  bound text;
  cursor_of_row text;
  one record;
  rows_found jsonb[] := '{}';
  cursors text[] := '{}';
  bytes bigint := 0;
  more boolean := false;
begin
  if cardinality(cursor_values) <> cardinality(keys) then
    raise exception 'page_unknown' using errcode = '22P02';
  end if;
  select string_agg(format('%L::%s', value, type), ', ') into bound
    from unnest(cursor_values, types) as p (value, type);
  select string_agg(format('to_jsonb(%I) #>> ''{}''', key), ', ') into cursor_of_row from unnest(keys) key;
  for one in execute format(
    'select s.item, concat_ws(''_'', %s) as cursor from (%s) s %s order by %s limit %s',
    cursor_of_row, source,
    case when cursor_values is not null then format('where (%s) %s (%s)', array_to_string(keys, ', '),
      case when backwards then '>' else '<' end, bound) end,
    (select string_agg(key || case when backwards then ' asc' else ' desc' end, ', ') from unnest(keys) key),
    max_rows + 1)
  loop
    more := cardinality(rows_found) = max_rows or bytes > max_bytes;
    exit when more;
    rows_found := array_append(rows_found, one.item);
    cursors := array_append(cursors, one.cursor);
    bytes := bytes + octet_length(one.item::text);
  end loop;

  if backwards and not more and bytes <= max_bytes then
    -- Fewer rows than a page come before this one: return the whole first page. (From the other end, long rows may fill it
    -- before it reaches this one.)
    return private.keyset_page(source, keys, types, null, null, max_rows);
  end if;
  if backwards then
    select coalesce(array_agg(r order by n desc), '{}'), coalesce(array_agg(p order by n desc), '{}')
      into rows_found, cursors
      from unnest(rows_found, cursors) with ordinality as u (r, p, n);
  end if;
  return jsonb_build_object(
    'rows', to_jsonb(rows_found),
    'before', case when cursor_values is not null and (more or not backwards) then cursors[1] end,
    'after', case when more or backwards then cursors[cardinality(cursors)] end);
end $$;

-- How many rows a page has: as many as the caller asked for, at least 1 and at most max_rows.
create function private.page_size(requested integer, max_rows integer) returns integer
language sql immutable set search_path = ''
as $$ select least(greatest(coalesce(requested, max_rows), 1), max_rows) $$;

-- Takes one of max_hits in a window that starts with the first. Returns the seconds to wait; 0
-- means go ahead. It uses the wall clock, because a transaction that had to wait began before a
-- window that another one opened.
create function private.take_rate_token(bucket text, max_hits integer, window_seconds integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wait integer;
begin
  insert into public.rate_limits as r (bucket, hits, resets_at)
  values (private.code_hash(take_rate_token.bucket), 1,
    clock_timestamp() + make_interval(secs => window_seconds))
  on conflict on constraint rate_limits_pkey do update set
    hits = case when r.resets_at <= clock_timestamp() then 1 else least(r.hits, 1000000) + 1 end,
    resets_at = case when r.resets_at <= clock_timestamp() then excluded.resets_at else r.resets_at end
  returning case when r.hits > max_hits then greatest(1, ceil(extract(epoch
    from r.resets_at - clock_timestamp())))::integer else 0 end
  into wait;
  -- From time to time, delete some that have expired.
  if random() < 0.02 then
    delete from public.rate_limits l where l.bucket in
      (select o.bucket from public.rate_limits o where o.resets_at < clock_timestamp()
        limit 200 for update skip locked);
  end if;
  return wait;
end $$;
create function public.take_rate_token(bucket text, max_hits integer, window_seconds integer) returns integer
language sql volatile set search_path = ''
as $$ select private.take_rate_token(bucket, max_hits, window_seconds) $$;

-- Whether max_hits were taken in the current window. Takes nothing.
create function private.rate_limit_reached(bucket text, max_hits integer) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.rate_limits r
    where r.bucket = private.code_hash(rate_limit_reached.bucket) and r.hits >= max_hits
      and r.resets_at > clock_timestamp())
$$;
create function public.rate_limit_reached(bucket text, max_hits integer) returns boolean
language sql stable set search_path = ''
as $$ select private.rate_limit_reached(bucket, max_hits) $$;

-- Returns what take_rate_token took. An attempt that turned out not to be abuse, such as a sign-in
-- with the right password, is not counted.
create function private.return_rate_token(bucket text) returns void
language sql volatile security definer set search_path = ''
as $$
  update public.rate_limits r set hits = greatest(r.hits - 1, 0)
  where r.bucket = private.code_hash(return_rate_token.bucket)
$$;
create function public.return_rate_token(bucket text) returns void
language sql volatile set search_path = ''
as $$ select private.return_rate_token(bucket) $$;

-- For `npm run doctor`. The migrations that this database has run, in order, as the Supabase CLI records
-- them; none where it keeps no record. (In plpgsql, because that record is created later, or never.)
create function private.installed_migrations() returns text[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  if to_regclass('supabase_migrations.schema_migrations') is null then
    return '{}';
  end if;
  return (select coalesce(array_agg(m.version order by m.version), '{}') from supabase_migrations.schema_migrations m);
end $$;
create function public.installed_migrations() returns text[]
language sql stable set search_path = ''
as $$ select private.installed_migrations() $$;

-- For `npm run doctor`. What row level security does not apply to: tables without it, what can't have it,
-- and views of the data API that read with their owner's rights.
create function public.unprotected_relations() returns text[]
language sql stable set search_path = ''
as $$
  select coalesce(array_agg(n.nspname || '.' || c.relname order by n.nspname, c.relname), '{}')
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relrowsecurity)
    or (n.nspname = 'public' and c.relkind in ('m', 'f'))
    or (n.nspname = 'public' and c.relkind = 'v' and not coalesce(
      (select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o
       where o.option_name = 'security_invoker'), false))
$$;

-- Every table that users read has a policy "expect one row". It is true of every row, and makes the planner expect
-- one row of whatever is asked for. Its estimate is what a planned count returns. Made from the statistics of all
-- rows, it would reveal what is in those that row level security hides. The operator is >= with the selectivity of =,
-- which is 1 in so many rows for a key.
create operator private.>=! (function = pg_catalog.int8ge, leftarg = bigint, rightarg = bigint, restrict = eqsel);
create operator private.>=! (function = pg_catalog.uuid_ge, leftarg = uuid, rightarg = uuid, restrict = eqsel);
create operator private.>=! (function = pg_catalog.date_ge, leftarg = date, rightarg = date, restrict = eqsel);
create operator private.>=! (function = pg_catalog.text_ge, leftarg = text, rightarg = text, restrict = eqsel);

-- Checks every request before it is answered: the data API calls this first, in the transaction of the request and as
-- its role. A planned or estimated count is made from statistics of all rows, also of those that row level security
-- hides, so with filters it would reveal what is in them. So would a plan. Every header of that name counts, however
-- it is written; json keeps several of one name.
create function private.check_request() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not private.from_api() then
    return;
  end if;
  if exists (select from json_each_text(nullif(current_setting('request.headers', true), '')::json) header
      where (lower(btrim(header.key)) = 'prefer' and header.value ~* '\mcount["\s]*=["\s]*(planned|estimated)')
        or (lower(btrim(header.key)) = 'accept' and header.value ~* 'pgrst\s*[.]\s*plan')) then
    raise exception 'planned_counts_refused' using errcode = 'P0001',
      detail = 'Row level security does not apply to plans, and to planned and estimated counts.', hint = 'Use count=exact.';
  end if;
end $$;
alter role authenticator set pgrst.db_pre_request = 'private.check_request';
notify pgrst, 'reload config';

-- ---------------------------------------------------------------- policies

alter table private.counters enable row level security;
create policy "no access" on private.counters for all to anon, authenticated using (false);

alter table private.settings enable row level security;
create policy "no access" on private.settings for all to anon, authenticated using (false);

alter table public.rate_limits enable row level security;
create policy "no access" on public.rate_limits for all to anon, authenticated using (false);

-- ---------------------------------------------------------------- grants

grant execute on function
  private.limit_account_changes(text),
  private.limit_large_change(text, integer),
  private.week_of(timestamp with time zone),
  private.page_size(integer, integer),
  private.page_bytes()
  to authenticated;

grant execute on function
  private.normalize_for_search(text),
  private.search_vector(text)
  to authenticated, service_role;

grant execute on function
  private.check_request(),
  private.from_api(),
  private.my_email(),
  private.user_id(),
  private.session_user_id(),
  private.is_second_step_done(),
  private.is_admin(),
  private.refuse(text, text),
  private.require_admin(),
  private.require_rights(boolean),
  private.count_characters(text),
  private.is_web_link(text),
  private.is_handle_or_link(text),
  private.is_email(text),
  private.refuse_oversized(boolean),
  private.require_cleanable(text),
  private.visible(text),
  private.one_line(text),
  private.many_lines(text),
  private.with_one_line(anyelement, text[]),
  private.with_many_lines(anyelement, text[])
  to anon, authenticated, service_role;

grant execute on function
  private.take_rate_token(text, integer, integer),
  public.take_rate_token(text, integer, integer),
  private.rate_limit_reached(text, integer),
  public.rate_limit_reached(text, integer),
  private.return_rate_token(text),
  public.return_rate_token(text),
  private.installed_migrations(),
  public.installed_migrations(),
  public.unprotected_relations()
  to service_role;
