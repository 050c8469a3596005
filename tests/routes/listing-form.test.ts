/** The form of a listing: what it looks up, copies, says, and where it leads. */
import { describe, expect, it } from "vitest";

import { LISTING_FIELD_NAMES, type ListingField } from "~/modules/listings/fields";

import { listingForm, pickedAddress } from "../support/forms";
import type { Member } from "../support/world";
import { createWorld } from "../support/world";

const world = await createWorld({ seed: "demo" });

const ADDRESS = "2114 SE Division St, Portland, OR 97214";
const SELECT_ADDRESS =
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.";
const FOUND_IT = "We found it and selected it for you. Check that it’s yours, then submit again.";

const { rawaddress: _, rawaddress_pick: __, ...unplaced } = listingForm({ name: "Found Café" });

interface Editor {
  saved: Record<ListingField | "mailing_same", string | string[]>;
  listing: { version: number };
}

/** The form of a saved listing as a browser sends it, with some fields changed. */
async function formOf(person: Member, id: unknown, fields: Record<string, unknown> = {}) {
  const { saved, listing } = (await person.get(`/listings/${String(id)}`)).data as Editor;
  const sent = [...LISTING_FIELD_NAMES, "mailing_same" as const].filter(
    (name) => saved[name] !== "" || typeof fields[name] === "string",
  );
  return {
    ...Object.fromEntries(sent.map((name) => [name, saved[name]])),
    version: String(listing.version),
    ...fields,
  } as Record<string, string>;
}
const rowOf = async (person: Member) =>
  (await world.sql("select * from public.places where owner = $1", [person.id]))[0]!;

describe("a form whose end had not arrived when it was sent", () => {
  it("is refused: what is missing doesn’t count as emptied, and is not offered to be sent again", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Whole Café" });
    const path = `/listings/${listing.id}`;
    const page = await owner.page(path);
    const { body } = page;
    const form = body.slice(body.indexOf('id="listing"'));
    const names = [...form.slice(0, form.indexOf("</form>")).matchAll(/ name="([^"]+)"/g)];
    const [first, last] = [names[0]![1]!, names.at(-1)![1]!];
    expect(last).toBe("csrf");
    const fields = { [first]: "", name: "Half Café", public_email: "half@cafe.example" };
    const cut = await owner.submit(path, fields);
    expect(cut).toHaveStatus(400);
    expect(cut).toSay("This page hadn’t loaded completely Nothing was saved.");
    expect(cut.body).not.toContain("Half Café");
    // With its last field, it is checked as any other.
    expect(await owner.submit(path, { ...fields, csrf: page.value("csrf")! })).toSay(
      "There is a problem",
    );
    expect(await world.row("places", listing.id)).toMatchObject({ name: "Whole Café" });
  });
});

describe("what a browser fills in from its user’s own contact", () => {
  it("goes into the field where they chose it only: not their number with their address, which everyone would see", async () => {
    const { body } = await (await world.owner()).page("/listings/new");
    const sectionOf = (name: string) => {
      const [input = ""] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(body) ?? [];
      return /autocomplete="(section-\S+) /i.exec(input)?.[1];
    };
    const sections = ["name", "rawaddress", "mailingaddress", "public_email", "phone"].map(
      sectionOf,
    );
    expect(sections).not.toContain(undefined);
    expect(new Set(sections).size).toBe(sections.length);
  });
});

describe("an address that was typed and not looked up", () => {
  it("is looked up on submit: a single match is selected, and the next submission has its position", async () => {
    const owner = await world.owner();
    const page = await owner.submit("/listings/new", { ...unplaced, rawaddress: ADDRESS });
    expect(page).toHaveStatus(400);
    expect(page).toSay(`${SELECT_ADDRESS} ${FOUND_IT}`);
    const radios = page.body.match(/<input type="radio"[^>]*name="rawaddress_pick"[^>]*>/g)!;
    expect(radios).toHaveLength(1);
    expect(radios[0]).toContain("checked");
    const again = {
      ...unplaced,
      rawaddress: ADDRESS,
      rawaddress_pick: page.value("rawaddress_pick")!,
    };
    expect(await owner.post("/listings/new", again)).toRedirectTo("/");
    expect(await rowOf(owner)).toMatchObject({ city: "Portland", postalcode: "97214" });
  });

  it("shows several matches with none selected", async () => {
    const owner = await world.owner();
    const several = await owner.submit("/listings/new", { ...unplaced, rawaddress: "Springfield" });
    expect(several).toSay(`${SELECT_ADDRESS} We looked it up. Choose yours below`);
    const radios = several.body.match(/<input type="radio"[^>]*name="rawaddress_pick"[^>]*>/g)!;
    expect(radios.length).toBeGreaterThan(1);
    expect(radios.join()).not.toContain("checked");
  });

  it("is looked up as well where it may stay as typed, when the form is rejected for something else", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, status: "new", mailingaddress: "PO Box 1" });
    const fields = { rawaddress: ADDRESS, url: "cafe.example" };
    const page = await owner.submit(`/listings/${id}`, await formOf(owner, id, fields));
    expect(page.text).not.toContain(SELECT_ADDRESS);
    expect(page.body).toContain('name="rawaddress_pick"');
    expect(page.body).not.toContain('name="mailingaddress_pick"');
  });
});

