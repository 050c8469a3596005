/**
 * What people agree to, word for word. A record of consent keeps the version, so a changed text needs
 * a new version here (the date it came into use), never an edit under the old one.
 */
export const CONSENT_TEXTS = {
  version: "2026-11-20",
  email:
    "Send me the newsletter and news about the directory by e-mail. I can stop it at any time.",
  sms: "Send me text messages about the directory. Message and data rates may apply. I can stop them at any time.",
} as const;
