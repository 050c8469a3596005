import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { CHECKBOX_FIELDS, getColumnLabel, LISTING_FIELD_NAMES } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import { getCategoryOptions, type CategoryOptions } from "~/modules/listings/listing.server";
import { withMove } from "~/modules/listings/pin-move.server";
import { getStatusBadge, type StatusBadge } from "~/modules/listings/rules";
import { describeStatus } from "~/modules/listings/status-rules";

import {
  canBeApproved,
  getApprovalBlockedReasons,
  type Decision,
  type Removal,
} from "../decisions/rules";
import { formatTotal, type ListingsFilter } from "../queue/filter";
import { reviewRowSchema } from "../queue/listings.server";
import { diffEdit, type FieldDiff } from "./edit-diff.server";

const text = z.string().nullable();

/** What the database function `review_listing` returns: contact details of the owner are masked. */
const listingSchema = reviewRowSchema
  .extend({
    listing: z.looseObject({
      address: text,
      rawaddress: text,
      public_email: text,
      phone: text,
      url: text,
      description: text,
    }),
    online_category_names: z.array(z.string()),
    owner_profile: z
      .object({ id: z.string(), full_name: text, email: text, phone: text, pronouns: text })
      .nullable(),
    open_reports: z.number(),
    /**
     * Its last removal; null when it was approved since. (Absent from a database of the previous
     * release.)
     */
    removal: z.object({ at: z.string(), requested: z.boolean() }).nullable().default(null),
    /** The position in the order of the filter, and the listings before and after it. */
    cursor: z.string(),
    next: z.number().nullable(),
    previous: z.number().nullable(),
    total: z.number(),
    more: z.boolean(),
  })
  .nullable();

export type Reviewer = NonNullable<z.infer<typeof reviewRowSchema>["reviewer"]>;

interface Fact {
  label: string;
  text: string;
}

/** 404: admins can see every listing, so this one does not exist. */
export const noSuchListingToReview = () =>
  new HttpError(404, "Listing not found", "It may have been deleted since you opened the queue.");

/** A listing for review, with the categories that name its values. @throws HttpError 404 */
async function readListing(db: Db, id: number, filter: ListingsFilter) {
  const [found, categories] = await Promise.all([
    callFunction(db, "review_listing", { id, filter }, listingSchema),
    getCategoryOptions(db),
  ]);
  if (!found) throw noSuchListingToReview();
  return { found, categories };
}

/** What an admin needs at a glance to decide on a listing. */
export interface ListingDetails {
  id: number;
  version: number;
  name: string;
  status: string;
  statusBadge: StatusBadge;
  facts: Fact[];
  owner: { id: string; name: string | null } | null;
  description: string;
  modified: string;
  changesRequested: string | null;
  archiveRequested: boolean;
  /** The other admin who has the review lock. */
  reviewer: string | null;
  removal: Removal | null;
  openReports: number;
  edit: FieldDiff[];
}

/**
 * The details of a listing. For admins.
 * @throws HttpError 404 when there is no such listing
 */
export async function getListingDetails(db: Db, id: number): Promise<ListingDetails> {
  const { found, categories } = await readListing(db, id, {});
  const { listing, owner_profile, reviewer } = found;
  const facts = [
    { label: "Category", text: [found.category_name, ...found.online_category_names].join(", ") },
    { label: "Address", text: listing.address ?? listing.rawaddress ?? "No address" },
    { label: "State", text: found.state || "Missing" },
    { label: "Owner email", text: found.owner_email ?? "Missing" },
    { label: "Contact Email", text: listing.public_email ?? "" },
    { label: "Phone", text: listing.phone ?? "" },
    { label: "Website", text: listing.url ?? "" },
  ];
  return {
    id: found.id,
    version: found.version,
    name: found.name,
    status: found.status,
    statusBadge: {
      label: describeStatus(found.status, found.hidden),
      tone: getStatusBadge(found.status).tone,
    },
    facts: [
      ...facts.filter((fact) => fact.text !== ""),
      // Of an edit, what changed says it. Otherwise approving shows all of this to everyone.
      ...(found.status === "published" || found.changes.length > 0
        ? []
        : listOtherValues(listing, categories, facts)),
    ],
    owner: owner_profile && { id: owner_profile.id, name: owner_profile.full_name },
    description: listing.description ?? "",
    modified: found.modified_at,
    changesRequested: found.changes_requested,
    archiveRequested: found.archive_requested && found.status !== "archived",
    reviewer: reviewer && !reviewer.mine ? (reviewer.name ?? "Another admin") : null,
    removal: found.removal,
    openReports: found.open_reports,
    edit: diffEdit(withMove(found.changes), categories),
  };
}

