import { randomUUID } from "node:crypto";

import { beforeEach, describe, expect, it, vi } from "vitest";

import { sponsorshipForm } from "../support/forms";
import { forgetOrders } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { createWorld, type Member } from "../support/world";
import { DAY_MS, formatShortDate, formatWeekday } from "~/text/dates";

const world = await createWorld({ stripe: true });
const owner = await world.owner({ fullName: "Rosa" });
const bakery = await world.listing({ owner, name: "Fern & Flour" });
const dates = await listNewsletterDates(world);
const [first, second, third] = dates;

beforeEach(async () => {
  await forgetOrders(world);
  await world.sql("delete from public.sponsorships");
  await world.sql("delete from public.sponsorship_dates");
});

const ordersOf = (person: Member) =>
  world.sql(
    "select *, sponsorship_dates::text[] as dates from public.sponsorships where owner = $1 order by id",
    [person.id],
  );
const spotsOf = async (day: string) => {
  const [row] = await world.sql(
    "select held_count, paid_count from public.sponsorship_dates where weekday_date = $1",
    [day],
  );
  return row ?? { held_count: 0, paid_count: 0 };
};
/** Inserts an order into the database. */
async function order(fields: Record<string, unknown> = {}) {
  const row = {
    place_id: bakery.id,
    promo_text: "Buns!",
    owner: owner.id,
    sponsorship_dates: [first, second],
    ...fields,
  };
  return (await world.insert("sponsorships", {
    ...row,
    sponsorship_dates: `{${row.sponsorship_dates.join()}}`,
  })) as { id: number; version: number };
}
/** Sells all spots of a newsletter but some, each to another business. */
async function sellOut(day: string, left = 0) {
  for (let n = left; n < 10; n += 1) {
    const { id: place_id } = await world.listing();
    const { id } = await order({ owner: null, place_id, sponsorship_dates: [day] });
    await world.sql("select private.reserve_spots($1, true)", [id]);
  }
}
const checkoutOf = (url: string | null) => {
  expect(url).toMatch(new RegExp(`^${world.stripe.url}/`));
  return url!;
};

