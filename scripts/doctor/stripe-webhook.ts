import Stripe from "stripe";

import { STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";
import { listUndeliveredEvents } from "~/modules/billing/undelivered-events.server";

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

/** Newer events may still be on their way. */
const ON_ITS_WAY_S = 600;

/** Whether events arrive: the only sign of a wrong secret, which Stripe shows to no one. */
async function judgeDeliveries(stripe: Stripe): Promise<Finding[]> {
  const nowS = Math.floor(Date.now() / 1_000);
  const undelivered = await listUndeliveredEvents(stripe, nowS).catch((error: unknown) => {
    // The permission is named by a line of its own.
    if (isForbidden(error)) return null;
    throw error;
  });
  if (undelivered === null) return [];
  const late = undelivered.filter(({ created }) => created < nowS - ON_ITS_WAY_S).length;
  return [
    late > 0
      ? wrong(
          `Payment events of the last three days that haven’t arrived: ${late}`,
          LATE,
          `${PAGE} shows what the dashboard answers. 400: copy the webhook’s signing secret to STRIPE_WEBHOOK_SECRET, or set the clock. 500: the log says why.`,
        )
      : fine("The payment events of the last three days have arrived"),
  ];
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
    if (ours) return [...judgeEndpoint(ours), ...(await judgeDeliveries(stripe))];
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
