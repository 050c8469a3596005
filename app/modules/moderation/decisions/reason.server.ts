import { z } from "zod";

import { optionalText } from "~/http/form-fields.server";

import { CHANGE_REASONS, MAX_REASON_LENGTH } from "./change-request";

/** The reason of a change request as ChangeRequestFields sends it: one text, which is required. */
export const changeRequestSchema = z
  .object({
    reason: z
      .string({ error: "Choose a reason once." })
      .optional()
      .transform((sent) => CHANGE_REASONS.find((reason) => reason === sent) ?? null),
    reason_text: optionalText(MAX_REASON_LENGTH),
  })
  .transform(({ reason, reason_text }, context) => {
    const text = [reason, reason_text].filter(Boolean).join("\n\n");
    if (text === "")
      context.addIssue({
        code: "custom",
        path: ["reason_text"],
        message: "Choose a reason or say what needs to change.",
      });
    if (text.length > MAX_REASON_LENGTH)
      context.addIssue({
        code: "custom",
        path: ["reason_text"],
        message: "Use at most 2,000 characters.",
      });
    return text;
  });

/** The reason for rejecting an edit; null when the admin gave none. */
export const rejectionSchema = z
  .object({ reject_reason: optionalText(MAX_REASON_LENGTH) })
  .transform(({ reject_reason }) => reject_reason);
