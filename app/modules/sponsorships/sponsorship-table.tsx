import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { TimestampText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import type { PaymentTerms as Terms } from "~/modules/billing/payment-terms.server";
import { formatDate } from "~/text/dates";

import { formatDays, getSponsorshipState } from "./rules";
import { SponsorshipBadge } from "./sponsorship-badge";
import type { Sponsorship } from "./sponsorship.server";

/** An order in the list. */
export interface ListedSponsorship extends Sponsorship {
  /** Whether some of its dates are not available anymore. */
  hasUnavailableDates: boolean;
  /** What it cost or will cost, and what of that was refunded, if anything. */
  total: string;
  refunded: string | null;
}

/** The name of an order for its links. Its dates distinguish orders of the same day and business. */
const labelOf = (order: Sponsorship) => `${order.business}, ${describeDates(order)}`;

function describeDates(order: Sponsorship): string {
  if (order.dates.length > 0) return formatDays(order.dates);
  return getSponsorshipState(order) === "canceled" ? "No dates" : "No dates yet";
}

const PAYMENT_HINTS: Partial<Record<NonNullable<Sponsorship["payment"]>, string>> = {
  failed: "The payment failed",
  refunding: "Your refund is on its way",
  refunded: "Your payment was refunded",
};

/** At the end: the outcome of the last payment, or how long the spots are held. */
function Hint({ order: { payment, heldUntil } }: { order: Sponsorship }) {
  const hint = payment && PAYMENT_HINTS[payment];
  if (hint) return <span className="hint">{hint}</span>;
  return heldUntil === null ? null : (
    <span className="hint">
      Spots held until <TimestampText at={heldUntil} without="day" />
    </span>
  );
}

/** Why an order with dates can't be paid for now, whatever its dates are; null when it can. */
function getObstacle({ ownsBusiness, isUnseen }: Sponsorship): string | null {
  if (!ownsBusiness) return "You can’t pay for a business you no longer own.";
  return isUnseen ? "You can pay once the listing is public." : null;
}

/** Whether an order has a button that leads to its payment. */
const canBePaid = (order: ListedSponsorship) =>
  getSponsorshipState(order) === "unpaid" &&
  !order.hasUnavailableDates &&
  getObstacle(order) === null;

function Status({ order }: { order: ListedSponsorship }) {
  const about = labelOf(order);
  const obstacle = getObstacle(order);
  switch (getSponsorshipState(order)) {
    case "paid":
      return (
        <div className="buttons">
          <SponsorshipBadge order={order} />
          <a href={paths.sponsorshipCalendar(order.id)} aria-label={`Add to calendar: ${about}`}>
            Add to calendar
          </a>{" "}
          {order.receiptUrl === null ? null : (
            <TextLink href={order.receiptUrl} about={about}>
              Receipt
            </TextLink>
          )}
        </div>
      );
    case "confirming":
      return <SponsorshipBadge order={order} />;
    case "canceled":
      return (
        <div className="buttons">
          <SponsorshipBadge order={order} />
          <Hint order={order} />
        </div>
      );
    case "undated":
      return (
        <TextLink to={paths.sponsorship(order.id)} about={about}>
          Choose dates
        </TextLink>
      );
    case "unpaid":
      if (order.hasUnavailableDates) {
        return (
          <div className="buttons">
            <Badge tone="wrong">Dates unavailable</Badge>
            <TextLink to={paths.sponsorship(order.id)} about={about}>
              Choose new dates
            </TextLink>{" "}
            {/* Not until when spots are held, of which one is lost. */}
            <Hint order={{ ...order, heldUntil: null }} />
          </div>
        );
      }
      if (obstacle !== null) {
        return (
          <div className="buttons">
            <SponsorshipBadge order={order} />
            <span className="hint">{obstacle}</span> <Hint order={order} />
          </div>
        );
      }
      return (
        <PostForm intent="pay" className="buttons">
          <input type="hidden" name="sponsorship" value={order.id} />
          <SponsorshipBadge order={order} />
          <SubmitButton variant="quiet" about={about}>
            Pay Now!
          </SubmitButton>
          <Hint order={order} />
        </PostForm>
      );
  }
}

const columns: Column<ListedSponsorship>[] = [
  {
    key: "date",
    header: "Order date",
    rowHeader: true,
    cell: (order) => (
      <>
        <TextLink to={paths.sponsorship(order.id)} about={labelOf(order)}>
          {formatDate(order.createdAt)}
        </TextLink>
        <p className="hint" dir="auto">
          {order.business}
        </p>
      </>
    ),
  },
  {
    key: "dates",
    header: "Feature Dates",
    // A line may end between dates, and not within one.
    cell: (order) => describeDates(order).replace(/(?<!;) /g, "\u00a0"),
  },
  {
    key: "total",
    header: "Order total",
    kind: "number",
    cell: ({ total, refunded }) => (
      <>
        {total}
        {refunded === null ? null : <p className="hint">{refunded}</p>}
      </>
    ),
  },
  { key: "status", header: "Status", cell: (order) => <Status order={order} /> },
];

interface SponsorshipTableProps {
  orders: readonly ListedSponsorship[];
  terms: Terms;
}

/** An owner's orders, the newest first. */
export function SponsorshipTable({ orders, terms }: SponsorshipTableProps) {
  return (
    <>
      <DataTable caption="Your orders" columns={columns} rows={orders} rowKey={({ id }) => id} />
      {orders.some(canBePaid) ? <PaymentTerms terms={terms} /> : null}
    </>
  );
}
