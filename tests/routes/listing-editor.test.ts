import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { LISTING_FIELD_NAMES, LISTING_FIELDS, type ListingField } from "~/modules/listings/fields";
import { LICENSED_LOCATIONS } from "~/modules/listings/licensed-locations.server";

import { listingForm, pickedAddress } from "../support/forms";
import type { Member } from "../support/world";
import { createWorld } from "../support/world";

const world = await createWorld({ seed: "demo" });

const SELECT_ADDRESS =
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.";
const PICK_ADDRESS = `${SELECT_ADDRESS} Type your address and select “Find address”, then choose yours from the list.`;
const NOTHING_FOUND = "We can’t find that address. Check the spelling, or add the city and state.";
const MAILING_ADDRESS = "Please be sure to select a valid mailing address.";
const COMMUNITY =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";
const WEBSITE = "Please be sure to include https:// in your website URL.";

type Saved = Record<ListingField, string | string[]>;
interface Editor {
  saved: Saved;
  listing: { version: number };
}
interface Found {
  found: { rawaddress?: { candidates: { label: string; token: string }[] } };
}

/** A listing's form as a browser sends it if nothing was changed. */
function unchangedForm({ saved, listing }: Editor): Record<string, string | string[]> {
  const isAsked = (name: ListingField) =>
    !(name === "online_categories" && saved.category !== "12") &&
    !(name === "licensed_locations" && saved.category !== "2") &&
    !(["queer_programming", "mission_statement"].includes(name) && saved.category !== "14");
  const boxes = new Set<string>([
    "third_party_auth",
    "certified_queer",
    "queer_programming",
    "mission_statement",
  ]);
  const sent = LISTING_FIELD_NAMES.filter(
    (name) => isAsked(name) && !(saved[name] === "" && boxes.has(name)),
  );
  return {
    ...Object.fromEntries(sent.map((name) => [name, saved[name]])),
    version: String(listing.version),
  };
}

const demoOwner = async () => {
  const person = world.anonymous();
  expect(
    await person.post("/login", { email: "owner@demo.test", password: "rainbow-demo-1" }),
  ).toRedirectTo("/");
  return person;
};
const rowOf = async (person: Member) =>
  (await world.sql("select * from public.places where owner = $1", [person.id]))[0]!;
const publicRow = async (id: unknown) =>
  (await world.sql("select * from public.public_places where id = $1", [id]))[0];

describe("the four rules of the listing form", () => {
  it("are all reported at once, in their exact words, at their fields", async () => {
    const owner = await world.owner();
    const form = listingForm({
      rawaddress: "1 Castro St",
      rawaddress_pick: "",
      mailingaddress: "PO Box 1",
      mailingaddress_pick: "",
      category: "14",
      url: "cafe.example",
    });
    const response = await owner.post("/listings/new", form);
    expect(response).toHaveStatus(400);
    expect(response.errors).toEqual({
      rawaddress: [`${SELECT_ADDRESS} ${NOTHING_FOUND}`],
      mailingaddress: [`${MAILING_ADDRESS} ${NOTHING_FOUND}`],
      queer_programming: [COMMUNITY],
      url: [WEBSITE],
    });
    expect(response.kept).toMatchObject({ rawaddress: "1 Castro St", url: "cafe.example" });
  });

  it("report a missing address once if nothing was typed", async () => {
    const owner = await world.owner();
    const response = await owner.post(
      "/listings/new",
      listingForm({
        rawaddress: "",
        rawaddress_pick: "",
        mailingaddress: "  ",
        mailingaddress_pick: "",
      }),
    );
    expect(response.errors).toEqual({
      rawaddress: [PICK_ADDRESS],
      mailingaddress: [MAILING_ADDRESS],
    });
  });

  it("say that the listing is flagged, and what that means", async () => {
    const owner = await world.owner();
    const flagged = await world.listing({ owner, status: "flagged" });
    const said = "Our team is looking into this listing, so no one can see it right now.";
    expect(await owner.page(`/listings/${flagged.id}`)).toSay(said);
    const listing = await world.listing({ owner });
    expect(await owner.page(`/listings/${listing.id}`)).not.toSay(said);
  });

  it("require a pick for a changed address of a live listing, and of no other", async () => {
    const owner = await world.owner();
    for (const [status, refused] of [
      ["published", true],
      ["pending-update", true],
      ["new", false],
      ["flagged", false],
    ] as const) {
      const listing = await world.listing({ owner, status, mailingaddress: "PO Box 1" });
      const editor = (await owner.get(`/listings/${listing.id}`)).data as Editor;
      const response = await owner.post(`/listings/${listing.id}`, {
        ...unchangedForm(editor),
        rawaddress: "9 Elsewhere Rd",
      });
      if (refused)
        expect(response.errors, status).toEqual({
          rawaddress: [`${SELECT_ADDRESS} ${NOTHING_FOUND}`],
        });
      else expect(response, status).toRedirectTo("/");
    }
  });
});

