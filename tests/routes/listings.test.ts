import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { listingForm, pickedAddress } from "../support/forms";
import { createWorld, type Member } from "../support/world";

const world = await createWorld();

const SUBMITTED = "Your listing has been submitted for review!";
const NO_PERMISSION = "You do not have permission to edit this listing.";

const listingsOf = (person: Member) =>
  world.sql("select * from public.places where owner = $1 order by id", [person.id]);

describe("a new listing", () => {
  it("goes to review and belongs to the user who sent it", async () => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", listingForm({ name: "Café X" }));

    expect(response).toRedirectTo("/");
    expect(await owner.page("/listings")).toSay(SUBMITTED);
    expect(await listingsOf(owner)).toMatchObject([
      {
        name: "Café X",
        status: "new",
        owner: owner.id,
        owner_email: owner.email,
        city: "San Francisco",
        premium: false,
      },
    ]);
  });

  it("is one listing when the form is sent twice, and when it is sent twice at once", async () => {
    const owner = await world.owner();
    const form = listingForm({ submission_id: randomUUID() });
    const first = await owner.post("/listings/new", form);
    const second = await owner.post("/listings/new", form);
    expect(second.location).toBe(first.location);
    expect(await listingsOf(owner)).toHaveLength(1);

    const other = await world.owner();
    const tabs = [other.otherTab(), other.otherTab(), other.otherTab()];
    const again = listingForm({ submission_id: randomUUID() });
    const responses = await Promise.all(tabs.map((tab) => tab.post("/listings/new", again)));
    for (const response of responses) expect(response).toRedirectTo("/");
    expect(await listingsOf(other)).toHaveLength(1);
  });

  it("that is corrected after Back and submitted again is corrected", async () => {
    const owner = await world.owner();
    const form = listingForm({ submission_id: randomUUID(), phone: "(505) 555-0100" });
    await owner.post("/listings/new", form);
    const corrected = { ...form, phone: "(505) 555-0199", public_email: "right@example.test" };
    // As often as it arrives.
    const tabs = [owner.otherTab(), owner.otherTab()];
    for (const response of await Promise.all(
      tabs.map((tab) => tab.post("/listings/new", corrected)),
    ))
      expect(response).toRedirectTo("/");
    expect(await tabs[0]!.page("/")).toSay(
      `Your changes to “${form.name}” are saved. The listing is waiting for review.`,
    );
    expect(await listingsOf(owner)).toMatchObject([
      { phone: "(505) 555-0199", public_email: "right@example.test", status: "new", version: 2 },
    ]);
  });

  it("that gets another name after Back says which listing was renamed", async () => {
    const owner = await world.owner();
    const form = listingForm({ submission_id: randomUUID(), name: "Fern Clinic Portland" });
    await owner.post("/listings/new", form);
    await owner.post("/listings/new", { ...form, name: "Fern Clinic Salem" });
    expect(await owner.page("/")).toSay(
      "“Fern Clinic Portland” is now called “Fern Clinic Salem”. The listing is waiting for review. To add another listing, start again from “Add New Listing”.",
    );
  });

  it.each([
    ["description", { description: "Quite another one." }],
    ["address", pickedAddress("rawaddress", { formatted: "2 Oak St, Salem, OR", city: "Salem" })],
  ])(
    "is another listing when both its name and its %s are, typed after Back",
    async (_, different) => {
      const owner = await world.owner();
      const form = listingForm({ submission_id: randomUUID(), name: "One" });
      await owner.post("/listings/new", form);
      await owner.post("/listings/new", { ...form, name: "Two", ...different });
      expect((await listingsOf(owner)).map(({ name }) => name)).toEqual(["One", "Two"]);
      expect(await owner.page("/")).toSay(SUBMITTED);
      // Once, also when its answer was lost, or its button pressed twice.
      await owner.post("/listings/new", { ...form, name: "Two", ...different });
      expect((await listingsOf(owner)).map(({ name }) => name)).toEqual(["One", "Two"]);
    },
  );

  it.each([
    ["was edited since", "phone = '+1 201 555 0111'", { phone: "+1 201 555 0111" }],
    ["was approved since", "status = 'published'", { phone: "+1 201 555 0100" }],
  ])(
    "that %s is not overwritten by its first form, which leads to both versions",
    async (_, change, kept) => {
      const owner = await world.owner();
      // As it was typed without script, and not as it was picked and saved.
      const form = listingForm({
        submission_id: randomUUID(),
        phone: "+1 201 555 0100",
        ...pickedAddress("rawaddress", {}, "1 castro"),
      });
      await owner.post("/listings/new", form);
      const [made] = await listingsOf(owner);
      await world.sql(`update public.places set ${change} where id = $1`, [made!.id]);

      const typed = { ...form, phone: "+1 201 555 0199" };
      const refused = await owner.submit(`/listings/new?draft=${form.submission_id}`, typed);
      expect(refused).toHaveStatus(409);
      expect(refused).toSay("You’ve already submitted this listing, and there’s a newer version");
      expect(refused.value("phone")).toBe("+1 201 555 0199");
      expect(await listingsOf(owner)).toMatchObject([kept]);

      const page = `/listings/${String(made!.id)}`;
      expect(refused.body).toMatch(
        new RegExp(`<button form="listing" formAction="${page}" name="version" value="1"`, "i"),
      );
      const both = await owner.submit(page, { ...typed, version: "1" });
      expect(both).toHaveStatus(409);
      expect(both).toSay("Differences between the two versions");
      expect(both.body).not.toContain("choose_rawaddress");
      const chosen = { ...typed, version: both.value("version")!, choose_phone: "mine" };
      expect(await owner.post(page, chosen)).toRedirectTo("/");
      expect(await listingsOf(owner)).toMatchObject([{ phone: "+1 201 555 0199" }]);
    },
  );

  it("says how a form that made it is submitted when it can’t be kept as a draft after Back, and keeps what was typed", async () => {
    const owner = await world.owner();
    const form = listingForm({ submission_id: randomUUID(), name: "One" });
    await owner.post("/listings/new", form);
    const page = `/listings/new?draft=${form.submission_id}`;
    const two = { ...form, name: "Two", description: "Another place." };
    const refused = await owner.submit(page, { ...two, intent: "draft" });
    expect(refused).toSay("You’ve already submitted this form, so it can’t be saved as a draft.");
    expect(refused).toSay(
      "You can still submit it. With a different name and a different address or description, it becomes another listing.",
    );
    expect(refused.value("name")).toBe("Two");
    expect((await owner.post("/drafts", two)).body).toContain("isn’t saved");
    await owner.post(page, two);
    expect((await listingsOf(owner)).map(({ name }) => name)).toEqual(["One", "Two"]);
  });

  it("of an admin is one when its form is sent again, and its draft is gone", async () => {
    const admin = await world.admin();
    const form = listingForm({ submission_id: randomUUID(), name: "Seen On The Street" });
    await admin.post("/drafts", form);
    for (const phone of ["", "", "(505) 555-0100"])
      expect(await admin.post("/listings/new", { ...form, phone })).toRedirectTo("/");
    expect(
      await world.sql("select owner, phone from public.places where submission_id = $1", [
        form.submission_id,
      ]),
    ).toEqual([{ owner: null, phone: "(505) 555-0100" }]);
    expect(await admin.page("/")).toSay("Seen On The Street");
    expect(await admin.page("/listings/new")).not.toSay("Seen On The Street");
  });

  it("of an admin is one, too, when its form is sent twice at once", async () => {
    const admin = await world.admin();
    const form = listingForm({ submission_id: randomUUID(), name: "Seen Twice" });
    for (const sent of await Promise.all([1, 2].map(() => admin.post("/listings/new", form))))
      expect(sent).toRedirectTo("/");
    expect(
      await world.sql("select from public.places where submission_id = $1", [form.submission_id]),
    ).toHaveLength(1);
  });

  it("carries a token of its own in each form", async () => {
    const owner = await world.owner();
    const [one, other] = [await owner.page("/listings/new"), await owner.page("/listings/new")];
    expect(one.value("submission_id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.value("submission_id")).not.toBe(one.value("submission_id"));
  });

  it("takes nothing from the form but what the form has", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await owner.post(
      "/listings/new",
      listingForm({
        id: "1",
        status: "published",
        premium: "true",
        premium_created_at: "2026-01-01",
        owner: other.id,
        owner_email: other.email,
        stripe_subscription_id: "sub_x",
        stripe_cus_id: "cus_x",
        proxi_id: "p",
        version: "99",
        last_update: '{"name":"x"}',
        "owner[id]": other.id,
        created_at: "2001-01-01",
        hidden: "false",
      }),
    );
    expect(await listingsOf(other)).toEqual([]);
    expect(await listingsOf(owner)).toMatchObject([
      {
        status: "new",
        premium: false,
        premium_created_at: null,
        owner_email: owner.email,
        version: 1,
        stripe_subscription_id: null,
        stripe_cus_id: null,
        proxi_id: null,
        last_update: {},
      },
    ]);
  });

  it("says everything that is missing, at once, and keeps what was typed", async () => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", {
      name: "Café X",
      phone: "+1 201 555 0123",
    });
    expect(Object.keys(response.errors).sort()).toEqual([
      "category",
      "certified_queer",
      "description",
      "mailingaddress",
      "rawaddress",
      "third_party_auth",
    ]);
    expect(response).toHaveStatus(400);
    expect(response.kept).toMatchObject({ name: "Café X", phone: "+1 201 555 0123" });
    expect(await listingsOf(owner)).toEqual([]);
  });

  it.each([
    [{ category: "2" }, "licensed_locations", "Choose where you’re licensed."],
    [
      { category: "14" },
      "queer_programming",
      /^At this time we are only allowing organizations that serve/,
    ],
    [{ category: "14", queer_programming: "on" }, "queer_programming", /^At this time/],
    [{ category: "" }, "category", "Choose a category."],
    [{ category: "NaN" }, "category", "Choose a category."],
    [{ category: "-1" }, "category", "Choose a category."],
    [{ category: "1.5" }, "category", "Choose a category."],
    [{ category: "1e400" }, "category", "Choose a category."],
    [
      { category: "2", licensed_locations: "Atlantis" },
      "licensed_locations[0]",
      "Choose places from the list.",
    ],
    [{ name: " \n\t " }, "name", "Enter the name of your business."],
    [{ name: "x".repeat(201) }, "name", "Use at most 200 characters."],
    [{ third_party_auth: "off" }, "third_party_auth", /shown publicly/],
    [{ certified_queer: "" }, "certified_queer", /certify/],
  ])("refuses %o", async (fields, field, message) => {
    const owner = await world.owner();
    expect(await owner.post("/listings/new", listingForm(fields))).toBeRefusedWith(message, {
      field,
    });
    expect(await listingsOf(owner)).toEqual([]);
  });

  it.each(["40", "999999", "41"])(
    "refuses category %s, which is none of listings",
    async (category) => {
      const owner = await world.owner();
      expect(await owner.post("/listings/new", listingForm({ category }))).toBeRefusedWith(
        /categor/i,
      );
      expect(await listingsOf(owner)).toEqual([]);
    },
  );

  it("takes therapists with their licences, and community groups that serve", async () => {
    const owner = await world.owner();
    expect(
      await owner.post(
        "/listings/new",
        listingForm({ category: "2", licensed_locations: "California" }),
      ),
    ).toRedirectTo("/");
    expect(
      await owner.post(
        "/listings/new",
        listingForm({ category: "14", queer_programming: "on", mission_statement: "on" }),
      ),
    ).toRedirectTo("/");
    expect(await listingsOf(owner)).toMatchObject([
      { licensed_locations: ["California"] },
      { queer_programming: true, mission_statement: true },
    ]);
  });

  it("keeps no answer to a question of a category that was chosen before", async () => {
    const owner = await world.owner();
    expect(
      await owner.post("/listings/new", listingForm({ category: "1", ...ANSWERS })),
    ).toRedirectTo("/");
    expect(await listingsOf(owner)).toMatchObject([NO_ANSWERS]);
  });
});

