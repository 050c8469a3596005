/** Who sees a kind of data. */
type Audience = "you" | "team" | "owner" | "manager" | "public";

const LABELS: Record<Audience, string> = {
  you: "you",
  team: "our team",
  owner: "the owner of the listing",
  manager: "the listing’s managers",
  public: "everyone",
};

/** "You and our team"; "No one" for an empty audience. */
export function formatAudience(audience: readonly Audience[]): string {
  const [first, ...more] = audience.map((one) => LABELS[one]);
  if (first === undefined) return "No one";
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
    what: "Your name, email address, phone number, pronouns and postal code",
    why: "So we know who we’re talking to. Your contact details are masked; each time our team views them, it’s logged.",
    audience: ["you", "team"],
  },
  {
    id: "position",
    what: "Your postal code’s location, to within about seven miles",
    why: "To count how many people are near a listing. No one sees the location, only a rounded number once there are 50 people or more.",
    audience: [],
  },
  {
    id: "recovery",
    what: "The key for your authenticator app, and your recovery codes (scrambled)",
    why: "To check your codes when you use two-step sign-in. The IP address they came from is deleted after about a day.",
    audience: [],
  },
  {
    id: "consents",
    what: "What you agreed to, and when you changed your mind",
    why: "So there’s a record of your choices. Our team sees only your current choices, not the record.",
    audience: ["you", "team"],
  },
  {
    id: "published",
    what: "The fields marked “Public” in the form of a published listing",
    why: "That’s what the directory is for.",
    audience: ["public"],
  },
  {
    id: "listings",
    what: "Everything in your listings, with your email address and how you pay for them",
    why: "To review them and to bill you.",
    audience: ["you", "team"],
  },
  {
    id: "managed",
    what: "Your listings and their mailing addresses, but not your email address or payments",
    why: "So your managers can edit them.",
    audience: ["manager"],
  },
  {
    id: "drafts",
    what: "Drafts",
    why: "So nothing you’ve typed is lost. Drafts that are saved while you type are deleted after a week.",
    audience: ["you"],
  },
  {
    id: "jobs",
    what: "Your job listings",
    why: "To show them for as long as you’ve paid. While one is published, everyone sees it, without your name or email address.",
    audience: ["you", "team"],
  },
  {
    id: "sponsorships",
    what: "Your newsletter features",
    why: "To publish them in the newsletter, where everyone can read them.",
    audience: ["you", "team"],
  },
  {
    id: "orders",
    what: "Your purchases, payments and refunds",
    why: "The law requires us to keep these records. Only our payment provider has your card and what’s on your invoices.",
    audience: ["you", "team"],
  },
  {
    id: "favorites",
    what: "Your favorites in the app",
    why: "To show them to you. Owners see how many people saved a listing. Our team sees roughly how many listings you’ve saved. No one sees which ones.",
    audience: ["you"],
  },
  {
    id: "leads",
    what: "Messages you send to listings, with the name you give and your account’s email address",
    why: "So the owner can reply. Not even our team can read them.",
    audience: ["you", "owner", "manager"],
  },
  {
    id: "managing",
    what: "The listings you manage for others, when you started, and your name",
    why: "So you can manage them, and their owners know who you are.",
    audience: ["you", "team", "owner"],
  },
  {
    id: "invitations",
    what: "Email addresses that owners invite to manage a listing",
    why: "To send the invitation and know who it’s for. If the invitation isn’t accepted, we delete the address a month after the invitation expires.",
    audience: ["you", "team", "owner"],
  },
  {
    id: "feedback",
    what: "Feedback you give on the app",
    why: "To improve it.",
    audience: ["you", "team"],
  },
  {
    id: "reports",
    what: "Listings you report",
    why: "So our team can review them. Reports are anonymous, even to our team.",
    audience: ["you", "team"],
  },
  {
    id: "views",
    what: "Listings you’ve viewed in about the past day, under a scrambled code for each",
    why: "To count each view once. Owners and our team only see how many there were.",
    audience: [],
  },
  {
    id: "choices",
    what: "Your email settings",
    why: "So we only send what you want.",
    audience: ["you"],
  },
  {
    id: "letters",
    what: "Emails waiting to be sent to you",
    why: "To deliver them.",
    audience: [],
  },
];
