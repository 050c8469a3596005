import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import type { CalloutTone } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";

import type { ItemKind } from "./catalog";
import type { CheckoutReturn } from "./checkout-return.server";
import { formatDollars } from "./prices";
import { PAGE_REFUND_REASONS } from "./refund-reasons";

const THANKS: Record<ItemKind, string> = {
  job: "Payment received. Your job listing is live!",
  sponsorship: "Payment received. Your dates are booked!",
  upgrade: "Payment received. Your listing is Featured!",
};

/** Nothing is said about a job that isn't theirs anymore. */
const OTHERS_JOB = "Payment received.";
const JOB_UNSEEN = "Payment received. No one can see your job right now. Choose “More” to see why.";
const BOOKED_UNSEEN =
  "Payment received. Your dates are booked, but we don’t feature your listing while no one can find it.";

/** With JavaScript the page updates by itself for a while: nothing is reloaded and the focus stays. */
const POLL_DELAYS_MS = [2_000, 3_000, 5_000, 10_000, 20_000, 30_000];

function usePolling(active: boolean) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!active) return;
    let timer: ReturnType<typeof setTimeout>;
    const poll = (round: number) => {
      const delay = POLL_DELAYS_MS[round];
      if (delay === undefined) return;
      timer = setTimeout(() => {
        revalidate();
        poll(round + 1);
      }, delay);
    };
    poll(0);
    return () => clearTimeout(timer);
  }, [active, revalidate]);
}

function OrderForm({
  returned,
  intent,
  label,
}: {
  returned: CheckoutReturn;
  intent: string;
  label: string;
}) {
  return (
    <PostForm intent={intent}>
      <input type="hidden" name="order" value={returned.order} />
      <SubmitButton variant="quiet">{label}</SubmitButton>
    </PostForm>
  );
}

function thank({ kind, jobIsLive, isUnseen }: CheckoutReturn): string {
  if (kind === "job" && jobIsLive === null) return OTHERS_JOB;
  if (kind === "job" && !jobIsLive) return JOB_UNSEEN;
  return kind === "sponsorship" && isUnseen ? BOOKED_UNSEEN : THANKS[kind];
}

function getContent(returned: CheckoutReturn): {
  tone: CalloutTone;
  title: string;
  body: ReactNode;
} {
  const { state, paidCents, receiptUrl, reason, isHeld } = returned;
  const thanks = thank(returned);
  switch (state) {
    case "paid":
    case "disputed":
      return {
        tone: "success",
        title: "Thank you!",
        body: (
          <p>
            {thanks} {paidCents ? `You paid ${formatDollars(paidCents)}.` : null}{" "}
            {receiptUrl ? <TextLink href={receiptUrl}>Receipt</TextLink> : null}
          </p>
        ),
      };
    case "confirming":
      return {
        tone: "waiting",
        title: "We’re confirming your payment",
        body: (
          <>
            <p>
              This usually takes a few seconds. You don’t need to pay again, and you can leave this
              page.
            </p>
            <OrderForm returned={returned} intent="check-payment" label="Check now" />
          </>
        ),
      };
    case "on-its-way":
      return {
        tone: "waiting",
        title: "Your payment is on its way",
        body: (
          <p>
            Your bank can take a few days. We’ll email you when the payment arrives. You don’t need
            to pay again.
          </p>
        ),
      };
    case "failed":
      return {
        tone: "problem",
        title: "Payment failed",
        body: <p>Your payment didn’t go through. Your order is saved, and you can try again.</p>,
      };
    case "refunding":
    case "refunded":
      return {
        tone: "problem",
        title: "Payment refunded",
        body: (
          <p>
            {reason ? PAGE_REFUND_REASONS[reason] : "We’ve refunded your payment in full."}{" "}
            {paidCents === 0
              ? "Credit that you used is yours again."
              : "Your refund can take a few days to arrive."}
          </p>
        ),
      };
    default:
      return {
        tone: "info",
        title: "Not paid yet",
        body: (
          <>
            <p>
              You left before paying. Your order is saved
              {isHeld ? ", and we’re still holding your dates." : "."}
            </p>
            {isHeld ? (
              <OrderForm returned={returned} intent="abandon-checkout" label="Release my dates" />
            ) : null}
          </>
        ),
      };
  }
}

/** The outcome of a payment, on the page that a customer returns to. Nothing on any other visit. */
export function CheckoutReturnCallout({ returned }: { returned: CheckoutReturn | null }) {
  usePolling(returned?.state === "confirming");
  if (!returned) return null;
  const { tone, title, body } = getContent(returned);
  return (
    <div role="status" className="flash">
      <Callout tone={tone} title={title}>
        {body}
      </Callout>
    </div>
  );
}
