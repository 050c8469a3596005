import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import type { RefObject } from "react";

let pathShown: string | null = null;

/**
 * Moves the focus to the new page's content after a navigation by script, as the browser does by itself without one, so
 * that a screen reader starts at the new page. A first load, and a page that has set the focus itself (an error
 * summary), are left alone.
 */
export function useFocusAfterNavigation(content: RefObject<HTMLElement>): void {
  const { pathname, hash } = useLocation();

  useEffect(() => {
    const moved = pathShown !== null && pathShown !== pathname;
    pathShown = pathname;
    if (!moved || hash !== "") return;
    if (document.activeElement?.closest(".error-summary")) return;
    content.current?.focus({ preventScroll: true });
  }, [pathname, hash, content]);
}
