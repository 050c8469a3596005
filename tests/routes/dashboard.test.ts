import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";

import { http } from "msw";
import { describe, expect, it } from "vitest";

import { findListingCard } from "../support/listing-card";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({
  env: { DIRECTORY_LISTING_URL: "https://map.example.test/place/{id}" },
});

/** The text of one listing's card or row. */
function card(page: { body: string }, id: number): string {
  return findListingCard(page, id)
    .replace(/<[^>]+>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}

const namesOn = (page: { body: string }) =>
  [
    ...page.body.matchAll(/<div class="(?:head|named)"><h3 dir="auto">(.*?)<\/h3><p dir="auto">/g),
  ].map(([, name]) => name);
const setStats = (id: number, views: number, favorites: number) =>
  world.sql(
    "insert into public.place_stats (place_id, views, favorites) values ($1, $2, $3) on conflict (place_id) do update set views = $2, favorites = $3",
    [id, views, favorites],
  );
const neighbors = (lat: number, people: number) =>
  world.sql(
    "insert into private.position_counts (lat, long, people) values ($1, 10, $2) on conflict (lat, long) do update set people = $2",
    [lat, people],
  );

describe("the empty dashboard", () => {
  it("greets, offers one button, and sells nothing", async () => {
    const owner = await world.owner();
    const page = await owner.page("/listings");
    expect(page).toSay(
      "Hi Friend! It looks like you don’t have any business listings yet. Let’s get your organization on the map!",
    );
    expect(page.body.match(/href="\/listings\/new"/g)).toHaveLength(1);
    expect(page.body).toContain('class="illustration"');
    expect(page).not.toSay("Featured");
    expect(page).not.toSay("Search");
    expect(page).not.toSay("Next page");
  });
});

describe("a listing", () => {
  it("shows name, place and state, and leads to the form", async () => {
    const owner = await world.owner();
    const listing = await world.listing({
      owner,
      name: "Café <X> & Söhne",
      city: "Oakland",
      state: "CA",
    });
    const page = await owner.page("/listings");
    expect(page.heading).toBe("Business Listings");
    expect(page).toSay("Add, update, and promote your business or organization.");
    expect(page).toSay("Café <X> & Söhne Oakland, CA Published");
    expect(page.body).toContain('aria-label="Edit listing: Café &lt;X&gt; &amp; Söhne"');
    expect(page.body).toContain(`href="/listings/${listing.id}?back=%2Flistings"`);
    expect(page.body).not.toContain("card-featured");
  });

  it("that is Featured is a card with the rainbow and its numbers, from the thresholds on", async () => {
    const owner = await world.owner();
    const few = await world.listing({ owner, name: "Few", premium: true, lat: 60, long: 10 });
    const many = await world.listing({ owner, name: "Many", premium: true, lat: -60, long: 10 });
    await neighbors(60, 49);
    await neighbors(-60, 1259);
    await setStats(few.id, 24, 3);
    await setStats(many.id, 25, 0);
    const page = await owner.page("/listings");
    expect(page.body.match(/card-featured/g)).toHaveLength(2);
    expect(page).toSay("Featured Views: past 4 full weeks vs. the 4 before");
    expect(card(page, few.id)).toMatch(/Nearby users < 50 Views, all time < 25 Favorites 3/);
    expect(card(page, many.id)).toMatch(/Nearby users 1,2[2-5]0 Views, all time 25 Favorites 0/);
    expect(page).not.toSay("Upgrade to see");
  });

  it("that is not Featured is a row that says what an upgrade would show, and leads to it by its name", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    await setStats(listing.id, 7_654_321, 8_765_432);
    const page = await owner.page("/listings");
    expect(card(page, listing.id).match(/Upgrade to see/g)).toHaveLength(1);
    const [, ...places] = page.body.split('href="/upgrade?place=');
    expect(places.every((rest) => rest.startsWith(`${listing.id}"`))).toBe(true);
    expect(page.body).toContain(
      `aria-label="Upgrade to see nearby users, views and favorites: ${listing.name}"`,
    );
    expect(page.body).toContain('href="/upgrade">Upgrade now</a>');
    expect(page.body).not.toMatch(/7,?654,?321|8,?765,?432/);
    expect(page).not.toSay("Manage billing");
  });

  it("draws twelve weeks of a Featured listing, with the numbers in a table, and no inline style", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, premium: true });
    for (const [ago, count] of [
      [0, 2],
      [1, 5],
      [11, 3],
      [12, 100],
    ] as const) {
      await world.sql(
        `insert into public.place_views (place_id, hour, visitor)
         select $1, date_trunc('week', now(), 'UTC') - make_interval(weeks => $2), lpad(n::text, 64, '0') from generate_series(1, $3) n`,
        [listing.id, ago, count],
      );
    }
    const page = await owner.page("/listings");
    expect(page).toSay("5 in the past 4 weeks By week");
    const table = /<table aria-label="Views by week: .*?<\/table>/s.exec(page.body)![0];
    expect([...table.matchAll(/<td>(.*?)<\/td>/g)].map(([, count]) => Number(count))).toEqual([
      3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2,
    ]);
    expect(page.body).not.toMatch(/<[^>]+ style=/);
    // All of them count in the total, though the chart goes back twelve weeks only.
    expect(card(page, listing.id)).toContain("Views, all time 110");
  });

  it.each([
    // The current week, which is not over, is in neither sum.
    [[50, 3, 3, 3, 3, 2, 2, 2, 2], "12 in the past 4 weeks ▲ up 50%"],
    [[50, 1, 1, 1, 1, 2, 2, 2, 2], "4 in the past 4 weeks ▼ down 50%"],
    [[50, 2, 2, 2, 2, 2, 2, 2, 2], "8 in the past 4 weeks same"],
    [[50, 2, 2, 2, 2, 0, 0, 0, 0], "8 in the past 4 weeks By week"],
  ])("compares the views of four weeks with the four before: %j", async (weeks, words) => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, premium: true });
    await world.sql(
      `insert into private.place_view_weeks (place_id, week, views)
       select $1::bigint, private.week_of(now()) - 7 * (n - 1)::integer, views from unnest($2::integer[]) with ordinality w (views, n)`,
      [id, weeks],
    );
    await setStats(
      id,
      weeks.reduce((sum, views) => sum + views, 0),
      0,
    );
    const text = card(await owner.page("/listings"), id);
    expect(text.replace(/(\d) (?=%)/g, "$1")).toContain(words);
    // Nearby users and favorites have no history.
    expect(text.match(/same|%/g) ?? []).toHaveLength(words.endsWith("By week") ? 0 : 1);
  });

  it("has a preview only when the listing has a place on the map", async () => {
    const owner = await world.owner();
    const mapped = await world.listing({ owner, name: "Mapped", proxi_id: "map-1" });
    await world.listing({ owner, name: "Unmapped" });
    const page = await owner.page("/listings");
    expect(page.body.match(/https:\/\/map\.example\.test\/place\/\d+"/g)).toEqual([
      `https://map.example.test/place/${mapped.id}"`,
    ]);
    expect(page.body).toContain('aria-label="Preview listing: Mapped"');
  });

  it.each([
    [
      { status: "new", changes_requested: "Please add <the> number." },
      "Changes requested Please add <the> number.",
    ],
    [{ premium: true, subscription_status: "past_due", stripe_cus_id: "cus_1" }, "Payment failed"],
    [{ subscription_status: "unpaid", stripe_cus_id: "cus_1" }, "No longer Featured"],
    [{ status: "new", state: null }, "Its address has no state"],
    [{ status: "new", owner_email: null }, "It has no owner email"],
    [
      { status: "pending-update", last_update: JSON.stringify({ name: "Old" }) },
      "Pending Review Your changes are waiting for review: Business Name.",
    ],
    [{ hidden: true }, "Hidden It won’t appear in the directory"],
    [
      { archive_requested: true },
      "You’ve asked us to remove this listing. It’s public until we do.",
    ],
    [
      { archive_requested: true, hidden: true },
      "You’ve asked us to remove this listing. It’s hidden until we do.",
    ],
    [{ city: null, state: null }, "No address yet"],
  ])("says what it needs: %o", async (fields, words) => {
    const owner = await world.owner();
    await world.listing({ owner, ...fields });
    expect(await owner.page("/listings")).toSay(words);
  });

  it("without an owner asks whether it is theirs; what they own already they need not claim", async () => {
    const owner = await world.owner();
    const unclaimed = await world.listing({
      owner: null,
      owner_email: owner.email,
      name: "Waiting",
      premium: true,
    });
    const owned = await world.listing({ owner, name: "Mine" });
    const page = await owner.page("/listings");
    expect(card(page, unclaimed.id)).toContain(
      "Is this your listing? It has your email address but no owner yet.",
    );
    expect(page.body).toContain('aria-label="Claim it: Waiting"');
    expect(card(page, unclaimed.id)).not.toContain("More");
    expect(page.body).not.toContain("card-featured");
    expect(card(page, owned.id)).not.toContain("Claim it");
  });

  it("says under More what its row doesn't, and nothing twice", async () => {
    const owner = await world.owner();
    const note = "Please name the street.";
    const long = `Please ${"describe the place and ".repeat(10)}end.`;
    const ask = async (changes_requested: string) => {
      const listing = await world.listing({ owner, status: "new" });
      await world.sql("update public.places set changes_requested = $1 where id = $2", [
        changes_requested,
        listing.id,
      ]);
      return listing.id;
    };
    const [short, shortened] = [await ask(note), await ask(long)];
    const page = await owner.page("/listings");
    expect(card(page, short).split(note)).toHaveLength(2);
    expect(card(page, short).split("Changes requested")).toHaveLength(2);
    expect(card(page, short)).toContain("Our team will review it before it goes live.");
    expect(card(page, shortened)).toContain(`Changes requested. ${long}`);
  });

  it("is never about someone else's listing, nor about one that only a confirmed address may claim", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await world.listing({ owner: other, owner_email: owner.email, name: "Theirs" });
    await world.sql("update public.profiles set email = $2 where id = $1", [owner.id, other.email]);
    await world.listing({ owner: null, owner_email: other.email, name: "Not yours to claim" });
    const page = await owner.page("/listings");
    expect(page).not.toSay("Theirs");
    expect(page).not.toSay("Not yours");
    expect((await owner.dataOf("/listings")).body).not.toContain(other.id);
  });

  it("gives an admin their own listings alone", async () => {
    const [admin, other] = [await world.admin(), await world.owner()];
    await world.listing({ owner: other, name: "Another's" });
    await world.listing({ owner: admin, name: "The admin's own" });
    expect(namesOn(await admin.page("/listings"))).toEqual(["The admin&#x27;s own"]);
  });
});

