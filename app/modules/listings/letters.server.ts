import { z } from "zod/v4";

import { paths } from "~/http/paths";
import { letter } from "~/modules/notices/letter.server";

const aboutListing = z.object({ place_id: z.number(), name: z.string() });

/** The team approved a listing, or the changes that waited in it. */
export const listingApproved = letter(aboutListing, ({ place_id: id, name }, { appUrl }) => ({
  subject: "Your listing was approved",
  paragraphs: [`“${name}” was approved: everybody can see it as you wrote it.`],
  action: { label: "Open the listing", url: `${appUrl}${paths.listing(id)}` },
}));

/** An admin changed a listing by hand. */
export const listingEdited = letter(aboutListing, ({ place_id: id, name }, { appUrl }) => ({
  subject: "Your listing was changed",
  paragraphs: [`The team changed something in “${name}”. Please look whether it is right.`],
  action: { label: "Look at the listing", url: `${appUrl}${paths.listing(id)}` },
}));