/** The columns that follow from the address, and those that only the team sees. */
const OTHER_COLUMNS = [
  "address",
  "city",
  "state",
  "country",
  "postalcode",
  "lat",
  "long",
  "proxi_id",
  "subscription_status",
];
/** What the details show as their title, below the facts, or as a fact with another label. */
const SHOWN_IN_DETAILS = ["name", "description", "online_categories", "address"];
const BOXES: readonly string[] = CHECKBOX_FIELDS;

/**
 * A listing with everything that an admin needs to decide on it, and its neighbors in the queue that
 * it was opened from. For admins.
 * @throws HttpError 404 when there is no such listing
 */
export async function getListingForReview(db: Db, id: number, filter: ListingsFilter) {
  const { found, categories } = await readListing(db, id, filter);
  const { status, owner_email, listing } = found;
  const edit = diffEdit(withMove(found.changes), categories);
  return {
    id: found.id,
    version: found.version,
    name: found.name,
    status,
    premium: found.premium,
    hidden: found.hidden,
    archive_requested: found.archive_requested,
    changes_requested: found.changes_requested,
    created_at: found.created_at,
    modified_at: found.modified_at,
    removal: found.removal,
    open_reports: found.open_reports,
    reviewer: found.reviewer,
    owner_email,
    cursor: found.cursor,
    next: found.next,
    previous: found.previous,
    totalLabel: formatTotal(found.total, found.more),
    owner: found.owner_profile,
    /** Why it cannot be approved. */
    blockers: getApprovalBlockedReasons({ status, owner_email, state: found.state }),
    edit,
    decisions: listDecisions(found, edit.length > 0),
    ...listValues(listing, categories),
  };
}
export type ListingForReview = Awaited<ReturnType<typeof getListingForReview>>;

/** The decisions that would change a listing. @param hasEdit whether an edit of it waits for review */
function listDecisions(
  { status, archive_requested }: { status: string; archive_requested: boolean },
  hasEdit: boolean,
): Decision[] {
  const isUnderReview = status !== "published" && status !== "archived";
  return [
    ...(canBeApproved(status, archive_requested) ? (["approve"] as const) : []),
    ...(isUnderReview ? (["request-changes"] as const) : []),
    ...(status === "pending-update" && hasEdit ? (["reject"] as const) : []),
    ...(status === "flagged" || status === "archived" ? [] : (["flag"] as const)),
    ...(status === "archived" ? [] : (["archive"] as const)),
    ...(status === "flagged" || status === "archived" ? (["reopen"] as const) : []),
  ];
}

/** The values that the details don't show at the top, and the boxes that are checked. */
function listOtherValues(
  listing: Record<string, unknown>,
  categories: CategoryOptions,
  facts: readonly Fact[],
): Fact[] {
  const shown = [...facts.map(({ label }) => label), ...SHOWN_IN_DETAILS.map(getColumnLabel)];
  const known = new Set(shown.map((label) => label.toLowerCase()));
  const values = listValues(listing, categories);
  return [
    ...values.facts.filter(({ label }) => !known.has(label.toLowerCase())),
    ...(values.checked.length === 0 ? [] : [{ label: "Checked", text: values.checked.join(", ") }]),
  ];
}

/** The values of a listing with their labels, the boxes that are checked, and the labels of the rest. */
function listValues(
  listing: Record<string, unknown>,
  categories: CategoryOptions,
): { facts: Fact[]; checked: string[]; empty: string[] } {
  const boxes = LISTING_FIELD_NAMES.filter((name) => BOXES.includes(name));
  const texts = LISTING_FIELD_NAMES.filter((name) => !BOXES.includes(name));
  const isFilled = (column: string) =>
    formatColumn(column, listing[column], categories) !== "Empty";
  return {
    facts: [...texts, ...OTHER_COLUMNS].filter(isFilled).map((column) => ({
      label: getColumnLabel(column),
      text: formatColumn(column, listing[column], categories),
    })),
    checked: boxes.filter((name) => listing[name] === true).map(getColumnLabel),
    empty: [
      ...texts.filter((column) => !isFilled(column)),
      ...boxes.filter((name) => listing[name] !== true),
    ].map(getColumnLabel),
  };
}
