import { z } from "zod";

import { optionalText } from "~/http/form-fields.server";

import { LEAD_STATES } from "./rules";

export const MAX_NOTES_LENGTH = 5_000;

/** The form of a lead. */
export const leadSchema = z.object({
  state: z.enum(LEAD_STATES, { error: "Choose a status." }),
  notes: optionalText(MAX_NOTES_LENGTH),
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .catch(0),
});

export type LeadForm = z.infer<typeof leadSchema>;
