-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

alter table public.listing_drafts drop constraint listing_drafts_form_check;

alter table public.listing_drafts add constraint listing_drafts_form_check CHECK ((form ~ '^/(listings/[1-9][0-9]{0,15}|jobs/([1-9][0-9]{0,15}|new(\?draft=[0-9a-f-]{36})?))$'::text));