describe("“Mailing address is the same”", () => {
  it("saves the address that was picked as the mailing address, without asking for another", async () => {
    const owner = await world.owner();
    const { mailingaddress: ___, mailingaddress_pick: ____, ...rest } = listingForm();
    expect(
      await owner.post("/listings/new", { ...rest, mailingaddress: "", mailing_same: "on" }),
    ).toRedirectTo("/");
    const row = await rowOf(owner);
    expect(row["mailingaddress"]).toBe(row["rawaddress"]);
    expect(row["mailingaddress"]).toBe("1 Castro St, San Francisco, CA 94114, United States");
    const { saved } = (await owner.get(`/listings/${String(row["id"])}`)).data as Editor;
    expect(saved.mailing_same).toBe("on");
  });

  it("says what is wrong with the address once, and keeps what was typed for mail", async () => {
    const owner = await world.owner();
    const page = await owner.submit("/listings/new", {
      ...listingForm({ rawaddress: "", rawaddress_pick: "", mailing_same: "on" }),
      mailingaddress: "PO Box 7, Portland, OR",
    });
    expect(page.value("mailingaddress")).toBe("PO Box 7, Portland, OR");
    expect(page.text).not.toContain("Please be sure to select a valid mailing address.");
    expect(page.text).toContain(SELECT_ADDRESS);
    expect(page.body).toMatch(/<input[^>]*name="mailing_same"[^>]*checked/);
  });

  it("compares two versions by what they save", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, status: "new", mailingaddress: "PO Box 1" });
    const early = await formOf(owner, id, pickedAddress("rawaddress", { formatted: "9 New St" }));
    await owner.post(`/listings/${id}`, await formOf(owner, id, { name: "Theirs" }));
    const late = await owner.submit(`/listings/${id}`, { ...early, mailing_same: "on" });
    expect(late).toHaveStatus(409);
    expect(late.text).toMatch(/Mailing Address .*PO Box 1.*9 New St/);
    expect(late.value("mailingaddress")).toBe("9 New St");
    expect(late.body).not.toMatch(/<input[^>]*name="mailing_same"[^>]*checked/);
  });
});

describe("the summary of the errors", () => {
  it("follows the fields of the page, also for boxes that are not sent when they are clear", async () => {
    const owner = await world.owner();
    const response = await owner.post("/listings/new", {
      category: "14",
      url: "cafe.example",
      public_email: "nonsense",
      mailingaddress: "",
      description: "",
      rawaddress: "",
      name: "",
    });
    expect(Object.keys(response.errors)).toEqual([
      "name",
      "queer_programming",
      "description",
      "rawaddress",
      "mailingaddress",
      "public_email",
      "url",
      "third_party_auth",
      "certified_queer",
    ]);
  });

  it("is counted by section in the links beside the form", async () => {
    const owner = await world.owner();
    const page = await owner.submit("/listings/new", listingForm({ name: "", url: "nonsense" }));
    const links = [...page.body.matchAll(/<li><a href="#(\w+)">[^<]*<\/a>(.*?)<\/li>/g)].map(
      ([, id, rest]) => [id, rest!.replaceAll(/<[^>]*>/g, "").trim()],
    );
    expect(Object.fromEntries(links)).toEqual({
      about: "1 to fix",
      where: "",
      contact: "1 to fix",
      social: "",
      bonus: "",
      authorization: "",
      preview: "",
    });
  });
});

