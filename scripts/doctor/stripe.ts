import Stripe from "stripe";

import { redactSecrets } from "~/http/log.server";
import { createStripeClient } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";

import type { Check } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { checkCatalog } from "./stripe-catalog";
import { checkPermissions, judgeMode } from "./stripe-key";
import { checkWebhook } from "./stripe-webhook";

const STATEMENTS = byHand(
  "The descriptors on card statements reveal nothing, receipts are off, and plans end when every retry failed.",
  "https://dashboard.stripe.com/settings (docs/payments.md, “Going live”, number 5)",
);

function describeError(error: unknown): Finding {
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return wrong(
      "Stripe does not accept STRIPE_SECRET_KEY",
      "No one can buy anything, and payments aren’t recorded.",
      "Copy the key from https://dashboard.stripe.com/apikeys",
    );
  const failure = classifyStripeError(error);
  if (failure === null) throw error;
  const { message } = error as Error;
  return failure === "unavailable"
    ? wrong(
        "Stripe does not answer",
        "No one can buy anything until it does.",
        "See https://status.stripe.com, and let this machine reach api.stripe.com (firewall, DNS).",
      )
    : wrong(
        `Stripe refused a call: ${redactSecrets(message)}`,
        "Some payments may fail.",
        "docs/payments.md",
      );
}

/** Payments: the key and what it may do, what is sold, and the webhook. Only reads. */
export const stripe: Check = {
  title: "Stripe",
  async run({ config }) {
    if (!config.stripe)
      return [fine("Not set up: pages say that buying isn’t possible yet (docs/payments.md)")];
    const { secretKey, apiUrl } = config.stripe;
    const client = createStripeClient(secretKey, apiUrl);
    const mode = judgeMode(secretKey, config.appUrl, apiUrl !== null);
    try {
      const findings = await Promise.all([
        checkPermissions(client, secretKey),
        checkCatalog(client, config),
        checkWebhook(client, config),
      ]);
      return [
        mode,
        ...findings.flat(),
        // The stand-in has no such settings.
        ...(apiUrl === null ? [STATEMENTS] : []),
      ];
    } catch (error) {
      return [mode, describeError(error)];
    }
  },
};
