import { z } from "zod";

/** What the form sends that invites somebody. Its one-submit token becomes the invitation's id. */
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
