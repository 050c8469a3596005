/**
 * The text that people consent to. Each consent stores the version. So a changed text needs a new
 * version (the date of the change); everyone is then asked again.
 */
export const TRACKING_TEXT = {
  version: "2026-11-20",
  question: "May we tell our advertising and e-mail services when you visit or buy something?",
  explanation:
    "It tells us which of our ads work. The advertising service hears that a page was opened or a payment made, with a scrambled form of your e-mail address; our e-mail service hears, with your address, that you looked at an upgrade. Neither hears what this directory is, what you wrote, or anything else about you. Without your yes, nobody hears anything.",
} as const;

/** The part of it that is shown. */
export type ConsentQuestion = Record<"question" | "explanation", string>;
