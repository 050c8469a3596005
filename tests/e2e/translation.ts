/**
 * A browser that translates pages, as Chrome does: it replaces each text by `<font><font>…</font></font>`, also texts that
 * come later, and changes the language of the document. The words stay the same here, so that journeys find them. Firefox
 * writes into the texts that are there, and takes away those that it has no words for.
 */
import type { BrowserContext, Page } from "playwright/test";

import { IS_TAKEN_OVER } from "../support/hydration";

/** Runs in the page. `translatePage` returns what shows the original again. */
const DEFINE = `
  function translatePage() {
    const translate = (root) => {
      const all = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts = [];
      while (all.nextNode()) texts.push(all.currentNode);
      for (const text of texts) {
        if (!/\\p{L}/u.test(text.data) || text.parentElement.closest("font, script, style, textarea, title")) continue;
        const font = document.createElement("font");
        font.append(document.createElement("font"));
        font.firstChild.textContent = text.data;
        originals.push([font, text]);
        text.replaceWith(font);
      }
    };
    const originals = [];
    document.documentElement.lang = "es";
    translate(document.body);
    const later = new MutationObserver((records) => {
      for (const node of records.flatMap(({ addedNodes, target }) => [...addedNodes, target]))
        if (node.isConnected) translate(node instanceof Text ? node.parentNode : node);
    });
    later.observe(document.documentElement, { childList: true, characterData: true, subtree: true });
    return () => {
      later.disconnect();
      document.documentElement.lang = "en";
      for (const [font, text] of originals) if (font.isConnected) font.replaceWith(text);
    };
  }`;

/** Translates each page of this browser once React runs it. */
export const translatePages = (context: BrowserContext) =>
  context.addInitScript({
    content: `{
      ${DEFINE}
      const waiting = setInterval(() => {
        if (!(${IS_TAKEN_OVER})) return;
        clearInterval(waiting);
        translatePage();
      }, 50);
    }`,
  });

/** Translates this page now. @returns shows the original again */
export async function translate(page: Page): Promise<() => Promise<void>> {
  const shown = await page.evaluateHandle(`(() => { ${DEFINE} return translatePage(); })()`);
  return () => shown.evaluate((showOriginal) => (showOriginal as () => void)());
}

/** Takes those texts away that are not all that their element says, as Firefox's translation may. */
export const takeTextsAway = (page: Page) =>
  page.evaluate(() => {
    document.documentElement.lang = "es";
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: ChildNode[] = [];
    while (all.nextNode()) texts.push(all.currentNode as Text);
    for (const text of texts) if (text.parentNode!.childNodes.length > 1) text.remove();
  });
