import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";

/**
 * Resolves once the page's data can be used. RemixBrowser throws a promise until then, with nothing above it that could
 * wait: React takes that, unless a key is pressed at that moment. Then it renders at once, ends with "Root did not
 * complete" (error 345), and the page stays without its script. So it is asked before React begins.
 */
async function dataIsRead(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (waiting) {
    await waiting;
  }
}

void dataIsRead().then(() =>
  startTransition(() => {
    hydrateRoot(document, <RemixBrowser />);
  }),
);
