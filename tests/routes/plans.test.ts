/** What happens to a plan after it was bought: renewals, failures, cancellations, endings, and coming back. */
import { http, HttpResponse } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { forgetPurchases } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
// Time that passes at Stripe would renew the plans of all tests before.
beforeEach(() => forgetPurchases(world));
const { buyPlan, buyJob, choosePlan, sessionAt, sponsor, countEmails } = buyingIn(world);
afterEach(() => stripe.resumeWebhooks());

async function ownerWith(name: string) {
  const owner = await world.owner();
  return { owner, listing: await world.listing({ owner, name }) };
}
const UNSEEN = "No one can see the listing right now, because it isn’t public.";
const billing = ({ id }: { id: number }) => `/listings/${id}/billing`;
const act = (owner: Awaited<ReturnType<typeof ownerWith>>["owner"], path: string, intent: string) =>
  owner.submit(path, { intent });

describe("the billing page", () => {
  it("shows the plan, its price, the next charge, and each payment with its receipt", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing, "six_months");
    const page = await owner.page(billing(listing));
    for (const text of [
      "6 months",
      "$216 every 6 months",
      "Your plan renews on",
      "Payments for this listing",
    ])
      expect(page).toSay(text);
    const receipt = /href="(\/account\/purchases\/[^"]+\/receipt)"/.exec(page.body)![1]!;
    expect((await owner.page(receipt)).location).toMatch(new RegExp(`^${stripe.url}/i/in_`));
    const stranger = await world.owner();
    expect(await stranger.page(receipt)).toBeNotFound();
    expect(await stranger.page(billing(listing))).toBeNotFound();
  });

  it("says that a plan has just renewed while its new period isn’t charged yet, and no later charge", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing, "twelve_months");
    const renewed = (paidUntil: "period_from" | "period_to") =>
      world.sql(
        `with renewed as (update public.subscriptions set period_from = now() - interval '5 minutes',
            period_to = now() + interval '1 year' where id = $1 returning period_from, period_to)
          update public.payments set period_to = renewed.${paidUntil} from renewed where subscription_id = $1`,
        [plan],
      );
    await renewed("period_from");
    const page = await owner.page(billing(listing));
    expect(page).toSay(
      "Your plan has just renewed, and we’re about to charge $408 for it. It continues until you cancel.",
    );
    for (const wrong of ["Next charge", "renews on", "stays Featured until"])
      expect(page).not.toSay(wrong);
    // The same for someone who pays for a listing that isn't theirs anymore.
    const next = await world.owner();
    const giveTo = ({ id }: { id: string }) =>
      world.sql("update public.places set owner = $1 where id = $2", [id, listing.id]);
    await giveTo(next);
    const purchases = await owner.page("/account/purchases");
    expect(purchases).toSay(
      "It has just renewed, and we’re about to charge $408 for it. If you cancel before that, the plan ends right away.",
    );
    expect(purchases).not.toSay("next on");
    await giveTo(owner);
    await renewed("period_to");
    const charged = await owner.page(billing(listing));
    for (const text of ["Your plan renews on", "Next charge"]) expect(charged).toSay(text);
  });

  it("names no day that is over while Stripe has not reported what came after it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing, "twelve_months");
    const end = (endsAt: string) =>
      world.sql(
        `update public.subscriptions set period_from = now() - interval '1 year', period_to = now() - interval '1 day',
           ends_at = ${endsAt} where id = $1`,
        [plan],
      );
    await end("null");
    const page = await owner.page(billing(listing));
    expect(page).toSay("Your plan has just renewed, and we’re about to charge $408 for it.");
    expect(await owner.page(`/listings/${listing.id}/archive`)).not.toSay("What you’ve paid for");
    await end("now() - interval '1 day'");
    const canceled = await owner.page(billing(listing));
    expect(canceled).toSay("This plan is about to end");
    for (const wrong of ["Featured until", "Ends", "just renewed", "Keep plan", "Upgrade"])
      expect(canceled).not.toSay(wrong);
    const next = await world.owner();
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    const purchases = await owner.page("/account/purchases");
    expect(purchases).toSay("Canceled. It’s about to end, and we won’t charge you again.");
    expect(purchases).not.toSay("Keep plan");
  });

  it("says when no one can see the listing while its plan goes on, and not when it is canceled", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing);
    expect(await owner.page(billing(listing))).not.toSay(UNSEEN);
    for (const change of ["status = 'flagged'", "status = 'published', hidden = true"]) {
      await world.sql(`update public.places set ${change} where id = $1`, [listing.id]);
      expect(await owner.page(billing(listing)), change).toSay(
        `continues until you cancel. ${UNSEEN}`,
      );
    }
    await act(owner, billing(listing), "cancel-plan");
    expect(await owner.page(billing(listing))).not.toSay(UNSEEN);
  });

  it("has a plan that goes on while its listing is hidden: its owner reads so before and after, and no one else does", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const manager = await world.owner();
    await world.sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing.id,
      manager.id,
    ]);
    await buyPlan(owner, listing);
    const visibility = `/listings/${listing.id}/visibility`;
    const before = "If you hide it, its Featured plan continues, and you’ll still be charged.";
    const after =
      "Its Featured plan continues while no one can see it, and you’ll still be charged.";
    expect(await owner.page(visibility)).toSay(before);
    expect(await manager.page(visibility)).not.toSay("still be charged");
    expect(await act(owner, visibility, "hide")).toRedirectTo(visibility);
    expect(await owner.page(visibility)).toSay(after);
    expect(await manager.page(visibility)).not.toSay("still be charged");
    await act(owner, visibility, "show");
    await act(owner, billing(listing), "cancel-plan");
    expect(await owner.page(visibility)).not.toSay("still be charged");
  });

  it("manages the plan again as soon as the listing comes back to who pays for it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    const giveTo = (person: { id: string; email: string } | null) =>
      world.sql("update public.places set owner = $2, owner_email = $3 where id = $1", [
        listing.id,
        person?.id ?? null,
        person?.email ?? owner.email,
      ]);
    const { version } = (await world.row("places", listing.id))!;
    for (const between of [await world.owner(), null]) {
      await giveTo(between);
      expect(await world.row("places", listing.id)).toMatchObject({ stripe_cus_id: null });
      await giveTo(owner);
      for (const intent of ["cancel-plan", "keep-plan"])
        expect(await act(owner, billing(listing), intent)).toRedirectTo(billing(listing));
    }
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(false);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      // One for each time that it went to someone.
      version: (version as number) + 4,
    });
  });

  it("cancels a plan at the end of its period, and keeps it after all, each with one email", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    const canceled = await act(owner, billing(listing), "cancel-plan");
    expect(canceled).toRedirectTo(billing(listing));
    const answer = await owner.page(billing(listing));
    expect(answer).toSay(
      "Your plan is canceled. Café X stays Featured until the plan ends, and we won’t charge you again.",
    );
    // The page says it once, where script can show it in the reader's own zone.
    expect(answer).toSay("Canceled, but Featured until");
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(true);
    expect((await world.mailAbout(owner.email, "Your cancellation")).text).toContain(
      "we won’t charge you again",
    );
    await act(owner, billing(listing), "cancel-plan");
    expect(await countEmails(owner, "subscription-canceled")).toBe(1);

    expect(await owner.page(billing(listing))).not.toSay("If you cancel");
    await act(owner, billing(listing), "keep-plan");
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(false);
    const kept = await owner.page(billing(listing));
    expect(kept).toSay("Your plan renews on");
    expect(kept).toSay("If you cancel, your listing stays Featured");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  });

  it("ends at once a plan whose last payment didn’t go through, and nothing is charged anymore", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    expect(await owner.page(billing(listing))).toSay("Change plan Update card Cancel plan");
    await stripe.renew(subscription, "declined");
    expect(await owner.page(billing(listing))).toSay("Update card Change plan Cancel plan");
    expect(await owner.page(billing(listing))).toSay("If you cancel, the plan ends right away");
    const question = `${billing(listing)}/end`;
    expect(await act(owner, billing(listing), "cancel-plan")).toRedirectTo(question);
    expect(stripe.subscription(subscription).status).toBe("past_due");
    const asked = await owner.page(question);
    for (const text of [
      "End the plan for “Café X” now?",
      "so the plan ends right away.",
      "You can’t undo this. You can choose a new plan any time.",
    ])
      expect(asked).toSay(text);
    const become = (status: string) =>
      world.sql("update public.places set status = $2 where id = $1", [listing.id, status]);
    await become("flagged");
    expect(await owner.page(question)).not.toSay("You can choose a new plan");
    await become("published");
    expect(await (await world.owner()).page(question)).toBeNotFound();
    expect(asked.body).toContain(`action="${billing(listing)}"`);
    expect(await act(owner, billing(listing), "end-plan")).toRedirectTo(billing(listing));
    expect(await owner.page(question)).toRedirectTo(billing(listing));
    expect(await owner.page(billing(listing))).toSay(
      "Your plan has ended, and Café X is no longer Featured. We won’t charge you again.",
    );
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
    expect((await world.mailAbout(owner.email, "Your plan has ended")).text).toContain(
      "as you asked",
    );
    expect(await countEmails(owner, "subscription-canceled")).toBe(0);
    const { data } = await stripe.sdk.invoices.list({ subscription });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
    const customer = stripe.subscription(subscription).customer as string;
    const tries = () =>
      stripe
        .events("payment_intent")
        .filter(({ data }) => "customer" in data.object && data.object.customer === customer);
    const before = tries().length;
    await stripe.advanceClock(40 * 24 * 3_600_000);
    expect(tries()).toHaveLength(before);
    // Sent again, it says so once more.
    expect(await act(owner, billing(listing), "end-plan")).toRedirectTo(billing(listing));
    expect(await owner.page(billing(listing))).toSay("We won’t charge you again.");
    expect(await act(owner, billing(listing), "keep-plan")).toSay("This plan has already ended.");
  });

  it("says so when a bank debit for such a plan is on its way and can’t be called back", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription, "declined");
    outside.use(
      http.post(`${stripe.url}/v1/invoices/:id/void`, () =>
        HttpResponse.json(
          { error: { type: "invalid_request_error", message: "The payment is on its way." } },
          { status: 400 },
        ),
      ),
    );
    await act(owner, billing(listing), "end-plan");
    expect(await owner.page(billing(listing))).toSay(
      "A payment for the plan is already on its way from your bank. When it arrives, we’ll refund it.",
    );
    expect(stripe.subscription(subscription).status).toBe("canceled");
  });

  it("can’t be paid for anymore once Stripe has ended it, after the last try or at once", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const ends = [
      () => stripe.advanceClock(40 * 24 * 3_600_000),
      (subscription: string) => stripe.cancelNow(subscription),
    ];
    for (const end of ends) {
      const subscription = await buyPlan(owner, listing);
      await stripe.renew(subscription, "declined");
      await end(subscription);
      expect(stripe.subscription(subscription).status).toBe("canceled");
      const { data } = await stripe.sdk.invoices.list({ subscription });
      expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
    }
  });

  it("returns the money that arrives for a plan that has ended, and says so before", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription, "declined");
    // As while a bank debit is on its way.
    outside.use(
      http.post(`${stripe.url}/v1/invoices/:id/void`, () =>
        HttpResponse.json(
          { error: { type: "invalid_request_error", message: "The payment is on its way." } },
          { status: 400 },
        ),
      ),
    );
    await act(owner, billing(listing), "end-plan");
    const words =
      "A payment for the plan is already on its way from your bank. When it arrives, we’ll refund it.";
    const page = await owner.page(billing(listing));
    expect(page).toSay(`The listing isn’t Featured. ${words}`);
    expect(page).not.toSay("won’t be charged again");
    expect((await world.mailAbout(owner.email, "Your plan has ended")).text).toContain(words);
    await stripe.advanceClock(60_000);
    await stripe.payByLink(subscription);
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "We refunded the $49 you paid for a Featured listing.",
    );
    expect(await countEmails(owner, "subscription-renewed")).toBe(0);
    expect(await owner.page(billing(listing))).toSay("you won’t be charged again.");
  });

  it("says what is true when such a plan is canceled at Stripe, where it goes on until its end", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription, "declined");
    await stripe.cancelAtPeriodEnd(subscription);
    const { text } = await world.mailAbout(owner.email, "Your cancellation");
    expect(text).toContain("we may retry it until then");
    expect(text).not.toContain("we won’t charge you again");
    expect(await owner.page(billing(listing))).toSay("Cancel plan");
    await act(owner, billing(listing), "end-plan");
    expect(stripe.subscription(subscription).status).toBe("canceled");
  });

  it("is the payer’s, also when the customer has a subscription that is older than the orders", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const [older, newer] = [await buyPlan(owner, listing), await buyPlan(owner, other)];
    await world.sql("update public.subscriptions set owner = null where id = $1", [older]);
    expect(await act(owner, billing(other), "cancel-plan")).toRedirectTo(billing(other));
    expect(stripe.subscription(newer).cancel_at_period_end).toBe(true);
    // Alone, it is not taken for anyone's.
    await world.sql("update public.profiles set stripe_customer_id = null where id = $1", [
      owner.id,
    ]);
    await world.sql("update public.subscriptions set owner = null where id = $1", [newer]);
    expect(await act(owner, billing(other), "keep-plan")).toSay("Someone else’s account pays");
  });

  it("ends no plan that someone else pays for, whatever the listing’s row says", async () => {
    const [{ owner, listing }, someone] = [await ownerWith("Café X"), await ownerWith("Café Y")];
    await buyPlan(owner, listing);
    const theirs = await buyPlan(someone.owner, someone.listing);
    for (const [place, subscription] of [
      [someone.listing, null],
      [listing, theirs],
    ] as const)
      await world.sql("update public.places set stripe_subscription_id = $2 where id = $1", [
        place.id,
        subscription,
      ]);
    expect(await act(owner, billing(listing), "cancel-plan")).toSay("Someone else’s account pays");
    expect(stripe.subscription(theirs).cancel_at_period_end).toBe(false);
    await stripe.renew(theirs, "declined").catch(() => {});
    expect(await act(owner, billing(listing), "cancel-plan")).toSay("Someone else’s account pays");
    expect(stripe.subscription(theirs).status).toBe("past_due");
  });

  it("opens Stripe’s pages for exactly this plan, and comes back", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing);
    for (const intent of ["change-plan", "update-card"]) {
      const sent = await owner.post(billing(listing), { intent });
      expect(sent.location).toMatch(new RegExp(`^${stripe.url}/`));
    }
    // An intent that names no task opens the first page, also one that every object has a property for.
    for (const intent of ["", "constructor", "__proto__"])
      expect((await owner.post(billing(listing), { intent })).location).toMatch(
        new RegExp(`^${stripe.url}/`),
      );
    expect(await owner.page(`${billing(listing)}?updated=yes`)).toSay("We’re updating this page");
    expect(await act(owner, billing(listing), "check-plan")).toRedirectTo(billing(listing));
  });

  it("stays after the plan has ended, and leads to a new one", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.cancelNow(subscription);
    const page = await owner.page(billing(listing));
    expect(page).toSay("This plan has ended");
    expect(page).toSay("Upgrade now");
    expect(page).toSay("$29");
    expect(await act(owner, billing(listing), "cancel-plan")).toSay("This plan has already ended.");
  });

  it("says that our team features a listing whose plan has ended, which no later event takes away", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const next = await world.owner();
    const isFeatured = async () => (await world.row("places", listing.id))!["premium"];
    const subscription = await buyPlan(owner, listing);
    await stripe.cancelNow(subscription);
    expect(await isFeatured()).toBe(false);
    await world.sql("update public.places set premium = true where id = $1", [listing.id]);

    const page = await owner.page(billing(listing));
    expect(page).toSay("Featured without a plan");
    expect(page).toSay("our team keeps this listing Featured. You won’t be charged.");
    for (const text of ["no longer Featured", "Manage billing"]) expect(page).not.toSay(text);
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    await reconcilePayments({ dryRun: false, days: 30, log: log() });
    expect(await isFeatured()).toBe(true);

    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    expect(await isFeatured()).toBe(true);
    const theirs = await next.page(billing(listing));
    expect(theirs).toSay("There’s no plan to pay for.");
    expect(theirs).not.toSay("Someone else pays");
  });

  it("tells the next owner of a listing nothing about what the previous one pays", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing, "twelve_months");
    const next = await world.owner();
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    const page = await next.page(billing(listing));
    expect(page).toHaveStatus(200);
    expect(page).not.toSay("408");
    for (const intent of ["cancel-plan", "change-plan"])
      expect(await act(next, billing(listing), intent)).toSay("Someone else’s account pays");
  });
});

