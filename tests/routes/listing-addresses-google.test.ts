/** The address fields of a listing when Google looks addresses up: its name beside what it found, and its outages. */
import { http, HttpResponse } from "msw";
import { expect, it } from "vitest";

import { listingForm } from "../support/forms";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ env: { GOOGLE_MAPS_API_KEY: "google-key-of-the-tests" } });
const GOOGLE = "https://places.googleapis.com/v1/";
const LABEL = "2114 SE Division St, Portland, OR, USA";

const place = {
  formattedAddress: "2114 SE Division St, Portland, OR 97202, USA",
  addressComponents: [
    { longText: "2114", shortText: "2114", types: ["street_number"] },
    { longText: "Portland", shortText: "Portland", types: ["locality"] },
    { longText: "Oregon", shortText: "OR", types: ["administrative_area_level_1"] },
    { longText: "United States", shortText: "US", types: ["country"] },
  ],
  location: { latitude: 45.5, longitude: -122.64 },
};

/** Google finds one address, and opens it as told. @returns how often each was asked for */
function google({ location = place.location, opens = true, label = LABEL } = {}) {
  const asked = { searches: 0, details: 0 };
  outside.use(
    http.post(`${GOOGLE}places\\:autocomplete`, () => {
      asked.searches += 1;
      return HttpResponse.json({
        suggestions: [{ placePrediction: { placeId: "place-1", text: { text: label } } }],
      });
    }),
    http.get(`${GOOGLE}places/:id`, () => {
      asked.details += 1;
      return opens
        ? HttpResponse.json({ ...place, location })
        : HttpResponse.json({ error: { code: 503 } }, { status: 503 });
    }),
  );
  return asked;
}

const { rawaddress: _, rawaddress_pick: __, ...rest } = listingForm({ name: "On The Map" });
const typed = { ...rest, rawaddress: "2114 se division" };
const attributions = (page: { body: string }) =>
  page.body.match(/<p class="attribution" translate="no">Google Maps<\/p>/g)?.length ?? 0;

/** Someone who has looked their address up; with the token of what was found. */
async function lookedUp() {
  const owner = await world.owner();
  const page = await owner.submit("/listings/new", { ...typed, intent: "findAddress" });
  return { owner, page, form: { ...typed, rawaddress_pick: page.value("rawaddress_pick")! } };
}

it("names Google beside what it found and beside what was chosen of it, in the list and in suggestions", async () => {
  google();
  const { owner, page, form } = await lookedUp();
  expect(page).toSay(LABEL);
  const empty = attributions(await owner.page("/listings/new"));
  expect(empty, "in the lists of suggestions, which script fills").toBe(2);
  // The mailing address of the form is chosen already.
  expect(attributions(page)).toBe(empty + 2);
  const chosen = await owner.submit("/listings/new", { ...form, intent: "continue" });
  expect(chosen).toSay(`Selected: ${LABEL}`);
  expect(attributions(chosen)).toBe(empty + 2);
});

it("asks Google for a place only when it is saved, once, and places the listing there", async () => {
  const asked = google();
  const { owner, form } = await lookedUp();
  for (const intent of ["continue", "findMailingAddress", "refill"])
    await owner.post("/listings/new", { ...form, intent });
  expect(asked.details).toBe(0);
  const refused = await owner.submit("/listings/new", { ...form, name: "" });
  expect(refused).toSay(`Selected: ${place.formattedAddress}`);
  expect(
    await owner.post("/listings/new", {
      ...form,
      rawaddress_pick: refused.value("rawaddress_pick")!,
    }),
  ).toRedirectTo("/");
  expect(asked.details).toBe(1);
  expect(
    await world.sql(
      "select city, state, lat, address_approximate from public.places where owner = $1",
      [owner.id],
    ),
  ).toEqual([{ city: "Portland", state: "OR", lat: 45.5, address_approximate: false }]);
});

