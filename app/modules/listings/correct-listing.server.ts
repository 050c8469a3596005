import { paths } from "~/http/paths";
import type { Db } from "~/integrations/supabase/clients.server";
import { FIRST_VERSION, newerVersionMessage } from "~/http/version-conflict";
import { isolate } from "~/text/isolate";

import { getListingToEdit } from "./listing.server";
import { validateListing, type Editor } from "./listing-form.server";
import { saveListing } from "./save-listing.server";

/** Says which listing was changed: the form may have been meant for another one. */
const describeCorrection = (before: string, name: string): string =>
  `${before === name ? `Your changes to “${isolate(name)}” are saved` : `“${isolate(before)}” is now called “${isolate(name)}”`}. The listing is waiting for review. To add another listing, start again from “Add New Listing”.`;

/**
 * Saves the form of a new listing that was sent again with a correction, such as after going back: over the listing
 * that it made, by the rules of an edit, and only while that is the version that the form made.
 * @returns the listing as it was saved, with a message about it, or the response that shows the form: with its errors, or with the way to the
 *   listing's own form when someone saved or reviewed it since (409)
 * @throws DataError
 */
export async function correctListing(db: Db, id: number, form: FormData, editor: Editor) {
  const current = await getListingToEdit(db, id);
  const listing = await validateListing(form, current, editor);
  if ("invalid" in listing) return listing;
  const values = { ...listing.values, version: FIRST_VERSION };
  const saved = await saveListing(db, current, { ...listing, values });
  if (saved !== "stale") return { saved, message: describeCorrection(current.name, values.name) };
  const errors = { "": [newerVersionMessage("listing")] };
  return {
    invalid: listing.errorResponse({ errors, status: 409, editPage: paths.listing(id) }),
  };
}
