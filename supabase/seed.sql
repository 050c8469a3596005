-- Demo data: a directory as it might stand today. All people and businesses are made up; domains
-- end in .test or .example, telephone numbers in 555-01xx. Every date is told from now().
--
-- Sign-ins, all with the password rainbow-demo-1:
--   owner@demo.test   thirty listings, two more to claim
--   rosa@demo.test    one listing
--   newcomer@demo.test  none yet
--   admin@demo.test   the review desk

do $$
begin
  -- Everyone knows these sign-ins, one of them an admin's: never beside real people.
  if exists (select from auth.users) then
    raise exception 'This database has accounts already. Demo data belongs in an empty one.';
  end if;
end $$;

-- Consents of the demo are dated back below, instead of all being given this minute.
alter table public.profiles disable trigger t3_record_consents;

create temporary table demo_city (
  key text primary key, city text, state text, country text, postalcode text,
  lat double precision, long double precision, users integer
);
insert into demo_city values
  ('portland', 'Portland', 'OR', 'United States', '97214', 45.51, -122.64, 58),
  ('seattle', 'Seattle', 'WA', 'United States', '98122', 47.61, -122.30, 14),
  ('oakland', 'Oakland', 'CA', 'United States', '94609', 37.83, -122.26, 12),
  ('sanfrancisco', 'San Francisco', 'CA', 'United States', '94114', 37.76, -122.44, 12),
  ('losangeles', 'Los Angeles', 'CA', 'United States', '90026', 34.08, -118.26, 9),
  ('tucson', 'Tucson', 'AZ', 'United States', '85705', 32.27, -110.99, 3),
  ('albuquerque', 'Albuquerque', 'NM', 'United States', '87106', 35.08, -106.62, 4),
  ('denver', 'Denver', 'CO', 'United States', '80203', 39.73, -104.98, 6),
  ('saltlake', 'Salt Lake City', 'UT', 'United States', '84102', 40.76, -111.86, 3),
  ('boise', 'Boise', 'ID', 'United States', '83702', 43.63, -116.20, 2),
  ('missoula', 'Missoula', 'MT', 'United States', '59801', 46.86, -114.01, 1),
  ('minneapolis', 'Minneapolis', 'MN', 'United States', '55407', 44.94, -93.25, 7),
  ('madison', 'Madison', 'WI', 'United States', '53703', 43.08, -89.38, 3),
  ('chicago', 'Chicago', 'IL', 'United States', '60640', 41.97, -87.66, 10),
  ('detroit', 'Detroit', 'MI', 'United States', '48201', 42.35, -83.06, 3),
  ('columbus', 'Columbus', 'OH', 'United States', '43201', 39.99, -83.00, 4),
  ('louisville', 'Louisville', 'KY', 'United States', '40204', 38.24, -85.72, 2),
  ('nashville', 'Nashville', 'TN', 'United States', '37206', 36.18, -86.73, 3),
  ('atlanta', 'Atlanta', 'GA', 'United States', '30307', 33.77, -84.34, 6),
  ('neworleans', 'New Orleans', 'LA', 'United States', '70117', 29.97, -90.03, 3),
  ('austin', 'Austin', 'TX', 'United States', '78702', 30.26, -97.71, 6),
  ('durham', 'Durham', 'NC', 'United States', '27701', 36.00, -78.90, 3),
  ('richmond', 'Richmond', 'VA', 'United States', '23220', 37.55, -77.46, 2),
  ('philadelphia', 'Philadelphia', 'PA', 'United States', '19147', 39.94, -75.15, 6),
  ('brooklyn', 'Brooklyn', 'NY', 'United States', '11216', 40.68, -73.95, 8),
  ('newyork', 'New York', 'NY', 'United States', '10011', 40.74, -74.00, 4),
  ('northampton', 'Northampton', 'MA', 'United States', '01060', 42.32, -72.63, 3),
  ('burlington', 'Burlington', 'VT', 'United States', '05401', 44.48, -73.22, 1),
  ('honolulu', 'Honolulu', 'HI', 'United States', '96816', 21.29, -157.80, 1),
  ('toronto', 'Toronto', 'ON', 'Canada', 'M4Y', 43.67, -79.38, 4),
  ('vancouver', 'Vancouver', 'BC', 'Canada', 'V5L', 49.28, -123.07, 3),
  ('montreal', 'Montréal', 'QC', 'Canada', 'H2L', 45.52, -73.56, 2);

-- ---------------------------------------------------------------------------------- people

create temporary table demo_person (
  n integer primary key, id uuid, email text, password boolean, full_name text, pronouns text,
  phone text, city text, business_owner boolean, opted_in boolean, sms_opted_in boolean, joined timestamptz
);
insert into demo_person values
  (1, '5eed0000-0000-4000-8000-000000000001', 'owner@demo.test', true, 'Sam Okafor-Lindqvist', 'they/them',
    '+1 503-555-0101', 'portland', true, true, false, now() - interval '19 months'),
  (2, '5eed0000-0000-4000-8000-000000000002', 'rosa@demo.test', true, 'Rosa Villanueva', 'she/her',
    '+1 505-555-0102', 'albuquerque', true, true, true, now() - interval '7 months'),
  (3, '5eed0000-0000-4000-8000-000000000003', 'newcomer@demo.test', true, 'Jules Ferreira', null,
    null, 'minneapolis', true, false, false, now() - interval '2 days'),
  (4, '5eed0000-0000-4000-8000-000000000004', 'admin@demo.test', true, 'Morgan Achterberg', 'ze/hir',
    '+1 206-555-0104', 'seattle', true, false, false, now() - interval '26 months');

-- About two hundred people who use the app. Names are drawn from two lists that do not repeat a pair.
insert into demo_person
select 4 + i, ('5eed0000-0000-4000-8000-' || lpad((4 + i)::text, 12, '0'))::uuid,
  lower(translate(first || '.' || last, ' ’áéíóúñçãøüö', '--aeiouncaouo')) || i || '@mail.example', false,
  first || ' ' || last,
  (array['she/her', 'he/him', 'they/them', 'she/they', 'he/they', 'xe/xem', null, null])[1 + mix % 8],
  case when i % 5 < 3 then '+1 ' || (200 + mix % 700) || '-555-01' || lpad((i % 100)::text, 2, '0') end,
  city, false, i % 3 = 0, i % 11 = 0, now() - make_interval(days => 1 + (i * 47) % 720, hours => i % 24)
