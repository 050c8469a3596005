/** What a page says where no style sheet is applied: in a text browser, or read aloud. */
import { ancestors, isText, walk, type HtmlElement, type HtmlNode } from "./html-tree";

const NOT_SHOWN = new Set(["head", "script", "style", "template", "datalist"]);

/**
 * Elements that lynx and w3m put on lines of their own, or in boxes. What came with HTML 5 they don't know: to them a
 * `<header>` or a `<summary>` is a part of the line.
 */
const BLOCKS = new Set(
  (
    "address blockquote body br caption center dd dir div dl dt fieldset form h1 h2 h3 h4 h5 h6 hr input legend li " +
    "menu ol option optgroup p pre select table tbody td textarea tfoot th thead tr ul"
  ).split(" "),
);

/** Checkboxes and radio buttons, of which w3m shows "[ ]" and "( )" in the line, before the next letter. */
const isBox = ({ name, attributes }: HtmlElement) =>
  name === "input" && /^(checkbox|radio)$/.test(attributes["type"] ?? "");

const isShown = (node: HtmlNode) =>
  ![...ancestors(node)].some(({ name }) => NOT_SHOWN.has(name)) &&
  (isText(node) || !NOT_SHOWN.has(node.name));

/** The places where two words of inline elements follow each other without a space: "$902 newsletters". */
export function findGluedWords(page: HtmlElement): string[] {
  // "\uE000" stands for the border of an inline element.
  const text = flatten(page);
  const found: string[] = [];
  for (const { index, 0: whole } of text.matchAll(
    /[\p{L}\p{N}.,;:!?)\]”’%]\uE000+[\p{L}\p{N}$“(+]/gu,
  )) {
    if (/^[’]/.test(whole)) continue;
    found.push(
      text
        .slice(Math.max(0, index - 20), index + 24)
        .replaceAll("\uE000", "|")
        .trim(),
    );
  }
  return [...new Set(found)];
}

function flatten(element: HtmlElement): string {
  if (isBox(element)) return "\uE000[ ]\uE000";
  const border = BLOCKS.has(element.name) ? "\n" : "\uE000";
  const content = element.children
    .filter(isShown)
    .map((child) => (isText(child) ? child.text : flatten(child)))
    .join("");
  return `${border}${content}${border}`;
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\u202A-\u202E]/;
const ISOLATED = /\u2068[^\u2068\u2069]*\u2069/g;
const OURS = /[a-z]/i;

/** Texts from right to left that could move the words around them. */
export function findUnisolatedText(page: HtmlElement): string[] {
  const found = new Set<string>();
  for (const node of walk(page)) {
    if (!isText(node) || !isShown(node) || ["title", "textarea"].includes(node.parent.name))
      continue;
    if (!RIGHT_TO_LEFT.test(node.text.replaceAll(ISOLATED, ""))) continue;
    const around = [...ancestors(node)].find(
      ({ name, attributes }) =>
        name === "bdi" || name === "option" || attributes["dir"] !== undefined,
    );
    if (around?.name === "bdi") continue;
    if (
      around &&
      !OURS.test(ownText(around)) &&
      (around.name === "option" || around.attributes["dir"] === "auto")
    )
      continue;
    const { name, attributes } = node.parent;
    found.add(`<${name} class="${attributes["class"] ?? ""}"> ${node.text.slice(0, 60)}`);
  }
  return [...found];
}

/** The text of an element, without what is isolated in it. */
function ownText(element: HtmlElement): string {
  return element.children
    .map((child) => {
      if (isText(child)) return child.text;
      return child.name === "bdi" || child.attributes["dir"] !== undefined ? "" : ownText(child);
    })
    .join("");
}

/** Buttons of one form with the same text that do the same: a text browser shows both. */
export function findRepeatedButtons(page: HtmlElement): string[] {
  return [...walk(page)].flatMap((form) => {
    if (isText(form) || form.name !== "form") return [];
    const buttons = [...walk(form)].flatMap((node) => {
      if (isText(node) || node.name !== "button") return [];
      const { type, name, value, formaction } = node.attributes;
      const text = flatten(node)
        .replaceAll(/[\uE000\s]+/g, " ")
        .trim();
      return type === "submit" && text ? [`${text} (${[name, value, formaction].join(" ")})`] : [];
    });
    return buttons.filter((button, index) => buttons.indexOf(button) !== index);
  });
}
