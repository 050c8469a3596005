import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { isolate } from "~/text/isolate";

const aboutListing = z.object({ place_id: z.number(), name: z.string() });
const aboutShownListing = aboutListing.extend({
  /** Whether the listing is hidden when the email is sent. */
  hidden: z.boolean().default(false),
});

/** The team approved a listing, or its pending edit. */
export const listingApproved = defineEmail(
  aboutShownListing,
  ({ place_id: id, name, hidden }, { appUrl }) => ({
    subject: "Your listing was approved",
    paragraphs: [
      hidden
        ? `Good news! “${isolate(name)}” is approved. It stays hidden until you show it.`
        : `Good news! “${isolate(name)}” is approved and live in the directory.`,
    ],
    action: { label: "Open the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

/** An admin edited a listing. */
export const listingEdited = defineEmail(aboutListing, ({ place_id: id, name }, { appUrl }) => ({
  subject: "Your listing was changed",
  paragraphs: [`Our team made a change to “${isolate(name)}”. Please check that it looks right.`],
  action: { label: "Check the listing", url: `${appUrl}${paths.listing(id)}` },
}));

/** The team requests changes before it can approve a listing or its pending edit. */
export const changesRequested = defineEmail(
  aboutListing.extend({ reason: z.string() }),
  ({ place_id: id, name, reason }, { appUrl }) => ({
    subject: "A quick change is needed",
    paragraphs: [
      `Before we can approve “${isolate(name)}”, please update the following:`,
      reason,
      "We’ll review it again once you save.",
    ],
    action: { label: "Edit the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

const UNDONE = {
  approve: "it was approved",
  "request-changes": "we needed changes to it",
  reject: "your changes to it weren’t approved",
} as const;

/** The team undid a decision after it had told the owner of it. */
export const decisionUndone = defineEmail(
  aboutListing.extend({ decision: z.enum(["approve", "request-changes", "reject"]) }),
  ({ place_id: id, name, decision }, { appUrl }) => ({
    subject: "A correction from our team",
    paragraphs: [
      `We wrote to you about “${isolate(name)}”, saying that ${UNDONE[decision]}. That was a mistake, and we’ve undone it. We’ll review your listing again and let you know.`,
      "We’re sorry for the confusion. There’s nothing you need to do.",
    ],
    action: { label: "Open the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

/** The team rejected an edit: the approved version stays. */
export const editRejected = defineEmail(
  aboutShownListing.extend({ reason: z.string().optional() }),
  ({ place_id: id, name, reason, hidden }, { appUrl }) => ({
    subject: "About your recent changes",
    paragraphs: [
      `We weren’t able to approve your changes to “${isolate(name)}”. ${
        hidden
          ? "The listing keeps its previously approved version, and stays hidden until you show it."
          : "The previously approved version is still live."
      }`,
      ...(reason === undefined ? [] : [reason]),
      "Your changes are saved with the listing.",
    ],
    action: { label: "Open the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

/** For a former owner: their listing has another owner now, or none. */
export const listingLeft = defineEmail(
  z.object({ name: z.string(), given: z.boolean() }),
  ({ name, given }, { appUrl }) => ({
    subject: "A change to your account",
    paragraphs: [
      given
        ? `“${isolate(name)}” now belongs to another account, so it’s no longer among your listings.`
        : `“${isolate(name)}” is no longer among your listings. It has no owner now.`,
      "The messages you got stay private: no one who owns or manages the listing after you can read them. We’ve removed your mailing address from it.",
      "If you didn’t expect this, please get in touch with us.",
    ],
    action: { label: "Go to your listings", url: `${appUrl}${paths.listings()}` },
  }),
);
