/** Why the database refuses what a caller asked for, by the code that it raises. */
export const MANAGER_REFUSALS = {
  account_email_unconfirmed: "Please confirm your email address first.",
  invitation_email_invalid: "Enter an email address like name@example.com.",
  invitation_invalid: "This invitation can’t be sent. Please reload the page and try again.",
  invitation_to_self: "That’s your own address. Enter someone else’s.",
  invitation_already_sent: "This invitation was already sent. To send another, reload the page.",
  already_manager: "The person with this address already manages the listing.",
  too_many_managers:
    "A listing can have up to ten managers, including pending invitations. Remove one first.",
  too_many_invitations: "You’ve reached the daily limit for invitations.",
} as const satisfies Readonly<Record<string, string>>;
