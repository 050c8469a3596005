import { hasValues } from "~/integrations/supabase/has-values";

import type { ListingAdmin } from "./listing-admin-section";
import type { EditableListing } from "./listing.server";

/** Whether an edit of a listing waits that is dropped when its owner changes. */
export const dropsEdit = ({ owner, last_update }: EditableListing): boolean =>
  owner !== null && !hasValues({ last_update }, { last_update: {} });

/** What only admins see of a listing in its form. */
export const toListingAdmin = (listing: EditableListing): ListingAdmin => ({
  status: listing.status,
  owner: listing.person && { id: listing.person.id, name: listing.person.full_name },
  hasOwnerEmail: listing.owner_email !== null,
  featured: listing.premium,
  dropsEdit: dropsEdit(listing),
});