describe("a plan whose listing has gone to someone else", () => {
  async function sold(plan?: string) {
    const { owner: seller, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(seller, listing, plan);
    const buyer = await world.owner();
    await world.sql("update public.places set owner = $1, owner_email = $2 where id = $3", [
      buyer.id,
      buyer.email,
      listing.id,
    ]);
    return { seller, buyer, listing, subscription };
  }
  const PURCHASES = "/account/purchases";
  const emailsTo = ({ email }: { email: string }) =>
    world.supabase.mails.filter(({ to }) => to === email).map(({ subject }) => subject);
  async function deliver() {
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    await settleEmailDelivery();
    await deliverEmailQueue();
  }

  it("isn’t said to go on after its payer has canceled it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing);
    await act(owner, billing(listing), "cancel-plan");
    await world.sql("update public.places set owner = null, owner_email = null where id = $1", [
      listing.id,
    ]);
    await deliver();
    const { text } = await world.mailAbout(owner.email, "A change to your account");
    expect(text).not.toContain("still paying");
  });

  it("is managed by who pays, in their purchases: each email leads there", async () => {
    const { seller, subscription } = await sold();
    await deliver();
    const left = await world.mailAbout(seller.email, "A change to your account");
    expect(left.text).toContain(
      "Your Featured plan for it continues, and you’re still paying for it.",
    );
    expect(left.text).toContain(PURCHASES);

    const forPlan = { subscription };
    const toCard = await seller.submit(PURCHASES, { ...forPlan, intent: "update-card" });
    expect(toCard.location).toMatch(new RegExp(`^${stripe.url}/`));
    await seller.submit(PURCHASES, { ...forPlan, intent: "cancel-plan" });
    const canceled = await world.mailAbout(seller.email, "Your cancellation");
    expect(canceled.text).toContain("choose “Keep plan” before it ends.");
    expect(canceled.text).toContain(PURCHASES);
    expect(canceled.text).not.toContain("/billing");
    const afterwards = await seller.page(PURCHASES);
    expect(afterwards).toSay("Canceled. It ends on");
    expect(afterwards).not.toSay("still paying");
    expect(await seller.submit(PURCHASES, { ...forPlan, intent: "keep-plan" })).toRedirectTo(
      PURCHASES,
    );
    expect(await seller.page(PURCHASES)).toSay("Your plan continues.");
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(false);

    await stripe.renew(subscription, "declined");
    const failed = await world.mailAbout(seller.email, "A payment didn’t go through");
    expect(failed.text).toContain(PURCHASES);
    expect(failed.text).not.toContain("/billing");
    expect(await seller.page(PURCHASES)).toSay("Please update your card.");
    await stripe.cancelNow(subscription);
    const ended = await world.mailAbout(seller.email, "Your plan has ended");
    expect(ended.text).toContain(PURCHASES);
    expect(ended.text).not.toMatch(/upgrade/i);
  });

  it.each([
    ["active", "so its plan ends on "],
    ["past_due", "so its plan ends, and we won’t try to collect your last payment again."],
    ["paused", "so its plan ends, and we won’t charge you again."],
  ])(
    "isn’t said to be charged again once its listing is removed, before it is stopped (%s)",
    async (status, text) => {
      const { seller, listing, subscription } = await sold();
      await world.sql("update public.subscriptions set status = $1 where id = $2", [
        status,
        subscription,
      ]);
      await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
      const page = await seller.page(PURCHASES);
      expect(page).toSay(`The listing was removed from the directory, ${text}`);
      for (const wrong of ["next on", "we’ll try again", "you’ll be charged again", "still paying"])
        expect(page).not.toSay(wrong);
    },
  );

  it("doesn't bother the new owner, who reads nothing about a failed payment or a cancellation, only that the listing isn’t Featured anymore", async () => {
    const { buyer, seller, listing, subscription } = await sold();
    const before = emailsTo(buyer);
    expect(await buyer.page(billing(listing))).toSay("Someone else pays for this plan");
    await stripe.renew(subscription, "declined");
    await world.mailAbout(seller.email, "A payment didn’t go through");
    async function readNothingOfIt() {
      for (const path of ["/", "/listings", billing(listing)]) {
        const page = await buyer.page(path);
        for (const text of ["payment for", "Payment failed", "You canceled", "Manage billing"])
          expect(page).not.toSay(text);
      }
    }
    await readNothingOfIt();
    await seller.submit(PURCHASES, { subscription, intent: "end-plan" });
    await world.mailAbout(seller.email, "Your plan has ended");
    await readNothingOfIt();
    await deliver();
    expect(emailsTo(buyer).toSorted()).toEqual(
      [...before, "You have a new listing", "Your listing isn’t Featured anymore"].toSorted(),
    );
    expect((await world.mailAbout(buyer.email, "You have a new listing")).text).toContain(
      "Someone else’s plan keeps it Featured for now, so there’s nothing for you to pay.",
    );
    const { text, links } = await world.mailAbout(buyer.email, "Your listing isn’t Featured");
    expect(text).toContain(`Someone else’s plan kept “${listing.name}” Featured`);
    expect(links).toContain(`${world.appUrl}/upgrade?place=${listing.id}`);
  });

  it("doesn’t say that the new owner’s subscription renews, also when it is older than the orders", async () => {
    const buyer = await world.owner();
    const listing = await world.listing({
      owner: buyer,
      premium: true,
      stripe_subscription_id: "sub_before_the_orders",
      subscription_status: "active",
    });
    const page = await buyer.page(billing(listing));
    expect(page).toSay("Someone else pays for this plan");
    expect(page).not.toSay("renews");
    expect(await buyer.page("/listings")).not.toSay("Manage billing");
  });
});

