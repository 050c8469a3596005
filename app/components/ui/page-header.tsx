import type { ReactNode } from "react";

import { TextLink } from "~/components/ui/text-link";

interface PageHeaderProps {
  title: ReactNode;
  subtitle?: ReactNode;
  /** Beside the title, smaller: how many there are. */
  note?: string;
  /**
   * The parent page, a list or My Account. The link to it, above the title, is the only one that
   * leads back.
   */
  parent?: { to: string; label: string };
  /** Above the title: what kind of page it is. */
  kicker?: ReactNode;
  /** Usually the page's only primary button. */
  action?: ReactNode;
}

/** The header of a page, with its only h1. */
export function PageHeader({ title, subtitle, note, parent, kicker, action }: PageHeaderProps) {
  return (
    <div className="page-header">
      <div>
        {parent || kicker ? (
          <p className="kicker">
            {parent ? <TextLink to={parent.to}>{parent.label}</TextLink> : null}
            {parent && kicker ? ", " : null}
            {kicker}
          </p>
        ) : null}
        <h1>{title}</h1>
        {note === undefined ? null : <span className="note">{note}</span>}
        {subtitle === undefined ? null : <p>{subtitle}</p>}
      </div>
      {action}
    </div>
  );
}