describe("saving a listing that names no address of its owner", () => {
  it("fills it in, so that it can be approved", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, owner_email: null, status: "new" });
    await owner.post(`/listings/${listing.id}/visibility`, { intent: "archive" });
    expect(await world.row("places", listing.id)).toMatchObject({ owner_email: owner.email });
  });
});

describe("the promotional panel", () => {
  it("is below the listings, with the plans, the offer and no dead link", async () => {
    const owner = await world.owner();
    await world.listing({ owner });
    const page = await owner.page("/listings");
    for (const words of [
      "180K+ app users",
      "Recommended",
      "$49 a month",
      "$36 a month $216 every 6 months, 1.5 months free",
      "$34 a month $408 every 12 months, 3.5 months free",
      "Founding Supporter",
      "Pay month to month and your first month costs $29.",
      "people of color",
      "An analytics dashboard: nearby users, views and favorites",
      "invite to our private community server",
      "monthly call",
      "A permanent badge",
      "listing changes are approved first",
    ]) {
      expect(page).toSay(words);
    }
    expect(page.text.indexOf("180K+")).toBeGreaterThan(page.text.indexOf("Your listings"));
    expect(page.body).toMatch(/<a[^>]*href="\/upgrade"[^>]*>Upgrade now<\/a>/);
    // The testimonials that come with the product are examples, which a hosted dashboard does not show.
    expect(page.body).not.toContain("<blockquote>");
  });
});

