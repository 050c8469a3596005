/** The states of a job, what is possible in each, and how pages say it. Pure: the database holds the same rules. */

import { DAY_MS } from "~/text/dates";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";

import type { StatusBadge } from "../listings/rules";

export const JOB_STATES = ["pending-payment", "published", "unpublished", "expired"] as const;
type JobState = (typeof JOB_STATES)[number];

/** The columns that a job's state follows from. */
interface JobFacts {
  paid: boolean;
  published: boolean;
  /** Set by payment. */
  expiration_date: string | null;
  filled_at: string | null;
  /** Whether a payment for it is on its way: a bank debit takes days. */
  payment_pending: boolean;
}

/** A job, and whether the public can see who is hiring. Without that, no one sees the job. */
export interface ShownJobFacts extends JobFacts {
  /** The id of its owner’s account; null or undefined for none. */
  owner?: string | null;
  /** Who has made the payment that is on its way; null when their account is deleted, undefined when that isn't known. */
  payer?: string | null | undefined;
  /** False when its listing isn't public, or isn't its owner's, and it names no company of its own. */
  names_company: boolean;
  /** Why it isn’t paid for anymore, if it was. */
  returned?: "by a bank" | "by us" | undefined;
  /** Whether its company has the name of someone else's listing. Only admins are told. */
  has_namesake?: boolean | undefined;
}

/** The state of a job at a time. At its expiration date, it is no longer live. */
export function getJobState(
  { paid, published, expiration_date }: Pick<JobFacts, "paid" | "published" | "expiration_date">,
  now: Date,
): JobState {
  if (!paid) return "pending-payment";
  const live = Date.parse(expiration_date ?? "") > now.getTime();
  if (!live) return "expired";
  return published ? "published" : "unpublished";
}

/** Whether days that a job was paid for are left, and no one was found yet. */
export const isUnderWay = (job: Omit<JobFacts, "payment_pending">, now: Date): boolean =>
  job.filled_at === null && ["published", "unpublished"].includes(getJobState(job, now));

export const JOB_STATE_LABELS: Readonly<Record<JobState, string>> = {
  "pending-payment": "Pending payment",
  published: "Published",
  unpublished: "Unpublished",
  expired: "Listing expired",
};

const TONES: Readonly<Record<JobState, StatusBadge["tone"]>> = {
  "pending-payment": "waiting",
  published: "published",
  unpublished: "plain",
  expired: "wrong",
};

const PENDING_PAYMENT: StatusBadge = { label: "Payment on its way", tone: "waiting" };

/** Whether no one sees a published job, since it names no company: its listing isn't public. */
export const isUnseen = (job: ShownJobFacts, now: Date): boolean =>
  getJobState(job, now) === "published" && job.filled_at === null && !job.names_company;

/** Whether a job can't be paid for, or renewed, for the same reason. */
export const lacksCompany = (job: ShownJobFacts, now: Date): boolean =>
  !job.names_company && ["pending-payment", "expired"].includes(getJobState(job, now));

/**
 * The badges of a job: its state, a payment on its way, "Filled" when its owner marked it so, "Not shown" when no one
 * sees it (it isn't "Published" then either), and for admins whether its company has the name of someone else's listing.
 */
export function getJobBadges(job: ShownJobFacts, now: Date): StatusBadge[] {
  const state = getJobState(job, now);
  const filled = job.filled_at !== null && state !== "pending-payment";
  const unseen = isUnseen(job, now);
  const unpaid = state === "pending-payment";
  return [
    ...((unpaid && job.payment_pending) || (filled && state === "published") || unseen
      ? []
      : [{ label: JOB_STATE_LABELS[state], tone: TONES[state] }]),
    ...(job.payment_pending ? [PENDING_PAYMENT] : []),
    ...(filled ? [{ label: "Filled", tone: "plain" } as const] : []),
    ...(unseen ? [{ label: "Not shown", tone: "wrong" } as const] : []),
    ...(job.has_namesake && state === "published"
      ? [{ label: "Has a listing’s name", tone: "waiting" } as const]
      : []),
  ];
}

/**
 * What more days do to a job, as its page says before they are paid for: it is live, or it stays unpublished. The database
 * decides the same when the checkout is opened (fulfill_order).
 */
export const getRenewal = (
  job: Pick<JobFacts, "paid" | "published" | "expiration_date">,
  now: Date,
): "live" | "unpublished" => (getJobState(job, now) === "unpublished" ? "unpublished" : "live");

const RENEWAL_CHANGED =
  "This job has changed since you opened this page. Check what renewing it does now, and choose it again.";

/**
 * Why a job isn't renewed from a page that was opened before, and promises something else; null when it is.
 * @param promised as the page sent it; "" for nothing
 */
export const refuseOutdatedRenewal = (
  promised: string,
  job: Parameters<typeof getRenewal>[0],
  now: Date,
): string | null => (promised !== "" && promised !== getRenewal(job, now) ? RENEWAL_CHANGED : null);

