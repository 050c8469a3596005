import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import {
  explainHiding,
  NOT_TRIED_AGAIN,
  REFUNDED_ON_ARRIVAL,
  withLastCharge,
} from "~/modules/billing/rules";
import { describeCopied } from "~/modules/sponsorships/feature-deadline";
import { getFirstOpenDay } from "~/modules/sponsorships/rules";
import { formatCount } from "~/text/counts";
import { formatShortDate } from "~/text/dates";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";
import { listWords } from "~/text/list-words";

import { getColumnLabel, LISTING_FIELD_NAMES } from "./fields";

/** "Dec 22 and Dec 24" */
const listDays = (days: readonly string[]) => listWords(days.map(formatShortDate));

/** The newsletters that may still go out: the email may come days late. */
const bookedNewsletters = z
  .array(z.iso.date())
  .transform((dates) => dates.filter((date) => date >= getFirstOpenDay(new Date())));

const namedListing = z.object({ place_id: z.number(), name: z.string() });

const aboutListing = namedListing.extend({
  /** Whether the listing has left the recipient’s account since, who then can’t open it. */
  former: z.boolean().default(false),
});
const NOT_YOURS =
  "It’s no longer among your listings, so there’s nothing you need to do. If you have questions about this, please get in touch with us.";

/** The button of an email about a listing; none for its former owner. */
const openListing = (
  label: string,
  { place_id, former }: z.output<typeof aboutListing>,
  url: string,
) => (former ? {} : { action: { label, url: `${url}${paths.listing(place_id)}` } });

const aboutShownListing = aboutListing.extend({
  /** Whether the listing is hidden when the email is sent. */
  hidden: z.boolean().default(false),
});

