import { DataTable, type Column } from "~/components/ui/data-table";
import { LongText } from "~/components/ui/long-text";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { ListingLink } from "~/modules/listings/listing-link";
import { describeStatus } from "~/modules/listings/status-rules";
import { isolate } from "~/text/isolate";

import type { Report } from "./reports.server";

const rowLabel = ({ id, place_name }: Report) => `${place_name} (report ${id})`;

const columns: Column<Report>[] = [
  {
    key: "business",
    header: "Business",
    rowHeader: true,
    cell: (report) => (
      <ListingLink id={report.place} about={`report ${report.id}`}>
        {report.place_name}
      </ListingLink>
    ),
  },
  {
    key: "status",
    header: "Listing status",
    cell: ({ place_status, place_hidden }) => describeStatus(place_status, place_hidden),
  },
  {
    key: "reason",
    header: "Reason",
    kind: "long",
    cell: (report) =>
      report.reason ? (
        <LongText about={`reason, ${rowLabel(report)}`}>{report.reason}</LongText>
      ) : null,
  },
  {
    key: "info",
    header: "Info",
    kind: "sentences",
    cell: (report) =>
      report.info ? <LongText about={`info, ${rowLabel(report)}`}>{report.info}</LongText> : null,
  },
  {
    key: "date",
    header: "Date (UTC)",
    kind: "nowrap",
    cell: ({ created_at }) => <DateText at={created_at} />,
  },
];

const noteColumn: Column<Report> = {
  key: "note",
  header: "Note",
  kind: "long",
  cell: (report) =>
    report.note ? <LongText about={`note, ${rowLabel(report)}`}>{report.note}</LongText> : null,
};

interface ReportTableProps {
  caption: string;
  rows: Report[];
  /** The ids that were selected in a form with an error. */
  selected: readonly unknown[];
}

/** Reports about listings, inside of the form that resolves or dismisses them. */
export function ReportTable({ caption, rows, selected }: ReportTableProps) {
  const selectColumn: Column<Report> = {
    key: "choose",
    header: "Select",
    hideHeader: true,
    cell: (report) => (
      <RowCheckbox
        name="report"
        value={String(report.id)}
        label={`Select ${isolate(rowLabel(report))}`}
        defaultChecked={selected.includes(String(report.id))}
      />
    ),
  };
  const hasNotes = rows.some(({ note }) => note !== null);
  return (
    <DataTable
      className="messages"
      caption={caption}
      columns={[selectColumn, ...columns, ...(hasNotes ? [noteColumn] : [])]}
      rows={rows}
      rowKey={({ id }) => id}
    />
  );
}
