/** What a lead is, and where it stands with the owner. Pure. */

/** The states of a lead (an owner's own sorting: nobody else sees it). */
export const LEAD_STATES = ["new", "replied", "spam"] as const;
export type LeadState = (typeof LEAD_STATES)[number];

const LABELS: Record<LeadState, string> = { new: "New", replied: "Replied", spam: "Spam" };
const TONES: Record<LeadState, "waiting" | "published" | "plain"> = {
  new: "waiting",
  replied: "published",
  spam: "plain",
};

export const isLeadState = (value: unknown): value is LeadState =>
  LEAD_STATES.some((state) => state === value);

/** A state as a badge says it. */
export function leadBadge(state: string): {
  label: string;
  tone: "waiting" | "published" | "plain";
} {
  return isLeadState(state)
    ? { label: LABELS[state], tone: TONES[state] }
    : { label: state, tone: "plain" };
}

/**
 * The link that opens a reply in the owner's own mail program. Its subject names the listing and nothing else, since it
 * may light up on a locked screen.
 */
export function replyLink({ email, listing }: { email: string; listing: string }): string {
  // An address may hold what a mailto: link would read as its own ("?", "&", "%"): all but the @ is encoded.
  const address = email.split("@").map(encodeURIComponent).join("@");
  return `mailto:${address}?subject=${encodeURIComponent(`Your message to ${listing}`)}`;
}

const EXCERPT = 140;

/** The beginning of a message, ended at a word, for a row of a table. */
export function excerpt(message: string): string {
  const line = message.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  if (characters.length <= EXCERPT) return line;
  const cut = characters.slice(0, EXCERPT).join("");
  const lastSpace = cut.lastIndexOf(" ");
  return `${cut.slice(0, lastSpace > EXCERPT / 2 ? lastSpace : cut.length)}…`;
}
