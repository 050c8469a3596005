/** Why the database refuses what a caller asked for, by the code that it raises. */
export const LEAD_REFUSALS = {
  lead_email_unconfirmed: "Please confirm your email address first, so you can get a reply.",
  too_many_leads: "You’ve reached the hourly limit for messages.",
  too_many_leads_to_listing:
    "You’ve sent this listing three messages today. Please give its owner time to reply.",
  listing_gets_too_many_leads: "This listing is getting too many messages right now.",
} as const satisfies Readonly<Record<string, string>>;