from (
  select (row_number() over (order by md5(c.key || g.k)))::integer as i, c.key as city
  from demo_city c cross join lateral generate_series(1, c.users) g (k)
) person
cross join lateral (select (('x' || substr(md5('person ' || i), 1, 7))::bit(28)::integer) as mix) m
cross join lateral (select
  (array['Amara', 'Bex', 'Camille', 'Dev', 'Eilidh', 'Farah', 'Gael', 'Hana', 'Imani', 'Jo', 'Kai', 'Lupe', 'Mateo',
    'Noor', 'Omar', 'Priya', 'Quinn', 'Rafael', 'Saoirse', 'Tomás', 'Uma', 'Vera', 'Wren', 'Ximena', 'Yusuf', 'Zadie',
    'Alder', 'Beatriz', 'Chidi', 'Delphine', 'Emeka'])[1 + i % 31] as first,
  (array['Abernathy', 'Bui', 'Castellanos', 'Diallo', 'Eriksen', 'Fontaine', 'Greenbaum', 'Hashimi', 'Iyer', 'Jensen',
    'Kealoha', 'Laurent', 'Moreau', 'Nguyen', 'O’Rourke', 'Park', 'Quispe', 'Rahman', 'Santoro', 'Tanaka', 'Usman',
    'Vasquez', 'Whitehorse', 'Xiong', 'Yazzie', 'Zielinski', 'Adeyemi'])[1 + i % 27] as last) names;

insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at)
select p.id, 'authenticated', 'authenticated', p.email,
  case when p.password then '$2a$10$.W99ZkF9W/n07BHKUrdcT.2AEQr9FqaMSK5/Uhfj8TBzoUYK184s.' else '' end, p.joined,
  '{"provider": "email", "providers": ["email"]}',
  jsonb_strip_nulls(jsonb_build_object('full_name', p.full_name, 'phone', p.phone, 'pronouns', p.pronouns,
    'postalcode', c.postalcode, 'opted_in', p.opted_in, 'sms_opted_in', p.sms_opted_in,
    'business_owner', p.business_owner, 'postal_lat', c.lat, 'postal_long', c.long)),
  p.joined, p.joined
from demo_person p join demo_city c on c.key = p.city
order by p.n;

-- What a hosted project's auth service has and the local one may not.
do $$
begin
  if to_regclass('auth.identities') is not null then
    insert into auth.identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
    select gen_random_uuid(), id, 'email', id::text,
      jsonb_build_object('sub', id, 'email', email, 'email_verified', true), joined, joined from demo_person;
  end if;
  if exists (select from information_schema.columns
    where table_schema = 'auth' and table_name = 'users' and column_name = 'instance_id') then
    -- It reads these as text that is never null.
    update auth.users set instance_id = '00000000-0000-0000-0000-000000000000', confirmation_token = '',
      recovery_token = '', email_change = '', email_change_token_new = '', email_change_token_current = '',
      reauthentication_token = '' where id in (select id from demo_person);
  end if;
end $$;

update public.profiles p set created_at = d.joined, admin = d.email = 'admin@demo.test',
  supporter = d.n in (2, 17, 41, 58, 77, 103, 150)
from demo_person d where d.id = p.id;

insert into public.consents (user_id, channel, granted, text_version, page, at)
select d.id, c.channel, c.granted, '2025-01', '/signup', d.joined
from demo_person d
cross join lateral (values ('email', d.opted_in), ('sms', d.sms_opted_in)) c (channel, granted);
-- Rosa changed her mind about text messages, and back.
insert into public.consents (user_id, channel, granted, text_version, page, at)
select id, 'sms', granted, '2025-01', '/account', now() - age
from demo_person, (values (false, interval '70 days'), (true, interval '21 days')) change (granted, age) where n = 2;
alter table public.profiles enable trigger t3_record_consents;

-- -------------------------------------------------------------------------------- listings

