/**
 * Every control of every form: what is typed, chosen, or filled in by the browser before script arrives stays when it does,
 * and Back restores it. What is done with it, three forms on a slow phone for example, is tried by before-script.spec.ts.
 */
import { isNightly } from "../support/nightly";
import { DEMO_PAGES } from "./demo-pages";
import { expect, restoresFields, scripted, scriptRuns, signIn, test } from "./journey";
import { openWithLateScripts } from "./ways";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A control that was changed, what it has since then, and how to find and name it. */
interface Changed {
  element: Control;
  form: number;
  place: number;
  name: string;
  has: string;
}

/**
 * Gives each control of each form another value than it has, as people do, and browsers that fill in a form: they set a
 * value, and report it. Opens what is closed first.
 */
function changeControls(): Changed[] {
  for (const details of document.querySelectorAll("main details")) details.setAttribute("open", "");
  const changed: Changed[] = [];
  const groups = new Set<string>();
  const report = (element: Element) => {
    for (const type of ["input", "change"])
      element.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const another = ({ type, value, max, min, maxLength }: HTMLInputElement) => {
    if (type === "email") return "typed@example.org";
    if (type === "url") return "https://typed.example.org/";
    if (type === "tel") return value.endsWith("1") ? "5035550100" : "5035550101";
    if (type === "date") return value === "2031-02-03" ? "2031-02-04" : "2031-02-03";
    if (type === "number") return value === min ? max || "7" : min || "7";
    return `${value} Typed`.slice(maxLength > 0 ? -maxLength : 0);
  };
  for (const [form, { elements }] of [...document.forms].entries())
    for (const [place, element] of [...elements].entries()) {
      if (
        !(element instanceof HTMLInputElement) &&
        !(element instanceof HTMLSelectElement) &&
        !(element instanceof HTMLTextAreaElement)
      )
        continue;
      if (element.disabled || element.type === "hidden") continue;
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const name = `${element.type} ${element.name} of form ${form}`;
      const note = (has: string, value = "") =>
        changed.push({ element, form, place, name: `${name} ${value}`, has });
      if (element instanceof HTMLSelectElement) {
        const option = [...element.options].findLast(
          ({ selected, disabled, value }) => !selected && !disabled && value !== "",
        );
        if (!option) continue;
        option.selected = true;
        report(element);
        note(element.value);
      } else if (element.type === "radio") {
        // One of each group can be chosen.
        if (element instanceof HTMLInputElement && element.checked) continue;
        if (groups.has(name)) continue;
        groups.add(name);
        element.click();
        note("true", element.value);
      } else if (element instanceof HTMLInputElement && element.type === "checkbox") {
        element.click();
        note(String(element.checked), element.value);
      } else {
        element.value = another(element as HTMLInputElement);
        report(element);
        note(element.value);
      }
    }
  return changed;
}

/** Those that have another value, and those that are gone, unless one of the same name has their value. */
function findLost(changed: Changed[]): string[] {
  const valueOf = (control: Control) =>
    control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)
      ? String(control.checked)
      : control.value;
  return changed.flatMap(({ element, name, has }) => {
    if (element.isConnected)
      return valueOf(element) === has ? [] : [`${name} has “${valueOf(element)}”, not “${has}”`];
    const others = [...document.getElementsByName(element.name)] as Control[];
    const isThere = others.some(
      (other) =>
        valueOf(other) === has &&
        (other.type !== element.type ||
          !/box|radio/.test(other.type) ||
          other.value === element.value),
    );
    return isThere ? [] : [`${name} is gone`];
  });
}

/** The pages of this run: all at night. */
const choose = (paths: string[]) => paths.filter((_, place) => isNightly || place % 6 === 0);

for (const { whose, findPaths, email } of DEMO_PAGES)
  test(`what is entered on every page ${whose} before script arrives stays, and so does the focus`, async ({
    page,
  }) => {
    test.skip(!scripted(), "There is no script to wait for.");
    page.on("dialog", (dialog) => void dialog.accept());
    // Other tests open these pages as well, and would be offered drafts.
    await page.route(/\/drafts(\?|$)/, (route) => route.fulfill({ status: 204 }));
    if (email !== null) await signIn(page, email);
    const problems: string[] = [];
    let count = 0;
    for (const path of choose(await findPaths())) {
      const scriptsArrive = await openWithLateScripts(page, path);
      await expect.poll(() => page.evaluate(() => document.readyState)).not.toBe("loading");
      const changed = await page.evaluateHandle(changeControls);
      const focused = await page.evaluateHandle((controls) => {
        controls[0]?.element.focus();
        return document.activeElement;
      }, changed);
      await scriptsArrive();
      await scriptRuns(page);
      count += await changed.evaluate((controls) => controls.length);
      const found = await changed.evaluate(findLost);
      problems.push(...found.map((problem) => `${path}: ${problem}`));
      if (!(await focused.evaluate((element) => element === document.activeElement)))
        problems.push(`${path}: the focus moved`);
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });

/** What another document has in the places of controls that were changed. */
const readAgain = (changed: Pick<Changed, "form" | "place">[]): (string | undefined)[] =>
  changed.map(({ form, place }) => {
    const control = document.forms[form]?.elements[place] as HTMLInputElement | undefined;
    const isBox = control && /^(checkbox|radio)$/.test(control.type);
    return isBox ? String(control.checked) : control?.value;
  });

/** Passwords, and what no browser is told to keep: pronouns, and the address of someone who is invited (decision 36). */
const IS_NOT_KEPT = (path: string, control: string) =>
  /^password | pronouns of /.test(control) ||
  (path.endsWith("/managers") && /^email /.test(control));

for (const { whose, findPaths, email } of DEMO_PAGES)
  test(`what was entered on every page ${whose} without script is there again after Back`, async ({
    page,
  }) => {
    test.skip(scripted() || !restoresFields(), "Script stores it, or asks before a form is left.");
    if (email !== null) await signIn(page, email);
    const problems: string[] = [];
    let count = 0;
    for (const path of choose(await findPaths())) {
      await page.goto(path);
      const handle = await page.evaluateHandle(changeControls);
      const changed = await handle.evaluate((controls) =>
        controls
          .filter(({ element }) => element.form!.method === "post")
          .map(({ form, place, name, has }) => ({ form, place, name, has })),
      );
      if (changed.length === 0) continue;
      await page.goto("/privacy/tracking");
      expect((await page.goBack())?.status(), path).toBe(200);
      const now = await page.evaluate(readAgain, changed);
      for (const [index, { name, has }] of changed.entries()) {
        count += 1;
        if (now[index] !== has && !IS_NOT_KEPT(path, name))
          problems.push(`${path}: ${name} has “${now[index]}”, not “${has}”`);
      }
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
