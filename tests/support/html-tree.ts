/** Reads the HTML of a page, as React writes it, without a browser. */

export interface HtmlElement {
  name: string;
  attributes: Record<string, string>;
  children: HtmlNode[];
  parent: HtmlElement | null;
}

export interface HtmlText {
  text: string;
  parent: HtmlElement;
}

export type HtmlNode = HtmlElement | HtmlText;

export const isText = (node: HtmlNode): node is HtmlText => "text" in node;

const VOID = new Set(
  "area base br col embed hr img input link meta source track wbr use rect path circle line".split(
    " ",
  ),
);
const RAW = new Set(["script", "style", "title", "textarea"]);

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00A0" };

const unescapeHtml = (text: string) =>
  text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex: string, decimal: string, name: string) => {
      if (hex) return String.fromCodePoint(parseInt(hex, 16));
      if (decimal) return String.fromCodePoint(Number(decimal));
      return NAMED[name] ?? whole;
    },
  );

/** The elements of a page. @throws when its tags do not match */
export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { name: "#document", attributes: {}, children: [], parent: null };
  let at: HtmlElement = root;
  const addText = (text: string) => {
    if (text !== "") at.children.push({ text: unescapeHtml(text), parent: at });
  };
  const token =
    /<!--.*?-->|<!doctype[^>]*>|<(\/?)([a-z][\w-]*)((?:\s+[^\s=>/"']+(?:="[^"]*")?)*)\s*(\/?)>/gis;
  let end = 0;
  for (let match = token.exec(html); match; match = token.exec(html)) {
    addText(html.slice(end, match.index));
    end = token.lastIndex;
    const [, closing, name, attributes = "", selfClosing] = match;
    if (name === undefined) continue;
    if (closing) {
      if (at.name !== name) throw new Error(`</${name}> closes <${at.name}>.`);
      at = at.parent!;
      continue;
    }
    const element: HtmlElement = {
      name,
      attributes: Object.fromEntries(
        [...attributes.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [
          key!,
          unescapeHtml(value ?? ""),
        ]),
      ),
      children: [],
      parent: at,
    };
    at.children.push(element);
    if (selfClosing || (VOID.has(name) && !html.startsWith(`</${name}>`, end))) continue;
    at = element;
    if (RAW.has(name)) {
      const close = html.indexOf(`</${name}`, end);
      addText(html.slice(end, close));
      end = token.lastIndex = close;
    }
  }
  addText(html.slice(end));
  return root;
}

/** Every node below an element, in the order of the page. */
export function* walk(element: HtmlElement): Generator<HtmlNode> {
  for (const child of element.children) {
    yield child;
    if (!isText(child)) yield* walk(child);
  }
}

/** Every element below an element, in the order of the page; only those of a name when one is given. */
export const elementsIn = (element: HtmlElement, name?: string): HtmlElement[] =>
  [...walk(element)].filter(
    (node): node is HtmlElement => !isText(node) && (name === undefined || node.name === name),
  );

/** The elements around a node, the closest first. */
export function* ancestors(node: HtmlNode): Generator<HtmlElement> {
  for (let at = node.parent; at; at = at.parent) yield at;
}