-- who: s Sam's own, r Rosa's own, S waits for Sam to claim it, u no one's but with an address,
-- x without an address. age: days since the last change; featured: days since it is.
create temporary table demo_listing (
  n integer, name text, category integer, city text, street text, who text, status text, age integer,
  featured integer, description text, more jsonb, previous jsonb, changes_requested text
);
insert into demo_listing values
  (1, 'Riverbend Books & Tea', 10, 'portland', '2114 SE Division St', 's', 'published', null, 410,
    'A neighborhood bookshop with a long counter, loose-leaf tea and a whole wall of queer fiction, poetry and memoir. Story hour on Saturdays, zine night every first Thursday.',
    '{"url": "https://riverbend-books.example", "instagram": "@riverbendbooks", "physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (2, 'Fern & Flour Bakery', 4, 'portland', '1807 NE Alberta St', 's', 'published', null, 230,
    'Sourdough, seeded rye and the cardamom buns people cross the river for. Half of the menu is vegan, all of it is baked before sunrise.',
    '{"url": "https://fernandflour.example", "facebook": "fernandflour", "physicalLocation": true, "outdoor": true, "gender_neutral_bathrooms": true}', null, null),
  (3, 'Lantern Street Supper Club', 1, 'portland', '33 NW 9th Ave', 's', 'published', null, 95,
    'One long table, one menu, twice a night. We cook what the farms bring us and we seat strangers next to one another on purpose.',
    '{"url": "https://lanternstreet.example", "physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (4, 'Good Hem Alterations', 24, 'portland', '4520 SE Hawthorne Blvd', 's', 'published', null, null,
    'Suits, skirts and everything between, made to fit the body you have. Private fittings, no questions you do not want to answer.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (5, 'Two Rivers Bike Works', 25, 'portland', '915 N Mississippi Ave', 's', 'published', null, null,
    'Honest repairs, used bikes and a free workbench on Sundays where we show you how.',
    '{"physicalLocation": true, "url": "https://tworiversbikes.example"}', null, null),
  (6, 'Marigold Hair Studio', 6, 'portland', '2730 NW Thurman St', 's', 'published', null, null,
    'Cuts priced by time and not by gender. Quiet appointments on Mondays for anyone who would rather not chat.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true, "instagram": "marigoldhair"}', null, null),
  (7, 'Slow Tide Massage', 9, 'portland', '1220 SE Belmont St', 's', 'published', null, null,
    'Licensed massage with plenty of pillows, clear consent and no hurry.',
    '{"physicalLocation": true, "masks_required": true}', null, null),
  (8, 'Foxglove Flowers', 22, 'portland', '600 E Burnside St', 's', 'published', null, null,
    'Seasonal bouquets from growers within a hundred miles, weddings of every size, and a bucket of one-dollar stems by the door.',
    '{"physicalLocation": true, "outdoor": true, "url": "https://foxglove-flowers.example"}', null, null),
  (9, 'Kindling Ceramics', 11, 'portland', '3310 N Williams Ave', 's', 'published', null, null,
    'Open studio, six-week wheel classes and a kiln share for people who make at home.',
    '{"physicalLocation": true}', null, null),
  (10, 'The Paper Moth', 12, 'portland', '1450 SE 12th Ave', 's', 'published', null, null,
    'Letterpress cards for the families we choose: two moms, three partners, new names, chosen aunties.',
    '{"online_categories": [57, 51], "online": true, "wholesale": true, "url": "https://papermoth.example"}', null, null),
  (11, 'Open Gate Counseling', 2, 'portland', '811 SW 6th Ave', 's', 'published', null, null,
    'Affirming therapy for adults and teens. We write letters for gender-affirming care without making you earn them.',
    '{"licensed_locations": ["Oregon", "Washington"], "online": true, "physicalLocation": true, "url": "https://opengate.example"}', null, null),
  (12, 'Riverbend Books North', 10, 'seattle', '1520 E Olive Way', 's', 'published', null, null,
    'The younger sibling of our Portland shop: more comics, bigger windows, the same tea.',
    '{"physicalLocation": true, "url": "https://riverbend-books.example/seattle", "gender_neutral_bathrooms": true}', null, null),
  (13, 'Saltwater Dental', 5, 'seattle', '2200 E Madison St', 's', 'published', null, null,
    'Family dentistry with names and pronouns on the chart and weighted blankets in every room.',
    '{"physicalLocation": true, "masks_required": true, "gender_neutral_bathrooms": true}', null, null),
  (14, 'Driftline Tattoo', 7, 'oakland', '4001 Telegraph Ave', 's', 'published', null, null,
    'Fine line, botanical work and scar cover-ups in a private, by-appointment studio.',
    '{"physicalLocation": true, "bipocOwned": true, "instagram": "driftlinetattoo"}', null, null),
  (15, 'Common Thread Yoga', 8, 'denver', '1335 E Colfax Ave', 's', 'published', null, null,
    'Sliding-scale classes for every size of body. Binder-friendly and chair options in each one.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (16, 'Juniper House Inn', 16, 'boise', '707 N 8th St', 's', 'published', null, null,
    'Seven rooms in an old brick house, breakfast until noon, and a porch that is made for long evenings.',
    '{"physicalLocation": true, "outdoor": true, "url": "https://juniperhouse.example"}', null, null),
  (17, 'Prairie Light Photography', 20, 'minneapolis', '3448 Chicago Ave', 's', 'published', null, null,
    'Families, elopements and portraits after transition. You choose every picture that leaves the room.',
    '{"online": true, "bipocOwned": true}', null, null),
  (18, 'Cedar & Main Realty', 17, 'chicago', '5412 N Clark St', 's', 'published', null, null,
    'First homes, fourplexes with friends, and plain words about mortgages.',
    '{"physicalLocation": true, "linkedin": "https://linkedin.example/company/cedar-and-main"}', null, null),
  (19, 'Hearthside Doulas', 29, 'philadelphia', '1132 S 9th St', 's', 'published', null, null,
    'Birth, postpartum and adoption support for parents of all genders.',
    '{"online": true, "bipocOwned": true}', null, null),
  (20, 'Magnolia Street Tax Help', 19, 'neworleans', '3800 St Claude Ave', 's', 'published', null, null,
    'Taxes, name changes on paperwork, and bookkeeping for small shops and performers.',
    '{"physicalLocation": true}', null, null),
  (21, 'Nightjar Bar', 3, 'portland', '216 SE Grand Ave', 's', 'pending-update', null, null,
    'A dim, friendly bar with good non-alcoholic drinks and a dance floor that opens at ten. Now with a quiet room upstairs.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', '{"description": "A dim, friendly bar with good non-alcoholic drinks and a dance floor that opens at ten.", "phone": "+1 503-555-0118"}', null),
  (22, 'Wild Yeast Cider', 30, 'portland', '8 NE Broadway', 's', 'pending-update', null, 185,
    'Small-batch cider from backyard apples. Bring yours in October and leave with a case in spring.',
    '{"physicalLocation": true, "outdoor": true, "wholesale": true}', '{"public_email": "hello@wildyeast.example"}', null),
  (23, 'Elm City Movers', 24, 'seattle', '6720 15th Ave NW', 's', 'pending-update', null, null,
    'Careful movers who will not ask who sleeps in which bedroom. Evenings and short notice welcome.',
    '{"online": true}', '{"name": "Elm City Moving", "rawaddress": "100 Elm St, Seattle, WA", "address": "100 Elm St, Seattle, WA 98122, United States", "postalcode": "98122"}', null),
  (24, 'Tidepool Web Studio', 28, 'oakland', '1901 Broadway', 's', 'pending-update', null, null,
    'Accessible websites for nonprofits and small shops, with a price list anyone can read.',
    '{"online": true, "url": "https://tidepool.example"}', '{"url": "https://old.tidepool.example", "category": 27}', null),
  (25, 'Riverbend Books Tucson', 10, 'tucson', '340 N 4th Ave', 's', 'new', 9, null,
    'Our third shop opens in the desert this season: used books in front, a reading room in the back.',
    '{"physicalLocation": true}', null, null),
  (26, 'Second Skin Laser & Electrolysis', 6, 'portland', '1530 NE Couch St', 's', 'new', 5, null,
    'Electrolysis and laser by people who have sat in the chair themselves. Free patch tests.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (27, 'Halfway Home Pet Care', 23, 'portland', '2901 SE Stark St', 's', 'new', 2, null,
    'Dog walks, cat visits and short stays for pets whose people are in hospital.',
    '{"online": true}', null, null),
  (28, 'Open Gate Group Practice', 2, 'seattle', '1400 Broadway', 's', 'new', 1, null,
    'Couples and polycule counseling, grief groups, and a waiting list we keep short.',
    '{"licensed_locations": ["Washington"], "online": true}', null, 'Please add the street number, so that we can place the practice on the map.'),
  (29, 'Corner Pocket Vintage', 13, 'portland', '515 N Killingsworth St', 's', 'flagged', 40, null,
    'Mid-century furniture, well-loved coats and a rail of free clothes for anyone starting over.',
    '{"physicalLocation": true}', null, null),
  (30, 'Riverbend Pop-up Cart', 4, 'portland', 'SW 5th Ave & Alder St', 's', 'archived', 300, null,
    'Our first cart, two summers long. Find us in the shop on Division Street now.',
    '{"outdoor": true}', null, null),
  (31, 'Piñon Table', 1, 'albuquerque', '3111 Central Ave NE', 'r', 'published', null, 60,
    'Red, green or both: New Mexican cooking from my grandmother’s notebook, with a patio, a piano and Sunday drag brunch.',
    '{"bipocOwned": true, "physicalLocation": true, "outdoor": true, "gender_neutral_bathrooms": true, "url": "https://pinon-table.example", "instagram": "@pinontable"}', null, null),
  (32, 'Alder Grove Farm Stand', 31, 'portland', '16500 NW Sauvie Island Rd', 'S', 'published', null, null,
    'Berries in June, squash in October, and a barn that hosts weddings.',
    '{"outdoor": true, "physicalLocation": true}', null, null),
  (33, 'Bright Side Electric', 24, 'portland', '7225 N Denver Ave', 'S', 'new', 6, null,
    'Licensed electricians, women and nonbinary crew, estimates in writing.',
    '{"online": true}', null, null),
  (34, 'Honey & Thyme Catering', 21, 'seattle', '4215 Fremont Ave N', 'u', 'published', null, null,
    'Weddings, memorials and everything worth a good meal in between. Halal, kosher-style and vegan kitchens on request.',
    '{"bipocOwned": true}', null, null),
  (35, 'Puget Pride Chorus', 14, 'seattle', '1729 Harvard Ave', 'u', 'published', null, null,
    'A hundred and twenty voices, no auditions, and a scholarship section for trans singers.',
    '{"queer_programming": true, "mission_statement": true, "nonprofit": true}', null, null),
  (36, 'Blue Door Acupuncture', 5, 'oakland', '5332 College Ave', 'u', 'published', null, null,
    'Community acupuncture in recliners, pay what you can.',
    '{"bipocOwned": true, "physicalLocation": true, "masks_required": true}', null, null),
  (37, 'Lake Merritt Legal Aid', 18, 'oakland', '1300 Clay St', 'u', 'published', null, null,
    'Name and gender marker changes, tenant rights and immigration, on a sliding scale.',
    '{"nonprofit": true, "bipocOwned": true, "physicalLocation": true}', null, null),
  (38, 'Castro Key & Lock', 24, 'sanfrancisco', '498 Castro St', 'u', 'published', null, null,
    'Locks changed the same day, and nobody asks why.',
    '{"physicalLocation": true}', null, null),
  (39, 'Moonwort Apothecary', 32, 'sanfrancisco', '3150 17th St', 'u', 'published', null, null,
    'Herbs, tinctures and a free clinic on the last Wednesday of the month.',
    '{"physicalLocation": true, "online": true}', null, null),
  (40, 'Golden Hour Guesthouse', 16, 'sanfrancisco', '744 Noe St', 'u', 'published', null, null,
    'Three quiet rooms, a garden and a host who knows every staircase in the city.',
    '{"outdoor": true, "physicalLocation": true}', null, null),
  (41, 'Silver Lake Strength', 8, 'losangeles', '2822 Sunset Blvd', 'u', 'published', null, null,
    'Lifting for beginners of every gender, with curtains on the changing rooms.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (42, 'Casa de Colores Prints', 12, 'losangeles', '1644 W Temple St', 'u', 'published', null, null,
    'Risograph posters, stickers and banners for people who march.',
    '{"online_categories": [51, 57, 58], "online": true, "bipocOwned": true, "wholesale": true}', null, null),
  (43, 'Sonoran Sky Weddings', 21, 'tucson', '410 N 4th Ave', 'u', 'published', null, null,
    'Desert ceremonies for two or two hundred, in Spanish or English.',
    '{"bipocOwned": true, "outdoor": true}', null, null),
  (44, 'High Desert Hormone Clinic', 5, 'albuquerque', '1100 Lomas Blvd NW', 'u', 'published', null, null,
    'Informed-consent hormone care, in person and by video across New Mexico.',
    '{"physicalLocation": true, "online": true, "masks_required": true}', null, null),
  (45, 'Mile High Board Games', 13, 'denver', '2500 Larimer St', 'u', 'published', null, null,
    'Six hundred games, root beer floats and a table that is always open to newcomers.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (46, 'Wasatch Affirming Therapy', 2, 'saltlake', '250 E 300 S', 'u', 'published', null, null,
    'Support for people who are leaving, staying, or making peace with where they come from.',
    '{"licensed_locations": ["Utah", "Idaho"], "online": true}', null, null),
  (47, 'Clark Fork Outfitters', 16, 'missoula', '131 W Main St', 'u', 'published', null, null,
    'Guided rafting and gear rental. Everyone sleeps in whichever tent they like.',
    '{"outdoor": true}', null, null),
  (48, 'Lake Street Credit Circle', 19, 'minneapolis', '2750 E Lake St', 'u', 'published', null, null,
    'Savings groups, first credit cards and loans for documents, run by its members.',
    '{"nonprofit": true, "bipocOwned": true}', null, null),
  (49, 'Badger State Brewing Sisters', 30, 'madison', '918 Williamson St', 'u', 'published', null, null,
    'Lagers, sours and a trivia night that gets loud.',
    '{"physicalLocation": true, "outdoor": true}', null, null),
  (50, 'Andersonville Animal Hospital', 23, 'chicago', '5240 N Clark St', 'u', 'published', null, null,
    'Gentle medicine for cats, dogs and the occasional tortoise.',
    '{"physicalLocation": true}', null, null),
  (51, 'South Side Story Lab', 26, 'chicago', '1525 E 53rd St', 'u', 'published', null, null,
    'Writing workshops for queer elders and the young people who want to hear them.',
    '{"bipocOwned": true, "nonprofit": true}', null, null),
  (52, 'Motor City Makeup Collective', 6, 'detroit', '4160 Cass Ave', 'u', 'published', null, null,
    'Beards covered, brows drawn, drag taught.',
    '{"bipocOwned": true, "physicalLocation": true}', null, null),
  (53, 'Short North Stationers', 13, 'columbus', '720 N High St', 'u', 'published', null, null,
    'Pens, planners and a letter-writing table with free stamps.',
    '{"physicalLocation": true}', null, null),
  (54, 'Bluegrass Birth Center', 29, 'louisville', '1215 Bardstown Rd', 'u', 'published', null, null,
    'Midwives who say parent, and mean all of you.',
    '{"physicalLocation": true}', null, null),
  (55, 'East Nashville Guitar Clinic', 26, 'nashville', '1012 Gallatin Ave', 'u', 'published', null, null,
    'Lessons, repairs and a backline to borrow for your first show.',
    '{"physicalLocation": true}', null, null),
  (56, 'Peach State Trans Support', 14, 'atlanta', '1530 DeKalb Ave NE', 'u', 'published', null, null,
    'Peer groups, a clothing closet and rides to appointments.',
    '{"queer_programming": true, "mission_statement": true, "nonprofit": true, "bipocOwned": true}', null, null),
  (57, 'Little Five Records', 13, 'atlanta', '1154 Euclid Ave NE', 'u', 'published', null, null,
    'New pressings, dusty finds and a listening booth with a door.',
    '{"physicalLocation": true}', null, null),
  (58, 'Bywater Brass Catering', 21, 'neworleans', '3218 Dauphine St', 'u', 'published', null, null,
    'Red beans, brass bands, second lines for all occasions.',
    '{"bipocOwned": true}', null, null),
  (59, 'Eastside Hill Country Tours', 16, 'austin', '1900 E Cesar Chavez St', 'u', 'published', null, null,
    'Swimming holes and small towns, in a van with a good playlist.',
    '{"outdoor": true}', null, null),
  (60, 'Rainbow Crescent Gathering', 15, 'austin', '2200 E 6th St', 'u', 'published', null, null,
    'An inclusive Muslim community: prayer, tea and homework help.',
    '{"nonprofit": true, "bipocOwned": true}', null, null),
  (61, 'Bull City Bread', 4, 'durham', '605 W Main St', 'u', 'published', null, null,
    'Biscuits, strong coffee, and a board of jobs and rooms to let.',
    '{"physicalLocation": true, "gender_neutral_bathrooms": true}', null, null),
  (62, 'Carytown Costume House', 13, 'richmond', '3100 W Cary St', 'u', 'published', null, null,
    'Binders, breast forms, ball gowns and advice given kindly.',
    '{"physicalLocation": true}', null, null),
  (63, 'Passyunk Print & Copy', 27, 'philadelphia', '1820 E Passyunk Ave', 'u', 'published', null, null,
    'Flyers by five o’clock, at a discount for mutual aid.',
    '{"physicalLocation": true}', null, null),
  (64, 'Bed-Stuy Community Fridge Friends', 14, 'brooklyn', '512 Tompkins Ave', 'u', 'published', null, null,
    'Queer neighbors who keep four fridges full, every day of the year.',
    '{"queer_programming": true, "mission_statement": true, "nonprofit": true, "bipocOwned": true}', null, null),
  (65, 'Fulton Street Barber & Co.', 6, 'brooklyn', '1480 Fulton St', 'u', 'published', null, null,
    'Fades, twists and first haircuts after coming out.',
    '{"bipocOwned": true, "physicalLocation": true}', null, null),
  (66, 'Chelsea Reading Room', 11, 'newyork', '210 W 18th St', 'x', 'published', null, null,
    'An archive of queer small presses that you may actually touch.',
    '{"nonprofit": true, "physicalLocation": true}', null, null),
  (67, 'Pioneer Valley Parents', 14, 'northampton', '25 Main St', 'u', 'published', null, null,
    'Playgroups and camping weekends for queer families.',
    '{"queer_programming": true, "mission_statement": true, "nonprofit": true}', null, null),
  (68, 'Green Mountain Goat Dairy', 31, 'burlington', '77 Pine St', 'u', 'published', null, null,
    'Cheese, soap and goat visits on Sundays.',
    '{"outdoor": true, "wholesale": true}', null, null),
  (69, 'Hale Ānuenue Surf Lessons', 8, 'honolulu', '3045 Monsarrat Ave', 'u', 'published', null, null,
    'Gentle waves and small groups, for bodies of all kinds.',
    '{"outdoor": true, "bipocOwned": true}', null, null),
  (70, 'Church Street Optical', 5, 'toronto', '475 Church St', 'u', 'published', null, null,
    'Frames without a men’s and a women’s wall.',
    '{"physicalLocation": true}', null, null),
  (71, 'Commercial Drive Cobblers', 24, 'vancouver', '1728 Commercial Dr', 'u', 'published', null, null,
    'Shoes mended and pumps in every size up to 15.',
    '{"physicalLocation": true}', null, null),
  (72, 'Librairie du Village', 10, 'montreal', '1318 Rue Sainte-Catherine E', 'u', 'published', null, null,
    'Livres queers en français et en anglais, lectures le jeudi soir.',
    '{"physicalLocation": true}', null, null),
  (73, 'Echo Park Plant Clinic', 22, 'losangeles', '1547 Echo Park Ave', 'u', 'pending-update', null, null,
    'House calls for houseplants, repotting parties, and cuttings for free.',
    '{}', '{"phone": "+1 213-555-0144"}', null),
  (74, 'Rose City Roller Derby School', 8, 'portland', '7001 N Interstate Ave', 'u', 'pending-update', null, null,
    'Learn to fall, then learn to fly. Loaner skates in every size, now with a juniors class.',
    '{}', '{"description": "Learn to fall, then learn to fly. Loaner skates in every size."}', null),
  (75, 'Harbor Lights Recovery Meetings', 14, 'seattle', '509 10th Ave E', 'x', 'pending-update', null, null,
    'Open meetings every evening. Coffee, cake, no last names.',
    '{"queer_programming": true, "mission_statement": true, "nonprofit": true}', '{"rawaddress": "1122 E Pike St, Seattle, WA", "address": "1122 E Pike St, Seattle, WA 98122, United States"}', null),
  (76, 'Thistle & Twine Upholstery', 24, 'durham', '331 W Geer St', 'u', 'new', 12, null,
    'Grandmother’s armchair, made new. Fabric remnants by the pound.',
    '{}', null, null),
  (77, 'Glitter Compost', 31, 'oakland', null, 'x', 'new', 11, null,
    'Curbside compost pick-up by bicycle. Yes, the glitter is biodegradable.',
    '{}', null, null),
  (78, 'Night Owl Notary', 18, null, null, 'u', 'new', 8, null,
    'Notary by video until midnight, because some papers cannot wait.',
    '{"online": true}', null, null),
  (79, 'Velvet Antler Taxidermy & Oddities', 13, 'denver', '3460 Brighton Blvd', 'x', 'new', 4, null,
    'Ethically sourced curiosities and very patient explanations.',
    '{}', null, null),
  (80, 'Kitchen Table Coding', 28, null, null, 'x', 'new', 3, null,
    'Evening classes in web development for people changing careers, over video.',
    '{"online": true}', null, null),
  (81, 'Mosaic Mosque Tours', 16, 'detroit', '12 E Adams Ave', 'u', 'new', 0, null,
    'Architecture walks that end with mint tea.',
    '{"bipocOwned": true}', null, null),
  (82, 'Bear Hug Bedding', 12, 'columbus', '45 E Lincoln St', 'u', 'flagged', 25, null,
    'Weighted blankets sewn to order in flannel.',
    '{"online_categories": [53], "online": true}', null, null),
  (83, 'Last Call Lounge', 3, 'newyork', '88 W 10th St', 'u', 'archived', 420, null,
    'Closed after thirty-one years. Thank you for every song.',
    '{}', null, null),
  (84, 'The Velvet Rope Spa', 9, 'losangeles', '900 N La Brea Ave', 'x', 'flagged', 15, null,
    'Sauna, steam and robes in all sizes.',
    '{}', null, null);

