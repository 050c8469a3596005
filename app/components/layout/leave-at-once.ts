const EXIT = 'form[action="/leave"]';
const WITHIN_MS = 2_000;

/**
 * Lets nothing come in place of the harmless page once someone leaves quickly, which has made the page blank
 * (early-script.tsx), and lets them leave by pressing Escape three times. Works before React has started.
 */
export function watchForLeaving(): void {
  const hasLeft = () => document.documentElement.hidden;
  let presses: number[] = [];

  addEventListener("submit", ({ target }) => {
    if (!(target as Element).matches(EXIT)) return;
    // What the router still waits for would come in place of the harmless page.
    window.__remixRouter?.dispose();
    document.title = "";
  });

  addEventListener(
    "keydown",
    (event) => {
      const { key, repeat, timeStamp } = event;
      if (!repeat && !hasLeft()) {
        presses = key === "Escape" ? [...presses.slice(-2), timeStamp] : [];
        if (presses.length > 2 && timeStamp - presses[0]! < WITHIN_MS)
          document.querySelector<HTMLFormElement>(EXIT)?.requestSubmit();
      }
      // To browsers Escape means "stop loading": one press more, or a held key, would keep everything here.
      if (key === "Escape" && hasLeft()) event.preventDefault();
    },
    // Before a dialog or a suggestion list that stops the event.
    true,
  );

  // A browser that keeps pages in memory all the same must ask for this one again.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && hasLeft()) location.reload();
  });
}
