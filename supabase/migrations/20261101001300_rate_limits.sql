-- How often something was tried, shared by all instances of the app. A bucket is kept as a hash:
-- its name may hold an address or an e-mail.
create table public.rate_limits (
  bucket text primary key,
  hits integer not null,
  resets_at timestamptz not null
);
create index rate_limits_resets on public.rate_limits (resets_at);
alter table public.rate_limits enable row level security;
create policy "nobody" on public.rate_limits for all to anon, authenticated using (false);

-- Takes one of max_hits in a window that starts with the first. Gives the seconds to wait; 0 is go. By
-- the wall clock: a transaction that had to wait began before a window that another one opened.
create function private.take_rate_token(bucket text, max_hits integer, window_seconds integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wait integer;
begin
  insert into public.rate_limits as r (bucket, hits, resets_at)
  values (encode(sha256(convert_to(take_rate_token.bucket, 'UTF8')), 'hex'), 1, clock_timestamp() + make_interval(secs => window_seconds))
  on conflict on constraint rate_limits_pkey do update set
    hits = case when r.resets_at <= clock_timestamp() then 1 else least(r.hits, 1000000) + 1 end,
    resets_at = case when r.resets_at <= clock_timestamp() then excluded.resets_at else r.resets_at end
  returning case when r.hits > max_hits then greatest(1, ceil(extract(epoch from r.resets_at - clock_timestamp())))::integer else 0 end
  into wait;
  -- Now and then, sweep out a few that have run out.
  if random() < 0.02 then
    delete from public.rate_limits l where l.bucket in
      (select o.bucket from public.rate_limits o where o.resets_at < clock_timestamp() limit 200 for update skip locked);
  end if;
  return wait;
end $$;
create function public.take_rate_token(bucket text, max_hits integer, window_seconds integer) returns integer
language sql volatile set search_path = ''
as $$ select private.take_rate_token(bucket, max_hits, window_seconds) $$;
grant execute on function private.take_rate_token(text, integer, integer),
  public.take_rate_token(text, integer, integer) to service_role;
