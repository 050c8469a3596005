import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { Callout } from "~/components/ui/callout";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { safePath } from "~/http/safe-path.server";
import { TrackingChoice } from "~/modules/privacy/tracking-choice";
import { chooseTracking, trackingChoice } from "~/modules/privacy/tracking-consent.server";
import { TRACKING_TEXT } from "~/modules/privacy/tracking-text";
import { isTrackingConfigured } from "~/integrations/tracking/tracking.server";

export const handle = { title: "Who may know what you do here" };

export const loader = routeLoader({ access: "open" }, async ({ request, session }) =>
  json({
    chosen: await trackingChoice({ request, session }),
    tracks: isTrackingConfigured(),
    words: TRACKING_TEXT,
  }),
);

export const action = routeAction({ access: "open" }, async ({ db, form, session, setCookie }) => {
  const returnTo = safePath(form.get("return_to"));
  const granted = form.get("tracking") === "yes";
  // Anything but a clear yes is a no.
  setCookie(await chooseTracking(db, session, granted, returnTo.slice(0, 500)));
  return redirectWithFlash(
    returnTo,
    granted
      ? "Thank you. You can take it back at any time, on the privacy page."
      : "Nobody will be told anything.",
  );
});

export default function Tracking() {
  const { chosen, tracks, words } = useLoaderData<typeof loader>();
  return (
    <>
      <h1>{handle.title}</h1>
      {tracks ? null : (
        <Callout>
          This directory tells no advertising or e-mail service anything just now. Your choice
          counts if that ever changes.
        </Callout>
      )}
      <TrackingChoice words={words} returnTo={paths.trackingChoice()} chosen={chosen} />
    </>
  );
}
