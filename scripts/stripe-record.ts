/**
 * `npm run stripe:record`: plays the scenarios of local/stripe-record at Stripe itself, in a sandbox,
 * saves what it answered in tests/stripe-stand-in/recordings, and compares the stand-in with it. It
 * exits with 1 when they differ. It needs STRIPE_SANDBOX_KEY, the secret key of a sandbox, which can
 * charge no one. `--to <folder>` saves elsewhere.
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";

import SDK from "stripe";

import { createStripeClient } from "~/integrations/stripe/client.server";

import { inProcessSdk } from "../local/stripe/in-process-sdk";
import { LocalStripe } from "../local/stripe/local-stripe";
import { differences } from "../local/stripe-record/compare";
import { normalize } from "../local/stripe-record/normalize";
import { RECORDINGS, saveRecording } from "../local/stripe-record/recordings";
import { playScenario } from "../local/stripe-record/scenario";
import { SCENARIOS } from "../local/stripe-record/scenarios";

const KEY_MISSING = `STRIPE_SANDBOX_KEY is missing, so nothing was compared with Stripe.

This command plays what our code asks of Stripe in a sandbox of yours, saves the answers in
tests/stripe-stand-in/recordings, and compares the local stand-in with them. Create a sandbox in Stripe's
dashboard, and run:

  STRIPE_SANDBOX_KEY=sk_test_… npm run stripe:record`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { to: { type: "string", default: RECORDINGS } } });
  const { STRIPE_SANDBOX_KEY: key, STRIPE_API_URL: apiUrl } = process.env;
  if (!key) return fail(KEY_MISSING);
  if (!/^[sr]k_test_/.test(key))
    return fail("STRIPE_SANDBOX_KEY must begin with sk_test_ or rk_test_: only a sandbox is used.");

  const stripe = createStripeClient(key, apiUrl || null);
  const secretKey = `sk_test_${randomBytes(16).toString("hex")}`;
  const standIn = inProcessSdk(
    new LocalStripe({ origin: "http://stripe.local", secretKey }),
    secretKey,
  );
  let found = 0;
  for (const scenario of SCENARIOS) {
    const answers = normalize(await playScenario(scenario, stripe));
    await saveRecording(values.to, scenario.name, {
      apiVersion: SDK.API_VERSION,
      recordedOn: new Date().toISOString().slice(0, 10),
      answers,
    });
    const differing = differences(normalize(await playScenario(scenario, standIn)), answers);
    found += differing.length;
    console.log(`${scenario.name}: ${Object.keys(answers).length} answers recorded`);
    for (const line of differing) console.log(`  differs: ${line}`);
  }
  if (found > 0) return fail(`\nThe stand-in differs from Stripe in ${found} places.`);
  console.log("\nThe stand-in answers as Stripe does.");
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(
    error instanceof SDK.errors.StripeError ? `Stripe did not accept it: ${error.message}` : error,
  );
  process.exitCode = 1;
}
