import Stripe from "stripe";

import { STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import { isOnThisMachine, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { isForbidden } from "./stripe-key";

const PAGE = "https://dashboard.stripe.com/webhooks";
const SET_UP = "npm run stripe:setup, with the setup key of docs/payments.md";
const LATE =
  "What is paid for is recorded late: when the buyer comes back, or by the nightly comparison.";

function judgeEndpoint(endpoint: Stripe.WebhookEndpoint): Finding[] {
  const { enabled_events: enabled, api_version: version, status } = endpoint;
  const findings: Finding[] = [];
  if (status !== "enabled")
    findings.push(
      wrong(
        "The webhook is disabled",
        LATE,
        `${SET_UP}. Stripe turns off what keeps failing: ${PAGE}`,
      ),
    );
  const missing = enabled.includes("*")
    ? []
    : STRIPE_EVENTS.filter((event) => !enabled.includes(event));
  if (missing.length > 0)
    findings.push(wrong(`The webhook lacks events: ${missing.join(", ")}`, LATE, SET_UP));
  if (version !== Stripe.API_VERSION)
    findings.push(
      wrong(
        `The webhook uses the API version ${version ?? "of the account"}, not ${Stripe.API_VERSION}`,
        "Events may lack fields that the dashboard reads.",
        `Delete it (${PAGE}), run npm run stripe:setup, and set the new STRIPE_WEBHOOK_SECRET.`,
      ),
    );
  return findings.length > 0
    ? findings
    : [fine("The webhook is enabled, with all events and our API version")];
}

/** The webhook at Stripe: its address, events, and version. @throws Stripe's errors */
export async function checkWebhook(stripe: Stripe, config: Config): Promise<Finding[]> {
  const wanted = `${config.appUrl}/webhooks/stripe`;
  if (isOnThisMachine(config.appUrl) && !config.stripe?.apiUrl)
    return [
      byHand(
        "Stripe can’t reach this machine: events have to be passed on.",
        "stripe listen --latest --forward-to localhost:3000/webhooks/stripe",
      ),
    ];
  try {
    const endpoints: Stripe.WebhookEndpoint[] = [];
    for await (const one of stripe.webhookEndpoints.list({ limit: 100 })) endpoints.push(one);
    const ours = endpoints.find(({ url }) => url === wanted);
    if (ours) return judgeEndpoint(ours);
    const others = endpoints.map(({ url }) => url);
    return [
      wrong(
        others.length > 0
          ? `No webhook leads to ${wanted}. There are ${others.join(", ")}`
          : `There is no webhook. One should lead to ${wanted}`,
        LATE,
        SET_UP,
      ),
    ];
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [
      byHand(
        `The key may not read webhooks (“Webhook Endpoints: Read” lets the doctor see them). One has to lead to ${wanted}, enabled, with the events of docs/payments.md and the API version ${Stripe.API_VERSION}.`,
        PAGE,
      ),
    ];
  }
}
