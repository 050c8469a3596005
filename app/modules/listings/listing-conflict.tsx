import VersionConflict from "~/components/forms/version-conflict";
import { compareVersions } from "~/http/version-conflict";

import { LISTING_FIELD_NAMES, LISTING_FIELDS, type ListingField } from "./fields";
import { formatColumn } from "./format-column";
import type { EditorOptions } from "./listing.server";

interface ListingConflictProps {
  /** The newer version, as the form would have it. */
  saved: Readonly<Record<ListingField, unknown>>;
  /** The form as it was typed. */
  typed: Readonly<Record<string, unknown>>;
  options: EditorOptions;
}

/**
 * After someone else saved the listing: the fields in which the form differs, so that the user can
 * choose a version of each.
 */
export default function ListingConflict({ saved, typed, options }: ListingConflictProps) {
  const fields = LISTING_FIELD_NAMES.map((name) => ({ name, label: LISTING_FIELDS[name].label }));
  const format = (column: string, value: unknown) => formatColumn(column, value, options);
  return <VersionConflict rows={compareVersions(fields, saved, typed, format)} form="listing" />;
}
