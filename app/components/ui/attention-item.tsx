import { ButtonLink } from "./button";
import { Icon } from "./icon";
import type { IconName } from "./icon-names";

interface AttentionItemProps {
  icon: IconName;
  tone: "problem" | "waiting" | "info";
  /** The sentence, in which a name or a number is set apart. */
  before?: string;
  name: string;
  after: string;
  /** Its button, and what that is about, for its accessible name; null when no page helps. */
  button: { action: string; to: string; about: string } | null;
}

/** An item of a list of what needs attention: a sentence with one button. */
export function AttentionItem({ icon, tone, before, name, after, button }: AttentionItemProps) {
  return (
    <li className={tone === "info" ? undefined : `need-${tone}`}>
      <Icon name={icon} />
      <p>
        {before}
        <b>
          <bdi>{name}</bdi>
        </b>
        {after}
      </p>
      {button === null ? null : (
        <ButtonLink variant="quiet" to={button.to} aria-label={`${button.action}: ${button.about}`}>
          {button.action}
        </ButtonLink>
      )}
    </li>
  );
}
