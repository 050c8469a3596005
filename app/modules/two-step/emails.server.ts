import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

const SIGN_OUT_OTHERS = "Change your password now. That signs out everyone else.";

/** What changed, and what to do for someone who didn't change it. */
const CHANGES = {
  on: {
    subject: "Two-step sign-in is on",
    text: "Two-step sign-in is on for your account. From now on, signing in takes your password and a code from your authenticator app.",
    // The person who turned it on has the codes, which a new password would need, too.
    notYou:
      "Please get in touch with us now: without a code from that app, you can’t sign in or change your password.",
  },
  off: {
    subject: "Two-step sign-in is off",
    text: "Two-step sign-in is off for your account. Your password alone is enough to sign in.",
    notYou: SIGN_OUT_OTHERS,
  },
  "app-added": {
    subject: "Another authenticator app was added",
    text: "Another authenticator app was added to your account. Codes from that app work from now on, too.",
    // In this order: while someone else is signed in, they could turn it on again with their app alone.
    notYou: `${SIGN_OUT_OTHERS} Then turn two-step sign-in off, which removes both apps, and turn it on again.`,
  },
  "app-removed": {
    subject: "An authenticator app was removed",
    text: "An authenticator app was removed from your account. You still need a code from your other authenticator app to sign in.",
    notYou: `${SIGN_OUT_OTHERS} If codes from your app don’t work anymore, sign in with a recovery code, or get in touch with us.`,
  },
  "new-codes": {
    subject: "You have new recovery codes",
    text: "New recovery codes were created for your account. The earlier ones no longer work.",
    notYou: SIGN_OUT_OTHERS,
  },
  "recovery-code": {
    subject: "A recovery code was used",
    text: "Someone signed in to your account with a recovery code, and with your password or a link from an email. This turned two-step sign-in off and signed out all other devices. To turn two-step sign-in back on, go to your account.",
    notYou: SIGN_OUT_OTHERS,
  },
} as const;

/** Two-step sign-in was turned on or off, an app was added or removed, or recovery codes were created or one was used. */
export const twoStepChanged = defineEmail(
  z.object({
    change: z.enum(["on", "off", "app-added", "app-removed", "new-codes", "recovery-code"]),
  }),
  ({ change }, { appUrl }) => ({
    subject: CHANGES[change].subject,
    paragraphs: [CHANGES[change].text, `Wasn’t this you? ${CHANGES[change].notYou}`],
    action: { label: "Open your account", url: `${appUrl}${paths.twoStep()}` },
  }),
);

/** An admin has made two-step sign-in mandatory for all admins, or optional: to all admins. */
export const adminsTwoStep = defineEmail(
  z.object({ mandatory: z.boolean() }),
  ({ mandatory }, { appUrl }) => ({
    subject: "Two-step sign-in for admins",
    paragraphs: [
      mandatory
        ? "Two-step sign-in is now mandatory for all admins. Those who haven’t turned it on can’t open the admin pages until they do."
        : "Two-step sign-in is now optional for all admins. Each admin’s password alone can be enough to sign in.",
      "Is this news to you? Tell the rest of the team now: someone else may be in an admin’s account. The audit log says whose it was.",
    ],
    action: { label: "See who uses it", url: `${appUrl}${paths.adminTwoStep()}` },
  }),
);
