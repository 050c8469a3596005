/** A text in whose place a translation shows something else (Chrome: `<font>`), and its own words. */
interface Kept {
  text: Text;
  words: string;
}
const texts = new WeakMap<Node, Kept>();
const translations = new WeakMap<Node, ChildNode>();

/** Whether the browser has translated the page: Chrome and Firefox then change the language of the document. */
export const isTranslated = () => document.documentElement.lang !== "en";

/** Keeps a text, empty, beside what a translation shows in its place. */
function keep(text: Text, translation: ChildNode, words = text.data): void {
  texts.set(translation, { text, words });
  translations.set(text, translation);
  if (!text.isConnected) translation.before(text);
  text.data = "";
}

/** React has something else to say there, or nothing. */
function dropTranslation(text: Node): void {
  translations.get(text)?.remove();
  translations.delete(text);
}

/** A translation is translated into another language, or shows the original again. */
function replaceTranslation({ text, words }: Kept, other: ChildNode | undefined): void {
  if (!text.isConnected || text.data) return;
  if (other && other !== text) return keep(text, other, words);
  translations.delete(text);
  text.data = words;
}

function followTranslation(records: MutationRecord[]): void {
  for (const { target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    if (target instanceof Text && target.data) dropTranslation(target);

    for (const node of removedNodes) {
      if (node.isConnected) continue;
      const kept = texts.get(node);
      if (kept) replaceTranslation(kept, addedNodes[0] as ChildNode | undefined);
      else if (node instanceof Text) {
        const translation = [...addedNodes, previousSibling, nextSibling].find(
          (other) => other?.nodeName === "FONT" && !texts.has(other),
        );
        if (translation) keep(node, translation as ChildNode);
        else dropTranslation(node);
      }
    }
  }
}

/**
 * Lets the browser translate a page that React runs. Translations put elements in the place of our texts, or take texts
 * away. React would change, move, or remove a text that is no longer in the page: it shows an old number, or fails, and
 * what was typed is gone (facebook/react#11538). So each text stays in the page, and what React puts there shows.
 */
export function watchTranslation(): void {
  new MutationObserver(followTranslation).observe(document, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  // eslint-disable-next-line @typescript-eslint/unbound-method -- each is called with the node that it belongs to
  const { insertBefore, removeChild } = Node.prototype;
  const has = (parent: Node, node: Node | null) => node?.parentNode === parent;
  Node.prototype.insertBefore = function <T extends Node>(node: T, next: Node | null): T {
    return insertBefore.call(this, node, has(this, next) ? next : null) as T;
  };
  Node.prototype.removeChild = function <T extends Node>(node: T): T {
    return has(this, node) ? (removeChild.call(this, node) as T) : node;
  };
}
