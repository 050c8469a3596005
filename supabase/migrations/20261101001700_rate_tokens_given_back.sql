-- Gives back what take_rate_token took: a try that turned out to be no abuse, such as a sign-in with the
-- right password, counts against nobody.
create function private.give_back_rate_token(bucket text) returns void
language sql volatile security definer set search_path = ''
as $$
  update public.rate_limits r set hits = greatest(r.hits - 1, 0)
  where r.bucket = encode(sha256(convert_to(give_back_rate_token.bucket, 'UTF8')), 'hex')
$$;
create function public.give_back_rate_token(bucket text) returns void
language sql volatile set search_path = ''
as $$ select private.give_back_rate_token(bucket) $$;
grant execute on function private.give_back_rate_token(text), public.give_back_rate_token(text) to service_role;
