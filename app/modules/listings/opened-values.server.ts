import { createHash } from "node:crypto";

import { readField } from "~/http/form.server";
import { applySelectedVersions } from "~/http/version-conflict";

import type { EditableListing } from "./listing.server";
import { toListingFormValues } from "./listing-form.server";

/**
 * Names what a listing's form is opened with, for its hidden field "opened": its texts and choices, and what the team asks
 * for. Empty for an admin, who also decides in this form, so that every newer version concerns them.
 */
export const nameOpenedValues = (listing: EditableListing, user: { admin: boolean }): string =>
  user.admin
    ? ""
    : createHash("sha256")
        .update(JSON.stringify([toListingFormValues(listing), listing.changes_requested]))
        .digest("base64url")
        .slice(0, 12);

/**
 * Brings a form to the version of its listing as it is now, as far as there is nothing to choose between. A decision of the
 * team changes the version, often without a change of anything that the form shows: a form that was opened before is then
 * taken as one that was opened now. After a conflict, the fields get the version that was selected for each.
 */
export function settleVersions(
  form: FormData,
  current: EditableListing,
  user: { admin: boolean },
): void {
  const opened = readField(form, "opened");
  if (opened !== "" && opened === nameOpenedValues(current, user))
    form.set("version", String(current.version));
  applySelectedVersions(form, { ...toListingFormValues(current), status: current.status });
}
