/**
 * The mistakes that the linter of hosted projects (Supabase's Security and Performance Advisor, whose
 * rules are called splinter) looks for, in SQL of our own, and stricter where our rules are: `private`
 * counts like `public`. Left out are rules about statistics of a running database, about extensions and
 * foreign servers that the platform manages, and about settings of the auth service.
 */
interface LintRule {
  /** The name that the hosted linter has for it. */
  name: string;
  /** A query whose rows are the findings, in the column `finding`. */
  findings: string;
  /** Statements after which there is a finding, which proves that the rule sees it. */
  broken: string;
}

const OURS = "in ('public'::regnamespace, 'private'::regnamespace)";
const API_ROLES = "('anon'), ('authenticated')";

export const LINT_RULES: readonly LintRule[] = [
  {
    name: "unindexed_foreign_keys",
    findings: `
      select f.conrelid::regclass || ' ' || f.conname as finding from pg_constraint f
      where f.contype = 'f' and f.connamespace ${OURS}
        and not exists (select from pg_index i where i.indrelid = f.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(f.conkey) - 1] @> f.conkey)`,
    broken:
      "alter table public.jobs add column second_category bigint references public.categories (id)",
  },
  {
    name: "auth_users_exposed",
    findings: `
      select distinct v.oid::regclass || ' to ' || r.role as finding
      from pg_class v join pg_rewrite w on w.ev_class = v.oid join pg_depend d on d.objid = w.oid
      cross join (values ${API_ROLES}) r (role)
      where v.relkind in ('v', 'm') and v.relnamespace = 'public'::regnamespace
        and d.refobjid = 'auth.users'::regclass and has_any_column_privilege(r.role, v.oid, 'select')`,
    broken:
      "create view public.addresses as select email from auth.users; grant select on public.addresses to authenticated",
  },
  {
    name: "auth_rls_initplan",
    findings: `
      select tablename || ' ' || policyname as finding from pg_policies
      where schemaname in ('public', 'private')
        and regexp_replace(coalesce(qual, '') || ' ' || coalesce(with_check, ''),
          '\\( ?SELECT (auth|private)\\.\\w+\\(\\) AS \\w+\\)', '', 'g') ~ '(auth|private)\\.\\w+\\(|current_setting\\('`,
    broken:
      'create policy "more" on public.feedback for delete to authenticated using (userid = private.user_id())',
  },
  {
    name: "no_primary_key",
    findings: `
      select c.oid::regclass::text as finding from pg_class c
      where c.relkind in ('r', 'p') and c.relnamespace ${OURS}
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    broken: "create table private.loose (id bigint)",
  },
  {
    name: "multiple_permissive_policies",
    findings: `
      select p.polrelid::regclass || ' ' || verb as finding from pg_policy p cross join unnest(p.polroles) role
      cross join unnest(case p.polcmd when '*' then '{r,a,w,d}' else array[p.polcmd] end::text[]) verb
      where p.polpermissive group by p.polrelid, verb, role having count(*) > 1`,
    broken: 'create policy "more" on public.feedback for select to authenticated using (false)',
  },
  {
    name: "policy_exists_rls_disabled",
    findings: `
      select distinct c.oid::regclass::text as finding from pg_policy p join pg_class c on c.oid = p.polrelid
      where c.relnamespace ${OURS} and not c.relrowsecurity`,
    broken: "alter table public.feedback disable row level security",
  },
  {
    name: "rls_enabled_no_policy",
    findings: `
      select c.oid::regclass::text as finding from pg_class c
      where c.relnamespace ${OURS} and c.relrowsecurity
        and not exists (select from pg_policy p where p.polrelid = c.oid)`,
    broken:
      "create table private.silent (id bigint primary key); alter table private.silent enable row level security",
  },
  {
    name: "rls_disabled_in_public",
    findings: `
      select c.oid::regclass::text as finding from pg_class c
      where c.relnamespace ${OURS} and c.relkind in ('r', 'p') and not c.relrowsecurity`,
    broken: "create table public.open (id bigint primary key)",
  },
  {
    name: "rls_policy_always_true",
    findings: `
      select tablename || ' ' || policyname as finding from pg_policies
      where schemaname in ('public', 'private') and cmd <> 'SELECT' and (qual = 'true' or with_check = 'true')`,
    broken: 'create policy "more" on public.feedback for delete to authenticated using (true)',
  },
  {
    name: "duplicate_index",
    findings: `
      select indrelid::regclass || ' ' || min(indexrelid::regclass::text) as finding from pg_index
      where indrelid::regclass::text not like 'pg_%'
      group by indrelid, indkey::text, indclass::text, indoption::text, coalesce(indpred::text, ''),
        coalesce(indexprs::text, '') having count(*) > 1`,
    broken: "create index one on public.feedback (os); create index two on public.feedback (os)",
  },
  {
    name: "security_definer_view",
    findings: `
      select c.oid::regclass::text as finding from pg_class c
      where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
        and not coalesce(c.reloptions, '{}') && '{security_invoker=on,security_invoker=true}'`,
    broken: "create view public.everything as select * from public.feedback",
  },
  {
    name: "function_search_path_mutable",
    findings: `
      select oid::regprocedure::text as finding from pg_proc
      where pronamespace ${OURS} and not coalesce(proconfig, '{}') @> array['search_path=""']`,
    broken: "create function private.loose() returns int language sql as 'select 1'",
  },
  {
    name: "extension_in_public",
    findings: `
      select extname::text as finding from pg_extension where extnamespace ${OURS}`,
    broken: "create extension citext schema public",
  },
  {
    name: "rls_references_user_metadata",
    findings: `
      select tablename || ' ' || policyname as finding from pg_policies
      where schemaname in ('public', 'private') and coalesce(qual, '') || coalesce(with_check, '') ~ 'user_metadata'
      union all
      select oid::regprocedure::text from pg_proc
      where pronamespace ${OURS} and prosrc ~ '''user_metadata'''`,
    broken: `create policy "more" on public.feedback for delete to authenticated
      using (((select auth.jwt()) -> 'user_metadata' ->> 'admin')::boolean)`,
  },
  {
    name: "materialized_view_in_api",
    findings: `
      select c.oid::regclass || ' to ' || r.role as finding from pg_class c cross join (values ${API_ROLES}) r (role)
      where c.relkind = 'm' and c.relnamespace = 'public'::regnamespace and has_table_privilege(r.role, c.oid, 'select')`,
    broken:
      "create materialized view public.old as select * from public.feedback; grant select on public.old to anon",
  },
  {
    name: "foreign_table_in_api",
    findings: `
      select c.oid::regclass::text as finding from pg_class c
      where c.relkind = 'f' and c.relnamespace = 'public'::regnamespace`,
    broken:
      "create foreign data wrapper w; create server s foreign data wrapper w; create foreign table public.far (id int) server s",
  },
  {
    name: "unsupported_reg_types",
    findings: `
      select a.attrelid::regclass || '.' || a.attname as finding from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace ${OURS} and c.relkind in ('r', 'p') and not a.attisdropped
        and format_type(a.atttypid, null) in ('regcollation', 'regconfig', 'regdictionary', 'regnamespace',
          'regoper', 'regoperator', 'regproc', 'regprocedure')`,
    broken: "create table private.catalog (id bigint primary key, function regproc)",
  },
  {
    name: "fkey_to_auth_unique",
    findings: `
      select f.conrelid::regclass || ' ' || f.conname as finding from pg_constraint f
      where f.contype = 'f' and f.connamespace ${OURS} and f.confrelid::regclass::text like 'auth.%'
        and not exists (select from pg_index i where i.indrelid = f.confrelid and i.indisprimary
          and (i.indkey::int2[])[0:cardinality(f.confkey) - 1] = f.confkey)`,
    broken:
      "create table private.by_email (id bigint primary key, email text); create unique index on auth.users (role, id); alter table private.by_email add column r text, add column u uuid, add foreign key (r, u) references auth.users (role, id)",
  },
  {
    name: "sensitive_columns_exposed",
    findings: `
      select a.attrelid::regclass || '.' || a.attname || ' to ' || r.role as finding
      from pg_attribute a join pg_class c on c.oid = a.attrelid cross join (values ${API_ROLES}) r (role)
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
        and a.attname ~ '(password|secret|token|api_key|ssn|card_number|cvv|hash)'
        and has_column_privilege(r.role, c.oid, a.attnum, 'select')`,
    broken:
      "alter table public.feedback add column api_key text; grant select (api_key) on public.feedback to authenticated",
  },
  {
    name: "security_definer_function_executable",
    findings: `
      select p.oid::regprocedure || ' by ' || r.role as finding from pg_proc p cross join (values ${API_ROLES}) r (role)
      where p.prosecdef and p.pronamespace = 'public'::regnamespace and has_function_privilege(r.role, p.oid, 'execute')`,
    broken: `create function public.powerful() returns int language sql security definer set search_path = '' as 'select 1';
      grant execute on function public.powerful() to authenticated`,
  },
];
