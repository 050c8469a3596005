import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SelectField } from "~/components/forms/select-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { TextField } from "~/components/forms/text-field";
import { Badge, type BadgeTone } from "~/components/ui/badge";
import { Card } from "~/components/ui/card";
import { TimestampText } from "~/components/ui/date-text";
import type { ItemKind } from "~/modules/billing/catalog";
import { formatDollars, MAX_REFUND_NOTE } from "~/modules/billing/prices";
import { FULL_REFUND_ALSO } from "~/modules/billing/refund-reasons";
import { BILLING_REFUSALS } from "~/modules/billing/refusals";
import { describePlan, getPurchaseState } from "~/modules/purchases/purchase";
import { formatDate } from "~/text/dates";
import { isolate } from "~/text/isolate";

import { PAYMENT_LABELS } from "./ledger";
import type { LedgerOrder } from "./order.server";

type Payment = LedgerOrder["payments"][number];
type Refund = Payment["refunds"][number];

const REFUND_STATES: Record<Refund["status"], { label: string; tone: BadgeTone }> = {
  requested: { label: "Not sent yet", tone: "waiting" },
  pending: { label: "On its way", tone: "waiting" },
  succeeded: { label: "Refunded", tone: "published" },
  failed: { label: "Returned by the bank", tone: "wrong" },
  canceled: { label: "Not needed", tone: "plain" },
};

const REFUND_REASONS: Readonly<Record<string, string>> = {
  "paid-twice": "Paid twice",
  "dates-gone": "Its dates were sold out",
  "account-ends": "Its buyer’s account was about to be deleted",
  "plan-ends": "Charged while its plan was about to end",
  "too-late": "Arrived after the newsletter had closed",
  blocked: "For a blocked newsletter",
  changed: "Changed before it was paid",
  canceled: "Canceled by the customer",
  team: "By our team",
  elsewhere: "Made in Stripe",
};

/** Why a refund isn't made at Stripe while the customer's bank decides about its payment, or after it has returned it. */
const STOPPED_BY_DISPUTE: Readonly<Record<string, { label: string; tone: BadgeTone }>> = {
  open: { label: "Waiting for the dispute", tone: "waiting" },
  lost: { label: "Not sent: the dispute was lost", tone: "plain" },
};

/** A refund: how much, why, by whom, and what happened to it. */
function RefundItem({ refund, dispute }: { refund: Refund; dispute: Payment["dispute"] }) {
  const stopped = STOPPED_BY_DISPUTE[dispute ?? ""];
  const { label, tone } =
    (refund.status === "requested" ? stopped : undefined) ?? REFUND_STATES[refund.status];
  return (
    <li className="mt-2">
      <Badge tone={tone}>{label}</Badge> {formatDollars(refund.cents)},{" "}
      <TimestampText at={refund.at} />. {REFUND_REASONS[refund.reason] ?? refund.reason}
      {refund.by ? ` (${isolate(refund.by)})` : ""}
      {refund.note ? `: ${isolate(refund.note)}` : ""}
      {refund.attempt > 1 ? ` Attempt ${refund.attempt}.` : ""}
      {refund.status === "failed" && !stopped ? (
        <PostForm intent="retry">
          <input type="hidden" name="refund" value={refund.id} />
          <SubmitButton variant="quiet" about={formatDollars(refund.cents)}>
            Try again
          </SubmitButton>
        </PostForm>
      ) : null}
    </li>
  );
}

/** The payments of an order, each with its refunds. */
export function OrderPayments({ payments }: { payments: readonly Payment[] }) {
  return (
    <div>
      {payments.map((payment) => {
        const { label, tone } = getPurchaseState(
          {
            ...payment,
            refunds: payment.refunds.flatMap(({ status, ...refund }) =>
              status === "canceled" ? [] : { ...refund, status },
            ),
          },
          "Dispute lost",
        );
        return (
          <Card key={payment.id} as="section" labelledBy={payment.id}>
            <h3 id={payment.id}>
              {[PAYMENT_LABELS[payment.reason], describePlan(payment.plan)]
                .filter(Boolean)
                .join(", ")}
              : {formatDollars(payment.cents)}
            </h3>
            <p>
              <Badge tone={tone}>{label}</Badge> <TimestampText at={payment.paid_at} />,{" "}
              {payment.id}
              {payment.invoice_number ? `, invoice\u00a0${payment.invoice_number}` : ""}
            </p>
            {payment.refunds.length > 0 ? (
              <ul>
                {payment.refunds.map((refund) => (
                  <RefundItem key={refund.id} refund={refund} dispute={payment.dispute} />
                ))}
              </ul>
            ) : null}
          </Card>
        );
      })}
    </div>
  );
}

/** What a refund does besides returning the money, by what was bought. */
const describeRefund = (kind: ItemKind) =>
  kind === "upgrade"
    ? "The listing stays Featured for as long as its plan runs."
    : `A full refund also ${FULL_REFUND_ALSO[kind]}.`;

export type RefundField = "refund" | "payment" | "amount" | "note";

/** Refunds one of the payments, in full or in part. Not shown when nothing is left to refund. */
export function RefundForm({
  form,
  payments,
  kind,
}: {
  form: FormState<RefundField>;
  payments: readonly Payment[];
  kind: ItemKind;
}) {
  const open = payments.filter(
    ({ left_cents, dispute }) => left_cents > 0 && dispute !== "open" && dispute !== "lost",
  );
  if (open.length === 0)
    return (
      <p>
        {payments.some(({ left_cents, dispute }) => left_cents > 0 && dispute === "open")
          ? BILLING_REFUSALS.payment_disputed
          : "There’s nothing left to refund."}
      </p>
    );
  return (
    <PostForm
      // A new form after each refund, as without script: pressed again, Enter would refund the same amount once more.
      key={payments.flatMap(({ refunds }) => refunds).length}
      form={form}
      intent="refund"
      className="fields measure"
    >
      <input type="hidden" name="refund" value={form.field("refund").value} />
      {/* The current value, even in a form that was rejected: its admin has read why it was. */}
      <input
        type="hidden"
        name="left"
        value={payments.reduce((sum, { left_cents }) => sum + left_cents, 0)}
      />
      <SelectField
        field={form.field("payment")}
        label="Payment"
        hint="Each amount is what’s left to refund."
        options={open.map(({ id, reason, left_cents, paid_at }) => ({
          value: id,
          label: `${PAYMENT_LABELS[reason]}, ${formatDate(paid_at)}: ${formatDollars(left_cents)}`,
        }))}
      />
      <TextField
        field={form.field("amount")}
        label="Amount in dollars"
        inputMode="decimal"
        autoComplete="off"
        short
      />
      <TextArea
        field={form.field("note")}
        label="Reason"
        hint="Only our team sees it."
        rows={2}
        limit={MAX_REFUND_NOTE}
      />
      <div>
        <p className="hint mb-2">The customer gets an email. {describeRefund(kind)}</p>
        <SubmitButton>Refund</SubmitButton>
      </div>
    </PostForm>
  );
}