describe("emails about a plan", () => {
  /** The mail server is down from here on. */
  async function stopMail() {
    await world.sql(`create function public.hold() returns trigger language plpgsql as
      $f$ begin new.next_try_at := now() + interval '1 day'; return new; end $f$`);
    await world.sql(
      "create trigger hold before insert on private.email_queue for each row execute function public.hold()",
    );
  }
  /** The mail server is back. Returns the kinds of emails that someone is to get now. */
  async function resumeMail({ id }: { id: string }) {
    await world.sql("drop trigger hold on private.email_queue");
    await world.sql("drop function public.hold()");
    await world.sql(
      "update private.email_queue set next_try_at = now() - interval '1 second' where recipient = $1 and sent_at is null",
      [id],
    );
    const rows = await world.sql(
      "select n.kind from private.due_emails d join private.email_queue n using (id) where d.user_id = $1 and n.next_try_at <= now() order by 1",
      [id],
    );
    return rows.map(({ kind }) => kind);
  }

  it("aren’t sent late when they say what is not so anymore", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing);
    const fixed = await buyPlan(owner, await world.listing({ owner, name: "Café Y" }));
    const ending = await world.listing({ owner, name: "Café Z" });
    const longPlan = await buyPlan(owner, ending, "six_months");
    const job = await buyJob(owner);
    await stopMail();
    await act(owner, billing(listing), "cancel-plan");
    await act(owner, billing(listing), "keep-plan");
    await world.sql(
      "update public.subscriptions set period_to = now() + interval '3 days' where id = $1",
      [longPlan],
    );
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    await queueRenewalNotices();
    await stripe.renew(fixed, "declined");
    await stripe.fixCard(fixed);
    await world.sql(
      "update public.jobs set expiration_date = now() + interval '2 days' where id = $1",
      [job.job],
    );
    const { queueExpiringJobEmails } = await import("~/modules/jobs/emails.server");
    await queueExpiringJobEmails();
    const queued = () =>
      world.sql(
        "select kind from private.email_queue where recipient = $1 and next_try_at > now() + interval '1 hour' order by kind",
        [owner.id],
      );
    expect((await queued()).map(({ kind }) => kind)).toEqual([
      "job-expiring",
      "payment-failed",
      "renewal-coming",
      "subscription-canceled",
      "subscription-renewed",
    ]);
    await owner.submit(`/jobs/${job.job}/status`, { intent: "fill" });
    await act(owner, billing(ending), "cancel-plan");
    expect(await resumeMail(owner)).toEqual(["subscription-canceled", "subscription-renewed"]);
  });

  it("aren’t sent late about a plan that goes on after all, or newsletters that were canceled", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing);
    const days = (await listNewsletterDates(world)).slice(8, 10);
    const [canceled, kept] = [
      await sponsor(owner, listing, [days[0]!]),
      await sponsor(owner, listing, [days[1]!]),
    ];
    await stopMail();
    await stripe.pay(canceled.checkout);
    await stripe.pay(kept.checkout);
    const path = `/sponsor/${canceled.sponsorship}`;
    expect(await owner.submit(path, { intent: "cancel-dates", date: days[0] })).toRedirectTo(path);
    const setStatus = (status: string) =>
      world.sql("update public.places set status = $2 where id = $1", [listing.id, status]);
    await setStatus("archived");
    const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
    const { log } = await import("~/http/log.server");
    await stopLeavingPlans({ log: log() });
    expect(await countEmails(owner, "plan-stopped")).toBe(1);
    await setStatus("published");
    await act(owner, billing(listing), "keep-plan");
    expect(stripe.subscription(plan).cancel_at_period_end).toBe(false);
    expect(await resumeMail(owner)).toEqual([
      "order-receipt",
      "order-receipt",
      "payment-returned",
      "sponsorship-confirmed",
    ]);
  });

  it("tell of each renewal once, with its amount and receipt", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription);
    const mail = await world.mailAbout(owner.email, "Your renewal receipt");
    expect(mail.text).toContain("You paid $49 to keep “Café X” Featured");
    await stripe.deliver(stripe.events("invoice").map(({ id }) => id));
    expect(await countEmails(owner, "subscription-renewed")).toBe(1);
    expect(await countEmails(owner, "order-receipt")).toBe(1);
  });

  it("tell of a renewal by bank debit once it has arrived, days after it was sent", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await choosePlan(owner, listing);
    await stripe.pay(checkout, { card: "debit" });
    await stripe.advanceClock(4 * 86_400_000);
    stripe.account.changeSettings({ clockOffsetMs: -4 * 86_400_000 });
    await stripe.renew(sessionAt(checkout).subscription as string);
    expect(await countEmails(owner, "subscription-renewed")).toBe(0);
    stripe.account.changeSettings({ clockOffsetMs: 0 });
    await stripe.advanceClock(60_000);
    expect(await countEmails(owner, "subscription-renewed")).toBe(1);
  });

  it("confirm a change of plan once, on the page and by email", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await stripe.changePlan(await buyPlan(owner, listing), "featured_twelve_months");
    const { text } = await world.mailAbout(owner.email, "Your plan has changed");
    expect(text).toMatch(/Your plan for “Café X” has changed, and you paid \$\d/);
    // Who pays by bank debit may have canceled it before the money arrives.
    expect(text).toContain("Then your plan renews, unless you’ve canceled it.");
    expect(await countEmails(owner, "plan-changed")).toBe(1);
    expect(await countEmails(owner, "subscription-renewed")).toBe(0);
    const page = await owner.page(billing(listing));
    expect(page).toSay("$408 every 12 months");
    expect(page).toSay("change of plan");
  });

  it("announce the renewal of a long plan seven days before, once, and not of one that is canceled", async () => {
    const [{ owner, listing }, other, monthly] = [
      await ownerWith("Café X"),
      await ownerWith("Café Y"),
      await ownerWith("Café Z"),
    ];
    await buyPlan(owner, listing, "twelve_months");
    const canceled = await buyPlan(other.owner, other.listing, "six_months");
    await stripe.cancelAtPeriodEnd(canceled);
    await buyPlan(monthly.owner, monthly.listing, "monthly");
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    // The emails about the payments, with which the one of this test could otherwise be sent.
    await settleEmailDelivery();
    await queueRenewalNotices();
    expect(await countEmails(owner, "renewal-coming")).toBe(0);
    await world.sql(
      "update public.subscriptions set period_to = now() + interval '6 days 23 hours'",
    );
    await queueRenewalNotices();
    await queueRenewalNotices();
    expect(await countEmails(owner, "renewal-coming")).toBe(1);
    expect(await countEmails(other.owner, "renewal-coming")).toBe(0);
    expect(await countEmails(monthly.owner, "renewal-coming")).toBe(0);
    // It comes late, and the time that it names is over.
    const move = (by: string) =>
      world.sql(
        `with moved as (update public.subscriptions set period_to = period_to + $2::interval where owner = $1 returning *)
         update private.email_queue q set data = q.data || jsonb_build_object('at', moved.period_to) from moved
           where q.kind = 'renewal-coming' and q.data ->> 'subscription' = moved.id`,
        [owner.id, by],
      );
    const due = () =>
      world.sql(
        "select from private.due_emails d join private.email_queue q on q.id = d.id where q.kind = 'renewal-coming' and q.recipient = $1",
        [owner.id],
      );
    await move("-7 days");
    expect(await due()).toEqual([]);
    await move("7 days");
    expect(await due()).toHaveLength(1);
    await deliverEmailQueue();
    expect((await world.mailAbout(owner.email, "Your plan renews soon")).text).toMatch(
      /On \w+ \d+, \d{4} at \d+:\d\d\s[AP]M\sUTC, we’ll charge \$408 to keep “Café X” Featured for another 12 months/,
    );
    expect((await owner.page(billing(listing))).text).toMatch(
      /Your plan renews on \w+ \d+, \d{4}, \d+:\d\d [AP]M UTC\. It costs \$408 and continues until you cancel\./,
    );
  });

  it("say about the renewal of a long plan when no one can see its listing, but not to a former owner", async () => {
    const [flagged, left] = [await ownerWith("Café X"), await ownerWith("Café Y")];
    for (const { owner, listing } of [flagged, left]) await buyPlan(owner, listing, "six_months");
    await world.sql("update public.places set status = 'flagged' where id = any($1)", [
      [flagged.listing.id, left.listing.id],
    ]);
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      left.listing.id,
    ]);
    await world.sql(
      "update public.subscriptions set period_to = now() + interval '6 days' where owner = any($1)",
      [[flagged.owner.id, left.owner.id]],
    );
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    await queueRenewalNotices();
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const about = async ({ owner }: typeof flagged) =>
      (await world.mailAbout(owner.email, "Your plan renews soon")).text;
    expect(await about(flagged)).toContain(UNSEEN);
    expect(await about(left)).not.toContain(UNSEEN);
  });

  it("say that a plan goes on, and where to end it, when a manager has hidden its listing", async () => {
    const [paying, canceled, heir] = [
      await ownerWith("Café X"),
      await ownerWith("Café Y"),
      await ownerWith("Café Z"),
    ];
    const next = await world.owner();
    const manager = await world.owner();
    for (const { owner, listing } of [paying, canceled, heir]) await buyPlan(owner, listing);
    await act(canceled.owner, billing(canceled.listing), "cancel-plan");
    // A former owner goes on paying: that is nothing to the next one.
    await world.sql("update public.places set owner = $1 where id = $2", [
      next.id,
      heir.listing.id,
    ]);
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    const goesOn =
      "Its Featured plan continues while no one can see it, and you’ll still be charged.";
    /** What the owner of a listing reads once it was hidden, and the links of that email. */
    const about = async (owner: typeof next, hide: () => Promise<unknown>) => {
      await hide();
      await world.sql("update private.email_queue set next_try_at = now() where sent_at is null");
      await deliverEmailQueue();
      const mail = await world.mailAbout(owner.email, "A change to your listing");
      expect(mail.text).toContain("with you has hidden it");
      return mail;
    };
    for (const { id } of [paying.listing, canceled.listing, heir.listing])
      await world.insert("listing_managers", { place_id: id, profile_id: manager.id });
    const hide = ({ id }: { id: number }) => act(manager, `/listings/${id}/visibility`, "hide");
    const mail = await about(paying.owner, () => hide(paying.listing));
    expect(mail.text).toContain(goesOn);
    expect(mail.links).toContain(`${world.appUrl}${billing(paying.listing)}`);
    for (const [owner, { id }] of [
      [canceled.owner, canceled.listing],
      [next, heir.listing],
    ] as const) {
      const other = await about(owner, () => hide({ id }));
      expect(other.text).not.toContain("plan");
      expect(other.links).not.toContain(`${world.appUrl}${billing({ id })}`);
    }
  });

  it("say so of a plan that was renewed or changed, and of a payment that failed, too", async () => {
    const [flagged, left] = [await ownerWith("Café X"), await ownerWith("Café Y")];
    const plans = [
      await buyPlan(flagged.owner, flagged.listing),
      await buyPlan(left.owner, left.listing),
    ];
    await world.sql("update public.places set status = 'flagged' where id = any($1)", [
      [flagged.listing.id, left.listing.id],
    ]);
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      left.listing.id,
    ]);
    for (const plan of plans) await stripe.renew(plan);
    const unseen = "No one can see the listing right now, because it isn’t public.";
    const about = async ({ owner }: typeof flagged, subject: string) =>
      (await world.mailAbout(owner.email, subject)).text;
    expect(await about(flagged, "Your renewal receipt")).toContain(unseen);
    expect(await about(left, "Your renewal receipt")).not.toContain(unseen);
    await stripe.changePlan(plans[0]!, "featured_twelve_months");
    expect(await about(flagged, "Your plan has changed")).toContain(unseen);
    await stripe.renew(plans[0]!, "declined");
    expect(await about(flagged, "A payment didn’t go through")).toContain(unseen);
  });

  it("say how to fix a payment that failed and by when, and that the plan has ended when no retry worked", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription, "declined");
    const mail = await world.mailAbout(owner.email, "A payment didn’t go through");
    expect(mail.text).toMatch(
      /We’ll try again on \w+ \d+, \d{4} at \d+:\d\d\s[AP]M\sUTC\. Please update your card before then\./,
    );
    expect((await owner.page(billing(listing))).text).toMatch(
      /We’ll try again on \w+ \d+, \d{4}, \d+:\d\d [AP]M UTC\. Please update your card before then\./,
    );
    await stripe.advanceClock(40 * 24 * 3_600_000);
    expect((await world.mailAbout(owner.email, "Your plan has ended")).text).toContain(
      "because your payments didn’t go through",
    );
    expect(await countEmails(owner, "payment-failed")).toBe(1);
    expect(await countEmails(owner, "subscription-ended")).toBe(1);
  });

  it("say that a canceled plan has ended, and how to come back", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await stripe.cancelNow(await buyPlan(owner, listing));
    expect((await world.mailAbout(owner.email, "Your plan has ended")).text).toContain(
      "as you asked",
    );
    expect(await countEmails(owner, "subscription-ended")).toBe(1);
    // Coming back has a receipt of its own, and no second farewell.
    await buyPlan(owner, listing, "six_months");
    expect(await countEmails(owner, "order-receipt")).toBe(2);
    expect(await countEmails(owner, "subscription-ended")).toBe(1);
  });

  it("go to no one once the account that pays is deleted, also not to the next owner of its listing", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const next = await world.owner();
    const subscription = await buyPlan(owner, listing, "six_months");
    await world.sql("update public.places set owner = $2, owner_email = $3 where id = $1", [
      listing.id,
      next.id,
      next.email,
    ]);
    // Past the product, which ends plans first.
    await world.sql("delete from auth.users where id = $1", [owner.id]);
    await world.sql(
      "update public.subscriptions set period_to = now() + interval '6 days' where id = $1",
      [subscription],
    );
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    await queueRenewalNotices();
    await stripe.renew(subscription, "declined");
    await stripe.cancelAtPeriodEnd(subscription);
    await stripe.cancelNow(subscription);
    expect(
      await world.sql(
        `select kind from private.email_queue where place_id = $1
         or recipient = $2 and kind in ('renewal-coming', 'payment-failed', 'subscription-canceled', 'subscription-ended')`,
        [listing.id, next.id],
      ),
    ).toEqual([]);
  });

  it("of a plan that is older than the orders go to the owner of its listing, who pays", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await world.sql("update public.subscriptions set order_id = null, owner = null where id = $1", [
      subscription,
    ]);
    await world.sql(
      `select private.enqueue_subscription_emails(s, s, '{}')
       from (select (x || '{"status": "past_due"}')::jsonb as x from public.subscriptions y, to_jsonb(y) x where y.id = $1) z,
         jsonb_populate_record(null::public.subscriptions, z.x) s`,
      [subscription],
    );
    expect(
      await world.sql("select kind from private.email_queue where place_id = $1", [listing.id]),
    ).toEqual([{ kind: "payment-failed" }]);
  });

  it("never name the directory or what was bought in their subjects", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription);
    await stripe.cancelNow(subscription);
    await world.mailAbout(owner.email, "Your plan has ended");
    for (const { subject } of world.supabase.mails.filter(({ to }) => to === owner.email))
      expect(subject).not.toMatch(/queer|featured|listing|newsletter|job|map|café/i);
  });
});

