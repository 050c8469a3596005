import { afterEach, describe, expect, it } from "vitest";

import { PLANS } from "~/modules/billing/catalog";
import { formatDollars } from "~/modules/billing/prices";

import { recordCalls } from "../support/calls";
import { findListingCard } from "../support/listing-card";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });

afterEach(() => world.stripe.resumeWebhooks());

async function ownerWith(name: string, fields: Record<string, unknown> = {}) {
  const owner = await world.owner();
  return { owner, listing: await world.listing({ owner, name, ...fields }) };
}
/** Goes to the payment of a plan. Returns the checkout's URL. */
async function choose(
  owner: Member,
  listing: { id: number },
  plan = "six_months",
): Promise<string> {
  const sent = await owner.post("/upgrade", { intent: "upgrade", place: listing.id, plan });
  expect(sent.location).toMatch(new RegExp(`^${world.stripe.url}/`));
  return sent.location!;
}
const sessionOf = (checkout: string) =>
  world.stripe.session(new URL(checkout).pathname.split("/").at(-1)!);
const pathOf = (address: string) => address.slice(world.appUrl.length);
/** Buys a plan. Returns the subscription's id. */
async function upgrade(owner: Member, listing: { id: number }, plan?: string): Promise<string> {
  const checkout = await choose(owner, listing, plan);
  await world.stripe.pay(checkout);
  return sessionOf(checkout).subscription as string;
}

describe("the page", () => {
  it("is open to everyone, shows the offer, and asks to sign in", async () => {
    const page = await world.anonymous().page("/upgrade?place=7");
    expect(page.status).toBe(200);
    for (const text of [
      "Be the first place they see.",
      "$49 a month",
      "Your first month is $29",
      "$216 every 6 months",
      "1.5 months free",
      "$408 every 12 months",
      "3.5 months free",
      "Sign in to your account",
    ]) {
      expect(page).toSay(text);
    }
    // Signing in there leads back to this page.
    expect(page.value("redirectTo")).toBe("/upgrade?place=7");
    expect(page.body).toContain('action="/login?redirectTo=%2Fupgrade%3Fplace%3D7"');
  });

  it("has no sidebar, signed in or not", async () => {
    const { owner } = await ownerWith("Café X");
    for (const person of [owner, world.anonymous()])
      expect((await person.page("/upgrade")).body).not.toContain('class="sidebar"');
  });

  it("offers only the owner's listings that are not Featured", async () => {
    const { owner } = await ownerWith("Plain");
    await world.listing({ owner, name: "Featured already", premium: true });
    await world.listing({ owner, name: "Taken out", status: "archived" });
    await world.listing({ name: "Somebody else’s" });
    await world.listing({ name: "Mine to claim", owner_email: owner.email });
    const page = await owner.page("/upgrade");
    expect(page).toSay("Plain (San Francisco, CA)");
    for (const text of ["Featured already", "Taken out", "Somebody else’s", "Mine to claim"])
      expect(page).not.toSay(text);
    expect(page).not.toSay("A listing that isn’t public");
  });

  it("says which listings aren’t public yet, and sells nothing for those that no one would see", async () => {
    const { owner } = await ownerWith("Plain");
    await world.listing({ owner, name: "Waiting", status: "new" });
    await world.listing({ owner, name: "On holiday", hidden: true });
    const unseen = [
      await world.listing({ owner, name: "Looked into", status: "flagged" }),
      await world.listing({ owner, name: "Leaving", archive_requested: true }),
    ];
    const page = await owner.page("/upgrade");
    expect(page).toSay("Waiting (San Francisco, CA; not public yet)");
    expect(page).toSay("On holiday (San Francisco, CA; hidden)");
    expect(page).toSay("If the listing isn’t public yet, it becomes Featured once it is.");
    for (const name of ["Looked into", "Leaving"]) expect(page).not.toSay(name);
    for (const { id } of unseen)
      expect(await owner.page(`/listings/${id}/billing`)).not.toSay("Upgrade now");
    expect(await owner.page(`/listings/${unseen[0]!.id}/visibility`)).toSay(
      "No one can see it right now. Our team is looking into it.",
    );
    for (const { id } of unseen)
      expect(
        await owner.submit("/upgrade", { intent: "upgrade", place: id, plan: "monthly" }),
      ).toSay("so it can’t be Featured right now");
    await world.sql(
      "delete from public.places where owner = $1 and status = 'published' and not archive_requested",
      [owner.id],
    );
    await world.sql("delete from public.places where owner = $1 and status = 'new'", [owner.id]);
    expect(await owner.page("/upgrade")).toSay("None of your listings can be Featured right now");
  });

  it("preselects the requested listing, or the only one", async () => {
    const { owner, listing } = await ownerWith("First");
    expect((await owner.page("/upgrade")).chosen("place")).toBe(String(listing.id));
    const second = await world.listing({ owner, name: "Second" });
    expect((await owner.page("/upgrade")).chosen("place")).toBeUndefined();
    expect((await owner.page(`/upgrade?place=${second.id}`)).chosen("place")).toBe(
      String(second.id),
    );
  });

  it("takes two sequential calls to the database", async () => {
    const { owner } = await ownerWith("Café X");
    expect(await owner.page("/upgrade")).toTakeAtMostSequentialCalls(2);
  });

  it("says what to do without a listing, or without one to upgrade", async () => {
    const owner = await world.owner();
    expect(await owner.page("/upgrade")).toSay("First, put your organization on the map");
    await world.listing({ owner, premium: true });
    expect(await owner.page("/upgrade")).toSay("All of your listings are Featured");
  });
});

