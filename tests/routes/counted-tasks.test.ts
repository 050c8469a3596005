/**
 * How many steps the most frequent tasks take, from Home, without script: a step is a link, a field, or a button that
 * someone uses. Fewer is better; more fails.
 */
import { expect, it } from "vitest";

import { Visit } from "../support/visit";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });

it("approving 40 edits of 412, those of a phone number alone, takes at most 6 steps", async () => {
  const admin = await world.admin();
  await world.sql(
    `insert into public.places (name, category, state, status, owner_email, phone, last_update)
     select 'Edit ' || i, 1, 'CA', 'pending-update', 'edit-' || i || '@example.test', '+1 505-555-0199',
       case when i <= 40 then '{"phone": "+1 505-555-0100"}'::jsonb else '{"name": "Before", "description": "Old"}' end
     from generate_series(1, 412) i`,
  );
  const visit = await Visit.begin(admin);
  await visit.follow("Pending Updates 412 waiting");
  await visit.follow("Phone only 40");
  visit.use("Select all 40 that match", true);
  await visit.submit("Approve");
  expect(visit.page).toSay("Phone was +1 505-555-0100, now → +1 505-555-0199");
  await visit.submit("Approve 40 listings");
  expect(visit.page.heading).toBe("40 listings approved");
  expect(visit.steps).toBeLessThanOrEqual(6);
});

it("fixing a phone number takes at most 4 steps", async () => {
  const owner = await world.owner();
  const listing = await world.listing({
    owner,
    name: "Café X",
    mailingaddress: "1 Castro St, San Francisco, CA 94114",
    phone: "+1 505-555-0100",
  });
  const visit = await Visit.begin(owner);
  await visit.follow("Business Listings");
  await visit.follow("Edit listing: Café X");
  visit.use(/^Phone/, "+1 505-555-0199");
  await visit.submit("Save Updates");
  expect(visit.page).toSay("Pending Review");
  expect(await world.row("places", listing.id)).toMatchObject({ phone: "+1 505-555-0199" });
  expect(visit.steps).toBeLessThanOrEqual(4);
});

it("answering a lead takes at most 4 steps, with the email that answers it", async () => {
  const owner = await world.owner();
  const listing = await world.listing({ owner, name: "Café X" });
  const lead = await world.insert("leads", {
    place_id: listing.id,
    requester_name: "Kai",
    requester_email: "kai@example.test",
    message: "Are you open on Sunday?",
  });
  const visit = await Visit.begin(owner);
  await visit.follow("Read it: Café X");
  await visit.follow("Reply by email");
  visit.use("Replied", true);
  await visit.submit("Save");
  expect(visit.page).toSay("Saved.");
  expect(await world.row("leads", lead["id"])).toMatchObject({ state: "replied" });
  expect(visit.steps).toBeLessThanOrEqual(4);
});

it("sponsoring two newsletters takes at most 7 steps, with the payment", async () => {
  const owner = await world.owner();
  await world.listing({ owner, name: "Café X" });
  const visit = await Visit.begin(owner);
  await visit.follow("Buy Now: Newsletter Feature");
  visit.use("Business", "Café X");
  visit.use("Promo text", "Cardamom buns before sunrise.");
  visit.use(/^Tue, /, true);
  visit.use(/^Thu, /, true);
  const checkout = (await visit.submit("Save and pay"))!;
  visit.steps += 1;
  await world.stripe.pay(checkout);
  expect(await owner.page("/sponsor")).toSay("Paid");
  expect(visit.steps).toBeLessThanOrEqual(7);
});

it("adding a listing takes at most 12 steps", async () => {
  const owner = await world.owner();
  const visit = await Visit.begin(owner);
  await visit.follow("Business Listings");
  await visit.follow("Add New Listing");
  visit.use("Business Name", "Café New");
  visit.use("Category", "Café or Bakery");
  visit.use("About/Bio", "A place for everyone.");
  visit.use("Address", "1 Castro St, San Francisco, CA 94114");
  visit.use("Mailing address is the same as the address", true);
  visit.use(/^I agree to have this listing shown publicly/, true);
  visit.use(/^I certify that this business/, true);
  await visit.submit("Submit For Approval");
  visit.use(/San Francisco/, true);
  await visit.submit("Submit For Approval");
  expect(visit.page).toSay("Your listing has been submitted for review!");
  expect(visit.steps).toBeLessThanOrEqual(12);
});
