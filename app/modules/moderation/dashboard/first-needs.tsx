import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";

import type { FirstNeed } from "./rules";

interface Way {
  icon: "triangle-alert" | "flag" | "archive" | "credit-card" | "mail";
  tone: "problem" | "waiting";
  /** Nothing on a page of ours helps with some of them. */
  action?: string;
  to?: string;
}

/** Where each is dealt with. */
const WAYS: Record<FirstNeed["kind"], Way> = {
  reports: { icon: "triangle-alert", tone: "problem", action: "Open", to: paths.adminReports() },
  flagged: { icon: "flag", tone: "problem", action: "Review", to: paths.adminFlagged() },
  removals: {
    icon: "archive",
    tone: "waiting",
    action: "Review",
    to: paths.adminListings({ archive: "requested" }),
  },
  plans: { icon: "credit-card", tone: "waiting", action: "Open", to: paths.adminPremium() },
  refunds: { icon: "credit-card", tone: "problem", action: "Open", to: paths.adminPayments() },
  emails: { icon: "mail", tone: "problem" },
  "no-email": {
    icon: "mail",
    tone: "waiting",
    action: "Fix",
    to: paths.adminPending({ email: "no" }),
  },
};

/** What needs an admin before anything else, as sentences with one button each. */
export function FirstNeeds({ needs }: { needs: readonly FirstNeed[] }) {
  if (needs.length === 0) return null;
  return (
    <section className="attention" aria-labelledby="first">
      <h2 id="first">What needs someone first</h2>
      <ul>
        {needs.map(({ kind, what, text }) => {
          const { icon, tone, action, to } = WAYS[kind];
          return (
            <li key={kind} className={`need-${tone}`}>
              <Icon name={icon} />
              <p>
                <b>{what}</b>
                {text}
              </p>
              {to === undefined ? null : (
                <ButtonLink variant="quiet" to={to} aria-label={`${action}: ${what}`}>
                  {action}
                </ButtonLink>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
