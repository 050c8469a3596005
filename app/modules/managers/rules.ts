/** The limits of a listing's managers, and what the state of an invitation means. Pure. */

/** The most managers of a listing, pending invitations included. */
export const MAX_MANAGERS = 10;

/** The state of an invitation for the user who opened it, as the database has it. */
export const INVITATION_STATES = [
  "open",
  "accepted",
  "unknown",
  "not-yours",
  "own",
  "managing",
  "used",
  "withdrawn",
  "late",
] as const;
type InvitationState = (typeof INVITATION_STATES)[number];

/** Why an invitation can't be accepted, with the HTTP status of its page. */
export interface InvitationRefusal {
  status: 403 | 404 | 410;
  title: string;
  text: string;
}

const ASK_AGAIN = "Still want to help? Ask the owner for a new invitation.";

const REFUSALS: Record<Exclude<InvitationState, "open" | "accepted">, InvitationRefusal> = {
  unknown: {
    status: 404,
    title: "Invitation not found",
    text: `It may have been deleted, or the link may be incomplete. ${ASK_AGAIN}`,
  },
  "not-yours": {
    status: 403,
    title: "This invitation isn’t for this account",
    text: "This invitation was sent to a different email address. If that address is yours too, sign out and open the link again.",
  },
  own: {
    status: 410,
    title: "This listing is yours",
    text: "You own the listing this invitation is for, so there’s nothing to accept.",
  },
  managing: {
    status: 410,
    title: "You’ve already accepted this invitation",
    text: "You manage the listing this invitation is for. You’ll find it under Business Listings.",
  },
  used: {
    status: 410,
    title: "This invitation was already used",
    text: `Each invitation works once. ${ASK_AGAIN}`,
  },
  withdrawn: {
    status: 410,
    title: "This invitation was canceled",
    text: `The owner canceled it or sent a newer one. ${ASK_AGAIN}`,
  },
  late: {
    status: 410,
    title: "This invitation has expired",
    text: `Invitations expire after seven days. ${ASK_AGAIN}`,
  },
};

/** Why an invitation in this state can't be accepted; null if it can be, or just was. */
export function getInvitationRefusal(state: InvitationState): InvitationRefusal | null {
  return state === "open" || state === "accepted" ? null : REFUSALS[state];
}
