/** What a job can be, what it is called, and what can be done with it. Pure: the database holds the same rules. */

import type { StatusBadge } from "../listings/rules";

export const JOB_STATES = ["pending-payment", "published", "unpublished", "expired"] as const;
export type JobState = (typeof JOB_STATES)[number];

/** What a job's state follows from. */
export interface JobFacts {
  paid: boolean;
  published: boolean;
  /** Set once it is paid for. */
  expiration_date: string | null;
  filled_at: string | null;
}

/** What a job is at a moment: unpaid, or paid and live until its expiration date, which is the first moment it is not. */
export function jobState({ paid, published, expiration_date }: JobFacts, now: Date): JobState {
  if (!paid) return "pending-payment";
  const live = Date.parse(expiration_date ?? "") > now.getTime();
  if (!live) return "expired";
  return published ? "published" : "unpublished";
}

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

/** The badges of a job: its state in words, and "Filled" when its owner has found somebody. */
export function jobBadges(job: JobFacts, now: Date): StatusBadge[] {
  const state = jobState(job, now);
  const filled = job.filled_at !== null && state !== "pending-payment";
  return [
    { label: JOB_STATE_LABELS[state], tone: TONES[state] },
    ...(filled ? [{ label: "Filled", tone: "plain" } as const] : []),
  ];
}

/** "renew" buys the job again; "fill" and "reopen" say that somebody was found, and that somebody is wanted after all. */
export type JobIntent = "pay" | "unpublish" | "republish" | "renew" | "fill" | "reopen";

/** What can be done with a job now, the most likely first. */
export function jobChoices(job: JobFacts, now: Date): JobIntent[] {
  const filled = job.filled_at !== null;
  switch (jobState(job, now)) {
    case "pending-payment":
      return ["pay"];
    case "published":
      return filled ? ["unpublish", "reopen"] : ["unpublish", "fill", "renew"];
    case "unpublished":
      return filled ? ["republish", "reopen"] : ["republish", "renew"];
    case "expired":
      return ["renew"];
  }
}

/** What the button of each choice says. */
export const JOB_INTENT_LABELS: Readonly<Record<JobIntent, string>> = {
  pay: "Pay to activate listing",
  unpublish: "Unpublish listing",
  republish: "Republish listing",
  renew: "Renew listing",
  fill: "Mark as filled",
  reopen: "Look for somebody again",
};

/** What of this a person does with their own hand; the rest is done by payment alone. */
export type JobSwitch = Exclude<JobIntent, "pay" | "renew">;

/** What each of these comes to. */
export const JOB_INTENT_MEANINGS: Readonly<Record<JobSwitch, string>> = {
  unpublish: "Nobody sees it until you republish it. Its days go on running.",
  republish: "People see it again, until its days end.",
  fill: "You have found somebody: nobody sees it any more. You can take that back.",
  reopen: "It didn’t work out: you are looking for somebody again.",
};

/** Why something cannot be done with a job now, in words; null when it can, and when it is so already. */
export function whyNot(job: JobFacts, intent: JobSwitch, now: Date): string | null {
  const state = jobState(job, now);
  if (state === "pending-payment") return "This job is not paid for yet.";
  if (state === "expired") return "This job listing has expired.";
  const already = {
    unpublish: !job.published,
    republish: job.published,
    fill: job.filled_at !== null,
    reopen: job.filled_at === null,
  };
  return already[intent] || jobChoices(job, now).includes(intent)
    ? null
    : "Only a published job can be marked as filled.";
}

/** What is said once it is done. */
export function jobDone(intent: JobSwitch, title: string): string {
  switch (intent) {
    case "unpublish":
      return `“${title}” is unpublished. Nobody sees it until you republish it.`;
    case "republish":
      return `“${title}” is published again.`;
    case "fill":
      return `“${title}” is marked as filled. Nobody sees it any more.`;
    case "reopen":
      return `“${title}” looks for somebody again.`;
  }
}

/** Where a job stands, in a sentence. */
export function standingOf(job: JobFacts, now: Date): string {
  const moment = job.expiration_date === null ? "" : momentInWords(job.expiration_date);
  switch (jobState(job, now)) {
    case "pending-payment":
      return "Nobody sees this job yet: it goes live once it is paid for.";
    case "published":
      return job.filled_at === null
        ? `Everybody sees this job, until ${moment}.`
        : `You have found somebody, so nobody sees this job. Its days end on ${moment}.`;
    case "unpublished":
      return `Nobody sees this job. You can republish it until ${moment}.`;
    case "expired":
      return `Nobody sees this job: its days ended on ${moment}.`;
  }
}

const DAY_MS = 86_400_000;

/**
 * When a job would expire that is paid for at this moment: so many days from now, or from the end of those it has left.
 * @param days how long one payment lasts
 */
export function paidUntil(job: Pick<JobFacts, "expiration_date">, now: Date, days: number): Date {
  const left = Date.parse(job.expiration_date ?? "");
  return new Date(Math.max(now.getTime(), Number.isNaN(left) ? 0 : left) + days * DAY_MS);
}

/** What a form sends for "This business is not listed". */
export const NOT_LISTED = "0000";

const MOMENT = new Intl.DateTimeFormat("en-US", {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** A moment of a job's life in words, with its zone: "Jan 4, 2027, 17:12 UTC". */
export function momentInWords(moment: string | Date): string {
  return `${MOMENT.format(new Date(moment))} UTC`;
}
