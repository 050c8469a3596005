import type { Page } from "playwright/test";

/** Whether React has taken the document over, as an expression. (It has no public sign of that.) */
export const IS_TAKEN_OVER = `
  (() => {
    const key = Object.keys(document).find((name) => name.startsWith("__reactContainer"));
    return key !== undefined && !document[key].stateNode.current.memoizedState.isDehydrated;
  })()`;

const STATE = `
  // Its effects run in tasks of their own.
  ${IS_TAKEN_OVER}
    ? new Promise((resolve) => setTimeout(() => setTimeout(() => resolve("hydrated"))))
    : "React has not taken over"`;

/** "hydrated" once React answers what is pressed in a page. The router is ready some time before. */
export const hydrationOf = (page: Page): Promise<string> => page.evaluate<string>(STATE);
