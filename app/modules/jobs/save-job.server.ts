import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import type { PickedUser } from "~/modules/accounts/user-picker.server";

import type { EditableJob } from "./job.server";
import type { JobValues } from "./schema.server";

/** The columns a form fills in; without the tokens that only say which form it was. */
const columnsOf = ({ submission_id: _submission, version: _version, ...columns }: JobValues) =>
  columns;

/** Whose an admin's choice makes a job. Their address goes along: it is shown when the account is no more. */
async function ownerColumns(
  db: Db,
  choice: PickedUser,
  current: { owner: string | null },
): Promise<{ owner?: string | null; owner_email?: string | null }> {
  if (choice.kind === "unchanged") return {};
  if (choice.kind === "nobody")
    return current.owner === null ? {} : { owner: null, owner_email: null };
  if (choice.id === current.owner) return {};
  const rows = unwrap(await db.from("profiles").select("email").eq("id", choice.id));
  return { owner: choice.id, owner_email: rows[0]?.email ?? null };
}

/** A job that was saved. */
export interface SavedJob {
  id: number;
  paid: boolean;
}

/**
 * Adds a job for the person; the database makes it unpaid and unpublished. The same form sent twice makes one job.
 * Sent again with something mended, as after going back from the payment, it mends that job; a form in which both title
 * and description are others is another job.
 * @throws DataError
 */
export async function addJob(
  db: Db,
  person: { id: string; email: string },
  values: JobValues,
): Promise<SavedJob> {
  const columns = columnsOf(values);
  const row = { ...columns, owner: person.id, owner_email: person.email };
  const { submission_id } = values;
  const answer = await db
    .from("jobs")
    .insert({ ...row, submission_id: submission_id ?? null })
    .select("id, paid")
    .single();
  if (answer.error?.code !== "23505" || !submission_id) return unwrap(answer);

  const [made] = unwrap(
    await db
      .from("jobs")
      .select("id, paid, title, description")
      .eq("submission_id", submission_id)
      .eq("owner", person.id),
  );
  if (!made || (made.title !== values.title && made.description !== values.description)) {
    return unwrap(await db.from("jobs").insert(row).select("id, paid").single());
  }
  unwrap(await db.from("jobs").update(columns).eq("id", made.id));
  return { id: made.id, paid: made.paid };
}

/**
 * Saves a job over the version its form showed. Sent again after its answer was lost, it is saved.
 * @param current the job as it is now
 * @param choice whose an admin makes it; for everybody else the database disregards it
 * @returns "stale" when somebody saved a newer version in between: nothing was changed
 * @throws DataError
 */
export async function saveJob(
  db: Db,
  current: EditableJob,
  values: JobValues,
  choice: PickedUser,
): Promise<"saved" | "stale"> {
  const columns = { ...columnsOf(values), ...(await ownerColumns(db, choice, current)) };
  const seen = values.version ?? current.version;
  const rows = unwrap(
    await db.from("jobs").update(columns).eq("id", current.id).eq("version", seen).select("id"),
  );
  return rows.length > 0 || holds(current, columns) ? "saved" : "stale";
}

/** Whether a job has these very values. */
function holds(job: EditableJob, columns: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(columns).every(
    ([name, value]) => JSON.stringify(job[name as keyof EditableJob]) === JSON.stringify(value),
  );
}

/** Rules that only the database can judge, by the field they are about. */
const RULES_OF_FIELDS: [sentence: RegExp, field: string][] = [
  [/^Please choose a job category/, "category"],
  [/^Please choose locations/, "location"],
  [/^Please choose one of your own listings/, "place_id"],
];

const FIELDS_OF_KEYS: [constraint: string, field: string, sentence: string][] = [
  ["jobs_category_fkey", "category", "Choose a category."],
  ["jobs_place_id_fkey", "place_id", "Choose your business, or “This business is not listed”."],
  ["jobs_owner_fkey", "owner", "There is no such person any more. Choose somebody else."],
];

/** Why the database refused a job, by field ("" for the form as a whole); null for any other failure. */
export function jobRefusal(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  const key = FIELDS_OF_KEYS.find(([constraint]) => error.message.includes(constraint));
  if (key) return { [key[1]]: [key[2]] };
  if (error.code !== "P0001")
    return { "": ["One of the values can’t be saved as it is. Please check the form."] };
  const field = RULES_OF_FIELDS.find(([sentence]) => sentence.test(error.message))?.[1] ?? "";
  return { [field]: [error.message] };
}
