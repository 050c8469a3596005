-- Personal Information is saved whole or not at all: the profile, roughly where its postal code is, and the
-- record of consents, in one transaction.
--   text_version, page  the words the opt-ins were asked in, and where
--   lat, long           the middle of the postal code; null when its place is not known
create function public.save_my_profile(
  opted_in boolean, sms_opted_in boolean, text_version text, page text,
  full_name text default null, phone text default null, pronouns text default null, postalcode text default null,
  lat double precision default null, long double precision default null)
returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update public.profiles p
  set full_name = save_my_profile.full_name, phone = save_my_profile.phone,
    pronouns = save_my_profile.pronouns, postalcode = save_my_profile.postalcode
  where p.id = auth.uid();
  -- A changed postal code has taken its old position along. One whose place is not known counts nowhere.
  if lat is not null and long is not null then
    perform public.set_my_position(lat, long);
  end if;
  perform public.set_consent('email', opted_in, text_version, page);
  perform public.set_consent('sms', sms_opted_in, text_version, page);
end $$;
grant execute on function public.save_my_profile(
  boolean, boolean, text, text, text, text, text, text, double precision, double precision) to authenticated;