describe("the form", () => {
  it.each([
    ["no listing", { place: "" }, "place", "Please select a listing to be featured!"],
    ["an invalid listing", { place: "-1" }, "place", "Please select a listing to be featured!"],
    ["no plan", { plan: undefined }, "plan", "Please choose one of the plans."],
    ["an unknown plan", { plan: "free_forever" }, "plan", "Please choose one of the plans."],
  ])("rejects %s beside its field and keeps the rest", async (_what, fields, field, message) => {
    const { owner, listing } = await ownerWith("Café X");
    const sent = await owner.post("/upgrade", {
      intent: "upgrade",
      place: listing.id,
      plan: "monthly",
      ...fields,
    });
    expect(sent).toBeRefusedWith(message, { field, status: 400 });
    expect(
      await world.sql("select from public.orders where place_id = $1", [listing.id]),
    ).toHaveLength(0);
  });

  it("rejects someone else’s listing and a Featured one", async () => {
    const { listing } = await ownerWith("Theirs");
    const { owner } = await ownerWith("Mine");
    expect(
      await owner.post("/upgrade", { intent: "upgrade", place: listing.id, plan: "monthly" }),
    ).toBeRefusedWith("Please select a listing to be featured!", { field: "place", status: 409 });
    const featured = await world.listing({ owner, premium: true });
    expect(
      await owner.post("/upgrade", { intent: "upgrade", place: featured.id, plan: "monthly" }),
    ).toBeRefusedWith("This listing is already Featured.", { status: 409 });
  });

  it.each(PLANS)(
    "charges the price that the page shows for $id, whatever price is sent",
    async ({ id, cents, months, firstOff }) => {
      const { owner, listing } = await ownerWith("Café X");
      const page = await owner.page("/upgrade");
      expect(page).toSay(
        id === "monthly_bipoc"
          ? `other people of color ${formatDollars(cents)} a month`
          : months === 1
            ? `${formatDollars(cents)} a month`
            : `${formatDollars(cents)} every ${months} months`,
      );
      const sent = await owner.post("/upgrade", {
        intent: "upgrade",
        place: listing.id,
        plan: id,
        price: 1,
        unit_price_cents: 1,
        cents: 1,
      });
      const session = sessionOf(sent.location!);
      expect(session).toMatchObject({
        mode: "subscription",
        amount_subtotal: cents,
        amount_total: cents - (firstOff?.cents ?? 0),
        currency: "usd",
      });
      if (firstOff)
        expect(page).toSay(`Your first month is ${formatDollars(cents - firstOff.cents)}`);
      // Stripe’s page takes promotion codes where no discount of ours applies.
      expect(session.allow_promotion_codes ?? false).toBe(firstOff === undefined);

      const subscription = world.stripe.subscription(await upgrade(owner, listing, id));
      expect(subscription.items.data[0]!.price).toMatchObject({
        unit_amount: cents,
        recurring: { interval: "month", interval_count: months },
      });
    },
  );

  it("sends Stripe an email address and ids, and nothing about the buyer’s identity", async () => {
    const { owner, listing } = await ownerWith("Queer Bakery");
    const session = sessionOf(await choose(owner, listing, "monthly_bipoc"));
    const [order] = await world.sql("select id from public.orders where place_id = $1", [
      listing.id,
    ]);
    expect(session.client_reference_id).toBe(order!.id);
    expect(session.metadata).toEqual({
      order: order!.id,
      place_id: String(listing.id),
      user: owner.id,
    });
    const customer = world.stripe.account.store
      .all("customer")
      .find(({ id }) => id === session.customer)!;
    expect(customer).toMatchObject({
      email: owner.email,
      name: null,
      metadata: { user: owner.id },
    });
    const sent = JSON.stringify([
      session,
      customer,
      world.stripe.account.store.all("price"),
      world.stripe.account.store.all("product"),
    ]);
    for (const secret of ["bipoc", "Queer Bakery", "color", owner.fullName])
      expect(sent).not.toContain(secret);
  });

  it("asks to sign in again when the session has ended", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await world.sql("delete from auth.sessions where user_id = $1", [owner.id]);
    expect(
      (await owner.post("/upgrade", { intent: "upgrade", place: listing.id, plan: "monthly" }))
        .location,
    ).toMatch(/^\/login\?redirectTo=/);
  });
});

