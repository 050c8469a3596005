import type { Page } from "playwright/test";

/** Whether React has taken the document over, as an expression. (It has no public sign of that.) */
export const IS_TAKEN_OVER = `
  (() => {
    const key = Object.keys(document).find((name) => name.startsWith("__reactContainer"));
    return key !== undefined && !document[key].stateNode.current.memoizedState.isDehydrated;
  })()`;

/** The mark in the browser's timeline of when React has taken the document over. */
export const TAKEN_OVER = "taken over";

/** A script that makes that mark. Code that the page loads later is no part of it. */
export const MARK_TAKEN_OVER = `{
  const timer = setInterval(() => {
    if (!${IS_TAKEN_OVER}) return;
    performance.mark("${TAKEN_OVER}");
    clearInterval(timer);
  }, 10);
}`;

const STATE = `
  // Its effects run in tasks of their own.
  ${IS_TAKEN_OVER}
    ? new Promise((resolve) => setTimeout(() => setTimeout(() => resolve("hydrated"))))
    : "React has not taken over"`;

/** "hydrated" once React answers what is pressed in a page. The router is ready some time before. */
export const hydrationOf = (page: Page): Promise<string> => page.evaluate<string>(STATE);
