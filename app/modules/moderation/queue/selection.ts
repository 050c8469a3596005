import { useCallback, useRef, type MouseEvent } from "react";

const BOXES = "input[name=listing]";

/** The checkboxes of the rows, in their order. */
const listBoxes = (form: Element | null) => [
  ...(form?.querySelectorAll<HTMLInputElement>(BOXES) ?? []),
];

/**
 * Selects every row of the page, or none. Without script, the link loads the page like that.
 * @returns the link's click handler
 */
export const selectPage = (checked: boolean) => (event: MouseEvent<HTMLAnchorElement>) => {
  const form = event.currentTarget.closest("form");
  event.preventDefault();
  for (const box of listBoxes(form)) box.checked = checked;
  const all = form?.querySelector<HTMLInputElement>("input[name=all]");
  if (all && !checked) all.checked = false;
};

/**
 * Selecting a row while Shift is held selects every row since the last one that was selected, or clears
 * them.
 * @returns the form's click handler
 */
export function useRangeSelection() {
  const last = useRef<HTMLInputElement | null>(null);
  return useCallback(({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(BOXES)) return;
    const boxes = listBoxes(target.form);
    const [from, to] = [boxes.indexOf(last.current ?? target), boxes.indexOf(target)];
    last.current = target;
    if (!shiftKey || from === -1) return;
    for (const box of boxes.slice(Math.min(from, to), Math.max(from, to) + 1))
      box.checked = target.checked;
  }, []);
}
