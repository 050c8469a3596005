import { delay, http, HttpResponse, type JsonBodyType } from "msw";
import { describe, expect, it, vi } from "vitest";

import {
  AddressSearchUnavailable,
  findAddresses,
  openCandidate,
} from "~/integrations/addresses/addresses.server";
import { GOOGLE_PLACES, googlePlaces } from "~/integrations/addresses/google-places.server";

import { outside } from "../support/outside";

const KEY = "google-key-of-the-tests";
Object.assign(process.env, {
  APP_URL: "https://dashboard.example.org",
  SESSION_SECRET: "a secret of the tests, 32 or more",
  SUPABASE_URL: "https://project.supabase.example",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  SUPABASE_SECRET_KEY: "sb_secret_x",
  GOOGLE_MAPS_API_KEY: KEY,
});

const AUTOCOMPLETE = `${GOOGLE_PLACES}places\\:autocomplete`;
const DETAILS = `${GOOGLE_PLACES}places/:id`;

const suggestion = (placeId: string, text: string) => ({
  placePrediction: {
    place: `places/${placeId}`,
    placeId,
    text: { text, matches: [{ endOffset: 4 }] },
  },
});

const division = {
  id: "place-1",
  formattedAddress: "2114 SE Division St, Portland, OR 97202, USA",
  addressComponents: [
    { longText: "2114", shortText: "2114", types: ["street_number"] },
    { longText: "Southeast Division Street", shortText: "SE Division St", types: ["route"] },
    {
      longText: "Hosford-Abernethy",
      shortText: "Hosford-Abernethy",
      types: ["neighborhood", "political"],
    },
    { longText: "Portland", shortText: "Portland", types: ["locality", "political"] },
    {
      longText: "Multnomah County",
      shortText: "Multnomah County",
      types: ["administrative_area_level_2", "political"],
    },
    { longText: "Oregon", shortText: "OR", types: ["administrative_area_level_1", "political"] },
    { longText: "United States", shortText: "US", types: ["country", "political"] },
    { longText: "97202", shortText: "97202", types: ["postal_code"] },
  ],
  location: { latitude: 45.50478, longitude: -122.6436 },
};

/** Google answers so; gives the requests it got. */
function googleAnswers({
  suggestions,
  place,
}: {
  suggestions?: JsonBodyType;
  place?: JsonBodyType;
}) {
  const requests: { method: string; url: string; headers: Headers; body: string }[] = [];
  const record = async (request: Request) =>
    void requests.push({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: await request.clone().text(),
    });
  outside.use(
    http.post(AUTOCOMPLETE, async ({ request }) => {
      await record(request);
      return HttpResponse.json(suggestions ?? {});
    }),
    http.get(DETAILS, async ({ request }) => {
      await record(request);
      return HttpResponse.json(place ?? {});
    }),
  );
  return requests;
}

async function pick(typed: string, place: JsonBodyType) {
  googleAnswers({ suggestions: { suggestions: [suggestion("place-1", "whatever")] }, place });
  const [first] = await findAddresses(typed);
  return (await openCandidate(first!.token))?.address;
}

