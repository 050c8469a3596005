/** Who sees a kind of data. */
type Audience = "you" | "team" | "owner" | "manager" | "public";

const LABELS: Record<Audience, string> = {
  you: "you",
  team: "the directory’s team",
  owner: "the owner of the listing",
  manager: "whoever the owner asked to manage the listing",
  public: "everybody",
};

/** "You and the directory’s team"; "Nobody" for an empty audience. */
export function formatAudience(audience: readonly Audience[]): string {
  const [first, ...more] = audience.map((one) => LABELS[one]);
  if (first === undefined) return "Nobody";
  const last = more.pop();
  const text = last === undefined ? first : `${[first, ...more].join(", ")} and ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface HeldData {
  id: string;
  what: string;
  why: string;
  audience: readonly Audience[];
}

/**
 * All personal data that the product has. Tests compare each entry with what the database permits.
 */
export const HELD_DATA: readonly HeldData[] = [
  {
    id: "profile",
    what: "Your name, e-mail address, phone number, pronouns and postal code",
    why: "To know whom we talk to. The team asks for your address and number one person at a time, and each time leaves an entry in a log.",
    audience: ["you", "team"],
  },
  {
    id: "position",
    what: "Within about seven miles, where your postal code is",
    why: "To count how many people are near a listing. It leaves the database as a rounded count of 50 or more, never as a place.",
    audience: [],
  },
  {
    id: "recovery",
    what: "If you turned on two-step sign-in: the key of your authenticator app and your recovery codes, scrambled",
    why: "To check your codes when you sign in.",
    audience: [],
  },
  {
    id: "consents",
    what: "What you agreed to, and when you took it back",
    why: "To prove it to you.",
    audience: ["you"],
  },
  {
    id: "published",
    what: "A published listing: what its form marks as public",
    why: "It is the directory.",
    audience: ["public"],
  },
  {
    id: "listings",
    what: "Your listings as a whole, with your email address and how you pay for them",
    why: "To review them, and to bill you.",
    audience: ["you", "team"],
  },
  {
    id: "managed",
    what: "Your listings with their mailing address, without your email address and payments",
    why: "So that those whom you ask to manage a listing can edit it.",
    audience: ["manager"],
  },
  {
    id: "drafts",
    what: "Listings you have begun and not sent",
    why: "So that nothing you typed is lost.",
    audience: ["you"],
  },
  {
    id: "jobs",
    what: "Your job listings",
    why: "To show them while they are paid for.",
    audience: ["you", "team"],
  },
  {
    id: "sponsorships",
    what: "Your newsletter sponsorships",
    why: "To put them into the newsletter.",
    audience: ["you", "team"],
  },
  {
    id: "orders",
    what: "What you bought, paid, and got back. Only the payment provider knows your card, and what’s on your invoices.",
    why: "Because the law asks us to keep accounts.",
    audience: ["you", "team"],
  },
  {
    id: "favorites",
    what: "Your favorites in the app",
    why: "To show them to you. Owners see how many there are, never whose.",
    audience: ["you"],
  },
  {
    id: "leads",
    what: "Messages you send to listings, with the name you give and your account’s email address",
    why: "So that the owner can answer. Not even the team reads them.",
    audience: ["you", "owner", "manager"],
  },
  {
    id: "managing",
    what: "That you manage a listing for its owner, since when, and your name",
    why: "So that you can, and its owner knows who you are.",
    audience: ["you", "team", "owner"],
  },
  {
    id: "invitations",
    what: "The address that an owner invited to manage a listing",
    why: "To send the invitation, and to know whom it is for. Unless it is accepted it is deleted a month after it ran out.",
    audience: ["you", "team", "owner"],
  },
  {
    id: "feedback",
    what: "Feedback you give on the app",
    why: "To make it better.",
    audience: ["you", "team"],
  },
  {
    id: "reports",
    what: "Listings you report",
    why: "So that the team can look into them. Nobody learns who it was, not even the team.",
    audience: ["you", "team"],
  },
  {
    id: "views",
    what: "That a listing was looked at, once an hour, under a scrambled mark that differs each time",
    why: "To count views. Nobody can tell whose they are.",
    audience: [],
  },
  {
    id: "choices",
    what: "Which e-mails you want from us",
    why: "To send no others.",
    audience: ["you"],
  },
  {
    id: "letters",
    what: "That an e-mail is to be sent to you",
    why: "To send it, once.",
    audience: [],
  },
];
