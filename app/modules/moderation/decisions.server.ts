import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";

import type { Decision } from "./decision-rules";
import type { ListingsFilter } from "./listings-filter";

/** A listing as it was seen; as it was sent, since the database answers for each, whatever it is. */
export interface ChosenItem {
  id: string;
  version: string;
}

/** What becomes of one listing of a choice: beforehand, or once it was decided on. */
export interface ChosenRow {
  /** Null when what was sent is no listing's number. */
  id: number | null;
  sent: string | null;
  name: string | null;
  city: string | null;
  state: string | null;
  status: string | null;
  outcome: "done" | "refused" | "stale" | "missing" | "undone" | "kept" | null;
  reason: string | null;
  warning: string | null;
  decided: boolean;
}

/** A choice as it stands: what a decision would do, how far it has come, what came of it. */
export interface Choice {
  batch: string;
  action: Decision | null;
  reason: string | null;
  chosen: number;
  /** How many are still to be decided on, and still to be undone. */
  left: number;
  left_to_undo: number;
  /** How many were sent beyond what a choice holds; whether a filter found more than that. */
  left_out: number;
  more: boolean;
  decided_at: string | null;
  undone_at: string | null;
  undo_until: string | null;
  counts: Record<"done" | "refused" | "stale" | "missing" | "undone" | "kept", number>;
  reasons: { outcome: string; reason: string; count: number }[];
  warnings: { warning: string; count: number }[];
  rows: ChosenRow[];
}

/** As many rows as a page of a choice shows. */
export const CHOICE_ROWS = 250;

/**
 * Freezes a choice under an id: the listings that were ticked, or all that a filter finds. Nothing is decided yet.
 * @throws DataError "refused", in words, when nothing was chosen
 */
export async function chooseListings(
  db: Db,
  batch: string,
  chosen: { items: ChosenItem[] } | { filter: ListingsFilter },
): Promise<void> {
  unwrap(
    await db.rpc("choose_listings", {
      batch,
      ...("items" in chosen ? { items: asJson(chosen.items) } : { filter: chosen.filter }),
    }),
  );
}

/**
 * A choice of one's own, with what a decision would do to what is not decided yet. One call.
 * @param skip so many rows stand before this page of them
 * @returns null when there is none under this id, it has lapsed, or it is another's
 */
export async function reviewChoice(
  db: Db,
  batch: string,
  action: Decision | null,
  skip: number,
): Promise<Choice | null> {
  const found = await db.rpc("review_batch", {
    batch,
    ...(action === null ? {} : { action }),
    skip,
    page_rows: CHOICE_ROWS,
  });
  return unwrap(found) as unknown as Choice | null;
}

/**
 * Decides on the next thousand of a choice, each once, in one transaction. What owners are to know is sent after.
 * @param items are chosen first, when there is no such choice yet
 * @throws DataError "refused" with the reason in words; its details are "lapsed" when there is no such choice
 */
export async function decide(
  db: Db,
  batch: string,
  action: Decision,
  reason: string | null,
  items?: ChosenItem[],
): Promise<Choice> {
  const asked = {
    batch,
    action,
    ...(reason === null ? {} : { reason }),
    ...(items === undefined ? {} : { items: asJson(items) }),
  };
  const choice = unwrap(await db.rpc("decide_listings", asked)) as unknown as Choice;
  triggerEmailDelivery();
  return choice;
}

/**
 * Takes back what was decided, the next thousand of a choice; what has changed since stays.
 * @throws DataError as `decide` does
 */
export async function undo(db: Db, batch: string): Promise<Choice> {
  return unwrap(await db.rpc("undo_decisions", { batch })) as unknown as Choice;
}

const asJson = (items: ChosenItem[]) => items.map(({ id, version }) => ({ id, version }));

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a choice from an address or a form, or null. */
export function batchId(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : null;
}
