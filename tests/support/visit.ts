import type { Answer } from "./answer";
import { ancestors, elementsIn, isText, parseHtml, walk, type HtmlElement } from "./html-tree";
import type { Person } from "./person";

/** An attribute, which React may write in camel case. */
const attribute = ({ attributes }: HtmlElement, name: string): string | undefined =>
  Object.entries(attributes).find(([key]) => key.toLowerCase() === name)?.[1];

function textOf(element: HtmlElement): string {
  const label = attribute(element, "aria-label");
  if (label !== undefined) return label;
  const parts = [...walk(element)].map((node) => (isText(node) ? node.text : ""));
  return parts.join("").replace(/\s+/g, " ").trim();
}

type Name = string | RegExp;
const isCalled = (name: Name, text: string) =>
  typeof name === "string" ? text === name : name.test(text);

/**
 * What someone does in a browser without script, by the links, fields, and buttons of the HTML. Each that they use is a
 * step.
 */
export class Visit {
  steps = 0;
  readonly #person: Person;
  #path = "";
  #page!: Answer;
  #elements: HtmlElement[] = [];
  /** What was entered, checked, or chosen, by control. */
  #entered = new Map<HtmlElement, string | boolean>();

  private constructor(person: Person) {
    this.#person = person;
  }

  /** Opens a page, which is no step. */
  static async begin(person: Person, path = "/"): Promise<Visit> {
    const visit = new Visit(person);
    await visit.#open(path);
    return visit;
  }

  get page(): Answer {
    return this.#page;
  }

  async follow(name: Name): Promise<void> {
    this.steps += 1;
    const link = this.#find("link", ({ name: tag }) => tag === "a", name);
    const href = attribute(link, "href")!;
    if (href.startsWith("mailto:")) return;
    await this.#open(href.split("#")[0]!);
  }

  /** Types into a field, chooses from a select box, or checks a box, found by its label. */
  use(label: Name, value: string | true): void {
    this.steps += 1;
    const control = this.#findControl(label);
    if (control.name !== "select" || value === true) this.#entered.set(control, value);
    else {
      const option = elementsIn(control, "option").find((one) => textOf(one) === value);
      if (!option) throw new Error(`${textOf(control)} does not offer ${value}.`);
      this.#entered.set(control, attribute(option, "value") ?? value);
    }
  }

  /** Uses a button. @returns where it leads, when that is another site */
  async submit(name: Name): Promise<string | null> {
    this.steps += 1;
    const button = this.#find("button", ({ name: tag }) => tag === "button", name);
    const form = this.#formOf(button);
    const fields = this.#fieldsOf(form);
    const ownName = attribute(button, "name");
    if (ownName) fields.push([ownName, attribute(button, "value") ?? ""]);
    const action = attribute(button, "formaction") ?? attribute(form, "action") ?? this.#path;
    if (attribute(form, "method") !== "post")
      return this.#open(`${action.split("?")[0]}?${new URLSearchParams(fields)}`);
    const answer = await this.#person.submit(action.split("#")[0]!, fields);
    if (answer.location === null) return this.#show(action, answer);
    if (!answer.location.startsWith("/")) return answer.location;
    return this.#open(answer.location.split("#")[0]!);
  }

  async #open(path: string): Promise<null> {
    const answer = await this.#person.page(path);
    return answer.location === null ? this.#show(path, answer) : this.#open(answer.location);
  }

  #show(path: string, page: Answer): null {
    this.#path = path;
    this.#page = page;
    this.#entered.clear();
    this.#elements = elementsIn(parseHtml(page.body));
    return null;
  }

  #find(what: string, matches: (element: HtmlElement) => boolean, name: Name): HtmlElement {
    const candidates = this.#elements.filter(matches);
    const found = candidates.find((element) => isCalled(name, textOf(element)));
    if (found) return found;
    const names = candidates.map(textOf).join(", ");
    throw new Error(`There is no ${what} ${String(name)} on ${this.#path}, but: ${names}`);
  }

  #findControl(label: Name): HtmlElement {
    const found = this.#find("field", ({ name }) => name === "label", label);
    const id = attribute(found, "for");
    const control = id
      ? this.#elements.find((one) => attribute(one, "id") === id)
      : elementsIn(found, "input")[0];
    if (!control) throw new Error(`The label ${textOf(found)} has no control.`);
    return control;
  }

  #formOf(control: HtmlElement): HtmlElement {
    const id = attribute(control, "form");
    if (id !== undefined)
      return this.#elements.find((one) => one.name === "form" && attribute(one, "id") === id)!;
    const form = [...ancestors(control)].find(({ name }) => name === "form");
    if (!form) throw new Error(`${textOf(control)} is in no form.`);
    return form;
  }

  /** The fields that a browser sends. */
  #fieldsOf(form: HtmlElement): [string, string][] {
    return this.#elements.flatMap((control): [string, string][] => {
      const name = attribute(control, "name");
      if (!name || !["input", "select", "textarea"].includes(control.name)) return [];
      if (attribute(control, "disabled") !== undefined || this.#formOf(control) !== form) return [];
      const value = this.#valueOf(control);
      return value === undefined ? [] : [[name, value]];
    });
  }

  #valueOf(control: HtmlElement): string | undefined {
    const entered = this.#entered.get(control);
    const type = attribute(control, "type");
    if (type === "checkbox" || type === "radio") {
      const isChecked =
        entered === true ||
        (attribute(control, "checked") !== undefined && !this.#isReplaced(control));
      return isChecked ? (attribute(control, "value") ?? "on") : undefined;
    }
    if (typeof entered === "string") return entered;
    if (control.name === "input") return attribute(control, "value") ?? "";
    if (control.name === "textarea")
      return control.children
        .map((child) => (isText(child) ? child.text : ""))
        .join("")
        .replace(/^\n/, "");
    const options = elementsIn(control, "option");
    const chosen = options.find((one) => attribute(one, "selected") !== undefined) ?? options[0];
    return chosen && (attribute(chosen, "value") ?? textOf(chosen));
  }

  /** Whether another radio button of the same name was chosen. */
  #isReplaced(control: HtmlElement): boolean {
    return (
      attribute(control, "type") === "radio" &&
      [...this.#entered.keys()].some((one) => attribute(one, "name") === attribute(control, "name"))
    );
  }
}
