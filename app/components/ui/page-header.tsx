import type { ReactNode } from "react";

interface PageHeaderProps {
  title: ReactNode;
  subtitle?: ReactNode;
  /** Beside the title, smaller: how many there are. */
  note?: string;
  /** Above the title: a link back, or the page's parent. */
  kicker?: ReactNode;
  /** Usually the page's only primary button. */
  action?: ReactNode;
}

/** The header of a page, with its only h1. */
export function PageHeader({ title, subtitle, note, kicker, action }: PageHeaderProps) {
  return (
    <div className="page-header">
      <div>
        {kicker === undefined ? null : <p className="kicker">{kicker}</p>}
        <h1>{title}</h1>
        {note === undefined ? null : <span className="note">{note}</span>}
        {subtitle === undefined ? null : <p>{subtitle}</p>}
      </div>
      {action}
    </div>
  );
}
