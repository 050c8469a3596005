import { z } from "zod";

import { LEAD_STATES } from "./rules";

export const LONGEST_NOTES = 5000;

/** What the form of a lead may send. */
export const leadSchema = z.object({
  state: z.enum(LEAD_STATES, { error: "Choose where this lead stands." }),
  notes: z
    .string({ error: "Enter this once." })
    .trim()
    .max(LONGEST_NOTES, `Use at most ${LONGEST_NOTES.toLocaleString("en")} characters.`)
    .optional()
    .transform((notes) => notes || null),
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .catch(0),
});

export type LeadForm = z.infer<typeof leadSchema>;
