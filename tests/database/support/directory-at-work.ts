/** A directory on a real Postgres with an owner and two admins, for what happens when they all act at once. */
import { randomUUID } from "node:crypto";
import { beforeAll } from "vitest";

import { createUser, startMigratedPostgres } from "./real-postgres";

/** Starts it; call it once a file, at its top level. `places` adds listings of the owner's, and gives their ids. */
export async function startDirectory() {
  const { sql } = await startMigratedPostgres();
  const owner = { id: randomUUID() };
  const admin = { id: randomUUID() };
  const second = { id: randomUUID() };

  beforeAll(async () => {
    await createUser(sql, owner.id, "owner@example.test");
    await createUser(sql, admin.id, "admin@example.test");
    await createUser(sql, second.id, "second@example.test");
    await sql`update public.profiles set admin = true where id in (${admin.id}, ${second.id})`;
  });

  async function places(count: number, status: string): Promise<number[]> {
    const rows = await sql`
      insert into public.places (name, category, status, state, owner, owner_email)
      select 'Café ' || n, 4, ${status}, 'NM', ${owner.id}::uuid, 'owner@example.test' from generate_series(1, ${count}::int) n returning id`;
    return rows.map((row) => Number(row.id));
  }

  return { sql, owner, admin, second, places };
}