describe("after payment, the page", () => {
  it("congratulates, and the listing is Featured, with its statistics and billing", async () => {
    const { owner, listing } = await ownerWith("Café X");
    expect(await owner.page("/listings")).not.toSay("Manage billing");
    const checkout = await choose(owner, listing);
    const back = await world.stripe.pay(checkout);
    expect(back).toContain("/upgrade?success=true&value=216&session_id=cs_");

    const page = await owner.page(pathOf(back));
    expect(page.heading).toBe("Congratulations, you’re a Founding Supporter!");
    expect(page).toSay("“Café X” is now Featured.");
    const { subscription, customer } = sessionOf(checkout);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      stripe_cus_id: customer,
      stripe_subscription_id: subscription,
      subscription_status: "active",
      subscription_ends_at: null,
    });
    expect((await world.row("places", listing.id))!.premium_created_at).not.toBeNull();
    const [seen] = await world.sql(
      "select premium2, stripe_cus_id from public.places_with_stats where id = $1",
      [listing.id],
    );
    expect(seen).toEqual({ premium2: true, stripe_cus_id: customer });
    expect(findListingCard(await owner.page("/listings"), listing.id)).toContain(
      `aria-label="Manage billing: Café X"`,
    );
    expect((await world.mailAbout(owner.email, "Your receipt")).text).toContain(
      "You paid $216 for a Featured listing.",
    );
  });

  it.each([
    ["hidden", { hidden: true }],
    ["flagged", { status: "flagged" }],
  ])("says so when no one can find the listing, because it was %s meanwhile", async (_, state) => {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await choose(owner, listing);
    const [[column, value]] = Object.entries(state) as [[string, unknown]];
    await world.sql(`update public.places set ${column} = $2 where id = $1`, [listing.id, value]);
    const page = await owner.page(pathOf(await world.stripe.pay(checkout)));
    expect(page).toSay(
      "“Café X” is now Featured, and people will see that once they can find it. Thank you",
    );
  });

  it("leaves the version of the listing and its place in the queue unchanged", async () => {
    const { owner, listing } = await ownerWith("Café X", { status: "new" });
    const before = await world.row("places", listing.id);
    await upgrade(owner, listing);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      version: before!.version,
      modified_at: before!.modified_at,
    });
  });

  it("shows that the payment is being confirmed until its event arrives, and checks on request", async () => {
    const { owner, listing } = await ownerWith("Café X");
    world.stripe.pauseWebhooks();
    const back = pathOf(await world.stripe.pay(await choose(owner, listing)));
    const waiting = await owner.page(back);
    expect(waiting).toSay("We’re confirming your payment");
    expect(waiting).not.toSay("Congratulations");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });

    expect(
      await owner.post(back, { intent: "check-payment", order: waiting.value("order") }),
    ).toRedirectTo(back);
    expect(await owner.page(back)).toSay("Congratulations, you’re a Founding Supporter!");
    // Events that arrive later change nothing.
    const featured = await world.row("places", listing.id);
    await world.stripe.resumeWebhooks();
    expect(await world.row("places", listing.id)).toEqual(featured);
  });

  it("says nothing of a payment once its plan has ended", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await choose(owner, listing);
    const back = pathOf(await world.stripe.pay(checkout));
    await world.stripe.sdk.subscriptions.cancel(sessionOf(checkout).subscription as string);
    await world.stripe.resumeWebhooks();
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
    const page = await owner.page(back);
    expect(page).not.toSay("confirming");
    expect(page).not.toSay("Congratulations");
    expect(page).toSay("Be the first place they see.");
  });

  it("says that a debit takes days, and that there is nothing to pay again", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await world.stripe.acceptDebits(await choose(owner, listing));
    const page = await owner.page(pathOf(await world.stripe.pay(checkout, { card: "debit" })));
    expect(page.heading).toBe("Almost there");
    expect(page).toSay("Your bank can take a few days.");
  });

  it("doesn’t tell a listing’s next owner that a payment is on its way that is its former owner’s", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const next = await world.owner();
    await world.stripe.pay(await choose(owner, listing), { card: "debit" });
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, next.id]);
    const form = { intent: "upgrade", place: String(listing.id), plan: "monthly" };
    const page = await next.submit("/upgrade", form);
    expect(page).not.toSay("Your payment is on its way");
    expect(page).toSay("Someone else’s payment for this is still on its way from their bank.");
  });

  it("congratulates no one because of an invented URL", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await ownerWith("Other");
    const back = await world.stripe.pay(await choose(other.owner, other.listing));
    const theirs = new URL(back).searchParams.get("session_id")!;
    for (const query of [
      "",
      "&value=216",
      "&session_id=cs_test_1",
      `&session_id=${theirs}`,
      "&session_id=%7BCHECKOUT_SESSION_ID%7D",
    ]) {
      const page = await owner.page(`/upgrade?success=true${query}`);
      expect(page).not.toSay("Congratulations");
      expect(page).not.toSay("confirming");
    }
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
    expect(await world.anonymous().page(`/upgrade?success=true&session_id=${theirs}`)).not.toSay(
      "Congratulations",
    );
  });

  it("of a canceled checkout has the listing and plan selected and reuses the checkout", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await world.listing({ owner, name: "Another" });
    const checkout = await choose(owner, listing, "twelve_months");
    const page = await owner.page(pathOf(world.stripe.cancelUrl(checkout)!));
    expect(page).toSay("Not paid yet");
    expect(page.chosen("place")).toBe(String(listing.id));
    expect(
      [...page.body.matchAll(/<input[^>]*name="plan"[^>]*>/g)]
        .filter(([radio]) => radio.includes("checked"))
        .join(),
    ).toContain('value="twelve_months"');
    expect(await choose(owner, listing, "twelve_months")).toBe(checkout);
  });
});

