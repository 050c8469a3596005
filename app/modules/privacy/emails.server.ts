import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatLastDay } from "~/text/deadlines";

/** The user, or someone else in their name, requested the deletion of the account; and a reminder of it. */
export const accountDeletion = defineEmail(
  z.object({
    due_at: z.iso.datetime({ offset: true }),
    /** The day after which it is deleted is near. */
    reminder: z.boolean().default(false),
    /** Whether a public listing of theirs has an edit that waits for review, or was rejected and is still kept. */
    waiting: z.boolean().default(false),
  }),
  ({ due_at: due, reminder, waiting }, { appUrl }) => ({
    subject: reminder ? "Your account will be deleted soon" : "Your account will be deleted",
    paragraphs: [
      `${reminder ? "This is a reminder: as" : "As"} you asked, we’ll delete your account after ${formatLastDay(due)}. After that, this can’t be undone.`,
      ...(waiting
        ? [
            "We haven’t approved a change to one of your listings. If we haven’t approved it by then, we’ll drop the change and hide the listing. The listing’s jobs won’t be shown, and our newsletter will leave the listing out.",
          ]
        : []),
      "Changed your mind? Open My Account by the end of that day and choose “Keep my account”. Signing in isn’t enough.",
      "Didn’t ask for this? Keep your account the same way, and change your password right away.",
    ],
    action: { label: "Open My Account", url: `${appUrl}${paths.account()}` },
  }),
);

/** The user, or someone else in a browser where they are signed in, withdrew that request. */
export const accountKept = defineEmail(z.object({}), (_, { appUrl }) => ({
  subject: "Your account won’t be deleted",
  paragraphs: [
    "Someone who’s signed in to your account selected “Keep my account”, so we won’t delete it.",
    "Wasn’t this you? Change your password right away. That signs out everyone else. Then you can ask us to delete your account again.",
  ],
  action: { label: "Open My Account", url: `${appUrl}${paths.account()}` },
}));

/** Our team deleted the account. It goes to an address, since there is no account anymore. */
export const accountDeleted = defineEmail(
  z.object({
    /** How many listings stay without an owner. */
    listings: z.number(),
    /** How many jobs do that people can see. (Absent from a database of the previous release.) */
    jobs: z.number().default(0),
  }),
  ({ listings, jobs }) => ({
    subject: "Your account was deleted",
    paragraphs: [
      "Our team has deleted your account, so you can’t sign in anymore. Your profile, drafts, favorites, messages and consents are deleted, too. If you had a plan, it has ended, and we won’t charge you for it again.",
      ...describeLeft(listings, jobs),
      "We keep records of payments, as the law requires. Feedback and reports that you’ve sent us stay without your name.",
      "If you didn’t expect this, please get in touch with us.",
    ],
    because: "You’re receiving this because you had an account with this address.",
  }),
);

/** What stays in the directory as it was, with what is in it about them. */
function describeLeft(listings: number, jobs: number): string[] {
  const count = listings + jobs;
  if (count === 0) return [];
  const kinds = [
    ...(listings > 0 ? [listings === 1 ? "listing" : "listings"] : []),
    ...(jobs > 0 ? [jobs === 1 ? "job" : "jobs"] : []),
  ].join(" and ");
  return [
    count === 1
      ? `Your ${kinds} isn’t deleted. It has no owner now. If you’d like us to remove it, please get in touch with us.`
      : `Your ${kinds} aren’t deleted. They have no owner now. If you’d like us to remove one, please get in touch with us.`,
  ];
}
