import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { DateText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";
import { env } from "~/env.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { enrollFactor } from "~/integrations/supabase/factors.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { confirmIdentity, refuseIdentity } from "~/modules/two-step/confirm-identity.server";
import { IdentityField } from "~/modules/two-step/identity-field";
import { serializeNewAuthenticator } from "~/modules/two-step/new-authenticator.server";
import { serializeRecoveryCodes } from "~/modules/two-step/recovery-codes.server";
import { TWO_STEP_REFUSALS } from "~/modules/two-step/refusals";
import {
  createRecoveryCodes,
  getTwoStep,
  turnOffTwoStep,
} from "~/modules/two-step/two-step.server";
import { formatCount } from "~/text/counts";

export const handle = { title: "Two-step sign-in" };

/** What authenticator apps call the account of someone in discreet mode. */
const DISCREET_ISSUER = "Dashboard";

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const { since, codes_left: codesLeft } = await getTwoStep(db);
  const to = url.searchParams.get("redirectTo");
  return json({
    since,
    codesLeft,
    redirectTo: to === null ? "" : toSafePath(to),
    mandatory: session.user.adminNeedsSecondStep,
  });
});

export const action = routeAction(
  { access: "signed in", refusals: TWO_STEP_REFUSALS },
  { start, codes, turnOff },
);

/** After a button that was pressed twice. Someone who keeps the earlier recovery codes could not sign in with them. */
const MAY_BE_REPLACED =
  "your earlier recovery codes may no longer work. Enter the next code that your authenticator app shows, and create new ones.";
const MAY_BE_OFF = "two-step sign-in may be off now. Open this page again to see.";

/** Begins to add an authenticator app. */
async function start(context: ActionContext<"signed in">) {
  const { form, session, setCookie } = context;
  if (session.user.secondStep) return redirect(paths.twoStep(), { status: 303 });
  const confirmed = await confirmIdentity(context);
  if ("refused" in confirmed) return refuseIdentity(form, confirmed.refused);
  const issuer = session.user.discreet ? DISCREET_ISSUER : env().appName;
  const factor = await enrollFactor(confirmed.tokens, issuer);
  setCookie(await serializeNewAuthenticator({ ...factor, userId: session.user.id }));
  const to = form.get("redirectTo");
  return redirect(paths.newAuthenticator(to ? toSafePath(to) : undefined), { status: 303 });
}

/** Creates new recovery codes, and shows them on the next page. */
async function codes(context: ActionContext<"signed in">) {
  const { form, session, setCookie } = context;
  if (!session.user.secondStep) return redirect(paths.twoStep(), { status: 303 });
  const confirmed = await confirmIdentity(context, MAY_BE_REPLACED);
  if ("refused" in confirmed) return refuseIdentity(form, confirmed.refused);
  const newCodes = await createRecoveryCodes(confirmed.db);
  setCookie(await serializeRecoveryCodes(session.user.id, newCodes));
  triggerEmailDelivery();
  return redirect(paths.recoveryCodes(), { status: 303 });
}

async function turnOff(context: ActionContext<"signed in">) {
  const { form, session, log } = context;
  if (!session.user.secondStep) return redirect(paths.twoStep(), { status: 303 });
  const confirmed = await confirmIdentity(context, MAY_BE_OFF);
  if ("refused" in confirmed) return refuseIdentity(form, confirmed.refused);
  await turnOffTwoStep(confirmed.db);
  triggerEmailDelivery();
  log.info("two-step sign-in turned off");
  return redirectWithFlash(paths.twoStep(), "Two-step sign-in is off.");
}

export default function TwoStep() {
  const { since, codesLeft, redirectTo, mandatory } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"app_code" | "current_password">({
    id: "two-step",
    lastResult: answer?.lastResult,
    required: ["app_code", "current_password"],
  });
  return (
    <>
      <PageHeader
        title={handle.title}
        parent={{ to: paths.account(), label: "My Account" }}
        subtitle="Signing in takes your password and a code from an app on your phone, so your password alone isn’t enough to get in."
      />
      <ErrorSummary form={form} />
      {since === null ? (
        <>
          {mandatory ? (
            <Callout tone="waiting" title="Admins need two-step sign-in">
              Turn it on to open the admin pages. Everything else works as before.
            </Callout>
          ) : null}
          <ul className="prose measure">
            <li>
              You need an authenticator app. Most password managers have one, and there are free
              ones for every phone.
            </li>
            <li>You’ll be asked for a code each time you sign in, here and in the mobile app.</li>
            <li>Turning it on signs you out everywhere else.</li>
          </ul>
          <PostForm form={form} intent="start" unsaved="drop">
            <input type="hidden" name="redirectTo" value={redirectTo} />
            <IdentityField form={form} secondStep={false} />
            <SubmitButton>Set up two-step sign-in</SubmitButton>
          </PostForm>
        </>
      ) : (
        <>
          <Callout tone="success">
            <p>
              Two-step sign-in has been on since <DateText at={since} />.
            </p>
          </Callout>
          <h2>Recovery codes</h2>
          <p className="measure">
            {codesLeft === 0
              ? "You have no recovery codes. Create some now: without them, you can’t sign in if you lose your phone."
              : `You have ${formatCount(codesLeft, "recovery code")}, in case you lose your phone. Didn’t save them? Create new ones to replace them.`}
          </p>
          <PostForm form={form} unsaved="drop">
            <IdentityField form={form} secondStep />
            <div className="buttons">
              <SubmitButton variant="quiet" name="intent" value="codes">
                Create new recovery codes
              </SubmitButton>
              <SubmitButton variant="danger" name="intent" value="turnOff">
                Turn off two-step sign-in
              </SubmitButton>
            </div>
          </PostForm>
        </>
      )}
    </>
  );
}