/** Without script, these are still in the form when another category is chosen. */
const ANSWERS = {
  online_categories: "51",
  licensed_locations: "California",
  queer_programming: "on",
  mission_statement: "on",
};
const NO_ANSWERS = {
  category: 1,
  online_categories: [],
  licensed_locations: [],
  queer_programming: false,
  mission_statement: false,
};

describe("an edit", () => {
  it.each([
    ["2", { licensed_locations: "California" }],
    ["12", { online_categories: "51" }],
    ["14", { queer_programming: "on", mission_statement: "on" }],
  ])("to another category than %s takes away what only that asks", async (category, answers) => {
    const owner = await world.owner();
    await owner.post("/listings/new", listingForm({ category, ...answers }));
    const [{ id, version }] = (await listingsOf(owner)) as [{ id: number; version: number }];
    const form = listingForm({ category: "1", ...answers, version: String(version) });
    expect(await owner.post(`/listings/${id}`, form)).toRedirectTo("/");
    expect(await world.row("places", id)).toMatchObject(NO_ANSWERS);
    // Sent again after its answer was lost, it is no conflict.
    expect(await owner.post(`/listings/${id}`, form)).toRedirectTo("/");
    // What is seen of a listing that was approved then.
    await world.sql("update public.places set status = 'published' where id = $1", [id]);
    const seen = await world.sql("select * from public.public_places where id = $1", [id]);
    expect(seen).toMatchObject([NO_ANSWERS]);
  });

  it("of a new listing leaves it new", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, status: "new" });
    expect(
      await owner.post(`/listings/${listing.id}`, listingForm({ name: "Café Y", version: 1 })),
    ).toRedirectTo("/");
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Café Y",
      status: "new",
      version: 2,
    });
  });

  it("of a published listing waits for review, and the public sees what was approved", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "Café Y" }));

    const saved = await world.row("places", listing.id);
    expect(saved).toMatchObject({ name: "Café Y", status: "pending-update" });
    expect(saved!["last_update"]).toMatchObject({ name: "Café X" });
    expect(await world.row("public_places", listing.id)).toMatchObject({ name: "Café X" });
    expect(await owner.page("/listings")).toSay("Pending Review");
  });

  it("is made under the badge that Business Listings shows", async () => {
    const owner = await world.owner();
    const badges = async (id: number) =>
      await Promise.all(
        ["/listings", `/listings/${id}`, `/listings/${id}/visibility`].map(
          async (path) => /class="badge[^>]*>([^<]+)</.exec((await owner.page(path)).body)?.[1],
        ),
      );
    const onEach = (badge: string) => [badge, badge, badge];
    const { id } = await world.listing({ owner, name: "B", status: "published" });
    expect(await badges(id)).toEqual(onEach("Published"));
    await owner.post(`/listings/${id}/visibility`, { intent: "hide" });
    expect(await badges(id)).toEqual(onEach("Hidden"));
    await owner.post(`/listings/${id}/visibility`, { intent: "archive" });
    expect(await badges(id)).toEqual(onEach("Removal requested"));
    const first = await world.listing({ owner, name: "A", status: "new", changes_requested: "x" });
    expect(await badges(first.id)).toEqual(onEach("Changes requested"));
  });

  it("by an admin is published as it is", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const listing = await world.listing({ owner, name: "Café X" });
    expect(
      await admin.post(`/listings/${listing.id}`, listingForm({ name: "Café Z" })),
    ).toRedirectTo("/");
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Café Z",
      status: "published",
      owner: owner.id,
    });
  });

  it("takes nothing but the form's own fields", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner, status: "new" });
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ status: "published", premium: "on", owner: other.id, id: "77", proxi_id: "p" }),
    );
    expect(await world.row("places", listing.id)).toMatchObject({
      status: "new",
      premium: false,
      owner: owner.id,
      proxi_id: null,
    });
  });

  it("over a newer version is stopped, and shows both", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, status: "new", name: "First" });
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "Second", version: 1 }));
    const late = await owner.submit(
      `/listings/${listing.id}`,
      listingForm({ name: "Third", version: 1 }),
    );

    expect(late).toHaveStatus(409);
    expect(late).toSay("Second");
    expect(late.value("name")).toBe("Third");
    expect(await world.row("places", listing.id)).toMatchObject({ name: "Second", version: 2 });

    expect(
      await owner.post(
        `/listings/${listing.id}`,
        listingForm({ name: "Third", version: late.value("version") }),
      ),
    ).toRedirectTo("/");
    expect(await world.row("places", listing.id)).toMatchObject({ name: "Third", version: 3 });
  });

  it("that changes nothing changes nothing", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const page = await owner.page(`/listings/${listing.id}`);
    expect(page).toHaveStatus(200);
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: page.value("name"), rawaddress: page.value("rawaddress") }),
    );
    const once = await world.row("places", listing.id);
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: page.value("name"), rawaddress: page.value("rawaddress") }),
    );
    expect(await world.row("places", listing.id)).toEqual(once);
  });
});

