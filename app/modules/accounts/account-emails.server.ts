import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail, type EmailTemplate } from "~/modules/emails/render-email.server";
import { isolate } from "~/text/isolate";

/**
 * The emails of the auth service: their links contain a one-time token. Anyone can have them sent to anyone, so
 * they contain no name and nothing else that the sender of a form chose. They go to an address, so each says why.
 */

const LASTS = "The link works once, for one hour.";
const BECAUSE = "You’re receiving this because someone entered your address.";

const withToken = z.object({ token_hash: z.string().min(1) });

/**
 * The address of the page that a link leads to. It shows a button, so that opening an email doesn't
 * use the link up.
 */
const linkTo = (appUrl: string, path: string, tokenHash: string, type: string) =>
  `${appUrl}${path}?${new URLSearchParams({ token_hash: tokenHash, type })}`;

/** Someone signed up with this address. */
const accountConfirmation = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Please confirm your email address",
  paragraphs: [
    "Thanks for signing up! Confirm your email address to get started.",
    `${LASTS} Didn’t sign up? You can ignore this email. No one can use the account without the link.`,
  ],
  action: {
    label: "Confirm my email",
    url: linkTo(appUrl, paths.confirm(), token_hash, "email"),
  },
  because: BECAUSE,
}));

/** Someone asked for a new password. */
const accountRecovery = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Choose a new password",
  paragraphs: [
    "We got a request to reset the password for your account.",
    `${LASTS} Didn’t ask for this? You can ignore this email. Your password stays the same.`,
  ],
  action: {
    label: "Choose a new password",
    url: linkTo(appUrl, paths.newPassword(), token_hash, "recovery"),
  },
  because: BECAUSE,
}));

/** A change of address, to the current address: it names the new one. */
const emailChangeFrom = defineEmail(
  withToken.extend({ new_email: z.string() }),
  ({ token_hash, new_email }, { appUrl }) => ({
    subject: "Please confirm your email address change",
    paragraphs: [
      `You asked to change the email address of your account to ${isolate(new_email)}.`,
      "To keep your account safe, we’ve emailed both addresses. The change takes effect once both addresses are confirmed.",
      `${LASTS} Didn’t ask for this? Don’t confirm it, and change your password right away; someone may have access to your account.`,
    ],
    action: {
      label: "Confirm the change",
      url: linkTo(appUrl, paths.confirm(), token_hash, "email_change"),
    },
    because: "You’re receiving this because you have an account with this address.",
  }),
);

/** A change of address, to the new address. It doesn't name the current one: the new one may be mistyped. */
const emailChangeTo = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Please confirm your new email address",
  paragraphs: [
    "We got a request to use this address for an account.",
    "To keep accounts safe, we’ve emailed both addresses. The change takes effect once both addresses are confirmed.",
    `${LASTS} Wasn’t this you? Don’t confirm it. If you do, the person who asked can use your address as theirs.`,
  ],
  action: {
    label: "Confirm the change",
    url: linkTo(appUrl, paths.confirm(), token_hash, "email_change"),
  },
  because: BECAUSE,
}));

/** The address was changed. To the one before, from which the change was confirmed; it doesn't name the new one. */
const emailChanged = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "Your email address was changed",
  paragraphs: [
    "Your account doesn’t use this address anymore, and all devices are signed out. Sign in with your new address.",
    "Wasn’t this you? Please get in touch with us right away, because someone else may have your account.",
  ],
  action: { label: "Go to the sign-in page", url: `${appUrl}${paths.login()}` },
  because: "You’re receiving this because you had an account with this address.",
}));

/** Anyone can have the auth service send a link that signs in. We send none: it would let anyone in who opens it. */
const signInHelp = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "How to sign in",
  paragraphs: [
    "We got a request for a sign-in link for this address. To keep your account safe, we don’t send sign-in links. Please sign in with your email address and password.",
    "Forgot your password? You can set a new one on the sign-in page. Wasn’t this you? You can ignore this email.",
  ],
  action: { label: "Go to the sign-in page", url: `${appUrl}${paths.login()}` },
  because: BECAUSE,
}));

/** By kind. The send-email hook queues all but `email-changed`; every other email is queued by the database. */
export const accountEmails: Readonly<Record<string, EmailTemplate>> = {
  "account-confirmation": accountConfirmation,
  "account-recovery": accountRecovery,
  "email-change-from": emailChangeFrom,
  "email-change-to": emailChangeTo,
  "email-changed": emailChanged,
  "sign-in-help": signInHelp,
};
