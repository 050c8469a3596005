/** The states of a report about a listing. The database has the same. */
export const REPORT_STATES = ["open", "resolved", "dismissed"] as const;
export type ReportState = (typeof REPORT_STATES)[number];

export const REPORT_STATE_LABELS: Readonly<Record<ReportState, string>> = {
  open: "Open",
  resolved: "Resolved",
  dismissed: "Dismissed",
};
