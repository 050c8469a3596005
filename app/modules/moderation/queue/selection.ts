import { useLocation } from "@remix-run/react";
import {
  useCallback,
  useEffect,
  useRef,
  type ChangeEvent,
  type MouseEvent,
  type RefObject,
} from "react";

const BOXES = "input[name=listing]";

/** The checkboxes of the rows, in their order. */
const listBoxes = (form: Element | null) => [
  ...(form?.querySelectorAll<HTMLInputElement>(BOXES) ?? []),
];

const ALL = "input[name=all]";

/** Selects every row of the page, or none. */
function tick(form: Element | null, checked: boolean) {
  for (const box of listBoxes(form)) box.checked = checked;
}

/**
 * While everything that matches is selected, every row of the page is selected, too; without
 * script, the stylesheet shows that.
 */
export const selectAll = ({ target }: ChangeEvent<HTMLInputElement>) =>
  tick(target.form, target.checked);

/**
 * Selects every row of the page, or none. Without script, the link loads the page like that.
 * @returns the link's click handler
 */
export const selectPage = (checked: boolean) => (event: MouseEvent<HTMLAnchorElement>) => {
  const form = event.currentTarget.closest("form");
  event.preventDefault();
  tick(form, checked);
  const all = form?.querySelector<HTMLInputElement>(ALL);
  if (all && !checked) all.checked = false;
};

/** What was selected on each page of the history that a link of ours left. */
const kept = new Map<string, ReadonlySet<string>>();

/**
 * Selects again what was selected when a link led to another page, and someone goes back. The browser itself does
 * that where a document was left.
 * @param control any control of the form
 */
export function useKeptSelection(control: RefObject<HTMLButtonElement>): void {
  const { key } = useLocation();
  useEffect(() => {
    const form = control.current?.form ?? null;
    for (const box of listBoxes(form)) if (kept.get(key)?.has(box.value)) box.checked = true;
    return () => {
      const selected = listBoxes(form).filter(({ checked }) => checked);
      kept.set(key, new Set(selected.map(({ value }) => value)));
    };
  }, [control, key]);
}

/**
 * Selecting a row while Shift is held selects every row since the last one that was selected, or
 * clears them. Clearing a row while everything that matches is selected leaves the other rows of
 * this page selected.
 * @returns the form's click handler
 */
export function useRangeSelection() {
  const last = useRef<HTMLInputElement | null>(null);
  return useCallback(({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(BOXES)) return;
    const boxes = listBoxes(target.form);
    const [from, to] = [boxes.indexOf(last.current ?? target), boxes.indexOf(target)];
    last.current = target;
    const all = target.form?.querySelector<HTMLInputElement>(ALL);
    if (all && !target.checked) all.checked = false;
    if (!shiftKey || from === -1) return;
    for (const box of boxes.slice(Math.min(from, to), Math.max(from, to) + 1))
      box.checked = target.checked;
  }, []);
}