describe("an address", () => {
  it("is looked up and picked without losing other fields", async () => {
    const owner = await world.owner();
    const { rawaddress: _, rawaddress_pick: __, ...rest } = listingForm({ name: "Picked Café" });
    const looked = await owner.post("/listings/new", {
      ...rest,
      rawaddress: "2114 SE Division St, Portland, OR 97214",
      intent: "findAddress",
    });
    expect(looked).toHaveStatus(200);
    expect(looked.errors).toEqual({});
    expect(looked.kept).toMatchObject({ name: "Picked Café", description: rest["description"] });
    const { found } = looked.data as Found;
    expect(Object.keys(found)).toEqual(["rawaddress"]);

    const form = {
      ...rest,
      rawaddress: "2114 SE Division St, Portland, OR 97214",
      rawaddress_pick: found.rawaddress!.candidates[0]!.token,
    };
    expect(await owner.post("/listings/new", form)).toRedirectTo("/");
    expect(await rowOf(owner)).toMatchObject({
      city: "Portland",
      state: "OR",
      postalcode: "97214",
      address_approximate: true,
    });
  });

  it("gets its position only from a valid pick: not from a forged seal, a seal for another text, or coordinates in the form", async () => {
    const owner = await world.owner();
    const { rawaddress_pick: token } = pickedAddress("rawaddress");
    const refuse = async (fields: Record<string, string>) =>
      expect(await owner.post("/listings/new", listingForm(fields))).toBeRefusedWith(
        new RegExp(`^${SELECT_ADDRESS}`),
        { field: "rawaddress" },
      );
    for (const forged of [`${token!.slice(0, -2)}xx`, "e30.e30", "{}", "\u0000"])
      await refuse({ rawaddress_pick: forged });
    await refuse({ rawaddress: "Somewhere else" });
    for (const nowhere of [{ lat: 90.01 }, { lat: -91 }, { long: 180.5 }, { long: -1e9 }])
      await refuse(pickedAddress("rawaddress", nowhere));
    await owner.post("/listings/new", listingForm({ lat: "10", long: "10", city: "Atlantis" }));
    expect(await rowOf(owner)).toMatchObject({ lat: 37.76, long: -122.44, city: "San Francisco" });
  });

  it("shows an error if nothing is found or nothing was typed", async () => {
    const owner = await world.owner();
    expect(
      (await owner.post("/listings/new", { rawaddress: "qqqq zzzz", intent: "findAddress" }))
        .errors,
    ).toEqual({ rawaddress: [expect.stringMatching(/can’t find/)] });
    expect(
      (await owner.post("/listings/new", { rawaddress: " ", intent: "findMailingAddress" })).errors,
    ).toEqual({ mailingaddress: [expect.stringMatching(/Type an address/)] });
  });

  it("says that its position is approximate once it is picked, and after it is saved", async () => {
    const owner = await world.owner();
    const words = "We’ll show an approximate location";
    await owner.post("/listings/new", listingForm());
    const { id } = await rowOf(owner);
    expect((await owner.page(`/listings/${String(id)}`)).text.split(words)).toHaveLength(2);
    const looked = await owner.submit("/listings/new", {
      rawaddress: "Portland, OR",
      intent: "findAddress",
    });
    expect(looked).not.toSay(words);
    const chosen = await owner.submit("/listings/new", { ...listingForm(), intent: "continue" });
    expect(chosen.text.split(words), "once, for the one on the map").toHaveLength(2);
    const exact = await owner.submit("/listings/new", {
      ...listingForm(pickedAddress("rawaddress", { approximate: false })),
      intent: "continue",
    });
    expect(exact).not.toSay(words);
  });

  it("doesn’t seem to keep a home private by that: the page says that its street and house number are shown, and how not to", async () => {
    const owner = await world.owner();
    const home = { rawaddress: "2114 SE Division St, Portland, OR 97214", mailing_same: "on" };
    const { found } = (await owner.post("/listings/new", { ...home, intent: "findAddress" }))
      .data as Found;
    const chosen = { ...home, rawaddress_pick: found.rawaddress!.candidates[0]!.token };
    const page = await owner.submit("/listings/new", { ...chosen, intent: "continue" });
    expect(page).toSay(
      "People still see the whole address. Work from home? Enter only your city and state.",
    );
    await owner.post("/listings/new", { ...listingForm(), ...chosen });
    const { id } = await rowOf(owner);
    await world.sql("update public.places set status = 'published' where id = $1", [id]);
    expect(
      await world.sql(
        "select address, address_approximate from public.public_places where id = $1",
        [id],
      ),
    ).toEqual([
      {
        address: "2114 SE Division St, Portland, OR 97214, United States",
        address_approximate: true,
      },
    ]);
    expect(await owner.page(`/listings/${String(id)}/preview`)).toSay(
      "Shown at an approximate location on the map.",
    );
  });

  it("is suggested while typing to signed-in users", async () => {
    const owner = await world.owner();
    const { candidates } = (await owner.post("/addresses", { typed: "Oakland, CA" })).data as {
      candidates: { label: string }[];
    };
    expect(candidates[0]!.label).toMatch(/^Oakland, CA/);
  });
});