describe("a new order", () => {
  it("holds its spots, costs its rate times its dates, and is confirmed after payment", async () => {
    const sent = await owner.post(
      "/sponsor/new",
      sponsorshipForm(bakery, { rate: "45.50", sponsorship_dates: [second, first] }),
    );
    const checkout = checkoutOf(sent.location);
    expect(sent.status).toBe(303);
    const [made] = await ordersOf(owner);
    expect(made).toMatchObject({
      paid: false,
      rate: 45.5,
      order_total: 91,
      dates: [first, second],
      promo_text: "Cardamom buns before sunrise.",
    });
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 0 });
    expect(await owner.page("/sponsor")).toSay("Spots held until");
    const session = world.stripe.session(new URL(checkout).pathname.split("/").at(-1)!);
    expect(session).toMatchObject({ amount_total: 9100, currency: "usd" });

    const back = await world.stripe.pay(checkout);
    expect(back).toMatch(/^http:\/\/dashboard\.test\/sponsor\?paid=/);
    const page = await owner.page(back.slice(world.appUrl.length));
    expect(page).toSay("Payment received. Your dates are booked!");
    for (const text of [
      "Order date",
      "Feature Dates",
      "Order total",
      "Status",
      "$91",
      "Paid",
      "Receipt",
      "Add to calendar",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("Pay Now!");
    expect(await spotsOf(second)).toEqual({ held_count: 0, paid_count: 1 });

    const hide = (hidden: boolean) =>
      world.sql("update public.places set hidden = $2 where id = $1", [bakery.id, hidden]);
    await hide(true);
    const unseen = await owner.page(back.slice(world.appUrl.length));
    // Before anything can fail: other tests order for it, too.
    await hide(false);
    expect(unseen).toSay(
      "Your dates are booked, but we don’t feature your listing while no one can find it. You paid",
    );

    const mail = await world.mailAbout(owner.email, "Your dates are confirmed");
    expect(mail.text).toContain("“Fern & Flour” will be in the newsletter on:");
    expect(mail.text).toContain(`${world.appUrl}/sponsor/${String(made!.id)}`);
    expect(mail.subject + mail.html).not.toMatch(/<title>[^<]*(newsletter|Fern)/i);
  });

  it("shows what was paid, which is less than its total with a promotion code", async () => {
    const checkout = checkoutOf(
      (
        await owner.post(
          "/sponsor/new",
          sponsorshipForm(bakery, { sponsorship_dates: [first, second] }),
        )
      ).location,
    );
    await world.stripe.pay(checkout, { code: "RAINBOW50" });
    const [made] = await ordersOf(owner);
    expect(made).toMatchObject({ paid: true, order_total: 90 });
    expect(await owner.page(`/sponsor/${String(made!.id)}`)).toSay("You paid $45.");
    const list = await owner.page("/sponsor");
    expect(list).toSay("$45");
    expect(list).not.toSay("$90");
  });

  it("costs the same in the list, on its page, and among the purchases: with its tax, and what was refunded of it", async () => {
    const { env } = await import("~/env.server");
    const later = dates.slice(6, 8) as [string, string];
    const place = () =>
      owner.post("/sponsor/new", sponsorshipForm(bakery, { sponsorship_dates: later }));
    try {
      env().taxIsAdded = true;
      world.stripe.setTax(10);
      const checkout = checkoutOf((await place()).location);
      // Only Stripe can say how much tax it will be.
      expect(await owner.page("/sponsor")).toSay("$90 plus tax");
      await world.stripe.pay(checkout);
    } finally {
      env().taxIsAdded = false;
      world.stripe.setTax(0);
    }
    const [made] = await ordersOf(owner);
    const page = `/sponsor/${String(made!.id)}`;
    const expectEverywhere = async (text: string) => {
      expect(await owner.page("/sponsor")).toSay(text);
      expect(await owner.page(page)).toSay(text);
      expect(await owner.page("/account/purchases")).toSay(text);
    };
    await expectEverywhere("$99");
    expect(await owner.page("/sponsor")).not.toSay("$90");
    await owner.submit(page, { intent: "cancel-dates", date: [later[1]] });
    await expectEverywhere("$99");
    await expectEverywhere("$49.50");

    // Without tax, the price is all.
    await place();
    expect(await owner.page("/sponsor")).not.toSay("plus tax");
  });

  it("without dates is saved, costs nothing, and is paid once it has dates", async () => {
    const sent = await owner.post("/sponsor/new", sponsorshipForm(bakery));
    expect(sent).toRedirectTo("/sponsor");
    const page = await owner.page("/sponsor");
    for (const text of ["Order saved.", "No dates yet", "$0", "Choose dates"])
      expect(page).toSay(text);
    expect(page).not.toSay("Pay Now!");

    const [made] = await ordersOf(owner);
    const later = await owner.post(
      `/sponsor/${String(made!.id)}`,
      sponsorshipForm(bakery, { sponsorship_dates: first, version: 1 }),
    );
    checkoutOf(later.location);
    expect(await spotsOf(first)).toMatchObject({ held_count: 1 });
  });

  it("is one order when its form is sent twice, also simultaneously", async () => {
    const form = sponsorshipForm(bakery, { sponsorship_dates: first, submission_id: randomUUID() });
    const tabs = [owner.otherTab(), owner.otherTab(), owner.otherTab()];
    const sent = await Promise.all(tabs.map((tab) => tab.post("/sponsor/new", form)));
    for (const { location } of sent) checkoutOf(location);
    expect(new Set(sent.map(({ location }) => location)).size).toBe(1);
    expect(await ordersOf(owner)).toHaveLength(1);
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 0 });

    await world.stripe.pay(sent[0]!.location!);
    expect(await owner.post("/sponsor/new", form)).toRedirectTo("/sponsor");
    expect(await ordersOf(owner)).toHaveLength(1);
  });

  it("is updated when the buyer goes back from the payment page and changes the form", async () => {
    const form = sponsorshipForm(bakery, { sponsorship_dates: first, submission_id: randomUUID() });
    const before = checkoutOf((await owner.post("/sponsor/new", form)).location);
    const after = checkoutOf(
      (
        await owner.post("/sponsor/new", {
          ...form,
          rate: "60",
          sponsorship_dates: [second, third],
        })
      ).location,
    );
    expect(await ordersOf(owner)).toMatchObject([{ rate: 60, dates: [second, third] }]);
    expect(await spotsOf(first)).toEqual({ held_count: 0, paid_count: 0 });
    // The checkout at the old price can't be paid anymore.
    await expect(world.stripe.pay(before)).rejects.toThrow();
    await world.stripe.pay(after);
    expect(await ordersOf(owner)).toMatchObject([{ paid: true, order_total: 120 }]);
    // Once it is paid, the same form is another order, also when it is sent twice.
    const again = { ...form, sponsorship_dates: first };
    const sent = [await owner.post("/sponsor/new", again), await owner.post("/sponsor/new", again)];
    expect(checkoutOf(sent[1]!.location)).toBe(checkoutOf(sent[0]!.location));
    expect(await ordersOf(owner)).toHaveLength(2);
  });

  it("that was edited since is not overwritten by its first form, which leads to both versions", async () => {
    const form = sponsorshipForm(bakery, { submission_id: randomUUID() });
    await owner.post("/sponsor/new", form);
    const [made] = await ordersOf(owner);
    const page = `/sponsor/${String(made!.id)}`;
    const edit = { ...form, promo_text: "New text.", sponsorship_dates: first, version: "1" };
    const checkout = checkoutOf((await owner.post(page, edit)).location);

    const typed = { ...form, rate: "60" };
    const refused = await owner.submit(`/sponsor/new?draft=${form.submission_id}`, typed);
    expect(refused).toHaveStatus(409);
    expect(refused).toSay("You’ve already submitted this order, and there’s a newer version");
    expect(refused.value("rate")).toBe("60");
    expect(refused.body).toMatch(
      new RegExp(
        `newer version[^]*<button form="sponsorship" formAction="${page}" name="version" value="1"`,
        "i",
      ),
    );
    const both = await owner.submit(page, { ...typed, version: "1" });
    expect(both).toHaveStatus(409);
    expect(both).toSay("Differences between the two versions");
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "New text.", dates: [first] }]);
    // Its checkout is still open.
    await world.stripe.pay(checkout);
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "New text.", paid: true }]);
  });

  it("keeps what was typed when the only listing of its buyer has gone to someone else meanwhile", async () => {
    const seller = await world.owner();
    const sold = await world.listing({ owner: seller, name: "Sold Bar" });
    await world.sql("update public.places set owner = $2 where id = $1", [
      sold.id,
      (await world.owner()).id,
    ]);
    const page = await seller.submit(
      "/sponsor/new",
      sponsorshipForm(sold, { promo_text: "Two hours of my work", submission_id: randomUUID() }),
    );
    expect(page).toSay("Please choose one of your own listings.");
    expect(page.body).toContain(">Two hours of my work</textarea>");
  });

  it("ignores fields that the form does not have", async () => {
    const other = await world.owner();
    const form = {
      order_total: "1",
      paid: "true",
      owner: other.id,
      version: "9",
      id: "1",
      created_at: "2001-01-01",
    };
    await owner.post(
      "/sponsor/new",
      sponsorshipForm(bakery, { ...form, sponsorship_dates: first }),
    );
    expect(await ordersOf(other)).toEqual([]);
    expect(await ordersOf(owner)).toMatchObject([{ order_total: 45, paid: false, version: 1 }]);
  });

  const AMOUNT = "Enter an amount in dollars with at most two decimals, like 45 or 45.50.";
  it.each([
    [{ rate: "-45" }, "rate", AMOUNT],
    [{ rate: "NaN" }, "rate", AMOUNT],
    [{ rate: "1e9" }, "rate", AMOUNT],
    [{ rate: "45.001" }, "rate", AMOUNT],
    [{ rate: "" }, "rate", AMOUNT],
    [{ rate: "0" }, "rate", "Enter at least $1."],
    [{ rate: "0.99" }, "rate", "Enter at least $1."],
    [{ rate: "1000000000" }, "rate", AMOUNT],
    [{ rate: "100000.01" }, "rate", "Enter at most $100,000."],
    [{ rate: "100000", sponsorship_dates: dates.slice(0, 10) }, "rate", /less than \$1,000,000/],
    [{ place_id: "" }, "place_id", "Choose a business."],
    [{ place_id: "NaN" }, "place_id", "Choose a business."],
    [{ promo_text: " \n " }, "promo_text", "Enter your promo text."],
    [{ promo_text: "x".repeat(301) }, "promo_text", "Use at most 300 characters."],
    [{ link: "javascript:alert(1)" }, "link", "Enter a web address, like https://example.com."],
    [{ link: "data:text/html,x" }, "link", "Enter a web address, like https://example.com."],
    [
      { sponsorship_dates: "2030-01-07" },
      "sponsorship_dates",
      "Newsletters go out on Tuesdays and Thursdays.",
    ],
    [
      { sponsorship_dates: "2030-02-30" },
      "sponsorship_dates",
      "Newsletters go out on Tuesdays and Thursdays.",
    ],
    [
      { sponsorship_dates: "'; drop table" },
      "sponsorship_dates",
      "Newsletters go out on Tuesdays and Thursdays.",
    ],
    [
      { sponsorship_dates: "2025-01-07" },
      "sponsorship_dates",
      /^The newsletter on Tuesday, January 7, 2025 is closed./,
    ],
    [
      { sponsorship_dates: "2035-01-02" },
      "sponsorship_dates",
      "Tuesday, January 2, 2035 is not available. Please choose another date.",
    ],
  ])("is rejected with %o", async (fields, field, message) => {
    const answer = await owner.post("/sponsor/new", sponsorshipForm(bakery, fields));
    expect(answer).toBeRefusedWith(message, { field });
    expect(await ordersOf(owner)).toEqual([]);
  });

  it("accepts exactly 300 characters, counts a line break once, and completes a link without https://", async () => {
    const text = `${"x".repeat(149)}\r\n${"y".repeat(150)}`;
    await owner.post(
      "/sponsor/new",
      sponsorshipForm(bakery, { promo_text: text, link: "buns.example/menu" }),
    );
    expect(await ordersOf(owner)).toMatchObject([
      { promo_text: text.replace("\r", ""), link: "https://buns.example/menu" },
    ]);
  });

  it.each(["🌈", "👨‍👩‍👧‍👦", "🇺🇸", "👋🏽", "e\u0301"])(
    "counts %s as one of the 300 characters",
    async (character) => {
      const promo_text = character.repeat(300);
      await owner.post("/sponsor/new", sponsorshipForm(bakery, { promo_text }));
      expect(await ordersOf(owner)).toMatchObject([{ promo_text }]);
    },
  );

  it.each([
    ["301 emoji", "🏳️‍🌈".repeat(301)],
    ["thousands of accents on one letter", `e${"\u0301".repeat(3_000)}`],
  ])("does not take %s", async (_what, promo_text) => {
    const answer = await owner.post("/sponsor/new", sponsorshipForm(bakery, { promo_text }));
    expect(answer).toBeRefusedWith("Use at most 300 characters.", { field: "promo_text" });
  });

  it("says where the limit is also when only the database counts more", async () => {
    // Bengali vowel signs, which its list does not have.
    const answer = await owner.post(
      "/sponsor/new",
      sponsorshipForm(bakery, { promo_text: "কা".repeat(300) }),
    );
    expect(answer).toBeRefusedWith("Use at most 300 characters.", { field: "promo_text" });
  });

  it("reports all errors at once and keeps what was typed", async () => {
    const page = await owner.submit("/sponsor/new", {
      intent: "save",
      rate: "45.001",
      location: "“Café” </script>",
      sponsorship_dates: [first, third],
    });
    expect(page).toHaveStatus(400);
    expect(page.title).toMatch(/^Error: /);
    for (const text of ["Choose a business.", "Enter your promo text.", AMOUNT])
      expect(page).toSay(text);
    expect(page.value("location")).toBe("“Café” </script>");
    expect(page.value("rate")).toBe("45.001");
    expect(page.body.match(/<input[^>]*name="sponsorship_dates"[^>]*checked/g)).toHaveLength(2);
  });

  it("is rejected for someone else's business and for one that does not exist", async () => {
    const otherListing = await world.listing({ owner: await world.owner() });
    for (const business of [otherListing, { id: 987_654 }]) {
      expect(await owner.post("/sponsor/new", sponsorshipForm(business))).toBeRefusedWith(
        /business|listings/,
        { field: "place_id" },
      );
    }
    expect(await ordersOf(owner)).toEqual([]);
  });

  it("names each newsletter that is full or blocked, and holds none of the others", async () => {
    await sellOut(first);
    await world.insert("sponsorship_dates", { weekday_date: second, blocked: true });
    const answer = await owner.post(
      "/sponsor/new",
      sponsorshipForm(bakery, { sponsorship_dates: [first, second, third] }),
    );
    expect(answer).toHaveStatus(400);
    expect(answer.errors["sponsorship_dates"]).toEqual([
      expect.stringContaining("is full"),
      expect.stringContaining("is not available"),
    ]);
    expect(await spotsOf(third)).toEqual({ held_count: 0, paid_count: 0 });
  });
});