insert into public.places (id, name, category, online_categories, licensed_locations, public_email, phone, rawaddress,
  address, city, state, country, postalcode, lat, long, mailingaddress, description, url, instagram, facebook, linkedin,
  online, "physicalLocation", "bipocOwned", outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale,
  queer_programming, mission_statement, certified_queer, third_party_auth, status, owner, owner_email, premium,
  premium_created_at, subscription_status, proxi_id, last_update, changes_requested, hidden, archive_requested,
  created_at, modified_at)
overriding system value
select d.n, d.name, d.category, coalesce(m.online_categories, '{}'), coalesce(m.licensed_locations, '{}'),
  case when d.n % 4 <> 3 then 'hello@' || s.slug || '.example' end,
  case when d.n % 3 <> 1 then '+1 ' || (200 + d.n * 7) || '-555-01' || lpad(d.n::text, 2, '0') end,
  coalesce(d.street || ', ' || c.city || ', ' || c.state, 'Online'),
  d.street || ', ' || c.city || ', ' || c.state || ' ' || c.postalcode || ', ' || c.country,
  c.city, c.state, c.country, c.postalcode,
  -- A few streets apart, so that no two pins lie on one another.
  round((c.lat + (d.n % 7 - 3) * 0.006)::numeric, 3), round((c.long + (d.n % 5 - 2) * 0.008)::numeric, 3),
  case when d.who in ('s', 'r') then d.street || ', ' || c.city || ', ' || c.state || ' ' || c.postalcode end,
  d.description, m.url, m.instagram, m.facebook, m.linkedin,
  coalesce(m.online, false), coalesce(m."physicalLocation", false), coalesce(m."bipocOwned", false),
  coalesce(m.outdoor, false), coalesce(m.nonprofit, false), coalesce(m.gender_neutral_bathrooms, false),
  coalesce(m.masks_required, false), coalesce(m.wholesale, false), coalesce(m.queer_programming, false),
  coalesce(m.mission_statement, false), true, true, d.status,
  case d.who when 's' then (select id from demo_person where n = 1) when 'r' then (select id from demo_person where n = 2) end,
  case lower(d.who) when 's' then 'owner@demo.test' when 'r' then 'rosa@demo.test' when 'u' then 'owner@' || s.slug || '.example' end,
  d.featured is not null, date_trunc('second', now()) - make_interval(days => d.featured), 
  -- The cider's card has run out.
  case when d.n = 22 then 'past_due' when d.featured is not null then 'active' end,
  case when d.status in ('published', 'pending-update') then 'map-' || (1000 + d.n * 37) end,
  coalesce(d.previous, '{}'), d.changes_requested,
  -- The massage is on holiday, and the movers want to go.
  d.n = 7, d.n = 23,
  least(now() - make_interval(days => 30 + (d.n * 53) % 700), now() - make_interval(days => 1 + coalesce(d.age, 0) * 2)),
  now() - make_interval(days => coalesce(d.age, 1 + (d.n * 11) % 28), hours => d.n % 20)
