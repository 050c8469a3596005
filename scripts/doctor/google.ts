import { GOOGLE_PLACES } from "~/integrations/addresses/google-places.server";

import { ask, NoAnswer } from "./ask";
import type { Check } from "./context";
import { byHand, fine, wrong } from "./finding";

const CREDENTIALS = "https://console.cloud.google.com/apis/credentials";
const PLACES_API = "https://console.cloud.google.com/apis/library/places.googleapis.com";
const EFFECT = "Addresses can’t be searched for while a listing is edited.";

/** What each reason of a refusal (google.rpc.ErrorInfo) means, and where it is fixed. */
const REASONS: Readonly<Record<string, [meaning: string, page: string]>> = {
  API_KEY_INVALID: ["no such key exists", `Copy it from ${CREDENTIALS}`],
  API_KEY_SERVICE_BLOCKED: [
    "the key’s restrictions leave out Places API (New)",
    `Add it under API restrictions: ${CREDENTIALS}`,
  ],
  API_KEY_HTTP_REFERRER_BLOCKED: [
    "the key is restricted to websites, but a server makes the calls",
    `Choose IP addresses, or none, under application restrictions: ${CREDENTIALS}`,
  ],
  API_KEY_IP_ADDRESS_BLOCKED: [
    "the key is restricted to IP addresses, and this machine’s is not among them",
    `Add the addresses of your servers (IPv6 too): ${CREDENTIALS}`,
  ],
  SERVICE_DISABLED: ["Places API (New) is not enabled", `Enable it: ${PLACES_API}`],
  BILLING_DISABLED: [
    "its project has no billing account",
    "Set one: https://console.cloud.google.com/billing",
  ],
  RATE_LIMIT_EXCEEDED: [
    "its quota is used up",
    "Raise it: https://console.cloud.google.com/google/maps-apis/quotas",
  ],
};

interface Refusal {
  error?: { message?: string; details?: { reason?: string }[] };
}

/** The key of the address search: one request, as for someone who types an address. */
export const google: Check = {
  title: "Google",
  async run({ config }) {
    if (!config.googleMapsApiKey)
      return [
        fine("Not set up: addresses are found down to the city, in the dashboard’s own tables"),
      ];
    try {
      const { status, json } = await ask(`${GOOGLE_PLACES}places:autocomplete`, {
        method: "POST",
        body: JSON.stringify({ input: "1 Main St" }),
        headers: {
          "Content-Type": "application/json",
          "X-Goog-Api-Key": config.googleMapsApiKey,
          "X-Goog-FieldMask": "suggestions.placePrediction.placeId",
        },
      });
      if (status === 200)
        return [
          fine("The key finds addresses"),
          byHand(
            "The key’s restrictions: to Places API (New), and to the IP addresses of your servers.",
            CREDENTIALS,
          ),
        ];
      const { error } = (json ?? {}) as Refusal;
      const reason = error?.details?.map((detail) => detail.reason).find(Boolean);
      const [meaning, fix] = REASONS[reason ?? ""] ?? [
        `${reason ?? `it answers ${status}`}`,
        `See the key: ${CREDENTIALS}`,
      ];
      return [wrong(`Google refuses GOOGLE_MAPS_API_KEY: ${meaning}`, EFFECT, fix)];
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return [
        wrong(
          `${new URL(GOOGLE_PLACES).host} ${error.message}`,
          EFFECT,
          "Let this machine reach it (firewall, DNS).",
        ),
      ];
    }
  },
};