describe("many listings", async () => {
  const owner = await world.owner();
  await world.sql(
    `insert into public.places (name, category, description, rawaddress, city, state, third_party_auth, certified_queer, status, owner, owner_email)
     select case n when 7 then 'Çafé Ünder' when 8 then '100%_sure' when 9 then 'Twin' when 10 then 'twin' else 'Shop ' || lpad(n::text, 3, '0') end,
       1, 'x', 'x', case when n % 50 = 0 then 'Tucson' else 'Portland' end, 'OR', true, true, 'published', $1, $2 from generate_series(1, 105) n`,
    [owner.id, owner.email],
  );
  const next = (page: { body: string }) =>
    /<a(?=[^>]*rel="next")[^>]*href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll("&amp;", "&");
  const previous = (page: { body: string }) =>
    /<a(?=[^>]*rel="prev")[^>]*href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll("&amp;", "&");

  it("are shown twenty a page, each once, there and back", async () => {
    const seen: string[][] = [];
    let page = await owner.page("/listings");
    expect(page).toSay("1–20 of 105 listings");
    expect(page).toSay("All 105");
    expect(previous(page)).toBeUndefined();
    for (;;) {
      seen.push(namesOn(page) as string[]);
      const address = next(page);
      if (!address) break;
      page = await owner.page(address);
    }
    expect(seen.map((names) => names.length)).toEqual([20, 20, 20, 20, 20, 5]);
    expect(new Set(seen.flat().map((name) => name.toLowerCase())).size).toBe(104);
    expect(seen.flat().filter((name) => name.toLowerCase() === "twin")).toHaveLength(2);
    expect(page).toSay("101–105 of 105 listings");
    for (let index = seen.length - 2; index >= 0; index--) {
      page = await owner.page(previous(page)!);
      expect(namesOn(page)).toEqual(seen[index]);
    }
    expect(previous(page)).toBeUndefined();
  });

  it.each([
    ["cafe under", 1],
    ["CAFÉ ÜNDER", 1],
    ["tucson", 2],
    ["shop tucson", 2],
    ["%", 1],
    ["_", 1],
    ["*", 0],
    ["100%_", 1],
    [`"`, 0],
    ["or(id.gt.0)", 0],
    ["'; drop table places; --", 0],
    ["\\", 0],
    ["  ", 105],
    ["shop 0", 101],
    ["x".repeat(5000), 0],
    ["🏳️‍🌈", 0],
  ])("are found by %j, taken literally: %i", async (search, count) => {
    const page = await owner.page(`/listings?search=${encodeURIComponent(search)}`);
    expect(page).toHaveStatus(200);
    expect(page).toSay(
      search.trim() ? `${count} ${count === 1 ? "listing" : "listings"} found for` : "All 105",
    );
    expect(namesOn(page)).toHaveLength(Math.min(count, 20));
    if (count === 0) expect(page).toSay("No listings found");
    if (count <= 20) expect(page).not.toSay("Next page");
  });

  it("keep the search on the way through the pages, and in the box", async () => {
    const page = await owner.page("/listings?search=shop");
    expect(page.value("search")).toBe("shop");
    const second = await owner.page(next(page)!);
    expect(second.value("search")).toBe("shop");
    expect(second).toSay("21–40 of");
  });

  it.each([
    "after=999999999",
    "page=0",
    "page=abc",
    "page=-1",
    "page=1e3",
    "page=99999999999999999999",
    "page=",
    "show=nothing",
    "show=__proto__",
    "show=all",
    "search=%00",
    "search=%ED%A0%80",
    "search=a&search=b",
  ])("?%s shows the first page", async (query) => {
    const page = await owner.page(`/listings?${query}`);
    expect(page).toHaveStatus(200);
    if (!query.startsWith("search")) expect(page).toSay("1–20 of 105 listings");
  });

  it.each(["page=7", "page=999999"])("?%s shows the last page there is", async (query) => {
    const page = await owner.page(`/listings?${query}`);
    expect(page).toSay("101–105 of 105 listings");
    expect(previous(page)).toBe("/listings?page=5");
  });

  it("take two calls in a row, and 8 KB on the wire", async () => {
    const page = await owner.page("/listings");
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(gzipSync(page.body).byteLength).toBeLessThanOrEqual(8 * 1024);
  });
});