it("keeps the choice while Google does not answer: said at its field, and good to send again", async () => {
  google({ opens: false });
  const { owner, form } = await lookedUp();
  const page = await owner.submit("/listings/new", { ...form, url: "cafe.example" });
  expect(page).toHaveStatus(503);
  expect(page).toSay("Address search isn’t working right now.");
  expect(page).toSay("Please be sure to include https:// in your website URL.");
  expect(page).toSay(`Selected: ${LABEL}`);
  const drafted = await owner.post("/listings/new", {
    ...form,
    submission_id: page.value("submission_id")!,
    intent: "draft",
  });
  expect(drafted).toRedirectTo("/listings");

  outside.resetHandlers();
  google();
  expect(
    await owner.post("/listings/new", { ...form, rawaddress_pick: page.value("rawaddress_pick")! }),
  ).toRedirectTo("/");
});

it("asks Google no more often for the form than while someone types: then saves the address as typed", async () => {
  const asked = google();
  const { owner, form } = await lookedUp();
  await world.sql("update public.rate_limits set hits = 300");
  const { searches, details } = asked;
  const found = await owner.submit("/listings/new", { ...typed, intent: "findAddress" });
  expect(found).toHaveStatus(429);
  expect(found.text).toMatch(
    /You’ve looked up a lot of addresses\. Please wait \d+ minutes and try again\./,
  );
  for (const fields of [form, { ...form, name: "" }, { ...typed, name: "" }])
    expect(await owner.submit("/listings/new", fields)).toHaveStatus(429);
  expect(await owner.post("/addresses", { typed: "2114 se division" })).toHaveStatus(429);
  expect(asked).toEqual({ searches, details });
  expect(await owner.post("/listings/new", { ...typed, rawaddress_as_typed: "yes" })).toRedirectTo(
    "/",
  );
  expect(asked).toEqual({ searches, details });
});

it("asks Google for one person a thousand times a day at most: it bills each time", async () => {
  const asked = google();
  const owner = await world.owner();
  const lookUp = () => owner.post("/addresses", { typed: "2114 se division" });
  expect(await lookUp()).toHaveStatus(200);
  // As if the fifteen minutes were over, again and again.
  const others = () =>
    world.sql("delete from public.rate_limits where resets_at < now() + interval '1 hour'");
  await world.sql("update public.rate_limits set hits = 999");
  await others();
  expect(await lookUp()).toHaveStatus(200);
  await others();
  expect(await lookUp()).toHaveStatus(429);
  expect(asked.searches).toBe(2);
});

it("accepts no place that is nowhere on the earth", async () => {
  google({ location: { latitude: 95, longitude: 10 } });
  const { owner, form } = await lookedUp();
  expect(await owner.post("/listings/new", form)).toBeRefusedWith(
    /please select an address from the dropdown/,
    { field: "rawaddress" },
  );
});

it("still saves an edit whose address stays as it is, while Google does not answer", async () => {
  const owner = await world.owner();
  const { id, rawaddress } = await world.listing({ owner, mailingaddress: "PO Box 1" });
  outside.use(http.all(`${GOOGLE}*`, () => HttpResponse.error()));
  const fields = {
    ...rest,
    rawaddress: rawaddress as string,
    mailingaddress: "PO Box 1",
    mailingaddress_pick: "",
  };
  expect(await owner.post(`/listings/${id}`, fields)).toRedirectTo("/");
  expect(await world.row("places", id)).toMatchObject({ name: "On The Map" });
});

it("looks up on submit what was typed, and selects the only match unless a number of it is missing there", async () => {
  const owner = await world.owner();
  const submit = (rawaddress: string) =>
    owner.submit("/listings/new", { ...rest, rawaddress, intent: "save" });
  const asked = google();
  const found = await submit("2114 se division");
  expect(found).toSay("We found it and selected it for you.");
  expect(found.body).toMatch(/<input type="radio"[^>]*name="rawaddress_pick"[^>]*checked/);
  expect(asked).toEqual({ searches: 1, details: 0 });
  const other = await submit("2116 se division");
  expect(other).toSay("We looked it up. Choose yours below, then submit again.");
  expect(other.body).toMatch(/<input type="radio"[^>]*name="rawaddress_pick"/);
  expect(other.body).not.toMatch(/name="rawaddress_pick"[^>]*checked/);
});

