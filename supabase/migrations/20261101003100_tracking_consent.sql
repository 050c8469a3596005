-- Whether somebody lets the directory tell its advertising and e-mail services what they do here. No word is no.
alter table public.consents drop constraint consents_channel_check;
alter table public.consents add constraint consents_channel_check check (channel in ('email', 'sms', 'tracking'));
create index consents_channel on public.consents (user_id, channel, id desc);
drop index public.consents_user;

-- The choice as it was last made, with the words it was made under; null when it never was.
create function private.tracking_choice(of_user uuid) returns public.consents
language sql stable security definer set search_path = ''
as $$
  select c from public.consents c where c.user_id = of_user and c.channel = 'tracking' order by c.id desc limit 1
$$;

-- The one way to make or take back the choice; each change is a line of the record.
create function private.choose_tracking(granted boolean, text_version text, page text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before constant public.consents := private.tracking_choice(auth.uid());
begin
  if granted is null or auth.uid() is null then
    raise exception 'Choose yes or no.' using errcode = 'P0001';
  elsif before.granted is distinct from granted or before.text_version is distinct from text_version then
    insert into public.consents (user_id, channel, granted, text_version, page)
    values (auth.uid(), 'tracking', granted, text_version, page);
  end if;
end $$;
create function public.choose_tracking(granted boolean, text_version text, page text) returns void
language sql volatile set search_path = ''
as $$ select private.choose_tracking(granted, text_version, page) $$;
grant execute on function private.choose_tracking(boolean, text, text), public.choose_tracking(boolean, text, text) to authenticated;