describe("with a key, an address search", () => {
  it("asks Google for what it needs, and for nothing else", async () => {
    const requests = googleAnswers({
      suggestions: {
        suggestions: [
          suggestion("place-1", "2114 SE Division St, Portland, OR, USA"),
          suggestion("place-2", "Division St, Salem"),
        ],
      },
      place: division,
    });

    const candidates = await findAddresses("2114 se division", {
      session: "b9a1c7de-0000-4000-8000-000000000001",
    });
    expect(candidates.map((candidate) => candidate.label)).toEqual([
      "2114 SE Division St, Portland, OR, USA",
      "Division St, Salem",
    ]);
    expect(await openCandidate(candidates[0]!.token)).toEqual({
      typed: "2114 se division",
      label: "2114 SE Division St, Portland, OR, USA",
      address: {
        formatted: "2114 SE Division St, Portland, OR 97202, USA",
        city: "Portland",
        state: "OR",
        country: "United States",
        postalcode: "97202",
        lat: 45.50478,
        long: -122.6436,
        approximate: false,
      },
    });

    const [search, details] = requests;
    expect(requests).toHaveLength(2);
    expect(`${search!.method} ${search!.url}`).toBe(
      "POST https://places.googleapis.com/v1/places:autocomplete",
    );
    expect(search!.headers.get("X-Goog-Api-Key")).toBe(KEY);
    expect(search!.headers.get("Content-Type")).toBe("application/json");
    expect(search!.headers.get("X-Goog-FieldMask")).toBe(
      "suggestions.placePrediction.placeId,suggestions.placePrediction.text.text",
    );
    expect(JSON.parse(search!.body)).toEqual({
      input: "2114 se division",
      sessionToken: "b9a1c7de-0000-4000-8000-000000000001",
      includedPrimaryTypes: ["street_address", "premise", "subpremise", "route", "postal_code"],
      languageCode: "en",
    });
    expect(`${details!.method} ${details!.url}`).toBe(
      "GET https://places.googleapis.com/v1/places/place-1?sessionToken=b9a1c7de-0000-4000-8000-000000000001&languageCode=en",
    );
    expect(details!.headers.get("X-Goog-Api-Key")).toBe(KEY);
    expect(details!.headers.get("X-Goog-FieldMask")).toBe(
      "id,formattedAddress,addressComponents,location",
    );
    expect(details!.body).toBe("");
  });

  it("asks for cities when there is no number in the line", async () => {
    const requests = googleAnswers({});
    await findAddresses("Portland, Oregon");
    expect(JSON.parse(requests[0]!.body)).toMatchObject({
      includedPrimaryTypes: ["locality", "sublocality", "postal_town", "neighborhood", "route"],
    });
  });

  it.each([undefined, "", "x".repeat(37), "a b", "ä", "\r\nX-Evil: 1"])(
    "makes its own session for %j",
    async (session) => {
      const requests = googleAnswers({});
      await findAddresses("12 Main St", { session });
      expect(JSON.parse(requests[0]!.body)).toMatchObject({
        sessionToken: expect.stringMatching(/^[\w-]{36}$/) as string,
      });
    },
  );

  it("keeps a place's id to its own part of the address", async () => {
    const requests = googleAnswers({
      suggestions: { suggestions: [suggestion("../evil?x=1#y", "Evil")] },
      place: division,
    });
    const [first] = await findAddresses("12 Main St");
    await openCandidate(first!.token);
    expect(new URL(requests[1]!.url).pathname).toBe("/v1/places/..%2Fevil%3Fx%3D1%23y");
  });

  it("asks nothing for an empty line or one that is no address, nor for a forged token", async () => {
    for (const typed of ["", "  ", "???", "a".repeat(301)])
      expect(await findAddresses(typed)).toEqual([]);
    expect(await openCandidate("forged.token")).toBeNull();
  });

  it("gives six candidates at most, and passes over what is no place", async () => {
    googleAnswers({
      suggestions: {
        suggestions: [
          { queryPrediction: { text: { text: "pizza near me" } } },
          {},
          { placePrediction: { placeId: "no-text" } },
          ...Array.from({ length: 9 }, (_, i) => suggestion(`p${i}`, `Place ${i}`)),
        ],
      },
    });
    const candidates = await findAddresses("12 Main St");
    expect(candidates.map((candidate) => candidate.label)).toEqual(
      [0, 1, 2, 3, 4, 5].map((i) => `Place ${i}`),
    );
  });

  it("sends Google no control characters and no halves of characters", async () => {
    const requests = googleAnswers({
      suggestions: { suggestions: [suggestion("p", "P")] },
      place: division,
    });
    const typed = "\u000012\ud800 Main\u0007 St\r\n";
    const [first] = await findAddresses(typed);
    expect(JSON.parse(requests[0]!.body)).toMatchObject({ input: "12  Main  St" });
    expect((await openCandidate(first!.token))!.typed).toBe(typed);
  });
});

describe("the parts of Google's answer", () => {
  it("give Canada its letters", async () => {
    const address = await pick("301 Front St W", {
      formattedAddress: "301 Front St W, Toronto, ON M5V 2T6, Canada",
      addressComponents: [
        { longText: "301", shortText: "301", types: ["street_number"] },
        { longText: "Toronto", shortText: "Toronto", types: ["locality"] },
        { longText: "Ontario", shortText: "ON", types: ["administrative_area_level_1"] },
        { longText: "Canada", shortText: "CA", types: ["country"] },
        { longText: "M5V 2T6", shortText: "M5V 2T6", types: ["postal_code"] },
      ],
      location: { latitude: 43.64, longitude: -79.38 },
    });
    expect(address).toMatchObject({
      city: "Toronto",
      state: "ON",
      country: "Canada",
      postalcode: "M5V 2T6",
      approximate: false,
    });
  });

  it("give other countries their names, and a town of the British post is a city", async () => {
    const address = await pick("Main St", {
      formattedAddress: "Main St, Slough SL1, UK",
      addressComponents: [
        { longText: "Main Street", shortText: "Main St", types: ["route"] },
        { longText: "Slough", shortText: "Slough", types: ["postal_town"] },
        { longText: "England", shortText: "England", types: ["administrative_area_level_1"] },
        { longText: "United Kingdom", shortText: "GB", types: ["country"] },
      ],
      location: { latitude: 51.5, longitude: -0.6 },
    });
    expect(address).toMatchObject({
      city: "Slough",
      state: "England",
      country: "United Kingdom",
      postalcode: null,
    });
    expect(address?.approximate, "the middle of a street").toBe(true);
  });

  it("give a borough as the city, and a city-state as its own state", async () => {
    const brooklyn = await pick("1 Main St", {
      ...division,
      addressComponents: [
        {
          longText: "Brooklyn",
          shortText: "Brooklyn",
          types: ["sublocality_level_1", "sublocality"],
        },
        { longText: "New York", shortText: "NY", types: ["administrative_area_level_1"] },
        { longText: "United States", shortText: "US", types: ["country"] },
      ],
    });
    expect(brooklyn).toMatchObject({ city: "Brooklyn", state: "NY" });
    const singapore = await pick("1 Main St", {
      ...division,
      addressComponents: [
        { longText: "Singapore", shortText: "Singapore", types: ["locality"] },
        { longText: "Singapore", shortText: "SG", types: ["country"] },
      ],
    });
    expect(singapore).toMatchObject({
      city: "Singapore",
      state: "Singapore",
      country: "Singapore",
    });
  });

  it("without a position are no address", async () => {
    expect(await pick("1 Main St", { ...division, location: {} })).toBeUndefined();
    expect(await pick("1 Main St", {})).toBeUndefined();
  });
});

