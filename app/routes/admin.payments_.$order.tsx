import { randomUUID } from "node:crypto";

import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { TimestampText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { formatDollars } from "~/modules/billing/prices";
import { BILLING_REFUSALS } from "~/modules/billing/refusals";
import { isRunning, ORDER_LABELS } from "~/modules/ledger/ledger";
import { OrderPayments, RefundForm, type RefundField } from "~/modules/ledger/order-payments";
import {
  checkOrder,
  endSubscriptionNow,
  findOrder,
  refundPayment,
  retryRefund,
} from "~/modules/ledger/order.server";
import { describePurchase } from "~/modules/purchases/purchase";
import { formatDate } from "~/text/dates";

export const handle = {
  title: "Order",
  tabTitle: ({ order }: SerializeFrom<typeof loader>) =>
    `Order from ${formatDate(order.created_at)}`,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { order: uuidParam() };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params }) =>
  json({ order: await findOrder(db, params.order), refundId: randomUUID() }),
);

export const action = routeAction(
  { access: "admin", params, refusals: BILLING_REFUSALS },
  {
    refund: refundPayment,
    retry: retryRefund,
    "end-subscription": endSubscriptionNow,
    check: checkOrder,
  },
);

export default function Order() {
  const { order, refundId } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<RefundField>({
    id: "refund",
    lastResult: answer && "lastResult" in answer ? answer.lastResult : null,
    saved: { refund: refundId, payment: order.payments[0]?.id ?? "" },
    required: ["payment", "amount", "note"],
  });
  const { owner, owner_name, status, created_at, payments } = order;
  // What was charged, with its tax and promotion code; or what it costs, before them.
  const { cents } = payments.find(({ reason }) => reason === "purchase") ?? {
    cents: order.price_cents,
  };
  return (
    <div className="sections">
      <div>
        <PageHeader
          title={describePurchase({
            ...order,
            reason: "purchase",
            period_from: null,
            period_to: null,
          })}
          parent={{ to: paths.adminPayments(), label: "Payments" }}
          subtitle={
            <>
              {`${ORDER_LABELS[status] ?? status}, ${formatDollars(cents)}, ordered `}
              <TimestampText at={created_at} />
            </>
          }
        />
        <ErrorSummary form={form} />
        <p>
          {owner === null ? (
            "The customer’s account was deleted."
          ) : (
            <>
              Customer:{" "}
              <TextLink to={paths.adminUser(owner)}>{owner_name ?? "No name given"}</TextLink>
            </>
          )}
        </p>
      </div>
      <section aria-labelledby="payments">
        <h2 id="payments">Payments</h2>
        <div className="fields measure">
          {payments.length === 0 ? (
            <p>Nothing has been paid yet.</p>
          ) : (
            <OrderPayments payments={payments} />
          )}
          {order.subscription?.credit_cents ? (
            <p>
              This customer has {formatDollars(order.subscription.credit_cents)} in credit in Stripe
              after changing to a cheaper plan. It pays for their next bills. If you refund the
              payment it came from, also take the credit off their balance in Stripe, or they’ll get
              that money twice.
            </p>
          ) : null}
          <PostForm intent="check">
            <SubmitButton variant="quiet">Check with Stripe</SubmitButton>
          </PostForm>
        </div>
      </section>
      {payments.length > 0 ? (
        <section className="screen-only" aria-labelledby="refund-title">
          <h2 id="refund-title">Refund a payment</h2>
          <RefundForm form={form} payments={payments} kind={order.kind} />
        </section>
      ) : null}
      {isRunning(order.subscription) ? (
        <section aria-labelledby="subscription">
          <h2 id="subscription">Plan</h2>
          <div className="fields measure">
            <p>
              Status in Stripe: {order.subscription!.status.replaceAll("_", " ")}. Ending the plan
              doesn’t refund anything.
            </p>
            <ButtonLink variant="quiet" to={paths.endSubscription(order.id)}>
              End plan
            </ButtonLink>
          </div>
        </section>
      ) : null}
    </div>
  );
}
