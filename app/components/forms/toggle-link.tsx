import { Link } from "@remix-run/react";

import { Icon } from "~/components/ui/icon";

/** Switches between two views of a list, by address: what it says is shown while it is on. */
export function ToggleLink({ to, on, children }: { to: string; on: boolean; children: string }) {
  return (
    <Link to={to} discover="none" className="btn btn-quiet" aria-current={on ? "true" : undefined}>
      {on ? <Icon name="circle-check" /> : null}
      {children}
    </Link>
  );
}
