import { z } from "zod/v4";

import { passwordFault } from "./password-rules.server";
import { normalisePhone } from "./phone.server";

const email = z
  .string({ error: "Enter your e-mail address." })
  .trim()
  .max(254, "That e-mail address is too long.")
  .pipe(z.email("Enter an e-mail address like name@example.com."))
  .transform((value) => value.toLowerCase());

const shortText = (max: number, error: string) => z.string({ error }).trim().max(max, `Use at most ${max} characters.`);
const optionalText = (max: number) => shortText(max, "Enter this once.").optional();
const tick = z.stringbool({ truthy: ["on"], falsy: [] }).optional().default(false);

const newPassword = z.string({ error: "Enter a password." }).superRefine((value, context) => {
  const fault = passwordFault(value);
  if (fault) context.addIssue({ code: "custom", message: fault });
});

const person = {
  phone: z.string({ error: "Enter one phone number." }).trim().max(250, "That phone number is too long.").optional(),
  phone_country: z.string({ error: "Choose country" }).max(2, "Choose country").optional(),
  postalcode: optionalText(20),
  pronouns: optionalText(60),
  opted_in: tick,
  sms_opted_in: tick,
};

interface TypedPhone {
  phone?: string | undefined;
  phone_country?: string | undefined;
  sms_opted_in: boolean;
}

/** Replaces the typed number by its stored form; text messages need a number to go to. */
function withPhone<T extends TypedPhone>(value: T, context: z.RefinementCtx<T>) {
  const { phone_country, phone: typed, ...rest } = value;
  if (!typed) {
    if (value.sms_opted_in) {
      context.issues.push({ code: "custom", path: ["phone"], message: "Enter the phone number that text messages should go to.", input: typed });
    }
    return { ...rest, phone: null };
  }
  const phone = normalisePhone(typed, phone_country ?? "");
  if (!phone) {
    context.issues.push({ code: "custom", path: ["phone"], message: "Enter a phone number that is valid in the country chosen.", input: typed });
  }
  return { ...rest, phone };
}

/** Sign in: e-mail and password, both required. */
export const loginSchema = z.object({
  email,
  password: z.string({ error: "Enter your password." }).max(1_000, "That password is too long."),
  redirectTo: z.string().optional(),
});

/** Create an account: e-mail, password and full name required; the rest optional. */
export const signupSchema = z
  .object({ email, password: newPassword, full_name: shortText(120, "Enter your full name.").min(1, "Enter your full name."), ...person })
  .transform(withPhone);

/** Reset password: where to send the link. */
export const recoverySchema = z.object({ email });

/** New password, typed twice. */
export const newPasswordSchema = z
  .object({ password: newPassword, confirm_password: z.string({ error: "Enter the new password again." }) })
  .refine((value) => value.password === value.confirm_password, {
    path: ["confirm_password"],
    message: "The passwords do not match.",
  });

/** Personal Information. The e-mail address is checked, and changed by confirmation only. */
export const accountSchema = z
  .object({ email, full_name: optionalText(120), ...person })
  .transform(withPhone);

export type SignupValues = z.output<typeof signupSchema>;
export type AccountValues = z.output<typeof accountSchema>;

export type LoginForm = z.input<typeof loginSchema>;
export type SignupForm = z.input<typeof signupSchema>;
export type RecoveryForm = z.input<typeof recoverySchema>;
export type NewPasswordForm = z.input<typeof newPasswordSchema>;
export type AccountForm = z.input<typeof accountSchema>;
