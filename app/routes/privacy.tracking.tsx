import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { ACCOUNT_REFUSALS } from "~/modules/accounts/refusals";
import { TrackingConsentForm } from "~/modules/privacy/tracking-consent-form";
import { saveTrackingConsent, getTrackingConsent } from "~/modules/privacy/tracking-consent.server";
import { TRACKING_TEXT } from "~/modules/privacy/tracking-text";
import { isTrackingConfigured } from "~/integrations/tracking/tracking.server";

export const handle = { title: "Sharing with advertising and email services" };

export const loader = routeLoader({ access: "open" }, async ({ request, session }) =>
  json({
    granted: await getTrackingConsent({ request, session }),
    tracks: isTrackingConfigured(),
    text: TRACKING_TEXT,
  }),
);

export const action = routeAction(
  { access: "open", refusals: ACCOUNT_REFUSALS },
  async ({ db, form, session, setCookie }) => {
    const returnTo = toSafePath(form.get("return_to"));
    const granted = form.get("tracking") === "yes";
    // Anything but an explicit yes is a no.
    const cookie = await saveTrackingConsent(db, session, granted, returnTo.slice(0, 500));
    if (cookie) setCookie(cookie);
    return redirectWithFlash(
      returnTo,
      granted
        ? "Thanks! You can change this any time under Privacy."
        : "Got it: we won’t share anything.",
    );
  },
);

export default function Tracking() {
  const { granted, tracks, text } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={handle.title} parent={{ to: paths.privacy(), label: "Privacy" }} />
      {tracks ? null : (
        <Callout>
          This directory doesn’t share anything with advertising or email services right now. We’ll
          follow your choice if that ever changes.
        </Callout>
      )}
      <TrackingConsentForm
        text={text}
        returnTo={paths.trackingConsent()}
        granted={granted}
        ownPage
      />
    </>
  );
}