describe("saving without a change", () => {
  it("changes neither the status nor the version of any demo listing", async () => {
    const owner = await demoOwner();
    const listings = await world.sql(
      "select id, status, version, mailingaddress from public.places where owner = (select id from public.profiles where email = 'owner@demo.test') order by id",
    );
    expect(listings.length).toBe(30);
    for (const { id, status, version } of listings) {
      const editor = (await owner.get(`/listings/${String(id)}`)).data as Editor;
      const response = await owner.post(`/listings/${String(id)}`, unchangedForm(editor));
      // An old listing may lack what is required now. Then it is refused, and unchanged as well.
      if (response.status !== 400) expect(response, String(id)).toRedirectTo("/");
      expect(
        await world.sql("select status, version from public.places where id = $1", [id]),
        String(id),
      ).toEqual([{ status, version }]);
    }
  });
});

describe("an edit of a live listing", () => {
  it("waits until an admin approves it, while the public sees the approved version", async () => {
    const owner = await world.owner();
    const admin = await world.admin();
    await owner.post("/listings/new", listingForm({ name: "Before", instagram: "@before" }));
    const { id } = await rowOf(owner);
    await admin.post(`/admin/listings/${String(id)}/details`, { intent: "approve", version: "1" });
    expect(await publicRow(id)).toMatchObject({
      name: "Before",
      instagram: "https://www.instagram.com/before",
    });

    const editor = (await owner.get(`/listings/${String(id)}`)).data as Editor;
    await owner.post(`/listings/${String(id)}`, {
      ...unchangedForm(editor),
      name: "After",
      instagram: "after",
    });
    expect(await rowOf(owner)).toMatchObject({
      status: "pending-update",
      name: "After",
      last_update: { name: "Before", instagram: "https://www.instagram.com/before" },
    });
    expect(await publicRow(id)).toMatchObject({
      name: "Before",
      instagram: "https://www.instagram.com/before",
    });
    expect((await owner.page(`/listings/${String(id)}`)).text).toMatch(
      /Approved Waiting for review .*Business Name Before After/,
    );

    await admin.post(`/admin/listings/${String(id)}/details`, {
      intent: "approve",
      version: String((await rowOf(owner))["version"]),
    });
    expect(await publicRow(id)).toMatchObject({
      name: "After",
      instagram: "https://www.instagram.com/after",
    });
  });
});

