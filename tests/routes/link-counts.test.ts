/** The counts beside the links of the sidebar: what needs attention, what waits for the team, and how much there is. */
import { delay, http, HttpResponse } from "msw";
import { expect, it } from "vitest";

import { useLongDeadlines } from "../support/long-deadlines";
import { outside } from "../support/outside";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();
const counts = `${world.supabase.url}/rest/v1/rpc/my_counts`;

async function arrange(owner: Member) {
  const asked = await world.listing({ owner, name: "Asked Café", changes_requested: "Please." });
  // In two ways, and counted once.
  await world.listing({
    owner,
    name: "Unpaid Bar",
    changes_requested: "Please.",
    subscription_status: "past_due",
    stripe_cus_id: "cus_1",
  });
  await world.listing({ owner: null, owner_email: owner.email, name: "To Claim" });
  await world.listing({ owner, name: "Fine" });
  await world.insert("listing_drafts", { owner: owner.id, fields: { name: "Begun" } });
  const lead = await world.insert("leads", {
    place_id: asked.id,
    requester_name: "Kai",
    requester_email: "kai@example.test",
    message: "Hi",
  });
  return `/leads/${String(lead["id"])}`;
}

it("counts for an owner what needs them, as the listings page does, and less once it is done", async () => {
  useLongDeadlines();
  const [owner, other] = [await world.owner(), await world.owner()];
  const lead = await arrange(owner);
  const page = await owner.page("/listings");
  expect(page).toSay("Needs your attention 4");
  expect(page).toSay("Business Listings 4 waiting");
  expect(page).toSay("Leads 1 waiting");
  expect(page).toTakeAtMostSequentialCalls(2);
  expect(page.calls.filter(({ name }) => name.includes("my_counts"))).toHaveLength(1);
  expect(page.text).not.toContain("in all");

  const version = (await owner.page(lead)).value("version")!;
  const answered = await owner.submit(lead, { state: "replied", notes: "", version });
  const after = answered.location ? await owner.page(answered.location) : answered;
  expect(after).toSay("Business Listings 4 waiting");
  expect(after.text).not.toContain("Leads 1");
  expect((await other.page("/")).text).not.toMatch(/(Listings|Leads) \d/);
});

it("counts for a manager what they can do, and no payment of the owner", async () => {
  useLongDeadlines();
  const [owner, manager] = [await world.owner(), await world.owner()];
  const lead = await arrange(owner);
  await world.sql(
    "insert into public.listing_managers (place_id, profile_id) select id, $1 from public.places where owner = $2",
    [manager.id, owner.id],
  );
  await world.sql("update public.places set changes_requested = null where name = 'Unpaid Bar'");
  const page = await manager.page(lead);
  expect(page).toSay("Business Listings 1 waiting");
  expect(page).toSay("Leads 1 waiting");
});

it("counts for an admin what waits in each queue, and how much there is", async () => {
  useLongDeadlines();
  const [admin, owner] = [await world.admin(), await world.owner()];
  await world.sql("delete from public.places");
  const one = await world.listing({ owner, status: "new" });
  for (const status of ["new", "pending-update", "flagged", "published"])
    await world.listing({ owner, status });
  await world.insert("events", { event_name: "report_listing", place: one.id });
  await world.insert("feedback", { feedback: "Lovely" });
  await world.insert("feedback", { feedback: "Old", archived: true });
  const page = await admin.page("/admin");
  for (const text of [
    "New 2 waiting",
    "Pending Updates 1 waiting",
    "Flagged 1 waiting",
    "User Reports 1 waiting",
    "App Feedback 1 waiting",
    "All Listings 5 in all",
  ])
    expect(page).toSay(text);
  expect(page.text).toMatch(/Users \d+ in all/);
  expect(page.text).not.toContain("All Jobs 0");
});

it("shows the page without counts when they fail, or are slow", async () => {
  useLongDeadlines();
  const owner = await world.owner();
  await arrange(owner);
  outside.use(http.post(counts, () => HttpResponse.error()));
  const failed = await owner.page("/listings");
  expect(failed).toHaveStatus(200);
  expect(failed).toSay("Needs your attention 4");
  expect(failed.text).not.toMatch(/Business Listings \d/);
});

it("waits for the counts no longer than a moment", async () => {
  const owner = await world.owner();
  await arrange(owner);
  outside.use(http.post(counts, () => delay("infinite")));
  const { result, waitedMs } = await measureWaiting(() => owner.page("/listings"));
  expect(result).toHaveStatus(200);
  expect(result).toSay("Needs your attention 4");
  // A call that a page needs has four seconds.
  expect(waitedMs).toBeLessThan(3_500);
});
