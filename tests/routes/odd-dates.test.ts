/** A date that no calendar has, from before the database refused it, doesn't take its owner's pages down. */
import { expect, it } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();

it("shows an order with dates that are none", async () => {
  const owner = await world.owner();
  const listing = await world.listing({ owner });
  await world.sql("alter table public.sponsorships drop constraint sponsorship_dates_are_finite");
  await world.sql("alter table public.sponsorships disable trigger t1_guard");
  for (const paid of [false, true]) {
    const [order] = await world.sql(
      `insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates, paid)
       values ($1, 'Come in', $2, '{-infinity,2099-01-06,99999-01-05,infinity}', $3) returning id`,
      [listing.id, owner.id, paid],
    );
    const id = order!["id"] as number;
    expect(await owner.page("/sponsor")).toHaveStatus(200);
    expect(await owner.page(`/sponsor/${id}`)).toHaveStatus(200);
    if (paid) expect(await owner.get(`/sponsor/${id}/calendar.ics`)).toHaveStatus(200);
  }
});
