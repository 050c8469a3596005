/** Why the database refuses what a caller asked for, by the code that it raises. */
export const MANAGER_REFUSALS = {
  account_email_unconfirmed: "Please confirm your e-mail address first.",
  invitation_email_invalid: "Enter an e-mail address like name@example.com.",
  invitation_invalid: "This invitation can’t be sent.",
  invitation_to_self: "This is your own address. Enter that of somebody else.",
  invitation_already_sent:
    "This invitation was sent already. Please open the page again for another one.",
  already_manager: "Whoever you invited by this address manages the listing already.",
  too_many_managers:
    "Ten people at most can manage a listing, with open invitations counted. Remove one of them first.",
  too_many_invitations: "That is as many invitations as can be sent in a day.",
} as const satisfies Readonly<Record<string, string>>;
