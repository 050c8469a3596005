import { json } from "@remix-run/node";

import { HttpError } from "~/http/errors.server";
import { readField } from "~/http/form.server";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { postOnlyLoader, routeAction } from "~/http/route.server";
import { normalizePhone } from "~/modules/accounts/phone.server";

const PER_VISITOR = { name: "phone-check", max: 300, windowSeconds: 15 * 60 };

export const loader = postOnlyLoader("It only accepts what’s typed into a phone field.");

/**
 * Whether a phone number is valid, for the phone field when the user leaves it. A POST, so that no number appears in
 * a log. It stores nothing, and never returns an error page, which would replace the form.
 */
export const action = routeAction({ access: "open" }, async ({ request, form }) => {
  try {
    await enforceRateLimit(PER_VISITOR, getClientNetwork(request));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return json({ valid: false }, { status: error.status, headers: error.headers });
  }
  const number = normalizePhone(readField(form, "phone"), readField(form, "phone_country"));
  return json({ valid: number !== null });
});
