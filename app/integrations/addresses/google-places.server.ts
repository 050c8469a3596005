import { callUpstream } from "~/integrations/upstream/call-upstream.server";

import { type Address, AddressSearchUnavailable } from "./address";

/** Google Places API (New). */
export const GOOGLE_PLACES = "https://places.googleapis.com/v1/";
const DEADLINE_MS = 4_000;
/** At most five kinds can be asked for. None of them is a business; the older kind "geocode" is refused here. */
const KINDS = ["street_address", "premise", "subpremise", "route", "postal_code"];
/** For a line without a number, people want the city. */
const KINDS_WITHOUT_NUMBER = ["locality", "sublocality", "postal_town", "neighborhood", "route"];
const LETTERED_COUNTRIES = ["US", "CA"];

/** What Google offers for a line, before its position is asked for. */
interface Suggestion {
  placeId: string;
  label: string;
}

interface Options {
  /** Where Google is; another place in tests. Ends in a slash. */
  base?: string;
  deadlineMs?: number;
}

interface Component {
  longText?: string;
  shortText?: string;
  types?: string[];
}

interface Place {
  formattedAddress?: string;
  addressComponents?: Component[];
  location?: { latitude?: number; longitude?: number };
}

/**
 * Google's address search, called from the server: the key never reaches a browser, and no request
 * of a browser reaches Google.
 */
export function googlePlaces(
  key: string,
  { base = GOOGLE_PLACES, deadlineMs = DEADLINE_MS }: Options = {},
) {
  /** The answer to one call, or null for "there is no such place". Throws AddressSearchUnavailable. */
  async function call(path: string, fields: string, init: RequestInit = {}): Promise<unknown> {
    try {
      const { status, body } = await callUpstream(
        {
          service: "google",
          name: `google places.${init.method === "POST" ? "autocomplete" : "details"}`,
          limitMs: deadlineMs,
        },
        async (attempt) => {
          const response = await fetch(`${base}${path}`, {
            ...init,
            headers: { ...init.headers, "X-Goog-Api-Key": key, "X-Goog-FieldMask": fields },
            signal: attempt.signal,
            // The key goes to the address it was meant for, and no further.
            redirect: "error",
          });
          // An error is read to its end as well, so that the connection can be used again.
          const body = response.ok
            ? ((await response.json()) as unknown)
            : void (await response.arrayBuffer());
          attempt.status = response.status;
          return { status: response.status, body };
        },
      );
      if (body !== undefined) return body;
      if (status === 404) return null;
      throw new AddressSearchUnavailable(`Google answered ${status}`);
    } catch (error) {
      if (error instanceof AddressSearchUnavailable) throw error;
      throw new AddressSearchUnavailable(
        `Google: ${error instanceof Error ? error.name : "failed"}`,
        { cause: error },
      );
    }
  }

  return {
    /**
     * What a line can mean, businesses left out.
     * @param session up to 36 letters, digits, "-" and "_": the calls of one search, details included, are billed as one
     * @throws AddressSearchUnavailable
     */
    async suggest(typed: string, session: string): Promise<Suggestion[]> {
      const answer = await call(
        "places:autocomplete",
        "suggestions.placePrediction.placeId,suggestions.placePrediction.text.text",
        {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({
            input: typed,
            sessionToken: session,
            includedPrimaryTypes: /\d/.test(typed) ? KINDS : KINDS_WITHOUT_NUMBER,
            languageCode: "en",
          }),
        },
      );
      const { suggestions } = (answer ?? {}) as {
        suggestions?: { placePrediction?: { placeId?: string; text?: { text?: string } } }[];
      };
      if (suggestions !== undefined && !Array.isArray(suggestions))
        throw new AddressSearchUnavailable("Google: no list");
      return (suggestions ?? []).flatMap(({ placePrediction }) => {
        const [placeId, label] = [placePrediction?.placeId, placePrediction?.text?.text];
        return placeId && label ? [{ placeId, label }] : [];
      });
    },

    /**
     * The address of a suggestion, or null when Google no longer knows the place or its position.
     * @throws AddressSearchUnavailable
     */
    async details(placeId: string, session: string): Promise<Address | null> {
      const query = new URLSearchParams({ sessionToken: session, languageCode: "en" });
      const path = `places/${encodeURIComponent(placeId)}?${query}`;
      const place = (await call(
        path,
        "id,formattedAddress,addressComponents,location",
      )) as Place | null;
      return place && addressOf(place);
    },
  };
}

function addressOf({ formattedAddress, addressComponents, location }: Place): Address | null {
  const { latitude: lat, longitude: long } = location ?? {};
  if (!formattedAddress || typeof lat !== "number" || typeof long !== "number") return null;
  const components = Array.isArray(addressComponents) ? addressComponents : [];
  const component = (...types: string[]) =>
    types
      .map((type) => components.find((part) => part.types?.includes(type)))
      .find((part) => part !== undefined);

  const country = component("country");
  const lettered = LETTERED_COUNTRIES.includes(country?.shortText ?? "");
  const city =
    component(
      "locality",
      "postal_town",
      "sublocality_level_1",
      "sublocality",
      "administrative_area_level_3",
      "neighborhood",
    )?.longText ?? null;
  const division = component("administrative_area_level_1", "administrative_area_level_2");
  return {
    formatted: formattedAddress,
    city,
    // A city-state has no divisions, but an address without one would be incomplete.
    state: (lettered ? division?.shortText : division?.longText) ?? city,
    country: country?.longText ?? null,
    postalcode: component("postal_code")?.longText ?? null,
    lat,
    long,
    approximate: component("street_number", "premise", "subpremise") === undefined,
  };
}
