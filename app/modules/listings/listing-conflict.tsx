import VersionConflict from "~/components/forms/version-conflict";
import { compareVersions, type VersionDifference } from "~/http/version-conflict";

import { LISTING_FIELD_NAMES, LISTING_FIELDS, type ListingField } from "./fields";
import { formatColumn } from "./format-column";
import type { EditorOptions } from "./listing.server";
import { STATUS_OPTIONS } from "./rules";

interface ListingConflictProps {
  /** The newer version, as the form would have it. */
  saved: Readonly<Record<ListingField, unknown>>;
  /** The form as it was typed. */
  typed: Readonly<Record<string, unknown>>;
  options: EditorOptions;
  /** The saved status, for an admin. */
  status: string | undefined;
}

/** What an admin chose, and what it is now, where another admin has decided meanwhile. */
function compareStatus(
  saved: string | undefined,
  { status: chosen, status_seen: seen }: ListingConflictProps["typed"],
): VersionDifference[] {
  if (saved === undefined || chosen === seen || chosen === saved) return [];
  const label = (status: unknown) =>
    STATUS_OPTIONS.find(({ value }) => value === status)?.label ?? "";
  return [{ name: "status", label: "Status", theirs: label(saved), yours: label(chosen) }];
}

/**
 * After someone else saved the listing: the fields in which the form differs, so that the user can
 * choose a version of each.
 */
export default function ListingConflict({ saved, typed, options, status }: ListingConflictProps) {
  const fields = LISTING_FIELD_NAMES.map((name) => ({ name, label: LISTING_FIELDS[name].label }));
  const format = (column: string, value: unknown) => formatColumn(column, value, options);
  const rows = [...compareStatus(status, typed), ...compareVersions(fields, saved, typed, format)];
  return <VersionConflict rows={rows} form="listing" />;
}
