import { toCardText } from "./card-text";

const PAUSE_MS = 150;

/**
 * What a field of the form says. For an address, it is the one that was picked: only the team sees
 * it as it was typed.
 */
function readText(form: HTMLFormElement, name: string, place: string): string {
  const control = form.elements.namedItem(name);
  if (control instanceof HTMLSelectElement)
    return control.value && control.selectedOptions[0]!.label;
  const { value, defaultValue } = control as HTMLInputElement;
  if (name === "description") return toCardText(value);
  if (name !== "rawaddress") return value.trim();
  const picked =
    form.querySelector("[name=rawaddress_pick]:checked + label") ??
    form.querySelector("bdi + [name=rawaddress_pick]")?.previousElementSibling;
  return picked?.textContent ?? (value === defaultValue ? place : "");
}

/**
 * Shows what is typed into a form in the card of its listing, from here on. It only writes text: what is typed is
 * never read as HTML. An icon, which has a label, is shown and named while its field has a text. (A text has elements as
 * well where the browser has translated it.)
 */
export function followForm(card: HTMLElement): void {
  const form = card.closest("form")!;
  let timer = 0;
  const update = () => {
    for (const part of card.querySelectorAll<HTMLElement>("[data-shows]")) {
      const { shows, empty = "", label } = part.dataset;
      const text = readText(form, shows!, card.dataset["place"]!);
      if (label !== undefined) {
        part.hidden = text === "";
        part.lastElementChild!.textContent = text && label;
      } else if (part.textContent !== (text || empty)) part.textContent = text || empty;
    }
  };
  // An address can be picked by a click or with Enter.
  form.oninput =
    form.onclick =
    form.onkeyup =
      () => {
        clearTimeout(timer);
        timer = window.setTimeout(update, PAUSE_MS);
      };
  update();
}
