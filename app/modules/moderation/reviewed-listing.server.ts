import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { CHECKBOX_FIELDS, getColumnLabel, LISTING_FIELD_NAMES } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import { getCategoryOptions, type CategoryOptions } from "~/modules/listings/listing.server";

import { editDiff, type ColumnChange, type FieldDiff } from "./edit-diff.server";
import { noSuchListingToReview } from "./listing-details.server";
import type { ListingsFilter } from "./listings-filter";
import { whyNotApproved } from "./review-rules";

/** Who reviews a listing now. The times are ISO. */
export interface Reviewer {
  name: string | null;
  mine: boolean;
  since: string;
  until: string;
}

/** One listing with all that an admin decides by. Its owner's own address and number are masked. */
export interface ReviewedListing {
  id: number;
  version: number;
  name: string;
  status: string;
  premium: boolean;
  hidden: boolean;
  archive_requested: boolean;
  changes_requested: string | null;
  created_at: string;
  modified_at: string;
  open_reports: number;
  reviewer: Reviewer | null;
  owner: {
    id: string;
    full_name: string | null;
    email: string | null;
    phone: string | null;
    pronouns: string | null;
  } | null;
  owner_email: string | null;
  /** What keeps it from being approved, in words. */
  blockers: string[];
  /** What its waiting edit changed. */
  edit: FieldDiff[];
  /** All that is filled in, and what is ticked. */
  facts: { label: string; words: string }[];
  ticked: string[];
  /** The names of what is empty or not ticked. */
  empty: string[];
  /** Its place in the order of the table, and its neighbours there. */
  cursor: string;
  next: number | null;
  previous: number | null;
  total: number;
  more: boolean;
}

type Found = Omit<ReviewedListing, "owner" | "blockers" | "edit" | "facts" | "ticked" | "empty"> & {
  state: string | null;
  changes: ColumnChange[];
  owner_profile: ReviewedListing["owner"];
  listing: Record<string, unknown>;
};

/** What follows from a listing's address, and what the team alone sees of it. */
const MORE_COLUMNS = [
  "address",
  "city",
  "state",
  "country",
  "postalcode",
  "proxi_id",
  "subscription_status",
];
const BOXES: readonly string[] = CHECKBOX_FIELDS;

/**
 * A listing for review, in the order of the table it was opened from. For admins; one call, and one beside it.
 * @throws HttpError 404 when there is none
 */
export async function listingForReview(
  db: Db,
  id: number | null,
  filter: ListingsFilter,
): Promise<ReviewedListing> {
  if (id === null) throw noSuchListingToReview();
  const [answer, choices] = await Promise.all([
    db.rpc("review_listing", { id, filter }),
    getCategoryOptions(db),
  ]);
  const found = unwrap(answer) as unknown as Found | null;
  if (!found) throw noSuchListingToReview();
  const { listing, changes, owner_profile, state, ...rest } = found;
  return {
    ...picked(rest),
    owner: owner_profile,
    blockers:
      rest.status === "published" ? [] : whyNotApproved({ owner_email: rest.owner_email, state }),
    edit: editDiff(changes, choices),
    ...valuesOf(listing, choices),
  };
}

/** Of the row, what the page shows: the row itself is the table's and holds more. */
function picked(row: Omit<Found, "listing" | "changes" | "owner_profile" | "state">) {
  const {
    id,
    version,
    name,
    status,
    premium,
    hidden,
    archive_requested,
    changes_requested,
    created_at,
    modified_at,
  } = row;
  const { open_reports, reviewer, owner_email, cursor, next, previous, total, more } = row;
  return {
    ...{
      id,
      version,
      name,
      status,
      premium,
      hidden,
      archive_requested,
      changes_requested,
      created_at,
      modified_at,
    },
    ...{ open_reports, reviewer, owner_email, cursor, next, previous, total, more },
  };
}

function valuesOf(
  listing: Record<string, unknown>,
  choices: CategoryOptions,
): Pick<ReviewedListing, "facts" | "ticked" | "empty"> {
  const boxes = LISTING_FIELD_NAMES.filter((name) => BOXES.includes(name));
  const texts = LISTING_FIELD_NAMES.filter((name) => !BOXES.includes(name));
  const isFilled = (column: string) => formatColumn(column, listing[column], choices) !== "Empty";
  return {
    facts: [...texts, ...MORE_COLUMNS].filter(isFilled).map((column) => ({
      label: getColumnLabel(column),
      words: formatColumn(column, listing[column], choices),
    })),
    ticked: boxes.filter((name) => listing[name] === true).map(getColumnLabel),
    empty: [
      ...texts.filter((column) => !isFilled(column)),
      ...boxes.filter((name) => listing[name] !== true),
    ].map(getColumnLabel),
  };
}
