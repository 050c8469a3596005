/** Why the database refuses what a caller asked for, by the code that it raises. */
export const LEAD_REFUSALS = {
  lead_email_unconfirmed:
    "Please confirm your email address first: the answer to your message goes there.",
  too_many_leads: "That is as many messages as one person can send in an hour.",
  too_many_leads_to_listing:
    "You have written to this listing three times today. Please give its owner time to answer.",
  listing_gets_too_many_leads: "This listing gets more messages than it can take just now.",
} as const satisfies Readonly<Record<string, string>>;
