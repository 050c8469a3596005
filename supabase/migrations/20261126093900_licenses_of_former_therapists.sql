-- Listings that were a therapist's and kept, in another category, where the person is licensed: the public saw it, and no
-- form showed it. Where the other category waits for review, what was approved stays until then.
update public.places p set licensed_locations = '{}',
    last_update = case when p.last_update ? 'category'
      then jsonb_build_object('licensed_locations', p.licensed_locations) || p.last_update else p.last_update end
  where p.category <> 2 and p.licensed_locations <> '{}'
    and exists (select from public.audit_log a
      where a.subject = 'places' and a.subject_id = p.id::text and a.before ->> 'category' = '2');
