import type { Page } from "playwright/test";

/** How far React is with the document. (It has no public sign of that.) */
const STATE = `
  (() => {
    const key = Object.keys(document).find((name) => name.startsWith("__reactContainer"));
    if (!key) return "React has not started";
    if (document[key].stateNode.current.memoizedState.isDehydrated) return "React has not taken over";
    // Its effects run in tasks of their own.
    return new Promise((resolve) => setTimeout(() => setTimeout(() => resolve("hydrated"))));
  })()`;

/** "hydrated" once React answers what is pressed in a page. The router is ready some time before. */
export const hydrationOf = (page: Page): Promise<string> => page.evaluate<string>(STATE);
