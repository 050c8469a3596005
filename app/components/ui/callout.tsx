import type { ReactNode } from "react";

import { Icon } from "~/components/ui/icon";
import type { IconName } from "~/components/ui/icon-names";

export type CalloutTone = "info" | "success" | "waiting" | "problem";

const ICONS: Record<CalloutTone, IconName> = {
  info: "info",
  success: "circle-check",
  waiting: "clock",
  problem: "circle-alert",
};

interface CalloutProps {
  tone?: CalloutTone;
  /** The first line, in bold: "Changes requested". */
  title?: ReactNode;
  children: ReactNode;
}

/** A box with a message and its next step. It is not a live region; ProblemAlert and FlashMessage are. */
export function Callout({ tone = "info", title, children }: CalloutProps) {
  return (
    <div className={`notice notice-${tone}`}>
      <Icon name={ICONS[tone]} />
      <div>
        {title === undefined ? null : (
          <p>
            <b>{title}</b>
          </p>
        )}
        {typeof children === "string" ? <p dir="auto">{children}</p> : children}
      </div>
    </div>
  );
}

/** Why what a form asked for was not done, which is announced; nothing when it was. */
export function ProblemAlert({
  title = "That didn’t work",
  problem,
}: {
  title?: string;
  problem: string | null;
}) {
  if (problem === null) return null;
  return (
    <div role="alert">
      <Callout tone="problem" title={title}>
        {problem}
      </Callout>
    </div>
  );
}