from demo_listing d
left join demo_city c on c.key = d.city
cross join lateral (select trim(both '-' from regexp_replace(lower(
  translate(d.name, 'ñéèÀĀāÉ’', 'neeaaae')), '[^a-z0-9]+', '-', 'g')) as slug) s
cross join lateral jsonb_populate_record(null::public.places, d.more) m
order by d.n;
select setval(pg_get_serial_sequence('public.places', 'id'), (select max(n) from demo_listing));

-- Sam has begun another one.
insert into public.listing_drafts (id, owner, fields)
select '5eed0000-0000-4000-9000-000000000001', id, '{"name": "Riverbend Reading Room", "category": "10", "description": "A quiet room above the shop, for members and their homework."}'
from demo_person where n = 1;

-- ------------------------------------------------------------ favorites, views, and nearby

insert into public.favorites (user_id, place_id, created_at)
select p.id, l.n, greatest(p.joined, now() - make_interval(days => mix % 400))
from demo_person p
join demo_city home on home.key = p.city
cross join demo_listing l
left join demo_city c on c.key = l.city
cross join lateral (select (('x' || substr(md5('likes ' || p.n || ' ' || l.n), 1, 7))::bit(28)::integer) as mix) m
where not p.business_owner and l.status in ('published', 'pending-update')
  -- People like what is near them, and what is featured.
  and mix % 100 < case when c.key = home.key then 22 when c.state = home.state then 8 else 2 end
    + case when l.featured is not null then 6 else 0 end;

