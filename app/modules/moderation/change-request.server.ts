import { z } from "zod";

import { optionalText } from "~/http/form-fields.server";

import { CHANGE_REASONS, CHANGE_REQUEST_LIMIT } from "./change-reasons";

/** What is asked of an owner: a reason from the list, words of the admin's own, or both. */
export const changeRequestSchema = z
  .object({
    reason: z
      .string({ error: "Choose a reason once." })
      .optional()
      .transform((chosen) => CHANGE_REASONS.find((reason) => reason === chosen) ?? null),
    reason_text: optionalText(CHANGE_REQUEST_LIMIT),
  })
  .transform(({ reason, reason_text }, context) => {
    const words = [reason, reason_text].filter(Boolean).join("\n\n");
    if (words === "")
      context.addIssue({
        code: "custom",
        path: ["reason_text"],
        message: "Choose a reason, or write what needs to change.",
      });
    if (words.length > CHANGE_REQUEST_LIMIT)
      context.addIssue({
        code: "custom",
        path: ["reason_text"],
        message: "Please keep it under 2,000 characters.",
      });
    return words;
  });
