import { catalogScenario } from "./play-catalog";
import { checkoutScenario } from "./play-checkout";
import { customerScenario } from "./play-customers";
import { paymentScenario } from "./play-payments";
import { portalScenario } from "./play-portal";
import { subscriptionScenario } from "./play-subscriptions";
import type { Scenario } from "./scenario";

/** What is played at Stripe and at the stand-in. */
export const SCENARIOS: readonly Scenario[] = [
  catalogScenario,
  customerScenario,
  checkoutScenario,
  paymentScenario,
  subscriptionScenario,
  portalScenario,
];
