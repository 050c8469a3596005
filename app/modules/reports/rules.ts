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