describe("a subscription", () => {
  it("that is canceled stays active until its period ends, which the page shows", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await upgrade(owner, listing, "monthly");
    await world.stripe.cancelAtPeriodEnd(subscription);
    // (A line doesn't end within the date.)
    const text = /Featured until \w+\s\d+,\s\d{4}/;
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
    expect(findListingCard(await owner.page("/listings"), listing.id)).toMatch(text);
    expect((await owner.page(`/listings/${listing.id}/billing`)).text).toMatch(
      /Canceled, but Featured until \w+ \d+, \d{4}/,
    );

    await world.stripe.undoCancellation(subscription);
    expect(findListingCard(await owner.page("/listings"), listing.id)).not.toMatch(text);
    await world.stripe.cancelNow(subscription);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: false,
      subscription_status: "canceled",
      subscription_ends_at: null,
    });
    expect(await owner.page("/listings")).toSay("Upgrade to see");
    expect(await owner.page("/listings")).not.toSay("Manage billing");
    // The listing can be upgraded again.
    await upgrade(owner, listing, "twelve_months");
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "active",
    });
    await world.stripe.deliver(world.stripe.events("customer.subscription").map(({ id }) => id));
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "active",
    });
  });

  it("whose payment fails keeps the listing Featured, and its owner gets one email per bill on how to fix it", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await upgrade(owner, listing, "monthly");
    await world.stripe.renew(subscription, "declined");
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "past_due",
    });
    const shown = findListingCard(await owner.page("/listings"), listing.id);
    expect(shown).toContain("Payment failed");
    expect(shown).toContain("while we retry the payment. Please update your card.");
    expect((await world.mailAbout(owner.email, "A payment didn’t go through")).text).toContain(
      "Please update your card before then.",
    );
    expect(
      await world.sql(
        "select from private.email_queue where kind = 'payment-failed' and recipient = $1",
        [owner.id],
      ),
    ).toHaveLength(1);

    await world.stripe.fixCard(subscription);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "active",
    });
    expect(await owner.page("/listings")).not.toSay("Payment failed");
  });

  it.each(["cancel", "unpaid"] as const)(
    "that ends after all retries (%s) no longer features the listing",
    async (outcome) => {
      world.stripe.afterRetries(outcome);
      const { owner, listing } = await ownerWith("Café X");
      const subscription = await upgrade(owner, listing, "monthly");
      await world.stripe.renew(subscription, "declined");
      await world.stripe.advanceClock(40 * 24 * 60 * 60 * 1000);
      expect(await world.row("places", listing.id)).toMatchObject({
        premium: false,
        subscription_status: outcome === "cancel" ? "canceled" : "unpaid",
      });
      world.stripe.afterRetries("cancel");
    },
  );

  it("that ended unpaid never becomes active beside the one that replaces it", async () => {
    world.stripe.afterRetries("unpaid");
    const { owner, listing } = await ownerWith("Café X");
    const old = await upgrade(owner, listing, "monthly");
    await world.stripe.renew(old, "declined");
    await world.stripe.advanceClock(40 * 24 * 60 * 60 * 1000);
    expect(world.stripe.subscription(old).status).toBe("unpaid");
    expect(await owner.page("/listings")).toSay("You can upgrade it again.");

    const bought = await upgrade(owner, listing, "six_months");
    expect(world.stripe.subscription(old).status).toBe("canceled");
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      stripe_subscription_id: bought,
      subscription_status: "active",
    });
    // Nor is it paid for by a link in an older email of Stripe's.
    const { data } = await world.stripe.sdk.invoices.list({ subscription: old, status: "open" });
    expect(data).toEqual([]);
    world.stripe.afterRetries("cancel");
  });

  it("that is older than the orders is found through its listing", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const subscription = await upgrade(owner, listing);
    // As the former client stored it.
    await world.sql("update public.orders set stripe_subscription_id = null where place_id = $1", [
      listing.id,
    ]);
    await world.sql("delete from public.payments where subscription_id = $1", [subscription]);
    await world.sql("delete from public.subscriptions where place_id = $1", [listing.id]);
    const { account } = world.stripe;
    account.store.transaction(() =>
      account.store.put("subscription", subscription, {
        ...account.get("subscription", subscription),
        metadata: { place: "Café X" },
      }),
    );
    await world.stripe.cancelAtPeriodEnd(subscription);
    expect((await world.row("places", listing.id))!.subscription_ends_at).not.toBeNull();
    await world.stripe.cancelNow(subscription);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: false,
      subscription_status: "canceled",
    });
  });
});

