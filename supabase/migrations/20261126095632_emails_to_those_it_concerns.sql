-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

set check_function_bodies = off;

drop view private.due_emails;

CREATE OR REPLACE FUNCTION private.lease_emails(max_emails integer)
 RETURNS TABLE(id uuid, kind text, data jsonb, attempts integer, email text, full_name text, user_id uuid, discreet boolean)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.email_queue o where o.id in
    (select old.id from private.email_queue old where old.created_at < now() - interval '90 days'
        or (old.address <> '' and old.created_at < now() - interval '1 hour') limit 200
      for update skip locked);
  delete from public.manager_invitations o where o.id in
    (select old.id from public.manager_invitations old where old.expires_at < now() - interval '30 days'
      and not exists (select from public.listing_managers m where m.place_id = old.place_id
        and m.profile_id = old.accepted_by)
      limit 200 for update skip locked);
  delete from public.rejected_edits o where o.place_id in
    (select old.place_id from public.rejected_edits old where old.rejected_at < now() - interval '30 days'
      limit 200 for update skip locked);
  with due as materialized (
    select d.* from private.email_queue n join private.due_emails d on d.id = n.id
    -- Again, on the row that is locked: another process may have leased it since this one began to read.
    where n.sent_at is null and n.next_try_at <= now()
    order by n.next_try_at limit least(greatest(max_emails, 0), 100)
    for update of n skip locked
  )
  update private.email_queue n set attempts = n.attempts + 1, next_try_at = now() + interval '2 minutes'
  from due where n.id = due.id
  returning n.id, n.kind, n.data || case when due.hidden then '{"hidden": true}'::jsonb else '{}' end
    || case when due.former then '{"former": true}'::jsonb else '{}' end
    || case when due.kept then '{"kept": true}'::jsonb else '{}' end, n.attempts,
    due.email, due.full_name, due.user_id, due.discreet
$function$;

create view private.due_emails as
 SELECT n.id,
    f.id AS user_id,
    f.full_name,
    ((i.id IS NOT NULL) OR COALESCE(f.discreet, ( SELECT a.discreet
           FROM public.profiles a
          WHERE ((n.address IS NOT NULL) AND ((a.id)::text = (n.data ->> 'user'::text)))), false)) AS discreet,
    COALESCE(n.address, i.email, lower((u.email)::text),
        CASE
            WHEN (p.owner IS NULL) THEN p.owner_email
            ELSE NULL::text
        END) AS email,
    COALESCE(p.hidden, false) AS hidden,
    ((n.recipient IS NOT NULL) AND (n.kind = ANY (ARRAY['changes-requested'::text, 'edit-rejected'::text, 'decision-undone'::text, 'listing-edited'::text])) AND (NOT (EXISTS ( SELECT
           FROM public.places l
          WHERE ((l.id = ((n.data ->> 'place_id'::text))::bigint) AND (l.owner = n.recipient)))))) AS former,
    ((n.kind = 'edit-rejected'::text) AND (EXISTS ( SELECT
           FROM public.rejected_edits r
          WHERE (r.place_id = n.place_id)))) AS kept
   FROM ((((private.email_queue n
     LEFT JOIN public.manager_invitations i ON (((i.id = n.invitation_id) AND (i.accepted_at IS NULL) AND (i.withdrawn_at IS NULL) AND (i.expires_at > now()))))
     LEFT JOIN public.places p ON ((p.id = n.place_id)))
     LEFT JOIN auth.users u ON (((u.id = COALESCE(n.recipient, p.owner, ( SELECT c.id
           FROM auth.users c
          WHERE ((p.owner IS NULL) AND ((c.email)::text = p.owner_email) AND (NOT c.is_sso_user) AND (c.email_confirmed_at IS NOT NULL))))) AND ((u.email)::text <> ''::text) AND (u.email_confirmed_at IS NOT NULL) AND (u.deleted_at IS NULL))))
     LEFT JOIN public.profiles f ON ((f.id = u.id)))
  WHERE ((n.sent_at IS NULL) AND (n.next_try_at <= now()) AND (n.created_at > (now() - '7 days'::interval)) AND ((n.address IS NOT NULL) OR (i.id IS NOT NULL) OR (u.id IS NOT NULL) OR ((p.owner IS NULL) AND (p.owner_email IS NOT NULL))) AND ((n.kind <> 'listing-approved'::text) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'listing-removed'::text) OR (p.status = 'archived'::text)) AND ((n.kind <> 'edit-rejected'::text) OR (p.id IS NULL) OR (p.status = ANY (ARRAY['published'::text, 'pending-update'::text]))) AND ((n.kind <> 'changes-requested'::text) OR (p.id IS NULL) OR ((p.changes_requested = (n.data ->> 'reason'::text)) AND (p.status <> 'archived'::text))) AND (NOT private.is_outdated(n.kind, n.data, n.recipient)) AND private.wants_email(u.id, n.kind));

set check_function_bodies = on;
