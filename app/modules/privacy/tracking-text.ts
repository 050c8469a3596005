/**
 * What people agree to, word for word. The record of consents keeps the version, so changed words need a new version
 * (the date they came into use): whoever agreed to the old ones is asked again.
 */
export const TRACKING_TEXT = {
  version: "2026-11-20",
  question: "May we tell our advertising and e-mail services when you visit or buy something?",
  explanation:
    "It tells us which of our ads work. The advertising service hears that a page was opened or a payment made, with a scrambled form of your e-mail address; our e-mail service hears, with your address, that you looked at an upgrade. Neither hears what this directory is, what you wrote, or anything else about you. Without your yes, nobody hears anything.",
} as const;

/** What is shown of it. */
export type ConsentQuestion = Record<"question" | "explanation", string>;
