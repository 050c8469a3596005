/** What someone does in a tab of WebKit, and sees there. Each step waits until it can be taken. */
import { expect } from "playwright/test";

import { IS_TAKEN_OVER } from "../support/hydration";
import type { Element, WebKit } from "./webdriver";

const CONTROLS = {
  button: "button, summary",
  link: "a[href]",
  field: "input:not([type=hidden]), select, textarea",
};

const ENTER = "\uE007";
const ESCAPE = "\uE00C";

/**
 * In the page: the control that shows and has this name, or the one whose name begins with it. `part` is a text of the
 * row, the item, or the group of fields that it is in.
 */
function findControl(selector: string, name: string, part: string): HTMLElement | null {
  const plain = (text: string | null) => (text ?? "").replace(/\s+/g, " ").trim();
  const nameOf = (control: HTMLElement) => {
    const ids = control.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const labels = ids.length
      ? ids.map((id) => document.getElementById(id))
      : [...((control as HTMLInputElement).labels ?? [])];
    const text = labels.length ? labels.map((one) => one?.textContent).join(" ") : null;
    return plain(control.getAttribute("aria-label") ?? text ?? control.textContent);
  };
  const parts = [...document.querySelectorAll("tr, li, fieldset, section, dialog")]
    .filter((one) => plain(one.textContent).includes(part))
    .sort((one, other) => one.textContent.length - other.textContent.length);
  const root = part === "" ? document : parts[0];
  const shown = [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])].filter((control) =>
    control.checkVisibility({ visibilityProperty: true }),
  );
  const found =
    shown.find((control) => nameOf(control) === name) ??
    shown.find((control) => nameOf(control).startsWith(name));
  // A bar that stays in view may cover what is at the edge of the window.
  found?.scrollIntoView({ block: "center", behavior: "instant" });
  return found ?? null;
}

/** In the page: an option of such a field. */
function findOption(field: HTMLElement, name: string): HTMLElement | null {
  return (
    [...(field as HTMLSelectElement).options].find((option) => option.text.trim() === name) ?? null
  );
}

/** In the page: what it shows. */
const readText = () => document.body.innerText.replace(/\s+/g, " ");

export class Tab {
  constructor(
    private readonly browser: WebKit,
    private readonly home: string,
  ) {}

  async open(path: string): Promise<void> {
    await this.#leaving(() => this.browser.open(this.home + path));
  }

  async openAddress(url: string): Promise<void> {
    await this.#leaving(() => this.browser.open(url));
  }

  /** Reloads the document. A form that was sent is sent again only after a question, which no journey answers. */
  async reload(): Promise<void> {
    await this.#leaving(() => this.browser.reload());
  }

  /** Goes back, in the document or to another one. The next step has to wait for what it expects there. */
  async back(): Promise<void> {
    await this.browser.back();
  }

  async resize(width: number, height: number): Promise<void> {
    await this.browser.resize(width, height);
    expect(await this.browser.call(() => innerWidth), "the width of the window").toBe(width);
  }