it("looks nothing up when an edit leaves its addresses alone", async () => {
  const asked = google();
  const owner = await world.owner();
  const { id, rawaddress } = await world.listing({ owner, mailingaddress: "PO Box 1" });
  const fields = { rawaddress: rawaddress as string, mailingaddress: "PO Box 1" };
  for (const more of [{}, { url: "nonsense" }])
    await owner.post(`/listings/${id}`, { ...rest, ...fields, mailingaddress_pick: "", ...more });
  expect(asked).toEqual({ searches: 0, details: 0 });
});

it("doesn't prevent saving while Google does not answer: it says so once, then saves the address as typed", async () => {
  outside.use(http.all(`${GOOGLE}*`, () => HttpResponse.error()));
  const owner = await world.owner();
  const form = { ...rest, rawaddress: "2114 se division", mailing_same: "on" };
  const page = await owner.submit("/listings/new", form);
  expect(page).toHaveStatus(503);
  expect(page).toSay(
    "Address search isn’t working right now. Please try again in a few minutes. Or submit now to save the address as you typed it. Our team will place it on the map.",
  );
  const next = { ...form, rawaddress_as_typed: page.value("rawaddress_as_typed")! };
  // It stays with the form, whatever else is wrong with it.
  const wrong = await owner.submit("/listings/new", { ...next, name: "" });
  expect(wrong.value("rawaddress_as_typed")).toBe("on");
  expect(wrong.text).not.toContain("Address search isn’t working");
  expect(await owner.post("/listings/new", next)).toRedirectTo("/");
  expect(await owner.page("/")).toSay(
    "Your listing has been submitted for review! We couldn’t look up the address, so our team will place it on the map when they review it.",
  );
  const [row] = await world.sql("select * from public.places where owner = $1", [owner.id]);
  expect(row).toMatchObject({ address: "2114 se division", state: null, lat: null });
});

it("saves a live listing's new address as typed while Google does not answer; people see the approved one", async () => {
  outside.use(http.all(`${GOOGLE}*`, () => HttpResponse.error()));
  const owner = await world.owner();
  const listing = await world.listing({ owner, mailingaddress: "PO Box 1" });
  const path = `/listings/${listing.id}`;
  const form = { ...rest, rawaddress: "9 New St", mailingaddress: "PO Box 1" };
  expect(await owner.post(path, { ...form, mailingaddress_pick: "" })).toHaveStatus(503);
  const again = { ...form, mailingaddress_pick: "", rawaddress_as_typed: "on" };
  expect(await owner.post(path, again)).toRedirectTo("/");
  expect(await world.row("places", listing.id)).toMatchObject({
    status: "pending-update",
    rawaddress: "9 New St",
    lat: null,
  });
  const [seen] = await world.sql("select address, lat from public.public_places where id = $1", [
    listing.id,
  ]);
  expect(seen).toEqual({ address: listing["address"], lat: listing["lat"] });
});

it("ignores that an address may stay as typed once Google answers again", async () => {
  google();
  const owner = await world.owner();
  const form = { ...rest, rawaddress: "2114 se division", rawaddress_as_typed: "on" };
  const page = await owner.submit("/listings/new", form);
  expect(page).toSay("We found it and selected it for you.");
  expect(page.value("rawaddress_as_typed")).toBeFalsy();
});

it("is named on the privacy page, since it gets what is typed, also a home", async () => {
  expect(await world.anonymous().page("/privacy")).toSay(
    "What you type into an address field is looked up with Google Maps. We don’t say who’s asking.",
  );
});
