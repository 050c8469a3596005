/** What owners buy in tests, each through the app's own forms and Stripe's page. */
import { expect } from "vitest";

import { jobForm, sponsorshipForm } from "./forms";
import type { PayOptions, TestStripe } from "./stripe";
import type { Member, World } from "./world";

/** The ways to buy in a world with Stripe. */
export function buyingIn(world: World & { stripe: TestStripe }) {
  const { stripe } = world;
  const sessionAt = (checkout: string) =>
    stripe.session(new URL(checkout).pathname.split("/").at(-1)!);

  async function checkoutOf(sent: Promise<{ location: string | null }>): Promise<string> {
    const { location } = await sent;
    expect(location).toMatch(new RegExp(`^${stripe.url}/`));
    return location!;
  }

  const choosePlan = (owner: Member, listing: { id: number }, plan = "monthly") =>
    checkoutOf(owner.post("/upgrade", { intent: "upgrade", place: listing.id, plan }));

  /** Buys a plan. Returns the id of the subscription. */
  async function buyPlan(owner: Member, listing: { id: number }, plan?: string): Promise<string> {
    const checkout = await choosePlan(owner, listing, plan);
    await stripe.pay(checkout);
    return sessionAt(checkout).subscription as string;
  }

  /** Buys a job. Returns the id of the payment, the order, and the job. */
  async function buyJob(owner: Member, options?: PayOptions) {
    const checkout = await checkoutOf(owner.post("/jobs/new", jobForm()));
    await stripe.pay(checkout, options);
    const { payment_intent, client_reference_id, metadata } = sessionAt(checkout);
    return {
      payment: payment_intent as string,
      order: client_reference_id!,
      job: Number(metadata!["job"]),
      checkout,
    };
  }

  /** Opens the checkout of a sponsorship. Returns its address, and the ids of the order. */
  async function sponsor(
    owner: Member,
    listing: { id: number },
    dates: string[],
    fields: Record<string, string> = {},
  ) {
    const checkout = await checkoutOf(
      owner.post("/sponsor/new", sponsorshipForm(listing, { sponsorship_dates: dates, ...fields })),
    );
    const { client_reference_id, metadata } = sessionAt(checkout);
    return {
      checkout,
      order: client_reference_id!,
      sponsorship: Number(metadata!["sponsorship_id"]),
      payment: () => sessionAt(checkout).payment_intent as string,
    };
  }

  /** How many emails of a kind someone got or will get. */
  const countEmails = async (person: { id: string }, kind: string) =>
    (
      await world.sql("select from private.email_queue where kind = $1 and recipient = $2", [
        kind,
        person.id,
      ])
    ).length;

  return { sessionAt, choosePlan, buyPlan, buyJob, sponsor, countEmails };
}
