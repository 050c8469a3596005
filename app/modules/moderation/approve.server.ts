import { randomUUID } from "node:crypto";

import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

/** A listing as the admin saw it when deciding. */
export interface SeenListing {
  id: number;
  version: number;
}

export interface Decision {
  id: number;
  name: string | null;
  outcome: "approved" | "refused" | "stale" | "missing";
  reason: string | null;
}

/** The listings chosen in a form ("id:version"); anything that is not of that shape names none. */
export function chosenListings(form: FormData): SeenListing[] {
  return form.getAll("listing").flatMap((value) => {
    const [, id, version] = (typeof value === "string" && /^([1-9]\d{0,15}):(\d{1,9})$/.exec(value)) || [];
    return id && version ? [{ id: Number(id), version: Number(version) }] : [];
  });
}

/**
 * Approves what can be approved, in one call and one transaction, and says of each of the others why
 * not: no owner_email, no proper address, or changed since it was seen.
 * @throws DataError
 */
export async function approveListings(db: Db, listings: SeenListing[]): Promise<Decision[]> {
  if (listings.length === 0) return [];
  const items = listings.map(({ id, version }) => ({ id, version }));
  const decided = dataOf(await db.rpc("decide_listings", { batch: randomUUID(), action: "approve", items })) as unknown as Decided;
  return decided.rows.map((row) => ({ ...row, outcome: row.outcome === "done" ? "approved" : row.outcome }));
}

interface Decided {
  rows: (Omit<Decision, "outcome"> & { outcome: "done" | "refused" | "stale" | "missing" })[];
}

/** 200 when anything was approved; else why not: nothing could be (400), or all had changed (409). */
export function statusOf(decisions: Decision[]): 200 | 400 | 409 {
  if (decisions.some(({ outcome }) => outcome === "approved")) return 200;
  return decisions.length > 0 && decisions.every(({ outcome }) => outcome === "stale") ? 409 : 400;
}
