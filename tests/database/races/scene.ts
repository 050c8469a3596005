/** A small directory in which everyone acts at once: few people, listings, and newsletters, so that they meet often. */
import { randomUUID } from "node:crypto";

import { createUser, startMigratedPostgres } from "../support/real-postgres";

import { startStripe } from "./stripe-facts";

interface Person {
  id: string;
  email: string;
}
export type Scene = Awaited<ReturnType<typeof startScene>>;

export async function startScene() {
  const { sql } = await startMigratedPostgres();
  // Deadlocks end soon, so that the next operations begin.
  await sql.unsafe(
    "do $$ begin execute format('alter database %I set deadlock_timeout = ''50ms''', current_database()); end $$",
  );
  const addPerson = async (name: string): Promise<Person> => {
    const person = { id: randomUUID(), email: `${name}@example.test` };
    await createUser(sql, person.id, person.email);
    return person;
  };
  const people = await Promise.all(["ada", "ben", "cleo", "dana", "eli"].map(addPerson));
  const admins = await Promise.all(["kai", "lou"].map(addPerson));
  await sql`update public.profiles set admin = true where id = any (${admins.map(({ id }) => id)})`;
  const owners = people.slice(0, 3);
  const added = await sql`
    insert into public.places (name, category, status, state, description, rawaddress, third_party_auth,
      certified_queer, owner, owner_email)
    select 'Café ' || o.email, 4, 'published', 'NM', 'Bread', '1 Main', true, true, o.id, o.email
    from unnest(${owners.map(({ id }) => id)}::uuid[], ${owners.map(({ email }) => email)}::text[]) o (id, email)
    returning id`;
  const dates = await sql`
    select weekday_date::text as day from public.get_available_sponsorship_dates() offset 3 limit 4`;
  return {
    sql,
    people,
    admins,
    listings: added.map((row) => Number(row["id"])),
    newsletters: dates.map((row) => String(row["day"])),
    invitations: [] as { id: string; token: string }[],
    stripe: startStripe(sql),
  };
}