describe("what needs the owner’s attention", () => {
  const panel = (page: { body: string }) =>
    /<section class="attention".*?<\/section>/s
      .exec(page.body)?.[0]
      .replace(/<!--.*?-->/gs, "")
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ");

  it("is first on the page, as sentences with one button each, the most urgent first", async () => {
    const owner = await world.owner();
    const paying = await world.listing({
      owner,
      name: "Cider",
      premium: true,
      subscription_status: "past_due",
      stripe_cus_id: "cus_1",
    });
    const asked = await world.listing({ owner, name: "Asked", changes_requested: "Please." });
    const homeless = await world.listing({ owner, name: "Placeless", status: "new", state: null });
    const claimable = await world.listing({
      owner: null,
      owner_email: owner.email,
      name: "Waiting",
    });
    const draft = randomUUID();
    await world.insert("listing_drafts", { id: draft, owner: owner.id, fields: "{}" });
    const page = await owner.page("/listings");
    expect(panel(page)).toMatch(
      /^ Needs your attention 5 Your payment for Cider didn’t go through\. Update payment Our team has asked for changes to Asked ?\. See what to change Placeless needs a complete address before it can be approved\. Complete the address Waiting has your email but no owner yet\. Claim it Untitled listing is a draft from \w+ \d+\. Finish it $/,
    );
    for (const [label, name, to] of [
      ["Update payment", "Cider", `/listings/${paying.id}/billing`],
      ["See what to change", "Asked", `/listings/${asked.id}?back=%2Flistings`],
      ["Complete the address", "Placeless", `/listings/${homeless.id}?back=%2Flistings`],
      ["Claim it", "Waiting", `/listings/${claimable.id}?back=%2Flistings`],
      ["Finish it", "Untitled listing", `/listings/new?draft=${draft}`],
    ])
      expect(page.body).toMatch(
        new RegExp(
          `<a(?=[^>]*aria-label="${label}: ${name}")(?=[^>]*href="${to!.replace("?", "\\?")}")`,
        ),
      );
    expect(page).toTakeAtMostSequentialCalls(2);
    // Nothing asks a manager to pay, or to claim anything.
    const manager = await world.owner();
    await world.sql(
      "insert into public.listing_managers (place_id, profile_id) select id, $1 from public.places where owner = $2",
      [manager.id, owner.id],
    );
    expect(panel(await manager.page("/listings"))).toMatch(
      /^ Needs your attention 2 Our team has asked for changes to Asked ?\. See what to change Placeless needs a complete address/,
    );
  });

  it("shows five, and leads to the others", async () => {
    const owner = await world.owner();
    for (let n = 1; n <= 7; n++)
      await world.listing({ owner, name: `Shop ${n}`, changes_requested: "Please." });
    const page = await owner.page("/listings");
    expect(panel(page)).toContain("Needs your attention 7");
    expect(panel(page)?.match(/See what to change/g)).toHaveLength(5);
    expect(panel(page)).toContain("and 2 more");
    expect(page.body).toMatch(/href="\/listings\?show=attention"[^>]*>and/);
    const others = await owner.page("/listings?show=attention");
    expect(namesOn(others)).toHaveLength(7);
    expect(panel(others)).toBeUndefined();
  });

  it("is not mentioned where nothing does", async () => {
    const owner = await world.owner();
    await world.listing({ owner });
    expect(await owner.page("/listings")).not.toSay("Needs");
    expect(await owner.page("/listings?show=attention")).toSay("Nothing here right now");
  });
});

