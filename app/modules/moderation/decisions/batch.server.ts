import { createHmac } from "node:crypto";

import { z } from "zod";

import { env } from "~/env.server";
import { toUuid } from "~/http/form-id.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { getCategoryOptions, type CategoryOptions } from "~/modules/listings/listing.server";
import { formatPlace } from "~/modules/listings/rules";

import type { ListingsFilter } from "../queue/filter";
import { columnChangeSchema } from "../queue/listings.server";
import { summarizeChanges, type RowChange } from "../queue/row-changes.server";
import { explainDecisionCode } from "./outcome-texts";
import { DECISIONS, type Decision } from "./rules";

/**
 * Decision batches: the listings that an admin selected for one decision, in the version that the
 * admin saw. A batch is created, previewed, decided on, and can be undone for ten minutes.
 */

/** A listing as a form sent it. It may be any text, since the database answers for each row. */
export type SelectedListing = { id: string; version: string };

/** How many rows a page of a batch shows. */
export const BATCH_PAGE_ROWS = 100;

const outcomeSchema = z.enum(["done", "refused", "stale", "missing", "undone", "unchanged"]);

/** Codes of the database, as the sentences that explain them. */
const codesSchema = z
  .array(z.string())
  .nullable()
  .transform((codes) => codes && codes.map(explainDecisionCode).join(" "));

/** The codes that a field of the listing's form can resolve. */
const MISSING_FIELDS = [
  { code: "no_owner_email", missing: "email" },
  { code: "no_proper_address", missing: "address" },
] as const;

/** One listing of a batch: what will happen to it, or what happened. */
const rowSchema = z
  .object({
    /** Null when what was sent is not the id of a listing; then `sent` says what it was. */
    id: z.number().nullable(),
    sent: z.string().nullable(),
    /** The version that was selected. */
    version: z.number().nullable(),
    name: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    status: z.string().nullable(),
    outcome: outcomeSchema.nullable(),
    reasons: z.array(z.string()).nullable(),
    warnings: codesSchema,
    decided: z.boolean(),
    /** What its edit changes, if the decision has not been made yet and will change the listing. */
    changes: z.array(columnChangeSchema).nullish(),
  })
  .transform(({ reasons, warnings, ...row }) => ({
    ...row,
    reason: reasons && reasons.map(explainDecisionCode).join(" "),
    /** What is missing before it can be approved. */
    missing: MISSING_FIELDS.find(({ code }) => reasons?.includes(code))?.missing ?? null,
    warning: warnings,
  }));
type DecidedRow = z.infer<typeof rowSchema>;

/** A listing of a batch as its page shows it. What it does not have is left out. */
export interface BatchRow {
  /** Of a listing that exists. */
  id?: number;
  version?: number;
  label: string;
  place?: string;
  outcome?: DecidedRow["outcome"];
  reason?: string;
  missing?: "email" | "address";
  warning?: string;
  changes?: RowChange[];
  more?: number;
}

function toBatchRow(row: DecidedRow, categories: CategoryOptions): BatchRow {
  const { id, version, name, sent, outcome, reason, missing, warning } = row;
  const place = formatPlace(row);
  const { changes, more } = summarizeChanges(row.changes ?? [], categories);
  return {
    label: name ?? (id === null ? `“${sent ?? ""}”` : `Listing ${id}`),
    ...(id === null || name === null ? {} : { id }),
    ...(version === null ? {} : { version }),
    ...(place === "" ? {} : { place }),
    ...(outcome === null ? {} : { outcome }),
    ...(reason === null ? {} : { reason }),
    ...(missing === null ? {} : { missing }),
    ...(warning === null ? {} : { warning }),
    ...(changes.length === 0 ? {} : { changes }),
    ...(more === 0 ? {} : { more }),
  };
}

