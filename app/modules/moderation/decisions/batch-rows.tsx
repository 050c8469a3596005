import { Badge } from "~/components/ui/badge";
import { DataTable } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { getStatusLabel } from "~/modules/listings/rules";

import type { BatchRow } from "./batch.server";
import { DECISION_LABELS, type Decision } from "./rules";

interface BatchRowsProps {
  caption: string;
  decision: Decision;
  rows: readonly BatchRow[];
}

const rowName = ({ name, id, sent }: BatchRow) =>
  name ?? (id === null ? `“${sent ?? ""}”` : `Listing ${id}`);

/** What will happen to a listing, or what happened, in a word or two. */
function formatOutcome({ outcome, decided }: BatchRow, decision: Decision): string {
  const { will, did, didNot } = DECISION_LABELS[decision];
  if (outcome === "undone") return "Undone";
  if (outcome === "unchanged") return "Left as it is";
  if (outcome === "done") return decided ? did : will;
  return decided ? didNot : "Nothing will happen";
}

/** A link to the listing: to its form when something is missing, otherwise to its details. */
function ListingLink(row: BatchRow) {
  if (row.id === null || row.name === null) return null;
  const about = `${row.name} (${row.id})`;
  return row.outcome === "refused" ? (
    <TextLink to={paths.listing(row.id)} about={about}>
      Mend it
    </TextLink>
  ) : (
    <TextLink to={paths.adminListingDetails(row.id)} about={about}>
      Look at it
    </TextLink>
  );
}

/** The listings of a batch with the outcome of each and its reason. Those that do not change are first. */
export function BatchRows({ caption, decision, rows }: BatchRowsProps) {
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={(row) => row.id ?? `sent ${row.sent}`}
      columns={[
        { key: "name", header: "Name", rowHeader: true, cell: rowName },
        {
          key: "place",
          header: "Place",
          cell: ({ city, state }) => [city, state].filter(Boolean).join(", "),
        },
        {
          key: "status",
          header: "Status",
          nowrap: true,
          cell: ({ status }) => (status === null ? "" : getStatusLabel(status)),
        },
        {
          key: "outcome",
          header: "Outcome",
          cell: (row) => (
            <>
              <Badge
                tone={
                  row.outcome === "done"
                    ? "published"
                    : row.outcome === "undone"
                      ? "plain"
                      : "waiting"
                }
              >
                {formatOutcome(row, decision)}
              </Badge>{" "}
              {[row.reason, row.warning].filter(Boolean).join(" ")}
            </>
          ),
        },
        {
          key: "way-out",
          header: "Look or mend",
          hideHeader: true,
          nowrap: true,
          cell: (row) => <ListingLink {...row} />,
        },
      ]}
    />
  );
}
