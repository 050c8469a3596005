import SDK from "stripe";

import type { LocalStripe } from "./local-stripe";

/** The official SDK for a stand-in in this process, without a network in between. */
export function inProcessSdk(stripe: LocalStripe, secretKey: string): SDK {
  const httpClient = SDK.createFetchHttpClient(
    async (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return (
        (await stripe.fetch(new Request(`${stripe.account.origin}${pathname}${search}`, init))) ??
        new Response(null, { status: 404 })
      );
    },
  );
  return new SDK(secretKey, { httpClient, telemetry: false, maxNetworkRetries: 0 });
}
