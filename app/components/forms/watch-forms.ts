type Control = HTMLInputElement | HTMLSelectElement;

/** Whether a control has another value than the server sent: typed before script came, or restored by Back. */
const isChanged = (control: Element) =>
  "options" in control
    ? [...(control as HTMLSelectElement).options].some(
        ({ selected, defaultSelected, value }) => selected && !defaultSelected && value,
      )
    : (control as HTMLInputElement).checked !== (control as HTMLInputElement).defaultChecked ||
      ("defaultValue" in control &&
        (control as HTMLInputElement).value !== (control as HTMLInputElement).defaultValue);

function check(form: HTMLFormElement | null, changed: boolean): void {
  if (changed && form?.dataset["unsaved"])
    void import("./unsaved").then(({ noteChange }) => noteChange(form));
}

let onBack: (event: PopStateEvent) => void = () => undefined;

/** Sets what runs when someone goes back or forward, before the router does. */
export function setBackGuard(guard: typeof onBack): void {
  onBack = guard;
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
          [...form.elements].some((control) => (control as Control).name && isChanged(control)),
      );
  };
  checkAll();
  // Events of the window reach their listeners in the order in which these were added.
  addEventListener("popstate", (event) => onBack(event));
  addEventListener("pageshow", checkAll);
  addEventListener("input", ({ target }) => check((target as HTMLInputElement).form, true));
  addEventListener("focusin", ({ target }) => {
    if ((target as HTMLInputElement).form?.dataset["unsaved"]) void import("./unsaved");
  });
}
