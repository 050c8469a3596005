import { z } from "zod";

/** The form that invites a manager. Its submission token becomes the id of the invitation. */
export const inviteSchema = z.object({
  email: z
    .string({ error: "Enter the e-mail address of the person you want to invite." })
    .trim()
    .max(254, "That e-mail address is too long.")
    .pipe(z.email("Enter an e-mail address like name@example.com."))
    .transform((value) => value.toLowerCase()),
  submission_id: z.uuid("Please open the page again and send the form once more."),
});

export type InviteForm = z.infer<typeof inviteSchema>;
