import { HttpError } from "~/http/errors.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { JOBS_PARENT, NO_PERMISSION } from "~/modules/listings/rules";

import type { JobChoices } from "./fields";

const COLUMNS =
  "id, title, category, description, pay_range, url, location, city, queer_owned, ally_owned, ally_safety, remote, full_time, part_time, contract, place_id, company_name, company_bio, owner, owner_email, published, paid, expiration_date, filled_at, version";

/** The same answer for a job that is somebody else's and for one that does not exist. */
export function noSuchJob(): HttpError {
  return new HttpError(404, "We can’t open that job", NO_PERMISSION);
}

/**
 * A job for its form, with its owner and the listings it may be for: the person's own, or any for an admin; row level
 * security decides which. One call.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function jobToEdit(db: Db, id: number | null) {
  if (id === null) throw noSuchJob();
  const answer = await db
    .from("jobs")
    .select(
      `${COLUMNS}, place:places(id, name), person:profiles(id, full_name, listings:places!places_owner_fkey(id, name, status))`,
    )
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) throw noSuchJob();
  const { place, person, ...job } = answer.data;
  const listings = (person?.listings ?? [])
    .filter(({ id, status }) => status !== "archived" || id === place?.id)
    .sort((a, b) => a.name.localeCompare(b.name));
  return {
    ...job,
    person: person && { id: person.id, name: person.full_name },
    // The listing may be somebody else's by now, and stays chosen all the same.
    listings: (place && !listings.some(({ id }) => id === place.id)
      ? [place, ...listings]
      : listings
    ).map(({ id, name }) => ({ id, name })),
  };
}

export type EditableJob = Awaited<ReturnType<typeof jobToEdit>>;

/** The categories a job can have: the children of 40, by name. */
export async function jobCategories(db: Db): Promise<JobChoices["categories"]> {
  return unwrap(
    await db.from("categories").select("id, name").eq("parent_category", JOBS_PARENT).order("name"),
  );
}

/** The listings that somebody may post a job for: their own, by name. */
export async function listingsOf(db: Db, ownerId: string): Promise<JobChoices["listings"]> {
  return unwrap(
    await db
      .from("places")
      .select("id, name")
      .eq("owner", ownerId)
      .neq("status", "archived")
      .order("name"),
  );
}

/**
 * A job that a new one is to be like; null when there is none that the person may see. What it cost, when it ends and
 * whether it is published do not go along.
 */
export async function jobToCopy(db: Db, id: number | null) {
  if (id === null) return null;
  const [job] = unwrap(await db.from("jobs").select(COLUMNS).eq("id", id));
  return job ?? null;
}
