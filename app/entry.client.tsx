import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

import { watchForms } from "~/components/forms/watch-forms";
import { watchMenus } from "~/components/layout/close-menus";
import { loadPartsInDocument } from "~/components/layout/lazy-part";
import { watchLinksInPage } from "~/components/layout/links-in-page";
import { watchForLeaving } from "~/components/layout/leave-at-once";
import { isTranslated, watchTranslation } from "~/components/layout/translated-page";

watchForLeaving();
watchMenus();
watchForms();
watchLinksInPage();

/**
 * Resolves when the page's data is available. Until then RemixBrowser throws a promise, and there
 * is no Suspense boundary above it. React accepts that, unless a key is pressed at that moment: it
 * then renders synchronously, fails with "Root did not complete" (error 345), and the page stays
 * without script. So the promise is awaited before React starts.
 */
async function waitForData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (promise) {
    await promise;
  }
}

/**
 * Lets the address be this page's own. The router would take it for another page, and fail again and again, until the
 * tab answers nothing. Back while code is still on its way makes it that of the page before, which is asked for meanwhile
 * (early-script.tsx). And Back from another site may lead elsewhere than it asked for: from the harmless page of "Leave
 * quickly", to the sign-in page. WebKit then gives that page the address that was asked for (because of our
 * Cross-Origin-Opener-Policy).
 */
function correctAddress(): void {
  const loaded = performance.getEntriesByType("navigation")[0]?.name;
  // Older browsers have another name there, or none.
  if (!loaded?.startsWith(location.origin)) return;
  if (loaded.split("#")[0] !== location.href.split("#")[0])
    history.replaceState(history.state, "", loaded);
}

/**
 * An element of an extension: one with a name of its own, or an empty one with a style of its own, which no element of ours
 * has (LastPass puts one beside each field).
 */
const isForeign = (element: Element) =>
  element.localName.includes("-") || element.matches(":is(div,span)[style]:empty");

const OUR_HEAD = `[charset], [name="viewport"], [name="color-scheme"], title, [nonce], [href^="/assets/"]`;

/**
 * Moves what extensions of the browser have put between our elements to the end of head and body, where React doesn't
 * mind it: a dark mode's style sheet in the head, or a spelling checker's or password manager's own element beside a
 * field. React would render the page anew, without what was typed so far.
 */
function makeWayForReact(): void {
  const { head, body } = document;
  head.append(...head.querySelectorAll(`:scope > :not(${OUR_HEAD})`));
  body.append(
    ...document.querySelectorAll(":root > :not(head, body)"),
    ...[...body.querySelectorAll("*")].filter(isForeign),
  );
  const first = body.querySelector(".skip-link");
  while (first?.previousSibling) body.append(first.previousSibling);
}

void waitForData()
  .then(loadPartsInDocument)
  .then(() => {
    // Once someone leaves, the document is blank and has no title: React would render the page anew, and show it.
    if (document.documentElement.hidden) return;
    // Nor would it recognize a page in another language: this one goes on without script.
    if (isTranslated()) return;
    watchTranslation();
    correctAddress();
    makeWayForReact();
    startTransition(() => {
      hydrateRoot(document, <RemixBrowser />);
    });
  });
