import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import type { RefObject } from "react";

let lastPathname: string | null = null;

/**
 * Moves the focus to the content after a client-side navigation, so that a screen reader starts at
 * the new page, as it does after a document load. Does nothing on the first load, and when the page
 * has set the focus itself (to an error summary).
 */
export function useFocusAfterNavigation(content: RefObject<HTMLElement>): void {
  const { pathname, hash } = useLocation();

  useEffect(() => {
    const navigated = lastPathname !== null && lastPathname !== pathname;
    lastPathname = pathname;
    if (!navigated || hash !== "") return;
    if (document.activeElement?.closest(".error-summary")) return;
    content.current?.focus({ preventScroll: true });
  }, [pathname, hash, content]);
}
