import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail, type EmailTemplate } from "~/modules/emails/render-email.server";

/**
 * The emails of the auth service: their links contain a one-time token. Anyone can have them sent to anyone, so
 * they contain no name and nothing else that the sender of a form chose.
 */

const LASTS = "The link works once, for one hour.";
const BECAUSE = "You got this email because someone entered your address.";

const withToken = z.object({ token_hash: z.string().min(1) });

/** The address of the page that a link leads to. It shows a button: opening an email uses nothing up. */
const linkTo = (appUrl: string, path: string, tokenHash: string, type: string) =>
  `${appUrl}${path}?${new URLSearchParams({ token_hash: tokenHash, type })}`;

/** Someone signed up with this address. */
const accountConfirmation = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Please confirm your email address",
  paragraphs: [
    "Someone, we hope you, created an account with this address. Confirm that it’s yours, and you can sign in.",
    `${LASTS} If this wasn’t you, you don’t need to do anything: without the link, no one can use the account.`,
  ],
  action: {
    label: "Confirm my address",
    url: linkTo(appUrl, paths.confirm(), token_hash, "email"),
  },
  because: BECAUSE,
}));

/** Someone asked for a new password. */
const accountRecovery = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Choose a new password",
  paragraphs: [
    "Someone, we hope you, asked for a new password for the account with this address.",
    `${LASTS} If this wasn’t you, you don’t need to do anything: your password stays as it is.`,
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
    subject: "Please confirm your new email address",
    paragraphs: [
      `You asked to change the email address of your account to ${new_email}.`,
      "To keep your account safe, we ask at both addresses. The change counts once both are confirmed.",
      `${LASTS} If you didn’t ask for this, don’t confirm it, and choose a new password: someone else may know yours.`,
    ],
    action: {
      label: "Confirm the change",
      url: linkTo(appUrl, paths.confirm(), token_hash, "email_change"),
    },
  }),
);

/** A change of address, to the new address. It doesn't name the current one: the new one may be mistyped. */
const emailChangeTo = defineEmail(withToken, ({ token_hash }, { appUrl }) => ({
  subject: "Please confirm your new email address",
  paragraphs: [
    "Someone, we hope you, asked to use this address for their account.",
    "To keep accounts safe, we ask at both addresses. The change counts once both are confirmed.",
    `${LASTS} If this wasn’t you, you don’t need to do anything.`,
  ],
  action: {
    label: "Confirm the change",
    url: linkTo(appUrl, paths.confirm(), token_hash, "email_change"),
  },
  because: BECAUSE,
}));

/** Anyone can have the auth service send a link that signs in. We send none: it would let anyone in who opens it. */
const signInHelp = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "How to sign in",
  paragraphs: [
    "Someone, we hope you, asked for a link to sign in with this address. We don’t send such links: they would let anyone in who opens them. Sign in with your email address and your password.",
    "If you’ve forgotten your password, you can choose a new one there. If this wasn’t you, you don’t need to do anything.",
  ],
  action: { label: "Go to the sign-in page", url: `${appUrl}${paths.login()}` },
  because: BECAUSE,
}));

/** By kind. The send-email hook queues them; every other email is queued by the database. */
export const accountEmails: Readonly<Record<string, EmailTemplate>> = {
  "account-confirmation": accountConfirmation,
  "account-recovery": accountRecovery,
  "email-change-from": emailChangeFrom,
  "email-change-to": emailChangeTo,
  "sign-in-help": signInHelp,
};
