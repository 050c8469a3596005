/** The limits of a listing's managers, and what the state of an invitation means. Pure. */

/** The most managers of a listing, pending invitations included. */
export const MAX_MANAGERS = 10;

/** What an invitation is for the user who opened it, as the database says. */
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

const ASK_AGAIN = "If you still want to help, ask whoever invited you for a new one.";

const REFUSALS: Record<Exclude<InvitationState, "open" | "accepted">, InvitationRefusal> = {
  unknown: {
    status: 404,
    title: "We don’t know this invitation",
    text: `It may have been deleted, or the link may not be whole. ${ASK_AGAIN}`,
  },
  "not-yours": {
    status: 403,
    title: "This invitation is for somebody else",
    text: "It was sent to another e-mail address than that of the account you are signed in to. If that address is yours too, sign out, and open the link in the e-mail again.",
  },
  own: {
    status: 410,
    title: "This listing is yours",
    text: "You own the listing that this invitation is for, so there is nothing to accept.",
  },
  managing: {
    status: 410,
    title: "You have accepted this already",
    text: "You manage the listing that this invitation is for. You find it among your listings.",
  },
  used: {
    status: 410,
    title: "This invitation was used already",
    text: `An invitation works once. ${ASK_AGAIN}`,
  },
  withdrawn: {
    status: 410,
    title: "This invitation is no longer open",
    text: `It was taken back, or a newer one has taken its place. ${ASK_AGAIN}`,
  },
  late: {
    status: 410,
    title: "This invitation has run out",
    text: `An invitation is open for seven days. ${ASK_AGAIN}`,
  },
};

/** Why an invitation in this state can't be accepted; null if it can be, or just was. */
export function getInvitationRefusal(state: InvitationState): InvitationRefusal | null {
  return state === "open" || state === "accepted" ? null : REFUSALS[state];
}