describe("someone else's listing", () => {
  it("is answered like one that does not exist", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner: other, name: "Not Yours" });

    for (const kind of ["page", "submit"] as const) {
      const theirs = await owner[kind](
        `/listings/${listing.id}`,
        kind === "submit" ? listingForm() : {},
      );
      const nobodys = await owner[kind](
        "/listings/123456789",
        kind === "submit" ? listingForm() : {},
      );
      expect(theirs).toBeNotFound();
      expect(theirs).toSay(NO_PERMISSION);
      expect(theirs.body).not.toContain("Not Yours");
      const withoutIds = (text: string) =>
        text
          .replace(/[0-9a-f-]{36}/g, "")
          .replaceAll(String(listing.id), "")
          .replaceAll("123456789", "");
      expect(withoutIds(theirs.text)).toBe(withoutIds(nobodys.text));
    }
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Not Yours",
      version: 1,
      owner: other.id,
    });
  });

  it("can't be distinguished by a refused form either", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner: other });
    expect(await owner.post(`/listings/${listing.id}`, { name: "" })).toBeNotFound();
    expect(await owner.post("/listings/123456789", { name: "" })).toBeNotFound();
  });

  it.each([
    "abc",
    "-1",
    "0",
    "1e3",
    "1.5",
    "0x10",
    "%00",
    "1180591620717411303424",
    "9007199254740993",
    "1%20or%201=1",
    "null",
  ])("id %s is no listing", async (id) => {
    const owner = await world.owner();
    expect(await owner.get(`/listings/${id}`)).toBeNotFound();
    expect(await owner.post(`/listings/${id}`, listingForm())).toBeNotFound();
  });
});

