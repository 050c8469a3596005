-- For a restore (docs/operations.md), into a project that has the migrations and no users: empties its tables, and
-- turns triggers off for the rest of the session, which would queue emails and write the audit log again.
set session_replication_role = replica;
do $$
begin
  if exists (select from auth.users) then
    raise exception 'This project has users. Nothing was emptied.';
  end if;
  execute (select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ')
    from pg_tables where schemaname in ('public', 'private'));
end $$;
