/**
 * `npm run stripe:setup`: creates or updates in a Stripe account what the dashboard sells
 * (products, prices, coupon), the billing portal and the webhook, and prints the environment
 * variables to set. Safe to repeat. It needs STRIPE_SECRET_KEY and APP_URL. The key needs the
 * permissions listed in docs/payments.md, and may differ from the dashboard's own:
 * `STRIPE_SECRET_KEY=rk_… npm run stripe:setup`.
 */
import { createStripeClient } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { setUpStripe } from "~/modules/billing/stripe-setup.server";

// With a key in the environment, the dashboard need not be configured yet.
if (!process.env["STRIPE_SECRET_KEY"] || !process.env["APP_URL"])
  await import("./app-environment.mjs");

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;

async function main(): Promise<void> {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_URL: apiUrl, APP_URL: appUrl } = process.env;
  if (!key)
    return fail(
      "STRIPE_SECRET_KEY is missing: the secret key, or a restricted one, of your account at Stripe.",
    );
  if (!/^[sr]k_/.test(key))
    return fail("STRIPE_SECRET_KEY is not a secret key: those begin with sk_ or rk_.");
  if (!appUrl || !URL.canParse(appUrl))
    return fail("APP_URL is missing: Stripe has to know where to send its events.");

  // Stripe cannot reach this machine, and the local stand-in already has its webhook.
  const reachable = !LOOPBACK.test(appUrl);
  const webhookUrl = reachable ? new URL("/webhooks/stripe", appUrl).href : null;
  const { done, webhookSecret } = await setUpStripe(createStripeClient(key, apiUrl || null), {
    webhookUrl,
  });
  for (const line of done) console.log(line);

  console.log("\nFor the environment:\n");
  console.log(
    "STRIPE_SECRET_KEY=   the dashboard's own key: see docs/payments.md for what it may do",
  );
  if (webhookSecret)
    console.log(
      `STRIPE_WEBHOOK_SECRET=${webhookSecret}\n\nStripe shows this secret only once: keep it.`,
    );
  else if (reachable)
    console.log(
      "STRIPE_WEBHOOK_SECRET=   as it was (Stripe's dashboard shows it under Developers, Webhooks)",
    );
  else if (!apiUrl)
    console.log(
      "STRIPE_WEBHOOK_SECRET=   what `stripe listen --forward-to localhost:3000/webhooks/stripe` prints",
    );
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(
    classifyStripeError(error) ? `Stripe did not accept it: ${(error as Error).message}` : error,
  );
  process.exitCode = 1;
}
