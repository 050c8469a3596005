import { Link } from "@remix-run/react";

import { Icon } from "~/components/ui/icon";

/**
 * A link that switches between two views of a list. Its label describes the view that is shown when
 * it is on.
 */
export function ToggleLink({ to, on, children }: { to: string; on: boolean; children: string }) {
  return (
    <Link to={to} discover="none" className="btn btn-quiet" aria-current={on ? "true" : undefined}>
      {on ? <Icon name="circle-check" /> : null}
      {children}
    </Link>
  );
}
