import type { Stripe } from "stripe";

import type { Account } from "./account";
import { createDiscount } from "./coupons";
import { idOf } from "./ids";
import { createInvoice } from "./invoice-drafts";
import { finalizePaidInvoice } from "./invoices";
import { priceLabel, productName } from "./products-and-prices";
import type { CheckoutDetails } from "./records";

type Session = Stripe.Checkout.Session;

/** A session with the invoice of its one-time payment, if it is to create one. */
export function withInvoice(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  intent: Stripe.PaymentIntent,
): Session {
  if (!session.invoice_creation?.enabled) return session;
  const customer = idOf(session.customer)!;
  const { custom_fields, description, footer, metadata } = session.invoice_creation.invoice_data;
  const discount =
    details.discount &&
    createDiscount(account, details.discount, {
      customer,
      subscription: null,
      session: session.id,
    });
  const draft = createInvoice(account, {
    customer,
    subscription: null,
    reason: "manual",
    lines: details.items.map((item) => {
      const price = account.get("price", item.price);
      return {
        description: `${item.quantity} × ${productName(account, price)} (at ${priceLabel(price)})`,
        amount: (price.unit_amount ?? 0) * item.quantity,
        quantity: item.quantity,
        price: price.id,
        subscriptionItem: null,
        period: { start: account.now, end: account.now },
        proration: false,
      };
    }),
    discounts: discount ? [discount.id] : [],
    automaticTax: session.automatic_tax,
    finalizesAt: null,
    data: { custom_fields, description, footer, metadata },
  });
  return { ...session, invoice: finalizePaidInvoice(account, draft, intent).id };
}
