import { FieldErrors } from "~/components/forms/field-frame";
import type { FormField } from "~/components/forms/form-state";
import { Badge } from "~/components/ui/badge";
import { formatMonth, formatWeekday } from "~/text/dates";

import type { NewsletterDate, UnavailableDate } from "./rules";
import { UNAVAILABLE_LABELS } from "./unavailable-dates";

interface DateTableProps {
  field: FormField;
  offered: readonly NewsletterDate[];
  /** Dates of the order that are not available anymore. They may not be offered at all. */
  unavailable: readonly UnavailableDate[];
}

/** Ten dots, one for each spot, with the free ones highlighted. The number is beside them. */
function Spots({ free }: { free: number }) {
  return (
    <svg viewBox="0 0 100 10" aria-hidden="true">
      <path d="M5 5H96" />
      {free > 0 ? <path className="free" d={`M5 5H${free * 10 - 4}`} /> : null}
    </svg>
  );
}

/**
 * The newsletters to choose from, by month, with the spots that are left. A full one has no checkbox,
 * unless it is selected.
 */
export function DateTable({ field, offered, unavailable }: DateTableProps) {
  const selected = [field.value ?? []].flat();
  const extra = unavailable
    .filter(({ date }) => !offered.some((newsletter) => newsletter.date === date))
    .map(({ date }) => ({ date, spots: 0 }));
  const rows = [...extra, ...offered].sort((a, b) => (a.date < b.date ? -1 : 1));
  const months = [...new Set(rows.map(({ date }) => formatMonth(date)))];
  let first = true;

  return (
    <div className="date-table">
      <FieldErrors field={field} />
      <table>
        <caption className="sr-only">Newsletter dates</caption>
        <thead>
          <tr>
            <th scope="col" className="hint">
              Date
            </th>
            <th scope="col" className="hint">
              Spots Available
            </th>
          </tr>
        </thead>
        {months.map((month) => (
          <tbody key={month}>
            <tr>
              <th scope="rowgroup" colSpan={2}>
                {month}
              </th>
            </tr>
            {rows
              .filter(({ date }) => formatMonth(date) === month)
              .map(({ date, spots }) => {
                const reason =
                  unavailable.find((newsletter) => newsletter.date === date)?.reason ??
                  (spots === 0 ? "full" : undefined);
                const isSelected = selected.includes(date);
                const hasCheckbox = reason === undefined || isSelected;
                // The error summary links to the field's id, so the first checkbox has it.
                const id = hasCheckbox && first ? field.id : `${field.id}-${date}`;
                if (hasCheckbox) first = false;
                return (
                  <tr key={date}>
                    <th scope="row">
                      {hasCheckbox ? (
                        <label>
                          <input
                            type="checkbox"
                            className="checkbox"
                            id={id}
                            name={field.name}
                            value={date}
                            defaultChecked={isSelected}
                            aria-describedby={field.errors ? field.errorId : undefined}
                          />{" "}
                          <time dateTime={date}>{formatWeekday(date)}</time>
                        </label>
                      ) : (
                        <time dateTime={date}>{formatWeekday(date)}</time>
                      )}
                    </th>
                    <td>
                      {reason === undefined ? null : (
                        <Badge tone={isSelected ? "wrong" : "plain"}>
                          {UNAVAILABLE_LABELS[reason]}
                        </Badge>
                      )}
                      {reason === undefined ? <Spots free={spots} /> : null}{" "}
                      {/* A figure space keeps the dots of all rows aligned. */}
                      {String(spots).padStart(2, "\u2007")}
                    </td>
                  </tr>
                );
              })}
          </tbody>
        ))}
      </table>
    </div>
  );
}
