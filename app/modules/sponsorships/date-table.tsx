import { FieldErrors } from "~/components/forms/field-frame";
import type { FormField } from "~/components/forms/form-state";
import { Badge } from "~/components/ui/badge";

import { GONE_WORDS } from "./gone-dates";
import { dayInWords } from "./newsletter-days";
import type { GoneBecause, NewsletterDate } from "./rules";

interface DateTableProps {
  field: FormField;
  offered: readonly NewsletterDate[];
  /** Dates of the order that can't be had any more, which may not be on offer at all. */
  gone: readonly { date: string; because: GoneBecause }[];
}

/** Ten dots, one for each spot; the free ones stand out. The number beside them says it. */
function Spots({ free }: { free: number }) {
  return (
    <svg viewBox="0 0 100 10" aria-hidden="true">
      <path d="M5 5H96" />
      {free > 0 ? <path className="free" d={`M5 5H${free * 10 - 4}`} /> : null}
    </svg>
  );
}

/** The Tuesdays and Thursdays to choose from, by month, with the spots that are left. A full one has no box, unless it was chosen. */
export function DateTable({ field, offered, gone }: DateTableProps) {
  const chosen = [field.value ?? []].flat();
  const extra = gone
    .filter(({ date }) => !offered.some((one) => one.date === date))
    .map(({ date }) => ({ date, spots: 0 }));
  const rows = [...extra, ...offered].sort((a, b) => (a.date < b.date ? -1 : 1));
  const months = [...new Set(rows.map(({ date }) => dayInWords(date, "month")))];
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
              .filter(({ date }) => dayInWords(date, "month") === month)
              .map(({ date, spots }) => {
                const because =
                  gone.find((one) => one.date === date)?.because ??
                  (spots === 0 ? "full" : undefined);
                const ticked = chosen.includes(date);
                const box = because === undefined || ticked;
                // The field's own id is the first box's, so that the error summary leads there.
                const id = box && first ? field.id : `${field.id}-${date}`;
                if (box) first = false;
                return (
                  <tr key={date}>
                    <th scope="row">
                      {box ? (
                        <label htmlFor={id}>
                          <input
                            type="checkbox"
                            className="checkbox"
                            id={id}
                            name={field.name}
                            value={date}
                            defaultChecked={ticked}
                            aria-describedby={field.errors ? field.errorId : undefined}
                          />
                          <time dateTime={date}>{dayInWords(date, "short")}</time>
                        </label>
                      ) : (
                        <time dateTime={date}>{dayInWords(date, "short")}</time>
                      )}
                    </th>
                    <td>
                      {because === undefined ? null : (
                        <Badge tone={ticked ? "wrong" : "plain"}>{GONE_WORDS[because]}</Badge>
                      )}
                      {because === undefined ? <Spots free={spots} /> : null} {spots}
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
