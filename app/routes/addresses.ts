import { json } from "@remix-run/node";

import { HttpError } from "~/http/errors.server";
import { readField } from "~/http/form.server";
import { postOnlyLoader, routeAction } from "~/http/route.server";
import { AddressSearchUnavailable } from "~/integrations/addresses/address";
import { findAddresses } from "~/integrations/addresses/addresses.server";
import { countLookUp } from "~/modules/listings/picked-address.server";

export const loader = postOnlyLoader("It only accepts what’s typed into an address field.");

/**
 * Suggestions while an address is being typed. A POST, so that no address appears in a log. Failures
 * and an ended session return an empty list and never an error page or a redirect, which would
 * replace the form that is being filled in. The form's own "Find address" button explains them.
 */
export const action = routeAction({ access: "open" }, async ({ form, session }) => {
  if (!session) return json({ candidates: [] }, { status: 401 });
  try {
    await countLookUp(session.user.id);
    return json({ candidates: await findAddresses(readField(form, "typed")) });
  } catch (error) {
    if (error instanceof HttpError)
      return json({ candidates: [] }, { status: error.status, headers: error.headers });
    if (error instanceof AddressSearchUnavailable) return json({ candidates: [] }, { status: 503 });
    throw error;
  }
});