describe("the first month at its lower price", () => {
  const firstBill = async (checkout: string) => {
    await stripe.pay(checkout);
    return sessionAt(checkout).amount_total;
  };

  it("is granted once to a listing and once to an account, and the form says so", async () => {
    const { owner, listing } = await ownerWith("Café X");
    expect(await owner.page("/upgrade")).toSay("Your first month is $29");
    const first = await choosePlan(owner, listing);
    expect(await firstBill(first)).toBe(2900);
    await stripe.cancelNow(sessionAt(first).subscription as string);

    const again = await owner.page("/upgrade");
    expect(again).toSay(
      "Each account and each listing can have the $29 first month once, and it’s been used.",
    );
    expect(again.text.match(/\$49 a month/g)).toHaveLength(1);
    const second = await choosePlan(owner, listing);
    expect(await firstBill(second)).toBe(4900);
    const another = await world.listing({ owner, name: "Café Y" });
    expect(await firstBill(await choosePlan(owner, another))).toBe(4900);

    // Neither does a new owner get it for the same listing.
    await stripe.cancelNow(sessionAt(second).subscription as string);
    const next = await world.owner();
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    expect(await firstBill(await choosePlan(next, listing))).toBe(4900);
  });

  it("isn’t promised below the listings of someone for whom none has it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const offer = "Pay month to month and your first month costs $29.";
    expect(await owner.page("/listings")).toSay(offer);
    await buyPlan(owner, listing);
    const page = await owner.page("/listings");
    expect(page).toSay("Founding Supporter");
    expect(page).not.toSay("irst month");
  });

  it("isn’t promised on the home page of someone who has had it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const offer = "If you pay month to month, the first one is $29.";
    for (const person of [owner, await world.owner()])
      expect(await person.page("/")).toSay(`$34–49 a month. ${offer}`);
    await stripe.cancelNow(await buyPlan(owner, listing));
    for (const given of [false, true]) {
      // Also once they have given the listing away, and have none.
      if (given)
        await world.sql("update public.places set owner = $1 where id = $2", [
          (await world.owner()).id,
          listing.id,
        ]);
      const page = await owner.page("/");
      expect(page).toSay("$34–49 a month. Upgrade");
      expect(page).not.toSay("the first one is $29");
    }
  });

  it("is offered in one checkout at a time, also to someone who opens two at once", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const another = await world.listing({ owner, name: "Café Y" });
    const checkouts = await Promise.all([choosePlan(owner, listing), choosePlan(owner, another)]);
    const open = checkouts.filter((checkout) => sessionAt(checkout).status === "open");
    expect(open.filter((checkout) => sessionAt(checkout).amount_total === 2900)).toHaveLength(1);
  });
});