/** The team approved a listing, or its pending edit. */
export const listingApproved = defineEmail(
  aboutShownListing.extend({
    /** Whether others manage it, too, when the email is sent: what was approved may be theirs. */
    managed: z.boolean().default(false),
    /** Whether no one does anymore, but someone who did, and has left or was removed, made some of the changes. */
    left: z.boolean().default(false),
    /** Whether it is public as it was approved before, while an edit of it waits. */
    waits: z.boolean().default(false),
  }),
  ({ place_id: id, name, hidden, managed, left, waits }, { appUrl }) => ({
    subject: "Your listing was approved",
    paragraphs: [
      hidden
        ? `Good news! “${isolate(name)}” is approved. It stays hidden until you show it.`
        : `Good news! “${isolate(name)}” is approved and live in the directory.`,
      ...(waits ? ["Your latest changes aren’t public yet. We still have to review them."] : []),
      ...(managed
        ? [
            "You don’t manage it alone, so some of what we approved may be someone else’s. Please check that it’s what you want.",
          ]
        : []),
      ...(left
        ? [
            "Someone who can’t edit it anymore made some of the changes that we approved. Please check that they’re what you want.",
          ]
        : []),
    ],
    action: { label: "Open the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

/** An admin edited a listing. */
export const listingEdited = defineEmail(aboutListing, (data, { appUrl }) => ({
  subject: "Your listing was changed",
  paragraphs: [
    `Our team made a change to “${isolate(data.name)}”. ${data.former ? NOT_YOURS : "Please check that it looks right."}`,
  ],
  ...openListing("Check the listing", data, appUrl),
}));

/** The team requests changes before it can approve a listing or its pending edit. */
export const changesRequested = defineEmail(
  aboutListing.extend({
    reason: z.string(),
    /** Whether someone who manages it has edited it since, before its owner could read the request. */
    answered: z.boolean().default(false),
  }),
  ({ reason, answered, ...about }, { appUrl }) => ({
    subject: about.former ? "About your listing" : "A quick change is needed",
    paragraphs: [
      about.former
        ? `We weren’t able to approve “${isolate(about.name)}” without this change:`
        : `Before we can approve “${isolate(about.name)}”, please update the following:`,
      reason,
      about.former
        ? NOT_YOURS
        : answered
          ? "Someone who manages the listing with you has edited it since. We’ll review their changes. Please check that they include what we asked for."
          : "We’ll review it again once you save.",
    ],
    ...openListing("Edit the listing", about, appUrl),
  }),
);

const UNDONE = {
  approve: "it was approved",
  "request-changes": "we needed changes to it",
  reject: "your changes to it weren’t approved",
  archive: "it was removed from the directory",
} as const;

/** The team undid a decision after its owner had been notified of it. */
export const decisionUndone = defineEmail(
  aboutListing.extend({ decision: z.enum(["approve", "request-changes", "reject", "archive"]) }),
  ({ decision, ...about }, { appUrl }) => ({
    subject: "A correction from our team",
    paragraphs: [
      `We wrote to you about “${isolate(about.name)}”, saying that ${UNDONE[decision]}. That was a mistake, and we’ve undone it. ${
        about.former
          ? "The listing is no longer among yours."
          : decision === "archive"
            ? "Your listing is back as it was."
            : "We’ll review your listing again and let you know."
      }`,
      "We’re sorry for the confusion. There’s nothing you need to do.",
    ],
    ...openListing("Open the listing", about, appUrl),
  }),
);

/** The team rejected an edit: the approved version stays. */
export const editRejected = defineEmail(
  aboutShownListing.extend({
    reason: z.string().optional(),
    /** Whether the changes are still kept with the listing when the email is sent. */
    kept: z.boolean().default(false),
  }),
  ({ reason, hidden, kept, ...about }, { appUrl }) => ({
    subject: "About your recent changes",
    paragraphs: [
      `We weren’t able to approve your changes to “${isolate(about.name)}”.${
        about.former
          ? ""
          : hidden
            ? " The listing keeps its previously approved version, and stays hidden until you show it."
            : " The previously approved version is still live."
      }`,
      ...(reason === undefined ? [] : [reason]),
      ...(about.former ? [NOT_YOURS] : []),
      ...(kept && !about.former ? ["We’ll keep your changes with the listing for 30 days."] : []),
    ],
    ...openListing("Open the listing", about, appUrl),
  }),
);

/** The team removed a listing from the directory. */
export const listingRemoved = defineEmail(
  aboutListing.extend({
    /** Whether someone owns it. If not, the fields below are empty. */
    owned: z.boolean(),
    /** Whether its owner had asked for that. */
    requested: z.boolean(),
    /** The owner’s plan: whether a payment is owed, until when it is paid for, and whether a payment is on its way. */
    plan: z
      .object({
        owed: z.boolean(),
        until: z.string().nullish(),
        awaits: z.boolean().default(false),
        /** It was canceled before, so that it isn’t stopped. */
        canceled: z.boolean().default(false),
      })
      .optional(),
    jobs: z.number(),
    newsletters: bookedNewsletters,
  }),
  ({ place_id: id, name, owned, requested, plan, jobs, newsletters }, { appUrl }) => ({
    subject: "Your listing was removed",
    paragraphs: [
      requested
        ? `As you asked, we’ve removed “${isolate(name)}” from the directory. No one can see it there now. We keep a private record of it.`
        : `Our team has removed “${isolate(name)}” from the directory. No one can see it there now. If you think that’s a mistake, please get in touch with us.`,
      ...(plan ? [describeStoppedPlan(plan)] : []),
      ...(newsletters.length > 0 ? [describeBookings(newsletters)] : []),
      ...(jobs > 0
        ? [
            `${formatCount(jobs, "paid job")} for this listing ${jobs === 1 ? "isn’t" : "aren’t"} shown right now, but ${jobs === 1 ? "its" : "their"} paid days keep counting down. To show ${jobs === 1 ? "it" : "them"} again, edit ${jobs === 1 ? "it" : "each one"}, choose “This business is not listed” and name the company.`,
          ]
        : []),
    ],
    ...(owned
      ? {
          action: {
            label: "See your listing’s status",
            url: `${appUrl}${paths.listingVisibility(id)}`,
          },
        }
      : {}),
  }),
);

/** What happens to newsletters that a removed listing is booked for. */
const describeBookings = (newsletters: readonly string[]): string => {
  const copied = describeCopied(newsletters, new Date());
  return `The listing is still booked for the ${newsletters.length === 1 ? "newsletter" : "newsletters"} on ${listDays(newsletters)}. We don’t feature a listing that no one can find. You may still be able to cancel for a refund, so please check your booking soon.${copied === null ? "" : ` ${copied}`}`;
};

/** For a former owner who has booked a listing for newsletters: the team removed it from the directory. */
export const bookedListingRemoved = defineEmail(
  z.object({
    sponsorship_id: z.number(),
    /** As it was called when they paid; null when that isn’t known. */
    listing: z.string().nullable(),
    newsletters: bookedNewsletters,
  }),
  ({ sponsorship_id: id, listing, newsletters }, { appUrl }) => ({
    subject: "About what you’ve booked",
    paragraphs: [
      `${listing === null ? "A listing that used to be yours" : `“${isolate(listing)}”, which used to be yours,`} has been removed from the directory.${newsletters.length > 0 ? ` ${describeBookings(newsletters)}` : ""}`,
    ],
    action: { label: "See what you’ve booked", url: `${appUrl}${paths.sponsorship(id)}` },
  }),
);

function describeStoppedPlan({
  owed,
  until,
  awaits,
  canceled,
}: {
  owed: boolean;
  until?: string | null | undefined;
  awaits: boolean;
  canceled: boolean;
}): string {
  const done = "We’ll email you once that’s done.";
  if (owed)
    return `We’re ending its plan now, and won’t try to collect your last payment again. ${done}`;
  return [
    withLastCharge(
      canceled ? "Its plan was already canceled" : "We’re stopping its plan",
      awaits,
      "so you won’t be charged for it again",
    ),
    ...(canceled ? [] : [done]),
    ...(until ? [`The plan is paid until ${formatDeadline(until)}, and ends then.`] : []),
  ].join(" ");
}

/** For a former owner: their listing has another owner now, or none. */
export const listingLeft = defineEmail(
  z.object({
    name: z.string(),
    given: z.boolean(),
    /** Whether an edit of theirs waited for review. */
    edited: z.boolean().default(false),
    /** The same, while the listing was hidden. */
    edited_hidden: z.boolean().default(false),
    /** Whether they still pay for its plan. */
    plan: z.boolean().default(false),
    /** Whether their plan for it is paused. (Absent from a database of the previous release.) */
    paused: z.boolean().default(false),
    /** Whether its first payment is on its way: they get it back. */
    awaited: z.boolean().default(false),
    /** Whether its first payment has failed, so that it ends. (Absent from a database of the previous release.) */
    unpaid: z.boolean().default(false),
    /** The newsletters that they have paid for, and it is still booked for. */
    newsletters: bookedNewsletters.default([]),
    /** How many jobs that are paid for have gone with it. */
    jobs: z.number().default(0),
  }),
  (
    { name, given, edited, edited_hidden, plan, paused, awaited, unpaid, newsletters, jobs },
    { appUrl },
  ) => ({
    subject: "A change to your account",
    paragraphs: [
      given
        ? `“${isolate(name)}” now belongs to another account, so it’s no longer among your listings.`
        : `“${isolate(name)}” is no longer among your listings. It has no owner now.`,
      "The messages you got stay private: no one who owns or manages the listing after you can read them. We’ve removed your mailing address from it.",
      ...(edited
        ? [
            "We’ve dropped the change that was waiting for our review, so what was public before stays public. If your change was meant to remove something about you, please get in touch.",
          ]
        : []),
      ...(edited_hidden
        ? [
            "We’ve dropped the change that was waiting for our review. The listing is hidden, but if it’s shown again, people see what was approved before. If your change was meant to remove something about you, please get in touch.",
          ]
        : []),
      ...(plan
        ? [
            "Your Featured plan for it continues, and you’re still paying for it. You can cancel it under My Account, in Purchases.",
          ]
        : []),
      ...(paused
        ? [
            "Your plan for it is paused. When it resumes, you’ll be charged again. You can cancel it under My Account, in Purchases.",
          ]
        : []),
      ...(awaited ? [`Your plan for it ends, too. ${REFUNDED_ON_ARRIVAL}`] : []),
      ...(unpaid ? [`Your plan for it ends, too. ${NOT_TRIED_AGAIN}`] : []),
      ...(jobs > 0
        ? [
            `${formatCount(jobs, "paid job")} went with it, so you can’t edit or renew ${jobs === 1 ? "it" : "them"} anymore.`,
          ]
        : []),
      ...(newsletters.length > 0
        ? [
            `The listing is still booked for the ${newsletters.length === 1 ? "newsletter" : "newsletters"} on ${listDays(newsletters)}. You may still be able to cancel for a refund, under Newsletter Features.`,
          ]
        : []),
      "If you didn’t expect this, please get in touch with us.",
    ],
    action:
      plan || paused
        ? { label: "See your plan", url: `${appUrl}${paths.purchases()}` }
        : { label: "Go to your listings", url: `${appUrl}${paths.listings()}` },
  }),
);

/** For a new owner: our team has given them a listing. */
export const listingReceived = defineEmail(
  namedListing.extend({
    /** Whether it came to them hidden, as after the deletion of its former owner’s account. */
    hidden: z.boolean().default(false),
    /** How many jobs that are paid for have come with it. */
    jobs: z.number().default(0),
    /** Whether it is new, and not someone else’s before. */
    added: z.boolean().default(false),
    /** Whether someone else’s plan keeps it Featured, such as a former owner’s. */
    featured: z.boolean().default(false),
    /** The newsletters that a former owner has booked it for. */
    newsletters: bookedNewsletters.default([]),
  }),
  ({ place_id: id, name, hidden, jobs, added, featured, newsletters }, { appUrl }) => ({
    subject: "You have a new listing",
    paragraphs: [
      `Our team has ${added ? `added “${isolate(name)}” for you` : `given you “${isolate(name)}”`}, so it’s among your listings now. Please check that it looks right.${hidden ? " It’s hidden, so no one can see it until you show it." : ""}`,
      ...(jobs > 0
        ? [
            `${formatCount(jobs, "paid job")} came with it. You can edit and unpublish ${jobs === 1 ? "it" : "them"} under Job Listings.`,
          ]
        : []),
      ...(featured
        ? [
            "Someone else’s plan keeps it Featured for now, so there’s nothing for you to pay. We’ll tell you when that ends.",
          ]
        : []),
      ...(newsletters.length > 0
        ? [
            `A former owner has booked it for the ${newsletters.length === 1 ? "newsletter" : "newsletters"} on ${listDays(newsletters)}. If you don’t want that, please get in touch with us.`,
          ]
        : []),
      "If you didn’t expect this, please get in touch with us.",
    ],
    action: { label: "Check the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

/** For the owner of a listing that someone else’s plan kept Featured, such as a former owner’s. */
export const featuredEnded = defineEmail(namedListing, ({ place_id: id, name }, { appUrl }) => ({
  subject: "Your listing isn’t Featured anymore",
  paragraphs: [
    `Someone else’s plan kept “${isolate(name)}” Featured, and that plan has stopped. Nothing else about the listing has changed, and there’s nothing for you to pay.`,
    "If you’d like it to be Featured, you can choose a plan of your own.",
  ],
  action: { label: "See the plans", url: `${appUrl}${paths.upgrade(id)}` },
}));

/** For the address that our team has entered for a listing without an owner, whose account can claim it. */
export const listingAdded = defineEmail(namedListing, ({ place_id: id, name }, { appUrl }) => ({
  subject: "You have a new listing",
  paragraphs: [
    `Our team has added “${isolate(name)}” for you. To make it yours, sign in or sign up with this email address, open the listing, check that it looks right and save it.`,
    "If you didn’t expect this, please get in touch with us.",
  ],
  action: { label: "Check the listing", url: `${appUrl}${paths.listing(id)}` },
}));

const aboutVisibility = namedListing.extend({
  /** Whether it was approved, so that people can see it. */
  approved: z.boolean(),
  /** Whether an admin has changed it who doesn’t manage it. */
  team: z.boolean().default(false),
  /** Whether they have done so more than once, and each time changed it back before there was an email. */
  again: z.boolean().default(false),
});

const tellWho = (team: boolean) =>
  team ? "get in touch with us" : "tell your managers or remove them";

/** For an owner who had hidden their listing: a manager has shown it again, or our team, perhaps for moments only. */
export const listingShown = defineEmail(
  aboutVisibility,
  ({ place_id: id, name, approved, team, again }, { appUrl }) => ({
    subject: "A change to your listing",
    paragraphs: [
      `“${isolate(name)}” was hidden. ${team ? "Someone on our team" : "Someone who manages it with you"} has ${
        again
          ? "shown it and hidden it again, more than once. Please check whether it’s hidden now"
          : `shown it again, so ${approved ? "everyone who visits the directory can see it" : "it won’t stay hidden once it’s approved"}`
      }.`,
      `If you want it hidden, ${again ? "" : "hide it again, and "}${tellWho(team)}.`,
    ],
    action: { label: "Check who can see it", url: `${appUrl}${paths.listingVisibility(id)}` },
  }),
);

/** For an owner: a manager has hidden their listing, or our team, perhaps for minutes only. */
export const listingHidden = defineEmail(
  aboutVisibility.extend({
    /** Whether its owner’s plan for it goes on. (Absent from a database of the previous release.) */
    plan: z.boolean().default(false),
  }),
  ({ place_id: id, name, approved, team, again, plan }, { appUrl }) => {
    const hidden = team
      ? `Someone on our team has hidden “${isolate(name)}”`
      : `Someone who manages “${isolate(name)}” with you has hidden it`;
    return {
      subject: "A change to your listing",
      paragraphs: [
        again
          ? `${hidden} and shown it again, more than once. Please check whether it’s hidden now.`
          : `${hidden}, so ${approved ? "no one sees it in the directory. Any paid jobs or newsletter features for this listing aren’t shown either" : "it stays hidden once it’s approved"}.`,
        `If you want people to find it, ${again ? "" : "show it again, and "}${tellWho(team)}.`,
        ...(plan && !again
          ? [
              explainHiding(false),
              { text: "See or cancel your plan", url: `${appUrl}${paths.billing(id)}` },
            ]
          : []),
      ],
      action: { label: "Check who can see it", url: `${appUrl}${paths.listingVisibility(id)}` },
    };
  },
);

/** For an owner: what someone else who manages their listing has changed, or discarded, within an hour. */
export const listingChanged = defineEmail(
  namedListing.extend({
    /** Names of fields; "answers" for those of questions. */
    fields: z.array(z.string()),
    /** Whether a whole edit that waited for review was withdrawn with it. */
    withdrawn: z.boolean().default(false),
    /** Whether a rejected edit that was kept was discarded. */
    discarded: z.boolean().default(false),
  }),
  ({ place_id: id, ...change }, { appUrl }) => ({
    subject: "A change to your listing",
    paragraphs: [
      ...describeManagersChange(change),
      "Please check that the listing is what you want. If not, edit it, and tell your managers or remove them.",
    ],
    action: { label: "Check the listing", url: `${appUrl}${paths.listing(id)}` },
  }),
);

function describeManagersChange({
  name,
  fields,
  withdrawn,
  discarded,
}: {
  name: string;
  fields: string[];
  withdrawn: boolean;
  discarded: boolean;
}): string[] {
  const who = `Someone who manages “${isolate(name)}” with you`;
  const nothingElse = discarded && fields.length === 0;
  return [
    ...(nothingElse
      ? []
      : [`${who} has changed it${fields.length > 0 ? `: ${listFields(fields)}` : ""}.`]),
    ...(withdrawn
      ? [
          "Changes that were waiting for our review were withdrawn. The version that was approved before stays.",
        ]
      : []),
    ...(discarded
      ? [
          `${nothingElse ? `${who} has discarded changes that we weren’t able to approve` : "Changes that we weren’t able to approve were discarded, too"}. We had kept them with the listing.`,
        ]
      : []),
  ];
}

/** "Business Name, Phone, and answers to questions", in the order of the form. */
const listFields = (fields: readonly string[]) =>
  listWords([
    ...LISTING_FIELD_NAMES.filter((field) => fields.includes(field)).map(getColumnLabel),
    ...(fields.includes("answers") ? ["answers to questions"] : []),
  ]);

/** For an owner whose listing had the address of someone whose data was deleted. It doesn't say why, or which address. */
export const contactEmailRemoved = defineEmail(aboutListing, (data, { appUrl }) => ({
  subject: "Please check your listing",
  paragraphs: [
    `We’ve removed the contact email of “${isolate(data.name)}”. ${data.former ? NOT_YOURS : "If you’d like people to be able to email you, please add another one."}`,
  ],
  ...openListing("Check the listing", data, appUrl),
}));
