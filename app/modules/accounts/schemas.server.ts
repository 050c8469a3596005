import { z } from "zod";

import { alwaysCheck, checkbox } from "~/http/form-fields.server";
import { toOneLine } from "~/text/one-line";

import { validatePassword, type PasswordOwner } from "./password-rules.server";
import { findCountry } from "./countries.server";
import { namesItsCountry, normalizePhone } from "./phone.server";
import { PROFILE_LIMITS } from "./profile-limits";

const email = z
  .string({ error: "Enter your email address." })
  .trim()
  .max(254, "That email address is too long.")
  .pipe(z.email("Enter an email address like name@example.com."))
  .transform((value) => value.toLowerCase());

const shortText = (max: number, error: string) =>
  z.string({ error }).overwrite(toOneLine).trim().max(max, `Use at most ${max} characters.`);
const optionalText = (max: number) => shortText(max, "Enter this once.").optional();

const password = z.string({ error: "Enter a password." });

/** Adds the error of a password, which may depend on whose it is. */
function checkPassword(value: unknown, owner: PasswordOwner, context: z.RefinementCtx): void {
  const message = typeof value === "string" ? validatePassword(value, owner) : null;
  if (message) context.addIssue({ code: "custom", path: ["password"], message });
}

const asText = (value: unknown) => (typeof value === "string" ? value : "");

const CHOOSE_COUNTRY = "Choose country";

const profile = {
  phone: z
    .string({ error: "Enter one phone number." })
    .trim()
    .max(250, "That phone number is too long.")
    .optional(),
  phone_country: z.string({ error: CHOOSE_COUNTRY }).max(100, CHOOSE_COUNTRY).optional(),
  postalcode: optionalText(PROFILE_LIMITS.postalcode),
  pronouns: optionalText(PROFILE_LIMITS.pronouns),
  opted_in: checkbox,
  sms_opted_in: checkbox,
};

interface PhoneValues {
  phone?: string | undefined;
  phone_country?: string | undefined;
  sms_opted_in: boolean;
}

// A field that was sent twice is a list here, because this check runs even when the rules of the
// fields failed.
const hasPhoneCountry = ({ phone, phone_country }: PhoneValues) =>
  typeof phone !== "string" ||
  !phone ||
  namesItsCountry(phone) ||
  (typeof phone_country === "string" && findCountry(phone_country) !== null);
const MISSING_COUNTRY = { path: ["phone_country"], message: CHOOSE_COUNTRY, ...alwaysCheck };

// Without its country, no one can say whether a number is valid.
const hasValidPhone = (values: PhoneValues) =>
  typeof values.phone !== "string" ||
  !values.phone ||
  !hasPhoneCountry(values) ||
  normalizePhone(values.phone, values.phone_country ?? "") !== null;
const INVALID_PHONE = {
  path: ["phone"],
  message: "Enter a valid phone number for the country you’ve chosen.",
  ...alwaysCheck,
};

const hasPhoneForTexts = ({ phone, sms_opted_in }: PhoneValues) => !sms_opted_in || Boolean(phone);
const MISSING_PHONE = {
  path: ["phone"],
  message: "Enter the phone number that text messages should go to.",
  ...alwaysCheck,
};

/** Sign in: email and password. */
export const loginSchema = z.object({
  email,
  password: z.string({ error: "Enter your password." }).max(1_000, "That password is too long."),
  redirectTo: z.string().optional(),
});

/** Create an account: email, password, and full name are required. */
export const signupSchema = z
  .object({
    email,
    password,
    full_name: shortText(PROFILE_LIMITS.full_name, "Enter your full name.").min(
      1,
      "Enter your full name.",
    ),
    ...profile,
  })
  .superRefine(
    (value, context) =>
      checkPassword(
        value.password,
        { email: asText(value.email), name: asText(value.full_name) },
        context,
      ),
    alwaysCheck,
  )
  .refine(hasPhoneCountry, MISSING_COUNTRY)
  .refine(hasValidPhone, INVALID_PHONE)
  .refine(hasPhoneForTexts, MISSING_PHONE);

/** Reset password: the address to send the link to. */
export const recoverySchema = z.object({ email });

/** New password of a user, entered twice. */
export const newPasswordSchema = (owner: PasswordOwner) =>
  z
    .object({
      password,
      confirm_password: z.string({ error: "Enter the new password again." }),
    })
    .superRefine((value, context) => checkPassword(value.password, owner, context), alwaysCheck)
    .refine((value) => value.password === value.confirm_password, {
      path: ["confirm_password"],
      message: "The passwords do not match.",
      ...alwaysCheck,
    });

/** Personal Information. A new email address only takes effect once it is confirmed. */
export const accountSchema = z
  .object({ email, full_name: optionalText(PROFILE_LIMITS.full_name), ...profile })
  .refine(hasPhoneCountry, MISSING_COUNTRY)
  .refine(hasValidPhone, INVALID_PHONE)
  .refine(hasPhoneForTexts, MISSING_PHONE);

export type SignupValues = z.output<typeof signupSchema>;
export type AccountValues = z.output<typeof accountSchema>;

export type LoginForm = z.input<typeof loginSchema>;
export type SignupForm = z.input<typeof signupSchema>;
export type RecoveryForm = z.input<typeof recoverySchema>;
export type NewPasswordForm = z.input<ReturnType<typeof newPasswordSchema>>;
export type AccountForm = z.input<typeof accountSchema>;