  /** Types into a field, in place of what it has. */
  async fill(field: string, text: string, part = ""): Promise<void> {
    await this.#use("field", field, part, async (element) => {
      await this.browser.clear(element);
      await this.browser.type(element, text.replaceAll("\n", ENTER));
    });
  }

  async enter(field: string): Promise<void> {
    await this.#use("field", field, "", (element) => this.browser.type(element, ENTER));
  }

  async escape(): Promise<void> {
    await this.browser.key(ESCAPE);
  }

  async choose(field: string, option: string, part = ""): Promise<void> {
    await this.#use("field", field, part, async (element) => {
      const found = await this.browser.find(findOption, element, option);
      if (!found) throw new Error(`“${field}” has no option “${option}”.`);
      await this.browser.click(found);
    });
  }

  /** Checks a box or a radio button, or leaves it checked. */
  async check(box: string, part = ""): Promise<void> {
    await this.#setBox(box, part, true);
  }

  async uncheck(box: string, part = ""): Promise<void> {
    await this.#setBox(box, part, false);
  }

  async press(button: string, part = ""): Promise<void> {
    await this.#use("button", button, part, (element) => this.browser.click(element));
  }

  async follow(link: string, part = ""): Promise<void> {
    await this.#use("link", link, part, (element) => this.browser.click(element));
  }

  /** Waits until the page says this. */
  async sees(...texts: string[]): Promise<void> {
    for (const text of texts)
      await this.#comesToBe(async () => expect(await this.browser.call(readText)).toContain(text));
  }

  async seesNo(...texts: string[]): Promise<void> {
    for (const text of texts)
      await this.#comesToBe(async () =>
        expect(await this.browser.call(readText)).not.toContain(text),
      );
  }

  async seesHeading(heading: string | RegExp): Promise<void> {
    await this.#comesToBe(async () =>
      expect(
        await this.browser.call(() => document.querySelector("h1")?.textContent.trim()),
      ).toMatch(heading),
    );
  }

  async seesTitle(title: string | RegExp): Promise<void> {
    await this.#comesToBe(async () =>
      expect(await this.browser.call(() => document.title)).toMatch(title),
    );
  }

  async isAt(path: string | RegExp): Promise<void> {
    await this.#comesToBe(async () => expect(await this.path()).toMatch(path));
  }

  /** Waits for the files of the page, too. */
  async hasLoaded(): Promise<void> {
    await this.#comesToBe(async () =>
      expect(await this.browser.call(() => document.readyState)).toBe("complete"),
    );
  }

  async has(field: string, value: string, part = ""): Promise<void> {
    await this.#comesToBe(async () => expect(await this.value(field, part)).toBe(value));
  }

  async hasChecked(box: string, checked = true, part = ""): Promise<void> {
    await this.#comesToBe(async () =>
      expect(
        await this.browser.call(
          (found) => (found as HTMLInputElement).checked,
          await this.#find("field", box, part),
        ),
      ).toBe(checked),
    );
  }

  async shows(kind: keyof typeof CONTROLS, name: string, shown = true): Promise<void> {
    await this.#comesToBe(async () =>
      expect(
        (await this.browser.find(findControl, CONTROLS[kind], name, "")) !== null,
        `whether “${name}” shows`,
      ).toBe(shown),
    );
  }

  async value(field: string, part = ""): Promise<string> {
    return this.browser.call(
      (found) => (found as HTMLInputElement).value,
      await this.#find("field", field, part),
    );
  }

  async path(): Promise<string> {
    return this.browser.call(() => location.pathname + location.search);
  }

  async count(selector: string): Promise<number> {
    return this.browser.call((one) => document.querySelectorAll(one).length, selector);
  }

  /** The names of the labels of such fields. */
  async names(selector: string): Promise<string[]> {
    return this.browser.call(
      (one) =>
        [...document.querySelectorAll<HTMLInputElement>(one)].map((field) =>
          (field.labels?.[0]?.textContent ?? "").replace(/\s+/g, " ").trim(),
        ),
      selector,
    );
  }

  /** How far the page scrolls sideways. */
  async overflow(): Promise<number> {
    return this.browser.call(() => document.documentElement.scrollWidth - innerWidth);
  }

  async html(): Promise<string> {
    return this.browser.call(() => document.documentElement.outerHTML);
  }

  /** The name of what has the focus. */
  async focused(): Promise<string> {
    return this.browser.call(() => document.activeElement?.textContent.trim() ?? "");
  }

  /** Waits until script runs in the page: what is pressed from now on, React answers. */
  async scriptRuns(): Promise<void> {
    await this.#comesToBe(async () =>
      expect(await this.browser.evaluate(IS_TAKEN_OVER)).toBe(true),
    );
  }

  screenshot(): Promise<Buffer> {
    return this.browser.screenshot();
  }

  async #setBox(box: string, part: string, checked: boolean): Promise<void> {
    await this.#use("field", box, part, async (element) => {
      const isChecked = await this.browser.call(
        (found) => (found as HTMLInputElement).checked,
        element,
      );
      if (isChecked !== checked) await this.browser.click(element);
    });
  }

  async #use(
    kind: keyof typeof CONTROLS,
    name: string,
    part: string,
    use: (element: Element) => Promise<void>,
  ): Promise<void> {
    await this.#comesToBe(async () => use(await this.#find(kind, name, part)));
  }

  async #find(kind: keyof typeof CONTROLS, name: string, part: string): Promise<Element> {
    const found = await this.browser.find(findControl, CONTROLS[kind], name, part);
    if (!found) throw new Error(`The page shows no ${kind} “${name}”${part && ` in “${part}”`}.`);
    return found;
  }

  /** Waits until another document is there. The driver answers before. */
  async #leaving(leave: () => Promise<void>): Promise<void> {
    await this.browser.call(() => void document.documentElement.setAttribute("data-left", ""));
    await leave();
    await this.#comesToBe(async () =>
      expect(
        await this.browser.call(
          () =>
            document.readyState !== "loading" &&
            !document.documentElement.hasAttribute("data-left"),
        ),
      ).toBe(true),
    );
  }

  /** Tries again until nothing is thrown: a page that is left while it is asked is an error as well. */
  async #comesToBe(step: () => Promise<void>): Promise<void> {
    await expect(step).toPass();
  }
}
