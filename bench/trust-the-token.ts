/** SQL. Believes the token, which stays valid for up to an hour after its session has ended: for comparison. */
export const TRUST_THE_TOKEN = `create or replace function private.user_id() returns uuid
  language plpgsql stable security definer set search_path = '' as $$ begin return auth.uid(); end $$`;