/** Why no one sees a job that names no company, and what its owner can do. */
export const NO_COMPANY =
  "Its listing isn’t public, or belongs to someone else now, so we can’t show the job under its name. Make the listing public, or choose “This business is not listed” and name the company.";

/** What an owner does with a job. "renew" pays for more days; "reopen" undoes "fill". */
export type JobAction = "pay" | "unpublish" | "republish" | "renew" | "fill" | "reopen";

/**
 * The actions that are possible for a job now, the most likely first. It can't be paid for while a
 * payment is on its way, or while no one would see it (open_order refuses both).
 */
export function listJobActions(
  job: JobFacts & Partial<Pick<ShownJobFacts, "names_company">>,
  now: Date,
): JobAction[] {
  const actions = listActionsOfState(job, now);
  return job.payment_pending || job.names_company === false
    ? actions.filter((action) => action !== "pay" && action !== "renew")
    : actions;
}

function listActionsOfState(job: JobFacts, now: Date): JobAction[] {
  const filled = job.filled_at !== null;
  switch (getJobState(job, now)) {
    case "pending-payment":
      return ["pay"];
    case "published":
      return filled ? ["reopen"] : ["unpublish", "fill", "renew"];
    case "unpublished":
      return filled ? ["republish", "reopen"] : ["republish", "renew"];
    case "expired":
      return ["renew"];
  }
}

/** Whether a saved job is still to be paid for, and no payment is on its way. */
export function isPayable({ paid, payment_pending }: Pick<JobFacts, "paid" | "payment_pending">) {
  return !paid && !payment_pending;
}

/** Whether a job can be deleted: it is unpaid, or has expired. Not while its payment is on its way. */
export function isDeletable(job: JobFacts, now: Date): boolean {
  const state = getJobState(job, now);
  return !job.payment_pending && (state === "pending-payment" || state === "expired");
}

/** The labels of the buttons. */
export const JOB_ACTION_LABELS: Readonly<Record<JobAction, string>> = {
  pay: "Pay to activate listing",
  unpublish: "Unpublish listing",
  republish: "Republish listing",
  renew: "Renew listing",
  fill: "Mark as filled",
  reopen: "Reopen",
};

/** The actions that need no payment. */
export type FreeJobAction = Exclude<JobAction, "pay" | "renew">;

/** Also of one whose payment has been refunded. */
export const JOB_UNPAID = "This job isn’t paid for.";
export const JOB_EXPIRED = "This job listing has expired.";
export const JOB_NOT_PUBLISHED = "Only a published job can be marked as filled.";

/**
 * Why an action is not possible for a job now, as a sentence. Null when it is possible, or already done.
 */
export function actionBlockedReason(
  job: JobFacts,
  action: FreeJobAction,
  now: Date,
): string | null {
  const state = getJobState(job, now);
  if (state === "pending-payment") return JOB_UNPAID;
  if (state === "expired") return JOB_EXPIRED;
  const done = {
    unpublish: !job.published,
    republish: job.published,
    fill: job.filled_at !== null,
    reopen: job.filled_at === null,
  };
  // Not offered for a filled job, but an older page may still ask for it.
  return done[action] || action === "unpublish" || listJobActions(job, now).includes(action)
    ? null
    : JOB_NOT_PUBLISHED;
}

/**
 * What someone reads after an action.
 * @param job as it is now: others may be the reason why no one sees it
 * @param reader the id of their account: an admin’s, when the job isn’t theirs
 */
export function confirmJobAction(
  action: FreeJobAction,
  { title, ...job }: ShownJobFacts & { title: string },
  now: Date,
  reader: string,
): string {
  const name = `“${isolate(title)}”`;
  const seen = job.published && job.filled_at === null && job.names_company;
  const unless = seen ? "" : ` ${describeVisibility(job, now, reader)}`;
  switch (action) {
    case "unpublish":
      return isOthers(job, reader)
        ? `${name} is unpublished, but its owner can republish it. To prevent that, edit it and choose “No one” as its owner.`
        : `${name} is unpublished. No one can see it until you republish it.`;
    case "republish":
      return `${name} is published again.${unless}`;
    case "fill":
      return isOthers(job, reader)
        ? `${name} is marked as filled, so no one can see it, but its owner can reopen it.`
        : `${name} is marked as filled. No one can see it anymore.`;
    case "reopen":
      return `${name} is open again.${unless}`;
  }
}

/** Whether a job has an owner who isn’t the admin that reads about it. */
const isOthers = ({ owner = null }: ShownJobFacts, reader: string): boolean =>
  owner !== null && owner !== reader;

/** What an admin should know before they publish or unpublish a job of someone else. */
const OTHERS: Partial<Record<JobState, string>> = {
  published:
    " If you unpublish it, its owner can republish it. Without an owner, it would stay live until you unpublish it.",
  unpublished: " Its owner may have unpublished it.",
};

