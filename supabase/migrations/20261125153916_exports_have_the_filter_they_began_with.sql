-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop function private.require_export(bigint,text);

create table private.exports (
  entry bigint not null,
  filter_hash text not null,
  begun_at timestamp with time zone default now() not null
);

CREATE OR REPLACE FUNCTION private.export_listings(filter jsonb, after text, page_rows integer, entry bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  size integer := private.page_size(page_rows, 1000);
  sort text := (private.review_filter(filter)).sort;
  ids bigint[];
begin
  perform private.require_admin();
  perform private.require_export(entry, 'listings', filter);
  ids := coalesce(private.review_ids(filter, after, false, size + 1), '{}');
  return jsonb_build_object(
    'rows', (select coalesce(jsonb_agg(to_jsonb(p) - array['name_search', 'name_key', 'submission_id',
      'last_update', 'leads_from']
          || jsonb_build_object('category_name', c.name, 'owner_name', o.full_name)
          || case when entry is null then jsonb_build_object('mailingaddress', null, 'owner_email',
            private.masked_email(p.owner_email))
            else '{}' end order by w.n), '[]')
      from unnest(ids[1:size]) with ordinality w (id, n)
      join public.places p on p.id = w.id
      join public.categories c on c.id = p.category
      left join public.profiles o on o.id = p.owner),
    'next', (select private.review_cursor(p, sort) from public.places p
      where p.id = ids[size] and cardinality(ids) > size));
end $function$;

CREATE OR REPLACE FUNCTION private.export_users(entry bigint, name text, email text, after text, page_rows integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_admin();
  perform private.require_export(entry, 'users', jsonb_build_object('name', name, 'email', email));
  return private.keyset_page(
    'select p.created_at, p.id, jsonb_build_object(''id'', p.id, ''name'', p.full_name, ''pronouns'', p.pronouns, '
    || case when entry is null then '''email'', private.masked_email(p.email), ''phone'', private.masked_phone(p.phone),'
      else '''email'', p.email, ''phone'', p.phone, ' end
    || '''postalcode'', p.postalcode, ''opted_in'', p.opted_in, ''sms_opted_in'', p.sms_opted_in,
        ''business_owner'', p.business_owner, ''supporter'', p.supporter, ''favorites'', private.favorites_in_tens(p.id),
        ''created_at'', p.created_at, ''confirmed'', private.is_confirmed(p.id)) as item
      from public.profiles p where true' || private.user_conditions(name, email),
    '{created_at,id}', '{timestamptz,uuid}', after, null, page_rows);
end $function$;

CREATE OR REPLACE FUNCTION private.filter_hash(entry bigint, filter jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select private.code_hash(entry || ' ' || coalesce(jsonb_object_agg(key, value), '{}'))
    from jsonb_each_text(case when jsonb_typeof(filter) = 'object' then filter else '{}' end) where value <> ''
$function$;

CREATE OR REPLACE FUNCTION private.require_export(entry bigint, what text, filter jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if entry is not null and not exists (select from private.exports e
    join public.audit_log a on a.id = e.entry
    where e.entry = require_export.entry and a.actor = private.user_id() and a.subject_id = what
      and e.filter_hash = private.filter_hash(e.entry, require_export.filter)
      and e.begun_at > now() - interval '1 hour') then
    raise exception 'export_ended' using errcode = '42501';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.start_export(what text, about jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  entry bigint;
begin
  perform private.require_admin();
  if what is null or what not in ('users', 'listings') then
    perform private.refuse('export_unknown');
  end if;
  insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
  values (auth.uid(), auth.role(), 'export', 'exports', what, jsonb_build_object('contacts', true, 'filter', (
    select coalesce(jsonb_object_agg(key, case when key in ('name', 'email', 'search') then '"[withheld]"'
      else to_jsonb(left(value, 100)) end), '{}')
    from jsonb_each_text(case when jsonb_typeof(about) = 'object' then about else '{}' end) used
      where value <> '')))
  returning id into entry;
  delete from private.exports e where e.begun_at < now() - interval '1 hour';
  insert into private.exports (entry, filter_hash) values (entry, private.filter_hash(entry, about));
  return entry;
end $function$;

alter table private.exports add constraint exports_entry_fkey FOREIGN KEY (entry) REFERENCES public.audit_log(id);

alter table private.exports add constraint exports_pkey PRIMARY KEY (entry);

alter table private.exports enable row level security;

create policy "no access" on private.exports for all to anon, authenticated
  using (false);

set check_function_bodies = on;