describe("the result of a save", () => {
  const saved = async (person: Member, id: unknown, fields: Record<string, unknown> = {}) => {
    const editor = (await person.get(`/listings/${String(id)}`)).data as Editor;
    const response = await person.post(`/listings/${String(id)}`, {
      ...unchangedForm(editor),
      ...fields,
    } as Record<string, string>);
    expect(response).toRedirectTo("/");
    return person.page("/listings");
  };
  const SUBMITTED = "Your listing has been submitted for review!";

  it("has its own message: submitted, unchanged, reverted, claimed, archived", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, name: "Café X", mailingaddress: "PO Box 1" });
    expect(await saved(owner, id)).toSay("Nothing was changed. Your listing is still live.");
    expect(await saved(owner, id, { name: "Café Y" })).toSay(SUBMITTED);
    expect(await saved(owner, id)).toSay(
      "Nothing was changed. Your earlier changes are still waiting for review.",
    );
    expect(await saved(owner, id, { name: "Café X" })).toSay(
      "You’re back to the approved version; nothing is waiting for review.",
    );

    const unclaimed = await world.listing({
      owner: null,
      owner_email: owner.email,
      mailingaddress: "PO Box 1",
    });
    expect(await saved(owner, unclaimed.id)).toSay("This listing is yours now.");
    const archived = await world.listing({ owner, status: "archived", mailingaddress: "PO Box 1" });
    expect(await saved(owner, archived.id, { name: "Gone" })).toSay(
      "The listing is still off the directory.",
    );
    expect(await saved(await world.admin(), id, { name: "Café Z" })).toSay(
      "Saved. This version is live.",
    );
  });

  it("keeps a licensed location that left the list until its owner unticks it", async () => {
    const owner = await world.owner();
    const listing = await world.listing({
      owner,
      status: "new",
      category: 2,
      licensed_locations: ["Cascadia", "Ohio"],
      mailingaddress: "PO Box 1",
    });
    const page = await owner.page(`/listings/${listing.id}`);
    expect(page).toSay("Previously selected Cascadia");
    await saved(owner, listing.id, { name: "Renamed" });
    expect(await world.row("places", listing.id)).toMatchObject({
      licensed_locations: ["Cascadia", "Ohio"],
    });
    await saved(owner, listing.id, { licensed_locations: ["Ohio", "Kenya"] });
    expect(await world.row("places", listing.id)).toMatchObject({
      licensed_locations: ["Ohio", "Kenya"],
    });
    expect(
      await owner.post(
        `/listings/${listing.id}`,
        listingForm({ category: "2", licensed_locations: "Cascadia" }),
      ),
    ).toBeRefusedWith("Choose places from the list.");
  });

  it("shows categories by name in both comparisons", async () => {
    const owner = await world.owner();
    const category = async (which: string) =>
      (
        await world.sql(`select id, name from public.categories where ${which} order by id limit 1`)
      )[0]!;
    const [from, to, online] = [
      await category("id = 4"),
      await category("id = 12"),
      await category("parent_category = 12"),
    ];
    const listing = await world.listing({ owner, category: 4, mailingaddress: "PO Box 1" });
    const path = `/listings/${listing.id}`;
    const early = (await owner.get(path)).data as Editor;
    await saved(owner, listing.id, { category: "12", online_categories: String(online["id"]) });
    const words = `Category ${String(from["name"])} ${String(to["name"])}`;
    expect((await owner.page(path)).text).toContain(words);
    expect((await owner.page(path)).text).toContain(
      `Online Shopping Category Empty ${String(online["name"])}`,
    );
    const late = await owner.submit(path, { ...unchangedForm(early), name: "Late" });
    expect(late).toHaveStatus(409);
    expect(late.text).toContain(`Category ${String(to["name"])} ${String(from["name"])}`);
  });
});

