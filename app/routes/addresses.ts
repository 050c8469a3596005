import { json } from "@remix-run/node";

import { HttpError } from "~/http/errors.server";
import { readField } from "~/http/form.server";
import { enforceRateLimit } from "~/http/rate-limit.server";
import { routeAction } from "~/http/route.server";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import { findAddresses } from "~/integrations/addresses/addresses.server";

const PER_PERSON = { name: "addresses", max: 300, windowSeconds: 15 * 60 };

/**
 * Suggestions while an address is being typed. A post and not a get, so that no address stands in a log.
 * When there is no answer, or nobody is signed in any more, there are none: a failure or a way to
 * sign in would take the place of the form that is being filled in. The form's own button tells why.
 */
export const action = routeAction({ access: "open" }, async ({ form, session }) => {
  if (!session) return json({ candidates: [] }, { status: 401 });
  try {
    await enforceRateLimit(PER_PERSON, session.user.id);
    return json({ candidates: await findAddresses(readField(form, "typed")) });
  } catch (error) {
    if (error instanceof HttpError)
      return json({ candidates: [] }, { status: error.status, headers: error.headers });
    if (error instanceof AddressSearchUnavailable) return json({ candidates: [] }, { status: 503 });
    throw error;
  }
});
