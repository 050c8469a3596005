const EXIT = 'form[action="/leave"]';
const WITHIN_MS = 2_000;

/**
 * Makes the page go blank as soon as someone leaves quickly, and lets them leave by pressing Escape
 * three times. Works from the first moment, before React has started.
 */
export function watchForLeaving(): void {
  // React replaces the element where a browser's extension changed the page before.
  const page = () => document.documentElement;
  let presses: number[] = [];

  addEventListener("submit", ({ target }) => {
    if (!(target as Element).matches(EXIT)) return;
    // What the router still waits for would come in place of the harmless page.
    window.__remixRouter?.dispose();
    page().hidden = true;
    document.title = "";
  });

  addEventListener(
    "keydown",
    (event) => {
      const { key, repeat, timeStamp } = event;
      if (!repeat && !page().hidden) {
        presses = key === "Escape" ? [...presses.slice(-2), timeStamp] : [];
        if (presses.length > 2 && timeStamp - presses[0]! < WITHIN_MS)
          document.querySelector<HTMLFormElement>(EXIT)?.requestSubmit();
      }
      // To browsers Escape means "stop loading": one press more, or a held key, would keep everything here.
      if (key === "Escape" && page().hidden) event.preventDefault();
    },
    // Before a dialog or a suggestion list that stops the event.
    true,
  );

  // A browser that keeps pages in memory all the same must ask for this one again.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && page().hidden) location.reload();
  });
}
