import type { BIPOC_MONTHLY, FeaturedPlan } from "./prices";

/** A way to pay for a Featured listing. */
export type PlanId = FeaturedPlan["id"] | (typeof BIPOC_MONTHLY)["id"];

/**
 * What somebody wants to pay for. A job that is paid for is paid for again only when that is meant (`renew`): a button
 * "Pay" of a page that was left open must not buy another 45 days.
 */
export type Item =
  | { kind: "job"; jobId: number; renew?: true }
  | { kind: "sponsorship"; sponsorshipId: number }
  | { kind: "upgrade"; placeId: number; plan: PlanId };

export type ItemKind = Item["kind"];
