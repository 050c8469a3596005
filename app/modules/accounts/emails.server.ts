import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

/** Someone signed up with the address of an account. The page doesn't say that there is one. */
export const accountExists = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "About your sign-up",
  paragraphs: [
    "You already have an account with this email address, so we haven’t created another one. Sign in with your password, or set a new one if you’ve forgotten it.",
    "Didn’t sign up just now? Someone else entered your address. They can’t see or change anything in your account, so you can ignore this email.",
  ],
  action: { label: "Choose a new password", url: `${appUrl}${paths.recovery()}` },
  because: "You’re receiving this because someone signed up with your address.",
}));

/** The account has a new password, however it was chosen. */
export const passwordChanged = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "Your password was changed",
  paragraphs: [
    "Your account has a new password, and all other devices are signed out.",
    "Wasn’t this you? Choose another password now. That signs out everyone else.",
  ],
  action: { label: "Choose a new password", url: `${appUrl}${paths.recovery()}` },
}));
