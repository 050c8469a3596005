import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

import { watchForms } from "~/components/forms/watch-forms";
import { watchMenus } from "~/components/layout/close-menus";
import { loadPartsInDocument } from "~/components/layout/lazy-part";
import { watchLinksInPage } from "~/components/layout/links-in-page";
import { watchForLeaving } from "~/components/layout/leave-at-once";

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

void waitForData()
  .then(loadPartsInDocument)
  .then(() => {
    // Once someone leaves, the document is blank and has no title: React would render the page anew, and show it.
    if (document.documentElement.hidden) return;
    startTransition(() => {
      hydrateRoot(document, <RemixBrowser />);
    });
  });
