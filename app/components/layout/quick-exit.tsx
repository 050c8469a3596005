import type { MouseEvent } from "react";

import { useOptionalApp } from "~/components/layout/app-context";

/**
 * The way out for somebody who must not be seen here: to a page that tells nothing. Our pages are never stored, so "Back"
 * shows none of them without asking us; with script this page leaves the tab's history, too.
 */
export function QuickExit() {
  const href = useOptionalApp()?.quickExitUrl;
  if (!href) return null;

  function leave(event: MouseEvent) {
    event.preventDefault();
    document.body.hidden = true;
    window.location.replace(href!);
  }

  return (
    // A landmark of its own, since it stands outside of all others.
    <aside aria-label="Way out">
      <a className="quick-exit" href={href} rel="noreferrer" onClick={leave}>
        Leave quickly
      </a>
    </aside>
  );
}