-- Twelve weeks of views, more of them lately, more on Saturdays, more where it is featured.
insert into public.place_views (place_id, hour, visitor)
select l.n, date_trunc('hour', now(), 'UTC') - make_interval(days => day, hours => view * 5 % 14),
  encode(sha256(convert_to(concat_ws(' ', 'demo', l.n, day, view), 'UTF8')), 'hex')
from demo_listing l
cross join generate_series(0, 83) day
cross join lateral (select (('x' || substr(md5('day ' || l.n || ' ' || day), 1, 7))::bit(28)::integer) as mix) m
cross join lateral generate_series(1, case
    when l.featured is not null then 3 + (83 - day) / 14 + mix % 4 + case when (day + 3) % 7 = 0 then 4 else 0 end
    when l.who in ('s', 'r', 'S') then mix % 3
    else (mix % 5) / 4
  end) view
where l.status in ('published', 'pending-update');

-- ------------------------------------------------------------------------------------ jobs

insert into public.jobs (title, category, description, pay_range, url, location, city, queer_owned, ally_owned,
  ally_safety, remote, full_time, part_time, contract, place_id, company_name, company_bio, owner, owner_email,
  published, paid, expiration_date, filled_at, created_at, modified_at)
select j.title, j.category, j.description, j.pay_range, j.url,
  array[case c.state when 'OR' then 'Oregon' when 'WA' then 'Washington' when 'NM' then 'New Mexico' when 'IL' then 'Illinois' end], c.city, j.company is null, j.company is not null,
  case when j.company is not null then 'Names and pronouns are respected in our schedules and records, and our benefits cover gender-affirming care.' end,
  j.kind = 'remote', j.kind in ('full', 'remote'), j.kind = 'part', j.kind = 'contract', j.place_id, j.company,
  case when j.company is not null then 'A team of twelve that has been in the neighborhood since 2009.' end,
  p.id, coalesce(p.email, j.address), j.published, j.paid, now() + make_interval(days => j.days_left),
  case when j.filled then now() - interval '3 days' end,
  now() - make_interval(days => j.posted), now() - make_interval(days => j.posted / 2)
