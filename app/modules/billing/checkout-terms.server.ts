import { env } from "~/env.server";
import type { Log } from "~/http/log.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { NO_PERMISSION } from "~/modules/listings/rules";

import { findPlan, type CatalogPlan, type Item } from "./catalog";
import { PaymentRefused } from "./payment-errors.server";
import { JOB } from "./prices";
import type { Buyer } from "./stripe-customer.server";

/** Who pays. `db` has the buyer's own rights, which proves that they may pay for an item. */
export interface Checkout {
  db: Db;
  buyer: Buyer;
  log: Log;
}

/** The terms of an order: its price where we set it, and the discount. */
export interface Terms {
  unitPriceCents?: number;
  /** The discount that is asked for. The database decides whether it is granted. */
  coupon: string | null;
  plan?: CatalogPlan;
}

/** Proves that the buyer may buy an item, and finds its price. @throws PaymentRefused, DataError */
export async function findTerms({ db, buyer }: Checkout, item: Item): Promise<Terms> {
  if (item.kind === "job") {
    const job = await db.from("jobs").select("id").eq("id", item.jobId).maybeSingle();
    unwrap(job);
    if (!job.data) throw new PaymentRefused(NO_PERMISSION);
    const coupon = env().jobCoupon;
    return {
      unitPriceCents: JOB.cents,
      coupon: coupon?.userId === buyer.id ? coupon.coupon : null,
    };
  }
  if (item.kind === "sponsorship") {
    const order = await db
      .from("sponsorships")
      .select("id")
      .eq("id", item.sponsorshipId)
      .eq("owner", buyer.id)
      .maybeSingle();
    unwrap(order);
    if (!order.data) throw new PaymentRefused(NO_PERMISSION);
    return { coupon: null };
  }
  const plan = findPlan(item.plan);
  if (!plan) throw new PaymentRefused("Please choose one of the plans.");
  const listing = await db
    .from("places")
    .select("id")
    .eq("id", item.placeId)
    .eq("owner", buyer.id)
    .maybeSingle();
  unwrap(listing);
  if (!listing.data) throw new PaymentRefused("Please select a listing to be featured!");
  return { unitPriceCents: plan.cents, coupon: plan.firstOff?.coupon ?? null, plan };
}
