import type { Stripe } from "stripe";

import { endpoint } from "./endpoint";

export const taxSettingsEndpoints = [
  // Tax is always set up here: checkouts that ask for it get the account's percentage.
  endpoint("GET /v1/tax/settings", {}, (): Stripe.Tax.Settings => ({
    object: "tax.settings",
    defaults: { provider: "stripe", tax_behavior: "exclusive", tax_code: null },
    head_office: null,
    livemode: false,
    status: "active",
    status_details: { active: {} },
  })),
];
