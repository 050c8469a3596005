import { GOOGLE_PLACES } from "~/integrations/addresses/google-places.server";

import { ask, NoAnswer } from "./ask";
import type { Check } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

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
  error?: { status?: string; details?: { reason?: string }[] };
}

const readRefusal = (json: unknown) => {
  const { error } = (json ?? {}) as Refusal;
  return {
    status: error?.status,
    reason: error?.details?.map((detail) => detail.reason).find(Boolean),
  };
};

/** An API that the dashboard doesn't use. Without an origin a request is refused, and costs nothing. */
const OTHER_API = "https://routes.googleapis.com/directions/v2:computeRoutes";

/**
 * Whether the key opens another API as well. Only a refusal that is about the request itself shows
 * that it does, and only one about the key's restrictions shows that it doesn't: an API that the
 * project has not enabled is refused in any case.
 */
async function checkRestrictions(key: string): Promise<Finding[]> {
  const addresses = byHand(
    "Check that the key works only from your servers’ addresses.",
    CREDENTIALS,
  );
  const answer = await ask(OTHER_API, {
    method: "POST",
    body: "{}",
    headers: {
      "Content-Type": "application/json",
      "X-Goog-Api-Key": key,
      "X-Goog-FieldMask": "routes.duration",
    },
  }).catch((error: unknown) => {
    if (!(error instanceof NoAnswer)) throw error;
    return null;
  });
  const { status, reason } = readRefusal(answer?.json);
  if (reason === "API_KEY_SERVICE_BLOCKED")
    return [fine("The key is restricted: it does not open the Routes API"), addresses];
  if (status === "INVALID_ARGUMENT" && !reason)
    return [
      wrong(
        "GOOGLE_MAPS_API_KEY opens other APIs of Google too, such as the Routes API",
        "Anyone who gets hold of it can use them, and you pay for that.",
        `Restrict it to Places API (New), under API restrictions: ${CREDENTIALS}`,
      ),
      addresses,
    ];
  return [
    byHand(
      "The key’s restrictions: to Places API (New), and to the IP addresses of your servers.",
      CREDENTIALS,
    ),
  ];
}

/**
 * The key of the address search: one request, as for someone who types an address, and one to an API that it should not
 * open.
 */
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
          ...(await checkRestrictions(config.googleMapsApiKey)),
        ];
      const { reason } = readRefusal(json);
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
