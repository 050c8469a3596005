/** What the app reads from an error of Postgres, as PostgREST passes it on. */
import { expect, it } from "vitest";

import { DataError, unwrap } from "~/integrations/supabase/data.server";

interface PostgrestError {
  code: string;
  message: string;
  details?: string | null;
}

function failWith(error: PostgrestError, status = 400): DataError {
  try {
    unwrap({ data: null, error, status });
  } catch (thrown) {
    if (thrown instanceof DataError) return thrown;
  }
  throw new Error("unwrap() did not throw a DataError.");
}

it("reads the code that our SQL raises, and the column it names", () => {
  expect(failWith({ code: "P0001", message: "dates_gone", details: "dates" })).toMatchObject({
    failure: "refused",
    reason: "dates_gone",
    column: "dates",
    constraint: null,
  });
  expect(failWith({ code: "P0001", message: "dates_gone", details: null })).toMatchObject({
    reason: "dates_gone",
    column: null,
  });
});

it("takes neither a sentence nor another error's message for a code", () => {
  expect(failWith({ code: "P0001", message: "Please choose other dates." }).reason).toBeNull();
  expect(failWith({ code: "42501", message: "denied" }).reason).toBeNull();
  expect(failWith({ code: "22000", message: "dates_gone", details: "dates" })).toMatchObject({
    reason: null,
    column: null,
  });
});

it.each([
  [
    "23505",
    "conflict",
    'duplicate key value violates unique constraint "places_submission"',
    "places_submission",
  ],
  [
    "23503",
    "refused",
    'insert or update on table "places" violates foreign key constraint "places_owner_fkey"',
    "places_owner_fkey",
  ],
  [
    "23503",
    "refused",
    'update or delete on table "users" violates foreign key constraint "jobs_owner_fkey" on table "jobs"',
    "jobs_owner_fkey",
  ],
  [
    "23514",
    "refused",
    'new row for relation "places" violates check constraint "places_name_check"',
    "places_name_check",
  ],
])("reads the constraint in the message of a %s: %s", (code, failure, message, constraint) => {
  expect(failWith({ code, message })).toMatchObject({ failure, constraint, reason: null });
});

it("reads no constraint from the text of another error", () => {
  const message = 'Somebody wrote: violates check constraint "places_name_check"';
  expect(failWith({ code: "P0001", message }).constraint).toBeNull();
});

it("takes a database that accepts no changes, as one with a full disk, for an outage", () => {
  const message = "cannot execute UPDATE in a read-only transaction";
  expect(failWith({ code: "25006", message }, 405).failure).toBe("unavailable");
});
