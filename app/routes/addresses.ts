import { json } from "@remix-run/node";

import { fieldText } from "~/http/form.server";
import { limitTries } from "~/http/rate-limit.server";
import { routeAction } from "~/http/route.server";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import { findAddresses } from "~/integrations/addresses/addresses.server";

const PER_PERSON = { name: "addresses", max: 300, windowSeconds: 15 * 60 };

/**
 * Suggestions while an address is being typed. A post and not a get, so that no address stands in a log.
 * When the search does not answer there are none: the form's own button tells why.
 */
export const action = routeAction({ access: "signed in" }, async ({ form, session }) => {
  await limitTries(PER_PERSON, session.user.id);
  try {
    return json({ candidates: await findAddresses(fieldText(form, "typed")) });
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return json({ candidates: [] }, { status: 503 });
  }
});