const batchSchema = z.object({
  batch: z.string(),
  /** Null until a decision was made. */
  action: z.enum(DECISIONS).nullable(),
  reason: z.string().nullable(),
  /** The number of listings, and of those that are not decided on or not undone yet. */
  selected: z.number(),
  left: z.number(),
  left_to_undo: z.number(),
  /** How many were sent beyond the limit of a batch; whether the filter found more than that. */
  left_out: z.number(),
  more: z.boolean(),
  undone_at: z.string().nullable(),
  undo_until: z.string().nullable(),
  counts: z.record(outcomeSchema, z.number()),
  /**
   * How many reports were resolved with it, and how many of them its undo has left closed; null without either. (Absent
   * from a database of the previous release.)
   */
  reports: z.number().nullish(),
  reports_left: z.number().nullish(),
  reasons: z.array(
    z
      .object({ outcome: z.string(), reasons: codesSchema, count: z.number() })
      .transform(({ reasons, ...group }) => ({ ...group, reason: reasons ?? "" })),
  ),
  warnings: z.array(
    z
      .object({ warnings: codesSchema, count: z.number() })
      .transform(({ warnings, count }) => ({ warning: warnings ?? "", count })),
  ),
  rows: z.array(rowSchema),
});
type DecidedBatch = z.infer<typeof batchSchema>;

/** A batch now: what a decision would do, how much of it is done, and with which result. */
export type DecisionBatch = Omit<DecidedBatch, "rows"> & { rows: BatchRow[] };

/**
 * Creates a batch of the selected listings, or of all that a filter finds. It decides nothing, and
 * does nothing when the batch exists.
 * @param batch the id of the new batch
 * @throws DataError "refused", with a sentence, when there are no listings
 */
export async function createBatch(
  db: Db,
  batch: string,
  selection: { items: SelectedListing[] } | { filter: ListingsFilter },
): Promise<void> {
  unwrap(await db.rpc("create_decision_batch", { batch, ...selection }));
}

/**
 * Reads one of the caller's batches, with what a decision would do to the listings that are left.
 * @param skip the number of rows before the page
 * @returns null when there is no such batch, it has expired, or it is another admin's
 */
export async function getBatch(
  db: Db,
  batch: string,
  action: Decision | null,
  skip: number,
): Promise<DecisionBatch | null> {
  const args = { batch, action, skip, page_rows: BATCH_PAGE_ROWS };
  const [found, categories] = await Promise.all([
    callFunction(db, "review_batch", args, batchSchema.nullable()),
    getCategoryOptions(db),
  ]);
  return found && { ...found, rows: found.rows.map((row) => toBatchRow(row, categories)) };
}

/**
 * Decides on the next thousand listings of a batch, each once, in one transaction. The owners are
 * notified once the decision can't be undone anymore.
 * @param items creates the batch first, unless it exists
 * @throws DataError "refused" with the reason as a sentence; its details are "lapsed" when there is
 *   no such batch
 */
export async function decideListings(
  db: Db,
  batch: string,
  action: Decision,
  reason: string | null,
  items: SelectedListing[] | null = null,
): Promise<DecidedBatch> {
  return callFunction(db, "decide_listings", { batch, action, reason, items }, batchSchema);
}

/**
 * Approves one listing in the version that an admin saw. Sent twice, it approves once, since the batch follows from who
 * approves what. No one else can work out its id, and take it first.
 * @returns the batch, also for its undo
 * @throws DataError as `decideListings` does
 */
export async function approveOnce(
  db: Db,
  admin: { id: string },
  seen: SelectedListing,
): Promise<DecidedBatch> {
  const batch = toUuid(
    createHmac("sha256", env().sessionSecret)
      .update(`approve ${admin.id} ${seen.id}:${seen.version}`)
      .digest("hex"),
  );
  return decideListings(db, batch, "approve", null, [seen]);
}

/**
 * Undoes the decision on the next thousand listings of a batch. A listing that has changed since is
 * left as it is. Owners who were notified of the decision are notified that it was undone.
 * @throws DataError as `decideListings` does
 */
export async function undoDecisions(db: Db, batch: string): Promise<DecidedBatch> {
  const result = await callFunction(db, "undo_decisions", { batch }, batchSchema);
  triggerEmailDelivery();
  return result;
}
