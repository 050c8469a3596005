import { Link } from "react-router-dom";
import type { MouseEvent } from "react";

import type { RowChange } from "./row-changes.server";

interface RowChangesProps {
  changes: readonly RowChange[];
  /** How many more there are. */
  more: number | undefined;
  /** The name of the listing, and its page with all changes. */
  label: string;
  details: string;
  /**
   * Opens that page over the table. Without this, or without script, the link leads to the page.
   */
  onDetails?: (event: MouseEvent<HTMLAnchorElement>) => void;
}

/** What an edit changes, in a row of a list: the old value struck through, the new one marked. */
export function RowChanges({ changes, more, label, details, onDetails }: RowChangesProps) {
  return changes.map((change, index) => (
    <p key={change.label}>
      <span>{change.label}</span> <span className="sr-only">was </span>
      {change.was === "" ? <i>empty</i> : <del dir="auto">{change.was}</del>}
      <span className="sr-only">, now</span> <b aria-hidden="true">→</b>{" "}
      {change.now === "" ? <i>empty</i> : <ins dir="auto">{change.now}</ins>}
      {more === undefined || index !== changes.length - 1 ? null : (
        <Link to={details} onClick={onDetails}>
          {` +${more} more`}
          <span className="sr-only">
            {" "}
            for <bdi>{label}</bdi>
          </span>
        </Link>
      )}
    </p>
  ));
}