from (values
  (1, 1, 'Bookseller', 93, 'Run the front desk four days a week, choose half a shelf, and host story hour now and then.', '$21–24 an hour', 'https://riverbend-books.example/jobs', 'portland', 'full', 1, null, null, true, true, 33, false, 12),
  (2, 1, 'Morning baker', 85, 'Shaping and oven work from four to noon. We teach; you bring patience.', '$23 an hour', null, 'portland', 'full', 2, null, null, true, true, 9, false, 36),
  (3, 1, 'Line cook', 85, 'Two services, one menu, no shouting.', '$24–27 an hour plus tips', null, 'portland', 'part', 3, null, null, false, true, 21, false, 24),
  (4, 1, 'Therapist, associate level', 90, 'A caseload of eighteen, weekly supervision, and letters written without gatekeeping.', '$72,000–80,000', 'https://opengate.example/join', 'seattle', 'remote', 11, null, null, false, false, null, false, 1),
  (5, 1, 'Bike mechanic', 95, 'Builds, tune-ups and the Sunday workbench.', '$22–26 an hour', null, 'portland', 'full', 5, null, null, true, true, -6, false, 51),
  (6, 1, 'Holiday letterpress help', 95, 'Eight weeks of ink, paper and good music.', '$20 an hour', null, 'portland', 'contract', 10, null, null, false, true, -30, false, 75),
  (7, 1, 'Stylist, chair rental', 92, 'A chair by the window, towels included.', null, null, 'portland', 'contract', 6, null, null, true, true, 15, true, 30),
  (8, 2, 'Host and server', 85, 'Evenings on the patio, Sundays with the queens.', '$16 an hour plus tips', 'https://pinon-table.example/work', 'albuquerque', 'part', 31, null, null, true, true, 41, false, 4),
  (9, 2, 'Prep cook', 85, 'Chile roasting in the fall, tamales in the winter.', '$18–20 an hour', null, 'albuquerque', 'full', 31, null, null, false, false, null, false, 0),
  (10, null, 'Program coordinator', 91, 'Keep a calendar of thirty groups and a closet of a thousand coats.', '$54,000', null, 'chicago', 'full', null, 'Lakeview Neighbors', 'jobs@lakeview-neighbors.example', true, true, 27, false, 18),
  (11, null, 'Front desk, veterinary clinic', 82, 'Calm voices for worried people and their animals.', '$19 an hour', null, 'chicago', 'part', null, 'Ravenswood Vets', 'hiring@ravenswood-vets.example', false, false, null, false, 7)
) j (n, person, title, category, description, pay_range, url, city, kind, place_id, company, address, published, paid, days_left, filled, posted)
join demo_city c on c.key = j.city
left join demo_person p on p.n = j.person
order by j.n;

-- ---------------------------------------------------------------------------- sponsorships

-- One newsletter is full, the next nearly; some were paid for in the past, one waits for payment.
create temporary table demo_newsletter as
  select row_number() over (order by d) as n, d::date as day
  from generate_series(private.today() - 60, private.today() + 60, interval '1 day') d
  where private.is_newsletter_day(d::date);
create function pg_temp.newsletter(ahead integer) returns date language sql as $$
  select day from demo_newsletter
  where n = (select max(n) from demo_newsletter where day <= private.today()) + ahead
$$;

insert into public.sponsorships (place_id, promo_text, link, location, photo_location, rate, sponsorship_dates, owner, created_at, modified_at)
select s.place_id, s.promo_text, l.url, l.city, null, s.rate,
  (select array_agg(pg_temp.newsletter(a) order by a) from unnest(s.ahead) a), p.id,
  now() - make_interval(days => s.age), now() - make_interval(days => s.age)
from (values
  (1, 1, 1, 'Tea, books and a wall of queer fiction on SE Division. Mention the newsletter and the first pot is on us.', 45.00, array[-8, -6], 40),
  (2, 1, 2, 'Cardamom buns before sunrise. Come hungry, leave with a loaf.', 60.00, array[1, 2, 4], 12),
  (3, 1, 3, 'One long table, and a chair on it is yours. Book the supper club for the holidays.', 45.00, array[2], 6),
  (4, 1, 10, 'Cards for the families we choose, printed one by one.', 30.00, array[3, 5], 1),
  (5, 2, 31, 'Red, green or both? Drag brunch every Sunday on the patio in Nob Hill.', 45.00, array[2, 6], 9)
) s (n, person, place_id, promo_text, rate, ahead, age)
join public.places l on l.id = s.place_id
join demo_person p on p.n = s.person
order by s.n;
insert into public.sponsorships (place_id, promo_text, link, rate, sponsorship_dates, created_at, modified_at)
select l.n, left(l.description, 300), null, 45, array[pg_temp.newsletter(2)] || case when l.n < 42 then array[pg_temp.newsletter(3)] else '{}'::date[] end,
  now() - make_interval(days => 20 - l.n / 4), now() - make_interval(days => 20 - l.n / 4)
from demo_listing l where l.n between 34 and 40 order by l.n;

do $$
declare
  order_id bigint;
begin
  -- All but Sam's cards are paid for, through the same door as a real payment.
  for order_id in select id from public.sponsorships where place_id <> 10 order by id loop
    perform private.reserve_spots(order_id, true);
    update public.sponsorships set paid = true where id = order_id;
  end loop;
end $$;

insert into public.orders (kind, owner, job_id, days, unit_price_cents, status, amount_paid_cents, paid_at, created_at, item_name,
  stripe_checkout_session_id, stripe_payment_intent_id)
select 'job', owner, id, 45, 500, case when paid then 'paid' else 'open' end, case when paid then 500 end,
  case when paid then created_at end, created_at, title,
  case when paid then 'cs_demo_job_' || id end, case when paid then 'pi_demo_job_' || id end
from public.jobs where owner is not null;
insert into public.orders (kind, owner, sponsorship_id, quantity, unit_price_cents, status, amount_paid_cents, paid_at, created_at,
  item_name, item_dates, stripe_checkout_session_id, stripe_payment_intent_id)
select 'sponsorship', s.owner, s.id, cardinality(s.sponsorship_dates), s.rate * 100, case when s.paid then 'paid' else 'open' end,
  case when s.paid then s.order_total * 100 end, case when s.paid then s.created_at end, s.created_at, l.name, s.sponsorship_dates,
  case when s.paid then 'cs_demo_newsletter_' || s.id end, case when s.paid then 'pi_demo_newsletter_' || s.id end
from public.sponsorships s join public.places l on l.id = s.place_id where s.owner is not null;
insert into public.orders (kind, owner, place_id, plan, unit_price_cents, status, amount_paid_cents, paid_at, created_at, item_name)
select 'upgrade', owner, id, plan, cents, 'paid', cents, premium_created_at, premium_created_at, name
from public.places cross join lateral (select case when "bipocOwned" then 'monthly_bipoc' when id % 2 = 0 then 'six_months' else 'twelve_months' end as plan) p
cross join lateral (select case plan when 'monthly_bipoc' then 2900 when 'six_months' then 21600 else 40800 end as cents) c
where premium;

-- What pays for them, by the names under which the local stand-in for Stripe knows it, too.
update public.profiles p set stripe_customer_id = 'cus_demo_' || d.n
from demo_person d where d.id = p.id and exists (select from public.places l where l.owner = p.id and l.premium);
update public.orders o set stripe_customer_id = p.stripe_customer_id,
  stripe_subscription_id = case when o.kind = 'upgrade' then 'sub_demo_' || o.place_id end
from public.profiles p where p.id = o.owner and o.status = 'paid';
insert into public.subscriptions (id, place_id, order_id, owner, stripe_customer_id, status, started_at)
select o.stripe_subscription_id, o.place_id, o.id, o.owner, o.stripe_customer_id, l.subscription_status, l.premium_created_at
from public.orders o join public.places l on l.id = o.place_id where o.kind = 'upgrade';
update public.places l set stripe_cus_id = s.stripe_customer_id, stripe_subscription_id = s.id
from public.subscriptions s where s.place_id = l.id;