describe("an unusual value", () => {
  const TYPED = `</script><b>Bold</b> “Élan” O’Hara's & 🏳️‍🌈 \u2028 abc\u202Egpj.exe ${"${1+1}"} '; drop table places; --`;

  const ONE_LINE = TYPED.replace("\u2028", " ").replace("\u202E", "");

  it("is saved as typed, or as one line, and shown escaped in the list, the form, the preview, and the email", async () => {
    const odd = await world.listing({ owner, name: TYPED });
    const form = sponsorshipForm(odd, {
      promo_text: TYPED,
      location: TYPED,
      photo_location: TYPED,
      sponsorship_dates: first,
    });
    await world.stripe.pay(checkoutOf((await owner.post("/sponsor/new", form)).location));
    const [made] = await ordersOf(owner);
    expect(made).toMatchObject({
      promo_text: TYPED.replace("\u202E", ""),
      location: ONE_LINE,
      photo_location: ONE_LINE,
    });
    for (const page of [
      await owner.page("/sponsor"),
      await owner.page(`/sponsor/${String(made!.id)}`),
      await (await world.admin()).page(`/admin/newsletter-dates?date=${first}`),
    ]) {
      expect(page).toHaveStatus(200);
      expect(page.body).not.toContain("<b>Bold");
    }
    const mail = await world.mailAbout(owner.email, "Your dates are confirmed");
    expect(mail.html).not.toContain("<b>Bold");
    expect(
      (await owner.get(`/sponsor/${String(made!.id)}/calendar.ics`)).body
        .split("\r\n")
        .every((line) => /^[A-Z-]+[:;]|^ |^$/.test(line)),
    ).toBe(true);
    await forgetOrders(world);
    await world.sql("delete from public.sponsorships");
    await world.sql("delete from public.places where id = $1", [odd.id]);
  });

  it.each([
    "promo_text",
    "link",
    "location",
    "photo_location",
    "rate",
    "place_id",
    "sponsorship_dates",
    "version",
    "submission_id",
  ])("in %s never causes a server error", async (field) => {
    for (const value of ["a\0b", "\ud800", "__proto__", "9".repeat(400), ["1", "2"]]) {
      const answer = await owner.post(
        "/sponsor/new",
        sponsorshipForm(bakery, { sponsorship_dates: [], [field]: value }),
      );
      expect(answer.status, `${field} of ${JSON.stringify(value).slice(0, 20)}`).toBeLessThan(500);
    }
  });

  it("of ten thousand dates or a megabyte of text is rejected", async () => {
    expect(
      await owner.post(
        "/sponsor/new",
        sponsorshipForm(bakery, { sponsorship_dates: Array.from({ length: 10_000 }, () => first) }),
      ),
    ).toHaveStatus(413);
    expect(
      await owner.post(
        "/sponsor/new",
        sponsorshipForm(bakery, { promo_text: "x".repeat(1_000_000) }),
      ),
    ).toHaveStatus(413);
  });
});