it("someone who makes us call Stripe all the time is paused, and reads until when", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const other = await ownerWith("Bar Y");
  await upgrade(owner, listing);
  const [order] = await world.sql("select id from public.orders where owner = $1", [owner.id]);
  const [payment] = await world.sql("select id from public.payments where owner = $1", [owner.id]);
  const free = await world.listing({ owner });
  await world.sql("update public.rate_limits set hits = 100");
  const { calls } = await recordCalls(world.stripe.url, async () => {
    const form = { intent: "upgrade", place: free.id, plan: "monthly" };
    const billing = ["change-plan", "cancel-plan", "check-plan", ""];
    for (const answer of [
      await owner.submit("/upgrade", form),
      ...(await Promise.all(
        billing.map((intent) => owner.submit(`/listings/${listing.id}/billing`, { intent })),
      )),
    ]) {
      expect(answer).toHaveStatus(409);
      expect(answer.text).toMatch(/we’ve paused yours\. Please wait \d+ minutes and try again\./);
    }
    for (const intent of ["check-payment", "abandon-checkout"]) {
      const answer = await owner.post("/jobs", { intent, order: order!["id"] as string });
      expect(answer).toRedirectTo("/jobs");
      expect(await owner.page("/jobs")).toSay("we’ve paused yours");
    }
    for (const answer of [
      await owner.page("/account/invoices"),
      await owner.submit("/account/invoices", { intent: "stop" }),
      await owner.page(`/account/purchases/${payment!["id"] as string}/receipt`),
    ])
      expect(answer).toHaveStatus(429);
  });
  expect(calls).toEqual([]);
  // Everyone else goes on.
  await choose(other.owner, other.listing);
});

