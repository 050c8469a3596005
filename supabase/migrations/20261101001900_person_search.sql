-- Finding a person among all of them, for admins. Row level security may not use a text index before it
-- has judged each row, so the search runs in functions that ask first who is asking.

-- A text as it is, without its accents, and in pieces: "jose" and "josé" find "José", "o'rourke" finds
-- "O’Rourke", "sam" finds sam.rivera@mail.example.
create function private.searchable(words text) returns tsvector
language sql immutable set search_path = ''
as $$
  select to_tsvector('simple', concat_ws(' ', words, text, translate(text, '@.+_-', '     ')))
  from private.folded(coalesce(words, '')) as text
$$;
grant execute on function private.searchable(text), private.folded(text) to authenticated, service_role;

drop index public.profiles_full_name_search, public.profiles_email_search;
alter table public.profiles drop column full_name_search, drop column email_search;
alter table public.profiles
  add column full_name_search tsvector generated always as (private.searchable(full_name)) stored,
  add column email_search tsvector generated always as (private.searchable(email)) stored;
create index profiles_full_name_search on public.profiles using gin (full_name_search);
create index profiles_email_search on public.profiles using gin (email_search);

-- What was typed into a search box. Plain words are all looked for, by how they begin; with quotes, a
-- minus or an "or" it is a web search. Whatever else was typed is text: nothing in it can be an
-- operator, and nothing fails. Null when there is nothing to look for.
create function private.people_query(words text) returns tsquery
language sql immutable set search_path = ''
as $$
  select nullif(case
    when text ~ '"|(^|\s)-\S|\sor\s' then websearch_to_tsquery('simple', text)
    else (select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''
        || case when length(lexeme) > 1 then ':*' else '' end, ' & ')::tsquery
      from unnest(to_tsvector('simple', translate(text, '@.+_-', '     '))))
  end, ''::tsquery)
  from private.folded(left(words, 200)) as text
$$;

-- Enough of an address or a number to tell two people apart, too little to reach either:
-- s•••@m•••.example, ••• 01.
create function private.masked_email(email text) returns text
language sql immutable set search_path = ''
as $$ select regexp_replace(email, '^(.)[^@]*@(.)[^@]*?([.][^.@]+)?$', '\1•••@\2•••\3') $$;
create function private.masked_phone(phone text) returns text
language sql immutable set search_path = ''
as $$ select '••• ' || right(regexp_replace(phone, '[^0-9]', '', 'g'), 2) $$;

-- The people who are found by name, by e-mail address or by their id, the newest first; 20 at most.
create function private.search_people(words text, page_rows integer)
returns table (id uuid, full_name text, email text, pronouns text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  query tsquery := private.people_query(words);
  known uuid := case when words ~* '^\s*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$' then btrim(words)::uuid end;
begin
  perform private.require_admin();
  return query
    select p.id, p.full_name, private.masked_email(p.email), p.pronouns, p.created_at from public.profiles p
    where p.full_name_search @@ query or p.email_search @@ query or p.id = known
    order by p.created_at desc, p.id desc
    limit least(greatest(page_rows, 1), 20);
end $$;
create function public.search_people(words text, page_rows integer default 10)
returns table (id uuid, full_name text, email text, pronouns text, created_at timestamptz)
language sql stable set search_path = ''
as $$ select * from private.search_people(words, page_rows) $$;
grant execute on function private.search_people(text, integer), public.search_people(text, integer) to authenticated;