describe("after saving", () => {
  const back = "/listings?show=review&search=caf%C3%A9&page=2";

  it("leads back to the list with its chip, search, and page", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({ owner, mailingaddress: "PO Box 1" });
    const path = `/listings/${id}?back=${encodeURIComponent(back)}`;
    expect(await owner.post(path, await formOf(owner, id))).toRedirectTo(back);
    expect(await owner.page("/listings")).toSay("Nothing was changed.");
    // Without script the form is sent to the URL of its page.
    expect((await owner.page(path)).body).toMatch(
      /<form[^>]*action="\/listings\/\d+\?back=%2Flistings%3Fshow%3Dreview[^"]*"/,
    );
  });

  it.each(["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])(
    "never leads to %s",
    async (evil) => {
      const owner = await world.owner();
      const { id } = await world.listing({ owner, mailingaddress: "PO Box 1" });
      const path = `/listings/${id}?back=${encodeURIComponent(evil)}`;
      expect(await owner.post(path, await formOf(owner, id))).toRedirectTo("/");
      expect((await owner.page(path)).body).not.toContain("evil.example%22");
    },
  );

  it("is offered by each list that leads to the form", async () => {
    const person = world.anonymous();
    await person.post("/login", { email: "owner@demo.test", password: "rainbow-demo-1" });
    const page = await person.page("/listings?search=e&page=1");
    const links = [...page.body.matchAll(/href="(\/listings\/\d+(?:\?[^"]*)?)"/g)].map(
      ([, href]) => href!,
    );
    expect(links.length).toBeGreaterThan(5);
    for (const href of links) expect(href).toMatch(/\?back=%2Flistings%3Fsearch%3De$/);

    const admin = await world.admin();
    const { id } = await world.listing({ owner: await world.owner(), status: "new" });
    const details = await admin.page(`/admin/listings/${id}/details?view=new&search=x`);
    const edit = new RegExp(`href="/listings/${id}\\?back=([^"]*)"`).exec(details.body)![1]!;
    expect(decodeURIComponent(edit)).toMatch(
      new RegExp(`^/admin/listings/${id}/details\\?.*search=x`),
    );
  });
});

describe("a claim", () => {
  it("is called one on the card, on the form, and in the response", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({
      owner: null,
      owner_email: owner.email,
      mailingaddress: "PO Box 1",
    });
    expect(await owner.page("/listings")).toSay("Is this your listing?");
    const page = await owner.page(`/listings/${id}`);
    expect(page).toSay("Check the details and save to claim it.");
    expect(page).toSay("Saving makes this listing yours.");
    await owner.post(`/listings/${id}`, await formOf(owner, id, { name: "Mine now" }));
    const after = await owner.page("/listings");
    expect(after).toSay("This listing is yours now. It has been submitted for review.");
    expect(await owner.page(`/listings/${id}`)).not.toSay("to claim it");
  });
});