describe("the form", () => {
  it("offers the owner's businesses, $45, and each Tuesday and Thursday with its available spots", async () => {
    await sellOut(first);
    await sellOut(second, 7);
    await world.listing({ owner, name: "Taken Out", status: "archived" });
    const page = await owner.page("/sponsor/new");
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(page.value("rate")).toBe("45");
    expect(page.chosen("place_id")).toBe(String(bakery.id));
    for (const text of [
      "Suggested sliding scale: $30 to $300. You can pay less.",
      "$45 per newsletter. You’ll see the total before you pay.",
      "Spots Available",
      "At most 300 characters.",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("Taken Out");
    const box = (day: string) =>
      new RegExp(`<input[^>]*name="sponsorship_dates"[^>]*value="${day}"`);
    expect(page.body).not.toMatch(box(first));
    for (const day of dates.slice(1)) expect(page.body).toMatch(box(day));
    const spots = [...page.body.matchAll(/<td>.*?<\/td>/gs)].map(([cell]) =>
      cell
        .replaceAll(/<[^>]+>/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
    expect(spots.slice(0, 3)).toEqual(["Full 0", "7", "10"]);
    expect(spots).toHaveLength(24);
  });

  it("shows a preview and the total without JavaScript, and keeps every value", async () => {
    const form = sponsorshipForm(bakery, {
      intent: "preview",
      rate: "33.33",
      link: "buns.example/menu",
      sponsorship_dates: [first, second, third],
      promo_text: "<b>Buns</b>\nand more",
    });
    const page = await owner.submit("/sponsor/new", form);
    expect(page).toHaveStatus(200);
    for (const text of [
      "<b>Buns</b>",
      "Fern & Flour",
      "buns.example",
      "$99.99",
      "3 newsletters at $33.33",
    ])
      expect(page).toSay(text);
    for (const field of ["link", "rate", "location"]) expect(page.value(field)).toBe(form[field]);
    expect(page.body.match(/<input[^>]*name="sponsorship_dates"[^>]*checked/g)).toHaveLength(3);
    expect(await ordersOf(owner)).toEqual([]);
    expect(await spotsOf(first)).toEqual({ held_count: 0, paid_count: 0 });
  });

  it("names the business as the newsletter does, by its approved name, while another one waits for review", async () => {
    const place = await world.listing({
      owner,
      name: "Their New Name",
      status: "pending-update",
      last_update: JSON.stringify({ name: "Approved Name" }),
    });
    const { id } = await order({ place_id: place.id });
    expect(await owner.page("/sponsor/new")).toSay("Approved Name");
    const unpaid = await owner.page(`/sponsor/${id}`);
    await world.sql("update public.sponsorships set paid = true where id = $1", [id]);
    for (const page of [unpaid, await owner.page(`/sponsor/${id}`), await owner.page("/sponsor")]) {
      expect(page).toSay("Approved Name");
      expect(page).not.toSay("Their New Name");
    }
    expect(
      await world.sql(
        "select data ->> 'business' as business from private.email_queue where kind = 'sponsorship-confirmed' and data ->> 'sponsorship_id' = $1",
        [String(id)],
      ),
    ).toEqual([{ business: "Approved Name" }]);
    await world.sql("delete from public.sponsorships where id = $1", [id]);
    await world.sql("delete from public.places where id = $1", [place.id]);
  });

  it("says so when the owner has no listing or no order", async () => {
    const newcomer = await world.owner();
    expect(await newcomer.page("/sponsor/new")).toSay(
      "A newsletter feature highlights one of your business listings",
    );
    expect(await newcomer.page("/sponsor")).toSay("from $30 per newsletter");
    expect(await newcomer.page("/sponsor")).toSay("Add a listing first");
  });
});

describe("an unpaid order", () => {
  const pay = (id: unknown) => owner.post("/sponsor", { intent: "pay", sponsorship: String(id) });

  it("stays when its checkout expires, releases its spots, and can be paid later", async () => {
    const { id } = await order();
    const checkout = checkoutOf((await pay(id)).location);
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 0 });
    await world.stripe.expire(new URL(checkout).pathname.split("/").at(-1)!);
    expect(await spotsOf(first)).toEqual({ held_count: 0, paid_count: 0 });
    expect(await owner.page("/sponsor")).toSay("Pay Now!");
    await world.stripe.pay(checkoutOf((await pay(id)).location));
    expect(await ordersOf(owner)).toMatchObject([{ paid: true }]);
  });

  it("stays when its buyer cancels the checkout, and can release its spots", async () => {
    const { id } = await order();
    const back = world.stripe
      .cancelUrl(checkoutOf((await pay(id)).location))!
      .slice(world.appUrl.length);
    const page = await owner.page(back);
    expect(page).toSay("You left before paying.");
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 0 });
    const leave = { intent: "abandon-checkout", order: page.value("order") };
    // No one else does that in the buyer's place, while they may be paying: an admin reads the order, too.
    for (const other of [await world.owner(), await world.admin()])
      expect(await other.post("/sponsor", leave)).toRedirectTo("/sponsor");
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 0 });
    await owner.post(back, leave);
    expect(await spotsOf(first)).toEqual({ held_count: 0, paid_count: 0 });
    expect(await owner.page("/sponsor")).toSay("Pay Now!");
  });

  it("offers no payment once the business is someone else’s", async () => {
    const seller = await world.owner();
    const sold = await world.listing({ owner: seller, name: "Sold Café" });
    await order({ owner: seller.id, place_id: sold.id, sponsorship_dates: [first] });
    expect(await seller.page("/sponsor")).toSay("Pay Now!");
    await world.sql("update public.places set owner = $2 where id = $1", [
      sold.id,
      (await world.owner()).id,
    ]);
    const page = await seller.page("/sponsor");
    expect(page).toSay("Not paid yet You can’t pay for a business you no longer own.");
    expect(page).not.toSay("Pay Now!");
  });

  it("says that its dates are held only while they are, wherever its buyer comes back from Stripe’s page", async () => {
    const { id } = await order();
    const checkout = checkoutOf((await pay(id)).location);
    const back = world.stripe.cancelUrl(checkout)!.slice(world.appUrl.length);
    expect(await owner.page(back)).toSay("we’re still holding your dates. Release");
    await world.stripe.expire(new URL(checkout).pathname.split("/").at(-1)!);
    expect(await owner.page(back)).toSay("Your order is saved. ");
    await owner.post(`/sponsor/${id}`, { intent: "delete" });
    expect(await owner.page(back)).not.toSay("Your order is saved");
  });

  it("can still be paid after a declined card, with its spots held", async () => {
    const { id } = await order();
    const checkout = checkoutOf((await pay(id)).location);
    await world.stripe.pay(checkout, { card: "declined" });
    expect(await ordersOf(owner)).toMatchObject([{ paid: false }]);
    expect((await pay(id)).location).toBe(checkout);
  });

  it("names the dates that are not available and can be changed to others", async () => {
    const { id } = await order({ sponsorship_dates: [first, second] });
    await sellOut(first);
    expect(await owner.page("/sponsor")).toSay("Dates unavailable");
    const sent = await pay(id);
    expect(sent).toRedirectTo(`/sponsor/${id}`);
    const page = await owner.page(`/sponsor/${id}`);
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(page).toSay("Some of your dates are no longer available.");
    expect(page).toSay("is full. Please choose another date.");
    expect(await spotsOf(second)).toEqual({ held_count: 0, paid_count: 0 });

    const form = sponsorshipForm(bakery, {
      sponsorship_dates: [first, second],
      version: page.value("version"),
    });
    expect(await owner.post(`/sponsor/${id}`, form)).toBeRefusedWith(/is full/, {
      field: "sponsorship_dates",
    });
    await world.stripe.pay(
      checkoutOf(
        (await owner.post(`/sponsor/${id}`, { ...form, sponsorship_dates: [second, third] }))
          .location,
      ),
    );
    expect(await ordersOf(owner)).toMatchObject([{ id, paid: true, dates: [second, third] }]);
  });

  it("can be saved with the last spot, which it holds itself", async () => {
    await sellOut(first, 1);
    const { id } = await order({ sponsorship_dates: [first] });
    await pay(id);
    expect(await spotsOf(first)).toEqual({ held_count: 1, paid_count: 9 });
    expect(await owner.page("/sponsor")).not.toSay("Dates unavailable");
    checkoutOf(
      (
        await owner.post(
          `/sponsor/${id}`,
          sponsorshipForm(bakery, { sponsorship_dates: first, version: 1 }),
        )
      ).location,
    );
  });

  it("that changes during a checkout closes it first, so that no one pays the old price", async () => {
    const { id } = await order({ sponsorship_dates: [first], rate: 1 });
    const cheap = checkoutOf((await pay(id)).location);
    const expensive = checkoutOf(
      (
        await owner.post(
          `/sponsor/${id}`,
          sponsorshipForm(bakery, { rate: "300", sponsorship_dates: [first, second], version: 1 }),
        )
      ).location,
    );
    await expect(world.stripe.pay(cheap)).rejects.toThrow();
    await world.stripe.pay(expensive);
    expect(await ordersOf(owner)).toMatchObject([{ paid: true, order_total: 600 }]);
  });

  it("whose feature changes keeps its checkout open", async () => {
    const { id } = await order({ sponsorship_dates: [first] });
    const checkout = checkoutOf((await pay(id)).location);
    const sent = await owner.post(
      `/sponsor/${id}`,
      sponsorshipForm(bakery, { promo_text: "Better words", sponsorship_dates: first, version: 1 }),
    );
    expect(sent.location).toBe(checkout);
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "Better words" }]);
  });

  it("saved over a newer version is rejected and shows both versions", async () => {
    const { id, version } = await order();
    await world.sql("update public.sponsorships set promo_text = 'Newer' where id = $1", [id]);
    const form = sponsorshipForm(bakery, {
      promo_text: "Mine",
      rate: "50",
      sponsorship_dates: first,
      version: String(version),
    });
    const page = await owner.submit(`/sponsor/${id}`, form);
    expect(page).toHaveStatus(409);
    for (const text of ["Differences between the two versions", "Newer", "Mine"])
      expect(page).toSay(text);
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "Newer" }]);

    checkoutOf(
      (
        await owner.post(`/sponsor/${id}`, {
          ...form,
          choose_promo_text: "saved",
          version: page.value("version")!,
        })
      ).location,
    );
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "Newer", rate: 50 }]);
  });

  it("is only accessible to its owner", async () => {
    const { id } = await order();
    for (const other of [await world.owner(), await world.admin()]) {
      const missing = await other.page("/sponsor/987654");
      const theirs = await other.page(`/sponsor/${id}`);
      expect(theirs).toHaveStatus(404);
      expect(theirs).toSay("You do not have permission to edit this order.");
      expect(theirs.text.replace(/[0-9a-f-]{36}/g, "")).toBe(
        missing.text.replace(/[0-9a-f-]{36}/g, ""),
      );
      expect(await other.post(`/sponsor/${id}`, sponsorshipForm(bakery))).toHaveStatus(404);
      expect(await other.post("/sponsor", { intent: "pay", sponsorship: String(id) })).toHaveStatus(
        404,
      );
      expect(await other.get(`/sponsor/${id}/calendar.ics`)).toHaveStatus(404);
      expect(await other.page("/sponsor")).not.toSay("Fern");
    }
    for (const odd of ["0", "-1", "abc", String(2n ** 70n)])
      expect(await owner.get(`/sponsor/${odd}`)).toHaveStatus(404);
    expect(await spotsOf(first)).toEqual({ held_count: 0, paid_count: 0 });
  });
});

