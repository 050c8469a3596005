import { redirect } from "@remix-run/node";

import { unavailable } from "~/http/errors.server";
import { textParam } from "~/http/params.server";
import { routeLoader } from "~/http/route.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { findReceipt, noSuchReceipt } from "~/modules/purchases/purchases.server";

const params = { payment: textParam(/^(pi|in|cs)_\w{1,250}$/, noSuchReceipt) };

/** Leads to the receipt of a payment, with a link that Stripe makes anew each time. */
export const loader = routeLoader(
  { access: "signed in", page: false, params },
  async ({ db, params, session }) => {
    try {
      return redirect(await findReceipt(db, session.user.id, params.payment), { status: 303 });
    } catch (error) {
      if (classifyStripeError(error)) throw unavailable();
      throw error;
    }
  },
);