-- -------------------------------------------------------------- leads, feedback and reports

insert into public.leads (place_id, requester, requester_name, requester_email, message, state, notes, created_at)
select l.place_id, p.id, p.full_name, p.email, l.message, l.state, l.notes, now() - make_interval(days => l.age, hours => l.place_id)
from (values
  (1, 21, 'Do you host book clubs in the evening? We are nine people and read slowly.', 'new', null, 0),
  (1, 64, 'Would you order a Spanish edition for me? I can pay ahead.', 'replied', 'Ordered, arrives next week.', 6),
  (1, 90, 'My partner and I would love to hold a very small wedding between your shelves in spring. Is that something you do?', 'new', null, 1),
  (2, 33, 'Can you make a gluten-free birthday cake for Saturday? It says “Happy new name, Robin”.', 'replied', null, 11),
  (2, 47, 'Do you sell starter?', 'new', null, 3),
  (3, 118, 'Eight of us for the solstice, two vegan and one allergic to nuts.', 'new', null, 2),
  (6, 72, 'First haircut since I came out. Could I come on one of the quiet Mondays?', 'replied', 'Booked with Ari.', 15),
  (8, 26, 'Bouquets for two brides and three bridesmen, end of June.', 'new', null, 4),
  (11, 155, 'Is there space for a teenager? They would like to meet on video first.', 'new', null, 1),
  (14, 131, 'I have a scar I would like to turn into ferns. How long is your waiting list?', 'replied', null, 22),
  (16, 140, 'GUARANTEED FIRST PAGE RANKING for your inn, reply now', 'spam', null, 30),
  (31, 12, 'Birthday brunch for fourteen on the patio, one wheelchair. Possible?', 'new', null, 1),
  (31, 99, 'Do you ship the red chile?', 'replied', 'Yes, twice a month.', 18),
  (31, 160, 'We are new in town and looking for a place to hold our potluck.', 'new', null, 5)
) l (place_id, person, message, state, notes, age)
join demo_person p on p.n = l.person;

insert into public.feedback (userid, feedback, os, archived, created_at)
select p.id, f.feedback, f.os, f.archived, now() - make_interval(days => f.age, hours => coalesce(f.person, 5))
from (values
  (18, 'The map found a dentist who uses my name. I cried a little in the parking lot. Thank you.', 'iOS 4.12.0', false, 1),
  (29, 'Filter by “open now”, please!', 'Android 4.12.0', false, 2),
  (36, 'Text gets cut off with the largest font size on the listing page.', 'iOS 4.11.2', false, 4),
  (51, 'Could favorites be sorted by distance?', 'Android 4.11.2', false, 6),
  (null, 'The app crashed when I turned on airplane mode in the middle of a search.', 'Android 4.10.0', false, 9),
  (73, 'Please add a way to hide the app icon’s name. I share a tablet with my family.', 'Android 4.12.0', false, 10),
  (88, 'A few pins near Toronto sit in the lake.', 'iOS 4.12.0', false, 13),
  (101, 'Found three friends and a barber in my first week here.', 'iOS 4.11.2', true, 20),
  (120, 'Login email took ten minutes to arrive.', 'Android 4.9.1', true, 34),
  (134, 'Dark mode, finally. Lovely.', 'iOS 4.9.0', true, 55),
  (147, 'More places in small towns please. I know it is hard.', 'Android 4.9.1', true, 61),
  (166, 'VoiceOver reads the category icons as “image”.', 'iOS 4.9.0', true, 80)
) f (person, feedback, os, archived, age)
left join demo_person p on p.n = f.person;

insert into public.events (event_name, place, data, user_id, state, note, created_at)
select 'report_listing', e.place, jsonb_build_object('reason', e.reason, 'info', e.info), p.id, e.state, e.note,
  now() - make_interval(days => e.age, hours => e.person % 12)
from (values
  (29, 24, 'Permanently closed', 'Paper over the windows and the phone is disconnected.', 'open', null, 2),
  (65, 39, 'Wrong information', 'The address is a parking lot now.', 'open', null, 3),
  (82, 55, 'Not queer-owned', 'It changed hands in spring, as far as I know.', 'open', null, 5),
  (50, 61, 'Wrong information', 'Opening hours are out of date.', 'open', null, 8),
  (1, 83, 'Something else', 'The wheelchair ramp is at the side door. Please mention it!', 'open', null, 10),
  (38, 97, 'Wrong information', 'The website goes to another shop.', 'resolved', 'The owner sent the new address.', 24),
  (14, 109, 'Not welcoming', 'I felt rushed.', 'dismissed', 'Talked with both; a misunderstanding.', 40),
  (83, 126, 'Permanently closed', 'Their goodbye party was beautiful.', 'resolved', 'Archived.', 410)
) e (place, person, reason, info, state, note, age)
join demo_person p on p.n = e.person;

-- --------------------------------------------------------------- what was decided before today

-- What this file added came when its rows say, and not all at once.
alter table public.audit_log disable trigger t1_append_only;
update public.audit_log a set at = case when p.status = 'published' then p.created_at else p.modified_at end
  from public.places p where a.subject = 'places' and a.subject_id = p.id::text;
update public.audit_log a set at = j.created_at from public.jobs j where a.subject = 'jobs' and a.subject_id = j.id::text;
update public.audit_log a set at = o.created_at from public.orders o where a.subject = 'orders' and a.subject_id = o.id::text;
update public.audit_log a set at = s.created_at from public.sponsorships s where a.subject = 'sponsorships' and a.subject_id = s.id::text;
alter table public.audit_log enable trigger t1_append_only;

-- Four weeks of updates, each approved within two days.
insert into public.audit_log (at, actor, actor_role, action, subject, subject_id, before, after)
select d.at, case when d.action = 'update' then l.owner else a.id end,
  case when d.action = 'update' and l.owner is null then 'system' else 'authenticated' end, d.action, 'places', l.id::text,
  jsonb_build_object('status', d.before), jsonb_build_object('status', d.after)
from public.places l
join demo_listing n on n.n = l.id
cross join lateral (select now() - make_interval(days => 2 + n.n * 11 % 26, hours => n.n * 5 % 17) as came) t
cross join lateral (values
  (t.came, 'update', 'published', 'pending-update'),
  (t.came + make_interval(hours => 6 + n.n * 7 % 36), 'approve', 'pending-update', 'published')
) d (at, action, before, after)
join public.profiles a on a.email = 'admin@demo.test'
where l.status = 'published' and n.n % 3 <> 0
order by d.at, l.id;

drop table demo_listing, demo_person, demo_city, demo_newsletter;
drop function pg_temp.newsletter(integer);

-- No one gets an email about what this file did.
delete from private.email_queue;
