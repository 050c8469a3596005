import { Link } from "react-router-dom";
import type { MouseEvent } from "react";

import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { Icon } from "~/components/ui/icon";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { paths } from "~/http/paths";
import { isolate } from "~/text/isolate";

import { FixLink } from "../decisions/fix-link";
import { formatDays, LONG_WAIT_DAYS } from "../rules";
import { queuePath, type ListingsFilter, type Queue } from "./filter";
import type { ListingRow } from "./listings.server";
import { RowChanges } from "./row-changes";
import { showsWait } from "./shows-wait";

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

/** The column of the change, and the one of the time, as the queue names them. */
const CHANGE_HEADERS: Partial<Record<Queue, string>> = { pending: "What changed", new: "Category" };
const TIME_HEADERS: Partial<Record<Queue, string>> = {
  all: "Waiting or changed",
  premium: "Featured since",
};

/**
 * The listings of a queue: what each edit changed, and what can be done about it in the row. Everything
 * else is in their details. On small screens each row is a card.
 */
export function ListingsTable({ caption, queue, rows, ...row }: ListingsTableProps) {
  const waits = showsWait(row.filter);
  return (
    <table className={waits ? "queue-table" : "queue-table dated"}>
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {["Select", "Listing", CHANGE_HEADERS[queue] ?? "Category or change"].map((header, n) => (
            <th key={header} scope="col">
              {n === 0 ? <span className="sr-only">{header}</span> : header}
            </th>
          ))}
          <th scope="col">Email</th>
          <th scope="col">{waits ? "Waiting" : TIME_HEADERS[queue]}</th>
          <th scope="col">
            <span className="sr-only">Decide</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((listing) => (
          // The key changes when the owner changes the listing: a tick is for what an admin has
          // read.
          <Row key={`${listing.id}:${listing.version}`} listing={listing} waits={waits} {...row} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Pick<ListingsTableProps, "filter" | "isSelected" | "onDetails"> {
  listing: ListingRow;
  /** Whether the row shows how long it has waited, and not a day. */
  waits: boolean;
}

function Row({ listing, filter, waits, isSelected, onDetails }: RowProps) {
  const { id, version, name, place, badges, category, changes, more, since, days } = listing;
  const label = listing.isNamesake ? `${name} (${id})` : name;
  const value = `${id}:${version}`;
  const details = paths.adminListingDetails(id, filter);
  return (
    <tr>
      <td>
        <RowCheckbox
          name="listing"
          value={value}
          label={`Select ${isolate(label)}`}
          defaultChecked={isSelected(value)}
        />
      </td>
      <th scope="row">
        <p>
          <Link
            to={details}
            aria-label={listing.isNamesake ? label : undefined}
            onClick={onDetails}
          >
            <bdi>{name}</bdi>
          </Link>{" "}
          <bdi>{place ?? "No address"}</bdi>
        </p>
        {badges?.map((badge) => (
          <Badge key={badge.label} tone={badge.tone}>
            {badge.label}
          </Badge>
        ))}
      </th>
      <td>
        {changes === undefined ? (
          <span>{category}</span>
        ) : (
          <RowChanges
            changes={changes}
            more={more}
            label={label}
            details={details}
            onDetails={onDetails}
          />
        )}
      </td>
      <td>
        {listing.hasNoEmail ? (
          <span className="need-problem">
            <Icon name="triangle-alert" label="No owner email" />
          </span>
        ) : (
          <Icon name="mail" label="Has an owner email" />
        )}
      </td>
      <td className={waits && days >= LONG_WAIT_DAYS ? "long" : undefined}>
        {waits ? (
          <span title={`Since ${since}`}>
            <span aria-hidden="true">{days === 0 ? "today" : `${days} d`}</span>{" "}
            <span className="sr-only">{`${formatDays(days)}, since ${since}`}</span>
          </span>
        ) : (
          since
        )}
      </td>
      <td>
        {listing.canApprove ? (
          <SubmitButton
            variant="quiet"
            name="approve"
            value={value}
            busyText="Approving"
            about={label}
          >
            Approve
          </SubmitButton>
        ) : null}
        {listing.missing === undefined ? null : (
          <FixLink listing={id} label={label} missing={listing.missing} back={queuePath(filter)} />
        )}
        <Link to={paths.adminReview(id, filter)} aria-label={`Review: ${label}`}>
          Review
        </Link>
      </td>
    </tr>
  );
}