describe("the chips", async () => {
  const owner = await world.owner();
  await world.sql(
    `insert into public.places (name, category, description, rawaddress, city, state, third_party_auth, certified_queer, status, hidden, premium, changes_requested, owner, owner_email)
     select 'Shop ' || lpad(n::text, 3, '0'), 1, 'x', 'x', 'Portland', 'OR', true, true,
       case when n <= 3 then 'new' when n = 4 then 'flagged' else 'published' end, n in (5, 6, 7), n in (6, 7), case when n = 44 then 'Please add the number.' end, $1, $2
     from generate_series(1, 45) n`,
    [owner.id, owner.email],
  );
  await world.insert("listing_drafts", {
    id: randomUUID(),
    owner: owner.id,
    fields: JSON.stringify({ name: "Shop of dreams" }),
  });
  const chips = (page: { body: string }) =>
    [...page.body.matchAll(/<a(?=[^>]*class="chip")[^>]*>(.*?)<\/a>/gs)].map(([link, words]) => ({
      words: words!.replace(/<[^>]+>/g, "").replace(/\s+/g, " "),
      to: /href="([^"]+)"/.exec(link)![1]!.replaceAll("&amp;", "&"),
      current: link.includes('aria-current="true"'),
    }));

  it("have counts, and say which is chosen", async () => {
    const page = await owner.page("/listings");
    expect(chips(page).map(({ words }) => words)).toEqual([
      "All 46",
      "Needs attention 2",
      "Featured 2",
      "In review 4",
      "Hidden 3",
      "Drafts 1",
    ]);
    expect(chips(page).filter(({ current }) => current)).toMatchObject([{ words: "All 46" }]);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it.each([
    ["attention", ["Shop 044"], "Shop of dreams"],
    ["featured", ["Shop 006", "Shop 007"], undefined],
    ["review", ["Shop 001", "Shop 002", "Shop 003", "Shop 004"], undefined],
    ["hidden", ["Shop 006", "Shop 007", "Shop 005"], undefined],
    ["drafts", [], "Shop of dreams"],
  ])("%s shows those alone, in one call more than the session", async (show, names, draft) => {
    const page = await owner.page(`/listings?show=${show}`);
    expect(namesOn(page)).toEqual(names);
    if (draft) expect(page).toSay(draft);
    else expect(page).not.toSay("Shop of dreams");
    expect(chips(page).filter(({ current }) => current)).toHaveLength(1);
    expect(chips(page).find(({ current }) => current)?.to).toBe(`/listings?show=${show}`);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("go with the search, and the search with them", async () => {
    const page = await owner.page("/listings?search=shop+00&show=review");
    expect(namesOn(page)).toHaveLength(4);
    expect(page).toSay("4 listings found for “shop 00” in “In review”. Clear search");
    expect([page.value("search"), page.value("show")]).toEqual(["shop 00", "review"]);
    expect(chips(page).map(({ words, to }) => [words, to])).toEqual([
      ["All 9", "/listings?search=shop+00"],
      ["Featured 2", "/listings?show=featured&search=shop+00"],
      ["In review 4", "/listings?show=review&search=shop+00"],
      ["Hidden 3", "/listings?show=hidden&search=shop+00"],
    ]);
    // The chosen one is there though it has none.
    expect(
      chips(await owner.page("/listings?search=044&show=review")).map((one) => one.words),
    ).toEqual(["All 1", "Needs attention 1", "In review 0"]);
  });

  it("are those of the previous release, too", async () => {
    expect(namesOn(await owner.page("/listings?needs=you"))).toEqual(["Shop 044"]);
  });

  it("are not in the way of a few listings", async () => {
    const few = await world.owner();
    await world.listing({ owner: few });
    expect(chips(await few.page("/listings"))).toEqual([]);
  });

  it("are chosen still after an action, and on its page without script", async () => {
    const from = "show=hidden&search=shop&page=1";
    const page = await owner.page(`/listings?${from}`);
    const [, id] = /aria-label="Edit listing: [^"]*" href="\/listings\/(\d+)\?/.exec(page.body)!;
    expect(page.body).toContain(`action="/listings/${id}/visibility?show=hidden&amp;search=shop"`);
    const there = `/listings?show=hidden&search=shop`;
    expect(await owner.post(`/listings/${id}/visibility?${from}`, { intent: "hide" })).toRedirectTo(
      there,
    );
    const asked = await owner.page(`/listings/${id}/archive?${from}`);
    expect(asked.body).toContain(`href="${there.replace("&", "&amp;")}"`);
    expect(asked.body).toContain(`action="/listings/${id}/visibility?show=hidden&amp;search=shop"`);
    expect(
      await owner.post(`/listings/${id}/visibility?show=//evil.example&page=3`, { intent: "hide" }),
    ).toRedirectTo("/listings?page=3");
  });
});

it("a page full of Featured listings, each with its chart, weighs 8 KB at most", async () => {
  const owner = await world.owner();
  const names = [
    "Lavender Fox Café",
    "Copper Harbor Books",
    "Quiet Lantern Yoga",
    "Juniper Counseling",
    "Marigold Bike Repair",
  ];
  for (let n = 0; n < 20; n++) {
    const { id } = await world.listing({
      owner,
      name: `${names[n % 5]} ${n}`,
      premium: true,
      proxi_id: `map-${n}`,
    });
    await world.sql(
      `insert into private.place_view_weeks (place_id, week, views)
       select $1::bigint, private.week_of(now()) - 7 * ago, 20 + (ago * 37 + $1::int * 91) % 180 from generate_series(0, 11) ago`,
      [id],
    );
  }
  const page = await owner.page("/listings");
  expect(page.body.match(/By week/g)).toHaveLength(20);
  expect(gzipSync(page.body).byteLength).toBeLessThanOrEqual(8 * 1024);
});

describe("a draft", () => {
  const begun = async (owner: Member, name?: string) => {
    const id = randomUUID();
    await world.insert("listing_drafts", {
      id,
      owner: owner.id,
      fields: JSON.stringify(name === undefined ? {} : { name }),
    });
    return id;
  };

  it("is among the rows, leads back to its form, and is no one else's to see", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await world.listing({ owner, name: "Listed" });
    const id = await begun(owner, "Begun");
    await begun(owner);
    const page = await owner.page("/listings");
    expect(page).toSay("Begun Draft Saved on");
    expect(page).toSay("Only you can see it. Finish Discard");
    expect(page).toSay("Untitled listing");
    const order = ["Begun", "Listed", "Untitled listing"].map((name) =>
      page.body.indexOf(`<h3 dir="auto">${name}</h3>`),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(page.body).toContain(`href="/listings/new?draft=${id}"`);
    expect(page.body).toContain('aria-label="Finish: Begun"');
    expect(await other.page("/listings")).not.toSay("Begun");
    expect(await other.page(`/listings/drafts/${id}/discard`)).toBeNotFound();
  });

  it("is enough to keep the greeting away", async () => {
    const owner = await world.owner();
    await begun(owner, "Begun");
    const page = await owner.page("/listings");
    expect(page).not.toSay("Hi Friend!");
    expect(page).toSay("Add New Listing");
  });

  it("is discarded once that is confirmed, and twice is the same", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const id = await begun(owner, "Begun");
    const path = `/listings/drafts/${id}/discard`;
    const asked = await owner.page(path);
    expect(asked).toSay("Discard “Begun”?");
    expect(asked).toSay("Keep it");
    await other.post(path);
    expect(await world.row("listing_drafts", id)).toBeDefined();
    expect(await owner.post(path)).toRedirectTo("/listings");
    expect(await owner.post(path)).toRedirectTo("/listings");
    expect(await owner.page("/listings")).toSay("Draft discarded.");
    expect(await owner.page(path)).toBeNotFound();
  });

  it.each(["1", "abc", "%00", "00000000-0000-0000-0000-000000000000"])(
    "has no id %s",
    async (id) => {
      const owner = await world.owner();
      expect(await owner.page(`/listings/drafts/${id}/discard`)).toBeNotFound();
    },
  );
});

