-- Written by `npm run migrations:new`. What these objects are for is in supabase/schemas.

CREATE OR REPLACE TRIGGER t1_strip_metadata BEFORE UPDATE OF raw_user_meta_data, email ON auth.users FOR EACH ROW EXECUTE FUNCTION private.strip_user_metadata();

-- Tokens that are renewed from now on name the present address only.
update auth.users set raw_user_meta_data = raw_user_meta_data where raw_user_meta_data ->> 'email' <> email;
