import { HttpError } from "~/http/errors.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { getCategoryOptions } from "~/modules/listings/listing.server";
import { getStatusLabel } from "~/modules/listings/rules";

import { editDiff, type ColumnChange, type FieldDiff } from "./edit-diff.server";

/** What an admin decides a listing by, at a glance. Its owner's address is masked. */
export interface ListingDetails {
  id: number;
  version: number;
  name: string;
  status: string;
  statusWords: string;
  facts: { label: string; words: string }[];
  owner: { id: string; name: string | null } | null;
  description: string;
  since: string;
  changesRequested: string | null;
  archiveRequested: boolean;
  /** Who else reviews it just now. */
  reviewer: string | null;
  openReports: number;
  /** What its waiting edit changed, field by field. */
  edit: FieldDiff[];
}

interface Found {
  id: number;
  version: number;
  name: string;
  status: string;
  category_name: string;
  owner_email: string | null;
  modified_at: string;
  changes_requested: string | null;
  archive_requested: boolean;
  reviewer: { name: string | null; mine: boolean } | null;
  open_reports: number;
  changes: ColumnChange[];
  owner_profile: { id: string; full_name: string | null } | null;
  online_category_names: string[];
  listing: Record<
    "address" | "rawaddress" | "city" | "state" | "public_email" | "phone" | "url" | "description",
    string | null
  >;
}

/** 404, for admins: they may see every listing that there is. */
export const noSuchListingToReview = () =>
  new HttpError(
    404,
    "There is no such listing",
    "It may have been deleted since the table was loaded.",
  );

/**
 * A listing at a glance. For admins; one call, and one beside it for the names of categories.
 * @throws HttpError 404 when there is none
 */
export async function listingDetails(db: Db, id: number | null): Promise<ListingDetails> {
  if (id === null) throw noSuchListingToReview();
  const [answer, choices] = await Promise.all([
    db.rpc("review_listing", { id }),
    getCategoryOptions(db),
  ]);
  const found = unwrap(answer) as unknown as Found | null;
  if (!found) throw noSuchListingToReview();
  const { listing } = found;
  const facts = [
    { label: "Category", words: [found.category_name, ...found.online_category_names].join(", ") },
    { label: "Address", words: listing.address ?? listing.rawaddress ?? "No address" },
    { label: "State", words: listing.state || "Missing" },
    { label: "Owner e-mail", words: found.owner_email ?? "Missing" },
    { label: "Contact email", words: listing.public_email ?? "" },
    { label: "Phone", words: listing.phone ?? "" },
    { label: "Website", words: listing.url ?? "" },
  ];
  return {
    id: found.id,
    version: found.version,
    name: found.name,
    status: found.status,
    statusWords: getStatusLabel(found.status),
    facts: facts.filter(({ words }) => words !== ""),
    owner: found.owner_profile && {
      id: found.owner_profile.id,
      name: found.owner_profile.full_name,
    },
    description: listing.description ?? "",
    since: found.modified_at,
    changesRequested: found.changes_requested,
    archiveRequested: found.archive_requested && found.status !== "archived",
    reviewer:
      found.reviewer && !found.reviewer.mine ? (found.reviewer.name ?? "Another admin") : null,
    openReports: found.open_reports,
    edit: editDiff(found.changes, choices),
  };
}
