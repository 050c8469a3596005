import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { dayInWords } from "./newsletter-days";
import type { Newsletter } from "./newsletters.server";

const columns = (chosen: readonly unknown[]): Column<Newsletter>[] => [
  {
    key: "choose",
    header: "Choose",
    hideHeader: true,
    cell: ({ date }) => (
      <RowCheckbox
        name="date"
        value={date}
        label={`Choose ${dayInWords(date)}`}
        defaultChecked={chosen.includes(date)}
      />
    ),
  },
  {
    key: "date",
    header: "Date",
    rowHeader: true,
    cell: ({ date }) => <time dateTime={date}>{dayInWords(date)}</time>,
  },
  {
    key: "state",
    header: "State",
    cell: ({ blocked }) =>
      blocked ? <Badge tone="waiting">Blocked</Badge> : <Badge tone="published">On offer</Badge>,
  },
  {
    key: "sold",
    header: "Sold",
    align: "number",
    cell: ({ date, sold }) =>
      sold === 0 ? (
        0
      ) : (
        <TextLink to={paths.adminNewsletters({ date })} about={`features of ${dayInWords(date)}`}>
          {String(sold)}
        </TextLink>
      ),
  },
  { key: "held", header: "Held", align: "number", cell: ({ held }) => held },
  { key: "spots", header: "Spots Available", align: "number", cell: ({ spots }) => spots },
];

/** The newsletters to come, each with a box to choose it by. */
export function NewsletterTable({
  newsletters,
  chosen,
}: {
  newsletters: readonly Newsletter[];
  chosen: readonly unknown[];
}) {
  return (
    <DataTable
      caption="Newsletters of the coming weeks"
      columns={columns(chosen)}
      rows={newsletters}
      rowKey={({ date }) => date}
    />
  );
}