describe("a plan that is paid by bank debit", () => {
  const DAY_MS = 24 * 3_600_000;
  async function payByDebit(card: "debit" | "debit_fails") {
    const { owner, listing } = await ownerWith("Café X");
    await stripe.pay(await choosePlan(owner, listing), { card });
    return { owner, listing };
  }
  const isFeatured = async ({ id }: { id: number }) => (await world.row("places", id))!["premium"];

  it("is Featured once the payment arrives; until then the page says that it is on its way", async () => {
    const { owner, listing } = await payByDebit("debit");
    expect(await isFeatured(listing)).toBe(false);
    const before = await owner.page(billing(listing));
    expect(before).toSay("Payment on its way");
    expect(before).toSay(
      "If you cancel, your listing still becomes Featured when your payment arrives",
    );
    expect(await countEmails(owner, "order-receipt")).toBe(0);
    await stripe.advanceClock(4 * DAY_MS);
    expect(await isFeatured(listing)).toBe(true);
    const page = await owner.page(billing(listing));
    expect(page).not.toSay("Payment on its way");
    expect(page).toSay("$29 Paid");
    expect(await countEmails(owner, "order-receipt")).toBe(1);
  });

  it("isn’t said to go on to who has given its listing away before it arrives, who gets it back", async () => {
    const { owner, listing } = await payByDebit("debit");
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    const words = "on its way from your bank. When it arrives, we’ll refund it.";
    const page = await owner.page("/account/purchases");
    expect(page).toSay(words);
    expect(page).not.toSay("next on");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const mail = await world.mailAbout(owner.email, "A change to your account");
    expect(mail.text).toContain(words);
    expect(mail.text).not.toContain("continues");
    await stripe.advanceClock(4 * DAY_MS);
    await world.mailAbout(owner.email, "Your refund");
    expect(await owner.page("/account/purchases")).not.toSay(
      "Plans for listings you no longer own",
    );
  });

  it("isn’t asked for again when it fails after the listing has gone to someone else: its plan ends, as they were told", async () => {
    const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
    const { log } = await import("~/http/log.server");
    const { owner, listing } = await payByDebit("debit_fails");
    const [plan] = await world.sql("select id from public.subscriptions where place_id = $1", [
      listing.id,
    ]);
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    await stripe.advanceClock(4 * DAY_MS);
    expect(stripe.subscription(String(plan!["id"])).status).toBe("past_due");
    const page = await owner.page("/account/purchases");
    expect(page).toSay(
      "so this plan ends. Your payment for it didn’t go through, and we won’t try again.",
    );
    for (const wrong of ["You’re still paying", "stays Featured", "Update card", "Keep plan"])
      expect(page).not.toSay(wrong);
    expect(await countEmails(owner, "payment-failed")).toBe(0);

    await stopLeavingPlans({ log: log() });
    expect(stripe.subscription(String(plan!["id"])).status).toBe("canceled");
    const { text } = await world.mailAbout(owner.email, "Your plan has ended");
    expect(text).toContain(
      "Our team has ended your plan for “Café X”. The listing isn’t yours anymore, and your payment for it hasn’t arrived.",
    );
    expect(text).not.toContain("Featured");
  });

  it("isn’t said to go on to who gives its listing away after it has failed", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    await stripe.advanceClock(4 * DAY_MS);
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const { text } = await world.mailAbout(owner.email, "A change to your account");
    expect(text).toContain(
      "Your plan for it ends, too. Your payment for it didn’t go through, and we won’t try again.",
    );
    for (const wrong of ["continues", "still paying"]) expect(text).not.toContain(wrong);
  });

  it("isn’t said to feature a listing that has gone to someone else, when its plan is canceled", async () => {
    const { owner, listing } = await payByDebit("debit");
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    const [plan] = await world.sql("select id from public.subscriptions where place_id = $1", [
      listing.id,
    ]);
    await owner.submit("/account/purchases", {
      intent: "cancel-plan",
      subscription: String(plan!["id"]),
    });
    const { text } = await world.mailAbout(owner.email, "Your cancellation");
    expect(text).toContain(
      "The listing isn’t yours anymore. A payment for the plan is already on its way from your bank. When it arrives, we’ll refund it.",
    );
    for (const wrong of ["will be Featured", "keep your plan"]) expect(text).not.toContain(wrong);
    expect(await owner.page("/account/purchases")).not.toSay("Keep plan");
  });

  it("says what happens to the payment when the plan is canceled meanwhile, on the page and by email", async () => {
    const { owner, listing } = await payByDebit("debit");
    await owner.submit(billing(listing), { intent: "cancel-plan" });
    const page = await owner.page(billing(listing));
    expect(page).toSay("Your payment is already on its way from your bank.");
    expect(page).not.toSay("stays Featured");
    const mail = await world.mailAbout(owner.email, "Your cancellation");
    expect(mail.text).toContain("When it arrives, “Café X” will be Featured until");
    expect(mail.text).not.toContain("stays Featured");
    await owner.submit(billing(listing), { intent: "keep-plan" });
    expect(await owner.page(billing(listing))).toSay(
      "Your plan continues. Café X becomes Featured when your payment arrives.",
    );
  });

  it("is never Featured when the debit fails, ends if no one pays, and can be bought again", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    await stripe.advanceClock(4 * DAY_MS);
    const page = await owner.page(billing(listing));
    expect(page).toSay("Your payment didn’t go through");
    await world.sql(
      "update public.subscriptions set next_attempt_at = null, period_to = '2099-01-01' where place_id = $1",
      [listing.id],
    );
    expect(await owner.page(billing(listing))).not.toSay("Next charge");
    expect(page).not.toSay("Payment on its way");
    expect(await isFeatured(listing)).toBe(false);
    expect((await world.mailAbout(owner.email, "A payment didn’t go through")).text).toContain(
      "The listing will be Featured once you’ve paid.",
    );
    await stripe.advanceClock(60 * DAY_MS);
    expect(await owner.page(billing(listing))).toSay("This plan has ended");
    expect(await countEmails(owner, "payment-failed")).toBe(1);
    expect(await countEmails(owner, "subscription-ended")).toBe(1);
    expect(await countEmails(owner, "order-receipt")).toBe(0);
    expect(
      await world.sql("select status from public.orders where place_id = $1", [listing.id]),
    ).toEqual([{ status: "failed" }]);
    await buyPlan(owner, listing);
    expect(await isFeatured(listing)).toBe(true);
  });

  it("can be bought again by card as soon as the debit has failed, and is charged once", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    await stripe.advanceClock(4 * DAY_MS);
    const [plan] = await world.sql("select id from public.subscriptions where place_id = $1", [
      listing.id,
    ]);
    await buyPlan(owner, listing);
    expect(await isFeatured(listing)).toBe(true);
    expect(stripe.subscription(String(plan!["id"])).status).toBe("canceled");
    await stripe.advanceClock(20 * DAY_MS);
    const paid = stripe.account.store
      .all("charge")
      .filter(
        (one) => one.paid && one.customer === stripe.subscription(String(plan!["id"])).customer,
      );
    expect(paid).toHaveLength(1);
  });

  it("isn’t said to have ended as its payer asked when the listing’s next owner buys a plan after the debit has failed", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    await stripe.advanceClock(4 * DAY_MS);
    const next = await world.owner();
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    await choosePlan(next, listing);
    const { text } = await world.mailAbout(owner.email, "Your plan has ended");
    expect(text).toContain("Our team has ended your plan for “Café X”.");
    expect(text).not.toContain("as you asked");
  });

  it("is Featured once it is paid by card, after the debit has failed", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    await stripe.advanceClock(4 * DAY_MS);
    const [plan] = await world.sql("select id from public.subscriptions where place_id = $1", [
      listing.id,
    ]);
    await stripe.fixCard(String(plan!["id"]));
    expect(await isFeatured(listing)).toBe(true);
    const page = await owner.page(billing(listing));
    expect(page).toSay("Your plan renews on");
    expect(page).toSay("$29 Paid");
    expect(await countEmails(owner, "order-receipt")).toBe(1);
    expect(
      await world.sql("select status from public.orders where place_id = $1", [listing.id]),
    ).toEqual([{ status: "paid" }]);
  });

  it("uses it up for other listings also when the debit has failed, as long as its bill can be paid", async () => {
    const { owner, listing } = await payByDebit("debit_fails");
    const another = await world.listing({ owner, name: "Café Y" });
    await stripe.advanceClock(4 * DAY_MS);
    expect(sessionAt(await choosePlan(owner, another)).amount_total).toBe(4900);
    // Here it ends the plan whose payment has failed.
    expect(sessionAt(await choosePlan(owner, listing)).amount_total).toBe(2900);
  });

  it("uses up the first month at its lower price while its money is on its way", async () => {
    const { owner, listing } = await payByDebit("debit");
    const other = await world.listing({ owner, name: "Café Y" });
    const next = await choosePlan(owner, other);
    expect(sessionAt(next).amount_total).toBe(4900);
    await stripe.advanceClock(4 * DAY_MS);
    expect(await owner.page(billing(listing))).toSay("$29 Paid");
  });
});