describe("who sees a listing", () => {
  const seen = async (id: number) => (await world.row("public_places", id)) !== undefined;
  const post = (person: Member, id: number, intent: string) =>
    person.post(`/listings/${id}/visibility`, { intent });

  it("is its owner's to change, at once and without review", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    expect(await post(owner, listing.id, "hide")).toRedirectTo("/listings");
    expect(await owner.page("/listings")).toSay("“Café X” is hidden.");
    expect(await seen(listing.id)).toBe(false);
    expect(await world.row("places", listing.id)).toMatchObject({
      status: "published",
      hidden: true,
    });
    await post(owner, listing.id, "hide");
    await post(owner, listing.id, "show");
    expect(await seen(listing.id)).toBe(true);
  });

  it("disturbs neither an open form nor the queue", async () => {
    const owner = await world.owner();
    const listing = await world.listing({
      owner,
      status: "pending-update",
      last_update: JSON.stringify({ name: "Old" }),
    });
    const before = (await world.row("places", listing.id))!;
    await post(owner, listing.id, "hide");
    const after = (await world.row("places", listing.id))!;
    expect(after).toEqual({ ...before, hidden: true });
  });

  it("asks before the team is asked to remove it, and lets them change their mind", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const asked = await owner.page(`/listings/${listing.id}/archive`);
    expect(asked).toSay("Request removal of “Café X”?");
    expect(asked).toSay("Until then, everyone can see it, and you can cancel your request.");
    expect(asked).toSay("Hide it instead");
    expect(asked.value("intent")).toBe("archive");
    expect(await world.row("places", listing.id)).toMatchObject({ archive_requested: false });

    expect(await post(owner, listing.id, "archive")).toRedirectTo("/listings");
    expect(await world.row("places", listing.id)).toMatchObject({
      archive_requested: true,
      status: "published",
    });
    expect(await owner.page("/listings")).toSay("Cancel request");
    expect(await owner.page(`/listings/${listing.id}/archive`)).toRedirectTo(
      `/listings/${listing.id}/visibility`,
    );
    await post(owner, listing.id, "keep");
    expect(await world.row("places", listing.id)).toMatchObject({ archive_requested: false });
  });

  it("is not said to be changed by a page from before the removal, whose request it has fulfilled", async () => {
    const owner = await world.owner();
    const remove = async (id: number) => {
      await world.sql("update public.places set status = 'archived' where id = $1", [id]);
    };
    const fail = async (id: number, intent: string) => {
      await post(owner, id, intent);
      const page = await owner.page("/listings");
      expect(page, intent).toSay("That can’t be done with “Café X” right now.");
      for (const text of ["Your request is canceled", "will appear in the directory"])
        expect(page, intent).not.toSay(text);
    };
    const listing = await world.listing({ owner, name: "Café X" });
    await post(owner, listing.id, "archive");
    await remove(listing.id);
    for (const intent of ["keep", "show"]) await fail(listing.id, intent);

    // The removal comes while the request is being canceled.
    const other = await world.listing({ owner, name: "Café X" });
    await post(owner, other.id, "archive");
    outside.use(
      http.patch(`${world.supabase.url}/rest/v1/places`, () => remove(other.id), { once: true }),
    );
    await fail(other.id, "keep");
    expect(await world.row("places", other.id)).toMatchObject({ status: "archived" });
  });

  it("hides a new listing before anyone has seen it, and approving it doesn't show it", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const listing = await world.listing({ owner, name: "Not Yet", status: "new" });
    const page = await owner.page(`/listings/${listing.id}/visibility`);
    expect(page.body).toContain('aria-label="Hide listing: Not Yet"');
    await post(owner, listing.id, "hide");
    expect(await owner.page("/listings")).toSay(
      "“Not Yet” is hidden. Once it’s approved, it stays hidden until you show it.",
    );
    await admin.post("/admin/new", { intent: "choose", approve: `${listing.id}:1` });
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
    expect(await seen(listing.id)).toBe(false);
  });

  it("has a page of its own, which works after a failure too", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const page = await owner.page(`/listings/${listing.id}/visibility`);
    expect(page).toSay("Everyone who visits the directory can see it.");
    expect(page.body).toContain('aria-label="Hide listing: Café X"');
  });

  it("can be changed by no one else: no other owner, no one who has yet to claim it, and no admin here", async () => {
    const [owner, other, admin] = [await world.owner(), await world.owner(), await world.admin()];
    const listing = await world.listing({ owner, name: "Not Yours" });
    const unclaimed = await world.listing({ owner: null, owner_email: other.email });
    for (const intent of ["hide", "archive", "show", "keep"]) {
      expect(await post(other, listing.id, intent)).toBeNotFound();
      expect(await post(admin, listing.id, intent)).toBeNotFound();
      expect(await post(other, unclaimed.id, intent)).toBeNotFound();
      expect(await post(other, 123_456_789, intent)).toBeNotFound();
    }
    expect(await world.row("places", listing.id)).toMatchObject({
      hidden: false,
      archive_requested: false,
      version: 1,
    });
    expect(await world.row("places", unclaimed.id)).toMatchObject({ hidden: false, owner: null });
  });

  it("cannot be changed where there is nothing to change", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, status: "archived" });
    expect(await post(owner, listing.id, "archive")).toRedirectTo("/listings");
    expect(await owner.page("/listings")).toSay("Nothing was changed.");
    expect(await world.row("places", listing.id)).toMatchObject({ archive_requested: false });
  });

  it.each(["publish", "", "__proto__", "constructor"])("knows no intent %j", async (intent) => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    expect(await post(owner, listing.id, intent)).toHaveStatus(400);
  });
});
