import type { MouseEvent } from "react";

import { useOptionalApp } from "~/components/layout/app-context";

/**
 * The way out for someone who must not be seen here, to a harmless page. Our pages are not cached,
 * so that "Back" has to request them again. With script this page also leaves the tab's history.
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
    // Its own landmark, since it is outside of the others.
    <aside aria-label="Way out">
      <a className="quick-exit" href={href} rel="noreferrer" onClick={leave}>
        Leave quickly
      </a>
    </aside>
  );
}
