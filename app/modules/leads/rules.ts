/** The states of a lead and how leads are shown. Pure. */

import { mailtoLink } from "~/text/mailto";

/** How an owner sorts their leads. The sender never sees it. */
export const LEAD_STATES = ["new", "replied", "spam"] as const;
export type LeadState = (typeof LEAD_STATES)[number];

interface LeadBadge {
  label: string;
  tone: "waiting" | "published" | "plain";
}

const BADGES: Record<LeadState, LeadBadge> = {
  new: { label: "New", tone: "waiting" },
  replied: { label: "Replied", tone: "published" },
  spam: { label: "Spam", tone: "plain" },
};

export const isLeadState = (value: unknown): value is LeadState =>
  LEAD_STATES.some((state) => state === value);

/** The badge of a state. */
export function getLeadBadge(state: LeadState): LeadBadge {
  return BADGES[state];
}

/**
 * The mailto: link of a reply. Its subject names nothing, because it may show on the locked screen of the person who
 * wrote, and the name of a listing can say as much about them as that of the directory.
 */
export const getReplyLink = (email: string): string =>
  `${mailtoLink(email)}?subject=${encodeURIComponent("Your message")}`;

const MAX_EXCERPT = 140;

/** The beginning of a message for a table row, cut at the end of a word. */
export function getExcerpt(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_EXCERPT) return line;
  const cut = characters.slice(0, MAX_EXCERPT).join("");
  const lastSpace = cut.lastIndexOf(" ");
  return `${cut.slice(0, lastSpace > MAX_EXCERPT / 2 ? lastSpace : cut.length)}…`;
}
