import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { Callout } from "~/components/ui/callout";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { PaymentUnavailable } from "~/modules/billing/payment-errors.server";
import {
  deleteUser,
  explainChangedEffects,
  findDeletionEffects,
  getDeletionEffects,
  toSeenEffects,
} from "~/modules/users/delete-user.server";
import { DeletionEffectsList } from "~/modules/users/deletion-effects";
import { noSuchUser } from "~/modules/users/users.server";
import { USER_REFUSALS } from "~/modules/users/refusals";
import { PRIVACY_REFUSALS } from "~/modules/privacy/refusals";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Permanently Delete",
  tabTitle: ({ name }: SerializeFrom<typeof loader>) => `Permanently delete ${name ?? "this user"}`,
};

const params = { user: uuidParam(noSuchUser) };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params }) => {
  const effects = await getDeletionEffects(db, params.user);
  return json({ ...effects, seen: toSeenEffects(effects) });
});

export const action = routeAction(
  { access: "admin", params, refusals: { ...USER_REFUSALS, ...PRIVACY_REFUSALS } },
  {
    delete: async ({ db, form, params, session, log }) => {
      const seen = readField(form, "seen");
      // (Absent from a page of the previous release.) One who is deleted already has no effects.
      const changed = seen === "" ? null : await findChange(db, params.user, seen);
      if (changed !== null) return json({ failed: changed }, { status: 409 });
      try {
        const deleted = await deleteUser(db, session.user.id, params.user, log);
        return await redirectWithFlash(
          paths.adminUsers(),
          deleted ? "User permanently deleted." : "That user was already deleted.",
        );
      } catch (error) {
        if (!(error instanceof PaymentUnavailable)) throw error;
        return json({ failed: NOT_DELETED }, { status: 503 });
      }
    },
  },
);

async function findChange(db: Db, user: string, seen: string): Promise<string | null> {
  const effects = await findDeletionEffects(db, user);
  return effects && explainChangedEffects(seen, effects);
}

const NOT_DELETED =
  "Some of this user’s plans may have ended. Nothing else was deleted. Please try again in a few minutes.";

export default function DeleteUser() {
  const effects = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const name = effects.name ?? "No name given";
  if (effects.self) {
    return (
      <>
        <h1>This is your own account</h1>
        <Callout tone="info">You can’t delete your own account here. Another admin can.</Callout>
      </>
    );
  }
  return (
    <ConfirmationPage
      title="Do you really want to permanently delete this user?"
      intent="delete"
      hidden={{ seen: effects.seen }}
      confirmLabel={`Permanently delete ${isolate(name)}`}
      busyText="Deleting"
      tone="danger"
      cancelHref={paths.adminUser(effects.id)}
    >
      {answer && "failed" in answer ? <Callout tone="problem">{answer.failed}</Callout> : null}
      <p>
        If you delete{" "}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        ’s {effects.admin ? "admin account" : "account"}:
      </p>
      <DeletionEffectsList effects={effects} />
    </ConfirmationPage>
  );
}