describe("when Google", () => {
  const failures: [string, () => Response | Promise<Response>][] = [
    ["refuses the connection", () => HttpResponse.error()],
    [
      "refuses the request",
      () =>
        HttpResponse.json({ error: { code: 400, status: "INVALID_ARGUMENT" } }, { status: 400 }),
    ],
    [
      "refuses the key",
      () =>
        HttpResponse.json(
          { error: { code: 403, message: `key ${KEY} is blocked` } },
          { status: 403 },
        ),
    ],
    [
      "has had enough",
      () =>
        HttpResponse.json(
          { error: { code: 429 } },
          { status: 429, headers: { "Retry-After": "60" } },
        ),
    ],
    ["breaks", () => new HttpResponse("oops", { status: 500 })],
    ["is behind a broken gateway", () => new HttpResponse("<h1>502</h1>", { status: 502 })],
    ["answers HTML", () => HttpResponse.html("<!doctype html><title>Sign in to the Wi-Fi</title>")],
    [
      "stops in the middle",
      () =>
        new HttpResponse('{"suggestions":[{"placePred', {
          headers: { "Content-Type": "application/json" },
        }),
    ],
    ["sends us elsewhere", () => HttpResponse.redirect("https://evil.example/")],
  ];

  it.each(failures)(
    "%s, the search is unavailable, in one kind, and the key stays ours",
    async (_, answer) => {
      outside.use(http.post(AUTOCOMPLETE, answer));
      const failure = await findAddresses("12 Main St").catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AddressSearchUnavailable);
      expect((failure as Error).message).toBe(
        "Address search isn’t working right now. Please try again in a few minutes.",
      );
      expect((failure as AddressSearchUnavailable).reason).toMatch(/^Google/);
      expect(`${(failure as AddressSearchUnavailable).reason} ${String(failure)}`).not.toContain(
        KEY,
      );
    },
  );

  it.each(failures)("%s, the pick is unavailable, and can be opened later", async (_, answer) => {
    googleAnswers({
      suggestions: { suggestions: [suggestion("place-1", "Main")] },
      place: division,
    });
    const [first] = await findAddresses("12 Main St");
    outside.use(http.get(DETAILS, answer, { once: true }));
    await expect(openCandidate(first!.token)).rejects.toBeInstanceOf(AddressSearchUnavailable);
    expect(await openCandidate(first!.token)).not.toBeNull();
  });

  it("hangs, no one waits for longer than the deadline", async () => {
    outside.use(
      http.post(AUTOCOMPLETE, () => delay("infinite")),
      http.get(DETAILS, () => delay("infinite")),
    );
    const google = googlePlaces(KEY, { deadlineMs: 50 });
    await expect(google.suggest("12 Main St", "s")).rejects.toMatchObject({
      reason: "Google: TimeoutError",
    });
    await expect(google.details("place-1", "s")).rejects.toBeInstanceOf(AddressSearchUnavailable);
  });

  it("hangs, the deadline is four seconds", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    googleAnswers({});
    await findAddresses("12 Main St");
    expect(timeout).toHaveBeenCalledWith(4_000);
    timeout.mockRestore();
  });

  it("no longer knows the place, the person has to pick again", async () => {
    googleAnswers({ suggestions: { suggestions: [suggestion("place-1", "Main")] } });
    const [first] = await findAddresses("12 Main St");
    outside.use(
      http.get(DETAILS, () => HttpResponse.json({ error: { code: 404 } }, { status: 404 })),
    );
    expect(await openCandidate(first!.token)).toBeNull();
  });

  it("sends no list, that doesn't count as an answer", async () => {
    for (const suggestions of [{ suggestions: "none" }, { suggestions: { length: 1 } }]) {
      googleAnswers({ suggestions });
      await expect(findAddresses("12 Main St")).rejects.toBeInstanceOf(AddressSearchUnavailable);
    }
  });

  it("is elsewhere, it is asked there", async () => {
    outside.use(
      http.post("https://places.example/v1/places\\:autocomplete", () => HttpResponse.json({})),
    );
    expect(
      await googlePlaces(KEY, { base: "https://places.example/v1/" }).suggest("12 Main St", "s"),
    ).toEqual([]);
  });
});
