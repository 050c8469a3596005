import { AttentionItem } from "~/components/ui/attention-item";
import { paths } from "~/http/paths";

import type { FirstNeed } from "./rules";

interface Way {
  icon: "triangle-alert" | "flag" | "archive" | "credit-card" | "mail";
  tone: "problem" | "waiting";
  /** The button; null where no page helps. */
  button: { action: string; to: string } | null;
}

/** Where each is dealt with. */
const WAYS: Record<FirstNeed["kind"], Way> = {
  reports: {
    icon: "triangle-alert",
    tone: "problem",
    button: { action: "Open", to: paths.adminReports() },
  },
  flagged: {
    icon: "flag",
    tone: "problem",
    button: { action: "Review", to: paths.adminFlagged() },
  },
  removals: {
    icon: "archive",
    tone: "waiting",
    button: { action: "Review", to: paths.adminListings({ archive: "requested" }) },
  },
  plans: {
    icon: "credit-card",
    tone: "waiting",
    button: { action: "Open", to: paths.adminPremium() },
  },
  refunds: {
    icon: "credit-card",
    tone: "problem",
    button: { action: "Open", to: paths.adminPayments() },
  },
  emails: { icon: "mail", tone: "problem", button: null },
  "no-email": {
    icon: "mail",
    tone: "waiting",
    button: { action: "Fix", to: paths.adminPending({ email: "no" }) },
  },
};

/** What needs an admin before anything else, as sentences with one button each. */
export function FirstNeeds({ needs }: { needs: readonly FirstNeed[] }) {
  if (needs.length === 0) return null;
  return (
    <section className="attention" aria-labelledby="first">
      <h2 id="first">Needs attention first</h2>
      <ul>
        {needs.map(({ kind, what, text }) => {
          const { icon, tone, button } = WAYS[kind];
          return (
            <AttentionItem
              key={kind}
              icon={icon}
              tone={tone}
              button={button && { ...button, about: what }}
              name={what}
              after={text}
            />
          );
        })}
      </ul>
    </section>
  );
}
