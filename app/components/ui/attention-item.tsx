import type { ReactNode } from "react";

import { ButtonLink } from "./button";
import { Icon } from "./icon";
import type { IconName } from "./icon-names";

interface AttentionItemProps {
  icon: IconName;
  tone: "problem" | "waiting" | "info";
  /** The sentence. */
  children: ReactNode;
  /** Its button, and what that is about, for its accessible name; null when no page helps. */
  button: { action: string; to: string; about: string } | null;
}

/** An item of a list of what needs attention: a sentence with one button. */
export function AttentionItem({ icon, tone, children, button }: AttentionItemProps) {
  return (
    <li className={`need-${tone}`}>
      <Icon name={icon} />
      <p>{children}</p>
      {button === null ? null : (
        <ButtonLink variant="quiet" to={button.to} aria-label={`${button.action}: ${button.about}`}>
          {button.action}
        </ButtonLink>
      )}
    </li>
  );
}
