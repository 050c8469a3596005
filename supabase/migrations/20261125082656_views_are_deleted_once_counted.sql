-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.delete_counted_views(max_rows integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from public.place_views v where (v.place_id, v.hour, v.visitor) in
    (select o.place_id, o.hour, o.visitor from public.place_views o where o.hour < date_trunc('hour', now(), 'UTC')
      order by o.hour limit max_rows for update skip locked)
$function$;

CREATE OR REPLACE FUNCTION private.due_deletions(max_users integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.decision_batches b where b.id in
    (select o.id from private.decision_batches o where o.expires_at < now() limit 100 for update skip locked);
  delete from public.listing_drafts l where l.id in
    (select o.id from public.listing_drafts o where o.expires and o.updated_at < now() - interval '7 days'
      limit 1000 for update skip locked);
  select private.delete_counted_views(10000);
  select d.user_id from private.account_deletions d where d.due_at <= now() order by d.due_at
    limit least(greatest(max_users, 0), 100)
$function$;

CREATE OR REPLACE FUNCTION private.record_place_view(place_id bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.delete_counted_views(20);
  insert into public.place_views (place_id, hour, visitor)
  select p.id, date_trunc('hour', now(), 'UTC'),
    private.code_hash(concat_ws(' ', private.user_id(), p.id,
      extract(epoch from date_trunc('hour', now(), 'UTC'))))
  from public.places p
  where p.id = record_place_view.place_id and p.owner is distinct from private.user_id() and private.user_id() is not null
    and p.id <> all (private.managed_places())
    and p.status in ('published', 'pending-update') and not p.hidden
  on conflict do nothing
$function$;

CREATE INDEX place_views_hour ON public.place_views USING btree (hour);

set check_function_bodies = on;
