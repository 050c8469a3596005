import { Badge } from "~/components/ui/badge";

import { getSponsorshipState } from "./rules";
import type { Sponsorship } from "./sponsorship.server";

/** The state of an order, for its buyer. */
export function SponsorshipBadge({ order }: { order: Sponsorship }) {
  switch (getSponsorshipState(order)) {
    case "paid":
      // One of which everything was returned isn’t paid.
      if (order.dispute === "open") return <Badge tone="wrong">Disputed</Badge>;
      if (order.dispute === "lost") return <Badge>Partly returned</Badge>;
      return <Badge tone="published">Paid</Badge>;
    case "confirming":
      return <Badge tone="waiting">Payment on its way</Badge>;
    case "canceled":
      return <Badge>Canceled</Badge>;
    case "unpaid":
    case "undated":
      return (
        <Badge tone="waiting">
          {order.dispute === "lost"
            ? "Payment returned"
            : order.isUnseen
              ? "Waiting for its listing"
              : "Not paid yet"}
        </Badge>
      );
  }
}