describe("an order whose spots can’t be held", () => {
  const send = (business: { id: number }, days: string[], by = owner) =>
    by.post("/sponsor/new", sponsorshipForm(business, { sponsorship_dates: days }));
  const held = () =>
    world.sql(
      "select weekday_date::text as day from public.sponsorship_spots where held_until > now()",
    );

  it.each([
    ["in review", { status: "new" }],
    ["hidden", { hidden: true }],
  ])(
    "because its listing is %s is saved, and the buyer is told when to pay",
    async (_, columns) => {
      const buyer = await world.owner();
      const listing = await world.listing({ owner: buyer, ...columns });
      const sent = await send(listing, [first], buyer);
      expect(sent).toRedirectTo("/sponsor");
      const page = await buyer.page("/sponsor");
      expect(page).toSay("Only published listings can be in the newsletter. Your order is saved");
      expect(page).toSay("Waiting for its listing You can pay once the listing is public.");
      expect(page).not.toSay("Pay Now!");
      const [order] = await world.sql("select id from public.sponsorships where place_id = $1", [
        listing.id,
      ]);
      const own = await buyer.page(`/sponsor/${String(order!["id"])}`);
      expect(own).toSay("Waiting for its listing");
      expect(own).not.toSay("Not paid yet");
      expect(own).toSay("Save You can pay once the listing is public.");
      expect(own).not.toSay("Save and pay");
      const form = await buyer.page("/sponsor/new");
      expect(form).toSay(`Not public: ${listing.name}`);
      expect(form).toSay("If yours isn’t public yet, save the order and pay later.");
      await world.listing({ owner: buyer, name: "Seen" });
      expect(await buyer.page("/sponsor/new")).toSay(`Seen Not public: ${listing.name}`);
      expect(await held()).toEqual([]);
      // Without dates, it is saved as before.
      expect(await send(listing, [], buyer)).toRedirectTo("/sponsor");
      expect(await buyer.page("/sponsor")).toSay(
        "Order saved. You can pay once you’ve picked dates.",
      );
      // Once it is published and visible, it can be paid.
      await world.sql(
        "update public.places set status = 'published', hidden = false where id = $1",
        [listing.id],
      );
      const [made] = await ordersOf(buyer);
      checkoutOf(
        (await buyer.post("/sponsor", { intent: "pay", sponsorship: String(made!.id) })).location,
      );
      expect(await held()).toEqual([{ day: first }]);
    },
  );

  it("because of another order for the same listing names the date", async () => {
    checkoutOf((await send(bakery, [first])).location);
    const sent = await send(bakery, [first, second]);
    const page = await owner.page(sent.location!);
    expect(sent.location).toMatch(/^\/sponsor\/\d+$/);
    expect(page).toSay(
      `You already have this date in an order that isn’t paid yet: ${formatShortDate(first)}. Pay for that order, or choose other dates here.`,
    );
    expect(await held()).toEqual([{ day: first }]);
  });

  it("because of the limit says how many dates can be held, and how many are", async () => {
    const eight = dates.slice(0, 8);
    const tooMany = await send(bakery, dates.slice(0, 9));
    expect(await owner.page(tooMany.location!)).toSay(
      "You can hold up to 8 unpaid dates at a time. Your order is saved. Choose fewer dates",
    );
    const checkout = checkoutOf((await send(bakery, eight)).location);
    const more = await send(bakery, [dates[8]!]);
    expect(await owner.page(more.location!)).toSay("and your other orders are holding 8.");
    expect(await held()).toHaveLength(8);
    // Paying makes room.
    await world.stripe.pay(checkout);
    const [, , last] = await ordersOf(owner);
    checkoutOf(
      (await owner.post("/sponsor", { intent: "pay", sponsorship: String(last!.id) })).location,
    );
  });

  it("because they were held twice says when they can be held again", async () => {
    const { id } = await order({ sponsorship_dates: [first] });
    const pay = () => owner.post("/sponsor", { intent: "pay", sponsorship: String(id) });
    const letHoldEnd = async (checkout: string) => {
      await world.stripe.expire(new URL(checkout).pathname.split("/").at(-1)!);
      await world.sql(
        "update private.newsletter_holds set held_until = now() - interval '1 minute'",
      );
    };
    for (let times = 0; times < 2; times += 1) await letHoldEnd(checkoutOf((await pay()).location));
    expect(await pay()).toRedirectTo(`/sponsor/${id}`);
    const page = await owner.page(`/sponsor/${id}`);
    expect(page).toSay("twice without a payment. We can hold it again after");
    expect(page).toSay("choose other dates now.");
    expect(await held()).toEqual([]);
    const form = sponsorshipForm(bakery, {
      sponsorship_dates: second,
      version: page.value("version"),
    });
    checkoutOf((await owner.post(`/sponsor/${id}`, form)).location);
  });
});

