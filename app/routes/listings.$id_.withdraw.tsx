import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { readBack } from "~/http/safe-path.server";
import { PendingEdit } from "~/modules/listings/edit-status";
import { describePendingEdit } from "~/modules/listings/edit-status.server";
import {
  getCategoryOptions,
  getListingToEdit,
  noSuchListing,
} from "~/modules/listings/listing.server";
import { getListingRole } from "~/modules/listings/rules";
import { discardRejectedEdit, withdrawEdit } from "~/modules/listings/withdraw-edit.server";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Withdraw changes",
  tabTitle: ({ name }: SerializeFrom<typeof loader>) => `Withdraw changes: ${name}`,
};

const params = { id: rowIdParam(noSuchListing) };
const NOTHING_WAITS = "Nothing is waiting for review anymore.";

/** Shows what would be withdrawn, and asks. The review of admins has "Reject the edit" instead. */
export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const { db, session, url } = context;
  const [listing, options] = await Promise.all([
    getListingToEdit(db, context.params.id),
    getCategoryOptions(db),
  ]);
  const role = getListingRole(listing, session.user);
  if (role === "admin" || role === "claimant") throw noSuchListing();
  const form = paths.listing(context.params.id, readBack(url));
  const changes = describePendingEdit(listing, options);
  if (changes.length === 0) return redirect(form);
  const { name, version } = listing;
  return json({ name, version, changes, cancel: form });
});

export const action = routeAction(
  { access: "signed in", params },
  {
    withdraw: async ({ db, form, session, url, params: { id } }) => {
      const listing = await getListingToEdit(db, id);
      const role = getListingRole(listing, session.user);
      if (role === "admin" || role === "claimant") throw noSuchListing();
      const back = readBack(url) ?? paths.home();
      if (listing.status !== "pending-update")
        return redirectWithFlash(back, { tone: "info", text: NOTHING_WAITS });
      const withdrawn = await withdrawEdit(db, listing, Number(readField(form, "version")));
      return withdrawn
        ? redirectWithFlash(
            back,
            `The changes to “${isolate(listing.name)}” are withdrawn. ${
              listing.hidden
                ? "The approved version is back, and the listing is still hidden."
                : "The approved version is live, as before."
            }`,
          )
        : redirectWithFlash(`${url.pathname}${url.search}`, {
            tone: "problem",
            text: "The listing was changed in the meantime. Please check again what you want to withdraw.",
          });
    },
    discard: async ({ db, form, session, url, params: { id } }) => {
      const listing = await getListingToEdit(db, id);
      const role = getListingRole(listing, session.user);
      if (role === "admin" || role === "claimant") throw noSuchListing();
      const page = paths.listing(id, readBack(url));
      const at = readField(form, "at");
      const { rejected } = listing;
      return rejected === null ||
        (rejected.rejected_at === at && (await discardRejectedEdit(db, id, at)))
        ? redirectWithFlash(page, "The changes are discarded.")
        : redirectWithFlash(page, {
            tone: "problem",
            text: "More changes weren’t approved in the meantime. Please check again what you want to discard.",
          });
    },
  },
);

export default function WithdrawEdit() {
  const { name, version, changes, cancel } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title="Withdraw these changes?"
      intent="withdraw"
      confirmLabel="Withdraw changes"
      tone="danger"
      cancelHref={cancel}
      cancelLabel="Keep changes"
      hidden={{ version: String(version) }}
    >
      <p>
        Our team won’t review these changes to “<bdi>{name}</bdi>”. The approved version stays, and
        the changes will be gone, so copy anything you want to keep.
      </p>
      <PendingEdit changes={changes} caption="Changes that would be withdrawn" />
    </ConfirmationPage>
  );
}
