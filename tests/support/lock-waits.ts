/**
 * Functions of the database give up when a lock isn't free within seconds, which a busy machine would also reach.
 *
 * @returns the statement after which they wait so many ms
 */
export const letLocksTake = (ms: number) => `do $$ declare waits regprocedure; begin
  for waits in select oid from pg_proc where proconfig::text like '%lock_timeout%' loop
    execute format('alter function %s set lock_timeout = ${ms}', waits);
  end loop; end $$`;