describe("a paid order", () => {
  async function paidOrder(sponsorship_dates = [first, second]) {
    const { id } = await order({ sponsorship_dates });
    await world.sql("select private.reserve_spots($1, true)", [id]);
    await world.sql("update public.sponsorships set paid = true where id = $1", [id]);
    return id;
  }

  it("exports its dates as a calendar file with all-day events", async () => {
    const id = await paidOrder();
    const file = await owner.get(`/sponsor/${id}/calendar.ics`);
    expect(file.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect(file.headers.get("content-disposition")).toContain("attachment");
    const days = [first, second].map((day) => day.replaceAll("-", ""));
    expect([...file.body.matchAll(/DTSTART;VALUE=DATE:(\d+)\r\n/g)].map(([, day]) => day)).toEqual(
      days,
    );
    expect(file.body).toContain("SUMMARY:Newsletter feature: Fern & Flour\r\n");
    expect(file.body.match(/^UID:.*$/gm)).toHaveLength(2);
    const stamped = /DTSTAMP:\S+/g;
    expect((await owner.get(`/sponsor/${id}/calendar.ics`)).body.replace(stamped, "")).toBe(
      file.body.replace(stamped, ""),
    );
    const unpaid = await order();
    expect(await owner.get(`/sponsor/${unpaid.id}/calendar.ics`)).toHaveStatus(404);
  });

  it("keeps its dates, price, and business, while its feature can be edited until it is published", async () => {
    const id = await paidOrder();
    const form = sponsorshipForm(bakery, {
      promo_text: "Updated",
      rate: "1",
      sponsorship_dates: third,
      version: "2",
    });
    expect(await owner.post(`/sponsor/${id}`, form)).toRedirectTo(`/sponsor/${id}`);
    expect(await ordersOf(owner)).toMatchObject([
      { promo_text: "Updated", rate: 45, dates: [first, second], paid: true },
    ]);
    const page = await owner.page(`/sponsor/${id}`);
    expect(page).toTakeAtMostSequentialCalls(2);
    for (const text of ["Feature saved.", "You paid $90.", "Add to calendar"])
      expect(page).toSay(text);
    expect(page).not.toSay("Save and pay");
    expect(await owner.post(`/sponsor/${id}`, { ...form, promo_text: "" })).toBeRefusedWith(
      "Enter your promo text.",
      { field: "promo_text" },
    );
  });

  it("offers no other dates, price, or business in the form of an order that was paid for meanwhile", async () => {
    const { id, version } = await order();
    const form = sponsorshipForm(bakery, {
      promo_text: "Mine",
      rate: "100",
      sponsorship_dates: third,
      version: String(version),
    });
    const { location } = await owner.post("/sponsor", { intent: "pay", sponsorship: id });
    await world.stripe.pay(checkoutOf(location));
    const page = await owner.submit(`/sponsor/${id}`, form);
    expect(page).toHaveStatus(409);
    expect(page).toSay("This order was paid for while you were editing");
    expect(page.body).toContain("choose_promo_text");
    for (const field of ["rate", "sponsorship_dates", "place_id"])
      expect(page.body).not.toContain(`choose_${field}`);
  });

  it("tells someone who edits it shortly before a newsletter that the team may have copied it, and the team when it changed", async () => {
    const id = await paidOrder();
    const admin = await world.admin();
    await world.sql("alter table public.sponsorships disable trigger t1_guard");
    await world.sql(
      "update public.sponsorships set promo_text = E'One\nTwo', modified_at = '2026-02-03T16:05:00Z' where id = $1",
      [id],
    );
    await world.sql("alter table public.sponsorships enable trigger t1_guard");
    const table = await admin.page(`/admin/newsletter-dates?date=${first}`);
    expect(table).toSay("Last changed Feb 3, 2026, 4:05 PM UTC");
    expect(table.body).toContain('<span class="whitespace-pre-wrap">One\nTwo</span>');

    const day = `For ${formatWeekday(first)}, our team may already have copied`;
    vi.useFakeTimers({ now: new Date(`${first}T00:00:00Z`).getTime() - 1, toFake: ["Date"] });
    try {
      expect(await owner.page(`/sponsor/${id}`)).toSay(`${day} your feature`);
      await owner.post(
        `/sponsor/${id}`,
        sponsorshipForm(bakery, { promo_text: "Three", version: "2" }),
      );
      expect(await owner.page(`/sponsor/${id}`)).toSay(`Feature saved. ${day} the earlier text`);
    } finally {
      vi.useRealTimers();
    }
  });

  it("can’t be edited by someone whose business it isn’t anymore, and says so", async () => {
    const seller = await world.owner();
    const sold = await world.listing({ owner: seller, name: "Sold Bar" });
    const { id } = await order({
      owner: seller.id,
      place_id: sold.id,
      sponsorship_dates: [first],
    });
    await world.sql("update public.sponsorships set paid = true where id = $1", [id]);
    expect(await seller.page(`/sponsor/${id}`)).toSay("until the newsletter goes out");
    await world.sql("update public.places set owner = $2 where id = $1", [
      sold.id,
      (await world.owner()).id,
    ]);
    const page = await seller.page(`/sponsor/${id}`);
    expect(page).toSay("You no longer own this business");
    expect(page).not.toSay("until the newsletter goes out");
    const sent = await seller.post(
      `/sponsor/${id}`,
      sponsorshipForm(sold, { promo_text: "Lies", version: "2" }),
    );
    expect(sent).toBeRefusedWith(/^You no longer own this business/);
    expect((await world.row("sponsorships", id))!["promo_text"]).toBe("Buns!");
    // It is on the page, to be copied.
    const typed = await seller.submit(
      `/sponsor/${id}`,
      sponsorshipForm(sold, { promo_text: "Two hours of my work", version: "2", intent: "save" }),
    );
    expect(typed.body).toContain(">Two hours of my work</textarea>");
    expect(typed.body).not.toMatch(/<button[^>]*>Save</);

    // As a manager of it they may.
    await world.sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      sold.id,
      seller.id,
    ]);
    expect(await seller.page(`/sponsor/${id}`)).toSay("until the newsletter goes out");
  });

  it("can’t be edited once it is published", async () => {
    const id = await paidOrder(["2026-01-06"]);
    const page = await owner.page(`/sponsor/${id}`);
    expect(page).toSay("Your feature");
    for (const over of ["Cancel newsletters", "Your photo"]) expect(page).not.toSay(over);
    expect(
      await owner.post(`/sponsor/${id}`, sponsorshipForm(bakery, { promo_text: "Later" })),
    ).toBeRefusedWith(/has already gone out/, { status: 409 });
    const typed = await owner.submit(
      `/sponsor/${id}`,
      sponsorshipForm(bakery, { promo_text: "Two hours of my work", intent: "save" }),
    );
    expect(typed.body).toContain(">Two hours of my work</textarea>");
    expect(await ordersOf(owner)).toMatchObject([{ promo_text: "Buns!" }]);
  });

  it("is listed for its owner, the newest first, page by page", async () => {
    for (let n = 0; n < 27; n += 1) await order({ sponsorship_dates: [], promo_text: `No. ${n}` });
    const page = await owner.page("/sponsor");
    expect(page).toTakeAtMostSequentialCalls(2);
    const ids = (await ordersOf(owner)).map(({ id }) => Number(id)).reverse();
    const shown = (body: string) =>
      [...body.matchAll(/<th scope="row".*?href="\/sponsor\/(\d+)"/gs)].map(([, id]) => Number(id));
    expect(shown(page.body)).toEqual(ids.slice(0, 25));
    expect(shown((await owner.page(`/sponsor?before=${ids[24]}`)).body)).toEqual(ids.slice(25));
    expect(shown((await owner.page("/sponsor?before=nonsense")).body)).toEqual(ids.slice(0, 25));
  });
});