it("an edit that moves nothing but the pin is shown to the owner, who can withdraw it, and in the team’s row", async () => {
  const [owner, admin] = [await world.owner(), await world.admin()];
  const listing = await world.listing({ owner, name: "Café Far", lat: 45.52, long: -122.68 });
  // As its manager can do by the data API, one coordinate at a time.
  await world.sql(
    `update public.places set status = 'pending-update', last_update = jsonb_build_object('long', long), long = -106.5
     where id = $1`,
    [listing.id],
  );
  const page = await owner.page(`/listings/${listing.id}`);
  expect(page).toSay("Pin on the map where it was approved about 780 miles away");
  expect(page).toSay("Withdraw these changes");
  expect(await admin.page("/admin/pending?q=Far")).toSay(
    "where it was approved, now → about 780 miles away",
  );
  expect(await admin.page(`/admin/listings/${listing.id}`)).toSay("about 780 miles away");
});

it.each([
  [["address_approximate"], "Position is approximate No Yes"],
  [["phone", "lat"], "Pin on the map where it was approved less than half a mile away"],
])("an edit of %j says where the pin is, and can be withdrawn", async (edited, words) => {
  const owner = await world.owner();
  const fields = { address_approximate: false, lat: 45.52, long: -122.68 };
  const listing = await world.listing({ owner, ...fields });
  // As its manager can do by the data API.
  await world.sql(
    `update public.places set status = 'pending-update',
       last_update = (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(places)) where key = any ($2))
     where id = $1`,
    [listing.id, edited],
  );
  const edit = { address_approximate: "true", phone: "'+1 503-555-0171'", lat: "45.521" };
  for (const column of edited)
    await world.sql(
      `update public.places set ${column} = ${edit[column as keyof typeof edit]} where id = $1`,
      [listing.id],
    );
  expect(await owner.page(`/listings/${listing.id}`)).toSay(words);
  const question = await owner.page(`/listings/${listing.id}/withdraw`);
  expect(question).toSay(words);
  const version = question.value("version")!;
  await owner.post(`/listings/${listing.id}/withdraw`, { intent: "withdraw", version });
  expect(await owner.page(`/listings/${listing.id}`)).not.toSay("waiting for review");
});

describe("two versions", () => {
  it("come first: what waits for review is part of the one that was saved", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Before", mailingaddress: "PO Box 1" });
    const path = `/listings/${listing.id}`;
    const mine = (await owner.get(path)).data as Editor;
    await owner.post(path, { ...unchangedForm(mine), name: "Theirs" });
    expect(await owner.page(path)).toSay("Your changes are waiting for review");

    const late = await owner.submit(path, { ...unchangedForm(mine), name: "Mine" });
    expect(late).toHaveStatus(409);
    expect(late).toSay("Business Name Theirs Mine");
    expect(late).not.toSay("are waiting for review");
    expect(late).not.toSay("Withdraw these changes");
  });

  it("aren’t compared when the team has only decided since, which changes nothing in the form", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    await owner.post("/listings/new", listingForm({ name: "First" }));
    const { id } = await rowOf(owner);
    const path = `/listings/${String(id)}`;
    const open = async () => {
      const page = await owner.page(path);
      const { version, opened } = {
        version: page.value("version")!,
        opened: page.value("opened")!,
      };
      return listingForm({ name: "Second", version, opened });
    };
    const decide = (intent: string, fields = {}) =>
      admin.post(`/admin/listings/${String(id)}/details`, { intent, ...fields });
    const form = await open();
    await decide("approve", { version: form["version"] });
    expect(await owner.post(path, form)).toRedirectTo("/");
    expect(await rowOf(owner)).toMatchObject({ name: "Second", status: "pending-update" });

    // What the team asks for belongs to what the form shows.
    const unaware = await open();
    const reason = "Please add the street number.";
    await world.sql("update public.places set changes_requested = $1 where id = $2", [reason, id]);
    expect(await owner.page(path)).toSay(reason);
    expect(await owner.post(path, { ...unaware, name: "Third" })).toHaveStatus(409);

    // So does what someone else has saved.
    const late = await open();
    await owner.post(path, { ...late, name: "Theirs" });
    const refused = await owner.submit(path, { ...late, name: "Mine" });
    expect(refused).toHaveStatus(409);
    // The form that comes back edits the newer version.
    expect(await owner.submit(path, { ...late, name: "Mine" })).toHaveStatus(409);
    const { version, opened } = {
      version: refused.value("version")!,
      opened: refused.value("opened")!,
    };
    expect(await owner.post(path, { ...late, name: "Mine", version, opened })).toRedirectTo("/");
  });

  it("come together in a form that asks, field by field, which one to keep", async () => {
    const owner = await world.owner();
    await owner.post("/listings/new", listingForm({ name: "First", phone: "+1 201 555 0100" }));
    const { id } = await rowOf(owner);
    const path = `/listings/${String(id)}`;
    const mine = (await owner.get(path)).data as Editor;
    await owner.post(path, { ...unchangedForm(mine), name: "Theirs", phone: "+1 201 555 0199" });

    const late = await owner.submit(path, {
      ...unchangedForm(mine),
      name: "Mine",
      phone: "+1 201 555 0123",
    });
    expect(late).toHaveStatus(409);
    expect(late.text).toMatch(
      /There is a problem .*choose which version of each field to keep.* Differences between the two versions .*Theirs/,
    );
    const chosen = {
      ...unchangedForm(mine),
      name: "Mine",
      phone: "+1 201 555 0123",
      version: late.value("version")!,
      choose_name: "saved",
      choose_phone: "mine",
    };
    expect(await owner.post(path, chosen)).toRedirectTo("/");
    expect(await rowOf(owner)).toMatchObject({ name: "Theirs", phone: "+1 201 555 0123" });
  });
});

