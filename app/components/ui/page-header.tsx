import type { ReactNode } from "react";

interface PageHeaderProps {
  title: string;
  subtitle?: ReactNode;
  /** Above the title: a link back, or the page's parent. */
  kicker?: ReactNode;
  /** Usually the page's only primary button. */
  action?: ReactNode;
}

/** The header of a page, with its only h1. */
export function PageHeader({ title, subtitle, kicker, action }: PageHeaderProps) {
  return (
    <div className="page-header">
      <div>
        {kicker === undefined ? null : <p className="kicker">{kicker}</p>}
        <h1>{title}</h1>
        {subtitle === undefined ? null : <p>{subtitle}</p>}
      </div>
      {action}
    </div>
  );
}
