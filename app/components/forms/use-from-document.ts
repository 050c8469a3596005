import { useEffect, useRef, type RefObject } from "react";

/**
 * Reads an element once script runs the page, and again when the page has loaded: what was typed or chosen until
 * then, or restored by the browser on the way back, is in the document and not in what the server sent.
 */
export function useFromDocument<E extends HTMLElement>(
  element: RefObject<E>,
  read: (element: E) => void,
): void {
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  useEffect(() => {
    const update = () => {
      if (element.current) latest.current(element.current);
    };
    update();
    addEventListener("pageshow", update);
    return () => removeEventListener("pageshow", update);
  }, [element]);
}