describe("an edit that waits for review", () => {
  async function edited(fields: Record<string, unknown> = {}) {
    const owner = await world.owner();
    const { id } = await world.listing({
      owner,
      name: "Before",
      description: "As approved",
      mailingaddress: "PO Box 1",
      ...fields,
    });
    await owner.post(
      `/listings/${id}`,
      await formOf(owner, id, { name: "After", ...pickedAddress("rawaddress") }),
    );
    const row = await world.row("places", id);
    expect(row).toMatchObject({ status: "pending-update", name: "After" });
    return { owner, id, version: String(row!["version"]) };
  }

  it("is withdrawn with one button, after a question that shows it; the approved version returns", async () => {
    const { owner, id, version } = await edited();
    const form = await owner.page(`/listings/${id}?back=%2Flistings`);
    const path = `/listings/${id}/withdraw?back=%2Flistings`;
    expect(form.body).toContain(`href="${path}"`);
    const question = await owner.page(path);
    expect(question.heading).toBe("Withdraw these changes?");
    expect(question).toSay("Our team won’t review these changes to “After”.");
    expect(question.text).toMatch(/Business Name Before After/);
    expect(question.text).toMatch(/Country US United States/);
    expect(question.value("version")).toBe(version);
    expect(await owner.post(path, { intent: "withdraw", version })).toRedirectTo("/listings");
    expect(await world.row("places", id)).toMatchObject({
      status: "published",
      name: "Before",
      last_update: {},
    });
    expect(await owner.page("/listings")).toSay("The approved version is live, as before.");
    expect(await owner.post(path, { intent: "withdraw", version })).toRedirectTo("/listings");
    expect(await owner.page("/listings")).toSay("Nothing is waiting for review anymore.");
    expect((await owner.page(`/listings/${id}`)).body).not.toContain("/withdraw");
  });

  it("is never said to leave a hidden listing in sight: not while it waits, once it is withdrawn, or rejected", async () => {
    const { owner, id, version } = await edited({ hidden: true });
    const form = await owner.page(`/listings/${id}`);
    expect(form).toSay("Your changes are waiting for review");
    expect(form).toSay("The listing is hidden.");
    expect(form).not.toSay("Until they’re approved");
    const admin = await world.admin();
    expect(await admin.page(`/listings/${id}`)).toSay("These changes are waiting for review");
    const path = `/listings/${id}/withdraw?back=%2Flistings`;
    await owner.post(path, { intent: "withdraw", version });
    const list = await owner.page("/listings");
    expect(list).toSay("The approved version is back, and the listing is still hidden.");
    expect(list).not.toSay("is live");

    await world.insert("rejected_edits", {
      place_id: id,
      edit: JSON.stringify({ name: "After" }),
    });
    const rejected = await owner.page(`/listings/${id}`);
    expect(rejected).toSay("The last approved version stays, and the listing is hidden.");
    expect(rejected).not.toSay("still live");
  });

  it("of a public listing is never said to be what everyone sees", async () => {
    const { owner, id } = await edited();
    const page = await owner.page(`/listings/${id}/visibility`);
    expect(page).toSay(
      "Everyone who visits the directory can see the last approved version. Changes to the listing are waiting for review.",
    );
  });

  it("of a hidden listing is never said to be what people see once it is shown: they see the approved version", async () => {
    const { owner, id } = await edited({ hidden: true });
    const path = `/listings/${id}/visibility`;
    const approved = "people see the last approved version";
    const preview = await owner.page(`/listings/${id}/preview`);
    expect(preview).toSay("This is how it will look once your changes are approved.");
    expect(preview).toSay(`If you show it before that, ${approved}.`);
    expect(await owner.page(path)).toSay(
      `Changes to it are waiting for review. If you show it before they’re approved, ${approved}.`,
    );
    expect(await owner.page(`/listings/${id}`)).toSay(
      `The listing is hidden. If it’s shown before they’re approved, ${approved}.`,
    );
    await owner.post(path, { intent: "show" });
    expect(await owner.page("/listings")).toSay(
      "is back in the directory. Until the changes that are waiting for review are approved, people see the last approved version.",
    );
    const [shown] = await world.sql("select name from private.public_places where id = $1", [id]);
    expect(shown).toEqual({ name: "Before" });

    await owner.post(path, { intent: "hide" });
    await world.sql("update public.places set status = 'published' where id = $1", [id]);
    expect(await owner.page(path)).not.toSay("waiting for review");
    await owner.post(path, { intent: "show" });
    expect(await owner.page("/listings")).not.toSay("last approved version");
  });

  it("returns to what was approved, also where the form requires more since", async () => {
    const { owner, id } = await edited();
    await world.sql(
      "update public.places set last_update = last_update || '{\"description\": null}' where id = $1",
      [id],
    );
    const version = String((await world.row("places", id))!["version"]);
    expect(
      await owner.post(`/listings/${id}/withdraw`, { intent: "withdraw", version }),
    ).toRedirectTo("/");
    expect(await world.row("places", id)).toMatchObject({ status: "published", description: null });
  });

  it("stays when it has changed since it was shown, and for everyone but its owner and managers", async () => {
    const { owner, id, version } = await edited();
    const path = `/listings/${id}/withdraw`;
    await owner.post(`/listings/${id}`, await formOf(owner, id, { phone: "+1 201 555 0100" }));
    expect(await owner.post(path, { intent: "withdraw", version })).toRedirectTo(path);
    expect(await owner.page(path)).toSay("The listing was changed in the meantime.");
    const now = String((await world.row("places", id))!["version"]);
    const admin = await world.admin();
    for (const other of [await world.owner(), admin])
      expect(await other.post(path, { intent: "withdraw", version: now })).toBeNotFound();
    expect(await owner.page(`/listings/${id}`)).toSay("Withdraw these changes");
    expect(await admin.page(`/listings/${id}`)).not.toSay("Withdraw these changes");
    expect(await world.row("places", id)).toMatchObject({ status: "pending-update" });
  });
});

describe("the preview", () => {
  it("shows the saved version as people see it, and nothing that only the team sees", async () => {
    const owner = await world.owner();
    const { id } = await world.listing({
      owner,
      name: "Fern & Flour",
      description: "Rye and buns",
      rawaddress: "typed at home 12",
      address: "12 Rye St, Portland, OR",
      city: "Portland",
      mailingaddress: "PO Box 1",
      phone: "+1 201 555 0100",
      instagram: "fernflour",
      url: "https://fern.example",
      outdoor: true,
    });
    expect((await owner.page(`/listings/${id}`)).body).toContain(`href="/listings/${id}/preview"`);
    const page = await owner.page(`/listings/${id}/preview`);
    expect(page.title).toContain("Preview: Fern & Flour");
    for (const text of [
      "This is what people see.",
      "Rye and buns",
      "12 Rye St, Portland, OR",
      "instagram.com/fernflour",
      "fern.example",
      "Outdoor space",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("PO Box 1");
    expect(page).not.toSay("typed at home 12");
    expect(await (await world.owner()).page(`/listings/${id}/preview`)).toBeNotFound();
    await owner.post(`/listings/${id}`, await formOf(owner, id, { name: "Renamed" }));
    expect(await owner.page(`/listings/${id}/preview`)).toSay(
      "until then, people see the approved version",
    );
  });
});