describe("an unclaimed listing", () => {
  it("is shown to the person whose confirmed address it names, and becomes theirs by saving", async () => {
    const owner = await world.owner();
    const listing = await world.listing({
      owner: null,
      owner_email: owner.email,
      name: "Waiting For You",
      status: "new",
    });
    expect(await owner.page("/listings")).toSay("Waiting For You");
    expect(
      await owner.post(`/listings/${listing.id}`, listingForm({ name: "Mine Now" })),
    ).toRedirectTo("/");
    expect(await world.row("places", listing.id)).toMatchObject({
      name: "Mine Now",
      owner: owner.id,
    });
  });

  it("belongs to no one else", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const listing = await world.listing({
      owner: null,
      owner_email: other.email,
      name: "Waiting For Someone",
    });
    expect(await owner.page("/listings")).not.toSay("Waiting For Someone");
    expect(await owner.get(`/listings/${listing.id}`)).toBeNotFound();
  });
});

describe("the dashboard", () => {
  it("greets someone who has no listing yet", async () => {
    const owner = await world.owner();
    expect(await owner.page("/listings")).toSay("get your organization on the map");
  });

  it("tells the state of each listing in words, and names each link by its listing", async () => {
    const owner = await world.owner();
    for (const status of ["new", "published", "pending-update", "flagged", "archived"]) {
      await world.listing({ owner, name: `A ${status} one`, status });
    }
    const page = await owner.page("/listings");
    for (const words of ["Pending Review", "Published", "Flagged", "Archived"])
      expect(page).toSay(words);
    expect(page.body).toContain('aria-label="Edit listing: A new one"');
  });

  it.each(["/listings", "/listings/new"])("%s takes at most two calls in a row", async (path) => {
    const owner = await world.owner();
    for (let i = 0; i < 3; i++) await world.listing({ owner });
    expect(await owner.page(path)).toTakeAtMostSequentialCalls(2);
  });

  it("shows a listing in at most two calls in a row", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner });
    expect(await owner.page(`/listings/${listing.id}`)).toTakeAtMostSequentialCalls(2);
  });
});

// React sends what is left of a buffer as NUL when the next character does not fit (entry.server.tsx).
it("arrives whole and without NUL, whatever the characters", async () => {
  const someone = await world.owner();
  const name = (index: number) => `${"é–漢🏳️‍🌈".repeat(3)} ${index}`;
  for (let index = 0; index < 20; index += 1)
    await world.listing({ owner: someone, name: name(index) });

  const page = await someone.page("/listings");

  expect(page.body).not.toContain("\u0000");
  expect(page.body).not.toContain("\ufffd");
  for (let index = 0; index < 20; index += 1) expect(page.text).toContain(name(index));
});
