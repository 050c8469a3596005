import { z } from "zod";

import { paths } from "~/http/paths";
import { JOB } from "~/modules/billing/prices";
import { defineEmail } from "~/modules/emails/render-email.server";

import { momentInWords } from "./rules";

/** A job ends within five days. */
export const jobExpiring = defineEmail(
  z.object({
    job_id: z.number(),
    title: z.string(),
    expiration_date: z.iso.datetime({ offset: true }),
  }),
  ({ job_id, title, expiration_date }, { appUrl }) => ({
    subject: "Your job listing ends soon",
    paragraphs: [
      `People can see your job listing “${title}” until ${momentInWords(expiration_date)}.`,
      `Renew it whenever you like: ${JOB.liveDays} days are added to those it has left. If you have found somebody, you need not do anything.`,
    ],
    action: { label: "Renew listing", url: `${appUrl}${paths.jobStatus(job_id)}` },
  }),
);
