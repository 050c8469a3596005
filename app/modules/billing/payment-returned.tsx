import { useRevalidator } from "@remix-run/react";
import { useEffect } from "react";
import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import type { CalloutTone } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";

import type { ItemKind } from "./item";
import type { PaymentReturned } from "./payment-returned.server";
import { dollars } from "./prices";

const THANKS: Record<ItemKind, string> = {
  job: "Your payment arrived, and your job listing is live.",
  sponsorship: "Your payment arrived, and your dates are yours.",
  upgrade: "Your payment arrived, and your listing is Featured.",
};

const RETURNED: Record<NonNullable<PaymentReturned["reason"]>, string> = {
  "paid-twice": "This was paid for twice, so we return the second payment in full.",
  "dates-gone":
    "Your payment came after the dates were held for you, and one of them is sold out by now. We return it in full: please choose other dates.",
  changed:
    "What you paid for was changed meanwhile, so we return your payment in full. Please pay for it as it is now.",
};

/** With script the page asks again by itself for a while, quietly: nothing is reloaded and the focus stays. */
const ASK_AGAIN_MS = [2_000, 3_000, 5_000, 10_000, 20_000, 30_000];

function useAskingAgain(waiting: boolean) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (!waiting) return;
    let timer: ReturnType<typeof setTimeout>;
    const ask = (round: number) => {
      const wait = ASK_AGAIN_MS[round];
      if (wait === undefined) return;
      timer = setTimeout(() => {
        revalidate();
        ask(round + 1);
      }, wait);
    };
    ask(0);
    return () => clearTimeout(timer);
  }, [waiting, revalidate]);
}

function Order({
  returned,
  intent,
  label,
}: {
  returned: PaymentReturned;
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

/** What the notice says of an order: its tone, its title, its words. */
function told(returned: PaymentReturned): { tone: CalloutTone; title: string; words: ReactNode } {
  const { kind, state, paidCents, receiptUrl, reason } = returned;
  switch (state) {
    case "paid":
    case "disputed":
      return {
        tone: "success",
        title: "Thank you!",
        words: (
          <p>
            {THANKS[kind]} {paidCents ? `You paid ${dollars(paidCents)}.` : null}{" "}
            {receiptUrl ? <TextLink href={receiptUrl}>Receipt</TextLink> : null}
          </p>
        ),
      };
    case "confirming":
      return {
        tone: "waiting",
        title: "We’re confirming your payment",
        words: (
          <>
            <p>
              This takes a few seconds as a rule. You don’t need to pay again, and you may leave
              this page.
            </p>
            <Order returned={returned} intent="check-payment" label="Check now" />
          </>
        ),
      };
    case "failed":
      return {
        tone: "problem",
        title: "Payment failed",
        words: <p>Your payment didn’t go through. Your order is kept, and can be paid again.</p>,
      };
    case "returning":
    case "returned":
      return {
        tone: "problem",
        title: "Payment returned",
        words: (
          <p>
            {reason ? RETURNED[reason] : "Your payment was returned in full."} It can take a few
            days to reach your account.
          </p>
        ),
      };
    default:
      return {
        tone: "info",
        title: "Not paid yet",
        words: (
          <>
            <p>
              You left before paying. Your order is kept
              {kind === "sponsorship" ? ", and your dates are held for half an hour." : "."}
            </p>
            {kind === "sponsorship" ? (
              <Order returned={returned} intent="abandon-checkout" label="Give the dates back" />
            ) : null}
          </>
        ),
      };
  }
}

/** For the page that somebody comes back to from paying. It draws nothing when nobody does. */
export function PaymentReturnedNotice({ returned }: { returned: PaymentReturned | null }) {
  useAskingAgain(returned?.state === "confirming");
  if (!returned) return null;
  const { tone, title, words } = told(returned);
  return (
    <div role="status" className="flash">
      <Callout tone={tone} title={title}>
        {words}
      </Callout>
    </div>
  );
}
