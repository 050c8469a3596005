import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import type { RefObject } from "react";

let lastPathname: string | null = null;
let lastFocused: HTMLElement | null = null;

const rememberFocus = () => (lastFocused = document.activeElement as HTMLElement);

/**
 * Moves the focus to the content after a client-side navigation, so that a screen reader starts at
 * the new page, as it does after a document load. It does the same when the element that had the
 * focus is gone from a page that was loaded again, or hidden: the button of a row that is done, or of
 * a selection that is, or a form that starts over. A field keeps the focus by its id. Does nothing on
 * the first load, and when the page has set the focus itself (to an error summary).
 */
export function useFocusAfterNavigation(content: RefObject<HTMLElement>): void {
  const { pathname, hash, key } = useLocation();

  useEffect(() => {
    // What was focused before script ran.
    rememberFocus();
    addEventListener("focusin", rememberFocus);
    return () => removeEventListener("focusin", rememberFocus);
  }, []);

  useEffect(() => {
    const navigated = lastPathname !== null && lastPathname !== pathname;
    lastPathname = pathname;
    if (hash !== "") return;
    if (navigated) {
      if (document.activeElement?.closest(".error-summary")) return;
      content.current?.focus({ preventScroll: true });
    } else if (lastFocused?.getClientRects().length === 0) {
      const again = document.getElementById(lastFocused.id) ?? content.current;
      again?.focus({ preventScroll: true });
    }
  }, [pathname, hash, key, content]);
}