describe("the newsletters, for admins", () => {
  it("show what is sold, held, and left, and the features of each", async () => {
    const admin = await world.admin();
    await sellOut(first, 7);
    const { id } = await order({ sponsorship_dates: [first] });
    await world.sql("select private.reserve_spots($1, false)", [id]);
    const page = await admin.page(`/admin/newsletter-dates?date=${first}`);
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(page).toSay("Features on");
    expect(page.text.match(/Buns!/g)).toHaveLength(3);
    const { data } = await admin.get("/admin/newsletter-dates");
    expect(
      (data as { newsletters: object[] }).newsletters.find(
        (one) => (one as { date: string }).date === first,
      ),
    ).toEqual({
      date: first,
      sold: 3,
      held: 1,
      onItsWay: 0,
      spots: 6,
      blocked: false,
    });
  });

  it("are listed until their day is over everywhere on Earth, and who hides a listing until then reads that it may be in one", async () => {
    const admin = await world.admin();
    const { id } = await order({ sponsorship_dates: [first] });
    await world.sql("select private.reserve_spots($1, true)", [id]);
    const visibility = `/listings/${bakery.id}/visibility`;
    const copied = `For ${formatWeekday(first)}, our team may already have copied the feature into the newsletter.`;
    const noon = Date.parse(`${first}T12:00:00Z`) + DAY_MS;
    try {
      vi.useFakeTimers({ now: noon - 1, toFake: ["Date"] });
      expect((await admin.page("/admin/newsletter-dates")).body).toContain(`value="${first}"`);
      expect(await owner.page(visibility)).toSay(copied);
      vi.setSystemTime(noon);
      expect((await admin.page("/admin/newsletter-dates")).body).not.toContain(`value="${first}"`);
      expect(await owner.page(visibility)).not.toSay(copied);
    } finally {
      vi.useRealTimers();
    }
  });

  it("can be blocked and offered again; sold spots stay", async () => {
    const admin = await world.admin();
    await sellOut(first, 9);
    const block = (intent: string, date: string | string[]) =>
      admin.post("/admin/newsletter-dates", { intent, date });
    expect(await block("block", [first, second, "2030-01-07", "nonsense"])).toRedirectTo(
      "/admin/newsletter-dates",
    );
    const form = await owner.page("/sponsor/new");
    for (const day of [first, second]) expect(form.body).not.toContain(`value="${day}"`);
    expect(
      await owner.post("/sponsor/new", sponsorshipForm(bakery, { sponsorship_dates: second })),
    ).toBeRefusedWith(/not available/);
    expect(await spotsOf(first)).toMatchObject({ paid_count: 1 });
    expect(await admin.page("/admin/newsletter-dates")).toSay("Blocked");
    await block("offer", [first, second]);
    const log = await admin.page(`/admin/audit?subject=sponsorship_dates&subject_id=${first}`);
    for (const words of ["Blocked", "Date reopened", `Newsletter date ${first}`])
      expect(log).toSay(words);
    expect((await owner.page("/sponsor/new")).body).toContain(`value="${second}"`);
    expect(await block("block", [])).toHaveStatus(400);
  });
});
