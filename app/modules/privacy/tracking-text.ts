/**
 * The text that people consent to. Each consent stores the version. So a changed text needs a new
 * version (the date of the change); everyone is then asked again.
 */
export const TRACKING_TEXT = {
  version: "2026-11-29",
  question: "Help us see which ads work?",
  explanation:
    "If you say yes, we tell our ad service when you visit, start a payment or buy, with your email scrambled. We also tell our email service when you view the upgrade page or start to upgrade, with your email. If you say no, we tell no one.",
} as const;

/** The part of it that is shown. */
export type ConsentQuestion = Record<"question" | "explanation", string>;
