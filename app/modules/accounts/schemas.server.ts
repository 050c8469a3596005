import { z } from "zod";

import { validatePassword } from "./password-rules.server";
import { normalizePhone } from "./phone.server";

const email = z
  .string({ error: "Enter your e-mail address." })
  .trim()
  .max(254, "That e-mail address is too long.")
  .pipe(z.email("Enter an e-mail address like name@example.com."))
  .transform((value) => value.toLowerCase());

const shortText = (max: number, error: string) =>
  z.string({ error }).trim().max(max, `Use at most ${max} characters.`);
const optionalText = (max: number) => shortText(max, "Enter this once.").optional();
const tick = z.boolean({ error: "Tick the box or leave it empty." }).default(false);

const newPassword = z.string({ error: "Enter a password." }).superRefine((value, context) => {
  const fault = validatePassword(value);
  if (fault) context.addIssue({ code: "custom", message: fault });
});

const person = {
  phone: z
    .string({ error: "Enter one phone number." })
    .trim()
    .max(250, "That phone number is too long.")
    .optional(),
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

/** Rules over several fields are told together with those of single fields, not only after them. */
const always = { when: () => true };

const phoneIsValid = ({ phone, phone_country }: TypedPhone) =>
  !phone || normalizePhone(phone, phone_country ?? "") !== null;
const INVALID_PHONE = {
  path: ["phone"],
  message: "Enter a phone number that is valid in the country chosen.",
  ...always,
};

const textsHaveNumber = ({ phone, sms_opted_in }: TypedPhone) => !sms_opted_in || Boolean(phone);
const MISSING_PHONE = {
  path: ["phone"],
  message: "Enter the phone number that text messages should go to.",
  ...always,
};

/** Sign in: e-mail and password, both required. */
export const loginSchema = z.object({
  email,
  password: z.string({ error: "Enter your password." }).max(1_000, "That password is too long."),
  redirectTo: z.string().optional(),
});

/** Create an account: e-mail, password and full name required; the rest optional. */
export const signupSchema = z
  .object({
    email,
    password: newPassword,
    full_name: shortText(120, "Enter your full name.").min(1, "Enter your full name."),
    ...person,
  })
  .refine(phoneIsValid, INVALID_PHONE)
  .refine(textsHaveNumber, MISSING_PHONE);

/** Reset password: where to send the link. */
export const recoverySchema = z.object({ email });

/** New password, typed twice. */
export const newPasswordSchema = z
  .object({
    password: newPassword,
    confirm_password: z.string({ error: "Enter the new password again." }),
  })
  .refine((value) => value.password === value.confirm_password, {
    path: ["confirm_password"],
    message: "The passwords do not match.",
    ...always,
  });

/** Personal Information. The e-mail address is checked, and changed by confirmation only. */
export const accountSchema = z
  .object({ email, full_name: optionalText(120), ...person })
  .refine(phoneIsValid, INVALID_PHONE)
  .refine(textsHaveNumber, MISSING_PHONE);

export type SignupValues = z.output<typeof signupSchema>;
export type AccountValues = z.output<typeof accountSchema>;

export type LoginForm = z.input<typeof loginSchema>;
export type SignupForm = z.input<typeof signupSchema>;
export type RecoveryForm = z.input<typeof recoverySchema>;
export type NewPasswordForm = z.input<typeof newPasswordSchema>;
export type AccountForm = z.input<typeof accountSchema>;
