import { json, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { peopleOf } from "~/modules/managers/managers.server";

export const handle = { title: "Remove somebody" };

/** Asks before the owner ends that somebody manages a listing for them. */
export const loader = routeLoader({ access: "signed in" }, async ({ db, params }) => {
  const id = parseRowId(params.id);
  const { name, managers } = await peopleOf(db, id);
  const manager = managers.find((one) => one.id === params.manager);
  if (id === null || !manager) return redirect(paths.listingManagers(id ?? 0));
  return json({ id, name, manager });
});

export default function RemoveManager() {
  const { id, name, manager } = useLoaderData<typeof loader>();
  const who = manager.name ?? manager.email ?? "this person";
  return (
    <ConfirmationPage
      title={`Remove ${who} from “${name}”?`}
      action={paths.listingManagers(id)}
      intent="remove"
      hidden={{ person: manager.id }}
      confirmLabel={`Remove ${who}`}
      cancelHref={paths.listingManagers(id)}
      cancelLabel="Keep them"
      tone="danger"
    >
      <p>
        They can’t open the listing or the messages to it any more, at once. What they changed
        stays. You can invite them again.
      </p>
      <p>They are not told by e-mail.</p>
    </ConfirmationPage>
  );
}
