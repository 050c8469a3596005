/** What the top of the home page says of things that wait for somebody. Pure. */

export const NEED_KINDS = [
  "payment-failed",
  "changes-requested",
  "incomplete",
  "job-expiring",
  "unpaid-job",
  "new-leads",
  "to-claim",
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** Things of one kind that wait for somebody's hand, and the one to begin with. */
export interface Need {
  kind: NeedKind;
  count: number;
  id: number;
  name: string;
  /** When it happened, or will. */
  at: string;
}

interface Line {
  /** What waits, as a sentence. */
  text: string;
  /** The next step. */
  action: string;
  tone: "problem" | "waiting" | "info";
}

const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });

const others = (count: number, one: string, many: string) =>
  count === 1
    ? ""
    : `, and ${count === 2 ? `one other ${one}` : `${(count - 1).toLocaleString("en-US")} other ${many}`}`;

/** A line of the list, in words. */
export function needInWords({ kind, count, name, at }: Need): Line {
  switch (kind) {
    case "payment-failed":
      return {
        tone: "problem",
        text: `A payment for ${name}${others(count, "listing", "listings")} didn’t go through.`,
        action: "Mend the payment",
      };
    case "changes-requested":
      return {
        tone: "waiting",
        text: `The team asks for changes to ${name}${others(count, "listing", "listings")}.`,
        action: "Make the changes",
      };
    case "incomplete":
      return {
        tone: "waiting",
        text: `Something is missing in ${name}${others(count, "listing", "listings")}, so it can’t be approved.`,
        action: "Complete it",
      };
    case "job-expiring":
      return {
        tone: "waiting",
        text: `Ends on ${day.format(new Date(at))} (UTC): ${name}${others(count, "job", "jobs")}.`,
        action: "Renew it",
      };
    case "unpaid-job":
      return {
        tone: "waiting",
        text: `Not live until it is paid for: ${name}${others(count, "job", "jobs")}.`,
        action: "Pay for it",
      };
    case "new-leads":
      return count === 1
        ? { tone: "info", text: `Somebody wrote to ${name}.`, action: "Read the message" }
        : {
            tone: "info",
            text: `You have ${count.toLocaleString("en-US")} new messages from people.`,
            action: "Read them",
          };
    case "to-claim":
      return {
        tone: "info",
        text: `Without an owner, and with your e-mail address: ${name}${others(count, "listing", "listings")}.`,
        action: "Claim it",
      };
  }
}