describe("a draft", () => {
  it("is saved without validation, restored as typed, and deleted when its listing is submitted", async () => {
    const owner = await world.owner();
    const id = randomUUID();
    expect(
      await owner.post("/listings/new", {
        name: "Half a",
        url: "nonsense",
        submission_id: id,
        intent: "draft",
      }),
    ).toRedirectTo("/listings");
    const page = await owner.page(`/listings/new?draft=${id}`);
    expect(page.value("name")).toBe("Half a");
    expect(page.value("url")).toBe("nonsense");
    expect(page.value("submission_id")).toBe(id);

    expect((await (await world.owner()).page(`/listings/new?draft=${id}`)).value("name")).not.toBe(
      "Half a",
    );

    await owner.post(
      "/listings/new",
      listingForm({ name: "Half a", submission_id: id, intent: "draft" }),
    );
    expect((await owner.page(`/listings/new?draft=${id}`)).text).toContain("Selected: 1 Castro St");
    expect(await owner.post("/listings/new", listingForm({ submission_id: id }))).toRedirectTo("/");
    expect(await world.sql("select 1 from public.listing_drafts where id = $1", [id])).toEqual([]);
  });

  it("is deleted then also at the address of someone else's form, where Back leads on a shared computer", async () => {
    const [ann, bob] = [await world.owner(), await world.owner()];
    const id = randomUUID();
    await ann.post("/listings/new", { name: "Ann’s", submission_id: id, intent: "draft" });
    const fields = { name: "Bob’s", submission_id: id, tab: randomUUID() };
    expect(await bob.post("/listings/new", { ...fields, intent: "draft" })).toRedirectTo(
      "/listings",
    );
    const namesOf = async ({ id: user }: { id: string }) =>
      (
        await world.sql(
          "select fields ->> 'name' as name from public.listing_drafts where owner = $1",
          [user],
        )
      ).map(({ name }) => name);
    expect(await namesOf(bob)).toEqual(["Bob’s"]);
    expect(await bob.post("/listings/new", listingForm(fields))).toRedirectTo("/");
    expect(await namesOf(bob)).toEqual([]);
    expect(await namesOf(ann)).toEqual(["Ann’s"]);
  });
});

describe("a draft that can't be saved", () => {
  it("returns the form with the reason", async () => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", {
      name: "Long",
      description: "é".repeat(40_000),
      submission_id: randomUUID(),
      intent: "draft",
    });
    expect(response).toHaveStatus(400);
    expect(response.errors[""]).toEqual([expect.stringMatching(/\w/)]);
    expect(response.kept).toMatchObject({ name: "Long" });
  });
});

