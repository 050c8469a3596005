/** What shows in place of a text (Chrome's translation: `<font>`), and the text with its own words. */
const texts = new WeakMap<Node, { text: Text; words: string }>();
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

function followTranslation(records: MutationRecord[]): void {
  for (const { target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    // React has something else to say there.
    if (target instanceof Text && target.data) translations.get(target)?.remove();

    for (const node of removedNodes) {
      if (node.isConnected) continue;
      const kept = texts.get(node);
      if (kept) {
        // It is translated into another language, or shows the original again.
        const other = addedNodes[0] as ChildNode | undefined;
        if (!kept.text.isConnected || kept.text.data) continue;
        if (other && other !== kept.text) keep(kept.text, other, kept.words);
        else kept.text.data = kept.words;
      } else if (translations.has(node)) translations.get(node)!.remove();
      else if (node instanceof Text) {
        const translation = [...addedNodes, previousSibling, nextSibling].find(
          (other) => other?.nodeName === "FONT" && !texts.has(other),
        );
        if (translation) keep(node, translation as ChildNode);
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
