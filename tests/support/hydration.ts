import type { Page } from "playwright/test";

/** React's root has taken over the document, and its effects have run. (It has no public sign of that.) */
const HYDRATED = `
  (() => {
    const key = Object.keys(document).find((name) => name.startsWith("__reactContainer"));
    const root = key && document[key].stateNode.current.memoizedState;
    if (!root || root.isDehydrated) return false;
    return new Promise((resolve) => requestIdleCallback(() => resolve(true)));
  })()`;

/** Whether React answers what is pressed in a page from now on. The router is ready some time before. */
export const isHydrated = (page: Page): Promise<boolean> => page.evaluate<boolean>(HYDRATED);
