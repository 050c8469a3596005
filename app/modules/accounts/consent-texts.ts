/**
 * The texts that people consent to. Each consent stores the version. So a changed text needs a new
 * version (the date of the change); never edit a text without changing the version.
 */
export const CONSENT_TEXTS = {
  version: "2026-11-22",
  email: "Send me the newsletter and news about the directory by email. I can stop it at any time.",
  sms: "Send me text messages about the directory. Message and data rates may apply. I can stop them at any time.",
} as const;
