import { redirect } from "@remix-run/node";
import { z } from "zod";

import { parseForm, formErrorResponse } from "~/http/form.server";
import type { ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { formatPlace } from "~/modules/listings/rules";

import { findPlan, type PlanId } from "./catalog";
import { openCheckout } from "./checkout.server";
import { PaymentRefused, PaymentUnavailable } from "./payment-errors.server";
import { canBeUpgraded } from "./rules";

const NO_LISTING = "Please select a listing to be featured!";
const NO_PLAN = "Please choose one of the plans.";

/** What the upgrade form sends. It has no price: that follows from the plan. */
const upgradeSchema = z.object({
  place: z
    .string({ error: NO_LISTING })
    .transform(parseRowId)
    .pipe(z.number({ error: NO_LISTING })),
  plan: z.custom<PlanId>((id) => findPlan(id) !== undefined, NO_PLAN),
});

/** A listing that its owner can upgrade. */
export interface UpgradableListing {
  id: number;
  name: string;
  /** Its city and state, to tell listings with the same name apart, and why no one sees it now. */
  about: string;
  isPublic: boolean;
  /** Whether its first month has the lower price, which is granted once for a listing and an account. */
  firstMonth: boolean;
}

/**
 * The owner's listings that are not Featured, by name, and how many are. It leaves out those that
 * no one would see: archived ones, those that are about to be archived, and those that our team is
 * looking into.
 * @throws DataError
 */
export async function listUpgradableListings(
  db: Db,
  owner: string,
): Promise<{ listings: UpgradableListing[]; featured: number; leftOut: number }> {
  const [places, firstMonths] = await Promise.all([
    db
      .from("places")
      .select("id, name, city, state, premium, status, hidden, archive_requested")
      .eq("owner", owner)
      .order("name")
      .order("id"),
    db.rpc("my_first_months"),
  ]);
  const all = unwrap(places);
  const rows = all.filter(canBeUpgraded);
  const withFirstMonth = new Set(unwrap(firstMonths));
  return {
    listings: rows
      .filter(({ premium }) => !premium)
      .map(({ id, name, city, state, status, hidden }) => ({
        id,
        name,
        about: [
          formatPlace({ city, state }),
          status === "new" ? "not public yet" : hidden ? "hidden" : "",
        ]
          .filter(Boolean)
          .join("; "),
        isPublic: status !== "new" && !hidden,
        firstMonth: withFirstMonth.has(id),
      })),
    featured: rows.filter(({ premium }) => premium).length,
    leftOut: all.length - rows.length,
  };
}

/** Handles the upgrade form: goes to payment, or shows the form with what is wrong with it. */
export async function upgrade({ db, form, session, log }: ActionContext<"signed in">) {
  const submission = parseForm(form, upgradeSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { place, plan } = submission.value;
  try {
    const { url } = await openCheckout(
      { db, buyer: session.user, log },
      { kind: "upgrade", placeId: place, plan },
    );
    return redirect(url, { status: 303 });
  } catch (error) {
    if (error instanceof PaymentRefused)
      return formErrorResponse(submission, { errors: { place: [error.message] }, status: 409 });
    if (error instanceof PaymentUnavailable)
      return formErrorResponse(submission, { errors: { "": [error.message] }, status: 503 });
    throw error;
  }
}
