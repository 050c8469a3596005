import { describe, expect, it } from "vitest";

import { createWorld, type Member } from "../support/world";

const world = await createWorld();

let sent = 0;
/** A message to a listing; each is younger than the one before. */
async function lead(place: { id: number }, fields: Record<string, unknown> = {}) {
  sent += 1;
  return (await world.insert("leads", {
    place_id: place.id,
    requester_name: `Person ${sent}`,
    requester_email: `person-${sent}@example.test`,
    message: `Message ${sent}`,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, sent)).toISOString(),
    ...fields,
  })) as { id: number; version: number };
}

async function ownerWithListing(name = "Café X"): Promise<[Member, { id: number }]> {
  const owner = await world.owner();
  return [owner, await world.listing({ owner, name })];
}

describe("the table of leads", () => {
  it("has date, name, email address, message and listing, the newest first", async () => {
    const [owner, cafe] = await ownerWithListing();
    await lead(cafe, { message: "Older" });
    await lead(cafe, {
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Do you <b>host</b> weddings?",
    });
    const page = await owner.page("/leads");
    expect(page.heading).toBe("Leads");
    for (const column of ["Date (UTC)", "Name", "Email address", "Message", "Listing"])
      expect(page).toSay(column);
    expect(page).toSay("Kai New kai@example.test Do you <b>host</b> weddings? Café X");
    expect(page.text.indexOf("Do you")).toBeLessThan(page.text.indexOf("Older"));
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("holds nothing of another owner's, for an owner, an admin, or the person who wrote", async () => {
    const [, cafe] = await ownerWithListing();
    const writer = await world.owner();
    const { id } = await lead(cafe, { message: "For its owner alone", requester: writer.id });
    for (const person of [await world.owner(), await world.admin(), writer]) {
      expect(await person.page("/leads")).not.toSay("For its owner alone");
      expect(await person.page(`/leads/${id}`)).toBeNotFound();
      expect(await person.post(`/leads/${id}`, { state: "spam", version: "1" })).toBeNotFound();
    }
    expect(await world.row("leads", id)).toMatchObject({ state: "new" });
  });

  it("opens for anyone, with a way to sign in and no data", async () => {
    const [, cafe] = await ownerWithListing();
    await lead(cafe, { message: "Not for strangers" });
    const page = await world.anonymous().page("/leads");
    expect(page).toHaveStatus(200);
    expect(page).toSay("Sign in to read the messages sent to your listings.");
    expect(page.body).toContain('href="/login?redirectTo=%2Fleads"');
    expect(page.body).not.toContain("Not for strangers");
  });

  it("says so when no one has written yet", async () => {
    const page = await (await world.owner()).page("/leads");
    expect(page).toSay("No messages yet");
    expect(page.body).toMatch(/href="\/listings"[^>]*>Go to Business Listings/);
    expect(page.body).not.toContain("<table");
  });

  it("shows the leads of one listing, or in one state, as the address asks", async () => {
    const [owner, cafe] = await ownerWithListing("First Place");
    const bar = await world.listing({ owner, name: "Second Place" });
    await lead(cafe, { message: "To the first" });
    await lead(bar, { message: "To the second", state: "replied" });
    const second = await owner.page(`/leads?listing=${bar.id}`);
    expect(second).toSay("To the second");
    expect(second).not.toSay("To the first");
    expect(second.chosen("listing")).toBe(String(bar.id));
    expect(await owner.page("/leads?state=new")).not.toSay("To the second");
    expect(await owner.page("/leads?state=spam")).toSay("No matching leads");
    expect(await owner.page("/leads?state=spam")).toSay("Show all");
    expect(await owner.page("/leads")).not.toSay("Show all");
    expect(await owner.page("/leads?state=%27;drop&listing=-1&after=x")).toSay("To the first");
  });

  it("goes on over pages, each lead once, both ways, whatever arrives meanwhile", async () => {
    const [owner, cafe] = await ownerWithListing();
    for (let count = 0; count < 120; count += 1) await lead(cafe, { message: `paged-${count}-` });
    const on = (page: { body: string }) =>
      [...page.body.matchAll(/paged-(\d+)-/g)]
        .map(([, n]) => Number(n))
        .filter((n, i, all) => all.indexOf(n) === i);
    const link = (page: { body: string }, rel: string) =>
      new RegExp(`<a[^>]*rel="${rel}"[^>]*href="([^"]+)"`)
        .exec(page.body)?.[1]
        ?.replaceAll("&amp;", "&");

    const first = await owner.page("/leads");
    expect(first).toSay("Leads 1–50 of 120");
    await lead(cafe, { message: "Just arrived" });
    const second = await owner.page(link(first, "next")!);
    const third = await owner.page(link(second, "next")!);
    expect([...on(first), ...on(second), ...on(third)]).toEqual(
      Array.from({ length: 120 }, (_, n) => 119 - n),
    );
    expect(link(third, "next")).toBeUndefined();
    expect(on(await owner.page(link(third, "prev")!))).toEqual(on(second));
  });
});

describe("one lead", () => {
  it("shows the whole message as it was written, and opens a reply that tells a locked screen nothing", async () => {
    const [owner, cafe] = await ownerWithListing("Café & Söhne");
    const message = `${"A long story. ".repeat(40)}\n  The end.`;
    const { id } = await lead(cafe, { requester_email: "a?b&c%d@example.test", message });
    expect(await owner.page("/leads")).not.toSay("The end.");
    const page = await owner.page(`/leads/${id}`);
    expect(page).toSay("The end.");
    expect(page.body).toContain('href="mailto:a%3Fb%26c%25d@example.test?subject=Your%20message"');
  });

  it("keeps its state and the owner's notes", async () => {
    const [owner, cafe] = await ownerWithListing();
    const { id } = await lead(cafe, { requester_name: "Kai" });
    expect(
      await owner.post(`/leads/${id}`, { state: "replied", notes: "Booked for May", version: "1" }),
    ).toRedirectTo("/leads");
    expect(await world.row("leads", id)).toMatchObject({
      state: "replied",
      notes: "Booked for May",
    });
    const page = await owner.page(`/leads/${id}`);
    expect(page.body).toContain(">Booked for May</textarea>");
    expect(page.body).toMatch(
      /<input[^>]*value="replied"[^>]*checked|<input[^>]*checked[^>]*value="replied"/,
    );
  });

  it("shows saved notes once, in the form", async () => {
    const [owner, cafe] = await ownerWithListing();
    const { id } = await lead(cafe);
    await owner.post(`/leads/${id}`, { state: "replied", notes: "Booked for May", version: "1" });
    const { body } = await owner.page(`/leads/${id}`);
    // What the browser reads to start the script isn't shown.
    const shown = body.replace(/<script[\s\S]*?<\/script>/g, "");
    expect(shown.split("Booked for May")).toHaveLength(2);
  });

  it("refuses another state and endless notes, and keeps what was typed", async () => {
    const [owner, cafe] = await ownerWithListing();
    const { id } = await lead(cafe);
    const refused = await owner.post(`/leads/${id}`, {
      state: "won",
      notes: "x".repeat(5001),
      version: "1",
    });
    expect(refused).toBeRefusedWith("Choose a status.", { field: "state" });
    expect(refused).toBeRefusedWith("Use at most 5,000 characters.", { field: "notes" });
    expect(refused.kept).toMatchObject({ notes: "x".repeat(5001) });
    expect(await world.row("leads", id)).toMatchObject({ state: "new", notes: null });
  });

  it("never overwrites newer notes unseen: it shows them, and the next save is deliberate", async () => {
    const [owner, cafe] = await ownerWithListing();
    const { id } = await lead(cafe);
    await owner.post(`/leads/${id}`, {
      state: "replied",
      notes: "From the other tab",
      version: "1",
    });
    const stale = await owner.submit(`/leads/${id}`, {
      state: "spam",
      notes: "From this tab",
      version: "1",
    });
    expect(stale).toHaveStatus(409);
    expect(stale).toSay(
      "This lead was updated in another tab or by someone else while you had it open.",
    );
    expect(stale).toSay("Saved notes From the other tab");
    expect(stale.body).toContain(">From this tab</textarea>");
    expect(await world.row("leads", id)).toMatchObject({ notes: "From the other tab" });
    expect(
      await owner.post(`/leads/${id}`, {
        state: "spam",
        notes: "From this tab",
        version: stale.value("version")!,
      }),
    ).toRedirectTo("/leads");
    expect(await world.row("leads", id)).toMatchObject({ state: "spam", notes: "From this tab" });
  });

  it.each(["0", "-1", "x", "1e3", "9".repeat(25), "%00"])(
    "is not found by the id %s",
    async (id) => {
      const owner = await world.owner();
      expect(await owner.page(`/leads/${id}`)).toBeNotFound();
    },
  );
});

describe("the download", () => {
  it("holds all leads of the filter, over every page, as text that no spreadsheet runs", async () => {
    const [owner, cafe] = await ownerWithListing("Café X");
    const bar = await world.listing({ owner, name: "Bar" });
    for (let count = 0; count < 260; count += 1) await lead(cafe, { message: `row-${count}` });
    await lead(cafe, {
      requester_name: '=HYPERLINK("https://evil.example")',
      message: 'Two\nlines, "quoted"',
      notes: "@sum",
    });
    await lead(bar, { message: "Elsewhere" });
    await lead((await ownerWithListing())[1], { message: "Not yours" });

    const csv = await owner.get(`/leads.csv?listing=${cafe.id}`);
    expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("Content-Disposition")).toBe('attachment; filename="leads.csv"');
    const lines = csv.body.replace(/^\uFEFF/, "").split("\r\n");
    expect(lines[0]).toBe("Date (UTC),Name,Email address,Message,Listing,Status,Notes");
    expect(lines[1]).toContain('"\'=HYPERLINK(""https://evil.example"")"');
    expect(lines[1]).toContain('"Two\nlines, ""quoted""",Café X,New,\'@sum');
    expect(csv.body.match(/row-\d+/g)).toEqual(
      Array.from({ length: 260 }, (_, n) => `row-${259 - n}`),
    );
    expect(csv.body).not.toMatch(/Elsewhere|Not yours/);
  });

  it("needs someone signed in", async () => {
    expect(await world.anonymous().get("/leads.csv")).toAskForSignIn();
  });
});
