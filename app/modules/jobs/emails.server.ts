import { z } from "zod";

import { paths } from "~/http/paths";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { JOB } from "~/modules/billing/prices";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";

/** A job ends within five days. */
export const jobExpiring = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    expiration_date: z.iso.datetime({ offset: true }),
    /** False while no one sees the job, because its business listing isn't public. */
    shown: z.boolean().default(true),
  }),
  ({ job_id, title, expiration_date, shown }, { appUrl }) => ({
    subject: "Your job listing ends soon",
    paragraphs: [
      shown
        ? `People can see your job listing “${isolate(title)}” until ${formatDeadline(expiration_date)}.`
        : `Your job listing “${isolate(title)}” is paid for until ${formatDeadline(expiration_date)}, but no one can see it right now, because its business listing isn’t public.`,
      `${
        shown
          ? `Renew it any time to add ${JOB.liveDays} days.`
          : "You can renew it once the listing is public. Or edit the job, choose “This business is not listed” and name the company."
      } Already filled the role? There’s nothing to do.`,
    ],
    action: {
      label: shown ? "Renew listing" : "See job options",
      url: `${appUrl}${paths.jobStatus(job_id)}`,
    },
  }),
);

/** Our team has taken a job down that is paid for. */
export const jobUnpublished = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    /** Whether they have marked it as filled, instead of unpublishing it. */
    filled: z.boolean().default(false),
  }),
  ({ job_id, title, filled }, { appUrl }) => ({
    subject: "About your job listing",
    paragraphs: [
      `Our team has ${filled ? "marked" : "unpublished"} your job listing “${isolate(title)}”${filled ? " as filled" : ""}. No one can see it now, and its ${JOB.liveDays} days keep counting down.`,
      `${filled ? "If you’re still looking for someone, reopen it. " : ""}If you have questions, please get in touch.`,
    ],
    action: { label: "See job options", url: `${appUrl}${paths.jobStatus(job_id)}` },
  }),
);

/** Our team has put up a job again that its owner had taken down. */
export const jobRepublished = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    /** Whether it was marked as filled, instead of unpublished. */
    reopened: z.boolean().default(false),
    /** Whether our team has paid for it, which published it. (Absent from a database of the previous release.) */
    paid: z.boolean().default(false),
    /** Whether people can see it when the email is sent. */
    live: z.boolean().default(false),
  }),
  ({ job_id, title, reopened, paid, live }, { appUrl }) => ({
    subject: "About your job listing",
    paragraphs: [
      `Our team has ${paid ? "paid for and published" : reopened ? "reopened" : "republished"} your job listing “${isolate(title)}”.${live ? " People can see it now." : ""}`,
      `If you don’t want that, ${reopened ? "mark it as filled" : "unpublish it"}${paid ? "" : " again"}, and get in touch with us.`,
    ],
    action: { label: "See job options", url: `${appUrl}${paths.jobStatus(job_id)}` },
  }),
);

/** Our team has changed a job. */
export const jobEdited = defineEmail(
  z.object({
    job_id: z.number(),
    /** As its owner knows it: before the change. */
    title: z.string(),
    /** Whether it isn’t paid for, or not anymore. (Absent from a database of the previous release.) */
    unpaid: z.boolean().default(false),
  }),
  ({ job_id, title, unpaid }, { appUrl }) => ({
    subject: "Your job listing was changed",
    paragraphs: [
      `Our team made a change to your job listing “${isolate(title)}”. Please check that it looks right${unpaid ? " before you pay for it" : ""}.`,
    ],
    action: { label: "Check the job listing", url: `${appUrl}${paths.job(job_id)}` },
  }),
);

/** Our team has taken a job from its owner, by itself and not with its listing, or has deleted it. */
export const jobLeft = defineEmail(
  z.object({
    title: z.string(),
    /** Whether people can see it when the email is sent. */
    live: z.boolean().default(false),
    /** Whether our team has deleted it. (Absent from a database of the previous release.) */
    deleted: z.boolean().default(false),
  }),
  ({ title, live, deleted }, { appUrl }) => ({
    subject: "About your job listing",
    paragraphs: [
      deleted
        ? `Our team has deleted your job listing “${isolate(title)}”. It wasn’t paid for, or had expired.`
        : `Our team has removed your job listing “${isolate(title)}” from your account, so you can’t edit, publish or renew it anymore.${live ? " People can still see it. If you want us to take it down, please get in touch." : ""}`,
      "If you paid for it, you’ll find that under My Account, in Purchases. If you didn’t expect this, please get in touch.",
    ],
    action: { label: "See your purchases", url: `${appUrl}${paths.purchases()}` },
  }),
);

/** Our team has put a job in someone’s account: a new one, or one that was in it before. */
export const jobReceived = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    /** Whether it isn’t paid for, or not anymore. */
    unpaid: z.boolean().default(false),
  }),
  ({ job_id, title, unpaid }, { appUrl }) => ({
    subject: "About a job listing",
    paragraphs: [
      `Our team has put the job listing “${isolate(title)}” in your account. Please check that it looks right${unpaid ? " before you pay for it" : ""}.`,
      "If you didn’t expect this, please get in touch with us.",
    ],
    action: { label: "Check the job listing", url: `${appUrl}${paths.job(job_id)}` },
  }),
);

/**
 * For the owner of a listing under whose name people see a job that has no owner. Only our team can publish or change
 * such a job, and it isn’t in the list of the listing’s owner.
 */
export const listingJob = defineEmail(
  z.object({ job_id: z.number(), title: z.string(), listing: z.string() }),
  ({ job_id: id, title, listing }) => ({
    subject: "About a job listing",
    paragraphs: [
      `Our team has published or changed the job listing “${isolate(title)}” for your listing “${isolate(listing)}”. It isn’t in your account, so you can’t edit it.`,
      `If you didn’t expect this, or want to have it in your account, please get in touch about job listing ${id}.`,
    ],
  }),
);

/** For the owner of a job that someone else paid for, such as before its listing went to them: that payment was returned. */
export const jobPaymentReturned = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    /** When it expires now; absent once no days are left. */
    ends: z.string().optional(),
  }),
  ({ job_id, title, ends }, { appUrl }) => ({
    subject: "About your job listing",
    paragraphs: [
      `Someone else paid for your job listing “${isolate(title)}”, and that payment was returned to them.`,
      ends
        ? `So the job has fewer days left: it expires on ${formatDeadline(ends)}. You can add more days any time.`
        : "So the job has no days left, and no one can see it. It goes live again once you pay for it.",
      "If you have questions, please get in touch.",
    ],
    action: { label: "See job options", url: `${appUrl}${paths.jobStatus(job_id)}` },
  }),
);

/**
 * A job that isn’t of the owner or a manager of a listing has its name as the company’s. The email quotes nothing of the
 * job: a stranger wrote it, and could write to any owner that way.
 */
export const jobNamesake = defineEmail(
  z.object({
    job_id: z.number(),
    /** The public name of the listing. */
    listing: z.string(),
  }),
  ({ job_id: id, listing }) => ({
    subject: "About a job listing",
    paragraphs: [
      `Someone else has published a job listing for a company with the name of your listing, “${isolate(listing)}”.`,
      `It may be another business with the same name. If you think that someone is using your name, please get in touch about job listing ${id}, and we’ll check it.`,
    ],
  }),
);

/**
 * Queues an email to the owner of each job that ends within five days: one for each expiration date,
 * however often this is called. For a scheduler.
 * @throws DataError
 */
export async function queueExpiringJobEmails(): Promise<void> {
  unwrap(await createServiceClient().rpc("enqueue_expiring_job_emails"));
}
