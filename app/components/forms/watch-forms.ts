import { watchBack } from "./back-guard";
import type * as Unsaved from "./unsaved";

/** Whether a control has another value than the server sent: typed before script came, or restored by Back. */
function isChanged(control: Element): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(
      ({ selected, defaultSelected, value }) => selected && !defaultSelected && value !== "",
    );
  if (control instanceof HTMLInputElement)
    return control.checked !== control.defaultChecked || control.value !== control.defaultValue;
  return control instanceof HTMLTextAreaElement && control.value !== control.defaultValue;
}

/** Forms that were sent after the last change. */
const sent = new WeakSet<HTMLFormElement>();
/** The form with something typed, while the code that stores it, or asks before it is left, is on its way. */
let early: HTMLFormElement | null = null;

let unsaved: typeof Unsaved | undefined;
/** `import()` takes a moment also of what is there, and the browser would ask in it. */
const load = async () => (unsaved ??= await import("./unsaved"));

function check(form: HTMLFormElement | null, changed: boolean): void {
  if (!changed || !form?.dataset["unsaved"]) return;
  sent.delete(form);
  early = form;
  // Someone who types little may have sent it before this code is there, and have it back with errors.
  void load().then(({ noteChange, noteSent }) => {
    early = null;
    if (!sent.has(form)) noteChange(form);
    else if ("busy" in form.dataset) noteSent(form);
    else if ("typed" in form.dataset) noteChange(form);
  });
}

/** Has the browser ask before it leaves such a form: a link, or another form, then loads a document. */
function ask(event: Event): void {
  const { type, target } = event;
  if (!early?.isConnected || (type === "click" && !(target as Element).closest("a[href]"))) return;
  if (type === "beforeunload") event.preventDefault();
  else event.stopPropagation();
}

/**
 * Loads what stores drafts and warns before leaving (unsaved.ts) as soon as a form has something that is
 * nowhere else. Works from the first moment, before React has started.
 */
export function watchForms(): void {
  const checkAll = () => {
    for (const form of document.forms)
      check(
        form,
        "typed" in form.dataset ||
          [...form.elements].some((control) => control.getAttribute("name") && isChanged(control)),
      );
  };
  checkAll();
  watchBack();
  addEventListener("pageshow", checkAll);
  addEventListener("beforeunload", ask);
  addEventListener("click", ask, true);
  addEventListener(
    "submit",
    (event) => {
      const form = event.target as HTMLFormElement;
      sent.add(form);
      // "Leave quickly" asks nothing.
      if (form === early || form.matches('[action="/leave"]')) early = null;
      ask(event);
    },
    true,
  );
  addEventListener("input", ({ target }) => check((target as HTMLInputElement).form, true));
  addEventListener("focusin", ({ target }) => {
    if ((target as HTMLInputElement).form?.dataset["unsaved"]) void load();
  });
}
