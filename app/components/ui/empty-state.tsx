import type { ReactNode } from "react";

import { Illustration, type IllustrationName } from "~/components/ui/illustration";

interface EmptyStateProps {
  title: string;
  /** One or two sentences: why it is empty, what to do. */
  children?: ReactNode;
  action?: ReactNode;
  illustration?: IllustrationName;
}

/** Shown instead of an empty list. */
export function EmptyState({ title, children, action, illustration }: EmptyStateProps) {
  return (
    <div className="empty">
      {illustration === undefined ? null : <Illustration name={illustration} />}
      <h2>{title}</h2>
      {children === undefined ? null : <div className="text">{children}</div>}
      {action === undefined ? null : <div className="action">{action}</div>}
    </div>
  );
}
