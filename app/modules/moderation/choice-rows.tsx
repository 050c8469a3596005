import { Badge } from "~/components/ui/badge";
import { DataTable } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { getStatusLabel } from "~/modules/listings/rules";

import { DECISION_WORDS, type Decision } from "./decision-rules";
import type { ChosenRow } from "./decisions.server";

interface ChoiceRowsProps {
  caption: string;
  action: Decision;
  rows: readonly ChosenRow[];
}

const nameOf = ({ name, id, sent }: ChosenRow) =>
  name ?? (id === null ? `“${sent ?? ""}”` : `Listing ${id}`);
const aboutOf = (row: ChosenRow) => `${nameOf(row)} (${row.id ?? "no number"})`;

/** What becomes of a listing, or became of it, in a word or two. */
function outcomeInWords({ outcome, decided }: ChosenRow, action: Decision): string {
  const { will, did, didNot } = DECISION_WORDS[action];
  if (outcome === "undone") return "Undone";
  if (outcome === "kept") return "Left as it is";
  if (outcome === "done") return decided ? did : will;
  return decided ? didNot : "Nothing will happen";
}

/** Where what is in the way can be mended, or looked at again. */
function WayOut(row: ChosenRow) {
  if (row.id === null || row.name === null) return null;
  if (row.outcome === "refused") {
    return (
      <TextLink to={paths.listing(row.id)} about={aboutOf(row)}>
        Mend it
      </TextLink>
    );
  }
  return (
    <TextLink to={paths.adminListingDetails(row.id)} about={aboutOf(row)}>
      Look at it
    </TextLink>
  );
}

/** The listings of a choice, with what becomes of each and why; those that stay as they are come first. */
export function ChoiceRows({ caption, action, rows }: ChoiceRowsProps) {
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={(row) => row.id ?? `sent ${row.sent}`}
      columns={[
        { key: "name", header: "Name", rowHeader: true, cell: nameOf },
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
                {outcomeInWords(row, action)}
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
          cell: (row) => <WayOut {...row} />,
        },
      ]}
    />
  );
}
