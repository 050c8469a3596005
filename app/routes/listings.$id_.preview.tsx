import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { readBack } from "~/http/safe-path.server";
import {
  getCategoryOptions,
  getListingToEdit,
  noSuchListing,
} from "~/modules/listings/listing.server";
import { getListingParent } from "~/modules/listings/listing-parent";
import { ListingPreview } from "~/modules/listings/listing-preview";
import { describePreview, toPreview } from "~/modules/listings/preview.server";
import { getListingRole } from "~/modules/listings/rules";

export const handle = {
  title: "Preview",
  tabTitle: ({ preview }: SerializeFrom<typeof loader>) => `Preview: ${preview.name}`,
  parent: ({ list }: SerializeFrom<typeof loader>) => list.to,
};

/** The saved version of a listing, as people see it or would see it. */
export const loader = routeLoader(
  { access: "signed in", params: { id: rowIdParam(noSuchListing) } },
  async ({ db, params, session, url }) => {
    const [listing, options] = await Promise.all([
      getListingToEdit(db, params.id),
      getCategoryOptions(db),
    ]);
    const back = readBack(url);
    return json({
      preview: toPreview(listing, options),
      live: listing.status === "published" && !listing.hidden,
      seen: describePreview(listing),
      edit: paths.listing(listing.id, back),
      list: getListingParent(back, getListingRole(listing, session.user)),
    });
  },
);

export default function PreviewListing() {
  const { preview, live, seen, edit, list } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Preview" parent={list} kicker={<bdi>{preview.name}</bdi>} />
      <Callout tone={live ? "success" : "info"}>{seen}</Callout>
      <ListingPreview listing={preview} />
      <div className="buttons">
        <ButtonLink to={edit}>Edit listing</ButtonLink>
      </div>
    </>
  );
}