describe("manage billing", () => {
  it("opens Stripe’s page for the listing’s own customer, which leads back home", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await upgrade(owner, listing);
    const sent = await owner.post(`/listings/${listing.id}/billing`, {
      customer: "cus_of_another_owner",
    });
    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(new RegExp(`^${world.stripe.url}/`));
    const portal = world.stripe.account.store.all("billing_portal.session").at(0)!;
    expect(portal).toMatchObject({
      customer: (await world.row("places", listing.id))!.stripe_cus_id,
      return_url: `${world.appUrl}/`,
    });
  });

  it("is allowed by the content security policy of the page", async () => {
    const { owner } = await ownerWith("Café X");
    const policy = (await owner.page("/listings")).headers.get("Content-Security-Policy");
    const targets = /form-action ([^;]*);/.exec(policy!)?.[1]?.split(" ");
    expect(targets).toEqual(expect.arrayContaining(["'self'", world.stripe.url]));
  });

  it("updates the customer to the account’s current email address", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await upgrade(owner, listing);
    const customer = String((await world.row("places", listing.id))!.stripe_cus_id);
    await world.sql("update auth.users set email = 'safe@example.test' where id = $1", [owner.id]);
    // The change has ended their session.
    const again = world.anonymous();
    await again.post("/login", { email: "safe@example.test", password: owner.password });
    await again.post(`/listings/${listing.id}/billing`);
    expect(world.stripe.account.get("customer", customer)).toMatchObject({
      email: "safe@example.test",
    });
  });

  it("is refused for a listing that someone else pays for, because it would show their cards", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await upgrade(owner, listing);
    const heir = await world.owner();
    await world.sql("update public.places set owner = $1 where id = $2", [heir.id, listing.id]);
    const page = await heir.submit(`/listings/${listing.id}/billing`);
    expect(page.status).toBe(409);
    expect(page).toSay("Someone else’s account pays for this listing");
    expect(await owner.post(`/listings/${listing.id}/billing`)).toBeNotFound();
  });

  it("is refused for a customer of before the orders, once the listing has another owner", async () => {
    for (const reported of [false, true]) {
      const seller = await world.owner();
      const customer = await world.stripe.sdk.customers.create({ email: "seller@example.test" });
      const subscription = `sub_legacy_${customer.id}`;
      const listing = await world.listing({
        owner: seller,
        premium: true,
        stripe_cus_id: customer.id,
        stripe_subscription_id: subscription,
        subscription_status: "active",
      });
      const billing = `/listings/${listing.id}/billing`;
      expect((await seller.post(billing)).status).toBe(303);
      const heir = await world.owner();
      if (reported)
        await world.insert("subscriptions", {
          id: subscription,
          place_id: listing.id,
          owner: seller.id,
          stripe_customer_id: customer.id,
          status: "active",
          started_at: "2026-01-01T00:00:00Z",
        });
      await world.sql("update public.places set owner = $1 where id = $2", [heir.id, listing.id]);
      // A listing that was given away before it lost its customer with its owner.
      if (reported)
        await world.sql("update public.places set stripe_cus_id = $1 where id = $2", [
          customer.id,
          listing.id,
        ]);
      const page = await heir.submit(billing);
      expect(page.status).toBe(409);
      expect(page).toSay("Someone else’s account pays for this listing");
      expect(world.stripe.account.get("customer", customer.id)).toMatchObject({
        email: seller.email,
      });
    }
  });

  it("says so when there is no subscription", async () => {
    const { owner, listing } = await ownerWith("Café X", { premium: true });
    const page = await owner.submit(`/listings/${listing.id}/billing`);
    expect(page.status).toBe(409);
    expect(page).toSay("Featured without a plan");
  });
});
