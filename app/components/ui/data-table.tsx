/* eslint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-noninteractive-tabindex,
   jsx-a11y/no-interactive-element-to-noninteractive-role --
   Drawn as cards on small screens, a table loses its meaning in some browsers unless the roles are spelled out; and a
   region that scrolls must be reachable by the keyboard. */
import { useId } from "react";
import type { ReactNode } from "react";

export interface Column<Row> {
  /** Unique in the table. */
  key: string;
  /** The column's head; also the word beside the value where a row is drawn as a card. */
  header: string;
  /** For heads that need not be seen: a column of tick boxes or of links. They have no word on cards either. */
  hideHeader?: boolean;
  /** Numbers stand at the right. */
  align?: "number";
  /** For short values that should stay on one line: dates, states. */
  nowrap?: boolean;
  /** For sentences: room to read them. */
  wide?: boolean;
  /** The cell that names its row. One column of the table, as a rule the first with words. */
  rowHeader?: boolean;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** What the table holds, as its visible title. */
  caption: string;
  /** When a heading beside the table already says it. */
  hideCaption?: boolean;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
}

/**
 * A table of data. On wide screens rows of 44 px under a head that stays; below 700 px each row is a card whose values
 * carry their column's word. Show an EmptyState in its place when there are no rows.
 */
export function DataTable<Row>({
  caption,
  hideCaption = false,
  columns,
  rows,
  rowKey,
}: DataTableProps<Row>) {
  const captionId = useId();

  return (
    <div className="table-region" role="region" aria-labelledby={captionId} tabIndex={0}>
      <table className="data-table" role="table">
        <caption id={captionId} className={hideCaption ? "sr-only" : undefined}>
          {caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ key, header, hideHeader, align }) => (
              <th key={key} role="columnheader" scope="col" className={align}>
                {hideHeader ? <span className="sr-only">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row">
              {columns.map(({ key, header, hideHeader, align, nowrap, wide, rowHeader, cell }) =>
                rowHeader ? (
                  <th key={key} role="rowheader" scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={key}
                    role="cell"
                    className={align ?? (nowrap ? "nowrap" : wide ? "sentences" : undefined)}
                    data-label={hideHeader ? undefined : header}
                  >
                    {cell(row)}
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
