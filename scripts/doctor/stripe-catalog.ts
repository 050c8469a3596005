import type Stripe from "stripe";

import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { FIRST_MONTH_COUPON, PLANS, PRODUCTS, type CatalogPlan } from "~/modules/billing/catalog";
import { describeBill, formatDollars } from "~/modules/billing/prices";
import {
  findFirstMonthCoupon,
  findPlanPrice,
  findPortal,
} from "~/modules/billing/stripe-setup.server";

import type { Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { isForbidden, lacks } from "./stripe-key";

const SET_UP = "npm run stripe:setup, with the setup key of docs/payments.md";

async function checkProducts(stripe: Stripe): Promise<Finding[]> {
  const found = await Promise.all(
    Object.values(PRODUCTS).map(async ({ id, name }) => {
      const product = await nullIfMissing(stripe.products.retrieve(id));
      return product?.active
        ? []
        : [
            wrong(
              `The product ${id} (“${name}”) is ${product ? "archived" : "missing"}`,
              "It can’t be bought.",
              SET_UP,
            ),
          ];
    }),
  );
  const findings = found.flat();
  return findings.length > 0 ? findings : [fine("Products are there")];
}

async function checkPrice(stripe: Stripe, plan: CatalogPlan): Promise<Finding> {
  const found = await findPlanPrice(stripe, plan);
  const wanted = describeBill(plan);
  if (found?.isCurrent) return fine(`Price ${plan.lookupKey}: ${wanted}`);
  const effect = "This plan can’t be bought.";
  if (!found) return wrong(`The price ${plan.lookupKey} (${wanted}) is missing`, effect, SET_UP);
  const { unit_amount: cents, recurring } = found.price;
  const actual =
    cents !== null && recurring?.interval === "month"
      ? describeBill({ cents, months: recurring.interval_count })
      : "of another kind";
  return wrong(
    `The price ${plan.lookupKey} is ${actual} in Stripe, but ${wanted} on our pages`,
    effect,
    SET_UP,
  );
}

async function checkCoupon(stripe: Stripe): Promise<Finding[]> {
  const found = await findFirstMonthCoupon(stripe);
  if (found?.isCurrent)
    return [
      fine(`Coupon ${FIRST_MONTH_COUPON}: ${formatDollars(found.coupon.amount_off ?? 0)} off once`),
    ];
  return [
    wrong(
      `The coupon ${FIRST_MONTH_COUPON} ${found ? "differs from ours" : "is missing"}`,
      "The monthly plan can’t be bought at the price of the first month.",
      SET_UP,
    ),
  ];
}

async function checkJobCoupon(stripe: Stripe, { jobCoupon }: Config): Promise<Finding[]> {
  if (!jobCoupon) return [];
  const coupon = await nullIfMissing(stripe.coupons.retrieve(jobCoupon.coupon));
  return [
    coupon?.valid
      ? fine(`Coupon ${jobCoupon.coupon} (JOB_COUPON) is valid`)
      : wrong(
          `The coupon ${jobCoupon.coupon} (JOB_COUPON) ${coupon ? "is used up or expired" : "is missing"}`,
          "The account that it is for can’t pay for jobs.",
          "Create it: https://dashboard.stripe.com/coupons, or correct JOB_COUPON.",
        ),
  ];
}

async function checkPortal(stripe: Stripe): Promise<Finding[]> {
  const [portal, limited] = await Promise.all([
    findPortal(stripe, "full"),
    findPortal(stripe, "without plan changes"),
  ]);
  const effect = "Owners see a portal with other choices, or none.";
  if (!portal) return [wrong("The billing portal doesn’t have our configuration", effect, SET_UP)];
  if (!limited)
    return [
      wrong(
        "The billing portal doesn’t have our configuration without plan changes",
        "Owners can change, and be charged for, the plan of a listing that was removed.",
        SET_UP,
      ),
    ];
  const off = [
    ...(portal.features.payment_method_update.enabled ? [] : ["changing the card"]),
    ...(portal.features.subscription_cancel.enabled ? [] : ["ending a plan"]),
    ...(portal.features.subscription_update.enabled ? [] : ["changing the plan"]),
    ...(portal.features.invoice_history.enabled ? [] : ["invoices"]),
  ];
  return [
    off.length > 0
      ? wrong(`Turned off in the billing portal: ${off.join(", ")}`, effect, SET_UP)
      : fine("The billing portal is configured"),
  ];
}

async function checkTax(stripe: Stripe, { taxIsAdded }: Config): Promise<Finding[]> {
  if (!taxIsAdded) return [fine("No tax is added (STRIPE_TAX is empty)")];
  const page = "https://dashboard.stripe.com/settings/tax";
  try {
    const { status, defaults } = await stripe.tax.settings.retrieve();
    if (status !== "active")
      return [
        wrong(
          "STRIPE_TAX is automatic, but Stripe Tax is not set up",
          "Every checkout fails.",
          `Set it up: ${page}, or leave STRIPE_TAX empty.`,
        ),
      ];
    return [
      defaults.tax_behavior === "inclusive"
        ? wrong(
            "Stripe Tax includes the tax in our prices",
            "Our pages say that tax is added, but checkouts take it from the price.",
            `Set “Include tax in prices” to “No”: ${page}`,
          )
        : fine("Stripe Tax is set up"),
    ];
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [byHand("STRIPE_TAX is automatic: Stripe Tax has to be set up and active.", page)];
  }
}

/** A permission that a check needs is one that the dashboard needs as well. */
const orLacks = (permission: string, work: Promise<Finding[]>): Promise<Finding[]> =>
  work.catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return [lacks(permission, "What this key can’t read can’t be sold.")];
  });

/** What is sold, as it is at Stripe. @throws Stripe's errors */
export async function checkCatalog(stripe: Stripe, config: Config): Promise<Finding[]> {
  const prices = Promise.all(PLANS.map((plan) => checkPrice(stripe, plan)));
  const findings = await Promise.all([
    orLacks("Products: Read", checkProducts(stripe)),
    orLacks("Prices: Read", prices),
    orLacks(
      "Coupons: Read",
      Promise.all([checkCoupon(stripe), checkJobCoupon(stripe, config)]).then((all) => all.flat()),
    ),
    orLacks("Customer portal: Write", checkPortal(stripe)),
    checkTax(stripe, config),
  ]);
  return findings.flat();
}
