import { readField } from "~/http/form.server";
import { readPickedUser } from "~/modules/accounts/user-picker.server";

import { LISTING_STATUSES, type ListingStatus } from "./rules";

/** What an admin decides in the form of a listing, besides what its owner fills in. */
export interface AdminColumns {
  status?: ListingStatus;
  owner?: string | null;
}

/**
 * What an admin's form changes of a listing's status and owner. What stands there as it did when the form was opened
 * changes nothing: somebody else may have decided meanwhile, and nobody is to undo that without meaning to.
 */
export function adminChoice(form: FormData): AdminColumns {
  const status = LISTING_STATUSES.find((one) => one === readField(form, "status"));
  const owner = readPickedUser(form);
  const id = owner.kind === "user" ? owner.id : null;
  return {
    ...(status === undefined || status === readField(form, "status_seen") ? {} : { status }),
    ...(owner.kind === "unchanged" || (id ?? "") === readField(form, "owner_seen")
      ? {}
      : { owner: id }),
  };
}