describe("a category's own questions", () => {
  it.each([
    ["12", "Online Shopping Category"],
    ["2", "Where are you licensed"],
    ["14", "Queer Serving Community Groups"],
  ])(
    "of category %s are shown after “Show the questions”, without JavaScript",
    async (category, text) => {
      const owner = await world.owner();
      expect((await owner.page("/listings/new")).text).not.toContain(text);
      const page = await owner.submit("/listings/new", {
        name: "Kept",
        category,
        intent: "continue",
      });
      expect(page).toHaveStatus(200);
      expect(page.text).toContain(text);
      expect(page.value("name")).toBe("Kept");
    },
  );

  it.each([
    [{ category: "40" }, "category"],
    [{ category: "81" }, "category"],
    [{ category: "12", online_categories: ["1"] }, "online_categories"],
  ])("%o is refused at its field", async (fields, field) => {
    const owner = await world.owner();
    expect(Object.keys((await owner.post("/listings/new", listingForm(fields))).errors)).toEqual([
      field,
    ]);
  });
});

describe("the form", () => {
  it("says with a mark who sees each field, in its description, and gives the limit of a long text without script", async () => {
    const page = await (
      await world.owner()
    ).submit("/listings/new", { category: "14", intent: "continue" });
    const marks = new Map(
      [
        ...page.body.matchAll(/<span id="([\w-]+-mark)" class="mark[^>]*>.*?<\/svg>(.*?)<\/span>/g),
      ].map(([, id, words]) => [id, words!.replaceAll(/<!--.*?-->/g, "").trim()]),
    );
    const asked = LISTING_FIELD_NAMES.filter(
      // Beside "shown publicly", "Private" would read as a contradiction.
      (name) => !["online_categories", "licensed_locations", "third_party_auth"].includes(name),
    );
    for (const name of asked) {
      const control = new RegExp(`<(input|select|textarea)[^>]*id="listing-${name}"[^>]*>`).exec(
        page.body,
      )![0];
      const described = /aria-describedby="([^"]*)"/.exec(control)![1]!.split(" ");
      expect(described.map((id) => marks.get(id)).filter(Boolean), name).toEqual([
        LISTING_FIELDS[name].audience === "public" ? "Public" : "Private",
      ]);
    }
    expect(page.body).toContain("<noscript>At most 5,000 characters.</noscript>");
    expect(page.text.match(/At most/g)).toHaveLength(1);
    expect(page).toSay("To be listed as a community group, both of these need to apply.");
  });

  it("offer every licensed location in groups that open without JavaScript, within the page budget", async () => {
    const owner = await world.owner();
    const biography = Array.from(
      { length: 160 },
      (_, n) => `${["care", "queer", "trans", "family", "grief"][n % 5]}${n * 7}`,
    ).join(" ");
    const listing = await world.listing({
      owner,
      category: 2,
      licensed_locations: ["Ohio"],
      description: biography,
    });
    const page = await owner.page(`/listings/${listing.id}`);
    const groups = [
      ...page.body.matchAll(/<details class="location-group"[^>]*><summary>(.*?)<\/summary>/g),
    ].map(([, name]) => name);
    expect(groups).toEqual([
      "United States",
      "Canada",
      "Mexico, Central and South America",
      "The Caribbean and Bermuda",
      "Europe",
      "Africa",
      "Asia and the Middle East",
      "Oceania",
    ]);
    expect(page.body.match(/name="licensed_locations"/g)).toHaveLength(LICENSED_LOCATIONS.size);
    expect(page.body.match(/<input[^>]*value="Ohio"[^>]*>/)![0]).toContain("checked");
    expect(gzipSync(page.body).byteLength).toBeLessThanOrEqual(14 * 1024);
  });
});

it("has a control for every field of a listing", async () => {
  const owner = await world.owner();
  const bodies = await Promise.all(
    ["2", "12", "14"].map(
      async (category) =>
        (await owner.submit("/listings/new", { category, intent: "continue" })).body,
    ),
  );
  const missing = LISTING_FIELD_NAMES.filter(
    (name) => !bodies.some((body) => body.includes(` name="${name}"`)),
  );
  expect(missing).toEqual([]);
});