/**
 * Who sees a job now and until when, and whether a payment is on its way, in sentences.
 * @param reader the id of their account who reads it: an admin’s, when the job isn’t theirs
 * @param leaves whether they have asked for the deletion of their account
 */
export function describeJobState(
  job: ShownJobFacts,
  now: Date,
  reader: string,
  leaves = false,
): string {
  const visibility = describeVisibility(job, now, reader);
  const state = getJobState(job, now);
  if (!job.payment_pending) {
    if (job.owner === null) return `${visibility} It has no owner.`;
    return `${visibility}${(isOthers(job, reader) && OTHERS[state]) || ""}`;
  }
  const payment = job.owner === null || isOthers(job, reader) ? "A payment" : "Your payment";
  // A payment that buys nothing is refunded: fulfill_order decides it when the payment arrives.
  const hidden = job.paid ? visibility : "No one can see this job.";
  if (leaves && (job.payer === undefined ? job.owner : job.payer) === reader)
    return `${hidden} Your payment is on its way. You’ve asked us to delete your account, so we’ll refund it when it arrives. Changed your mind? To keep the job, open My Account and choose “Keep my account”.`;
  if (job.owner === null)
    return `${hidden} ${payment} for it is on its way. The job has no owner, so we’ll refund the payment when it arrives, unless an admin made it.`;
  if (job.payer !== undefined && job.payer !== job.owner && job.payer !== reader)
    return `${hidden} A payment from someone who doesn’t own the job is on its way. We’ll refund that payment when it arrives, unless an admin made it.`;
  if ((state === "pending-payment" || state === "expired") && !job.names_company)
    return `${hidden} ${NO_COMPANY} ${payment} is on its way. If neither is done by the time it arrives, we’ll refund it.`;
  return job.paid
    ? `${visibility} ${payment} for more days is on its way. We’ll add them as soon as it arrives.`
    : `${payment} is on its way. The job goes live as soon as it arrives. There’s nothing else to do.`;
}

/** What an admin reads after they have saved a job that isn't theirs, or isn't anymore. */
export function confirmSavedJob(
  job: ShownJobFacts & { company_name: string | null },
  now: Date,
  reader: string,
): string {
  const state = getJobState(job, now);
  if (isPayable(job)) {
    if (job.owner === null) return "Job saved. It isn’t paid for, and has no owner who could pay.";
    return `Job saved. It goes live once ${isOthers(job, reader) ? "its owner pays for it" : "you pay"}.`;
  }
  return job.owner === null &&
    state === "published" &&
    job.filled_at === null &&
    job.company_name !== null
    ? `Job saved. It has no owner, and stays live under the name “${isolate(job.company_name)}”. To take it down, unpublish it.`
    : "Job saved.";
}

/**
 * Why no one can see a job that isn’t paid for. It may have been live: an owner who got it with its listing doesn't see
 * what others paid for it.
 */
function describeUnpaid({ returned }: ShownJobFacts): string {
  if (!returned) return "No one can see this job.";
  return `${returned === "by us" ? "The payment for this job was refunded" : "After a dispute, a bank returned the payment for this job"}, so we took it down. No one can see it.`;
}

function describeVisibility(job: ShownJobFacts, now: Date, reader: string): string {
  const end = job.expiration_date === null ? "" : formatDeadline(job.expiration_date);
  const state = getJobState(job, now);
  if (state === "published" && job.filled_at === null && !job.names_company)
    return `No one can see this job right now. ${NO_COMPANY} It expires on ${end}.`;
  switch (state) {
    case "pending-payment":
      if (!job.names_company)
        return `${describeUnpaid(job)} ${NO_COMPANY} It can be paid for after that.`;
      return `${describeUnpaid(job)} It goes live ${job.returned ? "again " : ""}once ${job.owner === null || isOthers(job, reader) ? "it’s paid for" : "you pay"}.`;
    case "published":
      return job.filled_at === null
        ? `This job is live until ${end}.`
        : `This job is filled, so no one can see it. It expires on ${end}.`;
    case "unpublished":
      return `No one can see this job. You can republish it until ${end}.`;
    case "expired":
      return `This job expired on ${end}, so no one can see it.${job.names_company ? "" : ` ${NO_COMPANY} It can be renewed after that.`}`;
  }
}

/**
 * When a job would expire if it were paid for now: that many days from now, or after its remaining days.
 * @param days how many days one payment adds
 */
export function getRenewedExpiration(
  job: Pick<JobFacts, "expiration_date">,
  now: Date,
  days: number,
): Date {
  const end = Date.parse(job.expiration_date ?? "");
  return new Date(Math.max(now.getTime(), Number.isNaN(end) ? 0 : end) + days * DAY_MS);
}

/** The form value for "This business is not listed". */
export const NOT_LISTED = "0000";
