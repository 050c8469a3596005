import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

const CHANGES = {
  on: {
    subject: "Two-step sign-in is on",
    text: "Two-step sign-in is on for your account. From now on, signing in takes your password and a code from your authenticator app.",
  },
  off: {
    subject: "Two-step sign-in is off",
    text: "Two-step sign-in is off for your account. Your password alone is enough to sign in.",
  },
  "app-added": {
    subject: "Another authenticator app was added",
    text: "Another authenticator app was added to your account. Codes from that app work from now on, too.",
  },
  "app-removed": {
    subject: "An authenticator app was removed",
    text: "An authenticator app was removed from your account. You still need a code from your other authenticator app to sign in.",
  },
  "new-codes": {
    subject: "You have new recovery codes",
    text: "New recovery codes were created for your account. The earlier ones no longer work.",
  },
  "recovery-code": {
    subject: "A recovery code was used",
    text: "Someone signed in to your account with a recovery code and your password, or with a link from an email. This turned two-step sign-in off and signed out all other devices. To turn two-step sign-in back on, go to your account.",
  },
} as const;

/** Two-step sign-in was turned on or off, an app was added or removed, or recovery codes were created or one was used. */
export const twoStepChanged = defineEmail(
  z.object({
    change: z.enum(["on", "off", "app-added", "app-removed", "new-codes", "recovery-code"]),
  }),
  ({ change }, { appUrl }) => ({
    subject: CHANGES[change].subject,
    paragraphs: [
      CHANGES[change].text,
      // The person who turned it on has the codes, which a new password would need, too.
      change === "on"
        ? "Wasn’t this you? Please get in touch with us now: without a code from that app, you can’t sign in or change your password."
        : change === "app-added"
          ? // In this order: while someone else is signed in, they could turn it on again with their app alone.
            "Wasn’t this you? Change your password now. That signs out everyone else. Then turn two-step sign-in off, which removes both apps, and turn it on again."
          : `Wasn’t this you? Change your password now. That signs out everyone else.${change === "app-removed" ? " If codes from your app don’t work anymore, sign in with a recovery code, or get in touch with us." : ""}`,
    ],
    action: { label: "Open your account", url: `${appUrl}${paths.twoStep()}` },
  }),
);
