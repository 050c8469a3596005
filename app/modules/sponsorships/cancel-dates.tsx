import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Card } from "~/components/ui/card";
import { formatCount } from "~/text/counts";
import { formatFullDate } from "~/text/dates";

interface CancelDatesProps {
  /** The newsletters that can still be canceled. */
  dates: readonly string[];
  /** Until how many days before a newsletter it can be. */
  deadline: number;
  /** Why none can be canceled while there is a dispute; null without one. */
  disputed: string | null;
}

/** Cancels newsletters of a paid order, which refunds them. */
export function CancelDates({ dates, deadline, disputed }: CancelDatesProps) {
  // As keepTogether does, whose file would be one more for the browser.
  const days = formatCount(deadline, "day").replace(" ", "\u00a0");
  const rule = `You can cancel a newsletter for a refund until ${days} before it goes out.`;
  return (
    <Card as="section" labelledBy="cancel-dates">
      <h2 id="cancel-dates">Cancel newsletters</h2>
      {disputed !== null || dates.length === 0 ? (
        <p>{disputed ?? `${rule} It’s too late to cancel any of yours.`}</p>
      ) : (
        <PostForm intent="cancel-dates" className="fields" version={dates}>
          <p>{rule}</p>
          <ul className="plain-list">
            {dates.map((date) => (
              <li key={date}>
                <label className="choice">
                  <input type="checkbox" name="date" value={date} className="checkbox" />{" "}
                  <span>
                    <span className="sr-only">Cancel </span>
                    <time dateTime={date}>{formatFullDate(date)}</time>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <div>
            <SubmitButton variant="quiet">Cancel and refund</SubmitButton>
          </div>
        </PostForm>
      )}
    </Card>
  );
}
