import { Link } from "@remix-run/react";
import type { MouseEvent } from "react";

import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { paths } from "~/http/paths";

import type { ListingsFilter, ListingView } from "./listings-filter";
import type { TableRow } from "./listings-table.server";

interface ListingsTableProps {
  caption: string;
  view: ListingView;
  filter: ListingsFilter;
  rows: readonly TableRow[];
  /** Whether a listing is ticked from the start, by the value of its box. */
  isTicked: (box: string) => boolean;
  /** Opens a listing's details in place, where script runs; without it they are a page. */
  onDetails: (event: MouseEvent<HTMLAnchorElement>) => void;
}

/** What a row's links and box are about. */
const aboutOf = ({ id, name, isNamesake }: TableRow) => (isNamesake ? `${name} (${id})` : name);
const boxOf = ({ id, version }: TableRow) => `${id}:${version}`;

/** Listings with what they are recognised by; all else is in their details. */
export function ListingsTable({
  caption,
  view,
  filter,
  rows,
  isTicked,
  onDetails,
}: ListingsTableProps) {
  const columns: Column<TableRow>[] = [
    {
      key: "choose",
      header: "Choose",
      hideHeader: true,
      cell: (row) => (
        <RowCheckbox
          name="listing"
          value={boxOf(row)}
          label={`Choose ${aboutOf(row)}`}
          defaultChecked={isTicked(boxOf(row))}
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
            aria-label={row.isNamesake ? aboutOf(row) : undefined}
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
    ...(view === "pending"
      ? [{ key: "edited", header: "What changed", cell: ({ edited }: TableRow) => edited }]
      : []),
    {
      key: "email",
      header: "Owner e-mail",
      cell: ({ hasEmail }) => (hasEmail ? "Yes" : "Missing"),
    },
    {
      key: "since",
      header: {
        all: "Changed (UTC)",
        premium: "Featured since (UTC)",
        new: "Since (UTC)",
        pending: "Since (UTC)",
        flagged: "Since (UTC)",
      }[view],
      nowrap: true,
      cell: ({ since }) => <DateText at={since} />,
    },
  ];
  return <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}
