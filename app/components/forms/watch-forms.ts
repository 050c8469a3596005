import { waitsForConnection } from "~/components/layout/waits-for-connection";

import { watchBack } from "./back-guard";
import type * as Unsaved from "./unsaved";

/** Whether a control has another value than the server sent: typed before script came, or restored by Back. */
function isChanged(control: Element): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(
      ({ selected, defaultSelected, value }) => selected && !defaultSelected && value !== "",
    );
  // Buttons have a value, and no default.
  const { value, defaultValue = value, checked, defaultChecked } = control as HTMLInputElement;
  return checked !== defaultChecked || value !== defaultValue;
}

/** What happened to a form last: it was sent (how), or typed into (null). */
const last = new WeakMap<HTMLFormElement, Event | null>();

let unsaved: typeof Unsaved | undefined;
/**
 * `import()` takes a moment also of what is there, and the browser would ask in it. Without a connection there is none,
 * and the next key tries again.
 */
const load = async () => (unsaved ??= await import("./unsaved").catch(() => undefined));

/**
 * Whether a form has something typed that is stored nowhere else: it wasn't sent since, or it came
 * back with errors.
 */
function isWaiting(form: HTMLFormElement) {
  const event = last.get(form);
  const { busy, typed, unsaved: kept } = form.dataset;
  // One that the browser sends itself replaces the page.
  return event === null || (kept && typed && !busy && event?.defaultPrevented !== false);
}

/** Whether a form was sent, and has reached no one yet. */
const isOffline = ({ dataset: { busy, unsaved: kept } }: HTMLFormElement) =>
  busy && kept && waitsForConnection();

function noteTyped(form: HTMLFormElement | null): void {
  if (!form?.dataset["unsaved"]) return;
  last.set(form, null);
  // Someone who types little may have sent it before this code is there, and have it back with errors.
  void load().then((code) => {
    if (isWaiting(form)) code?.noteChange(form);
    else if (form.dataset["busy"]) code?.noteSent(form);
  });
}

/** Someone leaves quickly, which asks nothing. */
let leaving = false;

/** Whether to ask before such a form is left, while the code that stores it, or asks, is on its way: true, or null. */
const wouldLose = () =>
  (!unsaved &&
    !leaving &&
    [...document.forms].some((form) => isWaiting(form) || isOffline(form))) ||
  null;

/** A link, or another form, then loads a document, and the browser asks. */
function loadDocument(event: Event): void {
  if (wouldLose()) event.stopPropagation();
}

/**
 * Loads what stores drafts and warns before leaving (unsaved.ts) as soon as a form has something that is
 * nowhere else. Works from the first moment, before React has started.
 */
export function watchForms(): void {
  const checkAll = () => {
    for (const form of document.forms)
      if (
        form.dataset["typed"] ||
        [...form.elements].some((control) => control.getAttribute("name") && isChanged(control))
      )
        noteTyped(form);
  };
  checkAll();
  watchBack();
  addEventListener("pageshow", checkAll);
  // These replace the handlers that the page began with (early-script.tsx). Any result but null
  // makes the browser ask.
  onbeforeunload = wouldLose;
  oninput = ({ target }) => noteTyped((target as HTMLInputElement).form);
  addEventListener(
    "click",
    (event) => {
      if ((event.target as Element).closest("a[href]")) loadDocument(event);
    },
    true,
  );
  addEventListener(
    "submit",
    (event) => {
      const form = event.target as HTMLFormElement;
      last.set(form, event);
      leaving ||= form.matches('[action="/leave"]');
      if (!form.dataset["busy"]) loadDocument(event);
    },
    true,
  );
  addEventListener("focusin", ({ target }) => {
    if ((target as HTMLInputElement).form?.dataset["unsaved"]) void load();
  });
}
