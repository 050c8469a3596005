/* eslint-disable jsx-a11y/no-noninteractive-tabindex -- A region that scrolls must be reachable by keyboard. */
import { useId } from "react";
import type { ReactNode } from "react";

export interface Column<Row> {
  /** Unique in the table. */
  key: string;
  /** The column's header; also the label of the value where a row is displayed as a card. */
  header: string;
  /**
   * Hides the header visually, for a column of checkboxes or links. Cards have no label for it
   * either.
   */
  hideHeader?: boolean;
  /**
   * What its cells hold: numbers, which are aligned to the right; short values that stay on one line, as dates and
   * statuses do; sentences, which get a wider column; names and other text that may be one long word; or what is of
   * no use on paper.
   */
  kind?: "number" | "nowrap" | "sentences" | "long" | "screen-only";
  /** The cells of this column are the row headers. One column of each table, usually the first. */
  rowHeader?: boolean;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** The table's visible title. */
  caption: string;
  /** For a table with a heading that says the same. */
  hideCaption?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** A name for styles of its own, such as smaller cards. */
  className?: string;
}

/** Text may be in another script than ours. */
function Cell({ content }: { content: ReactNode }) {
  return typeof content === "string" && content !== "" ? <bdi>{content}</bdi> : content;
}

/**
 * A table with a sticky header. Below 700 px each row is a card whose values are labeled with their
 * column; it stays a table for assistive technology (see docs/decisions/0035-tables-on-small-screens.md).
 * Show an EmptyState instead when there are no rows.
 */
export function DataTable<Row>({
  caption,
  hideCaption = false,
  columns,
  rows,
  rowKey,
  className = "",
}: DataTableProps<Row>) {
  const captionId = useId();

  return (
    <div className="table-region" role="region" aria-labelledby={captionId} tabIndex={0}>
      <table className={`data-table ${className}`.trim()}>
        <caption id={captionId} className={hideCaption ? "sr-only" : undefined}>
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map(({ key, header, hideHeader, kind }) => (
              <th
                key={key}
                scope="col"
                className={kind === "number" || kind === "screen-only" ? kind : undefined}
              >
                {hideHeader ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, header, hideHeader, kind, rowHeader, cell }) =>
                rowHeader ? (
                  <th key={key} scope="row">
                    <Cell content={cell(row)} />
                  </th>
                ) : (
                  <td key={key} className={kind} data-label={hideHeader ? undefined : header}>
                    <Cell content={cell(row)} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
