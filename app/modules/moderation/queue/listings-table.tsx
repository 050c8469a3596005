import { Link } from "@remix-run/react";
import type { MouseEvent } from "react";

import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { paths } from "~/http/paths";

import type { ListingsFilter, Queue } from "./filter";
import type { ListingRow } from "./listings.server";

interface ListingsTableProps {
  caption: string;
  queue: Queue;
  filter: ListingsFilter;
  rows: readonly ListingRow[];
  /** Whether a listing is selected when the page loads, by the value of its checkbox. */
  isSelected: (value: string) => boolean;
  /** Opens the details of a listing over the table. Without script they are a page. */
  onDetails: (event: MouseEvent<HTMLAnchorElement>) => void;
}

const rowLabel = ({ id, name, isNamesake }: ListingRow) => (isNamesake ? `${name} (${id})` : name);
const boxValue = ({ id, version }: ListingRow) => `${id}:${version}`;

/** In a queue whose rows have a time other than that since when they wait. */
const HEADERS_OF_SINCE: Partial<Record<Queue, string>> = {
  all: "Changed (UTC)",
  premium: "Featured since (UTC)",
};

/** The listings of a queue, with a checkbox each. Everything else is in their details. */
export function ListingsTable({
  caption,
  queue,
  filter,
  rows,
  isSelected,
  onDetails,
}: ListingsTableProps) {
  const columns: Column<ListingRow>[] = [
    {
      key: "choose",
      header: "Choose",
      hideHeader: true,
      cell: (row) => (
        <RowCheckbox
          name="listing"
          value={boxValue(row)}
          label={`Choose ${rowLabel(row)}`}
          defaultChecked={isSelected(boxValue(row))}
        />
      ),
    },
    {
      key: "name",
      header: "Name",
      rowHeader: true,
      cell: (row) => (
        <>
          <Link
            to={paths.adminListingDetails(row.id, filter)}
            discover="none"
            aria-label={row.isNamesake ? rowLabel(row) : undefined}
            onClick={onDetails}
          >
            {row.name}
          </Link>
          {row.badges.map(({ label, tone }) => (
            <span key={label}>
              {" "}
              <Badge tone={tone}>{label}</Badge>
            </span>
          ))}
        </>
      ),
    },
    { key: "category", header: "Category", cell: ({ category }) => category },
    { key: "place", header: "Place", cell: ({ place }) => place || "No address" },
    ...(queue === "pending"
      ? [{ key: "edited", header: "What changed", cell: ({ edited }: ListingRow) => edited }]
      : []),
    {
      key: "email",
      header: "Owner e-mail",
      cell: ({ hasEmail }) => (hasEmail ? "Yes" : "Missing"),
    },
    {
      key: "since",
      header: HEADERS_OF_SINCE[queue] ?? "Since (UTC)",
      nowrap: true,
      cell: ({ since }) => <DateText at={since} />,
    },
  ];
  return <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}
