import { z } from "zod";

/** The form that invites a manager. Its submission token becomes the id of the invitation. */
export const inviteSchema = z.object({
  email: z
    .string({ error: "Enter the email address of the person you want to invite." })
    .trim()
    .max(254, "That email address is too long.")
    .pipe(z.email("Enter an email address like name@example.com."))
    .transform((value) => value.toLowerCase()),
  submission_id: z.uuid("Please reload the page and submit the form again."),
});

export type InviteForm = z.infer<typeof inviteSchema>;
