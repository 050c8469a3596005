import { z } from "zod";

/** A code of an authenticator app, however its digits are grouped. */
const appCode = z
  .string({ error: "Enter the code from your authenticator app." })
  .transform((value) => value.replaceAll(/\s/g, ""))
  .pipe(z.string().regex(/^\d{6}$/, "Enter the 6 digits that your authenticator app shows."));

/** The code of the authenticator app. */
export const appCodeSchema = z.object({ app_code: appCode });

/** A recovery code. The database ignores its hyphens and spaces. */
export const recoveryCodeSchema = z.object({
  recovery_code: z
    .string({ error: "Enter one of your recovery codes." })
    .trim()
    .max(100, "A recovery code has 15 letters and digits."),
});

/** The password, asked for again. */
export const currentPasswordSchema = z.object({
  current_password: z
    .string({ error: "Enter your password." })
    .max(1_000, "That password is too long."),
});

export type AppCodeForm = z.input<typeof appCodeSchema>;
export type RecoveryCodeForm = z.input<typeof recoveryCodeSchema>;
