import { getStatusLabel } from "~/modules/listings/rules";

/** The states of a report about a listing. The database has the same. */
export const REPORT_STATES = ["open", "resolved", "dismissed"] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** The maximum number of characters of a note. The database has the same limit. */
export const MAX_NOTE_LENGTH = 2_000;

export const REPORT_STATE_LABELS: Readonly<Record<ReportState, string>> = {
  open: "Open",
  resolved: "Resolved",
  dismissed: "Dismissed",
};

/** The status of the listing that a report is about, and whether its owner has hidden it meanwhile. */
export function describeReportedListing(report: {
  place_status: string;
  place_hidden: boolean;
}): string {
  const status = getStatusLabel(report.place_status);
  return report.place_hidden ? `${status}, hidden by its owner` : status;
}
