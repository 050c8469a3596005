import { DataTable, type Column } from "~/components/ui/data-table";
import { LongText } from "~/components/ui/long-text";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { getStatusBadges } from "~/modules/listings/rules";

import type { Report } from "./reports.server";

const about = ({ id, place_name }: Report) => `${place_name} (report ${id})`;

const columns: Column<Report>[] = [
  {
    key: "business",
    header: "Business",
    rowHeader: true,
    cell: (report) => (
      <TextLink to={paths.listing(report.place)} about={`report ${report.id}`}>
        {report.place_name}
      </TextLink>
    ),
  },
  {
    key: "status",
    header: "Listing is",
    cell: ({ place_status }) => getStatusBadges({ status: place_status, premium: false })[0]?.label,
  },
  {
    key: "reason",
    header: "Reason",
    cell: (report) =>
      report.reason ? (
        <LongText about={`reason, ${about(report)}`}>{report.reason}</LongText>
      ) : null,
  },
  {
    key: "info",
    header: "Info",
    cell: (report) =>
      report.info ? <LongText about={`info, ${about(report)}`}>{report.info}</LongText> : null,
  },
  {
    key: "date",
    header: "Date (UTC)",
    nowrap: true,
    cell: ({ created_at }) => <DateText at={created_at} />,
  },
];

const noteColumn: Column<Report> = {
  key: "note",
  header: "Note",
  cell: (report) =>
    report.note ? <LongText about={`note, ${about(report)}`}>{report.note}</LongText> : null,
};

interface ReportTableProps {
  caption: string;
  rows: Report[];
  /** The ids chosen in a form that came back. */
  chosen: readonly unknown[];
}

/** Reports of listings; inside the form that settles them. */
export function ReportTable({ caption, rows, chosen }: ReportTableProps) {
  const chooseColumn: Column<Report> = {
    key: "choose",
    header: "Choose",
    hideHeader: true,
    cell: (report) => (
      <RowCheckbox
        name="report"
        value={String(report.id)}
        label={`Choose ${about(report)}`}
        defaultChecked={chosen.includes(String(report.id))}
      />
    ),
  };
  const noted = rows.some(({ note }) => note !== null);
  return (
    <DataTable
      caption={caption}
      columns={[chooseColumn, ...columns, ...(noted ? [noteColumn] : [])]}
      rows={rows}
      rowKey={({ id }) => id}
    />
  );
}
