import type { ReactNode } from "react";

import { Icon } from "~/components/ui/icon";
import type { IconName } from "~/components/ui/icon-names";

export type CalloutTone = "info" | "success" | "waiting" | "problem";

const iconOf: Record<CalloutTone, IconName> = {
  info: "info",
  success: "circle-check",
  waiting: "clock",
  problem: "circle-alert",
};

interface CalloutProps {
  tone?: CalloutTone;
  /** Stands first, stronger: "Changes requested". */
  title?: string;
  children: ReactNode;
}

/** A sentence that matters now, with its next step. It is not a live region: see FlashMessage for what comes later. */
export function Callout({ tone = "info", title, children }: CalloutProps) {
  return (
    <div className={`notice notice-${tone}`}>
      <Icon name={iconOf[tone]} />
      <div>
        {title === undefined ? null : <p className="title">{title}</p>}
        {typeof children === "string" ? <p>{children}</p> : children}
      </div>
    </div>
  );
}
